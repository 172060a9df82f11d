//! The commands about answers: their quotes are verified in the saved text of the book.

use palimpsest_memory::{
    Error, SavedText,
    model::{
        Answer, AnswerArguments, AnswerChange, AnswerConfig, AnswerHistory, AnswerListQuery, AnswerMatches, AnswerPage,
        AnswerQuery, AnswerRun, AnswerRunArguments, AnswerRunList, AnswerRunQuery, AnswerVersion, ChapterId,
        CitationReplacements, CompleteAnswer, CompletedAnswer, ConfirmAnswer, DeleteAnswer, DeletedAnswer,
        PrepareAnswer, PreparedAnswer, ProjectId, PromotedAnswer, Reason, RecheckAnswers, RecheckedAnswers,
        RecordAnswer, RecordHits, RecordedHits, ReplayAnswers, ReplayedAnswers, SetAnswerConfig, UndoAnswerEvent,
        UpdateAnswer, ValidateAnswer,
    },
};

use crate::{
    Api, books,
    dto::NoArguments,
    error::{ApiError, OrLog, manuscript},
    system::user_name,
};

impl Api {
    pub(crate) fn answer_search(&self, query: AnswerQuery) -> Result<AnswerMatches, ApiError> {
        self.connect_answer_service();
        self.engine.search_answers(&query)
    }

    pub(crate) fn answer_prepare(&self, args: PrepareAnswer) -> Result<PreparedAnswer, ApiError> {
        self.connect_answer_service();
        let order = self.order_of_known(&args.project_id)?;
        let prepared = self.engine.prepare_answer(&args, &order)?;
        if self.engine.is_audit_on() {
            self.indexer.wake();
        }
        Ok(prepared)
    }

    pub(crate) fn answer_config_get(&self, _: NoArguments) -> Result<AnswerConfig, ApiError> {
        Ok(self.engine.answer_config())
    }

    pub(crate) fn answer_config_set(&self, args: SetAnswerConfig) -> Result<AnswerConfig, ApiError> {
        let config = self.emit_changed(self.engine.set_answer_config(&args)?);
        self.indexer.wake();
        Ok(config)
    }

    pub(crate) fn answer_run_list(&self, query: AnswerRunQuery) -> Result<AnswerRunList, ApiError> {
        self.engine.list_answer_runs(&query)
    }

    pub(crate) fn answer_run_get(&self, args: AnswerRunArguments) -> Result<AnswerRun, ApiError> {
        self.engine.answer_run(&args)
    }

    pub(crate) fn answer_replay(&self, args: ReplayAnswers) -> Result<ReplayedAnswers, ApiError> {
        self.engine.replay_answers(&args)
    }

    pub(crate) fn answer_complete(&self, args: CompleteAnswer) -> Result<CompletedAnswer, ApiError> {
        let order = self.order_of_known(&args.project_id)?;
        let read = |chapter_id: &ChapterId| self.saved_text(&args.project_id, chapter_id);
        let completed = self.emit_changed(self.engine.complete_answer(&args, &order, &read)?);
        self.indexer.wake();
        // The answer service may be owed hits and validations.
        self.learner.wake();
        Ok(completed)
    }

    pub(crate) fn answer_record(&self, args: RecordAnswer) -> Result<AnswerChange, ApiError> {
        let order = self.order_of_known(&args.project_id)?;
        let read = |chapter_id: &ChapterId| self.saved_text(&args.project_id, chapter_id);
        let recorded = self.emit_changed(self.engine.record_answer(&args, &order, &read)?);
        self.indexer.wake();
        Ok(recorded)
    }

    pub(crate) fn answer_update(&self, args: UpdateAnswer) -> Result<AnswerChange, ApiError> {
        let order = self.order_of_known(&args.project_id)?;
        let read = |chapter_id: &ChapterId| self.saved_text(&args.project_id, chapter_id);
        let updated = self.emit_changed(self.engine.update_answer(&args, &order, &read)?);
        self.indexer.wake();
        Ok(updated)
    }

    pub(crate) fn answer_replacements(&self, args: AnswerArguments) -> Result<CitationReplacements, ApiError> {
        let read = |chapter_id: &ChapterId| self.saved_text(&args.project_id, chapter_id);
        self.engine.answer_replacements(&args, &read)
    }

    pub(crate) fn answer_reaffirm(&self, args: AnswerVersion) -> Result<AnswerChange, ApiError> {
        let read = |chapter_id: &ChapterId| self.saved_text(&args.project_id, chapter_id);
        Ok(self.emit_changed(self.engine.reaffirm_answer(&args, &read)?))
    }

    pub(crate) fn answer_promote(&self, args: AnswerVersion) -> Result<PromotedAnswer, ApiError> {
        let promoted = self.emit_changed(self.engine.promote_answer(&args)?);
        self.indexer.wake();
        Ok(promoted)
    }

    pub(crate) fn answer_copied(&self, args: AnswerArguments) -> Result<AnswerChange, ApiError> {
        Ok(self.emit_changed(self.engine.copy_answer(&args)?))
    }

    pub(crate) fn answer_list(&self, query: AnswerListQuery) -> Result<AnswerPage, ApiError> {
        self.engine.list_answers(&query)
    }

    pub(crate) fn answer_get(&self, args: AnswerArguments) -> Result<Answer, ApiError> {
        self.engine.answer(&args)
    }

    pub(crate) fn answer_history(&self, args: AnswerArguments) -> Result<AnswerHistory, ApiError> {
        self.engine.answer_history(&args)
    }

    pub(crate) fn answer_hit(&self, args: RecordHits) -> Result<RecordedHits, ApiError> {
        Ok(self.emit_changed(self.engine.record_hits(&args)?))
    }

    pub(crate) fn answer_validate(&self, args: ValidateAnswer) -> Result<AnswerChange, ApiError> {
        Ok(self.emit_changed(self.engine.validate_answer(&args)?))
    }

    pub(crate) fn answer_confirm(&self, args: ConfirmAnswer) -> Result<AnswerChange, ApiError> {
        Ok(self.emit_changed(self.engine.confirm_answer(&args)?))
    }

    pub(crate) fn answer_block(&self, args: AnswerVersion) -> Result<AnswerChange, ApiError> {
        Ok(self.emit_changed(self.engine.block_answer(&args)?))
    }

    pub(crate) fn answer_unblock(&self, args: AnswerVersion) -> Result<AnswerChange, ApiError> {
        Ok(self.emit_changed(self.engine.unblock_answer(&args)?))
    }

    pub(crate) fn answer_undo(&self, args: UndoAnswerEvent) -> Result<AnswerChange, ApiError> {
        let undone = self.emit_changed(self.engine.undo_answer_event(&args)?);
        self.indexer.wake();
        Ok(undone)
    }

    pub(crate) fn answer_delete(&self, args: DeleteAnswer) -> Result<DeletedAnswer, ApiError> {
        Ok(self.emit_changed(self.engine.delete_answer(&args, &user_name())?))
    }

    pub(crate) fn answer_recheck(&self, args: RecheckAnswers) -> Result<RecheckedAnswers, ApiError> {
        let RecheckAnswers { project_id } = args;
        let open = match self.engine.known_project(&project_id)?.path {
            Some(_) => Some(self.book(&project_id)?),
            None => None,
        };
        let list = || {
            let order = self.order_of_known(&project_id)?;
            // The texts of a book in another editor are not here: its citations stay as they are.
            let Some(open) = &open else { return Ok(order.into_iter().map(|id| (id, String::new())).collect()) };
            let mut chapters = Vec::new();
            for chapter_id in order {
                match open.lock().read(&books::in_book(&chapter_id)).map_err(manuscript) {
                    Ok(read) => chapters.push((chapter_id, read.content_hash)),
                    // A chapter whose file is gone is not in the book any more.
                    Err(error) if error.reason() == Some(Reason::ChapterGone) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(chapters)
        };
        // Read again where it is compared: another comparison may come in between.
        let read = |chapter_id: &ChapterId| {
            let read = open.as_ref()?.lock().read(&books::in_book(chapter_id)).map_err(manuscript);
            let read = read.or_log("read a cited chapter")?;
            Some(SavedText { text: read.text, content_hash: read.content_hash })
        };
        let followed = self.engine.follow_answers(&project_id, list, read)?;
        Ok(self.emit_changed(followed))
    }

    /// The chapters of a known book.
    fn order_of_known(&self, project_id: &ProjectId) -> Result<Vec<ChapterId>, ApiError> {
        self.order_for(project_id, None)
    }

    /// The saved text of a chapter; `None` for a book in another editor, of which the memory has the passages.
    pub(crate) fn saved_text(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Option<String>, Error> {
        if self.engine.known_project(project_id)?.path.is_none() {
            return Ok(None);
        }
        let open = self.book(project_id)?;
        let read = open.lock().read(&books::in_book(chapter_id)).map_err(manuscript)?;
        Ok(Some(read.text))
    }
}
