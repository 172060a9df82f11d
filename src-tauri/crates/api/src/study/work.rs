//! The work on one question: the requests to the model, and the tools.

use palimpsest_asking::{cognition::Phase, reply::reply_schema, tools::ToolCall};
use palimpsest_knowledge::{
    comparison::comparison_schema,
    failures::FailureKind,
    prompts,
    replies::{questions_schema, step_call, step_reply, summary_schema},
    study::{Action, Event, Question, RequestError, StepReply, Work},
};
use palimpsest_memory::{
    ChapterTitles, ComparedPair, Error, Inquiry, InquiryWords, NeedSource,
    model::{ChapterId, ProjectId},
    ports::{Completion, GenerationRequest, Message, ModelError, ModelErrorKind, Stop, StopReason},
};
use palimpsest_text::{Language, names::Mask, tokens};
use serde_json::Value;

use super::thread::StudyParts;
use crate::{
    dto::saturating_u32,
    generation::candidate_seed,
    journal::title_of,
    models::{AskingModel, shorter_budget},
};

/// Maximum tokens of the reply of a step: a small JSON object, and the reasoning that some models write before it.
const MAX_STEP_TOKENS: u32 = 512;
/// Maximum tokens of the reply of a comparison: a sentence, and the reasoning that some models write before it.
const MAX_COMPARISON_TOKENS: u32 = 1_024;
/// The sampling temperature: low, since one likely reply is wanted and no variety.
const TEMPERATURE: f32 = 0.2;
/// Maximum number of times that a prompt that is too long is shortened and sent again.
const MAX_SHORTENINGS: u32 = 2;
/// Tokens of an item that a tool found beside passages, about.
const ITEM_TOKENS: usize = 20;

/// The result of an action.
pub(super) enum Outcome {
    /// An event for the study.
    Event(Event),
    /// A reply on a pair of sentences; to be stored.
    Compared(ComparedPair),
    /// The result that the state has; to be stored.
    ToCommit,
}

/// The work on one question of a book.
pub(super) struct QuestionWork<'a> {
    parts: &'a StudyParts,
    project_id: &'a ProjectId,
    stop: Stop,
    seed: u32,
    /// Requests so far.
    requests: usize,
    /// Passages and steps so far; made from the stored steps where it is missing.
    inquiry: Option<Inquiry>,
    /// Whether the last call was a repetition.
    is_repetition: bool,
}

/// A request that failed: before it was sent, or by the model.
enum Unsent {
    Model(ModelError),
    Memory(Error),
}

impl From<Error> for Unsent {
    fn from(error: Error) -> Self {
        Self::Memory(error)
    }
}

impl<'a> QuestionWork<'a> {
    pub(super) fn new(parts: &'a StudyParts, project_id: &'a ProjectId, stop: Stop) -> Self {
        let seed = parts.ids.seed();
        Self { parts, project_id, stop, seed, requests: 0, inquiry: None, is_repetition: false }
    }

    /// The event of an error that a wait may end.
    pub(super) fn failed(parts: &StudyParts) -> Event {
        failed_with(parts, RequestError::Failed { retry_after: None })
    }

    /// Performs an action.
    pub(super) fn perform(&mut self, action: &Action) -> Outcome {
        let event = match action {
            Action::Compare { pair, .. } => match self.compare(pair) {
                Ok(outcome) => return outcome,
                Err(error) => Err(error),
            },
            Action::FindGaps => {
                self.with_book(|work, book| Ok(work.parts.engine.check_study(work.project_id, book)?))
            }
            Action::TakeQueued => {
                self.parts.engine.first_study_question(self.project_id).map_err(Unsent::Memory).map(Event::Questions)
            }
            Action::TakeTemplate => self
                .with_book(|work, book| Ok(Event::Questions(work.parts.engine.study_template(work.project_id, book)?))),
            Action::GenerateQuestions { limit } => self.generate(*limit as usize),
            Action::AskStep { .. } => self.ask_step(),
            Action::RunTool(call) => self.run_tool(call, false),
            Action::RepeatTool(call) => self.run_tool(call, true),
            Action::Summarize { number } => self.summarize(*number),
            Action::Commit | Action::Wait { .. } | Action::Ignore | Action::Fail { .. } | Action::GiveUpPair { .. } => {
                return Outcome::ToCommit;
            }
        };
        Outcome::Event(event.unwrap_or_else(|error| self.error_event(error)))
    }

    fn compare(&mut self, pair: &str) -> Result<Outcome, Unsent> {
        let order = self.parts.order(self.project_id)?;
        let prompt = self.parts.engine.study_comparison_prompt(self.project_id, &order, pair)?;
        // Its words have changed since: it is another pair, or none.
        let Some(prompt) = prompt else { return Ok(Outcome::Event(Event::Compared)) };
        let model = self.model()?;
        let (schema, max_tokens) = (comparison_schema(), MAX_COMPARISON_TOKENS.min(model.answer_tokens()));
        match self.generate_text(&model, &prompt.messages, (&schema, max_tokens)) {
            Ok(completion) => Ok(Outcome::Compared(ComparedPair {
                pair: pair.to_owned(),
                reply: prompt.mask.restore(&completion.text),
                model: model.model.info().model,
                about: prompt.about,
            })),
            Err(error) if is_bad_reply(&error) => Ok(Outcome::Event(Event::Refused(FailureKind::UnreadableReply))),
            Err(error) => Err(Unsent::Model(error)),
        }
    }

    /// Runs a step that needs the chapters and their titles.
    fn with_book(
        &mut self,
        step: impl FnOnce(&mut Self, (&[ChapterId], ChapterTitles<'_>)) -> Result<Event, Unsent>,
    ) -> Result<Event, Unsent> {
        let order = self.parts.order(self.project_id)?;
        let (books, project_id) = (&self.parts.books, self.project_id);
        let titles = |chapter_id: &ChapterId| title_of(books, project_id, chapter_id);
        step(self, (&order, &titles))
    }

    fn generate(&mut self, limit: usize) -> Result<Event, Unsent> {
        let order = self.parts.order(self.project_id)?;
        let titles = |chapter_id: &ChapterId| title_of(&self.parts.books, self.project_id, chapter_id);
        let prompt = self.parts.engine.study_gaps_prompt(self.project_id, (&order, &titles), limit)?;
        let Some(prompt) = prompt else { return Ok(Event::Questions(None)) };
        let model = self.model()?;
        let schema = questions_schema(limit);
        let max_tokens = model.answer_tokens();
        let reply = match self.generate_text(&model, &prompt.messages, (&schema, max_tokens)) {
            Ok(completion) => prompt.mask.restore(&completion.text),
            // An empty reply is refused as one that cannot be read.
            Err(error) if is_bad_reply(&error) => String::new(),
            Err(error) => return Err(Unsent::Model(error)),
        };
        Ok(self.parts.engine.accept_study_questions(self.project_id, &prompt, (&reply, limit))?)
    }

    fn ask_step(&mut self) -> Result<Event, Unsent> {
        let language = self.language()?;
        let (work, _) = self.stored_work()?;
        let left = self.max_steps()?.saturating_sub(work.begun_steps);
        let words = InquiryWords {
            instructions: prompts::step_instructions(language),
            task: prompts::step_task(language, left, std::mem::take(&mut self.is_repetition)),
        };
        let schema = reply_schema(Phase::Acting).unwrap_or_default();
        let sent = self.send(&words, &schema, MAX_STEP_TOKENS);
        let (completion, mask, prompt_tokens) = match sent {
            Ok(sent) => sent,
            Err(Unsent::Model(error)) if is_bad_reply(&error) => {
                return Ok(Event::Stepped { reply: StepReply::Invalid, tokens: 0 });
            }
            Err(error) => return Err(error),
        };
        let reply = match &completion.tool_call {
            Some(call) => step_call(&call.name, &mask.restore(&call.arguments)),
            None => step_reply(&mask.restore(&completion.text)),
        };
        // A prompt has all that was gathered: what it adds to the count are the instructions and the first passages.
        let added = prompt_tokens.saturating_sub(work.tokens);
        let tokens = added.saturating_add(saturating_u32(tokens::count(&completion.text)));
        Ok(Event::Stepped { reply, tokens })
    }

    fn run_tool(&mut self, call: &ToolCall, is_repetition: bool) -> Result<Event, Unsent> {
        let engine = std::sync::Arc::clone(&self.parts.engine);
        let inquiry = self.inquiry()?;
        if is_repetition {
            engine.note_repeated(inquiry, call);
            self.is_repetition = true;
            return Ok(Event::ToolEnded { found: 0, tokens: 0 });
        }
        let before = passage_tokens(inquiry);
        let found = match engine.run_tool(inquiry, call) {
            Ok(result) => result.found,
            Err(error) => {
                palimpsest_memory::log_error!(warn, &error, "a step of a study failed");
                0
            }
        };
        let tokens = passage_tokens(inquiry).saturating_sub(before).max(found * ITEM_TOKENS);
        Ok(Event::ToolEnded { found: saturating_u32(found), tokens: saturating_u32(tokens) })
    }

    fn summarize(&mut self, number: u32) -> Result<Event, Unsent> {
        let language = self.language()?;
        let words = InquiryWords {
            instructions: prompts::summary_instructions(language).to_owned(),
            task: prompts::summary_task(language, number > 1),
        };
        let schema = summary_schema();
        let max_tokens = self.model()?.answer_tokens();
        let (completion, mask, _) = match self.send(&words, &schema, max_tokens) {
            Ok(sent) => sent,
            Err(Unsent::Model(error)) if is_bad_reply(&error) => {
                return Ok(Event::Refused(FailureKind::UnreadableReply));
            }
            Err(error) => return Err(error),
        };
        let model = self.model()?.model.info().model;
        let order = self.parts.order(self.project_id)?;
        let reply = mask.restore(&completion.text);
        let engine = std::sync::Arc::clone(&self.parts.engine);
        let checked = engine.check_study_summary(self.inquiry()?, (&reply, &model), &order)?;
        Ok(match checked {
            Ok(summary) => match serde_json::to_value(&summary) {
                Ok(result) => Event::Summarized(result),
                Err(_) => Event::Refused(FailureKind::UnreadableReply),
            },
            Err(kind) => Event::Refused(kind),
        })
    }

    /// The question and its steps as they are stored.
    fn stored_work(&self) -> Result<(Work, Question), Unsent> {
        let work = self.parts.engine.study_work(self.project_id)?;
        let found = work.and_then(|work| Some((work.clone(), work.question?)));
        found.ok_or_else(|| Unsent::Model(ModelError::new(ModelErrorKind::RequestRefused, "there is no question")))
    }

    fn max_steps(&self) -> Result<u32, Unsent> {
        Ok(self.parts.engine.study_state(self.project_id)?.max_steps)
    }

    fn language(&self) -> Result<Language, Unsent> {
        Ok(match self.parts.engine.known_project(self.project_id)?.language {
            palimpsest_memory::model::Language::Zh => Language::Zh,
            palimpsest_memory::model::Language::En => Language::En,
        })
    }

    /// The passages and steps so far. After a start of the program the tools of the stored steps are run again: they
    /// are local, and find the same in the same text.
    fn inquiry(&mut self) -> Result<&mut Inquiry, Unsent> {
        if self.inquiry.is_none() {
            let (work, question) = self.stored_work()?;
            let engine = &self.parts.engine;
            let order = self.parts.order(self.project_id)?;
            let mut inquiry = engine.study_inquiry(self.project_id, &question.text, &order)?;
            engine.recall_for(&mut inquiry, NeedSource::Book, &question.text)?;
            for step in &work.steps {
                match step.call.call() {
                    Some(call) if step.is_repetition => engine.note_repeated(&mut inquiry, &call),
                    Some(call) => drop(engine.run_tool(&mut inquiry, &call)),
                    None => {}
                }
            }
            self.inquiry = Some(inquiry);
        }
        match &mut self.inquiry {
            Some(inquiry) => Ok(inquiry),
            None => Err(Unsent::Model(ModelError::new(ModelErrorKind::RequestRefused, "there is no question"))),
        }
    }

    /// The model that studies. The writer may have chosen another one since the action was decided: a host that was not
    /// agreed to gets nothing.
    fn model(&self) -> Result<AskingModel, Unsent> {
        let none = || Unsent::Model(ModelError::new(ModelErrorKind::ModelUnknown, "no model is chosen"));
        let model = self.parts.model().ok_or_else(none)?;
        let agreed = self.parts.engine.study_state(self.project_id)?.agreed_host;
        if agreed.as_deref() != Some(model.host.as_str()) {
            let message = "another model was chosen, whose host was not agreed to";
            return Err(Unsent::Model(ModelError::new(ModelErrorKind::Interrupted, message)));
        }
        Ok(model)
    }

    /// Sends the prompt of the present exploration, a shorter one where it is too long; returns its tokens too.
    fn send(
        &mut self,
        words: &InquiryWords,
        schema: &Value,
        max_tokens: u32,
    ) -> Result<(Completion, Mask, u32), Unsent> {
        let model = self.model()?;
        let (mut budget, mut shortened) = (model.prompt_tokens(), 0);
        let engine = std::sync::Arc::clone(&self.parts.engine);
        loop {
            let prompt = engine.inquiry_prompt(self.inquiry()?, words, budget)?;
            let max_tokens = max_tokens.min(model.answer_tokens());
            match self.generate_text(&model, &prompt.context.messages, (schema, max_tokens)) {
                Ok(completion) => return Ok((completion, prompt.mask, prompt.context.total_tokens)),
                Err(error) => {
                    let is_too_long = error.kind == ModelErrorKind::ContextTooLong && shortened < MAX_SHORTENINGS;
                    let shorter = shorter_budget(budget, prompt.context.total_tokens, error.context_tokens);
                    let Some(next) = shorter.filter(|_| is_too_long) else { return Err(Unsent::Model(error)) };
                    (budget, shortened) = (next, shortened + 1);
                }
            }
        }
    }

    fn generate_text(
        &mut self,
        model: &AskingModel,
        messages: &[Message],
        (schema, max_tokens): (&Value, u32),
    ) -> Result<Completion, ModelError> {
        let request = GenerationRequest {
            messages,
            seed: candidate_seed(self.seed, self.requests),
            max_tokens,
            temperature: TEMPERATURE,
            schema: Some(schema),
            tools: &[],
            stop: &self.stop,
        };
        self.requests += 1;
        let completion = model.model.generate(&request, &mut |_| {})?;
        if completion.stop == StopReason::Cancelled {
            return Err(ModelError::new(ModelErrorKind::Interrupted, "the request was cancelled"));
        }
        Ok(completion)
    }

    fn error_event(&self, error: Unsent) -> Event {
        let error = match error {
            _ if self.stop.is_set() => RequestError::Cancelled,
            Unsent::Memory(error) => {
                palimpsest_memory::log_error!(warn, &error, "a step of a study failed");
                RequestError::Failed { retry_after: None }
            }
            Unsent::Model(error) => match error.kind {
                ModelErrorKind::DailyLimit => RequestError::DailyLimit,
                ModelErrorKind::KeyMissing | ModelErrorKind::KeyRefused => RequestError::NoKey,
                ModelErrorKind::ModelUnknown => RequestError::NoModel,
                _ => {
                    let retry_after = error.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
                    RequestError::Failed { retry_after }
                }
            },
        };
        failed_with(self.parts, error)
    }
}

fn failed_with(parts: &StudyParts, error: RequestError) -> Event {
    Event::Failed { error, jitter: f64::from(parts.ids.seed()) / f64::from(u32::MAX) }
}

/// Whether the model answered, and not as it was asked to.
fn is_bad_reply(error: &ModelError) -> bool {
    matches!(error.kind, ModelErrorKind::Malformed | ModelErrorKind::AnswerTooLong)
}

/// Tokens of the passages so far.
fn passage_tokens(inquiry: &Inquiry) -> usize {
    let marks = inquiry.passage_marks();
    marks.iter().filter_map(|mark| inquiry.passage_text(mark)).map(tokens::count).sum()
}
