//! The one error type of the wire.

use palimpsest_manuscript::Error as ManuscriptError;
use palimpsest_memory::{Code, Details, Error, model::Reason};

/// The error of every command: `{ code, message, details? }`.
pub type ApiError = Error;

/// Converts an error of a manuscript on disk. The message contains no file name, because it may contain a title.
pub(crate) fn manuscript(error: ManuscriptError) -> ApiError {
    let reason = |code, reason: Reason, message: &str| Error {
        code,
        message: message.into(),
        details: Some(Details { reason: Some(reason), ..Details::default() }),
    };
    match error {
        ManuscriptError::UnknownChapter => Error::not_found("chapterId", "chapter"),
        ManuscriptError::ChapterGone { .. } => {
            reason(Code::NotFound, Reason::ChapterGone, "the chapter's file is gone")
        }
        ManuscriptError::Stale { current } => Error {
            code: Code::StaleVersion,
            message: "the chapter was changed outside".into(),
            details: Some(Details {
                field: Some("baseHash".into()),
                current_hash: current.map(Into::into),
                ..Details::default()
            }),
        },
        ManuscriptError::NotUtf8 { .. } => {
            reason(Code::InvalidArgument, Reason::NotUtf8, "the chapter's file is not UTF-8")
        }
        ManuscriptError::TooLarge { .. } => {
            reason(Code::InvalidArgument, Reason::TooLarge, "the chapter's file is too large")
        }
        ManuscriptError::Link { .. } => reason(Code::InvalidArgument, Reason::Link, "links are not followed"),
        ManuscriptError::Exists { .. } => reason(Code::InvalidArgument, Reason::Exists, "there is a file already"),
        ManuscriptError::InvalidId => Error::invalid("id", "1 to 64 ASCII letters, digits, dashes or underscores"),
        ManuscriptError::EmptyTitle => Error::invalid("title", "empty"),
        ManuscriptError::NotAFolder => Error::invalid("path", "there is no folder at this path"),
        ManuscriptError::NewerFormat { .. } => reason(
            Code::InvalidArgument,
            Reason::NewerFormat,
            "a later version of this program wrote the book's id file",
        ),
        ManuscriptError::DamagedIdFile => {
            reason(Code::StoreUnavailable, Reason::DamagedIdFile, "the book's id file is damaged")
        }
        ManuscriptError::Io { kind, .. } => {
            reason(Code::WriteFailed, Reason::Io, &format!("the book's folder cannot be used: {kind}"))
        }
        other => Error::new(Code::StoreUnavailable, other.to_string()),
    }
}

/// Logs the error of best-effort work, after which the caller continues.
pub(crate) fn log_failure<T>(operation: &'static str, result: Result<T, ApiError>) {
    if let Err(error) = result {
        tracing::warn!(operation, code = ?error.code, "best-effort work failed");
    }
}
