//! Plausibility of the clock. Pure: a function of the time and the known earlier times.
//!
//! A clock that is wrong by years (a flat battery, a bad time server) makes everything look old. No irreversible
//! deletion relies on it alone: a time far from all earlier ones must be seen on two days, or confirmed by the writer.

use crate::model::Time;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// Maximum distance from the newest known time at which a clock is plausible, in milliseconds.
pub(crate) const MAX_STEP: i64 = 60 * DAY;
/// Minimum distance of two sightings of a new time, in milliseconds: a start shortly before midnight counts once.
const MIN_APART: i64 = 6 * HOUR;

/// The history of the clock's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockHistory {
    /// The newest plausible time.
    pub newest: Time,
    /// The first and the last sighting of times that are far from it, and near each other.
    pub seen: Option<(Time, Time)>,
}

impl ClockHistory {
    /// A history that accepts this time as plausible.
    #[must_use]
    pub(crate) const fn confirmed(now: Time) -> Self {
        Self { newest: now, seen: None }
    }
}

/// Whether the clock is plausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plausibility {
    Plausible,
    /// More than [`MAX_STEP`] after the newest known time.
    Ahead,
    /// More than [`MAX_STEP`] before the newest known time.
    Behind,
}

/// The history after the clock showed `now`, and the verdict. `offset_millis` is the local offset from UTC.
#[must_use]
pub(crate) fn observe(known: ClockHistory, now: Time, offset_millis: i64) -> (ClockHistory, Plausibility) {
    let is_near = |one: Time, other: Time| one.millis().abs_diff(other.millis()) <= MAX_STEP.unsigned_abs();
    if is_near(known.newest, now) {
        return (ClockHistory::confirmed(known.newest.max(now)), Plausibility::Plausible);
    }
    let (first, last) = match known.seen {
        Some((first, last)) if is_near(last, now) => (first.min(now), last.max(now)),
        _ => (now, now),
    };
    let day = |time: Time| time.millis().saturating_add(offset_millis).div_euclid(DAY);
    if day(first) != day(last) && last.millis().saturating_sub(first.millis()) >= MIN_APART {
        return (ClockHistory::confirmed(now), Plausibility::Plausible);
    }
    let verdict = if now > known.newest { Plausibility::Ahead } else { Plausibility::Behind };
    (ClockHistory { newest: known.newest, seen: Some((first, last)) }, verdict)
}

/// The newest of `times` that is informative about the clock: times in the far future count only if there are no
/// others, because they were written under a wrong clock with an empty history. `None` without any times.
#[must_use]
pub(crate) fn newest_of(times: &[Time], now: Time) -> Option<Time> {
    let limit = now.plus_millis(MAX_STEP);
    times.iter().copied().filter(|time| *time <= limit).max().or_else(|| times.iter().copied().max())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    /// The verdict on each time in turn.
    #[track_caller]
    fn check(newest: &str, shown: &[(&str, Plausibility)]) -> ClockHistory {
        let mut known = ClockHistory::confirmed(at(newest));
        for (now, expected) in shown {
            let (next, verdict) = observe(known, at(now), 0);
            assert_eq!(verdict, *expected, "{now} after {known:?}");
            known = next;
        }
        known
    }

    #[test]
    fn a_clock_that_is_ten_years_ahead_for_one_start_is_not_believed_and_the_right_one_is_at_once() {
        let known = check(
            "2026-03-15T21:00:00Z",
            &[
                ("2036-03-15T21:00:00Z", Plausibility::Ahead),
                ("2036-03-15T23:59:59Z", Plausibility::Ahead),
                ("2026-03-16T09:00:00Z", Plausibility::Plausible),
                ("2036-03-16T21:00:00Z", Plausibility::Ahead),
            ],
        );
        assert_eq!(known.newest, at("2026-03-16T09:00:00Z"));
    }

    #[test]
    fn a_writer_who_returns_after_four_months_waits_until_the_second_day() {
        check(
            "2026-03-15T21:00:00Z",
            &[
                ("2026-07-20T21:00:00Z", Plausibility::Ahead),
                ("2026-07-20T22:00:00Z", Plausibility::Ahead),
                ("2026-07-21T08:00:00Z", Plausibility::Plausible),
                ("2026-07-21T08:01:00Z", Plausibility::Plausible),
            ],
        );
    }

    #[test]
    fn a_start_shortly_before_midnight_is_one_sighting_and_no_two_days() {
        check(
            "2026-03-15T21:00:00Z",
            &[
                ("2036-01-01T23:59:00Z", Plausibility::Ahead),
                ("2036-01-02T00:01:00Z", Plausibility::Ahead),
                ("2036-01-02T05:58:00Z", Plausibility::Ahead),
                ("2036-01-02T05:59:00Z", Plausibility::Plausible),
            ],
        );
    }

    #[test]
    fn a_clock_that_starts_in_1970_each_time_is_never_believed() {
        check(
            "2026-03-15T21:00:00Z",
            &[
                ("1970-01-01T00:00:10Z", Plausibility::Behind),
                ("1970-01-01T03:00:00Z", Plausibility::Behind),
                ("1970-01-01T00:00:10Z", Plausibility::Behind),
            ],
        );
    }

    #[test]
    fn sixty_days_are_a_holiday_and_one_millisecond_more_is_asked_about() {
        check(
            "2026-01-01T00:00:00Z",
            &[("2026-03-02T00:00:00Z", Plausibility::Plausible), ("2026-05-01T00:00:00.001Z", Plausibility::Ahead)],
        );
    }

    #[test]
    fn among_times_written_under_a_wrong_clock_the_newest_plausible_one_counts() {
        let now = at("2026-03-15T21:00:00Z");
        let times = [at("2026-03-01T00:00:00Z"), at("2036-01-01T00:00:00Z")];
        assert_eq!(newest_of(&times, now), Some(times[0]));
        assert_eq!(newest_of(&times[1..], now), Some(times[1]));
        assert_eq!(newest_of(&[], now), None);
    }

    proptest! {
        #[test]
        fn one_day_of_a_far_time_is_never_enough(
            newest in -400_000_000_000_000_i64..400_000_000_000_000, day in -140_000_000_i64..140_000_000,
            times in prop::collection::vec(0..DAY, 1..12), offset in -12 * HOUR..12 * HOUR,
        ) {
            let mut known = ClockHistory::confirmed(Time::from_millis(newest));
            for of_day in times {
                let now = Time::from_millis(day * DAY - offset + of_day);
                let far = now.millis().abs_diff(newest) > MAX_STEP.unsigned_abs();
                let (next, verdict) = observe(known, now, offset);
                if far && known.newest == Time::from_millis(newest) {
                    prop_assert!(verdict != Plausibility::Plausible);
                    prop_assert_eq!(next.newest, known.newest);
                }
                known = next;
            }
        }

        #[test]
        fn a_day_and_a_night_are_always_enough_and_the_writers_word_at_once(
            newest in -400_000_000_000_000_i64..400_000_000_000_000, now in -400_000_000_000_000_i64..400_000_000_000_000,
            offset in -12 * HOUR..12 * HOUR,
        ) {
            let known = ClockHistory::confirmed(Time::from_millis(newest));
            let now = Time::from_millis(now);
            let (known, _) = observe(known, now, offset);
            prop_assert_eq!(observe(known, now.plus_millis(DAY), offset).1, Plausibility::Plausible);
            prop_assert_eq!(observe(ClockHistory::confirmed(now), now, offset).1, Plausibility::Plausible);
        }

        #[test]
        fn a_clock_that_only_runs_on_is_always_believed(
            start in -400_000_000_000_000_i64..400_000_000_000_000, steps in prop::collection::vec(0..=MAX_STEP, 0..40),
        ) {
            let mut known = ClockHistory::confirmed(Time::from_millis(start));
            let mut now = Time::from_millis(start);
            for step in steps {
                now = now.plus_millis(step);
                let (next, verdict) = observe(known, now, 0);
                prop_assert_eq!((next.newest, verdict), (now, Plausibility::Plausible));
                known = next;
            }
        }
    }
}
