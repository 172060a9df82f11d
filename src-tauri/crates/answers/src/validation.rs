//! A validation: the result of one use of an answer, with its strength and its source.

/// The result of a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValidationResult {
    /// It went well.
    Pass,
    /// A part of it went well.
    Partial,
    /// It failed.
    Fail,
}

/// The strength of the signal that a result rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// The program ended, and nothing more is known.
    Weak,
    /// Indirect: copied, quoted and verified, named with the words of a failure.
    Medium,
    /// Direct: the writer's verdict, text that is in a chapter, tests that passed.
    Strong,
}

/// The origin of a validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A run in whose prompt the answer was.
    Run,
    /// The writer's verdict: right, wrong, or edited.
    Writer,
    /// The answer was put into a chapter, or taken out of it again.
    Inserted,
    /// The answer was copied out of its card.
    Copied,
    /// Its quotes were verified in the text.
    Cited,
    /// The same question was asked again soon after.
    Reasked,
    /// Another program or a service reported it.
    Remote,
}

/// The result of one use of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Validation {
    /// The result of the use.
    pub result: ValidationResult,
    /// How directly the use shows the result.
    pub strength: Strength,
    /// Where the result is from.
    pub source: Source,
    /// The answer was named or otherwise used; false if it only was in the prompt.
    pub used: bool,
    /// It moves level, trust and failures; false if it is only reported.
    pub applied: bool,
}

impl ValidationResult {
    /// The name in files and on the wire: `pass`, `partial`, `fail`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Partial => "partial",
            Self::Fail => "fail",
        }
    }
}

impl Strength {
    /// The name in files and on the wire: `weak`, `medium`, `strong`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Medium => "medium",
            Self::Strong => "strong",
        }
    }
}
