//! Learning: the commands for runs and conflicts, and the model for the wording of rules.

use std::{path::PathBuf, sync::Arc};

use palimpsest_memory::{
    Begun, DistillRequest, Engine, Ticket,
    background::Surroundings,
    model::{ChapterId, ProjectId, Purpose, Rule, Run, RunAnswer, RunCause, RunProgress, RunStatus},
    ports::{Completion, GenerationRequest, ModelError, ModelErrorKind, ModelInfo, TextModel},
};
use palimpsest_providers::{BaseUrl, Endpoint, Network, text_model};

use crate::{
    Api, Keys, Writing,
    books::OpenBooks,
    dto::{
        ConflictList, Distill, EmptyAnswer, OptionalProjectArguments, ProjectArguments, ResolveConflict, RuleArguments,
        RuleEpisodes, RuleInProjectArguments, RunArguments, RunList,
    },
    error::ApiError,
    events::{self, EventSink},
    journal::title_of,
    metered::Metered,
    supervise::Task,
    tagger,
};

/// Executes runs and sends their events. Holds only the parts that a run in the background needs.
#[derive(Clone)]
pub(crate) struct Distiller {
    engine: Arc<Engine>,
    keys: Arc<dyn Keys>,
    network: Arc<Network>,
    events: EventSink,
    books: Arc<OpenBooks>,
    /// Templates word all rules, even if the writer has chosen a model.
    templates_only: bool,
    /// The folder of the Chinese tagger.
    tagger: Option<PathBuf>,
}

impl Distiller {
    pub(crate) fn new(
        engine: &Arc<Engine>,
        keys: &Arc<dyn Keys>,
        network: &Arc<Network>,
        events: &EventSink,
        writing: &Writing,
        books: &Arc<OpenBooks>,
        tagger: Option<PathBuf>,
    ) -> Self {
        Self {
            engine: Arc::clone(engine),
            keys: Arc::clone(keys),
            network: Arc::clone(network),
            events: Arc::clone(events),
            books: Arc::clone(books),
            templates_only: matches!(writing, Writing::BuiltIn),
            tagger,
        }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The receiver of events.
    pub(crate) fn events(&self) -> &EventSink {
        &self.events
    }

    /// Executes a run that has begun to its end.
    fn run(&self, ticket: Ticket) -> RunAnswer {
        let ended = self.engine.distill_for(ticket, self);
        if ended.value.status != RunStatus::DryRun {
            events::emit(&self.events, events::MEMORY_CHANGED, &ended.change);
        }
        ended.value
    }
}

impl Surroundings for Distiller {
    /// The model that the writer has chosen for wording rules; without one, templates do it. A chosen model that cannot
    /// be reached is returned as one that fails.
    fn wording_model(&self) -> Option<Box<dyn TextModel>> {
        self.chosen_model(Purpose::Distilling)
    }

    fn journal_model(&self) -> Option<Box<dyn TextModel>> {
        self.chosen_model(Purpose::Journal)
    }

    fn names_in(&self, texts: &[&str]) -> Vec<Vec<String>> {
        tagger::names_in(self.tagger.as_deref(), texts)
    }

    fn chapter_title(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Option<String> {
        title_of(&self.books, project_id, chapter_id)
    }

    fn on_run_progress(&self, progress: &RunProgress) {
        events::emit(&self.events, events::DISTILL_PROGRESS, progress);
    }
}

impl Distiller {
    /// The model of a purpose, within the writer's daily limits.
    fn chosen_model(&self, purpose: Purpose) -> Option<Box<dyn TextModel>> {
        if self.templates_only {
            return None;
        }
        let models = self.engine.models();
        let chosen = models.for_purpose(purpose);
        let provider = chosen.provider_id.as_deref().and_then(|id| models.provider(id))?;
        let model = chosen.model?;
        let Ok(base_url) = BaseUrl::parse(&provider.base_url) else { return Some(Box::new(NoAddress)) };
        let key = self.keys.get(&provider.provider_id);
        let inner = text_model(&self.network, Endpoint { kind: provider.kind, base_url, key }, model);
        Some(Box::new(Metered { inner, engine: Arc::clone(&self.engine), events: Arc::clone(&self.events) }))
    }
}

/// A model with an unusable address: every request fails.
struct NoAddress;

impl TextModel for NoAddress {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: String::new(), model: String::new(), sample: false }
    }

    fn generate(&self, _: &GenerationRequest<'_>, _: &mut dyn FnMut(&str)) -> Result<Completion, ModelError> {
        Err(ModelError::new(ModelErrorKind::Unreachable, "the address of the chosen one cannot be used"))
    }
}

impl Api {
    pub(crate) fn semantic_distill(&self, args: Distill) -> Result<RunAnswer, ApiError> {
        let dry_run = args.dry_run.unwrap_or_default();
        let request = DistillRequest { project_id: args.project_id, cause: RunCause::Click, dry_run };
        let ticket = match self.engine.begin_run(&request)? {
            Begun::Run(ticket) => ticket,
            Begun::AlreadyRunning(answer) | Begun::Waiting(answer) => return Ok(answer),
        };
        if dry_run || args.wait.unwrap_or_default() {
            return Ok(self.distiller.run(ticket));
        }
        let (answer, distiller) = (ticket.answer(), self.distiller.clone());
        let supervised = self.supervisor.clone();
        let work = move || drop(supervised.run(Task::Distillation, || distiller.run(ticket)));
        self.supervisor.start(Task::Distillation, work).ok_or_else(ApiError::broke_off)?;
        Ok(answer)
    }

    pub(crate) fn distill_list(&self, args: OptionalProjectArguments) -> Result<RunList, ApiError> {
        Ok(RunList { runs: self.engine.runs(args.project_id.as_ref())? })
    }

    pub(crate) fn distill_approve(&self, args: RunArguments) -> Result<Run, ApiError> {
        Ok(self.emit_changed(
            self.engine.approve_run(&args.run_id, &|progress| self.distiller.on_run_progress(&progress))?,
        ))
    }

    pub(crate) fn distill_cancel(&self, args: RunArguments) -> Result<Run, ApiError> {
        Ok(self.emit_changed(self.engine.cancel_run(&args.run_id)?))
    }

    pub(crate) fn distill_undo(&self, args: RunArguments) -> Result<Run, ApiError> {
        Ok(self.emit_changed(self.engine.undo_run(&args.run_id)?))
    }

    pub(crate) fn conflict_list(&self, args: OptionalProjectArguments) -> Result<ConflictList, ApiError> {
        Ok(ConflictList { conflicts: self.engine.conflicts(args.project_id.as_ref())? })
    }

    pub(crate) fn conflict_resolve(&self, answer: ResolveConflict) -> Result<Rule, ApiError> {
        Ok(self.emit_changed(self.engine.resolve_conflict(&answer.conflict_id, &answer.keep_rule_id)?))
    }

    pub(crate) fn semantic_undo(&self, args: RuleArguments) -> Result<Rule, ApiError> {
        Ok(self.emit_changed(self.engine.undo_rule(&args.rule_id)?))
    }

    pub(crate) fn semantic_evidence(&self, args: RuleInProjectArguments) -> Result<RuleEpisodes, ApiError> {
        Ok(RuleEpisodes { episodes: self.engine.rule_episodes(&args.project_id, &args.rule_id)? })
    }

    pub(crate) fn editor_activity(&self, args: ProjectArguments) -> Result<EmptyAnswer, ApiError> {
        self.engine.note_activity(&args.project_id)?;
        self.learner.wake();
        Ok(EmptyAnswer {})
    }
}
