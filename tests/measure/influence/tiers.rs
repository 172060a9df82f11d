//! The estimates of influence for a scenario: by the functions that the program uses, and by others for comparison.

use palimpsest_memory::provenance::{
    compliance::{self, Compliance, Reaction, Recent},
    likeness::{self, Likeness},
    masked,
    weights::weights,
};

use super::world::{Dice, Kind, Scenario};

/// One weight per memory, and whether the writer is shown that it had influence.
pub struct Estimate {
    pub weights: Vec<f64>,
    pub shown: Vec<bool>,
}

impl Estimate {
    fn by_effects(effects: &[f64]) -> Self {
        let weights = weights(&effects.iter().copied().map(Some).collect::<Vec<_>>()).weights;
        Self { shown: weights.iter().map(|weight| *weight > 0.0).collect(), weights }
    }
}

/// Random weights.
pub fn random(scenario: &Scenario<'_>, dice: &mut Dice) -> Estimate {
    Estimate::by_effects(&scenario.memories.iter().map(|_| 0.5 * dice.share()).collect::<Vec<_>>())
}

/// The score that recall ranks by, as the weight.
pub fn retrieval(scenario: &Scenario<'_>) -> Estimate {
    Estimate::by_effects(&scenario.memories.iter().map(|memory| 0.5 * memory.score).collect::<Vec<_>>())
}

/// The upper bound, which no estimator can know: the best linear fit to two hundred true values.
pub fn ceiling(scenario: &Scenario<'_>, dice: &mut Dice, below_zero: bool) -> Estimate {
    let masks: Vec<masked::Mask> = (0..200).map(|_| any_mask(scenario, dice)).collect();
    let truth: Vec<f64> = masks.iter().map(|mask| scenario.truth(mask)).collect();
    let slope = |at| masked::effect(at, &masks, &truth).map_or(0.0, |effect| effect.effect);
    let least = if below_zero { f64::MIN } else { 0.0 };
    let weights: Vec<f64> = (0..scenario.memories.len()).map(|at| slope(at).max(least)).collect();
    Estimate { shown: weights.iter().map(|weight| *weight > 0.0).collect(), weights }
}

/// A random set that contains each memory with probability one half.
pub fn any_mask(scenario: &Scenario<'_>, dice: &mut Dice) -> Vec<bool> {
    scenario.memories.iter().map(|_| dice.share() < 0.5).collect()
}

fn value(scenario: &Scenario<'_>, passage: usize, feature: usize) -> f64 {
    f64::from(scenario.passages[passage].style[feature])
}

fn likeness(scenario: &Scenario<'_>, example: usize, draft: usize) -> Likeness {
    let (example, draft) = (&scenario.passages[example], &scenario.passages[draft]);
    let ones = vec![1.0; draft.style.len()];
    Likeness {
        words: example.words.in_draft(&draft.words),
        style: likeness::style(&example.style, &draft.style, &ones),
    }
}

/// The recent drafts as seen from one memory.
fn recent<M>(scenario: &Scenario<'_>, memory: usize, measure: impl Fn(usize) -> M) -> Vec<Recent<M>> {
    scenario.earlier.iter().map(|draft| Recent { measure: measure(draft.passage), with: draft.with[memory] }).collect()
}

/// The kinds of likeness to an example that are used.
#[derive(Clone, Copy, PartialEq)]
pub enum By {
    Both,
    Words,
    Style,
}

impl By {
    fn component(self, all: Likeness) -> Likeness {
        match self {
            Self::Both => all,
            Self::Words => Likeness { style: 0.0, ..all },
            Self::Style => Likeness { words: 0.0, ..all },
        }
    }
}

fn complies(scenario: &Scenario<'_>, at: usize, by: By) -> Option<Compliance> {
    let memory = &scenario.memories[at];
    match memory.kind {
        Kind::Rule { feature, direction } => {
            let recent = recent(scenario, at, |passage| value(scenario, passage, feature));
            compliance::judge_rule(value(scenario, scenario.draft, feature), direction, memory.confidence, &recent)
        }
        Kind::Example { passage } => {
            let like = |draft| by.component(likeness(scenario, passage, draft));
            compliance::judge_example(like(scenario.draft), &recent(scenario, at, like))
        }
    }
}

/// The free tier.
pub fn compliance(scenario: &Scenario<'_>, by: By) -> Estimate {
    let effect = |at| complies(scenario, at, by).map_or(0.0, |compliance| compliance.effect);
    Estimate::by_effects(&(0..scenario.memories.len()).map(effect).collect::<Vec<_>>())
}

/// The free tier without the comparison of drafts with and without a memory: every memory that is followed counts,
/// measured among all recent drafts.
pub fn compliance_alone(scenario: &Scenario<'_>) -> Estimate {
    let effect = |at: usize| {
        let memory = &scenario.memories[at];
        match memory.kind {
            Kind::Rule { feature, direction } => {
                let all: Vec<f64> = scenario
                    .earlier
                    .iter()
                    .map(|draft| value(scenario, draft.passage, feature) * f64::from(direction))
                    .collect();
                let draft = value(scenario, scenario.draft, feature) * f64::from(direction);
                compliance::percentile(draft, &all).map_or(0.0, |place| (place - 0.5).max(0.0) * memory.confidence)
            }
            Kind::Example { passage } => {
                let like = |draft| likeness(scenario, passage, draft);
                let all: Vec<_> =
                    scenario.earlier.iter().map(|draft| Recent { measure: like(draft.passage), with: false }).collect();
                compliance::nearness(like(scenario.draft), &all).map_or(0.0, |(near, _)| (0.15 * near).clamp(0.0, 0.5))
            }
        }
    };
    Estimate::by_effects(&(0..scenario.memories.len()).map(effect).collect::<Vec<_>>())
}

/// The number of memories that the free tier could compare.
pub fn compared(scenario: &Scenario<'_>) -> usize {
    let known = |at: &usize| {
        complies(scenario, *at, By::Both).is_some_and(|compliance| compliance.reaction != Reaction::Unknown)
    };
    (0..scenario.memories.len()).filter(known).count()
}

/// The seeds of the regenerations.
pub enum Seeds<'a> {
    /// The seed of the draft.
    One,
    /// One seed for a mask and its complement: the method of the program.
    Pairs,
    /// A seed of its own for each regeneration.
    Each(&'a mut Dice),
}

/// The tier that regenerates.
pub fn masked(scenario: &Scenario<'_>, runs: usize, seed: u64, mut seeds: Seeds<'_>, by: By) -> Estimate {
    let masks = masked::design(scenario.memories.len(), runs, seed);
    let drawn: Vec<usize> = masks
        .iter()
        .enumerate()
        .map(|(run, mask)| match &mut seeds {
            Seeds::One => scenario.regenerate(mask),
            Seeds::Pairs => scenario.write(mask, &mut Dice::new(masked::seed_of(run, scenario.seed))),
            Seeds::Each(dice) => scenario.write(mask, dice),
        })
        .collect();
    let mut shown = Vec::new();
    let mut effects = Vec::new();
    for at in 0..scenario.memories.len() {
        let measures = own(scenario, at, &masks, &drawn, by);
        let effect_and_measures =
            measures.and_then(|measures| Some((masked::effect(at, &masks, &measures.regenerations)?, measures)));
        shown.push(effect_and_measures.as_ref().is_some_and(|(effect, _)| effect.is_measurable()));
        effects
            .push(effect_and_measures.map_or(0.0, |(effect, all)| masked::owed(effect, all.draft, &all.regenerations)));
    }
    Estimate { shown, ..Estimate::by_effects(&effects) }
}

/// The measure of one memory for the draft and for the regenerations.
fn own(
    scenario: &Scenario<'_>,
    at: usize,
    masks: &[masked::Mask],
    drawn: &[usize],
    by: By,
) -> Option<masked::Measures> {
    match scenario.memories[at].kind {
        Kind::Rule { feature, direction } => {
            let values: Vec<f64> = drawn.iter().map(|passage| value(scenario, *passage, feature)).collect();
            Some(masked::measure_rule(at, direction, value(scenario, scenario.draft, feature), masks, &values))
        }
        Kind::Example { passage } => {
            let like = |draft| by.component(likeness(scenario, passage, draft));
            let likenesses: Vec<Likeness> = drawn.iter().map(|draft| like(*draft)).collect();
            masked::measure_example(at, like(scenario.draft), masks, &likenesses)
        }
    }
}
