//! Marks of used answers: scripted replies with known marks, in the prompts that the program makes.

use std::{collections::BTreeSet, sync::Arc, thread};

use palimpsest_answers::marks::used_ids;
use palimpsest_api::{Api, EncoderSource, Options};
use palimpsest_text::{random::SplitMix64, sentences};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Passage, Set};

/// Scripted replies of each language.
const REPLIES: usize = 500;
/// Answers that a book has.
const RECORDED: usize = 120;
/// Words that look like marks and are none.
const LOOK_ALIKES: [&str; 8] =
    ["The QA team agreed.", "See [1].", "Q&A: 2.", "第 1 章里有。", "(reference 3)", "版本 QA。", "[QA]", "(ref)"];

/// The counts of one language.
#[derive(Default)]
struct Counts {
    replies: usize,
    exact: usize,
    missed: usize,
    invented: usize,
}

/// Prints how many scripted replies are read exactly: all answers that they mark, and no other.
pub fn print_marks(sets: &[Set]) {
    println!("scripted replies whose marks are read exactly (target: at least .99)");
    println!("| set | replies | read exactly | used answers missed | other answers taken for used |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut all = Counts::default();
    for (name, language, passages) in sets {
        let counts = count_marks(passages, language);
        print_counts(name, &counts);
        all.replies += counts.replies;
        all.exact += counts.exact;
        all.missed += counts.missed;
        all.invented += counts.invented;
    }
    print_counts("all", &all);
    println!();
}

fn print_counts(name: &str, counts: &Counts) {
    let share = counts.exact as f64 / counts.replies.max(1) as f64;
    println!("| {name} | {} | {share:.3} | {} | {} |", counts.replies, counts.missed, counts.invented);
}

fn count_marks(passages: &[(String, Passage)], language: &str) -> Counts {
    let folder = TempDir::new().expect("a folder");
    let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
    options.encoder = EncoderSource::Nowhere;
    let api = Api::open(options).expect("the memory opens");
    let call = |command: &str, args: Value| -> Value {
        let answer = api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"));
        serde_json::from_str(&answer).expect("an answer is JSON")
    };
    // Every answer may be in a prompt, however new it is.
    let config = json!({ "gatekeeper.min_level_inject": 0, "gatekeeper.min_score_inject": 0.05 });
    call("answer:config:set", json!({ "values": config }));
    let project = call("project:create", json!({ "title": "eval", "language": language }))["projectId"].clone();
    for (_, passage) in passages.iter().take(RECORDED) {
        let question = &passage.questions[0];
        call("answer:record", json!({ "projectId": project, "question": question, "answer": passage.text }));
    }
    while call("memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
        thread::yield_now();
    }
    let mut random = SplitMix64::new(11);
    let mut counts = Counts::default();
    while counts.replies < REPLIES {
        let (_, passage) = &passages[random.below(RECORDED.min(passages.len()))];
        let question = &passage.questions[1 + random.below(passage.questions.len() - 1)];
        let prepared = call("answer:prepare", json!({ "projectId": project, "query": question }));
        let injected: Vec<String> = prepared["injected"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["answerId"].as_str().map(str::to_owned))
            .collect();
        if injected.is_empty() {
            continue;
        }
        let prompt = prepared["mergedPrompt"].as_str().unwrap_or_default();
        let sentences = sentences::split(&passage.text);
        let (reply, used) = scripted(&mut random, &injected, prompt, &sentences);
        let handles: Vec<String> = (1..=injected.len()).map(|number| number.to_string()).collect();
        let known: Vec<String> = handles.iter().chain(&injected).cloned().collect();
        let read: BTreeSet<usize> = used_ids(&reply, &known, prompt)
            .used
            .iter()
            .filter_map(|id| handles.iter().position(|one| one == id).or(injected.iter().position(|one| one == id)))
            .collect();
        counts.replies += 1;
        counts.exact += usize::from(read == used);
        counts.missed += used.difference(&read).count();
        counts.invented += read.difference(&used).count();
    }
    counts
}

/// A reply with sentences, marks, an echo of the prompt now and then, invented marks and look-alikes; and the places of
/// the answers that it marks.
fn scripted(
    random: &mut SplitMix64,
    injected: &[String],
    prompt: &str,
    sentences: &[&str],
) -> (String, BTreeSet<usize>) {
    let mut reply = String::new();
    match random.below(4) {
        0 => reply.push_str(&format!("{prompt}\n\n")),
        1 => {
            let lines: Vec<&str> = prompt.lines().filter(|line| !line.trim().is_empty()).collect();
            reply.push_str(&format!("{}\n", lines[random.below(lines.len())]));
        }
        _ => {}
    }
    let mut used: Vec<usize> = (0..injected.len()).filter(|_| random.below(2) == 0).collect();
    random.shuffle(&mut used);
    let marked = used.iter().copied().collect();
    while !used.is_empty() || random.below(3) > 0 {
        reply.push_str(sentences[random.below(sentences.len())].trim());
        if random.below(4) == 0 {
            reply.push_str(&format!(" {} ", LOOK_ALIKES[random.below(LOOK_ALIKES.len())]));
        }
        if random.below(8) == 0 {
            reply.push_str(" [QA:97] ");
        }
        if !used.is_empty() && random.below(2) == 0 {
            let together = if random.below(4) == 0 { 2.min(used.len()) } else { 1 };
            let places: Vec<usize> = used.drain(..together).collect();
            reply.push_str(&mark(random, injected, &places));
        }
        reply.push_str(if random.below(3) == 0 { "\n" } else { " " });
    }
    (reply, marked)
}

/// A mark of answers by their places, in one of the forms that count.
fn mark(random: &mut SplitMix64, injected: &[String], places: &[usize]) -> String {
    let ids: Vec<String> = places
        .iter()
        .map(|at| if random.below(4) == 0 { injected[*at].clone() } else { (at + 1).to_string() })
        .collect();
    if let ([id], 0) = (ids.as_slice(), random.below(6)) {
        return format!(" QA-{id} ");
    }
    let ids = ids.join([",", ", ", "，", "、"][random.below(4)]);
    let forms = [
        format!("[QA:{ids}]"),
        format!("[QA_REF {ids}]"),
        format!("(ref:{ids})"),
        format!("[qa: {ids}]"),
        format!("【QA：{ids}】"),
        format!("［QA:{ids}］"),
        format!("（ref：{ids}）"),
        format!("[Qa_Ref {ids}]"),
    ];
    forms[random.below(forms.len())].clone()
}
