//! The writer's verdict that an answer is still right although its sentences have changed, or although it failed since
//! it was confirmed.

use palimpsest_text::anchors;

use super::{ReadChapter, found};
use crate::{
    engine::{
        Engine,
        citations::{Stretch, citation_at, not_found},
    },
    error::{Code, Error, Result},
    model::{
        AnswerArguments, AnswerChange, AnswerEventKind, AnswerVersion, Changed, Citation, CitationReplacement,
        CitationReplacements, MentionRange, MovedCitations, ProjectId, SignalStrength, Staleness, ValidationResult,
        ValidationSource,
    },
    storage::{answer_basis, answer_events::Event},
    validate,
};

impl Engine {
    /// The sentences that are in the saved text in the places of the citations that an answer has lost.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the store and of `read`.
    pub fn answer_replacements(&self, args: &AnswerArguments, read: ReadChapter<'_>) -> Result<CitationReplacements> {
        let _open = self.visit(&args.project_id)?;
        let stored = found(&*self.stores.episodes.open()?.reader()?, &args.project_id, &args.answer_id)?;
        let lost = stored.answer.citations.iter().zip(0_u32..).filter(|(citation, _)| !citation.status.is_in_text());
        let replacements = lost.map(|(citation, ordinal)| {
            Ok(CitationReplacement { ordinal, citation: self.replaced(&args.project_id, citation, read)? })
        });
        Ok(CitationReplacements { replacements: replacements.collect::<Result<_>>()? })
    }

    /// Keeps an answer that rests on changed text: each citation that was lost gets the sentence that is now in its
    /// place, and the sentence near the question of one that did not find something says nothing new. A confirmed
    /// answer that failed since is confirmed again. An answer of neither kind stays as it is.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_STALE_VERSION`, also if the citations change meanwhile;
    /// `MEMORY_CITATION_NOT_FOUND` if the chapter of a citation is gone or empty; those of the store and of `read`.
    pub fn reaffirm_answer(&self, args: &AnswerVersion, read: ReadChapter<'_>) -> Result<Changed<AnswerChange>> {
        let _open = self.visit(&args.project_id)?;
        let seen = found(&*self.stores.episodes.open()?.reader()?, &args.project_id, &args.answer_id)?;
        let before = seen.answer.citations;
        let after: Vec<Citation> = before
            .iter()
            .map(|citation| match citation.status.is_in_text() {
                true => Ok(citation.clone()),
                false => self.replaced(&args.project_id, citation, read)?.ok_or_else(not_found),
            })
            .collect::<Result<_>>()?;
        let now = self.clock.now();
        self.change_answer(&args.project_id, (&args.answer_id, Some(args.version)), |tx, stored| {
            if stored.answer.citations != before {
                return Err(Error::stale_version(stored.answer.version));
            }
            let is_stale = stored.answer.staleness != Staleness::Current;
            if !is_stale && !stored.standing.is_challenged {
                return Ok(None);
            }
            let nearby = stored.answer.nearby.take();
            if nearby.is_some() {
                answer_basis::set_nearby(tx, &args.project_id, &args.answer_id, None)?;
            }
            let moved = is_stale.then(|| MovedCitations { before: before.clone(), after: after.clone(), nearby });
            stored.answer.citations.clone_from(&after);
            stored.answer.staleness = Staleness::Current;
            if stored.standing.is_challenged {
                let event = self.writers_event(stored, AnswerEventKind::Confirmed, now);
                return Ok(Some(Event { citations: moved, ..event }));
            }
            Ok(Some(Event {
                result: Some(ValidationResult::Pass),
                strength: Some(SignalStrength::Strong),
                source: Some(ValidationSource::Writer),
                was_used: true,
                citations: moved,
                ..self.writers_event(stored, AnswerEventKind::Validated, now)
            }))
        })
    }

    /// The citation of the sentence that is now in the place of a lost one; `None` if its chapter is gone or empty.
    fn replaced(&self, project_id: &ProjectId, citation: &Citation, read: ReadChapter<'_>) -> Result<Option<Citation>> {
        let text = match read(&citation.chapter_id) {
            Ok(text) => text,
            Err(error) if error.code == Code::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let stretches = match text {
            Some(text) => vec![Stretch::whole(text)],
            None => self.stored_stretches(project_id, &citation.chapter_id)?,
        };
        // The stretch that the quote was in, else the last one before it.
        let there = stretches.iter().find(|stretch| stretch.end() > citation.from).or(stretches.last());
        let Some(stretch) = there else { return Ok(None) };
        let from = stretch.byte_of(citation.from);
        let range = anchors::replacement(&stretch.text, &citation.quote, from, validate::QUOTE_CHARS);
        Ok(range.and_then(|range| citation_at(stretch, &citation.chapter_id, range)))
    }
}

/// The staleness of an answer by its citations and the sentence near its question.
pub(super) fn staleness_of(citations: &[Citation], nearby: Option<&MentionRange>) -> Staleness {
    match citations.iter().any(|citation| !citation.status.is_in_text()) {
        true => Staleness::Stale,
        false if nearby.is_some() => Staleness::Maybe,
        false => Staleness::Current,
    }
}
