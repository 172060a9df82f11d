//! Measured passages of real prose.

use std::{collections::HashMap, fs::File, io::Read, path::Path};

use flate2::read::GzDecoder;
use palimpsest_memory::provenance::likeness::Words;
use palimpsest_text::{Language, count, sentences, style, terms};

/// A passage ends with the paragraph that brings it to this length, in characters or words.
const PASSAGE: u32 = 60;
/// Maximum length, in characters or words: longer passages are left out, because no draft is that long.
const LONGEST: u32 = 400;

/// A passage and its measures.
pub struct Passage {
    /// One value per feature, in standard deviations of the shipped table.
    pub style: Vec<f32>,
    /// The words of the passage, in the form that the program compares.
    pub words: Words,
    /// Weighted terms by number, normalized to length one, for the true likeness.
    terms: HashMap<u32, f64>,
    /// The vector of the bundled encoder; `None` without the encoder.
    vector: Option<Vec<f32>>,
}

/// Reads a packed plain text and cuts it into passages. Fails when the file cannot be read.
pub fn read(file: &Path, language: Language) -> Result<Vec<String>, String> {
    let mut text = String::new();
    let open = File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    GzDecoder::new(open).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(passages(&paragraphs(&text, language), language))
}

/// The paragraphs of a text with hard line breaks: an empty line ends one, in Chinese an indented line begins one. The
/// first and the last twenty-fifth, where a library describes the text, is left out.
fn paragraphs(text: &str, language: Language) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        let words = line.trim();
        if words.is_empty() || (language == Language::Zh && line.starts_with(char::is_whitespace)) {
            paragraphs.push(String::new());
        }
        if let Some(open) = paragraphs.last_mut() {
            if language == Language::En && !open.is_empty() {
                open.push(' ');
            }
            open.push_str(words);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    let edge = paragraphs.len() / 25;
    paragraphs.truncate(paragraphs.len() - edge);
    paragraphs.split_off(edge)
}

/// Joins neighbouring paragraphs until they are long enough to have a style.
fn passages(paragraphs: &[String], language: Language) -> Vec<String> {
    let mut passages = Vec::new();
    let mut open = String::new();
    for paragraph in paragraphs {
        if !open.is_empty() {
            open.push('\n');
        }
        open.push_str(paragraph);
        let long = count::words(&open);
        if long >= PASSAGE {
            let passage = std::mem::take(&mut open);
            if long <= LONGEST && palimpsest_text::detect(&passage) == language {
                passages.push(passage);
            }
        }
    }
    passages
}

/// Cuts a small text into many overlapping passages: every run of two to four sentences.
pub fn overlapping(text: &str) -> Vec<String> {
    let sentences = sentences::split(text);
    (2..=4).flat_map(|long| sentences.windows(long)).map(|stretch| stretch.join(" ")).collect()
}

/// Measures passages of one language.
pub fn measured(texts: &[String], language: Language, encode: &dyn Fn(&str) -> Option<Vec<f32>>) -> Vec<Passage> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut frequency: HashMap<u32, f64> = HashMap::new();
    let mut counted = Vec::new();
    for text in texts {
        let mut counts: HashMap<u32, f64> = HashMap::new();
        for term in terms::index_terms(text) {
            let next = numbers.len() as u32;
            *counts.entry(*numbers.entry(term).or_insert(next)).or_insert(0.0) += 1.0;
        }
        counts.keys().for_each(|term| *frequency.entry(*term).or_insert(0.0) += 1.0);
        counted.push(counts);
    }
    let spread = style::default_spread(language);
    let one = |(text, mut terms): (&String, HashMap<u32, f64>)| {
        for (term, count) in &mut terms {
            *count = (1.0 + count.ln()) * (texts.len() as f64 / frequency[term]).ln();
        }
        let length = terms.values().map(|weight| weight * weight).sum::<f64>().sqrt().max(1e-9);
        terms.values_mut().for_each(|weight| *weight /= length);
        let values = style::measure_as(text, language);
        Passage {
            style: values
                .as_slice()
                .iter()
                .zip(spread.as_slice())
                .map(|(value, deviation)| value / deviation)
                .collect(),
            words: Words::from_text(text),
            terms,
            vector: encode(text),
        }
    };
    texts.iter().zip(counted).map(one).collect()
}

impl Passage {
    /// Cosine of weighted terms, 0..1. The program computes another measure.
    pub fn by_terms(&self, other: &Self) -> f64 {
        // Sorted by term: a sum of floats in the order of a hash map would not be repeatable.
        let mut shared: Vec<(u32, f64)> =
            self.terms.iter().filter_map(|(term, weight)| Some((*term, weight * other.terms.get(term)?))).collect();
        shared.sort_unstable_by_key(|(term, _)| *term);
        shared.into_iter().map(|(_, product)| product).sum()
    }

    /// Cosine of the encoder's vectors, −1..1; `None` without the encoder.
    pub fn by_meaning(&self, other: &Self) -> Option<f64> {
        let pairs = self.vector.as_ref()?.iter().zip(other.vector.as_ref()?);
        Some(pairs.map(|(one, other)| f64::from(one * other)).sum())
    }

    /// The negative sum of the distances of all features. The program computes another measure.
    pub fn by_style(&self, other: &Self) -> f64 {
        -self.style.iter().zip(&other.style).map(|(one, other)| f64::from((one - other).abs())).sum::<f64>()
    }
}
