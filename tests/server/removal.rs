//! Projects and answers that the administrator removes: nothing of them is left, and others keep theirs.

use palimpsest_server_tests::{Server, run_command};
use serde_json::json;

use crate::{ANSWER, QUESTION, Team, find_answers, of_ferry, record, validate};

#[test]
fn a_removed_project_leaves_no_row_and_its_own_keys_are_refused() {
    let Some(team) = Team::new() else { return };
    let other = team.database.add_project("harbour", &[]);
    let both = team.database.add_key(&["ferry", "harbour"]);
    let body = of_ferry(json!({ "question": QUESTION, "answer": ANSWER }));
    let mut member = team.member();
    let recorded = member.post_with("candidates", &body, "Idempotency-Key: k-1\r\n");
    assert_eq!(recorded.status, 201);
    validate(&mut member, recorded.body["qa_id"].as_str().unwrap(), "pass");
    let kept = json!({ "project_id": "harbour", "question": QUESTION, "answer": ANSWER });
    assert_eq!(team.server.client(&other).post("candidates", &kept).status, 201);

    let printed = run_command(&team.database.address(), &["project", "remove", "ferry"]).unwrap();
    assert_eq!(printed.trim(), "removed ferry with 1 answers");
    let project = team.database.sql("SELECT project FROM projects");
    for (table, count) in [
        ("projects WHERE name = 'ferry'", "0"),
        ("project_ids", "1"),
        ("answers", "1"),
        ("answer_events", "0"),
        ("requests", "0"),
        ("keys", "2"),
        ("key_projects", "2"),
        ("pg_class WHERE relname LIKE 'vectors\\_%' AND relkind = 'r'", "1"),
    ] {
        assert_eq!(team.database.sql(&format!("SELECT count(*) FROM {table}")), count, "{table}");
    }
    assert_eq!(team.database.sql(&format!("SELECT count(*) FROM terms WHERE term >> 32 <> {project}")), "0");

    let server = Server::start(&team.database.address());
    assert_eq!(server.client(&team.key).post("search", &of_ferry(json!({ "query": QUESTION }))).status, 401);
    let mut shared = server.client(&both);
    assert_eq!(shared.post("search", &of_ferry(json!({ "query": QUESTION }))).status, 403);
    let found = shared.post("search", &json!({ "project_id": "harbour", "query": QUESTION }));
    assert_eq!(found.body.as_array().unwrap().len(), 1);
    // A later project of the same name has none of its answers.
    let key = team.database.add_project("ferry", &[]);
    assert_eq!(find_answers(&mut server.client(&key), QUESTION), [] as [serde_json::Value; 0]);
    assert!(run_command(&team.database.address(), &["project", "remove", "quay"]).is_err());
}

#[test]
fn a_removed_answer_is_found_no_more_and_counts_no_more() {
    let Some(team) = Team::new() else { return };
    let mut member = team.member();
    let kept = record(&mut member, "Who keeps the ferry?", "Old Jun keeps it.");
    let terms = team.database.sql("SELECT term, answers FROM terms ORDER BY term");
    let gone = record(&mut member, QUESTION, ANSWER);
    validate(&mut member, &gone, "pass");
    run_command(&team.database.address(), &["answer", "remove", &gone]).unwrap();
    assert_eq!(find_answers(&mut member, QUESTION).iter().filter(|found| found["qa_id"] == gone.as_str()).count(), 0);
    assert_eq!(find_answers(&mut member, "Who keeps the ferry?")[0]["qa_id"], kept.as_str());
    assert_eq!(team.database.sql("SELECT term, answers FROM terms ORDER BY term"), terms);
    assert_eq!(team.database.sql("SELECT answers FROM projects"), "1");
    assert_eq!(team.database.sql("SELECT count(*) FROM answer_events"), "0");
    let why = run_command(&team.database.address(), &["answer", "remove", &gone]).unwrap_err();
    assert!(why.contains("no answer"), "{why}");
    // A hit on it is of an unknown answer.
    let hit = member.post("hit", &of_ferry(json!({ "references": [{ "qa_id": gone, "shown": true }] })));
    assert_eq!(hit.body["unknown"], 1, "{hit:?}");
}
