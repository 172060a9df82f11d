//! Decisions about answers: which are injected into a prompt, which a run validates, which are kept, and how far they
//! are trusted.
//!
//! Pure decisions over numbers and words: there is no storage, no clock and no randomness here. Times are arguments, in
//! milliseconds since 1970. The engine reads its rows, calls these functions and commits their results.
//!
//! ```text
//! search ─► matches ─► gate::prepare_inject ─► prompt ─► run
//! run ─► marks ─► RunOutcome ─► assess::assess_quality ─► Assessment
//!     ─► candidate::extract_candidate ─► Candidate or a refusal
//!     ─► decide::MemoryWriteDecider ─► hits, validations, candidate or why not
//! chapter, card ─► use_signals ─► validations
//! validations ─► standing::fold ─► level, trust, failures, blocked       the steps of the documents
//!             ─► posterior ─► the chance that it is right, with an interval
//! recorded matches ─► replay ─► what other settings would have decided
//! ```
//!
//! The names are those of the documents of the system (`docs/glossary.md`, Answers). Every decision comes with its
//! reasons, so that the interface can say why an answer was or was not used.

pub mod assess;
pub mod candidate;
pub mod config;
pub mod config_file;
pub mod decide;
pub mod gate;
pub mod marks;
pub mod nearness;
pub mod posterior;
pub mod relevance;
pub mod replay;
pub mod settings;
pub mod standing;
pub mod use_signals;
pub mod validation;
