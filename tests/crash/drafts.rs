//! The process is killed while a chapter cannot be saved, and while one is being overwritten.

use std::fs;

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const OLD: &str = "# 渡船\n\n渡船靠岸时，灯已经亮了。\n";

/// Text that is long enough for its writing to take a while.
fn written(n: usize) -> String {
    format!("{OLD}{}", format!("第{n}次写下的字，还没有存好。\n").repeat(20_000))
}

struct Desk {
    folder: TempDir,
    chapter: Value,
}

impl Desk {
    fn new() -> (Self, Host) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("book");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("渡船.md"), OLD).unwrap();
        let host = Host::start(&folder.path().join("data"), &[]);
        let book = host.ask("project:open", json!({ "path": path }))["book"].clone();
        let ids = json!({ "projectId": text(&book["project"], "projectId"), "chapterId": text(&book["chapters"][0], "chapterId") });
        (Self { folder, chapter: ids }, host)
    }

    fn with_chapter(&self, more: Value) -> Value {
        let mut args = self.chapter.clone();
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    }

    fn again(&self) -> Host {
        Host::start(&self.folder.path().join("data"), &[])
    }
}

#[test]
fn kill_9_while_text_is_kept_leaves_the_last_that_was_acknowledged_or_the_one_after_it_whole() {
    for killed_after in [1, 4, 9] {
        let (desk, host) = Desk::new();
        let keep = |n: usize| desk.with_chapter(json!({ "text": written(n), "baseHash": "b", "keptId": "mine" }));
        for n in 1..=killed_after {
            host.ask("chapter:keep", keep(n));
        }
        // One more request is in progress.
        let answer = host.send("chapter:keep", keep(killed_after + 1));
        host.kill();
        drop(answer);

        let host = desk.again();
        let kept = host.ask("chapter:read", desk.chapter.clone())["kept"].clone();
        assert_eq!(kept.as_array().unwrap().len(), 1);
        let whole = [written(killed_after), written(killed_after + 1)];
        assert!(whole.contains(&text(&kept[0], "text")), "a text that is neither");
        assert_eq!(fs::read_to_string(desk.folder.path().join("book/渡船.md")).unwrap(), OLD);
        assert!(host.end());
    }
}

#[test]
fn kill_9_while_a_chapter_is_saved_leaves_the_old_text_among_its_snapshots() {
    for n in 0..6 {
        let (desk, host) = Desk::new();
        let hash = host.ask("chapter:read", desk.chapter.clone())["contentHash"].clone();
        let before = json!([{ "text": written(n), "reason": "beforeInsertion", "generationId": "g" }]);
        let answer = host.send(
            "chapter:write",
            desk.with_chapter(json!({ "text": "新的", "baseHash": hash, "origins": [], "before": before })),
        );
        let file = desk.folder.path().join("book/渡船.md");
        // Killed as soon as the new text is in the file, or slightly earlier or later.
        for _ in 0..2_000 * n {
            if fs::read_to_string(&file).is_ok_and(|now| now != OLD) {
                break;
            }
        }
        host.kill();
        drop(answer);

        let host = desk.again();
        let now = host.ask("chapter:read", desk.chapter.clone());
        let listed = host.ask("chapter:snapshot:list", desk.chapter.clone())["snapshots"].clone();
        if now["text"] != OLD {
            assert_eq!(now["text"], "新的");
            let id = listed[0]["snapshotId"].clone();
            let snapshot = host.ask("chapter:snapshot:read", desk.with_chapter(json!({ "snapshotId": id })));
            assert!(snapshot["text"] == written(n), "what it was is lost");
        }
        assert!(host.end());
    }
}
