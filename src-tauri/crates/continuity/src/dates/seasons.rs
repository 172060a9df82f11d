//! Seasons and months that do not fit each other.

use std::ops::Range;

use palimpsest_reader::times::{Season, TimeValue};
use palimpsest_text::Language;

use super::{OTHER_CALENDAR, narrated};
use crate::{Clash, FoundBy, Kind, numbers::zh_number, sentences::Sentence};

/// Words for a season beside those of the reader.
const SEASONS_ZH: [(&str, Season); 16] = [
    ("盛夏", Season::Summer),
    ("仲夏", Season::Summer),
    ("初夏", Season::Summer),
    ("炎夏", Season::Summer),
    ("酷暑", Season::Summer),
    ("隆冬", Season::Winter),
    ("严冬", Season::Winter),
    ("寒冬", Season::Winter),
    ("初冬", Season::Winter),
    ("初春", Season::Spring),
    ("早春", Season::Spring),
    ("暮春", Season::Spring),
    ("阳春", Season::Spring),
    ("春风", Season::Spring),
    ("深秋", Season::Autumn),
    ("初秋", Season::Autumn),
];
/// Places on the other half of the earth, where the seasons are the other ones.
const SOUTH: [&str; 22] = [
    "Australia",
    "Sydney",
    "Melbourne",
    "New Zealand",
    "Argentina",
    "Buenos Aires",
    "Chile",
    "South Africa",
    "Cape Town",
    "Brazil",
    "Antarctic",
    "悉尼",
    "墨尔本",
    "澳洲",
    "澳大利亚",
    "新西兰",
    "阿根廷",
    "智利",
    "南非",
    "巴西",
    "南半球",
    "南极",
];
/// A season and the month beside it.
pub(super) fn season_of_month(language: Language, sentence: &Sentence<'_>) -> Option<Clash> {
    let read = narrated(sentence).filter_map(|time| match time.value {
        TimeValue::Date { month: Some(month), .. } => Some((time.range.clone(), month)),
        _ => None,
    });
    let mut months: Vec<(Range<usize>, u8)> = read.collect();
    if months.is_empty() && language == Language::Zh {
        months = months_zh(sentence);
    }
    let read = narrated(sentence).filter_map(|time| match time.value {
        TimeValue::Season(season) => Some((time.range.clone(), season)),
        _ => None,
    });
    let mut seasons: Vec<(Range<usize>, Season)> = read.collect();
    for (word, season) in SEASONS_ZH {
        let words = sentence.text.match_indices(word).map(|(at, _)| (at..at + word.len(), season));
        seasons.extend(words.filter(|(range, _)| language == Language::Zh && !sentence.is_spoken(range.start)));
    }
    let ([(season_at, season)], [(month_at, month)]) = (seasons.as_slice(), months.as_slice()) else { return None };
    if is_in_season(*month, *season) {
        return None;
    }
    let (season_at, month_at) = (season_at.clone(), month_at.clone());
    if OTHER_CALENDAR.iter().any(|word| sentence.text.contains(word))
        || !are_one_time(language, sentence.text, &month_at, &season_at)
    {
        return None;
    }
    if SOUTH.iter().any(|place| sentence.text.contains(place)) {
        return None;
    }
    let texts = [&month_at, &season_at].map(|range| sentence.text[range.clone()].to_owned());
    let mut values = texts.to_vec();
    let (first, second) = if month_at.start < season_at.start {
        (month_at, season_at)
    } else {
        values.reverse();
        (season_at, month_at)
    };
    Some(Clash {
        kind: Kind::Season,
        found_by: FoundBy::Computed,
        entity: None,
        places: [sentence.place(Some(first)), sentence.place(Some(second))],
        values,
    })
}

/// Months without a day or a year, which beside a season are no amount: 一月, and not 一个月 or 一月之后.
fn months_zh(sentence: &Sentence<'_>) -> Vec<(Range<usize>, u8)> {
    let text = sentence.text;
    let month = |(at, mark): (usize, &str)| {
        let digits = text[..at].char_indices().rev().take_while(|(_, c)| zh_number(&c.to_string()).is_some());
        let start = digits.last()?.0;
        let (number, length) = zh_number(&text[start..at])?;
        let end = at + mark.len();
        let is_amount = ["之", "后", "前", "内", "来", "余"].iter().any(|word| text[end..].starts_with(word));
        let month = u8::try_from(number).ok().filter(|month| (1..=12).contains(month))?;
        (length == at - start && !is_amount && !sentence.is_spoken(start)).then_some((start..end, month))
    };
    text.match_indices('月').filter_map(month).collect()
}

/// Whether a month lies in a season, with a month on either side: seasons of the weather and of the Chinese calendar
/// begin at other times.
fn is_in_season(month: u8, season: Season) -> bool {
    let first = match season {
        Season::Spring => 2,
        Season::Summer => 5,
        Season::Autumn => 8,
        Season::Winter => 11,
    };
    (0..5).any(|step| (first - 1 + step) % 12 + 1 == month)
}

fn are_one_time(language: Language, text: &str, month: &Range<usize>, season: &Range<usize>) -> bool {
    let (first, second) = if month.start < season.start { (month, season) } else { (season, month) };
    let between = &text[first.end..second.start];
    match language {
        Language::En => {
            let words: Vec<String> = between.split_whitespace().map(str::to_lowercase).collect();
            let permitted =
                ["of", "in", "a", "the", "that", "day", "evening", "morning", "night", "late", "early", "afternoon"];
            let has_shown = words.iter().any(|word| matches!(word.as_str(), "of" | "in" | "a"));
            words.len() <= 4 && has_shown && words.iter().all(|word| permitted.contains(&word.as_str()))
        }
        Language::Zh => {
            let permitted = ["", "的", "，", "是", "的一个", "那个", "正是", "里", "，正是", "，是"];
            permitted.contains(&between)
        }
    }
}
