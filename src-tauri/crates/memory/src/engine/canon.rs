//! The writer's word about a story: read once and kept, changed with a history, and changes taken back.

use std::{collections::HashMap, sync::Arc};

use super::Engine;
use crate::{
    error::{Error, OrLog, Result},
    lock::Mutex,
    model::{
        Canon, Changed, Dismissal, EntityChange, EntityId, EntityState, Fact, FactId, ProjectId, StoredEntity,
        StoryHistory, StoryHistoryQuery, StoryState, Time, Topic, UndoEntityChange,
    },
    storage::{
        Tx, entities, facts,
        story_changes::{self, Replaced, Subject},
    },
    validate,
};

/// Maximum number of accepted entities of a book.
pub(super) const MAX_ENTITIES: usize = 5_000;
/// Maximum number of facts of a book.
pub(super) const MAX_FACTS: usize = 20_000;
/// Maximum number of changes of an answer, and the default.
const CHANGES: (u32, u32) = (200, 50);

/// By book: the writer's word as it was read last.
#[derive(Default)]
pub(super) struct KeptCanon(Mutex<HashMap<ProjectId, Kept>>);

struct Kept {
    canon: Arc<Canon>,
    /// The numbers of changes before it was read: it is the stored one while they are the same. The last one serves
    /// while `rules.db` cannot be read.
    changes: ((u64, u64), u64),
}

impl KeptCanon {
    /// Forgets the writer's word on a book, or with `None` on all.
    pub(super) fn forget_canon(&self, project_id: Option<&ProjectId>) {
        self.0.lock().retain(|book, _| project_id.is_some_and(|project_id| book != project_id));
    }
}

/// The state of some entities, facts and dismissals: `None` for one that there is not.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    pub(super) entities: HashMap<EntityId, Option<StoredEntity>>,
    pub(super) facts: HashMap<FactId, Option<Fact>>,
    /// Whether each is refused.
    pub(super) dismissals: HashMap<Dismissal, bool>,
}

impl Snapshot {
    /// The present state of what `change` concerns.
    fn of(canon: &Canon, change: &Self) -> Self {
        let entity = |id: &EntityId| canon.entities.iter().find(|entity| entity.entity_id == *id).cloned();
        let fact = |id: &FactId| canon.facts.iter().find(|fact| fact.fact_id == *id).cloned();
        Self {
            entities: change.entities.keys().map(|id| (id.clone(), entity(id))).collect(),
            facts: change.facts.keys().map(|id| (id.clone(), fact(id))).collect(),
            dismissals: change.dismissals.keys().map(|one| (one.clone(), canon.dismissals.contains(one))).collect(),
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
        for (fact_id, fact) in &self.facts {
            match fact {
                Some(fact) => facts::upsert(tx, project_id, fact)?,
                None => facts::delete(tx, project_id, fact_id)?,
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

    /// The parts of a change from `before` to this.
    fn replaced(&self, before: &Self) -> Vec<Replaced> {
        let entities = self.entities.iter().map(|(id, after)| {
            let before = before.entities.get(id).cloned().flatten();
            Replaced::Entity(id.clone(), before, after.clone())
        });
        let facts = self.facts.iter().map(|(id, after)| {
            let before = before.facts.get(id).cloned().flatten();
            Replaced::Fact(id.clone(), before.map(Box::new), after.clone().map(Box::new))
        });
        let dismissals = self.dismissals.iter().map(|(one, after)| {
            Replaced::Dismissal(one.clone(), before.dismissals.get(one).copied().unwrap_or_default(), *after)
        });
        entities.chain(facts).chain(dismissals).collect()
    }

    pub(super) fn put(&mut self, entity: StoredEntity) {
        self.entities.insert(entity.entity_id.clone(), Some(entity));
    }

    pub(super) fn put_fact(&mut self, fact: Fact) {
        self.facts.insert(fact.fact_id.clone(), Some(fact));
    }

    /// The ids of the entities that it has.
    fn accepted_ids(&self) -> Vec<EntityId> {
        let mut ids: Vec<EntityId> =
            self.entities.iter().filter(|(_, entity)| entity.is_some()).map(|(id, _)| id.clone()).collect();
        ids.sort_unstable();
        ids
    }
}

/// A change that was stored.
pub(super) struct StoredChange {
    pub(super) change_id: String,
    pub(super) after: Snapshot,
}

impl StoredChange {
    /// The answer to a command that changes entities.
    pub(super) fn into_entity_change(self, project_id: &ProjectId) -> Changed<EntityChange> {
        let change = EntityChange { entity_ids: self.after.accepted_ids(), change_id: self.change_id };
        Changed::new(change, Some(project_id.clone()), [Topic::Story])
    }
}

impl Engine {
    /// The writer's word on a book, and whether it is the stored one: without `rules.db` it is that of the last
    /// reading, else that of the last good backup, else none.
    pub(super) fn canon(&self, project_id: &ProjectId) -> (Arc<Canon>, bool) {
        // Counted first: a change while it is read makes it invalid.
        let changes = self.story.canon_changes(project_id);
        if let Some(kept) = self.story.canon.0.lock().get(project_id).filter(|kept| kept.changes == changes) {
            return (Arc::clone(&kept.canon), true);
        }
        let stored = self.stores.ask_rules(|db| entities::canon(db, project_id)).or_log("read the story of the writer");
        let mut kept = self.story.canon.0.lock();
        match stored {
            Some((canon, None)) => {
                let canon = Arc::new(canon);
                kept.insert(project_id.clone(), Kept { canon: Arc::clone(&canon), changes });
                (canon, true)
            }
            backup => {
                let last = kept.get(project_id).map(|kept| Arc::clone(&kept.canon));
                let last = last.or_else(|| backup.map(|(canon, _)| Arc::new(canon)));
                (last.unwrap_or_default(), false)
            }
        }
    }

    /// Writes what `decide` makes of the writer's word, with its history.
    pub(super) fn change_canon(
        &self,
        project_id: &ProjectId,
        decide: impl Fn(&Canon, Time) -> Result<Snapshot>,
    ) -> Result<StoredChange> {
        let now = self.clock.now();
        let change_id = self.ids.next(now);
        let after = self.stores.rules.open()?.write("change the story", |tx| {
            let canon = entities::canon(tx, project_id)?;
            let after = decide(&canon, now)?;
            after.write(tx, project_id, now)?;
            if entities::count(tx, project_id)? as usize > MAX_ENTITIES {
                return Err(Error::invalid("entityIds", format!("more than {MAX_ENTITIES} accepted entities")));
            }
            let added = after.facts.values().filter(|fact| fact.is_some()).count();
            if canon.facts.len() + added > MAX_FACTS {
                return Err(Error::invalid("factId", format!("more than {MAX_FACTS} facts")));
            }
            let parts = after.replaced(&Snapshot::of(&canon, &after));
            story_changes::insert(tx, project_id, &change_id, &parts, now)?;
            Ok(after)
        })?;
        self.note_canon_change(project_id, &after);
        Ok(StoredChange { change_id, after })
    }

    /// Makes what is kept of a book invalid: after a change of facts alone its names stay.
    fn note_canon_change(&self, project_id: &ProjectId, change: &Snapshot) {
        let is_of_names = |one: &Dismissal| !matches!(one, Dismissal::Fact(_));
        if change.entities.is_empty() && !change.dismissals.keys().any(is_of_names) {
            self.story.note_fact_change(project_id);
        } else {
            self.story.note_change(Some(project_id));
        }
    }

    /// Takes a change back.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` for a change of another book, or one that was taken back; `MEMORY_STALE_VERSION` if an entity
    /// or fact that it concerns was changed since; those of the store.
    pub fn undo_entity_change(&self, args: &UndoEntityChange) -> Result<Changed<EntityChange>> {
        let _open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        let before = self.stores.rules.open()?.write("undo a change of the story", |tx| {
            let parts = story_changes::undoable_parts(tx, &args.project_id, &args.change_id)?;
            if parts.is_empty() {
                return Err(Error::not_found("changeId", "change"));
            }
            let before = before_of(&entities::canon(tx, &args.project_id)?, parts, now)?;
            before.write(tx, &args.project_id, now)?;
            story_changes::set_undone(tx, &args.project_id, &args.change_id, now)?;
            Ok(before)
        })?;
        self.note_canon_change(&args.project_id, &before);
        // The text may have changed since the restored facts were followed.
        self.story.forget_followed(Some(&args.project_id));
        let change_id = args.change_id.clone();
        Ok(StoredChange { change_id, after: before }.into_entity_change(&args.project_id))
    }

    /// The changes of an entity with its facts, or of one fact, the latest first.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` unless either is given; `MEMORY_NOT_FOUND` for an unknown book; those of the store.
    pub fn story_history(&self, query: &StoryHistoryQuery) -> Result<StoryHistory> {
        let subject = match (&query.entity_id, &query.fact_id) {
            (Some(entity_id), None) => Subject::Entity(entity_id),
            (None, Some(fact_id)) => Subject::Fact(fact_id),
            _ => return Err(Error::invalid("entityId", "either this or factId")),
        };
        let limit = query.limit.unwrap_or(CHANGES.1);
        validate::within("limit", limit, 1, CHANGES.0)?;
        let _open = self.visit(&query.project_id)?;
        let (changes, _) = self.stores.ask_rules(|db| story_changes::list(db, &query.project_id, subject, limit))?;
        Ok(StoryHistory { changes })
    }
}

/// The state before a change, unless one of its parts was changed since.
fn before_of(canon: &Canon, parts: Vec<Replaced>, now: Time) -> Result<Snapshot> {
    let is_unchanged = |present: Option<u32>, after: Option<u32>| {
        if present == after { Ok(()) } else { Err(Error::stale_version(present.unwrap_or_default())) }
    };
    let mut snapshot = Snapshot::default();
    for part in parts {
        match part {
            Replaced::Entity(id, mut before, after) => {
                let present = canon.entities.iter().find(|entity| entity.entity_id == id);
                let after = after.map(|after| after.version);
                is_unchanged(present.map(|present| present.version), after)?;
                if let Some(before) = &mut before {
                    before.version = after.unwrap_or(before.version).saturating_add(1);
                    before.updated_at = now;
                }
                snapshot.entities.insert(id, before);
            }
            Replaced::Fact(id, before, after) => {
                let present = canon.facts.iter().find(|fact| fact.fact_id == id);
                let after = after.map(|after| after.version);
                is_unchanged(present.map(|present| present.version), after)?;
                let before = before.map(|before| Fact {
                    version: after.unwrap_or(before.version).saturating_add(1),
                    updated_at: now,
                    ..*before
                });
                snapshot.facts.insert(id, before);
            }
            Replaced::Dismissal(dismissal, before, _) => {
                snapshot.dismissals.insert(dismissal, before);
            }
        }
    }
    Ok(snapshot)
}

impl From<StoredEntity> for StoryState {
    fn from(stored: StoredEntity) -> Self {
        Self::Entity {
            entity: EntityState {
                entity_id: stored.entity_id,
                kind: stored.kind,
                name: stored.name,
                names: stored.names.into_iter().map(|name| name.name).collect(),
                visibility: stored.visibility,
                is_pinned: stored.is_pinned,
            },
        }
    }
}
