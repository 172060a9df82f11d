//! `npm run eval:influence -- [DATA] [--tune]`: the quality of influence estimates, where the truth is known.
//!
//! Three hundred generations by a softmax over real paragraphs, 6 to 12 memories each ([`world`]). For each, every
//! estimator of influence gives weights, and a hundred random sets of the memories are drawn. The **linear datamodeling
//! score** (Park et al. 2023) is the rank correlation between the sum of the weights of a set and the log-probability
//! of the draft with that set alone: 1 is perfect. *Inert* is the share of memories without any effect that the writer
//! is shown as influential.
//!
//! Prose: `DATA/text/*.txt.gz` if given, otherwise the sample book of the project, which is too small for quotable
//! figures. `--tune` uses the seeds that the constants were chosen on; otherwise other seeds are used.

mod prose;
mod tiers;
mod world;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use self::prose::Passage;
use self::tiers::{By, Estimate, Seeds};
use self::world::{Dice, Past, Scenario};
use palimpsest_embedder::Encoder;
use palimpsest_text::Language;

const SCENARIOS: u64 = 300;
/// Random sets of memories per score.
const SETS: usize = 100;
/// The first seed of those that the constants were chosen on, and of the others.
const SEEDS: [u64; 2] = [0, 1_000_000];
const CHINESE: [&str; 3] = ["zh-luxun-呐喊", "zh-luxun-彷徨", "zh-luxun-故事新编"];
const ENGLISH: [&str; 2] = ["en-austen-persuasion", "en-chesterton-brown"];

pub fn main() -> ExitCode {
    let mut data = None;
    let mut tune = false;
    for argument in std::env::args().skip(1) {
        if argument == "--tune" { tune = true } else { data = Some(PathBuf::from(argument)) }
    }
    let encoder = palimpsest_api::bundled_encoder().and_then(|folder| Encoder::load(&folder).ok());
    let encode = |text: &str| encoder.as_ref().map(|encoder| encoder.embed(text));
    let texts = match &data {
        Some(data) => given(data),
        None => measure_own(),
    };
    let [zh, en] = match texts {
        Ok(texts) => texts,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!(
        "{} Chinese and {} English passages{}; {} seeds; examples are minded for their terms, their style{}.\n",
        zh.len(),
        en.len(),
        if data.is_none() { " of the sample book (too few to quote figures)" } else { "" },
        if tune { "tuning" } else { "held-out" },
        if encoder.is_some() { " and their meaning" } else { " (no encoder: not for their meaning)" },
    );
    let books = [prose::measured(&zh, Language::Zh, &encode), prose::measured(&en, Language::En, &encode)];
    report(&books, SEEDS[usize::from(!tune)]);
    ExitCode::SUCCESS
}

fn given(data: &Path) -> Result<[Vec<String>; 2], String> {
    let all = |names: &[&str], language| -> Result<Vec<String>, String> {
        let read = |name: &&str| prose::read(&data.join("text").join(format!("{name}.txt.gz")), language);
        Ok(names.iter().map(read).collect::<Result<Vec<_>, _>>()?.concat())
    };
    Ok([all(&CHINESE, Language::Zh)?, all(&ENGLISH, Language::En)?])
}

fn measure_own() -> Result<[Vec<String>; 2], String> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src-tauri/crates/api/sample-book");
    let all = |language: &str| -> Result<Vec<String>, String> {
        let entries = std::fs::read_dir(book.join(language)).map_err(|error| error.to_string())?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        let read = |file: &PathBuf| std::fs::read_to_string(file).map_err(|error| error.to_string());
        Ok(prose::overlapping(&files.iter().map(read).collect::<Result<Vec<_>, _>>()?.join("\n")))
    };
    Ok([all("zh")?, all("en")?])
}

/// One row of the table.
#[derive(Default)]
struct Row {
    name: &'static str,
    /// One score per scenario.
    scores: Vec<f64>,
    /// The number of memories without effect, and the number of them that are shown.
    inert: (u32, u32),
    /// The number of memories with effect, and the number of them that are shown.
    minded: (u32, u32),
}

impl Row {
    fn add(&mut self, scenario: &Scenario<'_>, sets: &[(Vec<bool>, f64)], estimate: &Estimate) {
        let sum =
            |set: &[bool]| set.iter().zip(&estimate.weights).filter(|(with, _)| **with).map(|(_, weight)| weight).sum();
        let predicted: Vec<f64> = sets.iter().map(|(set, _)| sum(set)).collect();
        let truth: Vec<f64> = sets.iter().map(|(_, truth)| *truth).collect();
        // With all weights zero nothing is predicted; that scores 0.
        self.scores.push(spearman(&predicted, &truth).unwrap_or(0.0));
        for (memory, shown) in scenario.memories.iter().zip(&estimate.shown) {
            let count = if memory.strength == 0.0 { &mut self.inert } else { &mut self.minded };
            count.0 += 1;
            count.1 += u32::from(*shown);
        }
    }

    fn print(&self) {
        let mean = |scores: &mut dyn Iterator<Item = f64>| {
            let all: Vec<f64> = scores.collect();
            all.iter().sum::<f64>() / all.len().max(1) as f64
        };
        let all = mean(&mut self.scores.iter().copied());
        let n = self.scores.len() as f64;
        let error = (self.scores.iter().map(|score| (score - all).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        let half = |odd: usize| mean(&mut self.scores.iter().copied().skip(odd).step_by(2));
        let share = |(all, shown): (u32, u32)| 100.0 * f64::from(shown) / f64::from(all.max(1));
        println!(
            "| {} | {n} | {all:.3} ± {:.3} | {:.3} | {:.3} | {:.1} % of {} | {:.1} % of {} |",
            self.name,
            1.96 * error,
            half(0),
            half(1),
            share(self.inert),
            self.inert.0,
            share(self.minded),
            self.minded.0
        );
    }
}

/// An estimator of influence: its name and its function.
type Way = (&'static str, Box<dyn Fn(&Scenario<'_>, u64) -> Estimate>);

fn report(books: &[Vec<Passage>; 2], first: u64) {
    println!("| told by | N | score | zh | en | inert shown | minded shown |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let own = |salt: u64| move |seed: u64| Dice::new(seed ^ (salt << 40));
    table(
        books,
        first,
        Past::Mixed,
        vec![
            ("random weights", Box::new(move |s, seed| tiers::random(s, &mut own(1)(seed)))),
            ("what recall ranks by", Box::new(|s, _| tiers::retrieval(s))),
            ("**compliance**", Box::new(|s, _| tiers::compliance(s, By::Both))),
            ("compliance, examples by words alone", Box::new(|s, _| tiers::compliance(s, By::Words))),
            ("compliance, examples by style alone", Box::new(|s, _| tiers::compliance(s, By::Style))),
            ("compliance, nothing compared", Box::new(|s, _| tiers::compliance_alone(s))),
            ("**masked, 32**, a seed a pair", Box::new(|s, seed| tiers::masked(s, 32, seed, Seeds::Pairs, By::Both))),
            (
                "masked, 32, examples by style alone",
                Box::new(|s, seed| tiers::masked(s, 32, seed, Seeds::Pairs, By::Style)),
            ),
            (
                "masked, 32, all at the draft's seed",
                Box::new(|s, seed| tiers::masked(s, 32, seed, Seeds::One, By::Both)),
            ),
            (
                "masked, 32, each at a seed of its own",
                Box::new(move |s, seed| tiers::masked(s, 32, seed, Seeds::Each(&mut own(2)(seed)), By::Both)),
            ),
            ("masked, 16, a seed a pair", Box::new(|s, seed| tiers::masked(s, 16, seed, Seeds::Pairs, By::Both))),
            ("no weights below 0 can do better", Box::new(move |s, seed| tiers::ceiling(s, &mut own(4)(seed), false))),
            ("no weights can do better", Box::new(move |s, seed| tiers::ceiling(s, &mut own(4)(seed), true))),
        ],
    );
    for (past, name, alone) in [
        (Past::Same, "compliance, all recent drafts had all memories", "the same, nothing compared"),
        (Past::New, "compliance, all memories are new", "the same, nothing compared"),
    ] {
        table(
            books,
            first,
            past,
            vec![
                (name, Box::new(|s, _| tiers::compliance(s, By::Both))),
                (alone, Box::new(|s, _| tiers::compliance_alone(s))),
            ],
        );
    }
}

fn table(books: &[Vec<Passage>; 2], first: u64, past: Past, ways: Vec<Way>) {
    let mut rows: Vec<Row> = ways.iter().map(|(name, _)| Row { name, ..Row::default() }).collect();
    let (mut compared, mut memories) = (0, 0);
    for n in 0..SCENARIOS {
        let seed = first + n;
        let scenario = Scenario::new(&books[(n % 2) as usize], seed, past);
        let mut dice = Dice::new(seed ^ (9 << 40));
        let sets: Vec<(Vec<bool>, f64)> = (0..SETS)
            .map(|_| {
                let set = tiers::any_mask(&scenario, &mut dice);
                let truth = scenario.truth(&set);
                (set, truth)
            })
            .collect();
        for (row, (_, tell)) in rows.iter_mut().zip(&ways) {
            row.add(&scenario, &sets, &tell(&scenario, seed));
        }
        compared += tiers::compared(&scenario);
        memories += scenario.memories.len();
    }
    rows.iter().for_each(Row::print);
    eprintln!("{past:?}: {compared} of {memories} memories could be compared");
}

/// Spearman's rank correlation, ties with their mean rank; `None` where one side does not vary.
fn spearman(one: &[f64], other: &[f64]) -> Option<f64> {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let rank = |value: &f64| {
            let below = values.iter().filter(|other| *other < value).count() as f64;
            let equal = values.iter().filter(|other| *other == value).count() as f64;
            below + (equal - 1.0) / 2.0 - (values.len() as f64 - 1.0) / 2.0
        };
        values.iter().map(rank).collect()
    };
    let (one, other) = (ranks(one), ranks(other));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let both = (product(&one, &one) * product(&other, &other)).sqrt();
    (both > 0.0).then(|| product(&one, &other) / both)
}
