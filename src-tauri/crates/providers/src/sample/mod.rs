//! The built-in sample model, for trying the program without a model.
//!
//! It reads only the rendered prompt and extracts the language, the task, the passage, a few names and things, and the
//! style rules that it supports (see [`rules`]). It writes from its own bank of sentences, or makes local edits in the
//! writer's passage. The same prompt and seed give the same text; no network, no delay.
//!
//! Invariant: text in `<before>`, `<selection>` and `<past>` influences only names, things and the scene.

mod bank;
mod bank_en;
mod bank_zh;
mod cast;
mod compose;
mod phrases;
mod prompt;
mod random;
mod revise;
mod rules;

use palimpsest_memory::ports::{Completion, GenerationRequest, ModelError, ModelInfo, StopReason, TextModel};
use palimpsest_text::{Language, tokens};

use prompt::{Prompt, Task};
use random::SeededRandom;
use rules::Style;

/// The sample model, without state.
///
/// Consecutive seeds give candidates of different manners (short or long sentences, with or without speech) if no rule
/// decides.
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

    /// Never fails. Ignores the temperature: only the seed matters.
    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let answer = write(&Prompt::parse(request.messages), request.seed);
        let budget = usize::try_from(request.max_tokens).unwrap_or(usize::MAX);
        let text = tokens::truncate_end(&answer, budget);
        let mut sent = String::with_capacity(text.len());
        for phrase in phrases::split(text) {
            if request.stop.is_set() {
                return Ok(Completion { text: sent, stop: StopReason::Cancelled, tokens: None, tool_call: None });
            }
            sent.push_str(phrase);
            on_text(phrase);
        }
        let stop = if text.len() < answer.len() { StopReason::Length } else { StopReason::Finished };
        Ok(Completion { text: sent, stop, tokens: None, tool_call: None })
    }
}

fn write(prompt: &Prompt<'_>, seed: u64) -> String {
    let style = Style::parse(prompt.wish, prompt.settings);
    // The rules are not part of the seed: removing a rule may only remove its own effect.
    let mut random = SeededRandom::new(seed, &[prompt.before, prompt.selection]);
    match prompt.task {
        Task::Ask => answer(prompt.language),
        Task::Continue => compose::continue_passage(prompt, &style, seed, &mut random),
        _ if prompt.selection.trim().is_empty() => nothing_selected(prompt.language),
        Task::Expand => compose::expand(prompt, &style, seed, &mut random),
        Task::Polish => revise::polish(prompt, &style, seed, &mut random),
        Task::Rewrite => revise::rewrite(prompt, &style, seed, &mut random),
        Task::Condense => revise::condense(prompt, &style, seed, &mut random),
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
