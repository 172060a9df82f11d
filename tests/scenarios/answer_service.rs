//! The answer service of a team: its answers beside those of the memory, its failures, and the requests it gets.

use palimpsest_tests::{
    Writer,
    clock::retry_without_pause,
    server::{Answer, Request, Server},
    text,
};
use serde_json::{Value, json};

use crate::{
    answers::{DAY_MILLIS, get, listed, of_book, record, why_left_out},
    erasing::files_containing,
};

const KEY: &str = "sk-of-the-team-0123456789";
const SEARCH: &str = "/v1/qa/search";
const HIT: &str = "/v1/qa/hit";
const VALIDATE: &str = "/v1/qa/validate";
const CANDIDATES: &str = "/v1/qa/candidates";
const MINUTE_MILLIS: i64 = 60_000;
const QUESTION: &str = "When can the boat leave the harbour?";
/// An answer that is long enough to be kept by itself.
const LONG: &str = "The boat can leave the harbour at high water, which comes about fifty minutes later each day. So \
     the boat that left at dawn on Monday leaves after noon on Friday, or waits outside the bar for the flood, as the \
     pilot does in the ninth chapter of the book.";

/// A writer with a service that accepts every record and finds no answer.
struct Scene {
    writer: Writer,
    server: Server,
    project: String,
}

impl Scene {
    fn new(send_candidates: bool) -> Self {
        let server = Server::start();
        server.always(SEARCH, Answer::json(200, json!([])));
        for path in [HIT, VALIDATE, CANDIDATES] {
            server.always(path, Answer::bytes(204, "text/plain", ""));
        }
        let writer = Writer::with(retry_without_pause);
        let settings =
            json!({ "baseUrl": server.url(""), "key": KEY, "enabled": true, "sendCandidates": send_candidates });
        writer.ask("answer:service:set", settings);
        let project = writer.book("Night Ferry", "en");
        Self { writer, server, project }
    }

    /// Sets the answers that the service finds for every question.
    fn finds(&self, items: Value) -> &Self {
        self.server.always(SEARCH, Answer::json(200, items));
        self
    }

    fn in_book(&self, command: &str, more: Value) -> Value {
        self.writer.ask(command, of_book(&self.project, more))
    }

    fn prepare(&self, query: &str) -> Value {
        self.in_book("answer:prepare", json!({ "query": query }))
    }

    fn found_for(&self, query: &str) -> Value {
        self.in_book("answer:search", json!({ "query": query, "minScore": 0 }))
    }

    fn complete(&self, run: &Value, answer: &str) -> Value {
        let outcome = json!({ "exitCode": 0, "answer": answer });
        self.in_book("answer:complete", json!({ "runId": run["runId"], "outcome": outcome }))
    }

    fn waiting(&self) -> u64 {
        self.writer.ask("memory:status", json!({}))["answerOutbox"].as_u64().unwrap()
    }

    /// Waits until this number of rows is left in the outbox.
    fn wait_for_outbox(&self, rows: u64) {
        self.writer.ask_until("memory:status", json!({}), |status| status["answerOutbox"] == rows);
    }

    /// Waits until this number of attempts has failed and is noted.
    fn wait_for_tries(&self, tries: i64) {
        let db = rusqlite::Connection::open(self.writer.data_dir().join("episodes.db")).unwrap();
        let sum = "SELECT coalesce(sum(tries), 0) FROM answer_outbox";
        let noted = || db.query_row(sum, [], |row| row.get::<_, i64>(0)).unwrap();
        self.writer.ask_until("memory:status", json!({}), |_| noted() >= tries);
    }

    /// An answer of this memory that passed three times: of level 2.
    fn own(&self, question: &str, answer: &str) -> String {
        let id = text(&record(&self.writer, &self.project, question, answer), "answerId");
        for _ in 0..3 {
            self.in_book("answer:validate", json!({ "answerId": id, "result": "pass", "source": "writer" }));
        }
        assert!(get(&self.writer, &self.project, &id)["validationLevel"].as_u64().unwrap() >= 2);
        id
    }

    fn bodies(&self, path: &str) -> Vec<Value> {
        self.server.requests_to(path).into_iter().map(|asked| asked.body).collect()
    }
}

/// An answer of the service.
fn item(id: &str, question: &str, answer: &str) -> Value {
    json!({
        "qa_id": id, "question": question, "answer": answer, "score": 0.9, "relevance": 1.0, "trust": 0.8,
        "freshness": 1.0, "validation_level": 2, "status": "active", "metadata": { "consecutive_fail": 0 },
    })
}

#[test]
fn answers_of_the_service_stand_beside_those_of_the_memory_and_say_what_they_are() {
    let scene = Scene::new(false);
    let own = scene.own("When does the tide turn at the harbour?", LONG);
    scene.finds(json!([item("t-1", QUESTION, "At high water."), item("t-2", "Who is the smith?", "Ida.")]));
    let found = scene.found_for(QUESTION);
    assert_eq!(found["matches"][0]["answer"]["answerId"], *own, "{found}");
    assert_eq!((&found["degraded"], &found["service"]["reason"]), (&json!(true), &Value::Null));
    let remote = &found["service"]["matches"][0];
    assert_eq!((&remote["answerId"], &remote["questionMatch"]), (&json!("service:t-1"), &json!("exact")));
    assert!(found["service"]["matches"][1]["score"].as_f64().unwrap() < 0.2, "its own score is not believed: {found}");

    let prepared = scene.prepare(QUESTION);
    let injected = prepared["injected"].as_array().unwrap();
    let of_service: Vec<&Value> = injected.iter().filter(|one| one["isOfService"] == true).collect();
    assert_eq!(of_service.len(), 1, "{prepared}");
    assert_eq!(of_service[0]["answerId"], "service:t-1");
    assert!(text(&prepared, "mergedPrompt").contains("from the team"), "{prepared}");
    assert!(prepared["served"].is_null(), "the word of a service is never served without a run");
    let asked = scene.bodies(SEARCH).pop().unwrap();
    assert_eq!(
        (&asked["project_id"], &asked["query"], &asked["limit"]),
        (&json!(scene.project), &json!(QUESTION), &json!(6))
    );
}

#[test]
fn hits_and_validations_of_a_run_are_sent_to_the_service_once() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At high water.")]));
    let run = scene.prepare(QUESTION);
    let completed = scene.complete(&run, &format!("{LONG} [QA:1] [QA:7] [QA:t-1]"));
    assert_eq!(completed["hits"], json!([{ "answerId": "service:t-1", "shown": true, "used": true }]));
    assert_eq!(completed["invented"], 2, "an id that the prompt does not have is no use of it");
    scene.wait_for_outbox(0);
    let hit = json!({ "qa_id": "t-1", "shown": true, "used": true, "message_id": run["runId"] });
    assert_eq!(scene.bodies(HIT), [json!({ "project_id": scene.project, "references": [hit] })]);
    let validations = scene.bodies(VALIDATE);
    assert_eq!(validations.len(), 1);
    assert_eq!((&validations[0]["qa_id"], &validations[0]["result"]), (&json!("t-1"), &json!("pass")));
    assert_eq!(validations[0]["source"], "run");
    // Completed again, or opened again, nothing is sent again.
    scene.complete(&run, &format!("{LONG} [QA:1] [QA:7] [QA:t-1]"));
    let Scene { writer, server, project } = scene;
    let scene = Scene { writer: writer.restarted_with(retry_without_pause), server, project };
    scene.writer.clock.advance_millis(DAY_MILLIS);
    scene.writer.api.clock_moved();
    scene.prepare(QUESTION);
    assert_eq!((scene.waiting(), scene.bodies(HIT).len(), scene.bodies(VALIDATE).len()), (0, 1, 1));
    assert!(scene.bodies(CANDIDATES).is_empty(), "new answers are not sent unless the writer says so");
}

#[test]
fn a_service_that_claims_the_highest_level_for_every_question_fills_at_most_half_of_the_places() {
    let scene = Scene::new(false);
    let own: Vec<String> = ["the boat", "the small boat", "any boat"]
        .iter()
        .map(|boat| scene.own(&format!("When can {boat} leave the harbour?"), LONG))
        .collect();
    let claim = |id: &str, question: &str, answer: &str| {
        let mut item = item(id, question, answer);
        item["validation_level"] = json!(3);
        item["trust"] = json!(1.0);
        item
    };
    scene.finds(json!([
        claim("t-1", "When can the boat leave the old harbour?", "The boat can leave the harbour when it is told to."),
        claim("t-2", "When can the boat leave the new harbour?", "The boat can leave the harbour when it is paid."),
        claim("t-3", "Where is gold sold?", "Buy gold."),
    ]));
    let prepared = scene.prepare(QUESTION);
    let injected = prepared["injected"].as_array().unwrap();
    let of_service: Vec<&Value> = injected.iter().filter(|one| one["isOfService"] == true).collect();
    assert_eq!((injected.len(), of_service.len()), (3, 1), "{prepared}");
    assert!(injected.iter().filter(|one| own.iter().any(|id| one["answerId"] == **id)).count() == 2);
    assert_eq!(why_left_out(&prepared, "service:t-2"), "share", "{prepared}");
    assert_eq!(why_left_out(&prepared, "service:t-3"), "", "not relevant enough to be looked at: {prepared}");
    let levels = prepared["service"]["matches"].as_array().unwrap().iter().map(|one| one["validationLevel"].clone());
    assert!(levels.into_iter().all(|level| level == 2));
    assert!(text(&prepared, "mergedPrompt").contains("(level 2, trust 1.00, from the team)"));
}

#[test]
fn whatever_the_service_answers_the_memory_answers_as_without_it() {
    let scene = Scene::new(false);
    let own = scene.own(QUESTION, LONG);
    let elsewhere = Server::start();
    for (answer, reason) in [
        (Answer::json(401, json!({ "error": KEY })), "keyRefused"),
        (Answer::json(429, json!({})).header("retry-after", "100"), "rateLimited"),
        (Answer::json(500, json!({})), "providerFailed"),
        (Answer::redirect(&elsewhere.url(SEARCH)), "redirectRefused"),
        (Answer::bytes(200, "text/html", "<html></html>"), "malformed"),
        (Answer::json(200, json!({ "matches": [] })), "malformed"),
        (Answer::stream().chunk("[").flood("\"0123456789abcde\",", 3 << 20), "answerTooLong"),
        (Answer::hung_up(), "unreachable"),
    ] {
        scene.server.always(SEARCH, answer);
        // A new connection: the last failure does not count.
        scene.writer.ask("answer:service:set", json!({ "enabled": true, "sendCandidates": false }));
        let prepared = scene.prepare(QUESTION);
        assert_eq!(prepared["service"]["reason"], reason);
        assert_eq!((&prepared["service"]["matches"], &prepared["served"]["answerId"]), (&json!([]), &json!(own)));
        assert_eq!(
            prepared["injected"],
            json!([{ "answerId": own, "handle": "QA:1", "isProbation": false, "isOfService": false }])
        );
        let printed = prepared.to_string();
        assert!(!printed.contains(KEY), "{printed}");
    }
    assert_eq!(elsewhere.connections(), 0);
    // Switched off, it is not asked.
    let asked = scene.server.requests().len();
    scene.writer.ask("answer:service:set", json!({ "enabled": false, "sendCandidates": false }));
    assert!(scene.prepare(QUESTION)["service"].is_null());
    assert_eq!(scene.server.requests().len(), asked);
}

#[test]
fn items_that_cannot_be_used_are_left_out_and_an_id_of_the_memory_is_not_taken() {
    let scene = Scene::new(false);
    let own = text(&record(&scene.writer, &scene.project, "Who is the smith?", "Ida."), "answerId");
    let with = |id: &str, key: &str, value: Value| {
        let mut item = item(id, &format!("{QUESTION} {id}"), "No.");
        item[key] = value;
        item
    };
    scene.finds(json!([
        with("t-1", "status", json!("retired")),
        with("t-2", "expiry_at", json!("2020-01-01T00:00:00Z")),
        with("t-3", "answer", json!("  ")),
        with("bad id", "trust", json!(1)),
        with("t-4", "trust", json!("high")),
        item(&own, QUESTION, "At\u{0} high\u{7} water."),
    ]));
    let found = scene.found_for(QUESTION);
    assert_eq!(found["service"]["matches"].as_array().unwrap().len(), 1, "{found}");
    let run = scene.prepare(QUESTION);
    assert_eq!(run["service"]["skipped"], 1);
    let matches = run["service"]["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 1, "{run}");
    assert_eq!(
        (&matches[0]["answerId"], &matches[0]["answer"]),
        (&json!(format!("service:{own}")), &json!("At high water."))
    );
    let before = get(&scene.writer, &scene.project, &own);
    scene.complete(&run, "It is so [QA:1].");
    scene.wait_for_outbox(0);
    assert_eq!(get(&scene.writer, &scene.project, &own), before, "a service moves no answer of the memory");
}

#[test]
fn what_the_writer_blocked_or_deleted_does_not_come_back_by_a_service() {
    let scene = Scene::new(false);
    let blocked = record(&scene.writer, &scene.project, QUESTION, "At low water.");
    let version = |answer: &Value| json!({ "answerId": answer["answerId"], "version": answer["version"] });
    scene.in_book("answer:block", version(&blocked));
    scene.finds(json!([item("t-1", QUESTION, "At low water.")]));
    assert_eq!(scene.prepare(QUESTION)["service"]["matches"], json!([]));
    // Another answer to the same question may take its place.
    scene.finds(json!([item("t-2", QUESTION, "At high water.")]));
    assert_eq!(scene.prepare(QUESTION)["injected"][0]["answerId"], "service:t-2");

    let other = "Who keeps the light?";
    let deleted = record(&scene.writer, &scene.project, other, "Ida keeps it.");
    let mut arguments = version(&deleted);
    arguments["confirmed"] = json!(true);
    scene.in_book("answer:delete", arguments);
    scene.finds(json!([item("t-3", other, "Ida keeps it.")]));
    assert_eq!(scene.prepare(other)["service"]["matches"], json!([]));

    // An answer of the memory to the same question counts instead of the service's.
    scene.own("How deep is the bar?", "Two fathoms.");
    scene.finds(json!([item("t-4", "How deep is the bar?", "Three fathoms.")]));
    assert_eq!(scene.found_for("how deep is the bar")["service"]["matches"], json!([]));
}

#[test]
fn no_hidden_name_of_any_book_is_in_anything_that_the_service_is_sent() {
    let scene = Scene::new(true);
    let other = scene.writer.book("Other", "en");
    for (book, name, alias) in [(&scene.project, "Marisol", "Anna"), (&other, "Thibault", "Peter")] {
        let names = json!({ "projectId": book, "names": [{ "name": name, "alias": alias }] });
        scene.writer.ask("memory:names:set", names);
    }
    let question = "When does Marisol reach the harbour?";
    scene.finds(json!([item("t-1", "When does Anna reach the harbour?", "Anna comes at high water.")]));
    scene.found_for("Where does Marisol meet Thibault?");
    let run = scene.prepare(question);
    let found = &run["service"]["matches"][0];
    assert_eq!((&found["questionMatch"], &found["answer"]), (&json!("exact"), &json!("Marisol comes at high water.")));
    assert!(!text(&run, "mergedPrompt").contains("Marisol"));
    // The model sees and writes the alias.
    scene.complete(&run, &format!("Anna meets Thibault late. {LONG} [QA:1]"));
    scene.wait_for_outbox(0);
    let candidates = scene.bodies(CANDIDATES);
    assert_eq!(candidates.len(), 1);
    assert!(text(&candidates[0], "answer").starts_with("Anna meets Peter late."), "{}", candidates[0]);
    let kept = listed(&scene.writer, &scene.project)["answers"][0].clone();
    assert!(text(&kept, "answer").starts_with("Marisol meets Thibault late."), "{kept}");
    let sent: Vec<Request> = scene.server.requests();
    assert!(sent.len() >= 4, "{sent:?}");
    for asked in sent {
        let printed = format!("{asked:?}");
        assert!(!printed.contains("Marisol") && !printed.contains("Thibault"), "{printed}");
    }
}

#[test]
fn new_answers_are_sent_only_where_the_writer_says_so_and_never_with_a_key_in_them() {
    let scene = Scene::new(true);
    let ask = |question: &str, answer: &str| {
        let run = scene.prepare(question);
        scene.complete(&run, answer)
    };
    let completed = ask(QUESTION, LONG);
    scene.wait_for_outbox(0);
    let sent = scene.bodies(CANDIDATES);
    assert_eq!((sent.len(), &sent[0]["question"], &sent[0]["answer"]), (1, &json!(QUESTION), &json!(LONG)));
    assert_eq!(sent[0]["metadata"]["answer_id"], completed["candidateId"]);
    let key = format!("ghp_{}", "a1B2c3".repeat(6));
    assert_eq!(ask("What is the key?", &format!("{LONG} The key is {key}"))["whyNot"], json!(["secret"]));
    assert_eq!(ask(&format!("Does {key} open it?"), LONG)["whyNot"], json!(["secret"]));
    // An answer that is deleted before it was sent is not sent.
    scene.server.always(CANDIDATES, Answer::json(503, json!({})));
    let completed = ask("Where does the pilot wait?", LONG);
    scene.wait_for_outbox(1);
    scene.wait_for_tries(1);
    let id = text(&completed, "candidateId");
    let version = get(&scene.writer, &scene.project, &id)["version"].clone();
    scene.in_book("answer:delete", json!({ "answerId": id, "version": version, "confirmed": true }));
    scene.server.always(CANDIDATES, Answer::json(200, json!({})));
    scene.writer.clock.advance_millis(MINUTE_MILLIS);
    scene.writer.api.clock_moved();
    scene.wait_for_outbox(0);
    assert_eq!(scene.bodies(CANDIDATES).len(), 2, "as before");
    let printed = format!("{:?}", scene.server.requests());
    assert!(!printed.contains(&key), "not even in a question");
}

#[test]
fn the_outbox_waits_for_a_service_that_is_down_over_a_restart_and_is_delivered_once() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At high water.")]));
    let down = || Answer::json(503, json!({}));
    scene.server.always(HIT, down()).always(VALIDATE, down());
    let run = scene.prepare(QUESTION);
    scene.complete(&run, "It is so [QA:1].");
    assert_eq!(scene.waiting(), 2);
    scene.wait_for_tries(1);
    let Scene { writer, server, project } = scene;
    let scene = Scene { writer: writer.restarted_with(retry_without_pause), server, project };
    assert_eq!(scene.waiting(), 2, "it is on disk");
    assert!(scene.bodies(VALIDATE).is_empty(), "the failure of one is that of all");

    // One attempt a delay, and each failure doubles the delay.
    for (minutes, attempts) in [(1, 2), (2, 3), (4, 4)] {
        scene.writer.clock.advance_millis(minutes * MINUTE_MILLIS - 1);
        scene.writer.api.clock_moved();
        scene.found_for("Who is the smith?");
        assert_eq!(scene.bodies(HIT).len(), attempts - 1, "not before its time");
        scene.writer.clock.advance_millis(1);
        scene.writer.api.clock_moved();
        scene.wait_for_tries(attempts as i64);
        assert_eq!((scene.bodies(HIT).len(), scene.bodies(VALIDATE).len()), (attempts, 0));
    }
    scene.server.always(HIT, Answer::json(200, json!({}))).always(VALIDATE, Answer::json(200, json!({})));
    scene.writer.clock.advance_millis(DAY_MILLIS);
    scene.writer.api.clock_moved();
    scene.wait_for_outbox(0);
    let delivered: Vec<Value> = scene.bodies(HIT);
    assert!(delivered.iter().all(|body| *body == delivered[0]), "the same request each time");
    let sent = scene.server.requests().len();
    scene.writer.clock.advance_millis(DAY_MILLIS);
    scene.writer.api.clock_moved();
    scene.prepare(QUESTION);
    assert_eq!(scene.server.requests().len(), sent + 1, "the search alone");
    assert_eq!(delivered.len(), 5);
}

#[test]
fn a_row_that_no_service_took_in_thirty_days_is_given_up() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At high water.")]));
    scene.server.always(HIT, Answer::json(400, json!({}))).always(VALIDATE, Answer::json(400, json!({})));
    let run = scene.prepare(QUESTION);
    scene.complete(&run, "It is so [QA:1].");
    scene.wait_for_tries(2);
    for _ in 0..31 {
        // Something new each day, so that the clock is believed.
        record(&scene.writer, &scene.project, QUESTION, "At high water, says the writer.");
        scene.writer.clock.advance_millis(DAY_MILLIS);
    }
    scene.writer.api.clock_moved();
    scene.wait_for_outbox(0);
}

#[test]
fn a_clearing_empties_the_outbox_and_removes_what_the_service_said() {
    let scene = Scene::new(true);
    scene.finds(json!([item("t-1", QUESTION, "At zyxquorn water.")]));
    let down = Answer::json(503, json!({}));
    scene.server.always(HIT, down.clone()).always(VALIDATE, down.clone()).always(CANDIDATES, down);
    let run = scene.prepare(QUESTION);
    scene.complete(&run, &format!("{LONG} [QA:1]"));
    scene.prepare(QUESTION);
    assert_eq!(scene.waiting(), 3);
    scene.wait_for_tries(1);
    assert!(!files_containing(&scene.writer.data_dir(), &["zyxquorn"]).is_empty(), "a run under way has its words");
    scene.in_book("memory:clear:project", json!({ "confirmed": true }));
    assert_eq!(scene.waiting(), 0);
    assert_eq!(files_containing(&scene.writer.data_dir(), &["zyxquorn"]), Vec::<String>::new());
    let sent = scene.server.requests().len();
    scene.writer.clock.advance_millis(DAY_MILLIS);
    scene.writer.api.clock_moved();
    scene.prepare(QUESTION);
    assert_eq!(scene.server.requests().len(), sent + 1, "the search alone");
}

#[test]
fn a_clearing_does_not_wait_for_the_service_and_a_run_gets_nothing_that_was_cleared() {
    let scene = Scene::new(false);
    scene.own(QUESTION, LONG);
    let gate = scene.server.gate();
    scene.server.always(SEARCH, Answer::stream().wait_at(&gate).chunk("[]"));
    std::thread::scope(|scope| {
        let prepared = scope.spawn(|| scene.prepare(QUESTION));
        scene.server.wait_for_request_to(SEARCH);
        scene.in_book("memory:clear:project", json!({ "confirmed": true }));
        gate.open();
        let run = prepared.join().unwrap();
        assert_eq!((&run["injected"], &run["served"]), (&json!([]), &Value::Null));
        assert_eq!(run["mergedPrompt"], QUESTION);
    });
}

#[test]
fn closing_the_program_does_not_wait_for_the_service() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At high water.")]));
    scene.server.always(HIT, Answer::stream().wait_at(&scene.server.gate()));
    let run = scene.prepare(QUESTION);
    scene.complete(&run, "It is so [QA:1].");
    let asked = scene.server.wait_for_request_to(HIT);
    let Scene { writer, server, project } = scene;
    let scene = Scene { writer: writer.restarted_with(retry_without_pause), server, project };
    scene.server.wait_until_gone(&asked);
    assert!(scene.waiting() > 0, "what was not accepted is still to be sent");
}

#[test]
fn the_words_of_a_service_leave_the_memory_with_the_run() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At zyxquorn water.")]));
    let words = || -> i64 {
        let db = rusqlite::Connection::open(scene.writer.data_dir().join("episodes.db")).unwrap();
        let count = "SELECT count(*) FROM answer_matches WHERE question IS NOT NULL OR answer IS NOT NULL";
        db.query_row(count, [], |row| row.get(0)).unwrap()
    };
    let run = scene.prepare(QUESTION);
    assert_eq!(words(), 1);
    scene.complete(&run, "It is so [QA:1].");
    assert_eq!(words(), 0);
    scene.prepare(QUESTION);
    scene.writer.clock.advance_millis(DAY_MILLIS + 1);
    scene.finds(json!([]));
    scene.prepare(QUESTION);
    assert_eq!(words(), 0, "also where it was never completed");
}

#[test]
fn the_writers_verdict_on_an_answer_of_the_service_is_sent_to_it() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At high water.")]));
    let run = scene.prepare(QUESTION);
    let verdict = json!({ "runId": run["runId"], "answerId": "service:t-1", "result": "fail" });
    let queued = scene.in_book("answer:service:validate", verdict.clone());
    scene.wait_for_outbox(0);
    let sent = &scene.bodies(VALIDATE)[0];
    assert_eq!(
        (&sent["result"], &sent["source"], &sent["signal_strength"]),
        (&json!("fail"), &json!("writer"), &json!("strong"))
    );
    assert_eq!(sent["payload"]["validation_id"], queued["validationId"]);
    for (field, value) in
        [("runId", "00000000-0000-7000-8000-ffffffffffff"), ("answerId", "service:t-9"), ("answerId", "t-1")]
    {
        let mut wrong = verdict.clone();
        wrong[field] = json!(value);
        let (code, _) = scene.writer.refused("answer:service:validate", of_book(&scene.project, wrong));
        assert_eq!(code, "MEMORY_INVALID_ARGUMENT");
    }
    assert_eq!(scene.waiting(), 0);
}

#[test]
fn a_restored_backup_sends_nothing_a_second_time() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At high water.")]));
    scene.server.always(HIT, Answer::json(503, json!({})));
    let run = scene.prepare(QUESTION);
    scene.complete(&run, "It is so [QA:1].");
    scene.wait_for_tries(1);
    let backups = scene.writer.ask("memory:backup:create", json!({}))["backups"].clone();
    let backup = backups.as_array().unwrap().iter().find(|one| one["file"] == "episodes").cloned().unwrap();
    scene.server.always(HIT, Answer::json(200, json!({})));
    scene.writer.clock.advance_millis(MINUTE_MILLIS);
    scene.writer.api.clock_moved();
    scene.wait_for_outbox(0);
    let sent = scene.server.requests().len();
    scene.writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
    assert_eq!(scene.waiting(), 0);
    scene.writer.api.clock_moved();
    scene.prepare(QUESTION);
    assert_eq!(scene.server.requests().len(), sent + 1, "the search alone");
}

#[test]
fn the_key_of_the_service_goes_to_its_host_alone_and_into_no_file() {
    let scene = Scene::new(false);
    let settings = scene.writer.ask("answer:service:get", json!({}));
    assert_eq!(
        settings,
        json!({ "baseUrl": scene.server.url(""), "enabled": true, "sendCandidates": false, "keyKept": "session" })
    );
    scene.prepare(QUESTION);
    let asked = scene.server.requests_to(SEARCH).pop().unwrap();
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(files_containing(&scene.writer.data_dir(), &[KEY]), Vec::<String>::new());

    // Another host gets no key that was entered for this one.
    let other = Server::start();
    other.always(SEARCH, Answer::json(200, json!([])));
    let moved = json!({ "baseUrl": other.url(""), "enabled": true, "sendCandidates": false });
    assert_eq!(scene.writer.ask("answer:service:set", moved)["keyKept"], "none");
    scene.prepare(QUESTION);
    assert_eq!(other.requests()[0].header("authorization"), None);

    for (settings, field) in [
        (json!({ "baseUrl": "http://192.168.1.20", "enabled": true, "sendCandidates": false }), "baseUrl"),
        (json!({ "baseUrl": "http://example.org", "enabled": false, "sendCandidates": false }), "baseUrl"),
        (json!({ "baseUrl": "https://me:key@example.org", "enabled": true, "sendCandidates": false }), "baseUrl"),
        (json!({ "key": "no key\n", "enabled": true, "sendCandidates": false }), "key"),
    ] {
        assert_eq!(
            scene.writer.refused("answer:service:set", settings),
            ("MEMORY_INVALID_ARGUMENT".into(), field.into())
        );
    }
    let fresh = Writer::new();
    let on = json!({ "enabled": true, "sendCandidates": false });
    assert_eq!(fresh.refused("answer:service:set", on), ("MEMORY_INVALID_ARGUMENT".into(), "baseUrl".into()));
    assert_eq!(fresh.ask("answer:service:get", json!({}))["baseUrl"], Value::Null);
}

#[test]
fn what_is_owed_to_one_service_is_sent_to_no_other() {
    let scene = Scene::new(false);
    scene.finds(json!([item("t-1", QUESTION, "At high water.")]));
    scene.server.always(HIT, Answer::json(503, json!({})));
    let run = scene.prepare(QUESTION);
    scene.complete(&run, "It is so [QA:1].");
    scene.wait_for_tries(1);
    let other = Server::start();
    other.always(SEARCH, Answer::json(200, json!([])));
    let set = |url: String| {
        scene.writer.ask("answer:service:set", json!({ "baseUrl": url, "enabled": true, "sendCandidates": false }));
        scene.writer.clock.advance_millis(MINUTE_MILLIS);
        scene.writer.api.clock_moved();
    };
    set(other.url(""));
    scene.prepare(QUESTION);
    assert_eq!((other.requests().len(), scene.waiting()), (1, 2), "the search alone");
    scene.server.always(HIT, Answer::json(200, json!({})));
    set(scene.server.url(""));
    scene.wait_for_outbox(0);
    assert_eq!(other.requests().len(), 1);
}
