//! A question under way: the loop of needs and tools, the answer, and the end. The decisions are those of
//! `palimpsest_asking::cognition`.

use palimpsest_asking::{
    cognition::{Action, Event, State, next},
    reply::{ReplyError, parse_call, parse_reply, reply_schema, reply_tools},
    tools::{Tool, ToolCall},
};
use palimpsest_memory::{
    DEFAULT_BUDGET, Error, Inquiry, InquiryEnd, InquiryPrompt, InquiryWords, NeedSource, QuotedPassage,
    model::{ChapterId, RunEnd, Time},
    ports::{Completion, GenerationRequest, ModelError, ModelErrorKind, ModelInfo, Stop, StopReason, ToolDefinition},
};

use super::{
    program::AskedProgram,
    requests::{answer_words, next_budget, reply_budget, reply_tokens, reply_words, text_language},
    stream::{Addition, Answering, ReadAnswer},
    wire::{Answered, AskChunk, AskCitation, AskDone, AskStatus, AskStep, AskStepKind, AskStepState},
};
use crate::{
    Api,
    dto::saturating_u32,
    error::{ApiError, OrLog},
    events,
    generation::candidate_seed,
    models::AskingModel,
    supervise::Task,
};

/// The sampling temperature of replies and answers: low, since one likely answer is wanted and no variety.
const TEMPERATURE: f32 = 0.2;
/// Maximum number of passages that are shown where the book alone is asked.
const MAX_PASSAGES_ALONE: usize = 5;

/// A question that is being answered.
pub(super) struct AskRun {
    pub(super) inquiry: Inquiry,
    /// `None`: a program is asked, or the book alone.
    model: Option<AskingModel>,
    program: Option<AskedProgram>,
    pub(super) stop: Stop,
    pub(super) seed: u32,
    started_at: Time,
    /// Number of steps so far.
    pub(super) steps: u32,
    /// The rounds of the loop that have begun.
    rounds: u32,
    /// Number of requests so far.
    requests: usize,
    /// Maximum tokens of a prompt; less after a prompt that was too long for the model.
    pub(super) budget: u32,
    /// The calls of tools, each with its success.
    tools: Vec<(ToolCall, bool)>,
    /// The tools that a program used, each with its success.
    pub(super) program_tools: Vec<(String, bool)>,
    /// Whether neither a model nor a program was asked.
    is_book_alone: bool,
    /// The prompt of the answer, with names restored.
    pub(super) prompt: String,
    /// How a program ended.
    pub(super) ended_by: Option<RunEnd>,
    /// The exit code of a program that came to its own end.
    pub(super) exit_code: i32,
    /// The end of the errors that a program wrote.
    pub(super) error_tail: String,
    /// Whether the trace of the answer is stored.
    pub(super) is_traced: bool,
    pub(super) error: Option<ModelError>,
    pub(super) refusal: Option<ApiError>,
}

impl AskRun {
    pub(super) fn new(
        inquiry: Inquiry,
        (model, program): (Option<AskingModel>, Option<AskedProgram>),
        stop: Stop,
        seed: u32,
        started_at: Time,
    ) -> Self {
        let budget = model.as_ref().map_or(DEFAULT_BUDGET, AskingModel::prompt_tokens);
        Self {
            inquiry,
            model,
            program,
            stop,
            seed,
            started_at,
            steps: 0,
            rounds: 0,
            requests: 0,
            budget,
            tools: Vec::new(),
            program_tools: Vec::new(),
            is_book_alone: false,
            prompt: String::new(),
            ended_by: None,
            exit_code: 0,
            error_tail: String::new(),
            is_traced: false,
            error: None,
            refusal: None,
        }
    }
}

/// A step that has started.
pub(super) struct Step {
    pub(super) number: u32,
    pub(super) round: u32,
    pub(super) kind: AskStepKind,
    pub(super) subject: String,
}

impl Api {
    /// Answers a question and sends its end.
    pub(super) fn answer_question(&self, mut run: AskRun) {
        self.add_service_answers(&mut run);
        let read = match (run.program.take(), &run.model) {
            _ if run.stop.is_set() => ReadAnswer::default(),
            (Some(program), _) => self.ask_program(&mut run, &program),
            (None, Some(_)) => self.ask_model(&mut run),
            (None, None) => {
                run.is_book_alone = true;
                self.ask_book(&mut run)
            }
        };
        self.finish_question(run, read);
    }

    /// Finds the passages that bear on the question.
    fn ask_book(&self, run: &mut AskRun) -> ReadAnswer {
        let question = run.inquiry.search_words().to_owned();
        let step = self.start_step(run, AskStepKind::Book, &question);
        let found = self.engine.recall_for(&mut run.inquiry, NeedSource::Book, &question);
        if let Err(error) = self.end_step(run, step, found, None) {
            run.refusal = Some(error);
        }
        ReadAnswer::default()
    }

    /// The loop: the model says what it needs to know, tools are used, and the answer is written.
    fn ask_model(&self, run: &mut AskRun) -> ReadAnswer {
        let mut state = State::new(self.loop_limits());
        let question = run.inquiry.search_words().to_owned();
        let mut event = self.recall_need(run, &question, false);
        let mut is_about_book = self.engine.refine_inquiry(&mut run.inquiry);
        let mut read = ReadAnswer::default();
        loop {
            if run.stop.is_set() {
                event = Event::Stopped;
            }
            let (after, action) = next(&state, &event);
            state = after;
            run.rounds = u32::from(state.round());
            event = match action {
                Action::Recall { need } => self.recall_need(run, &need, true),
                Action::AskForReply => self.ask_for_reply(run, &state),
                Action::RunTool(call) => self.use_tool(run, call),
                Action::RepeatTool(call) => {
                    self.engine.note_repeated(&mut run.inquiry, &call);
                    Event::ToolEnded { found: 0, is_ok: true }
                }
                Action::WriteAnswer => {
                    is_about_book = is_about_book || self.engine.refine_inquiry(&mut run.inquiry);
                    let ended;
                    (read, ended) = self.write_answer(run, is_about_book);
                    match ended {
                        Ok(()) => Event::Answered,
                        Err(error) => {
                            run.error = Some(error);
                            Event::ModelFailed
                        }
                    }
                }
                Action::End => return read,
            };
        }
    }

    /// Searches every source for a need. `is_told`: the need is the model's; otherwise it is the question itself.
    fn recall_need(&self, run: &mut AskRun, need: &str, is_told: bool) -> Event {
        if is_told {
            let step = self.start_step(run, AskStepKind::Need, need);
            drop(self.end_step(run, step, Ok(0), None));
        }
        let (mut found, mut has_failed) = (0, false);
        for source in NeedSource::ALL {
            if run.stop.is_set() {
                return Event::Stopped;
            }
            let kind = match source {
                NeedSource::Book => AskStepKind::Book,
                NeedSource::Answers => AskStepKind::Answers,
                NeedSource::Journal => AskStepKind::Journal,
                NeedSource::Episodes => AskStepKind::Episodes,
            };
            let step = self.start_step(run, kind, need);
            let recalled = match source {
                NeedSource::Answers if !is_told => self.load_for_question(run),
                _ => self.engine.recall_for(&mut run.inquiry, source, need),
            };
            match self.end_step(run, step, recalled, None) {
                Ok(count) => found += count,
                Err(_) => has_failed |= source == NeedSource::Book,
            }
        }
        if is_told {
            self.engine.note_need(&mut run.inquiry, need, found);
        }
        if has_failed { Event::RecallFailed } else { Event::Recalled { found } }
    }

    /// Loads what the memory knows of the book for the question: records, their domains, other answers, the background.
    pub(super) fn load_for_question(&self, run: &mut AskRun) -> Result<usize, Error> {
        let (limit, wanted) = self.records_to_rerank(None);
        let (project_id, question) = (run.inquiry.project_id().clone(), run.inquiry.search_words().to_owned());
        let choose = self.choose_records(&project_id, &question, limit);
        self.engine.load_for_inquiry(&mut run.inquiry, wanted.map_or(limit, |wanted| wanted as usize), &choose)
    }

    fn use_tool(&self, run: &mut AskRun, call: ToolCall) -> Event {
        let kind = match call.tool() {
            Tool::FindInBook => AskStepKind::Book,
            Tool::ReadPassage => AskStepKind::Read,
            Tool::Entity => AskStepKind::Entity,
            Tool::Where => AskStepKind::Where,
            Tool::Together => AskStepKind::Together,
            Tool::Answers => AskStepKind::Answers,
            Tool::Journal => AskStepKind::Journal,
            Tool::Times => AskStepKind::Times,
        };
        let step = self.start_step(run, kind, &call.subject());
        let result = self.engine.run_tool(&mut run.inquiry, &call);
        let chapter_id = result.as_ref().ok().and_then(|result| result.chapter_id.clone());
        let ended = self.end_step(run, step, result.map(|result| result.found), chapter_id);
        let is_ok = ended.is_ok();
        run.tools.push((call, is_ok));
        Event::ToolEnded { found: ended.unwrap_or(0), is_ok }
    }

    /// Asks the model for its next reply: that it can answer, a need, or the call of a tool.
    fn ask_for_reply(&self, run: &mut AskRun, state: &State) -> Event {
        let language = text_language(run.inquiry.language());
        let (schema, tools) = (reply_schema(state.phase()), reply_tools(state.phase(), language));
        let words = reply_words(state, run.inquiry.language());
        let replied = self.send(run, &words, (schema.as_ref(), &tools));
        match replied {
            Ok((_, completion)) if completion.stop == StopReason::Cancelled => Event::Stopped,
            Ok((prompt, completion)) => Event::Replied(match &completion.tool_call {
                Some(call) => parse_call(&call.name, &prompt.mask.restore(&call.arguments)),
                None => parse_reply(&prompt.mask.restore(&completion.text)),
            }),
            // A reply that is no JSON is asked for once more.
            Err(error) if matches!(error.kind, ModelErrorKind::Malformed | ModelErrorKind::AnswerTooLong) => {
                Event::Replied(Err(ReplyError::NoObject))
            }
            Err(error) => {
                run.error = Some(error);
                Event::ModelFailed
            }
        }
    }

    /// Writes the answer; an error comes with the part that was written.
    fn write_answer(&self, run: &mut AskRun, is_about_book: bool) -> (ReadAnswer, Result<(), ModelError>) {
        let words = answer_words(run.inquiry.language(), is_about_book);
        let Some(model) = &run.model else { return (ReadAnswer::default(), Ok(())) };
        let (max_tokens, mut shortened) = (model.answer_tokens(), 0);
        loop {
            let prompt = match self.engine.inquiry_prompt(&run.inquiry, &words, run.budget) {
                Ok(prompt) => prompt,
                Err(error) => {
                    run.refusal = Some(error);
                    return (ReadAnswer::default(), Err(unsent()));
                }
            };
            if !run.is_traced || shortened > 0 {
                run.is_traced = self.store_trace(run, &prompt, model.model.info());
            }
            let sent = prompt.context.messages.iter().map(|message| prompt.mask.restore(&message.content));
            let sent = sent.collect::<Vec<_>>().join("\n\n");
            let mut answering = Answering::over_passages(&run.inquiry, is_about_book);
            let mut restorer = prompt.mask.restorer();
            let request = GenerationRequest {
                messages: &prompt.context.messages,
                seed: candidate_seed(run.seed, run.requests),
                max_tokens,
                temperature: TEMPERATURE,
                schema: None,
                tools: &[],
                stop: &run.stop,
            };
            run.requests += 1;
            let run_id = run.inquiry.run_id();
            let done = model.model.generate(&request, &mut |piece| {
                self.send_addition(run_id, answering.push(&restorer.push(piece)));
            });
            self.send_addition(run_id, answering.push(&restorer.finish()));
            self.send_addition(run_id, answering.finish());
            let answer = answering.into_read();
            run.prompt = sent;
            match done {
                Ok(_) => return (answer, Ok(())),
                Err(error) => {
                    let shorter = next_budget(run.budget, prompt.context.total_tokens, shortened, &error);
                    let Some(budget) = shorter.filter(|_| answer.text.is_empty()) else { return (answer, Err(error)) };
                    shortened += 1;
                    run.budget = budget;
                }
            }
        }
    }

    /// Stores the trace of an answer; returns whether it is stored.
    pub(super) fn store_trace(&self, run: &AskRun, prompt: &InquiryPrompt, asked: ModelInfo) -> bool {
        let traced = self.engine.begin_inquiry_trace(&run.inquiry, &prompt.context, (asked, run.seed), run.is_traced);
        traced.or_log("store the trace of a question").map(|changed| self.emit_changed(changed)).is_some()
    }

    /// Sends a prompt of the loop, a shorter one where it is too long.
    fn send(
        &self,
        run: &mut AskRun,
        words: &InquiryWords,
        (schema, tools): (Option<&serde_json::Value>, &[ToolDefinition]),
    ) -> Result<(InquiryPrompt, Completion), ModelError> {
        let mut shortened = 0;
        loop {
            let Some(model) = &run.model else {
                return Err(ModelError::new(ModelErrorKind::ModelUnknown, "no model is chosen"));
            };
            let max_tokens = reply_tokens(model);
            let prompt = self
                .engine
                .inquiry_prompt(&run.inquiry, words, reply_budget(run.budget, model, tools))
                .map_err(|error| {
                    run.refusal = Some(error);
                    unsent()
                })?;
            let request = GenerationRequest {
                messages: &prompt.context.messages,
                seed: candidate_seed(run.seed, run.requests),
                max_tokens,
                temperature: TEMPERATURE,
                schema,
                tools,
                stop: &run.stop,
            };
            run.requests += 1;
            match model.model.generate(&request, &mut |_| {}) {
                Ok(completion) => return Ok((prompt, completion)),
                Err(error) => {
                    let shorter = next_budget(run.budget, prompt.context.total_tokens, shortened, &error);
                    let Some(budget) = shorter else { return Err(error) };
                    shortened += 1;
                    run.budget = budget;
                }
            }
        }
    }

    /// Completes the run in the memory and sends its end.
    fn finish_question(&self, mut run: AskRun, read: ReadAnswer) {
        let run_id = run.inquiry.run_id().to_owned();
        // A run that a clearing has stopped stores nothing.
        let is_registered = self.running.lock().remove(&run_id.as_str().into()).is_some();
        self.engine.finalize_trace(&run_id.as_str().into());
        let status = match (&run.error, &run.refusal) {
            _ if run.stop.is_set() => AskStatus::Cancelled,
            (None, None) if run.is_book_alone || !read.text.trim().is_empty() => AskStatus::Finished,
            _ => AskStatus::Failed,
        };
        let is_book_alone = run.is_book_alone;
        let passages = if is_book_alone { run.inquiry.closest(MAX_PASSAGES_ALONE) } else { Vec::new() };
        // The exit code of a program that answered is judged, whatever it is.
        let is_whole = status == AskStatus::Finished || (status == AskStatus::Failed && run.exit_code != 0);
        let end = InquiryEnd {
            ended_by: match status {
                AskStatus::Cancelled => RunEnd::Cancelled,
                _ if is_whole => RunEnd::Itself,
                _ => run.ended_by.filter(|end| *end != RunEnd::Itself).unwrap_or(RunEnd::Spawn),
            },
            exit_code: if is_whole { run.exit_code } else { 1 },
            error_tail: std::mem::take(&mut run.error_tail),
            answer: if is_whole { read.words_to_keep() } else { String::new() },
            words: if is_whole { read.raw.clone() } else { String::new() },
            prompt: std::mem::take(&mut run.prompt),
            citations: if is_book_alone { passages.clone() } else { read.verified_passages() },
            statements: read.cited_statements(),
            tools: run.tools.clone(),
            program_tools: run.program_tools.clone(),
            not_in_book: read.is_not_in_book,
            is_book_alone,
        };
        let ended = is_registered.then(|| {
            self.supervisor.run(Task::Generation, || {
                let saved = |chapter_id: &ChapterId| self.saved_text(run.inquiry.project_id(), chapter_id);
                self.engine.end_inquiry(&run.inquiry, &end, &saved).or_log("store the end of a question")
            })
        });
        let ended = ended.flatten().flatten().map(|changed| self.emit_changed(changed));
        if status == AskStatus::Finished && run.is_traced && is_registered {
            self.supervisor.run(Task::Generation, || {
                let answer = [(0, read.text.as_str())];
                let measured = self.engine.measure_drafts(run.inquiry.project_id(), &run_id.as_str().into(), &answer);
                if let Some(changed) = measured.or_log("measure an answer") {
                    self.emit_changed(changed);
                }
            });
        }
        self.indexer.wake();
        let (kept, why_not) = match ended {
            Some(ended) => (ended.kept, ended.why_not),
            None => (None, vec!["unstored".to_owned()]),
        };
        let millis = self.clock.now().millis().saturating_sub(run.started_at.millis());
        let empty = || ModelError::new(ModelErrorKind::Malformed, "the model wrote nothing");
        let error = match status {
            AskStatus::Failed => Some(run.refusal.unwrap_or_else(|| run.error.unwrap_or_else(empty).into())),
            AskStatus::Finished | AskStatus::Cancelled => None,
        };
        let asked_in = text_language(run.inquiry.language());
        let is_other_language = palimpsest_text::detect_or(&read.text, asked_in) != asked_in;
        let answered = Answered {
            text: read.text,
            statements: read.statements,
            citations: read.citations,
            not_in_book: read.is_not_in_book,
            looked_at: run.inquiry.searched_chapters().to_vec(),
            unanswerable: run.inquiry.unanswerable(),
            passages: numbered(passages),
            kept,
            why_not,
            is_other_language,
            degraded_reasons: run.inquiry.degraded_reasons().to_vec(),
            generation_id: run.is_traced.then(|| run_id.as_str().into()),
            rounds: run.rounds,
            steps: run.steps,
            millis: u32::try_from(millis).unwrap_or(0),
        };
        events::emit(&self.events, events::ASK_DONE, &AskDone { run_id, status, answered, error });
    }

    /// Sends the end of a question that ended in a panic.
    pub(super) fn question_broke_off(&self, run_id: String) {
        self.running.lock().remove(&run_id.as_str().into());
        self.supervisor.run(Task::Generation, || {
            self.engine.finalize_trace(&run_id.as_str().into());
            let ended = self.engine.interrupt_inquiry(&run_id).or_log("end a question that broke off");
            ended.map(|changed| self.emit_changed(changed))
        });
        let answered = Answered {
            text: String::new(),
            statements: Vec::new(),
            citations: Vec::new(),
            not_in_book: false,
            looked_at: Vec::new(),
            unanswerable: None,
            passages: Vec::new(),
            kept: None,
            why_not: vec!["unstored".to_owned()],
            is_other_language: false,
            degraded_reasons: Vec::new(),
            generation_id: None,
            rounds: 0,
            steps: 0,
            millis: 0,
        };
        let error = Some(ApiError::broke_off());
        events::emit(&self.events, events::ASK_DONE, &AskDone { run_id, status: AskStatus::Failed, answered, error });
    }

    fn start_step(&self, run: &mut AskRun, kind: AskStepKind, subject: &str) -> Step {
        run.steps += 1;
        let step = Step { number: run.steps, round: run.rounds, kind, subject: subject.to_owned() };
        self.send_step_of(run.inquiry.run_id(), &step, None, None, AskStepState::Started);
        step
    }

    /// Sends the end of a step; returns the number of items that it found.
    fn end_step(
        &self,
        run: &AskRun,
        step: Step,
        found: Result<usize, Error>,
        chapter_id: Option<ChapterId>,
    ) -> Result<usize, ApiError> {
        let state = if found.is_ok() { AskStepState::Done } else { AskStepState::Failed };
        let count = found.as_ref().ok().map(|count| saturating_u32(*count));
        self.send_step_of(run.inquiry.run_id(), &step, count, chapter_id, state);
        found.inspect_err(|error| {
            palimpsest_memory::log_error!(warn, error, "a step of a question failed");
        })
    }

    pub(super) fn send_step_of(
        &self,
        run_id: &str,
        step: &Step,
        found: Option<u32>,
        chapter_id: Option<ChapterId>,
        state: AskStepState,
    ) {
        let event = AskStep {
            run_id: run_id.to_owned(),
            number: step.number,
            round: step.round,
            kind: step.kind,
            subject: step.subject.clone(),
            found,
            chapter_id,
            state,
        };
        events::emit(&self.events, events::ASK_STEP, &event);
    }

    pub(super) fn send_addition(&self, run_id: &str, addition: Addition) {
        if addition.is_empty() {
            return;
        }
        let Addition { text, statements, citations } = addition;
        let chunk = AskChunk { run_id: run_id.to_owned(), text, statements, citations };
        events::emit(&self.events, events::ASK_CHUNK, &chunk);
    }
}

/// The error of a prompt that could not be made; its cause is in `refusal`.
fn unsent() -> ModelError {
    ModelError::new(ModelErrorKind::RequestRefused, "the prompt could not be made")
}

fn numbered(passages: Vec<QuotedPassage>) -> Vec<AskCitation> {
    let numbered = passages.into_iter().zip(1_u32..);
    numbered
        .map(|(QuotedPassage { chapter_id, from, to, quote }, number)| AskCitation {
            number,
            chapter_id,
            from,
            to,
            quote,
        })
        .collect()
}
