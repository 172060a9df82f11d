//! `npm run bench -- answers`: the memory of answers with ten thousand of them.

use std::{
    sync::{Arc, mpsc},
    time::Instant,
};

use palimpsest_api::{Api, EncoderSource, Options};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    ask, beside_fsync, call, close,
    corpus::Corpus,
    create,
    figures::{Figures, Rounds, time},
    settle,
    synthetic::Synthetic,
};

/// Number of answers.
const ANSWERS: usize = 10_000;
/// Rounds of each measurement beside the scan.
const ROUNDS: usize = 20;
/// Number of runs that are prepared and completed.
const RUNS: usize = 300;
/// Number of runs that are decided again.
const REPLAYED: usize = 1_000;
/// Characters of a question and of an answer.
const QUESTION: usize = 20;
const ANSWER: usize = 200;

pub fn run(encoder: &Arc<Synthetic>) {
    let folder = TempDir::new().expect("a folder");
    let (ended, ends) = mpsc::channel();
    let events = move |name: &str, _| {
        if name == "ask:done" {
            ended.send(()).expect("somebody waits");
        }
    };
    let mut options = Options::new(folder.path().join("data"), Arc::new(events));
    options.encoder = EncoderSource::Loaded(Arc::clone(encoder) as _);
    let api = Api::open(options).expect("the memory opens");
    let project = create(&api);
    let mut corpus = Corpus::new(42, 365 * 86_400);
    let start = Instant::now();
    for _ in 0..ANSWERS {
        let (question, answer) = (corpus.prose(QUESTION), corpus.prose(ANSWER));
        call(&api, "answer:record", json!({ "projectId": project, "question": question, "answer": answer }));
    }
    let mut recorded = Figures::default();
    recorded.add(start.elapsed());
    recorded.print(&format!("answers: {ANSWERS} recorded"), None);
    settle(&api);
    let search = {
        let (api, project, mut corpus) = (Arc::clone(&api), project.clone(), corpus.clone());
        move || {
            let query = corpus.prose(QUESTION);
            drop(call(&api, "answer:search", json!({ "projectId": project, "query": query })));
        }
    };
    // The first search of a large memory loads its vectors.
    ask(&api, "answer:search", json!({ "projectId": project, "query": corpus.prose(QUESTION) }));
    settle(&api);
    Rounds::beside(
        &format!("bare dot-product scan of {} vectors (floor)", 2 * ANSWERS),
        5,
        encoder.scan_of(2 * ANSWERS),
    )
    .and(format!("answers: search among {ANSWERS}"), 25, search)
    .run(ROUNDS)
    .print();
    let list = time(100, || drop(call(&api, "answer:list", json!({ "projectId": project }))));
    list.print(&format!("answers: latest 50 of {ANSWERS}"), None);
    let query = || json!({ "projectId": project, "query": corpus.prose(QUESTION) });
    let (fsync, prepare) = beside_fsync(&api, "answer:prepare", query, folder.path(), RUNS);
    fsync.print("bare fsync of 4 KiB (floor)", None);
    prepare.print("answers: prepare, the run on disk", Some(&fsync));
    prepare.minus(&fsync).print("answers: prepare, over one fsync (pair by pair)", None);
    let outcome = || {
        let prepared = ask(&api, "answer:prepare", json!({ "projectId": project, "query": corpus.prose(QUESTION) }));
        let outcome = json!({ "exitCode": 0, "answer": format!("{} [QA:1]", corpus.prose(2 * ANSWER)) });
        json!({ "projectId": project, "runId": prepared["runId"], "outcome": outcome })
    };
    let (fsync, complete) = beside_fsync(&api, "answer:complete", outcome, folder.path(), RUNS);
    complete.print("answers: complete, with a candidate", Some(&fsync));
    complete.minus(&fsync).print("answers: complete, over one fsync (pair by pair)", None);
    // A question is answered in the background: the next is asked after its end.
    let mut is_asked = false;
    let question = || {
        if std::mem::replace(&mut is_asked, true) {
            ends.recv().expect("the end of a question");
        }
        json!({ "projectId": project, "question": corpus.prose(QUESTION), "onlyBook": true })
    };
    let (fsync, question) = beside_fsync(&api, "ask:run", question, folder.path(), RUNS);
    ends.recv().expect("the end of the last question");
    question.print("answers: a question prepared and started", Some(&fsync));
    question.minus(&fsync).print("answers: a question prepared and started, over one fsync (pair by pair)", None);
    for _ in 3 * RUNS..REPLAYED {
        ask(&api, "answer:prepare", json!({ "projectId": project, "query": corpus.prose(QUESTION) }));
    }
    let config = json!({ "gatekeeper.max_inject": 2, "gatekeeper.min_score_inject": 0.6 });
    let other = json!({ "projectId": project, "config": config });
    let replay = time(ROUNDS, || drop(call(&api, "answer:replay", other.clone())));
    replay.print(&format!("answers: replay of {REPLAYED} runs"), None);
    close(api);
}
