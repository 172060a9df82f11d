//! Files that another process holds.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::Book;

/// What the child is told: the file, and what it runs there.
const FILE: &str = "PALIMPSEST_HOLD_FILE";
const SQL: &str = "PALIMPSEST_HOLD_SQL";

/// Another process that has a file locked until this is dropped.
struct Holder(Child);

impl Holder {
    fn new(path: &Path, sql: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "locks::holds_a_file_until_its_input_ends", "--nocapture"])
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

/// The other process. A test of nothing unless it is told what to hold.
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

/// Nobody else may even read.
const NO_READING: &str =
    "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = 0; COMMIT; BEGIN EXCLUSIVE;";
/// Nobody else may write.
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
fn a_write_that_a_lock_keeps_out_is_answered_with_an_error_and_the_status_says_so_until_it_is_gone() {
    let book = Book::new();
    book.is_well();
    let holder = Holder::new(&book.file("episodes.db"), NO_WRITING);
    assert_eq!(book.record(), Err("MEMORY_WRITE_FAILED".into()));
    assert_eq!(book.state("episodes"), "unavailable");
    // Reading goes on meanwhile.
    assert_eq!(book.prompt()["memoryDegraded"], false);
    drop(holder);
    assert_eq!(book.state("episodes"), "ok");
    book.is_well();
}
