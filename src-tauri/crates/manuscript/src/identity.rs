//! Who is who: the id file of a book, and how chapters are known again after they were renamed or moved outside.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;

use palimpsest_files::EntryKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::disk::{self, Target};
use crate::error::{Error, Result};
use crate::names::stem;
use crate::text::Sketch;

/// The folder inside a book that holds what is ours.
pub(crate) const OWN_FOLDER: &str = ".palimpsest";
pub(crate) const ID_FILE: &str = ".palimpsest/book.json";
/// Derived from the chapters; a lost one costs at most that a chapter renamed *and* edited outside counts as new.
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
    /// The ids of the chapters in the order that the writer gave them; empty while they go by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// What a later version of the same format added is carried along.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A chapter in the id file. One whose file is gone stays listed, so that it is known again when it returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    pub chapter_id: String,
    /// Empty for a missing chapter whose place another one has.
    pub file: String,
    pub hash: String,
    /// The kind of scene that its passages are, where the writer has said one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene_type: Option<String>,
}

impl Entry {
    pub(crate) fn new(chapter_id: String, file: String, hash: String) -> Self {
        Self { chapter_id, file, hash, scene_type: None }
    }
}

/// The sketches of the chapters, by chapter id.
pub(crate) type Sketches = BTreeMap<String, Sketch>;

#[derive(Serialize, Deserialize)]
struct LinesFile {
    format: u64,
    chapters: BTreeMap<String, String>,
}

/// Ids go into files, databases and logs: nothing in them may mean anything there.
pub(crate) fn check_id(id: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=64).contains(&id.len()) && id.bytes().all(plain) { Ok(()) } else { Err(Error::InvalidId) }
}

/// Reads the id file of the book at `root`; `None` when there is none.
pub(crate) fn load(root: &Path) -> Result<Option<IdFile>> {
    let bytes = match disk::read(root, ID_FILE) {
        Ok(None) => return Ok(None),
        Ok(Some(bytes)) => bytes,
        Err(Error::Io { kind, file }) if kind != io::ErrorKind::InvalidInput => {
            return Err(Error::Io { kind, file });
        }
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
    // A merge of two versions may have listed one thing twice: the first counts.
    let (mut ids, mut files) = (HashSet::new(), HashSet::new());
    file.chapters.retain(|entry| check_id(&entry.chapter_id).is_ok() && ids.insert(entry.chapter_id.clone()));
    for entry in &mut file.chapters {
        if !files.insert(entry.file.clone()) {
            entry.file.clear();
        }
    }
    Ok(Some(file))
}

/// Writes the id file, after making its folder if need be.
pub(crate) fn save(root: &Path, file: &IdFile) -> Result<()> {
    write_json(root, ID_FILE, file, Target::Any)
}

/// Reads the sketches; whatever is wrong with them, they are only a help.
pub(crate) fn load_sketches(root: &Path) -> Sketches {
    let bytes = disk::read(root, LINES_FILE).ok().flatten().unwrap_or_default();
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
    write_json(root, LINES_FILE, &lines, Target::Derived)
}

fn write_json(root: &Path, file: &str, value: &impl Serialize, target: Target) -> Result<()> {
    disk::make_folders(root, OWN_FOLDER)?;
    let mut bytes =
        serde_json::to_vec_pretty(value).map_err(|_| Error::io(file, &io::ErrorKind::InvalidData.into()))?;
    bytes.push(b'\n');
    disk::replace(root, file, &bytes, target)
}

/// Renames an id file that cannot be understood to the first free `book.damaged-N.json`; `false` when there is none.
pub(crate) fn set_aside(root: &Path) -> Result<bool> {
    match disk::place(root, ID_FILE).and_then(|place| place.kind().map_err(|e| disk::failed(ID_FILE, e))) {
        Ok(Some(EntryKind::Link)) => return Err(Error::Link { file: ID_FILE.to_owned() }),
        Ok(Some(_)) => {}
        Ok(None) | Err(Error::Io { kind: io::ErrorKind::NotFound, .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    let taken = disk::names_in(root, OWN_FOLDER)?;
    let mut names = (1..=u32::MAX).map(|n| format!("book.damaged-{n}.json"));
    let free = names.find(|name| !taken.contains(name)).ok_or(Error::DamagedIdFile)?;
    disk::rename(root, ID_FILE, &format!("{OWN_FOLDER}/{free}"))?;
    Ok(true)
}

/// A chapter's file as it was found on disk.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub file: String,
    /// `None` when it cannot be read: then only its name can tell whose it is.
    pub content: Option<Content>,
}

/// What tells one content from another.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    pub hash: String,
    pub sketch: Sketch,
    /// Nothing but white space, which tells nothing.
    pub blank: bool,
}

/// Says for each found file which known chapter it is, as an index into `entries`; `None` for a new one.
///
/// In this order, each file and each chapter once:
/// 1. the same name with the same content, or with one that cannot be read;
/// 2. the same name, edited: most lines are shared ([`Sketch::shares_most_lines`]), or there are too few to tell, and
///    the content is not exactly that of another known chapter;
/// 3. exactly the same content under another name – the same last part of the path first, then in reading order;
/// 4. most lines shared under another name, when neither the chapter nor the file shares most lines with a second one;
/// 5. the same name with quite another content: rewritten, not replaced.
///
/// Names come after contents, so that renumbering `01 02` to `02 03` with a new `01` moves the ids along; and an edited
/// chapter keeps its id even when a copy of its earlier state lies beside it.
pub(crate) fn recognise(entries: &[Entry], sketches: &Sketches, found: &[Found]) -> Vec<Option<usize>> {
    let mut known = Recognition { owner: vec![None; found.len()], taken: vec![false; entries.len()] };
    let by_name: HashMap<&str, usize> = entries.iter().enumerate().map(|(i, e)| (e.file.as_str(), i)).collect();
    let hashes: HashSet<&str> = entries.iter().map(|entry| entry.hash.as_str()).collect();
    let nothing = Sketch::default();
    let sketch_of = |entry: usize| sketches.get(&entries[entry].chapter_id).unwrap_or(&nothing);
    let named = |file: usize| by_name.get(found[file].file.as_str()).copied();

    for (file, it) in found.iter().enumerate() {
        let Some(entry) = named(file) else { continue };
        if it.content.as_ref().is_none_or(|content| content.hash == entries[entry].hash) {
            known.settle(file, entry);
        }
    }
    for (file, it) in found.iter().enumerate() {
        let (Some(entry), Some(content)) = (named(file), &it.content) else {
            continue;
        };
        let sketch = sketch_of(entry);
        let edited = sketch.says_little() || sketch.shares_most_lines(&content.sketch);
        if edited && !hashes.contains(content.hash.as_str()) {
            known.settle(file, entry);
        }
    }
    for same_name in [true, false] {
        for (file, it) in found.iter().enumerate() {
            let Some(content) = it.content.as_ref().filter(|content| !content.blank) else {
                continue;
            };
            if known.owner[file].is_some() {
                continue;
            }
            let moved = (0..entries.len()).find(|&entry| {
                !known.taken[entry]
                    && entries[entry].hash == content.hash
                    && (!same_name || stem(&entries[entry].file) == stem(&it.file))
            });
            if let Some(entry) = moved {
                known.settle(file, entry);
            }
        }
    }
    let mut alike: Vec<(usize, usize)> = Vec::new();
    for (file, it) in found.iter().enumerate().filter(|(file, _)| known.owner[*file].is_none()) {
        let Some(content) = &it.content else { continue };
        let free = (0..entries.len()).filter(|&entry| !known.taken[entry]);
        alike.extend(
            free.filter(|&entry| sketch_of(entry).shares_most_lines(&content.sketch)).map(|entry| (file, entry)),
        );
    }
    let alone =
        |(file, entry): (usize, usize)| alike.iter().filter(|pair| pair.0 == file || pair.1 == entry).count() == 1;
    for &(file, entry) in alike.iter().filter(|&&pair| alone(pair)) {
        known.settle(file, entry);
    }
    for file in 0..found.len() {
        if let Some(entry) = named(file) {
            known.settle(file, entry);
        }
    }
    known.owner
}

struct Recognition {
    owner: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Recognition {
    fn settle(&mut self, file: usize, entry: usize) {
        if self.owner[file].is_none() && !self.taken[entry] {
            self.owner[file] = Some(entry);
            self.taken[entry] = true;
        }
    }
}

/// Forgets the sketches of chapters that the id file does not name.
pub(crate) fn prune(sketches: &mut Sketches, entries: &[Entry]) {
    let ids: BTreeSet<&str> = entries.iter().map(|entry| entry.chapter_id.as_str()).collect();
    sketches.retain(|id, _| ids.contains(id.as_str()));
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
            sketch: Sketch::of(text),
            blank: text.trim().is_empty(),
        }
    }

    /// Known chapters and files on disk as `(file, text)`; the expectation names the known file for each one on disk.
    fn check(known: &[(&str, &str)], disk: &[(&str, &str)], expected: &[Option<&str>]) {
        let entries: Vec<Entry> = known
            .iter()
            .map(|(file, text)| Entry::new(format!("id-of-{file}"), (*file).to_owned(), content(text).hash))
            .collect();
        let sketches = entries.iter().zip(known).map(|(e, k)| (e.chapter_id.clone(), content(k.1).sketch)).collect();
        let found: Vec<Found> =
            disk.iter().map(|(file, text)| Found { file: (*file).to_owned(), content: Some(content(text)) }).collect();
        let owners: Vec<Option<&str>> =
            recognise(&entries, &sketches, &found).into_iter().map(|owner| owner.map(|entry| known[entry].0)).collect();
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
    fn a_chapter_written_anew_in_its_place_stays_itself() {
        check(&[("a.md", &text("old", 0..9))], &[("a.md", &text("new", 0..9))], &[Some("a.md")]);
    }

    #[test]
    fn blank_chapters_are_not_taken_for_each_other() {
        check(&[("a.md", "\n")], &[("b.md", "\n")], &[None]);
        check(&[("a.md", "\n")], &[("a.md", "\n"), ("b.md", "\n")], &[Some("a.md"), None]);
    }

    #[test]
    fn equal_contents_are_told_apart_by_their_names() {
        check(
            &[("a.md", "same"), ("b.md", "same")],
            &[("part/b.md", "same"), ("part/c.md", "same")],
            &[Some("b.md"), Some("a.md")],
        );
    }
}
