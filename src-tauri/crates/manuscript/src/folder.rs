//! A folder before it is an open book: whose it is, and the first id file of a new one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::{Error, Result};
use crate::identity::{self, IdFile, Sketches};
use crate::names;
use crate::snapshots;

/// How many characters of a book are looked at to tell its language.
const LANGUAGE_SAMPLE: usize = 20_000;

/// What a book cannot know by itself. All but `new_id` is asked only for a folder without an id file.
pub struct Supply<'a> {
    /// Makes a fresh id for the project, or for a chapter seen for the first time.
    pub new_id: &'a mut dyn FnMut() -> String,
    /// Tells the language of a sample of the book, as a code; [`language_of`] will do.
    pub language: &'a dyn Fn(&str) -> String,
    /// The id under which the caller knows this path already, though the id file is lost.
    pub project_id: Option<&'a str>,
    /// The title; the folder's name if absent.
    pub title: Option<&'a str>,
}

/// The project id of the folder at `path`, without opening or changing anything; `None` when it has no id file.
///
/// A caller that knows this id under another path asks the writer: if the other path is gone or names no book with
/// this id any more, the book was moved; if both are there, one is a copy, and [`adopt_new_ids`] makes it a book of its own.
///
/// # Errors
/// As [`Book::open`](crate::Book::open).
pub fn book_id(path: &Path) -> Result<Option<String>> {
    Ok(identity::load(&folder(path)?)?.map(|ids| ids.project_id))
}

/// Makes the copied book at `path` a book of its own, with a new project id, which is answered, and new chapter ids:
/// what is remembered of the other book's chapters can then never be taken for this one's.
///
/// # Errors
/// As [`Book::open`](crate::Book::open); [`Error::Io`] of kind `NotFound` for a folder without an id file.
pub fn adopt_new_ids(path: &Path, new_id: &mut dyn FnMut() -> String) -> Result<String> {
    let root = folder(path)?;
    let mut ids =
        identity::load(&root)?.ok_or_else(|| Error::io(identity::ID_FILE, &io::ErrorKind::NotFound.into()))?;
    ids.project_id = new_id();
    identity::check_id(&ids.project_id)?;
    let mut before = identity::load_sketches(&root);
    let mut sketches = Sketches::new();
    let mut renamed = Vec::new();
    for entry in &mut ids.chapters {
        let old = std::mem::replace(&mut entry.chapter_id, new_id());
        identity::check_id(&entry.chapter_id)?;
        for ordered in ids.order.iter_mut().filter(|ordered| **ordered == old) {
            ordered.clone_from(&entry.chapter_id);
        }
        if let Some(sketch) = before.remove(&old) {
            sketches.insert(entry.chapter_id.clone(), sketch);
        }
        renamed.push((old, entry.chapter_id.clone()));
    }
    identity::save(&root, &ids)?;
    snapshots::move_along(&root, &renamed);
    let _ = identity::save_sketches(&root, &sketches);
    Ok(ids.project_id)
}

/// Puts an id file that cannot be understood out of the way, as `.palimpsest/book.damaged-1.json`, so that the folder
/// can be opened again (with [`Supply::project_id`], if the caller knows whose path it is; the chapters get new ids).
/// Answers whether there was one.
///
/// # Errors
/// [`Error::NotAFolder`], [`Error::Link`], [`Error::Io`].
pub fn set_aside_id_file(path: &Path) -> Result<bool> {
    identity::set_aside(&folder(path)?)
}

/// `"zh"` when at least a fifth of the letters are Han characters, else `"en"`. A Chinese text with many foreign names
/// stays well above, an English one with some Chinese words well below.
pub fn language_of(sample: &str) -> String {
    let (mut han, mut letters) = (0u32, 0u32);
    for c in sample.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        if matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}') {
            han += 1;
        }
    }
    if han > 0 && han * 5 >= letters { "zh" } else { "en" }.to_owned()
}

pub(crate) fn folder(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(root) if root.is_dir() => Ok(root),
        Ok(_) => Err(Error::NotAFolder),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(Error::NotAFolder)
        }
        Err(error) => Err(Error::io("", &error)),
    }
}

pub(crate) fn newborn(root: &Path, files: &[String], supply: &mut Supply<'_>) -> Result<IdFile> {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let title = supply.title.map(str::to_owned).or(name).as_deref().and_then(names::one_line);
    let project_id = supply.project_id.map_or_else(|| (supply.new_id)(), str::to_owned);
    identity::check_id(&project_id)?;
    // A book without a word yet tells its language by its names.
    let mut sample = title.clone().unwrap_or_default();
    let mut left = LANGUAGE_SAMPLE;
    for file in files {
        if left == 0 {
            break;
        }
        let bytes = disk::read(root, file).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let part: String = text.chars().take(left).collect();
        left -= part.chars().count();
        sample.push('\n');
        sample.push_str(names::stem(file));
        sample.push('\n');
        sample.push_str(&part);
    }
    Ok(IdFile {
        format: 1,
        project_id,
        language: (supply.language)(&sample),
        title: title.unwrap_or_else(|| "Book".to_owned()),
        chapters: Vec::new(),
        order: Vec::new(),
        others: serde_json::Map::new(),
    })
}
