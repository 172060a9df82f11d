//! Dates, weekdays and seasons that do not fit the calendar.
//!
//! A whole date has one weekday; a weekday and a number of days lead to another weekday; a month lies in a season.

mod seasons;
mod spans;
mod whole;

use std::ops::Range;

use palimpsest_reader::times::{Date, TimeExpression, TimeUnit, TimeValue, Weekday};
use palimpsest_text::Language;

use crate::{
    Clash, FoundBy, Kind,
    sentences::{Sentence, Sentences},
};

/// Sentences between a weekday and a distance that leads on from it.
const MAX_SENTENCES: usize = 120;
/// Most days at which a narration may be, for an alarm.
const MAX_READINGS: usize = 4;
/// Most characters between a date and its weekday, or a season and its month.
const MAX_BETWEEN: usize = 24;
/// The first year whose dates follow the Gregorian calendar everywhere.
const FIRST_GREGORIAN: u16 = 1753;

/// Words between or before a date and a weekday by which they are two different days, in English.
const OTHER_DAY_EN: [&str; 20] = [
    "after",
    "before",
    "following",
    "next",
    "last",
    "until",
    "till",
    "since",
    "from",
    "previous",
    "preceding",
    "past",
    "and",
    "or",
    "to",
    "later",
    "earlier",
    "every",
    "second",
    "third",
];
/// The same in Chinese.
const OTHER_DAY_ZH: [&str; 35] = [
    "后", "前", "过", "下", "上", "从", "和", "与", "或", "每", "第", "次", "隔", "离", "再", "又", "起", "以来", "说",
    "约", "订", "等", "打算", "准备", "收到", "预备", "答应", "改在", "改到", "推迟", "直到", "的信", "寄", "回信",
    "才",
];
/// Words of other calendars, by which a date has another weekday.
const OTHER_CALENDAR: [&str; 13] =
    ["小阳春", "农历", "阴历", "旧历", "夏历", "初", "闰", "old style", "Old Style", "O.S.", "Julian", "俄历", "回历"];

/// A weekday from which a narration goes on.
#[derive(Clone)]
struct Anchor {
    /// Number of the sentence.
    at: usize,
    /// Bytes of the sentence.
    range: Range<usize>,
    /// The days at which the narration may be by now: that one, and those to which later sentences may have led.
    readings: Vec<Weekday>,
}

/// Days that a sentence lets pass, without a weekday to which they lead.
struct Passed {
    /// Number of the sentence.
    number: usize,
    anchor: Anchor,
    days: i64,
}

fn weekday(time: &TimeExpression) -> Option<(Range<usize>, Weekday)> {
    match time.value {
        TimeValue::Weekday(day) => Some((time.range.clone(), day)),
        _ => None,
    }
}

/// The weekday of which somebody says that it is today's: `“It is Tuesday,” said Mara`.
fn spoken_today(language: Language, sentence: &Sentence<'_>) -> Option<(Range<usize>, Weekday)> {
    let mut spoken = sentence.times.iter().filter(|time| sentence.is_spoken(time.range.start)).filter_map(weekday);
    let (range, day) = spoken.next().filter(|_| spoken.next().is_none())?;
    let (before, behind) = (sentence.text[..range.start].trim_end(), &sentence.text[range.end..]);
    let is_today = match language {
        Language::En => {
            let before = before.to_lowercase();
            ["it is", "it's", "it’s", "today is", "today's", "to-day is", "this is"]
                .iter()
                .any(|word| before.ends_with(word))
        }
        Language::Zh => {
            ["今天", "今天是", "今儿", "今儿是", "今日", "今日是"].iter().any(|word| before.ends_with(word))
        }
    };
    let asks = behind.trim_start().starts_with(['?', '？', '吗', '吧', '呀']);
    (is_today && !asks).then_some((range, day))
}

/// Whether nothing but a preposition stands before a weekday: `On Friday`, 到了星期五.
fn opens_with_day(language: Language, before: &str) -> bool {
    match language {
        Language::En => before.split_whitespace().all(|word| {
            matches!(
                word.to_lowercase().trim_matches(','),
                "on" | "the" | "then" | "and" | "it" | "was" | "a" | "that" | "by"
            )
        }),
        Language::Zh => {
            before.chars().count() <= 8 && ["到了", "是", "，", ""].iter().any(|word| before.ends_with(word))
        }
    }
}

/// Dates, spans, weekdays and seasons that do not agree with one another.
pub(crate) fn calendar_clashes(language: Language, sentences: &Sentences<'_>) -> Vec<Clash> {
    let mut found = Vec::new();
    let mut anchor: Option<Anchor> = None;
    let mut passed: Option<Passed> = None;
    for (number, sentence) in sentences.all.iter().enumerate() {
        anchor = anchor.filter(|anchor| {
            sentences.all[anchor.at].chapter == sentence.chapter && number - anchor.at <= MAX_SENTENCES
        });
        if sentence.times.is_empty() && !sentence.text.contains('月') && !spans::may_have_span(sentence.text) {
            continue;
        }
        found.extend(date_of_weekday(language, &sentences.all, number));
        found.extend(seasons::season_of_month(language, sentence));
        found.extend(date_of_span(language, &sentences.all, number));
        let mut weekdays: Vec<(Range<usize>, Weekday)> = narrated(sentence).filter_map(weekday).collect();
        if weekdays.is_empty() {
            weekdays.extend(spoken_today(language, sentence));
        }
        let spans = spans::spans(language, sentence);
        if let [span] = spans.as_slice() {
            let own = |(range, day): &(Range<usize>, Weekday)| Anchor {
                at: number,
                range: range.clone(),
                readings: vec![*day],
            };
            let ends = match weekdays.as_slice() {
                [first, second] => span
                    .direction(language, sentence.text, &first.0, &second.0)
                    .map(|is_forward| if is_forward { (own(first), second) } else { (own(second), first) }),
                [only] if span.leads_on(language, sentence.text, &only.0) => {
                    anchor.clone().map(|anchor| (anchor, only))
                }
                _ => None,
            };
            found.extend(ends.and_then(|(from, to)| weekday_of_span(&sentences.all, &from, span.days, number, to)));
        }
        // `Five days passed. On Friday a constable called.`
        if let ([only], [], Some(before)) = (weekdays.as_slice(), spans.as_slice(), &passed)
            && before.number + 1 == number
            && sentences.all[before.number].is_beside(sentence)
            && opens_with_day(language, &sentence.text[..only.0.start])
        {
            found.extend(weekday_of_span(&sentences.all, &before.anchor, before.days, number, only));
        }
        passed = match (spans.as_slice(), weekdays.as_slice(), &anchor) {
            ([span], [], Some(anchor)) if span.days > 0 => {
                Some(Passed { number, anchor: anchor.clone(), days: span.days })
            }
            _ => None,
        };
        anchor = next_anchor(language, anchor, number, sentence, &weekdays, &spans);
    }
    found
}

/// The clash of a weekday with the one from which a number of days leads to it, unless a reading fits. The day itself
/// may be counted or not.
fn weekday_of_span(
    all: &[Sentence<'_>],
    from: &Anchor,
    days: i64,
    number: usize,
    (range, day): &(Range<usize>, Weekday),
) -> Option<Clash> {
    let fits = |first: &Weekday| (-1..=1).any(|slack| first.plus(days + slack) == *day);
    if from.readings.iter().any(fits) {
        return None;
    }
    let (first, second) = (&all[from.at], &all[number]);
    Some(Clash {
        kind: Kind::Weekday,
        found_by: FoundBy::Computed,
        entity: None,
        values: vec![first.text[from.range.clone()].to_owned(), second.text[range.clone()].to_owned()],
        places: [first.place(Some(from.range.clone())), second.place(Some(range.clone()))],
    })
}

/// The weekday from which the narration goes on after a sentence. Alarms need certainty: a sentence that may lead to
/// another day adds a reading, and too many of them, or an unknown day, end the anchor.
fn next_anchor(
    language: Language,
    anchor: Option<Anchor>,
    number: usize,
    sentence: &Sentence<'_>,
    weekdays: &[(Range<usize>, Weekday)],
    spans: &[spans::Span],
) -> Option<Anchor> {
    let dated: Vec<Weekday> =
        sentence.times.iter().filter_map(|time| whole_date(time.value)).map(Date::weekday).collect();
    if let ([.., (range, day)], []) = (weekdays, dated.as_slice()) {
        let anchor = Anchor { at: number, range: range.clone(), readings: vec![*day] };
        return Some(anchor).filter(|_| !is_habit(language, sentence.text, range));
    }
    let mut anchor = anchor?;
    if narrated(sentence).any(|time| moves_to_unknown_day(time.value)) {
        return None;
    }
    // A date may be the day of the narration, or only be spoken of; its weekday may be the right one or the stated one.
    anchor.readings.extend(dated);
    anchor.readings.extend(weekdays.iter().map(|(_, day)| *day));
    for span in spans.iter().filter(|span| span.days > 0) {
        let moved: Vec<Weekday> = anchor.readings.iter().map(|day| day.plus(span.days)).collect();
        anchor.readings.extend(moved);
    }
    anchor.readings.sort_unstable();
    anchor.readings.dedup();
    (anchor.readings.len() <= MAX_READINGS).then_some(anchor)
}

/// The expressions of time outside speech.
fn narrated<'a>(sentence: &'a Sentence<'_>) -> impl Iterator<Item = &'a TimeExpression> {
    sentence.times.iter().filter(|time| !sentence.is_spoken(time.range.start))
}

/// Whether the narration may go on to a day whose weekday is not known.
fn moves_to_unknown_day(value: TimeValue) -> bool {
    match value {
        TimeValue::Date { year, day, .. } => year.is_none() && day.is_some(),
        TimeValue::After { amount, unit } => amount > 0 && matches!(unit, TimeUnit::Month | TimeUnit::Year),
        _ => false,
    }
}

/// Whether a weekday is each week's: `every Monday`, `每逢星期一`.
fn is_habit(language: Language, text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].trim_end();
    match language {
        Language::En => {
            let before = before.to_lowercase();
            ["every", "each", "on alternate", "last", "next", "until", "till", "before", "after"]
                .iter()
                .any(|word| before.ends_with(word))
                || text[range.end..].starts_with('s')
        }
        Language::Zh => {
            ["每", "每个", "每逢", "逢", "上", "下", "上个", "下个", "每到"].iter().any(|word| before.ends_with(word))
        }
    }
}

fn weekday_name(language: Language, day: Weekday) -> String {
    const ZH: [&str; 7] = ["星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"];
    match language {
        Language::En => format!("{day:?}"),
        Language::Zh => ZH.get(day as usize).copied().unwrap_or_default().to_owned(),
    }
}

/// A whole date and the weekday beside it, in one sentence or at the start of the next.
fn date_of_weekday(language: Language, all: &[Sentence<'_>], number: usize) -> Option<Clash> {
    let sentence = &all[number];
    let dates = whole::whole_dates(language, sentence);
    let [(date_at, date)] = dates.as_slice() else { return None };
    let is_other_calendar = OTHER_CALENDAR.iter().any(|word| sentence.text.contains(word));
    if date.parts().0 < FIRST_GREGORIAN || is_other_calendar {
        return None;
    }
    let weekday = |sentence: &Sentence<'_>| -> Option<(Range<usize>, Weekday)> {
        let mut found = sentence.times.iter().filter_map(|time| match time.value {
            TimeValue::Weekday(day) => Some((time.range.clone(), day)),
            _ => None,
        });
        let only = found.next()?;
        found.next().is_none().then_some(only)
    };
    let (place, day, day_text) = match weekday(sentence) {
        Some((range, day)) => {
            if !is_same_day(language, sentence.text, date_at, &range) {
                return None;
            }
            let text = sentence.text[range.clone()].to_owned();
            (sentence.place(Some(range)), day, text)
        }
        None => {
            if let Some(clash) = date_after_weekday(language, all, number, date_at, *date) {
                return Some(clash);
            }
            let next = all.get(number + 1).filter(|next| next.is_beside(sentence))?;
            let (range, day) = weekday(next)?;
            let has_date =
                next.times.iter().any(|time| matches!(time.value, TimeValue::Date { .. } | TimeValue::After { .. }));
            let starts = introduces_weekday(language, &next.text[..range.start]);
            let has_shift =
                dates.len() != 1 || sentence.times.iter().any(|time| matches!(time.value, TimeValue::After { .. }));
            if has_date || has_shift || !starts {
                return None;
            }
            let text = next.text[range.clone()].to_owned();
            (next.place(Some(range)), day, text)
        }
    };
    if date.weekday() == day {
        return None;
    }
    let right = weekday_name(language, date.weekday());
    let date_text = sentence.text[date_at.clone()].to_owned();
    Some(Clash {
        kind: Kind::Date,
        found_by: FoundBy::Computed,
        entity: None,
        places: [sentence.place(Some(date_at.clone())), place],
        values: vec![format!("{date_text} = {right}"), day_text],
    })
}

/// A short sentence with a weekday alone, and the date that the next one begins with: `It was a Sunday. It was the
/// twelfth of May, 1903.`
fn date_after_weekday(
    language: Language,
    all: &[Sentence<'_>],
    number: usize,
    date_at: &Range<usize>,
    date: Date,
) -> Option<Clash> {
    let sentence = &all[number];
    let before = number.checked_sub(1).map(|before| &all[before]).filter(|one| one.is_beside(sentence))?;
    let [only] = before.times.as_slice() else { return None };
    let (range, day) = weekday(only)?;
    let is_alone = introduces_weekday(language, &before.text[..range.start])
        && before.text[range.end..].chars().all(|c| !c.is_alphanumeric());
    let starts = introduces_weekday(language, &sentence.text[..date_at.start]);
    (is_alone && starts && date.weekday() != day).then(|| Clash {
        kind: Kind::Date,
        found_by: FoundBy::Computed,
        entity: None,
        values: vec![
            before.text[range.clone()].to_owned(),
            format!("{} = {}", &sentence.text[date_at.clone()], weekday_name(language, date.weekday())),
        ],
        places: [before.place(Some(range)), sentence.place(Some(date_at.clone()))],
    })
}

fn whole_date(value: TimeValue) -> Option<Date> {
    match value {
        TimeValue::Date { year: Some(year), month: Some(month), day: Some(day) } => Date::new(year, month, day),
        _ => None,
    }
}

/// Whether a date and a weekday of a sentence are one day: few words between them, none of which leads elsewhere.
fn is_same_day(language: Language, text: &str, date: &Range<usize>, weekday: &Range<usize>) -> bool {
    let (first, second) = if date.start < weekday.start { (date, weekday) } else { (weekday, date) };
    let (before, between) = (&text[..first.start], &text[first.end..second.start]);
    let behind = &text[second.end..];
    match language {
        Language::En => {
            let is_near = between.split_whitespace().count() <= 9;
            let leads = |words: &str| {
                let mut lower = words.to_lowercase();
                for phrase in
                    ["happened to be", "chanced to be", "proved to be", "turned out to be", "happened to fall"]
                {
                    lower = lower.replace(phrase, "was");
                }
                lower.split(|c: char| !c.is_alphabetic()).any(|word| OTHER_DAY_EN.contains(&word))
            };
            let last_words: Vec<&str> = before.split_whitespace().rev().take(2).collect();
            let is_plural = text[weekday.end..].starts_with('s');
            let is_bounded = last_words.iter().any(|word| {
                let word = word.to_lowercase();
                matches!(
                    word.as_str(),
                    "every" | "last" | "next" | "before" | "after" | "since" | "from" | "until" | "till"
                )
            });
            let then_leads =
                behind.split_whitespace().next().is_some_and(|word| matches!(word, "after" | "before" | "following"));
            // `The letter of the 3rd of May came on a Tuesday`
            let arrives = first == date
                && ["letter", "note", "telegram", "paper", "message", "news"].iter().any(|word| before.contains(word))
                && ["came", "arrived", "reached", "delivered", "opened", "read"]
                    .iter()
                    .any(|word| between.contains(word));
            is_near && !arrives && !leads(between) && !is_plural && !is_bounded && !then_leads
        }
        Language::Zh => {
            let is_near = between.chars().count() <= MAX_BETWEEN && !between.contains(['。', '；', '！', '？']);
            let is_bound = |word: &&str| between.starts_with(*word) || between.ends_with(*word);
            let leads = OTHER_DAY_ZH.iter().any(|word| between.contains(word)) || ["到", "至"].iter().any(is_bound);
            let bounds: &[&str] = if first == weekday {
                &["上", "下", "每", "每个", "上个", "下个", "从"]
            } else {
                &["从", "自"]
            };
            let is_bounded = bounds.iter().any(|word| before.trim_end().ends_with(word));
            let then_leads = ["之后", "以后", "后", "之前", "以前", "前", "才", "再", "的信", "起", "以来"]
                .iter()
                .any(|word| behind.starts_with(word));
            is_near && !leads && !is_bounded && !then_leads
        }
    }
}

/// Whether the words before a weekday say that the day of the sentence before had it: `It was a`, `那天是`.
fn introduces_weekday(language: Language, before: &str) -> bool {
    match language {
        Language::En => before.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).all(|word| {
            matches!(
                word.to_lowercase().as_str(),
                "it" | "was"
                    | "a"
                    | "that"
                    | "the"
                    | "day"
                    | "fell"
                    | "on"
                    | "happened"
                    | "to"
                    | "be"
                    | "date"
                    | "this"
                    | "which"
                    | "is"
            )
        }),
        Language::Zh => {
            let rest = ["那一天", "那天", "这一天", "这天", "当天", "这日", "那日"]
                .iter()
                .find_map(|word| before.strip_prefix(word))
                .unwrap_or(before);
            [
                "",
                "是",
                "正是",
                "恰是",
                "恰好是",
                "正好是",
                "刚好是",
                "恰逢",
                "正逢",
                "为",
                "乃",
                "，",
                "，是",
                "正好",
                "恰好",
                "碰巧是",
                "是个",
                "那是个",
                "那是",
                "正是个",
            ]
            .contains(&rest)
        }
    }
}

/// A date, a distance of days from it, and the date that it leads to, in two neighbouring sentences.
fn date_of_span(language: Language, all: &[Sentence<'_>], number: usize) -> Option<Clash> {
    let sentence = &all[number];
    let before = &all[number.checked_sub(1)?];
    if before.chapter != sentence.chapter || OTHER_CALENDAR.iter().any(|word| sentence.text.contains(word)) {
        return None;
    }
    let only_date = |sentence: &Sentence<'_>| -> Option<(Range<usize>, Date, bool)> {
        let mut found = narrated(sentence).filter_map(|time| match time.value {
            TimeValue::Date { year, month: Some(month), day: Some(day) } => {
                Some((time.range.clone(), Date::new(year.unwrap_or(2001), month, day)?, year.is_some()))
            }
            _ => None,
        });
        let only = found.next()?;
        found.next().is_none().then_some(only)
    };
    let (from, first, first_has_year) = only_date(before)?;
    let (to, second, has_year) = only_date(sentence)?;
    let spans = spans::spans(language, sentence);
    let [span] = spans.as_slice() else { return None };
    if !spans::spans(language, before).is_empty() || !span.leads_on(language, sentence.text, &to) {
        return None;
    }
    let days = first.days_until(second);
    // Without both years the second date may lie in the next one.
    let is_known = first_has_year && has_year || days >= 0;
    if !is_known || (days - span.days).abs() <= 1 {
        return None;
    }
    Some(Clash {
        kind: Kind::Date,
        found_by: FoundBy::Computed,
        entity: None,
        values: vec![before.text[from.clone()].to_owned(), sentence.text[to.clone()].to_owned()],
        places: [before.place(Some(from)), sentence.place(Some(to))],
    })
}

#[cfg(test)]
mod tests;
