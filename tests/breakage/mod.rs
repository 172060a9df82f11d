//! Failures, the service that remains, and the reports to the writer. The files are really broken here.

mod anew;
mod disk;
mod files;
mod kinds;
mod locks;
mod logs;
mod odd;
mod restore;

use std::{fs, path::Path};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

const RULE: &str = "所有角色对白不使用感叹号";
/// The heading of the shipped rules in a prompt.
const BUILT_IN: &str = "[默认写作规则]";

/// A book with one rule and one episode.
struct Book {
    writer: Writer,
    project: String,
    folder: String,
}

impl Book {
    /// A book whose two files are complete on disk, because the program was closed once.
    fn new() -> Self {
        let writer = Writer::new();
        let book = writer
            .ask("project:create", json!({ "title": "夜航", "language": "zh", "path": writer.path_beside("夜航") }));
        let (project, folder) = (text(&book, "projectId"), text(&book, "path"));
        let rule = json!({ "rule": RULE, "category": "style", "scope": "project", "projectId": project });
        writer.ask("memory:semantic:add", rule);
        writer.ask("memory:episode:record", draft(&project, "灯灭了。"));
        Self { writer: writer.restarted(), project, folder }
    }

    /// The same with a backup of both files.
    fn with_backups() -> Self {
        let book = Self::new();
        assert_eq!(book.writer.ask("memory:backup:create", json!({}))["backups"].as_array().unwrap().len(), 2);
        book
    }

    /// Closes the memory, breaks its files with `breaks`, and opens it again.
    fn reopened_after(self, breaks: impl Fn(&Path)) -> Self {
        let data = self.writer.data_dir();
        Self { writer: self.writer.restarted_after(|| breaks(&data)), ..self }
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.writer.data_dir().join(name)
    }

    /// The state of a part in the status.
    fn part_state(&self, part: &str) -> String {
        let status = self.writer.ask("memory:status", json!({}));
        state_in(&status, part)
    }

    fn prompt(&self) -> Value {
        self.writer.ask(
            "memory:context:assemble",
            json!({ "projectId": self.project, "chapterId": "c", "skill": "continue", "before": "雨夜，他合上手稿。" }),
        )
    }

    fn record(&self) -> Result<String, String> {
        let recorded = self.writer.api.call("memory:episode:record", draft(&self.project, "他没有走。"));
        recorded.map_err(|error| json!(error.code).as_str().unwrap().to_owned())
    }

    /// Asserts that candidates arrive, whatever is broken.
    #[track_caller]
    fn writes_on(&self) {
        let (started, done) = self.writer.run(
            json!({ "projectId": self.project, "chapterId": "c", "skill": "continue", "before": "雨夜，他合上手稿。" }),
        );
        assert_eq!(done["status"], "finished", "{done}");
        assert_eq!(started["memoryDegraded"], true, "{started}");
    }

    /// Asserts that everything serves.
    #[track_caller]
    fn is_well(&self) {
        assert_eq!((self.part_state("rules").as_str(), self.part_state("episodes").as_str()), ("ok", "ok"));
        let prompt = self.prompt();
        assert_eq!(prompt["memoryDegraded"], false, "{prompt}");
        assert!(sent(&prompt).contains(RULE) && sent(&prompt).contains("灯灭了"), "{prompt}");
        self.record().unwrap();
    }

    /// Asserts the row for `episodes.db` of the table of failures.
    #[track_caller]
    fn serves_without_episodes(&self) {
        assert_eq!((self.part_state("rules").as_str(), self.part_state("episodes").as_str()), ("ok", "unavailable"));
        let rules = self.writer.ask("memory:semantic:list", json!({ "projectId": self.project }));
        let rule = &rules["rules"][0];
        let edit = json!({ "ruleId": rule["id"], "version": rule["version"], "category": "vocabulary" });
        assert_eq!(self.writer.ask("memory:semantic:update", edit)["rule"], RULE);
        let prompt = self.prompt();
        assert!(sent(&prompt).contains(RULE));
        assert_eq!(prompt["memoryDegraded"], true);
        assert!(reasons(&prompt).starts_with("past examples unavailable"), "{prompt}");
        let query = json!({ "projectId": self.project, "queryText": "手稿" });
        assert_eq!(self.writer.ask("memory:episode:query", query)["degraded"], true);
        // The write is refused and not dropped silently.
        assert!(["MEMORY_STORE_UNAVAILABLE", "MEMORY_WRITE_FAILED"].contains(&self.record().unwrap_err().as_str()));
        self.writes_on();
    }

    /// Asserts the row for `rules.db` of the table of failures.
    #[track_caller]
    fn serves_without_rules(&self, has_backup: bool) {
        assert_eq!((self.part_state("rules").as_str(), self.part_state("episodes").as_str()), ("unavailable", "ok"));
        let prompt = self.prompt();
        assert!(sent(&prompt).contains("灯灭了"), "{prompt}");
        assert_eq!(prompt["memoryDegraded"], true);
        if has_backup {
            assert!(sent(&prompt).contains(RULE) && reasons(&prompt).starts_with("rules are read-only"), "{prompt}");
            let listed = self.writer.ask("memory:semantic:list", json!({ "projectId": self.project }));
            assert_eq!(listed["rules"][0]["rule"], RULE);
            assert!(text(&listed, "degradedReason").starts_with("rules are read-only"));
        } else {
            assert!(sent(&prompt).contains(BUILT_IN) && reasons(&prompt).starts_with("rules are built-in"), "{prompt}");
        }
        let rule = json!({ "rule": "短句", "category": "style", "scope": "global" });
        let (refused, _) = self.writer.refused("memory:semantic:add", rule);
        assert!(["MEMORY_STORE_UNAVAILABLE", "MEMORY_WRITE_FAILED"].contains(&refused.as_str()), "{refused}");
        self.record().unwrap();
        self.writes_on();
    }

    /// Asserts the row for both files of the table of failures.
    #[track_caller]
    fn serves_without_memory(&self) {
        assert_eq!(
            (self.part_state("rules").as_str(), self.part_state("episodes").as_str()),
            ("unavailable", "unavailable")
        );
        let prompt = self.prompt();
        assert_eq!(prompt["memoryDegraded"], true);
        assert!(sent(&prompt).contains(BUILT_IN) && sent(&prompt).contains("雨夜，他合上手稿。"), "{prompt}");
        self.writes_on();
    }
}

fn draft(project: &str, written: &str) -> Value {
    json!({ "projectId": project, "chapterId": "c", "skillUsed": "continue", "inputContext": "雨夜，手稿。",
        "candidates": [written], "selectedIndex": 0, "finalText": written })
}

fn state_in(status: &Value, part: &str) -> String {
    let part = status["parts"].as_array().unwrap().iter().find(|one| one["part"] == part);
    text(part.unwrap_or_else(|| panic!("{status}")), "state")
}

fn sent(prompt: &Value) -> String {
    text(&prompt["messages"][1], "content")
}

fn reasons(prompt: &Value) -> String {
    let reasons = prompt["degradedReasons"].as_array().unwrap();
    reasons.iter().filter_map(|reason| reason["message"].as_str()).collect::<Vec<_>>().join("; ")
}

/// Bytes that are not a database, equal in every run.
fn noise(length: usize) -> Vec<u8> {
    (0_u32..).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2]).take(length).collect()
}

/// Overwrites a file in place with noise of the same length.
fn overwrite(path: &Path) {
    let length = fs::metadata(path).unwrap().len();
    fs::write(path, noise(usize::try_from(length).unwrap())).unwrap();
}

/// Cuts a file off in the middle.
fn truncate(path: &Path) {
    let length = fs::metadata(path).unwrap().len();
    fs::File::options().write(true).open(path).unwrap().set_len(length / 2).unwrap();
}

/// Makes a file empty.
fn empty(path: &Path) {
    fs::write(path, []).unwrap();
}
