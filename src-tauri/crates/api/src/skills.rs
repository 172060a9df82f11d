//! Running a skill: the prompt, the trace, the candidates as they come, and the end.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use palimpsest_memory::{
    Code, NewTrace,
    model::{AssembleRequest, AssembledContext, WorkingDraft, WorkingKind},
    ports::{GenerationRequest, Stop, StopReason},
};

use crate::{
    Api,
    dto::{CancelSkill, Cancelled, RunSkill, SkillStarted},
    error::ApiError,
    events::{self, SkillChunk, SkillDone, SkillStatus},
};

/// Candidates when nobody says how many.
const CANDIDATES: u32 = 3;
/// More side by side cannot be compared.
const MAX_CANDIDATES: u32 = 4;
/// The longest candidate, in tokens.
const MAX_TOKENS: u32 = 1_000;
/// Candidates shall differ on purpose.
const TEMPERATURES: [f32; 4] = [0.7, 0.9, 1.0, 1.1];

/// A run under way: what its threads share.
struct Run {
    generation_id: String,
    project_id: String,
    context: AssembledContext,
    seed: u32,
    stop: Stop,
    /// By place on screen.
    texts: Mutex<Vec<String>>,
    error: Mutex<Option<ApiError>>,
}

impl Api {
    pub(crate) fn skill_run(&self, args: RunSkill) -> Result<SkillStarted, ApiError> {
        let count = args.candidates.unwrap_or(CANDIDATES);
        if !(1..=MAX_CANDIDATES).contains(&count) {
            return Err(ApiError::invalid("candidates", format!("outside 1..{MAX_CANDIDATES}")));
        }
        let seed = args.seed.unwrap_or_else(|| self.ids.seed());
        let request = AssembleRequest {
            project_id: args.project_id,
            chapter_id: args.chapter_id,
            skill: args.skill,
            scene_type: args.scene_type,
            before: args.before,
            selection: args.selection,
            after: args.after,
            instruction: args.instruction,
            budget_tokens: args.budget_tokens,
        };
        let mut context = self.engine.assemble(&request)?;
        self.fetch_what_was_missed();
        let provider = self.model.info();
        let new = NewTrace { request: &request, context: &context, provider: provider.clone(), seed };
        let generation_id = match self.engine.begin_trace(new) {
            Ok(trace) => self.tell(trace).generation_id,
            // Writing goes on without a trace, and says so.
            Err(error) => {
                context.memory_degraded = true;
                context.degraded_reasons.push(format!("no trace is kept: {}", error.message));
                self.engine.new_id()
            }
        };
        let started = SkillStarted {
            generation_id: generation_id.clone(),
            candidates: count,
            provider,
            scene_type: context.scene_type.clone(),
            references: context.references.clone(),
            cut: context.cut.clone(),
            memory_degraded: context.memory_degraded,
            degraded_reasons: context.degraded_reasons.clone(),
        };
        // What the writer wishes now is what the next run should know the writer was after.
        if let Some(wish) = request.instruction.filter(|wish| !wish.trim().is_empty()) {
            let intent = WorkingDraft {
                project_id: request.project_id.clone(),
                kind: WorkingKind::Intent,
                text: wish,
                importance: None,
            };
            if let Ok(item) = self.engine.put_working(intent) {
                self.tell(item);
            }
        }
        let stop = Stop::new();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(generation_id.clone(), stop.clone());
        let run = Run {
            generation_id,
            project_id: request.project_id,
            context,
            seed,
            stop,
            texts: Mutex::new(vec![String::new(); count as usize]),
            error: Mutex::new(None),
        };
        let Some(api) = self.this.upgrade() else {
            return Err(ApiError::new(Code::ModelUnavailable, "the program is closing"));
        };
        thread::spawn(move || api.generate(&run));
        Ok(started)
    }

    pub(crate) fn skill_cancel(&self, args: CancelSkill) -> Result<Cancelled, ApiError> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let stop = running.get(&args.generation_id);
        if let Some(stop) = stop {
            stop.set();
        }
        Ok(Cancelled { cancelled: stop.is_some() })
    }

    /// Writes all candidates, each on a thread of its own, and tells how it ended.
    fn generate(&self, run: &Run) {
        let places = shuffled(run.texts.lock().unwrap_or_else(PoisonError::into_inner).len(), run.seed);
        let whole: Vec<bool> = thread::scope(|scope| {
            let writers: Vec<_> = (0_u32..)
                .zip(&places)
                .map(|(variant, &place)| scope.spawn(move || self.candidate(run, variant, place)))
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap_or(false)).collect()
        });
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&run.generation_id);

        let status = if run.stop.is_set() {
            SkillStatus::Cancelled
        } else if whole.iter().any(|whole| *whole) {
            SkillStatus::Finished
        } else {
            SkillStatus::Failed
        };
        if status == SkillStatus::Finished {
            // Only being in the prompt of a generation that ran counts as a recall. Losing the count loses no text.
            if let Ok(changed) = self.engine.count_recalls(&run.project_id, &run.context) {
                self.tell(changed);
            }
        }
        let done = SkillDone {
            generation_id: run.generation_id.clone(),
            status,
            candidates: run.texts.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            error: run.error.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        };
        events::emit(&self.events, events::SKILL_DONE, &done);
    }

    /// Writes one candidate into its place; says whether it is whole.
    fn candidate(&self, run: &Run, variant: u32, place: usize) -> bool {
        let request = GenerationRequest {
            messages: &run.context.messages,
            seed: (u64::from(run.seed) << 8) | u64::from(variant),
            max_tokens: MAX_TOKENS,
            temperature: TEMPERATURES.get(variant as usize).copied().unwrap_or(1.0),
            schema: None,
            stop: &run.stop,
        };
        let on_text = &mut |piece: &str| {
            if let Some(text) = run.texts.lock().unwrap_or_else(PoisonError::into_inner).get_mut(place) {
                text.push_str(piece);
            }
            let chunk = SkillChunk {
                generation_id: run.generation_id.clone(),
                candidate: u32::try_from(place).unwrap_or(0),
                text: piece.to_owned(),
            };
            events::emit(&self.events, events::SKILL_CHUNK, &chunk);
        };
        match self.model.generate(&request, on_text) {
            Ok(completion) => completion.stop != StopReason::Cancelled && !completion.text.trim().is_empty(),
            Err(error) => {
                *run.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
                false
            }
        }
    }
}

/// The places 0..count in an order drawn from the seed, so that the first place is no better than the last: what
/// stands first is taken more often, whatever it says (Fisher–Yates, with SplitMix64 for chance).
fn shuffled(count: usize, seed: u32) -> Vec<usize> {
    let mut state = u64::from(seed);
    let mut chance = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let mut places: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let other = usize::try_from(chance() % (last as u64 + 1)).unwrap_or(0);
        places.swap(last, other);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_stands_in_every_place_about_equally_often() {
        let mut counts = [[0_u32; 3]; 3];
        for seed in 0..6_000 {
            for (variant, place) in shuffled(3, seed).into_iter().enumerate() {
                counts[variant][place] += 1;
            }
        }
        assert!(counts.iter().flatten().all(|count| (1_850..2_150).contains(count)), "{counts:?}");
    }
}
