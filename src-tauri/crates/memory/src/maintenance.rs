//! When a job is due. Pure: a function of the time and the last runs.

use crate::model::{Job, LastRun, Time};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// Start of the nightly window, in milliseconds after local midnight; fixed by the owner.
const WINDOW_START: i64 = 2 * HOUR;

/// The jobs, in the order in which they run when several are due.
pub const JOBS: [Job; 4] = [Job::Daily, Job::Weekly, Job::Monthly, Job::Backup];

/// The due job, the most frequent first and the backup of their results last; `None` if nothing is due before the next
/// window.
///
/// `offset_millis` is the local offset from UTC. A job without a known run is not due: on a new data folder nothing was
/// missed. A failed job is due again when the next night's window opens.
#[must_use]
pub(crate) fn due(now: Time, offset_millis: i64, last: &[LastRun]) -> Option<Job> {
    JOBS.into_iter().find(|job| {
        last.iter().find(|run| run.job == *job).is_some_and(|run| {
            let local = |time: Time| time.millis() + offset_millis;
            let now = local(now);
            // A clock that was wrong and is corrected must not delay a job for years.
            let begun = if local(run.begun_at) > now + DAY { i64::MIN } else { local(run.begun_at) };
            let done = run.done_at.map_or(i64::MIN, local);
            let done = if done > now + DAY { i64::MIN } else { done };
            done < window_start(*job, now) && begun < window_start(Job::Daily, now)
        })
    })
}

/// Delay of the first backup after a file has content worth backing up, in milliseconds.
const FIRST_BACKUP_DELAY: i64 = 60_000;

/// Whether the first backup of a file is due: the program may never run at night. `without_backup_since` is when the
/// file was first seen with content and without a backup.
#[must_use]
pub(crate) fn first_backup_due(now: Time, without_backup_since: Option<Time>) -> bool {
    without_backup_since
        .is_some_and(|since| now.millis() >= since.millis().saturating_add(FIRST_BACKUP_DELAY) || since > now)
}

/// When the last window of a job opened, at or before `now`; both in local time.
fn window_start(job: Job, now: i64) -> i64 {
    // Days begin at the window, so that a time before two o'clock belongs to the day before.
    let day = (now - WINDOW_START).div_euclid(DAY);
    let first = match job {
        Job::Daily | Job::Backup => day,
        // 1970-01-01 was a Thursday; weeks begin on Mondays.
        Job::Weekly => day - (day + 3).rem_euclid(7),
        Job::Monthly => day - day_of_month(day),
    };
    first * DAY + WINDOW_START
}

/// Days since the first of the month, for a number of days since 1970-01-01.
fn day_of_month(day: i64) -> i64 {
    let date = jiff::Timestamp::from_millisecond(day.saturating_mul(DAY)).unwrap_or_default();
    i64::from(date.to_zoned(jiff::tz::TimeZone::UTC).day()) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    fn run(job: Job, begun: &str, done: Option<&str>) -> LastRun {
        LastRun { job, begun_at: at(begun), done_at: done.map(at), failure: done.is_none().then(String::new) }
    }

    fn well(job: Job, begun: &str) -> LastRun {
        run(job, begun, Some(begun))
    }

    #[track_caller]
    fn check(now: &str, offset_hours: i64, last: &[LastRun], expected: Option<Job>) {
        assert_eq!(due(at(now), offset_hours * HOUR, last), expected, "{now} {last:?}");
    }

    #[test]
    fn the_daily_job_is_due_from_two_in_the_night_until_it_was_begun() {
        let last = [well(Job::Daily, "2026-03-14T02:00:30Z")];
        check("2026-03-15T01:59:59Z", 0, &last, None);
        check("2026-03-15T02:00:00Z", 0, &last, Some(Job::Daily));
        check("2026-03-15T21:00:00Z", 0, &last, Some(Job::Daily));
        check("2026-03-15T21:00:00Z", 0, &[well(Job::Daily, "2026-03-15T02:00:00Z")], None);
    }

    #[test]
    fn two_in_the_night_is_two_where_the_writer_is() {
        let last = [well(Job::Daily, "2026-03-14T12:00:00Z")];
        check("2026-03-14T17:59:59Z", 8, &last, None);
        check("2026-03-14T18:00:00Z", 8, &last, Some(Job::Daily));
        check("2026-03-15T06:59:59Z", -5, &last, None);
        check("2026-03-15T07:00:00Z", -5, &last, Some(Job::Daily));
    }

    #[test]
    fn a_run_that_was_missed_for_weeks_is_due_once() {
        let last = [well(Job::Daily, "2026-02-01T02:00:00Z")];
        check("2026-03-15T10:00:00Z", 0, &last, Some(Job::Daily));
        check("2026-03-15T10:01:00Z", 0, &[well(Job::Daily, "2026-03-15T10:00:00Z")], None);
    }

    #[test]
    fn the_weekly_job_is_due_from_the_night_to_monday() {
        // 2026-03-16 is a Monday.
        let last = [well(Job::Weekly, "2026-03-10T02:00:00Z")];
        check("2026-03-16T01:59:00Z", 0, &last, None);
        check("2026-03-16T02:00:00Z", 0, &last, Some(Job::Weekly));
    }

    #[test]
    fn the_monthly_job_is_due_from_the_night_to_the_first() {
        let last = [well(Job::Monthly, "2026-02-01T02:00:00Z")];
        check("2026-03-01T01:59:00Z", 0, &last, None);
        check("2026-03-01T02:00:00Z", 0, &last, Some(Job::Monthly));
        check("2026-02-28T23:00:00Z", 0, &last, None);
    }

    #[test]
    fn a_job_that_failed_waits_for_the_next_window_and_no_longer() {
        let daily = [run(Job::Daily, "2026-03-15T02:00:00Z", None)];
        check("2026-03-15T02:01:00Z", 0, &daily, None);
        check("2026-03-16T02:00:00Z", 0, &daily, Some(Job::Daily));
        // The weekly one need not wait for a week.
        let weekly = [run(Job::Weekly, "2026-03-16T02:00:00Z", Some("2026-03-09T02:00:00Z"))];
        check("2026-03-16T12:00:00Z", 0, &weekly, None);
        check("2026-03-17T02:00:00Z", 0, &weekly, Some(Job::Weekly));
    }

    #[test]
    fn several_jobs_that_are_due_run_the_most_frequent_first_and_are_backed_up_after() {
        let last = JOBS.map(|job| well(job, "2026-01-20T03:00:00Z"));
        check("2026-03-15T10:00:00Z", 0, &last, Some(Job::Daily));
        check("2026-03-15T10:00:00Z", 0, &last[1..], Some(Job::Weekly));
        check("2026-03-15T10:00:00Z", 0, &last[2..], Some(Job::Monthly));
        check("2026-03-15T10:00:00Z", 0, &last[3..], Some(Job::Backup));
        // A failed job does not block the others.
        let failed = [well(Job::Daily, "2026-03-15T02:00:00Z"), run(Job::Monthly, "2026-03-15T02:00:01Z", None)];
        let failed = [failed.as_slice(), &[well(Job::Backup, "2026-03-14T02:00:00Z")]].concat();
        check("2026-03-15T02:00:02Z", 0, &failed, Some(Job::Backup));
        check("2026-03-15T02:00:02Z", 0, &failed[..2], None);
    }

    #[test]
    fn data_without_a_backup_is_backed_up_within_minutes_and_not_only_at_night() {
        let now = at("2026-03-15T21:00:00Z");
        let ago = |millis: i64| Some(now.plus_millis(-millis));
        assert!(!first_backup_due(now, None), "there is nothing, or it has a backup");
        assert!(!first_backup_due(now, ago(0)) && !first_backup_due(now, ago(59_999)));
        assert!(first_backup_due(now, ago(60_000)) && first_backup_due(now, ago(9 * DAY)));
        assert!(first_backup_due(now, ago(-HOUR)), "a clock that was set back keeps it waiting no longer");
    }

    #[test]
    fn on_a_new_data_folder_nothing_was_missed() {
        check("2026-03-15T10:00:00Z", 0, &[], None);
    }

    #[test]
    fn a_clock_that_was_years_ahead_delays_no_job() {
        check("2026-03-15T10:00:00Z", 0, &[well(Job::Daily, "2031-01-01T02:00:00Z")], Some(Job::Daily));
        // An hour's change in autumn does not count.
        check("2026-10-25T01:30:00Z", 0, &[well(Job::Daily, "2026-10-25T02:10:00Z")], None);
    }
}
