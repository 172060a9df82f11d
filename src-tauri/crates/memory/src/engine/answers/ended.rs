//! The end of a run as the gatekeeper judges it: the answers that it used, their validations, and its candidate.

use palimpsest_answers::{
    assess::{self, Assessment, EndedBy, Reason as Sign, assess_quality},
    candidate::{CandidateSource, Redaction, Refusal, extract_candidate},
    config::Config,
    decide::{CompletedRun, Decision, MemoryWriteDecider},
    gate::{Match, prepare_inject},
    marks::used_ids,
};
use palimpsest_text::{names::Mask, secrets::redact_secrets};

use super::{
    matches::match_of,
    runs::OwnQuestion,
    standing::{wire_result, wire_strength},
};
use crate::{
    model::{AnswerHit, AnswerId, CompleteAnswer, CompletedAnswer, RunAssessment, RunEnd, RunValidation},
    storage::answer_runs::{StoredMatch, StoredRun},
};

/// The judgement of the gatekeeper on the end of a run. `question`: the one that the engine asked itself.
pub(super) fn ended_run(
    (args, question): (&CompleteAnswer, Option<&OwnQuestion<'_>>),
    run: &StoredRun,
    (found, config): (&[StoredMatch], &Config),
    verified_citations: usize,
    mask: Mask,
) -> EndedRun {
    let outcome = &args.outcome;
    let handles: Vec<(String, &AnswerId)> =
        found.iter().filter_map(|one| Some((one.handle?.to_string(), &one.answer_id))).collect();
    let known: Vec<&str> = handles
        .iter()
        .map(|(handle, _)| handle.as_str())
        .chain(found.iter().map(|one| one.answer_id.as_str()))
        .collect();
    let (words, prompt) = question.map_or((outcome.answer.as_str(), ""), |question| (question.words, question.prompt));
    let marks = used_ids(words, &known, prompt);
    let id_of = |mark: &str| {
        let by_handle = handles.iter().find(|(handle, _)| handle == mark);
        by_handle.map_or_else(|| mark.to_owned(), |(_, id)| id.to_string())
    };
    let mut used: Vec<String> = Vec::new();
    for mark in &marks.used {
        let id = id_of(mark);
        if !used.contains(&id) {
            used.push(id);
        }
    }
    let judged = assess::RunOutcome {
        exit_code: outcome.exit_code,
        ended_by: ended_by(outcome.ended_by),
        answer: outcome.answer.clone(),
        output_tail: outcome.output_tail.clone(),
        error_tail: outcome.error_tail.clone(),
        tools: outcome
            .tools
            .iter()
            .map(|tool| assess::ToolUse { name: tool.name.clone(), went_well: Some(tool.ok) })
            .collect(),
        shown_ids: handles.iter().map(|(_, id)| id.to_string()).collect(),
        used_ids: used,
        verified_citations,
    };
    let assessment = assess_quality(&judged);
    let source = CandidateSource {
        question: &run.query,
        answer: &outcome.answer,
        tools: judged.tools.len(),
        verified_citations,
    };
    let redact = |text: &str| {
        let redacted = redact_secrets(text);
        Redaction { count: usize::from(redacted != text), text: redacted }
    };
    let candidate = match config.memory.enabled {
        true => extract_candidate(&source, &redact, &config.candidate_extract),
        false => Err(Refusal::Off),
    };
    // In the numbers of the time when the prompt was made: what has become of the answers since has no influence.
    let matches: Vec<Match> = found.iter().map(match_of).collect();
    let prepared = prepare_inject(&matches, config, run.prepared_at.millis());
    let decision = MemoryWriteDecider::new(config).decide(CompletedRun {
        matches: &matches,
        prepared: &prepared,
        outcome: &judged,
        assessment: &assessment,
        candidate,
        is_fresh: question.is_some_and(|question| question.is_fresh),
    });
    let tools = outcome.tools.iter().map(|tool| tool.ok).collect();
    EndedRun { assessment, decision, invented: marks.invented.len(), tools, mask }
}

/// The end of a run as the gatekeeper judges it.
pub(super) struct EndedRun {
    assessment: Assessment,
    pub(super) decision: Decision,
    /// Number of marks of no answer.
    invented: usize,
    /// Whether each use of a tool went well, in their order.
    tools: Vec<bool>,
    mask: Mask,
}

impl EndedRun {
    /// A text of the model with the names in place of their aliases.
    pub(super) fn restore(&self, text: &str) -> String {
        self.mask.restore(text)
    }

    /// The report of the run.
    pub(super) fn completed(
        &self,
        run_id: &str,
        candidate_id: Option<AnswerId>,
        why_not: Vec<String>,
    ) -> CompletedAnswer {
        CompletedAnswer {
            run_id: run_id.to_owned(),
            assessment: RunAssessment {
                result: self.assessment.result.map(wire_result),
                signal_strength: wire_strength(self.assessment.strength),
                reasons: self.assessment.reasons.iter().map(|sign| name_of_sign(*sign).to_owned()).collect(),
            },
            hits: self
                .decision
                .hits
                .iter()
                .map(|hit| AnswerHit { answer_id: hit.answer_id.as_str().into(), shown: hit.shown, used: hit.used })
                .collect(),
            validations: self
                .decision
                .validations
                .iter()
                .map(|one| RunValidation {
                    answer_id: one.answer_id.as_str().into(),
                    result: wire_result(one.validation.result),
                    signal_strength: wire_strength(one.validation.strength),
                    is_applied: one.validation.applied,
                })
                .collect(),
            candidate_id,
            why_not,
            invented: u32::try_from(self.invented + self.decision.invented.len()).unwrap_or(u32::MAX),
            tools: self.tools.clone(),
        }
    }
}

/// The name of an observation on the wire.
fn name_of_sign(sign: Sign) -> &'static str {
    match sign {
        Sign::Ended(EndedBy::Itself | EndedBy::AfterResult) => "ended",
        Sign::Ended(EndedBy::Cancelled) => "cancelled",
        Sign::Ended(EndedBy::Timeout) => "timeout",
        Sign::Ended(EndedBy::Silence) => "silence",
        Sign::Ended(EndedBy::TooMuch) => "tooMuch",
        Sign::Ended(EndedBy::Unavailable) => "unavailable",
        Sign::NoAnswer => "noAnswer",
        Sign::ExitZero => "exitZero",
        Sign::ExitOther => "exitOther",
        Sign::SuccessWords => "successWords",
        Sign::FailureWords => "failureWords",
        Sign::AnswersUsed => "answersUsed",
        Sign::ToolsFailed(_) => "toolsFailed",
        Sign::ToolsWentWell(_) => "toolsWentWell",
    }
}

fn ended_by(end: RunEnd) -> EndedBy {
    match end {
        RunEnd::Itself => EndedBy::Itself,
        RunEnd::AfterResult => EndedBy::AfterResult,
        RunEnd::Cancelled => EndedBy::Cancelled,
        RunEnd::Timeout => EndedBy::Timeout,
        RunEnd::Silence => EndedBy::Silence,
        RunEnd::TooMuch => EndedBy::TooMuch,
        RunEnd::Spawn => EndedBy::Unavailable,
    }
}
