//! Traces: the reasons for a text, who may read them, and their retention.

use std::sync::Arc;

use palimpsest_api::{
    ports::{Completion, GenerationRequest, ModelError, ModelInfo, StopReason, TextModel},
    testing::ScriptedModel,
};
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{add_rule, passage, taken, with_field};

#[test]
fn a_trace_keeps_the_words_a_rule_had_when_it_was_used() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = add_rule(&writer, Some(&project), "句子要短");
    let (started, _) = writer.run(passage(&project, "夜。"));
    writer.ask("memory:semantic:update", json!({ "ruleId": rule["id"], "version": 1, "rule": "句子要长" }));
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    let why = writer.ask("memory:trace:get", json!({ "projectId": project, "generationId": started["generationId"] }));
    let reference = &why["memoryReferences"][0];
    assert_eq!((&reference["id"], &reference["version"]), (&rule["id"], &json!(1)));
    assert_eq!(reference["text"], "- 句子要短（置信度: 1.00，用户已确认）");
}

#[test]
fn another_book_is_denied_and_an_unknown_generation_is_not_found() {
    let writer = Writer::new();
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    let (started, _) = writer.run(passage(&one, "夜。"));
    let ask = |project: &str, generation: &str| json!({ "projectId": project, "generationId": generation });
    let generation = text(&started, "generationId");
    assert_eq!(writer.refused("memory:trace:get", ask(&other, &generation)).0, "MEMORY_SCOPE_DENIED");
    assert_eq!(writer.refused("memory:trace:get", ask(&one, "no-such")).0, "MEMORY_NOT_FOUND");
    let stolen = with_field(taken(&other, "夜。", "灯灭了。"), "generationId", json!(generation));
    assert_eq!(writer.refused("memory:episode:record", stolen).0, "MEMORY_SCOPE_DENIED");
    assert_eq!(writer.ask("memory:semantic:list", json!({ "projectId": other }))["episodesRecorded"], 0);
}

#[test]
fn memories_cut_by_the_budget_are_in_the_trace() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..40 {
        add_rule(&writer, Some(&project), &format!("第{n}条：{}", "写看得见的东西，".repeat(8)));
    }
    let (started, _) = writer.run(with_field(passage(&project, "夜。"), "budgetTokens", json!(1_000)));
    let why = writer.ask("memory:trace:get", json!({ "projectId": project, "generationId": started["generationId"] }));
    assert_eq!(why["cut"], started["cut"]);
    assert_eq!(why["cut"][0]["reason"], "budget");
}

#[test]
fn a_failed_generation_is_reported_and_counts_as_no_recall() {
    let scripted = ScriptedModel { answers: vec!["a b c".into()], fails_after: Some(2) };
    let writer = Writer::with(|options| options.model = Arc::new(scripted));
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    let (_, done) = writer.run(passage(&project, "手稿。"));
    assert_eq!((&done["status"], &done["error"]["code"]), (&json!("failed"), &json!("MEMORY_MODEL_UNAVAILABLE")));
    assert_eq!(done["candidates"], json!(["a b ", "a b ", "a b "]), "what had come is not lost");
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" }));
    assert_eq!(found["episodes"][0]["episode"]["recallCount"], 0);
}

/// A model that writes until it is stopped.
struct Endless;

impl TextModel for Endless {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "endless".into(), model: "endless".into(), sample: false }
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        while !request.stop.is_set() {
            on_text("and ");
            std::thread::yield_now();
        }
        Ok(Completion { text: String::new(), stop: StopReason::Cancelled, tokens: None, tool_call: None })
    }
}

#[test]
fn stop_stops_at_once_and_records_nothing() {
    let writer = Writer::with(|options| options.model = Arc::new(Endless));
    let project = writer.book("夜航", "zh");
    let started = writer.ask("ai:skill:run", passage(&project, "夜。"));
    writer.wait_for_event("ai:skill:chunk");
    let stop = json!({ "generationId": started["generationId"] });
    assert_eq!(writer.ask("ai:skill:cancel", stop.clone())["cancelled"], true);
    assert_eq!(writer.wait_for_event("ai:skill:done")["status"], "cancelled");
    assert_eq!(writer.ask("ai:skill:cancel", stop)["cancelled"], false);
    assert_eq!(writer.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"], 0);
}

#[test]
fn a_generation_of_a_foreign_editor_is_traced_measured_and_explained() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = add_rule(&writer, Some(&project), "对白避免感叹号");
    writer.ask("memory:episode:record", taken(&project, "“你来了！”她说。", "灯还亮着。"));
    let recalls = || {
        let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "灯还亮着" }));
        found["episodes"][0]["episode"]["recallCount"].clone()
    };
    let request = passage(&project, "“你来了！”她说。");
    let own = json!({ "projectId": project, "request": request, "provider": "house", "model": "house-7b", "seed": 7 });
    let begun = writer.ask("memory:trace:record", own.clone());
    assert_eq!(begun["provider"], json!({ "provider": "house", "model": "house-7b", "sample": false }));
    let preview = writer.ask("memory:context:assemble", request.clone());
    assert_eq!(begun["messages"], preview["messages"], "what is to be sent");
    assert_eq!(recalls(), 0, "nothing was written yet");
    assert_eq!((&begun["seed"], begun["influenceWeights"].as_array().unwrap().len()), (&json!(7), 0));

    let of = json!({ "projectId": project, "generationId": begun["generationId"] });
    let drafts = json!(["“你来了。”她说。灯还亮着。", "她没有回头。"]);
    let ended = writer.ask("memory:trace:record", with_field(of.clone(), "drafts", drafts));
    assert_eq!((&ended["generationId"], &ended["messages"]), (&begun["generationId"], &begun["messages"]));
    assert!(!ended["influenceWeights"].as_array().unwrap().is_empty(), "{ended}");
    assert_eq!(writer.ask("memory:trace:get", of.clone()), ended);
    let again = writer.ask("memory:trace:record", with_field(of.clone(), "drafts", json!(["别的。"])));
    assert_eq!(again["influenceWeights"], ended["influenceWeights"], "what was measured stays");
    assert_eq!(recalls(), 1, "told twice, it is counted once");
    let reference = format!("rule:{}", text(&rule, "id"));
    let said = with_field(with_field(of.clone(), "referenceId", json!(reference)), "verdict", json!("right"));
    assert_eq!(writer.ask("memory:trace:feedback", said)["changed"], true);

    // An invalid generation is refused and has no effect.
    let refused = |args: Value| writer.refused("memory:trace:record", args);
    let invalid = |field: &str| ("MEMORY_INVALID_ARGUMENT".to_owned(), field.to_owned());
    assert_eq!(refused(json!({ "projectId": project })), invalid("request"));
    assert_eq!(refused(of.clone()), invalid("drafts"));
    assert_eq!(refused(with_field(own.clone(), "drafts", json!(["她没有回头。"]))), invalid("drafts"));
    assert_eq!(refused(with_field(of.clone(), "drafts", json!([" "]))), invalid("drafts[0]"));
    assert_eq!(refused(with_field(own.clone(), "model", json!("two\nlines"))), invalid("model"));
    assert_eq!(refused(with_field(own.clone(), "provider", Value::Null)), invalid("provider"));
    let other = writer.book("别的书", "zh");
    assert_eq!(refused(with_field(own, "projectId", json!(other))), invalid("request.projectId"));
    let elsewhere = with_field(with_field(of, "projectId", json!(other)), "drafts", json!(["她没有回头。"]));
    assert_eq!(refused(elsewhere).0, "MEMORY_SCOPE_DENIED");
}

#[test]
fn memories_and_weights_have_one_name_in_the_prompt_the_run_and_the_trace() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    add_rule(&writer, Some(&project), "句子要短");
    let context = writer.ask("memory:context:assemble", passage(&project, "夜。"));
    let (started, _) = writer.run(passage(&project, "夜。"));
    let of = json!({ "projectId": project, "generationId": started["generationId"] });
    let trace = writer.ask("memory:trace:get", of);
    for answer in [&context, &started, &trace] {
        assert_eq!(answer["memoryReferences"][0]["text"], "- 句子要短（置信度: 1.00，用户已确认）", "{answer}");
        assert!(answer.get("references").is_none() && answer.get("influences").is_none(), "{answer}");
    }
    assert_eq!(trace["influenceWeights"][0]["tier"], "compliance", "{trace}");
}
