//! Clearing the memory of one book or of all books.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{add_rule, passage, sent, taken};

fn count_recalled(writer: &Writer, project: &str) -> usize {
    let answer = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "雨夜的手稿" }));
    answer["episodes"].as_array().unwrap().len()
}

fn rules(writer: &Writer, project: &str) -> Vec<String> {
    let list = writer.ask("memory:semantic:list", json!({ "projectId": project }));
    list["rules"].as_array().unwrap().iter().map(|rule| text(rule, "rule")).collect()
}

/// Two books with equal episodes and a rule each, and one global rule.
fn two_books(writer: &Writer) -> (String, String) {
    let (one, other) = (writer.book("实验小说", "zh"), writer.book("夜航", "zh"));
    for project in [&one, &other] {
        writer.ask("memory:episode:record", taken(project, "雨夜的手稿。", "灯灭了，他还在写。"));
        add_rule(writer, Some(project), "对白避免感叹号");
    }
    add_rule(writer, None, "偏好第一人称");
    (one, other)
}

#[test]
fn nothing_is_cleared_that_was_not_confirmed() {
    let writer = Writer::new();
    let (one, _) = two_books(&writer);
    for args in [json!({ "projectId": one }), json!({ "projectId": one, "confirmed": false })] {
        assert_eq!(writer.refused("memory:clear:project", args).0, "MEMORY_CLEAR_CONFIRM_REQUIRED");
    }
    for args in [json!({}), json!({ "confirmed": false })] {
        assert_eq!(writer.refused("memory:clear:all", args).0, "MEMORY_CLEAR_CONFIRM_REQUIRED");
    }
    assert_eq!((count_recalled(&writer, &one), rules(&writer, &one).len()), (1, 2));
    assert_eq!(writer.ask("memory:clear:log", json!({})), json!({ "clearings": [], "erasures": [] }));
    let unknown = json!({ "projectId": "nobody's", "confirmed": true });
    assert_eq!(writer.refused("memory:clear:project", unknown), ("MEMORY_NOT_FOUND".into(), "projectId".into()));
}

#[test]
fn clearing_one_book_leaves_the_other_books_and_global_rules() {
    let writer = Writer::new();
    let (one, other) = two_books(&writer);
    writer.ask("memory:working:put", json!({ "projectId": one, "kind": "focus", "text": "雨夜的手稿" }));
    let (started, _) = writer.run(passage(&one, "雨夜的手稿。"));
    let counts = writer.ask("memory:clear:project", json!({ "projectId": one, "confirmed": true }));
    for (kind, many) in [("episodes", 1), ("rules", 1), ("ruleVersions", 1), ("traces", 1)] {
        assert_eq!(counts[kind], many, "{kind} of {counts}");
    }
    assert!(counts["workingItems"].as_u64().unwrap() >= 2, "{counts}");
    let change = loop {
        let change = writer.wait_for_event("memory:changed");
        if change["what"].to_string().contains("rules") && change["what"].to_string().contains("traces") {
            break change;
        }
    };
    assert_eq!(change["projectId"], one);

    assert_eq!((count_recalled(&writer, &one), rules(&writer, &one)), (0, vec!["偏好第一人称".to_owned()]));
    assert_eq!(writer.ask("memory:working:list", json!({ "projectId": one }))["items"], json!([]));
    let trace = json!({ "projectId": one, "generationId": started["generationId"] });
    assert_eq!(writer.refused("memory:trace:get", trace).0, "MEMORY_NOT_FOUND");
    assert!(!sent(&writer.ask("memory:context:assemble", passage(&one, "雨夜的手稿。"))).contains("他还在写"));

    assert_eq!((count_recalled(&writer, &other), rules(&writer, &other).len()), (1, 2));
    let log = writer.ask("memory:clear:log", json!({}))["clearings"].take();
    assert_eq!((&log[0]["projectId"], &log[0]["counts"]), (&json!(one), &counts));
    assert_eq!(
        (&log[0]["requestedAt"], &log[0]["finishedAt"]),
        (&json!(palimpsest_tests::evening()), &log[0]["requestedAt"])
    );
    assert!(!text(&log[0], "requestedBy").is_empty());

    // The book still exists and records new episodes.
    writer.ask("memory:episode:record", taken(&one, "雨夜的手稿。", "新的一页。"));
    let writer = writer.restarted();
    assert_eq!((count_recalled(&writer, &one), count_recalled(&writer, &other)), (1, 1));
}

#[test]
fn everything_cleared_leaves_neither_rules_nor_episodes_of_any_book() {
    let writer = Writer::new();
    let (one, other) = two_books(&writer);
    writer.ask("settings:set", json!({ "theme": "dark" }));
    let counts = writer.ask("memory:clear:all", json!({ "confirmed": true }));
    assert_eq!((&counts["episodes"], &counts["rules"]), (&json!(2), &json!(3)));
    let writer = writer.restarted();
    for project in [&one, &other] {
        // The book itself is unknown until its editor creates it again.
        let query = json!({ "projectId": project, "queryText": "雨夜的手稿" });
        assert_eq!(writer.refused("memory:episode:query", query), ("MEMORY_NOT_FOUND".into(), "projectId".into()));
        writer.ask("project:create", json!({ "title": "又一次", "language": "zh", "projectId": project }));
        assert_eq!((count_recalled(&writer, project), rules(&writer, project).len()), (0, 0));
    }
    assert_eq!(writer.ask("settings:get", json!({}))["theme"], "dark");
    assert_eq!(writer.ask("memory:clear:log", json!({}))["clearings"][0]["projectId"], Value::Null);
}

#[test]
fn a_rule_that_was_made_global_outlives_the_book_it_came_from() {
    let writer = Writer::new();
    let (one, other) = two_books(&writer);
    let promoted = add_rule(&writer, Some(&one), "场景转换留白");
    writer.ask("memory:promote", json!({ "ruleId": promoted["id"] }));
    writer.ask("memory:clear:project", json!({ "projectId": one, "confirmed": true }));
    assert!(rules(&writer, &other).contains(&"场景转换留白".to_owned()));
    let history = writer.ask("memory:semantic:history", json!({ "ruleId": promoted["id"] }));
    let changes: Vec<String> = history["versions"].as_array().unwrap().iter().map(|one| text(one, "change")).collect();
    assert_eq!(changes, ["promoted"], "what it was as the book's own is gone");
}
