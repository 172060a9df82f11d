//! Domain types: stored rows and wire objects.

mod answer_audit;
mod answer_config;
mod answer_events;
mod answer_runs;
mod answer_service;
mod answers;
mod asking;
mod backend;
mod change;
mod choice;
mod clearing;
mod context;
mod continuity;
mod entities;
mod episode;
mod erasure;
mod evidence;
mod exchange;
mod facts;
mod failures;
mod id;
mod journal;
mod knowledge;
mod learning;
mod lorebook;
mod maintenance;
mod names;
mod owner_kind;
mod plot;
mod project;
mod provider;
mod reason;
mod recall;
mod rule;
mod settings;
mod status;
mod story;
mod study;
mod time;
mod tombstone;
mod trace;
mod working;

pub use answer_audit::{
    AnswerRun, AnswerRunArguments, AnswerRunList, AnswerRunMatch, AnswerRunQuery, AnswerRunState, AnswerRunSummary,
    MatchDecision, ReplayAnswers, ReplayDecision, ReplayedAnswers, ReplayedRun,
};
pub use answer_config::{
    AnswerConfig, ConfigProblem, ConfigProblemKind, ConfigSetting, ConfigSource, ConfigType, ConfigValue,
    SetAnswerConfig,
};
pub use answer_events::{
    AnswerEvent, AnswerEventKind, AnswerHistory, AnswerHit, EditedTexts, MovedCitations, RecordHits, RecordedHits,
    SignalStrength, ValidateAnswer, ValidationResult, ValidationSource,
};
pub use answer_runs::{
    AnswerComponents, AnswerMatch, AnswerMatches, AnswerOutcome, AnswerQuery, CompleteAnswer, CompletedAnswer,
    InjectedAnswer, LeftOutAnswer, PrepareAnswer, PreparedAnswer, QuestionDifference, QuestionMatchKind, RunAssessment,
    RunEnd, RunValidation, ToolUse,
};
pub use answer_service::{
    AnswerServiceSettings, QueuedValidation, ServiceMatch, ServiceMatches, ValidateServiceAnswer,
};
pub use answers::{
    Answer, AnswerArguments, AnswerChange, AnswerCounts, AnswerDetails, AnswerFilter, AnswerKind, AnswerListQuery,
    AnswerOrigin, AnswerPage, AnswerPosterior, AnswerStatus, AnswerVersion, BlockedBy, CitationReplacement,
    CitationReplacements, ConfirmAnswer, DeleteAnswer, DeletedAnswer, ExplorationStep, PromotedAnswer, QuestionType,
    RecheckAnswers, RecheckedAnswers, RecordAnswer, Staleness, UndoAnswerEvent, UpdateAnswer,
};
pub use asking::EarlierQuestion;
pub use backend::{Backend, BackendIsolation, BackendKind, Backends, SaveBackend};
pub use change::{Change, Changed, Topic};
pub use choice::Choice;
pub use clearing::{ClearedCounts, Clearing, ClearingStep};
pub use context::{
    AssembleRequest, AssembledContext, CutItem, CutReason, DegradedCode, DegradedReason, Layer, LayerName, Reference,
    ReferenceKind,
};
pub use continuity::{
    ContinuityIssue, ContinuityKind, ContinuityList, ContinuityPlace, ContinuityVerdict, FoundBy, PairCounts,
    PairVerdict, QuoteRange, ResolveContinuity,
};
pub use entities::{
    AcceptEntities, Canon, ChapterPresence, DismissEntity, Dismissal, Entity, EntityChange, EntityKind, EntityList,
    EntityName, EntityQuery, EntityStanding, Mention, MentionList, MentionQuery, MentionRange, MergeEntities,
    Misspelling, NameMethod, Position, PossibleMerge, Presence, PresenceQuery, SplitEntity, StoredEntity, TimeValue,
    Timeline, TimelineQuery, ToldTime, UndoEntityChange,
};
pub(crate) use episode::ChangedText;
pub use episode::{Episode, EpisodeDraft, EpisodeFeedback, FeedbackSignal, ImplicitSignal, SkillWeight};
pub use erasure::{AlsoIn, DeletedWords, Erasure, ErasureKind, WordCounts};
pub(crate) use evidence::EvidenceFingerprint;
pub use evidence::{EvidenceRow, WrittenKind};
pub use exchange::{ExchangeFormat, Exported, Imported, KindCount, KindTaken, RecordKind};
pub use facts::{
    CardFact, CardQuery, Certainty, Citation, CitationDraft, CitationStatus, Companion, ConfirmFact, DeleteEntity,
    DeleteFact, EntityCard, EntityState, Fact, FactChange, FactOrigin, Knower, SaveEntity, SaveFact, SetFactKnown,
    StoryChange, StoryHistory, StoryHistoryQuery, StoryState, UnnamedEntity, Visibility,
};
pub use failures::{
    CheckFailure, CheckedFailure, Failure, FailureArguments, FailureStatus, OperationType, RecordFailure, UpdateFailure,
};
pub use id::{
    AnswerId, ChapterId, EntityId, EpisodeId, FactId, FailureId, GenerationId, JournalEntryId, PracticeId, ProjectId,
    QuestionId, RuleId,
};
pub use journal::{
    Decision, ExportJournal, ExportedJournal, FoundEntries, FoundEntry, ImportJournal, ImportedJournal, JournalCheck,
    JournalEntry, JournalEvent, JournalFormat, JournalKind, JournalPage, JournalQuery, KeepJournal, KeptJournal,
    RecallJournal, RedactEntry, RedactedEntry, StoreEntry, StoredEntry, WordedBy,
};
pub use knowledge::{
    AddPractice, Concept, Domain, DomainQuery, DomainSummary, FoundRecord, FoundRecords, GlobalMemory, Habit,
    HabitKind, JudgeRecord, JudgedFact, JudgedRecord, ListRecords, LoadKnowledge, LoadedKnowledge, Practice,
    PracticeArguments, ProjectMemory, ProposedFact, RecordList, RecordStanding, RecordVerdict, SaveRecord,
    SearchRecords, SharedPattern, UpdateProjectMemory,
};
pub use learning::{
    ChangeKind, ConfidenceInProject, Conflict, DimensionPatch, OpenConflict, RuleEpisode, Run, RunAnswer, RunCause,
    RunChange, RunProgress, RunReason, RunStage, RunStatus,
};
pub use lorebook::{ExportStory, ExportedStory, ImportStory, ImportedStory, LorebookFormat};
pub use maintenance::{
    Backup, BackupReason, BegunAnew, Job, LastRun, MaintenanceFailure, MaintenanceReport, MaintenanceStep, Restored,
    StoreFile,
};
pub use names::{HiddenName, LowerCase, NameForm};
pub use owner_kind::{ByKind, OwnerKind};
pub use plot::{
    EventList, PlotQuery, StepAttributes, StepKind, StoryEvent, StoryThread, ThreadList, ThreadStatus, ThreadStep,
};
pub use project::{Language, Project};
pub use provider::{DailyLimits, Models, Provider, ProviderDraft, ProviderKind, Purpose, PurposeModel, Usage};
pub use reason::{Cause, Reason};
pub use recall::{
    Components, EpisodeExtract, EpisodeField, EpisodeQuery, RecallAnswer, RecallGroup, RecallPurpose, Recalled,
    RecalledEpisode,
};
pub use rule::{
    Category, Pattern, PatternSource, Rule, RuleChange, RuleDraft, RuleFollowed, RuleList, RuleOrigin, RulePatch,
    RuleStanding, RuleVersion, Scope,
};
pub use settings::{InterfaceLanguage, Settings, SettingsPatch, Theme};
pub use status::{
    Capacity, ClockDoubt, ClockReason, FileSize, Fill, MissingWrites, Part, PartHealth, PartState, Status,
};
pub use story::{FoundPassage, FoundPassages, Passage, PassageQuery, PassageText, SplitChapter, UntaggedPassage};
pub use study::{
    AddQuestion, GapKind, QuestionArguments, QuestionList, QuestionState, SetStudy, StudyEstimate, StudyGap,
    StudyPhase, StudyProgress, StudyQuestion, StudyState, StudyStopReason,
};
pub use time::Time;
pub use tombstone::{Tombstone, TombstoneCause};
pub use trace::{
    Followed, Influence, JudgedTrace, MeasuredChange, MemoryWeight, OriginMark, Outcome, Tier, Trace, TraceFeedback,
    TraceVerdict, Verdict,
};
pub use working::{EndedSession, WorkingDraft, WorkingItem, WorkingKind, WorkingList};
