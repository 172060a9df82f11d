//! `npm run bench -- import`: the time to show and to import a novel of three million characters with wrapped lines, in
//! both languages, and to read a chapter of the same book meanwhile.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use palimpsest_api::Api;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{ask, call, figures::Figures};

/// Characters of the novel.
const CHARACTERS: usize = 3_000_000;
/// Characters of a chapter.
const CHAPTER: usize = 10_000;
/// Times that the novel is shown and imported.
const TIMES: usize = 20;
/// Time between two readings of a chapter.
const PAUSE: Duration = Duration::from_millis(2);

/// From the tests of paragraphs: pages as they lie on a disk, with wrapped lines.
pub const PAGES: [(&str, &str, &str); 2] = [
    ("Chinese", "zh", include_str!("../../../src-tauri/crates/text/testdata/hometown.txt")),
    ("English", "en", include_str!("../../../src-tauri/crates/text/testdata/persuasion.txt")),
];

/// Imports a novel into a new book in each language, and measures.
pub fn run() {
    for (name, language, page) in PAGES {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("novel.txt");
        let (text, chapters) = novel(language, page);
        fs::write(&path, &text).expect("a file");
        let api = Arc::new(
            Api::open(palimpsest_api::Options::new(folder.path().join("data"), Arc::new(|_, _| {})))
                .expect("the memory opens"),
        );
        measure(&api, name, language, folder.path(), &path, chapters);
    }
}

/// The novel, and the number of its chapters.
pub fn novel(language: &str, page: &str) -> (String, usize) {
    let mut text = String::new();
    let (mut characters, mut chapters) = (0, 0);
    let length = page.chars().count();
    while characters < CHARACTERS {
        if characters >= chapters * CHAPTER {
            chapters += 1;
            let heading =
                if language == "zh" { format!("\n第{chapters}章\n\n") } else { format!("\nChapter {chapters}\n\n") };
            text.push_str(&heading);
        }
        text.push_str(page);
        text.push('\n');
        characters += length;
    }
    (text, chapters)
}

fn measure(api: &Arc<Api>, name: &str, language: &str, folder: &Path, path: &Path, chapters: usize) {
    let book = json!({ "title": "Novel", "language": language, "path": folder.join("book") });
    let project = ask(api, "project:create", book)["projectId"].clone();
    let of_project = json!({ "projectId": project });
    let first = ask(api, "chapter:create", json!({ "projectId": project, "title": "1" }))["chapterId"].clone();
    let (mut shown, mut written, mut undone) = (Figures::default(), Figures::default(), Figures::default());
    let (mut longest_then, mut longest_meanwhile) = (Figures::default(), Figures::default());
    let import = |more: Value| {
        let mut args = of_project.clone();
        args["path"] = json!(path);
        args.as_object_mut().expect("arguments").extend(more.as_object().cloned().unwrap_or_default());
        ask(api, "project:import", args)
    };
    for _ in 0..TIMES {
        let mut found = Value::Null;
        let longest = meanwhile(api, &project, &first, || {
            let start = Instant::now();
            found = import(json!({ "dryRun": true }));
            shown.add(start.elapsed());
        });
        longest_then.add(longest);
        assert_eq!(found["chapters"].as_array().map(Vec::len), Some(chapters), "chapters");
        let sections = found["sections"].as_array().expect("sections");
        let choices: Vec<Value> = sections.iter().map(|section| json!({ "use": section["use"] })).collect();
        let mut import_id = Value::Null;
        let longest = meanwhile(api, &project, &first, || {
            let start = Instant::now();
            import_id = import(json!({ "sections": choices, "contentHash": found["contentHash"] }))["importId"].clone();
            written.add(start.elapsed());
        });
        longest_meanwhile.add(longest);
        let start = Instant::now();
        drop(call(api, "project:import:undo", json!({ "projectId": project, "importId": import_id })));
        undone.add(start.elapsed());
    }
    let what = format!("a novel in {name} of {CHARACTERS} characters, {chapters} chapters");
    shown.print(&format!("{what}: shown"), None);
    longest_then.print("the longest time to read a chapter of the book meanwhile", None);
    written.print(&format!("{what}: imported"), None);
    longest_meanwhile.print("the longest time to read a chapter of the book meanwhile", None);
    undone.print(&format!("{what}: undone"), None);
}

/// The longest time to read a chapter, again and again, while `work` runs.
fn meanwhile(api: &Arc<Api>, project: &Value, chapter: &Value, work: impl FnOnce()) -> Duration {
    let is_over = Arc::new(AtomicBool::new(false));
    let reader = thread::spawn({
        let (api, is_over) = (Arc::clone(api), Arc::clone(&is_over));
        let args = json!({ "projectId": project, "chapterId": chapter });
        move || {
            let mut longest = Duration::ZERO;
            while !is_over.load(Ordering::Relaxed) {
                let start = Instant::now();
                drop(call(&api, "chapter:read", args.clone()));
                longest = longest.max(start.elapsed());
                thread::sleep(PAUSE);
            }
            longest
        }
    });
    work();
    is_over.store(true, Ordering::Relaxed);
    reader.join().unwrap_or_default()
}
