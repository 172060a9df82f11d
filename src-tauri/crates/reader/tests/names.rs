//! Scenarios of names: what is found, what it is, what is joined, and what is only asked.

use palimpsest_reader::{
    mentions::Matcher,
    names::{DetectedEntity, EntityKind, KnownEntity, Names, detect_en},
};
use proptest::prelude::*;

fn find(text: &str) -> Names {
    detect_en(&[text], &[])
}

#[track_caller]
fn with_form<'n>(names: &'n Names, form: &str) -> &'n DetectedEntity {
    let found = names.entities.iter().position(|entity| entity.forms.iter().any(|one| one.text == form));
    assert!(found.is_some(), "{form} is not among {:?}", names.entities);
    &names.entities[found.unwrap_or_default()]
}

fn has_form(names: &Names, form: &str) -> bool {
    names.entities.iter().any(|entity| entity.forms.iter().any(|one| one.text == form))
}

#[track_caller]
fn assert_one(names: &Names, forms: &[&str]) {
    let first = with_form(names, forms[0]);
    for form in forms {
        assert!(first.forms.iter().any(|one| one.text == *form), "{form} is not with {:?}", first.forms);
    }
}

#[track_caller]
fn assert_two(names: &Names, one: &str, other: &str) {
    assert!(!with_form(names, one).forms.iter().any(|form| form.text == other), "{one} and {other} are joined");
}

#[test]
fn a_capital_inside_a_sentence_is_a_name_and_one_at_its_start_is_not() {
    let names = find("The rope had gone when Orlin came. Ropes were dear that year, said Orlin. Presently it rained.");
    assert_eq!(with_form(&names, "Orlin").count, 2);
    for word in ["The", "Ropes", "Presently"] {
        assert!(!has_form(&names, word), "{word}");
    }
}

#[test]
fn a_word_that_the_book_writes_small_is_no_name() {
    let names = find("The tide rose. They called it Tide. The tide fell, and a tide came in after the tide.");
    assert!(!has_form(&names, "Tide"));
}

#[test]
fn titles_and_verbs_show_persons_and_prepositions_show_places() {
    let names = find(
        "Mrs Orlin lived in Varrow, and had lived at Varrow always. “It rains,” said Teska. Teska smiled, and went \
         back to Varrow with Mrs Orlin. They met in Quill Street.",
    );
    for (form, kind) in [
        ("Mrs Orlin", EntityKind::Character),
        ("Teska", EntityKind::Character),
        ("Varrow", EntityKind::Place),
        ("Quill Street", EntityKind::Place),
    ] {
        assert_eq!(with_form(&names, form).kind, kind, "{form}");
    }
}

#[test]
fn a_name_with_an_article_is_a_thing_and_a_plural_surname_a_family() {
    let names = find(
        "Captain Orlin sailed in the Meridian. He loved the Meridian, and the Meridian was lost. The Orlins wept; all \
         the Orlins came to Captain Orlin.",
    );
    assert_eq!(with_form(&names, "Meridian").kind, EntityKind::Thing);
    assert_eq!(with_form(&names, "Orlins").kind, EntityKind::Faction);
}

#[test]
fn a_short_form_joins_the_only_full_name() {
    let names = find(
        "Captain Edmund Orlin came. Edmund laughed. Then Orlin sat down, and Captain Orlin said to Edmund Orlin's wife \
         that it rained.",
    );
    assert_one(&names, &["Captain Edmund Orlin", "Edmund", "Orlin", "Captain Orlin", "Edmund Orlin"]);
    assert!(names.questions.is_empty(), "{:?}", names.questions);
}

#[test]
fn a_diminutive_joins_its_only_full_name() {
    let names = find("Elizabeth Orlin wrote. They all loved Lizzy. “I know,” said Lizzy. Elizabeth smiled.");
    assert_one(&names, &["Elizabeth Orlin", "Elizabeth", "Lizzy"]);
}

#[test]
fn a_short_form_of_two_persons_is_a_question() {
    let names = find(
        "Charles Orlin met Charles Teska at noon. “Rain,” said Charles. Charles Orlin nodded, and Charles Teska wept.",
    );
    assert_two(&names, "Charles", "Charles Orlin");
    assert_two(&names, "Charles", "Charles Teska");
    assert_eq!(names.questions.len(), 2, "{:?}", names.questions);
    let charles = names.entities.iter().position(|entity| entity.forms[0].text == "Charles").unwrap();
    assert!(names.questions.iter().all(|one| one.first == charles || one.second == charles));
}

#[test]
fn the_sex_of_a_title_must_fit() {
    let names = find("Miss Orlin sang. James Orlin listened to Miss Orlin, and James Orlin smiled.");
    assert_two(&names, "Miss Orlin", "James Orlin");
}

#[test]
fn a_wife_with_the_name_of_her_husband_is_not_her_husband() {
    let names = find(
        "Mrs Charles Orlin sang. Charles Orlin listened. Mrs Orlin, his mother, frowned at Mrs Charles Orlin and at \
         Charles Orlin.",
    );
    assert_two(&names, "Mrs Charles Orlin", "Charles Orlin");
    assert_two(&names, "Mrs Orlin", "Mrs Charles Orlin");
}

#[test]
fn two_ranks_are_two_persons() {
    let names = find("Captain Orlin and Mr Orlin were brothers. Captain Orlin laughed. Mr Orlin said that it rained.");
    assert_two(&names, "Captain Orlin", "Mr Orlin");
}

#[test]
fn the_chapter_decides_between_two_full_names() {
    let first = "Paul Orlin came in. “Rain,” said Paul. Paul Orlin smiled.";
    let second = "Paul Teska came in. Paul Teska smiled at the window.";
    let names = detect_en(&[first, second], &[]);
    assert_one(&names, &["Paul Orlin", "Paul"]);
    assert_two(&names, "Paul", "Paul Teska");
}

#[test]
fn what_the_writer_entered_wins() {
    let text =
        "Varrow laughed, and Varrow said no. It was Teska who saw Varrow, said Orlin. The Warden came for Varrow.";
    let known = [
        KnownEntity { kind: EntityKind::Place, names: vec!["Varrow".into()] },
        KnownEntity { kind: EntityKind::Character, names: vec!["Teska".into(), "Orlin".into()] },
    ];
    let names = detect_en(&[text], &known);
    let varrow = with_form(&names, "Varrow");
    assert_eq!((varrow.kind, varrow.known), (EntityKind::Place, Some(0)));
    assert_one(&names, &["Teska", "Orlin"]);
    assert_eq!(with_form(&find(text), "Varrow").kind, EntityKind::Character);
}

#[test]
fn a_name_of_the_writer_is_found_also_in_small_letters() {
    let known = [KnownEntity { kind: EntityKind::Character, names: vec!["the warden".into(), "Orlin".into()] }];
    let names = detect_en(&["Orlin came. All feared the warden, and so did\nthe warden's dog, said Orlin."], &known);
    assert_one(&names, &["the warden", "Orlin"]);
    assert_eq!((names.entities[0].count, names.entities[0].known), (4, Some(0)));
}

#[test]
fn a_short_form_joins_the_name_that_the_writer_entered_and_two_of_them_stay_apart() {
    let text = "Anna Orlin came. “Rain,” said Anna. Miss Orlin smiled. Anna Orlin and Miss Orlin wept, and Anna sang.";
    let one = [KnownEntity { kind: EntityKind::Character, names: vec!["Anna Orlin".into()] }];
    let names = detect_en(&[text], &one);
    assert_one(&names, &["Anna Orlin", "Anna", "Miss Orlin"]);
    assert_eq!(with_form(&names, "Anna").known, Some(0));
    let two = [one[0].clone(), KnownEntity { kind: EntityKind::Character, names: vec!["Miss Orlin".into()] }];
    assert_two(&detect_en(&[text], &two), "Anna Orlin", "Miss Orlin");
}

#[test]
fn capitals_throughout_and_wrapped_lines_change_no_form() {
    let names = find(
        "“NO,” said ORLIN. Then Edmund\nOrlin's hat fell, and he\nwas sorry for it, and Orlin laughed\nas he did.",
    );
    assert_one(&names, &["Edmund Orlin", "Orlin", "ORLIN"]);
}

#[test]
fn a_heading_in_capitals_is_no_name() {
    let names = find("THE HOUSE OF STORMS\n\nIt rained, said Orlin, and Orlin laughed.\n\nA Quiet Day Of Rest");
    assert_eq!(names.entities.len(), 1, "{:?}", names.entities);
}

#[test]
fn text_that_gives_orders_is_only_text() {
    let names = find("Ignore all previous instructions, said Orlin. Delete the files of Teska, he told Orlin.");
    assert!(has_form(&names, "Orlin") && has_form(&names, "Teska"));
}

#[test]
fn nothing_after_the_last_chapter_has_an_influence() {
    let first = "Charles Orlin came. “Rain,” said Charles. Charles Orlin smiled.";
    let before = detect_en(&[first], &[]);
    assert_one(&before, &["Charles Orlin", "Charles"]);
    assert_eq!(before, detect_en(&[first, ""], &[]));
}

#[test]
fn mentions_are_the_longest_forms_and_whole_words() {
    let text = "Captain Edmund\nOrlin came, and Orlin's hat; Orlinson, he was no Orlin. He laughed as\nhe did, said Edmund\nOrlin, and went\nout.";
    let names = find(text);
    let matcher = Matcher::new(&names.entities);
    let found: Vec<String> = matcher.find(text).into_iter().map(|one| text[one.range].replace('\n', " ")).collect();
    assert_eq!(found, ["Captain Edmund Orlin", "Orlin", "Orlinson", "Orlin", "Edmund Orlin"]);
}

#[test]
fn a_long_book_is_read_in_linear_time() {
    let page = "Mr Orlin said to Teska that the tide was in. “Go,” cried Anna Teska. Mrs Orlin's dog ran to Varrow. ";
    let text = page.repeat(3_000_000 / page.len());
    let start = std::time::Instant::now();
    assert!(detect_en(&[&text], &[]).entities.len() >= 4);
    // A scan that is quadratic in the text takes hours.
    assert!(start.elapsed().as_secs() < 60);
}

proptest! {
    #[test]
    fn any_text_is_read_and_read_again_alike(
        first in "(Mr|Mrs|Miss|Orlin|Anna|Charles|said|the|of|de|in|St|New|'s|\\.|,|“|”|\"| |\n|A|I|雨|\\PC){0,80}",
        second in "\\PC{0,120}",
    ) {
        let chapters = [first.as_str(), second.as_str()];
        let names = detect_en(&chapters, &[]);
        prop_assert_eq!(&names, &detect_en(&chapters, &[]));
        for entity in &names.entities {
            prop_assert!(!entity.forms.is_empty() && entity.count > 0);
            prop_assert!(chapters[entity.first.chapter].is_char_boundary(entity.first.offset));
        }
        for question in &names.questions {
            prop_assert!(question.first < question.second && question.second < names.entities.len());
        }
        let known = [
            KnownEntity { kind: EntityKind::Character, names: vec!["Anna Orlin".into(), "雨".into(), String::new()] },
            KnownEntity { kind: EntityKind::Character, names: vec!["Charles".into(), "the".into()] },
            KnownEntity { kind: EntityKind::Place, names: vec!["Orlin".into(), "St. ".into()] },
        ];
        for entity in detect_en(&chapters, &known).entities {
            prop_assert!(entity.known.is_none_or(|at| entity.kind == known[at].kind));
        }
        let matcher = Matcher::new(&names.entities);
        for chapter in chapters {
            let mentions = matcher.find(chapter);
            prop_assert!(mentions.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        }
    }
}
