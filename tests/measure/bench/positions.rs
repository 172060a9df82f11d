//! `npm run bench -- positions [DATA]`: cards and hovers as of positions that were not asked for before, in three books
//! of a million characters with five hundred accepted entities. Two are sentences of a page of a Chinese and of an
//! English novel between sentences of the five hundred; the third is the generated book of `cards`, whose random words
//! make a thousand names that no book has. `DATA/story/text/LANGUAGE.jsonl.gz` are the chapters of whole books, which
//! are measured too.

use std::{cell::RefCell, fs::File, io::Read, path::Path, sync::Arc};

use flate2::read::GzDecoder;
use palimpsest_api::Api;
use palimpsest_text::{random::SplitMix64, sentences};
use serde_json::{Value, json};

use crate::{
    Bench, ask, call,
    cards::{self, CHAPTER, CHAPTERS, ENTITIES},
    corpus::Corpus,
    figures::time,
    imports, settle,
    synthetic::Synthetic,
};

/// Positions that are timed in one chapter.
const TIMES: usize = 200;
/// Positions that are timed in another chapter than the one before.
const ELSEWHERE: usize = 100;

/// Fills the books and measures.
pub fn run(encoder: &Arc<Synthetic>, data: Option<&Path>) {
    let bench = Bench::new(encoder, 7);
    let api = bench.open();
    for (title, language) in [("a Chinese novel", "zh"), ("an English novel", "en")] {
        let chapters: Vec<String> = (0..CHAPTERS).map(|number| page_with_people(number, language)).collect();
        let book = Book::new(&api, title, language, &chapters);
        (0..ENTITIES).for_each(|number| book.accept(&person(number, language)));
        settle(&api);
        book.print_times();
    }
    let generated = cards::chapters(&mut Corpus::new(7, 7 * crate::DAY));
    let book = Book::new(&api, "a generated book", "zh", &generated);
    (0..ENTITIES).for_each(|number| book.accept(&cards::name(number)));
    settle(&api);
    book.print_times();
    for (title, language) in [("whole Chinese stories", "zh"), ("whole English books", "en")] {
        let Some(data) = data else { return };
        let path = data.join("story/text").join(format!("{language}.jsonl.gz"));
        let book = Book::new(&api, title, language, &chapters_in(&path));
        settle(&api);
        book.print_times();
    }
}

/// The texts of a packed file with a chapter in each line.
fn chapters_in(path: &Path) -> Vec<String> {
    let mut lines = String::new();
    let file = File::open(path).expect("a file of chapters");
    GzDecoder::new(file).read_to_string(&mut lines).expect("a packed file");
    let text = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a chapter is JSON");
        row["text"].as_str().unwrap_or_default().to_owned()
    };
    lines.lines().map(text).collect()
}

/// A chapter: sentences of a page of a novel in an order of its own, between sentences of people.
fn page_with_people(number: usize, language: &str) -> String {
    let (_, _, page) = imports::PAGES.into_iter().find(|(_, of, _)| *of == language).expect("a page");
    let sentences = sentences::split(page);
    let mut random = SplitMix64::new(number as u64 + 1);
    let mut below = |count: usize| usize::try_from(random.next_u64() % count as u64).unwrap_or(0);
    let mut text = if language == "zh" { format!("第{number}章\n\n") } else { format!("Chapter {number}\n\n") };
    while text.encode_utf16().count() < CHAPTER {
        let who = person(below(ENTITIES), language);
        text += &match language {
            "zh" => format!("“不早了。”{who}说。{who}看着水。"),
            _ => format!("“It is late,” said {who}. {who} looked at the water. "),
        };
        for _ in 0..6 {
            text += sentences[below(sentences.len())];
            text += if language == "zh" { "" } else { " " };
        }
        text += "\n\n";
    }
    text
}

fn person(number: usize, language: &str) -> String {
    if language == "zh" {
        return cards::name(number);
    }
    let given = ["Mara", "Tobias", "Aldous", "Edith", "Conrad", "Judith", "Silas", "Agnes", "Martin", "Helen"];
    let (first, last) = (
        ["Har", "Wen", "Ash", "Pen", "Lor", "Cor", "Wim", "Thor", "Bram", "Stan"],
        ["wick", "ley", "don", "ford", "by"],
    );
    let family = number / given.len();
    format!(
        "{} {}{}",
        given[number % given.len()],
        first[family % first.len()],
        last[family / first.len() % last.len()]
    )
}

/// A book whose chapters have been analyzed.
struct Book<'a> {
    api: &'a Arc<Api>,
    title: &'a str,
    project: String,
    /// Of each chapter, in UTF-16 code units.
    lengths: Vec<usize>,
}

impl<'a> Book<'a> {
    fn new(api: &'a Arc<Api>, title: &'a str, language: &str, texts: &[String]) -> Self {
        let project = ask(api, "project:create", json!({ "title": title, "language": language }));
        let project = project["projectId"].as_str().unwrap_or_default().to_owned();
        let of = |(number, text): (usize, &String)| json!({ "chapterId": number.to_string(), "text": text });
        let chapters: Vec<Value> = texts.iter().enumerate().map(of).collect();
        ask(api, "story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true }));
        let lengths = texts.iter().map(|text| text.encode_utf16().count()).collect();
        Self { api, title, project, lengths }
    }

    /// Accepts a character with a fact.
    fn accept(&self, name: &str) {
        let entity = json!({ "projectId": self.project, "kind": "character", "name": name });
        let id = ask(self.api, "story:entity:save", entity)["entityIds"][0].clone();
        let fact = json!({ "projectId": self.project, "entityId": id, "attribute": "note", "value": name });
        ask(self.api, "story:fact:save", fact);
    }

    fn print_times(&self) {
        let list = |at: Option<Value>| {
            let mut args = json!({ "projectId": self.project });
            args.as_object_mut().expect("an object").extend(at.map(|at| ("at".to_owned(), at)));
            let listed = ask(self.api, "story:entity:list", args);
            listed["entities"].as_array().cloned().unwrap_or_default()
        };
        let listed = list(None);
        // The most frequent one that the first chapter names too.
        let early = list(Some(json!({ "chapterId": "0", "offset": self.lengths[0] })));
        let is_early = |entity: &&Value| early.iter().any(|one| one["entityId"] == entity["entityId"]);
        let entity_id = listed.iter().find(is_early).map(|entity| entity["entityId"].clone());
        let asked = RefCell::new(0_usize);
        // No position is asked for twice.
        let at = |chapter: usize| {
            let number = asked.replace_with(|number| *number + 1);
            json!({ "chapterId": chapter.to_string(), "offset": number * 997 % self.lengths[chapter] })
        };
        let card = |chapter: usize| {
            let args = json!({ "projectId": self.project, "entityId": entity_id, "at": at(chapter) });
            // A detected one may be none at some positions.
            drop(self.api.call("story:entity:get", args));
        };
        let hover = |chapter: usize| {
            drop(call(self.api, "story:at", json!({ "projectId": self.project, "at": at(chapter) })));
        };
        let elsewhere = RefCell::new(0_usize);
        let count = self.lengths.len();
        // Far from the one before, forwards or back.
        let stride = count * 3 / 8;
        let other = || 1 + elsewhere.replace_with(|chapter| (*chapter + stride) % (count - 1));
        let print = |what: &str, figures: crate::figures::Figures| {
            figures.print(&format!("{}, {} entities: {what}", self.title, listed.len()), None);
        };
        let middle = count / 2;
        card(middle);
        print("a card at a new position of the chapter", time(TIMES, || card(middle)));
        print("the name at a new position of the chapter", time(TIMES, || hover(middle)));
        print("a card in another chapter than before", time(ELSEWHERE, || card(other())));
        print("the name in another chapter than before", time(ELSEWHERE, || hover(other())));
    }
}
