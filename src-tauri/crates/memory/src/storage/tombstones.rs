//! Rows of `tombstones`, which restart evidence, and of `verdicts`, the writer's "wrong" verdicts.

use std::sync::LazyLock;

use rusqlite::{Connection, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum,
};
use crate::{
    error::Result,
    model::{ProjectId, Rule, RuleId, Time, Tombstone, TombstoneCause},
};

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

columns! {
    /// The columns of a [`Tombstone`].
    columns of "tombstones":
    tombstone_id, rule_id, project_id, why, feature, direction, scene_type, skill_used, words, since, run_id,
    words_hash,
}

static PUT: LazyLock<String> = LazyLock::new(|| columns::insert_or("IGNORE"));
static ALL: LazyLock<String> = LazyLock::new(|| columns::select("ORDER BY since, tombstone_id"));

fn tombstone(row: &Row<'_>) -> Result<Tombstone, rusqlite::Error> {
    let feature: Option<String> = row.get(columns::feature)?;
    let direction: Option<i32> = row.get(columns::direction)?;
    Ok(Tombstone {
        tombstone_id: row.get(columns::tombstone_id)?,
        rule_id: row.get(columns::rule_id)?,
        project_id: row.get(columns::project_id)?,
        why: parse_enum(row.get_ref(columns::why)?.as_str()?).unwrap_or(TombstoneCause::Drifted),
        dimension: feature.zip(direction),
        scene_type: row.get(columns::scene_type)?,
        skill_used: row.get(columns::skill_used)?,
        words: row.get(columns::words)?,
        since: Time::from_millis(row.get(columns::since)?),
        run_id: row.get(columns::run_id)?,
        words_hash: row.get(columns::words_hash)?,
    })
}

/// Inserts a tombstone.
pub(crate) fn insert(tx: &Tx<'_>, stone: &Tombstone) -> Result<()> {
    execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":tombstone_id": stone.tombstone_id,
            ":rule_id": stone.rule_id,
            ":project_id": stone.project_id,
            ":why": name_of(stone.why),
            ":feature": stone.dimension.as_ref().map(|(feature, _)| feature),
            ":direction": stone.dimension.as_ref().map(|(_, direction)| direction),
            ":scene_type": stone.scene_type,
            ":skill_used": stone.skill_used,
            ":words": stone.words,
            ":since": stone.since.millis(),
            ":run_id": stone.run_id,
            ":words_hash": stone.words_hash,
        },
    )?;
    Ok(())
}

/// All tombstones, oldest first: those of other projects too, because a rule deleted in one project must not return
/// there as a global one.
pub(crate) fn list(db: &Connection) -> Result<Vec<Tombstone>> {
    let mut statement = db.prepare_cached(&ALL)?;
    let rows = statement.query_map([], tombstone)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The times of deletions by the writer that were not lifted.
pub(crate) fn deleted_at(db: &Connection, rule_id: &RuleId) -> Result<Vec<Time>> {
    let mut statement = db.prepare_cached("SELECT since FROM tombstones WHERE rule_id = ?1 AND why = ?2")?;
    let rows = statement
        .query_map(params![rule_id, name_of(TombstoneCause::Deleted)], |row| row.get(0).map(Time::from_millis))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Lifts the tombstone of a rule that was restored.
pub(crate) fn lift(tx: &Tx<'_>, rule_id: &RuleId, why: TombstoneCause) -> Result<()> {
    tx.prepare_cached("DELETE FROM tombstones WHERE rule_id = ?1 AND why = ?2")?
        .execute(params![rule_id, name_of(why)])?;
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
pub(crate) fn insert_verdict(tx: &Tx<'_>, project_id: &ProjectId, rule: &Rule, at: Time) -> Result<bool> {
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
pub(crate) fn delete_verdict(tx: &Tx<'_>, project_id: &ProjectId, rule_id: &RuleId, at: Time) -> Result<bool> {
    let deleted = tx
        .prepare_cached("DELETE FROM verdicts WHERE rule_id = ?1 AND at = ?2 AND project_id = ?3")?
        .execute(params![rule_id, at.millis(), project_id])?;
    Ok(deleted > 0)
}
