//! The two database files with their backups, and reading from a backup while a file cannot serve.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rusqlite::Connection;

use super::{folder::FolderLock, store::Store};
use crate::{
    error::{Error, OrLog, Result},
    lock::Mutex,
    model::{MissingWrites, PartHealth, StoreFile, Time},
    ports::Clock,
    storage::{PartLog, Schema, backup::Backups},
};

/// The files of one data folder.
pub(super) struct Stores {
    pub(super) rules: Store,
    pub(super) episodes: Store,
    pub(super) backups: Backups,
    data_dir: PathBuf,
    /// Logs parts that go down and heal.
    part_log: Arc<PartLog>,
    /// The verified backup that serves while `rules.db` cannot.
    rules_backup: Mutex<Option<String>>,
}

impl Stores {
    /// The files of a data folder; each is opened on first use.
    pub(super) fn new(data_dir: PathBuf, clock: &Arc<dyn Clock>, lock: &Arc<FolderLock>) -> Self {
        let backups = Backups::new(&data_dir);
        let part_log: Arc<PartLog> = Arc::default();
        let store = |name, schema| {
            let (clock, lock, part_log) = (Arc::clone(clock), Arc::clone(lock), Arc::clone(&part_log));
            Store::new(data_dir.join(name), schema, backups.clone(), clock, lock, part_log)
        };
        Self {
            rules: store("rules.db", Schema::Rules),
            episodes: store("episodes.db", Schema::Episodes),
            backups,
            part_log,
            rules_backup: Mutex::default(),
            data_dir,
        }
    }

    /// The folder of the two files.
    pub(super) fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Both files, `rules.db` first.
    pub(super) fn both(&self) -> [&Store; 2] {
        [&self.rules, &self.episodes]
    }

    /// One of the two files.
    pub(super) fn store(&self, file: StoreFile) -> &Store {
        match file {
            StoreFile::Rules => &self.rules,
            StoreFile::Episodes => &self.episodes,
        }
    }

    /// Deletes the leftovers of interrupted backups and restores.
    pub(super) fn sweep(&self) {
        self.backups.sweep();
        self.both().into_iter().for_each(Store::sweep);
    }

    /// Logs the parts whose health has changed since it was last known.
    pub(super) fn note_parts(&self, parts: &[PartHealth]) {
        parts.iter().for_each(|part| self.part_log.log_change(part));
    }

    /// Which files lack writes that were acknowledged, and how many.
    pub(super) fn missing_writes(&self) -> Vec<MissingWrites> {
        let of = |store: &Store| MissingWrites {
            file: store.file(),
            count: u32::try_from(store.missing()).unwrap_or(u32::MAX),
        };
        self.both().map(of).into_iter().filter(|missing| missing.count > 0).collect()
    }

    /// Receives every error: where it shows a damaged file, the file is given up until it is repaired or replaced.
    /// Returns the error.
    pub(super) fn examine(&self, error: Error) -> Error {
        if !error.is_damage() || self.both().into_iter().any(Store::is_given_up) {
            // The known damage explains the error; another full read would add nothing.
            return error;
        }
        self.episodes.examine(self.rules.examine(error))
    }

    /// Reads from `rules.db`, or from its last good backup while the file cannot serve; in that case with the reason.
    ///
    /// # Errors
    /// Those of the store, when there is no good backup either.
    pub(super) fn ask_rules<T>(&self, read: impl Fn(&Connection) -> Result<T>) -> Result<(T, Option<String>)> {
        let now = || read(&*self.rules.open()?.reader()?);
        let error = match now() {
            Ok(found) => return Ok((found, None)),
            Err(error) => self.rules.examine(error),
        };
        match self.ask_rules_backup(read) {
            Some((at, found)) => {
                Ok((found, Some(format!("rules are read-only, as they were at {at}: {}", error.message))))
            }
            None => Err(error),
        }
    }

    /// Reads from the last good backup of `rules.db` and returns its time too; `None` when there is none.
    pub(super) fn ask_rules_backup<T>(&self, read: impl Fn(&Connection) -> Result<T>) -> Option<(Time, T)> {
        // The backup that was verified before is not verified again.
        let known = self.rules_backup.lock().clone();
        let verified = known.and_then(|id| self.backups.get(&id).ok()).and_then(|backup| {
            let found = self.backups.open(&backup).and_then(|connection| read(&connection));
            Some((backup.created_at, found.or_log("read a backup")?))
        });
        if verified.is_some() {
            return verified;
        }
        let (backup, found) = self.backups.newest_good(StoreFile::Rules, &read)?;
        *self.rules_backup.lock() = Some(backup.backup_id);
        Some((backup.created_at, found))
    }

    /// The present `rules.db` is another file: the backup of the old one no longer stands in for it.
    pub(super) fn forget_rules_backup(&self) {
        *self.rules_backup.lock() = None;
    }
}
