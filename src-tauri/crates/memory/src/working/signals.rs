//! Provisional signals: what is not yet enough to be kept, until it adds up.

use std::collections::BTreeMap;

use super::Held;
use crate::model::{WorkingItem, WorkingKind};

/// Signals whose weights come to this, one way or the other, are kept at the end of the session. Fixed by the owner.
pub const ADDS_UP_TO: f64 = 1.0;
/// The weight of a signal that does not say its own: a weak one.
pub const WEIGHT_UNSAID: f64 = 0.5;
/// The skill of a signal that does not say in which skill it was seen.
const SKILL_UNSAID: &str = "ask";
/// Ten times 0.1 is less than 1 to a computer.
const ROUNDING: f64 = 1e-9;

/// Signals add up within one book, skill and scene type. Signs of both kinds cancel each other: a writer who does now
/// this and now that has no preference.
type Place = (String, String, Option<String>);

/// What the signals of each place add up to.
#[derive(Debug, Default)]
pub(super) struct Sums(BTreeMap<Place, f64>);

fn place(item: &WorkingItem) -> Place {
    let skill = item.skill_used.clone().unwrap_or_else(|| SKILL_UNSAID.to_owned());
    (item.project_id.clone(), skill, item.scene_type.clone())
}

fn is_enough(sum: f64) -> bool {
    sum.abs() + ROUNDING >= ADDS_UP_TO
}

/// The sums of all signals among the items.
pub(super) fn sums<'a>(items: impl Iterator<Item = &'a WorkingItem>) -> Sums {
    let mut sums = Sums::default();
    for item in items.filter(|item| item.kind == WorkingKind::Signal) {
        *sums.0.entry(place(item)).or_default() += item.weight.unwrap_or(WEIGHT_UNSAID);
    }
    sums
}

impl Sums {
    /// Whether this is a signal, and those of its place have added up.
    pub(super) fn has_added_up(&self, item: &WorkingItem) -> bool {
        item.kind == WorkingKind::Signal && self.0.get(&place(item)).is_some_and(|sum| is_enough(*sum))
    }
}

/// Signals of one place that have added up.
#[derive(Debug, Clone, PartialEq)]
pub struct Preference {
    /// The skill they were seen in.
    pub skill_used: String,
    /// The kind of scene, where they say.
    pub scene_type: Option<String>,
    /// The sum: [`ADDS_UP_TO`] or more, or as much below zero.
    pub weight: f64,
    /// What they say, one a line, in the order in which they came last.
    pub words: String,
}

/// What the end of a session makes of its signals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Condensed {
    /// What is to be kept.
    pub preferences: Vec<Preference>,
    /// Signals that went into them.
    pub archived: u32,
    /// Signals that did not add up.
    pub dropped: u32,
}

/// Condenses the signals among the items of one book: those that add up into one preference a skill and scene type.
#[must_use]
pub fn condense(items: &[Held]) -> Condensed {
    let mut places: BTreeMap<Place, (f64, Vec<&str>)> = BTreeMap::new();
    for item in items.iter().map(|held| &held.item).filter(|item| item.kind == WorkingKind::Signal) {
        let (sum, words) = places.entry(place(item)).or_default();
        *sum += item.weight.unwrap_or(WEIGHT_UNSAID);
        words.push(&item.text);
    }
    let mut condensed = Condensed::default();
    for ((_, skill_used, scene_type), (weight, words)) in places {
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        if is_enough(weight) {
            condensed.archived += count;
            condensed.preferences.push(Preference { skill_used, scene_type, weight, words: words.join("\n") });
        } else {
            condensed.dropped += count;
        }
    }
    condensed
}
