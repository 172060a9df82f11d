//! The facts that hold as of a position.
//!
//! Nothing after the position has an influence: a fact is known from its own position on, a fact that replaces it from
//! that one's, and citations and knowers count up to the position only.

use std::collections::{HashMap, HashSet};

use super::{Place, place_of};
use crate::model::{ChapterId, EntityId, EntityName, Fact, FactId, Position, StoredEntity, Visibility};

/// A fact that holds as of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeldFact {
    /// With its citations and knowers up to the position.
    pub fact: Fact,
    /// Whether it has citations up to the position, none of which the text still has.
    pub is_stale: bool,
    /// Whether it has knowers at any position: then it is a secret from everybody else.
    pub has_knowers: bool,
    /// The facts that it replaced, the latest first.
    pub earlier: Vec<Fact>,
}

/// The place from which the reader knows a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Since {
    /// From the beginning.
    Beginning,
    At(Place),
    /// Its chapter is not in the book: only a list of the whole book has it.
    Nowhere,
}

/// The facts of a book as of a position, by entity.
pub(crate) struct FactsAt<'a> {
    /// The number of each chapter in the order of the book.
    chapters: HashMap<&'a ChapterId, usize>,
    /// `None` for the whole book.
    at: Option<Place>,
    /// The facts that hold, by the entity that they are about, in the order in which they were written.
    holding: HashMap<&'a EntityId, Vec<&'a Fact>>,
    /// The known facts that another known fact replaces, by that one.
    replaced: HashMap<&'a FactId, Vec<&'a Fact>>,
    known: HashSet<&'a FactId>,
}

impl<'a> FactsAt<'a> {
    /// `at` is a position in a chapter of `order`; `None` for the whole book.
    pub(crate) fn new(facts: &'a [Fact], order: &'a [ChapterId], at: Option<&Position>) -> Self {
        let chapters = order.iter().enumerate().map(|(number, chapter_id)| (chapter_id, number)).collect();
        // A position in a chapter that is not in the book knows nothing: the first place of the book.
        let at = at.map(|at| place_of(order, at).unwrap_or((0, 0)));
        let (holding, replaced, known) = (HashMap::new(), HashMap::new(), HashSet::new());
        let mut facts_at = Self { chapters, at, holding, replaced, known };
        let known: Vec<&Fact> = facts.iter().filter(|fact| facts_at.is_before_position(fact)).collect();
        facts_at.known = known.iter().map(|fact| &fact.fact_id).collect();
        for fact in known {
            match fact.superseded_by.as_ref().filter(|by| facts_at.known.contains(by)) {
                Some(by) => facts_at.replaced.entry(by).or_default().push(fact),
                None => facts_at.holding.entry(&fact.entity_id).or_default().push(fact),
            }
        }
        facts_at
    }

    /// The facts about an entity that hold.
    pub(crate) fn holding(&self, entity_id: &EntityId) -> &[&'a Fact] {
        self.holding.get(entity_id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The facts about an entity that hold, with what the reader knows of them.
    pub(crate) fn held_of(&self, entity_id: &EntityId) -> Vec<HeldFact> {
        self.holding(entity_id).iter().map(|fact| self.held(fact)).collect()
    }

    fn held(&self, fact: &Fact) -> HeldFact {
        let mut earlier = Vec::new();
        let mut seen = HashSet::from([&fact.fact_id]);
        let mut waiting = vec![&fact.fact_id];
        while let Some(id) = waiting.pop() {
            for before in self.replaced.get(id).into_iter().flatten() {
                if seen.insert(&before.fact_id) {
                    earlier.push(self.up_to(before));
                    waiting.push(&before.fact_id);
                }
            }
        }
        let has_knowers = !fact.known_by.is_empty();
        let fact = self.up_to(fact);
        let is_stale =
            !fact.citations.is_empty() && !fact.citations.iter().any(|citation| citation.status.is_in_text());
        HeldFact { fact, is_stale, has_knowers, earlier }
    }

    /// Whether the reader knows a fact at the position.
    fn is_before_position(&self, fact: &Fact) -> bool {
        match (self.at, self.first_place(fact)) {
            (None, _) | (Some(_), Since::Beginning) => true,
            (Some(at), Since::At(since)) => since <= at,
            (Some(_), Since::Nowhere) => false,
        }
    }

    fn first_place(&self, fact: &Fact) -> Since {
        if let Some(position) = &fact.told_at {
            return self.place(&position.chapter_id, position.offset).map_or(Since::Nowhere, Since::At);
        }
        if fact.citations.is_empty() {
            return Since::Beginning;
        }
        let ends = fact.citations.iter().filter_map(|citation| self.place(&citation.chapter_id, citation.to));
        ends.min().map_or(Since::Nowhere, Since::At)
    }

    /// Whether the whole book is known.
    pub(crate) fn is_whole_book(&self) -> bool {
        self.at.is_none()
    }

    /// The places up to the position that tell of a fact, in the order of the book: where it is told, and the starts of
    /// its citations.
    pub(crate) fn positions_of(&self, fact: &Fact) -> Vec<(Place, Position)> {
        let cited = fact.citations.iter();
        let cited = cited.map(|one| Position { chapter_id: one.chapter_id.clone(), offset: one.from });
        let told_at = fact.told_at.clone().filter(|_| fact.citations.is_empty());
        let placed = told_at.into_iter().chain(cited).filter_map(|position| {
            let place = self.place(&position.chapter_id, position.offset)?;
            self.at.is_none_or(|at| place <= at).then_some((place, position))
        });
        let mut positions: Vec<(Place, Position)> = placed.collect();
        positions.sort_by_key(|(place, _)| *place);
        positions
    }

    /// Whether a list has an entity that the text does not name up to the position: the reader knows a fact of it, it
    /// was written down for a position up to here, or it is always visible.
    pub(crate) fn is_listed(&self, entity: &StoredEntity) -> bool {
        let is_written = |form: &EntityName| form.since.is_some() && self.is_known_form(form);
        self.is_whole_book()
            || entity.visibility == Visibility::Always
            || !self.holding(&entity.entity_id).is_empty()
            || entity.names.iter().any(is_written)
    }

    /// The name that an entity has at the position for a reader of the facts: the one that the writer lists it by, or,
    /// while it is not known to be one of the entity, the first form that is; `None`: no form is known yet.
    pub(crate) fn name_of<'e>(&self, entity: &'e StoredEntity) -> Option<&'e str> {
        match entity.names.iter().find(|form| form.name == entity.name) {
            Some(listed) if !self.is_known_form(listed) => self.forms_of(entity).next().map(|form| form.name.as_str()),
            Some(_) | None => Some(entity.name.as_str()),
        }
    }

    /// The forms that are known at the position to be of an entity.
    pub(crate) fn forms_of<'e>(&self, entity: &'e StoredEntity) -> impl Iterator<Item = &'e EntityName> {
        entity.names.iter().filter(|form| self.is_known_form(form))
    }

    fn is_known_form(&self, form: &EntityName) -> bool {
        match (&form.since, self.at) {
            (None, _) | (_, None) => true,
            (Some(since), Some(at)) => self.place(&since.chapter_id, since.offset).is_some_and(|since| since <= at),
        }
    }

    fn place(&self, chapter_id: &ChapterId, offset: u32) -> Option<Place> {
        Some((*self.chapters.get(chapter_id)?, offset))
    }

    /// The fact with what the reader knows of its citations and knowers.
    fn up_to(&self, fact: &Fact) -> Fact {
        let mut fact = fact.clone();
        if let Some(at) = self.at {
            let is_before = |place: Option<Place>| place.is_some_and(|place| place <= at);
            fact.citations.retain(|citation| is_before(self.place(&citation.chapter_id, citation.to)));
            fact.known_by.retain(|knower| is_before(self.place(&knower.since.chapter_id, knower.since.offset)));
            // Which one replaces it later is not known yet.
            fact.superseded_by = fact.superseded_by.filter(|by| self.known.contains(by));
        }
        fact
    }
}

#[cfg(test)]
mod tests;
