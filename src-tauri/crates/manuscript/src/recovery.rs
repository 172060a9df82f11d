//! Recovery copies: texts that could not be saved into their book, stored in the program's own folder until they are
//! saved or discarded.

use std::ffi::OsStr;

use parking_lot::Mutex;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::disk::{self, MAX_CHAPTER_BYTES};
use crate::error::{Error, Result, or_log};
use crate::id::ChapterId;
use crate::identity;

const FILE_EXTENSION: &str = ".json";
const FORMAT: u64 = 1;

/// A text that could not be saved into its chapter.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCopy {
    /// Unique among the copies of the chapter.
    pub copy_id: String,
    /// UUID; the chapter may no longer exist.
    pub chapter_id: ChapterId,
    /// Time of storing, in milliseconds since 1970.
    pub at: i64,
    /// The content hash of the chapter that the text was based on.
    pub base_hash: String,
    /// The whole text, lines ended by LF.
    pub text: String,
    /// Origins of its passages, as reported by the editor.
    pub origins: Vec<RecoveryOrigin>,
}

/// A passage of a recovery copy that a generation wrote. Offsets are UTF-16 code units, end exclusive, and not
/// validated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryOrigin {
    /// UUID of the generation that wrote the range.
    pub generation_id: String,
    /// The skill of the generation.
    pub skill: String,
    /// Start offset.
    pub from: u32,
    /// End offset, exclusive.
    pub to: u32,
}

impl std::fmt::Debug for RecoveryCopy {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("RecoveryCopy");
        shown.field("copy_id", &self.copy_id).field("chapter_id", &self.chapter_id).field("at", &self.at);
        shown.field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CopyFile {
    format: u64,
    at: i64,
    base_hash: String,
    text: String,
    origins: Vec<RecoveryOrigin>,
}

/// The store of recovery copies: `<folder>/<project>/<chapter>.<copy>.json`.
#[derive(Debug)]
pub struct RecoveryCopies {
    folder: PathBuf,
    /// Serializes writes: two with the same name would use the same temporary file.
    writing: Mutex<()>,
}

impl RecoveryCopies {
    /// A store in this folder, which is created with the first copy.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, writing: Mutex::new(()) }
    }

    /// Stores a copy, replacing one with the same id. On return it is on disk as a whole.
    ///
    /// # Errors
    /// [`Error::InvalidId`], [`Error::TooLarge`], [`Error::Link`], [`Error::Io`]. A previous copy is then unchanged.
    pub fn store(&self, project_id: &str, copy: &RecoveryCopy) -> Result<()> {
        let file = copy_path(project_id, &copy.chapter_id, &copy.copy_id)?;
        let file_contents = CopyFile {
            format: FORMAT,
            at: copy.at,
            base_hash: copy.base_hash.clone(),
            text: palimpsest_text::normalize_line_ends(&copy.text),
            origins: copy.origins.clone(),
        };
        let bytes = serde_json::to_vec(&file_contents).map_err(|_| Error::not_json("write JSON", &file))?;
        if bytes.len() as u64 > MAX_CHAPTER_BYTES {
            return Err(Error::TooLarge { file });
        }
        let _guard = self.writing.lock();
        if let (Some(parent), Some(name)) = (self.folder.parent(), self.folder.file_name().and_then(OsStr::to_str)) {
            disk::make_own_folders(parent, name)?;
        }
        disk::make_own_folders(&self.folder, project_id)?;
        disk::remove_leftovers(&self.folder, std::iter::once(project_id));
        disk::replace_own(&self.folder, &file, &bytes)
    }

    /// Deletes a copy. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::InvalidId`], [`Error::Link`], [`Error::Io`].
    pub fn discard(&self, project_id: &str, chapter_id: &ChapterId, copy_id: &str) -> Result<bool> {
        let file = copy_path(project_id, chapter_id, copy_id)?;
        let _guard = self.writing.lock();
        disk::remove(&self.folder, &file)
    }

    /// All copies of a project, newest first. Unreadable files are skipped and stay.
    #[must_use]
    pub fn list(&self, project_id: &str) -> Vec<RecoveryCopy> {
        if identity::check_id(project_id).is_err() {
            return Vec::new();
        }
        let names = or_log("list recovery copies", disk::files_in(&self.folder, project_id)).unwrap_or_default();
        let mut found: Vec<RecoveryCopy> = names
            .into_iter()
            .filter_map(|(name, _)| {
                let (chapter_id, copy_id) = name.strip_suffix(FILE_EXTENSION)?.split_once('.')?;
                let chapter_id = ChapterId::from(chapter_id);
                let file = copy_path(project_id, &chapter_id, copy_id).ok()?;
                let bytes = or_log("read a recovery copy", disk::read(&self.folder, &file))??;
                let copy = serde_json::from_slice(&bytes).map_err(|_| Error::not_json("read JSON", &file));
                let CopyFile { format: FORMAT, at, base_hash, text, origins } = or_log("read a recovery copy", copy)?
                else {
                    return None;
                };
                Some(RecoveryCopy { copy_id: copy_id.to_owned(), chapter_id, at, base_hash, text, origins })
            })
            .collect();
        found.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.copy_id.cmp(&a.copy_id)));
        found
    }
}

/// The path of a copy; unambiguous, as no id contains a dot.
fn copy_path(project_id: &str, chapter_id: &ChapterId, copy_id: &str) -> Result<String> {
    for id in [project_id, chapter_id.as_str(), copy_id] {
        identity::check_id(id)?;
    }
    Ok(format!("{project_id}/{chapter_id}.{copy_id}{FILE_EXTENSION}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn copy(chapter_id: &str, copy_id: &str, at: i64, text: &str) -> RecoveryCopy {
        let of = |text: &str| text.to_owned();
        RecoveryCopy {
            copy_id: of(copy_id),
            chapter_id: chapter_id.into(),
            at,
            base_hash: of("b"),
            text: of(text),
            origins: Vec::new(),
        }
    }

    #[test]
    fn a_recovery_copy_is_replaced_by_its_own_id_only_and_is_removed_when_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = RecoveryCopies::new(folder.path().join("unsaved"));
        assert_eq!(unsaved.list("p"), []);
        let of_c = || unsaved.list("p").into_iter().filter(|copy| copy.chapter_id.as_str() == "c").collect::<Vec<_>>();
        unsaved.store("p", &copy("c", "1", 10, "雨\r\n停")).unwrap();
        unsaved.store("p", &copy("c", "1", 20, "雨停了。")).unwrap();
        unsaved.store("p", &copy("c", "2", 15, "另一份")).unwrap();
        unsaved.store("p", &copy("d", "3", 15, "# 别的章\n")).unwrap();
        unsaved.store("q", &copy("c", "1", 15, "别的书")).unwrap();
        assert_eq!(of_c(), [copy("c", "1", 20, "雨停了。"), copy("c", "2", 15, "另一份")]);
        assert_eq!(unsaved.list("p").len(), 3);
        assert_eq!(unsaved.discard("p", &"c".into(), "1"), Ok(true));
        assert_eq!(unsaved.discard("p", &"c".into(), "1"), Ok(false));
        assert_eq!(of_c(), [copy("c", "2", 15, "另一份")]);
        assert_eq!(unsaved.list("q").len(), 1);
    }

    #[test]
    fn leftovers_of_an_interrupted_store_are_removed_with_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = RecoveryCopies::new(folder.path().to_path_buf());
        unsaved.store("p", &copy("c", "1", 10, "雨")).unwrap();
        fs::write(folder.path().join("p/.palimpsest-0123456789abcdef.tmp"), "half").unwrap();
        unsaved.store("p", &copy("c", "1", 20, "雨")).unwrap();
        assert_eq!(fs::read_dir(folder.path().join("p")).unwrap().count(), 1);
    }

    #[test]
    fn unreadable_recovery_copies_are_passed_over_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = RecoveryCopies::new(folder.path().to_path_buf());
        unsaved.store("p", &copy("c", "1", 10, "雨")).unwrap();
        for (name, bytes) in
            [("c.2.json", "{"), ("c.3.json", "{\"format\":9}"), ("c.4.txt", ""), (".palimpsest-0.tmp", "half")]
        {
            fs::write(folder.path().join("p").join(name), bytes).unwrap();
        }
        assert_eq!(unsaved.list("p").len(), 1);
        assert_eq!(fs::read_dir(folder.path().join("p")).unwrap().count(), 5);
    }

    #[test]
    fn no_id_leads_anywhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = RecoveryCopies::new(folder.path().join("unsaved"));
        for (project, chapter, id) in
            [("..", "c", "1"), ("p", "../c", "1"), ("p", "c", "1/2"), ("p", "c.d", "1"), ("", "c", "1")]
        {
            assert_eq!(unsaved.store(project, &copy(chapter, id, 1, "雨")), Err(Error::InvalidId));
            assert_eq!(unsaved.discard(project, &chapter.into(), id), Err(Error::InvalidId));
        }
        assert_eq!(unsaved.list(".."), []);
        assert!(!folder.path().join("unsaved").exists());
    }

    #[test]
    fn nothing_of_the_text_is_shown_by_debug() {
        assert!(!format!("{:?}", copy("c", "1", 1, "夜里的秘密")).contains("秘密"));
    }
}
