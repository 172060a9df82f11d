//! Undoing a run: every rule returns to its previous state, and the same evidence alone does not repeat the change.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    add_rule,
    learning::{Life, Taste, about},
    runs::{length, runs},
    with_field, writers_word,
};

/// Rules with their evidence in a comparable order, without version and time of update.
fn sentences_of(rules: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = rules
        .iter()
        .map(|rule| {
            let mut rule = with_field(with_field(rule.clone(), "version", Value::Null), "updatedAt", Value::Null);
            for side in ["supportingEpisodes", "contradictingEpisodes"] {
                rule[side].as_array_mut().unwrap().sort_by_key(Value::to_string);
            }
            rule
        })
        .collect();
    all.sort_by_key(|rule| text(rule, "id"));
    all
}

/// Runs a distillation to its end. A run that waits for approval is approved.
#[track_caller]
pub(crate) fn rules_in_agreement(life: &Life<'_>) -> Value {
    let run = life.distil();
    if run["status"] != "waiting" {
        return run;
    }
    let run = life.writer.ask("memory:distill:approve", json!({ "runId": run["runId"] }));
    let diff = run["changes"].clone();
    with_field(run, "diff", diff)
}

#[test]
fn a_run_taken_back_leaves_every_rule_exactly_as_it_was() {
    for (language, seed) in [("zh", 65), ("en", 66)] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, seed);
        life.choose_often(36, "action", Taste::Short);
        life.distil();
        let confirmed = add_rule(&writer, Some(&life.project), "林远从不喝酒");
        let before = life.rules();
        // These choices strengthen one rule, add others, and lower the numbers of some.
        for n in 0..24 {
            life.choose("action", if n % 5 == 4 { Taste::Long } else { Taste::Short });
            life.choose("description", Taste::Long);
        }
        let run = rules_in_agreement(&life);
        let committed: Vec<Value> = runs(&writer, Some(&life.project));
        let since: Vec<String> =
            committed.iter().filter(|run| run["status"] == "committed").map(|run| text(run, "runId")).collect();
        assert!(since.len() >= 2, "{run}");
        assert_ne!(sentences_of(&life.rules()), sentences_of(&before), "{language}");
        // Newest first, all but the very first.
        for run in &since[..since.len() - 1] {
            assert_eq!(writer.ask("memory:distill:undo", json!({ "runId": run }))["status"], "undone");
        }
        assert_eq!(sentences_of(&life.rules()), sentences_of(&before), "{language}");
        assert!(life.rules().iter().any(|rule| rule["id"] == confirmed["id"]));
        writer.ask("memory:distill:undo", json!({ "runId": since[since.len() - 1] }));
        let left = life.rules();
        assert_eq!(left.iter().map(|rule| &rule["id"]).collect::<Vec<_>>(), [&confirmed["id"]]);
    }
}

#[test]
fn a_rule_that_the_writer_restored_is_not_withdrawn_again_without_new_evidence() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 67);
    let episodes: Vec<String> = (0..36).map(|_| life.choose("action", Taste::Short)).collect();
    life.distil();
    for episode in &episodes[5..] {
        writer.ask("memory:episode:delete", json!({ "projectId": life.project, "episodeId": episode }));
    }
    let before = life.rules();
    let run = rules_in_agreement(&life);
    assert_eq!(about(&life.rules(), "length"), Vec::<&Value>::new());
    writer.ask("memory:distill:undo", json!({ "runId": run["runId"] }));
    assert_eq!(sentences_of(&life.rules()), sentences_of(&before));
    assert_eq!(life.distil()["status"], "nothing");
    assert_eq!(sentences_of(&life.rules()), sentences_of(&before));
    for _ in 0..2 {
        // Agreeing evidence is no reason to retire the rule.
        life.choose_often(1, "action", Taste::Short);
        assert_eq!(life.distil()["status"], "nothing");
    }
    assert_eq!(about(&life.rules(), "length").len(), 1);
    // Much disagreeing evidence is a reason: too little for drift, which would retire the rule, but more than chance.
    life.choose_often(6, "action", Taste::Long);
    rules_in_agreement(&life);
    assert!(about(&life.rules(), "length").iter().all(|rule| rule["pattern"]["direction"] == 1), "{:#?}", life.rules());
}

#[test]
fn a_rule_that_stepped_back_and_was_put_back_does_not_step_back_on_the_same_evidence() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "夜航", "zh", 68);
    life.choose_often(36, "action", Taste::Long);
    life.distil();
    let rule = length(&life.rules()).unwrap();
    let now = |life: &Life<'_>| life.rules().into_iter().find(|one| one["id"] == rule["id"]).unwrap();
    let mut run = Value::Null;
    for _ in 0..30 {
        life.choose_often(1, "action", Taste::Short);
        run = rules_in_agreement(&life);
        let now = now(&life);
        if now["standing"] != "active" || now["pattern"] != rule["pattern"] {
            break;
        }
    }
    let change = run["diff"].as_array().unwrap().iter().find(|change| change["ruleId"] == rule["id"]).unwrap();
    assert!(["steppedBack", "replaced"].contains(&change["kind"].as_str().unwrap()), "{change}");
    writer.ask("memory:distill:undo", json!({ "runId": run["runId"] }));
    for _ in 0..2 {
        rules_in_agreement(&life);
        let now = now(&life);
        assert_eq!((&now["standing"], &now["pattern"]), (&json!("active"), &rule["pattern"]), "{:#?}", life.rules());
        assert_eq!(about(&life.rules(), "length").len(), 1, "the opposite is asked at most");
        life.choose_often(1, "action", Taste::Long);
    }
    // Continued choices of the same kind do change the rule.
    for _ in 0..8 {
        life.choose_often(4, "action", Taste::Short);
        rules_in_agreement(&life);
    }
    assert!(about(&life.rules(), "length").iter().all(|now| now["pattern"] != rule["pattern"]), "{:#?}", life.rules());
}

#[test]
fn a_rule_that_returned_and_was_rejected_again_is_at_most_suggested() {
    let writer = Writer::new();
    let (mut life, rule) = writers_word::learned(&writer, 69);
    let shown = writer.ask("memory:semantic:evidence", json!({ "ruleId": rule["id"], "projectId": life.project }));
    for episode in shown["episodes"].as_array().unwrap().iter().skip(5) {
        let delete = json!({ "projectId": life.project, "episodeId": episode["episodeId"] });
        writer.ask("memory:episode:delete", delete);
    }
    rules_in_agreement(&life);
    assert_eq!(about(&life.rules(), "length"), Vec::<&Value>::new());
    life.choose_often(36, "action", Taste::Short);
    let back = rules_in_agreement(&life);
    let change = back["diff"].as_array().unwrap().iter().find(|change| change["ruleId"] == rule["id"]).unwrap();
    assert_eq!(change["kind"], "returned", "{back}");
    writer.ask("memory:distill:undo", json!({ "runId": back["runId"] }));
    for _ in 0..2 {
        life.distil();
        assert_eq!(about(&life.rules(), "length"), Vec::<&Value>::new());
    }
    assert_eq!(length(&life.rules()).unwrap()["standing"], "proposed");
}
