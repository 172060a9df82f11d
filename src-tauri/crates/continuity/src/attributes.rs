//! Values of exclusive attributes that the narration gives to characters: the colour of eyes, hair and beard, the side
//! of an injury or a mark, and the hand that a character writes with.
//!
//! ```text
//! sentences ─► statements (entity, attribute, value) ─► pairs of statements of which only one can hold
//! ```
//!
//! A statement is one sentence whose words say whose attribute it is. It may still be the narrator's irony, a disguise
//! or a change: a model judges that, with one request for each pair. A sentence that tells of a change (*turned grey*,
//! 染, 不再) states nothing, since the answer to it is known: a change contradicts no earlier value. White and grey hair
//! is left out for the same reason.

mod en;
mod zh;

use std::{collections::BTreeMap, ops::Range};

use palimpsest_text::Language;

use crate::{
    Book, Kind,
    pairs::{Pair, pair_of},
    sentences::{Sentence, Sentences, is_character},
};

/// Most statements of one attribute of a character that are compared.
const MAX_STATEMENTS: usize = 1_000;
/// Most values that are read in one sentence: a text without full stops is one sentence.
const MAX_OF_SENTENCE: usize = 16;
/// Most pairs of one attribute of a character.
const MAX_OF_ATTRIBUTE: usize = 4;
/// Most pairs with the same odd value. A second one helps where the first statement was misread.
const MAX_OF_VALUE: usize = 2;

/// Values are sets of bits: two of them exclude each other if they have no bit in common.
type Value = u16;
const BLACK: Value = 1;
const BROWN: Value = 1 << 1;
const BLUE: Value = 1 << 2;
const GREEN: Value = 1 << 3;
const GREY: Value = 1 << 4;
const RED: Value = 1 << 5;
const FAIR: Value = 1 << 6;
const AMBER: Value = 1 << 7;
const VIOLET: Value = 1 << 8;
const LEFT: Value = 1 << 9;
const RIGHT: Value = 1 << 10;

/// An attribute of which a character has one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Attribute {
    Eyes,
    Hair,
    Beard,
    Handedness,
    /// The side of a limb with a mark.
    Side(Limb, Mark),
}

/// A part of the body that has a left and a right one. Feet, knees and thighs count as legs, since a limp concerns any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Limb {
    Leg,
    Arm,
    Elbow,
    Wrist,
    Hand,
    Shoulder,
    Eye,
    Ear,
    Cheek,
    Brow,
}

/// A kind of mark. Marks of two kinds may well be on two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Injury,
    Scar,
    Mole,
    Tattoo,
}

impl Attribute {
    /// The attribute in the language of the book.
    fn word(self, language: Language) -> &'static str {
        let words = match self {
            Self::Eyes => ["eyes", "眼睛"],
            Self::Hair => ["hair", "头发"],
            Self::Beard => ["beard", "胡子"],
            Self::Handedness => ["handedness", "惯用手"],
            Self::Side(limb, _) => match limb {
                Limb::Leg => ["leg", "腿"],
                Limb::Arm => ["arm", "手臂"],
                Limb::Elbow => ["elbow", "肘"],
                Limb::Wrist => ["wrist", "手腕"],
                Limb::Hand => ["hand", "手"],
                Limb::Shoulder => ["shoulder", "肩膀"],
                Limb::Eye => ["eye", "眼"],
                Limb::Ear => ["ear", "耳朵"],
                Limb::Cheek => ["cheek", "脸"],
                Limb::Brow => ["brow", "眉"],
            },
        };
        words[usize::from(language == Language::Zh)]
    }
}

/// A value of an attribute by one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Statement {
    entity: usize,
    attribute: Attribute,
    value: Value,
    /// Number of the sentence.
    sentence: usize,
    /// Bytes of the value in its sentence.
    range: Range<usize>,
}

impl Statement {
    /// Whether two statements give one attribute values of which only one can hold.
    fn excludes(&self, other: &Self) -> bool {
        self.entity == other.entity && self.attribute == other.attribute && self.value & other.value == 0
    }
}

/// The gender of the pronouns of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gender {
    Male,
    Female,
}

/// How often each gender's pronouns stand in sentences that name one character alone.
struct Genders {
    counts: BTreeMap<usize, [u32; 2]>,
}

impl Genders {
    /// Least number of sentences from which a gender is known.
    const MIN_SENTENCES: u32 = 3;

    fn new(book: &Book<'_>, sentences: &Sentences<'_>) -> Self {
        let mut counts: BTreeMap<usize, [u32; 2]> = BTreeMap::new();
        for sentence in &sentences.all {
            let Some(entity) = only_character(book, sentence) else { continue };
            let found = match book.language {
                Language::En => en::genders_in(sentence),
                Language::Zh => zh::genders_in(sentence),
            };
            let count = counts.entry(entity).or_default();
            count[0] += u32::from(found[0]);
            count[1] += u32::from(found[1]);
        }
        Self { counts }
    }

    /// The gender of a character, if most of its sentences have the pronouns of one.
    fn of_entity(&self, entity: usize) -> Option<Gender> {
        let [male, female] = self.counts.get(&entity).copied().unwrap_or_default();
        if male >= Self::MIN_SENTENCES && male > 2 * female {
            Some(Gender::Male)
        } else if female >= Self::MIN_SENTENCES && female > 2 * male {
            Some(Gender::Female)
        } else {
            None
        }
    }
}

/// The characters that the narration of a sentence names, each mention.
fn narrated<'s>(book: &Book<'_>, sentence: &'s Sentence<'_>) -> impl Iterator<Item = (usize, &'s Range<usize>)> {
    let mentions = sentence.mentions.iter().filter(|mention| !sentence.is_spoken(mention.range.start));
    let characters: Vec<_> = mentions.filter(|mention| is_character(book, mention.entity)).collect();
    characters.into_iter().map(|mention| (mention.entity, &mention.range))
}

/// The character of a sentence whose narration names no other one.
fn only_character(book: &Book<'_>, sentence: &Sentence<'_>) -> Option<usize> {
    let mut characters = narrated(book, sentence);
    let (first, _) = characters.next()?;
    characters.all(|(other, _)| other == first).then_some(first)
}

/// The statements of a sentence, without those that exclude each other: both of its legs may be lame.
fn without_exclusions(statements: Vec<Statement>) -> Vec<Statement> {
    let is_alone = |one: &&Statement| !statements.iter().any(|other| one.excludes(other));
    statements.iter().filter(is_alone).cloned().collect()
}

/// The sentence before, if it is in the same paragraph.
fn sentence_before<'s, 'b>(all: &'s [Sentence<'b>], number: usize) -> Option<&'s Sentence<'b>> {
    all.get(number.checked_sub(1)?).filter(|before| before.is_beside(&all[number]))
}

/// The pairs of sentences whose narration gives a character two values of one attribute.
pub(crate) fn attribute_pairs(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Pair> {
    let genders = Genders::new(book, sentences);
    let mut groups: BTreeMap<(usize, Attribute), Vec<Statement>> = BTreeMap::new();
    for number in 0..sentences.all.len() {
        let statements = match book.language {
            Language::En => en::attributes_in(book, &sentences.all, number, &genders),
            Language::Zh => zh::attributes_in(book, &sentences.all, number, &genders),
        };
        for statement in statements {
            let group = groups.entry((statement.entity, statement.attribute)).or_default();
            if group.len() < MAX_STATEMENTS {
                group.push(statement);
            }
        }
    }
    let mut pairs = Vec::new();
    for ((entity, attribute), statements) in groups {
        let place = |one: &Statement| {
            let sentence = &sentences.all[one.sentence];
            (sentence.place(Some(one.range.clone())), sentence.text[one.range.clone()].to_owned())
        };
        let word = attribute.word(book.language);
        let odd = odd_statements(&statements).into_iter();
        pairs
            .extend(odd.map(|(one, other)| pair_of(book, (Kind::Attribute, entity, word), [place(one), place(other)])));
    }
    pairs
}

/// The statements that do not agree with the value that most of them support, each beside the first one of that value.
/// Of two values with the same support the first one is right.
fn odd_statements(statements: &[Statement]) -> Vec<(&Statement, &Statement)> {
    let mut counts: BTreeMap<Value, usize> = BTreeMap::new();
    for statement in statements {
        *counts.entry(statement.value).or_default() += 1;
    }
    let support = |value: Value| -> usize {
        counts.iter().filter(|(other, _)| *other & value != 0).map(|(_, count)| count).sum()
    };
    let supports: BTreeMap<Value, usize> = counts.keys().map(|value| (*value, support(*value))).collect();
    let most = supports.values().copied().max().unwrap_or(0);
    let Some(right) = statements.iter().find(|one| supports.get(&one.value) == Some(&most)) else { return Vec::new() };
    let mut shown: BTreeMap<Value, usize> = BTreeMap::new();
    let is_odd = |one: &&Statement| one.excludes(right);
    let is_new = |one: &&Statement| {
        let count = shown.entry(one.value).or_default();
        *count += 1;
        *count <= MAX_OF_VALUE
    };
    statements.iter().filter(is_odd).filter(is_new).take(MAX_OF_ATTRIBUTE).map(|one| (one, right)).collect()
}

#[cfg(test)]
mod tests;
