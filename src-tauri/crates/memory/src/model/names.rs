//! Names that are hidden from models.

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
    /// Whether it is hidden in lower case too. Without an answer a name is, unless its lower case is an everyday word
    /// (`Will`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub lower_case: Option<LowerCase>,
}

/// What happens to a name in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum LowerCase {
    /// It is hidden.
    Hidden,
    /// It is sent as it is: there it is a word and no name.
    Kept,
}

/// A form of a hidden name that stands in the book and is sent as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NameForm {
    /// The name on the list that it is a form of.
    pub name: String,
    /// The form, as it stands in the book most often.
    pub form: String,
    /// Occurrences in the chapters, 1 or more.
    pub count: u32,
}
