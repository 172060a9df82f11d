//! Scale: ten thousand writes and five thousand recalls in a row without an error, and one full book next to nineteen
//! small ones.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use palimpsest_api::Api;
use serde_json::{Value, json};

use crate::{
    Bench, DAY, ask, call, close, corpus::Corpus, create, figures::Figures, records, settle, summaries,
    synthetic::Synthetic, time,
};

/// The size of a run.
#[derive(Clone, Copy)]
pub struct Size {
    /// Writes and recalls in a row.
    writes: usize,
    recalls: usize,
    /// Episodes recorded in the full book.
    full: usize,
    /// Summaries in the full book, inserted in the form that a year of compression leaves.
    summaries: usize,
    /// Episodes recorded in each of the other books.
    small: usize,
    /// Records that are timed alone, and again during daily passes.
    records: usize,
}

impl Size {
    /// The size set by the owner: 10,000 episodes and 50,000 summaries.
    pub const WHOLE: Self =
        Self { writes: 10_000, recalls: 5_000, full: 10_000, summaries: 50_000, small: 100, records: 1_000 };
    /// A small size for checking that the benchmark runs. Its figures mean nothing.
    pub const SAMPLE: Self = Self { writes: 200, recalls: 100, full: 300, summaries: 1_000, small: 10, records: 100 };
}

const SMALL_BOOKS: usize = 19;
/// Days over which the episodes of the full book are spread; its summaries are older.
const ACTIVE_FOR: u64 = 60;

/// Measures and prints both groups of rows.
pub fn run(encoder: &Arc<Synthetic>, size: Size) {
    in_a_row(encoder, size);
    beside_others(encoder, size);
}

/// Alternates writes and recalls, two to one, and reports the errors.
fn in_a_row(encoder: &Arc<Synthetic>, size: Size) {
    let bench = Bench::new(encoder, 7);
    let mut corpus = Corpus::new(7, 7 * DAY);
    let api = bench.open();
    let project = create(&api);
    let (mut writes, mut recalls, mut errors) = (Figures::default(), Figures::default(), 0_usize);
    let mut one = |figures: &mut Figures, command: &str, args: Value| {
        let start = Instant::now();
        let answer = api.call(command, args);
        figures.add(start.elapsed());
        // A degraded recall is not an error of the command, but it is one for the writer.
        let served = answer.is_ok_and(|answer| !answer.contains(r#""degraded":true"#));
        errors += usize::from(!served);
    };
    let each = size.writes / size.recalls;
    for _ in 0..size.recalls {
        for _ in 0..each {
            one(&mut writes, "memory:episode:record", corpus.draft(&project));
        }
        one(&mut recalls, "memory:episode:query", corpus.query(&project, 12));
    }
    writes.print(&format!("record, {} in a row with recalls between", size.writes), None);
    recalls.print(&format!("recall, {} in a row with records between", size.recalls), None);
    let asked = size.writes + size.recalls;
    println!("| error rate of both, % | {asked} | {:.3} | – | – | – |", errors as f64 * 100.0 / asked as f64);
    close(api);
}

fn beside_others(encoder: &Arc<Synthetic>, size: Size) {
    let bench = Bench::new(encoder, 365);
    let mut corpus = Corpus::new(11, ACTIVE_FOR * DAY);
    let api = bench.open();
    let small: Vec<String> = (0..SMALL_BOOKS).map(|_| create(&api)).collect();
    let full = create(&api);
    for project in &small {
        for _ in 0..size.small {
            ask(&api, "memory:episode:record", corpus.draft(project));
        }
    }
    for _ in 0..size.full {
        ask(&api, "memory:episode:record", corpus.draft(&full));
    }
    close(api);
    summaries::put(&bench.folder.path().join("data"), &full, &mut corpus, size.summaries);
    let api = bench.open();
    settle(&api);
    measure(&bench, api, &mut corpus, encoder, size, &full, &small[0]);
}

fn measure(
    bench: &Bench,
    api: Arc<Api>,
    corpus: &mut Corpus,
    encoder: &Arc<Synthetic>,
    size: Size,
    full: &str,
    small: &str,
) {
    let of =
        format!("a book of {} episodes and {} summaries beside {SMALL_BOOKS} small ones", size.full, size.summaries);
    let floor = encoder.bare_scan(size.full * 5, 50);
    floor.print(&format!("bare dot-product scan of {} vectors (floor)", size.full * 5), None);
    let recall = |corpus: &mut Corpus, what: &str, query: &dyn Fn(&mut Corpus) -> Value| {
        // The first recall loads the book's vectors into memory.
        ask(&api, "memory:episode:query", query(corpus));
        settle(&api);
        let times = size.recalls.min(500);
        let (figures, spent) = spending(|| time(times, || drop(call(&api, "memory:episode:query", query(corpus)))));
        figures.print(&format!("recall from {what}; CPU {} ms each", each(spent, times)), Some(&floor));
    };
    recall(corpus, &of, &|corpus| corpus.query(full, 12));
    recall(corpus, "the same, where its summaries have to be asked too", &|corpus| corpus.stray(full, 12));
    recall(corpus, "a small one beside it", &|corpus| corpus.query(small, 12));
    let rules = json!({ "projectId": full });
    time(100, || drop(call(&api, "memory:semantic:list", rules.clone())))
        .print("rules list there, without rules", None);
    settle(&api);
    let ((fsync, record), spent) = spending(|| records(&api, full, corpus, bench.folder.path(), size.records));
    fsync.print("bare fsync of 4 KiB (floor)", None);
    let what = format!("record into it, which makes room each time; CPU {} ms each", each(spent, size.records));
    record.print(&what, Some(&fsync));
    record.minus(&fsync).print("the same, over one fsync (pair by pair)", None);
    settle(&api);
    daily(&api, full, corpus, size);

    let start = Instant::now();
    let cleared = ask(&api, "memory:clear:project", json!({ "projectId": full, "confirmed": true }));
    let seconds = start.elapsed().as_secs_f64();
    println!("| clearing {of}, s | {} | {seconds:.1} | – | – | – |", cleared["episodes"]);
    recall(corpus, "a small one after that", &|corpus| corpus.query(small, 12));
    close(api);
}

/// A daily pass: first alone, for its cost, then concurrently with a writer, for the delay that it causes.
fn daily(api: &Arc<Api>, project: &str, corpus: &mut Corpus, size: Size) {
    let job = |api: &Api, job: &str| drop(call(api, "memory:maintenance:run", json!({ "job": job })));
    let pass = |api: &Api| job(api, "daily");
    let back_up = |api: &Api| drop(call(api, "memory:backup:create", json!({})));
    for (what, only_backup) in [
        // First, because otherwise the schedule makes one by itself during a measurement.
        ("the backup of all books that a night makes when something has changed", true),
        ("the first daily pass over it (with its backlog)", false),
        ("the next daily pass", false),
    ] {
        let start = Instant::now();
        let ((), spent) = spending(|| if only_backup { back_up(api) } else { pass(api) });
        let spent = spent.map_or("–".to_owned(), |spent| format!("{:.2}", spent.as_secs_f64()));
        println!("| {what}: CPU s, wall s | 1 | {spent} | {:.2} | – | – |", start.elapsed().as_secs_f64());
        settle(api);
    }

    let mut records = |what: &str| {
        let figures = time(size.records, || drop(call(api, "memory:episode:record", corpus.draft(project))));
        figures.print(what, None);
        figures
    };
    let alone = records("record, with nothing beside it");
    let over = Arc::new(AtomicBool::new(false));
    let passes = {
        let (api, over) = (Arc::clone(api), Arc::clone(&over));
        thread::spawn(move || {
            let mut passes = 0_u32;
            while !over.load(Ordering::SeqCst) {
                job(&api, "daily");
                job(&api, "backup");
                passes += 1;
            }
            passes
        })
    };
    let beside = records("record, beside daily passes and backups one after the other");
    over.store(true, Ordering::SeqCst);
    let passes = passes.join().expect("a thread");
    let delay = beside.percentile(0.99) - alone.percentile(0.99);
    println!("| what {passes} of them delay a record by, at p99, ms | {} | – | – | {delay:.2} | – |", size.records);
}

/// The value of `work` and the CPU time of this process during it; on a busy machine CPU time is more reliable than
/// wall time.
pub fn spending<T>(work: impl FnOnce() -> T) -> (T, Option<Duration>) {
    let before = cpu();
    let value = work();
    (value, before.zip(cpu()).map(|(from, to)| to - from))
}

/// The time per repetition, in milliseconds; `–` if unknown.
pub fn each(spent: Option<Duration>, times: usize) -> String {
    spent.map_or("–".to_owned(), |spent| format!("{:.2}", spent.as_secs_f64() * 1_000.0 / times as f64))
}

/// CPU time of all threads of this process, where the system reports it: fields 14 and 15 of `/proc/self/stat`, in
/// hundredths of a second.
fn cpu() -> Option<Duration> {
    let state = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may contain any character, and ends with the last parenthesis.
    let mut fields = state.rsplit(')').next()?.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}
