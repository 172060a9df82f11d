//! Clearing: rows of `clearings`, and the deletion of a project's rows, or of all rows, from each file.
//!
//! Invariant: a list here names every table of both files, as cleared or as deliberately retained; a test reads the
//! schemas.

use std::sync::LazyLock;

use rusqlite::{Connection, Row, named_params, params_from_iter};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, practices, settings, stored, words,
};
use crate::{
    error::Result,
    model::{ClearedCounts, Clearing, OwnerKind, ProjectId, Settings, Time},
};

/// Tables of `episodes.db` that a clearing empties, each with its key columns, in this order. Episodes come first:
/// after that nothing can be derived from them any more.
const EPISODES: &[(&str, &str)] = &[
    ("episodes", "row"),
    ("evidence_due", "project_id, episode_id"),
    ("episode_features", "project_id, episode_id, kind, part"),
    ("episode_counts", "project_id"),
    ("skill_uses", "project_id, scene_type, skill"),
    ("passages", "row"),
    ("tagged_passages", "row"),
    ("chapter_order", "project_id, chapter_id"),
    ("analyzed_chapters", "project_id, chapter_id"),
    ("word_rows", "row"),
    ("vectors", "project_id, model, owner_kind, owner_id, part"),
    ("index_stats", "project_id, owner_kind"),
    ("drafts", "row"),
    ("influences", "generation_id, tier, candidate"),
    ("followed", "project_id, rule_id"),
    ("trace_feedback", "generation_id, reference_id"),
    ("traces", "generation_id"),
    ("origins", "project_id, chapter_id, ordinal"),
    ("journal_due", "ref_id, event"),
    ("journal", "row"),
    ("journal_heads", "project_id"),
    ("answer_outbox", "seq"),
    ("answer_matches", "run_id, ordinal"),
    ("answer_runs", "run_id"),
    ("answer_events", "seq"),
    ("answer_basis", "project_id, answer_id, chapter_id"),
    ("answer_citations", "project_id, answer_id, ordinal"),
    ("answer_insertions", "project_id, answer_id"),
    ("answers", "row"),
    ("proposed_facts", "fact_id"),
    ("questions", "question_id"),
    ("failures", "failure_id"),
    ("study", "project_id"),
    ("compared_pairs", "project_id, signature"),
    ("studied_records", "project_id, answer_id"),
    ("project_keys", "project_key"),
];

/// Tables of `rules.db` that a clearing empties. They are small: all in one transaction.
const RULES: &[&str] = &[
    "rules",
    "rule_history",
    "deletions",
    "rule_support",
    "rule_books",
    "evidence",
    "spreads",
    "run_changes",
    "runs",
    "learned",
    "tombstones",
    "verdicts",
    "conflicts",
    "fact_citations",
    "fact_knowers",
    "facts",
    "entity_names",
    "entities",
    "dismissals",
    "story_changes",
    "continuity_resolutions",
    "knowledge_settings",
    "journal_heads",
];
/// Tables of `rules.db` that only a clearing of everything empties. A project that continues after a clearing keeps its
/// hidden names.
const RULES_OF_ALL: &[&str] = &["names", "pauses", "practices"];

/// Tables of `rules.db` that define a project. Only its removal, or clearing everything, empties them.
const BOOKS: &[&str] = &["names", "projects"];

columns! {
    /// The columns of a [`Clearing`].
    columns of "clearings":
    clearing_id, project_id, requested_by, requested_at, counts, finished_at, forgets,
}

static PUT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(
        "ON CONFLICT (clearing_id) DO UPDATE SET counts = excluded.counts, finished_at = excluded.finished_at",
    )
});
static ALL: LazyLock<String> = LazyLock::new(|| columns::select("ORDER BY requested_at DESC, clearing_id DESC"));
static UNFINISHED: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE finished_at IS NULL ORDER BY requested_at, clearing_id"));

fn clearing(row: &Row<'_>) -> Result<Clearing, rusqlite::Error> {
    Ok(Clearing {
        clearing_id: row.get(columns::clearing_id)?,
        project_id: row.get(columns::project_id)?,
        requested_by: row.get(columns::requested_by)?,
        requested_at: Time::from_millis(row.get(columns::requested_at)?),
        counts: stored::parse(row.get_ref(columns::counts)?.as_str()?)?,
        finished_at: row.get::<_, Option<i64>>(columns::finished_at)?.map(Time::from_millis),
        forgets_book: row.get(columns::forgets)?,
    })
}

/// Writes the present state of a clearing: the request first, and at its end the line of the audit log.
pub(crate) fn upsert(tx: &Tx<'_>, clearing: &Clearing) -> Result<()> {
    execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":clearing_id": clearing.clearing_id,
            ":project_id": clearing.project_id,
            ":requested_by": clearing.requested_by,
            ":requested_at": clearing.requested_at.millis(),
            ":counts": stored::json(&clearing.counts)?,
            ":finished_at": clearing.finished_at.map(Time::millis),
            ":forgets": clearing.forgets_book,
        },
    )?;
    Ok(())
}

/// Clearings that are not finished, oldest first.
pub(crate) fn unfinished(db: &Connection) -> Result<Vec<Clearing>> {
    let mut statement = db.prepare_cached(&UNFINISHED)?;
    Ok(statement.query_map([], clearing)?.collect::<Result<_, _>>()?)
}

/// All clearings ever requested, latest first.
pub(crate) fn list(db: &Connection) -> Result<Vec<Clearing>> {
    let mut statement = db.prepare_cached(&ALL)?;
    Ok(statement.query_map([], clearing)?.collect::<Result<_, _>>()?)
}

/// Deletes the rules of a project, or of all, from `rules.db` with everything that belongs to them; returns the number
/// of rules and of versions. A rule that was made global stays, and loses its versions from its time as a project rule.
pub(crate) fn erase_rules(tx: &Tx<'_>, project_id: Option<&ProjectId>) -> Result<(u32, u32)> {
    let (mut rules, mut versions) = (0, 0);
    let more = if project_id.is_none() { RULES_OF_ALL } else { &[] };
    for &table in RULES.iter().chain(more) {
        let deleted =
            tx.execute(&format!("DELETE FROM {table} {}", where_clause(project_id)), params_from_iter(project_id))?;
        let deleted = u32::try_from(deleted).unwrap_or(u32::MAX);
        match table {
            "rules" => rules = deleted,
            "rule_history" => versions = deleted,
            _ => {}
        }
    }
    if let Some(project_id) = project_id {
        practices::remove_source(tx, project_id)?;
    }
    Ok((rules, versions))
}

/// Removes a project, or all, from `rules.db` once nothing refers to it: title, folder and names. With all of them,
/// also the usage of days other than `today` (`YYYY-MM-DD`).
pub(crate) fn delete_projects(tx: &Tx<'_>, project_id: Option<&ProjectId>, today: &str) -> Result<()> {
    for table in BOOKS {
        tx.execute(&format!("DELETE FROM {table} {}", where_clause(project_id)), params_from_iter(project_id))?;
    }
    if project_id.is_none() {
        tx.execute("DELETE FROM usage WHERE day <> ?1", [today])?;
    }
    let had = settings::get(tx)?;
    if had.last_project_id.is_some() && (project_id.is_none() || had.last_project_id.as_ref() == project_id) {
        settings::upsert(tx, &Settings { last_project_id: None, ..had })?;
    }
    Ok(())
}

/// Number of rows in `episodes.db` of a project, or of all. Passages are not counted: they are the book's own text, and
/// are made again.
pub(crate) fn count(db: &Connection, project_id: Option<&ProjectId>) -> Result<ClearedCounts> {
    let count = |rows: &str| -> Result<u32> {
        let mut statement = db.prepare(&format!("SELECT count(*) FROM {rows} {}", where_clause(project_id)))?;
        Ok(statement.query_row(params_from_iter(project_id), |row| row.get(0))?)
    };
    let of_episodes = |table: &str| {
        let others = [OwnerKind::Passage, OwnerKind::Journal, OwnerKind::Question, OwnerKind::Answer]
            .map(|kind| format!("'{}'", name_of(kind)))
            .join(", ");
        format!("(SELECT * FROM {table} WHERE owner_kind NOT IN ({others}))")
    };
    Ok(ClearedCounts {
        episodes: count("episodes")?,
        vectors: count(&of_episodes("vectors"))?,
        words: count(&of_episodes("word_rows"))?,
        traces: count("traces")?,
        origins: count("origins")?,
        // Those that are still to be written too: what is counted does not depend on how far the background has come.
        journal: count("journal")?.saturating_add(count("journal_due")?),
        answers: count("answers")?,
        ..ClearedCounts::default()
    })
}

/// Deletes at most `limit` rows of a project, or of any, from `episodes.db`; returns whether it found one. Idempotent,
/// and continues where it was stopped.
pub(crate) fn erase_some(tx: &Tx<'_>, project_id: Option<&ProjectId>, limit: u32) -> Result<bool> {
    let which = where_clause(project_id);
    for &(table, key) in EPISODES {
        let some = format!("SELECT {key} FROM {table} {which} LIMIT {limit}");
        if table == "word_rows" {
            // The index stores no texts and knows its rows by number alone.
            tx.prepare_cached(&format!("DELETE FROM words WHERE rowid IN ({some})"))?
                .execute(params_from_iter(project_id))?;
        }
        let delete = format!("DELETE FROM {table} WHERE ({key}) IN ({some})");
        if tx.prepare_cached(&delete)?.execute(params_from_iter(project_id))? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Calls [`erase_some`] until no row is left, and purges the word index: for a file without concurrent readers.
pub(crate) fn erase_all_of(tx: &Tx<'_>, project_id: Option<&ProjectId>) -> Result<()> {
    while erase_some(tx, project_id, u32::MAX)? {}
    words::purge_whole(tx)
}

/// The WHERE clause for one project or all. Two statements and not one with `?1 IS NULL OR …`, which could use no
/// index.
fn where_clause(project_id: Option<&ProjectId>) -> &'static str {
    if project_id.is_some() { "WHERE project_id = ?1" } else { "" }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rusqlite::params;

    use super::*;
    use crate::storage::{Database, Schema};

    /// Tables that a clearing of one book leaves as they are, each with the reason.
    const UNTOUCHED_TABLES: &[(&str, &str)] = &[
        ("clearings", "the audit log"),
        ("maintenance", "when jobs ran"),
        ("erasures", "the audit log"),
        ("backends", "no memory"),
        ("providers", "no memory"),
        ("purposes", "no memory"),
        ("settings", "no memory"),
        ("usage", "no memory; other days go with everything"),
        ("watermarks", "how far indexes have come, by row"),
        ("words", "emptied row by row with word_rows, and then purged"),
        ("word_stats", "a view of words"),
        ("refinery_schema_history", "which migrations were applied"),
        ("sqlite_sequence", "rows are never numbered twice"),
    ];

    /// Number of index segments that contain a term, whether a search can find it or not.
    fn pieces_with(db: &Database, term: &str) -> i64 {
        let count = "SELECT count(*) FROM words_data WHERE instr(block, CAST(?1 AS BLOB)) > 0";
        db.reader().unwrap().query_row(count, [term], |row| row.get(0)).unwrap()
    }

    #[test]
    fn text_deleted_from_the_word_index_leaves_its_pages_only_with_a_purge() {
        let folder = tempfile::TempDir::new().unwrap();
        let db = Database::open(&folder.path().join("episodes.db"), Schema::Episodes).unwrap();
        for n in 0..300_i64 {
            let project = if n % 3 == 0 { "cleared" } else { "kept" };
            let word = if n % 3 == 0 { "zyxquorn" } else { "lantern" };
            db.write("test", |tx| {
                tx.execute(
                    "INSERT INTO episodes (id, project_id, chapter_id, version, created_at, skill_used, input_context, \
                     candidates, selected_index, final_text, implicit, implicit_weight, importance) \
                     VALUES (?1, ?2, 'c', 1, 0, 's', '', '[]', -1, '', 'neutral', 0, 0)",
                    params![n.to_string(), project],
                )?;
                let (row, id, terms) = (tx.last_insert_rowid(), n.to_string(), [word.into(), format!("w{n}")]);
                let kind = OwnerKind::Episode;
                words::index(tx, &words::NewText { project_id: &project.into(), row, id: &id, kind, terms: &terms })
            })
            .unwrap();
        }
        assert!(pieces_with(&db, "zyxquorn") > 0);
        while db.write("test", |tx| erase_some(tx, Some(&"cleared".into()), 7)).unwrap() {}
        assert!(pieces_with(&db, "zyxquorn") > 0, "deleting alone only marks the rows");

        let mut first = true;
        while db.write("test", |tx| words::purge(tx, 1, first)).unwrap() {
            first = false;
        }
        assert_eq!(pieces_with(&db, "zyxquorn"), 0);
        let reader = db.reader().unwrap();
        let index = words::project_index(&reader, &"kept".into()).unwrap().unwrap();
        assert_eq!(
            words::frequency(&reader, &index, OwnerKind::Episode, "lantern").unwrap(),
            200,
            "the others are still found"
        );
        assert!(words::project_index(&reader, &"cleared".into()).unwrap().is_none());
    }

    #[test]
    fn no_table_is_forgotten_by_a_clearing() {
        let folder = tempfile::TempDir::new().unwrap();
        for (schema, cleared) in [
            (Schema::Rules, [RULES, RULES_OF_ALL, BOOKS].concat()),
            (Schema::Episodes, EPISODES.iter().map(|(table, _)| *table).collect::<Vec<_>>()),
        ] {
            let db = Database::open(&folder.path().join(format!("{schema:?}.db")), schema).unwrap();
            let reader = db.reader().unwrap();
            let mut statement = reader.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
            let tables: BTreeSet<String> =
                statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
            for table in &tables {
                let known = cleared.contains(&table.as_str())
                    || UNTOUCHED_TABLES.iter().any(|(untouched, _)| untouched == table)
                    || table.starts_with("words_");
                assert!(known, "{table}: say in storage/clear.rs what a clearing does with it");
            }
            for table in cleared {
                assert!(tables.contains(table), "{table} is no table of {schema:?}");
            }
        }
    }
}
