//! The order of the chapters, chapters that come in from elsewhere, and the whole book going out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use palimpsest_files::{FileLocation, Protected, check_destination};
use palimpsest_manuscript::{
    Book, ChapterId, Error, ExportFormat, ImportOptions, LastImport, NewChapter, OpenOptions, adopt_new_ids,
    detect_language, import_file,
};
use tempfile::TempDir;

fn book_of(files: &[(&str, &str)]) -> (TempDir, Book) {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let book = open(folder.path());
    (folder, book)
}

fn open(folder: &Path) -> Book {
    let mut new_id = ids();
    let mut options = OpenOptions { new_id: &mut new_id, language: &detect_language, project_id: None, title: None };
    Book::open(folder, &mut options).unwrap().book
}

fn ids() -> impl FnMut() -> String {
    // Opening again must not give out the same ones.
    let start = std::process::id() as u64 * 1000 + fastrand();
    let mut n = 0;
    move || {
        n += 1;
        format!("id-{start}-{n}")
    }
}

fn fastrand() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn files(book: &Book) -> Vec<String> {
    book.chapters().iter().map(|chapter| chapter.file.trim_end_matches(".md").to_owned()).collect()
}

fn id(book: &Book, file: &str) -> ChapterId {
    book.chapters().iter().find(|chapter| chapter.file == format!("{file}.md")).unwrap().chapter_id.clone()
}

fn shift(book: &mut Book, file: &str, before: Option<&str>) {
    let (chapter, before) = (id(book, file), before.map(|before| id(book, before)));
    book.move_chapter(&chapter, before.as_ref()).unwrap();
}

const THREE: &[(&str, &str)] = &[("01.md", "# 一\n"), ("02.md", "# 二\n"), ("03.md", "# 三\n")];

fn new(title: &str, text: &str) -> NewChapter {
    NewChapter { title: title.to_owned(), text: text.to_owned() }
}

#[test]
fn a_moved_chapter_stays_where_it_was_put_and_no_file_is_touched() {
    let (folder, mut book) = book_of(THREE);
    shift(&mut book, "03", Some("01"));
    assert_eq!(files(&book), ["03", "01", "02"]);
    assert_eq!(files(&open(folder.path())), ["03", "01", "02"]);
    let mut on_disk: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    on_disk.sort();
    assert_eq!(on_disk, [".palimpsest", "01.md", "02.md", "03.md"]);
    shift(&mut book, "03", None);
    assert_eq!(files(&book), ["01", "02", "03"]);
    assert!(!fs::read_to_string(folder.path().join(".palimpsest/book.json")).unwrap().contains("order"));
}

#[test]
fn a_chapter_that_was_moved_keeps_its_place_through_a_rename_and_an_absence() {
    let (folder, mut book) =
        book_of(&[("01.md", "# 一\n\n雨。\n"), ("02.md", "# 二\n\n山。\n"), ("03.md", "# 三\n\n水。\n")]);
    shift(&mut book, "03", Some("01"));
    fs::rename(folder.path().join("03.md"), folder.path().join("zz.md")).unwrap();
    let mut book = open(folder.path());
    assert_eq!(files(&book), ["zz", "01", "02"]);
    fs::rename(folder.path().join("zz.md"), folder.path().join("zz.away")).unwrap();
    book.refresh(&mut ids()).unwrap();
    assert_eq!(files(&book), ["01", "02"]);
    shift(&mut book, "02", Some("01"));
    fs::rename(folder.path().join("zz.away"), folder.path().join("zz.md")).unwrap();
    book.refresh(&mut ids()).unwrap();
    assert_eq!(files(&book), ["zz", "02", "01"]);
}

#[test]
fn a_file_that_comes_from_outside_finds_its_place() {
    let (folder, mut book) = book_of(THREE);
    shift(&mut book, "03", Some("01"));
    fs::write(folder.path().join("01b.md"), "# 一半\n").unwrap();
    fs::write(folder.path().join("04.md"), "# 四\n").unwrap();
    book.refresh(&mut ids()).unwrap();
    assert_eq!(files(&book), ["03", "01", "01b", "02", "04"]);
}

#[test]
fn a_copy_that_becomes_its_own_book_keeps_the_order() {
    let (folder, mut book) = book_of(THREE);
    shift(&mut book, "03", Some("01"));
    adopt_new_ids(folder.path(), &mut ids()).unwrap();
    assert_eq!(files(&open(folder.path())), ["03", "01", "02"]);
}

#[test]
fn a_new_chapter_comes_last_even_if_its_name_sorts_earlier() {
    let (folder, mut book) = book_of(&[("第一章.md", "# 第一章\n"), ("第二章.md", "# 第二章\n")]);
    book.create("尾声", "new-1".into()).unwrap();
    book.create("Appendix", "new-2".into()).unwrap();
    assert_eq!(files(&book), ["第一章", "第二章", "尾声", "Appendix"]);
    assert_eq!(files(&open(folder.path())), ["第一章", "第二章", "尾声", "Appendix"]);
}

#[test]
fn a_move_that_cannot_be_stored_does_not_happen() {
    let (folder, mut book) = book_of(THREE);
    assert_eq!(book.move_chapter(&"nobody".into(), None), Err(Error::UnknownChapter));
    let first = id(&book, "01");
    fs::remove_dir_all(folder.path().join(".palimpsest")).unwrap();
    fs::write(folder.path().join(".palimpsest"), "in the way").unwrap();
    assert!(book.move_chapter(&first, None).is_err());
    assert_eq!(files(&book), ["01", "02", "03"]);
}

#[test]
fn imported_chapters_stand_behind_the_last_one_in_the_order_of_their_file() {
    let (folder, mut book) = book_of(&[("第一章.md", "# 第一章\n"), ("第九章.md", "# 第九章\n")]);
    let added =
        book.add_chapters(&[new("第二章", "雨。"), new("第二章", "山。"), new("楔子", "")], None, &mut ids()).unwrap();
    assert_eq!(files(&book), ["第一章", "第九章", "第二章", "第二章 2", "楔子"]);
    assert_eq!(fs::read_to_string(folder.path().join("第二章.md")).unwrap(), "# 第二章\n\n雨。\n");
    assert_eq!(book.read(&added[2].chapter_id).unwrap().text, "# 楔子\n\n");
    let again = open(folder.path());
    assert_eq!(files(&again), files(&book));
    assert_eq!(id(&again, "楔子"), added[2].chapter_id);
}

#[test]
fn imported_chapters_go_on_with_the_numbering_in_the_last_folder() {
    let (_folder, mut book) = book_of(&[("卷一/01 雨.md", "# 雨\n"), ("卷二/02 山.md", "# 山\n")]);
    book.add_chapters(&[new("水", "。"), new("a/b", "。")], None, &mut ids()).unwrap();
    assert_eq!(files(&book), ["卷一/01 雨", "卷二/02 山", "卷二/03 水", "卷二/04 a-b"]);
}

#[test]
fn chapters_that_cannot_all_be_written_are_none() {
    let (folder, mut book) = book_of(THREE);
    let before = fs::read(folder.path().join(".palimpsest/book.json")).unwrap();
    // Somebody else puts a file in the place of the third one, after it was found free.
    let theirs = folder.path().join("06.md");
    let mut given = ids();
    let refused = book.add_chapters(
        &[new("甲", "。"), new("乙", "。"), new("丙", "。"), new("丁", "。")],
        None,
        &mut || {
            fs::write(&theirs, "theirs").unwrap();
            given()
        },
    );
    assert_eq!(refused, Err(Error::Exists { file: "06.md".to_owned() }));
    assert_eq!(files(&book), ["01", "02", "03"]);
    let mut on_disk: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    on_disk.sort();
    assert_eq!(on_disk, [".palimpsest", "01.md", "02.md", "03.md", "06.md"]);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    assert_eq!(fs::read(folder.path().join(".palimpsest/book.json")).unwrap(), before);
    assert!(!folder.path().join(".palimpsest/incoming.json").exists());
    // Nor is anything begun with an id that is in use.
    let used = id(&book, "01");
    assert_eq!(book.add_chapters(&[new("甲", "。")], None, &mut || used.to_string()), Err(Error::InvalidId));
    fs::remove_file(&theirs).unwrap();
    book.add_chapters(&[new("甲", "。")], None, &mut ids()).unwrap();
    assert_eq!(files(&book).len(), 4);
}

#[test]
fn an_import_that_was_cut_off_is_undone_when_the_book_is_opened() {
    let (folder, mut book) = book_of(THREE);
    book.add_chapters(&[new("甲", "。"), new("乙", "。"), new("丙", "。")], None, &mut ids()).unwrap();
    let added: Vec<_> =
        book.chapters()[3..].iter().map(|c| (c.file.clone(), c.content_hash.clone().unwrap())).collect();
    assert!(!folder.path().join(".palimpsest/incoming.json").exists());
    drop(book);
    // As it lies there when the power goes after the second file; meanwhile the writer has touched the first.
    let note = serde_json::json!({ "files": added }).to_string();
    fs::write(folder.path().join(".palimpsest/incoming.json"), note).unwrap();
    fs::remove_file(folder.path().join(&added[2].0)).unwrap();
    fs::write(folder.path().join(&added[0].0), "# 甲\n\n我改过。\n").unwrap();
    assert_eq!(files(&open(folder.path())), ["01", "02", "03", "04"]);
    assert!(!folder.path().join(".palimpsest/incoming.json").exists());
    // And one whose note itself was cut off.
    fs::write(folder.path().join(".palimpsest/incoming.json"), "{\"files\":[[\"01.md").unwrap();
    assert_eq!(files(&open(folder.path())).len(), 4);
}

#[test]
fn a_book_is_used_while_an_import_is_written_and_lists_its_chapters_only_at_the_end() {
    let (folder, mut book) = book_of(THREE);
    let pending = book.begin_import(&[new("甲", "。"), new("乙", "。")], &mut ids()).unwrap();
    pending.write().unwrap();
    assert!(folder.path().join("04.md").exists());
    let mut other = (100..).map(|n: u32| format!("other-{n}"));
    book.refresh(&mut || other.next().unwrap()).unwrap();
    assert_eq!(files(&book), ["01", "02", "03"], "a rescan takes none of them for a new chapter");
    assert!(book.begin_import(&[new("丙", "。")], &mut || other.next().unwrap()).is_err(), "one import at a time");
    let first = book.chapters()[0].chapter_id.clone();
    let text = book.read(&first).unwrap();
    book.write(&first, "# 雨\n\n改过。\n", &text.content_hash).unwrap();
    let added = book.finish_import(pending, Ok(()), None).unwrap();
    assert_eq!(files(&book), ["01", "02", "03", "04", "05"]);
    assert_eq!(files(&open(folder.path())), files(&book));
    assert_eq!(book.read(&added[1].chapter_id).unwrap().text, "# 乙\n\n。\n");
}

#[test]
fn an_import_is_undone_as_a_whole_until_a_chapter_of_it_is_changed() {
    let (folder, mut book) = book_of(THREE);
    assert_eq!(book.last_import(), None);
    let added = book.add_chapters(&[new("甲", "。"), new("乙", "。")], None, &mut ids()).unwrap();
    let import_id = added[0].chapter_id.to_string();
    let expected = |chapters| Some(LastImport { import_id: import_id.clone(), chapters });
    assert_eq!(book.last_import(), expected(2));
    let mut more = (100..).map(|n: u32| format!("more-{n}"));
    book.add_chapters(&[new("丙", "。")], Some(&import_id), &mut || more.next().unwrap()).unwrap();
    assert_eq!(book.last_import(), expected(3), "files of one import are undone together");
    // The order does not matter, and it is known after a restart.
    let moved = added[1].chapter_id.clone();
    let first = book.chapters()[0].chapter_id.clone();
    book.move_chapter(&moved, Some(&first)).unwrap();
    let mut book = open(folder.path());
    assert_eq!(book.last_import(), expected(3));
    assert_eq!(book.undo_import("another"), Err(Error::ImportChanged));

    let text = book.read(&moved).unwrap();
    let changed = book.write(&moved, "# 乙\n\n我改过。\n", &text.content_hash).unwrap();
    assert_eq!(book.last_import(), None);
    assert_eq!(book.undo_import(&import_id), Err(Error::ImportChanged));
    assert_eq!(book.chapters().len(), 6, "nothing is removed");
    book.write(&moved, &text.text, &changed).unwrap();

    assert_eq!(book.undo_import(&import_id), Ok(3));
    assert_eq!(files(&book), ["01", "02", "03"]);
    assert_eq!(files(&open(folder.path())), ["01", "02", "03"]);
    assert_eq!((book.last_import(), book.undo_import(&import_id)), (None, Err(Error::ImportChanged)));
    assert!(!folder.path().join(".palimpsest/incoming.json").exists());
}

#[test]
fn a_hostile_note_reaches_no_other_file() {
    let (folder, book) = book_of(THREE);
    drop(book);
    let outside = folder.path().parent().unwrap().join(format!("victim-{}.md", std::process::id()));
    fs::write(&outside, "x").unwrap();
    let hash = blake3::hash(b"x").to_hex().to_string();
    let name = format!("../{}", outside.file_name().unwrap().to_string_lossy());
    let id_hash = blake3::hash(&fs::read(folder.path().join(".palimpsest/book.json")).unwrap()).to_hex().to_string();
    let note = serde_json::json!({ "files": [[name, hash], [".palimpsest/book.json", id_hash]] });
    fs::write(folder.path().join(".palimpsest/incoming.json"), note.to_string()).unwrap();
    open(folder.path());
    assert!(outside.exists() && folder.path().join(".palimpsest/book.json").exists());
    fs::remove_file(outside).unwrap();
}

fn place(path: &Path, book: &Book) -> palimpsest_files::Result<FileLocation> {
    check_destination(path, &Protected { books: vec![book.root().to_owned()], ..Protected::default() })
}

#[test]
fn a_whole_book_is_exported_in_its_order_and_imported_again() {
    let (_folder, mut book) = book_of(&[
        ("01.md", "# 渡船\n\n渡船*靠岸*时。\n\n**“灯”**亮了。\n"),
        ("02.md", "---\nstatus: draft\n---\n\n# 簿子\n\n簿子。\n"),
        ("03.md", "没有标题的一章。\n"),
    ]);
    shift(&mut book, "03", Some("01"));
    let out = tempfile::tempdir().unwrap();
    for (name, format) in [("book.md", ExportFormat::Markdown), ("book.docx", ExportFormat::Docx)] {
        let path = out.path().join(name);
        fs::write(&path, "what was there before").unwrap();
        let exported = book.read_for_export().unwrap().write(&place(&path, &book).unwrap(), format).unwrap();
        assert_eq!((exported.chapters, exported.bytes), (3, fs::metadata(&path).unwrap().len()));
        let back = import_file(&path, ImportOptions { chinese: true, join_lines: true }).unwrap();
        let chapters: Vec<_> =
            back.chapters(None).unwrap().into_iter().map(|chapter| (chapter.title, chapter.text)).collect();
        let expected = [("03", "没有标题的一章。"), ("渡船", "渡船*靠岸*时。\n\n**“灯”**亮了。"), ("簿子", "簿子。")];
        assert_eq!(chapters, expected.map(|(title, text)| (title.to_owned(), text.to_owned())));
    }
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 2, "nothing is left beside them");
}

#[test]
fn an_export_never_becomes_a_chapter_and_a_gap_is_no_export() {
    let (folder, mut book) = book_of(THREE);
    for name in ["whole.md", "01.md", ".palimpsest/book.json"] {
        let refused = place(&folder.path().join(name), &book).unwrap_err();
        assert!(matches!(refused, palimpsest_files::Error::InsideTheBook), "{name}: {refused}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("01.md")).unwrap(), "# 一\n");
    let beside = place(&folder.path().join("whole.docx"), &book).unwrap();
    book.read_for_export().unwrap().write(&beside, ExportFormat::Docx).unwrap();
    let out = tempfile::tempdir().unwrap();
    assert!(place(&out.path().join("no/such/folder.md"), &book).is_err());
    fs::write(folder.path().join("02.md"), b"\xff\xfe\xfd").unwrap();
    book.refresh(&mut ids()).unwrap();
    assert_eq!(book.read_for_export().err(), Some(Error::NotUtf8 { file: "02.md".to_owned() }));
}
