//! Findings in a book, from its text alone.
//!
//! Text goes in (and, for Chinese, the words of a tagger), findings come out; there is no storage, no model and no
//! clock here. The engine passes its chapters, and an evaluation can do so without a database (`npm run eval:story`).
//!
//! ```text
//! chapter  ─► passages                 whole paragraphs, the unit of search and citation
//! chapters ─► names ─► mentions        characters, places, things, factions; which forms are one; where they stand
//!                 ├──► speech          who speaks, where a verb of speech is beside a name
//!                 ├──► drift           names that are probably misspelt
//!                 └──► presence        who is where, and with whom, as of a position
//! chapter  ─► times                    dates, distances and ages, with their arithmetic
//! ```
//!
//! Everything is a deterministic function of its arguments, takes time in proportion to the text, and accepts any text.
//! What the chapters of a Chinese book say of names is kept in a [`names::ZhBook`], which finds the same as without it.
//! Offsets are bytes. What a book says up to a position is found by passing the chapters up to it: what is not passed
//! has no influence, so that nothing of a later chapter can show in an earlier one.

pub mod drift;
pub mod mentions;
pub mod names;
pub mod numbers;
pub mod passages;
pub mod presence;
pub mod speech;
pub mod times;
mod words;
