//! Who is where in a book: mentions for each passage and chapter, and who is named together, as of a position.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{mentions::Mention, names::Position};

/// The mentions of a chapter and the ranges of its passages.
#[derive(Debug, Clone, Copy)]
pub struct ChapterMentions<'c> {
    /// In order, as [`Matcher::find`](crate::mentions::Matcher::find) returns them.
    pub mentions: &'c [Mention],
    /// Bytes of the chapter's text, in order, without overlap.
    pub passages: &'c [Range<usize>],
}

/// Mentions of one entity in one passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassageCount {
    /// Number of the chapter, from 0.
    pub chapter: usize,
    /// Number of the passage in its chapter, from 0.
    pub passage: usize,
    /// Mentions that begin in the passage.
    pub count: u32,
}

/// The presence of entities in a book up to a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Presence {
    /// By the index of the entity: its passages in order.
    pub passages: BTreeMap<usize, Vec<PassageCount>>,
    /// By the indices of two entities, the smaller first: the number of passages that name both.
    pub together: BTreeMap<(usize, usize), u32>,
}

/// Most entities of a passage that are counted as pairs: the pairs of a list of a hundred names say nothing.
const MAX_PAIRED: usize = 12;

impl Presence {
    /// Counts the mentions that end at or before `until`; all of them if it is `None`. What is after the position has
    /// no influence.
    #[must_use]
    pub fn as_of(chapters: &[ChapterMentions<'_>], until: Option<Position>) -> Self {
        let mut presence = Self::default();
        for (number, chapter) in chapters.iter().enumerate() {
            if until.is_some_and(|until| number > until.chapter) {
                break;
            }
            let limit = until.filter(|until| until.chapter == number).map_or(usize::MAX, |until| until.offset);
            presence.add(number, chapter, limit);
        }
        presence
    }

    fn add(&mut self, number: usize, chapter: &ChapterMentions<'_>, limit: usize) {
        let mut mentions = chapter.mentions.iter().peekable();
        for (passage, range) in chapter.passages.iter().enumerate() {
            let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
            while let Some(mention) = mentions.next_if(|mention| mention.range.start < range.end) {
                if mention.range.start >= range.start && mention.range.end <= limit {
                    *counts.entry(mention.entity).or_default() += 1;
                }
            }
            for (&entity, &count) in &counts {
                let row = PassageCount { chapter: number, passage, count };
                self.passages.entry(entity).or_default().push(row);
            }
            let named: Vec<usize> = counts.keys().copied().take(MAX_PAIRED + 1).collect();
            if named.len() <= MAX_PAIRED {
                for (at, &first) in named.iter().enumerate() {
                    for &second in &named[at + 1..] {
                        *self.together.entry((first, second)).or_default() += 1;
                    }
                }
            }
        }
    }

    /// Mentions of an entity in a chapter.
    #[must_use]
    pub fn in_chapter(&self, entity: usize, chapter: usize) -> u32 {
        let rows = self.passages.get(&entity).into_iter().flatten();
        rows.filter(|row| row.chapter == chapter).map(|row| row.count).sum()
    }

    /// All mentions of an entity.
    #[must_use]
    pub fn total(&self, entity: usize) -> u32 {
        self.passages.get(&entity).into_iter().flatten().map(|row| row.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mention(start: usize, entity: usize) -> Mention {
        Mention { range: start..start + 4, entity }
    }

    fn book() -> [Vec<Mention>; 2] {
        [vec![mention(0, 0), mention(10, 1), mention(30, 0)], vec![mention(5, 1), mention(8, 1), mention(40, 2)]]
    }

    fn presence(until: Option<Position>) -> Presence {
        let [first, second] = book();
        let passages = [0..20, 20..60];
        let chapter = |mentions| ChapterMentions { mentions, passages: &passages };
        Presence::as_of(&[chapter(&first), chapter(&second)], until)
    }

    #[test]
    fn entities_are_counted_by_passage_and_chapter() {
        let all = presence(None);
        assert_eq!((all.total(0), all.total(1), all.total(2)), (2, 3, 1));
        assert_eq!((all.in_chapter(1, 0), all.in_chapter(1, 1)), (1, 2));
        assert_eq!(all.passages[&0].iter().map(|row| row.passage).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn two_entities_of_one_passage_are_together() {
        assert_eq!(presence(None).together, BTreeMap::from([((0, 1), 1)]));
    }

    #[test]
    fn nothing_after_the_position_counts() {
        let early = presence(Some(Position { chapter: 0, offset: 12 }));
        assert_eq!((early.total(0), early.total(1), early.total(2)), (1, 0, 0));
        assert!(early.together.is_empty());
        let late = presence(Some(Position { chapter: 1, offset: 9 }));
        assert_eq!((late.total(1), late.total(2)), (2, 0));
    }

    #[test]
    fn a_list_of_many_names_makes_no_pairs() {
        let mentions: Vec<Mention> = (0..40).map(|number| mention(number * 5, number)).collect();
        let passages = vec![0..500, 500..1000];
        let found = Presence::as_of(&[ChapterMentions { mentions: &mentions, passages: &passages }], None);
        assert_eq!((found.passages.len(), found.together.len()), (40, 0));
    }
}
