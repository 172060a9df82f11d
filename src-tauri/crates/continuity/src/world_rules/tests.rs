use palimpsest_reader::names::EntityKind;

use super::*;
use crate::{Entity, Validity, find_pairs};

/// The sentences of a book that are pairs with a rule.
fn sentences_against(language: Language, rule: &str, text: &str) -> Vec<String> {
    let chapters = [rule, text];
    let entities = [Entity { kind: EntityKind::Thing, name: "rule".into(), forms: Vec::new() }];
    let fact = Fact {
        entity: 0,
        attribute: "rule".into(),
        value: rule.trim_end_matches(['.', '。']).into(),
        is_asserted: true,
        quote: Some((0, 0..rule.len())),
        validity: Validity::Always,
        knowers: Vec::new(),
    };
    let rules = [fact];
    let pairs = find_pairs(&Book { rules: &rules, ..Book::new(language, &chapters, &entities) });
    assert!(pairs.iter().all(|pair| pair.kind == Kind::WorldRule && pair.first.chapter == 0 && pair.values.is_empty()));
    pairs.iter().map(|pair| chapters[pair.second.chapter][pair.second.range.clone()].trim().to_owned()).collect()
}

fn assert_rules(language: Language, rule: &str, breaks: &[&str], keeps: &[&str]) {
    for sentence in breaks {
        assert_eq!(sentences_against(language, rule, sentence), [*sentence], "{rule}");
    }
    for sentence in keeps {
        assert_eq!(sentences_against(language, rule, sentence), [] as [&str; 0], "{rule} / {sentence}");
    }
}

#[test]
fn a_sentence_that_does_what_a_rule_denies_is_a_pair_in_english() {
    assert_rules(
        Language::En,
        "No one may enter the tower after dusk.",
        &["Mara entered the tower long after dusk.", "After dusk Tobias and the boy entered the tower together."],
        &[
            "Nobody entered the tower after dusk.",
            "Mara did not enter the tower after dusk.",
            "“I entered the tower after dusk,” said Mara.",
            "She dreamed that she entered the tower after dusk.",
            "If Mara entered the tower after dusk, the bell rang.",
            "Did Mara enter the tower after dusk?",
            "Mara entered the kitchen.",
            "The tower stood on the hill.",
        ],
    );
    assert_rules(
        Language::En,
        "Magic cannot wake the dead.",
        &["By magic she woke the dead king.", "His magic wakes the dead."],
        &["Magic never wakes the dead.", "The dead king lay there."],
    );
    assert_rules(
        Language::En,
        "Every ship rings its bell in fog.",
        &["The ship did not ring its bell in the fog."],
        &["The ship rang its bell in the fog."],
    );
}

#[test]
fn a_sentence_that_does_what_a_rule_denies_is_a_pair_in_chinese() {
    assert_rules(
        Language::Zh,
        "天黑以后谁也不许上灯塔。",
        &["天黑以后，小满上了灯塔。", "那天天黑以后，周明一个人上灯塔去了。"],
        &[
            "天黑以后，小满没有上灯塔。",
            "“天黑以后我上了灯塔。”小满说。",
            "她梦见天黑以后自己上了灯塔。",
            "要是天黑以后上灯塔，钟就会响。",
            "小满上了船。",
            "灯塔立在山上。",
        ],
    );
    assert_rules(
        Language::Zh,
        "法术不能让死人复活。",
        &["她用法术让死人复活了。"],
        &["法术没能让死人复活。", "死人躺在那里。"],
    );
}

#[test]
fn a_rule_that_the_book_does_not_quote_and_one_that_somebody_says_are_compared_with_nothing() {
    let chapters = ["Mara entered the tower after dusk."];
    let entities = [Entity { kind: EntityKind::Thing, name: "rule".into(), forms: Vec::new() }];
    let rule = |quote, is_asserted| Fact {
        entity: 0,
        attribute: "rule".into(),
        value: "No one may enter the tower after dusk".into(),
        is_asserted,
        quote,
        validity: Validity::Always,
        knowers: Vec::new(),
    };
    for fact in [rule(None, true), rule(Some((0, 0..4)), false), rule(Some((7, 0..4)), true)] {
        let rules = [fact];
        let book = Book { rules: &rules, ..Book::new(Language::En, &chapters, &entities) };
        assert!(find_pairs(&book).is_empty());
    }
}

#[test]
fn a_rule_has_few_pairs_in_a_book_that_breaks_it_all_the_time() {
    let text = "Mara entered the tower after dusk. ".repeat(50);
    let found = sentences_against(Language::En, "No one may enter the tower after dusk.", &text);
    assert!(found.len() <= MAX_OF_RULE, "{}", found.len());
}
