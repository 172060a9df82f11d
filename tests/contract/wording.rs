//! Comments and identifiers of the Rust sources, TypeScript sources and scripts contain no unwanted wording, nor do the
//! titles of the tests of the interface (CONTRIBUTING.md, Style).

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{assert_none_found, repository};

/// The Rust folders that are checked: all of them.
const CHECKED: &[&str] = &["src-tauri", "tests"];

/// The folders of TypeScript and scripts that are checked.
const CHECKED_SCRIPTS: &[&str] = &["ui/src", "ui/test", "ui/testing", "stories", "scripts", "tests/e2e"];

/// Maximum characters of a line that is a comment: the formatter measures code and leaves comments as they are.
const MAX_COMMENT_WIDTH: usize = 120;

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
        if code.trim().is_empty() && !comment.is_empty() && line.chars().count() > MAX_COMMENT_WIDTH {
            report("a comment of more than 120 characters");
        }
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

/// The unwanted wording of one file of TypeScript or JavaScript, a line for each: path, line number, reason.
fn script_findings(file: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut state = Script::Code;
    for (number, line) in (1..).zip(source.lines()) {
        let (code, comment, next) = split_script_line(line, state);
        let mut report = |reason: &str| found.push(format!("{file}:{number}: {reason}"));
        if comment.trim_start().starts_with("/** What ") || (line.trim() == comment && comment.starts_with("// What "))
        {
            report("a comment begins with \"What\"");
        }
        for word in UNWANTED_WORDS.iter().filter(|word| has_word(&comment.to_lowercase(), word)) {
            report(&format!("\"{word}\" in a comment"));
        }
        for name in UNWANTED_IDENTIFIERS.iter().filter(|name| has_word(&code, name)) {
            report(&format!("identifier `{name}`"));
        }
        if let Some(title) = test_title(line) {
            let title = title.to_lowercase();
            for word in UNWANTED_WORDS.iter().chain(&["told"]).filter(|word| has_word(&title, word)) {
                report(&format!("\"{word}\" in the title of a test"));
            }
        }
        state = next;
    }
    found
}

/// The title in a line that begins a test or a group of tests, if it is in the same line.
fn test_title(line: &str) -> Option<&str> {
    let call = line.trim_start();
    let is_test = ["test(", "test.each(", "it(", "describe(", "step("].iter().any(|begin| call.starts_with(begin));
    let title = call.split_once("(\"")?.1;
    is_test.then(|| title.split('"').next().unwrap_or_default())
}

/// The position of a reader of TypeScript at the start of a line.
#[derive(Clone, Copy, PartialEq)]
enum Script {
    Code,
    BlockComment,
    Template,
}

/// The code of a line without its string literals, its comments, and the state at its end.
fn split_script_line(line: &str, mut state: Script) -> (String, String, Script) {
    let (mut code, mut comment) = (String::new(), String::new());
    let mut quote: Option<char> = None;
    let mut skip = 0;
    for (at, c) in line.char_indices() {
        if skip > 0 {
            skip -= 1;
            if state == Script::BlockComment {
                comment.push(c);
            }
            continue;
        }
        let rest = &line[at..];
        match (state, quote) {
            (Script::BlockComment, _) if rest.starts_with("*/") => {
                state = Script::Code;
                skip = 1;
            }
            (Script::BlockComment, _) => comment.push(c),
            (Script::Template, _) if c == '\\' => skip = 1,
            (Script::Template, _) if c == '`' => state = Script::Code,
            (Script::Template, _) => {}
            (Script::Code, Some(_)) if c == '\\' => skip = 1,
            (Script::Code, Some(end)) if c == end => quote = None,
            (Script::Code, Some(_)) => {}
            (Script::Code, None) if rest.starts_with("//") => {
                comment.push_str(rest);
                return (code, comment, state);
            }
            (Script::Code, None) if rest.starts_with("/*") => {
                comment.push_str("/*");
                state = Script::BlockComment;
                skip = 1;
                comment.pop();
            }
            (Script::Code, None) if c == '`' => state = Script::Template,
            (Script::Code, None) if c == '"' || c == '\'' => quote = Some(c),
            (Script::Code, None) => code.push(c),
        }
    }
    (code, comment, state)
}

/// All files of TypeScript and JavaScript in a folder and its subfolders, without generated ones.
fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "node_modules" && name != "locales" {
                scripts(&path, found);
            }
        } else if [".ts", ".tsx", ".mjs"].iter().any(|end| name.ends_with(end)) && !name.ends_with(".gen.ts") {
            found.push(path);
        }
    }
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
fn rust_sources_contain_no_unwanted_wording() {
    for folder in CHECKED {
        let mut files = Vec::new();
        sources(&repository(folder), &mut files);
        assert!(!files.is_empty(), "{folder} has no sources");
        files.retain(|file| !DATA_FILES.iter().any(|name| file.ends_with(name)));
        assert_none_found("unwanted wording", files, findings);
    }
}

#[test]
fn scripts_contain_no_unwanted_wording() {
    for folder in CHECKED_SCRIPTS {
        let mut files = Vec::new();
        scripts(&repository(folder), &mut files);
        assert!(!files.is_empty(), "{folder} has no scripts");
        assert_none_found("unwanted wording", files, script_findings);
    }
}

#[test]
fn each_unwanted_form_is_found_in_a_script_and_texts_are_not() {
    for (source, count) in [
        ("/** What stands in a column. */\nconst a = 1;", 1),
        ("/**\n * Reads it anew.\n */", 1),
        ("// What it is for.", 1),
        ("const told = 1; // nobody", 2),
        ("const text = \"nobody told him\";", 0),
        ("const text = `nobody\n told him // anew`; // whoever", 1),
        ("  test(\"a save that nobody sees\", () => {", 1),
        ("  test.each([1])(\"the memory is told\", () => {", 1),
        ("  test(\"a renewed save\", () => {", 0),
        ("const url = 'http://anew'; /* let go */", 1),
    ] {
        assert_eq!(script_findings("file", source).len(), count, "{source}");
    }
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
