//! The writer's word about facts and about entities that the text does not name: written, changed, confirmed, deleted.

use std::sync::Arc;

use super::{
    Engine,
    canon::{Snapshot, StoredChange},
    cards::check_known,
    entities::{Viewed, delete_entity, next_version},
    story::Found,
};
use crate::{
    error::{Error, OrLog, Result},
    model::{
        Canon, Certainty, Changed, ChapterId, Citation, CitationDraft, ConfirmFact, DeleteEntity, DeleteFact,
        Dismissal, EntityChange, EntityId, EntityKind, EntityName, Fact, FactChange, FactId, FactOrigin, Knower,
        Position, ProjectId, SaveEntity, SaveFact, SetFactKnown, StoredEntity, Time, Topic, Visibility,
    },
    story::{fold, place_of},
    validate,
};

/// Maximum number of citations of a fact.
const MAX_CITATIONS: usize = 8;
/// Maximum number of characters that know a fact.
const MAX_KNOWERS: usize = 100;

impl Engine {
    /// Writes a fact, or changes one. `order` are the chapters of the book; `text` is the saved text of the chapter of
    /// the citation, `None` for a book in another editor.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for a position in no chapter of the book; `MEMORY_NOT_FOUND` for the entity, the
    /// fact, the related entity or the replaced fact; `MEMORY_STALE_VERSION`; `MEMORY_CITATION_NOT_FOUND`; those of the
    /// store.
    pub fn save_fact(&self, args: &SaveFact, order: &[ChapterId], text: Option<&str>) -> Result<Changed<FactChange>> {
        check_fact(args, order)?;
        let open = self.visit(&args.project_id)?;
        let citation =
            args.citation.as_ref().map(|draft| self.cite(&args.project_id, draft, order, text)).transpose()?;
        let is_stored = |canon: &Canon| canon.entities.iter().any(|entity| entity.entity_id == args.entity_id);
        let found = match is_stored(&self.canon(&args.project_id).0) {
            true => None,
            false => Some(self.names_at(&open, args.at.as_ref(), order)?),
        };
        let new_id = FactId::from(self.ids.next(self.clock.now()));
        let change = self.change_canon(&args.project_id, |canon, now| {
            let mut change = Snapshot::default();
            if !is_stored(canon) {
                change.put(accepted_now(args, order, canon, found.as_ref(), now)?);
            }
            if let Some(object_id) = &args.object_id {
                entity_of(canon, "objectId", object_id)?;
            }
            let mut fact = match &args.fact_id {
                Some(fact_id) => next_version(fact_of(canon, "factId", fact_id, args.version)?, now),
                None => new_fact(args.entity_id.clone(), new_id.clone(), now),
            };
            if fact.entity_id != args.entity_id {
                return Err(Error::invalid("entityId", "the fact is about another entity"));
            }
            args.attribute.trim().clone_into(&mut fact.attribute);
            args.value.trim().clone_into(&mut fact.value);
            fact.object_id.clone_from(&args.object_id);
            fact.certainty = args.certainty.unwrap_or(fact.certainty);
            fact.valid_from.clone_from(&args.valid_from);
            fact.valid_until.clone_from(&args.valid_until);
            if let Some(citation) = &citation {
                add_citation(&mut fact, citation)?;
            }
            fact.told_at = args.told_at.clone().or(fact.told_at);
            if fact.told_at.is_none() && fact.citations.is_empty() {
                fact.told_at.clone_from(&args.at);
            }
            if let Some(replaced_id) = &args.supersedes {
                let replaced = fact_of(canon, "supersedes", replaced_id, None)?;
                let is_later = |id: &FactId| is_replaced_by(&canon.facts, &fact.fact_id, id);
                if replaced.entity_id != fact.entity_id || replaced.fact_id == fact.fact_id || is_later(replaced_id) {
                    return Err(Error::invalid("supersedes", "is not an earlier fact of the same entity"));
                }
                change.put_fact(Fact { superseded_by: Some(fact.fact_id.clone()), ..next_version(replaced, now) });
            }
            change.put_fact(fact);
            Ok(change)
        })?;
        let fact_id = args.fact_id.clone().unwrap_or(new_id);
        Ok(fact_change(change, &args.project_id, &fact_id))
    }

    /// Says that a fact still holds: its citations that do not hold any more are dropped.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STALE_VERSION`, `MEMORY_CITATION_NOT_FOUND`, those of the store.
    pub fn confirm_fact(
        &self,
        args: &ConfirmFact,
        order: &[ChapterId],
        text: Option<&str>,
    ) -> Result<Changed<FactChange>> {
        let _open = self.visit(&args.project_id)?;
        let citation =
            args.citation.as_ref().map(|draft| self.cite(&args.project_id, draft, order, text)).transpose()?;
        let change = self.change_canon(&args.project_id, |canon, now| {
            let mut fact = next_version(fact_of(canon, "factId", &args.fact_id, Some(args.version))?, now);
            let (held, lost): (Vec<_>, Vec<_>) = fact.citations.into_iter().partition(|one| one.status.is_in_text());
            fact.citations = held;
            match &citation {
                Some(citation) => add_citation(&mut fact, citation)?,
                // Without a sentence it is known from where its sentence was.
                None if fact.citations.is_empty() && fact.told_at.is_none() => {
                    fact.told_at = first_end(&lost, order);
                }
                None => {}
            }
            let mut change = Snapshot::default();
            change.put_fact(fact);
            Ok(change)
        })?;
        Ok(fact_change(change, &args.project_id, &args.fact_id))
    }

    /// Deletes a fact. One that it replaced holds again.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STALE_VERSION`, those of the store.
    pub fn delete_fact(&self, args: &DeleteFact) -> Result<Changed<FactChange>> {
        let _open = self.visit(&args.project_id)?;
        let change = self.change_canon(&args.project_id, |canon, now| {
            let fact = fact_of(canon, "factId", &args.fact_id, Some(args.version))?;
            let mut change = Snapshot::default();
            let replaced = canon.facts.iter().filter(|one| one.superseded_by.as_ref() == Some(&fact.fact_id));
            for earlier in replaced {
                let next = fact.superseded_by.clone();
                change.put_fact(Fact { superseded_by: next, ..next_version(earlier, now) });
            }
            change.facts.insert(fact.fact_id.clone(), None);
            change.dismissals.insert(Dismissal::Fact(fact.fact_id.clone()), true);
            Ok(change)
        })?;
        Ok(fact_change(change, &args.project_id, &args.fact_id))
    }

    /// Says from which position on a character knows a fact, or that it does not.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for a position in no chapter of the book; `MEMORY_NOT_FOUND`;
    /// `MEMORY_STALE_VERSION`; those of the store.
    pub fn set_fact_known(&self, args: &SetFactKnown, order: &[ChapterId]) -> Result<Changed<FactChange>> {
        check_position("since", args.since.as_ref(), order)?;
        let _open = self.visit(&args.project_id)?;
        let change = self.change_canon(&args.project_id, |canon, now| {
            entity_of(canon, "entityId", &args.entity_id)?;
            let mut fact = next_version(fact_of(canon, "factId", &args.fact_id, Some(args.version))?, now);
            fact.known_by.retain(|knower| knower.entity_id != args.entity_id);
            if let Some(since) = &args.since {
                if fact.known_by.len() >= MAX_KNOWERS {
                    return Err(Error::invalid("entityId", format!("more than {MAX_KNOWERS} characters know it")));
                }
                fact.known_by.push(Knower { entity_id: args.entity_id.clone(), since: since.clone() });
            }
            let mut change = Snapshot::default();
            change.put_fact(fact);
            Ok(change)
        })?;
        Ok(fact_change(change, &args.project_id, &args.fact_id))
    }

    /// Writes an entity that the text need not name, or changes an accepted one.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_STALE_VERSION`, those of the store.
    pub fn save_entity(&self, args: &SaveEntity, order: &[ChapterId]) -> Result<Changed<EntityChange>> {
        check_known(args.at.as_ref(), order)?;
        validate::line("name", &args.name, validate::FORM_CHARS)?;
        let aliases = args.aliases.as_deref().unwrap_or_default();
        if aliases.len() >= validate::FORMS {
            return Err(Error::invalid("aliases", format!("more than {} of them", validate::FORMS - 1)));
        }
        for (number, alias) in aliases.iter().enumerate() {
            validate::line(&format!("aliases[{number}]"), alias, validate::FORM_CHARS)?;
        }
        let open = self.visit(&args.project_id)?;
        // Without the text, its names are not known: it is listed from the position on.
        let found =
            args.at.as_ref().and_then(|at| self.names_at(&open, Some(at), order).or_log("find names for a new entity"));
        let new_id = EntityId::from(self.ids.next(self.clock.now()));
        let change = self.change_canon(&args.project_id, |canon, now| {
            let mut entity = match &args.entity_id {
                Some(entity_id) => {
                    let stored = entity_of(canon, "entityId", entity_id)?;
                    if args.version != Some(stored.version) {
                        return Err(Error::stale_version(stored.version));
                    }
                    StoredEntity { version: stored.version.saturating_add(1), updated_at: now, ..stored.clone() }
                }
                None => new_entity(new_id.clone(), args.kind, now),
            };
            entity.kind = args.kind;
            args.name.trim().clone_into(&mut entity.name);
            entity.visibility = args.visibility.unwrap_or(entity.visibility);
            entity.is_pinned = args.is_pinned.unwrap_or(entity.is_pinned);
            let mut change = Snapshot::default();
            set_names(&mut entity, args.aliases.as_deref());
            if args.entity_id.is_none() {
                let is_named = |form: &str| found.as_deref().is_some_and(|found| found.has_form(form));
                for name in entity.names.iter_mut().filter(|name| !is_named(&name.name)) {
                    name.since.clone_from(&args.at);
                }
            }
            for name in &entity.names {
                let dismissal = Dismissal::Name(fold(&name.name));
                if canon.dismissals.contains(&dismissal) {
                    change.dismissals.insert(dismissal, false);
                }
            }
            change.put(entity);
            Ok(change)
        })?;
        Ok(change.into_entity_change(&args.project_id))
    }

    /// Deletes an accepted entity with its facts. Its names are not proposed again.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STALE_VERSION`, those of the store.
    pub fn delete_entity(&self, args: &DeleteEntity) -> Result<Changed<EntityChange>> {
        let _open = self.visit(&args.project_id)?;
        let change = self.change_canon(&args.project_id, |canon, now| {
            let stored = entity_of(canon, "entityId", &args.entity_id)?;
            if stored.version != args.version {
                return Err(Error::stale_version(stored.version));
            }
            let mut change = Snapshot::default();
            change.dismissals.extend(stored.names.iter().map(|name| (Dismissal::Name(fold(&name.name)), true)));
            delete_entity(&mut change, canon, &args.entity_id, now);
            Ok(change)
        })?;
        Ok(change.into_entity_change(&args.project_id))
    }
}

fn check_fact(args: &SaveFact, order: &[ChapterId]) -> Result<()> {
    validate::line("attribute", &args.attribute, validate::ATTRIBUTE_CHARS)?;
    validate::line("value", &args.value, validate::VALUE_CHARS)?;
    let time = |field, time: &Option<String>| {
        time.as_deref().map_or(Ok(()), |time| validate::line(field, time, validate::STORY_TIME_CHARS))
    };
    time("validFrom", &args.valid_from)?;
    time("validUntil", &args.valid_until)?;
    check_position("toldAt", args.told_at.as_ref(), order)?;
    if args.object_id.as_ref() == Some(&args.entity_id) {
        return Err(Error::invalid("objectId", "is the same entity"));
    }
    Ok(())
}

/// Refuses a position in a chapter that the book does not have.
fn check_position(field: &str, position: Option<&Position>, order: &[ChapterId]) -> Result<()> {
    match position {
        Some(position) if place_of(order, position).is_none() => {
            Err(Error::invalid(format!("{field}.chapterId"), "no chapter of the book"))
        }
        _ => Ok(()),
    }
}

/// Refuses a quote that cannot be one of a citation.
pub(super) fn check_quote(draft: &CitationDraft) -> Result<()> {
    let chars = draft.quote.trim().chars().count();
    if !(1..=validate::QUOTE_CHARS).contains(&chars) {
        return Err(Error::invalid("citation.quote", format!("not 1 to {} characters", validate::QUOTE_CHARS)));
    }
    Ok(())
}

/// The detected entity of a new fact as accepted.
fn accepted_now(
    args: &SaveFact,
    order: &[ChapterId],
    writers: &Canon,
    found: Option<&Arc<Found>>,
    now: Time,
) -> Result<StoredEntity> {
    let missing = || Error::not_found("entityId", "entity");
    let viewed = Viewed { found: found.ok_or_else(missing)?, writers, order, at: args.at.as_ref(), now };
    Ok(viewed.accepted(viewed.named("entityId", &args.entity_id)?))
}

/// A new fact about an entity, by the writer's word, without its words.
pub(super) fn new_fact(entity_id: EntityId, fact_id: FactId, now: Time) -> Fact {
    Fact {
        fact_id,
        entity_id,
        attribute: String::new(),
        value: String::new(),
        object_id: None,
        certainty: Certainty::Told,
        told_at: None,
        valid_from: None,
        valid_until: None,
        superseded_by: None,
        known_by: Vec::new(),
        citations: Vec::new(),
        origin: FactOrigin::Written,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// A new entity by the writer's word, without its names.
pub(super) fn new_entity(entity_id: EntityId, kind: EntityKind, now: Time) -> StoredEntity {
    StoredEntity {
        entity_id,
        kind,
        name: String::new(),
        version: 1,
        names: Vec::new(),
        visibility: if kind == EntityKind::WorldRule { Visibility::Always } else { Visibility::AsOf },
        is_pinned: false,
        created_at: now,
        updated_at: now,
    }
}

/// Makes the name and the aliases, if given, the forms of an entity. A form that it has keeps the position from which
/// it is known.
fn set_names(entity: &mut StoredEntity, aliases: Option<&[String]>) {
    let wanted: Vec<&str> = match aliases {
        Some(aliases) => {
            std::iter::once(entity.name.as_str()).chain(aliases.iter().map(|alias| alias.trim())).collect()
        }
        None => entity.names.iter().map(|name| name.name.as_str()).chain([entity.name.as_str()]).collect(),
    };
    let mut names: Vec<EntityName> = Vec::new();
    for form in wanted {
        let is_new = names.iter().all(|name| fold(&name.name) != fold(form));
        if is_new && names.len() < validate::FORMS {
            let known = entity.names.iter().find(|name| fold(&name.name) == fold(form));
            names.push(known.cloned().unwrap_or_else(|| EntityName { name: form.to_owned(), since: None }));
        }
    }
    entity.names = names;
}

/// Adds a citation in place of the same one and of those that do not hold any more.
fn add_citation(fact: &mut Fact, citation: &Citation) -> Result<()> {
    let is_same = |one: &Citation| one.quote_hash == citation.quote_hash && one.chapter_id == citation.chapter_id;
    fact.citations.retain(|one| one.status.is_in_text() && !is_same(one));
    if fact.citations.len() >= MAX_CITATIONS {
        return Err(Error::invalid("citation", format!("more than {MAX_CITATIONS} of them")));
    }
    fact.citations.push(citation.clone());
    Ok(())
}

/// The end of the first of some citations in the order of the book; `None` if none is in a chapter of it.
fn first_end(citations: &[Citation], order: &[ChapterId]) -> Option<Position> {
    let ends = citations.iter().map(|one| Position { chapter_id: one.chapter_id.clone(), offset: one.to });
    ends.filter_map(|end| Some((place_of(order, &end)?, end))).min_by_key(|(place, _)| *place).map(|(_, end)| end)
}

/// Whether a fact is replaced by another one, directly or through others.
pub(super) fn is_replaced_by(facts: &[Fact], fact_id: &FactId, by: &FactId) -> bool {
    let mut next = Some(fact_id);
    // Each fact is replaced by one at most, and a chain ends.
    for _ in 0..=facts.len() {
        let Some(fact) = next.and_then(|id| facts.iter().find(|fact| fact.fact_id == *id)) else { return false };
        if fact.superseded_by.as_ref() == Some(by) {
            return true;
        }
        next = fact.superseded_by.as_ref();
    }
    false
}

fn entity_of<'a>(canon: &'a Canon, field: &str, entity_id: &EntityId) -> Result<&'a StoredEntity> {
    let found = canon.entities.iter().find(|entity| entity.entity_id == *entity_id);
    found.ok_or_else(|| Error::not_found(field, "entity"))
}

/// A fact; with a field `factId` only in the version that the writer has read.
fn fact_of<'a>(canon: &'a Canon, field: &str, fact_id: &FactId, version: Option<u32>) -> Result<&'a Fact> {
    let found = canon.facts.iter().find(|fact| fact.fact_id == *fact_id);
    let fact = found.ok_or_else(|| Error::not_found(field, "fact"))?;
    if field == "factId" && version != Some(fact.version) {
        return Err(Error::stale_version(fact.version));
    }
    Ok(fact)
}

fn fact_change(change: StoredChange, project_id: &ProjectId, fact_id: &FactId) -> Changed<FactChange> {
    let fact = change.after.facts.get(fact_id).cloned().flatten();
    let change = FactChange { change_id: change.change_id, fact };
    Changed::new(change, Some(project_id.clone()), [Topic::Story])
}
