//! Each list has the columns of its table, and a row with a value in each column reads to what was written.

use std::{collections::BTreeSet, fmt::Debug};

use palimpsest_learning::evidence::Evidence;
use rusqlite::{Connection, named_params};

use super::execute;
use crate::{
    error::Result,
    model::{
        Category, Choice, ClearedCounts, Clearing, CutItem, CutReason, DegradedCode, DegradedReason, Episode, Erasure,
        ErasureKind, EvidenceRow, ImplicitSignal, Influence, Language, LayerName, MemoryWeight, Pattern, Project,
        ProjectId, Reference, ReferenceKind, Rule, RuleChange, RuleOrigin, RuleStanding, Run, RunCause, RunReason,
        RunStatus, Scope, Tier, Time, Tombstone, TombstoneCause, Trace, TraceVerdict, Verdict, WordCounts, WrittenKind,
    },
    ports::{Message, ModelInfo, Role},
    storage::{
        Database, Reader, Schema, Tx, clear, episodes, erasures, evidence,
        feedback::{self, StoredVerdict},
        influences::{self, Draft},
        projects, rules, runs, tombstones, traces,
    },
};

/// A list, and the columns of its table that it leaves out.
type Listed = (&'static str, &'static [&'static str], &'static [&'static str]);

const IN_RULES: &[Listed] = &[
    (rules::columns::TABLE, rules::columns::NAMES, &[]),
    (rules::history::TABLE, rules::history::NAMES, &[]),
    (runs::columns::TABLE, runs::columns::NAMES, &[]),
    (evidence::columns::TABLE, evidence::columns::NAMES, &[]),
    (tombstones::columns::TABLE, tombstones::columns::NAMES, &[]),
    (erasures::columns::TABLE, erasures::columns::NAMES, &[]),
    (clear::columns::TABLE, clear::columns::NAMES, &[]),
];

const IN_EPISODES: &[Listed] = &[
    (
        episodes::columns::TABLE,
        episodes::columns::NAMES,
        &["row", "compressed_at", "draft_excerpt", "used_at", "pause", "remarked_at"],
    ),
    (traces::columns::TABLE, traces::columns::NAMES, &[]),
    (influences::columns::TABLE, influences::columns::NAMES, &[]),
    (influences::drafts::TABLE, influences::drafts::NAMES, &["row"]),
    (feedback::columns::TABLE, feedback::columns::NAMES, &[]),
];

fn database(schema: Schema) -> (tempfile::TempDir, Database) {
    let folder = tempfile::TempDir::new().unwrap();
    let db = Database::open(&folder.path().join("test.db"), schema).unwrap();
    (folder, db)
}

/// Whether some row of a table has a value in each column of a list.
fn has_full_row(db: &Connection, table: &str, names: &[&str]) -> bool {
    let full = names.iter().map(|name| format!("{name} IS NOT NULL")).collect::<Vec<_>>().join(" AND ");
    db.prepare(&format!("SELECT 1 FROM {table} WHERE {full}")).unwrap().exists([]).unwrap()
}

/// Writes a value and reads it: it is the same, and no column of its row is null.
fn assert_kept<T: PartialEq + Debug>(
    db: &Database,
    (table, names): (&str, &[&str]),
    written: &T,
    write: impl Fn(&Tx<'_>) -> Result<()>,
    read: impl Fn(&Reader<'_>) -> T,
) {
    db.write("test", write).unwrap();
    let reader = db.reader().unwrap();
    assert_eq!(read(&reader), *written);
    assert!(has_full_row(&reader, table, names), "{table}: this test leaves a column empty");
}

fn at(millis: i64) -> Time {
    Time::from_millis(millis)
}

#[test]
fn each_list_names_the_columns_of_its_table() {
    for (schema, lists) in [(Schema::Rules, IN_RULES), (Schema::Episodes, IN_EPISODES)] {
        let (_folder, db) = database(schema);
        let reader = db.reader().unwrap();
        for (table, names, left_out) in lists {
            let mut statement = reader.prepare("SELECT name FROM pragma_table_xinfo(?1)").unwrap();
            let columns: BTreeSet<String> =
                statement.query_map([table], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
            let listed: BTreeSet<String> = names.iter().chain(*left_out).map(|name| (*name).to_owned()).collect();
            assert_eq!(listed, columns, "{table}");
            assert_eq!(listed.len(), names.len() + left_out.len(), "{table}: a column is listed twice");
        }
    }
}

#[test]
fn a_parameter_that_is_not_given_is_an_error_and_not_null() {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch("CREATE TABLE t (a, b)").unwrap();
    let insert = || db.prepare_cached("INSERT INTO t (a, b) VALUES (:a, :b)").unwrap();
    assert!(execute(insert(), named_params! { ":a": 1 }).is_err());
    assert!(execute(insert(), named_params! { ":a": 1, ":c": 2 }).is_err());
    assert_eq!(execute(insert(), named_params! { ":b": 2, ":a": 1 }).unwrap(), 1);
    assert_eq!(db.query_row("SELECT b - a FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

fn project() -> Project {
    Project {
        project_id: "p1".into(),
        title: "夜航".into(),
        language: Language::Zh,
        path: None,
        created_at: at(1),
        last_opened_at: at(1),
    }
}

/// `other_books` is counted when a rule is read, and episodes are rows of another table.
fn rule() -> Rule {
    Rule {
        skill_used: Some("polish".into()),
        supporting_episodes: Vec::new(),
        pattern: Some(Pattern { feature: "commas".into(), direction: -1, threshold: Some(0.5) }),
        other_books: 0,
        ..crate::storage::samples::rule()
    }
}

#[test]
fn a_rule_and_its_version_read_back_as_they_were_written() {
    let (_folder, db) = database(Schema::Rules);
    let rule = rule();
    let put = |tx: &Tx<'_>| {
        projects::upsert(tx, &project())?;
        rules::upsert(tx, &rule, RuleChange::Learned, Some("run"))
    };
    assert_kept(&db, (rules::columns::TABLE, rules::columns::NAMES), &rule, put, |db| {
        rules::get(db, &rule.id).unwrap().unwrap()
    });
    let reader = db.reader().unwrap();
    assert!(has_full_row(&reader, rules::history::TABLE, rules::history::NAMES));
    let versions = rules::versions_after(&reader, &rule.id, 0).unwrap();
    let version = rules::Snapshot { rule: rule.clone(), change: RuleChange::Learned, run_id: Some("run".into()) };
    assert_eq!(versions, [version]);

    // An update changes each column but the id and the time of creation.
    let changed = Rule {
        rule: "Long sentences".into(),
        category: Category::Pacing,
        scope: Scope::Global,
        project_id: None,
        scene_type: None,
        skill_used: None,
        confidence: 0.8,
        user_confirmed: false,
        user_modified: true,
        recently_updated: false,
        pattern: None,
        evidence_count: 13,
        confidence_low: 0.6,
        origin: RuleOrigin::Manual,
        standing: RuleStanding::Active,
        pattern_by: None,
        challenged: false,
        wrong_count: 0,
        learned_at: None,
        version: 4,
        updated_at: at(40),
        ..rule.clone()
    };
    db.write("test", |tx| rules::upsert(tx, &Rule { created_at: at(50), ..changed.clone() }, RuleChange::Edited, None))
        .unwrap();
    assert_eq!(rules::get(&db.reader().unwrap(), &rule.id).unwrap(), Some(changed));
}

#[test]
fn a_run_reads_back_as_it_was_written() {
    let (_folder, db) = database(Schema::Rules);
    let run = Run {
        run_id: "run".into(),
        project_id: Some("p1".into()),
        cause: RunCause::Weekly,
        status: RunStatus::Nothing,
        begun_at: at(10),
        ended_at: Some(at(20)),
        episodes: 30,
        reason: Some(RunReason::NothingToSay { features: 2 }),
        changes: Vec::new(),
    };
    let list = (runs::columns::TABLE, runs::columns::NAMES);
    assert_kept(&db, list, &run, |tx| runs::upsert(tx, &run), |db| runs::get(db, "run").unwrap().unwrap());

    // An update leaves what the run began with.
    let failed = Run { status: RunStatus::Failed, ended_at: Some(at(40)), episodes: 5, reason: None, ..run.clone() };
    let other = Run { project_id: None, cause: RunCause::Click, begun_at: at(60), ..failed.clone() };
    db.write("test", |tx| runs::upsert(tx, &other)).unwrap();
    assert_eq!(runs::get(&db.reader().unwrap(), "run").unwrap(), Some(failed));
}

#[test]
fn the_evidence_of_an_episode_reads_back_as_it_was_written() {
    let (_folder, db) = database(Schema::Rules);
    let row = EvidenceRow {
        project_id: "p1".into(),
        episode_id: "e1".into(),
        occurred_at: at(10),
        scene_type: Some("dialogue".into()),
        skill_used: "polish".into(),
        language: palimpsest_text::Language::Zh,
        feature_version: 7,
        texts: vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]],
        candidates: 2,
        selected_index: Choice::Taken(1),
        choice: Some(Evidence { a: vec![0.5], dz: vec![0.25] }),
        written: Some((WrittenKind::Own, Evidence { a: vec![1.5], dz: vec![1.25] })),
        undone: true,
        paused: true,
    };
    let list = (evidence::columns::TABLE, evidence::columns::NAMES);
    let put = |tx: &Tx<'_>| evidence::upsert(tx, &row, Some(at(5)));
    assert_kept(&db, list, &row, put, |db| evidence::get(db, &row.project_id, &row.episode_id).unwrap().unwrap());
    assert_eq!(evidence::of_project(&db.reader().unwrap(), &row.project_id).unwrap(), [row]);
}

#[test]
fn a_tombstone_reads_back_as_it_was_written() {
    let (_folder, db) = database(Schema::Rules);
    let stone = Tombstone {
        words_hash: Some("hash".into()),
        ..Tombstone::for_rule(&rule(), "t1".into(), TombstoneCause::Undone, at(10), Some("run"))
    };
    let list = (tombstones::columns::TABLE, tombstones::columns::NAMES);
    assert_kept(
        &db,
        list,
        &vec![stone.clone()],
        |tx| tombstones::insert(tx, &stone),
        |db| tombstones::list(db).unwrap(),
    );
}

#[test]
fn the_audit_logs_read_back_as_they_were_written() {
    let (_folder, db) = database(Schema::Rules);
    let clearing = Clearing {
        clearing_id: "c1".into(),
        project_id: Some("p1".into()),
        requested_by: "writer".into(),
        requested_at: at(10),
        finished_at: Some(at(20)),
        counts: ClearedCounts { rules: 3, ..ClearedCounts::default() },
        forgets_book: true,
    };
    let list = (clear::columns::TABLE, clear::columns::NAMES);
    assert_kept(&db, list, &vec![clearing.clone()], |tx| clear::upsert(tx, &clearing), |db| clear::list(db).unwrap());
    let erasure = Erasure {
        erasure_id: "x1".into(),
        kind: ErasureKind::Episode,
        target_id: "e1".into(),
        project_id: Some("p1".into()),
        generation_id: Some("g1".into()),
        requested_by: "writer".into(),
        requested_at: at(10),
        finished_at: Some(at(20)),
        counts: WordCounts { notes: 4, ..WordCounts::default() },
    };
    let list = (erasures::columns::TABLE, erasures::columns::NAMES);
    assert_kept(
        &db,
        list,
        &vec![erasure.clone()],
        |tx| erasures::upsert(tx, &erasure),
        |db| erasures::list(db).unwrap(),
    );
}

#[test]
fn an_episode_reads_back_as_it_was_written() {
    let (_folder, db) = database(Schema::Episodes);
    let episode = Episode {
        id: "e1".into(),
        project_id: "p1".into(),
        chapter_id: "c1".into(),
        scope: Scope::Project,
        version: 2,
        created_at: at(10),
        skill_used: "polish".into(),
        scene_type: Some("dialogue".into()),
        input_context: "雨夜".into(),
        candidates: vec!["灯灭了。".into(), "灯亮着。".into()],
        selected_index: Choice::Taken(1),
        final_text: "灯亮了。".into(),
        explicit: Some("Shorter".into()),
        implicit: ImplicitSignal::WeakPositive,
        implicit_weight: 0.5,
        edit_distance: Some(0.25),
        importance: 0.75,
        recall_count: 3,
        last_recalled_at: Some(at(20)),
        user_confirmed: true,
        compressed: false,
        summary: Some("灯".into()),
        generation_id: Some("g1".into()),
    };
    let list = (episodes::columns::TABLE, episodes::columns::NAMES);
    let insert = |tx: &Tx<'_>| episodes::insert(tx, &episode);
    assert_kept(&db, list, &episode, insert, |db| episodes::get(db, &episode.id).unwrap().unwrap().0);

    let reader = db.reader().unwrap();
    let row = episodes::row_of(&reader, &episode.id).unwrap().unwrap();
    let ranking = episodes::ranking_of(&reader, &episode.project_id, row).unwrap().unwrap();
    assert_eq!((ranking.row, ranking.scene_type, ranking.skill_used), (row, episode.scene_type, episode.skill_used));
    assert_eq!((ranking.created_at, ranking.importance), (episode.created_at, episode.importance));
    assert_eq!((ranking.recall_count, ranking.last_recalled_at), (3, episode.last_recalled_at));
    assert_eq!((ranking.user_confirmed, ranking.compressed), (true, false));
}

fn trace() -> Trace {
    Trace {
        generation_id: "g1".into(),
        project_id: "p1".into(),
        chapter_id: "c1".into(),
        skill: "polish".into(),
        scene_type: Some("dialogue".into()),
        created_at: at(10),
        provider: ModelInfo { provider: "sample".into(), model: "sample-1".into(), sample: true },
        seed: 7,
        prompt_hash: "hash".into(),
        messages: vec![Message { role: Role::System, content: "Write.".into() }],
        total_tokens: 90,
        references: vec![Reference {
            reference_id: "rule:r1".into(),
            kind: ReferenceKind::Rule,
            id: "r1".into(),
            version: 3,
            layer: LayerName::Settings,
            text: "Short sentences".into(),
            score: None,
            matched_by: Vec::new(),
        }],
        cut: vec![CutItem {
            kind: "before".into(),
            id: String::new(),
            layer: LayerName::Immediate,
            text: String::new(),
            tokens: 9,
            reason: CutReason::Budget,
        }],
        memory_degraded: true,
        degraded_reasons: vec![DegradedReason::new(DegradedCode::PastUnavailable, "none")],
        feedback: Vec::new(),
        influences: Vec::new(),
        episode_id: None,
        outcome: None,
        blanked_at: Some(at(20)),
        first_try: Some("g0".into()),
        second_try: None,
    }
}

#[test]
fn the_second_try_of_a_draft_is_found_in_its_own_book_alone() {
    let (_folder, db) = database(Schema::Episodes);
    let second = trace();
    db.write("test", |tx| traces::insert(tx, &second)).unwrap();
    let reader = db.reader().unwrap();
    let found = |project: &ProjectId| traces::second_try_of(&reader, project, &"g0".into()).unwrap();
    assert_eq!((found(&second.project_id), found(&"another".into())), (Some(second.generation_id.clone()), None));
}

#[test]
fn a_trace_with_its_drafts_measurements_and_verdicts_reads_back_as_it_was_written() {
    let (_folder, db) = database(Schema::Episodes);
    let trace = trace();
    let id = &trace.generation_id;
    let list = (traces::columns::TABLE, traces::columns::NAMES);
    assert_kept(&db, list, &trace, |tx| traces::insert(tx, &trace), |db| traces::get(db, id).unwrap().unwrap());

    let draft = Draft {
        candidate: 1,
        language: palimpsest_text::Language::Zh,
        features: vec![0.5, 1.5],
        references: vec!["rule:r1".into()],
        words: vec![1, 2, 3],
    };
    let list = (influences::drafts::TABLE, influences::drafts::NAMES);
    let put = |tx: &Tx<'_>| influences::insert_draft(tx, &trace, &draft, 7);
    assert_kept(&db, list, &draft, put, |db| influences::draft(db, id, 1, 7).unwrap().unwrap());

    let influence = Influence {
        tier: Tier::Masked,
        weights: vec![MemoryWeight {
            reference_id: "rule:r1".into(),
            weight: 0.25,
            effect: Some(0.5),
            followed: None,
            change: None,
        }],
        remainder: 0.75,
        measured_at: at(30),
        candidate: 1,
        regenerations: Some(16),
    };
    let list = (influences::columns::TABLE, influences::columns::NAMES);
    let put = |tx: &Tx<'_>| influences::insert(tx, &trace, &influence).map(|written| assert!(written));
    assert_kept(&db, list, &vec![influence.clone()], put, |db| influences::of_draft(db, id, Some(1)).unwrap());

    let said = TraceVerdict {
        reference_id: "rule:r1".into(),
        verdict: Verdict::NotHere,
        at: at(40),
        note: Some("Not in dialogue".into()),
    };
    let verdict = StoredVerdict { said: said.clone(), episode_id: Some("e1".into()) };
    let list = (feedback::columns::TABLE, feedback::columns::NAMES);
    let put = |tx: &Tx<'_>| feedback::upsert(tx, &trace, &verdict);
    assert_kept(&db, list, &vec![said], put, |db| feedback::of_generation(db, id).unwrap());
    let found = feedback::get(&db.reader().unwrap(), id, "rule:r1").unwrap();
    assert_eq!(found.and_then(|found| found.episode_id), verdict.episode_id);
    let left_out = feedback::left_out(&db.reader().unwrap(), &trace.project_id, "polish", Some("dialogue")).unwrap();
    assert!(left_out.contains("rule:r1"));
}
