//! The reading of an answer while it streams: text to show, marks of passages, ends of sentences.
//!
//! The model writes each sentence and after it the passage that it rests on: `Her eyes are grey. [P3 "words"]`. Marks
//! are removed from the text, and belong to the sentence whose last character is before them. The marks of kept
//! answers are removed as well; the caller finds them in the text as the model wrote it.
//!
//! The reader decides character by character, so that the division of the stream has no influence. It shows text at
//! once, except for a few characters after the possible end of a sentence and for what may become a mark.

use palimpsest_text::{is_han, sentences};

use crate::{
    brackets::{Bracket, NoBracket, is_closing, is_opening, parse_bracket, parse_unfinished},
    verify::Mark,
};

/// Maximum characters of a mark with its quote.
pub const MAX_MARK_CHARS: usize = 600;
/// Characters of a bracket that are parsed one by one, to tell a mark from text; after them only a closing one is.
const MAX_MARK_START_CHARS: usize = 24;
/// Maximum bytes of a sentence; a longer one is divided.
const MAX_SENTENCE_BYTES: usize = 4_096;
/// Maximum bytes before the possible end of a sentence that are judged with it.
const MAX_CONTEXT_BYTES: usize = 256;
/// Minimum characters after the possible end of a sentence before it is judged.
const LOOKAHEAD_CHARS: usize = 4;
/// The same after a closing quotation mark: a speech tag with two names may follow.
const LOOKAHEAD_CHARS_AFTER_QUOTATION: usize = 40;
/// Maximum bytes of white space in a row.
const MAX_SPACE_BYTES: usize = 32;

/// A piece of an answer, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text to show; joined, all of them are the answer without marks.
    Text(String),
    /// A passage that the present sentence rests on.
    Mark(Mark),
    /// The end of a sentence: its text and its marks came before.
    SentenceEnd,
    /// The model says that the passages do not answer the question. Only at the beginning.
    NotInBook,
}

/// Reads the stream of an answer. Any division of the stream gives the same pieces, but for the division of the text.
#[derive(Debug, Default)]
pub struct AnswerReader {
    /// A bracket that may become a mark.
    bracket: Vec<char>,
    /// The present sentence, with characters after its possible end.
    sentence: String,
    /// Bytes of the sentence that were shown.
    shown: usize,
    /// Position in the sentence after a mark that may end it.
    possible_end: Option<usize>,
    /// Whether a mark came after the end of the sentence, so that the next character begins another.
    is_sealed: bool,
    /// White space since the last character or mark.
    space: String,
    /// White space before the first mark since the last character; `None` without a mark.
    space_before_marks: Option<String>,
    /// Whether some text was shown.
    has_begun: bool,
    /// Whether [`Piece::NotInBook`] was shown.
    is_not_in_book: bool,
    pieces: Vec<Piece>,
}

impl AnswerReader {
    /// A reader at the beginning of an answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next part of the stream.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        text.chars().for_each(|c| self.read(c));
        std::mem::take(&mut self.pieces)
    }

    /// Ends the answer. A mark that does not end is never shown.
    pub fn finish(mut self) -> Vec<Piece> {
        let bracket = std::mem::take(&mut self.bracket);
        if !bracket.is_empty() {
            let (marks, _) = parse_unfinished(&bracket);
            self.marks(marks);
        }
        if self.possible_end.is_some_and(|at| at < self.sentence.len()) {
            self.judge_end();
        }
        self.end_sentence();
        self.pieces
    }

    fn read(&mut self, c: char) {
        let mut waiting = vec![c];
        // A bracket that is no mark gives its characters back: the first is text, the others are read again.
        while let Some(c) = waiting.pop() {
            if self.bracket.is_empty() && !is_opening(c) {
                self.character(c);
                continue;
            }
            self.bracket.push(c);
            let length = self.bracket.len();
            let is_blank_line = c == '\n' && self.bracket[..length - 1].last() == Some(&'\n');
            let is_endless = is_blank_line || length >= MAX_MARK_CHARS;
            if !is_endless && length > MAX_MARK_START_CHARS && !is_closing(c) {
                continue;
            }
            match parse_bracket(&self.bracket) {
                Ok(bracket) => {
                    self.bracket.clear();
                    self.bracket(bracket);
                }
                Err(NoBracket::Unfinished) if !is_endless => {}
                Err(reason) => {
                    let bracket = std::mem::take(&mut self.bracket);
                    let mut read = 0;
                    if reason == NoBracket::Unfinished {
                        let (marks, length) = parse_unfinished(&bracket);
                        self.marks(marks);
                        read = length;
                    }
                    if read == 0 {
                        self.character(bracket[0]);
                        read = 1;
                    }
                    waiting.extend(bracket[read..].iter().rev());
                }
            }
        }
    }

    fn bracket(&mut self, bracket: Bracket) {
        match bracket {
            Bracket::Marks(marks) => self.marks(marks),
            Bracket::NotInBook => {
                if !self.has_begun && self.sentence.is_empty() && !self.is_not_in_book {
                    self.is_not_in_book = true;
                    self.pieces.push(Piece::NotInBook);
                }
                self.marks(Vec::new());
            }
        }
    }

    fn marks(&mut self, marks: Vec<Mark>) {
        if self.possible_end.is_some_and(|at| at < self.sentence.len()) {
            self.judge_end();
        }
        if self.possible_end.is_some() {
            // A mark after a full stop ends the sentence if the next word could begin one.
            self.is_sealed = is_end_of_sentence(&format!("{} Xx", self.sentence), self.sentence.len());
        }
        self.show();
        self.pieces.extend(marks.into_iter().map(Piece::Mark));
        let space = std::mem::take(&mut self.space);
        self.space_before_marks = Some(match self.space_before_marks.take() {
            None => space,
            Some(before) => longer_space(before, space),
        });
    }

    fn character(&mut self, c: char) {
        let c = if matches!(c, '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' | '\u{85}') { '\n' } else { c };
        if c.is_whitespace() {
            if c != '\r' && self.space.len() < MAX_SPACE_BYTES {
                self.space.push(c);
            }
            return;
        }
        let has_marks = self.space_before_marks.is_some();
        let space = self.take_space(c);
        let ends_twice = is_end_mark(c) && self.is_sealed && self.sentence.ends_with(is_end_mark);
        if has_marks && (ends_twice || (self.sentence.is_empty() && follows_word(c))) {
            // A full stop on both sides of a mark, or after a mark at the beginning.
            return;
        }
        if self.sentence.is_empty() {
            self.show_text(&space);
        } else if space.contains('\n') || (self.is_sealed && !follows_word(c)) {
            if self.possible_end.is_some_and(|at| at < self.sentence.len()) {
                self.judge_end();
            }
            self.end_sentence();
            self.show_text(&space);
        } else {
            self.is_sealed &= is_end_mark(c) || is_closer(c);
            let is_at_end = self.possible_end == Some(self.sentence.len()) && space.is_empty();
            if is_at_end && (is_end_mark(c) || is_closer(c)) {
                self.sentence.push(c);
                self.possible_end = Some(self.sentence.len());
                self.show();
                return;
            }
            if self.possible_end.is_some() && is_end_mark(c) {
                self.judge_end();
            }
            self.sentence.push_str(&space);
        }
        self.sentence.push(c);
        if is_end_mark(c) {
            self.possible_end = Some(self.sentence.len());
        } else if self.has_lookahead() {
            self.judge_end();
        }
        self.show();
        if self.sentence.len() > MAX_SENTENCE_BYTES {
            self.end_sentence();
        }
    }

    /// The white space before a character, without the space that marks leave.
    fn take_space(&mut self, next: char) -> String {
        let after = std::mem::take(&mut self.space);
        let Some(before) = self.space_before_marks.take() else { return after };
        let space = longer_space(before, after);
        let Some(last) = self.sentence.chars().next_back() else { return String::new() };
        if space.contains('\n') {
            return space;
        }
        let is_wide =
            |c: char| is_han(c) || matches!(u32::from(c), 0x2010..=0x2030 | 0x3000..=0x303f | 0xff00..=0xffef);
        if follows_word(next) || (is_wide(last) && is_wide(next)) { String::new() } else { " ".to_owned() }
    }

    fn has_lookahead(&self) -> bool {
        let Some(at) = self.possible_end else { return false };
        let is_quoted = self.sentence[..at].ends_with(is_closer);
        let least = if is_quoted { LOOKAHEAD_CHARS_AFTER_QUOTATION } else { LOOKAHEAD_CHARS };
        self.sentence[at..].chars().filter(|c| !c.is_whitespace()).count() >= least
    }

    /// Ends the sentence at its possible end, if it is one.
    fn judge_end(&mut self) {
        let Some(at) = self.possible_end.take() else { return };
        if !is_end_of_sentence(&self.sentence, at) {
            return;
        }
        let rest = self.sentence.split_off(at);
        self.end_sentence();
        let next = rest.trim_start();
        self.show_text(&rest[..rest.len() - next.len()]);
        self.sentence.push_str(next);
    }

    fn end_sentence(&mut self) {
        self.possible_end = None;
        self.is_sealed = false;
        self.show();
        if !self.sentence.is_empty() {
            self.pieces.push(Piece::SentenceEnd);
        }
        self.sentence.clear();
        self.shown = 0;
    }

    fn show(&mut self) {
        let end = self.possible_end.unwrap_or(self.sentence.len()).max(self.shown);
        let text = self.sentence[self.shown..end].to_owned();
        self.show_text(&text);
        self.shown = end;
    }

    fn show_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.has_begun = true;
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }
}

/// The one of two white spaces with more line ends.
fn longer_space(first: String, second: String) -> String {
    let ends = |space: &str| space.matches('\n').count();
    if ends(&second) > ends(&first) { second } else { first }
}

/// Whether a sentence of `text`, which begins with one, ends at byte `at`. Speech of several sentences is a part of
/// one.
fn is_end_of_sentence(text: &str, at: usize) -> bool {
    if is_quotation_open(&text[..at]) {
        return false;
    }
    let mut start = text.floor_char_boundary(at.saturating_sub(MAX_CONTEXT_BYTES));
    if text[..start].matches('"').count() % 2 == 1 {
        start = text[..start].rfind('"').unwrap_or_default();
    }
    let context = &text[start..];
    let end_of = |sentence: &str| start + sentence.as_ptr().addr() - context.as_ptr().addr() + sentence.len();
    sentences::split(context).into_iter().any(|sentence| end_of(sentence) == at)
}

/// Whether a double quotation mark is open at the end of a sentence.
fn is_quotation_open(sentence: &str) -> bool {
    let (mut depth, mut is_straight_open) = (0_i32, false);
    for c in sentence.chars() {
        match c {
            '“' | '「' | '『' => depth += 1,
            '”' | '」' | '』' => depth = (depth - 1).max(0),
            '"' => is_straight_open = !is_straight_open,
            _ => {}
        }
    }
    depth > 0 || is_straight_open
}

/// The marks that may end a sentence, as `text::sentences` has them.
fn is_end_mark(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '‼' | '⁇' | '!' | '?' | '.' | '…' | '—')
}

/// Closing marks that belong to the sentence before them.
fn is_closer(c: char) -> bool {
    matches!(c, '”' | '’' | '」' | '』' | '»' | '›' | '"' | '\'' | '）' | ')' | '】' | ']' | '》' | '〉' | '*' | '_')
}

/// Punctuation that follows a word without white space.
fn follows_word(c: char) -> bool {
    is_end_mark(c) && c != '—'
        || matches!(c, ',' | ';' | ':' | '，' | '；' | '：' | '、' | '”' | '’' | '」' | '』' | '）' | ')' | '》' | ']')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces in one line: `|` for the end of a sentence, `{P3:quote}` for a mark, `!` for not in the book.
    fn drawn(pieces: &[Piece]) -> String {
        let draw = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Mark(mark) => match &mark.quote {
                None => format!("{{{}}}", mark.passage),
                Some(quote) => format!("{{{}:{quote}}}", mark.passage),
            },
            Piece::SentenceEnd => "|".to_owned(),
            Piece::NotInBook => "!".to_owned(),
        };
        pieces.iter().map(draw).collect()
    }

    fn read(text: &str) -> String {
        let mut reader = AnswerReader::new();
        let mut pieces = reader.push(text);
        pieces.extend(reader.finish());
        drawn(&pieces)
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(read(text), expected, "{text}");
        let mut reader = AnswerReader::new();
        let mut pieces: Vec<Piece> = text.chars().flat_map(|c| reader.push(&c.to_string())).collect();
        pieces.extend(reader.finish());
        assert_eq!(drawn(&pieces), expected, "{text}, by character");
    }

    #[test]
    fn a_mark_belongs_to_the_sentence_before_it() {
        check("Her eyes are grey. [P3 \"a b\"] Jun is tall [P5].", "Her eyes are grey.{P3:a b}| Jun is tall{P5}.|");
        check("她的眼睛是灰色的。[P3 “灰色的眼睛”]君很高[P5]。", "她的眼睛是灰色的。{P3:灰色的眼睛}|君很高{P5}。|");
        check("Grey.\n[P3]\nTall.", "Grey.{P3}|\nTall.|");
        check("Grey. [P3] [P4, P5]\n\nTall. [QA:1]", "Grey.{P3}{P4}{P5}|\n\nTall.|");
        check("Grey.[P3]Tall.", "Grey.{P3}| Tall.|");
        check("Grey [P3], and tall [P4].", "Grey{P3}, and tall{P4}.|");
        check("Grey. [P3].", "Grey.{P3}|");
        check("Mei [P3] and Jun[P4]left.", "Mei{P3} and Jun{P4} left.|");
        check("She met Mr. [P3] Zhou.", "She met Mr.{P3} Zhou.|");
        check("[P1] Grey.", "{P1}Grey.|");
    }

    #[test]
    fn text_without_marks_is_shown_as_it_is() {
        for text in
            ["Grey.", "She (Mei) left [sic] at 4.31.", "- one\n- two", "他说（笑）。", "[1] (see p. 3)", "A – b."]
        {
            assert_eq!(read(text).replace('|', ""), text);
        }
    }

    #[test]
    fn sentences_are_those_of_the_text_rules() {
        check("Mr. Zhou left at 3.14 p.m. He slept.", "Mr. Zhou left at 3.14 p.m.| He slept.|");
        check("“走吧。”他说。天黑了。", "“走吧。”他说。|天黑了。|");
        check("\"Where?\" Old Zhou asked. Rain fell.", "\"Where?\" Old Zhou asked.| Rain fell.|");
        check("He left… Then it rained. I… I know.", "He left…| Then it rained.| I… I know.|");
        check("No full stop\nNext line", "No full stop|\nNext line|");
        check("", "");
        check(" \n ", "");
    }

    #[test]
    fn speech_of_several_sentences_is_one_statement() {
        check(
            "He says: “I am tired. Let us go.” [P3] Then rain.",
            "He says: “I am tired. Let us go.”{P3}| Then rain.|",
        );
        check("他说：“累了。走吧。”[P3]下雨了。", "他说：“累了。走吧。”{P3}|下雨了。|");
    }

    #[test]
    fn the_model_says_at_the_beginning_that_the_book_does_not() {
        check("[none] The book does not say so.", "!The book does not say so.|");
        let mut reader = AnswerReader::new();
        let twice = ["[none]", "[none]"].map(|part| drawn(&reader.push(part)));
        assert_eq!(twice, ["!", ""], "once, also in two pieces");
        check("【无】。书里没有写到。", "!书里没有写到。|");
        check("Grey. [none] Tall.", "Grey.| Tall.|");
    }

    #[test]
    fn a_half_mark_is_never_shown() {
        check("Grey. [P3 \"her ey", "Grey.{P3}|");
        check("Grey. [P", "Grey.|");
        check("Grey. [QA:", "Grey.|");
    }

    #[test]
    fn an_endless_bracket_is_bounded() {
        let text = format!("Grey. [P3 \"{}", "words and ".repeat(200));
        let mut reader = AnswerReader::new();
        let pieces = reader.push(&text);
        let shown = drawn(&pieces);
        assert!(shown.starts_with("Grey.{P3}| \"words and words"), "{shown}");
        assert!(shown.len() > 1_500);
        let blank_line = "Grey. [P3 \"her eyes\n\nTall.";
        assert_eq!(read(blank_line), "Grey.{P3}| \"her eyes|\n\nTall.|");
        for hostile in ["[", "[P3 \"", "([P3] ", "[P3 \"]", "。", "\"", ".a", "“", "—", " "] {
            let mut reader = AnswerReader::new();
            let mut pieces = reader.push(&hostile.repeat(2_000));
            pieces.extend(reader.finish());
            assert!(pieces.len() < 10_000);
        }
    }
}
