//! Refused imports and exports: files that are truncated, corrupt or too new.

use std::{fs, path::PathBuf};

use palimpsest_tests::Writer;
use serde_json::{Value, json};

use crate::{
    add_rule,
    exchange::{count, export, import, small, writer_with_clock},
};

/// Writes a file of these lines with a correct end line.
pub(crate) fn write_file(writer: &Writer, name: &str, lines: &[Value]) -> PathBuf {
    let path = writer.path_beside(name);
    let mut lines: Vec<Value> = lines.iter().filter(|line| line["kind"] != "end").cloned().collect();
    lines.push(json!({ "kind": "end", "lines": lines.len() }));
    let lines: Vec<String> = lines.iter().map(|line| line.to_string() + "\n").collect();
    fs::write(&path, lines.concat()).unwrap();
    path
}

#[test]
fn a_file_that_was_cut_off_anywhere_is_refused_and_nothing_of_it_comes_in() {
    let writer = Writer::new();
    let (_, whole) = small(&writer);
    let other = Writer::new();
    let path = other.path_beside("cut.jsonl");
    for length in 0..whole.len() {
        fs::write(&path, &whole.as_bytes()[..length]).unwrap();
        let (code, _) = other.refused("memory:import", json!({ "path": path, "dryRun": false }));
        assert_eq!(code, "MEMORY_INVALID_ARGUMENT", "cut at {length}");
    }
    // A line is missing in the middle.
    let all: Vec<&str> = whole.split_inclusive('\n').collect();
    for gone in 1..all.len() {
        let rest: String = all.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line).collect();
        fs::write(&path, rest).unwrap();
        other.refused("memory:import", json!({ "path": path, "dryRun": false }));
    }
    assert_eq!(other.ask("project:list", json!({}))["projects"], json!([]));
    assert_eq!(other.ask("memory:backup:list", json!({}))["backups"], json!([]));
    fs::write(&path, &whole).unwrap();
    assert_eq!(count(&import(&other, &path), "episode", "new"), 1);
}

#[test]
fn an_invalid_line_is_reported_by_number_and_reason_and_never_by_its_text() {
    let writer = Writer::new();
    let (_, whole) = small(&writer);
    let all: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let at = |kind: &str| all.iter().position(|line| line["kind"] == kind).unwrap();
    let other = Writer::new();
    let secret = "夜里的秘密";
    type Change = Box<dyn Fn(&mut Value)>;
    let cases: Vec<(&str, usize, Change)> = vec![
        ("unknownKind", at("rule"), Box::new(move |line| line["kind"] = json!(secret))),
        ("unknownField", at("rule"), Box::new(move |line| line[secret] = json!(1))),
        ("unknownField", at("episode"), Box::new(move |line| line["mood"] = json!(secret))),
        ("missingField", at("episode"), Box::new(|line| drop(line.as_object_mut().unwrap().remove("finalText")))),
        ("badValue", at("rule"), Box::new(move |line| line["category"] = json!(secret))),
        ("badValue", at("rule"), Box::new(|line| line["scope"] = json!("global"))),
        ("badValue", at("ruleVersion"), Box::new(|line| line["snapshot"]["rule"] = json!("别的"))),
        ("badValue", at("ruleVersion"), Box::new(move |line| line["snapshot"][secret] = json!(1))),
        ("badValue", at("episode"), Box::new(|line| line["createdAt"] = json!("yesterday"))),
        ("badValue", at("episode"), Box::new(|line| line["implicitWeight"] = json!(0.25))),
        ("badValue", at("episode"), Box::new(|line| line["finalText"] = json!("长".repeat(40_000)))),
        // Values that the import can compute must agree with the computation.
        ("badValue", at("episode"), Box::new(|line| line["finalText"] = json!("灯又亮了。"))),
        ("badValue", at("episode"), Box::new(|line| line["editDistance"] = json!(0.5))),
        ("badValue", at("episode"), Box::new(|line| line["editDistance"] = Value::Null)),
        (
            "badValue",
            at("episode"),
            Box::new(|line| (line["implicit"], line["implicitWeight"]) = (json!("weakPositive"), json!(0.5))),
        ),
        ("badValue", at("evidence"), Box::new(|line| line["texts"] = json!("00"))),
        ("outOfOrder", at("episode"), Box::new(|line| line["kind"] = json!("project"))),
        ("newerVersion", 0, Box::new(|line| line["version"] = json!(2))),
        ("otherFormat", 0, Box::new(|line| line["format"] = json!("something-else"))),
        ("badValue", 0, Box::new(|line| line["mood"] = json!("any"))),
    ];
    for (reason, at, change) in cases {
        let mut lines = all.clone();
        change(&mut lines[at]);
        let path = write_file(&other, "bad.jsonl", &lines);
        let refused = other.error("memory:import", json!({ "path": path, "dryRun": false }));
        let said = format!("{refused:?}");
        let details = refused.details.unwrap();
        assert_eq!(json!(refused.code), "MEMORY_INVALID_ARGUMENT", "{reason}");
        assert_eq!(
            (details.reason.map(palimpsest_api::model::Reason::name).as_deref(), details.line),
            (Some(reason), Some(at as u32 + 1)),
            "{said}"
        );
        assert!(!said.contains("秘密"), "{said}");
    }
    let mut lines = all.clone();
    lines[at("rule")]["confidence"] = json!(1.5);
    let path = write_file(&other, "bad.jsonl", &lines);
    assert_eq!(
        other.refused("memory:import", json!({ "path": path, "dryRun": false })).0,
        "MEMORY_CONFIDENCE_OUT_OF_RANGE"
    );
    fs::write(&path, b"\xff\xfe\n").unwrap();
    let refused = other.error("memory:import", json!({ "path": path, "dryRun": false }));
    assert_eq!(refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(), Some("notUtf8"));
    assert_eq!(other.ask("project:list", json!({}))["projects"], json!([]));
    for path in ["relative.jsonl".into(), other.path_beside("nothing.jsonl"), other.path_beside("")] {
        let (code, field) = other.refused("memory:import", json!({ "path": path, "dryRun": true }));
        assert_eq!((code.as_str(), field.as_str()), ("MEMORY_INVALID_ARGUMENT", "path"));
    }
}

#[test]
fn an_export_is_complete_or_leaves_the_old_file_and_is_never_among_the_databases() {
    let writer = Writer::new();
    let (book, whole) = small(&writer);
    let path = writer.path_beside("mine.jsonl");
    fs::write(&path, "mine").unwrap();
    let inside = writer.data_dir().join("rules.db");
    let before = fs::read(&inside).unwrap();
    for path in [
        inside.clone(),
        writer.data_dir().join("backups/../all.jsonl"),
        writer.path_beside("no/such/folder/all.jsonl"),
        writer.path_beside(""),
    ] {
        assert_eq!(writer.refused("memory:export", json!({ "path": path })).1, "path");
    }
    assert_eq!(fs::read(&inside).unwrap(), before);
    writer.refused("memory:export", json!({ "path": path, "projectId": "nobody's" }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine", "what fails leaves what was there");
    let answer = writer.ask("memory:export", json!({ "path": path }));
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    assert_eq!(answer["leftOut"], 0);
    assert!(answer["kinds"].as_array().unwrap().contains(&json!({ "kind": "rule", "count": 1 })));
    let left: Vec<String> = fs::read_dir(writer.path_beside(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(left.iter().all(|name| !name.contains("part")), "{left:?}");
    let header: Value = serde_json::from_str(whole.lines().next().unwrap()).unwrap();
    assert_eq!((&header["scope"], &header["version"], &header["projectId"]), (&json!("all"), &json!(1), &Value::Null));
    assert!(!whole.contains("apiKey") && !whole.contains("\"provider\":"), "{book}");
}

#[test]
fn five_hundred_rules_that_the_writer_agreed_to_leave_no_room_for_one_more_and_nothing_comes_in() {
    let writer = writer_with_clock();
    let (book, _) = small(&writer);
    let path = export(&writer, None);
    let other = writer_with_clock();
    import(&other, &path);
    let rule = other.ask("memory:semantic:list", json!({ "projectId": book }))["rules"][0]["id"].clone();
    for n in 0..500 {
        add_rule(&other, None, &format!("第{n}条"));
    }
    let global = add_rule(&writer, None, "再来一条");
    let refused = other.refused("memory:import", json!({ "path": export(&writer, None), "dryRun": false }));
    assert_eq!(refused.0, "MEMORY_CAPACITY_EXCEEDED");
    let history = other.refused("memory:semantic:history", json!({ "ruleId": global["id"] }));
    assert_eq!(history.0, "MEMORY_NOT_FOUND");
    assert_eq!(
        other.ask("memory:semantic:list", json!({ "projectId": book }))["rules"].as_array().unwrap().len(),
        501,
        "{rule}"
    );
}
