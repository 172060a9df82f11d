//! Measuring how much memories weighed by leaving them out: what is to be sent, from the trace alone, and what came of it.
//!
//! No model is asked here, and nothing is written before all has come: [`Engine::plan_masking`], then whoever can ask a
//! model regenerates, then [`Engine::keep_masked`] looks whether the trace is still there.

use std::collections::HashSet;

use palimpsest_text::{
    Language as Script, control, detect_or,
    names::Mask as Names,
    style::{self, measure_as},
};

use super::{Engine, influence::Yardstick};
use crate::{
    context,
    episodic::style::language_of,
    error::{Code, Details, Error, Result},
    model::{Changed, Influence, MeasuredChange, MemoryWeight, Reason, Reference, ReferenceKind, Tier, Topic, Trace},
    ports::Message,
    provenance::{
        likeness::{self, Likeness, Words},
        masked::{self, Mask, Measures},
        weights::weights,
    },
    storage::{episodes, influences, traces},
};

/// A generation that can be measured by leaving memories out, and how.
pub struct Masking {
    trace: Trace,
    candidate: u32,
    candidates: u32,
    language: Script,
    draft: Own,
    /// What is left out now and then: the memories that something can be measured of, by place among the references.
    memories: Vec<(usize, Yardstick)>,
    /// Puts back what is hidden in the messages beyond what was hidden then.
    names: Names,
    names_unread: Option<Error>,
    /// Words are compared too: no name stands for another in what comes back.
    by_words: bool,
}

/// A text in what it is compared by.
struct Own {
    features: Vec<f32>,
    words: Option<Words>,
}

impl Own {
    fn of(text: &str, language: Script) -> Self {
        Self { features: measure_as(text, language).as_slice().to_vec(), words: Some(Words::of(text)) }
    }
}

impl std::fmt::Debug for Masking {
    /// No word of the writer's.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Masking").field("generation", &self.trace.generation_id).finish_non_exhaustive()
    }
}

impl Masking {
    /// The trace as it was when this was planned.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The draft that is measured, by its place on screen.
    #[must_use]
    pub fn candidate(&self) -> u32 {
        self.candidate
    }

    /// How many drafts the generation had, as far as is known.
    #[must_use]
    pub fn candidates(&self) -> u32 {
        self.candidates
    }

    /// How many memories something can be measured of.
    #[must_use]
    pub fn memories(&self) -> usize {
        self.memories.len()
    }

    /// Why the names to be hidden are not known; then nothing must leave the machine.
    #[must_use]
    pub fn names_unread(&self) -> Option<&Error> {
        self.names_unread.as_ref()
    }

    /// Which memories are in each of `runs` regenerations. The same for the same trace.
    #[must_use]
    pub fn masks(&self, runs: usize) -> Vec<Mask> {
        masked::design(self.memories.len(), runs, u64::from(self.trace.seed))
    }

    /// What is sent with these memories: the messages of the trace without the others, and without the names that have come
    /// to be hidden since.
    ///
    /// # Errors
    /// `MEMORY_TRACE_MISMATCH` where the messages do not hold the references.
    pub fn messages(&self, mask: &[bool]) -> Result<Vec<Message>> {
        let left_out: HashSet<&str> = self
            .memories
            .iter()
            .zip(mask)
            .filter(|(_, there)| !**there)
            .filter_map(|((at, _), _)| Some(self.trace.references.get(*at)?.reference_id.as_str()))
            .collect();
        let mut messages =
            context::without(&self.trace.messages, &self.trace.references, &left_out).ok_or_else(mismatch)?;
        for message in &mut messages {
            // Memories first, as whole lines: names of other books are hidden in them alone.
            for reference in shared(&self.trace) {
                let hidden = self.names.hide_shared(&reference.text);
                if hidden != reference.text {
                    message.content = message.content.replacen(&reference.text, &hidden, 1);
                }
            }
            // A trace from before control words were neutralized may hold some.
            message.content = control::neutralize(&self.names.hide(&message.content), &[]);
        }
        Ok(messages)
    }

    /// What each memory being left out changed: the regenerations, one a mask.
    fn influence(&self, masks: &[Mask], texts: &[String], measured_at: crate::model::Time) -> Influence {
        let drafts: Vec<Own> = texts.iter().map(|text| Own::of(&self.names.restore(text), self.language)).collect();
        let mut each: Vec<(Option<f64>, Option<MeasuredChange>)> = vec![(None, None); self.trace.references.len()];
        for (memory, (at, yardstick)) in self.memories.iter().enumerate() {
            let Some(Measures { draft, regenerations }) = self.measures(memory, yardstick, masks, &drafts) else {
                continue;
            };
            let Some(effect) = masked::effect(memory, masks, &regenerations) else { continue };
            let owed = masked::owed(effect, draft, &regenerations);
            if let Some(found) = each.get_mut(*at) {
                *found = (Some(owed), Some(MeasuredChange { by: effect.effect, low: effect.low, high: effect.high }));
            }
        }
        let shares = weights(&each.iter().map(|(owed, _)| *owed).collect::<Vec<_>>());
        let weights = self.trace.references.iter().zip(each).zip(shares.weights);
        let weights = weights.map(|((reference, (effect, change)), weight)| MemoryWeight {
            reference_id: reference.reference_id.clone(),
            weight,
            effect,
            followed: None,
            change,
        });
        Influence {
            tier: Tier::Masked,
            weights: weights.collect(),
            remainder: shares.remainder,
            measured_at,
            candidate: self.candidate,
            regenerations: u32::try_from(texts.len()).ok(),
        }
    }

    fn measures(&self, memory: usize, yardstick: &Yardstick, masks: &[Mask], drafts: &[Own]) -> Option<Measures> {
        match yardstick {
            Yardstick::Rule { feature, direction, .. } => {
                let value = |own: &Own| own.features.get(feature.index()).map(|value| f64::from(*value));
                let values: Vec<f64> = drafts.iter().map(value).collect::<Option<_>>()?;
                Some(masked::of_rule(memory, *direction, value(&self.draft)?, masks, &values))
            }
            Yardstick::Example { style, text } => {
                let deviations = style::default_spread(self.language);
                let words = Words::of(text);
                let like = |own: &Own| Likeness {
                    // Where the words of one are not known, they tell nothing of the others.
                    words: match (&own.words, self.by_words) {
                        (Some(theirs), true) => words.in_draft(theirs),
                        _ => 0.0,
                    },
                    style: likeness::style(style, &own.features, deviations.as_slice()),
                };
                let likenesses: Vec<Likeness> = drafts.iter().map(like).collect();
                masked::of_example(memory, like(&self.draft), masks, &likenesses)
            }
        }
    }
}

impl Engine {
    /// How a generation can be measured by leaving its memories out: the draft that was taken, or else the first. Nothing is
    /// asked of a model and nothing written.
    ///
    /// # Errors
    /// As [`Engine::trace`]; `MEMORY_INVALID_ARGUMENT` with a reason where there is nothing to be measured:
    /// `nothingToMeasure` (of none of its memories), `draftGone` (nothing is known of the draft any more, or not yet), `wordsErased` (its prompt was erased).
    pub fn plan_masking(&self, project_id: &str, generation_id: &str) -> Result<Masking> {
        let book = self.visit(project_id)?;
        let trace = self.trace(project_id, generation_id)?;
        if trace.blanked_at.is_some() {
            return Err(refused(Reason::WordsErased, "its prompt was erased"));
        }
        let taken = trace.outcome.as_ref().and_then(|outcome| u32::try_from(outcome.selected_index).ok());
        let candidate = trace.influences.first().map(|one| one.candidate).or(taken);
        let candidate = candidate.ok_or_else(|| refused(Reason::DraftGone, "nothing is known of its drafts"))?;

        let db = self.episodes.open()?;
        let reader = db.reader()?;
        let episode = match &trace.episode_id {
            Some(id) => episodes::get(&reader, id)?.map(|(episode, _)| episode),
            None => None,
        };
        let told = episode.as_ref().and_then(|one| one.candidates.get(candidate as usize));
        let text = told.filter(|text| !text.trim().is_empty());
        let names = self.names_of(project_id);
        let (language, draft) = match text {
            Some(text) => {
                let language = detect_or(text, language_of(book.language));
                (language, Own::of(text, language))
            }
            None => {
                let kept = influences::draft(&reader, generation_id, candidate, style::VERSION)?
                    .ok_or_else(|| refused(Reason::DraftGone, "the draft is not known any more"))?;
                let words = Words::from_bytes(&kept.words);
                (kept.language, Own { features: kept.features, words })
            }
        };
        let kept = influences::drafts_of(&reader, generation_id)?;
        let written = episode.as_ref().map_or(0, |one| u32::try_from(one.candidates.len()).unwrap_or(0));
        let mut yardsticks = self.yardsticks(&trace, language);
        let memories: Vec<(usize, Yardstick)> = trace
            .references
            .iter()
            .enumerate()
            .filter_map(|(at, one)| Some((at, yardsticks.remove(&one.reference_id)?)))
            .collect();
        if memories.is_empty() {
            return Err(refused(Reason::NothingToMeasure, "nothing can be measured of its memories"));
        }
        let by_words = draft.words.is_some() && names.as_ref().is_ok_and(Vec::is_empty);
        let (names, names_unread) = match names {
            Ok(_) => {
                let said: Vec<&str> = trace.messages.iter().map(|message| message.content.as_str()).collect();
                let shared: Vec<&str> = shared(&trace).map(|one| one.text.as_str()).collect();
                (self.mask_over(project_id, &said, &shared)?, None)
            }
            Err(error) => (Names::default(), Some(error)),
        };
        let candidates = written.max(kept).max(candidate.saturating_add(1));
        let masking =
            Masking { trace, candidate, candidates, language, draft, memories, names, names_unread, by_words };
        // Whether the messages can be taken apart is to be known before anything is paid for.
        masking.messages(&vec![false; masking.memories()])?;
        Ok(masking)
    }

    /// Writes what came of a measurement beside what was estimated, once and never over anything: one regeneration a mask,
    /// in their order.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` where the trace is gone meanwhile: nothing is written then. Those of the store.
    pub fn keep_masked(&self, plan: &Masking, masks: &[Mask], texts: &[String]) -> Result<Changed<Trace>> {
        let Trace { project_id, generation_id, .. } = &plan.trace;
        let _open = self.visit(project_id)?;
        if masks.len() != texts.len() {
            return Err(Error::invalid("regenerations", "not one a mask"));
        }
        let influence = plan.influence(masks, texts, self.clock.now());
        let db = self.episodes.open()?;
        db.write(|tx| {
            let now = traces::get(tx, generation_id)?;
            let same = now.is_some_and(|now| {
                (&now.project_id, &now.prompt_hash, &now.references)
                    == (project_id, &plan.trace.prompt_hash, &plan.trace.references)
            });
            if !same {
                return Err(Error::not_found("generationId", "generation"));
            }
            influences::put(tx, &plan.trace, &influence).map(drop)
        })?;
        let trace = self.trace(project_id, generation_id)?;
        Ok(Changed::new(trace, Some(project_id.clone()), [Topic::Traces]))
    }
}

/// The memories of a prompt in which a rule that holds in all books may be said or quoted.
fn shared(trace: &Trace) -> impl Iterator<Item = &Reference> {
    trace.references.iter().filter(|one| one.kind != ReferenceKind::Working)
}

fn refused(reason: Reason, message: &str) -> Error {
    Error {
        code: Code::InvalidArgument,
        message: message.into(),
        details: Some(Details { field: Some("generationId".into()), reason: Some(reason), ..Details::default() }),
    }
}

fn mismatch() -> Error {
    Error::new(Code::TraceMismatch, "the trace does not agree with its own references")
}
