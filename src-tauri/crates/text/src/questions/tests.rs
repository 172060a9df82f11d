use proptest::prelude::*;

use super::*;
use crate::random::SplitMix64;

const PAIRS: &str = include_str!("../../testdata/questions.tsv");
const NAMES: &[&str] = &["Mei", "Jun", "Lan", "Anna", "Old Zhou", "梅", "君", "兰", "陈默", "老周"];

/// The pairs of a kind (`other`, `reworded`, `same`) in a set (`dev`, `held`).
fn pairs<'a>(kind: &'a str, set: &'a str) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
    PAIRS.lines().filter(|line| !line.starts_with('#')).filter_map(move |line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [of_kind, of_set, first, second] = fields.as_slice() else { panic!("{line}") };
        (*of_kind == kind && *of_set == set).then_some((*first, *second))
    })
}

fn kind_of(first: &str, second: &str, cosine: f32) -> MatchKind {
    question_match(first, second, Some(cosine), NAMES).kind
}

/// The guards with the texts that differ.
fn differences<'t>(first: &'t str, second: &'t str) -> Vec<(Guard, &'t str, &'t str)> {
    let found = question_match(first, second, Some(0.97), NAMES).differences;
    found
        .into_iter()
        .map(|difference| (difference.guard, &first[difference.first], &second[difference.second]))
        .collect()
}

#[test]
fn a_question_that_differs_by_one_word_is_never_taken_for_the_same() {
    for (set, count) in [("dev", 70), ("held", 34)] {
        assert_eq!(pairs("other", set).count(), count);
        for (first, second) in pairs("other", set) {
            let found = question_match(first, second, Some(0.95), NAMES);
            assert_eq!(found.kind, MatchKind::Related, "{first} {second}");
            assert!(found.score < MIN_SAME_SCORE && !found.differences.is_empty(), "{first} {second}");
            assert_eq!(kind_of(first, second, 1.0), MatchKind::Related, "{first} {second}");
            // Names that the caller does not know are words, and words are compared as well.
            assert_eq!(question_match(first, second, Some(1.0), &[]).kind, MatchKind::Related, "{first} {second}");
        }
    }
}

#[test]
fn an_exact_restatement_has_an_equal_key() {
    for (set, count) in [("dev", 40), ("held", 20)] {
        assert_eq!(pairs("same", set).count(), count);
        for (first, second) in pairs("same", set) {
            assert_eq!(question_key(first), question_key(second), "{first} {second}");
            assert_eq!(kind_of(first, second, 0.2), MatchKind::Exact, "{first} {second}");
        }
    }
}

#[test]
fn most_rewordings_with_a_near_vector_are_restated() {
    for (set, count, min) in [("dev", 34, 21), ("held", 17, 13)] {
        assert_eq!(pairs("reworded", set).count(), count);
        let found = pairs("reworded", set).filter(|(first, second)| kind_of(first, second, 0.9) == MatchKind::Restated);
        assert!(found.count() >= min, "{set}");
        assert!(pairs("reworded", set).all(|(first, second)| kind_of(first, second, 0.8) == MatchKind::Related));
    }
}

#[test]
fn questions_that_ask_something_else_have_other_keys() {
    for (first, second) in [
        ("她知道什么吗？", "她知道什么？"),
        ("有谁来了吗", "有谁来了"),
        ("梅走了吗", "梅走吗"),
        ("梅去过岛上", "梅去了岛上"),
        ("梅呢？", "梅？"),
        ("梅去没去", "梅去不去"),
        ("告诉我的人是谁", "的人是谁"),
        ("我想知道梅的秘密吗？", "梅的秘密"),
        ("谁认识梅、君？", "谁认识梅君？"),
        ("谁读了《梅》？", "谁读了梅？"),
        ("第一二三章写了什么", "第一百二十三章写了什么"),
        ("他等了三四天", "他等了三十四天"),
        ("君是不是凶手", "君不是凶手"),
        ("谁是老么", "谁是老"),
        ("Who is Mei?", "Whose is Mei?"),
        ("Who killed Jun?", "Who did Jun kill?"),
        ("Whom did Mei please?", "Whom did Mei?"),
        ("Do we'll", "Do well"),
        ("Is it Mei's?", "Is it Mei?"),
        ("Who saw the man-eating shark?", "Who saw the man eating shark?"),
        ("Who lives at 1-5?", "Who lives at 1, 5?"),
        ("Is it 1.5 miles?", "Is it 15 miles?"),
        ("Was it 10² or less?", "Was it 102 or less?"),
        ("Was it -5 degrees?", "Was it 5 degrees?"),
        ("Did she pay $5?", "Did she pay 5%?"),
        ("Who lives in twenty one?", "Who lives in twenty, one?"),
        ("?", "!"),
        ("🙂", "🙁"),
        ("", " "),
    ] {
        assert_ne!(question_key(first), question_key(second), "{first} {second}");
        assert_eq!(kind_of(first, second, 1.0), MatchKind::Related, "{first} {second}");
    }
}

#[test]
fn questions_that_read_alike_but_ask_something_else_are_related() {
    for (first, second) in [
        ("谁知道梅来不来？", "谁知道梅来？"),
        ("君知道梅来不来吗？", "君知道梅来吗？"),
        ("君知道梅走了没有", "君知道梅走了"),
        ("君在第九章说梅走了吗？", "君说梅在第九章走了吗？"),
        ("谁在第九章之前走了？", "谁在第九章走了？"),
        ("梅走到底了吗？", "梅走了吗？"),
        ("梅在书里发现了什么？", "梅发现了什么？"),
        ("Did Mei see Jun kill?", "Did Mei see Jun killed?"),
        ("Who had Jun killed?", "Who had Jun kill?"),
        ("Did Jun say that Mei left in chapter 9?", "In chapter 9, did Jun say that Mei left?"),
        ("What did Mei find in the book?", "What did Mei find?"),
        ("Did Mei say exactly what Jun said?", "Did Mei say what Jun said?"),
        ("Where did Jun live?", "Where does Jun live?"),
        ("Who was Mei's father?", "Who is Mei's father?"),
        ("Who was killed?", "Who killed?"),
        ("Who saw the plan?", "Who saw the plane?"),
        ("Did Mei leave Jun?", "Did Mei leave?"),
        ("谁杀了君？", "Who killed Jun?"),
    ] {
        assert_eq!(kind_of(first, second, 1.0), MatchKind::Related, "{first} {second}");
    }
}

#[test]
fn a_difference_is_the_words_that_differ_with_their_guard() {
    for (first, second, expected) in [
        ("What color are Mei's eyes?", "What color are Jun's eyes?", (Guard::Name, "Mei", "Jun")),
        ("火灾之前谁离开了？", "火灾之后谁离开了？", (Guard::Opposite, "之前", "之后")),
        ("Who dies in chapter nine?", "Who dies in chapter 10?", (Guard::Number, "nine", "10")),
        ("第九章谁死了", "第十章谁死了", (Guard::Number, "九", "十")),
        ("When did Mei leave?", "Why did Mei leave?", (Guard::QuestionWord, "When", "Why")),
        ("Did Mei leave?", "Did Mei not leave?", (Guard::Negation, "", "not")),
        ("梅打开信了吗", "梅没打开信吗", (Guard::Negation, "", "没")),
        ("Where does Jun live?", "Where did Jun live?", (Guard::Tense, "does", "did")),
        ("Who found the letter?", "Who found the knife?", (Guard::Word, "letter", "knife")),
    ] {
        assert_eq!(differences(first, second).first(), Some(&expected), "{first} {second}");
    }
    assert!(differences("梅爱君吗", "君爱梅吗").iter().all(|(guard, ..)| *guard == Guard::NameOrder));
    assert!(
        differences("Did the cook see the captain?", "Did the captain see the cook?")
            .iter()
            .all(|(guard, ..)| *guard == Guard::WordOrder)
    );
}

#[test]
fn the_same_question_is_never_guessed_by_the_vector_alone() {
    let (first, second) = ("What did Mei find in the harbor?", "Which object turned up at the quay?");
    let found = question_match(first, second, Some(1.0), NAMES);
    assert_eq!((found.kind, found.score), (MatchKind::Related, MAX_RELATED_SCORE));
    assert_eq!(question_match(first, second, Some(f32::NAN), NAMES).kind, MatchKind::Related);
    // Without a vector the words decide.
    let (first, second) = ("梅住在哪里？", "梅住在何处？");
    assert_eq!(question_match(first, second, None, NAMES).kind, MatchKind::Restated);
    assert_eq!(question_match(first, first, None, NAMES).score, 1.0);
}

/// A question with slots (`A`, `B`: names, `#`: a number), and the pairs of its words of which one asks something else.
struct Template {
    text: &'static str,
    edits: &'static [(&'static str, &'static str)],
}

const TEMPLATES: &[(&[&str], &[Template])] = &[
    (
        &["Mei", "Jun", "Lan", "Anna", "Old Zhou", "Tom", "Rose", "Will"],
        &[
            Template { text: "Who told A about B before chapter #?", edits: &[("before", "after"), ("Who", "When")] },
            Template {
                text: "Did A see B in chapter #?",
                edits: &[("Did A", "Didn't A"), ("see", "hear"), ("Did", "Does")],
            },
            Template {
                text: "Why is A still alive when B dies in # days?",
                edits: &[("alive", "dead"), ("Why", "Where")],
            },
            Template { text: "When did A first meet B, # years ago?", edits: &[("first", "last"), ("When", "How")] },
            Template {
                text: "How many letters did A send to B in chapter #?",
                edits: &[("to", "from"), ("How many", "Which")],
            },
            Template { text: "What does A never tell B in chapter #?", edits: &[("never ", ""), ("What", "Why")] },
            Template { text: "In chapter #, who saved A from B?", edits: &[("who", "what"), ("saved", "hid")] },
            Template { text: "Does A know that B left # men?", edits: &[("know", "deny"), ("left", "found")] },
        ],
    ),
    (
        &["梅", "君", "兰", "陈默", "老周", "小武", "阿青", "林晚"],
        &[
            Template { text: "第#章之前谁告诉了A和B？", edits: &[("之前", "之后"), ("谁", "何时")] },
            Template {
                text: "A在第#章看见B了吗？",
                edits: &[("看见", "没看见"), ("看见", "听见"), ("看见", "要看见")],
            },
            Template {
                text: "B死后#天，A为什么还活着？", edits: &[("为什么", "怎么"), ("活着", "死着")]
            },
            Template {
                text: "A第一次遇见B是#年前的什么时候？",
                edits: &[("第一次", "最后一次"), ("什么时候", "什么地方")],
            },
            Template {
                text: "第#章里A给了B多少封信？", edits: &[("给了", "给过"), ("多少", "哪"), ("给了", "没给")]
            },
            Template {
                text: "A左手的伤是B在第#章弄的吗？", edits: &[("左", "右"), ("弄的吗", "弄的谁")]
            },
            Template {
                text: "第#章是谁从B那里救了A？", edits: &[("谁", "什么"), ("救了", "藏了"), ("救", "不救")]
            },
            Template {
                text: "A知道B走了#里路吗？", edits: &[("知道", "不知道"), ("走了", "走过"), ("知道", "相信")]
            },
        ],
    ),
];

/// A question, and another one that differs from it by one edit.
fn minimal_edit(random: &mut SplitMix64) -> (String, String) {
    let (names, templates) = &TEMPLATES[random.below(TEMPLATES.len())];
    let template = &templates[random.below(templates.len())];
    let mut people = names.to_vec();
    random.shuffle(&mut people);
    let fill = |text: &str, a: &str, b: &str, number: usize| {
        let text: Vec<String> = text
            .chars()
            .map(|c| match c {
                'A' => a.to_owned(),
                'B' => b.to_owned(),
                '#' => number.to_string(),
                c => c.to_string(),
            })
            .collect();
        text.concat()
    };
    let number = 1 + random.below(40);
    let (a, b, other) = (people[0], people[1], people[2]);
    let first = fill(template.text, a, b, number);
    let second = match random.below(5) {
        0 => fill(template.text, other, b, number),
        1 => fill(template.text, a, other, number),
        2 => fill(template.text, b, a, number),
        3 => fill(template.text, a, b, number + 1 + random.below(40)),
        _ => {
            let (from, to) = template.edits[random.below(template.edits.len())];
            assert!(template.text.contains(from), "{from}");
            fill(&template.text.replacen(from, to, 1), a, b, number)
        }
    };
    if random.below(2) == 0 { (first, second) } else { (second, first) }
}

#[test]
fn none_of_1000_machine_made_edits_is_taken_for_the_same() {
    let mut random = SplitMix64::new(9);
    for _ in 0..1_000 {
        let (first, second) = minimal_edit(&mut random);
        assert_ne!(first, second);
        for names in [NAMES, &[]] {
            let found = question_match(&first, &second, Some(0.99), names);
            assert_eq!(found.kind, MatchKind::Related, "{first} {second}");
            assert!(!found.differences.is_empty(), "{first} {second}");
        }
        // The same edit of a question in another case, with other spaces and punctuation.
        let restated = format!("  {} ", first.to_uppercase().replace('？', "?!"));
        assert_eq!(question_key(&first), question_key(&restated), "{first}");
        assert_eq!(kind_of(&restated, &second, 0.99), MatchKind::Related, "{first} {second}");
    }
}

#[test]
fn a_very_long_text_is_compared_in_bounded_time() {
    let [first, second] = ["梅走了。", "君 said no. "].map(|text| text.repeat(4_000));
    let start = std::time::Instant::now();
    assert_eq!(kind_of(&first, &second, 1.0), MatchKind::Related);
    assert_eq!(kind_of(&"万".repeat(20_000), &"亿".repeat(20_000), 1.0), MatchKind::Related);
    assert_eq!(kind_of(&"one hundred ".repeat(4_000), &"2 ".repeat(20_000), 1.0), MatchKind::Related);
    assert!(start.elapsed().as_secs() < 30);
}

/// Words that the rules treat in a way of their own.
const PIECES: &str = "(梅|君|谁|什么时候|不|没|是不是|了|吗|呢|的|第|九|十|章|在|之前|Mei|Jun|who|did|killed|kill|not|n't|'s|\
    chapter|nine|9|the|in|before|please|，|,|、|-|\\.| |\u{200b}|\\PC){0,14}";

proptest! {
    #[test]
    fn a_text_is_exact_with_itself(text in "\\PC{0,40}", cosine in proptest::option::of(-1.0_f32..1.0)) {
        let found = question_match(&text, &text, cosine, NAMES);
        prop_assert_eq!((found.kind, found.score, found.differences.len()), (MatchKind::Exact, 1.0, 0));
    }

    #[test]
    fn a_comparison_is_symmetric_and_its_ranges_are_of_the_texts(first in PIECES, second in PIECES, cosine in 0.8_f32..1.0) {
        let found = question_match(&first, &second, Some(cosine), NAMES);
        let turned = question_match(&second, &first, Some(cosine), NAMES);
        prop_assert_eq!((found.kind, found.score), (turned.kind, turned.score));
        prop_assert_eq!(found.kind == MatchKind::Exact, question_key(&first) == question_key(&second));
        prop_assert!(found.differences.is_empty() || found.score <= MAX_RELATED_SCORE);
        for difference in found.differences {
            prop_assert!(first.get(difference.first).is_some() && second.get(difference.second).is_some());
        }
    }

    #[test]
    fn no_text_breaks_a_comparison(first in any::<String>(), second in any::<String>(), name in any::<String>()) {
        let found = question_match(&first, &second, None, &[&name, &first]);
        prop_assert!((0.0..=1.0).contains(&found.score));
        let _ = crate::claims::find_claims(&first, &[&name]);
    }
}
