//! Learning: the commands for runs and conflicts, the thread that begins a run when one is due, and the model for its
//! wording.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use palimpsest_memory::{
    Begun, DistillRequest, Engine, Ticket,
    model::{Purpose, Rule, Run, RunAnswer, RunCause, RunProgress, RunStatus},
    ports::{Completion, GenerationRequest, ModelError, ModelErrorKind, ModelInfo, Stop, TextModel},
};
use palimpsest_providers::{BaseUrl, Endpoint, Network, text_model};

use crate::{
    Api, Keys, Writing,
    dto::{
        ConflictList, Distill, Noted, OfAnyProject, OfProject, OfRule, OfRuleInProject, OfRun, ResolveConflict,
        RuleEpisodes, RunList,
    },
    error::ApiError,
    events::{self, EventSink},
    metered::Metered,
    supervise::{Supervisor, Task},
};

/// How often a due run is looked for. The clock decides whether one is due.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Executes runs and sends their events. Holds only the parts that a run in the background needs.
#[derive(Clone)]
pub(crate) struct Distiller {
    engine: Arc<Engine>,
    keys: Arc<dyn Keys>,
    network: Arc<Network>,
    events: EventSink,
    /// Templates word all rules, even if the writer has chosen a model.
    templates_only: bool,
}

impl Distiller {
    pub(crate) fn new(
        engine: &Arc<Engine>,
        keys: &Arc<dyn Keys>,
        network: &Arc<Network>,
        events: &EventSink,
        writing: &Writing,
    ) -> Self {
        Self {
            engine: Arc::clone(engine),
            keys: Arc::clone(keys),
            network: Arc::clone(network),
            events: Arc::clone(events),
            templates_only: matches!(writing, Writing::BuiltIn),
        }
    }

    /// Executes a run that has begun to its end.
    fn run(&self, ticket: Ticket) -> RunAnswer {
        let model = self.model();
        let ended = self.engine.distill(ticket, model.as_deref(), &|progress| self.emit_progress(&progress));
        tracing::info!(run = %ended.value.run_id, status = ?ended.value.status, "learning run ended");
        if ended.value.status != RunStatus::DryRun {
            events::emit(&self.events, events::MEMORY_CHANGED, &ended.change);
        }
        ended.value
    }

    fn emit_progress(&self, progress: &RunProgress) {
        events::emit(&self.events, events::DISTILL_PROGRESS, progress);
    }

    /// The model that the writer has chosen for wording rules; without one, templates do it. A chosen model that cannot
    /// be reached is returned as one that fails.
    fn model(&self) -> Option<Box<dyn TextModel>> {
        if self.templates_only {
            return None;
        }
        let models = self.engine.models();
        let chosen = models.of(Purpose::Distilling);
        let provider = chosen.provider_id.as_deref().and_then(|id| models.provider(id))?;
        let model = chosen.model?;
        let Ok(base_url) = BaseUrl::parse(&provider.base_url) else { return Some(Box::new(NoAddress)) };
        let key = self.keys.get(&provider.provider_id);
        let inner = text_model(&self.network, Endpoint { kind: provider.kind, base_url, key }, model);
        Some(Box::new(Metered { inner, engine: Arc::clone(&self.engine), events: Arc::clone(&self.events) }))
    }
}

/// A model with an unusable address: every request fails.
struct NoAddress;

impl TextModel for NoAddress {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: String::new(), model: String::new(), sample: false }
    }

    fn generate(&self, _: &GenerationRequest<'_>, _: &mut dyn FnMut(&str)) -> Result<Completion, ModelError> {
        Err(ModelError::new(ModelErrorKind::Unreachable, "the address of the chosen one cannot be used"))
    }
}

/// The thread that begins a run when one is due.
pub(crate) struct Learner {
    wake: SyncSender<()>,
    stop: Stop,
    engine: Arc<Engine>,
    thread: Option<JoinHandle<()>>,
}

impl Learner {
    /// Starts the thread. It first looks for work that an earlier session left.
    pub(crate) fn start(distiller: Distiller, supervisor: Supervisor) -> Self {
        let (wake, woken) = sync_channel(1);
        let stop = Stop::new();
        let stopped = stop.clone();
        let engine = Arc::clone(&distiller.engine);
        let supervised = supervisor.clone();
        let thread = supervisor.start(Task::Learner, move || {
            loop {
                // A run that panics counts as tried: it is due again at the next cause.
                supervised.run(Task::Learner, || {
                    // Each project once: one over which nothing can be learned now is looked at again at the next wake.
                    let mut tried = HashSet::new();
                    while !stopped.is_set()
                        && let Some((project_id, cause)) = distiller.engine.due_run()
                        && tried.insert(project_id.clone())
                    {
                        let request = DistillRequest { project_id: Some(project_id), cause, dry_run: false };
                        // Another run is under way, or a file cannot serve: try again later.
                        let Ok(Begun::Run(ticket)) = distiller.engine.begin_run(&request) else { break };
                        // It may have been closed since the last check.
                        if stopped.is_set() {
                            ticket.stop().set();
                        }
                        let _answer = distiller.run(ticket);
                    }
                });
                match woken.recv_timeout(CHECK_INTERVAL) {
                    Ok(()) | Err(RecvTimeoutError::Timeout) if !stopped.is_set() => {}
                    _ => break,
                }
            }
        });
        Self { wake, stop, engine, thread }
    }

    /// A function that wakes the thread, callable from any thread.
    pub(crate) fn waker(&self) -> impl Fn() + Send + use<> {
        let wake = self.wake.clone();
        move || {
            let _pending = wake.try_send(());
        }
    }

    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        let _pending = self.wake.try_send(());
    }
}

impl Drop for Learner {
    /// Stops the run under way and waits for its end, so that the data folder is free afterwards.
    fn drop(&mut self) {
        self.stop.set();
        self.engine.stop_distilling(None);
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

impl Api {
    pub(crate) fn semantic_distill(&self, args: Distill) -> Result<RunAnswer, ApiError> {
        let dry_run = args.dry_run.unwrap_or_default();
        let request = DistillRequest { project_id: args.project_id, cause: RunCause::Click, dry_run };
        let ticket = match self.engine.begin_run(&request)? {
            Begun::Run(ticket) => ticket,
            Begun::AlreadyRunning(answer) | Begun::Waiting(answer) => return Ok(answer),
        };
        if dry_run || args.wait.unwrap_or_default() {
            return Ok(self.distiller.run(ticket));
        }
        let (answer, distiller) = (ticket.answer(), self.distiller.clone());
        let supervised = self.supervisor.clone();
        let work = move || drop(supervised.run(Task::Distillation, || distiller.run(ticket)));
        self.supervisor.start(Task::Distillation, work).ok_or_else(ApiError::broke_off)?;
        Ok(answer)
    }

    pub(crate) fn distill_list(&self, of: OfAnyProject) -> Result<RunList, ApiError> {
        Ok(RunList { runs: self.engine.runs(of.project_id.as_ref())? })
    }

    pub(crate) fn distill_approve(&self, of: OfRun) -> Result<Run, ApiError> {
        Ok(self.emit_changed(self.engine.approve_run(&of.run_id, &|progress| self.distiller.emit_progress(&progress))?))
    }

    pub(crate) fn distill_cancel(&self, of: OfRun) -> Result<Run, ApiError> {
        Ok(self.emit_changed(self.engine.cancel_run(&of.run_id)?))
    }

    pub(crate) fn distill_undo(&self, of: OfRun) -> Result<Run, ApiError> {
        Ok(self.emit_changed(self.engine.undo_run(&of.run_id)?))
    }

    pub(crate) fn conflict_list(&self, of: OfAnyProject) -> Result<ConflictList, ApiError> {
        Ok(ConflictList { conflicts: self.engine.conflicts(of.project_id.as_ref())? })
    }

    pub(crate) fn conflict_resolve(&self, answer: ResolveConflict) -> Result<Rule, ApiError> {
        Ok(self.emit_changed(self.engine.resolve_conflict(&answer.conflict_id, &answer.keep_rule_id)?))
    }

    pub(crate) fn semantic_undo(&self, of: OfRule) -> Result<Rule, ApiError> {
        Ok(self.emit_changed(self.engine.undo_rule(&of.rule_id)?))
    }

    pub(crate) fn semantic_evidence(&self, of: OfRuleInProject) -> Result<RuleEpisodes, ApiError> {
        Ok(RuleEpisodes { episodes: self.engine.rule_episodes(&of.project_id, &of.rule_id)? })
    }

    pub(crate) fn editor_activity(&self, of: OfProject) -> Result<Noted, ApiError> {
        self.engine.note_activity(&of.project_id)?;
        self.learner.wake();
        Ok(Noted {})
    }
}
