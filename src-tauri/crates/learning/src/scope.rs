//! Which features matter, and where.
//!
//! **One e-value a feature.** The flat way is one hypothesis for each (stratum × feature × direction), all against each
//! other: with 13 strata and 40 features each starts at 1 in 1040, and a preference that turns round between two
//! scenes has to be found twice, in a quarter of the rows each time. Here the strata and directions of one feature are
//! mixed into one e-process for "the writer does not care about this feature anywhere":
//!
//! ```text
//! E_f = ½ · ½(E_any,+ + E_any,-)  +  .45 · Π_scenes (½ + ¼E_k,+ + ¼E_k,-)  +  .05 · Π_skills (½ + ¼E_k,+ + ¼E_k,-)
//! ```
//!
//! Scenes have no row in common, so the product of their e-processes is one (each factor has mean one given the
//! past), and so is a mean of e-processes with fixed weights. Everything tried is in it: the weights pay for it. Evidence
//! from several scenes adds up even where it points in opposite directions. e-BH then selects among the features.
//! In simulated writers (200 each over English and Chinese features, four preferences, one of them opposite in two
//! scenes; seeds that nothing was tuned on) everything in this crate together finds .86 of the preferences after 150
//! episodes, precision .92 and .95, median 70 episodes to the first sight of a rule; the flat test on signs about .57, .87
//! and 110 to 120. Added one after another, the intercept in `readable` was worth .05 to .10 of recall, graded evidence
//! with two purses .10, this mixture .06 to .09.
//!
//! **After drift.** A retired rule's feature counts anew from where its evidence turned, and the features of which this
//! is so share half of all weight: the opposite is what is looked for. Where it turned is known only afterwards, so the
//! bound here is the e-CUSUM's, an expected number of relevant episodes until a mistake, and not Ville's. Measured: a rule
//! that turns from .8 to .2 is replaced after 20 relevant episodes (from .9 to .1: 12); one that merely fades to .5 is
//! taken for its opposite within 150 in 11 % of runs. A writer who never had a rule is not touched by it.
//!
//! **Scope.** Within a feature that matters, a direction is looked at where its own E is at least 1/α somewhere. Which
//! strata share it is then a question of description, answered by marginal likelihood: for a set of scenes U,
//! one agreement rate above one half in U (uniform on ½..1), and outside it none (rate ½) or the opposite; prior .65 for
//! "all". The best U is the scope: all, with at least two that support it and not by the largest alone, is *anywhere*;
//! else one rule for each scene in it whose own E is at least 1/α. Skills divide the rows instead where that describes
//! them ten times better.

use crate::{
    distil::Settings,
    ebh,
    eprocess::ln_sum,
    fold::Ledger,
    row::{Direction, Stratum},
};

/// A rule that the evidence would carry, before it is asked whether it is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) feature: usize,
    pub(crate) direction: Direction,
    pub(crate) stratum: Stratum,
    pub(crate) ln_e: f64,
}

/// Shares of the mixture: anywhere, scenes, skills.
const ANYWHERE: f64 = 0.5;
const SCENES: f64 = 0.45;
const SKILLS: f64 = 0.05;
/// Within a partition: the share staked on neither direction.
const IDLE: f64 = 0.5;
/// The share of all weight that features have whose rule was retired by drift: their opposite is what is looked for.
const REVISED: f64 = 0.5;
/// Prior of "all alike" in the choice of a scope.
const ALL: f64 = 0.65;
/// Prior of the opposite, against none, outside a scope.
const OPPOSITE: f64 = 0.3;
/// How much better skills must describe a preference than scenes (ln).
const SKILLS_BETTER: f64 = std::f64::consts::LN_10;

/// How the other scenes must lean where one brings more than half of all rows, in standard deviations of "no lean".
const BEYOND: f64 = 2.0;

/// ln E of "the writer does not care about this feature anywhere".
pub(crate) fn ln_feature(ledger: &Ledger<'_>, feature: usize) -> f64 {
    let both = |stratum| Direction::BOTH.map(|direction| ledger.ln_e(feature, direction, stratum));
    let product = |is_in: fn(&Stratum) -> bool| -> f64 {
        let strata = ledger.strata.iter().filter(|stratum| is_in(stratum));
        strata
            .map(|stratum| {
                let [more, less] = both(*stratum);
                let half = ((1.0 - IDLE) / 2.0).ln();
                ln_sum(&[IDLE.ln(), half + more, half + less])
            })
            .sum()
    };
    let [more, less] = both(Stratum::Anywhere);
    ln_sum(&[
        (ANYWHERE / 2.0).ln() + more,
        (ANYWHERE / 2.0).ln() + less,
        SCENES.ln() + product(|stratum| matches!(stratum, Stratum::Scene(_))),
        SKILLS.ln() + product(|stratum| matches!(stratum, Stratum::Skill(_))),
    ])
}

/// The features that matter, by e-BH over all of them, and the strongest with what it would need.
pub(crate) fn features(ledger: &Ledger<'_>, revised: &[bool], settings: &Settings) -> ebh::Selection {
    let all = ledger.features.max(1) as f64;
    let again = revised.iter().filter(|revised| **revised).count() as f64;
    let share = if again > 0.0 { (again / all).max(REVISED) } else { 0.0 };
    let ln_e: Vec<f64> = (0..ledger.features)
        .map(|feature| {
            let weight = match revised.get(feature) {
                Some(true) => share * all / again,
                _ if again == 0.0 => 1.0,
                _ => (1.0 - share) * all / (all - again),
            };
            ln_feature(ledger, feature) + weight.ln()
        })
        .collect();
    ebh::select(&ln_e, ledger.features, settings.alpha)
}

/// Rows of a partition that belong together: one scene, one skill, or those without.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    stratum: Option<Stratum>,
    relevant: f64,
    agree: f64,
}

impl Bucket {
    /// How it leans, in standard deviations of "no lean".
    fn z(&self) -> f64 {
        if self.relevant == 0.0 { 0.0 } else { (2.0 * self.agree - self.relevant) / self.relevant.sqrt() }
    }

    /// Whether it speaks for the direction; rows of unknown scenes are of several, and speak for two.
    fn supporters(&self) -> usize {
        let speaks = self.relevant >= 3.0 && self.z() >= 0.5;
        if speaks { 1 + usize::from(self.stratum.is_none()) } else { 0 }
    }

    /// ln likelihood outside the scope.
    fn outside(&self) -> f64 {
        let none = self.relevant * 0.5_f64.ln();
        ln_sum(&[none + (1.0 - OPPOSITE).ln(), ln_leaning(self.relevant, self.relevant - self.agree) + OPPOSITE.ln()])
    }
}

/// ln of the likelihood of a sequence with `agree` of `n`, the rate uniform on ½..1 (24 points).
fn ln_leaning(n: f64, agree: f64) -> f64 {
    let each: [f64; 24] = std::array::from_fn(|at| {
        let rate = 0.5 + (at as f64 + 0.5) / 48.0;
        agree * rate.ln() + (n - agree) * (1.0 - rate).ln()
    });
    ln_sum(&each) - 24.0_f64.ln()
}

struct Scope {
    ln_likelihood: f64,
    buckets: Vec<Bucket>,
    inside: usize,
}

impl Scope {
    /// The best scope over a partition. Scopes are nested: the `k` buckets that agree most, for each `k`.
    fn of(ledger: &Ledger<'_>, feature: usize, direction: Direction, is_in: fn(&Stratum) -> bool) -> Option<Self> {
        let bucket = |stratum: Option<Stratum>, (relevant, agree): (u32, u32)| Bucket {
            stratum,
            relevant: f64::from(relevant),
            agree: f64::from(agree),
        };
        let mut buckets = Vec::new();
        let mut rest = ledger.counts(feature, direction, Stratum::Anywhere);
        for stratum in ledger.strata.iter().filter(|stratum| is_in(stratum)) {
            let counts = ledger.counts(feature, direction, *stratum);
            rest = (rest.0.saturating_sub(counts.0), rest.1.saturating_sub(counts.1));
            if counts.0 > 0 {
                buckets.push(bucket(Some(*stratum), counts));
            }
        }
        if rest.0 > 0 {
            buckets.push(bucket(None, (rest.0, rest.1.min(rest.0))));
        }
        let rate = |bucket: &Bucket| (bucket.agree + 1.0) / (bucket.relevant + 2.0);
        buckets.sort_by(|one, two| rate(two).total_cmp(&rate(one)));
        let count = buckets.len();
        let scored = (1..=count).map(|inside| {
            let (within, without) = buckets.split_at(inside);
            let relevant = within.iter().map(|bucket| bucket.relevant).sum();
            let agree = within.iter().map(|bucket| bucket.agree).sum();
            let outside: f64 = without.iter().map(Bucket::outside).sum();
            (ln_leaning(relevant, agree) + outside + ln_prior(inside, count), inside)
        });
        let (ln_likelihood, inside) = scored.max_by(|one, two| one.0.total_cmp(&two.0))?;
        Some(Self { ln_likelihood, buckets, inside })
    }

    fn is_all(&self) -> bool {
        self.inside == self.buckets.len()
    }

    fn supporters(&self) -> usize {
        self.buckets.iter().map(Bucket::supporters).sum()
    }

    /// Whether it is known from more than one scene: where one brings more than half of all rows, the others must lean
    /// too. Thirty-five action scenes and a lucky dozen of others say nothing about the others.
    fn holds_beyond_the_largest(&self) -> bool {
        let sum = |of: fn(&Bucket) -> f64| self.buckets.iter().map(of).sum::<f64>();
        let (relevant, agree) = (sum(|bucket| bucket.relevant), sum(|bucket| bucket.agree));
        // Rows of unknown scenes are of several.
        let known = self.buckets.iter().filter(|bucket| bucket.stratum.is_some());
        let largest = known.max_by(|one, two| one.relevant.total_cmp(&two.relevant));
        largest.is_none_or(|largest| {
            let others = Bucket { stratum: None, relevant: relevant - largest.relevant, agree: agree - largest.agree };
            largest.relevant <= others.relevant || others.z() >= BEYOND
        })
    }

    fn strata(&self) -> impl Iterator<Item = Stratum> + '_ {
        self.buckets[..self.inside].iter().filter_map(|bucket| bucket.stratum)
    }
}

/// ln of the prior of a scope: .65 for all, the rest shared by sizes and within a size by sets.
fn ln_prior(inside: usize, all: usize) -> f64 {
    if all <= 1 {
        return 0.0;
    }
    if inside == all {
        return ALL.ln();
    }
    let sets: f64 = (0..inside).map(|at| ((all - at) as f64 / (at + 1) as f64).ln()).sum();
    ((1.0 - ALL) / (all - 1) as f64).ln() - sets
}

/// The rules that a feature that matters would give. `apart` names strata in which the writer deleted a rule on it: they
/// are never part of a rule for everywhere.
pub(crate) fn candidates(
    ledger: &Ledger<'_>,
    feature: usize,
    apart: &[Stratum],
    settings: &Settings,
) -> Vec<Candidate> {
    let enough = -settings.alpha.ln();
    let mut found = Vec::new();
    for direction in Direction::BOTH {
        let ln_e = |stratum| ledger.ln_e(feature, direction, stratum);
        if !ledger.strata.iter().any(|stratum| ln_e(*stratum) >= enough) {
            continue;
        }
        let by_scene = Scope::of(ledger, feature, direction, |stratum| matches!(stratum, Stratum::Scene(_)));
        let by_skill = Scope::of(ledger, feature, direction, |stratum| matches!(stratum, Stratum::Skill(_)));
        let (Some(by_scene), Some(by_skill)) = (by_scene, by_skill) else { continue };
        let everywhere = by_scene.is_all()
            && by_scene.supporters() >= 2
            && by_scene.holds_beyond_the_largest()
            && apart.iter().all(|stratum| *stratum == Stratum::Anywhere)
            && ln_e(Stratum::Anywhere) >= enough;
        let skills = !by_skill.is_all() && by_skill.ln_likelihood >= by_scene.ln_likelihood + SKILLS_BETTER;
        let strata: Vec<Stratum> = match (skills, everywhere) {
            (true, _) => by_skill.strata().collect(),
            (false, true) => vec![Stratum::Anywhere],
            (false, false) => by_scene.strata().collect(),
        };
        let candidates =
            strata.into_iter().map(|stratum| Candidate { feature, direction, stratum, ln_e: ln_e(stratum) });
        found.extend(candidates.filter(|candidate| candidate.ln_e >= enough));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_are_probabilities() {
        let choose = |n: usize, k: usize| (0..k).map(|at| (n - at) as f64 / (at + 1) as f64).product::<f64>();
        for all in 1..8 {
            let total: f64 = (1..=all).map(|inside| choose(all, inside) * ln_prior(inside, all).exp()).sum();
            assert!((total - 1.0).abs() < 1e-9, "{all}: {total}");
        }
    }

    #[test]
    fn a_lean_is_likelier_where_there_is_one() {
        let coin = 20.0 * 0.5_f64.ln();
        assert!(ln_leaning(20.0, 17.0) > coin + 2.0);
        assert!(ln_leaning(20.0, 10.0) < coin);
        assert!(ln_leaning(0.0, 0.0).abs() < 1e-9);
    }
}
