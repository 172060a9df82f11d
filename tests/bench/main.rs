//! `npm run bench`: the figures that the design promises, each beside a floor measured in the same run.
//!
//! Machines are noisy: what counts is the ratio to the floor, and the spread. Prints Markdown for `docs/benchmarks.md`.

mod corpus;
mod figures;

use std::{
    fs::OpenOptions,
    io::Write,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use corpus::Corpus;
use figures::Figures;
use palimpsest_api::{Api, Options};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Records that are timed, each beside a bare fsync.
const RECORDS: usize = 1_000;
/// Recalls that are timed at each size.
const RECALLS: usize = 500;
/// Times the memory is opened.
const OPENINGS: usize = 20;
const SIZES: [usize; 2] = [1_000, 10_000];

fn main() {
    let folder = TempDir::new().expect("a folder");
    let data = folder.path().join("data");
    let mut corpus = Corpus::new(42);
    let mut api = open(&data);
    let project = create(&api);
    let mut recorded = 0;

    println!("{}", Figures::HEADER);
    let (fsync, record) = records(&api, &project, &mut corpus, folder.path());
    recorded += RECORDS;
    fsync.print("bare fsync of 4 KiB (floor)", None);
    record.print("record, acknowledged on disk", Some(&fsync));
    record.minus(&fsync).print("record, over one fsync (pair by pair)", None);

    for size in SIZES {
        while recorded < size {
            ask(&api, "memory:episode:record", corpus.draft(&project));
            recorded += 1;
        }
        settle(&api);
        let (scan, by_words) = recalls(&api, &project, &mut corpus);
        scan.print(&format!("bare scan of {size} texts for one word (floor)"), None);
        by_words.print(&format!("recall by words and scene, {size} episodes"), Some(&scan));
        let long = long_recalls(&api, &project, &mut corpus);
        long.print(&format!("the same, asked with 500 characters, {size} episodes"), Some(&scan));
    }

    let mut opening = Figures::default();
    for _ in 0..OPENINGS {
        close(api);
        let query = corpus.query(&project, 12);
        let start = Instant::now();
        api = open(&data);
        ask(&api, "memory:episode:query", query);
        opening.add(start.elapsed());
    }
    opening.print(&format!("open → first answer, {recorded} episodes"), None);
}

fn open(data: &Path) -> Arc<Api> {
    Api::open(Options::new(data.to_owned(), Arc::new(|_, _| {}))).expect("the memory opens")
}

fn close(api: Arc<Api>) {
    let ended = Arc::downgrade(&api);
    drop(api);
    while ended.strong_count() > 0 {
        std::thread::yield_now();
    }
}

fn create(api: &Api) -> String {
    let book = ask(api, "project:create", json!({ "title": "bench", "language": "zh" }));
    book["projectId"].as_str().expect("an identity").to_owned()
}

fn ask(api: &Api, command: &str, args: Value) -> Value {
    api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"))
}

/// Waits until everything recorded is indexed, so that recall is measured and not the backlog.
fn settle(api: &Api) {
    while ask(api, "memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A bare append and fsync, and a record, in turn: what the disk does to one it does to the other.
fn records(api: &Api, project: &str, corpus: &mut Corpus, folder: &Path) -> (Figures, Figures) {
    let (mut fsync, mut record) = (Figures::default(), Figures::default());
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("floor")).expect("a file");
    let block = [7_u8; 4096];
    for _ in 0..RECORDS {
        let start = Instant::now();
        file.write_all(&block).and_then(|()| file.sync_data()).expect("a disk");
        fsync.add(start.elapsed());
        let draft = corpus.draft(project);
        let start = Instant::now();
        ask(api, "memory:episode:record", draft);
        record.add(start.elapsed());
    }
    (fsync, record)
}

fn recalls(api: &Api, project: &str, corpus: &mut Corpus) -> (Figures, Figures) {
    let (mut scan, mut recall) = (Figures::default(), Figures::default());
    for _ in 0..RECALLS {
        let word = corpus.word();
        let start = Instant::now();
        let hits = corpus.written().iter().filter(|text| text.contains(word.as_str())).count();
        scan.add(start.elapsed());
        std::hint::black_box(hits);
        let query = corpus.query(project, 12);
        let start = Instant::now();
        ask(api, "memory:episode:query", query);
        recall.add(start.elapsed());
    }
    (scan, recall)
}

fn long_recalls(api: &Api, project: &str, corpus: &mut Corpus) -> Figures {
    let mut recall = Figures::default();
    for _ in 0..RECALLS / 5 {
        let query = corpus.query(project, 500);
        let start = Instant::now();
        ask(api, "memory:episode:query", query);
        recall.add(start.elapsed());
    }
    recall
}
