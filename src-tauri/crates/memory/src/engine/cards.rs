//! Cards: an entity with its facts and mentions as of a position, and the accepted entities that the text does not
//! name.

use std::collections::HashSet;

use super::{Engine, story::Found};
use crate::{
    error::{Error, OrLog, Result},
    model::{
        Canon, CardFact, CardQuery, ChapterId, Companion, EntityCard, EntityId, EntityStanding, Position, StoredEntity,
        UnnamedEntity,
    },
    story::{FactsAt, HeldFact, NamedEntity},
};

/// Maximum number of companions on a card.
const MAX_COMPANIONS: usize = 8;

impl Engine {
    /// The card of an entity as of a position. `order` are the chapters of the book. Without `episodes.db` it has the
    /// writer's word alone.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, also for a position in no chapter of the book, and for an entity that is neither accepted
    /// nor named up to the position; those of the store.
    pub fn entity_card(&self, query: &CardQuery, order: &[ChapterId]) -> Result<EntityCard> {
        let at = query.at.as_ref();
        check_known(at, order)?;
        let open = self.visit(&query.project_id)?;
        let (canon, _) = self.canon(&query.project_id);
        let found = self.names_at(&open, at, order);
        let degraded = found.is_err();
        let found = found.or_log("find names for a card");
        let named = found.as_deref().and_then(|found| found.find_entity(&query.entity_id));
        let stored = canon.entities.iter().find(|entity| entity.entity_id == query.entity_id);
        let facts = FactsAt::new(&canon.facts, order, at);
        let held = facts.held_of(&query.entity_id);
        let is_listed = |stored: &&StoredEntity| degraded || facts.is_listed(stored);
        let own_name = stored.filter(is_listed).and_then(|stored| match degraded {
            true => Some(stored.name.as_str()),
            false => facts.name_of(stored),
        });
        let row = named.map(|named| named.entity.name.as_str());
        let name = row.or(own_name).ok_or_else(|| Error::not_found("entityId", "entity"))?.to_owned();
        Ok(card(query, name, (named, stored), held, found.as_deref(), degraded))
    }

    /// Completes a list of entities by the writer's facts: the first one of each row, and the accepted entities that
    /// the text does not name up to the position.
    pub(super) fn unnamed_entities(
        canon: &Canon,
        facts: &FactsAt<'_>,
        named: &HashSet<&EntityId>,
    ) -> Vec<UnnamedEntity> {
        let unnamed = canon.entities.iter().filter(|stored| !named.contains(&stored.entity_id));
        let rows = unnamed.filter_map(|stored| {
            let held = facts.holding(&stored.entity_id);
            facts.name_of(stored).filter(|_| facts.is_listed(stored)).map(|name| UnnamedEntity {
                entity_id: stored.entity_id.clone(),
                kind: stored.kind,
                name: name.to_owned(),
                first_fact: held.first().map(|fact| fact.value.clone()),
                visibility: stored.visibility,
                version: stored.version,
                facts: u32::try_from(held.len()).unwrap_or(u32::MAX),
            })
        });
        rows.collect()
    }
}

/// Refuses a position in no chapter of the book.
pub(super) fn check_known(at: Option<&Position>, order: &[ChapterId]) -> Result<()> {
    match at {
        Some(at) if !order.contains(&at.chapter_id) => Err(Error::not_found("at.chapterId", "chapter")),
        _ => Ok(()),
    }
}

fn card(
    query: &CardQuery,
    name: String,
    (named, stored): (Option<&NamedEntity>, Option<&StoredEntity>),
    held: Vec<HeldFact>,
    found: Option<&Found>,
    degraded: bool,
) -> EntityCard {
    let row = named.map(|named| &named.entity);
    let kind = row.map(|row| row.kind).or(stored.map(|stored| stored.kind)).unwrap_or(crate::model::EntityKind::Thing);
    let chapters = found.map(|found| found.names.chapters.iter().map(|chapter| chapter.chapter_id.clone()).collect());
    let aliases = match (row, stored) {
        (Some(row), _) => row.aliases.clone(),
        // As of a position, which of its forms the reader knows is not known without the text.
        (None, Some(stored)) if query.at.is_none() => {
            let forms = stored.names.iter().map(|name| name.name.clone());
            forms.filter(|form| *form != stored.name).collect()
        }
        (None, _) => Vec::new(),
    };
    let facts = held.into_iter().map(|HeldFact { fact, is_stale, earlier, .. }| CardFact { fact, is_stale, earlier });
    EntityCard {
        entity_id: query.entity_id.clone(),
        kind,
        name,
        aliases,
        standing: if stored.is_some() { EntityStanding::Accepted } else { EntityStanding::Detected },
        visibility: stored.map(|stored| stored.visibility).unwrap_or_default(),
        is_pinned: stored.is_some_and(|stored| stored.is_pinned),
        version: stored.map(|stored| stored.version),
        chapters: chapters.unwrap_or_default(),
        mentions: row.map_or(0, |row| row.mentions),
        presence: row.map(|row| row.presence.clone()).unwrap_or_default(),
        first: row.map(|row| row.first.clone()),
        last: row.map(|row| row.last.clone()),
        sentence: named.map(|named| named.sentence().to_owned()),
        companions: found.zip(named).map(|(found, named)| companions(found, named)).unwrap_or_default(),
        facts: facts.collect(),
        degraded,
    }
}

/// The entities that the same passages mention most often.
fn companions(found: &Found, named: &NamedEntity) -> Vec<Companion> {
    let shared = found.names.shared_passages(named).into_iter().enumerate();
    let is_other = |number: usize| found.names.entities[number].entity.entity_id != named.entity.entity_id;
    let mut counts: Vec<(usize, u32)> = shared.filter(|(number, count)| *count > 0 && is_other(*number)).collect();
    // The list is in the order of frequency: of equal ones the more frequent first.
    counts.sort_unstable_by_key(|(number, passages)| (std::cmp::Reverse(*passages), *number));
    let companion = |(number, passages): (usize, u32)| {
        let entity = &found.names.entities[number].entity;
        Companion { entity_id: entity.entity_id.clone(), name: entity.name.clone(), passages }
    };
    counts.into_iter().take(MAX_COMPANIONS).map(companion).collect()
}
