//! Every column that can hold words of a memory is known to an erasure.

use std::collections::BTreeSet;

use super::*;
use crate::storage::{Database, Schema};

/// Text columns that can contain words of an episode or a rule, and that an erasure clears: with the row, or by the
/// functions above.
const ERASED: &[(&str, &[&str])] = &[
    ("rules", &["rule"]),
    ("rule_history", &["rule", "snapshot"]),
    ("tombstones", &["words"]),
    ("run_changes", &["change"]),
    ("names", &["name", "alias", "lower_case"]),
    ("episodes", &["input_context", "candidates", "final_text", "explicit", "summary", "draft_excerpt"]),
    ("traces", &["messages", "refs", "cut"]),
    ("trace_feedback", &["note"]),
    ("journal", &["content", "salt"]),
    ("answers", &["question", "answer", "details"]),
    ("answer_citations", &["quote"]),
    ("answer_events", &["note", "texts", "citations"]),
    ("proposed_facts", &["attribute", "value", "quote"]),
    ("questions", &["question"]),
    ("failures", &["operation", "error", "context", "avoid_strategy"]),
    ("words", &["terms", "words", "rank"]),
];

/// Columns of text and bytes without such words, each with its content.
const WORDLESS: &[(&str, &[&str])] = &[
    // Ids, kinds, and the labels of scenes and skills, which are not words of a memory.
    ("projects", &["project_id", "title", "language", "path"]),
    (
        "rules",
        &["id", "scope", "project_id", "category", "scene_type", "skill_used", "origin", "standing", "pattern_by"],
    ),
    ("rule_history", &["rule_id", "project_id", "change", "run_id"]),
    ("tombstones", &["tombstone_id", "rule_id", "project_id", "why", "scene_type", "skill_used", "run_id"]),
    ("run_changes", &["run_id", "project_id"]),
    ("runs", &["run_id", "project_id", "cause", "status"]),
    ("names", &["project_id"]),
    ("deletions", &["kind", "id", "project_id"]),
    ("erasures", &["erasure_id", "kind", "target_id", "project_id", "generation_id", "requested_by"]),
    ("clearings", &["clearing_id", "project_id", "requested_by"]),
    ("rule_support", &["project_id", "rule_id", "episode_id"]),
    ("rule_books", &["rule_id", "project_id"]),
    ("verdicts", &["rule_id", "project_id", "scene_type", "skill_used"]),
    ("conflicts", &["conflict_id", "project_id", "first_rule", "second_rule", "kept_rule"]),
    ("learned", &["project_id", "run_id"]),
    ("evidence", &["project_id", "episode_id", "scene_type", "skill_used", "language", "written_kind"]),
    ("spreads", &["project_id", "language"]),
    ("episodes", &["id", "project_id", "chapter_id", "skill_used", "scene_type", "implicit", "generation_id"]),
    (
        "traces",
        &["generation_id", "project_id", "chapter_id", "skill", "scene_type", "provider", "degraded", "first_try"],
    ),
    (
        "trace_feedback",
        &["generation_id", "reference_id", "project_id", "skill", "scene_type", "verdict", "episode_id"],
    ),
    ("origins", &["project_id", "chapter_id", "generation_id"]),
    ("drafts", &["project_id", "generation_id", "skill", "scene_type", "language", "refs"]),
    ("influences", &["generation_id", "tier", "project_id"]),
    ("followed", &["project_id", "rule_id", "recent"]),
    ("skill_uses", &["project_id", "scene_type", "skill"]),
    ("episode_counts", &["project_id"]),
    ("episode_features", &["project_id", "episode_id", "kind", "language"]),
    ("evidence_due", &["project_id", "episode_id"]),
    ("project_keys", &["project_id"]),
    ("index_stats", &["project_id", "owner_kind"]),
    ("word_rows", &["owner_kind", "owner_id", "model", "project_id"]),
    ("vectors", &["project_id", "model", "owner_kind", "owner_id"]),
    // Names of features, numbers, hashes.
    ("rules", &["pattern"]),
    ("tombstones", &["feature", "words_hash"]),
    ("verdicts", &["feature"]),
    ("followed", &["matter"]),
    ("runs", &["reason"]),
    ("erasures", &["counts"]),
    ("clearings", &["counts"]),
    ("evidence", &["texts", "choice", "written"]),
    ("spreads", &["state"]),
    ("episode_features", &["numbers"]),
    ("drafts", &["features", "words"]),
    ("influences", &["weights", "seal"]),
    ("traces", &["prompt_hash", "seal"]),
    ("origins", &["quote_hash"]),
    ("journal", &["entry_id", "project_id", "kind", "ref_id", "worded_by", "content_hash", "chain"]),
    (
        "answers",
        &[
            "answer_id",
            "project_id",
            "kind",
            "origin",
            "question_key",
            "language",
            "status",
            "blocked_by",
            "staleness",
            "run_id",
            "promoted_to",
        ],
    ),
    ("answer_citations", &["project_id", "answer_id", "chapter_id", "quote_hash", "status"]),
    ("answer_events", &["event_id", "project_id", "answer_id", "kind", "result", "strength", "source", "run_id"]),
    // A run loses its question when it ends, which is before an answer of it can be erased.
    ("answer_runs", &["run_id", "project_id", "query", "kind", "state", "outcome_hash", "completed"]),
    (
        "answer_matches",
        &[
            "project_id",
            "run_id",
            "answer_id",
            "status",
            "blocked_by",
            "staleness",
            "decision",
            "why",
            "service",
            // The words of a service, which go with the question of the run.
            "question",
            "answer",
        ],
    ),
    ("answer_basis", &["project_id", "answer_id", "chapter_id", "content_hash", "known"]),
    ("answer_insertions", &["project_id", "answer_id", "state"]),
    ("questions", &["question_id", "project_id", "question_type", "gap", "signature", "state", "answer_id"]),
    (
        "proposed_facts",
        &[
            "fact_id",
            "project_id",
            "answer_id",
            "entity_id",
            "certainty",
            "known_by",
            "chapter_id",
            "quote_hash",
            "status",
            "signature",
        ],
    ),
    ("failures", &["failure_id", "project_id", "operation_type", "signature", "status"]),
    // The question at work and its result, which is of no answer yet; both leave the state when the answer is written.
    ("study", &["project_id", "state"]),
    // What a model says of two sentences of the book, which are the writer's file and stay. Nothing is kept on why
    // where a proposed fact is compared: the writer may refuse it.
    ("compared_pairs", &["project_id", "signature", "verdict", "why", "model"]),
    ("studied_records", &["project_id", "answer_id", "question_type", "model"]),
    ("answer_outbox", &["project_id", "service", "kind", "payload"]),
    ("journal_due", &["ref_id", "event", "project_id"]),
    ("journal_heads", &["project_id", "chain"]),
    ("word_rows", &["terms"]),
    ("vectors", &["content_hash", "bytes"]),
    ("analyzed_chapters", &["project_id", "chapter_id", "content_hash"]),
    // The text of the book itself, which is the writer's file and stays.
    ("passages", &["passage_id", "project_id", "chapter_id", "content_hash", "text"]),
    ("tagged_passages", &["project_id", "tagger", "words"]),
    ("chapter_order", &["project_id", "chapter_id"]),
    // Names in the book, by the writer's word.
    ("entities", &["entity_id", "project_id", "kind", "name", "visibility"]),
    ("continuity_resolutions", &["project_id", "signature", "kind", "verdict"]),
    ("knowledge_settings", &["project_id", "background", "agreed_host"]),
    ("practices", &["practice_id", "title", "description", "scenarios", "source_projects"]),
    // What the writer says of the book.
    (
        "facts",
        &[
            "fact_id",
            "project_id",
            "entity_id",
            "attribute",
            "value",
            "object_id",
            "certainty",
            "told_chapter",
            "valid_from",
            "valid_until",
            "superseded_by",
            "origin",
        ],
    ),
    ("fact_knowers", &["project_id", "fact_id", "entity_id", "since_chapter"]),
    ("fact_citations", &["project_id", "fact_id", "chapter_id", "quote_hash", "quote", "status"]),
    ("story_changes", &["project_id", "change_id", "kind", "id", "before", "after"]),
    ("entity_names", &["project_id", "entity_id", "name", "since_chapter"]),
    ("dismissals", &["project_id", "kind", "name", "other"]),
    // Not part of a memory.
    ("settings", &["key", "value"]),
    ("backends", &["backend_id", "kind", "name", "program", "arguments", "model", "isolation"]),
    ("providers", &["provider_id", "kind", "name", "base_url"]),
    ("purposes", &["purpose", "provider_id", "model"]),
    ("usage", &["day"]),
    ("maintenance", &["job", "failure"]),
    ("watermarks", &["name"]),
];

#[test]
fn no_column_that_can_hold_words_is_forgotten_by_an_erasure() {
    let folder = tempfile::TempDir::new().unwrap();
    let named: Vec<(&str, &str)> = ERASED
        .iter()
        .chain(WORDLESS)
        .flat_map(|(table, columns)| columns.iter().map(|column| (*table, *column)))
        .collect();
    let mut seen = BTreeSet::new();
    for schema in [Schema::Rules, Schema::Episodes] {
        let db = Database::open(&folder.path().join(format!("{schema:?}.db")), schema).unwrap();
        let reader = db.reader().unwrap();
        let mut statement = reader
            .prepare(
                "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE t.type = 'table' \
                 AND upper(c.type) NOT IN ('INTEGER', 'REAL')",
            )
            .unwrap();
        let columns: Vec<(String, String)> =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap();
        for (table, column) in columns {
            // The shadow tables of the word index are rewritten as a whole; the rest belongs to SQLite and
            // refinery.
            let is_foreign = ["sqlite_", "refinery_", "words_", "word_stats"].iter().any(|one| table.starts_with(one));
            if is_foreign {
                continue;
            }
            let known = named.contains(&(table.as_str(), column.as_str()));
            assert!(known, "{table}.{column}: say in storage/erasures.rs what an erasure does with it");
            seen.insert((table, column));
        }
    }
    for (table, column) in named {
        assert!(seen.contains(&(table.to_owned(), column.to_owned())), "there is no column {table}.{column}");
    }
}
