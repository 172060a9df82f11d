//! Watches a book for changes made outside.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::{Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::book::Chapter;
use crate::disk::{self, Listing};
use crate::error::{Error, Result, or_log};
use crate::id::ChapterId;

/// Changes are reported after this long without events: other programs save in several steps.
const QUIET_PERIOD: Duration = Duration::from_millis(150);
/// The longest delay of a report after the first event.
const MAX_REPORT_DELAY: Duration = Duration::from_secs(1);
/// Interval of checks of the folder itself, since there is no event for its return.
const FOLDER_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// A change of a book by another program or in a file manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Files were added, removed or renamed, or the whole folder was removed or returned. Call [`Book::refresh`] before
    /// returning from the callback: it distinguishes renamed chapters from removed ones, and later reports rely on it.
    ///
    /// [`Book::refresh`]: crate::Book::refresh
    List,
    /// The content of a chapter changed.
    Chapter {
        /// Id of the chapter.
        chapter_id: ChapterId,
        /// The hash of the new content; `None` if the file is gone.
        content_hash: Option<String>,
    },
}

/// A watched folder. Dropping it ends the watch without waiting: a running callback still finishes.
#[derive(Debug)]
pub struct Watch {
    stopped: Arc<AtomicBool>,
    wake: Sender<Event>,
}

enum Event {
    FileSystem(Box<notify::Result<notify::Event>>),
    Stop,
}

impl Watch {
    pub(crate) fn start(root: &Path, ledger: Ledger, on_change: impl FnMut(Change) + Send + 'static) -> Result<Self> {
        let (wake, events) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let mut watch_thread = WatchThread {
            root: root.to_path_buf(),
            announced: ledger.files(),
            ledger,
            parts: Vec::new(),
            identity: None,
            watcher: None,
            wake: wake.clone(),
            stopped: Arc::clone(&stopped),
            on_change,
        };
        watch_thread.restart_watcher();
        if watch_thread.watcher.is_none() {
            return Err(Error::NotWatched);
        }
        let started = thread::Builder::new().name("book-watch".to_owned()).spawn(move || {
            // A panic loses the current events, not the watch; after a pause everything is checked again.
            while catch_unwind(AssertUnwindSafe(|| watch_thread.run(&events))).is_err() {
                thread::sleep(FOLDER_CHECK_INTERVAL);
            }
        });
        started.map_err(|_| Error::NotWatched)?;
        Ok(Self { stopped, wake })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        // The thread may have ended.
        self.wake.send(Event::Stop).ok();
    }
}

/// The reported state of each chapter, shared by a book and its watch: differences from it are reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<BTreeMap<ChapterId, ChapterState>>>);

#[derive(Debug, Clone, Default)]
struct ChapterState {
    /// Empty for a chapter without a file.
    file: String,
    /// The content hash last reported or written; empty if unreadable, `None` if the chapter is gone.
    reported: Option<String>,
    /// The content hash of a running write of the book.
    own_write: Option<String>,
}

/// A running write of the book.
pub(crate) struct OwnWrite {
    ledger: Ledger,
    chapter_id: ChapterId,
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChapterId, ChapterState>> {
        // The map is consistent between any two statements under the lock, so it is usable after a panic.
        self.0.lock()
    }

    /// Announces a write of the book to `file`, so that it is not reported.
    pub(crate) fn begin_write(&self, file: &str, chapter_id: &ChapterId, hash: &str) -> OwnWrite {
        let mut ledger = self.lock();
        let state = ledger.entry(chapter_id.clone()).or_default();
        state.file = file.to_owned();
        state.own_write = Some(hash.to_owned());
        OwnWrite { ledger: self.clone(), chapter_id: chapter_id.clone() }
    }

    /// Updates the files after a rescan. Reported hashes stay, so that a change is still reported.
    pub(crate) fn update_chapters(&self, chapters: &[Chapter]) {
        let mut ledger = self.lock();
        for state in ledger.values_mut() {
            state.file.clear();
        }
        for chapter in chapters {
            let state = ledger.entry(chapter.chapter_id.clone()).or_insert_with(|| ChapterState {
                reported: Some(chapter.content_hash.clone().unwrap_or_default()),
                ..ChapterState::default()
            });
            state.file.clone_from(&chapter.file);
        }
    }

    /// Removes a chapter whose file the book itself removes, so that this is not reported.
    pub(crate) fn remove(&self, chapter_id: &ChapterId) {
        self.lock().remove(chapter_id);
    }

    /// The files that exist according to the last reports.
    fn files(&self) -> BTreeSet<String> {
        let exists = |state: &&ChapterState| state.reported.is_some() || state.own_write.is_some();
        self.lock().values().filter(exists).map(|state| state.file.clone()).collect()
    }
}

impl OwnWrite {
    /// Ends the announcement; `written`: whether the write succeeded.
    pub(crate) fn finish(self, written: bool) {
        let mut ledger = self.ledger.lock();
        let Some(state) = ledger.get_mut(&self.chapter_id) else {
            return;
        };
        let own = state.own_write.take();
        if written {
            state.reported = own;
        } else if state.reported.is_none() {
            ledger.remove(&self.chapter_id);
        }
    }
}

/// The files and folders affected by events that are not reported yet.
#[derive(Default)]
struct PendingChanges {
    files: BTreeSet<String>,
    /// A folder was added or removed: the watcher must be restarted.
    folders: bool,
    /// Events were lost: everything must be checked.
    all: bool,
}

impl PendingChanges {
    fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.folders && !self.all
    }

    fn add(&mut self, root: &Path, event: notify::Result<notify::Event>) {
        let Ok(event) = event else {
            self.all = true;
            return;
        };
        if event.need_rescan() {
            self.all = true;
        }
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in &event.paths {
            let Ok(inside) = path.strip_prefix(root) else {
                continue;
            };
            let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
            match parts.last() {
                None => self.folders = true,
                // The program's own, or hidden by the writer.
                Some(_) if parts.iter().any(|part| part.starts_with('.')) => {}
                Some(name) if crate::chapter_files::is_chapter_name(name) => {
                    self.files.insert(parts.join("/"));
                }
                Some(_) if matches!(event.kind, EventKind::Modify(notify::event::ModifyKind::Data(_))) => {}
                Some(_) => self.folders = true,
            }
        }
    }
}

/// State of the watching thread.
struct WatchThread<F> {
    root: PathBuf,
    ledger: Ledger,
    /// The files of the last reported list.
    announced: BTreeSet<String>,
    parts: Vec<String>,
    identity: Option<FolderIdentity>,
    watcher: Option<RecommendedWatcher>,
    wake: Sender<Event>,
    stopped: Arc<AtomicBool>,
    on_change: F,
}

impl<F: FnMut(Change)> WatchThread<F> {
    fn run(&mut self, events: &Receiver<Event>) {
        // Covers changes between the opening of the book and the start of the watch.
        let mut pending = PendingChanges { all: true, ..PendingChanges::default() };
        while !self.stopped.load(Ordering::Acquire) {
            if !pending.is_empty() {
                pending = self.process(&pending);
            }
            let timeout = if pending.is_empty() { FOLDER_CHECK_INTERVAL } else { QUIET_PERIOD };
            match events.recv_timeout(timeout) {
                Ok(Event::FileSystem(event)) => {
                    pending.add(&self.root, *event);
                    self.collect_events(events, &mut pending);
                }
                // Moving a folder, or mounting another one over it, is no event of the folder itself.
                Err(RecvTimeoutError::Timeout) => {
                    pending.folders |= FolderIdentity::read(&self.root) != self.identity;
                }
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Collects events until the quiet period or the maximum delay has passed.
    fn collect_events(&self, events: &Receiver<Event>, pending: &mut PendingChanges) {
        let latest = Instant::now() + MAX_REPORT_DELAY;
        loop {
            let left = latest.saturating_duration_since(Instant::now()).min(QUIET_PERIOD);
            match events.recv_timeout(left) {
                Ok(Event::FileSystem(event)) if !left.is_zero() => pending.add(&self.root, *event),
                _ => return,
            }
        }
    }

    /// Checks the affected files and reports changes. Returns those that must be checked again later.
    fn process(&mut self, pending: &PendingChanges) -> PendingChanges {
        let mut later = PendingChanges::default();
        let mut listing = list(&self.root);
        let moved = pending.folders || listing.parts != self.parts || FolderIdentity::read(&self.root) != self.identity;
        if moved {
            self.restart_watcher();
            // Files created before the restart are listed now, later ones cause events.
            listing = list(&self.root);
        }
        let files: BTreeSet<String> = listing.files.into_iter().collect();
        let list_changed = files != self.ledger.files() && files != self.announced;
        self.announced.clone_from(&files);
        if list_changed {
            self.report(Change::List);
        }
        let is_affected = |file: &str| pending.all || moved || list_changed || pending.files.contains(file);
        let files_by_chapter: Vec<(ChapterId, String)> = {
            let ledger = self.ledger.lock();
            ledger.iter().map(|(id, state)| (id.clone(), state.file.clone())).collect()
        };
        for (chapter_id, file) in files_by_chapter {
            let exists = files.contains(&file);
            if exists && !is_affected(&file) {
                continue;
            }
            if exists && is_being_written(&self.root.join(&file)) {
                later.files.insert(file);
                continue;
            }
            let now = if exists { disk::file_hash(&self.root, &file) } else { None };
            if exists && now.is_none() {
                // Unreadable at the moment; another event follows when that ends.
                continue;
            }
            let differs = match self.ledger.lock().get_mut(&chapter_id) {
                // A running write of the book updates the state itself.
                Some(state) if state.own_write.is_some() || state.file != file => false,
                Some(state) if state.reported != now => {
                    state.reported.clone_from(&now);
                    true
                }
                _ => false,
            };
            if differs {
                self.report(Change::Chapter { chapter_id, content_hash: now });
            }
        }
        later
    }

    fn report(&mut self, change: Change) {
        if !self.stopped.load(Ordering::Acquire) {
            (self.on_change)(change);
        }
    }

    /// Watches the folder and its parts, each non-recursively: deeper and hidden folders cause no events.
    fn restart_watcher(&mut self) {
        self.identity = FolderIdentity::read(&self.root);
        self.parts = list(&self.root).parts;
        let wake = self.wake.clone();
        let handler = move |event| {
            // Events of a watcher that was replaced or dropped are of no use.
            wake.send(Event::FileSystem(Box::new(event))).ok();
        };
        self.watcher = notify::recommended_watcher(handler).ok().and_then(|mut watcher| {
            watcher.watch(&self.root, RecursiveMode::NonRecursive).ok()?;
            for part in &self.parts {
                // A part removed meanwhile causes an event of its parent folder.
                watcher.watch(&self.root.join(part), RecursiveMode::NonRecursive).ok();
            }
            Some(watcher)
        });
    }
}

/// The chapters of a folder; nothing for one that is gone or cannot be listed.
fn list(root: &Path) -> Listing {
    match disk::list(root) {
        Err(error) if error.is_absence() => Listing::default(),
        listed => or_log("list chapters", listed).unwrap_or_default(),
    }
}

/// Whether a file changed within the quiet period: many programs empty it first and then fill it.
fn is_being_written(path: &Path) -> bool {
    std::fs::metadata(path)
        .and_then(|meta| meta.modified())
        .is_ok_and(|at| at.elapsed().is_ok_and(|age| age < QUIET_PERIOD))
}

/// The identity of a folder, to detect another one at the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FolderIdentity(u64, u64);

impl FolderIdentity {
    #[cfg(unix)]
    fn read(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|meta| Self(meta.dev(), meta.ino()))
    }

    #[cfg(not(unix))]
    fn read(path: &Path) -> Option<Self> {
        path.is_dir().then_some(Self(0, 0))
    }
}
