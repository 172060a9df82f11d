//! Ordinals, years, and the numbers of the reader with the forms that ages and dates have beside them.

pub(crate) use palimpsest_reader::numbers::en_number;
use palimpsest_reader::numbers::{self, en_one, en_tens, index_in, zh_digit};

const ORDINALS: [&str; 20] = [
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
const TENTHS: [&str; 10] =
    ["", "", "twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"];
/// Years that a novel tells of.
const YEARS: std::ops::RangeInclusive<u32> = 1000..=2199;

/// `twenty-third`, `23rd`.
pub(crate) fn en_ordinal(word: &str) -> Option<u32> {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end))?;
        return digits.parse().ok();
    }
    if let Some(one) = index_in(&ORDINALS, word).or_else(|| index_in(&TENTHS, word).map(|ten| 10 * ten)) {
        return Some(one);
    }
    let (ten, one) = word.split_once('-')?;
    Some(10 * en_tens(ten)? + index_in(&ORDINALS, one).filter(|one| (1..10).contains(one))?)
}

/// The year at the start of some words, and the number of its words: `1911`, `nineteen eleven`,
/// `nineteen hundred and eleven`.
pub(crate) fn en_year(words: &[&str]) -> Option<(u32, usize)> {
    let first = *words.first()?;
    if first.len() == 4 && first.chars().all(|c| c.is_ascii_digit()) {
        return first.parse().ok().filter(|year| YEARS.contains(year)).map(|year| (year, 1));
    }
    let rest = |at: usize| words.get(at).copied().unwrap_or_default();
    // `nineteen-eleven` is one word, and so is `nineteen-hundred`.
    let joined = first.split_once('-').filter(|(head, _)| en_one(head).is_some());
    let (head, next, used) = match joined {
        Some((head, tail)) => (head, tail, 1),
        None => (first, rest(1), 2),
    };
    let century = en_one(head).filter(|century| (15..=20).contains(century)).map(|century| 100 * century)?;
    if next == "hundred" {
        let and = usize::from(rest(used) == "and");
        return match en_number(rest(used + and)).filter(|number| (1..100).contains(number)) {
            Some(number) => Some((century + number, used + and + 1)),
            None => Some((century, used)),
        };
    }
    let tail = en_number(next).filter(|number| (10..100).contains(number));
    tail.map(|tail| (century + tail, used))
}

/// Most characters of a number.
const MAX_NUMBER_CHARS: usize = 12;

/// The number with which a text begins, and its length in bytes: `二十三`, `廿三`, `23`, `１２`.
pub(crate) fn zh_number(text: &str) -> Option<(u32, usize)> {
    let digit = |c: char| match c {
        '０'..='９' => Some(u32::from(c) - u32::from('０')),
        '廿' => Some(20),
        '卅' => Some(30),
        _ => zh_digit(c),
    };
    numbers::zh_number(text, MAX_NUMBER_CHARS, digit).map(|number| (number.value, number.length))
}

/// Names of reigns, each with the year before its first.
const REIGNS: [(&str, u32); 13] = [
    ("民国", 1911),
    ("宣统", 1908),
    ("光绪", 1874),
    ("同治", 1861),
    ("咸丰", 1850),
    ("道光", 1820),
    ("嘉庆", 1795),
    ("乾隆", 1735),
    ("雍正", 1722),
    ("康熙", 1661),
    ("昭和", 1925),
    ("大正", 1911),
    ("明治", 1867),
];

/// The years in a text, each with its bytes: `一九一一年`, `1911年`, `民国三年`.
pub(crate) fn zh_years(text: &str) -> Vec<(u32, std::ops::Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let reign = REIGNS.iter().find_map(|(name, before)| {
            let after = rest.strip_prefix(name)?;
            let (number, length) = match after.strip_prefix('元') {
                Some(_) => (1, '元'.len_utf8()),
                None => zh_number(after)?,
            };
            let is_year = after[length..].starts_with('年') && (1..100).contains(&number);
            is_year.then(|| (before + number, name.len() + length + '年'.len_utf8()))
        });
        if let Some((year, length)) = reign {
            found.push((year, at..at + length));
            at += length;
            continue;
        }
        let Some((number, length)) = zh_number(rest) else {
            at += c.len_utf8();
            continue;
        };
        let after = rest[length..].trim_start_matches(' ');
        let is_plain = rest[..length].chars().count() == 4;
        if is_plain && YEARS.contains(&number) && after.starts_with('年') {
            let end = text.len() - after.len() + '年'.len_utf8();
            found.push((number, at..end));
            at = end;
        } else {
            at += length;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_words_and_digits() {
        for (word, number) in [("23", 23), ("twenty-three", 23), ("ninety", 90), ("seven", 7)] {
            assert_eq!(en_number(word), Some(number), "{word}");
        }
        assert_eq!(en_ordinal("twenty-third"), Some(23));
        assert_eq!(en_ordinal("40th"), Some(40));
        for (text, number) in
            [("二十三岁", 23), ("廿三", 23), ("十", 10), ("１２", 12), ("一百零三", 103), ("1911", 1911)]
        {
            assert_eq!(zh_number(text).map(|(number, _)| number), Some(number), "{text}");
        }
        assert_eq!(zh_number("岁"), None);
    }

    #[test]
    fn years_are_read_in_words_digits_and_reigns() {
        for (words, year) in [
            (&["1911"][..], (1911, 1)),
            (&["nineteen", "eleven", "was"], (1911, 2)),
            (&["nineteen-eleven"], (1911, 1)),
            (&["eighteen", "hundred", "and", "nine"], (1809, 4)),
        ] {
            assert_eq!(en_year(words), Some(year), "{words:?}");
        }
        assert_eq!(en_year(&["nineteen", "sheep"]), None);
        let years = |text: &str| zh_years(text).into_iter().map(|(year, _)| year).collect::<Vec<_>>();
        assert_eq!(years("一九○五年他来，1911年他走，民国三年又来。"), [1905, 1911, 1914]);
        assert_eq!(years("过了三年。"), Vec::<u32>::new());
    }
}
