//! The commands of Palimpsest for a window, another editor or a test, on one wire.
//!
//! [`COMMANDS`] is the one table. The router, the permissions of the desktop shell and the TypeScript types all come
//! from it; both hosts mount [`Api::call`].

mod analysis;
mod answer_service;
mod answers;
mod args;
mod asking;
mod backends;
mod bindings;
mod books;
mod bundled;
mod chapter_changes;
mod clearing;
mod commands;
mod continuity;
mod dictionary;
mod drafts;
mod dto;
mod encoder;
mod entities;
mod error;
mod events;
mod exchange;
mod facts;
mod generation;
mod journal;
mod keys;
mod knowledge;
mod learning;
mod life;
mod log;
mod lorebook;
mod maintenance;
mod manuscripts;
mod measuring;
mod metered;
mod models;
mod names;
mod process;
mod profile;
mod readable;
mod reranking;
mod sample_book;

mod session;
mod skills;
mod study;
mod supervise;
mod system;
mod tagger;
mod traces;
mod usable;
mod worker;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Weak, atomic::AtomicU32},
};

use parking_lot::Mutex;

pub use bindings::typescript;
pub use commands::COMMANDS;
pub use dictionary::bundled_dictionary;
pub use encoder::{EncoderSource, bundled_encoder};
pub use error::ApiError;
pub use events::{EVENTS, EventSink, SKILL_CHUNK};
pub use keys::{KeyStorage, Keys, SessionKeys};
pub use log::{LogFile, LogLevel, write_log};
pub use models::Writing;
pub use palimpsest_agents as agents;
pub use palimpsest_agents::launch_if_asked;
#[cfg(feature = "evaluation")]
pub use palimpsest_memory::testing;
pub use palimpsest_memory::{ClearingWatch, Code, model, ports};
pub use palimpsest_providers::{BaseUrl, Endpoint, Network, SampleModel, Secret, Timeouts};
pub use process::{on_end_signal, print_panics_by};
pub use system::{SystemClock, SystemIds};
pub use tagger::{bundled_tagger, tagged_words};

use palimpsest_agents::Programs;
use palimpsest_manuscript::RecoveryCopies;
use palimpsest_memory::{
    Engine, RECOVERY_COPIES,
    background::{Background, Lane},
    model::{Change, Changed, GenerationId, ProjectId},
    ports::{Clock, Ids, Stop, TextModel},
};
use worker::Worker;

/// The parts of an [`Api`].
pub struct Options {
    /// The folder of the databases and of the sample book.
    pub data_dir: PathBuf,
    /// Gives the time of new entries.
    pub clock: Arc<dyn Clock>,
    /// Generates identities and seeds.
    pub ids: Arc<dyn Ids>,
    /// The built-in model: it writes where the writer has chosen no other.
    pub model: Arc<dyn TextModel>,
    /// The model that writes, where the program overrides the writer's choice.
    pub writing: Writing,
    /// The storage of keys.
    pub keys: Arc<dyn Keys>,
    /// The network client for providers.
    pub network: Arc<Network>,
    /// The encoder for recall by meaning.
    pub encoder: EncoderSource,
    /// The folder of the dictionary; `None` where it is not installed.
    pub dictionary: Option<PathBuf>,
    /// The folder of the Chinese tagger; `None` where it is not installed.
    pub tagger: Option<PathBuf>,
    /// The settings file of answers; `None` for `config.toml` in the data folder, where there need be none.
    pub config_file: Option<PathBuf>,
    /// Programs of this machine that answer questions.
    pub programs: Programs,
    /// The receiver of events.
    pub events: EventSink,
}

impl Options {
    /// With the system's clock, random identities, keys for this session, the sample model, and the bundled encoder,
    /// dictionary and tagger where they are installed.
    pub fn new(data_dir: PathBuf, events: EventSink) -> Self {
        Self {
            data_dir,
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemIds),
            model: Arc::new(SampleModel),
            writing: Writing::Chosen,
            keys: Arc::new(SessionKeys::default()),
            network: Network::start(),
            encoder: EncoderSource::bundled(),
            dictionary: bundled_dictionary(),
            tagger: bundled_tagger(),
            config_file: None,
            programs: Programs::of_this_machine(),
            events,
        }
    }
}

/// All commands over one data folder. Safe to share between threads.
pub struct Api {
    engine: Arc<Engine>,
    data_dir: PathBuf,
    model: Arc<dyn TextModel>,
    writing: Writing,
    /// Context length in tokens of a model that was given and not chosen; 0 while it is unknown.
    given_context: AtomicU32,
    keys: Arc<dyn Keys>,
    network: Arc<Network>,
    programs: Programs,
    last_writer: Mutex<models::LastWriter>,
    /// Declared before the workers, so that it is dropped first: they wait for its requests.
    service_connection: answer_service::ServiceConnection,
    ids: Arc<dyn Ids>,
    clock: Arc<dyn Clock>,
    events: EventSink,
    /// Text that could not be saved into its book.
    recovery_copies: RecoveryCopies,
    books: Arc<books::OpenBooks>,
    /// Generations that are running.
    running: Mutex<HashMap<GenerationId, Running>>,
    /// For threads that outlive a call.
    this: Weak<Api>,
    indexer: Worker,
    maintenance: Worker,
    distiller: learning::Distiller,
    learner: Worker,
    analyzer: analysis::Analyzer,
    study: study::StudyThread,
    measurements: measuring::Measurements,
    supervisor: supervise::Supervisor,
}

/// A generation that is running.
struct Running {
    project_id: ProjectId,
    stop: Stop,
}

impl Api {
    /// Opens the memory in a data folder and starts its background work.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` when the folder cannot be made or another process has it open.
    pub fn open(options: Options) -> Result<Arc<Self>, ApiError> {
        let Options { data_dir, clock, ids, model, writing, keys, network, encoder, dictionary, tagger, .. } = options;
        let Options { config_file, programs, events, .. } = options;
        let engine = Engine::open(palimpsest_memory::Options {
            data_dir: data_dir.clone(),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            config_file,
        });
        let engine = Arc::new(engine.inspect_err(|error| {
            palimpsest_memory::log_error!(error, error, "not opened");
        })?);
        tracing::info!(version = env!("CARGO_PKG_VERSION"), "started");
        programs.remove_leftovers();
        let supervisor = supervise::Supervisor::default();
        let books = Arc::<books::OpenBooks>::default();
        let distiller = learning::Distiller::new(&engine, &keys, &network, &events, &writing, &books, tagger.clone());
        let worker = |lane, after_round: Box<dyn Fn() + Send>| {
            let work = Background::new(Arc::clone(&engine), lane);
            Worker::start(work, distiller.clone(), &supervisor, after_round)
        };
        let learner = worker(Lane::Learning, Box::new(|| {}));
        let measurements = measuring::Measurements::new(&engine, &events);
        // There may be new evidence after a round of the index, and episodes to index after a job.
        let indexer = worker(Lane::Index, Box::new(learner.waker()));
        encoder::load(&engine, encoder, &supervisor, indexer.waker());
        if let Some(folder) = dictionary {
            engine.set_translator(dictionary::translator(folder, &supervisor));
        }
        let maintenance = worker(Lane::Maintenance, Box::new(indexer.waker()));
        let analyzer = analysis::Analyzer::start(&engine, &events, tagger, &supervisor, indexer.waker());
        let study = study::StudyThread::start(study::StudyParts {
            engine: Arc::clone(&engine),
            keys: Arc::clone(&keys),
            network: Arc::clone(&network),
            events: Arc::clone(&events),
            writing: writing.clone(),
            books: Arc::clone(&books),
            ids: Arc::clone(&ids),
            started_at: clock.now(),
            supervisor: supervisor.clone(),
        });
        let api = Arc::new_cyclic(|this| Self {
            engine,
            recovery_copies: RecoveryCopies::new(data_dir.join(RECOVERY_COPIES)),
            data_dir,
            model,
            writing,
            given_context: AtomicU32::new(0),
            keys,
            network,
            programs,
            last_writer: Mutex::default(),
            service_connection: answer_service::ServiceConnection::default(),
            ids,
            clock,
            events,
            books,
            running: Mutex::default(),
            this: this.clone(),
            indexer,
            maintenance,
            analyzer,
            study,
            distiller,
            learner,
            measurements,
            supervisor,
        });
        api.use_embedding();
        api.use_answer_service();
        Ok(api)
    }

    /// The result of a write; listeners receive the changes as an event.
    fn emit_changed<T>(&self, changed: Changed<T>) -> T {
        let Changed { value, change } = changed;
        self.emit_change(&change);
        value
    }

    fn emit_change(&self, change: &Change) {
        events::emit(&self.events, events::MEMORY_CHANGED, change);
        if readable::is_copied(change) && self.engine.settings().readable_copies {
            self.indexer.wake();
        }
    }
}
