//! A database file that is opened on first use, given up when it is damaged or missing, and tried again on later calls.
//!
//! Invariant: no write is acknowledged into a file that is no longer in its place. Invariant: a file that existed once,
//! as its backups show, is not silently created again.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use super::folder::FolderLock;
use crate::{
    error::{Code, Error, Result},
    lock::{Rank, RwLock},
    model::{Backup, BackupReason, Cause, PartHealth, PartState, Reason, StoreFile},
    ports::Clock,
    storage::{
        Database, PartLog, Schema,
        backup::{Backups, sync_folder},
        count::CountFile,
        files,
    },
};

/// Suffixes of the other files of a database.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// A database file, open or not.
pub(super) struct Store {
    pub(super) path: PathBuf,
    schema: Schema,
    backups: Backups,
    clock: Arc<dyn Clock>,
    state: RwLock<State>,
    /// Released after the file is closed.
    lock: Arc<FolderLock>,
    /// Logs when the file cannot be opened, and when it can again.
    part_log: Arc<PartLog>,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    /// Signature and error of the file when it was found damaged: while the signature is unchanged, it is not opened
    /// again.
    damaged: Option<(Signature, Error)>,
}

struct Open {
    database: Arc<Database>,
    seen: Option<Signature>,
}

impl Open {
    fn is_same_file(&self, signature: Option<Signature>) -> bool {
        matches!((self.seen, signature), (Some(a), Some(b)) if a.identity == b.identity)
    }
}

/// Shows, without reading the file, whether it is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Signature {
    identity: (u64, u64),
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Signature {
    /// `None` when there is no file.
    fn read(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self { identity: files::identity(&metadata), bytes: metadata.len(), modified: metadata.modified().ok() })
    }
}

impl Store {
    pub(super) fn new(
        path: PathBuf,
        schema: Schema,
        backups: Backups,
        clock: Arc<dyn Clock>,
        lock: Arc<FolderLock>,
        part_log: Arc<PartLog>,
    ) -> Self {
        Self { path, schema, backups, clock, state: RwLock::new(Rank::Opening, State::default()), lock, part_log }
    }

    /// Returns the database, opened if needed.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`, with the reason `damaged`, `foreignSchema` or `notAFile` where a backup has to
    /// replace the file, `lockLost` where another process has the data folder, `logLost` where the log was removed
    /// while in use.
    pub(super) fn open(&self) -> Result<Arc<Database>> {
        self.opened().inspect_err(|error| {
            self.part_log.log_change(&PartHealth::unavailable(self.file().part(), error.into()));
        })
    }

    fn opened(&self) -> Result<Arc<Database>> {
        self.lock.ensure_held()?;
        let signature = Signature::read(&self.path);
        if let Some(open) = &self.state.read().open
            && open.seen == signature
            && open.database.is_log_in_place()
        {
            return Ok(Arc::clone(&open.database));
        }
        let mut state = self.state.write();
        if let Some(open) = &state.open
            && open.is_same_file(Signature::read(&self.path))
            && !open.database.is_log_in_place()
        {
            open.database.rescue(&format!("{ASIDE}{}", self.clock.now().millis()))?;
            state.open = None;
        }
        if let Some(open) = &mut state.open {
            if self.is_in_place(open) {
                return Ok(Arc::clone(&open.database));
            }
            self.give_up(&mut state);
        }
        let signature = Signature::read(&self.path);
        if let Some((seen, error)) = &state.damaged
            && Some(*seen) == signature
        {
            return Err(error.clone());
        }
        state.damaged = None;
        if signature.is_none_or(|signature| signature.bytes == 0) && self.has_backups() {
            return Err(Error::unavailable(Reason::FileGone, "the file is gone; a backup can be put in its place"));
        }
        let before_migration = |connection: &_| {
            let now = self.clock.now();
            self.backups.make(connection, self.file(), BackupReason::Migration, now).map(drop)
        };
        match Database::open_and(&self.path, self.schema, before_migration) {
            Ok(database) => {
                let database = Arc::new(database.logging_to(Arc::clone(&self.part_log)));
                self.part_log.log_change(&PartHealth::serving(self.file().part(), PartState::Ok));
                state.open = Some(Open { database: Arc::clone(&database), seen: Signature::read(&self.path) });
                Ok(database)
            }
            Err(error) if error.is_damage() => {
                let error = with_fixed_wording(error);
                state.damaged = Signature::read(&self.path).map(|signature| (signature, error.clone()));
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the open file is still the file under its name. The signature changes with every checkpoint, so the file
    /// is read, through a connection without a cache.
    fn is_in_place(&self, open: &mut Open) -> bool {
        let signature = Signature::read(&self.path);
        if open.seen == signature {
            return true;
        }
        let is_same = open.is_same_file(signature);
        match open.database.probe() {
            Ok(()) if is_same => {
                open.seen = signature;
                true
            }
            // Possibly locked: that does not show a changed content.
            Err(error) if is_same && !error.is_damage() => true,
            _ => false,
        }
    }

    /// Closes a file that is damaged, replaced or missing.
    fn give_up(&self, state: &mut State) {
        let Some(open) = state.open.take() else { return };
        if Signature::read(&self.path).is_none() {
            // The deleted file exists as long as it is open: the last chance to back it up.
            let now = self.clock.now();
            let copied = open.database.copy_out(|connection| {
                self.backups.make(connection, self.file(), BackupReason::Changed, now).map(drop)
            });
            super::log_failure("back up deleted file", copied);
        }
        open.database.close();
    }

    /// The state: `None` when it reads and writes, else why the last write failed.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub(super) fn health(&self) -> Result<Option<Cause>> {
        let db = self.open()?;
        db.check_schema().map_err(|error| self.examine(error))?;
        Ok(db.write_trouble())
    }

    /// Whether the file is known to be unavailable.
    pub(super) fn is_given_up(&self) -> bool {
        self.state.read().open.is_none()
    }

    /// Receives every error: where it shows damage, the whole file is checked and given up if damaged. Returns the
    /// error.
    pub(super) fn examine(&self, error: Error) -> Error {
        if !error.is_damage() {
            return error;
        }
        let open = self.state.read().open.as_ref().map(|open| Arc::clone(&open.database));
        let Some(database) = open else { return error };
        let check = || database.probe().and_then(|()| database.check_whole());
        if check().is_err_and(|found| found.is_damage()) {
            let mut state = self.state.write();
            if state.open.as_ref().is_some_and(|open| Arc::ptr_eq(&open.database, &database)) {
                self.give_up(&mut state);
                // After closing, because the checkpoint on closing changes the file.
                state.damaged =
                    Signature::read(&self.path).map(|signature| (signature, with_fixed_wording(error.clone())));
            }
        }
        error
    }

    /// Size on disk in bytes, with its log; 0 for a missing file.
    pub(super) fn size_on_disk(&self) -> u64 {
        let bytes = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        bytes(&self.path) + bytes(&self.path_with_suffix(BESIDE[0]))
    }

    /// Which of the two files this is.
    pub(super) fn file(&self) -> StoreFile {
        self.schema.file()
    }

    pub(super) fn schema(&self) -> Schema {
        self.schema
    }

    /// Deletes the leftovers of a restore that a crash interrupted.
    pub(super) fn sweep(&self) {
        for suffix in ["", "-journal", "-wal", "-shm", "-writes"].map(|beside| format!("{RESTORING}{beside}")) {
            files::remove_leftover(&self.path_with_suffix(&suffix));
        }
    }

    /// A path next to the file, for a temporary replacement.
    pub(super) fn path_with_suffix(&self, suffix: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(suffix);
        name.into()
    }

    fn has_backups(&self) -> bool {
        self.backups.list().iter().any(|Backup { file, .. }| *file == self.file())
    }

    /// Replaces the file by a finished one. `aside` is the suffix under which the old file is renamed; without it the
    /// old file is deleted.
    ///
    /// # Errors
    /// `MEMORY_WRITE_FAILED`. In every case one of the two files, or a backup, still exists.
    pub(super) fn replace(&self, with: &Path, aside: Option<&str>) -> Result<()> {
        let mut state = self.state.write();
        if let Some(open) = state.open.take() {
            open.database.close();
        }
        state.damaged = None;
        let failed = |error: std::io::Error| {
            Error::new(Code::WriteFailed, format!("the file cannot be replaced: {}", error.kind()))
                .caused_by(error)
                .while_doing("replace a file")
        };
        // The log of the old file would be applied to the new one.
        CountFile::for_database(&self.path).reset();
        for beside in ["", BESIDE[0], BESIDE[1]] {
            let from = self.path_with_suffix(beside);
            match aside {
                Some(aside) if from.exists() => {
                    fs::rename(&from, self.path_with_suffix(&format!("{aside}{beside}"))).map_err(failed)?;
                }
                None if !beside.is_empty() && from.exists() => fs::remove_file(&from).map_err(failed)?,
                _ => {}
            }
        }
        files::tighten(with);
        fs::rename(with, &self.path).map_err(failed)?;
        if let Some(folder) = self.path.parent() {
            sync_folder(folder);
        }
        Ok(())
    }

    /// Whether a file of this name exists.
    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Number of acknowledged writes that are missing and that the writer has not acknowledged.
    pub(super) fn missing(&self) -> u64 {
        CountFile::for_database(&self.path).missing()
    }

    /// The writer has acknowledged the missing writes.
    pub(super) fn forget_missing(&self) {
        CountFile::for_database(&self.path).forget_missing();
    }
}

/// Between the name of a damaged file and the time at which it was moved aside.
pub(super) const ASIDE: &str = ".corrupt-";

/// Suffix of a file that is prepared from a backup.
pub(super) const RESTORING: &str = ".restoring";

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Gives page damage the one sentence that the interface knows; other damage has its sentence already.
fn with_fixed_wording(error: Error) -> Error {
    let is_of_pages = error.reason() == Some(Reason::Damaged);
    if !is_of_pages {
        return error;
    }
    Error { origin: error.origin, ..Error::damaged("the file is damaged; a backup can be put in its place") }
}
