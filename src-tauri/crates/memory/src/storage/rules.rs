//! Rows of `rules` and `rule_history`.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, from_json, json, name_of, named};
use crate::{
    error::Result,
    model::{Category, Rule, RuleChange, RuleVersion, Time},
};

const COLUMNS: &str = "id, scope, project_id, rule, category, scene_type, skill_used, confidence, confidence_low, \
     evidence_count, user_confirmed, user_modified, recently_updated, pattern, origin, version, created_at, updated_at, \
     standing, pattern_by, challenged, wrong_count, learned_at";

/// By position: a lookup by name for each of eighteen columns of five hundred rules is most of the time a list takes.
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
        pattern: pattern.as_deref().map(from_json).transpose()?,
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

/// Writes a rule as it now is, and its version into the history; `run_id` where a run did it.
pub fn put(tx: &Tx<'_>, rule: &Rule, change: RuleChange, run_id: Option<&str>) -> Result<()> {
    let pattern = rule.pattern.as_ref().map(json).transpose()?;
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
        name_of(&rule.scope)?,
        rule.project_id,
        rule.rule,
        name_of(&rule.category)?,
        rule.scene_type,
        rule.skill_used,
        rule.confidence,
        rule.confidence_low,
        rule.evidence_count,
        rule.user_confirmed,
        rule.user_modified,
        rule.recently_updated,
        pattern,
        name_of(&rule.origin)?,
        rule.version,
        rule.created_at.millis(),
        rule.updated_at.millis(),
        name_of(&rule.standing)?,
        rule.pattern_by.as_ref().map(name_of).transpose()?,
        rule.challenged,
        rule.wrong_count,
        rule.learned_at.map(Time::millis),
    ])?;
    keep_version(tx, rule, change, run_id)
}

/// Takes a rule out. Its history stays, with this as the last entry.
pub fn delete(tx: &Tx<'_>, rule: &Rule, run_id: Option<&str>) -> Result<()> {
    tx.prepare_cached("DELETE FROM rules WHERE id = ?1")?.execute([&rule.id])?;
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
        name_of(&change)?,
        rule.updated_at.millis(),
        rule.rule,
        json(rule)?,
        run_id,
    ])?;
    Ok(())
}

/// The rule with this identity.
pub fn get(db: &Connection, id: &str) -> Result<Option<Rule>> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM rules WHERE id = ?1"))?;
    Ok(statement.query_row([id], rule).optional()?)
}

/// The global rules, and those of one book where one is named. No other book's, ever.
pub fn list(db: &Connection, project_id: Option<&str>, category: Option<Category>) -> Result<Vec<Rule>> {
    let category = category.as_ref().map(name_of).transpose()?;
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM rules \
         WHERE (scope = 'global' OR project_id = ?1) AND (?2 IS NULL OR category = ?2) \
         ORDER BY category, user_confirmed DESC, confidence DESC, created_at, id"
    ))?;
    let rows = statement.query_map(params![project_id, category], rule)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Every version of a rule, oldest first; of a deleted rule too.
pub fn history(db: &Connection, rule_id: &str) -> Result<Vec<RuleVersion>> {
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
