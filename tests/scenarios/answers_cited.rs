//! The sentence that an answer rests on is followed wherever the writer takes it, and however it is written.

use std::{fs, path::PathBuf};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::answers::{get, of_book};

const SENTENCE: &str = "“The ferry sank in the autumn,” said the pilot of the harbour.";
const FIRST: &str = "# One\n\nIt was late.\n\n“The ferry sank in the autumn,” said the pilot of the harbour. Nobody \
                     swam.\n";
const SECOND: &str = "# Two\n\nThe quay was empty, and the lamps were out.\n";

/// A book in a folder with two chapters, and an answer that rests on a sentence of the first.
struct Scene {
    writer: Writer,
    project: String,
    answer_id: String,
    first: PathBuf,
    second: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let writer = Writer::new();
        let folder = writer.path_beside("book");
        fs::create_dir_all(&folder).unwrap();
        let [first, second] = ["01.md", "02.md"].map(|name| folder.join(name));
        fs::write(&first, FIRST).unwrap();
        fs::write(&second, SECOND).unwrap();
        let book = writer.ask("project:open", json!({ "path": folder }))["book"].clone();
        let project = text(&book["project"], "projectId");
        let citation = json!([{ "chapterId": book["chapters"][0]["chapterId"], "quote": SENTENCE, "from": 0 }]);
        let asked = json!({ "question": "When did it sink?", "answer": "In the autumn.", "citations": citation });
        let answer_id = text(&writer.ask("answer:record", of_book(&project, asked))["answer"], "answerId");
        let scene = Self { writer, project, answer_id, first, second };
        assert_eq!(scene.recheck(), ("current".into(), "holds".into()));
        scene
    }

    /// Staleness of the answer and status of its citation, after the program has looked at the folder.
    fn recheck(&self) -> (String, String) {
        self.writer.ask("chapter:list", of_book(&self.project, json!({})));
        self.writer.ask("answer:recheck", of_book(&self.project, json!({})));
        let answer = get(&self.writer, &self.project, &self.answer_id);
        (text(&answer, "staleness"), text(&answer["citations"][0], "status"))
    }

    fn citation(&self) -> Value {
        get(&self.writer, &self.project, &self.answer_id)["citations"][0].clone()
    }
}

fn is(staleness: &str, status: &str) -> (String, String) {
    (staleness.into(), status.into())
}

#[test]
fn a_chapter_that_another_program_takes_away_and_puts_back_unchanged_is_rested_on_again() {
    let scene = Scene::new();
    fs::remove_file(&scene.first).unwrap();
    assert_eq!(scene.recheck(), is("stale", "gone"));
    fs::write(&scene.first, FIRST).unwrap();
    assert_eq!(scene.recheck().0, "current");
    // It comes back under another name, later than it went.
    fs::remove_file(&scene.first).unwrap();
    assert_eq!(scene.recheck(), is("stale", "gone"));
    fs::write(scene.first.with_file_name("05.md"), FIRST).unwrap();
    assert_eq!(scene.recheck().0, "current");
}

#[test]
fn a_sentence_that_is_cut_from_one_chapter_and_put_into_another_one_later_is_found_there() {
    let scene = Scene::new();
    fs::write(&scene.first, FIRST.replace(SENTENCE, "")).unwrap();
    assert_eq!(scene.recheck(), is("stale", "changed"));
    fs::write(&scene.second, format!("{SECOND}\nShe came back.\n")).unwrap();
    assert_eq!(scene.recheck(), is("stale", "changed"), "another change is no reason");
    let pasted = format!("{SECOND}\n{SENTENCE}\n");
    fs::write(&scene.second, &pasted).unwrap();
    assert_eq!(scene.recheck(), is("current", "moved"));
    let chapters = scene.writer.ask("chapter:list", of_book(&scene.project, json!({})))["chapters"].clone();
    let now = scene.citation();
    assert_eq!(now["chapterId"], chapters[1]["chapterId"]);
    assert_eq!(now["from"], pasted[..pasted.find(SENTENCE).unwrap()].encode_utf16().count());
}

#[test]
fn a_sentence_that_went_to_a_new_chapter_is_found_where_it_was_before_once_the_new_one_is_gone() {
    let scene = Scene::new();
    let left = FIRST.replace(SENTENCE, "");
    let new = scene.first.with_file_name("03.md");
    // Twice: the second time, the texts are those that were compared before.
    for _ in 0..2 {
        fs::write(&scene.first, &left).unwrap();
        fs::write(&new, format!("# Three\n\n{SENTENCE}\n")).unwrap();
        assert_eq!(scene.recheck(), is("current", "moved"));
        fs::remove_file(&new).unwrap();
        assert_eq!(scene.recheck(), is("stale", "gone"));
        fs::write(&scene.first, FIRST).unwrap();
        assert_eq!(scene.recheck().0, "current");
    }
}

#[test]
fn a_sentence_that_two_chapters_have_later_is_not_guessed() {
    let scene = Scene::new();
    fs::write(&scene.first, FIRST.replace(SENTENCE, "")).unwrap();
    assert_eq!(scene.recheck(), is("stale", "changed"));
    fs::write(&scene.second, format!("{SECOND}\n{SENTENCE}\n\n{SENTENCE}\n")).unwrap();
    assert_eq!(scene.recheck(), is("stale", "changed"));
}

#[test]
fn other_spaces_and_other_quotation_marks_do_not_change_a_sentence_and_other_words_do() {
    let scene = Scene::new();
    let plain = FIRST.replace(['“', '”'], "\"").replace("the pilot", "the  pilot");
    fs::write(&scene.first, &plain).unwrap();
    assert_eq!(scene.recheck(), is("current", "moved"));
    let quote = "\"The ferry sank in the autumn,\" said the  pilot of the harbour.";
    let now = scene.citation();
    assert_eq!(now["quote"], SENTENCE, "the words as they were cited");
    let from = plain[..plain.find(quote).unwrap()].encode_utf16().count();
    assert_eq!((&now["from"], &now["to"]), (&json!(from), &json!(from + quote.encode_utf16().count())));
    for other in
        [plain.replace("autumn", "spring"), plain.replace("harbour.", "harbour?"), plain.replace("said", "sai d")]
    {
        fs::write(&scene.first, &other).unwrap();
        assert_eq!(scene.recheck(), is("stale", "changed"), "{other}");
        fs::write(&scene.first, &plain).unwrap();
        assert_eq!(scene.recheck().0, "current");
    }
}

/// The second chapter with 24 pages, each long enough for a passage: Mei counts a noun on each.
fn pages(noun: impl Fn(usize) -> &'static str) -> String {
    let page = |n: usize| format!("Mei counted the {} of day {n} and wrote it down before the next tide. ", noun(n));
    let pages: Vec<String> = (0..24).map(|n| page(n).repeat(12)).collect();
    format!("# Two\n\n{}\n", pages.join("\n\n"))
}

impl Scene {
    /// Waits until the passages of the book have the boats of the pages, or have them no longer.
    fn wait_for_boats(&self, are_there: bool) {
        let boats = of_book(&self.project, json!({ "queryText": "boats" }));
        let is_as_wanted = |found: &Value| found["passages"].as_array().is_some_and(|all| all.is_empty() != are_there);
        self.writer.ask_until("story:find", boats, is_as_wanted);
        self.writer.wait_until_idle();
    }

    /// Id of an answer that says that the book does not say it.
    fn record_nowhere(&self, question: &str) -> String {
        let asked = json!({ "question": question, "answer": "Nowhere.", "notInBook": true });
        text(&self.writer.ask("answer:record", of_book(&self.project, asked))["answer"], "answerId")
    }

    /// Staleness of an answer, after the program has looked at the folder.
    fn staleness(&self, answer_id: &str) -> String {
        self.recheck();
        text(&get(&self.writer, &self.project, answer_id), "staleness")
    }
}

#[test]
fn an_answer_that_found_nothing_is_doubted_by_the_rare_words_of_its_question_and_not_by_a_name_of_every_page() {
    let scene = Scene::new();
    let written = |more: &str| fs::write(&scene.second, format!("{}{more}", pages(|_| "boats"))).unwrap();
    written("");
    scene.recheck();
    scene.wait_for_boats(true);
    let answer_id = scene.record_nowhere("Where is Mei's lantern?");
    scene.recheck();
    written("\nMei went home early.\n");
    assert_eq!(scene.staleness(&answer_id), "current");
    written("\nMei went home early.\n\nThe lantern was in the well.\n");
    assert_eq!(scene.staleness(&answer_id), "maybe");
}

#[test]
fn a_sentence_that_was_there_all_along_raises_no_doubt_once_its_words_are_rare() {
    let scene = Scene::new();
    // With the ferry on two pages, the sentence of the first chapter is almost near the question.
    fs::write(&scene.second, pages(|n| if n < 2 { "ferry" } else { "boats" })).unwrap();
    scene.recheck();
    scene.wait_for_boats(true);
    let answer_id = scene.record_nowhere("Who built the ferry, and of what wood?");
    scene.recheck();
    // The pages are cut, and its words are rare in what is left.
    fs::write(&scene.second, SECOND).unwrap();
    scene.recheck();
    scene.wait_for_boats(false);
    fs::write(&scene.first, format!("{FIRST}\nIt was late.\n")).unwrap();
    assert_eq!(scene.staleness(&answer_id), "current");
    fs::write(&scene.first, format!("{FIRST}\nThe ferry was built of elm wood by Jun.\n")).unwrap();
    assert_eq!(scene.staleness(&answer_id), "maybe");
}

#[test]
fn a_chapter_that_the_list_of_chapters_saw_before_the_watch_is_read() {
    let scene = Scene::new();
    fs::write(scene.first.with_file_name("03.md"), "# Three\n\nThe lantern hung in the well.\n").unwrap();
    scene.writer.ask("chapter:list", of_book(&scene.project, json!({})));
    let query = of_book(&scene.project, json!({ "queryText": "lantern" }));
    let is_found = |found: &Value| found["passages"].as_array().is_some_and(|found| !found.is_empty());
    scene.writer.ask_until("story:find", query, is_found);
}
