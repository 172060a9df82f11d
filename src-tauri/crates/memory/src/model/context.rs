//! What goes into a prompt, layer by layer, and what did not fit.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Language;
use crate::ports::Message;

/// The passage to work on, and what is asked.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssembleRequest {
    /// The book.
    pub project_id: String,
    /// The chapter, as its editor names it.
    pub chapter_id: String,
    /// What the assistant shall do.
    pub skill: String,
    /// The kind of scene; guessed from the passage when missing.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// The text before the caret or the selection, at most 400,000 bytes; its end counts.
    pub before: String,
    /// The selected text, at most 100,000 bytes.
    #[specta(optional)]
    pub selection: Option<String>,
    /// The text after, at most 400,000 bytes; its beginning counts.
    #[specta(optional)]
    pub after: Option<String>,
    /// A wish for this run, at most 10,000 bytes.
    #[specta(optional)]
    pub instruction: Option<String>,
    /// The whole prompt, 1,000 to 200,000 tokens; default 6,000.
    #[specta(optional)]
    pub budget_tokens: Option<u32>,
}

/// The layers, in the order they are sent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum LayerName {
    /// The assistant's fixed instructions.
    Rules,
    /// The semantic rules that apply, most specific first.
    Settings,
    /// Episodes.
    Retrieved,
    /// Working memory and the text around the caret.
    Immediate,
}

/// One layer as sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Layer {
    /// Which.
    pub layer: LayerName,
    /// The words of the layer; empty when there is nothing to say.
    pub text: String,
    /// Counted by the tokenizer.
    pub tokens: u32,
    /// Never exceeded.
    pub budget_tokens: u32,
}

/// What a reference points at. An open set: later layers bring their own kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ReferenceKind {
    /// A semantic rule.
    Rule,
    /// An episode.
    Episode,
    /// An item of working memory.
    Working,
}

/// One memory that went in, as it was when it went in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// Unique in the generation: kind and identity.
    pub reference_id: String,
    /// What it points at.
    pub kind: ReferenceKind,
    /// The identity of that.
    pub id: String,
    /// The version that went in.
    pub version: u32,
    /// The layer it stands in.
    pub layer: LayerName,
    /// The words that went in.
    pub text: String,
    /// How well it was recalled, 0..1, for what was recalled.
    pub score: Option<f64>,
    /// What it was recalled by.
    pub matched_by: Vec<String>,
}

/// Why something stayed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum CutReason {
    /// No room.
    Budget,
    /// A rule of this book says the same.
    Overruled,
    /// The writer said that it does not belong here, or, of an example, that it is wrong.
    NotHere,
    /// Examples of the same scene go in already.
    Alike,
}

/// What could not be asked, or done, as programs read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum DegradedCode {
    /// The rules are those of a backup.
    RulesFromBackup,
    /// No rules could be asked: the built-in ones are used.
    RulesBuiltIn,
    /// No past examples.
    PastUnavailable,
    /// Nobody knows which names to hide. Then nothing leaves the machine.
    NamesUnread,
    /// The built-in model writes, and not the chosen one.
    BuiltInWrites,
    /// No trace is kept.
    Untraced,
    /// Of a trace from before reasons had codes.
    Other,
}

/// A part of the memory that could not be asked, and why. Holds no text of the writer's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DegradedReason {
    /// Which.
    pub code: DegradedCode,
    /// Why, in a sentence.
    pub message: String,
}

impl DegradedReason {
    /// A reason.
    pub fn new(code: DegradedCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Something that matched and stayed out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CutItem {
    /// `rule`, `episode`, `working`, or the part of the passage: `before`, `selection`, `after`.
    pub kind: String,
    /// The identity of a memory; empty for a part of the passage.
    pub id: String,
    /// The layer it would have stood in.
    pub layer: LayerName,
    /// A memory's words; empty for a part of the passage.
    pub text: String,
    /// What it would have taken.
    pub tokens: u32,
    /// Why.
    pub reason: CutReason,
}

/// A prompt, ready to be sent, and where every part of it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AssembledContext {
    /// Of the book.
    pub language: Language,
    /// The scene type that was given or guessed.
    pub scene_type: Option<String>,
    /// The layers, in order.
    pub layers: Vec<Layer>,
    /// The memories that went in, in order.
    #[serde(rename = "memoryReferences")]
    pub references: Vec<Reference>,
    /// What matched and stayed out.
    pub cut: Vec<CutItem>,
    /// Exactly what is sent.
    pub messages: Vec<Message>,
    /// All messages together.
    pub total_tokens: u32,
    /// A part of the memory could not be asked.
    pub memory_degraded: bool,
    /// Which, and why.
    pub degraded_reasons: Vec<DegradedReason>,
}
