//! Edits that a simulated writer makes: operations on the words themselves, never on numbers.
//!
//! An operation lists its sites in a text and is applied at one of them, chosen at random. It is aimed at one feature
//! and changes others as a side effect, as real edits do. Its effect is measured afterwards with the program's own
//! features.

mod en;
mod zh;

use std::ops::Range;

use palimpsest_learning::Direction;
use palimpsest_text::{
    Language, sentences,
    style::{Feature, measure_as},
};

use crate::{dice::Dice, prose::Pool};

/// A range of a text and its replacement.
pub type Site = (Range<usize>, String);

/// One operation of a writer.
#[derive(Clone, Copy)]
pub enum Operation {
    /// Replaces at one of the sites that a function finds.
    At(fn(&str) -> Vec<Site>),
    /// Replaces at all of the sites that a function finds.
    Everywhere(fn(&str) -> Vec<Site>),
    /// Inserts one of the words at one of the positions that a function finds.
    Put(fn(&str) -> Vec<usize>, &'static [&'static str]),
    /// Deletes the sentence with the highest value of a feature.
    Strike(Feature),
    /// Inserts a sentence with a high value of a feature, from the pool.
    Write(Feature),
    StrikeAny,
    WriteAny,
}

/// Features that operations can change, so that a preference about them can show in an edit.
pub const MOVABLE: [Feature; 24] = [
    Feature::Length,
    Feature::TimeShifts,
    Feature::SentenceLength,
    Feature::Exclamations,
    Feature::Questions,
    Feature::Ellipses,
    Feature::Dashes,
    Feature::Commas,
    Feature::Semicolons,
    Feature::Adverbs,
    Feature::Adjectives,
    Feature::Hedges,
    Feature::Similes,
    Feature::Sight,
    Feature::BodySense,
    Feature::ConjunctionOpenings,
    Feature::ParagraphDensity,
    Feature::SpeechTags,
    Feature::FirstPerson,
    Feature::Emotion,
    Feature::Thought,
    Feature::Colloquial,
    Feature::Intensifiers,
    Feature::Cliches,
];

/// The operations of a writer who wants more or less of a feature.
pub fn towards(language: Language, feature: Feature, direction: Direction) -> Vec<Operation> {
    let mut operations = match language {
        Language::En => en::towards(feature, direction),
        Language::Zh => zh::towards(feature, direction),
    };
    operations.extend(match (feature, direction) {
        (Feature::Length, Direction::More) => vec![Operation::WriteAny],
        (Feature::Length, Direction::Less) => vec![Operation::StrikeAny],
        (Feature::ParagraphDensity, Direction::More) => vec![Operation::At(breaks)],
        (Feature::ParagraphDensity, Direction::Less) => vec![Operation::At(merges)],
        // Words of one kind are edited one by one; the subject of a sentence changes only with the whole sentence.
        (_, Direction::More) if operations.is_empty() => vec![Operation::Write(feature)],
        (_, Direction::Less) if operations.is_empty() => vec![Operation::Strike(feature)],
        _ => Vec::new(),
    });
    operations
}

/// An edit unrelated to the writer's preferences: a feature and a direction drawn at random.
pub fn anything(text: &str, pool: &Pool, dice: &mut Dice) -> Option<String> {
    let feature = *dice.pick(&MOVABLE)?;
    let direction = if dice.heads(0.5) { Direction::More } else { Direction::Less };
    let operations = towards(pool.language, feature, direction);
    dice.pick(&operations)?.apply(text, pool, dice)
}

impl Operation {
    /// The text after the operation; `None` where it has no site.
    pub fn apply(self, text: &str, pool: &Pool, dice: &mut Dice) -> Option<String> {
        match self {
            Self::At(find) => dice.pick(&find(text)).map(|site| with(text, std::slice::from_ref(site))),
            Self::Everywhere(find) => {
                let sites = find(text);
                (!sites.is_empty()).then(|| with(text, &sites))
            }
            Self::Put(find, words) => {
                let at = *dice.pick(&find(text))?;
                let word = dice.pick(words)?;
                Some(with(text, &[(at..at, (*word).to_owned())]))
            }
            Self::Strike(feature) => {
                let spans = spans(text);
                let of = |span: &Range<usize>| measure_as(&text[span.clone()], pool.language).get(feature);
                let richest = spans.iter().max_by(|one, two| of(one).total_cmp(&of(two)))?;
                if spans.len() < 2 || of(richest) <= 0.0 { None } else { Some(without(text, richest.clone())) }
            }
            Self::StrikeAny => {
                let spans = spans(text);
                if spans.len() < 2 { None } else { dice.pick(&spans).map(|span| without(text, span.clone())) }
            }
            Self::Write(feature) => {
                let some: Vec<usize> = (0..24).map(|_| dice.below(pool.sentences.len())).collect();
                let of = |at: &usize| pool.sentences[*at].1.get(feature);
                let richest = *some.iter().max_by(|one, two| of(one).total_cmp(&of(two)))?;
                insert(text, &pool.sentences[richest].0, pool.language, dice)
            }
            Self::WriteAny => {
                let (sentence, _) = dice.pick(&pool.sentences)?;
                insert(text, sentence, pool.language, dice)
            }
        }
    }
}

/// A typo, or its correction: two neighbouring letters inside a word are swapped.
pub fn typo(text: &str, dice: &mut Dice) -> String {
    let letters: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| c.is_alphabetic()).collect();
    let inside: Vec<usize> = (1..letters.len().saturating_sub(2))
        .filter(|at| {
            letters[at + 1].0 == letters[*at].0 + letters[*at].1.len_utf8() && letters[*at].1 != letters[at + 1].1
        })
        .filter(|at| !letters[*at].1.is_uppercase() && !letters[at + 1].1.is_uppercase())
        .collect();
    let Some(at) = dice.pick(&inside) else { return text.to_owned() };
    let (one, two) = (letters[*at], letters[at + 1]);
    with(text, &[(one.0..two.0 + two.1.len_utf8(), format!("{}{}", two.1, one.1))])
}

/// The text with the sites replaced; they must be in order and must not overlap.
fn with(text: &str, sites: &[Site]) -> String {
    let mut made = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for (range, word) in sites {
        if range.start < from {
            continue;
        }
        made.push_str(&text[from..range.start]);
        made.push_str(word);
        from = range.end;
    }
    made.push_str(&text[from..]);
    made
}

/// The ranges of the sentences.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let at = |sentence: &str| sentence.as_ptr() as usize - text.as_ptr() as usize;
    sentences::split(text).into_iter().map(|sentence| at(sentence)..at(sentence) + sentence.len()).collect()
}

fn without(text: &str, span: Range<usize>) -> String {
    let made = format!("{}{}", &text[..span.start], text[span.end..].trim_start_matches([' ', '\n']));
    made.trim().to_owned()
}

fn insert(text: &str, sentence: &str, language: Language, dice: &mut Dice) -> Option<String> {
    let spans = spans(text);
    let at = dice.pick(&spans)?.end;
    let space = if language == Language::En { " " } else { "" };
    Some(format!("{}{space}{sentence}{}", &text[..at], &text[at..]))
}

/// The positions between two sentences of a paragraph.
fn gaps(text: &str) -> Vec<Range<usize>> {
    let spans = spans(text);
    let between = spans.windows(2).map(|pair| pair[0].end..pair[1].start);
    between.filter(|gap| !text[gap.clone()].contains('\n')).collect()
}

fn breaks(text: &str) -> Vec<Site> {
    gaps(text).into_iter().map(|gap| (gap, "\n".to_owned())).collect()
}

fn merges(text: &str) -> Vec<Site> {
    let is_en = palimpsest_text::detect(text) == Language::En;
    let space = if is_en { " " } else { "" };
    text.match_indices('\n').map(|(at, _)| (at..at + 1, space.to_owned())).collect()
}

/// Every occurrence of the first string of a pair, replaced by the second one.
fn swaps(text: &str, pairs: &[(&str, &str)]) -> Vec<Site> {
    let mut sites: Vec<Site> = pairs
        .iter()
        .flat_map(|(from, to)| text.match_indices(from).map(|(at, found)| (at..at + found.len(), (*to).to_owned())))
        .collect();
    sites.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
    sites
}
