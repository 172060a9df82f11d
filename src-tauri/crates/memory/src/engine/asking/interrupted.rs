//! Questions that a process left unanswered: their runs end at the next start, each with an entry of the journal.

use super::{end::asked_words, prompt::pick};
use crate::{
    engine::{Engine, answers::language_of},
    error::{Error, OrLog, Result},
    model::{AnswerRunState, Changed, JournalKind, Topic, WordedBy},
    storage::{
        answer_runs::{self, StoredRun},
        journal::{self, NewEntry},
    },
};

impl Engine {
    /// Ends the questions that an earlier process left unanswered. One of a book that is being cleared stays as it is:
    /// the clearing deletes it.
    pub(in crate::engine) fn end_interrupted_inquiries(&self) {
        let read = || answer_runs::running(&*self.stores.episodes.open()?.reader()?);
        for run in read().or_log("look for interrupted questions").unwrap_or_default() {
            self.interrupt_run(&run).or_log("end an interrupted question");
        }
    }

    /// Ends a question whose work broke off: nothing of it is kept but an entry of the journal.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn interrupt_inquiry(&self, run_id: &str) -> Result<Changed<()>> {
        let run = answer_runs::get(&*self.stores.episodes.open()?.reader()?, run_id)?;
        let run = run.ok_or_else(|| Error::not_found("runId", "run"))?;
        self.interrupt_run(&run)?;
        Ok(Changed::new((), Some(run.project_id), [Topic::Journal]))
    }

    fn interrupt_run(&self, run: &StoredRun) -> Result<()> {
        if run.state != AnswerRunState::Running {
            return Ok(());
        }
        let open = self.visit(&run.project_id)?;
        let language = language_of(&run.query, open.language);
        let outcome = pick(language, "中断了，没有答案。", " Broken off before an answer.");
        let entry = self.is_journal_kept(&run.project_id).then(|| NewEntry {
            id: self.new_id().into(),
            project_id: run.project_id.clone(),
            at: run.prepared_at,
            kind: JournalKind::Ask,
            ref_id: Some(run.run_id.clone()),
            content: asked_words(language, &run.query) + &outcome,
            worded_by: WordedBy::Template,
            salt: self.salt(self.clock.now()),
        });
        self.stores.episodes.open()?.write("end an interrupted question", |tx| {
            let is_interrupted = answer_runs::interrupt(tx, &run.run_id)?;
            entry.iter().filter(|_| is_interrupted).try_for_each(|entry| journal::append(tx, entry))
        })?;
        self.answer_audit.note_runs(vec![run.run_id.clone()]);
        Ok(())
    }
}
