//! The format of exported memories: one kind of line per table, with its columns and their types. An export and import
//! restores the same row.
//!
//! Invariant: a list here names every table of both files, as exported or as deliberately left out; a test reads the
//! schemas.

mod kinds;

pub(crate) use kinds::KINDS;

use palimpsest_text::single_spaced;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter, types::Value as Stored};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Tx, influences,
    stored::{self, InColumn, StoredName},
    traces,
};
use crate::{
    error::{Code, Error, Result},
    model::{DegradedReason, ProjectId, RecordKind, Rule, StoreFile, Time},
    validate,
};

/// The type of a column, and its form in a line.
#[derive(Clone, Copy)]
pub(crate) enum ColumnType {
    /// An id, 1 to 200 characters.
    Id,
    /// One line, 1 to so many characters. Invisible characters are removed.
    Line(usize),
    /// The title of a book.
    Title,
    /// The words of a rule: one line, 1 to so many characters, with white space normalised.
    RuleWords(usize),
    /// The same, or empty if the words were erased.
    Erasable(usize),
    /// At most so many bytes.
    Text(usize),
    /// A time in RFC 3339; milliseconds on disk.
    Time,
    /// A whole number between the two.
    Whole(i64, i64),
    /// A number between the two.
    Real(f64, f64),
    /// A boolean.
    Flag,
    /// Bytes, hexadecimal in a line.
    Bytes,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An enum of the domain, by its stored name.
    Named(fn(&str) -> bool),
    /// A list or record of the domain, with its functions for validation, serialization and parsing.
    Record(fn(&Value) -> Option<String>, fn(&str) -> Option<Value>),
}

/// A column of a table, and whether it is nullable.
pub(crate) struct Column {
    name: &'static str,
    of: ColumnType,
    null: bool,
}

pub(super) const fn must(name: &'static str, of: ColumnType) -> Column {
    Column { name, of, null: false }
}

pub(super) const fn may(name: &'static str, of: ColumnType) -> Column {
    Column { name, of, null: true }
}

/// A kind of line.
pub(crate) struct Kind {
    /// The kind on the wire.
    pub record: RecordKind,
    /// Its name in a file, the same as on the wire.
    pub name: &'static str,
    /// The file its table is in.
    pub file: StoreFile,
    pub(super) table: &'static str,
    pub(super) columns: &'static [Column],
    /// The key columns.
    pub(super) key: &'static [&'static str],
    /// The ORDER BY of an export.
    pub(super) order: &'static str,
    /// The WHERE clauses for an export of everything, and of one project (`?1`).
    pub(super) which: (&'static str, &'static str),
}

/// The defect of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A column is missing.
    Missing(&'static str),
    /// A column has an invalid value.
    Bad(&'static str),
    /// The line has an unknown field.
    Unknown,
}

/// A validated row, ready to be written.
#[derive(Clone)]
pub(crate) struct Line {
    kind: &'static Kind,
    values: Vec<Stored>,
}

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name && self.values == other.values
    }
}

impl Line {
    /// The text in a column.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        match self.value(column)? {
            Stored::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number in a column, or a time in milliseconds.
    pub(crate) fn number(&self, column: &str) -> Option<i64> {
        match self.value(column)? {
            Stored::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The fraction in a column.
    pub(crate) fn real(&self, column: &str) -> Option<f64> {
        match self.value(column)? {
            Stored::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// The bytes in a column.
    pub(crate) fn bytes(&self, column: &str) -> Option<&[u8]> {
        match self.value(column)? {
            Stored::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The list or record in a column.
    pub(crate) fn record<T: InColumn>(&self, column: &str) -> Option<T> {
        stored::parse(self.text(column)?).ok()
    }

    /// The enum in a column.
    pub(crate) fn named<T: StoredName>(&self, column: &str) -> Option<T> {
        T::of_stored_name(self.text(column)?)
    }

    /// Whether it equals another row in all columns but one.
    pub(crate) fn is_but_for(&self, column: &str, other: &Self) -> bool {
        let pairs = self.values.iter().zip(&other.values).zip(self.kind.columns);
        self.kind.name == other.kind.name && pairs.into_iter().all(|((one, two), of)| of.name == column || one == two)
    }

    /// UUID of its project, if it has one.
    pub(crate) fn project(&self) -> Option<ProjectId> {
        self.text("project_id").map(ProjectId::from)
    }

    /// The kind of the line.
    pub(crate) fn kind(&self) -> &'static Kind {
        self.kind
    }

    fn value(&self, column: &str) -> Option<&Stored> {
        self.values.get(self.kind.columns.iter().position(|one| one.name == column)?)
    }

    fn keys(&self) -> impl Iterator<Item = Stored> + '_ {
        self.kind.key.iter().map(|column| self.value(column).cloned().unwrap_or(Stored::Null))
    }
}

impl Kind {
    /// Parses a line of this kind, without its name.
    ///
    /// # Errors
    /// The defect of the line.
    pub(crate) fn parse(&'static self, fields: &Map<String, Value>) -> Result<Line, Fault> {
        let mut values = Vec::with_capacity(self.columns.len());
        let mut known = 0;
        for column in self.columns {
            let given = fields.get(&field(column.name));
            known += usize::from(given.is_some());
            values.push(match given {
                None | Some(Value::Null) if column.null => Stored::Null,
                None => return Err(Fault::Missing(column.name)),
                Some(given) => column.of.parse(given).ok_or(Fault::Bad(column.name))?,
            });
        }
        if known < fields.len() { Err(Fault::Unknown) } else { Ok(Line { kind: self, values }) }
    }

    /// Passes every row of all projects, or of one, as a line of text to `show`; `None` for an invalid row.
    ///
    /// # Errors
    /// Those of the store and of `show`.
    pub(crate) fn each(
        &self,
        db: &Connection,
        project_id: Option<&ProjectId>,
        mut show: impl FnMut(Option<&str>, Option<String>) -> Result<()>,
    ) -> Result<()> {
        let which = if project_id.is_some() { self.which.1 } else { self.which.0 };
        let owner = if self.has("project_id") { "project_id" } else { "NULL" };
        let seal = if ["traces", "influences"].contains(&self.table) { ", seal" } else { "" };
        let mut statement = db.prepare(&format!(
            "SELECT {}, {owner} AS owner{seal} FROM {} WHERE {which} ORDER BY {}",
            self.column_names(),
            self.table,
            self.order
        ))?;
        let mut rows = statement.query(params_from_iter(project_id.filter(|_| which.contains("?1"))))?;
        while let Some(row) = rows.next()? {
            let owner = row.get_ref("owner")?.as_str_or_null().map_err(rusqlite::Error::from)?;
            let holds = match self.table {
                "traces" => traces::holds(row)?,
                "influences" => influences::holds(db, row)?,
                _ => true,
            };
            show(owner, if holds { self.format_row(row)? } else { None })?;
        }
        Ok(())
    }

    fn format_row(&self, row: &Row<'_>) -> Result<Option<String>> {
        let mut text = format!("{{\"kind\":\"{}\"", self.name);
        for (at, column) in self.columns.iter().enumerate() {
            let Some(value) = column.of.to_json(row.get(at)?) else { return Ok(None) };
            let Ok(value) = serde_json::to_string(&value) else { return Ok(None) };
            text.push_str(&format!(",\"{}\":{value}", field(column.name)));
        }
        text.push('}');
        Ok(Some(text))
    }

    /// The existing row with the same key.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn find(&'static self, db: &Connection, line: &Line) -> Result<Option<Line>> {
        let mut statement =
            db.prepare_cached(&format!("SELECT {} FROM {} WHERE {}", self.column_names(), self.table, self.is_key(1)))?;
        let found = statement.query_row(params_from_iter(line.keys()), |row| {
            let values = self.columns.iter().enumerate().map(|(at, column)| {
                let stored: Stored = row.get(at)?;
                // Normalized as if written now: earlier versions may have used another form.
                let now = match stored {
                    Stored::Null => None,
                    ref stored => column.of.to_json(stored.clone()).and_then(|given| column.of.parse(&given)),
                };
                Ok(now.unwrap_or(stored))
            });
            Ok(Line { kind: self, values: values.collect::<Result<_, rusqlite::Error>>()? })
        });
        Ok(found.optional()?)
    }

    /// Inserts a row, with `extra` for columns that no line contains.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn insert(&self, tx: &Tx<'_>, line: &Line, more: &[(&str, Stored)]) -> Result<()> {
        let names = more.iter().fold(self.column_names(), |names, (name, _)| names + ", " + name);
        let places: Vec<String> = (1..=line.values.len() + more.len()).map(|at| format!("?{at}")).collect();
        let values = line.values.iter().chain(more.iter().map(|(_, value)| value));
        tx.prepare_cached(&format!("INSERT INTO {} ({names}) VALUES ({})", self.table, places.join(", ")))?
            .execute(params_from_iter(values))
            .map_err(constraint_error)?;
        Ok(())
    }

    /// Replaces the row with the same key by a line.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn replace(&self, tx: &Tx<'_>, line: &Line) -> Result<()> {
        let sets: Vec<String> =
            self.columns.iter().enumerate().map(|(at, column)| format!("{} = ?{}", column.name, at + 1)).collect();
        let keyed = self.is_key(self.columns.len() + 1);
        tx.prepare_cached(&format!("UPDATE {} SET {} WHERE {keyed}", self.table, sets.join(", ")))?
            .execute(params_from_iter(line.values.iter().cloned().chain(line.keys())))
            .map_err(constraint_error)?;
        Ok(())
    }

    fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|one| one.name == column)
    }

    fn column_names(&self) -> String {
        self.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    fn is_key(&self, first: usize) -> String {
        let keyed = self.key.iter().enumerate().map(|(at, name)| format!("{name} IS ?{}", first + at));
        keyed.collect::<Vec<_>>().join(" AND ")
    }
}

/// A row that violates a constraint is an invalid line, and no error of the file.
fn constraint_error(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::ConstraintViolation) => {
            Error::new(Code::InvalidArgument, "it does not go with what else is there").caused_by(error)
        }
        _ => error.into(),
    }
}

impl ColumnType {
    fn parse(self, given: &Value) -> Option<Stored> {
        let text = given.as_str();
        let fits = |checked: Result<()>| checked.ok();
        Some(match self {
            Self::Id => fits(validate::identity("", text?)).map(|()| Stored::Text(text.unwrap_or_default().into()))?,
            Self::Line(chars) => {
                // A file of an earlier version may contain invisible characters, which are refused now.
                let seen = palimpsest_text::unseen::without_unseen(text?);
                fits(validate::line("", &seen, chars)).map(|()| Stored::Text(seen))?
            }
            Self::Title => fits(validate::title("", text?)).map(|()| Stored::Text(text.unwrap_or_default().into()))?,
            Self::RuleWords(chars) => match Self::Line(chars).parse(given)? {
                Stored::Text(text) => Stored::Text(single_spaced(&text)),
                other => other,
            },
            Self::Erasable(_) if text == Some("") => Stored::Text(String::new()),
            Self::Erasable(chars) => return Self::RuleWords(chars).parse(given),
            Self::Text(bytes) => text.filter(|text| text.len() <= bytes).map(|text| Stored::Text(text.into()))?,
            Self::Time => Stored::Integer(text?.parse::<Time>().ok()?.millis()),
            Self::Whole(min, max) => given.as_i64().filter(|n| (min..=max).contains(n)).map(Stored::Integer)?,
            Self::Real(min, max) => given.as_f64().filter(|n| (min..=max).contains(n)).map(Stored::Real)?,
            Self::Flag => Stored::Integer(given.as_bool()?.into()),
            Self::Bytes => Stored::Blob(unhex(text?)?),
            Self::Word(words) => text.filter(|text| words.contains(text)).map(|text| Stored::Text(text.into()))?,
            Self::Named(is_one) => text.filter(|text| is_one(text)).map(|text| Stored::Text(text.into()))?,
            Self::Record(take, _) => Stored::Text(take(given)?),
        })
    }

    fn to_json(self, stored: Stored) -> Option<Value> {
        Some(match (self, stored) {
            (_, Stored::Null) => Value::Null,
            (Self::Time, Stored::Integer(millis)) => serde_json::to_value(Time::from_millis(millis)).ok()?,
            (Self::Flag, Stored::Integer(flag)) => Value::Bool(flag != 0),
            (Self::Record(_, give), Stored::Text(text)) => give(&text)?,
            (_, Stored::Integer(number)) => number.into(),
            (_, Stored::Real(number)) => serde_json::Number::from_f64(number)?.into(),
            (_, Stored::Text(text)) => text.into(),
            (_, Stored::Blob(bytes)) => hex(&bytes).into(),
        })
    }
}

/// Whether a word is the stored name of a value of an enum.
pub(super) fn is_named<T: StoredName>(name: &str) -> bool {
    T::of_stored_name(name).is_some()
}

/// A list or record, serialized as the store does it; `None` if it is invalid or has unknown fields.
pub(super) fn parse_record<T: InColumn>(given: &Value) -> Option<String> {
    let value = T::Stored::deserialize(given).ok()?;
    let again = serde_json::to_value(&value).ok()?;
    holds_all(&again, given).then(|| serde_json::to_string(&value).ok())?
}

/// A rule as its history stores it, with its words as [`ColumnType::RuleWords`] stores them, so that it equals its
/// columns in the same line.
pub(super) fn parse_rule(given: &Value) -> Option<String> {
    let mut given = given.clone();
    for field in ["rule", "sceneType", "skillUsed"] {
        if let Some(Value::String(text)) = given.get_mut(field) {
            *text = palimpsest_text::unseen::without_unseen(text);
        }
    }
    if let Some(Value::String(text)) = given.get_mut("rule") {
        *text = single_spaced(text);
    }
    parse_record::<Rule>(&given)
}

/// The stored value of a column in its present form.
pub(super) fn format_record<T: InColumn>(text: &str) -> Option<Value> {
    present(stored::parse::<T>(text).ok()?)
}

/// A rule as its history stores it.
pub(super) fn format_rule(text: &str) -> Option<Value> {
    present(stored::read_rule(text).ok()?)
}

/// The reasons for a degradation as a trace stores them.
pub(super) fn given_reasons(text: &str) -> Option<Value> {
    present::<Vec<DegradedReason>>(stored::read_reasons(text).ok()?)
}

fn present<T: InColumn>(value: T) -> Option<Value> {
    serde_json::to_value(value.into_stored()).ok()
}

/// Whether every field of `given` was parsed.
fn holds_all(again: &Value, given: &Value) -> bool {
    match (again, given) {
        (Value::Object(again), Value::Object(given)) => given.iter().all(|(name, value)| match again.get(name) {
            Some(again) => holds_all(again, value),
            // Fields that are left out when they are empty.
            None => value.is_null(),
        }),
        (Value::Array(again), Value::Array(given)) => {
            again.len() == given.len() && again.iter().zip(given).all(|(again, given)| holds_all(again, given))
        }
        _ => true,
    }
}

/// The name of a column in a line. `kind` is taken there by the kind of the line.
pub(crate) fn field(column: &str) -> String {
    if column == "kind" {
        return "what".into();
    }
    let mut parts = column.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut letters = part.chars();
        let initial: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        name + &initial + letters.as_str()
    })
}

fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).and_then(|n| u8::try_from(n).ok())).collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
