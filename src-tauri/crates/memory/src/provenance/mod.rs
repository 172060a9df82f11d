//! The weights of memories in a generation: the arithmetic behind "why was this written?".
//!
//! Pure: numbers in, numbers out, and words only to compare two texts. The engine collects the drafts and stores the
//! results.
//!
//! ```text
//! rule:    the draft's value of the rule's feature, among recent drafts ─┐
//! example: the draft's likeness to it, over that of unrelated drafts ────┼─► effects 0..½ ─► weights + remainder = 1
//! masked:  drafts with memories left out, regression ────────────────────┘
//! ```
//!
//! Two tiers, always named. [`compliance`] is free: whether the draft *follows* a memory, and whether drafts with the
//! memory differ from those without. It is called *estimated*. [`masked`] regenerates with memories left out and
//! estimates the *change*, with an interval. An effect that cannot be measured is `None` and weighs nothing; one that
//! may be chance weighs nothing either. `npm run eval:influence` compares both with a generator whose true effects are
//! known; every constant here was chosen on its tuning seeds.

pub mod compliance;
pub mod likeness;
pub mod masked;
mod statistics;
pub mod tally;
pub mod weights;
