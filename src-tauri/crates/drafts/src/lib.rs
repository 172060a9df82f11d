//! A draft of a model as prose: a streaming filter between the model and the candidate, and a verdict on the whole.
//!
//! Pure: there is no storage, no clock, no network and no randomness here.
//!
//! ```text
//! pieces of text ─► DraftFilter::push ─► pieces to show
//! end of the text ─► DraftFilter::finish ─► the last piece, the whole draft, the verdict
//! ```
//!
//! The filter cuts what is not prose of the book: repetitions of the passage, lines of the prompt, preambles,
//! after-words, fences, wrapping quotes, headings, and what a loop repeats. A text from which no draft can be cut is
//! unusable, with a reason. The output depends on the text alone, not on how it is divided into pieces.

mod decide;
mod filter;
mod judge;
mod loops;
mod phrases;
mod prompt;
mod repeats;
mod tasks;
mod words;

pub use filter::{DraftFilter, Filtered, MAX_HELD_CHARS};
use palimpsest_text::Language;
pub use prompt::prompt_lines;

/// The kind of a skill: which checks its drafts get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skill {
    /// New text after the passage.
    Continue,
    /// A polished selection, of which a single word may have changed.
    Polish,
    /// Another version of the selection, or a longer one.
    Rewrite,
    /// A shorter version of the selection, which may be a part of it.
    Condense,
    /// A skill of the writer's own, or a question: lines of the prompt and loops are recognized, and nothing else,
    /// because an answer may be a list, a remark, or in another language.
    Other,
}

impl Skill {
    /// The kind of the skill with this name on the wire.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        match name {
            "continue" => Self::Continue,
            "polish" => Self::Polish,
            "rewrite" | "expand" => Self::Rewrite,
            "condense" => Self::Condense,
            _ => Self::Other,
        }
    }

    /// Whether a draft replaces the selection.
    pub(crate) fn is_revision(self) -> bool {
        matches!(self, Self::Polish | Self::Rewrite | Self::Condense)
    }
}

/// The facts about a run that its drafts are judged by.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The kind of the skill.
    pub skill: Skill,
    /// The language of the book.
    pub language: Language,
    /// The text before the position.
    pub before: &'a str,
    /// The selected text; empty without one.
    pub selection: &'a str,
    /// The writer's instruction; empty without one. One that asks for another language or for advice switches the
    /// check off.
    pub instruction: &'a str,
    /// The lines of the prompt that are no text of the book, from [`prompt_lines`].
    pub prompt_lines: &'a [String],
    /// The sentences of the task, as they were sent: their words are cut from within a draft.
    pub task: &'a [String],
    /// Whether the book has Markdown headings.
    pub has_headings: bool,
}

/// Something that was cut from a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// Lines or tags of the prompt.
    PromptEcho,
    /// Text that repeats the end of the passage.
    Repetition,
    /// A sentence to the writer before the draft.
    Preamble,
    /// A sentence to the writer after the draft.
    AfterWord,
    /// A Markdown heading.
    Heading,
    /// A line of a code fence.
    Fence,
    /// Quotes around the whole draft.
    Quotes,
    /// Sentences or words that are repeated again and again, after their first time.
    Loop,
}

/// The reason why a candidate is unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It repeats the prompt.
    PromptEcho,
    /// It repeats the passage, or returns the selection or a part of it unchanged, or for a rewriting almost unchanged.
    RepeatsPassage,
    /// The model refuses.
    Refusal,
    /// It speaks about the text instead of being text.
    Advice,
    /// It is not in the language of the book.
    WrongLanguage,
    /// The same sentences again and again.
    Loop,
    /// Without words.
    Empty,
}

/// The verdict on a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It can be shown as a draft, without what was cut; each kind of cut once.
    Usable(Vec<Cut>),
    /// It is no draft.
    Unusable(Reason),
}
