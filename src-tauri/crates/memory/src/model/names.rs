//! Names that are hidden from models.

use serde::{Deserialize, Serialize};
use specta::Type;

/// A name of a project and its alias for models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HiddenName {
    /// As in the manuscript, 1 to 100 characters with a letter among them. Unique in the project.
    pub name: String,
    /// The alias that is sent, 1 to 100 characters. Unique in the project, and contains no listed name.
    pub alias: String,
    /// Whether the lower-case form is hidden too. `null`: yes, unless it is an everyday word (`Will`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub lower_case: Option<LowerCase>,
}

/// The treatment of a name in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum LowerCase {
    /// The name is hidden in lower case too.
    Hidden,
    /// Sent unchanged: in lower case it is a word and no name.
    Kept,
}

/// A form of a hidden name that occurs in the manuscript and is sent unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NameForm {
    /// The listed name.
    pub name: String,
    /// The form in its most frequent spelling.
    pub form: String,
    /// Number of occurrences in the chapters, 1 or more.
    pub count: u32,
}
