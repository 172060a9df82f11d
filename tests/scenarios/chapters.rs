//! Guarantees for a book that is put in order: chapters that are deleted, restored, split and merged, and the memories
//! of their passages.

use std::{fs, path::PathBuf};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

/// A book of three chapters in one language; the first has two passages that generations wrote.
struct Manuscript {
    writer: Writer,
    folder: PathBuf,
    project: String,
    /// The generations of the two passages, in the order of the text.
    generations: [String; 2],
}

const PASSAGES_ZH: [&str; 2] = ["水退下去，留下一道白线。", "她把簿子合上，没有说话。"];
const PASSAGES_EN: [&str; 2] = ["The water left a white line.", "She closed the ledger and said nothing."];

impl Manuscript {
    fn zh() -> Self {
        Self::new(["# 渡船\n\n渡船靠岸。", "\n\n门开着。", "\n\n灯亮了。\n"], PASSAGES_ZH, ["簿子", "尾声"])
    }

    fn en() -> Self {
        let around = ["# The Ferry\n\nThe ferry landed. ", "\n\nThe door was open. ", "\n\nA lamp was lit.\n"];
        Self::new(around, PASSAGES_EN, ["Ledger", "The End"])
    }

    fn new(around: [&str; 3], passages: [&str; 2], others: [&str; 2]) -> Self {
        let writer = Writer::new();
        let folder = writer.path_beside("book");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("01.md"), around[0]).unwrap();
        for (n, title) in others.iter().enumerate() {
            fs::write(folder.join(format!("0{}.md", n + 2)), format!("# {title}\n\n{title}。\n")).unwrap();
        }
        let book = writer.ask("project:open", json!({ "path": folder }))["book"].clone();
        let project = text(&book["project"], "projectId");
        let mut book = Self { writer, folder, project, generations: Default::default() };
        let chapter = text(&book.chapters()[0], "chapterId");
        let (mut whole, mut origins) = (around[0].to_owned(), Vec::new());
        for (n, passage) in passages.into_iter().enumerate() {
            let run = json!({ "projectId": book.project, "chapterId": chapter, "skill": "continue", "before": whole });
            let generation = text(&book.writer.run(run).0, "generationId");
            let from = whole.encode_utf16().count();
            whole = format!("{whole}{passage}{}", around[n + 1]);
            origins
                .push(json!({ "generationId": generation, "from": from, "to": from + passage.encode_utf16().count() }));
            book.writer.ask(
                "memory:episode:record",
                json!({ "projectId": book.project, "chapterId": chapter, "skillUsed": "continue", "generationId": generation,
                    "inputContext": "x", "candidates": [passage], "selectedIndex": 0, "finalText": passage }),
            );
            book.generations[n] = generation;
        }
        let read = book.read(&chapter);
        let saved = book.writer.ask(
            "chapter:write",
            json!({ "projectId": book.project, "chapterId": chapter, "text": whole, "baseHash": read["contentHash"],
                "origins": origins }),
        );
        assert_eq!(saved["originsSaved"], true);
        book
    }

    fn chapters(&self) -> Vec<Value> {
        let listed = self.writer.ask("chapter:list", json!({ "projectId": self.project }));
        listed["chapters"].as_array().unwrap().clone()
    }

    fn titles(&self) -> Vec<String> {
        self.chapters().iter().map(|chapter| text(chapter, "title")).collect()
    }

    fn id(&self, index: usize) -> String {
        text(&self.chapters()[index], "chapterId")
    }

    fn read(&self, chapter: &str) -> Value {
        self.writer.ask("chapter:read", json!({ "projectId": self.project, "chapterId": chapter }))
    }

    /// The marks of a chapter: the generation and the words of each.
    fn marks(&self, chapter: &str) -> Vec<(String, String)> {
        let read = self.read(chapter);
        assert_eq!(read["unanchored"], json!([]));
        let units: Vec<u16> = text(&read, "text").encode_utf16().collect();
        let at = |mark: &Value, end: &str| usize::try_from(mark[end].as_u64().unwrap()).unwrap();
        let words = |mark: &Value| String::from_utf16(&units[at(mark, "from")..at(mark, "to")]).unwrap();
        let marks = read["origins"].as_array().unwrap().iter();
        marks.map(|mark| (text(mark, "generationId"), words(mark))).collect()
    }

    /// The chapter of the episode and of the trace of each passage.
    fn homes(&self) -> [(String, String); 2] {
        self.generations.clone().map(|generation| {
            let trace =
                self.writer.ask("memory:trace:get", json!({ "projectId": self.project, "generationId": generation }));
            let found = self.writer.ask(
                "memory:episode:query",
                json!({ "projectId": self.project, "fields": ["chapterId", "generationId"], "limit": 50, "purpose": "search" }),
            );
            let episodes = found["episodes"].as_array().unwrap();
            let episode = episodes.iter().find(|found| found["episode"]["generationId"] == json!(generation)).unwrap();
            (text(&episode["episode"], "chapterId"), text(&trace, "chapterId"))
        })
    }

    fn split_before(&self, chapter: &str, words: &str, title: &str) -> Value {
        let read = self.read(chapter);
        let whole = text(&read, "text");
        let offset = whole[..whole.find(words).unwrap()].encode_utf16().count();
        self.writer.ask(
            "chapter:split",
            json!({ "projectId": self.project, "chapterId": chapter, "offset": offset, "baseHash": read["contentHash"],
                "title": title }),
        )
    }

    fn undo(&self, change: &Value) -> Value {
        self.writer.ask("chapter:change:undo", json!({ "projectId": self.project, "changeId": change["changeId"] }))
    }

    fn deleted(&self) -> Vec<Value> {
        let listed = self.writer.ask("chapter:deleted:list", json!({ "projectId": self.project }));
        listed["deleted"].as_array().unwrap().clone()
    }

    fn after_restart(self) -> Self {
        Self { writer: self.writer.restarted(), ..self }
    }
}

#[test]
fn a_deleted_chapter_comes_back_with_its_words_its_marks_and_what_is_remembered_of_it() {
    let book = Manuscript::zh();
    let chapter = book.id(0);
    let (before, marks, homes) = (book.read(&chapter), book.marks(&chapter), book.homes());
    let at = json!({ "projectId": book.project, "chapterId": chapter });
    let deleted = book.writer.ask("chapter:delete", at.clone());
    assert_eq!(book.titles(), ["簿子", "尾声"]);
    assert_eq!(deleted["chapters"].as_array().unwrap().len(), 2);
    let refused = book.writer.error("chapter:read", at.clone());
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("chapterGone")
    );
    // The words are remembered as before, and the book's memory knows where they were.
    assert_eq!(book.homes(), homes);

    let book = book.after_restart();
    let listed = book.deleted();
    assert_eq!((&listed[0]["title"], &listed[0]["deletedId"]), (&json!("渡船"), &deleted["deletedId"]));
    assert_eq!(listed[0]["deletedAt"], "2026-03-15T21:00:00.000Z");
    let restored = book
        .writer
        .ask("chapter:deleted:restore", json!({ "projectId": book.project, "deletedId": deleted["deletedId"] }));
    assert_eq!((&restored["chapterId"], &restored["file"]), (&json!(chapter), &json!("01.md")));
    assert_eq!((book.read(&chapter), book.marks(&chapter)), (before, marks));
    assert_eq!(book.titles(), ["渡船", "簿子", "尾声"]);
    assert_eq!(book.deleted(), [] as [Value; 0]);
}

#[test]
fn clearing_a_book_clears_what_is_remembered_of_a_deleted_chapter_and_leaves_its_words() {
    let book = Manuscript::zh();
    book.writer.ask("chapter:delete", json!({ "projectId": book.project, "chapterId": book.id(0) }));
    let counts = book.writer.ask("memory:clear:project", json!({ "projectId": book.project, "confirmed": true }));
    assert_eq!((&counts["episodes"], &counts["origins"]), (&json!(2), &json!(2)));
    let deleted = book.deleted();
    assert_eq!(deleted.len(), 1);
    let id = &deleted[0]["deletedId"];
    book.writer.ask("chapter:deleted:restore", json!({ "projectId": book.project, "deletedId": id }));
    assert_eq!(book.read(&book.id(0))["origins"], json!([]));
    assert!(text(&book.read(&book.id(0)), "text").contains(PASSAGES_ZH[1]));
}

#[test]
fn a_split_takes_the_marks_and_memories_of_the_second_part_along_and_its_undo_brings_them_back() {
    for (book, passages, words, title) in
        [(Manuscript::zh(), PASSAGES_ZH, "门开着", "门"), (Manuscript::en(), PASSAGES_EN, "The door", "The Door")]
    {
        let first = book.id(0);
        let (before, marks) = (book.read(&first), book.marks(&first));
        let change = book.split_before(&first, words, title);
        assert_eq!(change["memoriesMoved"], true);
        let second = text(&change, "secondId");
        assert_eq!((book.id(1), book.titles()[1].as_str()), (second.clone(), title));
        let [one, other] = book.generations.clone();
        assert_eq!(book.marks(&first), [(one.clone(), passages[0].to_owned())]);
        assert_eq!(book.marks(&second), [(other.clone(), passages[1].to_owned())]);
        assert_eq!(book.homes(), [(first.clone(), first.clone()), (second.clone(), second.clone())]);

        let book = book.after_restart();
        assert_eq!(book.marks(&second), [(other, passages[1].to_owned())]);
        book.undo(&change);
        assert_eq!(book.read(&first), before);
        assert_eq!(book.marks(&first), marks);
        assert_eq!(book.homes(), [(first.clone(), first.clone()), (first.clone(), first.clone())]);
        assert_eq!(book.chapters().len(), 3);
        assert_eq!(
            book.writer
                .refused("chapter:change:undo", json!({ "projectId": book.project, "changeId": change["changeId"] }))
                .0,
            "MEMORY_STALE_VERSION"
        );
    }
}

#[test]
fn a_rejected_run_follows_the_text_that_it_was_asked_for() {
    for (book, words) in [(Manuscript::zh(), "门开着"), (Manuscript::en(), "The door")] {
        let first = book.id(0);
        let whole = text(&book.read(&first), "text");
        let at = whole.find(words).unwrap();
        let (before, after) = (&whole[..at], whole.trim_end());
        let rejected = |context: &str| {
            let args = json!({ "projectId": book.project, "chapterId": first, "skillUsed": "continue", "candidates": ["x"],
                "selectedIndex": -1, "finalText": "", "inputContext": context });
            text(&book.writer.ask("memory:episode:record", args), "episodeId")
        };
        // A text that occurs in neither part, such as one that was deleted, stays.
        let runs = [rejected(before), rejected(after), rejected("gone")];
        let change = book.split_before(&first, words, "II");
        let second = text(&change, "secondId");
        let home = |episode: &String| {
            let asked =
                json!({ "projectId": book.project, "fields": ["id", "chapterId"], "limit": 50, "purpose": "search" });
            let found = book.writer.ask("memory:episode:query", asked);
            let found = found["episodes"].as_array().unwrap().iter().find(|found| found["episode"]["id"] == **episode);
            text(&found.unwrap()["episode"], "chapterId")
        };
        assert_eq!(runs.each_ref().map(home), [first.clone(), second, first.clone()]);
        book.undo(&change);
        assert_eq!(runs.each_ref().map(home), [first.clone(), first.clone(), first.clone()]);
    }
}

#[test]
fn a_passage_across_the_caret_keeps_its_mark_in_both_chapters_and_is_whole_after_the_undo() {
    let book = Manuscript::zh();
    let first = book.id(0);
    let marks = book.marks(&first);
    let change = book.split_before(&first, "没有说话", "门");
    let [_, other] = book.generations.clone();
    assert_eq!(book.marks(&first)[1], (other.clone(), "她把簿子合上，".to_owned()));
    assert_eq!(book.marks(&text(&change, "secondId")), [(other, "没有说话。".to_owned())]);
    // Runs stay with the chapter in which their passage begins.
    assert_eq!(book.homes(), [(first.clone(), first.clone()), (first.clone(), first.clone())]);
    book.undo(&change);
    assert_eq!(book.marks(&first), marks);
}

#[test]
fn a_merge_takes_marks_and_memories_along_and_its_undo_gives_each_chapter_its_own_again() {
    for (book, passages, words) in
        [(Manuscript::zh(), PASSAGES_ZH, "门开着"), (Manuscript::en(), PASSAGES_EN, "The door")]
    {
        let first = book.id(0);
        let second = text(&book.split_before(&first, words, "II"), "secondId");
        let texts = [book.read(&first), book.read(&second)];
        let change = book
            .writer
            .ask("chapter:merge", json!({ "projectId": book.project, "chapterId": first, "nextId": second }));
        let [one, other] = book.generations.clone();
        let both = [(one, passages[0].to_owned()), (other, passages[1].to_owned())];
        assert_eq!(book.marks(&first), both);
        assert_eq!(book.homes(), [(first.clone(), first.clone()), (first.clone(), first.clone())]);
        assert!(text(&book.read(&first), "text").contains("\n\n## II\n\n"));
        assert_eq!(book.deleted()[0]["title"], "II");

        let book = book.after_restart();
        book.undo(&change);
        assert_eq!([book.read(&first), book.read(&second)], texts);
        assert_eq!(book.homes(), [(first.clone(), first.clone()), (second.clone(), second.clone())]);
        assert_eq!(book.deleted(), [] as [Value; 0]);
    }
}

#[test]
fn a_change_of_chapters_that_cannot_be_done_says_why_and_touches_nothing() {
    let book = Manuscript::zh();
    let first = book.id(0);
    let read = book.read(&first);
    let hash = &read["contentHash"];
    let split = |offset: usize, hash: &Value, title: Value| {
        let args = json!({ "projectId": book.project, "chapterId": first, "offset": offset, "baseHash": hash, "title": title });
        let error = book.writer.error("chapter:split", args);
        let details = error.details.unwrap_or_default();
        let reason = details.reason.map(palimpsest_api::model::Reason::name).unwrap_or_default();
        (json!(error.code), details.field.unwrap_or_default(), reason)
    };
    let refused = |code: &str, field: &str, reason: &str| (json!(code), field.to_owned(), reason.to_owned());
    assert_eq!(split(0, hash, json!("门")), refused("MEMORY_INVALID_ARGUMENT", "offset", "emptyPart"));
    assert_eq!(split(9_999, hash, json!("门")), refused("MEMORY_INVALID_ARGUMENT", "offset", "emptyPart"));
    assert_eq!(split(10, hash, json!(" ")), refused("MEMORY_INVALID_ARGUMENT", "title", ""));
    assert_eq!(split(10, hash, json!("门".repeat(201))), refused("MEMORY_INVALID_ARGUMENT", "title", ""));
    assert_eq!(split(10, &json!("another"), json!("门")).0, "MEMORY_STALE_VERSION");
    let merge = json!({ "projectId": book.project, "chapterId": first, "nextId": book.id(2) });
    assert_eq!(book.writer.refused("chapter:merge", merge).0, "MEMORY_STALE_VERSION");
    for (command, field) in [("chapter:deleted:restore", "deletedId"), ("chapter:change:undo", "changeId")] {
        let error = book.writer.error(command, json!({ "projectId": book.project, field: "nothing" }));
        assert!(
            ["MEMORY_NOT_FOUND", "MEMORY_STALE_VERSION"].contains(&json!(error.code).as_str().unwrap()),
            "{command}"
        );
    }
    assert_eq!(book.read(&first), read);
    assert_eq!(book.titles(), ["渡船", "簿子", "尾声"]);
}

#[test]
fn a_split_is_not_undone_over_later_words() {
    let book = Manuscript::zh();
    let first = book.id(0);
    let change = book.split_before(&first, "门开着", "门");
    let second = text(&change, "secondId");
    let read = book.read(&second);
    let later = format!("{}雨又下起来。\n", text(&read, "text"));
    book.writer.ask(
        "chapter:write",
        json!({ "projectId": book.project, "chapterId": second, "text": later, "baseHash": read["contentHash"], "origins": [] }),
    );
    let undo = json!({ "projectId": book.project, "changeId": change["changeId"] });
    let refused = book.writer.error("chapter:change:undo", undo);
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("changedSince")
    );
    assert_eq!(book.read(&second)["text"], later);
}

#[test]
fn a_title_with_its_own_number_gets_no_other_one_in_an_export() {
    let writer = Writer::new();
    let folder = writer.path_beside("numbered");
    fs::create_dir_all(&folder).unwrap();
    let titles = ["Prologue", "Chapter 1", "第二章 簿子", "III", "The End"];
    for (n, title) in titles.iter().enumerate() {
        fs::write(folder.join(format!("{n}.md")), format!("# {title}\n\nText.\n")).unwrap();
    }
    let book = writer.ask("project:open", json!({ "path": folder }))["book"].clone();
    let path = writer.path_beside("out.md");
    let project = &book["project"]["projectId"];
    writer.ask("project:export", json!({ "projectId": project, "path": path, "format": "markdown" }));
    let exported = fs::read_to_string(&path).unwrap();
    let headings: Vec<&str> = exported.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    assert_eq!(headings, titles);
    let path = writer.path_beside("out.docx");
    writer.ask("project:export", json!({ "projectId": project, "path": path, "format": "docx" }));
    let found = writer.ask("project:import", json!({ "projectId": project, "path": path, "dryRun": true }));
    let found: Vec<String> = found["chapters"].as_array().unwrap().iter().map(|one| text(one, "title")).collect();
    assert_eq!(found, titles);
}

#[test]
fn a_forgotten_book_is_no_longer_listed_and_its_folder_stays() {
    let book = Manuscript::en();
    let folder = book.folder.clone();
    let listed = |book: &Manuscript| book.writer.ask("project:list", json!({}))["projects"].as_array().unwrap().len();
    assert_eq!(listed(&book), 1);
    let files = fs::read_dir(&folder).unwrap().count();
    let counts = book.writer.ask("project:forget", json!({ "projectId": book.project, "confirmed": true }));
    assert_eq!((listed(&book), &counts["episodes"]), (0, &json!(2)));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), files);
    assert!(fs::read_to_string(folder.join("01.md")).unwrap().contains(PASSAGES_EN[0]));
}

#[test]
fn the_scene_of_a_passage_is_guessed_before_a_run_as_the_run_guesses_it() {
    let book = Manuscript::zh();
    let chapter = book.id(0);
    for (before, expected) in [
        ("“你爸让我别扔。”他说。\n“那就留着。”我说，“放在门后头，别让水泡了。”", json!("dialogue")),
        ("“Your dad said not to throw it out.”\n“Then keep it,” I said. “Put it behind the door.”", json!("dialogue")),
        (
            "他侧身躲开，反手抓住那人的腕子，一把拽过来，抬腿踢在膝上。刀落地，滚进水沟。他追上去扑倒了他。",
            json!("action"),
        ),
        ("他来了。", Value::Null),
    ] {
        let guessed = book.writer.ask("memory:scene:guess", json!({ "before": before }));
        assert_eq!(guessed["sceneType"], expected, "{before}");
        let (started, _) = book
            .writer
            .run(json!({ "projectId": book.project, "chapterId": chapter, "skill": "continue", "before": before }));
        assert_eq!(started["sceneType"], expected, "{before}");
    }
    let long = json!({ "before": "长".repeat(400_001) });
    assert_eq!(book.writer.refused("memory:scene:guess", long), ("MEMORY_INVALID_ARGUMENT".into(), "before".into()));
}
