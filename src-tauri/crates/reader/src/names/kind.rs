//! Which forms are names, and what they name.

use palimpsest_text::names::is_everyday;
use rustc_hash::FxHashSet;

use super::{
    EntityKind,
    counts::CaseCounts,
    en::{Evidence, Forms, Parts},
    lexicon_en::{List, look_up},
};

/// The parts of names that stand with a title or beside another name: a word of these is a name even where the book
/// also has it in small letters.
#[derive(Debug, Default)]
pub(crate) struct NameWords(FxHashSet<String>);

impl NameWords {
    pub(crate) fn new(forms: &Forms) -> Self {
        let mut words = FxHashSet::default();
        for form in forms.keys() {
            let parts = Parts::new(form);
            let is_full = parts.words.len() > 1 && look_up(&parts.words[0]).is_given();
            if !parts.titles.is_empty() || is_full {
                words.extend(parts.words.last().cloned());
            }
        }
        Self(words)
    }

    pub(crate) fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// The least evidence of a person for each occurrence.
const MIN_PERSON: f32 = 0.3;
/// The least evidence of a place for each occurrence.
const MIN_PLACE: f32 = 0.2;
/// First words of names of places.
const PLACE_STARTS: [&str; 11] = ["new", "north", "south", "east", "west", "st", "mt", "mount", "lake", "cape", "fort"];

/// Whether a form is a name at all.
pub(crate) fn is_name(form: &str, evidence: &Evidence, counts: &CaseCounts, known: &NameWords) -> bool {
    let parts = Parts::new(form);
    if !parts.titles.is_empty() && !parts.words.is_empty() {
        return parts.words.iter().any(|word| !look_up(word).is(List::Common) || evidence.inside > 0);
    }
    let is_ordinary = |word: &String| {
        let count = counts.get(word);
        let listed = look_up(word);
        listed.is(List::NoName) || listed.is(List::Common) || count.small > count.inside
    };
    // `English-speaking`, `tiger-lilies`: a compound of ordinary words.
    if form.split(['-', ' ']).any(|part| part.len() > 3 && part.starts_with(char::is_lowercase)) && form.contains('-') {
        return false;
    }
    if parts.words.len() > 1 {
        let all_ordinary = parts.words.iter().all(is_ordinary);
        return evidence.inside > 0 && (!all_ordinary || evidence.inside > 1)
            || evidence.count > 1 && !all_ordinary
            || look_up(&parts.words[0]).is_given();
    }
    let Some(word) = parts.words.first() else { return false };
    let (listed, count) = (look_up(word), counts.get(word));
    if word.chars().count() < 2 || listed.is_title() && !listed.is_given() {
        return false;
    }
    if evidence.inside > 0 && (known.contains(word) || listed.is_given()) || listed.is(List::Place) && count.small == 0
    {
        return true;
    }
    if listed.is(List::Common) || listed.is(List::NoName) {
        return evidence.inside > 1 && evidence.inside > 2 * count.small && evidence.person > 1.0;
    }
    if evidence.inside > 0 {
        return count.small * 2 <= count.capital();
    }
    // A word that only begins sentences: `Bartleby` at two starts is a name, `Imprimis` at one is not.
    let is_word = ["ing", "ly", "ed", "n't"].iter().any(|ending| word.ends_with(ending));
    count.small == 0 && (known.contains(word) || listed.is_given() || !is_word && evidence.person >= 1.5)
}

/// The sum of what is known of the forms of an entity.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Weights {
    pub(crate) count: f32,
    pub(crate) person: f32,
    pub(crate) place: f32,
    pub(crate) article: f32,
    pub(crate) speech: f32,
}

impl Weights {
    pub(crate) fn add(&mut self, evidence: &Evidence) {
        self.count += evidence.count as f32;
        self.person += evidence.person;
        self.place += evidence.place;
        self.article += evidence.article as f32;
        self.speech += evidence.speech as f32;
    }
}

/// The kind of an entity with these forms. `plural_of_name` says that the main form is a family in the plural, and
/// `listed_persons` how many characters the forms are listed with.
pub(crate) fn kind_of(
    main: &str,
    all: &[Parts],
    weights: Weights,
    is_family: bool,
    listed_persons: usize,
) -> EntityKind {
    let parts = Parts::new(main);
    let last = parts.words.last().map(|word| look_up(word)).unwrap_or_default();
    let is_long = parts.words.len() > 1 || !parts.titles.is_empty();
    let is_given = parts.words.len() > 1 && look_up(&parts.words[0]).is_given();
    if is_family {
        return EntityKind::Faction;
    }
    let is_place_name = parts.words.len() > 1 && PLACE_STARTS.contains(&parts.words[0].as_str());
    if is_long && (last.is(List::PlaceNoun) || is_place_name) && !is_given && !is_personal_title(&parts) {
        let is_person = is_place_name && (!parts.titles.is_empty() || weights.person > 2.0 * weights.place + 1.0);
        return if is_person { EntityKind::Character } else { EntityKind::Place };
    }
    if all.iter().any(|parts| !parts.titles.is_empty() && !parts.words.is_empty()) {
        return EntityKind::Character;
    }
    if is_long && last.is(List::GroupNoun) && !is_given {
        return EntityKind::Faction;
    }
    let n = weights.count.max(1.0);
    let is_listed_place = parts.words.len() == 1 && last.is(List::Place);
    let first_words = || all.iter().filter_map(|parts| parts.words.first());
    let given = first_words().any(|word| look_up(word).is_given());
    let is_everyday = given && first_words().all(|word| is_everyday(word) || look_up(word).is(List::Common));
    // A given name in the lists has the weight of a few occurrences.
    let person = weights.person
        + if !given {
            0.0
        } else if is_everyday {
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
