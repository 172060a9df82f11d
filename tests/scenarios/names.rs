//! Hidden names: replaced in everything that leaves for a model, and restored in everything that comes back.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use palimpsest_api::{EncoderSource, ports::Embedder, ports::EmbedderError};
use palimpsest_tests::{
    Event, Host, Writer,
    clock::retry_without_pause,
    server::{Answer, Request, Server},
    text,
};
use serde_json::{Value, json};

use crate::{add_rule, passage, taken, with_field};

const CHAT: &str = "/v1/chat/completions";
/// Strings that must never leave.
const REAL: [&str; 4] = ["欧阳砚", "欧阳", "砚", "Wystan"];

/// A writer with a server that writes, and all events.
fn writer_with_events(server: &Server) -> (Writer, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::<Mutex<Vec<Event>>>::default();
    let writer = Writer::with(|options| {
        retry_without_pause(options);
        let (sink, events) = (Arc::clone(&options.events), Arc::clone(&events));
        options.events = Arc::new(move |name, payload: Value| {
            events.lock().unwrap().push((name.to_owned(), payload.clone()));
            sink(name, payload);
        });
    });
    choose_model(&writer, server, "writing");
    (writer, events)
}

fn choose_model(writer: &Writer, server: &Server, purpose: &str) {
    let provider = json!({ "kind": "openAi", "name": "在家里", "baseUrl": server.url("/v1"), "key": "sk-0815" });
    let provider_id = text(&writer.ask("ai:provider:save", provider), "providerId");
    writer.ask("ai:purpose:set", json!({ "purpose": purpose, "providerId": provider_id, "model": "scribe" }));
}

fn hide(writer: &Writer, project: &str, names: &[(&str, &str)]) -> Value {
    let names: Vec<Value> = names.iter().map(|(name, alias)| json!({ "name": name, "alias": alias })).collect();
    writer.ask("memory:names:set", json!({ "projectId": project, "names": names }))
}

/// Hides the two names of these scenarios.
fn hide_both(writer: &Writer, project: &str) -> Value {
    hide(writer, project, &[("欧阳砚", "林先生"), ("Wystan", "Robert")])
}

fn has_real_name(said: &str) -> bool {
    REAL.iter().any(|name| said.contains(name) || said.to_lowercase().contains(&name.to_lowercase()))
}

fn assert_no_name_left(asked: &[Request]) {
    for asked in asked {
        assert!(!has_real_name(&asked.body.to_string()), "{}", asked.body);
        assert!(!has_real_name(&asked.path));
    }
}

/// A book with the names in every place where a name can occur.
fn book_with_names_everywhere(writer: &Writer) -> (String, Value) {
    let project = writer.book("夜航", "zh");
    hide_both(writer, &project);
    add_rule(writer, Some(&project), "欧阳砚说话要短，WYSTAN 从不道歉");
    let rejected = with_field(taken(&project, "雨夜，手稿。", "欧阳砚合上手稿。"), "selectedIndex", json!(-1));
    let rejected = with_field(rejected, "explicit", json!("Wystan 不会这样说"));
    writer.ask("memory:episode:record", rejected);
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿，欧阳砚。", "Wystan's lamp 灭了。"));
    for (kind, words) in [("intent", "让欧阳砚上船"), ("focus", "Wystan 在码头，手稿")] {
        writer.ask("memory:working:put", json!({ "projectId": project, "kind": kind, "text": words }));
    }
    let request =
        with_field(passage(&project, "雨夜里，欧阳砚合上手稿，等Wystan。"), "after", json!("欧阳砚没有回头。"));
    let request = with_field(request, "selection", json!("“Wystan！”欧阳砚说。"));
    (project, with_field(request, "instruction", json!("让欧阳砚先开口，别写 Wystans 的过去")))
}

#[test]
fn no_real_name_is_sent_and_the_answer_has_them_again() {
    let server = Server::start();
    // The alias is split at every point where a stream can split it.
    server.next(CHAT, Answer::chat(&["“Ro", "bert", "，”林", "先", "生", "说，“林", "子里有人。Robert", "s？”"]));
    server.next(CHAT, Answer::chat(&["林先生没有动。", "ROBERT", "！林先"]));
    server.always(CHAT, Answer::chat(&["林先生和Robert走了。"]).cut_every(1));
    let (writer, events) = writer_with_events(&server);
    let (_, request) = book_with_names_everywhere(&writer);
    let (started, done) = writer.run(with_field(request, "candidates", json!(3)));
    assert_eq!((&done["status"], &done["error"]), (&json!("finished"), &json!(null)));

    let asked = server.requests_to(CHAT);
    assert_eq!(asked.len(), 3);
    assert_no_name_left(&server.requests());
    for asked in &asked {
        let said = asked.body.to_string();
        assert!(said.contains("林先生") && said.contains("Robert") && said.contains("ROBERT"), "{said}");
    }

    let mut written: Vec<String> =
        done["candidates"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect();
    written.sort();
    let mut expected =
        ["“Wystan，”欧阳砚说，“林子里有人。Wystans？”", "欧阳砚没有动。WYSTAN！林先", "欧阳砚和Wystan走了。"];
    expected.sort_unstable();
    assert_eq!(written, expected);

    // The streamed text equals the final text, and no chunk contains half a name.
    let events = events.lock().unwrap();
    for place in 0..3_usize {
        let of_place = |(name, payload): &&Event| {
            name == "ai:skill:chunk"
                && payload["candidate"] == json!(place)
                && payload["generationId"] == started["generationId"]
        };
        let pieces: Vec<&str> =
            events.iter().filter(of_place).map(|(_, payload)| payload["text"].as_str().unwrap()).collect();
        assert_eq!(pieces.concat(), done["candidates"][place].as_str().unwrap());
        let whole = |piece: &&str| !piece.contains("林先") || piece.ends_with("林先");
        assert!(pieces.iter().all(|piece| !piece.contains("Robert") && whole(piece)), "{pieces:?}");
    }
}

#[test]
fn the_preview_shows_the_prompt_that_is_sent_and_the_trace_stores_it() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["林先生走了。"]));
    let (writer, _) = writer_with_events(&server);
    let (project, request) = book_with_names_everywhere(&writer);
    let preview = writer.ask("memory:context:assemble", request.clone());
    assert!(!has_real_name(&preview.to_string()), "{preview}");
    assert!(preview["memoryReferences"].as_array().unwrap().len() >= 4, "{preview}");
    let (started, _) = writer.run(request);
    for asked in server.requests_to(CHAT) {
        assert_eq!(asked.body["messages"], preview["messages"]);
    }
    let why = json!({ "projectId": project, "generationId": started["generationId"] });
    let trace = writer.ask("memory:trace:get", why);
    assert_eq!(trace["messages"], preview["messages"]);
    assert_eq!(trace["memoryReferences"], preview["memoryReferences"]);
    assert!(!has_real_name(&trace["messages"].to_string()));

    // The stored episode has the real names.
    writer.ask("memory:episode:record", taken(&project, "雨夜。", "欧阳砚走了。"));
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "欧阳砚走了" }));
    assert_eq!(found["episodes"][0]["episode"]["finalText"], "欧阳砚走了。");
}

#[test]
fn no_cut_leaves_a_half_of_a_name() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    hide(&writer, &project, &[("欧阳砚", "林先生")]);
    add_rule(&writer, Some(&project), &"欧阳砚".repeat(100));
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", &"欧阳砚".repeat(200)));
    for lead in ["", "一", "一二"] {
        let request = with_field(
            passage(&project, &format!("手稿。{lead}{}", "欧阳砚".repeat(3_000))),
            "budgetTokens",
            json!(1_000),
        );
        let request = with_field(request, "after", json!("欧阳砚".repeat(3_000)));
        let preview = writer.ask("memory:context:assemble", request);
        assert!(!has_real_name(&preview.to_string()), "{lead}");
        assert!(preview["totalTokens"].as_u64().unwrap() <= 1_000, "the budget counts what is sent");
    }
}

#[test]
fn a_book_that_has_the_alias_already_gets_another_and_its_own_words_back() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["林先", "生和林先", "生2走了。"]));
    let (writer, _) = writer_with_events(&server);
    let project = writer.book("夜航", "zh");
    hide(&writer, &project, &[("欧阳砚", "林先生")]);
    let (_, done) = writer.run(with_field(passage(&project, "林先生认识欧阳砚。"), "candidates", json!(1)));
    let said = server.requests_to(CHAT)[0].body.to_string();
    assert!(said.contains("林先生认识林先生2。") && !said.contains("欧阳砚"), "{said}");
    assert_eq!(done["candidates"], json!(["林先生和欧阳砚走了。"]));
}

#[test]
fn a_prompt_that_is_made_shorter_hides_the_names_as_well() {
    let server = Server::start();
    let too_long = json!({ "error": { "code": "context_length_exceeded",
        "message": "This model's maximum context length is 2048 tokens." } });
    server.next(CHAT, Answer::json(400, too_long));
    server.always(CHAT, Answer::chat(&["林先", "生走了。"]));
    let (writer, _) = writer_with_events(&server);
    let project = writer.book("夜航", "zh");
    hide(&writer, &project, &[("欧阳砚", "林先生")]);
    let request = passage(&project, &"雨夜里，欧阳砚合上手稿。".repeat(600));
    let (_, done) = writer.run(with_field(request, "candidates", json!(1)));
    assert_eq!(done["candidates"], json!(["欧阳砚走了。"]), "{done}");
    assert_eq!(server.requests_to(CHAT).len(), 2);
    assert_no_name_left(&server.requests());
}

/// Stub of the bundled encoder.
struct Plain;

impl Embedder for Plain {
    fn model(&self) -> &str {
        "plain/1"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, _: &str) -> Result<Vec<f32>, EmbedderError> {
        Ok(vec![1.0, 0.0])
    }
}

#[test]
fn an_encoder_behind_a_network_reads_no_name_either() {
    let server = Server::start();
    server.reply("/v1/embeddings", |asked| {
        let count = asked.body["input"].as_array().map_or(1, Vec::len);
        let data: Vec<Value> = (0..count).map(|n| json!({ "index": n, "embedding": [1.0, 0.5, 0.25] })).collect();
        Answer::json(200, json!({ "data": data, "model": "scribe" }))
    });
    let writer = Writer::with(|options| {
        retry_without_pause(options);
        options.encoder = EncoderSource::Loaded(Arc::new(Plain));
    });
    let project = writer.book("夜航", "zh");
    hide_both(&writer, &project);
    writer.ask("memory:episode:record", taken(&project, "雨夜，欧阳砚。", "Wystan's lamp 灭了。欧阳砚没有动。"));
    choose_model(&writer, &server, "embedding");
    let embedder = || {
        let status = writer.ask("memory:status", json!({}));
        status["parts"].as_array().unwrap().iter().find(|part| part["part"] == "embedder").unwrap().clone()
    };
    while embedder()["state"] == "catchingUp" {
        std::thread::yield_now();
    }
    assert_eq!(embedder()["state"], "ok");
    writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "欧阳砚在等Wystan" }));
    let asked = server.requests_to("/v1/embeddings");
    let said: String = asked.iter().map(|asked| asked.body.to_string()).collect();
    assert!(said.contains("林先生没有动") && said.contains("Robert's lamp"), "{said}");
    assert!(said.contains("林先生在等Robert"), "the question too: {said}");
    assert_no_name_left(&server.requests());

    // A remark may quote a global rule, so in a remark the names of other books are hidden too.
    let other = writer.book("别处", "zh");
    writer.ask("memory:episode:query", json!({ "projectId": other, "queryText": "欧 阳砚在等wystan" }));
    assert_no_name_left(&server.requests());
}

#[test]
fn names_stay_with_their_book_survive_a_restart_and_can_be_taken_back() {
    let writer = Writer::new();
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    let list = |writer: &Writer, project: &str| writer.ask("memory:names:list", json!({ "projectId": project }));
    assert_eq!(list(&writer, &one), json!({ "names": [], "askLowerCase": [] }));
    let both = json!({ "names": [
        { "name": "欧阳砚", "alias": "林先生" }, { "name": "Wystan", "alias": "Robert" }
    ], "askLowerCase": [] });
    assert_eq!(hide_both(&writer, &one), both);
    assert_eq!(writer.wait_for_event("memory:changed")["what"].as_array().map(Vec::len), Some(1));
    let writer = writer.restarted();
    assert_eq!(list(&writer, &one), both);
    assert_eq!(list(&writer, &other), json!({ "names": [], "askLowerCase": [] }));
    let shows = |project: &str| {
        let preview = writer.ask("memory:context:assemble", passage(project, "欧阳砚走了。"));
        preview["messages"].to_string().contains("欧阳砚")
    };
    assert_eq!((shows(&one), shows(&other)), (false, true));
    hide(&writer, &one, &[]);
    assert!(shows(&one));
}

#[test]
fn a_list_that_hides_nothing_is_refused_and_its_words_are_not_repeated() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    hide_both(&writer, &project);
    let cases: [(&[(&str, &str)], &str); 8] = [
        (&[("", "甲")], "names[0].name"),
        (&[("欧阳砚", " ")], "names[0].alias"),
        (&[("42", "甲")], "names[0].name"),
        (&[("欧阳砚", "甲"), (" 欧阳砚 ", "乙")], "names[1].name"),
        (&[("欧阳砚", "甲"), ("Wystan", "甲")], "names[1].alias"),
        (&[("欧阳砚", "甲"), ("Wystan", "小欧阳砚")], "names[1].alias"),
        (&[("Wystan", "WYSTAN")], "names[0].alias"),
        (&[("欧阳\n砚", "甲")], "names[0].name"),
    ];
    for (names, field) in cases {
        let names: Vec<Value> = names.iter().map(|(name, alias)| json!({ "name": name, "alias": alias })).collect();
        let error = writer.error("memory:names:set", json!({ "projectId": project, "names": names }));
        assert_eq!(error.details.unwrap().field.as_deref(), Some(field));
        assert!(!has_real_name(&error.message), "{}", error.message);
    }
    let many: Vec<Value> = (0..501).map(|n| json!({ "name": format!("人{n}"), "alias": format!("某{n}") })).collect();
    let refused = writer.refused("memory:names:set", json!({ "projectId": project, "names": many }));
    assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), "names".into()));
    let kept = writer.ask("memory:names:list", json!({ "projectId": project }));
    assert_eq!(kept["names"].as_array().unwrap().len(), 2, "what was refused changed nothing");
}

#[test]
fn names_stay_hidden_while_their_file_cannot_be_read() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["林先生走了。"]));
    let (writer, _) = writer_with_events(&server);
    let project = writer.book("夜航", "zh");
    hide_both(&writer, &project);
    writer.ask("memory:context:assemble", passage(&project, "夜。"));
    fs::remove_file(writer.data_dir().join("rules.db")).unwrap();
    let (started, done) = writer.run(with_field(passage(&project, "欧阳砚等Wystan。"), "candidates", json!(1)));
    assert_eq!((&started["memoryDegraded"], &done["status"]), (&json!(true), &json!("finished")), "{started} {done}");
    assert_eq!(server.requests_to(CHAT).len(), 1, "the chosen model still writes: {started}");
    assert_no_name_left(&server.requests());
    assert_eq!(done["candidates"], json!(["欧阳砚走了。"]));
}

#[test]
fn while_the_names_to_hide_are_unknown_nothing_is_sent() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["走了。"]));
    let folder = tempfile::TempDir::new().unwrap();
    let url = server.url("/v1");
    let given = ["--provider", "openai", "--base-url", &url, "--model", "scribe"];
    let host = Host::start(folder.path(), &given);
    let project = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
    let names = json!([{ "name": "欧阳砚", "alias": "林先生" }]);
    host.ask("memory:names:set", json!({ "projectId": project, "names": names }));
    assert!(host.end());
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rules.db")) {
            fs::write(&path, vec![0x5a; 20_000]).unwrap();
        }
    }
    let host = Host::start(folder.path(), &given);
    let answer = host.answer("ai:skill:run", passage(&project, "欧阳砚走了。"));
    assert_eq!(answer["error"]["data"]["code"], "MEMORY_STORE_UNAVAILABLE", "{answer}");
    assert_eq!(server.requests_to(CHAT).len(), 0);
    assert!(host.end());

    // The sample model sends nothing anywhere, so it still writes.
    let host = Host::start(folder.path(), &["--provider", "sample"]);
    host.ask("ai:skill:run", passage(&project, "欧阳砚走了。"));
    assert_eq!(host.wait_for_event("ai:skill:done")["status"], "finished");
}
