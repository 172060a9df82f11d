//! Rows of `tombstones`, which restart evidence, and of `verdicts`, the writer's "wrong" verdicts.

use rusqlite::{Connection, Row, params};

use super::Tx;
use crate::{
    error::Result,
    model::{ProjectId, Rule, RuleId, Time},
};

/// Why evidence restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The writer deleted the rule.
    Deleted,
    /// The writer undid the run that learned it: all its evidence exists, and it returns as a suggestion at most.
    Undone,
    /// The evidence has drifted against it.
    Drifted,
}

impl Why {
    fn name(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Undone => "undone",
            Self::Drifted => "drifted",
        }
    }
}

/// The record of a deleted rule that must not return by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Tombstone {
    /// UUID.
    pub tombstone_id: String,
    /// UUID of the rule.
    pub rule_id: RuleId,
    /// UUID of its project; `None` for a global one.
    pub project_id: Option<ProjectId>,
    /// Why evidence restarts.
    pub why: Why,
    /// The style feature, by its name, and the direction; `None` for a rule without a measurable feature.
    pub dimension: Option<(String, i32)>,
    /// The scene type; `None` for all.
    pub scene_type: Option<String>,
    /// The skill; `None` for all.
    pub skill_used: Option<String>,
    /// Its wording; empty if it was erased.
    pub words: String,
    /// [`words_hash`] of an erased wording.
    pub words_hash: Option<String>,
    /// Evidence at or before this time no longer counts (unless the run was undone).
    pub since: Time,
    /// The run that set it.
    pub run_id: Option<String>,
}

impl Tombstone {
    /// The tombstone of a rule.
    #[must_use]
    pub fn of(rule: &Rule, tombstone_id: String, why: Why, since: Time, run_id: Option<&str>) -> Self {
        Self {
            tombstone_id,
            rule_id: rule.id.clone(),
            project_id: rule.project_id.clone(),
            why,
            dimension: rule.pattern.as_ref().map(|pattern| (pattern.feature.clone(), pattern.direction)),
            scene_type: rule.scene_type.clone(),
            skill_used: rule.skill_used.clone(),
            words: rule.rule.clone(),
            words_hash: None,
            since,
            run_id: run_id.map(Into::into),
        }
    }

    /// Whether it is of a rule with this wording, erased or not. Ignores white space and case.
    #[must_use]
    pub fn says(&self, words: &str) -> bool {
        let own = self.words_hash.clone().unwrap_or_else(|| words_hash(&self.words));
        own == words_hash(words)
    }

    /// Whether it applies to a project.
    #[must_use]
    pub fn holds_in(&self, project_id: &ProjectId) -> bool {
        self.project_id.as_ref().is_none_or(|id| id == project_id)
    }
}

/// A "wrong" verdict on a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The style feature, by its name.
    pub feature: String,
    /// The direction of the rule, +1 or -1.
    pub direction: i32,
    /// The kind of scene it was for.
    pub scene_type: Option<String>,
    /// The skill it was for.
    pub skill_used: Option<String>,
    /// When.
    pub at: Time,
}

fn tombstone(row: &Row<'_>) -> Result<Tombstone, rusqlite::Error> {
    let feature: Option<String> = row.get(4)?;
    let direction: Option<i32> = row.get(5)?;
    Ok(Tombstone {
        tombstone_id: row.get(0)?,
        rule_id: row.get(1)?,
        project_id: row.get(2)?,
        why: match row.get_ref(3)?.as_str()? {
            "deleted" => Why::Deleted,
            "undone" => Why::Undone,
            _ => Why::Drifted,
        },
        dimension: feature.zip(direction),
        scene_type: row.get(6)?,
        skill_used: row.get(7)?,
        words: row.get(8)?,
        since: Time::from_millis(row.get(9)?),
        run_id: row.get(10)?,
        words_hash: row.get(11)?,
    })
}

/// BLAKE3 of a rule's wording, hexadecimal. Ignores white space and case.
#[must_use]
pub(crate) fn words_hash(words: &str) -> String {
    let plain = words.split_whitespace().collect::<String>().to_lowercase();
    blake3::hash(plain.as_bytes()).to_hex().to_string()
}

/// Inserts a tombstone.
pub(crate) fn put(tx: &Tx<'_>, stone: &Tombstone) -> Result<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO tombstones (tombstone_id, rule_id, project_id, why, feature, direction, scene_type, \
         skill_used, words, since, run_id, words_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute(params![
        stone.tombstone_id,
        stone.rule_id,
        stone.project_id,
        stone.why.name(),
        stone.dimension.as_ref().map(|(feature, _)| feature),
        stone.dimension.as_ref().map(|(_, direction)| direction),
        stone.scene_type,
        stone.skill_used,
        stone.words,
        stone.since.millis(),
        stone.run_id,
        stone.words_hash,
    ])?;
    Ok(())
}

/// All tombstones, oldest first: those of other projects too, because a rule deleted in one project must not return
/// there as a global one.
pub(crate) fn all(db: &Connection) -> Result<Vec<Tombstone>> {
    let mut statement = db.prepare_cached(
        "SELECT tombstone_id, rule_id, project_id, why, feature, direction, scene_type, skill_used, words, since, run_id, \
         words_hash FROM tombstones ORDER BY since, tombstone_id",
    )?;
    let rows = statement.query_map([], tombstone)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The times of deletions by the writer that were not lifted.
pub(crate) fn deleted_at(db: &Connection, rule_id: &RuleId) -> Result<Vec<Time>> {
    let mut statement = db.prepare_cached("SELECT since FROM tombstones WHERE rule_id = ?1 AND why = ?2")?;
    let rows = statement.query_map(params![rule_id, Why::Deleted.name()], |row| row.get(0).map(Time::from_millis))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Lifts the tombstone of a rule that was restored.
pub(crate) fn lift(tx: &Tx<'_>, rule_id: &RuleId, why: Why) -> Result<()> {
    tx.prepare_cached("DELETE FROM tombstones WHERE rule_id = ?1 AND why = ?2")?
        .execute(params![rule_id, why.name()])?;
    Ok(())
}

/// Lifts the tombstones that a run set.
pub(crate) fn lift_of_run(tx: &Tx<'_>, run_id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM tombstones WHERE run_id = ?1")?.execute([run_id])?;
    Ok(())
}

/// The times of "wrong" verdicts in a project, oldest first.
pub(crate) fn verdicts(db: &Connection, project_id: &ProjectId) -> Result<Vec<Verdict>> {
    let mut statement = db.prepare_cached(
        "SELECT feature, direction, scene_type, skill_used, at FROM verdicts WHERE project_id = ?1 ORDER BY at, rule_id",
    )?;
    let rows = statement.query_map([project_id], |row| {
        Ok(Verdict {
            feature: row.get(0)?,
            direction: row.get(1)?,
            scene_type: row.get(2)?,
            skill_used: row.get(3)?,
            at: Time::from_millis(row.get(4)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Records a "wrong" verdict on a rule in a project; `false` if it is recorded already. A rule without a measurable
/// feature is recorded under an empty feature, which no count matches.
pub(crate) fn put_verdict(tx: &Tx<'_>, project_id: &ProjectId, rule: &Rule, at: Time) -> Result<bool> {
    let (feature, direction) =
        rule.pattern.as_ref().map_or(("", 0), |pattern| (pattern.feature.as_str(), pattern.direction.signum()));
    let noted = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO verdicts (rule_id, at, project_id, feature, direction, scene_type, skill_used) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![rule.id, at.millis(), project_id, feature, direction, rule.scene_type, rule.skill_used])?;
    Ok(noted > 0)
}

/// Deletes a "wrong" verdict on a rule; `false` if there is none.
pub(crate) fn take_verdict_back(tx: &Tx<'_>, project_id: &ProjectId, rule_id: &RuleId, at: Time) -> Result<bool> {
    let gone = tx
        .prepare_cached("DELETE FROM verdicts WHERE rule_id = ?1 AND at = ?2 AND project_id = ?3")?
        .execute(params![rule_id, at.millis(), project_id])?;
    Ok(gone > 0)
}
