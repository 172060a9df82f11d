//! Evidence for a word as a name: the tagger's readings, and the words beside each occurrence.

use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use super::{
    TaggedChapter, TaggedWord, WordKind,
    classes::Class,
    lexicon::{ACTS, ADJECTIVES},
    ordinary::is_ordinary,
};

/// Fewest occurrences of two words that are read as one.
const MIN_JOINED: u32 = 3;
/// Most characters of two words that are read as one.
const MAX_JOINED_CHARS: usize = 4;

/// The places of a form.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Readings as a person, a place, an organisation, a thing, and as anything else.
    pub(crate) kinds: [u32; 5],
    /// Points for a person, by the words beside each occurrence: ten for a verb of speech behind it, fewer for weaker
    /// signs.
    pub(crate) person: u32,
    /// Places behind a classifier or a pronoun.
    pub(crate) noun: u32,
}

impl Evidence {
    pub(crate) fn count(&self) -> u32 {
        self.kinds.iter().sum()
    }

    /// Adds the words before and behind an occurrence.
    pub(crate) fn add_place(&mut self, text: &str, from: usize, to: usize) {
        let (Some(before), Some(rest)) = (text.get(..from), text.get(to..)) else { return };
        let before = before.chars().next_back();
        let is_start = before.is_none_or(|c| !c.is_alphanumeric());
        let before = before.map(Class::of);
        if before.is_some_and(|class| class.has(Class::BEFORE_NOUN)) {
            self.noun += 1;
        }
        let next = rest.chars().next().map(Class::of);
        let is_one_of = |list: Class| next.is_some_and(|class| class.has(list));
        let is_act = || is_one_of(Class::ACT) && ACTS.iter().any(|act| rest.starts_with(act));
        self.person += if is_one_of(Class::SPEECH) || is_act() {
            10
        } else if is_one_of(Class::ADVERB) {
            if is_start { 5 } else { 2 }
        } else {
            0
        };
        if is_start || before.is_some_and(|class| class.has(Class::BEFORE_PERSON)) {
            self.person += 3;
        }
    }
}

/// The evidence of every word.
pub(crate) fn of_words<'t>(chapters: &[TaggedChapter<'t>], words: &Words<'t>) -> FxHashMap<&'t str, Evidence> {
    let mut found = vec![Evidence::default(); words.forms.len()];
    for ((chapter, row), ids) in chapters.iter().zip(&words.rows).zip(&words.ids) {
        for (word, &id) in row.iter().zip(ids) {
            let evidence = &mut found[id];
            evidence.kinds[slot(word.kind)] += 1;
            evidence.add_place(chapter.text, word.range.start, word.range.end);
        }
    }
    let all = words.forms.iter().zip(found).filter(|(_, evidence)| evidence.count() > 0);
    all.map(|(form, evidence)| (form.text, evidence)).collect()
}

fn slot(kind: WordKind) -> usize {
    match kind {
        WordKind::Person => 0,
        WordKind::Place => 1,
        WordKind::Organisation => 2,
        WordKind::Thing => 3,
        WordKind::Time | WordKind::Other => 4,
    }
}

/// The words of each chapter with the number of each different word.
#[derive(Debug, Default)]
pub(crate) struct Words<'t> {
    pub(crate) rows: Vec<Vec<TaggedWord>>,
    /// Of each word of `rows` its index in `forms`.
    ids: Vec<Vec<usize>>,
    forms: Vec<WordForm<'t>>,
    numbers: FxHashMap<&'t str, usize>,
}

/// A different word of a text.
#[derive(Debug)]
struct WordForm<'t> {
    text: &'t str,
    /// The number of its characters if it may be part of a name, or 0.
    part: usize,
    is_adjective: bool,
    is_ordinary: bool,
}

/// The words of each chapter, those that always stand together as one: the tagger reads 老拱 as 老 and 拱.
pub(crate) fn joined_words<'t>(chapters: &[TaggedChapter<'t>]) -> Words<'t> {
    let mut words = Words::default();
    for chapter in chapters {
        let row = valid_words(chapter);
        let ids = row.iter().map(|word| words.id(&chapter.text[word.range.clone()])).collect();
        words.rows.push(row);
        words.ids.push(ids);
    }
    for _ in 0..2 {
        words.join_once(chapters);
    }
    words
}

/// The words that are ranges of the text, without overlap.
fn valid_words(chapter: &TaggedChapter<'_>) -> Vec<TaggedWord> {
    let mut words: Vec<TaggedWord> = Vec::with_capacity(chapter.words.len());
    for (_, word) in chapter.texts() {
        if words.last().is_none_or(|last| last.range.end <= word.range.start) {
            words.push(word.clone());
        }
    }
    words
}

impl<'t> Words<'t> {
    /// The index of a word in `forms`.
    fn id(&mut self, text: &'t str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            let is_part = text.chars().all(|c| is_han(c) && !Class::of(c).has(Class::NO_PART));
            self.forms.push(WordForm {
                text,
                part: if is_part { text.chars().count() } else { 0 },
                is_adjective: ADJECTIVES.contains(text),
                is_ordinary: is_ordinary(text),
            });
            self.forms.len() - 1
        })
    }

    /// The ids of a word and the next one, if they may be parts of one name.
    fn pair(&self, row: usize, at: usize) -> Option<(usize, usize)> {
        let (Some([first, second]), Some(&[a, b])) = (self.rows[row].get(at..at + 2), self.ids[row].get(at..at + 2))
        else {
            return None;
        };
        let (one, other) = (&self.forms[a], &self.forms[b]);
        let is_fit = one.part > 0 && other.part > 0 && one.part + other.part <= MAX_JOINED_CHARS;
        let is_described = one.is_adjective && other.is_ordinary;
        (is_fit && !is_described && first.range.end == second.range.start).then_some((a, b))
    }

    fn join_once(&mut self, chapters: &[TaggedChapter<'t>]) {
        let mut counts = vec![(0_u32, 0_u32); self.forms.len()];
        let mut pairs: FxHashMap<(usize, usize), u32> = FxHashMap::default();
        for (number, (row, ids)) in self.rows.iter().zip(&self.ids).enumerate() {
            for (at, (word, &id)) in row.iter().zip(ids).enumerate() {
                let (all, persons) = &mut counts[id];
                *all += 1;
                *persons += u32::from(word.kind == WordKind::Person);
                if let Some(pair) = self.pair(number, at) {
                    *pairs.entry(pair).or_default() += 1;
                }
            }
        }
        let is_person = |id: usize| counts[id].1 * 2 >= counts[id].0;
        pairs.retain(|&(a, b), count| {
            let (first, second) = (counts[a].0, counts[b].0);
            let is_always = *count >= MIN_JOINED && *count * 5 >= first.min(second) * 4;
            // A word that nearly always follows a word of several characters is rather its verb.
            let is_part = first <= second || self.forms[a].part == 1;
            is_always && is_part && !is_person(a) && !is_person(b)
        });
        for (number, chapter) in chapters.iter().enumerate().filter(|_| !pairs.is_empty()) {
            self.join_row(number, chapter.text, &pairs);
        }
    }

    /// Joins the pairs of words in a chapter.
    fn join_row(&mut self, number: usize, text: &'t str, pairs: &FxHashMap<(usize, usize), u32>) {
        let (mut row, mut ids) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(word) = self.rows[number].get(at) {
            let is_joined = self.pair(number, at).is_some_and(|pair| pairs.contains_key(&pair));
            if is_joined {
                let two = &self.rows[number][at..at + 2];
                let is_named = two.iter().any(|word| word.kind == WordKind::Person);
                let kind = if is_named { WordKind::Person } else { WordKind::Other };
                let range = two[0].range.start..two[1].range.end;
                ids.push(self.id(&text[range.clone()]));
                row.push(TaggedWord { range, kind });
                at += 2;
            } else {
                row.push(word.clone());
                ids.push(self.ids[number][at]);
                at += 1;
            }
        }
        self.rows[number] = row;
        self.ids[number] = ids;
    }
}
