//! Whole dates in a sentence: those of the reader, and those with the year in words, behind 的 or in a reign.

use std::ops::Range;

use palimpsest_reader::{
    numbers::en_month,
    times::{Date, TimeValue},
};
use palimpsest_text::Language;

use crate::{
    en::Words,
    numbers::{en_number, en_ordinal, en_year, zh_number, zh_years},
    sentences::Sentence,
};

/// Reigns whose dates are those of the moon.
const LUNAR_REIGNS: [&str; 10] = ["宣统", "光绪", "同治", "咸丰", "道光", "嘉庆", "乾隆", "雍正", "康熙", "明治"];

/// The whole dates of a sentence, in order.
pub(super) fn whole_dates(language: Language, sentence: &Sentence<'_>) -> Vec<(Range<usize>, Date)> {
    let read = sentence.times.iter().filter_map(|time| match time.value {
        TimeValue::Date { year: Some(year), month: Some(month), day: Some(day) } => {
            Some((time.range.clone(), Date::new(year, month, day)?))
        }
        _ => None,
    });
    let mut found: Vec<(Range<usize>, Date)> = read.collect();
    let more = match language {
        Language::En => en_dates(sentence.text),
        Language::Zh => zh_dates(sentence.text),
    };
    for (range, date) in more {
        if found.iter().all(|(other, _)| other.end <= range.start || range.end <= other.start) {
            found.push((range, date));
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

fn date(year: u32, month: u32, day: u32) -> Option<Date> {
    Date::new(u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
}

/// `the third of May, 1912`, `May the third, nineteen hundred and twelve`.
fn en_dates(text: &str) -> Vec<(Range<usize>, Date)> {
    let words = Words::new(text);
    let month_at = |at: usize| {
        let word = words.all.get(at)?;
        let is_capital = text[word.start..].starts_with(|c: char| c.is_ascii_uppercase());
        en_month(&word.lower).filter(|_| is_capital)
    };
    let day_at = |at: usize| en_ordinal(words.lower(at)).or_else(|| en_number(words.lower(at)));
    let mut found = Vec::new();
    for at in 0..words.all.len() {
        let Some(month) = month_at(at) else { continue };
        let before = |back: usize| at.checked_sub(back);
        let day_before = match before(1).map(|place| words.lower(place)) {
            Some("of") => before(2),
            _ => before(1),
        };
        let the = usize::from(words.joined(at + 1) == "the");
        let (day, from, next) = match day_before.and_then(|place| Some((day_at(place)?, place))) {
            Some((day, place)) => (day, place, at + 1),
            None => match day_at(at + 1 + the) {
                Some(day) => (day, at, at + 2 + the),
                None => continue,
            },
        };
        // `in the year 1912`, `of the year 1912`
        let next = if words.is_at(next, "in the year") || words.is_at(next, "of the year") {
            next + 3
        } else {
            next + usize::from(matches!(words.lower(next), "in" | "of"))
        };
        let rest: Vec<&str> = words.all.iter().skip(next).take(4).map(|word| word.lower.as_str()).collect();
        let Some((year, length)) = en_year(&rest) else { continue };
        let marks = words.all[next].marks;
        let Some(date) = date(year, month.into(), day).filter(|_| marks.is_empty() || marks == ",") else {
            continue;
        };
        found.push((words.all[from].start..words.all[next + length - 1].end, date));
    }
    found
}

/// 一九一二年的五月三日, 民国元年五月三日.
fn zh_dates(text: &str) -> Vec<(Range<usize>, Date)> {
    let dates = zh_years(text).into_iter().filter_map(|(year, range)| {
        if LUNAR_REIGNS.iter().any(|reign| text[range.clone()].starts_with(reign)) {
            return None;
        }
        let rest = text[range.end..].trim_start_matches(['的', '，', ' ']);
        let (month, length) = zh_number(rest)?;
        let rest = rest[length..].strip_prefix('月')?.trim_start_matches('的');
        let (day, length) = zh_number(rest)?;
        let rest = rest[length..].strip_prefix(['日', '号'])?;
        Some((range.start..text.len() - rest.len(), date(year, month, day)?))
    });
    dates.collect()
}
