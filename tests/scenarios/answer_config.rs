//! The settings of answers: `config.toml` before stored values before built-in ones, and what is said of a bad file.

use std::fs;

use palimpsest_tests::{Host, Writer, part_of, text};
use serde_json::{Value, json};

use crate::answers::{LONG, complete, get, of_book, prepare, record, run, validate};

const QUESTION: &str = "When can the boat leave the harbour?";

fn with_file(content: &str) -> Writer {
    Writer::with_folder(|data| fs::write(data.join("config.toml"), content).unwrap())
}

fn config(writer: &Writer) -> Value {
    writer.ask("answer:config:get", json!({}))
}

fn setting(config: &Value, key: &str) -> Value {
    config["settings"].as_array().unwrap().iter().find(|one| one["key"] == key).unwrap().clone()
}

fn set(writer: &Writer, values: Value) -> Value {
    writer.ask("answer:config:set", json!({ "values": values }))
}

fn value_and_source(config: &Value, key: &str) -> (Value, String) {
    let setting = setting(config, key);
    (setting["value"].clone(), text(&setting, "source"))
}

fn config_part(writer: &Writer) -> Value {
    part_of(&writer.ask("memory:status", json!({})), "config")
}

/// `count` answers of level 2 to questions about the boat; their ids.
fn answers_of_level_two(writer: &Writer, project: &str, count: usize) -> Vec<String> {
    let ids: Vec<String> = (0..count)
        .map(|number| {
            let answer = format!("The boat can leave the harbour at high water, says log {number}.");
            text(&record(writer, project, &format!("When can the boat leave harbour {number}?"), &answer), "answerId")
        })
        .collect();
    for id in &ids {
        (0..3).for_each(|_| drop(validate(writer, project, id, "pass")));
    }
    ids
}

#[test]
fn the_file_goes_before_a_stored_value_and_that_before_the_built_in_one() {
    let key = "gatekeeper.max_inject";
    let writer = Writer::new();
    assert_eq!(value_and_source(&config(&writer), key), (json!(3.0), "builtIn".into()));
    let stored = set(&writer, json!({ key: 2 }));
    assert_eq!(value_and_source(&stored, key), (json!(2.0), "stored".into()));
    assert_eq!((&setting(&stored, key)["min"], &setting(&stored, key)["max"]), (&json!(0.0), &json!(10.0)));
    let file = writer.data_dir().join("config.toml");
    let writer = writer.restarted_after(|| fs::write(&file, "[gatekeeper]\nmax_inject = 1\n").unwrap());
    let of_file = config(&writer);
    assert_eq!(value_and_source(&of_file, key), (json!(1.0), "file".into()));
    assert_eq!(setting(&of_file, key)["stored"], json!(2.0));
    // A value that would have no effect is refused, and nothing else of the request is stored.
    let error = writer.error("answer:config:set", json!({ "values": { key: 5, "memory.search_limit": 9 } }));
    let details = error.details.unwrap();
    assert_eq!(json!(details.reason), "setByFile");
    assert_eq!(details.field.unwrap(), format!("values.{key}"));
    assert_eq!(value_and_source(&config(&writer), "memory.search_limit"), (json!(6.0), "builtIn".into()));
    let file = writer.data_dir().join("config.toml");
    let writer = writer.restarted_after(|| fs::remove_file(&file).unwrap());
    assert_eq!(value_and_source(&config(&writer), key), (json!(2.0), "stored".into()));
    assert_eq!(value_and_source(&set(&writer, json!({ key: null })), key), (json!(3.0), "builtIn".into()));
}

#[test]
fn a_value_that_cannot_be_is_refused_with_its_field_and_nothing_is_stored() {
    let writer = Writer::new();
    for (values, field) in [
        (json!({ "gatekeeper.max_inject": 11 }), "values.gatekeeper.max_inject"),
        (json!({ "gatekeeper.max_inject": 1.5 }), "values.gatekeeper.max_inject"),
        (json!({ "gatekeeper.max_inject": -1 }), "values.gatekeeper.max_inject"),
        (json!({ "gatekeeper.max_inject": true }), "values.gatekeeper.max_inject"),
        (json!({ "gatekeeper.min_trust_show": 1.01 }), "values.gatekeeper.min_trust_show"),
        (json!({ "gatekeeper.active_statuses": [] }), "values.gatekeeper.active_statuses"),
        (json!({ "memory.enabled": 1 }), "values.memory.enabled"),
        (json!({ "the secret plan": 1 }), "values"),
        (json!({ "the secret plan": null }), "values"),
        (json!({ "candidate_extract.min_answer_chars": 10, "memory.min_score": 2 }), "values.memory.min_score"),
    ] {
        let request = json!({ "values": values });
        assert_eq!(writer.refused("answer:config:set", request), ("MEMORY_INVALID_ARGUMENT".into(), field.into()));
    }
    let all = config(&writer);
    assert!(all["settings"].as_array().unwrap().iter().all(|one| one["source"] == "builtIn"), "{all}");
}

#[test]
fn a_bad_file_never_prevents_the_start_and_the_status_names_key_and_line() {
    let key = "gatekeeper.max_inject";
    for (content, message, kind) in [
        (
            "[gatekeeper]\nmin_level_inject = 1\nmax_inject = 11\n",
            "line 3: gatekeeper.max_inject is not 0 to 10",
            "outOfRange",
        ),
        (
            "[gatekeeper]\nmax_inject = \"two\"\n",
            "line 2: gatekeeper.max_inject has a value of another type",
            "wrongType",
        ),
        ("[gatekeeper]\nmax_injects = 2\n", "line 2: gatekeeper.max_injects is unknown", "unknownKey"),
        ("[gatekeeper]\nmax_inject = 1\n[mem", "line 3: the text is no TOML", "syntax"),
        ("[memory]\napi_key = \"zyxquorn\"\n", "line 2: memory.api_key is not read", "serviceKey"),
    ] {
        let writer = with_file(content);
        let health = config_part(&writer);
        assert_eq!((&health["state"], &health["reason"]), (&json!("substituted"), &json!("configNotTaken")));
        assert!(text(&health, "message").contains(message), "{health}");
        let found = config(&writer);
        assert_eq!(found["problems"][0]["kind"], kind);
        assert_eq!(value_and_source(&found, key), (json!(3.0), "builtIn".into()), "{content}");
        assert!(!found.to_string().contains("zyxquorn") && !health.to_string().contains("zyxquorn"));
    }
    // The other values of a file with a mistake are taken.
    let writer = with_file("[gatekeeper]\nmin_level_inject = 1\nmax_inject = 11\n");
    let level = value_and_source(&config(&writer), "gatekeeper.min_level_inject");
    assert_eq!(level, (json!(1.0), "file".into()));
}

#[test]
fn a_folder_a_huge_file_and_bytes_that_are_no_text_are_no_settings_and_the_memory_opens() {
    type Fill = fn(&std::path::Path);
    let fills: [(&str, Fill); 3] = [
        ("a folder", |path| fs::create_dir(path).unwrap()),
        ("1 MB", |path| fs::write(path, "# comment\n".repeat(100_000)).unwrap()),
        ("no text", |path| fs::write(path, [0xff, 0xfe, 0x00]).unwrap()),
    ];
    for (what, fill) in fills {
        let writer = Writer::with_folder(|data| fill(&data.join("config.toml")));
        assert_eq!(config(&writer)["problems"], json!([{ "key": null, "line": null, "kind": "unreadable" }]), "{what}");
        assert!(text(&config_part(&writer), "message").contains("the file cannot be read"));
        assert_eq!(writer.ask("memory:status", json!({}))["degraded"], true);
    }
    let writer = Writer::new();
    assert_eq!((&config_part(&writer)["state"], &config(&writer)["problems"]), (&json!("ok"), &json!([])));
}

#[test]
fn the_settings_decide_what_a_run_is_given_and_what_is_kept_of_it() {
    let writer =
        with_file("[gatekeeper]\nmax_inject = 1\nmin_score_inject = 0.0\n[candidate_extract]\nmin_answer_chars = 10\n");
    let project = writer.book("Night Ferry", "en");
    let ids = answers_of_level_two(&writer, &project, 3);
    let prepared = prepare(&writer, &project, QUESTION);
    assert_eq!(prepared["injected"].as_array().unwrap().len(), 1, "{prepared}");
    let writer = writer.restarted_with(|options| options.config_file = Some(options.data_dir.join("none")));
    let prepared = prepare(&writer, &project, QUESTION);
    assert!(prepared["injected"].as_array().unwrap().len() > 1, "{prepared}");
    assert_eq!(config(&writer)["problems"][0]["kind"], "missing");
    // The number of matches, and the line with level and trust.
    set(&writer, json!({ "memory.search_limit": 2, "prompt_inject.include_meta_line": false }));
    let prepared = prepare(&writer, &project, QUESTION);
    let count = prepared["injected"].as_array().unwrap().len() + prepared["leftOut"].as_array().unwrap().len();
    assert_eq!(count, 2);
    assert!(!text(&prepared, "mergedPrompt").contains("trust"), "{prepared}");
    // A short answer is kept where the settings say so.
    let other = prepare(&writer, &project, "How deep is the water over the bar?");
    let short = json!({ "exitCode": 0, "answer": "Two fathoms at the ebb, says the pilot." });
    assert_eq!(complete(&writer, &project, &other, short.clone())["whyNot"], json!(["short"]));
    set(&writer, json!({ "candidate_extract.min_answer_chars": 10 }));
    let other = prepare(&writer, &project, "How deep is the water over the bar?");
    assert!(complete(&writer, &project, &other, short)["candidateId"].is_string());
    // Without memory a run is given nothing and keeps nothing.
    set(&writer, json!({ "memory.enabled": false }));
    let off = prepare(&writer, &project, QUESTION);
    assert_eq!((&off["injected"], &off["leftOut"], &off["mergedPrompt"]), (&json!([]), &json!([]), &json!(QUESTION)));
    let completed = complete(&writer, &project, &off, json!({ "exitCode": 0, "answer": LONG }));
    assert_eq!(completed["whyNot"], json!(["off"]));
    assert_eq!(get(&writer, &project, &ids[0])["validationLevel"], 2);
}

#[test]
fn the_number_of_failures_that_blocks_applies_to_the_failures_of_the_past_too() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let id = text(&record(&writer, &project, QUESTION, LONG), "answerId");
    validate(&writer, &project, &id, "pass");
    (0..2).for_each(|_| drop(run(&writer, &project, QUESTION, 1)));
    assert_eq!(get(&writer, &project, &id)["status"], "verified");
    set(&writer, json!({ "gatekeeper.block_if_consecutive_fail_ge": 2 }));
    writer.wait_until_idle();
    assert_eq!(get(&writer, &project, &id)["status"], "blocked");
    set(&writer, json!({ "gatekeeper.block_if_consecutive_fail_ge": null }));
    writer.wait_until_idle();
    assert_eq!(get(&writer, &project, &id)["status"], "verified");
    let file = writer.data_dir().join("config.toml");
    let setting = "[gatekeeper]\nblock_if_consecutive_fail_ge = 1\n";
    let writer = writer.restarted_after(|| fs::write(&file, setting).unwrap());
    writer.wait_until_idle();
    assert_eq!(get(&writer, &project, &id)["status"], "blocked");
}

#[test]
fn a_secret_that_does_not_prevent_a_candidate_is_redacted_in_question_and_answer() {
    let writer = with_file("[candidate_extract]\nstrict_secret_block = false\n");
    let project = writer.book("Night Ferry", "en");
    let secret = format!("sk-{}", "a1B2".repeat(12));
    let prepared = prepare(&writer, &project, &format!("What does the key {secret} open?"));
    let outcome = json!({ "exitCode": 0, "answer": format!("{LONG} The key is {secret}.") });
    let id = text(&complete(&writer, &project, &prepared, outcome), "candidateId");
    let answer = get(&writer, &project, &id);
    assert!(!answer.to_string().contains(&secret) && text(&answer, "question").contains("[REDACTED]"), "{answer}");
}

#[test]
fn the_host_takes_the_file_of_memex_as_it_is() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("memex.toml");
    fs::write(&file, include_str!("../../src-tauri/crates/answers/tests/fixtures/memex-config.toml")).unwrap();
    // No encoder is loaded: the test needs none.
    let arguments = ["--config", file.to_str().unwrap(), "--embedder", "nowhere"];
    let host = Host::start(&folder.path().join("data"), &arguments);
    let found = host.ask("answer:config:get", json!({}));
    assert_eq!(found["problems"], json!([]));
    assert_eq!(value_and_source(&found, "gatekeeper.max_inject"), (json!(10.0), "file".into()));
    assert_eq!(value_and_source(&found, "events_out.enabled"), (json!(true), "file".into()));
    let ignored = found["ignored"].to_string();
    assert!(["tui", "policy", "gatekeeper.provider", "events_out.path"].iter().all(|name| ignored.contains(name)));
    let book = host.ask("project:create", json!({ "title": "夜航", "language": "zh" }));
    let prepared =
        host.ask("answer:prepare", of_book(&text(&book, "projectId"), json!({ "query": "船什么时候能走？" })));
    assert_eq!(prepared["injected"], json!([]));
}
