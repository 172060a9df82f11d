//! A book: a folder of chapters with permanent ids.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::chapter_files;
use crate::disk::{self, Skipped, WriteMode};
use crate::error::{Error, Result, log_failure, or_log};
use crate::folder::{OpenOptions, new_id_file, resolve_folder};
use crate::id::ChapterId;
use crate::identity::{self, ChapterFile, Content, Entry, IdFile, OWN_FOLDER, Sketches};
use crate::snapshots::Snapshots;
use crate::text::{self, Sketch};
use crate::watch::{Change, Ledger, Watch};

mod deleted;
mod incoming;
mod order;
mod scenes;
mod split_merge;
mod undo;

pub use deleted::DeletedChapter;
pub(crate) use deleted::rename_deleted;
pub use incoming::PendingImport;
pub(crate) use split_merge::discard_change;
pub use split_merge::{ChangeKind, ChapterChange, MovedMemories, PendingMemories};
pub use undo::LastImport;

/// An opened book.
#[derive(Debug)]
pub struct Opened {
    /// Its chapters and what else was found in its folder.
    pub book: Book,
    /// Whether opening created the id file.
    pub created: bool,
    /// Files and folders that look like chapters and were skipped.
    pub skipped: Vec<Skipped>,
}

/// Result of a rescan of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    /// Whether a chapter was added, removed, moved or retitled.
    pub list_changed: bool,
    /// Whether a chapter has a text that the list before did not have.
    pub has_new_text: bool,
    /// Files and folders that look like chapters and were skipped.
    pub skipped: Vec<Skipped>,
}

/// A chapter of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Stable when the file is renamed, moved within the book, or edited outside.
    pub chapter_id: ChapterId,
    /// The first `# ` heading, else the file's name without `.md`.
    pub title: String,
    /// Relative to the book, `/` between the parts.
    pub file: String,
    /// BLAKE3 of the file's bytes in hexadecimal; `None` if it cannot be read.
    pub content_hash: Option<String>,
    /// Whether [`Book::read`] can read it: it is accessible and UTF-8.
    pub readable: bool,
}

/// The text of a chapter in the form for an editor.
#[derive(Clone, PartialEq, Eq)]
pub struct ChapterText {
    /// Without byte order mark, lines ended by LF.
    pub text: String,
    /// BLAKE3 of the file's bytes in hexadecimal: the base of the next [`Book::write`].
    pub content_hash: String,
}

impl std::fmt::Debug for ChapterText {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChapterText")
            .field("bytes", &self.text.len())
            .field("content_hash", &self.content_hash)
            .finish()
    }
}

/// An open book. Each read goes to the disk; only the list of chapters is in memory.
#[derive(Debug)]
pub struct Book {
    root: PathBuf,
    ids: IdFile,
    sketches: Sketches,
    sketches_on_disk: bool,
    chapters: Vec<Chapter>,
    ledger: Ledger,
    /// The files of a pending import, which are no chapters yet.
    incoming: HashSet<String>,
    /// The last split or merge, while it can be undone or its memories have not followed.
    change: Option<split_merge::Record>,
}

impl Book {
    /// Opens the folder at `path` as a book. A folder without an id file gets one; leftovers of interrupted saves are
    /// removed.
    ///
    /// The caller decides beforehand whether the folder is a copy of a book known elsewhere: see
    /// [`book_id`](crate::book_id) and
    /// [`adopt_new_ids`](crate::adopt_new_ids).
    ///
    /// # Errors
    /// [`Error::NotAFolder`], [`Error::DamagedIdFile`] (see [`set_aside_id_file`](crate::set_aside_id_file)),
    /// [`Error::NewerFormat`], [`Error::InvalidId`], [`Error::Io`]. The chapters are never touched by opening.
    pub fn open(path: &Path, options: &mut OpenOptions<'_>) -> Result<Opened> {
        let root = resolve_folder(path)?;
        incoming::undo_interrupted(&root);
        let listing = disk::list(&root)?;
        let own = ["", OWN_FOLDER];
        disk::remove_leftovers(&root, listing.parts.iter().map(String::as_str).chain(own));
        let id_file = identity::load(&root)?;
        let created = id_file.is_none();
        let ids = match id_file {
            Some(ids) => ids,
            None => new_id_file(&root, &listing.files, options)?,
        };
        let mut book = Self {
            sketches: identity::load_sketches(&root),
            sketches_on_disk: true,
            root,
            ids,
            chapters: Vec::new(),
            ledger: Ledger::default(),
            incoming: HashSet::new(),
            change: None,
        };
        book.resume_change();
        let refreshed = book.rescan(options.new_id, created)?;
        Ok(Opened { book, created, skipped: refreshed.skipped })
    }

    /// The id under which the book's memory is stored.
    pub fn project_id(&self) -> &str {
        &self.ids.project_id
    }

    /// The book's title.
    pub fn title(&self) -> &str {
        &self.ids.title
    }

    /// The language code from the id file.
    pub fn language(&self) -> &str {
        &self.ids.language
    }

    /// The book's folder, as an absolute path without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The chapters whose files exist, as of the last [`Book::refresh`], in reading order: by name, until the writer
    /// sets another order ([`Book::move_chapter`]).
    pub fn chapters(&self) -> &[Chapter] {
        &self.chapters
    }

    /// One chapter of the list.
    ///
    /// # Errors
    /// [`Error::ChapterGone`] if its file is missing, [`Error::UnknownChapter`].
    pub fn chapter(&self, chapter_id: &ChapterId) -> Result<&Chapter> {
        match self.chapters.iter().find(|chapter| chapter.chapter_id == *chapter_id) {
            Some(chapter) => Ok(chapter),
            None => Err(Error::ChapterGone { file: self.entry(chapter_id)?.file.clone() }),
        }
    }

    /// Rescans the folder: assigns ids to new chapters, recognizes renamed ones, updates titles and hashes.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder cannot be listed or the id file cannot be written.
    pub fn refresh(&mut self, new_id: &mut dyn FnMut() -> String) -> Result<Refreshed> {
        self.rescan(new_id, false)
    }

    /// Reads a chapter.
    ///
    /// # Errors
    /// [`Error::UnknownChapter`], [`Error::ChapterGone`], [`Error::NotUtf8`], [`Error::TooLarge`], [`Error::Link`],
    /// [`Error::Io`].
    pub fn read(&self, chapter_id: &ChapterId) -> Result<ChapterText> {
        let file = &self.entry(chapter_id)?.file;
        let bytes = disk::read(&self.root, file)?.ok_or_else(|| Error::ChapterGone { file: file.clone() })?;
        let raw = as_utf8(&bytes, file)?;
        Ok(ChapterText { text: text::decode(raw), content_hash: text::content_hash(&bytes) })
    }

    /// Replaces a chapter's text, if its file is still the one with the hash `base_hash`. The file's byte order mark,
    /// line ends and permissions stay. On return the text is on disk. Returns the new content hash.
    ///
    /// Between the last read of the file and the rename that replaces it are microseconds in which a change by another
    /// program would be lost; no file system offers a way to close that gap.
    ///
    /// # Errors
    /// [`Error::Stale`] if the file was changed or removed; and as [`Book::read`]. The file is then unchanged.
    pub fn write(&mut self, chapter_id: &ChapterId, text: &str, base_hash: &str) -> Result<String> {
        let file = self.entry(chapter_id)?.file.clone();
        let Some(bytes) = disk::read(&self.root, &file)? else {
            return Err(Error::Stale { current: None });
        };
        let current = text::content_hash(&bytes);
        if current != base_hash {
            return Err(Error::Stale { current: Some(current) });
        }
        let encoded = text::encode(text, as_utf8(&bytes, &file)?);
        if encoded.as_bytes() == bytes {
            return Ok(current);
        }
        self.write_chapter(chapter_id, &file, &encoded, WriteMode::Replace)
    }

    /// Recreates the missing file of a chapter at its old path, and returns its content hash.
    ///
    /// # Errors
    /// [`Error::Exists`] if there is a file, [`Error::ChapterGone`] if another chapter has its path now,
    /// [`Error::UnknownChapter`], [`Error::Io`].
    pub fn restore(&mut self, chapter_id: &ChapterId, text: &str) -> Result<String> {
        let file = self.entry(chapter_id)?.file.clone();
        if file.is_empty() {
            return Err(Error::ChapterGone { file });
        }
        if let Some((part, _)) = file.rsplit_once('/') {
            disk::make_folders(&self.root, part)?;
        }
        self.write_chapter(chapter_id, &file, &palimpsest_text::normalize_line_ends(text), WriteMode::CreateNew)
    }

    /// Adds a chapter with the heading `# title` after the last one. Its file is in the same folder and is named after
    /// the title, without characters that file systems refuse, continuing the numbering of the last chapter's name if
    /// any.
    ///
    /// # Errors
    /// [`Error::EmptyTitle`], [`Error::InvalidId`] (also for an id in use), [`Error::Io`].
    pub fn create(&mut self, title: &str, chapter_id: ChapterId) -> Result<Chapter> {
        let title = chapter_files::single_line(title).ok_or(Error::EmptyTitle)?;
        identity::check_id(chapter_id.as_str())?;
        if self.entry(&chapter_id).is_ok() {
            return Err(Error::InvalidId);
        }
        let last = self.chapters.last().map(|chapter| chapter.file.as_str());
        let part = last.and_then(|file| file.rsplit_once('/')).map_or("", |(part, _)| part);
        let taken = self.names_in(part)?;
        let name = chapter_files::new_file_name(&title, last, |name| taken.iter().any(|other| other == name));
        let file = if part.is_empty() { name } else { format!("{part}/{name}") };
        self.ids.chapters.push(Entry::new(chapter_id.clone(), file.clone(), String::new()));
        let written = self.write_chapter(&chapter_id, &file, &format!("# {title}\n\n"), WriteMode::CreateNew);
        if let Err(error) = written {
            self.ids.chapters.retain(|entry| entry.chapter_id != chapter_id);
            return Err(error);
        }
        self.move_to_end(std::slice::from_ref(&chapter_id));
        self.chapter(&chapter_id).cloned()
    }

    /// Changes the title of a chapter: replaces its first `# ` heading, or inserts one at the top. The file keeps its
    /// name: it decides the order of the chapters, and other programs refer to it.
    ///
    /// # Errors
    /// [`Error::EmptyTitle`], and as [`Book::write`].
    pub fn rename(&mut self, chapter_id: &ChapterId, title: &str) -> Result<Chapter> {
        let title = chapter_files::single_line(title).ok_or(Error::EmptyTitle)?;
        let now = self.read(chapter_id)?;
        self.write(chapter_id, &text::with_title(&now.text, &title), &now.content_hash)?;
        self.chapter(chapter_id).cloned()
    }

    /// The snapshots of a chapter, also of one whose file is missing.
    ///
    /// # Errors
    /// [`Error::UnknownChapter`].
    pub fn snapshots(&self, chapter_id: &ChapterId) -> Result<Snapshots> {
        self.entry(chapter_id).map(|entry| Snapshots::for_chapter(&self.root, &entry.chapter_id))
    }

    /// Watches the folder until the returned value is dropped: `on_change` is called, on a thread of its own, for
    /// changes made outside, but not for writes of this book. See [`Change`].
    ///
    /// # Errors
    /// [`Error::NotWatched`] if the system cannot watch folders, or no more of them.
    pub fn watch(&self, on_change: impl FnMut(Change) + Send + 'static) -> Result<Watch> {
        Watch::start(&self.root, self.ledger.clone(), on_change)
    }

    fn entry(&self, chapter_id: &ChapterId) -> Result<&Entry> {
        let entry = self.ids.chapters.iter().find(|entry| entry.chapter_id == *chapter_id);
        entry.ok_or(Error::UnknownChapter)
    }

    /// All names in a folder of the book in lower case, chapters or not.
    fn names_in(&self, part: &str) -> Result<Vec<String>> {
        Ok(disk::names_in(&self.root, part)?.iter().map(|name| name.to_lowercase()).collect())
    }

    fn write_chapter(&mut self, chapter_id: &ChapterId, file: &str, raw: &str, mode: WriteMode) -> Result<String> {
        self.write_bytes(chapter_id, file, raw.as_bytes(), mode)
    }

    /// Writes a chapter's file and updates its entry, sketch and list item.
    fn write_bytes(&mut self, chapter_id: &ChapterId, file: &str, bytes: &[u8], mode: WriteMode) -> Result<String> {
        let hash = text::content_hash(bytes);
        // Announced before the rename, so that the watcher recognizes the write as one of this book.
        let own_write = self.ledger.begin_write(file, chapter_id, &hash);
        let written = disk::replace(&self.root, file, bytes, mode);
        own_write.finish(written.is_ok());
        written?;
        let decoded = std::str::from_utf8(bytes).ok().map(text::decode);
        if let Some(entry) = self.ids.chapters.iter_mut().find(|entry| entry.chapter_id == *chapter_id) {
            entry.hash.clone_from(&hash);
        }
        self.sketches.insert(chapter_id.clone(), Sketch::new(decoded.as_deref().unwrap_or_default()));
        self.chapters.retain(|chapter| chapter.chapter_id != *chapter_id);
        self.chapters.push(build_chapter(chapter_id, file, Some(&hash), decoded.as_deref()));
        order::arrange(&mut self.chapters, &self.ids.order);
        // The text is on disk. If the ids cannot be written now, the next rescan repairs them; it also writes the
        // sketches, which change with every save and matter only when the file is renamed afterwards.
        log_failure("save ids", identity::save(&self.root, &self.ids));
        self.sketches_on_disk = false;
        Ok(hash)
    }

    fn rescan(&mut self, new_id: &mut dyn FnMut() -> String, created: bool) -> Result<Refreshed> {
        let listing = disk::list(&self.root)?;
        let sketches: HashMap<&str, &Sketch> = (self.ids.chapters.iter())
            .filter_map(|entry| Some((entry.hash.as_str(), self.sketches.get(&entry.chapter_id)?)))
            .collect();
        let mut found = Vec::new();
        let mut titles = Vec::new();
        for file in listing.files.into_iter().filter(|file| !self.incoming.contains(file)) {
            let bytes = match or_log("read a chapter", disk::read(&self.root, &file)) {
                // Removed during the scan.
                Some(None) => continue,
                read => read.flatten(),
            };
            let decoded = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()).map(text::decode);
            titles.push((decoded.is_some(), decoded.as_deref().and_then(text::title).map(str::to_owned)));
            let content = bytes.map(|bytes| {
                let hash = text::content_hash(&bytes);
                let text = decoded.unwrap_or_default();
                Content {
                    // The sketch of an unchanged file is reused.
                    sketch: match sketches.get(hash.as_str()) {
                        Some(&sketch) => sketch.clone(),
                        None => Sketch::new(&text),
                    },
                    blank: bytes.is_empty() || !text.is_empty() && text.trim().is_empty(),
                    hash,
                }
            });
            found.push(ChapterFile { file, content });
        }
        let owners = identity::match_chapters(&self.entries_to_match(), &self.sketches, &found);
        let mut ids = self.ids.clone();
        let mut sketches = self.sketches.clone();
        let mut chapters = Vec::new();
        for ((found, owner), (readable, title)) in found.into_iter().zip(owners).zip(titles) {
            let at = match owner {
                Some(at) => at,
                None => {
                    let chapter_id = ChapterId::from(new_id());
                    identity::check_id(chapter_id.as_str())?;
                    ids.chapters.push(Entry::new(chapter_id, String::new(), String::new()));
                    ids.chapters.len() - 1
                }
            };
            let entry = &mut ids.chapters[at];
            entry.file.clone_from(&found.file);
            let content_hash = found.content.as_ref().map(|content| content.hash.clone());
            if let Some(content) = found.content {
                entry.hash = content.hash;
                sketches.insert(entry.chapter_id.clone(), content.sketch);
            }
            chapters.push(Chapter {
                chapter_id: entry.chapter_id.clone(),
                title: title.unwrap_or_else(|| chapter_files::file_stem(&found.file).to_owned()),
                file: found.file,
                content_hash,
                readable,
            });
        }
        // A missing chapter whose file name is used by another one can be found by its content only.
        let owner: HashMap<&str, &ChapterId> = chapters.iter().map(|c| (c.file.as_str(), &c.chapter_id)).collect();
        for entry in &mut ids.chapters {
            if owner.get(entry.file.as_str()).is_some_and(|id| **id != entry.chapter_id) {
                entry.file.clear();
            }
        }
        identity::prune_sketches(&mut sketches, &ids.chapters);
        if created || ids != self.ids {
            identity::save(&self.root, &ids)?;
        }
        if sketches != self.sketches || !self.sketches_on_disk {
            // Sketches are optional: a failure does not prevent opening the book.
            let saved = identity::save_sketches(&self.root, &sketches);
            self.sketches_on_disk = or_log("save sketches", saved).is_some();
        }
        let list_rows = |chapters: &[Chapter]| -> Vec<(ChapterId, String, String)> {
            let row = |c: &Chapter| (c.chapter_id.clone(), c.file.clone(), c.title.clone());
            chapters.iter().map(row).collect()
        };
        order::arrange(&mut chapters, &ids.order);
        let list_changed = list_rows(&self.chapters) != list_rows(&chapters);
        let known: HashMap<&ChapterId, &Option<String>> =
            self.chapters.iter().map(|chapter| (&chapter.chapter_id, &chapter.content_hash)).collect();
        let is_new = |chapter: &Chapter| known.get(&chapter.chapter_id) != Some(&&chapter.content_hash);
        let has_new_text = chapters.iter().any(is_new);
        self.ids = ids;
        self.sketches = sketches;
        self.chapters = chapters;
        self.ledger.update_chapters(&self.chapters);
        Ok(Refreshed { list_changed, has_new_text, skipped: listing.skipped })
    }
}

fn as_utf8<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|_| Error::NotUtf8 { file: file.to_owned() })
}

fn build_chapter(chapter_id: &ChapterId, file: &str, hash: Option<&str>, text: Option<&str>) -> Chapter {
    Chapter {
        chapter_id: chapter_id.clone(),
        title: text.and_then(text::title).unwrap_or_else(|| chapter_files::file_stem(file)).to_owned(),
        file: file.to_owned(),
        content_hash: hash.map(str::to_owned),
        readable: text.is_some(),
    }
}
