//! The facts of a story: what the writer says of its entities, with the sentences that say so, as of a position.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{
    ChapterId, ChapterPresence, EntityId, EntityKind, EntityStanding, FactId, MentionRange, Position, ProjectId, Time,
};

/// How certain the story is of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Certainty {
    /// The narration tells it: it holds.
    Told,
    /// Somebody says it: it may be wrong.
    Said,
    /// Somebody believes it: it may be wrong.
    Believed,
    /// The writer plans it: the text does not tell it yet. It is in no prompt, unless the entity is always visible.
    Planned,
}

/// When models and lists may have an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Visibility {
    /// From the position on at which the text tells of it.
    #[default]
    AsOf,
    /// At every position, as a rule of the world.
    Always,
    /// Only on its card: it is in no prompt.
    Hidden,
}

/// Whose word a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FactOrigin {
    /// The writer wrote it.
    Written,
    /// The program proposed it, and the writer confirmed it.
    Confirmed,
}

/// Whether the text still has the quote of a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum CitationStatus {
    /// The quote is where it was.
    Holds,
    /// The quote is at another place, the only one.
    Moved,
    /// The chapter does not have the quote any more, or has it several times.
    Changed,
    /// The chapter is not in the book any more, and no other chapter has the quote.
    Gone,
    /// The quote was not compared with the text.
    Unverified,
}

impl CitationStatus {
    /// Whether the text has the quote.
    #[must_use]
    pub fn is_in_text(self) -> bool {
        matches!(self, Self::Holds | Self::Moved)
    }
}

/// A sentence of the book that says so.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// Id of the chapter.
    pub chapter_id: ChapterId,
    /// Start in the chapter's text, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
    /// Hash of the quote, by which it is found again after edits.
    pub quote_hash: String,
    /// The text of the range when it was cited, 1..500 characters.
    pub quote: String,
    /// Whether the text still has it.
    pub status: CitationStatus,
}

impl fmt::Debug for Citation {
    // The quote is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Citation")
            .field("chapter_id", &self.chapter_id)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// A character that knows a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Knower {
    /// An accepted entity.
    pub entity_id: EntityId,
    /// The position from which it knows.
    pub since: Position,
}

/// A fact of the story by the writer's word.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// UUID.
    pub fact_id: FactId,
    /// The entity that it is about.
    pub entity_id: EntityId,
    /// The side of the entity that it tells of, for example its age or its place of birth; of a relation, its name.
    /// 1..60 characters.
    pub attribute: String,
    /// 1..500 characters.
    pub value: String,
    /// The entity that a relation leads to.
    pub object_id: Option<EntityId>,
    /// How certain the story is of it.
    pub certainty: Certainty,
    /// The position from which the reader knows it. `null`: from the end of the first of its citations in the order of
    /// the book on, or, without one, from the beginning.
    pub told_at: Option<Position>,
    /// The time of the story from which it holds, in the writer's words.
    pub valid_from: Option<String>,
    /// The time of the story until which it holds, in the writer's words.
    pub valid_until: Option<String>,
    /// The later fact that replaces it, as of positions from which that one is known.
    pub superseded_by: Option<FactId>,
    /// The characters that know it.
    pub known_by: Vec<Knower>,
    /// The sentences that say so.
    pub citations: Vec<Citation>,
    /// Whose word it is.
    pub origin: FactOrigin,
    /// From 1; it grows with each change by the writer.
    pub version: u32,
    /// When it was written.
    pub created_at: Time,
    /// When the writer changed it last.
    pub updated_at: Time,
}

impl fmt::Debug for Fact {
    // Facts are private: not even a failed assertion shows them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fact").field("fact_id", &self.fact_id).field("version", &self.version).finish_non_exhaustive()
    }
}

/// A passage to cite.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CitationDraft {
    /// A chapter of the book.
    pub chapter_id: ChapterId,
    /// The start of the quote as the editor has it, in UTF-16 code units: the nearest place of the quote is cited.
    pub from: u32,
    /// The words to cite, 1..500 characters. Compared with the saved text; quotation marks, white space and dashes may
    /// differ.
    pub quote: String,
}

impl fmt::Debug for CitationDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CitationDraft").field("chapter_id", &self.chapter_id).finish_non_exhaustive()
    }
}

/// Writes a fact, or changes one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveFact {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The fact to change; without it, a new one is written.
    #[specta(optional)]
    pub fact_id: Option<FactId>,
    /// The version of the fact to change.
    #[specta(optional)]
    pub version: Option<u32>,
    /// The entity that it is about, as of `at`. A detected one is accepted.
    pub entity_id: EntityId,
    /// The side of the entity that it tells of, 1..60 characters, one line.
    pub attribute: String,
    /// 1..500 characters, one line.
    pub value: String,
    /// The accepted entity that a relation leads to.
    #[specta(optional)]
    pub object_id: Option<EntityId>,
    /// By default `told`.
    #[specta(optional)]
    pub certainty: Option<Certainty>,
    /// The position from which the reader knows it; by default from its citation on, or, without one, from the
    /// beginning.
    #[specta(optional)]
    pub told_at: Option<Position>,
    /// In the writer's words, 1..100 characters.
    #[specta(optional)]
    pub valid_from: Option<String>,
    /// In the writer's words, 1..100 characters.
    #[specta(optional)]
    pub valid_until: Option<String>,
    /// The fact of the same entity that this one replaces from its own position on.
    #[specta(optional)]
    pub supersedes: Option<FactId>,
    /// The sentence that says so. A fact that is changed keeps its citations without it.
    #[specta(optional)]
    pub citation: Option<CitationDraft>,
    /// The position that the writer looked from; by default the end of the book.
    #[specta(optional)]
    pub at: Option<Position>,
}

impl fmt::Debug for SaveFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveFact").field("fact_id", &self.fact_id).finish_non_exhaustive()
    }
}

/// Says that a fact still holds although the text of its citations has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmFact {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The fact. Its citations that do not hold any more are dropped.
    pub fact_id: FactId,
    /// The version that the writer has read.
    pub version: u32,
    /// The sentence that says so now.
    #[specta(optional)]
    pub citation: Option<CitationDraft>,
}

/// Deletes a fact. One that it replaced holds again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteFact {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Id of the fact to delete.
    pub fact_id: FactId,
    /// The version that the writer has read.
    pub version: u32,
}

/// Says from which position on a character knows a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetFactKnown {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Id of the fact that is known.
    pub fact_id: FactId,
    /// The version that the writer has read.
    pub version: u32,
    /// An accepted entity.
    pub entity_id: EntityId,
    /// The position from which it knows; without it, it does not know.
    #[specta(optional)]
    pub since: Option<Position>,
}

/// The answer to a command that changes one fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FactChange {
    /// Id of the change, for `story:undo`.
    pub change_id: String,
    /// The fact after the change; `null` if it was deleted.
    pub fact: Option<Fact>,
}

/// Writes an entity that the text does not name yet, or changes an accepted one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveEntity {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The accepted entity to change; without it, a new one is written.
    #[specta(optional)]
    pub entity_id: Option<EntityId>,
    /// The version of the entity to change.
    #[specta(optional)]
    pub version: Option<u32>,
    /// By the writer's word.
    pub kind: EntityKind,
    /// The name it is listed by, 1..100 characters, one line.
    pub name: String,
    /// All other forms by which the text names it, at most 99 of 1..100 characters; by default those that it has.
    #[specta(optional)]
    pub aliases: Option<Vec<String>>,
    /// By default that which it has; of a new one `asOf`, of a world rule `always`.
    #[specta(optional)]
    pub visibility: Option<Visibility>,
    /// Whether it is in every prompt as of whose position it is known; by default as it is, or not.
    #[specta(optional)]
    pub is_pinned: Option<bool>,
    /// The position that the writer looked from: a new entity is listed from there on, or from where the text names it;
    /// by default only with the whole book, until a fact of it is known.
    #[specta(optional)]
    pub at: Option<Position>,
}

impl fmt::Debug for SaveEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveEntity")
            .field("entity_id", &self.entity_id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Deletes an accepted entity with its facts. It is not proposed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteEntity {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Id of the entity to delete.
    pub entity_id: EntityId,
    /// The version that the writer has read.
    pub version: u32,
}

/// Asks for the card of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The entity, as of `at`.
    pub entity_id: EntityId,
    /// The position up to which the book is known; by default its end. Nothing after it has an influence.
    #[specta(optional)]
    pub at: Option<Position>,
}

/// An entity with its facts, as of a position.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EntityCard {
    /// Id of the entity.
    pub entity_id: EntityId,
    /// By the writer's word, else by its surroundings in the text.
    pub kind: EntityKind,
    /// By the writer's word, else the fullest of its forms up to the position.
    pub name: String,
    /// Its other forms up to the position.
    pub aliases: Vec<String>,
    /// Whether the writer has accepted it.
    pub standing: EntityStanding,
    /// When models may have it.
    pub visibility: Visibility,
    /// Whether it is in every prompt as of whose position it is known.
    pub is_pinned: bool,
    /// Version of an accepted entity.
    pub version: Option<u32>,
    /// The chapters up to the position, in order.
    pub chapters: Vec<ChapterId>,
    /// Mentions of all its forms up to the position.
    pub mentions: u32,
    /// The chapters that mention it, in order.
    pub presence: Vec<ChapterPresence>,
    /// The first mention; `null` if the text does not name it up to the position.
    pub first: Option<MentionRange>,
    /// The last mention up to the position.
    pub last: Option<MentionRange>,
    /// The sentence of the first mention, at most 200 characters of it.
    pub sentence: Option<String>,
    /// The entities that the same passages mention most often, at most eight, the most frequent first.
    pub companions: Vec<Companion>,
    /// The facts that hold as of the position, in the order in which they were written.
    pub facts: Vec<CardFact>,
    /// Whether the mentions could not be read: the card has the writer's word alone.
    pub degraded: bool,
}

impl fmt::Debug for EntityCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityCard")
            .field("entity_id", &self.entity_id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// An entity that is mentioned together with another one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Companion {
    /// Id of the entity.
    pub entity_id: EntityId,
    /// Its name as of the position.
    pub name: String,
    /// Number of passages up to the position that mention both.
    pub passages: u32,
}

impl fmt::Debug for Companion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Companion").field("entity_id", &self.entity_id).finish_non_exhaustive()
    }
}

/// A fact on a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CardFact {
    /// The fact, with its citations and knowers up to the position.
    #[serde(flatten)]
    pub fact: Fact,
    /// Whether it has citations, none of which holds: it is in no prompt until the writer confirms it.
    pub is_stale: bool,
    /// The facts that it replaced, the latest first.
    pub earlier: Vec<Fact>,
}

/// Asks for the changes of an entity with its facts, or of one fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoryHistoryQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The entity: its own changes and those of its facts. Either this or `factId`.
    #[specta(optional)]
    pub entity_id: Option<EntityId>,
    /// The one fact whose changes are asked for.
    #[specta(optional)]
    pub fact_id: Option<FactId>,
    /// Maximum number of changes, 1..200. Default 50.
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// The answer to a [`StoryHistoryQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StoryHistory {
    /// The latest first.
    pub changes: Vec<StoryChange>,
}

/// A change of one entity or fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StoryChange {
    /// Id of the change, for `story:undo`. One change may concern several entities and facts.
    pub change_id: String,
    /// When it was made.
    pub at: Time,
    /// When it was taken back.
    pub undone_at: Option<Time>,
    /// The state before; `null` where there was none.
    pub before: Option<StoryState>,
    /// The state after; `null` where there is none.
    pub after: Option<StoryState>,
}

/// The state of an entity or of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum StoryState {
    /// That of an entity, without its facts.
    Entity {
        /// Its names and settings.
        entity: EntityState,
    },
    /// That of a fact, with its citations and knowers.
    Fact {
        /// The whole fact.
        fact: Box<Fact>,
    },
}

/// The names and settings of an entity.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EntityState {
    /// Id of the entity.
    pub entity_id: EntityId,
    /// By the writer's word.
    pub kind: EntityKind,
    /// The name it is listed by.
    pub name: String,
    /// All its forms.
    pub names: Vec<String>,
    /// When models may have it.
    pub visibility: Visibility,
    /// Whether it is in every prompt as of whose position it is known.
    pub is_pinned: bool,
}

impl fmt::Debug for EntityState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityState").field("entity_id", &self.entity_id).finish_non_exhaustive()
    }
}

/// An accepted entity that the text does not name up to a position.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct UnnamedEntity {
    /// Id of the entity.
    pub entity_id: EntityId,
    /// By the writer's word.
    pub kind: EntityKind,
    /// The name it is listed by, or, while that is not known to be one of its own, the first of its forms that is.
    pub name: String,
    /// The value of the first of its facts that hold as of the position.
    pub first_fact: Option<String>,
    /// When models may have it.
    pub visibility: Visibility,
    /// Version of the entity.
    pub version: u32,
    /// Number of its facts that hold as of the position.
    pub facts: u32,
}

impl fmt::Debug for UnnamedEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnnamedEntity")
            .field("entity_id", &self.entity_id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
