//! Continuity issues in planted texts, and in texts in which nothing was planted.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use palimpsest_continuity::{Book, Entity, Fact, Kind, Place, Validity, find, find_pairs};
use palimpsest_reader::{
    drift::{self, Drift},
    names::{self, DetectedEntity, EntityKind},
};
use palimpsest_tagger::Tagger;
use palimpsest_text::Language;
use serde_json::{Map, Value, json};

use crate::{
    data::{self, Unit},
    tagged::{tagged_chapters, words_of},
};

/// The texts to plant errors in.
pub struct Planting {
    /// The seeds, such as `1-30`.
    pub seeds: String,
    /// A file with other sentences than those of `plant.py`.
    pub phrases: Option<PathBuf>,
}

/// The issues and the pairs of some texts, each in the shape of the measure `doubts`.
#[derive(Default)]
pub struct Found {
    pub issues: Map<String, Value>,
    pub pairs: Map<String, Value>,
}

impl Found {
    fn add(&mut self, name: String, unit: &Unit, tagger: Option<&Tagger>) {
        let (issues, pairs) = found_in(unit, tagger);
        self.issues.insert(name.clone(), issues);
        self.pairs.insert(name, pairs);
    }
}

/// The issues and pairs of each planted text and of each text in which nothing was planted. Chinese texts are measured
/// if there is a tagger.
pub fn found_in_texts(data: &Path, out: &Path, tagger: Option<&Tagger>, planting: &Planting) -> Result<Found, String> {
    let Planting { seeds, phrases } = planting;
    let name = phrases.as_ref().and_then(|file| file.file_stem()).map(|name| format!("-{}", name.to_string_lossy()));
    let folder = out.join(format!("planted-{seeds}{}", name.unwrap_or_default()));
    if !folder.is_dir() {
        let mut program = Command::new("python3");
        program.arg(data.join("plant.py")).arg("make").arg(&folder).arg(seeds);
        if let Some(phrases) = phrases {
            program.arg("--phrases").arg(phrases);
        }
        let output = program.output().map_err(|error| format!("python3: {error}"))?;
        if !output.status.success() {
            return Err(format!("plant.py: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut found = Found::default();
    let mut languages = vec!["en"];
    languages.extend(tagger.map(|_| "zh"));
    for language in languages {
        let of_language = |file: &&PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{language}-")))
        };
        for file in files.iter().filter(of_language) {
            let unit = data::planted(file)?;
            found.add(unit.name.clone(), &unit, tagger.filter(|_| language == "zh"));
        }
        for unit in data::planting_units(data::works(data, language)?) {
            found.add(format!("clean/{}", unit.name), &unit, tagger.filter(|_| language == "zh"));
        }
    }
    Ok(found)
}

/// The issues and the pairs of a unit, of a Chinese one with the tagger.
fn found_in(unit: &Unit, tagger: Option<&Tagger>) -> (Value, Value) {
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
    let book = Book { drifts: &drifts, ..Book::new(language, &texts, &entities) };
    let issues = find(&book);
    let issues = issues.iter().map(|issue| row(unit, issue.kind, [&issue.first, &issue.second])).collect();
    let pairs = find_pairs(&book);
    let pairs = pairs.iter().map(|pair| row(unit, pair.kind, [&pair.first, &pair.second])).collect();
    (issues, pairs)
}

/// Misprints of the texts that `slips.json` does not list, each with its work: a quote that has them is no false alarm.
const MORE_MISPRINTS: [(&str, &str); 1] = [("彷徨/祝福", "卫老婆于")];

/// The issues, or pairs, of the texts in which nothing was planted: for each language and kind their number, those at a
/// misprint apart, and the quotes.
pub fn alarms_on_clean_texts(data: &Path, found: &Map<String, Value>) -> Result<Vec<String>, String> {
    let slips = fs::read_to_string(data.join("slips.json")).map_err(|error| format!("slips.json: {error}"))?;
    let slips: Vec<Value> = serde_json::from_str(&slips).map_err(|error| format!("slips.json: {error}"))?;
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut quotes = Vec::new();
    for language in ["en", "zh"] {
        for unit in data::planting_units(data::works(data, language)?) {
            let rows = found.get(&format!("clean/{}", unit.name)).and_then(Value::as_array);
            for row in rows.into_iter().flatten() {
                let is_slip = slips.iter().any(|slip| {
                    let is_same = slip["work"] == unit.name.as_str() && slip["kind"] == row["kind"];
                    is_same && ["a", "b"].iter().any(|side| touches(&row[side], &slip["a"]))
                });
                let quote = |place: &Value| data::quote_of(&unit, place).unwrap_or_default().replace('\n', " ");
                let is_misprint = is_slip
                    || MORE_MISPRINTS.iter().any(|(work, words)| {
                        *work == unit.name && [&row["a"], &row["b"]].iter().any(|side| quote(side).contains(words))
                    });
                let kind = if is_misprint { "a misprint".to_owned() } else { row["kind"].to_string() };
                *counts.entry((language, kind)).or_default() += 1;
                quotes.push(format!("{} {}: {} / {}", unit.name, row["kind"], quote(&row["a"]), quote(&row["b"])));
            }
        }
    }
    let counts = counts.into_iter().map(|((language, kind), count)| format!("{language} {kind}: {count}"));
    Ok(counts.chain(quotes).collect())
}

/// Whether two places have characters in common.
fn touches(one: &Value, other: &Value) -> bool {
    let number = |place: &Value, key: &str| place[key].as_u64().unwrap_or_default();
    one["chapter"] == other["chapter"]
        && number(one, "from") < number(other, "to")
        && number(other, "from") < number(one, "to")
}

/// An issue or a pair of a unit in the shape of the measures.
fn row(unit: &Unit, kind: Kind, [first, second]: [&Place; 2]) -> Value {
    let place = |place: &Place| {
        let chapter = &unit.chapters[place.chapter];
        let (from, to) = (data::utf16(&chapter.text, place.range.start), data::utf16(&chapter.text, place.range.end));
        json!({ "chapter": chapter.number, "from": from, "to": to })
    };
    json!({ "kind": kind.name(), "a": place(first), "b": place(second) })
}

/// Pairs of short passages that give one character two values of an attribute, beside pairs that do not. Sets A and B
/// have widened the rules, set C only in a few places.
const OWN_ATTRIBUTES: &str = include_str!("attributes.jsonl");
/// The same for the other kinds of pairs. For `worldRule` the first passage states the rule.
const OWN_KINDS: &str = include_str!("kinds.jsonl");
/// The places of the passages.
const PLACES: [&str; 6] = ["Harwick", "the Saltmarsh", "the mill", "渡口镇", "白沙湾", "磨坊"];

/// The lines about the own passages: for each language, kind and set, how many become a pair.
pub fn own_passages() -> Result<Vec<String>, String> {
    let mut counts: BTreeMap<(String, bool), (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for line in OWN_ATTRIBUTES.lines().chain(OWN_KINDS.lines()) {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let is_chinese = row["lang"] == "zh";
        let kind = row["kind"].as_str().unwrap_or("attribute");
        let names = if is_chinese { ["周明远", "林小满"] } else { ["Tobias", "Mara"] };
        let entity = |kind, name: &str| Entity { kind, name: name.into(), forms: vec![name.into()] };
        let entities: Vec<Entity> = names
            .map(|name| entity(EntityKind::Character, name))
            .into_iter()
            .chain(PLACES.map(|name| entity(EntityKind::Place, name)))
            .collect();
        let passages: Vec<String> = row["texts"].as_array().into_iter().flatten().map(text).collect();
        let chapters: Vec<&str> = passages.iter().map(String::as_str).collect();
        let language = if is_chinese { Language::Zh } else { Language::En };
        let rule = Fact {
            entity: names.len(),
            attribute: "rule".into(),
            value: passages.first().cloned().unwrap_or_default(),
            is_asserted: true,
            quote: Some((0, 0..passages.first().map_or(0, String::len))),
            validity: Validity::Always,
            knowers: Vec::new(),
        };
        let rules = if kind == Kind::WorldRule.name() { vec![rule] } else { Vec::new() };
        let book = Book { rules: &rules, ..Book::new(language, &chapters, &entities) };
        let is_pair = find_pairs(&book).iter().any(|pair| pair.kind.name() == kind);
        let is_conflict = row["conflict"] == true;
        let count =
            counts.entry((format!("{} {kind} {}", text(&row["lang"]), text(&row["set"])), is_conflict)).or_default();
        count.0 += usize::from(is_pair);
        count.1 += 1;
        if is_pair != is_conflict {
            missed.push(format!(
                "{kind} {} {}: {}",
                text(&row["set"]),
                if is_pair { "paired" } else { "missed" },
                passages.join(" / ")
            ));
        }
    }
    let figures = counts.into_iter().map(|((set, is_conflict), (found, all))| {
        format!("{set} {} become a pair: {found}/{all}", if is_conflict { "conflicts" } else { "look-alikes" })
    });
    Ok(figures.chain(missed).collect())
}
