use std::fs;

use palimpsest_api::{COMMANDS, EVENTS, typescript};
use palimpsest_tests::{Host, Writer};
use serde_json::json;
use tempfile::TempDir;

use super::{generating, repository};

#[test]
fn the_typescript_bindings_match_the_table_of_commands() {
    let file = repository("ui/src/backend/bindings.gen.ts");
    let fresh = typescript().unwrap();
    if generating() {
        fs::write(&file, &fresh).unwrap();
    }
    assert!(fs::read_to_string(&file).unwrap() == fresh, "stale: run `npm run generate`");
}

#[test]
fn command_names_are_sorted_begin_with_their_family_and_are_no_events() {
    assert!(COMMANDS.is_sorted_by(|(a, _), (b, _)| a < b));
    for (name, family) in COMMANDS {
        assert_eq!(name.split(':').next(), Some(*family));
    }
    for name in EVENTS {
        assert!(!COMMANDS.iter().any(|(command, _)| command == name));
    }
}

#[test]
fn every_command_refuses_a_field_it_does_not_know_and_names_it() {
    let writer = Writer::new();
    for (name, _) in COMMANDS {
        let (code, field) = writer.refused(name, json!({ "nonsense": "夜里的秘密" }));
        assert_eq!(code, "MEMORY_INVALID_ARGUMENT", "{name}");
        assert_eq!(field, "nonsense", "{name}");
    }
}

#[test]
fn a_command_that_does_not_exist_is_refused_with_a_typed_error() {
    assert_eq!(Writer::new().refused("memory:everything", json!({})).0, "MEMORY_INVALID_ARGUMENT");
}

#[test]
fn the_headless_host_answers_the_same_commands_by_json_rpc() {
    let folder = TempDir::new().unwrap();
    let host = Host::start(folder.path(), &["--clock", "fixed:2026-03-15T21:00:00Z"]);
    for (name, _) in COMMANDS {
        let error = &host.answer(name, json!({ "nonsense": 1 }))["error"];
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32000), &json!("MEMORY_INVALID_ARGUMENT")),
            "{name}"
        );
        assert_eq!(error["data"]["details"]["field"], "nonsense", "{name}");
    }
    assert_eq!(host.answer("memory:everything", json!({}))["error"]["code"], -32601);
    assert_eq!(host.ask("test:clock:advance", json!({ "days": 1, "hours": 2 }))["now"], "2026-03-16T23:00:00.000Z");
    assert!(host.end());
}

#[test]
fn without_a_fixed_clock_there_is_no_command_to_move_it() {
    let folder = TempDir::new().unwrap();
    let host = Host::start(folder.path(), &[]);
    assert_eq!(host.answer("test:clock:advance", json!({ "days": 1 }))["error"]["code"], -32601);
}
