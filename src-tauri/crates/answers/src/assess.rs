//! The assessment of a run: pass, partial, fail, or nothing that says anything about the answers in its prompt.
//!
//! ```text
//! ended by itself, exit code 0, with an answer                                       pass
//! exit code other than 0, a tool failed, one went well, at least half went well      partial
//! exit code other than 0 otherwise                                                   fail
//! stopped, timed out, never started, or exit code 0 without an answer                none
//! ```
//!
//! Exit code 0 is a sign of life, not of truth: the strength of the signal says how little it is. Words of success
//! count only in the output of a program whose tools went well, never in the assistant's own prose ("he passed the
//! lighthouse"); those of failure only where the exit code says so too. The assessment knows nothing of single
//! answers: [`crate::decide`] applies it.

use crate::validation::{Strength, ValidationResult};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndedBy {
    /// By itself.
    Itself,
    /// It was ended because it did not end after its result, which counts.
    AfterResult,
    /// The writer stopped it.
    Cancelled,
    /// It took too long.
    Timeout,
    /// It was silent too long.
    Silence,
    /// It wrote too much.
    TooMuch,
    /// It did not start, or could not be reached.
    Unavailable,
}

impl EndedBy {
    /// True if the run came to its own end, so that its exit code says something.
    #[must_use]
    pub const fn is_complete(self) -> bool {
        matches!(self, Self::Itself | Self::AfterResult)
    }
}

/// A use of a tool in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// Name of the tool.
    pub name: String,
    /// It went well; `None` if it was refused or its result is missing, which counts as a failure.
    pub went_well: Option<bool>,
}

/// The outcome of a run, as its backend reports it at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// Exit code of the program; of a model without a program, 0 or 1.
    pub exit_code: i32,
    /// How it ended.
    pub ended_by: EndedBy,
    /// The assistant's last words, whole; empty if there are none.
    pub answer: String,
    /// The end of the output of the program and of its tools, without the assistant's own words.
    pub output_tail: String,
    /// The end of the error output.
    pub error_tail: String,
    /// Its uses of tools, in order.
    pub tools: Vec<ToolUse>,
    /// Ids of the answers in its prompt, in the order of the prompt.
    pub shown_ids: Vec<String>,
    /// Ids that the assistant named, in the order in which it did ([`crate::marks`]).
    pub used_ids: Vec<String>,
    /// Number of quotes of the answer that were verified in the text.
    pub verified_citations: usize,
}

/// An observation that an assessment rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It did not come to its own end, for this cause.
    Ended(EndedBy),
    /// It ended without an answer.
    NoAnswer,
    /// The exit code is 0.
    ExitZero,
    /// The exit code is another one.
    ExitOther,
    /// The output of its tools has words of success.
    SuccessWords,
    /// Its output has words of failure.
    FailureWords,
    /// It named an answer of its prompt.
    AnswersUsed,
    /// Tools failed, so many.
    ToolsFailed(usize),
    /// Tools went well, so many.
    ToolsWentWell(usize),
}

/// The assessment of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// The result; `None` if the run says nothing about answers.
    pub result: Option<ValidationResult>,
    /// How directly the run shows the result.
    pub strength: Strength,
    /// The observations it rests on, in the order of [`Reason`].
    pub reasons: Vec<Reason>,
}

/// Assesses the outcome of a run (`assess_quality` of the documents).
#[must_use]
pub fn assess_quality(outcome: &RunOutcome) -> Assessment {
    let went_well = outcome.tools.iter().filter(|tool| tool.went_well == Some(true)).count();
    let failed = outcome.tools.len() - went_well;
    let is_used = outcome.used_ids.iter().any(|id| outcome.shown_ids.contains(id));
    let is_exit_zero = outcome.exit_code == 0;
    let has_answer = !outcome.answer.trim().is_empty();
    let has_success_words = went_well > 0 && has_words(&[&outcome.output_tail, &outcome.error_tail], is_success);
    let has_failure_words = has_words(&[&outcome.output_tail, &outcome.error_tail], is_failure);

    let result = if !outcome.ended_by.is_complete() || (is_exit_zero && !has_answer) {
        None
    } else if is_exit_zero {
        Some(ValidationResult::Pass)
    } else if failed > 0 && went_well > 0 && went_well >= failed {
        Some(ValidationResult::Partial)
    } else {
        Some(ValidationResult::Fail)
    };
    let strength = match result {
        Some(ValidationResult::Pass) if has_success_words && is_used && failed == 0 => Strength::Strong,
        Some(ValidationResult::Pass) if has_success_words || is_used => Strength::Medium,
        Some(ValidationResult::Partial | ValidationResult::Fail) if has_failure_words => Strength::Medium,
        _ => Strength::Weak,
    };
    let reasons = [
        (!outcome.ended_by.is_complete(), Reason::Ended(outcome.ended_by)),
        (!has_answer, Reason::NoAnswer),
        (is_exit_zero, Reason::ExitZero),
        (!is_exit_zero, Reason::ExitOther),
        (has_success_words && is_exit_zero, Reason::SuccessWords),
        (has_failure_words && !is_exit_zero, Reason::FailureWords),
        (is_used, Reason::AnswersUsed),
        (failed > 0, Reason::ToolsFailed(failed)),
        (went_well > 0, Reason::ToolsWentWell(went_well)),
    ];
    let reasons = reasons.into_iter().filter(|(applies, _)| *applies).map(|(_, reason)| reason).collect();
    Assessment { result, strength, reasons }
}

/// Looks at the words of each line. Han characters are letters: beside them no word ends.
fn has_words(texts: &[&str], is_sign: fn(&[String]) -> bool) -> bool {
    texts.iter().flat_map(|text| text.lines()).any(|line| {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        is_sign(&words.map(str::to_lowercase).collect::<Vec<_>>())
    })
}

fn is_success(words: &[String]) -> bool {
    let is_pair = |pair: &[String]| {
        matches!(
            (pair[0].as_str(), pair[1].as_str()),
            ("build", "succeeded") | ("compile" | "compiled", "success" | "successfully")
        )
    };
    let finished = words.iter().position(|word| word == "finished");
    words.iter().any(|word| ["ok", "pass", "passed"].contains(&word.as_str()))
        || words.windows(2).any(is_pair)
        || finished.is_some_and(|at| words[at..].iter().any(|word| word == "success"))
}

fn is_failure(words: &[String]) -> bool {
    words.iter().any(|word| ["error", "exception", "failed", "panic", "traceback"].contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(went_well: bool) -> ToolUse {
        ToolUse { name: "test".into(), went_well: Some(went_well) }
    }

    fn outcome(exit_code: i32, tools: &[bool]) -> RunOutcome {
        RunOutcome {
            exit_code,
            ended_by: EndedBy::Itself,
            answer: "Grey.".into(),
            output_tail: String::new(),
            error_tail: String::new(),
            tools: tools.iter().map(|ok| tool(*ok)).collect(),
            shown_ids: vec!["a".into()],
            used_ids: vec!["a".into()],
            verified_citations: 0,
        }
    }

    #[test]
    fn half_of_the_tools_is_partial_and_one_of_three_is_not() {
        let result = |tools: &[bool]| assess_quality(&outcome(1, tools)).result;
        assert_eq!(result(&[true, false]), Some(ValidationResult::Partial));
        assert_eq!(result(&[true, false, false]), Some(ValidationResult::Fail));
        assert_eq!(result(&[false]), Some(ValidationResult::Fail));
        assert_eq!(result(&[true]), Some(ValidationResult::Fail), "killed though every tool went well");
    }

    #[test]
    fn a_run_that_did_not_end_by_itself_says_nothing() {
        use EndedBy::{Cancelled, Silence, Timeout, TooMuch, Unavailable};
        for ended_by in [Cancelled, Timeout, Silence, TooMuch, Unavailable] {
            for exit_code in [0, 1, 130] {
                let assessment = assess_quality(&RunOutcome { ended_by, ..outcome(exit_code, &[true]) });
                assert_eq!(assessment.result, None);
                assert!(assessment.reasons.contains(&Reason::Ended(ended_by)));
            }
        }
    }

    #[test]
    fn an_end_without_an_answer_says_nothing() {
        let assessment = assess_quality(&RunOutcome { answer: " \n".into(), ..outcome(0, &[true]) });
        assert_eq!((assessment.result, assessment.reasons[0]), (None, Reason::NoAnswer));
    }

    #[test]
    fn prose_without_tools_is_no_success() {
        let prose = RunOutcome { output_tail: "He passed the lighthouse, ok.".into(), ..outcome(0, &[]) };
        assert_eq!(assess_quality(&prose).strength, Strength::Medium);
        let tests = RunOutcome { output_tail: "12 tests passed".into(), ..outcome(0, &[true]) };
        assert_eq!(assess_quality(&tests).strength, Strength::Strong);
    }

    #[test]
    fn the_name_of_an_answer_that_was_not_in_the_prompt_is_no_use() {
        let invented = RunOutcome { used_ids: vec!["zzz".into()], ..outcome(0, &[]) };
        assert_eq!(assess_quality(&invented).strength, Strength::Weak);
    }
}
