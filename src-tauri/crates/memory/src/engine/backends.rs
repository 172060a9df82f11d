//! Programs of this machine that answer questions. The engine stores them; `api` runs them.

use super::Engine;
use crate::{
    error::{Error, Result},
    model::{Backend, BackendKind, Backends, Changed, SaveBackend, Topic},
    storage::backends,
    validate,
};

/// Maximum characters of a program's name for the writer.
const MAX_NAME_CHARS: usize = 80;
/// Maximum characters of a path.
const MAX_PROGRAM_CHARS: usize = 1_024;
/// Maximum characters of a model's name.
const MAX_MODEL_CHARS: usize = 200;
/// The most arguments of a program, and characters of each.
const MAX_ARGUMENTS: usize = 32;
const MAX_ARGUMENT_CHARS: usize = 1_000;
/// Stands for the model in an argument.
const MODEL: &str = "{model}";
/// The most programs that are stored.
const MAX_BACKENDS: usize = 32;

impl Engine {
    /// The programs that the writer has set up; while the store cannot be read, none, with the reason.
    #[must_use]
    pub fn backends(&self) -> Backends {
        let read = || backends::list(&*self.stores.rules.open()?.reader()?);
        read().unwrap_or_else(|error| Backends { backends: Vec::new(), unread: Some(error.message) })
    }

    /// Adds or changes a program.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for a further program beside 32; `MEMORY_NOT_FOUND`, those of the store.
    pub fn save_backend(&self, draft: SaveBackend) -> Result<Changed<Backend>> {
        let SaveBackend { backend_id, kind, name, program, arguments, model, isolation } = draft;
        validate::line("name", &name, MAX_NAME_CHARS)?;
        if let Some(id) = &backend_id {
            validate::identity("backendId", id)?;
        }
        let program = match (program, usual_program(kind)) {
            (Some(program), _) => program,
            (None, Some(usual)) => usual.to_owned(),
            (None, None) => return Err(Error::invalid("program", "a program of one's own needs one")),
        };
        check_program(&program)?;
        check_arguments(kind, &arguments, model.as_deref())?;
        let is_new = backend_id.is_none();
        let now = self.clock.now();
        let backend = Backend {
            backend_id: backend_id.unwrap_or_else(|| self.ids.next(now)),
            kind,
            name: name.trim().to_owned(),
            program,
            arguments,
            model,
            isolation,
        };
        self.stores.rules.open()?.write("save a program", |tx| {
            let known = backends::list(tx)?.backends;
            if is_new && known.len() >= MAX_BACKENDS {
                return Err(Error::invalid("backendId", "there are 32 programs already"));
            }
            if !is_new && !known.iter().any(|one| one.backend_id == backend.backend_id) {
                return Err(unknown_backend());
            }
            backends::upsert(tx, &backend, now)
        })?;
        Ok(Changed::new(backend, None, [Topic::Backends]))
    }

    /// Deletes a program from the list. The program itself stays.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn delete_backend(&self, backend_id: &str) -> Result<Changed<String>> {
        validate::identity("backendId", backend_id)?;
        self.stores.rules.open()?.write("delete a program", |tx| {
            if backends::delete(tx, backend_id)? { Ok(()) } else { Err(unknown_backend()) }
        })?;
        Ok(Changed::new(backend_id.to_owned(), None, [Topic::Backends]))
    }
}

fn unknown_backend() -> Error {
    Error::not_found("backendId", "program")
}

/// The usual name of the program of a kind.
fn usual_program(kind: BackendKind) -> Option<&'static str> {
    match kind {
        BackendKind::Claude => Some("claude"),
        BackendKind::Codex => Some("codex"),
        BackendKind::Gemini => Some("gemini"),
        BackendKind::Own => None,
    }
}

/// Refuses a relative path: it would depend on the folder that this process was started in.
fn check_program(program: &str) -> Result<()> {
    validate::line("program", program, MAX_PROGRAM_CHARS)?;
    let is_name = !program.contains(['/', '\\']) && program != "." && program != "..";
    if is_name || std::path::Path::new(program).is_absolute() {
        Ok(())
    } else {
        Err(Error::invalid("program", "neither an absolute path nor a name"))
    }
}

fn check_arguments(kind: BackendKind, arguments: &[String], model: Option<&str>) -> Result<()> {
    if let Some(model) = model {
        validate::line("model", model, MAX_MODEL_CHARS)?;
        if model.starts_with('-') {
            return Err(Error::invalid("model", "would be read as an option"));
        }
    }
    if kind != BackendKind::Own && !arguments.is_empty() {
        return Err(Error::invalid("arguments", "only a program of one's own has them"));
    }
    if arguments.len() > MAX_ARGUMENTS {
        return Err(Error::invalid("arguments", "too many"));
    }
    for argument in arguments.iter().filter(|argument| !argument.is_empty()) {
        validate::line("arguments", argument, MAX_ARGUMENT_CHARS)?;
    }
    let has_place = arguments.iter().any(|argument| argument.contains(MODEL));
    match (kind, has_place, model) {
        (BackendKind::Own, true, None) => Err(Error::invalid("model", "an argument names it")),
        (BackendKind::Own, false, Some(_)) => Err(Error::invalid("model", "no argument has a place for it")),
        _ => Ok(()),
    }
}
