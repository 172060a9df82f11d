//! Programs of this machine that answer questions: the commands, and the backend of a run.

use std::{path::PathBuf, sync::Arc, time::Duration};

use palimpsest_agents::{Assistant, Fence, Isolation, Limits, Program, Programs, RunBackend};
use palimpsest_memory::{
    Code,
    model::{Backend, BackendIsolation, BackendKind, Reason, SaveBackend},
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Api, dto::NoArguments, error::ApiError};

/// The programs that the writer has set up.
#[derive(Debug, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BackendList {
    /// In the order in which they were added.
    backends: Vec<Backend>,
    /// The reason why some are missing, in English; absent if all could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    degraded_reason: Option<String>,
}

/// The known programs that are installed.
#[derive(Debug, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundBackends {
    /// At most one of each kind.
    programs: Vec<FoundBackend>,
    /// The fence of their runs.
    fence: BackendFence,
}

/// A known program that is installed.
#[derive(Debug, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundBackend {
    kind: BackendKind,
    /// Its absolute path.
    program: String,
}

/// The obstacle to reading other files than the copy of the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum BackendFence {
    /// The system: Landlock.
    System,
    /// Its own options.
    Asked,
    /// Nothing prevents it.
    None,
}

/// The arguments of a command about one program.
#[derive(Debug, Deserialize, Serialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BackendArguments {
    backend_id: String,
}

/// A program that was deleted from the list.
#[derive(Debug, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedBackend {
    backend_id: String,
}

/// The result of a test.
#[derive(Debug, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestedBackend {
    /// The first line that the program prints about its version, at most 100 characters; `null` without one.
    version: Option<String>,
    /// Whether a question can be asked.
    ready: bool,
    /// The fence of its runs.
    fence: BackendFence,
    /// The reason why no question can be asked; `null` if one can.
    reason: Option<Reason>,
}

impl From<Fence> for BackendFence {
    fn from(fence: Fence) -> Self {
        match fence {
            Fence::System => Self::System,
            Fence::Asked => Self::Asked,
            Fence::None => Self::None,
        }
    }
}

fn kind_of(assistant: Assistant) -> BackendKind {
    match assistant {
        Assistant::Claude => BackendKind::Claude,
        Assistant::Codex => BackendKind::Codex,
        Assistant::Gemini => BackendKind::Gemini,
        Assistant::Own => BackendKind::Own,
    }
}

/// The reason of an error or of a test on the wire.
pub(crate) fn reason_of(reason: palimpsest_agents::Reason) -> Reason {
    use palimpsest_agents::Reason as Fault;
    match reason {
        Fault::ProgramMissing => Reason::ProgramMissing,
        Fault::NotLoggedIn => Reason::NotLoggedIn,
        Fault::NotFenced => Reason::NotFenced,
        Fault::UntrustedFolder => Reason::UntrustedFolder,
        Fault::VersionTooOld => Reason::VersionTooOld,
        Fault::StartFailed => Reason::StartFailed,
        Fault::Silent => Reason::Silent,
        Fault::Timeout => Reason::Timeout,
        Fault::TooMuch => Reason::TooMuch,
        Fault::WroteFiles => Reason::WroteFiles,
        Fault::NamesUnread => Reason::NamesUnread,
    }
}

fn program_of(backend: Backend) -> Program {
    Program {
        kind: match backend.kind {
            BackendKind::Claude => Assistant::Claude,
            BackendKind::Codex => Assistant::Codex,
            BackendKind::Gemini => Assistant::Gemini,
            BackendKind::Own => Assistant::Own,
        },
        name: backend.name,
        program: backend.program,
        arguments: backend.arguments,
        model: backend.model,
        isolation: match backend.isolation {
            BackendIsolation::System => Isolation::Always,
            BackendIsolation::Asked => Isolation::WhereNeeded,
        },
    }
}

/// The backend of a run.
impl Api {
    /// The program of an id, ready to run questions. Starts nothing.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn run_backend(&self, backend_id: &str) -> Result<Arc<dyn RunBackend>, ApiError> {
        Ok(self.limited_programs().backend(program_of(self.find_backend(backend_id)?)))
    }

    /// The programs with the limits that the settings `control.*` have now.
    fn limited_programs(&self) -> Programs {
        let (control, usual) = (self.engine.run_control(), self.programs.limits());
        let time = |changed: Option<u64>, usual: Duration| changed.map_or(usual, Duration::from_millis);
        self.programs.with_limits(Limits {
            first_line: time(control.changed(|control| control.max_first_line_ms), usual.first_line),
            silence: time(control.changed(|control| control.max_silence_ms), usual.silence),
            tool_silence: time(control.changed(|control| control.max_tool_silence_ms), usual.tool_silence),
            total: time(control.changed(|control| control.max_run_ms), usual.total),
            after_result: time(control.changed(|control| control.max_after_result_ms), usual.after_result),
            grace: time(control.changed(|control| control.abort_grace_ms), usual.grace),
            concurrent_runs: control.changed(|control| control.max_concurrent_runs).unwrap_or(usual.concurrent_runs),
            ..usual.clone()
        })
    }

    /// The limits of a run of a program that starts now.
    #[must_use]
    pub fn run_limits(&self) -> Limits {
        self.limited_programs().limits().clone()
    }

    /// The folders that no program may read: the data folder, and the folder of every known book.
    #[must_use]
    pub fn folders_to_protect(&self) -> Vec<PathBuf> {
        let protected = self.engine.protected();
        protected.books.into_iter().chain([protected.data_folder]).collect()
    }

    fn find_backend(&self, backend_id: &str) -> Result<Backend, ApiError> {
        let known = self.engine.backends();
        let found = known.backends.into_iter().find(|one| one.backend_id == backend_id);
        found.ok_or_else(|| match known.unread {
            None => ApiError::not_found("backendId", "program"),
            Some(reason) => ApiError::new(Code::StoreUnavailable, reason),
        })
    }
}

/// The commands.
impl Api {
    pub(crate) fn backend_list(&self, _: NoArguments) -> Result<BackendList, ApiError> {
        let known = self.engine.backends();
        Ok(BackendList { backends: known.backends, degraded_reason: known.unread })
    }

    pub(crate) fn backend_find(&self, _: NoArguments) -> Result<FoundBackends, ApiError> {
        let found = self.programs.find().into_iter();
        let programs = found
            .map(|(kind, path)| FoundBackend { kind: kind_of(kind), program: path.to_string_lossy().into_owned() });
        Ok(FoundBackends { programs: programs.collect(), fence: self.programs.fence(Assistant::Claude).into() })
    }

    pub(crate) fn backend_save(&self, args: SaveBackend) -> Result<Backend, ApiError> {
        Ok(self.emit_changed(self.engine.save_backend(args)?))
    }

    pub(crate) fn backend_delete(&self, args: BackendArguments) -> Result<DeletedBackend, ApiError> {
        let backend_id = self.emit_changed(self.engine.delete_backend(&args.backend_id)?);
        Ok(DeletedBackend { backend_id })
    }

    pub(crate) fn backend_test(&self, args: BackendArguments) -> Result<TestedBackend, ApiError> {
        let program = program_of(self.find_backend(&args.backend_id)?);
        let tested = self.limited_programs().test(&program, &self.folders_to_protect());
        Ok(TestedBackend {
            version: tested.version,
            ready: tested.is_ready,
            fence: tested.fence.into(),
            reason: tested.reason.map(reason_of),
        })
    }
}
