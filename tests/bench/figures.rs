//! Times, and how they are printed: N, median, 95th and 99th percentile, and the ratio of medians to a floor.

use std::time::Duration;

/// Times of one thing.
#[derive(Default)]
pub struct Figures(Vec<f64>);

impl Figures {
    /// The head of the table.
    pub const HEADER: &str =
        "| what | N | p50 ms | p95 ms | p99 ms | p50 × floor |\n| --- | ---: | ---: | ---: | ---: | ---: |";

    /// One more.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1_000.0);
    }

    /// What is left of each when its partner is taken off.
    pub fn minus(&self, floor: &Self) -> Self {
        Self(self.0.iter().zip(&floor.0).map(|(time, floor)| time - floor).collect())
    }

    /// The times of another thread too.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Milliseconds on average.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// So much or less took this share of them, in milliseconds.
    pub fn percentile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }

    /// A row of the table.
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
