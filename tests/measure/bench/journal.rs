//! `npm run bench -- journal`: the journal with a hundred thousand entries.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    sync::Arc,
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

/// How much is measured.
pub struct Size {
    entries: usize,
    rounds: usize,
    stores: usize,
}

impl Size {
    pub const WHOLE: Self = Self { entries: 100_000, rounds: 40, stores: 500 };
    pub const SAMPLE: Self = Self { entries: 1_000, rounds: 3, stores: 20 };
}

/// Characters of an entry.
const CONTENT: usize = 60;
/// Characters of a search.
const QUERY: usize = 10;

pub fn run(encoder: &Arc<Synthetic>, size: &Size) {
    let folder = TempDir::new().expect("a folder");
    let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
    options.encoder = EncoderSource::Loaded(Arc::clone(encoder) as _);
    let api = Api::open(options).expect("the memory opens");
    let project = create(&api);
    let mut corpus = Corpus::new(42, 365 * 86_400);
    let entries = size.entries;
    let file = folder.path().join("entries.jsonl");
    write_entries(&file, &mut corpus, entries);
    let start = Instant::now();
    ask(&api, "journal:import", json!({ "projectId": project, "path": file, "dryRun": false }));
    let mut import = Figures::default();
    import.add(start.elapsed());
    import.print(&format!("journal: import of {entries} entries"), None);
    settle(&api);
    let recall = {
        let (api, project, mut corpus) = (Arc::clone(&api), project.clone(), corpus.clone());
        move || {
            let query = corpus.prose(QUERY);
            drop(call(&api, "journal:recall", json!({ "projectId": project, "query": query })));
        }
    };
    // The first recall of a large journal loads its vectors into memory.
    ask(&api, "journal:recall", json!({ "projectId": project, "query": corpus.prose(QUERY) }));
    settle(&api);
    Rounds::beside(&format!("bare dot-product scan of {entries} vectors (floor)"), 5, encoder.scan_of(entries))
        .and(format!("journal: recall among {entries} entries"), 25, recall)
        .and(format!("journal: latest 50 of {entries} entries"), 25, || {
            drop(call(&api, "journal:list", json!({ "projectId": project })));
        })
        .run(size.rounds)
        .print();
    let verify = time(size.rounds.min(20), || drop(call(&api, "journal:verify", json!({ "projectId": project }))));
    verify.print(&format!("journal: verify {entries} entries"), None);
    let entry = || json!({ "projectId": project, "kind": "note", "content": corpus.prose(CONTENT) });
    let (fsync, store) = beside_fsync(&api, "journal:store", entry, folder.path(), size.stores);
    fsync.print("bare fsync of 4 KiB (floor)", None);
    store.print("journal: store, acknowledged on disk", Some(&fsync));
    store.minus(&fsync).print("journal: store, over one fsync (pair by pair)", None);
    close(api);
}

fn write_entries(path: &Path, corpus: &mut Corpus, entries: usize) {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    for n in 0..entries {
        let line = json!({ "id": format!("entry-{n}"), "timestamp": "2026-01-02T03:04:05Z", "kind": "note",
            "content": corpus.prose(CONTENT) });
        writeln!(out, "{line}").expect("a disk");
    }
    out.flush().expect("a disk");
}
