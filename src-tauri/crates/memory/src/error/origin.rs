//! The origin of an error: its operation, its place in the program and its source, for the log.
//!
//! Invariant: the log has the operation, the line of the program, the kind of the source, SQLite's extended code and
//! the operating system's error number, and never the text of a source. The messages of rusqlite and serde quote
//! statements, values and file names.

use std::{error::Error as StdError, fmt, io, panic::Location, sync::Arc};

use super::{Code, Error, Result};

/// The operation that failed, and the error that made it fail. Not part of the wire.
#[derive(Clone, Default)]
pub struct Origin(Option<Box<OriginDetails>>);

#[derive(Clone, Default)]
struct OriginDetails {
    operation: Option<&'static str>,
    /// Where the source became an error of the memory: the line with the `?` of a failed statement.
    at: Option<&'static Location<'static>>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Origin {
    fn details_mut(&mut self) -> &mut OriginDetails {
        self.0.get_or_insert_default()
    }
}

/// Without the text of the source, which may quote a value.
impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.0.as_deref();
        let kind = known.and_then(|known| known.source.as_deref()).and_then(|source| find(source, kind));
        f.debug_struct("Origin")
            .field("operation", &known.and_then(|known| known.operation))
            .field("kind", &kind)
            .field("at", &known.and_then(|known| known.at).and_then(line_of))
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(self.origin.0.as_ref()?.source.as_ref()?.as_ref())
    }
}

impl Error {
    /// Names the operation that failed. The innermost name is kept: it is the closest to the source.
    #[must_use]
    pub fn while_doing(mut self, operation: &'static str) -> Self {
        self.origin.details_mut().operation.get_or_insert(operation);
        self
    }

    /// Sets the source of an error, and the line of the caller as its place in the program.
    #[must_use]
    #[track_caller]
    pub fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        let details = self.origin.details_mut();
        details.at.get_or_insert(Location::caller());
        details.source = Some(Arc::new(source));
        self
    }

    /// A write was given up after its retries; the origin is that of the last failure.
    pub(crate) fn given_up(last: Self) -> Self {
        Self { origin: last.origin, ..Self::new(Code::WriteFailed, "the write failed and was retried three times") }
    }

    /// The innermost operation that is known to have failed.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        self.origin.0.as_ref()?.operation
    }

    /// The file and line of the program where the error was made of its source, such as
    /// `memory/src/storage/rules.rs:80`: it names a read that has no operation of its own.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        line_of(self.origin.0.as_ref()?.at?)
    }

    /// SQLite's extended code, if a database is the source.
    #[must_use]
    pub fn sqlite_extended_code(&self) -> Option<i32> {
        find(self, extended_code)
    }

    /// The number of the operating system's error, if a file is the source.
    #[must_use]
    pub fn os_error(&self) -> Option<i32> {
        find(self, os_error)
    }

    /// The kind of the source, such as `DatabaseBusy` or `StorageFull`. Contains no value.
    #[must_use]
    pub fn source_kind(&self) -> Option<String> {
        find(self, kind)
    }
}

/// A line of our own crates, without the folders that lead to them; `None` for a line of a library.
fn line_of(at: &Location<'_>) -> Option<String> {
    let file = at.file().replace('\\', "/");
    let (_, file) = file.rsplit_once("crates/")?;
    file.contains("/src/").then(|| format!("{file}:{}", at.line()))
}

/// The first answer of `ask` in an error and its sources.
fn find<T>(error: &(dyn StdError + 'static), ask: impl Fn(&(dyn StdError + 'static)) -> Option<T>) -> Option<T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(answer) = ask(error) {
            return Some(answer);
        }
        next = error.source();
    }
    None
}

fn extended_code(source: &(dyn StdError + 'static)) -> Option<i32> {
    Some(source.downcast_ref::<rusqlite::Error>()?.sqlite_error()?.extended_code)
}

fn os_error(source: &(dyn StdError + 'static)) -> Option<i32> {
    source.downcast_ref::<io::Error>()?.raw_os_error()
}

fn kind(source: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(error) = source.downcast_ref::<rusqlite::Error>() {
        return Some(error.sqlite_error_code().map_or("UnexpectedRow".into(), |code| format!("{code:?}")));
    }
    if let Some(error) = source.downcast_ref::<serde_json::Error>() {
        return Some(format!("Json{:?}", error.classify()));
    }
    source.downcast_ref::<io::Error>().map(|error| format!("{:?}", error.kind()))
}

/// Names the operation of a result.
pub trait WhileDoing<T> {
    /// The result, with the name of the operation in its error.
    ///
    /// # Errors
    /// That of the result.
    fn while_doing(self, operation: &'static str) -> Result<T>;
}

impl<T, E: Into<Error>> WhileDoing<T> for Result<T, E> {
    fn while_doing(self, operation: &'static str) -> Result<T> {
        self.map_err(|error| error.into().while_doing(operation))
    }
}

/// Logs an error with everything that the log may have of it, and further fields.
#[doc(hidden)]
#[macro_export]
macro_rules! log_error {
    ($level:ident, $error:expr, $($fields:tt)*) => {{
        let error: &$crate::Error = $error;
        tracing::$level!(
            code = ?error.code,
            reason = error.reason().map(tracing::field::debug),
            operation = error.operation(),
            sqlite_extended_code = error.sqlite_extended_code(),
            os_error = error.os_error(),
            source = error.source_kind(),
            line = error.line(),
            $($fields)*
        );
    }};
}

/// Logs the error of best-effort work, after which the caller continues. Of any error but [`Error`] the kind, SQLite's
/// extended code and the operating system's number are logged.
pub fn log_failure<T, E: StdError + 'static>(work: &'static str, result: Result<T, E>) {
    let Err(error) = result else { return };
    let error: &(dyn StdError + 'static) = &error;
    match error.downcast_ref::<Error>() {
        Some(error) => log_error!(warn, error, work, "best-effort work failed"),
        None => {
            let (sqlite_extended_code, os_error) = (find(error, extended_code), find(error, os_error));
            let source = find(error, kind);
            tracing::warn!(work, sqlite_extended_code, os_error, source, "best-effort work failed");
        }
    }
}

/// Best-effort reads.
pub trait OrLog<T> {
    /// The value; or `None`, after the error of `work` was logged as by [`log_failure`].
    fn or_log(self, work: &'static str) -> Option<T>;
}

impl<T, E: StdError + 'static> OrLog<T> for Result<T, E> {
    fn or_log(self, work: &'static str) -> Option<T> {
        self.map_err(|error| log_failure(work, Err::<T, E>(error))).ok()
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn an_error_has_its_operation_and_source_and_neither_is_on_the_wire_or_in_its_debug_form() {
        let refused = Connection::open_in_memory().unwrap().execute_batch("SELECT '雨停了' FROM 潮").unwrap_err();
        let plain = Error::of_store(&refused);
        let error = Error::from(refused).while_doing("read a rule").while_doing("answer a command");
        assert_eq!(serde_json::to_string(&error).unwrap(), serde_json::to_string(&plain).unwrap());
        assert_eq!(error, plain);
        assert_eq!((error.operation(), error.sqlite_extended_code()), (Some("read a rule"), Some(1)));
        assert_eq!((error.source_kind().as_deref(), error.os_error()), (Some("Unknown"), None));
        assert!(error.source().unwrap().to_string().contains('潮'));
        assert!(error.line().unwrap().starts_with("memory/src/error/origin.rs:"), "{error:?}");
        assert!(!format!("{error:?}{error}").contains(['潮', '雨']), "{error:?}");
    }

    #[test]
    fn a_failed_statement_names_its_line() {
        let count = |db: &Connection| -> Result<i64> {
            let found = db.query_row("SELECT count(*) FROM 潮", [], |row| row.get(0))?;
            Ok(found)
        };
        let line = line!() - 3;
        let error = count(&Connection::open_in_memory().unwrap()).unwrap_err();
        assert_eq!(error.line(), Some(format!("memory/src/error/origin.rs:{line}")));
    }

    #[test]
    fn the_error_number_of_a_file_is_found_below_other_sources() {
        let full = palimpsest_files::Error::Io(io::Error::from_raw_os_error(28));
        let error = Error::new(Code::WriteFailed, "the backup cannot be written").caused_by(full);
        assert_eq!((error.os_error(), error.source_kind().as_deref()), (Some(28), Some("StorageFull")));
    }

    #[test]
    fn a_value_that_is_no_json_is_a_source_without_its_text() {
        let wrong = serde_json::from_str::<u32>("\"雨停了\"").unwrap_err();
        let error = Error::new(Code::StoreUnavailable, "a value that cannot be stored").caused_by(wrong);
        assert_eq!(error.source_kind().as_deref(), Some("JsonData"));
        assert!(!format!("{error:?}").contains('雨'));
    }
}
