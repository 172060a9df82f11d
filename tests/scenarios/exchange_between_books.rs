//! No import moves data of one book into another, whatever the file contains.

use std::fs;

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    add_rule,
    exchange::{
        count, count_recalled, dry_run, export, filled_memory, import, lines, second_machine, sum, writer_with_clock,
    },
    exchange_refused::write_file,
    with_field,
};

/// The kinds of lines, in the order of an export.
pub(crate) const ORDER: [&str; 24] = [
    "header",
    "project",
    "deletion",
    "name",
    "pause",
    "run",
    "runChange",
    "learned",
    "ruleVersion",
    "tombstone",
    "rule",
    "support",
    "foundIn",
    "verdict",
    "conflict",
    "evidence",
    "episode",
    "features",
    "skillUse",
    "trace",
    "traceFeedback",
    "influence",
    "followed",
    "draft",
];

fn place(kind: &str) -> usize {
    // Origins come last.
    ORDER.iter().position(|one| *one == kind).unwrap_or(ORDER.len())
}

/// The lines with one more line, at the position of its kind.
fn and(all: &[Value], line: Value) -> Vec<Value> {
    let mut lines: Vec<Value> = all.iter().filter(|one| one["kind"] != "end").cloned().collect();
    let own = place(&text(&line, "kind"));
    let at = lines.iter().position(|one| place(&text(one, "kind")) > own).unwrap_or(lines.len());
    lines.insert(at, line);
    lines
}

#[track_caller]
fn denied(writer: &Writer, lines: &[Value], what: &str) {
    let path = write_file(writer, "hostile.jsonl", lines);
    let refused = writer.api.call("memory:import", json!({ "path": path, "dryRun": true }));
    let refused = refused.err().unwrap_or_else(|| panic!("{what}: it was taken"));
    assert_eq!(json!(refused.code), "MEMORY_SCOPE_DENIED", "{what}: {refused:?}");
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("otherBook"),
        "{what}"
    );
}

/// The first line of a kind that satisfies a condition.
fn one(all: &[Value], kind: &str, is: impl Fn(&Value) -> bool) -> Value {
    all.iter().find(|line| line["kind"] == kind && is(line)).unwrap_or_else(|| panic!("no such {kind}")).clone()
}

#[test]
fn no_line_comes_in_under_another_book_than_its_own() {
    let (writer, clock, [english, chinese]) = filled_memory();
    let path = export(&writer, None);
    let all = lines(&path);
    let for_all: Vec<&Value> = all
        .iter()
        .filter(|line| line["kind"] == "ruleVersion" && line["projectId"].is_null())
        .map(|line| &line["ruleId"])
        .collect();
    let empty = second_machine(&clock);
    let mut tried_of = std::collections::HashMap::<String, u32>::new();
    for (at, line) in all.iter().enumerate() {
        let kind = text(line, "kind");
        let Some(book) = line.get("projectId").and_then(Value::as_str) else { continue };
        // The first four kinds refer to nothing, and any book may hold `foundIn` and `followed` lines of a global rule.
        if ["project", "skillUse", "learned", "name"].contains(&kind.as_str())
            || (["foundIn", "followed"].contains(&kind.as_str()) && for_all.contains(&&line["ruleId"]))
        {
            continue;
        }
        // One line of each kind per book is representative.
        let so_far = tried_of.entry(format!("{kind} {book}")).or_default();
        *so_far += 1;
        if *so_far > 1 {
            continue;
        }
        let other = if book == english { &chinese } else { &english };
        let mut moved = all.clone();
        moved[at]["projectId"] = json!(other);
        for inner in ["snapshot", "change"] {
            if let Some(inner) = moved[at].get_mut(inner).and_then(Value::as_object_mut) {
                inner.insert("projectId".into(), json!(other));
                for rule in ["before", "after"] {
                    if let Some(rule) = inner.get_mut(rule).and_then(Value::as_object_mut) {
                        rule.insert("projectId".into(), json!(other));
                    }
                }
            }
        }
        denied(&writer, &moved, &format!("line {at}, {kind}, where it was"));
        // A deletion alone, or the header of a run, contradicts nothing in the rest of the file.
        if !["deletion", "run"].contains(&kind.as_str()) {
            denied(&empty, &moved, &format!("line {at}, {kind}, where nothing was"));
        }
    }
    for kind in ["ruleVersion", "rule", "support", "evidence", "episode", "features", "trace", "influence", "draft"] {
        assert!(tried_of.keys().any(|tried| tried.starts_with(&format!("{kind} "))), "no {kind} was tried");
    }
    // A line of a book that the file does not name is refused too.
    for book in [&english, &chinese] {
        let named = |line: &&Value| !(line["kind"] == "project" && line["projectId"] == **book);
        let nameless: Vec<Value> = all.iter().filter(named).cloned().collect();
        denied(&empty, &nameless, "a book without its line");
    }
}

#[test]
fn no_line_of_one_book_refers_to_an_item_of_another_book() {
    let (writer, _, [english, chinese]) = filled_memory();
    let all = lines(&export(&writer, None));
    let of = |kind: &str, book: &str| one(&all, kind, |line| line["projectId"] == book);
    let (theirs, ours) = (of("rule", &english)["id"].clone(), of("rule", &chinese)["id"].clone());
    let gone = one(&all, "tombstone", |line| line["projectId"] == chinese)["ruleId"].clone();
    let generation = of("trace", &english)["generationId"].clone();
    let at = "2026-03-15T21:00:00Z";
    // The remark on a trace is an episode without evidence: only `episodes.db` records which book it belongs to.
    let remark = of("traceFeedback", &english)["episodeId"].clone();
    let prose = of("evidence", &english)["episodeId"].clone();
    assert!(remark.is_string() && prose.is_string());

    let stone = |rule: &Value, why: &str| {
        json!({ "kind": "tombstone", "tombstoneId": "new", "ruleId": rule, "projectId": chinese, "why": why, "feature": null,
            "direction": null, "sceneType": null, "skillUsed": null, "words": "短句", "since": at, "runId": null })
    };
    let conflict = |book: Value, rules: [&Value; 2], closed: Value| {
        json!({ "kind": "conflict", "conflictId": "new", "projectId": book, "firstRule": rules[0], "secondRule": rules[1],
            "openedAt": at, "closedAt": closed, "keptRule": null })
    };
    let ours_is = one(&all, "ruleVersion", |line| line["ruleId"] == ours);
    let mut taken_over = one(&all, "ruleVersion", |line| line["ruleId"] == theirs);
    taken_over["version"] = json!(99);
    taken_over["projectId"] = json!(chinese);
    taken_over["snapshot"]["version"] = json!(99);
    taken_over["snapshot"]["projectId"] = json!(chinese);
    let change = |rule: &Value, book: &Value| {
        let before = with_field(with_field(ours_is["snapshot"].clone(), "id", rule.clone()), "projectId", book.clone());
        json!({ "kind": "runChange", "runId": "new", "ordinal": 0, "projectId": chinese, "change": {
            "ruleId": rule, "projectId": chinese, "kind": "strengthened", "before": before, "after": null, "kept": false } })
    };
    let moved = |kind: &str, fields: Value| {
        let mut line = with_field(of(kind, &english), "projectId", json!(chinese));
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        line
    };
    let own = |kind: &str, fields: Value| {
        let mut line = of(kind, &chinese);
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        line
    };
    let bears = |rule: &Value, episode: &Value| json!({ "kind": "support", "projectId": chinese, "ruleId": rule, "episodeId": episode, "agrees": true });
    let referring = |kind: &str, id: &Value| {
        let mut line = own("trace", json!({ "generationId": "new" }));
        let mut reference = of("trace", &english)["refs"][0].clone();
        (reference["kind"], reference["id"]) = (json!(kind), id.clone());
        line["refs"].as_array_mut().unwrap().push(reference);
        line
    };
    let hostile = [
        ("an open conflict with their rule", conflict(json!(chinese), [&ours, &theirs], Value::Null)),
        ("their rule first", conflict(json!(chinese), [&theirs, &ours], Value::Null)),
        ("an old conflict with their rule", conflict(json!(chinese), [&ours, &theirs], json!(at))),
        ("a conflict of all books with their rule", conflict(Value::Null, [&theirs, &theirs], Value::Null)),
        (
            "a verdict on their rule",
            json!({ "kind": "verdict", "ruleId": theirs, "at": at, "projectId": chinese,
            "feature": "sentence_length_mean", "direction": 1, "sceneType": null, "skillUsed": null }),
        ),
        (
            "how it went with their rule",
            json!({ "kind": "followed", "projectId": chinese, "ruleId": theirs,
            "matter": "m", "recent": "y" }),
        ),
        (
            "where their rule was found",
            json!({ "kind": "foundIn", "ruleId": theirs, "projectId": chinese,
            "confidence": 0.9, "confidenceLow": 0.8, "evidenceCount": 9 }),
        ),
        ("a version of their rule", taken_over),
        ("a tombstone of their rule", stone(&theirs, "deleted")),
        ("a question less about their rule", stone(&theirs, "undone")),
        ("a deleted rule of another", with_field(stone(&gone, "deleted"), "projectId", json!(english))),
        ("what a run did to their rule", change(&theirs, &json!(chinese))),
        (
            "the deletion of their episode",
            json!({ "kind": "deletion", "what": "episode", "id": prose,
            "projectId": chinese, "at": at }),
        ),
        (
            "the deletion of their remark",
            json!({ "kind": "deletion", "what": "episode", "id": remark,
            "projectId": chinese, "at": at }),
        ),
        ("support by their episode", bears(&ours, &prose)),
        ("support by their remark", bears(&ours, &remark)),
        ("their remark as evidence", moved("evidence", json!({ "episodeId": remark }))),
        ("an episode of their generation", own("episode", json!({ "id": "new", "generationId": generation }))),
        ("a draft of their generation", moved("draft", json!({ "candidate": 60 }))),
        ("a measure of their generation", moved("influence", json!({ "candidate": 60 }))),
        ("a word on their generation", moved("traceFeedback", json!({ "referenceId": "new" }))),
        ("a word with their episode", own("traceFeedback", json!({ "referenceId": "new", "episodeId": prose }))),
        ("a generation that their rule was in", referring("rule", &theirs)),
        ("a generation that their episode was in", referring("episode", &prose)),
        ("a generation that their remark was in", referring("episode", &remark)),
        (
            "a mark of their generation",
            json!({ "kind": "origin", "projectId": chinese, "chapterId": "c", "ordinal": 0,
            "generationId": generation, "rangeFrom": 0, "rangeTo": 1, "quoteHash": "q" }),
        ),
    ];
    for (what, line) in hostile {
        denied(&writer, &and(&all, line), what);
    }
    // Without the episode in the file, the lines are still refused, because the local memory records its book.
    let unsaid: Vec<Value> =
        all.iter().filter(|line| line["kind"] != "episode" || line["id"] != remark).cloned().collect();
    for line in [
        bears(&ours, &remark),
        moved("evidence", json!({ "episodeId": remark })),
        json!({ "kind": "deletion", "what": "episode", "id": remark, "projectId": chinese, "at": at }),
    ] {
        denied(&writer, &and(&unsaid, line), "an episode that is only here");
    }
    // A run change that names one rule and holds another is invalid.
    let mut two = change(&ours, &json!(chinese));
    two["change"]["before"]["id"] = theirs.clone();
    // Also invalid: a prompt with another hash, a weight for a reference outside the prompt, and a total above 1.
    let mut weighty = moved("influence", json!({ "projectId": english, "candidate": 60 }));
    weighty["remainder"] = json!(0.9999);
    let mut strange = moved("influence", json!({ "projectId": english, "candidate": 60 }));
    strange["weights"][0]["referenceId"] = json!("rule:nobody's");
    let other_prompt = own("trace", json!({ "generationId": "new", "promptHash": "0".repeat(64) }));
    for (what, line) in
        [("two rules", two), ("another prompt", other_prompt), ("too much", weighty), ("not sent", strange)]
    {
        let path = write_file(&writer, "wrong.jsonl", &and(&all, line));
        let refused = writer.error("memory:import", json!({ "path": path, "dryRun": true }));
        assert_eq!(
            refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
            Some("badValue"),
            "{what}"
        );
    }
    // Lines that refer to their own book are accepted, so the refusals above have no other cause.
    let said = [
        conflict(json!(chinese), [&ours, &ours], json!(at)),
        json!({ "kind": "verdict", "ruleId": ours, "at": at, "projectId": chinese, "feature": "f", "direction": 1,
            "sceneType": null, "skillUsed": null }),
        json!({ "kind": "followed", "projectId": chinese, "ruleId": ours, "matter": "m", "recent": "y" }),
        stone(&ours, "undone"),
        own("episode", json!({ "id": "new", "generationId": null })),
        referring("rule", &ours),
    ];
    for line in said {
        let (kind, path) = (text(&line, "kind"), write_file(&writer, "own.jsonl", &and(&all, line)));
        assert_eq!(count(&dry_run(&writer, &path), &kind, "new"), 1, "{kind}");
    }
}

#[test]
fn the_file_of_one_book_changes_that_book_and_no_rule_that_holds_for_all() {
    let writer = writer_with_clock();
    let (one, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    let rule = add_rule(&writer, Some(&one), "对白避免感叹号");
    let theirs = add_rule(&writer, Some(&other), "别的书的规则");
    let before = lines(&export(&writer, Some(&one)));
    // Lines of another book, and the header of another book.
    let all = lines(&export(&writer, None));
    for kind in ["project", "ruleVersion", "rule"] {
        let strange = all.iter().find(|line| line["kind"] == kind && line["projectId"] == other).unwrap();
        denied(&writer, &and(&before, strange.clone()), kind);
    }
    let mut renamed = before.clone();
    renamed[0]["projectId"] = json!(other);
    denied(&writer, &renamed, "the header");
    // A file of one book can make global neither a rule of another book nor an unknown rule.
    let version = before.iter().find(|line| line["kind"] == "ruleVersion").unwrap().clone();
    for id in [theirs["id"].clone(), json!("nobody's")] {
        let mut wide = version.clone();
        for fields in ["", "/snapshot"] {
            let fields = wide.pointer_mut(fields).unwrap();
            fields["version"] = json!(7);
            fields["projectId"] = Value::Null;
        }
        wide["ruleId"] = id.clone();
        wide["snapshot"]["id"] = id;
        denied(&writer, &and(&before, wide), "for all");
    }

    // The other machine deletes the rule of the book, and this one promotes it meanwhile: here it stays for all books.
    let there = writer_with_clock();
    import(&there, &write_file(&there, "before.jsonl", &before));
    there.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    let deleted = export(&there, Some(&one));
    writer.ask("memory:promote", json!({ "ruleId": rule["id"] }));
    let rules = || writer.ask("memory:semantic:list", json!({ "projectId": other }))["rules"].clone();
    let had = rules();
    assert_eq!(had.as_array().unwrap().len(), 2);
    let imported = import(&writer, &deleted);
    assert_eq!((count(&imported, "tombstone", "leftOut"), sum(&imported, "new")), (1, 0), "{imported}");
    assert_eq!(rules(), had);
    // A complete export of the other memory does delete the rule.
    let imported = import(&writer, &export(&there, None));
    assert_eq!(count(&imported, "tombstone", "new"), 1, "{imported}");
    assert_eq!(rules().as_array().unwrap().len(), 1);
    assert_eq!(count_recalled(&writer, &other), 0);
    assert!(fs::read_to_string(&deleted).unwrap().contains(&one));
}
