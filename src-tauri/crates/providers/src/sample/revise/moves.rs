//! Small edits with the existing words that add and remove no content.

use palimpsest_text::{Language, count, sentences};

use super::super::compose::recapitalize;

type Move = fn(&str) -> String;

const ZH: [Move; 4] = [drop_repeated_subject_zh, split_longest_zh, join_zh, split_at_turn_zh];
const EN: [Move; 4] = [drop_repeated_subject_en, split_longest_en, without_semicolons, join_en];

/// Makes `how_many` moves that change the text, beginning with the one that the seed selects.
pub(super) fn apply(text: &str, seed: u64, how_many: usize, language: Language) -> String {
    let moves = match language {
        Language::Zh => ZH,
        Language::En => EN,
    };
    let start = usize::try_from(seed % 4).unwrap_or(0);
    let mut out = text.to_owned();
    let mut made = 0;
    for at in 0..moves.len() {
        if made == how_many {
            break;
        }
        let moved = moves[(start + at) % moves.len()](&out);
        if moved != out {
            made += 1;
            out = moved;
        }
    }
    out
}

fn edit_sentences(text: &str, edit: impl Fn(&str) -> Option<String>) -> String {
    let mut out = text.to_owned();
    for sentence in sentences::split(text) {
        if has_speech(sentence) {
            continue;
        }
        if let Some(edited) = edit(sentence) {
            out = out.replacen(sentence, &edited, 1);
        }
    }
    out
}

fn has_speech(sentence: &str) -> bool {
    sentence.contains(['“', '”', '"', '「', '」'])
}

/// Removes a repeated subject: `他没有坐，他站在那里`.
fn drop_repeated_subject_zh(text: &str) -> String {
    edit_sentences(text, |sentence| {
        let subject = sentence.chars().next().filter(|c| matches!(c, '他' | '她' | '我' | '你' | '它'))?;
        let again = format!("，{subject}");
        let plural = format!("，{subject}们");
        (sentence.contains(&again) && !sentence.contains(&plural)).then(|| sentence.replacen(&again, "，", 1))
    })
}

/// Splits the longest sentence at the comma nearest to its middle.
fn split_longest_zh(text: &str) -> String {
    let Some(longest) = longest_sentence(text, 18) else {
        return text.to_owned();
    };
    let middle = longest.len() / 2;
    let comma = longest.match_indices('，').map(|(at, _)| at).min_by_key(|at| at.abs_diff(middle));
    let Some(at) = comma else {
        return text.to_owned();
    };
    let (head, tail) = (&longest[..at], &longest[at + '，'.len_utf8()..]);
    if count::words(head) < 5 || count::words(tail) < 4 {
        return text.to_owned();
    }
    text.replacen(longest, &format!("{head}。{tail}"), 1)
}

/// Joins the first two short neighbours of one paragraph.
fn join_zh(text: &str) -> String {
    for line in text.lines() {
        for pair in sentences::split(line).windows(2) {
            let short = count::words(pair[0]) <= 12 && count::words(pair[1]) <= 16;
            if short && !has_speech(pair[0]) && !has_speech(pair[1]) && pair[0].ends_with('。') {
                let head = pair[0].trim_end_matches('。');
                return text.replacen(&format!("{}{}", pair[0], pair[1]), &format!("{head}，{}", pair[1]), 1);
            }
        }
    }
    text.to_owned()
}

/// Begins a new sentence at `，只是…`, `，可是…`.
fn split_at_turn_zh(text: &str) -> String {
    edit_sentences(text, |sentence| {
        ["，只是", "，可是", "，但是", "，不过", "，然而"]
            .iter()
            .find(|turn| sentence.contains(**turn))
            .map(|turn| sentence.replacen(turn, &turn.replace('，', "。"), 1))
    })
}

/// Removes a repeated subject: `He folded it, and he put it away`.
fn drop_repeated_subject_en(text: &str) -> String {
    edit_sentences(text, |sentence| {
        let subject = sentence.split_whitespace().next()?;
        let again = match subject {
            "He" | "She" | "They" | "It" | "We" => format!(", and {} ", subject.to_lowercase()),
            "I" => ", and I ".to_owned(),
            _ => return None,
        };
        sentence.contains(&again).then(|| sentence.replacen(&again, " and ", 1))
    })
}

/// Splits the longest sentence at the beginning of a second clause.
fn split_longest_en(text: &str) -> String {
    let Some(longest) = longest_sentence(text, 14) else {
        return text.to_owned();
    };
    for (join, start) in [(", but ", "But "), (", and ", ""), (", so ", "So ")] {
        // The last one, so that the first half keeps its shape.
        if let Some(at) = longest.rfind(join) {
            let (head, tail) = (&longest[..at], &longest[at + join.len()..]);
            let clause = tail.split_whitespace().next().is_some_and(|w| SUBJECTS.contains(&w));
            if clause && count::words(head) >= 4 {
                let tail = if start.is_empty() { recapitalize(tail) } else { format!("{start}{tail}") };
                return text.replacen(longest, &format!("{head}. {tail}"), 1);
            }
        }
    }
    text.to_owned()
}

/// The first words of an independent clause.
const SUBJECTS: [&str; 16] =
    ["I", "he", "she", "it", "they", "we", "you", "the", "a", "there", "this", "that", "his", "her", "my", "nobody"];

fn without_semicolons(text: &str) -> String {
    edit_sentences(text, |sentence| {
        let (head, tail) = sentence.split_once("; ")?;
        Some(format!("{head}. {}", recapitalize(tail)))
    })
}

/// Joins the first two short neighbours that begin with the same pronoun.
fn join_en(text: &str) -> String {
    for line in text.lines() {
        for pair in sentences::split(line).windows(2) {
            let subject = pair[0].split(' ').next().unwrap_or("");
            let same =
                matches!(subject, "He" | "She" | "I" | "They" | "It") && pair[1].split(' ').next() == Some(subject);
            let short = count::words(pair[0]) <= 12 && count::words(pair[1]) <= 14;
            if same && short && !has_speech(pair[0]) && !has_speech(pair[1]) && pair[0].ends_with('.') {
                let head = pair[0].trim_end_matches('.');
                let rest = pair[1][subject.len()..].trim_start();
                return text.replacen(&format!("{} {}", pair[0], pair[1]), &format!("{head}, and {rest}"), 1);
            }
        }
    }
    text.to_owned()
}

fn longest_sentence(text: &str, at_least: u32) -> Option<&str> {
    sentences::split(text)
        .into_iter()
        .filter(|s| !has_speech(s) && count::words(s) >= at_least)
        .max_by_key(|s| count::words(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_subject_is_dropped() {
        assert_eq!(drop_repeated_subject_zh("他没有坐，他站在那里。"), "他没有坐，站在那里。");
        assert_eq!(drop_repeated_subject_zh("他来了，他们走了。"), "他来了，他们走了。");
        assert_eq!(drop_repeated_subject_en("He folded it, and he put it away."), "He folded it and put it away.");
    }

    #[test]
    fn a_long_sentence_is_parted_where_a_clause_begins() {
        assert_eq!(
            split_longest_zh("老周没有说话，只是把箱子往旁边挪了挪，给他让出半个位置。"),
            "老周没有说话，只是把箱子往旁边挪了挪。给他让出半个位置。"
        );
        assert_eq!(
            split_longest_en("Zhou said nothing for a while, but he moved the trunk so that there was room."),
            "Zhou said nothing for a while. But he moved the trunk so that there was room."
        );
        assert_eq!(split_longest_en("Nothing here, and nothing there."), "Nothing here, and nothing there.");
    }

    #[test]
    fn speech_is_left_alone() {
        let said = "“他来了，他走了。”";
        assert_eq!(drop_repeated_subject_zh(said), said);
    }
}
