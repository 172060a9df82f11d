//! The passages that a simulated model offers: real prose, cut at sentence boundaries, a part of it made rougher.

use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

use flate2::read::GzDecoder;
use palimpsest_text::{
    Language, count, sentences,
    style::{Feature, Features, measure_as},
};

use crate::{dice::Dice, operations};

/// Number of scene types: dialogue, action, description, narration.
pub const SCENES: usize = 4;

/// A passage with the features that the program measures.
#[derive(Clone)]
pub struct Passage {
    pub text: String,
    pub features: Features,
}

/// Prose of one language.
pub struct Pool {
    pub language: Language,
    /// Passages of each scene type.
    pub scenes: [Vec<Passage>; SCENES],
    /// Sentences that an edit can insert.
    pub sentences: Vec<(String, Features)>,
    /// Standard deviation of each feature within scenes: the unit of the writer's utility.
    pub spread: Vec<f32>,
    /// Correlation of each pair of features within scenes.
    correlation: Vec<Vec<f32>>,
}

impl Pool {
    /// Reads the pool from `DATA/text`. Fails when a file cannot be read.
    pub fn read(folder: &Path, language: Language) -> Result<Self, String> {
        let prefix = if language == Language::Zh { "zh-" } else { "en-" };
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?
            .filter_map(Result::ok)
            .filter(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name.starts_with(prefix) && name.ends_with(".txt.gz")
            })
            .map(|entry| entry.path())
            .collect();
        files.sort();
        let mut paragraphs = Vec::new();
        for file in &files {
            let mut text = String::new();
            let open = File::open(file).map_err(|error| error.to_string())?;
            GzDecoder::new(BufReader::new(open)).read_to_string(&mut text).map_err(|error| error.to_string())?;
            paragraphs.extend(match language {
                Language::Zh => indented(&text),
                Language::En => blocks(&text),
            });
        }
        Self::new(language, &paragraphs, 1)
    }

    /// Makes a pool from paragraphs, cut `overlap` times at different boundaries: more than once for a small amount of
    /// prose.
    pub fn new(language: Language, paragraphs: &[String], overlap: usize) -> Result<Self, String> {
        let mut dice = Dice::new(0x9A55_A9E5, language as u64);
        let mut texts = Vec::new();
        for _ in 0..overlap {
            texts.extend(passages(language, paragraphs, &mut dice));
        }
        let stock = texts.iter().flat_map(|text| sentences::split(text)).filter(|sentence| {
            let units = count::words(sentence);
            (4..40).contains(&units) && balanced(sentence)
        });
        let mut stock: Vec<&str> = stock.collect();
        stock.dedup();
        let mut pool = Self {
            language,
            scenes: std::array::from_fn(|_| Vec::new()),
            sentences: stock.iter().map(|text| ((*text).to_owned(), measure_as(text, language))).collect(),
            spread: Vec::new(),
            correlation: Vec::new(),
        };
        if texts.len() < 10 * SCENES || pool.sentences.is_empty() {
            return Err(format!("too little prose: {} passages", texts.len()));
        }
        let rough: Vec<String> = texts
            .into_iter()
            .map(|mut text| {
                for _ in 0..dice.below(4) {
                    text = operations::anything(&text, &pool, &mut dice).unwrap_or(text);
                }
                text
            })
            .collect();
        let all = rough.into_iter().map(|text| Passage { features: measure_as(&text, language), text }).collect();
        pool.scenes = by_scene(all);
        (pool.spread, pool.correlation) = spread(&pool.scenes);
        Ok(pool)
    }

    pub fn passages(&self) -> usize {
        self.scenes.iter().map(Vec::len).sum()
    }

    /// The correlation of two features within scenes, −1..=1.
    pub fn correlation(&self, one: Feature, two: Feature) -> f32 {
        self.correlation[one.index()][two.index()]
    }
}

/// Assigns scene types by quantiles of their characteristic features.
fn by_scene(mut all: Vec<Passage>) -> [Vec<Passage>; SCENES] {
    let mut take = |feature: Feature, parts: usize| {
        all.sort_by(|one, two| two.features.get(feature).total_cmp(&one.features.get(feature)));
        let rest = all.split_off(all.len() / parts);
        std::mem::replace(&mut all, rest)
    };
    let dialogue = take(Feature::DialogueShare, 4);
    let action = take(Feature::ActionVerbs, 3);
    let description = take(Feature::Sight, 2);
    [dialogue, action, description, all]
}

fn spread(scenes: &[Vec<Passage>; SCENES]) -> (Vec<f32>, Vec<Vec<f32>>) {
    let mut products = vec![vec![0.0_f64; Feature::COUNT]; Feature::COUNT];
    let mut n = 0.0_f64;
    for scene in scenes {
        let mut mean = vec![0.0_f64; Feature::COUNT];
        for passage in scene {
            for (sum, value) in mean.iter_mut().zip(passage.features.as_slice()) {
                *sum += f64::from(*value) / scene.len().max(1) as f64;
            }
        }
        for passage in scene {
            let off: Vec<f64> =
                passage.features.as_slice().iter().zip(&mean).map(|(value, mean)| f64::from(*value) - mean).collect();
            for (row, one) in products.iter_mut().zip(&off) {
                for (sum, two) in row.iter_mut().zip(&off) {
                    *sum += one * two;
                }
            }
            n += 1.0;
        }
    }
    let deviation: Vec<f64> = (0..Feature::COUNT).map(|at| (products[at][at] / n).sqrt().max(1e-3)).collect();
    let correlation = products.iter().enumerate().map(|(one, row)| {
        let scaled = row.iter().zip(&deviation).map(|(sum, other)| (sum / n / deviation[one] / other) as f32);
        scaled.collect()
    });
    (deviation.iter().map(|value| *value as f32).collect(), correlation.collect())
}

/// Cuts paragraphs into passages of a few sentences, each about as long as an assistant's answer.
fn passages(language: Language, paragraphs: &[String], dice: &mut Dice) -> Vec<String> {
    let (least, span) = if language == Language::Zh { (80, 90) } else { (55, 60) };
    let mut made = Vec::new();
    let mut text = String::new();
    let mut goal = 0;
    for paragraph in paragraphs {
        let mut from = None;
        for sentence in sentences::split(paragraph) {
            let at = sentence.as_ptr() as usize - paragraph.as_ptr() as usize;
            let begin = *from.get_or_insert(at);
            let end = at + sentence.len();
            if text.is_empty() && goal == 0 {
                goal = least + dice.below(span) as u32;
            }
            let part = &paragraph[begin..end];
            if count::words(&text) + count::words(part) < goal || !balanced(part) {
                continue;
            }
            push(&mut text, part);
            made.push(std::mem::take(&mut text));
            (from, goal) = (None, 0);
        }
        if let Some(begin) = from {
            push(&mut text, &paragraph[begin..]);
        }
    }
    let longest = u32::try_from((least as usize + span) * 2).unwrap_or(u32::MAX);
    made.retain(|text| count::words(text) <= longest);
    made
}

fn push(text: &mut String, part: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(part.trim());
}

fn balanced(text: &str) -> bool {
    let count = |c: char| text.chars().filter(|other| *other == c).count();
    count('“') == count('”') && count('‘') == count('’') && count('"').is_multiple_of(2)
}

/// Paragraphs of a Chinese text with hard line breaks: each begins with an indent; notes, which have none, are left
/// out.
fn indented(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let body = line.trim_matches([' ', '　', '\r']);
        let indent =
            line.chars().take_while(|c| matches!(c, ' ' | '　')).map(|c| if c == '　' { 2 } else { 1 }).sum::<usize>();
        let is_note =
            body.starts_with(['〔', '⑴', '□', '①', '②', '③']) || body.contains("发表于") || body.contains("注释");
        if body.is_empty() || is_note || indent > 8 {
            open = false;
        } else if indent >= 2 {
            paragraphs.push(body.to_owned());
            open = true;
        } else if let (true, Some(last)) = (open, paragraphs.last_mut()) {
            last.push_str(body);
        }
    }
    for paragraph in &mut paragraphs {
        *paragraph = unmarked(paragraph);
    }
    paragraphs.retain(|paragraph| paragraph.ends_with(['。', '！', '？', '”', '…']) && !paragraph.contains('《'));
    paragraphs
}

/// The text without the numbers of notes.
fn unmarked(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '〔' => inside = true,
            '〕' => inside = false,
            '⑴'..='⒇' | '①'..='⑳' => {}
            _ if !inside => made.push(c),
            _ => {}
        }
    }
    made
}

/// Paragraphs of an English text that are separated by empty lines; text that is not prose is left out.
fn blocks(text: &str) -> Vec<String> {
    let text = text.replace(['\r', '_'], "");
    let joined = text.split("\n\n").map(|block| block.split_whitespace().collect::<Vec<_>>().join(" "));
    let is_prose = |block: &String| {
        let small = block.chars().filter(char::is_ascii_lowercase).count();
        let foreign = ["Gutenberg", "Etext", "etext", "eBook", "@", "http", "***", "small print"];
        small * 10 > block.len() * 6
            && block.ends_with(['.', '!', '?', '"', '\''])
            && foreign.iter().all(|word| !block.contains(word))
    };
    joined.filter(is_prose).collect()
}
