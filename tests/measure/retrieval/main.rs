//! `npm run eval:retrieval -- DATA [SET…]`: the quality of recall, with the engine that the program uses.
//!
//! Each text of a set is recorded as an episode, each group of texts as a book; each query is sent by
//! `memory:episode:query`. For each set the report has a floor (plain BM25 of this program's own), words alone, words
//! and meaning together, and where the answers are deep enough the encoder alone. Even and odd queries are reported
//! separately, which shows how much a figure varies; weights are chosen on the even ones.

mod bm25;
mod events;
mod long;
mod memory;
mod metrics;
mod plan;
mod prompts;
mod report;
mod sets;
mod short;

use std::{collections::HashSet, path::PathBuf, process::ExitCode};

use palimpsest_api::EncoderSource;

use bm25::Bm25;
use memory::{Answer, Memory};
use plan::{Corpus, NAMES};
use report::Report;
use sets::Text;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let data = args.next().map(PathBuf::from);
    let wanted: Vec<String> = args.collect();
    let Some(data) = data.filter(|_| wanted.iter().all(|name| NAMES.contains(&name.as_str()))) else {
        eprintln!(
            "usage: npm run eval:retrieval -- DATA [SET…]\nDATA has the folders retrieval and story. SET is one of:"
        );
        eprintln!("{}", NAMES.join(" "));
        return ExitCode::FAILURE;
    };
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|it| it == name);
    let encoder = palimpsest_api::bundled_encoder().map(EncoderSource::Folder);
    let mut report = Report::default();
    for (title, read) in plan::CORPORA {
        match read(&data, &is_wanted) {
            Ok(Some(corpus)) => measure_corpus(title, &corpus, encoder.as_ref(), &mut report),
            Ok(None) => {}
            Err(error) => report.note(format!("{title}: not run: {error}")),
        }
    }
    if encoder.is_none() {
        report.note("The bundled encoder is not there: run `npm run setup`. Only words were measured.".to_owned());
    }
    report.print_tables();
    ExitCode::SUCCESS
}

/// Asks all queries of a corpus: the floor, a memory without an encoder, and one with it.
fn measure_corpus(title: &str, corpus: &Corpus, encoder: Option<&EncoderSource>, report: &mut Report) {
    let floor = by_floor(corpus);
    let words = by_memory(title, "words alone", corpus, EncoderSource::Nowhere, report);
    let both = encoder.map(|encoder| by_memory(title, "both", corpus, encoder.clone(), report));
    for (at, table) in corpus.tables().enumerate() {
        report.add(table, "plain BM25", &floor[at]);
        report.add(table, "words alone", &words[at]);
        if let Some(both) = &both {
            if table.has_deep_answers() {
                let by_meaning: Vec<Answer> = both[at].iter().map(Answer::by_meaning).collect();
                report.add(table, "encoder alone", &by_meaning);
            }
            report.add(table, "both", &both[at]);
        }
    }
}

/// The floor's answers to each table.
fn by_floor(corpus: &Corpus) -> Vec<Vec<Answer>> {
    let mut texts: Vec<&Text> = Vec::new();
    let mut answers = Vec::new();
    for phase in &corpus.phases {
        let deleted: HashSet<&str> = phase.deleted.iter().map(String::as_str).collect();
        texts.retain(|text| !deleted.contains(text.id.as_str()));
        texts.extend(&phase.texts);
        let floor = Bm25::new(texts.iter().copied());
        for table in &phase.tables {
            let limit = table.ask.limit();
            let answer = |it: &sets::Query| Answer::of(floor.rank(&it.book, &it.text, limit));
            answers.push(table.queries.iter().map(answer).collect());
        }
    }
    answers
}

/// A memory's answers to each table.
fn by_memory(title: &str, how: &str, corpus: &Corpus, encoder: EncoderSource, report: &mut Report) -> Vec<Vec<Answer>> {
    let has_encoder = !matches!(encoder, EncoderSource::Nowhere);
    let mut memory = Memory::open(encoder);
    let mut answers = Vec::new();
    for phase in &corpus.phases {
        memory.delete(phase.deleted.iter().map(String::as_str));
        let indexing = memory.record(&phase.texts);
        let before = answers.len();
        for table in &phase.tables {
            answers.push(table.queries.iter().map(|query| memory.answer(query, table.ask)).collect::<Vec<_>>());
        }
        report.time(title, how, phase, indexing, answers[before..].iter().flatten());
        let without = answers[before..].iter().flatten().filter(|answer| answer.is_without_meaning()).count();
        if has_encoder && without > 0 {
            report.note(format!("{title}: {without} answers were made without vectors"));
        }
    }
    answers
}
