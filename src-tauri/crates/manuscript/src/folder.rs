//! Book folders before opening: project id, copies, and the first id file of a new book.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::book;
use crate::chapter_files;
use crate::disk;
use crate::error::{Error, Result, log_failure, or_log};
use crate::identity::{self, IdFile, Sketches};
use crate::snapshots;

/// The most characters of a book that are used to detect its language.
const LANGUAGE_SAMPLE: usize = 20_000;

/// Values that the caller provides for opening. All but `new_id` are used only for a folder without an id file.
pub struct OpenOptions<'a> {
    /// Generates an id for the project or for a new chapter.
    pub new_id: &'a mut dyn FnMut() -> String,
    /// Detects the language code of a sample of the book, for example [`detect_language`].
    pub language: &'a dyn Fn(&str) -> String,
    /// The project id that the caller knows for this path, if the id file is lost.
    pub project_id: Option<&'a str>,
    /// The title; the folder's name if absent.
    pub title: Option<&'a str>,
}

/// The project id of the folder at `path`, without opening or changing anything; `None` without an id file.
///
/// A caller that knows this id under another path can compare: if the other path is gone or has no book with this id
/// any more, the book was moved; if both exist, one is a copy, and [`adopt_new_ids`] makes it a book of its own.
///
/// # Errors
/// As [`Book::open`](crate::Book::open).
pub fn book_id(path: &Path) -> Result<Option<String>> {
    Ok(identity::load(&resolve_folder(path)?)?.map(|ids| ids.project_id))
}

/// Makes the copied book at `path` a book of its own with a new project id, which is returned, and new chapter ids, so
/// that the memory of the other book's chapters never applies to this one's.
///
/// # Errors
/// As [`Book::open`](crate::Book::open); [`Error::Io`] of kind `NotFound` for a folder without an id file.
pub fn adopt_new_ids(path: &Path, new_id: &mut dyn FnMut() -> String) -> Result<String> {
    let root = resolve_folder(path)?;
    let mut ids = identity::load(&root)?
        .ok_or_else(|| Error::io("read a file", identity::ID_FILE, &io::ErrorKind::NotFound.into()))?;
    ids.project_id = new_id();
    identity::check_id(&ids.project_id)?;
    let mut before = identity::load_sketches(&root);
    let mut sketches = Sketches::new();
    let mut renamed = Vec::new();
    for entry in &mut ids.chapters {
        let old = std::mem::replace(&mut entry.chapter_id, new_id().into());
        identity::check_id(entry.chapter_id.as_str())?;
        for ordered in ids.order.iter_mut().filter(|ordered| **ordered == old) {
            ordered.clone_from(&entry.chapter_id);
        }
        if let Some(sketch) = before.remove(&old) {
            sketches.insert(entry.chapter_id.clone(), sketch);
        }
        renamed.push((old, entry.chapter_id.clone()));
    }
    identity::save(&root, &ids)?;
    snapshots::rename_chapters(&root, &renamed);
    book::rename_deleted(&root, &renamed);
    // It refers to the chapters of the other book.
    book::discard_change(&root);
    log_failure("save sketches", identity::save_sketches(&root, &sketches));
    Ok(ids.project_id)
}

/// Renames a damaged id file to `.palimpsest/book.damaged-1.json`, so that the folder can be opened again (with
/// [`OpenOptions::project_id`], if the caller knows the project; the chapters get new ids). Returns whether there was
/// one.
///
/// # Errors
/// [`Error::NotAFolder`], [`Error::Link`], [`Error::Io`].
pub fn set_aside_id_file(path: &Path) -> Result<bool> {
    identity::set_aside(&resolve_folder(path)?)
}

/// `"zh"` if at least a fifth of the letters are Han characters, else `"en"`. A Chinese text with many foreign names is
/// well above, an English one with some Chinese words well below.
pub fn detect_language(sample: &str) -> String {
    let (mut han, mut letters) = (0u32, 0u32);
    for c in sample.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        if matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}') {
            han += 1;
        }
    }
    if han > 0 && han * 5 >= letters { "zh" } else { "en" }.to_owned()
}

pub(crate) fn resolve_folder(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(root) if root.is_dir() => Ok(root),
        Ok(_) => Err(Error::NotAFolder),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(Error::NotAFolder)
        }
        Err(error) => Err(Error::io("open a folder", "", &error)),
    }
}

pub(crate) fn new_id_file(root: &Path, files: &[String], options: &mut OpenOptions<'_>) -> Result<IdFile> {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let title = options.title.map(str::to_owned).or(name).as_deref().and_then(chapter_files::single_line);
    let project_id = options.project_id.map_or_else(|| (options.new_id)(), str::to_owned);
    identity::check_id(&project_id)?;
    // The language of a book without text is detected from its title and file names.
    let mut sample = title.clone().unwrap_or_default();
    let mut left = LANGUAGE_SAMPLE;
    for file in files {
        if left == 0 {
            break;
        }
        let bytes = or_log("read a chapter", disk::read(root, file)).flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let part: String = text.chars().take(left).collect();
        left -= part.chars().count();
        sample.push('\n');
        sample.push_str(chapter_files::file_stem(file));
        sample.push('\n');
        sample.push_str(&part);
    }
    Ok(IdFile {
        format: 1,
        project_id,
        language: (options.language)(&sample),
        title: title.unwrap_or_else(|| "Book".to_owned()),
        chapters: Vec::new(),
        order: Vec::new(),
        others: serde_json::Map::new(),
    })
}
