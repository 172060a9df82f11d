use std::sync::Arc;

use super::*;
use crate::{
    model::{Language, Project},
    testing::{FixedClock, open_engine},
};

fn open(folder: &std::path::Path) -> Engine {
    open_engine(folder, &Arc::new(FixedClock::at(Time::from_millis(1_700_000_000_000))))
}

fn request(dry_run: bool) -> DistillRequest {
    DistillRequest { project_id: None, cause: RunCause::Click, dry_run }
}

fn begun(engine: &Engine, dry_run: bool) -> Ticket {
    match engine.begin_run(&request(dry_run)).unwrap() {
        Begun::Run(ticket) => ticket,
        Begun::AlreadyRunning(_) => panic!("another run is under way"),
        Begun::Waiting(_) => panic!("a run waits for approval"),
    }
}

#[test]
fn a_second_run_is_refused_with_the_id_of_the_running_one() {
    let folder = tempfile::TempDir::new().unwrap();
    let engine = open(folder.path());
    let first = begun(&engine, false);
    for dry_run in [false, true] {
        let Begun::AlreadyRunning(answer) = engine.begin_run(&request(dry_run)).unwrap() else {
            panic!("a second run")
        };
        assert_eq!((answer.run_id, answer.status), (first.answer().run_id, RunStatus::AlreadyRunning));
    }
    assert_eq!(engine.runs(None).unwrap().len(), 1);
    drop(first);
    drop(begun(&engine, true));
}

#[test]
fn a_run_that_was_under_way_when_the_program_ended_has_failed() {
    let folder = tempfile::TempDir::new().unwrap();
    let engine = open(folder.path());
    let ticket = begun(&engine, false);
    // Killed: the end is not recorded.
    drop(ticket);
    drop(engine);
    let runs = open(folder.path()).runs(None).unwrap();
    assert_eq!((runs[0].status, &runs[0].reason), (RunStatus::Failed, &Some(RunReason::Interrupted)));
    assert!(runs[0].ended_at.is_some());
}

#[test]
fn a_run_that_is_cancelled_at_any_stage_changes_nothing() {
    for at in 0..5 {
        let folder = tempfile::TempDir::new().unwrap();
        let engine = open(folder.path());
        let now = engine.clock.now();
        let project = Project {
            project_id: "book".into(),
            title: "夜航".into(),
            language: Language::Zh,
            path: None,
            created_at: now,
            last_opened_at: now,
        };
        engine.stores.rules.open().unwrap().write("test", |tx| crate::storage::projects::upsert(tx, &project)).unwrap();
        let ticket = begun(&engine, false);
        let run_id = ticket.answer().run_id;
        let stages =
            [RunStage::Gathering, RunStage::Wording, RunStage::Reconciling, RunStage::Committing, RunStage::Done];
        let cancel = |progress: RunProgress| {
            if progress.stage == stages[at] {
                let _cancelled = engine.cancel_run(&run_id).unwrap();
            }
        };
        let answer = engine.distill(ticket, None, &cancel).value;
        let should = if at == 4 { RunStatus::Nothing } else { RunStatus::Cancelled };
        assert_eq!(answer.status, should, "{at}");
        assert_eq!(engine.runs(None).unwrap()[0].status, should);
        assert_eq!(answer.diff, Some(Vec::new()));
    }
}
