//! The memory of a writing assistant: what happened, what was learned, what goes into the next prompt, and why a
//! passage was written the way it was.
//!
//! A library in the strict sense: no network, no ambient clock or randomness, nothing printed. Everything the outside
//! supplies comes through [`ports`]; everything that can be done is a method of [`Engine`]. Modules depend downwards
//! only: `engine` → `context` → `semantic` → `working`, `episodic`, `provenance` → `retrieval` → `storage` → `model`, `ports`, `error`.

pub mod context;
mod engine;
pub mod episodic;
mod error;
mod lock;
pub mod maintenance;
pub mod model;
mod plausibility;
pub mod ports;
pub mod provenance;
pub mod retrieval;
pub mod semantic;
mod storage;
pub mod testing;
mod validate;
pub mod working;

pub use engine::{
    Assembled, Begun, ClearingWatch, CountOutside, DistillRequest, Engine, Masking, NewTrace, Options, RECOVERY_COPIES,
    Ticket, Visit, asks_for_lower_case, background,
};
pub use error::{Code, Details, Error, OrLog, Origin, Result, WhileDoing, log_failure};
pub use retrieval::encoders::{Connect, Encoder};
pub use validate::scene_type as check_scene_type;
