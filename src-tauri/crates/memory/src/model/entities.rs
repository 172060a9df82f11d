//! The entities of a story: characters, places and things, as the text names them and as the writer says.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ChapterId, EntityId, Fact, FactId, Passage, ProjectId, Time, UnnamedEntity, Visibility};

/// A position in a book. The order of positions is the order of the book's chapters at the time of asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Position {
    /// A chapter of the book.
    pub chapter_id: ChapterId,
    /// Offset in the chapter's text, in UTF-16 code units. One behind the end of the text is its end.
    pub offset: u32,
}

/// Whether an entity is a character, a place, or something else. The analysis detects the first four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum EntityKind {
    /// A person or an animal with a name.
    Character,
    /// A place, a building or a country.
    Place,
    /// A ship, a book or anything else that has a name.
    Thing,
    /// A family, an organisation or a people.
    Faction,
    /// A question that the story opens and answers later. Its facts `planted`, `touched` and `paid` say where.
    Thread,
    /// A rule of the world of the story.
    WorldRule,
    /// Something that happens, or has happened before the story.
    Event,
}

/// Whether the writer has accepted an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum EntityStanding {
    /// The analysis detected it.
    Detected,
    /// The writer accepted it.
    Accepted,
}

/// The method by which the names of a book were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum NameMethod {
    /// By rules over the text: an English book.
    Text,
    /// With the words of the bundled Chinese tagger.
    Tagger,
    /// A Chinese book of which some passages were not tagged, because the tagger is missing or has not come to them:
    /// their names are found by surnames and titles.
    Surnames,
}

/// The entities of a book, as of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntityQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The position up to which the book is known; by default its end. Nothing after it has an influence.
    #[specta(optional)]
    pub at: Option<Position>,
}

/// The answer to an [`EntityQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EntityList {
    /// Those that the text names up to the position, the most frequent first.
    pub entities: Vec<Entity>,
    /// Pairs that may be one: questions for the writer.
    pub possible_merges: Vec<PossibleMerge>,
    /// The accepted entities that the text does not name up to the position, but that the writer's facts tell of up to
    /// it, or that are always visible; as of the end of the book, all.
    pub unnamed: Vec<UnnamedEntity>,
    /// The chapters up to the position, in order.
    pub chapters: Vec<ChapterId>,
    /// The method by which the names were found.
    pub method: NameMethod,
    /// Whether the text could not be read: the list has the writer's word alone, all of it in `unnamed`.
    pub degraded: bool,
}

/// An entity as of a position.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// Of a detected entity, made of the form of its first mention: it is the same as of all positions from which on
    /// that form is detected. It stays when the entity is accepted.
    pub entity_id: EntityId,
    /// By the writer's word, else by its surroundings in the text.
    pub kind: EntityKind,
    /// By the writer's word, else the fullest of its forms up to the position.
    pub name: String,
    /// Its other forms up to the position, the most frequent first.
    pub aliases: Vec<String>,
    /// Whether the writer has accepted it.
    pub standing: EntityStanding,
    /// Version of an accepted entity; it grows with each change by the writer.
    pub version: Option<u32>,
    /// The value of the first of its facts that hold as of the position.
    pub first_fact: Option<String>,
    /// Mentions of all its forms up to the position.
    pub mentions: u32,
    /// The chapters that mention it, in order.
    pub presence: Vec<ChapterPresence>,
    /// The first mention.
    pub first: MentionRange,
    /// The last mention up to the position.
    pub last: MentionRange,
    /// The sentence of the first mention, at most 200 characters of it.
    pub sentence: String,
    /// Number of speeches in the chapter of the position that the text tags with one of its names; 0 as of the end of
    /// the book.
    pub tagged_speeches: u32,
    /// Places where one of its names is probably misspelt.
    pub misspellings: Vec<Misspelling>,
}

impl fmt::Debug for Entity {
    // Names are private: not even a failed assertion shows them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entity").field("entity_id", &self.entity_id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The mentions of an entity in one chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ChapterPresence {
    /// Index in [`EntityList::chapters`].
    pub chapter: u32,
    /// Number of mentions, at least 1.
    pub mentions: u32,
}

/// A range of a chapter's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MentionRange {
    /// Id of the chapter.
    pub chapter_id: ChapterId,
    /// Start in the chapter's text, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
}

/// A place where a name is probably misspelt.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Misspelling {
    /// The place.
    pub range: MentionRange,
    /// The text of the place.
    pub text: String,
    /// The form that was probably meant.
    pub meant: String,
}

impl fmt::Debug for Misspelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Misspelling").field("range", &self.range).finish_non_exhaustive()
    }
}

/// Two entities that may be one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PossibleMerge {
    /// The one with more mentions.
    pub entity_id: EntityId,
    /// The other one.
    pub other_id: EntityId,
}

/// Asks for the mentions of an entity, in the order of the book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MentionQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The entity, as of `at`.
    pub entity_id: EntityId,
    /// The position up to which the book is known; by default its end.
    #[specta(optional)]
    pub at: Option<Position>,
    /// Number of mentions to skip. Default 0.
    #[specta(optional)]
    pub skip: Option<u32>,
    /// Maximum number of mentions, 1..200. Default 50.
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// The answer to a [`MentionQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MentionList {
    /// In the order of the book.
    pub mentions: Vec<Mention>,
    /// Number of all mentions up to the position.
    pub total: u32,
}

/// A mention of an entity with the text around it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Mention {
    /// The place.
    pub range: MentionRange,
    /// The text of its sentence before it, at most 60 characters.
    pub before: String,
    /// The name as the text has it.
    pub text: String,
    /// The text of its sentence after it, at most 60 characters.
    pub after: String,
}

impl fmt::Debug for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mention").field("range", &self.range).finish_non_exhaustive()
    }
}

/// Asks who and what is named around a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PresenceQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The position. Nothing after its paragraph has an influence.
    pub at: Position,
}

/// The answer to a [`PresenceQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// The entity whose name is at the position.
    pub named: Option<EntityId>,
    /// The entities that the passage of the position and the one before it mention, the last mentioned first.
    pub nearby: Vec<EntityId>,
    /// The entities that the chapter mentions up to the position, the last mentioned first.
    pub in_chapter: Vec<EntityId>,
    /// The whole passage of the position, also the part after it.
    pub passage: Option<Passage>,
}

/// Asks for the expressions of time in a book, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimelineQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The position up to which the book is known; by default its end.
    #[specta(optional)]
    pub at: Option<Position>,
    /// Number of expressions to skip. Default 0.
    #[specta(optional)]
    pub skip: Option<u32>,
    /// Maximum number of expressions, 1..500. Default 200.
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// The answer to a [`TimelineQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// In the order of the text.
    pub times: Vec<ToldTime>,
    /// Number of all expressions up to the position.
    pub total: u32,
}

/// An expression of time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ToldTime {
    /// The place.
    pub range: MentionRange,
    /// The words.
    pub text: String,
    /// The meaning of the words.
    pub value: TimeValue,
}

impl fmt::Debug for ToldTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToldTime").field("range", &self.range).field("value", &self.value).finish_non_exhaustive()
    }
}

/// The meaning of an expression of time, without what its context adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum TimeValue {
    /// A date, of which some parts may be missing.
    Date {
        /// 1 to 9999.
        year: Option<u16>,
        /// 1 to 12.
        month: Option<u8>,
        /// 1 to 31.
        day: Option<u8>,
        /// The day of the week of a whole date, by the Gregorian calendar: 1 Monday to 7 Sunday.
        weekday: Option<u8>,
    },
    /// A day of the week.
    Weekday {
        /// 1 Monday to 7 Sunday.
        weekday: u8,
    },
    /// A part of the day: `dawn`, `morning`, `noon`, `afternoon`, `evening`, `night`, `midnight`.
    PartOfDay {
        /// Its name.
        part: String,
    },
    /// A season: `spring`, `summer`, `autumn`, `winter`.
    Season {
        /// Its name.
        season: String,
    },
    /// A distance from another time.
    After {
        /// Number of units, negative for earlier times.
        amount: i32,
        /// `hour`, `day`, `week`, `month`, `year`.
        unit: String,
        /// The date it leads to from the last whole date before it in the chapter, as `1983-05-15`.
        date: Option<String>,
    },
    /// An age in years.
    Age {
        /// In years.
        years: u16,
    },
}

/// Accepts detected entities, or changes kind and name of an accepted one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptEntities {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The entities as of `at`, 1..5,000.
    pub entity_ids: Vec<EntityId>,
    /// The position that the writer looked from; by default the end of the book. Forms that belong to an entity only
    /// from here on are not joined to it as of earlier positions.
    #[specta(optional)]
    pub at: Option<Position>,
    /// The kind of the one entity; by default the detected one.
    #[specta(optional)]
    pub kind: Option<EntityKind>,
    /// The name of the one entity; by default the detected one. 1..100 characters, one line.
    #[specta(optional)]
    pub name: Option<String>,
    /// The version of the one entity, required if it is accepted already.
    #[specta(optional)]
    pub version: Option<u32>,
}

impl fmt::Debug for AcceptEntities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcceptEntities").field("entity_ids", &self.entity_ids).finish_non_exhaustive()
    }
}

/// Says that an entity is none, or that two are not one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DismissEntity {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The entity as of `at`. Its forms are no names from now on. An accepted entity is deleted.
    pub entity_id: EntityId,
    /// The entity that it is not: only the question is dismissed, and no entity.
    #[specta(optional)]
    pub other_id: Option<EntityId>,
    /// The position that the writer looked from; by default the end of the book.
    #[specta(optional)]
    pub at: Option<Position>,
}

/// Says that two entities are one. The first one takes all forms of the second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeEntities {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The entity that stays, as of `at`. It is accepted.
    pub entity_id: EntityId,
    /// The entity that becomes part of it.
    pub other_id: EntityId,
    /// The position that the writer looked from; by default the end of the book. As of earlier positions the two stay
    /// two.
    #[specta(optional)]
    pub at: Option<Position>,
}

/// Makes an entity of its own of some forms of another one. Both are accepted.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SplitEntity {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The entity as of `at`.
    pub entity_id: EntityId,
    /// The forms that are another entity: some of its forms, not all.
    pub names: Vec<String>,
    /// The position that the writer looked from; by default the end of the book.
    #[specta(optional)]
    pub at: Option<Position>,
}

impl fmt::Debug for SplitEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SplitEntity").field("entity_id", &self.entity_id).finish_non_exhaustive()
    }
}

/// A change of the writer's entities, or of several facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EntityChange {
    /// Id of the change, for `story:undo`.
    pub change_id: String,
    /// The accepted entities after the change, of those it concerns.
    pub entity_ids: Vec<EntityId>,
}

/// Takes a change of entities back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoEntityChange {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Id of the change. Refused if an entity that it concerns was changed since.
    pub change_id: String,
}

/// An entity by the writer's word, as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredEntity {
    /// Unique in its book.
    pub entity_id: EntityId,
    /// By the writer's word.
    pub kind: EntityKind,
    /// The name it is listed by.
    pub name: String,
    /// From 1.
    pub version: u32,
    /// The forms by which the text names it.
    pub names: Vec<EntityName>,
    /// When models and lists may have it.
    pub visibility: Visibility,
    /// Whether it is in every prompt as of whose position it is known.
    pub is_pinned: bool,
    /// When it was accepted.
    pub created_at: Time,
    /// When it was changed last.
    pub updated_at: Time,
}

impl fmt::Debug for StoredEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredEntity").field("entity_id", &self.entity_id).finish_non_exhaustive()
    }
}

/// A form of the name of an entity.
#[derive(Clone, PartialEq, Eq)]
pub struct EntityName {
    /// As the text has it.
    pub name: String,
    /// The position from which it is known to be one of the entity; `None`: wherever it occurs.
    pub since: Option<Position>,
}

/// A proposal that the writer refused, or a fact that the writer deleted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dismissal {
    /// The form names no entity.
    Name(String),
    /// The two forms are not one entity. The first is the smaller one.
    Merge(String, String),
    /// The fact was deleted: an import does not bring it back.
    Fact(FactId),
}

impl Dismissal {
    /// The form that names no entity.
    #[must_use]
    pub fn dismissed_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Merge(..) | Self::Fact(_) => None,
        }
    }

    /// Two forms that are not one entity.
    #[must_use]
    pub fn of_pair(one: &str, other: &str) -> Self {
        Self::Merge(one.min(other).to_owned(), one.max(other).to_owned())
    }
}

/// The writer's word about the story of a book.
#[derive(Clone, Default)]
pub struct Canon {
    /// The accepted entities.
    pub entities: Vec<StoredEntity>,
    /// The facts, in the order in which they were written.
    pub facts: Vec<Fact>,
    /// The refused proposals and deleted facts.
    pub dismissals: BTreeSet<Dismissal>,
}
