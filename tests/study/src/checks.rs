//! Additional checks of the learner: drift in numbers, thirty-five action scenes, and the cost of a run.

use std::time::Instant;

use palimpsest_learning::{
    ActiveRule, Direction, Drift, Kind, RETIRE_THRESHOLD, Row, Settings, State, Stratum, distill,
};
use palimpsest_text::style::{Category, Feature};

use crate::{
    dice::Dice,
    evidence::{Book, Episode},
    figures::{Bar, Estimate, Table, median},
    life::{Circumstances, Model, live},
    prose::Pool,
    writer::Writer,
};

/// A rule about one feature with which 80 % of the relevant episodes agree, and from episode 120 on only 20 %: in
/// numbers, without texts.
pub fn drift(seed: u64, settings: &Settings, table: &mut Table) {
    const RUNS: u64 = 400;
    let (mut gone, mut replaced) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        let mut dice = Dice::new(seed, 7_000_000 + run);
        let mut state = State::default();
        let direction = Direction::More;
        state.active.push(ActiveRule {
            feature: 0,
            direction,
            stratum: Stratum::Anywhere,
            since: 60,
            confirmed: false,
        });
        let mut rows: Vec<Row> = Vec::new();
        let (mut went, mut came) = (f64::INFINITY, f64::INFINITY);
        for order in 0..220_i64 {
            let a = if dice.heads(if order < 120 { 0.8 } else { 0.2 }) { 1.0 } else { -1.0 };
            let scene = Some((order % 4) as u16);
            rows.push(Row { order, scene, skill: None, kind: Kind::Edit, a: vec![a], dz: vec![a] });
            if order < 120 {
                continue;
            }
            let outcome = distill(&rows, Feature::COUNT, settings, &state);
            if let Some(retired) = outcome.retired.first() {
                went = (order - 119) as f64;
                state.active.clear();
                state.restarts.push(retired.restart);
            }
            if outcome.rules.iter().any(|rule| rule.direction == Direction::Less) {
                came = (order - 119) as f64;
                break;
            }
        }
        gone.push(went);
        replaced.push(came);
    }
    let (delay, until) = (median(gone), median(replaced));
    let of = format!("{RUNS} runs");
    table.put(
        0,
        "drift, .8 → .2: relevant episodes until the rule is retired",
        Bar::AtMost { must: 20.0, strong: 12.0 },
        0,
        Estimate::plain(delay, of.clone()),
    );
    table.put(
        0,
        "… and until the opposite has replaced it",
        Bar::AtMost { must: 12.0, strong: 12.0 },
        0,
        Estimate::plain(until, of),
    );

    const WATCHED: u64 = 4000;
    let asked = Bar::AtMost { must: 0.05, strong: 0.01 };
    for (rate, measure, bar) in [
        (0.8, "… rules that 80 % agree with, retired falsely in 300", asked),
        (0.7, "… rules that 70 % agree with, retired falsely in 300", Bar::None),
    ] {
        let falsely: Vec<usize> = (0..WATCHED)
            .map(|run| {
                let mut dice = Dice::new(seed, 8_000_000 + run);
                let mut watch = Drift::against(settings.claim);
                let retired = (0..300).any(|_| {
                    watch.observe(if dice.heads(rate) { 1.0 } else { -1.0 });
                    watch.e_value() >= settings.retire_at
                });
                usize::from(retired)
            })
            .collect();
        table.put(0, measure, bar, 3, Estimate::rare(&falsely, format!("{WATCHED} rules")));
    }
    debug_assert!(settings.retire_at >= RETIRE_THRESHOLD);
}

/// Fifty episodes, thirty-five of them action scenes in which the shorter of two candidates was taken; the choice is
/// random in other scenes, and in every scene of the control arm. The figure is how often this gives an unconfirmed
/// rule of pacing or style for action scenes with a confidence of at least .85.
pub fn shorter_in_action(pool: &Pool, seed: u64, count: usize, settings: &Settings, column: usize, table: &mut Table) {
    const ACTION: u16 = 1;
    let run = |number: usize, at_random: bool| {
        let mut dice = Dice::new(seed, 9_000_000 + number as u64);
        let mut book = Book::new(pool.language);
        let mut rows = Vec::new();
        let mut scenes: Vec<u16> = (0..50).map(|at| if at < 35 { ACTION } else { [0, 2, 3][at % 3] }).collect();
        dice.shuffle(&mut scenes);
        for (order, scene) in scenes.into_iter().enumerate() {
            let passages = &pool.scenes[usize::from(scene)];
            let offered = [0; 2].map(|_| passages[dice.below(passages.len())].features);
            let length = |at: usize| offered[at].get(Feature::Length);
            let shorter = usize::from(length(1) < length(0));
            let chosen = if at_random || scene != ACTION { dice.below(2) } else { shorter };
            let (scene, skill, written) = (Some(scene), Some(0), None);
            let order = order as i64;
            rows.extend(book.record(&Episode {
                order,
                scene,
                skill,
                candidates: &offered,
                chosen: Some(chosen),
                written,
                undone: false,
            }));
        }
        distill(&rows, Feature::COUNT, settings, &State::default()).rules
    };
    let taught: Vec<(f64, f64)> = (0..count)
        .map(|number| {
            let is_it = |rule: &palimpsest_learning::SupportedRule| {
                rule.stratum == Stratum::Scene(ACTION)
                    && matches!(Feature::ALL[rule.feature].category(), Category::Pacing | Category::Style)
                    && rule.confidence.value >= 0.85
            };
            (f64::from(u8::from(run(number, false).iter().any(is_it))), 1.0)
        })
        .collect();
    let of = format!("{count} runs");
    let bar = Bar::AtLeast { must: 0.95, strong: 1.0 };
    table.put(
        column,
        "35 action scenes of 50, the shorter taken: a rule for action scenes, confidence ≥ .85",
        bar,
        2,
        Estimate::ratio(&taught, of.clone()),
    );
    let falsely: Vec<usize> = (0..count).map(|number| run(number, true).len()).collect();
    table.put(
        column,
        "the same, taken at random: rules",
        Bar::AtMost { must: 0.05, strong: 0.0 },
        2,
        Estimate::rare(&falsely, of),
    );
}

/// CPU time of one run over the evidence of 10,000 episodes of one writer, with the rules of the previous run in force.
pub fn cost(pool: &Pool, seed: u64, settings: &Settings, column: usize, table: &mut Table) {
    const EPISODES: usize = 10_000;
    let writer = Writer::with_preferences(pool, &mut Dice::new(seed, 77));
    let how = Circumstances { days: 600, learns: false, ..Circumstances::ordinary(Model::Plain) };
    let life = live(&writer, pool, &how, seed, 77, settings);
    // The writer's events of 600 days, repeated cyclically.
    let events = life.events.iter().cycle().take(EPISODES).enumerate();
    let rows: Vec<Row> = events
        .flat_map(|(at, event)| event.rows.iter().map(move |row| Row { order: at as i64, ..row.clone() }))
        .collect();
    let first = distill(&rows, Feature::COUNT, settings, &State::default());
    let standing = first.rules.iter().map(|rule| ActiveRule {
        feature: rule.feature,
        direction: rule.direction,
        stratum: rule.stratum,
        since: EPISODES as i64 / 2,
        confirmed: false,
    });
    let state = State { active: standing.collect(), ..State::default() };
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let before = cpu();
            let wall = Instant::now();
            let rules = distill(&rows, Feature::COUNT, settings, &state).rules.len();
            assert!(rules > 0, "a run that finds nothing costs nothing");
            match (before, cpu()) {
                (Some(before), Some(after)) => (after - before) as f64 / 1e6,
                _ => wall.elapsed().as_secs_f64() * 1e3,
            }
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let of = format!("{} rows of {EPISODES} episodes, {} rules", rows.len(), first.rules.len());
    table.put(
        column,
        "CPU time of a run, ms (median of 7)",
        Bar::AtMost { must: 300.0, strong: 300.0 },
        0,
        Estimate::plain(times[3], of),
    );
}

/// CPU time of this thread in nanoseconds; `None` where the system does not report it.
fn cpu() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}
