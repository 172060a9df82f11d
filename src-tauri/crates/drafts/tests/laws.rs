//! Laws of the filter, for any text.

use palimpsest_drafts::{DraftFilter, Facts, Filtered, MAX_HELD_CHARS, Skill, Verdict, prompt_lines};
use palimpsest_text::Language;
use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};

const BEFORE: &str = "雨下到半夜才停。林秋合上手稿，听见楼下有人敲门，三下，停一停，又是三下。";
const PROMPT: &str = "只写正文，不解释，不加标题。\n<settings>\n- 句子要短（置信度: 1.00，用户已确认）\n</settings>\n[任务] 续写：从正文的最后一句接着往下写，人称不变。";

/// Parts of drafts: prose, and everything that the filter looks for.
const PARTS: [&str; 36] = [
    "门外没有人。",
    "台阶上只有一只湿透的信封。",
    "“走吧。”他说。",
    "He went out.",
    "Nobody was there. ",
    "\n",
    "\n\n",
    " ",
    "　　",
    "好的，",
    "以下是续写：",
    "Sure, here is the continuation:",
    "```",
    "```text\n",
    "# 第一章\n",
    "<settings>",
    "</settings>",
    "<before>",
    "[任务] 续写",
    "从正文的最后一句接着往下写",
    "她从正文的最后一句",
    "- 句子要短",
    "（置信度: 1.00）",
    "“",
    "”",
    "\"",
    "注：",
    "希望这段续写对您有帮助。",
    "I'm sorry, but I can't assist with that.",
    "雨下到半夜才停。",
    "林秋合上手稿，听见楼下有人敲门，三下，停一停，又是三下。",
    "1. ",
    "<",
    "|",
    "只写正文，不解释，不加标题。",
    "To polish the passage, ",
];

fn filtered(facts: Facts<'_>, pieces: &[&str]) -> (String, Filtered) {
    let mut filter = DraftFilter::new(facts);
    let mut shown: String = pieces.iter().map(|piece| filter.push(piece)).collect();
    let end = filter.finish(true);
    shown.push_str(&end.rest);
    (shown, end)
}

fn skills() -> impl Strategy<Value = Skill> {
    select(vec![Skill::Continue, Skill::Rewrite, Skill::Other])
}

fn texts() -> impl Strategy<Value = String> {
    vec(prop_oneof![4 => select(PARTS.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,12}"], 0..24)
        .prop_map(|parts| parts.concat())
}

fn facts(skill: Skill, lines: &[String]) -> Facts<'_> {
    Facts {
        skill,
        language: Language::Zh,
        before: BEFORE,
        selection: if skill == Skill::Rewrite { "她很害怕。" } else { "" },
        instruction: "",
        prompt_lines: lines,
        task: lines,
        has_headings: false,
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, cases: 400, ..Config::default() })]

    #[test]
    fn the_output_is_a_subsequence_of_the_text(text in texts(), skill in skills()) {
        let lines = prompt_lines(PROMPT);
        let (shown, end) = filtered(facts(skill, &lines), &[&text]);
        let mut rest = text.chars();
        prop_assert!(shown.chars().all(|c| rest.any(|other| other == c)), "{text:?} gave {shown:?}");
        prop_assert!(shown.contains(&end.draft));
    }

    #[test]
    fn the_result_does_not_depend_on_the_pieces(text in texts(), skill in skills(), splits in vec(0_usize..400, 0..12)) {
        let lines = prompt_lines(PROMPT);
        let mut at: Vec<usize> = splits.into_iter().map(|at| text.floor_char_boundary(at)).collect();
        at.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for to in at {
            pieces.push(&text[from..to]);
            from = to;
        }
        pieces.push(&text[from..]);
        let (shown, end) = filtered(facts(skill, &lines), &pieces);
        let (whole_shown, whole_end) = filtered(facts(skill, &lines), &[&text]);
        prop_assert_eq!(shown, whole_shown);
        prop_assert_eq!((end.draft, end.verdict), (whole_end.draft, whole_end.verdict));
    }

    #[test]
    fn no_more_than_the_bound_is_held_once_something_was_shown(text in texts(), skill in skills()) {
        let lines = prompt_lines(PROMPT);
        let mut filter = DraftFilter::new(facts(skill, &lines));
        for c in text.chars() {
            filter.push(c.encode_utf8(&mut [0; 4]));
            prop_assert!(!filter.has_begun() || filter.held_chars() <= MAX_HELD_CHARS, "{text:?}");
        }
    }

    #[test]
    fn a_clean_draft_is_returned_byte_for_byte(sentences in vec(select(vec![
        "门外没有人。", "台阶上只有一只湿透的信封。", "“走吧。”他说。\n\n", "她把灯拧亮，又拧灭。\n", "信上写的是 Nora 的名字！", "　　天快亮了……",
        "那人问：“你是谁？”", "街上空了。\r\n",
    ]), 1..6)) {
        let mut sentences = sentences;
        sentences.sort_unstable();
        sentences.dedup();
        let text = sentences.concat();
        for skill in [Skill::Continue, Skill::Rewrite, Skill::Other] {
            let lines = prompt_lines(PROMPT);
            let (shown, end) = filtered(facts(skill, &lines), &[&text]);
            prop_assert_eq!(&shown, &text);
            prop_assert_eq!(&end.draft, &text);
            prop_assert_eq!(end.verdict, Verdict::Usable(Vec::new()));
        }
    }
}
