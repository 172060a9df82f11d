//! Signatures: of questions, so that none is asked twice, and of tool calls, so that none is made twice.

use palimpsest_asking::tools::ToolCall;
use palimpsest_text::{questions::question_key, terms::query_terms};
use serde_json::{Value, json};

/// Minimum cosine from which on two questions are the same.
pub const MIN_COSINE: f32 = 0.8;
/// Number of the last questions that are compared by cosine.
pub const COMPARED_QUESTIONS: usize = 200;

/// The signature of a question: BLAKE3, in hexadecimal, of its distinct terms and of the ids of the entities that it is
/// about, both sorted. A question without terms has that of its canonical form.
#[must_use]
pub fn question_signature(question: &str, entity_ids: &[&str]) -> String {
    let mut terms = query_terms(question);
    if terms.is_empty() {
        terms.push(question_key(question));
    }
    terms.sort_unstable();
    terms.dedup();
    let mut ids: Vec<&str> = entity_ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    hash_of(&json!([terms, ids]))
}

/// The signature of a proposed fact: BLAKE3, in hexadecimal, of entity, attribute and value, without case and spaces.
#[must_use]
pub fn fact_signature(entity_id: &str, attribute: &str, value: &str) -> String {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    hash_of(&json!([entity_id, plain(attribute), plain(value)]))
}

/// The signature of a tool call: BLAKE3, in hexadecimal, of the tool and its arguments in canonical JSON.
#[must_use]
pub fn call_signature(call: &ToolCall) -> String {
    hash_of(&json!([call.tool().name(), canonical_arguments(call)]))
}

/// The arguments of a call as a model would write them: `ToolCall::from_arguments` reads them back.
#[must_use]
pub fn call_arguments(call: &ToolCall) -> Value {
    match call {
        ToolCall::FindInBook { query, limit } => json!({ "query": query, "limit": limit }),
        ToolCall::ReadPassage { passage, around } => json!({ "passage": passage, "around": around }),
        ToolCall::Entity { name } | ToolCall::Where { name } => json!({ "name": name }),
        ToolCall::Together { first, second } => json!({ "first": first, "second": second }),
        ToolCall::Answers { query } | ToolCall::Journal { query } => json!({ "query": query }),
        ToolCall::Times { name: Some(name) } => json!({ "name": name }),
        ToolCall::Times { name: None } => json!({}),
    }
}

/// The arguments in the one form of all calls with the same result: lower case, two names in order. The keys of a JSON
/// object are sorted.
fn canonical_arguments(call: &ToolCall) -> Value {
    let lower = |text: &str| text.to_lowercase();
    match call {
        ToolCall::FindInBook { query, limit } => json!({ "query": lower(query), "limit": limit }),
        ToolCall::ReadPassage { .. } => call_arguments(call),
        ToolCall::Entity { name } | ToolCall::Where { name } => json!({ "name": lower(name) }),
        ToolCall::Together { first, second } => {
            let mut names = [lower(first), lower(second)];
            names.sort();
            json!({ "names": names })
        }
        ToolCall::Answers { query } | ToolCall::Journal { query } => json!({ "query": lower(query) }),
        ToolCall::Times { name } => json!({ "name": name.as_deref().map(lower) }),
    }
}

/// A question that was asked before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedQuestion<'a> {
    /// A [`question_signature`].
    pub signature: &'a str,
    /// The cosine between it and the new question; `None` without an encoder.
    pub cosine: Option<f32>,
}

/// Whether a question was asked before. `asked`: all questions, the last first; only the first
/// [`COMPARED_QUESTIONS`] of them are compared by cosine.
#[must_use]
pub fn is_duplicate(signature: &str, asked: &[AskedQuestion<'_>]) -> bool {
    let has_signature = asked.iter().any(|one| one.signature == signature);
    let mut compared = asked.iter().take(COMPARED_QUESTIONS);
    has_signature || compared.any(|one| one.cosine.is_some_and(|cosine| cosine >= MIN_COSINE))
}

fn hash_of(value: &Value) -> String {
    blake3::hash(value.to_string().as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use palimpsest_asking::tools::Tool;

    use super::*;

    #[test]
    fn the_signature_of_a_question_is_of_its_terms_and_entities() {
        let one = question_signature("Who wrote the letter to Mei?", &["b", "a"]);
        assert_eq!(one, question_signature("the LETTER to Mei, who wrote", &["a", "b", "a"]));
        assert_ne!(one, question_signature("Who wrote the letter to Mei?", &["a"]));
        assert_ne!(one, question_signature("Who burned the letter to Mei?", &["a", "b"]));
        assert_ne!(question_signature("谁写的信？", &[]), question_signature("谁烧的信？", &[]));
        assert_ne!(question_signature("?", &[]), question_signature("a?", &[]));
        assert_eq!(one.len(), 64);
    }

    fn find(query: &str, limit: u8) -> ToolCall {
        ToolCall::FindInBook { query: query.to_owned(), limit }
    }

    fn together(first: &str, second: &str) -> ToolCall {
        ToolCall::Together { first: first.to_owned(), second: second.to_owned() }
    }

    #[test]
    fn calls_with_the_same_result_have_the_same_signature() {
        let name = |name: &str| name.to_owned();
        let calls = [
            find("Her eyes", 8),
            find("her EYES", 8),
            find("her eyes", 3),
            together("Mei", "Jun"),
            together("jun", "mei"),
            ToolCall::Entity { name: name("Mei") },
            ToolCall::Where { name: name("Mei") },
            ToolCall::Times { name: None },
            ToolCall::Times { name: Some(name("Mei")) },
            ToolCall::ReadPassage { passage: name("P1"), around: 1 },
            ToolCall::Answers { query: name("Mei") },
            ToolCall::Journal { query: name("Mei") },
        ];
        for first in &calls {
            for second in &calls {
                let is_same = call_signature(first) == call_signature(second);
                assert_eq!(is_same, first.is_repetition_of(second), "{first:?} {second:?}");
            }
            let arguments = call_arguments(first);
            let read = ToolCall::from_arguments(first.tool(), arguments.as_object().unwrap());
            assert_eq!(read.as_ref(), Ok(first));
        }
        assert_eq!(Tool::ALL.len(), 8, "a new tool needs a line above");
    }

    #[test]
    fn a_question_is_a_duplicate_by_its_terms_or_by_its_meaning() {
        let asked = |signature, cosine| AskedQuestion { signature, cosine };
        assert!(!is_duplicate("a", &[]));
        assert!(is_duplicate("a", &[asked("b", None), asked("a", None)]));
        assert!(is_duplicate("a", &[asked("b", Some(0.8))]));
        assert!(!is_duplicate("a", &[asked("b", Some(0.79)), asked("c", Some(f32::NAN))]));
        let mut many = vec![asked("b", Some(0.1)); COMPARED_QUESTIONS];
        many.push(asked("c", Some(1.0)));
        assert!(!is_duplicate("a", &many), "only the last questions are compared by meaning");
        assert!(is_duplicate("c", &many), "all are compared by signature");
    }

    #[test]
    fn a_refused_fact_is_known_again_in_another_spelling() {
        assert_eq!(fact_signature("e", "Eye colour", "Grey"), fact_signature("e", "eye  colour", "grey."));
        assert_ne!(fact_signature("e", "eyes", "grey"), fact_signature("f", "eyes", "grey"));
    }
}
