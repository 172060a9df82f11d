//! Books and chapters: the manuscript on disk, together with the marks of its passages in the memory.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard};

use palimpsest_files::{Error as FileError, Protected, check_destination};
use palimpsest_manuscript::{
    Book as Manuscript, Change, ChapterId as ChapterInBook, Error as ManuscriptError, OpenOptions, Watch,
    adopt_new_ids, book_id, detect_language, origins, set_aside_id_file,
};
use palimpsest_memory::{
    Code,
    model::{ChapterId, Language, OriginMark, Project, ProjectId, Reason},
};
use palimpsest_text::{count, paragraphs};

use crate::{
    Api,
    dto::{
        Book, ChapterArguments, ChapterInfo, ChapterList, ChapterText, CopiedAs, CreateChapter, CreateProject,
        EarlierReason, OpenAnswer, OpenProject, OpenSample, OpenStatus, OriginAt, ProjectArguments, RenameChapter,
        SoftBreakAt, WriteChapter, Written, saturating_u32,
    },
    error::{ApiError, OrLog, log_failure, manuscript},
    events, sample_book,
    supervise::Task,
};

/// The projects whose folders are open.
pub(crate) type OpenBooks = Mutex<HashMap<ProjectId, Arc<OpenBook>>>;

/// A project whose folder is open.
pub(crate) struct OpenBook {
    manuscript: Mutex<Manuscript>,
    /// Held while the project is open. Without it, outside changes are noticed at the next read or save.
    watch: Mutex<Option<Watch>>,
    /// Chapters last read while the memory could not return their marks. An editor that writes one of them does not
    /// know the marks, and reports none.
    unmarked: Mutex<HashSet<ChapterId>>,
}

impl OpenBook {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Manuscript> {
        // Every step of a manuscript leaves it consistent.
        self.manuscript.lock()
    }

    fn unmarked(&self) -> MutexGuard<'_, HashSet<ChapterId>> {
        self.unmarked.lock()
    }
}

impl Api {
    pub(crate) fn project_open(&self, args: OpenProject) -> Result<OpenAnswer, ApiError> {
        let folder = canonical_folder(&args.path)?;
        self.check_outside_the_memory(&folder)?;
        let mut id = stored_book_id(&folder)?.map(ProjectId::from);
        if let Some(known) = id.as_ref().and_then(|id| self.known_elsewhere(id, &folder)) {
            match args.copied_as {
                None => {
                    return Ok(OpenAnswer {
                        status: OpenStatus::Copied,
                        book: None,
                        copied_from: known.path,
                        known_title: Some(known.title),
                    });
                }
                Some(CopiedAs::NewBook) => {
                    id = Some(adopt_new_ids(&folder, &mut || self.engine.new_id()).map_err(manuscript)?.into());
                }
                Some(CopiedAs::SameBook) => {}
            }
        }
        let book = self.open_folder(&folder, None, None, id.as_ref())?;
        self.begin_session(&book.project.project_id);
        Ok(OpenAnswer { status: OpenStatus::Opened, book: Some(book), copied_from: None, known_title: None })
    }

    pub(crate) fn project_sample(&self, args: OpenSample) -> Result<Book, ApiError> {
        let (folder, title) = sample_book::unpack(&self.data_dir, args.language).map_err(|error| {
            ApiError::new(Code::WriteFailed, format!("no sample book: {}", error.kind())).caused_by(error)
        })?;
        let book = self.open_folder(&folder, Some(title), Some(args.language), None)?;
        self.begin_session(&book.project.project_id);
        Ok(book)
    }

    pub(crate) fn project_create(&self, args: CreateProject) -> Result<Project, ApiError> {
        let CreateProject { title, language, path, project_id } = args;
        if let Some(id) = &project_id
            && (path.is_some() || self.engine.known_project(id).is_ok())
        {
            return Err(ApiError::invalid("projectId", "of a known book, or of a folder that has its own"));
        }
        let Some(path) = path else {
            let id = project_id.unwrap_or_else(|| self.engine.new_id().into());
            return Ok(self.emit_changed(self.engine.open_project(&id, title.trim(), language, None)?));
        };
        let folder = absolute(&path)?;
        self.check_outside_the_memory(&folder)?;
        std::fs::create_dir_all(&folder).map_err(|error| ApiError::invalid("path", error.kind()).caused_by(error))?;
        if stored_book_id(&folder)?.is_some() {
            return Err(ApiError::invalid("path", "there is a book in this folder already; open it"));
        }
        let project = self.open_folder(&folder, Some(title.trim()), Some(language), None)?.project;
        self.begin_session(&project.project_id);
        Ok(project)
    }

    /// Refuses a project folder inside the folder of a memory, where chapters and ids would lie among the databases.
    /// Only the sample books, which are unpacked there, may be opened. `folder` need not exist yet.
    fn check_outside_the_memory(&self, folder: &Path) -> Result<(), ApiError> {
        let is_sample = sample_book::folder(&self.data_dir).canonicalize().is_ok_and(|books| {
            folder.parent().and_then(|parent| parent.canonicalize().ok()).is_some_and(|parent| parent == books)
        });
        if is_sample {
            return Ok(());
        }
        let existing = folder.ancestors().find(|path| path.is_dir()).unwrap_or(folder);
        let protected = Protected { books: Vec::new(), ..self.engine.protected() };
        match check_destination(&existing.join("book"), &protected) {
            Err(error @ FileError::InsideTheMemory) => Err(ApiError::not_written(&error)),
            _ => Ok(()),
        }
    }

    /// The known project with this identity, if its folder is another one than this, or it has none: then an id file
    /// alone does not make this folder that project.
    fn known_elsewhere(&self, project_id: &ProjectId, folder: &Path) -> Option<Project> {
        let known_project = self.engine.projects().into_iter().find(|book| book.project_id == *project_id)?;
        let is_elsewhere = known_project.path.as_ref().map(Path::new).is_none_or(|path| {
            path != folder && book_id(path).is_ok_and(|id| id.as_deref() == Some(project_id.as_str()))
        });
        is_elsewhere.then_some(known_project)
    }

    /// Opens the project in a folder. With `expected` it is an error if the folder is another project: the id file can
    /// have changed since the writer was asked.
    fn open_folder(
        &self,
        folder: &Path,
        title: Option<&str>,
        language: Option<Language>,
        expected: Option<&ProjectId>,
    ) -> Result<Book, ApiError> {
        let path = folder.to_string_lossy().into_owned();
        // Without its id file the project is recognised by its folder.
        let known_project = self.engine.projects().into_iter().find(|book| book.path.as_deref() == Some(path.as_str()));
        let sample_language = |sample: &str| match language {
            Some(language) => language_code(language).to_owned(),
            None => detect_language(sample),
        };
        let mut options = OpenOptions {
            new_id: &mut || self.engine.new_id(),
            language: &sample_language,
            project_id: known_project.as_ref().map(|book| book.project_id.as_str()),
            title,
        };
        let opened = match Manuscript::open(folder, &mut options) {
            // The damaged file is moved aside, not deleted; the folder still identifies the project.
            Err(ManuscriptError::DamagedIdFile) if set_aside_id_file(folder).is_ok() => {
                Manuscript::open(folder, &mut options)
            }
            opened => opened,
        }
        .map_err(manuscript)?;

        let book = opened.book;
        let id = ProjectId::from(book.project_id());
        if expected.is_some_and(|expected| *expected != id) {
            return Err(another_book());
        }
        let language = if book.language() == "zh" { Language::Zh } else { Language::En };
        let project = self.emit_changed(self.engine.open_project(&id, book.title(), language, Some(path))?);
        let open =
            Arc::new(OpenBook { manuscript: Mutex::new(book), watch: Mutex::default(), unmarked: Mutex::default() });
        self.watch(&id, &open);
        self.books.lock().insert(id.clone(), Arc::clone(&open));
        // A failure is tried again before the next change of chapters.
        log_failure("move memories to another chapter", self.finish_earlier_change(&id, &open));
        let chapters = list_chapters(&open.lock());
        self.analyzer.submit(&id, &open);
        Ok(Book { project, chapters })
    }

    fn watch(&self, project_id: &ProjectId, open: &Arc<OpenBook>) {
        let (this, project_id) = (self.this.clone(), project_id.clone());
        let book = Arc::downgrade(open);
        let on_change = move |change: Change| {
            let (Some(api), Some(open)) = (this.upgrade(), book.upgrade()) else {
                return;
            };
            api.analyzer.submit(&project_id, &open);
            // A panic here loses this change, not the watch.
            api.supervisor.run(Task::Watch, || match change {
                Change::List => {
                    // A folder that cannot be listed now is rescanned with the next change.
                    let refreshed = open.lock().refresh(&mut || api.engine.new_id());
                    log_failure("list chapters", refreshed.map_err(manuscript));
                    let payload = events::ProjectChanged { project_id: project_id.clone() };
                    events::emit(&api.events, events::PROJECT_CHANGED, &payload);
                }
                Change::Chapter { chapter_id, content_hash } => {
                    let (project_id, chapter_id) = (project_id.clone(), from_book(&chapter_id));
                    let payload = events::ChapterChanged { project_id, chapter_id, content_hash };
                    events::emit(&api.events, events::CHAPTER_CHANGED, &payload);
                }
            });
        };
        let watch = open.lock().watch(on_change).map_err(manuscript).or_log("watch a book");
        *open.watch.lock() = watch;
    }

    /// Rescans the folder of an open book and returns the book, locked. A text that is seen here first is analyzed: the
    /// watch reports neither a file that is in the list already, nor one that has the text again that it reported last.
    ///
    /// # Errors
    /// Those of the manuscript.
    pub(crate) fn lock_refreshed<'a>(
        &self,
        project_id: &ProjectId,
        open: &'a Arc<OpenBook>,
    ) -> Result<MutexGuard<'a, Manuscript>, ApiError> {
        let mut book = open.lock();
        let refreshed = book.refresh(&mut || self.engine.new_id()).map_err(manuscript)?;
        if refreshed.has_new_text || refreshed.list_changed {
            self.analyzer.submit(project_id, open);
        }
        Ok(book)
    }

    /// The open project; one that was opened in an earlier session is opened again from its folder.
    pub(crate) fn book(&self, project_id: &ProjectId) -> Result<Arc<OpenBook>, ApiError> {
        let project = self.engine.known_project(project_id)?;
        let open = |api: &Self| api.books.lock().get(project_id).map(Arc::clone);
        if let Some(open) = open(self) {
            return Ok(open);
        }
        let Some(path) = project.path else {
            return Err(ApiError::invalid("projectId", "this book's manuscript lives in another editor"));
        };
        self.open_folder(Path::new(&path), None, None, Some(project_id))?;
        open(self).ok_or_else(|| ApiError::not_found("projectId", "project"))
    }

    pub(crate) fn chapter_list(&self, args: ProjectArguments) -> Result<ChapterList, ApiError> {
        let open = self.book(&args.project_id)?;
        let book = self.lock_refreshed(&args.project_id, &open)?;
        Ok(ChapterList { chapters: list_chapters(&book) })
    }

    pub(crate) fn chapter_create(&self, args: CreateChapter) -> Result<ChapterInfo, ApiError> {
        let open = self.book(&args.project_id)?;
        title_fits(&args.title)?;
        let mut book = open.lock();
        let chapter = book.create(&args.title, self.engine.new_id().into()).map_err(manuscript)?;
        self.analyzer.submit(&args.project_id, &open);
        chapter_info(&book, &chapter.chapter_id)
    }

    pub(crate) fn chapter_rename(&self, args: RenameChapter) -> Result<ChapterInfo, ApiError> {
        let open = self.book(&args.project_id)?;
        title_fits(&args.title)?;
        let mut book = open.lock();
        let chapter_id = in_book(&args.chapter_id);
        book.rename(&chapter_id, &args.title).map_err(manuscript)?;
        self.analyzer.submit(&args.project_id, &open);
        chapter_info(&book, &chapter_id)
    }

    pub(crate) fn chapter_read(&self, args: ChapterArguments) -> Result<ChapterText, ApiError> {
        let open = self.book(&args.project_id)?;
        // The memory may serve again. Otherwise the chapter is read without the marks that have not followed.
        log_failure("move memories to another chapter", self.finish_earlier_change(&args.project_id, &open));
        let book = open.lock();
        let chapter_id = in_book(&args.chapter_id);
        let read = book.read(&chapter_id).map_err(manuscript)?;
        let title = book.chapter(&chapter_id).map_err(manuscript)?.title.clone();
        let all = book.chapters().iter().map(|chapter| chapter.chapter_id.clone()).collect();
        drop(book);
        // A chapter opens without its marks when the memory cannot be read.
        let stored = self.engine.origins(&args.project_id, &args.chapter_id).or_log("read origins");
        if stored.is_some() {
            open.unmarked().remove(&args.chapter_id);
        } else {
            open.unmarked().insert(args.chapter_id.clone());
        }
        let stored = stored.unwrap_or_default();
        let ReanchoredMarks { anchored, mut unanchored } = reanchor_marks(&read.text, &stored);
        // After the writer restored the text from before a passage, the missing passage is expected.
        if !unanchored.is_empty() {
            let before = self.generations_after(&args.project_id, &args.chapter_id);
            unanchored.retain(|mark| !before.contains(&mark.generation_id));
        }
        let recovery_copies = self.recovery_copies_for(&args.project_id, &args.chapter_id, &read.text, &all);
        Ok(ChapterText {
            chapter_id: args.chapter_id,
            title,
            soft_breaks: soft_breaks_in(&read.text),
            text: read.text,
            content_hash: read.content_hash,
            origins: anchored,
            unanchored,
            kept: recovery_copies,
        })
    }

    pub(crate) fn chapter_write(&self, args: WriteChapter) -> Result<Written, ApiError> {
        let WriteChapter { project_id, chapter_id, text, base_hash, origins, before: earlier, kept_id } = args;
        let marks = checked_marks(&text, &origins)?;
        let open = self.book(&project_id)?;
        let mut book = open.lock();
        let earlier = earlier.unwrap_or_default();
        let snapshots_saved = self.take_snapshots(&book, &chapter_id, &earlier);
        let going_back = earlier.iter().any(|earlier| earlier.reason == EarlierReason::BeforeRestore);
        let in_book = in_book(&chapter_id);
        let before = book.read(&in_book).map_err(manuscript);
        let content_hash = book.write(&in_book, &text, &base_hash).map_err(manuscript)?;
        self.discard_saved_copy(&project_id, &chapter_id, kept_id.as_deref());
        self.analyzer.submit(&project_id, &open);
        // The text is safe from here on; marks that cannot be saved now are found again by their words. Marks that
        // could not be placed in the previous text are stored too: their words may come back.
        let stored = self.engine.origins(&project_id, &chapter_id);
        let saved = stored.and_then(|stored| {
            let all = if open.unmarked().contains(&chapter_id) {
                merge_marks(marks, reanchor_marks(&text, &stored))
            } else {
                // A restore removes passages that the writer may restore later; a deletion is final.
                let mut lost = if going_back {
                    reanchor_marks(&text, &stored).unanchored
                } else {
                    let before = before.or_log("read a chapter before a save");
                    before.map(|before| reanchor_marks(&before.text, &stored).unanchored).unwrap_or_default()
                };
                // Marks that the editor has found again itself are no longer lost.
                let quote = |mark: &OriginMark| if going_back { String::new() } else { mark.quote_hash.clone() };
                let found: HashSet<(&str, String)> =
                    marks.iter().map(|mark| (mark.generation_id.as_str(), quote(mark))).collect();
                lost.retain(|mark| !found.contains(&(mark.generation_id.as_str(), quote(mark))));
                drop(found);
                marks.into_iter().chain(lost).collect()
            };
            if all == stored { Ok(()) } else { self.engine.set_origins(&project_id, &chapter_id, &all).map(drop) }
        });
        let origins_saved = saved.or_log("save origins").is_some();
        Ok(Written { content_hash, words: count::words(&text), origins_saved, snapshots_saved })
    }

    /// The positions of a chapter's marks in another text of it.
    pub(crate) fn marks_in(&self, project_id: &ProjectId, chapter_id: &ChapterId, text: &str) -> Vec<OriginMark> {
        let stored = self.engine.origins(project_id, chapter_id).or_log("read origins").unwrap_or_default();
        reanchor_marks(text, &stored).anchored
    }
}

/// The marks reported by an editor that did not know the stored ones, merged with all stored ones that do not overlap
/// them.
fn merge_marks(reported: Vec<OriginMark>, stored: ReanchoredMarks) -> Vec<OriginMark> {
    let ReanchoredMarks { anchored, unanchored } = stored;
    // The reported marks are ordered and disjoint: only the first that ends behind a mark's start can overlap it.
    let room = |mark: &OriginMark| {
        let next = reported.partition_point(|other| other.to <= mark.from);
        reported.get(next).is_none_or(|other| mark.to <= other.from)
    };
    let mut all: Vec<OriginMark> = anchored.into_iter().filter(room).collect();
    all.extend(reported);
    all.sort_by_key(|mark| mark.from);
    all.extend(unanchored);
    all
}

struct ReanchoredMarks {
    anchored: Vec<OriginMark>,
    unanchored: Vec<OriginMark>,
}

/// The line ends inside wrapped paragraphs, without those of verse.
fn soft_breaks_in(text: &str) -> Vec<SoftBreakAt> {
    let (mut byte, mut unit) = (0, 0);
    let mut units_at = |at: usize| {
        unit += text.get(byte..at).map_or(0, |words| words.encode_utf16().count());
        byte = at;
        saturating_u32(unit)
    };
    let soft = paragraphs::soft_breaks(text).into_iter().filter(|soft| !soft.replacement.contains('\n'));
    soft.map(|soft| {
        let (from, to) = (units_at(soft.range.start), units_at(soft.range.end));
        SoftBreakAt { from, to, is_spaced: !soft.replacement.is_empty() }
    })
    .collect()
}

/// The positions of stored marks in a text.
fn reanchor_marks(text: &str, stored: &[OriginMark]) -> ReanchoredMarks {
    let ranges: Vec<origins::OriginRange> = stored
        .iter()
        .map(|mark| origins::OriginRange {
            generation_id: mark.generation_id.to_string(),
            from: mark.from,
            to: mark.to,
            quote_hash: mark.quote_hash.clone(),
        })
        .collect();
    let found = origins::reanchor(text, &ranges);
    let mut skills: HashMap<&str, &str> = HashMap::new();
    for mark in stored {
        skills.entry(mark.generation_id.as_str()).or_insert(&mark.skill);
    }
    let skill_of = |id: &str| skills.get(id).map(|skill| (*skill).to_owned()).unwrap_or_default();
    let mark = |range: origins::OriginRange| OriginMark {
        skill: skill_of(&range.generation_id),
        generation_id: range.generation_id.into(),
        from: range.from,
        to: range.to,
        quote_hash: range.quote_hash,
    };
    ReanchoredMarks {
        anchored: found.anchored.into_iter().map(mark).collect(),
        unanchored: found.unanchored.into_iter().map(mark).collect(),
    }
}

/// The marks an editor reports, checked against the text, with the hashes that find them again.
fn checked_marks(text: &str, reported: &[OriginAt]) -> Result<Vec<OriginMark>, ApiError> {
    let quotes = origins::QuoteHasher::new(text);
    let mut end = 0;
    let mut marks = Vec::with_capacity(reported.len());
    for (n, origin) in reported.iter().enumerate() {
        if origin.from < end {
            return Err(ApiError::invalid(format!("origins[{n}]"), "out of order, or over the one before"));
        }
        end = origin.to;
        let quote_hash = quotes
            .hash(origin.from..origin.to)
            .ok_or_else(|| ApiError::invalid(format!("origins[{n}]"), "no range of the text"))?;
        marks.push(OriginMark {
            generation_id: origin.generation_id.clone(),
            skill: String::new(),
            from: origin.from,
            to: origin.to,
            quote_hash,
        });
    }
    Ok(marks)
}

/// A chapter's id for the crate of books, which does not know the memory's types.
pub(crate) fn in_book(chapter_id: &ChapterId) -> ChapterInBook {
    chapter_id.as_str().into()
}

/// A chapter's id for the memory and the wire.
pub(crate) fn from_book(chapter_id: &ChapterInBook) -> ChapterId {
    chapter_id.as_str().into()
}

pub(crate) fn list_chapters(book: &Manuscript) -> Vec<ChapterInfo> {
    book.chapters().iter().filter_map(|chapter| chapter_info(book, &chapter.chapter_id).ok()).collect()
}

pub(crate) fn chapter_info(book: &Manuscript, chapter_id: &ChapterInBook) -> Result<ChapterInfo, ApiError> {
    let chapter = book.chapter(chapter_id).map_err(manuscript)?;
    // A chapter that cannot be read is listed all the same: opening it reports the reason.
    let words = book.read(chapter_id).map_or(0, |read| count::words(&read.text));
    Ok(ChapterInfo {
        chapter_id: from_book(&chapter.chapter_id),
        title: chapter.title.clone(),
        file: chapter.file.clone(),
        words,
        scene_type: book.scene_type(chapter_id).map(str::to_owned),
    })
}

pub(crate) fn title_fits(title: &str) -> Result<(), ApiError> {
    if title.chars().count() > 200 { Err(ApiError::invalid("title", "longer than 200 characters")) } else { Ok(()) }
}

fn language_code(language: Language) -> &'static str {
    match language {
        Language::Zh => "zh",
        Language::En => "en",
    }
}

pub(crate) fn absolute(path: &str) -> Result<PathBuf, ApiError> {
    let path = PathBuf::from(path);
    if path.is_absolute() { Ok(path) } else { Err(ApiError::invalid("path", "not an absolute path")) }
}

/// The folder of a project contains another one now, which is not opened without asking.
fn another_book() -> ApiError {
    let mut error = ApiError::not_found("projectId", "project");
    if let Some(details) = &mut error.details {
        details.reason = Some(Reason::FolderOfAnotherBook);
    }
    error
}

/// The canonical form of a path, so that two spellings of it are equal.
fn canonical_folder(path: &str) -> Result<PathBuf, ApiError> {
    let folder =
        absolute(path)?.canonicalize().map_err(|_| ApiError::invalid("path", "there is no folder at this path"))?;
    if folder.is_dir() { Ok(folder) } else { Err(ApiError::invalid("path", "not a folder")) }
}

/// The identity in a folder's id file, if there is one that can be read.
fn stored_book_id(folder: &Path) -> Result<Option<String>, ApiError> {
    match book_id(folder) {
        Ok(id) => Ok(id),
        Err(ManuscriptError::DamagedIdFile) => Ok(None),
        Err(error) => Err(manuscript(error)),
    }
}
