//! The tables of the report, as Markdown.

use std::time::Duration;

use crate::{
    memory::Answer,
    metrics::{Examples, Metric, Recall, Short, rows},
    plan::{Kind, Phase, Table},
};

const TIMES: &str = "| set | how | texts | indexing s | queries | query p50 ms | query p95 ms |\n\
                     | --- | --- | ---: | ---: | ---: | ---: | ---: |";

/// Rows of each table, which are printed at the end.
#[derive(Default)]
pub struct Report {
    recall: Vec<String>,
    short: Vec<String>,
    examples: Vec<String>,
    times: Vec<String>,
    notes: Vec<String>,
}

impl Report {
    /// Adds the answers to the queries of a table.
    pub fn add(&mut self, table: &Table, how: &str, answers: &[Answer]) {
        match table.kind {
            Kind::Recall => self.recall.extend(rows::<Recall>(&table.title, how, &table.queries, answers)),
            Kind::Short => self.short.extend(rows::<Short>(&table.title, how, &table.queries, answers)),
            Kind::Prompt => self.examples.extend(rows::<Examples>(&table.title, how, &table.queries, answers)),
        }
    }

    /// Adds the times of recording and querying, and reports progress.
    pub fn time<'a>(
        &mut self,
        set: &str,
        how: &str,
        phase: &Phase,
        indexing: Duration,
        answers: impl Iterator<Item = &'a Answer>,
    ) {
        let mut times: Vec<f64> = answers.map(|answer| answer.time.as_secs_f64() * 1_000.0).collect();
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
        let (texts, seconds, queries) = (phase.texts.len(), indexing.as_secs_f64(), times.len());
        eprintln!(
            "{set}, {how}: {texts} texts in {seconds:.1} s, {queries} queries in {:.1} s",
            times.iter().sum::<f64>() / 1_000.0
        );
        self.times.push(format!(
            "| {set} | {how} | {texts} | {seconds:.1} | {queries} | {:.2} | {:.2} |",
            at(0.5),
            at(0.95)
        ));
    }

    /// Adds a remark below the tables.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub fn print_tables(&self) {
        for (header, rows) in [
            (Recall::HEADER, &self.recall),
            (Short::HEADER, &self.short),
            (Examples::HEADER, &self.examples),
            (TIMES, &self.times),
        ] {
            if !rows.is_empty() {
                println!("{header}\n{}\n", rows.join("\n"));
            }
        }
        self.notes.iter().for_each(|note| println!("{note}"));
    }
}
