//! Measured weights on demand: the change when memories are left out, its cost, and no partial results.

use std::sync::{Arc, Mutex};

use palimpsest_api::ports::{Completion, GenerationRequest, ModelError, ModelInfo, StopReason, TextModel};
use palimpsest_tests::{
    Writer,
    clock::retry_without_pause,
    server::{Answer, Server, chat_piece},
    text,
};
use serde_json::{Value, json};

use crate::{
    add_rule,
    learning::{Dice, passage_of},
    passage, taken, with_field,
};

const CHAT: &str = "/v1/chat/completions";

/// A model that follows one rule and records the requests it receives.
#[derive(Default)]
struct RuleFollowingModel(Mutex<Vec<(u64, String)>>);

impl TextModel for RuleFollowingModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "minds".into(), model: "minds".into(), sample: false }
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let sent = request.messages[1].content.clone();
        let mut dice = Dice::new(request.seed);
        let sentences = if sent.contains("Keep passages short") { 3 } else { 9 } + dice.below(3);
        let text = new_prose(sentences, &mut dice);
        self.0.lock().unwrap().push((request.seed, sent));
        on_text(&text);
        Ok(Completion { text, stop: StopReason::Finished, tokens: None, tool_call: None })
    }
}

/// Sentences that no book and no memory of these scenarios has.
fn new_prose(sentences: usize, dice: &mut Dice) -> String {
    const PEOPLE: [&str; 8] = ["Harker", "Ilse", "Morrow", "Cook", "Sailors", "Penn", "Twins", "Uncle"];
    const ACTS: [&str; 8] = ["mended", "carried", "counted", "hid", "polished", "sold", "borrowed", "painted"];
    const THINGS: [&str; 8] =
        ["seven lamps", "a crate", "his oars", "blue glass", "wet rope", "two anchors", "some nets", "a bell"];
    const PLACES: [&str; 8] =
        ["before noon", "under deck", "at Wick", "in silence", "by hand", "near Lund", "on Sunday", "without pay"];
    let one = |dice: &mut Dice| {
        let mut of = |words: [&'static str; 8]| words[dice.below(words.len())];
        format!("{} {} {} {}.", of(PEOPLE), of(ACTS), of(THINGS), of(PLACES))
    };
    (0..sentences).map(|_| one(dice)).collect::<Vec<_>>().join(" ")
}

fn rule_about(writer: &Writer, project: &str, rule: &str, pattern: Value) -> Value {
    let rule = json!({ "rule": rule, "category": "style", "scope": "project", "projectId": project,
        "dimension": { "pattern": pattern } });
    writer.ask("memory:semantic:add", rule)
}

fn measure_args(project: &str, started: &Value) -> Value {
    json!({ "projectId": project, "generationId": started["generationId"], "tier": "masked" })
}

fn influences(writer: &Writer, project: &str, started: &Value) -> Value {
    let args = json!({ "projectId": project, "generationId": started["generationId"] });
    writer.ask("memory:trace:get", args)["influenceWeights"].clone()
}

fn confirmed(args: Value) -> Value {
    with_field(args, "confirmed", json!(true))
}

fn waiting(args: Value) -> Value {
    with_field(confirmed(args), "wait", json!(true))
}

#[test]
fn a_memory_that_changes_the_text_has_a_measured_weight_and_one_that_does_not_has_none() {
    let model = Arc::new(RuleFollowingModel::default());
    let writer = Writer::with(|options| options.model = Arc::clone(&model) as _);
    let project = writer.book("High Water", "en");
    let short = json!({ "feature": "length", "direction": -1, "threshold": null });
    let minded = rule_about(&writer, &project, "Keep passages short", short);
    let commas = json!({ "feature": "commas", "direction": 1, "threshold": null });
    let ignored = rule_about(&writer, &project, "Let sentences breathe", commas);
    let silent = rule_about(&writer, &project, "Nobody speaks of the war", Value::Null);
    let (started, done) = writer.run(passage(&project, "He ran."));
    let estimated = influences(&writer, &project, &started);
    assert_eq!(estimated.as_array().unwrap().len(), 1);
    let drafts = &done["candidates"];
    writer.ask(
        "memory:episode:record",
        json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "inputContext": "He ran.",
            "candidates": drafts, "selectedIndex": 1, "finalText": drafts[1], "generationId": started["generationId"] }),
    );
    let estimated = influences(&writer, &project, &started)[0].clone();
    assert_eq!(estimated["candidate"], 1);
    // The measurement uses the rules as they were in the prompt.
    writer.ask("memory:semantic:delete", json!({ "ruleId": minded["id"] }));
    let change = json!({ "ruleId": ignored["id"], "version": 1, "rule": "No commas at all" });
    writer.ask("memory:semantic:update", change);
    model.0.lock().unwrap().clear();

    let asked = writer.ask("memory:trace:measure", measure_args(&project, &started));
    assert_eq!((&asked["status"], &asked["trace"]), (&json!("unconfirmed"), &Value::Null));
    let cost = &asked["cost"];
    assert_eq!((&cost["regenerations"], &cost["memories"]), (&json!(32), &json!(2)));
    assert!(cost["promptTokens"].as_u64().unwrap() > 32 * 100, "{cost}");
    assert_eq!(cost["provider"]["provider"], "minds");
    assert!(model.0.lock().unwrap().is_empty(), "what it costs is said before anything is sent");

    let answer = writer.ask("memory:trace:measure", waiting(measure_args(&project, &started)));
    assert_eq!(answer["status"], "measured");
    let both = answer["trace"]["influenceWeights"].clone();
    assert_eq!(both[0], estimated, "the first one stands as it was");
    let measured = &both[1];
    assert_eq!((&measured["tier"], &measured["regenerations"]), (&json!("masked"), &json!(32)));
    assert_eq!(measured["candidate"], 1);
    let weight = |rule: &Value| {
        let id = format!("rule:{}", text(rule, "id"));
        measured["weights"].as_array().unwrap().iter().find(|one| one["referenceId"] == id.as_str()).unwrap().clone()
    };
    let (minded, ignored, silent) = (weight(&minded), weight(&ignored), weight(&silent));
    assert!(minded["weight"].as_f64().unwrap() > 0.1, "{minded}");
    assert!(minded["change"]["low"].as_f64().unwrap() > 0.0, "{minded}");
    assert_eq!((&ignored["weight"], &ignored["effect"]), (&json!(0.0), &json!(0.0)), "{ignored}");
    let [low, high] = ["low", "high"].map(|end| ignored["change"][end].as_f64().unwrap());
    assert!(low <= 0.0 && high >= 0.0, "zero is in it: {ignored}");
    assert_eq!((&silent["weight"], &silent["effect"], &silent["change"]), (&json!(0.0), &Value::Null, &Value::Null));
    let sum: f64 = measured["weights"].as_array().unwrap().iter().map(|one| one["weight"].as_f64().unwrap()).sum();
    assert!((sum + measured["remainder"].as_f64().unwrap() - 1.0).abs() < 1e-12);

    let sent = std::mem::take(&mut *model.0.lock().unwrap());
    assert_eq!(sent.len(), 32);
    for line in ["Keep passages short", "Let sentences breathe"] {
        assert_eq!(sent.iter().filter(|(_, sent)| sent.contains(line)).count(), 16, "{line}: each in half of them");
    }
    assert!(sent.iter().all(|(_, sent)| sent.contains("Nobody speaks of the war") && sent.contains("He ran.")));
    let mut seeds: Vec<u64> = sent.iter().map(|(seed, _)| *seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 16, "one for each pair");

    // A second measurement sends nothing, and the result survives a restart.
    let again = writer.ask("memory:trace:measure", waiting(measure_args(&project, &started)));
    assert_eq!((&again["status"], &again["trace"]["influenceWeights"]), (&json!("measured"), &both));
    assert!(model.0.lock().unwrap().is_empty());
    let writer = writer.restarted();
    assert_eq!(influences(&writer, &project, &started), both);
    // A stored measurement that was altered is refused.
    let db = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    db.execute("UPDATE influences SET remainder = 0.9 WHERE tier = 'masked'", []).unwrap();
    let get = json!({ "projectId": project, "generationId": started["generationId"] });
    assert_eq!(writer.refused("memory:trace:get", get).0, "MEMORY_TRACE_MISMATCH");
}

#[test]
fn with_the_built_in_model_it_costs_nothing_and_runs_beside_the_writer() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    add_rule(&writer, Some(&project), "对白避免感叹号");
    let (started, _) = writer.run(passage(&project, "“你来了！”她说。"));
    let begun = writer.ask(
        "memory:trace:measure",
        with_field(confirmed(measure_args(&project, &started)), "regenerations", json!(16)),
    );
    assert_eq!((&begun["status"], &begun["done"]), (&json!("running"), &json!(0)));
    let mut done = Vec::new();
    let end = loop {
        let progress = writer.wait_for_event("memory:trace:progress");
        assert_eq!((&progress["generationId"], &progress["regenerations"]), (&started["generationId"], &json!(16)));
        done.push(progress["done"].as_u64().unwrap());
        if !progress["end"].is_null() {
            break progress["end"].clone();
        }
    };
    assert_eq!(end, json!({ "kind": "measured" }));
    assert_eq!((done.first(), done.last()), (Some(&0), Some(&16)));
    assert_eq!(influences(&writer, &project, &started)[1]["tier"], "masked");
    assert_eq!(writer.ask("ai:usage:get", json!({}))["requests"], 0);
}

#[test]
fn a_generation_that_cannot_be_measured_is_refused_before_any_cost() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    add_rule(&writer, Some(&project), "谁也不提那场战争");
    let (started, _) = writer.run(passage(&project, "夜。"));
    let refused = |args: Value| writer.error("memory:trace:measure", args);
    let error = refused(waiting(measure_args(&project, &started)));
    assert_eq!(json!(error.code), "MEMORY_INVALID_ARGUMENT");
    assert_eq!(error.details.unwrap().reason.unwrap().name(), "nothingToMeasure");
    assert_eq!(json!(refused(waiting(measure_args(&other, &started))).code), "MEMORY_SCOPE_DENIED");
    assert_eq!(
        json!(refused(waiting(measure_args(&project, &json!({ "generationId": "none" })))).code),
        "MEMORY_NOT_FOUND"
    );
    for regenerations in [0, 15, 17, 34] {
        let args = with_field(waiting(measure_args(&project, &started)), "regenerations", json!(regenerations));
        assert_eq!(writer.refused("memory:trace:measure", args).1, "regenerations");
    }
    let args = with_field(measure_args(&project, &started), "tier", json!("compliance"));
    assert_eq!(writer.refused("memory:trace:measure", args).1, "tier");

    // The texts of an external editor's generation are unknown until the editor records its drafts.
    add_rule(&writer, Some(&project), "对白避免感叹号");
    let own = json!({ "projectId": project, "request": passage(&project, "夜。"), "provider": "sample",
        "model": "sample-1", "seed": 7 });
    let begun = writer.ask("memory:trace:record", own);
    assert_eq!(refused(waiting(measure_args(&project, &begun))).details.unwrap().reason.unwrap().name(), "draftGone");
}

/// A writer with a provider, a book, and a generation with a measurable rule.
fn generation_with_rule(server: &Server) -> (Writer, String, Value) {
    let writer = Writer::with(retry_without_pause);
    choose_model(&writer, &server.url("/v1"), "scribe");
    let project = writer.book("夜航", "zh");
    add_rule(&writer, Some(&project), "对白避免感叹号");
    let (started, done) = writer.run(passage(&project, "“你来了！”她说。"));
    assert_eq!(done["status"], "finished", "{done}");
    (writer, project, started)
}

/// A measurement that waits for a server that does not answer.
fn running_measurement(server: &Server) -> (Writer, String, Value) {
    server.always(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
    let (writer, project, started) = generation_with_rule(server);
    server.always(CHAT, Answer::stream().wait_at(&server.gate()));
    writer.ask("memory:trace:measure", confirmed(measure_args(&project, &started)));
    server.wait_for_request();
    (writer, project, started)
}

fn choose_model(writer: &Writer, url: &str, model: &str) {
    let provider = json!({ "kind": "openAi", "name": "在家里", "baseUrl": url, "key": "sk-0815" });
    let provider_id = text(&writer.ask("ai:provider:save", provider), "providerId");
    writer.ask("ai:purpose:set", json!({ "purpose": "writing", "providerId": provider_id, "model": model }));
}

fn spent(writer: &Writer) -> u64 {
    writer.ask("ai:usage:get", json!({}))["requests"].as_u64().unwrap()
}

/// The outcome of the measurement.
fn wait_for_end(writer: &Writer) -> Value {
    loop {
        let progress = writer.wait_for_event("memory:trace:progress");
        if !progress["end"].is_null() {
            return progress["end"].clone();
        }
    }
}

#[test]
fn a_cancelled_measurement_stores_nothing_and_its_cost_is_counted() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
    let (writer, project, started) = generation_with_rule(&server);
    let before = spent(&writer);
    let gate = server.gate();
    for _ in 0..4 {
        server.next(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
    }
    server.always(CHAT, Answer::stream().wait_at(&gate));
    let asked = server.requests_to(CHAT).len();
    assert_eq!(writer.ask("memory:trace:measure", confirmed(measure_args(&project, &started)))["status"], "running");
    while writer.wait_for_event("memory:trace:progress")["done"] != 4 {}
    // Only one measurement runs at a time, whichever generation it is about.
    let this = writer.ask("memory:trace:measure", confirmed(measure_args(&project, &started)));
    assert_eq!((&this["status"], &this["done"]), (&json!("running"), &json!(4)));
    let other = writer.book("别的书", "zh");
    let foreign = json!({ "projectId": other, "request": passage(&other, "夜。"), "provider": "openAi", "model": "m" });
    let foreign = writer.ask("memory:trace:record", foreign);
    let busy = writer.ask("memory:trace:measure", measure_args(&other, &foreign));
    assert_eq!((&busy["status"], &busy["done"]), (&json!("alreadyRunning"), &Value::Null));
    let not_this = with_field(measure_args(&other, &foreign), "cancel", json!(true));
    assert_eq!(writer.ask("memory:trace:measure", not_this)["status"], "notRunning");

    let cancel = with_field(measure_args(&project, &started), "cancel", json!(true));
    assert_eq!(writer.ask("memory:trace:measure", cancel.clone())["status"], "cancelling");
    assert_eq!(wait_for_end(&writer), json!({ "kind": "cancelled" }));
    assert_eq!(writer.ask("memory:trace:measure", cancel)["status"], "notRunning");
    assert_eq!(influences(&writer, &project, &started).as_array().unwrap().len(), 1);
    assert!(server.requests_to(CHAT).len() <= asked + 4 + 3, "nothing more is asked");
    assert_eq!(spent(&writer), before + 4);
}

#[test]
fn a_provider_that_fails_fails_it_as_a_whole() {
    for (answer, reason) in [
        (Answer::json(401, json!({ "error": { "message": "no" } })), "keyRefused"),
        (Answer::stream().event(&chat_piece("“你来")).broken(), "malformed"),
        (Answer::chat(&[]), "malformed"),
    ] {
        let server = Server::start();
        server.always(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
        let (writer, project, started) = generation_with_rule(&server);
        let before = influences(&writer, &project, &started);
        let asked = server.requests_to(CHAT).len();
        for _ in 0..10 {
            server.next(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
        }
        server.always(CHAT, answer);
        let error = writer.error("memory:trace:measure", waiting(measure_args(&project, &started)));
        assert_eq!(json!(error.code), "MEMORY_MODEL_UNAVAILABLE");
        assert_eq!(error.details.unwrap().reason.unwrap().name(), reason);
        assert_eq!(influences(&writer, &project, &started), before, "{reason}");
        assert_eq!(wait_for_end(&writer)["kind"], "failed");
        assert!(server.requests_to(CHAT).len() < asked + 25, "the first failure is the last request");
        // A measurement succeeds once the provider works again.
        server.always(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
        assert_eq!(writer.ask("memory:trace:measure", waiting(measure_args(&project, &started)))["status"], "measured");
    }
}

#[test]
fn the_limit_of_the_day_holds_and_another_model_is_not_asked() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
    let (writer, project, started) = generation_with_rule(&server);
    let limit =
        |requests: u64| writer.ask("ai:usage:limit", json!({ "requestsPerDay": requests, "tokensPerDay": null }));
    let asked = server.requests_to(CHAT).len();
    limit(spent(&writer) + 15);
    let error = writer.error("memory:trace:measure", waiting(measure_args(&project, &started)));
    assert_eq!(error.details.unwrap().reason.unwrap().name(), "dailyLimit");
    limit(spent(&writer) + 21);
    let cost = writer.ask("memory:trace:measure", measure_args(&project, &started))["cost"].clone();
    assert_eq!((&cost["regenerations"], &cost["requestsLeft"]), (&json!(20), &json!(21)), "whole pairs");
    choose_model(&writer, &server.url("/v1"), "another");
    let error = writer.error("memory:trace:measure", waiting(measure_args(&project, &started)));
    assert_eq!(error.details.unwrap().reason.unwrap().name(), "otherModel");
    assert_eq!(server.requests_to(CHAT).len(), asked);

    choose_model(&writer, &server.url("/v1"), "scribe");
    let before = spent(&writer);
    let measured =
        writer.ask("memory:trace:measure", waiting(measure_args(&project, &started)))["trace"]["influenceWeights"][1]
            .clone();
    assert_eq!((&measured["regenerations"], spent(&writer)), (&json!(20), before + 20));
}

#[test]
fn a_name_that_was_hidden_since_does_not_leave() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["“你来了。”", "她说。"]));
    let writer = Writer::with(retry_without_pause);
    choose_model(&writer, &server.url("/v1"), "scribe");
    let project = writer.book("夜航", "zh");
    add_rule(&writer, Some(&project), "对白避免感叹号");
    add_rule(&writer, None, "让Zorblax少说话");
    let (started, _) = writer.run(passage(&project, "“你来了！”沈砚说。"));
    let names = json!([{ "name": "沈砚", "alias": "李四" }]);
    writer.ask("memory:names:set", json!({ "projectId": project, "names": names }));
    // The name is hidden in another book, and the global rule may be about that book.
    let other = writer.book("别处", "zh");
    let names = json!([{ "name": "zorblax", "alias": "阿甲" }]);
    writer.ask("memory:names:set", json!({ "projectId": other, "names": names }));
    let asked = server.requests_to(CHAT).len();
    assert_eq!(writer.ask("memory:trace:measure", waiting(measure_args(&project, &started)))["status"], "measured");
    let sent = server.requests_to(CHAT).split_off(asked);
    assert_eq!(sent.len(), 32);
    assert!(
        sent.iter().all(|asked| !asked.body.to_string().contains("沈砚") && asked.body.to_string().contains("李四"))
    );
    assert!(sent.iter().any(|asked| asked.body.to_string().contains("少说话")));
    assert!(sent.iter().all(|asked| !asked.body.to_string().contains("Zorblax")));
}

#[test]
fn a_book_that_is_cleared_meanwhile_gets_nothing_written_back() {
    let server = Server::start();
    let (writer, project, _) = running_measurement(&server);
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    assert_eq!(wait_for_end(&writer), json!({ "kind": "cancelled" }));
    let db = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    let left: i64 = db
        .query_row("SELECT (SELECT count(*) FROM influences) + (SELECT count(*) FROM traces)", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

#[test]
fn closing_during_a_measurement_does_not_wait() {
    let server = Server::start();
    let (writer, project, started) = running_measurement(&server);
    let writer = writer.restarted();
    assert_eq!(influences(&writer, &project, &started).as_array().unwrap().len(), 1);
}

#[test]
fn a_rule_shows_how_often_it_is_followed_and_whether_it_is_ignored() {
    let model = Arc::new(RuleFollowingModel::default());
    let writer = Writer::with(|options| options.model = Arc::clone(&model) as _);
    let (project, other) = (writer.book("High Water", "en"), writer.book("Low Water", "en"));
    let run = || writer.run(with_field(passage(&project, "He ran."), "candidates", json!(3)));
    for _ in 0..4 {
        run();
    }
    let followed =
        |project: &str| writer.ask("memory:semantic:list", json!({ "projectId": project }))["followed"].clone();
    let short = json!({ "feature": "length", "direction": -1, "threshold": null });
    let minded = rule_about(&writer, &project, "Keep passages short", short);
    let long = json!({ "feature": "semicolons", "direction": 1, "threshold": null });
    let ignored = rule_about(&writer, &project, "Join what belongs together", long);
    rule_about(&writer, &project, "Nobody speaks of the war", Value::Null);
    assert_eq!(followed(&project), json!([]), "no generation has had them");
    for _ in 0..7 {
        run();
    }
    let influence_of = |rule: &Value| {
        let all = followed(&project);
        assert_eq!(all.as_array().unwrap().len(), 2, "one about nothing measurable is not told of: {all}");
        all.as_array().unwrap().iter().find(|one| one["ruleId"] == rule["id"]).unwrap().clone()
    };
    assert_eq!(
        (&influence_of(&ignored)["no"], &influence_of(&ignored)["ignored"]),
        (&json!(7), &json!(false)),
        "too few to say so"
    );
    // A generation that an editor records twice counts once.
    let own = json!({ "projectId": project, "request": passage(&project, "He ran."), "provider": "house",
        "model": "house-7b", "seed": 7 });
    let begun = writer.ask("memory:trace:record", own);
    let drafts = json!([new_prose(3, &mut Dice::new(5))]);
    let end = json!({ "projectId": project, "generationId": begun["generationId"], "drafts": drafts });
    for _ in 0..2 {
        writer.ask("memory:trace:record", end.clone());
    }
    let all: u64 = ["yes", "partly", "no"].iter().map(|how| influence_of(&ignored)[how].as_u64().unwrap()).sum();
    assert_eq!(all, 8);
    for _ in 0..5 {
        run();
    }
    let (yes, no) = (influence_of(&minded), influence_of(&ignored));
    assert_eq!((&yes["yes"], &yes["no"], &yes["ignored"]), (&json!(10), &json!(0), &json!(false)), "of the last ten");
    assert_eq!((&no["yes"], &no["no"], &no["ignored"]), (&json!(0), &json!(10), &json!(true)));
    assert_eq!(followed(&other), json!([]), "another book is not told");
    let before = followed(&project);
    let writer = writer.restarted();
    let followed =
        |project: &str| writer.ask("memory:semantic:list", json!({ "projectId": project }))["followed"].clone();
    assert_eq!(followed(&project), before);

    // A reworded rule is the same rule; a new pattern resets the count.
    let patch = json!({ "ruleId": ignored["id"], "version": 1, "rule": "Join what belongs together in one" });
    writer.ask("memory:semantic:update", patch);
    assert_eq!(followed(&project).as_array().unwrap().len(), 2);
    let fewer = json!({ "feature": "questions", "direction": -1, "threshold": null });
    let patch = json!({ "ruleId": ignored["id"], "version": 2, "dimension": { "pattern": fewer } });
    writer.ask("memory:semantic:update", patch);
    assert_eq!(followed(&project).as_array().unwrap().len(), 1);
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    assert_eq!(followed(&project), json!([]));
}

#[test]
fn an_example_that_is_copied_word_for_word_has_influence() {
    // The words of recent drafts are compared too, and are stored only as numbers.
    let model = Arc::new(RuleFollowingModel::default());
    let writer = Writer::with(|options| options.model = Arc::clone(&model) as _);
    let project = writer.book("High Water", "en");
    for _ in 0..4 {
        writer.run(passage(&project, "He ran."));
    }
    let echo = model.0.lock().unwrap().len();
    assert_eq!(echo, 12);
    writer.ask("memory:episode:record", taken(&project, "He ran.", &passage_of("en", 10, &mut Dice::new(99))));
    let (started, _) = writer.run(passage(&project, "He ran."));
    let weights = influences(&writer, &project, &started)[0]["weights"].clone();
    let example =
        weights.as_array().unwrap().iter().find(|one| text(one, "referenceId").starts_with("episode:")).unwrap();
    assert!(example["effect"].is_number(), "{example}");
}
