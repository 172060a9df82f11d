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
const MAX_JOINED_BYTES: usize = 4 * MAX_JOINED_CHARS;

/// The places of a form.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Readings as a person, a place, an organisation, a thing, and as anything else.
    pub(crate) kinds: [u32; 5],
    /// The weight of the places in which persons stand, in tenths of a place.
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
pub(crate) fn of_words<'t>(chapters: &[TaggedChapter<'t>], words: &[Vec<TaggedWord>]) -> FxHashMap<&'t str, Evidence> {
    let mut found: FxHashMap<&str, Evidence> = FxHashMap::default();
    for (chapter, words) in chapters.iter().zip(words) {
        for word in words {
            let Some(text) = chapter.text.get(word.range.clone()) else { continue };
            let evidence = found.entry(text).or_default();
            evidence.kinds[slot(word.kind)] += 1;
            evidence.add_place(chapter.text, word.range.start, word.range.end);
        }
    }
    found
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

/// The words of each chapter, those that always stand together as one: the tagger reads 老拱 as 老 and 拱.
pub(crate) fn joined_words(chapters: &[TaggedChapter<'_>]) -> Vec<Vec<TaggedWord>> {
    let mut words: Vec<Vec<TaggedWord>> = chapters.iter().map(|chapter| valid_words(chapter)).collect();
    for _ in 0..2 {
        words = join_once(chapters, &words);
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

fn join_once(chapters: &[TaggedChapter<'_>], words: &[Vec<TaggedWord>]) -> Vec<Vec<TaggedWord>> {
    let mut counts: FxHashMap<&str, (u32, u32)> = FxHashMap::default();
    let mut pairs: FxHashMap<(&str, &str), u32> = FxHashMap::default();
    for (chapter, words) in chapters.iter().zip(words) {
        for word in words {
            let (all, persons) = counts.entry(&chapter.text[word.range.clone()]).or_default();
            *all += 1;
            *persons += u32::from(word.kind == WordKind::Person);
        }
        for two in words.windows(2) {
            if let Some(pair) = pair(chapter.text, two) {
                *pairs.entry(pair).or_default() += 1;
            }
        }
    }
    let is_person = |word: &str| counts.get(word).is_some_and(|(all, persons)| persons * 2 >= *all);
    let is_joined = |pair: (&str, &str)| {
        let Some(&count) = pairs.get(&pair).filter(|count| **count >= MIN_JOINED) else { return false };
        let (first, second) = (counts[pair.0].0, counts[pair.1].0);
        let is_always = count * 5 >= first.min(second) * 4;
        // A word that nearly always follows a word of several characters is rather its verb.
        let is_part = first <= second || pair.0.chars().count() == 1;
        is_always && is_part && !is_person(pair.0) && !is_person(pair.1)
    };
    let mut joined = Vec::with_capacity(words.len());
    for (chapter, words) in chapters.iter().zip(words) {
        let mut row: Vec<TaggedWord> = Vec::with_capacity(words.len());
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let two = words.get(at..at + 2).and_then(|two| Some((two, pair(chapter.text, two)?)));
            match two.filter(|(_, pair)| is_joined(*pair)) {
                Some((two, _)) => {
                    let is_named = two.iter().any(|word| word.kind == WordKind::Person);
                    let kind = if is_named { WordKind::Person } else { WordKind::Other };
                    row.push(TaggedWord { range: two[0].range.start..two[1].range.end, kind });
                    at += 2;
                }
                None => {
                    row.push(word.clone());
                    at += 1;
                }
            }
        }
        joined.push(row);
    }
    joined
}

/// Two adjacent words that may be parts of one name.
fn pair<'t>(text: &'t str, two: &[TaggedWord]) -> Option<(&'t str, &'t str)> {
    let [first, second] = two else { return None };
    if first.range.end != second.range.start || second.range.end - first.range.start > MAX_JOINED_BYTES {
        return None;
    }
    let both = text.get(first.range.start..second.range.end)?;
    let is_fit = both.chars().all(|c| is_han(c) && !Class::of(c).has(Class::NO_PART))
        && (2..=MAX_JOINED_CHARS).contains(&both.chars().count());
    if !is_fit {
        return None;
    }
    let (first, second) = (text.get(first.range.clone())?, text.get(second.range.clone())?);
    let is_described = ADJECTIVES.contains(first) && is_ordinary(second);
    (!is_described).then_some((first, second))
}
