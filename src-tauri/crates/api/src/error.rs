//! The one error type of the wire.

use palimpsest_manuscript::Error as ManuscriptError;
use palimpsest_memory::{Code, Details, Error, model::Reason};
pub(crate) use palimpsest_memory::{OrLog, log_failure};

/// The error of every command: `{ code, message, details? }`.
pub type ApiError = Error;

/// An error with a reason for programs.
pub(crate) fn with_reason(code: Code, message: impl Into<String>, reason: Reason) -> ApiError {
    Error::with_details(code, message, Details { reason: Some(reason), ..Details::default() })
}

/// Converts an error of a manuscript on disk. The message contains no file name, because it may contain a title.
pub(crate) fn manuscript(error: ManuscriptError) -> ApiError {
    let reason = |code, reason: Reason, message: &str| with_reason(code, message, reason);
    let origin = origin_of(&error);
    match error {
        ManuscriptError::UnknownChapter => Error::not_found("chapterId", "chapter"),
        ManuscriptError::ChapterGone { .. } => {
            reason(Code::NotFound, Reason::ChapterGone, "the chapter's file is gone")
        }
        ManuscriptError::Stale { current } => {
            let current_hash = current.map(Into::into);
            let details = Details { field: Some("baseHash".into()), current_hash, ..Details::default() };
            Error::with_details(Code::StaleVersion, "the chapter was changed outside", details)
        }
        ManuscriptError::NotUtf8 { .. } => {
            reason(Code::InvalidArgument, Reason::NotUtf8, "the chapter's file is not UTF-8")
        }
        ManuscriptError::TooLarge { .. } => {
            reason(Code::InvalidArgument, Reason::TooLarge, "the chapter's file is too large")
        }
        ManuscriptError::Link { .. } => reason(Code::InvalidArgument, Reason::Link, "links are not followed"),
        ManuscriptError::Exists { .. } => reason(Code::InvalidArgument, Reason::Exists, "there is a file already"),
        ManuscriptError::ImportChanged => {
            reason(Code::StaleVersion, Reason::ImportChanged, "a chapter of the import was changed")
        }
        ManuscriptError::InvalidId => Error::invalid("id", "1 to 64 ASCII letters, digits, dashes or underscores"),
        ManuscriptError::EmptyTitle => Error::invalid("title", "empty"),
        ManuscriptError::EmptyPart => {
            let details =
                Details { field: Some("offset".into()), reason: Some(Reason::EmptyPart), ..Details::default() };
            Error::with_details(Code::InvalidArgument, "a part would be empty", details)
        }
        ManuscriptError::ChangedSince => {
            reason(Code::StaleVersion, Reason::ChangedSince, "the chapters have changed since")
        }
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
            origin(reason(Code::WriteFailed, Reason::Io, &format!("the book's folder cannot be used: {kind}")))
        }
        other => Error::new(Code::StoreUnavailable, other.to_string()),
    }
}

/// Adds the failed operation and the operating system's error of a manuscript error to the answer, if it has them.
pub(crate) fn origin_of(error: &ManuscriptError) -> impl FnOnce(Error) -> Error + use<> {
    let cause = error.operation().zip(error.io_error());
    move |refused| match cause {
        Some((operation, source)) => refused.caused_by(source).while_doing(operation),
        None => refused,
    }
}
