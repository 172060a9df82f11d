//! Rows of `rules` and `rule_history`. [`super::support`] has the episodes behind rules.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum, stored, support,
};
use crate::{
    error::Result,
    model::{Category, ProjectId, Rule, RuleChange, RuleId, RuleVersion, Time},
};

columns! {
    /// The columns of a [`Rule`].
    columns of "rules":
    id, scope, project_id, rule, category, scene_type, skill_used, confidence, confidence_low, evidence_count,
    user_confirmed, user_modified, recently_updated, pattern, origin, version, created_at, updated_at, standing,
    pattern_by, challenged, wrong_count, learned_at,
}

columns! {
    /// The columns of a version of a rule.
    history of "rule_history":
    rule_id, version, project_id, change, at, rule, snapshot, run_id,
}

fn rule_from_row(row: &Row<'_>) -> Result<Rule, rusqlite::Error> {
    let pattern: Option<String> = row.get(columns::pattern)?;
    Ok(Rule {
        id: row.get(columns::id)?,
        scope: parse_enum(row.get_ref(columns::scope)?.as_str()?)?,
        project_id: row.get(columns::project_id)?,
        rule: row.get(columns::rule)?,
        category: parse_enum(row.get_ref(columns::category)?.as_str()?)?,
        scene_type: row.get(columns::scene_type)?,
        skill_used: row.get(columns::skill_used)?,
        confidence: row.get(columns::confidence)?,
        confidence_low: row.get(columns::confidence_low)?,
        evidence_count: row.get(columns::evidence_count)?,
        user_confirmed: row.get(columns::user_confirmed)?,
        user_modified: row.get(columns::user_modified)?,
        recently_updated: row.get(columns::recently_updated)?,
        pattern: pattern.as_deref().map(stored::parse).transpose()?,
        origin: parse_enum(row.get_ref(columns::origin)?.as_str()?)?,
        version: row.get(columns::version)?,
        created_at: Time::from_millis(row.get(columns::created_at)?),
        updated_at: Time::from_millis(row.get(columns::updated_at)?),
        standing: parse_enum(row.get_ref(columns::standing)?.as_str()?)?,
        pattern_by: row.get_ref(columns::pattern_by)?.as_str_or_null()?.map(parse_enum).transpose()?,
        challenged: row.get(columns::challenged)?,
        wrong_count: row.get(columns::wrong_count)?,
        learned_at: row.get::<_, Option<i64>>(columns::learned_at)?.map(Time::from_millis),
        other_books: 0,
        supporting_episodes: Vec::new(),
        contradicting_episodes: Vec::new(),
    })
}

static PUT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(&format!("ON CONFLICT (id) DO UPDATE SET {}", columns::updates(&["id", "created_at"])))
});
static PUT_VERSION: LazyLock<String> = LazyLock::new(|| history::insert(""));
static BY_ID: LazyLock<String> = LazyLock::new(|| columns::select("WHERE id = ?1"));
static LISTED: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE (scope = 'global' OR project_id = ?1) AND (?2 IS NULL OR category = ?2)"));
static LEARNED_ELSEWHERE: LazyLock<String> = LazyLock::new(|| {
    columns::select(
        "WHERE scope = 'project' AND project_id <> ?1 AND origin = 'distilled' AND standing = 'active' \
         AND user_confirmed = 0 AND user_modified = 0 ORDER BY created_at, id",
    )
});
static LEAST_SURE: LazyLock<String> = LazyLock::new(|| {
    columns::select(
        "WHERE project_id IS ?1 AND user_confirmed = 0 ORDER BY standing = 'active', confidence, created_at, id LIMIT 1",
    )
});

/// Writes the present state of a rule, and this version into the history; `run_id` if a run changed it.
pub(crate) fn upsert(tx: &Tx<'_>, rule: &Rule, change: RuleChange, run_id: Option<&str>) -> Result<()> {
    let pattern = rule.pattern.as_ref().map(stored::json).transpose()?;
    execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":id": rule.id,
            ":scope": name_of(rule.scope),
            ":project_id": rule.project_id,
            ":rule": rule.rule,
            ":category": name_of(rule.category),
            ":scene_type": rule.scene_type,
            ":skill_used": rule.skill_used,
            ":confidence": rule.confidence,
            ":confidence_low": rule.confidence_low,
            ":evidence_count": rule.evidence_count,
            ":user_confirmed": rule.user_confirmed,
            ":user_modified": rule.user_modified,
            ":recently_updated": rule.recently_updated,
            ":pattern": pattern,
            ":origin": name_of(rule.origin),
            ":version": rule.version,
            ":created_at": rule.created_at.millis(),
            ":updated_at": rule.updated_at.millis(),
            ":standing": name_of(rule.standing),
            ":pattern_by": rule.pattern_by.map(name_of),
            ":challenged": rule.challenged,
            ":wrong_count": rule.wrong_count,
            ":learned_at": rule.learned_at.map(Time::millis),
        },
    )?;
    insert_version(tx, rule, change, run_id)
}

/// The last version of a rule and its change; of a deleted one too.
pub(crate) fn last_change(db: &Connection, rule_id: &RuleId) -> Result<Option<(u32, RuleChange)>> {
    let mut statement =
        db.prepare_cached("SELECT version, change FROM rule_history WHERE rule_id = ?1 ORDER BY version DESC LIMIT 1")?;
    let found = statement.query_row([rule_id], |row| Ok((row.get(0)?, parse_enum(row.get_ref(1)?.as_str()?)?)));
    Ok(found.optional()?)
}

/// Whether a rule was restored after its deletion at this time.
pub(crate) fn is_restored(db: &Connection, rule_id: &RuleId, deleted_at: Time) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT 1 FROM rule_history WHERE rule_id = ?1 AND change = 'restored' AND version > \
         (SELECT max(version) FROM rule_history WHERE rule_id = ?1 AND change = 'deleted' AND at = ?2)",
    )?;
    Ok(statement.exists(params![rule_id, deleted_at.millis()])?)
}

/// A scope that a rule has or had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    /// UUID of the rule.
    pub rule_id: RuleId,
    /// UUID of the project; `None` for all.
    pub project_id: Option<ProjectId>,
    /// Whether the rule has this scope now.
    pub is_now: bool,
}

/// The present and former scopes of all rules, including deleted ones.
pub(crate) fn homes(db: &Connection) -> Result<Vec<Home>> {
    let mut statement = db.prepare_cached(
        "SELECT id, project_id, 1 FROM rules UNION ALL SELECT DISTINCT rule_id, project_id, 0 FROM rule_history",
    )?;
    let rows = statement
        .query_map([], |row| Ok(Home { rule_id: row.get(0)?, project_id: row.get(1)?, is_now: row.get(2)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes a rule whose history already contains the deletion.
pub(crate) fn delete_row(tx: &Tx<'_>, rule_id: &RuleId) -> Result<()> {
    tx.prepare_cached("DELETE FROM rules WHERE id = ?1")?.execute([rule_id])?;
    support::delete_for_rule(tx, rule_id)
}

/// Deletes a rule and its support. Its history stays, with the deletion as the last entry.
pub(crate) fn delete(tx: &Tx<'_>, rule: &Rule, run_id: Option<&str>) -> Result<()> {
    tx.prepare_cached("DELETE FROM rules WHERE id = ?1")?.execute([&rule.id])?;
    support::delete_for_rule(tx, &rule.id)?;
    insert_version(tx, rule, RuleChange::Deleted, run_id)
}

fn insert_version(tx: &Tx<'_>, rule: &Rule, change: RuleChange, run_id: Option<&str>) -> Result<()> {
    execute(
        tx.prepare_cached(&PUT_VERSION)?,
        named_params! {
            ":rule_id": rule.id,
            ":version": rule.version,
            ":project_id": rule.project_id,
            ":change": name_of(change),
            ":at": rule.updated_at.millis(),
            ":rule": rule.rule,
            ":snapshot": stored::json(rule)?,
            ":run_id": run_id,
        },
    )?;
    Ok(())
}

/// The rule with this id.
pub(crate) fn get(db: &Connection, id: &RuleId) -> Result<Option<Rule>> {
    let mut statement = db.prepare_cached(&BY_ID)?;
    Ok(statement.query_row([id], rule_from_row).optional()?)
}

/// The global rules, and those of `project_id` if given, by category, then the writer's own first, then by confidence.
/// Never those of another project.
pub(crate) fn list(db: &Connection, project_id: Option<&ProjectId>, category: Option<Category>) -> Result<Vec<Rule>> {
    let named = category.map(name_of);
    let mut statement = db.prepare_cached(&LISTED)?;
    let rows = statement.query_map(params![project_id, named], rule_from_row)?;
    let mut rules: Vec<Rule> = rows.collect::<Result<_, _>>()?;
    // Sorted here and not in SQL: SQLite packs every row for sorting and unpacks it afterwards, which took half of the
    // time of a list of five hundred.
    rules.sort_unstable_by(|a, b| {
        (category_rank(a.category).cmp(&category_rank(b.category)))
            .then(b.user_confirmed.cmp(&a.user_confirmed))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.created_at.cmp(&b.created_at))
            .then_with(|| a.id.cmp(&b.id))
    });
    Ok(rules)
}

/// The sort key of a category: its wire name.
fn category_rank(category: Category) -> u8 {
    match category {
        Category::Character => 0,
        Category::Pacing => 1,
        Category::Structure => 2,
        Category::Style => 3,
        Category::Vocabulary => 4,
    }
}

/// Every version of a rule, oldest first; of a deleted rule too.
pub(crate) fn history(db: &Connection, rule_id: &RuleId) -> Result<Vec<RuleVersion>> {
    let mut statement = db.prepare_cached(
        "SELECT version, rule, change, at, run_id FROM rule_history WHERE rule_id = ?1 ORDER BY version",
    )?;
    let rows = statement.query_map([rule_id], |row| {
        Ok(RuleVersion {
            version: row.get(0)?,
            rule: row.get(1)?,
            change: parse_enum(row.get_ref(2)?.as_str()?)?,
            at: Time::from_millis(row.get(3)?),
            run_id: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A rule at a version, for the project in which it was used; also a deleted one.
pub(crate) fn at_version(
    db: &Connection,
    project_id: &ProjectId,
    rule_id: &RuleId,
    version: u32,
) -> Result<Option<Rule>> {
    let mut statement = db.prepare_cached(
        "SELECT snapshot FROM rule_history WHERE rule_id = ?1 AND version = ?2 AND (project_id IS NULL OR project_id = ?3)",
    )?;
    let found =
        statement.query_row(params![rule_id, version, project_id], |row| stored::read_rule(row.get_ref(0)?.as_str()?));
    Ok(found.optional()?)
}

/// A version of a rule, with all its fields.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    /// The rule at that version.
    pub rule: Rule,
    /// The change that led to it.
    pub change: RuleChange,
    /// UUID of the run; `None` for a change by the writer.
    pub run_id: Option<String>,
}

/// The versions of a rule after `version`, latest first; also of a deleted one.
pub(crate) fn versions_after(db: &Connection, rule_id: &RuleId, version: u32) -> Result<Vec<Snapshot>> {
    let mut statement = db.prepare_cached(
        "SELECT snapshot, change, run_id FROM rule_history WHERE rule_id = ?1 AND version > ?2 ORDER BY version DESC",
    )?;
    let rows = statement.query_map(params![rule_id, version], |row| {
        Ok(Snapshot {
            rule: stored::read_rule(row.get_ref(0)?.as_str()?)?,
            change: parse_enum(row.get_ref(1)?.as_str()?)?,
            run_id: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The learned rules of other projects that the writer has not changed: rules shared by several projects become global.
pub(crate) fn learned_elsewhere(db: &Connection, project_id: &ProjectId) -> Result<Vec<Rule>> {
    let mut statement = db.prepare_cached(&LEARNED_ELSEWHERE)?;
    let rows = statement.query_map([project_id], rule_from_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The rules that the writer made global by hand.
pub(crate) fn promoted(db: &Connection) -> Result<HashSet<RuleId>> {
    let mut statement = db.prepare_cached("SELECT DISTINCT rule_id FROM rule_history WHERE change = 'promoted'")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Number of rules of a project, or of global rules.
pub(crate) fn count(db: &Connection, project_id: Option<&ProjectId>) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM rules WHERE project_id IS ?1")?;
    Ok(statement.query_row([project_id], |row| row.get(0))?)
}

/// Number of rules of each project, and of global rules.
pub(crate) fn counts_by_project(db: &Connection) -> Result<HashMap<Option<ProjectId>, u32>> {
    let mut statement = db.prepare_cached("SELECT project_id, count(*) FROM rules GROUP BY project_id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The first rule to evict from a project, or from the global ones: not confirmed, inactive before active, and with the
/// lowest confidence. `None` when all are confirmed.
pub(crate) fn least_sure(db: &Connection, project_id: Option<&ProjectId>) -> Result<Option<Rule>> {
    let mut statement = db.prepare_cached(&LEAST_SURE)?;
    Ok(statement.query_row([project_id], rule_from_row).optional()?)
}

/// Clears "recently updated" for the rules of a project and the global ones, with exceptions. Makes no new version,
/// since no content changes.
pub(crate) fn no_longer_recent(tx: &Tx<'_>, project_id: &ProjectId, but: &HashSet<&RuleId>) -> Result<()> {
    let mut statement =
        tx.prepare_cached("SELECT id FROM rules WHERE recently_updated = 1 AND (scope = 'global' OR project_id = ?1)")?;
    let recent: Vec<RuleId> = statement.query_map([project_id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut update = tx.prepare_cached("UPDATE rules SET recently_updated = 0 WHERE id = ?1")?;
    for id in recent.iter().filter(|id| !but.contains(id)) {
        update.execute([id])?;
    }
    Ok(())
}

/// Records that a model found no measurable feature for a rule. Makes no new version, and never overwrites another
/// source.
pub(crate) fn found_immeasurable(tx: &Tx<'_>, rule_id: &RuleId) -> Result<()> {
    tx.prepare_cached(
        "UPDATE rules SET pattern_by = 'model' WHERE id = ?1 AND pattern IS NULL AND pattern_by IS NULL",
    )?
    .execute([rule_id])?;
    Ok(())
}
