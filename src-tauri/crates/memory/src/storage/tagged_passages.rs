//! Rows of `tagged_passages`, the words of the Chinese tagger, and of `chapter_order`.

use palimpsest_reader::names::{TaggedWord, WordKind};
use rusqlite::{Connection, Row, params};

use super::Tx;
use crate::{
    error::Result,
    model::{ChapterId, PassageText, ProjectId, UntaggedPassage},
};

/// The kinds of words in their stored order, which never changes once a file may hold it.
const KINDS: [WordKind; 6] =
    [WordKind::Other, WordKind::Person, WordKind::Place, WordKind::Organisation, WordKind::Thing, WordKind::Time];

/// The passages of a chapter in order, with the words of any tagger.
pub(crate) fn in_chapter(db: &Connection, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Vec<PassageText>> {
    let mut statement = db.prepare_cached(
        "SELECT range_from, text, words FROM passages LEFT JOIN tagged_passages USING (row) \
         WHERE passages.project_id = ?1 AND chapter_id = ?2 ORDER BY ordinal, passages.row",
    )?;
    let passage = |row: &Row<'_>| {
        let text: String = row.get(1)?;
        let words = row.get_ref(2)?.as_blob_or_null()?.and_then(|stored| decode(stored, &text));
        Ok(PassageText { from: row.get(0)?, words, text })
    };
    Ok(statement.query_map(params![project_id, chapter_id], passage)?.collect::<Result<_, _>>()?)
}

/// Identifies the passages of a chapter with their texts, places and words: each change of these gives another number.
pub(crate) fn chapter_key(db: &Connection, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<u128> {
    let mut statement = db.prepare_cached(
        "SELECT passages.row, range_from, content_hash, tagger, length(words) \
         FROM passages LEFT JOIN tagged_passages USING (row) \
         WHERE passages.project_id = ?1 AND chapter_id = ?2 ORDER BY ordinal, passages.row",
    )?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(chapter_id.as_str().as_bytes());
    let mut rows = statement.query(params![project_id, chapter_id])?;
    while let Some(row) = rows.next()? {
        hasher.update(&row.get::<_, i64>(0)?.to_le_bytes()).update(&row.get::<_, i64>(1)?.to_le_bytes());
        hasher.update(&row.get::<_, Vec<u8>>(2)?);
        // A tagger reads a text in one way.
        hasher.update(row.get::<_, Option<String>>(3)?.unwrap_or_default().as_bytes());
        hasher.update(&row.get::<_, Option<i64>>(4)?.unwrap_or(-1).to_le_bytes());
    }
    let hash = hasher.finalize();
    Ok(hash.as_bytes().iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte)))
}

/// The first `limit` passages of a book that a tagger has not read.
pub(crate) fn untagged(
    db: &Connection,
    project_id: &ProjectId,
    tagger: &str,
    limit: u32,
) -> Result<Vec<UntaggedPassage>> {
    let mut statement = db.prepare_cached(
        "SELECT passages.row, text FROM passages LEFT JOIN tagged_passages USING (row) \
         WHERE passages.project_id = ?1 AND tagger IS NOT ?2 ORDER BY chapter_id, ordinal LIMIT ?3",
    )?;
    let passage = |row: &Row<'_>| Ok(UntaggedPassage { row: row.get(0)?, text: row.get(1)? });
    Ok(statement.query_map(params![project_id, tagger, limit], passage)?.collect::<Result<_, _>>()?)
}

/// Number of passages of a book that a tagger has not read.
pub(crate) fn count_untagged(db: &Connection, project_id: &ProjectId, tagger: &str) -> Result<u32> {
    let mut statement = db.prepare_cached(
        "SELECT count(*) FROM passages LEFT JOIN tagged_passages USING (row) \
         WHERE passages.project_id = ?1 AND tagger IS NOT ?2",
    )?;
    Ok(statement.query_row(params![project_id, tagger], |row| row.get(0))?)
}

/// Stores the words of a passage, unless it was deleted meanwhile.
pub(crate) fn upsert(tx: &Tx<'_>, project_id: &ProjectId, row: i64, tagger: &str, words: &[TaggedWord]) -> Result<()> {
    tx.prepare_cached(
        "INSERT OR REPLACE INTO tagged_passages (row, project_id, tagger, words) \
         SELECT row, project_id, ?3, ?4 FROM passages WHERE row = ?1 AND project_id = ?2",
    )?
    .execute(params![row, project_id, tagger, encode(words)])?;
    Ok(())
}

/// Deletes the words of a passage.
pub(crate) fn delete(tx: &Tx<'_>, row: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM tagged_passages WHERE row = ?1")?.execute([row])?;
    Ok(())
}

/// The stored order of the chapters of a book.
pub(crate) fn chapter_order(db: &Connection, project_id: &ProjectId) -> Result<Vec<ChapterId>> {
    let mut statement =
        db.prepare_cached("SELECT chapter_id FROM chapter_order WHERE project_id = ?1 ORDER BY ordinal, chapter_id")?;
    Ok(statement.query_map([project_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Replaces the stored order of the chapters of a book.
pub(crate) fn set_chapter_order(tx: &Tx<'_>, project_id: &ProjectId, order: &[ChapterId]) -> Result<()> {
    tx.prepare_cached("DELETE FROM chapter_order WHERE project_id = ?1")?.execute([project_id])?;
    let mut statement =
        tx.prepare_cached("INSERT OR IGNORE INTO chapter_order (project_id, chapter_id, ordinal) VALUES (?1, ?2, ?3)")?;
    for (ordinal, chapter_id) in (0_u32..).zip(order) {
        statement.execute(params![project_id, chapter_id, ordinal])?;
    }
    Ok(())
}

/// Adds a chapter to the end of the stored order, unless it is in it.
pub(crate) fn append_to_order(tx: &Tx<'_>, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO chapter_order (project_id, chapter_id, ordinal) \
         SELECT ?1, ?2, coalesce(max(ordinal) + 1, 0) FROM chapter_order WHERE project_id = ?1",
    )?
    .execute(params![project_id, chapter_id])?;
    Ok(())
}

/// For each word: the bytes since the end of the word before it, its length in bytes, its kind.
fn encode(words: &[TaggedWord]) -> Vec<u8> {
    let (mut bytes, mut end) = (Vec::with_capacity(words.len() * 3), 0);
    for word in words {
        write_number(&mut bytes, word.range.start.saturating_sub(end));
        write_number(&mut bytes, word.range.len());
        bytes.push(KINDS.iter().position(|kind| *kind == word.kind).and_then(|at| u8::try_from(at).ok()).unwrap_or(0));
        end = word.range.end;
    }
    bytes
}

/// The words of a text; `None` for bytes that describe no words of it.
fn decode(mut bytes: &[u8], text: &str) -> Option<Vec<TaggedWord>> {
    let (mut words, mut end) = (Vec::new(), 0_usize);
    while !bytes.is_empty() {
        let start = end.checked_add(read_number(&mut bytes)?)?;
        end = start.checked_add(read_number(&mut bytes)?)?;
        let (kind, rest) = bytes.split_first()?;
        bytes = rest;
        text.get(start..end)?;
        words.push(TaggedWord { range: start..end, kind: *KINDS.get(usize::from(*kind))? });
    }
    Some(words)
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn write_number(bytes: &mut Vec<u8>, mut number: usize) {
    while let Some(rest) = Some(number >> 7).filter(|rest| *rest > 0) {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number = rest;
    }
    bytes.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn stored_words_are_the_words(lengths in prop::collection::vec((0_usize..300, 1_usize..300, 0_usize..6), 0..40)) {
            let (mut words, mut end) = (Vec::new(), 0);
            for (gap, length, kind) in lengths {
                words.push(TaggedWord { range: end + gap..end + gap + length, kind: KINDS[kind] });
                end += gap + length;
            }
            let text = "a".repeat(end);
            prop_assert_eq!(decode(&encode(&words), &text), Some(words));
        }

        #[test]
        fn bytes_that_are_no_words_of_the_text_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = "灯亮着";
            for word in decode(&bytes, text).into_iter().flatten() {
                prop_assert!(text.get(word.range).is_some());
            }
        }
    }
}
