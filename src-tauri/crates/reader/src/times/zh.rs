//! Chinese expressions of time.

use super::{Date, PartOfDay, Season, TimeExpression, TimeUnit, TimeValue, Weekday};
use crate::numbers::{ZhNumber, zh_digit, zh_number};

const PARTS: [(&str, PartOfDay); 26] = [
    ("黎明", PartOfDay::Dawn),
    ("拂晓", PartOfDay::Dawn),
    ("天亮", PartOfDay::Dawn),
    ("早晨", PartOfDay::Morning),
    ("早上", PartOfDay::Morning),
    ("清早", PartOfDay::Morning),
    ("清晨", PartOfDay::Morning),
    ("上午", PartOfDay::Morning),
    ("中午", PartOfDay::Noon),
    ("正午", PartOfDay::Noon),
    ("晌午", PartOfDay::Noon),
    ("下午", PartOfDay::Afternoon),
    ("午后", PartOfDay::Afternoon),
    ("傍晚", PartOfDay::Evening),
    ("黄昏", PartOfDay::Evening),
    ("晚上", PartOfDay::Evening),
    ("傍黑", PartOfDay::Evening),
    ("夜里", PartOfDay::Night),
    ("夜间", PartOfDay::Night),
    ("夜晚", PartOfDay::Night),
    ("当夜", PartOfDay::Night),
    ("深夜", PartOfDay::Night),
    ("半夜", PartOfDay::Midnight),
    ("午夜", PartOfDay::Midnight),
    ("子夜", PartOfDay::Midnight),
    ("凌晨", PartOfDay::Dawn),
];
const DAYS: [(&str, i32); 10] = [
    ("第二天", 1),
    ("次日", 1),
    ("翌日", 1),
    ("明天", 1),
    ("明日", 1),
    ("后天", 2),
    ("昨天", -1),
    ("昨日", -1),
    ("前天", -2),
    ("大前天", -3),
];
/// Most characters of a number.
const MAX_NUMBER_CHARS: usize = 10;

pub(super) fn expressions(text: &str) -> Vec<TimeExpression> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match expression(&text[at..]) {
            Some((length, value)) if length > 0 => {
                found.push(TimeExpression { range: at..at + length, value });
                at += length;
            }
            // The rest of a number is no number of its own: 三十五 has no 五.
            _ => at += number(&text[at..]).map_or(c.len_utf8(), |(length, ..)| length),
        }
    }
    found
}

/// The length in bytes of the expression with which a text begins, and its meaning.
type Match = Option<(usize, TimeValue)>;

fn expression(text: &str) -> Match {
    day(text).or_else(|| weekday(text)).or_else(|| season(text)).or_else(|| numbered(text))
}

fn day(text: &str) -> Match {
    if let Some((word, part)) = PARTS.iter().find(|(word, _)| text.starts_with(word)) {
        return Some((word.len(), TimeValue::PartOfDay(*part)));
    }
    let (word, amount) = DAYS.iter().find(|(word, _)| text.starts_with(word))?;
    Some((word.len(), TimeValue::After { amount: *amount, unit: TimeUnit::Day }))
}

fn weekday(text: &str) -> Match {
    let head = ["星期", "礼拜", "周"].into_iter().find(|head| text.starts_with(head))?;
    let name = text[head.len()..].chars().next()?;
    let day = match name {
        '一' => Weekday::Monday,
        '二' => Weekday::Tuesday,
        '三' => Weekday::Wednesday,
        '四' => Weekday::Thursday,
        '五' => Weekday::Friday,
        '六' => Weekday::Saturday,
        '日' | '天' => Weekday::Sunday,
        _ => return None,
    };
    // 周 alone is also a name and a circle: only 周一 to 周日 before nothing that continues a number or a word of them.
    let after = text[head.len() + name.len_utf8()..].chars().next();
    let is_other = head == "周" && after.is_some_and(|c| matches!(c, '岁' | '年' | '天' | '日' | '个'));
    (!is_other).then_some((head.len() + name.len_utf8(), TimeValue::Weekday(day)))
}

fn season(text: &str) -> Match {
    let first = text.chars().next()?;
    let season = match first {
        '春' => Season::Spring,
        '夏' => Season::Summer,
        '秋' => Season::Autumn,
        '冬' => Season::Winter,
        _ => return None,
    };
    let rest = &text[first.len_utf8()..];
    let end = rest.chars().next().filter(|c| matches!(c, '天' | '季' | '日' | '夜'))?;
    (end != '夜').then_some((first.len_utf8() + end.len_utf8(), TimeValue::Season(season)))
}

/// A date, a distance or an age that begins with a number.
fn numbered(text: &str) -> Match {
    let (length, value, digits) = number(text)?;
    let rest = &text[length..];
    if let Some(after) = rest.strip_prefix('年')
        && digits >= 3
        && (100..=2999).contains(&value)
    {
        let year = u16::try_from(value).ok();
        let used = text.len() - after.len();
        return Some(match month_and_day(after, year) {
            Some((more, month, day)) => (used + more, TimeValue::Date { year, month: Some(month), day }),
            None => (used, TimeValue::Date { year, month: None, day: None }),
        });
    }
    if let Some((used, month, Some(day))) = month_and_day(text, None) {
        return Some((used, TimeValue::Date { year: None, month: Some(month), day: Some(day) }));
    }
    if rest.starts_with('岁') {
        let age = u16::try_from(value).ok().filter(|age| *age <= 150)?;
        return Some((length + '岁'.len_utf8(), TimeValue::Age(age)));
    }
    distance(text, length, value)
}

/// 九月十八日, 九月: the length, the month and the day.
fn month_and_day(text: &str, year: Option<u16>) -> Option<(usize, u8, Option<u8>)> {
    let (length, month, _) = number(text)?;
    let month = u8::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    let rest = text[length..].strip_prefix('月')?;
    let used = text.len() - rest.len();
    let day = number(rest).and_then(|(length, day, _)| {
        let mark = rest[length..].chars().next().filter(|c| matches!(c, '日' | '号'))?;
        let day = u8::try_from(day).ok()?;
        Date::new(year.unwrap_or(2000), month, day)?;
        Some((length + mark.len_utf8(), day))
    });
    Some(match day {
        Some((more, day)) => (used + more, month, Some(day)),
        None => (used, month, None),
    })
}

fn distance(text: &str, length: usize, value: u32) -> Match {
    const UNITS: [(&str, TimeUnit); 11] = [
        ("个钟头", TimeUnit::Hour),
        ("个小时", TimeUnit::Hour),
        ("小时", TimeUnit::Hour),
        ("个星期", TimeUnit::Week),
        ("星期", TimeUnit::Week),
        ("个礼拜", TimeUnit::Week),
        ("个月", TimeUnit::Month),
        ("月", TimeUnit::Month),
        ("天", TimeUnit::Day),
        ("日", TimeUnit::Day),
        ("年", TimeUnit::Year),
    ];
    let (name, unit) = UNITS.iter().find(|(name, _)| text[length..].starts_with(name))?;
    let at = length + name.len();
    let rest = &text[at..];
    let ends = [("之后", 1), ("以后", 1), ("后", 1), ("之前", -1), ("以前", -1), ("前", -1)];
    let (end, sign) = ends.into_iter().find(|(end, _)| rest.starts_with(end))?;
    let amount = i32::try_from(value).ok()?.checked_mul(sign)?;
    Some((at + end.len(), TimeValue::After { amount, unit: *unit }))
}

/// The number with which a text begins: its length in bytes, its value, and its number of characters.
fn number(text: &str) -> Option<(usize, u32, usize)> {
    let ZhNumber { value, length, chars } = zh_number(text, MAX_NUMBER_CHARS, zh_digit)?;
    Some((length, value, chars))
}
