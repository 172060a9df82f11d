use proptest::prelude::*;

use super::*;

/// Normal enough: the sum of twelve shares less six.
fn noise(random: &mut SplitMix64) -> f64 {
    (0..12).map(|_| (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0
}

/// Outcomes with these effects of each memory, and noise.
fn outcomes(masks: &[Mask], effects: &[f64], spread: f64, seed: u64) -> Vec<f64> {
    let mut random = SplitMix64::new(seed);
    let there =
        |mask: &Mask| mask.iter().zip(effects).filter(|(there, _)| **there).map(|(_, effect)| effect).sum::<f64>();
    masks.iter().map(|mask| 3.0 + there(mask) + spread * noise(&mut random)).collect()
}

#[test]
fn an_effect_is_found_and_the_others_do_not_disturb_it() {
    let effects = [1.0, 0.0, -0.8, 0.5, 0.0, 0.0, 2.0];
    let masks = design(effects.len(), 32, 7);
    let exact = outcomes(&masks, &effects, 0.0, 0);
    for (memory, known) in effects.iter().enumerate() {
        let found = effect(memory, &masks, &exact).unwrap();
        assert!((found.effect - known).abs() < 1e-9 && (found.high - found.low).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn the_interval_holds_the_truth_nine_times_of_ten() {
    for (memories, runs) in [(8, 32), (12, 32), (6, 16), (12, 16), (40, 32)] {
        let (mut held, mut all) = (0, 0);
        for seed in 0..1000 {
            let masks = design(memories, runs, seed);
            let effects: Vec<f64> = (0..memories).map(|at| if at % 2 == 0 { 0.0 } else { 0.3 }).collect();
            let outcomes = outcomes(&masks, &effects, 1.0, seed + 1000);
            for (memory, known) in effects.iter().enumerate().take(2) {
                let found = effect(memory, &masks, &outcomes).unwrap();
                held += u32::from(found.low <= *known && *known <= found.high);
                all += 1;
            }
        }
        let share = f64::from(held) / f64::from(all);
        assert!((0.875..=0.925).contains(&share), "{memories} memories, {runs} runs: {share}");
    }
}

#[test]
fn two_memories_that_only_work_together_pass_for_neither_more_nor_less_than_they_are() {
    // Together 2, alone nothing: half of the time one is there the other is too.
    let masks = design(5, 32, 3);
    let outcomes: Vec<f64> = masks.iter().map(|mask| if mask[0] && mask[1] { 2.0 } else { 0.0 }).collect();
    for memory in 0..5 {
        let found = effect(memory, &masks, &outcomes).unwrap();
        assert!((found.effect - if memory < 2 { 1.0 } else { 0.0 }).abs() < 1e-9, "{memory}: {found:?}");
    }
}

#[test]
fn an_effect_that_cannot_be_measured_is_not_reported() {
    let masks = design(4, 16, 1);
    let outcomes = outcomes(&masks, &[1.0, 0.0, 0.0, 0.0], 0.1, 1);
    assert_eq!(effect(4, &masks, &outcomes), None, "no such memory");
    assert_eq!(effect(0, &masks[..4], &outcomes[..4]), None, "cancelled too early");
    assert!(effect(0, &masks[..10], &outcomes[..10]).is_some(), "cancelled later");
    assert_eq!(effect(0, &masks, &outcomes[..15]), None);
    assert_eq!(effect(0, &vec![vec![true]; 16], &outcomes), None, "always there");
    assert_eq!(effect(0, &[], &[]), None);
}

#[test]
fn a_draft_owes_nothing_to_a_memory_without_effect_or_that_it_did_not_follow() {
    let seen = Effect { effect: 1.0, low: 0.4, high: 1.6 };
    let around = [-1.0, 0.0, 1.0];
    assert_eq!(owed(seen, 1.0, &around), 0.25);
    assert_eq!(owed(seen, 40.0, &around), 0.5);
    assert_eq!(owed(seen, -0.5, &around), 0.0);
    assert_eq!(owed(Effect { low: -0.1, ..seen }, 1.0, &around), 0.0);
    assert_eq!(owed(Effect { effect: -1.0, low: -1.6, high: -0.4 }, -1.0, &around), 0.0, "it works against the memory");
}

proptest! {
    #[test]
    fn every_memory_is_in_half_of_the_masks_and_every_mask_has_its_complement(memories in 0_usize..50, runs in 2_usize..40, seed in any::<u64>()) {
        let masks = design(memories, runs, seed);
        prop_assert_eq!(masks.len(), runs / 2 * 2);
        for pair in masks.chunks(2) {
            prop_assert!(pair[0].iter().zip(&pair[1]).all(|(one, other)| one != other));
        }
        for memory in 0..memories {
            prop_assert_eq!(masks.iter().filter(|mask| mask[memory]).count() * 2, masks.len());
        }
        prop_assert_eq!(&masks, &design(memories, runs, seed));
    }

    #[test]
    fn up_to_fifteen_memories_are_estimated_independently_in_thirty_two_runs(memories in 2_usize..16, seed in any::<u64>()) {
        let masks = design(memories, 32, seed);
        for one in 0..memories {
            for other in 0..one {
                prop_assert_eq!(masks.iter().filter(|mask| mask[one] == mask[other]).count(), 16);
            }
        }
    }

    #[test]
    fn a_shift_changes_no_effect_and_a_unit_scales_it(seed in any::<u64>(), shift in -5.0..5.0_f64) {
        let masks = design(6, 16, seed);
        let before = outcomes(&masks, &[0.5, 0.0, 0.0, 1.0, 0.0, 0.0], 1.0, seed);
        let after: Vec<f64> = before.iter().map(|outcome| -2.0 * outcome + shift).collect();
        let (one, other) = (effect(0, &masks, &before).unwrap(), effect(0, &masks, &after).unwrap());
        prop_assert!((other.effect + 2.0 * one.effect).abs() < 1e-9);
        prop_assert!((other.low + 2.0 * one.high).abs() < 1e-9);
        prop_assert_eq!(one.is_measurable(), other.is_measurable());
    }
}

#[test]
fn both_of_a_pair_are_written_by_the_same_dice_and_the_first_by_those_of_the_draft() {
    let seeds: Vec<u64> = (0..32).map(|run| seed_of(run, 0x0123_4500 | 3)).collect();
    assert_eq!(&seeds[..2], [0x0123_4503; 2]);
    assert!(seeds.chunks(2).all(|pair| pair[0] == pair[1]));
    // Those of another candidate, or another generation, are none of these.
    let others: Vec<u64> = (0..32).flat_map(|run| [seed_of(run, 0x0123_4500 | 2), seed_of(run, 0x0123_4603)]).collect();
    assert!(seeds.iter().all(|seed| seed >> 8 == 0x0001_2345 && !others.contains(seed)));
}

#[test]
fn a_rule_is_measured_in_its_direction_and_in_deviations_of_the_drafts_without_it() {
    let masks: Vec<Mask> = (0..8).map(|n| vec![n % 2 == 0]).collect();
    let values = [10.0, 1.0, 10.0, 3.0, 10.0, 1.0, 10.0, 3.0];
    let deviation = (4.0_f64 / 3.0).sqrt();
    let more = measure_rule(0, 1, 5.0, &masks, &values);
    assert!((more.draft - 5.0 / deviation).abs() < 1e-12);
    assert!((more.regenerations[0] - 10.0 / deviation).abs() < 1e-12);
    assert!(effect(0, &masks, &more.regenerations).unwrap().low > 0.0);
    let less = measure_rule(0, -1, 5.0, &masks, &values);
    assert_eq!(less.draft, -more.draft);
    assert!(effect(0, &masks, &less.regenerations).unwrap().high < 0.0);
    assert_eq!(measure_rule(0, 1, 5.0, &masks, &[2.0; 8]).draft, 5.0, "what does not vary is in no deviations");
}

#[test]
fn an_example_is_measured_by_how_near_to_it_drafts_are_with_it_and_without() {
    let masks: Vec<Mask> = (0..16).map(|n| vec![n % 2 == 0]).collect();
    let like = |n: usize, near: f64| Likeness { words: near + 0.01 * (n % 4) as f64, style: -1.0 };
    let likenesses: Vec<Likeness> =
        masks.iter().enumerate().map(|(n, mask)| like(n, if mask[0] { 0.5 } else { 0.1 })).collect();
    let found = measure_example(0, like(0, 0.5), &masks, &likenesses).unwrap();
    let estimate = effect(0, &masks, &found.regenerations).unwrap();
    assert!(estimate.low > 10.0, "{estimate:?}");
    assert!(owed(estimate, found.draft, &found.regenerations) > 0.4);
    assert_eq!(measure_example(0, like(0, 0.5), &masks, &[like(0, 0.5); 16]), None, "nothing varies");
}
