//! The names of a book up to a position, with their mentions.

use std::{
    cmp::Reverse,
    ops::Range,
    sync::{Arc, OnceLock},
};

use palimpsest_reader::names::{BookMention, EntityMentions};

use super::{ChapterText, names::sentence_of};
use crate::model::Entity;

/// The entities that a book names up to a position.
pub(crate) struct BookNames {
    /// The most frequent first.
    pub entities: Vec<NamedEntity>,
    /// Pairs that may be one, by index, the smaller first.
    pub questions: Vec<(usize, usize)>,
    /// The chapters up to the position, in order.
    pub chapters: Vec<Arc<ChapterText>>,
    mentions: EntityMentions,
    /// By the number of an entity in `mentions`: its index in `entities`, if it is among them.
    places: Vec<Option<usize>>,
}

impl BookNames {
    /// Sorts the entities by frequency, and numbers the questions accordingly.
    pub(super) fn sorted(
        named: Vec<Option<NamedEntity>>,
        questions: &[(usize, usize)],
        chapters: Vec<Arc<ChapterText>>,
        mentions: EntityMentions,
    ) -> BookNames {
        let mut places: Vec<Option<usize>> = vec![None; named.len()];
        let mut entities: Vec<NamedEntity> = named.into_iter().flatten().collect();
        entities.sort_by_key(|named| (Reverse(named.entity.mentions), named.first_at));
        for (place, named) in entities.iter().enumerate() {
            places[named.number] = Some(place);
        }
        let mut questions: Vec<(usize, usize)> = questions
            .iter()
            .filter_map(|(first, second)| Some((places[*first]?, places[*second]?)))
            .map(|(first, second)| (first.min(second), first.max(second)))
            .collect();
        questions.sort_unstable();
        questions.dedup();
        BookNames { entities, questions, chapters, mentions, places }
    }

    /// The mentions of an entity in the order of the book, at least one.
    pub(crate) fn mentions_of<'b>(&'b self, named: &'b NamedEntity) -> impl Iterator<Item = MentionAt> + 'b {
        let chapters = named.entity.presence.iter().map(|presence| presence.chapter as usize);
        chapters
            .flat_map(move |chapter| self.units_in(chapter, named).map(move |units| self.mention_at(chapter, &units)))
    }

    /// The mentions in a chapter in order, each with the index of its entity in `entities`.
    pub(crate) fn mentions_in(&self, chapter: usize) -> impl Iterator<Item = (usize, MentionAt)> {
        self.entities_in(chapter).map(move |(entity, units)| (entity, self.mention_at(chapter, &units)))
    }

    /// The passages that mention an entity, in order: number of the chapter, and range in it.
    pub(crate) fn passages_of(&self, named: &NamedEntity) -> Vec<(usize, Range<u32>)> {
        let mut found: Vec<(usize, Range<u32>)> = Vec::new();
        for chapter in named.entity.presence.iter().map(|presence| presence.chapter as usize) {
            let text = &self.chapters[chapter];
            let mut passages: Vec<usize> =
                self.units_in(chapter, named).filter_map(|units| text.passage_of_unit(units.start)).collect();
            passages.dedup();
            found.extend(passages.into_iter().map(|passage| (chapter, text.passage_range(passage))));
        }
        found
    }

    /// By index in `entities`: the number of passages that mention the entity together with this one.
    pub(crate) fn shared_passages(&self, named: &NamedEntity) -> Vec<u32> {
        let mut shared = vec![0; self.entities.len()];
        for chapter in named.entity.presence.iter().map(|presence| presence.chapter as usize) {
            let text = &self.chapters[chapter];
            let in_passage = |(entity, units): (usize, Range<u32>)| Some((text.passage_of_unit(units.start)?, entity));
            let mut passages: Vec<(usize, usize)> = self.entities_in(chapter).filter_map(in_passage).collect();
            passages.sort_unstable();
            passages.dedup();
            for passage in passages.chunk_by(|one, other| one.0 == other.0) {
                if passage.iter().any(|(_, entity)| self.entities[*entity].number == named.number) {
                    passage.iter().for_each(|(_, entity)| shared[*entity] += 1);
                }
            }
        }
        shared
    }

    fn entities_in(&self, chapter: usize) -> impl Iterator<Item = (usize, Range<u32>)> {
        let place = |mention: BookMention| Some(((*self.places.get(mention.entity)?)?, mention.units));
        self.mentions.mentions_in(chapter).filter_map(place)
    }

    fn units_in<'b>(&'b self, chapter: usize, named: &'b NamedEntity) -> impl Iterator<Item = Range<u32>> + 'b {
        let mentions = self.mentions.mentions_in(chapter).filter(|mention| mention.entity == named.number);
        mentions.map(|mention| mention.units)
    }

    fn mention_at(&self, chapter: usize, units: &Range<u32>) -> MentionAt {
        MentionAt::new(&self.chapters[chapter], chapter, units)
    }
}

/// An entity with its forms and mentions.
pub(crate) struct NamedEntity {
    /// Without the sentence of its first mention.
    pub entity: Entity,
    /// Its forms, the most frequent first.
    pub forms: Vec<String>,
    /// The form of the first mention, from which the id of a detected entity is made.
    pub first_form: String,
    /// The first mention.
    pub first_at: MentionAt,
    /// Its number among those that were detected.
    pub(super) number: usize,
    /// The chapter of the first mention, and its bytes there.
    pub(super) first: (Arc<ChapterText>, Range<usize>),
    pub(super) sentence: OnceLock<String>,
}

impl NamedEntity {
    /// The sentence of its first mention.
    pub(crate) fn sentence(&self) -> &str {
        let (chapter, range) = &self.first;
        self.sentence.get_or_init(|| sentence_of(&chapter.text, range))
    }

    /// The row of a list.
    pub(crate) fn row(&self) -> Entity {
        Entity { sentence: self.sentence().to_owned(), ..self.entity.clone() }
    }
}

/// The place where a form of an entity occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MentionAt {
    /// Number of the chapter in the order of the book.
    pub chapter: usize,
    /// In UTF-16 code units.
    pub from: u32,
    pub to: u32,
}

impl MentionAt {
    /// A mention in UTF-16 code units of the text of its chapter.
    pub(super) fn new(text: &ChapterText, chapter: usize, units: &Range<u32>) -> Self {
        let from = text.offset_of_unit(units.start);
        Self { chapter, from, to: from.saturating_add(units.end - units.start) }
    }
}
