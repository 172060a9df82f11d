//! The memory of a writing assistant: what happened, what was learned, what goes into the next prompt, and why a
//! passage was written the way it was.
//!
//! A library in the strict sense: no network, no ambient clock or randomness, nothing printed. Everything the outside
//! supplies comes through [`ports`]; everything that can be done is a method of [`Engine`]. Modules depend downwards
//! only: `engine` → `context` → `semantic`, `journal` → `working`, `episodic`, `provenance`, `story` → `retrieval` →
//! `storage` → `model`, `ports`, `error`.
//!
//! The feature `evaluation` opens the parts that tests and evaluations use.

#![cfg_attr(not(feature = "evaluation"), allow(unreachable_pub))]

mod context;
mod engine;
#[cfg(feature = "evaluation")]
pub mod episodic;
#[cfg(not(feature = "evaluation"))]
mod episodic;
mod error;
mod journal;
mod lock;
mod maintenance;
pub mod model;
mod plausibility;
pub mod ports;
#[cfg(feature = "evaluation")]
pub mod provenance;
#[cfg(not(feature = "evaluation"))]
mod provenance;
mod retrieval;
#[cfg(feature = "evaluation")]
pub mod semantic;
#[cfg(not(feature = "evaluation"))]
mod semantic;
mod storage;
mod story;
#[cfg(any(test, feature = "evaluation"))]
pub mod testing;
mod validate;
mod working;

/// The plan of a measurement that regenerates a draft with memories left out.
pub mod regeneration {
    pub use crate::provenance::masked::{Mask, RUNS, seed_of};
}

pub use context::{DEFAULT_BUDGET, MIN_BUDGET, asked_words, plainer_prompt};
pub use engine::{
    ASK_SKILL, AdvancedStudy, Assembled, Begun, BegunInquiry, ChapterEpisode, ChapterMemories, ChapterTitle,
    ChapterTitles, ChooseRecords, CitedStatement, ClearingWatch, ComparedPair, ComparedSentences, ComparisonPrompt,
    CountOutside, DistillRequest, EndedInquiry, Engine, Inquiry, InquiryEnd, InquiryPrompt, InquiryWords,
    ListedChapters, Masking, MemoryMove, NeedSource, NewInquiry, NewTrace, Options, QuotedChapter, QuotedPassage,
    RECOVERY_COPIES, SavedText, ServiceAnswers, ServiceRequest, StudyAround, StudyGapsPrompt, StudyHost, StudySummary,
    Ticket, ToolResult, Visit, asks_for_lower_case, background, guess_scene,
};
pub use error::{Code, Details, Error, OrLog, Origin, Result, WhileDoing, log_failure};
pub use maintenance::JOBS;
pub use retrieval::encoders::{Connect, Encoder};
pub use validate::scene_type as check_scene_type;
