//! From what a writer does to rules, and into the next prompt.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    learning::{Life, Taste, about},
    passage, sent, with,
};

/// Fifty episodes, thirty-five of them action scenes.
fn fifty(life: &mut Life<'_>, in_action: Taste) {
    for n in 0..50 {
        if n % 10 < 7 {
            life.choose("action", in_action);
        } else {
            life.choose("dialogue", Taste::Neither);
        }
    }
}

#[test]
fn thirty_five_action_scenes_of_fifty_in_which_the_shorter_was_taken_become_a_rule_in_the_next_prompt() {
    for (language, seed) in [("zh", 1), ("en", 2)] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, seed);
        fifty(&mut life, Taste::Short);
        life.distil();
        let rules = life.rules();
        let learned: Vec<&Value> = rules.iter().filter(|rule| rule["standing"] == "active").collect();
        let found = learned.iter().find(|rule| {
            rule["sceneType"] == "action" && ["pacing", "style"].contains(&rule["category"].as_str().unwrap())
        });
        let rule = found.unwrap_or_else(|| panic!("{language}: {rules:#?}"));
        assert!(rule["confidence"].as_f64().unwrap() >= 0.85, "{rule}");
        assert_eq!((&rule["userConfirmed"], &rule["origin"]), (&json!(false), &json!("distilled")));
        assert_eq!(rule["pattern"]["direction"], -1, "{rule}");
        assert_eq!(rule["supportingEpisodes"].as_array().unwrap().len(), 35, "{rule}");
        let request = with(passage(&life.project, "夜。"), "sceneType", json!("action"));
        let prompt = sent(&writer.ask("memory:context:assemble", request));
        assert!(prompt.contains(&text(rule, "rule")), "{prompt}");
        let elsewhere = with(passage(&life.project, "夜。"), "sceneType", json!("dialogue"));
        assert!(!sent(&writer.ask("memory:context:assemble", elsewhere)).contains(&text(rule, "rule")));
    }
}

#[test]
fn a_writer_who_picks_at_random_is_given_no_rule_however_often_it_is_looked() {
    for (language, seed) in [("zh", 3), ("en", 4), ("zh", 5), ("en", 6)] {
        let writer = Writer::new();
        let mut life = Life::new(&writer, "夜航", language, seed);
        for _ in 0..10 {
            fifty_of_a_fifth(&mut life);
            let run = life.distil();
            assert!(["nothing", "committed"].contains(&run["status"].as_str().unwrap()), "{run}");
            assert_eq!(life.rules(), Vec::<Value>::new(), "{language}");
        }
        assert_eq!(about(&life.rules(), "length").len(), 0);
    }
}

fn fifty_of_a_fifth(life: &mut Life<'_>) {
    life.choose_often(4, "action", Taste::Neither);
    life.choose_often(1, "dialogue", Taste::Neither);
}
