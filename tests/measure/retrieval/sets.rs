//! Texts and queries, and the files that they are read from.

use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

use flate2::read::GzDecoder;
use palimpsest_text::sentences;
use serde_json::Value;

/// A text that is recorded as an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub book: String,
    /// Unique in a set.
    pub id: String,
    pub text: String,
}

/// A query of one book.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub book: String,
    pub text: String,
    /// Ids of the relevant texts.
    pub relevant: Vec<String>,
}

pub struct Set {
    pub texts: Vec<Text>,
    pub queries: Vec<Query>,
}

/// Reads the set `DATA/retrieval/NAME.json.gz`.
pub fn read(data: &Path, name: &str) -> Result<Set, String> {
    let text = unpacked(&data.join("retrieval").join(format!("{name}.json.gz")))?;
    let set: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let string = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let list = |key: &str| set[key].as_array().cloned().unwrap_or_default();
    Ok(Set {
        texts: list("corpus")
            .iter()
            .map(|it| Text { book: string(&it["group"]), id: string(&it["id"]), text: string(&it["text"]) })
            .collect(),
        queries: list("queries")
            .iter()
            .map(|it| Query {
                book: string(&it["group"]),
                text: string(&it["text"]),
                relevant: it["rel"].as_array().map(|ids| ids.iter().map(string).collect()).unwrap_or_default(),
            })
            .collect(),
    })
}

/// A chapter of a published story; its paragraphs are separated by an empty line.
pub struct Chapter {
    pub work: String,
    pub text: String,
}

/// Reads the chapters `DATA/story/text/LANGUAGE.jsonl.gz`.
pub fn chapters(data: &Path, language: &str) -> Result<Vec<Chapter>, String> {
    let text = unpacked(&data.join("story/text").join(format!("{language}.jsonl.gz")))?;
    let chapter = |line: &str| {
        let one: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let string = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        Ok(Chapter { work: string("work"), text: string("text") })
    };
    text.lines().map(chapter).collect()
}

fn unpacked(file: &Path) -> Result<String, String> {
    let mut text = String::new();
    let open = File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    GzDecoder::new(BufReader::new(open)).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

/// Cuts a text at sentence boundaries into passages. Each has at least `min` characters, and ends with the sentence
/// that reaches them. A rest of less than half of `min` is dropped.
pub fn passages(text: &str, min: usize) -> Vec<String> {
    let mut found = Vec::new();
    let (mut passage, mut length) = (String::new(), 0);
    for paragraph in text.split("\n\n") {
        if !passage.is_empty() {
            passage.push('\n');
        }
        for sentence in sentences::split(paragraph) {
            // Latin script separates sentences by a space.
            if passage.ends_with(|c: char| c.is_ascii() && c != '\n') {
                passage.push(' ');
            }
            passage.push_str(sentence);
            length += sentence.chars().count();
            if length >= min {
                found.push(std::mem::take(&mut passage));
                length = 0;
            }
        }
    }
    if length >= min / 2 {
        found.push(passage.trim_end().to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_end_with_a_sentence_and_hold_the_whole_text() {
        let chinese = "月亮出来了。他站在桥上。\n\n河水很急。船夫收起了竹篙，没有说话。";
        assert_eq!(passages(chinese, 12), ["月亮出来了。他站在桥上。", "河水很急。船夫收起了竹篙，没有说话。"]);
        let english = "He ran. She waited.\n\nIt rained all night. The road was gone.";
        assert_eq!(passages(english, 22), ["He ran. She waited.\nIt rained all night.", "The road was gone."]);
    }
}
