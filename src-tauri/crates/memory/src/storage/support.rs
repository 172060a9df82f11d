//! Rows of `rule_support` and `rule_books`: which episodes bear on a rule, and in which books a run found it.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::Tx;
use crate::{
    error::Result,
    model::{ConfidenceInProject, EpisodeId, ProjectId, Rule, RuleId},
};

/// Maximum number of episodes stored for a rule in a project, on each side: the latest. The rule has the full count;
/// more episodes are never shown, and five hundred rules must list quickly.
pub(crate) const MAX_EPISODES_PER_SIDE: usize = 50;

/// Fills in the episodes of rules: those of one book by name, of others as a number. Two queries, however many rules.
pub(crate) fn fill_in(db: &Connection, rules: &mut [Rule], project_id: Option<&ProjectId>) -> Result<()> {
    // By text: a row is looked up without a copy of its id.
    let places: HashMap<String, usize> = rules.iter().enumerate().map(|(at, rule)| (rule.id.to_string(), at)).collect();
    if let Some(project) = project_id {
        let mut statement =
            db.prepare_cached("SELECT rule_id, episode_id, agrees FROM rule_support WHERE project_id = ?1")?;
        let mut rows = statement.query([project])?;
        while let Some(row) = rows.next()? {
            let Some(rule) =
                places.get(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?).and_then(|at| rules.get_mut(*at))
            else {
                continue;
            };
            let side = if row.get(2)? { &mut rule.supporting_episodes } else { &mut rule.contradicting_episodes };
            side.push(row.get(1)?);
        }
    }
    // A rule of a book is borne on by that book alone.
    let mut statement = db.prepare_cached(
        "SELECT rules.id, count(*) FROM rules JOIN rule_support ON rule_support.rule_id = rules.id \
         WHERE rules.scope = 'global' AND rule_support.project_id IS NOT ?1 GROUP BY rules.id",
    )?;
    let mut rows = statement.query([project_id])?;
    while let Some(row) = rows.next()? {
        if let Some(rule) =
            places.get(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?).and_then(|at| rules.get_mut(*at))
        {
            rule.other_books = row.get(1)?;
        }
    }
    Ok(())
}

/// The episodes of one book that bear on a rule, and whether they agree.
pub(crate) fn list_for_rule(
    db: &Connection,
    project_id: &ProjectId,
    rule_id: &RuleId,
) -> Result<Vec<(EpisodeId, bool)>> {
    let mut statement =
        db.prepare_cached("SELECT episode_id, agrees FROM rule_support WHERE project_id = ?1 AND rule_id = ?2")?;
    let rows = statement.query_map(params![project_id, rule_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Updates which episodes of a project support or oppose a rule. Writes nothing if nothing has changed.
pub(crate) fn replace(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    rule_id: &RuleId,
    episodes: &[(EpisodeId, bool)],
) -> Result<()> {
    let had = list_for_rule(tx, project_id, rule_id)?;
    let mut now = episodes.to_vec();
    now.sort();
    if had == now {
        return Ok(());
    }
    delete(tx, project_id, rule_id)?;
    let mut statement = tx.prepare_cached(
        "INSERT OR REPLACE INTO rule_support (project_id, rule_id, episode_id, agrees) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (episode, agrees) in now {
        statement.execute(params![project_id, rule_id, episode, agrees])?;
    }
    Ok(())
}

/// Deletes the support of a rule by this project's episodes.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, rule_id: &RuleId) -> Result<()> {
    tx.prepare_cached("DELETE FROM rule_support WHERE project_id = ?1 AND rule_id = ?2")?
        .execute(params![project_id, rule_id])?;
    Ok(())
}

/// Deletes the support of a rule by all other projects; with `None`, all of it.
pub(crate) fn delete_of_other_projects(tx: &Tx<'_>, project_id: Option<&ProjectId>, rule_id: &RuleId) -> Result<()> {
    if let Some(project) = project_id {
        for table in ["rule_support", "rule_books"] {
            tx.prepare_cached(&format!("DELETE FROM {table} WHERE rule_id = ?1 AND project_id <> ?2"))?
                .execute(params![rule_id, project])?;
        }
    }
    Ok(())
}

/// Deletes the support by an episode that the writer deleted.
pub(crate) fn delete_for_episode(tx: &Tx<'_>, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<()> {
    tx.prepare_cached("DELETE FROM rule_support WHERE project_id = ?1 AND episode_id = ?2")?
        .execute(params![project_id, episode_id])?;
    Ok(())
}

/// The project of each episode that supports or opposes a rule.
pub(crate) fn owners(db: &Connection) -> Result<Vec<(EpisodeId, ProjectId)>> {
    let mut statement = db.prepare_cached("SELECT DISTINCT episode_id, project_id FROM rule_support")?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// Deletes the support of a rule that was deleted.
pub(crate) fn delete_for_rule(tx: &Tx<'_>, rule_id: &RuleId) -> Result<()> {
    tx.prepare_cached("DELETE FROM rule_support WHERE rule_id = ?1")?.execute([rule_id])?;
    tx.prepare_cached("DELETE FROM rule_books WHERE rule_id = ?1")?.execute([rule_id])?;
    Ok(())
}

/// The projects in which rules were found.
pub(crate) fn list_projects(db: &Connection) -> Result<Vec<ConfidenceInProject>> {
    let mut statement = db.prepare_cached(
        "SELECT rule_id, project_id, confidence, confidence_low, evidence_count FROM rule_books \
         ORDER BY rule_id, project_id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(ConfidenceInProject {
            rule_id: row.get(0)?,
            project_id: row.get(1)?,
            confidence: row.get(2)?,
            confidence_low: row.get(3)?,
            evidence_count: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Records that a run found a rule in a project.
pub(crate) fn upsert_project(tx: &Tx<'_>, found: &ConfidenceInProject) -> Result<()> {
    tx.prepare_cached(
        "INSERT OR REPLACE INTO rule_books (rule_id, project_id, confidence, confidence_low, evidence_count) \
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        found.rule_id,
        found.project_id,
        found.confidence,
        found.confidence_low,
        found.evidence_count
    ])?;
    Ok(())
}

/// Records that a run no longer found a rule in a project.
pub(crate) fn delete_project(tx: &Tx<'_>, project_id: &ProjectId, rule_id: &RuleId) -> Result<()> {
    tx.prepare_cached("DELETE FROM rule_books WHERE rule_id = ?1 AND project_id = ?2")?
        .execute(params![rule_id, project_id])?;
    Ok(())
}
