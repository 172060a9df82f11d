//! Conflicting rules: detected, shown to the writer, and resolved.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    add_rule,
    learning::{Life, Taste, about},
    passage, sent, with_field,
};

fn open_conflicts(writer: &Writer, project: &str) -> Vec<Value> {
    writer.ask("memory:conflict:list", json!({ "projectId": project }))["conflicts"].as_array().unwrap().clone()
}

/// Adds a rule by hand with the feature `sentenceLength`.
fn sentences(writer: &Writer, project: Option<&str>, words: &str, direction: i64, scene: Option<&str>) -> Value {
    let scope = if project.is_some() { "project" } else { "global" };
    writer.ask(
        "memory:semantic:add",
        json!({ "rule": words, "category": "style", "scope": scope, "projectId": project, "sceneType": scene,
            "dimension": { "pattern": { "feature": "sentenceLength", "direction": direction, "threshold": null } } }),
    )
}

#[test]
fn two_contradicting_rules_are_asked_about_and_the_one_not_chosen_is_deleted() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let long = sentences(&writer, Some(&project), "偏好长句", 1, None);
    assert!(open_conflicts(&writer, &project).is_empty());
    let short = sentences(&writer, Some(&project), "偏好短句", -1, None);
    let asked = open_conflicts(&writer, &project);
    assert_eq!(asked.len(), 1);
    let both = [&asked[0]["first"]["id"], &asked[0]["second"]["id"]];
    assert!(both.contains(&&long["id"]) && both.contains(&&short["id"]));
    // Until the conflict is resolved, only one of the two rules enters a prompt.
    let prompt = sent(&writer.ask("memory:context:assemble", passage(&project, "夜。")));
    assert!(prompt.contains("偏好长句") != prompt.contains("偏好短句"), "{prompt}");
    let odd = json!({ "conflictId": asked[0]["conflictId"], "keepRuleId": "another" });
    assert_eq!(writer.refused("memory:conflict:resolve", odd).1, "keepRuleId");
    let answer = json!({ "conflictId": asked[0]["conflictId"], "keepRuleId": short["id"] });
    let kept = writer.ask("memory:conflict:resolve", answer.clone());
    assert_eq!((&kept["id"], &kept["userConfirmed"]), (&short["id"], &json!(true)));
    assert!(open_conflicts(&writer, &project).is_empty());
    let rules = crate::learning::rules(&writer, Some(&project));
    assert_eq!(rules.iter().map(|rule| text(rule, "rule")).collect::<Vec<_>>(), ["偏好短句"]);
    assert_eq!(writer.refused("memory:conflict:resolve", answer).0, "MEMORY_NOT_FOUND");
}

#[test]
fn rules_in_words_are_understood_well_enough_to_be_seen_to_contradict() {
    let writer = Writer::new();
    for (language, one, other) in [
        ("zh", "多用长句", "多用短句"),
        ("zh", "使用第一人称叙述", "使用第三人称叙述"),
        ("en", "Prefer long sentences", "Prefer short sentences"),
    ] {
        let project = writer.book("夜航", language);
        add_rule(&writer, Some(&project), one);
        add_rule(&writer, Some(&project), other);
        assert_eq!(open_conflicts(&writer, &project).len(), 1, "{one} / {other}");
    }
}

#[test]
fn another_scene_an_exception_or_another_book_is_no_contradiction() {
    let writer = Writer::new();
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    sentences(&writer, Some(&one), "动作里要短", -1, Some("action"));
    sentences(&writer, Some(&one), "对话里要长", 1, Some("dialogue"));
    sentences(&writer, Some(&one), "别处要长", 1, None);
    sentences(&writer, Some(&other), "这里要短", -1, None);
    assert!(open_conflicts(&writer, &one).is_empty() && open_conflicts(&writer, &other).is_empty());
}

#[test]
fn a_rule_of_the_book_silences_the_global_one_there_and_nowhere_else() {
    let writer = Writer::new();
    let (one, other) = (writer.book("科幻短篇", "zh"), writer.book("别的", "zh"));
    sentences(&writer, None, "句子要长", 1, None);
    sentences(&writer, Some(&one), "句子要短", -1, None);
    assert!(open_conflicts(&writer, &one).is_empty());
    let context = writer.ask("memory:context:assemble", passage(&one, "夜。"));
    assert!(sent(&context).contains("句子要短") && !sent(&context).contains("句子要长"));
    let cut = context["cut"].as_array().unwrap();
    assert!(cut.iter().any(|item| item["reason"] == "overruled" && text(item, "text").contains("句子要长")), "{cut:?}");
    assert!(sent(&writer.ask("memory:context:assemble", passage(&other, "夜。"))).contains("句子要长"));
}

#[test]
fn a_conflict_ends_by_itself_when_one_rule_changes_or_is_deleted() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    sentences(&writer, Some(&project), "要长", 1, None);
    let short = sentences(&writer, Some(&project), "要短", -1, None);
    assert_eq!(open_conflicts(&writer, &project).len(), 1);
    let narrowed = json!({ "ruleId": short["id"], "version": 1, "sceneType": "action" });
    writer.ask("memory:semantic:update", narrowed);
    assert!(open_conflicts(&writer, &project).is_empty());
    writer.ask("memory:semantic:undo", json!({ "ruleId": short["id"] }));
    assert_eq!(open_conflicts(&writer, &project).len(), 1);
    writer.ask("memory:semantic:delete", json!({ "ruleId": short["id"] }));
    assert!(open_conflicts(&writer, &project).is_empty());
}

#[test]
fn evidence_against_a_confirmed_rule_is_asked_and_not_put_in_force() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 31);
    let said = writer.ask(
        "memory:semantic:add",
        json!({ "rule": "Take your time in a fight", "category": "pacing", "scope": "project",
            "projectId": life.project, "sceneType": "action",
            "dimension": { "pattern": { "feature": "length", "direction": 1, "threshold": null } } }),
    );
    life.choose_often(40, "action", Taste::Short);
    life.distil();
    let rules = life.rules();
    assert!(about(&rules, "length").iter().all(|rule| rule["id"] == said["id"]), "{rules:#?}");
    let proposed: Vec<&Value> =
        rules.iter().filter(|rule| rule["pattern"]["feature"] == "length" && rule["standing"] == "proposed").collect();
    assert_eq!(proposed.len(), 1, "{rules:#?}");
    let asked = open_conflicts(&writer, &life.project);
    assert_eq!(asked.len(), 1);
    let now = rules.iter().find(|rule| rule["id"] == said["id"]).unwrap();
    assert_eq!((&now["challenged"], &now["confidence"]), (&json!(true), &json!(1.0)));
    let request = with_field(passage(&life.project, "He ran."), "sceneType", json!("action"));
    assert!(sent(&writer.ask("memory:context:assemble", request)).contains("Take your time in a fight"));
    let answer = json!({ "conflictId": asked[0]["conflictId"], "keepRuleId": proposed[0]["id"] });
    let kept = writer.ask("memory:conflict:resolve", answer);
    assert_eq!((&kept["standing"], &kept["userConfirmed"]), (&json!("active"), &json!(true)));
}

#[test]
fn evidence_of_one_book_against_a_confirmed_global_rule_is_asked_and_decided_for_that_book_alone() {
    for keeps_the_books in [true, false] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "High Water", "en", 32);
        let other = writer.book("Low Water", "en");
        let said = writer.ask(
            "memory:semantic:add",
            json!({ "rule": "Take your time in a fight", "category": "pacing", "scope": "global", "projectId": null,
                "sceneType": "action",
                "dimension": { "pattern": { "feature": "length", "direction": 1, "threshold": null } } }),
        );
        life.choose_often(40, "action", Taste::Short);
        life.distil();
        let rules = life.rules();
        let found =
            rules.iter().find(|rule| rule["pattern"]["feature"] == "length" && rule["id"] != said["id"]).unwrap();
        assert_eq!((&found["standing"], &found["projectId"]), (&json!("proposed"), &json!(life.project)));
        let asked = open_conflicts(&writer, &life.project);
        assert_eq!(asked.len(), 1);
        let both = [&asked[0]["first"]["id"], &asked[0]["second"]["id"]];
        assert!(both.contains(&&said["id"]) && both.contains(&&found["id"]));
        let borne_out: usize =
            ["first", "second"].iter().map(|side| asked[0][side]["supportingEpisodes"].as_array().unwrap().len()).sum();
        assert_eq!(borne_out, 40, "with its episodes");
        assert!(open_conflicts(&writer, &other).is_empty(), "no other book hears of it");
        life.distil();
        assert_eq!(open_conflicts(&writer, &life.project), asked, "asked once");

        let keep = if keeps_the_books { &found["id"] } else { &said["id"] };
        let answer = json!({ "conflictId": asked[0]["conflictId"], "keepRuleId": keep });
        let kept = writer.ask("memory:conflict:resolve", answer);
        assert_eq!((&kept["id"], &kept["userConfirmed"], &kept["standing"]), (keep, &json!(true), &json!("active")));
        assert!(open_conflicts(&writer, &life.project).is_empty());
        let prompt = |project: &str| {
            let request = with_field(passage(project, "He ran."), "sceneType", json!("action"));
            sent(&writer.ask("memory:context:assemble", request))
        };
        assert_eq!(prompt(&life.project).contains("Take your time in a fight"), !keeps_the_books);
        assert!(prompt(&other).contains("Take your time in a fight"), "it holds in the other books as before");
        life.choose_often(5, "action", Taste::Short);
        life.distil();
        assert!(open_conflicts(&writer, &life.project).is_empty(), "and is not asked again");
    }
}

#[test]
fn a_question_about_a_book_is_void_when_the_global_rule_changes_or_is_deleted() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "夜航", "zh", 33);
    let said = writer.ask(
        "memory:semantic:add",
        json!({ "rule": "打斗要写得从容", "category": "pacing", "scope": "global", "projectId": null, "sceneType": "action",
            "dimension": { "pattern": { "feature": "length", "direction": 1, "threshold": null } } }),
    );
    life.choose_often(40, "action", Taste::Short);
    life.distil();
    assert_eq!(open_conflicts(&writer, &life.project).len(), 1);
    let rules = life.rules();
    let version = &rules.iter().find(|rule| rule["id"] == said["id"]).unwrap()["version"];
    let elsewhere = json!({ "ruleId": said["id"], "version": version, "sceneType": "dialogue" });
    writer.ask("memory:semantic:update", elsewhere);
    assert!(open_conflicts(&writer, &life.project).is_empty());
    // The conflict is open again as soon as the rule has its previous scene type.
    writer.ask("memory:semantic:undo", json!({ "ruleId": said["id"] }));
    assert_eq!(open_conflicts(&writer, &life.project).len(), 1);
    writer.ask("memory:semantic:delete", json!({ "ruleId": said["id"] }));
    assert!(open_conflicts(&writer, &life.project).is_empty());
}
