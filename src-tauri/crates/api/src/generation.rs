//! A generation under way: parallel candidates, each with its position on screen, and the end.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use parking_lot::{Mutex, MutexGuard};

use palimpsest_drafts::{DraftFilter, Reason, Verdict};
use palimpsest_memory::{
    NewTrace,
    model::{AssembleRequest, AssembledContext, GenerationId, WorkingDraft, WorkingKind},
    ports::{
        CandidateEvent, Completion, GenerationRequest, MAX_CANDIDATE_BYTES, Message, ModelError, ModelErrorKind, Stop,
        StopReason, Tokens,
    },
};
use palimpsest_text::{
    names::{Mask, Restorer},
    random::SplitMix64,
};

use crate::{
    Api, ApiError,
    dto::saturating_u32,
    error::OrLog,
    events::{self, SkillCandidate, SkillChunk, SkillDone, SkillStatus, SkillTrimmed, UnusableText},
    metered::cost_of,
    models::WritingModel,
    supervise::Task,
    usable::{filter_of, lines_of, reason_on_wire, tasks_of},
};

/// Minimum temperature of a second try: below it, small models copy and repeat themselves.
const MIN_SECOND_TEMPERATURE: f32 = 1.0;
/// The temperatures of the candidates: they are meant to differ.
const TEMPERATURES: [f32; 4] = [0.7, 0.9, 1.0, 1.1];
/// Maximum number of times that a prompt that is too long is shortened and sent again.
const MAX_SHORTENINGS: u32 = 2;

/// A run of a skill, from the prompt on.
pub(crate) struct Generation {
    pub(crate) generation_id: GenerationId,
    pub(crate) request: AssembleRequest,
    pub(crate) context: AssembledContext,
    /// Restores the names that are hidden in the prompt.
    pub(crate) mask: Mask,
    pub(crate) writing: WritingModel,
    pub(crate) seed: u32,
    pub(crate) candidates: usize,
    /// Whether a trace of it is stored.
    pub(crate) traced: bool,
    pub(crate) stop: Stop,
}

/// The prompt of an attempt.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) messages: &'a [Message],
    pub(crate) seed: u32,
    /// The generation of a second try; `None` for the run itself.
    pub(crate) written_by: Option<&'a GenerationId>,
}

/// The candidates that an attempt has not ended.
pub(crate) struct Attempted {
    /// Those for which the prompt was too long, and those without any text.
    pub(crate) unanswered: Vec<(usize, ModelError)>,
    /// Those whose text is no draft.
    pub(crate) unusable: Vec<usize>,
}

/// The state of the candidates, by their position on screen.
pub(crate) struct Board {
    candidates: Mutex<Vec<CandidateState>>,
    /// The first error of a candidate.
    error: Mutex<Option<ModelError>>,
    /// Whether no text has come yet.
    has_no_text: AtomicBool,
    /// Whether text has come since the prompt was last sent.
    has_new_text: AtomicBool,
}

#[derive(Default, Clone)]
struct CandidateState {
    /// The draft: the text with names restored, without what was cut.
    text: String,
    /// The text of the model with names restored.
    written: String,
    /// The reason why the text is no draft.
    unusable: Option<Reason>,
    /// The text and the reason of the first try.
    first_try: Option<(String, Reason)>,
    /// The generation of the second try that wrote it.
    written_by: Option<GenerationId>,
    /// Whether the model has written anything, even only the beginning of an alias.
    has_begun: bool,
    has_ended: bool,
    is_complete: bool,
    /// Whether text was cut off because it exceeds the length of a candidate in an episode.
    is_cut: bool,
}

impl CandidateState {
    /// Appends a chunk to the text of the model, as far as a candidate may be long.
    fn write(&mut self, piece: &str) {
        let room = MAX_CANDIDATE_BYTES.saturating_sub(self.written.len());
        self.written.push_str(&piece[..piece.floor_char_boundary(room)]);
    }

    /// Appends as much of a chunk as a candidate may have, and returns that part.
    fn push<'a>(&mut self, piece: &'a str) -> &'a str {
        let room = MAX_CANDIDATE_BYTES.saturating_sub(self.text.len());
        let fits = &piece[..piece.floor_char_boundary(room)];
        self.is_cut |= fits.len() < piece.len();
        self.text.push_str(fits);
        fits
    }
}

impl Board {
    fn candidates(&self) -> MutexGuard<'_, Vec<CandidateState>> {
        self.candidates.lock()
    }

    /// Clears a candidate for a second try; returns why the first is no draft.
    pub(crate) fn restart(&self, position: usize) -> Option<Reason> {
        let candidate = &mut self.candidates()[position];
        let reason = candidate.unusable?;
        *candidate = CandidateState {
            first_try: Some((std::mem::take(&mut candidate.written), reason)),
            ..CandidateState::default()
        };
        Some(reason)
    }

    /// Restores the first try of a candidate whose second one was not answered.
    pub(crate) fn withdraw(&self, position: usize) {
        let candidate = &mut self.candidates()[position];
        if let Some((written, reason)) = candidate.first_try.take() {
            *candidate = CandidateState { written, unusable: Some(reason), ..CandidateState::default() };
        }
    }
}

impl Api {
    /// Writes all candidates and sends the outcome.
    pub(crate) fn generate(&self, mut run: Generation) {
        let positions = shuffled(run.candidates, run.seed);
        let board = Board {
            candidates: Mutex::new(vec![CandidateState::default(); run.candidates]),
            error: Mutex::default(),
            has_no_text: AtomicBool::new(true),
            has_new_text: AtomicBool::new(false),
        };
        let mut due: Vec<usize> = (0..run.candidates).collect();
        let mut shortened = 0;
        let mut all_unusable = Vec::new();
        while !due.is_empty() {
            let source = Source { messages: &run.context.messages, seed: run.seed, written_by: None };
            let Attempted { unanswered, unusable } = self.attempt(&run, &board, &positions, &due, source);
            all_unusable.extend(unusable);
            let too_long = unanswered.iter().find(|(_, error)| error.kind == ModelErrorKind::ContextTooLong);
            // No text of this generation was shown: the prompt may still change.
            let again = match too_long {
                _ if run.stop.is_set() => false,
                Some((_, refusal)) if board.has_no_text.load(Ordering::SeqCst) && shortened < MAX_SHORTENINGS => {
                    shortened += 1;
                    self.shorten(&mut run, refusal)
                }
                Some(_) => false,
                // A server that writes one text at a time was busy with the others. With each attempt at least one
                // ends.
                None => board.has_new_text.load(Ordering::SeqCst),
            };
            due.clear();
            for (variant, error) in unanswered {
                if again { due.push(variant) } else { self.end(&run, &board, positions[variant], Err(error)) }
            }
        }
        self.try_again(&run, &board, &positions, &all_unusable);
        self.finish(&run, &board);
    }

    /// Sends the prompt for the pending candidates. All but the returned ones have ended.
    pub(crate) fn attempt(
        &self,
        run: &Generation,
        board: &Board,
        positions: &[usize],
        due: &[usize],
        source: Source<'_>,
    ) -> Attempted {
        let stops: Vec<Stop> = due.iter().map(|_| run.stop.part()).collect();
        let requests: Vec<GenerationRequest<'_>> = due
            .iter()
            .zip(&stops)
            .map(|(&variant, stop)| GenerationRequest {
                messages: source.messages,
                seed: candidate_seed(source.seed, variant),
                max_tokens: run.writing.answer_tokens(),
                temperature: match source.written_by {
                    Some(_) => candidate_temperature(variant).max(MIN_SECOND_TEMPERATURE),
                    None => candidate_temperature(variant),
                },
                schema: None,
                tools: &[],
                stop,
            })
            .collect();
        board.has_new_text.store(false, Ordering::SeqCst);
        let unanswered = Mutex::new(Vec::new());
        let restorers: Vec<Mutex<Restorer<'_>>> = due.iter().map(|_| Mutex::new(run.mask.restorer())).collect();
        let restorer = |n: usize| restorers[n].lock();
        let lines = lines_of(run, source.messages);
        let tasks = tasks_of(run, source.messages);
        let filters: Vec<Mutex<Option<DraftFilter<'_>>>> = due.iter().map(|_| filter_of(run, &lines, &tasks)).collect();
        let unusable = Mutex::new(Vec::new());
        let end = |n: usize, variant: usize, rest: &str, done: Result<Completion, ModelError>| {
            let position = positions[variant];
            self.show(run, board, position, &filters[n], rest);
            let filter = filters[n].lock().take();
            let done = done.map(|completion| {
                let is_over = !run.stop.is_set() && filter.as_ref().is_some_and(DraftFilter::is_over);
                let stop = if is_over { StopReason::Finished } else { completion.stop };
                Completion { stop, ..completion }
            });
            let is_whole = done.as_ref().is_ok_and(|completion| completion.stop != StopReason::Cancelled);
            if is_whole && source.written_by.is_some() && board.candidates()[position].written.trim().is_empty() {
                // The text of the first try, with its reason, tells more than a second one without a word.
                let error = ModelError::new(ModelErrorKind::Malformed, "the model wrote nothing");
                unanswered.lock().push((variant, error));
                return;
            }
            self.settle(run, board, position, filter, is_whole);
            board.candidates()[position].written_by = source.written_by.cloned();
            let found = board.candidates()[position].clone();
            if found.unusable.is_some() {
                let tokens = done.as_ref().ok().and_then(|completion| completion.tokens);
                self.count_cost(run, tokens, &found.written);
            }
            if is_whole && found.unusable.is_some() {
                unusable.lock().push(variant);
            } else {
                self.end(run, board, position, done);
            }
        };
        let on_event = |n: usize, event: CandidateEvent<'_>| {
            let Some(&variant) = due.get(n) else { return };
            let position = positions[variant];
            match event {
                CandidateEvent::Text("") => {}
                CandidateEvent::Text(text) => {
                    self.begin(run, board, position);
                    self.show(run, board, position, &filters[n], &restorer(n).push(text));
                    // Nothing more of this text is shown: the model need not write on.
                    if filters[n].lock().as_ref().is_some_and(DraftFilter::is_over) {
                        stops[n].set();
                    }
                }
                CandidateEvent::Done(Err(error))
                    if may_be_answered(error.kind) && !board.candidates()[position].has_begun =>
                {
                    unanswered.lock().push((variant, error));
                }
                CandidateEvent::Done(done) => {
                    let rest = restorer(n).finish();
                    end(n, variant, &rest, done);
                }
            }
        };
        // On its own thread: after a panic in the model the writer still gets an end.
        thread::scope(|scope| {
            scope.spawn(|| run.writing.model.generate_all(&requests, &on_event)).join().ok();
        });
        for (n, &variant) in due.iter().enumerate() {
            let is_open = !board.candidates()[positions[variant]].has_ended
                && !unusable.lock().contains(&variant)
                && unanswered.lock().iter().all(|(waiting, _)| *waiting != variant);
            if is_open {
                let rest = restorer(n).finish();
                let broken = ModelError::new(ModelErrorKind::Malformed, "the model broke off without a word");
                end(n, variant, &rest, Err(broken));
            }
        }
        let unusable = unusable.lock().clone();
        Attempted { unanswered: unanswered.into_inner(), unusable }
    }

    /// Notes the first text of a candidate.
    fn begin(&self, run: &Generation, board: &Board, position: usize) {
        board.has_new_text.store(true, Ordering::SeqCst);
        if board.has_no_text.swap(false, Ordering::SeqCst) {
            self.engine.finalize_trace(&run.generation_id);
        }
        board.candidates()[position].has_begun = true;
    }

    /// Takes the next chunk of a candidate, with names restored, and sends what the filter shows of it. A name that is
    /// cut waits until it is complete.
    fn show(
        &self,
        run: &Generation,
        board: &Board,
        position: usize,
        filter: &Mutex<Option<DraftFilter<'_>>>,
        text: &str,
    ) {
        match filter.lock().as_mut() {
            Some(filter) => {
                board.candidates()[position].write(text);
                self.send_piece(run, board, position, &filter.push(text));
            }
            None => self.send_piece(run, board, position, text),
        }
    }

    /// Ends the filter of a candidate. A text without any word is an error of the model, and not judged.
    fn settle(
        &self,
        run: &Generation,
        board: &Board,
        position: usize,
        filter: Option<DraftFilter<'_>>,
        is_whole: bool,
    ) {
        let Some(filtered) = filter.map(|filter| filter.finish(is_whole)) else { return };
        self.send_piece(run, board, position, &filtered.rest);
        let mut candidates = board.candidates();
        let candidate = &mut candidates[position];
        if candidate.is_cut || candidate.written.trim().is_empty() {
            return;
        }
        match filtered.verdict {
            Verdict::Usable(_) => candidate.text = filtered.draft,
            Verdict::Unusable(reason) => {
                candidate.text.clear();
                candidate.unusable = Some(reason);
            }
        }
    }

    /// Sends the next chunk of a draft.
    fn send_piece(&self, run: &Generation, board: &Board, position: usize, text: &str) {
        // Restored names may have made the text longer than the model was allowed to write.
        let text = board.candidates()[position].push(text);
        if text.is_empty() {
            return;
        }
        let chunk = SkillChunk {
            generation_id: run.generation_id.clone(),
            candidate: saturating_u32(position),
            text: text.to_owned(),
        };
        events::emit(&self.events, events::SKILL_CHUNK, &chunk);
    }

    /// The end of a candidate: its event is sent at once, and its usage counted.
    fn end(&self, run: &Generation, board: &Board, position: usize, done: Result<Completion, ModelError>) {
        let (text, is_cut, unusable, written_by) = {
            let mut candidates = board.candidates();
            let candidate = &mut candidates[position];
            if candidate.has_ended {
                return;
            }
            candidate.has_ended = true;
            let unusable = candidate
                .unusable
                .map(|reason| UnusableText { reason: reason_on_wire(reason), text: candidate.written.clone() });
            (candidate.text.clone(), candidate.is_cut, unusable, candidate.written_by.clone())
        };
        let tokens = done.as_ref().ok().and_then(|completion| completion.tokens);
        let outcome = match done {
            Ok(completion) if completion.stop == StopReason::Cancelled => Ok(false),
            Ok(_) if unusable.is_some() => Ok(false),
            Ok(_) if text.trim().is_empty() => {
                Err(ModelError::new(ModelErrorKind::Malformed, "the model wrote nothing"))
            }
            Ok(_) if is_cut => {
                let message = "the text is longer than a candidate may be";
                Err(ModelError::new(ModelErrorKind::AnswerTooLong, message))
            }
            Ok(_) => Ok(true),
            Err(_) if run.stop.is_set() => Ok(false),
            Err(error) => Err(error),
        };
        board.candidates()[position].is_complete = matches!(outcome, Ok(true));
        let error = outcome.err();
        if let Some(error) = &error {
            board.error.lock().get_or_insert_with(|| error.clone());
        }
        if unusable.is_none() {
            self.count_cost(run, tokens, &text);
        }
        let event = SkillCandidate {
            generation_id: run.generation_id.clone(),
            candidate: saturating_u32(position),
            text,
            error: error.map(Into::into),
            unusable,
            written_by,
        };
        events::emit(&self.events, events::SKILL_CANDIDATE, &event);
    }

    /// Ends a candidate whose text is no draft.
    pub(crate) fn end_unusable(&self, run: &Generation, board: &Board, position: usize) {
        let stop = if run.stop.is_set() { StopReason::Cancelled } else { StopReason::Finished };
        let done = Completion { text: String::new(), stop, tokens: None, tool_call: None };
        self.end(run, board, position, Ok(done));
    }

    /// Counts the tokens of an answer of the model.
    fn count_cost(&self, run: &Generation, tokens: Option<Tokens>, text: &str) {
        if let Some(cost) = cost_of(tokens, run.context.total_tokens, text)
            && !run.writing.is_built_in()
        {
            self.emit_changed(self.engine.count_usage(cost));
        }
    }

    /// Shortens the prompt after a refusal, and the trace with it; returns whether that succeeded.
    fn shorten(&self, run: &mut Generation, refusal: &ModelError) -> bool {
        let sent = run.context.total_tokens;
        let Some(shorter) = self.shorter_prompt(&mut run.request, &mut run.writing, sent, refusal) else {
            return false;
        };
        let context = shorter.context;
        if run.traced {
            let new = NewTrace {
                request: &run.request,
                context: &context,
                provider: run.writing.model.info(),
                seed: run.seed,
            };
            // The trace would describe a prompt that was not sent: nothing is sent instead.
            let stored = self.engine.begin_trace_again(&run.generation_id, new);
            let Some(changed) = stored.or_log("store the trace of a shorter prompt") else { return false };
            self.emit_changed(changed);
        }
        let trimmed = SkillTrimmed {
            generation_id: run.generation_id.clone(),
            memory_references: context.references.clone(),
            cut: context.cut.clone(),
            total_tokens: context.total_tokens,
            context_tokens: run.writing.context_tokens.unwrap_or(context.total_tokens),
        };
        run.context = context;
        run.mask = shorter.mask;
        events::emit(&self.events, events::SKILL_TRIMMED, &trimmed);
        true
    }

    /// Sends the final event of a generation that ended in a panic. Events of its finished candidates were sent before.
    pub(crate) fn generation_broke_off(&self, generation_id: GenerationId, candidates: u32) {
        self.running.lock().remove(&generation_id);
        self.supervisor.run(Task::Generation, || self.engine.finalize_trace(&generation_id));
        let done = SkillDone {
            generation_id,
            status: SkillStatus::Failed,
            candidates: (0..candidates).map(|_| String::new()).collect(),
            error: Some(ApiError::broke_off()),
        };
        events::emit(&self.events, events::SKILL_DONE, &done);
    }

    fn finish(&self, run: &Generation, board: &Board) {
        let registered = self.running.lock().remove(&run.generation_id);
        let candidates = board.candidates().clone();
        let status = if run.stop.is_set() {
            SkillStatus::Cancelled
        } else if candidates.iter().any(|candidate| candidate.is_complete || candidate.unusable.is_some()) {
            SkillStatus::Finished
        } else {
            SkillStatus::Failed
        };
        // No failure in counting or measuring, not even a panic, may lose the drafts.
        self.supervisor
            .run(Task::Generation, || self.measure_and_count(run, &candidates, status, registered.is_some()));
        let error = board.error.lock().clone();
        let done = SkillDone {
            generation_id: run.generation_id.clone(),
            status,
            candidates: candidates.into_iter().map(|candidate| candidate.text).collect(),
            error: error.map(Into::into),
        };
        events::emit(&self.events, events::SKILL_DONE, &done);
    }

    /// Measures the drafts, and counts the memories that were used. `is_registered`: no clearing has stopped the
    /// generation.
    fn measure_and_count(
        &self,
        run: &Generation,
        candidates: &[CandidateState],
        status: SkillStatus,
        is_registered: bool,
    ) {
        self.engine.finalize_trace(&run.generation_id);
        if status == SkillStatus::Finished && run.traced && is_registered {
            // A second try had none of the memories in its prompt.
            let is_measured = |candidate: &CandidateState| candidate.is_complete && candidate.written_by.is_none();
            let complete = candidates.iter().enumerate().filter(|(_, candidate)| is_measured(candidate));
            let drafts: Vec<(u32, &str)> =
                complete.map(|(at, candidate)| (saturating_u32(at), candidate.text.as_str())).collect();
            let measured = self.engine.measure_drafts(&run.request.project_id, &run.generation_id, &drafts);
            if let Some(changed) = measured.or_log("measure drafts") {
                self.emit_changed(changed);
            }
        }
        if status == SkillStatus::Finished {
            // Only the prompt of a generation that ran counts as a recall. A lost count loses no text.
            let counted = self.engine.count_recalls(&run.request.project_id, &run.context.references);
            if let Some(changed) = counted.or_log("count recalls") {
                self.emit_changed(changed);
            }
        }
        // A run that a clearing has stopped stores nothing.
        if is_registered {
            self.remember_instruction(&run.request);
        }
    }

    /// Adds the instruction to working memory for the next run. At the end of the run, so that a prompt that is
    /// assembled again does not contain it twice.
    fn remember_instruction(&self, request: &AssembleRequest) {
        let Some(wish) = request.instruction.clone().filter(|wish| !wish.trim().is_empty()) else { return };
        let intent = WorkingDraft::new(request.project_id.clone(), WorkingKind::Intent, wish);
        if let Ok(item) = self.engine.add_working(intent) {
            self.emit_changed(item);
        }
    }
}

/// Whether an error before the first word may be resolved by another attempt: with a shorter prompt, or when the server
/// is free.
fn may_be_answered(kind: ModelErrorKind) -> bool {
    matches!(kind, ModelErrorKind::ContextTooLong | ModelErrorKind::Timeout)
}

/// The seed of a candidate, derived from that of its generation. `variant` distinguishes candidates independently of
/// their positions.
pub(crate) fn candidate_seed(generation: u32, variant: usize) -> u64 {
    (u64::from(generation) << 8) | variant as u64
}

pub(crate) fn candidate_temperature(variant: usize) -> f32 {
    TEMPERATURES.get(variant).copied().unwrap_or(1.0)
}

/// The positions 0..count in an order drawn from the seed: the first position is taken more often, whatever its text,
/// so no variant may always have it.
pub(crate) fn shuffled(count: usize, seed: u32) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    SplitMix64::new(u64::from(seed)).shuffle(&mut positions);
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_is_at_every_position_about_equally_often() {
        let mut counts = [[0_u32; 3]; 3];
        for seed in 0..6_000 {
            for (variant, place) in shuffled(3, seed).into_iter().enumerate() {
                counts[variant][place] += 1;
            }
        }
        assert!(counts.iter().flatten().all(|count| (1_850..2_150).contains(count)), "{counts:?}");
    }
}
