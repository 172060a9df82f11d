//! The names of an English book from kept evidence.

use std::sync::Arc;

use palimpsest_reader::{
    mentions::Matcher,
    names::{ChapterKey, EnBook, EntityKind, KnownEntity, detect_en},
};
use proptest::prelude::*;

const PHRASES: [&str; 30] = [
    "Anne Elliot said",
    "“Anne, come,” said Mr. Darcy.",
    "Mr Darcy",
    "MR. DARCY",
    "Miss Elliot",
    "Anne",
    "Captain Wentworth",
    "Wentworth's sister",
    "the Meridian",
    "the old warden",
    "Hope",
    "hope",
    "In hope",
    "Brown",
    "brown",
    "was in Varrow",
    "Varrow",
    "USA",
    "usa",
    "Usa",
    "Mary and Louisa",
    "Mary, Louisa",
    "He smiled.",
    "she thought",
    ".",
    ",",
    "\n\n",
    "“Hope!”",
    "O’Neil’s",
    "雨 came to the Warden",
];

fn chapter(numbers: &[usize]) -> Arc<str> {
    numbers.iter().map(|number| PHRASES[*number]).collect::<Vec<_>>().join(" ").into()
}

fn known() -> Vec<KnownEntity> {
    let entity = |kind, names: &[&str]| KnownEntity { kind, names: names.iter().map(|&name| name.into()).collect() };
    vec![
        entity(EntityKind::Character, &["Anne Elliot", "the old  warden", "雨"]),
        entity(EntityKind::Place, &["varrow", ""]),
    ]
}

proptest! {
    #[test]
    fn names_and_mentions_from_kept_evidence_are_those_of_the_text_read_from_scratch(
        book in prop::collection::vec(prop::collection::vec(0..PHRASES.len(), 0..50), 1..5),
        positions in prop::collection::vec((0_usize..5, 0_usize..900, any::<bool>(), any::<bool>()), 1..8),
        changed in prop::collection::vec(0..PHRASES.len(), 0..50),
    ) {
        let mut chapters: Vec<Arc<str>> = book.iter().map(|numbers| chapter(numbers)).collect();
        let mut keys: Vec<ChapterKey> = (0..).take(chapters.len()).map(|number| 100 - number).collect();
        let mut kept = EnBook::default();
        let half = positions.len() / 2;
        for (turn, (number, offset, is_cut, is_known)) in positions.into_iter().enumerate() {
            if turn == half {
                // The first chapter is edited.
                kept.forget_chapter(keys[0]);
                (chapters[0], keys[0]) = (chapter(&changed), 7);
            }
            for (key, text) in keys.iter().zip(&chapters) {
                kept.read_chapter(*key, text);
            }
            let last = number % chapters.len();
            let text = &chapters[last];
            // A position may be inside a word.
            let end = (0..=offset.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            let cut: Option<Arc<str>> = is_cut.then(|| text[..end].into());
            let mut texts: Vec<&str> = chapters[..last].iter().map(|text| &**text).collect();
            texts.push(cut.as_deref().unwrap_or(text));
            let known = if is_known { known() } else { Vec::new() };
            let names = kept.detect(&keys[..=last], cut.as_ref(), &known);
            prop_assert_eq!(&names, &detect_en(&texts, &known));
            let mentions = kept.mentions(&keys[..=last], cut.as_ref(), &names.entities);
            let matcher = Matcher::new(&names.entities);
            for (number, text) in texts.iter().enumerate() {
                let found: Vec<_> = mentions.mentions_in(number).collect();
                let wanted = matcher.find(text);
                prop_assert_eq!(
                    found.iter().map(|one| (one.entity, one.range.clone())).collect::<Vec<_>>(),
                    wanted.into_iter().map(|one| (one.entity, one.range)).collect::<Vec<_>>()
                );
                for one in found {
                    let units = |end: usize| u32::try_from(text[..end].encode_utf16().count()).unwrap();
                    prop_assert_eq!(one.units, units(one.range.start)..units(one.range.end));
                }
            }
        }
    }
}
