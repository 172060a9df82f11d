//! The engine: opens the two stores, gathers input for the pure parts, and commits their output.
//!
//! [`Engine`] consists of parts that own their state: `stores.rs`, `books.rs`, `retrieval.rs`, `traces.rs`,
//! `learning.rs`, `models.rs`, `import.rs`, `clock.rs`, and `upkeep.rs` with clearings, erasures and backups. The
//! methods of a part take the stores and its own state; the methods of the engine, by topic in the other files,
//! coordinate the parts.
//!
//! Invariant: every write is one transaction and returns the changed topics. Invariant: a store that cannot serve
//! affects nothing else.

mod also_in;
mod answers;
mod asking;
mod backends;
pub mod background;
mod backup;
mod bearing;
mod book_passages;
mod books;
mod canon;
mod cards;
mod chapters;
mod citations;
mod clear;
mod clock;
mod conflicts;
mod continuity;
mod distill;
mod entities;
mod episode_lifecycle;
mod episodes;
mod erase;
mod evidence;
mod export;
mod facts;
mod feedback;
mod folder;
mod import;
mod influence;
mod journal;
mod journal_files;
mod journal_heads;
mod knowledge;
mod learning;
mod lorebook;
mod maintenance;
mod masking;
mod models;
mod names;
mod passages;
mod plot;
mod prompts;
mod retrieval;
mod rule_set;
mod rules;
mod sheet;
mod store;
mod stores;
mod story;
mod story_evidence;
mod story_prompt;
mod study;
mod summaries;
mod traces;
mod upkeep;
mod working;

use std::{path::PathBuf, sync::Arc};

pub use also_in::CountOutside;
pub use asking::{
    ASK_SKILL, BegunInquiry, CitedStatement, EndedInquiry, Inquiry, InquiryEnd, InquiryPrompt, InquiryWords,
    NeedSource, NewInquiry, QuotedChapter, QuotedPassage, ServiceAnswers, ServiceRequest, ToolResult,
};
pub use chapters::{ChapterEpisode, ChapterMemories, MemoryMove};
pub use citations::{ListedChapters, SavedText};
pub use clear::{ClearingWatch, RECOVERY_COPIES, Visit};
pub use distill::{Begun, DistillRequest, Ticket};
pub use journal::ChapterTitle;
pub use knowledge::ChooseRecords;
pub use masking::Masking;
pub use names::asks_for_lower_case;
pub use prompts::{Assembled, guess_scene};
pub use study::{
    AdvancedStudy, ChapterTitles, ComparedPair, ComparedSentences, ComparisonPrompt, StudyAround, StudyGapsPrompt,
    StudyHost, StudySummary,
};
pub use traces::NewTrace;

use self::{
    answers::{AnswerAudit, AnswerService, AnswerSettings},
    books::Books,
    clock::WatchedClock,
    folder::FolderLock,
    import::Imports,
    journal::JournalState,
    knowledge::ReadableCopies,
    learning::Learning,
    models::ModelCache,
    retrieval::Retrieval,
    store::Store,
    stores::Stores,
    story::Story,
    traces::Traces,
    upkeep::Upkeep,
};
use crate::{
    context::Counts,
    error::{Result, log_failure},
    model::{FileSize, Part, PartHealth, PartState, Status},
    ports::{Clock, Ids, Translator},
    retrieval::{
        encoders::{Connect, Encoder},
        word_index,
    },
    working::Working,
};

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
    /// The settings file; `None` for `config.toml` in the data folder, where there need be none.
    pub config_file: Option<PathBuf>,
}

/// The memory of one data folder. Safe to share between threads.
///
/// Every part owns its state: its fields are private to its module. The methods of the engine coordinate the parts.
pub struct Engine {
    /// The two files and their backups.
    stores: Stores,
    /// The given clock, watched for implausible times.
    clock: Arc<WatchedClock>,
    ids: Arc<dyn Ids>,
    /// The known projects.
    books: Books,
    /// The items of the running session.
    working: Working,
    /// Recall: indexes, encoders, and the limit of concurrent recalls.
    retrieval: Retrieval,
    /// The token counts of texts that prompts contain again and again.
    token_counts: Counts,
    /// Generations in progress, and the lock of verdicts.
    traces: Traces,
    /// The pause, the writer's activity, and runs.
    learning: Learning,
    /// Providers, models and usage as last known.
    model_cache: ModelCache,
    /// The lock of imports.
    imports: Imports,
    /// The names of books that were found last.
    story: Story,
    /// The open sessions of the journal, and the books of which none is kept.
    journal: JournalState,
    /// The team's answer service.
    answer_service: AnswerService,
    /// The settings of answers: the file, and the stored ones.
    answer_settings: AnswerSettings,
    /// The audit of runs.
    answer_audit: AnswerAudit,
    /// The readable copies of the knowledge of books.
    readable: ReadableCopies,
    /// Clearings, erasures, backups and jobs.
    upkeep: Upkeep,
}

impl Engine {
    /// Opens the memory in a folder. A store that cannot be opened is left out and reported by [`Engine::status`]; it
    /// is tried again whenever it is needed.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` when the folder cannot be made or another process has it open.
    pub fn open(options: Options) -> Result<Self> {
        let Options { data_dir, clock, ids, config_file } = options;
        let lock = Arc::new(FolderLock::acquire(&data_dir)?);
        let clock = Arc::new(WatchedClock::new(clock));
        let answer_settings = AnswerSettings::read(&data_dir, config_file);
        let answer_audit = AnswerAudit::new(&data_dir);
        let stores = Stores::new(data_dir, &(Arc::clone(&clock) as Arc<dyn Clock>), &lock);
        let engine = Self {
            stores,
            clock,
            ids,
            books: Books::default(),
            working: Working::default(),
            retrieval: Retrieval::default(),
            token_counts: Counts::default(),
            traces: Traces::default(),
            learning: Learning::default(),
            model_cache: ModelCache::default(),
            imports: Imports::default(),
            story: Story::default(),
            journal: JournalState::default(),
            answer_service: AnswerService::default(),
            answer_settings,
            answer_audit,
            readable: ReadableCopies::default(),
            upkeep: Upkeep::default(),
        };
        engine.stores.sweep();
        engine.books.refresh(&engine.stores);
        engine.clock.doubt(&engine.stores);
        // Projects with an unfinished clearing are unavailable from the first moment. Where that cannot be read, it is
        // looked up again.
        log_failure("look for clearings", engine.upkeep.clearings.load_unfinished(&engine.stores));
        log_failure("look for erasures", engine.upkeep.erasures.load_unfinished(&engine.stores));
        // No file answers with half of a pending import. Where a file cannot be written, the import is tried again.
        engine.remove_interrupted_copy();
        log_failure("finish import", engine.finish_import());
        engine.fail_what_was_interrupted();
        // Cached for the time when the store cannot be read.
        log_failure("read names", engine.read_names());
        engine.cache_settings();
        engine.end_interrupted_inquiries();
        engine.note_journal_heads(None);
        Ok(engine)
    }

    /// Logs the parts whose health has changed since it was last known.
    pub fn note_parts(&self, parts: &[PartHealth]) {
        self.stores.note_parts(parts);
    }

    /// The health of every part.
    #[must_use]
    pub fn parts(&self) -> Vec<PartHealth> {
        let file = |part, store: &Store| match store.health() {
            Ok(None) => PartHealth::serving(part, PartState::Ok),
            Ok(Some(cause)) => PartHealth::unavailable(part, cause),
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        };
        vec![
            file(Part::Rules, &self.stores.rules),
            file(Part::Episodes, &self.stores.episodes),
            self.retrieval.health_of_words(&self.stores),
            self.retrieval.health_of_meaning(&self.stores),
            self.health_of_maintenance(),
            self.health_of_evidence(),
            self.health_of_config(),
            self.health_of_audit(),
        ]
    }

    /// The state of the whole memory.
    #[must_use]
    pub fn status(&self) -> Status {
        let parts = self.parts();
        let is_down = |part: &PartHealth| matches!(part.state, PartState::Substituted | PartState::Unavailable);
        let missing = self.stores.missing_writes();
        let degraded = parts.iter().any(is_down) || !missing.is_empty();
        Status {
            degraded,
            parts,
            clock: self.clock.doubt(&self.stores),
            missing,
            maintenance: self.last_runs(),
            last_backup: self.stores.backups.list().into_iter().next(),
            files: self
                .stores
                .both()
                .map(|store| FileSize { file: store.file(), bytes: store.size_on_disk() })
                .to_vec(),
            capacities: self.capacities(),
            journal_due: self.count_due_entries(),
            answer_outbox: self.count_outbox(),
        }
    }

    /// Sets the bundled encoder, or why there is none: loading it takes a while, and the memory opens without waiting
    /// for it. Until then, and without it, recall uses words, scene and time.
    pub fn set_encoder(&self, encoder: Encoder) {
        self.retrieval.set_bundled_encoder(encoder);
    }

    /// Sets the dictionary that recall uses in books of both languages. Only the first one counts.
    pub fn set_translator(&self, translator: Arc<dyn Translator>) {
        self.retrieval.set_translator(translator);
    }

    /// Chooses another encoder with its display name; `None` for the bundled one alone. The bundled one serves until
    /// the other was reached and all its vectors are made, and whenever it does not answer.
    pub fn choose_encoder(&self, chosen: Option<(String, Connect)>) {
        self.retrieval.choose_encoder(chosen);
    }

    /// Cancels all background waits on the network. For shutdown.
    pub fn cancel_network_waits(&self) {
        self.retrieval.cancel_network_waits();
    }

    /// Whether a recall missed its project's vectors or vocabulary in memory; the next step of the index lane reads
    /// them.
    #[must_use]
    pub fn is_reading_wanted(&self) -> bool {
        self.retrieval.is_reading_wanted()
    }

    /// One bounded step of the background indexes: reads the vectors or the vocabulary of a project that a recall
    /// missed, or indexes the words of at most `limit` episodes, or removes some deleted episodes from the index, or
    /// writes the evidence of some, or makes the vectors of one, or merges a part of the index. Idempotent; the caller
    /// repeats it while the answer reports more.
    ///
    /// # Errors
    /// Those of the store; nothing of the step has happened then.
    fn index_step(&self, limit: u32) -> Result<word_index::Step> {
        let db = self.stores.episodes.open()?;
        if self.retrieval.read_wanted(&db)? {
            return Ok(word_index::Step { indexed: 0, more: true });
        }
        let words = self.retrieval.index_words(&db, limit)?;
        if words.more {
            return Ok(words);
        }
        if word_index::purge(&db)? {
            return Ok(word_index::Step { indexed: words.indexed, more: true });
        }
        let evidence = self.evidence_step_if_free(limit.saturating_mul(EVIDENCE_PER_WORD_STEP), true);
        if evidence.more {
            return Ok(evidence);
        }
        if !self.retrieval.names().are_known() {
            log_failure("read names", self.read_names());
        }
        // One at a time: encoding takes many times as long, and words of episodes recorded meanwhile go first.
        let vectors = self.retrieval.encode_some(&db, 1)?;
        let mut more = vectors.more || word_index::merge(&db)?;
        if !more && self.learning.has_failed() {
            more = self.evidence_step_if_free(limit.saturating_mul(EVIDENCE_PER_WORD_STEP), false).more;
        }
        Ok(word_index::Step { indexed: words.indexed + vectors.indexed, more })
    }
}
