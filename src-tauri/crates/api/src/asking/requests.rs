//! The requests of a question to a model: their words, and the tokens that they may have.

use palimpsest_asking::{
    cognition::{DEFAULT_ROUNDS, Limits, Phase, State},
    prompts,
    tools::definition_tokens,
};
use palimpsest_memory::{
    InquiryWords, MIN_BUDGET,
    model::Language,
    ports::{ModelError, ModelErrorKind, ToolDefinition},
};

use crate::{
    Api,
    models::{AskingModel, shorter_budget},
};

/// Maximum tokens of a reply in the loop: a small JSON object, and the reasoning that some models write before it.
const MAX_REPLY_TOKENS: u32 = 512;
/// Maximum number of times that a prompt that is too long is shortened and sent again.
const MAX_SHORTENINGS: u32 = 2;

impl Api {
    /// Rounds as the setting has them, and the default number of tool steps.
    pub(super) fn loop_limits(&self) -> Limits {
        let rounds = u8::try_from(self.engine.settings().journal_cognition_rounds).unwrap_or(DEFAULT_ROUNDS);
        Limits { rounds, ..Limits::default() }
    }
}

/// The program's words in the request for a reply.
pub(super) fn reply_words(state: &State, language: Language) -> InquiryWords {
    let text_language = text_language(language);
    InquiryWords {
        instructions: prompts::instructions(state.phase(), text_language),
        task: if state.is_asked_again() {
            prompts::invalid_reply(text_language).to_owned()
        } else {
            task_of(state, language)
        },
    }
}

/// The program's words in the request for the answer.
pub(super) fn answer_words(language: Language, is_about_book: bool) -> InquiryWords {
    let language = text_language(language);
    let instructions = if is_about_book {
        prompts::instructions(Phase::Answering, language)
    } else {
        prompts::plain_answering(language).to_owned()
    };
    InquiryWords { instructions, task: prompts::answer_task(language, is_about_book).to_owned() }
}

/// The program's words for a command-line assistant.
pub(super) fn program_words(language: Language, is_about_book: bool) -> InquiryWords {
    let language = text_language(language);
    InquiryWords {
        instructions: prompts::program_instructions(language).to_owned(),
        task: prompts::answer_task(language, is_about_book).to_owned(),
    }
}

/// Maximum tokens of a reply of a model.
pub(super) fn reply_tokens(model: &AskingModel) -> u32 {
    MAX_REPLY_TOKENS.min(model.answer_tokens())
}

/// The tokens of a prompt with these tools: they share the room that a reply leaves of an answer, and then that of the
/// prompt.
pub(super) fn reply_budget(budget: u32, model: &AskingModel, tools: &[ToolDefinition]) -> u32 {
    let room = model.answer_tokens() - reply_tokens(model);
    budget.saturating_sub(definition_tokens(tools).saturating_sub(room)).max(MIN_BUDGET)
}

/// The task of a phase of the loop.
fn task_of(state: &State, language: Language) -> String {
    let left = state.steps_left();
    match (state.phase(), language) {
        (Phase::Acting, Language::Zh) => format!("[任务] 回复一个 JSON 对象。还能用 {left} 次工具。"),
        (Phase::Acting, Language::En) => format!("[Task] Reply with one JSON object. {left} tool calls are left."),
        (_, Language::Zh) => "[任务] 回复一个 JSON 对象。".to_owned(),
        (_, Language::En) => "[Task] Reply with one JSON object.".to_owned(),
    }
}

pub(super) fn text_language(language: Language) -> palimpsest_text::Language {
    match language {
        Language::Zh => palimpsest_text::Language::Zh,
        Language::En => palimpsest_text::Language::En,
    }
}

/// The next budget after the failure of a prompt of `sent` tokens that was shortened so many times already; `None` if
/// the prompt was not too long, or is not to be shortened again.
pub(super) fn next_budget(budget: u32, sent: u32, shortened: u32, error: &ModelError) -> Option<u32> {
    let is_too_long = error.kind == ModelErrorKind::ContextTooLong && shortened < MAX_SHORTENINGS;
    if is_too_long { shorter_budget(budget, sent, error.context_tokens) } else { None }
}
