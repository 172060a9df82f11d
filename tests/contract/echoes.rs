//! No doc comment only repeats the name of its item. A unit, a range, `null` or an error is more than the name.

use super::{assert_none_found, repository, wording::sources};

/// Words that add nothing to a name.
const FILLERS: &[&str] = &["the", "its", "a", "an", "of", "it", "s", "id", "identity"];
/// The longest doc, in words without fillers, that can be a repetition.
const MAX_WORDS: usize = 3;

/// The docs of a file that repeat a name, a line for each: path, line number, doc, item.
fn repeated_names(file: &str, source: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_doc = |at: usize| lines.get(at).is_some_and(|line| line.starts_with("///"));
    (0..lines.len())
        .filter(|&at| is_doc(at) && !is_doc(at + 1) && (at == 0 || !is_doc(at - 1)))
        .filter_map(|at| {
            let doc = lines[at].trim_start_matches('/').trim();
            let item = lines[at + 1..].iter().find(|line| !line.starts_with('#'))?;
            is_echo(doc, &item_name(item)?).then(|| format!("{file}:{}: \"{doc}\" of `{item}`", at + 1))
        })
        .collect()
}

fn is_echo(doc: &str, name: &str) -> bool {
    let says_more = |c: char| c.is_ascii_digit() || c == '`' || !c.is_ascii();
    if doc.contains(says_more) || doc.contains("UUID") || doc.starts_with("Id of") {
        return false;
    }
    let named = words(name);
    let said: Vec<String> = words(doc).into_iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    !said.is_empty() && said.len() <= MAX_WORDS && said.iter().all(|word| named.contains(word))
}

/// The name of a field, a variant or an item.
fn item_name(line: &str) -> Option<String> {
    let mut rest = line;
    if let Some(after) = rest.strip_prefix("pub(") {
        rest = after.split_once(')')?.1.trim_start();
    }
    for keyword in ["pub ", "const ", "static ", "async ", "struct ", "enum ", "fn ", "type ", "trait ", "mod "] {
        rest = rest.strip_prefix(keyword).unwrap_or(rest);
    }
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// The words of a text or of a name in either case, in lower case and without a plural s.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_uppercase() => spaced.extend([' ', c.to_ascii_lowercase()]),
            c if c.is_ascii_alphabetic() => spaced.push(c),
            _ => spaced.push(' '),
        }
    }
    // The interface says book where the wire says project.
    let singular = |word: &str| if word == "book" { "project".into() } else { word.trim_end_matches('s').to_owned() };
    spaced.split_whitespace().map(singular).collect()
}

#[test]
fn no_doc_comment_only_repeats_a_name() {
    let mut files = Vec::new();
    sources(&repository("src-tauri"), &mut files);
    assert_none_found("docs that repeat a name", files, repeated_names);
}

#[test]
fn a_repeated_name_is_found_and_a_unit_is_not() {
    for (source, count) in [
        ("    /// The book.\n    pub project_id: ProjectId,", 1),
        ("    /// Its status.\n    #[serde(default)]\n    pub status: Status,", 1),
        ("/// A cached query.\nstruct CachedQuery {", 1),
        ("    /// UUID of the project.\n    pub project_id: ProjectId,", 0),
        ("    /// Confidence, 0..1.\n    pub confidence: f64,", 0),
        ("    /// The run it belongs to.\n    pub run_id: String,", 0),
        ("    /// The rule.\n    /// `null` for a deleted one.\n    pub rule: Option<Rule>,", 0),
    ] {
        assert_eq!(repeated_names("file", source).len(), count, "{source}");
    }
}
