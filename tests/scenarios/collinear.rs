//! One preference is one rule, though several features move with it, and two preferences are two.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::learning::{Life, passage_of};

/// The features by which a writer would name a preference for full stops over commas.
const NAMED: [&str; 4] = ["commas", "sentenceLength", "shortSentences", "longSentences"];

/// The clauses as sentences of their own.
fn sentences(life: &mut Life<'_>) -> String {
    let count = 3 + life.dice.below(4);
    passage_of(life.language, count, &mut life.dice)
}

/// The same clauses in one sentence, with commas.
fn joined(language: &str, sentences: &str) -> String {
    let (stop, comma) = if language == "zh" { ("。", "，") } else { (". ", ", ") };
    let body = sentences.trim_end_matches(['.', '。']).replace(stop, comma);
    format!("{body}{}", stop.trim())
}

/// The same sentences, some of them with an adverb.
fn with_adverbs(life: &mut Life<'_>, sentences: &str) -> String {
    let (stop, adverb) = if life.language == "zh" { ('。', "轻轻地") } else { ('.', " slowly") };
    let mut made = String::new();
    for sentence in sentences.split_inclusive(stop) {
        let clause = sentence.trim_end_matches(stop);
        made += &match (life.dice.below(3) > 0, life.language) {
            (false, _) => sentence.to_owned(),
            (true, "zh") => format!("{adverb}{clause}{stop}"),
            (true, _) => format!("{clause}{adverb}{stop}"),
        };
    }
    made
}

/// Forty episodes in which the writer prefers full stops over commas.
fn stops_over_commas<'a>(writer: &'a Writer, language: &'static str, seed: u64, edits: bool) -> Life<'a> {
    let mut life = Life::new(writer, "夜航", language, seed);
    for _ in 0..40 {
        let split = sentences(&mut life);
        let joined = joined(language, &split);
        if edits {
            life.record("action", &[&joined], 0, &split);
        } else {
            let index = life.dice.below(2);
            let candidates = if index == 0 { [&split, &joined] } else { [&joined, &split] };
            life.record("action", &candidates.map(String::as_str), index, &split);
        }
    }
    life.distil();
    life
}

fn features(rules: &[Value]) -> Vec<String> {
    rules.iter().map(|rule| text(&rule["pattern"], "feature")).collect()
}

#[test]
fn full_stops_preferred_over_commas_is_one_rule_and_deleting_it_brings_no_other_from_the_same_episodes() {
    for (language, seed) in [("zh", 71), ("en", 72), ("zh", 73), ("en", 74)] {
        for edits in [true, false] {
            let writer = Writer::new();
            let life = stops_over_commas(&writer, language, seed, edits);
            let rules = life.rules();
            let found = features(&rules);
            assert!(found.len() == 1 && NAMED.contains(&found[0].as_str()), "{language} {seed} {edits}: {found:?}");
            writer.ask("memory:semantic:delete", json!({ "ruleId": rules[0]["id"] }));
            let run = life.distil();
            assert_eq!(features(&life.rules()), Vec::<String>::new(), "{language} {seed} {edits}: {run}");
        }
    }
}

#[test]
fn shorter_sentences_and_fewer_adverbs_in_the_same_edits_are_two_rules() {
    for (language, seed) in [("zh", 75), ("en", 76)] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, seed);
        for _ in 0..40 {
            let plain = sentences(&mut life);
            let loud = with_adverbs(&mut life, &plain);
            // Each edit splits the sentences, or deletes the adverbs, or both.
            let (splits, deletes) = [(true, false), (false, true), (true, true)][life.dice.below(3)];
            let after = if deletes { &plain } else { &loud };
            let after = if splits { after.clone() } else { joined(language, after) };
            life.record("action", &[&joined(language, &loud)], 0, &after);
        }
        life.distil();
        let found = features(&life.rules());
        assert!(found.iter().any(|feature| feature == "adverbs"), "{language}: {found:?}");
        assert!(found.iter().any(|feature| NAMED.contains(&feature.as_str())), "{language}: {found:?}");
    }
}
