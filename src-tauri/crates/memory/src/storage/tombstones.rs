//! Rows of `tombstones`, where evidence begins anew, and of `verdicts`, where the writer said "wrong".

use rusqlite::{Connection, Row, params};

use super::Tx;
use crate::{
    error::Result,
    model::{Rule, Time},
};

/// Why evidence begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The writer deleted the rule.
    Deleted,
    /// The writer undid the run that learned it: it has all its evidence, and comes back as a question at most.
    Undone,
    /// What the writer does has turned against it.
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

/// What is left of a rule that is not to come back by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Tombstone {
    /// UUID.
    pub tombstone_id: String,
    /// The rule it was.
    pub rule_id: String,
    /// Its book; `None` for a global one.
    pub project_id: Option<String>,
    /// Why.
    pub why: Why,
    /// The style feature, by its name, and the direction; `None` for a rule about nothing measurable.
    pub dimension: Option<(String, i32)>,
    /// Only in this kind of scene.
    pub scene_type: Option<String>,
    /// Only for this skill.
    pub skill_used: Option<String>,
    /// Its words; empty where they were erased.
    pub words: String,
    /// [`words_hash`] of words that were erased.
    pub words_hash: Option<String>,
    /// Evidence at or before this counts no more (unless the run was undone).
    pub since: Time,
    /// The run that set it.
    pub run_id: Option<String>,
}

impl Tombstone {
    /// The one of a rule.
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

    /// Whether it is of a rule in these words, erased or not. White space and case do not count.
    #[must_use]
    pub fn says(&self, words: &str) -> bool {
        let own = self.words_hash.clone().unwrap_or_else(|| words_hash(&self.words));
        own == words_hash(words)
    }

    /// Whether it holds in a book.
    #[must_use]
    pub fn holds_in(&self, project_id: &str) -> bool {
        self.project_id.as_deref().is_none_or(|id| id == project_id)
    }
}

/// The writer said that a rule is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The style feature, by its name.
    pub feature: String,
    /// What the rule said of it.
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

/// BLAKE3 of a rule's words, hexadecimal. White space and case do not count.
#[must_use]
pub fn words_hash(words: &str) -> String {
    let plain = words.split_whitespace().collect::<String>().to_lowercase();
    blake3::hash(plain.as_bytes()).to_hex().to_string()
}

/// Sets one.
pub fn put(tx: &Tx<'_>, stone: &Tombstone) -> Result<()> {
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

/// All of them, oldest first: those of other books too, because a rule that was deleted in one must not come back there
/// as a global one.
pub fn all(db: &Connection) -> Result<Vec<Tombstone>> {
    let mut statement = db.prepare_cached(
        "SELECT tombstone_id, rule_id, project_id, why, feature, direction, scene_type, skill_used, words, since, run_id, \
         words_hash FROM tombstones ORDER BY since, tombstone_id",
    )?;
    let rows = statement.query_map([], tombstone)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// When the writer deleted a rule, each time that has not been lifted.
pub fn deleted_at(db: &Connection, rule_id: &str) -> Result<Vec<Time>> {
    let mut statement = db.prepare_cached("SELECT since FROM tombstones WHERE rule_id = ?1 AND why = ?2")?;
    let rows = statement.query_map([rule_id, Why::Deleted.name()], |row| row.get(0).map(Time::from_millis))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The rule is wanted again: what was set when it was taken out is lifted.
pub fn lift(tx: &Tx<'_>, rule_id: &str, why: Why) -> Result<()> {
    tx.prepare_cached("DELETE FROM tombstones WHERE rule_id = ?1 AND why = ?2")?.execute([rule_id, why.name()])?;
    Ok(())
}

/// What a run set is lifted with it.
pub fn lift_of_run(tx: &Tx<'_>, run_id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM tombstones WHERE run_id = ?1")?.execute([run_id])?;
    Ok(())
}

/// Each time that the writer said "wrong" in a book, oldest first.
pub fn verdicts(db: &Connection, project_id: &str) -> Result<Vec<Verdict>> {
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

/// Notes that the writer called a rule wrong in a book; `false` where that is noted already. A rule about nothing
/// measurable is noted under no feature, which no count looks for.
pub fn put_verdict(tx: &Tx<'_>, project_id: &str, rule: &Rule, at: Time) -> Result<bool> {
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

/// Takes back that the writer called a rule wrong; `false` where that is not noted.
pub fn take_verdict_back(tx: &Tx<'_>, project_id: &str, rule_id: &str, at: Time) -> Result<bool> {
    let gone = tx
        .prepare_cached("DELETE FROM verdicts WHERE rule_id = ?1 AND at = ?2 AND project_id = ?3")?
        .execute(params![rule_id, at.millis(), project_id])?;
    Ok(gone > 0)
}
