//! `npm run bench -- host`: recalls through the headless host, from a request on its input to the answer on its output.
//!
//! The memory is filled in this process with vectors near those of the bundled encoder and under its name; the host
//! encodes the queries with it. The floor is the round trip of a command that answers from memory.

use std::{
    cell::{Cell, RefCell},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use palimpsest_embedder::Encoder;
use serde_json::{Value, json};

use crate::{Bench, DAY, ask, close, corpus::Corpus, create, figures::Rounds, settle, synthetic::Synthetic};

/// The size of a run.
pub struct Size {
    /// Episodes of each book.
    books: [usize; 12],
    rounds: usize,
}

impl Size {
    /// Two books of 10,000 episodes. The others are smaller, because recording twelve of that size takes minutes
    /// more.
    pub const WHOLE: Self = Self {
        books: [10_000, 10_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000],
        rounds: 40,
    };
    /// A small size for checking that the benchmark runs. Its figures mean nothing.
    pub const SAMPLE: Self = Self { books: [100; 12], rounds: 2 };
}

/// Texts that the bundled encoder reads, near which the vectors of all others are, and their length.
const SAMPLES: usize = 400;
const SAMPLE_CHARS: usize = 120;
/// Characters of a query.
const QUERY_CHARS: usize = 12;
/// Measurements of an operation and of its floor in a round.
const IN_ROUND: usize = 24;
/// The fields that a list of search results shows.
const FEW: [&str; 4] = ["chapterId", "createdAt", "sceneType", "finalText"];

/// Fills a memory, starts a host on it, and measures.
pub fn run(size: &Size) {
    let Some(encoder) = palimpsest_api::bundled_encoder() else {
        println!("The bundled encoder is not there: run `npm run setup`.");
        return;
    };
    let Some(program) = program() else {
        println!("palimpsest-host is not beside this program: run `npm run bench -- host`.");
        return;
    };
    let real = Encoder::load(&encoder).expect("the encoder loads");
    let mut corpus = Corpus::new(42, 7 * DAY);
    let samples: Vec<String> = (0..SAMPLES).map(|_| corpus.prose(SAMPLE_CHARS)).collect();
    let bench = Bench::new(&Arc::new(Synthetic::like(&real, &samples)), 7);
    let books = fill(&bench, size);
    let mut host = Host::start(&program, &bench.folder.path().join("data"), &encoder);
    // Otherwise the schedule does both by itself during a measurement.
    host.request("memory:backup:create", &json!({}));
    host.request("memory:maintenance:run", &json!({ "job": "daily" }));
    host.settle(&books);

    let one = format!("one book of {} episodes", size.books[0]);
    let two = format!("two books of {} episodes in turn", size.books[0]);
    let twelve = format!("twelve books in turn, {} episodes in all", size.books.iter().sum::<usize>());
    for (of, books) in [(one, &books[..1]), (two, &books[..2]), (twelve, &books[..])] {
        measure_host(&mut host, &real, books, &of, size.rounds);
        if let Some(megabytes) = host.resident() {
            println!("| memory of the host after {of}, MB | 1 | {megabytes:.0} | – | – | – |");
        }
    }
}

/// The headless host, which is built beside this program.
fn program() -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    let program = here.with_file_name(format!("palimpsest-host{}", std::env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

/// Records the episodes of all books, and returns the books.
fn fill(bench: &Bench, size: &Size) -> Vec<String> {
    let mut corpus = Corpus::new(42, bench.days * DAY);
    let api = bench.open();
    let fill = |episodes: &usize| {
        let project = create(&api);
        for _ in 0..*episodes {
            ask(&api, "memory:episode:record", corpus.draft(&project));
        }
        project
    };
    let books = size.books.iter().map(fill).collect();
    settle(&api);
    close(api);
    books
}

/// Measures recalls from some books in turn: both purposes, with few fields of each episode and with all.
fn measure_host(host: &mut Host, encoder: &Encoder, books: &[String], of: &str, rounds: usize) {
    let host = RefCell::new(host);
    let mut corpus = Corpus::new(7, 7 * DAY);
    let texts: Vec<String> = (0..IN_ROUND * rounds).map(|_| corpus.prose(QUERY_CHARS)).collect();
    let (recalls, without, empty) = (Cell::new(0_usize), Cell::new(0_usize), Cell::new(0_usize));
    let mut next = 0;
    let mut table = Rounds::beside(&format!("bare round trip (floor), {of}"), IN_ROUND, || {
        host.borrow_mut().request("settings:get", &json!({}));
    })
    .and("encoding of the query alone, in process", IN_ROUND, move || {
        next += 1;
        std::hint::black_box(encoder.embed(&texts[next % texts.len()]));
    });
    for (purpose, fields) in [("search", true), ("search", false), ("prompt", true), ("prompt", false)] {
        let mut corpus = Corpus::new(7, 7 * DAY);
        let mut turn = 0;
        let mut query = move || {
            turn += 1;
            let text = corpus.prose(QUERY_CHARS);
            let mut query = json!({ "projectId": books[turn % books.len()], "queryText": text, "purpose": purpose });
            if fields {
                query["fields"] = json!(FEW);
            }
            if purpose == "prompt" {
                query["skillUsed"] = json!("continue");
            }
            query
        };
        let mut ask = || host.borrow_mut().request("memory:episode:query", &query());
        // The first answers are made without the vectors of a book, and request them.
        for _ in books {
            drop(ask());
            host.borrow_mut().wait();
        }
        let answers = books.len().max(20);
        let kilobytes = (0..answers).map(|_| ask().len()).sum::<usize>() as f64 / answers as f64 / 1_000.0;
        let fields = if fields { "four fields" } else { "whole episodes" };
        let what = format!("{purpose}, {fields} ({kilobytes:.1} KB), {of}");
        let (host, recalls, without, empty) = (&host, &recalls, &without, &empty);
        table = table.and(what, IN_ROUND, move || {
            let answer = host.borrow_mut().request("memory:episode:query", &query());
            recalls.set(recalls.get() + 1);
            without.set(without.get() + usize::from(answer.contains(r#""meaning":null"#)));
            empty.set(empty.get() + usize::from(answer.contains(r#""episodes":[]"#)));
        });
    }
    table.run(rounds).print();
    for (what, count) in [("without vectors", &without), ("without an episode", &empty)] {
        let percent = count.get() as f64 * 100.0 / recalls.get() as f64;
        println!("| answers {what}, %, {of} | {} | {percent:.1} | – | – | – |", recalls.get());
    }
}

/// A host process. Requests are written and answers read by the measuring thread, and the answers are not parsed.
struct Host {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Host {
    fn start(program: &Path, data: &Path, encoder: &Path) -> Self {
        let mut child = Command::new(program)
            .args(["--data-dir".as_ref(), data, "--embedder".as_ref(), encoder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the host starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, input, output, requests: 0 }
    }

    /// The line with the answer to a request. Events before it are skipped.
    fn request(&mut self, method: &str, params: &Value) -> String {
        self.requests += 1;
        let id = self.requests;
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#) + "\n";
        self.input.write_all(line.as_bytes()).expect("the host reads");
        let answered = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
        loop {
            let mut answer = String::new();
            assert!(self.output.read_line(&mut answer).expect("the host writes") > 0, "the host has ended");
            assert!(!answer.contains(r#""error":{"code""#), "{method}: {answer}");
            if answer.starts_with(&answered) {
                return answer;
            }
        }
    }

    /// Waits until background work is done.
    fn wait(&mut self) {
        while self.request("memory:status", &json!({})).contains("catchingUp") {
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the encoder is loaded and serves each book.
    fn settle(&mut self, books: &[String]) {
        let begun = Instant::now();
        for project in books {
            let query = json!({ "projectId": project, "queryText": "月亮", "fields": [] });
            while self.request("memory:episode:query", &query).contains(r#""degraded":true"#) {
                assert!(begun.elapsed() < Duration::from_secs(600), "the host is degraded");
                thread::sleep(Duration::from_millis(50));
            }
            self.wait();
        }
    }

    /// The resident memory of the process, in MiB; `None` where the system does not report it.
    fn resident(&self) -> Option<f64> {
        crate::resident(&self.child.id().to_string())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}
