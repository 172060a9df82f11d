//! Splits a chapter in two, merges two chapters, and undoes the last of either: as a whole or not at all, also through
//! a crash.
//!
//! A split and the undo of a merge lead from one joined chapter to two; a merge and the undo of a split lead back. The
//! texts of both sides are written to `.palimpsest/change` first, then a record of the hashes, which is the point from
//! which the change is carried out: on the next opening if not at once. If another program changes one of the files in
//! between, the change is given up and both chapters are as before. What the memory knows of the passages follows in
//! the caller's own transaction; until then the record says so.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Book;
use crate::chapter_files;
use crate::disk::{self, MAX_CHAPTER_BYTES, WriteMode};
use crate::error::{Error, Result, log_failure, or_log};
use crate::id::ChapterId;
use crate::identity;
use crate::split_point::{SplitPoint, join_texts, split_text};
use crate::text;

const FOLDER: &str = ".palimpsest/change";
const RECORD_FILE: &str = ".palimpsest/change/change.json";
const JOINED_FILE: &str = ".palimpsest/change/joined.md";
const FIRST_FILE: &str = ".palimpsest/change/first.md";
const SECOND_FILE: &str = ".palimpsest/change/second.md";
const FORMAT: u64 = 1;

/// A split or a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// One chapter became two.
    Split,
    /// A chapter and the next one became one.
    Merge,
}

/// A split or merge that was carried out, or undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChapterChange {
    /// For its undo.
    pub change_id: String,
    /// Of the change, also where it was undone.
    pub kind: ChangeKind,
    /// The chapter that was split, or merged with the next one.
    pub chapter_id: ChapterId,
    /// The second part: a chapter after a split or after the undo of a merge.
    pub second_id: ChapterId,
}

/// The memories that a merge moved from the second chapter to the first, by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedMemories {
    /// UUIDs of episodes.
    pub episodes: Vec<String>,
    /// UUIDs of generations.
    pub generations: Vec<String>,
}

/// A change whose memories have not followed yet.
#[derive(Clone, PartialEq, Eq)]
pub struct PendingMemories {
    /// The split or merge that was carried out or undone.
    pub change: ChapterChange,
    /// Whether the two chapters are one now.
    pub is_joined: bool,
    /// The text of both.
    pub joined: String,
    /// The text of the first.
    pub first: String,
    /// The text of the second.
    pub second: String,
    /// The positions of the parts in the joined text.
    pub point: SplitPoint,
    /// The memories that a merge moves or has moved, once they are known.
    pub moved: Option<MovedMemories>,
}

impl std::fmt::Debug for PendingMemories {
    // The texts are private: not even a failed assertion shows them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingMemories")
            .field("change", &self.change)
            .field("is_joined", &self.is_joined)
            .finish_non_exhaustive()
    }
}

/// The record of the last change, `.palimpsest/change/change.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    format: u64,
    change_id: String,
    kind: ChangeKind,
    /// Whether the two chapters become one; `false`: one becomes two.
    is_joined: bool,
    /// Whether the files of the chapters are written.
    are_files_done: bool,
    /// Whether the memories have followed.
    are_memories_done: bool,
    chapter_id: ChapterId,
    second_id: ChapterId,
    /// The path of the joined chapter and of the first one.
    file: String,
    second_file: String,
    /// Content hashes of the files.
    joined_hash: String,
    first_hash: String,
    second_hash: String,
    point: SplitPoint,
    /// Milliseconds since 1970.
    at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moved: Option<MovedMemories>,
}

impl Record {
    fn change(&self) -> ChapterChange {
        ChapterChange {
            change_id: self.change_id.clone(),
            kind: self.kind,
            chapter_id: self.chapter_id.clone(),
            second_id: self.second_id.clone(),
        }
    }

    fn is_undone(&self) -> bool {
        self.is_joined == (self.kind == ChangeKind::Split)
    }
}

impl Book {
    /// Splits a chapter at an offset in UTF-16 code units into its text. The second part becomes a chapter of its own
    /// after the first one, under `title` or under the heading at the offset.
    ///
    /// # Errors
    /// [`Error::Stale`] if the file has another content hash than `base_hash`; [`Error::EmptyPart`] at the start or the
    /// end of the text; [`Error::EmptyTitle`] without any title; [`Error::InvalidId`]; those of [`Book::read`] and
    /// [`Book::write`]. The chapter is then unchanged.
    pub fn split_chapter(
        &mut self,
        chapter_id: &ChapterId,
        at: u32,
        title: Option<&str>,
        base_hash: &str,
        new_id: &mut dyn FnMut() -> String,
    ) -> Result<ChapterChange> {
        let title = match title {
            Some(title) => Some(chapter_files::single_line(title).ok_or(Error::EmptyTitle)?),
            None => None,
        };
        let (file, raw, hash) = self.raw_chapter(chapter_id)?;
        if hash != base_hash {
            return Err(Error::Stale { current: Some(hash) });
        }
        let texts = split_text(&text::decode(&raw), at, title.as_deref()).ok_or(Error::EmptyPart)?;
        if text::title(&texts.second).is_none() {
            return Err(Error::EmptyTitle);
        }
        let second_id = ChapterId::from(new_id());
        identity::check_id(second_id.as_str())?;
        if self.entry(&second_id).is_ok() {
            return Err(Error::InvalidId);
        }
        let second_file = self.file_name_after(&file)?;
        let encoded = [raw.clone(), text::encode(&texts.first, &raw), encode_part(&texts.second, &raw)];
        let chapters = [(chapter_id.clone(), file), (second_id.clone(), second_file)];
        let change = self.begin_change(ChangeKind::Split, new_id(), chapters, &encoded, (texts.point, 0))?;
        self.move_behind(&second_id, chapter_id);
        Ok(change)
    }

    /// Appends the next chapter to a chapter, with its title as a heading of the second level. The file of the next
    /// chapter is among the deleted ones afterwards. `at`: milliseconds since 1970.
    ///
    /// # Errors
    /// [`Error::ChangedSince`] if `next_id` is not the next chapter; [`Error::TooLarge`] for the text of both; those of
    /// [`Book::read`] and [`Book::write`]. Both chapters are then unchanged.
    pub fn merge_chapters(
        &mut self,
        chapter_id: &ChapterId,
        next_id: &ChapterId,
        at: i64,
        new_id: &mut dyn FnMut() -> String,
    ) -> Result<ChapterChange> {
        let (file, raw, _) = self.raw_chapter(chapter_id)?;
        let (next_file, next_raw, _) = self.raw_chapter(next_id)?;
        let index = self.chapters.iter().position(|chapter| chapter.chapter_id == *chapter_id);
        let next = index.and_then(|index| self.chapters.get(index + 1)).map(|chapter| &chapter.chapter_id);
        if next != Some(next_id) {
            return Err(Error::ChangedSince);
        }
        let texts = join_texts(&text::decode(&raw), &text::decode(&next_raw));
        let encoded = [text::encode(&texts.joined, &raw), raw, next_raw];
        let chapters = [(chapter_id.clone(), file), (next_id.clone(), next_file)];
        self.begin_change(ChangeKind::Merge, new_id(), chapters, &encoded, (texts.point, at))
    }

    /// Undoes the last split or merge.
    ///
    /// # Errors
    /// [`Error::ChangedSince`] if it is not the last one, was undone, or a chapter of it has changed since; those of
    /// [`Book::write`]. The chapters are then unchanged.
    pub fn undo_change(&mut self, change_id: &str) -> Result<ChapterChange> {
        let record = self.change.clone().filter(|record| record.change_id == change_id && !record.is_undone());
        let mut record = record.filter(|record| record.are_files_done).ok_or(Error::ChangedSince)?;
        let has = |file: &str, hash: &str| disk::file_hash(&self.root, file).as_deref() == Some(hash);
        let is_unchanged = if record.is_joined {
            has(&record.file, &record.joined_hash) && disk::read(&self.root, &record.second_file)?.is_none()
        } else {
            has(&record.file, &record.first_hash) && has(&record.second_file, &record.second_hash)
        };
        if !is_unchanged || self.texts_of(&record).is_err() {
            return Err(Error::ChangedSince);
        }
        record.is_joined = !record.is_joined;
        record.are_files_done = false;
        record.are_memories_done = false;
        save_record(&self.root, &record)?;
        self.change = Some(record);
        self.carry_out()
    }

    /// The change whose memories have not followed yet, with its texts.
    ///
    /// # Errors
    /// [`Error::Io`] if the texts cannot be read, [`Error::ChangedSince`] if they are no longer those of the change.
    pub fn pending_memories(&self) -> Result<Option<PendingMemories>> {
        let is_pending = |record: &&Record| record.are_files_done && !record.are_memories_done;
        let Some(record) = self.change.as_ref().filter(is_pending) else { return Ok(None) };
        let [joined, first, second] = self.texts_of(record)?.map(|raw| text::decode(&raw));
        let (change, is_joined, point) = (record.change(), record.is_joined, record.point);
        Ok(Some(PendingMemories { change, is_joined, joined, first, second, point, moved: record.moved.clone() }))
    }

    /// Stores the memories that a merge is about to move, for its undo.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn set_moved_memories(&mut self, moved: MovedMemories) -> Result<()> {
        let Some(record) = &mut self.change else { return Ok(()) };
        record.moved = Some(moved);
        save_record(&self.root, record)
    }

    /// Notes that the memories have followed the last change, or that they cannot.
    pub fn finish_memories(&mut self) {
        let Some(record) = &mut self.change else { return };
        record.are_memories_done = true;
        if record.is_undone() {
            self.change = None;
            discard_change(&self.root);
        } else {
            // If it cannot be written, the memories follow again, without effect.
            log_failure("save a change of chapters", save_record(&self.root, record));
        }
    }

    /// Carries out a change that a crash interrupted. Failures are logged: the chapters are then as before.
    pub(super) fn resume_change(&mut self) {
        let record = or_log("read a change of chapters", load_record(&self.root)).flatten();
        let Some(record) = record else { return };
        let are_files_done = record.are_files_done;
        self.change = Some(record);
        if !are_files_done {
            log_failure("finish a change of chapters", self.carry_out());
        }
    }

    /// The file of a chapter: its path, content and hash.
    fn raw_chapter(&self, chapter_id: &ChapterId) -> Result<(String, String, String)> {
        let file = self.entry(chapter_id)?.file.clone();
        let bytes = disk::read(&self.root, &file)?.ok_or_else(|| Error::ChapterGone { file: file.clone() })?;
        let raw = super::as_utf8(&bytes, &file)?.to_owned();
        let hash = text::content_hash(&bytes);
        Ok((file, raw, hash))
    }

    /// A free path right after `file` in the order of names: `01 Rain 2.md` after `01 Rain.md`.
    fn file_name_after(&self, file: &str) -> Result<String> {
        let (part, name) = file.rsplit_once('/').map_or(("", file), |(part, name)| (part, name));
        let taken = self.names_in(part)?;
        let stem = chapter_files::file_stem(name);
        let name = chapter_files::numbered_file_name(stem, |name| taken.iter().any(|other| other == name));
        Ok(if part.is_empty() { name } else { format!("{part}/{name}") })
    }

    /// Stores a change with its texts (joined, first, second), and carries it out.
    fn begin_change(
        &mut self,
        kind: ChangeKind,
        change_id: String,
        [(chapter_id, file), (second_id, second_file)]: [(ChapterId, String); 2],
        texts: &[String; 3],
        (point, at): (SplitPoint, i64),
    ) -> Result<ChapterChange> {
        if texts.iter().any(|text| text.len() as u64 > MAX_CHAPTER_BYTES) {
            return Err(Error::TooLarge { file });
        }
        disk::make_folders(&self.root, FOLDER)?;
        // Without its record the previous change cannot be undone any more, and its texts can be replaced.
        disk::remove(&self.root, RECORD_FILE)?;
        self.change = None;
        for (name, text) in [JOINED_FILE, FIRST_FILE, SECOND_FILE].into_iter().zip(texts) {
            disk::replace(&self.root, name, text.as_bytes(), WriteMode::Replace)?;
        }
        let [joined_hash, first_hash, second_hash] =
            [&texts[0], &texts[1], &texts[2]].map(|text| text::content_hash(text.as_bytes()));
        let record = Record {
            format: FORMAT,
            change_id,
            kind,
            is_joined: kind == ChangeKind::Merge,
            are_files_done: false,
            are_memories_done: false,
            chapter_id,
            second_id,
            file,
            second_file,
            joined_hash,
            first_hash,
            second_hash,
            point,
            at,
            moved: None,
        };
        save_record(&self.root, &record)?;
        self.change = Some(record);
        self.carry_out()
    }

    /// The texts of a change (joined, first, second), as their files have them.
    fn texts_of(&self, record: &Record) -> Result<[String; 3]> {
        let text = |file: &str, hash: &str| {
            let bytes = disk::read(&self.root, file)?.ok_or(Error::ChangedSince)?;
            if text::content_hash(&bytes) == hash {
                Ok(super::as_utf8(&bytes, file)?.to_owned())
            } else {
                Err(Error::ChangedSince)
            }
        };
        Ok([
            text(JOINED_FILE, &record.joined_hash)?,
            text(FIRST_FILE, &record.first_hash)?,
            text(SECOND_FILE, &record.second_hash)?,
        ])
    }

    /// Brings the files of the chapters to the state of the record, from the other state or from any step in between.
    fn carry_out(&mut self) -> Result<ChapterChange> {
        let Some(mut record) = self.change.take() else { return Err(Error::ChangedSince) };
        let done = self.texts_of(&record).and_then(|texts| {
            if record.is_joined { self.join_files(&record, &texts) } else { self.separate_files(&record, &texts) }
        });
        if let Err(error) = done {
            self.take_back(record);
            return Err(error);
        }
        record.are_files_done = true;
        log_failure("save ids", identity::save(&self.root, &self.ids));
        // If it cannot be written, the next opening finds the files as they are to be.
        log_failure("save a change of chapters", save_record(&self.root, &record));
        let change = record.change();
        self.change = Some(record);
        Ok(change)
    }

    /// The second part is written before the first one is shortened: no text is missing at any time.
    fn separate_files(&mut self, record: &Record, [_, first, second]: &[String; 3]) -> Result<()> {
        let current = disk::file_hash(&self.root, &record.file);
        if [&record.joined_hash, &record.first_hash].into_iter().any(|hash| current.as_ref() == Some(hash)) {
            self.set_file(&record.second_id, &record.second_file, Some(&record.second_hash));
        }
        if current.as_ref() == Some(&record.joined_hash) {
            let is_written = disk::file_hash(&self.root, &record.second_file).as_ref() == Some(&record.second_hash);
            if !is_written {
                self.write_chapter(&record.second_id, &record.second_file, second, WriteMode::CreateNew)?;
            }
            self.write_chapter(&record.chapter_id, &record.file, first, WriteMode::Replace)?;
        } else if current.as_ref() != Some(&record.first_hash) {
            return Err(Error::Stale { current });
        }
        self.discard_deleted(&record.second_id);
        self.list_behind(&record.second_id, &record.chapter_id);
        Ok(())
    }

    /// The joined text is written before the second part is removed: no text is missing at any time.
    fn join_files(&mut self, record: &Record, [joined, _, _]: &[String; 3]) -> Result<()> {
        let current = disk::file_hash(&self.root, &record.file);
        if ![&record.joined_hash, &record.first_hash].into_iter().any(|hash| current.as_ref() == Some(hash)) {
            return Err(Error::Stale { current });
        }
        let second = disk::file_hash(&self.root, &record.second_file);
        if second.as_ref().is_some_and(|hash| *hash != record.second_hash) {
            return Err(Error::Stale { current: second });
        }
        if current.as_ref() == Some(&record.first_hash) {
            self.write_chapter(&record.chapter_id, &record.file, joined, WriteMode::Replace)?;
        }
        if second.is_some() {
            self.remove_second(record)?;
        }
        Ok(())
    }

    /// Removes the second chapter: after a merge it is among the deleted ones, after the undo of a split all of it is
    /// in the joined chapter.
    fn remove_second(&mut self, record: &Record) -> Result<()> {
        let id = &record.second_id;
        if record.kind == ChangeKind::Merge {
            if self.chapter(id).is_err() {
                // While a book is being opened its list is empty.
                self.chapters.push(super::build_chapter(id, &record.second_file, Some(&record.second_hash), None));
            }
            return self.delete_chapter(id, record.at).map(drop);
        }
        self.remove_file(id, &record.second_file)?;
        self.ids.chapters.retain(|entry| entry.chapter_id != *id);
        self.ids.order.retain(|ordered| ordered != id);
        self.sketches.remove(id);
        Ok(())
    }

    fn remove_file(&mut self, chapter_id: &ChapterId, file: &str) -> Result<()> {
        self.ledger.remove(chapter_id);
        disk::remove(&self.root, file)?;
        self.chapters.retain(|chapter| chapter.chapter_id != *chapter_id);
        Ok(())
    }

    /// Takes back the steps of a change that cannot be carried out, as far as the files are still those of the change.
    /// A change whose undo fails can be undone later.
    fn take_back(&mut self, mut record: Record) {
        let has = |file: &str, hash: &str| disk::file_hash(&self.root, file).as_deref() == Some(hash);
        let is_joined = has(&record.file, &record.joined_hash);
        let is_second_there = has(&record.second_file, &record.second_hash);
        if record.is_joined && is_joined && disk::file_hash(&self.root, &record.second_file).is_some() {
            let written = self.texts_of(&record).and_then(|[_, first, _]| {
                self.write_chapter(&record.chapter_id, &record.file, &first, WriteMode::Replace)
            });
            log_failure("take back a change of chapters", written);
        } else if !record.is_joined && is_joined && is_second_there {
            let removed = self.remove_file(&record.second_id.clone(), &record.second_file);
            log_failure("take back a change of chapters", removed);
        }
        if record.is_undone() {
            record.is_joined = !record.is_joined;
            (record.are_files_done, record.are_memories_done) = (true, true);
            log_failure("save a change of chapters", save_record(&self.root, &record));
            self.change = Some(record);
        } else {
            discard_change(&self.root);
        }
    }
}

/// The raw content of the second part: line ends as in the file that it comes from, without its byte order mark.
fn encode_part(part: &str, raw: &str) -> String {
    text::encode(part, raw.strip_prefix('\u{feff}').unwrap_or(raw))
}

fn load_record(root: &Path) -> Result<Option<Record>> {
    let bytes = match disk::read(root, RECORD_FILE) {
        Err(error) if error.is_absence() => return Ok(None),
        read => read?,
    };
    let Some(bytes) = bytes else { return Ok(None) };
    let record: Record = serde_json::from_slice(&bytes).map_err(|_| Error::not_json("read JSON", RECORD_FILE))?;
    for id in [&record.chapter_id, &record.second_id] {
        identity::check_id(id.as_str())?;
    }
    Ok((record.format == FORMAT).then_some(record))
}

fn save_record(root: &Path, record: &Record) -> Result<()> {
    let bytes = serde_json::to_vec(record).map_err(|_| Error::not_json("write JSON", RECORD_FILE))?;
    disk::replace(root, RECORD_FILE, &bytes, WriteMode::Replace)
}

/// Removes the record of the last change and its texts. Failures are logged.
pub(crate) fn discard_change(root: &Path) {
    for file in [RECORD_FILE, JOINED_FILE, FIRST_FILE, SECOND_FILE] {
        match disk::remove(root, file) {
            Err(error) if error.is_absence() => {}
            removed => log_failure("discard a change of chapters", removed),
        }
    }
}
