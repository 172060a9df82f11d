//! Properties of the issues and the pairs of any book.

use palimpsest_continuity::{Book, Entity, Issue, Kind, Pair, find, find_pairs};
use palimpsest_reader::names::EntityKind;
use palimpsest_text::Language;
use proptest::prelude::*;

const EN: [&str; 27] = [
    "Mara Venn died that night. ",
    "Mara Venn opened the door and laughed. ",
    "In 1900 Mara Venn was thirty years old. ",
    "In 1910 Mara Venn was fifty years old. ",
    "Mara Venn knew who had forged the cheque. ",
    "Only then did Mara Venn learn who had forged the cheque. ",
    "The fair opened on a Monday. ",
    "Three days later, on Saturday, it closed. ",
    "It was Tuesday, the 3rd of May 1912.\n\n",
    "\n\n",
    "“",
    "Tobias looked up. ",
    "Mara Venn had blue eyes. ",
    "Her brown eyes shone. ",
    "The black eyes of Mara Venn shone. ",
    "Tobias, fair-haired, laughed at his red beard. ",
    "Mara Venn limped on her left leg. ",
    "Mara Venn's right leg was broken. ",
    "Mara Venn sat in Harwick. ",
    "Mara Venn and Tobias were in the Anchor. ",
    "On 3 May 1912 Mara Venn was waiting at Dunmere. ",
    "The Anchor in Harwick was full. ",
    "Tobias went out of the Anchor. ",
    "A driver named Tobias knocked. ",
    "A judge named Tobias wrote to her. ",
    "Mara Venn kissed Tobias. ",
    "Mara Venn met Tobias for the first time. ",
];
const ZH: [&str; 27] = [
    "周明当夜就死了。",
    "周明推门进来，笑了。",
    "一九○○年，周明三十岁。",
    "一九一○年，周明五十岁。",
    "周明早就知道支票是谁伪造的。",
    "直到这时，周明才知道支票是谁伪造的。",
    "集市星期一开张。",
    "三天之后，到了星期六，就散了。",
    "那天是一九一二年五月三日，星期二。\n\n",
    "\n\n",
    "“",
    "小满抬起头来。",
    "周明的眼睛是蓝的。",
    "他褐色的眼睛发亮。",
    "周明生着一双漆黑的眼睛。",
    "小满一头金发，红胡子。",
    "周明瘸着左腿。",
    "周明的右腿断了。",
    "周明坐在青石镇。",
    "周明和小满都在聚福茶馆里。",
    "一九一二年五月三日，周明等在白水村。",
    "青石镇的聚福茶馆坐满了人。",
    "小满走出聚福茶馆。",
    "来了个司机，名叫小满。",
    "写信的是一位名叫小满的律师。",
    "周明拉住小满。",
    "周明第一次见到小满。",
];

fn text(language: Language, numbers: &[usize]) -> String {
    let sentences = if language == Language::En { EN } else { ZH };
    numbers.iter().map(|number| sentences[number % sentences.len()]).collect()
}

/// The result of a function on a book of two characters and three places.
fn found_by<T>(language: Language, chapters: &[String], find: impl Fn(&Book<'_>) -> T) -> T {
    let (characters, places) = match language {
        Language::En => (["Mara Venn", "Tobias"], ["Harwick", "Anchor", "Dunmere"]),
        Language::Zh => (["周明", "小满"], ["青石镇", "聚福茶馆", "白水村"]),
    };
    let characters = characters.into_iter().map(|name| (name, EntityKind::Character));
    let named = characters.chain(places.into_iter().map(|name| (name, EntityKind::Place)));
    let entities: Vec<Entity> =
        named.map(|(name, kind)| Entity { kind, name: name.into(), forms: vec![name.into()] }).collect();
    let texts: Vec<&str> = chapters.iter().map(String::as_str).collect();
    find(&Book::new(language, &texts, &entities))
}

fn issues(language: Language, chapters: &[String]) -> Vec<Issue> {
    found_by(language, chapters, find)
}

fn pairs(language: Language, chapters: &[String]) -> Vec<Pair> {
    found_by(language, chapters, find_pairs)
}

fn chapters(language: Language, numbers: &[Vec<usize>]) -> Vec<String> {
    numbers.iter().map(|numbers| text(language, numbers)).collect()
}

fn book() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0_usize..27, 0..8), 0..5)
}

proptest! {
    #[test]
    fn places_lie_in_the_text_in_order_and_signatures_differ(numbers in book(), is_english in any::<bool>()) {
        let language = if is_english { Language::En } else { Language::Zh };
        let chapters = chapters(language, &numbers);
        let found = issues(language, &chapters);
        for issue in &found {
            for place in [&issue.first, &issue.second] {
                prop_assert!(chapters[place.chapter].get(place.range.clone()).is_some_and(|quote| !quote.is_empty()));
                if let Some(differs) = &place.differs {
                    prop_assert!(place.range.start <= differs.start && differs.end <= place.range.end);
                    prop_assert!(chapters[place.chapter].get(differs.clone()).is_some());
                }
            }
            prop_assert!((issue.first.chapter, issue.first.range.start) <= (issue.second.chapter, issue.second.range.start));
        }
        let mut signatures: Vec<&str> = found.iter().map(|issue| issue.signature.as_str()).collect();
        signatures.sort_unstable();
        signatures.dedup();
        prop_assert_eq!(signatures.len(), found.len());
    }

    #[test]
    fn pairs_mark_their_values_in_order_and_signatures_differ(numbers in book(), is_english in any::<bool>()) {
        let language = if is_english { Language::En } else { Language::Zh };
        let chapters = chapters(language, &numbers);
        let found = pairs(language, &chapters);
        for pair in &found {
            for (place, value) in [&pair.first, &pair.second].into_iter().zip(&pair.values) {
                prop_assert!(chapters[place.chapter].get(place.range.clone()).is_some_and(|quote| !quote.is_empty()));
                let differs = place.differs.clone().unwrap_or_default();
                prop_assert!(place.range.start <= differs.start && differs.end <= place.range.end);
                prop_assert_eq!(chapters[place.chapter].get(differs), Some(value.as_str()));
            }
            prop_assert!((pair.first.chapter, pair.first.range.start) < (pair.second.chapter, pair.second.range.start));
        }
        let mut signatures: Vec<&str> = found.iter().map(|pair| pair.signature.as_str()).collect();
        signatures.sort_unstable();
        signatures.dedup();
        prop_assert_eq!(signatures.len(), found.len());
        prop_assert!(found == pairs(language, &chapters));
    }

    // Ages are left out: a later age may support an earlier one, so that another one becomes the slip.
    #[test]
    fn a_later_chapter_adds_and_removes_nothing_among_the_earlier_ones(
        numbers in book(),
        later in prop::collection::vec(0_usize..27, 0..8),
        is_english in any::<bool>(),
    ) {
        let language = if is_english { Language::En } else { Language::Zh };
        let alone = chapters(language, &numbers);
        let mut whole = alone.clone();
        whole.push(text(language, &later));
        let last = alone.len();
        let kept = |issues: Vec<Issue>| -> Vec<String> {
            let earlier = issues.into_iter().filter(|issue| issue.kind != Kind::Age && issue.second.chapter < last);
            earlier.map(|issue| issue.signature).collect()
        };
        prop_assert_eq!(kept(issues(language, &alone)), kept(issues(language, &whole)));
    }

    #[test]
    fn any_text_is_accepted(text in "(\\PC|\n|Mara Venn|died|周明|死了|星期三|三天后|1912|years old|eyes|blue|left|leg|scar|his|眼睛|的|蓝|黑发|左腿|叫|一个|第一次|named|met|a man |断|他|sat|in|the|Harwick|Anchor|May 3|坐|在|青石镇|五月三日| ){0,80}", is_english in any::<bool>()) {
        let language = if is_english { Language::En } else { Language::Zh };
        issues(language, std::slice::from_ref(&text));
        pairs(language, &[text]);
    }
}
