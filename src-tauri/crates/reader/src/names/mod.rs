//! Names: which there are in a book, what they name, and which of them are one.

mod counts;
mod en;
mod entity_mentions;
pub(crate) mod lexicon_en;
mod places;
mod rules_zh;
pub(crate) mod zh;

use std::sync::Arc;

pub(crate) use counts::{CaseCounts, lower_into};
pub use entity_mentions::{BookMention, EntityMentions, FormInChapter};
pub use rules_zh::{name_like_parts, words_by_rules};
pub use zh::{TaggedChapter, TaggedWord, WordKind, ZhBook, detect_zh};

pub use en::EnBook;

/// Identifies the text and the words of a chapter: two chapters of a book never have the same one.
pub type ChapterKey = u128;

/// The kinds of entities that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// A person or an animal with a name.
    Character,
    /// A place, a building or a country.
    Place,
    /// A ship, a book, a newspaper or anything else that has a name.
    Thing,
    /// A family, an organisation or a people.
    Faction,
}

/// A position in a book: the number of a chapter in reading order, from 0, and a byte offset in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Number of the chapter in reading order, from 0.
    pub chapter: usize,
    /// Bytes from the start of the chapter's text.
    pub offset: usize,
}

/// An entity that the writer has entered. Its names win over whatever the text suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntity {
    /// Its kind, by the writer's word.
    pub kind: EntityKind,
    /// Its name and aliases, as the writer wrote them.
    pub names: Vec<String>,
}

/// A form of a name, as the text writes it, with single spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The words of the form, without a possessive ending.
    pub text: String,
    /// Occurrences in the text, those inside longer forms not counted.
    pub count: u32,
}

/// An entity that the text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedEntity {
    /// Its kind, by its surroundings in the text or by the writer's word.
    pub kind: EntityKind,
    /// The fullest of its forms among those that the text uses more than once.
    pub name: String,
    /// All forms, the most frequent first.
    pub forms: Vec<Form>,
    /// Occurrences of all forms.
    pub count: u32,
    /// The first occurrence.
    pub first: Position,
    /// Index of the writer's entity with one of these names.
    pub known: Option<usize>,
}

/// Why two entities may be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MergeReason {
    /// A short form fits several full names, or one whose rank or use differs.
    SeveralFullNames,
}

/// Two detected entities that may be one: a question for the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PossibleMerge {
    /// Index of the first entity.
    pub first: usize,
    /// Index of the second entity, greater than the first.
    pub second: usize,
    /// Why the two were not joined.
    pub reason: MergeReason,
}

/// The names of a book.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The most frequent first.
    pub entities: Vec<DetectedEntity>,
    /// Pairs that were not joined.
    pub questions: Vec<PossibleMerge>,
}

/// Finds the names of an English book. `chapters` are the texts of its chapters in reading order, or of a first part of
/// them: nothing that is not in `chapters` has an influence.
#[must_use]
pub fn detect_en(chapters: &[&str], known: &[KnownEntity]) -> Names {
    let mut book = EnBook::default();
    let keys: Vec<ChapterKey> = (0..chapters.len()).map(|number| number as ChapterKey).collect();
    for (key, text) in keys.iter().zip(chapters) {
        book.read_chapter(*key, &Arc::from(*text));
    }
    book.detect(&keys, None, known)
}

/// Sorts the entities by frequency, and numbers the questions accordingly.
fn sorted(entities: Vec<DetectedEntity>, questions: &[(usize, usize, MergeReason)]) -> Names {
    let mut order: Vec<usize> = (0..entities.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&entities[a], &entities[b]);
        b.count.cmp(&a.count).then_with(|| a.first.cmp(&b.first)).then_with(|| a.name.cmp(&b.name))
    });
    let mut place = vec![0; entities.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let mut slots: Vec<Option<DetectedEntity>> = entities.into_iter().map(Some).collect();
    let entities = order.iter().filter_map(|&old| slots[old].take()).collect();
    let mut questions: Vec<PossibleMerge> = questions
        .iter()
        .map(|&(a, b, reason)| {
            let (a, b) = (place[a], place[b]);
            PossibleMerge { first: a.min(b), second: a.max(b), reason }
        })
        .collect();
    questions.sort_unstable_by_key(|one| (one.first, one.second));
    questions.dedup();
    Names { entities, questions }
}
