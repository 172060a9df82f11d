//! Comments and identifiers of the crates in [`CHECKED`] contain no unwanted wording (CONTRIBUTING.md, Style).

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::repository;

/// The source folders that are checked. More crates are added when their comments are reworded.
const CHECKED: &[&str] = &[
    "src-tauri/src",
    "src-tauri/crates/api",
    "src-tauri/crates/embedder",
    "src-tauri/crates/files",
    "src-tauri/crates/host",
    "src-tauri/crates/learning",
    "src-tauri/crates/manuscript",
    "src-tauri/crates/memory/src/context",
    "src-tauri/crates/memory/src/engine",
    "src-tauri/crates/memory/src/episodic",
    "src-tauri/crates/memory/src/model",
    "src-tauri/crates/memory/src/provenance",
    "src-tauri/crates/memory/src/retrieval",
    "src-tauri/crates/memory/src/storage",
    "src-tauri/crates/memory/src/working",
    "src-tauri/crates/memory/src/semantic",
    "src-tauri/crates/providers",
    "src-tauri/crates/text",
    "src-tauri/crates/vectors",
];

/// Words and phrases that no comment contains, in lower case.
const UNWANTED_WORDS: &[&str] = &["anew", "whoever", "nobody", "of late", "lets go", "let go"];

/// Identifiers that no code contains.
const UNWANTED_IDENTIFIERS: &[&str] = &["told", "_told", "let_go"];

/// Files of word lists and sentences, whose lines are data and not code.
const DATA_FILES: &[&str] =
    &["bank_en.rs", "bank_zh.rs", "everyday.rs", "lexicon/en.rs", "lexicon_en.rs", "lexicon_zh.rs"];

/// The unwanted wording of one file, a line for each: path, line number, reason.
fn findings(file: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_inside_doc = false;
    for (number, line) in (1..).zip(source.lines()) {
        let (code, comment) = split_line(line);
        let mut report = |reason: &str| found.push(format!("{file}:{number}: {reason}"));
        let doc = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"));
        if let Some(doc) = doc
            && !is_inside_doc
            && doc.trim_start().starts_with("What ")
        {
            report("a doc comment begins with \"What\"");
        }
        is_inside_doc = doc.is_some_and(|doc| !doc.trim().is_empty());
        for word in UNWANTED_WORDS.iter().filter(|word| has_word(&comment.to_lowercase(), word)) {
            report(&format!("\"{word}\" in a comment"));
        }
        for name in UNWANTED_IDENTIFIERS.iter().filter(|name| has_word(&code, name)) {
            report(&format!("identifier `{name}`"));
        }
    }
    found
}

/// The code of a line without its string literals, and its comment from `//` on.
fn split_line(line: &str) -> (String, &str) {
    let mut code = String::new();
    let (mut is_inside_string, mut is_escaped) = (false, false);
    // The quotation mark as a character begins no literal.
    for (at, c) in line.replace("'\"'", "' '").char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_inside_string = !is_inside_string,
            '/' if !is_inside_string && line[at..].starts_with("//") => return (code, &line[at..]),
            _ if !is_inside_string => code.push(c),
            _ => {}
        }
    }
    // A line that ends with a continuation is a part of a longer literal.
    if line.ends_with('\\') { (String::new(), "") } else { (code, "") }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

pub(super) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn checked_crates_contain_no_unwanted_wording() {
    let mut found = Vec::new();
    for folder in CHECKED {
        let mut files = Vec::new();
        sources(&repository(folder), &mut files);
        assert!(!files.is_empty(), "{folder} has no sources");
        let is_data = |file: &Path| DATA_FILES.iter().any(|name| file.ends_with(name));
        for file in files.into_iter().filter(|file| !is_data(file)) {
            found.extend(findings(&file.to_string_lossy(), &fs::read_to_string(&file).unwrap()));
        }
    }
    assert!(found.is_empty(), "unwanted wording:\n{}", found.join("\n"));
}

#[test]
fn each_unwanted_form_is_found_and_data_is_not() {
    for (source, count) in [
        ("/// What stands in a column.\nfn a() {}", 1),
        ("//! What it is for.", 1),
        ("/// A column.\n/// What follows is a second line.", 0),
        ("/// Units.\n///\n/// What comes next begins a paragraph.", 1),
        ("// Nobody reads it anew.", 2),
        ("    let _told = send();", 1),
        ("    copies.let_go(id);", 1),
        ("    let text = \"nobody told him\"; // prose", 0),
        ("    i told you \\", 0),
        ("    let _told = send(\"him\");", 1),
        ("    '\"' => {} // nobody", 1),
        ("/// The renewal of anewer.", 0),
    ] {
        assert_eq!(findings("file", source).len(), count, "{source}");
    }
}
