//! The answers that an assistant says it used, by the marks in its own words.
//!
//! Four forms count, in any case, with ASCII or full-width punctuation: `[QA_REF id]`, `[QA:id]`, `(ref:id)`, and
//! `QA-123` alone; several ids in one bracket are separated by commas. An id that is not known is invented and counts
//! for nothing. The prompt that the assistant repeats is removed first: an echo is no use. A mention is not a use
//! either (as in `I did not need [QA:1]`); marks cannot tell them apart, a measurement can.

use std::collections::HashSet;

/// The marks in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// Known ids, as the caller writes them, each once, in the order of their first mark.
    pub used: Vec<String>,
    /// Marked ids that are not known, as they stand in the text, each once.
    pub invented: Vec<String>,
}

/// Start and end of the section of a prompt that has the answers.
const ECHO: (&str, &str) = ("<answers>", "</answers>");

/// Finds the marks in `words`, the assistant's own words with their pieces joined.
///
/// `known` are the ids that may be used: those of the prompt, with their handles if it gives such. `prompt` is the
/// text that the assistant got: a line of it that stands in `words` unchanged is an echo. An id counts with and without
/// the prefix `qa-`.
#[must_use]
pub fn used_ids<S: AsRef<str>>(words: &str, known: &[S], prompt: &str) -> Marks {
    let own = without_echo(words, prompt);
    let chars: Vec<char> = own.chars().collect();
    let mut marks = Marks::default();
    let mut at = 0;
    while at < chars.len() {
        if let Some((ids, end)) = bracket(&chars, at) {
            for id in ids {
                match resolve(&id, known) {
                    Some(known) => push_once(&mut marks.used, known),
                    None => push_once(&mut marks.invented, &id),
                }
            }
            at = end;
        } else if let Some((id, end)) = bare(&chars, at) {
            if let Some(known) = resolve(&id, known) {
                push_once(&mut marks.used, known);
            }
            at = end;
        } else {
            at += 1;
        }
    }
    marks
}

/// The words without marks in brackets, for an answer that is kept: the marks name answers of one prompt.
#[must_use]
pub fn without_marks(words: &str) -> String {
    let chars: Vec<char> = words.chars().collect();
    let (mut kept, mut at) = (String::with_capacity(words.len()), 0);
    while at < chars.len() {
        match bracket(&chars, at) {
            Some((_, end)) => {
                kept.truncate(kept.trim_end_matches([' ', '\t']).len());
                at = end;
            }
            None => {
                kept.push(chars[at]);
                at += 1;
            }
        }
    }
    kept
}

fn push_once(ids: &mut Vec<String>, id: &str) {
    if !ids.iter().any(|listed| listed == id) {
        ids.push(id.to_owned());
    }
}

/// The words without lines of the prompt and without sections of answers. In a section that does not end, the lines
/// that begin with a mark are an echo, as in the prompt: what follows them may be the assistant's own.
fn without_echo(words: &str, prompt: &str) -> String {
    let of_prompt: HashSet<&str> = prompt.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_own = |line: &&str| {
        let line = line.trim();
        line == ECHO.0 || line == ECHO.1 || !of_prompt.contains(line)
    };
    let words = words.lines().filter(is_own).collect::<Vec<_>>().join("\n");
    let (mut own, mut rest) = (String::new(), words.as_str());
    while let Some(start) = rest.find(ECHO.0) {
        own.push_str(&rest[..start]);
        own.push('\n');
        let inside = &rest[start + ECHO.0.len()..];
        let Some(end) = inside.find(ECHO.1) else {
            let is_item = |line: &&str| bracket(&line.trim().chars().collect::<Vec<_>>(), 0).is_some();
            own.extend(inside.lines().filter(|line| !is_item(line)).flat_map(|line| [line, "\n"]));
            return own;
        };
        rest = &inside[end + ECHO.1.len()..];
    }
    own.push_str(rest);
    own
}

/// The known id that a mark means: the id itself, or with or without the prefix, in any case.
fn resolve<'k, S: AsRef<str>>(id: &str, known: &'k [S]) -> Option<&'k str> {
    let find = |wanted: &str| known.iter().map(AsRef::as_ref).find(|known| known.eq_ignore_ascii_case(wanted));
    let without_prefix = || {
        let prefix = id.get(..3).filter(|prefix| ["qa-", "qa_"].iter().any(|known| prefix.eq_ignore_ascii_case(known)));
        prefix.and_then(|_| find(&id[3..]))
    };
    find(id).or_else(|| find(&format!("qa-{id}"))).or_else(without_prefix)
}

/// The ids of a mark in brackets that begins at `at`, and its end.
fn bracket(chars: &[char], at: usize) -> Option<(Vec<String>, usize)> {
    let (names, close): (&[&str], &[char]) = match chars.get(at)? {
        '[' | '［' | '【' => (&["qa_ref", "qa"], &[']', '］', '】']),
        '(' | '（' => (&["ref"], &[')', '）']),
        _ => return None,
    };
    let start = after_space(chars, at + 1);
    let mut next = names.iter().find_map(|name| after_name(chars, start, name))?;
    let mut ids = Vec::new();
    loop {
        let (id, end) = id_at(chars, after_space(chars, next))?;
        ids.push(id);
        next = after_space(chars, end);
        match chars.get(next)? {
            c if close.contains(c) => return Some((ids, next + 1)),
            ',' | '，' | '、' | ';' | '；' => next += 1,
            _ => return None,
        }
    }
}

/// The position after the name of a mark: `qa_ref` and white space, others and a colon.
fn after_name(chars: &[char], at: usize, name: &str) -> Option<usize> {
    let end = at + name.len();
    let text: String = chars.get(at..end)?.iter().collect();
    let next = chars.get(end)?;
    let is_end = if name == "qa_ref" { next.is_whitespace() } else { matches!(next, ':' | '：') };
    (text.eq_ignore_ascii_case(name) && is_end).then_some(end + 1)
}

/// The id that stands alone at `at`, with its prefix, and its end.
fn bare(chars: &[char], at: usize) -> Option<(String, usize)> {
    let is_inside = at.checked_sub(1).is_some_and(|before| is_id(chars[before]));
    let prefix: String = chars.get(at..at + 3)?.iter().collect();
    if is_inside || !prefix.eq_ignore_ascii_case("qa-") {
        return None;
    }
    let (id, end) = id_at(chars, at)?;
    Some((id.trim_end_matches('-').to_owned(), end))
}

fn id_at(chars: &[char], at: usize) -> Option<(String, usize)> {
    let id: String = chars[at.min(chars.len())..].iter().take_while(|c| is_id(**c)).collect();
    let end = at + id.len();
    (!id.is_empty()).then_some((id, end))
}

fn is_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

fn after_space(chars: &[char], at: usize) -> usize {
    at + chars[at.min(chars.len())..].iter().take_while(|c| c.is_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_kept_has_no_marks_of_its_prompt() {
        assert_eq!(without_marks("Grey [QA:1]. By the sea (ref:2), [P3] he said."), "Grey. By the sea, [P3] he said.");
        assert_eq!(without_marks("灰的［QA:1］。"), "灰的。");
        assert_eq!(without_marks("[QA:"), "[QA:");
    }

    fn used(words: &str) -> Vec<String> {
        used_ids(words, &["1", "2", "qa-123"], "").used
    }

    #[test]
    fn marks_with_full_width_punctuation_count() {
        assert_eq!(used("灰色【QA：1】，见（ref：2）和［QA_REF　qa-123］。"), ["1", "2", "qa-123"]);
    }

    #[test]
    fn several_ids_in_one_bracket_count_each() {
        assert_eq!(used("Grey [QA:1, 2]."), ["1", "2"]);
        assert_eq!(used("灰色[QA:2、1]。"), ["2", "1"]);
    }

    #[test]
    fn a_line_of_the_prompt_that_is_repeated_is_no_use() {
        let prompt = "[QA:1] What colour are her eyes?\nAnswer the question.";
        let marks = used_ids("  [QA:1] What colour are her eyes?\nGrey [QA:2].", &["1", "2"], prompt);
        assert_eq!(marks.used, ["2"]);
    }

    #[test]
    fn an_echo_that_does_not_end_counts_for_nothing() {
        assert_eq!(used("Grey [QA:2]. <answers>\n[QA:1] eyes"), ["2"]);
        assert_eq!(used("<answers>\n[QA:1] eyes\nThey are grey [QA:2]."), ["2"], "what follows is the assistant's own");
    }

    #[test]
    fn a_longer_number_is_another_answer() {
        assert!(used("QA-1234 and xqa-123 and [QA:12]").is_empty());
        assert_eq!(used_ids("[QA:12][QA:12]", &["1"], "").invented, ["12"]);
    }
}
