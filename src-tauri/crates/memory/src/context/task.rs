//! The task of a skill in a sentence, as one says it to a person: at the end of the instructions, in the last line of a
//! prompt, and in the plainer prompt of a second try.

use palimpsest_text::{count, tokens};

use super::{labels, render};
use crate::{
    model::{AssembledContext, Language},
    ports::{Message, Role},
};

/// Length of a continuation without a habit of the writer's, in words and in Han characters.
const CONTINUATION: [u32; 2] = [120, 150];
/// The share of it in scene types with short paragraphs, in percent. In Austen, Chesterton and Lu Xun (呐喊) the median
/// paragraph of dialogue has .68, .60 and .44 of the words of one of narration, that of action .34, .42 and .62.
const SHORT_SCENES: [(&str, u32); 3] = [("dialogue", 70), ("action", 50), ("transition", 50)];
/// Minimum and maximum of a length that is asked for, in words or Han characters.
const LENGTHS: [u32; 2] = [30, 600];
/// Maximum tokens of the text before the position in a plainer prompt.
const MAX_PLAIN_BEFORE: usize = 500;
/// A wish or a memory may ask for another length.
const WISH_FIRST: [&str; 2] =
    ["与 <wish> 里的要求不合时，照 <wish>。", " Where <wish> asks for something else, follow it."];

/// The length that a skill asks for, in words or Han characters: of a continuation `usual`, if known, else that of the
/// scene type; of an expansion double and of a condensation half of the selection; of other skills that of the
/// selection.
#[must_use]
pub fn asked_words(
    language: Language,
    skill: &str,
    selection: &str,
    scene_type: Option<&str>,
    usual: Option<u32>,
) -> u32 {
    let selected = count::words(selection);
    match skill {
        "continue" => {
            let share =
                SHORT_SCENES.iter().find(|(scene, _)| scene_type == Some(scene)).map_or(100, |(_, share)| *share);
            let default = CONTINUATION[usize::from(language == Language::Zh)] * share / 100;
            rounded(usual.unwrap_or(default).clamp(LENGTHS[0], LENGTHS[1]))
        }
        "expand" => rounded(selected.saturating_mul(2)),
        "condense" => rounded(selected / 2),
        _ => selected,
    }
}

/// A number as a person says it: above twenty in tens.
fn rounded(words: u32) -> u32 {
    if words < 20 { words.max(1) } else { words.saturating_add(5) / 10 * 10 }
}

/// The task of one of the program's own skills in a sentence, for this length in words or Han characters; `None` for a
/// skill of the writer's.
pub(super) fn task_sentence(language: Language, skill: &str, words: u32) -> Option<String> {
    Some(match (language, skill) {
        (Language::Zh, "continue") => {
            format!("从正文的最后一句接着往下写，人称和时态不变，写{words}字左右。只写后面的正文，不重复已有的文字。")
        }
        (Language::En, "continue") => format!(
            "Go on from the last sentence of the text, in the same person and tense, about {words} words. Write only \
             what comes next, and repeat nothing that is there already."
        ),
        (Language::Zh, "polish") => "把选中的文字润色一遍，意思和长度不变。只写润色后的文字。".into(),
        (Language::En, "polish") => {
            "Polish the selected text; keep its meaning and its length. Write only the polished text.".into()
        }
        (Language::Zh, "rewrite") => "把选中的文字换一种写法，事情不变，长度差不多。只写改写后的文字。".into(),
        (Language::En, "rewrite") => "Write the selected text in another way: the same events, about the same length. \
                                      Write only the new text."
            .into(),
        (Language::Zh, "expand") => {
            format!("把选中的文字写得更细，长度约为两倍，{words}字左右。只写扩写后的文字。")
        }
        (Language::En, "expand") => format!(
            "Write the selected text in more detail, about twice as long: {words} words. Write only the expanded text."
        ),
        (Language::Zh, "condense") => {
            format!("把选中的文字写得更短，长度约为一半，{words}字左右。只写缩写后的文字。")
        }
        (Language::En, "condense") => format!(
            "Write the selected text more briefly, about half as long: {words} words. Write only the condensed text."
        ),
        _ => return None,
    })
}

/// The fixed instructions, which end with the task.
pub(super) fn instructions(language: Language, sentence: Option<&str>) -> String {
    let fixed = labels::pick(language, labels::INSTRUCTIONS_ZH, labels::INSTRUCTIONS_EN);
    let end = match (language, sentence) {
        (Language::Zh, Some(task)) => format!("任务：{task}"),
        (Language::En, Some(task)) => format!("The task: {task}"),
        (Language::Zh, None) => "最后一行是任务。".into(),
        (Language::En, None) => "The last line is the task.".into(),
    };
    format!("{fixed}\n{end}")
}

/// The last line: the name of the skill, and the sentence of one of the program's own.
pub(super) fn task_line(language: Language, skill: &str, sentence: Option<&str>, has_wish: bool) -> String {
    let header = header(language, skill);
    let wish = if has_wish { labels::pick(language, WISH_FIRST[0], WISH_FIRST[1]) } else { "" };
    sentence.map_or_else(|| header.clone(), |sentence| format!("{header}{}{sentence}{wish}", colon(language)))
}

fn header(language: Language, skill: &str) -> String {
    format!("{} {}", labels::pick(language, "[任务]", "[Task]"), render::fenced_line(labels::skill(language, skill)))
}

fn colon(language: Language) -> &'static str {
    labels::pick(language, "：", ": ")
}

/// The sentence in the last line of a prompt for this skill.
fn sentence_in<'p>(prompt: &'p str, language: Language, skill: &str) -> Option<&'p str> {
    let line = prompt.lines().next_back()?;
    let sentence = line.strip_prefix(&header(language, skill))?.strip_prefix(colon(language))?;
    let end = labels::pick(language, WISH_FIRST[0], WISH_FIRST[1]);
    Some(sentence.strip_suffix(end).unwrap_or(sentence))
}

/// The task of a skill that often returns the selection unchanged at the first try.
fn another_version(language: Language, skill: &str) -> Option<&'static str> {
    Some(match (language, skill) {
        (Language::Zh, "polish") => {
            "把上面这段话润色一遍：意思不变，换用更好的词和句式，不能和原文一样。只写润色后的文字。"
        }
        (Language::En, "polish") => {
            "Polish the text above: keep its meaning, choose better words and sentences, and do not copy it. Write only \
             the polished text."
        }
        (Language::Zh, "rewrite") => "用别的说法把上面这段话重写一遍：事情不变，每一句都换一种说法。只写改写后的文字。",
        (Language::En, "rewrite") => {
            "Say the text above in other words: the same events, but put every sentence differently. Write only the new \
             text."
        }
        _ => return None,
    })
}

/// The prompt for a second try after a draft that cannot be used: the text and the task, without memories, tags and
/// rules, which small models repeat. `None` for a skill of the writer's, whose task has no sentence, and without a
/// text.
///
/// For a server that continues the beginning of an answer (`continues_answers`), the text before a continuation is that
/// beginning: small models then write on, where they repeat a text that they are shown.
#[must_use]
pub fn plainer_prompt(context: &AssembledContext, skill: &str, continues_answers: bool) -> Option<AssembledContext> {
    let language = context.language;
    let prompt = &context.messages.iter().rev().find(|message| message.role == Role::User)?.content;
    let task = match another_version(language, skill) {
        Some(task) => task.to_owned(),
        None => sentence_in(prompt, language, skill)?
            .replace("选中的文字", "上面这段话")
            .replace("the selected text", "the text above"),
    };
    // The names in it are hidden already, and its texts cannot look like tags.
    let text_of = |tag| render::section_in(prompt, tag).unwrap_or_default();
    let (before, selection, instruction) = (text_of("before"), text_of("selection"), text_of("wish"));
    let text = match skill {
        "continue" => [before, selection].concat(),
        _ => selection.to_owned(),
    };
    if text.trim().is_empty() {
        return None;
    }
    let text = tokens::truncate_start(&text, MAX_PLAIN_BEFORE.max(tokens::count(selection)));
    let wish = match (instruction, language) {
        ("", _) => String::new(),
        (words, Language::Zh) => format!("作者的要求：{words}\n"),
        (words, Language::En) => format!("The author's wish: {words}\n"),
    };
    let system = labels::pick(
        language,
        "你替小说作者写小说。用中文写，只写小说的正文。",
        "You write fiction for a novelist, in English. Write only the text of the novel.",
    );
    let is_begun = continues_answers && skill == "continue";
    let (user, begun) = match is_begun {
        true => (format!("{wish}{task}"), Some(format!("{}\n\n", text.trim_end()))),
        false => (format!("{text}\n\n{wish}{task}"), None),
    };
    let message = |role, content: &str| Message { role, content: content.into() };
    let mut messages = vec![message(Role::System, system), message(Role::User, &user)];
    // After a whole sentence alone, small models write nothing: they begin a new paragraph.
    messages.extend(begun.map(|begun| message(Role::Assistant, &begun)));
    let total_tokens: usize = messages.iter().map(|message| tokens::count(&message.content)).sum();
    Some(AssembledContext {
        layers: Vec::new(),
        references: Vec::new(),
        cut: Vec::new(),
        messages,
        total_tokens: u32::try_from(total_tokens).unwrap_or(u32::MAX),
        ..context.clone()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::{
        context::{Counts, Ingredients, assemble},
        model::AssembleRequest,
        semantic::rules::Applicable,
    };

    fn context(skill: &str, before: &str, selection: Option<&str>) -> AssembledContext {
        let request = AssembleRequest {
            selection: selection.map(Into::into),
            instruction: Some("Colder".into()),
            ..AssembleRequest::new("book".into(), "one", skill, before)
        };
        assemble(Ingredients {
            request: &request,
            language: Language::En,
            scene_type: None,
            rules: Applicable::default(),
            recalled: Vec::new(),
            cards: Vec::new(),
            passages: Vec::new(),
            working: Vec::new(),
            degraded_reasons: Vec::new(),
            counts: &Counts::default(),
            left_out: &HashSet::new(),
            withheld: &HashMap::new(),
            usual_words: Some(70),
        })
        .unwrap()
    }

    #[test]
    fn the_plainer_prompt_is_the_text_the_wish_and_the_task() {
        let sent = |skill, selection, continues_answers| {
            let plainer = plainer_prompt(&context(skill, "Night.", selection), skill, continues_answers).unwrap();
            plainer.messages.into_iter().skip(1).map(|message| (message.role, message.content)).collect::<Vec<_>>()
        };
        let task = task_sentence(Language::En, "continue", 70).unwrap();
        let wish = "The author's wish: Colder\n";
        assert_eq!(sent("continue", None, false), [(Role::User, format!("Night.\n\n{wish}{task}"))]);
        let begun = [(Role::User, format!("{wish}{task}")), (Role::Assistant, "Night.\n\n".into())];
        assert_eq!(sent("continue", None, true), begun);
        let [(Role::User, polish)] = &sent("polish", Some("Rain fell."), true)[..] else { panic!("one message") };
        assert!(polish.starts_with("Rain fell.\n\n") && polish.contains("do not copy it"), "{polish}");
        assert_eq!(plainer_prompt(&context("noir", "Night.", None), "noir", true), None);
    }

    #[test]
    fn a_length_is_that_of_the_skill_and_is_said_in_tens() {
        let selection = "one two three four five six seven eight nine ten eleven twelve thirteen";
        for (skill, usual, should) in [
            ("continue", None, 120),
            ("continue", Some(84), 80),
            ("continue", Some(4), 30),
            ("continue", Some(5_000), 600),
            ("polish", Some(84), 13),
            ("expand", None, 30),
            ("condense", None, 6),
        ] {
            assert_eq!(asked_words(Language::En, skill, selection, None, usual), should, "{skill} {usual:?}");
        }
        assert_eq!(asked_words(Language::Zh, "continue", "", None, None), 150);
        assert_eq!(asked_words(Language::Zh, "expand", "", None, None), 1);
    }

    #[test]
    fn a_continuation_is_shorter_in_a_scene_type_with_short_paragraphs_until_the_writer_has_a_habit() {
        let asked = |language, scene, usual| asked_words(language, "continue", "", Some(scene), usual);
        for (scene, en, zh) in
            [("dialogue", 80, 110), ("action", 60, 80), ("transition", 60, 80), ("narration", 120, 150)]
        {
            assert_eq!((asked(Language::En, scene, None), asked(Language::Zh, scene, None)), (en, zh), "{scene}");
            assert_eq!(asked(Language::En, scene, Some(200)), 200);
        }
        assert_eq!(asked(Language::En, "courtroom", None), 120, "a type of the writer's own");
        assert_eq!(asked_words(Language::En, "polish", "Rain fell.", Some("dialogue"), None), 2);
    }

    #[test]
    fn the_sentence_is_read_from_the_line_that_it_was_written_to() {
        for language in [Language::Zh, Language::En] {
            for (skill, has_wish) in [("continue", false), ("continue", true), ("condense", true)] {
                let sentence = task_sentence(language, skill, 40);
                let line = task_line(language, skill, sentence.as_deref(), has_wish);
                let prompt = format!("<before>\nNight.\n</before>\n{line}");
                assert_eq!(sentence_in(&prompt, language, skill), sentence.as_deref(), "{line}");
            }
            assert_eq!(task_sentence(language, "noir", 40), None);
            assert_eq!(sentence_in(&task_line(language, "noir", None, true), language, "noir"), None);
        }
    }
}
