//! The passages of the manuscript: stored from split chapters, and searched.
//!
//! Passages are derived. A chapter is replaced in short transactions, so that a record waits for none of them; one that
//! is interrupted is replaced again.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    thread,
    time::Duration,
};

use super::{Engine, retrieval::CountedTexts};
use crate::{
    error::{Error, Result},
    model::{Changed, ChapterId, FoundPassage, FoundPassages, OwnerKind, PassageQuery, ProjectId, SplitChapter, Topic},
    storage::{
        TextHash,
        passages::{self, NewPassage, Place, StoredPassage},
        tagged_passages, text_hash,
    },
    story::hashed_id,
    validate,
};

/// Maximum number of passages that one transaction changes: about a millisecond.
pub(super) const MAX_CHANGES_PER_STEP: usize = 8;
/// The pause after each transaction: a record that arrives meanwhile finds the file free.
pub(super) const PAUSE: Duration = Duration::from_millis(1);
/// Default number of results.
const DEFAULT_FOUND: u32 = 8;
/// Maximum number of results.
const MAX_FOUND: u32 = 50;
/// Maximum length of a search, in bytes.
const MAX_QUERY_BYTES: usize = validate::REMARK;

/// One change of the stored passages of a chapter.
enum Step<'a> {
    Delete(StoredPassage),
    Move(i64, Place),
    Insert(NewPassage<'a>),
}

impl Engine {
    /// Replaces the passages of a chapter by those of its present text. Unchanged passages keep their row, and so their
    /// words and vectors. Returns the number of new passages; `None` if the chapter was analyzed in this state.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_INVALID_ARGUMENT` for ranges outside the text, those of the store.
    pub fn replace_passages(&self, project_id: &ProjectId, chapter: &SplitChapter<'_>) -> Result<Option<Changed<u32>>> {
        let _open = self.visit(project_id)?;
        validate::identity("chapterId", chapter.chapter_id.as_str())?;
        let places = places(chapter)?;
        let db = self.stores.episodes.open()?;
        let stored = {
            let reader = db.reader()?;
            let analyzed = (chapter.content_hash, chapter.version);
            if passages::is_analyzed(&reader, project_id, chapter.chapter_id, analyzed)? {
                return Ok(None);
            }
            passages::in_chapter(&reader, project_id, chapter.chapter_id)?
        };
        let steps = steps(project_id, chapter, &places, stored);
        let added = steps.iter().filter(|step| matches!(step, Step::Insert(_))).count();
        db.write_derived("replace passages", |tx| passages::set_analyzed(tx, project_id, chapter.chapter_id, None))?;
        for some in steps.chunks(MAX_CHANGES_PER_STEP) {
            let removed_rows = db.write_derived("replace passages", |tx| {
                let mut removed_rows = Vec::new();
                for step in some {
                    match step {
                        Step::Delete(passage) => removed_rows.push(passages::delete(tx, project_id, passage)?),
                        Step::Move(row, place) => passages::set_place(tx, *row, *place)?,
                        Step::Insert(new) => passages::insert(tx, project_id, chapter.chapter_id, new)?,
                    }
                }
                Ok(removed_rows)
            })?;
            self.retrieval.remove_rows(&removed_rows);
            thread::sleep(PAUSE);
        }
        let analyzed = Some((chapter.content_hash, chapter.version, self.clock.now()));
        db.write_derived("replace passages", |tx| {
            tagged_passages::append_to_order(tx, project_id, chapter.chapter_id)?;
            passages::set_analyzed(tx, project_id, chapter.chapter_id, analyzed)
        })?;
        self.story.note_change(Some(project_id));
        let added = u32::try_from(added).unwrap_or(u32::MAX);
        Ok(Some(Changed::new(added, Some(project_id.clone()), [Topic::Story])))
    }

    /// Deletes the passages of chapters that are not in the book, and stores the order of the others; returns whether
    /// that has changed anything.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn retain_passages(&self, project_id: &ProjectId, chapters: &[ChapterId]) -> Result<bool> {
        let _open = self.visit(project_id)?;
        let kept: HashSet<&ChapterId> = chapters.iter().collect();
        let db = self.stores.episodes.open()?;
        let known = passages::known_chapters(&*db.reader()?, project_id)?;
        let mut has_changed = false;
        for chapter_id in known.iter().filter(|chapter_id| !kept.contains(chapter_id)) {
            has_changed = true;
            let stored = passages::in_chapter(&*db.reader()?, project_id, chapter_id)?;
            for some in stored.chunks(MAX_CHANGES_PER_STEP) {
                let removed_rows = db.write_derived("delete passages", |tx| {
                    some.iter().map(|passage| passages::delete(tx, project_id, passage)).collect::<Result<Vec<_>>>()
                })?;
                self.retrieval.remove_rows(&removed_rows);
                thread::sleep(PAUSE);
            }
            db.write_derived("delete passages", |tx| passages::set_analyzed(tx, project_id, chapter_id, None))?;
        }
        if tagged_passages::chapter_order(&*db.reader()?, project_id)? != chapters {
            has_changed = true;
            db.write_derived("order chapters", |tx| tagged_passages::set_chapter_order(tx, project_id, chapters))?;
        }
        if has_changed {
            self.story.note_change(Some(project_id));
        }
        Ok(has_changed)
    }

    /// The chapters of a book whose passages were stored by this version of the rules, each with its content hash.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn analyzed_chapters(&self, project_id: &ProjectId, version: u32) -> Result<HashMap<ChapterId, String>> {
        let _open = self.visit(project_id)?;
        passages::analyzed_chapters(&*self.stores.episodes.open()?.reader()?, project_id, version)
    }

    /// Number of stored passages of a book.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn count_passages(&self, project_id: &ProjectId) -> Result<u32> {
        let _open = self.visit(project_id)?;
        passages::count(&*self.stores.episodes.open()?.reader()?, project_id)
    }

    /// The passages of a book that match a search, best first.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_BACKPRESSURE`, those of the store.
    pub fn find_passages(&self, query: &PassageQuery) -> Result<FoundPassages> {
        validate::some_text("queryText", &query.query_text, MAX_QUERY_BYTES)?;
        let limit = query.limit.unwrap_or(DEFAULT_FOUND);
        validate::within("limit", limit, 1, MAX_FOUND)?;
        let _open = self.visit(&query.project_id)?;
        let _pass = self.retrieval.admit_recall()?;
        let search = (&query.project_id, query.query_text.as_str());
        let (ranked, are_vectors_awaited) = self.retrieval.find_texts(
            &self.stores,
            search,
            (OwnerKind::Passage, CountedTexts::All),
            (limit as usize, &|_| true),
        )?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let mut found = Vec::new();
        for one in ranked.texts {
            // It may have been replaced meanwhile.
            if let Some(passage) = passages::by_index_row(&reader, &query.project_id, one.row)? {
                let (group, score, matched_by) = (one.group, one.score, one.matched_by);
                found.push(FoundPassage { passage, group, score, matched_by });
            }
        }
        let degraded_reason = self.retrieval.imprecision(are_vectors_awaited);
        Ok(FoundPassages { passages: found, degraded: degraded_reason.is_some(), degraded_reason })
    }
}

/// The changes that make the stored passages of a chapter those of its present text: first deletions, then moves of
/// unchanged passages, then new ones.
fn steps<'a>(
    project_id: &ProjectId,
    chapter: &SplitChapter<'a>,
    places: &[Place],
    stored: Vec<StoredPassage>,
) -> Vec<Step<'a>> {
    let mut known: HashMap<TextHash, VecDeque<StoredPassage>> = HashMap::new();
    for passage in stored {
        known.entry(passage.content_hash).or_default().push_back(passage);
    }
    let (mut moves, mut added, mut used) = (Vec::new(), Vec::new(), HashSet::new());
    for (place, range) in places.iter().zip(chapter.passages) {
        let text = chapter.text.get(range.clone()).unwrap_or_default();
        let content_hash = text_hash(text);
        match known.get_mut(&content_hash).and_then(VecDeque::pop_front) {
            Some(same) => {
                moves.push(Step::Move(same.row, *place));
                used.insert(same.id);
            }
            None => added.push((*place, content_hash, text)),
        }
    }
    let insert = |(place, content_hash, text)| {
        // A text may occur several times in a chapter.
        let mut ids = (0_u32..).map(|n| passage_id(project_id, chapter.chapter_id, content_hash, n));
        let id = ids.find(|id| used.insert(id.clone())).unwrap_or_default();
        Step::Insert(NewPassage { id, place, content_hash, text })
    };
    let deletions = known.into_values().flatten().map(Step::Delete);
    deletions.chain(moves).chain(added.into_iter().map(insert)).collect()
}

/// The id of the `n`-th passage with a text in a chapter: the same after an analysis from scratch.
fn passage_id(project_id: &ProjectId, chapter_id: &ChapterId, content_hash: TextHash, n: u32) -> String {
    hashed_id(&[project_id.as_str().as_bytes(), chapter_id.as_str().as_bytes(), &content_hash, &n.to_le_bytes()])
}

/// The places of the passages in UTF-16 code units.
fn places(chapter: &SplitChapter<'_>) -> Result<Vec<Place>> {
    let (mut byte, mut unit) = (0, 0_u32);
    let mut places = Vec::new();
    for (range, ordinal) in chapter.passages.iter().zip(0_u32..) {
        let units = |from: usize, to: usize| -> Result<u32> {
            let text = chapter.text.get(from..to).ok_or_else(|| Error::invalid("passages", "outside the text"))?;
            Ok(u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX))
        };
        let from = unit.saturating_add(units(byte, range.start)?);
        let to = from.saturating_add(units(range.start, range.end)?);
        (byte, unit) = (range.end, to);
        places.push(Place { ordinal, from, to });
    }
    Ok(places)
}
