//! Several servers on one database: what clients send at the same time adds up.

use std::thread;

use palimpsest_answers::{
    standing::{Event, EventKind, Standing, StandingRules, fold},
    validation::{Source, Strength, Validation, ValidationResult},
};
use palimpsest_server_tests::{Database, Server};
use serde_json::{Value, json};

use crate::{ANSWER, QUESTION, Team, find_answers, of_ferry, record, validate};

/// The standing of each answer is the fold of its events.
fn assert_standings_are_folds(database: &Database) {
    let rows = database.sql(
        "SELECT coalesce(json_agg(row_to_json(found)), '[]') FROM (SELECT a.level, a.trust_milli, a.fails_half, \
         a.passes, a.shown_count, a.used_count, a.times_blocked, a.verified_at, a.last_failed_at, a.created_at, \
         (SELECT coalesce(json_agg(e ORDER BY e.event), '[]') FROM answer_events e WHERE e.answer = a.answer) AS events \
         FROM answers a) AS found",
    );
    let rows: Value = serde_json::from_str(&rows).unwrap();
    for row in rows.as_array().unwrap() {
        let events: Vec<Event> = row["events"].as_array().unwrap().iter().map(event).collect();
        let folded = fold(Standing::initial(row["created_at"].as_i64().unwrap()), &events, StandingRules::default());
        let stored = ["level", "trust_milli", "fails_half", "passes", "shown_count", "used_count", "times_blocked"]
            .map(|column| row[column].as_i64().unwrap());
        let expected = [
            i64::from(folded.level),
            i64::from(folded.trust_milli),
            i64::from(folded.fails_half),
            i64::from(folded.passes),
            i64::from(folded.shown_count),
            i64::from(folded.used_count),
            i64::from(folded.times_blocked),
        ];
        assert_eq!(stored, expected, "{row}");
        assert_eq!(row["verified_at"].as_i64(), Some(folded.verified_at));
        assert_eq!(row["last_failed_at"].as_i64(), folded.last_failed_at);
    }
}

fn event(row: &Value) -> Event {
    let kind = if row["kind"] == "hit" {
        EventKind::Hit { shown: row["shown"] == true, used: row["used"] == true }
    } else {
        let result = match row["result"].as_str() {
            Some("pass") => ValidationResult::Pass,
            Some("partial") => ValidationResult::Partial,
            _ => ValidationResult::Fail,
        };
        let source = if row["source"] == "writer" { Source::Writer } else { Source::Run };
        let used = row["used"] == true;
        EventKind::Validated(Validation { result, strength: Strength::Strong, source, used, applied: true })
    };
    Event { at: row["at"].as_i64().unwrap(), kind }
}

#[test]
fn hits_and_validations_of_two_servers_add_up() {
    let Some(team) = Team::new() else { return };
    let second = Server::start(&team.database.address());
    let ids: Vec<String> = (0..3).map(|n| record(&mut team.member(), &format!("{QUESTION} {n}"), ANSWER)).collect();
    thread::scope(|scope| {
        for worker in 0..8 {
            let server = if worker % 2 == 0 { &team.server } else { &second };
            let (mut client, ids) = (server.client(&team.key), &ids);
            scope.spawn(move || {
                for n in 0..12 {
                    // In different orders: locks are taken in the same one.
                    let mut references: Vec<Value> =
                        ids.iter().map(|id| json!({ "qa_id": id, "shown": true, "used": n % 2 == 0 })).collect();
                    references.rotate_left(worker % 3);
                    let hit = client.post("hit", &of_ferry(json!({ "references": references })));
                    assert_eq!(hit.body["recorded"], 3, "{hit:?}");
                    validate(&mut client, &ids[n % 3], if worker == 0 { "partial" } else { "pass" });
                }
            });
        }
    });
    let sums = "SELECT sum(shown_count), sum(used_count), sum(passes) FROM answers";
    assert_eq!(team.database.sql(sums), "288|144|84");
    assert_eq!(team.database.sql("SELECT count(*) FROM answer_events"), "384");
    assert_standings_are_folds(&team.database);
    for found in find_answers(&mut second.client(&team.key), QUESTION) {
        assert_eq!((&found["validation_level"], &found["trust"]), (&json!(3), &json!(1.0)), "{found}");
    }
}

#[test]
fn the_same_answer_that_two_servers_get_at_once_is_one() {
    let Some(team) = Team::new() else { return };
    let second = Server::start(&team.database.address());
    let ids: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let server = if worker % 2 == 0 { &team.server } else { &second };
                let mut client = server.client(&team.key);
                scope.spawn(move || record(&mut client, QUESTION, ANSWER))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(team.database.sql("SELECT answers FROM projects"), "1");
    assert_eq!(team.database.sql("SELECT max(answers) FROM terms"), "1");
}

#[test]
fn an_answer_rises_by_passes_and_uses_and_is_blocked_by_three_failures() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    let id = record(&mut client, QUESTION, ANSWER);
    for (pass, level) in [(1, 1), (2, 1), (3, 2)] {
        let after = validate(&mut client, &id, "pass");
        assert_eq!((&after["validation_level"], &after["status"]), (&json!(level), &json!("verified")), "{pass}");
    }
    // A failure of an answer that only was in the prompt changes nothing.
    let unused = json!({ "qa_id": id, "result": "fail", "source": "run", "payload": { "used": false } });
    assert_eq!(client.post("validate", &of_ferry(unused)).body["trust"], 0.65);
    for (fail, trust) in [(1, 0.55), (2, 0.45), (3, 0.35)] {
        assert_eq!(validate(&mut client, &id, "fail")["trust"], trust, "{fail}");
    }
    assert_eq!(find_answers(&mut client, QUESTION), Vec::<Value>::new(), "blocked");
    // After its wait it is sent with its failures, and the gate of a client decides.
    team.database.sql("UPDATE answers SET last_failed_at = last_failed_at - 24 * 3600 * 1000 - 1");
    let found = find_answers(&mut client, QUESTION);
    assert_eq!(found[0]["metadata"]["consecutive_fail"], 3.0);
    assert_eq!((&found[0]["status"], &found[0]["validation_level"]), (&json!("active"), &json!(2)));
    assert_eq!(validate(&mut client, &id, "pass")["status"], "verified");
    team.database.sql("UPDATE answer_events SET at = at - 24 * 3600 * 1000 - 1 WHERE result = 'fail'");
    assert_standings_are_folds(&team.database);
}
