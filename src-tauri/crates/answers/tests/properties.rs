//! Rules that hold in every world: for any matches, settings, outcomes of runs, and lives of answers.

#![allow(clippy::unwrap_used)]

use palimpsest_answers::{
    assess::{EndedBy, RunOutcome, ToolUse, assess_quality},
    candidate::{Candidate, Refusal},
    config::Config,
    decide::{CompletedRun, Decision, MemoryWriteDecider},
    gate::{LeftOut, Match, TextChange, is_blocked, prepare_inject},
    marks::used_ids,
    posterior::{MAX_WEAK_VALUE, Tally},
    standing::{
        BlockedBy, Event, EventKind, INITIAL_TRUST_MILLI, Standing, StandingRules, State, cooldown_ms, fold, next,
    },
    use_signals::{AnswerWords, ChapterChange, UseSignal},
    validation::{Source, Strength, Validation, ValidationResult},
};
use proptest::prelude::*;

const NOW: i64 = 4_000 * 24 * 3_600_000;
const HOUR_MS: i64 = 3_600_000;

/// Numbers at and beside the limits that the gate compares with, and any others.
fn score() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => prop::sample::select(vec![0.0, 0.2, 0.49, 0.5, 0.59, 0.6, 0.84, 0.85, 1.0]),
        4 => 0.0..=1.0_f64,
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, -0.5, 2.0]),
    ]
}

fn a_match() -> impl Strategy<Value = Match> {
    let numbers =
        (score(), score(), score(), 0..=4_u8, prop::sample::select(vec![0_u16, 300, 399, 400, 401, 500, 1_000]));
    let failures = (0..8_u32, 0..4_u32, prop::option::of(prop::sample::select(vec![-1_i64, 0, 23, 24, 48, 800])));
    let words = (
        prop::sample::select(vec!["active", "verified", "blocked", "retired", "Active", ""]),
        prop::sample::select(vec![TextChange::No, TextChange::No, TextChange::No, TextChange::Maybe, TextChange::Yes]),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.3),
    );
    (numbers, failures, words, (0..5_u32, 0..5_u32)).prop_map(|(numbers, failures, words, uses)| {
        let (relevance, same, freshness, level, trust_milli) = numbers;
        let (fails_half, times_blocked, hours) = failures;
        let (status, changed, is_blocked_by_writer, user_confirmed, is_remote) = words;
        Match {
            answer_id: String::new(),
            version: 1,
            relevance,
            same,
            status: status.to_owned(),
            level,
            trust_milli,
            freshness,
            fails_half,
            shown_count: uses.0,
            used_count: uses.1,
            times_blocked,
            last_failed_at: hours.map(|hours| NOW - hours * HOUR_MS),
            is_blocked_by_writer,
            user_confirmed,
            changed,
            is_remote,
        }
    })
}

/// Matches with different ids: all different, or several that differ in nothing else.
fn found(max: usize) -> impl Strategy<Value = Vec<Match>> {
    let alike = (prop::collection::vec(a_match(), 1..3), prop::collection::vec(any::<prop::sample::Index>(), 0..=max))
        .prop_map(|(kinds, chosen)| chosen.iter().map(|index| index.get(&kinds).clone()).collect());
    prop_oneof![2 => prop::collection::vec(a_match(), 0..=max), 1 => alike].prop_map(|matches: Vec<Match>| {
        let numbered = matches.into_iter().enumerate();
        numbered.map(|(at, found)| Match { answer_id: format!("a{at}"), ..found }).collect()
    })
}

fn config() -> impl Strategy<Value = Config> {
    (0..5_usize, 0..=3_u8, 0..=3_u8, 0..=1_usize, 0..5_u32, any::<bool>()).prop_map(
        |(max_inject, inject, fallback, slots, block, is_default)| {
            let mut config = Config::default();
            if !is_default {
                config.gatekeeper.max_inject = max_inject;
                config.gatekeeper.min_level_inject = inject;
                config.gatekeeper.min_level_fallback = fallback;
                config.gatekeeper.probation_slots = slots;
                config.gatekeeper.block_if_consecutive_fail_ge = block;
            }
            config
        },
    )
}

fn outcome() -> impl Strategy<Value = RunOutcome> {
    use EndedBy::{AfterResult, Cancelled, Itself, Silence, Timeout, TooMuch, Unavailable};
    let ends = vec![Itself, Itself, Itself, AfterResult, Cancelled, Timeout, Silence, TooMuch, Unavailable];
    (
        prop::sample::select(vec![0, 0, 1, -1, 130]),
        prop::sample::select(ends),
        prop::sample::select(vec!["", "Grey.", "tests passed"]),
        prop::sample::select(vec!["", "ok", "error"]),
        prop::collection::vec(prop::option::of(any::<bool>()), 0..5),
        prop::collection::vec(prop::sample::select(vec!["a0", "a1", "a2", "a3", "zzz"]), 0..4),
    )
        .prop_map(|(exit_code, ended_by, answer, tail, tools, used)| RunOutcome {
            exit_code,
            ended_by,
            answer: answer.to_owned(),
            output_tail: tail.to_owned(),
            error_tail: String::new(),
            tools: tools.into_iter().map(|went_well| ToolUse { name: "tool".to_owned(), went_well }).collect(),
            shown_ids: Vec::new(),
            used_ids: used.into_iter().map(str::to_owned).collect(),
            verified_citations: 0,
        })
}

fn validation() -> impl Strategy<Value = Validation> {
    use Source::{Cited, Copied, Inserted, Reasked, Remote, Run, Writer};
    (
        prop::sample::select(vec![ValidationResult::Pass, ValidationResult::Partial, ValidationResult::Fail]),
        prop::sample::select(vec![Strength::Weak, Strength::Medium, Strength::Strong]),
        prop::sample::select(vec![Run, Run, Run, Writer, Inserted, Copied, Cited, Reasked, Remote]),
        any::<bool>(),
        prop::bool::weighted(0.9),
    )
        .prop_map(|(result, strength, source, used, applied)| Validation {
            result,
            strength,
            source,
            used,
            applied,
        })
}

fn event() -> impl Strategy<Value = Event> {
    let kind = prop_oneof![
        12 => validation().prop_map(EventKind::Validated),
        4 => (any::<bool>(), any::<bool>()).prop_map(|(shown, used)| EventKind::Hit { shown, used }),
        1 => Just(EventKind::Confirmed),
        1 => Just(EventKind::Blocked),
        1 => Just(EventKind::Unblocked),
        1 => Just(EventKind::Edited),
        1 => Just(EventKind::Retired),
    ];
    (0..NOW, kind).prop_map(|(at, kind)| Event { at, kind })
}

fn complete(matches: &[Match], config: &Config, outcome: &RunOutcome) -> (RunOutcome, Decision) {
    let prepared = prepare_inject(matches, config, NOW);
    let outcome = RunOutcome { shown_ids: prepared.shown().map(str::to_owned).collect(), ..outcome.clone() };
    let candidate = Candidate { question: "When?".into(), answer: "Grey.".into(), confidence: 0.6, redactions: 0 };
    let decision = MemoryWriteDecider::new(config).decide(CompletedRun {
        matches,
        prepared: &prepared,
        outcome: &outcome,
        assessment: &assess_quality(&outcome),
        candidate: if outcome.answer.is_empty() { Err(Refusal::Trivial) } else { Ok(candidate) },
        is_fresh: false,
    });
    (outcome, decision)
}

fn standing_of(found: &Match) -> Standing {
    let state = match (found.is_blocked_by_writer, found.status.as_str()) {
        (true, _) => State::Blocked(BlockedBy::Writer),
        (false, "blocked") => State::Blocked(BlockedBy::Run),
        _ => State::Active,
    };
    Standing {
        level: found.level.min(3),
        trust_milli: found.trust_milli,
        fails_half: found.fails_half,
        state,
        times_blocked: found.times_blocked,
        user_confirmed: found.user_confirmed,
        ..Standing::initial(0)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_matches_never_matters(
        (matches, shuffled) in found(8)
            .prop_flat_map(|matches| (Just(matches.clone()), Just(matches).prop_shuffle())),
        config in config(),
    ) {
        prop_assert_eq!(prepare_inject(&matches, &config, NOW), prepare_inject(&shuffled, &config, NOW));
    }

    #[test]
    fn nothing_that_should_stay_out_is_injected(
        matches in found(8),
        config in config(),
    ) {
        let prepared = prepare_inject(&matches, &config, NOW);
        let find = |id: &str| matches.iter().find(|found| found.answer_id == id).unwrap();
        for id in &prepared.injected {
            let found = find(id);
            prop_assert!(config.gatekeeper.active_statuses.contains(&found.status));
            prop_assert!(!is_blocked(found, &config) && found.changed == TextChange::No);
            prop_assert!(found.relevance.is_finite() && found.relevance >= 0.50 && found.trust_milli >= 400);
            let gatekeeper = &config.gatekeeper;
            let min = if prepared.has_strong { gatekeeper.min_level_inject } else { gatekeeper.min_level_fallback };
            prop_assert!(found.level >= min.min(gatekeeper.min_level_inject));
        }
        if let Some(found) = prepared.probation.as_deref().map(find) {
            prop_assert!(found.relevance >= 0.60 && found.changed == TextChange::No && !found.is_blocked_by_writer);
            let waited = found.last_failed_at.map_or(i64::MAX, |failed_at| NOW - failed_at);
            prop_assert!(waited >= cooldown_ms(found.times_blocked));
            prop_assert!(config.gatekeeper.probation_slots > 0);
        }
        prop_assert!(prepared.shown().count() <= config.gatekeeper.max_inject);
        let own = prepared.injected.iter().filter(|id| !find(id).is_remote).count();
        prop_assert!(prepared.has_strong || own <= 1);
        prop_assert!(prepared.shown().filter(|id| find(id).is_remote).count() <= config.gatekeeper.max_inject / 2);
        // Each match is in the prompt or has a reason.
        let left_out = prepared.left_out.iter().map(|(id, _)| id.as_str());
        let mut listed: Vec<&str> = prepared.shown().chain(left_out).collect();
        listed.sort_unstable();
        prop_assert_eq!(listed, matches.iter().map(|found| found.answer_id.as_str()).collect::<Vec<_>>());
    }

    #[test]
    fn no_eligible_answer_is_left_out_while_there_is_room(
        matches in found(8),
    ) {
        let config = Config::default();
        let prepared = prepare_inject(&matches, &config, NOW);
        let has_room = prepared.left_out.iter().any(|(_, reason)| *reason == LeftOut::Room);
        let places = if prepared.has_strong { 3 } else { 1 };
        let is_own = |id: &&String| matches.iter().any(|found| found.answer_id == **id && !found.is_remote);
        let own = prepared.injected.iter().filter(is_own).count();
        prop_assert!(!has_room || own == places || prepared.injected.len() == 3);
    }

    #[test]
    fn another_memory_changes_nothing_about_which_own_answer_is_strong(
        matches in found(8),
        config in config(),
    ) {
        let own: Vec<Match> = matches.iter().filter(|found| !found.is_remote).cloned().collect();
        let (alone, beside) = (prepare_inject(&own, &config, NOW), prepare_inject(&matches, &config, NOW));
        prop_assert_eq!((alone.has_strong, alone.top_same), (beside.has_strong, beside.top_same));
        let lost = alone.injected.iter().filter(|id| !beside.injected.contains(id)).count();
        prop_assert!(lost <= config.gatekeeper.max_inject / 2);
    }

    #[test]
    fn a_run_never_lowers_an_answer_that_it_did_not_use(
        matches in found(5),
        config in config(),
        run in outcome(),
    ) {
        let (outcome, decision) = complete(&matches, &config, &run);
        for planned in &decision.validations {
            let found = matches.iter().find(|found| found.answer_id == planned.answer_id).unwrap();
            let before = standing_of(found);
            let event = Event { at: NOW, kind: EventKind::Validated(planned.validation) };
            let after = next(&before, &event, StandingRules::default());
            let is_used = outcome.used_ids.contains(&planned.answer_id);
            prop_assert_eq!(planned.validation.used, is_used);
            prop_assert!(outcome.shown_ids.contains(&planned.answer_id), "validated and not shown");
            prop_assert!(is_used || planned.validation.result == ValidationResult::Pass || !planned.validation.applied);
            if !is_used {
                prop_assert!(after.trust_milli >= before.trust_milli && after.fails_half <= before.fails_half);
                // One that a run blocked is not unblocked by having been in the prompt.
                prop_assert!(before.state == after.state);
            }
            if before.user_confirmed {
                prop_assert!(after.user_confirmed && after.trust_milli >= before.trust_milli);
                prop_assert!(after.state == before.state || after.state == State::Active);
            }
        }
        // Only known answers are hit, each once, and an invented one is neither hit nor validated.
        for id in &decision.invented {
            prop_assert!(matches.iter().all(|found| found.answer_id != *id));
            prop_assert!(decision.hits.iter().all(|hit| hit.answer_id != *id));
        }
        let mut ids: Vec<&str> = decision.hits.iter().map(|hit| hit.answer_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), decision.hits.len());
    }

    #[test]
    fn a_run_that_was_stopped_moves_nothing_and_gives_no_candidate(
        matches in found(5),
        config in config(),
        run in outcome(),
    ) {
        let (outcome, decision) = complete(&matches, &config, &run);
        if !outcome.ended_by.is_complete() {
            prop_assert!(decision.validations.is_empty() && decision.candidate.is_err());
        }
        if outcome.exit_code != 0 || outcome.answer.is_empty() {
            prop_assert!(decision.candidate.is_err());
        }
        if outcome.answer.is_empty() && outcome.exit_code == 0 {
            prop_assert!(decision.validations.is_empty());
        }
        if let Err(reasons) = &decision.candidate {
            prop_assert!(!reasons.is_empty(), "a candidate is refused with a reason");
        }
    }

    #[test]
    fn the_standing_is_within_its_ranges_and_equal_to_its_fold(
        events in prop::collection::vec(event(), 0..40),
        cut in 0..40_usize,
        block_at_half in 0..8_u32,
    ) {
        let rules = StandingRules { block_at_half };
        let mut standing = Standing::initial(0);
        for event in &events {
            let after = next(&standing, event, rules);
            prop_assert!(after.trust_milli <= 1_000 && after.level <= 3);
            prop_assert!(after.verified_at >= standing.verified_at);
            if event.kind != EventKind::Edited {
                prop_assert!(after.level >= standing.level, "a level fell");
            }
            prop_assert!(after.level <= standing.level.saturating_add(1) || event.kind == EventKind::Confirmed
                || (event.kind == EventKind::Edited && after.user_confirmed));
            if let EventKind::Validated(validation) = event.kind {
                if !validation.applied || standing.state == State::Retired {
                    prop_assert_eq!(&after, &standing);
                }
                if standing.user_confirmed && validation.source != Source::Writer {
                    prop_assert!(after.user_confirmed && after.trust_milli >= standing.trust_milli);
                    prop_assert!(after.state == standing.state, "a run blocked a confirmed answer");
                    prop_assert!(after.fails_half <= standing.fails_half);
                }
                if standing.state == State::Blocked(BlockedBy::Writer) {
                    prop_assert_eq!(after.state, standing.state);
                }
                if !validation.used && validation.source != Source::Writer {
                    prop_assert!(after.trust_milli >= standing.trust_milli);
                }
            }
            standing = after;
        }
        prop_assert_eq!(&fold(Standing::initial(0), &events, rules), &standing);
        let (first, rest) = events.split_at(cut.min(events.len()));
        prop_assert_eq!(&fold(fold(Standing::initial(0), first, rules), rest, rules), &standing);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trust_counts_failures_of_every_order_alike_within_its_limits(
        passes in 0..5_u16, fails in 0..5_u16, seed in any::<u64>(),
    ) {
        // Within 0..=1,000 the steps commute, so only the numbers of results count.
        let of = |result, source| Validation { result, strength: Strength::Weak, source, used: true, applied: true };
        let mut results = vec![ValidationResult::Pass; usize::from(passes)];
        results.extend(vec![ValidationResult::Fail; usize::from(fails)]);
        let length = results.len();
        if length > 0 {
            results.rotate_left(seed as usize % length);
        }
        let events: Vec<Event> = results
            .into_iter()
            .map(|result| Event { at: 0, kind: EventKind::Validated(of(result, Source::Run)) })
            .collect();
        let standing = fold(Standing::initial(0), &events, StandingRules::default());
        prop_assert_eq!(standing.trust_milli, INITIAL_TRUST_MILLI + 50 * passes - 100 * fails);
    }

    #[test]
    fn the_posterior_is_a_chance_within_its_interval(
        validations in prop::collection::vec(validation(), 0..60),
        rate in prop_oneof![0.0..=1.0_f64, Just(f64::NAN)],
    ) {
        let posterior = Tally::of(&validations).posterior(rate);
        prop_assert!((0.0..=1.0).contains(&posterior.value) && posterior.weight < 67.0);
        prop_assert!((0.0..=posterior.value).contains(&posterior.low));
        prop_assert!((posterior.value..=1.0).contains(&posterior.high));
        let runs: Vec<Validation> = validations.iter().map(|one| Validation { source: Source::Run, ..*one }).collect();
        if runs.iter().any(|run| run.used) {
            prop_assert!(Tally::of(&runs).posterior(rate).value <= MAX_WEAK_VALUE + 1e-12);
        }
    }

    #[test]
    fn marks_are_found_in_any_text_without_a_panic(
        words in "[\\[\\]()［】QAqa_REFref:：,，\\- 12潮\n]{0,60}", known in prop::collection::vec("[1-2]{1,2}", 0..3),
    ) {
        let marks = used_ids(&words, &known, "");
        prop_assert!(marks.used.iter().all(|id| known.contains(id)));
        prop_assert!(marks.invented.iter().all(|id| !known.contains(id)));
        prop_assert_eq!(used_ids(&words, &known, &words).used, Vec::<String>::new(), "an echo is no use");
    }

    #[test]
    fn an_answer_is_put_in_only_by_text_that_is_new(
        answer in "[a-z潮水每天推迟 ，。]{0,120}", before in "[a-z潮水船 ，。\n]{0,120}", after in "[a-z潮水船 ，。\n]{0,120}",
    ) {
        let words = AnswerWords::new(&answer);
        let put_in = |before: &str, after: &str| words.put_in(&ChapterChange::new(before, after));
        let is_in = |text: &str| words.put_in(&ChapterChange::all_of(text)).is_some();
        prop_assert_eq!(put_in(&after, &after), None);
        prop_assert_eq!(put_in(&format!("{before}\n\n{answer}"), &answer), None);
        if is_in(&answer) && !is_in(&before) {
            let pasted = format!("{before}\n\n{answer}\n\n{after}");
            prop_assert!(put_in(&before, &pasted).is_some());
        }
    }
}

#[test]
fn a_new_answer_becomes_gold_and_a_wrong_one_is_blocked_and_comes_back() {
    let config = Config::default();
    let rules = StandingRules::default();
    let mut standing = Standing::initial(0);
    let mut events = Vec::new();
    let mut levels = Vec::new();
    // Ten runs that use it and go well, then four that fail; then one a day later, on probation.
    let results = [&[0; 10][..], &[1; 4], &[0]].concat();
    for (run, exit_code) in results.into_iter().enumerate() {
        let at = NOW + run as i64 * 24 * HOUR_MS;
        let found = Match {
            answer_id: "a".into(),
            relevance: 0.9,
            same: 0.7,
            status: standing.status().into(),
            level: standing.level,
            trust_milli: standing.trust_milli,
            freshness: 1.0,
            fails_half: standing.fails_half,
            times_blocked: standing.times_blocked,
            last_failed_at: standing.last_failed_at,
            ..Match::default()
        };
        let prepared = prepare_inject(std::slice::from_ref(&found), &config, at);
        let shown: Vec<String> = prepared.shown().map(str::to_owned).collect();
        let outcome = RunOutcome {
            exit_code,
            ended_by: EndedBy::Itself,
            answer: "Grey [QA:a].".into(),
            output_tail: String::new(),
            error_tail: String::new(),
            tools: Vec::new(),
            used_ids: used_ids("Grey [QA:a].", &shown, "").used,
            shown_ids: shown,
            verified_citations: 0,
        };
        let decision = MemoryWriteDecider::new(&config).decide(CompletedRun {
            matches: std::slice::from_ref(&found),
            prepared: &prepared,
            outcome: &outcome,
            assessment: &assess_quality(&outcome),
            candidate: Err(Refusal::Short),
            is_fresh: false,
        });
        for hit in &decision.hits {
            events.push(Event { at, kind: EventKind::Hit { shown: hit.shown, used: hit.used } });
        }
        for planned in &decision.validations {
            events.push(Event { at, kind: EventKind::Validated(planned.validation) });
        }
        standing = fold(Standing::initial(0), &events, rules);
        levels.push((standing.level, standing.status()));
    }
    assert_eq!(levels[..3], [(1, "verified"), (1, "verified"), (2, "verified")]);
    assert_eq!(levels[9], (3, "verified"));
    assert_eq!(levels[12..14], [(3, "blocked"), (3, "blocked")], "the fourth failure is the first of its probation");
    assert_eq!(levels[14], (3, "blocked"), "after a second block it waits two days");
    assert_eq!(standing.times_blocked, 2);
    assert_eq!(UseSignal::Right.validation().source, Source::Writer);
}

/// A sequence of numbers in 0..1 that is the same each time (SplitMix64; Steele, Lea and Flood 2014).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Simulates 4,000 answers, right with different chances; returns the expected calibration error of the posterior, and
/// that of trust, from the third of twenty verdicts on. A share of the verdicts is wrong.
fn calibration_errors(wrong: f64) -> (f64, f64) {
    const BINS: usize = 10;
    let mut draws = Draws(7);
    let mut bins = [[(0.0, 0.0, 0.0); BINS]; 2];
    for _ in 0..4_000 {
        // The median of three uniform numbers: Beta(2, 2).
        let mut three = [draws.next(), draws.next(), draws.next()];
        three.sort_by(f64::total_cmp);
        let chance = three[1];
        let (mut tally, mut standing) = (Tally::default(), Standing::initial(0));
        for _ in 0..20 {
            let is_right = (draws.next() < chance) != (draws.next() < wrong);
            let signal = if is_right { UseSignal::Right } else { UseSignal::Wrong };
            tally.observe(&signal.validation());
            let event = Event { at: 0, kind: EventKind::Validated(signal.validation()) };
            standing = next(&standing, &event, StandingRules::default());
            let posterior = tally.posterior(0.5);
            if posterior.is_tried() {
                for (bins, shown) in bins.iter_mut().zip([posterior.value, f64::from(standing.trust_milli) / 1_000.0]) {
                    let bin = &mut bins[((shown * BINS as f64) as usize).min(BINS - 1)];
                    *bin = (bin.0 + shown, bin.1 + chance, bin.2 + 1.0);
                }
            }
        }
    }
    let error = |bins: &[(f64, f64, f64); BINS]| {
        let all: f64 = bins.iter().map(|bin| bin.2).sum();
        bins.iter().map(|bin| (bin.0 - bin.1).abs() / all).sum()
    };
    (error(&bins[0]), error(&bins[1]))
}

#[test]
fn the_posterior_is_calibrated_from_the_third_verdict_on_and_trust_is_not() {
    for wrong in [0.0, 0.2] {
        let (posterior, trust) = calibration_errors(wrong);
        assert!(posterior <= 0.03, "{wrong}: {posterior}");
        assert!(trust > 0.15, "{wrong}: {trust}");
    }
}
