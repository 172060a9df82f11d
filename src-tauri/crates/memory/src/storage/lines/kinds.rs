//! The kinds of lines, in file order: owners come before the rows that refer to them.

use super::{
    Column,
    ColumnType::{Bytes, Erasable, Flag, Id, Line, Named, Real, Record, RuleWords, Text, Time, Title, Whole, Word},
    Kind, format_record, format_rule, given_reasons, is_named, may, must, parse_record, parse_rule,
};
use crate::{
    model::{
        AnswerDetails, AnswerEventKind, AnswerKind, AnswerOrigin, Category, Certainty, CitationStatus, ContinuityKind,
        ContinuityVerdict, CutItem, DegradedReason, EditedTexts, EntityKind, FactOrigin, GapKind, ImplicitSignal,
        JournalKind, Language, MemoryWeight, MovedCitations, PairVerdict, Pattern, PatternSource, QuestionState,
        QuestionType, RecordKind, Reference, RuleChange, RuleStanding, RunCause, RunChange, RunReason, Scope,
        SignalStrength,
        StoreFile::{Episodes, Rules},
        Tier, ValidationResult, ValidationSource, Verdict, Visibility, WordedBy,
    },
    ports::{Message, ModelInfo},
    validate,
};

const COUNT: super::ColumnType = Whole(0, u32::MAX as i64);
const VERSION: super::ColumnType = Whole(1, u32::MAX as i64);
const SHARE: super::ColumnType = Real(0.0, 1.0);
const NAME: super::ColumnType = Line(40);
const LANGUAGE: super::ColumnType = Word(&["zh", "en"]);
const DIRECTION: super::ColumnType = Whole(-1, 1);
/// A rule's words; those of a run may be longer than what a writer types.
const RULE: super::ColumnType = RuleWords(2 * validate::RULE_CHARS);
/// The same for rows that outlive the rule.
const OLD_RULE: super::ColumnType = Erasable(2 * validate::RULE_CHARS);
const FEATURE: super::ColumnType = Text(100);

/// All rows, or those of a project.
const OWN: (&str, &str) = ("true", "project_id = ?1");
/// Rows that are of no book: an export of one has none of them.
const ALL: (&str, &str) = ("true", "?1 IS NULL");
/// A run that is under way has no result yet.
const ENDED: (&str, &str) = ("status <> 'running'", "status <> 'running' AND project_id = ?1");
const OF_ENDED: (&str, &str) = (
    "run_id IN (SELECT run_id FROM runs WHERE status <> 'running')",
    "project_id = ?1 AND run_id IN (SELECT run_id FROM runs WHERE status <> 'running' AND project_id = ?1)",
);
/// Pauses belong to all projects; an export of one includes those during which its episodes were recorded.
const PAUSES: (&str, &str) = ("true", "started_at IN (SELECT pause FROM evidence WHERE project_id = ?1)");
/// The whole history of the rules that a project has, or had when they were deleted.
const VERSIONS: (&str, &str) = (
    "true",
    "rule_id IN (SELECT id FROM rules WHERE project_id = ?1) OR (rule_id NOT IN (SELECT id FROM rules) AND rule_id IN \
     (SELECT h.rule_id FROM rule_history h WHERE h.project_id = ?1 AND NOT EXISTS \
     (SELECT 1 FROM rule_history l WHERE l.rule_id = h.rule_id AND l.version > h.version)))",
);
/// The numbers of an episode with its texts can be recomputed.
const SUMMARIES: (&str, &str) = (
    "EXISTS (SELECT 1 FROM episodes WHERE episodes.id = episode_id AND compressed)",
    "project_id = ?1 AND EXISTS (SELECT 1 FROM episodes WHERE episodes.id = episode_id AND compressed)",
);

macro_rules! kinds {
    ($($record:ident $name:literal $file:ident $table:literal by [$($key:literal),*] in $order:literal which $which:ident: [$($column:expr),* $(,)?];)*) => {
        /// All of them.
        pub(crate) static KINDS: &[Kind] = &[$(Kind {
            record: RecordKind::$record,
            name: $name,
            file: $file,
            table: $table,
            columns: {
                const COLUMNS: &[Column] = &[$($column),*];
                COLUMNS
            },
            key: &[$($key),*],
            order: $order,
            which: $which,
        }),*];
    };
}

kinds! {
    Project "project" Rules "projects" by ["project_id"] in "project_id" which OWN: [
        must("project_id", Id), must("title", Title), must("language", Named(is_named::<Language>)),
        must("created_at", Time), must("last_opened_at", Time), may("journal_off", Flag),
    ];
    Deletion "deletion" Rules "deletions" by ["kind", "id"] in "kind, id" which OWN: [
        must("kind", NAME), must("id", Id), must("project_id", Id), must("at", Time),
    ];
    Name "name" Rules "names" by ["project_id", "name"] in "project_id, ordinal" which OWN: [
        must("project_id", Id), must("ordinal", COUNT), must("name", Line(100)), must("alias", Line(100)),
        may("lower_case", Word(&["hidden", "kept"])),
    ];
    Pause "pause" Rules "pauses" by ["started_at"] in "started_at" which PAUSES: [
        must("started_at", Time), may("ended_at", Time), must("used", Flag),
    ];
    Run "run" Rules "runs" by ["run_id"] in "begun_at, run_id" which ENDED: [
        must("run_id", Id), may("project_id", Id), must("cause", Named(is_named::<RunCause>)),
        must("status", Word(&["committed", "nothing", "waiting", "failed", "cancelled", "undone", "discarded"])),
        must("begun_at", Time), may("ended_at", Time), must("episodes", COUNT),
        may("reason", Record(parse_record::<RunReason>, format_record::<RunReason>)),
    ];
    RunChange "runChange" Rules "run_changes" by ["run_id", "ordinal"] in "run_id, ordinal" which OF_ENDED: [
        must("run_id", Id), must("ordinal", COUNT), may("project_id", Id),
        must("change", Record(parse_record::<RunChange>, format_record::<RunChange>)),
    ];
    Learned "learned" Rules "learned" by ["project_id"] in "project_id" which OWN: [
        must("project_id", Id), must("run_id", Id), must("at", Time), must("episodes", COUNT),
    ];
    RuleVersion "ruleVersion" Rules "rule_history" by ["rule_id", "version"] in "rule_id, version" which VERSIONS: [
        must("rule_id", Id), must("version", VERSION), may("project_id", Id),
        must("change", Named(is_named::<RuleChange>)), must("at", Time), must("rule", OLD_RULE),
        must("snapshot", Record(parse_rule, format_rule)), may("run_id", Id),
    ];
    Tombstone "tombstone" Rules "tombstones" by ["tombstone_id"] in "since, tombstone_id" which OWN: [
        must("tombstone_id", Id), must("rule_id", Id), may("project_id", Id),
        must("why", Word(&["deleted", "undone", "drifted"])), may("feature", FEATURE), may("direction", DIRECTION),
        may("scene_type", NAME), may("skill_used", NAME), must("words", OLD_RULE), must("since", Time), may("run_id", Id),
        may("words_hash", Line(64)),
    ];
    Rule "rule" Rules "rules" by ["id"] in "created_at, id" which OWN: [
        must("id", Id), must("scope", Named(is_named::<Scope>)), may("project_id", Id), must("rule", RULE),
        must("category", Named(is_named::<Category>)), may("scene_type", NAME), may("skill_used", NAME),
        must("confidence", SHARE), must("confidence_low", SHARE), must("evidence_count", COUNT),
        must("user_confirmed", Flag), must("user_modified", Flag), must("recently_updated", Flag),
        may("pattern", Record(parse_record::<Pattern>, format_record::<Pattern>)), must("origin", Word(&["distilled", "manual"])),
        must("version", VERSION), must("created_at", Time), must("updated_at", Time),
        must("standing", Named(is_named::<RuleStanding>)), may("pattern_by", Named(is_named::<PatternSource>)),
        must("challenged", Flag), must("wrong_count", COUNT), may("learned_at", Time),
    ];
    Support "support" Rules "rule_support" by ["project_id", "rule_id", "episode_id"] in "project_id, rule_id, episode_id" which OWN: [
        must("project_id", Id), must("rule_id", Id), must("episode_id", Id), must("agrees", Flag),
    ];
    FoundIn "foundIn" Rules "rule_books" by ["rule_id", "project_id"] in "rule_id, project_id" which OWN: [
        must("rule_id", Id), must("project_id", Id), must("confidence", SHARE), must("confidence_low", SHARE),
        must("evidence_count", COUNT),
    ];
    Verdict "verdict" Rules "verdicts" by ["rule_id", "at"] in "rule_id, at" which OWN: [
        must("rule_id", Id), must("at", Time), must("project_id", Id), must("feature", FEATURE),
        must("direction", DIRECTION), may("scene_type", NAME), may("skill_used", NAME),
    ];
    Conflict "conflict" Rules "conflicts" by ["conflict_id"] in "opened_at, conflict_id" which OWN: [
        must("conflict_id", Id), may("project_id", Id), must("first_rule", Id), must("second_rule", Id),
        must("opened_at", Time), may("closed_at", Time), may("kept_rule", Id),
    ];
    Evidence "evidence" Rules "evidence" by ["project_id", "episode_id"] in "project_id, rowid" which OWN: [
        must("project_id", Id), must("episode_id", Id), must("occurred_at", Time), may("scene_type", NAME),
        must("skill_used", NAME), must("language", LANGUAGE), must("feature_version", COUNT), must("texts", Bytes),
        must("candidates", Whole(0, 64)), must("selected_index", Whole(-1, 63)), may("choice", Bytes),
        may("written", Bytes), may("written_kind", Word(&["edit", "own"])), must("undone", Flag), may("pause", Time),
    ];
    Entity "entity" Rules "entities" by ["project_id", "entity_id"] in "project_id, created_at, entity_id" which OWN: [
        must("project_id", Id), must("entity_id", Id), must("kind", Named(is_named::<EntityKind>)), must("name", Line(100)),
        must("version", VERSION), must("created_at", Time), must("updated_at", Time),
        may("visibility", Named(is_named::<Visibility>)), may("pinned", Flag),
    ];
    EntityName "entityName" Rules "entity_names" by ["project_id", "entity_id", "name"] in "project_id, entity_id, name" which OWN: [
        must("project_id", Id), must("entity_id", Id), must("name", Line(100)), may("since_chapter", Id),
        may("since_offset", COUNT),
    ];
    Dismissal "dismissal" Rules "dismissals" by ["project_id", "kind", "name", "other"] in "project_id, kind, name, other" which OWN: [
        must("project_id", Id), must("kind", Word(&["name", "merge", "fact"])), must("name", Line(100)),
        must("other", Erasable(100)), must("dismissed_at", Time),
    ];
    Fact "fact" Rules "facts" by ["fact_id"] in "project_id, created_at, fact_id" which OWN: [
        must("fact_id", Id), must("project_id", Id), must("entity_id", Id), must("attribute", Line(validate::ATTRIBUTE_CHARS)),
        must("value", Line(validate::VALUE_CHARS)), may("object_id", Id), must("certainty", Named(is_named::<Certainty>)),
        may("told_chapter", Id), may("told_offset", COUNT), may("valid_from", Line(validate::STORY_TIME_CHARS)),
        may("valid_until", Line(validate::STORY_TIME_CHARS)), may("superseded_by", Id), must("origin", Named(is_named::<FactOrigin>)),
        must("version", VERSION), must("created_at", Time), must("updated_at", Time),
    ];
    Knower "knower" Rules "fact_knowers" by ["project_id", "fact_id", "entity_id"] in "project_id, fact_id, entity_id" which OWN: [
        must("project_id", Id), must("fact_id", Id), must("entity_id", Id), must("since_chapter", Id),
        must("since_offset", COUNT),
    ];
    Citation "citation" Rules "fact_citations" by ["project_id", "fact_id", "ordinal"] in "project_id, fact_id, ordinal" which OWN: [
        must("project_id", Id), must("fact_id", Id), must("ordinal", COUNT), must("chapter_id", Id),
        must("range_from", COUNT), must("range_to", VERSION), must("quote_hash", Line(64)), must("quote", Text(4 * validate::QUOTE_CHARS)),
        must("status", Named(is_named::<CitationStatus>)),
    ];
    ContinuityResolution "continuityResolution" Rules "continuity_resolutions" by ["project_id", "signature"] in "project_id, signature" which OWN: [
        must("project_id", Id), must("signature", Line(64)), must("kind", Named(is_named::<ContinuityKind>)),
        must("verdict", Named(is_named::<ContinuityVerdict>)), must("resolved_at", Time),
    ];
    KnowledgeSettings "knowledgeSettings" Rules "knowledge_settings" by ["project_id"] in "project_id" which OWN: [
        must("project_id", Id), must("background", Text(4 * validate::BACKGROUND_CHARS)), must("version", VERSION),
        must("created_at", Time), must("updated_at", Time),
    ];
    Practice "practice" Rules "practices" by ["practice_id"] in "created_at, practice_id" which ALL: [
        must("practice_id", Id), must("title", Line(validate::PRACTICE_LINE_CHARS)),
        must("description", Text(4 * validate::PRACTICE_CHARS)),
        must("scenarios", Record(parse_record::<Vec<String>>, format_record::<Vec<String>>)),
        must("source_projects", Record(parse_record::<Vec<String>>, format_record::<Vec<String>>)),
        must("version", VERSION), must("created_at", Time), must("updated_at", Time),
    ];
    Episode "episode" Episodes "episodes" by ["id"] in "row" which OWN: [
        must("id", Id), must("project_id", Id), must("chapter_id", Id), must("version", VERSION),
        must("created_at", Time), must("skill_used", NAME), may("scene_type", NAME),
        must("input_context", Text(validate::TEXT)),
        must("candidates", Record(parse_record::<Vec<String>>, format_record::<Vec<String>>)), must("selected_index", Whole(-1, 63)),
        must("final_text", Text(validate::TEXT)), may("explicit", Text(validate::REMARK)),
        must("implicit", Named(is_named::<ImplicitSignal>)), must("implicit_weight", Real(-1.5, 1.0)),
        may("edit_distance", SHARE), must("importance", SHARE), must("recall_count", COUNT),
        may("last_recalled_at", Time), must("user_confirmed", Flag), must("compressed", Flag),
        may("summary", Text(validate::TEXT)), may("generation_id", Id), may("compressed_at", Time),
        may("draft_excerpt", Text(validate::TEXT)), may("pause", Time), may("remarked_at", Time),
    ];
    Features "features" Episodes "episode_features" by ["project_id", "episode_id", "kind", "part"] in "project_id, episode_id, kind, part" which SUMMARIES: [
        must("project_id", Id), must("episode_id", Id), must("kind", Word(&["candidate", "final", "input"])),
        must("part", Whole(0, 63)), must("version", COUNT), must("language", LANGUAGE), must("numbers", Bytes),
    ];
    SkillUse "skillUse" Episodes "skill_uses" by ["project_id", "scene_type", "skill"] in "project_id, scene_type, skill" which OWN: [
        must("project_id", Id), must("scene_type", Text(200)), must("skill", NAME), must("uses", COUNT),
    ];
    Trace "trace" Episodes "traces" by ["generation_id"] in "created_at, generation_id" which OWN: [
        must("generation_id", Id), must("project_id", Id), must("chapter_id", Id), must("skill", NAME),
        may("scene_type", NAME), must("created_at", Time), must("provider", Record(parse_record::<ModelInfo>, format_record::<ModelInfo>)),
        must("seed", COUNT), must("prompt_hash", Line(64)),
        must("messages", Record(parse_record::<Vec<Message>>, format_record::<Vec<Message>>)),
        must("refs", Record(parse_record::<Vec<Reference>>, format_record::<Vec<Reference>>)),
        must("cut", Record(parse_record::<Vec<CutItem>>, format_record::<Vec<CutItem>>)), must("total_tokens", COUNT),
        must("degraded", Record(parse_record::<Vec<DegradedReason>>, given_reasons)),
        may("blanked_at", Time), may("first_try", Id),
    ];
    TraceFeedback "traceFeedback" Episodes "trace_feedback" by ["generation_id", "reference_id"] in "project_id, at, generation_id, reference_id" which OWN: [
        must("generation_id", Id), must("reference_id", Line(400)), must("project_id", Id), must("skill", NAME),
        may("scene_type", NAME), must("verdict", Named(is_named::<Verdict>)), may("note", Text(validate::REMARK)),
        must("at", Time), may("episode_id", Id),
    ];
    Influence "influence" Episodes "influences" by ["generation_id", "tier", "candidate"] in "generation_id, tier, candidate" which OWN: [
        must("generation_id", Id), must("tier", Named(is_named::<Tier>)), must("candidate", Whole(0, 63)),
        must("project_id", Id), must("measured_at", Time), must("remainder", SHARE),
        must("weights", Record(parse_record::<Vec<MemoryWeight>>, format_record::<Vec<MemoryWeight>>)), may("regenerations", COUNT),
    ];
    Followed "followed" Episodes "followed" by ["project_id", "rule_id"] in "project_id, rule_id" which OWN: [
        must("project_id", Id), must("rule_id", Id), must("matter", Text(400)), must("recent", Text(100)),
    ];
    Draft "draft" Episodes "drafts" by ["generation_id", "candidate"] in "row" which OWN: [
        must("project_id", Id), must("generation_id", Id), must("candidate", Whole(0, 63)), must("skill", NAME),
        may("scene_type", NAME), must("language", LANGUAGE), must("feature_version", COUNT), must("features", Bytes),
        must("refs", Record(parse_record::<Vec<String>>, format_record::<Vec<String>>)), must("words", Bytes),
    ];
    JournalEntry "journalEntry" Episodes "journal" by ["entry_id"] in "row" which OWN: [
        must("entry_id", Id), must("project_id", Id), must("at", Time), must("kind", Named(is_named::<JournalKind>)),
        may("ref_id", Id), must("content", Text(4 * validate::JOURNAL_CHARS)),
        must("worded_by", Named(is_named::<WordedBy>)), must("salt", Bytes), must("content_hash", Bytes),
    ];
    Answer "answer" Episodes "answers" by ["answer_id"] in "row" which OWN: [
        must("answer_id", Id), must("project_id", Id), must("version", VERSION), must("kind", Named(is_named::<AnswerKind>)),
        must("origin", Named(is_named::<AnswerOrigin>)), must("question", Text(validate::REMARK)),
        must("answer", Text(validate::TEXT)), must("language", LANGUAGE), must("confidence", SHARE),
        must("details", Record(parse_record::<AnswerDetails>, format_record::<AnswerDetails>)),
        must("created_at", Time), must("updated_at", Time), may("last_shown_at", Time), may("promoted_to", Id),
    ];
    AnswerCitation "answerCitation" Episodes "answer_citations" by ["project_id", "answer_id", "ordinal"] in "project_id, answer_id, ordinal" which OWN: [
        must("project_id", Id), must("answer_id", Id), must("ordinal", COUNT), must("chapter_id", Id),
        must("range_from", COUNT), must("range_to", VERSION), must("quote_hash", Line(64)), must("quote", Text(4 * validate::QUOTE_CHARS)),
        must("status", Named(is_named::<CitationStatus>)),
    ];
    AnswerEvent "answerEvent" Episodes "answer_events" by ["event_id"] in "seq" which OWN: [
        must("event_id", Id), must("project_id", Id), must("answer_id", Id), must("at", Time),
        must("kind", Named(is_named::<AnswerEventKind>)), may("result", Named(is_named::<ValidationResult>)),
        may("strength", Named(is_named::<SignalStrength>)), may("source", Named(is_named::<ValidationSource>)),
        may("run_id", Id), may("was_shown", Flag), may("was_used", Flag), must("is_applied", Flag),
        may("note", Text(4_000)), may("texts", Record(parse_record::<EditedTexts>, format_record::<EditedTexts>)),
        may("undone_at", Time), may("citations", Record(parse_record::<MovedCitations>, format_record::<MovedCitations>)),
    ];
    Question "question" Episodes "questions" by ["question_id"] in "created_at, question_id" which OWN: [
        must("question_id", Id), must("project_id", Id), must("question", Text(validate::REMARK)),
        must("question_type", Named(is_named::<QuestionType>)), may("gap", Named(is_named::<GapKind>)),
        must("priority", Whole(1, 10)), must("signature", Line(64)), must("state", Named(is_named::<QuestionState>)),
        may("answer_id", Id), must("created_at", Time), must("updated_at", Time),
    ];
    ComparedPair "comparedPair" Episodes "compared_pairs" by ["project_id", "signature"] in "project_id, signature" which OWN: [
        must("project_id", Id), must("signature", Line(64)), must("verdict", Named(is_named::<PairVerdict>)),
        must("why", Text(4 * validate::WHY_CHARS)), must("model", Text(400)), must("compared_at", Time),
    ];
    StudiedRecord "studiedRecord" Episodes "studied_records" by ["project_id", "answer_id"] in "project_id, answer_id" which OWN: [
        must("project_id", Id), must("answer_id", Id), must("question_type", Named(is_named::<QuestionType>)),
        must("is_cited_twice", Flag), must("model", Text(400)), must("is_refused", Flag),
    ];
    Origin "origin" Episodes "origins" by ["project_id", "chapter_id", "ordinal"] in "project_id, chapter_id, ordinal" which OWN: [
        must("project_id", Id), must("chapter_id", Id), must("ordinal", COUNT), must("generation_id", Id),
        must("range_from", COUNT), must("range_to", VERSION), must("quote_hash", Line(64)),
    ];
}

/// Columns that no line of their table contains, each with the reason.
#[cfg(test)]
const LEFT: &[(&str, &str, &str)] = &[
    ("projects", "path", "of this machine: the book is known again by its folder"),
    ("episodes", "row", "says in which order they came; so do the lines"),
    ("episodes", "used_at", "derived"),
    ("drafts", "row", "says in which order they came; so do the lines"),
    ("traces", "seal", "made anew over what is taken in; what does not agree with its own goes nowhere"),
    ("influences", "seal", "the same"),
    ("answers", "row", "says in which order they came; so do the lines"),
    ("answers", "question_key", "computed from the question"),
    ("answers", "run_id", "of a run here"),
    ("answers", "level", "folded from the events"),
    ("answers", "trust_milli", "folded from the events"),
    ("answers", "fails_half", "folded from the events"),
    ("answers", "passes", "folded from the events"),
    ("answers", "status", "folded from the events"),
    ("answers", "blocked_by", "folded from the events"),
    ("answers", "times_blocked", "folded from the events"),
    ("answers", "last_failed_at", "folded from the events"),
    ("answers", "user_confirmed", "folded from the events"),
    ("answers", "user_modified", "folded from the events"),
    ("answers", "is_challenged", "folded from the events"),
    ("answers", "post_right", "folded from the events"),
    ("answers", "post_weight", "folded from the events"),
    ("answers", "firm_right", "folded from the events"),
    ("answers", "firm_weight", "folded from the events"),
    ("answers", "tries", "folded from the events"),
    ("answers", "passed", "folded from the events"),
    ("answers", "shown_count", "folded from the events"),
    ("answers", "used_count", "folded from the events"),
    ("answers", "verified_at", "folded from the events"),
    ("answers", "staleness", "follows from the citations"),
    ("answer_events", "seq", "says in which order they came; so do the lines"),
    ("knowledge_settings", "is_study_on", "the writer agrees to a study on each machine"),
    ("knowledge_settings", "is_deep", "the same"),
    ("knowledge_settings", "agreed_host", "the same"),
    ("knowledge_settings", "agreed_at", "the same"),
    ("journal", "row", "says in which order they came; so do the lines"),
    ("journal", "chain", "made over what is taken in, behind the entries that are there"),
];

/// Tables that are not exported, each with the reason.
#[cfg(test)]
const AT_HOME: &[(&str, &str)] = &[
    ("settings", "of this machine"),
    ("backends", "programs of this machine"),
    ("providers", "no memory, and next to keys"),
    ("purposes", "no memory"),
    ("usage", "what was spent here"),
    ("story_changes", "what was changed here, for the history and for undo"),
    ("maintenance", "when jobs ran here"),
    ("clearings", "the audit log of this folder"),
    ("erasures", "the audit log of this folder"),
    ("watermarks", "how far indexes have come here"),
    ("spreads", "folded from the evidence"),
    ("project_keys", "an index"),
    ("index_stats", "counted as the index is written"),
    ("words", "an index"),
    ("word_stats", "an index"),
    ("word_rows", "an index"),
    ("vectors", "an index"),
    ("passages", "made again from the chapters"),
    ("analyzed_chapters", "made again from the chapters"),
    ("tagged_passages", "made again from the chapters"),
    ("chapter_order", "made again from the chapters"),
    ("evidence_due", "what an index has still to do"),
    ("answer_basis", "what was compared with the chapters here"),
    ("answer_insertions", "what was seen in the chapters here; what it said is an event"),
    ("answer_runs", "what was asked here"),
    ("answer_matches", "what was decided here, in numbers"),
    ("proposed_facts", "read from the chapters here; what the writer said of one is a fact or a dismissal"),
    ("failures", "what failed here"),
    ("study", "how far it has come here"),
    ("answer_outbox", "what is still to be sent from here"),
    ("journal_due", "entries that are still to be written here"),
    ("journal_heads", "how far the journals have come here"),
    ("episode_counts", "counted by the schema"),
    ("refinery_schema_history", "which migrations were applied"),
    ("sqlite_sequence", "rows are never numbered twice"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Database, Schema};

    #[test]
    fn an_export_of_everything_has_every_table_and_column() {
        let folder = tempfile::TempDir::new().unwrap();
        for schema in [Schema::Rules, Schema::Episodes] {
            let db = Database::open(&folder.path().join(format!("{schema:?}.db")), schema).unwrap();
            let reader = db.reader().unwrap();
            let all = |sql: &str| -> Vec<String> {
                let mut statement = reader.prepare(sql).unwrap();
                statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
            };
            for table in all("SELECT name FROM sqlite_schema WHERE type = 'table'") {
                if AT_HOME.iter().any(|(left, _)| *left == table) || table.starts_with("words_") {
                    continue;
                }
                let kind = KINDS.iter().find(|kind| kind.table == table && kind.file == schema.file());
                let kind = kind.unwrap_or_else(|| panic!("{table}: say in storage/lines how it goes out"));
                for column in all(&format!("SELECT name FROM pragma_table_xinfo('{table}')")) {
                    let left = LEFT.iter().any(|(of, name, _)| *of == table && *name == column);
                    assert!(left != kind.has(&column), "{table}.{column}: say in storage/lines how it goes out");
                }
            }
        }
    }

    #[test]
    fn a_kind_has_the_same_name_in_a_file_and_on_the_wire() {
        for kind in KINDS {
            assert_eq!(serde_json::to_value(kind.record).unwrap(), kind.name);
        }
    }

    #[test]
    fn the_lines_of_one_file_come_before_those_of_the_other() {
        assert!(KINDS.is_sorted_by_key(|kind| kind.file == Episodes));
        assert!(KINDS.iter().all(|kind| kind.key.iter().all(|column| kind.has(column))));
    }
}
