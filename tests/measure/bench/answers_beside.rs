//! `npm run bench -- answers-beside`: ten thousand answers in a full book of episodes and summaries, and the check of
//! two hundred citations after their chapter was changed.

use std::{fs, path::Path, sync::Arc};

use palimpsest_api::{Api, EncoderSource, Options};
use palimpsest_text::sentences;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    Bench, DAY, ask, call, close,
    corpus::Corpus,
    create,
    figures::{Figures, Rounds, time},
    settle, summaries,
    synthetic::Synthetic,
};

/// How much is measured.
pub struct Size {
    episodes: usize,
    summaries: usize,
    answers: usize,
    rounds: usize,
}

impl Size {
    pub const WHOLE: Self = Self { episodes: 10_000, summaries: 50_000, answers: 10_000, rounds: 20 };
    /// A small size for checking that the benchmark runs. Its figures mean nothing.
    pub const SAMPLE: Self = Self { episodes: 100, summaries: 200, answers: 100, rounds: 2 };
}

/// Characters of a question and of an answer.
const QUESTION: usize = 20;
const ANSWER: usize = 200;
/// Characters of the chapter, and citations of it.
const CHAPTER: usize = 20_000;
const CITATIONS: usize = 200;
/// Sentences of a paragraph.
const PARAGRAPH: usize = 8;
/// Minimum characters of a quoted sentence.
const MIN_QUOTE: usize = 16;

pub fn run(encoder: &Arc<Synthetic>, size: &Size) {
    in_a_full_book(encoder, size);
    let text = Corpus::new(42, DAY).prose(CHAPTER);
    let sentences = sentences::split(&text);
    let paragraphs: Vec<String> = sentences.chunks(PARAGRAPH).map(|sentences| sentences.concat()).collect();
    rechecks(size, "paragraphs", &paragraphs.join("\n\n"));
    rechecks(size, "one paragraph", &text);
}

fn in_a_full_book(encoder: &Arc<Synthetic>, size: &Size) {
    let bench = Bench::new(encoder, 365);
    let mut corpus = Corpus::new(11, 60 * DAY);
    let api = bench.open();
    let project = create(&api);
    for _ in 0..size.episodes {
        ask(&api, "memory:episode:record", corpus.draft(&project));
    }
    close(api);
    summaries::put(&bench.folder.path().join("data"), &project, &mut corpus, size.summaries);
    let api = bench.open();
    settle(&api);
    let of = format!("a book of {} episodes and {} summaries", size.episodes, size.summaries);
    let recall = |corpus: &mut Corpus| {
        // The first one loads the vectors into memory.
        ask(&api, "memory:episode:query", corpus.query(&project, 12));
        settle(&api);
        time(25 * size.rounds, || drop(call(&api, "memory:episode:query", corpus.query(&project, 12))))
    };
    let before = recall(&mut corpus);
    before.print(&format!("recall from {of}, without answers (floor)"), None);
    for _ in 0..size.answers {
        let (question, answer) = (corpus.prose(QUESTION), corpus.prose(ANSWER));
        ask(&api, "answer:record", json!({ "projectId": project, "question": question, "answer": answer }));
    }
    settle(&api);
    recall(&mut corpus).print(&format!("recall from it beside {} answers", size.answers), Some(&before));
    let mut query = corpus.clone();
    let search = || {
        let query = query.prose(QUESTION);
        drop(call(&api, "answer:search", json!({ "projectId": project, "query": query })));
    };
    ask(&api, "answer:search", json!({ "projectId": project, "query": corpus.prose(QUESTION) }));
    settle(&api);
    Rounds::beside(
        &format!("bare dot-product scan of {} vectors (floor)", 2 * size.answers),
        5,
        encoder.scan_of(2 * size.answers),
    )
    .and(format!("answers: search among {} in {of}", size.answers), 25, search)
    .run(size.rounds)
    .print();
    close(api);
}

/// Each check follows a change of the chapter in its folder. `layout` names the paragraphs of its `text`.
fn rechecks(size: &Size, layout: &str, text: &str) {
    let folder = TempDir::new().expect("a folder");
    let book = folder.path().join("book");
    fs::create_dir(&book).expect("a folder");
    let write = |n: usize| fs::write(book.join("001.md"), format!("# 章\n\n第{n}次。{text}\n")).expect("a chapter");
    write(0);
    let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
    options.encoder = EncoderSource::Nowhere;
    let api = Api::open(options).expect("the memory opens");
    let cited = cite(&api, &book, text);
    let args = json!({ "projectId": cited.project });
    let mut checks = Figures::default();
    for n in 1..=5 * size.rounds {
        write(n);
        call(&api, "chapter:list", args.clone());
        checks.join(time(1, || drop(call(&api, "answer:recheck", args.clone()))));
    }
    let of = format!("a changed chapter of {CHAPTER} in {layout}");
    checks.print(&format!("answers: check of {} citations in {of}", cited.citations), None);
    close(api);
}

/// A book with answers that cite it.
struct Cited {
    project: String,
    citations: usize,
}

fn cite(api: &Api, book: &Path, text: &str) -> Cited {
    let opened = ask(api, "project:open", json!({ "path": book }))["book"].clone();
    let project = opened["project"]["projectId"].as_str().expect("an identity").to_owned();
    let chapter = &opened["chapters"][0]["chapterId"];
    let is_usable =
        |quote: &&str| quote.chars().count() >= MIN_QUOTE && !quote.contains('\n') && text.matches(quote).count() == 1;
    let quotes: Vec<&str> = sentences::split(text).into_iter().filter(is_usable).take(CITATIONS).collect();
    for (n, quote) in quotes.iter().enumerate() {
        let citation = json!({ "chapterId": chapter, "quote": quote, "from": 0 });
        let answer = format!("第{n}个问题的回答：{quote}");
        ask(
            api,
            "answer:record",
            json!({ "projectId": project, "question": format!("第{n}个问题？"), "answer": answer, "citations": [citation] }),
        );
    }
    Cited { project, citations: quotes.len() }
}
