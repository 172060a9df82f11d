//! The commands about the study of a book. Those about its questions are in `knowledge.rs`.

mod thread;
mod work;

use palimpsest_knowledge::study::{Event, RequestError};
use palimpsest_memory::{
    Code,
    model::{SetStudy, StudyEstimate, StudyState},
};

pub(crate) use self::thread::{StudyParts, StudyThread};
use crate::{Api, dto::ProjectArguments, error::ApiError};

impl Api {
    pub(crate) fn study_get(&self, args: ProjectArguments) -> Result<StudyState, ApiError> {
        self.engine.study_state(&args.project_id)
    }

    pub(crate) fn study_set(&self, args: SetStudy) -> Result<StudyState, ApiError> {
        let host = self.study.host();
        self.emit_changed(self.engine.set_study(&args, host.as_ref().map(|host| host.host.as_str()))?);
        if !args.is_enabled {
            let cancelled = Event::Failed { error: RequestError::Cancelled, jitter: 0.0 };
            return self.study.interrupt(&args.project_id, &cancelled);
        }
        self.study.begin(&args.project_id, &Event::SwitchedOn)
    }

    pub(crate) fn study_estimate(&self, args: ProjectArguments) -> Result<StudyEstimate, ApiError> {
        self.study.estimate(&args.project_id)
    }

    pub(crate) fn study_run(&self, args: ProjectArguments) -> Result<StudyState, ApiError> {
        self.begin_agreed(&args, &Event::Run)
    }

    /// Begins what the writer wants now, with a model whose host the writer agreed to.
    fn begin_agreed(&self, args: &ProjectArguments, event: &Event) -> Result<StudyState, ApiError> {
        let state = self.engine.study_state(&args.project_id)?;
        let host = self.study.host();
        if host.is_none() {
            return Err(ApiError::new(Code::ModelUnavailable, "no model is chosen"));
        }
        if state.agreed_host.is_none() || state.agreed_host != host.map(|host| host.host) {
            return Err(ApiError::invalid("projectId", "has no agreement to its estimate"));
        }
        self.study.begin(&args.project_id, event)
    }

    pub(crate) fn continuity_compare(&self, args: ProjectArguments) -> Result<StudyState, ApiError> {
        self.begin_agreed(&args, &Event::Compare)
    }

    pub(crate) fn continuity_stop(&self, args: ProjectArguments) -> Result<StudyState, ApiError> {
        self.study.interrupt(&args.project_id, &Event::StopComparing)
    }

    pub(crate) fn study_stop(&self, args: ProjectArguments) -> Result<StudyState, ApiError> {
        self.study.interrupt(&args.project_id, &Event::Stop)
    }
}
