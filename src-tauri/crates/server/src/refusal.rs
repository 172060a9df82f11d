//! Errors of the wire: a code, the field it is about, and no text of the request.

use hyper::StatusCode;
use serde_json::json;

use crate::{
    log::{Field, log},
    reply::Reply,
};

/// Why a request is refused. Programs branch on the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    InvalidRequest,
    KeyMissing,
    KeyRefused,
    ProjectRefused,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    TooLarge,
    UnsupportedMediaType,
    KeyReused,
    Secret,
    RateLimited,
    Internal,
    Overloaded,
    DatabaseUnavailable,
    Timeout,
}

impl Code {
    /// All codes, for the comparison with the description of the wire.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 16] = [
        Self::InvalidRequest,
        Self::KeyMissing,
        Self::KeyRefused,
        Self::ProjectRefused,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::KeyReused,
        Self::Secret,
        Self::RateLimited,
        Self::Internal,
        Self::Overloaded,
        Self::DatabaseUnavailable,
        Self::Timeout,
    ];

    /// Status, name on the wire, and the sentence for people.
    pub(crate) const fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::InvalidRequest => (StatusCode::BAD_REQUEST, "invalid_request", "the request is invalid"),
            Self::KeyMissing => (StatusCode::UNAUTHORIZED, "key_missing", "a bearer key is needed"),
            Self::KeyRefused => (StatusCode::UNAUTHORIZED, "key_refused", "the key is unknown or revoked"),
            Self::ProjectRefused => (StatusCode::FORBIDDEN, "project_refused", "the key is for no such project"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "there is no such thing here"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "the path has another method")
            }
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "request_timeout", "the body did not arrive in time"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is too large"),
            Self::UnsupportedMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "the body has to be application/json")
            }
            Self::KeyReused => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency_key_reused",
                "another request was sent with this idempotency key",
            ),
            Self::Secret => {
                (StatusCode::UNPROCESSABLE_ENTITY, "secret", "the text has a key, a token or a password in it")
            }
            Self::RateLimited => (StatusCode::TOO_MANY_REQUESTS, "rate_limited", "too many requests with this key"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "a defect of the server"),
            Self::Overloaded => (StatusCode::SERVICE_UNAVAILABLE, "overloaded", "too many requests at a time"),
            Self::DatabaseUnavailable => {
                (StatusCode::SERVICE_UNAVAILABLE, "database_unavailable", "the database does not serve")
            }
            Self::Timeout => (StatusCode::SERVICE_UNAVAILABLE, "timeout", "the request took too long"),
        }
    }
}

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub code: Code,
    /// The field that the refusal is about, by its path in the body.
    pub field: Option<String>,
    /// Seconds after which the request may be sent again.
    pub retry_after: Option<u64>,
}

impl From<Code> for Refusal {
    fn from(code: Code) -> Self {
        Self { code, field: None, retry_after: None }
    }
}

impl Refusal {
    pub(crate) fn invalid(field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Code::InvalidRequest.into() }
    }

    pub(crate) fn retry_after(code: Code, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..code.into() }
    }

    pub(crate) fn reply(&self) -> Reply {
        let (status, name, message) = self.code.parts();
        let mut error = json!({ "code": name, "message": message });
        if let Some(field) = &self.field {
            error["field"] = field.as_str().into();
        }
        let mut reply = Reply::json(status, &json!({ "error": error }));
        reply.retry_after = self.retry_after;
        reply
    }
}

/// Logs an error of the database. Its message may have values of rows; its code has none.
pub(crate) fn log_database_error(error: &tokio_postgres::Error) {
    match error.code() {
        Some(state) => log("database_error", &[("sql_state", Field::sql_state(state))]),
        None => log("database_error", &[("closed", Field::Count(u64::from(error.is_closed())))]),
    }
}

impl From<tokio_postgres::Error> for Refusal {
    fn from(error: tokio_postgres::Error) -> Self {
        log_database_error(&error);
        Self::retry_after(Code::DatabaseUnavailable, 1)
    }
}

impl From<deadpool_postgres::PoolError> for Refusal {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        use deadpool_postgres::PoolError;
        match error {
            PoolError::Timeout(deadpool_postgres::TimeoutType::Wait) => {
                log("no_connection_free", &[]);
                Self::retry_after(Code::Overloaded, 1)
            }
            PoolError::Backend(error) => error.into(),
            _ => {
                log("database_unreachable", &[]);
                Self::retry_after(Code::DatabaseUnavailable, 1)
            }
        }
    }
}
