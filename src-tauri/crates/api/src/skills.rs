//! Starting and stopping a skill: the prompt, the trace, and the model.

use palimpsest_memory::{
    Assembled, Code, NewTrace,
    model::{AssembleRequest, DegradedCode, DegradedReason},
    ports::Stop,
};
use palimpsest_text::paragraphs::unwrapped;

use crate::{
    Api, Running,
    dto::{CancelSkill, Cancelled, RunSkill, SkillStarted, saturating_u32},
    error::ApiError,
    generation::Generation,
    supervise::Task,
};

/// Default number of candidates.
const DEFAULT_CANDIDATES: u32 = 3;
/// Maximum number of candidates: more cannot be compared on one screen.
const MAX_CANDIDATES: u32 = 4;

impl Api {
    pub(crate) fn skill_run(&self, args: RunSkill) -> Result<SkillStarted, ApiError> {
        let wanted = args.candidates.unwrap_or(DEFAULT_CANDIDATES);
        if !(1..=MAX_CANDIDATES).contains(&wanted) {
            return Err(ApiError::invalid("candidates", format!("outside 1..{MAX_CANDIDATES}")));
        }
        let seed = args.seed.unwrap_or_else(|| self.ids.seed());
        // A model that reads wrapped lines writes wrapped lines.
        let joined = |text: String| unwrapped(&text).into_owned();
        // Of the text as it is in the chapter.
        let length = || saturating_u32(args.before.encode_utf16().count());
        let offset = args.offset.unwrap_or_else(length);
        let mut request = AssembleRequest {
            project_id: args.project_id,
            chapter_id: args.chapter_id,
            skill: args.skill,
            scene_type: args.scene_type,
            before: joined(args.before),
            selection: args.selection.map(joined),
            after: args.after.map(joined),
            instruction: args.instruction,
            budget_tokens: args.budget_tokens,
            offset: Some(offset),
        };
        // Held until the run is registered: no clearing comes in between. During a clearing the prompt is made without
        // the memory.
        let _open = self.engine.visit(&request.project_id);
        let writing = self.writing_model();
        let Assembled { mut context, mask, names_unread } = self.prompt(&mut request, &writing)?;
        if let Some(error) = names_unread.filter(|_| !writing.is_built_in()) {
            // No prompt is sent that might contain a name that has to stay hidden.
            return Err(error);
        }
        // After the prompt, so that errors of the request are returned first.
        let candidates = if writing.is_built_in() { wanted } else { self.allowed_today(wanted)? };
        let provider = writing.model.info();
        let new = NewTrace { request: &request, context: &context, provider: provider.clone(), seed };
        let (generation_id, traced) = match self.engine.begin_trace(new) {
            Ok(trace) => (self.emit_changed(trace).generation_id, true),
            // The run continues without a trace, and reports it.
            Err(error) => {
                context.memory_degraded = true;
                let why = format!("no trace is kept: {}", error.message);
                context.degraded_reasons.push(DegradedReason::new(DegradedCode::Untraced, why));
                (self.engine.new_id().into(), false)
            }
        };
        let started = SkillStarted {
            generation_id: generation_id.clone(),
            candidates,
            provider,
            scene_type: context.scene_type.clone(),
            memory_references: context.references.clone(),
            cut: context.cut.clone(),
            memory_degraded: context.memory_degraded,
            degraded_reasons: context.degraded_reasons.clone(),
        };
        let Some(api) = self.this.upgrade() else {
            return Err(ApiError::new(Code::ModelUnavailable, "the program is closing"));
        };
        let stop = Stop::new();
        let running = Running { project_id: request.project_id.clone(), stop: stop.clone() };
        self.running.lock().insert(generation_id.clone(), running);
        let run = Generation {
            generation_id: generation_id.clone(),
            request,
            context,
            mask,
            writing,
            seed,
            candidates: candidates as usize,
            traced,
            stop,
        };
        let id = generation_id.clone();
        let work = move || {
            if api.supervisor.run(Task::Generation, || api.generate(run)).is_none() {
                api.generation_broke_off(id, candidates);
            }
        };
        if self.supervisor.start(Task::Generation, work).is_none() {
            self.running.lock().remove(&generation_id);
            return Err(ApiError::broke_off());
        }
        Ok(started)
    }

    pub(crate) fn skill_cancel(&self, args: CancelSkill) -> Result<Cancelled, ApiError> {
        let running = self.running.lock();
        let run = running.get(&args.generation_id);
        if let Some(run) = run {
            run.stop.set();
        }
        Ok(Cancelled { cancelled: run.is_some() })
    }
}
