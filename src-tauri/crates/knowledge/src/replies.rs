//! The replies of a model in a study: their schemas, and the check of what they say.
//!
//! A statement or a fact is kept only if the code found its quote in a passage that the model was given; its numbers
//! have to be in the quote. A reply in another language than the book's, with an id that was not shown, or with a
//! quote from behind the position is refused as a whole.

mod facts;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, ops::Range};

use palimpsest_asking::{
    reply::{Reply, parse_call, parse_reply, reply_objects},
    tools::{MAX_LIMIT, ToolCall, clean_text},
    verify::{Mark, Passage, Status, verify_statement},
};
use palimpsest_text::{Language, anchors::is_verifiable, detect_or};
use serde_json::{Map, Value, json};

pub use self::facts::{CheckedFact, KnownEntity};
use crate::{failures::FailureKind, gaps::Gap, question_type::stored_type, study::StepReply};

/// Maximum questions of a reply.
pub const MAX_QUESTIONS: usize = 3;
/// Maximum statements of a reply.
pub const MAX_STATEMENTS: usize = 8;
/// Maximum facts of a reply.
pub const MAX_FACTS: usize = 12;
/// Maximum characters of a question.
pub const MAX_QUESTION_CHARS: usize = 300;
/// Maximum characters of a statement.
pub const MAX_STATEMENT_CHARS: usize = 400;
/// Maximum characters of an attribute.
pub(crate) const MAX_ATTRIBUTE_CHARS: usize = 60;
/// Maximum characters of a value.
pub(crate) const MAX_VALUE_CHARS: usize = 200;
/// Maximum characters of a quote that a model writes.
const MAX_QUOTE_CHARS: usize = 1_000;
/// Minimum letters of a question.
const MIN_QUESTION_LETTERS: usize = 3;

/// A question that a model proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedQuestion {
    /// Index of the gap that it is about.
    pub gap: usize,
    /// The question, on one line.
    pub question: String,
    /// The name of a known type, or the model's own word.
    pub question_type: String,
    /// 1..10.
    pub priority: u8,
}

/// The JSON schema of questions, of which there are at most `limit`.
#[must_use]
pub fn questions_schema(limit: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "maxItems": limit,
                "items": {
                    "type": "object",
                    "properties": {
                        "gap": { "type": "string" },
                        "question": { "type": "string", "maxLength": MAX_QUESTION_CHARS },
                        "type": { "type": "string" },
                        "priority": { "type": "integer", "minimum": 1, "maximum": 10 },
                    },
                    "required": ["gap", "question", "type", "priority"],
                },
            },
        },
        "required": ["questions"],
    })
}

/// Reads and checks questions about these gaps, whose handles are `G1`, `G2`, …; at most `limit`, the highest priority
/// first. One that is blank, long, or in another language than the book's is left out.
///
/// # Errors
/// [`FailureKind::UnreadableReply`], [`FailureKind::UnknownId`] for a gap that was not shown,
/// [`FailureKind::WrongLanguage`] if all are in another language.
pub fn check_questions(
    reply: &str,
    gaps: &[Gap],
    language: Language,
    limit: usize,
) -> Result<Vec<ProposedQuestion>, FailureKind> {
    let object = object_with(reply, &["questions"]).ok_or(FailureKind::UnreadableReply)?;
    let (mut questions, mut has_other_language) = (Vec::new(), false);
    for item in items(&object, "questions").take(limit) {
        let gap = handle_number(item.get("gap"), 'G').ok_or(FailureKind::UnknownId)?;
        let gap = gap.checked_sub(1).filter(|gap| *gap < gaps.len()).ok_or(FailureKind::UnknownId)?;
        let Some(question) = line(item, "question", MAX_QUESTION_CHARS) else { continue };
        if question.chars().filter(|c| c.is_alphabetic()).count() < MIN_QUESTION_LETTERS {
            continue;
        }
        if detect_or(&question, language) != language {
            has_other_language = true;
            continue;
        }
        let named = item.get("type").and_then(Value::as_str).and_then(stored_type);
        let question_type = named.unwrap_or_else(|| gaps[gap].question_type().name().to_owned());
        let priority = number(item.get("priority")).map_or(gaps[gap].priority, |number| number.clamp(1.0, 10.0) as u8);
        questions.push(ProposedQuestion { gap, question, question_type, priority });
    }
    if questions.is_empty() {
        let kind = if has_other_language { FailureKind::WrongLanguage } else { FailureKind::UnreadableReply };
        return Err(kind);
    }
    questions.sort_by_key(|one| Reverse(one.priority));
    Ok(questions)
}

/// The decision of a reply in an exploration.
#[must_use]
pub fn step_reply(reply: &str) -> StepReply {
    decision(parse_reply(reply).ok())
}

/// The decision of a tool call in a provider's own form.
#[must_use]
pub fn step_call(name: &str, arguments: &str) -> StepReply {
    decision(parse_call(name, arguments).ok())
}

fn decision(reply: Option<Reply>) -> StepReply {
    match reply {
        Some(Reply::Act(call)) => StepReply::Call(call),
        Some(Reply::Need(query)) => StepReply::Call(ToolCall::FindInBook { query, limit: MAX_LIMIT }),
        Some(Reply::Stop | Reply::Answer) => StepReply::Stop,
        None => StepReply::Invalid,
    }
}

/// A passage that the model was given, or one that it must not know.
#[derive(Debug, Clone, Copy)]
pub struct StudiedPassage<'a> {
    /// The handle in the prompt, such as `P3`.
    pub handle: &'a str,
    /// Whole paragraphs, as they are in the chapter.
    pub text: &'a str,
    /// Whether it is behind the position: it was not given, and a quote of it is a fault.
    pub is_after_position: bool,
}

/// Words of the book that the code found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundQuote {
    /// The handle of the passage.
    pub passage: String,
    /// Bytes of its text.
    pub range: Range<usize>,
}

/// A statement whose quote the code found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedStatement {
    /// The model's words, on one line.
    pub text: String,
    /// Where the book says so.
    pub quote: FoundQuote,
}

/// The part of a summary that may be kept: at least one statement or fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedSummary {
    /// At most 8.
    pub statements: Vec<CheckedStatement>,
    /// At most 12.
    pub facts: Vec<CheckedFact>,
    /// Statements and facts that were dropped, as no quote of theirs was found.
    pub dropped: usize,
    /// Quotes that are in another passage than the model said.
    pub corrected: usize,
}

/// The JSON schema of a summary.
#[must_use]
pub fn summary_schema() -> Value {
    let text = |limit: usize| json!({ "type": "string", "maxLength": limit });
    json!({
        "type": "object",
        "properties": {
            "statements": {
                "type": "array",
                "maxItems": MAX_STATEMENTS,
                "items": {
                    "type": "object",
                    "properties": { "text": text(MAX_STATEMENT_CHARS), "passage": text(8), "quote": text(200) },
                    "required": ["text", "passage", "quote"],
                },
            },
            "facts": {
                "type": "array",
                "maxItems": MAX_FACTS,
                "items": {
                    "type": "object",
                    "properties": {
                        "entity": text(100),
                        "attribute": text(MAX_ATTRIBUTE_CHARS),
                        "value": text(MAX_VALUE_CHARS),
                        "passage": text(8),
                        "quote": text(200),
                        "certainty": { "type": "string", "enum": facts::CERTAINTIES },
                        "knownBy": { "type": "array", "items": text(100) },
                    },
                    "required": ["entity", "attribute", "value", "passage", "quote"],
                },
            },
            "unanswerable": { "type": "boolean" },
        },
        "required": ["statements", "facts", "unanswerable"],
    })
}

/// Reads and checks a summary.
///
/// # Errors
/// [`FailureKind::NoEvidence`] if nothing is left, or the model says that the book does not answer the question;
/// [`FailureKind::UnreadableReply`], [`FailureKind::UnknownId`], [`FailureKind::WrongLanguage`] and
/// [`FailureKind::AfterPosition`] refuse the whole summary.
pub fn check_summary(
    reply: &str,
    passages: &[StudiedPassage<'_>],
    entities: &[KnownEntity<'_>],
    language: Language,
) -> Result<CheckedSummary, FailureKind> {
    let object = object_with(reply, &["statements", "facts", "unanswerable"]).ok_or(FailureKind::UnreadableReply)?;
    let check = Check::new(passages, entities, language);
    let mut summary = CheckedSummary { statements: Vec::new(), facts: Vec::new(), dropped: 0, corrected: 0 };
    for item in items(&object, "statements").take(MAX_STATEMENTS) {
        match check.statement(item)? {
            Some((statement, is_corrected)) => {
                summary.corrected += usize::from(is_corrected);
                if summary.statements.iter().all(|known| known.text != statement.text) {
                    summary.statements.push(statement);
                }
            }
            None => summary.dropped += 1,
        }
    }
    for item in items(&object, "facts").take(MAX_FACTS) {
        match facts::check_fact(&check, item)? {
            Some((fact, is_corrected)) => {
                summary.corrected += usize::from(is_corrected);
                if summary.facts.iter().all(|known| !known.is_same(&fact)) {
                    summary.facts.push(fact);
                }
            }
            None => summary.dropped += 1,
        }
    }
    // Values may be names in another language; all of them together may not be.
    let spoken: Vec<String> = summary.facts.iter().map(|fact| format!("{} {}", fact.attribute, fact.value)).collect();
    let statements = summary.statements.iter().map(|statement| statement.text.as_str());
    let spoken: Vec<&str> = statements.chain(spoken.iter().map(String::as_str)).collect();
    check.check_language(&spoken.join("\n"))?;
    let is_unanswerable = object.get("unanswerable").is_some_and(is_true);
    if is_unanswerable || summary.statements.is_empty() && summary.facts.is_empty() {
        return Err(FailureKind::NoEvidence);
    }
    Ok(summary)
}

/// The data that a summary is checked against.
pub(crate) struct Check<'a> {
    given: Vec<Passage<'a>>,
    later: Vec<Passage<'a>>,
    entities: &'a [KnownEntity<'a>],
    language: Language,
}

impl<'a> Check<'a> {
    fn new(passages: &[StudiedPassage<'a>], entities: &'a [KnownEntity<'a>], language: Language) -> Self {
        let of = |is_later: bool| {
            let passages = passages.iter().filter(move |passage| passage.is_after_position == is_later);
            passages.map(|passage| Passage { handle: passage.handle, text: passage.text }).collect()
        };
        Self { given: of(false), later: of(true), entities, language }
    }

    /// The statement of an item, and whether its passage was corrected; `None` if it has no quote that the code found,
    /// and if it asks: a small model repeats the question.
    fn statement(&self, item: &Map<String, Value>) -> Result<Option<(CheckedStatement, bool)>, FailureKind> {
        let text = line(item, "text", MAX_STATEMENT_CHARS).filter(|text| !text.trim_end().ends_with(['?', '？']));
        let Some(text) = text else { return Ok(None) };
        self.check_language(&text)?;
        let found = self.find_quote(item, &text)?;
        Ok(found.map(|(quote, is_corrected)| (CheckedStatement { text, quote }, is_corrected)))
    }

    fn check_language(&self, text: &str) -> Result<(), FailureKind> {
        if detect_or(text, self.language) == self.language { Ok(()) } else { Err(FailureKind::WrongLanguage) }
    }

    /// The quote of an item that supports a statement, and whether it is in another passage than the item names.
    fn find_quote(
        &self,
        item: &Map<String, Value>,
        statement: &str,
    ) -> Result<Option<(FoundQuote, bool)>, FailureKind> {
        let number = handle_number(item.get("passage"), 'P');
        let handle = number.map(|number| format!("P{number}")).unwrap_or_default();
        let is_given = self.given.iter().any(|passage| passage.handle == handle);
        if !is_given {
            let is_later = self.later.iter().any(|passage| passage.handle == handle);
            return Err(if is_later { FailureKind::AfterPosition } else { FailureKind::UnknownId });
        }
        let quote = item.get("quote").and_then(Value::as_str).unwrap_or_default().trim();
        if !is_verifiable(quote) || quote.chars().count() > MAX_QUOTE_CHARS {
            return Ok(None);
        }
        let mark = [Mark { passage: handle.clone(), quote: Some(quote.to_owned()) }];
        let checked = verify_statement(statement, &mark, &self.given, true);
        let Some(cited) = checked.citations.into_iter().next().filter(|_| checked.status == Status::Verified) else {
            let is_later =
                self.later.iter().any(|passage| palimpsest_text::anchors::verify(passage.text, quote).is_some());
            let is_here =
                self.given.iter().any(|passage| palimpsest_text::anchors::verify(passage.text, quote).is_some());
            return if is_later && !is_here { Err(FailureKind::AfterPosition) } else { Ok(None) };
        };
        let is_corrected = cited.passage != handle;
        Ok(Some((FoundQuote { passage: cited.passage, range: cited.range }, is_corrected)))
    }

    /// The text of a given passage; empty for any other.
    pub(crate) fn text_of(&self, handle: &str) -> &'a str {
        self.given.iter().find(|passage| passage.handle == handle).map_or("", |passage| passage.text)
    }
}

/// The first object of a reply that has one of these fields.
fn object_with(reply: &str, fields: &[&str]) -> Option<Map<String, Value>> {
    reply_objects(reply).into_iter().find(|object| fields.iter().any(|field| object.contains_key(*field)))
}

/// The objects of a list.
fn items<'o>(object: &'o Map<String, Value>, field: &str) -> impl Iterator<Item = &'o Map<String, Value>> {
    object.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// A text on one line; `None` for one that is missing, blank or too long.
pub(crate) fn line(item: &Map<String, Value>, field: &str, max_chars: usize) -> Option<String> {
    let text = clean_text(item.get(field)?.as_str()?);
    (text.contains(char::is_alphanumeric) && text.chars().count() <= max_chars).then_some(text)
}

/// The number of a handle with this letter: 3 for `P3`, `[p 3]`, and the number 3.
pub(crate) fn handle_number(value: Option<&Value>, letter: char) -> Option<usize> {
    let text = match value? {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    let bare = text.trim().trim_matches(|c: char| !c.is_alphanumeric());
    let digits = bare.trim_start_matches([letter, letter.to_ascii_lowercase()]).trim_start();
    let is_number = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::String(text) => text.trim().eq_ignore_ascii_case("true"),
        _ => false,
    }
}
