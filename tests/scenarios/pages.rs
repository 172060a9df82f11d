//! Rules as a page that people read and write.

use std::{
    fs,
    path::{Path, PathBuf},
};

use palimpsest_tests::Writer;
use serde_json::{Value, json};

use crate::{
    add_rule,
    exchange::{count, writer_with_clock},
};

fn sheet(writer: &Writer, project: Option<&str>) -> (PathBuf, String) {
    let path = writer.path_beside("写作风格.md");
    writer.ask("memory:export", json!({ "path": path, "projectId": project, "format": "markdown" }));
    let page = fs::read_to_string(&path).unwrap();
    (path, page)
}

fn import_sheet(writer: &Writer, project: Option<&str>, path: &Path, dry_run: bool) -> Value {
    let args = json!({ "path": path, "projectId": project, "format": "markdown", "dryRun": dry_run });
    writer.ask("memory:import", args)
}

#[test]
fn rules_are_exported_as_a_readable_page_and_a_line_added_to_it_becomes_a_rule_by_hand() {
    let writer = writer_with_clock();
    let book = writer.book("夜航", "zh");
    let other = writer.book("别的书", "zh");
    add_rule(&writer, Some(&other), "别的书的规则");
    add_rule(&writer, None, "偏好第一人称");
    let draft = json!({ "rule": "出手要快", "category": "pacing", "scope": "project", "projectId": book,
        "sceneType": "action", "skillUsed": "continue" });
    writer.ask("memory:semantic:add", draft);
    let (path, page) = sheet(&writer, Some(&book));
    assert_eq!(
        page,
        "# 写作风格\n\n> 夜航\n\n## 写作风格\n\n- 偏好第一人称（置信度：1.00；已确认；全局）\n\n## 节奏\n\n\
         - 出手要快（场景：动作；技能：续写；置信度：1.00；已确认）\n"
    );
    let rules =
        || writer.ask("memory:semantic:list", json!({ "projectId": book }))["rules"].as_array().unwrap().clone();
    let before = rules();
    let unchanged = import_sheet(&writer, Some(&book), &path, false);
    assert_eq!(
        (count(&unchanged, "rule", "same"), count(&unchanged, "rule", "new"), &unchanged["backedUp"]),
        (2, 0, &json!(false))
    );
    assert_eq!(rules(), before);

    let added =
        "\n## 词汇\n\n- 不用“突然”\n* 称呼老陈，不称陈老（场景：对话；全局）\n- 出 手 要快（场景：动作；技能：续写）\n";
    fs::write(&path, page + added).unwrap();
    let would = import_sheet(&writer, Some(&book), &path, true);
    assert_eq!((count(&would, "rule", "new"), count(&would, "rule", "same")), (2, 3), "{would}");
    assert_eq!(rules(), before, "a dry run writes nothing");
    let taken = import_sheet(&writer, Some(&book), &path, false);
    assert_eq!((&taken["kinds"], &taken["backedUp"]), (&would["kinds"], &json!(true)));
    let now = rules();
    let find = |words: &str| now.iter().find(|rule| rule["rule"] == words).unwrap_or_else(|| panic!("{now:?}")).clone();
    let (own, all) = (find("不用“突然”"), find("称呼老陈，不称陈老"));
    assert_eq!(
        (&own["scope"], &own["projectId"], &own["category"]),
        (&json!("project"), &json!(book), &json!("vocabulary"))
    );
    assert_eq!((&all["scope"], &all["sceneType"]), (&json!("global"), &json!("dialogue")));
    for rule in [&own, &all] {
        assert_eq!(
            (&rule["userConfirmed"], &rule["confidence"], &rule["origin"]),
            (&json!(true), &json!(1.0), &json!("manual"))
        );
    }
    assert_eq!(count(&import_sheet(&writer, Some(&book), &path, false), "rule", "new"), 0);

    // A rule that was deleted since does not return with an old page.
    writer.ask("memory:semantic:delete", json!({ "ruleId": own["id"] }));
    let taken = import_sheet(&writer, Some(&book), &path, false);
    assert_eq!((count(&taken, "rule", "new"), count(&taken, "rule", "leftOut")), (0, 1), "{taken}");
    assert!(!sheet(&writer, Some(&other)).1.contains("突然"));
}

#[test]
fn a_page_with_a_line_that_cannot_be_read_is_refused_by_its_number_and_nothing_of_it_comes_in() {
    let writer = writer_with_clock();
    let book = writer.book("夜航", "zh");
    let path = writer.path_beside("page.md");
    let long = format!("# 写作风格\n\n## 节奏\n- 短句\n- {}\n", "长".repeat(501));
    for (page, reason, line) in [
        ("# 写作风格\n\n## 节奏\n- 短句\n## 天气\n- 夜里的秘密\n", "unknownCategory", 6),
        ("## 节奏\n- 短句\n  夜里的秘密\n", "brokenLine", 3),
        (long.as_str(), "badValue", 5),
    ] {
        fs::write(&path, page).unwrap();
        let args = json!({ "path": path, "projectId": book, "format": "markdown", "dryRun": false });
        let refused = writer.error("memory:import", args);
        assert!(!format!("{refused:?}").contains("秘密"));
        let details = refused.details.unwrap();
        assert_eq!(
            (details.reason.map(palimpsest_api::model::Reason::name).as_deref(), details.line),
            (Some(reason), Some(line))
        );
    }
    fs::write(&path, b"## Style\n- short\n\xff\n").unwrap();
    let refused = writer.error("memory:import", json!({ "path": path, "format": "markdown", "dryRun": false }));
    assert_eq!(refused.details.unwrap().line, Some(3));
    assert_eq!(writer.ask("memory:semantic:list", json!({ "projectId": book }))["rules"], json!([]));
    assert_eq!(writer.ask("memory:backup:list", json!({}))["backups"], json!([]));
}
