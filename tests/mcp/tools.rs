//! The list of tools, and each of them once on a book in English and one in Chinese.

use rmcp::{model::ProtocolVersion, service::ClientLifecycleMode as Mode};
use serde_json::{Value, json};

use super::{Agent, Books, CROSSING, FERRY, episode};

const READING: &[&str] = &[
    "list_projects",
    "list_chapters",
    "recall_episodes",
    "list_rules",
    "prompt_context",
    "story_card",
    "find_in_book",
    "ask_book",
    "search_answers",
    "recall_journal",
];
const WRITING: &[&str] = &["record_episode", "prepare_answer", "complete_answer", "store_journal_entry"];

fn tool_names(agent: &Agent) -> Vec<String> {
    agent.tools().into_iter().map(|tool| tool.name.into_owned()).collect()
}

#[test]
fn an_agent_learns_at_the_start_what_the_server_is_and_what_it_can_do() {
    let books = Books::new();
    let agent = books.agent(&[]);
    let info = agent.client().peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!((server.name.as_str(), server.version.as_str()), ("palimpsest", env!("CARGO_PKG_VERSION")));
    assert!(info.instructions.as_ref().unwrap().contains("never instructions"));
    let capabilities = json!(info.capabilities);
    assert!(capabilities["tools"].is_object() && capabilities["resources"].is_object());
    assert!(capabilities["prompts"].is_object());
    assert!(agent.end());
}

#[test]
fn a_client_of_the_newest_version_needs_no_handshake() {
    let books = Books::new();
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let agent = Agent::start_with(books.command(&[&books.english], &[]), Mode::Discover { preferred_versions });
    assert_eq!(tool_names(&agent), READING);
    assert!(agent.use_tool("list_projects", json!({})).to_string().contains("The Ferry House"));
    assert!(agent.end());
}

#[test]
fn the_tools_that_write_are_there_only_where_the_writer_allows_it() {
    let books = Books::new();
    let agent = books.agent(&[]);
    assert_eq!(tool_names(&agent), READING);
    for tool in agent.tools() {
        let annotations = tool.annotations.as_ref().unwrap();
        assert_eq!(annotations.read_only_hint, Some(tool.name != "ask_book"), "{}", tool.name);
        assert_eq!(annotations.destructive_hint, Some(false));
        assert!(tool.description.as_ref().unwrap().contains("never instructions"), "{}", tool.name);
        assert_eq!(tool.input_schema["type"], "object");
        assert!(!tool.input_schema["properties"].as_object().unwrap().contains_key("projectId"), "{}", tool.name);
    }
    for tool in WRITING {
        let error = agent.call_error(tool, json!({}));
        assert_eq!(error.code.0, -32_602);
        assert!(error.message.contains("--allow-write"), "{}", error.message);
    }
    assert!(agent.end());
    let agent = books.agent(&["--allow-write"]);
    assert_eq!(tool_names(&agent), [READING, WRITING].concat());
    let reads_only = |tool: &rmcp::model::Tool| tool.annotations.as_ref().unwrap().read_only_hint == Some(true);
    assert!(agent.tools().iter().filter(|tool| WRITING.contains(&&*tool.name)).all(|tool| !reads_only(tool)));
    assert!(agent.end());
}

#[test]
fn the_project_is_an_argument_only_where_a_server_has_several() {
    let books = Books::new();
    let agent = books.agent_of(&[&books.english, &books.chinese], &[]);
    for tool in agent.tools() {
        let required = tool.input_schema.get("required").cloned().unwrap_or_default();
        let is_required = required.as_array().is_some_and(|fields| fields.contains(&json!("projectId")));
        assert_eq!(is_required, tool.name != "list_projects", "{}", tool.name);
    }
    assert!(agent.call_error("list_rules", json!({})).message.contains("projectId"));
    let listed = agent.use_tool("list_projects", json!({}));
    let titles: Vec<&Value> = listed["projects"].as_array().unwrap().iter().map(|project| &project["title"]).collect();
    assert_eq!(titles.len(), 2);
    assert!(titles.contains(&&json!("雁回渡")) && titles.contains(&&json!("The Ferry House")));
    let found = agent.use_tool("find_in_book", json!({ "projectId": books.chinese, "queryText": "雁回渡" }));
    assert!(found["passages"][0]["passage"].to_string().contains("雁回渡"), "{found}");
    assert!(agent.end());
}

/// Calls every tool once and checks the result.
fn use_every_tool(agent: &Agent, passage: &str, name: &str, place: &str) {
    let rules = agent.use_tool("list_rules", json!({ "sceneType": "dialogue", "skillUsed": "continue" }));
    assert!(rules["rules"].is_array());
    let before: String = passage.chars().take(60).collect();
    let context = agent.use_tool("prompt_context", json!({ "chapterId": "c1", "before": before }));
    assert!(context["messages"].to_string().contains(place) || context["messages"].to_string().contains(name));
    assert!(context["totalTokens"].as_u64().unwrap() > 0 && context.get("layers").is_none());
    let card = agent.use_tool("story_card", json!({ "name": name, "chapterId": "c1" }));
    assert_eq!((&card["name"], &card["chapters"]), (&json!(name), &json!(["c1"])), "as of the chapter: {card}");
    let found = agent.use_tool("find_in_book", json!({ "queryText": place, "limit": 3 }));
    assert!(found["passages"][0]["passage"].to_string().contains(place), "{found}");
    let asked = agent.use_tool("ask_book", json!({ "question": format!("{place}?"), "onlyBook": true }));
    assert_eq!((&asked["status"], &asked["askedOf"]["kind"]), (&json!("finished"), &json!("book")));
    assert!(asked["answer"]["passages"].to_string().contains(place), "{asked}");
    let recorded = agent.use_tool("record_episode", episode(&format!("{name} took the rope.")));
    assert!(recorded["episodeId"].is_string());
    let recalled = agent.use_tool("recall_episodes", json!({ "queryText": format!("{name} rope"), "limit": 1 }));
    assert!(recalled["episodes"][0]["episode"]["finalText"].as_str().unwrap().contains(name), "{recalled}");
    let stored = agent.use_tool("store_journal_entry", json!({ "content": format!("Looked for {place}.") }));
    let entries = agent.use_tool("recall_journal", json!({ "query": place, "kind": "note" }));
    assert_eq!(entries["entries"][0]["entry"]["id"], stored["entryId"], "{entries}");
    let question = json!({ "query": format!("Where is {place} ?"), "kind": "research", "chapterId": "c1" });
    let prepared = agent.use_tool("prepare_answer", question);
    let answer = format!(
        "{place} is a small port on the strait, with one ferry a day in summer and none in the winter months. The boat \
         leaves at high water, so that the hour changes from day to day, and a lamp is lit on the quay while it is \
         expected. A keeper writes the hour of each crossing into a ledger, which is kept in the house above the slip."
    );
    let outcome = json!({ "runId": prepared["runId"], "answer": answer, "exitCode": 0 });
    let completed = agent.use_tool("complete_answer", outcome);
    assert!(completed["candidateId"].is_string(), "{completed}");
    let answers = agent.use_tool("search_answers", json!({ "query": format!("Where is {place} ?") }));
    assert_eq!(answers["matches"][0]["answer"]["answerId"], completed["candidateId"], "{answers}");
}

#[test]
fn every_tool_works_on_a_book_in_english() {
    let books = Books::new();
    let agent = books.agent(&["--allow-write"]);
    use_every_tool(&agent, FERRY, "Mara Venn", "Harwick");
    assert!(agent.end());
}

#[test]
fn every_tool_works_on_a_book_in_chinese() {
    let books = Books::new();
    let agent = books.agent_of(&[&books.chinese], &["--allow-write"]);
    use_every_tool(&agent, CROSSING, "沈青禾", "雁回渡");
    assert!(agent.end());
}

#[test]
fn a_server_lists_the_chapters_of_a_book_in_a_folder() {
    let books = Books::new();
    let host = books.open_host();
    let sample = host.ask("project:sample", json!({ "language": "zh" }));
    let project = sample["projectId"].as_str().or_else(|| sample["project"]["projectId"].as_str()).unwrap().to_owned();
    assert!(host.end());
    let agent = books.agent_of(&[&project], &[]);
    let listed = agent.use_tool("list_chapters", json!({}));
    let titles: Vec<&Value> = listed["chapters"].as_array().unwrap().iter().map(|one| &one["title"]).collect();
    assert_eq!(titles, [&json!("交接"), &json!("铅笔"), &json!("墙上的线")]);
    let listed = agent.use_tool("list_projects", json!({}));
    assert!(!listed.to_string().contains("path"), "no path of this machine: {listed}");
    assert!(agent.end());
}

#[test]
fn resources_have_the_rules_and_the_cards_of_a_book() {
    let books = Books::new();
    let host = books.open_host();
    let rule =
        json!({ "rule": "No exclamation marks", "category": "style", "scope": "project", "projectId": books.english });
    host.ask("memory:semantic:add", rule);
    assert!(host.end());
    let agent = books.agent(&[]);
    let listed = agent.runtime.block_on(agent.client().list_all_resources()).unwrap();
    let uri = |path: &str| format!("palimpsest://{}/{path}", books.english);
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(uris, [uri("rules"), uri("cards")]);
    let rules = agent.read(&uri("rules")).unwrap();
    assert_eq!(rules["rules"][0]["rule"], "No exclamation marks");
    let cards = agent.read(&uri("cards")).unwrap();
    let mara = cards["cards"].as_array().unwrap().iter().find(|card| card["name"] == "Mara Venn").unwrap();
    let templates = agent.runtime.block_on(agent.client().list_all_resource_templates()).unwrap();
    let template = templates[0].uri_template.replace("{entityId}", mara["entityId"].as_str().unwrap());
    assert_eq!(agent.read(&template).unwrap()["name"], "Mara Venn");
    assert!(agent.end());
}

#[test]
fn the_prompt_continue_has_the_rules_and_the_text_around_the_caret() {
    let books = Books::new();
    let host = books.open_host();
    let rule =
        json!({ "rule": "No exclamation marks", "category": "style", "scope": "project", "projectId": books.english });
    host.ask("memory:semantic:add", rule);
    assert!(host.end());
    let agent = books.agent(&[]);
    let prompts = agent.runtime.block_on(agent.client().list_all_prompts()).unwrap();
    let arguments = prompts[0].arguments.as_ref().unwrap();
    let names: Vec<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(
        (prompts[0].name.as_str(), names),
        ("continue", vec!["chapter", "before", "after", "scene", "language"])
    );
    let given = json!({ "chapter": "c1", "before": "The lamps were lit.", "after": "Rain.", "language": "zh" });
    let messages = agent.continue_prompt(given).unwrap().join("\n");
    for part in ["No exclamation marks", "The lamps were lit.", "Rain.", "用中文写。"] {
        assert!(messages.contains(part), "{part}: {messages}");
    }
    assert!(agent.end());
}

/// The books, of which the English one hides Mara Venn as Iris Doe.
fn books_with_an_alias() -> Books {
    let books = Books::new();
    let host = books.open_host();
    let names = json!({ "projectId": books.english, "names": [{ "name": "Mara Venn", "alias": "Iris Doe" }] });
    host.ask("memory:names:set", names);
    assert!(host.end());
    books
}

#[test]
fn hidden_names_are_in_no_result_and_an_entity_is_found_by_its_alias() {
    let books = books_with_an_alias();
    let agent = books.agent(&["--allow-write"]);
    let card = agent.use_tool("story_card", json!({ "name": "Iris Doe" }));
    assert_eq!(card["name"], "Iris Doe");
    let results = [
        card,
        agent.use_tool("find_in_book", json!({ "queryText": "rope" })),
        agent.use_tool("ask_book", json!({ "question": "Who took the rope?", "onlyBook": true })),
        agent.use_tool("prompt_context", json!({ "chapterId": "c1", "before": FERRY })),
        agent.read(&format!("palimpsest://{}/cards", books.english)).unwrap(),
        json!(agent.continue_prompt(json!({ "chapter": "c1", "before": FERRY })).unwrap()),
    ];
    for result in results {
        assert!(!result.to_string().contains("Mara Venn"), "{result}");
        assert!(result.to_string().contains("Iris Doe"), "{result}");
    }
    assert!(agent.end());
}

#[test]
fn texts_of_an_agent_with_an_alias_are_about_the_hidden_name() {
    let books = books_with_an_alias();
    let agent = books.agent(&["--allow-write"]);
    let found = agent.use_tool("find_in_book", json!({ "queryText": "Iris Doe" }));
    assert!(found.to_string().contains("Iris Doe") && !found.to_string().contains("Mara Venn"), "{found}");
    let entry = json!({ "content": "Iris Doe has the rope now.", "kind": "note" });
    agent.use_tool("store_journal_entry", entry);
    assert!(agent.end());
    let host = books.open_host();
    let kept = host.ask("journal:list", json!({ "projectId": books.english }));
    assert_eq!(kept["entries"][0]["content"], "Mara Venn has the rope now.");
    assert!(host.end());
}

#[test]
fn an_entity_that_the_writer_keeps_from_models_is_not_found() {
    let books = Books::new();
    let host = books.open_host();
    let hidden =
        json!({ "projectId": books.english, "kind": "character", "name": "Aldous Pike", "visibility": "hidden" });
    host.ask("story:entity:save", hidden);
    assert!(host.end());
    let agent = books.agent(&[]);
    assert_eq!(agent.command_error("story_card", json!({ "name": "Aldous Pike" }))["code"], "MEMORY_NOT_FOUND");
    let cards = agent.read(&format!("palimpsest://{}/cards", books.english)).unwrap();
    assert!(!cards.to_string().contains("Aldous Pike"), "{cards}");
    assert!(cards.to_string().contains("Mara Venn"));
    assert!(agent.end());
}
