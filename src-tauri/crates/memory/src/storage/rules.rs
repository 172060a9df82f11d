//! Rows of `rules` and `rule_history`.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, from_json, json, name_of, named};
use crate::{
    error::Result,
    model::{Category, Rule, RuleChange, RuleVersion, Time},
};

const COLUMNS: &str = "id, scope, project_id, rule, category, scene_type, skill_used, confidence, confidence_low, \
     evidence_count, user_confirmed, user_modified, recently_updated, pattern, origin, version, created_at, updated_at";

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
        supporting_episodes: Vec::new(),
        contradicting_episodes: Vec::new(),
    })
}

/// Writes a rule as it now is, and its version into the history.
pub fn put(tx: &Tx<'_>, rule: &Rule, change: RuleChange) -> Result<()> {
    let pattern = rule.pattern.as_ref().map(json).transpose()?;
    tx.prepare_cached(
        "INSERT INTO rules (id, scope, project_id, rule, category, scene_type, skill_used, confidence, confidence_low, \
         evidence_count, user_confirmed, user_modified, recently_updated, pattern, origin, version, created_at, updated_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18) \
         ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, project_id = excluded.project_id, rule = excluded.rule, \
         category = excluded.category, scene_type = excluded.scene_type, skill_used = excluded.skill_used, \
         confidence = excluded.confidence, confidence_low = excluded.confidence_low, \
         evidence_count = excluded.evidence_count, user_confirmed = excluded.user_confirmed, \
         user_modified = excluded.user_modified, recently_updated = excluded.recently_updated, \
         pattern = excluded.pattern, origin = excluded.origin, version = excluded.version, \
         updated_at = excluded.updated_at",
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
    ])?;
    keep_version(tx, rule, change)
}

/// Takes a rule out. Its history stays, with this as the last entry.
pub fn delete(tx: &Tx<'_>, rule: &Rule) -> Result<()> {
    tx.prepare_cached("DELETE FROM rules WHERE id = ?1")?.execute([&rule.id])?;
    keep_version(tx, rule, RuleChange::Deleted)
}

fn keep_version(tx: &Tx<'_>, rule: &Rule, change: RuleChange) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO rule_history (rule_id, version, project_id, change, at, rule, snapshot) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        rule.id,
        rule.version,
        rule.project_id,
        name_of(&change)?,
        rule.updated_at.millis(),
        rule.rule,
        json(rule)?,
    ])?;
    Ok(())
}

/// The rule with this identity.
pub fn get(db: &Connection, id: &str) -> Result<Option<Rule>> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM rules WHERE id = ?1"))?;
    Ok(statement.query_row([id], rule).optional()?)
}

/// The global rules, and those of one book where one is named, by category, then the writer's own first, then by
/// confidence. No other book's, ever.
pub fn list(db: &Connection, project_id: Option<&str>, category: Option<Category>) -> Result<Vec<Rule>> {
    let named = category.as_ref().map(name_of).transpose()?;
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM rules WHERE (scope = 'global' OR project_id = ?1) AND (?2 IS NULL OR category = ?2)"
    ))?;
    let rows = statement.query_map(params![project_id, named], rule)?;
    let mut rules: Vec<Rule> = rows.collect::<Result<_, _>>()?;
    // Here and not in the statement: there every row is packed up whole for sorting and taken apart again afterwards,
    // which took half of the time of a list of five hundred.
    rules.sort_unstable_by(|a, b| {
        (place(a.category).cmp(&place(b.category)))
            .then(b.user_confirmed.cmp(&a.user_confirmed))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.created_at.cmp(&b.created_at))
            .then_with(|| a.id.cmp(&b.id))
    });
    Ok(rules)
}

/// Where a category stands in a list: by its name on the wire.
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
pub fn history(db: &Connection, rule_id: &str) -> Result<Vec<RuleVersion>> {
    let mut statement =
        db.prepare_cached("SELECT version, rule, change, at FROM rule_history WHERE rule_id = ?1 ORDER BY version")?;
    let rows = statement.query_map([rule_id], |row| {
        Ok(RuleVersion {
            version: row.get(0)?,
            rule: row.get(1)?,
            change: named(row.get_ref(2)?.as_str()?)?,
            at: Time::from_millis(row.get(3)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
