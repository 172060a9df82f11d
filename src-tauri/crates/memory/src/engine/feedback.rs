//! The writer's verdict on the memories that went into a generation: right, wrong, or not here.
//!
//! Two files are written, one after the other. Invariant: a "wrong" counts once, however often it is interrupted and
//! repeated. A verdict against a rule is stored under its time: `episodes.db` has that time first, and `rules.db`
//! accepts each time once. A verdict that is taken back is removed from `rules.db` before `episodes.db` deletes its
//! time.

use super::{Engine, episode_lifecycle, working};
use crate::{
    episodic::record::{self, RemarkDraft},
    error::{Code, Error, Result},
    model::{
        Changed, Episode, EpisodeFeedback, EpisodeId, FeedbackSignal, ImplicitSignal, JudgedTrace, Language, Reference,
        ReferenceKind, Rule, RuleChange, Time, Topic, Trace, TraceFeedback, TraceVerdict, Verdict,
    },
    semantic::rules as next,
    storage::{
        feedback::{self, StoredVerdict},
        rules, tombstones,
    },
    validate,
};

impl Engine {
    /// Records the writer's verdict on a memory in a generation. The same verdict again changes nothing, except that a
    /// reason given with it is added; a different verdict replaces it. "Wrong" on a rule counts against it as four
    /// disagreements, and the second one keeps it out of prompts until the writer confirms, edits or deletes it; a
    /// confirmed rule is only challenged.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for a reference that the trace does not have, `MEMORY_NOT_FOUND`,
    /// `MEMORY_SCOPE_DENIED` for a generation of another project; those of the store.
    pub fn judge(&self, said: &TraceFeedback) -> Result<Changed<JudgedTrace>> {
        let book = self.visit(&said.project_id)?;
        validate::identity("referenceId", &said.reference_id)?;
        if let Some(note) = &said.note {
            validate::some_text("note", note, validate::REMARK)?;
        }
        let _one_at_a_time = self.traces.lock_verdicts();
        let trace = self.trace(&said.project_id, &said.generation_id)?;
        let reference = trace.references.iter().find(|reference| reference.reference_id == said.reference_id);
        let reference = reference.ok_or_else(|| Error::invalid("referenceId", "the trace has no such reference"))?;
        let db = self.stores.episodes.open()?;
        let had = feedback::get(&*db.reader()?, &said.generation_id, &said.reference_id)?;
        let is_rule = reference.kind == ReferenceKind::Rule;

        let mut what = vec![Topic::Traces];
        let mut changed = had.as_ref().is_none_or(|had| had.said.verdict != said.verdict);
        let mut at = had.as_ref().map(|had| had.said.at);
        if changed {
            if let Some(had) = had.as_ref().filter(|had| had.said.verdict == Verdict::Wrong) {
                self.withdraw_verdict(&trace, reference, had)?;
                what.extend([Topic::Rules, Topic::Episodes]);
            }
            let now = self.clock.now();
            let time = feedback::next_time(&*db.reader()?, &said.project_id, &said.reference_id, now)?;
            at = Some(time);
            let rule = if is_rule && said.verdict == Verdict::Wrong { self.rule_of(&trace, reference)? } else { None };
            let episode = rule.map(|rule| {
                let words = dispute_text(book.language, &rule, said.note.as_deref());
                dispute_episode(&trace, words, self.ids.next(now).into(), now)
            });
            let verdict = StoredVerdict {
                said: TraceVerdict {
                    reference_id: said.reference_id.clone(),
                    verdict: said.verdict,
                    at: time,
                    note: said.note.clone(),
                },
                episode_id: episode.as_ref().map(|episode| episode.id.clone()),
            };
            let cited = self.cited_when_full(&db, &said.project_id)?;
            let pause = self.learning.pause(&self.stores);
            let removed_rows = db.write("record a verdict", |tx| {
                feedback::upsert(tx, &trace, &verdict)?;
                match &episode {
                    Some(episode) => episode_lifecycle::admit(tx, episode, &[], book.language, &cited, pause, now),
                    None => Ok(Vec::new()),
                }
            })?;
            self.retrieval.remove_rows(&removed_rows);
            if episode.is_some() {
                what.push(Topic::Episodes);
            }
        } else if let (Some(had), Some(note)) = (had, &said.note)
            && had.said.note.as_ref() != Some(note)
        {
            // The same verdict, now with a reason. It keeps its time, so nothing is counted twice.
            self.add_note(&trace, had, note)?;
            changed = true;
            what.push(Topic::Episodes);
        }
        // Also for a repeated verdict: the first attempt may have been interrupted here.
        if let Some(at) = at.filter(|_| is_rule && said.verdict == Verdict::Wrong)
            && self.dispute(&trace, reference, at)?
        {
            what.push(Topic::Rules);
        }
        let trace = self.trace(&said.project_id, &said.generation_id)?;
        // A global rule concerns every project.
        let concerned = if what.contains(&Topic::Rules) { None } else { Some(said.project_id.clone()) };
        Ok(Changed::new(JudgedTrace { trace, changed }, concerned, what))
    }

    /// Records the reason of a verdict; the verdict's episode, where there is one, gets it too, and the next run reads
    /// it.
    fn add_note(&self, trace: &Trace, had: StoredVerdict, note: &str) -> Result<()> {
        let episode = had.episode_id.clone();
        let verdict = StoredVerdict { said: TraceVerdict { note: Some(note.to_owned()), ..had.said }, ..had };
        self.stores.episodes.open()?.write("record a remark", |tx| feedback::upsert(tx, trace, &verdict))?;
        let Some(episode_id) = episode else { return Ok(()) };
        let remark = EpisodeFeedback {
            project_id: Some(trace.project_id.clone()),
            episode_id,
            signal: FeedbackSignal::Explicit,
            text: Some(note.to_owned()),
        };
        match self.feedback(&remark) {
            // Deleted meanwhile, or its remarks are full: the note itself is stored.
            Err(error) if !matches!(error.code, Code::NotFound | Code::InvalidArgument) => Err(error),
            _ => Ok(()),
        }
    }

    /// The rule of a reference in its present version; `None` for a deleted rule, a shipped rule, or one that now
    /// belongs to another project.
    fn rule_of(&self, trace: &Trace, reference: &Reference) -> Result<Option<Rule>> {
        let found = rules::get(&*self.stores.rules.open()?.reader()?, &reference.id.as_str().into())?;
        Ok(found.filter(|rule| rule.project_id.as_ref().is_none_or(|id| *id == trace.project_id)))
    }

    /// Counts a "wrong" against a rule, once; returns whether it did.
    fn dispute(&self, trace: &Trace, reference: &Reference, at: Time) -> Result<bool> {
        let now = self.clock.now();
        self.stores.rules.open()?.write("record a disputed rule", |tx| {
            let Some(rule) = rules::get(tx, &reference.id.as_str().into())? else { return Ok(false) };
            if rule.project_id.as_ref().is_some_and(|id| *id != trace.project_id)
                || !tombstones::insert_verdict(tx, &trace.project_id, &rule, at)?
            {
                return Ok(false);
            }
            rules::upsert(tx, &next::disputed(rule, now), RuleChange::Disputed, None)?;
            Ok(true)
        })
    }

    /// Takes a "wrong" back: it no longer counts, and its episode is deleted.
    fn withdraw_verdict(&self, trace: &Trace, reference: &Reference, had: &StoredVerdict) -> Result<()> {
        let now = self.clock.now();
        if reference.kind == ReferenceKind::Rule {
            self.stores.rules.open()?.write("take back a disputed rule", |tx| {
                if tombstones::delete_verdict(tx, &trace.project_id, &reference.id.as_str().into(), had.said.at)?
                    && let Some(rule) = rules::get(tx, &reference.id.as_str().into())?
                {
                    rules::upsert(tx, &next::undisputed(rule, now), RuleChange::Disputed, None)?;
                }
                Ok(())
            })?;
        }
        if let Some(episode) = &had.episode_id {
            match self.delete_episode(&trace.project_id, episode) {
                Err(error) if error.code != Code::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The text of the episode of a "wrong".
fn dispute_text(language: Language, rule: &Rule, note: Option<&str>) -> String {
    let said = match language {
        Language::Zh => format!("这条规则不对：{}", rule.rule),
        Language::En => format!("This rule is wrong: {}", rule.rule),
    };
    match note {
        Some(note) => working::newest_lines(&format!("{said}\n{}", note.trim()), validate::REMARK).to_owned(),
        None => said,
    }
}

/// The episode of a "wrong": it counts against the rule, through the verdict, and has no other effect.
fn dispute_episode(trace: &Trace, words: String, id: EpisodeId, now: Time) -> Episode {
    let said = RemarkDraft {
        project_id: trace.project_id.clone(),
        chapter_id: trace.chapter_id.clone(),
        skill_used: trace.skill.clone(),
        scene_type: trace.scene_type.clone(),
        words,
        signal: ImplicitSignal::StrongNegative,
    };
    record::remark_episode(said, id, now)
}
