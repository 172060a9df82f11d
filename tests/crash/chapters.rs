//! The process is killed while a chapter is split, while two are merged, and while either is undone.

use std::{fs, path::Path};

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const PASSAGE: &str = "水退下去，留下一道白线。";
const FIRST: &str = "# 渡船\n\n渡船靠岸时，灯已经亮了。\n";
/// The commands that are interrupted, and the number of chapters before and after each.
const INTERRUPTED: [(&str, usize, usize); 3] = [("split", 1, 2), ("merge", 2, 1), ("undo", 1, 2)];

struct Book {
    folder: TempDir,
    project: String,
    chapter: String,
    generation: String,
}

impl Book {
    /// A chapter whose last words a generation wrote, long enough for its writing to take a while.
    fn new() -> (Self, Host) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("book");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("01.md"), FIRST).unwrap();
        let host = Host::start(&folder.path().join("data"), &[]);
        let opened = host.ask("project:open", json!({ "path": path }))["book"].clone();
        let (project, chapter) = (text(&opened["project"], "projectId"), text(&opened["chapters"][0], "chapterId"));
        let run = json!({ "projectId": project, "chapterId": chapter, "skill": "continue", "before": FIRST });
        let generation = text(&host.ask("ai:skill:run", run), "generationId");
        let book = Self { folder, project, chapter, generation };
        let filling = "没有人在岸上等。\n\n".repeat(4_000);
        let whole = format!("{FIRST}\n门开着。\n\n{filling}{PASSAGE}\n");
        let to = whole.trim_end().encode_utf16().count();
        let origin = json!({ "generationId": book.generation, "from": to - PASSAGE.encode_utf16().count(), "to": to });
        let hash = book.read(&host, &book.chapter)["contentHash"].clone();
        host.ask("chapter:write", book.args(json!({ "text": whole, "baseHash": hash, "origins": [origin] })));
        (book, host)
    }

    fn args(&self, more: Value) -> Value {
        let mut args = json!({ "projectId": self.project, "chapterId": self.chapter });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    }

    fn read(&self, host: &Host, chapter: &str) -> Value {
        host.ask("chapter:read", json!({ "projectId": self.project, "chapterId": chapter }))
    }

    fn split(&self, host: &Host) -> (&'static str, Value) {
        let hash = self.read(host, &self.chapter)["contentHash"].clone();
        let offset = FIRST.encode_utf16().count() + 1;
        ("chapter:split", self.args(json!({ "offset": offset, "baseHash": hash, "title": "门" })))
    }

    /// The request that is interrupted, after the requests that lead to it.
    fn interrupted_request(&self, host: &Host, what: &str) -> (&'static str, Value) {
        let split = self.split(host);
        if what == "split" {
            return split;
        }
        let second = text(&host.ask(split.0, split.1), "secondId");
        let merge = self.args(json!({ "nextId": second }));
        if what == "merge" {
            return ("chapter:merge", merge);
        }
        let change = host.ask("chapter:merge", merge)["changeId"].clone();
        ("chapter:change:undo", json!({ "projectId": self.project, "changeId": change }))
    }

    /// Whether a step of the change has begun: its record, the second file written or gone, the first one replaced.
    fn has_begun(&self, step: usize, size: u64, had_second: bool) -> bool {
        let path = |file: &str| self.folder.path().join("book").join(file);
        match step {
            0 => true,
            1 => fs::read_to_string(path(".palimpsest/change/change.json"))
                .is_ok_and(|record| record.contains("\"areFilesDone\":false")),
            2 => path("01 2.md").exists() != had_second,
            3 => fs::metadata(path("01.md")).is_ok_and(|meta| meta.len() != size),
            _ => fs::read_to_string(path(".palimpsest/change/change.json"))
                .is_ok_and(|record| record.contains("\"areFilesDone\":true")),
        }
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace() && *c != '#').count()
}

fn words_on_disk(folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).map(|path| letters(&fs::read_to_string(path).unwrap())).sum()
}

#[test]
fn kill_9_while_chapters_are_split_or_merged_leaves_the_change_done_or_not_done_with_every_word_and_mark() {
    for (what, before, after) in INTERRUPTED {
        for step in 0..5 {
            let (book, host) = Book::new();
            let (command, args) = book.interrupted_request(&host, what);
            let folder = book.folder.path().join("book");
            let size = fs::metadata(folder.join("01.md")).unwrap().len();
            let had_second = folder.join("01 2.md").exists();
            let answer = host.send(command, args);
            for _ in 0..200_000 {
                if book.has_begun(step, size, had_second) {
                    break;
                }
            }
            host.kill();
            drop(answer);

            let host = Host::start(&book.folder.path().join("data"), &[]);
            let listed = host.ask("chapter:list", json!({ "projectId": book.project }));
            let chapters = listed["chapters"].as_array().unwrap();
            assert!([before, after].contains(&chapters.len()), "{what}, step {step}: {} chapters", chapters.len());
            // The title of the second chapter is one letter more.
            let whole = letters(&format!("{FIRST}门开着。{}{PASSAGE}", "没有人在岸上等。".repeat(4_000)));
            let has_title = what != "split" || chapters.len() == 2;
            assert_eq!(words_on_disk(&folder), whole + usize::from(has_title), "{what}, step {step}");
            // The mark is in the chapter that has its words, and nowhere else.
            for chapter in chapters {
                let read = book.read(&host, chapter["chapterId"].as_str().unwrap());
                let marks = read["origins"].as_array().unwrap();
                let has_words = text(&read, "text").contains(PASSAGE);
                assert_eq!(
                    (marks.len(), &read["unanchored"]),
                    (usize::from(has_words), &json!([])),
                    "{what}, step {step}"
                );
                assert!(marks.iter().all(|mark| mark["generationId"] == json!(book.generation)));
                if has_words {
                    let at = json!({ "projectId": book.project, "generationId": book.generation });
                    assert_eq!(
                        host.ask("memory:trace:get", at)["chapterId"],
                        chapter["chapterId"],
                        "{what}, step {step}"
                    );
                }
            }
            assert!(host.end());
        }
    }
}
