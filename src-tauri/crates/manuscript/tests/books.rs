//! Guarantees to the writer, with real folders.

// The lint's exception for tests does not see the helpers beside them.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use palimpsest_manuscript::{
    Book, ChapterId, Error, OpenOptions, Opened, SkipReason, adopt_new_ids, book_id, detect_language, set_aside_id_file,
};
use tempfile::TempDir;

/// A folder with files, and ids that count up.
struct Desk {
    folder: TempDir,
    ids: u32,
}

impl Desk {
    fn with(files: &[(&str, &str)]) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), ids: 0 };
        for (file, text) in files {
            desk.put(file, text);
        }
        desk
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("山城").join(file)
    }

    fn put(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap()
    }

    fn rename(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.path(from), to).unwrap();
    }

    fn try_open(&mut self) -> Result<Opened, Error> {
        let root = self.path("");
        open_at(&root, &mut self.ids)
    }

    fn open(&mut self) -> Book {
        self.try_open().unwrap().book
    }

    fn refresh(&mut self, book: &mut Book) -> bool {
        book.refresh(&mut counting(&mut self.ids)).unwrap().list_changed
    }
}

fn counting(ids: &mut u32) -> impl FnMut() -> String {
    move || {
        *ids += 1;
        format!("id-{ids}")
    }
}

fn open_at(root: &Path, ids: &mut u32) -> Result<Opened, Error> {
    Book::open(
        root,
        &mut OpenOptions { new_id: &mut counting(ids), language: &detect_language, project_id: None, title: None },
    )
}

fn id_of(book: &Book, file: &str) -> ChapterId {
    book.chapters().iter().find(|c| c.file == file).unwrap().chapter_id.clone()
}

fn files(book: &Book) -> Vec<&str> {
    book.chapters().iter().map(|c| c.file.as_str()).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn lines(words: &str, range: std::ops::Range<u32>) -> String {
    range.map(|n| format!("{words}{n}\n\n")).collect()
}

#[test]
fn a_plain_folder_becomes_a_book() {
    let mut desk = Desk::with(&[
        ("第十章.md", "正文"),
        ("第二章.md", "# 山城的雨\n\n正文"),
        ("notes.txt", "not a chapter"),
        (".hidden.md", "not a chapter"),
        (".git/x.md", "not a chapter"),
        ("卷一/3.md", "深"),
        ("卷一/deeper/4.md", "too deep"),
    ]);
    let Opened { book, created, skipped } = desk.try_open().unwrap();
    assert!(created && skipped.is_empty());
    assert_eq!((book.title(), book.language(), book.project_id()), ("山城", "zh", "id-1"));
    let list: Vec<_> = book.chapters().iter().map(|c| (c.file.as_str(), c.title.as_str())).collect();
    assert_eq!(list, [("卷一/3.md", "3"), ("第二章.md", "山城的雨"), ("第十章.md", "第十章")]);

    let file: serde_json::Value = serde_json::from_slice(&desk.bytes(".palimpsest/book.json")).unwrap();
    assert_eq!(file["format"], 1);
    assert_eq!(file["projectId"], "id-1");
    assert_eq!(file["chapters"][1]["file"], "第二章.md");
    assert_eq!(file["chapters"][1]["hash"], blake3::hash(&desk.bytes("第二章.md")).to_hex().to_string());
}

#[test]
fn opening_again_changes_nothing() {
    let mut desk = Desk::with(&[("a.md", "It rained."), ("b.md", "It stopped.")]);
    let first = desk.open();
    assert_eq!(first.language(), "en");
    let before = desk.bytes(".palimpsest/book.json");
    let Opened { book, created, .. } = desk.try_open().unwrap();
    assert!(!created);
    assert_eq!(book.chapters(), first.chapters());
    assert_eq!(desk.bytes(".palimpsest/book.json"), before);
}

#[test]
fn a_saved_chapter_reads_back() {
    let mut desk = Desk::with(&[("a.md", "雨")]);
    let mut book = desk.open();
    let id = id_of(&book, "a.md");
    let read = book.read(&id).unwrap();
    let hash = book.write(&id, "# 夜\n\n雨停了。\n", &read.content_hash).unwrap();
    let again = book.read(&id).unwrap();
    assert_eq!((again.text.as_str(), again.content_hash.as_str()), ("# 夜\n\n雨停了。\n", hash.as_str()));
    assert_eq!(hash, blake3::hash(&desk.bytes("a.md")).to_hex().to_string());
    assert_eq!(book.chapter(&id).unwrap().title, "夜");
    assert_eq!(names_in(&desk.path("")), [".palimpsest", "a.md"], "no temporary file is left");
}

#[test]
fn a_save_over_an_outside_change_is_refused() {
    let mut desk = Desk::with(&[("a.md", "one")]);
    let mut book = desk.open();
    let id = id_of(&book, "a.md");
    let base = book.read(&id).unwrap().content_hash;
    desk.put("a.md", "changed outside");
    let current = Some(book.read(&id).unwrap().content_hash);
    assert_eq!(book.write(&id, "mine", &base), Err(Error::Stale { current }));
    assert_eq!(desk.bytes("a.md"), b"changed outside");
    fs::remove_file(desk.path("a.md")).unwrap();
    assert_eq!(book.write(&id, "mine", &base), Err(Error::Stale { current: None }));
    assert!(!desk.path("a.md").exists());
}

#[test]
fn a_chapter_deleted_outside_can_be_put_back() {
    let mut desk = Desk::with(&[("part/a.md", "一")]);
    let mut book = desk.open();
    let id = id_of(&book, "part/a.md");
    fs::remove_dir_all(desk.path("part")).unwrap();
    assert!(desk.refresh(&mut book));
    assert_eq!(book.chapter(&id), Err(Error::ChapterGone { file: "part/a.md".into() }));
    let hash = book.restore(&id, "我的").unwrap();
    assert_eq!(book.read(&id).unwrap().content_hash, hash);
    assert_eq!(book.restore(&id, "again"), Err(Error::Exists { file: "part/a.md".into() }));
    assert_eq!(desk.bytes("part/a.md"), "我的".as_bytes());
}

#[test]
fn byte_order_mark_and_line_ends_survive_a_save() {
    let mut desk = Desk::with(&[("a.md", "\u{feff}# 雨\r\n\r\n一\r\n二\r\n")]);
    let mut book = desk.open();
    let id = id_of(&book, "a.md");
    let read = book.read(&id).unwrap();
    assert_eq!(read.text, "# 雨\n\n一\n二\n");
    assert_eq!(book.write(&id, &read.text, &read.content_hash).unwrap(), read.content_hash);
    book.write(&id, "# 雨\n\n一\n三\n四\n", &read.content_hash).unwrap();
    assert_eq!(desk.bytes("a.md"), "\u{feff}# 雨\r\n\r\n一\r\n三\r\n四\r\n".as_bytes());
}

#[test]
fn a_file_that_is_not_utf8_is_listed_and_left_alone() {
    let gbk = [0xd3, 0xea, 0xd2, 0xb9, b'\n'];
    let mut desk = Desk::with(&[]);
    desk.put("老稿.md", gbk);
    let mut book = desk.open();
    let chapter = book.chapters()[0].clone();
    assert_eq!((chapter.title.as_str(), chapter.readable), ("老稿", false));
    let refused = Error::NotUtf8 { file: "老稿.md".into() };
    assert_eq!(book.read(&chapter.chapter_id).unwrap_err(), refused);
    let base = chapter.content_hash.unwrap();
    assert_eq!(book.write(&chapter.chapter_id, "x", &base).unwrap_err(), refused);
    assert_eq!(book.rename(&chapter.chapter_id, "x").unwrap_err(), refused);
    assert_eq!(desk.bytes("老稿.md"), gbk);
}

#[test]
fn a_chapter_renamed_outside_is_the_same_one() {
    let mut desk = Desk::with(&[("a.md", "雨夜，她推开门。"), ("b.md", "晴")]);
    let mut book = desk.open();
    let (a, b) = (id_of(&book, "a.md"), id_of(&book, "b.md"));
    desk.rename("a.md", "卷一/第一章.md");
    assert!(desk.refresh(&mut book));
    assert_eq!((id_of(&book, "卷一/第一章.md"), id_of(&book, "b.md")), (a.clone(), b));
    assert_eq!(id_of(&desk.open(), "卷一/第一章.md"), a, "and after closing the book, too");
}

#[test]
fn a_chapter_renamed_and_edited_while_the_book_was_closed_is_the_same_one() {
    let mut desk = Desk::with(&[("a.md", &lines("雨夜", 0..30))]);
    let id = id_of(&desk.open(), "a.md");
    fs::remove_file(desk.path("a.md")).unwrap();
    desk.put("第一章.md", lines("雨夜", 4..33));
    assert_eq!(id_of(&desk.open(), "第一章.md"), id);
    fs::remove_file(desk.path("第一章.md")).unwrap();
    desk.put("b.md", lines("晴天", 0..30));
    assert_ne!(id_of(&desk.open(), "b.md"), id);
}

#[test]
fn a_chapter_that_went_and_came_back_is_the_same_one() {
    let mut desk = Desk::with(&[("a.md", "雨"), ("b.md", "晴")]);
    let mut book = desk.open();
    let id = id_of(&book, "a.md");
    fs::remove_file(desk.path("a.md")).unwrap();
    assert!(desk.refresh(&mut book));
    assert_eq!(files(&book), ["b.md"]);
    let mut book = desk.open();
    desk.put("c.md", "雨");
    assert!(desk.refresh(&mut book));
    assert_eq!(id_of(&book, "c.md"), id);
}

#[test]
fn a_place_taken_by_another_chapter_is_not_written_by_the_missing_one() {
    let mut desk = Desk::with(&[("a.md", &lines("old ", 0..9)), ("b.md", &lines("other ", 0..9))]);
    let mut book = desk.open();
    let (a, b) = (id_of(&book, "a.md"), id_of(&book, "b.md"));
    let base = book.read(&a).unwrap().content_hash;
    fs::remove_file(desk.path("a.md")).unwrap();
    desk.rename("b.md", "a.md");
    assert!(desk.refresh(&mut book));
    assert_eq!(id_of(&book, "a.md"), b);
    assert_eq!(book.write(&a, "mine", &base), Err(Error::Stale { current: None }));
    assert!(matches!(book.restore(&a, "mine"), Err(Error::ChapterGone { .. })));
    assert_eq!(desk.bytes("a.md"), lines("other ", 0..9).as_bytes());
}

#[test]
fn a_new_chapter_lies_beside_the_last_one() {
    let mut desk = Desk::with(&[("卷一/01 雨.md", "一")]);
    let mut book = desk.open();
    let made = book.create("  夜\n/山  ", "new".into()).unwrap();
    assert_eq!((made.file.as_str(), made.title.as_str()), ("卷一/02 夜 -山.md", "夜 /山"));
    assert_eq!(desk.bytes("卷一/02 夜 -山.md"), "# 夜 /山\n\n".as_bytes());
    assert_eq!(id_of(&desk.open(), "卷一/02 夜 -山.md").as_str(), "new");
    assert_eq!(book.create("x", "new".into()), Err(Error::InvalidId));
    assert_eq!(book.create("x", "../x".into()), Err(Error::InvalidId));
    assert_eq!(book.create(" \u{3000}\n", "y".into()), Err(Error::EmptyTitle));
}

#[test]
fn an_empty_folder_takes_its_first_chapters() {
    let mut desk = Desk::with(&[]);
    fs::create_dir_all(desk.path("")).unwrap();
    let mut book = desk.open();
    assert_eq!(book.create("Storm", "1".into()).unwrap().file, "Storm.md");
    assert_eq!(book.create("storm", "2".into()).unwrap().file, "storm 2.md");
    assert_eq!(files(&book), ["Storm.md", "storm 2.md"]);
}

#[test]
fn a_new_title_changes_the_heading_and_keeps_the_file() {
    let mut desk = Desk::with(&[("02.md", "# Old\r\n\r\ntext\r\n"), ("01.md", "no heading")]);
    let mut book = desk.open();
    let id = id_of(&book, "02.md");
    let renamed = book.rename(&id, "新的").unwrap();
    assert_eq!((renamed.file.as_str(), renamed.title.as_str()), ("02.md", "新的"));
    assert_eq!(desk.bytes("02.md"), "# 新的\r\n\r\ntext\r\n".as_bytes());
    let other = id_of(&book, "01.md");
    book.rename(&other, "First").unwrap();
    assert_eq!(desk.bytes("01.md"), b"# First\n\nno heading");
}

#[test]
fn leftovers_of_an_interrupted_save_go_and_nothing_else_does() {
    let mut desk = Desk::with(&[
        ("a.md", "x"),
        ("part/b.md", "y"),
        (".palimpsest-0123456789abcdef.tmp", "half"),
        ("part/.palimpsest-0123456789abcdef.tmp", "half"),
        (".palimpsest/.palimpsest-0123456789abcdef.tmp", "half"),
        (".other.tmp", "theirs"),
    ]);
    desk.open();
    assert_eq!(names_in(&desk.path("")), [".other.tmp", ".palimpsest", "a.md", "part"]);
    assert_eq!(names_in(&desk.path("part")), ["b.md"]);
    assert_eq!(names_in(&desk.path(".palimpsest")), ["book.json", "lines.json"]);
}

#[test]
fn a_damaged_id_file_is_left_alone_until_the_caller_confirms() {
    let mut desk = Desk::with(&[("a.md", "雨"), (".palimpsest/book.json", "\0\0\0\0")]);
    assert_eq!(desk.try_open().unwrap_err(), Error::DamagedIdFile);
    assert_eq!(book_id(&desk.path("")), Err(Error::DamagedIdFile));
    assert_eq!(desk.bytes(".palimpsest/book.json"), b"\0\0\0\0");
    assert_eq!(set_aside_id_file(&desk.path("")), Ok(true));
    assert!(desk.try_open().unwrap().created);
    assert_eq!(desk.bytes(".palimpsest/book.damaged-1.json"), b"\0\0\0\0");
}

#[test]
fn an_id_file_of_a_later_version_is_left_alone() {
    let later = r#"{"format":2,"somethingElse":true}"#;
    let mut desk = Desk::with(&[(".palimpsest/book.json", later)]);
    assert_eq!(desk.try_open().unwrap_err(), Error::NewerFormat { found: 2 });
    assert_eq!(desk.bytes(".palimpsest/book.json"), later.as_bytes());
}

#[test]
fn foreign_fields_of_the_id_file_stay() {
    let mut desk = Desk::with(&[("a.md", "x")]);
    desk.open();
    let mut file: serde_json::Value = serde_json::from_slice(&desk.bytes(".palimpsest/book.json")).unwrap();
    file["author"] = "沈".into();
    desk.put(".palimpsest/book.json", file.to_string());
    desk.put("b.md", "y");
    desk.open();
    let file: serde_json::Value = serde_json::from_slice(&desk.bytes(".palimpsest/book.json")).unwrap();
    assert_eq!((file["author"].as_str(), file["chapters"].as_array().unwrap().len()), (Some("沈"), 2));
}

#[test]
fn a_hostile_id_file_reaches_no_other_file() {
    let mut desk = Desk::with(&[("a.md", "x")]);
    fs::write(desk.folder.path().join("secret.md"), "secret").unwrap();
    let file = |id: &str, path: &str| {
        format!(
            r#"{{"format":1,"projectId":"{id}","title":"","language":"en","chapters":[{{"chapterId":"c","file":"{path}","hash":""}}]}}"#
        )
    };
    for path in ["../secret.md", "/etc/passwd", "x/../../secret.md"] {
        desk.put(".palimpsest/book.json", file("p", path));
        let mut book = desk.open();
        assert_eq!(files(&book), ["a.md"]);
        assert!(matches!(book.read(&"c".into()), Err(Error::Link { .. })), "{path}");
        assert!(book.write(&"c".into(), "x", "").is_err());
        assert!(book.restore(&"c".into(), "x").is_err());
    }
    desk.put(".palimpsest/book.json", file("../p", "a.md"));
    assert_eq!(desk.try_open().unwrap_err(), Error::DamagedIdFile);
    assert_eq!(fs::read_to_string(desk.folder.path().join("secret.md")).unwrap(), "secret");
}

#[test]
fn a_copied_book_becomes_one_of_its_own() {
    let mut desk = Desk::with(&[("a.md", "雨")]);
    let original = desk.open();
    let copy = desk.folder.path().join("copy");
    fs::create_dir_all(copy.join(".palimpsest")).unwrap();
    for file in ["a.md", ".palimpsest/book.json", ".palimpsest/lines.json"] {
        fs::copy(desk.path(file), copy.join(file)).unwrap();
    }
    assert_eq!(book_id(&copy).unwrap().as_deref(), Some(original.project_id()));
    let new = adopt_new_ids(&copy, &mut counting(&mut desk.ids)).unwrap();
    let book = open_at(&copy, &mut desk.ids).unwrap().book;
    assert_eq!(book.project_id(), new);
    assert_ne!(new, original.project_id());
    assert_ne!(id_of(&book, "a.md"), id_of(&original, "a.md"));
    assert_eq!(desk.open().project_id(), original.project_id());
}

#[test]
fn a_moved_book_is_the_same_one() {
    let mut desk = Desk::with(&[("a.md", "雨")]);
    let before = desk.open();
    let elsewhere = desk.folder.path().join("elsewhere");
    fs::rename(desk.path(""), &elsewhere).unwrap();
    let after = open_at(&elsewhere, &mut desk.ids).unwrap().book;
    assert_eq!((after.project_id(), after.chapters()), (before.project_id(), before.chapters()));
    assert_eq!(desk.try_open().unwrap_err(), Error::NotAFolder);
    assert_eq!(book_id(desk.folder.path()), Ok(None));
}

#[test]
fn the_share_of_han_characters_decides_the_language() {
    assert_eq!(detect_language("林远站在 Bloomsbury 的街口。"), "zh");
    assert_eq!(detect_language("She wrote 雨 on the window, and then it was gone."), "en");
    assert_eq!(detect_language("1234 …"), "en");
}

#[cfg(unix)]
mod on_unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn permissions_survive_a_save() {
        let mut desk = Desk::with(&[("a.md", "x")]);
        fs::set_permissions(desk.path("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
        let mut book = desk.open();
        let id = id_of(&book, "a.md");
        let base = book.read(&id).unwrap().content_hash;
        let base = book.write(&id, "y", &base).unwrap();
        assert_eq!(fs::metadata(desk.path("a.md")).unwrap().permissions().mode() & 0o777, 0o640);
        fs::set_permissions(desk.path("a.md"), fs::Permissions::from_mode(0o440)).unwrap();
        let refused = book.write(&id, "z", &base).unwrap_err();
        assert!(matches!(refused, Error::Io { kind: std::io::ErrorKind::PermissionDenied, .. }), "{refused:?}");
        assert_eq!(desk.bytes("a.md"), b"y");
        assert_eq!(names_in(&desk.path("")), [".palimpsest", "a.md"]);
    }

    #[test]
    fn links_are_refused_and_reported() {
        let mut desk = Desk::with(&[("a.md", "x"), ("part/b.md", "y")]);
        let outside = desk.folder.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("c.md"), "secret").unwrap();
        symlink(outside.join("c.md"), desk.path("way-out.md")).unwrap();
        symlink(&outside, desk.path("part-out")).unwrap();
        symlink(desk.path("a.md"), desk.path("again.md")).unwrap();
        let Opened { mut book, skipped, .. } = desk.try_open().unwrap();
        assert_eq!(files(&book), ["a.md", "part/b.md"]);
        let mut reported: Vec<_> = skipped.iter().map(|s| (s.file.as_str(), s.reason)).collect();
        reported.sort_by_key(|s| s.0);
        let out = SkipReason::LeavesTheBook;
        assert_eq!(reported, [("again.md", SkipReason::Link), ("part-out", out), ("way-out.md", out)]);

        // A chapter that turns into a link behind our back is not followed either.
        let id = id_of(&book, "a.md");
        let base = book.read(&id).unwrap().content_hash;
        fs::remove_file(desk.path("a.md")).unwrap();
        symlink(outside.join("c.md"), desk.path("a.md")).unwrap();
        assert_eq!(book.read(&id).unwrap_err(), Error::Link { file: "a.md".into() });
        assert_eq!(book.write(&id, "mine", &base).unwrap_err(), Error::Link { file: "a.md".into() });
        assert_eq!(fs::read_to_string(outside.join("c.md")).unwrap(), "secret");
    }

    #[test]
    fn a_book_whose_own_folder_is_a_link_is_not_opened() {
        let mut desk = Desk::with(&[("a.md", "x")]);
        let outside = desk.folder.path().join("outside");
        fs::create_dir(&outside).unwrap();
        symlink(&outside, desk.path(".palimpsest")).unwrap();
        assert_eq!(desk.try_open().unwrap_err(), Error::DamagedIdFile);
        assert!(names_in(&outside).is_empty());
    }

    #[test]
    fn a_failed_save_leaves_the_chapter_as_it_was() {
        let mut desk = Desk::with(&[("part/a.md", "x")]);
        let mut book = desk.open();
        let id = id_of(&book, "part/a.md");
        let base = book.read(&id).unwrap().content_hash;
        // Read-only: a rename would get past that, and root would, too.
        let mode = |mode| fs::set_permissions(desk.path("part/a.md"), fs::Permissions::from_mode(mode)).unwrap();
        mode(0o444);
        assert!(matches!(book.write(&id, "y", &base), Err(Error::Io { .. })));
        assert_eq!(desk.bytes("part/a.md"), b"x");
        assert_eq!(names_in(&desk.path("part")), ["a.md"]);
        mode(0o644);
        book.write(&id, "y", &base).unwrap();
    }
}
