//! Files that another process has locked.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
};

use palimpsest_tests::text;
use serde_json::{Value, json};

use super::Book;

/// Environment variables of the child: the path of the file, and the SQL that it runs there.
const FILE: &str = "PALIMPSEST_HOLD_FILE";
const SQL: &str = "PALIMPSEST_HOLD_SQL";

/// Another process that locks a file until this is dropped.
struct Holder(Child);

impl Holder {
    fn new(path: &Path, sql: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "breakage::locks::holds_a_file_until_its_input_ends", "--nocapture"])
            .env(FILE, path)
            .env(SQL, sql)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("held") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the file cannot be held");
        }
        child.stdout = Some(output.into_inner());
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _gone = self.0.wait();
    }
}

/// The other process. Without the environment variables the test does nothing.
#[test]
fn holds_a_file_until_its_input_ends() {
    let (Some(path), Ok(sql)) = (std::env::var_os(FILE), std::env::var(SQL)) else {
        return;
    };
    let db = rusqlite::Connection::open(path).unwrap();
    db.busy_timeout(std::time::Duration::from_secs(30)).unwrap();
    db.execute_batch(&sql).unwrap();
    println!("held");
    std::io::stdout().flush().unwrap();
    let _ended = std::io::stdin().read_to_end(&mut Vec::new());
}

/// Blocks readers and writers of other processes.
const NO_READING: &str =
    "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = 0; COMMIT; BEGIN EXCLUSIVE;";
/// Blocks writers of other processes.
const NO_WRITING: &str = "BEGIN EXCLUSIVE;";

#[test]
fn with_episodes_locked_from_the_start_rules_serve_and_the_past_is_back_when_the_lock_is_gone() {
    let book = Book::with_backups();
    let path = book.file("episodes.db");
    let mut holder = None;
    let book = Book { writer: book.writer.restarted_after(|| holder = Some(Holder::new(&path, NO_READING))), ..book };
    book.serves_without_episodes();
    drop(holder);
    book.is_well();
}

#[test]
fn a_chapter_that_was_opened_while_its_marks_could_not_be_read_keeps_them_when_it_is_saved() {
    const PASSAGE: &str = "水退下去，留下一道白线。";
    const LATER: &str = "没有人说话。";
    let book = Book::with_backups();
    let chapter = book.writer.ask("chapter:create", json!({ "projectId": book.project, "title": "渡船" }));
    let at = json!({ "projectId": book.project, "chapterId": chapter["chapterId"] });
    let read = |book: &Book| book.writer.ask("chapter:read", at.clone());
    // Writes a passage of a generation at the end of the chapter, and reports the origins as the editor has them.
    let write = |book: &Book, passage: &str| {
        let before = read(book);
        let run = json!({ "projectId": book.project, "chapterId": "c", "skill": "continue", "before": "雨夜。" });
        let generation = text(&book.writer.run(run).0, "generationId");
        let old = text(&before, "text");
        let from = old.encode_utf16().count();
        let mark = json!({ "generationId": generation, "from": from, "to": from + passage.encode_utf16().count() });
        let known = before["origins"].as_array().unwrap().iter();
        let known =
            known.map(|one| json!({ "generationId": one["generationId"], "from": one["from"], "to": one["to"] }));
        let origins: Vec<Value> = known.chain([mark]).collect();
        let args = json!({
            "projectId": book.project, "chapterId": at["chapterId"], "text": format!("{old}{passage}\n"),
            "baseHash": before["contentHash"], "origins": origins,
        });
        (generation, args)
    };
    let (first, args) = write(&book, PASSAGE);
    assert_eq!(book.writer.ask("chapter:write", args)["originsSaved"], true);

    let path = book.file("episodes.db");
    let mut holder = None;
    let book = Book { writer: book.writer.restarted_after(|| holder = Some(Holder::new(&path, NO_READING))), ..book };
    assert_eq!(read(&book)["origins"], json!([]), "it opens, without them");
    let (second, args) = write(&book, LATER);
    drop(holder);
    book.is_well();
    assert_eq!(book.writer.ask("chapter:write", args)["originsSaved"], true);
    let kept = read(&book)["origins"].clone();
    let kept: Vec<&str> = kept.as_array().unwrap().iter().map(|one| one["generationId"].as_str().unwrap()).collect();
    assert_eq!(kept, [first, second]);
}

#[test]
fn with_rules_locked_from_the_start_the_backup_serves_until_the_lock_is_gone() {
    let book = Book::with_backups();
    let path = book.file("rules.db");
    let mut holder = None;
    let book = Book { writer: book.writer.restarted_after(|| holder = Some(Holder::new(&path, NO_READING))), ..book };
    book.serves_without_rules(true);
    drop(holder);
    book.is_well();
}

#[test]
fn a_write_blocked_by_a_lock_is_an_error_and_the_status_reports_it_until_the_lock_is_released() {
    let book = Book::new();
    book.is_well();
    let holder = Holder::new(&book.file("episodes.db"), NO_WRITING);
    assert_eq!(book.record(), Err("MEMORY_WRITE_FAILED".into()));
    assert_eq!(book.part_state("episodes"), "unavailable");
    // Reading works meanwhile.
    assert_eq!(book.prompt()["memoryDegraded"], false);
    drop(holder);
    assert_eq!(book.part_state("episodes"), "ok");
    book.is_well();
}

#[test]
fn chapters_are_split_while_the_memory_cannot_be_written_and_the_marks_follow_once_it_can() {
    const PASSAGE: &str = "水退下去，留下一道白线。";
    let book = Book::new();
    let chapter = book.writer.ask("chapter:create", json!({ "projectId": book.project, "title": "渡船" }));
    let at = json!({ "projectId": book.project, "chapterId": chapter["chapterId"] });
    let run =
        json!({ "projectId": book.project, "chapterId": at["chapterId"], "skill": "continue", "before": "雨夜。" });
    let generation = text(&book.writer.run(run).0, "generationId");
    let before = "# 渡船\n\n渡船靠岸。\n\n";
    let from = before.encode_utf16().count();
    let mut args = at.clone();
    args["text"] = json!(format!("{before}{PASSAGE}\n"));
    args["baseHash"] = book.writer.ask("chapter:read", at.clone())["contentHash"].clone();
    args["origins"] =
        json!([{ "generationId": generation, "from": from, "to": from + PASSAGE.encode_utf16().count() }]);
    let hash = book.writer.ask("chapter:write", args)["contentHash"].clone();

    let holder = Holder::new(&book.file("episodes.db"), NO_WRITING);
    let mut split = at.clone();
    split["offset"] = json!(from);
    split["baseHash"] = hash;
    split["title"] = json!("水");
    let changed = book.writer.ask("chapter:split", split);
    assert_eq!(changed["memoriesMoved"], false);
    let mut second = at;
    second["chapterId"] = changed["secondId"].clone();
    assert_eq!(book.writer.ask("chapter:read", second.clone())["text"], format!("# 水\n\n{PASSAGE}\n"));
    drop(holder);
    // The memory serves again once its status was asked for.
    book.is_well();
    assert_eq!(book.writer.ask("chapter:read", second)["origins"][0]["generationId"], json!(generation));
}
