//! The filter on drafts of models, labelled by hand (`labelled.jsonl`): its first line has the lines of the prompts,
//! and each further line is a draft with its label: `usable`, or the reason why it is no draft. `keep` is the draft in
//! a text of which something is to be cut. The words of the filter were chosen on the drafts that are not `heldOut`.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // the figures are printed

use palimpsest_drafts::{DraftFilter, Facts, Skill, Verdict};
use palimpsest_text::Language;
use serde::Deserialize;

const LABELLED: &str = include_str!("labelled.jsonl");
/// Maximum share of usable drafts of which something was cut wrongly, or that were called unusable.
const MAX_WRONG_CUTS: f64 = 0.01;
/// Minimum share of unusable texts that are recognized.
const MIN_RECOGNIZED: f64 = 0.95;

#[derive(Deserialize)]
struct Prompts {
    prompts: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Labelled {
    model: String,
    temperature: f64,
    prompt: usize,
    skill: String,
    language: String,
    before: String,
    selection: String,
    text: String,
    label: String,
    held_out: bool,
    keep: Option<String>,
    /// The sentences of the task, where the prompt has one.
    #[serde(default)]
    task: Vec<String>,
}

/// Counts of one half of the drafts.
#[derive(Default)]
struct Figures {
    usable: usize,
    wrongly_cut: usize,
    left_in: usize,
    unusable: usize,
    recognized: usize,
}

fn words(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for c in text.chars() {
        match c.is_alphanumeric() {
            true if palimpsest_text::is_han(c) => found.extend([c.to_string(), String::new()]),
            true => found.last_mut().unwrap().extend(c.to_lowercase()),
            false => found.push(String::new()),
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

fn count(drafts: &[Labelled], prompts: &[Vec<String>]) -> Figures {
    let mut figures = Figures::default();
    for draft in drafts {
        let facts = Facts {
            skill: Skill::of_name(&draft.skill),
            language: if draft.language == "zh" { Language::Zh } else { Language::En },
            before: &draft.before,
            selection: &draft.selection,
            instruction: "",
            prompt_lines: &prompts[draft.prompt],
            task: &draft.task,
            has_headings: false,
        };
        let mut filter = DraftFilter::new(facts);
        filter.push(&draft.text);
        let end = filter.finish(true);
        let is_usable = matches!(end.verdict, Verdict::Usable(_));
        let mistake = if draft.label == "usable" {
            figures.usable += 1;
            let (kept, keep) = (words(&end.draft), words(draft.keep.as_deref().unwrap_or(&draft.text)));
            let is_wrong = !is_usable || !keep.iter().all(|word| kept.contains(word)) || kept.len() < keep.len();
            let is_left = !is_wrong && kept.len() > keep.len();
            figures.wrongly_cut += usize::from(is_wrong);
            figures.left_in += usize::from(is_left);
            is_wrong || is_left
        } else {
            figures.unusable += 1;
            figures.recognized += usize::from(!is_usable);
            is_usable
        };
        if mistake {
            let Labelled { model, temperature, label, text, .. } = draft;
            println!("{model} {temperature} {label}: {:?}\n  {text:?}\n  {:?}", end.verdict, end.draft);
        }
    }
    figures
}

#[test]
fn drafts_stay_whole_and_texts_that_are_none_are_recognized() {
    let mut lines = LABELLED.lines();
    let prompts: Prompts = serde_json::from_str(lines.next().unwrap()).unwrap();
    let drafts: Vec<Labelled> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let (held_out, development): (Vec<_>, Vec<_>) = drafts.into_iter().partition(|draft| draft.held_out);
    for (half, drafts) in [("development", development), ("held out", held_out)] {
        let Figures { usable, wrongly_cut, left_in, unusable, recognized } = count(&drafts, &prompts.prompts);
        println!(
            "{half}: {wrongly_cut} of {usable} usable drafts cut wrongly, {left_in} with something left in; \
             {recognized} of {unusable} unusable texts recognized"
        );
        assert!(wrongly_cut as f64 <= MAX_WRONG_CUTS * usable as f64, "{half}");
        assert!(recognized as f64 >= MIN_RECOGNIZED * unusable as f64, "{half}");
    }
}
