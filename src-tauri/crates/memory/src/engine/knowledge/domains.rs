//! Domains: the entities of the story, with what is known of them.

use std::collections::HashSet;

use palimpsest_reader::mentions::Matcher;

use crate::{
    engine::Engine,
    error::{Error, OrLog, Result},
    model::{
        Canon, Certainty, ChapterId, Concept, Domain, DomainQuery, EntityId, EntityKind, Fact, Language, ProjectId,
        Visibility,
    },
    storage::answers::{self, ListedRecords},
    story::{FactsAt, fold},
    validate,
};

/// Maximum number of chapters of a domain.
const MAX_CHAPTERS: usize = 20;
/// Maximum number of records of a domain.
const MAX_RECORDS: u32 = 200;

/// An entity that the text names or the writer has accepted.
pub(in crate::engine) struct KnownEntity {
    pub(in crate::engine) entity_id: EntityId,
    pub(in crate::engine) name: String,
    pub(in crate::engine) kind: EntityKind,
    /// The name and the aliases.
    pub(in crate::engine) forms: Vec<String>,
    /// The chapters that mention it, each with the number of mentions, in the order of the book.
    pub(in crate::engine) chapters: Vec<(ChapterId, u32)>,
}

/// The entities of a book as of its end, the most mentioned first, then those that the text does not name.
pub(in crate::engine) struct KnownEntities {
    pub(in crate::engine) all: Vec<KnownEntity>,
    /// Whether the text could not be read: then they are the writer's alone.
    pub(in crate::engine) is_degraded: bool,
}

impl KnownEntities {
    /// The entity with an id.
    pub(in crate::engine) fn with_id(&self, entity_id: &EntityId) -> Option<&KnownEntity> {
        self.all.iter().find(|entity| entity.entity_id == *entity_id)
    }

    /// The entity with an id or a name, in any case; of several with a name the most mentioned.
    pub(in crate::engine) fn by_name(&self, name: &str) -> Option<&KnownEntity> {
        let plain = |name: &str| fold(name.trim()).to_lowercase();
        let wanted = plain(name);
        let by_form = || self.all.iter().find(|entity| entity.forms.iter().any(|form| plain(form) == wanted));
        self.with_id(&name.into())
            .or_else(|| self.all.iter().find(|entity| plain(&entity.name) == wanted))
            .or_else(by_form)
    }

    /// The entities that a text names, in the order in which it names them.
    pub(in crate::engine) fn named_in(&self, text: &str) -> Vec<&KnownEntity> {
        let entities = self.all.iter().enumerate();
        let forms = entities.flat_map(|(at, entity)| entity.forms.iter().map(move |form| (form.as_str(), at)));
        let mut seen = HashSet::new();
        let found = Matcher::of_forms(forms).find(text).into_iter().map(|mention| mention.entity);
        found.filter(|at| seen.insert(*at)).filter_map(|at| self.all.get(at)).collect()
    }
}

impl Engine {
    /// The entities of a book as of its end. `order` are its chapters.
    pub(in crate::engine) fn known_entities(&self, project_id: &ProjectId, order: &[ChapterId]) -> KnownEntities {
        let (canon, _) = self.canon(project_id);
        let found = self.project(project_id).and_then(|project| self.names_at(&project, None, order));
        let found = found.or_log("find names for domains");
        let mut all: Vec<KnownEntity> = Vec::new();
        for named in found.iter().flat_map(|found| &found.names.entities) {
            let chapter = |number: u32| Some(found.as_ref()?.names.chapters.get(number as usize)?.chapter_id.clone());
            let presence = named.entity.presence.iter();
            all.push(KnownEntity {
                entity_id: named.entity.entity_id.clone(),
                name: named.entity.name.clone(),
                kind: named.entity.kind,
                forms: named.forms.clone(),
                chapters: presence.filter_map(|one| Some((chapter(one.chapter)?, one.mentions))).collect(),
            });
        }
        for entity in &canon.entities {
            let forms: Vec<String> = entity.names.iter().map(|name| name.name.clone()).collect();
            match all.iter_mut().find(|known| known.entity_id == entity.entity_id) {
                Some(known) => known.forms.extend(forms),
                None => all.push(KnownEntity {
                    entity_id: entity.entity_id.clone(),
                    name: entity.name.clone(),
                    kind: entity.kind,
                    forms,
                    chapters: Vec::new(),
                }),
            }
        }
        for entity in &mut all {
            let mut seen = HashSet::new();
            entity.forms.push(entity.name.clone());
            entity.forms.retain(|form| seen.insert(fold(form)));
        }
        KnownEntities { all, is_degraded: found.is_none() }
    }

    /// A domain of a book, by a name or the id of its entity. `order` are the chapters of the book.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn domain(&self, query: &DomainQuery, order: &[ChapterId]) -> Result<Domain> {
        validate::line("domain", &query.domain, validate::FORM_CHARS)?;
        let open = self.visit(&query.project_id)?;
        let known = self.known_entities(&query.project_id, order);
        let entity = known.by_name(&query.domain).ok_or_else(|| Error::not_found("domain", "domain"))?;
        Ok(self.domain_of(&query.project_id, open.language, entity, order))
    }

    /// The domain of an entity.
    pub(super) fn domain_of(
        &self,
        project_id: &ProjectId,
        language: Language,
        entity: &KnownEntity,
        order: &[ChapterId],
    ) -> Domain {
        let (canon, _) = self.canon(project_id);
        let facts = FactsAt::new(&canon.facts, order, None);
        let held = shown_facts(&canon, &facts, &entity.entity_id);
        let mut chapters: Vec<&(ChapterId, u32)> = entity.chapters.iter().collect();
        chapters.sort_by_key(|(_, mentions)| std::cmp::Reverse(*mentions));
        Domain {
            entity_id: entity.entity_id.clone(),
            domain: entity.name.clone(),
            summary: summary(language, &held),
            key_concepts: held.iter().map(|fact| concept(fact)).collect(),
            key_files: chapters.into_iter().take(MAX_CHAPTERS).map(|(id, _)| id.clone()).collect(),
            source_record_ids: self
                .records_of_domain(project_id, &entity.forms)
                .or_log("list the records of a domain")
                .unwrap_or_default(),
        }
    }

    fn records_of_domain(&self, project_id: &ProjectId, forms: &[String]) -> Result<Vec<crate::model::AnswerId>> {
        let listed = ListedRecords { project_id, domains: Some(forms), standing: None, offset: 0, limit: MAX_RECORDS };
        let found = answers::records(&*self.stores.episodes.open()?.reader()?, &listed)?;
        Ok(found.into_iter().map(|stored| stored.answer.answer_id).collect())
    }
}

/// The facts of an entity that hold at the end of the book. A hidden entity has none here: what is loaded goes into
/// prompts. The same holds for what is planned only.
fn shown_facts<'a>(canon: &Canon, facts: &FactsAt<'a>, entity_id: &EntityId) -> Vec<&'a Fact> {
    let stored = canon.entities.iter().find(|entity| entity.entity_id == *entity_id);
    let visibility = stored.map(|stored| stored.visibility).unwrap_or_default();
    if visibility == Visibility::Hidden {
        return Vec::new();
    }
    let is_told = |fact: &&&Fact| fact.certainty != Certainty::Planned || visibility == Visibility::Always;
    facts.holding(entity_id).iter().filter(is_told).copied().collect()
}

fn summary(language: Language, facts: &[&Fact]) -> String {
    let (joined, between) = match language {
        Language::Zh => ("：", "；"),
        Language::En => (": ", "; "),
    };
    let said: Vec<String> = facts.iter().map(|fact| format!("{}{joined}{}", fact.attribute, fact.value)).collect();
    said.join(between)
}

fn concept(fact: &Fact) -> Concept {
    let mut chapters: Vec<ChapterId> = Vec::new();
    for citation in fact.citations.iter().filter(|citation| citation.status.is_in_text()) {
        if !chapters.contains(&citation.chapter_id) {
            chapters.push(citation.chapter_id.clone());
        }
    }
    Concept { name: fact.attribute.clone(), description: fact.value.clone(), related_files: chapters }
}
