use palimpsest_reader::names::EntityKind;
use palimpsest_text::Language;

use crate::{Book, Entity, Fact, Pair, Validity, find_pairs};

fn entities(language: Language) -> [Entity; 2] {
    let names = if language == Language::En { ["Mara", "Tobias"] } else { ["林小满", "周明远"] };
    names.map(|name| Entity { kind: EntityKind::Character, name: name.into(), forms: vec![name.into()] })
}

fn found(language: Language, chapters: &[&str]) -> Vec<Pair> {
    let entities = entities(language);
    find_pairs(&Book::new(language, chapters, &entities))
}

/// The attribute and the values of each pair.
fn pairs(language: Language, chapters: &[&str]) -> Vec<(String, String, String)> {
    let row = |pair: Pair| (pair.subject, pair.values[0].clone(), pair.values[1].clone());
    found(language, chapters).into_iter().map(row).collect()
}

fn row(attribute: &str, first: &str, second: &str) -> Vec<(String, String, String)> {
    vec![(attribute.to_owned(), first.to_owned(), second.to_owned())]
}

/// Asserts that each sentence gives Mara the second value, beside one that gives her the first.
fn assert_pairs(language: Language, first: &str, attribute: &str, seconds: &[&str]) {
    for second in seconds {
        let found = pairs(language, &[first, second]);
        assert!(found.len() == 1 && found[0].0 == attribute, "{second}: {found:?}");
    }
}

fn assert_silent(language: Language, first: &str, seconds: &[&str]) {
    for second in seconds {
        assert_eq!(pairs(language, &[first, second]), [], "{second}");
    }
}

#[test]
fn eyes_of_two_colours_are_a_pair_in_english() {
    let quotes = ["Mara's eyes were blue.", "The light fell on Mara's brown eyes."];
    assert_eq!(pairs(Language::En, &quotes), row("eyes", "blue", "brown"));
    assert_pairs(
        Language::En,
        "Mara's eyes were blue.",
        "eyes",
        &[
            "Mara had brown eyes.",
            "Nobody forgot the brown eyes of Mara.",
            "Nobody who had once seen Mara forgot the brown eyes.",
            "Mara came in, and her brown eyes shone.",
            "Mara came in. Her brown eyes shone.",
            "Mara came in. She had brown eyes.",
            "Mara, whose eyes were a very deep brown, said nothing.",
            "Mara's eyes, brown and quick, went round the room.",
            "Mara, tall, brown-eyed, laughed.",
            "Brown-eyed Mara laughed.",
            "Mara had inherited the brown eyes of the Venns.",
            "Nobody could bear Mara's brown eyes.",
        ],
    );
}

#[test]
fn eyes_of_two_colours_are_a_pair_in_chinese() {
    let quotes = ["林小满的眼睛是蓝的。", "灯光照着林小满褐色的眼睛。"];
    assert_eq!(pairs(Language::Zh, &quotes), row("眼睛", "蓝", "褐色"));
    assert_pairs(
        Language::Zh,
        "林小满的眼睛是蓝的。",
        "眼睛",
        &[
            "林小满生着褐色的眼睛。",
            "见过林小满的人，都忘不了那褐色的眼睛。",
            "林小满进了门，她褐色的眼睛发亮。",
            "林小满进了门。她的眼睛是褐色的。",
            "林小满的双眸漆黑。",
            "褐色眼睛的林小满笑了。",
            "林小满长着一双大大的黑眼睛。",
        ],
    );
}

#[test]
fn hair_and_beard_of_two_colours_are_pairs() {
    let black = "Mara's hair was black.";
    assert_pairs(Language::En, black, "hair", &["Mara was a redhead.", "Mara's hair was the colour of wheat."]);
    assert_pairs(Language::En, "Tobias had a red beard.", "beard", &["Tobias stroked his black beard."]);
    assert_pairs(Language::Zh, "林小满一头乌黑的长发。", "头发", &["林小满生来一头金发。", "林小满的辫子是棕色的。"]);
    assert_pairs(Language::Zh, "周明远留着红胡子。", "胡子", &["周明远的胡须又黑又硬。"]);
}

#[test]
fn a_marked_limb_on_two_sides_is_a_pair() {
    assert_pairs(
        Language::En,
        "Tobias limped on his left leg.",
        "leg",
        &[
            "Tobias's right leg had been stiff for years.",
            "Tobias's right knee would not carry him.",
            "Tobias's wooden right leg knocked on the floor.",
        ],
    );
    let scar = "A scar ran down Mara's left cheek.";
    assert_pairs(Language::En, scar, "cheek", &["There was the scar of a knife on Mara's right cheek."]);
    assert_pairs(
        Language::En,
        "Tobias was blind in his left eye.",
        "eye",
        &["Tobias's glass eye, the right one, shone."],
    );
    assert_pairs(Language::Zh, "周明远瘸着左腿走来。", "腿", &["周明远的右腿使不上劲。", "流弹打断了周明远的右腿。"]);
    assert_pairs(Language::Zh, "林小满左脸上有一道疤。", "脸", &["林小满摸了摸右脸上的疤。"]);
}

#[test]
fn the_hand_that_somebody_writes_with_is_an_attribute() {
    assert_pairs(
        Language::En,
        "Mara was left-handed.",
        "handedness",
        &["Mara was right-handed.", "Mara wrote with her right hand."],
    );
    assert_silent(Language::En, "Mara was left-handed.", &["Mara paid him a right-handed compliment."]);
    assert_pairs(Language::Zh, "林小满是左撇子。", "惯用手", &["林小满惯用右手。"]);
}

#[test]
fn a_hand_without_a_mark_has_no_side() {
    assert_silent(Language::En, "Mara raised her left hand.", &["Mara raised her right hand."]);
    assert_silent(
        Language::En,
        "Mara broke her left arm.",
        &[
            "Mara raised her right arm.",
            "Mara held a broken cup in her right arm.",
            "Mara had a mole on her right arm.",
            "Mara broke her right arm as well as her left arm.",
        ],
    );
    assert_silent(Language::Zh, "林小满举起左手。", &["林小满举起右手。"]);
    assert_silent(
        Language::Zh,
        "林小满的左手断了。",
        &[
            "林小满挥了挥右手。",
            "林小满用右手包扎伤口。",
            "林小满用右手疗伤。",
            "林小满的右手按着伤处。",
            "林小满的伤被右手遮住。",
            "林小满断了右手，左手也一样。",
            "林小满的右手上有一颗痣。",
            "林小满的右手不断发抖。",
        ],
    );
}

#[test]
fn the_eyes_of_somebody_else_are_not_the_characters() {
    assert_silent(
        Language::En,
        "Mara had blue eyes.",
        &[
            "Tobias's eyes were brown.",
            "Tobias met Mara, his brown eyes shining.",
            "Mara loved a man with brown eyes.",
            "Her sister had Mara's mouth but brown eyes.",
            "Mara looked into the brown eyes of the spaniel.",
            "Mara met his brown eyes.",
            "Mara saw the brown eyes.",
            "Mara's father's brown eyes were kind.",
            "She nodded her brown-eyed head, and envied Mara.",
            "Mara smiled at him. His brown eyes shone.",
            "Mara came in with her hat, and his brown eyes shone.",
            "The captain smiled, and Mara saw it, and her brown eyes shone.",
            "He turned his brown eyes towards Mara.",
        ],
    );
    assert_silent(
        Language::Zh,
        "林小满的眼睛是蓝的。",
        &[
            "周明远的眼睛是褐色的。",
            "周明远望着林小满，黑眼睛里有泪。",
            "林小满爱上了一个黑眼睛的姑娘。",
            "林小满的女儿眼睛是褐色的。",
            "林小满盯着那只猫绿色的眼睛。",
            "林小满拉着她的帽子，他的黑眼睛发亮。",
            "客人望着林小满，他的黑眼睛发亮。",
            "林小满望着他。他的黑眼睛发亮。",
        ],
    );
}

#[test]
fn pronouns_of_the_other_gender_mean_somebody_else() {
    let before = "Mara laughed at her luck. Mara took her hat. Mara shut her door.";
    let first = format!("{before}\n\nMara's eyes were blue.");
    assert_silent(Language::En, &first, &["Mara came in, and his brown eyes shone."]);
    assert_pairs(Language::En, &first, "eyes", &["Mara came in, and her brown eyes shone."]);
    let before = "林小满拿起她的帽子。林小满关上她的门。林小满笑她自己。";
    let first = format!("{before}\n\n林小满的眼睛是蓝的。");
    assert_silent(Language::Zh, &first, &["林小满进了门，他的黑眼睛发亮。"]);
    assert_pairs(Language::Zh, &first, "眼睛", &["林小满进了门，她的黑眼睛发亮。"]);
}

#[test]
fn portraits_dreams_speech_conditions_and_questions_state_nothing() {
    assert_silent(
        Language::En,
        "Mara's eyes were blue.",
        &[
            "In the portrait Mara's eyes were brown.",
            "Mara dreamed that her eyes were brown.",
            "“Mara's eyes were brown,” said Tobias.",
            "If Mara's eyes were brown, nobody would know her.",
            "It was as though Mara's eyes were brown.",
            "Tobias believed that Mara's eyes were brown.",
            "Who says that Mara's eyes are brown?",
            "Mara's eyes were not brown.",
        ],
    );
    assert_silent(
        Language::Zh,
        "林小满的眼睛是蓝的。",
        &[
            "画像上林小满的眼睛是黑的。",
            "林小满梦见自己的眼睛是黑的。",
            "“林小满的眼睛是黑的。”周明远说。",
            "要是林小满的眼睛是黑的，谁还认得她。",
            "谁说林小满的眼睛是黑的？",
            "林小满没有黑眼睛。",
        ],
    );
}

#[test]
fn changes_and_age_state_nothing() {
    assert_silent(
        Language::En,
        "Mara's hair was black.",
        &[
            "Mara's hair was white.",
            "Mara had dyed her red hair.",
            "Mara's hair was red no longer.",
            "Mara wore a red wig over her hair.",
        ],
    );
    assert_silent(
        Language::En,
        "Mara's eyes were blue.",
        &["Mara's eyes were red.", "Mara's eyes were dark with anger."],
    );
    assert_silent(
        Language::Zh,
        "林小满的头发是黑的。",
        &[
            "林小满的头发花白了。",
            "林小满的头发不再是黑的，红头发更好看。",
            "林小满把黄头发染了。",
            "林小满的头发枯黄了。",
        ],
    );
    assert_silent(Language::Zh, "林小满的眼睛是蓝的。", &["林小满的眼睛红红的。", "林小满有一双黑眼圈。"]);
}

#[test]
fn words_for_the_same_colour_are_no_pair() {
    assert_silent(Language::En, "Mara had dark hair.", &["Mara had black hair.", "Mara had brown hair."]);
    assert_silent(
        Language::En,
        "Mara had blue eyes.",
        &["Mara had sky-blue eyes.", "Mara had dark blue eyes.", "Mara had blue-grey eyes."],
    );
    assert_silent(Language::En, "Mara had fair hair.", &["Mara had golden hair.", "Mara was a blonde-haired girl."]);
    assert_silent(
        Language::Zh,
        "林小满的眼睛是蓝的。",
        &["林小满的眼睛碧蓝。", "林小满有一双蓝色的眼睛。", "林小满灰蓝色的眼睛。"],
    );
    assert_silent(Language::Zh, "林小满的头发乌黑。", &["林小满一头黑发。", "林小满的头发是漆黑的。"]);
}

#[test]
fn one_odd_value_among_many_is_paired_once() {
    let chapters = ["Mara had brown eyes.", "Mara had blue eyes.", "Mara's eyes were blue.", "Mara's blue eyes shone."];
    assert_eq!(pairs(Language::En, &chapters), row("eyes", "brown", "blue"));
    let found = found(Language::En, &chapters);
    assert_eq!((found[0].first.chapter, found[0].second.chapter), (0, 1));
}

#[test]
fn an_odd_value_is_paired_twice_at_most() {
    let odd = ["Mara had brown eyes.", "Mara's eyes were brown.", "Mara's brown eyes shone."];
    let right = ["Mara had blue eyes.", "Mara's eyes were blue.", "Mara's blue eyes shone.", "The blue eyes of Mara."];
    assert_eq!(found(Language::En, &[&right[..], &odd[..]].concat()).len(), super::MAX_OF_VALUE);
}

#[test]
fn two_values_in_one_sentence_are_no_pair() {
    let both = "Mara's eyes were green, and Mara's brown eyes shone.";
    assert_silent(Language::En, "Mara came.", &[both]);
    assert_silent(Language::En, "Mara's eyes were blue.", &[both]);
    let both = "林小满的眼睛是绿的，林小满的眼睛是黑的。";
    assert_silent(Language::Zh, "林小满来了。", &[both]);
    assert_silent(Language::Zh, "林小满的眼睛是蓝的。", &[both]);
}

#[test]
fn the_places_have_the_words_of_the_values() {
    let chapters = ["Rain. Mara's eyes were blue.", "Wind. Mara had dark brown eyes."];
    let found = found(Language::En, &chapters);
    let differs = |at: usize, place: &crate::Place| &chapters[at][place.differs.clone().unwrap()];
    assert_eq!(differs(0, &found[0].first), "blue");
    assert_eq!(differs(1, &found[0].second), "dark brown");
    assert_eq!(&chapters[1][found[0].second.range.clone()], "Mara had dark brown eyes.");
}

#[test]
fn only_characters_have_eyes() {
    let mut entities = entities(Language::En);
    entities[0].kind = EntityKind::Place;
    let chapters = ["Mara's eyes were blue.", "Mara's eyes were brown."];
    let book = Book::new(Language::En, &chapters, &entities);
    assert!(find_pairs(&book).is_empty());
}

#[test]
fn two_facts_of_the_writer_are_an_issue_and_no_pair() {
    let chapters = ["Mara's eyes were blue.", "Mara's eyes were brown."];
    let fact = |chapter: usize, value: &str| Fact {
        entity: 0,
        attribute: "eyes".into(),
        value: value.into(),
        is_asserted: true,
        quote: Some((chapter, 0..chapters[chapter].len())),
        validity: Validity::Always,
        knowers: Vec::new(),
    };
    let facts = [fact(0, "blue"), fact(1, "brown")];
    let entities = entities(Language::En);
    let book = Book { facts: &facts, ..Book::new(Language::En, &chapters, &entities) };
    assert!(find_pairs(&book).is_empty());
    assert_eq!(find_pairs(&Book { facts: &facts[..1], ..book }).len(), 1);
}
