//! File names of chapters: reading order and safe new names.

use std::cmp::Ordering;

pub(crate) use palimpsest_files::is_chapter_name;

/// The longest stem of a file name made here, in bytes: the usual limit is 255, and a counter and `.md` are added.
const MAX_STEM_BYTES: usize = 150;

/// Compares two paths inside a book (parts separated by `/`) in reading order: 2 before 10, 第二章 before 第十章,
/// （上） before （中） before （下）, upper and lower case alike.
pub(crate) fn reading_order(a: &str, b: &str) -> Ordering {
    let natural = |path: &str| path.split('/').map(segments).collect::<Vec<_>>();
    natural(a).cmp(&natural(b)).then_with(|| a.cmp(b))
}

/// A segment of a name: a number compares by value and sorts before words.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Number(u64),
    Words(String),
}

fn segments(name: &str) -> Vec<Segment> {
    let stem = file_stem(name);
    let chars: Vec<char> = stem.chars().collect();
    let mut segments = Vec::new();
    let mut words = String::new();
    let mut at = 0;
    while let Some(&here) = chars.get(at) {
        let end = run_end(&chars, at, |c| decimal_digit(c).is_some());
        let number = if end > at {
            let value = chars[at..end]
                .iter()
                .filter_map(|&c| decimal_digit(c))
                .fold(0u64, |sum, digit| sum.saturating_mul(10).saturating_add(digit));
            Some((value, end))
        } else {
            han_number(&chars, at).or_else(|| volume_number(&chars, at))
        };
        if let Some((value, end)) = number {
            if !words.is_empty() {
                segments.push(Segment::Words(std::mem::take(&mut words)));
            }
            segments.push(Segment::Number(value));
            at = end;
        } else {
            words.extend(here.to_lowercase());
            at += 1;
        }
    }
    if !words.is_empty() {
        segments.push(Segment::Words(words));
    }
    segments
}

/// The index after the run of characters from `at` on that satisfy `is`.
fn run_end(chars: &[char], at: usize, is: impl Fn(char) -> bool) -> usize {
    at + chars[at..].iter().take_while(|&&c| is(c)).count()
}

fn decimal_digit(c: char) -> Option<u64> {
    match c {
        '0'..='9' => Some(u64::from(c as u32 - '0' as u32)),
        '０'..='９' => Some(u64::from(c as u32 - '０' as u32)),
        _ => None,
    }
}

fn han_digit(c: char) -> Option<u64> {
    Some(match c {
        '零' | '〇' => 0,
        '一' | '壹' => 1,
        '二' | '两' | '贰' => 2,
        '三' | '叁' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陆' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    })
}

fn han_unit(c: char) -> Option<u64> {
    Some(match c {
        '十' | '拾' => 10,
        '百' | '佰' => 100,
        '千' | '仟' => 1000,
        '万' | '萬' => 10_000,
        _ => return None,
    })
}

/// Whether a character is a numeral of Chinese writing.
pub(crate) fn is_han_numeral(c: char) -> bool {
    han_digit(c).is_some() || han_unit(c).is_some()
}

/// A number in Han numerals with the index after it, only where it counts something (第二…, 卷二, 二章, 一、): 三 in a
/// word is no number.
fn han_number(chars: &[char], at: usize) -> Option<(u64, usize)> {
    let end = run_end(chars, at, is_han_numeral);
    if end == at {
        return None;
    }
    let before = at.checked_sub(1).and_then(|i| chars.get(i));
    let after = chars.get(end);
    let counts = matches!(before, Some('第' | '卷' | '部' | '篇' | '之'))
        || matches!(after, Some('章' | '回' | '节' | '節' | '卷' | '部' | '集' | '幕' | '篇' | '话' | '話' | '册'))
        || at == 0 && matches!(after, None | Some('、' | '.' | '．' | ' ' | '-' | '_' | '　'));
    counts.then(|| (han_value(&chars[at..end]), end))
}

fn han_value(numerals: &[char]) -> u64 {
    // 一二三 and 二〇二四 are read digit by digit, 一百二十三 by units.
    if !numerals.iter().any(|&c| han_unit(c).is_some()) {
        return numerals
            .iter()
            .filter_map(|&c| han_digit(c))
            .fold(0u64, |sum, digit| sum.saturating_mul(10).saturating_add(digit));
    }
    let (mut total, mut section, mut digit) = (0u64, 0u64, None);
    for &c in numerals {
        if let Some(value) = han_digit(c) {
            digit = Some(value);
        } else if let Some(unit) = han_unit(c) {
            if unit == 10_000 {
                total = total.saturating_add((section + digit.unwrap_or(0)).max(1).saturating_mul(unit));
                section = 0;
            } else {
                section = section.saturating_add(digit.unwrap_or(1) * unit);
            }
            digit = None;
        }
    }
    total.saturating_add(section).saturating_add(digit.unwrap_or(0))
}

/// 上, 中, 下 at the end of a name, or in brackets there: the volumes of one chapter.
fn volume_number(chars: &[char], at: usize) -> Option<(u64, usize)> {
    let value = match chars.get(at)? {
        '上' => 1,
        '中' => 2,
        '下' => 3,
        _ => return None,
    };
    let last = match chars.get(at + 1) {
        None => true,
        Some('）' | ')' | '】' | ']') => at + 2 == chars.len(),
        Some(_) => false,
    };
    last.then_some((value, at + 1))
}

/// The last part of a path, without `.md`.
pub(crate) fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_chapter_name(name) { &name[..name.len() - ".md".len()] } else { name }
}

/// A title on one line, trimmed; `None` if nothing visible remains.
pub(crate) fn single_line(title: &str) -> Option<String> {
    let line: Vec<&str> = title
        .split(|c: char| c.is_control() || c.is_whitespace() || c == '\u{feff}')
        .filter(|word| !word.is_empty())
        .collect();
    (!line.is_empty()).then(|| line.join(" "))
}

/// A file name for a new chapter: the title without characters that file systems refuse, continuing the numbering of
/// `last` (the name of the book's last chapter) if any, and with a counter if `is_used` reports the name as in use.
///
/// `is_used` gets the name in lower case, because many file systems do not distinguish `Storm.md` from `storm.md`.
pub(crate) fn new_file_name(title: &str, last: Option<&str>, is_used: impl Fn(&str) -> bool) -> String {
    let stem = continue_numbering(&safe_stem(title), last);
    let mut name = format!("{stem}.md");
    let mut count = 2u32;
    while is_used(&name.to_lowercase()) {
        name = format!("{stem} {count}.md");
        count = count.saturating_add(1);
    }
    name
}

/// A file name right after that of `stem` in reading order: the stem with the first unused number from 2.
pub(crate) fn numbered_file_name(stem: &str, is_used: impl Fn(&str) -> bool) -> String {
    let mut count = 2u32;
    loop {
        let name = format!("{stem} {count}.md");
        if !is_used(&name.to_lowercase()) {
            return name;
        }
        count = count.saturating_add(1);
    }
}

fn safe_stem(title: &str) -> String {
    let mut stem = String::new();
    for c in title.chars() {
        let c = match c {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '-',
            c if c.is_control() => '-',
            // Marks that change the direction of writing can disguise a name.
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => continue,
            c => c,
        };
        if stem.len() + c.len_utf8() > MAX_STEM_BYTES {
            break;
        }
        stem.push(c);
    }
    let stem = stem.trim_matches(|c: char| c == '.' || c == '-' || c.is_whitespace());
    let device = stem.split('.').next().unwrap_or(stem).to_ascii_uppercase();
    let is_reserved = matches!(device.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || (device.len() == 4
            && (device.starts_with("COM") || device.starts_with("LPT"))
            && device.ends_with(|c: char| c.is_ascii_digit()));
    match (stem.is_empty(), is_reserved) {
        (true, _) => "chapter".to_owned(),
        (_, true) => format!("{stem}_"),
        _ => stem.to_owned(),
    }
}

/// The stem `own` with the next number after that of `last`: after `07 - Storm` comes `08 - …`, after `07` comes `08`.
fn continue_numbering(own: &str, last: Option<&str>) -> String {
    let previous = last.map_or("", file_stem);
    let width = previous.bytes().take_while(u8::is_ascii_digit).count();
    let next = previous[..width].parse::<u32>().ok().and_then(|n| n.checked_add(1));
    let (Some(next), false) = (next, own.starts_with(|c: char| c.is_ascii_digit())) else {
        return own.to_owned();
    };
    let rest = &previous[width..];
    let separator: String = rest.chars().take_while(|c| !c.is_alphanumeric()).collect();
    match (rest.is_empty(), separator.is_empty()) {
        (true, _) => format!("{next:0width$}"),
        // `07Storm`, `3rd draft`: the digits belong to the word.
        (_, true) => own.to_owned(),
        _ => format!("{next:0width$}{separator}{own}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_order(expected: &[&str]) {
        let mut sorted = expected.to_vec();
        sorted.reverse();
        sorted.sort_by(|a, b| reading_order(a, b));
        assert_eq!(sorted, expected);
    }

    #[test]
    fn chapters_come_in_reading_order() {
        check_order(&["1.md", "2.md", "10.md"]);
        check_order(&["Chapter 2.md", "chapter 3.md", "Chapter 10.md"]);
        check_order(&["第一章 雨.md", "第二章 山.md", "第十章.md", "第十二章.md", "第二十章.md", "第一百零三章.md"]);
        check_order(&["第１章.md", "第2章.md", "第三章.md"]);
        check_order(&["归来（上）.md", "归来（中）.md", "归来（下）.md"]);
        check_order(&["00 Prologue.md", "01 Part one/2.md", "01 Part one/10.md", "02 Part two/1.md", "99 End.md"]);
        check_order(&["卷一/第二章.md", "卷一/第三章.md", "卷二/第一章.md"]);
    }

    #[test]
    fn a_numeral_inside_a_word_is_no_number() {
        // By value 万 would come last.
        check_order(&["一往无前.md", "万里.md", "三生石.md"]);
    }

    #[test]
    fn enormous_numbers_do_not_overflow() {
        check_order(&["2.md", "99999999999999999999999999.md"]);
        check_order(&["第二章.md", "第万万万万万万万万九九九九九九九九九九九九九九九九九九九九千章.md"]);
    }

    #[test]
    fn new_file_names_are_safe_everywhere() {
        let check = |title: &str, expected: &str| assert_eq!(new_file_name(title, None, |_| false), expected);
        check("雨夜", "雨夜.md");
        check("../../etc/passwd", "etc-passwd.md");
        check("..", "chapter.md");
        check("What? A \"storm\"!", "What- A -storm-!.md");
        check("con", "con_.md");
        check("LPT1.draft", "LPT1.draft_.md");
        check(".hidden", "hidden.md");
        check(&"雨".repeat(200), &format!("{}.md", "雨".repeat(50)));
    }

    #[test]
    fn new_file_names_go_on_with_the_numbering() {
        let after = |last: &str, title: &str| new_file_name(title, Some(last), |_| false);
        assert_eq!(after("09 - Rain.md", "Storm"), "10 - Storm.md");
        assert_eq!(after("part/009_Rain.md", "Storm"), "010_Storm.md");
        assert_eq!(after("09.md", "Storm"), "10.md");
        assert_eq!(after("09 Rain.md", "12 Storm"), "12 Storm.md");
        assert_eq!(after("3rd draft.md", "Storm"), "Storm.md");
        assert_eq!(after("第九章.md", "第十章"), "第十章.md");
    }

    #[test]
    fn new_file_names_never_meet_an_old_one() {
        let taken = ["storm.md", "storm 2.md"];
        assert_eq!(new_file_name("Storm", None, |name| taken.contains(&name)), "Storm 3.md");
    }
}
