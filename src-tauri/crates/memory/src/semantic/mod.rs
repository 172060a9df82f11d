//! Semantic memory: the rules, and the writer's operations on them.

pub mod by_model;
pub mod conflict;
pub mod evidence;
pub mod lexicon;
pub mod mending;
pub mod reconcile;
pub mod rules;
pub mod sheet;
pub mod triggers;
pub mod wording;
