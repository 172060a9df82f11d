//! The input of a run beside the rows: its parameters, and the state that earlier runs and the writer left.

use crate::{
    confidence::PRIOR,
    drift::{DEFAULT_CLAIM, RETIRE_THRESHOLD},
    row::{Direction, Order, Stratum},
};

/// Parameters of a run. The defaults are those of the method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Upper bound, 0..1, of the expected share of features without a preference among those selected.
    pub alpha: f64,
    /// Upper bound, 0..1, of the chance that a writer without any preference ever gets a rule; at most `alpha`.
    pub first_alpha: f64,
    /// The least share of relevant rows that agree with a rule. 0.5..1.
    pub min_agreement: f64,
    /// The least median |Δz| of a rule, standard deviations.
    pub min_difference: f64,
    /// The least correlation of their differences, 0..1, at which two rules count as one.
    pub min_collinearity: f64,
    /// The same for a rule whose own evidence is strong.
    pub min_collinearity_of_strong: f64,
    /// Features that a writer rarely means: side effects of edits about other features. Of inseparable features,
    /// another one becomes the rule unless one of these moves clearly further.
    pub secondary: &'static [usize],
    /// The mean of ±1, -1..1, that drift is tested against. 0 is "no preference".
    pub claim: f64,
    /// The e-value against a rule, above 1, that retires it.
    pub retire_at: f64,
    /// Number of agreements, and of disagreements, that a confidence starts from; above 0.
    pub prior: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alpha: 0.1,
            first_alpha: 0.01,
            min_agreement: 0.6,
            min_difference: 0.2,
            min_collinearity: 0.2,
            min_collinearity_of_strong: 0.6,
            secondary: &[],
            claim: DEFAULT_CLAIM,
            retire_at: RETIRE_THRESHOLD,
            prior: PRIOR,
        }
    }
}

/// Context of a run besides its rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Times from which evidence on a feature counts again from zero.
    pub restarts: Vec<Restart>,
    /// The rules in force, which are tested for drift.
    pub active: Vec<ActiveRule>,
    /// The writer's verdicts "wrong".
    pub verdicts: Vec<Verdict>,
}

/// Why earlier evidence no longer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartCause {
    /// The writer deleted the rule: later evidence leads at most to a question.
    Deleted,
    /// Drift retired the rule: its opposite is likely to follow.
    Drifted,
}

/// Rows of a stratum up to a time no longer count for a feature, in either direction and in any stratum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restart {
    /// Index among the features of the rows.
    pub feature: usize,
    /// The stratum; strata within it restart too.
    pub stratum: Stratum,
    /// Rows at or before this no longer count.
    pub since: Order,
    /// Decides what later evidence may become.
    pub cause: RestartCause,
}

/// A rule in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveRule {
    /// Index among the features of the rows.
    pub feature: usize,
    /// The preferred direction.
    pub direction: Direction,
    /// Where it applies.
    pub stratum: Stratum,
    /// When it was learned: rows after this are tested for drift.
    pub since: Order,
    /// Whether the writer confirmed it: evidence against it is reported and changes nothing.
    pub confirmed: bool,
}

/// The writer's verdict that a rule is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Index among the features of the rows.
    pub feature: usize,
    /// The direction of the rule.
    pub direction: Direction,
    /// Where it applies.
    pub stratum: Stratum,
    /// The time of the verdict.
    pub at: Order,
}
