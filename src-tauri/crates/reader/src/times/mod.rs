//! Expressions of time: dates, days of the week, parts of the day, seasons, distances ("three days later"), ages.

mod calendar;
mod en;
mod zh;

use std::ops::Range;

use palimpsest_text::{Language, detect};

pub use calendar::{Date, Weekday, age_in};

/// An expression of time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeExpression {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The meaning of the words.
    pub value: TimeValue,
}

/// The meaning of an expression of time, without what its context adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeValue {
    /// A date, of which some parts may be missing.
    Date {
        /// 1 to 9999.
        year: Option<u16>,
        /// 1 to 12.
        month: Option<u8>,
        /// 1 to 31.
        day: Option<u8>,
    },
    /// A day of the week.
    Weekday(Weekday),
    /// Morning, noon, night and the like.
    PartOfDay(PartOfDay),
    /// Spring to winter.
    Season(Season),
    /// A distance from another time: `three days later` is 3 days, `two years before` is -2 years.
    After {
        /// Number of units, negative for earlier times.
        amount: i32,
        /// Unit of the amount.
        unit: TimeUnit,
    },
    /// An age in years.
    Age(u16),
}

/// Morning, noon, night and the like, in the order of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartOfDay {
    /// The hour of sunrise.
    Dawn,
    /// From sunrise to noon.
    Morning,
    /// The middle of the day.
    Noon,
    /// From noon to the evening.
    Afternoon,
    /// From the afternoon to the night, with sunset.
    Evening,
    /// The night, without midnight.
    Night,
    /// The middle of the night.
    Midnight,
}

/// A season of the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Season {
    /// March to May in the northern half of the earth.
    Spring,
    /// June to August.
    Summer,
    /// September to November.
    Autumn,
    /// December to February.
    Winter,
}

/// A unit of distances of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeUnit {
    /// 60 minutes.
    Hour,
    /// 24 hours, or the next date.
    Day,
    /// 7 days.
    Week,
    /// A month of the calendar.
    Month,
    /// A year of the calendar.
    Year,
}

/// The expressions of time in a text, in order, without overlap. The language is that of most of the text.
#[must_use]
pub fn times(text: &str) -> Vec<TimeExpression> {
    match detect(text) {
        Language::Zh => zh::expressions(text),
        Language::En => en::expressions(text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Vec<(&str, TimeValue)> {
        times(text).into_iter().map(|one| (&text[one.range], one.value)).collect()
    }

    fn date(year: Option<u16>, month: Option<u8>, day: Option<u8>) -> TimeValue {
        TimeValue::Date { year, month, day }
    }

    fn after(amount: i32, unit: TimeUnit) -> TimeValue {
        TimeValue::After { amount, unit }
    }

    #[track_caller]
    fn check(text: &str, wanted: &[(&str, TimeValue)]) {
        assert_eq!(values(text), wanted, "{text}");
    }

    #[test]
    fn english_dates_are_read_in_their_usual_forms() {
        let full = date(Some(1912), Some(5), Some(3));
        check("It was May 3rd, 1912.", &[("May 3rd, 1912", full)]);
        check("On the 3rd of May, 1912 it rained.", &[("3rd of May, 1912", full)]);
        check("It was 3 May 1912 then.", &[("3 May 1912", full)]);
        check("He came in March 1815.", &[("March 1815", date(Some(1815), Some(3), None))]);
        check("In 1815 he left.", &[("1815", date(Some(1815), None, None))]);
        check("They may march 3 miles; 1815 sheep.", &[]);
    }

    #[test]
    fn english_days_parts_and_seasons_are_read() {
        check(
            "On Monday morning, that winter, before midnight.",
            &[
                ("Monday", TimeValue::Weekday(Weekday::Monday)),
                ("morning", TimeValue::PartOfDay(PartOfDay::Morning)),
                ("winter", TimeValue::Season(Season::Winter)),
                ("midnight", TimeValue::PartOfDay(PartOfDay::Midnight)),
            ],
        );
        check("They spring up and fall.", &[]);
    }

    #[test]
    fn english_distances_have_a_sign() {
        check("Three days later she wrote.", &[("Three days later", after(3, TimeUnit::Day))]);
        check("It was twenty-two years ago.", &[("twenty-two years ago", after(-22, TimeUnit::Year))]);
        check("A week afterwards he died.", &[("A week afterwards", after(1, TimeUnit::Week))]);
        check("The next day it rained.", &[("next day", after(1, TimeUnit::Day))]);
        check("two months before", &[("two months before", after(-2, TimeUnit::Month))]);
    }

    #[test]
    fn english_ages_are_read() {
        check("She was forty-one years old.", &[("forty-one years old", TimeValue::Age(41))]);
        check("a man aged 19", &[("aged 19", TimeValue::Age(19))]);
        check("at the age of seven", &[("age of seven", TimeValue::Age(7))]);
        check("He had turned sixteen.", &[("turned sixteen", TimeValue::Age(16))]);
    }

    #[test]
    fn chinese_expressions_are_read() {
        let full = date(Some(1926), Some(9), Some(18));
        check("信上写的是一九二六年九月十八日。", &[("一九二六年九月十八日", full)]);
        check("那是1926年9月18日的事。", &[("1926年9月18日", full)]);
        check(
            "约定在星期三晚上。",
            &[("星期三", TimeValue::Weekday(Weekday::Wednesday)), ("晚上", TimeValue::PartOfDay(PartOfDay::Evening))],
        );
        check("三天之后雨停了。", &[("三天之后", after(3, TimeUnit::Day))]);
        check(
            "两年前的冬天，他二十三岁。",
            &[
                ("两年前", after(-2, TimeUnit::Year)),
                ("冬天", TimeValue::Season(Season::Winter)),
                ("二十三岁", TimeValue::Age(23)),
            ],
        );
        check("第二天，他来了。", &[("第二天", after(1, TimeUnit::Day))]);
    }

    #[test]
    fn dates_that_do_not_exist_are_not_dates() {
        check("It was May 41st.", &[("May", date(None, Some(5), None))]);
        check("十三月三十五日的雨。", &[]);
    }

    proptest! {
        #[test]
        fn expressions_lie_in_the_text_in_order(
            text in "(一|二|十|百|年|月|日|岁|天|后|星期|第|May|the|3rd|of|1912|years|old|ago|a|,| |\\.|\\PC){0,60}",
        ) {
            let found = times(&text);
            prop_assert!(found.iter().all(|one| text.get(one.range.clone()).is_some_and(|words| !words.is_empty())));
            prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        }
    }
}
