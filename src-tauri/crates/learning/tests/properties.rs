//! Properties that hold for every input.

use palimpsest_learning::{
    ActiveRule, CHOICE_LAMBDAS, Direction, EProcess, Kind, Outcome, PairedEProcess, Restart, RestartCause, Row,
    Settings, State, Stratum, SupportedRule, Verdict, WRITTEN_LAMBDAS, distill, ebh, evidence,
};
use proptest::prelude::*;

const FEATURES: usize = 5;

/// Values as features have them: many zeros, many equal, some far out.
fn skewed() -> impl Strategy<Value = f32> {
    prop_oneof![4 => Just(0.0_f32), 3 => (0..4_u8).prop_map(f32::from), 2 => -1.0..1.0_f32, 1 => 5.0..20.0_f32]
}

fn candidates() -> impl Strategy<Value = Vec<Vec<f32>>> {
    (2..6_usize).prop_flat_map(|count| prop::collection::vec(prop::collection::vec(skewed(), FEATURES), count))
}

fn others(all: &[Vec<f32>], chosen: usize) -> Vec<&[f32]> {
    let rest = all.iter().enumerate().filter(|(at, _)| *at != chosen);
    rest.map(|(_, candidate)| candidate.as_slice()).collect()
}

fn row() -> impl Strategy<Value = (u8, Option<u16>, Option<u16>, Vec<f32>)> {
    (
        0..4_u8,
        prop::option::weighted(0.9, 0..3_u16),
        prop::option::weighted(0.9, 0..3_u16),
        prop::collection::vec(-2.0..2.0_f32, FEATURES),
    )
}

/// Rows in which the first feature leans, so that there is something to find.
fn rows(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(row(), count).prop_map(|rows| {
        let kinds = [Kind::Choice, Kind::Edit, Kind::Own, Kind::Undo];
        let rows = rows.into_iter().enumerate();
        rows.map(|(at, (kind, scene, skill, mut dz))| {
            dz[0] = dz[0].abs() * if at % 7 == 0 { -1.0 } else { 1.0 };
            dz[1] = if scene == Some(1) { dz[1].abs() } else { dz[1] };
            let kind = kinds[usize::from(kind)];
            let a = dz.iter().map(|dz| evidence::Response::for_kind(kind).apply(*dz)).collect();
            Row { order: at as i64, scene, skill, kind, a, dz }
        })
        .collect()
    })
}

fn run(rows: &[Row], state: &State) -> Outcome {
    distill(rows, FEATURES, &Settings::default(), state)
}

fn sorted(mut rules: Vec<SupportedRule>) -> Vec<SupportedRule> {
    rules.sort_by_key(|rule| (rule.feature, rule.direction, rule.stratum));
    rules
}

proptest! {
    #[test]
    fn a_random_choice_has_no_mean(all in candidates(), spread in prop::collection::vec(0.5..3.0_f32, FEATURES)) {
        for feature in 0..FEATURES {
            let a: Vec<f32> =
                (0..all.len()).map(|at| evidence::from_choice(&all[at], &others(&all, at), &spread).a[feature]).collect();
            prop_assert!(a.iter().sum::<f32>().abs() < 1e-4, "{a:?}");
            prop_assert!(a.iter().all(|a| a.abs() <= 1.0 + 1e-6));
            // Exactly the martingale's condition: every stake keeps its mean, whichever candidate it is.
            for shares in [&CHOICE_LAMBDAS, &WRITTEN_LAMBDAS] {
                for direction in [1.0, -1.0] {
                    let after = |a: &f32| {
                        let mut purse = EProcess::new(shares);
                        purse.observe(a * direction);
                        purse.ln().exp()
                    };
                    let mean = a.iter().map(after).sum::<f64>() / all.len() as f64;
                    prop_assert!((mean - 1.0).abs() < 1e-5, "{mean}");
                }
            }
        }
    }

    #[test]
    fn an_edit_and_its_reverse_cancel(one in prop::collection::vec(skewed(), FEATURES), two in prop::collection::vec(skewed(), FEATURES)) {
        let spread = [1.5; FEATURES];
        let there = evidence::from_edit(&one, &two, &spread);
        let back = evidence::from_edit(&two, &one, &spread);
        prop_assert_eq!(&there.clone().reversed().dz, &back.dz);
        prop_assert_eq!(there.reversed().a, back.a);
    }

    #[test]
    fn purses_are_the_mean_over_pairs_of_shares(rows in prop::collection::vec((-1.0..=1.0_f32, any::<bool>()), 0..80)) {
        let mut processes = PairedEProcess::default();
        rows.iter().for_each(|(a, written)| processes.observe(*a, *written));
        let mut naive = 0.0;
        for choice in CHOICE_LAMBDAS {
            for written in WRITTEN_LAMBDAS {
                let factor = |(a, is_written): &(f32, bool)| 1.0 + if *is_written { written } else { choice } * f64::from(*a);
                naive += rows.iter().map(factor).product::<f64>() / 16.0;
            }
        }
        prop_assert!((processes.ln() - naive.ln()).abs() < 1e-6, "{} {}", processes.ln(), naive.ln());
    }

    #[test]
    fn ebh_is_its_definition(e in prop::collection::vec(-2.0..9.0_f64, 0..9), more in 0..20_usize) {
        let tried = e.len() + more;
        let selection = ebh::select(&e, tried, 0.1);
        // The largest set of which every member is large enough for its size.
        let mut largest: Vec<usize> = Vec::new();
        for set in 0..1_u32 << e.len() {
            let members: Vec<usize> = (0..e.len()).filter(|at| set >> at & 1 == 1).collect();
            let needed = (tried.max(1) as f64 / (0.1 * members.len() as f64)).ln();
            if members.len() > largest.len() && members.iter().all(|at| e[*at] >= needed) {
                largest = members;
            }
        }
        prop_assert_eq!(selection.selected, largest);
    }

    #[test]
    fn a_larger_e_value_removes_no_selected_hypothesis(mut e in prop::collection::vec(-2.0..9.0_f64, 1..30), at in any::<prop::sample::Index>(), by in 0.0..9.0_f64) {
        let before = ebh::select(&e, e.len(), 0.1).selected;
        let at = at.index(e.len());
        e[at] += by;
        let after = ebh::select(&e, e.len(), 0.1).selected;
        prop_assert!(before.iter().all(|selected| after.contains(selected)), "{before:?} {after:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn names_of_scenes_and_skills_do_not_matter(rows in rows(40..160)) {
        let renamed: Vec<Row> = rows
            .iter()
            .map(|row| Row { scene: row.scene.map(|s| 900 - 7 * s), skill: row.skill.map(|s| 55 - s), ..row.clone() })
            .collect();
        let before = run(&rows, &State::default());
        let mut after = run(&renamed, &State::default());
        for rule in &mut after.rules {
            rule.stratum = match rule.stratum {
                Stratum::Anywhere => Stratum::Anywhere,
                Stratum::Scene(s) => Stratum::Scene((900 - s) / 7),
                Stratum::Skill(s) => Stratum::Skill(55 - s),
            };
        }
        prop_assert_eq!(before, after);
    }

    #[test]
    fn the_order_of_features_does_not_matter(rows in rows(40..160), turn in 1..FEATURES) {
        let turned = |values: &[f32]| (0..FEATURES).map(|at| values[(at + turn) % FEATURES]).collect();
        let moved: Vec<Row> =
            rows.iter().map(|row| Row { a: turned(&row.a), dz: turned(&row.dz), ..row.clone() }).collect();
        let before = run(&rows, &State::default());
        let mut after = run(&moved, &State::default());
        for rule in &mut after.rules {
            rule.feature = (rule.feature + turn) % FEATURES;
        }
        prop_assert_eq!(sorted(before.rules), sorted(after.rules));
        prop_assert_eq!(before.tried, after.tried);
    }

    #[test]
    fn turned_round_it_learns_the_opposite(rows in rows(40..160)) {
        let turned = |values: &[f32]| values.iter().map(|value| -value).collect();
        let opposite: Vec<Row> =
            rows.iter().map(|row| Row { a: turned(&row.a), dz: turned(&row.dz), ..row.clone() }).collect();
        let before = run(&rows, &State::default());
        let mut after = run(&opposite, &State::default());
        for rule in &mut after.rules {
            rule.direction = rule.direction.opposite();
        }
        prop_assert_eq!(sorted(before.rules), sorted(after.rules));
    }

    #[test]
    fn what_is_found_is_what_is_cited(rows in rows(20..160), cut in 0..100_i64) {
        let deleted = Restart { feature: 0, stratum: Stratum::Scene(0), since: cut, cause: RestartCause::Deleted };
        let state = State { restarts: vec![deleted], ..State::default() };
        for rule in run(&rows, &state).rules {
            prop_assert_eq!(rule.n, rule.supporting.len() + rule.contradicting.len());
            prop_assert!(rule.agreement >= 0.6 && rule.confidence.low <= rule.confidence.value);
            for at in rule.supporting.iter().chain(&rule.contradicting) {
                prop_assert!(rule.stratum.contains(&rows[*at]));
                let is_void = rule.feature == 0 && rows[*at].scene == Some(0) && rows[*at].order <= cut;
                prop_assert!(!is_void, "what was deleted never counts again");
            }
            prop_assert!(rule.supporting.iter().all(|at| rows[*at].a[rule.feature] * rule.direction.sign() > 0.0));
            prop_assert!(!(rule.feature == 0 && rule.stratum == Stratum::Anywhere), "not where it was deleted");
            prop_assert_eq!(rule.is_question, rule.feature == 0 && rule.stratum == Stratum::Scene(0));
        }
    }

    #[test]
    fn of_two_proportional_features_one_is_a_rule_and_the_other_does_not_follow_when_it_is_deleted(
        mut rows in rows(40..160),
        factor in prop_oneof![0.5..2.0_f32, -2.0..-0.5_f32],
        is_always in any::<bool>(),
        is_even in any::<bool>(),
    ) {
        for row in &mut rows {
            let size = if is_even { 1.0 } else { row.dz[0].abs() };
            row.dz[0] = size * if is_always { 1.0 } else { row.dz[0].signum() };
            row.dz[1] = factor * row.dz[0];
            row.a = row.dz.iter().map(|dz| evidence::Response::for_kind(row.kind).apply(*dz)).collect();
        }
        let of_the_two = |outcome: Outcome| -> Vec<SupportedRule> {
            outcome.rules.into_iter().filter(|rule| rule.feature < 2).collect()
        };
        let found = of_the_two(run(&rows, &State::default()));
        for (at, rule) in found.iter().enumerate() {
            let is_repeated = |other: &SupportedRule| {
                other.feature != rule.feature && other.stratum.overlaps(rule.stratum)
            };
            prop_assert!(!found[at + 1..].iter().any(is_repeated), "{found:#?}");
        }
        let since = rows.len() as i64;
        let delete = |rule: &SupportedRule| {
            Restart { feature: rule.feature, stratum: rule.stratum, since, cause: RestartCause::Deleted }
        };
        let state = State { restarts: found.iter().map(delete).collect(), ..State::default() };
        let later = of_the_two(run(&rows, &state));
        let follows = |rule: &SupportedRule| found.iter().any(|deleted| deleted.stratum.overlaps(rule.stratum));
        prop_assert!(!later.iter().any(follows), "{found:#?} {later:#?}");
    }

    #[test]
    fn nothing_makes_it_fall_over(
        mut rows in rows(0..40),
        broken in prop::collection::vec(prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(-9.0_f32), Just(0.0)], 0..9),
        feature in 0..9_usize,
        at in -5..50_i64,
        confirmed in any::<bool>(),
    ) {
        if let Some(row) = rows.first_mut() {
            row.a = broken.clone();
            row.dz = broken;
        }
        let (direction, stratum) = (Direction::More, Stratum::Scene(1));
        let state = State {
            restarts: vec![Restart { feature, stratum, since: at, cause: RestartCause::Drifted }],
            active: vec![ActiveRule { feature, direction, stratum, since: at, confirmed }],
            verdicts: vec![Verdict { feature, direction, stratum, at }],
        };
        let outcome = run(&rows, &state);
        prop_assert_eq!(outcome.nothing.is_none(), !outcome.rules.is_empty());
        prop_assert!(outcome.rules.iter().all(|rule| rule.ln_e.is_finite() && rule.median_dz.is_finite()));
        let _ = distill(&rows, 0, &Settings::default(), &state);
    }
}
