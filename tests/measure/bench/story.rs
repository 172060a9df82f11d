//! `npm run bench -- story`: the time to analyze a novel of three million characters in each language, and one changed
//! chapter of it, until its names are listed; records meanwhile; searches for passages; lists of names and mentions.
//! Without an encoder.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

use palimpsest_api::{Api, EncoderSource, Options};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{ask, call, corpus::Corpus, figures::Figures, imports, settle};

/// Analyses of one changed chapter, searches, and records of each kind.
const TIMES: usize = 100;
const RECORDS: usize = 500;
/// Lists of names of each kind.
const LISTS: usize = 20;

/// Analyzes a novel in each language as a book of another editor, and measures.
pub fn run() {
    for (name, language, page) in imports::PAGES {
        let folder = TempDir::new().expect("a folder");
        let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
        options.encoder = EncoderSource::Folder(Path::new("none").into());
        let api = Api::open(options).expect("the memory opens");
        let (text, _) = imports::novel(language, page);
        let chapters = chapters_of(&text);
        measure_analysis(&api, name, language, &chapters);
    }
}

/// The text in chapters of about ten thousand characters, each with a different first line.
pub fn chapters_of(text: &str) -> Vec<Value> {
    let separator = if text.contains("\n第1章\n") { "\n第" } else { "\nChapter " };
    let chapters = text.split(separator).filter(|chapter| !chapter.trim().is_empty());
    chapters.enumerate().map(|(n, text)| json!({ "chapterId": format!("chapter-{n}"), "text": text })).collect()
}

fn measure_analysis(api: &Arc<Api>, name: &str, language: &str, chapters: &[Value]) {
    let book = json!({ "title": "a novel", "language": language });
    let project = ask(api, "project:create", book)["projectId"].as_str().unwrap_or_default().to_owned();
    let analyze = |chapters: &[Value], is_whole: bool| {
        ask(api, "story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": is_whole }))
    };
    let mut corpus = Corpus::new(42, 86_400);
    let mut record = |figures: &mut Figures| {
        let draft = corpus.draft(&project);
        let start = Instant::now();
        drop(call(api, "memory:episode:record", draft));
        figures.add(start.elapsed());
    };
    let mut alone = Figures::default();
    for _ in 0..RECORDS {
        record(&mut alone);
    }
    alone.print("record, nothing else under way (floor)", None);

    // The whole book again and again, each time with other first lines, while episodes are recorded.
    let is_over = Arc::new(AtomicBool::new(false));
    let analyst = thread::spawn({
        let (api, is_over, project, chapters) =
            (Arc::clone(api), Arc::clone(&is_over), project.clone(), chapters.to_vec());
        move || {
            let mut times = Figures::default();
            let mut turn = 0;
            while !is_over.load(Ordering::Relaxed) {
                turn += 1;
                let changed: Vec<Value> = chapters
                    .iter()
                    .map(|chapter| {
                        let text = chapter["text"].as_str().unwrap_or_default();
                        let text = text.replace('a', &format!("a{turn}")).replace('我', &format!("我{turn}"));
                        json!({ "chapterId": chapter["chapterId"], "text": format!("{turn}\n\n{text}") })
                    })
                    .collect();
                let start = Instant::now();
                drop(call(&api, "story:analyze", json!({ "projectId": project, "chapters": changed })));
                times.add(start.elapsed());
            }
            times
        }
    });
    let mut beside = Figures::default();
    for _ in 0..RECORDS {
        record(&mut beside);
    }
    is_over.store(true, Ordering::Relaxed);
    let times = analyst.join().unwrap_or_default();
    beside.print(&format!("record while a novel in {name} is analyzed"), Some(&alone));
    times.print(
        &format!("analysis of a novel in {name} of 3000000 characters, {} chapters, beside records", chapters.len()),
        None,
    );

    analyze(chapters, true);
    settle(api);
    let mut changed = Figures::default();
    for turn in 0..TIMES {
        let mut chapter = chapters[turn % chapters.len()].clone();
        let text = chapter["text"].as_str().unwrap_or_default().to_owned();
        chapter["text"] = json!(format!("{text}\n\nOne more paragraph, {turn}.\n"));
        let start = Instant::now();
        let status = analyze(&[chapter], false);
        changed.add(start.elapsed());
        assert!(status["passages"].as_u64().is_some_and(|passages| passages > 1_000), "{status}");
    }
    changed.print("analysis of one changed chapter of it", None);
    settle(api);
    let mut found = Figures::default();
    for turn in 0..TIMES {
        let query = if turn % 2 == 0 { "水 乡下 故乡 路" } else { "vanity of person and situation" };
        let start = Instant::now();
        drop(call(api, "story:find", json!({ "projectId": project, "queryText": query })));
        found.add(start.elapsed());
    }
    let passages = ask(api, "story:status", json!({ "projectId": project }))["passages"].clone();
    found.print(&format!("search among {passages} passages by words"), None);
    measure_names(api, &project, chapters);
}

/// Lists of names: after each change, again, and as of a chapter in the middle.
fn measure_names(api: &Arc<Api>, project: &str, chapters: &[Value]) {
    let list = |at: Option<&Value>| {
        let mut args = json!({ "projectId": project });
        if let Some(chapter) = at {
            args["at"] = json!({ "chapterId": chapter["chapterId"], "offset": 1_000_000 });
        }
        ask(api, "story:entity:list", args)
    };
    let (mut after_change, mut again, mut midway, mut mentions) =
        (Figures::default(), Figures::default(), Figures::default(), Figures::default());
    for turn in 0..LISTS {
        let mut chapter = chapters[turn].clone();
        let text = chapter["text"].as_str().unwrap_or_default().to_owned();
        chapter["text"] = json!(format!("{text}\n\nAnother paragraph, {turn}.\n"));
        let start = Instant::now();
        ask(api, "story:analyze", json!({ "projectId": project, "chapters": [chapter] }));
        let listed = list(None);
        after_change.add(start.elapsed());
        let start = Instant::now();
        list(None);
        again.add(start.elapsed());
        let start = Instant::now();
        list(Some(&chapters[chapters.len() / 2]));
        midway.add(start.elapsed());
        let entities = listed["entities"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(entity) = entities.get(turn % entities.len().max(1)) {
            let start = Instant::now();
            ask(api, "story:mentions", json!({ "projectId": project, "entityId": entity["entityId"] }));
            mentions.add(start.elapsed());
        }
    }
    let entities = list(None)["entities"].as_array().map_or(0, Vec::len);
    after_change.print(&format!("a changed chapter until the {entities} names of the book are listed"), None);
    midway.print("the names as of a chapter in the middle, for the first time after a change", None);
    again.print("the names again", None);
    mentions.print("fifty mentions of a name", None);
}
