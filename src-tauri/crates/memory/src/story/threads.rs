//! The threads of a story: questions that it opens and answers, by the facts that say where.

use std::cmp::Reverse;

use super::{FactsAt, Place, fold};
use crate::model::{
    Canon, EntityId, EntityKind, Language, StepAttributes, StepKind, StoryThread, ThreadStatus, ThreadStep,
};

/// The attributes that make a fact of a thread a step. The first one of each language is offered.
const STEPS: [(StepKind, &[&str], &[&str]); 4] = [
    (StepKind::Planted, &["埋下", "埋线", "伏笔", "提出"], &["planted", "plant", "setup", "opened"]),
    (StepKind::Touched, &["提到", "再提", "呼应"], &["touched", "touch", "reminder", "mentioned"]),
    (StepKind::Paid, &["收回", "收线", "回收", "揭晓", "解答"], &["paid", "paid off", "payoff", "pay-off", "answered"]),
    (StepKind::LeftOpen, &["就让它开着", "有意不收", "留白"], &["left open", "left open on purpose", "stays open"]),
];

/// The kind of step that an attribute says, in either language.
fn step_of(attribute: &str) -> Option<StepKind> {
    let attribute = fold(attribute.trim()).to_lowercase();
    let is_named = |(_, zh, en): &&(StepKind, &[&str], &[&str])| zh.iter().chain(*en).any(|word| *word == attribute);
    STEPS.iter().find(is_named).map(|(kind, ..)| *kind)
}

/// The attributes of new steps.
pub(crate) fn step_attributes(language: Language) -> StepAttributes {
    let [planted, touched, paid, left_open] = STEPS.map(|(_, zh, en)| match language {
        Language::Zh => zh[0].to_owned(),
        Language::En => en[0].to_owned(),
    });
    StepAttributes { planted, touched, paid, left_open }
}

/// The threads of a book as of the position of `facts`, in the order in which they are listed. `here` is the number of
/// the chapter of the position; `is_named` says whether the text up to it names an entity. Those of which the reader
/// knows nothing are left out.
pub(crate) fn threads(
    canon: &Canon,
    facts: &FactsAt<'_>,
    here: usize,
    is_named: &dyn Fn(&EntityId) -> bool,
) -> Vec<StoryThread> {
    let mut threads: Vec<(Option<Place>, StoryThread)> = Vec::new();
    for entity in canon.entities.iter().filter(|entity| entity.kind == EntityKind::Thread) {
        let Some(name) = facts.name_of(entity) else { continue };
        if !facts.is_listed(entity) && !is_named(&entity.entity_id) {
            continue;
        }
        let mut steps: Vec<(Option<Place>, ThreadStep)> = Vec::new();
        for held in facts.held_of(&entity.entity_id) {
            let Some(kind) = step_of(&held.fact.attribute) else { continue };
            let first = facts.positions_of(&held.fact).into_iter().next();
            let (place, position) = first.unzip();
            steps.push((place, ThreadStep { kind, is_stale: held.is_stale, position, fact: held.fact }));
        }
        steps.sort_by_key(|(place, step)| (*place, step.kind));
        let has = |kind: StepKind| steps.iter().any(|(_, step)| step.kind == kind && !step.is_stale);
        let status = match (has(StepKind::Paid), has(StepKind::LeftOpen)) {
            (true, _) => ThreadStatus::Paid,
            (false, true) => ThreadStatus::LeftOpen,
            (false, false) => ThreadStatus::Open,
        };
        let last =
            steps.iter().filter(|(_, step)| step.kind != StepKind::LeftOpen).filter_map(|(place, _)| *place).max();
        let untouched_for = last
            .filter(|_| status == ThreadStatus::Open)
            .map(|(chapter, _)| u32::try_from(here.saturating_sub(chapter)).unwrap_or(u32::MAX));
        let steps = steps.into_iter().map(|(_, step)| step).collect();
        let (entity_id, name, version) = (entity.entity_id.clone(), name.to_owned(), entity.version);
        threads.push((last, StoryThread { entity_id, name, version, status, steps, untouched_for }));
    }
    threads.sort_by(|(last, one), (other_last, other)| {
        let untouched = |thread: &StoryThread| Reverse(thread.untouched_for);
        one.status.cmp(&other.status).then_with(|| match one.status {
            ThreadStatus::Paid => last.cmp(other_last),
            ThreadStatus::Open | ThreadStatus::LeftOpen => untouched(one).cmp(&untouched(other)),
        })
    });
    threads.into_iter().map(|(_, thread)| thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offered_attributes_are_steps_of_their_kind() {
        for language in [Language::Zh, Language::En] {
            let StepAttributes { planted, touched, paid, left_open } = step_attributes(language);
            let kinds = [planted, touched, paid, left_open].map(|attribute| step_of(&attribute));
            let wanted = [StepKind::Planted, StepKind::Touched, StepKind::Paid, StepKind::LeftOpen];
            assert_eq!(kinds, wanted.map(Some));
        }
        assert_eq!(step_of(" Paid Off "), Some(StepKind::Paid));
        assert_eq!(step_of("colour"), None);
    }
}
