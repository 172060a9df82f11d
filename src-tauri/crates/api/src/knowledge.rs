//! The commands about the knowledge of books: learning records, domains, failures, and notes for all books.

use palimpsest_memory::model::{
    AddPractice, AddQuestion, Answer, ChapterId, CheckFailure, CheckedFailure, Domain, DomainQuery, Failure,
    FailureArguments, FoundRecords, GlobalMemory, JudgeRecord, JudgedRecord, ListRecords, LoadKnowledge,
    LoadedKnowledge, Practice, PracticeArguments, ProjectMemory, QuestionArguments, QuestionList, RecordFailure,
    RecordList, SaveRecord, SearchRecords, StudyQuestion, UpdateFailure, UpdateProjectMemory,
};

use crate::{
    Api,
    dto::{NoArguments, ProjectArguments},
    error::ApiError,
    system::user_name,
};

impl Api {
    pub(crate) fn record_save(&self, args: SaveRecord) -> Result<Answer, ApiError> {
        let order = self.order_for(&args.project_id, None)?;
        let read = |chapter_id: &ChapterId| self.saved_text(&args.project_id, chapter_id);
        let saved = self.emit_changed(self.engine.save_record(&args, &order, &read)?);
        self.indexer.wake();
        Ok(saved)
    }

    pub(crate) fn record_search(&self, args: SearchRecords) -> Result<FoundRecords, ApiError> {
        let (limit, wanted) = self.records_to_rerank(args.top_k);
        let found = self.engine.search_records(&SearchRecords { top_k: wanted, ..args.clone() });
        self.wake_after_missed_vectors();
        Ok(self.rerank((args.project_id.as_ref(), &args.query), found?, limit))
    }

    pub(crate) fn record_list(&self, args: ListRecords) -> Result<RecordList, ApiError> {
        self.engine.list_records(&args)
    }

    pub(crate) fn record_judge(&self, args: JudgeRecord) -> Result<JudgedRecord, ApiError> {
        let order = self.order_for(&args.project_id, None)?;
        let read = |chapter_id: &ChapterId| self.saved_text(&args.project_id, chapter_id);
        Ok(self.emit_changed(self.engine.judge_record(&args, &user_name(), &order, &read)?))
    }

    pub(crate) fn knowledge_project_get(&self, args: ProjectArguments) -> Result<ProjectMemory, ApiError> {
        self.engine.project_memory(&args.project_id, &self.order_for(&args.project_id, None)?)
    }

    pub(crate) fn knowledge_project_update(&self, args: UpdateProjectMemory) -> Result<ProjectMemory, ApiError> {
        let order = self.order_for(&args.project_id, None)?;
        Ok(self.emit_changed(self.engine.update_project_memory(&args, &order)?))
    }

    pub(crate) fn domain_get(&self, args: DomainQuery) -> Result<Domain, ApiError> {
        self.engine.domain(&args, &self.order_for(&args.project_id, None)?)
    }

    pub(crate) fn failure_record(&self, args: RecordFailure) -> Result<Failure, ApiError> {
        Ok(self.emit_changed(self.engine.record_failure(&args)?))
    }

    pub(crate) fn failure_check(&self, args: CheckFailure) -> Result<CheckedFailure, ApiError> {
        self.engine.check_failure(&args)
    }

    pub(crate) fn failure_get(&self, args: FailureArguments) -> Result<Failure, ApiError> {
        self.engine.failure(&args)
    }

    pub(crate) fn failure_update(&self, args: UpdateFailure) -> Result<Failure, ApiError> {
        Ok(self.emit_changed(self.engine.update_failure(&args)?))
    }

    pub(crate) fn global_get(&self, _: NoArguments) -> Result<GlobalMemory, ApiError> {
        self.engine.global_memory()
    }

    pub(crate) fn practice_add(&self, args: AddPractice) -> Result<Practice, ApiError> {
        Ok(self.emit_changed(self.engine.add_practice(&args)?))
    }

    pub(crate) fn practice_delete(&self, args: PracticeArguments) -> Result<Practice, ApiError> {
        Ok(self.emit_changed(self.engine.delete_practice(&args)?))
    }

    pub(crate) fn knowledge_load(&self, args: LoadKnowledge) -> Result<LoadedKnowledge, ApiError> {
        let (limit, wanted) = self.records_to_rerank(args.top_k);
        let choose = self.choose_records(&args.project_id, &args.query, limit);
        let order = self.order_for(&args.project_id, None)?;
        let loaded = self.engine.load_knowledge(&args, &order, (wanted, &choose));
        self.wake_after_missed_vectors();
        loaded
    }

    pub(crate) fn question_list(&self, args: ProjectArguments) -> Result<QuestionList, ApiError> {
        self.engine.study_questions(&args.project_id)
    }

    pub(crate) fn question_add(&self, args: AddQuestion) -> Result<StudyQuestion, ApiError> {
        let order = self.order_for(&args.project_id, None)?;
        Ok(self.emit_changed(self.engine.add_question(&args, &order)?))
    }

    pub(crate) fn question_drop(&self, args: QuestionArguments) -> Result<QuestionList, ApiError> {
        Ok(self.emit_changed(self.engine.drop_question(&args)?))
    }
}
