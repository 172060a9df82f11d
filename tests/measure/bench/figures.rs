//! Times and their output: N, median, 95th and 99th percentile, and the ratio of medians to a floor.
//!
//! A machine shared with other processes is slow for seconds at a time. [`Rounds`] measures several operations in turn,
//! a floor among them, and reports all rounds and separately those in which the floor was fast. That selection depends
//! on the floor and not on the measured operation, so it shows the program on an otherwise idle machine.

use std::time::{Duration, Instant};

/// Times of one operation, in milliseconds.
#[derive(Default)]
pub struct Figures(Vec<f64>);

impl Figures {
    /// The head of the table.
    pub const HEADER: &str =
        "| what | N | p50 ms | p95 ms | p99 ms | p50 × floor |\n| --- | ---: | ---: | ---: | ---: | ---: |";

    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1_000.0);
    }

    /// The differences of times and their paired floors.
    pub fn minus(&self, floor: &Self) -> Self {
        Self(self.0.iter().zip(&floor.0).map(|(time, floor)| time - floor).collect())
    }

    /// Adds the times of another thread.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The mean, in milliseconds.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The quantile at this share (0..1), in milliseconds; not a number without times.
    pub fn percentile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }

    /// Prints a row of the table.
    pub fn print(&self, what: &str, floor: Option<&Self>) {
        let ratio =
            floor.map_or("–".to_owned(), |floor| format!("{:.1}", self.percentile(0.5) / floor.percentile(0.5)));
        println!(
            "| {what} | {} | {:.2} | {:.2} | {:.2} | {ratio} |",
            self.0.len(),
            self.percentile(0.5),
            self.percentile(0.95),
            self.percentile(0.99),
        );
    }
}

/// Several operations, measured in turn in many rounds. The first is the floor.
pub struct Rounds<'a> {
    operations: Vec<(String, Operation<'a>)>,
    rounds: Vec<Vec<Figures>>,
}

/// A measured operation, and its repetitions per round.
type Operation<'a> = (Box<dyn FnMut() + 'a>, usize);

impl<'a> Rounds<'a> {
    /// Starts with the floor, which is repeated `times` times per round.
    pub fn beside(what: &str, times: usize, floor: impl FnMut() + 'a) -> Self {
        Self { operations: Vec::new(), rounds: Vec::new() }.and(what, times, floor)
    }

    /// Adds an operation, which is repeated `times` times per round.
    pub fn and(mut self, what: impl Into<String>, times: usize, thing: impl FnMut() + 'a) -> Self {
        self.operations.push((what.into(), (Box::new(thing), times)));
        self
    }

    /// Measures this many rounds.
    pub fn run(mut self, rounds: usize) -> Self {
        for _ in 0..rounds {
            let round = self.operations.iter_mut().map(|(_, (thing, times))| time(*times, thing)).collect();
            self.rounds.push(round);
        }
        self
    }

    /// Prints rows of the table: all rounds, and the half of them in which the floor's 95th percentile was smallest.
    pub fn print(mut self) {
        self.rows(self.rounds.len(), "");
        let slowest = |round: &Vec<Figures>| round.first().map_or(f64::NAN, |floor| floor.percentile(0.95));
        self.rounds.sort_by(|a, b| slowest(a).total_cmp(&slowest(b)));
        self.rows(self.rounds.len() / 2, ", in the half of the rounds in which the floor was quicker");
    }

    fn rows(&self, rounds: usize, which: &str) {
        let mut floor: Option<Figures> = None;
        for (at, (what, _)) in self.operations.iter().enumerate() {
            let mut all = Figures::default();
            self.rounds.iter().take(rounds).filter_map(|round| round.get(at)).for_each(|one| all.0.extend(&one.0));
            all.print(&format!("{what}{which}"), floor.as_ref());
            floor.get_or_insert(all);
        }
    }
}

/// Measures an operation this many times.
pub fn time(times: usize, mut what: impl FnMut()) -> Figures {
    let mut figures = Figures::default();
    for _ in 0..times {
        let start = Instant::now();
        what();
        figures.add(start.elapsed());
    }
    figures
}
