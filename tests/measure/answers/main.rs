//! `npm run eval:answers -- DATA [--signals FILE | --only PART...]`: the quality of the memory of answers, with the
//! engine that the program uses.
//!
//! For each passage of FairytaleQA and CMRC 2018 the first question about it is recorded with the passage as its
//! answer. Every other question about the passage then searches: the answer bears on it. Even passages are those that
//! the constants were fitted on, odd ones judge them. With `--signals` the signals of every match are written as CSV,
//! for a new fit.
//!
//! Parts: `search`; `trust`, simulated answers; `edits` around the quotes of answers; `nowhere`, sentences that say
//! what an answer did not find; `marks` of used answers, and use by content.

mod changes;
mod content;
mod marks;
mod sameness;
mod trust;

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    thread,
};

use flate2::read::GzDecoder;
use palimpsest_api::{Api, EncoderSource, Options};
use serde_json::{Value, json};
use tempfile::TempDir;

/// File and language of each set.
const SETS: [(&str, &str); 2] = [("fairytale_all", "en"), ("cmrc2018_dev", "zh")];
/// Number of bins of a calibration.
const BINS: usize = 10;

/// A question about a passage.
pub struct Question {
    pub passage: String,
    pub text: String,
}

/// A passage with the questions about it, in the order of the file.
struct Passage {
    text: String,
    questions: Vec<String>,
}

/// The parts of the evaluation, by name.
const PARTS: [&str; 5] = ["search", "trust", "edits", "nowhere", "marks"];

/// A set with its name, its language and its passages.
type Set = (&'static str, &'static str, Vec<(String, Passage)>);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (data, parts, signals) = match args.as_slice() {
        [data] => (PathBuf::from(data), &PARTS[..], None),
        [data, "--signals", file] => (PathBuf::from(data), &["search"][..], Some(PathBuf::from(file))),
        [data, "--only", parts @ ..] if !parts.is_empty() && parts.iter().all(|part| PARTS.contains(part)) => {
            (PathBuf::from(data), parts, None)
        }
        _ => {
            let parts = PARTS.join(" ");
            eprintln!("usage: npm run eval:answers -- DATA [--signals FILE | --only PART...]");
            eprintln!("DATA has the folders retrieval and story. Parts: {parts}");
            return ExitCode::FAILURE;
        }
    };
    let Some(folder) = palimpsest_api::bundled_encoder() else {
        eprintln!("The bundled encoder is not there: run `npm run setup`.");
        return ExitCode::FAILURE;
    };
    let mut sets: Vec<Set> = Vec::new();
    for (name, language) in SETS {
        match read(&data, name) {
            Ok(passages) => sets.push((name, language, passages)),
            Err(error) => println!("{name}: not run: {error}"),
        }
    }
    for part in parts {
        match *part {
            "search" => {
                let csv = print_searches(&sets, &EncoderSource::Folder(folder.clone()));
                if let Some(file) = &signals {
                    std::fs::write(file, csv).expect("the signals are written");
                }
            }
            "trust" => trust::print_simulation(),
            "edits" => changes::print_edits(&data),
            "nowhere" => {
                changes::print_nearness_header();
                for (name, _, passages) in &sets {
                    changes::print_nearness(name, &sought(passages), &folder);
                }
                println!();
            }
            _ => {
                marks::print_marks(&sets);
                content::print_content(&sets);
            }
        }
    }
    ExitCode::SUCCESS
}

/// Searches the sets, and prints what was found; returns the signals of every match as CSV.
fn print_searches(sets: &[Set], encoder: &EncoderSource) -> String {
    let mut csv = "set,query,half,right,question_words,question_meaning,answer_words,answer_meaning,score\n".to_owned();
    println!("answers found by questions about the same passage; ECE of the relevance over all matches");
    println!("| set | half | signals | queries | R@1 | R@5 | matches | ECE | right at .45-.55 | right from .50 on |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, language, passages) in sets {
        for (how, source) in [("words", EncoderSource::Nowhere), ("both", encoder.clone())] {
            let found = search_all(passages, language, source);
            for half in [0, 1] {
                let of_half: Vec<&Searched> = found.iter().filter(|one| one.half == half).collect();
                print_row(name, half, how, &of_half);
            }
            if how == "both" {
                for (query, one) in found.iter().enumerate() {
                    write_signals(&mut csv, (name, query), one);
                }
            }
        }
    }
    for (name, _, passages) in sets {
        let of_passage = |(id, passage): &(String, Passage)| {
            let question = |text: &String| Question { passage: id.clone(), text: text.clone() };
            passage.questions.iter().map(question).collect::<Vec<_>>()
        };
        let questions: Vec<Question> = passages.iter().flat_map(of_passage).collect();
        sameness::print_pairs(name, &questions);
    }
    csv
}

/// The passages of a set that have two questions or more, by id, in the order of the file.
fn read(data: &Path, name: &str) -> Result<Vec<(String, Passage)>, String> {
    let path = data.join("retrieval").join(format!("{name}.json.gz"));
    let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut text = String::new();
    GzDecoder::new(BufReader::new(file)).read_to_string(&mut text).map_err(|error| error.to_string())?;
    let set: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let list = |key: &str| set[key].as_array().cloned().unwrap_or_default();
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut questions: HashMap<String, Vec<String>> = HashMap::new();
    for query in list("queries") {
        if let [passage] = query["rel"].as_array().map(Vec::as_slice).unwrap_or_default() {
            questions.entry(string(passage)).or_default().push(string(&query["text"]));
        }
    }
    let passages = list("corpus").into_iter().filter_map(|text| {
        let id = string(&text["id"]);
        let questions = questions.remove(&id).filter(|questions| questions.len() > 1)?;
        Some((id, Passage { text: string(&text["text"]), questions }))
    });
    Ok(passages.collect())
}

/// The questions about the passages of a set.
fn sought(passages: &[(String, Passage)]) -> Vec<changes::Sought> {
    let of_passage = |(number, (id, passage)): (usize, &(String, Passage))| {
        let text = passage.text.clone();
        let work = id.split('#').next().unwrap_or(id).to_owned();
        let sought = move |question: &String| changes::Sought {
            question: question.clone(),
            work: work.clone(),
            passage: text.clone(),
            half: number % 2,
        };
        passage.questions.iter().map(sought).collect::<Vec<_>>()
    };
    passages.iter().enumerate().flat_map(of_passage).collect()
}

/// A match of a search.
struct Match {
    is_right: bool,
    score: f64,
    components: Value,
}

/// The matches of a question, best first.
struct Searched {
    /// Of its passage: 0 even, 1 odd.
    half: usize,
    matches: Vec<Match>,
}

/// Records the first question of each passage with an answer, and searches with the others.
fn search_all(passages: &[(String, Passage)], language: &str, encoder: EncoderSource) -> Vec<Searched> {
    let folder = TempDir::new().expect("a folder");
    let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
    options.encoder = encoder;
    let api = Api::open(options).expect("the memory opens");
    let call = |command: &str, args: Value| -> Value {
        let answer = api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"));
        serde_json::from_str(&answer).expect("an answer is JSON")
    };
    let project = call("project:create", json!({ "title": "eval", "language": language }))["projectId"].clone();
    let mut passage_of: HashMap<String, &str> = HashMap::new();
    for (id, passage) in passages {
        let question = &passage.questions[0];
        let args = json!({ "projectId": project, "question": question, "answer": passage.text });
        let recorded = call("answer:record", args);
        let answer_id = recorded["answer"]["answerId"].as_str().unwrap_or_default().to_owned();
        passage_of.insert(answer_id, id);
    }
    while call("memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
        thread::yield_now();
    }
    let mut searched = Vec::new();
    for (number, (id, passage)) in passages.iter().enumerate() {
        for question in &passage.questions[1..] {
            let query = json!({ "projectId": project, "query": question, "limit": 50, "minScore": 0 });
            let found = call("answer:search", query);
            let matches = found["matches"].as_array().cloned().unwrap_or_default();
            let matches = matches.into_iter().map(|one| Match {
                is_right: passage_of.get(one["answer"]["answerId"].as_str().unwrap_or_default()).copied()
                    == Some(id.as_str()),
                score: one["score"].as_f64().unwrap_or_default(),
                components: one["components"].clone(),
            });
            searched.push(Searched { half: number % 2, matches: matches.collect() });
        }
    }
    searched
}

fn print_row(name: &str, half: usize, how: &str, searched: &[&Searched]) {
    let within = |k: usize| {
        let hits = searched.iter().filter(|one| one.matches.iter().take(k).any(|found| found.is_right)).count();
        hits as f64 / searched.len().max(1) as f64
    };
    let all: Vec<(f64, bool)> =
        searched.iter().flat_map(|one| one.matches.iter().map(|found| (found.score, found.is_right))).collect();
    let share = |from: f64, to: f64| {
        let some: Vec<bool> = all.iter().filter(|(score, _)| (from..to).contains(score)).map(|(_, is)| *is).collect();
        let right = some.iter().filter(|is| **is).count();
        format!("{:.2} (N {})", right as f64 / some.len().max(1) as f64, some.len())
    };
    println!(
        "| {name} | {} | {how} | {} | {:.3} | {:.3} | {} | {:.3} | {} | {} |",
        if half == 0 { "even (fitted)" } else { "odd" },
        searched.len(),
        within(1),
        within(5),
        all.len(),
        calibration_error(&all),
        share(0.45, 0.55),
        share(0.5, 1.1)
    );
}

/// The expected calibration error: by how much the mean of a bin differs from its share of right ones, weighted by its
/// size.
pub fn calibration_error(scored: &[(f64, bool)]) -> f64 {
    let mut bins = vec![(0.0, 0.0, 0.0); BINS];
    for (score, is_right) in scored {
        let bin = &mut bins[((score * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += score;
        bin.1 += f64::from(u8::from(*is_right));
        bin.2 += 1.0;
    }
    let error: f64 = bins.iter().map(|(scores, right, _)| (scores - right).abs()).sum();
    error / scored.len().max(1) as f64
}

fn write_signals(csv: &mut String, (name, query): (&str, usize), searched: &Searched) {
    for found in &searched.matches {
        let signal = |field: &str| found.components[field].as_f64().unwrap_or_default();
        let signals = ["questionWords", "questionMeaning", "answerWords", "answerMeaning"].map(signal);
        let [a, b, c, d] = signals;
        let right = u8::from(found.is_right);
        writeln!(csv, "{name},{query},{},{right},{a:.5},{b:.5},{c:.5},{d:.5},{:.5}", searched.half, found.score)
            .expect("a string is written");
    }
}
