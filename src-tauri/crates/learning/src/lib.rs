//! What a writer prefers, from numbers alone.
//!
//! Rows of evidence go in, rules with their confidence come out; there is no text, no storage and no clock here. The
//! engine folds its rows through [`distil`], and an evaluation can do so without a database.
//!
//! ```text
//! features of texts ─ spread ─► evidence ─► Row      one a choice, one an edit
//! rows ─► fold: an e-process per (stratum × feature × direction)      valid at any time of looking
//!      ─► select: e-BH over features, then scope                      a writer without preference ends with no rule
//!      ─► readable: few rules, each with support of its own
//!      ─► confidence, drift
//! ```
//!
//! Everything is a deterministic function of the rows and of what the writer said: a run can be repeated, and an undo or
//! a deleted episode is a changed row and nothing else.

mod confidence;
mod distil;
mod drift;
pub mod ebh;
mod eprocess;
pub mod evidence;
mod fold;
mod readable;
mod row;
mod scope;
mod shadow;
mod spread;

pub use confidence::{AGEING, Confidence, PRIOR, Prequential, WRONG};
pub use distil::{Found, Nothing, Outcome, Restart, Retired, Settings, Standing, State, Verdict, Why, distil};
pub use drift::{CLAIM, Drift, THRESHOLD};
pub use eprocess::{CHOICE, EProcess, Purses, WRITTEN, ln_sum};
pub use row::{Direction, Kind, Order, Row, Stratum};
pub use spread::{SHIPPED, Spread};
