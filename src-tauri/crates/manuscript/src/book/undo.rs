//! Undoes the last import as a whole, until a chapter of it was changed.
//!
//! The imported files are recorded in `.palimpsest/last-import.json`. Undoing uses the journal of imports: after a
//! crash the next opening of the book removes the rest.

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Book, Chapter, incoming};
use crate::disk::{self, WriteMode};
use crate::error::{Error, Result, log_failure, or_log};
use crate::id::ChapterId;
use crate::identity;

const RECORD_FILE: &str = ".palimpsest/last-import.json";

/// The chapters of the last import, with the hashes of their files.
#[derive(Serialize, Deserialize)]
struct ImportRecord {
    chapters: Vec<(ChapterId, String)>,
}

/// An import that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastImport {
    /// The id of its first chapter.
    pub import_id: String,
    /// Number of its chapters.
    pub chapters: usize,
}

impl Book {
    /// The last import, if none of its chapters was changed, renamed or removed since.
    pub fn last_import(&self) -> Option<LastImport> {
        let record = read_record(&self.root)?;
        let import_id = record.chapters.first()?.0.to_string();
        self.unchanged_files(&record)?;
        Some(LastImport { import_id, chapters: record.chapters.len() })
    }

    /// Removes the chapters of an import, all of them or none. Returns their number.
    ///
    /// # Errors
    /// [`Error::ImportChanged`] if it is not the last one or a chapter of it was changed; [`Error::Io`].
    pub fn undo_import(&mut self, import_id: &str) -> Result<usize> {
        let record = read_record(&self.root).ok_or(Error::ImportChanged)?;
        if record.chapters.first().is_none_or(|(first, _)| first.as_str() != import_id) {
            return Err(Error::ImportChanged);
        }
        let files = self.unchanged_files(&record).ok_or(Error::ImportChanged)?;
        let journal = incoming::create_journal(&self.root, files.clone())?;
        incoming::remove_unchanged(&self.root, files.iter().map(|(file, hash)| (file.as_str(), hash.as_str())));
        // A file that was changed in this moment stays, as a chapter.
        let remaining: HashSet<&str> = (files.iter())
            .filter(|(file, _)| disk::file_hash(&self.root, file).is_some())
            .map(|(file, _)| file.as_str())
            .collect();
        let removed: HashSet<ChapterId> = (record.chapters.iter().zip(&files))
            .filter(|(_, (file, _))| !remaining.contains(file.as_str()))
            .map(|((chapter_id, _), _)| chapter_id.clone())
            .collect();
        self.ids.chapters.retain(|entry| !removed.contains(&entry.chapter_id));
        self.ids.order.retain(|chapter_id| !removed.contains(chapter_id));
        self.chapters.retain(|chapter| !removed.contains(&chapter.chapter_id));
        self.sketches.retain(|chapter_id, _| !removed.contains(chapter_id));
        self.sketches_on_disk = false;
        self.ledger.update_chapters(&self.chapters);
        // An id without a file is no chapter; the next rescan writes the ids.
        log_failure("save ids", identity::save(&self.root, &self.ids));
        incoming::remove_journal(&self.root, journal);
        log_failure("remove the record of an import", disk::remove(&self.root, RECORD_FILE));
        Ok(removed.len())
    }

    /// The files of an import with their hashes; `None` if one of them is not as it was imported.
    fn unchanged_files(&self, record: &ImportRecord) -> Option<Vec<(String, String)>> {
        let file = |(chapter_id, hash): &(ChapterId, String)| {
            let file = self.chapter(chapter_id).ok()?.file.clone();
            (disk::file_hash(&self.root, &file).as_ref() == Some(hash)).then(|| (file, hash.clone()))
        };
        record.chapters.iter().map(file).collect()
    }
}

/// Records an import. Without the record it cannot be undone.
pub(super) fn remember(root: &Path, added: &[Chapter], continued: Option<&str>) {
    let earlier = read_record(root)
        .filter(|record| continued.is_some() && record.chapters.first().map(|(first, _)| first.as_str()) == continued);
    let mut chapters = earlier.map(|record| record.chapters).unwrap_or_default();
    chapters
        .extend(added.iter().filter_map(|chapter| Some((chapter.chapter_id.clone(), chapter.content_hash.clone()?))));
    let written = serde_json::to_vec(&ImportRecord { chapters })
        .map_err(|_| Error::not_json("write JSON", RECORD_FILE))
        .and_then(|bytes| disk::replace(root, RECORD_FILE, &bytes, WriteMode::Replace));
    log_failure("record an import", written);
}

fn read_record(root: &Path) -> Option<ImportRecord> {
    let bytes = or_log("read the record of an import", disk::read(root, RECORD_FILE)).flatten()?;
    serde_json::from_slice(&bytes).ok()
}
