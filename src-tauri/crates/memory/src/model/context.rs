//! The contents of a prompt, layer by layer, and the items that did not fit.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Language;
use crate::{
    model::{ChapterId, ProjectId},
    ports::Message,
};

/// The passage to work on, and the request.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssembleRequest {
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Id of the chapter, as its editor names it.
    pub chapter_id: ChapterId,
    /// The skill to run.
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
    /// The instruction for this run, at most 10,000 bytes.
    #[specta(optional)]
    pub instruction: Option<String>,
    /// The whole prompt, 1,000 to 200,000 tokens; default 6,000.
    #[specta(optional)]
    pub budget_tokens: Option<u32>,
    /// The position in the chapter of the end of `before`, in UTF-16 code units: the story is known up to it. Default:
    /// the length of `before`.
    #[specta(optional)]
    pub offset: Option<u32>,
}

impl AssembleRequest {
    /// A request with the required fields only.
    #[must_use]
    pub fn new(
        project_id: ProjectId,
        chapter_id: impl Into<ChapterId>,
        skill: impl Into<String>,
        before: impl Into<String>,
    ) -> Self {
        Self {
            project_id,
            chapter_id: chapter_id.into(),
            skill: skill.into(),
            scene_type: None,
            before: before.into(),
            selection: None,
            after: None,
            instruction: None,
            budget_tokens: None,
            offset: None,
        }
    }
}

/// The layers, in the order in which they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum LayerName {
    /// The assistant's fixed instructions.
    Rules,
    /// The semantic rules that apply, most specific first; then the cards of the story.
    Settings,
    /// Past episodes, as examples; then passages of the book.
    Retrieved,
    /// Working memory and the text around the caret.
    Immediate,
}

/// One layer as sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Layer {
    /// A part of the prompt with its own budget.
    pub layer: LayerName,
    /// The text of the layer; empty when it has no content.
    pub text: String,
    /// Tokens, counted by the tokenizer.
    pub tokens: u32,
    /// Maximum tokens of the layer.
    pub budget_tokens: u32,
}

/// The kind of memory that a reference points at. An open set: later layers bring their own kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ReferenceKind {
    /// A semantic rule.
    Rule,
    /// A past passage, as an example.
    Episode,
    /// An item of working memory.
    Working,
    /// The card of an entity of the story.
    Entity,
    /// A passage of the book.
    Passage,
    /// An answer that was kept.
    Answer,
    /// An entry of the journal.
    Entry,
}

/// One memory in a prompt, as it was at that time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// Kind and id; unique in the generation.
    pub reference_id: String,
    /// The kind of memory.
    pub kind: ReferenceKind,
    /// Id of the memory.
    pub id: String,
    /// Version of the memory in the prompt.
    pub version: u32,
    /// The layer that contains it.
    pub layer: LayerName,
    /// Its text in the prompt.
    pub text: String,
    /// The recall score, 0..1; `null` for a memory that was not recalled.
    pub score: Option<f64>,
    /// The recall signals that found it. Of an entity, why it has a card: `pinned`, `named`, `present`,
    /// `related` or `meaning`.
    pub matched_by: Vec<String>,
}

/// Why an item was cut from the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum CutReason {
    /// The token budget is used up.
    Budget,
    /// A rule of the project says the same.
    Overruled,
    /// The writer's verdict: it does not belong here, or, of an example, it is wrong.
    NotHere,
    /// The prompt already has examples of the same scene.
    Alike,
    /// No past passage stands out from the book; this one is the nearest.
    NotOutstanding,
}

/// A part that was unavailable or replaced, as a code for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum DegradedCode {
    /// The rules come from a backup.
    RulesFromBackup,
    /// No rules could be read: the built-in ones are used.
    RulesBuiltIn,
    /// No past episodes are available as examples.
    PastUnavailable,
    /// The story cannot be read: the prompt has no cards and no passages of the book.
    StoryUnavailable,
    /// The story of the writer is that of the last reading or of a backup.
    StoryFromBackup,
    /// The hidden names cannot be read. Then nothing is sent to a model.
    NamesUnread,
    /// The built-in model writes in place of the chosen one.
    BuiltInWrites,
    /// No trace is stored.
    Untraced,
    /// Neither the answer to a question nor an entry of the journal is stored.
    AnswerUnkept,
    /// The answer service of the team was not reached, or refused: its answers are missing.
    AnswerServiceUnavailable,
    /// A trace from before reasons had codes.
    Other,
}

/// A part of the memory that was unavailable, and why. Holds no text of the writer's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DegradedReason {
    /// The part.
    pub code: DegradedCode,
    /// The reason, as a sentence.
    pub message: String,
}

impl DegradedReason {
    /// Builds a degradation from its kind and sentence.
    pub fn new(code: DegradedCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// An item that matched and was cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CutItem {
    /// `rule`, `episode`, `working`, `entity`, `passage`, or the part of the passage: `before`, `selection`, `after`.
    pub kind: String,
    /// Id of a memory; empty for a part of the passage.
    pub id: String,
    /// The layer that it was meant for.
    pub layer: LayerName,
    /// Text of a memory; empty for a part of the passage.
    pub text: String,
    /// Tokens that it needs.
    pub tokens: u32,
    /// Why it was cut.
    pub reason: CutReason,
}

/// A prompt ready to be sent, with the origin of every part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AssembledContext {
    /// Language of the project.
    pub language: Language,
    /// The scene type that was given or guessed.
    pub scene_type: Option<String>,
    /// The layers, in order.
    pub layers: Vec<Layer>,
    /// The memories that went in, in order.
    #[serde(rename = "memoryReferences")]
    pub references: Vec<Reference>,
    /// Items that matched and were cut.
    pub cut: Vec<CutItem>,
    /// The messages exactly as they are sent.
    pub messages: Vec<Message>,
    /// Tokens of all messages together.
    pub total_tokens: u32,
    /// At least one part of the memory was unavailable.
    pub memory_degraded: bool,
    /// The unavailable parts, and why.
    pub degraded_reasons: Vec<DegradedReason>,
}
