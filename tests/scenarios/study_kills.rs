//! The process is killed in each phase of a study: the same question goes on, nothing that is counted is counted or
//! sent again, and nothing is kept twice.

use palimpsest_tests::{Host, server::Answer};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_kills::Machine,
    asking_stage::CHAT,
    study_stage::{Asked, MET, QUESTION, STOP, Script, find_step, follow, questions, request_kind},
};

/// Maximum number of times that the state is asked for.
const MAX_LOOKS: usize = 20_000;

/// A host with a study that the writer agreed to.
fn agreed() -> (Machine, Host) {
    let (machine, host) = Machine::new();
    let host_name = host.ask("knowledge:study:estimate", of_book(&machine.project, json!({})))["host"].clone();
    let set = json!({ "isEnabled": true, "agreedHost": host_name, "version": 0 });
    host.ask("knowledge:study:set", of_book(&machine.project, set));
    (machine, host)
}

fn study_state(machine: &Machine, host: &Host) -> Value {
    host.ask("knowledge:study:get", of_book(&machine.project, json!({})))
}

/// Asks for the state until it is the wanted one.
#[track_caller]
fn wait_for(machine: &Machine, host: &Host, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..MAX_LOOKS {
        last = study_state(machine, host);
        if is_wanted(&last) {
            return last;
        }
    }
    panic!("the study did not come so far: {last}");
}

fn count(machine: &Machine, kind: Asked) -> usize {
    machine.server.requests_to(CHAT).iter().filter(|asked| request_kind(asked) == kind).count()
}

/// Lets the model reply to requests of earlier kinds, and to none of this kind.
fn hold(machine: &Machine, held: Asked, from_step: usize) {
    let gate = machine.server.gate();
    let steps = std::sync::Mutex::new(0);
    machine.server.reply(CHAT, move |asked| {
        let kind = request_kind(asked);
        let mut steps = steps.lock().unwrap();
        *steps += usize::from(kind == Asked::Step);
        if kind == held && (kind != Asked::Step || *steps >= from_step) {
            return Answer::stream().wait_at(&gate);
        }
        match kind {
            // Another type than that of a question whose type is lost.
            Asked::Questions => Answer::chat(&[&questions(&[QUESTION]).replace("plot", "relationship")]),
            Asked::Step if *steps == 1 => Answer::chat(&[&find_step("Harwick met")]),
            Asked::Step => Answer::chat(&[STOP]),
            Asked::Summary => Answer::chat(&[&Script::dutiful().summaries[0]]),
            Asked::Comparison => Answer::chat(&[&Script::dutiful().comparisons[0]]),
        }
    });
}

/// Runs the study until the model has a request of this kind, and kills the process.
fn kill_in(machine: &Machine, host: Host, phase: &str, held: Asked, from_step: usize) {
    hold(machine, held, from_step);
    host.ask("knowledge:study:run", of_book(&machine.project, json!({})));
    wait_for(machine, &host, |state| count(machine, held) >= from_step.max(1) && state["currentPhase"] == phase);
    host.kill();
}

/// Lets the next process finish the study, and asserts that it kept one record, once, with this many requests.
fn assert_finished(machine: &Machine, steps: &[&str], requests: [usize; 3]) -> Value {
    let record = assert_kept_once(machine, steps);
    let kinds = [Asked::Questions, Asked::Step, Asked::Summary];
    assert_eq!(kinds.map(|kind| count(machine, kind)), requests);
    record
}

/// Lets the next process finish the study, and asserts that it kept one record, once.
fn assert_kept_once(machine: &Machine, steps: &[&str]) -> Value {
    let steps = steps.iter().map(ToString::to_string).collect();
    follow(&machine.server, Script { steps, ..Script::dutiful() });
    let host = machine.host();
    let is_over = |state: &Value| state["questionId"].is_null() && state["currentPhase"] == "idle";
    let ended = wait_for(machine, &host, is_over);
    assert_eq!(ended["totalQuestionsExplored"], 1, "{ended}");
    assert_eq!((&ended["questionsToday"], &ended["explorationsToday"]), (&json!(1), &json!(1)), "counted once");
    let listed = host.ask("knowledge:record:list", of_book(&machine.project, json!({})));
    assert_eq!(listed["records"].as_array().unwrap().len(), 1);
    let journal = host.ask("journal:list", of_book(&machine.project, json!({ "kind": "study" })));
    assert_eq!(journal["entries"].as_array().unwrap().len(), 1);
    let record = listed["records"][0].clone();
    assert!(host.end());
    record
}

#[test]
fn a_kill_while_questions_are_asked_for_goes_on_with_the_question_of_a_template() {
    let (machine, host) = agreed();
    kill_in(&machine, host, "generatingQuestion", Asked::Questions, 0);
    let record = assert_finished(&machine, &[&find_step("Harwick met"), STOP], [1, 2, 1]);
    assert_ne!(record["question"], QUESTION, "the request is not sent again");
}

#[test]
fn a_kill_while_the_gaps_are_counted_begins_the_same_question_once() {
    let (machine, host) = agreed();
    host.kill();
    // The state that is stored before the gaps of the book are counted.
    let db = Connection::open(machine.folder.path().join("data/episodes.db")).unwrap();
    let stored: String = db.query_row("SELECT state FROM study", [], |row| row.get(0)).unwrap();
    let mut stored: Value = serde_json::from_str(&stored).unwrap();
    (stored["phase"], stored["isOnDemand"]) = (json!("checking"), json!(true));
    db.execute("UPDATE study SET state = ?1", params![stored.to_string()]).unwrap();
    drop(db);
    let record = assert_finished(&machine, &[&find_step("Harwick met"), STOP], [1, 2, 1]);
    assert_eq!(record["question"], QUESTION);
}

#[test]
fn a_kill_in_the_middle_of_an_exploration_keeps_its_steps() {
    let (machine, host) = agreed();
    kill_in(&machine, host, "exploring", Asked::Step, 2);
    let record = assert_finished(&machine, &[STOP], [1, 3, 1]);
    assert_eq!(record["question"], QUESTION);
    let path = record["details"]["explorationPath"].as_array().unwrap();
    assert_eq!((path.len(), &path[0]["parameters"]["query"]), (1, &json!("Harwick met")));
    assert_eq!(record["details"]["questionType"], "relationship", "the type stays too");
}

#[test]
fn a_kill_while_it_waits_after_an_error_goes_on_with_the_same_question() {
    let (machine, host) = agreed();
    machine.server.reply(CHAT, |asked| match request_kind(asked) {
        Asked::Questions => Answer::chat(&[&questions(&[QUESTION])]),
        Asked::Step | Asked::Comparison => Answer::chat(&[STOP]),
        Asked::Summary => Answer::json(500, json!({ "error": { "message": "overloaded" } })),
    });
    host.ask("knowledge:study:run", of_book(&machine.project, json!({})));
    wait_for(&machine, &host, |state| state["currentPhase"] == "backingOff");
    host.kill();
    let record = assert_kept_once(&machine, &[STOP]);
    assert_eq!(record["question"], QUESTION);
}

#[test]
fn a_kill_during_the_summary_asks_for_another_one_of_the_same_question() {
    let (machine, host) = agreed();
    kill_in(&machine, host, "summarizing", Asked::Summary, 0);
    let record = assert_finished(&machine, &[STOP], [1, 2, 2]);
    assert_eq!(record["question"], QUESTION);
}

#[test]
fn a_kill_while_two_sentences_are_compared_asks_once_more_and_keeps_one_verdict() {
    let (machine, host) = agreed();
    let texts = ["Mara Venn had blue eyes, as all the family had.", "Mara Venn's eyes were brown that evening."];
    let chapters: Vec<Value> = [crate::island::FERRY, crate::island::LEDGER]
        .iter()
        .zip(texts)
        .zip(1..)
        .map(|((text, more), number)| json!({ "chapterId": format!("c{number}"), "text": format!("{text}\n{more}\n") }))
        .collect();
    host.ask("story:analyze", of_book(&machine.project, json!({ "chapters": chapters, "isWhole": true })));
    hold(&machine, Asked::Comparison, 0);
    host.ask("story:continuity:compare", of_book(&machine.project, json!({})));
    wait_for(&machine, &host, |state| count(&machine, Asked::Comparison) == 1 && state["currentPhase"] == "comparing");
    host.kill();

    let comparisons = vec![crate::study_stage::comparison("conflict", "Blue is not brown.")];
    follow(&machine.server, Script { comparisons, ..Script::dutiful() });
    let host = machine.host();
    let ended = wait_for(&machine, &host, |state| state["currentPhase"] == "idle");
    assert_eq!((&ended["questionsToday"], count(&machine, Asked::Comparison)), (&json!(0), 2), "{ended}");
    let list = host.ask("story:continuity:list", of_book(&machine.project, json!({})));
    assert_eq!((&list["pairs"]["conflicts"], &list["pairs"]["waiting"]), (&json!(1), &json!(0)));
    assert!(host.end());
    let db = Connection::open(machine.folder.path().join("data/episodes.db")).unwrap();
    let stored: String = db.query_row("SELECT state FROM study", [], |row| row.get(0)).unwrap();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(stored["comparisonsToday"], 2, "each request is counted once");
}

#[test]
fn a_kill_before_the_commit_stores_the_result_once() {
    let (machine, host) = agreed();
    kill_in(&machine, host, "summarizing", Asked::Summary, 0);
    // The state that is stored between the check of the summary and its commit.
    let db = Connection::open(machine.folder.path().join("data/episodes.db")).unwrap();
    let stored: String = db.query_row("SELECT state FROM study", [], |row| row.get(0)).unwrap();
    let mut stored: Value = serde_json::from_str(&stored).unwrap();
    stored["phase"] = json!("committing");
    stored["work"]["stage"] = json!("committing");
    let from = crate::island::FERRY.find(MET[2]).map(|at| crate::island::FERRY[..at].encode_utf16().count());
    stored["work"]["result"] = json!({
        "answer": MET[0], "model": "reader", "facts": [],
        "citations": [{ "chapterId": "c1", "from": from, "quote": MET[2] }],
    });
    db.execute("UPDATE study SET state = ?1", params![stored.to_string()]).unwrap();
    drop(db);
    let record = assert_finished(&machine, &[STOP], [1, 2, 1]);
    assert_eq!((&record["answer"], &record["citations"][0]["quote"]), (&json!(MET[0]), &json!(MET[2])));
    let host = machine.host();
    study_state(&machine, &host);
    assert!(host.end());
    assert_finished(&machine, &[STOP], [1, 2, 1]);
}

#[test]
fn a_kill_at_any_time_around_the_commit_keeps_all_of_it_or_nothing_and_in_the_end_once() {
    for looks in [0, 1, 2, 4, 8, 16] {
        let (machine, host) = agreed();
        follow(&machine.server, Script { steps: vec![STOP.to_owned()], ..Script::dutiful() });
        host.ask("knowledge:study:run", of_book(&machine.project, json!({})));
        wait_for(&machine, &host, |_| count(&machine, Asked::Summary) == 1);
        for _ in 0..looks {
            study_state(&machine, &host);
        }
        host.kill();
        let db = Connection::open(machine.folder.path().join("data/episodes.db")).unwrap();
        let rows = |table: &str| -> i64 {
            db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        let kept = rows("answers");
        assert!(kept <= 1);
        for table in ["answer_citations", "proposed_facts", "journal"] {
            assert_eq!(rows(table), kept, "{table} after {looks} looks");
        }
        drop(db);
        assert_kept_once(&machine, &[STOP]);
        assert_eq!((count(&machine, Asked::Questions), count(&machine, Asked::Step)), (1, 1));
        assert!(count(&machine, Asked::Summary) <= 2, "a lost summary is asked for once more");
    }
}
