//! How much each memory weighed in what was written: the arithmetic behind "why was this written?".
//!
//! Pure: numbers in, numbers out, and words only to compare two texts. The engine gathers the drafts and keeps the
//! answers.
//!
//! ```text
//! rule:    the draft's value of the rule's feature, among recent drafts ─┐
//! example: the draft's likeness to it, over that of unrelated drafts ────┼─► effects 0..½ ─► weights + remainder = 1
//! masked:  drafts with memories left out, regression ────────────────────┘
//! ```
//!
//! Two tiers, always named. [`compliance`] is free: whether the draft *does* what a memory asks for, and whether drafts
//! that had the memory differ from those that had not. It is called *estimated*. [`masked`] regenerates with memories
//! left out and says what *changes*, with an interval. What cannot be measured is `None` and weighs nothing; what cannot
//! be told from chance weighs nothing either. `npm run eval:influence` holds both against a generator whose truth is
//! known; every constant here was chosen on its tuning seeds.

pub mod compliance;
pub mod likeness;
pub mod masked;
mod statistics;
pub mod tally;
pub mod weights;
