//! `npm run bench -- agents`: the lines of an assistant's stream, and the copy of a book that it works in.

use palimpsest_agents::{Assistant, BookCopy, StreamReader};
use palimpsest_text::names::{Mask, Pair};
use serde_json::json;
use tempfile::TempDir;

use crate::{corpus::Corpus, figures::Rounds};

/// Rounds of each measurement.
const ROUNDS: usize = 40;
/// Lines that are read at once: milliseconds for all of them are microseconds for each.
const LINES: usize = 1_000;
/// Chapters of the book, and characters of each: one megabyte.
const CHAPTERS: usize = 60;
const CHARACTERS: usize = 5_600;
/// Hidden names, each of them about thirty times in the book.
const NAMES: usize = 100;
/// Characters between two names of the book.
const BETWEEN: usize = 110;

pub fn run() {
    stream();
    copy();
}

/// Lines of every kind, in the proportions of a run that reads some files.
fn stream() {
    let text = "她把灯放在窗台上，没有回头。".repeat(8);
    let lines = [
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": text }] } }),
        json!({ "type": "assistant", "message": { "content": [
            { "type": "tool_use", "id": "t", "name": "Read", "input": { "file_path": "009.md" } }] } }),
        json!({ "type": "user", "message": { "content": [
            { "type": "tool_result", "tool_use_id": "t", "content": text.repeat(4) }] } }),
        json!({ "type": "system", "subtype": "status", "text": text }),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let all: Vec<&str> = lines.iter().map(String::as_str).cycle().take(LINES).collect();
    let parse = || all.iter().for_each(|line| drop(serde_json::from_str::<serde_json::Value>(line).expect("JSON")));
    let read = || {
        let mut reader = StreamReader::new(Assistant::Claude);
        all.iter().for_each(|line| drop(reader.read_line(line.as_bytes())));
    };
    Rounds::beside(&format!("bare parsing of {LINES} lines of JSON (floor)"), 5, parse)
        .and(format!("assistant: {LINES} lines of a stream read (as µs: one line)"), 5, read)
        .run(ROUNDS)
        .print();
}

fn copy() {
    let mut corpus = Corpus::new(42, 86_400);
    let name =
        |n: usize| format!("{}{}", ["沈", "顾", "陆", "温", "纪"][n % 5], ["青瓷", "望舒", "九思", "既白"][n / 5 % 4]);
    let names: Vec<String> =
        (0..NAMES).map(|n| format!("{}{}", name(n), ["", "儿", "公", "娘", "生"][n / 20])).collect();
    let pairs: Vec<Pair> = names.iter().enumerate().map(|(n, name)| Pair::new(name, format!("某人{n}"))).collect();
    let mut next = names.iter().cycle();
    let texts: Vec<String> = (0..CHAPTERS)
        .map(|_| {
            let prose: Vec<char> = corpus.prose(CHARACTERS).chars().collect();
            let parts = prose.chunks(BETWEEN).map(|part| part.iter().collect::<String>());
            parts.flat_map(|part| [part, next.next().cloned().unwrap_or_default()]).collect()
        })
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let folder = TempDir::new().expect("a folder");
    let bare = || drop(BookCopy::create(folder.path(), &texts, &[]).expect("a copy"));
    let masked = || {
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_, files) = Mask::hide_texts(&pairs, &all).expect("aliases");
        drop(BookCopy::create(folder.path(), &files, &[]).expect("a copy"));
    };
    let of = format!("a book of {bytes} bytes in {CHAPTERS} chapters");
    Rounds::beside(&format!("copy of {of}, no names hidden, made and deleted (floor)"), 2, bare)
        .and(format!("assistant: copy of {of}, {NAMES} names hidden"), 2, masked)
        .run(ROUNDS)
        .print();
}
