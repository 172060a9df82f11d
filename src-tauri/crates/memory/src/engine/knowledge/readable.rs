//! Readable copies of the knowledge of books, beside the databases: written after commits, by the background, and never
//! read back.
//!
//! ```text
//! <data>/project_map.json
//! <data>/readable/global/{best_practices,patterns}.json
//! <data>/readable/<projectId>/{learning/lr-*.json, failures/fr-*.json, domain/<entityId>.json}
//! ```
//!
//! They are off unless the writer switches them on: copies are plain text that other programs can read. A clearing and
//! an erasure delete the copies they concern before they end; the background writes the rest again.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::Path,
};

use palimpsest_files::{Access, Durability, EntryKind, Error as FileError, Existing, Folder};
use serde_json::{Map, Value};

use super::copies::{self, MappedProject};
use crate::{
    engine::Engine,
    error::{Code, Error, OrLog, Result},
    lock::{Mutex, MutexGuard, Rank},
    model::{AnswerId, ErasureKind, ProjectId},
    storage::{TextHash, answers, failures, passages, readable, text_hash},
};

/// Files written in one step.
const MAX_FILES_PER_STEP: usize = 64;
/// Maximum number of records, and of failures, of a book that are copied: the newest.
const MAX_COPIES: u32 = 10_000;
/// Maximum number of domains of a book that are copied: the most mentioned.
const MAX_DOMAINS: usize = 500;
/// The folder in the data folder.
const FOLDER: &str = "readable";
const GLOBAL: &str = "global";
const MAP: &str = "project_map.json";

/// The state of the readable copies.
pub(in crate::engine) struct ReadableCopies(Mutex<State>);

#[derive(Default)]
struct State {
    /// The marks of both files when all copies were written; `None`: some are to be written.
    written_at: Option<[TextHash; 2]>,
    /// The hash or the version of the content of each file that this process has written, by its path.
    contents: HashMap<String, TextHash>,
    /// Whether there are none, because they are switched off.
    is_removed: bool,
}

impl Default for ReadableCopies {
    fn default() -> Self {
        Self(Mutex::new(Rank::Readable, State::default()))
    }
}

impl ReadableCopies {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

/// A copy to be written: its content is made only where its mark has changed.
struct Copy {
    /// Below the data folder.
    path: String,
    mark: TextHash,
    content: Content,
}

enum Content {
    Whole(Value),
    Record(AnswerId),
}

impl Engine {
    /// Whether copies are to be written, or to be removed.
    pub(in crate::engine) fn is_copying_due(&self) -> bool {
        if !self.settings().readable_copies {
            let data_dir = self.stores.data_dir();
            let has_some = || data_dir.join(FOLDER).exists() || data_dir.join(MAP).exists();
            return !self.readable.lock().is_removed && has_some();
        }
        let marks = self.marks_of_copies().or_log("compare readable copies");
        marks.is_some_and(|marks| self.readable.lock().written_at != Some(marks))
    }

    fn marks_of_copies(&self) -> Result<[TextHash; 2]> {
        let rules = readable::mark_of_rules(&*self.stores.rules.open()?.reader()?)?;
        Ok([rules, readable::mark_of_episodes(&*self.stores.episodes.open()?.reader()?)?])
    }

    /// Writes some of the copies that have changed; returns whether there are more. Where they are switched off, it
    /// removes all.
    ///
    /// # Errors
    /// Of the files and of the stores: they are written later.
    pub(in crate::engine) fn write_copies(&self) -> Result<bool> {
        let mut state = self.readable.lock();
        if !self.settings().readable_copies {
            if !state.is_removed {
                remove_files(self.stores.data_dir(), None)?;
                *state = State { is_removed: true, ..State::default() };
            }
            return Ok(false);
        }
        state.is_removed = false;
        let marks = self.marks_of_copies()?;
        let data = Folder::open(self.stores.data_dir()).map_err(unwritable_copy)?;
        data.remove_leftovers(Some(MAP));
        let (wanted, projects) = self.wanted_copies()?;
        let mut written = 0;
        for copy in &wanted {
            if state.contents.get(&copy.path) == Some(&copy.mark) {
                continue;
            }
            if written >= MAX_FILES_PER_STEP {
                return Ok(true);
            }
            // One that was deleted in the meantime is removed below.
            let Some(content) = self.content_of(&copy.content)? else { continue };
            write_copy(&data, &copy.path, &content)?;
            state.contents.insert(copy.path.clone(), copy.mark);
            written += 1;
        }
        let paths: BTreeSet<&str> = wanted.iter().map(|copy| copy.path.as_str()).collect();
        remove_unwanted(&data, &paths)?;
        state.contents.retain(|path, _| path == MAP || paths.contains(path.as_str()));
        let mark = mark_of(&Value::Object(projects.clone()));
        if state.contents.get(MAP) != Some(&mark) {
            write_copy(&data, MAP, &copies::project_map(&projects, self.clock.now().millis()))?;
            state.contents.insert(MAP.to_owned(), mark);
        }
        state.written_at = Some(marks);
        Ok(false)
    }

    /// All copies but the map, and the entries of the map. A book that is being cleared has none.
    fn wanted_copies(&self) -> Result<(Vec<Copy>, Map<String, Value>)> {
        let (mut wanted, mut projects) = (Vec::new(), Map::new());
        for project in self.projects() {
            let project_id = project.project_id.clone();
            let Ok(_open) = self.visit(&project_id) else { continue };
            if is_no_folder_name(project_id.as_str()) {
                continue;
            }
            let path = |kind: &str, name: &str| format!("{FOLDER}/{project_id}/{kind}/{name}.json");
            let db = self.stores.episodes.open()?;
            let (records, failed, chapters, order, is_encoded, last_analyzed) = {
                let reader = db.reader()?;
                let reader = reader.snapshot()?;
                let count = passages::count(&reader, &project_id)?;
                let is_encoded = count > 0 && readable::count_encoded_passages(&reader, &project_id)? >= count;
                (
                    readable::record_versions(&reader, &project_id, MAX_COPIES)?,
                    failures::latest_failures(&reader, &project_id, MAX_COPIES)?,
                    readable::chapter_hashes(&reader, &project_id)?,
                    crate::storage::tagged_passages::chapter_order(&reader, &project_id)?,
                    is_encoded,
                    readable::last_analysis(&reader, std::slice::from_ref(&project_id))?,
                )
            };
            let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for (answer_id, version, updated_at) in &records {
                let name = format!("lr-{answer_id}");
                let mark = text_hash(&format!("{version} {updated_at}"));
                wanted.push(Copy { path: path("learning", &name), mark, content: Content::Record(answer_id.clone()) });
                names.entry("learning").or_default().push(name);
            }
            for failure in &failed {
                let name = format!("fr-{}", failure.failure_id);
                wanted.push(whole(path("failures", &name), copies::failure_copy(failure)));
                names.entry("failures").or_default().push(name);
            }
            let (canon, _) = self.canon(&project_id);
            let known = self.known_entities(&project_id, &order);
            let is_accepted = |id: &crate::model::EntityId| canon.entities.iter().any(|one| one.entity_id == *id);
            for entity in known.all.iter().filter(|entity| is_accepted(&entity.entity_id)).take(MAX_DOMAINS) {
                if is_no_folder_name(entity.entity_id.as_str()) {
                    continue;
                }
                let domain = self.domain_of(&project_id, project.language, entity, &order);
                wanted.push(whole(path("domain", entity.entity_id.as_str()), copies::domain_copy(&domain)));
                names.entry("domain").or_default().push(format!("dk-{}", entity.entity_id));
            }
            let mut of_kind = |kind: &str| names.remove(kind).unwrap_or_default();
            let is_analyzed = !chapters.is_empty() && chapters.len() >= order.len();
            let mapped = copies::mapped(&MappedProject {
                study: self.study_state(&project_id).or_log("read the study of a book"),
                chapters: chapters.into_iter().map(|(id, hash)| (id.to_string(), hash)).collect(),
                is_analyzed,
                is_encoded,
                last_analyzed,
                records: of_kind("learning"),
                failures: of_kind("failures"),
                domains: of_kind("domain"),
                last_evolution: records.iter().map(|(_, _, at)| *at).max(),
                project,
            });
            projects.insert(project_id.to_string(), mapped);
        }
        let global = self.global_memory()?;
        let sources: BTreeSet<&ProjectId> =
            global.cross_project_patterns.iter().flat_map(|pattern| &pattern.example_projects).collect();
        let sources: Vec<ProjectId> = sources.into_iter().cloned().collect();
        let last_counted = readable::last_analysis(&*self.stores.episodes.open()?.reader()?, &sources)?;
        let (practices, patterns) = copies::global_copies(&global, last_counted);
        wanted.push(whole(format!("{FOLDER}/{GLOBAL}/best_practices.json"), practices));
        wanted.push(whole(format!("{FOLDER}/{GLOBAL}/patterns.json"), patterns));
        Ok((wanted, projects))
    }

    fn content_of(&self, content: &Content) -> Result<Option<Value>> {
        match content {
            Content::Whole(value) => Ok(Some(value.clone())),
            Content::Record(answer_id) => {
                let stored = answers::get(&*self.stores.episodes.open()?.reader()?, answer_id)?;
                Ok(stored.map(|stored| copies::record_copy(&stored.answer)))
            }
        }
    }

    /// Removes the copies of a book, or of all, and the map. Its rows are deleted before, so that no step writes them
    /// again.
    ///
    /// # Errors
    /// Of the files.
    pub(in crate::engine) fn remove_copies(&self, project_id: Option<&ProjectId>) -> Result<()> {
        let mut state = self.readable.lock();
        remove_files(self.stores.data_dir(), project_id)?;
        *state = State::default();
        Ok(())
    }

    /// Removes the copies that may have the words of an erased memory.
    ///
    /// # Errors
    /// Of the files.
    pub(in crate::engine) fn remove_erased_copies(
        &self,
        kind: ErasureKind,
        project_id: Option<&ProjectId>,
    ) -> Result<()> {
        if kind == ErasureKind::Answer { self.remove_copies(project_id) } else { Ok(()) }
    }
}

fn whole(path: String, value: Value) -> Copy {
    Copy { path, mark: mark_of(&value), content: Content::Whole(value) }
}

fn mark_of(value: &Value) -> TextHash {
    text_hash(&value.to_string())
}

/// Whether an id from a file cannot be the name of a folder or a file.
fn is_no_folder_name(id: &str) -> bool {
    id == GLOBAL || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn write_copy(data: &Folder, path: &str, value: &Value) -> Result<()> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder = data.folder("").map_err(unwritable_copy)?;
    for step in folders.split('/').filter(|step| !step.is_empty()) {
        folder.make_folder(step, Access::OwnerOnly).map_err(unwritable_copy)?;
        folder = folder.folder(step).map_err(unwritable_copy)?;
    }
    let text = serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
    let file = folder.file(name).map_err(unwritable_copy)?;
    file.replace(text.as_bytes(), Existing::Replace, Access::OwnerOnly, Durability::Derived).map_err(unwritable_copy)
}

/// Removes the files of the folder that are not wanted, and the folders of books that are not known.
fn remove_unwanted(data: &Folder, wanted: &BTreeSet<&str>) -> Result<()> {
    let Ok(top) = data.folder(FOLDER) else { return Ok(()) };
    for book in folders_in(&top)? {
        let inner = top.folder(&book).map_err(unwritable_copy)?;
        let mut kinds = folders_in(&inner)?;
        kinds.push(String::new());
        for kind in kinds {
            let folder = inner.folder(&kind).map_err(unwritable_copy)?;
            folder.remove_leftovers(None);
            for entry in folder.entries().map_err(unwritable_copy)? {
                let Some(name) = entry.name.to_str() else { continue };
                let step = if kind.is_empty() { String::new() } else { format!("{kind}/") };
                let path = format!("{FOLDER}/{book}/{step}{name}");
                let is_own = entry.kind == EntryKind::File && name.ends_with(".json");
                if is_own && !wanted.contains(path.as_str()) {
                    folder.file(name).and_then(|file| file.remove()).map_err(unwritable_copy)?;
                }
            }
        }
    }
    Ok(())
}

fn folders_in(folder: &Folder) -> Result<Vec<String>> {
    let entries = folder.entries().map_err(unwritable_copy)?;
    let folders = entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    Ok(folders.filter_map(|entry| entry.name.into_string().ok()).collect())
}

/// Removes the copies of a book, or all, with the map.
fn remove_files(data_dir: &Path, project_id: Option<&ProjectId>) -> Result<()> {
    let folder = data_dir.join(FOLDER);
    let folders = match project_id {
        Some(id) if is_no_folder_name(id.as_str()) => Vec::new(),
        // The notes of all books name theirs.
        Some(id) => vec![folder.join(id.as_str()), folder.join(GLOBAL)],
        None => vec![folder],
    };
    for folder in folders {
        // A link is removed and not followed.
        let removed = match fs::symlink_metadata(&folder) {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&folder),
            Ok(_) => fs::remove_file(&folder),
            Err(error) => Err(error),
        };
        ignore_missing(removed)?;
    }
    ignore_missing(fs::remove_file(data_dir.join(MAP)))
}

fn ignore_missing(removed: std::io::Result<()>) -> Result<()> {
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unwritable_copy(error.into())),
        _ => Ok(()),
    }
}

fn unwritable_copy(error: FileError) -> Error {
    Error::new(Code::WriteFailed, "a readable copy cannot be written").caused_by(error).while_doing("write a copy")
}
