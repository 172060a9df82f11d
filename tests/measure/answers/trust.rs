//! Simulated answers: how far the posterior and the fixed steps of trust are from the truth, and which answers are
//! blocked.

use palimpsest_answers::{
    posterior::Tally,
    standing::{Event, EventKind, Standing, StandingRules, State, next},
    validation::{Source, Strength, Validation, ValidationResult},
};

use crate::calibration_error;

/// Number of simulated answers.
const ANSWERS: usize = 4_000;
/// Uses of each.
const USES: usize = 50;
/// Share of signals that say the opposite of the truth.
const WRONG: f64 = 0.2;

/// Numbers in 0..1, the same in each run.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn validation(is_right: bool, source: Source, strength: Strength) -> Validation {
    let result = if is_right { ValidationResult::Pass } else { ValidationResult::Fail };
    Validation { result, strength, source, used: true, applied: true }
}

/// The scores of an answer after each use from the third on, each with whether the next use is right.
struct Scores {
    posterior: Vec<(f64, bool)>,
    trust: Vec<(f64, bool)>,
}

fn simulate(wrong: f64) -> Scores {
    let mut draws = Draws(20_261_126);
    let mut scores = Scores { posterior: Vec::new(), trust: Vec::new() };
    for _ in 0..ANSWERS {
        // The median of three uniform numbers has the distribution Beta(2, 2).
        let mut three = [draws.next(), draws.next(), draws.next()];
        three.sort_by(f64::total_cmp);
        let chance = three[1];
        let (mut tally, mut standing) = (Tally::default(), Standing::initial(0));
        for _ in 0..USES {
            let is_next_right = draws.next() < chance;
            let (posterior, trust) = (tally.posterior(0.5), f64::from(standing.trust_milli) / 1_000.0);
            if posterior.is_tried() {
                scores.posterior.push((posterior.value, is_next_right));
                scores.trust.push((trust, is_next_right));
            }
            let is_said_right = is_next_right != (draws.next() < wrong);
            let validation = validation(is_said_right, Source::Writer, Strength::Strong);
            tally.observe(&validation);
            let event = Event { at: 0, kind: EventKind::Validated(validation) };
            standing = next(&standing, &event, StandingRules::default());
        }
    }
    scores
}

/// The share of answers that are right with a chance and are blocked within fifty uses.
fn blocked(chance: f64) -> f64 {
    let mut draws = Draws(7);
    let is_blocked = |draws: &mut Draws| {
        let mut standing = Standing::initial(0);
        (0..USES).any(|_| {
            let validation = validation(draws.next() < chance, Source::Run, Strength::Weak);
            let event = Event { at: 0, kind: EventKind::Validated(validation) };
            standing = next(&standing, &event, StandingRules::default());
            matches!(standing.state, State::Blocked(_))
        })
    };
    (0..ANSWERS).filter(|_| is_blocked(&mut draws)).count() as f64 / ANSWERS as f64
}

fn brier(scored: &[(f64, bool)]) -> f64 {
    let error = |(score, is_right): &(f64, bool)| (score - f64::from(u8::from(*is_right))).powi(2);
    scored.iter().map(error).sum::<f64>() / scored.len().max(1) as f64
}

/// Prints the tables.
pub fn print_simulation() {
    println!("{ANSWERS} simulated answers of {USES} uses, right with a chance from Beta(2, 2), from the third use on");
    println!("| wrong signals | ECE of the posterior (at most .03) | ECE of trust | Brier posterior | Brier trust |");
    println!("| --- | --- | --- | --- | --- |");
    for wrong in [0.0, WRONG] {
        let Scores { posterior, trust } = simulate(wrong);
        println!(
            "| {wrong} | {:.3} | {:.3} | {:.3} | {:.3} |",
            calibration_error(&posterior),
            calibration_error(&trust),
            brier(&posterior),
            brier(&trust)
        );
    }
    let by_exit_code = Tally::of(&vec![validation(true, Source::Run, Strength::Weak); 400]).posterior(0.5).value;
    println!(
        "\nblocked within {USES} uses: right in 90 % {:.3} (at most .05), in 70 % {:.3}, in 40 % {:.3} (at least .90)",
        blocked(0.9),
        blocked(0.7),
        blocked(0.4)
    );
    println!("highest posterior by exit codes alone, 400 of them: {by_exit_code:.2} (at most .60)");
}
