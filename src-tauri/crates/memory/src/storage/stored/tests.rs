//! Frozen forms: these literals are what files hold, and must never change.

use std::fmt::Debug;

use super::*;
use crate::storage::{
    answer_insertions::InsertionState,
    answer_outbox::{OutboxKind, OutboxPayload},
    samples::rule,
};
use crate::{
    model::{
        AnswerDetails, AnswerEventKind, AnswerHit, AnswerKind, AnswerOrigin, AnswerRunState, AnswerServiceSettings,
        AnswerStatus, BackendIsolation, BackendKind, BackupReason, BlockedBy, Category, ChangeKind, ClearedCounts,
        CompletedAnswer, ConfigValue, ContinuityKind, ContinuityVerdict, CutItem, CutReason, DailyLimits, DegradedCode,
        DegradedReason, EditedTexts, ErasureKind, ExplorationStep, FailureStatus, Followed, GapKind, ImplicitSignal,
        InterfaceLanguage, Job, JournalEvent, JournalKind, Language, LayerName, LowerCase, MatchDecision,
        MeasuredChange, MemoryWeight, OperationType, OwnerKind, PairVerdict, PatternSource, ProviderKind, Purpose,
        QuestionState, QuestionType, Reason, Reference, ReferenceKind, Rule, RuleChange, RuleOrigin, RuleStanding,
        RunAssessment, RunCause, RunChange, RunReason, RunStatus, RunValidation, Scope, Settings, SignalStrength,
        Staleness, StoreFile, Theme, Tier, Time, TombstoneCause, ValidationResult, ValidationSource, Verdict,
        WordCounts, WordedBy, WrittenKind,
    },
    ports::{Message, ModelInfo, Role},
};

const RULE: &str = r#"{"id":"r1","rule":"No exclamation marks","category":"style","scope":"project","projectId":"p1","sceneType":"dialogue","skillUsed":null,"confidence":0.9,"supportingEpisodes":["e1"],"contradictingEpisodes":[],"userConfirmed":true,"userModified":false,"recentlyUpdated":true,"pattern":{"feature":"exclamations","direction":-1,"threshold":null},"evidenceCount":12,"confidenceLow":0.7,"origin":"distilled","standing":"steppedBack","patternBy":"measured","challenged":true,"wrongCount":2,"otherBooks":1,"learnedAt":"2026-03-15T21:00:00.000Z","version":3,"createdAt":"2026-03-14T21:00:00.000Z","updatedAt":"2026-03-15T21:00:00.000Z"}"#;

/// A rule as it was stored before rules could be learned.
const OLD_RULE: &str = r#"{"id":"r1","rule":"No exclamation marks","category":"style","scope":"global","projectId":null,"sceneType":null,"skillUsed":null,"confidence":1.0,"supportingEpisodes":[],"contradictingEpisodes":[],"userConfirmed":true,"userModified":true,"recentlyUpdated":false,"pattern":null,"evidenceCount":0,"confidenceLow":0.0,"origin":"manual","version":1,"createdAt":"2026-03-14T21:00:00Z","updatedAt":"2026-03-14T21:00:00Z"}"#;

/// `value` is stored as `text`, and `text` reads to `value`.
fn assert_frozen<T: InColumn + Clone + PartialEq + Debug>(value: &T, text: &str) {
    assert_eq!(json(value).unwrap(), text);
    assert_eq!(parse::<T>(text).unwrap(), *value);
}

#[test]
fn a_rule_of_each_version_reads_to_its_value_and_the_present_one_is_written() {
    assert_frozen(&rule(), RULE);
    assert_eq!(read_rule(RULE).unwrap(), rule());
    let old = read_rule(OLD_RULE).unwrap();
    assert_eq!((old.standing, old.challenged, old.wrong_count), (RuleStanding::Active, false, 0));
    assert_eq!((old.other_books, old.learned_at, old.pattern_by, old.version), (0, None, None, 1));
    assert!(parse::<Rule>(OLD_RULE).is_err(), "only a history is as old");
    assert!(read_rule("[]").is_err());
    assert!(read_rule(r#"{"id":"r1"}"#).is_err());
}

#[test]
fn a_change_of_a_run_is_frozen() {
    let change = RunChange {
        rule_id: "r1".into(),
        project_id: Some("p1".into()),
        kind: ChangeKind::Weakened,
        before: Some(rule()),
        after: None,
        kept: true,
    };
    let text =
        format!(r#"{{"ruleId":"r1","projectId":"p1","kind":"weakened","before":{RULE},"after":null,"kept":true}}"#);
    assert_frozen(&change, &text);
}

#[test]
fn the_lists_of_a_trace_are_frozen() {
    assert_frozen(
        &vec![
            Message { role: Role::System, content: "Write.".into() },
            Message { role: Role::User, content: "On.".into() },
        ],
        r#"[{"role":"system","content":"Write."},{"role":"user","content":"On."}]"#,
    );
    assert_frozen(
        &vec![Reference {
            reference_id: "episode:e1".into(),
            kind: ReferenceKind::Episode,
            id: "e1".into(),
            version: 2,
            layer: LayerName::Retrieved,
            text: "The ferry.".into(),
            score: Some(0.5),
            matched_by: vec!["words".into()],
        }],
        r#"[{"referenceId":"episode:e1","kind":"episode","id":"e1","version":2,"layer":"retrieved","text":"The ferry.","score":0.5,"matchedBy":["words"]}]"#,
    );
    assert_frozen(
        &vec![CutItem {
            kind: "rule".into(),
            id: "r1".into(),
            layer: LayerName::Rules,
            text: "Short".into(),
            tokens: 7,
            reason: CutReason::NotHere,
        }],
        r#"[{"kind":"rule","id":"r1","layer":"rules","text":"Short","tokens":7,"reason":"notHere"}]"#,
    );
    assert_frozen(
        &ModelInfo { provider: "sample".into(), model: "sample-1".into(), sample: true },
        r#"{"provider":"sample","model":"sample-1","sample":true}"#,
    );
    assert_frozen(
        &vec![DegradedReason { code: DegradedCode::NamesUnread, message: "unread".into() }],
        r#"[{"code":"namesUnread","message":"unread"}]"#,
    );
}

#[test]
fn weights_are_frozen_and_those_from_before_measurements_read_on() {
    let estimated = MemoryWeight {
        reference_id: "rule:r1".into(),
        weight: 0.25,
        effect: Some(0.5),
        followed: Some(Followed::Partly),
        change: None,
    };
    let measured = MemoryWeight {
        effect: None,
        followed: None,
        change: Some(MeasuredChange { by: 1.5, low: 1.0, high: 2.0 }),
        ..estimated.clone()
    };
    assert_frozen(
        &vec![estimated.clone(), measured],
        r#"[{"referenceId":"rule:r1","weight":0.25,"effect":0.5,"followed":"partly","change":null},{"referenceId":"rule:r1","weight":0.25,"effect":null,"followed":null,"change":{"by":1.5,"low":1.0,"high":2.0}}]"#,
    );
    let old = r#"[{"referenceId":"rule:r1","weight":0.25,"effect":0.5,"followed":"partly"}]"#;
    assert_eq!(parse::<Vec<MemoryWeight>>(old).unwrap(), [estimated]);
}

/// These are all names of an enum; each reads and is written again, in a column and in JSON.
fn assert_names<T: StoredName + InColumn + Clone>(names: &[&str]) {
    assert_eq!(T::NAMES, names);
    for name in names {
        assert_eq!(name_of(parse_enum::<T>(name).unwrap()), *name);
        let text = format!("\"{name}\"");
        assert_eq!(json(&parse::<T>(&text).unwrap()).unwrap(), text);
    }
    assert!(parse_enum::<T>("never").is_err());
    assert!(parse::<T>("\"never\"").is_err());
}

#[test]
fn the_names_of_enums_in_stored_structs_are_frozen() {
    assert_names::<Category>(&["style", "structure", "character", "pacing", "vocabulary"]);
    assert_names::<Scope>(&["global", "project"]);
    assert_names::<RuleOrigin>(&["distilled", "manual", "builtin"]);
    assert_names::<RuleStanding>(&["active", "proposed", "steppedBack", "suspended"]);
    assert_names::<PatternSource>(&["measured", "lexicon", "model", "writer"]);
    assert_names::<ChangeKind>(&[
        "learned",
        "strengthened",
        "weakened",
        "replaced",
        "steppedBack",
        "withdrawn",
        "returned",
        "globalised",
        "localised",
        "proposed",
        "challenged",
        "understood",
        "dropped",
    ]);
    assert_names::<ReferenceKind>(&["rule", "episode", "working", "entity", "passage", "answer", "entry"]);
    assert_names::<LayerName>(&["rules", "settings", "retrieved", "immediate"]);
    assert_names::<CutReason>(&["budget", "overruled", "notHere", "alike", "notOutstanding"]);
    assert_names::<DegradedCode>(&[
        "rulesFromBackup",
        "rulesBuiltIn",
        "pastUnavailable",
        "storyUnavailable",
        "storyFromBackup",
        "namesUnread",
        "builtInWrites",
        "untraced",
        "answerUnkept",
        "answerServiceUnavailable",
        "other",
    ]);
    assert_names::<Role>(&["system", "user", "assistant"]);
    assert_names::<Followed>(&["yes", "partly", "no"]);
    assert_names::<InterfaceLanguage>(&["system", "zh-CN", "en"]);
    assert_names::<Theme>(&["system", "light", "dark"]);
    assert_names::<Reason>(&[
        "chapterGone",
        "notUtf8",
        "tooLarge",
        "link",
        "exists",
        "newerFormat",
        "damagedIdFile",
        "folderOfAnotherBook",
        "io",
        "emptyPart",
        "changedSince",
        "fileUnreadable",
        "unknownFormat",
        "oldWord",
        "encrypted",
        "damagedDocument",
        "notText",
        "emptyFile",
        "importTooLarge",
        "tooManyChapters",
        "importFileChanged",
        "importChoices",
        "importChanged",
        "insideTheBook",
        "insideTheMemory",
        "notAFile",
        "noFolder",
        "exportFailed",
        "fileGone",
        "damaged",
        "foreignSchema",
        "notADatabase",
        "newerSchema",
        "unwritable",
        "inUse",
        "folderUnusable",
        "lockLost",
        "logLost",
        "brokeOff",
        "clearing",
        "encoderMissing",
        "encoderUnreadable",
        "encoderBrokeOff",
        "namesUnread",
        "invisibleCharacters",
        "wordsErased",
        "nothingToMeasure",
        "draftGone",
        "noFile",
        "otherFormat",
        "newerVersion",
        "cutOff",
        "linesMissing",
        "afterTheEnd",
        "outOfOrder",
        "notJson",
        "unreadable",
        "unknownKind",
        "unknownField",
        "missingField",
        "badValue",
        "tooLong",
        "otherBook",
        "noHistory",
        "unknownCategory",
        "brokenLine",
        "keyMissing",
        "keyRefused",
        "noCredit",
        "rateLimited",
        "contextTooLong",
        "modelUnknown",
        "contentRefused",
        "timeout",
        "unreachable",
        "redirectRefused",
        "malformed",
        "answerTooLong",
        "interrupted",
        "providerFailed",
        "requestRefused",
        "dailyLimit",
        "otherModel",
        "addressInvalid",
        "unbelievable",
        "settled",
        "expired",
        "configNotTaken",
        "setByFile",
        "auditUnwritable",
        "programMissing",
        "notLoggedIn",
        "notFenced",
        "untrustedFolder",
        "versionTooOld",
        "startFailed",
        "silent",
        "tooMuch",
        "wroteFiles",
        "hiddenNames",
    ]);
}

#[test]
fn the_names_of_enums_in_columns_and_file_names_are_frozen() {
    assert_names::<RuleChange>(&[
        "added",
        "edited",
        "confirmed",
        "promoted",
        "deleted",
        "learned",
        "updated",
        "replaced",
        "stood",
        "restored",
        "disputed",
    ]);
    assert_names::<RunCause>(&["episodes", "idle", "click", "weekly", "contradiction"]);
    assert_names::<RunStatus>(&[
        "running",
        "alreadyRunning",
        "dryRun",
        "committed",
        "nothing",
        "waiting",
        "failed",
        "cancelled",
        "undone",
        "discarded",
    ]);
    assert_names::<TombstoneCause>(&["deleted", "undone", "drifted"]);
    assert_names::<OwnerKind>(&["episode", "summary", "passage", "journal", "question", "answer", "sample"]);
    assert_names::<ImplicitSignal>(&[
        "strongPositive",
        "weakPositive",
        "neutral",
        "weakNegative",
        "strongNegative",
        "delayedNegative",
    ]);
    assert_names::<WrittenKind>(&["edit", "own"]);
    assert_names::<Verdict>(&["right", "wrong", "notHere"]);
    assert_names::<Tier>(&["compliance", "masked"]);
    assert_names::<Language>(&["zh", "en"]);
    assert_names::<LowerCase>(&["hidden", "kept"]);
    assert_names::<ErasureKind>(&["episode", "rule", "names", "journal", "answer"]);
    assert_names::<JournalKind>(&["skill", "ask", "study", "session", "note"]);
    assert_names::<WordedBy>(&["template", "model", "client"]);
    assert_names::<JournalEvent>(&["decided", "undone", "session"]);
    assert_names::<ContinuityKind>(&[
        "nameDrift",
        "twoForOne",
        "attribute",
        "age",
        "date",
        "season",
        "weekday",
        "deadActs",
        "beforeIntroduced",
        "knowsTooEarly",
        "where",
        "worldRule",
        "openThread",
    ]);
    assert_names::<PairVerdict>(&["conflict", "change", "unclear"]);
    assert_names::<ContinuityVerdict>(&["intended", "mistake", "first", "second"]);
    assert_names::<GapKind>(&["unreadChapter", "thinEntity", "unrelatedPair", "openThread", "staleRecord"]);
    assert_names::<QuestionState>(&["queued", "answered", "failed", "dropped"]);
    assert_names::<OperationType>(&["analysis", "vectors", "studyQuestion", "studyExploration", "studySummary"]);
    assert_names::<FailureStatus>(&["pending", "retrying", "recovered", "failed"]);
    assert_names::<AnswerKind>(&["canon", "research", "craft", "decision", "task"]);
    assert_names::<AnswerOrigin>(&["asked", "studied", "agent", "imported"]);
    assert_names::<QuestionType>(&[
        "structure",
        "plot",
        "knowledgeFlow",
        "relationship",
        "worldRule",
        "continuity",
        "craft",
        "entity",
    ]);
    assert_names::<AnswerStatus>(&["active", "verified", "blocked"]);
    assert_names::<BlockedBy>(&["run", "writer"]);
    assert_names::<Staleness>(&["current", "stale", "maybe"]);
    assert_names::<AnswerEventKind>(&["hit", "validated", "edited", "confirmed", "blocked", "unblocked", "promoted"]);
    assert_names::<ValidationResult>(&["pass", "partial", "fail"]);
    assert_names::<SignalStrength>(&["weak", "medium", "strong"]);
    assert_names::<ValidationSource>(&["run", "writer", "inserted", "copied", "reasked", "cited", "client"]);
    assert_names::<InsertionState>(&["waiting", "counted", "takenOut"]);
    assert_names::<AnswerRunState>(&["prepared", "running", "completed", "expired", "interrupted"]);
    assert_names::<MatchDecision>(&["injected", "probation", "leftOut"]);
    assert_names::<OutboxKind>(&["hits", "validation", "candidate"]);
    assert_names::<Job>(&["daily", "weekly", "monthly", "backup"]);
    assert_names::<BackendKind>(&["claude", "codex", "gemini", "own"]);
    assert_names::<BackendIsolation>(&["system", "asked"]);
    assert_names::<ProviderKind>(&["openAi", "anthropic", "ollama"]);
    assert_names::<Purpose>(&["writing", "asking", "distilling", "embedding", "journal", "studying", "reranking"]);
    assert_names::<StoreFile>(&["rules", "episodes"]);
    assert_names::<BackupReason>(&["changed", "manual", "migration", "import", "clearing", "restore"]);
}

#[test]
fn settings_and_limits_are_frozen_and_missing_fields_have_their_defaults() {
    assert_frozen(
        &Settings {
            interface_language: InterfaceLanguage::ZhCn,
            theme: Theme::Dark,
            last_project_id: Some("p1".into()),
            journal_top_k: 8,
            journal_cognition_rounds: 2,
            readable_copies: true,
        },
        r#"{"interfaceLanguage":"zh-CN","theme":"dark","lastProjectId":"p1","journalTopK":8,"journalCognitionRounds":2,"readableCopies":true}"#,
    );
    assert_frozen(
        &Settings::default(),
        r#"{"interfaceLanguage":"system","theme":"system","lastProjectId":null,"journalTopK":5,"journalCognitionRounds":3}"#,
    );
    assert_eq!(parse::<Settings>(r#"{"theme":"light","later":1}"#).unwrap().theme, Theme::Light);
    assert_frozen(
        &DailyLimits { requests_per_day: Some(40), tokens_per_day: None },
        r#"{"requestsPerDay":40,"tokensPerDay":null}"#,
    );
    assert_eq!(parse::<DailyLimits>("{}").unwrap(), DailyLimits::default());
}

#[test]
fn the_counts_of_clearings_and_erasures_are_frozen_and_missing_counts_are_zero() {
    assert_frozen(
        &ClearedCounts {
            episodes: 1,
            vectors: 2,
            words: 3,
            traces: 4,
            origins: 5,
            journal: 10,
            answers: 11,
            rules: 6,
            rule_versions: 7,
            working_items: 8,
            backups: 9,
        },
        r#"{"episodes":1,"vectors":2,"words":3,"traces":4,"origins":5,"journal":10,"answers":11,"rules":6,"ruleVersions":7,"workingItems":8,"backups":9}"#,
    );
    assert_eq!(
        parse::<ClearedCounts>(r#"{"rules":6}"#).unwrap(),
        ClearedCounts { rules: 6, ..ClearedCounts::default() }
    );
    assert_frozen(
        &WordCounts {
            traces: 1,
            notes: 2,
            remarks: 3,
            rule_versions: 4,
            tombstones: 5,
            run_changes: 6,
            backups: 7,
            set_aside: 8,
        },
        r#"{"traces":1,"notes":2,"remarks":3,"ruleVersions":4,"tombstones":5,"runChanges":6,"backups":7,"setAside":8}"#,
    );
    assert_eq!(parse::<WordCounts>(r#"{"notes":2}"#).unwrap(), WordCounts { notes: 2, ..WordCounts::default() });
}

#[test]
fn the_structs_of_answers_are_frozen_and_empty_details_are_left_out() {
    assert_frozen(&AnswerDetails::default(), "{}");
    assert_frozen(
        &AnswerDetails {
            question_type: Some(QuestionType::Plot),
            domain: Some("港口".into()),
            tags: vec!["潮".into()],
            source_files: vec!["01.md".into()],
            related_records: vec!["a2".into()],
            exploration_path: vec![ExplorationStep {
                tool_name: "find".into(),
                parameters: [("query".to_owned(), "潮".to_owned())].into(),
                result_summary: "两处".into(),
                timestamp: Time::from_millis(7),
            }],
            metadata: [("k".to_owned(), "v".to_owned())].into(),
        },
        r#"{"questionType":"plot","domain":"港口","tags":["潮"],"sourceFiles":["01.md"],"relatedRecords":["a2"],"explorationPath":[{"toolName":"find","parameters":{"query":"潮"},"resultSummary":"两处","timestamp":"1970-01-01T00:00:00.007Z"}],"metadata":{"k":"v"}}"#,
    );
    assert_frozen(
        &EditedTexts {
            question_before: "a".into(),
            question_after: "b".into(),
            answer_before: "c".into(),
            answer_after: "d".into(),
        },
        r#"{"questionBefore":"a","questionAfter":"b","answerBefore":"c","answerAfter":"d"}"#,
    );
    let hit = AnswerHit { answer_id: "a1".into(), shown: true, used: false };
    assert_frozen(
        &CompletedAnswer {
            run_id: "r1".into(),
            assessment: RunAssessment {
                result: Some(ValidationResult::Pass),
                signal_strength: SignalStrength::Weak,
                reasons: vec!["exitZero".into()],
            },
            hits: vec![hit],
            validations: vec![RunValidation {
                answer_id: "a1".into(),
                result: ValidationResult::Pass,
                signal_strength: SignalStrength::Weak,
                is_applied: true,
            }],
            candidate_id: None,
            why_not: vec!["hasStrong".into()],
            invented: 0,
            tools: vec![true, false],
        },
        r#"{"runId":"r1","assessment":{"result":"pass","signalStrength":"weak","reasons":["exitZero"]},"hits":[{"answerId":"a1","shown":true,"used":false}],"validations":[{"answerId":"a1","result":"pass","signalStrength":"weak","isApplied":true}],"candidateId":null,"whyNot":["hasStrong"],"invented":0,"tools":[true,false]}"#,
    );
}

#[test]
fn the_answer_service_and_its_outbox_are_frozen() {
    assert_frozen(
        &AnswerServiceSettings { base_url: Some("https://a.example".into()), enabled: true, send_candidates: false },
        r#"{"baseUrl":"https://a.example","enabled":true,"sendCandidates":false}"#,
    );
    let hit = AnswerHit { answer_id: "q1".into(), shown: true, used: false };
    assert_frozen(
        &OutboxPayload { id: "r1".into(), references: vec![hit], ..OutboxPayload::default() },
        r#"{"id":"r1","references":[{"answerId":"q1","shown":true,"used":false}]}"#,
    );
    assert_frozen(
        &OutboxPayload {
            id: "v1".into(),
            references: Vec::new(),
            answer_id: Some("q1".into()),
            result: Some(ValidationResult::Fail),
            strength: Some(SignalStrength::Strong),
            source: Some(ValidationSource::Writer),
            at: Some(Time::from_millis(0)),
        },
        r#"{"id":"v1","answerId":"q1","result":"fail","strength":"strong","source":"writer","at":"1970-01-01T00:00:00.000Z"}"#,
    );
}

#[test]
fn settings_of_answers_are_frozen_as_plain_json() {
    assert_frozen(&ConfigValue::Switch(true), "true");
    assert_frozen(&ConfigValue::Number(0.4), "0.4");
    assert_frozen(&ConfigValue::Texts(vec!["active".into()]), r#"["active"]"#);
}

#[test]
fn lists_of_texts_are_frozen() {
    assert_frozen(&vec!["灯灭了。".to_owned(), "\"On\"".to_owned()], r#"["灯灭了。","\"On\""]"#);
}

#[test]
fn the_reasons_of_a_run_are_frozen_and_the_name_of_version_0_1_reads_on() {
    let not_yet = |nearest: Option<&str>| RunReason::NotYet {
        choices: 3,
        edits: 1,
        nearest: nearest.map(str::to_owned),
        progress: 0.5,
    };
    for (reason, text) in [
        (RunReason::NoEvidence, r#"{"kind":"noEvidence"}"#),
        (not_yet(None), r#"{"kind":"notYet","choices":3,"edits":1,"nearest":null,"progress":0.5}"#),
        (not_yet(Some("commas")), r#"{"kind":"notYet","choices":3,"edits":1,"nearest":"commas","progress":0.5}"#),
        (RunReason::NothingToSay { features: 2 }, r#"{"kind":"nothingToSay","features":2}"#),
        (RunReason::NothingNew, r#"{"kind":"nothingNew"}"#),
        (RunReason::Model { trouble: Reason::Unreachable }, r#"{"kind":"model","trouble":"unreachable"}"#),
        (RunReason::Model { trouble: Reason::NamesUnread }, r#"{"kind":"model","trouble":"namesUnread"}"#),
        (RunReason::Store, r#"{"kind":"store"}"#),
        (RunReason::Interrupted, r#"{"kind":"interrupted"}"#),
    ] {
        assert_frozen(&reason, text);
    }
    let old = parse::<RunReason>(r#"{"kind":"model","trouble":"names"}"#).unwrap();
    assert_eq!(old, RunReason::Model { trouble: Reason::NamesUnread });
    for refused in [r#"{"kind":"model","trouble":"never"}"#, r#"{"kind":"never"}"#, "{}"] {
        assert!(parse::<RunReason>(refused).is_err(), "{refused}");
    }
}
