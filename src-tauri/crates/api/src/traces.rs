//! Traces: of this program's generations, and of editors that query a model themselves.

use palimpsest_memory::{
    model::{JudgedTrace, Trace, TraceFeedback},
    ports::ModelInfo,
};

use crate::{
    Api,
    dto::{GenerationArguments, RecordTrace},
    error::ApiError,
};

impl Api {
    pub(crate) fn trace_get(&self, args: GenerationArguments) -> Result<Trace, ApiError> {
        self.engine.trace(&args.project_id, &args.generation_id)
    }

    pub(crate) fn trace_feedback(&self, said: TraceFeedback) -> Result<JudgedTrace, ApiError> {
        let judged = self.emit_changed(self.engine.judge(&said)?);
        // A verdict may record an episode, which is indexed like any other.
        self.indexer.wake();
        Ok(judged)
    }

    pub(crate) fn trace_record(&self, args: RecordTrace) -> Result<Trace, ApiError> {
        let RecordTrace { project_id, generation_id, request, provider, model, seed, drafts } = args;
        match (generation_id, request, drafts) {
            (Some(id), None, drafts) => {
                if self.running.lock().contains_key(&id) {
                    return Err(ApiError::invalid("generationId", "it is still being written, and not by you"));
                }
                Ok(self.emit_changed(self.engine.end_foreign_trace(&project_id, &id, &drafts.unwrap_or_default())?))
            }
            (None, Some(request), None) if request.project_id == project_id => {
                let (provider, model) = (provider.unwrap_or_default(), model.unwrap_or_default());
                let seed = seed.unwrap_or_else(|| self.ids.seed());
                let order = self.known_order(&project_id);
                let begun = self.engine.begin_foreign_trace(
                    &request,
                    &order,
                    ModelInfo { provider, model, sample: false },
                    seed,
                );
                self.wake_after_missed_vectors();
                Ok(self.emit_changed(begun?))
            }
            (None, Some(_), None) => Err(ApiError::invalid("request.projectId", "another book than projectId")),
            (None, Some(_), Some(_)) => Err(ApiError::invalid("drafts", "they come with the generationId")),
            _ => Err(ApiError::invalid("request", "either a request or a generationId")),
        }
    }
}
