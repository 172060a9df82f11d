//! Scenarios of speakers and of misspelt names.

use palimpsest_reader::{
    drift,
    names::detect_en,
    speech::{SpeechEvidence, speakers},
};
use proptest::prelude::*;

/// Persons that the scenarios speak of, so that their names are known.
const PERSONS: &str = "Captain Orlin came. Captain Orlin laughed. Teska said so. “Well,” said Teska. Mrs Varrow smiled. Mrs Varrow wept.\n\n";

#[track_caller]
fn check(text: &str, wanted: &[(&str, &str)]) {
    let text = format!("{PERSONS}{text}");
    let entities = detect_en(&[&text], &[]).entities;
    let found: Vec<(&str, &str)> = speakers(&text, &entities)
        .into_iter()
        .filter(|speech| speech.range.start > PERSONS.len())
        .map(|speech| (&text[speech.range], &text[speech.name]))
        .collect();
    assert_eq!(found, wanted, "{text}");
}

#[test]
fn a_verb_of_speech_beside_a_name_names_the_speaker() {
    check("“It rains,” said Teska.", &[("It rains,", "Teska")]);
    check("“It rains?” Captain Orlin asked.", &[("It rains?", "Captain Orlin")]);
    check("\"It rains!\" cried poor Mrs Varrow.", &[("It rains!", "Mrs Varrow")]);
    check("Teska said quietly, “It rains.”", &[("It rains.", "Teska")]);
    check("Then said Captain Orlin: “It rains.”", &[("It rains.", "Captain Orlin")]);
    check("Mrs Varrow laughed, and then added--\n\n“It rains.”", &[]);
    check("Mrs Varrow answered:\n\n“It rains.”", &[("It rains.", "Mrs Varrow")]);
}

#[test]
fn speech_behind_a_tag_has_the_same_speaker() {
    check("“It rains,” said Teska, “and it is cold.”", &[("It rains,", "Teska"), ("and it is cold.", "Teska")]);
    check("“It rains,” said Teska.\n\n“I know.”", &[("It rains,", "Teska")]);
    check("“It rains.” “I know,” said Teska.", &[("I know,", "Teska")]);
    check(
        "“It rains,” said Teska. “And\n\n“it is cold.”",
        &[("It rains,", "Teska"), ("And", "Teska"), ("it is cold.", "Teska")],
    );
}

#[test]
fn no_speaker_is_guessed() {
    check("“It rains,” he said.", &[]);
    check("Teska looked up. “It rains.”", &[]);
    check("“It rains.” Teska said nothing.", &[]);
    check("“It rains,” said Teska's brother.", &[]);
    check("He said to Teska, “It rains.”", &[]);
}

#[test]
fn a_pronoun_counts_only_beside_the_name_that_begins_its_paragraph() {
    let text = format!("{PERSONS}Teska looked up. “It rains,” she said.");
    let entities = detect_en(&[&text], &[]).entities;
    let last = speakers(&text, &entities).pop().unwrap();
    assert_eq!((&text[last.name], last.how), ("Teska", SpeechEvidence::Pronoun));
    check("Teska looked at Mrs Varrow. “It rains,” she said.", &[]);
}

/// A book with a frequent name, and one more sentence.
fn drifts(sentence: &str) -> Vec<(String, String)> {
    let text = format!(
        "{}{sentence}",
        "It rained, said Captain Wessel. Then Anna Corvin laughed at Captain Wessel. ".repeat(10)
    );
    let entities = detect_en(&[&text], &[]).entities;
    let found = drift::detect_en(&[&text], &entities);
    found.into_iter().map(|drift| (text[drift.range].to_owned(), drift.meant)).collect()
}

#[test]
fn a_slip_in_a_frequent_name_is_found() {
    for odd in ["Wesel", "Wesssel", "Wesesl", "Wassel"] {
        assert_eq!(drifts(&format!("At noon {odd} came in.")), [(odd.to_owned(), "Wessel".to_owned())]);
    }
    assert_eq!(drifts("Captian Wessel came in."), [("Captian".to_owned(), "Captain".to_owned())]);
}

#[test]
fn a_name_that_the_text_introduces_is_another_person() {
    for sentence in [
        "A family called Wassel lived there.",
        "There came a stranger of the name of Wassel.",
        "A Mr Wassel lived there.",
        "Wassel was no relation of Wessel.",
        "Captain Wessel had never met Wassel.",
    ] {
        assert!(drifts(sentence).is_empty(), "{sentence}");
    }
}

#[test]
fn plurals_other_words_and_frequent_look_alikes_are_no_drift() {
    for sentence in [
        "All the Wessels came.",
        "A vessel came. Vessel and sail.",
        "So said Wassel. Then Wassel laughed. And Wassel wept.",
        "He saw Wess and Wesselman.",
    ] {
        assert!(drifts(sentence).is_empty(), "{sentence}");
    }
}

proptest! {
    #[test]
    fn any_text_has_speakers_and_drift_without_a_panic(
        text in "(“|”|\"|‘|’|'|said|cried|Orlin|Teska|Tesska|Teska's|Mrs|he|,|\\.|:|--| |\n\n|\n|\\PC){0,80}",
    ) {
        let text = format!("{PERSONS}{text}");
        let entities = detect_en(&[&text], &[]).entities;
        let speech = speakers(&text, &entities);
        prop_assert!(speech.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        prop_assert!(speech.iter().all(|one| one.speaker < entities.len()));
        for drift in drift::detect_en(&[&text], &entities) {
            prop_assert!(text.get(drift.range).is_some() && drift.entity < entities.len());
        }
    }
}
