//! Figures with their uncertainty and their bars.

use std::fmt::Write as _;

use crate::dice::Dice;

/// Bootstrap resamples per interval.
const RESAMPLES: usize = 1000;

/// A figure and its 95 % interval, over writers resampled with replacement (Efron 1979).
#[derive(Clone, Debug)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// The sample size and its unit.
    pub n: String,
}

impl Estimate {
    /// The estimate of a statistic over writers.
    pub fn over<T>(writers: &[T], n: String, statistic: impl Fn(&[&T]) -> f64) -> Self {
        let all: Vec<&T> = writers.iter().collect();
        let value = statistic(&all);
        let mut dice = Dice::new(0xB007, writers.len() as u64);
        let mut again: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let drawn: Vec<&T> = (0..all.len()).filter_map(|_| dice.pick(&all).copied()).collect();
                statistic(&drawn)
            })
            .filter(|value| !value.is_nan())
            .collect();
        again.sort_by(f64::total_cmp);
        let at = |share: f64| again.get((again.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
        Self { value, low: at(0.025), high: at(0.975), n }
    }

    /// Σ of the first values over Σ of the second ones, one pair per writer.
    pub fn ratio(pairs: &[(f64, f64)], n: String) -> Self {
        Self::over(pairs, n, |pairs| {
            let (one, two) = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
            one / two
        })
    }

    /// The median of all values, in one group per writer; the value of an event that never happened is infinite.
    pub fn median(groups: &[Vec<f64>], n: String) -> Self {
        Self::over(groups, n, |groups| median(groups.iter().flat_map(|group| group.iter().copied()).collect()))
    }

    /// The mean count per writer of events so rare that there may be none. The upper end of the interval is at least 3
    /// divided by the number of writers (Hanley 1983).
    pub fn rare(counts: &[usize], n: String) -> Self {
        let writers = counts.len().max(1) as f64;
        let pairs: Vec<(f64, f64)> = counts.iter().map(|count| (*count as f64, 1.0)).collect();
        let mut estimate = Self::ratio(&pairs, n);
        estimate.high = estimate.high.max(3.0 / writers);
        estimate
    }

    /// A figure without an interval.
    pub fn plain(value: f64, n: String) -> Self {
        Self { value, low: f64::NAN, high: f64::NAN, n }
    }
}

/// The median of values that may be infinite; not a number without values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n.is_multiple_of(2) => (values[n / 2 - 1] + values[n / 2]) / 2.0,
        n => values[n / 2],
    }
}

/// The bar for a figure.
#[derive(Clone, Copy)]
pub enum Bar {
    AtLeast {
        must: f64,
        strong: f64,
    },
    AtMost {
        must: f64,
        strong: f64,
    },
    /// No bar: the figure is reported only.
    None,
}

impl Bar {
    fn reaches(self, value: f64) -> Option<(bool, bool)> {
        match self {
            Self::AtLeast { must, strong } => Some((value >= must, value >= strong)),
            Self::AtMost { must, strong } => Some((value <= must, value <= strong)),
            Self::None => None,
        }
    }

    fn texts(self, digits: usize) -> (String, String) {
        match self {
            Self::AtLeast { must, strong } => {
                (format!("≥ {}", number(must, digits)), format!("≥ {}", number(strong, digits)))
            }
            Self::AtMost { must, strong } => {
                (format!("≤ {}", number(must, digits)), format!("≤ {}", number(strong, digits)))
            }
            Self::None => ("–".to_owned(), "–".to_owned()),
        }
    }
}

/// A row of the table.
pub struct Figure {
    pub measure: &'static str,
    pub bar: Bar,
    pub digits: usize,
    /// One cell per column; `None` where the measure does not exist.
    pub cells: Vec<Option<Estimate>>,
}

/// A table of figures with their bars.
#[derive(Default)]
pub struct Table {
    pub columns: Vec<String>,
    pub figures: Vec<Figure>,
}

impl Table {
    /// Sets a cell in the row with this name, which is added if it is missing.
    pub fn put(&mut self, column: usize, measure: &'static str, bar: Bar, digits: usize, estimate: Estimate) {
        let at = self.figures.iter().position(|figure| figure.measure == measure).unwrap_or_else(|| {
            self.figures.push(Figure { measure, bar, digits, cells: Vec::new() });
            self.figures.len() - 1
        });
        let cells = &mut self.figures[at].cells;
        if cells.len() <= column {
            cells.resize(column + 1, None);
        }
        cells[column] = Some(estimate);
    }

    /// The table in Markdown; intervals in brackets, followed by the sample size.
    pub fn markdown(&self) -> String {
        let mut made = String::from("| measure | must | strong |");
        for column in &self.columns {
            let _ = write!(made, " {column} |");
        }
        made.push_str("\n| --- | --- | --- |");
        made.push_str(&" --- |".repeat(self.columns.len()));
        for figure in &self.figures {
            let (must, strong) = figure.bar.texts(figure.digits);
            let _ = write!(made, "\n| {} | {must} | {strong} |", figure.measure);
            for column in 0..self.columns.len() {
                let cell = figure.cells.get(column).and_then(Option::as_ref).map(|cell| {
                    let mark = match figure.bar.reaches(cell.value) {
                        Some((_, true)) => " **strong**",
                        Some((true, _)) => " met",
                        Some((false, _)) => " **not met**",
                        None => "",
                    };
                    let digits = figure.digits;
                    let interval = if cell.low.is_nan() {
                        String::new()
                    } else {
                        format!(" [{}–{}]", number(cell.low, digits), number(cell.high, digits))
                    };
                    format!("{}{interval} of {}{mark}", number(cell.value, digits), cell.n)
                });
                let _ = write!(made, " {} |", cell.unwrap_or_else(|| "–".to_owned()));
            }
        }
        made
    }

    /// One line for each *must* that a column does not meet.
    pub fn not_met(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for figure in &self.figures {
            for (column, cell) in self.columns.iter().zip(&figure.cells) {
                let Some(cell) = cell else { continue };
                if figure.bar.reaches(cell.value).is_some_and(|(must, _)| !must) {
                    let (must, _) = figure.bar.texts(figure.digits);
                    let value = number(cell.value, figure.digits);
                    lines.push(format!("not met: {} ({column}): {value}, must be {must}", figure.measure));
                }
            }
        }
        lines
    }
}

fn number(value: f64, digits: usize) -> String {
    if value.is_nan() {
        "–".to_owned()
    } else if value.is_infinite() {
        "never".to_owned()
    } else {
        format!("{value:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_bar_is_reported() {
        let mut table = Table { columns: vec!["zh".to_owned(), "en".to_owned()], figures: Vec::new() };
        let bar = Bar::AtLeast { must: 0.9, strong: 0.95 };
        table.put(0, "precision", bar, 2, Estimate::plain(0.96, "9".to_owned()));
        table.put(1, "precision", bar, 2, Estimate::ratio(&[(8.0, 10.0), (1.0, 2.0)], "12".to_owned()));
        assert_eq!(table.not_met(), ["not met: precision (en): 0.75, must be ≥ 0.90"]);
        assert!(table.markdown().contains("0.96 of 9 **strong**"), "{}", table.markdown());
        let Some(cell) = table.figures[0].cells[1].clone() else { panic!() };
        assert!((cell.low, cell.high) == (0.5, 0.8), "{cell:?}");
    }

    #[test]
    fn writers_without_an_event_count_in_a_median() {
        assert_eq!(median(vec![f64::INFINITY, 3.0, 5.0]), 5.0);
        assert!(median(vec![f64::INFINITY, f64::INFINITY, 5.0]).is_infinite());
        assert!(Estimate::rare(&[0; 60], String::new()).high >= 0.05);
    }
}
