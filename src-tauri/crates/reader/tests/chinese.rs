//! Scenarios of Chinese names, whose words a tagger has marked. The scenarios mark them by hand.

use std::sync::Arc;

use palimpsest_reader::{
    drift,
    mentions::Matcher,
    names::{
        ChapterKey, DetectedEntity, EntityKind, KnownEntity, Names, TaggedChapter, TaggedWord, WordKind, ZhBook,
        detect_zh, words_by_rules,
    },
};
use proptest::prelude::*;

/// A text of words that are divided by `|`; a word before `/人` is a person, before `/地` a place.
fn tagged(marked: &str) -> (String, Vec<TaggedWord>) {
    let (mut text, mut words) = (String::new(), Vec::new());
    for word in marked.split('|') {
        let (word, kind) = match word.split_once('/') {
            Some((word, "人")) => (word, WordKind::Person),
            Some((word, "地")) => (word, WordKind::Place),
            _ => (word, WordKind::Other),
        };
        words.push(TaggedWord { range: text.len()..text.len() + word.len(), kind });
        text.push_str(word);
    }
    (text, words)
}

fn find(marked: &str) -> Names {
    let (text, words) = tagged(marked);
    detect_zh(&[TaggedChapter { text: &text, words: &words }], &[])
}

fn forms(names: &Names) -> Vec<Vec<&str>> {
    names.entities.iter().map(|one| one.forms.iter().map(|form| form.text.as_str()).collect()).collect()
}

#[test]
fn a_word_that_is_mostly_read_as_a_person_is_one_wherever_it_stands() {
    let names = find(
        "林深/人|来|了|。|林深/人|笑|了|。|林深|没有|说话|。|周/人|来|。|周/人|去|。|潮水/人|涨|。|潮水|退|。|潮水|涨|。|潮水|退",
    );
    assert_eq!(forms(&names), [["林深"]]);
    assert_eq!((names.entities[0].kind, names.entities[0].count), (EntityKind::Character, 3));
}

#[test]
fn places_keep_their_kind_and_calls_are_no_names() {
    let names =
        find("在|柳镇/人|住|，|到|柳镇/人|去|，|下|望海/地|，|上|望海/地|。|阿呀/人|！|阿呀/人|！|哈哈/人|！|哈哈/人");
    let kinds: Vec<EntityKind> = names.entities.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [EntityKind::Place, EntityKind::Place], "{:?}", forms(&names));
}

#[test]
fn a_title_belongs_to_the_name_before_it() {
    let names = find("周|太太|来|了|。|林深/人|看|。|周|太太|走|了|。|林深/人|也|走");
    assert!(forms(&names).contains(&vec!["周太太"]), "{:?}", forms(&names));
}

#[test]
fn a_short_form_joins_the_only_full_name() {
    let names = find("周明远/人|来|。|明远/人|笑|，|明远/人|坐|。|老周/人|走|，|老周/人|看|。|周明远/人|说|。");
    assert_eq!(names.entities.len(), 1, "{:?}", forms(&names));
    assert_eq!(names.entities[0].name, "周明远");
}

#[test]
fn a_short_form_of_two_persons_is_a_question() {
    let names = find("周明/人|来|。|周明/人|去|。|周海/人|来|。|周海/人|去|。|老周/人|坐|。|老周/人|走|。");
    assert_eq!((names.entities.len(), names.questions.len()), (3, 2), "{:?}", forms(&names));
}

#[test]
fn a_name_that_the_tagger_cuts_off_is_made_whole() {
    let names = find("欧阳/人|硯|说|。|欧阳/人|硯|笑|。|见|欧阳/人|硯|来|。|对|欧阳/人|硯|讲|。");
    assert_eq!(forms(&names), [["欧阳硯"]]);
}

#[test]
fn what_the_writer_entered_wins() {
    let (text, words) = tagged("望海/人|来|。|望海/人|去|。|潮水|涨|。");
    let known = [KnownEntity { kind: EntityKind::Place, names: vec!["望海".into(), "潮水".into()] }];
    let names = detect_zh(&[TaggedChapter { text: &text, words: &words }], &known);
    assert_eq!(forms(&names), [["望海", "潮水"]]);
    assert_eq!((names.entities[0].kind, names.entities[0].known), (EntityKind::Place, Some(0)));
}

fn drifts(sentence: &str) -> Vec<String> {
    let (text, words) =
        tagged(&format!("{}{sentence}", "周明远/人|来|。|周明远/人|笑|。|林深/人|来|。|林深/人|坐|。|".repeat(4)));
    let chapters = [TaggedChapter { text: &text, words: &words }];
    let entities = detect_zh(&chapters, &[]).entities;
    drift::detect_zh(&chapters, &entities)
        .into_iter()
        .map(|one| format!("{}→{}", &text[one.range], one.meant))
        .collect()
}

#[test]
fn one_character_off_a_frequent_name_is_drift() {
    assert_eq!(drifts("后来|周名远/人|走|了|。"), ["周名远→周明远"]);
    assert_eq!(drifts("后来|林申/人|走|了|。"), ["林申→林深"]);
}

#[test]
fn another_person_and_an_ordinary_word_are_no_drift() {
    for sentence in [
        "有|一|人|名叫|周名远/人|。",
        "周名远/人|和|周明远/人|不是|一家|。",
        "林木|很|密|。",
        "周名远/人|来|。|周名远/人|去|。",
    ] {
        assert!(drifts(sentence).is_empty(), "{sentence}: {:?}", drifts(sentence));
    }
}

proptest! {
    #[test]
    fn any_words_of_any_text_are_read(
        text in "(周明|周|老周|小王明|王明|先生|太太|说|。|阿|a|\\PC){0,40}",
        cuts in proptest::collection::vec((0_usize..200, 0_usize..12, 0_u8..6), 0..40),
    ) {
        let kinds =
            [WordKind::Person, WordKind::Place, WordKind::Organisation, WordKind::Thing, WordKind::Time, WordKind::Other];
        let words: Vec<TaggedWord> = cuts
            .into_iter()
            .map(|(from, length, kind)| TaggedWord { range: from..from + length, kind: kinds[usize::from(kind)] })
            .collect();
        let chapters = [TaggedChapter { text: &text, words: &words }];
        let names = detect_zh(&chapters, &[]);
        prop_assert_eq!(&names, &detect_zh(&chapters, &[]));
        for drift in drift::detect_zh(&chapters, &names.entities) {
            prop_assert!(text.get(drift.range).is_some());
        }
        let by_rules = words_by_rules(&text);
        prop_assert!(by_rules.iter().all(|word| text.get(word.range.clone()).is_some_and(|word| !word.is_empty())));
        prop_assert!(by_rules.windows(2).all(|two| two[0].range.end <= two[1].range.start));
    }
}

/// Phrases of which words are joined, and names cut short, extended and titled.
const PHRASES: [&str; 24] = [
    "老|拱|说",
    "老|拱|了",
    "公输|般|来",
    "公输|般|，",
    "亮|亮|堂",
    "周",
    "周明远",
    "明远|先生",
    "太太",
    "。",
    "，",
    "来|了",
    "单四|嫂子",
    "陈士成",
    "士成|说",
    "阿|发",
    "道统",
    "何道统",
    "道翁",
    "一个|潮水",
    "𠮷野",
    "墨子道",
    "墨子|Tom",
    "青石镇",
];

/// A chapter of numbered phrases, the first words of which may be read as names.
fn chapter(numbers: &[(usize, u8)]) -> (Arc<str>, Vec<TaggedWord>) {
    let (mut text, mut words) = (String::new(), Vec::new());
    for &(number, kind) in numbers {
        for (place, word) in PHRASES[number].split('|').enumerate() {
            let kind = match kind {
                0..3 if place == 0 => WordKind::Person,
                3 if place == 0 => WordKind::Place,
                _ => WordKind::Other,
            };
            words.push(TaggedWord { range: text.len()..text.len() + word.len(), kind });
            text.push_str(word);
        }
    }
    (text.into(), words)
}

type Mentions = Vec<(usize, usize, std::ops::Range<usize>)>;

fn mentions_by_matcher(chapters: &[TaggedChapter<'_>], entities: &[DetectedEntity]) -> Mentions {
    let matcher = Matcher::new(entities);
    let in_chapter = |(number, chapter): (usize, &TaggedChapter<'_>)| -> Mentions {
        matcher.find(chapter.text).into_iter().map(|mention| (number, mention.entity, mention.range)).collect()
    };
    chapters.iter().enumerate().flat_map(in_chapter).collect()
}

proptest! {
    #[test]
    fn names_from_kept_evidence_are_those_of_the_text_read_from_scratch(
        book in proptest::collection::vec(proptest::collection::vec((0_usize..PHRASES.len(), 0_u8..16), 0..60), 1..5),
        positions in proptest::collection::vec((0_usize..5, 0_usize..120, 0_usize..4), 1..8),
        changed in proptest::collection::vec((0_usize..PHRASES.len(), 0_u8..16), 0..60),
        known in proptest::collection::vec(0_usize..PHRASES.len(), 0..3),
    ) {
        let known: Vec<KnownEntity> = known
            .into_iter()
            .map(|number| KnownEntity { kind: EntityKind::Character, names: vec![PHRASES[number].replace('|', "")] })
            .collect();
        let mut chapters: Vec<_> = book.iter().map(|numbers| chapter(numbers)).collect();
        let mut keys: Vec<ChapterKey> = (0..).take(chapters.len()).map(|number| 100 - number).collect();
        let mut kept = ZhBook::default();
        let half = positions.len() / 2;
        for (turn, (number, words, more)) in positions.into_iter().enumerate() {
            if turn == half {
                // The first chapter is edited, and the readings of other positions are forgotten.
                kept.forget_chapter(keys[0]);
                kept.shrink();
                (chapters[0], keys[0]) = (chapter(&changed), 7);
            }
            for (key, (text, words)) in keys.iter().zip(&chapters) {
                kept.read_chapter(*key, text, words);
            }
            let last = number % chapters.len();
            let (text, all) = &chapters[last];
            // A position may be inside a word.
            let end = all.get(words).map_or(text.len(), |word| word.range.start + more);
            let end = (0..=end.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            let here: Vec<TaggedWord> = all.iter().filter(|word| word.range.end <= end).cloned().collect();
            let cut = TaggedChapter { text: &text[..end], words: &here };
            let mut tagged: Vec<TaggedChapter<'_>> =
                chapters[..last].iter().map(|(text, words)| TaggedChapter { text, words }).collect();
            tagged.push(cut);
            let names = kept.detect(&keys[..=last], Some(cut), &known);
            prop_assert_eq!(&names, &detect_zh(&tagged, &known));
            let mentions = kept.mentions(&keys[..=last], Some(end), &names.entities);
            let mut found = Mentions::new();
            for (number, chapter) in tagged.iter().enumerate() {
                prop_assert_eq!(kept.words(keys[number]), chapters[number].1.clone());
                for mention in mentions.mentions_in(number) {
                    let before = chapter.text[..mention.range.start].encode_utf16().count();
                    let units = chapter.text[mention.range.clone()].encode_utf16().count();
                    prop_assert_eq!(mention.units.start as usize, before);
                    prop_assert_eq!(mention.units.len(), units);
                    found.push((number, mention.entity, mention.range));
                }
            }
            prop_assert_eq!(found, mentions_by_matcher(&tagged, &names.entities));
        }
    }
}
