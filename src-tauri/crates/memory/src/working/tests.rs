use proptest::prelude::*;

use super::*;

const HOUR: i64 = 3_600_000;

fn draft(text: &str, importance: Option<f64>) -> WorkingDraft {
    WorkingDraft { importance, ..WorkingDraft::new("book", WorkingKind::Intent, text) }
}

fn item(kind: WorkingKind, text: &str) -> WorkingDraft {
    WorkingDraft::new("book", kind, text)
}

fn signal(text: &str, weight: f64, skill: Option<&str>, scene: Option<&str>) -> WorkingDraft {
    WorkingDraft {
        weight: Some(weight),
        skill_used: skill.map(Into::into),
        scene_type: scene.map(Into::into),
        ..item(WorkingKind::Signal, text)
    }
}

fn ids(working: &Working, now: Time) -> Vec<String> {
    working.list(&"book".into(), now).items.into_iter().map(|item| item.item_id).collect()
}

fn worth(working: &Working, id: &str, now: Time) -> f64 {
    working.list(&"book".into(), now).items.into_iter().find(|item| item.item_id == id).unwrap().importance
}

#[test]
fn when_it_overflows_the_least_important_go_first() {
    let working = Working::default();
    let now = Time::from_millis(0);
    let long = "word ".repeat(3_500);
    working.add(draft(&format!("keep {long}"), Some(0.9)), "1".into(), now);
    working.add(draft(&format!("drop {long}"), Some(0.1)), "2".into(), now);
    working.add(draft(&format!("new {long}"), Some(0.5)), "3".into(), now);
    assert_eq!(ids(&working, now), ["1", "3"]);
}

#[test]
fn when_it_overflows_intents_of_an_older_focus_go_before_anything_less_important() {
    let working = Working::default();
    let now = Time::from_millis(0);
    let long = |words: &str| format!("{words} {}", "word ".repeat(2_500));
    working.add(item(WorkingKind::Focus, "渡船靠岸，验潮所的灯亮着"), "quay".into(), now);
    working.add(draft(&long("让老周认出那块水尺"), Some(1.0)), "old intent".into(), now);
    working.add(item(WorkingKind::Focus, "雪夜里的山路，两个人走散了"), "snow".into(), now);
    working.add(draft(&long("让两个人在山路上重逢"), Some(0.8)), "new intent".into(), now);
    working.add(WorkingDraft { importance: Some(0.1), ..item(WorkingKind::Undo, &long("undone")) }, "undo".into(), now);
    assert_eq!(ids(&working, now).len(), 5, "all of it fits");
    working.add(draft(&long("let it snow"), Some(0.5)), "new".into(), now);
    let left = ids(&working, now);
    assert!(!left.contains(&"old intent".into()), "{left:?}");
    assert!(left.contains(&"undo".into()) && left.contains(&"new intent".into()), "{left:?}");
}

#[test]
fn an_older_intent_that_has_to_do_with_the_present_focus_is_no_older_than_the_rest() {
    let working = Working::default();
    let now = Time::from_millis(0);
    let long = "word ".repeat(2_500);
    working.add(item(WorkingKind::Focus, "雪夜"), "snow".into(), now);
    working.add(draft("让老周认出那块水尺", Some(0.9)), "the gauge".into(), now);
    working.add(item(WorkingKind::Focus, "老周把水尺靠在门框上"), "the door".into(), now);
    for n in 0..3 {
        let filler = WorkingDraft { importance: Some(0.2), ..item(WorkingKind::Undo, &format!("{n} {long}")) };
        working.add(filler, n.to_string(), now);
    }
    working.add(draft(&format!("more {long}"), Some(0.3)), "more".into(), now);
    let left = ids(&working, now);
    assert!(left.contains(&"the gauge".into()) && !left.contains(&"0".into()), "{left:?}");
}

#[test]
fn the_same_words_again_touch_the_item_that_is_there() {
    let working = Working::default();
    working.add(draft("写到码头", None), "1".into(), Time::from_millis(0));
    let again = working.add(draft("写到码头", None), "2".into(), Time::from_millis(1));
    assert_eq!((again.item_id.as_str(), again.version), ("1", 2));
    assert_eq!(working.list(&"book".into(), Time::from_millis(1)).items.len(), 1);
}

#[test]
fn one_book_never_sees_anothers_items() {
    let working = Working::default();
    working.add(draft("secret", None), "1".into(), Time::from_millis(0));
    assert!(working.list(&"other".into(), Time::from_millis(0)).items.is_empty());
    assert!(!working.remove(&"other".into(), "1"));
    assert!(working.drain(&"other".into()).is_empty());
    assert_eq!(working.project_ids(), ["book"].map(ProjectId::from));
}

#[test]
fn importance_falls_with_age_and_rises_with_touches_and_nearness() {
    assert!((importance(0.8, 1.0, 0, HOUR) - 0.4).abs() < 1e-9, "half after an hour");
    assert!((importance(0.8, 0.0, 0, 0) - 0.4).abs() < 1e-9, "half beside the point");
    assert!(importance(0.5, 1.0, 2, 0) > importance(0.5, 1.0, 0, 0));
    assert!((importance(0.3, 1.0, 5, 0) - importance(0.3, 1.0, 5_000, 0)).abs() < 1e-9, "some touches are enough");
    assert!((importance(1.0, 1.0, 5, 0) - 1.0).abs() < 1e-9);
}

#[test]
fn items_about_the_present_focus_rank_higher() {
    let working = Working::default();
    let now = Time::from_millis(0);
    working.add(draft("让老周认出那块水尺", None), "gauge".into(), now);
    working.add(draft("写一场雪", None), "snow".into(), now);
    assert!((worth(&working, "gauge", now) - worth(&working, "snow", now)).abs() < 1e-9, "without a focus all is near");
    working.add(item(WorkingKind::Focus, "老周把水尺靠在门框上，没有说话"), "focus".into(), now);
    assert!(worth(&working, "gauge", now) > worth(&working, "snow", now));
    working.add(item(WorkingKind::Focus, "那是他见过最大的一场雪"), "focus 2".into(), now);
    assert!(worth(&working, "snow", now) > worth(&working, "gauge", now), "the focus moved on");
    assert!(working.remove(&"book".into(), "focus 2"));
    assert!(worth(&working, "gauge", now) > worth(&working, "snow", now), "and back");
}

#[test]
fn signals_add_up_within_a_skill_and_scene_and_cancel_each_other() {
    let working = Working::default();
    let now = Time::from_millis(0);
    let action = |text: &str, weight| signal(text, weight, Some("continue"), Some("action"));
    working.add(action("删掉了形容词", 0.5), "1".into(), now);
    working.add(action("把长句断开", 0.5), "2".into(), now);
    working.add(signal("不要感叹号", -0.6, None, None), "3".into(), now);
    working.add(signal("又删了感叹号", -0.4, Some("ask"), None), "4".into(), now);
    working.add(signal("加长了", 1.0, Some("expand"), None), "5".into(), now);
    working.add(signal("又缩短了", -0.5, Some("expand"), None), "6".into(), now);
    working.add(signal("对话短一点", 0.9, Some("continue"), Some("dialogue")), "7".into(), now);
    working.add(item(WorkingKind::Intent, "写到船靠岸"), "8".into(), now);
    let condensed = condense(&working.drain(&"book".into()));
    let said: Vec<(&str, Option<&str>, &str)> = condensed
        .preferences
        .iter()
        .map(|p| (p.skill_used.as_str(), p.scene_type.as_deref(), p.words.as_str()))
        .collect();
    let expected =
        [("ask", None, "不要感叹号\n又删了感叹号"), ("continue", Some("action"), "删掉了形容词\n把长句断开")];
    assert_eq!(said, expected);
    assert!(condensed.preferences[0].weight < 0.0 && condensed.preferences[1].weight > 0.0);
    assert_eq!((condensed.archived, condensed.dropped), (4, 3));
    assert!(working.list(&"book".into(), now).items.is_empty());
}

#[test]
fn a_signal_that_comes_ten_times_at_a_tenth_has_added_up() {
    let working = Working::default();
    let now = Time::from_millis(0);
    for n in 1..=10 {
        let item = working.add(signal("又用了续写", 0.1, Some("continue"), None), n.to_string(), now);
        assert_eq!(item.importance >= 1.0, n == 10, "{n}");
    }
    assert_eq!(condense(&working.drain(&"book".into())).archived, 1);
}

#[test]
fn signals_that_have_added_up_outlive_a_full_window() {
    let working = Working::default();
    let now = Time::from_millis(0);
    working.add(signal("删掉了形容词", 1.0, Some("continue"), None), "kept".into(), now);
    working.add(signal("断开了长句", 0.5, Some("polish"), None), "not yet".into(), now);
    for n in 0..10 {
        working.add(item(WorkingKind::Exchange, &format!("{n} {}", "word ".repeat(2_500))), n.to_string(), now);
    }
    let left = ids(&working, now);
    assert!(left.contains(&"kept".into()) && !left.contains(&"not yet".into()), "{left:?}");
}

#[test]
fn items_that_could_not_be_recorded_return_to_working_memory() {
    let working = Working::default();
    let now = Time::from_millis(0);
    working.add(item(WorkingKind::Focus, "老周"), "1".into(), now);
    working.add(signal("删掉了形容词", 1.0, None, None), "2".into(), now);
    let before = working.list(&"book".into(), now);
    let taken = working.drain(&"book".into());
    working.restore(taken, now);
    assert_eq!(working.list(&"book".into(), now), before);
}

#[derive(Debug, Clone)]
enum Step {
    Put(WorkingKind, usize, usize),
    Wait(i64),
    Remove(usize),
    End,
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        Just(WorkingKind::Focus),
        Just(WorkingKind::Intent),
        Just(WorkingKind::Undo),
        Just(WorkingKind::Signal),
        Just(WorkingKind::Exchange),
    ];
    prop_oneof![
        12 => (kind, 0_usize..12, 1_usize..2_500).prop_map(|(kind, word, size)| Step::Put(kind, word, size)),
        3 => (0..2 * HOUR).prop_map(Step::Wait),
        1 => (0_usize..40).prop_map(Step::Remove),
        1 => Just(Step::End),
    ]
}

const WORDS: [&str; 12] =
    ["tide", "gauge", "ferry", "lamp", "snow", "road", "door", "letter", "ink", "rain", "wolf", "bread"];

proptest! {
    #[test]
    fn the_budget_is_kept_whatever_is_put(sizes in proptest::collection::vec(1_usize..3_000, 1..12)) {
        let working = Working::default();
        for (n, size) in sizes.iter().enumerate() {
            working.add(draft(&"ab ".repeat(*size), None), n.to_string(), Time::from_millis(n as i64));
            prop_assert!(working.list(&"book".into(), Time::from_millis(n as i64)).tokens <= BUDGET_TOKENS);
        }
    }

}

proptest! {
    // Counting tokens is most of the work.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_happens_the_budget_holds_and_what_goes_is_an_old_intent_or_worth_no_more_than_what_stays(
        steps in proptest::collection::vec(step(), 1..40)
    ) {
        let working = Working::default();
        let mut now = Time::from_millis(0);
        for (n, step) in steps.into_iter().enumerate() {
            match step {
                Step::Wait(millis) => now = Time::from_millis(now.millis() + millis),
                Step::Remove(id) => drop(working.remove(&"book".into(), &id.to_string())),
                Step::End => {
                    drop(working.drain(&"book".into()));
                    prop_assert_eq!(working.list(&"book".into(), now).tokens, 0);
                }
                Step::Put(kind, word, size) => {
                    let before = working.list(&"book".into(), now).items;
                    let text = format!("{} {}", WORDS[word], "word ".repeat(size));
                    let new = working.add(item(kind, &text), n.to_string(), now);
                    let list = working.list(&"book".into(), now);
                    prop_assert!(list.tokens <= BUDGET_TOKENS);
                    prop_assert_eq!(list.tokens, list.items.iter().map(|item| item.tokens).sum::<u32>());
                    prop_assert!(list.items.contains(&new), "what was just put is there");
                    prop_assert!(list.items.iter().all(|item| (0.0..=1.0).contains(&item.importance)));
                    let is_gone = |item: &&WorkingItem| list.items.iter().all(|left| left.item_id != item.item_id);
                    let gone: Vec<&WorkingItem> = before.iter().filter(is_gone).collect();
                    if kind != WorkingKind::Focus && kind != WorkingKind::Signal {
                        // Worth as seen before: neither focus nor sums have moved with this put.
                        let stayed = before.iter().filter(|item| !is_gone(item) && item.item_id != new.item_id);
                        let least = stayed.map(|item| item.importance).fold(f64::INFINITY, f64::min);
                        for item in &gone {
                            prop_assert!(item.kind == WorkingKind::Intent || item.importance <= least);
                        }
                    }
                    // No more goes than has to.
                    let last = gone.iter().map(|item| item.tokens).max().unwrap_or(u32::MAX);
                    prop_assert!(gone.is_empty() || list.tokens + last > BUDGET_TOKENS);
                }
            }
        }
    }
}
