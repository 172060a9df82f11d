//! Traces of generations, and the marks that lead from a passage to its trace.

use std::collections::HashMap;

use super::{Engine, episodes::MAX_CANDIDATES, prompts::Assembled};
use crate::{
    error::{Error, Result},
    lock::{Mutex, MutexGuard, Rank},
    model::{
        AssembleRequest, AssembledContext, Changed, ChapterId, EpisodeId, GenerationId, OriginMark, Outcome, ProjectId,
        Reference, ReferenceKind, Time, Topic, Trace,
    },
    ports::{Message, ModelInfo},
    storage::{episodes, feedback, influences, origins, traces},
    validate,
};

/// A generation about to start.
#[derive(Debug)]
pub struct NewTrace<'a> {
    /// The passage and the wishes of the writer.
    pub request: &'a AssembleRequest,
    /// The prompt to send.
    pub context: &'a AssembledContext,
    /// The model.
    pub provider: ModelInfo,
    /// The seed of the run.
    pub seed: u32,
}

/// Generations in progress, and the lock of verdicts.
pub(super) struct Traces {
    /// Generations whose trace is written and which have no text yet, each with its project.
    starting: Mutex<HashMap<GenerationId, ProjectId>>,
    /// Held while a verdict on a generation is recorded.
    verdict: Mutex<()>,
}

impl Default for Traces {
    fn default() -> Self {
        Self { starting: Mutex::new(Rank::Starting, HashMap::new()), verdict: Mutex::new(Rank::Verdict, ()) }
    }
}

impl Traces {
    fn starting(&self) -> MutexGuard<'_, HashMap<GenerationId, ProjectId>> {
        self.starting.lock()
    }

    /// Drops the generations of a project, or of all, that have no text yet: their prompts were cleared.
    pub(super) fn forget(&self, project_id: Option<&ProjectId>) {
        self.starting().retain(|_, project| project_id.is_some_and(|id| id != project));
    }

    /// Excludes other verdicts: a verdict must not change while it is replaced.
    pub(super) fn lock_verdicts(&self) -> MutexGuard<'_, ()> {
        self.verdict.lock()
    }
}

impl Engine {
    /// Writes the trace of a generation as it starts. A trace is never recomputed: later memories would falsify it.
    ///
    /// # Errors
    /// Those of the store.
    pub fn begin_trace(&self, new: NewTrace<'_>) -> Result<Changed<Trace>> {
        self.begin_trace_as(self.ids.next(self.clock.now()).into(), new, None)
    }

    /// Writes the trace of a second try of a generation, whose prompt is never shortened.
    ///
    /// # Errors
    /// As [`Engine::begin_trace`].
    pub fn begin_second_trace(&self, first: &GenerationId, new: NewTrace<'_>) -> Result<Changed<Trace>> {
        let trace = self.begin_trace_as(self.ids.next(self.clock.now()).into(), new, Some(first))?;
        self.finalize_trace(&trace.value.generation_id);
        Ok(trace)
    }

    /// Writes the trace of a generation under a given id.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn begin_trace_as(
        &self,
        generation_id: GenerationId,
        new: NewTrace<'_>,
        first_try: Option<&GenerationId>,
    ) -> Result<Changed<Trace>> {
        let _open = self.visit(&new.request.project_id)?;
        let trace = Trace { first_try: first_try.cloned(), ..traced(generation_id, new, self.clock.now()) };
        self.stores.episodes.open()?.write("write a trace", |tx| traces::insert(tx, &self.as_may_be_traced(&trace)))?;
        self.traces.starting().insert(trace.generation_id.clone(), trace.project_id.clone());
        let project = trace.project_id.clone();
        Ok(Changed::new(trace, Some(project), [Topic::Traces]))
    }

    /// Replaces the trace of a generation because a shorter prompt is sent: the model could not read the first one.
    /// Only while the generation has no text, so that a passage keeps the trace that was written when it began.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` when it has text, or the generation is not of this session; those of the store.
    pub fn begin_trace_again(&self, generation_id: &GenerationId, new: NewTrace<'_>) -> Result<Changed<Trace>> {
        let _open = self.visit(&new.request.project_id)?;
        // Held throughout: no text can come in between.
        let starting = self.traces.starting();
        if !starting.contains_key(generation_id) {
            return Err(Error::invalid("generationId", "it has begun to write"));
        }
        let trace = traced(generation_id.clone(), new, self.clock.now());
        self.stores.episodes.open()?.write("write a trace again", |tx| {
            traces::delete(tx, generation_id)?;
            traces::insert(tx, &self.as_may_be_traced(&trace))
        })?;
        let project = trace.project_id.clone();
        Ok(Changed::new(trace, Some(project), [Topic::Traces]))
    }

    /// Makes a trace final: the generation has text, or has ended.
    pub fn finalize_trace(&self, generation_id: &GenerationId) {
        self.traces.starting().remove(generation_id);
    }

    /// Writes the trace of a prompt that another editor is about to send to a model; its messages are the ones to send.
    /// `order` are the chapters of the book.
    ///
    /// # Errors
    /// As [`Engine::assemble`]; `MEMORY_INVALID_ARGUMENT` for a provider or model without a name; those of the store,
    /// and those of the names to be hidden: then nothing may be sent.
    pub fn begin_foreign_trace(
        &self,
        request: &AssembleRequest,
        order: &[ChapterId],
        provider: ModelInfo,
        seed: u32,
    ) -> Result<Changed<Trace>> {
        validate::label("provider", &provider.provider)?;
        validate::identity("model", &provider.model)?;
        // No clearing comes between the prompt and its trace.
        let _open = self.visit(&request.project_id)?;
        let Assembled { context, names_unread, .. } = self.assemble(request, order)?;
        if let Some(error) = names_unread {
            return Err(error);
        }
        let trace = self.begin_trace(NewTrace { request, context: &context, provider, seed })?;
        // This prompt is never shortened, whatever the model can read.
        self.finalize_trace(&trace.value.generation_id);
        Ok(trace)
    }

    /// Stores the drafts of another editor's model, in the order in which the writer saw them: they are measured
    /// against the memories in the prompt, which count as recalled. Idempotent.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`; those of the store.
    pub fn end_foreign_trace(
        &self,
        project_id: &ProjectId,
        generation_id: &GenerationId,
        drafts: &[String],
    ) -> Result<Changed<Trace>> {
        check_drafts(drafts)?;
        let before = self.trace(project_id, generation_id)?;
        let numbered: Vec<(u32, &str)> = (0..).zip(drafts.iter().map(String::as_str)).collect();
        drop(self.measure_drafts(project_id, generation_id, &numbered)?);
        if before.influences.is_empty() {
            // As with this program's own generations: only the prompt of a generation that ran counts.
            drop(self.count_recalls(project_id, &before.references)?);
        }
        let trace = self.trace(project_id, generation_id)?;
        Ok(Changed::new(trace, Some(project_id.clone()), [Topic::Traces, Topic::Episodes]))
    }

    /// Counts the recall of every episode in the prompt of a generation that has run.
    ///
    /// # Errors
    /// Those of the store.
    pub fn count_recalls(&self, project_id: &ProjectId, references: &[Reference]) -> Result<Changed<()>> {
        let recalled: Vec<EpisodeId> = references
            .iter()
            .filter(|reference| reference.kind == ReferenceKind::Episode)
            .map(|reference| reference.id.as_str().into())
            .collect();
        if !recalled.is_empty() {
            let _open = self.visit(project_id)?;
            let now = self.clock.now();
            self.stores
                .episodes
                .open()?
                .write("count recalls", |tx| episodes::mark_recalled(tx, project_id, &recalled, now))?;
        }
        Ok(Changed::new((), Some(project_id.clone()), [Topic::Episodes]))
    }

    /// The trace of a generation with its outcome.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_SCOPE_DENIED` when it belongs to another project.
    pub fn trace(&self, project_id: &ProjectId, generation_id: &GenerationId) -> Result<Trace> {
        let _open = self.visit(project_id)?;
        validate::identity("generationId", generation_id.as_str())?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let mut trace =
            traces::get(&reader, generation_id)?.ok_or_else(|| Error::not_found("generationId", "generation"))?;
        if trace.project_id != *project_id {
            return Err(Error::scope_denied("generation"));
        }
        trace.feedback = feedback::of_generation(&reader, generation_id)?;
        if let Some((episode, outcome)) = episodes::outcome_of(&reader, project_id, generation_id)? {
            trace.episode_id = Some(episode);
            trace.outcome = Some(outcome);
        }
        let taken = trace.outcome.as_ref().and_then(Outcome::taken);
        trace.influences = influences::of_draft(&reader, generation_id, taken)?;
        trace.second_try = traces::second_try_of(&reader, project_id, generation_id)?;
        if let Some(first) = &trace.first_try
            && traces::seal_of(&reader, project_id, first)?.is_none()
        {
            trace.first_try = None;
        }
        Ok(trace)
    }

    /// The ranges of a chapter that generations wrote, as of its last save.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn origins(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Vec<OriginMark>> {
        let _open = self.visit(project_id)?;
        origins::list(&*self.stores.episodes.open()?.reader()?, project_id, chapter_id)
    }

    /// Replaces the marks of a chapter.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_INVALID_ARGUMENT`, those of the store.
    pub fn set_origins(
        &self,
        project_id: &ProjectId,
        chapter_id: &ChapterId,
        marks: &[OriginMark],
    ) -> Result<Changed<()>> {
        let _open = self.visit(project_id)?;
        validate::identity("chapterId", chapter_id.as_str())?;
        for (n, mark) in marks.iter().enumerate() {
            validate::identity(&format!("origins[{n}].generationId"), mark.generation_id.as_str())?;
            if mark.from >= mark.to {
                return Err(Error::invalid(format!("origins[{n}]"), "ends before it begins"));
            }
        }
        self.stores
            .episodes
            .open()?
            .write("write marks of origin", |tx| origins::replace(tx, project_id, chapter_id, marks))?;
        Ok(Changed::new((), Some(project_id.clone()), [Topic::Traces]))
    }
}

/// Checks drafts before anything is changed.
pub(super) fn check_drafts(drafts: &[String]) -> Result<()> {
    if drafts.is_empty() || drafts.len() > MAX_CANDIDATES {
        return Err(Error::invalid("drafts", format!("not 1 to {MAX_CANDIDATES} of them")));
    }
    let mut numbered = drafts.iter().enumerate();
    numbered.try_for_each(|(n, draft)| validate::some_text(&format!("drafts[{n}]"), draft, validate::TEXT))
}

/// Identifies a prompt: BLAKE3 over its messages, hexadecimal.
pub(super) fn prompt_hash(messages: &[Message]) -> String {
    let mut hasher = blake3::Hasher::new();
    for message in messages {
        hasher.update(message.content.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex().to_string()
}

fn traced(generation_id: GenerationId, new: NewTrace<'_>, now: Time) -> Trace {
    let NewTrace { request, context, provider, seed } = new;
    Trace {
        generation_id,
        project_id: request.project_id.clone(),
        chapter_id: request.chapter_id.clone(),
        skill: request.skill.clone(),
        scene_type: context.scene_type.clone(),
        created_at: now,
        provider,
        seed,
        prompt_hash: prompt_hash(&context.messages),
        messages: context.messages.clone(),
        total_tokens: context.total_tokens,
        references: context.references.clone(),
        cut: context.cut.clone(),
        memory_degraded: context.memory_degraded,
        degraded_reasons: context.degraded_reasons.clone(),
        feedback: Vec::new(),
        influences: Vec::new(),
        episode_id: None,
        outcome: None,
        blanked_at: None,
        first_try: None,
        second_try: None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{error::Code, model::Language, testing::open_engine};

    #[test]
    fn a_trace_may_change_until_the_first_word_has_come_and_never_afterwards() {
        let folder = tempfile::TempDir::new().unwrap();
        let engine = open_engine(folder.path(), &Arc::default());
        let book = engine.open_project(&"book".into(), "夜航", Language::Zh, None).unwrap().value.project_id;
        let request = |before: &str| AssembleRequest::new(book.clone(), "one", "continue", before);
        let provider = ModelInfo { provider: "openAi".into(), model: "scribe".into(), sample: false };
        let (long, short) = (request("雨夜，手稿。"), request("手稿。"));
        let context = |request| engine.assemble(request, &[]).unwrap().context;
        let (long_context, short_context) = (context(&long), context(&short));
        let new = |request, context| NewTrace { request, context, provider: provider.clone(), seed: 1 };
        let generation = engine.begin_trace(new(&long, &long_context)).unwrap().value.generation_id;

        let again = engine.begin_trace_again(&generation, new(&short, &short_context)).unwrap().value;
        assert_eq!(engine.trace(&book, &generation).unwrap(), again);
        assert_eq!(again.messages, short_context.messages);

        engine.finalize_trace(&generation);
        let refused = engine.begin_trace_again(&generation, new(&long, &long_context)).unwrap_err();
        assert_eq!(refused.code, Code::InvalidArgument);
        assert_eq!(engine.trace(&book, &generation).unwrap(), again);
        let unknown = engine.begin_trace_again(&"another".into(), new(&long, &long_context));
        assert!(unknown.is_err());
    }
}
