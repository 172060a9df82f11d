//! The entities of which a prompt has a card, and what the reader knows of each at the position.
//!
//! Only the writer's word and counted mentions come into a card. Nothing after the position has an influence: with the
//! chapters after it removed the cards are the same.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    FactsAt, HeldFact, Place,
    cards::{CardFact, CardReason, LastSeen, StoryCard},
    mention_index::FormAt,
    place_of,
};
use crate::model::{Canon, Certainty, ChapterId, EntityId, EntityName, Position, StoredEntity, Visibility};

/// The text around the position, and where the book mentions the writer's entities before it.
pub(crate) struct Around<'a> {
    /// The forms in the selection and in the last sentences before it, in order.
    pub named: Vec<FormAt>,
    /// The forms in the last two passages before the position, in order.
    pub present: Vec<FormAt>,
    /// The forms in the earlier passages that stand out in meaning, those of the best passage first.
    pub recalled: Vec<FormAt>,
    /// By number of the chapter in the order of the book: the forms in it.
    pub chapters: Vec<&'a [FormAt]>,
}

/// The position of a prompt in a book.
#[derive(Clone, Copy)]
pub(crate) struct PromptPosition<'a> {
    pub order: &'a [ChapterId],
    pub at: &'a Position,
}

/// The mentions of an entity up to the position, by form.
#[derive(Default)]
struct Seen {
    /// Number of mentions, by index of the form.
    counts: BTreeMap<usize, u32>,
    /// Number of the last chapter with a mention.
    last_chapter: Option<usize>,
}

/// The cards of a prompt: pinned ones, then those of the entities that the text names, that are present, that are
/// related to these, the rules of the world, and last those of earlier passages that stand out in meaning.
pub(crate) fn prompt_cards(canon: &Canon, position: PromptPosition<'_>, around: &Around<'_>) -> Vec<StoryCard> {
    let PromptPosition { order, at } = position;
    let facts = FactsAt::new(&canon.facts, order, Some(at));
    let place = place_of(order, at);
    let seen = seen_before(canon, position, around);
    let reasons = reasons(canon, position, around, &facts);
    let here: HashSet<&EntityId> = reasons
        .iter()
        .filter(|(_, reason)| matches!(reason, CardReason::Named | CardReason::Present))
        .map(|(entity, _)| &canon.entities[*entity].entity_id)
        .chain(around.named.iter().chain(&around.present).map(|at| &canon.entities[at.entity].entity_id))
        .collect();
    let card = |(entity, reason): (usize, CardReason)| -> Option<StoryCard> {
        let stored = &canon.entities[entity];
        let seen = seen.get(&entity);
        let is_always = stored.visibility == Visibility::Always;
        let mut forms: Vec<(&str, u32)> = stored
            .names
            .iter()
            .enumerate()
            .filter(|(_, name)| is_form_known(name, order, place))
            .map(|(form, name)| {
                (name.name.as_str(), seen.and_then(|seen| seen.counts.get(&form)).copied().unwrap_or(0))
            })
            .filter(|(_, count)| is_always || *count > 0)
            .collect();
        forms.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let listed = forms.iter().position(|(form, _)| *form == stored.name);
        let (name, _) = match listed {
            Some(listed) => forms.remove(listed),
            // The text may not have the name by which the writer lists it: only a rule of the world has it all the
            // same.
            None if is_always => (stored.name.as_str(), 0),
            None if forms.is_empty() => return None,
            None => forms.remove(0),
        };
        let held = facts.held_of(&stored.entity_id);
        let facts: Vec<CardFact> =
            held.iter().filter(|held| is_for_prompt(held, is_always)).map(|held| card_fact(held, &here)).collect();
        let last_seen =
            seen.and_then(|seen| seen.last_chapter).filter(|last| place.is_some_and(|(now, _)| *last < now));
        if facts.is_empty() && forms.is_empty() && last_seen.is_none() {
            return None;
        }
        Some(StoryCard {
            entity_id: stored.entity_id.clone(),
            version: stored.version,
            name: name.to_owned(),
            aliases: forms.into_iter().map(|(form, _)| form.to_owned()).collect(),
            facts,
            last_seen: last_seen.map(|chapter| LastSeen { chapter: u32::try_from(chapter + 1).unwrap_or(u32::MAX) }),
            matched_by: reason,
        })
    };
    reasons.into_iter().filter_map(card).collect()
}

/// The entities that get a card, by index, in the order of importance, each with the first of its reasons.
fn reasons(
    canon: &Canon,
    PromptPosition { order, at }: PromptPosition<'_>,
    around: &Around<'_>,
    facts: &FactsAt<'_>,
) -> Vec<(usize, CardReason)> {
    let place = place_of(order, at);
    let index: HashMap<&EntityId, usize> =
        canon.entities.iter().enumerate().map(|(number, entity)| (&entity.entity_id, number)).collect();
    let mut chosen: Vec<(usize, CardReason)> = Vec::new();
    let mut add = |entity: usize, reason: CardReason| {
        let is_new = chosen.iter().all(|(known, _)| *known != entity);
        if is_new && canon.entities[entity].visibility != Visibility::Hidden {
            chosen.push((entity, reason));
        }
    };
    let those = |wanted: fn(&StoredEntity) -> bool| {
        canon.entities.iter().enumerate().filter(move |(_, entity)| wanted(entity)).map(|(number, _)| number)
    };
    those(|entity| entity.is_pinned).for_each(|entity| add(entity, CardReason::Pinned));
    let is_known = |form: &&FormAt| is_form_known(&canon.entities[form.entity].names[form.form], order, place);
    // The last one first: it is nearest to what will be written.
    let named: Vec<usize> = around.named.iter().rev().filter(is_known).map(|form| form.entity).collect();
    let present: Vec<usize> = around.present.iter().rev().filter(is_known).map(|form| form.entity).collect();
    named.iter().for_each(|entity| add(*entity, CardReason::Named));
    present.iter().for_each(|entity| add(*entity, CardReason::Present));
    let here: HashSet<&EntityId> =
        named.iter().chain(&present).map(|entity| &canon.entities[*entity].entity_id).collect();
    for entity in named.iter().chain(&present) {
        let held = facts.holding(&canon.entities[*entity].entity_id).iter();
        let related = held.filter_map(|fact| fact.object_id.as_ref()).filter_map(|id| index.get(id));
        related.for_each(|entity| add(*entity, CardReason::Related));
    }
    for (number, entity) in canon.entities.iter().enumerate() {
        let held = facts.holding(&entity.entity_id).iter();
        if held.filter_map(|fact| fact.object_id.as_ref()).any(|id| here.contains(id)) {
            add(number, CardReason::Related);
        }
    }
    those(|entity| entity.visibility == Visibility::Always).for_each(|entity| add(entity, CardReason::Pinned));
    around.recalled.iter().filter(is_known).for_each(|form| add(form.entity, CardReason::Meaning));
    chosen
}

/// Where the text up to the position mentions each entity, by index.
fn seen_before(
    canon: &Canon,
    PromptPosition { order, at }: PromptPosition<'_>,
    around: &Around<'_>,
) -> HashMap<usize, Seen> {
    let place = place_of(order, at);
    let mut seen: HashMap<usize, Seen> = HashMap::new();
    let mut count = |form: &FormAt, chapter: Option<usize>| {
        if is_form_known(&canon.entities[form.entity].names[form.form], order, place) {
            let seen = seen.entry(form.entity).or_default();
            *seen.counts.entry(form.form).or_default() += 1;
            seen.last_chapter = seen.last_chapter.max(chapter);
        }
    };
    if let Some((chapter, offset)) = place {
        for (number, forms) in around.chapters.iter().enumerate().take(chapter + 1) {
            let is_before = |form: &&FormAt| number < chapter || form.end <= offset as usize;
            forms.iter().filter(is_before).for_each(|form| count(form, Some(number)));
        }
    }
    // The text around may not be saved yet.
    let here = place.map(|(chapter, _)| chapter);
    around.named.iter().chain(&around.present).for_each(|form| count(form, here));
    seen
}

/// Whether a form is known to be one of its entity at a place; at none, if it is one wherever it occurs.
fn is_form_known(name: &EntityName, order: &[ChapterId], place: Option<Place>) -> bool {
    name.since.as_ref().is_none_or(|since| place_of(order, since).zip(place).is_some_and(|(since, at)| since <= at))
}

/// Whether a fact may come into a prompt: one that the text has lost and one that is only planned may not.
fn is_for_prompt(held: &HeldFact, is_always: bool) -> bool {
    !held.is_stale && (held.fact.certainty != Certainty::Planned || is_always)
}

fn card_fact(held: &HeldFact, here: &HashSet<&EntityId>) -> CardFact {
    let is_known_here = !held.has_knowers || held.fact.known_by.iter().any(|knower| here.contains(&knower.entity_id));
    CardFact {
        attribute: held.fact.attribute.clone(),
        value: held.fact.value.clone(),
        certainty: held.fact.certainty,
        is_known_here,
    }
}

#[cfg(test)]
mod tests;
