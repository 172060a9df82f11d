//! The encoder as a whole, on its own two files.
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

use palimpsest_embedder::{DIMENSIONS, Encoder, LoadError, MAX_TOKENS};
use proptest::prelude::*;

/// Texts with the tokens and vectors of the package that the files come from.
const REFERENCE: &str = include_str!("fixtures/reference.json");

/// The folder with the files, or `None` where set-up could not fetch them.
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("PALIMPSEST_EMBEDDER") {
        return Some(folder.into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../resources/embedder");
    if Encoder::FILES.iter().all(|file| folder.join(file.name).exists()) {
        return Some(folder);
    }
    let why = fs::read_to_string(folder.join("unavailable.txt"))
        .expect("the files of the encoder are not here: `npm run setup` fetches them, or writes down why it cannot");
    let thread = thread::current();
    let said = format!("NOT RUN: {}: {}\n", thread.name().unwrap_or_default(), why.trim());
    // Not by the macro, whose words are kept back unless the test fails.
    let _ = io::stderr().write_all(said.as_bytes());
    None
}

fn encoder() -> Option<&'static Encoder> {
    static ENCODER: LazyLock<Option<Encoder>> = LazyLock::new(|| Some(Encoder::load(&folder()?).unwrap()));
    let _ = folder()?;
    ENCODER.as_ref()
}

/// The contents of the two files.
fn contents() -> Option<[Vec<u8>; 2]> {
    let folder = folder()?;
    Some(Encoder::FILES.map(|file| fs::read(folder.join(file.name)).unwrap()))
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>() / (length(a) * length(b))
}

#[test]
fn tokens_and_vectors_agree_with_the_reference() {
    let Some(encoder) = encoder() else { return };
    let reference: serde_json::Value = serde_json::from_str(REFERENCE).unwrap();
    for case in reference.as_array().unwrap() {
        let text = case["text"].as_str().unwrap();
        let tokens: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
        let expected: Vec<f32> = serde_json::from_value(case["vector"].clone()).unwrap();
        assert_eq!(encoder.tokens(text), tokens, "{text}");
        let vector = encoder.embed(text);
        assert_eq!(vector.len(), DIMENSIONS);
        assert!(cosine(&vector, &expected) > 0.9999, "{text}: {}", cosine(&vector, &expected));
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5, "{text}: not of length one");
    }
}

#[test]
fn texts_of_the_same_meaning_are_near_in_either_language() {
    let Some(encoder) = encoder() else { return };
    let near = |a, b| cosine(&encoder.embed(a), &encoder.embed(b));
    assert!(near("deployed redis cluster", "set up redis cluster") > 0.8);
    assert!(near("deployed redis cluster", "went to the grocery store") < 0.2);
    assert!(
        near("动作场景偏好短句", "short sentences in fight scenes") > near("动作场景偏好短句", "the keeper's ledger")
    );
}

#[test]
fn text_without_words_has_a_vector_too() {
    let Some(encoder) = encoder() else { return };
    for empty in ["", "   ", "\u{3000}\n\t"] {
        assert_eq!(encoder.tokens(empty), [1, 0, 2], "{empty:?}");
        assert_eq!(encoder.embed(empty), encoder.embed(""));
    }
}

#[test]
fn a_whole_book_costs_no_more_than_its_beginning() {
    let Some(encoder) = encoder() else { return };
    for letter in ["潮", "a", "\u{fdfa}", "😀", "\u{301}"] {
        let book = letter.repeat(3_000_000 / letter.len());
        assert_eq!(encoder.tokens(&book).len(), MAX_TOKENS, "{letter}");
    }
    let book = "The tide came in. ".repeat(100_000);
    let longer = format!("{book}Nobody reads this.");
    assert_eq!(encoder.embed(&book), encoder.embed(&longer));
}

#[test]
fn many_threads_share_one_encoder_and_get_the_same_vectors() {
    let Some(encoder) = encoder() else { return };
    let texts = ["雨夜，他把手稿锁进铁皮柜。", "The keeper's daughter found the letter.", "第三卷"];
    let alone = texts.map(|text| encoder.embed(text));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| texts.iter().zip(&alone).for_each(|(text, alone)| assert_eq!(&encoder.embed(text), alone)));
        }
    });
}

#[test]
fn set_up_fetches_the_files_that_are_asked_for() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../scripts/embedder.mjs");
    let script = fs::read_to_string(script).unwrap();
    for file in Encoder::FILES {
        assert!(script.contains(file.name) && script.contains(file.sha256), "{}", file.name);
    }
}

/// The result of loading from a folder with these files, in the order of [`Encoder::FILES`].
fn refusal(write: impl Fn(&Path, usize)) -> LoadError {
    let folder = tempfile::tempdir().unwrap();
    for (number, file) in Encoder::FILES.iter().enumerate() {
        write(&folder.path().join(file.name), number);
    }
    Encoder::load(folder.path()).unwrap_err()
}

#[test]
fn a_folder_without_the_files_is_an_error_that_names_the_first() {
    assert_eq!(refusal(|_, _| ()), LoadError::Missing { file: "sp.model" });
    let nowhere = Encoder::load(Path::new("no such folder")).unwrap_err();
    assert_eq!(nowhere, LoadError::Missing { file: "sp.model" });
}

#[test]
fn files_of_the_right_length_and_nothing_in_them_are_refused() {
    let refused =
        refusal(|path, number| fs::File::create(path).unwrap().set_len(Encoder::FILES[number].bytes).unwrap());
    assert!(matches!(refused, LoadError::WrongContents { file: "sp.model", .. }), "{refused}");
}

#[test]
fn swapped_cut_off_and_damaged_files_are_refused_by_name() {
    let Some(contents) = contents() else { return };
    let swapped = refusal(|path, number| fs::write(path, &contents[1 - number]).unwrap());
    assert!(matches!(swapped, LoadError::WrongSize { file: "sp.model", .. }), "{swapped}");
    let cut_off =
        refusal(|path, number| fs::write(path, &contents[number][..contents[number].len() - number]).unwrap());
    assert!(matches!(cut_off, LoadError::WrongSize { file: "weights.npz", .. }), "{cut_off}");
    let damaged = refusal(|path, number| {
        let mut contents = contents[number].clone();
        contents[1_000_000] ^= number as u8;
        fs::write(path, contents).unwrap();
    });
    assert!(matches!(damaged, LoadError::WrongContents { file: "weights.npz", .. }), "{damaged}");
}

#[test]
fn below_the_checksum_too_a_swapped_file_is_malformed_and_nothing_worse() {
    let Some([model, weights]) = contents() else { return };
    let refused = |model: &[u8], weights: &[u8]| Encoder::from_bytes(model, weights).unwrap_err();
    assert!(matches!(refused(&weights, &model), LoadError::Malformed { file: "sp.model", .. }));
    assert!(matches!(refused(&model, &model), LoadError::Malformed { file: "weights.npz", .. }));
    assert!(matches!(refused(&model, &[]), LoadError::Malformed { file: "weights.npz", .. }));
    assert!(matches!(refused(&[], &weights), LoadError::Malformed { file: "sp.model", .. }));
}

#[test]
fn below_the_checksum_too_damage_is_refused_or_harmless() {
    let (Some([model, weights]), Some(sound)) = (contents(), encoder()) else { return };
    // Each case reads tens of megabytes: enough of them to meet headers, contents and directory, and no more.
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(8));
    let anywhere = (0.0..1.0f64, 0.0..1.0f64, 0..8u8);
    runner
        .run(&anywhere, |(cut, flip, bit)| {
            prop_assert!(Encoder::from_bytes(&model, &weights[..(weights.len() as f64 * cut) as usize]).is_err());
            let flipped = |contents: &[u8]| {
                let mut flipped = contents.to_vec();
                flipped[(contents.len() as f64 * flip) as usize] ^= 1 << bit;
                flipped
            };
            // The archive has a few bytes that mean nothing, such as dates.
            if let Ok(encoder) = Encoder::from_bytes(&model, &flipped(&weights)) {
                prop_assert_eq!(encoder.embed("雨夜 tide"), sound.embed("雨夜 tide"));
            }
            // A vocabulary with another letter or score in it is a vocabulary.
            if let Ok(encoder) = Encoder::from_bytes(&flipped(&model), &weights) {
                prop_assert_eq!(encoder.embed("雨夜 tide").len(), DIMENSIONS);
            }
            Ok(())
        })
        .unwrap();
}
