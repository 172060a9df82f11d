//! Continuity issues in planted texts, and in texts in which nothing was planted.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use palimpsest_continuity::{Book, Entity, Issue, Place, find};
use palimpsest_reader::{
    drift::{self, Drift},
    names::{self, DetectedEntity},
};
use palimpsest_tagger::Tagger;
use palimpsest_text::Language;
use serde_json::{Map, Value, json};

use crate::{
    data::{self, Unit},
    tagged::{tagged_chapters, words_of},
};

/// The issues of each planted text and of each text in which nothing was planted, in the shape of the measure `doubts`.
/// Chinese texts are measured if there is a tagger.
pub fn issues(data: &Path, out: &Path, tagger: Option<&Tagger>, seeds: &str) -> Result<Value, String> {
    let folder = out.join(format!("planted-{seeds}"));
    if !folder.is_dir() {
        let run = Command::new("python3").arg(data.join("plant.py")).arg("make").arg(&folder).arg(seeds).output();
        let output = run.map_err(|error| format!("python3: {error}"))?;
        if !output.status.success() {
            return Err(format!("plant.py: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut found = Map::new();
    let mut languages = vec!["en"];
    languages.extend(tagger.map(|_| "zh"));
    for language in languages {
        let of_language = |file: &&PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{language}-")))
        };
        for file in files.iter().filter(of_language) {
            let unit = data::planted(file)?;
            found.insert(unit.name.clone(), issue_rows(&unit, &issues_of(&unit, tagger.filter(|_| language == "zh"))));
        }
        for unit in data::planting_units(data::works(data, language)?) {
            let issues = issues_of(&unit, tagger.filter(|_| language == "zh"));
            found.insert(format!("clean/{}", unit.name), issue_rows(&unit, &issues));
        }
    }
    Ok(Value::Object(found))
}

/// The issues of a unit, of a Chinese one with the tagger.
fn issues_of(unit: &Unit, tagger: Option<&Tagger>) -> Vec<Issue> {
    let texts = unit.texts();
    let (entities, drifts): (Vec<DetectedEntity>, Vec<Drift>) = match tagger {
        None => {
            let entities = names::detect_en(&texts, &[]).entities;
            let drifts = drift::detect_en(&texts, &entities);
            (entities, drifts)
        }
        Some(tagger) => {
            let words = words_of(tagger, unit);
            let chapters = tagged_chapters(unit, &words);
            let entities = names::detect_zh(&chapters, &[]).entities;
            let drifts = drift::detect_zh(&chapters, &entities);
            (entities, drifts)
        }
    };
    let entities: Vec<Entity> = entities
        .into_iter()
        .map(|entity| Entity {
            kind: entity.kind,
            name: entity.name,
            forms: entity.forms.into_iter().map(|form| form.text).collect(),
        })
        .collect();
    let language = if tagger.is_some() { Language::Zh } else { Language::En };
    find(&Book { language, chapters: &texts, entities: &entities, facts: &[], proposed: &[], drifts: &drifts })
}

/// The issues of a unit in the shape of the measures.
fn issue_rows(unit: &Unit, issues: &[Issue]) -> Value {
    let place = |place: &Place| {
        let chapter = &unit.chapters[place.chapter];
        let (from, to) = (data::utf16(&chapter.text, place.range.start), data::utf16(&chapter.text, place.range.end));
        json!({ "chapter": chapter.number, "from": from, "to": to })
    };
    let row = |issue: &Issue| json!({ "kind": issue.kind.name(), "a": place(&issue.first), "b": place(&issue.second) });
    issues.iter().map(row).collect()
}
