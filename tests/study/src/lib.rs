//! The study behind `npm run eval:learning`: simulated writers who choose and edit, real writers who are replayed, and
//! scores of the learned rules. It is a library of its own, so that its tests run without the programs of
//! `tests/measure`.

pub mod checks;
mod dice;
mod evidence;
pub mod figures;
mod life;
mod operations;
pub mod prose;
pub mod replay;
mod score;
#[cfg(test)]
mod smoke;
pub mod study;
mod writer;
