//! The story part of prompts at the cuts of the books: whether it names what the text tells only later, and whether it
//! is the same, byte for byte, with the chapters after the cut removed.

use std::{cmp::Reverse, path::Path, sync::Arc};

use palimpsest_api::{Api, Options};
use serde_json::{Map, Value, json};

use super::{
    data::{self, Unit},
    questions::request,
    text_in,
};

/// Mentions from which on a detected entity is accepted.
const MIN_MENTIONS: u64 = 3;
/// Number of facts of an entity, each with a sentence that mentions it.
const FACTS: usize = 4;
/// Room for all cards: the question is what they say, and not how many fit.
const BUDGET: u32 = 200_000;
/// UTF-16 code units before a cut that the prompt has.
const BEFORE: usize = 6_000;

/// The story part of the prompt at each cut of the books, in the shape of the measure `asof`; and for how many cuts of
/// all it is the same with the later chapters removed.
pub struct StoryParts {
    pub shown: Value,
    pub same: usize,
    pub cuts: usize,
}

/// Measures all books. Names are found by rules alone: where the writer's entities are mentioned needs no tagger.
pub fn story_parts(data: &Path) -> Result<StoryParts, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let api = Api::open(Options::new(folder.path().join("memory"), Arc::new(|_, _| {})))
        .map_err(|error| error.to_string())?;
    let works: Vec<Unit> = [data::works(data, "en")?, data::works(data, "zh")?].into_iter().flatten().collect();
    let mut parts = StoryParts { shown: Value::Null, same: 0, cuts: 0 };
    let mut shown = Map::new();
    for book in data::json(&data.join("asof.json"))?.as_array().into_iter().flatten() {
        let order: Vec<&str> =
            book["order"].as_array().into_iter().flatten().filter_map(|row| text_in(&works, row)).collect();
        let project = with_canon(&api, book, &order)?;
        let mut cuts: Vec<(usize, usize, usize)> = Vec::new();
        for (number, cut) in book["cuts"].as_array().into_iter().flatten().enumerate() {
            let index = |at: usize| cut[at].as_u64().unwrap_or_default() as usize;
            cuts.push((number, index(0), index(1)));
        }
        let whole: Vec<String> = cuts
            .iter()
            .map(|&(_, chapter, offset)| story_at(&api, &project, &order, (chapter, offset)))
            .collect::<Result<_, _>>()?;
        let row = |(&(number, ..), text): (&(usize, usize, usize), &String)| json!({ "cut": number, "text": text, "same": [] });
        shown.insert(text_of(&book["book"]), cuts.iter().zip(&whole).map(row).collect());
        // The last cut first: chapters are only removed.
        let mut cut_away: Vec<(&(usize, usize, usize), &String)> = cuts.iter().zip(&whole).collect();
        cut_away.sort_by_key(|(cut, _)| Reverse((cut.1, cut.2)));
        let mut chapters_left = order.len();
        for (&(_, chapter, offset), whole) in cut_away {
            if chapter + 1 < chapters_left {
                chapters_left = chapter + 1;
                analyze(&api, &project, &order[..chapters_left])?;
            }
            parts.cuts += 1;
            parts.same += usize::from(story_at(&api, &project, &order, (chapter, offset))? == *whole);
        }
    }
    parts.shown = Value::Object(shown);
    Ok(parts)
}

fn analyze(api: &Api, project: &Value, texts: &[&str]) -> Result<(), String> {
    let chapters: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| json!({ "chapterId": number.to_string(), "text": text }))
        .collect();
    request(api, "story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true })).map(drop)
}

/// A book whose recurring people and places are accepted and pinned, each with facts that quote the book, and with the
/// names that the book tells to be one.
fn with_canon(api: &Api, book: &Value, order: &[&str]) -> Result<Value, String> {
    let args = json!({ "title": book["book"], "language": book["lang"] });
    let project = request(api, "project:create", args)?["projectId"].clone();
    analyze(api, &project, order)?;
    let list = request(api, "story:entity:list", json!({ "projectId": project }))?;
    let entities = list["entities"].as_array().cloned().unwrap_or_default();
    let recurring: Vec<&Value> =
        entities.iter().filter(|entity| entity["mentions"].as_u64() >= Some(MIN_MENTIONS)).collect();
    let ids: Vec<&Value> = recurring.iter().map(|entity| &entity["entityId"]).collect();
    request(api, "story:entity:accept", json!({ "projectId": project, "entityIds": ids }))?;
    for entity in &recurring {
        let pin = json!({ "projectId": project, "entityId": entity["entityId"], "version": 1, "kind": entity["kind"],
            "name": entity["name"], "isPinned": true });
        request(api, "story:entity:save", pin)?;
        write_facts(api, &project, entity)?;
    }
    for identity in book["identities"].as_array().into_iter().flatten() {
        let id =
            |name: &Value| recurring.iter().find(|entity| is_named(entity, name)).map(|entity| &entity["entityId"]);
        let (Some(one), Some(other)) = (id(&identity["a"]), id(&identity["b"])) else { continue };
        if one != other {
            let from = &identity["known_from"];
            let at = json!({ "chapterId": from[0].to_string(), "offset": from[1] });
            let merge = json!({ "projectId": project, "entityId": one, "otherId": other, "at": at });
            // Where the rules do not find both before that place, they stay two.
            drop(request(api, "story:entity:merge", merge));
        }
    }
    Ok(project)
}

/// Facts about an entity, which quote sentences from its first mention to its last.
fn write_facts(api: &Api, project: &Value, entity: &Value) -> Result<(), String> {
    let args = json!({ "projectId": project, "entityId": entity["entityId"], "limit": 200 });
    let mentions = request(api, "story:mentions", args)?["mentions"].as_array().cloned().unwrap_or_default();
    let step = (mentions.len() / FACTS).max(1);
    for (number, mention) in mentions.iter().step_by(step).take(FACTS).enumerate() {
        let quote = ["before", "text", "after"].map(|part| text_of(&mention[part])).concat();
        let range = &mention["range"];
        let citation = json!({ "chapterId": range["chapterId"], "from": range["from"].as_u64().map(|from| from.saturating_sub(400)),
            "quote": quote.trim() });
        let fact = json!({ "projectId": project, "entityId": entity["entityId"], "attribute": number.to_string(),
            "value": quote.trim(), "citation": citation });
        // A sentence that is too short or that spans two passages is not cited.
        drop(request(api, "story:fact:save", fact));
    }
    Ok(())
}

/// The section of a prompt at a cut that has the cards.
fn story_at(api: &Api, project: &Value, order: &[&str], (chapter, offset): (usize, usize)) -> Result<String, String> {
    let text = order.get(chapter).map(|text| data::before_utf16(text, offset)).unwrap_or_default();
    let units: Vec<u16> = text.encode_utf16().collect();
    let before = String::from_utf16_lossy(&units[units.len().saturating_sub(BEFORE)..]);
    let args = json!({ "projectId": project, "chapterId": chapter.to_string(), "skill": "continue", "before": before,
        "offset": units.len(), "budgetTokens": BUDGET });
    let context = request(api, "memory:context:assemble", args)?;
    let sent = text_of(&context["messages"][1]["content"]);
    let section = sent.split_once("<story>\n").and_then(|(_, rest)| rest.split_once("\n</story>"));
    Ok(section.map(|(section, _)| section.to_owned()).unwrap_or_default())
}

fn is_named(entity: &Value, name: &Value) -> bool {
    entity["name"] == *name || entity["aliases"].as_array().is_some_and(|aliases| aliases.contains(name))
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
