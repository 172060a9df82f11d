//! The effects and limits of an import, through the engine alone.

use std::{
    sync::{Arc, mpsc::channel},
    thread,
    time::Duration,
};

use tempfile::TempDir;

use std::fs;

use super::*;
use crate::testing::{FixedClock, open_engine};

fn engine() -> (TempDir, Engine) {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    (folder, engine)
}

fn open(folder: &TempDir) -> Engine {
    let clock = Arc::new(FixedClock::at("2026-03-15T21:00:00Z".parse().unwrap()));
    open_engine(&folder.path().join("data"), &clock)
}

#[test]
fn a_file_is_read_while_something_else_works_on_the_files_as_a_whole() {
    let (folder, engine) = engine();
    let cut_off = folder.path().join("cut-off.jsonl");
    engine.export(None, &cut_off).unwrap();
    let whole = fs::read_to_string(&cut_off).unwrap();
    fs::write(&cut_off, whole.lines().next().unwrap().to_owned() + "\n").unwrap();
    let page = folder.path().join("page.md");
    fs::write(&page, [0xff]).unwrap();
    let working = engine.upkeep.lock_files();
    let (refused, refusals) = channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let reason = |error: Error| error.reason();
            let imported = engine.import(&cut_off, false).unwrap_err();
            refused.send(reason(imported)).unwrap();
            refused.send(reason(engine.import(&cut_off, true).unwrap_err())).unwrap();
            refused.send(reason(engine.import_sheet(None, &page, false).unwrap_err())).unwrap();
        });
        let patience = Duration::from_secs(60);
        let reasons: Vec<_> = (0..3).map_while(|_| refusals.recv_timeout(patience).ok().flatten()).collect();
        // Otherwise the scope would wait for a thread that waits for this.
        drop(working);
        assert_eq!(reasons, [Reason::CutOff, Reason::CutOff, Reason::NotUtf8]);
    });
    assert!(!engine.data_file(COPYING).exists());
}

#[test]
fn leftovers_of_an_interrupted_copy_are_removed_when_the_memory_is_opened() {
    let (folder, engine) = engine();
    let part = engine.data_file(COPYING);
    drop(engine);
    fs::write(&part, "half of somebody's memory").unwrap();
    let _engine = open(&folder);
    assert!(!part.exists());
}
