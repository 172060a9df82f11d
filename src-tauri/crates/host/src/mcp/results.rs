//! Results and refusals.

use palimpsest_api::{ApiError, Code};
use rmcp::{
    ErrorData,
    model::{CallToolResult, JsonObject},
};
use serde_json::{Value, json};

const NOT_FOUND: &str = "the book has no such item";

/// The reason why a request has no result.
pub(super) enum Refusal {
    /// A request that the protocol does not allow: an unknown tool, arguments of another form.
    Request(ErrorData),
    /// The error of a command.
    Command(ApiError),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Command(error)
    }
}

impl Refusal {
    /// An argument of another form than that of the schema. Neither text is the client's.
    pub(super) fn argument(field: &str, why: &str) -> Self {
        Self::Request(ErrorData::invalid_params(format!("{field}: {why}"), Some(json!({ "field": field }))))
    }

    /// The result of a tool whose command failed, which a model can read; a protocol error otherwise.
    pub(super) fn into_tool_result(self) -> Result<CallToolResult, ErrorData> {
        match self {
            Self::Request(error) => Err(error),
            Self::Command(error) => Ok(CallToolResult::structured_error(described(&error))),
        }
    }

    /// The protocol error for requests whose results have no form for errors.
    pub(super) fn into_error(self) -> ErrorData {
        match self {
            Self::Request(error) => error,
            Self::Command(error) => {
                let data = Some(described(&error));
                match error.code {
                    Code::NotFound | Code::ScopeDenied => ErrorData::resource_not_found(error.message, data),
                    Code::InvalidArgument => ErrorData::invalid_params(error.message, data),
                    _ => ErrorData::internal_error(error.message, data),
                }
            }
        }
    }
}

/// An error that does not say whether another project has the item.
pub(super) fn without_other_projects(error: ApiError) -> ApiError {
    let has_reason = error.details.as_ref().is_some_and(|details| details.reason.is_some());
    match error.code {
        Code::ScopeDenied => ApiError::new(Code::NotFound, NOT_FOUND),
        Code::NotFound if !has_reason => ApiError::new(Code::NotFound, NOT_FOUND),
        _ => error,
    }
}

/// `{code, message, details?}`, as in the other hosts.
fn described(error: &ApiError) -> Value {
    let mut described = json!({ "code": error.code, "message": error.message });
    if let Some(details) = &error.details {
        described["details"] = json!(details);
    }
    described
}

/// A value with all its texts replaced by those that `rewritten` makes of them, in the same order.
///
/// # Errors
/// Those of `rewritten`.
pub(super) fn rewrite(
    mut value: Value,
    rewritten: impl FnOnce(&[&str]) -> Result<Vec<String>, ApiError>,
) -> Result<Value, ApiError> {
    let mut texts = Vec::new();
    for_each_text(&mut value, &mut |text| texts.push(text.clone()));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut rewritten = rewritten(&texts)?.into_iter();
    for_each_text(&mut value, &mut |text| {
        if let Some(rewritten) = rewritten.next() {
            *text = rewritten;
        }
    });
    Ok(value)
}

/// Visits the texts of a value, in a fixed order. Names of fields are not among them.
fn for_each_text(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_text(item, visit)),
        Value::Object(fields) => fields.values_mut().for_each(|field| for_each_text(field, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The fields of an object; none for another value.
pub(super) fn into_fields(value: Value) -> JsonObject {
    match value {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}

/// An object with some of the fields of another one.
pub(super) fn pick(mut value: Value, fields: &[&str]) -> Value {
    let picked =
        fields.iter().map(|field| ((*field).to_owned(), value.get_mut(*field).map_or(Value::Null, Value::take)));
    Value::Object(picked.collect())
}
