//! An answer while it streams: its text without marks, and each statement verified against the passages as it ends.

use std::{collections::HashMap, ops::Range};

use palimpsest_asking::{
    statements::{AnswerReader, Piece},
    verify::{Mark, Passage, Status, verify_statement},
};
use palimpsest_memory::{CitedStatement, Inquiry, QuotedChapter, QuotedPassage};
use palimpsest_text::{Language, detect};

use super::wire::{AskCitation, AskStatement, StatementStatus};
use crate::dto::saturating_u32;

/// The part of an answer that a piece of the stream adds.
#[derive(Debug, Default)]
pub(super) struct Addition {
    pub(super) text: String,
    pub(super) statements: Vec<AskStatement>,
    pub(super) citations: Vec<AskCitation>,
}

impl Addition {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.statements.is_empty()
    }
}

/// An answer that is being read.
pub(super) struct Answering<'a> {
    inquiry: &'a Inquiry,
    /// The texts that marks may name, each with its mark.
    sources: Vec<(String, &'a str)>,
    /// The chapters of a program, by the number of their file; otherwise the marks are those of passages.
    chapters: Option<&'a [QuotedChapter]>,
    is_about_book: bool,
    reader: Option<AnswerReader>,
    /// The whole text with names restored, as the model wrote it.
    raw: String,
    /// The whole text without marks.
    text: String,
    /// Start of the present sentence in `text`, in bytes.
    sentence_from: usize,
    marks: Vec<Mark>,
    statements: Vec<AskStatement>,
    citations: Vec<AskCitation>,
    /// The number of each cited place: id of the chapter, start and end in UTF-16 code units.
    numbers: HashMap<(String, u32, u32), u32>,
    is_not_in_book: bool,
}

impl<'a> Answering<'a> {
    /// An answer whose marks name passages that were found.
    pub(super) fn over_passages(inquiry: &'a Inquiry, is_about_book: bool) -> Self {
        let sourced = |mark: String| inquiry.passage_text(&mark).map(|text| (mark, text));
        Self::new(inquiry, inquiry.passage_marks().into_iter().filter_map(sourced).collect(), is_about_book)
    }

    /// An answer whose marks name chapters by their number, from 1.
    pub(super) fn over_chapters(inquiry: &'a Inquiry, is_about_book: bool, chapters: &'a [QuotedChapter]) -> Self {
        let at = inquiry.known_until();
        let sources = chapters.iter().zip(1_u32..).map(|(chapter, number)| {
            let text = match at {
                Some(at) if at.chapter_id == chapter.chapter_id => before(&chapter.text, at.offset),
                _ => chapter.text.as_str(),
            };
            (format!("P{number}"), text)
        });
        Self { chapters: Some(chapters), ..Self::new(inquiry, sources.collect(), is_about_book) }
    }

    fn new(inquiry: &'a Inquiry, sources: Vec<(String, &'a str)>, is_about_book: bool) -> Self {
        Self {
            inquiry,
            sources,
            chapters: None,
            is_about_book,
            reader: Some(AnswerReader::new()),
            raw: String::new(),
            text: String::new(),
            sentence_from: 0,
            marks: Vec::new(),
            statements: Vec::new(),
            citations: Vec::new(),
            numbers: HashMap::new(),
            is_not_in_book: false,
        }
    }

    /// Reads the next part of the stream, with names restored.
    pub(super) fn push(&mut self, part: &str) -> Addition {
        self.raw.push_str(part);
        let pieces = self.reader.as_mut().map(|reader| reader.push(part)).unwrap_or_default();
        self.add(pieces)
    }

    /// Ends the answer: its last sentence may have no full stop.
    pub(super) fn finish(&mut self) -> Addition {
        let pieces = self.reader.take().map(AnswerReader::finish).unwrap_or_default();
        self.add(pieces)
    }

    fn add(&mut self, pieces: Vec<Piece>) -> Addition {
        let mut addition = Addition::default();
        for piece in pieces {
            match piece {
                Piece::Text(mut text) => {
                    // A program may print any bytes.
                    text.retain(|c| !c.is_control() || matches!(c, '\n' | '\t'));
                    self.text.push_str(&text);
                    addition.text.push_str(&text);
                }
                Piece::Mark(mark) => self.marks.push(mark),
                Piece::NotInBook => self.is_not_in_book = true,
                Piece::SentenceEnd => self.end_sentence(&mut addition),
            }
        }
        addition
    }

    fn end_sentence(&mut self, addition: &mut Addition) {
        let from = self.sentence_from;
        self.sentence_from = self.text.len();
        let sentence = self.text.get(from..).unwrap_or_default();
        let trimmed = sentence.trim();
        if trimmed.is_empty() {
            self.marks.clear();
            return;
        }
        let start = from + sentence.len() - sentence.trim_start().len();
        let end = start + trimmed.len();
        let passages: Vec<Passage<'_>> = self.sources.iter().map(|(handle, text)| Passage { handle, text }).collect();
        // No passage can verify that the book does not say something.
        let is_about_book = self.is_about_book && !self.is_not_in_book;
        let verified = verify_statement(trimmed, &self.marks, &passages, is_about_book);
        self.marks.clear();
        let mut numbers = Vec::new();
        for cited in verified.citations {
            let Some(quoted) = self.quoted(&cited.passage, cited.range) else { continue };
            let number = self.number_of(quoted, addition);
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        let statement = AskStatement {
            from: utf16(&self.text[..start]),
            to: utf16(&self.text[..end]),
            status: match verified.status {
                Status::Verified => StatementStatus::Verified,
                Status::Unverified => StatementStatus::Unverified,
                Status::Plain => StatementStatus::Plain,
            },
            citations: numbers,
        };
        self.statements.push(statement.clone());
        addition.statements.push(statement);
    }

    /// The place in the book of bytes of a text that a mark names.
    fn quoted(&self, mark: &str, bytes: Range<usize>) -> Option<QuotedPassage> {
        let Some(chapters) = self.chapters else { return self.inquiry.quoted(mark, bytes) };
        let number: usize = mark.trim_start_matches('P').parse().ok()?;
        let QuotedChapter { chapter_id, text } = chapters.get(number.checked_sub(1)?)?;
        let quote = text.get(bytes.clone())?;
        let from = utf16(text.get(..bytes.start)?);
        Some(QuotedPassage { chapter_id: chapter_id.clone(), from, to: from + utf16(quote), quote: quote.to_owned() })
    }

    /// The number of a place of the book; a new one is added to the citations.
    fn number_of(&mut self, quoted: QuotedPassage, addition: &mut Addition) -> u32 {
        let QuotedPassage { chapter_id, from, to, quote } = quoted;
        let key = (chapter_id.to_string(), from, to);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = saturating_u32(self.citations.len() + 1);
        self.numbers.insert(key, number);
        let citation = AskCitation { number, chapter_id, from, to, quote };
        self.citations.push(citation.clone());
        addition.citations.push(citation);
        number
    }

    /// Whether nothing but white space has been read.
    pub(super) fn is_blank(&self) -> bool {
        self.raw.trim().is_empty()
    }

    /// The answer as far as it was read.
    pub(super) fn into_read(self) -> ReadAnswer {
        ReadAnswer {
            raw: self.raw,
            text: self.text,
            statements: self.statements,
            citations: self.citations,
            is_not_in_book: self.is_not_in_book,
        }
    }
}

/// An answer that was read to its end, or to where it broke off.
#[derive(Debug, Default)]
pub(super) struct ReadAnswer {
    /// As the model wrote it, with names restored.
    pub(super) raw: String,
    /// Without marks.
    pub(super) text: String,
    pub(super) statements: Vec<AskStatement>,
    pub(super) citations: Vec<AskCitation>,
    pub(super) is_not_in_book: bool,
}

impl ReadAnswer {
    /// The passages of the verified statements, in the order of their numbers.
    pub(super) fn verified_passages(&self) -> Vec<QuotedPassage> {
        let is_used = |number: u32| self.verified().any(|one| one.citations.contains(&number));
        self.citations.iter().filter(|cited| is_used(cited.number)).map(quoted_passage).collect()
    }

    /// The verified statements, each with its passages.
    pub(super) fn cited_statements(&self) -> Vec<CitedStatement> {
        let units: Vec<u16> = self.text.encode_utf16().collect();
        let with_number = |number: &u32| self.citations.iter().find(|cited| cited.number == *number);
        let cited = |one: &AskStatement| CitedStatement {
            text: words_of(&units, one),
            passages: one.citations.iter().filter_map(with_number).map(quoted_passage).collect(),
        };
        self.verified().map(cited).collect()
    }

    fn verified(&self) -> impl Iterator<Item = &AskStatement> {
        self.statements.iter().filter(|one| one.status == StatementStatus::Verified)
    }

    /// The words to keep: the statements that are verified or need no passage.
    pub(super) fn words_to_keep(&self) -> String {
        let units: Vec<u16> = self.text.encode_utf16().collect();
        let kept = self.statements.iter().filter(|one| one.status != StatementStatus::Unverified);
        let sentences: Vec<String> = kept.map(|one| words_of(&units, one)).collect();
        sentences.join(match detect(&self.text) {
            Language::En => " ",
            Language::Zh => "",
        })
    }
}

/// The words of a statement of a text in UTF-16 code units.
fn words_of(units: &[u16], statement: &AskStatement) -> String {
    let range = statement.from as usize..statement.to as usize;
    String::from_utf16_lossy(units.get(range).unwrap_or_default())
}

fn quoted_passage(cited: &AskCitation) -> QuotedPassage {
    QuotedPassage { chapter_id: cited.chapter_id.clone(), from: cited.from, to: cited.to, quote: cited.quote.clone() }
}

/// The text before an offset in UTF-16 code units.
fn before(text: &str, offset: u32) -> &str {
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        units += c.len_utf16();
        if units > offset as usize {
            return &text[..byte];
        }
    }
    text
}

fn utf16(text: &str) -> u32 {
    saturating_u32(text.encode_utf16().count())
}
