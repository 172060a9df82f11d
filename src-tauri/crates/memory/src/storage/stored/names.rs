//! The stored names of enums, in columns of their own, in JSON, and in the names of backups.
//!
//! Invariant: a name never changes once a file may hold it, whatever the wire calls the value.

use std::{fmt, marker::PhantomData};

use rusqlite::types::FromSqlError;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Unexpected, Visitor},
};

use super::InColumn;
use crate::{
    model::{
        AnswerEventKind, AnswerKind, AnswerOrigin, AnswerRunState, AnswerStatus, BackendIsolation, BackendKind,
        BackupReason, BlockedBy, Category, Certainty, ChangeKind, CitationStatus, ContinuityKind, ContinuityVerdict,
        CutReason, DegradedCode, EntityKind, ErasureKind, FactOrigin, FailureStatus, Followed, GapKind, ImplicitSignal,
        InterfaceLanguage, Job, JournalEvent, JournalKind, Language, LayerName, LowerCase, MatchDecision,
        OperationType, OwnerKind, PairVerdict, PatternSource, ProviderKind, Purpose, QuestionState, QuestionType,
        Reason, ReferenceKind, RuleChange, RuleOrigin, RuleStanding, RunCause, RunStatus, Scope, SignalStrength,
        Staleness, StoreFile, Theme, Tier, TombstoneCause, ValidationResult, ValidationSource, Verdict, Visibility,
        WordedBy, WrittenKind,
    },
    ports::Role,
    storage::{answer_insertions::InsertionState, answer_outbox::OutboxKind},
};

/// An enum that files hold by the name of its value.
pub(crate) trait StoredName: Copy + 'static {
    /// All names.
    #[cfg(test)]
    const NAMES: &'static [&'static str];

    /// The name of the value.
    fn stored_name(self) -> &'static str;

    /// The value with this name.
    fn of_stored_name(name: &str) -> Option<Self>;
}

/// The stored name of a value.
pub(in crate::storage) fn name_of<T: StoredName>(value: T) -> &'static str {
    value.stored_name()
}

/// The value with a stored name.
pub(in crate::storage) fn parse_enum<T: StoredName>(name: &str) -> Result<T, rusqlite::Error> {
    T::of_stored_name(name).ok_or_else(|| FromSqlError::InvalidType.into())
}

/// An enum in a stored struct: its name in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Name<T>(T);

impl<T: StoredName> Serialize for Name<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.stored_name())
    }
}

impl<'de, T: StoredName> Deserialize<'de> for Name<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor(PhantomData))
    }
}

struct NameVisitor<T>(PhantomData<T>);

impl<T: StoredName> Visitor<'_> for NameVisitor<T> {
    type Value = Name<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a stored name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Name<T>, E> {
        T::of_stored_name(name).map(Name).ok_or_else(|| E::invalid_value(Unexpected::Str(name), &self))
    }
}

macro_rules! names {
    ($($enum:ident { $($(#[$attribute:meta])* $value:ident = $name:literal),* $(,)? })*) => {
        $(
            impl StoredName for $enum {
                #[cfg(test)]
                const NAMES: &'static [&'static str] = &[$($(#[$attribute])* $name),*];

                fn stored_name(self) -> &'static str {
                    match self {
                        $($(#[$attribute])* Self::$value => $name,)*
                    }
                }

                fn of_stored_name(name: &str) -> Option<Self> {
                    match name {
                        $($(#[$attribute])* $name => Some(Self::$value),)*
                        _ => None,
                    }
                }
            }

            impl InColumn for $enum {
                type Stored = Name<Self>;

                fn into_stored(self) -> Name<Self> {
                    Name(self)
                }

                fn from_stored(stored: Name<Self>) -> Self {
                    stored.0
                }
            }
        )*
    };
}

names! {
    // The story.
    EntityKind {
        Character = "character",
        Place = "place",
        Thing = "thing",
        Faction = "faction",
        Thread = "thread",
        WorldRule = "worldRule",
        Event = "event",
    }
    Visibility { AsOf = "asOf", Always = "always", Hidden = "hidden" }
    Certainty { Told = "told", Said = "said", Believed = "believed", Planned = "planned" }
    FactOrigin { Written = "written", Confirmed = "confirmed" }
    CitationStatus {
        Holds = "holds",
        Moved = "moved",
        Changed = "changed",
        Gone = "gone",
        Unverified = "unverified",
    }
    // Rules and runs.
    Category {
        Style = "style",
        Structure = "structure",
        Character = "character",
        Pacing = "pacing",
        Vocabulary = "vocabulary",
    }
    Scope { Global = "global", Project = "project" }
    RuleOrigin { Distilled = "distilled", Manual = "manual", Builtin = "builtin" }
    RuleStanding { Active = "active", Proposed = "proposed", SteppedBack = "steppedBack", Suspended = "suspended" }
    PatternSource { Measured = "measured", Lexicon = "lexicon", Model = "model", Writer = "writer" }
    RuleChange {
        Added = "added",
        Edited = "edited",
        Confirmed = "confirmed",
        Promoted = "promoted",
        Deleted = "deleted",
        Learned = "learned",
        Updated = "updated",
        Replaced = "replaced",
        Stood = "stood",
        Restored = "restored",
        Disputed = "disputed",
    }
    ChangeKind {
        Learned = "learned",
        Strengthened = "strengthened",
        Weakened = "weakened",
        Replaced = "replaced",
        SteppedBack = "steppedBack",
        Withdrawn = "withdrawn",
        Returned = "returned",
        Globalised = "globalised",
        Localised = "localised",
        Proposed = "proposed",
        Challenged = "challenged",
        Understood = "understood",
        Dropped = "dropped",
    }
    RunCause {
        Episodes = "episodes",
        Idle = "idle",
        Click = "click",
        Weekly = "weekly",
        Contradiction = "contradiction",
    }
    RunStatus {
        Running = "running",
        AlreadyRunning = "alreadyRunning",
        DryRun = "dryRun",
        Committed = "committed",
        Nothing = "nothing",
        Waiting = "waiting",
        Failed = "failed",
        Cancelled = "cancelled",
        Undone = "undone",
        Discarded = "discarded",
    }
    Reason {
        ChapterGone = "chapterGone",
        NotUtf8 = "notUtf8",
        TooLarge = "tooLarge",
        Link = "link",
        Exists = "exists",
        NewerFormat = "newerFormat",
        DamagedIdFile = "damagedIdFile",
        FolderOfAnotherBook = "folderOfAnotherBook",
        Io = "io",
        EmptyPart = "emptyPart",
        ChangedSince = "changedSince",
        FileUnreadable = "fileUnreadable",
        UnknownFormat = "unknownFormat",
        OldWord = "oldWord",
        Encrypted = "encrypted",
        DamagedDocument = "damagedDocument",
        NotText = "notText",
        EmptyFile = "emptyFile",
        ImportTooLarge = "importTooLarge",
        TooManyChapters = "tooManyChapters",
        ImportFileChanged = "importFileChanged",
        ImportChoices = "importChoices",
        ImportChanged = "importChanged",
        InsideTheBook = "insideTheBook",
        InsideTheMemory = "insideTheMemory",
        NotAFile = "notAFile",
        NoFolder = "noFolder",
        ExportFailed = "exportFailed",
        FileGone = "fileGone",
        Damaged = "damaged",
        ForeignSchema = "foreignSchema",
        NotADatabase = "notADatabase",
        NewerSchema = "newerSchema",
        Unwritable = "unwritable",
        InUse = "inUse",
        FolderUnusable = "folderUnusable",
        LockLost = "lockLost",
        LogLost = "logLost",
        BrokeOff = "brokeOff",
        Clearing = "clearing",
        EncoderMissing = "encoderMissing",
        EncoderUnreadable = "encoderUnreadable",
        EncoderBrokeOff = "encoderBrokeOff",
        NamesUnread = "namesUnread",
        InvisibleCharacters = "invisibleCharacters",
        WordsErased = "wordsErased",
        NothingToMeasure = "nothingToMeasure",
        DraftGone = "draftGone",
        NoFile = "noFile",
        OtherFormat = "otherFormat",
        NewerVersion = "newerVersion",
        CutOff = "cutOff",
        LinesMissing = "linesMissing",
        AfterTheEnd = "afterTheEnd",
        OutOfOrder = "outOfOrder",
        NotJson = "notJson",
        Unreadable = "unreadable",
        UnknownKind = "unknownKind",
        UnknownField = "unknownField",
        MissingField = "missingField",
        BadValue = "badValue",
        TooLong = "tooLong",
        OtherBook = "otherBook",
        NoHistory = "noHistory",
        UnknownCategory = "unknownCategory",
        BrokenLine = "brokenLine",
        KeyMissing = "keyMissing",
        KeyRefused = "keyRefused",
        NoCredit = "noCredit",
        RateLimited = "rateLimited",
        ContextTooLong = "contextTooLong",
        ModelUnknown = "modelUnknown",
        ContentRefused = "contentRefused",
        Timeout = "timeout",
        Unreachable = "unreachable",
        RedirectRefused = "redirectRefused",
        Malformed = "malformed",
        AnswerTooLong = "answerTooLong",
        Interrupted = "interrupted",
        ProviderFailed = "providerFailed",
        RequestRefused = "requestRefused",
        DailyLimit = "dailyLimit",
        OtherModel = "otherModel",
        AddressInvalid = "addressInvalid",
        Unbelievable = "unbelievable",
        Settled = "settled",
        Expired = "expired",
        ConfigNotTaken = "configNotTaken",
        SetByFile = "setByFile",
        AuditUnwritable = "auditUnwritable",
        ProgramMissing = "programMissing",
        NotLoggedIn = "notLoggedIn",
        NotFenced = "notFenced",
        UntrustedFolder = "untrustedFolder",
        VersionTooOld = "versionTooOld",
        StartFailed = "startFailed",
        Silent = "silent",
        TooMuch = "tooMuch",
        WroteFiles = "wroteFiles",
        HiddenNames = "hiddenNames",
    }
    TombstoneCause { Deleted = "deleted", Undone = "undone", Drifted = "drifted" }
    // Episodes.
    OwnerKind {
        Episode = "episode",
        Summary = "summary",
        Passage = "passage",
        Journal = "journal",
        Question = "question",
        Answer = "answer",
        #[cfg(test)]
        Sample = "sample",
    }
    ImplicitSignal {
        StrongPositive = "strongPositive",
        WeakPositive = "weakPositive",
        Neutral = "neutral",
        WeakNegative = "weakNegative",
        StrongNegative = "strongNegative",
        DelayedNegative = "delayedNegative",
    }
    WrittenKind { Edit = "edit", Own = "own" }
    // Traces.
    Role { System = "system", User = "user", Assistant = "assistant" }
    ReferenceKind {
        Rule = "rule",
        Episode = "episode",
        Working = "working",
        Entity = "entity",
        Passage = "passage",
        Answer = "answer",
        Entry = "entry",
    }
    LayerName { Rules = "rules", Settings = "settings", Retrieved = "retrieved", Immediate = "immediate" }
    CutReason { Budget = "budget", Overruled = "overruled", NotHere = "notHere", Alike = "alike", NotOutstanding = "notOutstanding" }
    DegradedCode {
        RulesFromBackup = "rulesFromBackup",
        RulesBuiltIn = "rulesBuiltIn",
        PastUnavailable = "pastUnavailable",
        StoryUnavailable = "storyUnavailable",
        StoryFromBackup = "storyFromBackup",
        NamesUnread = "namesUnread",
        BuiltInWrites = "builtInWrites",
        Untraced = "untraced",
        AnswerUnkept = "answerUnkept",
        AnswerServiceUnavailable = "answerServiceUnavailable",
        Other = "other",
    }
    Followed { Yes = "yes", Partly = "partly", No = "no" }
    Tier { Compliance = "compliance", Masked = "masked" }
    Verdict { Right = "right", Wrong = "wrong", NotHere = "notHere" }
    // The program.
    LowerCase { Hidden = "hidden", Kept = "kept" }
    Language { Zh = "zh", En = "en" }
    InterfaceLanguage { System = "system", ZhCn = "zh-CN", En = "en" }
    Theme { System = "system", Light = "light", Dark = "dark" }
    Job { Daily = "daily", Weekly = "weekly", Monthly = "monthly", Backup = "backup" }
    StoreFile { Rules = "rules", Episodes = "episodes" }
    BackupReason {
        Changed = "changed",
        Manual = "manual",
        Migration = "migration",
        Import = "import",
        Clearing = "clearing",
        Restore = "restore",
    }
    BackendKind { Claude = "claude", Codex = "codex", Gemini = "gemini", Own = "own" }
    BackendIsolation { System = "system", Asked = "asked" }
    ProviderKind { OpenAi = "openAi", Anthropic = "anthropic", Ollama = "ollama" }
    Purpose {
        Writing = "writing",
        Asking = "asking",
        Distilling = "distilling",
        Embedding = "embedding",
        Journal = "journal",
        Studying = "studying",
        Reranking = "reranking",
    }
    ErasureKind { Episode = "episode", Rule = "rule", Names = "names", Journal = "journal", Answer = "answer" }
    JournalKind { Skill = "skill", Ask = "ask", Study = "study", Session = "session", Note = "note" }
    WordedBy { Template = "template", Model = "model", Client = "client" }
    // Answers.
    AnswerKind { Canon = "canon", Research = "research", Craft = "craft", Decision = "decision", Task = "task" }
    AnswerOrigin { Asked = "asked", Studied = "studied", Agent = "agent", Imported = "imported" }
    QuestionType {
        Structure = "structure",
        Plot = "plot",
        KnowledgeFlow = "knowledgeFlow",
        Relationship = "relationship",
        WorldRule = "worldRule",
        Continuity = "continuity",
        Craft = "craft",
        Entity = "entity",
    }
    AnswerStatus { Active = "active", Verified = "verified", Blocked = "blocked" }
    BlockedBy { Run = "run", Writer = "writer" }
    Staleness { Current = "current", Stale = "stale", Maybe = "maybe" }
    AnswerEventKind {
        Hit = "hit",
        Validated = "validated",
        Edited = "edited",
        Confirmed = "confirmed",
        Blocked = "blocked",
        Unblocked = "unblocked",
        Promoted = "promoted",
    }
    ValidationResult { Pass = "pass", Partial = "partial", Fail = "fail" }
    SignalStrength { Weak = "weak", Medium = "medium", Strong = "strong" }
    ValidationSource {
        Run = "run",
        Writer = "writer",
        Inserted = "inserted",
        Copied = "copied",
        Reasked = "reasked",
        Cited = "cited",
        Client = "client",
    }
    AnswerRunState {
        Prepared = "prepared", Running = "running", Completed = "completed", Expired = "expired",
        Interrupted = "interrupted",
    }
    InsertionState { Waiting = "waiting", Counted = "counted", TakenOut = "takenOut" }
    OutboxKind { Hits = "hits", Validation = "validation", Candidate = "candidate" }
    MatchDecision { Injected = "injected", Probation = "probation", LeftOut = "leftOut" }
    // Knowledge.
    ContinuityKind {
        NameDrift = "nameDrift",
        TwoForOne = "twoForOne",
        Attribute = "attribute",
        Age = "age",
        Date = "date",
        Season = "season",
        Weekday = "weekday",
        DeadActs = "deadActs",
        BeforeIntroduced = "beforeIntroduced",
        KnowsTooEarly = "knowsTooEarly",
        Where = "where",
        WorldRule = "worldRule",
        OpenThread = "openThread",
    }
    PairVerdict { Conflict = "conflict", Change = "change", Unclear = "unclear" }
    ContinuityVerdict { Intended = "intended", Mistake = "mistake", First = "first", Second = "second" }
    GapKind {
        UnreadChapter = "unreadChapter",
        ThinEntity = "thinEntity",
        UnrelatedPair = "unrelatedPair",
        OpenThread = "openThread",
        StaleRecord = "staleRecord",
    }
    QuestionState { Queued = "queued", Answered = "answered", Failed = "failed", Dropped = "dropped" }
    OperationType {
        Analysis = "analysis",
        Vectors = "vectors",
        StudyQuestion = "studyQuestion",
        StudyExploration = "studyExploration",
        StudySummary = "studySummary",
    }
    FailureStatus { Pending = "pending", Retrying = "retrying", Recovered = "recovered", Failed = "failed" }
    JournalEvent { Decided = "decided", Undone = "undone", Session = "session" }
}
