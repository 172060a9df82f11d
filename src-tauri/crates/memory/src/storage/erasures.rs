//! Rows of `erasures`, and how the words of a memory are removed from the tables of both files.
//!
//! Invariant: each function that removes words selects its rows from the file it works on, so that it does the same in
//! the live file, in a backup and after an import. Invariant: every column that can hold a memory's words is in a list
//! in the tests below; a test reads the schemas.

use std::{collections::HashSet, sync::LazyLock};

use rusqlite::{Connection, Row, named_params, params};

use super::{
    Tx, answers,
    columns::{columns, execute},
    deletions::{self, Deletion},
    episodes, evidence, failures, influences, journal, name_of, parse_enum, questions, rules, stored, studied_records,
    traces, words,
};
use crate::{
    error::Result,
    model::{
        AnswerId, CutItem, EpisodeId, Erasure, ErasureKind, GenerationId, JournalEntryId, ProjectId, Reference,
        ReferenceKind, Rule, RuleId, RunChange, Time, Tombstone, WordCounts,
    },
    ports::Message,
};

columns! {
    /// The columns of an [`Erasure`].
    columns of "erasures":
    erasure_id, kind, target_id, project_id, generation_id, requested_by, requested_at, counts, finished_at,
}

static PUT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(
        "ON CONFLICT (erasure_id) DO UPDATE SET counts = excluded.counts, finished_at = excluded.finished_at",
    )
});
static ALL: LazyLock<String> = LazyLock::new(|| columns::select("ORDER BY requested_at DESC, erasure_id DESC"));
static UNFINISHED: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE finished_at IS NULL ORDER BY requested_at, erasure_id"));

fn erasure(row: &Row<'_>) -> Result<Erasure, rusqlite::Error> {
    Ok(Erasure {
        erasure_id: row.get(columns::erasure_id)?,
        kind: parse_enum(row.get_ref(columns::kind)?.as_str()?)?,
        target_id: row.get(columns::target_id)?,
        project_id: row.get(columns::project_id)?,
        generation_id: row.get(columns::generation_id)?,
        requested_by: row.get(columns::requested_by)?,
        requested_at: Time::from_millis(row.get(columns::requested_at)?),
        counts: stored::parse(row.get_ref(columns::counts)?.as_str()?)?,
        finished_at: row.get::<_, Option<i64>>(columns::finished_at)?.map(Time::from_millis),
    })
}

/// Writes the present state of an erasure: the request first, and at its end the line of the audit log.
pub(crate) fn upsert(tx: &Tx<'_>, erasure: &Erasure) -> Result<()> {
    execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":erasure_id": erasure.erasure_id,
            ":kind": name_of(erasure.kind),
            ":target_id": erasure.target_id,
            ":project_id": erasure.project_id,
            ":generation_id": erasure.generation_id,
            ":requested_by": erasure.requested_by,
            ":requested_at": erasure.requested_at.millis(),
            ":counts": stored::json(&erasure.counts)?,
            ":finished_at": erasure.finished_at.map(Time::millis),
        },
    )?;
    Ok(())
}

/// All erasures, latest first.
pub(crate) fn list(db: &Connection) -> Result<Vec<Erasure>> {
    let mut statement = db.prepare_cached(&ALL)?;
    Ok(statement.query_map([], erasure)?.collect::<Result<_, _>>()?)
}

/// Erasures that are not finished, oldest first.
pub(crate) fn unfinished(db: &Connection) -> Result<Vec<Erasure>> {
    let mut statement = db.prepare_cached(&UNFINISHED)?;
    Ok(statement.query_map([], erasure)?.collect::<Result<_, _>>()?)
}

/// Whether the words of this rule were erased.
pub(crate) fn is_erased_rule(db: &Connection, rule_id: &RuleId) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM erasures WHERE kind = 'rule' AND target_id = ?1")?.exists([rule_id])?)
}

/// Places in `rules.db` that contain the words of a deleted rule.
pub(crate) fn count_in_rules(db: &Connection, rule_id: &RuleId) -> Result<WordCounts> {
    let count = |sql: &str| -> Result<u32> { Ok(db.prepare_cached(sql)?.query_row([rule_id], |row| row.get(0))?) };
    Ok(WordCounts {
        rule_versions: count("SELECT count(*) FROM rule_history WHERE rule_id = ?1 AND rule <> ''")?,
        tombstones: count("SELECT count(*) FROM tombstones WHERE rule_id = ?1 AND words <> ''")?,
        run_changes: u32::try_from(changes_of(db, rule_id)?.len()).unwrap_or(u32::MAX),
        ..WordCounts::default()
    })
}

/// Every wording that a rule ever had.
pub(crate) fn texts_of_rule(db: &Connection, rule_id: &RuleId) -> Result<Vec<String>> {
    let mut statement = db.prepare_cached(
        "SELECT rule FROM rules WHERE id = ?1 UNION SELECT rule FROM rule_history WHERE rule_id = ?1",
    )?;
    Ok(statement.query_map([rule_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Applies erasures to `rules.db`: removes a rule with its words in history, tombstones and runs, and the evidence of
/// an episode. Idempotent.
pub(crate) fn apply_to_rules(tx: &Tx<'_>, erasures: &[Erasure]) -> Result<()> {
    for one in erasures {
        match one.kind {
            ErasureKind::Rule => erase_rule(tx, &one.target_id.as_str().into())?,
            ErasureKind::Episode => {
                let project = one.project_id.as_ref();
                deletions::insert(tx, deletions::EPISODE, &one.target_id, project, one.requested_at)?;
                if let Some(project) = project {
                    evidence::delete(tx, project, &one.target_id.as_str().into())?;
                }
            }
            ErasureKind::Journal => {
                let project = one.project_id.as_ref();
                deletions::insert(tx, deletions::JOURNAL, &one.target_id, project, one.requested_at)?;
            }
            ErasureKind::Answer => {
                let project = one.project_id.as_ref();
                deletions::insert(tx, deletions::ANSWER, &one.target_id, project, one.requested_at)?;
            }
            ErasureKind::Names => {}
        }
    }
    Ok(())
}

/// Removes a rule and its words. Feature, scene, skill and a hash of the words stay: they keep a run from learning it
/// again.
pub(crate) fn erase_rule(tx: &Tx<'_>, rule_id: &RuleId) -> Result<()> {
    if rules::get(tx, rule_id)?.is_some() {
        rules::delete_row(tx, rule_id)?;
    }
    let stones: Vec<(String, String)> = tx
        .prepare_cached("SELECT tombstone_id, words FROM tombstones WHERE rule_id = ?1 AND words <> ''")?
        .query_map([rule_id], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (id, said) in stones {
        tx.prepare_cached("UPDATE tombstones SET words = '', words_hash = ?2 WHERE tombstone_id = ?1")?
            .execute([id, Tombstone::hash_words(&said)])?;
    }
    let versions: Vec<(i64, Rule)> = tx
        .prepare_cached("SELECT version, snapshot FROM rule_history WHERE rule_id = ?1")?
        .query_map([rule_id], |row| Ok((row.get(0)?, stored::read_rule(row.get_ref(1)?.as_str()?)?)))?
        .collect::<Result<_, _>>()?;
    for (version, rule) in versions {
        let snapshot = stored::json(&Rule { rule: String::new(), ..rule })?;
        tx.prepare_cached("UPDATE rule_history SET rule = '', snapshot = ?3 WHERE rule_id = ?1 AND version = ?2")?
            .execute(params![rule_id, version, snapshot])?;
    }
    for (run_id, ordinal, mut change) in changes_of(tx, rule_id)? {
        for rule in [&mut change.before, &mut change.after].into_iter().flatten().filter(|rule| rule.id == *rule_id) {
            rule.rule.clear();
        }
        tx.prepare_cached("UPDATE run_changes SET change = ?3 WHERE run_id = ?1 AND ordinal = ?2")?
            .execute(params![run_id, ordinal, stored::json(&change)?])?;
    }
    Ok(())
}

/// Changes of runs that contain the words of a rule.
fn changes_of(db: &Connection, rule_id: &RuleId) -> Result<Vec<(String, i64, RunChange)>> {
    let mut statement =
        db.prepare_cached("SELECT run_id, ordinal, change FROM run_changes WHERE instr(change, ?1) > 0")?;
    let rows = statement.query_map([rule_id], |row| {
        Ok((row.get(0)?, row.get(1)?, stored::parse::<RunChange>(row.get_ref(2)?.as_str()?)?))
    })?;
    let mut found = rows.collect::<Result<Vec<_>, _>>()?;
    found.retain(|(_, _, change)| {
        let said = [&change.before, &change.after];
        said.into_iter().flatten().any(|rule| rule.id == *rule_id && !rule.rule.is_empty())
    });
    Ok(found)
}

/// The targets of erasures in one `episodes.db`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErasureTargets {
    /// UUIDs of rules.
    pub rules: HashSet<RuleId>,
    /// UUIDs of episodes, including those recorded for a "wrong" verdict on one of the rules.
    pub episodes: HashSet<EpisodeId>,
    /// UUIDs of journal entries; those about the episodes are redacted with them.
    pub journal: HashSet<JournalEntryId>,
    /// UUIDs of answers; the journal entries about them are redacted with them.
    pub answers: HashSet<AnswerId>,
    /// [`questions::deletion_ids`] of the questions of the answers: words with one of them are erased too.
    pub question_ids: HashSet<String>,
    /// Generations of the episodes.
    pub generations: HashSet<GenerationId>,
    /// When the latest erasure was requested.
    pub at: Time,
}

/// Where a trace contains the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holding {
    /// In the prompt.
    Prompt,
    /// In the list of cut items.
    Cut,
}

impl ErasureTargets {
    /// The targets of erasures in this file.
    pub(crate) fn from_erasures(db: &Connection, erasures: &[Erasure]) -> Result<Self> {
        let mut targets = Self::default();
        for one in erasures {
            targets.at = targets.at.max(one.requested_at);
            match one.kind {
                ErasureKind::Rule => {
                    let mut statement = db.prepare_cached(
                        "SELECT episode_id FROM trace_feedback WHERE reference_id = 'rule:' || ?1 AND episode_id IS NOT NULL",
                    )?;
                    let remarks: Vec<EpisodeId> =
                        statement.query_map([&one.target_id], |row| row.get(0))?.collect::<Result<_, _>>()?;
                    targets.episodes.extend(remarks);
                    targets.rules.insert(one.target_id.as_str().into());
                }
                ErasureKind::Episode => {
                    targets.episodes.insert(one.target_id.as_str().into());
                    targets.generations.extend(one.generation_id.clone());
                }
                ErasureKind::Journal => {
                    targets.journal.insert(one.target_id.as_str().into());
                }
                ErasureKind::Answer => {
                    let answer_id = AnswerId::from(one.target_id.as_str());
                    let answer = answers::get(db, &answer_id)?;
                    let ids = answer
                        .map(|stored| questions::deletion_ids(&stored.answer.project_id, &stored.answer.question));
                    targets.question_ids.extend(ids.into_iter().flatten());
                    targets.answers.insert(answer_id);
                }
                ErasureKind::Names => {}
            }
        }
        for id in &targets.episodes {
            targets.generations.extend(episodes::get(db, id)?.and_then(|(episode, _)| episode.generation_id));
        }
        Ok(targets)
    }

    /// Whether there are no targets.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.episodes.is_empty() && self.journal.is_empty() && self.answers.is_empty()
    }

    /// Whether a reference is to a target. The exchange in working memory has its episode's id.
    #[must_use]
    pub(crate) fn is_of(&self, reference: &Reference) -> bool {
        match reference.kind {
            ReferenceKind::Rule => self.rules.contains(&reference.id.as_str().into()),
            ReferenceKind::Episode | ReferenceKind::Working => self.episodes.contains(&reference.id.as_str().into()),
            // The writer's own words about the book, and the book: no episode or rule is quoted in them.
            ReferenceKind::Entity | ReferenceKind::Passage => false,
            ReferenceKind::Answer => self.answers.contains(&reference.id.as_str().into()),
            ReferenceKind::Entry => self.journal.contains(&reference.id.as_str().into()),
        }
    }

    fn is_cut(&self, item: &CutItem) -> bool {
        let id = item.id.as_str();
        let is_target =
            if item.kind == "rule" { self.rules.contains(&id.into()) } else { self.episodes.contains(&id.into()) };
        !item.text.is_empty() && is_target
    }

    /// Whether the text contains an id of a target: a cheap check before a list is parsed.
    fn is_named_in(&self, text: &str) -> bool {
        let ids = self.rules.iter().map(RuleId::as_str).chain(self.episodes.iter().map(EpisodeId::as_str));
        let of_answers =
            self.answers.iter().map(AnswerId::as_str).chain(self.journal.iter().map(JournalEntryId::as_str));
        ids.chain(of_answers).any(|id| text.contains(id))
    }

    /// The traces that contain the words, and where.
    pub(crate) fn traces(&self, db: &Connection) -> Result<Vec<(GenerationId, Holding)>> {
        let mut found = Vec::new();
        if self.is_empty() {
            return Ok(found);
        }
        let mut statement = db.prepare("SELECT generation_id, refs, cut FROM traces WHERE blanked_at IS NULL")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: GenerationId = row.get(0)?;
            let (refs, cut) = (row.get_ref(1)?, row.get_ref(2)?);
            let (refs, cut) = (refs.as_str().unwrap_or_default(), cut.as_str().unwrap_or_default());
            let in_prompt = self.generations.contains(&id)
                || self.is_named_in(refs)
                    && stored::parse::<Vec<Reference>>(refs)?.iter().any(|reference| self.is_of(reference));
            if in_prompt {
                found.push((id, Holding::Prompt));
            } else if self.is_named_in(cut) && stored::parse::<Vec<CutItem>>(cut)?.iter().any(|item| self.is_cut(item))
            {
                found.push((id, Holding::Cut));
            }
        }
        Ok(found)
    }

    /// The verdicts on the targets.
    fn notes(&self, db: &Connection) -> Result<Vec<(GenerationId, String)>> {
        let mut statement = db.prepare_cached(
            "SELECT generation_id, reference_id, episode_id FROM trace_feedback WHERE note IS NOT NULL",
        )?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, Option<EpisodeId>>(2)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (generation, reference, episode) = row?;
            let is_about = match reference.split_once(':') {
                Some(("rule", id)) => self.rules.contains(&id.into()),
                Some((_, id)) => self.episodes.contains(&id.into()),
                None => false,
            };
            if is_about || episode.is_some_and(|id| self.episodes.contains(&id)) {
                found.push((generation, reference));
            }
        }
        Ok(found)
    }

    /// Places in `episodes.db` that contain the words because of these targets.
    pub(crate) fn count(&self, db: &Connection) -> Result<WordCounts> {
        let many = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let remarks = if self.rules.is_empty() { 0 } else { self.present(db)?.len() };
        Ok(WordCounts {
            traces: many(self.traces(db)?.len()),
            notes: many(self.notes(db)?.len()),
            remarks: many(remarks),
            ..WordCounts::default()
        })
    }

    /// The target episodes that still exist.
    pub(crate) fn present(&self, db: &Connection) -> Result<Vec<EpisodeId>> {
        let mut present = Vec::new();
        for id in &self.episodes {
            if episodes::row_of(db, id)?.is_some() {
                present.push(id.clone());
            }
        }
        present.sort_unstable();
        Ok(present)
    }

    /// Deletes the episodes like a deletion by the writer, with the verdicts and answers, and redacts the journal
    /// entries; returns the deleted rows.
    pub(crate) fn delete_episodes(&self, tx: &Tx<'_>) -> Result<Vec<i64>> {
        for (generation, reference) in self.notes(tx)? {
            tx.prepare_cached("UPDATE trace_feedback SET note = NULL WHERE generation_id = ?1 AND reference_id = ?2")?
                .execute(params![generation, reference])?;
        }
        let mut removed_rows = Vec::new();
        for id in &self.journal {
            removed_rows.extend(journal::redact(tx, id)?);
        }
        for id in &self.answers {
            let project_id = answers::project_of(tx, id)?;
            removed_rows.extend(journal::redact_about(tx, project_id.as_ref(), id.as_str())?);
            removed_rows.extend(answers::delete_as_writer(tx, id)?);
            self.erase_questions(tx, id)?;
        }
        for id in &self.episodes {
            let project_id = episodes::project_of(tx, id)?;
            removed_rows.extend(journal::redact_about(tx, project_id.as_ref(), id.as_str())?);
        }
        for id in self.present(tx)? {
            let Some(project) = episodes::project_of(tx, &id)? else { continue };
            removed_rows.extend(episodes::delete_as_writer(tx, &id)?);
            evidence::note_deleted(tx, &project, &id)?;
        }
        Ok(removed_rows)
    }

    /// Notes that a record of a study was refused, and removes the words of the questions of the study that an answer
    /// answered, and the failures with them.
    fn erase_questions(&self, tx: &Tx<'_>, answer_id: &AnswerId) -> Result<()> {
        studied_records::refuse(tx, answer_id)?;
        let is_erased = |project_id: &ProjectId, words: &str| {
            questions::deletion_ids(project_id, words).iter().any(|id| self.question_ids.contains(id))
        };
        let signatures = questions::erase_words(tx, answer_id, is_erased)?;
        failures::delete_of_questions(tx, &signatures, is_erased)
    }

    /// Removes the words from a trace.
    pub(crate) fn erase_trace(&self, tx: &Tx<'_>, generation_id: &GenerationId, holding: Holding) -> Result<()> {
        match holding {
            Holding::Prompt => blank(tx, generation_id, self.at),
            Holding::Cut => {
                let cut: Vec<CutItem> = tx
                    .prepare_cached("SELECT cut FROM traces WHERE generation_id = ?1")?
                    .query_row([generation_id], |row| stored::parse(row.get_ref(0)?.as_str()?))?;
                let cut: Vec<CutItem> = cut
                    .into_iter()
                    .map(|item| if self.is_cut(&item) { CutItem { text: String::new(), ..item } } else { item })
                    .collect();
                tx.prepare_cached("UPDATE traces SET cut = ?2 WHERE generation_id = ?1")?
                    .execute(params![generation_id, stored::json(&cut)?])?;
                Ok(())
            }
        }
    }
}

/// Applies erasures to a whole `episodes.db`; returns the deleted rows. Terms of deleted texts stay in the pages of the
/// word index until it is purged.
pub(crate) fn apply_to_episodes(tx: &Tx<'_>, erasures: &[Erasure]) -> Result<Vec<i64>> {
    apply_targets(tx, &ErasureTargets::from_erasures(tx, erasures)?)
}

fn apply_targets(tx: &Tx<'_>, targets: &ErasureTargets) -> Result<Vec<i64>> {
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    let held = targets.traces(tx)?;
    let removed_rows = targets.delete_episodes(tx)?;
    for (generation, holding) in held {
        targets.erase_trace(tx, &generation, holding)?;
    }
    Ok(removed_rows)
}

/// [`apply_to_episodes`] and a purge of the word index: for a file without concurrent readers. An older file has the
/// question of an answer that it does not have yet: `deletions` have its ids.
pub(crate) fn apply_to_copy(tx: &Tx<'_>, erasures: &[Erasure], deletions: &[Deletion]) -> Result<()> {
    if erasures.iter().any(|one| one.kind != ErasureKind::Names) {
        let mut targets = ErasureTargets::from_erasures(tx, erasures)?;
        let is_of_answer = |deletion: &&Deletion| {
            let is_same = |one: &Erasure| one.kind == ErasureKind::Answer && one.requested_at == deletion.at;
            deletion.kind == deletions::QUESTION && erasures.iter().any(is_same)
        };
        targets.question_ids.extend(deletions.iter().filter(is_of_answer).map(|deletion| deletion.id.clone()));
        apply_targets(tx, &targets)?;
        words::purge_whole(tx)?;
    }
    Ok(())
}

/// A trace without its texts: roles, references, weights and the prompt's hash stay.
#[must_use]
pub(crate) fn without_words(messages: Vec<Message>, references: Vec<Reference>, cut: Vec<CutItem>) -> Wordless {
    Wordless {
        messages: messages.into_iter().map(|one| Message { content: String::new(), ..one }).collect(),
        references: references.into_iter().map(|one| Reference { text: String::new(), ..one }).collect(),
        cut: cut.into_iter().map(|one| CutItem { text: String::new(), ..one }).collect(),
    }
}

/// The lists of a trace, without texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wordless {
    /// Empty messages.
    pub messages: Vec<Message>,
    /// References without their texts.
    pub references: Vec<Reference>,
    /// Cut items without their texts.
    pub cut: Vec<CutItem>,
}

/// Removes the words from a trace and updates its seal and the seals of its measurements. A row whose seal did not
/// match before still does not match.
fn blank(tx: &Tx<'_>, generation_id: &GenerationId, at: Time) -> Result<()> {
    let read = tx
        .prepare_cached("SELECT messages, refs, cut, prompt_hash, seal FROM traces WHERE generation_id = ?1")?
        .query_row([generation_id], |row| {
            let (messages, refs) = (row.get::<_, String>(0)?, row.get::<_, String>(1)?);
            let cut: Vec<CutItem> = stored::parse(row.get_ref(2)?.as_str()?)?;
            Ok((messages, refs, cut, row.get::<_, String>(3)?, row.get::<_, Option<String>>(4)?))
        })?;
    let (messages, refs, cut, prompt_hash, seal) = read;
    let is_sound = seal.as_ref().is_some_and(|seal| *seal == traces::seal(&prompt_hash, &messages, &refs));
    let measured = if is_sound { influences::sound_of(tx, generation_id)? } else { Vec::new() };
    let Wordless { messages, references, cut } = without_words(stored::parse(&messages)?, stored::parse(&refs)?, cut);
    let (messages, refs) = (stored::json(&messages)?, stored::json(&references)?);
    let seal = if is_sound { Some(traces::seal(&prompt_hash, &messages, &refs)) } else { seal };
    tx.prepare_cached(
        "UPDATE traces SET messages = ?2, refs = ?3, cut = ?4, blanked_at = ?5, seal = ?6 WHERE generation_id = ?1",
    )?
    .execute(params![generation_id, messages, refs, stored::json(&cut)?, at.millis(), seal])?;
    if let Some(seal) = seal {
        influences::seal_again(tx, generation_id, &seal, &measured)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
