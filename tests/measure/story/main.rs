//! `npm run eval:story -- DATA`: the quality of what the reader finds in books.
//!
//! DATA is the folder of the story data set. Its `score.py` defines every figure: this program writes the files that
//! the script takes, calls it, and prints its figures beside those of the reference rules and the targets.

mod continuity;
mod data;
mod figures;
mod prompts;
mod questions;
mod study;
#[path = "../studying.rs"]
mod studying;
mod tagged;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use continuity::Planting;
use data::Unit;
use palimpsest_api::tagged_words;
use palimpsest_reader::{
    names::{self, EntityKind, Names, TaggedChapter, TaggedWord},
    speech,
};
use palimpsest_tagger::Tagger;
use serde_json::{Map, Value, json};
use tagged::{load_tagger, tagged_chapters, words_of};

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let phrases = args.iter().position(|arg| arg == "--phrases").map(|at| {
        let file = args.get(at + 1).map(PathBuf::from).unwrap_or_default();
        args.drain(at..(at + 2).min(args.len()));
        file
    });
    let planting = args.iter().position(|arg| arg == "--continuity").map(|at| {
        let seeds = args.get(at + 1).cloned().unwrap_or_else(|| DEVELOPMENT_SEEDS.to_owned());
        args.truncate(at);
        Planting { seeds, phrases }
    });
    let is_study = args.iter().position(|arg| arg == "--study").map(|at| args.remove(at)).is_some();
    let mut args = args.into_iter();
    let Some(data) = args.next().map(PathBuf::from) else {
        eprintln!(
            "usage: npm run eval:story -- DATA [OUT] [--continuity SEEDS [--phrases FILE] | --study]\nDATA is the folder with \
             score.py, text and names. OUT keeps the files. With SEEDS, such as 1-30, only continuity issues are \
             measured, with FILE on its sentences (the format of PHRASES in plant.py); with --study only studies."
        );
        return ExitCode::FAILURE;
    };
    let temporary = tempfile::tempdir();
    let out = match (args.next().map(PathBuf::from), &temporary) {
        (Some(out), _) => out,
        (None, Ok(folder)) => folder.path().to_owned(),
        (None, Err(error)) => {
            eprintln!("no temporary folder: {error}");
            return ExitCode::FAILURE;
        }
    };
    let tagger = load_tagger();
    let measured = match planting {
        Some(planting) => continuity_figures(&data, &out, tagger.as_ref(), &planting).map(drop),
        None if is_study => print_studies(&data),
        None => measure_story(&data, &out, tagger.as_ref()),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The seeds of planted texts that the rules may be developed with.
const DEVELOPMENT_SEEDS: &str = "1-100";

/// Prints and returns the lines of `score.py` about continuity issues in the planted texts of some seeds, and in the
/// texts in which nothing was planted.
fn continuity_figures(data: &Path, out: &Path, tagger: Option<&Tagger>, planting: &Planting) -> Result<String, String> {
    fs::create_dir_all(out).map_err(|error| error.to_string())?;
    let seeds = &planting.seeds;
    let found = continuity::found_in_texts(data, out, tagger, planting)?;
    for line in continuity::alarms_on_clean_texts(data, &found.issues)? {
        println!("continuity, clean text: {line}");
    }
    for line in continuity::alarms_on_clean_texts(data, &found.pairs)? {
        println!("pairs for a model, clean text: {line}");
    }
    let said = score_planted(data, out, &found.issues, planting, "issues.json")?;
    for line in said.lines() {
        println!("continuity, seeds {seeds}: {line}");
    }
    let of_pairs = score_planted(data, out, &found.pairs, planting, "pairs.json")?;
    for line in of_pairs.lines().filter(|line| line.contains("attribute") || line.contains("alarms that hit")) {
        println!("pairs for a model, seeds {seeds}: {line}");
    }
    for line in continuity::own_passages()? {
        println!("pairs for a model, own passages: {line}");
    }
    Ok(said)
}

fn measure_story(data: &Path, out: &Path, tagger: Option<&Tagger>) -> Result<(), String> {
    fs::create_dir_all(out).map_err(|error| error.to_string())?;
    let english = data::works(data, "en")?;
    let excerpts = data::excerpts(data)?;
    let mut said = String::new();
    let mut names = names_of(english.iter().chain(&excerpts), |unit| names::detect_en(&unit.texts(), &[]));
    if let Some(tagger) = tagger {
        names.extend(names_of(data::works(data, "zh")?.iter(), |unit| {
            names::detect_zh(&tagged_chapters(unit, &words_of(tagger, unit)), &[])
        }));
    }
    said += &score(data, out, "names", &Value::Object(names))?;
    said += &score(data, out, "speech", &speech_of(&excerpts))?;
    said += &continuity_figures(data, out, tagger, &Planting { seeds: DEVELOPMENT_SEEDS.to_owned(), phrases: None })?;
    said += &score(data, out, "asof", &shown_as_of(data, &english, tagger)?)?;
    print_story_parts(data, out)?;
    said += &score(data, out, "qa", &questions::ranked(data)?)?;
    print_studies(data)?;
    figures::print_figures(&said);
    Ok(())
}

/// Prints what studies with a scripted model keep, and the program's own time in their steps.
fn print_studies(data: &Path) -> Result<(), String> {
    for line in study::figures(data)? {
        println!("{line}");
    }
    Ok(())
}

/// Prints what the cards of prompts at the cuts of the books name too early, and how many are the same without the
/// later chapters.
fn print_story_parts(data: &Path, out: &Path) -> Result<(), String> {
    let parts = prompts::story_parts(data)?;
    println!("cards of prompts, the same with the later chapters removed: {} of {} cuts", parts.same, parts.cuts);
    for line in score(data, out, "asof", &parts.shown)?.lines() {
        println!("cards of prompts, {line}");
    }
    Ok(())
}

/// Writes a file for `score.py`, and returns the lines that the script prints.
fn score(data: &Path, out: &Path, measure: &str, found: &Value) -> Result<String, String> {
    let file = out.join(format!("{measure}.json"));
    fs::write(&file, found.to_string()).map_err(|error| format!("{}: {error}", file.display()))?;
    python_lines(Command::new("python3").arg(data.join("score.py")).arg(measure).arg(&file))
}

/// Calls the measure `doubts` of `score.py` with the other sentences, which its command line cannot take.
const SCORE_WITH_PHRASES: &str = "import json, sys; sys.path.insert(0, sys.argv[1]); import score; \
                                  read = lambda path: json.load(open(path, encoding='utf-8')); \
                                  score.doubts(read(sys.argv[2]), None, read(sys.argv[3]))";

/// The lines of the measure `doubts` about issues or pairs in planted texts.
fn score_planted(
    data: &Path,
    out: &Path,
    found: &Map<String, Value>,
    planting: &Planting,
    name: &str,
) -> Result<String, String> {
    let Some(phrases) = &planting.phrases else { return score(data, out, "doubts", &Value::Object(found.clone())) };
    let file = out.join(name);
    let text = Value::Object(found.clone()).to_string();
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    python_lines(Command::new("python3").args(["-c", SCORE_WITH_PHRASES]).arg(data).arg(&file).arg(phrases))
}

/// The lines that a Python program prints.
fn python_lines(program: &mut Command) -> Result<String, String> {
    let output = program.output().map_err(|error| format!("python3: {error}"))?;
    if !output.status.success() {
        return Err(format!("score.py: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn kind_name(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Character => "person",
        EntityKind::Place => "place",
        EntityKind::Thing => "thing",
        EntityKind::Faction => "faction",
    }
}

fn names_of<'u>(units: impl Iterator<Item = &'u Unit>, detect: impl Fn(&Unit) -> Names) -> Map<String, Value> {
    let mut found = Map::new();
    for unit in units {
        let start = Instant::now();
        let names = detect(unit);
        if unit.chars() > 100_000 {
            let ms = start.elapsed().as_secs_f64() * 1000.0;
            println!("{}: {:.2} ms for 10,000 characters", unit.name, ms * 10_000.0 / unit.chars() as f64);
        }
        let rows = names.entities.iter().map(|entity| {
            let forms: Vec<&str> = entity.forms.iter().map(|form| form.text.as_str()).collect();
            json!({"kind": kind_name(entity.kind), "forms": forms})
        });
        found.insert(unit.name.clone(), rows.collect());
    }
    found
}

fn speech_of(units: &[Unit]) -> Value {
    let mut found = Map::new();
    for unit in units {
        let text = &unit.chapters[0].text;
        let entities = names::detect_en(&[text], &[]).entities;
        let rows = speech::speakers(text, &entities).into_iter().map(|speech| {
            let (from, to) = (data::utf16(text, speech.range.start), data::utf16(text, speech.range.end));
            json!([from, to, &text[speech.name]])
        });
        found.insert(unit.name.clone(), rows.collect());
    }
    Value::Object(found)
}

/// The names that the reader finds in the text before each cut of the books; of the Chinese ones, if there is a tagger.
fn shown_as_of(data: &Path, english: &[Unit], tagger: Option<&Tagger>) -> Result<Value, String> {
    let chinese = data::works(data, "zh")?;
    let mut shown = Map::new();
    for book in data::json(&data.join("asof.json"))?.as_array().into_iter().flatten() {
        let is_chinese = book["lang"] == "zh";
        let works = if is_chinese { &chinese } else { english };
        let order: Vec<&str> =
            book["order"].as_array().into_iter().flatten().filter_map(|row| text_in(works, row)).collect();
        // The words of a whole chapter, of which those before the cut are passed on.
        let words: Vec<Vec<TaggedWord>> = match (is_chinese, tagger) {
            (false, _) => Vec::new(),
            (true, Some(tagger)) => order.iter().map(|text| tagged_words(tagger, text)).collect(),
            (true, None) => continue,
        };
        let mut rows = Vec::new();
        for (number, cut) in book["cuts"].as_array().into_iter().flatten().enumerate() {
            let index = |at: usize| cut[at].as_u64().unwrap_or_default() as usize;
            let mut texts: Vec<&str> = order.iter().take(index(0)).copied().collect();
            texts.extend(order.get(index(0)).map(|text| data::before_utf16(text, index(1))));
            let names = if is_chinese { detect_before(&texts, &words) } else { names::detect_en(&texts, &[]) };
            rows.push(shown_row(number, &names));
        }
        shown.insert(book["book"].as_str().unwrap_or_default().to_owned(), Value::Array(rows));
    }
    Ok(Value::Object(shown))
}

/// The names of Chinese texts, with the words that end in them.
fn detect_before(texts: &[&str], words: &[Vec<TaggedWord>]) -> Names {
    let is_inside = |text: &&str, words: &[TaggedWord]| words.partition_point(|word| word.range.end <= text.len());
    let chapters: Vec<TaggedChapter<'_>> = texts
        .iter()
        .zip(words)
        .map(|(text, words)| TaggedChapter { text, words: &words[..is_inside(text, words)] })
        .collect();
    names::detect_zh(&chapters, &[])
}

/// The forms shown at a cut, and the pairs that are shown as one entity.
fn shown_row(cut: usize, names: &Names) -> Value {
    let forms =
        |entity: &names::DetectedEntity| -> Vec<String> { entity.forms.iter().map(|form| form.text.clone()).collect() };
    let all: Vec<String> = names.entities.iter().flat_map(forms).collect();
    let mut same = Vec::new();
    for forms in names.entities.iter().map(forms) {
        for (at, one) in forms.iter().enumerate() {
            same.extend(forms[..at].iter().map(|other| json!([one, other])));
        }
    }
    json!({"cut": cut, "text": all.join("\n"), "same": same})
}

/// The text of a row of `order`: work, number of the chapter, title, length.
fn text_in<'u>(works: &'u [Unit], row: &Value) -> Option<&'u str> {
    let unit = works.iter().find(|unit| Some(unit.name.as_str()) == row[0].as_str())?;
    let chapter = unit.chapters.iter().find(|chapter| Some(chapter.number) == row[1].as_u64())?;
    Some(&chapter.text)
}
