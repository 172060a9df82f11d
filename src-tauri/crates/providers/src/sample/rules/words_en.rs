//! English phrases of the rules. Every function gets one clause in lower case and returns `None` if it is about
//! something else.

use super::Person;

/// True for long sentences, false for short ones.
pub(super) fn length(clause: &str) -> Option<bool> {
    const NEAR: usize = 5;
    let words = words(clause);
    let sentence = words.iter().position(|w| matches!(*w, "sentence" | "sentences"))?;
    let size = |w: &str| match w {
        "short" | "shorter" | "brief" | "clipped" | "shorten" | "shortened" => Some(false),
        "long" | "longer" | "lengthy" | "lengthen" | "lengthened" => Some(true),
        _ => None,
    };
    let (at, long) = words
        .iter()
        .enumerate()
        .filter_map(|(i, w)| size(w).map(|long| (i, long)))
        // `a sentence about a long road` has a noun of its own after the adjective.
        .find(|&(i, _)| {
            i.abs_diff(sentence) <= NEAR && (i < sentence || i + 1 == words.len() || follows_well(words[i + 1]))
        })?;
    Some(long != negated(&words[..at.max(sentence)], at))
}

fn follows_well(word: &str) -> bool {
    matches!(word, "than" | "or" | "here" | "on" | "in" | "when" | "where" | "throughout" | "please")
}

/// True for more speech, false for less. `dialogue` that only says where a rule holds is neither.
pub(super) fn dialogue(clause: &str) -> Option<bool> {
    let words = words(clause);
    let at = words.iter().position(|w| matches!(*w, "dialogue" | "dialog" | "dialogues"))?;
    if words.get(at + 1).is_some_and(|w| matches!(*w, "scene" | "scenes" | "style" | "tags" | "tag")) {
        return None;
    }
    let start = at.saturating_sub(6);
    let before = &words[start..at];
    if before.iter().rev().take(2).any(|w| matches!(*w, "in" | "within" | "during" | "inside")) {
        return None;
    }
    if negated(before, before.len()) {
        return Some(false);
    }
    let wanted = [
        "more", "use", "add", "plenty", "much", "favour", "favor", "prefer", "lots", "with", "include", "write",
        "some", "want",
    ];
    (before.iter().any(|w| wanted.contains(w)) || words.get(at + 1).is_some_and(|w| matches!(*w, "heavy" | "driven")))
        .then_some(true)
}

/// False for none, true for some.
pub(super) fn exclamation(line: &str) -> Option<bool> {
    let at = line.find("exclamation")?;
    let start = line[..at].rfind([';', ':', '.']).unwrap_or(0);
    let before = words(&line[start..at]);
    let near = &before[before.len().saturating_sub(6)..];
    Some(!negated(near, near.len()))
}

/// The person to narrate in.
pub(super) fn person(clause: &str) -> Option<Person> {
    let words = words(clause);
    let found = |i: usize| {
        let person = match words[i] {
            "first" => Person::First,
            "third" => Person::Third,
            _ => return None,
        };
        (words.get(i + 1) == Some(&"person")).then_some(person)
    };
    let (at, person) = (0..words.len()).find_map(|i| found(i).map(|p| (i, p)))?;
    let from = words[..at].contains(&"from");
    Some(if negated(&words[..at], at) || from { other(person) } else { person })
}

fn other(person: Person) -> Person {
    match person {
        Person::First => Person::Third,
        Person::Third => Person::First,
    }
}

/// A wish for more or less of everything.
pub(super) fn amount(line: &str) -> Option<bool> {
    let words = words(line);
    if words.iter().any(|w| w.starts_with("sentence")) {
        return None;
    }
    words.iter().find_map(|w| match *w {
        "shorter" | "brief" | "briefer" => Some(false),
        "longer" => Some(true),
        _ => None,
    })
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '\'')).filter(|w| !w.is_empty()).collect()
}

/// Whether the word at `at` is negated. Two negations cancel: `don't avoid long sentences`.
fn negated(words: &[&str], at: usize) -> bool {
    const WORDS: [&str; 26] = [
        "no", "not", "never", "avoid", "avoids", "avoiding", "without", "fewer", "less", "little", "few", "drop",
        "remove", "cut", "skip", "stop", "reduce", "rarely", "minimal", "instead", "rather", "ban", "split", "break",
        "hate", "dislike",
    ];
    let denials = words[..at.min(words.len())].iter().filter(|w| WORDS.contains(w) || w.ends_with("n't")).count();
    denials % 2 == 1
}
