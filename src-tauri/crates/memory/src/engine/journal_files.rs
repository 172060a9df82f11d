//! Export and import of a journal: `entries.json` of the specification, and JSON Lines.

use std::{io::Read, path::Path};

use serde::{Deserialize, Serialize};

use super::{
    Engine,
    export::cannot_write,
    import::{open_limited, refusal},
};
use crate::{
    error::{Code, Error, Result},
    model::{
        Changed, ExportJournal, ExportedJournal, ImportJournal, ImportedJournal, JournalEntry, JournalEntryId,
        JournalFormat, JournalKind, OwnerKind, ProjectId, Reason, Time, Topic, WordedBy,
    },
    storage::{
        Tx, deletions,
        journal::{self, NewEntry},
        vectors,
    },
    validate,
};

/// Maximum size of an imported file, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// An entry of `entries.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecifiedEntry {
    id: String,
    timestamp: String,
    content: String,
    /// The vector of the content; empty where the encoder has not made it. It is made again after an import.
    embedding: Vec<f32>,
}

/// A line of the other format.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EntryLine {
    id: String,
    timestamp: String,
    kind: JournalKind,
    content: String,
    #[serde(default)]
    ref_id: Option<String>,
}

/// An entry of a file, with its number from 1.
struct ReadEntry {
    number: u32,
    id: JournalEntryId,
    at: Time,
    kind: JournalKind,
    content: String,
    ref_id: Option<String>,
}

impl Engine {
    /// Exports the entries of a book, the earliest first. Redacted ones have nothing to export.
    ///
    /// # Errors
    /// As [`Engine::export`].
    pub fn export_journal(&self, args: &ExportJournal, path: &Path) -> Result<ExportedJournal> {
        let _alone = self.upkeep.lock_files();
        self.nothing_is_cleared()?;
        let _open = self.visit(&args.project_id)?;
        let (entries, mut vectors) = {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            let reader = reader.snapshot()?;
            let with_vectors = args.format == JournalFormat::Entries;
            let vectors = if with_vectors {
                vectors::of_kind(&reader, &args.project_id, OwnerKind::Journal)?
            } else {
                Default::default()
            };
            (journal::all(&reader, &args.project_id)?, vectors)
        };
        let (kept, redacted): (Vec<JournalEntry>, Vec<_>) = entries.into_iter().partition(|entry| !entry.is_redacted);
        self.write_out(path, |out| {
            let mut write = |text: &str| out.write_all(text.as_bytes()).map_err(|error| cannot_write(&error));
            let is_specified = args.format == JournalFormat::Entries;
            if is_specified {
                write("[")?;
            }
            for (number, entry) in kept.iter().enumerate() {
                let (id, timestamp, content) =
                    (entry.id.to_string(), entry.timestamp.to_string(), entry.content.clone());
                let text = if is_specified {
                    let embedding = vectors.remove(entry.id.as_str()).unwrap_or_default();
                    let text = serde_json::to_string(&SpecifiedEntry { id, timestamp, content, embedding });
                    text.map(|text| format!("{}\n{text}", if number > 0 { "," } else { "" }))
                } else {
                    let (kind, ref_id) = (entry.kind, entry.ref_id.clone());
                    serde_json::to_string(&EntryLine { id, timestamp, kind, content, ref_id }).map(|text| text + "\n")
                };
                write(&text.map_err(|error| Error::new(Code::WriteFailed, "an entry is no JSON").caused_by(error))?)?;
            }
            if is_specified { write("\n]\n") } else { Ok(()) }
        })?;
        let count = |entries: &[JournalEntry]| u32::try_from(entries.len()).unwrap_or(u32::MAX);
        Ok(ExportedJournal { entries: count(&kept), redacted: count(&redacted), exported_at: self.clock.now() })
    }

    /// Imports entries behind those of a book: all of them or none. An entry that is there stays as it is; one that the
    /// writer redacted does not come back.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, with the reason and the number of the line or of the entry in `details`;
    /// `MEMORY_SCOPE_DENIED` for an entry of another book; `MEMORY_NOT_FOUND`; those of the store.
    pub fn import_journal(&self, args: &ImportJournal, path: &Path) -> Result<Changed<ImportedJournal>> {
        // Read before any lock is taken: the file may be on slow storage.
        let entries = read_entries(path, self.clock.now())?;
        let _alone = self.upkeep.lock_files();
        self.nothing_is_cleared()?;
        let _open = self.visit(&args.project_id)?;
        let tried = self.sort_entries(&args.project_id, &entries)?;
        let mut report = ImportedJournal { dry_run: args.dry_run, ..tried.1 };
        if args.dry_run || tried.0.is_empty() {
            return Ok(Changed::new(report, None, []));
        }
        self.back_up_before_import()?;
        let now = self.clock.now();
        self.stores.episodes.open()?.write("import a journal", |tx| {
            tried.0.iter().try_for_each(|entry| self.append_imported(tx, &args.project_id, entry, now))
        })?;
        report.backed_up = true;
        Ok(Changed::new(report, Some(args.project_id.clone()), [Topic::Journal, Topic::Backups]))
    }

    fn append_imported(&self, tx: &Tx<'_>, project_id: &ProjectId, entry: &ReadEntry, now: Time) -> Result<()> {
        let new = NewEntry {
            id: entry.id.clone(),
            project_id: project_id.clone(),
            at: entry.at,
            kind: entry.kind,
            ref_id: entry.ref_id.clone(),
            content: entry.content.clone(),
            worded_by: WordedBy::Client,
            salt: self.salt(now),
        };
        journal::append(tx, &new)
    }

    /// The entries that are new, and what becomes of the others.
    fn sort_entries<'e>(
        &self,
        project_id: &ProjectId,
        entries: &'e [ReadEntry],
    ) -> Result<(Vec<&'e ReadEntry>, ImportedJournal)> {
        let (rules_db, episodes_db) = (self.stores.rules.open()?, self.stores.episodes.open()?);
        let (rules, reader) = (rules_db.reader()?, episodes_db.reader()?);
        let mut report = ImportedJournal { dry_run: true, new: 0, same: 0, left_out: 0, backed_up: false };
        let mut added: Vec<&ReadEntry> = Vec::new();
        let mut ids = std::collections::HashSet::new();
        for entry in entries {
            match journal::get(&reader, &entry.id)? {
                Some(here) if here.project_id != *project_id => {
                    return Err(Error {
                        code: Code::ScopeDenied,
                        ..refusal(entry.number, Reason::OtherBook, Some("id"))
                    });
                }
                Some(here) if here.content == entry.content => report.same += 1,
                Some(_) => report.left_out += 1,
                None if deletions::exists(&rules, deletions::JOURNAL, entry.id.as_str())? => report.left_out += 1,
                None if !ids.insert(&entry.id) => return Err(refusal(entry.number, Reason::BadValue, Some("id"))),
                None => {
                    report.new += 1;
                    added.push(entry);
                }
            }
        }
        Ok((added, report))
    }
}

/// The entries of a file: `entries.json` if it begins with `[`, else JSON Lines.
fn read_entries(path: &Path, now: Time) -> Result<Vec<ReadEntry>> {
    let mut bytes = Vec::new();
    open_limited(path, MAX_BYTES)?
        .read_to_end(&mut bytes)
        .map_err(|error| refusal(1, Reason::Unreadable, None).caused_by(error).while_doing("read a file"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let lines = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count();
        refusal(number_of(lines), Reason::NotUtf8, None)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim_start().starts_with('[') {
        let list: Vec<serde_json::Value> = serde_json::from_str(text).map_err(|error| {
            let reason = if error.is_eof() { Reason::CutOff } else { Reason::NotJson };
            refusal(u32::try_from(error.line()).unwrap_or(u32::MAX), reason, None)
        })?;
        let entries = list.into_iter().enumerate().map(|(index, value)| {
            let number = number_of(index);
            let read: SpecifiedEntry = from_value(value, number)?;
            checked(number, &read.id, &read.timestamp, JournalKind::Note, read.content, None, now)
        });
        return entries.collect();
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let entries = lines.map(|(index, line)| {
        let number = number_of(index);
        let value = serde_json::from_str(line).map_err(|_| refusal(number, Reason::NotJson, None))?;
        let read: EntryLine = from_value(value, number)?;
        checked(number, &read.id, &read.timestamp, read.kind, read.content, read.ref_id, now)
    });
    entries.collect()
}

fn number_of(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}

/// A record of a file. The error of the parser is not passed on: it may quote the file.
fn from_value<T: serde::de::DeserializeOwned>(value: serde_json::Value, number: u32) -> Result<T> {
    serde_json::from_value(value).map_err(|_| refusal(number, Reason::BadValue, None))
}

fn checked(
    number: u32,
    id: &str,
    timestamp: &str,
    kind: JournalKind,
    content: String,
    ref_id: Option<String>,
    now: Time,
) -> Result<ReadEntry> {
    let bad = |column: &'static str| move |_| refusal(number, Reason::BadValue, Some(column));
    validate::identity("id", id).map_err(bad("id"))?;
    validate::lines("content", &content, validate::JOURNAL_CHARS).map_err(bad("content"))?;
    ref_id.as_deref().map_or(Ok(()), |id| validate::identity("refId", id)).map_err(bad("ref_id"))?;
    let at = timestamp.parse::<Time>().ok().filter(|at| *at <= now);
    let at = at.ok_or_else(|| refusal(number, Reason::BadValue, Some("timestamp")))?;
    Ok(ReadEntry { number, id: id.into(), at, kind, content, ref_id })
}
