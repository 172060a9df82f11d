//! The writer's word about the entities of a story: accepted, dismissed, merged, split, and the last changes undone.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::{Engine, story::Found};
use crate::{
    error::{Error, Result},
    lock::Mutex,
    model::{
        AcceptEntities, Changed, ChapterId, DismissEntity, Dismissal, EntityChange, EntityId, EntityName,
        MergeEntities, Position, ProjectId, SplitEntity, StoredEntity, Time, Topic, UndoEntityChange, WritersEntities,
    },
    storage::{Tx, entities},
    story::{NamedEntity, fold, id_of_form},
    validate,
};

/// Maximum number of accepted entities of a book.
const MAX_ENTITIES: usize = 5_000;
/// Maximum number of forms of an entity by the writer's word.
const MAX_NAMES: usize = 100;
/// Maximum characters of a name.
const MAX_NAME_CHARS: usize = 100;
/// Number of changes that can be undone, of all books.
const MAX_UNDOABLE: usize = 100;

/// The changes that can be undone. They are lost when the program ends.
#[derive(Default)]
pub(super) struct EntityChanges(Mutex<VecDeque<Undoable>>);

impl EntityChanges {
    /// Forgets the changes of a book, or with `None` of all.
    pub(super) fn forget_changes(&self, project_id: Option<&ProjectId>) {
        self.0.lock().retain(|one| project_id.is_some_and(|project_id| one.project_id != *project_id));
    }
}

/// A change: the state of all that it concerned, before and after.
#[derive(Clone)]
struct Undoable {
    change_id: String,
    project_id: ProjectId,
    before: Snapshot,
    after: Snapshot,
}

/// Some entities, `None` for one that is not accepted, and some refused proposals with whether they are refused.
#[derive(Clone, Default)]
struct Snapshot {
    entities: HashMap<EntityId, Option<StoredEntity>>,
    dismissals: HashMap<Dismissal, bool>,
}

impl Snapshot {
    /// The present state of what `change` concerns.
    fn of(writers: &WritersEntities, change: &Self) -> Self {
        let entity = |id: &EntityId| writers.entities.iter().find(|entity| entity.entity_id == *id).cloned();
        Self {
            entities: change.entities.keys().map(|id| (id.clone(), entity(id))).collect(),
            dismissals: change.dismissals.keys().map(|one| (one.clone(), writers.dismissals.contains(one))).collect(),
        }
    }

    /// Makes this the state of what it concerns.
    fn write(&self, tx: &Tx<'_>, project_id: &ProjectId, now: Time) -> Result<()> {
        for (entity_id, entity) in &self.entities {
            match entity {
                Some(entity) => entities::upsert(tx, project_id, entity)?,
                None => entities::delete(tx, project_id, entity_id)?,
            }
        }
        for (dismissal, is_refused) in &self.dismissals {
            match is_refused {
                true => entities::insert_dismissal(tx, project_id, dismissal, now)?,
                false => entities::delete_dismissal(tx, project_id, dismissal)?,
            }
        }
        Ok(())
    }

    fn put(&mut self, entity: StoredEntity) {
        self.entities.insert(entity.entity_id.clone(), Some(entity));
    }

    /// The ids of the entities that it has.
    fn accepted_ids(&self) -> Vec<EntityId> {
        let mut ids: Vec<EntityId> =
            self.entities.iter().filter(|(_, entity)| entity.is_some()).map(|(id, _)| id.clone()).collect();
        ids.sort_unstable();
        ids
    }
}

/// The book as the writer looked at it when deciding.
struct Viewed<'a> {
    found: &'a Found,
    writers: &'a WritersEntities,
    order: &'a [ChapterId],
    at: Option<&'a Position>,
    now: Time,
}

impl Viewed<'_> {
    fn named(&self, field: &str, entity_id: &EntityId) -> Result<&NamedEntity> {
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
    fn accepted(&self, named: &NamedEntity) -> StoredEntity {
        let entity = &named.entity;
        let mut stored = self.stored(&entity.entity_id).cloned().unwrap_or_else(|| StoredEntity {
            entity_id: entity.entity_id.clone(),
            kind: entity.kind,
            name: entity.name.chars().take(MAX_NAME_CHARS).collect(),
            version: 0,
            names: Vec::new(),
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
        let later = if one.mentions.first() < other.mentions.first() { other } else { one };
        let first = &later.entity.first;
        Some(Position { chapter_id: first.chapter_id.clone(), offset: first.from })
    }
}

/// Adds a form, unless the entity has it or has as many as it may, or it is too long for a name.
fn add_name(entity: &mut StoredEntity, form: &str, since: Option<Position>) {
    let is_there = entity.names.iter().any(|name| fold(&name.name) == fold(form));
    let is_short = form.chars().count() <= MAX_NAME_CHARS;
    if !is_there && is_short && entity.names.len() < MAX_NAMES {
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
        args.name.as_deref().map_or(Ok(()), |name| validate::line("name", name, MAX_NAME_CHARS))?;
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
            let names = names.chain(&named.forms).filter(|name| name.chars().count() <= MAX_NAME_CHARS);
            change.dismissals.extend(names.map(|name| (Dismissal::Name(fold(name)), true)));
            if stored.is_some() {
                change.entities.insert(args.entity_id.clone(), None);
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

    /// Takes back one of the last changes.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` for a change of another book, of an earlier start of the program or too long ago;
    /// `MEMORY_STALE_VERSION` if an entity was changed since; those of the store.
    pub fn undo_entity_change(&self, args: &UndoEntityChange) -> Result<Changed<EntityChange>> {
        let _open = self.visit(&args.project_id)?;
        let is_it = |one: &&Undoable| one.change_id == args.change_id && one.project_id == args.project_id;
        let undone = self.entity_changes.0.lock().iter().find(is_it).cloned();
        let undone = undone.ok_or_else(|| Error::not_found("changeId", "change"))?;
        let now = self.clock.now();
        self.stores.rules.open()?.write("undo a change of entities", |tx| {
            let present = Snapshot::of(&entities::writers_entities(tx, &args.project_id)?, &undone.after);
            for (entity_id, entity) in &present.entities {
                let current = entity.as_ref().map(|entity| entity.version);
                let after = undone.after.entities.get(entity_id).and_then(Option::as_ref).map(|entity| entity.version);
                if current != after {
                    return Err(Error::stale_version(current.unwrap_or_default()));
                }
            }
            let mut before = undone.before.clone();
            for entity in before.entities.values_mut().flatten() {
                let after = undone.after.entities.get(&entity.entity_id).and_then(Option::as_ref);
                entity.version = after.map_or(entity.version, |after| after.version).saturating_add(1);
                entity.updated_at = now;
            }
            before.write(tx, &args.project_id, now)
        })?;
        self.entity_changes.0.lock().retain(|one| one.change_id != args.change_id);
        self.story.note_change(Some(&args.project_id));
        let change = EntityChange { change_id: args.change_id.clone(), entity_ids: undone.before.accepted_ids() };
        Ok(Changed::new(change, Some(args.project_id.clone()), [Topic::Story]))
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
        let now = self.clock.now();
        let change_id = self.ids.next(now);
        let undoable = self.stores.rules.open()?.write("change entities", |tx| {
            let writers = entities::writers_entities(tx, project_id)?;
            let after = decide(&Viewed { found: &found, writers: &writers, order, at, now })?;
            after.write(tx, project_id, now)?;
            if entities::count(tx, project_id)? as usize > MAX_ENTITIES {
                return Err(Error::invalid("entityIds", format!("more than {MAX_ENTITIES} accepted entities")));
            }
            let before = Snapshot::of(&writers, &after);
            Ok(Undoable { change_id: change_id.clone(), project_id: project_id.clone(), before, after })
        })?;
        let entity_ids = undoable.after.accepted_ids();
        {
            let mut changes = self.entity_changes.0.lock();
            if changes.len() >= MAX_UNDOABLE {
                changes.pop_front();
            }
            changes.push_back(undoable);
        }
        self.story.note_change(Some(project_id));
        Ok(Changed::new(EntityChange { change_id, entity_ids }, Some(project_id.clone()), [Topic::Story]))
    }
}

/// Every form of one entity with every form of another.
fn pairs<'a>(one: &'a NamedEntity, other: &'a NamedEntity) -> impl Iterator<Item = Dismissal> + 'a {
    let is_short = |form: &&String| form.chars().count() <= MAX_NAME_CHARS;
    let others = move || other.forms.iter().filter(is_short);
    one.forms
        .iter()
        .filter(is_short)
        .flat_map(move |form| others().map(|other| Dismissal::of_pair(&fold(form), &fold(other))))
}
