//! Expressions of time, with the dates that distances lead to.

use palimpsest_reader::times::{self, Date, PartOfDay, Season, TimeUnit, TimeValue as Read};

use super::ChapterText;
use crate::model::{MentionRange, TimeValue, ToldTime};

/// The expressions of time in a chapter, in order.
pub(crate) fn told_times(chapter: &ChapterText) -> Vec<ToldTime> {
    let mut last_date: Option<Date> = None;
    let mut expressions = Vec::new();
    for found in times::times(&chapter.text) {
        if let Read::Date { year: Some(year), month: Some(month), day: Some(day) } = found.value {
            last_date = Date::new(year, month, day);
        }
        let range = MentionRange {
            chapter_id: chapter.chapter_id.clone(),
            from: chapter.offset(found.range.start),
            to: chapter.offset(found.range.end),
        };
        expressions.push(ToldTime {
            range,
            text: chapter.text[found.range].to_owned(),
            value: value(found.value, last_date),
        });
    }
    expressions
}

fn value(read: Read, last_date: Option<Date>) -> TimeValue {
    match read {
        Read::Date { year, month, day } => {
            let whole = year.zip(month).zip(day).and_then(|((year, month), day)| Date::new(year, month, day));
            TimeValue::Date { year, month, day, weekday: whole.map(|date| number(date.weekday())) }
        }
        Read::Weekday(weekday) => TimeValue::Weekday { weekday: number(weekday) },
        Read::PartOfDay(part) => TimeValue::PartOfDay { part: part_name(part).into() },
        Read::Season(season) => TimeValue::Season { season: season_name(season).into() },
        Read::After { amount, unit } => {
            let date = last_date.and_then(|date| date.plus(amount, unit)).map(|date| {
                let (year, month, day) = date.parts();
                format!("{year:04}-{month:02}-{day:02}")
            });
            TimeValue::After { amount, unit: unit_name(unit).into(), date }
        }
        Read::Age(years) => TimeValue::Age { years },
    }
}

/// 1 Monday to 7 Sunday.
fn number(weekday: times::Weekday) -> u8 {
    match weekday {
        times::Weekday::Monday => 1,
        times::Weekday::Tuesday => 2,
        times::Weekday::Wednesday => 3,
        times::Weekday::Thursday => 4,
        times::Weekday::Friday => 5,
        times::Weekday::Saturday => 6,
        times::Weekday::Sunday => 7,
    }
}

fn part_name(part: PartOfDay) -> &'static str {
    match part {
        PartOfDay::Dawn => "dawn",
        PartOfDay::Morning => "morning",
        PartOfDay::Noon => "noon",
        PartOfDay::Afternoon => "afternoon",
        PartOfDay::Evening => "evening",
        PartOfDay::Night => "night",
        PartOfDay::Midnight => "midnight",
    }
}

fn season_name(season: Season) -> &'static str {
    match season {
        Season::Spring => "spring",
        Season::Summer => "summer",
        Season::Autumn => "autumn",
        Season::Winter => "winter",
    }
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Hour => "hour",
        TimeUnit::Day => "day",
        TimeUnit::Week => "week",
        TimeUnit::Month => "month",
        TimeUnit::Year => "year",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PassageText;

    fn values(text: &str) -> Vec<TimeValue> {
        let passage = PassageText { from: 0, text: text.into(), words: None };
        let chapter = ChapterText::without_words("c".into(), &[passage], None);
        told_times(&chapter).into_iter().map(|time| time.value).collect()
    }

    #[test]
    fn a_distance_leads_from_the_last_whole_date_to_another() {
        let date = TimeValue::Date { year: Some(1983), month: Some(5), day: Some(15), weekday: Some(7) };
        let after = TimeValue::After { amount: 3, unit: "day".into(), date: Some("1983-05-18".into()) };
        assert_eq!(values("1983年5月15日，船到了。三天后，人走了。"), [date.clone(), after.clone()]);
        assert_eq!(values("On 15 May 1983 the ship came. Three days later they left."), [date, after]);
        let open = TimeValue::After { amount: 3, unit: "day".into(), date: None };
        assert_eq!(values("三天后，人走了。"), [open]);
    }
}
