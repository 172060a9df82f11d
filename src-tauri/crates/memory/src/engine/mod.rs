//! The engine: opens the two stores, gathers for the pure parts, and commits what they say.
//!
//! Invariant: every write goes through one transaction and answers what it changed. Invariant: a store that cannot
//! serve takes nothing else along.

mod also_in;
mod backup;
mod books;
mod clear;
mod clock;
mod conflicts;
mod distill;
mod episodes;
mod erase;
mod evidence;
mod export;
mod feedback;
mod folder;
mod import;
mod influence;
mod learner;
mod life;
mod maintenance;
mod masking;
mod models;
mod names;
mod prompts;
mod rules;
mod sheet;
mod store;
mod traces;
mod working;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
};

pub use clear::{ClearingWatch, RECOVERY_COPIES, Visit};
pub use distill::{Begun, DistilWish, Ticket};
pub use erase::CountOutside;
pub use masking::Masking;
pub use names::asks_for_lower_case;
pub use prompts::Assembled;
pub use traces::NewTrace;

use self::{folder::FolderLock, store::Store};
use crate::{
    context::Counts,
    error::{Error, Result},
    model::{FileSize, Part, PartHealth, PartState, Project, Status},
    ports::{Clock, Ids},
    retrieval::{
        encoders::{Connect, Encoder},
        helper_pool::HelperPool,
        lexical::{self, Frequencies},
        meaning::Meaning,
    },
    storage::{Schema, backup::Backups},
    working::Working,
};

/// Recalls that may run at the same time, fixed by the owner; the next one is refused at once.
const RECALLS_AT_ONCE: usize = 32;
/// Episodes whose evidence is written in one step, for each whose words would be: numbers are quickly made, and each step
/// waits for the disk.
const EVIDENCE_A_WORD: u32 = 8;

/// What an engine is made of.
pub struct Options {
    /// The folder of the two databases. Made if it is not there.
    pub data_dir: PathBuf,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives out identities.
    pub ids: Arc<dyn Ids>,
}

/// The memory of one data folder. Shared between threads as it is.
pub struct Engine {
    rules: Store,
    episodes: Store,
    backups: Backups,
    kept: backup::Kept,
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
    /// Held by whoever works on the files as a whole: clearing, backups and maintenance go one at a time.
    upkeep: Mutex<()>,
    /// Held while a file is copied and taken in: one at a time. Taken before `upkeep`, never after.
    importing: Mutex<()>,
    /// Held while a job runs: one at a time.
    maintaining: Mutex<()>,
    runs: maintenance::Runs,
    /// The generations whose trace is written and of which no text has come yet, each with its book.
    starting: Mutex<HashMap<String, String>>,
    /// Held while the writer's word on a generation is noted.
    judging: Mutex<()>,
    /// The books that are known, so that a book can be written in while `rules.db` cannot be read.
    books: RwLock<HashMap<String, Project>>,
    clock: Arc<dyn Clock>,
    /// The same as `clock`: what is known of the time, and whether it is believed.
    watched: Arc<clock::WatchedClock>,
    ids: Arc<dyn Ids>,
}

impl Engine {
    /// Opens the memory in a folder. A store that cannot be opened is left out and said in [`Engine::status`]; it is
    /// tried again whenever it is needed.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` when the folder cannot be made or another process has it open.
    pub fn open(options: Options) -> Result<Self> {
        let Options { data_dir, clock, ids } = options;
        let lock = Arc::new(FolderLock::take(&data_dir)?);
        let watched = Arc::new(clock::WatchedClock::new(clock));
        let clock: Arc<dyn Clock> = Arc::clone(&watched) as _;
        let backups = Backups::of(&data_dir);
        let store = |name, schema| {
            Store::new(data_dir.join(name), schema, backups.clone(), Arc::clone(&clock), Arc::clone(&lock))
        };
        let engine = Self {
            rules: store("rules.db", Schema::Rules),
            episodes: store("episodes.db", Schema::Episodes),
            backups,
            kept: backup::Kept::default(),
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
            upkeep: Mutex::default(),
            importing: Mutex::default(),
            maintaining: Mutex::default(),
            runs: Mutex::default(),
            starting: Mutex::default(),
            judging: Mutex::default(),
            books: RwLock::default(),
            clock,
            watched,
            ids,
        };
        engine.backups.sweep();
        engine.rules.sweep();
        engine.episodes.sweep();
        engine.learn_books();
        let _looked = engine.clock_doubt();
        // What is being cleared answers nothing from the first moment on. Where that cannot be read it is looked for again.
        let _looked = (engine.look_for_clearings(), engine.look_for_erasures());
        // Neither file answers with a half of what was to come in. Where one cannot be written, it is tried again.
        engine.remove_interrupted_copy();
        let _finished = engine.finish_import();
        engine.fail_what_was_interrupted();
        // All are remembered, for when the store cannot be read any more.
        let _remembered = (engine.models(), engine.usage(), engine.names_of(""), engine.is_learning_paused());
        Ok(engine)
    }

    /// How every part is.
    #[must_use]
    pub fn status(&self) -> Status {
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
        let parts = vec![
            file(Part::Rules, &self.rules),
            file(Part::Episodes, &self.episodes),
            health(Part::Words, words()),
            self.health_of_meaning(),
            self.health_of_maintenance(),
            self.health_of_evidence(),
        ];
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
                // A chosen one that was not reached yet has none of its vectors.
                let behind = behind || self.meaning.wants_reading() || self.meaning.encoders.is_expected();
                PartHealth::serving(part, if behind { PartState::CatchingUp } else { PartState::Ok })
            }
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        }
    }

    /// Says what has become of the bundled encoder: loading it takes a while, and the memory opens without waiting for
    /// it. Until then, and without it, recall goes by words, scene and time.
    pub fn set_encoder(&self, encoder: Encoder) {
        self.meaning.encoders.set_bundled(encoder);
    }

    /// Another encoder is to serve, called so towards the writer; `None` for the bundled one alone. The bundled one serves
    /// until the other was reached and all its vectors are made, and whenever it does not answer.
    pub fn choose_encoder(&self, chosen: Option<(String, Connect)>) {
        self.meaning.encoders.choose(chosen);
    }

    /// Whether the chosen encoder has still to be reached, or does not answer.
    #[must_use]
    pub fn is_connecting_wanted(&self) -> bool {
        self.meaning.encoders.wants_connecting()
    }

    /// Reaches the chosen encoder, or asks whether it answers again. For a thread in the background.
    pub fn connect_encoder(&self) {
        self.meaning.connect();
    }

    /// Lets nothing in the background wait for a network any longer. For closing.
    pub fn hurry(&self) {
        self.meaning.cancel_network_waits();
    }

    /// Episodes with vectors of the chosen encoder, and all of them; `None` when none is missing.
    ///
    /// # Errors
    /// Those of the store.
    pub fn encoding_progress(&self) -> Result<Option<(u32, u32)>> {
        self.meaning.progress(&*self.episodes.open()?)
    }

    /// A recall did not find its book's vectors in memory; the next [`Engine::index_step`] reads them.
    #[must_use]
    pub fn is_reading_wanted(&self) -> bool {
        self.meaning.wants_reading()
    }

    /// One bounded step of the background indexes: reads the vectors of a book that a recall missed, or indexes the
    /// words of at most `limit` episodes, or takes a part of what was deleted out of the index, or writes the evidence of
    /// some, or makes the vectors of one, or merges a part of the index. Idempotent; the caller repeats it while it says
    /// that more are waiting.
    ///
    /// # Errors
    /// Those of the store; nothing of the step then happened.
    pub fn index_step(&self, limit: u32) -> Result<lexical::Step> {
        let db = self.episodes.open()?;
        if self.meaning.read_wanted(&db)? {
            return Ok(lexical::Step { indexed: 0, more: true });
        }
        let words = lexical::catch_up(&db, limit)?;
        if words.more {
            return Ok(words);
        }
        if lexical::purge(&db)? {
            return Ok(lexical::Step { indexed: words.indexed, more: true });
        }
        let evidence = self.learn_beside(limit.saturating_mul(EVIDENCE_A_WORD), true);
        if evidence.more {
            return Ok(evidence);
        }
        if !self.meaning.names.are_known() {
            let _learned = self.names_of("");
        }
        // One at a time: encoding takes many times as long, and words of what is recorded meanwhile go first.
        let vectors = self.meaning.catch_up(&db, 1)?;
        let mut more = vectors.more || lexical::merge(&db)?;
        if !more && self.is_learning_wanted() {
            more = self.learn_beside(limit.saturating_mul(EVIDENCE_A_WORD), false).more;
        }
        Ok(lexical::Step { indexed: words.indexed + vectors.indexed, more })
    }
}

/// Lets so many in at once and refuses the rest at once: a recall that waits is worth nothing to a writer.
#[derive(Default)]
struct Gate(AtomicUsize);

struct Pass<'a>(&'a Gate);

impl Gate {
    /// How many are inside.
    fn inside(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    fn enter(&self) -> Result<Pass<'_>> {
        let inside = self.0.fetch_add(1, Ordering::AcqRel);
        let pass = Pass(self);
        if inside >= RECALLS_AT_ONCE {
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
        let mut inside: Vec<Pass<'_>> = (0..RECALLS_AT_ONCE).map(|_| gate.enter().unwrap()).collect();
        let refused = gate.enter().map(|_| ()).unwrap_err();
        assert_eq!(refused.code, Code::Backpressure);
        assert_eq!(refused.details.unwrap().retry_after_seconds, Some(1));
        inside.pop();
        assert!(gate.enter().is_ok());
    }
}
