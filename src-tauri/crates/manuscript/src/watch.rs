//! Changes made to a book outside, told as they happen.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::book::Chapter;
use crate::disk::{self, Listing};
use crate::error::{Error, Result};

/// Changes are told when nothing has happened for so long: other programs save in several steps.
const QUIET: Duration = Duration::from_millis(150);
/// But no later than this after the first of them.
const LATEST: Duration = Duration::from_secs(1);
/// How often the folder itself is looked for, since nobody tells when it comes back.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Something that another program, or the writer in a file manager, did to a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Files came, went or were renamed, or the whole folder went or came back. Call [`Book::refresh`] before returning
    /// from the callback: it tells renamed chapters from lost ones, and what is told next builds on that.
    ///
    /// [`Book::refresh`]: crate::Book::refresh
    List,
    /// A chapter's content is another one.
    Chapter {
        /// Which chapter.
        chapter_id: String,
        /// The hash of the content now; `None` when the file is gone.
        content_hash: Option<String>,
    },
}

/// A folder being watched. Dropping it ends the watching without waiting: a callback under way is still finished.
#[derive(Debug)]
pub struct Watch {
    stopped: Arc<AtomicBool>,
    wake: Sender<Event>,
}

enum Event {
    Seen(Box<notify::Result<notify::Event>>),
    Stop,
}

impl Watch {
    pub(crate) fn start(root: &Path, ledger: Ledger, on_change: impl FnMut(Change) + Send + 'static) -> Result<Self> {
        let (wake, events) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let mut lookout = Lookout {
            root: root.to_path_buf(),
            announced: ledger.files(),
            ledger,
            parts: Vec::new(),
            place: None,
            watcher: None,
            wake: wake.clone(),
            stopped: Arc::clone(&stopped),
            on_change,
        };
        lookout.watch_again();
        if lookout.watcher.is_none() {
            return Err(Error::NotWatched);
        }
        let started = thread::Builder::new().name("book-watch".to_owned()).spawn(move || {
            // A defect costs what was just looked at, not the watch; everything is looked at again after a pause.
            while catch_unwind(AssertUnwindSafe(|| lookout.run(&events))).is_err() {
                thread::sleep(LOOK_AGAIN);
            }
        });
        started.map_err(|_| Error::NotWatched)?;
        Ok(Self { stopped, wake })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        let _ = self.wake.send(Event::Stop);
    }
}

/// What the listener knows of each chapter, shared by a book and its watch: what is told is what differs from this.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<BTreeMap<String, Known>>>);

#[derive(Debug, Clone, Default)]
struct Known {
    /// Empty for a chapter that has no file any more.
    file: String,
    /// The content hash the listener was told last, or wrote; empty when unreadable, `None` when the chapter is gone.
    told: Option<String>,
    /// The content hash that a write under way will leave.
    own: Option<String>,
}

/// A write announced to the ledger.
pub(crate) struct OwnWrite {
    ledger: Ledger,
    chapter_id: String,
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        // The map is whole between any two statements that hold the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Before a write: what will be found at `file` is our own.
    pub(crate) fn announce(&self, file: &str, chapter_id: &str, hash: &str) -> OwnWrite {
        let mut ledger = self.lock();
        let known = ledger.entry(chapter_id.to_owned()).or_default();
        known.file = file.to_owned();
        known.own = Some(hash.to_owned());
        OwnWrite { ledger: self.clone(), chapter_id: chapter_id.to_owned() }
    }

    /// After a look at the folder. What the listener was told of a chapter stays, so that a change is still told.
    pub(crate) fn list(&self, chapters: &[Chapter]) {
        let mut ledger = self.lock();
        for known in ledger.values_mut() {
            known.file.clear();
        }
        for chapter in chapters {
            let known = ledger.entry(chapter.chapter_id.clone()).or_insert_with(|| Known {
                told: Some(chapter.content_hash.clone().unwrap_or_default()),
                ..Known::default()
            });
            known.file.clone_from(&chapter.file);
        }
    }

    /// The files that the listener takes to be there.
    fn files(&self) -> BTreeSet<String> {
        let there = |known: &&Known| known.told.is_some() || known.own.is_some();
        self.lock().values().filter(there).map(|known| known.file.clone()).collect()
    }
}

impl OwnWrite {
    /// After the write.
    pub(crate) fn finish(self, written: bool) {
        let mut ledger = self.ledger.lock();
        let Some(known) = ledger.get_mut(&self.chapter_id) else {
            return;
        };
        let own = known.own.take();
        if written {
            known.told = own;
        } else if known.told.is_none() {
            ledger.remove(&self.chapter_id);
        }
    }
}

/// What the events of one busy moment touched.
#[derive(Default)]
struct Touched {
    files: BTreeSet<String>,
    /// A folder came or went: what is watched has to be set up anew.
    folders: bool,
    /// Events were lost: everything has to be looked at.
    all: bool,
}

impl Touched {
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
                // Ours, or hidden by the writer.
                Some(_) if parts.iter().any(|part| part.starts_with('.')) => {}
                Some(name) if crate::names::is_chapter_name(name) => {
                    self.files.insert(parts.join("/"));
                }
                Some(_) if matches!(event.kind, EventKind::Modify(notify::event::ModifyKind::Data(_))) => {}
                Some(_) => self.folders = true,
            }
        }
    }
}

/// The watching thread's own.
struct Lookout<F> {
    root: PathBuf,
    ledger: Ledger,
    /// The files of which the listener was told.
    announced: BTreeSet<String>,
    parts: Vec<String>,
    place: Option<Place>,
    watcher: Option<RecommendedWatcher>,
    wake: Sender<Event>,
    stopped: Arc<AtomicBool>,
    on_change: F,
}

impl<F: FnMut(Change)> Lookout<F> {
    fn run(&mut self, events: &Receiver<Event>) {
        // What happened between the opening of the book and the start of the watch.
        let mut touched = Touched { all: true, ..Touched::default() };
        while !self.stopped.load(Ordering::Acquire) {
            if !touched.is_empty() {
                touched = self.settle(&touched);
            }
            let patience = if touched.is_empty() { LOOK_AGAIN } else { QUIET };
            match events.recv_timeout(patience) {
                Ok(Event::Seen(event)) => {
                    touched.add(&self.root, *event);
                    self.gather(events, &mut touched);
                }
                // Moving a folder, or mounting another one in its place, is no event of the folder itself.
                Err(RecvTimeoutError::Timeout) => {
                    touched.folders |= Place::of(&self.root) != self.place;
                }
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Takes in events until it is quiet.
    fn gather(&self, events: &Receiver<Event>, touched: &mut Touched) {
        let latest = Instant::now() + LATEST;
        loop {
            let left = latest.saturating_duration_since(Instant::now()).min(QUIET);
            match events.recv_timeout(left) {
                Ok(Event::Seen(event)) if !left.is_zero() => touched.add(&self.root, *event),
                _ => return,
            }
        }
    }

    /// Looks at what was touched and tells what is new. Answers what it is too early for.
    fn settle(&mut self, touched: &Touched) -> Touched {
        let mut later = Touched::default();
        let mut listing = disk::list(&self.root).unwrap_or_default();
        let moved = touched.folders || listing.parts != self.parts || Place::of(&self.root) != self.place;
        if moved {
            self.watch_again();
            // Files that came before the new watch are seen now, later ones tell of themselves.
            listing = disk::list(&self.root).unwrap_or_default();
        }
        let files: BTreeSet<String> = listing.files.into_iter().collect();
        let news = files != self.ledger.files() && files != self.announced;
        self.announced.clone_from(&files);
        if news {
            self.tell(Change::List);
        }
        let look = |file: &str| touched.all || moved || news || touched.files.contains(file);
        let known: Vec<(String, String)> = {
            let ledger = self.ledger.lock();
            ledger.iter().map(|(id, known)| (id.clone(), known.file.clone())).collect()
        };
        for (chapter_id, file) in known {
            let there = files.contains(&file);
            if there && !look(&file) {
                continue;
            }
            if there && being_written(&self.root.join(&file)) {
                later.files.insert(file);
                continue;
            }
            let now = if there { disk::hash_of(&self.root, &file) } else { None };
            if there && now.is_none() {
                // Unreadable for the moment; it tells again when that ends.
                continue;
            }
            let differs = match self.ledger.lock().get_mut(&chapter_id) {
                // A write of ours will set this right itself.
                Some(known) if known.own.is_some() || known.file != file => false,
                Some(known) if known.told != now => {
                    known.told.clone_from(&now);
                    true
                }
                _ => false,
            };
            if differs {
                self.tell(Change::Chapter { chapter_id, content_hash: now });
            }
        }
        later
    }

    fn tell(&mut self, change: Change) {
        if !self.stopped.load(Ordering::Acquire) {
            (self.on_change)(change);
        }
    }

    /// Watches the folder and its parts, each for itself: what lies deeper, or hidden, makes no noise.
    fn watch_again(&mut self) {
        self.place = Place::of(&self.root);
        self.parts = match disk::list(&self.root) {
            Ok(Listing { parts, .. }) => parts,
            Err(_) => Vec::new(),
        };
        let wake = self.wake.clone();
        let handler = move |event| {
            let _ = wake.send(Event::Seen(Box::new(event)));
        };
        self.watcher = notify::recommended_watcher(handler).ok().and_then(|mut watcher| {
            watcher.watch(&self.root, RecursiveMode::NonRecursive).ok()?;
            for part in &self.parts {
                // One that went meanwhile is told by the folder it was in.
                let _ = watcher.watch(&self.root.join(part), RecursiveMode::NonRecursive);
            }
            Some(watcher)
        });
    }
}

/// Whether a file changed only just now: many programs empty it first and then fill it.
fn being_written(path: &Path) -> bool {
    std::fs::metadata(path).and_then(|meta| meta.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|age| age < QUIET))
}

/// Tells a folder from another one at the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place(u64, u64);

impl Place {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|meta| Self(meta.dev(), meta.ino()))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<Self> {
        path.is_dir().then_some(Self(0, 0))
    }
}
