//! Distillation: from the writer's choices to rules, and into the next prompt.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    learning::{Life, Taste, about, distil, rules},
    passage,
    runs::runs,
    sent, with_field,
};

/// The changes of a run without rule identities, which differ from run to run.
fn diff(run: &Value) -> Vec<Value> {
    let anonymous =
        |rule: &Value| if rule.is_null() { Value::Null } else { with_field(rule.clone(), "id", Value::Null) };
    let changes = run["diff"].as_array().unwrap();
    changes
        .iter()
        .map(|change| json!([change["kind"], anonymous(&change["before"]), anonymous(&change["after"])]))
        .collect()
}

/// A book with rules about short passages in action scenes.
fn learned<'a>(writer: &'a Writer, title: &str, seed: u64) -> Life<'a> {
    let mut life = Life::new(writer, title, "en", seed);
    life.choose_often(40, "action", Taste::Short);
    assert!(!["failed", "waiting"].contains(&life.distil()["status"].as_str().unwrap()));
    assert_eq!(about(&life.rules(), "length").len(), 1, "{:#?}", life.rules());
    life
}

fn run_ids(writer: &Writer, project: &str, status: &str) -> Vec<String> {
    let runs = writer.ask("memory:distill:list", json!({ "projectId": project }));
    let runs = runs["runs"].as_array().unwrap();
    runs.iter().filter(|run| run["status"] == status).map(|run| text(run, "runId")).collect()
}

/// Records fifty episodes, thirty-five of them in action scenes.
fn fifty(life: &mut Life<'_>, in_action: Taste) {
    for n in 0..50 {
        if n % 10 < 7 {
            life.choose("action", in_action);
        } else {
            life.choose("dialogue", Taste::Neither);
        }
    }
}

#[test]
fn thirty_five_action_scenes_of_fifty_in_which_the_shorter_was_taken_become_a_rule_in_the_next_prompt() {
    for (language, seed) in [("zh", 1), ("en", 2)] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, seed);
        fifty(&mut life, Taste::Short);
        life.distil();
        let rules = life.rules();
        let learned: Vec<&Value> = rules.iter().filter(|rule| rule["standing"] == "active").collect();
        let found = learned.iter().find(|rule| {
            rule["sceneType"] == "action" && ["pacing", "style"].contains(&rule["category"].as_str().unwrap())
        });
        let rule = found.unwrap_or_else(|| panic!("{language}: {rules:#?}"));
        assert!(rule["confidence"].as_f64().unwrap() >= 0.85, "{rule}");
        assert_eq!((&rule["userConfirmed"], &rule["origin"]), (&json!(false), &json!("distilled")));
        assert_eq!(rule["pattern"]["direction"], -1, "{rule}");
        assert_eq!(rule["supportingEpisodes"].as_array().unwrap().len(), 35, "{rule}");
        let request = with_field(passage(&life.project, "夜。"), "sceneType", json!("action"));
        let prompt = sent(&writer.ask("memory:context:assemble", request));
        assert!(prompt.contains(&text(rule, "rule")), "{prompt}");
        let elsewhere = with_field(passage(&life.project, "夜。"), "sceneType", json!("dialogue"));
        assert!(!sent(&writer.ask("memory:context:assemble", elsewhere)).contains(&text(rule, "rule")));
    }
}

#[test]
fn a_writer_who_picks_at_random_is_given_no_rule_however_often_it_is_looked() {
    for (language, seed) in [("zh", 3), ("en", 4), ("zh", 5), ("en", 6)] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, seed);
        for _ in 0..10 {
            fifty_of_a_fifth(&mut life);
            let run = life.distil();
            assert!(["nothing", "committed"].contains(&run["status"].as_str().unwrap()), "{run}");
            assert_eq!(life.rules(), Vec::<Value>::new(), "{language}");
        }
        assert_eq!(about(&life.rules(), "length").len(), 0);
    }
}

fn fifty_of_a_fifth(life: &mut Life<'_>) {
    life.choose_often(4, "action", Taste::Neither);
    life.choose_often(1, "dialogue", Taste::Neither);
}

#[test]
fn a_run_does_what_its_dry_run_showed_and_the_dry_run_changed_nothing() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 7);
    life.choose_often(40, "action", Taste::Short);
    let shown = distil(&writer, json!({ "projectId": life.project, "dryRun": true }));
    assert_eq!(shown["status"], "dryRun");
    assert!(!diff(&shown).is_empty());
    assert_eq!(life.rules(), Vec::<Value>::new());
    assert_eq!(writer.ask("memory:distill:list", json!({ "projectId": life.project }))["runs"], json!([]));
    let done = life.distil();
    assert_eq!(done["status"], "committed");
    assert_eq!(diff(&done), diff(&shown));
    assert_eq!(life.distil()["status"], "nothing");
    assert_eq!(life.distil()["reason"]["kind"], "nothingNew");
}

#[test]
fn fifty_new_episodes_start_a_distillation_automatically_and_its_progress_is_sent_as_events() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 8);
    life.choose_often(50, "action", Taste::Short);
    let mut stages = Vec::new();
    loop {
        let progress = writer.wait_for_event("memory:distill:progress");
        assert_eq!(progress["projectId"], json!(life.project));
        stages.push(text(&progress, "stage"));
        if progress["stage"] == "done" {
            assert_eq!(progress["message"], "committed");
            break;
        }
    }
    stages.dedup();
    assert_eq!(stages, ["gathering", "testing", "wording", "reconciling", "committing", "done"]);
    assert_eq!(about(&life.rules(), "length").len(), 1);
    let runs = writer.ask("memory:distill:list", json!({ "projectId": life.project }));
    assert_eq!(runs["runs"][0]["cause"], "episodes");
}

#[test]
fn an_editor_left_alone_for_five_minutes_is_a_cause() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 9);
    life.choose_often(30, "action", Taste::Short);
    writer.ask("memory:editor:activity", json!({ "projectId": life.project }));
    writer.clock.advance_millis(5 * 60_000 + 1);
    writer.api.clock_moved();
    while writer.wait_for_event("memory:distill:progress")["stage"] != "done" {}
    let runs = writer.ask("memory:distill:list", json!({ "projectId": life.project }));
    assert_eq!(runs["runs"][0]["cause"], "idle");
}

#[test]
fn while_learning_is_paused_no_run_begins_and_episodes_recorded_meanwhile_are_no_evidence() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 10);
    assert_eq!(writer.ask("memory:learning:pause", json!({}))["learningPaused"], true);
    life.choose_often(45, "action", Taste::Short);
    let refused = writer.refused("memory:semantic:distill", json!({ "projectId": life.project, "wait": true }));
    assert_eq!(refused.0, "MEMORY_LEARNING_PAUSED");
    let list = writer.ask("memory:semantic:list", json!({ "projectId": life.project }));
    assert_eq!((&list["learningPaused"], &list["episodesRecorded"]), (&json!(true), &json!(45)));
    writer.ask("memory:learning:resume", json!({}));
    let run = life.distil();
    assert_eq!((&run["status"], &run["reason"]["kind"]), (&json!("nothing"), &json!("noEvidence")));
    life.choose_often(40, "action", Taste::Short);
    life.distil();
    assert_eq!(about(&life.rules(), "length")[0]["evidenceCount"], 40);
}

#[test]
fn episodes_recorded_in_a_pause_count_if_the_writer_chooses_so_on_resuming() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 11);
    writer.ask("memory:learning:pause", json!({}));
    life.choose_often(40, "action", Taste::Short);
    writer.ask("memory:learning:resume", json!({ "useRecorded": true }));
    life.distil();
    assert_eq!(about(&life.rules(), "length").len(), 1);
}

#[test]
fn after_a_change_from_long_to_short_the_rule_states_the_new_preference_and_its_history_the_old() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "夜航", "zh", 12);
    life.choose_often(40, "action", Taste::Long);
    life.distil();
    let before = about(&life.rules(), "length")[0].clone();
    assert_eq!(before["pattern"]["direction"], 1);
    let mut turned = None;
    for _ in 0..8 {
        life.choose_often(5, "action", Taste::Short);
        life.distil();
        turned = about(&life.rules(), "length").first().map(|rule| (*rule).clone());
        if turned.as_ref().is_some_and(|rule| rule["pattern"]["direction"] == -1) {
            break;
        }
    }
    let after = turned.expect("a rule");
    assert_eq!((&after["id"], &after["pattern"]["direction"]), (&before["id"], &json!(-1)));
    assert_eq!(after["recentlyUpdated"], true);
    let history = writer.ask("memory:semantic:history", json!({ "ruleId": after["id"] }));
    let versions = history["versions"].as_array().unwrap();
    let replaced = versions.iter().position(|version| version["change"] == "replaced").expect("replaced");
    assert_eq!(versions[0]["rule"], before["rule"]);
    assert!(!versions[replaced]["runId"].is_null() && versions[replaced]["rule"] != before["rule"]);
}

#[test]
fn facts_about_something_else_retire_nothing() {
    let writer = Writer::new();
    let mut life = learned(&writer, "High Water", 13);
    let before = about(&life.rules(), "length")[0].clone();
    life.choose_often(20, "dialogue", Taste::Long);
    life.distil();
    life.choose_often(20, "description", Taste::Neither);
    life.distil();
    let after = life.rules();
    let after = after.iter().find(|rule| rule["id"] == before["id"]).expect("the rule");
    assert_eq!((&after["standing"], &after["pattern"]), (&json!("active"), &before["pattern"]));
}

#[test]
fn opposite_tastes_in_two_scenes_are_two_rules_and_no_conflict() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 14);
    for _ in 0..40 {
        life.choose("action", Taste::Short);
        life.choose("description", Taste::Long);
    }
    life.distil();
    let rules = life.rules();
    let mut found: Vec<(&str, i64)> = about(&rules, "length")
        .iter()
        .map(|rule| (rule["sceneType"].as_str().unwrap(), rule["pattern"]["direction"].as_i64().unwrap()))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [("action", -1), ("description", 1)]);
    assert_eq!(writer.ask("memory:conflict:list", json!({ "projectId": life.project }))["conflicts"], json!([]));
}

#[test]
fn a_preference_of_two_books_becomes_global_and_cites_no_episode_of_the_first() {
    let writer = Writer::new();
    let one = learned(&writer, "High Water", 15);
    let other = learned(&writer, "Low Water", 16);
    let global = rules(&writer, None);
    let shared = about(&global, "length");
    assert_eq!(shared.len(), 1, "{global:#?}");
    assert_eq!(shared[0]["supportingEpisodes"], json!([]));
    assert!(shared[0]["otherBooks"].as_u64().unwrap() >= 80);
    for life in [&one, &other] {
        let rules = life.rules();
        let seen = about(&rules, "length");
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0]["supportingEpisodes"].as_array().unwrap().len(), 40);
        assert_eq!(seen[0]["otherBooks"], 40);
        assert!(!text(seen[0], "rule").contains(|c: char| c.is_ascii_digit()), "{}", seen[0]["rule"]);
    }
    // The list of runs of one book contains nothing of the other book.
    for (life, foreign) in [(&one, &other), (&other, &one)] {
        let runs = writer.ask("memory:distill:list", json!({ "projectId": life.project })).to_string();
        assert!(!runs.contains(&foreign.project), "{runs}");
    }
}

#[test]
fn a_run_can_be_undone_as_a_whole_except_for_rules_changed_by_the_writer_since() {
    let writer = Writer::new();
    let life = learned(&writer, "High Water", 17);
    let all = life.rules();
    let run = run_ids(&writer, &life.project, "committed").remove(0);
    let touched = &all[0];
    writer.ask(
        "memory:semantic:update",
        json!({ "ruleId": touched["id"], "version": touched["version"], "rule": "In action, be brief" }),
    );
    let undone = writer.ask("memory:distill:undo", json!({ "runId": run }));
    assert_eq!(undone["status"], "undone");
    let kept: Vec<&Value> =
        undone["changes"].as_array().unwrap().iter().filter(|change| change["kept"] == true).collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0]["ruleId"], touched["id"]);
    let left = life.rules();
    assert_eq!(left.len(), 1, "{left:#?}");
    assert_eq!(left[0]["rule"], "In action, be brief");
    // On the same evidence, the run proposes the rule at most.
    life.distil();
    assert!(life.rules().iter().all(|rule| rule["id"] == touched["id"] || rule["standing"] == "proposed"));
    assert_eq!(writer.refused("memory:distill:undo", json!({ "runId": run })).0, "MEMORY_INVALID_ARGUMENT");
}

#[test]
fn a_run_that_would_drop_more_than_a_quarter_of_the_rules_stops_and_asks() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 18);
    let episodes: Vec<String> = (0..40).map(|_| life.choose("action", Taste::Short)).collect();
    life.distil();
    let before = life.rules();
    assert!(!before.is_empty());
    for episode in &episodes[5..] {
        writer.ask("memory:episode:delete", json!({ "projectId": life.project, "episodeId": episode }));
    }
    let asked = life.distil();
    assert_eq!(asked["status"], "waiting", "{asked}");
    assert!(diff(&asked).iter().any(|change| change[0] == "withdrawn"));
    let standing = |rules: &[Value]| rules.iter().filter(|rule| rule["standing"] == "active").count();
    assert_eq!(standing(&life.rules()), standing(&before), "nothing has changed");
    let no = writer.ask("memory:distill:cancel", json!({ "runId": asked["runId"] }));
    assert_eq!(no["status"], "discarded");
    let again = life.distil();
    assert_eq!(again["status"], "waiting");
    let yes = writer.ask("memory:distill:approve", json!({ "runId": again["runId"] }));
    assert_eq!(yes["status"], "committed");
    assert_eq!(standing(&life.rules()), 0);
    assert_eq!(
        writer.refused("memory:distill:approve", json!({ "runId": again["runId"] })).0,
        "MEMORY_INVALID_ARGUMENT"
    );
}

/// A book whose next run waits for approval, because it would drop every rule.
fn asking(writer: &Writer) -> Life<'_> {
    let mut life = Life::new(writer, "High Water", "en", 18);
    let episodes: Vec<String> = (0..40).map(|_| life.choose("action", Taste::Short)).collect();
    life.distil();
    for episode in &episodes[5..] {
        writer.ask("memory:episode:delete", json!({ "projectId": life.project, "episodeId": episode }));
    }
    life
}

#[test]
fn three_requests_for_the_same_run_leave_one_that_waits_for_the_writer() {
    let writer = Writer::new();
    let mut life = asking(&writer);
    let request = json!({ "projectId": life.project });
    let asked = life.distil();
    assert_eq!(asked["status"], "waiting", "{asked}");
    let all = runs(&writer, Some(&life.project)).len();
    for _ in 0..2 {
        assert_eq!(writer.ask("memory:semantic:distill", request.clone()), asked);
    }
    assert_eq!(runs(&writer, Some(&life.project)).len(), all, "no run was begun");
    assert_eq!(run_ids(&writer, &life.project, "waiting"), [text(&asked, "runId")]);

    // New evidence may change the result, so a new run replaces the waiting one.
    life.choose("action", Taste::Short);
    let newer = life.distil();
    assert_eq!(newer["status"], "waiting", "{newer}");
    assert_eq!(run_ids(&writer, &life.project, "waiting"), [text(&newer, "runId")]);
    assert_eq!(run_ids(&writer, &life.project, "discarded"), [text(&asked, "runId")]);

    // A new run also replaces the waiting one after the writer has edited a rule, and after a restart.
    let rule = life.rules().remove(0);
    writer.ask(
        "memory:semantic:update",
        json!({ "ruleId": rule["id"], "version": rule["version"], "rule": "In a fight, be brief" }),
    );
    let after_edit = life.distil();
    assert_ne!(after_edit["runId"], newer["runId"]);
    let project = life.project.clone();
    let writer = writer.restarted();
    let after_restart = writer.ask("memory:semantic:distill", json!({ "projectId": project, "wait": true }));
    assert_eq!(after_restart["status"], "waiting", "{after_restart}");
    assert_eq!(run_ids(&writer, &project, "waiting"), [text(&after_restart, "runId")]);
    let yes = writer.ask("memory:distill:approve", json!({ "runId": after_restart["runId"] }));
    assert_eq!(yes["status"], "committed");
    assert_eq!(run_ids(&writer, &project, "waiting"), <[String; 0]>::default());
}
