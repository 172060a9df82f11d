//! Gaps: what the book says enough about to be asked, and what no record knows yet. Counted, without a model.

use std::cmp::Reverse;

use palimpsest_text::Language;

use crate::question_type::QuestionType;

/// Minimum mentions of an entity from which on few facts are a gap.
pub const MIN_MENTIONS: u32 = 8;
/// Number of facts from which on an entity is known well enough.
pub const ENOUGH_FACTS: u32 = 2;
/// Minimum passages that name two entities from which on an unknown relation is a gap.
pub const MIN_TOGETHER: u32 = 4;
/// Minimum chapters of a book in which a thread can be open.
const MIN_CHAPTERS: usize = 4;
/// Maximum characters of a chapter's title in a question.
const MAX_TITLE_CHARS: usize = 60;

/// A chapter in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChapterNumbers {
    /// Its id.
    pub id: String,
    /// Its title; may be empty.
    pub title: String,
    /// Number of its passages.
    pub passages: u32,
    /// Number of answers that cite it.
    pub citing_answers: u32,
}

/// An entity in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityNumbers {
    /// Its id.
    pub id: String,
    /// The name that the book uses most.
    pub name: String,
    /// Its mentions by chapter, in the order of the book.
    pub mentions: Vec<u32>,
    /// Number of its facts, proposed ones included.
    pub facts: u32,
}

/// Two entities in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairNumbers {
    /// Ids of both.
    pub ids: [String; 2],
    /// Number of the passages that name both.
    pub together: u32,
    /// Whether a fact says how they are related.
    pub has_relation: bool,
}

/// A book in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookNumbers {
    /// The chapters, in the order of the book.
    pub chapters: Vec<ChapterNumbers>,
    /// Those that the text names, in any order.
    pub entities: Vec<EntityNumbers>,
    /// Pairs of entities.
    pub pairs: Vec<PairNumbers>,
}

/// Why something is a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GapKind {
    /// A chapter that no answer cites.
    UnreadChapter,
    /// An entity with many mentions and few facts.
    ThinEntity,
    /// Two entities that are often together, with no fact on their relation.
    UnrelatedPair,
    /// An entity that was frequent, and is absent for the last quarter of the book.
    OpenThread,
}

impl GapKind {
    /// The name on the wire and in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnreadChapter => "unreadChapter",
            Self::ThinEntity => "thinEntity",
            Self::UnrelatedPair => "unrelatedPair",
            Self::OpenThread => "openThread",
        }
    }
}

/// A gap of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Decides on the question.
    pub kind: GapKind,
    /// Id of the chapter, of an unread one.
    pub chapter_id: Option<String>,
    /// Ids of the entities: none, one or two.
    pub entity_ids: Vec<String>,
    /// The words of the chapter or of the entities in a question.
    pub names: Vec<String>,
    /// Number of the chapter, of an unread one, or of the last one that names the thread; from 1, else 0.
    pub chapter_number: usize,
    /// 1..10.
    pub priority: u8,
}

impl Gap {
    /// By its kind alone; a model may give another one.
    #[must_use]
    pub fn question_type(&self) -> QuestionType {
        match self.kind {
            GapKind::UnreadChapter => QuestionType::Plot,
            GapKind::ThinEntity => QuestionType::Entity,
            GapKind::UnrelatedPair => QuestionType::Relationship,
            GapKind::OpenThread => QuestionType::Continuity,
        }
    }

    /// The question of its template, also used without a model.
    #[must_use]
    pub fn question(&self, language: Language) -> String {
        let name = |at: usize| self.names.get(at).map(String::as_str).unwrap_or_default();
        let number = self.chapter_number;
        match (self.kind, language) {
            (GapKind::UnreadChapter, Language::Zh) => match name(0) {
                "" => format!("第 {number} 章里发生了什么，谁在场？"),
                title => format!("第 {number} 章《{title}》里发生了什么，谁在场？"),
            },
            (GapKind::UnreadChapter, Language::En) => match name(0) {
                "" => format!("What happens in chapter {number}, and who is there?"),
                title => format!("What happens in chapter {number}, “{title}”, and who is there?"),
            },
            (GapKind::ThinEntity, Language::Zh) => format!("{}是谁或是什么，书里交代了哪些情况？", name(0)),
            (GapKind::ThinEntity, Language::En) => {
                format!("Who or what is {}, and what does the book say about it?", name(0))
            }
            (GapKind::UnrelatedPair, Language::Zh) => format!("{}和{}是什么关系？", name(0), name(1)),
            (GapKind::UnrelatedPair, Language::En) => format!("How are {} and {} related?", name(0), name(1)),
            (GapKind::OpenThread, Language::Zh) => format!("第 {number} 章之后，{}怎么样了？", name(0)),
            (GapKind::OpenThread, Language::En) => format!("What becomes of {} after chapter {number}?", name(0)),
        }
    }
}

/// The gaps of a book, the most important first; the order is the same for the same numbers.
#[must_use]
pub fn find_gaps(book: &BookNumbers) -> Vec<Gap> {
    let mut found: Vec<(u32, Gap)> = Vec::new();
    found.extend(unread_chapters(book));
    found.extend(book.entities.iter().filter_map(thin_entity));
    found.extend(book.pairs.iter().filter_map(|pair| unrelated_pair(book, pair)));
    found.extend(book.entities.iter().filter_map(|entity| open_thread(book, entity)));
    found.sort_by_cached_key(|(weight, gap)| {
        let ids = (gap.chapter_number, gap.entity_ids.clone());
        (Reverse(gap.priority), Reverse(*weight), gap.kind, ids)
    });
    found.into_iter().map(|(_, gap)| gap).collect()
}

/// A priority that grows from `base` with each doubling of `weight` over its minimum, up to 9.
fn priority(base: u8, weight: u32, minimum: u32) -> u8 {
    let doublings = (weight / minimum.max(1)).checked_ilog2().unwrap_or(0);
    base.saturating_add(u8::try_from(doublings).unwrap_or(u8::MAX)).min(9)
}

fn unread_chapters(book: &BookNumbers) -> impl Iterator<Item = (u32, Gap)> {
    let unread = book.chapters.iter().zip(1..).filter(|(chapter, _)| chapter.citing_answers == 0);
    unread.filter(|(chapter, _)| chapter.passages > 0).map(|(chapter, number)| {
        let title = palimpsest_text::excerpt(chapter.title.trim(), MAX_TITLE_CHARS);
        let gap = Gap {
            kind: GapKind::UnreadChapter,
            chapter_id: Some(chapter.id.clone()),
            entity_ids: Vec::new(),
            names: vec![title],
            chapter_number: number,
            priority: 5,
        };
        (chapter.passages, gap)
    })
}

fn of_entities(kind: GapKind, entities: &[&EntityNumbers], chapter_number: usize, priority: u8) -> Gap {
    Gap {
        kind,
        chapter_id: None,
        entity_ids: entities.iter().map(|entity| entity.id.clone()).collect(),
        names: entities.iter().map(|entity| entity.name.clone()).collect(),
        chapter_number,
        priority,
    }
}

fn thin_entity(entity: &EntityNumbers) -> Option<(u32, Gap)> {
    let mentions = entity.mentions.iter().sum();
    let is_thin = mentions >= MIN_MENTIONS && entity.facts < ENOUGH_FACTS;
    let priority = priority(5, mentions, MIN_MENTIONS);
    is_thin.then(|| (mentions, of_entities(GapKind::ThinEntity, &[entity], 0, priority)))
}

fn unrelated_pair(book: &BookNumbers, pair: &PairNumbers) -> Option<(u32, Gap)> {
    if pair.has_relation || pair.together < MIN_TOGETHER {
        return None;
    }
    let entity = |id: &String| book.entities.iter().find(|entity| entity.id == *id);
    let both = [entity(&pair.ids[0])?, entity(&pair.ids[1])?];
    let priority = priority(4, pair.together, MIN_TOGETHER);
    Some((pair.together, of_entities(GapKind::UnrelatedPair, &both, 0, priority)))
}

/// A thread is dense if it is in half of the chapters from its first to its last one, and gone if none of the last
/// quarter of the book names it.
fn open_thread(book: &BookNumbers, entity: &EntityNumbers) -> Option<(u32, Gap)> {
    let chapters = book.chapters.len();
    let first = entity.mentions.iter().position(|mentions| *mentions > 0)?;
    let last = entity.mentions.iter().rposition(|mentions| *mentions > 0)?;
    let mentions = entity.mentions.iter().sum();
    let present = entity.mentions.iter().filter(|mentions| **mentions > 0).count();
    let is_dense = mentions >= MIN_MENTIONS && present >= 2 && present * 2 > last - first;
    let is_gone = chapters >= MIN_CHAPTERS && (chapters - 1).saturating_sub(last) * 4 >= chapters;
    let priority = priority(4, mentions, MIN_MENTIONS);
    (is_dense && is_gone).then(|| (mentions, of_entities(GapKind::OpenThread, &[entity], last + 1, priority)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chapters(count: usize, citing_answers: u32) -> Vec<ChapterNumbers> {
        let chapter = |number: usize| ChapterNumbers {
            id: format!("c{number}"),
            title: "The Gauge".into(),
            passages: 10,
            citing_answers,
        };
        (1..=count).map(chapter).collect()
    }

    fn entity(name: &str, mentions: &[u32], facts: u32) -> EntityNumbers {
        EntityNumbers { id: name.to_lowercase(), name: name.into(), mentions: mentions.to_vec(), facts }
    }

    fn kinds(book: &BookNumbers) -> Vec<GapKind> {
        find_gaps(book).into_iter().map(|gap| gap.kind).collect()
    }

    #[test]
    fn a_chapter_that_no_answer_cites_is_a_gap() {
        let mut book = BookNumbers { chapters: chapters(2, 1), ..BookNumbers::default() };
        assert_eq!(kinds(&book), []);
        book.chapters[1].citing_answers = 0;
        let gaps = find_gaps(&book);
        assert_eq!((gaps.len(), gaps[0].chapter_id.as_deref(), gaps[0].chapter_number), (1, Some("c2"), 2));
        assert_eq!(gaps[0].question(Language::En), "What happens in chapter 2, “The Gauge”, and who is there?");
        book.chapters[1].passages = 0;
        assert_eq!(kinds(&book), [], "an empty chapter");
    }

    #[test]
    fn an_entity_with_many_mentions_and_few_facts_is_a_gap() {
        for (mentions, facts, expected) in
            [(8, 1, vec![GapKind::ThinEntity]), (8, 0, vec![GapKind::ThinEntity]), (7, 0, vec![]), (8, 2, vec![])]
        {
            let entities = vec![entity("Mei", &[mentions], facts)];
            let book = BookNumbers { chapters: chapters(1, 1), entities, ..BookNumbers::default() };
            assert_eq!(kinds(&book), expected, "{mentions} {facts}");
        }
    }

    #[test]
    fn two_entities_that_are_often_together_without_a_relation_are_a_gap() {
        let pair = |together, has_relation| PairNumbers { ids: ["mei".into(), "jun".into()], together, has_relation };
        for (pair, expected) in [
            (pair(4, false), vec![GapKind::UnrelatedPair]),
            (pair(3, false), vec![]),
            (pair(9, true), vec![]),
            (PairNumbers { ids: ["mei".into(), "gone".into()], together: 9, has_relation: false }, vec![]),
        ] {
            let entities = vec![entity("Mei", &[4], 0), entity("Jun", &[4], 0)];
            let book = BookNumbers { chapters: chapters(1, 1), entities, pairs: vec![pair] };
            assert_eq!(kinds(&book), expected);
        }
    }

    #[test]
    fn a_thread_that_was_dense_and_is_gone_for_a_quarter_of_the_book_is_open() {
        for (mentions, expected) in [
            (&[4, 4, 4, 0, 0, 0, 0, 0][..], true),
            (&[4, 0, 4, 4, 0, 4, 0, 0], true),
            (&[4, 4, 4, 4, 4, 4, 4, 0], false),
            (&[8, 0, 0, 0, 0, 0, 0, 0], false),
            (&[4, 0, 0, 0, 0, 4, 0, 0], false),
            (&[1, 1, 1, 0, 0, 0, 0, 0], false),
            (&[0, 0, 0, 0, 0, 0, 0, 0], false),
        ] {
            let entities = vec![entity("the lamp", mentions, 5)];
            let book = BookNumbers { chapters: chapters(8, 1), entities, ..BookNumbers::default() };
            assert_eq!(kinds(&book) == [GapKind::OpenThread], expected, "{mentions:?}");
        }
        let book = BookNumbers {
            chapters: chapters(3, 1),
            entities: vec![entity("Mei", &[8, 8, 0], 5)],
            ..BookNumbers::default()
        };
        assert_eq!(kinds(&book), [], "a book of three chapters has no open thread");
    }

    #[test]
    fn the_most_important_gap_comes_first_and_the_order_is_fixed() {
        let entities =
            vec![entity("Jun", &[9, 0, 0, 0], 0), entity("Mei", &[90, 0, 0, 0], 0), entity("Ada", &[9, 0, 0, 0], 0)];
        let mut book = BookNumbers { chapters: chapters(4, 0), entities, ..BookNumbers::default() };
        let gaps = find_gaps(&book);
        let names: Vec<&str> = gaps.iter().map(|gap| gap.names[0].as_str()).collect();
        assert_eq!(names[0], "Mei");
        assert!(gaps.is_sorted_by_key(|gap| Reverse(gap.priority)));
        assert!(gaps.iter().all(|gap| (1..=10).contains(&gap.priority)));
        book.entities.reverse();
        assert_eq!(find_gaps(&book), gaps);
    }

    #[test]
    fn every_kind_has_a_question_in_both_languages() {
        for kind in [GapKind::UnreadChapter, GapKind::ThinEntity, GapKind::UnrelatedPair, GapKind::OpenThread] {
            let of = |names: [&str; 2]| Gap {
                kind,
                chapter_id: None,
                entity_ids: vec![],
                names: names.map(str::to_owned).to_vec(),
                chapter_number: 3,
                priority: 5,
            };
            let (zh, en) = (of(["阿梅", "小军"]).question(Language::Zh), of(["Mei", "Jun"]).question(Language::En));
            assert_eq!(palimpsest_text::detect(&zh), Language::Zh);
            assert_eq!(palimpsest_text::detect(&en), Language::En);
            assert!(zh.contains("阿梅") && en.contains("Mei") && !kind.as_str().is_empty());
        }
    }
}
