//! Chapters that come in from elsewhere: all of them, or none, whatever happens in between.
//!
//! What is about to be written is noted first, in `.palimpsest/incoming.json`, which goes when all is there. A note that is
//! found when the book is opened is one of an import that was cut off: what it wrote is taken away again.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

use palimpsest_files::{Access, Error as FileError};
use serde::{Deserialize, Serialize};

use super::{Book, Chapter, chapter_of};
use crate::disk::{self, MAX_CHAPTER_BYTES, Target};
use crate::error::{Error, Result};
use crate::identity::{self, Entry, OWN_FOLDER};
use crate::import::NewChapter;
use crate::names;
use crate::text::{self, Sketch};
use crate::watch::OwnWrite;

const NOTE: &str = ".palimpsest/incoming.json";

/// The files of an import, with the hashes they will have.
#[derive(Serialize, Deserialize)]
struct Note {
    files: Vec<(String, String)>,
}

/// A chapter as it will be written.
struct Planned {
    chapter: Chapter,
    raw: String,
    hash: String,
}

impl Book {
    /// Adds chapters behind the last one, as [`Book::create`] would, each with its text: all of them, or none.
    ///
    /// # Errors
    /// As [`Book::create`]. What was written until then is taken away again.
    pub fn add(&mut self, chapters: &[NewChapter], new_id: &mut dyn FnMut() -> String) -> Result<Vec<Chapter>> {
        let planned = self.plan(chapters, new_id)?;
        let note = begin(&self.root, &planned)?;
        let mut written: Vec<OwnWrite> = Vec::with_capacity(planned.len());
        for Planned { chapter, raw, hash } in &planned {
            // The watch hears of none of them before all are there.
            let own = self.ledger.announce(&chapter.file, &chapter.chapter_id, hash);
            let put = disk::replace(&self.root, &chapter.file, raw.as_bytes(), Target::Absent);
            written.push(own);
            if let Err(error) = put {
                take_away(&self.root, planned.iter().map(|one| (one.chapter.file.as_str(), one.hash.as_str())));
                written.into_iter().for_each(|own| own.finish(false));
                end(&self.root, note);
                return Err(error);
            }
        }
        let mut added = Vec::with_capacity(planned.len());
        for (Planned { chapter, raw, hash }, own) in planned.into_iter().zip(written) {
            self.ids.chapters.push(Entry::new(chapter.chapter_id.clone(), chapter.file.clone(), hash));
            self.sketches.insert(chapter.chapter_id.clone(), Sketch::of(&raw));
            self.chapters.push(chapter.clone());
            added.push(chapter);
            own.finish(true);
        }
        let ids: Vec<String> = added.iter().map(|chapter| chapter.chapter_id.clone()).collect();
        self.sketches_on_disk = false;
        self.put_last(&ids);
        // If the ids cannot be written now, the next look at the folder mends them.
        let _ = identity::save(&self.root, &self.ids);
        end(&self.root, note);
        Ok(added)
    }

    fn plan(&self, chapters: &[NewChapter], new_id: &mut dyn FnMut() -> String) -> Result<Vec<Planned>> {
        let mut last = self.chapters.last().map(|chapter| chapter.file.clone());
        let part = last.as_deref().and_then(|file| file.rsplit_once('/')).map_or("", |(part, _)| part).to_owned();
        let mut taken: HashSet<String> = self.names_in(&part)?.into_iter().collect();
        let mut ids: HashSet<String> = self.ids.chapters.iter().map(|entry| entry.chapter_id.clone()).collect();
        let mut planned = Vec::with_capacity(chapters.len());
        for chapter in chapters {
            let title = names::one_line(&chapter.title).ok_or(Error::EmptyTitle)?;
            let chapter_id = new_id();
            identity::check_id(&chapter_id)?;
            if !ids.insert(chapter_id.clone()) {
                return Err(Error::InvalidId);
            }
            let name = names::new_file_name(&title, last.as_deref(), |name| taken.contains(name));
            taken.insert(name.to_lowercase());
            let file = if part.is_empty() { name } else { format!("{part}/{name}") };
            let raw = whole(&title, &chapter.text);
            let hash = text::content_hash(raw.as_bytes());
            last = Some(file.clone());
            planned.push(Planned { chapter: chapter_of(&chapter_id, &file, Some(&hash), Some(&raw)), raw, hash });
        }
        Ok(planned)
    }
}

/// Takes away what an import wrote that was cut off. Failures wait for the next time.
pub(super) fn undo_cut_off(root: &Path) {
    let Ok(place) = disk::place(root, NOTE) else { return };
    let Ok(Some(held)) = place.open() else { return };
    // Another one holds it: that import is still under way.
    if held.try_lock().is_err() {
        return;
    }
    let mut bytes = Vec::new();
    let read = (&held).take(MAX_CHAPTER_BYTES).read_to_end(&mut bytes);
    // One that was cut off while the note was written has written nothing else.
    let note = read.ok().and_then(|_| serde_json::from_slice::<Note>(&bytes).ok());
    if let Some(note) = note {
        take_away(root, note.files.iter().map(|(file, hash)| (file.as_str(), hash.as_str())));
    }
    let _ = place.remove();
}

/// Writes the note, and holds it for as long as the import goes on.
fn begin(root: &Path, planned: &[Planned]) -> Result<File> {
    let io = |error: io::Error| Error::io(NOTE, &error);
    let files = planned.iter().map(|one| (one.chapter.file.clone(), one.hash.clone())).collect();
    let bytes = serde_json::to_vec(&Note { files }).map_err(|_| io(io::ErrorKind::InvalidData.into()))?;
    let place = disk::place(root, NOTE)?;
    let mut note = place.create(Access::OwnerOnly).map_err(|error| match error {
        FileError::Exists => io(io::ErrorKind::AlreadyExists.into()),
        error => disk::failed(NOTE, error),
    })?;
    let written = match note.try_lock() {
        Ok(()) => note.write_all(&bytes).and_then(|()| note.sync_all()),
        // A file system without locks: then nobody else is kept out, which is rare enough.
        Err(TryLockError::Error(_)) => note.write_all(&bytes).and_then(|()| note.sync_all()),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
    };
    match written.map_err(io).and_then(|()| disk::flush(root, OWN_FOLDER)) {
        Ok(()) => Ok(note),
        Err(error) => {
            end(root, note);
            Err(error)
        }
    }
}

/// The import is over, this way or that.
fn end(root: &Path, note: File) {
    // A note that stays would take the chapters away again: it is emptied first, and the folder flushed after.
    let _ = note.set_len(0).and_then(|()| note.sync_all());
    let _ = disk::remove(root, NOTE);
    let _ = disk::flush(root, OWN_FOLDER);
    drop(note);
}

fn take_away<'a>(root: &Path, files: impl Iterator<Item = (&'a str, &'a str)>) {
    for (file, hash) in files {
        // Only what is still as it was written: what the writer has touched since is the writer's.
        if names::is_chapter_name(file.rsplit('/').next().unwrap_or(file))
            && disk::hash_of(root, file).as_deref() == Some(hash)
        {
            let _ = disk::remove(root, file);
        }
    }
}

fn whole(title: &str, text: &str) -> String {
    let text = text::unify(text);
    if text.is_empty() { format!("# {title}\n\n") } else { format!("# {title}\n\n{text}\n") }
}
