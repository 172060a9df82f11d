//! Every sentence of the templates, for reading, and the laws that hold for all of them.

use std::{collections::HashMap, fmt::Write};

use palimpsest_text::{is_han, style::Feature};

use super::{Figures, category, is_consistent, rule_sentence};
use crate::model::{Category, Language};

const ALL: &str = include_str!("all.txt");

/// Figures that point in a direction.
fn figures(feature: Feature, direction: i32) -> Figures {
    let (more, less) = match feature {
        Feature::Length => (320.0, 210.0),
        Feature::SentenceLength => (32.0, 21.0),
        Feature::ParagraphLength => (4.6, 4.2),
        Feature::WordLength => (4.7, 4.2),
        _ => (0.31, 0.05),
    };
    let (before, after) = if direction > 0 { (less, more) } else { (more, less) };
    Figures { before, after, agree: 18, of: 21, written: true }
}

#[test]
fn the_words_of_every_side_of_style_are_as_they_were_read_and_agreed_to() {
    let mut all =
        String::from("Every sentence of the templates. Made by the test that compares it (ACCEPT_WORDS=1).\n");
    for feature in Feature::ALL {
        writeln!(all, "\n{} ({})", feature.as_str(), feature.category().as_str()).unwrap();
        for (sign, direction) in [('+', 1), ('-', -1)] {
            let figures = figures(feature, direction);
            for language in [Language::Zh, Language::En] {
                writeln!(all, " {sign} {}", rule_sentence(language, feature, direction, None, None, None)).unwrap();
                let scene = Some("dialogue");
                writeln!(all, "   {}", rule_sentence(language, feature, direction, scene, None, Some(&figures)))
                    .unwrap();
            }
        }
    }
    if std::env::var_os("ACCEPT_WORDS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/semantic/wording/all.txt"), &all).unwrap();
    }
    for (n, (line, agreed)) in all.lines().zip(ALL.lines()).enumerate() {
        assert_eq!(line, agreed, "line {}", n + 1);
    }
    assert_eq!(all.lines().count(), ALL.lines().count());
}

fn each(mut check: impl FnMut(Language, Feature, i32, &str)) {
    for language in [Language::Zh, Language::En] {
        for feature in Feature::ALL {
            for direction in [1, -1] {
                let figures = figures(feature, direction);
                check(language, feature, direction, &rule_sentence(language, feature, direction, None, None, None));
                check(
                    language,
                    feature,
                    direction,
                    &rule_sentence(language, feature, direction, Some("action"), None, Some(&figures)),
                );
            }
        }
    }
}

#[test]
fn no_two_directions_of_features_have_the_same_wording() {
    let mut seen = HashMap::new();
    each(|language, feature, direction, words| {
        let other = seen.insert(words.to_owned(), (language, feature, direction));
        assert_eq!(other, None, "{words}");
    });
}

#[test]
fn words_are_one_line_of_their_language_and_nothing_else() {
    each(|language, _, _, words| {
        let letters = |c: char| c.is_alphabetic();
        match language {
            Language::Zh => assert!(words.chars().filter(|c| letters(*c)).all(is_han), "{words}"),
            Language::En => assert!(!words.chars().any(is_han) && words.starts_with(|c: char| c.is_ascii_uppercase())),
        }
        let length = match language {
            Language::Zh => palimpsest_text::count::words(words),
            Language::En => u32::try_from(words.split_whitespace().count()).unwrap(),
        };
        assert!((3..=40).contains(&length), "{words}");
        assert!(
            !words.ends_with(['。', '.', '，', ',', ' ']) && !words.contains(['\n', '<', '>', '{', '`', '#', '*']),
            "{words}"
        );
        let lower = words.to_lowercase();
        for order in ["ignore", "instruction", "above", "system", "忽略", "以上", "指令", "系统", "无视"] {
            assert!(!lower.contains(order), "{words}");
        }
    });
}

#[test]
fn a_wording_without_figures_is_an_instruction_without_numbers() {
    for language in [Language::Zh, Language::En] {
        for feature in Feature::ALL {
            for direction in [1, -1] {
                let words = rule_sentence(language, feature, direction, None, None, None);
                assert!(!words.contains(|c: char| c.is_ascii_digit()), "{words}");
                for ban in ["不要", "不用", "别", "避免", "禁", "Never", "Avoid", "Do not", "Don't", "No "] {
                    assert!(!words.contains(ban), "{words}");
                }
            }
        }
    }
}

#[test]
fn figures_that_contradict_a_sentence_are_recognised() {
    let longer = Figures { before: 14.4, after: 14.7, agree: 20, of: 33, written: true };
    let contradicting = [
        Figures { agree: 15, ..longer },
        Figures { agree: 16, of: 32, ..longer },
        Figures { before: 14.7, after: 14.4, ..longer },
        Figures { agree: 0, of: 0, ..longer },
    ];
    for language in [Language::Zh, Language::En] {
        assert!(is_consistent(language, Feature::Length, 1, &longer));
        assert!(!is_consistent(language, Feature::Length, -1, &longer));
        for figures in &contradicting {
            assert!(!is_consistent(language, Feature::Length, 1, figures), "{figures:?}");
        }
        let unknown = Figures { before: f64::NAN, after: f64::NAN, ..longer };
        assert!(is_consistent(language, Feature::Length, 1, &unknown), "only the number is said");
        // Rates are not said.
        assert!(is_consistent(language, Feature::Hedges, -1, &longer));
    }
}

#[test]
fn figures_are_given_in_a_unit_that_a_reader_knows() {
    let say = |language, feature, direction, figures: Figures| {
        rule_sentence(language, feature, direction, Some("dialogue"), None, Some(&figures))
    };
    let seen = Figures { before: 32.4, after: 20.8, agree: 18, of: 21, written: true };
    let sentences = Feature::SentenceLength;
    assert_eq!(
        say(Language::Zh, sentences, -1, seen),
        "对话场景里你常把句子写短（平均 32→21 字，21 次修改中有 18 次）"
    );
    assert_eq!(
        say(Language::En, sentences, -1, seen),
        "In dialogue scenes you write shorter sentences: 32 → 21 words, 18 of 21 edits"
    );
    let chosen = Figures { written: false, ..seen };
    assert_eq!(
        say(Language::Zh, sentences, -1, chosen),
        "对话场景里你常把句子写短（平均 32→21 字，21 次选择中有 18 次）"
    );
    // Means that point the other way, that are equal after rounding, and rates that are not shown.
    for (feature, before, after) in
        [(sentences, 20.0, 22.0), (sentences, 20.01, 20.0), (Feature::Similes, 1.2, 0.3), (sentences, f64::NAN, 3.0)]
    {
        let words = say(Language::En, feature, -1, Figures { before, after, ..seen });
        assert!(words.ends_with(": 18 of 21 edits") && words.matches(':').count() == 1, "{words}");
    }
    let close = Figures { before: 4.6, after: 4.2, ..seen };
    assert!(say(Language::Zh, Feature::ParagraphLength, -1, close).contains("每段 4.6→4.2 句"));
    let share = Figures { before: 0.6, after: 0.35, ..seen };
    assert!(say(Language::En, Feature::DialogueShare, -1, share).contains("60 → 35% of the text"));
    let none = Figures { agree: 0, of: 0, ..seen };
    assert!(!say(Language::Zh, Feature::Similes, -1, none).contains('（'));
}

#[test]
fn agreement_barely_above_half_is_worded_as_uncertain() {
    let seen = Figures { before: 32.0, after: 21.0, agree: 12, of: 20, written: true };
    assert!(rule_sentence(Language::Zh, Feature::SentenceLength, -1, None, None, Some(&seen)).starts_with("你好像把"));
    assert!(
        rule_sentence(Language::En, Feature::SentenceLength, -1, None, None, Some(&seen))
            .starts_with("You seem to write")
    );
}

#[test]
fn scenes_and_skills_are_named_in_the_language_and_the_writers_own_as_they_are() {
    let say = |language, scene, skill| rule_sentence(language, Feature::SentenceLength, -1, scene, skill, None);
    for (language, scene, skill, should) in [
        (Language::Zh, Some("action"), None, "动作场景里把句子写短"),
        (Language::Zh, Some("雨夜"), None, "雨夜场景里把句子写短"),
        (Language::Zh, Some("回忆场景"), None, "回忆场景里把句子写短"),
        (Language::Zh, None, Some("continue"), "续写时把句子写短"),
        (Language::Zh, None, Some("ask"), "回答时把句子写短"),
        (Language::Zh, None, Some("去腔"), "用“去腔”时把句子写短"),
        (Language::Zh, Some("action"), Some("polish"), "动作场景里润色时把句子写短"),
        (Language::Zh, Some("  "), Some(""), "把句子写短"),
        (Language::En, Some("action"), None, "In action scenes, write shorter sentences"),
        (Language::En, Some("flashback"), None, "In flashback scenes, write shorter sentences"),
        (Language::En, Some("love scenes"), None, "In love scenes, write shorter sentences"),
        (Language::En, Some("雨夜"), None, "In 雨夜 scenes, write shorter sentences"),
        (Language::En, None, Some("rewrite"), "When rewriting, write shorter sentences"),
        (Language::En, None, Some("unslop"), "With “unslop”, write shorter sentences"),
        (Language::En, Some("action"), Some("expand"), "When expanding in action scenes, write shorter sentences"),
        (Language::En, Some("a\nb"), None, "In a b scenes, write shorter sentences"),
    ] {
        assert_eq!(say(language, scene, skill), should);
    }
}

#[test]
fn a_rule_is_in_the_category_of_its_side_of_style() {
    for (feature, should) in [
        (Feature::ShortSentences, Category::Pacing),
        (Feature::SentenceLength, Category::Style),
        (Feature::SpeechTags, Category::Structure),
        (Feature::FirstPerson, Category::Character),
        (Feature::Cliches, Category::Vocabulary),
    ] {
        assert_eq!(category(feature), should);
    }
    assert!(
        Feature::ALL
            .iter()
            .all(|feature| { serde_json::to_value(category(*feature)).unwrap() == feature.category().as_str() })
    );
}
