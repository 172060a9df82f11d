//! The engine: opens the two stores, gathers input for the pure parts, and commits their output.
//!
//! Invariant: every write is one transaction and returns the changed topics. Invariant: a store that cannot serve
//! affects nothing else.

mod also_in;
pub mod background;
mod backup;
mod bearing;
mod books;
mod clear;
mod clock;
mod conflicts;
mod distill;
mod episode_lifecycle;
mod episodes;
mod erase;
mod evidence;
mod export;
mod feedback;
mod folder;
mod import;
mod influence;
mod learner;
mod maintenance;
mod masking;
mod models;
mod names;
mod prompts;
mod rule_set;
mod rules;
mod sheet;
mod store;
mod traces;
mod working;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

pub use clear::{ClearingWatch, RECOVERY_COPIES, Visit};
pub use distill::{Begun, DistillRequest, Ticket};
pub use erase::CountOutside;
pub use masking::Masking;
pub use names::asks_for_lower_case;
pub use prompts::Assembled;
pub use traces::NewTrace;

use self::{folder::FolderLock, store::Store};
use crate::{
    context::Counts,
    error::{Error, Result, log_failure},
    lock::{Mutex, Rank, RwLock},
    model::{FileSize, GenerationId, Part, PartHealth, PartState, Project, ProjectId, Status},
    ports::{Clock, Ids},
    retrieval::{
        encoders::{Connect, Encoder},
        helper_pool::HelperPool,
        lexical::{self, Frequencies},
        meaning::Meaning,
    },
    storage::{PartLog, Schema, backup::Backups},
    working::Working,
};

/// Maximum number of concurrent recalls; the next one is refused at once.
const MAX_CONCURRENT_RECALLS: usize = 32;
/// Evidence rows are cheap and each step costs one fsync, so a step handles this many times more episodes for evidence
/// than for the word index.
const EVIDENCE_PER_WORD_STEP: u32 = 8;

/// The parts of an engine.
pub struct Options {
    /// The folder of the two databases, created if missing.
    pub data_dir: PathBuf,
    /// The given clock, before implausible times are corrected.
    pub clock: Arc<dyn Clock>,
    /// Generates identities.
    pub ids: Arc<dyn Ids>,
}

/// The memory of one data folder. Safe to share between threads.
pub struct Engine {
    rules: Store,
    episodes: Store,
    backups: Backups,
    backup_state: backup::BackupState,
    working: Working,
    recalls: Gate,
    frequencies: Frequencies,
    counts: Counts,
    meaning: Arc<Meaning>,
    helpers: HelperPool,
    known: models::Known,
    learning: evidence::Learning,
    learner: Arc<distill::Learner>,
    clearings: clear::Clearings,
    erasing: erase::Erasing,
    /// Held during an operation on whole files: clearing, backups and maintenance exclude each other.
    upkeep: Mutex<()>,
    /// Held while a file is copied and imported: one at a time. Taken before `upkeep`, never after.
    importing: Mutex<()>,
    /// Held while a job runs: one at a time.
    maintaining: Mutex<()>,
    runs: maintenance::Runs,
    /// Logs parts that go down and heal.
    part_log: Arc<PartLog>,
    /// Generations whose trace is written and which have no text yet, each with its project.
    starting: Mutex<HashMap<GenerationId, ProjectId>>,
    /// Held while a verdict on a generation is recorded.
    judging: Mutex<()>,
    /// The known projects, so that a project can be written in while `rules.db` cannot be read.
    books: RwLock<HashMap<ProjectId, Project>>,
    clock: Arc<dyn Clock>,
    /// The same object as `clock`: the known times, and whether the clock is plausible.
    watched: Arc<clock::WatchedClock>,
    ids: Arc<dyn Ids>,
}

impl Engine {
    /// Opens the memory in a folder. A store that cannot be opened is left out and reported by [`Engine::status`]; it
    /// is tried again whenever it is needed.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` when the folder cannot be made or another process has it open.
    pub fn open(options: Options) -> Result<Self> {
        let Options { data_dir, clock, ids } = options;
        let lock = Arc::new(FolderLock::take(&data_dir)?);
        let watched = Arc::new(clock::WatchedClock::new(clock));
        let clock: Arc<dyn Clock> = Arc::clone(&watched) as _;
        let backups = Backups::of(&data_dir);
        let part_log: Arc<PartLog> = Arc::default();
        let store = |name, schema| {
            let part_log = Arc::clone(&part_log);
            Store::new(data_dir.join(name), schema, backups.clone(), Arc::clone(&clock), Arc::clone(&lock), part_log)
        };
        let engine = Self {
            rules: store("rules.db", Schema::Rules),
            episodes: store("episodes.db", Schema::Episodes),
            backups,
            backup_state: backup::BackupState::default(),
            working: Working::default(),
            recalls: Gate::default(),
            frequencies: Frequencies::default(),
            counts: Counts::default(),
            meaning: Arc::default(),
            helpers: HelperPool::default(),
            known: models::Known::default(),
            learning: evidence::Learning::default(),
            learner: Arc::default(),
            clearings: clear::Clearings::default(),
            erasing: erase::Erasing::default(),
            upkeep: Mutex::new(Rank::Upkeep, ()),
            importing: Mutex::new(Rank::Import, ()),
            maintaining: Mutex::new(Rank::Maintenance, ()),
            runs: Mutex::default(),
            part_log: Arc::clone(&part_log),
            starting: Mutex::new(Rank::Starting, HashMap::new()),
            judging: Mutex::new(Rank::Verdict, ()),
            books: RwLock::default(),
            clock,
            watched,
            ids,
        };
        engine.backups.sweep();
        engine.rules.sweep();
        engine.episodes.sweep();
        engine.learn_books();
        engine.note_clock();
        // Projects with an unfinished clearing are unavailable from the first moment. Where that cannot be read, it is
        // looked up again.
        log_failure("look for clearings", engine.look_for_clearings());
        log_failure("look for erasures", engine.look_for_erasures());
        // No file answers with half of a pending import. Where a file cannot be written, the import is tried again.
        engine.remove_interrupted_copy();
        log_failure("finish import", engine.finish_import());
        engine.fail_what_was_interrupted();
        // Cached for the time when the store cannot be read.
        log_failure("read names", engine.read_names());
        engine.cache_settings();
        Ok(engine)
    }

    /// Logs the parts whose health has changed since it was last known.
    pub fn note_parts(&self, parts: &[PartHealth]) {
        parts.iter().for_each(|part| self.part_log.note(part));
    }

    /// The health of every part.
    #[must_use]
    pub fn parts(&self) -> Vec<PartHealth> {
        let health = |part, result: Result<PartState>| match result {
            Ok(state) => PartHealth::serving(part, state),
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        };
        let file = |part, store: &Store| match store.health() {
            Ok(None) => PartHealth::serving(part, PartState::Ok),
            Ok(Some(cause)) => PartHealth::unavailable(part, cause),
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        };
        let words = || -> Result<PartState> {
            let behind = lexical::is_behind(&*self.episodes.open()?.reader()?)?;
            Ok(if behind { PartState::CatchingUp } else { PartState::Ok })
        };
        vec![
            file(Part::Rules, &self.rules),
            file(Part::Episodes, &self.episodes),
            health(Part::Words, words()),
            self.health_of_meaning(),
            self.health_of_maintenance(),
            self.health_of_evidence(),
        ]
    }

    /// The state of the whole memory.
    #[must_use]
    pub fn status(&self) -> Status {
        let parts = self.parts();
        let is_down = |part: &PartHealth| matches!(part.state, PartState::Substituted | PartState::Unavailable);
        let missing = self.missing_writes();
        let degraded = parts.iter().any(is_down) || !missing.is_empty();
        Status {
            degraded,
            parts,
            clock: self.clock_doubt(),
            missing,
            maintenance: self.last_runs(),
            last_backup: self.backups.list().into_iter().next(),
            files: [&self.rules, &self.episodes]
                .map(|store| FileSize { file: store.file(), bytes: store.bytes() })
                .to_vec(),
            capacities: self.capacities(),
        }
    }

    fn health_of_meaning(&self) -> PartHealth {
        let part = Part::Embedder;
        if let Some(trouble) = self.meaning.encoders.unavailable()
            && self.meaning.is_ready()
        {
            return PartHealth::substituted(part, trouble.cause);
        }
        if let Some(cause) = self.meaning.trouble() {
            return PartHealth::unavailable(part, cause);
        }
        if !self.meaning.is_ready() {
            return PartHealth::serving(part, PartState::CatchingUp);
        }
        match self.episodes.open().and_then(|db| self.meaning.is_behind(&db)) {
            Ok(behind) => {
                // A chosen encoder that was not reached yet has none of its vectors.
                let behind = behind || self.meaning.wants_reading() || self.meaning.encoders.is_expected();
                PartHealth::serving(part, if behind { PartState::CatchingUp } else { PartState::Ok })
            }
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        }
    }

    /// Sets the bundled encoder, or why there is none: loading it takes a while, and the memory opens without waiting
    /// for it. Until then, and without it, recall uses words, scene and time.
    pub fn set_encoder(&self, encoder: Encoder) {
        self.meaning.encoders.set_bundled(encoder);
    }

    /// Chooses another encoder with its display name; `None` for the bundled one alone. The bundled one serves until
    /// the other was reached and all its vectors are made, and whenever it does not answer.
    pub fn choose_encoder(&self, chosen: Option<(String, Connect)>) {
        self.meaning.encoders.choose(chosen);
    }

    /// Whether the chosen encoder was not reached yet, or does not answer.
    fn is_connecting_wanted(&self) -> bool {
        self.meaning.encoders.wants_connecting()
    }

    /// Connects to the chosen encoder, or checks whether it answers again.
    fn connect_encoder(&self) {
        self.meaning.connect();
    }

    /// Cancels all background waits on the network. For shutdown.
    pub fn cancel_network_waits(&self) {
        self.meaning.cancel_network_waits();
    }

    /// Episodes with vectors of the chosen encoder, and all of them; `None` when no vector is missing.
    ///
    /// # Errors
    /// Those of the store.
    fn encoding_progress(&self) -> Result<Option<(u32, u32)>> {
        self.meaning.progress(&*self.episodes.open()?)
    }

    /// Whether a recall missed its project's vectors in memory; the next [`Engine::index_step`] reads them.
    #[must_use]
    pub fn is_reading_wanted(&self) -> bool {
        self.meaning.wants_reading()
    }

    /// One bounded step of the background indexes: reads the vectors of a project that a recall missed, or indexes the
    /// words of at most `limit` episodes, or removes some deleted episodes from the index, or writes the evidence of
    /// some, or makes the vectors of one, or merges a part of the index. Idempotent; the caller repeats it while the
    /// answer reports more.
    ///
    /// # Errors
    /// Those of the store; nothing of the step has happened then.
    fn index_step(&self, limit: u32) -> Result<lexical::Step> {
        let db = self.episodes.open()?;
        if self.meaning.read_wanted(&db)? {
            return Ok(lexical::Step { indexed: 0, more: true });
        }
        let words = lexical::catch_up(&db, &self.frequencies, limit)?;
        if words.more {
            return Ok(words);
        }
        if lexical::purge(&db)? {
            return Ok(lexical::Step { indexed: words.indexed, more: true });
        }
        let evidence = self.learn_beside(limit.saturating_mul(EVIDENCE_PER_WORD_STEP), true);
        if evidence.more {
            return Ok(evidence);
        }
        if !self.meaning.names.are_known() {
            log_failure("read names", self.read_names());
        }
        // One at a time: encoding takes many times as long, and words of episodes recorded meanwhile go first.
        let vectors = self.meaning.catch_up(&db, 1)?;
        let mut more = vectors.more || lexical::merge(&db)?;
        if !more && self.is_learning_wanted() {
            more = self.learn_beside(limit.saturating_mul(EVIDENCE_PER_WORD_STEP), false).more;
        }
        Ok(lexical::Step { indexed: words.indexed + vectors.indexed, more })
    }
}

/// Admits a limited number at once and refuses the others immediately: a recall that waits is of no use to a writer.
#[derive(Default)]
struct Gate(AtomicUsize);

struct Pass<'a>(&'a Gate);

impl Gate {
    /// Number admitted at present.
    fn inside(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    fn enter(&self) -> Result<Pass<'_>> {
        let inside = self.0.fetch_add(1, Ordering::AcqRel);
        let pass = Pass(self);
        if inside >= MAX_CONCURRENT_RECALLS {
            return Err(Error::too_many_recalls());
        }
        Ok(pass)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn the_thirty_third_recall_is_refused_at_once_and_a_place_is_free_again_when_one_leaves() {
        let gate = Gate::default();
        let mut inside: Vec<Pass<'_>> = (0..MAX_CONCURRENT_RECALLS).map(|_| gate.enter().unwrap()).collect();
        let refused = gate.enter().map(|_| ()).unwrap_err();
        assert_eq!(refused.code, Code::Backpressure);
        assert_eq!(refused.details.unwrap().retry_after_seconds, Some(1));
        inside.pop();
        assert!(gate.enter().is_ok());
    }
}
