//! Numbers written in words, as numbers in digits: 九, 9 and nine are one number; 九十 is 90.
//!
//! A sequence that may be read in two ways (三四天, 三万五, nineteen eighty-four) stays as it is.

use super::words::{Gap, Word, WordKind};

/// Minimum characters of a row of Chinese digits that is one number, as in 一九九八: 三四 is three or four.
const MIN_DIGITS_IN_ROW: usize = 3;
/// Maximum numerals of a number with units.
const MAX_NUMERALS: usize = 24;

/// Replaces the numbers among the words.
pub(crate) fn fold_numbers(words: Vec<Word>) -> Vec<Word> {
    let mut folded = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let rest = words.get(at..).unwrap_or_default();
        let found = match word.kind {
            WordKind::Han => chinese_number(rest),
            WordKind::Letters => english_number(rest).or_else(|| ordinal_digits(word)),
            _ => None,
        };
        let (text, length) = match found {
            Some((text, length)) => (Some(text), length),
            None if word.kind == WordKind::Han => (None, numerals(rest).max(1)),
            None => (None, 1),
        };
        let taken = rest.get(..length).unwrap_or_default();
        match (text, taken.last()) {
            (Some(text), Some(last)) => {
                let range = word.range.start..last.range.end;
                folded.push(Word { text, range, kind: WordKind::Number, ..word.clone() });
            }
            _ => folded.extend(taken.iter().cloned()),
        }
        at += length;
    }
    folded
}

/// Whether a character is a Chinese numeral.
pub(super) fn is_numeral(c: char) -> bool {
    digit(c).is_some() || unit(c).is_some() || "万亿".contains(c)
}

fn digit(c: char) -> Option<u64> {
    if c == '两' {
        return Some(2);
    }
    "〇一二三四五六七八九".chars().zip(0..).find_map(|(d, n)| (d == c).then_some(n)).or((c == '零').then_some(0))
}

fn unit(c: char) -> Option<u64> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1_000),
        _ => None,
    }
}

fn single_char(word: &Word) -> Option<char> {
    let mut chars = word.text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// The number of Chinese numerals that the words begin with.
fn numerals(words: &[Word]) -> usize {
    words
        .iter()
        .enumerate()
        .take_while(|(n, word)| {
            let is_joined = *n == 0 || word.gap != Gap::Punctuation;
            word.kind == WordKind::Han && is_joined && single_char(word).is_some_and(is_numeral)
        })
        .count()
}

fn chinese_number(words: &[Word]) -> Option<(String, usize)> {
    let length = numerals(words);
    let chars: Vec<char> = words.get(..length)?.iter().filter_map(single_char).collect();
    let digits: Option<Vec<u64>> = chars.iter().map(|c| digit(*c)).collect();
    let number = match digits {
        Some(digits) if digits.len() == 1 || is_row_of_digits(&chars) => {
            digits.iter().map(|digit| char::from_digit(u32::try_from(*digit).ok()?, 10)).collect::<Option<String>>()?
        }
        Some(_) => return None,
        None if length > MAX_NUMERALS => return None,
        None => chinese_value(&chars)?.to_string(),
    };
    Some((number, length))
}

fn is_row_of_digits(chars: &[char]) -> bool {
    let has_zero = chars.contains(&'〇');
    // 第一二三章 is three chapters.
    let is_list = chars.windows(2).all(|pair| match pair {
        [one, next] => digit(*one).map(|one| one + 1) == digit(*next),
        _ => false,
    });
    (chars.len() >= MIN_DIGITS_IN_ROW || has_zero) && !is_list && !chars.contains(&'两')
}

/// The value of a number with units; `None` if it has no strict reading.
fn chinese_value(chars: &[char]) -> Option<u64> {
    for (mark, value) in [('亿', 100_000_000_u64), ('万', 10_000)] {
        if let Some(at) = chars.iter().rposition(|c| *c == mark) {
            let (high, low) = (chars.get(..at)?, chars.get(at + 1..)?);
            let low_value = match low {
                [] => 0,
                // 三万五 is 35,000 to some, and 30,005 in writing: left alone.
                [zero, rest @ ..] if *zero == '零' || *zero == '〇' => section(rest)?,
                [_] => return None,
                _ => chinese_value(low)?,
            };
            return chinese_value(high)?.checked_mul(value)?.checked_add(low_value);
        }
    }
    section(chars)
}

/// The value of a number below 10,000.
fn section(chars: &[char]) -> Option<u64> {
    let (mut total, mut last_unit, mut pending, mut has_zero) = (0, u64::MAX, None, false);
    for (n, c) in chars.iter().enumerate() {
        if let Some(unit) = unit(*c) {
            let count = match pending.take() {
                Some(count) => count,
                None if unit == 10 && n == 0 => 1,
                None => return None,
            };
            if unit >= last_unit {
                return None;
            }
            total += count * unit;
            last_unit = unit;
            has_zero = false;
        } else {
            match digit(*c)? {
                0 if pending.is_none() && n > 0 => has_zero = true,
                digit if pending.is_none() && digit > 0 => pending = Some(digit),
                _ => return None,
            }
        }
    }
    match pending {
        // 一百五 is 150 to some: left alone.
        Some(_) if last_unit > 10 && last_unit != u64::MAX && !has_zero => None,
        Some(digit) => Some(total + digit),
        None if has_zero || total == 0 => None,
        None => Some(total),
    }
}

/// An English number word: its value, and whether it is an ordinal.
fn english_word(word: &str) -> Option<(u64, bool)> {
    const CARDINALS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
        fifteen sixteen seventeen eighteen nineteen";
    const ORDINALS: &str = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth \
        thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth";
    const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";
    const ORDINAL_TENS: &str = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth";
    let find = |list: &str| list.split(' ').zip(0_u64..).find_map(|(listed, n)| (listed == word).then_some(n));
    None.or_else(|| find(CARDINALS).map(|n| (n, false)))
        .or_else(|| find(ORDINALS).map(|n| (n, true)))
        .or_else(|| find(TENS).map(|n| (20 + 10 * n, false)))
        .or_else(|| find(ORDINAL_TENS).map(|n| (20 + 10 * n, true)))
}

fn english_unit(word: &str) -> Option<(u64, bool)> {
    match word {
        "hundred" => Some((100, false)),
        "hundredth" => Some((100, true)),
        "thousand" => Some((1_000, false)),
        "thousandth" => Some((1_000, true)),
        "million" => Some((1_000_000, false)),
        _ => None,
    }
}

/// A number in English words at the beginning of `words`, and how many words it takes.
fn english_number(words: &[Word]) -> Option<(String, usize)> {
    let text =
        |at: usize| words.get(at).filter(|word| at == 0 || word.gap != Gap::Punctuation).map(|w| w.text.as_str());
    let (mut total, mut current, mut is_ordinal) = (0_u64, 0_u64, false);
    let (mut at, mut end) = (0, 0);
    // The number that may still be added to the current one: it is below this.
    let mut below = 100_u64;
    while let Some(word) = text(at).filter(|_| !is_ordinal) {
        if let Some((value, ordinal)) = english_word(word) {
            if value >= below || (value == 0 && end > 0) {
                break;
            }
            current = current.checked_add(value)?;
            is_ordinal = ordinal;
            below = if value >= 20 { 10 } else { 0 };
        } else if let Some((value, ordinal)) = english_unit(word).filter(|_| end > 0) {
            if value == 100 {
                current = current.checked_mul(100)?;
                below = 100;
            } else {
                total = total.checked_add(current.checked_mul(value)?)?;
                current = 0;
                below = 1_000.min(value);
            }
            is_ordinal = ordinal;
        } else {
            break;
        }
        at += 1;
        end = at;
        // `twenty-one`, `one hundred and five`.
        let joint = text(at).filter(|joint| *joint == "-" && below == 10 || *joint == "and" && below == 100);
        if joint.is_some() && text(at + 1).and_then(english_word).is_some_and(|(value, _)| value < below && value > 0) {
            at += 1;
        }
    }
    let ending = if is_ordinal { "th" } else { "" };
    let value = total.checked_add(current)?;
    (end > 0).then(|| (format!("{value}{ending}"), end))
}

/// An ordinal in digits: `1st`, `2nd`, `9th`.
fn ordinal_digits(word: &Word) -> Option<(String, usize)> {
    let digits = word.text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let is_ordinal = ["st", "nd", "rd", "th"].contains(&word.text.get(digits.len()..)?);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_ordinal && is_number).then(|| (format!("{digits}th"), 1))
}

#[cfg(test)]
mod tests {
    use super::super::words::split_words;

    fn texts(text: &str) -> String {
        split_words(text).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_number_in_words_is_the_number_in_digits() {
        for (words, digits) in [
            ("第九章", "第9章"),
            ("第 九 十 二 章", "第92章"),
            ("十五岁", "15岁"),
            ("一百零五人", "105人"),
            ("两千三百四十", "2340"),
            ("一九九八年", "1998年"),
            ("三十万", "300000"),
            ("一万二千", "12000"),
            ("chapter nine", "Chapter 9"),
            ("twenty-one men", "21 men"),
            ("Twenty one men", "21 men"),
            ("one hundred and five", "105"),
            ("two thousand three hundred", "2300"),
            ("the twenty-first day", "the 21st day"),
            ("first", "1st"),
        ] {
            assert_eq!(texts(words), texts(digits), "{words}");
        }
    }

    #[test]
    fn a_number_with_two_readings_is_left_alone() {
        for text in ["三 四 天", "三 万 五", "一 百 五", "万 一", "千 万", "二 两", "十 二 三", "a hundred"]
        {
            assert_eq!(texts(text), text);
        }
        assert_eq!(texts("nineteen eighty-four"), "19 84");
        assert_eq!(texts("第一、五章"), "第 1 、 5 章");
        assert_ne!(texts("第一二三章"), texts("第123章"));
        assert_eq!(texts("第一—五章"), texts("第1-5章"));
        assert_eq!(texts("twenty, one"), "20 , 1");
        assert_ne!(texts("三四天"), texts("34天"));
    }
}
