//! Changes made outside are reported, the book's own are not.

// The lint's exception for tests does not see the helpers beside them.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use palimpsest_manuscript::{
    Book, Change, ChapterId, OpenOptions, SnapshotDraft, SnapshotReason, Watch, detect_language,
};
use tempfile::TempDir;

/// An open book under watch, whose listener does what it is asked to: refreshes on a changed list.
struct Desk {
    folder: TempDir,
    book: Arc<Mutex<Book>>,
    reported: Receiver<Change>,
    watch: Option<Watch>,
}

impl Desk {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("book");
        fs::create_dir(&root).unwrap();
        for (file, text) in files {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), text).unwrap();
        }
        let ids = Arc::new(Mutex::new(0));
        let new_id = move || {
            let mut next = ids.lock().unwrap();
            *next += 1;
            format!("id-{next}")
        };
        let mut options =
            OpenOptions { new_id: &mut new_id.clone(), language: &detect_language, project_id: None, title: None };
        let book = Arc::new(Mutex::new(Book::open(&root, &mut options).unwrap().book));
        let (tell, reported) = channel();
        let listener = Arc::clone(&book);
        let watch = book.lock().unwrap().watch(move |change| {
            if change == Change::List {
                listener.lock().unwrap().refresh(&mut new_id.clone()).unwrap();
            }
            let _ = tell.send(change);
        });
        Self { folder, book, reported, watch: Some(watch.unwrap()) }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("book").join(file)
    }

    fn id(&self, file: &str) -> ChapterId {
        let book = self.book.lock().unwrap();
        book.chapters().iter().find(|c| c.file == file).unwrap().chapter_id.clone()
    }

    fn next(&self) -> Change {
        self.reported.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    /// The same of a chapter that is written in place, which may be seen between being emptied and being filled.
    fn next_in_place(&self, id: &ChapterId) -> Change {
        let change = self.next();
        if change == changed(id, Some("")) { self.next() } else { change }
    }

    /// Nothing else is reported: a change made now is the next report.
    fn nothing_more(&self) {
        let sign = self.path("sign.md");
        fs::write(&sign, "sign").unwrap();
        assert_eq!(self.next(), Change::List);
        fs::remove_file(&sign).unwrap();
        assert_eq!(self.next(), Change::List);
        let change = self.next();
        assert!(matches!(&change, Change::Chapter { content_hash: None, .. }), "{change:?}");
    }
}

fn changed(id: &ChapterId, text: Option<&str>) -> Change {
    Change::Chapter {
        chapter_id: id.clone(),
        content_hash: text.map(|text| blake3::hash(text.as_bytes()).to_hex().to_string()),
    }
}

#[test]
fn an_outside_edit_is_reported_once_with_its_hash() {
    let desk = Desk::with(&[("a.md", "雨"), ("part/b.md", "x")]);
    fs::write(desk.path("a.md"), "晴").unwrap();
    let id = desk.id("a.md");
    assert_eq!(desk.next_in_place(&id), changed(&id, Some("晴")));
    // As most programs save: a new file takes the name.
    fs::write(desk.path("part/new"), "y").unwrap();
    fs::rename(desk.path("part/new"), desk.path("part/b.md")).unwrap();
    assert_eq!(desk.next(), changed(&desk.id("part/b.md"), Some("y")));
    desk.nothing_more();
}

#[test]
fn our_own_saves_are_not_reported() {
    let desk = Desk::with(&[("a.md", "雨"), ("b.md", "云")]);
    let id = desk.id("a.md");
    for n in 0..20 {
        let mut book = desk.book.lock().unwrap();
        let base = book.read(&id).unwrap().content_hash;
        book.write(&id, &format!("雨 {n}"), &base).unwrap();
        drop(book);
        std::thread::sleep(Duration::from_millis(20));
    }
    desk.book.lock().unwrap().create("新", "mine".into()).unwrap();
    // The watch has looked at the folder after our own writes once it reports this edit.
    fs::write(desk.path("b.md"), "晴").unwrap();
    let edited = desk.id("b.md");
    assert_eq!(desk.next_in_place(&edited), changed(&edited, Some("晴")));
    desk.nothing_more();
    fs::write(desk.path("a.md"), "雨 3").unwrap();
    assert_eq!(desk.next_in_place(&id), changed(&id, Some("雨 3")), "an earlier state of our own is a change, too");
}

#[test]
fn snapshots_are_not_reported_and_are_no_chapters() {
    let desk = Desk::with(&[("01.md", "雨停了。"), ("part/02.md", "她走了。")]);
    let id = desk.id("part/02.md");
    let book = desk.book.lock().unwrap();
    let chapters = book.chapters().to_vec();
    let snapshots = book.snapshots(&id).unwrap();
    for at in 1..4 {
        let text = format!("她走了 {at} 次。");
        let reason = SnapshotReason::BeforeInsertion;
        snapshots.save(&SnapshotDraft { text: &text, at, reason, generation_id: None, words: 4 }).unwrap();
    }
    drop(book);
    // The next snapshot removes the temporary file of an interrupted one.
    let left = desk.path(&format!(".palimpsest/snapshots/{id}/.palimpsest-0123456789abcdef.tmp"));
    fs::write(&left, "half").unwrap();
    let again =
        SnapshotDraft { text: "又走了。", at: 9, reason: SnapshotReason::SetAside, generation_id: None, words: 3 };
    assert_eq!(snapshots.save(&again).unwrap().taken_at, 9);
    assert!(!left.exists());
    assert_eq!(snapshots.list().unwrap().len(), 4);
    desk.nothing_more();
    assert_eq!(desk.book.lock().unwrap().chapters(), chapters);
}

#[test]
fn a_renamed_chapter_is_a_changed_list_and_no_loss() {
    let desk = Desk::with(&[("a.md", "雨"), ("b.md", "晴")]);
    let id = desk.id("a.md");
    fs::create_dir(desk.path("part")).unwrap();
    fs::rename(desk.path("a.md"), desk.path("part/c.md")).unwrap();
    assert_eq!(desk.next(), Change::List);
    assert_eq!(desk.id("part/c.md"), id);
    fs::write(desk.path("part/c.md"), "雪").unwrap();
    assert_eq!(desk.next_in_place(&id), changed(&id, Some("雪")), "the new part is watched");
    desk.nothing_more();
}

#[test]
fn a_deleted_chapter_and_its_return_are_reported() {
    let desk = Desk::with(&[("a.md", "雨"), ("b.md", "晴")]);
    let id = desk.id("a.md");
    fs::remove_file(desk.path("a.md")).unwrap();
    assert_eq!([desk.next(), desk.next()], [Change::List, changed(&id, None)]);
    fs::write(desk.path("a.md"), "雨").unwrap();
    assert_eq!([desk.next(), desk.next()], [Change::List, changed(&id, Some("雨"))]);
    desk.nothing_more();
}

#[test]
fn the_watch_outlives_the_folder() {
    let folder_of = |desk: &Desk| desk.path("");
    let mut desk = Desk::with(&[("a.md", "雨")]);
    let id = desk.id("a.md");
    let away = desk.folder.path().join("away");
    // While the folder is away a refresh fails; the listener of this test would stop at that.
    let book = Arc::clone(&desk.book);
    let (tell, reported) = channel();
    desk.watch = Some(
        book.lock()
            .unwrap()
            .watch(move |change| {
                let _ = tell.send(change);
            })
            .unwrap(),
    );
    desk.reported = reported;
    fs::rename(folder_of(&desk), &away).unwrap();
    assert_eq!([desk.next(), desk.next()], [Change::List, changed(&id, None)]);
    fs::rename(&away, folder_of(&desk)).unwrap();
    assert_eq!([desk.next(), desk.next()], [Change::List, changed(&id, Some("雨"))]);
    fs::write(desk.path("a.md"), "晴").unwrap();
    assert_eq!(desk.next(), changed(&id, Some("晴")));
}

#[test]
fn a_dropped_watch_reports_nothing_more() {
    let mut desk = Desk::with(&[("a.md", "雨")]);
    desk.watch = None;
    fs::write(desk.path("a.md"), "晴").unwrap();
    assert!(desk.reported.recv_timeout(Duration::from_millis(800)).is_err());
}
