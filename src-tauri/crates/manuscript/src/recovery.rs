//! Text that could not be saved into its book, kept in a folder of the program's own until it can be, or until the
//! writer does not want it any more.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::disk::{self, MAX_CHAPTER_BYTES};
use crate::error::{Error, Result};
use crate::identity;
use crate::text;

const ENDING: &str = ".json";
const FORMAT: u64 = 1;

/// A text that could not be saved.
#[derive(Clone, PartialEq, Eq)]
pub struct Kept {
    /// Tells it from the others of its book.
    pub kept_id: String,
    /// The chapter.
    pub chapter_id: String,
    /// When it was kept, in milliseconds since 1970.
    pub at: i64,
    /// The content hash of the chapter that it was written over.
    pub base_hash: String,
    /// The whole text, lines ended by LF.
    pub text: String,
    /// Whose words stand where in it, as its editor said.
    pub origins: Vec<KeptOrigin>,
}

/// A passage of a kept text that a generation wrote. Offsets are UTF-16 code units, end exclusive; nobody has checked them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptOrigin {
    /// The generation.
    pub generation_id: String,
    /// The skill.
    pub skill: String,
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
}

impl std::fmt::Debug for Kept {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Kept");
        shown.field("kept_id", &self.kept_id).field("chapter_id", &self.chapter_id).field("at", &self.at);
        shown.field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptFile {
    format: u64,
    at: i64,
    base_hash: String,
    text: String,
    origins: Vec<KeptOrigin>,
}

/// Where such texts are kept: `<folder>/<project>/<chapter>.<kept>.json`.
#[derive(Debug)]
pub struct Unsaved {
    folder: PathBuf,
    /// One write at a time: two of one name would meet in one temporary file.
    writing: Mutex<()>,
}

impl Unsaved {
    /// In this folder. It is made with the first text.
    #[must_use]
    pub fn of(folder: PathBuf) -> Self {
        Self { folder, writing: Mutex::new(()) }
    }

    /// Keeps a text, in the place of the one that had this id. On return it has reached the disk, as a whole.
    ///
    /// # Errors
    /// [`Error::InvalidId`], [`Error::TooLarge`], [`Error::Link`], [`Error::Io`]. What was kept before is then as it was.
    pub fn keep(&self, project_id: &str, kept: &Kept) -> Result<()> {
        let file = file(project_id, &kept.chapter_id, &kept.kept_id)?;
        let whole = KeptFile {
            format: FORMAT,
            at: kept.at,
            base_hash: kept.base_hash.clone(),
            text: text::unify(&kept.text),
            origins: kept.origins.clone(),
        };
        let bytes = serde_json::to_vec(&whole).map_err(|_| Error::io(&file, &io::ErrorKind::InvalidData.into()))?;
        if bytes.len() as u64 > MAX_CHAPTER_BYTES {
            return Err(Error::TooLarge { file });
        }
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(around), Some(name)) = (self.folder.parent(), self.folder.file_name().and_then(OsStr::to_str)) {
            disk::make_own_folders(around, name)?;
        }
        disk::make_own_folders(&self.folder, project_id)?;
        disk::remove_leftovers(&self.folder, std::iter::once(project_id));
        disk::replace_own(&self.folder, &file, &bytes)
    }

    /// A text is saved, or not wanted any more. Whether there was one.
    ///
    /// # Errors
    /// [`Error::InvalidId`], [`Error::Link`], [`Error::Io`].
    pub fn let_go(&self, project_id: &str, chapter_id: &str, kept_id: &str) -> Result<bool> {
        let file = file(project_id, chapter_id, kept_id)?;
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        disk::remove(&self.folder, &file)
    }

    /// All that is kept of a book, the newest first. What cannot be read is passed over, and stays.
    #[must_use]
    pub fn of_book(&self, project_id: &str) -> Vec<Kept> {
        if identity::check_id(project_id).is_err() {
            return Vec::new();
        }
        let names = disk::files_in(&self.folder, project_id).unwrap_or_default();
        let mut found: Vec<Kept> = names
            .into_iter()
            .filter_map(|(name, _)| {
                let (chapter_id, kept_id) = name.strip_suffix(ENDING)?.split_once('.')?;
                let bytes = disk::read(&self.folder, &file(project_id, chapter_id, kept_id).ok()?).ok()??;
                let KeptFile { format: FORMAT, at, base_hash, text, origins } = serde_json::from_slice(&bytes).ok()?
                else {
                    return None;
                };
                Some(Kept {
                    kept_id: kept_id.to_owned(),
                    chapter_id: chapter_id.to_owned(),
                    at,
                    base_hash,
                    text,
                    origins,
                })
            })
            .collect();
        found.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.kept_id.cmp(&a.kept_id)));
        found
    }
}

/// No id has a dot in it.
fn file(project_id: &str, chapter_id: &str, kept_id: &str) -> Result<String> {
    for id in [project_id, chapter_id, kept_id] {
        identity::check_id(id)?;
    }
    Ok(format!("{project_id}/{chapter_id}.{kept_id}{ENDING}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn kept(chapter_id: &str, kept_id: &str, at: i64, text: &str) -> Kept {
        let of = |text: &str| text.to_owned();
        Kept {
            kept_id: of(kept_id),
            chapter_id: of(chapter_id),
            at,
            base_hash: of("b"),
            text: of(text),
            origins: Vec::new(),
        }
    }

    #[test]
    fn a_kept_text_is_replaced_by_its_own_id_alone_and_is_gone_when_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = Unsaved::of(folder.path().join("unsaved"));
        assert_eq!(unsaved.of_book("p"), []);
        let of_c = || unsaved.of_book("p").into_iter().filter(|kept| kept.chapter_id == "c").collect::<Vec<_>>();
        unsaved.keep("p", &kept("c", "1", 10, "雨\r\n停")).unwrap();
        unsaved.keep("p", &kept("c", "1", 20, "雨停了。")).unwrap();
        unsaved.keep("p", &kept("c", "2", 15, "另一份")).unwrap();
        unsaved.keep("p", &kept("d", "3", 15, "# 别的章\n")).unwrap();
        unsaved.keep("q", &kept("c", "1", 15, "别的书")).unwrap();
        assert_eq!(of_c(), [kept("c", "1", 20, "雨停了。"), kept("c", "2", 15, "另一份")]);
        assert_eq!(unsaved.of_book("p").len(), 3);
        assert_eq!(unsaved.let_go("p", "c", "1"), Ok(true));
        assert_eq!(unsaved.let_go("p", "c", "1"), Ok(false));
        assert_eq!(of_c(), [kept("c", "2", 15, "另一份")]);
        assert_eq!(unsaved.of_book("q").len(), 1);
    }

    #[test]
    fn what_an_interrupted_keeping_left_is_removed_with_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = Unsaved::of(folder.path().to_path_buf());
        unsaved.keep("p", &kept("c", "1", 10, "雨")).unwrap();
        fs::write(folder.path().join("p/.palimpsest-0123456789abcdef.tmp"), "half").unwrap();
        unsaved.keep("p", &kept("c", "1", 20, "雨")).unwrap();
        assert_eq!(fs::read_dir(folder.path().join("p")).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_understood_is_passed_over_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = Unsaved::of(folder.path().to_path_buf());
        unsaved.keep("p", &kept("c", "1", 10, "雨")).unwrap();
        for (name, bytes) in
            [("c.2.json", "{"), ("c.3.json", "{\"format\":9}"), ("c.4.txt", ""), (".palimpsest-0.tmp", "half")]
        {
            fs::write(folder.path().join("p").join(name), bytes).unwrap();
        }
        assert_eq!(unsaved.of_book("p").len(), 1);
        assert_eq!(fs::read_dir(folder.path().join("p")).unwrap().count(), 5);
    }

    #[test]
    fn no_id_leads_anywhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let unsaved = Unsaved::of(folder.path().join("unsaved"));
        for (project, chapter, id) in
            [("..", "c", "1"), ("p", "../c", "1"), ("p", "c", "1/2"), ("p", "c.d", "1"), ("", "c", "1")]
        {
            assert_eq!(unsaved.keep(project, &kept(chapter, id, 1, "雨")), Err(Error::InvalidId));
            assert_eq!(unsaved.let_go(project, chapter, id), Err(Error::InvalidId));
        }
        assert_eq!(unsaved.of_book(".."), []);
        assert!(!folder.path().join("unsaved").exists());
    }

    #[test]
    fn nothing_of_the_text_is_shown_by_debug() {
        assert!(!format!("{:?}", kept("c", "1", 1, "夜里的秘密")).contains("秘密"));
    }
}
