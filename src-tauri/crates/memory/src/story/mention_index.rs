//! Where a book mentions the entities of the writer, chapter by chapter, for the cards of a prompt.
//!
//! Forms are matched without detection, so that a prompt does not wait for it: a chapter is matched once, and again
//! when it or the writer's names change.

use palimpsest_reader::mentions::Matcher;

use super::ChapterText;
use crate::model::{EntityId, EntityName, StoredEntity};

/// The forms of all entities of the writer.
pub(crate) struct FormMatcher {
    /// The names of which it was made, by entity.
    entities: Vec<(EntityId, Vec<EntityName>)>,
    /// By form: its entity, and its number among the names of the entity.
    forms: Vec<(usize, usize)>,
    matcher: Matcher,
}

/// A place where a text has a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FormAt {
    /// Index of the entity.
    pub entity: usize,
    /// Index of the form among the names of the entity.
    pub form: usize,
    /// End of the form: in a chapter in UTF-16 code units, in a text in bytes.
    pub end: usize,
}

impl FormMatcher {
    pub(crate) fn new(entities: &[StoredEntity]) -> Self {
        let names: Vec<(EntityId, Vec<EntityName>)> =
            entities.iter().map(|entity| (entity.entity_id.clone(), entity.names.clone())).collect();
        let numbered = |(entity, (_, names)): (usize, &(EntityId, Vec<EntityName>))| {
            (0..names.len()).map(|form| (entity, form)).collect::<Vec<_>>()
        };
        let forms: Vec<(usize, usize)> = names.iter().enumerate().flat_map(numbered).collect();
        let texts =
            forms.iter().enumerate().map(|(number, &(entity, form))| (names[entity].1[form].name.as_str(), number));
        let matcher = Matcher::of_forms(texts);
        Self { entities: names, forms, matcher }
    }

    /// Whether it was made of the names of these entities.
    pub(crate) fn is_of(&self, entities: &[StoredEntity]) -> bool {
        self.entities.len() == entities.len()
            && self
                .entities
                .iter()
                .zip(entities)
                .all(|((id, names), entity)| *id == entity.entity_id && *names == entity.names)
    }

    /// The forms in a text, in order.
    pub(crate) fn forms_in_text(&self, text: &str) -> Vec<FormAt> {
        let place = |end: usize, form: usize| {
            let (entity, form) = self.forms[form];
            FormAt { entity, form, end }
        };
        self.matcher.find(text).into_iter().map(|mention| place(mention.range.end, mention.entity)).collect()
    }

    /// The forms in a chapter, in order.
    pub(crate) fn forms_in_chapter(&self, chapter: &ChapterText) -> Vec<FormAt> {
        let place = |at: FormAt| FormAt { end: chapter.offset(at.end) as usize, ..at };
        self.forms_in_text(&chapter.text).into_iter().map(place).collect()
    }
}
