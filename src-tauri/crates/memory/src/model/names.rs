//! Names that stay at home.

use serde::{Deserialize, Serialize};
use specta::Type;

/// A name of a book, and what models read instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HiddenName {
    /// As the manuscript has it, 1 to 100 characters with a letter among them. Each stands once.
    pub name: String,
    /// What is sent in its place, 1 to 100 characters. No two names share one, and no name stands in one.
    pub alias: String,
}
