//! Traces of generations, and the marks that lead from a passage to its trace.

use super::Engine;
use crate::{
    error::{Error, Result},
    model::{AssembleRequest, AssembledContext, Changed, OriginMark, ReferenceKind, Topic, Trace},
    ports::ModelInfo,
    storage::{episodes, origins, traces},
    validate,
};

/// A generation that is about to run.
#[derive(Debug)]
pub struct NewTrace<'a> {
    /// What was asked.
    pub request: &'a AssembleRequest,
    /// What is sent.
    pub context: &'a AssembledContext,
    /// Who writes.
    pub provider: ModelInfo,
    /// The seed of the run.
    pub seed: u32,
}

impl Engine {
    /// Writes the trace of a generation, as it starts. Never recomputed: a trace made later, against memories that have
    /// changed, would be fiction.
    ///
    /// # Errors
    /// Those of the store.
    pub fn begin_trace(&self, new: NewTrace<'_>) -> Result<Changed<Trace>> {
        let NewTrace { request, context, provider, seed } = new;
        let now = self.clock.now();
        let mut hasher = blake3::Hasher::new();
        for message in &context.messages {
            hasher.update(message.content.as_bytes());
            hasher.update(&[0]);
        }
        let trace = Trace {
            generation_id: self.ids.next(now),
            project_id: request.project_id.clone(),
            chapter_id: request.chapter_id.clone(),
            skill: request.skill.clone(),
            scene_type: context.scene_type.clone(),
            created_at: now,
            provider,
            seed,
            prompt_hash: hasher.finalize().to_hex().to_string(),
            messages: context.messages.clone(),
            total_tokens: context.total_tokens,
            references: context.references.clone(),
            cut: context.cut.clone(),
            memory_degraded: context.memory_degraded,
            degraded_reasons: context.degraded_reasons.clone(),
            episode_id: None,
            outcome: None,
        };
        self.episodes.open()?.write(|tx| traces::insert(tx, &trace))?;
        let project = trace.project_id.clone();
        Ok(Changed::new(trace, Some(project), [Topic::Traces]))
    }

    /// Counts the recall of every episode that was in the prompt of a generation that has run.
    ///
    /// # Errors
    /// Those of the store.
    pub fn count_recalls(&self, project_id: &str, context: &AssembledContext) -> Result<Changed<()>> {
        let recalled: Vec<&str> = context
            .references
            .iter()
            .filter(|reference| reference.kind == ReferenceKind::Episode)
            .map(|reference| reference.id.as_str())
            .collect();
        if !recalled.is_empty() {
            let now = self.clock.now();
            self.episodes.open()?.write(|tx| episodes::mark_recalled(tx, project_id, &recalled, now))?;
        }
        Ok(Changed::new((), Some(project_id.into()), [Topic::Episodes]))
    }

    /// The trace of a generation, and what became of it.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_SCOPE_DENIED` when it belongs to another book.
    pub fn trace(&self, project_id: &str, generation_id: &str) -> Result<Trace> {
        self.project(project_id)?;
        validate::identity("generationId", generation_id)?;
        let db = self.episodes.open()?;
        let reader = db.reader()?;
        let mut trace =
            traces::get(&reader, generation_id)?.ok_or_else(|| Error::not_found("generationId", "generation"))?;
        if trace.project_id != project_id {
            return Err(Error::scope_denied("generation"));
        }
        if let Some((episode, outcome)) = episodes::outcome_of(&reader, project_id, generation_id)? {
            trace.episode_id = Some(episode);
            trace.outcome = Some(outcome);
        }
        Ok(trace)
    }

    /// Where the passages of a chapter stood that generations wrote, when it was last saved.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn origins(&self, project_id: &str, chapter_id: &str) -> Result<Vec<OriginMark>> {
        self.project(project_id)?;
        origins::list(&*self.episodes.open()?.reader()?, project_id, chapter_id)
    }

    /// Replaces the marks of a chapter.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_INVALID_ARGUMENT`, those of the store.
    pub fn set_origins(&self, project_id: &str, chapter_id: &str, marks: &[OriginMark]) -> Result<Changed<()>> {
        self.project(project_id)?;
        validate::identity("chapterId", chapter_id)?;
        for (n, mark) in marks.iter().enumerate() {
            validate::identity(&format!("origins[{n}].generationId"), &mark.generation_id)?;
            if mark.from >= mark.to {
                return Err(Error::invalid(format!("origins[{n}]"), "ends before it begins"));
            }
        }
        self.episodes.open()?.write(|tx| origins::replace(tx, project_id, chapter_id, marks))?;
        Ok(Changed::new((), Some(project_id.into()), [Topic::Traces]))
    }
}
