//! Which backups are deleted as newer ones are made. Pure: a list and a time come in, a list comes out.

use crate::model::{Backup, BackupReason, StoreFile, Time};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// Number of newest backups of each file that always stay.
const ALWAYS: usize = 3;
/// The longest age, and what is kept up to it: the newest of each span of that length.
const RETENTION_SPANS: [(i64, i64); 4] = [(DAY, HOUR), (7 * DAY, DAY), (30 * DAY, 7 * DAY), (365 * DAY, 30 * DAY)];
/// Maximum total size of the backups of one file, beyond the newest two: years of backups must not fill the disk.
const MAX_BYTES: u64 = 2 << 30;
/// Number of newest backups that stay however large they are.
const AT_LEAST: usize = 2;

/// Which of `backups` can go, by age: all of the last hours are thinned to one an hour, those of the last week to one a
/// day, those of a month to one a week, older ones to one a month for a year. The newest three of a file stay, and
/// whatever [`is_protected`] holds: these count neither as one of the three nor towards [`MAX_BYTES`].
///
/// So the disk holds at most, of each file, 2 GiB or two backups of any size, and above that for one day: each backup
/// made by hand, and at most four an hour of those made before something else (import, restore, migration, clearing).
#[must_use]
pub(super) fn superfluous(backups: &[Backup], now: Time) -> Vec<Backup> {
    let mut deletable = Vec::new();
    for file in [StoreFile::Rules, StoreFile::Episodes] {
        let mut own: Vec<&Backup> =
            backups.iter().filter(|backup| backup.file == file && !is_protected(backup, backups, now)).collect();
        own.sort_by_key(|backup| std::cmp::Reverse(backup.created_at));
        let mut bytes = 0_u64;
        let mut spans = Vec::new();
        for (place, backup) in own.into_iter().enumerate() {
            let age = now.millis().saturating_sub(backup.created_at.millis()).max(0);
            let span = RETENTION_SPANS.iter().find(|(up_to, _)| age < *up_to).map(|(_, span)| {
                // Spans are counted in calendar time, not in ages: else each night would shift them all.
                (*span, backup.created_at.millis().div_euclid(*span))
            });
            let is_first_of_span = span.is_some_and(|span| !spans.contains(&span));
            let is_small_enough = place < AT_LEAST || bytes.saturating_add(backup.bytes) <= MAX_BYTES;
            if (place < ALWAYS || is_first_of_span) && is_small_enough {
                spans.extend(span);
                bytes = bytes.saturating_add(backup.bytes);
            } else {
                deletable.push(backup.clone());
            }
        }
    }
    deletable
}

/// Whether a backup stays whatever else there is: for a day after it was made, one that the writer asked for, and of
/// those made before an import, a restore, a migration or a clearing the first of its kind in a calendar hour. That one
/// holds what was there before a series of mistakes.
fn is_protected(backup: &Backup, all: &[Backup], now: Time) -> bool {
    let hour = |of: &Backup| of.created_at.millis().div_euclid(HOUR);
    let is_first = || {
        !all.iter().any(|other| {
            (other.file, other.reason) == (backup.file, backup.reason)
                && hour(other) == hour(backup)
                && other.created_at < backup.created_at
        })
    };
    // Also one from the near future: a clock that was set back by an hour deletes no backup.
    now.millis().saturating_sub(backup.created_at.millis()).saturating_abs() < DAY
        && match backup.reason {
            BackupReason::Manual => true,
            BackupReason::Changed => false,
            BackupReason::Import | BackupReason::Restore | BackupReason::Migration | BackupReason::Clearing => {
                is_first()
            }
        }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn backup(file: StoreFile, millis: i64, bytes: u64) -> Backup {
        let name = if file == StoreFile::Rules { "rules" } else { "episodes" };
        Backup {
            backup_id: format!("{name}-{millis}-changed"),
            file,
            created_at: Time::from_millis(millis),
            bytes,
            reason: BackupReason::Changed,
        }
    }

    /// Makes one every `every`, thins after each, and says what is left after `days`.
    fn left_after(days: i64, every: i64, bytes: u64) -> Vec<i64> {
        let mut remaining: Vec<Backup> = Vec::new();
        let mut now = 0;
        while now <= days * DAY {
            remaining.push(backup(StoreFile::Rules, now, bytes));
            let deletable = superfluous(&remaining, Time::from_millis(now));
            remaining.retain(|backup| !deletable.contains(backup));
            now += every;
        }
        remaining.iter().map(|backup| (days * DAY - backup.created_at.millis()) / HOUR).collect()
    }

    #[test]
    fn a_year_of_nightly_backups_is_thinned_to_days_weeks_and_months() {
        let ages = left_after(400, DAY, 1);
        let within = |days: i64| ages.iter().filter(|age| **age < days * 24).count();
        assert_eq!(within(7), 7, "{ages:?}");
        assert!((10..=12).contains(&within(30)), "{ages:?}");
        assert!((20..=24).contains(&ages.len()), "{ages:?}");
    }

    #[test]
    fn the_backups_of_one_busy_day_are_thinned_to_one_an_hour_and_the_newest_three_stay() {
        let ages = left_after(1, HOUR / 4, 1);
        assert!(ages.len() <= 24 + 3, "{ages:?}");
        let newest = [0, HOUR, 2 * HOUR].map(|ago| backup(StoreFile::Rules, 10 * DAY - ago / 60, 1));
        assert_eq!(superfluous(&newest, Time::from_millis(10 * DAY)), []);
    }

    fn made_for(reason: BackupReason, millis: i64, bytes: u64) -> Backup {
        Backup { reason, ..backup(StoreFile::Rules, millis, bytes) }
    }

    #[test]
    fn a_backup_made_by_hand_stays_a_day_through_any_number_of_imports() {
        let now = 10 * DAY + HOUR / 2;
        let mut all = vec![made_for(BackupReason::Manual, now, MAX_BYTES)];
        all.extend((1..9).map(|n| made_for(BackupReason::Import, now + n * 60_000, MAX_BYTES)));
        let after = |millis| {
            let deletable = superfluous(&all, Time::from_millis(millis));
            all.iter()
                .filter(|one| !deletable.contains(one))
                .map(|one| (one.reason, one.created_at))
                .collect::<Vec<_>>()
        };
        let left = after(now + 9 * 60_000);
        assert!(left.contains(&(BackupReason::Manual, Time::from_millis(now))), "{left:?}");
        assert!(left.contains(&(BackupReason::Import, Time::from_millis(now + 60_000))), "the first of the hour");
        assert_eq!(left.len(), 4, "and the newest two, however large: {left:?}");
        assert_eq!(after(now + 2 * DAY).len(), 2, "a day later, age and size decide");
    }

    #[test]
    fn large_backups_do_not_fill_the_disk_and_the_newest_two_stay_however_large() {
        assert_eq!(left_after(60, DAY, MAX_BYTES / 4).len(), 4);
        assert_eq!(left_after(60, DAY, MAX_BYTES * 3).len(), 2);
    }

    proptest! {
        #[test]
        fn thinning_keeps_the_newest_of_each_file_and_thins_nothing_twice(
            times in prop::collection::vec((0..500 * DAY, any::<bool>()), 1..60),
        ) {
            let now = Time::from_millis(500 * DAY);
            let all: Vec<Backup> = times
                .into_iter()
                .map(|(at, rules)| backup(if rules { StoreFile::Rules } else { StoreFile::Episodes }, at, 1))
                .collect();
            let deletable = superfluous(&all, now);
            let remaining: Vec<Backup> = all.iter().filter(|one| !deletable.contains(one)).cloned().collect();
            for file in [StoreFile::Rules, StoreFile::Episodes] {
                let newest = |of: &[Backup]| of.iter().filter(|one| one.file == file).map(|one| one.created_at).max();
                prop_assert_eq!(newest(&all), newest(&remaining));
            }
            prop_assert_eq!(superfluous(&remaining, now), vec![]);
        }

        #[test]
        fn thinning_holds_for_a_day_what_was_made_by_hand_and_the_first_of_each_reason_in_an_hour(
            made in prop::collection::vec((0..3 * DAY, 0..6_usize, any::<bool>(), 0..2 * MAX_BYTES), 1..60),
        ) {
            const REASONS: [BackupReason; 6] = [
                BackupReason::Changed, BackupReason::Manual, BackupReason::Migration, BackupReason::Import,
                BackupReason::Clearing, BackupReason::Restore,
            ];
            let now = Time::from_millis(3 * DAY);
            let all: Vec<Backup> = made
                .into_iter()
                .map(|(at, reason, rules, bytes)| Backup {
                    reason: REASONS[reason],
                    ..backup(if rules { StoreFile::Rules } else { StoreFile::Episodes }, at, bytes)
                })
                .collect();
            let deletable = superfluous(&all, now);
            for one in &deletable {
                let is_of_today = now.millis() - one.created_at.millis() < DAY;
                prop_assert!(!(is_of_today && one.reason == BackupReason::Manual), "{:?}", one);
                let is_before_something = !matches!(one.reason, BackupReason::Manual | BackupReason::Changed);
                if is_of_today && is_before_something {
                    let has_earlier = all.iter().any(|other| {
                        (other.file, other.reason) == (one.file, one.reason)
                            && other.created_at < one.created_at
                            && other.created_at.millis() / HOUR == one.created_at.millis() / HOUR
                            && !deletable.contains(other)
                    });
                    prop_assert!(has_earlier, "{:?}", one);
                }
            }
            let remaining: Vec<Backup> = all.iter().filter(|one| !deletable.contains(one)).cloned().collect();
            prop_assert_eq!(superfluous(&remaining, now), vec![]);
            for file in [StoreFile::Rules, StoreFile::Episodes] {
                let newest = |of: &[Backup]| of.iter().filter(|one| one.file == file).map(|one| one.created_at).max();
                prop_assert_eq!(newest(&all), newest(&remaining));
            }
        }
    }
}
