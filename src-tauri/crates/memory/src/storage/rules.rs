//! Rows of `rules` and `rule_history`. [`super::support`] has the episodes behind rules.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, name_of, named, stored, support};
use crate::{
    error::Result,
    model::{Category, ProjectId, Rule, RuleChange, RuleId, RuleVersion, Time},
};

const COLUMNS: &str = "id, scope, project_id, rule, category, scene_type, skill_used, confidence, confidence_low, \
     evidence_count, user_confirmed, user_modified, recently_updated, pattern, origin, version, created_at, updated_at, \
     standing, pattern_by, challenged, wrong_count, learned_at";

/// Read by position: a lookup by name for each of eighteen columns of five hundred rules takes most of the time of a
/// list.
fn rule(row: &Row<'_>) -> Result<Rule, rusqlite::Error> {
    let pattern: Option<String> = row.get(13)?;
    Ok(Rule {
        id: row.get(0)?,
        scope: named(row.get_ref(1)?.as_str()?)?,
        project_id: row.get(2)?,
        rule: row.get(3)?,
        category: named(row.get_ref(4)?.as_str()?)?,
        scene_type: row.get(5)?,
        skill_used: row.get(6)?,
        confidence: row.get(7)?,
        confidence_low: row.get(8)?,
        evidence_count: row.get(9)?,
        user_confirmed: row.get(10)?,
        user_modified: row.get(11)?,
        recently_updated: row.get(12)?,
        pattern: pattern.as_deref().map(stored::read).transpose()?,
        origin: named(row.get_ref(14)?.as_str()?)?,
        version: row.get(15)?,
        created_at: Time::from_millis(row.get(16)?),
        updated_at: Time::from_millis(row.get(17)?),
        standing: named(row.get_ref(18)?.as_str()?)?,
        pattern_by: row.get_ref(19)?.as_str_or_null()?.map(named).transpose()?,
        challenged: row.get(20)?,
        wrong_count: row.get(21)?,
        learned_at: row.get::<_, Option<i64>>(22)?.map(Time::from_millis),
        other_books: 0,
        supporting_episodes: Vec::new(),
        contradicting_episodes: Vec::new(),
    })
}

/// Writes the present state of a rule, and this version into the history; `run_id` if a run changed it.
pub(crate) fn put(tx: &Tx<'_>, rule: &Rule, change: RuleChange, run_id: Option<&str>) -> Result<()> {
    let pattern = rule.pattern.as_ref().map(stored::json).transpose()?;
    tx.prepare_cached(
        "INSERT INTO rules (id, scope, project_id, rule, category, scene_type, skill_used, confidence, confidence_low, \
         evidence_count, user_confirmed, user_modified, recently_updated, pattern, origin, version, created_at, updated_at, \
         standing, pattern_by, challenged, wrong_count, learned_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23) \
         ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, project_id = excluded.project_id, rule = excluded.rule, \
         category = excluded.category, scene_type = excluded.scene_type, skill_used = excluded.skill_used, \
         confidence = excluded.confidence, confidence_low = excluded.confidence_low, \
         evidence_count = excluded.evidence_count, user_confirmed = excluded.user_confirmed, \
         user_modified = excluded.user_modified, recently_updated = excluded.recently_updated, \
         pattern = excluded.pattern, origin = excluded.origin, version = excluded.version, \
         updated_at = excluded.updated_at, standing = excluded.standing, pattern_by = excluded.pattern_by, \
         challenged = excluded.challenged, wrong_count = excluded.wrong_count, learned_at = excluded.learned_at",
    )?
    .execute(params![
        rule.id,
        name_of(rule.scope),
        rule.project_id,
        rule.rule,
        name_of(rule.category),
        rule.scene_type,
        rule.skill_used,
        rule.confidence,
        rule.confidence_low,
        rule.evidence_count,
        rule.user_confirmed,
        rule.user_modified,
        rule.recently_updated,
        pattern,
        name_of(rule.origin),
        rule.version,
        rule.created_at.millis(),
        rule.updated_at.millis(),
        name_of(rule.standing),
        rule.pattern_by.map(name_of),
        rule.challenged,
        rule.wrong_count,
        rule.learned_at.map(Time::millis),
    ])?;
    keep_version(tx, rule, change, run_id)
}

/// The last version of a rule and its change; of a deleted one too.
pub(crate) fn last_change(db: &Connection, rule_id: &RuleId) -> Result<Option<(u32, RuleChange)>> {
    let mut statement =
        db.prepare_cached("SELECT version, change FROM rule_history WHERE rule_id = ?1 ORDER BY version DESC LIMIT 1")?;
    let found = statement.query_row([rule_id], |row| Ok((row.get(0)?, named(row.get_ref(1)?.as_str()?)?)));
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
pub(crate) fn remove(tx: &Tx<'_>, rule_id: &RuleId) -> Result<()> {
    tx.prepare_cached("DELETE FROM rules WHERE id = ?1")?.execute([rule_id])?;
    support::forget_rule(tx, rule_id)
}

/// Deletes a rule and its support. Its history stays, with the deletion as the last entry.
pub(crate) fn delete(tx: &Tx<'_>, rule: &Rule, run_id: Option<&str>) -> Result<()> {
    tx.prepare_cached("DELETE FROM rules WHERE id = ?1")?.execute([&rule.id])?;
    support::forget_rule(tx, &rule.id)?;
    keep_version(tx, rule, RuleChange::Deleted, run_id)
}

fn keep_version(tx: &Tx<'_>, rule: &Rule, change: RuleChange, run_id: Option<&str>) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO rule_history (rule_id, version, project_id, change, at, rule, snapshot, run_id) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        rule.id,
        rule.version,
        rule.project_id,
        name_of(change),
        rule.updated_at.millis(),
        rule.rule,
        stored::json(rule)?,
        run_id,
    ])?;
    Ok(())
}

/// The rule with this id.
pub(crate) fn get(db: &Connection, id: &RuleId) -> Result<Option<Rule>> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM rules WHERE id = ?1"))?;
    Ok(statement.query_row([id], rule).optional()?)
}

/// The global rules, and those of `project_id` if given, by category, then the writer's own first, then by confidence.
/// Never those of another project.
pub(crate) fn list(db: &Connection, project_id: Option<&ProjectId>, category: Option<Category>) -> Result<Vec<Rule>> {
    let named = category.map(name_of);
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM rules WHERE (scope = 'global' OR project_id = ?1) AND (?2 IS NULL OR category = ?2)"
    ))?;
    let rows = statement.query_map(params![project_id, named], rule)?;
    let mut rules: Vec<Rule> = rows.collect::<Result<_, _>>()?;
    // Sorted here and not in SQL: SQLite packs every row for sorting and unpacks it afterwards, which took half of the
    // time of a list of five hundred.
    rules.sort_unstable_by(|a, b| {
        (place(a.category).cmp(&place(b.category)))
            .then(b.user_confirmed.cmp(&a.user_confirmed))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.created_at.cmp(&b.created_at))
            .then_with(|| a.id.cmp(&b.id))
    });
    Ok(rules)
}

/// The sort key of a category: its wire name.
fn place(category: Category) -> u8 {
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
            change: named(row.get_ref(2)?.as_str()?)?,
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
            change: named(row.get_ref(1)?.as_str()?)?,
            run_id: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The learned rules of other projects that the writer has not changed: rules shared by several projects become global.
pub(crate) fn learned_elsewhere(db: &Connection, project_id: &ProjectId) -> Result<Vec<Rule>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM rules WHERE scope = 'project' AND project_id <> ?1 AND origin = 'distilled' \
         AND standing = 'active' AND user_confirmed = 0 AND user_modified = 0 ORDER BY created_at, id"
    ))?;
    let rows = statement.query_map([project_id], rule)?;
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
pub(crate) fn counts(db: &Connection) -> Result<HashMap<Option<ProjectId>, u32>> {
    let mut statement = db.prepare_cached("SELECT project_id, count(*) FROM rules GROUP BY project_id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The first rule to evict from a project, or from the global ones: not confirmed, inactive before active, and with the
/// lowest confidence. `None` when all are confirmed.
pub(crate) fn least_sure(db: &Connection, project_id: Option<&ProjectId>) -> Result<Option<Rule>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM rules WHERE project_id IS ?1 AND user_confirmed = 0 \
         ORDER BY standing = 'active', confidence, created_at, id LIMIT 1"
    ))?;
    Ok(statement.query_row([project_id], rule).optional()?)
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
