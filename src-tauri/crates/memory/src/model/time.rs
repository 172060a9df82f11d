//! A point in time, whole milliseconds, UTC; RFC 3339 on the wire.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use specta::Type;

/// Milliseconds since 1970-01-01T00:00:00Z. Written as RFC 3339 on the wire, as an integer on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Type)]
#[specta(transparent)]
pub struct Time(#[specta(type = String)] i64);

const MILLIS_A_DAY: f64 = 86_400_000.0;

impl Time {
    /// From milliseconds since 1970.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// The time `millis` later (earlier when negative).
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// The day in UTC, `YYYY-MM-DD`.
    #[must_use]
    pub fn day(self) -> String {
        self.to_string().chars().take_while(|c| *c != 'T').collect()
    }

    /// Days from `earlier` to `self`; 0 when `earlier` lies after it (a clock set back ages nothing).
    #[must_use]
    pub fn days_since(self, earlier: Self) -> f64 {
        ((self.0 - earlier.0) as f64 / MILLIS_A_DAY).max(0.0)
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or_default();
        write!(f, "{time:.3}")
    }
}

/// Not RFC 3339, or outside the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a time in RFC 3339, such as 2026-03-15T21:00:00Z")]
pub struct NotATime;

impl FromStr for Time {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time: jiff::Timestamp = text.parse().map_err(|_| NotATime)?;
        Ok(Self(time.as_millisecond()))
    }
}

/// A list of rules contains a thousand times: for four-digit years they are written without the generality of a
/// formatter.
impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match written(self.0).as_ref().map(|text| std::str::from_utf8(text)) {
            Some(Ok(text)) => serializer.serialize_str(text),
            _ => serializer.collect_str(self),
        }
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`; `None` outside the years 0 to 9998. The day is found after Howard Hinnant,
/// *chrono-Compatible Low-Level Date Algorithms*, `civil_from_days`.
fn written(millis: i64) -> Option<[u8; 24]> {
    let (days, of_day) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    // Days since 0000-03-01: a year then ends with its leap day, and 400 years are 146,097 days.
    let days = days.checked_add(719_468)?;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let parts = [
        (year, 0, 4),
        (month, 5, 2),
        (day, 8, 2),
        (of_day / 3_600_000, 11, 2),
        (of_day / 60_000 % 60, 14, 2),
        (of_day / 1_000 % 60, 17, 2),
        (of_day % 1_000, 20, 3),
    ];
    let mut text = *b"0000-00-00T00:00:00.000Z";
    for (mut value, at, digits) in parts {
        for place in text.get_mut(at..at + digits)?.iter_mut().rev() {
            *place = b'0' + u8::try_from(value % 10).ok()?;
            value /= 10;
        }
    }
    (0..9_999).contains(&year).then_some(text)
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_time_on_the_wire_is_what_it_is_in_words_and_comes_back(millis in -99_999_999_999_999_i64..=253_402_300_799_999) {
            let time = Time::from_millis(millis);
            let wire = serde_json::to_string(&time).unwrap();
            prop_assert_eq!(&wire, &format!("\"{time}\""));
            prop_assert_eq!(serde_json::from_str::<Time>(&wire).unwrap(), time);
        }
    }

    #[test]
    fn leap_days_and_the_ends_of_years_are_written_as_they_are() {
        for text in [
            "2000-02-29T23:59:59.999Z",
            "1900-03-01T00:00:00.000Z",
            "2024-12-31T12:30:45.001Z",
            "1969-12-31T23:59:59.999Z",
            "0001-01-01T00:00:00.000Z",
            "9999-12-30T22:00:00.000Z",
        ] {
            let time: Time = text.parse().unwrap();
            assert_eq!(serde_json::to_string(&time).unwrap(), format!("\"{text}\""));
        }
    }
}
