//! Tests of reading pages, and that a written page reads back unchanged.

use proptest::prelude::*;

use super::*;
use crate::{
    model::{Certainty, Visibility},
    story::lorebook::page_of,
};

fn read(page: &str) -> Vec<LoreEntry> {
    read_page(page, Language::En).unwrap_or_else(|bad| panic!("{bad:?}")).entries
}

#[test]
fn a_page_that_a_person_writes_is_read() {
    let page = "# My story\n\nSome words before.\n\n## Characters\n\n### Mara Venn\n*also: Venn; the ferrywoman (chapter 2)*\n\
        *always given to models; pinned*\n\nShe came from the north.\n\n- age: forty\n  - certainty: someone says so\n  \
        - at first: thirty-nine\n    > “I am thirty-nine.” (chapter 1)\n  > “She is forty,” he said. (chapter 2)\n- likes tea\n\n\
        ## 地方\n### 港口\n- 人口：三百\n  - 读到：第 3 章\n";
    let entries = read(page);
    let mara = &entries[0];
    let forms = [("Mara Venn", None), ("Venn", None), ("the ferrywoman", Some(2))];
    assert_eq!(mara.forms, forms.map(|(form, since)| (form.to_owned(), since)));
    assert_eq!((mara.visibility, mara.is_pinned), (Some(Visibility::Always), true));
    let facts: Vec<(&str, &str)> =
        mara.facts.iter().map(|fact| (fact.attribute.as_str(), fact.value.as_str())).collect();
    assert_eq!(facts, [("note", "She came from the north."), ("age", "forty"), ("note", "likes tea")]);
    let age = &mara.facts[1];
    assert_eq!(age.certainty, Certainty::Said);
    assert_eq!(age.quotes, [("“She is forty,” he said.".to_owned(), Some(2))]);
    assert_eq!(age.earlier[0].quotes, [("“I am thirty-nine.”".to_owned(), Some(1))]);
    assert_eq!((entries[1].kind, entries[1].facts[0].chapter), (Some(EntityKind::Place), Some(3)));
}

#[test]
fn a_page_that_cannot_be_read_is_refused_with_its_marked_words() {
    let refused = |page: &str| {
        let bad = read_page(page, Language::En).unwrap_err();
        (bad.item, bad.reason)
    };
    assert_eq!(refused("### Mara"), (1, Reason::UnknownCategory));
    assert_eq!(refused("## Ingredients"), (1, Reason::UnknownCategory));
    assert_eq!(refused("## Places\n### Harwick\n  - from: 1983"), (3, Reason::BrokenLine));
    assert_eq!(refused("## Places\n### Harwick\n- is: a port\n  - colour: grey"), (4, Reason::BrokenLine));
    assert_eq!(refused("## Places\n### Harwick\n- is: a port\n  - certainty: maybe"), (4, Reason::BadValue));
    assert_eq!(refused("## Places\n### Harwick\n- is: a port\n  - known to: Mara"), (4, Reason::BadValue));
    assert_eq!(refused(&format!("## Places\n### Harwick\n- is: {}", "x".repeat(501))), (3, Reason::TooLong));
}

/// A line that may have any mark of the page in it.
fn marked_words() -> impl Strategy<Value = String> {
    let word = "[a-z潮水:：;；()（）*\\\\>#-]{1,6}";
    prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "))
}

fn fact() -> impl Strategy<Value = LoreFact> {
    let knowers = prop::collection::vec((marked_words(), 1_u32..30), 0..3);
    let quotes = prop::collection::vec((marked_words(), (1_u32..30).prop_map(Some)), 0..3);
    let times = (prop::option::of(marked_words()), prop::option::of(marked_words()), prop::option::of(1_u32..30));
    let certainty = prop::sample::select(CERTAINTIES.map(|(certainty, _)| certainty).to_vec());
    (marked_words(), marked_words(), prop::option::of(marked_words()), certainty, times, knowers, quotes).prop_map(
        |(attribute, value, object, certainty, (valid_from, valid_until, chapter), knowers, quotes)| LoreFact {
            object,
            certainty,
            chapter,
            valid_from,
            valid_until,
            knowers,
            quotes,
            ..LoreFact::new(attribute, value)
        },
    )
}

fn entry() -> impl Strategy<Value = LoreEntry> {
    let forms = prop::collection::btree_map(marked_words(), prop::option::of(1_u32..30), 1..4);
    let kind = prop::sample::select(vec![EntityKind::Character, EntityKind::WorldRule, EntityKind::Event]);
    let facts = prop::collection::vec((fact(), prop::collection::vec(fact(), 0..3)), 0..3);
    let settings = (prop::option::of(Just(Visibility::Hidden)), any::<bool>());
    (marked_words(), forms, kind, settings, facts).prop_map(|(name, forms, kind, (visibility, is_pinned), facts)| {
        let facts = facts.into_iter().map(|(fact, earlier)| {
            let earlier =
                earlier.into_iter().map(|one| LoreFact { attribute: fact.attribute.clone(), ..one }).collect();
            LoreFact { earlier, ..fact }
        });
        let facts = facts.collect();
        let forms = forms.into_iter().collect();
        LoreEntry { item: 0, kind: Some(kind), name, forms, visibility, is_pinned, facts }
    })
}

proptest! {
    #[test]
    fn a_written_page_reads_back_unchanged(entries in prop::collection::vec(entry(), 0..4), zh in any::<bool>()) {
        let language = if zh { Language::Zh } else { Language::En };
        let page = page_of("Island", &entries, language);
        let read = read_page(&page, language);
        let read = read.unwrap_or_else(|bad| panic!("{bad:?}\n{page}")).entries;
        let mut wanted = entries;
        wanted.sort_by_key(|entry| entry.kind);
        prop_assert_eq!(read.len(), wanted.len(), "{}", page);
        for (read, wanted) in read.into_iter().zip(wanted) {
            let mut read = LoreEntry { item: 0, ..read };
            let mut wanted = wanted;
            read.forms.sort();
            wanted.forms.sort();
            prop_assert_eq!(read, wanted, "{}", page);
        }
    }

    #[test]
    fn no_page_is_too_strange_to_be_read_or_refused(page in "(#{1,3} |- |  - |> |\\*|[a-z：: \n]){0,60}") {
        let _ = read_page(&page, Language::Zh);
    }
}
