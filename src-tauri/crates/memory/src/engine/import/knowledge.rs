//! Import of the settings of the knowledge of a book, and of craft notes.

use std::cmp::Ordering;

use rusqlite::types::Value;

use super::{Verdict, reading::Numbered, rules::RulesImport};
use crate::error::Result;

impl RulesImport<'_> {
    /// The later version counts. Whether the book is studied is decided here, not by the file.
    pub(super) fn import_knowledge_settings(&self, one: &Numbered) -> Result<Verdict> {
        let off = [("is_study_on", Value::Integer(0)), ("is_deep", Value::Integer(0))];
        self.import_version(one, &off)
    }

    /// The later version of a craft note counts. The file of one book has none.
    pub(super) fn import_practice(&self, one: &Numbered) -> Result<Verdict> {
        if self.everything { self.import_version(one, &[]) } else { Ok(Verdict::LeftOut) }
    }

    /// Inserts a row, or replaces an earlier version of it.
    pub(super) fn import_version(&self, one: &Numbered, more: &[(&str, Value)]) -> Result<Verdict> {
        let Some(here) = one.line.kind().find(self.tx, &one.line)? else {
            one.line.kind().insert(self.tx, &one.line, more)?;
            return Ok(Verdict::New);
        };
        match here.number("version").cmp(&one.line.number("version")) {
            Ordering::Greater => Ok(Verdict::LeftOut),
            Ordering::Equal => super::compare_with_stored(self.tx, one),
            Ordering::Less => {
                one.line.kind().replace(self.tx, &one.line)?;
                Ok(Verdict::Newer)
            }
        }
    }
}
