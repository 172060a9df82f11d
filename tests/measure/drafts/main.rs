//! `npm run eval:drafts -- MODEL_URL DATA [--runs N] [--language zh|en] [--candidates N] [--model NAME] [--seed N]
//! [--show]`: the drafts of a model of an OpenAI-compatible server, through the commands of the program.
//!
//! At most N pairs of a passage of `DATA/text` and a skill in each language (default 20), each run twice: in a book
//! without memory, and in one with three measurable rules and twelve episodes. There are two such books, with opposite
//! rules, so that habits of a model follow as many rules of one as they break of the other. A relay before the server
//! records the texts before the filter: how many of them are drafts as they are is the baseline.
//!
//! All but the model is the same for the same seed. A line is printed after each run, and the tables at the end. Texts
//! are printed with `--show` only.

mod outcome;
mod plan;
#[path = "../influence/prose.rs"]
#[allow(dead_code)]
mod prose;
mod relay;
mod report;
mod statistics;
mod writer;

use std::{path::PathBuf, process::ExitCode};

use palimpsest_text::{Language, count};
use serde_json::Value;

use outcome::{Card, Outcome};
use plan::Plan;
use relay::Relay;
use report::{memory_name, name_of};
use writer::{Ran, Writer};

const USAGE: &str = "usage: npm run eval:drafts -- MODEL_URL DATA [--runs N] [--language zh|en] [--candidates 1..4] \
                     [--model NAME] [--seed N] [--show]\nDATA has the folder text; MODEL_URL begins with http://.";

/// The arguments of the program.
struct Arguments {
    url: String,
    data: PathBuf,
    /// Maximum pairs of a passage and a skill, in each language.
    runs: usize,
    languages: Vec<Language>,
    candidates: usize,
    model: Option<String>,
    seed: u64,
    show: bool,
}

impl Arguments {
    fn parse(mut args: impl Iterator<Item = String>) -> Option<Self> {
        let mut parsed = Self {
            url: args.next()?,
            data: args.next()?.into(),
            runs: 20,
            languages: vec![Language::Zh, Language::En],
            candidates: 1,
            model: None,
            seed: 1,
            show: false,
        };
        while let Some(flag) = args.next() {
            match flag.as_str() {
                "--runs" => parsed.runs = args.next()?.parse().ok()?,
                "--language" => {
                    let name = args.next()?;
                    parsed.languages.retain(|language| name_of(*language) == name);
                }
                "--candidates" => parsed.candidates = args.next()?.parse().ok()?,
                "--model" => parsed.model = Some(args.next()?),
                "--seed" => parsed.seed = args.next()?.parse().ok()?,
                "--show" => parsed.show = true,
                _ => return None,
            }
        }
        let is_valid = (1..=4).contains(&parsed.candidates) && !parsed.languages.is_empty() && parsed.runs > 0;
        is_valid.then_some(parsed)
    }
}

fn main() -> ExitCode {
    let Some(args) = Arguments::parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let mut outcomes = Vec::new();
    let measured = measure_all(&args, &mut outcomes);
    if !outcomes.is_empty() {
        println!("\n{}", report::tables(&outcomes, args.seed));
    }
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A language with its books: without memory, and one for each set of rules.
struct Shelf {
    plan: Plan,
    plain: Value,
    with_memory: Vec<Value>,
}

fn measure_all(args: &Arguments, outcomes: &mut Vec<Outcome>) -> Result<(), String> {
    let plans = args.languages.iter().map(|language| Plan::read(&args.data, *language, args.runs, args.seed));
    let plans = plans.collect::<Result<Vec<_>, _>>()?;
    let relay = Relay::start(&args.url)?;
    let (writer, model) = Writer::open(&relay.url, args.model.as_deref())?;
    let mut shelves = Vec::new();
    for plan in plans {
        let plain = writer.create_book(plan.language, "without", None)?;
        let memories = plan.memories.iter().enumerate();
        let with_memory = memories
            .map(|(set, memory)| writer.create_book(plan.language, &format!("with {set}"), Some(memory)))
            .collect::<Result<_, _>>()?;
        shelves.push(Shelf { plan, plain, with_memory });
    }
    let counts: Vec<String> =
        shelves.iter().map(|shelf| format!("{} {}", shelf.plan.pairs.len(), name_of(shelf.plan.language))).collect();
    println!(
        "Model {model}; pairs: {}; {} candidate(s) a run; seed {}.\n",
        counts.join(", "),
        args.candidates,
        args.seed
    );
    for pair in 0..args.runs {
        for shelf in shelves.iter().filter(|shelf| pair < shelf.plan.pairs.len()) {
            // In turns, so that a server that remembers the beginning of a prompt favours neither.
            for has_memory in if pair % 2 == 0 { [false, true] } else { [true, false] } {
                let outcome = measure_run(args, &writer, &relay, shelf, pair, has_memory)?;
                println!("{}", progress_line(&shelf.plan, &outcome));
                outcomes.push(outcome);
            }
        }
    }
    Ok(())
}

fn measure_run(
    args: &Arguments,
    writer: &Writer,
    relay: &Relay,
    shelf: &Shelf,
    number: usize,
    has_memory: bool,
) -> Result<Outcome, String> {
    let pair = &shelf.plan.pairs[number];
    let project = if has_memory { &shelf.with_memory[pair.set] } else { &shelf.plain };
    relay.take_exchanges();
    let ran = writer.run_skill(project, pair, args.candidates)?;
    let exchanges = relay.take_exchanges();
    if args.show {
        show_texts(pair, &ran, &exchanges);
    }
    Ok(Outcome::new(&shelf.plan, number, has_memory, &ran, &exchanges))
}

/// The state of each candidate, without their texts.
fn progress_line(plan: &Plan, outcome: &Outcome) -> String {
    let asked = plan.pairs[outcome.pair].asked_words(plan.language);
    let card = |card: &Card| {
        let end = match &card.reason {
            _ if card.has_failed => "failed".to_owned(),
            Some(reason) => format!("unusable ({reason})"),
            None => format!("usable, {} words of {asked}", count::words(&card.text)),
        };
        match &card.first_reason {
            Some(first) if card.reason.as_ref() != Some(first) => format!("{first}, then {end}"),
            _ => end,
        }
    };
    let cards: Vec<String> = outcome.cards.iter().map(card).collect();
    let first = outcome.first.map_or("no text".to_owned(), |first| format!("text after {:.1} s", first.as_secs_f64()));
    format!(
        "{} {}, {}, {}: {}; {first}; {} usable without a filter",
        name_of(plan.language),
        outcome.pair + 1,
        outcome.skill,
        memory_name(outcome.has_memory),
        cards.join("; "),
        outcome.usable_unfiltered,
    )
}

fn show_texts(pair: &plan::Pair, ran: &Ran, exchanges: &[relay::Exchange]) {
    println!("── before\n{}\n── selection\n{}", pair.before, pair.selection);
    for exchange in exchanges {
        println!("── the model wrote\n{}", exchange.complete_text().unwrap_or_default());
    }
    for ended in &ran.ended {
        println!("── shown\n{}\n", ended["text"].as_str().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_have_an_address_and_a_folder_and_known_options() {
        let parse = |line: &str| Arguments::parse(line.split_whitespace().map(str::to_owned));
        let args = parse("http://here DATA --runs 3 --language en --show").unwrap();
        assert_eq!((args.runs, args.languages, args.candidates, args.show), (3, vec![Language::En], 1, true));
        for wrong in
            ["http://here", "http://here DATA --runs", "u d --language fr", "u d --candidates 5", "u d --runs 0"]
        {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
