//! The undo of events of answers.

use super::{
    checks::{language_of, question_key_of},
    reaffirm::staleness_of,
    statements::find_statements_again,
};
use crate::{
    engine::Engine,
    error::{Error, Result},
    model::{Answer, AnswerChange, AnswerEventKind, Changed, Citation, UndoAnswerEvent, ValidationSource},
    storage::{
        answer_basis,
        answer_events::{self, Event},
    },
    validate,
};

impl Engine {
    /// Undoes an event: the standing is that of the other events. An edit is undone while the answer has its words,
    /// and a verdict on changed text while it has the citations of that verdict.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_INVALID_ARGUMENT` for an event of a run, and for an edit that was followed by
    /// another one; those of the store.
    pub fn undo_answer_event(&self, args: &UndoAnswerEvent) -> Result<Changed<AnswerChange>> {
        validate::identity("eventId", &args.event_id)?;
        let open = self.visit(&args.project_id)?;
        let missing = || Error::not_found("eventId", "event");
        let event = event_for(&*self.stores.episodes.open()?.reader()?, args)?.ok_or_else(missing)?;
        if event.kind == AnswerEventKind::Promoted {
            return self.undo_promotion(&args.project_id, &event);
        }
        let is_of_run = event.kind == AnswerEventKind::Hit || event.source == Some(ValidationSource::Run);
        if is_of_run {
            return Err(Error::invalid("eventId", "is of a run"));
        }
        let now = self.clock.now();
        let language = open.language;
        let changed = self.change_answer(&args.project_id, (&event.answer_id, None), |tx, stored| {
            let current = event_for(tx, args)?.ok_or_else(missing)?;
            if current.undone_at.is_some() {
                return Ok(None);
            }
            if let Some(texts) = &current.texts {
                let has_them =
                    (&stored.answer.question, &stored.answer.answer) == (&texts.question_after, &texts.answer_after);
                if !has_them {
                    return Err(Error::invalid("eventId", "was followed by another edit"));
                }
                stored.answer.question.clone_from(&texts.question_before);
                stored.answer.answer.clone_from(&texts.answer_before);
                find_statements_again(&mut stored.answer);
                stored.answer.language = language_of(&texts.answer_before, language);
                stored.question_key = question_key_of(&stored.answer.project_id, &texts.question_before);
            }
            if let Some(moved) = &current.citations {
                if !is_same_quotes(&stored.answer.citations, &moved.after) {
                    return Err(Error::invalid("eventId", "was followed by another edit"));
                }
                stored.answer.citations.clone_from(&moved.before);
                stored.answer.staleness = staleness_of(&moved.before, moved.nearby.as_ref());
                stored.answer.nearby.clone_from(&moved.nearby);
                answer_basis::set_nearby(tx, &args.project_id, &stored.answer.answer_id, moved.nearby.as_ref())?;
            }
            answer_events::set_undone(tx, &args.event_id, now)?;
            Ok(None)
        })?;
        if event.citations.is_some() {
            // Earlier citations are compared with the text again.
            self.story.followed_of_answers.forget_chapters(Some(&args.project_id));
        }
        Ok(changed)
    }
}

/// An event of an answer that the book finds.
fn event_for(db: &rusqlite::Connection, args: &UndoAnswerEvent) -> Result<Option<Event>> {
    match answer_events::event(db, &args.project_id, &args.event_id)? {
        None => answer_events::event(db, &Answer::no_project(), &args.event_id),
        own => Ok(own),
    }
}

/// Whether two lists of citations quote the same words, wherever these are by now.
fn is_same_quotes(first: &[Citation], second: &[Citation]) -> bool {
    first.iter().map(|citation| &citation.quote_hash).eq(second.iter().map(|citation| &citation.quote_hash))
}
