//! Providers: set-up, keys that never leave, corrupt lists, and the headless host.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use palimpsest_api::{Network, Timeouts};
use palimpsest_tests::{
    Host, Writer,
    clock::StandingClock,
    server::{Answer, Server, unused_url},
    text,
};
use serde_json::{Value, json};

use crate::{passage, with_field};

const CHAT: &str = "/v1/chat/completions";
const KEY: &str = "sk-a-key-that-nobody-sees-0815";

fn writer() -> Writer {
    Writer::with(|options| options.network = Network::with(Timeouts::default(), StandingClock::new()))
}

fn provider_draft(url: &str) -> Value {
    json!({ "kind": "openAi", "name": "在家里", "baseUrl": url, "key": KEY })
}

fn save(writer: &Writer, url: &str) -> Value {
    writer.ask("ai:provider:save", provider_draft(url))
}

fn use_for(writer: &Writer, purpose: &str, provider: &Value) -> Value {
    let choice = json!({ "purpose": purpose, "providerId": provider["providerId"], "model": "scribe" });
    writer.ask("ai:purpose:set", choice)
}

fn list(writer: &Writer) -> Value {
    writer.ask("ai:provider:list", json!({}))
}

#[test]
fn without_any_provider_the_built_in_ones_serve() {
    let built_in =
        |purpose: &str| json!({ "purpose": purpose, "providerId": null, "model": null, "contextTokens": null });
    let expected = json!({
        "providers": [],
        "purposes": (["writing", "asking", "studying", "distilling", "embedding", "reranking", "journal"].map(built_in)),
        "writing": { "provider": "sample", "model": "sample-1", "sample": true },
        "keychain": false,
    });
    assert_eq!(list(&Writer::new()), expected);
}

#[test]
fn a_provider_is_kept_changed_and_chosen_and_survives_a_restart_without_its_key() {
    let server = Server::start();
    let writer = writer();
    let saved = save(&writer, &server.url("/v1/"));
    assert_eq!((&saved["baseUrl"], &saved["keyKept"]), (&json!(server.url("/v1")), &json!("session")));
    assert_eq!(use_for(&writer, "writing", &saved)["model"], "scribe");
    let renamed = json!({ "providerId": saved["providerId"], "kind": "openAi", "name": "改了名" });
    let renamed = writer.ask("ai:provider:save", renamed);
    assert_eq!((&renamed["baseUrl"], &renamed["keyKept"]), (&saved["baseUrl"], &json!("session")));
    let known = list(&writer);
    assert_eq!((&known["providers"], &known["writing"]["model"]), (&json!([renamed]), &json!("scribe")));
    let writer = writer.restarted();
    let again = list(&writer);
    assert_eq!(again["providers"], json!([with_field(renamed, "keyKept", json!("none"))]));
    assert_eq!(again["purposes"], known["purposes"]);
    assert_eq!(again["writing"], json!({ "provider": "openAi", "model": "scribe", "sample": false }));
}

#[test]
fn a_key_stays_with_the_host_it_was_typed_in_for() {
    let writer = writer();
    let provider = save(&writer, "http://127.0.0.1:1/v1");
    let change = |field: &str, value: &str| {
        let change = json!({ "providerId": provider["providerId"], "kind": "openAi", "name": "n" });
        text(&writer.ask("ai:provider:save", with_field(change, field, json!(value))), "keyKept")
    };
    assert_eq!(change("baseUrl", "http://127.0.0.1:1/api/v1"), "session");
    assert_eq!(change("key", ""), "none");
    assert_eq!(change("key", &format!("  {KEY}\n")), "session");
    assert_eq!(change("baseUrl", "http://127.0.0.1:2/api/v1"), "none", "another port is another server");
}

#[test]
fn deleting_a_provider_deletes_its_key_and_returns_to_the_built_in_model() {
    let server = Server::start();
    let writer = writer();
    let provider = save(&writer, &server.url("/v1"));
    for purpose in ["writing", "distilling", "embedding", "journal"] {
        use_for(&writer, purpose, &provider);
    }
    let project = writer.book("夜航", "zh");
    assert_eq!(
        writer.ask("ai:provider:delete", json!({ "providerId": provider["providerId"] })),
        json!({ "providerId": provider["providerId"] })
    );
    let known = list(&writer);
    assert_eq!(known["providers"], json!([]));
    assert!(known["purposes"].as_array().unwrap().iter().all(|purpose| purpose["providerId"].is_null()));
    let (started, done) = writer.run(passage(&project, "夜。"));
    assert_eq!((&started["provider"]["sample"], &done["status"]), (&json!(true), &json!("finished")));
    assert_eq!(server.requests_to(CHAT).len(), 0);
    let gone = json!({ "providerId": provider["providerId"] });
    assert_eq!(writer.refused("ai:provider:models", gone), ("MEMORY_NOT_FOUND".into(), "providerId".into()));
}

#[test]
fn an_invalid_argument_is_refused_by_the_name_of_its_field() {
    let writer = writer();
    let provider = save(&writer, "http://127.0.0.1:1/v1");
    let refused = |command: &str, args: Value, field: &str| {
        let (code, named) = writer.refused(command, args.clone());
        assert_eq!((code.as_str(), named.as_str()), ("MEMORY_INVALID_ARGUMENT", field), "{command} {args}");
    };
    let good = provider_draft("http://127.0.0.1:1/v1");
    for url in ["", "ftp://example.org", "http://example.org/v1", "https://me:pw@example.org", "https://a.org/?q=1"] {
        refused("ai:provider:save", with_field(good.clone(), "baseUrl", json!(url)), "baseUrl");
    }
    for name in ["", "  ", "a\nb", &"长".repeat(81)] {
        refused("ai:provider:save", with_field(good.clone(), "name", json!(name)), "name");
    }
    for key in ["two words", "钥匙", &"k".repeat(1_001)] {
        refused("ai:provider:save", with_field(good.clone(), "key", json!(key)), "key");
    }
    refused("ai:provider:save", with_field(good, "kind", json!("telepathy")), "kind");
    let choice =
        |provider: Value, model: Value| json!({ "purpose": "writing", "providerId": provider, "model": model });
    refused("ai:purpose:set", choice(provider["providerId"].clone(), Value::Null), "model");
    refused("ai:purpose:set", choice(provider["providerId"].clone(), json!(" ")), "model");
    refused("ai:purpose:set", choice(Value::Null, json!("scribe")), "model");
    refused("ai:usage:limit", json!({ "requestsPerDay": 0, "tokensPerDay": null }), "requestsPerDay");
    refused("ai:usage:limit", json!({ "requestsPerDay": null, "tokensPerDay": -1 }), "tokensPerDay");
    let nobody = writer.refused("ai:purpose:set", choice(json!("no-such"), json!("scribe")));
    assert_eq!(nobody, ("MEMORY_NOT_FOUND".into(), "providerId".into()));
    assert_eq!(list(&writer)["providers"].as_array().unwrap().len(), 1);
}

#[test]
fn a_connection_can_be_tested_with_and_without_a_model() {
    let server = Server::start();
    server.always("/v1/models", Answer::json(200, json!({ "data": [{ "id": "scribe" }, { "id": "clerk" }] })));
    server.always(CHAT, Answer::chat(&["ready"]));
    let writer = writer();
    let provider = save(&writer, &server.url("/v1"));
    let test =
        |model: Value| writer.ask("ai:provider:test", json!({ "providerId": provider["providerId"], "model": model }));
    let plain = test(Value::Null);
    assert_eq!((&plain["models"], &plain["answer"]), (&json!(2), &json!(false)));
    let listed = writer.ask("ai:provider:models", json!({ "providerId": provider["providerId"] }))["models"].clone();
    assert!(listed.as_array().unwrap().contains(&json!("scribe")), "{listed}");
    assert_eq!(server.requests_to(CHAT).len(), 0);
    assert_eq!(test(json!("scribe"))["answer"], true);
    assert_eq!(writer.ask("ai:usage:get", json!({}))["requests"], 1, "it was paid for");

    server.always("/v1/models", Answer::json(404, json!({})));
    let unlisted = test(json!("scribe"));
    assert_eq!((&unlisted["models"], &unlisted["answer"]), (&Value::Null, &json!(true)));
    server.always("/v1/models", Answer::json(401, json!({ "error": { "code": "invalid_api_key" } })));
    let refused = writer.error("ai:provider:test", json!({ "providerId": provider["providerId"], "model": "scribe" }));
    assert_eq!(refused.details.unwrap().reason.unwrap().name(), "keyRefused");
}

/// Every file below a folder, as bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if let Ok(bytes) = fs::read(&path) {
            // A file that is gone by now is skipped: databases create and delete temporary files.
            found.push((path.display().to_string(), bytes));
        }
    }
    found
}

#[test]
fn a_key_goes_to_its_provider_and_nowhere_else() {
    let server = Server::start();
    server.next(CHAT, Answer::chat(&["灯灭了。"]));
    // A server that echoes its request, as some do.
    let parrot = || json!({ "error": { "message": format!("Incorrect API key provided: {KEY}"), "param": KEY } });
    server.next(CHAT, Answer::json(401, parrot()));
    server.next(CHAT, Answer::json(400, parrot()));
    server.next(CHAT, Answer::stream().event(&parrot()));
    server.next(CHAT, Answer::redirect(&format!("http://127.0.0.1:1/?{KEY}")));
    server.always(CHAT, Answer::json(500, parrot()).header("x-key", KEY));
    server.always("/v1/models", Answer::json(403, parrot()));
    let said = Arc::<Mutex<Vec<String>>>::default();
    let writer = Writer::with(|options| {
        options.network = Network::with(Timeouts::default(), StandingClock::new());
        let (sink, said) = (Arc::clone(&options.events), Arc::clone(&said));
        options.events = Arc::new(move |name, payload: Value| {
            said.lock().unwrap().push(format!("{name} {payload}"));
            sink(name, payload);
        });
    });
    let call = |command: &str, args: Value| {
        let answer = writer.api.call(command, args);
        said.lock().unwrap().push(format!("{command} {answer:?}"));
        answer.ok().map(|answer| serde_json::from_str::<Value>(&answer).unwrap())
    };
    let provider = call("ai:provider:save", provider_draft(&server.url("/v1"))).unwrap();
    let of = json!({ "providerId": provider["providerId"] });
    let choice = json!({ "purpose": "writing", "providerId": provider["providerId"], "model": "scribe" });
    call("ai:purpose:set", choice.clone());
    let project = writer.book("夜航", "zh");
    for _ in 0..6 {
        let started = call("ai:skill:run", with_field(passage(&project, "夜。"), "candidates", json!(1))).unwrap();
        let done = writer.wait_for_event("ai:skill:done");
        assert_eq!(done["generationId"], started["generationId"]);
        call("memory:trace:get", json!({ "projectId": project, "generationId": started["generationId"] }));
    }
    call("ai:provider:list", json!({}));
    call("ai:provider:models", of.clone());
    call("ai:provider:test", with_field(of.clone(), "model", json!("scribe")));
    call(
        "ai:provider:save",
        with_field(provider_draft("http://example.org"), "providerId", provider["providerId"].clone()),
    );
    call("ai:provider:save", with_field(provider_draft(&server.url("/v1")), "kind", json!(["telepathy"])));
    call("ai:purpose:set", with_field(choice, "model", Value::Null));
    call("memory:status", json!({}));
    call("ai:usage:get", json!({}));
    let backups = call("memory:backup:create", json!({})).unwrap();
    assert!(!backups["backups"].as_array().unwrap().is_empty(), "backups are looked through too");

    let asked = server.requests_to(CHAT);
    assert!(asked.iter().all(|asked| asked.header("authorization") == Some(&format!("Bearer {KEY}"))));
    assert!(asked.iter().all(|asked| !asked.body.to_string().contains(KEY) && !asked.path.contains(KEY)));
    let data = writer.data_dir();
    let look = |when: &str| {
        for (name, bytes) in files(&data) {
            assert!(!bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "{when}: {name}");
        }
    };
    look("while it runs");
    call("ai:provider:delete", of);
    let said = said.lock().unwrap();
    assert!(said.len() > 40);
    for line in &*said {
        assert!(!line.contains(KEY), "{line}");
    }
    let _writer = writer.restarted();
    look("afterwards");
}

#[test]
fn a_broken_list_of_providers_never_blocks_a_start() {
    let writer = writer();
    let provider = save(&writer, "http://127.0.0.1:1/v1");
    use_for(&writer, "writing", &provider);
    let project = writer.book("夜航", "zh");
    let rules = writer.data_dir().join("rules.db");
    let spoil = |sql: &'static str| {
        let rules = rules.clone();
        move || rusqlite::Connection::open(&rules).unwrap().execute_batch(sql).unwrap()
    };
    let writes_itself = |writer: &Writer| {
        let (started, done) = writer.run(passage(&project, "夜。"));
        assert_eq!((&started["provider"]["sample"], &done["status"]), (&json!(true), &json!("finished")));
        assert!(started["degradedReasons"].to_string().contains("the built-in model writes"), "{started}");
    };

    // A later version may store kinds and purposes that this version does not know.
    let writer = writer.restarted_after(spoil(
        "INSERT INTO providers VALUES ('later', 'telepathy', 'n', 'mind://', 0);
         INSERT INTO purposes VALUES ('dreaming', 'later', 'm', NULL);",
    ));
    let known = list(&writer);
    assert_eq!((known["providers"].as_array().unwrap().len(), &known["writing"]["model"]), (1, &json!("scribe")));
    assert!(known["degradedReason"].is_string());

    let writer = writer.restarted_after(spoil("UPDATE providers SET base_url = 'not an address at all'"));
    writes_itself(&writer);
    assert_eq!(list(&writer)["providers"].as_array().unwrap().len(), 1, "it can still be seen and mended");

    let file = rules.clone();
    let writer = writer.restarted_after(move || fs::write(file, "this was a database".repeat(500)).unwrap());
    assert!(list(&writer)["degradedReason"].is_string());
    let folder = writer.path_beside("书");
    let book = writer.ask("project:create", json!({ "title": "夜航", "language": "zh", "path": folder }));
    let (started, done) = writer.run(passage(&text(&book, "projectId"), "夜。"));
    assert_eq!((&started["provider"]["sample"], &done["status"]), (&json!(true), &json!("finished")));
    assert!(started["degradedReasons"].to_string().contains("the built-in model writes"));
    assert_eq!(
        writer.refused("ai:provider:save", provider_draft("http://127.0.0.1:1/v1")).0,
        "MEMORY_STORE_UNAVAILABLE"
    );
}

#[test]
fn without_a_window_the_model_comes_from_the_command_line_and_its_key_from_the_environment() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["灯灭了。"]));
    let folder = tempfile::TempDir::new().unwrap();
    let url = server.url("/v1");
    let model = ["--provider", "openai", "--base-url", url.as_str(), "--model", "scribe"];
    let host = Host::start_with(folder.path(), &model, &[("PALIMPSEST_API_KEY", KEY)]);
    let book = host.ask("project:create", json!({ "title": "夜航", "language": "zh" }));
    let project = text(&book, "projectId");
    // The command line takes precedence over the stored provider.
    let other = host.ask("ai:provider:save", provider_draft(&unused_url()));
    host.ask("ai:purpose:set", json!({ "purpose": "writing", "providerId": other["providerId"], "model": "other" }));
    let started = host.ask("ai:skill:run", passage(&project, "夜。"));
    assert_eq!(started["provider"], json!({ "provider": "openAi", "model": "scribe", "sample": false }));
    let done = host.wait_for_event("ai:skill:done");
    assert_eq!(done["candidates"], json!(["灯灭了。", "灯灭了。", "灯灭了。"]));
    let asked = server.requests_to(CHAT);
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|asked| asked.header("authorization") == Some(&format!("Bearer {KEY}"))));
    assert!(host.end());

    let host = Host::start_with(folder.path(), &["--provider", "sample"], &[]);
    let started = host.ask("ai:skill:run", passage(&project, "夜。"));
    assert_eq!(started["provider"]["sample"], true);
    host.wait_for_event("ai:skill:done");
    assert!(host.end());
}
