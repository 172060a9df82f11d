//! Statistics of a writer's preferences, over numbers alone.
//!
//! Rows of evidence go in, rules with their confidence come out; there is no text, no storage and no clock here. The
//! engine passes its rows to [`distill`], and an evaluation can do so without a database.
//!
//! ```text
//! features of texts ─ spread ─► evidence ─► Row      one a choice, one an edit
//! rows ─► fold: an e-process per (stratum × feature × direction)      valid at any stopping time
//!      ─► select: e-BH over features, then scope                      a writer without preference gets no rule
//!      ─► readable: few rules, each with support of its own
//!      ─► confidence, drift
//! ```
//!
//! Everything is a deterministic function of the rows and of the writer's verdicts: a run can be repeated, and an undo
//! or a deleted episode only changes a row.

mod by_products;
mod confidence;
mod distill;
mod drift;
pub mod ebh;
mod eprocess;
pub mod evidence;
mod fold;
mod input;
mod readable;
mod row;
mod scope;
mod spread;

pub use confidence::{AGEING_FACTOR, Confidence, DISAGREEMENTS_PER_WRONG, PRIOR, Prequential};
pub use distill::{NoRuleReason, Outcome, Retired, SupportedRule, distill};
pub use drift::{DEFAULT_CLAIM, Drift, RETIRE_THRESHOLD};
pub use eprocess::{CHOICE_LAMBDAS, EProcess, PairedEProcess, WRITTEN_LAMBDAS, ln_sum};
pub use input::{ActiveRule, Restart, RestartCause, Settings, State, Verdict};
pub use row::{Direction, Kind, Order, Row, Stratum};
pub use spread::{SHIPPED_TABLE_WEIGHT, Spread};
