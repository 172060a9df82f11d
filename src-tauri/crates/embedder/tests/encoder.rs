//! The encoder as a whole, on its own two files.
//!
//! The files are not part of the repository: set-up fetches them. Where it could not, it writes down why, and the
//! scenarios that need them say on stderr that they did not run.

// The lint's exception for tests does not see the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use palimpsest_embedder::{DIMENSIONS, Encoder, LoadError, MAX_TOKENS};
use proptest::prelude::*;

/// Texts with the tokens and vectors of the package that the files come from.
const REFERENCE: &str = include_str!("fixtures/reference.json");

/// Queries with their turned vectors and cosines, from the program that trained the query adapter.
const ADAPTER: &str = include_str!("fixtures/adapter.json");

/// A story of 610 characters.
const STORY_ZH: &str = include_str!("fixtures/story-zh.txt");
/// The same story, of 2,340 characters.
const STORY_EN: &str = include_str!("fixtures/story-en.txt");

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

/// A text of at least `count` characters: `story`, repeated.
fn long_text(story: &str, count: usize) -> String {
    story.chars().cycle().take(count).collect()
}

/// The ranges of `parts` parts of `text` of about the same length, each from a character to a character.
fn equal_parts(text: &str, parts: usize) -> Vec<Range<usize>> {
    let bound = |part| (text.len() * part / parts..).find(|&at| text.is_char_boundary(at)).unwrap();
    (0..parts).map(|part| bound(part)..bound(part + 1)).collect()
}

#[test]
fn the_stretch_that_is_the_whole_text_has_the_vector_of_the_text() {
    let Some(encoder) = encoder() else { return };
    for story in [STORY_ZH, STORY_EN] {
        for text in [story.trim(), &long_text(story, 4_000)] {
            let mut stretches = equal_parts(text, 4);
            stretches.push(0..text.len());
            assert_eq!(encoder.embed_stretches(text, &stretches)[4], encoder.embed(text));
        }
    }
}

#[test]
fn stretches_of_a_long_text_agree_with_the_same_words_alone() {
    let Some(encoder) = encoder() else { return };
    for (story, least) in [(STORY_ZH, 0.98), (STORY_EN, 0.98)] {
        let paragraphs = story.trim().split("\n\n").map(|paragraph| {
            let start = paragraph.as_ptr().addr() - story.as_ptr().addr();
            start..start + paragraph.len()
        });
        let paragraphs: Vec<Range<usize>> = paragraphs.collect();
        assert_eq!(paragraphs.len(), 6);
        for (vector, range) in encoder.embed_stretches(story, &paragraphs).iter().zip(&paragraphs) {
            let alone = encoder.embed(&story[range.clone()]);
            assert!(cosine(vector, &alone) > least, "{}: {}", &story[range.clone()], cosine(vector, &alone));
        }
        let text = long_text(story, 4_000);
        let parts = equal_parts(&text, 4);
        for (vector, range) in encoder.embed_stretches(&text, &parts).iter().zip(&parts) {
            let alone = encoder.embed(&text[range.clone()]);
            assert!(cosine(vector, &alone) > 0.995, "{range:?}: {}", cosine(vector, &alone));
        }
    }
}

#[test]
fn stretches_of_a_short_text_are_exactly_texts_of_their_own() {
    let Some(encoder) = encoder() else { return };
    // The last has more tokens than the network reads at once.
    let texts = ["雨夜，他把手稿锁进铁皮柜。第二天，柜子空了。", "The tide came in. Then it went.", &"𓀀𓂀".repeat(149)];
    assert!(encoder.tokens(texts[2]).len() > 256);
    for text in texts {
        let mut stretches = equal_parts(text, 3);
        stretches.push(0..text.len());
        for (vector, range) in encoder.embed_stretches(text, &stretches).iter().zip(&stretches) {
            assert_eq!(vector, &encoder.embed(&text[range.clone()]), "{range:?} of {text}");
        }
    }
}

#[test]
fn the_vector_of_four_thousand_characters_depends_on_the_last_sentence() {
    let Some(encoder) = encoder() else { return };
    for (story, end) in [(STORY_ZH, "皇帝把军队派往了北方的沙漠。"), (STORY_EN, "The bank raised its interest rates.")]
    {
        let text = long_text(story, 4_000);
        assert!(encoder.tokens(&text).len() < MAX_TOKENS);
        let (text, changed) = (encoder.embed(&text), encoder.embed(&format!("{text}{end}")));
        assert!(cosine(&text, &changed) < 0.999_99 && cosine(&text, &changed) > 0.98, "{}", cosine(&text, &changed));
    }
}

#[test]
fn a_stretch_behind_the_last_token_that_is_read_has_the_vector_of_its_words() {
    let Some(encoder) = encoder() else { return };
    let text = format!("{}雨夜，他把手稿锁进铁皮柜。", "潮".repeat(2 * MAX_TOKENS));
    let stretch = text.len() - "雨夜，他把手稿锁进铁皮柜。".len()..text.len();
    assert_eq!(encoder.embed_stretches(&text, &[stretch]), [encoder.embed("雨夜，他把手稿锁进铁皮柜。")]);
}

#[test]
fn a_range_that_is_no_text_is_empty_text() {
    let Some(encoder) = encoder() else { return };
    for text in ["潮水", &"潮水".repeat(200)] {
        #[expect(clippy::reversed_empty_ranges, reason = "a caller may compute one")]
        let ranges = [0..1, 2..6, 0..text.len() + 1, 6..3, text.len()..text.len(), usize::MAX..usize::MAX, 3..3];
        for (vector, range) in encoder.embed_stretches(text, &ranges).iter().zip(&ranges) {
            assert_eq!(vector, &encoder.embed(""), "{range:?}");
        }
    }
}

#[test]
fn any_ranges_of_any_text_have_vectors_of_length_one() {
    let Some(encoder) = encoder() else { return };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    let text =
        prop_oneof!["\\PC{0,20}", "[ \t\u{7}\u{3000}潮e\u{301}ﬁＡ㌀😀▁]{250,400}", "(\\PC|[a-z ]{1,9}){150,350}"];
    let ranges = prop::collection::vec((0..1_500usize, 0..1_500usize), 0..8);
    runner
        .run(&(text, ranges), |(text, ranges)| {
            let ranges: Vec<Range<usize>> = ranges.into_iter().map(|(start, end)| start..end).collect();
            let vectors = encoder.embed_stretches(&text, &ranges);
            prop_assert_eq!(vectors.len(), ranges.len());
            prop_assert_eq!(encoder.embed_query(&text, &ranges).len(), ranges.len());
            for vector in vectors {
                prop_assert_eq!(vector.len(), DIMENSIONS);
                prop_assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
            }
            Ok(())
        })
        .unwrap();
}

/// The vector of `query` as a query.
fn embed_query(encoder: &Encoder, query: &str) -> Vec<f32> {
    let mut vectors = encoder.embed_query(query, std::slice::from_ref(&(0..query.len())));
    assert_eq!(vectors.len(), 1);
    vectors.pop().unwrap()
}

#[test]
fn queries_and_their_cosines_agree_with_the_reference() {
    let Some(encoder) = encoder() else { return };
    let reference: serde_json::Value = serde_json::from_str(ADAPTER).unwrap();
    let cases = reference.as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let (query, text) = (case["query"].as_str().unwrap(), encoder.embed(case["text"].as_str().unwrap()));
        let number = |name: &str| case[name].as_f64().unwrap();
        let vector = embed_query(encoder, query);
        let first: Vec<f32> = serde_json::from_value(case["first8"].clone()).unwrap();
        for (found, expected) in vector.iter().zip(&first) {
            assert!((found - expected).abs() < 2e-5, "{query}: {found} for {expected}");
        }
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5, "{query}: not of length one");
        let before = f64::from(cosine(&encoder.embed(query), &text));
        assert!((before - number("cosine_before")).abs() < 1e-4, "{query}: {before}");
        let after = f64::from(cosine(&vector, &text));
        assert!((after - number("cosine_after")).abs() < 1e-4, "{query}: {after}");
        let scaled = Encoder::query_cosine(after);
        assert!((scaled - number("on_the_old_scale")).abs() < 2e-4, "{query}: {scaled}");
    }
}

#[test]
fn a_query_has_another_vector_than_a_text_and_unrelated_pairs_the_same_level() {
    let Some(encoder) = encoder() else { return };
    let words = ["雨夜", "一封没有寄出的信", "a fight on the stairs", "the price of fish"];
    for query in words {
        let (as_text, as_query) = (encoder.embed(query), embed_query(encoder, query));
        assert!((0.5..0.99).contains(&cosine(&as_text, &as_query)), "{query}: {}", cosine(&as_text, &as_query));
    }
    let unrelated = [
        ("董事会批准了明年的预算", "The cat slept on the warm stove."),
        ("how to bake sourdough bread", "骑兵在黎明前渡过了河。"),
        ("猫在炉子上睡着了", "股票价格昨天下跌了百分之三。"),
        ("interest rates", "She buried the lantern under the pear tree."),
        ("a wedding in the village", "服务器的内存不够用了。"),
        ("修理自行车的链条", "The senate voted against the treaty."),
        ("the moons of Jupiter", "他把豆腐切成小块，撒上葱花。"),
        ("考试成绩什么时候公布", "Waves broke over the bow of the ship."),
    ];
    let count = unrelated.len() as f64;
    let (mut plain, mut scaled) = (0.0, 0.0);
    for (query, text) in unrelated {
        let text = encoder.embed(text);
        plain += f64::from(cosine(&encoder.embed(query), &text)) / count;
        scaled += Encoder::query_cosine(f64::from(cosine(&embed_query(encoder, query), &text))) / count;
    }
    assert!((plain - scaled).abs() < 0.05, "{plain} as texts, {scaled} as a query and a text");
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
