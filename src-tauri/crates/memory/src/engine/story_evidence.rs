//! The evidence of names in the chapters of a book, kept in memory, so that the names as of a position do not wait
//! until the chapters before it are read again.
//!
//! A chapter is read once, and again when its passages or their words change. As of a position only the chapter of the
//! position is read, up to there.

use std::{collections::HashMap, sync::Arc};

use palimpsest_reader::names::ChapterKey;
use rusqlite::Connection;

use super::Engine;
use crate::{
    error::Result,
    lock::{Mutex, Rank},
    model::{ChapterId, Language, Project, ProjectId},
    storage::tagged_passages,
    story::{BookNames, BookText, ChapterText, NameEvidence, Names},
};

/// Maximum bytes of the evidence of all books, about. Of a book that needs more nothing is kept.
const MAX_BYTES: usize = 192 << 20;

/// The evidence of the books that were asked for last.
#[derive(Default)]
pub(super) struct KeptEvidence(Mutex<Vec<KeptBook>>);

struct KeptBook {
    project_id: ProjectId,
    /// Bytes when it was used last.
    size: usize,
    evidence: Arc<Mutex<BookEvidence>>,
}

impl KeptEvidence {
    /// Forgets the evidence of a book, or with `None` of all.
    pub(super) fn forget_evidence(&self, project_id: Option<&ProjectId>) {
        self.0.lock().retain(|book| project_id.is_some_and(|project_id| book.project_id != *project_id));
    }

    /// The evidence of a book, which becomes the one that was used last.
    fn of_book(&self, Project { project_id, language, .. }: &Project) -> Arc<Mutex<BookEvidence>> {
        let mut kept = self.0.lock();
        let known = kept.iter().position(|book| book.project_id == *project_id).map(|number| kept.remove(number));
        let book = known.unwrap_or_else(|| KeptBook {
            project_id: project_id.clone(),
            size: 0,
            evidence: Arc::new(Mutex::new(Rank::Evidence, BookEvidence::new(*language))),
        });
        let evidence = Arc::clone(&book.evidence);
        kept.push(book);
        evidence
    }

    /// Notes how large the evidence of a book is, and forgets what was used longest ago until all fits.
    fn note_size(&self, evidence: &Arc<Mutex<BookEvidence>>, size: usize) {
        let mut kept = self.0.lock();
        if let Some(book) = kept.iter_mut().find(|book| Arc::ptr_eq(&book.evidence, evidence)) {
            book.size = size;
        }
        let mut all: usize = kept.iter().map(|book| book.size).sum();
        while all > MAX_BYTES && !kept.is_empty() {
            all -= kept.remove(0).size;
        }
    }
}

/// The evidence of one book.
struct BookEvidence {
    language: Language,
    chapters: HashMap<ChapterId, KeptChapter>,
    names: NameEvidence,
}

/// A chapter with its text.
struct KeptChapter {
    key: ChapterKey,
    /// The numbers of changes of the book when it was compared with the stored passages.
    checked: (u64, u64),
    /// Without words.
    text: Arc<ChapterText>,
}

impl BookEvidence {
    fn new(language: Language) -> Self {
        Self { language, chapters: HashMap::new(), names: NameEvidence::new(language) }
    }

    /// The chapter as it is stored. `changes` are the present numbers of changes of the book.
    fn chapter(
        &mut self,
        db: &Connection,
        project: &Project,
        chapter_id: &ChapterId,
        changes: (u64, u64),
    ) -> Result<(ChapterKey, Arc<ChapterText>)> {
        if let Some(kept) = self.chapters.get(chapter_id).filter(|kept| kept.checked == changes) {
            return Ok((kept.key, Arc::clone(&kept.text)));
        }
        let key = tagged_passages::chapter_key(db, &project.project_id, chapter_id)?;
        if let Some(kept) = self.chapters.get_mut(chapter_id).filter(|kept| kept.key == key) {
            kept.checked = changes;
            return Ok((key, Arc::clone(&kept.text)));
        }
        let passages = tagged_passages::in_chapter(db, &project.project_id, chapter_id)?;
        let mut text = ChapterText::new(chapter_id.clone(), &passages, None, project.language);
        let words = text.take_words();
        self.names.read_chapter(key, &text.text, &words);
        let text = Arc::new(text);
        let kept = KeptChapter { key, checked: changes, text: Arc::clone(&text) };
        if let Some(before) = self.chapters.insert(chapter_id.clone(), kept) {
            self.names.forget_chapter(before.key);
        }
        Ok((key, text))
    }

    fn forget_chapter(&mut self, chapter_id: &ChapterId) {
        if let Some(kept) = self.chapters.remove(chapter_id) {
            self.names.forget_chapter(kept.key);
        }
    }

    /// Forgets the chapters that are no longer in the book.
    fn retain(&mut self, order: &[ChapterId]) {
        if self.chapters.len() > order.len() {
            let gone: Vec<ChapterId> = self.chapters.keys().filter(|id| !order.contains(id)).cloned().collect();
            gone.iter().for_each(|chapter_id| self.forget_chapter(chapter_id));
        }
    }

    fn size(&self) -> usize {
        self.names.size() + self.chapters.values().map(|kept| kept.text.text.len()).sum::<usize>()
    }
}

impl Engine {
    /// The names in chapters, of which the last may end at an offset, and whether the tagger has not read some of them.
    /// `changes` are the numbers of changes of the book before any of it was read.
    pub(super) fn detect_names(
        &self,
        project: &Project,
        names: &Names<'_>,
        parts: &[(&ChapterId, Option<u32>)],
        changes: (u64, u64),
    ) -> Result<(BookNames, bool)> {
        let kept = self.story.evidence.of_book(project);
        let mut book = kept.lock();
        if book.language != project.language {
            *book = BookEvidence::new(project.language);
        }
        book.retain(names.order);
        let (mut keys, mut chapters) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
        let mut is_cut = false;
        {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            for (chapter_id, until) in parts {
                let (mut key, mut whole) = book.chapter(&reader, project, chapter_id, changes)?;
                let Some(until) = until else {
                    keys.push(key);
                    chapters.push(whole);
                    continue;
                };
                let cut = loop {
                    if !whole.has_untagged {
                        break whole.cut_at(*until, book.names.words(key));
                    }
                    // The words of what the tagger has not read depend on where the text ends.
                    let passages = tagged_passages::in_chapter(&reader, &project.project_id, chapter_id)?;
                    let cut = ChapterText::new((*chapter_id).clone(), &passages, Some(*until), project.language);
                    if whole.text.starts_with(&*cut.text) {
                        break cut;
                    }
                    // Its passages are being replaced.
                    book.forget_chapter(chapter_id);
                    (key, whole) = book.chapter(&reader, project, chapter_id, changes)?;
                };
                keys.push(key);
                is_cut = true;
                chapters.push(Arc::new(cut));
            }
        }
        let has_untagged = chapters.iter().any(|chapter| chapter.has_untagged);
        let found = names.detect(BookText { chapters: &chapters, evidence: &mut book.names, keys: &keys, is_cut });
        if book.size() > MAX_BYTES / 2 {
            book.names.shrink();
        }
        let size = book.size();
        drop(book);
        self.story.evidence.note_size(&kept, size);
        Ok((found, has_untagged))
    }
}
