//! Misspelt English names: one slip in a word of a frequent name.

use std::ops::Range;

use palimpsest_text::names::is_everyday;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Drift;
use crate::{
    mentions::{Matcher, Mention},
    names::{
        CaseCounts, DetectedEntity, EntityKind,
        lexicon_en::{List, look_up},
        lower_into,
    },
    words::{Gap, Parsed},
};

/// Shorter names have too many neighbours that are names too.
const MIN_LETTERS: usize = 5;
/// Fewest occurrences of a word that may be meant, or of the entity whose name has it.
const MIN_ENTITY_COUNT: u32 = 8;
const MIN_WORD_COUNT: u32 = 2;
/// Most occurrences of a misspelling.
const MAX_ODD_COUNT: u32 = 2;
/// Most words before and after a word that are read of its sentence.
const MAX_SENTENCE: usize = 200;
/// How many times as often as its misspelling a word occurs.
const MIN_RATIO: u32 = 2;

/// The misspelt names of an English book: a word with a capital that occurs once or twice, and differs by one letter
/// (left out, doubled, put in, exchanged, or two transposed) from a word of a frequent name with the same first letter.
/// A word that occurs in small letters too, or that is in a list of words, counts only beside another word of that
/// name.
///
/// A name that the text introduces, or that occurs in one sentence with the name that it resembles, is another name.
#[must_use]
pub fn detect_en(chapters: &[&str], entities: &[DetectedEntity]) -> Vec<Drift> {
    let parsed: Vec<Parsed<'_>> = chapters.iter().map(|text| Parsed::new(text)).collect();
    let mut counts = CaseCounts::default();
    parsed.iter().for_each(|chapter| counts.add(chapter));
    let targets = Targets::new(entities, &counts);
    if targets.words.is_empty() {
        return Vec::new();
    }
    let odd = targets.odd_words(&counts);
    if odd.is_empty() {
        return Vec::new();
    }
    let matcher = Matcher::new(entities);
    let mut found = Vec::new();
    for (chapter, parsed) in parsed.iter().enumerate() {
        let mut mentions: Option<Vec<Mention>> = None;
        let mut key = String::new();
        for (at, word) in parsed.words.iter().enumerate() {
            if !word.is_capital() || word.is_all_capitals() {
                continue;
            }
            lower_into(&mut key, word.text);
            let Some(odd) = odd.get(key.as_str()) else { continue };
            let target = &targets.words[odd.target];
            if odd.is_ordinary && !targets.has_neighbour(parsed, at, target) {
                continue;
            }
            let mentions = mentions.get_or_insert_with(|| matcher.find_parsed(parsed));
            if is_introduced(parsed, at) || is_beside(parsed, at, target, mentions) {
                continue;
            }
            found.push(Drift { chapter, range: word.range(), meant: target.written.clone(), entity: target.entity });
        }
    }
    found
}

/// A word of a frequent name.
#[derive(Debug)]
struct Target {
    small: String,
    written: String,
    entity: usize,
    count: u32,
}

/// A rare word that resembles a target.
#[derive(Debug, Clone, Copy)]
struct Odd {
    target: usize,
    /// It is also an ordinary word, so that only the words beside it show that it is a misspelt name: `Price Otto`.
    is_ordinary: bool,
}

#[derive(Debug, Default)]
struct Targets {
    words: Vec<Target>,
    /// The words of targets, and these with one letter left out.
    near: FxHashMap<String, Vec<usize>>,
    /// Pairs of neighbouring words of forms, in small letters.
    pairs: FxHashSet<(String, String)>,
}

impl Targets {
    fn new(entities: &[DetectedEntity], counts: &CaseCounts) -> Self {
        let mut targets = Self::default();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        for (number, entity) in entities.iter().enumerate() {
            let count_of = |word: &str| counts.get(&small_letters(word)).capital();
            let words = || entity.forms.iter().flat_map(|form| form.text.split(' '));
            // A misspelt name may have parted an entity in two: a frequent word of it is enough.
            let is_frequent =
                entity.count >= MIN_ENTITY_COUNT || words().any(|word| count_of(word) >= MIN_ENTITY_COUNT);
            if entity.kind == EntityKind::Thing || !is_frequent {
                continue;
            }
            for form in &entity.forms {
                let words: Vec<String> = form.text.split(' ').map(small_letters).collect();
                targets.pairs.extend(words.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
            }
            for word in words() {
                let written = word.trim_end_matches('.');
                let small = small_letters(written);
                let mut count = counts.get(&small).capital();
                if look_up(&small).is_title() {
                    // Titles are also written in small letters, and one occurrence of a word of the list is enough.
                    count += counts.get(&small).small + MIN_WORD_COUNT;
                }
                let is_fit = small.chars().count() >= MIN_LETTERS && count >= MIN_WORD_COUNT;
                if is_fit && written.starts_with(char::is_uppercase) && seen.insert(small.clone()) {
                    let written = written.to_owned();
                    targets.words.push(Target { small, written, entity: number, count });
                }
            }
        }
        for (at, target) in targets.words.iter().enumerate() {
            for key in deletions(&target.small) {
                targets.near.entry(key).or_default().push(at);
            }
        }
        targets
    }

    /// Whether the word before or after is one that the meant word has beside it in a form.
    fn has_neighbour(&self, parsed: &Parsed<'_>, at: usize, target: &Target) -> bool {
        let before = parsed.before(at).map(|word| (small_letters(word.text), target.small.clone()));
        let after = parsed.after(at).map(|word| (target.small.clone(), small_letters(word.text)));
        [before, after].into_iter().flatten().any(|pair| self.pairs.contains(&pair))
    }

    /// The rare words that are probably misspelt, with the target that was meant.
    fn odd_words<'c>(&self, counts: &'c CaseCounts) -> FxHashMap<&'c str, Odd> {
        let mut found = FxHashMap::default();
        for (word, count) in counts.sorted() {
            let is_rare = (1..=MAX_ODD_COUNT).contains(&count.capital());
            if !is_rare
                || word.chars().count() + 1 < MIN_LETTERS
                || look_up(word).is_title()
                || look_up(word).is_given()
            {
                continue;
            }
            let mut candidates: Vec<usize> =
                deletions(word).iter().filter_map(|key| self.near.get(key)).flatten().copied().collect();
            candidates.sort_unstable();
            candidates.dedup();
            let meant = candidates
                .into_iter()
                .filter(|&at| {
                    self.words[at].count >= MIN_RATIO * count.capital() && is_slip(word, &self.words[at].small)
                })
                .max_by_key(|&at| (self.words[at].count, std::cmp::Reverse(at)));
            if let Some(at) = meant {
                let is_ordinary = count.small > 0 || is_word(word);
                found.insert(word, Odd { target: at, is_ordinary });
            }
        }
        found
    }
}

/// A word in small letters, without the full stop of an abbreviation.
fn small_letters(word: &str) -> String {
    let mut small = String::new();
    lower_into(&mut small, word.trim_end_matches('.'));
    small
}

/// Whether lists know the word: it is a name or a word of its own.
fn is_word(word: &str) -> bool {
    let listed = look_up(word);
    let known =
        [List::Common, List::NoName, List::Place, List::PlaceNoun, List::GroupNoun, List::Speech, List::Feeling];
    known.iter().any(|&list| listed.is(list)) || listed.is_title() || listed.is_given() || is_everyday(word)
}

/// The word, and the word with each letter left out.
fn deletions(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    for (at, c) in word.char_indices() {
        let mut shorter = word[..at].to_owned();
        shorter.push_str(&word[at + c.len_utf8()..]);
        all.push(shorter);
    }
    all
}

/// Whether `odd` is `meant` with one slip behind its first letter. A plural and an ending are no slips.
fn is_slip(odd: &str, meant: &str) -> bool {
    let (odd, meant): (Vec<char>, Vec<char>) = (odd.chars().collect(), meant.chars().collect());
    if odd == meant || odd.first() != meant.first() || meant.starts_with(&odd) {
        return false;
    }
    if odd.starts_with(&meant) {
        // `Glasss`: three equal letters are no ending.
        return odd.len() == meant.len() + 1
            && odd.len() > 2
            && odd[odd.len() - 3..].iter().all(|c| *c == odd[odd.len() - 1]);
    }
    let same = odd.iter().zip(&meant).take_while(|(a, b)| a == b).count();
    let (a, b) = (&odd[same..], &meant[same..]);
    match (a, b) {
        ([x, rest @ ..], [y, others @ ..]) if odd.len() == meant.len() => {
            let is_exchange = rest == others && !(rest.is_empty());
            let is_transposed = rest.first() == Some(y) && others.first() == Some(x) && rest[1..] == others[1..];
            is_exchange || is_transposed
        }
        ([_, rest @ ..], others) if odd.len() == meant.len() + 1 => rest == others,
        (rest, [_, others @ ..]) if odd.len() + 1 == meant.len() => rest == others,
        _ => false,
    }
}

/// Whether the text introduces the name: `a family called Elliott`, `one Elliott`, `a Mr Elliott`.
fn is_introduced(parsed: &Parsed<'_>, at: usize) -> bool {
    const INTRODUCES: [&str; 17] = [
        "called",
        "named",
        "calls",
        "certain",
        "another",
        "surname",
        "surnamed",
        "nickname",
        "christened",
        "name",
        "names",
        "stranger",
        "unlike",
        "namesake",
        "other",
        "different",
        "spelt",
    ];
    let mut steps = 0;
    let mut word = at;
    while let Some(before) = parsed.before(word) {
        word -= 1;
        steps += 1;
        if INTRODUCES.contains(&before.text) {
            return true;
        }
        let listed = look_up(&before.text.to_lowercase());
        let is_article = matches!(before.text, "a" | "an" | "one" | "A" | "An" | "One");
        if is_article && parsed.words[word + 1].gap == Gap::Space {
            return true;
        }
        // Only titles, capitals and the words of `of the name of` stand between.
        let is_between = before.is_capital()
            || listed.is_title()
            || matches!(
                before.text,
                "of" | "was" | "is" | "as" | "by" | "himself" | "herself" | "themselves" | "the" | "were"
            );
        if !is_between || steps >= 5 {
            return false;
        }
    }
    false
}

/// Whether the sentence also has the word that is meant, or another name of its entity, outside of the name that the
/// odd word belongs to.
fn is_beside(parsed: &Parsed<'_>, at: usize, target: &Target, mentions: &[Mention]) -> bool {
    let words = &parsed.words;
    let is_joined = |next: usize| {
        words.get(next).is_some_and(|word| {
            word.is_capital() && matches!(word.gap, Gap::Space | Gap::Stop) && word.sentence == words[at].sentence
        })
    };
    let (mut first, mut last) = (at, at);
    while first > 0 && words[first - 1].is_capital() && is_joined(first) {
        first -= 1;
    }
    while is_joined(last + 1) {
        last += 1;
    }
    let own = words[first].start..words[last].end;
    let from = words.partition_point(|other| other.sentence < words[at].sentence);
    let to = words.partition_point(|other| other.sentence <= words[at].sentence);
    let (from, to) = (from.max(at.saturating_sub(MAX_SENTENCE)), to.min(at + MAX_SENTENCE));
    let (start, end) = (words[from].start, words[to - 1].end);
    let first_mention = mentions.partition_point(|mention| mention.range.start < start);
    let named = mentions[first_mention..].iter().take_while(|mention| mention.range.start < end);
    let is_other = |range: &Range<usize>| range.end <= own.start || own.end <= range.start;
    named.filter(|mention| is_other(&mention.range)).any(|mention| mention.entity == target.entity)
        || words[from..to].iter().any(|other| other.text == target.written && is_other(&other.range()))
}
