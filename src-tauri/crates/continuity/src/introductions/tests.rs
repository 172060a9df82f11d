use palimpsest_reader::names::EntityKind;
use palimpsest_text::Language;

use crate::{Book, Entity, Kind, find_pairs};

/// The kinds of the pairs of a book with two characters.
fn kinds(language: Language, chapters: &[&str]) -> Vec<Kind> {
    let names = if language == Language::En { ["Mara", "Tobias"] } else { ["小满", "周明"] };
    let entities =
        names.map(|name| Entity { kind: EntityKind::Character, name: name.into(), forms: vec![name.into()] });
    let pairs = find_pairs(&Book::new(language, chapters, &entities));
    pairs.into_iter().map(|pair| pair.kind).collect()
}

/// Asserts the kinds of the pairs of each two chapters.
fn assert_kinds(language: Language, expected: &[Kind], rows: &[[&str; 2]]) {
    let wrong: Vec<&[&str; 2]> = rows.iter().filter(|row| kinds(language, &row[..]) != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn two_people_who_are_introduced_by_one_name_are_a_pair() {
    assert_kinds(
        Language::En,
        &[Kind::TwoForOne],
        &[
            ["A carter named Tobias brought the coal.", "The will was read by a lawyer named Tobias."],
            ["There was a cook called Tobias at the inn.", "At noon a sergeant by the name of Tobias rode in."],
            ["They had engaged a gardener whose name was Tobias.", "A bishop named Tobias blessed the boats."],
            ["A girl named Mara kept the geese.", "The letter came from an old man named Mara."],
            ["She hired a clerk from the bank called Tobias.", "In the cell sat a poacher named Tobias."],
        ],
    );
    assert_kinds(
        Language::Zh,
        &[Kind::TwoForOne],
        &[
            ["来送煤的是一个叫周明的司机。", "念遗嘱的是一位名叫周明的律师。"],
            ["店里有个厨子，叫周明。", "中午来了个军官，名叫周明。"],
            ["村里新来了一位老师，名叫小满。", "门口站着一个叫小满的裁缝。"],
            ["放鹅的是一个叫小满的姑娘。", "信是一个叫小满的老头写的。"],
        ],
    );
}

#[test]
fn one_person_who_is_named_twice_is_no_pair() {
    assert_kinds(
        Language::En,
        &[],
        &[
            ["A carter named Tobias brought the coal.", "A carter named Tobias had taken the money."],
            ["A man named Tobias brought the coal.", "The will was read by a lawyer named Tobias."],
            ["A carter named Tobias brought the coal.", "“A lawyer named Tobias wrote to me,” she said."],
            ["A carter named Tobias brought the coal.", "She dreamed of a lawyer named Tobias."],
            ["A carter named Tobias brought the coal.", "He had bought a horse named Tobias."],
            ["A carter named Tobias brought the coal.", "If a lawyer named Tobias came, she would not open."],
        ],
    );
    assert_kinds(
        Language::Zh,
        &[],
        &[
            ["来送煤的是一个叫周明的司机。", "偷钱的是一个叫周明的司机。"],
            ["来送煤的是一个叫周明的人。", "念遗嘱的是一位名叫周明的律师。"],
            ["来送煤的是一个叫周明的司机。", "“有个叫周明的律师给我写信。”她说。"],
            ["来送煤的是一个叫周明的司机。", "她梦见一个叫周明的律师。"],
            ["来送煤的是一个叫周明的司机。", "他买了一条叫周明的船。"],
        ],
    );
}

#[test]
fn a_character_that_acts_before_it_is_introduced_is_a_pair() {
    assert_kinds(
        Language::En,
        &[Kind::BeforeIntroduced],
        &[
            ["Tobias poured the tea.", "That evening a lawyer named Tobias came to the house."],
            ["“Good morning,” said the cook. Tobias laughed.", "A man by the name of Tobias was at the gate."],
            ["Mara lit the lamp.", "In the kitchen worked a girl called Mara."],
        ],
    );
    assert_kinds(
        Language::Zh,
        &[Kind::BeforeIntroduced],
        &[
            ["周明倒了茶。", "那天晚上，来了个司机，名叫周明。"],
            ["周明推开窗子，笑了。", "门口站着一个叫周明的男人。"],
            ["小满点上灯。", "厨房里有个姑娘，叫小满。"],
        ],
    );
}

#[test]
fn two_who_have_to_do_with_each_other_before_they_meet_are_a_pair() {
    assert_kinds(
        Language::En,
        &[Kind::BeforeIntroduced],
        &[
            ["Mara kissed Tobias on the cheek.", "At the fair Mara met Tobias for the first time."],
            ["“Come in,” said Mara to Tobias.", "Mara had never seen Tobias before."],
            ["Mara and Tobias walked to the mill.", "At the door Tobias introduced himself to Mara."],
            ["Tobias asked Mara the way.", "Mara saw Tobias for the first time that Sunday."],
        ],
    );
    assert_kinds(
        Language::Zh,
        &[Kind::BeforeIntroduced],
        &[
            ["小满对周明说了几句话。", "在集市上，小满第一次见到周明。"],
            ["小满和周明走到磨坊。", "小满从没见过周明。"],
            ["周明拉住小满的手，周明问小满去哪里。", "那个星期天，小满头一回遇见周明。"],
            ["周明告诉小满路怎么走。", "小满和周明素不相识。"],
        ],
    );
}

#[test]
fn an_introduction_that_comes_first_or_tells_of_the_past_is_no_pair() {
    assert_kinds(
        Language::En,
        &[],
        &[
            ["That evening a lawyer named Tobias came to the house.", "Tobias poured the tea."],
            ["Mara met Tobias for the first time at the fair.", "Mara kissed Tobias on the cheek."],
            ["Mara kissed Tobias on the cheek.", "Mara remembered how she met Tobias for the first time."],
            ["Mara kissed Tobias on the cheek.", "Ten years before, Mara met Tobias for the first time."],
            ["Mara kissed Tobias on the cheek.", "Mara saw Tobias cry for the first time."],
            ["Mara kissed Tobias on the cheek.", "“I met Tobias for the first time in May,” said Mara."],
            ["Mara dreamed that Mara kissed Tobias.", "Mara had never seen Tobias before."],
            ["Mara would have told Tobias.", "Mara had never seen Tobias before."],
            ["Nobody spoke of Tobias. Tobias's tea stood there.", "A lawyer named Tobias came to the house."],
        ],
    );
    assert_kinds(
        Language::Zh,
        &[],
        &[
            ["那天晚上，来了个司机，名叫周明。", "周明倒了茶。"],
            ["小满第一次见到周明。", "小满对周明说了几句话。"],
            ["小满对周明说了几句话。", "小满想起第一次见到周明的那天。"],
            ["小满对周明说了几句话。", "十年前，小满第一次见到周明。"],
            ["小满对周明说了几句话。", "小满第一次见到周明流泪。"],
            ["小满对周明说了几句话。", "“我第一次见到周明是在五月。”小满说。"],
            ["小满梦见小满对周明说话。", "小满从没见过周明。"],
            ["周明的茶凉了。", "那天晚上，来了个司机，名叫周明。"],
        ],
    );
}

#[test]
fn one_scene_may_name_a_character_after_its_first_act() {
    for (language, act, naming) in [
        (Language::En, "Tobias poured the tea. ", "He was a lawyer. A lawyer named Tobias seldom came here. "),
        (Language::Zh, "周明倒了茶。", "这里难得来一个叫周明的司机。"),
    ] {
        let (near, far) = (format!("{act}{naming}"), format!("{act}{}{naming}", "…… It rained. 下雨了。".repeat(30)));
        assert_eq!(kinds(language, &[&near]), []);
        assert_eq!(kinds(language, &[&far]), [Kind::BeforeIntroduced]);
    }
}
