//! The one table of commands.
//!
//! A line is `"name" family method: Arguments => Answer;`. From it come the router [`Api::call`], the families of the
//! desktop's permissions, and the TypeScript types. A command that does not work is not in it.

use std::time::Instant;

use palimpsest_memory::model::{
    AcceptEntities, AddPractice, AddQuestion, Answer, AnswerArguments, AnswerChange, AnswerConfig, AnswerHistory,
    AnswerListQuery, AnswerMatches, AnswerPage, AnswerQuery, AnswerRun, AnswerRunArguments, AnswerRunList,
    AnswerRunQuery, AnswerVersion, AssembleRequest, AssembledContext, Backend, BegunAnew, CardQuery, CheckFailure,
    CheckedFailure, CitationReplacements, ClearedCounts, CompleteAnswer, CompletedAnswer, ConfirmAnswer, ConfirmFact,
    ContinuityIssue, ContinuityList, DeleteAnswer, DeleteEntity, DeleteFact, DeletedAnswer, DismissEntity, Domain,
    DomainQuery, EndedSession, EntityCard, EntityChange, EntityList, EntityQuery, Episode, EpisodeDraft,
    EpisodeFeedback, EpisodeQuery, EventList, ExportJournal, ExportStory, Exported, ExportedJournal, ExportedStory,
    FactChange, Failure, FailureArguments, FoundEntries, FoundPassages, FoundRecords, GlobalMemory, ImportJournal,
    ImportStory, Imported, ImportedJournal, ImportedStory, JournalCheck, JournalPage, JournalQuery, JudgeRecord,
    JudgedRecord, JudgedTrace, KeepJournal, KeptJournal, ListRecords, LoadKnowledge, LoadedKnowledge,
    MaintenanceReport, MentionList, MentionQuery, MergeEntities, PassageQuery, PlotQuery, Practice, PracticeArguments,
    PrepareAnswer, PreparedAnswer, Presence, PresenceQuery, Project, ProjectMemory, PromotedAnswer, PurposeModel,
    QuestionArguments, QuestionList, QueuedValidation, RecallAnswer, RecallJournal, RecheckAnswers, RecheckedAnswers,
    RecordAnswer, RecordFailure, RecordHits, RecordList, RecordedHits, RedactEntry, RedactedEntry, ReplayAnswers,
    ReplayedAnswers, ResolveContinuity, Restored, Rule, RuleDraft, RuleList, RulePatch, Run, RunAnswer, SaveBackend,
    SaveEntity, SaveFact, SaveRecord, SearchRecords, SetAnswerConfig, SetFactKnown, SetStudy, Settings, SettingsPatch,
    SplitEntity, Status, StoreEntry, StoredEntry, StoryHistory, StoryHistoryQuery, StudyEstimate, StudyQuestion,
    StudyState, ThreadList, Timeline, TimelineQuery, Trace, TraceFeedback, UndoAnswerEvent, UndoEntityChange,
    UpdateAnswer, UpdateFailure, UpdateProjectMemory, Usage, ValidateAnswer, ValidateServiceAnswer, WorkingDraft,
    WorkingItem, WorkingList,
};
use serde::Serialize;
use serde_json::Value;
use specta::Type;

use crate::{
    Api,
    analysis::{AnalysisStatus, AnalyzeBook},
    args,
    asking::{AskHistory, AskHistoryQuery, AskPreview, AskStarted, CancelAsk, RunAsk},
    backends::{BackendArguments, BackendList, DeletedBackend, FoundBackends, TestedBackend},
    dto::{
        BackupArguments, BackupList, BeginAnew, Book, CancelSkill, Cancelled, ChangedChapters, ChapterArguments,
        ChapterInfo, ChapterList, ChapterText, ClearAll, ClearProject, ClearingLog, ConfirmEpisode, ConfirmRule,
        ConflictList, CreateChapter, CreateProject, DeleteEpisode, DeleteRule, DeletedChapter, DeletedChapterList,
        DeletedEpisode, DeletedProvider, DeletedRule, DiscardRecoveryCopy, DiscardedRecoveryCopy, Distill, EmptyAnswer,
        FoundModels, GenerationArguments, GuessScene, GuessedScene, LearningState, ListRules, MergeChapters, ModelList,
        NameForms, NameList, NoArguments, OpenAnswer, OpenProject, OpenSample, OptionalProjectArguments, OrderSkills,
        ProjectArguments, ProjectList, PromoteRule, PromotedRule, Provider, ProviderArguments, ProviderList,
        RecordTrace, Recorded, RemovedItem, RenameChapter, ResolveConflict, RestoreDeletedChapter, ResumeLearning,
        RuleArguments, RuleEpisodes, RuleHistory, RuleInProjectArguments, RunArguments, RunList, RunMaintenance,
        RunSkill, SaveProvider, ServiceSettings, SetLimits, SetNames, SetPurpose, SetService, SkillOrder, SkillStarted,
        SnapshotArguments, SnapshotList, SnapshotText, SplitChapter, StoreRecoveryCopy, StoredRecoveryCopy,
        TestProvider, Tested, UndoChapterChange, WorkingItemArguments, WriteChapter, Written,
    },
    error::{ApiError, OrLog},
    exchange::{ExportMemory, ImportMemory},
    manuscripts::{
        ExportBook, ExportedBook, ImportBook, ImportParagraphs, ImportSectionArguments, ImportedBook, LastImport,
        MoveChapter, SetScene, UndoImport,
    },
    measuring::{MeasureAnswer, MeasureRun, MeasureTrace},
    profile::StyleProfile,
    supervise::Task,
};

/// Arguments and answer of one command, for the bindings.
#[derive(Type, Serialize)]
#[allow(dead_code)] // exists for its type
pub(crate) struct Command<A, R> {
    args: A,
    result: R,
}

macro_rules! commands {
    ($($name:literal $family:ident $method:ident: $args:ty => $answer:ty;)*) => {
        /// Every command: its name, and the family its permission belongs to.
        pub const COMMANDS: &[(&str, &str)] = &[$(($name, stringify!($family))),*];

        /// Every command with its types, for the bindings.
        #[derive(Type, Serialize)]
        #[allow(dead_code, missing_docs)] // exists for its type
        pub(crate) struct Commands { $(#[serde(rename = $name)] pub $method: Command<$args, $answer>),* }

        impl Api {
            /// Executes a command and returns JSON text, which a host passes on unchanged. Blocks until the command is
            /// done, so it must not be called on a thread that may not wait.
            ///
            /// # Errors
            /// Typed: `{ code, message, details? }`. `MEMORY_INVALID_ARGUMENT` for a command that does not exist.
            pub fn call(&self, name: &str, args: Value) -> Result<String, ApiError> {
                let begun = Instant::now();
                let answered = self.execute(name, args);
                let milliseconds = begun.elapsed().as_millis();
                match &answered {
                    Ok(_) => tracing::debug!(command = loggable_name(name), milliseconds, "answered"),
                    Err(error) => {
                        palimpsest_memory::log_error!(warn, error, command = loggable_name(name), milliseconds, "refused");
                    }
                }
                answered
            }

            fn execute(&self, name: &str, args: Value) -> Result<String, ApiError> {
                self.supervisor.fail(Task::Command);
                let answered = match name {
                    $($name => args::parse::<$args>(args).and_then(|args| serialize_answer(&self.$method(args)?)),)*
                    _ => Err(ApiError::invalid("command", "there is no such command")),
                };
                answered.map_err(|error| self.engine.examine(error))
            }
        }
    };
}

/// The name of a command for the log; an unknown name may be private text.
fn loggable_name(name: &str) -> &str {
    if COMMANDS.iter().any(|(known, _)| *known == name) { name } else { "unknown" }
}

commands! {
    "ai:provider:delete" ai provider_delete: ProviderArguments => DeletedProvider;
    "ai:provider:find" ai provider_find: NoArguments => FoundModels;
    "ai:provider:list" ai provider_list: NoArguments => ProviderList;
    "ai:provider:models" ai provider_models: ProviderArguments => ModelList;
    "ai:provider:save" ai provider_save: SaveProvider => Provider;
    "ai:provider:test" ai provider_test: TestProvider => Tested;
    "ai:purpose:set" ai purpose_set: SetPurpose => PurposeModel;
    "ai:skill:cancel" ai skill_cancel: CancelSkill => Cancelled;
    "ai:skill:run" ai skill_run: RunSkill => SkillStarted;
    "ai:usage:get" ai usage_get: NoArguments => Usage;
    "ai:usage:limit" ai usage_limit: SetLimits => Usage;
    "answer:block" answer answer_block: AnswerVersion => AnswerChange;
    "answer:complete" answer answer_complete: CompleteAnswer => CompletedAnswer;
    "answer:config:get" answer answer_config_get: NoArguments => AnswerConfig;
    "answer:config:set" answer answer_config_set: SetAnswerConfig => AnswerConfig;
    "answer:confirm" answer answer_confirm: ConfirmAnswer => AnswerChange;
    "answer:copied" answer answer_copied: AnswerArguments => AnswerChange;
    "answer:delete" answer answer_delete: DeleteAnswer => DeletedAnswer;
    "answer:get" answer answer_get: AnswerArguments => Answer;
    "answer:history" answer answer_history: AnswerArguments => AnswerHistory;
    "answer:hit" answer answer_hit: RecordHits => RecordedHits;
    "answer:list" answer answer_list: AnswerListQuery => AnswerPage;
    "answer:measure" answer answer_measure: MeasureRun => MeasureAnswer;
    "answer:prepare" answer answer_prepare: PrepareAnswer => PreparedAnswer;
    "answer:promote" answer answer_promote: AnswerVersion => PromotedAnswer;
    "answer:reaffirm" answer answer_reaffirm: AnswerVersion => AnswerChange;
    "answer:recheck" answer answer_recheck: RecheckAnswers => RecheckedAnswers;
    "answer:record" answer answer_record: RecordAnswer => AnswerChange;
    "answer:replacements" answer answer_replacements: AnswerArguments => CitationReplacements;
    "answer:replay" answer answer_replay: ReplayAnswers => ReplayedAnswers;
    "answer:run:get" answer answer_run_get: AnswerRunArguments => AnswerRun;
    "answer:run:list" answer answer_run_list: AnswerRunQuery => AnswerRunList;
    "answer:search" answer answer_search: AnswerQuery => AnswerMatches;
    "answer:service:get" answer answer_service_get: NoArguments => ServiceSettings;
    "answer:service:set" answer answer_service_set: SetService => ServiceSettings;
    "answer:service:validate" answer answer_service_validate: ValidateServiceAnswer => QueuedValidation;
    "answer:unblock" answer answer_unblock: AnswerVersion => AnswerChange;
    "answer:undo" answer answer_undo: UndoAnswerEvent => AnswerChange;
    "answer:update" answer answer_update: UpdateAnswer => AnswerChange;
    "answer:validate" answer answer_validate: ValidateAnswer => AnswerChange;
    "ask:cancel" ask ask_cancel: CancelAsk => Cancelled;
    "ask:history" ask ask_history: AskHistoryQuery => AskHistory;
    "ask:preview" ask ask_preview: RunAsk => AskPreview;
    "ask:run" ask ask_run: RunAsk => AskStarted;
    "backend:delete" backend backend_delete: BackendArguments => DeletedBackend;
    "backend:find" backend backend_find: NoArguments => FoundBackends;
    "backend:list" backend backend_list: NoArguments => BackendList;
    "backend:save" backend backend_save: SaveBackend => Backend;
    "backend:test" backend backend_test: BackendArguments => TestedBackend;
    "chapter:change:undo" chapter chapter_change_undo: UndoChapterChange => ChangedChapters;
    "chapter:create" chapter chapter_create: CreateChapter => ChapterInfo;
    "chapter:delete" chapter chapter_delete: ChapterArguments => DeletedChapter;
    "chapter:deleted:list" chapter chapter_deleted_list: ProjectArguments => DeletedChapterList;
    "chapter:deleted:restore" chapter chapter_deleted_restore: RestoreDeletedChapter => ChapterInfo;
    "chapter:keep" chapter chapter_keep: StoreRecoveryCopy => StoredRecoveryCopy;
    "chapter:keep:drop" chapter chapter_keep_drop: DiscardRecoveryCopy => DiscardedRecoveryCopy;
    "chapter:list" chapter chapter_list: ProjectArguments => ChapterList;
    "chapter:merge" chapter chapter_merge: MergeChapters => ChangedChapters;
    "chapter:move" chapter chapter_move: MoveChapter => ChapterList;
    "chapter:read" chapter chapter_read: ChapterArguments => ChapterText;
    "chapter:rename" chapter chapter_rename: RenameChapter => ChapterInfo;
    "chapter:scene" chapter chapter_scene: SetScene => ChapterInfo;
    "chapter:snapshot:list" chapter chapter_snapshot_list: ChapterArguments => SnapshotList;
    "chapter:snapshot:read" chapter chapter_snapshot_read: SnapshotArguments => SnapshotText;
    "chapter:split" chapter chapter_split: SplitChapter => ChangedChapters;
    "chapter:write" chapter chapter_write: WriteChapter => Written;
    "journal:export" journal journal_export: ExportJournal => ExportedJournal;
    "journal:import" journal journal_import: ImportJournal => ImportedJournal;
    "journal:keep" journal journal_keep: KeepJournal => KeptJournal;
    "journal:list" journal journal_list: JournalQuery => JournalPage;
    "journal:recall" journal journal_recall: RecallJournal => FoundEntries;
    "journal:redact" journal journal_redact: RedactEntry => RedactedEntry;
    "journal:store" journal journal_store: StoreEntry => StoredEntry;
    "journal:verify" journal journal_verify: ProjectArguments => JournalCheck;
    "knowledge:domain:get" knowledge domain_get: DomainQuery => Domain;
    "knowledge:failure:check" knowledge failure_check: CheckFailure => CheckedFailure;
    "knowledge:failure:get" knowledge failure_get: FailureArguments => Failure;
    "knowledge:failure:record" knowledge failure_record: RecordFailure => Failure;
    "knowledge:failure:update" knowledge failure_update: UpdateFailure => Failure;
    "knowledge:global:get" knowledge global_get: NoArguments => GlobalMemory;
    "knowledge:load" knowledge knowledge_load: LoadKnowledge => LoadedKnowledge;
    "knowledge:practice:add" knowledge practice_add: AddPractice => Practice;
    "knowledge:practice:delete" knowledge practice_delete: PracticeArguments => Practice;
    "knowledge:project:get" knowledge knowledge_project_get: ProjectArguments => ProjectMemory;
    "knowledge:project:update" knowledge knowledge_project_update: UpdateProjectMemory => ProjectMemory;
    "knowledge:question:add" knowledge question_add: AddQuestion => StudyQuestion;
    "knowledge:question:drop" knowledge question_drop: QuestionArguments => QuestionList;
    "knowledge:question:list" knowledge question_list: ProjectArguments => QuestionList;
    "knowledge:record:judge" knowledge record_judge: JudgeRecord => JudgedRecord;
    "knowledge:record:list" knowledge record_list: ListRecords => RecordList;
    "knowledge:record:save" knowledge record_save: SaveRecord => Answer;
    "knowledge:record:search" knowledge record_search: SearchRecords => FoundRecords;
    "knowledge:study:estimate" knowledge study_estimate: ProjectArguments => StudyEstimate;
    "knowledge:study:get" knowledge study_get: ProjectArguments => StudyState;
    "knowledge:study:run" knowledge study_run: ProjectArguments => StudyState;
    "knowledge:study:set" knowledge study_set: SetStudy => StudyState;
    "knowledge:study:stop" knowledge study_stop: ProjectArguments => StudyState;
    "memory:backup:create" memory backup_create: NoArguments => BackupList;
    "memory:backup:list" memory backup_list: NoArguments => BackupList;
    "memory:backup:restore" memory backup_restore: BackupArguments => Restored;
    "memory:clear:all" memory clear_all: ClearAll => ClearedCounts;
    "memory:clear:log" memory clear_log: NoArguments => ClearingLog;
    "memory:clear:project" memory clear_project: ClearProject => ClearedCounts;
    "memory:clock:confirm" memory clock_confirm: NoArguments => Status;
    "memory:conflict:list" memory conflict_list: OptionalProjectArguments => ConflictList;
    "memory:conflict:resolve" memory conflict_resolve: ResolveConflict => Rule;
    "memory:context:assemble" memory context_assemble: AssembleRequest => AssembledContext;
    "memory:distill:approve" memory distill_approve: RunArguments => Run;
    "memory:distill:cancel" memory distill_cancel: RunArguments => Run;
    "memory:distill:list" memory distill_list: OptionalProjectArguments => RunList;
    "memory:distill:undo" memory distill_undo: RunArguments => Run;
    "memory:editor:activity" memory editor_activity: ProjectArguments => EmptyAnswer;
    "memory:episode:confirm" memory episode_confirm: ConfirmEpisode => Episode;
    "memory:episode:delete" memory episode_delete: DeleteEpisode => DeletedEpisode;
    "memory:episode:feedback" memory episode_feedback: EpisodeFeedback => Episode;
    "memory:episode:query" memory episode_query: EpisodeQuery => RecallAnswer;
    "memory:episode:record" memory episode_record: EpisodeDraft => Recorded;
    "memory:export" memory export: ExportMemory => Exported;
    "memory:import" memory import: ImportMemory => Imported;
    "memory:learning:pause" memory learning_pause: NoArguments => LearningState;
    "memory:learning:resume" memory learning_resume: ResumeLearning => LearningState;
    "memory:maintenance:run" memory maintenance_run: RunMaintenance => MaintenanceReport;
    "memory:missing:acknowledge" memory missing_acknowledge: NoArguments => Status;
    "memory:names:list" memory names_list: ProjectArguments => NameList;
    "memory:names:set" memory names_set: SetNames => NameList;
    "memory:names:suggest" memory names_suggest: ProjectArguments => NameForms;
    "memory:promote" memory promote: PromoteRule => PromotedRule;
    "memory:scene:guess" memory scene_guess: GuessScene => GuessedScene;
    "memory:semantic:add" memory semantic_add: RuleDraft => Rule;
    "memory:semantic:confirm" memory semantic_confirm: ConfirmRule => Rule;
    "memory:semantic:delete" memory semantic_delete: DeleteRule => DeletedRule;
    "memory:semantic:distill" memory semantic_distill: Distill => RunAnswer;
    "memory:semantic:evidence" memory semantic_evidence: RuleInProjectArguments => RuleEpisodes;
    "memory:semantic:history" memory semantic_history: RuleArguments => RuleHistory;
    "memory:semantic:list" memory semantic_list: ListRules => RuleList;
    "memory:semantic:undo" memory semantic_undo: RuleArguments => Rule;
    "memory:semantic:update" memory semantic_update: RulePatch => Rule;
    "memory:skills:order" memory skills_order: OrderSkills => SkillOrder;
    "memory:status" memory status: NoArguments => Status;
    "memory:store:begin-anew" memory store_begin_anew: BeginAnew => BegunAnew;
    "memory:trace:feedback" memory trace_feedback: TraceFeedback => JudgedTrace;
    "memory:trace:get" memory trace_get: GenerationArguments => Trace;
    "memory:trace:measure" memory trace_measure: MeasureTrace => MeasureAnswer;
    "memory:trace:record" memory trace_record: RecordTrace => Trace;
    "memory:working:end-session" memory working_end_session: ProjectArguments => EndedSession;
    "memory:working:list" memory working_list: ProjectArguments => WorkingList;
    "memory:working:put" memory working_put: WorkingDraft => WorkingItem;
    "memory:working:remove" memory working_remove: WorkingItemArguments => RemovedItem;
    "project:create" project project_create: CreateProject => Project;
    "project:export" project project_export: ExportBook => ExportedBook;
    "project:forget" project project_forget: ClearProject => ClearedCounts;
    "project:import" project project_import: ImportBook => ImportedBook;
    "project:import:last" project project_import_last: ProjectArguments => LastImport;
    "project:import:paragraphs" project project_import_paragraphs: ImportSectionArguments => ImportParagraphs;
    "project:import:undo" project project_import_undo: UndoImport => ChapterList;
    "project:list" project project_list: NoArguments => ProjectList;
    "project:open" project project_open: OpenProject => OpenAnswer;
    "project:sample" project project_sample: OpenSample => Book;
    "project:style" project project_style: ProjectArguments => StyleProfile;
    "settings:get" settings settings_get: NoArguments => Settings;
    "settings:set" settings settings_set: SettingsPatch => Settings;
    "story:analyze" story story_analyze: AnalyzeBook => AnalysisStatus;
    "story:at" story story_at: PresenceQuery => Presence;
    "story:continuity:compare" story continuity_compare: ProjectArguments => StudyState;
    "story:continuity:list" story continuity_list: ProjectArguments => ContinuityList;
    "story:continuity:resolve" story continuity_resolve: ResolveContinuity => ContinuityIssue;
    "story:continuity:stop" story continuity_stop: ProjectArguments => StudyState;
    "story:entity:accept" story entity_accept: AcceptEntities => EntityChange;
    "story:entity:delete" story entity_delete: DeleteEntity => EntityChange;
    "story:entity:dismiss" story entity_dismiss: DismissEntity => EntityChange;
    "story:entity:get" story entity_get: CardQuery => EntityCard;
    "story:entity:list" story entity_list: EntityQuery => EntityList;
    "story:entity:merge" story entity_merge: MergeEntities => EntityChange;
    "story:entity:save" story entity_save: SaveEntity => EntityChange;
    "story:entity:split" story entity_split: SplitEntity => EntityChange;
    "story:events" story story_events: PlotQuery => EventList;
    "story:export" story story_export: ExportStory => ExportedStory;
    "story:fact:confirm" story fact_confirm: ConfirmFact => FactChange;
    "story:fact:delete" story fact_delete: DeleteFact => FactChange;
    "story:fact:known-by" story fact_known_by: SetFactKnown => FactChange;
    "story:fact:save" story fact_save: SaveFact => FactChange;
    "story:find" story story_find: PassageQuery => FoundPassages;
    "story:history" story story_history: StoryHistoryQuery => StoryHistory;
    "story:import" story story_import: ImportStory => ImportedStory;
    "story:mentions" story story_mentions: MentionQuery => MentionList;
    "story:status" story story_status: ProjectArguments => AnalysisStatus;
    "story:threads" story story_threads: PlotQuery => ThreadList;
    "story:timeline" story story_timeline: TimelineQuery => Timeline;
    "story:undo" story story_undo: UndoEntityChange => EntityChange;
}

fn serialize_answer<T: Serialize>(value: &T) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|error| {
        ApiError::new(palimpsest_memory::Code::StoreUnavailable, "an answer that cannot be sent").caused_by(error)
    })
}

/// The commands of the memory itself: each is one call of the engine.
impl Api {
    fn episode_record(&self, draft: EpisodeDraft) -> Result<Recorded, ApiError> {
        let episode = self.emit_changed(self.engine.record(draft)?);
        self.indexer.wake();
        Ok(Recorded { episode_id: episode.id })
    }

    fn episode_query(&self, query: EpisodeQuery) -> Result<RecallAnswer, ApiError> {
        let answer = self.engine.recall(&query);
        self.wake_after_missed_vectors();
        answer
    }

    fn semantic_list(&self, which: ListRules) -> Result<RuleList, ApiError> {
        self.engine.rules(which.project_id.as_ref(), which.scope, which.category)
    }

    fn semantic_add(&self, draft: RuleDraft) -> Result<Rule, ApiError> {
        Ok(self.emit_changed(self.engine.add_rule(draft)?))
    }

    fn semantic_update(&self, patch: RulePatch) -> Result<Rule, ApiError> {
        Ok(self.emit_changed(self.engine.update_rule(patch)?))
    }

    fn semantic_confirm(&self, rule: ConfirmRule) -> Result<Rule, ApiError> {
        Ok(self.emit_changed(self.engine.confirm_rule(&rule.rule_id, rule.version)?))
    }

    fn semantic_history(&self, rule: RuleArguments) -> Result<RuleHistory, ApiError> {
        Ok(RuleHistory { versions: self.engine.rule_history(&rule.rule_id)? })
    }

    fn promote(&self, args: PromoteRule) -> Result<PromotedRule, ApiError> {
        let rule = match args.preview {
            Some(true) => self.engine.rule(&args.rule_id)?,
            _ => self.emit_changed(self.engine.promote_rule(&args.rule_id)?),
        };
        // The rule is changed already: a failure to count names must not fail the command.
        let hidden_names = self.engine.names_in_rule(&rule).or_log("count hidden names in a rule").unwrap_or(0);
        Ok(PromotedRule { rule, hidden_names })
    }

    fn working_put(&self, draft: WorkingDraft) -> Result<WorkingItem, ApiError> {
        Ok(self.emit_changed(self.engine.add_working(draft)?))
    }

    fn working_list(&self, args: ProjectArguments) -> Result<WorkingList, ApiError> {
        self.engine.working(&args.project_id)
    }

    fn working_remove(&self, args: WorkingItemArguments) -> Result<RemovedItem, ApiError> {
        Ok(RemovedItem { item_id: self.emit_changed(self.engine.remove_working(&args.project_id, &args.item_id)?) })
    }

    fn working_end_session(&self, args: ProjectArguments) -> Result<EndedSession, ApiError> {
        self.end_session(&args.project_id)
    }

    fn names_list(&self, args: ProjectArguments) -> Result<NameList, ApiError> {
        Ok(NameList::from_names(self.engine.names(&args.project_id)?))
    }

    fn names_set(&self, args: SetNames) -> Result<NameList, ApiError> {
        let names = self.emit_changed(self.engine.set_names(&args.project_id, &args.names)?);
        // Removed names are erased from backups in the background.
        self.indexer.wake();
        Ok(NameList::from_names(names))
    }

    fn context_assemble(&self, mut request: AssembleRequest) -> Result<AssembledContext, ApiError> {
        Ok(self.prompt(&mut request, &self.writing_model())?.context)
    }

    /// Wakes the indexer after a recall that missed its project's vectors.
    pub(crate) fn wake_after_missed_vectors(&self) {
        if self.engine.is_reading_wanted() {
            self.indexer.wake();
        }
    }

    fn scene_guess(&self, args: GuessScene) -> Result<GuessedScene, ApiError> {
        Ok(GuessedScene { scene_type: self.engine.guess_scene(&args.before, args.selection.as_deref())? })
    }

    fn status(&self, _: NoArguments) -> Result<Status, ApiError> {
        let mut status = self.engine.status();
        self.supervisor.report(&mut status);
        self.engine.note_parts(&status.parts);
        Ok(status)
    }

    fn settings_get(&self, _: NoArguments) -> Result<Settings, ApiError> {
        Ok(self.engine.settings())
    }

    fn settings_set(&self, patch: SettingsPatch) -> Result<Settings, ApiError> {
        Ok(self.emit_changed(self.engine.set_settings(patch)?))
    }

    fn project_list(&self, _: NoArguments) -> Result<ProjectList, ApiError> {
        Ok(ProjectList { projects: self.engine.projects() })
    }
}
