//! A small version of the study over the project's own prose: it shows in every clone that the learner learns, and that
//! it learns nothing from a writer without preferences. Quotable figures come from the full study.

use std::path::Path;

use palimpsest_memory::semantic::evidence::settings;
use palimpsest_text::Language;

use crate::{
    dice::Dice,
    life::{Circumstances, Model, live},
    prose::Pool,
    score,
    writer::{Manner, Writer},
};

/// Number of times that the small amount of prose is cut into passages, each time at other boundaries.
const OVERLAP: usize = 12;
const SEED: u64 = 7;

fn pool(language: Language, folder: &str) -> Pool {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src-tauri/crates/api/sample-book").join(folder);
    let mut chapters: Vec<_> = std::fs::read_dir(book).unwrap().map(|entry| entry.unwrap().path()).collect();
    chapters.sort();
    let text: String = chapters.iter().map(|path| std::fs::read_to_string(path).unwrap() + "\n\n").collect();
    let paragraphs: Vec<String> = text
        .split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty() && !paragraph.starts_with(['#', '-', '<']))
        .map(str::to_owned)
        .collect();
    Pool::new(language, &paragraphs, OVERLAP).unwrap()
}

fn preferences_are_found(language: Language, folder: &str) {
    let pool = pool(language, folder);
    let settings = settings();
    let how = Circumstances { days: 60, ..Circumstances::ordinary(Model::Memory) };
    let (mut rules, mut right, mut false_rules) = (0, 0, 0);
    for number in 0..3 {
        let writer = Writer::with_preferences(&pool, &mut Dice::new(SEED, number * 2));
        let life = live(&writer, &pool, &how, SEED, number, &settings);
        let look = score::standing(score::look_before(&life, 60).unwrap(), &writer);
        rules += look.rules;
        right += look.right;
    }
    for number in 0..3 {
        let writer = Writer::without(Manner::Ordinary);
        let life = live(&writer, &pool, &how, SEED, 100 + number, &settings);
        false_rules += score::false_rules(&life, &writer);
    }
    assert!(right >= 3, "{right} of {rules} rules");
    assert!(right * 3 >= rules * 2, "{right} of {rules} rules");
    assert_eq!(false_rules, 0);
}

#[test]
fn preferences_are_found_and_writers_without_one_get_no_rule_zh() {
    preferences_are_found(Language::Zh, "zh");
}

#[test]
fn preferences_are_found_and_writers_without_one_get_no_rule_en() {
    preferences_are_found(Language::En, "en");
}
