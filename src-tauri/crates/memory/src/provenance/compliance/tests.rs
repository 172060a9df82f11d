use proptest::prelude::*;

use super::*;

fn drafts(values: &[f64], with: bool) -> Vec<Recent<f64>> {
    values.iter().map(|measure| Recent { measure: *measure, with }).collect()
}

fn ten() -> Vec<f64> {
    (1..=10).map(f64::from).collect()
}

#[test]
fn a_draft_beyond_all_recent_ones_follows_a_rule_and_one_below_the_middle_does_not() {
    let recent = drafts(&ten(), false);
    let says = |value, direction| judge_rule(value, direction, 1.0, &recent).unwrap();
    assert_eq!(says(11.0, 1), Compliance { effect: 0.5, followed: Followed::Yes, reaction: Reaction::Unknown });
    assert_eq!((says(5.0, 1).effect, says(5.0, 1).followed), (0.0, Followed::No));
    assert_eq!((says(0.0, -1).effect, says(0.0, -1).followed), (0.5, Followed::Yes));
    assert_eq!(says(7.5, 1).followed, Followed::Partly);
    assert_eq!(says(7.5, 1).effect, 0.0, "one in three drafts does as much: not owed to the rule on that alone");
    assert_eq!(judge_rule(11.0, 1, 0.6, &recent).unwrap().effect, 0.3, "times the rule's confidence");
}

#[test]
fn seven_drafts_are_too_few_for_a_judgement() {
    assert_eq!(judge_rule(11.0, 1, 1.0, &drafts(&ten()[..7], false)), None);
    assert!(judge_rule(11.0, 1, 1.0, &drafts(&ten()[..8], false)).is_some());
    let like = |words| Likeness { words, style: 0.0 };
    let recent: Vec<_> = (0..7).map(|n| Recent { measure: like(f64::from(n)), with: false }).collect();
    assert_eq!(judge_example(like(9.0), &recent), None);
}

#[test]
fn drafts_without_a_single_exclamation_mark_share_the_middle() {
    assert_eq!(percentile(0.0, &[0.0; 12]), Some(0.5));
    assert_eq!(judge_rule(0.0, -1, 1.0, &drafts(&[0.0; 12], false)).unwrap().followed, Followed::No);
}

#[test]
fn a_draft_is_compared_with_those_that_did_not_have_the_rule() {
    // All recent drafts with the rule have 20 or more: one more of them is nothing special, but for those without.
    let mut recent = drafts(&ten(), false);
    recent.extend(drafts(&ten().iter().map(|value| value + 20.0).collect::<Vec<_>>(), true));
    let followed = judge_rule(22.0, 1, 1.0, &recent).unwrap();
    assert_eq!(followed, Compliance { effect: 0.5, followed: Followed::Yes, reaction: Reaction::Seen });
    let partly = judge_rule(7.5, 1, 1.0, &recent).unwrap();
    assert!((partly.effect - 0.2).abs() < 1e-12, "the model reacts: a partly followed rule counts");
}

#[test]
fn a_rule_that_the_model_never_minded_weighs_nothing_however_the_draft_looks() {
    let mut recent = drafts(&ten(), false);
    recent.extend(drafts(&ten(), true));
    let by_chance = judge_rule(11.0, 1, 1.0, &recent).unwrap();
    assert_eq!(by_chance, Compliance { effect: 0.0, followed: Followed::Yes, reaction: Reaction::NotSeen });
}

#[test]
fn an_example_counts_for_what_it_is_like_beyond_unrelated_drafts() {
    let like = |words: f64, style: f64| Likeness { words, style };
    let unrelated: Vec<_> = (0..12)
        .map(|n| Recent { measure: like(0.05 + 0.002 * f64::from(n % 4), -1.0 - 0.1 * f64::from(n % 3)), with: false })
        .collect();
    let near = judge_example(like(0.4, -0.5), &unrelated).unwrap();
    assert_eq!((near.followed, near.effect), (Followed::Yes, 0.5));
    let usual = judge_example(like(0.053, -1.1), &unrelated).unwrap();
    assert_eq!(usual.effect, 0.0);
    // Nothing is known of words where no text of recent drafts is left; style tells alone.
    let no_words: Vec<_> =
        unrelated.iter().map(|draft| Recent { measure: like(0.0, draft.measure.style), with: false }).collect();
    assert!(judge_example(like(0.0, -0.2), &no_words).unwrap().effect > 0.0);
    assert_eq!(judge_example(like(0.0, 0.0), &vec![Recent { measure: like(0.0, 0.0), with: false }; 12]), None);
}

proptest! {
    #[test]
    fn a_percentile_and_that_of_the_opposite_are_one(value in -5.0..5.0_f64, others in prop::collection::vec(-5.0..5.0_f64, 8..40)) {
        let up = percentile(value, &others).unwrap();
        let turned: Vec<f64> = others.iter().map(|other| -other).collect();
        prop_assert!((0.0..=1.0).contains(&up));
        prop_assert!((up + percentile(-value, &turned).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn more_of_it_never_counts_less_and_no_draft_is_owed_to_both_directions(
        values in prop::collection::vec((-5_i32..5, any::<bool>()), 8..40), value in -6_i32..6, more in 0_i32..4, confidence in 0.0..1.0_f64,
    ) {
        let recent: Vec<_> = values.iter().map(|(v, with)| Recent { measure: f64::from(*v), with: *with }).collect();
        let of = |value: i32, direction| judge_rule(f64::from(value), direction, confidence, &recent).unwrap();
        let (here, further) = (of(value, 1), of(value + more, 1));
        prop_assert!((0.0..=0.5).contains(&here.effect));
        prop_assert!(further.effect >= here.effect);
        prop_assert!(here.effect == 0.0 || of(value, -1).effect == 0.0);
        // A unit, or a shift of the scale, changes nothing.
        let scaled: Vec<_> = recent.iter().map(|draft| Recent { measure: draft.measure * 8.0 + 16.0, with: draft.with }).collect();
        prop_assert_eq!(judge_rule(f64::from(value) * 8.0 + 16.0, 1, confidence, &scaled).unwrap().followed, here.followed);
    }
}
