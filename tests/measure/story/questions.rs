//! Questions about the books: the passages that the program's search finds for each, with the bundled encoder.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};

use palimpsest_api::{Api, Options};
use serde_json::{Map, Value, json};

use super::data::{self, Unit};

/// Number of passages for each question.
const PASSAGES: usize = 10;
/// Wait between two looks at the progress of the indexes.
const PAUSE: Duration = Duration::from_millis(50);

/// A state of a book: the work, and the number of its last chapter; `None` for the whole.
type State = (String, Option<u64>);

/// The passages for each question, in the shape of the measure `qa`.
pub fn ranked(data: &Path) -> Result<Value, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let api = Api::open(Options::new(folder.path().join("memory"), Arc::new(|_, _| {})))
        .map_err(|error| error.to_string())?;
    let works: Vec<Unit> = ["en", "zh", "sample"]
        .into_iter()
        .map(|name| data::works(data, name))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    let mut asked: BTreeMap<State, Vec<(String, String)>> = BTreeMap::new();
    for question in data::questions(data)? {
        let text = |field: &str| question[field].as_str().unwrap_or_default().to_owned();
        let (id, work) = (text("id"), text("work"));
        let mut ask = |id: String, last: Option<u64>| {
            asked.entry((work.clone(), last)).or_default().push((id, text("question")));
        };
        match question["states"].as_array() {
            Some(states) => {
                let lasts = states.iter().filter_map(|state| state["until"].as_u64().or(state["from"].as_u64()));
                lasts.collect::<BTreeSet<u64>>().into_iter().for_each(|last| ask(format!("{id}@{last}"), Some(last)));
            }
            None => ask(id, None),
        }
    }
    let mut found = Map::new();
    for ((work, last), questions) in asked {
        let unit = works.iter().find(|unit| unit.name == work).ok_or_else(|| format!("there is no work {work}"))?;
        let project = analyzed(&api, unit, last)?;
        for (id, question) in questions {
            let args = json!({ "projectId": project, "queryText": question, "limit": PASSAGES });
            let answer = request(&api, "story:find", args)?;
            let passages = answer["passages"].as_array().map(Vec::as_slice).unwrap_or_default();
            let place = |one: &Value| {
                let passage = &one["passage"];
                let chapter: u64 = passage["chapterId"].as_str().and_then(|id| id.parse().ok()).unwrap_or_default();
                json!([chapter, passage["from"], passage["to"]])
            };
            let best = passages.first().map_or(json!(0.0), |one| one["score"].clone());
            found.insert(id, json!({ "passages": passages.iter().map(place).collect::<Vec<_>>(), "score": best }));
        }
    }
    Ok(Value::Object(found))
}

/// A new book with the chapters of a work up to a number, indexed by words and by meaning; its id.
fn analyzed(api: &Api, unit: &Unit, last: Option<u64>) -> Result<Value, String> {
    let is_chinese = unit.texts().iter().any(|text| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)));
    let book = json!({ "title": unit.name, "language": if is_chinese { "zh" } else { "en" } });
    let project = request(api, "project:create", book)?["projectId"].clone();
    let chapters = unit.chapters.iter().filter(|chapter| last.is_none_or(|last| chapter.number <= last));
    let chapters: Vec<Value> =
        chapters.map(|chapter| json!({ "chapterId": chapter.number.to_string(), "text": chapter.text })).collect();
    request(api, "story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true }))?;
    while request(api, "memory:status", json!({}))?["parts"].to_string().contains("catchingUp") {
        thread::sleep(PAUSE);
    }
    Ok(project)
}

/// The answer to a command.
pub fn request(api: &Api, command: &str, args: Value) -> Result<Value, String> {
    let answer = api.call(command, args).map_err(|error| format!("{command}: {error}"))?;
    serde_json::from_str(&answer).map_err(|error| error.to_string())
}
