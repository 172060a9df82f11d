//! The desktop speaks to the server as it is: two writers of a team share their answers.

use palimpsest_tests::{Writer, clock::retry_without_pause, text};
use serde_json::{Value, json};

use crate::{QUESTION, Team, find_answers, record};

/// An answer that is long enough to be kept by itself.
const LONG: &str = "The boat can leave the harbour at high water, which comes about fifty minutes later each day. So \
     the boat that left at dawn on Monday leaves after noon on Friday, or waits outside the bar for the flood, as the \
     pilot does in the ninth chapter of the book.";

struct Desktop {
    writer: Writer,
    project: String,
}

impl Desktop {
    /// A desktop with its own id of the book of the team.
    fn new(team: &Team) -> Self {
        let writer = Writer::with(retry_without_pause);
        let service = json!({
            "baseUrl": format!("http://{}", team.server.address), "key": team.key, "enabled": true,
            "sendCandidates": true,
        });
        writer.ask("answer:service:set", service);
        let project = writer.book("Night Ferry", "en");
        palimpsest_server_tests::run_command(&team.database.address(), &["project", "link", "ferry", &project])
            .unwrap();
        Self { writer, project }
    }

    fn in_book(&self, command: &str, mut args: Value) -> Value {
        args["projectId"] = json!(self.project);
        self.writer.ask(command, args)
    }

    /// Runs a question to its end, and waits until the service has what it is owed.
    fn run(&self, answer: &str) -> Value {
        let run = self.in_book("answer:prepare", json!({ "query": QUESTION }));
        let outcome = json!({ "exitCode": 0, "answer": answer });
        self.in_book("answer:complete", json!({ "runId": run["runId"], "outcome": outcome }));
        self.writer.ask_until("memory:status", json!({}), |status| status["answerOutbox"] == 0);
        run
    }
}

#[test]
fn an_answer_of_one_writer_reaches_the_other_whose_use_moves_its_trust() {
    let Some(team) = Team::new() else { return };
    // Ids of tests are the same in every data folder; those of real desktops are not.
    let (first, second) = (Desktop::new(&team), Desktop::new(&team));
    first.run(LONG);
    let stored = find_answers(&mut team.member(), QUESTION).remove(0);
    assert_eq!(
        (&stored["answer"], &stored["source"], &stored["validation_level"]),
        (&json!(LONG), &json!("palimpsest"), &json!(0))
    );

    // A candidate of level 0 is on probation: named in a run that went well, it passes.
    let run = second.run("It is so [QA:1].");
    let remote = format!("service:{}", text(&stored, "qa_id"));
    assert_eq!(run["service"]["matches"][0]["answerId"], *remote, "{run}");
    assert_eq!(run["service"]["reason"], Value::Null);
    assert!(text(&run, "mergedPrompt").contains("from the team"), "{run}");
    let after = find_answers(&mut team.member(), QUESTION).remove(0);
    assert_eq!((&after["validation_level"], &after["trust"]), (&json!(1), &json!(0.55)), "{after}");
    assert_eq!(after["metadata"]["use_count"], 1);

    // The writer's own word.
    let verdict = json!({ "runId": run["runId"], "answerId": remote, "result": "fail" });
    second.in_book("answer:service:validate", verdict);
    second.writer.ask_until("memory:status", json!({}), |status| status["answerOutbox"] == 0);
    let after = find_answers(&mut team.member(), QUESTION).remove(0);
    assert_eq!((&after["trust"], &after["metadata"]["consecutive_fail"]), (&json!(0.45), &json!(1.0)));
}

#[test]
fn a_desktop_with_a_wrong_key_or_a_book_that_is_not_linked_is_refused_and_asks_without_the_team() {
    let Some(team) = Team::new() else { return };
    record(&mut team.member(), QUESTION, LONG);
    let desktop = Desktop::new(&team);
    let unlinked = desktop.writer.book("Other", "en");
    let found = desktop.writer.ask("answer:search", json!({ "projectId": unlinked, "query": QUESTION }));
    assert_eq!((&found["service"]["reason"], &found["matches"]), (&json!("keyRefused"), &json!([])));
    let found = desktop.in_book("answer:search", json!({ "query": QUESTION }));
    assert_eq!(found["service"]["matches"].as_array().unwrap().len(), 1, "{found}");
    let wrong = json!({ "key": "palimpsest_0", "enabled": true, "sendCandidates": true });
    desktop.writer.ask("answer:service:set", wrong);
    assert_eq!(desktop.in_book("answer:search", json!({ "query": QUESTION }))["service"]["reason"], "keyRefused");
}
