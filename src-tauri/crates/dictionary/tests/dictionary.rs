//! The dictionary as a whole, on a small one made by hand and on CC-CEDICT.
//!
//! CC-CEDICT is not part of the repository: set-up fetches it. Where it could not, it writes down why, and the
//! scenarios that need it say on stderr that they did not run.

// The lint's exception for tests does not see the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::HashSet,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::LazyLock,
    thread,
};

use flate2::{Compression, write::GzEncoder};
use palimpsest_dictionary::{Concept, Dictionary, LoadError, MAX_CHARACTERS, MAX_CONCEPTS, MAX_GLOSSES, MAX_WORDS};
use palimpsest_text::{is_han, terms::index_terms};
use proptest::prelude::*;

const SMALL: &str = include_str!("fixtures/small.u8");

fn small() -> &'static Dictionary {
    static SMALL_DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| Dictionary::parse(SMALL));
    &SMALL_DICTIONARY
}

/// The folder with CC-CEDICT, or `None` where set-up could not fetch it.
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("PALIMPSEST_DICTIONARY") {
        return Some(folder.into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../resources/dictionary");
    if folder.join(Dictionary::FILE).exists() {
        return Some(folder);
    }
    let why = fs::read_to_string(folder.join("unavailable.txt"))
        .expect("the dictionary is not here: `npm run setup` fetches it, or writes down why it cannot");
    let thread = thread::current();
    let said = format!("NOT RUN: {}: {}\n", thread.name().unwrap_or_default(), why.trim());
    // Not by the macro, whose words are kept back unless the test fails.
    let _ = io::stderr().write_all(said.as_bytes());
    None
}

fn cedict() -> Option<&'static Dictionary> {
    static CEDICT: LazyLock<Option<Dictionary>> = LazyLock::new(|| Some(Dictionary::load(&folder()?).unwrap()));
    let _ = folder()?;
    CEDICT.as_ref()
}

/// Each concept of a query, its alternatives with their terms joined.
fn concepts(query: &str) -> Vec<Vec<String>> {
    joined(&small().concepts(query))
}

fn joined(concepts: &[Concept]) -> Vec<Vec<String>> {
    concepts.iter().map(|concept| concept.alternatives.iter().map(|terms| terms.join("+")).collect()).collect()
}

/// Whether a concept of `query` is in `text`.
fn meets(dictionary: &Dictionary, query: &str, text: &str) -> bool {
    let terms: HashSet<String> = index_terms(text).into_iter().collect();
    let is_in_text = |alternative: &Vec<String>| alternative.iter().all(|term| terms.contains(term));
    dictionary.concepts(query).iter().any(|concept| concept.alternatives.iter().any(is_in_text))
}

fn packed(text: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join(Dictionary::FILE)).unwrap();
    let mut encoder = GzEncoder::new(file, Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap();
    folder
}

#[test]
fn a_chinese_word_is_its_glosses_in_either_script() {
    assert_eq!(concepts("灯塔"), [["lighthous"]]);
    assert_eq!(concepts("燈塔"), [["lighthous"]]);
    assert_eq!(concepts("葬礼"), [["burial", "funer"]]);
}

#[test]
fn the_longest_known_words_of_a_run_are_looked_up() {
    assert_eq!(concepts("老人的灯塔"), [vec!["old+man", "elder"], vec!["lighthous"]]);
    // 雨夜 only points to another entry.
    assert_eq!(concepts("雨夜"), [["rain"], ["night"]]);
    assert_eq!(concepts("图书馆员"), [["librarian"]]);
}

#[test]
fn a_word_has_at_most_six_glosses_of_at_most_two_stems() {
    assert_eq!(concepts("烧"), [["burn", "cook", "roast", "stew", "bake", "heat"]]);
    assert_eq!(concepts("决斗"), [["duel"]]);
}

#[test]
fn a_gloss_that_contains_a_shorter_one_is_left_out() {
    assert_eq!(concepts("叹气"), [["sigh"]]);
}

#[test]
fn particles_pronouns_and_common_characters_are_no_concepts() {
    assert_eq!(concepts("他的"), Vec::<Vec<String>>::new());
    assert_eq!(concepts("一二三我们了"), Vec::<Vec<String>>::new());
    // Its first part is a pronoun, and the word is not.
    assert_eq!(concepts("他人"), [["peopl", "other"]]);
}

#[test]
fn a_classifier_after_a_number_is_no_concept() {
    assert_eq!(concepts("一场决斗"), [["duel"]]);
    assert_eq!(concepts("两头牛"), [["cow"]]);
    assert_eq!(concepts("牛头"), [["cow"], ["head"]]);
}

#[test]
fn an_english_word_is_the_chinese_words_that_it_translates_whole() {
    assert_eq!(concepts("lighthouses"), [["灯塔", "燈塔"]]);
    assert_eq!(concepts("a duel"), [["决斗", "決鬥"]]);
    assert_eq!(concepts("librarian"), [["图书+书馆+馆员", "圖書+書館+館員"]]);
    assert_eq!(concepts("house"), Vec::<Vec<String>>::new());
}

#[test]
fn two_english_words_are_looked_up_before_one() {
    assert_eq!(concepts("the old man"), [["老人"]]);
    assert_eq!(concepts("the man is old"), [["男人"], ["老"]]);
    // No phrase across punctuation.
    assert_eq!(concepts("old. Man"), [["老"], ["男人"]]);
}

#[test]
fn the_most_specific_words_are_first() {
    assert_eq!(concepts("night"), [["黑夜", "夜晚", "夜"]]);
    assert_eq!(concepts("letter"), [["信件", "书信", "書信", "信"]]);
}

#[test]
fn words_of_one_character_leave_the_places_of_longer_ones_and_must_be_translated_whole() {
    let long: String = ('\u{4e10}'..'\u{4e30}').map(|c| format!("{c}斗 {c}斗 [x] /spear/\n")).collect();
    let short: String = ('\u{5e10}'..'\u{5e30}').map(|c| format!("{c} {c} [x] /spear/\n")).collect();
    let inexact: String = ('\u{6e10}'..'\u{6e30}').map(|c| format!("{c} {c} [x] /spear about/\n")).collect();
    let [spear] = <[Concept; 1]>::try_from(Dictionary::parse(&(short + &inexact + &long)).concepts("spear")).unwrap();
    let characters = spear.alternatives.iter().filter(|terms| terms[0].chars().count() == 1);
    assert_eq!(characters.count(), MAX_CHARACTERS);
    assert_eq!(spear.alternatives.len(), MAX_CHARACTERS + MAX_WORDS);
    assert!(!spear.alternatives.iter().any(|terms| ("\u{6e10}".."\u{6e30}").contains(&terms[0].as_str())));
}

#[test]
fn a_gloss_that_loses_a_stop_word_is_after_all_others() {
    let text = "走路 走路 [x] /to travel/to stroll/to pace/\n旅行 旅行 [x] /to travel about/";
    assert_eq!(joined(&Dictionary::parse(text).concepts("travel")), [["走路", "旅行"]]);
}

#[test]
fn an_english_word_has_at_most_ten_chinese_ones() {
    let [armour] = <[Concept; 1]>::try_from(small().concepts("armour")).unwrap();
    assert_eq!(armour.alternatives.len(), MAX_WORDS);
}

#[test]
fn a_verb_that_is_everywhere_and_a_number_are_concepts_in_a_phrase_only() {
    assert_eq!(concepts("go to two"), Vec::<Vec<String>>::new());
    assert_eq!(concepts("go home"), [["回家"]]);
}

#[test]
fn a_query_in_both_languages_has_the_concepts_of_both_each_once() {
    assert_eq!(concepts("灯塔 and the funeral，灯塔"), [vec!["葬礼", "葬禮"], vec!["lighthous"]]);
}

#[test]
fn of_a_long_query_the_last_concepts_are_returned() {
    let words: Vec<char> = ('\u{4e10}'..'\u{5000}').filter(|c| !"与万".contains(*c)).take(60).collect();
    let lines: String = words.iter().map(|c| format!("{c} {c} [x] /gloss{}/\n", u32::from(*c))).collect();
    let dictionary = Dictionary::parse(&lines);
    let known: Vec<char> = words.into_iter().filter(|c| !dictionary.concepts(&c.to_string()).is_empty()).collect();
    let query: String = known.iter().collect();
    let expected: String = known[known.len() - MAX_CONCEPTS..].iter().collect();
    let found = dictionary.concepts(&query);
    assert!(known.len() > MAX_CONCEPTS, "{}", known.len());
    assert_eq!(found.len(), MAX_CONCEPTS);
    assert_eq!(found, dictionary.concepts(&expected));
}

#[test]
fn a_file_is_loaded_with_either_end_of_line() {
    for text in [SMALL.to_owned(), SMALL.replace('\n', "\r\n")] {
        let folder = packed(text.as_bytes());
        let loaded = Dictionary::load(folder.path()).unwrap();
        assert_eq!(loaded.concepts("a duel at the lighthouse"), small().concepts("a duel at the lighthouse"));
    }
}

#[test]
fn a_missing_a_damaged_and_an_empty_file_are_different_errors() {
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(Dictionary::load(empty.path()).unwrap_err(), LoadError::Missing);
    fs::write(empty.path().join(Dictionary::FILE), SMALL).unwrap();
    assert!(matches!(Dictionary::load(empty.path()).unwrap_err(), LoadError::Unreadable { .. }));
    assert!(matches!(Dictionary::load(packed(b"\xff\xfe").path()).unwrap_err(), LoadError::Unreadable { .. }));
    assert_eq!(Dictionary::load(packed(b"# nothing\n").path()).unwrap_err(), LoadError::NoEntries);
    let folder = packed(SMALL.as_bytes());
    let file = folder.path().join(Dictionary::FILE);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(Dictionary::load(folder.path()).unwrap_err(), LoadError::Unreadable { .. }));
}

#[test]
fn a_file_that_grows_without_bound_is_refused() {
    let folder = packed(&vec![b'#'; (64 << 20) + 1]);
    assert_eq!(Dictionary::load(folder.path()).unwrap_err(), LoadError::TooLong);
}

#[test]
fn things_in_cc_cedict_are_found_from_either_language() {
    let Some(dictionary) = cedict() else { return };
    for (chinese, english) in [
        ("一场决斗", "a duel"),
        ("灯塔", "the old lighthouse"),
        ("燈塔的鑰匙", "the key of the lighthouse"),
        ("葬礼", "a funeral"),
        ("铁皮柜里的手稿", "a manuscript in the cabinet"),
        ("雪地里的脚印", "footprints in the snow"),
        ("婚礼上的争吵", "a quarrel at the wedding"),
        ("她偷看了日记", "she peeked at the diary"),
        ("烧信", "burn the letter"),
        ("雨夜", "a night of rain"),
    ] {
        assert!(meets(dictionary, chinese, english), "{chinese}: {:?}", dictionary.concepts(chinese));
        assert!(meets(dictionary, english, chinese), "{english}: {:?}", dictionary.concepts(english));
    }
    for (query, text) in [("一场决斗", "a stage and a screen"), ("灯塔", "a burial"), ("a funeral", "灯塔")] {
        assert!(!meets(dictionary, query, text), "{query}: {:?}", dictionary.concepts(query));
    }
}

#[test]
fn cc_cedict_has_glosses_of_no_note() {
    let Some(dictionary) = cedict() else { return };
    assert_eq!(joined(&dictionary.concepts("父亲")), [["father"]]);
    assert!(dictionary.concepts("我们的那些，他们自己的什么").is_empty());
}

/// Queries of the characters and words of the small dictionary among others.
fn queries() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,8}",
        "[一场决斗雨夜烧信灯塔葬礼老人他的头牛燈決鬥]{0,12}",
        "(old|man|duel|night|go|home|letter|the|sigh|'s|-|\u{301}| |\\.){0,12}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_concepts_of_any_text_are_within_their_limits_and_always_the_same(query in queries()) {
        let found = small().concepts(&query);
        prop_assert!(found.len() <= MAX_CONCEPTS);
        for Concept { alternatives } in &found {
            let is_chinese = alternatives[0][0].chars().any(is_han);
            let most = if is_chinese { 2 * (MAX_WORDS + MAX_CHARACTERS) } else { MAX_GLOSSES };
            prop_assert!(alternatives.len() <= most);
            for terms in alternatives {
                prop_assert!(!terms.is_empty());
                prop_assert!(is_chinese || terms.len() <= 2);
                for term in terms {
                    let han = term.chars().filter(|c| is_han(*c)).count();
                    let expected = if is_chinese { 1..=2 } else { 0..=0 };
                    prop_assert!(expected.contains(&han), "{}", term);
                }
            }
        }
        prop_assert_eq!(&found, &small().concepts(&query));
        prop_assert_eq!(&found, &Dictionary::parse(SMALL).concepts(&query));
    }

    #[test]
    fn any_text_is_read_as_a_dictionary(text in "\\PC{0,60}", query in queries()) {
        let line = format!("{text}\n{text} {text} [{text}] /{text}/\n雨 雨 [{text}] /{text}/{text}/\n");
        let dictionary = Dictionary::parse(&format!("{line}{SMALL}"));
        prop_assert!(!dictionary.is_empty());
        let _ = dictionary.concepts(&query);
        let _ = dictionary.concepts(&text);
    }
}
