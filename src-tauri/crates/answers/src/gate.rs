//! The gate before a run: which of the matches of a search are injected into the prompt.
//!
//! ```text
//! status ─ freshness ─ changed text ─ failures ─ relevance ≥ .50 ─ trust ≥ .40 ─► eligible
//! eligible, level ≥ 2 ─► injected, at most 3;  none of them: the first with level 1
//! level 0, blocked or distrusted, relevance ≥ .60, wait over ─► the probation slot, if there is room
//! ```
//!
//! Relevance gates before level orders: a gold answer to another question is worth nothing here. The order is that of
//! the original (level, trust, score, freshness), with the writer's confirmation before and the use rate after trust;
//! the id decides last, so that the order of the matches has no influence. The probation slot is the only way up for
//! answers that nothing else would ever validate. The numbers .50 and .60 are of a calibrated relevance.

use std::cmp::Reverse;

use crate::{config::Config, standing::cooldown_ms};

/// Freshness below which an answer is too old.
pub const MIN_FRESHNESS: f64 = 0.001;
/// The status of an answer that does not take part because it failed or the writer blocked it.
pub const BLOCKED_STATUS: &str = "blocked";

/// The state of the text that an answer rests on, compared with when it was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextChange {
    /// It did not.
    #[default]
    No,
    /// Text was added that may answer the question otherwise.
    Maybe,
    /// A cited passage changed or is gone.
    Yes,
}

/// An answer that a search found, in numbers: all that the gate reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Match {
    /// Unique among the matches of a search.
    pub answer_id: String,
    /// Version of the answer.
    pub version: u32,
    /// Chance that it bears on the question, 0..=1; a number that is not finite counts as 0.
    pub relevance: f64,
    /// Sameness of the two questions, 0..=1; 1 for equal keys.
    pub same: f64,
    /// Status as its memory gives it, compared exactly: `active`, `verified`, `blocked`, `retired` or a service's own.
    pub status: String,
    /// Validation level, 0..=3; a higher one of a service counts as 3 or more.
    pub level: u8,
    /// Trust in thousandths, 0..=1,000.
    pub trust_milli: u16,
    /// Freshness, 0..=1 ([`crate::standing::freshness`]); a number that is not finite counts as 0.
    pub freshness: f64,
    /// Consecutive failures, in halves.
    pub fails_half: u32,
    /// Runs in whose prompt it was.
    pub shown_count: u32,
    /// Runs that used it.
    pub used_count: u32,
    /// Number of blocks so far.
    pub times_blocked: u32,
    /// Milliseconds since 1970 of the last failure; `None` if there was none or it is unknown.
    pub last_failed_at: Option<i64>,
    /// The writer blocked it: no probation.
    pub is_blocked_by_writer: bool,
    /// The writer confirmed it.
    pub user_confirmed: bool,
    /// The state of the text that it rests on.
    pub changed: TextChange,
    /// True for an answer of another memory, such as a team's service.
    pub is_remote: bool,
}

/// Why a match is not in the prompt. The first reason that applies, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeftOut {
    /// Its status is none of those that are injected.
    Status,
    /// Its freshness is below [`MIN_FRESHNESS`].
    Old,
    /// The text that it rests on changed, or may have.
    Changed,
    /// It failed too often, or the writer blocked it.
    Blocked,
    /// It does not bear on the question.
    Relevance,
    /// Its trust is too low.
    Trust,
    /// Its validation level is too low.
    Level,
    /// The prompt has as many answers as it may have.
    Room,
    /// The prompt has as many answers of another memory as it may have.
    Share,
}

impl LeftOut {
    /// The name in files and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Old => "old",
            Self::Changed => "changed",
            Self::Blocked => "blocked",
            Self::Relevance => "relevance",
            Self::Trust => "trust",
            Self::Level => "level",
            Self::Room => "room",
            Self::Share => "share",
        }
    }
}

/// The decision of the gate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prepared {
    /// The ids of the injected answers, in the order of the prompt.
    pub injected: Vec<String>,
    /// The id of the answer on probation, which follows the injected ones in the prompt.
    pub probation: Option<String>,
    /// The ids of all others, in the order of the gate, with the reason of each.
    pub left_out: Vec<(String, LeftOut)>,
    /// An eligible answer of this memory has the level to be injected without a fallback.
    pub has_strong: bool,
    /// The highest sameness of an eligible answer of this memory, 0..=1; `None` without one.
    pub top_same: Option<f64>,
}

impl Prepared {
    /// The ids of all answers in the prompt, in its order: the injected ones, then the one on probation.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        self.injected.iter().chain(&self.probation).map(String::as_str)
    }

    /// An eligible answer is to the same question: its sameness reaches `skip_if_top1_score_ge`.
    #[must_use]
    pub fn is_answered_already(&self, config: &Config) -> bool {
        self.top_same.is_some_and(|same| same >= config.gatekeeper.skip_if_top1_score_ge)
    }
}

/// Decides which matches are injected at `now`, in milliseconds since 1970. The order of `matches` has no influence.
///
/// At most [`Config::max_injected`] answers are in the prompt, the one on probation included, and at most
/// [`Config::max_remote`] of another memory. Those neither raise the level that an answer of this memory needs, nor
/// take its place as the fallback, nor count as an answer to the same question. Of matches with the same id, the first
/// in the order of the gate counts.
#[must_use]
pub fn prepare_inject(matches: &[Match], config: &Config, now: i64) -> Prepared {
    let max = config.max_injected();
    let ranked = rank(matches);
    let judged: Vec<(&Match, Option<LeftOut>)> =
        ranked.into_iter().map(|found| (found, exclusion(found, config))).collect();

    let gatekeeper = &config.gatekeeper;
    let min_fallback = gatekeeper.min_level_fallback.min(gatekeeper.min_level_inject);
    let is_own = |judged: &(&Match, Option<LeftOut>)| judged.1.is_none() && !judged.0.is_remote;
    let has_strong = judged.iter().any(|item| is_own(item) && item.0.level >= gatekeeper.min_level_inject);
    let top_same = judged.iter().filter(|item| is_own(item)).map(|item| share(item.0.same)).max_by(f64::total_cmp);
    // Without a strong answer, one of the lower level.
    let (min_level, places) = if has_strong { (gatekeeper.min_level_inject, max) } else { (min_fallback, max.min(1)) };
    let max_remote = config.max_remote();
    let (mut own, mut remote) = (0, 0);

    let mut prepared = Prepared { has_strong, top_same, ..Prepared::default() };
    for (found, reason) in &judged {
        let reason = match reason {
            Some(reason) => *reason,
            None if found.level < min_level => LeftOut::Level,
            None if found.is_remote && remote >= max_remote => LeftOut::Share,
            None if own + remote >= max || (!found.is_remote && own >= places) => LeftOut::Room,
            None => {
                *(if found.is_remote { &mut remote } else { &mut own }) += 1;
                prepared.injected.push(found.answer_id.clone());
                continue;
            }
        };
        prepared.left_out.push((found.answer_id.clone(), reason));
    }
    if gatekeeper.probation_slots > 0 && prepared.injected.len() < max {
        let on_trial = judged
            .iter()
            .filter(|(found, reason)| {
                let is_new = reason.is_none() && found.level < min_fallback;
                (is_new || matches!(reason, Some(LeftOut::Blocked | LeftOut::Trust)))
                    && !(found.is_remote && remote >= max_remote)
                    && may_be_on_probation(found, config, now)
            })
            .min_by_key(|(found, _)| probation_rank(found));
        if let Some((found, _)) = on_trial {
            prepared.probation = Some(found.answer_id.clone());
            prepared.left_out.retain(|(id, _)| *id != found.answer_id);
        }
    }
    prepared
}

/// The matches in the order of the gate, each id once.
fn rank(matches: &[Match]) -> Vec<&Match> {
    let mut ranked: Vec<&Match> = matches.iter().collect();
    ranked.sort_by(|a, b| {
        let of_both = |key: fn(&Match) -> u64| key(b).cmp(&key(a));
        of_both(|found| u64::from(found.user_confirmed))
            .then_with(|| of_both(|found| u64::from(found.level)))
            .then_with(|| of_both(|found| u64::from(found.trust_milli)))
            .then_with(|| use_rate_product(b, a).cmp(&use_rate_product(a, b)))
            .then_with(|| share(b.relevance).total_cmp(&share(a.relevance)))
            .then_with(|| share(b.freshness).total_cmp(&share(a.freshness)))
            .then_with(|| a.answer_id.cmp(&b.answer_id))
            .then_with(|| b.version.cmp(&a.version))
    });
    let mut seen = std::collections::HashSet::new();
    ranked.retain(|found| seen.insert(found.answer_id.as_str()));
    ranked
}

/// The use rate (used + 1)/(shown + 2) of `one`, times the denominator of `other`: whole numbers that compare as the
/// rates do.
fn use_rate_product(one: &Match, other: &Match) -> u64 {
    (u64::from(one.used_count) + 1).saturating_mul(u64::from(other.shown_count) + 2)
}

/// True for an answer whose status is `blocked`, that the writer blocked, or that failed as often as
/// `block_if_consecutive_fail_ge` says.
#[must_use]
pub fn is_blocked(found: &Match, config: &Config) -> bool {
    let threshold = config.gatekeeper.block_if_consecutive_fail_ge.saturating_mul(2);
    found.status == BLOCKED_STATUS || found.is_blocked_by_writer || (threshold > 0 && found.fails_half >= threshold)
}

/// The reason for which a match is not eligible; `None` if it is.
fn exclusion(found: &Match, config: &Config) -> Option<LeftOut> {
    let gatekeeper = &config.gatekeeper;
    let is_active = gatekeeper.active_statuses.contains(&found.status);
    let min_trust = (gatekeeper.min_trust_show * 1_000.0).round();
    if !is_active && found.status != BLOCKED_STATUS {
        Some(LeftOut::Status)
    } else if gatekeeper.exclude_stale_by_default && share(found.freshness) < MIN_FRESHNESS {
        Some(LeftOut::Old)
    } else if found.changed != TextChange::No {
        Some(LeftOut::Changed)
    } else if is_blocked(found, config) {
        Some(LeftOut::Blocked)
    } else if share(found.relevance) < gatekeeper.min_score_inject {
        Some(LeftOut::Relevance)
    } else if f64::from(found.trust_milli) < min_trust {
        Some(LeftOut::Trust)
    } else {
        None
    }
}

/// True for an answer whose relevance reaches that of probation and whose wait after its last failure is over. An
/// answer that the writer blocked is never on probation.
fn may_be_on_probation(found: &Match, config: &Config, now: i64) -> bool {
    let gatekeeper = &config.gatekeeper;
    let min_relevance = gatekeeper.probation_min_score.max(gatekeeper.min_score_inject);
    let has_waited =
        found.last_failed_at.is_none_or(|failed_at| now.saturating_sub(failed_at) >= cooldown_ms(found.times_blocked));
    !found.is_blocked_by_writer && share(found.relevance) >= min_relevance && has_waited
}

/// One of this memory first, then one that never failed, the most relevant, the most trusted, and the lowest id.
fn probation_rank(found: &Match) -> (bool, bool, Reverse<u64>, Reverse<u16>, &str) {
    let has_failed = found.fails_half > 0 || found.times_blocked > 0 || found.last_failed_at.is_some();
    // Numbers that are not negative compare as their bits do.
    let relevance = Reverse(share(found.relevance).to_bits());
    (found.is_remote, has_failed, relevance, Reverse(found.trust_milli), &found.answer_id)
}

/// A number of a search within 0..=1; 0 if it is not finite.
fn share(value: f64) -> f64 {
    // The sum turns a negative zero into zero.
    if value.is_finite() { value.clamp(0.0, 1.0) + 0.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GatekeeperConfig;

    fn found(id: &str, level: u8, trust_milli: u16) -> Match {
        Match {
            answer_id: id.to_owned(),
            relevance: 0.8,
            status: "active".to_owned(),
            level,
            trust_milli,
            freshness: 1.0,
            ..Match::default()
        }
    }

    #[test]
    fn an_answer_that_the_writer_blocked_is_never_on_probation() {
        let blocked = Match { status: "blocked".into(), ..found("a", 2, 800) };
        let prepared = prepare_inject(std::slice::from_ref(&blocked), &Config::default(), 0);
        assert_eq!(prepared.probation.as_deref(), Some("a"));
        let by_writer = Match { is_blocked_by_writer: true, ..blocked };
        let prepared = prepare_inject(&[by_writer], &Config::default(), 0);
        assert_eq!((prepared.probation, prepared.left_out), (None, vec![("a".to_owned(), LeftOut::Blocked)]));
    }

    #[test]
    fn an_answer_that_new_text_may_contradict_is_left_out() {
        let maybe = Match { changed: TextChange::Maybe, ..found("a", 2, 800) };
        let prepared = prepare_inject(&[maybe], &Config::default(), 0);
        assert_eq!(prepared.left_out, [("a".to_owned(), LeftOut::Changed)]);
        assert!(!prepared.has_strong && prepared.shown().next().is_none());
    }

    #[test]
    fn numbers_that_are_not_finite_let_nothing_in() {
        for broken in [f64::NAN, f64::INFINITY, -1.0] {
            let prepared = prepare_inject(
                &[Match { relevance: broken, ..found("a", 2, 800) }, Match { freshness: broken, ..found("b", 2, 800) }],
                &Config::default(),
                0,
            );
            let reasons: Vec<LeftOut> = prepared.left_out.iter().map(|(_, reason)| *reason).collect();
            assert_eq!(reasons, [LeftOut::Old, LeftOut::Relevance], "{broken}");
        }
    }

    #[test]
    fn the_same_question_is_answered_already_only_by_what_may_be_shown() {
        let config = Config::default();
        let same = Match { same: 1.0, ..found("a", 0, 500) };
        assert!(prepare_inject(std::slice::from_ref(&same), &config, 0).is_answered_already(&config));
        let distrusted = Match { trust_milli: 399, ..same };
        assert!(!prepare_inject(&[distrusted], &config, 0).is_answered_already(&config));
    }

    #[test]
    fn another_memory_fills_at_most_half_of_the_places_and_takes_none_from_a_fallback() {
        let remote = |id: &str, level| Match { is_remote: true, same: 1.0, ..found(id, level, 1_000) };
        let service = [remote("r1", 2), remote("r2", 2), remote("r3", 0)];
        let config = Config::default();
        let alone = prepare_inject(&service, &config, 0);
        assert_eq!((alone.injected.as_slice(), &alone.probation), (&["r1".to_owned()][..], &None));
        assert!(!alone.has_strong && !alone.is_answered_already(&config), "it keeps no new answer out");
        assert_eq!(alone.left_out[0], ("r2".to_owned(), LeftOut::Share));

        let beside = |own: Match| prepare_inject(&[service.as_slice(), &[own]].concat(), &config, 0);
        assert_eq!(beside(found("own", 1, 500)).injected, ["r1", "own"]);
        let on_trial = beside(found("own", 0, 500));
        assert_eq!((on_trial.injected, on_trial.probation.as_deref()), (vec!["r1".to_owned()], Some("own")));
        let one = Config { gatekeeper: GatekeeperConfig { max_inject: 1, ..config.gatekeeper.clone() }, ..config };
        assert_eq!(prepare_inject(&service, &one, 0).shown().next(), None);
    }

    #[test]
    fn an_id_that_two_memories_give_is_injected_once() {
        let prepared = prepare_inject(&[found("a", 2, 700), found("a", 3, 700)], &Config::default(), 0);
        assert_eq!(prepared.injected, ["a"]);
        assert!(prepared.left_out.is_empty());
    }
}
