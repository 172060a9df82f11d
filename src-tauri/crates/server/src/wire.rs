//! Bodies of requests and responses, in the wire of the original service, and the checks of what comes in.

use palimpsest_answers::validation::{Source, Strength, ValidationResult};
use palimpsest_text::secrets::contains_secret;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::refusal::{Code, Refusal};

/// Maximum bytes of a question, an answer and other texts.
const MAX_QUESTION_BYTES: usize = 10_000;
const MAX_ANSWER_BYTES: usize = 100_000;
const MAX_LINE_BYTES: usize = 1_000;
/// Maximum number of matches of a search, of references of a request, and of tags.
const MAX_LIMIT: u32 = 50;
const MAX_REFERENCES: usize = 50;
const MAX_TAGS: usize = 20;

/// Reads a body.
///
/// # Errors
/// `invalid_request` with the path of the field; nothing of the body is in it.
pub(crate) fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let parsed = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        if path == "." { Code::InvalidRequest.into() } else { Refusal::invalid(path) }
    })?;
    json.end().map_err(|_| Code::InvalidRequest)?;
    Ok(parsed)
}

/// A request that is about one project.
pub(crate) trait OfProject: DeserializeOwned {
    /// The id by which the client names the project.
    fn project_id(&self) -> &str;
    /// Checks what the types do not say.
    ///
    /// # Errors
    /// `invalid_request` with the field, `secret`.
    fn check(&self) -> Result<(), Refusal>;
}

/// `POST /v1/qa/search`.
#[derive(Debug, Deserialize)]
pub(crate) struct Search {
    pub project_id: String,
    pub query: String,
    #[serde(default = "default_limit")]
    pub limit: u32,
    #[serde(default = "default_min_score")]
    pub min_score: f64,
}

fn default_limit() -> u32 {
    6
}

fn default_min_score() -> f64 {
    0.2
}

impl OfProject for Search {
    fn project_id(&self) -> &str {
        &self.project_id
    }

    fn check(&self) -> Result<(), Refusal> {
        check_text("query", &self.query, MAX_QUESTION_BYTES)?;
        check_that("limit", (1..=MAX_LIMIT).contains(&self.limit))?;
        check_that("min_score", (0.0..=1.0).contains(&self.min_score))
    }
}

/// `POST /v1/qa/candidates`.
#[derive(Debug, Deserialize)]
pub(crate) struct Candidate {
    pub project_id: String,
    pub question: String,
    pub answer: String,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default = "default_confidence")]
    pub confidence: f64,
    #[serde(default)]
    pub metadata: Option<CandidateMetadata>,
    pub summary: Option<String>,
    pub source: Option<String>,
    pub author: Option<String>,
}

/// Other fields of the metadata are not stored.
#[derive(Debug, Deserialize)]
pub(crate) struct CandidateMetadata {
    /// The client's own id of the answer.
    pub answer_id: Option<String>,
}

fn default_confidence() -> f64 {
    0.45
}

impl OfProject for Candidate {
    fn project_id(&self) -> &str {
        &self.project_id
    }

    fn check(&self) -> Result<(), Refusal> {
        check_text("question", &self.question, MAX_QUESTION_BYTES)?;
        check_text("answer", &self.answer, MAX_ANSWER_BYTES)?;
        check_that("tags", self.tags.len() <= MAX_TAGS)?;
        self.tags.iter().try_for_each(|tag| check_line("tags", tag))?;
        check_that("confidence", (0.0..=1.0).contains(&self.confidence))?;
        let client_key = self.metadata.as_ref().and_then(|metadata| metadata.answer_id.as_deref());
        client_key.map_or(Ok(()), |id| check_line("metadata.answer_id", id))?;
        let lines = [("summary", &self.summary), ("source", &self.source), ("author", &self.author)];
        for (field, line) in lines {
            line.as_deref().map_or(Ok(()), |line| check_line(field, line))?;
        }
        let texts = [("question", self.question.as_str()), ("answer", &self.answer)];
        let summary = self.summary.as_deref().map(|summary| ("summary", summary));
        match texts.into_iter().chain(summary).find(|(_, text)| contains_secret(text)) {
            Some((field, _)) => Err(Refusal { field: Some(field.to_owned()), ..Code::Secret.into() }),
            None => Ok(()),
        }
    }
}

/// `POST /v1/qa/hit`.
#[derive(Debug, Deserialize)]
pub(crate) struct Hits {
    pub project_id: String,
    pub references: Vec<Reference>,
}

/// A use of an answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Reference {
    pub qa_id: String,
    #[serde(default)]
    pub shown: Option<bool>,
    #[serde(default)]
    pub used: Option<bool>,
    /// The client's id of the run. A hit of one run on one answer counts once.
    #[serde(default)]
    pub message_id: Option<String>,
}

impl OfProject for Hits {
    fn project_id(&self) -> &str {
        &self.project_id
    }

    fn check(&self) -> Result<(), Refusal> {
        check_that("references", self.references.len() <= MAX_REFERENCES)?;
        for reference in &self.references {
            check_line("references.qa_id", &reference.qa_id)?;
            reference.message_id.as_deref().map_or(Ok(()), |id| check_line("references.message_id", id))?;
        }
        Ok(())
    }
}

/// `POST /v1/qa/validate`.
#[derive(Debug, Deserialize)]
pub(crate) struct Validate {
    pub project_id: String,
    pub qa_id: String,
    #[serde(default)]
    pub result: Option<ResultName>,
    #[serde(default)]
    pub signal_strength: Option<StrengthName>,
    #[serde(default)]
    pub success: Option<bool>,
    #[serde(default)]
    pub strong_signal: Option<bool>,
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub payload: Option<ValidatePayload>,
}

/// Other fields of the payload are ignored.
#[derive(Debug, Deserialize)]
pub(crate) struct ValidatePayload {
    /// The client's id of the validation, which counts once.
    pub validation_id: Option<String>,
    /// False for an answer that only was in the prompt: its failure changes nothing.
    pub used: Option<bool>,
}

/// A result by its name.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResultName {
    Pass,
    Partial,
    Fail,
}

/// A strength by its name.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StrengthName {
    Weak,
    Medium,
    Strong,
}

impl OfProject for Validate {
    fn project_id(&self) -> &str {
        &self.project_id
    }

    fn check(&self) -> Result<(), Refusal> {
        check_line("qa_id", &self.qa_id)?;
        self.validation_id().map_or(Ok(()), |id| check_line("payload.validation_id", id))?;
        self.source.as_deref().map_or(Ok(()), |source| check_line("source", source))?;
        check_that("result", self.result.is_some() || self.success.is_some())
    }
}

impl Validate {
    pub(crate) fn validation_id(&self) -> Option<&str> {
        self.payload.as_ref()?.validation_id.as_deref()
    }

    /// The validation as the decisions know it. A client that names no result says whether there was success.
    pub(crate) fn validation(&self) -> palimpsest_answers::validation::Validation {
        let result = match self.result {
            Some(ResultName::Pass) => ValidationResult::Pass,
            Some(ResultName::Partial) => ValidationResult::Partial,
            Some(ResultName::Fail) => ValidationResult::Fail,
            None if self.success == Some(true) => ValidationResult::Pass,
            None => ValidationResult::Fail,
        };
        let strength = match self.signal_strength {
            Some(StrengthName::Strong) => Strength::Strong,
            Some(StrengthName::Medium) => Strength::Medium,
            Some(StrengthName::Weak) => Strength::Weak,
            None if self.strong_signal == Some(true) => Strength::Strong,
            None => Strength::Weak,
        };
        let source = self.source.as_deref().map_or(Source::Remote, source_by_name);
        let used = self.payload.as_ref().and_then(|payload| payload.used).unwrap_or(true);
        palimpsest_answers::validation::Validation { result, strength, source, used, applied: true }
    }
}

/// Names of the sources. A name that is unknown is another program's.
const SOURCES: [(&str, Source); 7] = [
    ("run", Source::Run),
    ("writer", Source::Writer),
    ("inserted", Source::Inserted),
    ("copied", Source::Copied),
    ("cited", Source::Cited),
    ("reasked", Source::Reasked),
    ("remote", Source::Remote),
];

fn source_by_name(name: &str) -> Source {
    SOURCES.iter().find(|(known, _)| *known == name).map_or(Source::Remote, |(_, source)| *source)
}

/// The stored name of a source.
pub(crate) fn source_name(source: Source) -> &'static str {
    SOURCES.iter().find(|(_, known)| *known == source).map_or("remote", |(name, _)| name)
}

/// An answer that was found.
#[derive(Debug, Serialize)]
pub(crate) struct Match {
    pub qa_id: String,
    pub question: String,
    pub answer: String,
    pub tags: Vec<String>,
    /// The chance that the answer bears on the query, 0..=1.
    pub score: f64,
    /// The same as `score`.
    pub relevance: f64,
    pub validation_level: u8,
    pub trust: f64,
    pub freshness: f64,
    pub confidence: f64,
    pub status: &'static str,
    pub metadata: MatchMetadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The numbers of a match that the wire has no fields for.
#[derive(Debug, Serialize)]
pub(crate) struct MatchMetadata {
    /// In steps of one half.
    pub consecutive_fail: f64,
    pub hit_count: u32,
    pub use_count: u32,
    /// `exact`, `restated` or `related`.
    pub question_match: &'static str,
}

/// The response to a candidate.
#[derive(Debug, Serialize)]
pub(crate) struct Recorded {
    pub qa_id: String,
    /// The same answer was there before.
    pub duplicate: bool,
}

/// The response to hits.
#[derive(Debug, Default, Serialize)]
pub(crate) struct HitsRecorded {
    pub recorded: u32,
    pub duplicates: u32,
    /// References to answers that the project does not have, which are ignored.
    pub unknown: u32,
}

/// The response to a validation.
#[derive(Debug, Serialize)]
pub(crate) struct Validated {
    pub validation_level: u8,
    pub trust: f64,
    pub status: &'static str,
    pub duplicate: bool,
}

fn check_that(field: &str, holds: bool) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(Refusal::invalid(field)) }
}

/// A text with a letter or a digit, and without control characters but line breaks and tabs.
fn check_text(field: &str, text: &str, max_bytes: usize) -> Result<(), Refusal> {
    let has_control = || text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    check_that(field, text.len() <= max_bytes && text.chars().any(char::is_alphanumeric) && !has_control())
}

/// A line that is not empty.
fn check_line(field: &str, line: &str) -> Result<(), Refusal> {
    check_that(field, (1..=MAX_LINE_BYTES).contains(&line.len()) && !line.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validation(body: &str) -> (ValidationResult, Strength, Source) {
        let body: Validate = parse_body(body.as_bytes()).unwrap();
        body.check().unwrap();
        let validation = body.validation();
        (validation.result, validation.strength, validation.source)
    }

    #[test]
    fn a_validation_has_its_result_by_name_or_as_success() {
        let of = |more: &str| validation(&format!(r#"{{"project_id":"p","qa_id":"a"{more}}}"#));
        let strong = r#","result":"partial","signal_strength":"strong","source":"writer""#;
        assert_eq!(of(strong), (ValidationResult::Partial, Strength::Strong, Source::Writer));
        let by_success = r#","success":true,"strong_signal":true,"source":"gatekeeper""#;
        assert_eq!(of(by_success), (ValidationResult::Pass, Strength::Strong, Source::Remote));
        assert_eq!(of(r#","success":false"#), (ValidationResult::Fail, Strength::Weak, Source::Remote));
    }

    #[test]
    fn a_refusal_names_the_field_and_has_nothing_of_the_body() {
        let field = |body: &str| parse_body::<Hits>(body.as_bytes()).unwrap_err().field;
        assert_eq!(field(r#"{"project_id":"p","references":[{"qa_id":7}]}"#).unwrap(), "references[0].qa_id");
        assert_eq!(field(r#"{"project_id":"p"}"#), None);
        assert_eq!(field(r#"{"project_id":"p","references":[]} more"#), None);
        let refused = parse_body::<Hits>(br#"{"project_id":"p","references":"secret"}"#).unwrap_err();
        assert!(!format!("{refused:?}").contains("secret"), "{refused:?}");
    }

    #[test]
    fn every_source_has_one_name() {
        for (name, source) in SOURCES {
            assert_eq!((source_by_name(name), source_name(source)), (source, name));
        }
    }
}
