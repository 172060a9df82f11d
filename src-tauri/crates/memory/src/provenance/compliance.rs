//! Tier `compliance`: whether a draft follows a memory. Needs no regeneration.
//!
//! **A rule** is about one style feature and a direction. Its effect is the percentile of the draft in that direction
//! among recent drafts of the same skill and scene, less one half:
//!
//! ```text
//! p = (drafts below + ½ · drafts equal) / drafts        mid-rank
//! c = clip(p - ½, 0, ½) · confidence
//! ```
//!
//! A percentile needs no unit and no normal distribution: features are skewed and full of zeros, and a mid-rank gives
//! the many drafts without an exclamation mark one half each. At or below zero the rule was not followed.
//!
//! **An example** is an episode. Its effect is the excess of the draft's likeness to it over that of unrelated drafts,
//! in their standard deviations, words and style together:
//!
//! ```text
//! z = (z_words + z_style) / √2
//! c = clip(0.15 · z, 0, ½)
//! ```
//!
//! **Compared with drafts without the memory.** If at least [`MIN_DRAFTS`] recent drafts did not have the memory, the
//! draft is compared with those: among drafts that all follow a rule, one more that does is nothing special. And if at
//! least [`MIN_PER_SIDE`] had it and as many had not, and those with it are not higher (one-sided 90 %, Welch), the
//! model does not react to the memory: its effect is 0, whatever this draft looks like. If that test is not possible,
//! only a draft that clearly stands out ([`CLEAR_PERCENTILE`]) counts as an effect of the memory. In the evaluation
//! this reduces memories without any effect that are shown as influential from one in two to under one in ten.

use super::{
    likeness::Likeness,
    statistics::{is_above, moments},
};
use crate::model::Followed;

/// Minimum number of recent drafts.
pub const MIN_DRAFTS: usize = 8;
/// Minimum number of drafts on either side of the comparison.
pub const MIN_PER_SIDE: usize = 4;
/// From this percentile on a draft clearly follows a rule: one in ten of the drafts without it do.
pub const CLEAR_PERCENTILE: f64 = 0.9;
/// The standard normal quantile of [`CLEAR_PERCENTILE`]; also the one-sided level of the comparison.
const NORMAL: f64 = 1.2816;
/// Effect per standard deviation of likeness, on the scale of percentiles less one half.
const EFFECT_PER_DEVIATION: f64 = 0.15;
/// The maximum effect.
const MAX_EFFECT: f64 = 0.5;

/// Whether the model reacts to a memory, judged by recent drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reaction {
    /// Drafts with it are higher than drafts without it.
    Seen,
    /// They are not.
    NotSeen,
    /// Too few drafts with it, or without it.
    Unknown,
}

/// A recent draft, measured for one memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recent<M> {
    /// For a rule: the draft's value of its feature. For an example: the draft's likeness to it.
    pub measure: M,
    /// Whether the memory was in its prompt.
    pub with: bool,
}

/// The result for one memory and one draft.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compliance {
    /// The effect, 0..½: 0 if the memory was not followed, or if that may be chance.
    pub effect: f64,
    /// Whether the draft follows the memory, by chance or not.
    pub followed: Followed,
    /// Whether the model reacts to the memory.
    pub reaction: Reaction,
}

/// The share of `others` below `value`, those equal to it counting one half, 0..1. `None` with fewer than
/// [`MIN_DRAFTS`] of them. NaN counts on neither side.
#[must_use]
pub fn percentile(value: f64, others: &[f64]) -> Option<f64> {
    let known = others.iter().filter(|other| !other.is_nan()).count();
    if known < MIN_DRAFTS || value.is_nan() {
        return None;
    }
    let below = others.iter().filter(|other| **other < value).count();
    let equal = others.iter().filter(|other| **other == value).count();
    Some((below as f64 + 0.5 * equal as f64) / known as f64)
}

/// The result for a rule. `value` and the measures are of the rule's feature, in one language and one version of it;
/// `direction` is negative if the rule wants less; `confidence` is the rule's, 0..1. `None`: too few recent drafts.
#[must_use]
pub fn judge_rule(value: f64, direction: i32, confidence: f64, recent: &[Recent<f64>]) -> Option<Compliance> {
    let along = |value: f64| if direction < 0 { -value } else { value };
    let recent: Vec<Recent<f64>> =
        recent.iter().map(|draft| Recent { measure: along(draft.measure), with: draft.with }).collect();
    let place = percentile(along(value), &compared_with(&recent))?;
    let effect = (place - 0.5).clamp(0.0, MAX_EFFECT);
    Some(judge(effect * confidence.clamp(0.0, 1.0), effect > 0.0, place >= CLEAR_PERCENTILE, reaction(&recent)))
}

/// The result for an example. `None`: too few recent drafts, or neither words nor style vary among them.
#[must_use]
pub fn judge_example(likeness: Likeness, recent: &[Recent<Likeness>]) -> Option<Compliance> {
    let (place, recent) = nearness(likeness, recent)?;
    let effect = (EFFECT_PER_DEVIATION * place).clamp(0.0, MAX_EFFECT);
    Some(judge(effect, effect > 0.0, place >= NORMAL, reaction(&recent)))
}

/// The likeness of a draft, and of each recent one, to an example: in standard deviations of the drafts that it is
/// compared with, words and style together. `None`: too few of them, or neither varies.
#[must_use]
pub fn nearness(likeness: Likeness, recent: &[Recent<Likeness>]) -> Option<(f64, Vec<Recent<f64>>)> {
    let sides: Vec<Side> = [
        Side::from_drafts(likeness, recent, |likeness| likeness.words),
        Side::from_drafts(likeness, recent, |likeness| likeness.style),
    ]
    .into_iter()
    .flatten()
    .collect();
    if sides.is_empty() {
        return None;
    }
    // The two parts count as independent, so that the sum has a deviation of one as well.
    let whole = (sides.len() as f64).sqrt();
    let near = recent.iter().enumerate().map(|(n, draft)| {
        let sum: f64 = sides.iter().filter_map(|side| side.recent.get(n)).sum();
        Recent { measure: sum / whole, with: draft.with }
    });
    Some((sides.iter().map(|side| side.draft).sum::<f64>() / whole, near.collect()))
}

/// One part of likeness, in standard deviations of the compared drafts.
struct Side {
    draft: f64,
    recent: Vec<f64>,
}

impl Side {
    /// `None`: too few drafts, or no variance.
    fn from_drafts(likeness: Likeness, recent: &[Recent<Likeness>], value: impl Fn(Likeness) -> f64) -> Option<Self> {
        let all: Vec<Recent<f64>> =
            recent.iter().map(|draft| Recent { measure: value(draft.measure), with: draft.with }).collect();
        let others = compared_with(&all);
        let (mean, variance) =
            moments(&others).filter(|(_, variance)| others.len() >= MIN_DRAFTS && *variance > 0.0)?;
        let standard = |value: f64| (value - mean) / variance.sqrt();
        Some(Self {
            draft: standard(value(likeness)),
            recent: all.iter().map(|draft| standard(draft.measure)).collect(),
        })
    }
}

/// The drafts without the memory if they are enough; else all.
fn compared_with(recent: &[Recent<f64>]) -> Vec<f64> {
    let of =
        |all: bool| recent.iter().filter(|draft| all || !draft.with).map(|draft| draft.measure).collect::<Vec<_>>();
    let without = of(false);
    if without.len() >= MIN_DRAFTS { without } else { of(true) }
}

fn reaction(recent: &[Recent<f64>]) -> Reaction {
    let (with, without): (Vec<Recent<f64>>, Vec<Recent<f64>>) = recent.iter().copied().partition(|draft| draft.with);
    if with.len() < MIN_PER_SIDE || without.len() < MIN_PER_SIDE {
        return Reaction::Unknown;
    }
    let values = |drafts: &[Recent<f64>]| drafts.iter().map(|draft| draft.measure).collect::<Vec<_>>();
    match is_above(&values(&with), &values(&without), NORMAL) {
        Some(true) => Reaction::Seen,
        Some(false) => Reaction::NotSeen,
        None => Reaction::Unknown,
    }
}

fn judge(effect: f64, more: bool, clearly: bool, reaction: Reaction) -> Compliance {
    let followed = match (clearly, more) {
        (true, _) => Followed::Yes,
        (false, true) => Followed::Partly,
        (false, false) => Followed::No,
    };
    let owed = match reaction {
        Reaction::Seen => true,
        Reaction::NotSeen => false,
        Reaction::Unknown => clearly,
    };
    Compliance { effect: if owed { effect } else { 0.0 }, followed, reaction }
}

#[cfg(test)]
mod tests;
