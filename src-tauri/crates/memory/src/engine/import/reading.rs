//! Reading a file line by line, with every check of a line that needs no stored data. A refusal names the line by its
//! number and contains none of its text.

use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use palimpsest_files::{Error as FileError, Source};
use palimpsest_text::style::{self, Feature};
use serde_json::{Map, Value};

use crate::{
    engine::export::{End, FORMAT, FORMAT_VERSION, Header, Wide},
    episodic::record,
    error::{Code, Details, Error, Result},
    model::{Answer, ImplicitSignal, ProjectId, Reason, Rule, RunChange, Scope},
    storage::lines::{Fault, KINDS, Kind, Line, field},
};

/// The largest file that is read, in bytes: a full project of ten thousand episodes with their traces takes a tenth of
/// it.
pub(super) const MAX_BYTES: u64 = 2 << 30;
/// The longest line, in bytes: an episode with sixteen candidates of maximum length, each byte of them escaped.
const MAX_LINE_BYTES: usize = 16 << 20;

/// A line, with its number from 1.
pub(super) struct Numbered {
    pub(super) number: u32,
    pub(super) line: Line,
}

/// The lines of a file after its header.
pub(super) struct Lines {
    input: BufReader<Source>,
    number: u32,
    header: Header,
    /// The projects whose line was read.
    books: HashSet<ProjectId>,
    /// The kind of the last line: kinds come in the order of their dependencies.
    last: usize,
    text: Vec<u8>,
}

impl Lines {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, with the reason: `noFile`, `tooLarge`, `otherFormat`, `newerVersion`, or that of the
    /// line.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut input = BufReader::new(open_limited(path, MAX_BYTES)?);
        let mut text = Vec::new();
        let header = read_line(&mut input, &mut text, 1)?.ok_or_else(|| refusal(1, Reason::CutOff, None))?;
        let header = read_header(header)?;
        Ok(Self { input, number: 1, header, books: HashSet::new(), last: 0, text })
    }

    /// The project of the file; `None` for an export of everything.
    pub(super) fn own(&self) -> Option<&ProjectId> {
        self.header.project_id.as_ref()
    }

    /// The next line; `None` after the last line of a complete file.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, with the number of the line and the reason.
    pub(super) fn next(&mut self) -> Result<Option<Numbered>> {
        self.number += 1;
        let number = self.number;
        let mut fields =
            read_line(&mut self.input, &mut self.text, number)?.ok_or_else(|| refusal(number, Reason::CutOff, None))?;
        if fields.get("kind").and_then(Value::as_str) == Some("end") {
            let end: End = serde_json::from_value(Value::Object(fields))
                .map_err(|error| refusal(number, Reason::BadValue, None).caused_by(error))?;
            if end.lines != number - 1 {
                return Err(refusal(number, Reason::LinesMissing, None));
            }
            return match read_line(&mut self.input, &mut self.text, number + 1)? {
                None => Ok(None),
                Some(_) => Err(refusal(number + 1, Reason::AfterTheEnd, None)),
            };
        }
        let kind = fields.remove("kind");
        let kind = kind.as_ref().and_then(Value::as_str).ok_or_else(|| refusal(number, Reason::UnknownKind, None))?;
        let place = KINDS.iter().position(|one| one.name == kind);
        let place = place.ok_or_else(|| refusal(number, Reason::UnknownKind, None))?;
        if place < self.last {
            return Err(refusal(number, Reason::OutOfOrder, None));
        }
        self.last = place;
        let Some(kind) = KINDS.get(place) else { return Err(refusal(number, Reason::UnknownKind, None)) };
        let line = kind.parse(&fields).map_err(|fault| match fault {
            Fault::Missing(column) => refusal(number, Reason::MissingField, Some(column)),
            Fault::Bad("confidence") => {
                let error = refusal(number, Reason::BadValue, Some("confidence"));
                Error { code: Code::ConfidenceOutOfRange, ..error }
            }
            Fault::Bad(column) => refusal(number, Reason::BadValue, Some(column)),
            Fault::Unknown => refusal(number, Reason::UnknownField, None),
        })?;
        self.check_book(number, kind, &line)?;
        if let Some(column) = contradiction(&line) {
            return Err(refusal(number, Reason::BadValue, Some(column)));
        }
        Ok(Some(Numbered { number, line }))
    }

    /// Every line belongs to a project of the file; in the file of one project, to that one.
    fn check_book(&mut self, number: u32, kind: &Kind, line: &Line) -> Result<()> {
        let own = self.header.project_id.as_ref();
        let holds = match line.project() {
            Some(book) if kind.name == "project" => {
                let holds = own.is_none_or(|own| *own == book);
                self.books.insert(book);
                holds
            }
            // A promoted answer is of no project.
            Some(book) if book == Answer::no_project() => own.is_none() && kind.name.starts_with("answer"),
            Some(book) => self.books.contains(&book),
            // A rule may have been global for a while; pauses belong to all projects.
            None => own.is_none() || ["ruleVersion", "pause"].contains(&kind.name),
        };
        if holds { Ok(()) } else { Err(other_project_error(number)) }
    }
}

/// A file of at most `max` bytes, limited to its present length: a file that grows meanwhile, or has no end, is not
/// read beyond it.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT`, with the reason `noFile` or `tooLarge`.
pub(in crate::engine) fn open_limited(path: &Path, max: u64) -> Result<Source> {
    Source::open(path, max).map_err(|error| {
        let reason = if matches!(error, FileError::TooLarge) { Reason::TooLarge } else { Reason::NoFile };
        let details = Details { field: Some("path".into()), reason: Some(reason), ..Details::default() };
        Error::with_details(Code::InvalidArgument, format!("path: {error}"), details)
            .caused_by(error)
            .while_doing("open a file")
    })
}

/// The refusal of line `number` of a file, counted from 1; `column` is the invalid field.
pub(in crate::engine) fn refusal(number: u32, reason: Reason, column: Option<&str>) -> Error {
    let of = column.map(|column| format!(" ({})", field(column))).unwrap_or_default();
    let details = Details { field: column.map(field), reason: Some(reason), line: Some(number), ..Details::default() };
    Error::with_details(Code::InvalidArgument, format!("line {number} cannot be taken: {reason}{of}"), details)
}

/// The refusal of a line with a project that it cannot have.
pub(super) fn other_project_error(number: u32) -> Error {
    Error { code: Code::ScopeDenied, ..refusal(number, Reason::OtherBook, None) }
}

fn read_line(input: &mut impl BufRead, text: &mut Vec<u8>, number: u32) -> Result<Option<Map<String, Value>>> {
    text.clear();
    let read = input.take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', text);
    read.map_err(|error| refusal(number, Reason::Unreadable, None).caused_by(error).while_doing("read a file"))?;
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > MAX_LINE_BYTES {
        return Err(refusal(number, Reason::TooLong, None));
    }
    if text.last() != Some(&b'\n') {
        return Err(refusal(number, Reason::CutOff, None));
    }
    let line = std::str::from_utf8(text).map_err(|_| refusal(number, Reason::NotUtf8, None))?;
    serde_json::from_str(line).map(Some).map_err(|error| refusal(number, Reason::NotJson, None).caused_by(error))
}

fn read_header(fields: Map<String, Value>) -> Result<Header> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    if text("kind") != Some("header") || text("format") != Some(FORMAT) {
        return Err(refusal(1, Reason::OtherFormat, None));
    }
    // Checked first: a later version may have any fields.
    if fields.get("version").and_then(Value::as_u64) > Some(FORMAT_VERSION.into()) {
        return Err(refusal(1, Reason::NewerVersion, None));
    }
    let header: Header = serde_json::from_value(Value::Object(fields))
        .map_err(|error| refusal(1, Reason::BadValue, None).caused_by(error))?;
    let is_whole = header.version == FORMAT_VERSION && (header.scope == Wide::Project) == header.project_id.is_some();
    if is_whole { Ok(header) } else { Err(refusal(1, Reason::BadValue, None)) }
}

/// The column of a line that contradicts its other columns.
fn contradiction(line: &Line) -> Option<&'static str> {
    let text = |column: &str| line.text(column);
    match line.kind().name {
        "rule" => {
            let is_project = line.named("scope") == Some(Scope::Project);
            (is_project != line.project().is_some()).then_some("scope")
        }
        "ruleVersion" => {
            let rule: Rule = line.record("snapshot")?;
            let is_this = text("rule_id") == Some(rule.id.as_str())
                && line.number("version") == Some(rule.version.into())
                && line.project() == rule.project_id
                && text("rule") == Some(&rule.rule);
            (!is_this).then_some("snapshot")
        }
        "runChange" => {
            let change: RunChange = line.record("change")?;
            let of = |rule: &Option<Rule>| rule.as_ref().and_then(|rule| rule.project_id.clone());
            let books = [change.project_id.clone(), of(&change.before), of(&change.after)];
            let strange = books.iter().flatten().any(|book| Some(book) != line.project().as_ref());
            // The undo uses these identities.
            let other = [&change.before, &change.after].into_iter().flatten().any(|rule| rule.id != change.rule_id);
            (other || (strange && line.project().is_some())).then_some("change")
        }
        "evidence" => {
            let is_current = line.number("feature_version") == Some(style::VERSION.into());
            let sound = |column| {
                line.bytes(column).is_none_or(|bytes| {
                    let (floats, rest) = bytes.as_chunks::<4>();
                    rest.is_empty()
                        && floats.len().is_multiple_of(2)
                        && (!is_current || floats.len() == 2 * Feature::COUNT)
                        && floats.iter().all(|float| f32::from_le_bytes(*float).is_finite())
                })
            };
            let texts = line.bytes("texts").is_some_and(|bytes| {
                let Some((count, rest)) = bytes.split_first_chunk::<4>() else { return false };
                let count = u32::from_le_bytes(*count) as usize;
                let width = rest.len().checked_div(4 * count).unwrap_or(0);
                count <= 64 && rest.len() == 4 * count * width && (!is_current || [0, Feature::COUNT].contains(&width))
            });
            let unsound = ["choice", "written"].into_iter().find(|column| !sound(column));
            unsound.or((!texts).then_some("texts"))
        }
        "episode" => {
            let signal: Option<ImplicitSignal> = line.named("implicit");
            let weighed = signal.map(record::weight) == line.real("implicit_weight");
            let compressed = line.number("compressed") == Some(1);
            let candidates: Vec<String> = line.record("candidates")?;
            let chosen = line.number("selected_index").unwrap_or(-1);
            let points = compressed || chosen < i64::try_from(candidates.len()).unwrap_or(0);
            (!weighed)
                .then_some("implicit_weight")
                .or((!points).then_some("selected_index"))
                .or((compressed && text("summary").is_none()).then_some("summary"))
        }
        "features" => (!is_measured(line, "numbers", "version")).then_some("numbers"),
        "draft" => (!is_measured(line, "features", "feature_version")).then_some("features"),
        "followed" => text("recent")?.chars().any(|c| !"ypn".contains(c)).then_some("recent"),
        _ => None,
    }
}

fn is_measured(line: &Line, column: &str, version: &str) -> bool {
    let bytes = line.bytes(column).unwrap_or_default().len();
    let is_current = line.number(version) == Some(style::VERSION.into());
    bytes.is_multiple_of(4) && (!is_current || bytes == 4 * Feature::COUNT)
}
