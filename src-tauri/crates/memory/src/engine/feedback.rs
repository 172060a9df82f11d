//! The writer's word on the memories that went into a generation: right, wrong, or not here.
//!
//! Two files are written, one after the other. Invariant: however often it is stopped and said again, a "wrong" counts
//! once. What counts against a rule is kept under the time of the verdict: `episodes.db` has that time first, and
//! `rules.db` takes a time once. What is taken back is taken out of `rules.db` before `episodes.db` forgets when it was.

use super::{Engine, life, working};
use crate::{
    episodic::record::{self, Said},
    error::{Code, Error, Result},
    model::{
        Changed, Episode, EpisodeFeedback, FeedbackSignal, ImplicitSignal, JudgedTrace, Language, Reference,
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
    /// Notes what the writer says of a memory in a generation. The same said again changes nothing, but for a reason that
    /// is given with it; something else replaces what was said. "Wrong" on a rule counts against it as four disagreements, and the second time it goes into
    /// no prompt until the writer confirms, edits or deletes it; a rule that the writer agreed to is only challenged.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for a reference that the trace does not have, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`
    /// for a generation of another book; those of the store.
    pub fn judge(&self, said: &TraceFeedback) -> Result<Changed<JudgedTrace>> {
        let book = self.visit(&said.project_id)?;
        validate::identity("referenceId", &said.reference_id)?;
        if let Some(note) = &said.note {
            validate::some_text("note", note, validate::REMARK)?;
        }
        // One at a time: what a verdict replaces must not be replaced meanwhile.
        let _judging = self.judging.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let trace = self.trace(&said.project_id, &said.generation_id)?;
        let reference = trace.references.iter().find(|reference| reference.reference_id == said.reference_id);
        let reference = reference.ok_or_else(|| Error::invalid("referenceId", "the trace has no such reference"))?;
        let db = self.episodes.open()?;
        let had = feedback::get(&*db.reader()?, &said.generation_id, &said.reference_id)?;
        let is_rule = reference.kind == ReferenceKind::Rule;

        let mut what = vec![Topic::Traces];
        let mut changed = had.as_ref().is_none_or(|had| had.said.verdict != said.verdict);
        let mut at = had.as_ref().map(|had| had.said.at);
        if changed {
            if let Some(had) = had.as_ref().filter(|had| had.said.verdict == Verdict::Wrong) {
                self.take_back(&trace, reference, had)?;
                what.extend([Topic::Rules, Topic::Episodes]);
            }
            let now = self.clock.now();
            let time = feedback::next_time(&*db.reader()?, &said.project_id, &said.reference_id, now)?;
            at = Some(time);
            let rule = if is_rule && said.verdict == Verdict::Wrong { self.rule_of(&trace, reference)? } else { None };
            let episode = rule.map(|rule| {
                let words = words(book.language, &rule, said.note.as_deref());
                episode(&trace, words, self.ids.next(now), now)
            });
            let kept = StoredVerdict {
                said: TraceVerdict {
                    reference_id: said.reference_id.clone(),
                    verdict: said.verdict,
                    at: time,
                    note: said.note.clone(),
                },
                episode_id: episode.as_ref().map(|episode| episode.id.clone()),
            };
            let cited = self.cited_when_full(&db, &said.project_id)?;
            let pause = self.pause_of_learning();
            let gone = db.write(|tx| {
                feedback::put(tx, &trace, &kept)?;
                match &episode {
                    Some(episode) => life::admit(tx, episode, &[], book.language, &cited, pause, now),
                    None => Ok(Vec::new()),
                }
            })?;
            self.meaning.remove_rows(&gone);
            if episode.is_some() {
                what.push(Topic::Episodes);
            }
        } else if let (Some(had), Some(note)) = (had, &said.note)
            && had.said.note.as_ref() != Some(note)
        {
            // The same word, and now the reason. It keeps its time: nothing is counted again.
            self.add_note(&trace, had, note)?;
            changed = true;
            what.push(Topic::Episodes);
        }
        // Said again too: the first time may have been stopped here.
        if let Some(at) = at.filter(|_| is_rule && said.verdict == Verdict::Wrong)
            && self.dispute(&trace, reference, at)?
        {
            what.push(Topic::Rules);
        }
        let trace = self.trace(&said.project_id, &said.generation_id)?;
        // A global rule concerns every book.
        let concerned = if what.contains(&Topic::Rules) { None } else { Some(said.project_id.clone()) };
        Ok(Changed::new(JudgedTrace { trace, changed }, concerned, what))
    }

    /// Notes why something was said; the episode of it, where there is one, says so too, and the next run reads it.
    fn add_note(&self, trace: &Trace, had: StoredVerdict, note: &str) -> Result<()> {
        let episode = had.episode_id.clone();
        let kept = StoredVerdict { said: TraceVerdict { note: Some(note.to_owned()), ..had.said }, ..had };
        self.episodes.open()?.write(|tx| feedback::put(tx, trace, &kept))?;
        let Some(episode_id) = episode else { return Ok(()) };
        let remark = EpisodeFeedback {
            project_id: Some(trace.project_id.clone()),
            episode_id,
            signal: FeedbackSignal::Explicit,
            text: Some(note.to_owned()),
        };
        match self.feedback(&remark) {
            // Deleted meanwhile, or full of words already: the note itself is kept.
            Err(error) if !matches!(error.code, Code::NotFound | Code::InvalidArgument) => Err(error),
            _ => Ok(()),
        }
    }

    /// The rule that a reference points at, as it is now; `None` where it is gone, or a shipped one, or another book's now.
    fn rule_of(&self, trace: &Trace, reference: &Reference) -> Result<Option<Rule>> {
        let found = rules::get(&*self.rules.open()?.reader()?, &reference.id)?;
        Ok(found.filter(|rule| rule.project_id.as_deref().is_none_or(|id| id == trace.project_id)))
    }

    /// Counts a "wrong" against a rule, once; says whether it did.
    fn dispute(&self, trace: &Trace, reference: &Reference, at: Time) -> Result<bool> {
        let now = self.clock.now();
        self.rules.open()?.write(|tx| {
            let Some(rule) = rules::get(tx, &reference.id)? else { return Ok(false) };
            if rule.project_id.as_deref().is_some_and(|id| id != trace.project_id)
                || !tombstones::put_verdict(tx, &trace.project_id, &rule, at)?
            {
                return Ok(false);
            }
            rules::put(tx, &next::disputed(rule, now), RuleChange::Disputed, None)?;
            Ok(true)
        })
    }

    /// Takes a "wrong" back: it counts no more, and its episode is gone.
    fn take_back(&self, trace: &Trace, reference: &Reference, had: &StoredVerdict) -> Result<()> {
        let now = self.clock.now();
        if reference.kind == ReferenceKind::Rule {
            self.rules.open()?.write(|tx| {
                if tombstones::take_verdict_back(tx, &trace.project_id, &reference.id, had.said.at)?
                    && let Some(rule) = rules::get(tx, &reference.id)?
                {
                    rules::put(tx, &next::undisputed(rule, now), RuleChange::Disputed, None)?;
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

/// What the episode of a "wrong" says.
fn words(language: Language, rule: &Rule, note: Option<&str>) -> String {
    let said = match language {
        Language::Zh => format!("这条规则不对：{}", rule.rule),
        Language::En => format!("This rule is wrong: {}", rule.rule),
    };
    match note {
        Some(note) => working::newest_lines(&format!("{said}\n{}", note.trim()), validate::REMARK).to_owned(),
        None => said,
    }
}

/// The episode of a "wrong": it counts against the rule, by the verdict, and for nothing else.
fn episode(trace: &Trace, words: String, id: String, now: Time) -> Episode {
    let said = Said {
        project_id: trace.project_id.clone(),
        chapter_id: trace.chapter_id.clone(),
        skill_used: trace.skill.clone(),
        scene_type: trace.scene_type.clone(),
        words,
        signal: ImplicitSignal::StrongNegative,
    };
    record::of_words(said, id, now)
}
