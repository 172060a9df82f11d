//! Numbers of days by which a narration leads from one day to another: `three days after that`, `过了三天`.

use std::ops::Range;

use palimpsest_text::Language;

use crate::{
    en::{Word, Words, narration},
    numbers::{en_number, en_ordinal, zh_number},
    sentences::Sentence,
    zh::masked,
};

/// Words behind a number of days that lead to a later day.
const LATER: [&str; 13] = [
    "out",
    "into",
    "later",
    "after",
    "afterwards",
    "afterward",
    "on",
    "passed",
    "hence",
    "thereafter",
    "following",
    "from",
    "since",
];
/// Words behind a number of days that lead to an earlier day.
const EARLIER: [&str; 5] = ["before", "earlier", "ago", "previously", "previous"];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A number of days that leads from one day to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// Bytes of its words in the sentence.
    pub(super) range: Range<usize>,
    /// Days; negative for an earlier day.
    pub(super) days: i64,
}

/// Whether a sentence may have a span.
pub(super) fn may_have_span(text: &str) -> bool {
    ["day", "night", "week", "fortnight", "天", "日", "夜", "星期", "礼拜", "周"].iter().any(|word| text.contains(word))
}

/// The spans of the narration of a sentence.
pub(super) fn spans(language: Language, sentence: &Sentence<'_>) -> Vec<Span> {
    match language {
        Language::En => en_spans(&narration(sentence)),
        Language::Zh => zh_spans(&masked(sentence)),
    }
}

impl Span {
    /// Whether the span leads from the first of two weekdays to the second (`true`), or the other way; `None` where the
    /// sentence does not say.
    pub(super) fn direction(
        &self,
        language: Language,
        text: &str,
        first: &Range<usize>,
        second: &Range<usize>,
    ) -> Option<bool> {
        match language {
            Language::En => {
                // `three days after that Monday`: the day behind the preposition is the one to count from.
                let counts_from = |day: &Range<usize>| {
                    day.start >= self.range.end
                        && is_short(
                            &text[self.range.end..day.start],
                            &["that", "the", "this", "last", "a", "said", "same", "of", "fatal", "memorable"],
                        )
                };
                let has_preposition = text[self.range.clone()].ends_with("after")
                    || text[self.range.clone()].ends_with("before")
                    || text[self.range.clone()].ends_with("following")
                    || text[self.range.clone()].ends_with("from")
                    || text[self.range.clone()].ends_with("since");
                if has_preposition && counts_from(first) {
                    return Some(true);
                }
                if has_preposition && counts_from(second) {
                    return Some(false);
                }
                let is_between = first.end <= self.range.start && self.range.end <= second.start;
                let is_behind = second.end <= self.range.start;
                // `On Friday, three days after Tuesday` was answered above; here the second day is the later one.
                (is_between || is_behind && !has_preposition).then_some(true)
            }
            // 到了星期三，离那个星期一已经两天了: the day to count from is named as such.
            Language::Zh if is_start_zh(&text[first.end..second.start]) => Some(false),
            Language::Zh if is_start_zh(&text[..first.start]) => Some(true),
            // Chinese counts from what was named first: 星期三过去三天，到了星期六.
            Language::Zh => (first.start < self.range.end && self.range.start < second.start
                || second.end <= self.range.start)
                .then_some(true),
        }
    }

    /// Whether the span leads to the only weekday of its sentence from a day that was named before.
    pub(super) fn leads_on(&self, language: Language, text: &str, day: &Range<usize>) -> bool {
        match language {
            Language::En => {
                let words = &text[self.range.clone()];
                // `three days after Monday` counts from its own day, and leads nowhere.
                let own = day.start >= self.range.end
                    && (words.ends_with("after") || words.ends_with("before"))
                    && is_short(&text[self.range.end..day.start], &["that", "the", "this", "last", "a", "same"]);
                !own
            }
            Language::Zh => {
                let is_own = day.end <= self.range.start && text[day.end..self.range.start].chars().count() <= 2;
                !is_own
            }
        }
    }
}

/// Whether the words before a weekday name it as the day from which is counted: 离那个, 距开镰的那个.
fn is_start_zh(before: &str) -> bool {
    let clause = before.rsplit(['，', '。', '；']).next().unwrap_or_default();
    before.ends_with("那个") || before.ends_with("那一个") || clause.contains('距') || clause.ends_with('离')
}

/// Whether all words are in a list.
fn is_short(between: &str, list: &[&str]) -> bool {
    between.split_whitespace().all(|word| list.contains(&word.to_lowercase().as_str()))
}

fn en_spans(words: &Words<'_>) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for at in 0..words.all.len() {
        let Some((days, from, to)) = en_span_at(words, at) else { continue };
        let range = words.all[from].start..words.all[to - 1].end;
        if found.last().is_none_or(|last| last.range.end <= range.start) {
            found.push(Span { range, days });
        }
    }
    found
}

/// The days of a span whose unit is at a word, and the numbers of its words.
fn en_span_at(words: &Words<'_>, at: usize) -> Option<(i64, usize, usize)> {
    let unit = match words.lower(at) {
        "day" | "days" | "night" | "nights" | "morning" | "mornings" | "evening" => 1,
        "week" | "weeks" => 7,
        "fortnight" => 14,
        _ => return None,
    };
    let before = |back: usize| at.checked_sub(back).map_or("", |place| words.lower(place));
    let (next, second) = (words.joined(at + 1), words.joined(at + 2));
    // `three weeks or so after that`
    if next == "or" {
        return None;
    }
    // `the third day after`, `on the third day`
    if let Some(ordinal) = en_ordinal(before(1)).filter(|ordinal| unit == 1 && *ordinal > 1) {
        let to = if matches!(next, "after" | "following" | "from") { at + 2 } else { at + 1 };
        let is_span = to == at + 2 || before(2) == "the" && matches!(before(3), "on" | "by" | "upon");
        return is_span.then(|| (i64::from(ordinal), at - 1, to));
    }
    // `The day after, Friday,`
    // `The day following, a Thursday,`
    if unit == 1 && before(1) == "the" && next == "following" && words.ends_before(at + 2) {
        return Some((1, at - 1, at + 2));
    }
    let is_closed = words.ends_before(at + 2) || matches!(second, "was" | "came" | "being");
    if unit == 1 && before(1) == "the" && next == "after" && is_closed {
        return Some((1, at - 1, at + 2));
    }
    let opens = before(1) == "next" && at.checked_sub(1).is_some_and(|place| place == 0 || words.ends_before(place));
    if opens || matches!(before(1), "next" | "following") && before(2) == "the" {
        return Some((unit, at - 1, at + 1));
    }
    let number = match before(1) {
        "a" | "one" => 1,
        "more" | "whole" | "full" | "long" => en_number(before(2))?,
        word => en_number(word)?,
    };
    let days = i64::from(number).checked_mul(unit).filter(|days| *days <= 400)?;
    // `five days on the road since that Saturday`
    let since = (at + 2..at + 7).find(|&place| {
        matches!(words.joined(place), "since" | "after" | "from") && matches!(words.joined(place + 1), "that" | "the")
    });
    if let Some(since) = since.filter(|_| words.all[at - 1].marks.is_empty()) {
        return Some((days, at - 1, since + 1));
    }
    if LATER.contains(&next) && (next != "on" || words.ends_before(at + 2)) {
        return Some((days, at - 1, at + 2));
    }
    if EARLIER.contains(&next) {
        return Some((-days, at - 1, at + 2));
    }
    // `three days had passed`, `three days went by`
    let is_past = matches!(next, "had" | "have" | "were") && matches!(second, "passed" | "gone" | "elapsed" | "over")
        || next == "went" && matches!(second, "by" | "past")
        || next == "elapsed";
    if is_past {
        return Some((days, at - 1, at + 3));
    }
    let number_at = if matches!(before(1), "more" | "whole" | "full" | "long") { 2 } else { 1 };
    // `She stayed three days, and left on the Saturday`
    let verb = before(number_at + 1);
    let lasts =
        matches!(verb, "stayed" | "lasted" | "waited" | "remained" | "lay" | "continued" | "raged" | "lingered")
            || verb == "within" && words.all[at + 1..].iter().any(|word| WEEKDAYS.contains(&word.lower.as_str()));
    if lasts && words.ends_before(at + 1) {
        return Some((days, at - number_at, at + 1));
    }
    // `It snowed for six days, and stopped on Monday`
    let names_day = |word: &Word<'_>| WEEKDAYS.contains(&word.lower.as_str());
    if before(number_at + 1) == "for" && words.all[at + 1..].iter().any(names_day) {
        return Some((days, at - number_at, at + 1));
    }
    // `after three days`
    let is_after = before(number_at + 1) == "after" && words.all[at - number_at].marks.is_empty();
    is_after.then_some((days, at - number_at, at + 1))
}

fn zh_spans(text: &str) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(word) =
            ["次日", "翌日", "隔天", "隔日", "转天", "第二天", "第二日"].iter().find(|word| rest.starts_with(**word))
        {
            found.push(Span { range: at..at + word.len(), days: 1 });
            at += word.len();
            continue;
        }
        let Some((number, length)) = zh_number(rest) else {
            at += c.len_utf8();
            continue;
        };
        if let Some((days, to)) = zh_span_at(text, at, at + length, number) {
            found.push(Span { range: at..to, days });
            at = to;
        } else {
            at += length;
        }
    }
    found
}

/// The days of a span with a number, and the end of its words.
fn zh_span_at(text: &str, from: usize, to: usize, number: u32) -> Option<(i64, usize)> {
    const UNITS: [(&str, i64); 12] = [
        ("天", 1),
        ("日", 1),
        ("夜", 1),
        ("昼夜", 1),
        ("个晚上", 1),
        ("整天", 1),
        ("个星期", 7),
        ("个礼拜", 7),
        ("星期", 7),
        ("礼拜", 7),
        ("周", 7),
        ("个白天", 1),
    ];
    let (before, behind) = (&text[..from], &text[to..]);
    // 星期三 is no number of weeks, and 三月五日 no number of days.
    if ["星期", "礼拜", "周", "月", "年"].iter().any(|word| before.ends_with(word)) {
        return None;
    }
    let (unit, days) = UNITS.iter().find(|(unit, _)| behind.starts_with(unit))?;
    let end = to + unit.len();
    let rest = &text[end..];
    let days = i64::from(number).checked_mul(*days).filter(|days| (1..=400).contains(days))?;
    if ["之前", "以前", "前"].iter().any(|word| rest.starts_with(word)) {
        return Some((-days, end));
    }
    if let Some(word) =
        ["之后", "以后", "过后", "过去", "后", "一过", "下来", "之久"].iter().find(|word| rest.starts_with(**word))
    {
        return Some((days, end + word.len()));
    }
    let is_passed = [
        "过后",
        "之后",
        "以后",
        "过了",
        "过去了",
        "过去",
        "隔了",
        "隔",
        "又过",
        "再过",
        "等了",
        "经过",
        "第",
        "过",
        "整整",
        "挨了",
        "又是",
    ]
    .iter()
    .any(|word| before.ends_with(word));
    // 离那个星期一已有三天, 今天是星期六，画挂上去已经六天
    let is_counted = ["已有", "已经", "已经有", "已", "正好", "刚好", "恰好", "足足", "不过", "才", "有"]
        .iter()
        .any(|word| before.ends_with(word))
        && ["离", "距", "今天是", "这天是", "这一天是"].iter().any(|word| text.contains(word));
    // 走了四天, 等了三天.
    (is_counted || is_passed || before.ends_with('了')).then_some((days, end))
}
