//! Which forms are names, and what they name.

use super::{
    super::{
        EntityKind,
        counts::CaseCount,
        lexicon_en::{List, look_up},
    },
    Evidence, NameForm, PARTS, Parts, Tables,
};

/// The evidence of a form, in points.
#[derive(Debug, Clone, Copy)]
struct Weights {
    count: f32,
    person: f32,
    place: f32,
    article: f32,
    speech: f32,
}

impl Weights {
    fn in_points(evidence: &Evidence) -> Self {
        let points = |parts: u32| parts as f32 / f32::from(PARTS);
        Self {
            count: evidence.count as f32,
            person: points(evidence.person),
            place: points(evidence.place),
            article: evidence.article as f32,
            speech: evidence.speech as f32,
        }
    }
}

/// The words of names that stand with a title or beside another name, by number: a word of these is a name even where
/// the book also has it in small letters.
pub(super) struct NameWords(Vec<bool>);

impl NameWords {
    pub(super) fn new<'f>(forms: impl Iterator<Item = &'f NameForm>, tables: &Tables) -> Self {
        let mut words = vec![false; tables.words.len()];
        for form in forms {
            let first_is_given = || tables.words[form.words[0] as usize].listed.is_given();
            if !form.parts.titles.is_empty() || form.words.len() > 1 && first_is_given() {
                form.words.last().into_iter().for_each(|last| words[*last as usize] = true);
            }
        }
        Self(words)
    }

    fn has_word(&self, number: u32) -> bool {
        self.0[number as usize]
    }
}

/// The least evidence of a person for each occurrence.
const MIN_PERSON: f32 = 0.3;
/// The least evidence of a place for each occurrence.
const MIN_PLACE: f32 = 0.2;
/// First words of names of places.
const PLACE_STARTS: [&str; 11] = ["new", "north", "south", "east", "west", "st", "mt", "mount", "lake", "cape", "fort"];

/// Whether a form is a name at all. `counts` are by the number of the word.
pub(super) fn is_name(
    form: &NameForm,
    evidence: &Evidence,
    counts: &[CaseCount],
    known: &NameWords,
    tables: &Tables,
) -> bool {
    let listed = |number: &u32| tables.words[*number as usize].listed;
    let count_of = |number: &u32| counts.get(*number as usize).copied().unwrap_or_default();
    let NameForm { text, parts, words, .. } = form;
    if !parts.titles.is_empty() && !words.is_empty() {
        return words.iter().any(|word| !listed(word).is(List::Common) || evidence.inside > 0);
    }
    let is_ordinary = |word: &u32| {
        let (count, listed) = (count_of(word), listed(word));
        listed.is(List::NoName) || listed.is(List::Common) || count.small > count.inside
    };
    // `English-speaking`, `tiger-lilies`: a compound of ordinary words.
    if text.split(['-', ' ']).any(|part| part.len() > 3 && part.starts_with(char::is_lowercase)) && text.contains('-') {
        return false;
    }
    if words.len() > 1 {
        let all_ordinary = words.iter().all(is_ordinary);
        return evidence.inside > 0 && (!all_ordinary || evidence.inside > 1)
            || evidence.count > 1 && !all_ordinary
            || listed(&words[0]).is_given();
    }
    let (Some(number), Some(word)) = (words.first(), parts.words.first()) else { return false };
    let (listed, count) = (listed(number), count_of(number));
    if word.chars().count() < 2 || listed.is_title() && !listed.is_given() {
        return false;
    }
    let is_known = known.has_word(*number) || listed.is_given();
    if evidence.inside > 0 && is_known || listed.is(List::Place) && count.small == 0 {
        return true;
    }
    let parts_of_point = u32::from(PARTS);
    if listed.is(List::Common) || listed.is(List::NoName) {
        return evidence.inside > 1 && evidence.inside > 2 * count.small && evidence.person > parts_of_point;
    }
    if evidence.inside > 0 {
        return count.small * 2 <= count.capital();
    }
    // A word that only begins sentences: `Bartleby` at two starts is a name, `Imprimis` at one is not.
    let is_word = ["ing", "ly", "ed", "n't"].iter().any(|ending| word.ends_with(ending));
    count.small == 0 && (is_known || !is_word && 2 * evidence.person >= 3 * parts_of_point)
}

/// The kind of a form. `is_family` says that it is a family in the plural, and `listed_persons` with how many
/// characters it is listed.
pub(super) fn kind_of(form: &NameForm, evidence: &Evidence, is_family: bool, listed_persons: usize) -> EntityKind {
    let NameForm { parts, first, last, is_everyday, .. } = form;
    let weights = Weights::in_points(evidence);
    let is_long = parts.words.len() > 1 || !parts.titles.is_empty();
    let is_given = parts.words.len() > 1 && first.is_given();
    if is_family {
        return EntityKind::Faction;
    }
    let is_place_name = parts.words.len() > 1 && PLACE_STARTS.contains(&parts.words[0].as_str());
    if is_long && (last.is(List::PlaceNoun) || is_place_name) && !is_given && !is_personal_title(parts) {
        let is_person = is_place_name && (!parts.titles.is_empty() || weights.person > 2.0 * weights.place + 1.0);
        return if is_person { EntityKind::Character } else { EntityKind::Place };
    }
    if !parts.titles.is_empty() && !parts.words.is_empty() {
        return EntityKind::Character;
    }
    if is_long && last.is(List::GroupNoun) && !is_given {
        return EntityKind::Faction;
    }
    let n = weights.count.max(1.0);
    let is_listed_place = parts.words.len() == 1 && last.is(List::Place);
    let given = first.is_given();
    // A given name in the lists has the weight of a few occurrences.
    let person = weights.person
        + if !given {
            0.0
        } else if *is_everyday || first.is(List::Common) {
            0.5
        } else {
            3.0
        }
        + 1.5 * listed_persons.min(3) as f32;
    let is_named_place = parts.words.len() > 1 && last.is(List::PlaceNoun);
    let place = weights.place + if is_listed_place { 4.0 } else { 0.0 } + if is_named_place { 3.5 } else { 0.0 };
    let article = weights.article / n;
    if article >= 0.4 && weights.speech / n < 0.2 && !given {
        return if place > weights.person && place / n >= 0.3 { EntityKind::Place } else { EntityKind::Thing };
    }
    if person >= place && person / n >= MIN_PERSON {
        return EntityKind::Character;
    }
    if place > person && place / n >= MIN_PLACE {
        return EntityKind::Place;
    }
    if article == 0.0 && n <= 2.0 && place == 0.0 && (weights.person > 0.0 || parts.words.len() == 2) {
        EntityKind::Character
    } else {
        EntityKind::Thing
    }
}

/// Titles that are written before the names of persons only: `Queen Square` is a place, `Mr Hill` is none.
fn is_personal_title(parts: &Parts) -> bool {
    parts.titles.iter().any(|title| look_up(title).is(List::Abbreviation) || matches!(title.as_str(), "miss" | "sir"))
}
