//! Promotion: a copy of an answer for all books. Only answers that are not about the book have one, without citations,
//! details and hidden names.

use super::{MAX_ANSWERS, NewAnswer, found, standing::rejudge};
use crate::{
    engine::Engine,
    error::{Code, Details, Error, Result},
    model::{
        Answer, AnswerChange, AnswerDetails, AnswerEventKind, AnswerKind, AnswerVersion, Changed, ProjectId,
        PromotedAnswer, Reason, Scope, Topic,
    },
    storage::{
        answer_events::{self, Event},
        answers,
    },
};

impl Engine {
    /// Copies an answer for all books, with its standing. Its citations, its details and the notes of its validations
    /// are not copied. Promoting it again returns the same copy.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for kinds other than research and craft, and with the reason `hiddenNames` for words
    /// that have hidden names of any book in them; `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_STALE_VERSION`,
    /// `MEMORY_CAPACITY_EXCEEDED`; those of the stores, also if the names cannot be read.
    pub fn promote_answer(&self, args: &AnswerVersion) -> Result<Changed<PromotedAnswer>> {
        let open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        self.read_names()?;
        let rules = self.standing_rules();
        let nowhere = Answer::no_project();
        let promote = |tx: &crate::storage::Tx<'_>| {
            let mut stored = found(tx, &args.project_id, &args.answer_id)?;
            if args.version != stored.answer.version {
                return Err(Error::stale_version(stored.answer.version));
            }
            if stored.answer.project_id == nowhere {
                return Err(Error::invalid("answerId", "is of all books already"));
            }
            if let Some(known) = stored.promoted_to.as_ref().map(|id| answers::get(tx, id)).transpose()?.flatten() {
                return Ok((stored, known, None));
            }
            if !matches!(stored.answer.kind, AnswerKind::Research | AnswerKind::Craft) {
                return Err(Error::invalid("answerId", "is of a kind that belongs to its book"));
            }
            for text in [&stored.answer.question, &stored.answer.answer] {
                if self.has_hidden_names(text)? {
                    let details = Details {
                        field: Some("answerId".into()),
                        reason: Some(Reason::HiddenNames),
                        ..Details::default()
                    };
                    return Err(Error::with_details(Code::InvalidArgument, "has hidden names in it", details));
                }
            }
            if answers::count(tx, &nowhere)? >= MAX_ANSWERS {
                return Err(Error::new(Code::CapacityExceeded, format!("there are {MAX_ANSWERS} promoted answers")));
            }
            let new = NewAnswer {
                kind: stored.answer.kind,
                origin: stored.answer.origin,
                question: stored.answer.question.clone(),
                answer: stored.answer.answer.clone(),
                confidence: stored.answer.confidence,
                details: AnswerDetails::default(),
                citations: Vec::new(),
                run_id: None,
            };
            let mut copy = self.new_answer(&nowhere, open.language, &new, now);
            copy.answer.created_at = stored.answer.created_at;
            answers::insert(tx, &copy)?;
            for event in answer_events::list(tx, &args.project_id, &args.answer_id)? {
                if event.undone_at.is_none() && event.kind != AnswerEventKind::Promoted {
                    let event_id = self.ids.next(now);
                    answer_events::insert(tx, &copied(event, event_id, &copy.answer))?;
                }
            }
            rejudge(tx, &mut copy, rules)?;
            answers::update(tx, &copy)?;
            let event = self.writers_event(&stored, AnswerEventKind::Promoted, now);
            answer_events::insert(tx, &event)?;
            stored.promoted_to = Some(copy.answer.answer_id.clone());
            stored.answer.is_promoted = true;
            stored.answer.version = stored.answer.version.saturating_add(1);
            stored.answer.updated_at = now;
            answers::update(tx, &stored)?;
            Ok((stored, copy, Some(event.event_id)))
        };
        let (stored, copy, event_id) = self.stores.episodes.open()?.write("promote an answer", promote)?;
        let promoted = PromotedAnswer { answer: self.shown(stored)?, promoted: self.shown(copy)?, event_id };
        Ok(Changed::new(promoted, Some(args.project_id.clone()), [Topic::Answers]))
    }

    /// Deletes the copy of a promoted answer, unless the writer edited it.
    pub(super) fn undo_promotion(&self, project_id: &ProjectId, event: &Event) -> Result<Changed<AnswerChange>> {
        let now = self.clock.now();
        let write = |tx: &crate::storage::Tx<'_>| {
            let mut stored = found(tx, project_id, &event.answer_id)?;
            let copy = stored.promoted_to.take();
            let edited = copy.as_ref().map(|id| answers::get(tx, id)).transpose()?.flatten();
            if edited.is_some_and(|copy| copy.standing.user_modified != stored.standing.user_modified) {
                return Err(Error::invalid("eventId", "was followed by another edit"));
            }
            let removed_rows = match &copy {
                Some(id) => answers::delete_as_writer(tx, id)?,
                None => Vec::new(),
            };
            answer_events::set_undone(tx, &event.event_id, now)?;
            if copy.is_some() {
                stored.answer.is_promoted = false;
                stored.answer.version = stored.answer.version.saturating_add(1);
                stored.answer.updated_at = now;
                answers::update(tx, &stored)?;
            }
            Ok((stored, removed_rows))
        };
        let (stored, removed_rows) = self.stores.episodes.open()?.write("undo a promotion", write)?;
        self.retrieval.remove_rows(&removed_rows);
        let change = AnswerChange { answer: self.shown(stored)?, event_id: None };
        Ok(Changed::new(change, Some(project_id.clone()), [Topic::Answers]))
    }
}

/// An event of an answer for its copy: what it moves, without texts.
fn copied(event: Event, event_id: String, copy: &Answer) -> Event {
    Event {
        event_id,
        project_id: copy.project_id.clone(),
        answer_id: copy.answer_id.clone(),
        run_id: None,
        note: None,
        texts: None,
        citations: None,
        ..event
    }
}

/// The texts of a prompt: those of its book, and those that are shared by all books.
pub(in crate::engine) fn texts_of_prompt<'t>(query: &'t str, given: &[&'t Answer]) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut own, mut shared) = (vec![query], Vec::new());
    for answer in given {
        let texts = if answer.scope == Scope::Global { &mut shared } else { &mut own };
        texts.extend([answer.question.as_str(), answer.answer.as_str()]);
    }
    (own, shared)
}
