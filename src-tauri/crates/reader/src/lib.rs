//! What a book says, from its text alone.

pub mod names;
mod words;
