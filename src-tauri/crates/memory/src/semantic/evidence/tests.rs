use palimpsest_learning::{State, distill};
use palimpsest_text::Language;
use proptest::prelude::*;

use super::*;
use crate::{
    episodic::{record, style::measure},
    model::{EpisodeDraft, Time},
    testing::prose,
};

/// An episode with candidates, a choice, and a final text.
fn episode(candidates: &[&str], selected_index: i32, final_text: &str) -> Episode {
    let draft = EpisodeDraft {
        project_id: "book".into(),
        chapter_id: "chapter".into(),
        skill_used: "continue".into(),
        scene_type: Some("action".into()),
        input_context: "雨夜。".into(),
        candidates: candidates.iter().map(|&text| text.into()).collect(),
        selected_index,
        selected_text: None,
        final_text: final_text.into(),
        explicit: None,
        generation_id: None,
        occurred_at: None,
    };
    record::choice_episode(draft, "episode".into(), Time::from_millis(7))
}

fn taken(candidates: &[&str], at: usize) -> Episode {
    episode(candidates, i32::try_from(at).unwrap(), candidates[at])
}

fn row_with(episode: &Episode, names: &[HiddenName], spread: &Spread) -> Option<EvidenceRow> {
    evidence_of(episode, &measure(episode, crate::model::Language::Zh), names, spread)
}

fn row(episode: &Episode) -> EvidenceRow {
    row_with(episode, &[], &Spread::new(Feature::COUNT)).unwrap()
}

fn about(evidence: &Evidence, feature: Feature) -> f32 {
    evidence.a[feature.index()]
}

/// Numbers that are independent of their use.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

const LONG: &str = "他慢慢地沿着那条又长又湿、仿佛没有尽头的走廊走过去，心里想着许多许多年以前的那些事情。";
const SHORT: &str = "他走过走廊。停下。听。没有人。";

#[test]
fn taking_the_short_candidate_is_evidence_for_short_and_undoing_it_for_the_opposite() {
    let chosen = taken(&[LONG, SHORT], 1);
    let said = row(&chosen);
    assert!(about(said.choice.as_ref().unwrap(), Feature::SentenceLength) < -0.5);
    assert_eq!((said.written, said.undone, said.texts.len(), said.candidates), (None, false, 3, 2));
    let undone = row(&record::undone(chosen));
    assert!(undone.undone);
    assert_eq!(undone.choice, said.choice, "frozen as it was; the table turns it round");
    let rows = table(&[undone]).rows;
    assert_eq!((rows.len(), rows[0].kind), (1, Kind::Undo));
    assert!(rows[0].evidence(Feature::SentenceLength.index()) > 0.5);
}

#[test]
fn an_edit_after_a_choice_is_a_second_piece_of_evidence_and_own_text_after_a_rejection_is_one() {
    let edited = row(&episode(&[LONG, LONG], 0, SHORT));
    let (kind, edit) = edited.written.clone().unwrap();
    assert_eq!(kind, WrittenKind::Edit);
    assert!(about(&edit, Feature::SentenceLength) < -0.5);
    assert!(edited.choice.as_ref().unwrap().is_all_ties(), "between two that are the same there is nothing to choose");
    let kinds: Vec<Kind> = table(&[edited]).rows.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [Kind::Choice, Kind::Edit]);

    let own = row(&episode(&[LONG], -1, SHORT));
    assert_eq!(own.choice, None);
    assert_eq!(own.written.as_ref().unwrap().0, WrittenKind::Own);
    let rejected = row(&episode(&[LONG, SHORT], -1, ""));
    assert_eq!((rejected.choice, rejected.written), (None, None), "a rejection has no direction");
    assert_eq!(rejected.texts.len(), 2, "and its candidates still tell how much candidates differ");
}

#[test]
fn session_signals_and_remarks_are_no_evidence_of_style() {
    let mut session = episode(&[], -1, "");
    session.input_context = String::new();
    session.explicit = Some("太长".into());
    assert_eq!(row_with(&session, &[], &Spread::new(Feature::COUNT)), None);
}

#[test]
fn correcting_slips_and_names_is_no_evidence() {
    let before = "林默慢慢的走过走廊，停下来听。";
    let names = [
        HiddenName { name: "林默".into(), alias: "甲".into(), lower_case: None },
        HiddenName { name: "苏晚".into(), alias: "乙".into(), lower_case: None },
    ];
    let spread = Spread::new(Feature::COUNT);
    for after in ["林默慢慢地走过走廊，停下来听。", "苏晚慢慢的走过走廊，停下来听。", "林默慢慢的走过走廊, 停下来听."]
    {
        let edited = row_with(&episode(&[before], 0, after), &names, &spread).unwrap();
        assert_eq!(edited.written, None, "{after}");
    }
    let shortened = row_with(&episode(&[before], 0, "林默走过走廊。停下。听。"), &names, &spread).unwrap();
    assert!(shortened.written.is_some());
}

#[test]
fn a_candidate_that_could_not_be_measured_keeps_its_place() {
    let episode = taken(&[LONG, SHORT, LONG], 2);
    let measured: Vec<Measured> = measure(&episode, crate::model::Language::Zh)
        .into_iter()
        .filter(|one| one.part != Part::Candidate(0))
        .collect();
    let said = evidence_of(&episode, &measured, &[], &Spread::new(Feature::COUNT)).unwrap();
    assert_eq!((said.candidates, said.texts[0].len()), (3, 0));
    assert!(about(&said.choice.unwrap(), Feature::SentenceLength) > 0.0, "against the short one alone");
}

/// Summed over every possible choice, evidence is zero: exactly for two candidates, up to rounding for more.
fn sums_to_nothing(candidates: &[&str]) {
    let choices: Vec<Evidence> = (0..candidates.len()).map(|at| row(&taken(candidates, at)).choice.unwrap()).collect();
    for feature in Feature::ALL {
        let sum: f32 = choices.iter().map(|choice| about(choice, feature)).sum();
        let slack = if candidates.len() == 2 { 0.0 } else { 1e-6 };
        assert!(sum.abs() <= slack, "{}: {sum}", feature.as_str());
    }
}

proptest! {
    #[test]
    fn whichever_candidate_is_taken_evidence_is_fair(dice in any::<u64>(), many in 2_usize..6, zh in any::<bool>()) {
        let texts = prose(if zh { Language::Zh } else { Language::En });
        let mut dice = Dice(dice);
        let candidates: Vec<&str> = (0..many).map(|_| texts[dice.below(texts.len())]).collect();
        sums_to_nothing(&candidates);
    }

    #[test]
    fn changing_a_text_and_changing_it_back_are_opposites(dice in any::<u64>()) {
        let texts = prose(Language::En);
        let mut dice = Dice(dice);
        let (one, other) = (texts[dice.below(texts.len())], texts[dice.below(texts.len())]);
        let there = row(&episode(&[one], 0, other)).written;
        let back = row(&episode(&[other], 0, one)).written;
        prop_assert_eq!(there.map(|(_, edit)| edit), back.map(|(_, edit)| edit.reversed()));
    }
}

#[test]
fn a_writer_without_preference_gives_evidence_that_is_nothing_on_average_and_no_rule() {
    for language in [Language::Zh, Language::En] {
        let texts = prose(language);
        let mut dice = Dice(20_260_315);
        let mut spread = Spread::new(Feature::COUNT);
        let mut rows = Vec::new();
        for n in 0..1_200 {
            let candidates: Vec<&str> = (0..3).map(|_| texts[dice.below(texts.len())]).collect();
            let chosen = dice.below(3);
            // Every fourth is rewritten, into anything.
            let written = if n % 4 == 0 { texts[dice.below(texts.len())] } else { candidates[chosen] };
            let episode = episode(&candidates, i32::try_from(chosen).unwrap(), written);
            let said = row_with(&episode, &[], &spread).unwrap();
            observe(&mut spread, &said);
            rows.push(EvidenceRow { episode_id: format!("{n:04}").into(), occurred_at: Time::from_millis(n), ..said });
        }
        let table = table(&rows);
        for feature in 0..Feature::COUNT {
            let a: Vec<f64> = table.rows.iter().map(|row| f64::from(row.evidence(feature))).collect();
            let n = a.len() as f64;
            let mean = a.iter().sum::<f64>() / n;
            let deviation = (a.iter().map(|a| a * a).sum::<f64>() / n).sqrt();
            // Of 84 such numbers one in five hundred runs is beyond four standard errors.
            assert!(
                mean.abs() <= 4.0 * deviation / n.sqrt(),
                "{language:?} {}: {mean}",
                Feature::ALL[feature].as_str()
            );
        }
        let outcome = distill(&table.rows, Feature::COUNT, &settings(), &State::default());
        assert_eq!(outcome.rules, [], "{language:?}");
    }
}

#[test]
fn rows_stand_in_the_order_of_time_and_those_of_a_pause_are_left_out() {
    let named = |id: &str, at: i64, scene: Option<&str>, skill: &str| EvidenceRow {
        episode_id: id.into(),
        occurred_at: Time::from_millis(at),
        scene_type: scene.map(Into::into),
        skill_used: skill.into(),
        ..row(&taken(&[LONG, SHORT], 1))
    };
    let mut evidence = vec![
        named("c", 2, Some("action"), "polish"),
        named("b", 1, None, "continue"),
        named("a", 2, Some("dialogue"), "continue"),
    ];
    evidence.push(EvidenceRow { paused: true, ..named("d", 0, Some("monologue"), "expand") });
    let table = table(&evidence);
    assert_eq!(table.of, [1, 2, 0]);
    let strata = &table.strata;
    for (scene, skill) in [(Some("action"), None), (Some("dialogue"), None), (None, Some("polish")), (None, None)] {
        let stratum = strata.stratum(scene, skill).unwrap();
        assert_eq!(strata.scene_and_skill(stratum), (scene, skill));
    }
    assert_eq!(strata.stratum(Some("transition"), None), None);
    assert_eq!(strata.stratum(Some("action"), Some("polish")), None);
    let scenes: Vec<Option<Stratum>> = table.rows.iter().map(|row| row.scene.map(Stratum::Scene)).collect();
    assert_eq!(scenes, [None, strata.stratum(Some("dialogue"), None), strata.stratum(Some("action"), None)]);
}

#[test]
fn a_change_is_given_in_the_unit_of_the_feature() {
    let edited = row(&episode(&[LONG], 0, SHORT));
    let (before, after) = means(&[&edited], Feature::SentenceLength, true).unwrap();
    assert!((30.0..50.0).contains(&before) && (2.0..5.0).contains(&after), "{before} {after}");
    let chosen = row(&taken(&[LONG, SHORT, LONG], 1));
    let (others, taken_one) = means(&[&chosen], Feature::SentenceLength, false).unwrap();
    assert!((others - before).abs() < 1e-3 && (taken_one - after).abs() < 1e-3, "{others} {taken_one}");
    let undone = EvidenceRow { undone: true, ..chosen.clone() };
    assert_eq!(means(&[&undone], Feature::SentenceLength, false), Some((taken_one, others)));
    let own = row(&episode(&[LONG, LONG], -1, SHORT));
    let (offered, own) = means(&[&own], Feature::SentenceLength, true).unwrap();
    assert!((offered - before).abs() < 1e-3 && (own - after).abs() < 1e-3);
    for is_written in [true, false] {
        assert_eq!(means(&[&chosen], Feature::Cliches, is_written), None, "no evidence on the feature");
    }
    assert_eq!(means(&[&chosen], Feature::SentenceLength, true), None, "no edit");
    let both = row(&episode(&[SHORT, LONG], 1, SHORT));
    let (before, after) = means(&[&both], Feature::SentenceLength, true).unwrap();
    assert!(after < before, "the edit shortens");
    let (before, after) = means(&[&both], Feature::SentenceLength, false).unwrap();
    assert!(after > before, "the choice was of the longer one");
}
