//! The glosses of an entry: its definitions, cleaned and split, as English stems.

use palimpsest_text::{is_han, terms::each_index_term};

/// One gloss of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gloss {
    /// The stems, in order, without stop words.
    pub(crate) stems: Vec<String>,
    /// Whether the gloss has no other words than these stems, but for articles and the mark of the infinitive.
    pub(crate) is_exact: bool,
}

/// The most words of a gloss that is read: one of more words has more than two stems, or says little by two.
const MAX_RAW_WORDS: usize = 6;

/// The beginnings of definitions that point to another entry or describe the use of a word, in lower case.
const NOTES: &[&str] = &[
    "cl:",
    "see ",
    "surname ",
    "abbr.",
    "also written ",
    "also pr.",
    "taiwan pr.",
    "pr.",
    "used in ",
    "used as ",
    "same as ",
    "equivalent to ",
    "equivalent of ",
    "old name ",
    "name of ",
    "classifier ",
];

/// Words that stand for any noun in a gloss.
const PLACEHOLDERS: &[&str] = &["sb", "sb's", "sth", "sth's", "oneself", "one's", "etc", "etc."];

/// The glosses of `definitions`, in order. A gloss without stems, such as *he*, is among them; notes are not.
pub(crate) fn glosses(definitions: &str) -> Vec<Gloss> {
    let mut glosses = Vec::new();
    for definition in definitions.split('/') {
        for part in without_brackets(definition).split(';') {
            glosses.extend(gloss(part));
        }
    }
    glosses
}

/// Whether one of `definitions` says that the word counts things, as 场 does in 一场.
pub(crate) fn is_classifier(definitions: &str) -> bool {
    definitions.split('/').any(|definition| definition.starts_with("classifier "))
}

fn gloss(part: &str) -> Option<Gloss> {
    let part = part.trim();
    let part = ["fig. ", "lit. ", "esp. "].iter().find_map(|mark| part.strip_prefix(mark)).unwrap_or(part);
    let lower = part.to_lowercase();
    if lower.is_empty()
        || lower.contains("variant of ")
        || lower.contains(is_han)
        || NOTES.iter().any(|note| lower.starts_with(note))
    {
        return None;
    }
    let words = lower.split_whitespace().skip_while(|word| matches!(*word, "to" | "a" | "an" | "the"));
    let words: Vec<&str> = words.filter(|word| !PLACEHOLDERS.contains(word)).collect();
    if words.len() > MAX_RAW_WORDS {
        return None;
    }
    let mut stems = Vec::new();
    each_index_term(&words.join(" "), |term| stems.push(term.to_owned()));
    let is_exact = stems.len() >= words.len();
    Some(Gloss { stems, is_exact })
}

/// `text` without what is in parentheses or square brackets. An opening one that is never closed extends to the end.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(definitions: &str) -> Vec<Vec<String>> {
        glosses(definitions).into_iter().map(|gloss| gloss.stems).collect()
    }

    #[test]
    fn articles_parentheses_and_placeholders_are_removed() {
        assert_eq!(
            stems("to duel/a duel/(literary) to burn (a letter); to roast"),
            [["duel"], ["duel"], ["burn"], ["roast"]]
        );
        assert_eq!(stems("to challenge sb to a duel"), [["challeng", "duel"]]);
        assert_eq!(stems("fig. lighthouse [old"), [["lighthous"]]);
    }

    #[test]
    fn notes_are_no_glosses() {
        let notes = "CL:座[zuo4]/variant of 決鬥|决斗[jue2 dou4]/old variant of 夜[ye4]/surname Deng/see 雨夜/\
                     abbr. for 燈塔|灯塔/classifier for events/also pr. [di4]/Taiwan pr. [di2]/the character 信/(dialect)";
        assert_eq!(stems(notes), Vec::<Vec<String>>::new());
        assert!(is_classifier(notes));
        assert!(!is_classifier("threshing floor"));
    }

    #[test]
    fn a_gloss_with_other_stop_words_is_not_exact() {
        let exact: Vec<bool> =
            glosses("to go/to go out/the well-known/we").iter().map(|gloss| gloss.is_exact).collect();
        assert_eq!(exact, [true, false, true, false]);
    }
}
