//! The mentions of entities in a book, by chapter.

use std::ops::Range;

use super::{
    DetectedEntity,
    places::{FormAt, Mentions},
};

/// A mention of an entity in a chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookMention {
    /// Index of the entity.
    pub entity: usize,
    /// Bytes of the chapter's text, without a possessive ending.
    pub range: Range<usize>,
    /// The same in UTF-16 code units.
    pub units: Range<u32>,
}

/// The mentions of one form of an entity in one chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormInChapter {
    /// Number of the chapter, from 0.
    pub chapter: usize,
    /// The number of mentions.
    pub count: u32,
    /// The first one.
    pub first: BookMention,
    /// The last one.
    pub last: BookMention,
}

/// The mentions of entities in the chapters of a book up to a position. They do not overlap.
#[derive(Debug, Default)]
pub struct EntityMentions {
    /// By form in the list of all: the index of its entity.
    entity_of: Vec<usize>,
    mentions: Mentions,
}

impl EntityMentions {
    /// The mentions of all forms of entities. `find` finds those of a list of forms.
    pub(super) fn find_all(entities: &[DetectedEntity], find: impl FnOnce(&[&str]) -> Mentions) -> Self {
        let (mut entity_of, mut forms) = (Vec::new(), Vec::new());
        for (at, entity) in entities.iter().enumerate() {
            for form in &entity.forms {
                entity_of.push(at);
                forms.push(form.text.as_str());
            }
        }
        Self { entity_of, mentions: find(&forms) }
    }

    /// Visits the forms of each chapter, in the order of the chapters.
    pub fn visit_forms(&self, mut visit: impl FnMut(FormInChapter)) {
        self.mentions.visit_counts(|form, chapter, count| {
            let (first, last) = (self.mention(form, &count.first), self.mention(form, &count.last));
            visit(FormInChapter { chapter, count: count.count, first, last });
        });
    }

    /// The mentions in a chapter, in order; none of a chapter that the book does not have.
    pub fn mentions_in(&self, chapter: usize) -> impl Iterator<Item = BookMention> {
        self.mentions.places_in(chapter).map(|(form, at)| self.mention(form, at))
    }

    fn mention(&self, form: usize, at: &FormAt) -> BookMention {
        BookMention {
            entity: self.entity_of[form],
            range: at.start as usize..at.end as usize,
            units: at.unit..at.unit + at.units,
        }
    }
}
