//! What a book says, from its text alone.

pub mod drift;
pub mod mentions;
pub mod names;
pub mod passages;
pub mod presence;
pub mod speech;
pub mod times;
mod words;
