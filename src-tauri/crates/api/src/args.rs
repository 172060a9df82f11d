//! From JSON to typed arguments. A refusal names the field and what was expected, never the given value, which may be
//! the writer's text.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::ApiError;

/// Parses the arguments of a command.
pub(crate) fn parse<T: DeserializeOwned>(args: Value) -> Result<T, ApiError> {
    let args = if args.is_null() { Value::Object(Map::new()) } else { args };
    serde_path_to_error::deserialize(args).map_err(|error| refusal(&error))
}

fn refusal(error: &serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    let path = error.path().to_string();
    let message = error.inner().to_string();
    // Serde names a missing or unknown field only in its message; the path then ends at the enclosing object.
    if let Some(field) = quoted_after(&message, "missing field `") {
        return ApiError::invalid(join(&path, field), "missing");
    }
    if let Some(field) = quoted_after(&message, "unknown field `") {
        let field: String = field.chars().take(60).collect();
        let full = if path == "." || path == field || path.ends_with(&format!(".{field}")) {
            path.trim_start_matches('.').to_owned()
        } else {
            join(&path, &field)
        };
        return ApiError::invalid(if full.is_empty() { field } else { full }, "unknown field");
    }
    let field = if path == "." { "arguments".to_owned() } else { path };
    match message.split_once(", expected ") {
        Some((_, expected)) => {
            let expected = expected.split(" at line ").next().unwrap_or(expected);
            ApiError::invalid(field, format!("expected {expected}"))
        }
        None => ApiError::invalid(field, "not of the right form"),
    }
}

fn quoted_after<'a>(message: &'a str, marker: &str) -> Option<&'a str> {
    message.split_once(marker).and_then(|(_, rest)| rest.split('`').next())
}

fn join(path: &str, field: &str) -> String {
    if path == "." || path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

#[cfg(test)]
mod tests {
    use palimpsest_memory::{Code, model::EpisodeDraft};
    use serde_json::json;

    use super::*;

    fn refused(args: Value) -> (String, String) {
        let error = parse::<EpisodeDraft>(args).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        (error.details.unwrap().field.unwrap(), error.message)
    }

    #[test]
    fn a_refusal_names_the_field() {
        let draft = json!({ "projectId": "p", "chapterId": "c", "skillUsed": "continue", "inputContext": "",
            "candidates": ["a"], "selectedIndex": 0, "finalText": "a" });
        let with = |key: &str, value: Value| {
            let mut draft = draft.clone();
            draft[key] = value;
            draft
        };
        assert!(parse::<EpisodeDraft>(draft.clone()).is_ok());
        assert_eq!(refused(json!({})).0, "projectId");
        assert_eq!(refused(with("mood", json!(1))).0, "mood");
        assert_eq!(refused(with("selectedIndex", json!("zero"))).0, "selectedIndex");
        assert_eq!(refused(with("candidates", json!(["a", 7]))).0, "candidates[1]");
        assert_eq!(refused(with("occurredAt", json!("yesterday"))).0, "occurredAt");
        assert_eq!(refused(json!([])).0, "arguments");
    }

    #[test]
    fn an_error_never_contains_the_refused_value() {
        for args in
            [json!({ "projectId": ["夜里的秘密"] }), json!("夜里的秘密"), json!({ "selectedIndex": "夜里的秘密" })]
        {
            let (field, message) = refused(args);
            assert!(!field.contains("秘密") && !message.contains("秘密"), "{field}: {message}");
        }
    }
}
