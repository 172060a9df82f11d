//! The id file of a book, and the recognition of chapters that were renamed or moved outside.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;

use palimpsest_files::EntryKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::chapter_files::file_stem;
use crate::disk::{self, WriteMode};
use crate::error::{Error, Result, or_log};
use crate::id::ChapterId;
use crate::text::Sketch;

/// The folder inside a book for the program's own files.
pub(crate) const OWN_FOLDER: &str = ".palimpsest";
pub(crate) const ID_FILE: &str = ".palimpsest/book.json";
/// Derived from the chapters; without it a chapter renamed *and* edited outside counts as new.
const LINES_FILE: &str = ".palimpsest/lines.json";
const FORMAT: u64 = 1;

/// The id file, `.palimpsest/book.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdFile {
    pub format: u64,
    pub project_id: String,
    pub title: String,
    pub language: String,
    pub chapters: Vec<Entry>,
    /// The ids of the chapters in the order that the writer set; empty for the order of names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<ChapterId>,
    /// Fields of later versions of the same format, preserved.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A chapter in the id file. One whose file is missing stays listed, so that it is recognized when it returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    pub chapter_id: ChapterId,
    /// Empty for a missing chapter whose file name another one uses.
    pub file: String,
    pub hash: String,
    /// The scene type that the writer set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene_type: Option<String>,
}

impl Entry {
    pub(crate) fn new(chapter_id: ChapterId, file: String, hash: String) -> Self {
        Self { chapter_id, file, hash, scene_type: None }
    }
}

/// The sketches of the chapters, by chapter id.
pub(crate) type Sketches = BTreeMap<ChapterId, Sketch>;

#[derive(Serialize, Deserialize)]
struct LinesFile {
    format: u64,
    chapters: BTreeMap<ChapterId, String>,
}

/// Checks an id: it is used in files, databases and logs, so it must not contain special characters.
pub(crate) fn check_id(id: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=64).contains(&id.len()) && id.bytes().all(plain) { Ok(()) } else { Err(Error::InvalidId) }
}

/// Reads the id file of the book at `root`; `None` if there is none.
pub(crate) fn load(root: &Path) -> Result<Option<IdFile>> {
    let bytes = match disk::read(root, ID_FILE) {
        Ok(None) => return Ok(None),
        Ok(Some(bytes)) => bytes,
        Err(error @ Error::Io { kind, .. }) if kind != io::ErrorKind::InvalidInput => return Err(error),
        Err(_) => return Err(Error::DamagedIdFile),
    };
    let value: Value = serde_json::from_slice(&bytes).map_err(|_| Error::DamagedIdFile)?;
    match value.get("format").and_then(Value::as_u64) {
        Some(FORMAT) => {}
        Some(found) if found > FORMAT => return Err(Error::NewerFormat { found }),
        _ => return Err(Error::DamagedIdFile),
    }
    let mut file: IdFile = serde_json::from_value(value).map_err(|_| Error::DamagedIdFile)?;
    check_id(&file.project_id).map_err(|_| Error::DamagedIdFile)?;
    // A merge of two versions can list a chapter or file twice: the first counts.
    let (mut ids, mut files) = (HashSet::new(), HashSet::new());
    file.chapters.retain(|entry| check_id(entry.chapter_id.as_str()).is_ok() && ids.insert(entry.chapter_id.clone()));
    for entry in &mut file.chapters {
        if !files.insert(entry.file.clone()) {
            entry.file.clear();
        }
    }
    Ok(Some(file))
}

/// Writes the id file, and creates its folder if needed.
pub(crate) fn save(root: &Path, file: &IdFile) -> Result<()> {
    write_json(root, ID_FILE, file, WriteMode::Replace)
}

/// Reads the sketches; empty if they are missing or damaged, as they are optional.
pub(crate) fn load_sketches(root: &Path) -> Sketches {
    let bytes = or_log("read sketches", disk::read(root, LINES_FILE)).flatten().unwrap_or_default();
    match serde_json::from_slice::<LinesFile>(&bytes) {
        Ok(lines) if lines.format == FORMAT => {
            lines.chapters.into_iter().map(|(id, hex)| (id, Sketch::from_hex(&hex))).collect()
        }
        _ => Sketches::new(),
    }
}

/// Writes the sketches.
pub(crate) fn save_sketches(root: &Path, sketches: &Sketches) -> Result<()> {
    let chapters = sketches.iter().map(|(id, sketch)| (id.clone(), sketch.to_hex())).collect();
    let lines = LinesFile { format: FORMAT, chapters };
    write_json(root, LINES_FILE, &lines, WriteMode::ReplaceDerived)
}

fn write_json(root: &Path, file: &str, value: &impl Serialize, mode: WriteMode) -> Result<()> {
    disk::make_folders(root, OWN_FOLDER)?;
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|_| Error::not_json("write JSON", file))?;
    bytes.push(b'\n');
    disk::replace(root, file, &bytes, mode)
}

/// Renames a damaged id file to the first free `book.damaged-N.json`; `false` if there is none.
pub(crate) fn set_aside(root: &Path) -> Result<bool> {
    match disk::locate(root, ID_FILE)
        .and_then(|location| location.kind().map_err(|e| disk::file_error("find a file", ID_FILE, e)))
    {
        Ok(Some(EntryKind::Link)) => return Err(Error::Link { file: ID_FILE.to_owned() }),
        Ok(Some(_)) => {}
        Ok(None) | Err(Error::Io { kind: io::ErrorKind::NotFound, .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    let is_taken = disk::names_in(root, OWN_FOLDER)?;
    let mut names = (1..=u32::MAX).map(|n| format!("book.damaged-{n}.json"));
    let free = names.find(|name| !is_taken.contains(name)).ok_or(Error::DamagedIdFile)?;
    disk::rename(root, ID_FILE, &format!("{OWN_FOLDER}/{free}"))?;
    Ok(true)
}

/// A chapter's file on disk.
#[derive(Debug, Clone)]
pub(crate) struct ChapterFile {
    pub file: String,
    /// `None` if it cannot be read: it is then recognized by its name only.
    pub content: Option<Content>,
}

/// The content of a chapter's file, for comparison.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    pub hash: String,
    pub sketch: Sketch,
    /// Whether it has only white space and cannot be recognized.
    pub blank: bool,
}

/// Matches each file to a known chapter, as an index into `entries`; `None` for a new one.
///
/// In this order, each file and each chapter once:
/// 1. the same name with the same content, or with one that cannot be read;
/// 2. the same name, edited: most lines are shared ([`Sketch::shares_most_lines`]), or there are too few to compare,
///    and the content is not exactly that of another known chapter;
/// 3. exactly the same content under another name – the same last part of the path first, then in reading order;
/// 4. most lines shared under another name, if neither the chapter nor the file shares most lines with a second one;
/// 5. the same name with quite another content: rewritten, not replaced.
///
/// Contents are compared before names, so that renumbering `01 02` to `02 03` with a new `01` keeps the ids with the
/// texts; and an edited chapter keeps its id even if a copy of its earlier state exists.
pub(crate) fn match_chapters(entries: &[Entry], sketches: &Sketches, found: &[ChapterFile]) -> Vec<Option<usize>> {
    let mut matching = Matching { owner: vec![None; found.len()], is_taken: vec![false; entries.len()] };
    let by_name: HashMap<&str, usize> = entries.iter().enumerate().map(|(i, e)| (e.file.as_str(), i)).collect();
    let hashes: HashSet<&str> = entries.iter().map(|entry| entry.hash.as_str()).collect();
    let empty_sketch = Sketch::default();
    let sketch_of = |entry: usize| sketches.get(&entries[entry].chapter_id).unwrap_or(&empty_sketch);
    let named = |file: usize| by_name.get(found[file].file.as_str()).copied();

    for (file, it) in found.iter().enumerate() {
        let Some(entry) = named(file) else { continue };
        if it.content.as_ref().is_none_or(|content| content.hash == entries[entry].hash) {
            matching.assign(file, entry);
        }
    }
    for (file, it) in found.iter().enumerate() {
        let (Some(entry), Some(content)) = (named(file), &it.content) else {
            continue;
        };
        let sketch = sketch_of(entry);
        let edited = sketch.is_too_short() || sketch.shares_most_lines(&content.sketch);
        if edited && !hashes.contains(content.hash.as_str()) {
            matching.assign(file, entry);
        }
    }
    for same_name in [true, false] {
        for (file, it) in found.iter().enumerate() {
            let Some(content) = it.content.as_ref().filter(|content| !content.blank) else {
                continue;
            };
            if matching.owner[file].is_some() {
                continue;
            }
            let moved = (0..entries.len()).find(|&entry| {
                !matching.is_taken[entry]
                    && entries[entry].hash == content.hash
                    && (!same_name || file_stem(&entries[entry].file) == file_stem(&it.file))
            });
            if let Some(entry) = moved {
                matching.assign(file, entry);
            }
        }
    }
    let mut alike: Vec<(usize, usize)> = Vec::new();
    for (file, it) in found.iter().enumerate().filter(|(file, _)| matching.owner[*file].is_none()) {
        let Some(content) = &it.content else { continue };
        let free = (0..entries.len()).filter(|&entry| !matching.is_taken[entry]);
        alike.extend(
            free.filter(|&entry| sketch_of(entry).shares_most_lines(&content.sketch)).map(|entry| (file, entry)),
        );
    }
    let is_unambiguous =
        |(file, entry): (usize, usize)| alike.iter().filter(|pair| pair.0 == file || pair.1 == entry).count() == 1;
    for &(file, entry) in alike.iter().filter(|&&pair| is_unambiguous(pair)) {
        matching.assign(file, entry);
    }
    for file in 0..found.len() {
        if let Some(entry) = named(file) {
            matching.assign(file, entry);
        }
    }
    matching.owner
}

struct Matching {
    owner: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Matching {
    fn assign(&mut self, file: usize, entry: usize) {
        if self.owner[file].is_none() && !self.is_taken[entry] {
            self.owner[file] = Some(entry);
            self.is_taken[entry] = true;
        }
    }
}

/// Removes the sketches of chapters that are not in the id file.
pub(crate) fn prune_sketches(sketches: &mut Sketches, entries: &[Entry]) {
    let ids: BTreeSet<&ChapterId> = entries.iter().map(|entry| &entry.chapter_id).collect();
    sketches.retain(|id, _| ids.contains(id));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str, lines: std::ops::Range<u32>) -> String {
        lines.map(|n| format!("{words} {n}\n")).collect()
    }

    fn content(text: &str) -> Content {
        Content {
            hash: crate::text::content_hash(text.as_bytes()),
            sketch: Sketch::new(text),
            blank: text.trim().is_empty(),
        }
    }

    /// Known chapters and files on disk as `(file, text)`; the expectation names the known file for each one on disk.
    fn check(matching: &[(&str, &str)], disk: &[(&str, &str)], expected: &[Option<&str>]) {
        let entries: Vec<Entry> = matching
            .iter()
            .map(|(file, text)| Entry::new(format!("id-of-{file}").into(), (*file).to_owned(), content(text).hash))
            .collect();
        let sketches = entries.iter().zip(matching).map(|(e, k)| (e.chapter_id.clone(), content(k.1).sketch)).collect();
        let found: Vec<ChapterFile> = disk
            .iter()
            .map(|(file, text)| ChapterFile { file: (*file).to_owned(), content: Some(content(text)) })
            .collect();
        let owners: Vec<Option<&str>> = match_chapters(&entries, &sketches, &found)
            .into_iter()
            .map(|owner| owner.map(|entry| matching[entry].0))
            .collect();
        assert_eq!(owners, expected);
    }

    #[test]
    fn a_renamed_chapter_is_known_by_its_content() {
        check(&[("a.md", "雨夜")], &[("第一章.md", "雨夜")], &[Some("a.md")]);
        check(&[("a.md", "x"), ("b.md", "y")], &[("b.md", "y"), ("part/c.md", "x")], &[Some("b.md"), Some("a.md")]);
    }

    #[test]
    fn a_chapter_renamed_and_edited_is_known_by_its_lines() {
        let (old, new) = (text("雨", 0..20), text("雨", 3..22));
        check(&[("a.md", &old)], &[("b.md", &new)], &[Some("a.md")]);
        check(&[("a.md", &old)], &[("b.md", &text("山", 0..20))], &[None]);
    }

    #[test]
    fn two_files_like_one_missing_chapter_are_both_new() {
        let old = text("rain", 0..20);
        check(&[("a.md", &old)], &[("b.md", &text("rain", 1..20)), ("c.md", &text("rain", 2..20))], &[None, None]);
    }

    #[test]
    fn renumbering_moves_the_ids_along() {
        let (first, second, new) = (text("first", 0..9), text("second", 0..9), text("new", 0..9));
        check(
            &[("01.md", &first), ("02.md", &second)],
            &[("01.md", &new), ("02.md", &first), ("03.md", &second)],
            &[None, Some("01.md"), Some("02.md")],
        );
        check(&[("a.md", "一"), ("b.md", "二")], &[("a.md", "二"), ("b.md", "一")], &[Some("b.md"), Some("a.md")]);
    }

    #[test]
    fn a_backup_copy_does_not_take_the_id_of_the_chapter() {
        let (before, after) = (text("rain", 0..20), text("rain", 0..25));
        check(&[("a.md", &before)], &[("a copy.md", &before), ("a.md", &after)], &[None, Some("a.md")]);
        check(&[("a.md", "short")], &[("a copy.md", "short"), ("a.md", "short, edited")], &[None, Some("a.md")]);
        check(&[("a.md", "same")], &[("a copy.md", "same"), ("a.md", "same")], &[None, Some("a.md")]);
    }

    #[test]
    fn a_chapter_rewritten_in_the_same_file_keeps_its_identity() {
        check(&[("a.md", &text("old", 0..9))], &[("a.md", &text("new", 0..9))], &[Some("a.md")]);
    }

    #[test]
    fn blank_chapters_are_not_taken_for_each_other() {
        check(&[("a.md", "\n")], &[("b.md", "\n")], &[None]);
        check(&[("a.md", "\n")], &[("a.md", "\n"), ("b.md", "\n")], &[Some("a.md"), None]);
    }

    #[test]
    fn chapters_with_equal_contents_are_distinguished_by_their_names() {
        check(
            &[("a.md", "same"), ("b.md", "same")],
            &[("part/b.md", "same"), ("part/c.md", "same")],
            &[Some("b.md"), Some("a.md")],
        );
    }
}
