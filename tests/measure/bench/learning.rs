//! Runs of distillation over a book of ten thousand episodes: the cost of a run, and the delay that it causes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

use palimpsest_api::Api;
use serde_json::{Value, json};

use crate::{
    Bench, DAY, ask, close,
    corpus::Corpus,
    create,
    figures::Figures,
    records,
    scale::{each, spending},
    settle,
    synthetic::Synthetic,
};

/// Episodes that a run reads.
const EPISODES: usize = 10_000;
/// Runs that are timed.
const RUNS: usize = 30;
/// Turns of records with and without concurrent runs: alternation exposes both to the same noise of the machine.
const TURNS: usize = 20;
/// Records that are timed per turn, of each kind.
const RECORDS: usize = 100;

/// Measures and prints the rows.
pub fn run(encoder: &Arc<Synthetic>) {
    let bench = Bench::new(encoder, 365);
    let mut corpus = Corpus::new(13, 365 * DAY);
    let api = bench.open();
    let project = create(&api);
    // No run may begin by itself meanwhile; all episodes count once learning is resumed.
    pause(&api);
    for _ in 0..EPISODES {
        ask(&api, "memory:episode:record", preferring(corpus.draft(&project)));
    }
    settle(&api);
    ask(&api, "memory:learning:resume", json!({ "useRecorded": true }));

    // The first run learns; the timed ones read the same episodes again.
    let learned = distil(&api, &project);
    let mut runs = Figures::default();
    let ((), spent) = spending(|| {
        for _ in 0..RUNS {
            let start = Instant::now();
            distil(&api, &project);
            runs.add(start.elapsed());
        }
    });
    let cpu = each(spent, RUNS);
    runs.print(
        &format!("run over {EPISODES} episodes ({learned} changes at first), no model; CPU {cpu} ms each"),
        None,
    );

    let (mut floor, mut alone) = (Figures::default(), Figures::default());
    let (mut floor_beside, mut beside) = (Figures::default(), Figures::default());
    let mut runs = 0;
    for _ in 0..TURNS {
        // No run begins while learning is paused.
        pause(&api);
        let (fsync, record) = records(&api, &project, &mut corpus, bench.folder.path(), RECORDS);
        floor.join(fsync);
        alone.join(record);
        ask(&api, "memory:learning:resume", json!({}));

        let over = Arc::new(AtomicBool::new(false));
        let distilling = {
            let (api, project, over) = (Arc::clone(&api), project.clone(), Arc::clone(&over));
            thread::spawn(move || {
                let mut runs = 0_u32;
                while !over.load(Ordering::SeqCst) {
                    distil(&api, &project);
                    runs += 1;
                }
                runs
            })
        };
        let (fsync, record) = records(&api, &project, &mut corpus, bench.folder.path(), RECORDS);
        over.store(true, Ordering::SeqCst);
        runs += distilling.join().expect("a thread");
        floor_beside.join(fsync);
        beside.join(record);
        // No background work may be left for the next turn.
        settle(&api);
    }
    floor.print("bare fsync of 4 KiB (floor)", None);
    alone.print("record, no run going on", Some(&floor));
    floor_beside.print("bare fsync of 4 KiB beside runs (floor)", None);
    beside.print(&format!("record, beside {runs} runs one after another"), Some(&floor_beside));
    let p99 = |figures: &Figures| figures.percentile(0.99);
    println!(
        "| what runs delay a record by, at p99, ms (the bare fsync beside it: {:.2}) | {} | – | – | {:.2} | – |",
        p99(&floor_beside) - p99(&floor),
        TURNS * RECORDS,
        p99(&beside) - p99(&alone)
    );
    close(api);
}

fn pause(api: &Api) {
    ask(api, "memory:learning:pause", json!({}));
}

/// Performs a run to its end, and returns the number of changes. A run that began by itself is waited for first.
fn distil(api: &Api, project: &str) -> usize {
    loop {
        let run = ask(api, "memory:semantic:distill", json!({ "projectId": project, "wait": true }));
        if run["status"] != "alreadyRunning" {
            return run["diff"].as_array().map_or(0, Vec::len);
        }
        thread::yield_now();
    }
}

/// A draft of a writer who takes the shorter candidate in action scenes: a run finds a pattern, and reads its evidence.
fn preferring(mut draft: Value) -> Value {
    if draft["sceneType"] == "action" {
        let taken: String = draft["finalText"].as_str().unwrap_or_default().chars().take(60).collect();
        draft["candidates"][0] = json!(taken);
        draft["finalText"] = json!(taken);
    }
    draft
}
