//! Runs of distillation over a book of ten thousand episodes: what one costs, and what they delay.

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

/// What a run looks at.
const EPISODES: usize = 10_000;
/// Runs that are timed.
const RUNS: usize = 30;
/// Records without a run and beside runs, in turn: what the machine does to the ones it does to the others.
const TURNS: usize = 20;
/// Records that are timed in a turn, of each.
const RECORDS: usize = 100;

/// Prints the rows.
pub fn run(encoder: &Arc<Synthetic>) {
    let bench = Bench::new(encoder, 365);
    let mut corpus = Corpus::new(13, 365 * DAY);
    let api = bench.open();
    let project = create(&api);
    // So that no run begins by itself meanwhile: all of it counts once learning goes on.
    pause(&api);
    for _ in 0..EPISODES {
        ask(&api, "memory:episode:record", preferring(corpus.draft(&project)));
    }
    settle(&api);
    ask(&api, "memory:learning:resume", json!({ "useRecorded": true }));

    // The first one learns, and those that are timed look at the same again.
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
        // Nothing is distilled while learning is paused.
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
        // Nothing of it is left to be done in the next turn.
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

/// A run to its end; how many changes it made. One that began by itself goes first.
fn distil(api: &Api, project: &str) -> usize {
    loop {
        let run = ask(api, "memory:semantic:distill", json!({ "projectId": project, "wait": true }));
        if run["status"] != "alreadyRunning" {
            return run["diff"].as_array().map_or(0, Vec::len);
        }
        thread::yield_now();
    }
}

/// A writer who takes the shorter one in action scenes: a run finds something, and has its support to look up.
fn preferring(mut draft: Value) -> Value {
    if draft["sceneType"] == "action" {
        let taken: String = draft["finalText"].as_str().unwrap_or_default().chars().take(60).collect();
        draft["candidates"][0] = json!(taken);
        draft["finalText"] = json!(taken);
    }
    draft
}
