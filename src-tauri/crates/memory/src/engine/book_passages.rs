//! Passages of the book in a prompt: those before the position that stand out in meaning from the others before it.
//!
//! Only meaning is compared: the rarity of a word is counted over the whole book, and would make the choice depend on
//! later chapters.

use std::{collections::HashMap, sync::Arc};

use super::{Engine, retrieval::Retrieval};
use crate::{
    context::BookPassage,
    error::Result,
    lock::Mutex,
    model::{AssembleRequest, ChapterId, Position, ProjectId},
    retrieval::fuse::Usual,
    storage::passages::{self, PassagePlace},
    story::{Place, place_of},
};

/// Maximum number of passages of a prompt.
const MAX_PASSAGES: usize = 3;
/// Minimum number of passages before the position: among fewer, chance stands out.
const MIN_BEFORE: usize = 20;
/// Minimum deviations of the meaning from its usual value: as for the group *found* of a search.
const MIN_DEVIATIONS: f64 = 4.0;
/// Maximum number of books whose places are kept.
const MAX_KEPT_BOOKS: usize = 4;

/// The place of each passage of a book, by its row in the indexes.
pub(super) type Places = HashMap<i64, PassagePlace>;

/// The places of the passages of a few books.
#[derive(Default)]
pub(super) struct KeptPlaces(Mutex<Vec<BookPlaces>>);

struct BookPlaces {
    project_id: ProjectId,
    /// The numbers of changes of the book before the places were read.
    changes: (u64, u64),
    places: Arc<Places>,
}

impl KeptPlaces {
    fn current_places(&self, project_id: &ProjectId, changes: (u64, u64)) -> Option<Arc<Places>> {
        let kept = self.0.lock();
        let found = kept.iter().find(|book| book.project_id == *project_id && book.changes == changes);
        found.map(|book| Arc::clone(&book.places))
    }

    fn keep_places(&self, book: BookPlaces) {
        let mut kept = self.0.lock();
        kept.retain(|other| other.project_id != book.project_id);
        if kept.len() >= MAX_KEPT_BOOKS {
            kept.remove(0);
        }
        kept.push(book);
    }

    /// Forgets the places of a book, or with `None` of all.
    pub(super) fn forget_places(&self, project_id: Option<&ProjectId>) {
        self.0.lock().retain(|book| project_id.is_some_and(|project_id| book.project_id != *project_id));
    }
}

impl Engine {
    /// The passages before a position that stand out for the text around it, best first; none without vectors. Those
    /// that `before` has are left out. For callers that hold a pass of the recall.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn book_passages(
        &self,
        request: &AssembleRequest,
        order: &[ChapterId],
        at: &Position,
        text: &str,
    ) -> Result<Vec<BookPassage>> {
        let project_id = &request.project_id;
        let Some(here) = place_of(order, at) else { return Ok(Vec::new()) };
        let similar = self.retrieval.similar_passages(&self.stores, project_id, text)?;
        if similar.is_empty() {
            return Ok(Vec::new());
        }
        let places = self.places_of(project_id)?;
        let numbers: HashMap<&ChapterId, usize> =
            order.iter().enumerate().map(|(number, chapter_id)| (chapter_id, number)).collect();
        let shown_from =
            at.offset.saturating_sub(u32::try_from(request.before.encode_utf16().count()).unwrap_or(u32::MAX));
        let mut before: Vec<(Place, i64, f64)> = Vec::new();
        for (row, cosine) in similar {
            let Some(PassagePlace { chapter_id, from, to }) = places.get(&row) else { continue };
            let Some(&chapter) = numbers.get(chapter_id) else { continue };
            let is_shown = chapter == here.0 && *to > shown_from;
            if (chapter, *to) <= here && !is_shown {
                before.push(((chapter, *from), row, cosine));
            }
        }
        if before.len() < MIN_BEFORE {
            return Ok(Vec::new());
        }
        let cosines: Vec<f64> = before.iter().map(|(.., cosine)| *cosine).collect();
        let usual = Usual::meaning(&cosines);
        before.retain(|(.., cosine)| usual.deviations(*cosine) >= MIN_DEVIATIONS);
        // Of equal ones the nearest.
        before.sort_by(|a, b| b.2.total_cmp(&a.2).then(b.0.cmp(&a.0)));
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let mut found = Vec::new();
        for ((chapter, _), row, cosine) in before.into_iter().take(MAX_PASSAGES) {
            // It may have been replaced meanwhile.
            if let Some(passage) = passages::by_index_row(&reader, project_id, row)? {
                found.push(BookPassage {
                    passage_id: passage.passage_id,
                    chapter: u32::try_from(chapter + 1).unwrap_or(u32::MAX),
                    text: passage.text,
                    score: cosine.clamp(0.0, 1.0),
                    matched_by: vec![Retrieval::MEANING.into()],
                });
            }
        }
        Ok(found)
    }

    /// The place of each passage of a book, by its row in the indexes.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn places_of(&self, project_id: &ProjectId) -> Result<Arc<Places>> {
        // Counted first: a change while they are read makes them invalid.
        let changes = self.story.change_counts(project_id);
        if let Some(places) = self.story.places.current_places(project_id, changes) {
            return Ok(places);
        }
        let places = Arc::new(passages::places(&*self.stores.episodes.open()?.reader()?, project_id)?);
        self.story.places.keep_places(BookPlaces {
            project_id: project_id.clone(),
            changes,
            places: Arc::clone(&places),
        });
        Ok(places)
    }
}
