//! The writer's word about the entities of a story: accepted, dismissed, merged and split.

use std::collections::BTreeSet;

use super::{
    Engine,
    canon::{MAX_ENTITIES, Snapshot},
    story::Found,
};
use crate::{
    error::{Error, Result},
    model::{
        AcceptEntities, Canon, Changed, ChapterId, DismissEntity, Dismissal, EntityChange, EntityId, EntityName, Fact,
        Knower, MergeEntities, Position, ProjectId, SplitEntity, StoredEntity, Time, Visibility,
    },
    story::{NamedEntity, fold, id_of_form},
    validate,
};

/// The book as the writer looked at it when deciding.
pub(super) struct Viewed<'a> {
    pub(super) found: &'a Found,
    pub(super) writers: &'a Canon,
    pub(super) order: &'a [ChapterId],
    pub(super) at: Option<&'a Position>,
    pub(super) now: Time,
}

impl Viewed<'_> {
    pub(super) fn named(&self, field: &str, entity_id: &EntityId) -> Result<&NamedEntity> {
        self.found.find_entity(entity_id).ok_or_else(|| Error::not_found(field, "entity"))
    }

    fn stored(&self, entity_id: &EntityId) -> Option<&StoredEntity> {
        self.writers.entities.iter().find(|entity| entity.entity_id == *entity_id)
    }

    /// The position from which forms that were joined only now are known to be of one entity; `None` in a book without
    /// chapters.
    fn since(&self) -> Option<Position> {
        let end = || self.order.last().map(|last| Position { chapter_id: last.clone(), offset: u32::MAX });
        self.at.cloned().or_else(end)
    }

    /// The entity as accepted: as it is stored, or as it was detected. Forms other than the first are known to be its
    /// own from the position on, because the text may tell later that they are.
    pub(super) fn accepted(&self, named: &NamedEntity) -> StoredEntity {
        let entity = &named.entity;
        let mut stored = self.stored(&entity.entity_id).cloned().unwrap_or_else(|| StoredEntity {
            entity_id: entity.entity_id.clone(),
            kind: entity.kind,
            name: entity.name.chars().take(validate::FORM_CHARS).collect(),
            version: 0,
            names: Vec::new(),
            visibility: Visibility::AsOf,
            is_pinned: false,
            created_at: self.now,
            updated_at: self.now,
        });
        let is_new = stored.version == 0;
        for form in &named.forms {
            let is_first = is_new && *form == named.first_form;
            add_name(&mut stored, form, if is_first { None } else { self.since() });
        }
        self.touched(stored)
    }

    /// The next version of an entity.
    fn touched(&self, entity: StoredEntity) -> StoredEntity {
        StoredEntity { version: entity.version.saturating_add(1), updated_at: self.now, ..entity }
    }

    /// The later of the first mentions of two entities.
    fn later_first(&self, one: &NamedEntity, other: &NamedEntity) -> Option<Position> {
        let later = if one.first_at < other.first_at { other } else { one };
        let first = &later.entity.first;
        Some(Position { chapter_id: first.chapter_id.clone(), offset: first.from })
    }
}

/// Adds a form, unless the entity has it or has as many as it may, or it is too long for a name.
pub(super) fn add_name(entity: &mut StoredEntity, form: &str, since: Option<Position>) {
    let is_there = entity.names.iter().any(|name| fold(&name.name) == fold(form));
    let is_short = form.chars().count() <= validate::FORM_CHARS;
    if !is_there && is_short && entity.names.len() < validate::FORMS {
        entity.names.push(EntityName { name: form.to_owned(), since });
    }
}

impl Engine {
    /// Accepts detected entities, or changes kind and name of an accepted one.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for kind or name with several entities; `MEMORY_NOT_FOUND`;
    /// `MEMORY_STALE_VERSION` if the entity was changed since it was read; those of the store.
    pub fn accept_entities(&self, args: &AcceptEntities, order: &[ChapterId]) -> Result<Changed<EntityChange>> {
        let several = args.entity_ids.len();
        if !(1..=MAX_ENTITIES).contains(&several) {
            return Err(Error::invalid("entityIds", format!("not 1 to {MAX_ENTITIES} of them")));
        }
        if several > 1 && (args.kind.is_some() || args.name.is_some() || args.version.is_some()) {
            return Err(Error::invalid("entityIds", "kind, name and version are for one entity"));
        }
        args.name.as_deref().map_or(Ok(()), |name| validate::line("name", name, validate::FORM_CHARS))?;
        self.change_entities(&args.project_id, args.at.as_ref(), order, |viewed| {
            let mut change = Snapshot::default();
            for entity_id in &args.entity_ids {
                let named = viewed.named("entityIds", entity_id)?;
                let current = viewed.stored(entity_id).map(|stored| stored.version);
                if current.is_some() && several == 1 && args.version != current {
                    return Err(Error::stale_version(current.unwrap_or_default()));
                }
                let mut accepted = viewed.accepted(named);
                accepted.kind = args.kind.unwrap_or(accepted.kind);
                if let Some(name) = args.name.as_deref().map(str::trim) {
                    name.clone_into(&mut accepted.name);
                }
                change.put(accepted);
            }
            Ok(change)
        })
    }

    /// Says that an entity is none, or that two are not one.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn dismiss_entity(&self, args: &DismissEntity, order: &[ChapterId]) -> Result<Changed<EntityChange>> {
        self.change_entities(&args.project_id, args.at.as_ref(), order, |viewed| {
            let named = viewed.named("entityId", &args.entity_id)?;
            let mut change = Snapshot::default();
            if let Some(other_id) = &args.other_id {
                let other = viewed.named("otherId", other_id)?;
                change.dismissals.extend(pairs(named, other).map(|pair| (pair, true)));
                return Ok(change);
            }
            let stored = viewed.stored(&args.entity_id);
            let names = stored.iter().flat_map(|stored| stored.names.iter().map(|name| &name.name));
            let names = names.chain(&named.forms).filter(|name| name.chars().count() <= validate::FORM_CHARS);
            change.dismissals.extend(names.map(|name| (Dismissal::Name(fold(name)), true)));
            if stored.is_some() {
                delete_entity(&mut change, viewed.writers, &args.entity_id, viewed.now);
            }
            Ok(change)
        })
    }

    /// Says that two entities are one.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for an entity and itself; `MEMORY_NOT_FOUND`; those of the store.
    pub fn merge_entities(&self, args: &MergeEntities, order: &[ChapterId]) -> Result<Changed<EntityChange>> {
        if args.entity_id == args.other_id {
            return Err(Error::invalid("otherId", "is the same entity"));
        }
        self.change_entities(&args.project_id, args.at.as_ref(), order, |viewed| {
            let (named, other) = (viewed.named("entityId", &args.entity_id)?, viewed.named("otherId", &args.other_id)?);
            let mut merged = viewed.accepted(named);
            // In the whole book there is no position that the writer looked from: they are one once both are there.
            let since = args.at.clone().or_else(|| viewed.later_first(named, other));
            let stored = viewed.stored(&args.other_id);
            let names = stored.iter().flat_map(|stored| stored.names.iter().map(|name| &name.name));
            names.chain(&other.forms).for_each(|name| add_name(&mut merged, name, since.clone()));
            let mut change = Snapshot::default();
            change.put(merged);
            if stored.is_some() {
                change.entities.insert(args.other_id.clone(), None);
                let moved = |id: &EntityId| if *id == args.other_id { args.entity_id.clone() } else { id.clone() };
                for fact in facts_with(viewed.writers, &args.other_id) {
                    change.put_fact(with_entities(fact, moved, viewed.now));
                }
            }
            let refused = pairs(named, other).filter(|pair| viewed.writers.dismissals.contains(pair));
            change.dismissals.extend(refused.map(|pair| (pair, false)));
            Ok(change)
        })
    }

    /// Makes an entity of its own of some forms of another one.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` unless `names` are some of its forms and not all; `MEMORY_NOT_FOUND`; those of the
    /// store.
    pub fn split_entity(&self, args: &SplitEntity, order: &[ChapterId]) -> Result<Changed<EntityChange>> {
        let parted: BTreeSet<String> = args.names.iter().map(|name| fold(name)).collect();
        self.change_entities(&args.project_id, args.at.as_ref(), order, |viewed| {
            let named = viewed.named("entityId", &args.entity_id)?;
            let (other, own): (Vec<&String>, Vec<&String>) =
                named.forms.iter().partition(|form| parted.contains(&fold(form)));
            if other.len() != parted.len() || other.is_empty() || own.is_empty() {
                return Err(Error::invalid("names", "are not some of its forms"));
            }
            let mut kept = viewed.accepted(named);
            kept.names.retain(|name| !parted.contains(&fold(&name.name)));
            let longest =
                |forms: &[&String]| forms.iter().max_by_key(|form| form.chars().count()).map(|&form| form.clone());
            if parted.contains(&fold(&kept.name)) {
                kept.name = longest(&own).unwrap_or_default();
            }
            let first = other[0];
            let detected = id_of_form(&args.project_id, first);
            let is_taken = detected == kept.entity_id || viewed.stored(&detected).is_some();
            let mut split = StoredEntity {
                entity_id: if is_taken { self.ids.next(viewed.now).into() } else { detected },
                kind: kept.kind,
                name: longest(&other).unwrap_or_default(),
                version: 1,
                names: Vec::new(),
                visibility: kept.visibility,
                is_pinned: false,
                created_at: viewed.now,
                updated_at: viewed.now,
            };
            for form in other {
                add_name(&mut split, form, if form == first { None } else { viewed.since() });
            }
            let mut change = Snapshot::default();
            change.put(kept);
            change.put(split);
            Ok(change)
        })
    }

    /// Writes what `decide` makes of the book as of a position.
    fn change_entities(
        &self,
        project_id: &ProjectId,
        at: Option<&Position>,
        order: &[ChapterId],
        decide: impl Fn(&Viewed<'_>) -> Result<Snapshot>,
    ) -> Result<Changed<EntityChange>> {
        let open = self.visit(project_id)?;
        let found = self.names_at(&open, at, order)?;
        let change =
            self.change_canon(project_id, |writers, now| decide(&Viewed { found: &found, writers, order, at, now }))?;
        Ok(change.into_entity_change(project_id))
    }
}

/// Deletes an entity with the facts about it. Facts about others lose their relation to it and what it knows of them.
pub(super) fn delete_entity(change: &mut Snapshot, canon: &Canon, entity_id: &EntityId, now: Time) {
    change.entities.insert(entity_id.clone(), None);
    for fact in facts_with(canon, entity_id) {
        if fact.entity_id == *entity_id {
            change.facts.insert(fact.fact_id.clone(), None);
            change.dismissals.insert(Dismissal::Fact(fact.fact_id.clone()), true);
            continue;
        }
        let mut fact = next_version(fact, now);
        fact.object_id = fact.object_id.filter(|id| id != entity_id);
        fact.known_by.retain(|knower| knower.entity_id != *entity_id);
        change.put_fact(fact);
    }
}

/// The facts about an entity, of a relation to it, or that it knows.
fn facts_with<'a>(canon: &'a Canon, entity_id: &'a EntityId) -> impl Iterator<Item = &'a Fact> {
    canon.facts.iter().filter(move |fact| {
        fact.entity_id == *entity_id
            || fact.object_id.as_ref() == Some(entity_id)
            || fact.known_by.iter().any(|knower| knower.entity_id == *entity_id)
    })
}

/// The next version of a fact with other entities in place of its own.
fn with_entities(fact: &Fact, moved: impl Fn(&EntityId) -> EntityId, now: Time) -> Fact {
    let mut fact = next_version(fact, now);
    fact.entity_id = moved(&fact.entity_id);
    fact.object_id = fact.object_id.as_ref().map(&moved).filter(|id| *id != fact.entity_id);
    let mut known_by: Vec<Knower> = Vec::new();
    for knower in fact.known_by {
        let knower = Knower { entity_id: moved(&knower.entity_id), ..knower };
        // Of two that are one now, the first one's position counts.
        if known_by.iter().all(|known| known.entity_id != knower.entity_id) {
            known_by.push(knower);
        }
    }
    fact.known_by = known_by;
    fact
}

/// The next version of a fact.
pub(super) fn next_version(fact: &Fact, now: Time) -> Fact {
    Fact { version: fact.version.saturating_add(1), updated_at: now, ..fact.clone() }
}

/// Every form of one entity with every form of another.
fn pairs<'a>(one: &'a NamedEntity, other: &'a NamedEntity) -> impl Iterator<Item = Dismissal> + 'a {
    let is_short = |form: &&String| form.chars().count() <= validate::FORM_CHARS;
    let others = move || other.forms.iter().filter(is_short);
    one.forms
        .iter()
        .filter(is_short)
        .flat_map(move |form| others().map(|other| Dismissal::of_pair(&fold(form), &fold(other))))
}
