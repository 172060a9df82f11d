use palimpsest_text::style::Feature;
use proptest::prelude::*;

use super::*;
use crate::model::{Category, RuleDraft};

const NOW: Time = Time::from_millis(1_000);

fn matter(feature: usize, direction: i32, scene: Option<&str>) -> Matter {
    Matter { feature: Feature::ALL[feature], direction, scene_type: scene.map(Into::into), skill_used: None }
}

fn finding(feature: usize, direction: i32, scene: Option<&str>) -> Finding {
    let plain = format!("{} {direction} {scene:?}", Feature::ALL[feature].as_str());
    Finding {
        matter: matter(feature, direction, scene),
        category: Category::Style,
        words: format!("{plain} (18 of 21)"),
        templates: vec![plain.clone(), format!("{plain} (0 of 0)")],
        plain,
        confidence: 0.8,
        confidence_low: 0.7,
        evidence_count: 21,
        is_question: false,
    }
}

fn book(id: &str, found: Vec<Finding>) -> ProjectFindings {
    ProjectFindings {
        project_id: id.into(),
        language: Language::Zh,
        found,
        retired: Vec::new(),
        restored: Vec::new(),
        seen_until: Time::from_millis(500),
        suggested: Vec::new(),
        placed: Vec::new(),
    }
}

fn compare(known: &StateBefore, books: &[ProjectFindings]) -> Diff {
    let mut n = 0;
    let mut new_id = || {
        n += 1;
        format!("new-{}-{n}", known.rules.len()).into()
    };
    let mut all = Reconciliation::new(known.clone(), 200, NOW, &mut new_id);
    for book in books {
        all.add_project(book);
    }
    all.finish()
}

/// The known state after a run was committed.
fn after(mut known: StateBefore, diff: &Diff) -> StateBefore {
    for change in &diff.changes {
        known.rules.retain(|rule| rule.id != change.rule_id);
        known.rules.extend(change.after.clone());
    }
    for found in &diff.found_in {
        known.books.retain(|one| (&one.rule_id, &one.project_id) != (&found.rule_id, &found.project_id));
        known.books.push(found.clone());
    }
    known.books.retain(|one| !diff.lost_in.contains(&(one.rule_id.clone(), one.project_id.clone())));
    let settled = crate::semantic::conflict::compare_with_open(&known.rules, &known.conflicts);
    known.conflicts.retain(|open| !settled.closed.contains(&open.conflict_id));
    known.conflicts.extend(settled.opened.into_iter().map(|pair| OpenConflict {
        conflict_id: format!("{}-{}", pair.first, pair.second),
        project_id: pair.project_id,
        first: pair.first,
        second: pair.second,
        opened_at: NOW,
    }));
    known
}

fn learned_from(books: &[ProjectFindings]) -> StateBefore {
    after(StateBefore::default(), &compare(&StateBefore::default(), books))
}

fn kinds(diff: &Diff) -> Vec<ChangeKind> {
    diff.changes.iter().map(|change| change.kind).collect()
}

fn written(id: &str, book: Option<&str>, feature: usize, direction: i32, scene: Option<&str>) -> Rule {
    let draft = RuleDraft {
        rule: format!("by hand {id}"),
        category: Category::Style,
        scope: if book.is_some() { Scope::Project } else { Scope::Global },
        project_id: book.map(Into::into),
        scene_type: scene.map(Into::into),
        skill_used: None,
        dimension: None,
    };
    let rule = crate::semantic::rules::added(draft, id.into(), Time::from_millis(1));
    Rule { pattern: Some(pattern_of(&matter(feature, direction, scene))), ..rule }
}

fn stone(project: Option<&str>, why: TombstoneCause, feature: usize, direction: i32, scene: Option<&str>) -> Tombstone {
    let mut of = written("gone", project, feature, direction, scene);
    of.project_id = project.map(Into::into);
    Tombstone::for_rule(&of, format!("stone-{feature}"), why, Time::from_millis(100), None)
}

#[test]
fn a_finding_becomes_a_rule_and_the_same_finding_again_changes_nothing() {
    let books = [book("p", vec![finding(1, -1, Some("action")), finding(2, 1, None)])];
    let diff = compare(&StateBefore::default(), &books);
    assert_eq!(kinds(&diff), [ChangeKind::Learned, ChangeKind::Learned]);
    let rule = diff.changes[0].after.as_ref().unwrap();
    assert_eq!((rule.version, rule.standing, rule.user_confirmed), (1, RuleStanding::Active, false));
    assert_eq!(rule.learned_at, Some(Time::from_millis(500)));
    let known = after(StateBefore::default(), &diff);
    assert_eq!(compare(&known, &books).changes, []);
}

#[test]
fn figures_follow_the_evidence_and_words_of_a_model_or_of_the_writer_stay() {
    let first = finding(1, -1, None);
    let later = Finding { words: format!("{} (30 of 40)", first.plain), confidence: 0.75, ..first.clone() };
    for (words, should) in [(first.words.as_str(), later.words.as_str()), ("a model's words", "a model's words")] {
        let mut known = learned_from(&[book("p", vec![first.clone()])]);
        known.rules[0].rule = words.into();
        let diff = compare(&known, &[book("p", vec![later.clone()])]);
        assert_eq!(kinds(&diff), [ChangeKind::Weakened]);
        assert_eq!(diff.changes[0].after.as_ref().unwrap().rule, should);
        assert_eq!(diff.changes[0].after.as_ref().unwrap().version, 2);
    }
    let mut known = learned_from(&[book("p", vec![first.clone()])]);
    known.rules[0].user_modified = true;
    let diff = compare(&known, &[book("p", vec![later])]);
    assert_eq!(diff.changes[0].after.as_ref().unwrap().rule, first.words);
}

#[test]
fn a_confirmed_rule_is_never_changed_but_for_the_notice_that_the_evidence_has_turned() {
    let mut known = learned_from(&[book("p", vec![finding(1, -1, None)])]);
    known.rules[0].user_confirmed = true;
    assert_eq!(compare(&known, &[book("p", vec![])]).changes, [], "not found");
    let weaker = Finding { confidence: 0.5, ..finding(1, -1, None) };
    assert_eq!(compare(&known, &[book("p", vec![weaker])]).changes, []);
    let turned = ProjectFindings { retired: vec![known.rules[0].id.clone()], ..book("p", vec![]) };
    let diff = compare(&known, std::slice::from_ref(&turned));
    assert_eq!(kinds(&diff), [ChangeKind::Challenged]);
    let after_it = diff.changes[0].after.clone().unwrap();
    assert_eq!(Rule { challenged: false, version: 1, updated_at: NOW, ..after_it }, known.rules[0]);
    assert_eq!(compare(&after(known, &diff), &[turned]).changes, [], "told once");
}

#[test]
fn the_opposite_of_a_confirmed_rule_is_asked_and_not_put_in_force() {
    let known = StateBefore { rules: vec![written("said", Some("p"), 1, 1, None)], ..StateBefore::default() };
    let books = [book("p", vec![finding(1, -1, None)])];
    let diff = compare(&known, &books);
    assert_eq!(kinds(&diff), [ChangeKind::Proposed, ChangeKind::Challenged]);
    assert_eq!(diff.changes[0].after.as_ref().unwrap().standing, RuleStanding::Proposed);
    let known = after(known, &diff);
    assert_eq!(known.conflicts.len(), 1);
    assert_eq!(compare(&known, &books).changes, []);
}

#[test]
fn a_rule_that_is_not_found_any_more_is_withdrawn_and_comes_back_when_it_is() {
    let found = || (0..8).map(|feature| finding(feature, -1, None)).collect::<Vec<_>>();
    let known = learned_from(&[book("p", found())]);
    let fewer = [book("p", found().into_iter().skip(1).collect())];
    let diff = compare(&known, &fewer);
    assert_eq!((kinds(&diff), diff.asks_first), (vec![ChangeKind::Withdrawn], false));
    let known = after(known, &diff);
    assert_eq!(compare(&known, &fewer).changes, []);
    assert_eq!(kinds(&compare(&known, &[book("p", found())])), [ChangeKind::Returned]);
}

#[test]
fn dropping_more_than_a_quarter_of_the_rules_is_asked_first_and_changed_or_moved_rules_do_not_count() {
    let found = || (0..8).map(|feature| finding(feature, -1, None)).collect::<Vec<_>>();
    let known = learned_from(&[book("p", found())]);
    let without = |n: usize| book("p", found().into_iter().skip(n).collect());
    assert!(!compare(&known, &[without(2)]).asks_first);
    assert!(compare(&known, &[without(3)]).asks_first);
    let retired = known.rules.iter().take(3).map(|rule| rule.id.clone()).collect();
    assert!(!compare(&known, &[ProjectFindings { retired, ..without(3) }]).asks_first);
    let mut moved = without(3);
    moved.found.extend((0..3).map(|feature| finding(feature, -1, Some("action"))));
    assert!(!compare(&known, &[moved]).asks_first);
}

#[test]
fn after_a_change_of_preference_the_rule_states_the_opposite() {
    let known = learned_from(&[book("p", vec![finding(1, 1, None)])]);
    let old = known.rules[0].clone();
    let turned = ProjectFindings { retired: vec![old.id.clone()], ..book("p", vec![]) };
    let stepped = compare(&known, &[turned]);
    assert_eq!(kinds(&stepped), [ChangeKind::SteppedBack]);
    let known = after(known, &stepped);
    let diff = compare(&known, &[book("p", vec![finding(1, -1, None)])]);
    assert_eq!(kinds(&diff), [ChangeKind::Replaced]);
    let new = diff.changes[0].after.as_ref().unwrap();
    assert_eq!((&new.id, new.version, new.recently_updated), (&old.id, 3, true));
    assert_eq!((new.standing, new.pattern.as_ref().unwrap().direction), (RuleStanding::Active, -1));
    assert_eq!(diff.changes[0].before.as_ref().unwrap().rule, old.rule);
}

#[test]
fn a_rule_in_the_writers_words_does_not_turn_round_under_them() {
    let mut known = learned_from(&[book("p", vec![finding(1, 1, None)])]);
    known.rules[0].user_modified = true;
    let turned = ProjectFindings { retired: vec![known.rules[0].id.clone()], ..book("p", vec![finding(1, -1, None)]) };
    assert_eq!(kinds(&compare(&known, &[turned])), [ChangeKind::Learned, ChangeKind::SteppedBack]);
}

#[test]
fn a_deleted_rule_returns_as_a_question_at_most() {
    let question = Finding { is_question: true, ..finding(1, -1, None) };
    let diff = compare(&StateBefore::default(), &[book("p", vec![question])]);
    assert_eq!(diff.changes[0].after.as_ref().unwrap().standing, RuleStanding::Proposed);
    let known = StateBefore {
        tombstones: vec![stone(Some("p"), TombstoneCause::Undone, 1, -1, None)],
        ..StateBefore::default()
    };
    let diff = compare(&known, &[book("p", vec![finding(1, -1, None)])]);
    assert_eq!(kinds(&diff), [ChangeKind::Proposed], "its run was undone");
    let diff = compare(&known, &[book("q", vec![finding(1, -1, None)])]);
    assert_eq!(kinds(&diff), [ChangeKind::Learned], "in another book");
}

#[test]
fn a_second_book_makes_a_rule_global_without_its_figures_and_alone_it_is_one_books_again() {
    let known = learned_from(&[book("p", vec![finding(1, -1, Some("action"))])]);
    let second = [book("q", vec![Finding { confidence: 0.6, evidence_count: 63, ..finding(1, -1, Some("action")) }])];
    let diff = compare(&known, &second);
    assert_eq!(kinds(&diff), [ChangeKind::Globalised]);
    let rule = diff.changes[0].after.as_ref().unwrap();
    assert_eq!((rule.scope, &rule.project_id), (Scope::Global, &None));
    assert_eq!(rule.rule, finding(1, -1, Some("action")).plain);
    assert_eq!((rule.evidence_count, hundredths(rule.confidence)), (84, 65));
    let known = after(known, &diff);
    assert_eq!(compare(&known, &second).changes, []);
    let diff = compare(&known, &[book("p", vec![])]);
    assert_eq!(kinds(&diff), [ChangeKind::Localised]);
    assert_eq!(diff.changes[0].after.as_ref().unwrap().project_id.as_ref(), Some(&"q".into()));
}

#[test]
fn a_rule_edited_or_deleted_by_the_writer_or_in_another_language_does_not_become_global() {
    let known = learned_from(&[book("p", vec![finding(1, -1, None)])]);
    let second = [book("q", vec![finding(1, -1, None)])];
    let mut worded = known.clone();
    worded.rules[0].user_modified = true;
    let mut foreign = known.clone();
    foreign.languages.insert(known.rules[0].id.clone(), Language::En);
    let deleted = StateBefore {
        tombstones: vec![stone(Some("r"), TombstoneCause::Deleted, 1, -1, Some("action"))],
        ..known.clone()
    };
    for known in [worded, foreign, deleted] {
        assert_eq!(kinds(&compare(&known, &second)), [ChangeKind::Learned]);
    }
}

#[test]
fn a_rule_that_the_writer_made_global_stays_global() {
    let mut known = learned_from(&[book("p", vec![finding(1, -1, None)])]);
    known.rules[0].scope = Scope::Global;
    known.rules[0].project_id = None;
    known.promoted.insert(known.rules[0].id.clone());
    assert_eq!(compare(&known, &[book("p", vec![])]).changes, []);
}

#[test]
fn a_model_may_propose_only_rules_that_are_new_and_were_not_deleted() {
    let asks_like = |known: &StateBefore, words: &str, like: &[&str]| {
        let like = like.iter().map(|id| RuleId::from(*id)).collect();
        let suggested = Suggestion { words: words.into(), category: Category::Character, remarks: 2, like };
        kinds(&compare(known, &[ProjectFindings { suggested: vec![suggested], ..book("p", vec![]) }]))
    };
    let asks = |known: &StateBefore, words: &str| asks_like(known, words, &[]);
    assert_eq!(asks(&StateBefore::default(), "林秋从不喝酒"), [ChangeKind::Proposed]);
    let mut known = StateBefore { rules: vec![written("w", Some("p"), 1, 1, None)], ..StateBefore::default() };
    known.rules[0].rule = "林秋从不喝酒".into();
    assert_eq!(asks(&known, "林秋从不喝酒"), []);
    assert_eq!(asks(&known, "林秋滴酒不沾"), [ChangeKind::Proposed], "nobody has said that it is the same");
    assert_eq!(asks_like(&known, "林秋滴酒不沾", &["w"]), []);
    let mut gone = stone(Some("p"), TombstoneCause::Deleted, 1, 1, None);
    gone.words = "林秋从不喝酒".into();
    gone.dimension = None;
    let rule = gone.rule_id.clone();
    let known = StateBefore { tombstones: vec![gone], ..StateBefore::default() };
    assert_eq!(asks(&known, "林秋从不喝酒"), []);
    assert_eq!(asks_like(&known, "林秋滴酒不沾", &[rule.as_str()]), []);
}

#[test]
fn above_the_capacity_the_least_certain_rules_are_dropped_and_confirmed_ones_stay() {
    let found: Vec<Finding> = (0..12)
        .map(|feature| Finding { confidence: 0.6 + 0.01 * feature as f64, ..finding(feature, -1, None) })
        .collect();
    let mut n = 0;
    let mut new_id = || {
        n += 1;
        format!("new-{n}").into()
    };
    let confirmed = written("said", Some("p"), 20, 1, None);
    let known = StateBefore { rules: vec![Rule { confidence: 0.1, ..confirmed }], ..StateBefore::default() };
    let mut all = Reconciliation::new(known, 10, NOW, &mut new_id);
    all.add_project(&book("p", found));
    let diff = all.finish();
    assert_eq!(diff.changes.len(), 9, "nine beside the confirmed one");
    assert!(diff.changes.iter().all(|change| change.after.as_ref().is_some_and(|rule| rule.confidence >= 0.625)));
}

#[test]
fn every_confirmed_rule_that_the_evidence_contradicts_gets_a_conflict() {
    let known = StateBefore {
        rules: ["a", "b"].map(|id| written(id, Some("p"), 1, 1, None)).to_vec(),
        ..StateBefore::default()
    };
    let diff = compare(&known, &[book("p", vec![finding(1, -1, None)])]);
    let challenged: Vec<&str> =
        diff.changes.iter().filter(|one| one.kind == ChangeKind::Challenged).map(|one| one.rule_id.as_str()).collect();
    assert_eq!(challenged, ["a", "b"]);
}

#[test]
fn a_restored_rule_is_neither_withdrawn_nor_reversed_on_the_same_evidence() {
    let known = learned_from(&[book("p", vec![finding(1, -1, None), finding(2, 1, None)])]);
    let kept = |found: Vec<Finding>| ProjectFindings { restored: vec![known.rules[0].id.clone()], ..book("p", found) };
    let diff = compare(&known, &[kept(vec![finding(2, 1, None)])]);
    assert_eq!((diff.changes, diff.asks_first), (vec![], false), "not withdrawn");
    let diff = compare(&known, &[kept(vec![finding(1, 1, None), finding(2, 1, None)])]);
    assert_eq!(kinds(&diff), [ChangeKind::Proposed], "the opposite is asked");
    // When found again, it follows the evidence as every rule does.
    let surer = Finding { confidence: 0.9, ..finding(1, -1, None) };
    assert_eq!(kinds(&compare(&known, &[kept(vec![surer, finding(2, 1, None)])])), [ChangeKind::Strengthened]);
}

#[test]
fn a_global_rule_that_the_writer_put_back_stays_so_in_the_book_that_does_not_show_it() {
    let found = || vec![finding(1, -1, None)];
    let known = learned_from(&[book("p", found()), book("q", found())]);
    assert_eq!(known.rules[0].scope, Scope::Global);
    assert_eq!(kinds(&compare(&known, &[book("q", vec![])])), [ChangeKind::Localised]);
    let kept = ProjectFindings { restored: vec![known.rules[0].id.clone()], ..book("q", vec![]) };
    assert_eq!(compare(&known, std::slice::from_ref(&kept)).changes, []);
    // The undo restored the rule, but not the projects where it was found.
    let known =
        StateBefore { books: known.books.into_iter().filter(|one| one.project_id == "p".into()).collect(), ..known };
    assert_eq!(compare(&known, &[kept]).changes, []);
}

#[test]
fn above_the_capacity_a_restored_rule_is_neither_dropped_nor_counted() {
    let found: Vec<Finding> = (0..6).map(|feature| finding(feature, -1, None)).collect();
    let known = learned_from(&[book("p", found.clone())]);
    let mut new_id = || unreachable!("nothing is new");
    let mut all = Reconciliation::new(known.clone(), 5, NOW, &mut new_id);
    all.add_project(&ProjectFindings { restored: vec![known.rules[0].id.clone()], ..book("p", found.clone()) });
    assert_eq!(all.finish().changes, []);
    let mut all = Reconciliation::new(known, 5, NOW, &mut new_id);
    all.add_project(&book("p", found));
    assert_eq!(kinds(&all.finish()), [ChangeKind::Dropped]);
}

#[test]
fn contradictions_are_doubted_once() {
    let mut one = written("a", Some("p"), 1, 1, None);
    let mut two = written("b", Some("p"), 1, -1, None);
    for rule in [&mut one, &mut two] {
        rule.user_confirmed = false;
        rule.confidence = 0.9;
    }
    let known = StateBefore { rules: vec![one, two], ..StateBefore::default() };
    let diff = compare(&known, &[book("p", vec![])]);
    let confidences: Vec<i64> =
        diff.changes.iter().map(|change| hundredths(change.after.as_ref().unwrap().confidence)).collect();
    assert_eq!(confidences, [72, 72]);
    assert_eq!(compare(&after(known, &diff), &[book("p", vec![])]).changes, []);
}

// Laws over arbitrary findings and known states.

fn any_scene() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![Just(None), Just(Some("action")), Just(Some("dialogue"))]
}

fn any_finding() -> impl Strategy<Value = Finding> {
    (0..4_usize, prop_oneof![Just(1), Just(-1)], any_scene(), 0.4..0.95_f64, 5..60_u32, any::<bool>()).prop_map(
        |(feature, direction, scene, confidence, evidence_count, is_question)| Finding {
            confidence,
            confidence_low: confidence - 0.1,
            evidence_count,
            is_question,
            ..finding(feature, direction, scene)
        },
    )
}

/// As the method returns them: nothing twice, and never both directions in one stratum.
fn any_found() -> impl Strategy<Value = Vec<Finding>> {
    prop::collection::vec(any_finding(), 0..8).prop_map(|mut all| {
        let mut seen = HashSet::new();
        all.retain(|one| seen.insert((one.matter.feature, one.matter.scene_type.clone())));
        all
    })
}

fn any_rule() -> impl Strategy<Value = (Option<&'static str>, usize, i32, Option<&'static str>, bool)> {
    (
        prop_oneof![Just(Some("p")), Just(Some("q")), Just(None)],
        0..4_usize,
        prop_oneof![Just(1), Just(-1)],
        any_scene(),
        any::<bool>(),
    )
}

fn any_known() -> impl Strategy<Value = StateBefore> {
    let stones = prop::collection::vec((any_rule(), 0..3_usize), 0..3);
    (prop::collection::vec(any_rule(), 0..5), any_found(), any_found(), stones).prop_map(|(said, p, q, stones)| {
        let mut known = StateBefore::default();
        for (n, (project, feature, direction, scene, confirmed)) in said.into_iter().enumerate() {
            let rule = written(&format!("said-{n}"), project, feature, direction, scene);
            known.rules.push(Rule { user_confirmed: confirmed, ..rule });
        }
        for (n, ((project, feature, direction, scene, _), why)) in stones.into_iter().enumerate() {
            let why = [TombstoneCause::Deleted, TombstoneCause::Undone, TombstoneCause::Drifted][why];
            let stone = stone(project, why, feature, direction, scene);
            known.tombstones.push(Tombstone { tombstone_id: format!("stone-{n}"), ..stone });
        }
        for (n, books) in [[book("p", p)], [book("q", q)]].iter().enumerate() {
            let mut diff = compare(&known, books);
            for change in &mut diff.changes {
                // Runs have their own names.
                if change.before.is_none()
                    && let Some(after) = &mut change.after
                {
                    let id = RuleId::from(format!("{}-of-{n}", after.id));
                    for one in diff.found_in.iter_mut().filter(|one| one.rule_id == after.id) {
                        one.rule_id.clone_from(&id);
                    }
                    after.id.clone_from(&id);
                    change.rule_id = id;
                }
            }
            known = after(known, &diff);
        }
        known
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn reconciling_the_same_again_changes_nothing(known in any_known(), found in any_found(), other in any_found()) {
        for books in [vec![book("p", found.clone())], vec![book("p", found), book("q", other)]] {
            let first = compare(&known, &books);
            let then = after(known.clone(), &first);
            let second = compare(&then, &books);
            prop_assert_eq!(second.changes, vec![]);
        }
    }

    #[test]
    fn what_the_writer_put_back_stays_in_force_and_looking_again_changes_nothing(known in any_known(), found in any_found()) {
        let here = |rule: &&Rule| {
            rule.standing == RuleStanding::Active && rule.project_id.as_ref().is_none_or(|id| id.as_str() == "p")
        };
        let kept: Vec<RuleId> = known.rules.iter().filter(here).map(|rule| rule.id.clone()).collect();
        let books = [ProjectFindings { restored: kept.clone(), ..book("p", found) }];
        let diff = compare(&known, &books);
        let then = after(known.clone(), &diff);
        for id in &kept {
            let of = |known: &StateBefore| known.rules.iter().find(|rule| &rule.id == id).cloned().expect("a rule");
            let (had, has) = (of(&known), of(&then));
            prop_assert_eq!(has.standing, RuleStanding::Active);
            prop_assert_eq!((has.scope, Matter::from_rule(&has)), (had.scope, Matter::from_rule(&had)));
        }
        prop_assert_eq!(compare(&then, &books).changes, vec![]);
    }

    #[test]
    fn what_the_writer_confirmed_or_wrote_is_as_it_was(known in any_known(), found in any_found(), retire in any::<bool>()) {
        let retired = if retire { known.rules.iter().map(|rule| rule.id.clone()).collect() } else { Vec::new() };
        let diff = compare(&known, &[ProjectFindings { retired, ..book("p", found) }]);
        for change in diff.changes {
            let Some(before) = change.before else { continue };
            if before.user_confirmed {
                let after = change.after.expect("it is not dropped");
                let same = Rule { challenged: before.challenged, version: before.version, updated_at: before.updated_at, ..after };
                prop_assert_eq!(same, before);
            }
        }
    }

    #[test]
    fn a_book_never_gets_words_or_episodes_of_another(known in any_known(), found in any_found()) {
        let foreign: HashSet<String> = known
            .rules
            .iter()
            .filter(|rule| rule.project_id.as_ref() == Some(&"q".into()))
            .map(|rule| rule.rule.clone())
            .collect();
        let plain: HashSet<String> = found.iter().map(|finding| finding.plain.clone()).collect();
        let own: HashSet<String> = found.iter().map(|finding| finding.words.clone()).collect();
        let diff = compare(&known, &[book("p", found)]);
        for change in &diff.changes {
            let Some(rule) = &change.after else { continue };
            let was_q = change.before.as_ref().is_some_and(|before| before.project_id.as_ref() == Some(&"q".into()));
            // Rules of the other project are either untouched or shared, and then in words without names.
            if was_q {
                prop_assert_eq!(change.kind, ChangeKind::Globalised);
                prop_assert!(plain.contains(&rule.rule));
            }
            if rule.project_id.as_ref() == Some(&"p".into()) && !own.contains(&rule.rule) {
                let before = change.before.as_ref().map(|before| before.rule.clone());
                let kept = before.as_ref() == Some(&rule.rule);
                prop_assert!(kept || !foreign.contains(&rule.rule));
            }
        }
    }

    #[test]
    fn what_was_deleted_is_not_put_in_force_again(known in any_known(), found in any_found()) {
        let asked: Vec<Finding> = found.into_iter().map(|finding| Finding { is_question: true, ..finding }).collect();
        let diff = compare(&known, &[book("p", asked)]);
        for change in diff.changes {
            let was_in_force = change.before.as_ref().is_some_and(|before| before.standing == RuleStanding::Active);
            let is_in_force = change.after.as_ref().is_some_and(|after| after.standing == RuleStanding::Active);
            prop_assert!(was_in_force || !is_in_force, "{:?}", change.kind);
        }
    }
}
