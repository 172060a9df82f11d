use proptest::prelude::*;

use super::*;
use crate::language::Language;
use crate::style::profile::{Profile, style_profile};
use crate::{sentences, style, terms};

/// From Persuasion by Jane Austen, as Project Gutenberg wraps it.
const PERSUASION: &str = include_str!("../../testdata/persuasion.txt");
/// From 故乡 by Lu Xun, wrapped at 36 characters.
const HOMETOWN: &str = include_str!("../../testdata/hometown.txt");

/// The text with each line wrapped at a width in columns, as a plain editor does it.
fn wrap(text: &str, width: usize) -> String {
    text.split('\n').map(|line| wrap_line(line, width)).collect::<Vec<_>>().join("\n")
}

fn wrap_line(line: &str, width: usize) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for (at, word) in line.split(' ').enumerate() {
        let columns = |text: &str| text.chars().map(lines::columns).sum::<usize>();
        let first = word.char_indices().nth(1).map_or(word.len(), |(end, c)| if is_wide(c) { end } else { word.len() });
        if at > 0 && column + 1 + columns(&word[..first]) > width {
            out.push('\n');
            column = 0;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        // Chinese is wrapped between any two characters.
        let mut rest = word;
        while !rest.is_empty() {
            let wide = rest.chars().next().is_some_and(|c| is_wide(c) || is_shared_mark(c));
            let end = if wide {
                rest.chars().next().map_or(0, char::len_utf8)
            } else {
                rest.find(is_wide).unwrap_or(rest.len())
            };
            let (unit, after) = rest.split_at(end);
            if column > 0 && !out.ends_with(' ') && column + columns(unit) > width && wide {
                out.push('\n');
                column = 0;
            }
            out.push_str(unit);
            column += columns(unit);
            rest = after;
        }
    }
    out
}

fn paragraphs_of(text: &str) -> Vec<String> {
    let whole = unwrapped(text);
    assert_eq!(ranges(text).len(), ranges(&whole).len(), "{text}");
    ranges(&whole).into_iter().map(|range| whole[range].to_owned()).collect()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(unwrapped(text), expected);
}

/// Enough wrapped lines to show that a text is wrapped.
const WRAPPED: &str =
    "He had read all of what stood in the book\nand knew that the ferry would be late once\nmore. He waited.\n\n";
const WRAPPED_ZH: &str =
    "渡船靠岸的时候，水已经退得很远了，他在棚子\n下面等到天黑，听见对岸有人在喊他的名字，喊\n了很久。\n\n";

#[test]
fn a_wrapped_novel_has_the_paragraphs_of_the_unwrapped_one() {
    let whole = unwrapped(PERSUASION);
    assert!(whole.contains("an idle hour, and consolation in a distressed one; there his faculties"), "{whole}");
    assert!(whole.contains("the Sir Walter Elliot, who united these gifts"));
    assert_eq!(PERSUASION.lines().count(), 71);
    assert_eq!(whole.lines().filter(|line| !line.is_empty()).count(), 8);
    let whole = unwrapped(HOMETOWN);
    assert!(whole.contains("正像一个画图仪器里细脚伶仃的圆规。"), "{whole}");
    assert!(whole.contains("你还要什么这些破烂木器，让我拿去罢。"));
    assert_eq!(ranges(HOMETOWN).len(), 16);
}

#[test]
fn a_text_with_a_line_for_each_paragraph_is_not_wrapped() {
    for text in [
        "渡船靠岸时，灯已经亮了。\n水退下去，留下一道白线。\n“谁？”\n“我。”\n",
        "“Go.”\n“Where?”\nHe went out.\nIt rained all night and the ferry did not come before noon the next day.\n",
        "Shall I compare thee to a summer’s day?\nThou art more lovely and more temperate:\nRough winds do shake the darling buds of May,\nAnd summer’s lease hath all too short a date.\n",
        "床前明月光\n疑是地上霜\n举头望明月\n低头思故乡\n",
        "# Chapter 1\nThe Storm\n\nIt rained all night.\n",
        "- the rope that he had bought\n- the oil for the lamp\n- the ledger of the year before\n",
        "",
    ] {
        assert_eq!(soft_breaks(text), [], "{text}");
    }
}

#[test]
fn a_hard_break_and_verse_stay_lines_of_their_paragraph() {
    let verse = "The tide comes in,\nThe tide goes out,\nAnd what it leaves\nIs all our doubt.";
    let joined =
        "He had read all of what stood in the book and knew that the ferry would be late once more. He waited.\n\n";
    check(&format!("{WRAPPED}{verse}"), &format!("{joined}{}", verse.replace('\n', "  \n")));
    check(
        &format!("{WRAPPED}12 Harbour Lane  \nWhitby\\\nEngland"),
        &format!("{joined}12 Harbour Lane  \nWhitby\\\nEngland"),
    );
    assert_eq!(ranges(&format!("{WRAPPED}{verse}")).len(), 2);
    let joined = "渡船靠岸的时候，水已经退得很远了，他在棚子下面等到天黑，听见对岸有人在喊他的名字，喊了很久。\n\n";
    check(&format!("{WRAPPED_ZH}床前明月光，\n疑是地上霜。"), &format!("{joined}床前明月光，  \n疑是地上霜。"));
}

#[test]
fn headings_rules_lists_and_code_are_no_part_of_a_paragraph() {
    for kept in [
        "# Rain\nIt rained.",
        "It rained.\n***\nIt blew.",
        "- a rope\n- some oil",
        "```\nlet a = 1;\nlet b = 2;\n```",
        "| a | b |\n|---|---|",
        "Rain\n====",
    ] {
        let text = format!("{WRAPPED}{kept}");
        assert!(unwrapped(&text).ends_with(kept), "{}", unwrapped(&text));
    }
    check(
        &format!("{WRAPPED}- a rope that was as long as the quay\n  was wide\n- oil"),
        "He had read all of what stood in the book and knew that the ferry would be late once more. He waited.\n\n- a rope that was as long as the quay was wide\n- oil",
    );
    check(
        &format!("---\ntitle: the ferry that came late\nauthor: a\n---\n\n{WRAPPED}> It was late\n> again."),
        "---\ntitle: the ferry that came late\nauthor: a\n---\n\nHe had read all of what stood in the book and knew that the ferry would be late once more. He waited.\n\n> It was late again.",
    );
}

#[test]
fn an_indented_line_begins_a_paragraph_where_others_are_flush() {
    let text = "    会馆里的被遗忘在偏僻里的破屋是这样地寂静和空虚。时光过得真\n快，我爱子君，仗着她逃出这寂静和空虚，已经满一年了。事情又这么\n不凑巧。\n    “什么？”\n    “你的脸色……。”\n    我终于从她言动上看出，她大概已经认定我是一个忍心的人。其实，\n我一个人。\n";
    assert_eq!(ranges(text).len(), 4);
    assert!(unwrapped(text).contains("时光过得真快，"));
    let text = "     Dr Hood paced the length of his string of apartments, bounded--\nas the boys' geographies say--on the east by the North Sea and on the\nwest by the serried ranks.\n     Fate, being in a funny mood, pushed the door open and introduced\ninto those long apartments one.\n";
    assert_eq!(
        paragraphs_of(text),
        [
            "Dr Hood paced the length of his string of apartments, bounded--as the boys' geographies say--on the east by the North Sea and on the west by the serried ranks.",
            "Fate, being in a funny mood, pushed the door open and introduced into those long apartments one.",
        ]
    );
}

#[test]
fn hyphens_dashes_and_mixed_scripts_are_joined_as_they_were() {
    let joined = |rest: &str| unwrapped(&format!("{WRAPPED}{rest}")).rsplit_once('\n').unwrap().1.to_owned();
    assert_eq!(joined("It was a well-\nknown ferry."), "It was a well-known ferry.");
    assert_eq!(joined("He waited --\nand slept."), "He waited -- and slept.");
    assert_eq!(joined("He waited--\nand slept."), "He waited--and slept.");
    let mixed = |rest: &str| unwrapped(&format!("{WRAPPED_ZH}{rest}")).rsplit_once('\n').unwrap().1.to_owned();
    assert_eq!(
        mixed("他把那张写着名字和日子的纸条交给了\nJohn，没有说话。"),
        "他把那张写着名字和日子的纸条交给了John，没有说话。"
    );
    assert_eq!(
        mixed("他说 OK 以后就再也没有开口，那张纸条\nJohn 没有看。"),
        "他说 OK 以后就再也没有开口，那张纸条 John 没有看。"
    );
}

#[test]
fn paragraphs_typed_into_a_wrapped_text_stay_apart() {
    let typed = "It rained on the quay and on the ferry and on the men who waited for it with their collars up and said nothing.\nThe lamp was lit.";
    assert!(unwrapped(&format!("{}{typed}", WRAPPED.repeat(3))).ends_with(typed));
}

#[test]
fn the_sentences_of_a_wrapped_text_are_those_of_the_unwrapped_one() {
    for text in [PERSUASION, HOMETOWN] {
        let whole = unwrapped(text);
        let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().concat();
        let of = |text: &str| sentences::split(text).into_iter().map(bare).collect::<Vec<_>>();
        assert_eq!(of(text), of(&whole));
        assert_eq!(terms::index_terms(text), terms::index_terms(&whole));
    }
}

/// Everything that is measured of a text: its style as one passage, and its profile.
fn numbers(text: &str, language: Language) -> (Vec<f32>, Option<Profile>, Option<&'static str>) {
    let measured = style::measure_as(text, language).as_slice().to_vec();
    (measured, style_profile([text], language), crate::scene::guess(text))
}

#[test]
fn a_novel_wrapped_at_any_width_has_the_same_style() {
    for (text, language) in [(PERSUASION, Language::En), (HOMETOWN, Language::Zh)] {
        // A line that is wrapped between two spaces loses one of them.
        let whole = unwrapped(text).replace("  ", " ");
        let expected = numbers(&whole, language);
        for width in MIN_WRAP_COLUMNS..160 {
            let wrapped = wrap(&whole, width);
            assert_eq!(paragraphs_of(&wrapped), paragraphs_of(&whole), "{width}:\n{wrapped}");
            assert_eq!(numbers(&wrapped, language), expected, "{width}");
        }
    }
}

/// Prose of a few paragraphs.
fn prose() -> impl Strategy<Value = (String, Language)> {
    let english = "[A-Z][a-z]{1,7}( [a-z]{1,9}){4,16}(, [a-z]{2,8}( [a-z]{1,8}){2,6})?[.!?]";
    let chinese = "“?[他水雨船灯夜的了很有人声]{4,12}(，[他水雨船灯夜的了很有人声]{3,14}){1,3}[。！？]";
    let paragraphs = |sentence: &'static str, gap: &'static str| {
        let paragraph = prop::collection::vec(sentence, 2..6).prop_map(move |all| all.join(gap));
        prop::collection::vec(paragraph, 2..6).prop_map(|all| all.join("\n\n"))
    };
    prop_oneof![
        paragraphs(english, " ").prop_map(|text| (text, Language::En)),
        paragraphs(chinese, "").prop_map(|text| (text, Language::Zh)),
    ]
}

proptest! {
    #[test]
    fn wrapping_changes_neither_words_nor_paragraphs_nor_style((text, language) in prose(), width in MIN_WRAP_COLUMNS..100) {
        let wrapped = wrap(&text, width);
        let run_on = soft_breaks(&wrapped).len();
        // A text with hardly a line that was wrapped is not recognized.
        prop_assume!(run_on > 0 || wrapped.lines().count() > text.lines().count() + 5 || wrapped == text);
        prop_assert_eq!(&*unwrapped(&wrapped), &text, "\n{}", wrapped);
        prop_assert_eq!(numbers(&wrapped, language), numbers(&text, language));
        prop_assert_eq!(ranges(&wrapped).len(), ranges(&text).len());
    }

    #[test]
    fn no_character_but_white_space_is_lost(text in "([A-Za-z雨水。，“”—… #>*`-]{0,40}\n){0,12}") {
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '>').collect::<String>();
        prop_assert_eq!(bare(&unwrapped(&text)), bare(&text));
        let mut at = 0;
        for range in ranges(&text) {
            prop_assert!(range.start >= at && range.end > range.start);
            prop_assert!(text[at..range.start].trim_matches(|c: char| c.is_whitespace() || c == '>').is_empty());
            at = range.end;
        }
        prop_assert!(text[at..].trim_matches(|c: char| c.is_whitespace() || c == '>').is_empty());
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '>').collect::<String>();
        prop_assert_eq!(bare(&sentences::split(&text).concat()), bare(&text));
    }
}
