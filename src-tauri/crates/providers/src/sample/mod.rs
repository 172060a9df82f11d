//! The built-in sample model: it lets the program be tried without a model.
//!
//! It sees nothing but the rendered prompt, and takes from it what a small clerk could: the language, the task, the
//! passage, a few names and things, and the style rules it happens to know (see [`rules`]). It writes from its own bank
//! of sentences, or makes local edits in the writer's passage. Same prompt and seed, same text; no network, no waiting.
//!
//! Invariant: text in `<before>`, `<selection>` and `<past>` never steers anything but names, things and the scene.

mod bank;
mod bank_en;
mod bank_zh;
mod cast;
mod chance;
mod compose;
mod phrases;
mod prompt;
mod revise;
mod rules;

use palimpsest_memory::ports::{Completion, GenerationRequest, ModelError, ModelInfo, StopReason, TextModel};
use palimpsest_text::{Language, tokens};

use chance::Chance;
use prompt::{Prompt, Task};
use rules::Style;

/// The sample model. It holds nothing, so making one costs nothing.
///
/// Seeds that follow one another give candidates of different manners (short or long sentences, with speech or
/// without) where no rule says which to use.
#[derive(Debug, Clone, Copy, Default)]
pub struct SampleModel;

impl SampleModel {
    /// The sample model.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl TextModel for SampleModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "sample".to_owned(), model: "sample-1".to_owned(), sample: true }
    }

    /// Never fails. The temperature is not looked at: the seed alone decides.
    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let whole = write(&Prompt::read(request.messages), request.seed);
        let budget = usize::try_from(request.max_tokens).unwrap_or(usize::MAX);
        let text = tokens::truncate_end(&whole, budget);
        let mut said = String::with_capacity(text.len());
        for phrase in phrases::split(text) {
            if request.stop.is_set() {
                return Ok(Completion { text: said, stop: StopReason::Cancelled, tokens: None });
            }
            said.push_str(phrase);
            on_text(phrase);
        }
        let stop = if text.len() < whole.len() { StopReason::Length } else { StopReason::Finished };
        Ok(Completion { text: said, stop, tokens: None })
    }
}

fn write(prompt: &Prompt<'_>, seed: u64) -> String {
    let style = Style::read(prompt.wish, prompt.settings);
    // The rules stay out of the seed: with a rule taken away, only what the rule did may change.
    let mut chance = Chance::new(seed, &[prompt.before, prompt.selection]);
    match prompt.task {
        Task::Ask => answer(prompt.language),
        Task::Continue => compose::go_on(prompt, &style, seed, &mut chance),
        _ if prompt.selection.trim().is_empty() => nothing_selected(prompt.language),
        Task::Expand => compose::expand(prompt, &style, seed, &mut chance),
        Task::Polish => revise::polish(prompt, &style, seed, &mut chance),
        Task::Rewrite => revise::rewrite(prompt, &style, seed, &mut chance),
        Task::Condense => revise::condense(prompt, &style, seed, &mut chance),
    }
}

fn answer(language: Language) -> String {
    match language {
        Language::Zh => "我只是内置的样例模型，会拼句子，不会答问题。在设置里接上一个模型，再来问。",
        Language::En => {
            "I’m only the built-in sample model: I can string sentences together, but I can’t answer questions. \
             Connect a model in the settings and ask again."
        }
    }
    .to_owned()
}

fn nothing_selected(language: Language) -> String {
    match language {
        Language::Zh => "没有选中文字，没有可改的。",
        Language::En => "No text is selected, so there’s nothing to change.",
    }
    .to_owned()
}

#[cfg(test)]
mod tests;
