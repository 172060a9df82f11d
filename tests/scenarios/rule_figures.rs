//! The numbers in a rule's sentence are of the evidence that carries the rule, and of no other.

use palimpsest_tests::{Writer, text};

use crate::learning::{Life, Taste, about, passage_of};

const CHOICES: usize = 45;
const EDITS: usize = 33;

/// Records edits that make a passage longer and shorter in turn: they say nothing about length.
fn edit_both_ways(life: &mut Life<'_>) {
    for number in 0..EDITS {
        let [short, long] = [3, 5].map(|sentences| passage_of(life.language, sentences, &mut life.dice));
        let [before, after] = if number % 2 == 0 { [&short, &long] } else { [&long, &short] };
        life.record("action", &[before], 0, after);
    }
}

#[test]
fn a_rule_carried_by_choices_cites_choices_and_not_the_edits_that_contradict_each_other() {
    for (language, choices, edits) in [("zh", "次选择", "次修改"), ("en", " choices", " edits")] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, 81);
        life.choose_often(CHOICES, "action", Taste::Short);
        edit_both_ways(&mut life);
        life.distil();
        let rules = life.rules();
        let found = about(&rules, "length");
        assert_eq!(found.len(), 1, "{language}: {rules:?}");
        let words = text(found[0], "rule");
        assert!(words.contains(choices) && !words.contains(edits), "{words}");
        let count = if language == "zh" {
            format!("{CHOICES} 次选择中有 {CHOICES} 次")
        } else {
            format!("{CHOICES} of {CHOICES} choices")
        };
        assert!(words.contains(&count), "{words}");
    }
}

#[test]
fn a_rule_carried_by_edits_cites_edits_and_not_the_choices() {
    for (language, edits) in [("zh", "33 次修改中有 33 次"), ("en", "33 of 33 edits")] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, 82);
        life.choose_often(12, "action", Taste::Neither);
        for _ in 0..EDITS {
            let [short, long] = [3, 5].map(|sentences| passage_of(language, sentences, &mut life.dice));
            life.record("action", &[&long], 0, &short);
        }
        life.distil();
        let rules = life.rules();
        let found = about(&rules, "length");
        assert_eq!(found.len(), 1, "{language}: {rules:?}");
        let words = text(found[0], "rule");
        assert!(words.contains(edits), "{words}");
    }
}
