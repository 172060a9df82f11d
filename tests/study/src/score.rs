//! Scores of the learner in a life, against the writer's true preferences.

use std::collections::HashSet;

use palimpsest_learning::Stratum;

use crate::{
    life::{Life, Look, Rule},
    prose::SCENES,
    writer::{Preference, TURN, Writer},
};

/// Whether a rule agrees with a preference of the writer, and applies nowhere beyond it.
pub fn is_right(rule: &Rule, writer: &Writer, day: i64) -> bool {
    writer.preferences.iter().any(|want| {
        want.holds(day)
            && (want.feature, want.direction) == (rule.feature, rule.direction)
            && rule.stratum.is_within(want.stratum())
    })
}

/// Whether rules cover a preference where it holds: in its scene; or everywhere, or in all scenes but one.
pub fn is_found(want: &Preference, rules: &[Rule]) -> bool {
    let same = |rule: &&Rule| (rule.feature, rule.direction) == (want.feature, want.direction);
    let mut about = rules.iter().filter(same).map(|rule| rule.stratum);
    match want.scene {
        Some(scene) => about.any(|stratum| stratum == Stratum::Scene(scene)),
        None => {
            let all: Vec<Stratum> = about.collect();
            let scenes = all.iter().filter(|stratum| matches!(stratum, Stratum::Scene(_))).count();
            all.contains(&Stratum::Anywhere) || scenes + 1 >= SCENES
        }
    }
}

/// The number of distinct rules that were in force and wrong at one look or more.
pub fn false_rules(life: &Life, writer: &Writer) -> usize {
    let wrong = life
        .looks
        .iter()
        .flat_map(|look| look.rules.iter().filter(|rule| !is_right(rule, writer, look.day)).map(Rule::preference));
    wrong.collect::<HashSet<_>>().len()
}

/// At one look: rules, right rules, preferences, found preferences.
#[derive(Clone, Copy, Default, Debug)]
pub struct Standing {
    pub rules: usize,
    pub right: usize,
    pub wants: usize,
    pub found: usize,
}

pub fn standing(look: &Look, writer: &Writer) -> Standing {
    let wants = writer.preferences.iter().filter(|want| want.holds(look.day));
    let right = look.rules.iter().filter(|rule| is_right(rule, writer, look.day)).count();
    Standing {
        rules: look.rules.len(),
        right,
        wants: wants.clone().count(),
        found: wants.filter(|want| is_found(want, &look.rules)).count(),
    }
}

/// The last look before a day.
pub fn look_before(life: &Life, day: i64) -> Option<&Look> {
    life.looks.iter().rev().find(|look| look.day < day)
}

/// Episodes until each of the initial preferences was first found; infinite if it was not found before it changed.
pub fn learned_after(life: &Life, writer: &Writer) -> Vec<f64> {
    let first = writer.preferences.iter().filter(|want| want.holds(0));
    first
        .map(|want| {
            let mut looks = life.looks.iter().filter(|look| want.holds(look.day));
            looks.find(|look| is_found(want, &look.rules)).map_or(f64::INFINITY, |look| look.episodes as f64)
        })
        .collect()
}

/// Whether the contradictory preference is represented by two rules, each in its scene.
pub fn keeps_contradiction(look: &Look, writer: &Writer) -> bool {
    let pair = writer.preferences.iter().take(2);
    pair.clone().count() == 2 && pair.clone().all(|want| is_found(want, &look.rules))
}

/// The prediction of each rule in force for each piece of evidence before the next run: its confidence, and whether it
/// was right.
pub fn predictions(life: &Life) -> Vec<(f64, bool)> {
    let mut made = Vec::new();
    for (at, look) in life.looks.iter().enumerate() {
        let until = life.looks.get(at + 1).map_or(life.events.len(), |next| next.episodes);
        for row in life.events[look.episodes..until].iter().flat_map(|event| &event.rows) {
            for rule in look.rules.iter().filter(|rule| rule.stratum.contains(row)) {
                let a = row.evidence(rule.feature.index()) * rule.direction.sign();
                if a != 0.0 {
                    made.push((rule.confidence, a > 0.0));
                }
            }
        }
    }
    made
}

/// Expected calibration error over bins of one twentieth.
pub fn calibration_error(predictions: &[(f64, bool)]) -> f64 {
    const BINS: usize = 20;
    let mut bins = [(0.0, 0.0, 0.0); BINS];
    for (said, was) in predictions {
        let bin = &mut bins[((said * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += 1.0;
        bin.1 += said;
        bin.2 += f64::from(u8::from(*was));
    }
    let off: f64 = bins.iter().map(|(_, said, was)| (said - was).abs()).sum();
    off / predictions.len().max(1) as f64
}

/// The course of the rule that the change of preference made wrong.
#[derive(Clone, Copy, Default, Debug)]
pub struct Turned {
    /// Relevant episodes until the rule was gone; `None` if it never was.
    pub gone: Option<f64>,
    /// Relevant episodes until the opposite rule was found; `None` if it never was.
    pub replaced: Option<f64>,
}

pub fn turned(life: &Life, writer: &Writer) -> Option<Turned> {
    let old = writer.preferences.iter().find(|want| want.days == (0, TURN))?;
    let new = writer.preferences.iter().find(|want| want.days.0 == TURN && want.feature == old.feature)?;
    if !is_found(old, &look_before(life, TURN)?.rules) {
        return None;
    }
    let relevant = |until: usize| {
        let after = life.events[..until].iter().filter(|event| event.day >= TURN);
        let speaks = after.filter(|event| {
            event.rows.iter().any(|row| old.stratum().contains(row) && row.evidence(old.feature.index()) != 0.0)
        });
        speaks.count() as f64
    };
    let later = || life.looks.iter().filter(|look| look.day >= TURN);
    let gone = later()
        .find(|look| !look.rules.iter().any(|rule| (rule.feature, rule.direction) == (old.feature, old.direction)));
    let replaced = later().find(|look| is_found(new, &look.rules));
    Some(Turned {
        gone: gone.map(|look| relevant(look.episodes)),
        replaced: replaced.map(|look| relevant(look.episodes)),
    })
}

/// Right rules that were retired because of drift, and relevant episodes summed over right rules in force.
pub fn false_retirements(life: &Life, writer: &Writer) -> (f64, f64) {
    let (mut falsely, mut stood) = (0.0, 0.0);
    for (at, look) in life.looks.iter().enumerate() {
        falsely += look.retired.iter().filter(|rule| is_right(rule, writer, look.day)).count() as f64;
        let until = life.looks.get(at + 1).map_or(life.events.len(), |next| next.episodes);
        for event in &life.events[look.episodes..until] {
            let speaks = |rule: &&Rule| {
                is_right(rule, writer, event.day)
                    && event
                        .rows
                        .iter()
                        .any(|row| rule.stratum.contains(row) && row.evidence(rule.feature.index()) != 0.0)
            };
            stood += look.rules.iter().filter(speaks).count() as f64;
        }
    }
    (falsely, stood)
}

/// Mean edit distance of accepted texts, in a range of days.
pub fn distance(life: &Life, days: std::ops::Range<i64>) -> f64 {
    let some: Vec<f64> =
        life.events.iter().filter(|event| days.contains(&event.day)).filter_map(|event| event.distance).collect();
    some.iter().sum::<f64>() / some.len().max(1) as f64
}
