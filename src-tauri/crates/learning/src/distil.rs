//! One run: rows in, rules out.

use crate::{
    confidence::{Confidence, PRIOR, Prequential},
    drift::{CLAIM, Drift, THRESHOLD},
    fold::Ledger,
    readable::{median_difference, readable},
    row::{Direction, Kind, Order, Row, Stratum},
    scope::{self, Candidate},
};

/// What a run can be told. The defaults are the method's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The chance that a writer without any preference is ever given a rule is at most this. 0..1. Measured on 800 such
    /// writers over 300 episodes, looked at every 10, with seeds that nothing was tuned on: 0.1 gives 2.5 % of them a
    /// rule, 0.05 1.6 %, 0.02 0.5 %. With preferences, recall after 150 episodes is .86, .84, .82.
    pub alpha: f64,
    /// The least share of relevant rows that agree with a rule. 0.5..1.
    pub least_agreement: f64,
    /// The least median |Δz| of a rule, standard deviations.
    pub least_difference: f64,
    /// From this correlation of their differences on, two rules are one. 0..1.
    pub collinear: f64,
    /// The mean of ±1 that a rule claims, against which drift is tested. 0 is "no preference"; -1..1.
    pub claim: f64,
    /// How much money against a rule retires it, above 1.
    pub retire_at: f64,
    /// Agreements, and as many disagreements, from which a confidence starts, above 0.
    pub prior: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alpha: 0.1,
            least_agreement: 0.6,
            least_difference: 0.2,
            collinear: 0.35,
            claim: CLAIM,
            retire_at: THRESHOLD,
            prior: PRIOR,
        }
    }
}

/// What happened besides the rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Where evidence starts anew.
    pub restarts: Vec<Restart>,
    /// The rules in force, to be watched for drift.
    pub standing: Vec<Standing>,
    /// Each time that the writer said "wrong".
    pub verdicts: Vec<Verdict>,
}

/// Why evidence starts anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The writer deleted the rule: later evidence may at most raise a question.
    Deleted,
    /// Drift retired it: the opposite may well be next.
    Drifted,
}

/// Rows of a stratum up to a time count no more for a feature, in both directions and in every stratum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restart {
    /// The feature.
    pub feature: usize,
    /// Where; strata within it restart too.
    pub stratum: Stratum,
    /// Rows at or before this count no more.
    pub since: Order,
    /// Why.
    pub why: Why,
}

/// A rule in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The feature.
    pub feature: usize,
    /// What the writer wants of it.
    pub direction: Direction,
    /// Where.
    pub stratum: Stratum,
    /// When it was learned: rows after this are looked at for drift.
    pub since: Order,
    /// The writer confirmed it: evidence against it is told, and changes nothing.
    pub confirmed: bool,
}

/// The writer said that a rule is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The feature.
    pub feature: usize,
    /// What the rule said of it.
    pub direction: Direction,
    /// Where.
    pub stratum: Stratum,
    /// When.
    pub at: Order,
}

/// A rule that the evidence carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The feature.
    pub feature: usize,
    /// What the writer wants of it.
    pub direction: Direction,
    /// Where.
    pub stratum: Stratum,
    /// ln of the e-value of this direction in this stratum.
    pub ln_e: f64,
    /// The share of relevant pieces of evidence that agree, 0..1; "wrong" counts as four that do not.
    pub agreement: f64,
    /// How many relevant pieces there are.
    pub n: usize,
    /// How often the rule is right, counted beforehand.
    pub confidence: Confidence,
    /// Median |Δz| of the relevant rows, standard deviations.
    pub median_dz: f64,
    /// Positions of the rows that agree, ascending.
    pub supporting: Vec<usize>,
    /// Positions of the rows that disagree, ascending.
    pub contradicting: Vec<usize>,
    /// The writer deleted a rule on this feature here or around it: this is a question, not a rule.
    pub is_question: bool,
}

/// A rule that holds no more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retired {
    /// Which of [`State::standing`].
    pub standing: usize,
    /// The position of the row that retired it.
    pub row: usize,
    /// The position of the row from which on the evidence turned.
    pub turned: usize,
    /// From the turn on evidence counts anew; to be kept in [`State::restarts`], unless the rule was confirmed.
    pub restart: Restart,
}

/// Why nothing was learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Nothing {
    /// No row says anything.
    NoEvidence,
    /// Rows speak, but not yet clearly enough of one feature.
    NotYet {
        /// Informative choices so far.
        choices: usize,
        /// Informative edits and own texts so far.
        edits: usize,
        /// The feature nearest to a rule.
        nearest: usize,
        /// How near: ln of its e-value through ln of what it needs, under 1; may be negative.
        progress: f64,
    },
    /// What is clear is too small, or too mixed, to be a rule.
    NothingToSay {
        /// How many features the writer does not treat at random.
        features: usize,
    },
}

/// What a run found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The rules, clearest first.
    pub rules: Vec<Found>,
    /// Rules in force that hold no more. Confirmed ones are told too; nothing follows from it.
    pub retired: Vec<Retired>,
    /// Everything that was tried: features × directions × open strata.
    pub tried: usize,
    /// Why there is no rule; none when there is one.
    pub nothing: Option<Nothing>,
}

/// Distils rules about `features` features from rows in their order. A function of its arguments: the same rows give the
/// same rules, whenever and however often it is asked.
///
/// 10,000 rows of 40 features in 13 strata take under 100 ms.
#[must_use]
pub fn distil(rows: &[Row], features: usize, settings: &Settings, state: &State) -> Outcome {
    let retired = drifted(rows, features, settings, state);
    let mut state = state.clone();
    for retired in &retired {
        if !state.standing[retired.standing].confirmed {
            state.restarts.push(retired.restart);
        }
    }

    let ledger = Ledger::new(rows, features, &state);
    let of_feature = |feature: usize| state.restarts.iter().filter(move |restart| restart.feature == feature);
    let revised: Vec<bool> =
        (0..features).map(|feature| of_feature(feature).any(|restart| restart.why == Why::Drifted)).collect();
    let matter = scope::features(&ledger, &revised, settings);
    let mut candidates = Vec::new();
    for feature in &matter.selected {
        let deleted = of_feature(*feature).filter(|restart| restart.why == Why::Deleted);
        let apart: Vec<Stratum> = deleted.map(|restart| restart.stratum).collect();
        candidates.extend(scope::candidates(&ledger, *feature, &apart, settings));
    }
    let rules: Vec<Found> = readable(&ledger, &candidates, &state, settings)
        .iter()
        .map(|candidate| found(&ledger, candidate, &state, settings.prior))
        .collect();
    let nothing = rules.is_empty().then(|| why_nothing(&ledger, matter.selected.len(), matter.ln_threshold));
    Outcome { rules, retired, tried: ledger.tried(), nothing }
}

fn found(ledger: &Ledger<'_>, candidate: &Candidate, state: &State, prior: f64) -> Found {
    let &Candidate { feature, direction, stratum, ln_e } = candidate;
    let (mut supporting, mut contradicting) = (Vec::new(), Vec::new());
    let mut count = Prequential::default();
    let applies = |restart: &&crate::Restart| restart.feature == feature && stratum.within(restart.stratum);
    let since = state.restarts.iter().filter(applies).map(|restart| restart.since).max();
    let mut verdicts: Vec<Order> = state
        .verdicts
        .iter()
        .filter(|verdict| (verdict.feature, verdict.direction) == (feature, direction))
        .filter(|verdict| stratum.within(verdict.stratum))
        .map(|verdict| verdict.at)
        .filter(|at| since.is_none_or(|since| *at > since))
        .collect();
    verdicts.sort_unstable();
    let mut verdicts = verdicts.into_iter().peekable();
    for (at, row) in ledger.relevant(feature, stratum) {
        while verdicts.next_if(|said| *said < row.order).is_some() {
            count.contradict();
        }
        let a = row.evidence(feature);
        count.observe(a);
        if a * direction.sign() > 0.0 { supporting.push(at) } else { contradicting.push(at) }
    }
    verdicts.for_each(|_| count.contradict());
    let deleted = |restart: &crate::Restart| restart.why == Why::Deleted && applies(&restart);
    Found {
        feature,
        direction,
        stratum,
        ln_e,
        agreement: ledger.agreement(feature, direction, stratum),
        n: supporting.len() + contradicting.len(),
        confidence: count.confidence(prior),
        median_dz: median_difference(ledger, candidate),
        supporting,
        contradicting,
        is_question: state.restarts.iter().any(deleted),
    }
}

/// The rules in force that hold no more, each looked at from the time when it was learned.
fn drifted(rows: &[Row], features: usize, settings: &Settings, state: &State) -> Vec<Retired> {
    let mut retired = Vec::new();
    for (standing, rule) in state.standing.iter().enumerate().filter(|(_, rule)| rule.feature < features) {
        let restarts = state.restarts.iter().filter(|restart| restart.feature == rule.feature);
        let restarts: Vec<_> = restarts.collect();
        let mut watch = Drift::against(settings.claim);
        let mut seen: Vec<usize> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let is_void = || restarts.iter().any(|restart| row.order <= restart.since && restart.stratum.holds(row));
            let a = row.evidence(rule.feature);
            if a == 0.0 || row.order <= rule.since || !rule.stratum.holds(row) || is_void() {
                continue;
            }
            seen.push(at);
            watch.observe(a * rule.direction.sign());
            if watch.money() >= settings.retire_at {
                let turned = seen[seen.len().saturating_sub(watch.since() as usize).min(seen.len() - 1)];
                // Up to the turn, and not up to here: what retired the rule is the first evidence for what follows it.
                let since = rows[turned].order.saturating_sub(1);
                let restart = Restart { feature: rule.feature, stratum: rule.stratum, since, why: Why::Drifted };
                retired.push(Retired { standing, row: at, turned, restart });
                break;
            }
        }
    }
    retired
}

fn why_nothing(ledger: &Ledger<'_>, matter: usize, ln_needed: f64) -> Nothing {
    if matter > 0 {
        return Nothing::NothingToSay { features: matter };
    }
    let informative = |row: &&Row| (0..ledger.features).any(|feature| ledger.evidence(row, feature) != 0.0);
    let (edits, choices): (Vec<&Row>, Vec<&Row>) =
        ledger.rows.iter().filter(informative).partition(|row| matches!(row.kind, Kind::Edit | Kind::Own));
    let strongest = (0..ledger.features)
        .filter(|feature| ledger.relevant(*feature, Stratum::Anywhere).next().is_some())
        .map(|feature| (scope::ln_feature(ledger, feature), feature))
        .max_by(|one, two| one.0.total_cmp(&two.0));
    match strongest {
        Some((ln_e, nearest)) if !(edits.is_empty() && choices.is_empty()) => {
            let progress = if ln_needed > 0.0 { (ln_e / ln_needed).min(1.0) } else { 0.0 };
            Nothing::NotYet { choices: choices.len(), edits: edits.len(), nearest, progress }
        }
        _ => Nothing::NoEvidence,
    }
}
