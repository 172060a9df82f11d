//! The tagger as a whole, on its own files.
//!
//! The files are not part of the repository: set-up fetches them. Where it could not, it writes down why, and the
//! scenarios that need them say on stderr that they did not run.

// The lint's exception for tests does not see the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use palimpsest_tagger::{LoadError, MAX_SENTENCE_CHARS, Tag, Tagger, Word};
use proptest::prelude::*;

/// Sentences with the results of the package that the model comes from, and sentences that are easily read wrongly.
const REFERENCES: [(&str, usize); 2] =
    [(include_str!("fixtures/golden.json"), 48), (include_str!("fixtures/traps.json"), 16)];

/// Words of different kinds, marks at which sentences end, and characters that need care.
const STORY: &str = "林见雪走了\n陈渡没有回头。“你去哪里？”她问。\r\n\u{3000}\u{3000}他\t在北京住过三年；后来，阿Ｑ也来了！👩\u{200d}👧";

/// The folder with the files, or `None` where set-up could not fetch them.
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("PALIMPSEST_TAGGER") {
        return Some(folder.into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../resources/tagger");
    if Tagger::FILES.iter().all(|file| folder.join(file.name).exists()) {
        return Some(folder);
    }
    let why = fs::read_to_string(folder.join("unavailable.txt"))
        .expect("the files of the tagger are not here: `npm run setup` fetches them, or writes down why it cannot");
    let thread = thread::current();
    let said = format!("NOT RUN: {}: {}\n", thread.name().unwrap_or_default(), why.trim());
    // Not by the macro, whose words are kept back unless the test fails.
    let _ = io::stderr().write_all(said.as_bytes());
    None
}

fn tagger() -> Option<&'static Tagger> {
    static TAGGER: LazyLock<Option<Tagger>> = LazyLock::new(|| Some(Tagger::load(&folder()?).unwrap()));
    let _ = folder()?;
    TAGGER.as_ref()
}

/// The contents of the files.
fn contents() -> Option<[Vec<u8>; 4]> {
    let folder = folder()?;
    Some(Tagger::FILES.map(|file| fs::read(folder.join(file.name)).unwrap()))
}

fn load(contents: &[Vec<u8>; 4]) -> Result<Tagger, LoadError> {
    let [weights, characters, fold, labels] = contents;
    Tagger::from_bytes(weights, characters, fold, labels)
}

/// The words as text and name of the tag.
fn named<'a>(text: &'a str, words: &[Word]) -> Vec<(&'a str, &'static str)> {
    words.iter().map(|word| (&text[word.range.clone()], word.tag.name())).collect()
}

#[test]
fn ids_scores_labels_and_words_agree_with_the_reference() {
    let Some(tagger) = tagger() else { return };
    for (reference, count) in REFERENCES {
        let reference: serde_json::Value = serde_json::from_str(reference).unwrap();
        assert_eq!(reference.as_array().unwrap().len(), count);
        for case in reference.as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            let found = tagger.analyze(text);
            assert_eq!(serde_json::json!(found.ids), case["ids"], "{text}");
            assert_eq!(serde_json::json!(found.labels), case["tags"], "{text}");
            assert_eq!(serde_json::json!(named(text, &tagger.tag(text))), case["words"], "{text}");
            let first: Vec<f32> = serde_json::from_value(case["logits_first"].clone()).unwrap();
            for (found, expected) in found.scores[0].iter().zip(&first) {
                assert!((found - expected).abs() < 1e-4, "{text}: {found} for {expected}");
            }
            let sum: f64 = found.scores.iter().flatten().copied().map(f64::from).sum();
            let difference = sum - case["logits_sum"].as_f64().unwrap();
            assert!((difference / (first.len() * found.ids.len()) as f64).abs() < 1e-3, "{text}: {difference}");
        }
    }
}

#[test]
fn a_name_ends_at_a_line_end_and_at_a_tab() {
    let Some(tagger) = tagger() else { return };
    let words = tagger.tag_text(STORY);
    let people: Vec<&str> =
        words.iter().filter(|word| word.tag == Tag::Person).map(|word| &STORY[word.range.clone()]).collect();
    assert_eq!(people[..2], ["林见雪", "陈渡"]);
    assert!(words.iter().any(|word| word.tag == Tag::Location && &STORY[word.range.clone()] == "北京"));
    let text = "林见雪\t走了。";
    assert_eq!(named(text, &tagger.tag_text(text))[0], ("林见雪", "PER"));
    assert_eq!(named(text, &tagger.tag(text))[0], ("林见雪\t", "PER"));
}

#[test]
fn the_words_of_a_text_are_those_of_its_sentences_alone() {
    let Some(tagger) = tagger() else { return };
    let reference: serde_json::Value = serde_json::from_str(REFERENCES[0].0).unwrap();
    let sentences: Vec<&str> =
        reference.as_array().unwrap().iter().map(|case| case["text"].as_str().unwrap()).collect();
    // Several batches; each sentence is a line, and may be cut further where it has an inner mark.
    let text = sentences.repeat(3).join("\n");
    let together = named(&text, &tagger.tag_text(&text)).into_iter();
    let alone = sentences.repeat(3);
    let alone = alone.iter().flat_map(|sentence| named(sentence, &tagger.tag_text(sentence)));
    assert!(text.chars().count() > 2_500);
    assert!(together.eq(alone));
}

#[test]
fn a_sentence_without_an_end_is_read_in_parts_and_no_character_is_lost() {
    let Some(tagger) = tagger() else { return };
    let long = "山高水长".repeat(1_000);
    let words = tagger.tag(&long);
    assert_eq!(words.iter().map(|word| word.range.len()).sum::<usize>(), long.len());
    assert_eq!(tagger.tag_text(&long), words);
    assert_eq!(tagger.analyze(&long).labels.len(), 4_000);
    // The first part does not depend on what follows it.
    let part: String = long.chars().take(MAX_SENTENCE_CHARS).collect();
    assert_eq!(tagger.analyze(&long).scores[..MAX_SENTENCE_CHARS], tagger.analyze(&part).scores);
}

#[test]
fn a_word_does_not_continue_over_the_end_of_a_sentence() {
    let Some(tagger) = tagger() else { return };
    // The label of the first character says that it continues a word.
    assert_eq!(tagger.analyze("们还没").labels, [15, 8, 38]);
    assert_eq!(named("们还没", &tagger.tag("们还没")), [("们", "n"), ("还", "d"), ("没", "v")]);
    for text in ["我\n们还没", "我。们还没"] {
        assert!(named(text, &tagger.tag_text(text)).contains(&("们", "n")), "{text}");
    }
}

#[test]
fn a_text_without_words_has_none() {
    let Some(tagger) = tagger() else { return };
    for empty in ["", " ", "\n", "\u{3000}\t\r\n\u{0}\u{feff}"] {
        assert_eq!(tagger.tag_text(empty), [], "{empty:?}");
    }
    assert_eq!(tagger.tag(""), []);
    assert_eq!(tagger.analyze(""), palimpsest_tagger::Analysis::default());
}

/// Any text, and text of what needs care.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[林见雪陈渡走了。！？；“”\"'，… \t\r\n\u{0}\u{85}\u{2028}\u{3000}\u{feff}\u{200d}\u{301}𠮷👩AＡ1]{0,60}",
        "\\PC{500,700}",
    ]
}

#[test]
fn words_of_any_text_are_in_order_inside_it_and_free_of_line_ends() {
    let Some(tagger) = tagger() else { return };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    runner
        .run(&texts(), |text| {
            let mut end = 0;
            for word in tagger.tag_text(&text) {
                prop_assert!(end <= word.range.start && word.range.start < word.range.end);
                prop_assert!(text.get(word.range.clone()).is_some(), "{:?} is no text", word.range);
                let content = &text[word.range.clone()];
                let has_line_end = content.contains(|c: char| c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c));
                prop_assert!(!has_line_end, "{:?}", content);
                prop_assert_eq!(content.trim(), content);
                end = word.range.end;
            }
            let mut end = 0;
            for word in tagger.tag(&text) {
                prop_assert_eq!(word.range.start, end);
                prop_assert!(text.get(word.range.clone()).is_some_and(|word| !word.is_empty()));
                end = word.range.end;
            }
            prop_assert_eq!(end, text.len());
            Ok(())
        })
        .unwrap();
}

#[test]
fn every_letter_of_any_text_is_in_a_word() {
    let Some(tagger) = tagger() else { return };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(32));
    runner
        .run(&texts(), |text| {
            let words = tagger.tag_text(&text);
            let in_words: usize = words
                .iter()
                .flat_map(|word| text[word.range.clone()].chars())
                .filter(|character| character.is_alphanumeric())
                .count();
            prop_assert_eq!(in_words, text.chars().filter(|character| character.is_alphanumeric()).count());
            Ok(())
        })
        .unwrap();
}

#[test]
fn many_threads_share_one_tagger_and_get_the_same_words() {
    let Some(tagger) = tagger() else { return };
    let alone = tagger.tag_text(STORY);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(tagger.tag_text(STORY), alone));
        }
    });
}

#[test]
fn set_up_fetches_the_files_that_are_asked_for() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../scripts/tagger.mjs");
    let script = fs::read_to_string(script).unwrap();
    for file in Tagger::FILES {
        assert!(script.contains(file.name) && script.contains(file.sha256), "{}", file.name);
    }
}

/// The result of loading from a folder with these files, in the order of [`Tagger::FILES`].
fn refusal(write: impl Fn(&Path, usize)) -> LoadError {
    let folder = tempfile::tempdir().unwrap();
    for (number, file) in Tagger::FILES.iter().enumerate() {
        write(&folder.path().join(file.name), number);
    }
    Tagger::load(folder.path()).unwrap_err()
}

#[test]
fn a_folder_without_the_files_is_an_error_that_names_the_first() {
    assert_eq!(refusal(|_, _| ()), LoadError::Missing { file: "weights.bin" });
    let nowhere = Tagger::load(Path::new("no such folder")).unwrap_err();
    assert_eq!(nowhere, LoadError::Missing { file: "weights.bin" });
}

#[test]
fn each_missing_cut_off_and_damaged_file_is_refused_by_name() {
    let Some(contents) = contents() else { return };
    for (at, file) in Tagger::FILES.iter().enumerate() {
        let with = |change: &dyn Fn(Vec<u8>) -> Option<Vec<u8>>| {
            refusal(|path, number| {
                let contents = contents[number].clone();
                if let Some(contents) = if number == at { change(contents) } else { Some(contents) } {
                    fs::write(path, contents).unwrap();
                }
            })
        };
        assert_eq!(with(&|_| None), LoadError::Missing { file: file.name });
        let sizes = [0, 1, file.bytes / 2, file.bytes - 1];
        for size in sizes {
            let cut_off = with(&|contents| Some(contents[..size as usize].to_vec()));
            assert_eq!(cut_off, LoadError::WrongSize { file: file.name, expected: file.bytes, found: size });
        }
        for place in [0, file.bytes / 2, file.bytes - 1] {
            let damaged = with(&|mut contents| {
                contents[place as usize] ^= 1;
                Some(contents)
            });
            assert!(matches!(damaged, LoadError::WrongContents { file: name, .. } if name == file.name), "{damaged}");
        }
        for other in (0..4).filter(|&other| other != at) {
            let swapped = with(&|_| Some(contents[other].clone()));
            assert!(matches!(swapped, LoadError::WrongSize { file: name, .. } if name == file.name), "{swapped}");
        }
    }
}

#[test]
fn below_the_checksum_too_a_swapped_file_is_malformed() {
    let Some(contents) = contents() else { return };
    assert!(load(&contents).is_ok());
    for (at, file) in Tagger::FILES.iter().enumerate() {
        let others = contents.iter().enumerate().filter(|&(number, _)| number != at).map(|(_, other)| other.clone());
        for other in others.chain([Vec::new(), vec![0; 100], vec![0xff; 100]]) {
            let mut swapped = contents.clone();
            swapped[at] = other;
            let refused = load(&swapped).unwrap_err();
            assert!(matches!(refused, LoadError::Malformed { file: name, .. } if name == file.name), "{refused}");
        }
    }
}

#[test]
fn below_the_checksum_too_damage_is_refused_or_another_tagger() {
    let Some(contents) = contents() else { return };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(24));
    let changes = prop::collection::vec((0.0..1.0f64, any::<u8>()), 1..4);
    runner
        .run(&(0..4usize, 0.0..1.0f64, changes), |(at, cut, changes)| {
            let mut damaged = contents.clone();
            let length = contents[at].len();
            for (place, value) in changes {
                damaged[at][(length as f64 * place) as usize] = value;
            }
            // A changed weight or character is as good as another; whatever is loaded tags any text.
            if let Ok(tagger) = load(&damaged) {
                let words = tagger.tag(STORY);
                prop_assert_eq!(words.iter().map(|word| word.range.len()).sum::<usize>(), STORY.len());
            }
            let cut = (length as f64 * cut) as usize;
            damaged[at].truncate(cut);
            match load(&damaged) {
                Err(LoadError::Malformed { .. }) => {}
                Err(other) => prop_assert!(false, "{}", other),
                // A list of pairs without its end is a list, and the last line needs no line feed.
                Ok(_) => prop_assert!(at == 2 || cut == length - 1),
            }
            Ok(())
        })
        .unwrap();
}
