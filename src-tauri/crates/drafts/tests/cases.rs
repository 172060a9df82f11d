//! Drafts as models write them, and the filter's answer.

use palimpsest_drafts::{Cut, DraftFilter, Facts, Filtered, MAX_HELD_CHARS, Reason, Skill, Verdict, prompt_lines};
use palimpsest_text::Language;

const PROMPT_ZH: &str = include_str!("../../../../tests/scenarios/prompt.zh.txt");
const PROMPT_EN: &str = include_str!("../../../../tests/scenarios/prompt.en.txt");
const BEFORE_ZH: &str =
    "雨下到半夜才停。林秋合上手稿，听见楼下有人敲门，三下，停一停，又是三下。她没有开灯，光着脚走到楼梯口。";
const BEFORE_EN: &str = "The rain stopped after midnight. Nora closed the manuscript and heard a knock downstairs: three \
                         raps, a pause, three more. She left the lamp off and went barefoot to the head of the stairs.";

fn filtered(skill: Skill, language: Language, selection: &str, text: &str) -> Filtered {
    let (prompt, before) = match language {
        Language::Zh => (PROMPT_ZH, BEFORE_ZH),
        Language::En => (PROMPT_EN, BEFORE_EN),
    };
    let lines = prompt_lines(prompt);
    let facts = Facts {
        skill,
        language,
        before,
        selection,
        instruction: "",
        prompt_lines: &lines,
        task: &[],
        has_headings: false,
    };
    let mut filter = DraftFilter::new(facts);
    let shown = filter.push(text);
    let end = filter.finish(true);
    assert!((shown + &end.rest).contains(&end.draft));
    end
}

/// The facts about a continuation in English whose prompt has only this task.
fn continuation(task: &[String]) -> Facts<'_> {
    Facts {
        skill: Skill::Continue,
        language: Language::En,
        before: BEFORE_EN,
        selection: "",
        instruction: "",
        prompt_lines: &[],
        task,
        has_headings: false,
    }
}

#[track_caller]
fn cut(skill: Skill, language: Language, text: &str, draft: &str, cuts: &[Cut]) {
    let end = filtered(skill, language, "", text);
    assert_eq!((end.draft.as_str(), end.verdict), (draft, Verdict::Usable(cuts.to_vec())), "{text}");
}

#[track_caller]
fn unusable(skill: Skill, language: Language, text: &str, reason: Reason) {
    assert_eq!(filtered(skill, language, "", text).verdict, Verdict::Unusable(reason), "{text}");
}

#[test]
fn the_repeated_end_of_the_passage_is_cut() {
    for text in [
        "她没有开灯，光着脚走到楼梯口。门外没有人。",
        "林秋合上手稿,听见楼下有人敲门 ，三下，停一停，又是三下。她没有开灯，光着脚走到楼梯口。\n\n门外没有人。",
        "雨下到半夜才停。林秋合上手稿，听见楼下有人敲门，三下，停一停，又是三下。她没有开灯，光着脚走到楼梯口。门外没有人。",
    ] {
        cut(Skill::Continue, Language::Zh, text, "门外没有人。", &[Cut::Repetition]);
    }
    let text = "She left the lamp off, and went barefoot to the window. Nobody was there, as far as she could see.";
    cut(Skill::Continue, Language::En, text, text, &[]);
    let text = "She left the lamp off and went barefoot to the head of the stairs.\nNobody was there.";
    cut(Skill::Continue, Language::En, text, "Nobody was there.", &[Cut::Repetition]);
}

#[test]
fn preambles_after_words_fences_and_headings_are_cut_in_both_languages() {
    use Cut::{AfterWord, Fence, Heading, Preamble};
    for (text, cuts) in [
        ("以下是续写：\n\n门外没有人。", vec![Preamble]),
        ("好的，以下是续写的内容：门外没有人。", vec![Preamble]),
        ("好的！以下是润色后的版本：\n门外没有人。\n\n希望这段文字能满足您的要求！", vec![Preamble, AfterWord]),
        ("续写：\n门外没有人。", vec![Preamble]),
        ("**续写：**\n\n门外没有人。", vec![Preamble]),
        ("门外没有人。\n\n（注：以上续写保持了原文的语气。）", vec![AfterWord]),
        ("```\n门外没有人。\n```", vec![Fence]),
        ("# 第二章 门外\n\n门外没有人。", vec![Heading]),
    ] {
        cut(Skill::Continue, Language::Zh, text, "门外没有人。", &cuts);
    }
    for (text, cuts) in [
        ("Sure, here is the continuation:\n\nNobody was there.", vec![Preamble]),
        ("Certainly! Here's a polished version of the passage:\nNobody was there.", vec![Preamble]),
        ("**Polished version:**\n\nNobody was there.", vec![Preamble]),
        ("Continuation:\nNobody was there.", vec![Preamble]),
        ("Nobody was there.\n\nNote: I kept the tone of the passage.", vec![AfterWord]),
        ("Nobody was there.\n\nI hope this continuation helps! Let me know.", vec![AfterWord]),
        ("```text\nNobody was there.\n```\nThis version is shorter.", vec![Fence]),
        ("## Chapter Two\nNobody was there.", vec![Heading]),
    ] {
        cut(Skill::Continue, Language::En, text, "Nobody was there.", &cuts);
    }
}

#[test]
fn quotes_around_the_whole_are_cut_and_speech_is_not() {
    let revised = |selection: &str, text: &str| filtered(Skill::Polish, Language::En, selection, text);
    let end = revised("She walked down slowly.", "\"She went down.\"");
    assert_eq!((end.draft.as_str(), end.verdict), ("She went down.", Verdict::Usable(vec![Cut::Quotes])));
    let end = revised("\"Go,\" she said.", "\"Go.\"");
    assert_eq!((end.draft.as_str(), end.verdict), ("\"Go.\"", Verdict::Usable(vec![])));
    cut(Skill::Continue, Language::Zh, "“走吧。”", "“走吧。”", &[]);
    let paragraphs = "“天亮了。\n\n“走吧。\n\n“不等了。”";
    cut(Skill::Continue, Language::Zh, paragraphs, paragraphs, &[]);
    cut(Skill::Continue, Language::Zh, "“走吧。”他说。“好。”", "“走吧。”他说。“好。”", &[]);
    let spoken = "\"Go,\" he said. \"Now.\"";
    cut(Skill::Continue, Language::En, spoken, spoken, &[]);
    cut(Skill::Continue, Language::En, "\"\"Go,\" he said.\"", "\"Go,\" he said.", &[Cut::Quotes]);
}

#[test]
fn a_rewriting_that_changes_a_word_or_two_is_the_selection_again_and_a_polished_text_may() {
    let selection = "She went down the stairs without a light and stood for a while before the door of the kitchen, \
                     in which nobody had been since the morning of the funeral. The cups were still on the table, one of \
                     them half full, and the clock over the stove had stopped at ten past four.";
    let almost = selection.replace("She went", "He went");
    let reason = |skill| match filtered(skill, Language::En, selection, &almost).verdict {
        Verdict::Unusable(reason) => Some(reason),
        Verdict::Usable(_) => None,
    };
    assert_eq!((reason(Skill::Rewrite), reason(Skill::Polish)), (Some(Reason::RepeatsPassage), None));
    let other = "Without a light she took the stairs, and for a while she stood before the kitchen door; since the \
                 morning of the funeral nobody had been inside. Cups were left out, one half full, and at ten past four \
                 the clock over the stove had given up.";
    assert_eq!(filtered(Skill::Rewrite, Language::En, selection, other).verdict, Verdict::Usable(vec![]));
}

#[test]
fn of_paragraphs_that_come_again_the_first_ones_are_the_draft() {
    let begun = "Nobody was there, and on the step lay an envelope, soaked through, with a name that she did not know.";
    let paragraphs = "She carried it in and laid it on the stove, where the ink began to run, and sat down before it as one \
                      sits with the sick. Towards morning she could read the street, and a little later the number of the \
                      house, which was her own.\n\nThen the bell rang. It rang as it had rung on the evening when they \
                      came for the furniture, twice and then once, and she knew that she would not go to the door, and \
                      went.";
    let text = [begun, paragraphs, paragraphs].join("\n\n");
    cut(Skill::Continue, Language::En, &text, &[begun, paragraphs].join("\n\n"), &[Cut::Loop]);
}

#[test]
fn lines_of_the_prompt_are_never_shown() {
    use Cut::PromptEcho;
    for text in [
        "[任务] 续写\n门外没有人。",
        "<settings>\n[用户写作偏好 - 自动学习]\n- 句子要短（置信度: 1.00，用户已确认）\n</settings>\n门外没有人。",
        "只写正文，不解释，不加标题，不加引号外的说明。\n门外没有人。",
        "门外没有人。\n</before>\n<wish>\n写得冷一点\n</wish>",
        "门外没有人。\n[任务] 续写",
        "门外没有人。\n- 句子要短（置信度: 0.80）",
        "门外没有人。<|im_end|>\nassistant",
    ] {
        cut(Skill::Continue, Language::Zh, text, "门外没有人。", &[PromptEcho]);
    }
    unusable(Skill::Continue, Language::Zh, "<settings>\n- 句子要短（置信度: 1.00，用户已确认）\n", Reason::PromptEcho);
    unusable(Skill::Continue, Language::Zh, "[working]\n[before]\n<|im_end|>", Reason::PromptEcho);
    unusable(Skill::Continue, Language::Zh, "“灯灭了。没有人。”", Reason::PromptEcho);
    unusable(Skill::Other, Language::En, "[Task] continue", Reason::PromptEcho);
    let header = "It rained on.\n[Writer's preferences - learned]\n- Keep sentences short (confidence: 1.00)";
    cut(Skill::Continue, Language::En, header, "It rained on.", &[PromptEcho]);
}

#[test]
fn a_text_that_is_no_draft_is_unusable_with_its_reason() {
    use Reason::{Advice, Empty, Loop, Refusal, RepeatsPassage, WrongLanguage};
    for (text, reason) in [
        ("I'm sorry, but I can't assist with that.", Refusal),
        ("As an AI language model, I cannot continue this.", Refusal),
        ("Please provide the text that you would like me to continue.", Refusal),
        ("To polish the passage, we need to ensure that the tone is consistent.", Advice),
        ("1. Use shorter sentences.\n2. Show more.\n3. Keep the tense.", Advice),
        ("门外没有人，台阶上只有一只湿透的信封，她弯下腰去，把它捡了起来。", WrongLanguage),
        (BEFORE_EN, RepeatsPassage),
        ("", Empty),
        ("…\n", Empty),
        (&"He looked at the door and then at her. ".repeat(6), Loop),
    ] {
        unusable(Skill::Continue, Language::En, text, reason);
    }
    for (text, reason) in [
        ("抱歉，我无法协助完成这个请求。", Refusal),
        ("好的，请提供需要续写的文字。", Refusal),
        ("很抱歉，作为一个人工智能助手，我不能续写。", Refusal),
        ("为了润色这段文字，我们需要注意语气和时态的一致。", Advice),
        ("Nobody was there. On the step lay an envelope, soaked through.", WrongLanguage),
        (BEFORE_ZH, RepeatsPassage),
        (&"他看着门，又看着她，什么也没有说。".repeat(5), Loop),
        ("【前言】\n这一段写门外的声音。\n\n【总结】\n她没有开灯。", Advice),
    ] {
        unusable(Skill::Continue, Language::Zh, text, reason);
    }
}

#[test]
fn prose_that_looks_like_it_is_left_alone() {
    for text in [
        "“抱歉，我不能去。”她说。",
        "当然，他没有来。",
        "好的日子都过去了。",
        "这是他第一次看见海。",
        "希望在半夜里熄灭了。",
        "为了这封信，他等了三年。",
        "作者早已死了。",
    ] {
        cut(Skill::Continue, Language::Zh, text, text, &[]);
    }
    for text in [
        "\"I'm sorry, but I can't,\" she said.",
        "I'm sorry to say that he never came back.",
        "Sure, he had known it all along.",
        "Here is where they found him.",
        "To make things worse, the lamp went out.",
        "\"Note that,\" he said.\n\nI hope he heard it.",
        "The story was that he had drowned.",
        "3. 14. The numbers on the door were wrong.",
    ] {
        cut(Skill::Continue, Language::En, text, text, &[]);
    }
}

#[test]
fn an_instruction_for_another_language_or_advice_is_followed() {
    let lines = prompt_lines(PROMPT_EN);
    for (instruction, text) in [
        ("in Chinese, please", "门外没有人，台阶上只有一只湿透的信封，她弯下腰去，把它捡了起来。"),
        ("a list of three things", "1. A lamp.\n2. An envelope.\n3. A key."),
    ] {
        let facts = Facts {
            skill: Skill::Continue,
            language: Language::En,
            before: BEFORE_EN,
            selection: "",
            instruction,
            prompt_lines: &lines,
            task: &[],
            has_headings: false,
        };
        let mut filter = DraftFilter::new(facts);
        let shown = filter.push(text);
        let end = filter.finish(true);
        assert_eq!((shown + &end.rest, end.verdict), (text.to_owned(), Verdict::Usable(vec![])));
    }
}

#[test]
fn a_book_with_headings_keeps_those_of_its_drafts() {
    let facts = Facts {
        skill: Skill::Continue,
        language: Language::En,
        before: "# One\n\nRain.",
        selection: "",
        instruction: "",
        prompt_lines: &[],
        task: &[],
        has_headings: true,
    };
    let text = "# Two\n\nNobody was there.";
    let mut filter = DraftFilter::new(facts);
    let shown = filter.push(text);
    assert_eq!(shown + &filter.finish(true).rest, text);
}

#[test]
fn a_long_line_that_may_be_one_of_the_prompt_is_held_up_to_the_bound() {
    let text = format!("门外没有人。\n\n- {}", "灯灭了，她没有动。".repeat(3) + &"词".repeat(300));
    let lines = prompt_lines(PROMPT_ZH);
    let facts = Facts {
        skill: Skill::Continue,
        language: Language::Zh,
        before: BEFORE_ZH,
        selection: "",
        instruction: "",
        prompt_lines: &lines,
        task: &[],
        has_headings: false,
    };
    let mut filter = DraftFilter::new(facts);
    let held = text.chars().map(|c| {
        filter.push(c.encode_utf8(&mut [0; 4]));
        filter.held_chars()
    });
    assert_eq!(held.max(), Some(MAX_HELD_CHARS - 1));
}

#[test]
fn a_word_without_an_end_and_a_text_without_words_are_shown_as_they_come() {
    for text in ["x".repeat(30_000), "\u{300}".repeat(5_000), "—".repeat(5_000)] {
        let mut filter = DraftFilter::new(continuation(&[]));
        for c in text.chars() {
            filter.push(c.encode_utf8(&mut [0; 4]));
            assert!(filter.held_chars() <= 1_000, "{:?} {}", text.chars().next(), filter.held_chars());
        }
    }
}

#[test]
fn words_of_the_task_inside_a_draft_are_not_shown_and_end_it() {
    let task = ["[任务] 扩写：把选中的文字写得更细，长度约为两倍，130字左右。只写扩写后的文字。".to_owned()];
    let begun = "台阶上只有一只湿透的信封。她把灯拧亮，又拧灭。街上空了，远处有一辆车开过去，什么声音也没有了。";
    let ended = |text: &str| {
        let facts = Facts {
            skill: Skill::Polish,
            language: Language::Zh,
            before: BEFORE_ZH,
            selection: "门外没有人。",
            instruction: "",
            prompt_lines: &[],
            task: &task,
            has_headings: false,
        };
        let mut filter = DraftFilter::new(facts);
        let mut shown = String::new();
        for c in text.chars() {
            shown += &filter.push(c.encode_utf8(&mut [0; 4]));
        }
        let is_over = filter.is_over();
        let end = filter.finish(true);
        (shown + &end.rest, end.draft, end.verdict, is_over)
    };
    let (shown, draft, verdict, is_over) = ended(&format!("{begun}她把选中的文字写得更细，长度约为两倍。然后她走了。"));
    assert_eq!((draft.as_str(), verdict), (begun, Verdict::Usable(vec![Cut::PromptEcho])));
    assert!(is_over && !shown.contains("选中"), "{shown}");
    let (_, _, verdict, _) = ended("街上空了。把选中的文字写得更细，长度约为两倍，130字左右。");
    assert_eq!(verdict, Verdict::Unusable(Reason::PromptEcho));
    // Some of its words in another sentence are prose.
    let prose = format!("{begun}他把选中的衣服叠好，长度约为两倍的一件留在外面。");
    assert_eq!(ended(&prose).1, prose);
}

#[test]
fn the_text_before_a_loop_is_a_draft() {
    let begun = "台阶上只有一只湿透的信封。她把灯拧亮，又拧灭。街上空了，远处有一辆车开过去，什么声音也没有了。";
    let looped = format!("{begun}{}", "她在窗前站着，她在门口站着，".repeat(20));
    cut(Skill::Continue, Language::Zh, &looped, begun, &[Cut::Loop]);
}

#[test]
fn a_loop_of_lines_without_an_end_mark_is_cut_at_its_second_line() {
    let begun = "台阶上只有一只湿透的信封。她把灯拧亮，又拧灭。街上空了，远处有一辆车开过去，什么声音也没有了。";
    let looped = format!("{begun}\n{}门开了。", "白篷船红划楫\n".repeat(4));
    cut(Skill::Continue, Language::Zh, &looped, &format!("{begun}\n白篷船红划楫"), &[Cut::Loop]);
}

#[test]
fn a_word_without_an_end_is_held_up_to_the_bound() {
    let task = ["Go on from the last sentence of the text, in the same person and tense.".to_owned()];
    let mut filter = DraftFilter::new(continuation(&task));
    filter.push("Nobody was there. The ");
    for _ in 0..1_000 {
        filter.push("x");
        assert!(filter.held_chars() <= MAX_HELD_CHARS, "{}", filter.held_chars());
    }
}
