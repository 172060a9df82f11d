//! A short book in another editor, with people, a place and a secret, and the commands of its story.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

pub const FERRY: &str = "# The Ferry\n\n\
    “You are early,” said Mara Venn. She looked at Tobias, and Tobias laughed. The lamps of Harwick were lit, and in \
    Harwick nobody was about.\n\n\
    “It is cold,” said Tobias. Mara Venn took the rope. They had met in Harwick on 15 May 1983, when Tobias was \
    twelve.\n";
pub const LEDGER: &str = "# The Ledger\n\n\
    Three days later Venn opened the ledger. “Nobody signed it,” said Venn. Tobias looked at Venn, and then at the \
    door.\n\n\
    “Sign it,” said Aldous Pike. So that was Aldous Pike, thought Tobias, and gave the pen to Aldous Pike.\n";
pub const END: &str = "# The End\n\n\
    “I signed it,” said the Grey Heron. Nobody in Harwick had known that the Grey Heron was Aldous Pike. Venn looked \
    at the Grey Heron.\n";

/// A book of another editor with these chapters, c1 and so on.
pub fn analyzed(writer: &Writer, language: &str, texts: &[&str]) -> String {
    let project = writer.book("island", language);
    analyze(writer, &project, texts);
    project
}

pub fn analyze(writer: &Writer, project: &str, texts: &[&str]) -> Value {
    let chapters: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| json!({ "chapterId": format!("c{}", number + 1), "text": text }))
        .collect();
    writer.ask("story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true }))
}

/// The end of a chapter.
pub fn at(chapter: &str) -> Value {
    json!({ "chapterId": chapter, "offset": 100_000 })
}

pub fn list_at(writer: &Writer, project: &str, at: Option<Value>) -> Value {
    let mut args = json!({ "projectId": project });
    if let Some(at) = at {
        args["at"] = at;
    }
    writer.ask("story:entity:list", args)
}

pub fn list(writer: &Writer, project: &str) -> Value {
    list_at(writer, project, None)
}

pub fn names_of(list: &Value) -> Vec<String> {
    list["entities"].as_array().unwrap().iter().map(|entity| text(entity, "name")).collect()
}

#[track_caller]
pub fn entity(list: &Value, name: &str) -> Value {
    let entities = list["entities"].as_array().unwrap();
    let found = entities.iter().find(|entity| entity["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} among {:?}", names_of(list))).clone()
}

pub fn change(writer: &Writer, command: &str, project: &str, more: Value) -> Value {
    let mut args = json!({ "projectId": project });
    for (key, value) in more.as_object().unwrap() {
        args[key] = value.clone();
    }
    writer.ask(command, args)
}

/// The id of an entity of the text, accepted.
pub fn accepted(writer: &Writer, project: &str, name: &str) -> Value {
    let id = entity(&list(writer, project), name)["entityId"].clone();
    change(writer, "story:entity:accept", project, json!({ "entityIds": [id] }));
    id
}

pub fn undo(writer: &Writer, project: &str, changed: &Value) -> Value {
    change(writer, "story:undo", project, json!({ "changeId": changed["changeId"] }))
}
