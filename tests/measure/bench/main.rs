//! `npm run bench`: the figures that the design promises, each next to a floor measured in the same run.
//!
//! Machines are noisy: the ratio to the floor and the spread matter. The output is Markdown for `docs/benchmarks.md`.
//! Vectors are synthetic (the encoder would need an hour for them); the cost of the real encoder has a row of its own.

mod agents;
mod answers;
mod answers_beside;
mod cards;
mod corpus;
mod figures;
mod host;
mod imports;
mod journal;
mod learning;
mod positions;
mod scale;
#[cfg(unix)]
mod server;
mod story;
mod streaming;
mod study;
#[path = "../studying.rs"]
mod studying;
mod summaries;
mod synthetic;
mod traces;

use std::{
    fs::OpenOptions,
    io::Write,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use corpus::Corpus;
use figures::{Figures, Rounds, time};
use palimpsest_api::{Api, EncoderSource, Options};
use serde_json::{Value, json};
use synthetic::Synthetic;
use tempfile::TempDir;

/// Records that are timed, each next to a bare fsync.
const RECORDS: usize = 1_000;
/// Recalls that are timed at each size.
const RECALLS: usize = 500;
/// Rounds of alternating measurements.
const ROUNDS: usize = 40;
/// Times that the memory is opened.
const OPENINGS: usize = 20;
/// Rules in a full book.
const RULES: usize = 500;
/// Maximum of concurrent recalls.
const IN_FLIGHT: usize = 32;
/// Wait that is longer than merging an index of this size takes.
const MERGING: Duration = Duration::from_secs(4);
const DAY: u64 = 86_400;

fn main() {
    let encoder = Arc::new(Synthetic::new());
    println!("{}", Figures::HEADER);
    // `npm run bench -- scale` takes some minutes; `scale-sample` checks within a minute that it runs. `rules`
    // lists rules, `recall` recalls from ten thousand episodes, `prompt` assembles prompts with as many,
    // `learning` distills them, `cards` puts the story into them, `positions` asks for
    // cards as of positions that were not asked for before, `traces` asks why, `import` imports a novel,
    // `story` analyzes one, `study` studies one, `host` recalls through the headless host (`host-sample` checks
    // that it runs), `journal` has a hundred thousand entries (`journal-sample` checks that it runs), `answers`
    // has ten thousand answers, `answers-beside` has them in a full book (`answers-beside-sample` checks that it
    // runs), `agents` reads the stream of an assistant and copies a book for it, `server` searches through a
    // team's server (`server-sample` checks that it runs).
    match std::env::args().nth(1).as_deref() {
        Some("scale") => return scale::run(&encoder, scale::Size::WHOLE),
        Some("scale-sample") => return scale::run(&encoder, scale::Size::SAMPLE),
        Some("rules") => return Bench::new(&encoder, 7).rules(),
        Some("recall") => return recalls(&encoder),
        Some("prompt") => return prompts_alone(&encoder),
        Some("learning") => return learning::run(&encoder),
        Some("traces") => return traces::run(),
        Some("import") => return imports::run(),
        Some("story") => return story::run(),
        Some("study") => return study::run(),
        Some("cards") => return cards::run(&encoder),
        Some("positions") => return positions::run(&encoder, std::env::args_os().nth(2).as_deref().map(Path::new)),
        Some("agents") => return agents::run(),
        Some("answers") => return answers::run(&encoder),
        Some("answers-beside") => return answers_beside::run(&encoder, &answers_beside::Size::WHOLE),
        Some("answers-beside-sample") => return answers_beside::run(&encoder, &answers_beside::Size::SAMPLE),
        Some("journal") => return journal::run(&encoder, &journal::Size::WHOLE),
        Some("journal-sample") => return journal::run(&encoder, &journal::Size::SAMPLE),
        #[cfg(unix)]
        Some("server") => return server::run(&server::Size::WHOLE),
        #[cfg(unix)]
        Some("server-sample") => return server::run(&server::Size::SAMPLE),
        Some("host") => return host::run(&host::Size::WHOLE),
        Some("host-sample") => return host::run(&host::Size::SAMPLE),
        _ => {}
    }
    streaming::run();
    for (spread, days) in [("a week", 7), ("a year", 365)] {
        let bench = Bench::new(&encoder, days);
        bench.run(spread);
    }
}

/// A memory that is filled while it is measured.
struct Bench {
    folder: TempDir,
    encoder: Arc<Synthetic>,
    days: u64,
}

impl Bench {
    fn new(encoder: &Arc<Synthetic>, days: u64) -> Self {
        Self { folder: TempDir::new().expect("a folder"), encoder: Arc::clone(encoder), days }
    }

    fn open(&self) -> Arc<Api> {
        let mut options = Options::new(self.folder.path().join("data"), Arc::new(|_, _| {}));
        options.encoder = EncoderSource::Loaded(Arc::clone(&self.encoder) as _);
        Api::open(options).expect("the memory opens")
    }

    fn run(&self, spread: &str) {
        let whole = self.days == 7;
        let mut corpus = Corpus::new(42, self.days * DAY);
        let mut api = self.open();
        let project = create(&api);
        let mut recorded = 0;
        if whole {
            let (fsync, record) = records(&api, &project, &mut corpus, self.folder.path(), RECORDS);
            recorded += RECORDS;
            fsync.print("bare fsync of 4 KiB (floor)", None);
            record.print("record, acknowledged on disk", Some(&fsync));
            record.minus(&fsync).print("record, over one fsync (pair by pair)", None);
            // Otherwise indexing of the recorded episodes would run concurrently.
            settle(&api);
            list_rules(&api, &project, 100);
        }
        for size in if whole { vec![1_000, 10_000, 20_000] } else { vec![10_000] } {
            while recorded < size {
                ask(&api, "memory:episode:record", corpus.draft(&project));
                recorded += 1;
            }
            settle(&api);
            let of = format!("{size} episodes ({} vectors) over {spread}", size * 5);
            // The first recall of a large book loads its vectors into memory.
            ask(&api, "memory:episode:query", corpus.query(&project, 12));
            settle(&api);
            let floor = self.encoder.bare_scan(size * 5, 50);
            floor.print(&format!("bare dot-product scan of {} vectors (floor)", size * 5), None);
            let recall = time(RECALLS, || drop(call(&api, "memory:episode:query", corpus.query(&project, 12))));
            recall.print(&format!("recall, {of}"), Some(&floor));
            if size == 10_000 && whole {
                self.more_at_ten_thousand(&api, &project, &mut corpus, &floor, &recall);
            }
        }
        if whole {
            let mut opening = Figures::default();
            for _ in 0..OPENINGS {
                close(api);
                let query = corpus.query(&project, 12);
                let start = Instant::now();
                api = self.open();
                call(&api, "memory:episode:query", query);
                opening.add(start.elapsed());
            }
            opening.print(&format!("open → first answer (words at once), {recorded} episodes"), None);
        }
        close(api);
    }

    /// The list of rules alone, in a memory with a book of a thousand episodes.
    fn rules(&self) {
        let mut corpus = Corpus::new(42, self.days * DAY);
        let api = self.open();
        let project = create(&api);
        for _ in 0..RECORDS {
            ask(&api, "memory:episode:record", corpus.draft(&project));
        }
        settle(&api);
        list_rules(&api, &project, 2_000);
        close(api);
    }

    /// A book of ten thousand episodes, with its vectors in memory.
    fn full(&self) -> (Arc<Api>, String, Corpus) {
        let mut corpus = Corpus::new(42, self.days * DAY);
        let api = self.open();
        let project = create(&api);
        for _ in 0..10_000 {
            ask(&api, "memory:episode:record", corpus.draft(&project));
        }
        settle(&api);
        ask(&api, "memory:episode:query", corpus.query(&project, 12));
        settle(&api);
        (api, project, corpus)
    }

    fn more_at_ten_thousand(&self, api: &Arc<Api>, project: &str, corpus: &mut Corpus, floor: &Figures, one: &Figures) {
        if self.encoder.costs(true) {
            time(RECALLS / 5, || drop(call(api, "memory:episode:query", corpus.query(project, 20))))
                .print("the same, the query of ≤ 32 tokens encoded by the bundled encoder", Some(floor));
            self.encoder.costs(false);
        }
        time(RECALLS / 5, || drop(call(api, "memory:episode:query", corpus.query(project, 500))))
            .print("the same, asked with 500 characters", Some(floor));
        time(RECALLS / 5, || prompt_once(api, project, corpus))
            .print(&format!("prompt assembled, {RULES} rules"), Some(floor));

        if let Some(megabytes) = resident("self") {
            println!(
                "| memory of the process with 10,000 episodes, MB (the encoder's included where it is there) | 1 | {megabytes:.0} | – | – | – |"
            );
        }

        // All threads run concurrently, each with one query after another.
        let queries: Vec<Vec<Value>> =
            (0..IN_FLIGHT).map(|_| (0..20).map(|_| corpus.query(project, 12)).collect()).collect();
        let asked: usize = queries.iter().map(Vec::len).sum();
        let start = Instant::now();
        let threads: Vec<_> = queries
            .into_iter()
            .map(|queries| {
                let api = Arc::clone(api);
                thread::spawn(move || {
                    let mut figures = Figures::default();
                    for query in queries {
                        let start = Instant::now();
                        call(&api, "memory:episode:query", query);
                        figures.add(start.elapsed());
                    }
                    figures
                })
            })
            .collect();
        let mut all = Figures::default();
        for thread in threads {
            all.join(thread.join().expect("a thread"));
        }
        let throughput = asked as f64 / start.elapsed().as_secs_f64();
        all.print(&format!("recall, {IN_FLIGHT} in flight"), Some(floor));
        let alone = 1_000.0 / one.mean();
        println!(
            "| throughput with {IN_FLIGHT} in flight, times one stream | {asked} | {throughput:.0}/s | {alone:.0}/s | – | {:.2} |",
            throughput / alone
        );
    }
}

/// Adds the rules of a full book.
fn add_rules(api: &Api) {
    for n in 0..RULES {
        let rule = json!({ "rule": format!("第{n}条：写看得见的东西"), "category": "style", "scope": "global" });
        ask(api, "memory:semantic:add", rule);
    }
}

fn list_once(api: &Api, project: &str) {
    call(api, "memory:semantic:list", json!({ "projectId": project }));
}

/// Adds the rules of a full book, and lists them this many times.
fn list_rules(api: &Api, project: &str, times: usize) {
    add_rules(api);
    time(times, || list_once(api, project)).print(&format!("rules list, {RULES} rules"), None);
}

/// Assembles a prompt for a passage of six hundred characters.
fn prompt_once(api: &Api, project: &str, corpus: &mut Corpus) {
    let before = corpus.query(project, 600)["queryText"].clone();
    call(
        api,
        "memory:context:assemble",
        json!({ "projectId": project, "chapterId": "c", "skill": "continue", "before": before }),
    );
}

/// Recalls from ten thousand episodes of a week and of a year, for a prompt and for a search, alternating with the
/// floor.
fn recalls(encoder: &Arc<Synthetic>) {
    let books = [("a week", Bench::new(encoder, 7)), ("a year", Bench::new(encoder, 365))];
    let mut rounds = Rounds::beside("bare dot-product scan of 50000 vectors (floor)", 10, encoder.scan_of(50_000));
    for (spread, book) in &books {
        let (api, project, corpus) = book.full();
        let of = format!("10000 episodes (50000 vectors) over {spread}");
        // Both ask the same queries; the second finds the frequencies of their terms in the cache.
        let recall = |purpose: &'static str| {
            let (api, project, mut corpus) = (Arc::clone(&api), project.clone(), corpus.clone());
            move || {
                let mut query = corpus.query(&project, 12);
                query["purpose"] = json!(purpose);
                drop(call(&api, "memory:episode:query", query));
            }
        };
        rounds = rounds.and(format!("recall for a prompt, {of}"), 50, recall("prompt"));
        rounds = rounds.and(format!("search of one scene, {of}"), 50, recall("search"));
    }
    rounds.run(ROUNDS).print();
}

/// Assembles prompts with ten thousand episodes, alternating with the list of their rules and the floor.
fn prompts_alone(encoder: &Arc<Synthetic>) {
    let bench = Bench::new(encoder, 7);
    let (api, project, mut corpus) = bench.full();
    add_rules(&api);
    Rounds::beside("bare dot-product scan of 50000 vectors (floor)", 10, encoder.scan_of(50_000))
        .and(format!("rules list, {RULES} rules"), 10, || list_once(&api, &project))
        .and(format!("prompt assembled, {RULES} rules"), 25, || prompt_once(&api, &project, &mut corpus))
        .run(ROUNDS)
        .print();
}

/// The resident memory of a process, in MiB; `None` where the system does not report it.
fn resident(process: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1_024.0)
}

fn close(api: Arc<Api>) {
    let ended = Arc::downgrade(&api);
    drop(api);
    while ended.strong_count() > 0 {
        thread::yield_now();
    }
}

fn create(api: &Api) -> String {
    let book = ask(api, "project:create", json!({ "title": "bench", "language": "zh" }));
    book["projectId"].as_str().expect("an identity").to_owned()
}

/// The timed call: the command, with its answer as the text that a host passes on.
fn call(api: &Api, command: &str, args: Value) -> String {
    api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"))
}

fn ask(api: &Api, command: &str, args: Value) -> Value {
    serde_json::from_str(&call(api, command, args)).expect("an answer is JSON")
}

/// Waits until everything recorded is indexed and the index is merged, so that recall is measured without the backlog
/// of ten thousand episodes recorded in a minute.
fn settle(api: &Api) {
    while ask(api, "memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(MERGING);
}

/// Records beside a bare append and fsync each.
fn records(api: &Api, project: &str, corpus: &mut Corpus, folder: &Path, times: usize) -> (Figures, Figures) {
    beside_fsync(api, "memory:episode:record", || corpus.draft(project), folder, times)
}

/// A bare append and fsync alternating with a command, so that both are exposed to the same noise of the disk: the
/// figures of each. `args` is not timed.
fn beside_fsync(
    api: &Api,
    command: &str,
    mut args: impl FnMut() -> Value,
    folder: &Path,
    times: usize,
) -> (Figures, Figures) {
    let (mut fsync, mut commands) = (Figures::default(), Figures::default());
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("floor")).expect("a file");
    let block = [7_u8; 4096];
    for _ in 0..times {
        let start = Instant::now();
        file.write_all(&block).and_then(|()| file.sync_data()).expect("a disk");
        fsync.add(start.elapsed());
        let args = args();
        let start = Instant::now();
        call(api, command, args);
        commands.add(start.elapsed());
    }
    (fsync, commands)
}
