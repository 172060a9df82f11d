//! Words of a Chinese tagger, from a file: `{"WORK#CHAPTER": [[from, to, "PER"], …]}` with byte offsets and the tags of
//! LAC. Planted texts have the name `zh-SEED`.

use std::{collections::HashMap, path::Path};

use palimpsest_reader::names::{TaggedChapter, TaggedWord, WordKind};
use serde_json::Value;

use crate::data::{self, Unit};

#[derive(Default)]
pub struct Words(HashMap<String, Vec<TaggedWord>>);

impl Words {
    pub fn read(path: &Path) -> Result<Self, String> {
        let json = data::json(path)?;
        let rows = json.as_object().ok_or("the file of words holds no object")?;
        Ok(Self(rows.iter().map(|(key, words)| (key.clone(), words_of(words))).collect()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The chapters of a unit with their words, which are stored under the unit's name or its work's.
    pub fn chapters<'w>(&'w self, unit: &'w Unit) -> Vec<TaggedChapter<'w>> {
        let words = |number: u64| self.0.get(&format!("{}#{number}", unit.name)).map_or(&[][..], Vec::as_slice);
        let chapters = unit.chapters.iter();
        chapters.map(|chapter| TaggedChapter { text: &chapter.text, words: words(chapter.number) }).collect()
    }
}

fn words_of(rows: &Value) -> Vec<TaggedWord> {
    let word = |row: &Value| {
        let offset = |at: usize| row[at].as_u64().and_then(|at| usize::try_from(at).ok());
        let kind = match row[2].as_str()? {
            "PER" | "nr" => WordKind::Person,
            "LOC" | "ns" => WordKind::Place,
            "ORG" | "nt" => WordKind::Organisation,
            "nz" | "nw" => WordKind::Thing,
            "TIME" | "t" => WordKind::Time,
            _ => WordKind::Other,
        };
        Some(TaggedWord { range: offset(0)?..offset(1)?, kind })
    };
    rows.as_array().into_iter().flatten().filter_map(word).collect()
}
