//! The writer's decisions on learned rules, which outrank all measurements.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    add_rule,
    learning::{Life, Taste, about},
    passage, sent,
};

/// A book with a rule about short passages in action scenes, and that rule.
pub(crate) fn learned(writer: &Writer, seed: u64) -> (Life<'_>, Value) {
    let mut life = Life::new(writer, "High Water", "en", seed);
    life.choose_often(40, "action", Taste::Short);
    life.distil();
    let rule = about(&life.rules(), "length").first().map(|rule| (*rule).clone()).expect("a rule");
    (life, rule)
}

#[test]
fn a_deleted_rule_never_returns_automatically_with_any_amount_of_evidence() {
    let writer = Writer::new();
    let (mut life, rule) = learned(&writer, 21);
    let deleted = life.rules();
    for gone in &deleted {
        writer.ask("memory:semantic:delete", json!({ "ruleId": gone["id"] }));
    }
    for _ in 0..6 {
        life.distil();
        for gone in &deleted {
            let feature = gone["pattern"]["feature"].as_str().unwrap();
            assert_eq!(about(&life.rules(), feature), Vec::<&Value>::new());
        }
        life.choose_often(10, "action", Taste::Short);
    }
    // The evidence after the deletion is strong, which allows one proposal.
    life.distil();
    let rules = life.rules();
    let asked: Vec<&Value> = rules.iter().filter(|one| one["pattern"] == rule["pattern"]).collect();
    assert!(asked.len() <= 1 && asked.iter().all(|one| one["standing"] == "proposed"), "{asked:#?}");
    let prompt = sent(&writer.ask(
        "memory:context:assemble",
        crate::with_field(passage(&life.project, "He ran."), "sceneType", json!("action")),
    ));
    assert!(asked.iter().all(|one| !prompt.contains(&text(one, "rule"))));
    // After a second deletion, the same evidence leads to no proposal.
    for one in &asked {
        writer.ask("memory:semantic:delete", json!({ "ruleId": one["id"] }));
    }
    life.distil();
    assert!(life.rules().iter().all(|one| one["pattern"] != rule["pattern"]));
}

#[test]
fn a_deletion_can_be_undone_and_the_rule_continues_unchanged() {
    let writer = Writer::new();
    let (life, rule) = learned(&writer, 22);
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    let back = writer.ask("memory:semantic:undo", json!({ "ruleId": rule["id"] }));
    assert_eq!((&back["rule"], &back["standing"]), (&rule["rule"], &json!("active")));
    life.distil();
    let rules = life.rules();
    let again = about(&rules, "length")[0];
    assert_eq!((&again["id"], &again["supportingEpisodes"]), (&rule["id"], &rule["supportingEpisodes"]));
    let history = writer.ask("memory:semantic:history", json!({ "ruleId": rule["id"] }));
    let changes: Vec<&str> =
        history["versions"].as_array().unwrap().iter().map(|version| version["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["learned", "deleted", "restored"]);
}

#[test]
fn a_confirmed_rule_does_not_change_and_contrary_evidence_is_only_reported() {
    let writer = Writer::new();
    let (mut life, rule) = learned(&writer, 23);
    let args = json!({ "ruleId": rule["id"], "version": rule["version"] });
    let confirmed = writer.ask("memory:semantic:confirm", args);
    for _ in 0..8 {
        life.choose_often(5, "action", Taste::Long);
        life.distil();
    }
    let rules = life.rules();
    let now = rules.iter().find(|one| one["id"] == rule["id"]).expect("the rule");
    for field in ["rule", "confidence", "confidenceLow", "standing", "evidenceCount", "pattern", "userConfirmed"] {
        assert_eq!(now[field], confirmed[field], "{field}");
    }
    assert_eq!(now["challenged"], true);
    assert_eq!(about(&rules, "length").len(), 1, "the opposite is asked at most: {rules:#?}");
}

#[test]
fn an_edited_rule_keeps_its_words_and_its_evidence() {
    let writer = Writer::new();
    let (mut life, rule) = learned(&writer, 24);
    let edit = json!({ "ruleId": rule["id"], "version": rule["version"], "rule": "In a fight, be brief" });
    writer.ask("memory:semantic:update", edit);
    life.choose_often(10, "action", Taste::Short);
    life.distil();
    let rules = life.rules();
    let now = rules.iter().find(|one| one["id"] == rule["id"]).expect("the rule");
    assert_eq!((&now["rule"], &now["userModified"]), (&json!("In a fight, be brief"), &json!(true)));
    assert_eq!((&now["pattern"], &now["evidenceCount"]), (&rule["pattern"], &json!(50)));
    let back = writer.ask("memory:semantic:undo", json!({ "ruleId": rule["id"] }));
    assert_eq!(back["rule"], rule["rule"]);
}

#[test]
fn the_matter_of_a_rule_in_words_is_shown_and_can_be_corrected() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = add_rule(&writer, Some(&project), "多用短句");
    assert_eq!(rule["patternBy"], "lexicon", "{rule}");
    let nothing = json!({ "ruleId": rule["id"], "version": 1, "dimension": { "pattern": null } });
    let corrected = writer.ask("memory:semantic:update", nothing);
    assert_eq!((&corrected["pattern"], &corrected["patternBy"]), (&Value::Null, &json!("writer")));
    let odd = json!({ "ruleId": rule["id"], "version": 2,
        "dimension": { "pattern": { "feature": "mood", "direction": 1, "threshold": null } } });
    assert_eq!(writer.refused("memory:semantic:update", odd).1, "dimension.pattern.feature");
}

#[test]
fn the_evidence_of_a_rule_is_shown_to_its_own_book_only() {
    let writer = Writer::new();
    let (life, rule) = learned(&writer, 25);
    let of = |project: &str| json!({ "ruleId": rule["id"], "projectId": project });
    let shown = writer.ask("memory:semantic:evidence", of(&life.project));
    let episodes = shown["episodes"].as_array().unwrap();
    assert_eq!(episodes.len(), 40);
    assert!(episodes.iter().all(|one| one["agrees"] == true && !text(one, "after").is_empty()));
    let (before, after) = (&episodes[0]["measured"][0], &episodes[0]["measured"][1]);
    assert!(before.as_f64().unwrap() > after.as_f64().unwrap());
    // The final texts are unchanged, so each episode is a choice, shown with its rejected candidates.
    let left = |one: &serde_json::Value| one["passedOver"].as_array().unwrap().clone();
    assert!(episodes.iter().all(|one| one["before"] == one["after"] && !left(one).is_empty()), "{shown}");
    assert!(episodes.iter().all(|one| !left(one).contains(&one["after"])));
    let foreign = writer.book("Low Water", "en");
    assert_eq!(writer.refused("memory:semantic:evidence", of(&foreign)).0, "MEMORY_SCOPE_DENIED");
}

#[test]
fn there_is_room_for_five_hundred_rules_and_none_that_was_confirmed_makes_room() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..500 {
        add_rule(&writer, Some(&project), &format!("第{n}条：某人从不提起往事"));
    }
    let draft = json!({ "rule": "再来一条", "category": "style", "scope": "project", "projectId": project });
    assert_eq!(writer.refused("memory:semantic:add", draft).0, "MEMORY_CAPACITY_EXCEEDED");
    add_rule(&writer, None, "另一处还有位置");
}
