//! Questions to a book.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// A question that was asked about a book.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EarlierQuestion {
    /// In one line; one without a kept answer ends with an ellipsis after 300 characters.
    pub question: String,
    /// The last time that it was asked.
    pub asked_at: Time,
    /// True if the program ended before its answer.
    pub is_interrupted: bool,
}

impl fmt::Debug for EarlierQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EarlierQuestion").field("asked_at", &self.asked_at).finish_non_exhaustive()
    }
}
