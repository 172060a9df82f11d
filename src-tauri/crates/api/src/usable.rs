//! The filter between a model and its candidates, and the second try of one that cannot be used.

use palimpsest_drafts::{DraftFilter, Facts, Reason, Skill, prompt_lines};
use palimpsest_memory::{
    NewTrace,
    model::{AssembleRequest, AssembledContext, GenerationId, Language},
    plainer_prompt,
    ports::{Message, Role},
};
use parking_lot::Mutex;

use crate::{
    Api,
    dto::saturating_u32,
    error::OrLog,
    events::{self, SkillRetry, UnusableReason},
    generation::{Board, Generation, Source},
};

/// Added to the seed of a run for its second try.
const RETRY_SEED: u32 = 0x9E37_79B9;

/// The lines of a run's prompt and of the instructions in `sent`, with names restored as in the drafts.
pub(crate) fn lines_of(run: &Generation, sent: &[Message]) -> Vec<String> {
    let instructions = sent.iter().filter(|message| message.role == Role::System);
    let restored = run.context.messages.iter().chain(instructions).map(|message| {
        let mut restorer = run.mask.restorer();
        restorer.push(&message.content) + &restorer.finish()
    });
    restored.flat_map(|message| prompt_lines(&message)).collect()
}

/// The sentences of the task, of this run and in `sent`.
pub(crate) fn tasks_of(run: &Generation, sent: &[Message]) -> Vec<String> {
    let asked = run.context.messages.iter().chain(sent).filter(|message| message.role == Role::User);
    asked.filter_map(|message| message.content.lines().next_back()).map(str::to_owned).collect()
}

/// A filter for a draft of this run; `None` for the built-in model, whose drafts are not changed.
pub(crate) fn filter_of<'a>(
    run: &'a Generation,
    lines: &'a [String],
    tasks: &'a [String],
) -> Mutex<Option<DraftFilter<'a>>> {
    let AssembleRequest { skill, before, selection, after, instruction, .. } = &run.request;
    let facts = || Facts {
        skill: Skill::of_name(skill),
        language: match run.context.language {
            Language::Zh => palimpsest_text::Language::Zh,
            Language::En => palimpsest_text::Language::En,
        },
        before,
        selection: selection.as_deref().unwrap_or_default(),
        instruction: instruction.as_deref().unwrap_or_default(),
        prompt_lines: lines,
        task: tasks,
        has_headings: [Some(without_title(before)), selection.as_deref(), after.as_deref()]
            .into_iter()
            .flatten()
            .any(has_heading),
    };
    Mutex::new((!run.writing.is_built_in()).then(|| DraftFilter::new(facts())))
}

/// The text without a heading in its first line: the title of the chapter, which every chapter may have.
fn without_title(before: &str) -> &str {
    let text = before.trim_start();
    if text.starts_with('#') { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text }
}

fn has_heading(text: &str) -> bool {
    text.lines().any(|line| line.starts_with('#') && line.trim_start_matches('#').starts_with(' '))
}

/// The value of the wire for a reason of the filter.
pub(crate) fn reason_on_wire(reason: Reason) -> UnusableReason {
    match reason {
        Reason::PromptEcho => UnusableReason::PromptEcho,
        Reason::RepeatsPassage => UnusableReason::RepeatsPassage,
        Reason::Refusal => UnusableReason::Refusal,
        Reason::Advice => UnusableReason::Advice,
        Reason::WrongLanguage => UnusableReason::WrongLanguage,
        Reason::Loop => UnusableReason::Loop,
        Reason::Empty => UnusableReason::Empty,
    }
}

/// The prompt of a second try, and the generation under whose id its trace is stored.
struct SecondTry {
    generation_id: GenerationId,
    context: AssembledContext,
    seed: u32,
}

impl Api {
    /// Tries unusable candidates once more, with a plainer prompt and another seed, as far as the writer's daily limit
    /// allows. Ends all of them.
    pub(crate) fn try_again(&self, run: &Generation, board: &Board, positions: &[usize], unusable: &[usize]) {
        let allowed = if unusable.is_empty() || run.stop.is_set() { 0 } else { self.allowed_again(unusable.len()) };
        let (again, left) = unusable.split_at(allowed);
        for variant in left {
            self.end_unusable(run, board, positions[*variant]);
        }
        if again.is_empty() {
            return;
        }
        let Some(second) = self.second_try(run) else {
            again.iter().for_each(|variant| self.end_unusable(run, board, positions[*variant]));
            return;
        };
        for variant in again {
            let position = positions[*variant];
            let Some(reason) = board.restart(position) else { continue };
            let retry = SkillRetry {
                generation_id: run.generation_id.clone(),
                candidate: saturating_u32(position),
                reason: reason_on_wire(reason),
            };
            events::emit(&self.events, events::SKILL_RETRY, &retry);
        }
        let source =
            Source { messages: &second.context.messages, seed: second.seed, written_by: Some(&second.generation_id) };
        let unanswered = self.attempt(run, board, positions, again, source).unanswered;
        for variant in again {
            let position = positions[*variant];
            if unanswered.iter().any(|(other, _)| other == variant) {
                board.withdraw(position);
            }
            self.end_unusable(run, board, position);
        }
    }

    /// How many of `wanted` further requests the daily limit allows.
    fn allowed_again(&self, wanted: usize) -> usize {
        self.allowed_today(saturating_u32(wanted)).map_or(0, |allowed| allowed as usize)
    }

    /// Prepares a second try and stores its trace. `None` for a skill without a plainer prompt, and where the trace
    /// cannot be stored: nothing is sent without one.
    fn second_try(&self, run: &Generation) -> Option<SecondTry> {
        let context = plainer_prompt(&run.context, &run.request.skill, run.writing.model.continues_answers())?;
        let seed = run.seed.wrapping_add(RETRY_SEED);
        let provider = run.writing.model.info();
        let new = NewTrace { request: &run.request, context: &context, provider, seed };
        if !run.traced {
            return None;
        }
        let stored = self.engine.begin_second_trace(&run.generation_id, new);
        let generation_id = self.emit_changed(stored.or_log("store the trace of a second try")?).generation_id;
        Some(SecondTry { generation_id, context, seed })
    }
}
