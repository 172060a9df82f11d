//! Deleted chapters: their files, moved into the book's hidden folder until the writer restores them.
//!
//! A deleted chapter stays in the id file as one whose file is missing does, with its scene type and its place in the
//! order. Deleting and restoring are one rename each.

use std::collections::HashSet;
use std::path::Path;

use super::{Book, Chapter};
use crate::chapter_files;
use crate::disk::{self, WriteMode};
use crate::error::{Error, Result, log_failure, or_log};
use crate::id::ChapterId;
use crate::identity::{self, Entry};
use crate::text;

const FOLDER: &str = ".palimpsest/deleted";
const FILE_EXTENSION: &str = ".md";

/// A chapter whose file was moved away until the writer restores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedChapter {
    /// Unique among the deleted chapters of the book; its file name without the extension.
    pub deleted_id: String,
    /// The id that it has again once it is restored.
    pub chapter_id: ChapterId,
    /// In milliseconds since 1970.
    pub deleted_at: i64,
}

impl DeletedChapter {
    fn new(chapter_id: &ChapterId, deleted_at: i64) -> Self {
        let deleted_at = deleted_at.max(0);
        let deleted_id = format!("{deleted_at:013}-{chapter_id}");
        Self { deleted_id, chapter_id: chapter_id.clone(), deleted_at }
    }

    /// Parses the file name, which holds all metadata; `None` for another name.
    fn parse(deleted_id: &str) -> Option<Self> {
        let (at, chapter_id) = deleted_id.split_once('-')?;
        if at.len() < 13 || !at.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        identity::check_id(chapter_id).ok()?;
        Some(Self { deleted_id: deleted_id.to_owned(), chapter_id: chapter_id.into(), deleted_at: at.parse().ok()? })
    }

    fn file(&self) -> String {
        format!("{FOLDER}/{}{FILE_EXTENSION}", self.deleted_id)
    }
}

impl Book {
    /// Moves a chapter's file into the folder of deleted chapters. `at`: milliseconds since 1970.
    ///
    /// # Errors
    /// [`Error::UnknownChapter`], [`Error::ChapterGone`]; [`Error::Io`]: the chapter is then still in its place.
    pub fn delete_chapter(&mut self, chapter_id: &ChapterId, at: i64) -> Result<DeletedChapter> {
        let file = self.chapter(chapter_id)?.file.clone();
        let taken = self.deleted_chapters()?;
        let mut deleted = DeletedChapter::new(chapter_id, at);
        while taken.iter().any(|other| other.deleted_id == deleted.deleted_id) {
            deleted = DeletedChapter::new(chapter_id, deleted.deleted_at.saturating_add(1));
        }
        disk::make_folders(&self.root, FOLDER)?;
        // The watch does not report a chapter that the book itself removes.
        self.ledger.remove(chapter_id);
        if let Err(error) = disk::rename(&self.root, &file, &deleted.file()) {
            self.ledger.update_chapters(&self.chapters);
            return Err(error);
        }
        log_failure("flush a folder", disk::flush(&self.root, folder_of(&file)));
        self.chapters.retain(|chapter| chapter.chapter_id != *chapter_id);
        Ok(deleted)
    }

    /// The deleted chapters, the last one first.
    ///
    /// # Errors
    /// [`Error::Link`], [`Error::Io`].
    pub fn deleted_chapters(&self) -> Result<Vec<DeletedChapter>> {
        let is_listed = |id: &ChapterId| self.chapters.iter().any(|chapter| chapter.chapter_id == *id);
        let mut found: Vec<DeletedChapter> = disk::files_in(&self.root, FOLDER)?
            .into_iter()
            .filter_map(|(name, _)| DeletedChapter::parse(name.strip_suffix(FILE_EXTENSION)?))
            // A restore that was interrupted has written the chapter and not removed this file.
            .filter(|deleted| !is_listed(&deleted.chapter_id))
            .collect();
        found.sort_by(|a, b| b.deleted_at.cmp(&a.deleted_at).then_with(|| b.deleted_id.cmp(&a.deleted_id)));
        Ok(found)
    }

    /// Title and text of a deleted chapter; no text if it is not UTF-8.
    ///
    /// # Errors
    /// [`Error::UnknownChapter`] if its file no longer exists, [`Error::TooLarge`], [`Error::Link`], [`Error::Io`].
    pub fn read_deleted(&self, deleted: &DeletedChapter) -> Result<(String, Option<String>)> {
        let bytes = disk::read(&self.root, &deleted.file())?.ok_or(Error::UnknownChapter)?;
        let text = std::str::from_utf8(&bytes).ok().map(text::decode);
        let path = self.entry(&deleted.chapter_id).map(|entry| entry.file.as_str()).unwrap_or_default();
        let title = text.as_deref().and_then(text::title).unwrap_or_else(|| chapter_files::file_stem(path)).to_owned();
        Ok((title, text))
    }

    /// Restores a deleted chapter under its former file name, or under the next free one.
    ///
    /// # Errors
    /// [`Error::UnknownChapter`] for one that is not deleted; [`Error::TooLarge`], [`Error::Link`], [`Error::Io`]: it
    /// then stays deleted.
    pub fn restore_deleted(&mut self, deleted_id: &str) -> Result<Chapter> {
        let known = self.deleted_chapters()?.into_iter().find(|deleted| deleted.deleted_id == deleted_id);
        let deleted = known.ok_or(Error::UnknownChapter)?;
        let (title, _) = self.read_deleted(&deleted)?;
        let bytes = disk::read(&self.root, &deleted.file())?.ok_or(Error::UnknownChapter)?;
        let chapter_id = deleted.chapter_id.clone();
        let former = self.entry(&chapter_id).map(|entry| entry.file.clone()).unwrap_or_default();
        let file = self.free_file_name(&former, &title)?;
        self.set_file(&chapter_id, &file, None);
        self.write_bytes(&chapter_id, &file, &bytes, WriteMode::CreateNew)?;
        // One that cannot be removed is not listed while the chapter exists.
        log_failure("remove a deleted chapter", disk::remove(&self.root, &deleted.file()));
        self.chapter(&chapter_id).cloned()
    }

    /// Sets the path of a chapter in the id file, and its content hash if given. Adds a chapter that is not listed
    /// there.
    pub(super) fn set_file(&mut self, chapter_id: &ChapterId, file: &str, hash: Option<&str>) {
        match self.ids.chapters.iter_mut().find(|entry| entry.chapter_id == *chapter_id) {
            Some(entry) => {
                file.clone_into(&mut entry.file);
                if let Some(hash) = hash {
                    hash.clone_into(&mut entry.hash);
                }
            }
            None => {
                let hash = hash.unwrap_or_default().to_owned();
                self.ids.chapters.push(Entry::new(chapter_id.clone(), file.to_owned(), hash));
            }
        }
    }

    /// The former path of a chapter if it is free; else a free name in the same folder, after the former one or after
    /// the title.
    fn free_file_name(&self, former: &str, title: &str) -> Result<String> {
        let part = folder_of(former);
        if !part.is_empty() {
            disk::make_folders(&self.root, part)?;
        }
        let taken = self.names_in(part)?;
        let name = former.rsplit('/').next().unwrap_or(former);
        let is_free = |name: &str| !taken.contains(&name.to_lowercase());
        if chapter_files::is_chapter_name(name) && is_free(name) {
            return Ok(former.to_owned());
        }
        let stem = chapter_files::file_stem(name);
        let stem = if stem.is_empty() { title } else { stem };
        let name = chapter_files::new_file_name(stem, None, |name| taken.iter().any(|other| other == name));
        Ok(if part.is_empty() { name } else { format!("{part}/{name}") })
    }

    /// The chapters in the id file as files are matched to them: the name of a deleted one belongs to the next chapter
    /// that gets it.
    pub(super) fn entries_to_match(&self) -> Vec<Entry> {
        let names = or_log("list deleted chapters", disk::files_in(&self.root, FOLDER)).unwrap_or_default();
        let deleted: HashSet<ChapterId> = (names.iter())
            .filter_map(|(name, _)| DeletedChapter::parse(name.strip_suffix(FILE_EXTENSION)?))
            .map(|deleted| deleted.chapter_id)
            .collect();
        let mut entries = self.ids.chapters.clone();
        for entry in entries.iter_mut().filter(|entry| deleted.contains(&entry.chapter_id)) {
            entry.file.clear();
        }
        entries
    }

    /// Removes the deleted copies of a chapter that has its file again.
    pub(super) fn discard_deleted(&self, chapter_id: &ChapterId) {
        for (name, _) in disk::files_in(&self.root, FOLDER).unwrap_or_default() {
            let deleted = name.strip_suffix(FILE_EXTENSION).and_then(DeletedChapter::parse);
            if let Some(deleted) = deleted.filter(|deleted| deleted.chapter_id == *chapter_id) {
                log_failure("remove a deleted chapter", disk::remove(&self.root, &deleted.file()));
            }
        }
    }
}

/// The folder of a path inside the book; empty for the book's own.
fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Gives the deleted chapters in the book at `root` new chapter ids (old, new). Those that cannot be renamed stay.
pub(crate) fn rename_deleted(root: &Path, renamed: &[(ChapterId, ChapterId)]) {
    for (name, _) in disk::files_in(root, FOLDER).unwrap_or_default() {
        let Some(deleted) = name.strip_suffix(FILE_EXTENSION).and_then(DeletedChapter::parse) else { continue };
        let Some((_, new)) = renamed.iter().find(|(old, _)| *old == deleted.chapter_id) else { continue };
        let moved = disk::rename(root, &deleted.file(), &DeletedChapter::new(new, deleted.deleted_at).file());
        log_failure("rename a deleted chapter", moved);
    }
}
