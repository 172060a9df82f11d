//! The numbers of the passages that are nearest to a question, and how well they tell unanswerable questions.

use std::collections::{HashMap, HashSet};

use palimpsest_asking::unanswerable::{COMPARED, Ranking, unanswerable_score};
use palimpsest_embedder::Encoder;
use palimpsest_text::terms::{index_terms, query_terms};
use serde_json::{Value, json};

use super::Piece;

/// A question with its numbers.
pub struct Row {
    id: String,
    is_answerable: bool,
    ranking: Ranking,
}

impl Row {
    pub fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "isAnswerable": self.is_answerable,
            "cosines": self.ranking.cosines,
            "cosineByWords": self.ranking.cosine_by_words,
            "score": unanswerable_score(&self.ranking),
        })
    }
}

/// A work, indexed.
struct Indexed {
    terms: Vec<HashSet<String>>,
    vectors: Vec<Vec<f32>>,
}

pub fn score_questions(questions: &[Value], works: &HashMap<String, Vec<Piece>>) -> Result<Vec<Row>, String> {
    let folder = palimpsest_api::bundled_encoder().ok_or("The bundled encoder is not there: run `npm run setup`.")?;
    let encoder = Encoder::load(&folder).map_err(|error| format!("{error:?}"))?;
    let mut indexed: HashMap<&str, Indexed> = HashMap::new();
    let mut rows = Vec::new();
    for question in questions.iter().filter(|question| question["kind"] != "asof") {
        let text = question["question"].as_str().unwrap_or_default();
        let work = question["work"].as_str().unwrap_or_default();
        let Some(pieces) = works.get(work) else { continue };
        let index = indexed.entry(work).or_insert_with(|| Indexed {
            terms: pieces.iter().map(|piece| index_terms(&piece.text).into_iter().collect()).collect(),
            vectors: pieces.iter().map(|piece| encoder.embed(&piece.text)).collect(),
        });
        rows.push(Row {
            id: question["id"].as_str().unwrap_or_default().to_owned(),
            is_answerable: question["kind"] != "none",
            ranking: ranking(text, index, &encoder),
        });
    }
    Ok(rows)
}

fn ranking(question: &str, index: &Indexed, encoder: &Encoder) -> Ranking {
    let words = query_terms(question);
    let count = index.terms.len() as f64;
    let rarity = |word: &String| {
        let with = index.terms.iter().filter(|terms| terms.contains(word)).count() as f64;
        (1.0 + (count - with + 0.5) / (with + 0.5)).ln()
    };
    let weights: Vec<f64> = words.iter().map(rarity).collect();
    let share = |terms: &HashSet<String>| -> f64 {
        words.iter().zip(&weights).filter(|(word, _)| terms.contains(*word)).map(|(_, weight)| weight).sum()
    };
    let query = encoder
        .embed_query(question, std::slice::from_ref(&(0..question.len())))
        .into_iter()
        .next()
        .unwrap_or_default();
    let cosine = |vector: &Vec<f32>| f64::from(vector.iter().zip(&query).map(|(a, b)| a * b).sum::<f32>());
    let shares: Vec<f64> = index.terms.iter().map(share).collect();
    let most = shares.iter().copied().fold(0.0, f64::max);
    let best = shares.iter().zip(&index.vectors).filter(|(share, _)| most > 0.0 && **share >= most);
    let by_words: Vec<f64> = best.map(|(_, vector)| cosine(vector)).collect();
    let cosine_by_words = (!by_words.is_empty()).then(|| by_words.iter().sum::<f64>() / by_words.len() as f64);
    let mut cosines: Vec<f64> = index.vectors.iter().map(cosine).collect();
    cosines.sort_by(|a, b| b.total_cmp(a));
    cosines.truncate(COMPARED);
    Ranking { cosines, cosine_by_words }
}

/// The number at the end of an id.
pub fn number(id: &str) -> usize {
    id.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

/// The scores of the questions that the book answers, or of the others.
fn scores(rows: &[&Row], is_answerable: bool) -> Vec<f64> {
    let chosen = rows.iter().filter(|row| row.is_answerable == is_answerable);
    chosen.map(|row| unanswerable_score(&row.ranking)).collect()
}

/// The area under the curve: the chance, 0..1, that a question without an answer has a higher score than one with an
/// answer; equal scores count half. 0 without questions of either kind.
pub fn area(with: &[f64], without: &[f64]) -> f64 {
    let better = |without: f64, with: f64| {
        if without > with {
            1.0
        } else if without < with {
            0.0
        } else {
            0.5
        }
    };
    let sum: f64 = without.iter().flat_map(|none| with.iter().map(move |some| better(*none, *some))).sum();
    sum / (with.len() * without.len()).max(1) as f64
}

pub fn print_areas(rows: &[Row]) {
    println!("Unanswerable questions told from answerable ones, area under the curve.");
    println!("| half | without an answer | with one | area |");
    println!("| --- | --- | --- | --- |");
    for (name, rest) in [("fitted", Some(0)), ("judged", Some(1)), ("both", None)] {
        let half: Vec<&Row> = rows.iter().filter(|row| rest.is_none_or(|rest| number(&row.id) % 2 == rest)).collect();
        let (with, without) = (scores(&half, true), scores(&half, false));
        println!("| {name} | {} | {} | {:.3} |", without.len(), with.len(), area(&with, &without));
    }
}
