//! The analysis of manuscripts: chapters are split into passages, in the background after each change, or on request.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, channel},
    },
};

use palimpsest_manuscript::{Chapter, MAX_CHAPTER_BYTES, content_hash};
use palimpsest_memory::{
    Engine, ListedChapters, SavedText,
    model::{Change, Changed, ChapterId, FoundPassages, Language, PassageQuery, ProjectId, SplitChapter, Topic},
};
use palimpsest_reader::passages;
use palimpsest_tagger::{MODEL as TAGGER, Tagger};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    Api,
    books::{self, OpenBook},
    dto::{ProjectArguments, saturating_u32},
    error::{ApiError, OrLog, manuscript},
    events::{self, AnalysisProgress, AnalysisStep, EventSink},
    supervise::{JoinedThread, Supervisor, Task},
    tagger,
};

/// The most chapters of one request.
const MAX_CHAPTERS: usize = 5_000;

/// Analyzes a book now.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AnalyzeBook {
    pub project_id: ProjectId,
    /// The chapters of a book in another editor: those that changed, or all. Refused for a book in a folder, whose
    /// files are read.
    #[specta(optional)]
    pub chapters: Option<Vec<ChapterToAnalyze>>,
    /// Whether `chapters` are the whole book, so that passages of other chapters are deleted. Default `false`.
    #[specta(optional)]
    pub is_whole: Option<bool>,
}

/// A chapter of a book in another editor.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ChapterToAnalyze {
    pub chapter_id: ChapterId,
    /// The whole text, at most 16 MB, as of a file.
    pub text: String,
}

impl std::fmt::Debug for ChapterToAnalyze {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChapterToAnalyze").field("chapter_id", &self.chapter_id).finish_non_exhaustive()
    }
}

/// The state of the analysis of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnalysisStatus {
    /// Number of chapters of the book; of one in another editor, of the known ones.
    pub chapters: u32,
    /// Number of chapters whose passages are those of their present text.
    pub analyzed: u32,
    /// Number of passages.
    pub passages: u32,
    /// Number of passages of a Chinese book that the tagger has not read yet.
    pub untagged: u32,
    /// Whether this is a Chinese book and the files of the tagger are missing or damaged: names are then found by
    /// surnames and titles only.
    pub is_tagger_missing: bool,
}

/// Splits the chapters of books, and stores their passages, with their words in a Chinese book.
#[derive(Clone)]
pub(crate) struct Analysis {
    engine: Arc<Engine>,
    events: EventSink,
    /// The folder of the Chinese tagger.
    tagger: Option<PathBuf>,
    /// Whether the tagger could not be loaded when it was needed last.
    is_tagger_missing: Arc<AtomicBool>,
    /// Held by the analysis under way: two of one chapter would store its passages twice.
    turn: Arc<Mutex<()>>,
}

/// A book that has changed.
struct Job {
    project_id: ProjectId,
    book: Weak<OpenBook>,
}

/// The thread of the analysis. Dropping it stops the work and waits for the chapter under way, so that the data folder
/// is free afterwards.
pub(crate) struct Analyzer {
    analysis: Analysis,
    /// `None` once it is dropped.
    jobs: Option<Sender<Job>>,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinedThread>,
}

impl Analyzer {
    /// Starts the thread. `after_book` is called after each book whose passages have changed.
    pub(crate) fn start(
        engine: &Arc<Engine>,
        events: &EventSink,
        tagger: Option<PathBuf>,
        supervisor: &Supervisor,
        after_book: impl Fn() + Send + 'static,
    ) -> Self {
        let analysis = Analysis {
            engine: Arc::clone(engine),
            events: Arc::clone(events),
            is_tagger_missing: Arc::new(AtomicBool::new(tagger.is_none())),
            tagger,
            turn: Arc::default(),
        };
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (jobs, waiting) = channel::<Job>();
        let (work, stopped, supervised) = (analysis.clone(), Arc::clone(&is_stopped), supervisor.clone());
        let thread = supervisor.start(Task::Analysis, move || {
            while let Ok(job) = waiting.recv() {
                // Several changes of a book are one job.
                let mut jobs = vec![job];
                for more in waiting.try_iter() {
                    if jobs.iter().all(|job| job.project_id != more.project_id) {
                        jobs.push(more);
                    }
                }
                for Job { project_id, book } in jobs {
                    let Some(book) = book.upgrade().filter(|_| !stopped.load(Ordering::SeqCst)) else { continue };
                    let analyzed = supervised.run(Task::Analysis, || work.run(&project_id, &book, &stopped));
                    // A book that cannot be analyzed now is analyzed after its next change.
                    if analyzed.and_then(|analyzed| analyzed.or_log("analyze a book")) == Some(true) {
                        after_book();
                    }
                }
            }
        });
        Self { analysis, jobs: Some(jobs), is_stopped, thread: Some(JoinedThread::new(thread)) }
    }

    /// Analyzes what has changed in a book, later.
    pub(crate) fn submit(&self, project_id: &ProjectId, book: &Arc<OpenBook>) {
        let job = Job { project_id: project_id.clone(), book: Arc::downgrade(book) };
        // A thread that has ended takes no more jobs.
        if let Some(jobs) = &self.jobs {
            jobs.send(job).ok();
        }
    }
}

impl Drop for Analyzer {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.jobs = None;
        self.thread = None;
    }
}

impl Analysis {
    /// Stores the passages of all chapters that have changed since they were stored; returns whether there were any.
    ///
    /// # Errors
    /// Those of the manuscript and of the memory. Chapters analyzed until then are stored.
    fn run(&self, project_id: &ProjectId, book: &OpenBook, is_stopped: &AtomicBool) -> Result<bool, ApiError> {
        let _turn = self.turn.lock();
        let analyzed = self.analyze(project_id, book, is_stopped);
        if analyzed.is_err() || is_stopped.load(Ordering::SeqCst) {
            // The progress ends also where the analysis does not come to its end.
            self.report(project_id, AnalysisStep::Chapters, 0, 0);
        }
        analyzed
    }

    fn analyze(&self, project_id: &ProjectId, book: &OpenBook, is_stopped: &AtomicBool) -> Result<bool, ApiError> {
        let listed: Vec<_> = {
            let mut book = book.lock();
            book.refresh(&mut || self.engine.new_id()).map_err(manuscript)?;
            book.chapters().iter().map(|chapter| (chapter.chapter_id.clone(), chapter.content_hash.clone())).collect()
        };
        let ids: Vec<ChapterId> = listed.iter().map(|(id, _)| books::from_book(id)).collect();
        let mut has_changed = self.engine.retain_passages(project_id, &ids)?;
        let analyzed = self.engine.analyzed_chapters(project_id, passages::VERSION)?;
        let is_changed =
            |(id, hash): &(&ChapterId, &Option<String>)| hash.is_some() && hash.as_ref() != analyzed.get(*id);
        let changed: Vec<&ChapterId> =
            ids.iter().zip(listed.iter().map(|(_, hash)| hash)).filter(is_changed).map(|(id, _)| id).collect();
        let total = saturating_u32(changed.len());
        for (chapter_id, done) in changed.into_iter().zip(1..) {
            if is_stopped.load(Ordering::SeqCst) {
                break;
            }
            // The book is locked while one chapter is read, and not while it is stored.
            let read = book.lock().read(&books::in_book(chapter_id)).map_err(manuscript);
            // A chapter that cannot be read keeps its passages, and is read again after the next change.
            if let Some(read) = read.or_log("read a chapter") {
                has_changed |= self.store(project_id, chapter_id, &read.text, &read.content_hash)?;
            }
            self.report(project_id, AnalysisStep::Chapters, done, total);
        }
        let list = || {
            let book = book.lock();
            let hash = |chapter: &Chapter| chapter.content_hash.clone().unwrap_or_default();
            let listed = book.chapters().iter();
            Ok(listed.map(|chapter| (books::from_book(&chapter.chapter_id), hash(chapter))).collect())
        };
        let read = |chapter_id: &ChapterId| {
            let read = book.lock().read(&books::in_book(chapter_id)).map_err(manuscript);
            let read = read.or_log("read a cited chapter")?;
            Some(SavedText { text: read.text, content_hash: read.content_hash })
        };
        let has_followed = self.engine.follow_citations(project_id, list, read).or_log("follow citations");
        self.follow_answers(project_id, list, read);
        // The passages can be searched before their words are there.
        self.announce(project_id, has_changed || has_followed == Some(true));
        let has_words = self.store_words(project_id, is_stopped)?;
        self.announce(project_id, has_words);
        if !is_stopped.load(Ordering::SeqCst) {
            self.engine.prepare_names(project_id, &ids).or_log("prepare the names of a book");
        }
        Ok(has_changed)
    }

    /// Stores the words of the passages of a Chinese book that the tagger has not read; returns whether there were any.
    /// The tagger is in memory only meanwhile.
    ///
    /// # Errors
    /// Those of the memory. The words stored until then stay.
    fn store_words(&self, project_id: &ProjectId, is_stopped: &AtomicBool) -> Result<bool, ApiError> {
        if self.engine.known_project(project_id)?.language != Language::Zh {
            return Ok(false);
        }
        let mut untagged = self.engine.untagged_passages(project_id, TAGGER)?;
        if untagged.is_empty() {
            return Ok(false);
        }
        let loaded = self.tagger.as_deref().map(Tagger::load).transpose();
        self.is_tagger_missing.store(!matches!(loaded, Ok(Some(_))), Ordering::SeqCst);
        let Some(tagger) = loaded.or_log("load the tagger").flatten() else { return Ok(false) };
        let total = self.engine.count_untagged(project_id, TAGGER)?;
        let mut done = 0_u32;
        while !untagged.is_empty() && !is_stopped.load(Ordering::SeqCst) {
            let words: Vec<_> =
                untagged.iter().map(|passage| (passage.row, tagger::tagged_words(&tagger, &passage.text))).collect();
            self.engine.store_words(project_id, TAGGER, &words)?;
            done = done.saturating_add(saturating_u32(words.len()));
            self.report(project_id, AnalysisStep::Passages, done, total.max(done));
            untagged = self.engine.untagged_passages(project_id, TAGGER)?;
        }
        Ok(true)
    }

    /// Stores the passages of given chapters; returns whether any has changed.
    ///
    /// # Errors
    /// Those of the memory. Chapters before the failing one are stored.
    fn run_on(&self, project_id: &ProjectId, chapters: &[ChapterToAnalyze], is_whole: bool) -> Result<bool, ApiError> {
        let _turn = self.turn.lock();
        let mut has_changed = false;
        if is_whole {
            let ids: Vec<ChapterId> = chapters.iter().map(|chapter| chapter.chapter_id.clone()).collect();
            has_changed = self.engine.retain_passages(project_id, &ids)?;
        }
        for (chapter, done) in chapters.iter().zip(1..) {
            let content_hash = content_hash(chapter.text.as_bytes());
            has_changed |= self.store(project_id, &chapter.chapter_id, &chapter.text, &content_hash)?;
            self.report(project_id, AnalysisStep::Chapters, done, saturating_u32(chapters.len()));
        }
        // Chapters that were not given are in the book, and their citations stay as they are.
        let hash = |id: &ChapterId| {
            let given = chapters.iter().find(|given| given.chapter_id == *id);
            given.map(|given| content_hash(given.text.as_bytes())).unwrap_or_default()
        };
        let list = || {
            let order = self.engine.analyzed_order(project_id)?;
            Ok(order.into_iter().map(|id| (id.clone(), hash(&id))).collect())
        };
        let read = |id: &ChapterId| {
            let given = chapters.iter().find(|given| given.chapter_id == *id);
            given.map(|given| SavedText { content_hash: content_hash(given.text.as_bytes()), text: given.text.clone() })
        };
        let has_followed = self.engine.follow_citations(project_id, list, read).or_log("follow citations");
        self.follow_answers(project_id, list, read);
        let has_words = self.store_words(project_id, &AtomicBool::new(false))?;
        self.announce(project_id, has_changed || has_words || has_followed == Some(true));
        Ok(has_changed)
    }

    fn store(
        &self,
        project_id: &ProjectId,
        chapter_id: &ChapterId,
        text: &str,
        content_hash: &str,
    ) -> Result<bool, ApiError> {
        let passages: Vec<_> = passages::passages(text).into_iter().map(|passage| passage.range).collect();
        let split = SplitChapter { chapter_id, text, content_hash, passages: &passages, version: passages::VERSION };
        Ok(self.engine.replace_passages(project_id, &split)?.is_some())
    }

    fn report(&self, project_id: &ProjectId, step: AnalysisStep, done: u32, total: u32) {
        let progress = AnalysisProgress { project_id: project_id.clone(), step, done, total };
        events::emit(&self.events, events::ANALYSIS_PROGRESS, &progress);
    }

    /// Follows the citations of answers. What cannot be followed now is followed after the next change.
    fn follow_answers(
        &self,
        project_id: &ProjectId,
        list: impl FnOnce() -> Result<ListedChapters, ApiError>,
        read: impl FnMut(&ChapterId) -> Option<SavedText>,
    ) {
        let followed = self.engine.follow_answers(project_id, list, read).or_log("follow citations of answers");
        if let Some(Changed { change, .. }) = followed.filter(|followed| !followed.change.what.is_empty()) {
            events::emit(&self.events, events::MEMORY_CHANGED, &change);
        }
    }

    fn announce(&self, project_id: &ProjectId, has_changed: bool) {
        if has_changed {
            let change = Change { project_id: Some(project_id.clone()), what: vec![Topic::Story] };
            events::emit(&self.events, events::MEMORY_CHANGED, &change);
        }
    }
}

impl Api {
    /// Analyzes what has changed in the open books, later: a restored memory has no passages.
    pub(crate) fn analyze_open_books(&self) {
        for (project_id, book) in self.books.lock().iter() {
            self.analyzer.submit(project_id, book);
        }
    }

    pub(crate) fn story_analyze(&self, args: AnalyzeBook) -> Result<AnalysisStatus, ApiError> {
        let AnalyzeBook { project_id, chapters, is_whole } = args;
        let has_folder = self.engine.known_project(&project_id)?.path.is_some();
        let has_changed = match chapters {
            Some(_) if has_folder => {
                return Err(ApiError::invalid("chapters", "the files of this book are read from its folder"));
            }
            Some(chapters) => {
                check_chapters(&chapters)?;
                self.analyzer.analysis.run_on(&project_id, &chapters, is_whole == Some(true))?
            }
            None => {
                let book = self.book(&project_id)?;
                self.analyzer.analysis.run(&project_id, &book, &AtomicBool::new(false))?
            }
        };
        if has_changed {
            self.indexer.wake();
        }
        self.story_status(ProjectArguments { project_id })
    }

    pub(crate) fn story_status(&self, args: ProjectArguments) -> Result<AnalysisStatus, ApiError> {
        let project_id = args.project_id;
        let analyzed = self.engine.analyzed_chapters(&project_id, passages::VERSION)?;
        let passages = self.engine.count_passages(&project_id)?;
        let project = self.engine.known_project(&project_id)?;
        let is_chinese = project.language == Language::Zh;
        let untagged = if is_chinese { self.engine.count_untagged(&project_id, TAGGER)? } else { 0 };
        let is_tagger_missing = is_chinese && self.analyzer.analysis.is_tagger_missing.load(Ordering::SeqCst);
        let status =
            |chapters: u32, analyzed: u32| AnalysisStatus { chapters, analyzed, passages, untagged, is_tagger_missing };
        if project.path.is_none() {
            let analyzed = saturating_u32(analyzed.len());
            return Ok(status(analyzed, analyzed));
        }
        let open = self.book(&project_id)?;
        let book = open.lock();
        let is_analyzed = |chapter: &&Chapter| {
            chapter.content_hash.is_some()
                && analyzed.get(&books::from_book(&chapter.chapter_id)) == chapter.content_hash.as_ref()
        };
        let done = book.chapters().iter().filter(is_analyzed).count();
        Ok(status(saturating_u32(book.chapters().len()), saturating_u32(done)))
    }

    pub(crate) fn story_find(&self, query: PassageQuery) -> Result<FoundPassages, ApiError> {
        self.engine.find_passages(&query)
    }
}

fn check_chapters(chapters: &[ChapterToAnalyze]) -> Result<(), ApiError> {
    if chapters.len() > MAX_CHAPTERS {
        return Err(ApiError::invalid("chapters", format!("more than {MAX_CHAPTERS} of them")));
    }
    let mut ids = HashSet::new();
    for (n, chapter) in chapters.iter().enumerate() {
        if chapter.text.len() as u64 > MAX_CHAPTER_BYTES {
            return Err(ApiError::invalid(format!("chapters[{n}].text"), "longer than 16 MB"));
        }
        if !ids.insert(&chapter.chapter_id) {
            return Err(ApiError::invalid(format!("chapters[{n}].chapterId"), "listed twice"));
        }
    }
    Ok(())
}
