//! The change that an imported story makes to the writer's word.

use std::collections::HashMap;

use crate::{
    engine::{
        canon::Snapshot,
        entities::{Viewed, add_name},
        facts::{new_entity, new_fact},
        story::Found,
    },
    model::{
        Canon, ChapterId, Citation, Dismissal, EntityId, EntityKind, Fact, FactId, ImportedStory, Knower, Position,
        StoredEntity, Time, Visibility,
    },
    story::{
        fold,
        lorebook::{LoreEntry, LoreFact},
    },
};

/// The places of a file in the text of the book.
#[derive(Default)]
pub(super) struct TextPlaces {
    /// By the quote and the number of its chapter; `None`: the text does not have it.
    pub quotes: HashMap<(String, Option<u32>), Option<Citation>>,
    /// The ends of the chapters that the file names, by number from 1.
    pub ends: HashMap<u32, Position>,
}

/// An entity of the book while entries are added to it.
struct Target {
    entity: StoredEntity,
    is_new: bool,
    is_changed: bool,
    /// Whether an entry of the file is about it.
    is_entry: bool,
}

/// The writer's word on a book while a story is imported into it.
pub(super) struct Importing<'a> {
    canon: &'a Canon,
    viewed: Option<Viewed<'a>>,
    places: &'a TextPlaces,
    now: Time,
    targets: Vec<Target>,
    /// The entities by the folded names by which they are listed.
    by_name: HashMap<String, usize>,
    /// The entities by their folded forms.
    by_form: HashMap<String, usize>,
    /// The entities that the text names, by their folded forms.
    detected: HashMap<String, usize>,
    facts: Vec<Fact>,
    /// The facts of the book that no fact of the file is yet: attributes and ids, by their words.
    by_words: HashMap<Words, Vec<(String, FactId)>>,
    counts: ImportedStory,
}

/// The entity of a fact, and its folded value; beside them is the folded attribute.
type Words = (EntityId, String);

impl<'a> Importing<'a> {
    pub(super) fn new(
        canon: &'a Canon,
        found: Option<&'a Found>,
        order: &'a [ChapterId],
        places: &'a TextPlaces,
        now: Time,
    ) -> Self {
        let mut detected = HashMap::new();
        for (number, named) in found.iter().flat_map(|found| &found.names.entities).enumerate() {
            for form in &named.forms {
                detected.entry(fold(form)).or_insert(number);
            }
        }
        let mut by_words: HashMap<Words, Vec<_>> = HashMap::new();
        for fact in &canon.facts {
            by_words.entry(words_of(fact)).or_default().push((folded_attribute(&fact.attribute), fact.fact_id.clone()));
        }
        let mut importing = Self {
            canon,
            viewed: found.map(|found| Viewed { found, writers: canon, order, at: None, now }),
            places,
            now,
            targets: Vec::new(),
            by_name: HashMap::new(),
            by_form: HashMap::new(),
            detected,
            facts: Vec::new(),
            by_words,
            counts: ImportedStory::default(),
        };
        for entity in &canon.entities {
            importing.add_target(entity.clone(), false);
        }
        importing
    }

    /// The change, and the counts of a report.
    pub(super) fn run(mut self, entries: &[LoreEntry], next_id: &dyn Fn() -> String) -> (Snapshot, ImportedStory) {
        // All entities first: relations and knowers may be further down in the file.
        let targets: Vec<usize> = entries.iter().map(|entry| self.target(entry, next_id)).collect();
        for (entry, target) in entries.iter().zip(targets) {
            for fact in &entry.facts {
                self.add_fact(fact, target, next_id);
            }
        }
        let mut change = Snapshot::default();
        for (number, target) in self.targets.iter().enumerate() {
            let changed = (target.is_entry, target.is_new, target.is_changed);
            *match changed {
                (false, ..) => continue,
                (true, true, _) => &mut self.counts.new_entities,
                (true, false, true) => &mut self.counts.changed_entities,
                (true, false, false) => &mut self.counts.same_entities,
            } += 1;
            // The accepted entities are the first targets.
            if self.canon.entities.get(number) != Some(&target.entity) {
                change.put(self.stored_again(target));
            }
            for name in &target.entity.names {
                let dismissal = Dismissal::Name(fold(&name.name));
                if self.canon.dismissals.contains(&dismissal) {
                    change.dismissals.insert(dismissal, false);
                }
            }
        }
        self.counts.new_facts = u32::try_from(self.facts.len()).unwrap_or(u32::MAX);
        self.facts.into_iter().for_each(|fact| change.put_fact(fact));
        (change, self.counts)
    }

    fn stored_again(&self, target: &Target) -> StoredEntity {
        let entity = target.entity.clone();
        if target.is_new {
            return entity;
        }
        StoredEntity { version: entity.version.saturating_add(1), updated_at: self.now, ..entity }
    }

    fn add_target(&mut self, entity: StoredEntity, is_new: bool) -> usize {
        let number = self.targets.len();
        self.by_name.entry(fold(&entity.name)).or_insert(number);
        for name in &entity.names {
            self.by_form.entry(fold(&name.name)).or_insert(number);
        }
        self.targets.push(Target { entity, is_new, is_changed: false, is_entry: false });
        number
    }

    /// The entity that an entry is about, with its forms.
    fn target(&mut self, entry: &LoreEntry, next_id: &dyn Fn() -> String) -> usize {
        let name = fold(&entry.name);
        let first_form = entry.forms.first().map(|(form, _)| fold(form));
        let named = self.by_name.get(&name).or_else(|| self.by_form.get(&name)).copied();
        // Two entries may have a form in common: the second one is another entity.
        let formed = || first_form.as_ref().and_then(|form| self.by_form.get(form)).copied();
        let known = named.or_else(|| formed().filter(|number| !self.targets[*number].is_entry));
        let number = known.unwrap_or_else(|| {
            // What is in every prompt and says nothing of its kind is a rule of the world.
            let is_always = entry.visibility == Some(Visibility::Always);
            let usual = if is_always { EntityKind::WorldRule } else { EntityKind::Thing };
            let entity = self
                .detected(&name, first_form.as_deref())
                .unwrap_or_else(|| new_entity(next_id().into(), entry.kind.unwrap_or(usual), self.now));
            let kind = entry.kind.unwrap_or(entity.kind);
            // Only rules are always given; another entity is pinned.
            let visibility = entry.visibility.filter(|one| *one != Visibility::Always || kind == EntityKind::WorldRule);
            let entity = StoredEntity {
                kind,
                name: entry.name.clone(),
                visibility: visibility.unwrap_or(entity.visibility),
                is_pinned: entry.is_pinned || (is_always && visibility.is_none()),
                ..entity
            };
            self.add_target(entity, true)
        });
        let since: Vec<(&str, Option<Position>)> =
            entry.forms.iter().map(|(form, chapter)| (form.as_str(), self.end_of(*chapter))).collect();
        let target = &mut self.targets[number];
        target.is_entry = true;
        let forms = target.entity.names.len();
        for (form, since) in since {
            add_name(&mut target.entity, form, since);
        }
        target.is_changed |= target.entity.names.len() > forms;
        for name in &self.targets[number].entity.names {
            self.by_form.entry(fold(&name.name)).or_insert(number);
        }
        number
    }

    /// The entity that the text names by the name of an entry, or by its first form, as accepted.
    fn detected(&self, name: &str, first_form: Option<&str>) -> Option<StoredEntity> {
        let viewed = self.viewed.as_ref()?;
        let number = self.detected.get(name).or_else(|| self.detected.get(first_form?))?;
        let named = viewed.found.names.entities.get(*number)?;
        let is_free = self.targets.iter().all(|target| target.entity.entity_id != named.entity.entity_id);
        is_free.then(|| viewed.accepted(named))
    }

    /// Adds a fact with those that it replaced.
    fn add_fact(&mut self, fact: &LoreFact, target: usize, next_id: &dyn Fn() -> String) {
        let mut replaced_by = None;
        for one in std::iter::once(fact).chain(&fact.earlier) {
            replaced_by = Some(self.add_one(one, target, replaced_by, next_id));
        }
    }

    /// Adds a fact, and returns its id; one with the same words stays as it is.
    fn add_one(
        &mut self,
        fact: &LoreFact,
        target: usize,
        superseded_by: Option<FactId>,
        next_id: &dyn Fn() -> String,
    ) -> FactId {
        let entity_id = self.targets[target].entity.entity_id.clone();
        let words = (entity_id.clone(), fold(&fact.value));
        let attribute = folded_attribute(&fact.attribute);
        // A page has the attribute of the fact that replaced it. Each fact of the book is taken once: what held before
        // may hold again, in the same words.
        let known = self.by_words.entry(words).or_default();
        let same = known.iter().position(|(one, _)| superseded_by.is_some() || *one == attribute);
        if let Some((_, same)) = same.map(|at| known.remove(at)) {
            self.counts.same_facts += 1;
            return same;
        }
        let fact_id = FactId::from(next_id());
        let citations: Vec<Citation> =
            fact.quotes.iter().filter_map(|quote| self.places.quotes.get(quote)?.clone()).collect();
        self.counts.lost_quotes += u32::try_from(fact.quotes.len() - citations.len()).unwrap_or(u32::MAX);
        // A fact whose sentences are lost is not known before the chapter in which they were.
        let lost = fact.quotes.iter().filter_map(|(_, chapter)| *chapter).min().filter(|_| citations.is_empty());
        let object_id =
            fact.object.as_ref().and_then(|name| self.target_named(name)).filter(|number| *number != target);
        let knowers: Vec<Option<Knower>> =
            fact.knowers.iter().map(|(name, chapter)| self.knower(name, *chapter)).collect();
        let is_left_out = fact.object.is_some() && object_id.is_none();
        let unknown = knowers.iter().filter(|knower| knower.is_none()).count() + usize::from(is_left_out);
        self.counts.left_out += u32::try_from(unknown).unwrap_or(u32::MAX);
        self.targets[target].is_changed = true;
        let written = Fact {
            attribute: fact.attribute.clone(),
            value: fact.value.clone(),
            object_id: object_id.map(|number| self.targets[number].entity.entity_id.clone()),
            certainty: fact.certainty,
            told_at: self.end_of(fact.chapter.or(lost)),
            valid_from: fact.valid_from.clone(),
            valid_until: fact.valid_until.clone(),
            superseded_by,
            known_by: knowers.into_iter().flatten().collect(),
            citations,
            ..new_fact(entity_id, fact_id.clone(), self.now)
        };
        self.facts.push(written);
        fact_id
    }

    fn target_named(&self, name: &str) -> Option<usize> {
        let name = fold(name);
        self.by_name.get(&name).or_else(|| self.by_form.get(&name)).copied()
    }

    fn knower(&self, name: &str, chapter: u32) -> Option<Knower> {
        let entity_id = self.targets[self.target_named(name)?].entity.entity_id.clone();
        Some(Knower { entity_id, since: self.end_of(Some(chapter))? })
    }

    /// The end of the chapter with a number, from 1.
    fn end_of(&self, chapter: Option<u32>) -> Option<Position> {
        self.places.ends.get(&chapter?).cloned()
    }
}

fn words_of(fact: &Fact) -> Words {
    (fact.entity_id.clone(), fold(&fact.value))
}

/// Lorebooks have attributes at the beginning of a line, and so with a capital.
fn folded_attribute(attribute: &str) -> String {
    fold(attribute).to_lowercase()
}
