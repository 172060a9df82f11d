//! The grammar of marks: a bracket with handles of passages and copied words, as models write it.
//!
//! `[P3 "words"]`, `[P3]`, `(P3)`, `【P3】`, `[P3: “words”]`, `[P3, P5]`, `([P3 "words"], [P5])`, `[p3 words]`; and
//! `[none]`, and the marks of kept answers, such as `[QA:1]`.

use crate::{tools::MAX_HANDLE_DIGITS, verify::Mark};

/// Maximum brackets inside each other.
const MAX_DEPTH: usize = 2;
/// Words before the number of a passage.
const PASSAGE_WORDS: &[&str] = &["p", "passage", "passages", "段", "段落"];
/// Words of a mark that says that the book does not answer the question.
const NONE_WORDS: &[&str] = &["none", "无"];
/// Words of marks of kept answers.
const ANSWER_WORDS: &[&str] = &["qa", "qa_ref", "ref"];

/// A parsed bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bracket {
    /// Marks of passages; empty for marks of kept answers, which are not parsed here.
    Marks(Vec<Mark>),
    /// The model says that the passages do not answer the question.
    NotInBook,
}

/// The reason why characters are no mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoBracket {
    /// More characters may complete it.
    Unfinished,
    /// No more characters can.
    Text,
}

type Parsed<T> = Result<T, NoBracket>;

/// Whether a character may begin a bracket with a meaning.
pub(crate) fn is_opening(c: char) -> bool {
    closing_of(c).is_some()
}

/// Whether a character may end a bracket.
pub(crate) fn is_closing(c: char) -> bool {
    matches!(c, ']' | '］' | '】' | ')' | '）')
}

fn closing_of(opening: char) -> Option<&'static [char]> {
    match opening {
        '[' | '［' | '【' => Some(&[']', '］', '】']),
        '(' | '（' => Some(&[')', '）']),
        _ => None,
    }
}

/// The meaning of a whole bracket. `chars` begin with an opening one, and end with the closing one that belongs to it,
/// or are unfinished.
pub(crate) fn parse_bracket(chars: &[char]) -> Parsed<Bracket> {
    Cursor { chars, at: 0 }.bracket(1)
}

/// The marks of a bracket that does not end, and the number of its characters that belong to them.
pub(crate) fn parse_unfinished(chars: &[char]) -> (Vec<Mark>, usize) {
    let mut cursor = Cursor { chars, at: 0 };
    while cursor.peek().is_ok_and(|c| is_opening(c) || c.is_whitespace()) {
        cursor.at += 1;
    }
    let handle = cursor.word().ok().filter(|word| PASSAGE_WORDS.contains(&word.as_str()));
    match handle.and_then(|_| cursor.digits().ok()) {
        Some(handle) => (vec![Mark { passage: handle, quote: None }], cursor.at),
        None => (Vec::new(), 0),
    }
}

#[derive(Clone, Copy)]
struct Cursor<'a> {
    chars: &'a [char],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Parsed<char> {
        self.chars.get(self.at).copied().ok_or(NoBracket::Unfinished)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek().is_ok_and(&is_skipped) {
            self.at += 1;
        }
    }

    fn skip_space(&mut self) {
        self.skip(char::is_whitespace);
    }

    fn skip_separators(&mut self) {
        self.skip(is_separator);
    }

    fn bracket(&mut self, depth: usize) -> Parsed<Bracket> {
        let closing = closing_of(self.peek()?).ok_or(NoBracket::Text)?;
        let is_square = closing.contains(&']');
        self.at += 1;
        self.skip_space();
        if is_opening(self.peek()?) {
            return if depth < MAX_DEPTH { self.nested(closing, depth) } else { Err(NoBracket::Text) };
        }
        let word = self.word()?;
        if PASSAGE_WORDS.contains(&word.as_str()) {
            return self.marks(closing, is_square).map(Bracket::Marks);
        }
        let next = self.peek()?;
        match word.as_str() {
            word if NONE_WORDS.contains(&word) && is_square => {
                self.skip_space();
                self.close(closing)?;
                Ok(Bracket::NotInBook)
            }
            "qa" if matches!(next, ':' | '：') && is_square => self.answer_marks(closing),
            "ref" if matches!(next, ':' | '：') && !is_square => self.answer_marks(closing),
            "qa_ref" if next.is_whitespace() && is_square => self.answer_marks(closing),
            _ => Err(NoBracket::Text),
        }
    }

    fn nested(&mut self, closing: &[char], depth: usize) -> Parsed<Bracket> {
        let mut all = Vec::new();
        loop {
            match self.bracket(depth + 1)? {
                Bracket::Marks(marks) => all.extend(marks),
                Bracket::NotInBook => return Err(NoBracket::Text),
            }
            self.skip_separators();
            if !is_opening(self.peek()?) {
                self.close(closing)?;
                return Ok(Bracket::Marks(all));
            }
        }
    }

    fn close(&mut self, closing: &[char]) -> Parsed<()> {
        if !closing.contains(&self.peek()?) {
            return Err(NoBracket::Text);
        }
        self.at += 1;
        Ok(())
    }

    /// The letters at the beginning of a bracket, in lower case. They may be unfinished.
    fn word(&mut self) -> Parsed<String> {
        let mut word = String::new();
        while let Ok(c) = self.peek() {
            match c {
                'Ｐ' | 'ｐ' => word.push('p'),
                c if c.is_alphabetic() || c == '_' => word.extend(c.to_lowercase()),
                _ => break,
            }
            self.at += 1;
            let mut known = [PASSAGE_WORDS, NONE_WORDS, ANSWER_WORDS].into_iter().flatten();
            if !known.any(|known| known.starts_with(&word)) {
                return Err(NoBracket::Text);
            }
        }
        Ok(word)
    }

    fn digits(&mut self) -> Parsed<String> {
        self.skip(|c| c == ' ');
        let start = self.at;
        self.skip(|c| c.is_ascii_digit());
        let digits: String = self.chars[start..self.at].iter().collect();
        match digits.len() {
            1..=MAX_HANDLE_DIGITS => Ok(format!("P{digits}")),
            0 if self.peek().is_err() => Err(NoBracket::Unfinished),
            _ => Err(NoBracket::Text),
        }
    }

    /// The handles and quotes after the first word, up to the end of the bracket.
    fn marks(&mut self, closing: &[char], is_square: bool) -> Parsed<Vec<Mark>> {
        let mut marks: Vec<Mark> = Vec::new();
        loop {
            let passage = self.digits()?;
            if self.peek()?.is_ascii_alphanumeric() {
                return Err(NoBracket::Text);
            }
            let mut quotes = Vec::new();
            let is_followed = loop {
                self.skip_separators();
                let next = self.peek()?;
                if closing.contains(&next) {
                    self.at += 1;
                    break false;
                }
                if self.is_handle()? {
                    self.word()?;
                    break true;
                }
                if quotation_end(next).is_some() {
                    quotes.push(self.quotation(closing)?);
                } else if is_square && quotes.is_empty() {
                    quotes.push(self.bare_quote(closing)?);
                } else {
                    return Err(NoBracket::Text);
                }
            };
            if quotes.is_empty() {
                marks.push(Mark { passage: passage.clone(), quote: None });
            }
            marks.extend(quotes.into_iter().map(|quote| Mark { passage: passage.clone(), quote: Some(quote) }));
            if !is_followed {
                return Ok(marks);
            }
        }
    }

    /// Whether a handle with its letter follows.
    fn is_handle(&self) -> Parsed<bool> {
        let mut ahead = *self;
        match ahead.word() {
            Ok(word) if PASSAGE_WORDS.contains(&word.as_str()) => {
                ahead.skip(|c| c == ' ');
                Ok(ahead.peek()?.is_ascii_digit())
            }
            Ok(_) | Err(NoBracket::Text) => Ok(false),
            Err(NoBracket::Unfinished) => Err(NoBracket::Unfinished),
        }
    }

    /// Words in quotation marks. A mark inside of them ends them only if the bracket ends or goes on after it.
    fn quotation(&mut self, closing: &[char]) -> Parsed<String> {
        let ends = quotation_end(self.peek()?).ok_or(NoBracket::Text)?;
        let start = self.at + 1;
        for at in start..self.chars.len() {
            if !ends.contains(&self.chars[at]) {
                continue;
            }
            let mut after = Cursor { chars: self.chars, at: at + 1 };
            after.skip_space();
            let has_space = after.at > at + 1;
            let next = after.peek()?;
            let is_end = closing.contains(&next) || {
                let is_separated = is_separator(next);
                after.skip_separators();
                let next = after.peek()?;
                let is_quotation = quotation_end(next).is_some() && (has_space || is_separated);
                let is_first_of_pair = self.chars[at - 1].is_whitespace();
                after.is_handle()? || (is_quotation && !is_first_of_pair)
            };
            if is_end {
                let quote: String = self.chars[start..at].iter().collect();
                self.at = at + 1;
                return Ok(quote.replace('\\', "").trim().to_owned());
            }
        }
        Err(NoBracket::Unfinished)
    }

    /// Words without quotation marks, up to the end of the bracket.
    fn bare_quote(&mut self, closing: &[char]) -> Parsed<String> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            let c = self.peek()?;
            if depth == 0 && closing.contains(&c) {
                let quote: String = self.chars[start..self.at].iter().collect();
                return Ok(quote.trim().to_owned());
            }
            if is_opening(c) {
                depth += 1;
            } else if is_closing(c) {
                depth = depth.saturating_sub(1);
            }
            self.at += 1;
        }
    }

    /// The ids of kept answers.
    fn answer_marks(&mut self, closing: &[char]) -> Parsed<Bracket> {
        self.at += 1;
        loop {
            self.skip_space();
            let start = self.at;
            self.skip(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            let next = self.peek()?;
            if self.at == start {
                return Err(NoBracket::Text);
            }
            self.skip_space();
            let end = self.peek()?;
            if closing.contains(&end) {
                self.at += 1;
                return Ok(Bracket::Marks(Vec::new()));
            }
            if !matches!(end, ',' | '，' | '、' | ';' | '；') || next.is_alphanumeric() {
                return Err(NoBracket::Text);
            }
            self.at += 1;
        }
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '，' | '、' | ';' | '；' | ':' | '：' | '-' | '–' | '—' | '|' | '=' | '&')
}

/// The marks that end a quotation that begins with this one; `None` for any other character.
fn quotation_end(opening: char) -> Option<&'static [char]> {
    match opening {
        '"' | '“' | '”' | '„' | '«' | '「' | '『' | '＂' => Some(&['"', '”', '“', '»', '」', '』', '＂']),
        '\'' | '‘' | '’' | '`' => Some(&['\'', '’', '`']),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Parsed<Bracket> {
        parse_bracket(&text.chars().collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Option<&str>)]) {
        let mark = |(passage, quote): &(&str, Option<&str>)| Mark {
            passage: (*passage).to_owned(),
            quote: quote.map(str::to_owned),
        };
        assert_eq!(parse(text), Ok(Bracket::Marks(expected.iter().map(mark).collect())), "{text}");
    }

    #[test]
    fn marks_are_read_as_models_write_them() {
        for text in
            ["[P3]", "(P3)", "（P3）", "【P3】", "［Ｐ3］", "[p3]", "[ P 3 ]", "[Passage 3]", "[段落3]", "([P3])"]
        {
            check(text, &[("P3", None)]);
        }
        for text in [
            "[P3 \"her eyes were grey\"]",
            "[P3: \"her eyes were grey\"]",
            "[P3 “her eyes were grey”]",
            "[P3 「her eyes were grey」]",
            "[P3 'her eyes were grey']",
            "(P3, \"her eyes were grey\")",
            "[P3 – “her eyes were grey\"]",
            "[p3: her eyes were grey]",
            "([P3 \"her eyes were grey\"])",
        ] {
            check(text, &[("P3", Some("her eyes were grey"))]);
        }
        check("【P3：“她的眼睛是灰色的”】", &[("P3", Some("她的眼睛是灰色的"))]);
    }

    #[test]
    fn several_passages_and_several_quotes_may_share_a_bracket() {
        check("[P3, P5]", &[("P3", None), ("P5", None)]);
        check("[P3、P5]", &[("P3", None), ("P5", None)]);
        check("[P3 \"a b\", P5 \"c d\"]", &[("P3", Some("a b")), ("P5", Some("c d"))]);
        check("[P3 \"a b\" \"c d\"]", &[("P3", Some("a b")), ("P3", Some("c d"))]);
        check("([P3 \"a b\"], [P5])", &[("P3", Some("a b")), ("P5", None)]);
    }

    #[test]
    fn a_quote_may_contain_quotation_marks_and_brackets() {
        check("[P3 \"he said \"go\" and left\"]", &[("P3", Some("he said \"go\" and left"))]);
        check("[P3 “他说“走吧”，就走了”]", &[("P3", Some("他说“走吧”，就走了"))]);
        check("[P3 \"the list [of names] was gone\"]", &[("P3", Some("the list [of names] was gone"))]);
        check("[P3 'it isn't Mei's']", &[("P3", Some("it isn't Mei's"))]);
        check("[P3 \"he said \\\"go\\\" and left\"]", &[("P3", Some("he said \"go\" and left"))]);
        check("[P3 the list [of names] was gone]", &[("P3", Some("the list [of names] was gone"))]);
    }

    #[test]
    fn the_marks_of_kept_answers_are_no_passages() {
        for text in ["[QA:1]", "【QA：1】", "[QA: 1, 2]", "[QA_REF qa-123]", "(ref:id)"] {
            check(text, &[]);
        }
        assert_eq!(parse("[none]"), Ok(Bracket::NotInBook));
        assert_eq!(parse("【无】"), Ok(Bracket::NotInBook));
    }

    #[test]
    fn other_brackets_are_text() {
        for text in [
            "[1]",
            "[sic]",
            "(P. 3)",
            "(p",
            "(Peter)",
            "[P3a]",
            "(P3 says so)",
            "[none of them]",
            "[QA]",
            "[[[P3]]]",
            "[]",
            "[P1234567]",
            "(none)",
            "[QA:1 and more]",
            "[他]",
            "（无）",
        ] {
            let parsed = parse(text);
            assert!(parsed == Err(NoBracket::Text) || text == "(p", "{text}: {parsed:?}");
        }
    }

    #[test]
    fn every_beginning_of_a_mark_is_unfinished() {
        for text in
            ["[P3 \"he said \"go\" and left\", P5]", "【P3：“她说“走””】", "([P3], [P5 \"a\"])", "[QA:1, 2]", "[none]"]
        {
            let chars: Vec<char> = text.chars().collect();
            for length in 1..chars.len() {
                assert_eq!(parse_bracket(&chars[..length]), Err(NoBracket::Unfinished), "{text} {length}");
            }
        }
    }

    #[test]
    fn the_handle_of_an_endless_bracket_is_found() {
        let chars: Vec<char> = "[P3 \"and so on".chars().collect();
        assert_eq!(parse_unfinished(&chars), (vec![Mark { passage: "P3".to_owned(), quote: None }], 3));
        assert_eq!(parse_unfinished(&['[', 'P']), (vec![], 0));
    }
}
