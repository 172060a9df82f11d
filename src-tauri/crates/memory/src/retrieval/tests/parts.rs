//! The ranking of texts of which only a part is wanted.

use super::*;
use crate::{model::RecallGroup, retrieval::meaning::Compared};

/// The rows of the first episodes that a search finds, each with its score and group, and the other figures of the
/// search. `count`: the number of these episodes.
fn found_in_part(episodes: &[&str], count: usize, query: &str) -> String {
    let memory = Memory::new(episodes, Letters::default());
    memory.index(&[&Episodes]);
    let reader = memory.db.reader().unwrap();
    let is_wanted = |row: i64| usize::try_from(row).is_ok_and(|row| row <= count);
    let part = (OwnerKind::Episode, &is_wanted as &dyn Fn(i64) -> bool);
    let words = Query::of_part(&reader, &book(), part, query, &memory.frequencies, None).unwrap().unwrap();
    let encoded = memory.meaning.encode(&book(), OwnerKind::Episode, query).unwrap();
    let compared = memory.meaning.compare(&memory.db, &book(), OwnerKind::Episode, &encoded).unwrap().unwrap();
    let wanted = (9, part.1);
    let found = text_search::rank(&reader, &book(), part.0, Some(&words), Some(&compared), wanted).unwrap();
    assert!(!found.texts.is_empty());
    format!("{found:?}")
}

#[test]
fn of_a_part_of_the_texts_a_search_finds_the_same_whatever_the_others_are() {
    for (before, behind, query) in [
        (
            ["The keeper broke a leg.", "zzzz qqqq", "The boat went at noon.", "xxxx vvvv", "jjjj kkkk"],
            ["The keeper of the keeper's boat, the leg of the keeper.", "The keeper broke a leg again and again."],
            "Who broke the leg of the keeper?",
        ),
        (
            ["纪伯摔断了腿。", "海上没有风。", "船中午回去。", "铜钉钉在墙上。", "灯灭了。"],
            ["纪伯的船，纪伯的腿，纪伯的墙。", "谁摔断了纪伯的腿，谁知道。"],
            "纪伯的腿是谁摔断的？",
        ),
    ] {
        let all: Vec<&str> = before.iter().chain(behind.iter().cycle().take(9)).copied().collect();
        assert_eq!(found_in_part(&all, before.len(), query), found_in_part(&before, before.len(), query));
    }
}

#[test]
fn of_the_texts_with_the_same_words_of_a_search_all_count_for_its_nearness_by_words() {
    let nearness = |episodes: &[&str]| {
        let memory = Memory::new(episodes, Letters::default());
        memory.index(&[&Episodes]);
        let reader = memory.db.reader().unwrap();
        let query = "the keeper of the lamp";
        let words =
            Query::new(&reader, &book(), &[OwnerKind::Episode], query, &memory.frequencies, None).unwrap().unwrap();
        let encoded = memory.meaning.encode(&book(), OwnerKind::Episode, query).unwrap();
        let compared = memory.meaning.compare(&memory.db, &book(), OwnerKind::Episode, &encoded).unwrap().unwrap();
        let wanted: (usize, &dyn Fn(i64) -> bool) = (9, &|_| true);
        let found = text_search::rank(&reader, &book(), OwnerKind::Episode, Some(&words), Some(&compared), wanted);
        found.unwrap().cosine_by_words.unwrap()
    };
    let (near, far, other) = ("The keeper has the lamp.", "Lamp, lamp, jab, vex, keeper, quiz.", "The boat went.");
    let both = nearness(&[near, far, other]);
    let mean = (nearness(&[near, other]) + nearness(&[far, other])) / 2.0;
    assert!((both - mean).abs() < 1e-6, "{both} {mean}");
    assert!((nearness(&[near, other]) - mean).abs() > 0.05);
}

#[test]
fn a_text_stands_out_from_the_wanted_texts_whatever_the_meaning_of_the_others_is() {
    let memory = Memory::new(&[], Letters::default());
    let reader = memory.db.reader().unwrap();
    let similar = |row: i64| resident::Similarity { row, cosine: if row == 1 || row > 6 { 0.35 } else { 0.0 } };
    let group = |last: i64| {
        let compared = Compared { texts: (1..=last).map(similar).collect(), background: Vec::new() };
        let wanted: (usize, &dyn Fn(i64) -> bool) = (9, &|row| row <= 6);
        let found = text_search::rank(&reader, &book(), OwnerKind::Episode, None, Some(&compared), wanted).unwrap();
        (found.texts[0].row, found.texts[0].group)
    };
    assert_eq!(group(6), (1, RecallGroup::Found));
    assert_eq!(group(30), group(6));
}
