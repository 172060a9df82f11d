//! Chinese names, from words that a tagger has marked.

mod book;
pub(crate) mod classes;
pub(crate) mod evidence;
pub(crate) mod forms;
pub(crate) mod lexicon;
mod merge;
pub(crate) mod ordinary;
mod places;
mod single;
mod table;
mod titled;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use palimpsest_text::is_han;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ChapterKey, DetectedEntity, EntityKind, Form, KnownEntity, MergeReason, Names, Position, sorted};
pub use book::ZhBook;
use evidence::Found;
use merge::Joined;
use places::Search;

/// The kind of a word, by a tagger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// The name of a person.
    Person,
    /// The name of a place.
    Place,
    /// The name of an organisation.
    Organisation,
    /// Another name, or the title of a work.
    Thing,
    /// A date or a time.
    Time,
    /// No name.
    Other,
}

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedWord {
    /// Bytes of the text, from a character to a character.
    pub range: Range<usize>,
    /// Kind of the word where it stands.
    pub kind: WordKind,
}

/// The text of a chapter with its words.
#[derive(Debug, Clone, Copy)]
pub struct TaggedChapter<'t> {
    /// Text of the chapter.
    pub text: &'t str,
    /// Its words in order, without overlap. What they do not cover is no word.
    pub words: &'t [TaggedWord],
}

impl<'t> TaggedChapter<'t> {
    /// The words with their texts. A word whose range is none of the text is left out.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&'t str, &'t TaggedWord)> {
        let text = self.text;
        self.words.iter().filter_map(move |word| Some((text.get(word.range.clone())?, word)))
    }
}

/// Most characters of a form.
const MAX_CHARS: usize = 12;

/// The names of a Chinese book. A form is a name by the tagger's readings, by its surname or title, and by the words
/// beside it; it is then a mention wherever it occurs.
///
/// Nothing that is not in `chapters` has an influence.
#[must_use]
pub fn detect_zh(chapters: &[TaggedChapter<'_>], known: &[KnownEntity]) -> Names {
    let mut book = ZhBook::default();
    let keys: Vec<ChapterKey> = (0..chapters.len()).map(|number| ChapterKey::from(number as u128)).collect();
    for (key, chapter) in keys.iter().zip(chapters) {
        book.read_chapter(*key, &Arc::from(chapter.text), chapter.words);
    }
    book.detect(&keys, None, known)
}

/// The names among these words and forms.
fn detect_in(found: &Found<'_>, search: &mut Search<'_>, known: &[KnownEntity]) -> Names {
    let kinds = forms::find_forms(found, search);
    let mut forms: Vec<NamedForm> = Vec::new();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for (at, entity) in known.iter().enumerate() {
        for name in entity.names.iter().filter(|name| name.contains(is_han)) {
            if taken.insert(name.clone()) {
                forms.push(NamedForm { text: name.clone(), kind: entity.kind, known: Some(at) });
            }
        }
    }
    let unknown = kinds.into_iter().filter(|(form, _)| !taken.contains(form));
    forms.extend(unknown.map(|(text, kind)| NamedForm { text, kind, known: None }));
    let found = occurrences(search, &forms);
    let covered = covered_forms(&forms, &found);
    if covered.is_empty() {
        return build(&forms, &found);
    }
    forms.retain(|form| form.known.is_some() || !covered.contains(&form.text));
    let found = occurrences(search, &forms);
    build(&forms, &found)
}

/// The detected forms that contain a form of the writer's which occurs nowhere else: the words after a name were taken
/// for a part of it. The writer's word goes first.
fn covered_forms(forms: &[NamedForm], found: &[Occurrences]) -> FxHashSet<String> {
    let is_never_found = |(form, found): &(&NamedForm, &Occurrences)| {
        form.known.is_some() && found.count == 0 && form.text.chars().nth(1).is_some()
    };
    let mut never: FxHashMap<char, Vec<&str>> = FxHashMap::default();
    for (form, _) in forms.iter().zip(found).filter(is_never_found) {
        let first = form.text.chars().next().unwrap_or_default();
        never.entry(first).or_default().push(form.text.as_str());
    }
    let contains = |form: &&NamedForm| {
        let begins_here = |(at, c): (usize, char)| {
            never.get(&c).is_some_and(|never| never.iter().any(|never| form.text[at..].starts_with(never)))
        };
        form.known.is_none() && form.text.char_indices().any(begins_here)
    };
    forms.iter().filter(contains).map(|form| form.text.clone()).collect()
}

/// A form with its kind, and the writer's entity that has it.
#[derive(Debug, Clone)]
pub(crate) struct NamedForm {
    pub(crate) text: String,
    pub(crate) kind: EntityKind,
    pub(crate) known: Option<usize>,
}

/// The number and the first of the occurrences of a form.
#[derive(Debug, Clone)]
pub(crate) struct Occurrences {
    pub(crate) count: u32,
    pub(crate) first: Position,
}

/// The number of occurrences of each form and the first one, the longest form first.
fn occurrences(search: &mut Search<'_>, forms: &[NamedForm]) -> Vec<Occurrences> {
    let mut found = vec![Occurrences { count: 0, first: Position { chapter: 0, offset: 0 } }; forms.len()];
    search.mentions_of(forms.iter().map(|form| form.text.as_str())).visit_counts(|wanted, chapter, count| {
        let form = &mut found[wanted];
        if form.count == 0 {
            form.first = Position { chapter, offset: count.first.start as usize };
        }
        form.count += count.count;
    });
    found
}

/// Joins the forms, and makes entities of them.
fn build(forms: &[NamedForm], found: &[Occurrences]) -> Names {
    let Joined { mut parent, questions } = merge::join(forms, found);
    // The writer's names of one entity are one.
    let mut first_of: FxHashMap<usize, usize> = FxHashMap::default();
    for at in 0..forms.len() {
        if let Some(known) = forms[at].known {
            parent[at] = *first_of.entry(known).or_insert(at);
        }
    }
    let root = |mut at: usize| {
        // A form is joined to a longer one, or from a short one to a full one: the way is short.
        for _ in 0..MAX_CHARS {
            at = parent[at];
        }
        at
    };
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in (0..forms.len()).filter(|&at| found[at].count > 0) {
        groups.entry(root(at)).or_default().push(at);
    }
    let mut number: FxHashMap<usize, usize> = FxHashMap::default();
    let mut entities = Vec::new();
    for (root, members) in groups {
        number.insert(root, entities.len());
        entities.push(entity(forms, found, root, &members));
    }
    let questions: Vec<(usize, usize, MergeReason)> = questions
        .into_iter()
        .filter_map(|(a, b)| Some((*number.get(&root(a))?, *number.get(&root(b))?, MergeReason::SeveralFullNames)))
        .filter(|(a, b, _)| a != b)
        .collect();
    sorted(entities, &questions)
}

fn entity(forms: &[NamedForm], found: &[Occurrences], root: usize, members: &[usize]) -> DetectedEntity {
    let mut own: Vec<Form> =
        members.iter().map(|&at| Form { text: forms[at].text.clone(), count: found[at].count }).collect();
    own.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    let count = own.iter().map(|form| form.count).sum();
    let first = members.iter().map(|&at| found[at].first).min().unwrap_or(Position { chapter: 0, offset: 0 });
    let NamedForm { kind, known, .. } = &forms[root];
    let usual = own.iter().filter(|form| form.count > 1 || count < 4);
    let name = usual.max_by_key(|form| (form.text.chars().count(), form.count)).or(own.first());
    let name = name.map(|form| form.text.clone()).unwrap_or_default();
    DetectedEntity { kind: *kind, name, forms: own, count, first, known: *known }
}
