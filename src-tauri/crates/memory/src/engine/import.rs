//! Import: a file is read through, tried, and then imported by one transaction a database.
//!
//! Invariant: all of it is imported or nothing. The file to import is copied into the data folder until both databases
//! have it; an interrupted import is finished when the memory is opened again. Invariant: importing existing data
//! changes nothing, so that an import can be repeated.

mod episodes;
mod knowledge;
mod owners;
mod reading;
mod rules;

use std::{
    io,
    path::{Path, PathBuf},
};

use palimpsest_files::{Access, Error as FileError, Folder};
use rusqlite::Connection;

use self::reading::{Lines, Numbered, other_project_error};
pub(super) use self::reading::{open_limited, refusal};
use super::{Engine, export::cannot_write, log_failure};
use crate::{
    error::{Code, Error, Result},
    lock::{Mutex, MutexGuard, Rank},
    model::{BackupReason, Changed, Imported, KindTaken, ProjectId, Reason, Topic},
    storage::{
        Ending,
        backup::{put_in_place, sync_folder},
        erasures, files,
        lines::{KINDS, Kind},
    },
};

/// The file that both databases are about to import.
const PENDING: &str = "import.pending";
/// The same file while it is copied.
const COPYING: &str = "import.part";

/// The outcome of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    New,
    Newer,
    Same,
    Conflicting,
    LeftOut,
}

/// Counts of each kind.
#[derive(Clone)]
struct Tally(Vec<KindTaken>);

impl Default for Tally {
    fn default() -> Self {
        Self(KINDS.iter().map(|kind| KindTaken::none(kind.record)).collect())
    }
}

impl Tally {
    fn add(&mut self, kind: &Kind, verdict: Verdict) {
        let Some(taken) = self.0.iter_mut().find(|taken| taken.kind == kind.record) else { return };
        *match verdict {
            Verdict::New => &mut taken.new,
            Verdict::Newer => &mut taken.newer,
            Verdict::Same => &mut taken.same,
            Verdict::Conflicting => &mut taken.conflicting,
            Verdict::LeftOut => &mut taken.left_out,
        } += 1;
    }

    fn report(self) -> Vec<KindTaken> {
        let nothing = |taken: &KindTaken| *taken == KindTaken::none(taken.kind);
        self.0.into_iter().filter(|taken| !nothing(taken)).collect()
    }
}

/// Compares a line with the existing row under its key.
///
/// # Errors
/// `MEMORY_SCOPE_DENIED` where that row belongs to another project.
fn compare_with_stored(db: &Connection, one: &Numbered) -> Result<Verdict> {
    let Some(here) = one.line.kind().find(db, &one.line)? else { return Ok(Verdict::New) };
    match (here.project(), one.line.project()) {
        (Some(here), Some(there)) if here != there => Err(other_project_error(one.number)),
        _ if here == one.line => Ok(Verdict::Same),
        _ => Ok(Verdict::Conflicting),
    }
}

/// Held while a file is copied and imported: one at a time. Taken before the lock of whole files, so that a slowly read
/// file delays nothing else.
pub(super) struct Imports(Mutex<()>);

impl Default for Imports {
    fn default() -> Self {
        Self(Mutex::new(Rank::Import, ()))
    }
}

impl Imports {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.0.lock()
    }
}

impl Engine {
    /// Imports a file of [`Engine::export`], after a backup of both databases. Rows of the same version stay; newer
    /// rows of the file replace older ones; items that the writer deleted, here or there, are deleted. `dry_run` only
    /// returns the outcome.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, with the number of the refused line and the reason in `details`;
    /// `MEMORY_SCOPE_DENIED` where a row here belongs to another project; `MEMORY_CAPACITY_EXCEEDED`; those of the
    /// stores. Nothing is imported then, unless a store failed at the very end: then the import is finished as soon as
    /// possible, at the latest when the memory is opened again.
    pub fn import(&self, path: &Path, dry_run: bool) -> Result<Changed<Imported>> {
        let _one_at_a_time = self.imports.lock();
        let part = self.data_file(COPYING);
        let imported = self.copy_in(path).and_then(|()| self.import_copy(&part, dry_run));
        files::remove_leftover(&part);
        imported
    }

    /// Copies a file into the data folder, so that a concurrent change of the original cannot alter it between two
    /// reads.
    fn copy_in(&self, path: &Path) -> Result<()> {
        // A file that is too large or has another format is not copied.
        drop(Lines::open(path)?);
        let mut source = reading::open_limited(path, reading::MAX_BYTES)?;
        let refused = |error: FileError| Error::not_written(&error);
        let data = self.data_folder().canonicalize().map_err(|error| cannot_write(&error))?;
        let place = Folder::open(&data).and_then(|folder| folder.file(COPYING)).map_err(refused)?;
        place.remove().map_err(refused)?;
        let mut copy = place.create(Access::OwnerOnly).map_err(refused)?;
        io::copy(&mut source, &mut copy).map_err(|error| cannot_write(&error))?;
        read_through(&self.data_file(COPYING))
    }

    fn import_copy(&self, part: &Path, dry_run: bool) -> Result<Changed<Imported>> {
        let _alone = self.upkeep.lock_files();
        self.nothing_is_cleared()?;
        self.finish_import()?;
        let kinds = self.import_file(part, Ending::RollBack)?;
        let tried = Imported { dry_run, kinds, backed_up: false };
        if dry_run || !tried.changes() {
            return Ok(Changed::new(tried, None, []));
        }
        self.back_up_before_import()?;
        let pending = self.data_file(PENDING);
        put_in_place(part, &pending)?;
        // The basis of a run under way is about to change.
        self.stop_distilling(None);
        let kinds = self.import_pending(&pending, false)?;
        Ok(Changed::new(Imported { dry_run: false, kinds, backed_up: true }, None, TOPICS))
    }

    /// Removes the partial copy that a crash left.
    pub(super) fn remove_interrupted_copy(&self) {
        files::remove_leftover(&self.data_file(COPYING));
    }

    /// Backs up the databases that will change; without a backup nothing is imported.
    pub(super) fn back_up_before_import(&self) -> Result<()> {
        for store in self.stores.both() {
            self.back_up_one(store, BackupReason::Import).map_err(|error| store.examine(error))?;
        }
        self.thin_backups();
        Ok(())
    }

    /// Whether a pending import could not be finished yet.
    pub(super) fn is_import_wanted(&self) -> bool {
        self.data_file(PENDING).exists()
    }

    /// Finishes an interrupted import; returns the changes.
    ///
    /// # Errors
    /// Those of the stores; the import then stays pending.
    pub(super) fn go_on_importing(&self) -> Result<Option<Changed<()>>> {
        let _alone = self.upkeep.lock_files();
        // An import that was under way has ended meanwhile.
        let wanted = self.is_import_wanted();
        self.finish_import()?;
        Ok(wanted.then(|| Changed::new((), None, TOPICS)))
    }

    /// Finishes an import that a crash or an unavailable store interrupted.
    ///
    /// # Errors
    /// Those of the stores; the import then stays pending.
    pub(super) fn finish_import(&self) -> Result<()> {
        let pending = self.data_file(PENDING);
        if !pending.exists() {
            return Ok(());
        }
        if let Err(error) = read_through(&pending) {
            if matches!(error.reason(), Some(Reason::NoFile | Reason::Unreadable)) {
                return Err(Error::new(Code::StoreUnavailable, "what is still to come in cannot be read"));
            }
            // The copy was complete when it got this name.
            remove_file(&pending);
            return Ok(());
        }
        self.import_pending(&pending, true).map(drop)
    }

    /// `again`: one database may have it already.
    fn import_pending(&self, pending: &Path, again: bool) -> Result<Vec<KindTaken>> {
        let kinds = match self.import_file(pending, Ending::Commit) {
            Ok(kinds) => kinds,
            Err(PartialImport { error, in_one }) => {
                // Where one database has it, the other must get it too.
                let passes = matches!(error.code, Code::StoreUnavailable | Code::WriteFailed);
                if !(passes && (in_one || again)) {
                    remove_file(pending);
                }
                return Err(*error);
            }
        };
        remove_file(pending);
        self.books.refresh(&self.stores);
        self.learning.forget_pause();
        log_failure("read names", self.read_names());
        self.story.forget_followed(None);
        self.story.note_change(None);
        self.cache_settings();
        Ok(kinds)
    }

    /// Imports a file that was read through; both transactions end as `ending` says. Both commit or none, except in the
    /// moment between two commits.
    fn import_file(
        &self,
        file: &Path,
        ending: fn(Vec<KindTaken>) -> Ending<Vec<KindTaken>>,
    ) -> Result<Vec<KindTaken>, PartialImport> {
        let whole = |error| PartialImport { error: Box::new(error), in_one: false };
        let (rules_db, episodes_db) =
            (self.stores.rules.open().map_err(whole)?, self.stores.episodes.open().map_err(whole)?);
        let (now, standing) = (self.clock.now(), self.standing_rules());
        let cited = |project: &ProjectId| self.cited(project);
        let mut in_one = false;
        let taken = rules_db.write_or_roll_back("import rules", |tx| {
            let mut tally = Tally::default();
            let carried = rules::import_lines(tx, &mut Lines::open(file)?, &mut tally, now, &*self.ids)?;
            // A file from before an erasure brings none of the erased words back.
            let erased = erasures::list(tx)?;
            erasures::apply_to_rules(tx, &erased)?;
            let mut removed_rows = Vec::new();
            let kinds = episodes_db.write_or_roll_back("import episodes", |tx| {
                let mut tally = tally.clone();
                removed_rows =
                    episodes::import_lines(tx, &mut Lines::open(file)?, &mut tally, &carried, &cited, (now, standing))?;
                removed_rows.extend(erasures::apply_to_episodes(tx, &erased)?);
                Ok(ending(tally.report()))
            })?;
            let ended = ending(kinds);
            if let Ending::Commit(_) = &ended {
                in_one = true;
                self.retrieval.remove_rows(&removed_rows);
            }
            Ok(ended)
        });
        taken.map_err(|error| PartialImport { error: Box::new(error), in_one })
    }

    fn data_file(&self, name: &str) -> PathBuf {
        self.stores.rules.path_with_suffix("").with_file_name(name)
    }
}

/// An error, and whether one of the two databases has committed.
struct PartialImport {
    error: Box<Error>,
    in_one: bool,
}

impl From<PartialImport> for Error {
    fn from(half: PartialImport) -> Self {
        *half.error
    }
}

/// Reads a file from its header to its end.
fn read_through(path: &Path) -> Result<()> {
    let mut lines = Lines::open(path)?;
    while lines.next()?.is_some() {}
    Ok(())
}

fn remove_file(path: &Path) {
    files::remove_leftover(path);
    if let Some(folder) = path.parent() {
        sync_folder(folder);
    }
}

/// Topics that an import changes.
const TOPICS: [Topic; 9] = [
    Topic::Rules,
    Topic::Episodes,
    Topic::Traces,
    Topic::Journal,
    Topic::Answers,
    Topic::Knowledge,
    Topic::Names,
    Topic::Projects,
    Topic::Backups,
];

#[cfg(test)]
mod tests;
