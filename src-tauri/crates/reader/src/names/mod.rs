//! Names: which there are in a book, what they name, and which of them are one.

mod counts;
mod en;
mod entity_mentions;
mod kind;
pub(crate) mod lexicon_en;
mod merge;
mod places;
mod rules_zh;
pub(crate) mod zh;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use counts::{CaseCounts, lower_into};
pub use entity_mentions::{BookMention, EntityMentions, FormInChapter};
pub use rules_zh::{name_like_parts, words_by_rules};
pub use zh::{TaggedChapter, TaggedWord, WordKind, ZhBook, detect_zh};

pub use en::EnBook;
use en::NamedForm;
use merge::PersonForm;

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

/// The names of the writer in small letters without full stops, with the index of their entity.
fn known_forms(known: &[KnownEntity]) -> FxHashMap<String, usize> {
    let mut forms = FxHashMap::default();
    for (at, entity) in known.iter().enumerate() {
        for name in &entity.names {
            forms.entry(folded(name)).or_insert(at);
        }
    }
    forms
}

fn folded(name: &str) -> String {
    let mut small = String::new();
    lower_into(&mut small, &palimpsest_text::single_spaced(name));
    small.retain(|c| c != '.');
    small
}

/// Groups the forms, and decides what each group is.
fn build(names: &[NamedForm<'_>], known: &[KnownEntity], known_forms: &FxHashMap<String, usize>) -> Names {
    let families = families(names);
    // The kind of each form alone decides which may be a person's.
    let alone = |at: usize, persons: &FxHashSet<u32>| {
        let NamedForm { form, evidence, .. } = &names[at];
        let beside = evidence.beside.iter().filter(|other| persons.contains(other)).count();
        kind::kind_of(form, evidence, families.contains(&at), beside)
    };
    let mut persons: FxHashSet<u32> = FxHashSet::default();
    for _ in 0..2 {
        let is_person = |at: &usize| alone(*at, &persons) == EntityKind::Character;
        persons = (0..names.len()).filter(is_person).map(|at| names[at].number).collect();
    }
    let (mut candidates, mut others) = (Vec::new(), Vec::new());
    let known_of: Vec<Option<usize>> = names.iter().map(|name| known_forms.get(&*name.form.folded).copied()).collect();
    let mut by_writer: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(entity) = known_of[at] {
            by_writer.entry(entity).or_default().push(at);
        }
        match known_of[at] {
            Some(entity) if known[entity].kind != EntityKind::Character => {}
            // A short form may join a name that the writer has entered.
            Some(_) => candidates.push(at),
            None if persons.contains(&name.number) => candidates.push(at),
            None => others.push(at),
        }
    }
    let person = |at: &usize| {
        let NamedForm { form, evidence, chapters, .. } = &names[*at];
        PersonForm { parts: &form.parts, evidence, chapters }
    };
    let forms: Vec<PersonForm<'_>> = candidates.iter().map(person).collect();
    let merged = merge::merge(&forms);
    let mut entities: Vec<DetectedEntity> = Vec::new();
    // The entity of each group: its index, or the writer's.
    let mut of_group: Vec<Result<usize, usize>> = Vec::with_capacity(merged.groups.len());
    for group in &merged.groups {
        let members: Vec<usize> = group.iter().map(|&form| candidates[form]).collect();
        let written: BTreeSet<usize> = members.iter().filter_map(|&at| known_of[at]).collect();
        let unwritten: Vec<usize> = members.iter().copied().filter(|&at| known_of[at].is_none()).collect();
        match (written.first(), written.len()) {
            (Some(&entity), 1) => {
                by_writer.entry(entity).or_default().extend(unwritten);
                of_group.push(Err(entity));
            }
            // Two entities of the writer are never joined: forms that fit both become a separate entity.
            (Some(&entity), _) if unwritten.is_empty() => of_group.push(Err(entity)),
            _ => {
                of_group.push(Ok(entities.len()));
                entities.push(entity(names, &unwritten, EntityKind::Character, None));
            }
        }
    }
    for at in others {
        entities.push(entity(names, &[at], alone(at, &persons), None));
    }
    let mut of_writer: FxHashMap<usize, usize> = FxHashMap::default();
    for (number, members) in by_writer {
        of_writer.insert(number, entities.len());
        entities.push(entity(names, &members, known[number].kind, Some(number)));
    }
    let index = |group: usize| match of_group[group] {
        Ok(entity) => Some(entity),
        Err(written) => of_writer.get(&written).copied(),
    };
    let questions: Vec<(usize, usize, MergeReason)> = merged
        .questions
        .iter()
        .filter_map(|&(a, b, reason)| Some((index(a)?, index(b)?, reason)))
        .filter(|(a, b, _)| a != b)
        .collect();
    sorted(entities, &questions)
}

/// Forms that are a family in the plural: `the Musgroves` beside `Mrs Musgrove`.
fn families(names: &[NamedForm<'_>]) -> FxHashSet<usize> {
    let parts = |at: usize| &names[at].form.parts;
    let surnames: FxHashSet<&str> = (0..names.len())
        .map(parts)
        .filter(|parts| !parts.titles.is_empty() || parts.words.len() > 1)
        .filter_map(|parts| parts.words.last().map(String::as_str))
        .collect();
    let is_family = |at: &usize| {
        let Some(last) = parts(*at).words.last() else { return false };
        let singular = ["s", "es"].iter().filter_map(|ending| last.strip_suffix(ending));
        let is_plural = singular.clone().any(|one| surnames.contains(one));
        is_plural && (names[*at].evidence.article > 0 || !parts(*at).titles.is_empty())
    };
    (0..names.len()).filter(is_family).collect()
}

fn entity(names: &[NamedForm<'_>], members: &[usize], kind: EntityKind, known: Option<usize>) -> DetectedEntity {
    let mut forms: Vec<Form> = Vec::new();
    let mut first: Option<(u32, u32)> = None;
    for &at in members {
        let NamedForm { evidence, surfaces, .. } = &names[at];
        forms.extend(surfaces.iter().map(|(text, count)| Form { text: (*text).to_owned(), count: *count }));
        first = Some(first.map_or(evidence.first, |before| before.min(evidence.first)));
    }
    forms.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    let count = forms.iter().map(|form| form.count).sum();
    let is_usual = |form: &&Form| form.count > 1 || count < 4;
    let fullest = forms
        .iter()
        .filter(is_usual)
        .max_by_key(|form| (form.text.split(' ').count(), form.count, std::cmp::Reverse(form.text.as_str())));
    let name = fullest.or(forms.first()).map(|form| form.text.clone()).unwrap_or_default();
    let (chapter, offset) = first.unwrap_or_default();
    let first = Position { chapter: chapter as usize, offset: offset as usize };
    DetectedEntity { kind, name, forms, count, first, known }
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
