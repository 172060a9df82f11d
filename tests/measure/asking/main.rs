//! `npm run eval:ask -- DATA [--model URL [--only N]] [--signals FILE]`: questions about the books of the data set of
//! stories.
//!
//! They are asked of the program by a scripted reader and of the book alone; with `--model` by the model of an
//! OpenAI-compatible server instead, every one or N of them. Then the parts: the check of statements, and the score of
//! questions that the book does not answer.
//!
//! A statement is a question with its answer. A mark without a quote should find the sentence that answers it, and
//! none in other passages. Questions with even numbers are those that the constants were fitted on, odd ones judge
//! them. With `--signals` the numbers of each question are written as JSON, for a new fit.

mod asked;
#[path = "../story/data.rs"]
#[allow(dead_code)]
mod data;
mod ranking;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use palimpsest_asking::verify::{Mark, Passage, Status, verify_statement, word_share};
use palimpsest_reader::passages::passages;
use palimpsest_text::sentences;
use serde_json::Value;

use asked::Reader;

/// Thresholds of the share of words that are compared.
const THRESHOLDS: [f64; 7] = [0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8];

/// A passage of a work: its chapter, and its text.
struct Piece {
    chapter: u64,
    text: String,
}

/// The arguments of the program.
#[derive(Default)]
struct Arguments {
    data: PathBuf,
    model: Option<String>,
    only: Option<usize>,
    signals: Option<PathBuf>,
}

impl Arguments {
    fn parse(mut args: impl Iterator<Item = String>) -> Option<Self> {
        let mut parsed = Self { data: args.next()?.into(), ..Self::default() };
        while let Some(flag) = args.next() {
            let value = args.next()?;
            match flag.as_str() {
                "--model" => parsed.model = Some(value),
                "--only" => parsed.only = Some(value.parse().ok()?),
                "--signals" => parsed.signals = Some(value.into()),
                _ => return None,
            }
        }
        Some(parsed)
    }
}

fn main() -> ExitCode {
    let Some(args) = Arguments::parse(std::env::args().skip(1)) else {
        eprintln!(
            "usage: npm run eval:ask -- DATA [--model URL [--only N]] [--signals FILE]\nDATA has the folder story."
        );
        return ExitCode::FAILURE;
    };
    let data = args.data.join("story");
    let measured = match &args.model {
        Some(url) => asked::print_asked(&data, Reader::Model(url), args.only),
        None => asked::print_asked(&data, Reader::Scripted, args.only)
            .and_then(|()| asked::print_asked(&data, Reader::Book, args.only))
            .and_then(|()| print_all(&data, args.signals.as_deref())),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all(data: &Path, signals: Option<&Path>) -> Result<(), String> {
    let mut works: HashMap<String, Vec<Piece>> = HashMap::new();
    for name in ["en", "zh", "sample"] {
        for unit in data::works(data, name)? {
            let pieces = unit.chapters.iter().flat_map(|chapter| {
                let piece = |text: &str| Piece { chapter: chapter.number, text: text.to_owned() };
                passages(&chapter.text).into_iter().map(move |passage| piece(&chapter.text[passage.range]))
            });
            works.insert(unit.name.clone(), pieces.collect());
        }
    }
    let questions = data::questions(data)?;
    print_statements(&questions, &works);
    let rows = ranking::score_questions(&questions, &works)?;
    if let Some(file) = signals {
        fs::write(file, Value::from(rows.iter().map(ranking::Row::to_json).collect::<Vec<_>>()).to_string())
            .map_err(|error| error.to_string())?;
    }
    ranking::print_areas(&rows);
    Ok(())
}

/// The largest share of the statement's words in one sentence.
fn best_share(statement: &str, text: &str) -> f64 {
    sentences::split(text).into_iter().map(|sentence| word_share(statement, sentence)).fold(0.0, f64::max)
}

fn print_statements(questions: &[Value], works: &HashMap<String, Vec<Piece>>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (mut gold, mut other, mut likely) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers = (0, 0);
    for question in questions.iter().filter(|question| question["kind"] == "one") {
        let Some(pieces) = works.get(&text(&question["work"])) else { continue };
        let statement = format!("{} {}", text(&question["question"]), text(&question["answers"][0]));
        let evidence = &question["evidence"][0];
        let quote = text(&evidence["quote"]);
        let is_gold = |piece: &Piece| evidence["chapter"] == piece.chapter && piece.text.contains(quote.trim());
        let Some(gold_piece) = pieces.iter().find(|piece| is_gold(piece)) else { continue };
        gold.push(best_share(&statement, &gold_piece.text));
        let mut shares: Vec<f64> =
            pieces.iter().filter(|piece| !is_gold(piece)).map(|piece| best_share(&statement, &piece.text)).collect();
        shares.sort_by(|a, b| b.total_cmp(a));
        likely.extend(shares.iter().take(5));
        other.extend(shares);
        let answer = format!("{}.", text(&question["answers"][0]));
        let mark = Mark { passage: "P1".to_owned(), quote: Some(quote) };
        let found = verify_statement(&answer, &[mark], &[Passage { handle: "P1", text: &gold_piece.text }], true);
        numbers.1 += 1;
        numbers.0 += usize::from(found.status == Status::Verified);
    }
    println!("A mark without a quote: share of the words of question and answer in one sentence of the passage.");
    println!(
        "| at least | right passage (of {}) | any other (of {}) | the 5 nearest others (of {}) |",
        gold.len(),
        other.len(),
        likely.len()
    );
    println!("| --- | --- | --- | --- |");
    for threshold in THRESHOLDS {
        let rate = |shares: &[f64]| {
            shares.iter().filter(|share| **share >= threshold).count() as f64 / shares.len().max(1) as f64
        };
        println!("| {threshold:.2} | {:.3} | {:.5} | {:.3} |", rate(&gold), rate(&other), rate(&likely));
    }
    println!("\nAnswers that are verified by the right quote: {} of {}.\n", numbers.0, numbers.1);
}
