//! Nothing of a question, its answer or its sources is in a log, and no hidden name in anything that is sent.

use std::{
    fs::{self, File},
    process::Command,
};

use palimpsest_api::{BaseUrl, Endpoint, Writing, model::ProviderKind};
use palimpsest_tests::{
    Host, host_binary,
    server::{Answer, Server},
    text,
};
use serde_json::{Value, json};

use crate::{
    answers::{of_book, record, validate},
    asking_stage::{ANSWER, CHAT, QUESTION, Stage, is_reply, result, spoken},
};

/// Words of a question, a selection, the answer of a model, the output and the errors of a program, a reply of a
/// service, a hidden name, its alias, a key, a chapter, a name of a program, and an answer by hand.
const PRIVATE: [&str; 13] = [
    "quornquestion",
    "quornselection",
    "quornanswer",
    "quornoutput",
    "quornerror",
    "quornservice",
    "Quornname",
    "Quornalias",
    "quornkey",
    "quornchapter",
    "quornprogram",
    "quornhand",
    "quornneed",
];

#[test]
fn the_log_has_no_word_of_a_question_an_answer_a_selection_a_program_or_a_service() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |inner: &str| folder.path().join(inner);
    for inner in ["home/.claude", "tmp"] {
        fs::create_dir_all(path(inner)).unwrap();
    }
    fs::hard_link(env!("CARGO_BIN_EXE_fake-agent"), path("home/.claude/claude")).unwrap();
    fs::write(path("home/.claude/claude.version"), "claude 2.0.1\n").unwrap();
    let server = Server::start();
    let item = json!([{ "qa_id": "t-1", "question": "Where is the quornquestion?", "answer": "quornservice says so.",
        "score": 0.9, "relevance": 1.0, "trust": 0.8, "freshness": 1.0, "validation_level": 2, "status": "active",
        "metadata": { "consecutive_fail": 0 } }, { "quornservice": 1 }]);
    server.always("/v1/qa/search", Answer::json(200, item));
    for path in ["/v1/qa/hit", "/v1/qa/validate", "/v1/qa/candidates"] {
        server.always(path, Answer::json(400, json!({ "error": "quornservice refuses" })));
    }
    let mut command = Command::new(host_binary());
    command.arg("--data-dir").arg(path("data")).args(["--log", "debug", "--embedder", "nowhere"]);
    command.env("HOME", path("home")).env("PATH", path("home/.claude")).env("TMPDIR", path("tmp"));
    command.stderr(File::create(path("stderr")).unwrap());
    let host = Host::start_by(command);
    let provider = json!({ "kind": "openAi", "name": "at home", "baseUrl": server.url("/v1"), "key": "quornkey" });
    let provider = host.ask("ai:provider:save", provider);
    let choice = json!({ "purpose": "asking", "providerId": provider["providerId"], "model": "reader" });
    host.ask("ai:purpose:set", choice);
    let service = json!({ "baseUrl": server.url(""), "key": "quornkey", "enabled": true, "sendCandidates": true });
    host.ask("answer:service:set", service);
    let project = text(&host.ask("project:create", json!({ "title": "island", "language": "en" })), "projectId");
    let chapter = "# One\n\nThe quornchapter lay by the quay, and Quornname slept in it until the ebb.\n";
    let chapters = json!([{ "chapterId": "c1", "text": chapter }]);
    host.ask("story:analyze", of_book(&project, json!({ "chapters": chapters, "isWhole": true })));
    let names = json!({ "names": [{ "name": "Quornname", "alias": "Quornalias" }] });
    host.ask("memory:names:set", of_book(&project, names));
    let hand = json!({ "question": "What is quornhand?", "answer": "The quornhand is a rope." });
    host.ask("answer:record", of_book(&project, hand));

    let question = "Where is the quornquestion of Quornname?";
    let asked = |more: Value| {
        let mut asked = json!({ "question": question, "selection": "The quornselection.", "fresh": true });
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let started = host.ask("ask:run", of_book(&project, asked));
        loop {
            let done = host.wait_for_event("ask:done");
            if done["runId"] == started["runId"] {
                return done;
            }
        }
    };
    let answer = "The quornanswer lay by the quay. [P1 \"The quornchapter lay by the quay\"]";
    let script = |steps: &[Value]| {
        let lines: String = steps.iter().map(|step| format!("{step}\n")).collect();
        fs::write(path("home/.claude/claude.script.jsonl"), lines).unwrap();
    };
    // A model: as it should be, after a need and a tool, with an unreadable reply, and failing.
    let need = json!({ "kind": "need", "need": "the quornneed of it" });
    let tool = json!({ "kind": "act", "tool": "entity", "arguments": { "name": "quornneed" } });
    for replies in [vec![], vec![need, tool, json!({ "kind": "stop" })], vec![json!("quornanswer is no reply")]] {
        crate::asking_stage::set_replies(&server, &replies, answer);
        assert_eq!(asked(json!({}))["status"], "finished");
    }
    server.reply(CHAT, |_| Answer::json(500, json!({ "error": { "message": "quornanswer" } })));
    assert_eq!(asked(json!({}))["status"], "failed");
    server.reply(CHAT, |_| Answer::bytes(200, "text/html", "<html>quornanswer</html>"));
    asked(json!({}));
    // A program: as it should be, with noise, failing, changing its copy, and missing.
    let saved = json!({ "kind": "claude", "name": "quornprogram" });
    let backend = host.ask("backend:save", saved)["backendId"].clone();
    let by_program = json!({ "backendId": backend, "isUnfencedAllowed": true });
    let output = format!("quornoutput. {answer}");
    script(&[
        json!({ "err": "quornerror\n", "times": 50 }),
        json!({ "out": "quornoutput" }),
        spoken(&output),
        result(&output),
    ]);
    assert_eq!(asked(by_program.clone())["status"], "finished");
    script(&[json!({ "err": "quornerror: please run /login\n" }), spoken(&output), json!({ "exit": 1 })]);
    asked(by_program.clone());
    script(&[json!({ "write": { "path": "001.md", "text": "quornoutput" } }), spoken(&output), result(&output)]);
    asked(by_program.clone());
    host.ask("backend:test", json!({ "backendId": backend }));
    fs::remove_file(path("home/.claude/claude")).unwrap();
    assert_eq!(asked(by_program)["status"], "failed");
    // A service: an answer, and failures.
    let prepare = || host.ask("answer:prepare", of_book(&project, json!({ "query": "Where is the quornquestion?" })));
    let run = prepare();
    let outcome = json!({ "exitCode": 0, "answer": "quornanswer [QA:1]", "outputTail": "quornoutput", "errorTail": "quornerror" });
    host.ask("answer:complete", of_book(&project, json!({ "runId": run["runId"], "outcome": outcome })));
    for reply in [
        Answer::json(500, json!({ "error": "quornservice" })),
        Answer::bytes(200, "text/html", "<html>quornservice</html>"),
        Answer::redirect("https://quornservice.example.org/"),
    ] {
        server.always("/v1/qa/search", reply);
        prepare();
    }
    // Refused requests.
    for (command, more) in [
        ("ask:run", json!({ "question": question, "quornquestion": 1 })),
        ("ask:run", json!({ "question": question, "at": { "chapterId": "quornchapter", "offset": 0 } })),
        ("ask:run", json!({ "question": question, "backendId": "quornprogram" })),
        ("answer:record", json!({ "question": question, "answer": "quornanswer sk-abcdefghij0123456789" })),
        ("answer:get", json!({ "answerId": "quornanswer" })),
        ("answer:update", json!({ "answerId": "quornanswer", "version": 1, "answer": "quornanswer" })),
        ("answer:search", json!({ "query": "quornquestion", "kinds": ["quornquestion"] })),
    ] {
        assert!(host.answer(command, of_book(&project, more))["error"].is_object(), "{command}");
    }
    assert!(host.end());
    let said = fs::read_to_string(path("stderr")).unwrap();
    assert!(said.contains("command=\"ask:run\"") && said.contains("refused"), "{said}");
    let found: Vec<&str> = said.lines().filter(|line| PRIVATE.iter().any(|private| line.contains(private))).collect();
    assert!(found.is_empty(), "{found:#?}");
    assert!(!said.contains(folder.path().to_str().unwrap()), "{said}");
}

/// Spellings of hidden names.
const SPELLINGS: [&str; 6] = ["Tobias", "TOBIAS", "tobias", "To\u{AD}bias", "Mara Venn", "mara venn"];

/// The names in anything that was sent or given.
fn names_in(sent: &str) -> Vec<&'static str> {
    SPELLINGS.into_iter().filter(|name| sent.contains(name)).collect()
}

#[test]
fn no_hidden_name_is_in_anything_that_a_question_sends_to_a_model_a_program_or_a_service() {
    let (stage, backend) = Stage::with_program("claude", Default::default());
    stage.choose_model();
    let (server, writer, project) = (&stage.server, &stage.writer, &stage.project);
    let names =
        json!({ "names": [{ "name": "Tobias", "alias": "Robert" }, { "name": "Mara Venn", "alias": "Anna Lee" }] });
    writer.ask("memory:names:set", of_book(project, names));
    // The names are in every source that a question looks into.
    let kept =
        text(&record(writer, project, "Who is Tobias to Mara Venn?", "Tobias is the son of Mara Venn."), "answerId");
    (0..3).for_each(|_| drop(validate(writer, project, &kept, "pass")));
    let entry = json!({ "content": "Tobias and Mara Venn moved to chapter two", "kind": "note" });
    writer.ask("journal:store", of_book(project, entry));
    writer.ask(
        "memory:episode:record",
        crate::taken(project, "Tobias and Mara Venn waited.", "Tobias laughed at Mara Venn."),
    );
    let service = json!({ "baseUrl": server.url(""), "key": "k-of-the-team", "enabled": true, "sendCandidates": true });
    writer.ask("answer:service:set", service);
    server.always("/v1/qa/search", Answer::json(200, json!([])));
    for path in ["/v1/qa/hit", "/v1/qa/validate", "/v1/qa/candidates"] {
        server.always(path, Answer::bytes(204, "text/plain", ""));
    }
    writer.wait_until_idle();
    let act = |tool: &str, arguments: Value| json!({ "kind": "act", "tool": tool, "arguments": arguments });
    let replies = [
        json!({ "kind": "need", "need": "who Robert is to Anna Lee" }),
        act("entity", json!({ "name": "Robert" })),
        act("together", json!({ "first": "Robert", "second": "Anna Lee" })),
        act("answers", json!({ "query": "Robert and Anna Lee" })),
        act("journal", json!({ "query": "Robert and Anna Lee" })),
        act("times", json!({ "name": "Robert" })),
        json!({ "kind": "stop" }),
    ];
    let answer = "Robert was twelve when he met Anna Lee, as all of the island knew, and for that reason nobody asked \
        him about the rope or about the lamps of the quay, which burned until the ebb of that night. \
        [P1 \"on 15 May 1983, when Robert was twelve\"]";
    crate::asking_stage::set_replies(server, &replies, answer);
    let question = "How old was Tobias, TOBIAS or To\u{AD}bias, when he met mara venn?";
    let asked = stage.ask_book(json!({ "question": question, "selection": "Tobias’s eyes, said Mara Venn." }));
    assert_eq!(asked.done["status"], "finished", "{}", asked.done);
    assert!(text(&asked.done["answered"], "text").starts_with("Tobias was twelve when he met Mara Venn"));

    stage.script("claude", &[spoken(answer), result(answer)]);
    let by_program = json!({ "question": question, "selection": "Tobias’s eyes.", "backendId": backend, "fresh": true,
        "isUnfencedAllowed": true });
    let asked = stage.ask_book(by_program);
    assert_eq!(asked.done["status"], "finished", "{}", asked.done);
    let seen = fs::read_to_string(stage.folder.path().join("bin/claude.seen.json")).unwrap();
    assert!(seen.contains("Robert"));
    assert_eq!(names_in(&seen), Vec::<&str>::new(), "{seen}");

    writer.wait_until_idle();
    writer.ask_until("memory:status", json!({}), |status| status["answerOutbox"] == 0);
    let requests = server.requests();
    let to = |path: &str| requests.iter().filter(|asked| asked.path == path).count();
    assert!(to("/v1/qa/search") >= 2, "the service was asked with both questions");
    assert!(to(CHAT) >= 8, "every step was asked for");
    assert!(requests.iter().filter(|asked| asked.path == CHAT).any(is_reply));
    for asked in &requests {
        let sent = asked.body.to_string();
        assert_eq!(names_in(&sent), Vec::<&str>::new(), "{} {sent}", asked.path);
    }
    let all: String = requests.iter().map(|asked| asked.body.to_string()).collect();
    assert!(all.contains("Robert") && all.contains("Anna Lee"));
}

#[test]
fn a_question_is_sent_nowhere_while_the_hidden_names_cannot_be_read() {
    let stage = Stage::with_model(&[], ANSWER);
    let names = json!({ "names": [{ "name": "Tobias", "alias": "Robert" }] });
    stage.writer.ask("memory:names:set", of_book(&stage.project, names));
    let Stage { server, writer, project, .. } = stage;
    let rules = writer.data_dir().join("rules.db");
    let url = server.url("/v1");
    let writer = writer.restarted_with(|options| {
        fs::remove_file(&rules).unwrap();
        fs::create_dir(&rules).unwrap();
        let base_url = BaseUrl::parse(&url).unwrap();
        let endpoint = Endpoint { kind: ProviderKind::OpenAi, base_url, key: None };
        options.writing = Writing::Given(endpoint, "reader".to_owned());
    });
    let error = writer.error("ask:run", of_book(&project, json!({ "question": QUESTION })));
    assert_eq!(json!(error.code), "MEMORY_STORE_UNAVAILABLE");
    assert_eq!(json!(error.details.unwrap().reason), "namesUnread");
    assert_eq!(server.requests_to(CHAT).len(), 0);
}
