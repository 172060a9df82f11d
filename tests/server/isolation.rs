//! A key reaches its own projects alone.

use palimpsest_server_tests::run_command;
use serde_json::json;

use crate::{ANSWER, QUESTION, Team, find_answers, of_ferry, record};

#[test]
fn no_answer_of_a_project_reaches_the_key_of_another() {
    let Some(team) = Team::new() else { return };
    let mut ours = team.member();
    let id = record(&mut ours, QUESTION, ANSWER);
    let mut theirs = team.server.client(&team.database.add_project("night", &["00000000-0000-7000-8000-000000000001"]));
    let body = |project: &str| json!({ "project_id": project, "query": QUESTION, "min_score": 0 });
    // A project of another key and one that does not exist have the same refusal.
    for project in ["ferry", "no such project"] {
        let refused = theirs.post("search", &body(project));
        assert_eq!((refused.status, refused.code()), (403, "project_refused"));
    }
    for project in ["night", "00000000-0000-7000-8000-000000000001"] {
        assert_eq!(theirs.post("search", &body(project)).body, json!([]), "two ids of one project");
    }
    // An id of an answer is none in another project.
    let hits = json!({ "project_id": "night", "references": [{ "qa_id": id, "shown": true, "used": true }] });
    assert_eq!(theirs.post("hit", &hits).body, json!({ "recorded": 0, "duplicates": 0, "unknown": 1 }));
    let fail = json!({ "project_id": "night", "qa_id": id, "result": "fail", "source": "writer" });
    assert_eq!(theirs.post("validate", &fail).code(), "not_found");
    // The same answer there is another one.
    let candidate = json!({ "project_id": "night", "question": QUESTION, "answer": ANSWER });
    let recorded = theirs.post("candidates", &candidate);
    assert_eq!((recorded.status, &recorded.body["duplicate"]), (201, &json!(false)));
    let found = find_answers(&mut ours, QUESTION);
    assert_eq!((found.len(), &found[0]["qa_id"], &found[0]["trust"]), (1, &json!(id), &json!(0.5)));
    assert_eq!(found[0]["metadata"]["hit_count"], 0);
}

#[test]
fn a_key_may_be_for_several_projects_and_ends_when_it_is_revoked() {
    let Some(team) = Team::new() else { return };
    team.database.add_project("night", &[]);
    let both = team.database.add_key(&["ferry", "night"]);
    let mut client = team.server.client(&both);
    record(&mut client, QUESTION, ANSWER);
    assert_eq!(client.post("search", &json!({ "project_id": "night", "query": QUESTION })).body, json!([]));
    assert_eq!(find_answers(&mut client, QUESTION).len(), 1);
    let listed = run_command(&team.database.address(), &["key", "list"]).unwrap();
    let line = listed.lines().find(|line| line.ends_with("ferry night")).unwrap();
    assert!(!listed.contains(&both), "the words of a key are stored nowhere");
    let key_id = line.split('\t').next().unwrap();
    run_command(&team.database.address(), &["key", "revoke", key_id]).unwrap();
    // Another server has not seen the key before; this one forgets it within seconds.
    let other = palimpsest_server_tests::Server::start(&team.database.address());
    let refused = other.client(&both).post("search", &of_ferry(json!({ "query": QUESTION })));
    assert_eq!((refused.status, refused.code()), (401, "key_refused"));
    assert!(run_command(&team.database.address(), &["key", "revoke", key_id]).is_err());
    assert!(run_command(&team.database.address(), &["project", "link", "night", "ferry"]).is_err());
}

#[test]
fn a_request_without_a_valid_key_is_refused_whatever_it_asks() {
    let Some(team) = Team::new() else { return };
    let body = of_ferry(json!({ "query": QUESTION }));
    for route in ["search", "candidates", "hit", "validate"] {
        let refused = team.server.client("").post(route, &body);
        assert_eq!((refused.status, refused.code()), (401, "key_missing"));
        assert_eq!(refused.header("www-authenticate"), Some("bearer"));
        let other = team.key.replace(|c: char| c.is_ascii_digit(), "0");
        for key in ["sk-none", other.as_str()] {
            assert_eq!(team.server.client(key).post(route, &body).code(), "key_refused");
        }
    }
}
