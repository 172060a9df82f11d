//! The story of a book as of a position: names, mentions and times, found in the stored passages.
//!
//! The findings are kept in memory for a few positions. They depend on the passages, their words, the writer's word and
//! the order of the chapters; each change of these makes them invalid.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    thread,
};

use palimpsest_reader::names::TaggedWord;
use palimpsest_text::single_spaced;

use super::{
    Engine,
    answers::SeenChapters,
    book_passages::KeptPlaces,
    canon::KeptCanon,
    citations::FollowedChapters,
    continuity::KeptIssues,
    knowledge::KeptHabits,
    passages::{MAX_CHANGES_PER_STEP, PAUSE},
    story_evidence::KeptEvidence,
    story_prompt::KeptMentions,
};
use crate::{
    error::{Error, OrLog, Result, log_failure},
    lock::Mutex,
    model::{
        ChapterId, Entity, EntityId, EntityList, EntityQuery, Language, Mention, MentionList, MentionQuery,
        MentionRange, NameMethod, Passage, Position, PossibleMerge, Presence, PresenceQuery, Project, ProjectId,
        Timeline, TimelineQuery, UntaggedPassage,
    },
    storage::{passages, tagged_passages},
    story::{
        BookNames, ChapterText, FactsAt, MentionAt, NamedEntity, Names, byte_of_offset, fold, sentence_range,
        told_times,
    },
    validate,
};

/// Maximum number of positions, of all books, whose names are kept.
const MAX_KEPT: usize = 6;
/// Maximum number of mentions of an answer, and the default.
const MENTIONS: (u32, u32) = (200, 50);
/// Maximum number of expressions of time of an answer, and the default.
const TIMES: (u32, u32) = (500, 200);
/// Maximum characters of a sentence on either side of a mention.
const MAX_CONTEXT: usize = 60;

/// The names that were found last.
#[derive(Default)]
pub(super) struct Story {
    kept: Mutex<Vec<Kept>>,
    /// By book: the number of its changes. The entry of `None` counts changes of all books.
    changes: Mutex<HashMap<Option<ProjectId>, u64>>,
    /// By book: the number of changes of its facts alone, on which names do not depend.
    fact_changes: Mutex<HashMap<ProjectId, u64>>,
    /// The writer's word.
    pub(super) canon: KeptCanon,
    /// The evidence of names in the chapters.
    pub(super) evidence: KeptEvidence,
    /// Where the writer's entities are mentioned.
    pub(super) mentions: KeptMentions,
    /// The continuity issues.
    pub(super) issues: KeptIssues,
    /// Where the passages are.
    pub(super) places: KeptPlaces,
    /// How the books are written.
    pub(super) habits: KeptHabits,
    /// The chapters whose citations of facts were followed.
    pub(super) followed: FollowedChapters,
    /// The chapters whose citations of answers were followed.
    pub(super) followed_of_answers: FollowedChapters,
    /// The chapters that were compared with the answers of the last week.
    pub(super) seen_chapters: SeenChapters,
}

struct Kept {
    project_id: ProjectId,
    at: Option<Position>,
    order: Vec<ChapterId>,
    changes: (u64, u64),
    found: Arc<Found>,
}

/// The names of a book as of a position.
pub(super) struct Found {
    pub(super) names: BookNames,
    pub(super) method: NameMethod,
    /// Whether likely misspellings and speeches are among them.
    has_details: bool,
}

impl Found {
    pub(super) fn find_entity(&self, entity_id: &EntityId) -> Option<&NamedEntity> {
        self.names.entities.iter().find(|entity| entity.entity.entity_id == *entity_id)
    }

    /// Whether the text names an entity by a form.
    pub(super) fn has_form(&self, form: &str) -> bool {
        self.names.entities.iter().any(|entity| entity.forms.iter().any(|one| fold(one) == fold(form)))
    }
}

impl Story {
    /// Forgets the writer's word on a book, or with `None` on all.
    pub(super) fn forget_writers(&self, project_id: Option<&ProjectId>) {
        self.canon.forget_canon(project_id);
        self.forget_followed(project_id);
        self.evidence.forget_evidence(project_id);
        self.mentions.forget_mentions(project_id);
        self.places.forget_places(project_id);
        self.issues.forget_issues(project_id);
        self.habits.forget_habits(project_id);
        self.note_change(project_id);
    }

    /// Forgets in which texts the citations of a book were followed, or with `None` those of all.
    pub(super) fn forget_followed(&self, project_id: Option<&ProjectId>) {
        self.followed.forget_chapters(project_id);
        self.followed_of_answers.forget_chapters(project_id);
        self.seen_chapters.forget_seen(project_id);
    }

    /// Notes that a book has changed, or with `None` that all have.
    pub(super) fn note_change(&self, project_id: Option<&ProjectId>) {
        *self.changes.lock().entry(project_id.cloned()).or_default() += 1;
        self.kept.lock().retain(|kept| project_id.is_some_and(|project_id| kept.project_id != *project_id));
    }

    /// Notes that the facts of a book have changed, and nothing else of it.
    pub(super) fn note_fact_change(&self, project_id: &ProjectId) {
        *self.fact_changes.lock().entry(project_id.clone()).or_default() += 1;
    }

    /// The numbers of changes on which the writer's word depends.
    pub(super) fn canon_changes(&self, project_id: &ProjectId) -> ((u64, u64), u64) {
        let facts = self.fact_changes.lock().get(project_id).copied().unwrap_or_default();
        (self.change_counts(project_id), facts)
    }

    pub(super) fn change_counts(&self, project_id: &ProjectId) -> (u64, u64) {
        let changes = self.changes.lock();
        let count = |key: Option<ProjectId>| changes.get(&key).copied().unwrap_or_default();
        (count(None), count(Some(project_id.clone())))
    }

    fn kept(
        &self,
        project_id: &ProjectId,
        at: Option<&Position>,
        order: &[ChapterId],
        with_details: bool,
    ) -> Option<Arc<Found>> {
        let changes = self.change_counts(project_id);
        let kept = self.kept.lock();
        let is_same = |kept: &&Kept| {
            let has_all = !with_details || kept.found.has_details;
            let is_asked = kept.project_id == *project_id && kept.at.as_ref() == at && kept.order == order;
            is_asked && has_all && kept.changes == changes
        };
        kept.iter().find(is_same).map(|kept| Arc::clone(&kept.found))
    }

    fn keep(&self, one: Kept) {
        let mut kept = self.kept.lock();
        kept.retain(|other| other.project_id != one.project_id || other.at != one.at || other.order != one.order);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push(one);
    }
}

impl Engine {
    /// The entities of a book as of a position. `order` are the chapters of the book. Without `episodes.db` it lists
    /// the accepted ones alone.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, also for a position in no chapter of the book.
    pub fn entities(&self, query: &EntityQuery, order: &[ChapterId]) -> Result<EntityList> {
        let open = self.visit(&query.project_id)?;
        let at = query.at.as_ref();
        let (canon, _) = self.canon(&query.project_id);
        up_to(order, at)?;
        let found = match self.find_names(&open, at, order, true) {
            Ok(found) => found,
            Err(error) => {
                log_failure("find names", Err::<(), _>(error));
                // Without the text the reader may know all of the writer's word, or none: the list says that it is not
                // as of the position.
                let facts = FactsAt::new(&canon.facts, order, None);
                let unnamed = Self::unnamed_entities(&canon, &facts, &HashSet::new());
                let method = if open.language == Language::Zh { NameMethod::Surnames } else { NameMethod::Text };
                let (entities, possible_merges, chapters) = (Vec::new(), Vec::new(), Vec::new());
                return Ok(EntityList { entities, possible_merges, unnamed, chapters, method, degraded: true });
            }
        };
        let names = &found.names;
        let id = |number: usize| names.entities[number].entity.entity_id.clone();
        let facts = FactsAt::new(&canon.facts, order, at);
        let row = |named: &NamedEntity| {
            let first_fact = facts.holding(&named.entity.entity_id).first();
            Entity { first_fact: first_fact.map(|fact| fact.value.clone()), ..named.row() }
        };
        let named: HashSet<&EntityId> = names.entities.iter().map(|named| &named.entity.entity_id).collect();
        Ok(EntityList {
            entities: names.entities.iter().map(row).collect(),
            possible_merges: names
                .questions
                .iter()
                .map(|&(first, second)| PossibleMerge { entity_id: id(first), other_id: id(second) })
                .collect(),
            unnamed: Self::unnamed_entities(&canon, &facts, &named),
            chapters: names.chapters.iter().map(|chapter| chapter.chapter_id.clone()).collect(),
            method: found.method,
            degraded: false,
        })
    }

    /// The mentions of an entity as of a position, in the order of the book.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND`, also for an entity that the text does not name up to the
    /// position; those of the store.
    pub fn mentions(&self, query: &MentionQuery, order: &[ChapterId]) -> Result<MentionList> {
        let (skip, limit) = page(query.skip, query.limit, MENTIONS)?;
        let open = self.visit(&query.project_id)?;
        let found = self.names_at(&open, query.at.as_ref(), order)?;
        let entity = found.find_entity(&query.entity_id).ok_or_else(|| Error::not_found("entityId", "entity"))?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let mut mentions = Vec::new();
        for mention in found.names.mentions_of(entity).skip(skip).take(limit) {
            let chapter_id = &found.names.chapters[mention.chapter].chapter_id;
            let passage = passages::at(&reader, &query.project_id, chapter_id, mention.from)?;
            mentions.extend(passage.and_then(|passage| mention_in(&passage, mention)));
        }
        Ok(MentionList { mentions, total: entity.entity.mentions })
    }

    /// Who and what is named around a position: up to the end of its paragraph.
    ///
    /// # Errors
    /// As [`Engine::entities`].
    pub fn present_at(&self, query: &PresenceQuery, order: &[ChapterId]) -> Result<Presence> {
        let open = self.visit(&query.project_id)?;
        let Position { chapter_id, offset } = &query.at;
        let passage = {
            let db = self.stores.episodes.open()?;
            passages::at(&*db.reader()?, &query.project_id, chapter_id, *offset)?
        };
        let at = Position { chapter_id: chapter_id.clone(), offset: paragraph_end(passage.as_ref(), *offset) };
        let found = self.names_at(&open, Some(&at), order)?;
        let here = found.names.chapters.len().saturating_sub(1);
        let ranges = found.names.chapters.last().map(|chapter| chapter.passage_ranges()).unwrap_or_default();
        let number = ranges.iter().rposition(|range| range.start <= *offset).unwrap_or(0);
        let nearby_from = ranges.get(number.saturating_sub(1)).map_or(0, |range| range.start);
        let id = |entity: usize| &found.names.entities[entity].entity.entity_id;
        let mut named: Option<usize> = None;
        // By entity: where the chapter mentions it last.
        let mut last: BTreeMap<usize, u32> = BTreeMap::new();
        for (entity, mention) in found.names.mentions_in(here) {
            let is_at = (mention.from..=mention.to).contains(offset);
            named = named.filter(|named| !is_at || *named < entity).or(is_at.then_some(entity));
            last.insert(entity, mention.from);
        }
        let since = |from: u32| -> Vec<EntityId> {
            let mut found: Vec<(u32, &EntityId)> =
                last.iter().filter(|(_, at)| **at >= from).map(|(entity, at)| (*at, id(*entity))).collect();
            found.sort_unstable_by(|a, b| b.cmp(a));
            found.into_iter().map(|(_, entity_id)| entity_id.clone()).collect()
        };
        Ok(Presence {
            named: named.map(|entity| id(entity).clone()),
            nearby: since(nearby_from),
            in_chapter: since(0),
            passage,
        })
    }

    /// The expressions of time of a book up to a position.
    ///
    /// # Errors
    /// As [`Engine::entities`]; `MEMORY_INVALID_ARGUMENT`.
    pub fn timeline(&self, query: &TimelineQuery, order: &[ChapterId]) -> Result<Timeline> {
        let (skip, limit) = page(query.skip, query.limit, TIMES)?;
        let _open = self.visit(&query.project_id)?;
        let (mut times, mut total) = (Vec::new(), 0_usize);
        for (chapter_id, until) in up_to(order, query.at.as_ref())? {
            let passages = {
                let db = self.stores.episodes.open()?;
                tagged_passages::in_chapter(&*db.reader()?, &query.project_id, chapter_id)?
            };
            let here = told_times(&ChapterText::without_words(chapter_id.clone(), &passages, until));
            total += here.len();
            let first = total - here.len();
            times.extend(here.into_iter().zip(first..).filter(|(_, n)| (skip..skip + limit).contains(n)));
        }
        let total = u32::try_from(total).unwrap_or(u32::MAX);
        Ok(Timeline { times: times.into_iter().map(|(time, _)| time).collect(), total })
    }

    /// Reads the evidence of names in the chapters of a book, so that the first request does not wait for it.
    ///
    /// # Errors
    /// As [`Engine::entities`].
    pub fn prepare_names(&self, project_id: &ProjectId, order: &[ChapterId]) -> Result<()> {
        let open = self.visit(project_id)?;
        self.names_at(&open, None, order).map(drop)
    }

    /// The chapters of a book in the order in which they were analyzed last.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn analyzed_order(&self, project_id: &ProjectId) -> Result<Vec<ChapterId>> {
        let _open = self.visit(project_id)?;
        tagged_passages::chapter_order(&*self.stores.episodes.open()?.reader()?, project_id)
    }

    /// Some passages of a book that a tagger has not read; none if it has read all.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn untagged_passages(&self, project_id: &ProjectId, tagger: &str) -> Result<Vec<UntaggedPassage>> {
        let _open = self.visit(project_id)?;
        let limit = u32::try_from(MAX_CHANGES_PER_STEP).unwrap_or(u32::MAX);
        tagged_passages::untagged(&*self.stores.episodes.open()?.reader()?, project_id, tagger, limit)
    }

    /// Number of passages of a book that a tagger has not read.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn count_untagged(&self, project_id: &ProjectId, tagger: &str) -> Result<u32> {
        let _open = self.visit(project_id)?;
        tagged_passages::count_untagged(&*self.stores.episodes.open()?.reader()?, project_id, tagger)
    }

    /// Stores the words of passages, of which there are at most as many as [`Engine::untagged_passages`] returns.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn store_words(&self, project_id: &ProjectId, tagger: &str, words: &[(i64, Vec<TaggedWord>)]) -> Result<()> {
        let _open = self.visit(project_id)?;
        self.stores.episodes.open()?.write_derived("store words", |tx| {
            words.iter().try_for_each(|(row, words)| tagged_passages::upsert(tx, project_id, *row, tagger, words))
        })?;
        self.story.note_change(Some(project_id));
        thread::sleep(PAUSE);
        Ok(())
    }

    /// The names of a book as of a position, possibly without their likely misspellings and speeches.
    pub(super) fn names_at(&self, project: &Project, at: Option<&Position>, order: &[ChapterId]) -> Result<Arc<Found>> {
        self.find_names(project, at, order, false)
    }

    /// The names of a whole book with their likely misspellings.
    pub(super) fn names_with_misspellings(&self, project: &Project, order: &[ChapterId]) -> Result<Arc<Found>> {
        self.find_names(project, None, order, true)
    }

    fn find_names(
        &self,
        project: &Project,
        at: Option<&Position>,
        order: &[ChapterId],
        with_details: bool,
    ) -> Result<Arc<Found>> {
        let project_id = &project.project_id;
        let parts = up_to(order, at)?;
        if let Some(found) = self.story.kept(project_id, at, order, with_details) {
            return Ok(found);
        }
        // Counted first: a change while the names are found makes them invalid.
        let changes = self.story.change_counts(project_id);
        let hidden = self.names_of(project_id).or_log("read names").unwrap_or_default();
        let listed: Vec<String> = hidden.into_iter().map(|hidden| hidden.name).collect();
        let (writers, is_current) = self.canon(project_id);
        let writers = &*writers;
        let names = Names { project_id, writers, listed: &listed, order, at, with_details };
        let (names, has_untagged) = self.detect_names(project, &names, &parts, changes)?;
        let method = match (project.language, has_untagged) {
            (Language::En, _) => NameMethod::Text,
            (Language::Zh, false) => NameMethod::Tagger,
            (Language::Zh, true) => NameMethod::Surnames,
        };
        let found = Arc::new(Found { names, method, has_details: with_details });
        if !is_current {
            return Ok(found);
        }
        let (project_id, at, order) = (project_id.clone(), at.cloned(), order.to_vec());
        self.story.keep(Kept { project_id, at, order, changes, found: Arc::clone(&found) });
        Ok(found)
    }
}

/// The chapters up to a position, the last one with the offset at which it ends.
pub(super) fn up_to<'a>(order: &'a [ChapterId], at: Option<&Position>) -> Result<Vec<(&'a ChapterId, Option<u32>)>> {
    let Some(at) = at else { return Ok(order.iter().map(|chapter_id| (chapter_id, None)).collect()) };
    let last = order.iter().position(|chapter_id| *chapter_id == at.chapter_id);
    let last = last.ok_or_else(|| Error::not_found("at.chapterId", "chapter"))?;
    let until = |number: usize| (number == last).then_some(at.offset);
    Ok(order[..=last].iter().enumerate().map(|(number, chapter_id)| (chapter_id, until(number))).collect())
}

/// The number of items to skip and the maximum number of an answer.
fn page(skip: Option<u32>, limit: Option<u32>, (max, default): (u32, u32)) -> Result<(usize, usize)> {
    let limit = limit.unwrap_or(default);
    validate::within("limit", limit, 1, max)?;
    Ok((skip.unwrap_or(0) as usize, limit as usize))
}

/// The end of the paragraph that an offset of a chapter is in, in UTF-16 code units.
fn paragraph_end(passage: Option<&Passage>, offset: u32) -> u32 {
    let Some(passage) = passage.filter(|passage| (passage.from..=passage.to).contains(&offset)) else { return offset };
    let byte = byte_of_offset(&passage.text, offset - passage.from);
    let rest = &passage.text[byte..];
    let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
    offset.saturating_add(u32::try_from(line.encode_utf16().count()).unwrap_or(u32::MAX))
}

/// A mention with the rest of its sentence; `None` if the passage was replaced meanwhile.
fn mention_in(passage: &Passage, mention: MentionAt) -> Option<Mention> {
    let (text, MentionAt { from, to, .. }) = (passage.text.as_str(), mention);
    let byte = |offset: u32| Some(byte_of_offset(text, offset.checked_sub(passage.from)?));
    let range = byte(from)?..byte(to)?;
    let sentence = sentence_range(text, &range);
    let before = palimpsest_text::last_chars(&text[sentence.start..range.start], MAX_CONTEXT);
    let after: String = text[range.end..sentence.end].chars().take(MAX_CONTEXT).collect();
    Some(Mention {
        range: MentionRange { chapter_id: passage.chapter_id.clone(), from, to },
        before: in_one_line(before),
        text: in_one_line(&text[range]),
        after: in_one_line(&after),
    })
}

/// A text in one line; white space at its ends stays, as one space.
fn in_one_line(text: &str) -> String {
    let line = single_spaced(text);
    let space = |is_there: bool| if is_there && !line.is_empty() { " " } else { "" };
    let (starts, ends) = (text.starts_with(char::is_whitespace), text.ends_with(char::is_whitespace));
    format!("{}{line}{}", space(starts), space(ends))
}
