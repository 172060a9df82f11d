//! Traces: of this program's generations, and of an editor's that asks a model by itself.

use palimpsest_memory::{
    Assembled, NewTrace,
    model::{AssembleRequest, JudgedTrace, Trace, TraceFeedback},
    ports::ModelInfo,
};

use crate::{
    Api,
    dto::{OfGeneration, RecordTrace},
    error::ApiError,
};

/// Drafts of one generation: as many as an episode may have candidates.
const MAX_DRAFTS: usize = 16;
/// The longest draft, as the longest text of an episode.
const MAX_DRAFT_BYTES: usize = 100_000;
const PROVIDER_CHARS: usize = 40;
const MODEL_CHARS: usize = 200;

impl Api {
    pub(crate) fn trace_get(&self, of: OfGeneration) -> Result<Trace, ApiError> {
        self.engine.trace(&of.project_id, &of.generation_id)
    }

    pub(crate) fn trace_feedback(&self, said: TraceFeedback) -> Result<JudgedTrace, ApiError> {
        Ok(self.tell(self.engine.judge(&said)?))
    }

    pub(crate) fn trace_record(&self, args: RecordTrace) -> Result<Trace, ApiError> {
        let RecordTrace { project_id, generation_id, request, provider, model, seed, drafts } = args;
        let drafts = drafts.unwrap_or_default();
        check(&drafts)?;
        let generation_id = match (generation_id, request) {
            (Some(_), None) if drafts.is_empty() => return Err(ApiError::invalid("drafts", "at least one")),
            (Some(id), None) => self.engine.trace(&project_id, &id)?.generation_id,
            (None, Some(request)) if request.project_id == project_id => {
                let writer = ModelInfo {
                    provider: named("provider", provider, PROVIDER_CHARS)?,
                    model: named("model", model, MODEL_CHARS)?,
                    sample: false,
                };
                self.begin_foreign(&request, writer, seed)?
            }
            (None, Some(_)) => return Err(ApiError::invalid("request.projectId", "another book than projectId")),
            _ => return Err(ApiError::invalid("request", "either a request or a generationId")),
        };
        if !drafts.is_empty() {
            let numbered: Vec<(u32, &str)> = (0..).zip(drafts.iter().map(String::as_str)).collect();
            self.tell(self.engine.measure_drafts(&project_id, &generation_id, &numbered)?);
            let references = self.engine.trace(&project_id, &generation_id)?.references;
            // As with this program's own: only being in the prompt of a generation that ran counts as a recall.
            self.tell(self.engine.count_recalls(&project_id, &references)?);
        }
        self.engine.trace(&project_id, &generation_id)
    }

    /// Writes the trace of what an editor is about to send, and says which it is.
    fn begin_foreign(
        &self,
        request: &AssembleRequest,
        provider: ModelInfo,
        seed: Option<u32>,
    ) -> Result<String, ApiError> {
        // No clearing comes between the prompt and its trace.
        let _open = self.engine.visit(&request.project_id);
        let Assembled { context, names_unread, .. } = self.engine.assemble(request)?;
        if let Some(error) = names_unread {
            return Err(error);
        }
        let seed = seed.unwrap_or_else(|| self.ids.seed());
        let trace = self.tell(self.engine.begin_trace(NewTrace { request, context: &context, provider, seed })?);
        // Nothing of it is made anew here, whatever the model can read.
        self.engine.settle_trace(&trace.generation_id);
        Ok(trace.generation_id)
    }
}

fn named(field: &str, name: Option<String>, most: usize) -> Result<String, ApiError> {
    let name = name.map(|name| name.trim().to_owned()).unwrap_or_default();
    match name.chars().count() {
        count if (1..=most).contains(&count) && !name.contains(char::is_control) => Ok(name),
        _ => Err(ApiError::invalid(field, format!("1 to {most} characters on one line"))),
    }
}

fn check(drafts: &[String]) -> Result<(), ApiError> {
    if drafts.len() > MAX_DRAFTS {
        return Err(ApiError::invalid("drafts", format!("more than {MAX_DRAFTS}")));
    }
    match drafts.iter().position(|draft| draft.trim().is_empty() || draft.len() > MAX_DRAFT_BYTES) {
        Some(at) => Err(ApiError::invalid(format!("drafts[{at}]"), format!("not 1 to {MAX_DRAFT_BYTES} bytes"))),
        None => Ok(()),
    }
}
