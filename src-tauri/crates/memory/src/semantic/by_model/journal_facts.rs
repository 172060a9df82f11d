//! The facts of a journal entry that a model's summary must not change: its names, its numbers and its outcome.
//!
//! A word in the form of a name that was not given is refused, although it may be none: the template then words the
//! entry. A Chinese name without a surname or another form of its own is recognised by the tagger alone
//! ([`super::summaries::without_invented_names`]).

use std::collections::HashSet;

use palimpsest_reader::{names::name_like_parts, numbers};
use palimpsest_text::is_han;

use super::Unbelievable;
use crate::model::Language;

/// English words with a capital that are no names.
const CAPITALS: &[&str] = &["i", "ai", "ok", "english", "chinese"];

/// English words with which a sentence of a summary can begin.
const STARTS: &[&str] = &[
    "a",
    "about",
    "according",
    "after",
    "again",
    "all",
    "also",
    "an",
    "and",
    "another",
    "as",
    "asked",
    "at",
    "author",
    "authors",
    "because",
    "before",
    "both",
    "but",
    "by",
    "candidate",
    "candidates",
    "chapter",
    "character",
    "characters",
    "chose",
    "chosen",
    "continuation",
    "continue",
    "continued",
    "continues",
    "continuing",
    "changes",
    "description",
    "dialog",
    "dialogue",
    "draft",
    "drafted",
    "drafts",
    "during",
    "each",
    "edited",
    "edits",
    "entry",
    "every",
    "final",
    "finally",
    "following",
    "for",
    "from",
    "he",
    "her",
    "here",
    "his",
    "however",
    "in",
    "initial",
    "instruction",
    "instructions",
    "instead",
    "it",
    "its",
    "key",
    "mentioned",
    "mentions",
    "neither",
    "next",
    "no",
    "none",
    "not",
    "nothing",
    "now",
    "of",
    "on",
    "once",
    "one",
    "only",
    "other",
    "outcome",
    "passage",
    "people",
    "place",
    "places",
    "polish",
    "polished",
    "polishes",
    "polishing",
    "request",
    "requested",
    "result",
    "resulting",
    "rejected",
    "revised",
    "rewrite",
    "rewrote",
    "rewritten",
    "scene",
    "she",
    "skill",
    "some",
    "story",
    "summary",
    "text",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "two",
    "three",
    "under",
    "user",
    "was",
    "when",
    "where",
    "which",
    "while",
    "with",
    "without",
    "writer",
    "writers",
    "writing",
    "written",
    "wrote",
    "unchanged",
];

/// Ordinals in English words, from `first` on.
const ORDINALS: [&str; 9] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
/// Characters after which a Chinese numeral counts drafts, runs or the like.
const COUNTED: &str = "稿次个条人章句段处页本封分钟小时天年月日岁只件版轮";
/// Words that tell that a draft was rejected, in Chinese and in English.
const REJECTED: &[&str] = &[
    "没要",
    "都不要",
    "不要",
    "未要",
    "拒",
    "未采",
    "没有采",
    "没采",
    "不采",
    "未取",
    "没取",
    "没有取",
    "弃",
    "否决",
    "未被采",
    "未选",
    "reject",
    "discard",
    "declin",
    "dismiss",
    "refus",
    "not taken",
    "not accepted",
    "not used",
    "not selected",
    "none of",
    "abandon",
];
/// Words that tell that a draft was left as it was.
const UNCHANGED: &[&str] = &[
    "没改",
    "未改",
    "没有改",
    "未作",
    "未做",
    "没有修改",
    "不变",
    "unchanged",
    "without change",
    "no change",
    "not changed",
    "unmodified",
    "as is",
];
/// Words that tell that an insertion was undone.
const UNDONE: &[&str] = &["撤", "undone", "undo", "revert", "withdr"];

/// Words of which a summary has one if it tells the outcome of a run, in Chinese and in English.
const OUTCOMES: &[&str] = &[
    "稿",
    "取",
    "采",
    "选",
    "用",
    "改",
    "要",
    "拒",
    "弃",
    "撤",
    "draft",
    "candidate",
    "version",
    "taken",
    "took",
    "accept",
    "chose",
    "select",
    "reject",
    "discard",
    "kept",
    "used",
    "undone",
    "revert",
];

/// Characters at the beginning of a skill's name that all forms of the word share, such as "continued".
const STEM_CHARS: usize = 5;

/// The name of the skill with which the facts of an entry begin, without the title of its chapter.
fn skill_of(plain: &str) -> &str {
    let titled = |open: char, close: char| plain.strip_prefix(open).and_then(|rest| rest.split_once(close));
    let rest = titled('《', '》').or_else(|| titled('“', '”')).map_or(plain, |(_, rest)| rest);
    let rest = rest.trim_start_matches(['，', ',', ':', '：', ' ']);
    rest.split(['（', '(', '。', '.']).next().unwrap_or_default().trim()
}

/// Whether a summary tells which skill was run, and what came of it.
fn tells_what_was_done(summary: &str, plain: &str) -> bool {
    let lower = summary.to_lowercase();
    let stem: String = skill_of(plain).to_lowercase().chars().take(STEM_CHARS).collect();
    lower.contains(&stem) && OUTCOMES.iter().any(|word| lower.contains(word))
}

/// Checks a summary that was made from the facts `plain` and from a `passage`.
pub(super) fn check_facts(language: Language, summary: &str, plain: &str, passage: &str) -> Result<(), Unbelievable> {
    let given = [plain, passage].join("\n");
    if has_invented_name(language, summary, &given) {
        return Err(Unbelievable::InventedName);
    }
    if has_invented_number(language, summary, plain, &given) {
        return Err(Unbelievable::InventedNumber);
    }
    let is_said = |text: &str, words: &[&str]| {
        let lower = text.to_lowercase();
        words.iter().any(|word| lower.contains(word))
    };
    // Words about the passage are no outcome.
    let adds = |words: &[&str]| is_said(summary, words) && !is_said(&given, words);
    let is_lost = is_said(plain, REJECTED) && !is_said(summary, REJECTED);
    if is_lost || adds(REJECTED) || adds(UNCHANGED) || adds(UNDONE) {
        return Err(Unbelievable::Contradiction);
    }
    if !tells_what_was_done(summary, plain) {
        return Err(Unbelievable::Incomplete);
    }
    Ok(())
}

fn has_invented_name(language: Language, summary: &str, given: &str) -> bool {
    let lower = given.to_lowercase();
    let known: HashSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if quotations(summary).into_iter().any(|quoted| !contains_squeezed(given, quoted)) {
        return true;
    }
    match language {
        Language::Zh => {
            let mut words = summary.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
            words.any(|word| !known.contains(word.to_lowercase().as_str()))
                || name_like_parts(summary).into_iter().any(|part| !given.contains(part))
        }
        Language::En => capitalised(summary).into_iter().any(|(word, is_start)| {
            let word = word.to_lowercase();
            let is_start_word = is_start && STARTS.contains(&&*word);
            !(is_start_word || known.contains(word.as_str()) || CAPITALS.contains(&&*word))
        }),
    }
}

/// The texts between quotation marks, and the titles.
fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (open, close) in [('《', '》'), ('“', '”'), ('「', '」'), ('『', '』'), ('‘', '’'), ('"', '"')] {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((quoted, after)) = after.split_once(close) else { break };
            found.push(quoted);
            rest = after;
        }
    }
    found
}

/// Whether a text has the letters of a part in a row, whatever else stands between them.
fn contains_squeezed(text: &str, part: &str) -> bool {
    let squeezed = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    squeezed(text).contains(&squeezed(part))
}

/// The words with a capital, and whether each begins a sentence.
fn capitalised(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut end = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let from = word.as_ptr() as usize - text.as_ptr() as usize;
        let between = &text[end..from];
        // An apostrophe divides no words: the s of the writer's is a letter of its own.
        let is_start = end == 0 || between.contains(['.', '!', '?', ':', ';', '“', '"', '‘', '(', '—', '–']);
        end = from + word.len();
        if word.starts_with(char::is_uppercase) {
            found.push((word, is_start));
        }
    }
    found
}

fn has_invented_number(language: Language, summary: &str, plain: &str, given: &str) -> bool {
    let known: HashSet<u32> = small_numbers(language, given, true).into_iter().map(|(number, _)| number).collect();
    let of_drafts = small_numbers(language, plain, true).into_iter().filter(|(_, is_of_drafts)| *is_of_drafts);
    let of_outcome: HashSet<u32> = of_drafts.map(|(number, _)| number).collect();
    let is_small_invented = small_numbers(language, summary, false).into_iter().any(|(number, is_of_drafts)| {
        let known = if is_of_drafts { &of_outcome } else { &known };
        // Where there was one draft, it is the first.
        let is_only_draft = is_of_drafts && number == 1 && of_outcome.is_empty();
        !known.contains(&number) && !is_only_draft
    });
    is_small_invented || percents(summary).into_iter().any(|share| !percents(plain).contains(&share))
}

/// The digits before each sign of percent.
fn percents(text: &str) -> Vec<&str> {
    let before = text.match_indices(['%', '％']).map(|(at, _)| text[..at].trim_end());
    before.map(|before| &before[before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len()..]).collect()
}

/// The numbers 1 to 9 in a text, each with whether it numbers or counts drafts. `all`: also those that may be a part of
/// another word.
fn small_numbers(language: Language, text: &str, all: bool) -> Vec<(u32, bool)> {
    match language {
        Language::Zh => small_numbers_zh(text, all),
        Language::En => small_numbers_en(text, all),
    }
}

fn small_numbers_zh(text: &str, all: bool) -> Vec<(u32, bool)> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    for (at, c) in chars.iter().enumerate() {
        let digit = |c: char| numbers::zh_digit(c).filter(|value| (1..=9).contains(value));
        let Some(value) = digit(*c) else { continue };
        let near = |offset: isize| at.checked_add_signed(offset).and_then(|at| chars.get(at)).copied().unwrap_or(' ');
        let is_part = |c: char| digit(c).is_some() || "0零十百千万亿.".contains(c);
        if is_part(near(-1)) || is_part(near(1)) {
            // A larger number: the other check has it.
            if !all {
                continue;
            }
        }
        let after = if near(1) == ' ' { near(2) } else { near(1) };
        let is_of_drafts = after == '稿' || (near(-1) == '第' && !is_han(after));
        let counts = near(-1) == '第' || is_of_drafts || (COUNTED.contains(after) && value > 1);
        if all || counts {
            found.push((value, is_of_drafts));
        }
    }
    found
}

fn small_numbers_en(text: &str, all: bool) -> Vec<(u32, bool)> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_draft =
        |word: Option<&&str>| word.is_some_and(|word| word.starts_with("draft") || word.starts_with("candidate"));
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let ordinal = || numbers::index_in(&ORDINALS, word).map(|at| at + 1);
        let value = numbers::en_number(word).or_else(ordinal);
        let Some(value) = value.filter(|value| (1..=9).contains(value)) else { continue };
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_of_drafts = is_draft(words.get(at + 1))
            || is_draft(before)
            || (before == Some(&"of") && is_draft(at.checked_sub(3).and_then(|at| words.get(at))));
        if all || is_of_drafts || value > 1 {
            found.push((value, is_of_drafts));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZH: (&str, &str) = (
        "《停电》，续写（对话）。要求“短一点”。三稿中取第二稿，改了 11%。文中有纪伯。",
        "纪伯把手电筒从枕头底下摸出来，递给她，又伸手在她手背上按了一下。",
    );
    const EN: (&str, &str) = (
        "“Power Cut”: continue (dialogue). Draft 2 of 3 was taken, 11% of it changed. It mentions Jib.",
        "Jib drew the torch from under the pillow and gave it to her, and Mrs Hale counted the boats.",
    );

    fn of_zh(summary: &str) -> Result<(), Unbelievable> {
        check_facts(Language::Zh, summary, ZH.0, ZH.1)
    }

    fn of_en(summary: &str) -> Result<(), Unbelievable> {
        check_facts(Language::En, summary, EN.0, EN.1)
    }

    #[test]
    fn names_that_were_not_given_are_refused() {
        for good in ["《停电》续写对话，纪伯给了她手电筒，取第二稿。", "按作者“短一点”的要求续写，改了 11%。"]
        {
            assert_eq!(of_zh(good), Ok(()), "{good}");
        }
        for bad in [
            "《停电》续写对话，王强给了她手电筒。",
            "《来电》续写对话，纪伯给了她手电筒。",
            "续写了纪伯和欧阳锋的对话。",
            "续写了纪伯和老周的对话。",
            "续写了纪伯在青石镇的对话。",
            "按作者“长一点”的要求续写。",
            "续写了 Marcus 的对话。",
        ] {
            assert_eq!(of_zh(bad), Err(Unbelievable::InventedName), "{bad}");
        }
        for good in [
            "Continued the dialogue of “Power Cut”: Jib gives her the torch. Draft 2 of 3 was taken.",
            "Continuation: the writer took the second of three drafts; Mrs Hale's boats are counted.",
        ] {
            assert_eq!(of_en(good), Ok(()), "{good}");
        }
        for bad in [
            "Continued the dialogue: Marcus gives her the torch.",
            "Marcus gives her the torch.",
            "Jib sails to Dover with her.",
            "Continued “Lights Out”: Jib gives her the torch.",
        ] {
            assert_eq!(of_en(bad), Err(Unbelievable::InventedName), "{bad}");
        }
    }

    #[test]
    fn numbers_that_were_not_given_are_refused() {
        for bad in ["《停电》续写，取第一稿。", "五稿中取第二稿。", "续写了纪伯的四次对话。", "取第二稿，改了 2%。"]
        {
            assert_eq!(of_zh(bad), Err(Unbelievable::InventedNumber), "{bad}");
        }
        for bad in
            ["The first draft was taken.", "Draft 3 of 5 was taken.", "Jib and four boats.", "The third draft of nine."]
        {
            assert_eq!(of_en(bad), Err(Unbelievable::InventedNumber), "{bad}");
        }
        // A number of the passage is none of the drafts.
        let check = check_facts(Language::Zh, "取第四稿。", "续写。三稿中取第二稿。", "他数了四条船。");
        assert_eq!(check, Err(Unbelievable::InventedNumber));
        assert_eq!(
            check_facts(Language::Zh, "续写到四条船，取第二稿。", "续写。三稿中取第二稿。", "他数了四条船。"),
            Ok(())
        );
    }

    #[test]
    fn an_outcome_that_was_not_is_refused() {
        for bad in ["《停电》续写，几稿都没要。", "取第二稿，一字没改。", "取第二稿，后来撤回了。"]
        {
            assert_eq!(of_zh(bad), Err(Unbelievable::Contradiction), "{bad}");
        }
        for bad in ["All drafts were rejected.", "Draft 2 was taken unchanged."] {
            assert_eq!(of_en(bad), Err(Unbelievable::Contradiction), "{bad}");
        }
        for bad in ["续写了纪伯的一段对话。", "取第二稿，改了 11%。"] {
            assert_eq!(of_zh(bad), Err(Unbelievable::Incomplete), "{bad}");
        }
        for bad in ["Continued the dialogue with Jib.", "Draft 2 of 3 was taken."] {
            assert_eq!(of_en(bad), Err(Unbelievable::Incomplete), "{bad}");
        }
        let check = check_facts(Language::Zh, "续写，作者采用了。", "续写。几稿都没要。", "");
        assert_eq!(check, Err(Unbelievable::Contradiction));
    }
}
