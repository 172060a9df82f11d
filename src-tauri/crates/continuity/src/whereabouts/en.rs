//! Whereabouts in English sentences, and the words that end them.

mod words;

use palimpsest_reader::mentions::Mention;

use self::words::{
    ADVERBS, ARRIVALS, AT_WORK, BEFORE_SUBJECTS, BEHIND_PLACES, COPULAS, DETERMINERS, HABITS, MOTION_FORMS, MOTIONS,
    NESTINGS, NO_BETWEEN, PARTS, PASSING, PEOPLE, PREPOSITIONS, REPORTS, RESTING, RESTS, RESTS_NOW, SETTING_OUT,
};
use super::{
    Date, MAX_SUBJECTS, Narration, Pronoun, Rest, Shifts, Statement, date_of, is_place, narrated_times,
    nesting::Relation, statements_of,
};
use crate::{
    Book,
    en::{KIN, Words, is_conditional, is_thought, looks_back, names_unreal, narration},
    sentences::{Sentence, is_character, leads_back},
};

/// Most words between a verb and the preposition, and between two places of which one is in the other.
const MAX_BETWEEN: usize = 4;
/// Most adverbs in one place.
const MAX_ADVERBS: usize = 4;

/// The words of a sentence with its mentions.
struct Reading<'r, 'b> {
    book: &'r Book<'b>,
    sentence: &'r Sentence<'b>,
    words: Words<'b>,
}

/// The statements of a sentence.
pub(super) fn whereabouts_in(book: &Book<'_>, all: &[Sentence<'_>], number: usize) -> Vec<Statement> {
    let sentence = &all[number];
    let words = narration(sentence);
    let is_unsure = names_unreal(&words) || is_thought(&words) || looks_back(&words) || words.has(HABITS);
    if is_unsure || leads_back(sentence) {
        return Vec::new();
    }
    let reading = Reading { book, sentence, words };
    statements_of(book, all, number, &reading)
}

impl Narration for Reading<'_, '_> {
    fn stated_date(&self) -> Option<Date> {
        date_of(self.sentence, || {
            let at = self.words.all.iter().position(|word| word.lower == "o'clock")?;
            Some(self.words.lower(at.checked_sub(1)?).to_owned())
        })
    }

    /// `Mara and Tobias sat in`.
    fn subjects_and_rest(&self, mention: &Mention) -> Option<(Vec<usize>, Rest)> {
        if self.sentence.is_spoken(mention.range.start) || !self.may_be_subject(self.words.word_at(mention.range.start))
        {
            return None;
        }
        let mut subjects = vec![mention.entity];
        let mut next = self.words.word_at(mention.range.end);
        let partner = self.mention_at(next + 1).filter(|other| is_character(self.book, other.entity));
        if let Some(partner) = partner.filter(|_| self.words.joined(next) == "and") {
            subjects.push(partner.entity);
            next = self.words.word_at(partner.range.end);
        }
        let is_owner = next.checked_sub(1).and_then(|at| self.words.all.get(at)).is_none_or(|word| word.is_possessive);
        let rest = self.rest_at(next).filter(|_| !is_owner)?;
        Some((subjects, rest))
    }

    fn pronoun_and_rest(&self) -> Option<(Pronoun, Rest)> {
        let is_pronoun =
            |at: &usize| matches!(self.words.lower(*at), "he" | "she") && !self.words.all[*at].is_possessive;
        (0..self.words.all.len()).filter(is_pronoun).take(MAX_SUBJECTS).find_map(|at| {
            let rest = self.rest_at(at + 1).filter(|_| self.may_be_subject(at))?;
            let pronoun = if self.words.lower(at) == "he" { Pronoun::He } else { Pronoun::She };
            Some((pronoun, rest))
        })
    }

    fn place_behind(&self, rest: &Rest) -> Option<&Mention> {
        let most = if rest.is_bare { 0 } else { MAX_BETWEEN };
        for at in rest.next..=rest.next + most {
            let word = self.words.joined(at);
            if word.is_empty() || NO_BETWEEN.contains(&word) {
                return None;
            }
            let place = self.place_at(at + 1).or_else(|| self.place_at(self.word_behind_part(at + 1)?));
            if let Some(place) = place.filter(|_| PREPOSITIONS.contains(&word)) {
                return Some(place);
            }
        }
        None
    }

    fn names_other(sentence: &Sentence<'_>, pronoun: Pronoun) -> bool {
        let opposite = match pronoun {
            Pronoun::He => ["she", "her", "herself"],
            Pronoun::She => ["he", "him", "his"],
        };
        let words = narration(sentence);
        words.has(&opposite) || words.has(&KIN) || words.has(PEOPLE)
    }
}

impl<'b> Reading<'_, 'b> {
    /// The mention that starts with a word of the narration.
    fn mention_at(&self, at: usize) -> Option<&Mention> {
        let word = self.words.all.get(at)?;
        let found = self.sentence.mentions.binary_search_by_key(&word.start, |mention| mention.range.start).ok()?;
        self.sentence.mentions.get(found)
    }

    /// Whether a word may be the subject of a clause that no report or condition contains.
    fn may_be_subject(&self, at: usize) -> bool {
        let is_reported = (0..at).any(|before| REPORTS.contains(&self.words.lower(before)));
        self.opens_clause(at) && !is_reported && !is_conditional(&self.words, at)
    }

    /// Whether a subject at a word is the first one of its clause.
    fn opens_clause(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        if !self.words.all.get(at).is_some_and(|word| word.marks.is_empty()) {
            return true;
        }
        let is_behind_date = self.words.all.get(before).is_some_and(|word| {
            narrated_times(self.sentence).any(|time| word.start < time.range.end && time.range.end <= word.end)
        });
        // The partner of another subject is read with it.
        let is_partner = self.words.lower(before) == "and"
            && self.sentence.mentions.iter().any(|mention| {
                is_character(self.book, mention.entity) && self.words.word_at(mention.range.end) == before
            });
        !is_partner && (is_behind_date || BEFORE_SUBJECTS.contains(&self.words.lower(before)))
    }

    /// The word behind some adverbs, and whether one of them is that of an arrival.
    fn skip_adverbs(&self, mut at: usize) -> (usize, bool) {
        let (start, mut is_arrival) = (at, false);
        while at < start + MAX_ADVERBS {
            let word = self.words.joined(at);
            let is_arriving = ARRIVALS.contains(&word);
            let is_manner = word.ends_with("ly") && word.len() > 4;
            let is_at_work = word == "at" && AT_WORK.contains(&self.words.joined(at + 1));
            if !is_arriving && !is_manner && !is_at_work && !ADVERBS.contains(&word) {
                break;
            }
            is_arrival |= is_arriving;
            at += 1 + usize::from(is_at_work);
        }
        (at, is_arrival)
    }

    fn rest_at(&self, at: usize) -> Option<Rest> {
        let (at, is_arrival) = self.skip_adverbs(at);
        let verb = self.words.joined(at);
        let is_present_tense = RESTS_NOW.contains(&verb) || matches!(verb, "is" | "are");
        let (next, is_late) = self.skip_adverbs(at + 1);
        let is_arrival = is_arrival || is_late;
        if RESTS.contains(&verb) || RESTS_NOW.contains(&verb) {
            return Some(Rest { next, is_present_tense, is_bare: false, is_arrival });
        }
        if !COPULAS.contains(&verb) {
            return None;
        }
        let is_resting = RESTING.contains(&self.words.joined(next));
        Some(Rest { next: next + usize::from(is_resting), is_present_tense, is_bare: !is_resting, is_arrival })
    }

    /// The word behind `a corner of` at a word.
    fn word_behind_part(&self, at: usize) -> Option<usize> {
        let noun = at + usize::from(DETERMINERS.contains(&self.words.joined(at)));
        let is_part = PARTS.contains(&self.words.joined(noun)) && self.words.joined(noun + 1) == "of";
        is_part.then_some(noun + 2)
    }

    /// The place of a noun phrase at a word, unless it is a part of a longer name.
    fn place_at(&self, at: usize) -> Option<&Mention> {
        let has_article = DETERMINERS.contains(&self.words.joined(at));
        let name = at + usize::from(has_article);
        let adjectives = usize::from(has_article && self.mention_at(name).is_none());
        let place = self.mention_at(name + adjectives).filter(|place| is_place(self.book, place.entity))?;
        let next = self.words.word_at(place.range.end);
        let is_joined = (at..next).all(|word| !self.words.joined(word).is_empty());
        let behind = self.words.joined(next);
        let is_whole = self.words.ends_before(next)
            || BEHIND_PLACES.contains(&behind)
            || behind.ends_with("ing")
            || behind.ends_with("ly");
        let is_owner = next.checked_sub(1).and_then(|at| self.words.all.get(at)).is_none_or(|word| word.is_possessive);
        (is_joined && is_whole && !is_owner).then_some(place)
    }
}

/// The shifts in the narration of a sentence.
pub(super) fn shifts_in(sentence: &Sentence<'_>) -> Shifts {
    let words = narration(sentence);
    let last = |is_shift: &dyn Fn(usize) -> bool| {
        (0..words.all.len()).rev().find(|at| is_shift(*at)).map(|at| words.all[at].start)
    };
    let is_setting_out = |at: usize| SETTING_OUT.iter().any(|phrase| words.is_at(at, phrase));
    let dated = narrated_times(sentence).last().map(|time| time.range.start);
    Shifts {
        motion: last(&|at| is_motion(words.lower(at)) || is_setting_out(at)),
        time: last(&|at| PASSING.contains(&words.lower(at))).max(dated),
    }
}

/// Whether a word is a form of a verb of motion.
fn is_motion(word: &str) -> bool {
    MOTION_FORMS.contains(&word)
        || MOTIONS.iter().any(|stem| {
            word.strip_prefix(stem).is_some_and(|end| matches!(end, "" | "e" | "s" | "es" | "ed" | "d" | "ing"))
        })
}

/// The relation of two places with some text between them.
pub(super) fn relation(between: &str) -> Option<Relation> {
    let owned = ["'s", "’s"].iter().find_map(|end| between.strip_prefix(end));
    if let Some(rest) = owned {
        return (rest.split_whitespace().count() <= 1).then_some(Relation::Contains);
    }
    let words: Vec<&str> = between.split_whitespace().map(|word| word.trim_matches(',')).collect();
    let is_clause = between.contains(|c: char| !c.is_alphabetic() && !c.is_whitespace() && !matches!(c, ',' | '-'));
    if is_clause || words.len() > MAX_BETWEEN {
        return None;
    }
    let has_comma = between.contains(',');
    if words.iter().any(|word| NESTINGS.contains(word)) {
        return Some(if has_comma { Relation::Beside } else { Relation::IsIn });
    }
    let is_adjacent = words.iter().all(|word| word.is_empty() || DETERMINERS.contains(word));
    is_adjacent.then_some(if has_comma { Relation::Beside } else { Relation::Contains })
}

/// Whether a text ends with a preposition of place, or with one and an article.
pub(super) fn is_located(before: &str) -> bool {
    let mut last = before.split_whitespace().rev().take(3).skip_while(|word| !PREPOSITIONS.contains(word));
    last.next().is_some()
}
