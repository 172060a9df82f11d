//! The public error type: a code for programs, a sentence for people, and no text of the writer's.

mod origin;

use std::{fmt, io, time::Duration};

use rusqlite::ErrorCode;
use serde::{Deserialize, Serialize};
use specta::Type;

pub use self::origin::{OrLog, Origin, WhileDoing, log_failure};
use crate::{model::Reason, ports::ModelError};

/// The kind of an error. The names are part of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
pub enum Code {
    /// An argument is missing, unknown, of the wrong type, empty, too large or out of range.
    #[serde(rename = "MEMORY_INVALID_ARGUMENT")]
    InvalidArgument,
    /// The item does not exist.
    #[serde(rename = "MEMORY_NOT_FOUND")]
    NotFound,
    /// The item belongs to another project.
    #[serde(rename = "MEMORY_SCOPE_DENIED")]
    ScopeDenied,
    /// The seal of a trace does not match its content: the row was changed after it was written.
    #[serde(rename = "MEMORY_TRACE_MISMATCH")]
    TraceMismatch,
    /// The item was changed since it was read.
    #[serde(rename = "MEMORY_STALE_VERSION")]
    StaleVersion,
    /// A confidence outside 0..1.
    #[serde(rename = "MEMORY_CONFIDENCE_OUT_OF_RANGE")]
    ConfidenceOutOfRange,
    /// Everything that could be evicted is protected.
    #[serde(rename = "MEMORY_CAPACITY_EXCEEDED")]
    CapacityExceeded,
    /// Too many concurrent recalls; `retryAfterSeconds` is the delay.
    #[serde(rename = "MEMORY_BACKPRESSURE")]
    Backpressure,
    /// A clearing is irreversible and was not confirmed.
    #[serde(rename = "MEMORY_CLEAR_CONFIRM_REQUIRED")]
    ClearConfirmRequired,
    /// A write failed, and its retries too.
    #[serde(rename = "MEMORY_WRITE_FAILED")]
    WriteFailed,
    /// A database cannot be opened or read.
    #[serde(rename = "MEMORY_STORE_UNAVAILABLE")]
    StoreUnavailable,
    /// A maintenance job failed; it is retried at its next window.
    #[serde(rename = "MEMORY_CLEANUP_FAILED")]
    CleanupFailed,
    /// Learning is paused: no run until the writer resumes it.
    #[serde(rename = "MEMORY_LEARNING_PAUSED")]
    LearningPaused,
    /// The text does not have the words that were to be cited, or they are too short to be found again.
    #[serde(rename = "MEMORY_CITATION_NOT_FOUND")]
    CitationNotFound,
    /// The model failed.
    #[serde(rename = "MEMORY_MODEL_UNAVAILABLE")]
    ModelUnavailable,
}

/// Details of an error, for programs. Names of fields and versions only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// The argument that was refused, as a path such as `candidates[2]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub field: Option<String>,
    /// The reason, for codes with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub reason: Option<Reason>,
    /// The line of a file that was refused, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub line: Option<u32>,
    /// Seconds to wait before a retry, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub retry_after_seconds: Option<u32>,
    /// The current version, if an outdated one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub current_version: Option<u32>,
    /// The current content hash, if an outdated one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub current_hash: Option<Box<str>>,
}

/// The error of every engine operation.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub struct Error {
    /// The kind.
    pub code: Code,
    /// One sentence. Contains no text of the writer's.
    pub message: String,
    /// Field names and versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub details: Option<Details>,
    /// The operation and the source, for the log. Not part of the wire.
    #[serde(skip)]
    #[specta(skip)]
    pub origin: Origin,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Two errors are equal when their wire forms are.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.code, &self.message, &self.details) == (other.code, &other.message, &other.details)
    }
}

impl Eq for Error {}

/// The result of every operation of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error without details.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, origin: Origin::default() }
    }

    /// An error with details.
    pub fn with_details(code: Code, message: impl Into<String>, details: Details) -> Self {
        Self { details: Some(details), ..Self::new(code, message) }
    }

    /// The argument `field` was refused because of `why`.
    pub fn invalid(field: impl Into<String>, why: impl fmt::Display) -> Self {
        let field = field.into();
        Self {
            code: Code::InvalidArgument,
            message: format!("{field}: {why}"),
            details: Some(Details { field: Some(field), ..Details::default() }),
            origin: Origin::default(),
        }
    }

    /// A panic ended an operation. Its transaction was rolled back.
    #[must_use]
    pub fn broke_off() -> Self {
        Self {
            code: Code::StoreUnavailable,
            message: "the command broke off; nothing was answered".into(),
            details: Some(Details { reason: Some(Reason::BrokeOff), ..Details::default() }),
            origin: Origin::default(),
        }
    }

    /// The maximum number of concurrent recalls is reached. A recall takes well under a second.
    #[must_use]
    pub fn too_many_recalls() -> Self {
        Self {
            code: Code::Backpressure,
            message: "too many recalls at once; ask again".into(),
            details: Some(Details { retry_after_seconds: Some(BACKPRESSURE_RETRY_SECONDS), ..Details::default() }),
            origin: Origin::default(),
        }
    }

    /// No `what` has the id that `field` gave.
    pub fn not_found(field: impl Into<String>, what: &str) -> Self {
        let field = field.into();
        Self {
            code: Code::NotFound,
            message: format!("there is no such {what}"),
            details: Some(Details { field: Some(field), ..Details::default() }),
            origin: Origin::default(),
        }
    }

    /// `what` belongs to another project than the caller's.
    pub fn scope_denied(what: &str) -> Self {
        Self::new(Code::ScopeDenied, format!("this {what} belongs to another project"))
    }

    /// The version given is not `current`.
    #[must_use]
    pub fn stale_version(current: u32) -> Self {
        Self {
            code: Code::StaleVersion,
            message: "it was changed since it was read; read it again".into(),
            details: Some(Details {
                field: Some("version".into()),
                current_version: Some(current),
                ..Details::default()
            }),
            origin: Origin::default(),
        }
    }
}

impl Error {
    /// An export file cannot be written; `details.reason` says why.
    #[must_use]
    pub fn not_written(error: &palimpsest_files::Error) -> Self {
        let reason = Reason::from(error);
        let code = if reason == Reason::ExportFailed { Code::WriteFailed } else { Code::InvalidArgument };
        let details = Details { field: Some("path".into()), reason: Some(reason), ..Details::default() };
        let refused = Self::with_details(code, format!("path: {error}"), details);
        match error {
            palimpsest_files::Error::Io(error) => refused.caused_by(copy_of(error)),
            _ => refused,
        }
    }
}

/// A model failed: its kind is in `details.reason`.
impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        let seconds = |wait: Duration| u32::try_from(wait.as_secs_f64().ceil() as u64).unwrap_or(u32::MAX);
        Self {
            code: Code::ModelUnavailable,
            message: error.message,
            details: Some(Details {
                reason: Some(error.kind.into()),
                retry_after_seconds: error.retry_after.map(seconds),
                ..Details::default()
            }),
            origin: Origin::default(),
        }
    }
}

/// The message has the kind alone: SQLite's own may quote a statement with a value in it.
impl From<rusqlite::Error> for Error {
    #[track_caller]
    fn from(error: rusqlite::Error) -> Self {
        Self::of_store(&error).caused_by(error)
    }
}

/// The same error of the operating system once more: it cannot be cloned.
pub(crate) fn copy_of(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

impl Error {
    /// The kind of a database error, without its source.
    pub(crate) fn of_store(error: &rusqlite::Error) -> Self {
        let kind = match error.sqlite_error_code() {
            Some(code) => format!("{code:?}"),
            None => "unexpected row".into(),
        };
        let message = format!("the store cannot serve ({kind})");
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::damaged(message),
            _ => Self::new(Code::StoreUnavailable, message),
        }
    }

    /// A file is damaged.
    pub(crate) fn damaged(message: impl Into<String>) -> Self {
        Self::unavailable(Reason::Damaged, message)
    }

    /// A file has other tables, columns, indexes, triggers or views than the migrations make.
    pub(crate) fn foreign_schema() -> Self {
        Self::unavailable(
            Reason::ForeignSchema,
            "the file's tables are not those of a memory; a backup can be put in its place",
        )
    }

    /// The path of a file is a pipe, a device, a folder, or a file without an end.
    pub(crate) fn not_a_file() -> Self {
        Self::unavailable(Reason::NotADatabase, "what lies in the place of the file is no file")
    }

    /// A file or folder is unavailable, with a `reason`.
    pub(crate) fn unavailable(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            code: Code::StoreUnavailable,
            message: message.into(),
            details: Some(Details { reason: Some(reason), ..Details::default() }),
            origin: Origin::default(),
        }
    }

    /// The reason in the details.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        self.details.as_ref().and_then(|details| details.reason)
    }

    /// Whether a file is damaged; until it is restored or replaced, a retry cannot succeed.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.reason().is_some_and(Reason::is_damage)
    }
}

/// The retry delay of a refused recall, in seconds: the smallest value of the field.
const BACKPRESSURE_RETRY_SECONDS: u32 = 1;
