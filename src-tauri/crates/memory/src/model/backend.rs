//! Programs of this machine that answer questions.

use serde::{Deserialize, Serialize};
use specta::Type;

/// The kind of a program that answers questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum BackendKind {
    /// Claude Code.
    Claude,
    /// OpenAI's Codex.
    Codex,
    /// The Gemini CLI.
    Gemini,
    /// A program of the writer's own, whose output is the answer.
    Own,
}

/// The condition under which a run needs the fence of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum BackendIsolation {
    /// Always.
    System,
    /// Where names are hidden, or the copy of the book ends before the book does. Otherwise the program's own options
    /// that keep it from writing are enough.
    #[default]
    Asked,
}

/// A program that answers questions, as it is stored. It belongs to the installation, not to a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Backend {
    /// Id; stays when other fields change.
    pub backend_id: String,
    /// Decides over the arguments, and how the output is read.
    pub kind: BackendKind,
    /// The writer's name for it, 1 to 80 characters.
    pub name: String,
    /// An absolute path, or a name that is looked up in `PATH`.
    pub program: String,
    /// The arguments of a program of the kind `own`, `{model}` for the model; empty for other kinds.
    pub arguments: Vec<String>,
    /// The model that is asked of the program; `null` for its own choice.
    pub model: Option<String>,
    /// The condition under which its runs need the fence of the system.
    pub isolation: BackendIsolation,
}

/// A program to be added or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveBackend {
    /// Id of the program to change; adds one where it is missing.
    #[serde(default)]
    pub backend_id: Option<String>,
    /// Decides over the arguments, and how the output is read.
    pub kind: BackendKind,
    /// The writer's name for it, 1 to 80 characters.
    pub name: String,
    /// An absolute path, or a name that is looked up in `PATH`; by default the usual name of the kind. Required for
    /// `own`.
    #[serde(default)]
    pub program: Option<String>,
    /// The arguments of a program of the kind `own`: at most 32 of 1,000 characters, `{model}` for the model.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The model that is asked of the program, 1 to 200 characters.
    #[serde(default)]
    pub model: Option<String>,
    /// By default `asked`.
    #[serde(default)]
    pub isolation: BackendIsolation,
}

/// The programs that the writer has set up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backends {
    /// In the order in which they were added.
    pub backends: Vec<Backend>,
    /// The reason why some are missing; `None` if all could be read.
    pub unread: Option<String>,
}
