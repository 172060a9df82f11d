//! Tier `masked`: the effect of leaving memories out. Costs regenerations.
//!
//! Each regeneration is made with some of the memories left out, each with probability one half. [`design`] makes the
//! masks in **antithetic pairs**, a mask and its complement, so that every memory is in exactly half of them and no
//! interaction of two memories is confounded with the effect of one (a folded-over design, Box & Hunter 1961); where
//! the number of pairs is a power of two and above that of the memories, the masks are columns of a Hadamard matrix
//! (Plackett & Burman 1946), on which the effects are estimated independently of each other.
//!
//! Each memory has its own measure: for a rule the value of its feature in its direction, for an example the likeness
//! of the draft to it, both in standard deviations of recent drafts. [`effect`] regresses it on the masks (least
//! squares, all memories together): the change of the memory's own measure by its presence, with a 90 % interval by
//! Student's t, as wide as that of a rule's confidence. An interval that contains zero is *no measurable influence*.
//!
//! The effect on *this draft* is that effect times the draft's own deviation in the same direction ([`owed`]). Under a
//! softmax over the memories' demands, `p(draft | S) ∝ exp(Σ β_i φ_i)`, a memory adds `β_i (φ_i(draft) - E φ_i)` to the
//! draft's log-probability, and `β_i Var(φ_i)` to the mean of its own measure: in standard deviations the product of
//! the two numbers, in nats.

use palimpsest_text::random::SplitMix64;

use super::{
    compliance::{Recent, nearness},
    likeness::Likeness,
    statistics::{inverse, moments, student},
};

/// One regeneration: for each memory, in order, whether it is in the prompt.
pub type Mask = Vec<bool>;

/// Minimum and maximum number of regenerations.
pub const RUNS: std::ops::RangeInclusive<usize> = 16..=32;
/// The standard normal quantile of a two-sided 90 % interval.
const NORMAL: f64 = 1.645;
/// Minimum degrees of freedom for an interval.
const MIN_FREEDOM: f64 = 4.0;
/// Effect per nat: a draft made e² times likelier by a memory has the maximum effect.
const EFFECT_PER_NAT: f64 = 0.25;
/// The maximum effect.
const MAX_EFFECT: f64 = 0.5;

/// The change of a memory's own measure by its presence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The estimate, in the unit of the outcomes.
    pub effect: f64,
    /// Lower end of the 90 % interval.
    pub low: f64,
    /// Upper end of the 90 % interval.
    pub high: f64,
}

impl Effect {
    fn around(effect: f64, error: f64, freedom: f64) -> Option<Self> {
        if freedom < MIN_FREEDOM {
            return None;
        }
        let reach = student(NORMAL, freedom) * error;
        (effect.is_finite() && reach.is_finite()).then_some(Self { effect, low: effect - reach, high: effect + reach })
    }

    /// Whether the interval excludes zero.
    #[must_use]
    #[cfg(any(test, feature = "evaluation"))]
    pub fn is_measurable(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// The masks of `runs` regenerations, each mask followed by its complement; an odd number is rounded down to pairs, and
/// there is at least one pair. Deterministic for a seed.
#[must_use]
pub fn design(memories: usize, runs: usize, seed: u64) -> Vec<Mask> {
    let pairs = (runs / 2).max(1);
    let mut random = SplitMix64::new(seed);
    let columns: Vec<Vec<bool>> = if pairs.is_power_of_two() && memories < pairs {
        // Sylvester's matrix: the entry is the parity of the common bits of row and column. The column of each memory,
        // and the sign that means presence, are random.
        let mut order: Vec<usize> = (1..pairs).collect();
        random.shuffle(&mut order);
        let signs = std::iter::repeat_with(|| random.next_u64() & 1 == 1).take(memories).collect::<Vec<_>>();
        let entry = |row: usize, column: usize| (row & column).count_ones() % 2 == 1;
        order
            .iter()
            .zip(signs)
            .map(|(column, sign)| (0..pairs).map(|row| entry(row, *column) != sign).collect())
            .collect()
    } else {
        let balanced = |random: &mut SplitMix64| {
            let mut column: Vec<bool> = (0..pairs).map(|at| at < pairs / 2).collect();
            random.shuffle(&mut column);
            column
        };
        (0..memories).map(|_| balanced(&mut random)).collect()
    };
    (0..pairs)
        .flat_map(|pair| {
            let mask: Mask = columns.iter().map(|column| column.get(pair).copied().unwrap_or(false)).collect();
            let complement = mask.iter().map(|there| !there).collect();
            [mask, complement]
        })
        .collect()
}

/// The seed of a regeneration, by its position in the design, from that of the draft: both of a pair have the same one,
/// so that their difference is due to the memories and not to the seed; the first pair has the draft's own. One seed
/// for all would measure the effects under that seed only, and does worse in the evaluation; so does one seed for each.
#[must_use]
pub fn seed_of(run: usize, draft: u64) -> u64 {
    // Sixteen pairs at most: within the byte that distinguishes the candidates of a generation.
    draft.wrapping_add(16 * (run as u64 / 2))
}

/// The effect of one memory on its own measure: `outcomes` has it for each of `masks`. All memories are regressed on
/// together while there are at least two runs per memory. Otherwise the memory is estimated alone: the mean difference
/// within the pairs, with the other memories as noise, which each pair has once and not twice.
///
/// `None` if it cannot be estimated: too few runs (a cancelled measurement is estimated from the finished ones), always
/// or never present, or lists of different lengths.
#[must_use]
pub fn effect(memory: usize, masks: &[Mask], outcomes: &[f64]) -> Option<Effect> {
    let memories = masks.first()?.len();
    if masks.len() != outcomes.len() || memory >= memories || masks.iter().any(|mask| mask.len() != memories) {
        return None;
    }
    let enough = masks.len() >= 2 * (memories + 1);
    // After a cancellation two memories may coincide in all masks: then each is estimated alone.
    enough.then(|| together(memory, masks, outcomes)).flatten().or_else(|| alone(memory, masks, outcomes))
}

/// The estimate from the differences within complete pairs of a mask and its complement.
fn alone(memory: usize, masks: &[Mask], outcomes: &[f64]) -> Option<Effect> {
    let differences: Vec<f64> = masks
        .chunks_exact(2)
        .zip(outcomes.chunks_exact(2))
        .filter_map(|(masks, outcomes)| match (masks, outcomes) {
            ([mask, complement], [one, other]) if mask.iter().zip(complement).all(|(a, b)| a != b) => {
                Some(if *mask.get(memory)? { one - other } else { other - one })
            }
            _ => None,
        })
        .collect();
    let (mean, variance) = moments(&differences)?;
    let pairs = differences.len() as f64;
    Effect::around(mean, (variance / pairs).sqrt(), pairs - 1.0)
}

fn together(memory: usize, masks: &[Mask], outcomes: &[f64]) -> Option<Effect> {
    let at = memory + 1;
    let number = |there: &bool| if *there { 1.0 } else { 0.0 };
    let rows: Vec<Vec<f64>> =
        masks.iter().map(|mask| std::iter::once(1.0).chain(mask.iter().map(number)).collect()).collect();
    let size = masks.first()?.len() + 1;
    let freedom = masks.len() as f64 - size as f64;
    let mut gram = vec![vec![0.0; size]; size];
    let mut moment = vec![0.0; size];
    for (row, outcome) in rows.iter().zip(outcomes) {
        for ((line, own), sum) in gram.iter_mut().zip(row).zip(&mut moment) {
            line.iter_mut().zip(row).for_each(|(cell, other)| *cell += own * other);
            *sum += own * outcome;
        }
    }
    let inverse = inverse(&gram)?;
    let times = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    let slopes: Vec<f64> = inverse.iter().map(|row| times(row, &moment)).collect();
    let left: f64 = rows.iter().zip(outcomes).map(|(row, outcome)| (outcome - times(row, &slopes)).powi(2)).sum();
    Effect::around(*slopes.get(at)?, (left / freedom * inverse.get(at)?.get(at)?).sqrt(), freedom)
}

/// A memory's own measure of the draft and of each regeneration, in standard deviations of the regenerations without
/// it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// For the draft.
    pub draft: f64,
    /// For each regeneration, in the order of the masks.
    pub regenerations: Vec<f64>,
}

/// The measure of a rule: the values of its feature in its direction. A feature without variance has no deviations, and
/// the rule then no effect.
#[must_use]
pub fn measure_rule(memory: usize, direction: i32, draft: f64, masks: &[Mask], values: &[f64]) -> Measures {
    let without: Vec<f64> = masks
        .iter()
        .zip(values)
        .filter(|(mask, _)| mask.get(memory) == Some(&false))
        .map(|(_, value)| *value)
        .collect();
    let deviation = moments(&without).map_or(0.0, |(_, variance)| variance.sqrt());
    let along = |value: f64| {
        let value = if direction < 0 { -value } else { value };
        if deviation > 0.0 { value / deviation } else { value }
    };
    Measures { draft: along(draft), regenerations: values.iter().map(|value| along(*value)).collect() }
}

/// The measure of an example: the likeness to it, by words and style together. `None`: neither varies.
#[must_use]
pub fn measure_example(memory: usize, draft: Likeness, masks: &[Mask], likenesses: &[Likeness]) -> Option<Measures> {
    let regenerations: Vec<Recent<Likeness>> = masks
        .iter()
        .zip(likenesses)
        .map(|(mask, likeness)| Recent { measure: *likeness, with: mask.get(memory) == Some(&true) })
        .collect();
    let (draft, near) = nearness(draft, &regenerations)?;
    Some(Measures { draft, regenerations: near.into_iter().map(|one| one.measure).collect() })
}

/// The effect of a memory on a draft, 0..½: its effect times the draft's own measure above the mean of the
/// regenerations, both in standard deviations. 0 if the effect is not measurably above zero, or the draft does not
/// deviate in that direction.
#[must_use]
pub fn owed(effect: Effect, draft: f64, regenerations: &[f64]) -> f64 {
    let mean = regenerations.iter().sum::<f64>() / regenerations.len().max(1) as f64;
    let nats = effect.effect * (draft - mean);
    let counts = effect.low > 0.0 && draft > mean && nats.is_finite();
    if counts { (EFFECT_PER_NAT * nats).min(MAX_EFFECT) } else { 0.0 }
}

#[cfg(test)]
mod tests;
