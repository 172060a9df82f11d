//! Measuring influence by leaving memories out: the messages to send, computed from the trace alone, and the result.
//!
//! No model is queried here, and nothing is written before all regenerations have come: [`Engine::plan_masking`], then
//! the caller regenerates with a model, then [`Engine::store_masked`] checks that the trace still exists.

use std::collections::HashSet;

use palimpsest_text::{
    Language as Script, control, detect_or,
    names::Mask as Names,
    style::{self, measure_as},
};

use super::{Engine, answers::undo_validations_without_influence, asking::ASK_SKILL, influence::Yardstick};
use crate::{
    context,
    episodic::style::language_of,
    error::{Code, Details, Error, Result},
    model::{
        Changed, GenerationId, Influence, MeasuredChange, MemoryWeight, Outcome, ProjectId, Reason, Reference,
        ReferenceKind, Tier, Topic, Trace,
    },
    ports::Message,
    provenance::{
        likeness::{self, Likeness, Words},
        masked::{self, Mask, Measures},
        weights::weights,
    },
    storage::{episodes, influences, traces},
};

/// A plan to measure a generation by leaving memories out.
pub struct Masking {
    trace: Trace,
    candidate: u32,
    candidates: u32,
    language: Script,
    draft: TextMeasures,
    /// The measurable memories that masks leave out, by place among the references.
    memories: Vec<(usize, Yardstick)>,
    /// Restores the names hidden in the messages in addition to those hidden in the trace.
    names: Names,
    names_unread: Option<Error>,
    /// Words are compared too: no name replaces another in the regenerations.
    by_words: bool,
}

/// The features of a text that are compared.
struct TextMeasures {
    features: Vec<f32>,
    words: Option<Words>,
}

impl TextMeasures {
    fn from_text(text: &str, language: Script) -> Self {
        Self { features: measure_as(text, language).as_slice().to_vec(), words: Some(Words::from_text(text)) }
    }
}

impl std::fmt::Debug for Masking {
    /// No text of the writer's in debug output.
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

    /// The measured draft, by its place on screen.
    #[must_use]
    pub fn candidate(&self) -> u32 {
        self.candidate
    }

    /// Number of drafts of the generation, as far as is known.
    #[must_use]
    pub fn candidates(&self) -> u32 {
        self.candidates
    }

    /// Number of measurable memories.
    #[must_use]
    pub fn memories(&self) -> usize {
        self.memories.len()
    }

    /// Why the names to be hidden are not known; then nothing may be sent.
    #[must_use]
    pub fn names_unread(&self) -> Option<&Error> {
        self.names_unread.as_ref()
    }

    /// The memories in each of `runs` regenerations. Deterministic for a trace.
    #[must_use]
    pub fn masks(&self, runs: usize) -> Vec<Mask> {
        masked::design(self.memories.len(), runs, u64::from(self.trace.seed))
    }

    /// The messages with these memories: those of the trace without the other memories, and without names that became
    /// hidden since.
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
            // Memories first, as whole lines: names of other projects are hidden in them alone.
            for reference in shared(&self.trace) {
                let hidden = self.names.hide_shared(&reference.text);
                if hidden != reference.text {
                    message.content = message.content.replacen(&reference.text, &hidden, 1);
                }
            }
            // A trace from before control words were neutralized may contain some.
            message.content = control::neutralize(&self.names.hide(&message.content), &[]);
        }
        Ok(messages)
    }

    /// The effect of leaving out each memory, from the regenerations, one a mask.
    fn measured_influence(&self, masks: &[Mask], texts: &[String], measured_at: crate::model::Time) -> Influence {
        let drafts: Vec<TextMeasures> =
            texts.iter().map(|text| TextMeasures::from_text(&self.names.restore(text), self.language)).collect();
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

    fn measures(
        &self,
        memory: usize,
        yardstick: &Yardstick,
        masks: &[Mask],
        drafts: &[TextMeasures],
    ) -> Option<Measures> {
        match yardstick {
            Yardstick::Rule { feature, direction, .. } => {
                let value = |own: &TextMeasures| own.features.get(feature.index()).map(|value| f64::from(*value));
                let values: Vec<f64> = drafts.iter().map(value).collect::<Option<_>>()?;
                Some(masked::measure_rule(memory, *direction, value(&self.draft)?, masks, &values))
            }
            Yardstick::Example { style, text } => {
                let deviations = style::default_spread(self.language);
                let words = Words::from_text(text);
                let like = |own: &TextMeasures| Likeness {
                    // Where the words of one text are not known, words are not compared in the others either.
                    words: match (&own.words, self.by_words) {
                        (Some(theirs), true) => words.in_draft(theirs),
                        _ => 0.0,
                    },
                    style: likeness::style(style, &own.features, deviations.as_slice()),
                };
                let likenesses: Vec<Likeness> = drafts.iter().map(like).collect();
                masked::measure_example(memory, like(&self.draft), masks, &likenesses)
            }
        }
    }
}

impl Engine {
    /// Plans the measurement of a generation by leaving its memories out, for the draft that was taken, or else the
    /// first. No model is queried and nothing is written.
    ///
    /// # Errors
    /// As [`Engine::trace`]; `MEMORY_INVALID_ARGUMENT` with a reason where nothing can be measured: `nothingToMeasure`
    /// (none of its memories), `draftGone` (the draft is not known any more, or not yet), `wordsErased` (its prompt was
    /// erased).
    pub fn plan_masking(&self, project_id: &ProjectId, generation_id: &GenerationId) -> Result<Masking> {
        let book = self.visit(project_id)?;
        let trace = self.trace(project_id, generation_id)?;
        if trace.blanked_at.is_some() {
            return Err(masking_error(Reason::WordsErased, "its prompt was erased"));
        }
        let taken = trace.outcome.as_ref().and_then(Outcome::taken);
        let candidate = trace.influences.first().map(|one| one.candidate).or(taken);
        let candidate = candidate.ok_or_else(|| masking_error(Reason::DraftGone, "nothing is known of its drafts"))?;

        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let episode = match &trace.episode_id {
            Some(id) => episodes::get(&reader, id)?.map(|(episode, _)| episode),
            None => None,
        };
        let stored = episode.as_ref().and_then(|one| one.candidates.get(candidate as usize));
        let text = stored.filter(|text| !text.trim().is_empty());
        let names = self.names_of(project_id);
        let (language, draft) = match text {
            Some(text) => {
                let language = detect_or(text, language_of(book.language));
                (language, TextMeasures::from_text(text, language))
            }
            None => {
                let draft = influences::draft(&reader, generation_id, candidate, style::VERSION)?
                    .ok_or_else(|| masking_error(Reason::DraftGone, "the draft is not known any more"))?;
                let words = Words::from_bytes(&draft.words);
                (draft.language, TextMeasures { features: draft.features, words })
            }
        };
        let stored_drafts = influences::drafts_of(&reader, generation_id)?;
        let written = episode.as_ref().map_or(0, |one| u32::try_from(one.candidates.len()).unwrap_or(0));
        let mut yardsticks = self.yardsticks(&trace, language);
        let memories: Vec<(usize, Yardstick)> = trace
            .references
            .iter()
            .enumerate()
            .filter_map(|(at, one)| Some((at, yardsticks.remove(&one.reference_id)?)))
            .collect();
        if memories.is_empty() {
            return Err(masking_error(Reason::NothingToMeasure, "nothing can be measured of its memories"));
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
        let candidates = written.max(stored_drafts).max(candidate.saturating_add(1));
        let masking =
            Masking { trace, candidate, candidates, language, draft, memories, names, names_unread, by_words };
        // Checked before anything is paid for: the messages can be split into memories.
        masking.messages(&vec![false; masking.memories()])?;
        Ok(masking)
    }

    /// Stores the result of a measurement next to the estimate, once, without replacing anything: one regeneration a
    /// mask, in their order. With it the validations of a question are undone for the answers that it named and that
    /// made no measurable difference.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` where the trace was deleted meanwhile: nothing is written then. Those of the store.
    pub fn store_masked(&self, plan: &Masking, masks: &[Mask], texts: &[String]) -> Result<Changed<Trace>> {
        let Trace { project_id, generation_id, .. } = &plan.trace;
        let _open = self.visit(project_id)?;
        if masks.len() != texts.len() {
            return Err(Error::invalid("regenerations", "not one a mask"));
        }
        let influence = plan.measured_influence(masks, texts, self.clock.now());
        let rules = self.standing_rules();
        let db = self.stores.episodes.open()?;
        let has_changed_answers = db.write("write measured weights", |tx| {
            let now = traces::get(tx, generation_id)?;
            let same = now.is_some_and(|now| {
                (&now.project_id, &now.prompt_hash, &now.references)
                    == (project_id, &plan.trace.prompt_hash, &plan.trace.references)
            });
            if !same {
                return Err(Error::not_found("generationId", "generation"));
            }
            if influences::insert(tx, &plan.trace, &influence)? && plan.trace.skill == ASK_SKILL {
                return undo_validations_without_influence(tx, &plan.trace, &influence, rules);
            }
            Ok(false)
        })?;
        let trace = self.trace(project_id, generation_id)?;
        let topics = if has_changed_answers { vec![Topic::Traces, Topic::Answers] } else { vec![Topic::Traces] };
        Ok(Changed::new(trace, Some(project_id.clone()), topics))
    }
}

/// The memories of a prompt that may contain or quote a global rule.
fn shared(trace: &Trace) -> impl Iterator<Item = &Reference> {
    trace.references.iter().filter(|one| matches!(one.kind, ReferenceKind::Rule | ReferenceKind::Episode))
}

fn masking_error(reason: Reason, message: &str) -> Error {
    let details = Details { field: Some("generationId".into()), reason: Some(reason), ..Details::default() };
    Error::with_details(Code::InvalidArgument, message, details)
}

fn mismatch() -> Error {
    Error::new(Code::TraceMismatch, "the trace does not agree with its own references")
}
