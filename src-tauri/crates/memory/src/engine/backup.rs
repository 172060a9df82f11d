//! Backups: when they are made, which one serves while a file cannot, and how a backup replaces its file.

use std::{collections::HashMap, fs};

use super::{
    Engine,
    store::{ASIDE, RESTORING, Store, file_name},
};
use crate::{
    error::{Code, Error, OrLog, Result},
    lock::Mutex,
    maintenance::first_backup_due,
    model::{
        Backup, BackupReason, BegunAnew, Changed, Clearing, Erasure, HiddenName, Project, ProjectId, Restored, Rule,
        StoreFile, Time, Tombstone, TombstoneCause, Topic,
    },
    storage::{
        Database, Tx, answer_outbox, clear, deletions, erasures,
        evidence::{self, Pause},
        files, maintenance, names, projects, rules, tombstones,
    },
    validate,
};

/// State of the backups of each file, known without reading the disk.
#[derive(Default)]
pub(super) struct BackupState {
    /// Number of durable writes of each file at its last backup.
    backed_up: Mutex<[Option<u64>; 2]>,
    /// Time since which each file is known to hold data worth a backup and to have no backup.
    without_backup_since: Mutex<[Option<Time>; 2]>,
}

impl BackupState {
    /// Whether the last backup of a file has all its `writes`.
    fn is_current(&self, file: StoreFile, writes: u64) -> bool {
        self.backed_up.lock()[index_of(file)] == Some(writes)
    }

    /// A backup of a file with so many `writes` was made.
    fn note(&self, file: StoreFile, writes: u64) {
        self.backed_up.lock()[index_of(file)] = Some(writes);
    }

    /// The present file is another one.
    fn forget(&self, file: StoreFile) {
        self.backed_up.lock()[index_of(file)] = None;
    }

    /// Since when a file has needed its first backup, up to now; `None` where it does not need one.
    fn without_backup_since(&self, file: StoreFile, needs_one: bool, now: Time) -> Option<Time> {
        let mut since = self.without_backup_since.lock();
        let since = &mut since[index_of(file)];
        *since = if needs_one { since.or(Some(now)) } else { None };
        *since
    }
}

/// Index of a file in the arrays of [`BackupState`].
fn index_of(file: StoreFile) -> usize {
    usize::from(file == StoreFile::Episodes)
}

impl Engine {
    /// All backups, newest first.
    #[must_use]
    pub fn backups(&self) -> Vec<Backup> {
        self.stores.backups.list()
    }

    /// Backs both files up. A file that cannot be read is left out; its last good backup stays.
    ///
    /// # Errors
    /// Errors of the stores and of the disk, when neither file could be backed up.
    pub fn make_backups(&self, reason: BackupReason) -> Result<Changed<Vec<Backup>>> {
        let _alone = self.upkeep.lock_files();
        self.back_up(reason)
    }

    /// For callers that hold `upkeep`.
    pub(super) fn back_up(&self, reason: BackupReason) -> Result<Changed<Vec<Backup>>> {
        let mut made = Vec::new();
        let mut failed = None;
        for store in self.stores.both() {
            match self.back_up_one(store, reason) {
                Ok(backup) => made.extend(backup),
                Err(error) => failed = Some(store.examine(error)),
            }
        }
        if made.is_empty()
            && let Some(error) = failed
        {
            return Err(error);
        }
        self.thin_backups();
        Ok(Changed::new(made, None, [Topic::Backups]))
    }

    /// Deletes backups that newer ones make superfluous and returns how many. None is deleted while the clock is not
    /// plausible.
    pub(super) fn thin_backups(&self) -> u32 {
        if self.clock.doubt(&self.stores).is_some() { 0 } else { self.stores.backups.thin(self.clock.now()) }
    }

    /// The writer has seen that acknowledged writes are missing: the status reports them no longer.
    pub fn acknowledge_missing(&self) -> Changed<()> {
        self.stores.rules.forget_missing();
        self.stores.episodes.forget_missing();
        Changed::new((), None, [Topic::Maintenance])
    }

    /// Backs up the files that have changed. An error of either file is returned.
    pub(super) fn back_up_changes(&self) -> Result<u32> {
        let _alone = self.upkeep.lock_files();
        let mut made = 0;
        for store in self.stores.both() {
            let backup = self.back_up_one(store, BackupReason::Changed).map_err(|error| store.examine(error))?;
            made += u32::from(backup.is_some());
        }
        self.stores.backups.sweep();
        Ok(made)
    }

    /// Backs up a file that has held data worth a backup for a while and has no backup at all; `None` when no file is
    /// in that state.
    ///
    /// # Errors
    /// Those of the stores and of the disk; the next call tries again.
    pub(super) fn back_up_first(&self) -> Result<Option<Changed<Vec<Backup>>>> {
        let now = self.clock.now();
        let known = self.stores.backups.list();
        let mut made = Vec::new();
        for store in self.stores.both() {
            let needs_one = || -> Result<bool> {
                let has_backup = known.iter().any(|backup| backup.file == store.file());
                Ok(!has_backup && maintenance::is_worth_keeping(&*store.open()?.reader()?, store.file())?)
            };
            let needs_one = needs_one().map_err(|error| store.examine(error));
            let needs_one = needs_one.or_log("look for data without a backup").unwrap_or(false);
            let since = self.upkeep.backups.without_backup_since(store.file(), needs_one, now);
            if first_backup_due(now, since) {
                let _alone = self.upkeep.lock_files();
                made.extend(self.back_up_one(store, BackupReason::Changed).map_err(|error| store.examine(error))?);
            }
        }
        Ok((!made.is_empty()).then(|| Changed::new(made, None, [Topic::Backups])))
    }

    /// Moves a damaged file aside, or passes over a missing one, and creates an empty file in its place. For use when
    /// no backup exists. Projects known to this session stay known.
    ///
    /// # Errors
    /// `MEMORY_CLEAR_CONFIRM_REQUIRED` unless `confirmed`; `MEMORY_INVALID_ARGUMENT` for a file that serves;
    /// `MEMORY_STORE_UNAVAILABLE` for a file that another process holds or a disk that cannot be written;
    /// `MEMORY_WRITE_FAILED`. Nothing has changed then.
    pub fn begin_anew(&self, file: StoreFile, confirmed: bool) -> Result<Changed<BegunAnew>> {
        if !confirmed {
            return Err(Error::new(Code::ClearConfirmRequired, "beginning anew needs confirmed: true"));
        }
        let _alone = self.upkeep.lock_files();
        let store = self.stores.store(file);
        // Checks the whole file: a file may open and be damaged further on.
        let serves = || store.open()?.check_whole();
        match serves().map_err(|error| store.examine(error)) {
            Ok(()) => return Err(Error::invalid("file", "it is whole, and serves")),
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
        let part = store.path_with_suffix(RESTORING);
        store.sweep();
        Database::open(&part, store.schema())?.close();
        let aside = store.exists().then(|| format!("{ASIDE}{}", self.clock.now().millis()));
        let replaced = store.replace(&part, aside.as_deref());
        store.sweep();
        replaced?;
        let db = store.open()?;
        if file == StoreFile::Rules {
            let books = self.projects();
            db.write("store projects", |tx| books.iter().try_for_each(|book| projects::upsert(tx, book)))?;
        }
        self.drop_caches(file);
        let begun = BegunAnew { file, set_aside: aside.map(|aside| file_name(&store.path_with_suffix(&aside))) };
        Ok(Changed::new(begun, None, topics_of(file)))
    }

    pub(super) fn back_up_one(&self, store: &Store, reason: BackupReason) -> Result<Option<Backup>> {
        let db = store.open()?;
        // Counted before the file is read: a write that comes meanwhile may be in the backup or not.
        let writes = db.writes();
        if reason == BackupReason::Changed && self.upkeep.backups.is_current(store.file(), writes) {
            return Ok(None);
        }
        let made = self.stores.backups.make(&*db.reader()?, store.file(), reason, self.clock.now())?;
        self.upkeep.backups.note(store.file(), writes);
        Ok(made)
    }

    /// Replaces a file by one of its backups. Deletions and clearings since that backup stay in force. An intact file
    /// becomes a backup itself; a damaged file is moved aside and never deleted.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE` when the backup is damaged; `MEMORY_WRITE_FAILED`. The previous
    /// file is then still in place or among the backups.
    pub fn restore_backup(&self, backup_id: &str) -> Result<Changed<Restored>> {
        validate::identity("backupId", backup_id)?;
        let _alone = self.upkeep.lock_files();
        let backup = self.stores.backups.get(backup_id)?;
        // Else entries since the last note would be missing without a word.
        self.note_journal_heads(None);
        let store = self.stores.store(backup.file);
        let now = self.clock.now();
        let deleted_since = self.deletions_since(&backup);
        let part = store.path_with_suffix(RESTORING);
        files::remove_leftover(&part);
        self.stores.backups.prepare(&backup, &part, store.schema(), |tx| deleted_since.replay(tx, backup.file))?;
        let aside = match self.back_up_one(store, BackupReason::Restore) {
            Ok(_) => None,
            Err(error) if error.is_damage() => store.exists().then(|| format!("{ASIDE}{}", now.millis())),
            // Locked, or no space for a copy: the file must not be moved aside.
            Err(error) => return Err(error),
        };
        store.replace(&part, aside.as_deref()).inspect_err(|_| drop(fs::remove_file(&part)))?;
        store.open()?;
        self.drop_caches(backup.file);
        let set_aside = aside.map(|aside| file_name(&store.path_with_suffix(&aside)));
        let topics = topics_of(backup.file);
        let restored = Restored { restored: backup, set_aside };
        Ok(Changed::new(restored, None, topics))
    }

    /// Drops in-memory state read from a file that has been replaced.
    fn drop_caches(&self, file: StoreFile) {
        match file {
            StoreFile::Episodes => {
                self.retrieval.drop_project(None);
            }
            StoreFile::Rules => {
                self.stores.forget_rules_backup();
                self.clock.forget_written();
                self.books.refresh(&self.stores);
                self.learning.forget_pause();
                self.cache_settings();
            }
        }
        self.story.forget_writers(None);
        self.upkeep.backups.forget(file);
        self.note_journal_heads(Some(self.clock.now()));
    }

    /// Deletions since a backup was made, as far as the present files show.
    fn deletions_since(&self, backup: &Backup) -> DeletionsSince {
        // A backup from the future was made under a wrong clock: its time says nothing about later deletions.
        let is_from_the_future = backup.created_at > self.clock.now();
        let since = if is_from_the_future { Time::from_millis(i64::MIN) } else { backup.created_at };
        // Deletions that `rules.db` has not received yet.
        let unrecorded = || evidence::deleted(&*self.stores.episodes.open()?.reader()?);
        let unrecorded = unrecorded().or_log("read deletions of episodes").unwrap_or_default().into_iter().map(
            |(project_id, id)| deletions::Deletion {
                kind: deletions::EPISODE.to_owned(),
                id: id.to_string(),
                project_id: Some(project_id),
                at: self.clock.now(),
            },
        );
        let read = || -> Result<DeletionsSince> {
            let db = self.stores.rules.open()?;
            let reader = db.reader()?;
            let reader = reader.snapshot()?;
            Ok(DeletionsSince {
                deletions: deletions::list(&reader)?,
                deleted_rules: deletions::deleted_rules(&reader, since)?,
                clearings: clear::list(&reader)?,
                stones: tombstones::list(&reader)?,
                pauses: Some(evidence::pauses(&reader)?),
                pause: None,
                erasures: erasures::list(&reader)?,
                names: Some(names::list_by_project(&reader)?),
                books: projects::list(&reader)?,
                today: self.clock.day(),
                since,
            })
        };
        let mut deleted_since = read().or_log("read deletions").unwrap_or_else(|| DeletionsSince {
            pause: self.learning.last_known_pause(),
            since,
            // Where `rules.db` cannot be read: the records of its last good backup and of this session.
            erasures: self.stores.ask_rules_backup(erasures::list).map(|(_, all)| all).unwrap_or_default(),
            names: self.retrieval.names().by_project(),
            books: self.projects(),
            today: self.clock.day(),
            ..DeletionsSince::default()
        });
        deleted_since.erasures.extend(self.upkeep.erasures.under_way());
        deleted_since.deletions.extend(unrecorded);
        deleted_since
    }

    /// Records that the writer deleted an item, so that no restored backup brings it back. Runs in the transaction of
    /// `rules.db` that deletes it, or before one of `episodes.db`.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn note_deletion(&self, kind: &str, id: &str, project_id: Option<&ProjectId>) -> Result<()> {
        let now = self.clock.now();
        self.stores.rules.open()?.write("note a deletion", |tx| deletions::insert(tx, kind, id, project_id, now))
    }

    /// Receives every error of a command: where it shows a damaged file, the file is given up until it is repaired or
    /// replaced.
    pub fn examine(&self, error: Error) -> Error {
        self.stores.examine(error)
    }
}

/// The topics that change when a file is replaced.
fn topics_of(file: StoreFile) -> Vec<Topic> {
    let mut topics = match file {
        StoreFile::Rules => vec![
            Topic::Rules,
            Topic::Story,
            Topic::Knowledge,
            Topic::Settings,
            Topic::Projects,
            Topic::Models,
            Topic::Backends,
            Topic::Usage,
            Topic::Names,
        ],
        StoreFile::Episodes => {
            vec![Topic::Episodes, Topic::Traces, Topic::Story, Topic::Journal, Topic::Answers, Topic::Knowledge]
        }
    };
    topics.push(Topic::Backups);
    topics
}

/// Deletions that a restored backup must not revert.
#[derive(Default)]
struct DeletionsSince {
    deletions: Vec<deletions::Deletion>,
    deleted_rules: Vec<Rule>,
    clearings: Vec<Clearing>,
    stones: Vec<Tombstone>,
    /// Every pause of learning; `None` where they cannot be read.
    pauses: Option<Vec<Pause>>,
    /// The start of the pause in force, when known from elsewhere.
    pause: Option<Time>,
    erasures: Vec<Erasure>,
    /// The hidden names of all projects as they are now; `None` where they cannot be read.
    names: Option<HashMap<ProjectId, Vec<HiddenName>>>,
    /// The books that are known.
    books: Vec<Project>,
    /// YYYY-MM-DD.
    today: String,
    since: Time,
}

impl DeletionsSince {
    fn replay(&self, tx: &Tx<'_>, file: StoreFile) -> Result<()> {
        for clearing in self.clearings.iter().filter(|clearing| clearing.requested_at >= self.since) {
            let project = clearing.project_id.as_ref();
            match file {
                StoreFile::Rules => {
                    clear::erase_rules(tx, project)?;
                    if clearing.forgets_book {
                        clear::delete_projects(tx, project, &self.today)?;
                    }
                }
                StoreFile::Episodes => clear::erase_all_of(tx, project)?,
            }
        }
        if file == StoreFile::Rules {
            self.replay_pauses(tx)?;
            for clearing in &self.clearings {
                clear::upsert(tx, clearing)?;
            }
            // Known projects stay known and hide their current names.
            for book in &self.books {
                projects::upsert(tx, book)?;
            }
            for (project_id, list) in self.names_in(tx)? {
                names::replace(tx, &project_id, &list)?;
            }
            for erasure in &self.erasures {
                erasures::upsert(tx, erasure)?;
            }
            for rule in &self.deleted_rules {
                if rules::get(tx, &rule.id)?.is_some() {
                    rules::delete(tx, rule, None)?;
                }
            }
            // No run brings back a rule that the writer deleted.
            for stone in self.stones.iter().filter(|stone| stone.why == TombstoneCause::Deleted) {
                tombstones::insert(tx, stone)?;
            }
        }
        match file {
            StoreFile::Rules => erasures::apply_to_rules(tx, &self.erasures)?,
            StoreFile::Episodes => {
                erasures::apply_to_copy(tx, &self.erasures, &self.deletions)?;
                // They may have been sent since.
                answer_outbox::delete_all(tx)?;
            }
        }
        deletions::replay(tx, file, &self.deletions)?;
        for deletion in self.deletions.iter().filter(|deletion| deletion.kind == deletions::EPISODE) {
            if let Some(project_id) = &deletion.project_id {
                match file {
                    StoreFile::Rules => drop(evidence::delete(tx, project_id, &deletion.id.as_str().into())?),
                    StoreFile::Episodes => evidence::note_deleted(tx, project_id, &deletion.id.as_str().into())?,
                }
            }
        }
        // The file is another one: evidence is made of all episodes it may lack.
        evidence::forget_mark(tx)
    }

    /// The current map of each project that has a map in a backup or now; empty where the maps are not known.
    fn names_in(&self, tx: &Tx<'_>) -> Result<HashMap<ProjectId, Vec<HiddenName>>> {
        let Some(now) = &self.names else { return Ok(HashMap::new()) };
        let mut all = now.clone();
        for book in names::list_by_project(tx)?.into_keys() {
            all.entry(book).or_default();
        }
        Ok(all)
    }

    /// Restores whether learning is paused, and the use the writer chose for episodes recorded in each pause.
    fn replay_pauses(&self, tx: &Tx<'_>) -> Result<()> {
        match (&self.pauses, self.pause) {
            (Some(pauses), _) => evidence::replace_pauses(tx, pauses),
            (None, Some(started_at)) => evidence::upsert_pause(tx, &Pause { started_at, ended_at: None, used: false }),
            (None, None) => Ok(()),
        }
    }
}
