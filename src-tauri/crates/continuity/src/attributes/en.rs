//! Statements of attributes in English sentences.

mod words;

use std::ops::Range;

use self::words::{
    CHANGES, COPULAS, LINKS, NO_ADJECTIVES, STATES, TOWARDS_OTHERS, colour, colour_of_thing, coloured, compound,
    is_other, limb, mark,
};
use super::{
    Attribute, Gender, Genders, LEFT, Limb, MAX_OF_SENTENCE, Mark, RIGHT, Statement, Value, narrated, only_character,
    sentence_before, without_exclusions,
};
use crate::{
    Book,
    en::{Words, is_conditional, is_thought_before, names_unreal, narration},
    sentences::Sentence,
};

/// Most words between a colour and its noun, and between a possessor and the noun phrase.
const MAX_ADJECTIVES: usize = 3;
/// Most words between a noun and the colour or mark behind it.
const MAX_DISTANCE: usize = 6;
/// Words of which one stands in each sentence with a statement.
const HINTS: [&str; 28] = [
    "eye", "hair", "beard", "curls", "locks", "tresses", "braid", "plait", "ringlets", "tail", "head", "brunette",
    "leg", "foot", "knee", "ankle", "hip", "thigh", "shin", "calf", "arm", "sleeve", "elbow", "wrist", "hand",
    "shoulder", "ear", "cheek",
];
const HE: [&str; 4] = ["he", "him", "his", "himself"];
const SHE: [&str; 4] = ["she", "her", "hers", "herself"];

/// Whether the narration of a sentence has masculine, and feminine pronouns.
pub(super) fn genders_in(sentence: &Sentence<'_>) -> [bool; 2] {
    let words = narration(sentence);
    [words.has(&HE), words.has(&SHE)]
}

/// The possessor of a noun phrase, as far as the phrase says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Possessor {
    Named(usize),
    /// `his`, `her`.
    Pronoun(Gender),
    /// `the`, `a`, nothing.
    Open,
    Foreign,
}

/// A value before it is known whose it is.
struct Found {
    attribute: Attribute,
    value: Value,
    /// The words of the value.
    words: Range<usize>,
    /// The first word of the noun phrase behind its possessor.
    phrase: usize,
    possessor: Possessor,
}

/// A sentence with what its statements depend on.
struct Reading<'r, 'b> {
    book: &'r Book<'b>,
    all: &'r [Sentence<'b>],
    number: usize,
    words: Words<'b>,
    genders: &'r Genders,
}

/// The statements of a sentence.
pub(super) fn attributes_in(book: &Book<'_>, all: &[Sentence<'_>], number: usize, genders: &Genders) -> Vec<Statement> {
    let sentence = &all[number];
    if !HINTS.iter().any(|hint| sentence.text.contains(hint)) || sentence.text.trim_end().ends_with('?') {
        return Vec::new();
    }
    let words = narration(sentence);
    if names_unreal(&words) || words.has(&CHANGES) {
        return Vec::new();
    }
    let reading = Reading { book, all, number, words, genders };
    let found = (0..reading.words.all.len()).filter_map(|at| {
        reading.colour_of_noun(at).or_else(|| reading.compound_at(at)).or_else(|| reading.side_at(at))
    });
    without_exclusions(found.take(MAX_OF_SENTENCE).filter_map(|found| reading.statement_of(&found)).collect())
}

impl Reading<'_, '_> {
    fn sentence(&self) -> &Sentence<'_> {
        &self.all[self.number]
    }

    /// Whether marks other than a comma stand before a word.
    fn starts_clause(&self, at: usize) -> bool {
        self.words.joined(at).is_empty() && self.words.all.get(at).is_some_and(|word| word.marks != ",")
    }

    /// The character whose name ends with a word.
    fn name_ending_at(&self, at: usize) -> Option<usize> {
        let word = self.words.all.get(at)?;
        narrated(self.book, self.sentence())
            .find(|(_, range)| word.start < range.end && range.end <= word.end)
            .map(|(entity, _)| entity)
    }

    /// The character whose name starts with a word.
    fn name_starting_at(&self, at: usize) -> Option<usize> {
        let word = self.words.all.get(at)?;
        narrated(self.book, self.sentence()).find(|(_, range)| range.start == word.start).map(|(entity, _)| entity)
    }

    /// The possessor of a noun phrase whose known words start at `at`, and the first word behind it.
    fn possessor(&self, at: usize) -> (Possessor, usize) {
        let mut start = at;
        for _ in 0..=MAX_ADJECTIVES {
            let Some(before) = start.checked_sub(1) else { return (Possessor::Open, start) };
            if self.starts_clause(start) {
                return (Possessor::Open, start);
            }
            let word = &self.words.all[before];
            if let Some(entity) = self.name_ending_at(before) {
                let possessor = if word.is_possessive { Possessor::Named(entity) } else { Possessor::Open };
                return (possessor, start);
            }
            if word.is_possessive {
                // `He had his grandfather's blue eyes`: they are his.
                let has = before >= 2
                    && matches!(self.words.lower(before - 1), "his" | "her" | "the")
                    && matches!(self.words.lower(before - 2), "had" | "has" | "inherited" | "with");
                return (if has { Possessor::Open } else { Possessor::Foreign }, before.saturating_sub(1));
            }
            match word.lower.as_str() {
                "his" => return (Possessor::Pronoun(Gender::Male), start),
                "her" => return (Possessor::Pronoun(Gender::Female), start),
                "my" | "your" | "our" | "their" | "its" | "whose" => {
                    return (self.behind_whose(before).unwrap_or(Possessor::Foreign), start);
                }
                "and" if self.words.all[start].marks.is_empty() && start > at => {}
                lower if NO_ADJECTIVES.contains(&lower) => return (Possessor::Open, start),
                _ => {}
            }
            start = before;
        }
        (Possessor::Open, start)
    }

    /// The character before `whose`.
    fn behind_whose(&self, at: usize) -> Option<Possessor> {
        if self.words.lower(at) != "whose" {
            return None;
        }
        self.name_ending_at(at.checked_sub(1)?).map(Possessor::Named)
    }

    /// The possessor behind a noun: `the eyes of Mara`.
    fn possessor_behind(&self, noun: usize) -> Option<Possessor> {
        if self.words.joined(noun + 1) != "of" {
            return None;
        }
        let after = noun + 2;
        Some(self.name_starting_at(after).map_or(Possessor::Foreign, Possessor::Named))
    }

    /// The colour of the eyes, the hair or the beard that a word names.
    fn colour_of_noun(&self, noun: usize) -> Option<Found> {
        let attribute = coloured(self.words.lower(noun))?;
        let before = self.colour_before(noun, attribute);
        if let Some((value, words)) = before {
            let (mut possessor, phrase) = self.possessor(words.start);
            if possessor == Possessor::Open {
                // `Mara had inherited the hazel eyes of the Venns`
                let is_inherited = (0..phrase).any(|at| matches!(self.words.lower(at), "inherited" | "inherits"));
                let behind = self.possessor_behind(noun).filter(|_| !is_inherited);
                possessor = behind.unwrap_or(Possessor::Open);
            }
            return Some(Found { attribute, value, words, phrase, possessor });
        }
        if self.words.lower(noun) == "head" {
            return None;
        }
        let (value, words) = self.colour_behind(noun, attribute)?;
        let (possessor, phrase) = self.possessor(noun);
        Some(Found { attribute, value, words, phrase, possessor })
    }

    /// The colour before a noun: `pale blue eyes`.
    fn colour_before(&self, noun: usize, attribute: Attribute) -> Option<(Value, Range<usize>)> {
        let far = if self.words.lower(noun) == "head" { 1 } else { MAX_ADJECTIVES };
        for distance in 1..=far {
            let at = noun.checked_sub(distance)?;
            let next = &self.words.all[at + 1];
            let word = &self.words.all[at];
            if !matches!(next.marks, "" | ",") || word.is_possessive {
                return None;
            }
            if let Some(mut value) = colour(&word.lower, attribute) {
                let mut start = at;
                // `blue and grey eyes`; the dark of `dark blue` is no colour by itself.
                while let Some(before) = start.checked_sub(1) {
                    let joined = self.words.all[start].marks.is_empty();
                    let lower = self.words.lower(before);
                    match colour(lower, attribute) {
                        Some(_) if matches!(lower, "dark" | "fair") && joined => start = before,
                        Some(other) if joined => (value, start) = (value | other, before),
                        _ => break,
                    }
                }
                return Some((value, start..at + 1));
            }
            if NO_ADJECTIVES.contains(&word.lower.as_str()) && word.lower != "and" || self.name_ending_at(at).is_some()
            {
                return None;
            }
        }
        None
    }

    /// The colour behind a noun: `eyes were blue`, `eyes, blue and cold,`, `eyes, which were of a deep blue`.
    fn colour_behind(&self, noun: usize, attribute: Attribute) -> Option<(Value, Range<usize>)> {
        let mut is_said = false;
        for at in noun + 1..=noun + MAX_DISTANCE {
            let word = self.words.all.get(at)?;
            let is_first = at == noun + 1;
            if !(word.marks.is_empty() || word.marks == "," && is_first) {
                return None;
            }
            let is_apposition = is_first && word.marks == ",";
            is_said |=
                is_apposition || matches!(word.lower.as_str(), "was" | "were" | "is" | "are" | "been" | "of" | "so");
            let is_thing = at > noun + 2 && self.words.lower(at - 1) == "of";
            let thing = colour_of_thing(&word.lower).filter(|_| is_thing);
            if let Some(mut value) = colour(&word.lower, attribute).or(thing).filter(|_| is_said) {
                let mut end = at + 1;
                let next = self.words.joined(end);
                if next == "and" || word.lower == "dark" || word.lower == "fair" {
                    let other = end + usize::from(next == "and");
                    if let Some(more) = colour(self.words.joined(other), attribute) {
                        value = if next == "and" { value | more } else { more };
                        end = other + 1;
                    }
                }
                // `dark with anger` is no colour; `hair, black ribbons in it` neither.
                let next = self.words.joined(end);
                let is_mood = matches!(next, "with" | "from" | "no");
                let ends = self.words.ends_before(end) || matches!(next, "and" | "as" | "like" | "but");
                let apposition = self.words.all[noun + 1].marks == "," && !self.words.has(&["which", "that", "so"]);
                return (!is_mood && (ends || !apposition)).then_some((value, at..end));
            }
            if !COPULAS.contains(&word.lower.as_str()) {
                return None;
            }
        }
        None
    }

    /// `brown-eyed`, `a redhead`, `left-handed`.
    fn compound_at(&self, at: usize) -> Option<Found> {
        let word = self.words.lower(at);
        let (attribute, value) = match word {
            "left-handed" | "left-hander" => (Attribute::Handedness, LEFT),
            "right-handed" => (Attribute::Handedness, RIGHT),
            "redhead" => (Attribute::Hair, colour("red", Attribute::Hair)?),
            "brunette" => (Attribute::Hair, colour("brunette", Attribute::Hair)?),
            "hand" if matches!(self.words.lower(at.checked_sub(1)?), "left" | "right") => return self.writing_hand(at),
            _ => {
                let (colours, ending) = word.rsplit_once('-')?;
                let attribute = compound(ending)?;
                (attribute, colour(colours, attribute)?)
            }
        };
        if attribute == Attribute::Handedness && !self.words.ends_before(at + 1) && self.is_before_noun(at + 1) {
            return None;
        }
        let possessor = self.described(at)?;
        Some(Found { attribute, value, words: at..at + 1, phrase: at, possessor })
    }

    /// Whether a word goes on with the noun of an adjective: `a left-handed compliment`.
    fn is_before_noun(&self, at: usize) -> bool {
        !matches!(self.words.joined(at), "and" | "like" | "as" | "but" | "too" | "from" | "by" | "since")
    }

    /// The hand with which somebody always writes.
    fn writing_hand(&self, noun: usize) -> Option<Found> {
        let pronoun = noun.checked_sub(2)?;
        let gender = match self.words.lower(pronoun) {
            "his" => Gender::Male,
            "her" => Gender::Female,
            _ => return None,
        };
        let verb = self.words.lower(pronoun.checked_sub(2)?);
        let is_writing = matches!(verb, "wrote" | "writes" | "writing") && self.words.lower(pronoun - 1) == "with";
        let value = if self.words.lower(noun - 1) == "left" { LEFT } else { RIGHT };
        let possessor = Possessor::Pronoun(gender);
        let words = noun - 1..noun + 1;
        is_writing.then_some(Found { attribute: Attribute::Handedness, value, words, phrase: noun - 1, possessor })
    }

    /// The character that an adjective describes: `Mara, tall, brown-eyed`, `Mara was a redhead`, `fair-haired Mara`.
    fn described(&self, at: usize) -> Option<Possessor> {
        if let Some(entity) = self.name_starting_at(at + 1).filter(|_| !self.words.ends_before(at + 1)) {
            return Some(Possessor::Named(entity));
        }
        let mut has_copula = false;
        for before in (at.saturating_sub(MAX_DISTANCE)..at).rev() {
            let next_marks = self.words.all[before + 1].marks;
            if !matches!(next_marks, "" | ",") {
                return None;
            }
            if let Some(entity) = self.name_ending_at(before) {
                let is_said = has_copula || next_marks == ",";
                return (is_said && !self.words.all[before].is_possessive).then_some(Possessor::Named(entity));
            }
            match self.words.lower(before) {
                "was" | "is" | "were" | "been" | "being" => has_copula = true,
                "had" | "a" | "an" | "and" | "who" => {}
                "he" if has_copula => return Some(Possessor::Pronoun(Gender::Male)),
                "she" if has_copula => return Some(Possessor::Pronoun(Gender::Female)),
                word if NO_ADJECTIVES.contains(&word) || is_other(word) => return None,
                _ => {}
            }
        }
        // `Blue-eyed and slow of speech, Mara`
        (at == 0).then_some(Possessor::Open)
    }

    /// The side of a limb with a mark: `a scar on her left cheek`, `her left cheek was scarred`.
    fn side_at(&self, noun: usize) -> Option<Found> {
        let limb = limb(self.words.lower(noun))?;
        let is_side = |at: usize| matches!(self.words.lower(at), "left" | "right");
        let side = (1..=2).filter_map(|back| noun.checked_sub(back)).find(|at| is_side(*at));
        let side = side.filter(|side| (side + 1..=noun).all(|at| self.words.all[at].marks.is_empty()));
        // `his glass eye, the right one`
        let is_apposed = self.words.lower(noun + 1) == "the" && is_side(noun + 2);
        let side = side.or_else(|| (is_apposed && !self.words.joined(noun + 2).is_empty()).then_some(noun + 2))?;
        if self.is_other_side_told(noun, side, limb) {
            return None;
        }
        let (mut possessor, phrase) = self.possessor(side.min(noun));
        let mark = if self.words.lower(noun) == "sleeve" {
            (phrase..noun).any(|at| self.words.lower(at) == "empty").then_some(Mark::Injury)?
        } else {
            let marked = (phrase..noun).find_map(|at| mark(self.words.lower(at), limb));
            marked.or_else(|| self.mark_behind(noun, limb)).or_else(|| self.mark_before(phrase, limb))?
        };
        if possessor == Possessor::Open {
            possessor = self.possessor_behind(noun).unwrap_or(Possessor::Open);
        }
        let value = if self.words.lower(side) == "left" { LEFT } else { RIGHT };
        Some(Found { attribute: Attribute::Side(limb, mark), value, words: side..side + 1, phrase, possessor })
    }

    /// Whether a sentence tells of the other side too, so that the mark may be there.
    fn is_other_side_told(&self, noun: usize, side: usize, limb_told: Limb) -> bool {
        let other = if self.words.lower(side) == "left" { "right" } else { "left" };
        (0..self.words.all.len()).filter(|at| *at != noun).any(|at| {
            let is_limb = limb(self.words.lower(at)) == Some(limb_told);
            is_limb && at > 0 && self.words.lower(at - 1) == other
        })
    }

    /// The mark behind a limb: `left leg was badly broken`, `left leg would not carry him`.
    fn mark_behind(&self, noun: usize, limb: Limb) -> Option<Mark> {
        let would_not = ["would not carry", "would not bear", "would not hold", "wouldn't carry", "wouldn't bear"];
        let fails = would_not.iter().any(|phrase| self.words.is_at(noun + 1, phrase));
        if fails && limb == Limb::Leg {
            return Some(Mark::Injury);
        }
        for at in noun + 1..=noun + MAX_DISTANCE {
            let word = self.words.all.get(at)?;
            if !(word.marks.is_empty() || word.marks == "," && at == noun + 1) {
                return None;
            }
            if let Some(mark) = mark(&word.lower, limb) {
                return Some(mark);
            }
            if !STATES.contains(&word.lower.as_str()) && !self.name_at(at) {
                return None;
            }
        }
        None
    }

    /// The mark before a noun phrase, with words between that lead from it to the limb.
    fn mark_before(&self, phrase: usize, limb: Limb) -> Option<Mark> {
        let mut at = phrase;
        let (mut is_on, mut has_other) = (false, false);
        // The possessor: a pronoun, or a name of a few words.
        for _ in 0..=MAX_DISTANCE {
            if self.starts_clause(at) || self.words.all.get(at).is_some_and(|word| word.marks == ",") {
                return None;
            }
            at = at.checked_sub(1)?;
            let word = self.words.lower(at);
            // `His hand had gone to his left shoulder`
            let found = mark(word, limb).filter(|_| word != "gone");
            if found.is_some() {
                return found.filter(|mark| !has_other || *mark != Mark::Injury);
            }
            is_on |= matches!(word, "on" | "across" | "down" | "over");
            if !self.name_at(at) && !LINKS.contains(&word) && !matches!(word, "his" | "her") {
                // `a tattoo of a swallow on her left wrist`
                if !is_on {
                    return None;
                }
                has_other = true;
            }
        }
        None
    }

    /// Whether a word is part of the name of a character.
    fn name_at(&self, at: usize) -> bool {
        let start = self.words.all[at].start;
        narrated(self.book, self.sentence()).any(|(_, range)| range.contains(&start))
    }

    /// The statement of a value, if it is clear whose it is and the narration asserts it.
    fn statement_of(&self, found: &Found) -> Option<Statement> {
        // `She could not bear his blue eyes` says that they are blue.
        let is_presupposed =
            found.words.start == found.phrase && matches!(found.possessor, Possessor::Named(_) | Possessor::Pronoun(_));
        let has_if = (0..found.phrase).any(|at| matches!(self.words.lower(at), "if" | "unless" | "whether"));
        if has_if
            || !is_presupposed && is_conditional(&self.words, found.words.start)
            || is_thought_before(&self.words, found.phrase)
            || self.words.has_phrase(&["as though"])
        {
            return None;
        }
        let entity = match found.possessor {
            Possessor::Named(entity) => entity,
            Possessor::Foreign => return None,
            Possessor::Pronoun(gender) => self.pronoun_possessor(found.attribute, found.phrase, gender)?,
            Possessor::Open => self.open_possessor(found.attribute, found.phrase)?,
        };
        let range = self.words.all[found.words.start].start..self.words.all[found.words.end - 1].end;
        Some(Statement { entity, attribute: found.attribute, value: found.value, sentence: self.number, range })
    }

    /// Whether a noun for somebody else stands before a word.
    fn other_before(&self, at: usize) -> bool {
        (0..at).any(|place| is_other(self.words.lower(place)))
    }

    /// The character that `his` or `her` before a phrase means.
    fn pronoun_possessor(&self, attribute: Attribute, phrase: usize, gender: Gender) -> Option<usize> {
        let opposite = if gender == Gender::Male { SHE } else { HE };
        if self.words.has(&opposite) || self.other_before(phrase) {
            return None;
        }
        let (entity, is_here) = match only_character(self.book, self.sentence()) {
            Some(entity) => (entity, true),
            None => (self.character_before()?, false),
        };
        // `He nodded his black head towards Audrey`
        let is_later = is_here && !self.is_named_before(phrase);
        let has_subject = (0..phrase).any(|at| matches!(self.words.lower(at), "he" | "she"));
        if is_later && has_subject {
            return None;
        }
        match self.genders.of_entity(entity) {
            Some(known) if known != gender => return None,
            Some(_) => {}
            None => {
                // `Mara looked up at him; his eyes were blue`, `Mara met his blue eyes`
                let clause = (0..phrase).rev().find(|at| !self.words.all[*at].marks.is_empty()).unwrap_or(0);
                let is_towards = (clause..phrase).any(|at| TOWARDS_OTHERS.contains(&self.words.lower(at)));
                let is_object = (0..phrase).any(|at| self.words.lower(at) == "him");
                if is_here && (is_object || is_towards && attribute != Attribute::Beard) {
                    return None;
                }
            }
        }
        Some(entity)
    }

    /// The only character of the sentence before, if this sentence names none.
    fn character_before(&self) -> Option<usize> {
        if narrated(self.book, self.sentence()).next().is_some() {
            return None;
        }
        let before = sentence_before(self.all, self.number)?;
        let entity = only_character(self.book, before)?;
        let words = narration(before);
        let is_clear = !words.all.iter().any(|word| is_other(&word.lower)) && !words.has(&["him"]);
        is_clear.then_some(entity)
    }

    /// The character of a noun phrase without a possessor: `Mara had blue eyes`, `All who saw Mara praised the blue
    /// eyes`.
    fn open_possessor(&self, attribute: Attribute, phrase: usize) -> Option<usize> {
        if self.other_before(phrase) {
            return None;
        }
        let before = phrase.checked_sub(1).map_or("", |at| self.words.lower(at));
        let is_object = matches!(before, "into" | "at" | "for" | "by" | "like" | "than" | "to" | "no" | "not");
        if is_object {
            return None;
        }
        let Some(entity) = only_character(self.book, self.sentence()) else {
            // `He had blue eyes.`
            let has = (0..phrase).rev().find(|at| matches!(self.words.lower(*at), "had" | "has"))?;
            let gender = match self.words.lower(has.checked_sub(1)?) {
                "he" => Gender::Male,
                "she" => Gender::Female,
                _ => return None,
            };
            return self.pronoun_possessor(attribute, phrase, gender);
        };
        // `She had blue eyes, and Mara envied them`
        let has_pronoun =
            (0..phrase).any(|at| HE.contains(&self.words.lower(at)) || SHE.contains(&self.words.lower(at)));
        // `Mara saw the black eyes`
        let is_seen = (0..phrase)
            .rev()
            .take_while(|at| !self.name_at(*at) && self.words.lower(*at) != "with")
            .any(|at| TOWARDS_OTHERS.contains(&self.words.lower(at)));
        let is_named_before = self.is_named_before(phrase);
        (is_named_before && !is_seen || !is_named_before && !has_pronoun).then_some(entity)
    }

    /// Whether the narration names a character before a word.
    fn is_named_before(&self, at: usize) -> bool {
        let start = self.words.all.get(at).map_or(0, |word| word.start);
        narrated(self.book, self.sentence()).any(|(_, range)| range.start < start)
    }
}
