//! The story in a prompt: the cards of the entities around the position, gathered for the pure part that chooses them.

use std::{collections::HashMap, sync::Arc};

use palimpsest_reader::passages::{VERSION, passages};

use super::{Engine, story::up_to};
use crate::{
    context::BookPassage,
    error::{OrLog, Result},
    model::{
        AssembleRequest, Canon, ChapterId, DegradedCode, DegradedReason, Position, Project, ProjectId, StoredEntity,
    },
    storage::{passages as stored_passages, tagged_passages},
    story::{Around, ChapterText, FormAt, FormMatcher, PromptPosition, StoryCard, prompt_cards},
};

/// Characters before the position in which a name counts as named.
const NAMED_CHARS: usize = 600;
/// Characters before the position of which the last two passages are taken.
const PRESENT_CHARS: usize = 3_000;
/// Maximum number of books whose mentions are kept.
const MAX_KEPT_BOOKS: usize = 4;

/// The mentions of the writer's entities in a few books, by chapter.
#[derive(Default)]
pub(super) struct KeptMentions(crate::lock::Mutex<Vec<BookMentions>>);

/// The mentions in one book.
struct BookMentions {
    project_id: ProjectId,
    matcher: Arc<FormMatcher>,
    /// By chapter: the hash of its text, and the forms in it.
    chapters: HashMap<ChapterId, (String, Arc<Vec<FormAt>>)>,
}

impl KeptMentions {
    /// Forgets the mentions in a book, or with `None` in all.
    pub(super) fn forget_mentions(&self, project_id: Option<&ProjectId>) {
        self.0.lock().retain(|book| project_id.is_some_and(|project_id| book.project_id != *project_id));
    }

    /// The matcher of these entities, and the chapters that it has matched.
    fn take(&self, project_id: &ProjectId, entities: &[StoredEntity]) -> BookMentions {
        let mut kept = self.0.lock();
        let known = kept.iter().position(|book| book.project_id == *project_id).map(|number| kept.remove(number));
        drop(kept);
        known.filter(|book| book.matcher.is_of(entities)).unwrap_or_else(|| BookMentions {
            project_id: project_id.clone(),
            matcher: Arc::new(FormMatcher::new(entities)),
            chapters: HashMap::new(),
        })
    }

    fn keep_mentions(&self, book: BookMentions) {
        let mut kept = self.0.lock();
        kept.retain(|other| other.project_id != book.project_id);
        if kept.len() >= MAX_KEPT_BOOKS {
            kept.remove(0);
        }
        kept.push(book);
    }
}

/// The story for a prompt, and the parts of it that could not be read.
#[derive(Default)]
pub(super) struct StoryPart {
    pub(super) cards: Vec<StoryCard>,
    pub(super) passages: Vec<BookPassage>,
    pub(super) degraded_reasons: Vec<DegradedReason>,
}

impl Engine {
    /// The cards of a prompt, and the passages of the book for the text around the position. Without `episodes.db` they
    /// are those of the entities that the text around the position names; without `rules.db` the writer's word is that
    /// of the last reading or of a backup.
    pub(super) fn story_part(
        &self,
        project: &Project,
        request: &AssembleRequest,
        order: &[ChapterId],
        text: &str,
    ) -> StoryPart {
        let (canon, is_current) = self.canon(&project.project_id);
        let at = position_of(request);
        let mut part = StoryPart::default();
        let passages = self.book_passages(request, order, &at, text).or_log("find passages of the book");
        match passages {
            Some(passages) => part.passages = passages,
            None => {
                let why = "passages of the book could not be read";
                part.degraded_reasons.push(DegradedReason::new(DegradedCode::StoryUnavailable, why));
            }
        }
        if !is_current {
            let why = "the story of the writer is that of the last reading";
            part.degraded_reasons.push(DegradedReason::new(DegradedCode::StoryFromBackup, why));
        }
        if canon.entities.is_empty() {
            return part;
        }
        let mut book = self.story.mentions.take(&project.project_id, &canon.entities);
        let kept = self.match_chapters(&canon, &mut book, order, &at).or_log("match the names of the story");
        if kept.is_none() && part.degraded_reasons.is_empty() {
            let why = "where the book mentions its entities could not be read";
            part.degraded_reasons.push(DegradedReason::new(DegradedCode::StoryUnavailable, why));
        }
        let kept = kept.unwrap_or_default();
        let selection = request.selection.as_deref().unwrap_or_default();
        let mut named = book.matcher.forms_in_text(palimpsest_text::last_chars(&request.before, NAMED_CHARS));
        named.extend(book.matcher.forms_in_text(selection));
        let around = Around {
            named,
            present: book.matcher.forms_in_text(last_passages(&request.before)),
            recalled: part.passages.iter().flat_map(|passage| book.matcher.forms_in_text(&passage.text)).collect(),
            chapters: kept.iter().map(|forms| forms.as_slice()).collect(),
        };
        part.cards = prompt_cards(&canon, PromptPosition { order, at: &at }, &around);
        self.story.mentions.keep_mentions(book);
        part
    }

    /// The cards for a text and for passages of the book as of a position, those of the entities that the text names
    /// first.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn cards_around(
        &self,
        project_id: &ProjectId,
        (order, at): (&[ChapterId], &Position),
        text: &str,
        passages: &[&str],
    ) -> Result<Vec<StoryCard>> {
        let (canon, _) = self.canon(project_id);
        if canon.entities.is_empty() {
            return Ok(Vec::new());
        }
        let mut book = self.story.mentions.take(project_id, &canon.entities);
        let matched = self.match_chapters(&canon, &mut book, order, at);
        let cards = matched.map(|chapters| {
            let around = Around {
                named: book.matcher.forms_in_text(text),
                present: Vec::new(),
                recalled: passages.iter().flat_map(|passage| book.matcher.forms_in_text(passage)).collect(),
                chapters: chapters.iter().map(|forms| forms.as_slice()).collect(),
            };
            prompt_cards(&canon, PromptPosition { order, at }, &around)
        });
        self.story.mentions.keep_mentions(book);
        cards
    }

    /// The forms in each chapter up to the position. A chapter is matched again only after it has changed.
    fn match_chapters(
        &self,
        canon: &Canon,
        book: &mut BookMentions,
        order: &[ChapterId],
        at: &Position,
    ) -> Result<Vec<Arc<Vec<FormAt>>>> {
        if !order.contains(&at.chapter_id) || canon.entities.iter().all(|entity| entity.names.is_empty()) {
            return Ok(Vec::new());
        }
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let hashes = stored_passages::analyzed_chapters(&reader, &book.project_id, VERSION)?;
        let mut forms = Vec::new();
        for (chapter_id, _) in up_to(order, Some(at))? {
            let hash = hashes.get(chapter_id);
            let known = book.chapters.get(chapter_id).filter(|(known, _)| Some(known) == hash);
            if let Some((_, known)) = known {
                forms.push(Arc::clone(known));
                continue;
            }
            let texts = tagged_passages::in_chapter(&reader, &book.project_id, chapter_id)?;
            let here =
                Arc::new(book.matcher.forms_in_chapter(&ChapterText::without_words(chapter_id.clone(), &texts, None)));
            // One whose passages are being replaced has no hash: it is matched again the next time.
            if let Some(hash) = hash {
                book.chapters.insert(chapter_id.clone(), (hash.clone(), Arc::clone(&here)));
            }
            forms.push(here);
        }
        Ok(forms)
    }
}

/// The position of a prompt: the end of the text before it.
fn position_of(request: &AssembleRequest) -> Position {
    let length = || u32::try_from(request.before.encode_utf16().count()).unwrap_or(u32::MAX);
    Position { chapter_id: request.chapter_id.clone(), offset: request.offset.unwrap_or_else(length) }
}

/// The last two passages of a text.
fn last_passages(before: &str) -> &str {
    let end = palimpsest_text::last_chars(before, PRESENT_CHARS);
    let split = passages(end);
    split.iter().rev().nth(1).or(split.first()).map_or(end, |passage| &end[passage.range.start..])
}
