//! Every released schema, frozen as a pair of files with content, is opened and migrated.

use std::fs;

use palimpsest_tests::Writer;
use serde_json::json;

use super::repository;

/// All released schemas, by the number of the last migration of `episodes.db`; where several have the same, with that
/// of `rules.db`.
const RELEASED: &[&str] = &[
    "0001", "0002", "0003", "0004", "0008", "0010", "0011", "0012", "0013", "0014", "0014-10", "0015", "0016", "0018",
];

#[test]
fn a_memory_from_every_released_version_opens_with_all_that_is_in_it() {
    for version in RELEASED {
        let writer = Writer::with_folder(|data| {
            for file in ["rules", "episodes"] {
                let frozen = repository(&format!("tests/fixtures/{file}-{version}.db"));
                fs::copy(frozen, data.join(format!("{file}.db"))).unwrap();
            }
        });
        let project = writer.ask("project:list", json!({}))["projects"][0]["projectId"].clone();
        let rules = writer.ask("memory:semantic:list", json!({ "projectId": project }));
        assert_eq!(rules["rules"][0]["rule"], "所有角色对白不使用感叹号");
        assert_eq!(rules["episodesRecorded"], 1);
        let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" }));
        let episode = &found["episodes"][0]["episode"];
        assert_eq!((&episode["finalText"], &episode["implicit"]), (&json!("灯灭了。"), &json!("strongPositive")));
        let why = json!({ "projectId": project, "generationId": episode["generationId"] });
        assert_eq!(writer.ask("memory:trace:get", why)["memoryReferences"][0]["kind"], "rule");
        assert_eq!(writer.ask("settings:get", json!({}))["theme"], "dark");
        writer.wait_until_idle();
        // Evidence is made from episodes that were recorded before the program learned anything.
        let rules = rusqlite::Connection::open(writer.data_dir().join("rules.db")).unwrap();
        let chosen: i64 =
            rules.query_row("SELECT count(*) FROM evidence WHERE choice IS NOT NULL", [], |row| row.get(0)).unwrap();
        assert_eq!(chosen, 1, "{version}");
        // The word index is rebuilt by the present tokenizer.
        let episodes = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
        for names in [
            "group_concat(DISTINCT model) FROM word_rows",
            "group_concat(name) FROM watermarks WHERE name GLOB 'words-*'",
        ] {
            let name: String = episodes.query_row(&format!("SELECT {names}"), [], |row| row.get(0)).unwrap();
            assert_eq!(name, "words-4", "{version}");
        }
        let parts = writer.ask("memory:status", json!({}))["parts"].clone();
        assert_eq!((&parts[0]["state"], &parts[1]["state"]), (&json!("ok"), &json!("ok")));
    }
}

/// Run manually once for each released schema, before the next migration is written.
#[test]
fn freeze() {
    let Some(version) = std::env::var_os("PALIMPSEST_FREEZE") else {
        return;
    };
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("settings:set", json!({ "theme": "dark" }));
    writer.ask(
        "memory:semantic:add",
        json!({ "rule": "所有角色对白不使用感叹号", "category": "style", "scope": "project", "projectId": project }),
    );
    let (started, _) = writer
        .run(json!({ "projectId": project, "chapterId": "c", "skill": "continue", "before": "雨夜，他合上手稿。" }));
    writer.ask(
        "memory:episode:record",
        json!({ "projectId": project, "chapterId": "c", "skillUsed": "continue", "inputContext": "雨夜，他合上手稿。",
            "candidates": ["灯灭了。", "灯亮着。"], "selectedIndex": 0, "finalText": "灯灭了。",
            "generationId": started["generationId"] }),
    );
    writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" }));
    // The two files are of the same moment.
    writer.wait_until_idle();
    for file in ["rules", "episodes"] {
        let to = repository(&format!("tests/fixtures/{file}-{}.db", version.to_string_lossy()));
        let _old = fs::remove_file(&to);
        let db = rusqlite::Connection::open(writer.data_dir().join(format!("{file}.db"))).unwrap();
        db.execute("VACUUM INTO ?1", [to.to_string_lossy()]).unwrap();
    }
}
