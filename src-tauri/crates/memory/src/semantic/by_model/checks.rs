//! Checks of a sentence of a model.

use std::{collections::HashSet, ops::RangeInclusive};

use palimpsest_text::{count, detect, is_han};

use super::Unbelievable;
use crate::model::Language;

/// Permitted length: 4 to 120 characters of Chinese, 3 to 60 words of English (`Write shorter sentences`).
const fn length(language: Language) -> RangeInclusive<u32> {
    match language {
        Language::Zh => 4..=120,
        Language::En => 3..=60,
    }
}

/// Maximum characters in any language: that of a rule.
const MAX_CHARS: usize = 500;

/// Characters that a sentence has only if the words it was made from have them.
const MARKUP: &str = "<>{}[]`*#|~^\\_@=\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2060}\u{2066}\u{2067}\u{2068}\u{2069}\u{feff}";

/// Words that address a reader of prompts and not one of novels.
const ORDERS: &[&str] = &[
    "忽略以上",
    "忽略上面",
    "忽略之前",
    "忽略前面",
    "忽略所有",
    "无视以上",
    "无视之前",
    "无视所有",
    "系统提示",
    "提示词",
    "指令",
    "输出json",
    "ignore the above",
    "ignore all",
    "ignore any",
    "ignore previous",
    "ignore everything",
    "disregard",
    "previous instructions",
    "system prompt",
    "instructions above",
    "as an ai",
    "作为ai",
    "http:",
    "https:",
];

/// Checks a sentence that was made from `given`: its length, language, numbers, and that it is one plain line.
pub(super) fn check_sentence(language: Language, text: &str, given: &[&str]) -> Result<(), Unbelievable> {
    if !length(language).contains(&count::words(text)) || text.chars().count() > MAX_CHARS {
        return Err(Unbelievable::Length);
    }
    check_line(language, text, given)
}

/// Checks a line that was made from `given`: its language, numbers, and that it is plain.
pub(super) fn check_line(language: Language, text: &str, given: &[&str]) -> Result<(), Unbelievable> {
    let is_given = |c: char| given.iter().any(|given| given.contains(c));
    if text.chars().any(|c| c.is_control() || (MARKUP.contains(c) && !is_given(c))) {
        return Err(Unbelievable::Markup);
    }
    let spoken = match detect(text) {
        palimpsest_text::Language::Zh => Language::Zh,
        palimpsest_text::Language::En => Language::En,
    };
    if spoken != language {
        return Err(Unbelievable::Language);
    }
    let lower = text.to_lowercase();
    if ORDERS.iter().any(|order| lower.contains(order)) {
        return Err(Unbelievable::Order);
    }
    let known: HashSet<String> = given.iter().flat_map(|given| numbers(given)).collect();
    if numbers(text).into_iter().any(|number| !known.contains(&number)) {
        return Err(Unbelievable::InventedNumber);
    }
    Ok(())
}

/// The numbers in a text, in one form: in digits, in Chinese from ten on, in English from ten on, and shares. One, two
/// and three are words like others: 一句话, `one by one`.
fn numbers(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().map(narrow).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let digits = run_length(&chars, at, |c| c.is_ascii_digit() || matches!(c, '.' | ','));
        let han = run_length(&chars, at, |c| "零〇一二两三四五六七八九十百千万".contains(c));
        if chars[at].is_ascii_digit() {
            let number: String = chars[at..at + digits].iter().filter(|c| **c != ',').collect();
            found.push(number.trim_end_matches('.').to_owned());
            at += digits;
        } else if han > 0 {
            let after = chars.get(at + han).copied().unwrap_or(' ');
            let words: String = chars[at..at + han].iter().collect();
            let of_hundred = words == "百" && text_at(&chars, at + han, "分之");
            let share = matches!(after, '成' | '折' | '倍') || text_at(&chars, at + han, "分之");
            // 一成不变 is no share.
            let share = share && !of_hundred && words != "一";
            if of_hundred {
                found.push("%".into());
            }
            // 十分, 千万, 万一 and 百 alone are no counts.
            let counts = han >= 2 && words != "千万" && words != "万一" && words != "一一" && words != "三三两两";
            let counts = counts && words.contains(['十', '百', '千', '万', '零', '〇']);
            if share || counts {
                found.push(han_value(&words).map_or(words, |value| value.to_string()));
            }
            at += han;
        } else {
            at += 1;
        }
    }
    if chars.contains(&'%') {
        found.push("%".into());
    }
    found.extend(english(text));
    found
}

fn narrow(c: char) -> char {
    match c {
        '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')).unwrap_or(c),
        '％' | '﹪' => '%',
        '．' => '.',
        '，' => ' ',
        // Digits of other scripts are numbers too.
        c if c.is_numeric() && !is_han(c) && !c.is_ascii_digit() => '9',
        c => c,
    }
}

fn run_length(chars: &[char], at: usize, is: impl Fn(char) -> bool) -> usize {
    chars[at..].iter().take_while(|c| is(**c)).count()
}

fn text_at(chars: &[char], at: usize, text: &str) -> bool {
    text.chars().enumerate().all(|(n, c)| chars.get(at + n) == Some(&c))
}

/// 三十二 as 32; `None` for text that is no number.
fn han_value(words: &str) -> Option<u64> {
    let (mut all, mut section, mut digit) = (0_u64, 0_u64, 0_u64);
    for c in words.chars() {
        let power = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            '万' => {
                all = all.checked_add((section + digit).max(1).checked_mul(10_000)?)?;
                (section, digit) = (0, 0);
                continue;
            }
            '两' => {
                digit = 2;
                continue;
            }
            c => {
                digit = "零一二三四五六七八九".chars().position(|other| other == c).unwrap_or(0) as u64;
                continue;
            }
        };
        section = section.checked_add(digit.max(1) * power)?;
        digit = 0;
    }
    all.checked_add(section)?.checked_add(digit)
}

fn english(text: &str) -> Vec<String> {
    const NUMBERS: &[(&str, u32)] = &[
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("thirteen", 13),
        ("fourteen", 14),
        ("fifteen", 15),
        ("sixteen", 16),
        ("seventeen", 17),
        ("eighteen", 18),
        ("nineteen", 19),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
        ("hundred", 100),
        ("thousand", 1_000),
        ("dozen", 12),
    ];
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    let mut tens: Option<u32> = None;
    for word in lower.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()) {
        let ones = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
        let one = ones.iter().position(|other| *other == word).and_then(|at| u32::try_from(at + 1).ok());
        // `twenty-one` is one number.
        match (tens.take(), one) {
            (Some(tens), Some(one)) => found.push((tens + one).to_string()),
            (before, _) => found.extend(before.map(|tens| tens.to_string())),
        }
        match NUMBERS.iter().find(|(name, _)| word == *name) {
            Some((_, value)) if (20..100).contains(value) => tens = Some(*value),
            Some((_, value)) => found.push(value.to_string()),
            None if matches!(word, "percent" | "cent") => found.push("%".into()),
            None => {}
        }
    }
    found.extend(tens.map(|tens| tens.to_string()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_recognised_in_every_notation() {
        for (text, should) in [
            ("平均 32→21 字，21 次修改中有 18 次", vec!["32", "21", "21", "18"]),
            ("不超过十五个字", vec!["15"]),
            ("三百二十字以内", vec!["320"]),
            ("两万零三百", vec!["20300"]),
            ("１５字", vec!["15"]),
            ("一句话写一件事，十分干脆，千万别拖", vec![]),
            ("八成是短句", vec!["8"]),
            ("三分之二", vec!["3"]),
            ("百分之三十五，一成不变", vec!["%", "35"]),
            ("under fifteen words, twenty-one at most", vec!["15", "21"]),
            ("4.5 letters, 1,000 words. 3.", vec!["4.5", "1000", "3"]),
            ("one by one, at once", vec![]),
            ("thirty per cent", vec!["30", "%"]),
            ("often tender", vec![]),
            ("٣ كلمات", vec!["9"]),
        ] {
            let mut found = numbers(text);
            let mut should: Vec<String> = should.into_iter().map(str::to_owned).collect();
            found.sort();
            should.sort();
            assert_eq!(found, should, "{text}");
        }
    }
}
