//! Citations of answers, followed through the text like those of facts: an answer whose sentence the book has lost is
//! stale, and no run is given it.

use super::ReadChapter;
use crate::{
    engine::{
        Engine,
        citations::{ListedChapters, OwnedCitation, SavedText},
    },
    error::{Error, OrLog, Result},
    model::{
        AnswerId, Changed, ChapterId, Citation, CitationDraft, CitationStatus, ProjectId, RecheckedAnswers, Topic,
    },
    storage::answer_citations,
};

/// Maximum number of citations of an answer.
pub(super) const MAX_CITATIONS: usize = 8;

impl Engine {
    /// Follows the citations of answers to the present text of a book; the answer counts them by their status.
    /// `list` returns its chapters in order, each with the hash of its text, once other comparisons of the book have
    /// ended; `read` returns the text of one, or `None` if it cannot be read: its citations stay as they are.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store and of `list`.
    pub fn follow_answers(
        &self,
        project_id: &ProjectId,
        list: impl FnOnce() -> Result<ListedChapters>,
        mut read: impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> Result<Changed<RecheckedAnswers>> {
        let _open = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        let (chapters, has_moved) = self.follow_cited(project_id, list, &mut read)?;
        let has_woken = self.wake_or_log(project_id, &chapters, &mut read);
        let inserted = self.follow_insertions(project_id, &chapters, &mut read).or_log("follow answers in chapters");
        let has_changed = has_moved || has_woken || inserted == Some(true);
        let counted = count(answer_citations::citations(&*db.reader()?, project_id)?.values().flatten());
        let topics = if has_changed { vec![Topic::Answers] } else { Vec::new() };
        Ok(Changed::new(counted, Some(project_id.clone()), topics))
    }

    /// The citations of an answer, each verified in the saved text.
    pub(super) fn cite_all(
        &self,
        project_id: &ProjectId,
        drafts: &[CitationDraft],
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Vec<Citation>> {
        if drafts.len() > MAX_CITATIONS {
            return Err(Error::invalid("citations", format!("more than {MAX_CITATIONS}")));
        }
        drafts.iter().map(|draft| self.cite(project_id, draft, order, read(&draft.chapter_id)?.as_deref())).collect()
    }

    /// Follows the citations and stores what has changed; returns the chapters, and whether any citation has changed.
    /// In turn with other comparisons: a chapter that another one has read counts as followed only once its result is
    /// stored.
    fn follow_cited(
        &self,
        project_id: &ProjectId,
        list: impl FnOnce() -> Result<ListedChapters>,
        read: &mut impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> Result<(ListedChapters, bool)> {
        let _turn = self.story.seen_chapters.take_turn();
        let chapters = list()?;
        let db = self.stores.episodes.open()?;
        let cited = answer_citations::citations(&*db.reader()?, project_id)?;
        let owned: Vec<OwnedCitation<'_, AnswerId>> = cited
            .iter()
            .flat_map(|(id, citations)| {
                let own = |(citation, ordinal)| OwnedCitation { owner: id, ordinal, citation };
                citations.iter().zip(0_u32..).map(own)
            })
            .collect();
        let followed = self.story.followed_of_answers.follow(project_id, owned, &chapters, read);
        let has_moved = !followed.is_empty();
        if has_moved {
            db.write("follow citations of answers", |tx| {
                for one in &followed {
                    answer_citations::set_citation(tx, project_id, (one.at.owner, one.at.ordinal), &one.now)?;
                }
                answer_citations::update_staleness(tx, project_id)
            })
            // What was not stored is compared again.
            .inspect_err(|_| self.story.followed_of_answers.forget_chapters(Some(project_id)))?;
        }
        Ok((chapters, has_moved))
    }
}

fn count<'a>(citations: impl Iterator<Item = &'a Citation>) -> RecheckedAnswers {
    let mut counted = RecheckedAnswers::default();
    for citation in citations {
        counted.checked += 1;
        match citation.status {
            CitationStatus::Moved => counted.moved += 1,
            CitationStatus::Changed => counted.changed += 1,
            CitationStatus::Gone => counted.gone += 1,
            CitationStatus::Holds | CitationStatus::Unverified => {}
        }
    }
    counted
}
