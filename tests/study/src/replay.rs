//! Replays of real writers: the choices of CoAuthor and the edits of LAMP, with the same code.

use std::{
    collections::{BTreeMap, HashSet},
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use flate2::read::GzDecoder;
use palimpsest_learning::{Kind, Row, Settings, State, distill};
use palimpsest_text::{
    Language, scene,
    style::{Feature, Features, measure_as},
};
use serde_json::Value;

use crate::{
    dice::Dice,
    evidence::{Book, Episode},
    figures::{Bar, Estimate, Table},
};

/// Minimum of choices per writer: half of fewer is too little to learn from.
const LEAST: usize = 40;
/// Number of randomizations of each writer's choices and edits.
const SHUFFLED: u64 = 10;

/// One choice or edit of a real writer.
struct Deed {
    scene: Option<u16>,
    candidates: Vec<Features>,
    chosen: usize,
    written: Option<Features>,
}

/// A real writer's choices and edits, in order.
struct Writer {
    deeds: Vec<Deed>,
}

const SCENES: [&str; 6] = ["dialogue", "action", "description", "monologue", "narration", "transition"];

/// The scene type of a text, guessed from its end by the function that the program uses.
fn guessed(text: &str) -> Option<u16> {
    let end = text.trim_end();
    let from = end.char_indices().rev().nth(600).map_or(0, |(at, _)| at);
    let guess = scene::guess(&end[from..])?;
    SCENES.iter().position(|name| *name == guess).map(|at| at as u16)
}

fn lines(file: &Path) -> Result<Vec<Value>, String> {
    let open = File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = BufReader::new(GzDecoder::new(BufReader::new(open))).lines();
    lines
        .map(|line| line.map_err(|error| error.to_string()))
        .map(|line| line.and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string())))
        .collect()
}

fn by_writer(deeds: Vec<(String, Deed)>) -> Vec<Writer> {
    let mut writers: BTreeMap<String, Vec<Deed>> = BTreeMap::new();
    for (name, deed) in deeds {
        writers.entry(name).or_default().push(deed);
    }
    writers.into_values().map(|deeds| Writer { deeds }).collect()
}

/// Evaluates the choices of CoAuthor: learned from the first half of each writer's choices, tested on the second half.
pub fn choices(data: &Path, seed: u64, settings: &Settings, table: &mut Table) -> Result<(), String> {
    let writers = coauthor(&data.join("coauthor_dev.jsonl.gz"))?;
    let (mut rules, mut agreed, mut falsely) = (Vec::new(), Vec::new(), Vec::new());
    for (number, writer) in writers.iter().enumerate() {
        let rows = rows(&writer.deeds, None);
        rules.push((distill(&rows, Feature::COUNT, settings, &State::default()).rules.len() as f64, 1.0));
        let (first, second) = rows.split_at(rows.len() / 2);
        let (_, said, right) = held_out(first, second, settings);
        agreed.push((right, said));
        for again in 0..SHUFFLED {
            let mut dice = Dice::new(seed, number as u64 * SHUFFLED + again);
            falsely.push(ever(&self::rows(&writer.deeds, Some(&mut dice)), 10, settings));
        }
    }
    let said = agreed.iter().map(|pair| pair.1).sum::<f64>();
    let of = format!("{} writers", writers.len());
    let bar = Bar::AtLeast { must: 0.8, strong: 1.5 };
    table.put(0, "CoAuthor: rules a writer", bar, 2, Estimate::ratio(&rules, of));
    let bar = Bar::AtLeast { must: 0.62, strong: 0.62 };
    table.put(0, "CoAuthor: held-out agreement", bar, 3, Estimate::ratio(&agreed, format!("{said} choices")));
    let bar = Bar::AtMost { must: 0.01, strong: 0.0 };
    let of = format!("{} replays", falsely.len());
    table.put(0, "CoAuthor: false rules ever on permuted choices, a writer", bar, 3, Estimate::rare(&falsely, of));
    Ok(())
}

/// Evaluates the edits of LAMP: rules from all edits of a writer; agreement with rules from one half on the other, in
/// both directions.
pub fn edits(data: &Path, seed: u64, settings: &Settings, table: &mut Table) -> Result<(), String> {
    let writers = lamp(&data.join("lamp_dev.jsonl.gz"))?;
    let (mut rules, mut agreed, mut falsely) = (Vec::new(), Vec::new(), Vec::new());
    for (number, writer) in writers.iter().enumerate() {
        let rows = rows(&writer.deeds, None);
        rules.push((distill(&rows, Feature::COUNT, settings, &State::default()).rules.len() as f64, 1.0));
        let (first, second) = rows.split_at(rows.len() / 2);
        let (there, back) = (held_out(first, second, settings), held_out(second, first, settings));
        agreed.push((there.2 + back.2, there.1 + back.1));
        for again in 0..SHUFFLED {
            let mut dice = Dice::new(seed, 1_000_000 + number as u64 * SHUFFLED + again);
            falsely.push(ever(&self::rows(&writer.deeds, Some(&mut dice)), 1, settings));
        }
    }
    let said = agreed.iter().map(|pair| pair.1).sum::<f64>();
    let bar = Bar::AtLeast { must: 6.0, strong: 10.0 };
    table.put(0, "LAMP: rules a writer", bar, 1, Estimate::ratio(&rules, format!("{} writers", writers.len())));
    let bar = Bar::AtLeast { must: 0.8, strong: 0.8 };
    table.put(0, "LAMP: held-out agreement", bar, 3, Estimate::ratio(&agreed, format!("{said} edits")));
    let bar = Bar::AtMost { must: 0.03, strong: 0.0 };
    let of = format!("{} replays", falsely.len());
    table.put(0, "LAMP: rules ever on sign-flipped edits, a writer", bar, 3, Estimate::rare(&falsely, of));
    Ok(())
}

/// Reads choices among at least two different candidates. The later state of the text is left out, because it includes
/// the text written after the choice.
fn coauthor(file: &Path) -> Result<Vec<Writer>, String> {
    let mut deeds = Vec::new();
    for line in lines(file)? {
        let string = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let texts: Vec<&str> =
            line["cands"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
        let Some(chosen) = line["sel"].as_u64().map(|at| at as usize).filter(|at| *at < texts.len()) else { continue };
        if texts.iter().collect::<HashSet<_>>().len() < 2 {
            continue;
        }
        let candidates = texts.iter().map(|text| measure_as(text, Language::En)).collect();
        deeds.push((string("worker"), Deed { scene: guessed(&string("context")), candidates, chosen, written: None }));
    }
    let mut writers = by_writer(deeds);
    writers.retain(|writer| writer.deeds.len() >= LEAST);
    Ok(writers)
}

/// Reads paragraphs written by models, and their revisions by professionals.
fn lamp(file: &Path) -> Result<Vec<Writer>, String> {
    let mut deeds = Vec::new();
    for line in lines(file)? {
        let string = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let (before, after) = (string("pre"), string("post"));
        if before == after {
            continue;
        }
        let measure = |text: &str| measure_as(text, Language::En);
        let deed = Deed { scene: None, candidates: vec![measure(&before)], chosen: 0, written: Some(measure(&after)) };
        deeds.push((string("writer"), deed));
    }
    Ok(by_writer(deeds))
}

/// The evidence of a writer's choices and edits, in one book. With `chance` the choices and the directions of edits are
/// random.
fn rows(deeds: &[Deed], chance: Option<&mut Dice>) -> Vec<Row> {
    let mut book = Book::new(Language::En);
    let mut rows = Vec::new();
    let mut chance = chance;
    for (order, deed) in deeds.iter().enumerate() {
        let chosen = match &mut chance {
            Some(dice) => dice.below(deed.candidates.len()),
            None => deed.chosen,
        };
        let mut new_rows = book.record(&Episode {
            order: order as i64,
            scene: deed.scene,
            skill: Some(0),
            candidates: &deed.candidates,
            chosen: Some(chosen),
            written: deed.written.as_ref(),
            undone: false,
        });
        if let Some(dice) = &mut chance {
            for row in new_rows.iter_mut().filter(|row| row.kind == Kind::Edit) {
                if dice.heads(0.5) {
                    row.a.iter_mut().chain(&mut row.dz).for_each(|value| *value = -*value);
                }
            }
        }
        rows.extend(new_rows);
    }
    rows
}

/// Predictions for some rows by rules learned from others: the number of rules, of predictions, and of right
/// predictions.
fn held_out(learn: &[Row], test: &[Row], settings: &Settings) -> (usize, f64, f64) {
    let rules = distill(learn, Feature::COUNT, settings, &State::default()).rules;
    let (mut said, mut right) = (0.0, 0.0);
    for rule in &rules {
        for row in test.iter().filter(|row| rule.stratum.contains(row)) {
            let a = row.evidence(rule.feature) * rule.direction.sign();
            if a != 0.0 {
                said += 1.0;
                right += f64::from(u8::from(a > 0.0));
            }
        }
    }
    (rules.len(), said, right)
}

/// The number of rules that were ever in force over random rows, checked every `step` rows.
fn ever(rows: &[Row], step: usize, settings: &Settings) -> usize {
    let mut seen = HashSet::new();
    let mut upto = step;
    while upto <= rows.len() {
        let rules = distill(&rows[..upto], Feature::COUNT, settings, &State::default()).rules;
        seen.extend(rules.iter().map(|rule| (rule.feature, rule.direction, rule.stratum)));
        upto += step;
    }
    seen.len()
}
