//! Chapters that are deleted, restored, split and merged: as a whole or not at all, and never with a loss.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use palimpsest_manuscript::{Book, ChapterId, Error, OpenOptions, adopt_new_ids, detect_language};
use proptest::prelude::*;
use tempfile::TempDir;

struct Shelf {
    folder: TempDir,
    ids: u32,
}

impl Shelf {
    fn with(files: &[(&str, &str)]) -> (Self, Book) {
        let mut shelf = Self { folder: tempfile::tempdir().unwrap(), ids: 0 };
        for (file, text) in files {
            let path = shelf.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let book = shelf.open();
        (shelf, book)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("book").join(file)
    }

    fn open(&mut self) -> Book {
        let root = self.path("");
        let mut new_id = counting(&mut self.ids);
        let mut options =
            OpenOptions { new_id: &mut new_id, language: &detect_language, project_id: None, title: None };
        Book::open(&root, &mut options).unwrap().book
    }

    /// The chapters on disk: content by path.
    fn on_disk(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect(&self.path(""), "", &mut found);
        found
    }

    fn split(&mut self, book: &mut Book, file: &str, before: &str, title: Option<&str>) -> Result<String, Error> {
        let chapter = id(book, file);
        let read = book.read(&chapter).unwrap();
        let at = read.text[..read.text.find(before).unwrap()].encode_utf16().count() as u32;
        let mut new_id = counting(&mut self.ids);
        book.split_chapter(&chapter, at, title, &read.content_hash, &mut new_id).map(|change| change.change_id)
    }

    fn merge(&mut self, book: &mut Book, file: &str, next: &str) -> Result<String, Error> {
        let (chapter, next) = (id(book, file), id(book, next));
        book.merge_chapters(&chapter, &next, 7, &mut counting(&mut self.ids)).map(|change| change.change_id)
    }
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), found);
        } else {
            found.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

fn counting(ids: &mut u32) -> impl FnMut() -> String {
    move || {
        *ids += 1;
        format!("id-{ids}")
    }
}

fn id(book: &Book, file: &str) -> ChapterId {
    book.chapters().iter().find(|chapter| chapter.file == file).unwrap().chapter_id.clone()
}

fn files(book: &Book) -> Vec<&str> {
    book.chapters().iter().map(|chapter| chapter.file.as_str()).collect()
}

const TIDE: &[(&str, &str)] = &[
    ("01 渡船.md", "# 渡船\n\n渡船靠岸时，灯已经亮了。\n\n她推开门。\n"),
    ("02 簿子.md", "# 簿子\n\n簿子摊在桌上。\n"),
    ("03 End.md", "# The End\n\nNobody waved.\n"),
];

#[test]
fn a_deleted_chapter_is_restored_with_its_id_its_place_and_its_scene_type() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let before = shelf.on_disk();
    let chapter = id(&book, "02 簿子.md");
    book.move_chapter(&chapter, Some(&id(&book, "01 渡船.md"))).unwrap();
    book.set_scene_type(&chapter, Some("dialogue")).unwrap();
    let deleted = book.delete_chapter(&chapter, 5).unwrap();
    assert_eq!(files(&book), ["01 渡船.md", "03 End.md"]);
    assert!(!shelf.path("02 簿子.md").exists());
    assert_eq!(book.read(&chapter), Err(Error::ChapterGone { file: "02 簿子.md".into() }));

    let mut book = shelf.open();
    assert_eq!(files(&book), ["01 渡船.md", "03 End.md"]);
    assert_eq!(book.deleted_chapters().unwrap(), std::slice::from_ref(&deleted));
    let (title, text) = book.read_deleted(&deleted).unwrap();
    assert_eq!((title.as_str(), text.as_deref()), ("簿子", Some("# 簿子\n\n簿子摊在桌上。\n")));
    let restored = book.restore_deleted(&deleted.deleted_id).unwrap();
    assert_eq!((restored.chapter_id, restored.file.as_str()), (chapter.clone(), "02 簿子.md"));
    assert_eq!(files(&book), ["02 簿子.md", "01 渡船.md", "03 End.md"]);
    assert_eq!(book.scene_type(&chapter), Some("dialogue"));
    assert_eq!(shelf.on_disk(), before);
    assert_eq!(book.deleted_chapters().unwrap(), []);
    assert_eq!(book.restore_deleted(&deleted.deleted_id), Err(Error::UnknownChapter));
}

#[test]
fn a_restored_chapter_replaces_no_file_that_has_its_name_now() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let chapter = id(&book, "02 簿子.md");
    let deleted = book.delete_chapter(&chapter, 5).unwrap();
    fs::write(shelf.path("02 簿子.md"), "# 另一本\n\n新写的。\n").unwrap();
    book.refresh(&mut counting(&mut shelf.ids)).unwrap();
    let restored = book.restore_deleted(&deleted.deleted_id).unwrap();
    assert_eq!((restored.chapter_id, restored.file.as_str()), (chapter, "簿子.md"));
    assert_eq!(shelf.on_disk()["02 簿子.md"], "# 另一本\n\n新写的。\n");
}

#[test]
fn deleted_chapters_are_restored_without_their_id_file_and_in_a_copy_of_the_book() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let chapter = id(&book, "02 簿子.md");
    book.delete_chapter(&chapter, 5).unwrap();
    let project = adopt_new_ids(&shelf.path(""), &mut counting(&mut shelf.ids)).unwrap();
    let mut book = shelf.open();
    assert_eq!(book.project_id(), project);
    let deleted = book.deleted_chapters().unwrap().remove(0);
    assert_ne!(deleted.chapter_id, chapter);
    book.restore_deleted(&deleted.deleted_id).unwrap();
    assert_eq!(files(&book)[1], "02 簿子.md");

    book.delete_chapter(&deleted.chapter_id, 6).unwrap();
    fs::remove_file(shelf.path(".palimpsest/book.json")).unwrap();
    let mut book = shelf.open();
    let deleted = book.deleted_chapters().unwrap().remove(0);
    let restored = book.restore_deleted(&deleted.deleted_id).unwrap();
    assert_eq!((restored.chapter_id, restored.file.as_str()), (deleted.chapter_id, "簿子.md"));
}

#[test]
fn a_split_chapter_is_two_in_a_row_and_its_undo_gives_back_every_byte() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let before = shelf.on_disk();
    let change = shelf.split(&mut book, "01 渡船.md", "她推开门", Some("门")).unwrap();
    let expected = ["01 渡船.md", "01 渡船 2.md", "02 簿子.md", "03 End.md"];
    assert_eq!(files(&book), expected);
    let titles: Vec<&str> = book.chapters().iter().map(|chapter| chapter.title.as_str()).collect();
    assert_eq!(titles, ["渡船", "门", "簿子", "The End"]);
    let now = shelf.on_disk();
    assert_eq!(now["01 渡船.md"], "# 渡船\n\n渡船靠岸时，灯已经亮了。\n");
    assert_eq!(now["01 渡船 2.md"], "# 门\n\n她推开门。\n");
    let second = id(&book, "01 渡船 2.md");

    let mut book = shelf.open();
    assert_eq!(files(&book), expected);
    assert_eq!(id(&book, "01 渡船 2.md"), second);
    book.undo_change(&change).unwrap();
    assert_eq!(shelf.on_disk(), before);
    assert_eq!(files(&book), ["01 渡船.md", "02 簿子.md", "03 End.md"]);
    assert_eq!(book.deleted_chapters().unwrap(), []);
    assert_eq!(book.undo_change(&change), Err(Error::ChangedSince));
}

#[test]
fn a_chapter_that_was_split_follows_its_first_part_in_an_order_of_the_writer() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    book.move_chapter(&id(&book, "01 渡船.md"), None).unwrap();
    shelf.split(&mut book, "01 渡船.md", "她推开门", Some("门")).unwrap();
    let expected = ["02 簿子.md", "03 End.md", "01 渡船.md", "01 渡船 2.md"];
    assert_eq!(files(&book), expected);
    assert_eq!(files(&shelf.open()), expected);
}

#[test]
fn merged_chapters_are_one_and_the_undo_gives_back_both() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let before = shelf.on_disk();
    let next = id(&book, "02 簿子.md");
    let change = shelf.merge(&mut book, "01 渡船.md", "02 簿子.md").unwrap();
    assert_eq!(files(&book), ["01 渡船.md", "03 End.md"]);
    let joined = "# 渡船\n\n渡船靠岸时，灯已经亮了。\n\n她推开门。\n\n## 簿子\n\n簿子摊在桌上。\n";
    assert_eq!(shelf.on_disk()["01 渡船.md"], joined);
    let deleted: Vec<ChapterId> = book.deleted_chapters().unwrap().into_iter().map(|one| one.chapter_id).collect();
    assert_eq!(deleted, std::slice::from_ref(&next), "the text of the second one as it was");

    let mut book = shelf.open();
    book.undo_change(&change).unwrap();
    assert_eq!(shelf.on_disk(), before);
    assert_eq!(id(&book, "02 簿子.md"), next);
    assert_eq!(book.deleted_chapters().unwrap(), []);
    assert_eq!(files(&shelf.open()), ["01 渡船.md", "02 簿子.md", "03 End.md"]);
}

#[test]
fn a_change_is_refused_where_the_chapters_are_other_ones_by_now() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let first = id(&book, "01 渡船.md");
    let mut ids = counting(&mut shelf.ids);
    let stale = book.split_chapter(&first, 8, Some("门"), "another hash", &mut ids);
    assert!(matches!(stale, Err(Error::Stale { current: Some(_) })));
    let third = id(&book, "03 End.md");
    assert_eq!(book.merge_chapters(&first, &third, 7, &mut ids), Err(Error::ChangedSince));
    assert_eq!(book.split_chapter(&"nobody".into(), 8, None, "", &mut ids), Err(Error::UnknownChapter));
    drop(ids);
    assert_eq!(shelf.split(&mut book, "01 渡船.md", "渡船靠岸", Some("门")), Err(Error::EmptyPart));
    assert_eq!(shelf.split(&mut book, "01 渡船.md", "她推开门", None), Err(Error::EmptyTitle));
    assert_eq!(shelf.split(&mut book, "01 渡船.md", "她推开门", Some(" ")), Err(Error::EmptyTitle));

    let change = shelf.split(&mut book, "01 渡船.md", "她推开门", Some("门")).unwrap();
    fs::write(shelf.path("01 渡船 2.md"), "# 门\n\n她推开了门。\n").unwrap();
    let now = shelf.on_disk();
    assert_eq!(book.undo_change(&change), Err(Error::ChangedSince));
    assert_eq!(shelf.on_disk(), now);
}

#[test]
fn only_the_last_change_can_be_undone() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let first = shelf.split(&mut book, "01 渡船.md", "她推开门", Some("门")).unwrap();
    let second = shelf.merge(&mut book, "02 簿子.md", "03 End.md").unwrap();
    assert_eq!(book.undo_change(&first), Err(Error::ChangedSince));
    book.undo_change(&second).unwrap();
    assert_eq!(files(&book), ["01 渡船.md", "01 渡船 2.md", "02 簿子.md", "03 End.md"]);
}

#[test]
fn line_ends_and_a_byte_order_mark_stay_as_they_are() {
    let raw = "\u{feff}# A\r\n\r\nOne.\r\n\r\nTwo.\r\n";
    let (mut shelf, mut book) = Shelf::with(&[("a.md", raw)]);
    let change = shelf.split(&mut book, "a.md", "Two", Some("B")).unwrap();
    let now = shelf.on_disk();
    assert_eq!(now["a.md"], "\u{feff}# A\r\n\r\nOne.\r\n");
    assert_eq!(now["a 2.md"], "# B\r\n\r\nTwo.\r\n");
    book.undo_change(&change).unwrap();
    assert_eq!(shelf.on_disk()["a.md"], raw);
}

/// The state of the files of a book, hidden ones included.
fn snapshot(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.strip_prefix(root).unwrap().to_path_buf(), fs::read(&path).unwrap()));
            }
        }
    }
    found
}

fn put_back(root: &Path, files: &[(PathBuf, Vec<u8>)]) {
    fs::remove_dir_all(root).unwrap();
    for (file, bytes) in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The state after a crash of a change: the record is on disk, and of the two chapters the first `steps` of its writes.
fn interrupted(shelf: &Shelf, before: &[(PathBuf, Vec<u8>)], after: &[(PathBuf, Vec<u8>)], steps: &[&str]) {
    let mut state: BTreeMap<PathBuf, Vec<u8>> = before.iter().cloned().collect();
    let done: BTreeMap<PathBuf, Vec<u8>> = after.iter().cloned().collect();
    for (file, bytes) in &done {
        if file.starts_with(".palimpsest/change") {
            let text = String::from_utf8_lossy(bytes).replace("\"areFilesDone\":true", "\"areFilesDone\":false");
            state.insert(file.clone(), text.into_bytes());
        }
    }
    for step in steps {
        match done.get(Path::new(step)) {
            Some(bytes) => drop(state.insert(PathBuf::from(step), bytes.clone())),
            None => drop(state.remove(Path::new(step))),
        }
    }
    put_back(&shelf.path(""), &state.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_change_that_a_crash_interrupts_is_whole_on_the_next_opening() {
    for is_split in [true, false] {
        let (mut shelf, mut book) = Shelf::with(TIDE);
        let before = snapshot(&shelf.path(""));
        let untouched = shelf.on_disk();
        let (change, writes) = if is_split {
            (shelf.split(&mut book, "01 渡船.md", "她推开门", Some("门")), ["01 渡船 2.md", "01 渡船.md"])
        } else {
            (shelf.merge(&mut book, "01 渡船.md", "02 簿子.md"), ["01 渡船.md", "02 簿子.md"])
        };
        let change = change.unwrap();
        let (after, done) = (snapshot(&shelf.path("")), shelf.on_disk());
        let chapters: Vec<ChapterId> = book.chapters().iter().map(|chapter| chapter.chapter_id.clone()).collect();
        for steps in 0..=2 {
            interrupted(&shelf, &before, &after, &writes[..steps]);
            let mut book = shelf.open();
            assert_eq!(shelf.on_disk(), done, "split {is_split}, after {steps} steps");
            let now: Vec<ChapterId> = book.chapters().iter().map(|chapter| chapter.chapter_id.clone()).collect();
            assert_eq!(now, chapters, "the chapters keep their ids");
            assert!(book.pending_memories().unwrap().is_some(), "the memories follow");
            book.undo_change(&change).unwrap();
            assert_eq!(shelf.on_disk(), untouched);
        }
    }
}

#[test]
fn a_change_that_another_program_overtakes_loses_no_word_of_either() {
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let before = snapshot(&shelf.path(""));
    shelf.split(&mut book, "01 渡船.md", "她推开门", Some("门")).unwrap();
    let after = snapshot(&shelf.path(""));
    // The process died after the second part was written, and another program saved the whole chapter.
    interrupted(&shelf, &before, &after, &["01 渡船 2.md"]);
    fs::write(shelf.path("01 渡船.md"), "# 渡船\n\n渡船靠岸时，灯已经亮了。\n\n她推开门。雨。\n").unwrap();
    shelf.open();
    let now = shelf.on_disk();
    assert_eq!(now["01 渡船.md"], "# 渡船\n\n渡船靠岸时，灯已经亮了。\n\n她推开门。雨。\n");
    assert_eq!(now["01 渡船 2.md"], "# 门\n\n她推开门。\n");
}

#[test]
fn a_chapter_that_cannot_be_written_leaves_everything_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let (mut shelf, mut book) = Shelf::with(TIDE);
    let before = shelf.on_disk();
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(shelf.path("01 渡船.md"), read_only).unwrap();
    assert!(matches!(shelf.split(&mut book, "01 渡船.md", "她推开门", Some("门")), Err(Error::Io { .. })));
    assert_eq!(shelf.on_disk(), before);
    assert!(matches!(shelf.merge(&mut book, "01 渡船.md", "02 簿子.md"), Err(Error::Io { .. })));
    assert_eq!(shelf.on_disk(), before);
    assert_eq!(files(&shelf.open()), ["01 渡船.md", "02 簿子.md", "03 End.md"]);
}

fn visible(texts: &BTreeMap<String, String>) -> Vec<char> {
    let mut all: Vec<char> =
        texts.values().flat_map(|text| text.chars()).filter(|c| !c.is_whitespace() && *c != '#').collect();
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Deletions, restorations, splits, merges and undos in any order lose no letter of the book.
    #[test]
    fn no_order_of_changes_loses_a_letter(steps in prop::collection::vec((0..5_u8, 0..6_usize, 2..40_u32), 1..14)) {
        let (mut shelf, mut book) = Shelf::with(TIDE);
        let mut titles = 0;
        let mut last = None;
        let whole = visible(&shelf.on_disk());
        for (step, index, at) in steps {
            let Some(chapter) = book.chapters().get(index % book.chapters().len().max(1)).cloned() else { break };
            match step {
                0 => {
                    let deleted = book.delete_chapter(&chapter.chapter_id, 5).unwrap();
                    book.restore_deleted(&deleted.deleted_id).unwrap();
                    last = None;
                }
                1 => {
                    let read = book.read(&chapter.chapter_id).unwrap();
                    let (id, hash) = (&chapter.chapter_id, &read.content_hash);
                    let mut new_id = counting(&mut shelf.ids);
                    // A heading at the split point is the title.
                    match book.split_chapter(id, at, None, hash, &mut new_id) {
                        Ok(change) => last = Some((change.change_id, 0)),
                        Err(Error::EmptyTitle) => {
                            let split = book.split_chapter(id, at, Some("T"), hash, &mut new_id).unwrap();
                            titles += 1;
                            last = Some((split.change_id, 1));
                        }
                        Err(error) => prop_assert_eq!(error, Error::EmptyPart),
                    }
                }
                2 => {
                    let next = book.chapters().iter().skip_while(|one| one.chapter_id != chapter.chapter_id).nth(1).cloned();
                    if let Some(next) = next {
                        let mut new_id = counting(&mut shelf.ids);
                        let merged = book.merge_chapters(&chapter.chapter_id, &next.chapter_id, 7, &mut new_id).unwrap();
                        last = Some((merged.change_id, 0));
                    }
                }
                3 => {
                    if let Some((change, added)) = last.take() {
                        book.undo_change(&change).unwrap();
                        titles -= added;
                    }
                }
                _ => book = shelf.open(),
            }
            let mut now = visible(&shelf.on_disk());
            for _ in 0..titles {
                let at = now.iter().position(|c| *c == 'T').unwrap();
                now.remove(at);
            }
            prop_assert_eq!(&now, &whole);
        }
    }
}
