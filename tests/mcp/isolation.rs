//! A server for one project says nothing of another one, whose ids are those of things that do not exist.

use rmcp::ServiceError;
use serde_json::{Value, json};

use super::{Agent, Books, MARK, episode, protocol_error, with_project};

const UNKNOWN: &str = "0199d3a0-0000-7000-8000-000000000000";

/// Arguments for each tool that has a project, with ids of the other project where it takes one.
fn calls(of_other: &Value) -> Vec<(&'static str, Value)> {
    vec![
        ("list_chapters", json!({})),
        ("recall_episodes", json!({ "queryText": "The ferry came in." })),
        ("list_rules", json!({})),
        ("prompt_context", json!({ "chapterId": "c9", "before": "The ferry came in, and Mara Venn took the rope." })),
        ("story_card", json!({ "entityId": of_other["entityId"] })),
        ("story_card", json!({ "name": "沈青禾" })),
        ("find_in_book", json!({ "queryText": "The ferry took the rope" })),
        ("ask_book", json!({ "question": "Who took the rope of the ferry?" })),
        ("search_answers", json!({ "query": "Who took the rope of the ferry?" })),
        ("recall_journal", json!({ "query": "the ferry" })),
        ("record_episode", episode("The ferry came in.")),
        ("prepare_answer", json!({ "query": "Who took the rope of the ferry?" })),
        ("complete_answer", json!({ "runId": of_other["runId"], "answer": "", "exitCode": 0 })),
        ("store_journal_entry", json!({ "content": "The ferry." })),
    ]
}

#[test]
fn no_tool_reaches_another_project() {
    let books = Books::new();
    let agent = books.agent(&["--allow-write"]);
    for (tool, arguments) in calls(&books.of_chinese) {
        let result = json!(agent.try_call(tool, arguments.clone()).unwrap());
        assert!(!result.to_string().contains(MARK), "{tool}: {result}");
        // An id of the other project is refused as one that no project has.
        let of = |project: &str| json!(agent.try_call(tool, with_project(project, arguments.clone())).unwrap());
        let (other, unknown) = (of(&books.chinese), of(UNKNOWN));
        assert_eq!(other, unknown, "{tool}");
        assert_eq!(other["structuredContent"]["code"], "MEMORY_NOT_FOUND", "{tool}");
        assert_eq!(other["isError"], true, "{tool}");
    }
    for (tool, id) in [("story_card", "entityId"), ("complete_answer", "runId")] {
        let with = |value: &Value| {
            let mut arguments = json!({ id: value });
            if tool == "complete_answer" {
                arguments["answer"] = json!("");
                arguments["exitCode"] = json!(0);
            }
            agent.command_error(tool, arguments)
        };
        assert_eq!(with(&books.of_chinese[id]), with(&json!(UNKNOWN)), "{tool}");
    }
    let listed = agent.use_tool("list_projects", json!({}));
    assert_eq!(listed["projects"].as_array().unwrap().len(), 1);
    assert!(!listed.to_string().contains("雁回渡"));
    assert!(agent.end());
    // Nothing was written there either.
    let host = books.open_host();
    let journal = host.ask("journal:list", json!({ "projectId": books.chinese, "kind": "note" }));
    assert_eq!(journal["entries"].as_array().unwrap().len(), 1);
    assert!(host.end());
}

#[test]
fn the_mark_is_found_by_a_server_of_its_own_project() {
    let books = Books::new();
    let agent = books.agent_of(&[&books.chinese], &["--allow-write"]);
    let found = calls(&books.of_chinese).into_iter().filter(|(tool, arguments)| {
        let result = agent.try_call(tool, arguments.clone());
        result.is_ok_and(|result| json!(result).to_string().contains(MARK))
    });
    let found: Vec<&str> = found.map(|(tool, _)| tool).collect();
    for tool in ["recall_episodes", "list_rules", "find_in_book", "search_answers", "recall_journal"] {
        assert!(found.contains(&tool), "the test of isolation is empty for {tool}: {found:?}");
    }
    assert!(agent.end());
}

/// The error of a resource, and its absence for one that does not exist.
fn resource_error(agent: &Agent, uri: &str) -> Value {
    json!(protocol_error::<Value>(agent.read(uri)))
}

#[test]
fn no_resource_and_no_prompt_reaches_another_project() {
    let books = Books::new();
    let agent = books.agent(&["--allow-write"]);
    let of_other = books.of_chinese["entityId"].as_str().unwrap();
    for path in ["rules", "cards", &format!("card/{of_other}"), "", "card", "../rules"] {
        let other = resource_error(&agent, &format!("palimpsest://{}/{path}", books.chinese));
        assert_eq!(other, resource_error(&agent, &format!("palimpsest://{UNKNOWN}/{path}")), "{path}");
    }
    let own = |id: &str| resource_error(&agent, &format!("palimpsest://{}/card/{id}", books.english));
    assert_eq!(own(of_other), own(UNKNOWN));
    for path in ["rules", "cards"] {
        let content = agent.read(&format!("palimpsest://{}/{path}", books.english)).unwrap();
        assert!(!content.to_string().contains(MARK), "{path}");
    }
    let resources = agent.runtime.block_on(agent.client().list_all_resources()).unwrap();
    assert!(!json!(resources).to_string().contains(&books.chinese));
    let given = json!({ "chapter": "c9", "before": "The ferry came in, and Mara Venn took the rope." });
    let messages = agent.continue_prompt(given.clone()).unwrap().join("\n");
    assert!(!messages.contains(MARK), "{messages}");
    let refused = |project: &str| match agent.continue_prompt(with_project(project, given.clone())) {
        Err(ServiceError::McpError(error)) => json!(error),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&books.chinese), refused(UNKNOWN));
    assert!(agent.end());
}

#[test]
fn a_server_for_an_unknown_project_does_not_start() {
    let books = Books::new();
    let run = |projects: &[&str], more: &[&str]| {
        let output = books.command(projects, more).output().unwrap();
        assert!(output.stdout.is_empty(), "nothing but the protocol on standard output");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, why) = run(&[&books.english, UNKNOWN], &[]);
    assert_eq!((code, why.contains("no such project")), (Some(1), true), "{why}");
    let (code, why) = run(&[], &[]);
    assert_eq!((code, why.contains("--project")), (Some(2), true), "{why}");
    let agent = books.agent(&[]);
    let (code, _) = run(&[&books.english], &[]);
    assert_eq!(code, Some(1), "one process for a data folder");
    assert!(agent.end());
}
