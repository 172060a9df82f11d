//! No text is lost: earlier texts of a chapter stay as snapshots, and text that could not be saved as a recovery copy.

use std::fs;

use palimpsest_tests::{Writer, copy_folder, text};
use serde_json::{Value, json};

use crate::passage;

const OLD: &str = "# 渡船\n\n渡船靠岸时，灯已经亮了。\n";

struct Desk {
    writer: Writer,
    book: String,
    chapter: String,
}

impl Desk {
    fn new() -> Self {
        let writer = Writer::new();
        let path = writer.path_beside("book");
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("01-渡船.md"), OLD).unwrap();
        fs::write(path.join("02-簿子.md"), "# 簿子\n\n簿子摊在桌上。\n").unwrap();
        let book = writer.ask("project:open", json!({ "path": path }))["book"].clone();
        Self { book: text(&book["project"], "projectId"), chapter: text(&book["chapters"][0], "chapterId"), writer }
    }

    fn restarted(self) -> Self {
        Self { writer: self.writer.restarted(), ..self }
    }

    fn chapter_path(&self) -> std::path::PathBuf {
        self.writer.path_beside("book").join("01-渡船.md")
    }

    fn with_chapter(&self, more: Value) -> Value {
        let mut args = json!({ "projectId": self.book, "chapterId": self.chapter });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    }

    fn read_chapter(&self) -> Value {
        self.writer.ask("chapter:read", self.with_chapter(json!({})))
    }

    /// Saves over the current text.
    fn write_chapter(&self, text: &str, more: Value) -> Value {
        let mut args =
            self.with_chapter(json!({ "text": text, "baseHash": self.read_chapter()["contentHash"], "origins": [] }));
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.writer.ask("chapter:write", args)
    }

    fn insert(&self, before: &str, after: &str) -> Value {
        self.write_chapter(
            after,
            json!({ "before": [{ "text": before, "reason": "beforeInsertion", "generationId": "gen-1" }] }),
        )
    }

    fn snapshots(&self) -> Vec<Value> {
        self.writer.ask("chapter:snapshot:list", self.with_chapter(json!({})))["snapshots"].as_array().unwrap().clone()
    }

    fn snapshot(&self, listed: &Value) -> Value {
        self.writer.ask("chapter:snapshot:read", self.with_chapter(json!({ "snapshotId": listed["snapshotId"] })))
    }

    fn texts(&self) -> Vec<String> {
        self.snapshots().iter().map(|listed| text(&self.snapshot(listed), "text")).collect()
    }

    fn store_recovery_copy(&self, written: &str, more: Value) -> String {
        let mut args = self.with_chapter(json!({ "text": written, "baseHash": "b" }));
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        text(&self.writer.ask("chapter:keep", args), "keptId")
    }

    fn recovery_copies(&self) -> Vec<String> {
        self.read_chapter()["kept"].as_array().unwrap().iter().map(|kept| text(kept, "text")).collect()
    }
}

#[test]
fn the_text_of_a_chapter_before_an_insertion_is_found_after_a_restart() {
    let desk = Desk::new();
    let new = format!("{OLD}\n水退下去，留下一道白线。\n");
    assert_eq!(desk.insert(OLD, &new)["snapshotsSaved"], true);
    let desk = desk.restarted();
    let [listed] = &desk.snapshots()[..] else { panic!("one snapshot") };
    assert_eq!((&listed["reason"], &listed["generationId"]), (&json!("beforeInsertion"), &json!("gen-1")));
    assert_eq!((&listed["takenAt"], &listed["words"]), (&json!("2026-03-15T21:00:00.000Z"), &json!(12)));
    assert_eq!(desk.snapshot(listed)["text"], OLD);
    assert_eq!(desk.read_chapter()["text"], new);
}

#[test]
fn the_book_is_the_same_book_with_snapshots_in_it() {
    let desk = Desk::new();
    let list = |desk: &Desk| desk.writer.ask("chapter:list", json!({ "projectId": desk.book }));
    let before = list(&desk);
    desk.insert("别的", OLD);
    assert_eq!(list(&desk), before);
    let desk = desk.restarted();
    let again = desk.writer.ask("project:open", json!({ "path": desk.writer.path_beside("book") }));
    assert_eq!(again["book"]["chapters"], before["chapters"]);
    // Snapshots are Markdown files that any editor opens.
    let folder = desk.writer.path_beside("book").join(".palimpsest/snapshots").join(&desk.chapter);
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("one file: {files:?}") };
    assert_eq!(fs::read_to_string(file).unwrap(), "别的");
    assert_eq!(file.extension().unwrap(), "md");
}

#[test]
fn several_insertions_before_one_save_are_several_and_the_same_text_twice_is_one() {
    let desk = Desk::new();
    let earlier = |text: &str| json!({ "text": text, "reason": "beforeInsertion" });
    desk.write_chapter("四", json!({ "before": [earlier("一"), earlier("二"), earlier("三")] }));
    assert_eq!(desk.texts(), ["三", "二", "一"]);
    desk.writer.clock.advance_millis(6 * 3_600_000);
    desk.write_chapter("五", json!({ "before": [earlier("二"), earlier("四")] }));
    // A repeated snapshot takes the later time, so its age counts from its last use.
    assert_eq!(desk.texts(), ["四", "二", "三", "一"]);
    desk.write_chapter("六", json!({ "before": [earlier("四")] }));
    assert_eq!(desk.texts().len(), 4);
}

#[test]
fn text_is_saved_even_if_its_snapshot_cannot_be_written() {
    let desk = Desk::new();
    let own = desk.writer.path_beside("book").join(".palimpsest");
    fs::write(own.join("snapshots"), "in the way").unwrap();
    let new = format!("{OLD}\n新的一句。\n");
    assert_eq!(desk.insert(OLD, &new)["snapshotsSaved"], false);
    assert_eq!(fs::read_to_string(desk.chapter_path()).unwrap(), new);
    fs::remove_file(own.join("snapshots")).unwrap();
    assert_eq!(desk.insert(&new, OLD)["snapshotsSaved"], true);
}

#[test]
fn a_chapter_is_replaced_only_after_its_old_text_is_in_a_snapshot() {
    let desk = Desk::new();
    let mut args = desk.with_chapter(json!({ "text": "新的", "baseHash": "stale", "origins": [] }));
    args["before"] = json!([{ "text": "页上的字", "reason": "beforeInsertion" }]);
    assert_eq!(desk.writer.refused("chapter:write", args).0, "MEMORY_STALE_VERSION");
    assert_eq!(desk.texts(), ["页上的字"]);
    assert_eq!(desk.read_chapter()["text"], OLD);
}

#[test]
fn an_earlier_text_is_put_back_with_its_marks_and_the_later_one_is_kept() {
    let desk = Desk::new();
    let (started, _) = desk.writer.run(passage(&desk.book, "渡船。"));
    let (generation, passage) = (text(&started, "generationId"), "水退下去，留下一道白线。");
    let (from, length) = (OLD.encode_utf16().count(), passage.encode_utf16().count());
    let marked = format!("{OLD}{passage}\n");
    let origins = json!([{ "generationId": generation, "from": from, "to": from + length }]);
    desk.write_chapter(&marked, json!({ "origins": origins }));
    let later = format!("新来的一段。\n\n{marked}别的。\n");
    desk.write_chapter(
        &later,
        json!({ "origins": [{ "generationId": generation, "from": from + 8, "to": from + 8 + length }],
        "before": [{ "text": marked, "reason": "beforeInsertion" }] }),
    );

    let earlier = desk.snapshot(&desk.snapshots()[0]);
    assert_eq!(earlier["text"], marked);
    assert_eq!((&earlier["origins"][0]["from"], &earlier["origins"][0]["to"]), (&json!(from), &json!(from + length)));
    desk.write_chapter(
        &marked,
        json!({ "origins": origins, "before": [{ "text": later, "reason": "beforeRestore" }] }),
    );
    assert_eq!(desk.read_chapter()["origins"][0]["generationId"], json!(generation));
    assert_eq!(desk.texts(), [later.as_str(), marked.as_str()]);
    assert_eq!(desk.snapshots()[0]["reason"], "beforeRestore");
}

#[test]
fn a_passage_that_going_back_takes_away_has_its_mark_when_the_writer_comes_back_to_it() {
    let desk = Desk::new();
    let (started, _) = desk.writer.run(passage(&desk.book, "渡船。"));
    let (generation, passage) = (text(&started, "generationId"), "水退下去，留下一道白线。");
    let (from, length) = (OLD.encode_utf16().count(), passage.encode_utf16().count());
    let taken = format!("{OLD}{passage}\n");
    let origins = json!([{ "generationId": generation, "from": from, "to": from + length }]);
    let before = json!([{ "text": OLD, "reason": "beforeInsertion", "generationId": generation }]);
    desk.write_chapter(&taken, json!({ "origins": origins, "before": before }));
    desk.write_chapter(OLD, json!({ "before": [{ "text": taken, "reason": "beforeRestore" }] }));
    let desk = desk.restarted();
    let now = desk.read_chapter();
    assert_eq!((&now["origins"], &now["unanchored"]), (&json!([]), &json!([])), "nothing is amiss");
    let back = desk.snapshot(&desk.snapshots()[0]);
    assert_eq!((&back["text"], &back["origins"][0]["generationId"]), (&json!(taken), &json!(generation)));
    // A passage that the writer deletes loses its origin, as usual.
    desk.write_chapter(&taken, json!({ "origins": origins }));
    desk.write_chapter(OLD, json!({}));
    assert_eq!(desk.snapshot(&desk.snapshots()[0])["origins"], json!([]));
}

#[test]
fn snapshots_are_the_writers_clearing_the_memory_leaves_them_and_a_copy_takes_them_along() {
    let desk = Desk::new();
    desk.insert(OLD, "新的");
    desk.writer.ask("memory:clear:project", json!({ "projectId": desk.book, "confirmed": true }));
    assert_eq!(desk.texts(), [OLD]);
    desk.writer.ask("memory:clear:all", json!({ "confirmed": true }));
    let path = desk.writer.path_beside("book");
    let book = desk.writer.ask("project:open", json!({ "path": path }))["book"].clone();
    let desk = Desk { book: text(&book["project"], "projectId"), ..desk };
    assert_eq!(desk.texts(), [OLD]);

    let copied = desk.writer.path_beside("copy");
    copy_folder(&path, &copied);
    let own = desk.writer.ask("project:open", json!({ "path": copied, "copiedAs": "newBook" }))["book"].clone();
    let own = Desk {
        book: text(&own["project"], "projectId"),
        chapter: text(&own["chapters"][0], "chapterId"),
        writer: desk.writer,
    };
    assert_ne!(own.chapter, desk.chapter);
    assert_eq!(own.texts(), [OLD]);
}

#[test]
fn a_snapshot_of_another_chapter_or_none_at_all_is_not_found() {
    let desk = Desk::new();
    desk.insert(OLD, "新的");
    let id = desk.snapshots()[0]["snapshotId"].clone();
    let chapters = desk.writer.ask("chapter:list", json!({ "projectId": desk.book }));
    let other = Desk { chapter: text(&chapters["chapters"][1], "chapterId"), ..desk };
    assert_eq!(other.snapshots(), [] as [Value; 0]);
    for id in [id, json!("../../book"), json!("")] {
        let refused = other.writer.refused("chapter:snapshot:read", other.with_chapter(json!({ "snapshotId": id })));
        assert_eq!(refused, ("MEMORY_NOT_FOUND".into(), "snapshotId".into()));
    }
    let refused =
        other.writer.refused("chapter:snapshot:list", json!({ "projectId": other.book, "chapterId": "no-such" }));
    assert_eq!(refused, ("MEMORY_NOT_FOUND".into(), "chapterId".into()));
}

#[cfg(unix)]
#[test]
fn no_link_leads_snapshots_out_of_the_book() {
    let desk = Desk::new();
    let elsewhere = desk.writer.path_beside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, desk.writer.path_beside("book").join(".palimpsest/snapshots")).unwrap();
    assert_eq!(desk.insert(OLD, "新的")["snapshotsSaved"], false);
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[test]
fn text_that_could_not_be_saved_is_there_after_a_restart_until_it_is_saved() {
    let desk = Desk::new();
    let first = desk.store_recovery_copy("还没写完", json!({}));
    let origins = json!([{ "generationId": "g", "skill": "continue", "from": 0, "to": 4 }]);
    let same = desk.store_recovery_copy("还没写完的一句。", json!({ "keptId": first, "origins": origins }));
    assert_eq!(first, same);
    let desk = desk.restarted();
    let kept = &desk.read_chapter()["kept"][0];
    assert_eq!((&kept["text"], &kept["words"]), (&json!("还没写完的一句。"), &json!(7)));
    assert_eq!(kept["origins"], origins);
    assert_eq!((&kept["at"], &kept["baseHash"]), (&json!("2026-03-15T21:00:00.000Z"), &json!("b")));
    // Other saves do not delete the recovery copy; only its own save does.
    desk.write_chapter("别的", json!({}));
    assert_eq!(desk.recovery_copies(), ["还没写完的一句。"]);
    desk.write_chapter("别的\n还没写完的一句。", json!({ "keptId": first }));
    assert_eq!(desk.recovery_copies(), [] as [String; 0]);
    assert_eq!(desk.restarted().recovery_copies(), [] as [String; 0]);
}

#[test]
fn two_endings_leave_two_recovery_copies_and_each_is_discarded_separately() {
    let desk = Desk::new();
    let first = desk.store_recovery_copy("一", json!({}));
    desk.writer.clock.advance_millis(86_400_000);
    let second = desk.store_recovery_copy("二", json!({}));
    assert_eq!(desk.recovery_copies(), ["二", "一"]);
    let drop =
        |id: &str| desk.writer.ask("chapter:keep:drop", desk.with_chapter(json!({ "keptId": id })))["letGo"].clone();
    assert_eq!((drop(&second), drop(&second)), (json!(true), json!(false)));
    assert_eq!(desk.recovery_copies(), ["一"]);
    assert_eq!(drop(&first), true);
    assert_eq!(desk.recovery_copies(), [] as [String; 0]);
}

#[test]
fn a_recovery_copy_that_equals_the_file_is_dropped_without_asking() {
    let desk = Desk::new();
    desk.store_recovery_copy(OLD, json!({}));
    assert_eq!(desk.recovery_copies(), [] as [String; 0]);
    fs::write(desk.chapter_path(), "别的").unwrap();
    assert_eq!(desk.recovery_copies(), [] as [String; 0], "it is let go for good");
}

#[test]
fn text_is_kept_while_the_book_itself_cannot_be_reached() {
    let desk = Desk::new();
    let (here, away) = (desk.writer.path_beside("book"), desk.writer.path_beside("away"));
    fs::rename(&here, &away).unwrap();
    desk.store_recovery_copy("盘拔掉了", json!({}));
    fs::rename(&away, &here).unwrap();
    assert_eq!(desk.restarted().recovery_copies(), ["盘拔掉了"]);
}

#[test]
fn the_recovery_copy_of_a_chapter_without_a_file_is_offered_in_every_chapter_of_the_book() {
    let desk = Desk::new();
    desk.store_recovery_copy("没存的字", json!({}));
    let chapters = desk.writer.ask("chapter:list", json!({ "projectId": desk.book }))["chapters"].clone();
    let other = |desk: &Desk| {
        desk.writer.ask("chapter:read", json!({ "projectId": desk.book, "chapterId": chapters[1]["chapterId"] }))["kept"]
            .clone()
    };
    assert_eq!(other(&desk), json!([]));
    fs::remove_file(desk.chapter_path()).unwrap();
    let desk = desk.restarted();
    let kept = other(&desk);
    assert_eq!((&kept[0]["text"], &kept[0]["chapterId"]), (&json!("没存的字"), &json!(desk.chapter)));
    desk.writer.ask("chapter:keep:drop", desk.with_chapter(json!({ "keptId": kept[0]["keptId"] })));
    assert_eq!(other(&desk), json!([]));
}

#[test]
fn an_error_about_a_recovery_copy_contains_none_of_its_text() {
    let desk = Desk::new();
    fs::write(desk.writer.data_dir().join("unsaved"), "in the way").unwrap();
    let refused =
        desk.writer.error("chapter:keep", desk.with_chapter(json!({ "text": "夜里的秘密", "baseHash": "b" })));
    assert_eq!(json!(refused.code), "MEMORY_WRITE_FAILED");
    assert!(!format!("{refused:?}").contains("秘密"));
    let refused = desk
        .writer
        .refused("chapter:keep", desk.with_chapter(json!({ "text": "x", "baseHash": "b", "keptId": "../x" })));
    assert_ne!(refused.0, "");
}
