//! Arithmetic of the Gregorian calendar, for what a text says of its dates.

use super::TimeUnit;

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Weekday {
    /// 星期一.
    Monday,
    /// 星期二.
    Tuesday,
    /// 星期三.
    Wednesday,
    /// 星期四.
    Thursday,
    /// 星期五.
    Friday,
    /// 星期六.
    Saturday,
    /// 星期日.
    Sunday,
}

impl Weekday {
    /// All days, Monday first.
    pub const ALL: [Self; 7] =
        [Self::Monday, Self::Tuesday, Self::Wednesday, Self::Thursday, Self::Friday, Self::Saturday, Self::Sunday];

    /// The day of the week a number of days later, or earlier if it is negative.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        let at = (self as i64 + days.rem_euclid(7)).rem_euclid(7);
        usize::try_from(at).ok().and_then(|at| Self::ALL.get(at)).copied().unwrap_or(self)
    }
}

/// A date of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// A date of the years 1 to 9999; `None` if the calendar has no such day.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let exists =
            (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        exists.then_some(Self { year, month, day })
    }

    /// Year, month and day.
    #[must_use]
    pub fn parts(self) -> (u16, u8, u8) {
        (self.year, self.month, self.day)
    }

    /// The day of the week.
    #[must_use]
    pub fn weekday(self) -> Weekday {
        // 1970-01-01 was a Thursday.
        Weekday::Thursday.plus(self.days_since_1970())
    }

    /// Days from this date to `later`; negative if that is earlier.
    #[must_use]
    pub fn days_until(self, later: Self) -> i64 {
        later.days_since_1970() - self.days_since_1970()
    }

    /// The date an amount of units later, or earlier if it is negative; `None` for hours, and outside the years 1 to
    /// 9999. A month that is too short gives its last day.
    #[must_use]
    pub fn plus(self, amount: i32, unit: TimeUnit) -> Option<Self> {
        let amount = i64::from(amount);
        match unit {
            TimeUnit::Hour => None,
            TimeUnit::Day => Self::from_days(self.days_since_1970() + amount),
            TimeUnit::Week => Self::from_days(self.days_since_1970() + 7 * amount),
            TimeUnit::Month => self.plus_months(amount),
            TimeUnit::Year => self.plus_months(12 * amount),
        }
    }

    fn plus_months(self, months: i64) -> Option<Self> {
        let all = i64::from(self.year) * 12 + i64::from(self.month) - 1 + months;
        let year = u16::try_from(all.div_euclid(12)).ok()?;
        let month = u8::try_from(all.rem_euclid(12) + 1).ok()?;
        Self::new(year, month, self.day.min(days_in(year, month)))
    }

    /// Days since 1970-01-01, by the algorithm `days_from_civil` of Howard Hinnant's "chrono-Compatible Low-Level Date
    /// Algorithms".
    fn days_since_1970(self) -> i64 {
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// The inverse, `civil_from_days`.
    fn from_days(days: i64) -> Option<Self> {
        let shifted = days.checked_add(719_468)?;
        let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        Self::new(u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
    }
}

fn days_in(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// The ages, from and to, that a person may have in a year, given an age in another one: the birthday may be before or
/// after either. `None` if the person was not born.
#[must_use]
pub fn age_in(year: u16, known_year: u16, known_age: u16) -> Option<(u16, u16)> {
    let born_at_latest = i32::from(known_year) - i32::from(known_age);
    let highest = i32::from(year) - born_at_latest + 1;
    let to = u16::try_from(highest).ok()?;
    Some((to.saturating_sub(2), to))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn days_of_the_week_are_those_of_the_calendar() {
        for (year, month, day, weekday) in [
            (1900, 1, 1, Weekday::Monday),
            (1912, 2, 29, Weekday::Thursday),
            (1926, 12, 31, Weekday::Friday),
            (2000, 2, 29, Weekday::Tuesday),
        ] {
            assert_eq!(Date::new(year, month, day).map(Date::weekday), Some(weekday), "{year}-{month}-{day}");
        }
        assert_eq!(Date::new(1900, 2, 29), None);
    }

    #[test]
    fn distances_move_a_date_and_a_weekday() {
        let last = Date::new(1912, 1, 31).unwrap();
        assert_eq!(last.plus(1, TimeUnit::Month).map(Date::parts), Some((1912, 2, 29)));
        assert_eq!(last.plus(-3, TimeUnit::Week).map(Date::parts), Some((1912, 1, 10)));
        assert_eq!(last.plus(20_000, TimeUnit::Year), None);
        assert_eq!(Weekday::Monday.plus(10), Weekday::Thursday);
        assert_eq!(Weekday::Monday.plus(-1), Weekday::Sunday);
    }

    #[test]
    fn an_age_leaves_a_year_on_either_side() {
        assert_eq!(age_in(1900, 1890, 20), Some((29, 31)));
        assert_eq!(age_in(1800, 1890, 20), None);
    }

    proptest! {
        #[test]
        fn adding_days_and_counting_them_agree(year in 1_u16..9999, month in 1_u8..=12, day in 1_u8..=28, days in -400_000..400_000) {
            let date = Date::new(year, month, day).unwrap();
            if let Some(other) = date.plus(days, TimeUnit::Day) {
                prop_assert_eq!(date.days_until(other), i64::from(days));
                prop_assert_eq!(date.weekday().plus(i64::from(days)), other.weekday());
            }
        }
    }
}
