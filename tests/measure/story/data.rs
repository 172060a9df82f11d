//! The data set of stories: works with chapters, excerpts of LitBank, planted texts, and the cuts of as-of cases.

use std::{fs, io::Read, path::Path};

use flate2::read::GzDecoder;
use serde_json::Value;

/// A work or an excerpt: its name in the files of the measures, and its chapters.
pub struct Unit {
    pub name: String,
    pub chapters: Vec<Chapter>,
}

pub struct Chapter {
    /// The number by which the measures refer to it.
    pub number: u64,
    pub text: String,
}

impl Unit {
    pub fn texts(&self) -> Vec<&str> {
        self.chapters.iter().map(|chapter| chapter.text.as_str()).collect()
    }

    pub fn chars(&self) -> usize {
        self.chapters.iter().map(|chapter| chapter.text.chars().count()).sum()
    }
}

pub fn json(path: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn lines(path: &Path) -> Result<Vec<Value>, String> {
    let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| broken(&error))?;
    let mut text = String::new();
    GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).map_err(|error| broken(&error))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| broken(&error))).collect()
}

fn text_of(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap_or_default().to_owned()
}

/// The works of one language, `en` or `zh`, in the order of the file.
pub fn works(data: &Path, language: &str) -> Result<Vec<Unit>, String> {
    let mut works: Vec<Unit> = Vec::new();
    for row in lines(&data.join(format!("text/{language}.jsonl.gz")))? {
        let name = text_of(&row, "work");
        let chapter = Chapter { number: row["chapter"].as_u64().unwrap_or_default(), text: text_of(&row, "text") };
        match works.iter_mut().find(|unit| unit.name == name) {
            Some(unit) => unit.chapters.push(chapter),
            None => works.push(Unit { name, chapters: vec![chapter] }),
        }
    }
    Ok(works)
}

/// The questions about the works.
pub fn questions(data: &Path) -> Result<Vec<Value>, String> {
    let path = data.join("qa.jsonl");
    let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| broken(&error))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| broken(&error))).collect()
}

/// The excerpts of LitBank, a unit of one chapter each.
pub fn excerpts(data: &Path) -> Result<Vec<Unit>, String> {
    let rows = lines(&data.join("litbank_dev.jsonl.gz"))?;
    let unit = |row: Value| Unit {
        name: format!("litbank/{}", text_of(&row, "id")),
        chapters: vec![Chapter { number: 1, text: text_of(&row, "text") }],
    };
    Ok(rows.into_iter().map(unit).collect())
}

/// The units in which `plant.py` plants: works, and each story of a collection by itself.
pub fn planting_units(works: Vec<Unit>) -> Vec<Unit> {
    let mut units = Vec::new();
    for work in works {
        if work.name == "The Wisdom of Father Brown" {
            for chapter in work.chapters {
                units.push(Unit { name: format!("{}/{}", work.name, chapter.number), chapters: vec![chapter] });
            }
        } else if work.chars() >= 4_000 {
            units.push(work);
        }
    }
    units
}

/// A planted text, named by its language and seed.
pub fn planted(path: &Path) -> Result<Unit, String> {
    let row = json(path)?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let chapter =
        |row: &Value| Chapter { number: row["chapter"].as_u64().unwrap_or_default(), text: text_of(row, "text") };
    let chapters = row["chapters"].as_array().into_iter().flatten().map(chapter).collect();
    Ok(Unit { name, chapters })
}

/// The number of UTF-16 units before a byte offset.
pub fn utf16(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).encode_utf16().count()
}

/// The text of a place of a unit, `{chapter, from, to}` in UTF-16 units.
pub fn quote_of(unit: &Unit, place: &Value) -> Option<String> {
    let chapter = unit.chapters.iter().find(|chapter| place["chapter"] == chapter.number)?;
    let at = |key: &str| usize::try_from(place[key].as_u64()?).ok();
    let (from, to) = (before_utf16(&chapter.text, at("from")?).len(), before_utf16(&chapter.text, at("to")?).len());
    chapter.text.get(from..to).map(str::to_owned)
}

/// The text before an offset in UTF-16 units.
pub fn before_utf16(text: &str, units: usize) -> &str {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if left < c.len_utf16() {
            return &text[..at];
        }
        left -= c.len_utf16();
    }
    text
}
