//! Statements of attributes in Chinese sentences.

mod words;

use std::{borrow::Cow, ops::Range};

use self::words::{
    ACTS, BEFORE_ACTING_HANDS, BETWEEN_PREDICATE, CHANGES, DENIALS, DETERMINERS, EYES, HAIR, NO_ADJECTIVES,
    NOT_BEHIND_SHORT, NOUNS, OTHERS, SHORT_NOUNS, limb_at, mark_at,
};
use super::{
    Attribute, Gender, Genders, LEFT, Limb, MAX_OF_SENTENCE, Mark, RIGHT, Statement, Value, narrated, only_character,
    sentence_before, without_exclusions,
};
use crate::{
    Book,
    sentences::Sentence,
    zh::{clause_end, clause_start, is_hypothetical, is_unreal, masked, without_names},
};

/// Most characters between a colour and its noun.
const MAX_ADJECTIVE: usize = 4;
/// Most characters between a limb and its mark.
const MAX_DISTANCE: usize = 9;
/// Characters of which one stands in each sentence with a statement.
const HINTS: [char; 11] = ['眼', '眸', '瞳', '发', '辫', '尾', '胡', '须', '髯', '左', '右'];

/// Whether the narration of a sentence has masculine, and feminine pronouns.
pub(super) fn genders_in(sentence: &Sentence<'_>) -> [bool; 2] {
    let text = masked(sentence);
    [text.contains('他'), text.contains('她')]
}

/// The possessor of a noun phrase, as far as the phrase says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Possessor {
    Named(usize),
    Pronoun(Gender),
    Open,
    Foreign,
}

/// A value before it is known whose it is.
struct Found {
    attribute: Attribute,
    value: Value,
    /// Bytes of the value.
    range: Range<usize>,
    /// Bytes of the noun phrase with the value.
    phrase: Range<usize>,
}

/// A sentence with what its statements depend on.
struct Reading<'r, 'b> {
    book: &'r Book<'b>,
    all: &'r [Sentence<'b>],
    number: usize,
    /// The narration with the names.
    text: Cow<'b, str>,
    /// The narration with spaces in the place of names.
    nameless: String,
    genders: &'r Genders,
}

/// The statements of a sentence.
pub(super) fn attributes_in(book: &Book<'_>, all: &[Sentence<'_>], number: usize, genders: &Genders) -> Vec<Statement> {
    let sentence = &all[number];
    if !sentence.text.contains(HINTS) {
        return Vec::new();
    }
    let text = masked(sentence);
    let nameless = without_names(sentence, &text);
    let is_question = text.trim_end().ends_with(['？', '?']);
    let is_changed = CHANGES.iter().any(|word| nameless.contains(word));
    if is_question || is_changed || is_unreal(&nameless) || is_hypothetical(&nameless) {
        return Vec::new();
    }
    let reading = Reading { book, all, number, text, nameless, genders };
    let found = reading.nameless.char_indices().filter_map(|(at, _)| {
        reading.colour_at(at).or_else(|| reading.side_at(at)).or_else(|| reading.handedness_at(at))
    });
    without_exclusions(found.take(MAX_OF_SENTENCE).filter_map(|found| reading.statement_of(&found)).collect())
}

/// The colour at the start of a text, with its length; 色 belongs to it.
fn colour(text: &str, attribute: Attribute) -> Option<(Value, usize)> {
    let list: &[(&str, Value)] = if attribute == Attribute::Eyes { &EYES } else { &HAIR };
    let (word, value) = list.iter().find(|(word, _)| text.starts_with(word))?;
    let suffix = ["色", "漆漆", "幽幽", "汪汪", "油油", "黝黝", "澄澄", "莹莹", "盈盈"];
    let more = suffix.iter().find(|suffix| text[word.len()..].starts_with(**suffix)).map_or(0, |suffix| suffix.len());
    Some((*value, word.len() + more))
}

/// The noun of a coloured thing at the start of a text.
fn noun(text: &str) -> Option<(&'static str, Attribute)> {
    NOUNS.iter().find(|(word, _)| text.starts_with(word)).copied()
}

impl<'b> Reading<'_, 'b> {
    fn sentence(&self) -> &Sentence<'b> {
        &self.all[self.number]
    }

    /// The colour of eyes, hair or beard whose phrase starts at a byte.
    fn colour_at(&self, at: usize) -> Option<Found> {
        self.coloured_noun(at).or_else(|| self.noun_with_colour(at))
    }

    /// A colour before its noun: 蓝的眼睛, 乌黑的长发, 金发.
    fn coloured_noun(&self, at: usize) -> Option<Found> {
        let rest = &self.nameless[at..];
        [Attribute::Eyes, Attribute::Hair, Attribute::Beard].into_iter().find_map(|attribute| {
            let (value, length) = colour(rest, attribute)?;
            if self.is_inside_colour(at, attribute) {
                return None;
            }
            let mut behind = rest[length..].char_indices().map(|(offset, c)| (length + offset, c));
            for number in 0..=MAX_ADJECTIVE {
                let (offset, c) = behind.next()?;
                if let Some((word, found)) = noun(&rest[offset..]) {
                    let end = offset + word.len();
                    let is_short = SHORT_NOUNS.contains(&word);
                    let ends = rest[end..].chars().next().is_none_or(|next| !NOT_BEHIND_SHORT.contains(next));
                    if found == attribute && (!is_short || ends && number == 0) {
                        return Some(Found { attribute, value, range: at..at + length, phrase: at..at + end });
                    }
                    if !is_short {
                        return None;
                    }
                }
                if NO_ADJECTIVES.contains(c) {
                    return None;
                }
            }
            None
        })
    }

    /// Whether a colour at a byte is the end of a longer one.
    fn is_inside_colour(&self, at: usize, attribute: Attribute) -> bool {
        let before = self.nameless[..at].char_indices().next_back();
        before.is_some_and(|(start, c)| {
            colour(&self.nameless[start..], attribute).is_some_and(|(_, length)| start + length > at)
                || colour(&self.nameless[start..], attribute).is_some() && c != '色'
        })
    }

    /// A noun before its colour: 眼睛是蓝的, 头发又黑又直, 双眸湛蓝.
    fn noun_with_colour(&self, at: usize) -> Option<Found> {
        let rest = &self.nameless[at..];
        let (word, attribute) = noun(rest)?;
        if SHORT_NOUNS.contains(&word) {
            return None;
        }
        let mut offset = word.len();
        for _ in 0..=MAX_ADJECTIVE {
            if let Some((value, length)) = colour(&rest[offset..], attribute) {
                let end = offset + length;
                let (next, is_end) = (rest[end..].chars().next(), end == rest.len());
                // 眼睛黑白分明; 头发黑了 is a change; 眼前一黑 is no eye.
                let is_closed =
                    is_end || next.is_some_and(|c| "的得而，。；！、,又发亮如 ".contains(c)) || length > "蓝".len();
                let is_noun = rest[end..].starts_with("发丝") || rest[end..].starts_with("发带");
                return (is_closed && !is_noun && next != Some('了')).then_some(Found {
                    attribute,
                    value,
                    range: at + offset..at + end,
                    phrase: at..at + end,
                });
            }
            let c = rest[offset..].chars().next()?;
            if !BETWEEN_PREDICATE.contains(c) {
                return None;
            }
            offset += c.len_utf8();
        }
        None
    }

    /// 左撇子, 惯用右手, 左手写字.
    fn handedness_at(&self, at: usize) -> Option<Found> {
        let rest = &self.nameless[at..];
        let words = [
            ("左撇子", LEFT),
            ("右撇子", RIGHT),
            ("惯用左手", LEFT),
            ("惯用右手", RIGHT),
            ("左手写字", LEFT),
            ("右手写字", RIGHT),
            ("左手拿筷", LEFT),
            ("右手拿筷", RIGHT),
            ("左手执笔", LEFT),
            ("右手执笔", RIGHT),
        ];
        let (word, value) = words.iter().find(|(word, _)| rest.starts_with(word))?;
        let range = at..at + word.len();
        Some(Found { attribute: Attribute::Handedness, value: *value, range: range.clone(), phrase: range })
    }

    /// The side of a limb with a mark in its clause: 瘸着左腿, 右脸上有一道疤.
    fn side_at(&self, at: usize) -> Option<Found> {
        let rest = &self.nameless[at..];
        let (side, value) = [("左", LEFT), ("右", RIGHT)].into_iter().find(|(side, _)| rest.starts_with(side))?;
        let offset = side.len()
            + ["边的", "侧的", "边", "侧", "面"]
                .iter()
                .find(|word| rest[side.len()..].starts_with(**word))
                .map_or(0, |word| word.len());
        let (limb, length) = limb_at(&rest[offset..])?;
        let phrase = at..at + offset + length;
        let other = if value == LEFT { '右' } else { '左' };
        let is_other_side = self
            .nameless
            .match_indices(other)
            .any(|(place, word)| limb_at(&self.nameless[place + word.len()..]).is_some_and(|(named, _)| named == limb));
        if is_other_side {
            return None;
        }
        let mark = self.mark_behind(&phrase, limb).or_else(|| self.mark_before(phrase.start, limb))?;
        Some(Found { attribute: Attribute::Side(limb, mark), value, range: at..at + side.len(), phrase })
    }

    /// The mark behind a limb: 右脸上有一道疤.
    fn mark_behind(&self, phrase: &Range<usize>, limb: Limb) -> Option<Mark> {
        // 用右手包扎伤口
        if BEFORE_ACTING_HANDS.iter().any(|word| self.nameless[..phrase.start].ends_with(word)) {
            return None;
        }
        let clause = phrase.end..clause_end(&self.nameless, phrase.end);
        for (offset, c) in self.nameless[clause].char_indices().take(MAX_DISTANCE) {
            if let Some((mark, _)) = mark_at(&self.nameless, phrase.end + offset, limb) {
                return Some(mark);
            }
            if ACTS.contains(&c) || matches!(c, '左' | '右' | ' ') {
                return None;
            }
        }
        None
    }

    /// The mark before a limb: 瘸着左腿, 打穿了周明远的左肩.
    fn mark_before(&self, to: usize, limb: Limb) -> Option<Mark> {
        let clause = clause_start(&self.nameless, to)..to;
        let from = clause.start;
        let before: Vec<(usize, char)> = self.nameless[clause].char_indices().filter(|(_, c)| *c != ' ').collect();
        for (offset, c) in before.into_iter().rev().take(MAX_DISTANCE) {
            if let Some((mark, _)) = mark_at(&self.nameless, from + offset, limb) {
                return Some(mark);
            }
            if ACTS.contains(&c) || matches!(c, '左' | '右' | '被') {
                return None;
            }
        }
        None
    }

    /// The possessor that the words before a phrase, or those behind it, say.
    fn possessor(&self, phrase: &Range<usize>) -> Possessor {
        // 蓝眼睛的周明远
        let behind = self.nameless[phrase.end..].strip_prefix('的').map(|_| phrase.end + "的".len());
        let named = behind.and_then(|at| narrated(self.book, self.sentence()).find(|(_, range)| range.start == at));
        if let Some((entity, _)) = named {
            return Possessor::Named(entity);
        }
        let mut end = phrase.start;
        let mut has_of = false;
        loop {
            if let Some((entity, _)) = narrated(self.book, self.sentence()).find(|(_, range)| range.end == end) {
                return Possessor::Named(entity);
            }
            let before = &self.text[..end];
            let Some(word) = DETERMINERS.iter().find(|word| before.ends_with(**word)) else { break };
            has_of |= *word == "的";
            end -= word.len();
        }
        let before = &self.text[..end];
        let before = before.strip_suffix("自己").filter(|_| has_of).unwrap_or(before);
        if before.ends_with('他') {
            Possessor::Pronoun(Gender::Male)
        } else if before.ends_with('她') {
            Possessor::Pronoun(Gender::Female)
        } else if before.ends_with(['我', '你', '们', '它']) {
            Possessor::Foreign
        } else {
            Possessor::Open
        }
    }

    /// The statement of a value, if it is clear whose it is and nothing denies it.
    fn statement_of(&self, found: &Found) -> Option<Statement> {
        let clause = clause_start(&self.nameless, found.phrase.start)..found.range.start.max(found.phrase.start);
        if DENIALS.iter().any(|word| self.nameless[clause.clone()].contains(word)) {
            return None;
        }
        let entity = match self.possessor(&found.phrase) {
            Possessor::Named(entity) => entity,
            Possessor::Foreign => return None,
            Possessor::Pronoun(gender) => self.pronoun_possessor(found.phrase.start, gender)?,
            Possessor::Open => self.open_possessor(&found.phrase)?,
        };
        let (attribute, range) = (found.attribute, found.range.clone());
        Some(Statement { entity, attribute, value: found.value, sentence: self.number, range })
    }

    /// Whether a noun for somebody else stands before a phrase, or is what it describes: 黑眼睛的姑娘.
    fn is_other_near(&self, phrase: &Range<usize>) -> bool {
        let behind = &self.nameless[phrase.end..clause_end(&self.nameless, phrase.end)];
        OTHERS.iter().any(|word| self.nameless[..phrase.start].contains(word))
            || behind.strip_prefix('的').is_some_and(|rest| OTHERS.iter().any(|word| rest.contains(word)))
    }

    /// The character that 他 or 她 before a phrase means.
    fn pronoun_possessor(&self, at: usize, gender: Gender) -> Option<usize> {
        let opposite = if gender == Gender::Male { '她' } else { '他' };
        if self.nameless.contains(opposite) || self.is_other_near(&(at..at)) {
            return None;
        }
        let entity = match only_character(self.book, self.sentence()) {
            Some(entity) => entity,
            None => self.character_before()?,
        };
        self.genders.of_entity(entity).is_none_or(|known| known == gender).then_some(entity)
    }

    /// The only character of the sentence before, if this sentence names none.
    fn character_before(&self) -> Option<usize> {
        if narrated(self.book, self.sentence()).next().is_some() {
            return None;
        }
        let before = sentence_before(self.all, self.number)?;
        let entity = only_character(self.book, before)?;
        let text = masked(before);
        let is_clear = !OTHERS.iter().any(|word| text.contains(word)) && !text.contains(['他', '她']);
        is_clear.then_some(entity)
    }

    /// The character of a phrase without a possessor: the only one of the sentence, named before it.
    fn open_possessor(&self, phrase: &Range<usize>) -> Option<usize> {
        if self.is_other_near(phrase) {
            return None;
        }
        let Some(entity) = only_character(self.book, self.sentence()) else {
            let start = self.nameless.trim_start();
            let gender = match start.chars().next()? {
                '他' => Gender::Male,
                '她' => Gender::Female,
                _ => return None,
            };
            return self.pronoun_possessor(phrase.start, gender);
        };
        let is_before = narrated(self.book, self.sentence()).any(|(_, range)| range.end <= phrase.start);
        is_before.then_some(entity)
    }
}
