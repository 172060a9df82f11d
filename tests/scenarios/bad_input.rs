//! Bad input is refused with a code and the field's name, and has no effect.

use palimpsest_tests::Writer;
use serde_json::{Value, json};

use crate::{passage, taken, with_field};

/// Invalid drafts, each with the field that the error must name.
fn refused_drafts(project: &str) -> Vec<(Value, &'static str)> {
    let draft = || taken(project, "雨夜。", "灯灭了。");
    let without = |key: &str| {
        let mut draft = draft();
        draft.as_object_mut().unwrap().remove(key);
        draft
    };
    vec![
        (without("finalText"), "finalText"),
        (without("candidates"), "candidates"),
        (with_field(draft(), "mood", json!("good")), "mood"),
        (with_field(draft(), "selectedIndex", json!(1)), "selectedIndex"),
        (with_field(draft(), "selectedIndex", json!(-2)), "selectedIndex"),
        (with_field(draft(), "selectedIndex", json!(0.5)), "selectedIndex"),
        (with_field(draft(), "selectedIndex", json!("0")), "selectedIndex"),
        (with_field(draft(), "candidates", json!([])), "selectedIndex"),
        (with_field(with_field(draft(), "candidates", json!([])), "selectedIndex", json!(-2)), "selectedIndex"),
        (with_field(with_field(draft(), "candidates", json!([])), "selectedIndex", json!(1)), "selectedIndex"),
        (with_field(draft(), "candidates", json!(["灯灭了。", "  "])), "candidates[1]"),
        (with_field(draft(), "candidates", json!(["灯灭了。", 7])), "candidates[1]"),
        (with_field(draft(), "candidates", json!(vec!["灯灭了。"; 17])), "candidates"),
        (with_field(draft(), "finalText", json!("")), "finalText"),
        (with_field(draft(), "finalText", json!("长".repeat(70_000))), "finalText"),
        (with_field(draft(), "inputContext", json!("长".repeat(70_000))), "inputContext"),
        (with_field(draft(), "skillUsed", json!("")), "skillUsed"),
        (with_field(draft(), "sceneType", json!("x".repeat(41))), "sceneType"),
        (with_field(draft(), "sceneType", json!("two\nlines")), "sceneType"),
        (with_field(draft(), "chapterId", json!(" ")), "chapterId"),
        (with_field(draft(), "explicit", json!("")), "explicit"),
        (with_field(draft(), "occurredAt", json!("2031-01-01T00:00:00Z")), "occurredAt"),
        (with_field(draft(), "occurredAt", json!("gestern")), "occurredAt"),
        (with_field(draft(), "projectId", json!("")), "projectId"),
        (with_field(draft(), "projectId", Value::Null), "projectId"),
    ]
}

#[test]
fn a_draft_that_makes_no_sense_is_refused_and_nothing_of_it_stays() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for (draft, field) in refused_drafts(&project) {
        assert_eq!(
            writer.refused("memory:episode:record", draft.clone()),
            ("MEMORY_INVALID_ARGUMENT".into(), field.into()),
            "{draft}"
        );
    }
    assert_eq!(writer.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"], 0);
    assert_eq!(writer.ask("memory:working:list", json!({ "projectId": project }))["items"], json!([]));
}

#[test]
fn every_command_answers_not_found_for_an_unknown_book() {
    let writer = Writer::new();
    for (command, args) in [
        ("memory:episode:record", taken("no-such", "a", "b")),
        ("memory:episode:query", json!({ "projectId": "no-such" })),
        ("memory:context:assemble", passage("no-such", "a")),
        ("ai:skill:run", passage("no-such", "a")),
        ("memory:semantic:list", json!({ "projectId": "no-such" })),
        ("memory:working:list", json!({ "projectId": "no-such" })),
        ("memory:trace:get", json!({ "projectId": "no-such", "generationId": "g" })),
        ("chapter:list", json!({ "projectId": "no-such" })),
        ("settings:set", json!({ "lastProjectId": "no-such" })),
    ] {
        assert_eq!(writer.refused(command, args), ("MEMORY_NOT_FOUND".into(), "projectId".into()), "{command}");
    }
}

#[test]
fn rules_prompts_and_items_are_looked_at_before_anything_is_touched() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = json!({ "rule": "短句", "category": "style", "scope": "global" });
    let item = json!({ "projectId": project, "kind": "intent", "text": "写到码头" });
    for (command, args, field) in [
        ("memory:semantic:add", with_field(rule.clone(), "rule", json!(" ")), "rule"),
        ("memory:semantic:add", with_field(rule.clone(), "rule", json!("长".repeat(501))), "rule"),
        ("memory:semantic:add", with_field(rule.clone(), "rule", json!("两\n行")), "rule"),
        ("memory:semantic:add", with_field(rule.clone(), "category", json!("mood")), "category"),
        ("memory:semantic:add", with_field(rule.clone(), "scope", json!("project")), "projectId"),
        ("memory:semantic:add", with_field(rule.clone(), "projectId", json!(project)), "projectId"),
        ("memory:semantic:list", json!({ "scope": "project" }), "projectId"),
        ("memory:working:put", with_field(item.clone(), "text", json!("")), "text"),
        ("memory:working:put", with_field(item.clone(), "text", json!("word ".repeat(9_000))), "text"),
        ("memory:working:put", with_field(item.clone(), "importance", json!(1.5)), "importance"),
        ("memory:episode:query", json!({ "projectId": project, "limit": 0 }), "limit"),
        ("memory:episode:query", json!({ "projectId": project, "limit": 51 }), "limit"),
        ("memory:context:assemble", with_field(passage(&project, "夜。"), "budgetTokens", json!(10)), "budgetTokens"),
        ("memory:context:assemble", with_field(passage(&project, "夜。"), "skill", json!("")), "skill"),
        ("ai:skill:run", with_field(passage(&project, "夜。"), "candidates", json!(5)), "candidates"),
        ("project:create", json!({ "title": "", "language": "zh" }), "title"),
        ("project:create", json!({ "title": "夜", "language": "fr" }), "language"),
        ("project:open", json!({ "path": "relative" }), "path"),
        ("project:open", json!({ "path": "/no/such/folder" }), "path"),
        ("chapter:list", json!({ "projectId": project }), "projectId"),
    ] {
        let refused = writer.refused(command, args.clone());
        assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), field.into()), "{command} {args}");
    }
    assert_eq!(writer.ask("memory:semantic:list", json!({}))["rules"], json!([]));
}
