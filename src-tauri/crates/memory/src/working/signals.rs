//! Provisional signals: signs of a preference that are stored only when their sum reaches a threshold.

use std::collections::BTreeMap;

use super::WeightedItem;
use crate::model::{ProjectId, WorkingItem, WorkingKind};

/// Threshold for the absolute sum of the weights, at the end of the session. Fixed by the owner.
pub(crate) const THRESHOLD: f64 = 1.0;
/// Weight of a signal without one: a weak signal.
pub(crate) const DEFAULT_WEIGHT: f64 = 0.5;
/// Skill of a signal without one.
const DEFAULT_SKILL: &str = "ask";
/// Tolerance: ten times 0.1 is less than 1 in floating point.
const TOLERANCE: f64 = 1e-9;

/// The key of a sum: project, skill and scene type. Signals of opposite sign cancel each other: a writer who does both
/// has no preference.
type SignalKey = (ProjectId, String, Option<String>);

/// The sum of the weights for each key.
#[derive(Debug, Default)]
pub(super) struct Sums(BTreeMap<SignalKey, f64>);

fn key_of(item: &WorkingItem) -> SignalKey {
    let skill = item.skill_used.clone().unwrap_or_else(|| DEFAULT_SKILL.to_owned());
    (item.project_id.clone(), skill, item.scene_type.clone())
}

fn is_enough(sum: f64) -> bool {
    sum.abs() + TOLERANCE >= THRESHOLD
}

/// The sums of all signals among the items.
pub(super) fn sums<'a>(items: impl Iterator<Item = &'a WorkingItem>) -> Sums {
    let mut sums = Sums::default();
    for item in items.filter(|item| item.kind == WorkingKind::Signal) {
        *sums.0.entry(key_of(item)).or_default() += item.weight.unwrap_or(DEFAULT_WEIGHT);
    }
    sums
}

impl Sums {
    /// Whether this is a signal whose sum reaches the threshold.
    pub(super) fn reaches_threshold(&self, item: &WorkingItem) -> bool {
        item.kind == WorkingKind::Signal && self.0.get(&key_of(item)).is_some_and(|sum| is_enough(*sum))
    }
}

/// The signals of one key whose sum reaches the threshold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Preference {
    pub skill_used: String,
    /// The scene type, if known.
    pub scene_type: Option<String>,
    /// The sum: at least [`THRESHOLD`], or at most its negative.
    pub weight: f64,
    /// The texts of the signals, one per line, in the order of their last touch.
    pub words: String,
}

/// The result of condensing a session's signals.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Condensed {
    /// The preferences to store.
    pub preferences: Vec<Preference>,
    /// Number of signals that went into them.
    pub archived: u32,
    /// Number of signals whose sum is too small.
    pub dropped: u32,
}

/// Condenses the signals of one project: those whose sum reaches the threshold become one preference per skill and
/// scene type.
#[must_use]
pub(crate) fn condense(items: &[WeightedItem]) -> Condensed {
    let mut places: BTreeMap<SignalKey, (f64, Vec<&str>)> = BTreeMap::new();
    for item in items.iter().map(|held| &held.item).filter(|item| item.kind == WorkingKind::Signal) {
        let (sum, words) = places.entry(key_of(item)).or_default();
        *sum += item.weight.unwrap_or(DEFAULT_WEIGHT);
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
