//! The write-ahead log as a file: whether it is still the one in use, and whether its frames are intact.
//!
//! Format: sqlite.org/fileformat2.html#walformat.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::Path,
    time::SystemTime,
};

use super::files::identity;

/// A fingerprint that shows, without reading the log, whether it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    identity: (u64, u64),
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Mark {
    /// The fingerprint of the log at `path`; `None` if there is none.
    #[must_use]
    pub(super) fn read(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self { identity: identity(&metadata), bytes: metadata.len(), modified: metadata.modified().ok() })
    }

    /// Whether both are of the same file, whatever its content.
    #[must_use]
    pub(super) fn is_same_file(self, other: Self) -> bool {
        self.identity == other.identity
    }
}

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Whether the frames from the one after `backfilled` up to `frames`, counted from 1, match their checksums: those that
/// a checkpoint still has to copy into the database. `false` for an unreadable log.
#[must_use]
pub(super) fn is_whole(path: &Path, backfilled: u64, frames: u64) -> bool {
    frames <= backfilled || is_written_back(path, backfilled, frames).unwrap_or(false)
}

fn is_written_back(path: &Path, backfilled: u64, frames: u64) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    let mut header = [0_u8; HEADER];
    file.read_exact(&mut header)?;
    let word = |bytes: &[u8], place: usize| {
        let four = bytes.get(place * 4..place * 4 + 4).and_then(|four| four.try_into().ok());
        four.map_or(0, u32::from_be_bytes)
    };
    let big_endian = match word(&header, 0) {
        0x377f_0682 => false,
        0x377f_0683 => true,
        _ => return Ok(false),
    };
    let sum_of_header = summed((0, 0), &header[..24], big_endian);
    if sum_of_header != (word(&header, 6), word(&header, 7)) {
        return Ok(false);
    }
    let page = match word(&header, 2) as usize {
        1 => 65_536,
        size if size.is_power_of_two() && (512..=65_536).contains(&size) => size,
        _ => return Ok(false),
    };
    let length = FRAME_HEADER + page;
    let mut frame = vec![0_u8; length];
    let mut sum = sum_of_header;
    if let Some(before) = backfilled.checked_sub(1) {
        file.seek(SeekFrom::Start(HEADER as u64 + before * length as u64))?;
        file.read_exact(&mut frame)?;
        sum = (word(&frame, 4), word(&frame, 5));
    }
    for _ in backfilled..frames {
        file.read_exact(&mut frame)?;
        let is_of_this_log = (word(&frame, 2), word(&frame, 3)) == (word(&header, 4), word(&header, 5));
        sum = summed(sum, &frame[..8], big_endian);
        sum = summed(sum, &frame[FRAME_HEADER..], big_endian);
        if !is_of_this_log || sum != (word(&frame, 4), word(&frame, 5)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The checksum of the format, continued over `bytes`, whose length is a multiple of eight.
fn summed((mut first, mut second): (u32, u32), bytes: &[u8], big_endian: bool) -> (u32, u32) {
    for eight in bytes.chunks_exact(8) {
        let word = |at: usize| {
            let four = [eight[at], eight[at + 1], eight[at + 2], eight[at + 3]];
            if big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
        };
        first = first.wrapping_add(word(0)).wrapping_add(second);
        second = second.wrapping_add(word(4)).wrapping_add(first);
    }
    (first, second)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_log_is_whole_as_sqlite_wrote_it_and_not_with_any_byte_of_its_frames_changed() {
        let folder = tempfile::tempdir().unwrap();
        let db = Connection::open(folder.path().join("a.db")).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);").unwrap();
        db.execute_batch("PRAGMA wal_checkpoint(PASSIVE); INSERT INTO t VALUES (2); INSERT INTO t VALUES (3);")
            .unwrap();
        let frames: i64 = db.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1)).unwrap();
        let frames = u64::try_from(frames).unwrap();
        let path = folder.path().join("a.db-wal");
        let good = fs::read(&path).unwrap();
        assert!(is_whole(&path, 0, frames) && frames > 1);
        assert!(is_whole(&path, 1, frames) && is_whole(&path, frames, frames));
        assert!(!is_whole(&path, 0, frames + 1), "it is too short for one more");
        let broken = folder.path().join("broken");
        for at in (0..HEADER + usize::try_from(frames).unwrap() * (FRAME_HEADER + 4096)).step_by(97) {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            fs::write(&broken, bytes).unwrap();
            assert!(!is_whole(&broken, 0, frames), "byte {at}");
        }
    }
}
