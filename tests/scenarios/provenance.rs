//! The writer's verdicts on the references of a passage: right, wrong, or not here.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use palimpsest_api::ports::{Completion, GenerationRequest, ModelError, ModelInfo, StopReason, TextModel};
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    add_rule,
    learning::{Dice, Life, passage_of},
    passage, sent, taken, with_field,
    writers_word::learned,
};

/// The arguments for a verdict on a memory in a generation.
fn judge_args(project: &str, generation: &Value, reference: &str, verdict: &str) -> Value {
    json!({ "projectId": project, "generationId": generation["generationId"], "referenceId": reference, "verdict": verdict })
}

/// The rule as it is listed now.
fn rule_now(writer: &Writer, project: &str, rule: &Value) -> Value {
    let list = writer.ask("memory:semantic:list", json!({ "projectId": project }));
    list["rules"].as_array().unwrap().iter().find(|one| one["id"] == rule["id"]).expect("the rule").clone()
}

fn action(life: &Life<'_>) -> Value {
    with_field(passage(&life.project, "He ran."), "sceneType", json!("action"))
}

#[test]
fn a_learned_rule_called_wrong_counts_less_and_called_wrong_twice_is_silent_until_the_writer_answers() {
    let writer = Writer::new();
    let (life, rule) = learned(&writer, 31);
    let reference = format!("rule:{}", text(&rule, "id"));
    let (first, _) = writer.run(action(&life));
    let (second, _) = writer.run(action(&life));
    let recorded =
        || writer.ask("memory:semantic:list", json!({ "projectId": life.project }))["episodesRecorded"].clone();
    let before = recorded().as_u64().unwrap();

    let note = with_field(judge_args(&life.project, &first, &reference, "wrong"), "note", json!("Not in a chase."));
    let why = writer.ask("memory:trace:feedback", note);
    assert_eq!((&why["changed"], &why["feedback"][0]["verdict"]), (&json!(true), &json!("wrong")));
    let once = rule_now(&writer, &life.project, &rule);
    assert_eq!((&once["wrongCount"], &once["standing"]), (&json!(1), &json!("active")));
    assert!(once["confidence"].as_f64() < rule["confidence"].as_f64());
    assert_eq!(recorded(), before + 1, "it is remembered");
    // Episodes are indexed in the background.
    let is_found = |note: &str| {
        let query = json!({ "projectId": life.project, "queryText": note });
        writer.ask_until("memory:episode:query", query, |found| {
            found["episodes"][0]["episode"]["explicit"].as_str().is_some_and(|said| said.contains(note))
        });
    };
    is_found("Not in a chase.");

    // A repeated verdict on the same passage is the same verdict.
    let again = writer.ask("memory:trace:feedback", judge_args(&life.project, &first, &reference, "wrong"));
    assert_eq!((&again["changed"], &again["feedback"]), (&json!(false), &why["feedback"]));
    assert_eq!(rule_now(&writer, &life.project, &rule), once);
    assert_eq!(recorded(), before + 1);

    // The same verdict with another note counts once, and the new note is stored.
    let because =
        with_field(judge_args(&life.project, &first, &reference, "wrong"), "note", json!("Only when he is calm."));
    let noted = writer.ask("memory:trace:feedback", because.clone());
    assert_eq!((&noted["changed"], &noted["feedback"][0]["note"]), (&json!(true), &json!("Only when he is calm.")));
    assert_eq!(noted["feedback"][0]["at"], why["feedback"][0]["at"]);
    assert_eq!(writer.ask("memory:trace:feedback", because)["changed"], json!(false));
    assert_eq!(rule_now(&writer, &life.project, &rule), once, "nothing is counted again");
    is_found("Only when he is calm.");

    writer.ask("memory:trace:feedback", judge_args(&life.project, &second, &reference, "wrong"));
    let twice = rule_now(&writer, &life.project, &rule);
    assert_eq!((&twice["wrongCount"], &twice["standing"]), (&json!(2), &json!("suspended")));
    let prompt = |writer: &Writer| sent(&writer.ask("memory:context:assemble", action(&life)));
    assert!(!prompt(&writer).contains(&format!("- {}", text(&rule, "rule"))));
    let confirm = json!({ "ruleId": rule["id"], "version": twice["version"] });
    let confirmed = writer.ask("memory:semantic:confirm", confirm);
    assert_eq!((&confirmed["standing"], &confirmed["wrongCount"]), (&json!("active"), &json!(0)));
    assert!(prompt(&writer).contains(&text(&rule, "rule")));
}

#[test]
fn opposing_evidence_is_counted_by_the_next_run_and_creates_no_opposite_rule() {
    let writer = Writer::new();
    let (mut life, rule) = learned(&writer, 32);
    let (first, _) = writer.run(action(&life));
    let reference = format!("rule:{}", text(&rule, "id"));
    writer.ask("memory:trace:feedback", judge_args(&life.project, &first, &reference, "wrong"));
    let other = Writer::new();
    let (mut untouched, _) = learned(&other, 32);
    for life in [&mut life, &mut untouched] {
        life.choose_often(4, "action", crate::learning::Taste::Short);
        life.distil();
    }
    let now = rule_now(&writer, &life.project, &rule);
    let rules = untouched.rules();
    let same = rules.iter().find(|one| one["pattern"] == rule["pattern"]).expect("the rule");
    assert!(now["confidence"].as_f64().unwrap() < same["confidence"].as_f64().unwrap() - 0.03, "{now} {same}");
    assert_eq!(now["evidenceCount"], same["evidenceCount"], "a word is no evidence of style");
    let opposite = |one: &&Value| {
        one["pattern"]["feature"] == rule["pattern"]["feature"]
            && one["pattern"]["direction"] != rule["pattern"]["direction"]
    };
    assert_eq!(life.rules().iter().filter(opposite).count(), 0);
}

#[test]
fn a_wrong_that_is_taken_back_leaves_the_rule_as_it_was() {
    let writer = Writer::new();
    let (life, rule) = learned(&writer, 33);
    let reference = format!("rule:{}", text(&rule, "id"));
    let (first, _) = writer.run(action(&life));
    let (second, _) = writer.run(action(&life));
    for generation in [&first, &second] {
        writer.ask("memory:trace:feedback", judge_args(&life.project, generation, &reference, "wrong"));
    }
    for generation in [&first, &second] {
        let why = writer.ask("memory:trace:feedback", judge_args(&life.project, generation, &reference, "right"));
        assert_eq!(why["feedback"].as_array().unwrap().len(), 1, "the last word holds");
        assert_eq!((&why["changed"], &why["feedback"][0]["verdict"]), (&json!(true), &json!("right")));
    }
    let now = rule_now(&writer, &life.project, &rule);
    assert_eq!((&now["wrongCount"], &now["standing"]), (&json!(0), &json!("active")));
    assert!((now["confidence"].as_f64().unwrap() - rule["confidence"].as_f64().unwrap()).abs() < 1e-9);
    let found =
        writer.ask("memory:episode:query", json!({ "projectId": life.project, "queryText": "This rule is wrong" }));
    assert!(!found.to_string().contains("This rule is wrong"), "{found}");
    // All of this survives a restart.
    let project = life.project;
    let writer = writer.restarted();
    let args = json!({ "projectId": project, "generationId": first["generationId"] });
    assert_eq!(writer.ask("memory:trace:get", args)["feedback"][0]["verdict"], "right");
}

#[test]
fn a_rule_that_the_writer_agreed_to_is_only_challenged() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = add_rule(&writer, Some(&project), "句子要短");
    let reference = format!("rule:{}", text(&rule, "id"));
    for _ in 0..2 {
        let (started, _) = writer.run(passage(&project, "夜。"));
        writer.ask("memory:trace:feedback", judge_args(&project, &started, &reference, "wrong"));
    }
    let now = rule_now(&writer, &project, &rule);
    for field in ["rule", "confidence", "standing", "userConfirmed"] {
        assert_eq!(now[field], rule[field], "{field}");
    }
    assert_eq!((&now["challenged"], &now["wrongCount"]), (&json!(true), &json!(2)));
    let changes = writer.ask("memory:semantic:history", json!({ "ruleId": rule["id"] }));
    assert_eq!(changes["versions"][2]["change"], "disputed");
}

#[test]
fn not_here_excludes_a_memory_from_this_skill_and_scene_only_and_reports_it() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    add_rule(&writer, Some(&project), "句子要短");
    let rule = add_rule(&writer, Some(&project), "少用比喻");
    let reference = format!("rule:{}", text(&rule, "id"));
    let at = |scene: &str, skill: &str| {
        with_field(with_field(passage(&project, "夜。"), "sceneType", json!(scene)), "skill", json!(skill))
    };
    let (started, _) = writer.run(at("action", "continue"));
    writer.ask("memory:trace:feedback", judge_args(&project, &started, &reference, "notHere"));

    let here = writer.ask("memory:context:assemble", at("action", "continue"));
    assert!(!sent(&here).contains("少用比喻") && sent(&here).contains("句子要短"));
    let cut: Vec<&Value> = here["cut"].as_array().unwrap().iter().filter(|item| item["id"] == rule["id"]).collect();
    assert_eq!((cut.len(), &cut[0]["reason"]), (1, &json!("notHere")));
    for elsewhere in [at("dialogue", "continue"), at("action", "polish")] {
        assert!(sent(&writer.ask("memory:context:assemble", elsewhere)).contains("少用比喻"));
    }
    assert_eq!(rule_now(&writer, &project, &rule), rule, "nothing is said against the rule");

    writer.ask("memory:trace:feedback", judge_args(&project, &started, &reference, "right"));
    assert!(sent(&writer.ask("memory:context:assemble", at("action", "continue"))).contains("少用比喻"));
}

#[test]
fn an_example_called_wrong_changes_recall_and_is_no_evidence() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..8 {
        writer.ask(
            "memory:episode:record",
            taken(&project, &format!("雨夜，手稿，第{n}页。"), &format!("灯灭了{n}次。")),
        );
        writer.clock.advance_millis(60_000);
    }
    let (started, _) = writer.run(passage(&project, "手稿。"));
    let references = started["memoryReferences"].as_array().unwrap();
    let examples: Vec<&Value> = references.iter().filter(|one| one["kind"] == "episode").collect();
    let wrong = text(examples[0], "referenceId");
    writer.ask("memory:trace:feedback", judge_args(&project, &started, &wrong, "wrong"));
    let polish = with_field(passage(&project, "手稿。"), "skill", json!("polish"));
    for request in [passage(&project, "手稿。"), polish] {
        let now = writer.ask("memory:context:assemble", request);
        let references = now["memoryReferences"].as_array().unwrap();
        assert!(references.iter().all(|one| one["referenceId"] != wrong.as_str()));
        let count = references.iter().filter(|one| one["kind"] == "episode").count();
        assert_eq!(count, examples.len(), "another one takes its place");
    }
    let list = writer.ask("memory:semantic:list", json!({ "projectId": project }));
    assert_eq!(list["episodesRecorded"], 8);
}

#[test]
fn feedback_on_a_missing_item_or_on_another_books_is_refused() {
    let writer = Writer::new();
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    let rule = add_rule(&writer, Some(&one), "句子要短");
    let reference = format!("rule:{}", text(&rule, "id"));
    let (started, _) = writer.run(passage(&one, "夜。"));
    let refused = |args| writer.refused("memory:trace:feedback", args);
    let unknown = refused(judge_args(&one, &started, "rule:no-such", "wrong"));
    assert_eq!(unknown, ("MEMORY_INVALID_ARGUMENT".into(), "referenceId".into()));
    assert_eq!(refused(judge_args(&other, &started, &reference, "wrong")).0, "MEMORY_SCOPE_DENIED");
    assert_eq!(
        refused(judge_args(&one, &json!({ "generationId": "none" }), &reference, "wrong")).0,
        "MEMORY_NOT_FOUND"
    );
    assert_eq!(refused(judge_args(&one, &started, &reference, "maybe")).0, "MEMORY_INVALID_ARGUMENT");
    let empty = with_field(judge_args(&one, &started, &reference, "wrong"), "note", json!(" "));
    assert_eq!(refused(empty).1, "note");
    assert_eq!(rule_now(&writer, &one, &rule), rule);
    // The rule is deleted meanwhile: the verdict is stored with the trace.
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    assert_eq!(writer.ask("memory:trace:feedback", judge_args(&one, &started, &reference, "wrong"))["changed"], true);
}

/// The influence weights in a trace.
fn influence(writer: &Writer, project: &str, started: &Value) -> Value {
    let args = json!({ "projectId": project, "generationId": started["generationId"] });
    writer.ask("memory:trace:get", args)["influenceWeights"].clone()
}

/// The sum of the weights and the remainder.
fn sum_of_weights(influence: &Value) -> f64 {
    let weights = influence["weights"].as_array().unwrap().iter().map(|one| one["weight"].as_f64().unwrap());
    weights.sum::<f64>() + influence["remainder"].as_f64().unwrap()
}

/// A model that writes short texts while the flag is set, and long ones otherwise.
struct SwitchableModel(Arc<AtomicBool>);

impl TextModel for SwitchableModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "told".into(), model: "told".into(), sample: false }
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let mut dice = Dice::new(request.seed);
        let sentences = if self.0.load(Ordering::SeqCst) { 2 } else { 8 + dice.below(4) };
        let text = passage_of("en", sentences, &mut dice);
        on_text(&text);
        Ok(Completion { text, stop: StopReason::Finished, tokens: None, tool_call: None })
    }
}

#[test]
fn weights_are_stored_with_the_trace_and_add_up_to_one_with_the_remainder() {
    let short = Arc::new(AtomicBool::new(false));
    let model = Arc::new(SwitchableModel(Arc::clone(&short)));
    let writer = Writer::with(|options| options.model = model);
    let project = writer.book("High Water", "en");
    let request = || with_field(passage(&project, "He ran."), "sceneType", json!("action"));
    let (first, _) = writer.run(request());
    let unknown = influence(&writer, &project, &first);
    assert_eq!((&unknown[0]["tier"], &unknown[0]["remainder"]), (&json!("compliance"), &json!(1.0)));
    assert!(
        unknown[0]["weights"].as_array().unwrap().iter().all(|one| one["effect"].is_null() && one["weight"] == 0.0)
    );
    for _ in 0..4 {
        writer.run(request());
    }

    let rule = json!({ "rule": "Keep passages short", "category": "style", "scope": "project", "projectId": project,
        "dimension": { "pattern": { "feature": "length", "direction": -1, "threshold": null } } });
    let rule = writer.ask("memory:semantic:add", rule);
    let words = writer.ask(
        "memory:semantic:add",
        json!({ "rule": "Nobody speaks of the war", "category": "style",
        "scope": "project", "projectId": project, "dimension": { "pattern": null } }),
    );
    let of = |influence: &Value, rule: &Value| {
        let id = format!("rule:{}", text(rule, "id"));
        influence["weights"].as_array().unwrap().iter().find(|one| one["referenceId"] == id.as_str()).unwrap().clone()
    };
    short.store(true, Ordering::SeqCst);
    let (followed, _) = writer.run(request());
    let now = influence(&writer, &project, &followed);
    assert_eq!(now.as_array().unwrap().len(), 1);
    let weighed = of(&now[0], &rule);
    assert_eq!(weighed["followed"], "yes");
    assert!(weighed["weight"].as_f64().unwrap() > 0.3, "{weighed}");
    let silent = of(&now[0], &words);
    assert_eq!((&silent["weight"], &silent["effect"], &silent["followed"]), (&json!(0.0), &Value::Null, &Value::Null));
    assert!((sum_of_weights(&now[0]) - 1.0).abs() < 1e-12);

    short.store(false, Ordering::SeqCst);
    let (ignored, _) = writer.run(request());
    let ignored = influence(&writer, &project, &ignored);
    assert!(of(&ignored[0], &rule)["weight"].as_f64() < Some(0.2), "{ignored}");

    // Weights that were computed stay, whatever happens to the memories.
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    let writer = writer.restarted();
    assert_eq!(influence(&writer, &project, &followed), now);
}

#[test]
fn the_draft_that_was_taken_is_the_one_that_is_explained() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let (started, done) = writer.run(passage(&project, "夜。"));
    assert_eq!(influence(&writer, &project, &started)[0]["candidate"], 0);
    let drafts = &done["candidates"];
    let record = json!({
        "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "inputContext": "夜。",
        "candidates": drafts, "selectedIndex": 2, "finalText": drafts[2], "generationId": started["generationId"],
    });
    writer.ask("memory:episode:record", record);
    assert_eq!(influence(&writer, &project, &started)[0]["candidate"], 2);
}

#[test]
fn measures_of_the_last_two_hundred_drafts_are_stored_without_their_words() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for _ in 0..52 {
        writer.run(with_field(passage(&project, "夜。"), "candidates", json!(4)));
    }
    let db = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM drafts"), 200);
    assert_eq!(count("SELECT count(*) FROM influences"), 208, "what was measured stays");
    assert_eq!(count("SELECT count(*) FROM drafts WHERE refs GLOB '*夜*'"), 0);
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    assert_eq!(count("SELECT count(*) FROM drafts") + count("SELECT count(*) FROM influences"), 0);
}

#[test]
fn a_trace_that_differs_from_the_written_one_is_not_returned() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    add_rule(&writer, Some(&project), "句子要短");
    let (started, _) = writer.run(passage(&project, "夜。"));
    let args = json!({ "projectId": project, "generationId": started["generationId"] });
    let db = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    let set = |sql: &str| assert_eq!(db.execute(sql, []).unwrap(), 1);
    writer.ask("memory:trace:get", args.clone());
    set("UPDATE traces SET refs = replace(refs, '句子要短', '句子要长')");
    assert_eq!(writer.refused("memory:trace:get", args.clone()).0, "MEMORY_TRACE_MISMATCH");
    let record = with_field(taken(&project, "夜。", "灯灭了。"), "generationId", started["generationId"].clone());
    writer.ask("memory:episode:record", record);
    // A trace from before seals existed has nothing to compare with.
    set("UPDATE traces SET seal = NULL");
    writer.ask("memory:trace:get", args);
}
