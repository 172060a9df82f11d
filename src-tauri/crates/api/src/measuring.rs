//! Measuring influence on demand: the cost, the writer's confirmation, and then the regenerations in the background,
//! one measurement at a time.
//!
//! No result of a stopped or failed measurement is stored; its usage is counted all the same.

mod wire;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use parking_lot::{Mutex, MutexGuard};

use palimpsest_memory::{
    ASK_SKILL, Code, Details, Engine, Error, Masking,
    model::{AnswerRunArguments, GenerationId, ProjectId, Reason, Tier, Trace},
    ports::{
        CandidateEvent, Completion, GenerationRequest, Message, ModelError, ModelErrorKind, ModelInfo, Stop,
        StopReason, TextModel, one_by_one,
    },
    regeneration::{Mask, RUNS, seed_of},
};

use crate::{
    Api,
    dto::saturating_u32,
    error::{ApiError, with_reason},
    events::{self, EventSink, MeasureEnd, MeasureProgress},
    generation::{self, candidate_temperature, shuffled},
    metered::{Metered, prompt_tokens},
    supervise::{JoinedThread, Supervisor, Task},
};

pub(crate) use wire::{MeasureAnswer, MeasureRun, MeasureTrace};
use wire::{MeasureCost, MeasureStatus, MeasuredTier};

/// The measurement under way, if there is one. Shared with its thread.
#[derive(Clone)]
pub(crate) struct Measurer {
    engine: Arc<Engine>,
    events: EventSink,
    running: Arc<Mutex<Option<Running>>>,
}

/// The public state of a measurement under way.
struct Running {
    project_id: ProjectId,
    generation_id: GenerationId,
    stop: Stop,
    done: Arc<AtomicU32>,
    of: u32,
}

/// A measurement that has begun.
struct Job {
    plan: Masking,
    model: Arc<dyn TextModel>,
    max_tokens: u32,
    masks: Vec<Mask>,
    prompts: Vec<Vec<Message>>,
    stop: Stop,
    done: Arc<AtomicU32>,
}

/// The thread of a measurement. Dropping it stops the measurement and waits for its end, so that the data folder is
/// free then.
pub(crate) struct Measurements {
    measurer: Measurer,
    thread: Mutex<JoinedThread>,
}

impl Measurements {
    pub(crate) fn new(engine: &Arc<Engine>, events: &EventSink) -> Self {
        let measurer = Measurer { engine: Arc::clone(engine), events: Arc::clone(events), running: Arc::default() };
        Self { measurer, thread: Mutex::default() }
    }

    /// Stops the measurement of a project, or any; returns whether there was one.
    pub(crate) fn stop(&self, project_id: Option<&ProjectId>) -> bool {
        let running = self.measurer.running();
        let concerned = running.as_ref().filter(|run| project_id.is_none_or(|id| *id == run.project_id));
        concerned.inspect(|run| run.stop.set()).is_some()
    }
}

impl Drop for Measurements {
    fn drop(&mut self) {
        self.stop(None);
    }
}

impl Measurer {
    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock()
    }

    /// Regenerates, measures and stores the result; sends an event at every step and at the end.
    fn run(&self, job: &Job, supervisor: &Supervisor) -> Result<Trace, MeasureFailure> {
        let under_way = UnderWay(self);
        let outcome = supervisor.run(Task::Measurement, || self.measure(job));
        let outcome = outcome.unwrap_or_else(|| Err(MeasureFailure::Failed(ApiError::broke_off())));
        // A listener may begin the next measurement when it receives the end.
        drop(under_way);
        self.emit_progress(
            job,
            Some(match &outcome {
                Ok(_) => MeasureEnd::Measured,
                Err(MeasureFailure::Cancelled) => MeasureEnd::Cancelled,
                Err(MeasureFailure::Failed(error)) => MeasureEnd::Failed { error: error.clone() },
            }),
        );
        outcome
    }

    fn measure(&self, job: &Job) -> Result<Trace, MeasureFailure> {
        self.emit_progress(job, None);
        let texts = self.regenerate(job)?;
        match self.engine.store_masked(&job.plan, &job.masks, &texts) {
            Ok(changed) => {
                events::emit(&self.events, events::MEMORY_CHANGED, &changed.change);
                Ok(changed.value)
            }
            // The project was cleared, which stopped this.
            Err(_) if job.stop.is_set() => Err(MeasureFailure::Cancelled),
            Err(error) => Err(MeasureFailure::Failed(error)),
        }
    }

    fn emit_progress(&self, job: &Job, end: Option<MeasureEnd>) {
        let trace = job.plan.trace();
        let progress = MeasureProgress {
            project_id: trace.project_id.clone(),
            generation_id: trace.generation_id.clone(),
            done: job.done.load(Ordering::SeqCst),
            regenerations: saturating_u32(job.masks.len()),
            end,
        };
        events::emit(&self.events, events::MEASURE_PROGRESS, &progress);
    }

    /// All regenerations, in the order of their masks, with the seed and the temperature of the draft.
    fn regenerate(&self, job: &Job) -> Result<Vec<String>, MeasureFailure> {
        let trace = job.plan.trace();
        let place = usize::try_from(job.plan.candidate()).unwrap_or(0);
        let candidates = usize::try_from(job.plan.candidates()).unwrap_or(1);
        let variant = shuffled(candidates, trace.seed).iter().position(|other| *other == place).unwrap_or(0);
        // Separate from the writer's stop: the first failure ends the others, and is no cancellation.
        let ended = Stop::new();
        let own_seed = generation::candidate_seed(trace.seed, variant);
        let requests: Vec<GenerationRequest<'_>> = job
            .prompts
            .iter()
            .enumerate()
            .map(|(run, messages)| GenerationRequest {
                messages,
                seed: seed_of(run, own_seed),
                max_tokens: job.max_tokens,
                temperature: candidate_temperature(variant),
                schema: None,
                tools: &[],
                stop: &job.stop,
            })
            .collect();
        let model = UntilOneFails { inner: &*job.model, ended: &ended };
        let texts = Mutex::new(vec![None; requests.len()]);
        let failure = Mutex::new(None);
        let on_event = |n: usize, event: CandidateEvent<'_>| {
            let CandidateEvent::Done(done) = event else { return };
            let text = match done {
                Ok(Completion { stop: StopReason::Cancelled, .. }) => return,
                Ok(completion) if completion.text.trim().is_empty() => {
                    Err(ModelError::new(ModelErrorKind::Malformed, "the model wrote nothing"))
                }
                Ok(completion) => Ok(completion.text),
                Err(error) => Err(error),
            };
            match text {
                Ok(text) => {
                    if let Some(place) = texts.lock().get_mut(n) {
                        *place = Some(text);
                    }
                    job.done.fetch_add(1, Ordering::SeqCst);
                    if !job.stop.is_set() && !ended.is_set() {
                        self.emit_progress(job, None);
                    }
                }
                Err(error) => {
                    failure.lock().get_or_insert(error);
                    ended.set();
                }
            }
        };
        // On its own thread: after a panic in the model the measurement still ends.
        thread::scope(|scope| {
            scope.spawn(|| one_by_one(&model, &requests, &on_event)).join().ok();
        });
        if job.stop.is_set() {
            return Err(MeasureFailure::Cancelled);
        }
        if let Some(error) = failure.into_inner() {
            return Err(MeasureFailure::Failed(error.into()));
        }
        let texts: Option<Vec<String>> = texts.into_inner().into_iter().collect();
        let broken = || ModelError::new(ModelErrorKind::Malformed, "the model broke off without a word");
        texts.ok_or_else(|| MeasureFailure::Failed(broken().into()))
    }
}

/// One measurement under way; the next can begin once this is dropped, also after a panic.
struct UnderWay<'a>(&'a Measurer);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        *self.0.running() = None;
    }
}

enum MeasureFailure {
    Cancelled,
    Failed(ApiError),
}

/// A model that receives no further requests after a failure.
struct UntilOneFails<'a> {
    inner: &'a dyn TextModel,
    ended: &'a Stop,
}

impl TextModel for UntilOneFails<'_> {
    fn info(&self) -> ModelInfo {
        self.inner.info()
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        if self.ended.is_set() || request.stop.is_set() {
            return Ok(Completion { text: String::new(), stop: StopReason::Cancelled, tokens: None, tool_call: None });
        }
        self.inner.generate(request, on_text)
    }
}

impl Api {
    pub(crate) fn trace_measure(&self, args: MeasureTrace) -> Result<MeasureAnswer, ApiError> {
        let MeasureTrace { project_id, generation_id, tier, regenerations, confirmed, wait, cancel } = args;
        let MeasuredTier::Masked = tier;
        let measurements = &self.measurements;
        // The trace of another project is refused, running or not.
        let trace = self.engine.trace(&project_id, &generation_id)?;
        if cancel.unwrap_or_default() {
            let running = measurements.measurer.running();
            let this = running.as_ref().filter(|run| run.generation_id == generation_id);
            let status = match this.inspect(|run| run.stop.set()) {
                Some(_) => MeasureStatus::Cancelling,
                None => MeasureStatus::NotRunning,
            };
            return Ok(MeasureAnswer::from_status(status));
        }
        let wanted = regenerations.unwrap_or(saturating_u32(*RUNS.end()));
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        if !RUNS.contains(&wanted) || wanted % 2 == 1 {
            let allowed = format!("not an even number in {}..{}", RUNS.start(), RUNS.end());
            return Err(ApiError::invalid("regenerations", allowed));
        }
        if let Some(answer) = self.running_answer(&generation_id) {
            return Ok(answer);
        }
        if trace.influences.iter().any(|one| one.tier == Tier::Masked) {
            return Ok(MeasureAnswer { trace: Some(trace), ..MeasureAnswer::from_status(MeasureStatus::Measured) });
        }
        let (job, cost) = self.prepare(&project_id, &generation_id, wanted)?;
        if confirmed != Some(true) {
            return Ok(MeasureAnswer { cost: Some(cost), ..MeasureAnswer::from_status(MeasureStatus::Unconfirmed) });
        }
        // Checked again under the lock: one at a time.
        {
            let mut running = measurements.measurer.running();
            if running.is_some() {
                drop(running);
                // A measurement that has ended just now is requested again.
                let busy = || MeasureAnswer::from_status(MeasureStatus::AlreadyRunning);
                return Ok(self.running_answer(&generation_id).unwrap_or_else(busy));
            }
            *running = Some(Running {
                project_id,
                generation_id,
                stop: job.stop.clone(),
                done: Arc::clone(&job.done),
                of: cost.regenerations,
            });
        }
        let measurer = measurements.measurer.clone();
        if wait.unwrap_or_default() {
            return match measurer.run(&job, &self.supervisor) {
                Ok(trace) => {
                    Ok(MeasureAnswer { trace: Some(trace), ..MeasureAnswer::from_status(MeasureStatus::Measured) })
                }
                Err(MeasureFailure::Cancelled) => Ok(MeasureAnswer::from_status(MeasureStatus::Cancelled)),
                Err(MeasureFailure::Failed(error)) => Err(error),
            };
        }
        let (under_way, supervised) = (Arc::clone(&measurer.running), self.supervisor.clone());
        let work = move || drop(measurer.run(&job, &supervised));
        let Some(thread) = self.supervisor.start(Task::Measurement, work) else {
            *under_way.lock() = None;
            return Err(ApiError::broke_off());
        };
        // The previous measurement has ended: there is one at a time.
        *measurements.thread.lock() = JoinedThread::new(Some(thread));
        Ok(MeasureAnswer { cost: Some(cost), done: Some(0), ..MeasureAnswer::from_status(MeasureStatus::Running) })
    }

    /// Measures a run that asked a question: the generation has the id of the run.
    pub(crate) fn answer_measure(&self, args: MeasureRun) -> Result<MeasureAnswer, ApiError> {
        let MeasureRun { project_id, run_id, regenerations, confirmed, wait, cancel } = args;
        let generation_id = run_id.as_str().into();
        match self.engine.trace(&project_id, &generation_id) {
            Err(error) if error.code == Code::NotFound => {
                // Another program ran it, with a prompt that is not known here, or it has no answer yet.
                self.engine.answer_run(&AnswerRunArguments { project_id, run_id })?;
                let message = "no answer of a model that can be asked again";
                let details = Details {
                    field: Some("runId".into()),
                    reason: Some(Reason::NothingToMeasure),
                    ..Details::default()
                };
                return Err(Error::with_details(Code::InvalidArgument, message, details));
            }
            trace => trace?,
        };
        self.trace_measure(MeasureTrace {
            project_id,
            generation_id,
            tier: MeasuredTier::Masked,
            regenerations: regenerations.or(Some(saturating_u32(*RUNS.start()))),
            confirmed,
            wait,
            cancel,
        })
    }

    /// The answer while a measurement runs: for this generation, or for another one.
    fn running_answer(&self, generation_id: &GenerationId) -> Option<MeasureAnswer> {
        let running = self.measurements.measurer.running();
        let run = running.as_ref()?;
        if run.generation_id != *generation_id {
            return Some(MeasureAnswer::from_status(MeasureStatus::AlreadyRunning));
        }
        let done = Some(run.done.load(Ordering::SeqCst).min(run.of));
        Some(MeasureAnswer { done, ..MeasureAnswer::from_status(MeasureStatus::Running) })
    }

    /// The requests and their recipient; everything that can be refused is refused here, before anything is paid for.
    fn prepare(
        &self,
        project_id: &ProjectId,
        generation_id: &GenerationId,
        wanted: usize,
    ) -> Result<(Job, MeasureCost), ApiError> {
        let plan = self.engine.plan_masking(project_id, generation_id)?;
        let writing = if plan.trace().skill == ASK_SKILL { self.asking_as_writing() } else { self.writing_model() };
        let provider = writing.model.info();
        if plan.trace().provider != provider {
            let message = "another model wrote this than the one that writes now";
            return Err(with_reason(Code::ModelUnavailable, message, Reason::OtherModel));
        }
        let left = if writing.is_built_in() { None } else { self.engine.usage().requests_left() };
        let least = saturating_u32(*RUNS.start());
        if left.is_some_and(|left| left < least) {
            return Err(ModelError::new(ModelErrorKind::DailyLimit, "fewer are left today than it takes").into());
        }
        if let Some(error) = plan.names_unread().filter(|_| !writing.is_built_in()) {
            return Err(error.clone());
        }
        // Whole pairs, within the remainder of the daily limit.
        let allowed = left.and_then(|left| usize::try_from(left).ok()).map_or(wanted, |left| wanted.min(left));
        let masks = plan.masks(allowed);
        let prompts = masks.iter().map(|mask| plan.messages(mask)).collect::<Result<Vec<_>, _>>()?;
        let regenerations = saturating_u32(masks.len());
        let sent = prompts.iter().map(|messages| prompt_tokens(messages)).fold(0, u32::saturating_add);
        let max_tokens = writing.answer_tokens();
        let cost = MeasureCost {
            regenerations,
            memories: saturating_u32(plan.memories()),
            prompt_tokens: sent,
            answer_tokens: max_tokens.saturating_mul(regenerations),
            requests_left: left,
            provider,
        };
        let is_built_in = writing.is_built_in();
        let (engine, events) = (Arc::clone(&self.engine), Arc::clone(&self.events));
        let job = Job {
            plan,
            max_tokens,
            // The built-in model costs nothing.
            model: if is_built_in { writing.model } else { Arc::new(Metered { inner: writing.model, engine, events }) },
            masks,
            prompts,
            stop: Stop::new(),
            done: Arc::default(),
        };
        Ok((job, cost))
    }
}
