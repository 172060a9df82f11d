//! Snapshots: the text of a chapter before it was replaced, as plain Markdown files in the book's hidden folder,
//! thinned out as they age. They are part of the manuscript and move with the book.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::disk::{self, MAX_CHAPTER_BYTES, WriteMode};
use crate::error::{Error, Result, log_failure, or_log};
use crate::id::ChapterId;
use crate::identity;
use crate::text;

/// The folder of all chapters' snapshots, inside a book.
const FOLDER: &str = ".palimpsest/snapshots";
const FILE_EXTENSION: &str = ".md";
/// The number of hexadecimal digits of the content hash in a file name.
const DIGEST_DIGITS: usize = 16;

const MILLIS_PER_DAY: i64 = 86_400_000;
/// This many newest snapshots of a chapter stay at any age and size.
const MIN_RETAINED: usize = 3;
/// (maximum age, days per snapshot), both in days. Beyond the last maximum age, [`OLDEST_SPAN_DAYS`] applies.
const RETENTION_SPANS: [(i64, i64); 2] = [(31, 1), (366, 7)];
const OLDEST_SPAN_DAYS: i64 = 28;
/// The most bytes of the snapshots of a chapter: of those of the last day, and of all older ones. Two budgets, so that
/// a busy day does not displace older months.
const MAX_BUDGET_BYTES: u64 = 8 * 1024 * 1024;

/// The reason for a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SnapshotReason {
    /// A generation was about to be inserted.
    BeforeInsertion,
    /// An earlier text was about to be restored.
    BeforeRestore,
    /// In a conflict of two texts, the writer chose the other one.
    SetAside,
}

impl SnapshotReason {
    const ALL: [(Self, &'static str); 3] =
        [(Self::BeforeInsertion, "insertion"), (Self::BeforeRestore, "restore"), (Self::SetAside, "aside")];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(reason, _)| *reason == self).map_or("", |(_, name)| name)
    }
}

/// A text to be stored as a snapshot.
#[derive(Clone, Copy)]
pub struct SnapshotDraft<'a> {
    /// The whole text of the editor.
    pub text: &'a str,
    /// Current time, in milliseconds since 1970.
    pub at: i64,
    /// The operation that replaced the text.
    pub reason: SnapshotReason,
    /// The generation about to be inserted; omitted if it is not a valid id.
    pub generation_id: Option<&'a str>,
    /// Length for display, in words.
    pub words: u32,
}

/// Metadata of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Unique among the snapshots of the chapter; its file name without the extension.
    pub snapshot_id: String,
    /// Last time at which it was the text of the chapter, in milliseconds since 1970.
    pub taken_at: i64,
    /// The operation that replaced the text.
    pub reason: SnapshotReason,
    /// The generation inserted after it.
    pub generation_id: Option<String>,
    /// Length for display, in words.
    pub words: u32,
    /// Size of the file.
    pub bytes: u64,
    digest: String,
}

impl Snapshot {
    fn new(draft: &SnapshotDraft<'_>, text: &str, at: i64) -> Self {
        let digest = text::content_hash(text.as_bytes())[..DIGEST_DIGITS].to_owned();
        let generation_id = draft.generation_id.filter(|id| identity::check_id(id).is_ok()).map(str::to_owned);
        let tail = generation_id.as_ref().map(|id| format!("-{id}")).unwrap_or_default();
        Self {
            snapshot_id: format!("{:013}-{}-{}-{digest}{tail}", at.max(0), draft.reason.name(), draft.words),
            taken_at: at.max(0),
            reason: draft.reason,
            generation_id,
            words: draft.words,
            bytes: text.len() as u64,
            digest,
        }
    }

    /// Parses the file name, which holds all metadata; `None` for another name.
    fn parse(snapshot_id: &str, bytes: u64) -> Option<Self> {
        let mut parts = snapshot_id.splitn(5, '-');
        let mut next = || parts.next();
        let (at, reason, words, digest) = (next()?, next()?, next()?, next()?);
        let hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
        if at.len() < 13 || !at.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        if digest.len() != DIGEST_DIGITS || !digest.bytes().all(hex) {
            return None;
        }
        let generation_id = match parts.next() {
            Some(id) => Some(identity::check_id(id).ok().map(|()| id.to_owned())?),
            None => None,
        };
        Some(Self {
            snapshot_id: snapshot_id.to_owned(),
            taken_at: at.parse().ok()?,
            reason: SnapshotReason::ALL.iter().find(|(_, name)| *name == reason)?.0,
            generation_id,
            words: words.parse().ok()?,
            bytes,
            digest: digest.to_owned(),
        })
    }
}

/// The snapshots of a chapter that can be removed at `now` (milliseconds since 1970). All of the last day stay, then
/// the newest of each day for a month, of each week for a year, and of each four weeks after that; the newest three
/// always stay. Beyond 8 MB for the last day and 8 MB for all before it, the oldest are removed too.
#[must_use]
pub fn expired_snapshots(snapshots: &[Snapshot], now: i64) -> Vec<Snapshot> {
    let mut all: Vec<&Snapshot> = snapshots.iter().collect();
    all.sort_by(|a, b| newer_first(a, b));
    let (mut last_day, mut older) = (0_u64, 0_u64);
    let mut spans = HashSet::new();
    let mut expired = Vec::new();
    for (index, snapshot) in all.into_iter().enumerate() {
        let age = now.saturating_sub(snapshot.taken_at);
        let (budget, wanted) = if age < MILLIS_PER_DAY {
            (&mut last_day, true)
        } else {
            let is_within = |(up_to, _): &&(i64, i64)| age < up_to * MILLIS_PER_DAY;
            let days = RETENTION_SPANS.iter().find(is_within).map_or(OLDEST_SPAN_DAYS, |(_, days)| *days);
            // Spans are aligned to the calendar and not to ages: otherwise each new day would shift them all.
            let span = (days, snapshot.taken_at.div_euclid(days * MILLIS_PER_DAY));
            (&mut older, spans.insert(span))
        };
        let fits = budget.saturating_add(snapshot.bytes) <= MAX_BUDGET_BYTES;
        if index < MIN_RETAINED || (wanted && fits) {
            *budget = budget.saturating_add(snapshot.bytes);
        } else {
            expired.push(snapshot.clone());
        }
    }
    expired
}

fn newer_first(a: &Snapshot, b: &Snapshot) -> std::cmp::Ordering {
    b.taken_at.cmp(&a.taken_at).then_with(|| b.snapshot_id.cmp(&a.snapshot_id))
}

/// The snapshots of one chapter. Reads go to the disk each time.
#[derive(Debug)]
pub struct Snapshots {
    root: PathBuf,
    /// Relative to the book.
    folder: String,
}

impl Snapshots {
    /// The snapshots of a chapter. `chapter_id` must be a valid id.
    pub(crate) fn for_chapter(root: &Path, chapter_id: &ChapterId) -> Self {
        Self { root: root.to_path_buf(), folder: format!("{FOLDER}/{chapter_id}") }
    }

    /// All snapshots, newest first.
    ///
    /// # Errors
    /// [`Error::Link`], [`Error::Io`].
    pub fn list(&self) -> Result<Vec<Snapshot>> {
        let mut found: Vec<Snapshot> = disk::files_in(&self.root, &self.folder)?
            .into_iter()
            .filter_map(|(name, bytes)| Snapshot::parse(name.strip_suffix(FILE_EXTENSION)?, bytes))
            .collect();
        found.sort_by(newer_first);
        Ok(found)
    }

    /// The text of a snapshot; `None` if there is none of this id, for example because it was removed meanwhile.
    ///
    /// # Errors
    /// [`Error::NotUtf8`] if another program changed the file, [`Error::TooLarge`], [`Error::Link`], [`Error::Io`].
    pub fn read(&self, snapshot_id: &str) -> Result<Option<String>> {
        if Snapshot::parse(snapshot_id, 0).is_none() {
            return Ok(None);
        }
        let file = self.file(snapshot_id);
        let Some(bytes) = disk::read(&self.root, &file)? else {
            return Ok(None);
        };
        match std::str::from_utf8(&bytes) {
            Ok(raw) => Ok(Some(text::decode(raw))),
            Err(_) => Err(Error::NotUtf8 { file }),
        }
    }

    /// Stores a snapshot; on return it is on disk. A text that is stored already is not stored twice: it gets the new
    /// time and reason.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Link`], [`Error::Io`]. Earlier snapshots are then unchanged.
    pub fn save(&self, draft: &SnapshotDraft<'_>) -> Result<Snapshot> {
        let text = palimpsest_text::normalize_line_ends(draft.text);
        if text.len() as u64 > MAX_CHAPTER_BYTES {
            return Err(Error::TooLarge { file: self.folder.clone() });
        }
        disk::make_folders(&self.root, &self.folder)?;
        disk::remove_leftovers(&self.root, std::iter::once(self.folder.as_str()));
        let snapshots = self.list()?;
        let mut at = draft.at;
        // Snapshots of the same time keep their order.
        while snapshots.iter().any(|other| other.taken_at == at) {
            at = at.saturating_add(1);
        }
        let taken = Snapshot::new(draft, &text, at);
        let file = self.file(&taken.snapshot_id);
        let same = snapshots.iter().find(|other| other.digest == taken.digest && self.has_text(other, &text));
        match same {
            Some(same) => disk::rename(&self.root, &self.file(&same.snapshot_id), &file)?,
            None => disk::replace(&self.root, &file, text.as_bytes(), WriteMode::Replace)?,
        }
        Ok(taken)
    }

    fn file(&self, snapshot_id: &str) -> String {
        format!("{}/{snapshot_id}{FILE_EXTENSION}", self.folder)
    }

    /// Whether the file has this text: it may have been edited outside.
    fn has_text(&self, snapshot: &Snapshot, text: &str) -> bool {
        let bytes = or_log("compare a snapshot", disk::read(&self.root, &self.file(&snapshot.snapshot_id))).flatten();
        bytes.is_some_and(|bytes| bytes == text.as_bytes())
    }

    /// Removes the [`expired_snapshots`] at `now`, except those in `taken`: after the clock was set back the newest
    /// look old. The caller ensures that `now` is plausible. Failures are logged.
    pub fn thin_out(&self, now: i64, taken: &[Snapshot]) {
        let expired = or_log("list snapshots", self.list()).map(|all| expired_snapshots(&all, now)).unwrap_or_default();
        for old in expired.iter().filter(|old| taken.iter().all(|snapshot| snapshot.snapshot_id != old.snapshot_id)) {
            log_failure("remove a snapshot", disk::remove(&self.root, &self.file(&old.snapshot_id)));
        }
    }
}

/// Moves the snapshots of chapters in the book at `root` to new chapter ids (old, new). Snapshots that cannot be moved
/// stay.
pub(crate) fn rename_chapters(root: &Path, renamed: &[(ChapterId, ChapterId)]) {
    for (old, new) in renamed {
        let moved = disk::rename(root, &format!("{FOLDER}/{old}"), &format!("{FOLDER}/{new}"));
        if !moved.as_ref().is_err_and(Error::is_absence) {
            log_failure("move snapshots", moved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: i64 = 1_800_000_000_000;
    const HOUR: i64 = 3_600_000;

    fn draft(text: &str, at: i64) -> SnapshotDraft<'_> {
        SnapshotDraft { text, at, reason: SnapshotReason::BeforeInsertion, generation_id: Some("gen-1"), words: 2 }
    }

    fn aged(millis: i64, bytes: u64) -> Snapshot {
        let text = format!("{millis}");
        Snapshot { bytes, ..Snapshot::new(&draft(&text, NOW - millis), &text, NOW - millis) }
    }

    /// The ages in hours of those that stay, of snapshots of these ages in hours.
    fn staying(hours: &[i64], bytes: u64) -> Vec<i64> {
        let all: Vec<Snapshot> = hours.iter().map(|hours| aged(hours * HOUR, bytes)).collect();
        let expired = expired_snapshots(&all, NOW);
        hours.iter().zip(&all).filter(|(_, one)| !expired.contains(one)).map(|(hours, _)| *hours).collect()
    }

    #[test]
    fn the_last_day_stays_whole_and_earlier_days_keep_their_latest() {
        // NOW is 8 o'clock in the morning, in UTC.
        assert_eq!(staying(&[0, 1, 2, 5, 23], 10), [0, 1, 2, 5, 23]);
        assert_eq!(staying(&[0, 1, 2, 33, 34, 40, 57, 60], 10), [0, 1, 2, 33, 57]);
        let (week, month) = (7 * 24, 28 * 24);
        let old = [0, 1, 2, 40 * 24, 40 * 24 + 1, 40 * 24 + week, 400 * 24, 400 * 24 + month];
        assert_eq!(staying(&old, 10), [0, 1, 2, 40 * 24, 40 * 24 + week, 400 * 24, 400 * 24 + month]);
    }

    #[test]
    fn the_newest_three_stay_whatever_their_age_and_size() {
        assert_eq!(staying(&[9_000, 9_001, 9_002, 9_003], 10), [9_000, 9_001, 9_002]);
        assert_eq!(staying(&[1, 2, 3, 4], MAX_BUDGET_BYTES), [1, 2, 3]);
    }

    #[test]
    fn a_busy_day_does_not_pay_with_the_months_before() {
        let mut hours: Vec<i64> = vec![0; 40];
        hours.extend([30, 60, 90]);
        let all: Vec<Snapshot> =
            hours.iter().enumerate().map(|(n, hours)| aged(hours * HOUR + n as i64, MAX_BUDGET_BYTES / 4)).collect();
        let expired = expired_snapshots(&all, NOW);
        assert_eq!(expired.len(), 36, "four of the day fit");
        assert!(expired.iter().all(|one| NOW - one.taken_at < MILLIS_PER_DAY));
    }

    #[test]
    fn the_record_of_a_snapshot_can_be_read_from_its_name() {
        for generation_id in [None, Some("0192f0c1-7a6e-7c3e-9b1d-3f5a"), Some("g")] {
            let wanted = SnapshotDraft { generation_id, ..draft("雨停了。\n", NOW) };
            let taken = Snapshot::new(&wanted, wanted.text, NOW);
            assert_eq!(Snapshot::parse(&taken.snapshot_id, taken.bytes), Some(taken));
        }
        for name in [
            "",
            "book",
            "1800000000000-insertion-2",
            "x-insertion-2-0123456789abcdef",
            "1800000000000-why-2-0123456789abcdef",
            "1800000000000-insertion-2-0123456789abcdeF",
            "1800000000000-insertion-2-0123456789abcdef-../x",
        ] {
            assert_eq!(Snapshot::parse(name, 1), None, "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn thinning_is_bounded_keeps_the_day_and_is_done_at_once(
            ages in prop::collection::btree_set(0..1_000_i64 * MILLIS_PER_DAY, 0..60), bytes in 1..2_000_000_u64,
        ) {
            let all: Vec<Snapshot> = ages.iter().map(|age| aged(*age, bytes)).collect();
            let expired = expired_snapshots(&all, NOW);
            let left: Vec<Snapshot> = all.iter().filter(|one| !expired.contains(one)).cloned().collect();
            prop_assert_eq!(expired.len() + left.len(), all.len());
            prop_assert_eq!(expired_snapshots(&left, NOW), Vec::new());
            prop_assert!(all.iter().take(MIN_RETAINED).all(|one| left.contains(one)), "the newest stay");
            let sum: u64 = left.iter().map(|one| one.bytes).sum();
            prop_assert!(sum <= 2 * MAX_BUDGET_BYTES + MIN_RETAINED as u64 * bytes);
            let day = |one: &&Snapshot| NOW - one.taken_at < MILLIS_PER_DAY;
            if all.iter().filter(day).count() as u64 * bytes <= MAX_BUDGET_BYTES {
                prop_assert_eq!(left.iter().filter(day).count(), all.iter().filter(day).count());
            }
            // Of every day of the last month that had any, one is left, as far as they fit.
            if 70 * bytes <= MAX_BUDGET_BYTES {
                let days = |some: &[Snapshot]| -> HashSet<i64> {
                    let month = some.iter().filter(|one| NOW - one.taken_at < 31 * MILLIS_PER_DAY);
                    month.map(|one| one.taken_at.div_euclid(MILLIS_PER_DAY)).collect()
                };
                prop_assert_eq!(days(&left), days(&all));
            }
        }
    }
}
