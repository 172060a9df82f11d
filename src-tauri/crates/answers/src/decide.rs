//! The writes of a run into the memory: hits, validations, and a candidate or the reasons why there is none.
//!
//! The decision is apart from the assessment ([`crate::assess`]): the assessment says how the run went, the decider
//! which answers that concerns. An answer that was not in the prompt is not validated, and one that was there and was
//! not used is never lowered.

use std::collections::HashSet;

use crate::{
    assess::{Assessment, EndedBy, RunOutcome},
    candidate::{Candidate, Refusal},
    config::Config,
    gate::{Match, Prepared, is_blocked},
    validation::{Source, Validation, ValidationResult},
};

/// That an answer was in the prompt of a run, or was used by it, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Id of the answer.
    pub answer_id: String,
    /// It was in the prompt.
    pub shown: bool,
    /// The assistant named it.
    pub used: bool,
}

/// A validation of an answer by a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunValidation {
    /// Id of the answer, of the version that was in the prompt.
    pub answer_id: String,
    /// The result of the run for it.
    pub validation: Validation,
}

/// A reason why a run gives no candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyNot {
    /// It did not come to its own end, for this cause.
    Ended(EndedBy),
    /// Its exit code is not 0.
    Exit,
    /// Its words are no candidate.
    Words(Refusal),
    /// A strong answer was there already.
    HasStrong,
    /// The same question is answered already.
    AnsweredAlready,
}

impl WhyNot {
    /// The name in files and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ended(EndedBy::Itself | EndedBy::AfterResult) => "ended",
            Self::Ended(EndedBy::Cancelled) => "cancelled",
            Self::Ended(EndedBy::Timeout) => "timeout",
            Self::Ended(EndedBy::Silence) => "silence",
            Self::Ended(EndedBy::TooMuch) => "tooMuch",
            Self::Ended(EndedBy::Unavailable) => "unavailable",
            Self::Exit => "exit",
            Self::Words(Refusal::Off) => "off",
            Self::Words(Refusal::Trivial) => "trivial",
            Self::Words(Refusal::Secret) => "secret",
            Self::Words(Refusal::Short) => "short",
            Self::Words(Refusal::Long) => "long",
            Self::Words(Refusal::Confidence) => "confidence",
            Self::HasStrong => "hasStrong",
            Self::AnsweredAlready => "answeredAlready",
        }
    }
}

/// The writes of a run into the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// One for each known answer that was shown or used: the shown ones in the order of the prompt, then the others.
    pub hits: Vec<Hit>,
    /// The validations, in the order of the prompt.
    pub validations: Vec<RunValidation>,
    /// Ids that the assistant named and no memory has, each once.
    pub invented: Vec<String>,
    /// The candidate, or all reasons why there is none; at least one.
    pub candidate: Result<Candidate, Vec<WhyNot>>,
}

/// Decides what a run writes into the memory.
#[derive(Debug, Clone, Copy)]
pub struct MemoryWriteDecider<'a> {
    config: &'a Config,
}

/// A run with all that is known of it when it ends.
#[derive(Debug, Clone)]
pub struct CompletedRun<'a> {
    /// The matches that its search found.
    pub matches: &'a [Match],
    /// The decision of the gate on them.
    pub prepared: &'a Prepared,
    /// How it went.
    pub outcome: &'a RunOutcome,
    /// By [`crate::assess::assess_quality`].
    pub assessment: &'a Assessment,
    /// Its words as a candidate ([`crate::candidate::extract_candidate`]).
    pub candidate: Result<Candidate, Refusal>,
    /// The writer asked again although there was an answer: the new one is kept beside it.
    pub is_fresh: bool,
}

impl<'a> MemoryWriteDecider<'a> {
    /// A decider with these settings.
    #[must_use]
    pub const fn new(config: &'a Config) -> Self {
        Self { config }
    }

    /// Decides on hits, validations and candidate of a run.
    ///
    /// Validated are the answers that were in the prompt and used; if no known answer was used, the first of the
    /// prompt. One that was not used is moved by a pass only, and not even by that if it is blocked: a blocked answer
    /// comes back by a run that used it. A run without a result validates nothing.
    #[must_use]
    pub fn decide(&self, run: CompletedRun<'_>) -> Decision {
        let (shown, used) = (&run.outcome.shown_ids, &run.outcome.used_ids);
        let known: HashSet<&str> =
            run.matches.iter().map(|found| &found.answer_id).chain(shown).map(String::as_str).collect();
        let mut seen = HashSet::new();
        let mut hits: Vec<Hit> = Vec::new();
        for id in shown.iter().filter(|id| seen.insert(id.as_str())) {
            hits.push(Hit { answer_id: id.clone(), shown: true, used: used.contains(id) });
        }
        let mut invented = Vec::new();
        for id in used.iter().filter(|id| seen.insert(id.as_str())) {
            if known.contains(id.as_str()) {
                hits.push(Hit { answer_id: id.clone(), shown: false, used: true });
            } else {
                invented.push(id.clone());
            }
        }
        let validations = match run.assessment.result {
            Some(result) => self.validations(&hits, result, &run),
            None => Vec::new(),
        };
        let reasons = self.refusals(&run);
        let candidate = match run.candidate {
            Ok(candidate) if reasons.is_empty() => Ok(candidate),
            _ => Err(reasons),
        };
        Decision { hits, validations, invented, candidate }
    }

    fn validations(&self, hits: &[Hit], result: ValidationResult, run: &CompletedRun<'_>) -> Vec<RunValidation> {
        let is_any_used = hits.iter().any(|hit| hit.used);
        let shown = hits.iter().filter(|hit| hit.shown);
        let targets: Vec<&Hit> =
            if is_any_used { shown.filter(|hit| hit.used).collect() } else { shown.take(1).collect() };
        let is_found_blocked =
            |id: &str| run.matches.iter().any(|found| found.answer_id == id && is_blocked(found, self.config));
        targets
            .into_iter()
            .map(|hit| {
                let is_pass = result == ValidationResult::Pass;
                let validation = Validation {
                    result,
                    strength: run.assessment.strength,
                    source: Source::Run,
                    used: hit.used,
                    applied: hit.used || (is_pass && !is_found_blocked(&hit.answer_id)),
                };
                RunValidation { answer_id: hit.answer_id.clone(), validation }
            })
            .collect()
    }

    /// All reasons against a candidate, in the order of [`WhyNot`].
    fn refusals(&self, run: &CompletedRun<'_>) -> Vec<WhyNot> {
        let ended_by = run.outcome.ended_by;
        let mut reasons = Vec::new();
        if !ended_by.is_complete() {
            reasons.push(WhyNot::Ended(ended_by));
        }
        if run.outcome.exit_code != 0 {
            reasons.push(WhyNot::Exit);
        }
        reasons.extend(run.candidate.as_ref().err().map(|refusal| WhyNot::Words(*refusal)));
        if run.prepared.has_strong && !run.is_fresh {
            reasons.push(WhyNot::HasStrong);
        }
        if run.prepared.is_answered_already(self.config) && !run.is_fresh {
            reasons.push(WhyNot::AnsweredAlready);
        }
        reasons
    }
}
