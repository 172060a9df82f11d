//! Numbers in words and digits, and months by name.

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The value of a word from zero to nineteen, in small letters.
#[must_use]
pub fn en_one(word: &str) -> Option<u32> {
    index_in(&ONES, word)
}

/// The number of tens of `twenty` to `ninety`, in small letters.
#[must_use]
pub fn en_tens(word: &str) -> Option<u32> {
    index_in(&TENS, word)
}

/// The index of a word in a list; an empty entry of the list is no word.
#[must_use]
pub fn index_in(list: &[&str], word: &str) -> Option<u32> {
    list.iter().position(|one| !one.is_empty() && *one == word).and_then(|at| u32::try_from(at).ok())
}

/// A number of at most ninety-nine in small letters, or one in digits: `twenty-three`, `23`.
#[must_use]
pub fn en_number(word: &str) -> Option<u32> {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return word.parse().ok();
    }
    if let Some(one) = en_one(word) {
        return Some(one);
    }
    match word.split_once('-') {
        Some((ten, one)) => Some(10 * en_tens(ten)? + en_one(one).filter(|one| (1..10).contains(one))?),
        None => en_tens(word).map(|ten| 10 * ten),
    }
}

/// The number of a month, 1 to 12, by its English name in any case.
#[must_use]
pub fn en_month(word: &str) -> Option<u8> {
    MONTHS.iter().position(|month| word.eq_ignore_ascii_case(month)).and_then(|at| u8::try_from(at + 1).ok())
}

/// A number at the start of a Chinese text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZhNumber {
    /// As a number: 一百二十 is 120.
    pub value: u32,
    /// Length in bytes.
    pub length: usize,
    /// Length in characters.
    pub chars: usize,
}

/// The value of a digit, Chinese or ASCII, or of a unit up to 千.
#[must_use]
pub fn zh_digit(c: char) -> Option<u32> {
    Some(match c {
        '0'..='9' => u32::from(c) - u32::from('0'),
        '零' | '〇' | '○' => 0,
        '一' => 1,
        '二' | '两' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '十' => 10,
        '百' => 100,
        '千' => 1000,
        _ => return None,
    })
}

/// The number with which a text begins, of at most `max_chars` characters whose values `digit` gives: digits below 10,
/// units from 10 on, and 20 or 30 for a character that is both, such as 廿.
#[must_use]
pub fn zh_number(text: &str, max_chars: usize, digit: impl Fn(char) -> Option<u32>) -> Option<ZhNumber> {
    let mut values: Vec<u32> = Vec::new();
    let mut length = 0;
    for c in text.chars().take(max_chars) {
        let Some(value) = digit(c) else { break };
        values.push(value);
        length += c.len_utf8();
    }
    if values.is_empty() {
        return None;
    }
    let value = if values.iter().all(|value| *value < 10) {
        values.iter().try_fold(0_u32, |sum, digit| sum.checked_mul(10)?.checked_add(*digit))?
    } else {
        let (mut sum, mut last) = (0_u32, None);
        for value in &values {
            match value {
                0..10 => last = Some(*value),
                20 | 30 => sum = sum.checked_add(*value)?,
                _ => sum = sum.checked_add(last.take().unwrap_or(1).checked_mul(*value)?)?,
            }
        }
        sum.checked_add(last.unwrap_or(0))?
    };
    Some(ZhNumber { value, length, chars: values.len() })
}
