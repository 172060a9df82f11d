//! The gaps of a book, counted from its names, facts and answers.

use std::collections::{HashMap, HashSet};

use palimpsest_knowledge::{
    gaps::{self as rules, BookNumbers, ChapterNumbers, EntityNumbers, Gap, PairNumbers},
    signature::question_signature,
};
use palimpsest_text::Language;

use super::questions::text_language;
use crate::{
    engine::{Engine, story::Found},
    error::{OrLog, Result},
    model::{Canon, ChapterId, EntityId, GapKind, ProjectId, QuestionType, StudyGap},
    storage::{answer_citations, proposed_facts, questions},
};

/// Number of the most frequent entities whose pairs are counted.
const MAX_PAIRED: usize = 40;

/// The title of a chapter; `None` where it has none.
pub type ChapterTitles<'a> = &'a dyn Fn(&ChapterId) -> Option<String>;

/// The gaps of a book.
pub(super) struct OpenGaps {
    /// Those that no question was asked about, the most important first.
    pub(super) open: Vec<Gap>,
    /// Number of all gaps.
    pub(super) all: usize,
    /// The language of the book.
    pub(super) language: Language,
}

impl Engine {
    /// The gaps of a book.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the stores.
    pub(super) fn open_gaps(
        &self,
        project_id: &ProjectId,
        (order, titles): (&[ChapterId], ChapterTitles<'_>),
    ) -> Result<OpenGaps> {
        let open = self.visit(project_id)?;
        let language = text_language(open.language);
        let found = self.names_at(&open, None, order)?;
        let (canon, _) = self.canon(project_id);
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let citations = answer_citations::citations(&reader, project_id)?;
        let mut citing: HashMap<ChapterId, u32> = HashMap::new();
        for cited in citations.values() {
            let chapters: HashSet<&ChapterId> = cited.iter().map(|citation| &citation.chapter_id).collect();
            chapters.into_iter().for_each(|chapter| *citing.entry(chapter.clone()).or_default() += 1);
        }
        let proposed = proposed_facts::count_by_entity(&reader, project_id)?;
        let numbers = numbers_of(&found, &canon, &citing, &proposed, titles);
        let gaps = rules::find_gaps(&numbers);
        let asked = questions::signatures(&reader, project_id).or_log("read questions").unwrap_or_default();
        let all = gaps.len();
        let is_open = |gap: &Gap| !asked.contains(&template_signature(gap, language));
        Ok(OpenGaps { open: gaps.into_iter().filter(is_open).collect(), all, language })
    }
}

/// The signature of the template question of a gap.
pub(super) fn template_signature(gap: &Gap, language: Language) -> String {
    let ids: Vec<&str> = gap.entity_ids.iter().map(String::as_str).collect();
    question_signature(&gap.question(language), &ids)
}

fn numbers_of(
    found: &Found,
    canon: &Canon,
    citing: &HashMap<ChapterId, u32>,
    proposed: &HashMap<EntityId, u32>,
    titles: ChapterTitles<'_>,
) -> BookNumbers {
    let chapters = found.names.chapters.iter().map(|chapter| ChapterNumbers {
        id: chapter.chapter_id.to_string(),
        title: titles(&chapter.chapter_id).unwrap_or_default(),
        passages: u32::try_from(chapter.passage_count()).unwrap_or(u32::MAX),
        citing_answers: citing.get(&chapter.chapter_id).copied().unwrap_or(0),
    });
    let mut facts: HashMap<&EntityId, u32> = HashMap::new();
    canon.facts.iter().for_each(|fact| *facts.entry(&fact.entity_id).or_default() += 1);
    proposed.iter().for_each(|(entity_id, count)| *facts.entry(entity_id).or_default() += count);
    let entities = found.names.entities.iter().map(|named| {
        let mut mentions = vec![0_u32; found.names.chapters.len()];
        for presence in &named.entity.presence {
            if let Some(count) = mentions.get_mut(presence.chapter as usize) {
                *count = presence.mentions;
            }
        }
        EntityNumbers {
            id: named.entity.entity_id.to_string(),
            name: named.entity.name.clone(),
            mentions,
            facts: facts.get(&named.entity.entity_id).copied().unwrap_or(0),
        }
    });
    BookNumbers { chapters: chapters.collect(), entities: entities.collect(), pairs: pairs_of(found, canon) }
}

fn pairs_of(found: &Found, canon: &Canon) -> Vec<PairNumbers> {
    let paired = &found.names.entities[..found.names.entities.len().min(MAX_PAIRED)];
    let passages: Vec<HashSet<(usize, u32)>> = paired
        .iter()
        .map(|named| {
            found.names.passages_of(named).into_iter().map(|(chapter, range)| (chapter, range.start)).collect()
        })
        .collect();
    let mut pairs = Vec::new();
    for (at, first) in paired.iter().enumerate() {
        for (other, second) in paired.iter().enumerate().skip(at + 1) {
            let together = passages[at].intersection(&passages[other]).count();
            let ids = [&first.entity.entity_id, &second.entity.entity_id];
            let forms = [&first.forms, &second.forms];
            let relates = |from: usize, to: usize| {
                canon.facts.iter().filter(|fact| fact.entity_id == *ids[from]).any(|fact| {
                    fact.object_id.as_ref() == Some(ids[to])
                        || forms[to].iter().any(|form| fact.value.contains(form.as_str()))
                })
            };
            pairs.push(PairNumbers {
                ids: ids.map(ToString::to_string),
                together: u32::try_from(together).unwrap_or(u32::MAX),
                has_relation: relates(0, 1) || relates(1, 0),
            });
        }
    }
    pairs
}

/// A gap as the interface has it.
pub(super) fn shown_gap(gap: &Gap, language: Language) -> StudyGap {
    StudyGap {
        kind: gap_kind(gap),
        priority: gap.priority,
        suggested_question: gap.question(language),
        question_type: question_type(gap.question_type().name()).unwrap_or(QuestionType::Plot),
        entity_ids: gap.entity_ids.iter().map(|id| EntityId::from(id.as_str())).collect(),
        chapter_id: gap.chapter_id.as_deref().map(ChapterId::from),
    }
}

/// The kind of a gap on the wire.
pub(super) fn gap_kind(gap: &Gap) -> GapKind {
    match gap.kind {
        rules::GapKind::UnreadChapter => GapKind::UnreadChapter,
        rules::GapKind::ThinEntity => GapKind::ThinEntity,
        rules::GapKind::UnrelatedPair => GapKind::UnrelatedPair,
        rules::GapKind::OpenThread => GapKind::OpenThread,
    }
}

/// The type of a question on the wire; `None` for a word of a model's own.
pub(super) fn question_type(name: &str) -> Option<QuestionType> {
    use palimpsest_knowledge::question_type::QuestionType as Known;
    Some(match Known::from_name(name)? {
        Known::Structure => QuestionType::Structure,
        Known::Plot => QuestionType::Plot,
        Known::KnowledgeFlow => QuestionType::KnowledgeFlow,
        Known::Relationship => QuestionType::Relationship,
        Known::WorldRule => QuestionType::WorldRule,
        Known::Continuity => QuestionType::Continuity,
        Known::Craft => QuestionType::Craft,
        Known::Entity => QuestionType::Entity,
    })
}

/// The name of a type in a study.
pub(super) fn type_name(wire: QuestionType) -> &'static str {
    use palimpsest_knowledge::question_type::QuestionType as Known;
    let known = Known::ALL.into_iter().find(|known| question_type(known.name()) == Some(wire));
    known.unwrap_or(Known::Plot).name()
}
