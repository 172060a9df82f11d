//! Whereabouts in Chinese sentences, and the words that end them.

mod words;

use std::borrow::Cow;

use palimpsest_reader::mentions::Mention;

use self::words::{
    ADVERBS, ARRIVALS, BEFORE_SUBJECTS, BEHIND_OTHERS, DWELLS, HABITS, LINKS, MOTIONS, NO_BETWEEN, NO_MOTIONS, PASSING,
    PEOPLE, REPORTS, RESTS, VEHICLES,
};
use super::{
    Date, MAX_SUBJECTS, Narration, Pronoun, Rest, Shifts, Statement, date_of, is_place, narrated_times,
    nesting::Relation, statements_of,
};
use crate::{
    Book,
    sentences::{Sentence, is_character, leads_back},
    zh::{clause_end, clause_start, ends_clause, is_hypothetical, is_unreal, looks_back, masked, without_names},
};

/// Most characters between 在 and the place.
const MAX_BETWEEN: usize = 4;
/// Most adverbs in one place, and most characters of one that ends with 地.
const MAX_ADVERBS: usize = 4;
/// Most characters between two places of which one is in the other.
const MAX_LINK: usize = 6;

/// The narration of a sentence with its mentions.
struct Reading<'r, 'b> {
    book: &'r Book<'b>,
    sentence: &'r Sentence<'b>,
    /// The narration with the names.
    text: Cow<'b, str>,
    /// The narration with spaces in the place of names.
    nameless: String,
}

/// The statements of a sentence.
pub(super) fn whereabouts_in(book: &Book<'_>, all: &[Sentence<'_>], number: usize) -> Vec<Statement> {
    let sentence = &all[number];
    let text = masked(sentence);
    let nameless = without_names(sentence, &text);
    let is_unsure = is_unreal(&nameless) || is_hypothetical(&nameless) || looks_back(&nameless);
    let is_habit = HABITS.iter().any(|word| nameless.contains(word));
    if is_unsure || is_habit || leads_back(sentence) {
        return Vec::new();
    }
    let reading = Reading { book, sentence, text, nameless };
    statements_of(book, all, number, &reading)
}

/// The length of the longest word of a list at the start of a text.
fn word_length(text: &str, list: &[&str]) -> Option<usize> {
    list.iter().filter(|word| text.starts_with(**word)).map(|word| word.len()).max()
}

impl Narration for Reading<'_, '_> {
    fn stated_date(&self) -> Option<Date> {
        date_of(self.sentence, || {
            let end = self.nameless.find(['点', '时'])?;
            let digits = self.nameless[..end].chars().rev().take_while(|c| is_number(*c));
            let number: String = digits.collect();
            (!number.is_empty()).then_some(number)
        })
    }

    /// 林小满和周明远坐在.
    fn subjects_and_rest(&self, mention: &Mention) -> Option<(Vec<usize>, Rest)> {
        let start = mention.range.start;
        if self.sentence.is_spoken(start) || !self.may_be_subject(start) {
            return None;
        }
        let mut subjects = vec![mention.entity];
        let mut next = mention.range.end;
        let link = word_length(&self.text[next..], &["和", "与", "跟", "同", "、"]);
        let partner = link.and_then(|link| self.mention_at(next + link));
        if let Some(partner) = partner.filter(|partner| is_character(self.book, partner.entity)) {
            subjects.push(partner.entity);
            next = partner.range.end;
        }
        Some((subjects, self.rest_at(next)?))
    }

    fn pronoun_and_rest(&self) -> Option<(Pronoun, Rest)> {
        let pronouns = self.nameless.char_indices().filter(|(_, c)| matches!(c, '他' | '她'));
        pronouns.take(MAX_SUBJECTS).find_map(|(at, pronoun)| {
            let rest = self.rest_at(at + pronoun.len_utf8())?;
            self.may_be_subject(at).then_some((if pronoun == '他' { Pronoun::He } else { Pronoun::She }, rest))
        })
    }

    fn place_behind(&self, rest: &Rest) -> Option<&Mention> {
        let first = self.sentence.mentions.partition_point(|mention| mention.range.start < rest.next);
        let place = self.sentence.mentions.get(first).filter(|place| is_place(self.book, place.entity))?;
        let between = &self.text[rest.next..place.range.start];
        let is_between = between.chars().count() <= MAX_BETWEEN && !between.contains(ends_clause);
        if !is_between || between.contains(NO_BETWEEN) || between.contains(' ') {
            return None;
        }
        let behind = &self.nameless[place.range.end..clause_end(&self.nameless, place.range.end)];
        let is_other = word_length(behind, BEHIND_OTHERS).is_some()
            || behind.starts_with('的') && (rest.is_bare || VEHICLES.iter().any(|word| behind.contains(word)))
            || rest.is_bare && DWELLS.iter().any(|word| behind.contains(word))
            || ["待过", "呆过", "留过", "坐过", "站过"].iter().any(|word| behind.contains(word));
        (!is_other).then_some(place)
    }

    fn names_other(sentence: &Sentence<'_>, pronoun: Pronoun) -> bool {
        let opposite = match pronoun {
            Pronoun::He => '她',
            Pronoun::She => '他',
        };
        let text = without_names(sentence, &masked(sentence));
        text.contains([opposite, '们']) || PEOPLE.iter().any(|word| text.contains(word))
    }
}

impl Reading<'_, '_> {
    fn mention_at(&self, byte: usize) -> Option<&Mention> {
        let found = self.sentence.mentions.binary_search_by_key(&byte, |mention| mention.range.start).ok()?;
        self.sentence.mentions.get(found)
    }

    /// The end of an expression of time that starts at a byte.
    fn time_end(&self, byte: usize) -> Option<usize> {
        let found = narrated_times(self.sentence).find(|time| time.range.start == byte)?;
        Some(found.range.end)
    }

    /// Whether a name or pronoun at a byte may be the subject of a clause that no report contains.
    fn may_be_subject(&self, at: usize) -> bool {
        let is_reported = REPORTS.iter().any(|word| self.nameless[..at].contains(word));
        !is_reported && self.opens_clause(at)
    }

    /// Whether only a conjunction or a time stands before a subject in its clause.
    fn opens_clause(&self, start: usize) -> bool {
        let mut at = clause_start(&self.text, start);
        while at < start {
            let rest = &self.text[at..start];
            let space = rest.len() - rest.trim_start().len();
            let step = if space > 0 {
                space
            } else if let Some(end) = self.time_end(at) {
                end - at
            } else if let Some(length) = word_length(rest, BEFORE_SUBJECTS) {
                length
            } else {
                return false;
            };
            at += step;
        }
        at == start
    }

    fn rest_at(&self, mut at: usize) -> Option<Rest> {
        let mut is_arrival = false;
        for _ in 0..MAX_ADVERBS {
            let rest = &self.text[at..];
            if let Some(length) = word_length(rest, ARRIVALS) {
                is_arrival = true;
                at += length;
            } else if let Some(length) = word_length(rest, ADVERBS).or_else(|| manner_length(rest)) {
                at += length + word_length(&rest[length..], &["地"]).unwrap_or(0);
            } else if let Some(end) = self.time_end(at) {
                at = end;
            } else {
                break;
            }
        }
        let verb = word_length(&self.text[at..], RESTS);
        at += verb.unwrap_or(0);
        let next = at + self.text[at..].starts_with('在').then_some("在".len())?;
        Some(Rest { next, is_bare: verb.is_none(), is_present_tense: false, is_arrival })
    }
}

/// Whether a character is a part of a number.
fn is_number(c: char) -> bool {
    c.is_ascii_digit() || "零〇一二两三四五六七八九十".contains(c)
}

/// The length of an adverb of manner that ends with 地.
fn manner_length(text: &str) -> Option<usize> {
    let (at, _) = text.char_indices().take(MAX_ADVERBS + 1).find(|(_, c)| *c == '地')?;
    let is_word = at > 0 && !text[..at].contains(|c: char| ends_clause(c) || c == ' ' || c == '在');
    is_word.then_some(at + "地".len())
}

/// The shifts in the narration of a sentence.
pub(super) fn shifts_in(sentence: &Sentence<'_>) -> Shifts {
    let mut text = without_names(sentence, &masked(sentence));
    for word in NO_MOTIONS {
        text = text.replace(word, &" ".repeat(word.len()));
    }
    let last = |list: &[&str]| list.iter().filter_map(|word| text.rfind(word)).max();
    let dated = narrated_times(sentence).last().map(|time| time.range.start);
    Shifts { motion: last(MOTIONS), time: last(PASSING).max(dated) }
}

/// The relation of two places with some text between them.
pub(super) fn relation(between: &str) -> Option<Relation> {
    let between = between.trim();
    if between.is_empty() {
        return Some(Relation::Contains);
    }
    if between.chars().count() > MAX_LINK {
        return None;
    }
    if between.contains(['，', ',']) {
        return between.contains('在').then_some(Relation::Beside);
    }
    let is_motion = between.contains(['到', '去', '来', '往', '从', '和', '与', '跟', '及', '、', '。', '”', '“']);
    if is_motion {
        return None;
    }
    if between.contains('在') {
        return Some(Relation::IsIn);
    }
    (between.ends_with('的') || LINKS.contains(&between)).then_some(Relation::Contains)
}

/// Whether a text ends with 在 and a few characters.
pub(super) fn is_located(before: &str) -> bool {
    before.chars().rev().take(MAX_BETWEEN).take_while(|c| !ends_clause(*c)).any(|c| c == '在')
}
