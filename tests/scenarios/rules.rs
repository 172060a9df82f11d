//! The writer's actions on rules: adding, editing, confirming, promoting, deleting.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{add_rule, passage, sent};

fn listed(writer: &Writer, args: Value) -> Vec<String> {
    let list = writer.ask("memory:semantic:list", args);
    list["rules"].as_array().unwrap().iter().map(|rule| text(rule, "rule")).collect()
}

#[test]
fn a_rule_added_by_hand_is_in_the_next_prompt_at_once_and_still_there_tomorrow() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    assert!(sent(&writer.ask("memory:context:assemble", passage(&project, "夜。"))).contains("[默认写作规则]"));
    add_rule(&writer, Some(&project), "所有角色对白不使用感叹号");
    let writer = writer.restarted();
    let prompt = sent(&writer.ask("memory:context:assemble", passage(&project, "夜。")));
    assert!(
        prompt.contains("[用户写作偏好 - 自动学习]\n- 所有角色对白不使用感叹号（置信度: 1.00，用户已确认）"),
        "{prompt}"
    );
    assert!(!prompt.contains("[默认写作规则]"));
}

#[test]
fn rules_of_the_book_come_before_global_ones_and_other_books_see_only_the_global_ones() {
    let writer = Writer::new();
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    add_rule(&writer, None, "通篇少用形容词");
    add_rule(&writer, Some(&one), "句子要短");
    let prompt = sent(&writer.ask("memory:context:assemble", passage(&one, "夜。")));
    assert!(prompt.find("句子要短").unwrap() < prompt.find("通篇少用形容词").unwrap());
    let foreign = sent(&writer.ask("memory:context:assemble", passage(&other, "夜。")));
    assert!(foreign.contains("通篇少用形容词") && !foreign.contains("句子要短"));
    assert_eq!(listed(&writer, json!({ "projectId": other })), ["通篇少用形容词"]);
    assert_eq!(listed(&writer, json!({})), ["通篇少用形容词"]);
    assert_eq!(listed(&writer, json!({ "projectId": one, "scope": "project" })), ["句子要短"]);
}

#[test]
fn a_rule_for_one_kind_of_scene_stays_out_of_others() {
    let writer = Writer::new();
    let project = writer.book("High Water", "en");
    writer.ask(
        "memory:semantic:add",
        json!({ "rule": "Short sentences", "category": "pacing", "scope": "project", "projectId": project,
            "sceneType": "action" }),
    );
    let prompt = |scene: &str| {
        let request = crate::with_field(passage(&project, "He ran."), "sceneType", json!(scene));
        sent(&writer.ask("memory:context:assemble", request))
    };
    assert!(
        prompt("action").contains("- In action scenes: Short sentences (confidence: 1.00, confirmed by the writer)")
    );
    assert!(!prompt("dialogue").contains("Short sentences"));
}

#[test]
fn an_edit_made_against_an_old_version_is_refused_and_the_newer_words_stay() {
    let writer = Writer::new();
    let rule = add_rule(&writer, None, "句子要短");
    let edit = |version: u64, words: &str| json!({ "ruleId": rule["id"], "version": version, "rule": words });
    let edited = writer.ask("memory:semantic:update", edit(1, "句子不超过十五字"));
    assert_eq!((&edited["version"], &edited["userModified"]), (&json!(2), &json!(true)));
    let refused = writer.error("memory:semantic:update", edit(1, "句子要长"));
    assert_eq!(json!(refused.code), "MEMORY_STALE_VERSION");
    assert_eq!(refused.details.unwrap().current_version, Some(2));
    assert_eq!(listed(&writer, json!({})), ["句子不超过十五字"]);
    assert_eq!(
        writer.refused("memory:semantic:confirm", json!({ "ruleId": rule["id"], "version": 1 })).0,
        "MEMORY_STALE_VERSION"
    );
}

#[test]
fn a_promoted_rule_holds_in_every_book() {
    let writer = Writer::new();
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    let rule = add_rule(&writer, Some(&one), "对白避免感叹号");
    let promoted = writer.ask("memory:promote", json!({ "ruleId": rule["id"] }));
    assert_eq!((&promoted["scope"], &promoted["projectId"]), (&json!("global"), &Value::Null));
    assert_eq!(listed(&writer, json!({ "projectId": other })), ["对白避免感叹号"]);
    assert_eq!(writer.refused("memory:promote", json!({ "ruleId": rule["id"] })).0, "MEMORY_INVALID_ARGUMENT");
}

#[test]
fn a_deleted_rule_leaves_the_prompt_and_keeps_its_history() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = add_rule(&writer, Some(&project), "使用文言句式");
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    assert!(listed(&writer, json!({ "projectId": project })).is_empty());
    assert!(!sent(&writer.ask("memory:context:assemble", passage(&project, "夜。"))).contains("文言"));
    let history = writer.ask("memory:semantic:history", json!({ "ruleId": rule["id"] }));
    let changes: Vec<&str> =
        history["versions"].as_array().unwrap().iter().map(|version| version["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["added", "deleted"]);
    assert_eq!(writer.refused("memory:semantic:delete", json!({ "ruleId": rule["id"] })).0, "MEMORY_NOT_FOUND");
}

#[test]
fn every_subscriber_gets_an_event_about_a_change() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.wait_for_event("memory:changed");
    add_rule(&writer, Some(&project), "句子要短");
    assert_eq!(writer.wait_for_event("memory:changed"), json!({ "projectId": project, "what": ["rules"] }));
}

#[test]
fn with_the_past_unreadable_rules_still_list_edit_and_go_into_the_prompt() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = add_rule(&writer, Some(&project), "句子要短");
    let episodes = writer.data_dir().join("episodes.db");
    // The episodes file is corrupted between closing and opening the memory.
    let writer = {
        let spoil = episodes.clone();
        writer.restarted_after(move || std::fs::write(spoil, b"not a database, whatever it says".repeat(200)).unwrap())
    };
    assert_eq!(listed(&writer, json!({ "projectId": project })), ["句子要短"]);
    writer.ask("memory:semantic:update", json!({ "ruleId": rule["id"], "version": 1, "rule": "句子不超过十五字" }));
    let context = writer.ask("memory:context:assemble", passage(&project, "夜。"));
    assert!(sent(&context).contains("句子不超过十五字"));
    assert_eq!(context["memoryDegraded"], true);
    let reason = &context["degradedReasons"][0];
    assert_eq!(reason["code"], "pastUnavailable");
    assert!(text(reason, "message").starts_with("past examples unavailable"));
    let (_, done) = writer.run(passage(&project, "夜。"));
    assert_eq!(done["status"], "finished");
    let answer = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "夜" }));
    assert_eq!(answer["degraded"], true);
    assert_eq!(writer.ask("memory:status", json!({}))["degraded"], true);
    assert_eq!(std::fs::read(&episodes).unwrap().len(), 32 * 200, "the spoilt file is left as it is");
}

#[test]
fn white_space_in_a_rule_is_normalised_when_it_is_stored_and_chinese_text_gets_no_space() {
    let writer = Writer::new();
    let project = writer.book("High Water", "en");
    let rule = add_rule(&writer, Some(&project), "  Keep\u{a0}  sentences   short ");
    assert_eq!(rule["rule"], "Keep sentences short");
    let edit = |version: u64, words: &str| {
        let edit = json!({ "ruleId": rule["id"], "version": version, "rule": words });
        text(&writer.ask("memory:semantic:update", edit), "rule")
    };
    assert_eq!(edit(1, "　句子　　要短，别用“突然”。 "), "句子 要短，别用“突然”。");
    assert_eq!(edit(2, "句子要短，别用“突然”。"), "句子要短，别用“突然”。");
    assert_eq!(edit(3, "Keep  sentences  short"), "Keep sentences short");
    // Rules that differ only in white space are the same: a page import recognises the rule, and a prompt has it once.
    let page = writer.path_beside("rules.md");
    std::fs::write(&page, "## Style\n\n- Keep   sentences　short\n- Never   explain  a joke\n").unwrap();
    let args = json!({ "path": page, "projectId": project, "format": "markdown", "dryRun": false });
    let taken = writer.ask("memory:import", args)["kinds"][0].clone();
    assert_eq!((&taken["same"], &taken["new"]), (&json!(1), &json!(1)));
    assert_eq!(listed(&writer, json!({ "projectId": project })), ["Keep sentences short", "Never explain a joke"]);
}

#[test]
fn a_rule_of_a_file_comes_in_with_its_white_space_normalised_and_is_the_same_as_the_one_that_is_here() {
    let writer = Writer::new();
    let project = writer.book("High Water", "en");
    add_rule(&writer, Some(&project), "Keep sentences short");
    let path = writer.path_beside("memory.jsonl");
    writer.ask("memory:export", json!({ "path": path, "projectId": project }));
    let spaced = std::fs::read_to_string(&path).unwrap().replace("Keep sentences short", " Keep  sentences　short ");
    std::fs::write(&path, spaced).unwrap();
    let import = json!({ "path": path, "dryRun": false });
    let twice = writer.ask("memory:import", import.clone());
    let kinds = twice["kinds"].as_array().unwrap();
    assert!(kinds.iter().all(|kind| [&kind["new"], &kind["newer"], &kind["conflicting"]] == [0, 0, 0]), "{twice}");
    let other = Writer::new();
    other.ask("memory:import", import);
    assert_eq!(listed(&other, json!({ "projectId": project })), ["Keep sentences short"]);
    let history = other.ask("memory:semantic:list", json!({ "projectId": project }))["rules"][0]["id"].clone();
    let history = other.ask("memory:semantic:history", json!({ "ruleId": history }));
    assert_eq!(history["versions"][0]["rule"], "Keep sentences short");
}
