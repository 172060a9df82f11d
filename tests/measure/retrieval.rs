//! `npm run eval:retrieval -- DATA`: the quality of recall, with the engine that the program uses.
//!
//! Each text of a set is recorded as an episode, each group of texts as a book; each query is sent by
//! `memory:episode:query`. For each set the report has words and meaning together, and each alone. Even and odd queries
//! are reported separately, which shows how much a figure varies.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use flate2::read::GzDecoder;
use palimpsest_api::{Api, EncoderSource, Options};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The maximum that a recall returns; the metrics use the first ten.
const ASKED: usize = 50;
const SETS: [(&str, &str); 4] = [
    ("fairytale_instory", "FairytaleQA, one story"),
    ("fairytale_all", "FairytaleQA, over all"),
    ("cmrc2018_dev", "CMRC 2018 (zh)"),
    ("madial_en", "MADial-Bench (en)"),
];

struct Set {
    /// Group, identity, text.
    corpus: Vec<(String, String, String)>,
    /// Group, text, identities of the relevant texts.
    queries: Vec<(String, String, Vec<String>)>,
}

fn main() -> ExitCode {
    let Some(data) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("usage: npm run eval:retrieval -- DATA   (a folder that holds retrieval/*.json.gz)");
        return ExitCode::FAILURE;
    };
    let encoder = palimpsest_api::bundled_encoder().map(EncoderSource::Folder);
    println!("| set | how | queries | R@1 | R@5 | R@10 | MRR | nDCG@10 |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, title) in SETS {
        let set = match read(&data.join("retrieval").join(format!("{name}.json.gz"))) {
            Ok(set) => set,
            Err(error) => {
                println!("| {title} | not run: {error} | | | | | | |");
                continue;
            }
        };
        let words = ask_all(&set, EncoderSource::Nowhere);
        report(title, "words alone", &set, &words, |answer| answer.order.clone());
        let Some(encoder) = &encoder else { continue };
        let both = ask_all(&set, encoder.clone());
        report(title, "encoder alone", &set, &both, Answer::by_meaning);
        report(title, "both", &set, &both, |answer| answer.order.clone());
    }
    if encoder.is_none() {
        println!("\nThe bundled encoder is not there: run `npm run setup`. Only words were measured.");
    }
    ExitCode::SUCCESS
}

fn read(file: &Path) -> Result<Set, String> {
    let mut text = String::new();
    let open = File::open(file).map_err(|error| error.to_string())?;
    GzDecoder::new(BufReader::new(open)).read_to_string(&mut text).map_err(|error| error.to_string())?;
    let set: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let string = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let list = |key: &str| set[key].as_array().cloned().unwrap_or_default();
    Ok(Set {
        corpus: list("corpus").iter().map(|c| (string(&c["group"]), string(&c["id"]), string(&c["text"]))).collect(),
        queries: list("queries")
            .iter()
            .map(|q| {
                let relevant = q["rel"].as_array().map(|rel| rel.iter().map(string).collect()).unwrap_or_default();
                (string(&q["group"]), string(&q["text"]), relevant)
            })
            .collect(),
    })
}

/// The answer to a query.
struct Answer {
    /// Identities, best first.
    order: Vec<String>,
    /// Identities with their cosines.
    cosines: Vec<(String, f64)>,
}

impl Answer {
    /// The order by the encoder alone, among the returned texts.
    fn by_meaning(&self) -> Vec<String> {
        let mut order = self.cosines.clone();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.into_iter().map(|(id, _)| id).collect()
    }
}

fn ask_all(set: &Set, encoder: EncoderSource) -> Vec<Answer> {
    let folder = TempDir::new().expect("a folder");
    let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
    options.encoder = encoder;
    let api = Api::open(options).expect("the memory opens");
    let ask = |command: &str, args: Value| -> Value {
        let answer = api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"));
        serde_json::from_str(&answer).expect("an answer is JSON")
    };

    let mut books: BTreeMap<&str, String> = BTreeMap::new();
    let mut ids: HashMap<String, String> = HashMap::new();
    for (group, id, text) in &set.corpus {
        let book = books.entry(group).or_insert_with(|| {
            let book = ask("project:create", json!({ "title": "eval", "language": "en" }));
            book["projectId"].as_str().expect("an identity").to_owned()
        });
        let draft = json!({ "projectId": book, "chapterId": id, "skillUsed": "continue", "inputContext": "",
            "candidates": [text], "selectedIndex": 0, "finalText": text });
        let recorded = ask("memory:episode:record", draft);
        ids.insert(recorded["episodeId"].as_str().expect("an identity").to_owned(), id.clone());
    }
    // The first recall of a large book requests that its vectors are read into memory.
    for book in books.values() {
        ask("memory:episode:query", json!({ "projectId": book, "queryText": "once upon a time" }));
        while ask("memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    set.queries
        .iter()
        .map(|(group, text, _)| {
            let query = json!({ "projectId": books[group.as_str()], "queryText": text, "limit": ASKED });
            let answer = ask("memory:episode:query", query);
            let found = answer["episodes"].as_array().cloned().unwrap_or_default();
            let id = |one: &Value| ids[one["episode"]["id"].as_str().expect("an identity")].clone();
            Answer {
                order: found.iter().map(id).collect(),
                cosines: found
                    .iter()
                    .map(|one| (id(one), one["components"]["meaning"].as_f64().unwrap_or(-1.0)))
                    .collect(),
            }
        })
        .collect()
}

#[derive(Default)]
struct Metrics {
    queries: usize,
    recall: [f64; 3],
    reciprocal: f64,
    gain: f64,
}

impl Metrics {
    fn add(&mut self, order: &[String], relevant: &[String]) {
        let ranks: Vec<usize> =
            relevant.iter().map(|id| order.iter().position(|found| found == id).unwrap_or(usize::MAX)).collect();
        self.queries += 1;
        for (sum, k) in self.recall.iter_mut().zip([1, 5, 10]) {
            *sum += ranks.iter().filter(|rank| **rank < k).count() as f64 / relevant.len().max(1) as f64;
        }
        if let Some(first) = ranks.iter().min().filter(|rank| **rank < usize::MAX) {
            self.reciprocal += 1.0 / (*first as f64 + 1.0);
        }
        let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let ideal: f64 = (0..relevant.len().min(10)).map(discount).sum();
        let gained: f64 = ranks.iter().filter(|rank| **rank < 10).map(|rank| discount(*rank)).sum();
        self.gain += if ideal > 0.0 { gained / ideal } else { 0.0 };
    }

    fn row(&self, set: &str, how: &str) {
        let n = self.queries.max(1) as f64;
        let [one, five, ten] = self.recall;
        println!(
            "| {set} | {how} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
            self.queries,
            one / n,
            five / n,
            ten / n,
            self.reciprocal / n,
            self.gain / n
        );
    }
}

fn report(set: &str, how: &str, data: &Set, answers: &[Answer], order: impl Fn(&Answer) -> Vec<String>) {
    let (mut all, mut tuned, mut held) = (Metrics::default(), Metrics::default(), Metrics::default());
    for (n, (answer, (_, _, relevant))) in answers.iter().zip(&data.queries).enumerate() {
        let order = order(answer);
        all.add(&order, relevant);
        if n % 2 == 0 { tuned.add(&order, relevant) } else { held.add(&order, relevant) }
    }
    all.row(set, how);
    // Both halves are reported for words and for meaning alone too: halves are not equally hard.
    tuned.row(set, &format!("{how}, even queries"));
    held.row(set, &format!("{how}, odd queries"));
}
