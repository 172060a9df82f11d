//! Speech in quotation marks.

use std::ops::Range;

use crate::language::is_han;

/// The speech of one paragraph, as ranges of bytes between the quotes, in order. Recognizes “ ” 「 」 『 』 " and, where
/// they cannot be apostrophes, ‘ ’ and '. Quoted terms inside a sentence are no speech; a quote that stays open runs to
/// the end.
#[must_use]
pub fn speech_ranges(line: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    // A single quote that no later one closes ends the search for all that follow it: the time stays linear.
    let (mut has_curly_end, mut has_straight_end) = (true, true);
    while let Some(c) = line[at..].chars().next() {
        let open = at + c.len_utf8();
        let end = match c {
            '“' => Some(end_of_double_quote(line, open, '“', '”')),
            '「' => Some(end_of_double_quote(line, open, '「', '」')),
            '『' => Some(end_of_double_quote(line, open, '『', '』')),
            '"' => Some(line[open..].find('"').map_or(line.len(), |found| open + found)),
            '‘' if has_curly_end && may_open(line, at) => {
                let end = end_of_single_quote(line, open, '’');
                has_curly_end = end.is_some();
                end
            }
            '\'' if has_straight_end && may_open(line, at) => {
                let end = end_of_single_quote(line, open, '\'');
                has_straight_end = end.is_some();
                end
            }
            _ => None,
        };
        let Some(end) = end else {
            at = open;
            continue;
        };
        if is_speech(line, at, open, end) {
            spans.push(open..end);
        }
        at = end + line[end..].chars().next().map_or(0, char::len_utf8);
    }
    spans
}

fn end_of_double_quote(line: &str, from: usize, open: char, close: char) -> usize {
    let mut depth = 1;
    for (at, c) in line[from..].char_indices() {
        if c == close {
            depth -= 1;
        } else if c == open {
            depth += 1;
        }
        if depth == 0 {
            return from + at;
        }
    }
    line.len()
}

/// A single quote opens speech only after a space, a dash or nothing.
fn may_open(line: &str, at: usize) -> bool {
    !line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() && !is_han(c))
}

/// The end of speech in single quotes; none if no quote after a mark closes it.
fn end_of_single_quote(line: &str, open: usize, close: char) -> Option<usize> {
    let mut before = None;
    for (offset, c) in line[open..].char_indices() {
        let next = line[open + offset + c.len_utf8()..].chars().next();
        let free = next.is_none_or(|n| !n.is_alphanumeric() || is_han(n));
        if c == close && free && before.is_some_and(ends_speech) {
            return Some(open + offset);
        }
        before = Some(c);
    }
    None
}

fn ends_speech(c: char) -> bool {
    matches!(c, '.' | ',' | '?' | '!' | '…' | '—' | '-' | '。' | '，' | '？' | '！' | '；' | '～')
}

/// Whether a quotation is speech and not a term: a term has no mark inside and continues the sentence before it.
fn is_speech(line: &str, at: usize, open: usize, end: usize) -> bool {
    let inside = &line[open..end];
    if !inside.chars().any(char::is_alphanumeric) {
        return false;
    }
    let before = line[..at].trim_end().chars().next_back();
    let continues = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '、' | '《' | '(' | '（'))
        && !before.is_some_and(|c| matches!(c, '说' | '道' | '问' | '答' | '喊' | '叫'));
    inside.contains(ends_speech) || !continues
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, wanted: &[&str]) {
        let spoken: Vec<&str> = speech_ranges(line).into_iter().map(|span| &line[span]).collect();
        assert_eq!(spoken, wanted, "{line}");
    }

    #[test]
    fn speech_is_found_between_quotes_of_every_kind() {
        check("“走吧。”他说，“天黑了。”", &["走吧。", "天黑了。"]);
        check("「走吧。」他説。『好。』", &["走吧。", "好。"]);
        check("\"Go,\" she said. \"Now.\"", &["Go,", "Now."]);
        check("‘It’s late,’ he said.", &["It’s late,"]);
        check("'It's late,' he said. 'Don't go.'", &["It's late,", "Don't go."]);
        check("他说“走”，我就走。", &["走"]);
    }

    #[test]
    fn apostrophes_and_terms_are_no_speech() {
        check("’Twas the dogs’ dinner and rock 'n' roll.", &[]);
        check("the boys' coats, the girls' hats.", &[]);
        check("他不信什么“命运”，也不信“缘分”。", &[]);
        check("They call it “progress” here.", &[]);
        check("“……”", &[]);
    }

    #[test]
    fn a_line_of_quotes_without_ends_takes_linear_time() {
        let line = " 'a".repeat(200_000);
        assert!(speech_ranges(&line).is_empty());
    }
}
