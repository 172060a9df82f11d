//! Clearing a book's memory, or all of it: the intent first, then the deletion in bounded steps, then the audit line.
//!
//! Invariant: from the intent to the end no request returns data that is being cleared; an interrupted clearing is
//! finished when the memory is opened again.

use std::{
    collections::HashMap,
    ops::Deref,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    Engine, log_failure,
    store::{ASIDE, RESTORING, file_name},
    stores::Stores,
};
use crate::{
    error::{Code, Error, Result},
    lock::{Condvar, Mutex, MutexGuard, VisitMark},
    model::{BackupReason, Changed, ClearedCounts, Clearing, ClearingStep, Project, ProjectId, Reason, Topic},
    storage::{Schema, clear, words},
    validate,
};

/// Rows deleted in one transaction, which takes about ten milliseconds.
const MAX_ROWS_PER_STEP: u32 = 200;
/// Pages of the word index rewritten in one transaction.
const MAX_PAGES_PER_STEP: i32 = 256;

/// Name of the folder of recovery copies in the data folder.
pub const RECOVERY_COPIES: &str = "unsaved";

/// Called at each step of a clearing, on the thread that runs it.
pub type ClearingWatch = Arc<dyn Fn(ClearingStep) + Send + Sync>;

/// Clearings under way, and the operations that use a project meanwhile.
#[derive(Default)]
pub(super) struct Clearings {
    state: Mutex<State>,
    left: Condvar,
    watch: Mutex<Option<ClearingWatch>>,
}

#[derive(Default)]
struct State {
    /// Begun and not finished. Cached here so that a check does not read the disk.
    under_way: Vec<Clearing>,
    /// Whether clearings of an earlier session were looked up.
    is_loaded: bool,
    /// Number of running operations by project.
    visits: HashMap<ProjectId, usize>,
}

impl State {
    fn closes(&self, project_id: &ProjectId) -> bool {
        self.under_way.iter().any(|clearing| clearing.project_id.as_ref().is_none_or(|id| id == project_id))
    }
}

/// Holds a project's memory open for one operation: no clearing of it begins before this is dropped.
pub struct Visit<'a> {
    project: Project,
    clearings: &'a Clearings,
    _mark: VisitMark,
}

impl Deref for Visit<'_> {
    type Target = Project;
    fn deref(&self) -> &Project {
        &self.project
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let mut state = self.clearings.lock();
        if let Some(inside) = state.visits.get_mut(&self.project.project_id) {
            *inside -= 1;
            if *inside == 0 {
                state.visits.remove(&self.project.project_id);
            }
        }
        self.clearings.left.notify_all();
    }
}

impl Clearings {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Looks up, once, the clearings that an earlier session left.
    ///
    /// # Errors
    /// Those of the store; the next call tries again.
    pub(super) fn load_unfinished(&self, stores: &Stores) -> Result<()> {
        if self.lock().is_loaded {
            return Ok(());
        }
        let left = clear::unfinished(&*stores.rules.open()?.reader()?)?;
        let mut state = self.lock();
        if !state.is_loaded {
            state.is_loaded = true;
            state.under_way.extend(left);
        }
        Ok(())
    }

    /// Whether a clearing is under way, or could not be looked up yet.
    pub(super) fn is_any_open(&self) -> bool {
        let state = self.lock();
        !state.is_loaded || !state.under_way.is_empty()
    }

    /// The clearings that are begun and not finished.
    fn under_way(&self) -> Vec<Clearing> {
        self.lock().under_way.clone()
    }

    fn set_watch(&self, watch: Option<ClearingWatch>) {
        *self.watch.lock() = watch;
    }

    /// Whether a project's memory is being cleared.
    pub(super) fn closes(&self, project_id: &ProjectId) -> bool {
        self.lock().closes(project_id)
    }

    fn visit(&self, project: Project) -> Result<Visit<'_>> {
        let mut state = self.lock();
        if state.closes(&project.project_id) {
            return Err(closed());
        }
        *state.visits.entry(project.project_id.clone()).or_default() += 1;
        Ok(Visit { project, clearings: self, _mark: VisitMark::new() })
    }

    /// Refuses new operations and waits until the running ones have ended.
    fn stop_operations(&self, clearing: &Clearing) {
        let mut state = self.lock();
        state.under_way.push(clearing.clone());
        let inside = |state: &mut State| match &clearing.project_id {
            Some(id) => state.visits.contains_key(id),
            None => !state.visits.is_empty(),
        };
        self.left.wait_while(&mut state, inside);
    }

    fn reopen(&self, clearing_id: &str) {
        self.lock().under_way.retain(|clearing| clearing.clearing_id != clearing_id);
    }

    pub(super) fn report(&self, step: ClearingStep) {
        let watch = self.watch.lock().clone();
        if let Some(watch) = watch {
            watch(step);
        }
    }
}

/// The error of a project that is being cleared.
pub(super) fn closed() -> Error {
    Error::unavailable(Reason::Clearing, "this memory is being cleared")
}

impl Engine {
    /// Opens the memory of a project for one operation.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE` while it is being cleared.
    pub fn visit(&self, project_id: &ProjectId) -> Result<Visit<'_>> {
        self.upkeep.clearings.visit(self.known_project(project_id)?)
    }

    /// Deletes everything remembered about one project: episodes, traces, vectors, index, rules with history, and their
    /// copies in backups. The manuscript, the project and its hidden names stay. `by` goes into the audit log; `closed`
    /// runs when no operation uses the project any more.
    ///
    /// # Errors
    /// `MEMORY_CLEAR_CONFIRM_REQUIRED` unless `confirmed`; nothing has changed then. `MEMORY_NOT_FOUND`, those of the
    /// stores. A clearing that has begun is finished at the latest when the memory is opened again; until then the
    /// project's memory is unavailable.
    pub fn clear_project(
        &self,
        project_id: &ProjectId,
        confirmed: bool,
        by: &str,
        closed: &dyn Fn(),
    ) -> Result<Changed<ClearedCounts>> {
        self.clear(confirmed, Some(project_id), false, by, closed)
    }

    /// Clears a project's memory as [`Engine::clear_project`] does, and then forgets the project: its title, folder,
    /// names and recovery copies. The manuscript stays; when it is opened again, it is a new project to the memory.
    ///
    /// # Errors
    /// As [`Engine::clear_project`].
    pub fn forget_project(
        &self,
        project_id: &ProjectId,
        confirmed: bool,
        by: &str,
        closed: &dyn Fn(),
    ) -> Result<Changed<ClearedCounts>> {
        self.clear(confirmed, Some(project_id), true, by, closed)
    }

    /// Deletes everything remembered, and forgets all projects with their titles, folders, names and recovery copies.
    /// Manuscripts stay, and so do models, settings and today's usage, which the daily limit needs.
    ///
    /// # Errors
    /// As [`Engine::clear_project`].
    pub fn clear_all(&self, confirmed: bool, by: &str, closed: &dyn Fn()) -> Result<Changed<ClearedCounts>> {
        self.clear(confirmed, None, true, by, closed)
    }

    /// All clearings, newest first: requester, time, counts.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub fn clearing_log(&self) -> Result<Vec<Clearing>> {
        clear::list(&*self.stores.rules.open()?.reader()?)
    }

    /// Whether a clearing or an erasure is unfinished, or could not be looked up yet.
    pub(super) fn is_clearing_wanted(&self) -> bool {
        self.upkeep.clearings.is_any_open() || self.upkeep.erasures.is_any_open()
    }

    /// Continues clearings and erasures that a crash or an unavailable store interrupted; returns
    /// the changes.
    ///
    /// # Errors
    /// Those of the stores; the work then stays unfinished.
    pub(super) fn finish_clearings(&self) -> Result<Option<Changed<()>>> {
        let _alone = self.upkeep.lock_files();
        self.upkeep.clearings.load_unfinished(&self.stores)?;
        let under_way = self.upkeep.clearings.under_way();
        let mut done = None;
        for clearing in under_way {
            let project = clearing.project_id.clone();
            self.carry_out(clearing)?;
            done = Some(match done {
                None => project,
                Some(other) => {
                    if other == project {
                        project
                    } else {
                        None
                    }
                }
            });
        }
        if self.finish_erasures()? {
            done = Some(None);
        }
        Ok(done.map(|project| Changed::new((), project, TOPICS)))
    }

    /// Sets the callback for each step of a clearing: for a progress display, and for tests that stop it there.
    pub fn watch_clearing(&self, watch: Option<ClearingWatch>) {
        self.upkeep.clearings.set_watch(watch);
    }

    fn clear(
        &self,
        confirmed: bool,
        project_id: Option<&ProjectId>,
        forgets: bool,
        by: &str,
        closed: &dyn Fn(),
    ) -> Result<Changed<ClearedCounts>> {
        require(confirmed)?;
        project_id.map(|id| self.known_project(id)).transpose()?;
        validate::identity("requestedBy", by)?;
        let _alone = self.upkeep.lock_files();
        self.upkeep.clearings.load_unfinished(&self.stores)?;
        // A pending import comes in first and is cleared with the rest.
        self.finish_import()?;
        let now = self.clock.now();
        let mut clearing = Clearing {
            clearing_id: self.ids.next(now),
            project_id: project_id.cloned(),
            requested_by: by.to_owned(),
            requested_at: now,
            finished_at: None,
            counts: ClearedCounts::default(),
            forgets_book: forgets,
        };
        self.upkeep.clearings.stop_operations(&clearing);
        closed();
        if let Err(error) = self.begin(&mut clearing) {
            // Nothing has changed.
            self.upkeep.clearings.reopen(&clearing.clearing_id);
            return Err(error);
        }
        self.upkeep.clearings.report(ClearingStep::Begun);
        let counts = self.carry_out(clearing)?;
        let mut topics = TOPICS.to_vec();
        if forgets {
            topics.extend([Topic::Projects, Topic::Settings, Topic::Names, Topic::Usage, Topic::Backups]);
        }
        // A forgotten book changes the list of books, which belongs to no project.
        let concerned = project_id.filter(|_| !forgets).cloned();
        Ok(Changed::new(counts, concerned, topics))
    }

    /// Writes the intent and, in the same transaction, deletes the rows of `rules.db`.
    fn begin(&self, clearing: &mut Clearing) -> Result<()> {
        let project = clearing.project_id.as_ref();
        // Counted before any row is deleted: an interrupted clearing still reports the full number at the end.
        let counts = clear::count(&*self.stores.episodes.open()?.reader()?, project)?;
        clearing.counts = self.stores.rules.open()?.write("clear rules", |tx| {
            let (rules, rule_versions) = clear::erase_rules(tx, project)?;
            if clearing.forgets_book {
                clear::delete_projects(tx, project, &self.clock.day())?;
            }
            let counts = ClearedCounts { rules, rule_versions, ..counts };
            clear::upsert(tx, &Clearing { counts, ..clearing.clone() })?;
            Ok(counts)
        })?;
        Ok(())
    }

    /// Runs from the intent to the end. Every step is idempotent.
    fn carry_out(&self, mut clearing: Clearing) -> Result<ClearedCounts> {
        let project = clearing.project_id.as_ref();
        clearing.counts.working_items = self.clear_in_memory(project);
        let episodes = self.stores.episodes.open()?;
        while episodes.write("clear episodes", |tx| clear::erase_some(tx, project, MAX_ROWS_PER_STEP))? {
            self.upkeep.clearings.report(ClearingStep::Erased);
        }
        let mut more = episodes.write("purge the index", |tx| words::purge(tx, MAX_PAGES_PER_STEP, true))?;
        while more {
            self.upkeep.clearings.report(ClearingStep::WordsPurged);
            more = episodes.write("purge the index", |tx| words::purge(tx, MAX_PAGES_PER_STEP, false))?;
        }
        episodes.write_derived("purge the index", |tx| words::set_purge(tx, None))?;
        episodes.compact()?;
        self.upkeep.clearings.report(ClearingStep::EpisodesCompacted);
        let rules = self.stores.rules.open()?;
        rules.compact()?;
        self.upkeep.clearings.report(ClearingStep::RulesCompacted);
        // The entry as it will be in the log: a backup restored later must contain it.
        let finished = Clearing { finished_at: Some(self.clock.now()), ..clearing.clone() };
        clearing.counts.backups += self.clear_backups(&finished)?;
        self.upkeep.clearings.report(ClearingStep::BackupsCleared);
        self.answer_audit.erase(project)?;
        self.remove_copies(project)?;
        if clearing.forgets_book {
            let data_dir = self.stores.data_dir();
            remove_recovery_copies(data_dir, project)?;
        }
        // State that was read before the store was empty and cached only now.
        self.clear_in_memory(project);
        if clearing.forgets_book {
            self.drop_projects(project);
        }
        clearing.finished_at = finished.finished_at;
        rules.write("finish a clearing", |tx| clear::upsert(tx, &clearing))?;
        self.upkeep.clearings.reopen(&clearing.clearing_id);
        self.upkeep.clearings.report(ClearingStep::Finished);
        Ok(clearing.counts)
    }

    /// Empties the in-memory state and returns how many working items that were.
    fn clear_in_memory(&self, project_id: Option<&ProjectId>) -> u32 {
        self.retrieval.drop_project(project_id);
        if project_id.is_none() {
            self.learning.forget_pause();
        }
        self.traces.forget(project_id);
        self.story.forget_writers(project_id);
        let books = project_id.map_or_else(|| self.working.project_ids(), |id| vec![id.to_owned()]);
        let items: usize = books.iter().map(|id| self.working.drain(id).len()).sum();
        u32::try_from(items).unwrap_or(u32::MAX)
    }

    /// Removes the cleared data from the backups too; damaged files that were set aside are deleted whole, because
    /// nothing can be removed from them. Returns the number of files.
    fn clear_backups(&self, finished: &Clearing) -> Result<u32> {
        let project = finished.project_id.as_ref();
        let mut concerned = remove_set_aside(&self.stores.rules.path_with_suffix(""))?;
        if project.is_none() {
            self.stores.backups.sweep();
            for backup in self.stores.backups.list() {
                self.stores.backups.delete(&backup.backup_id)?;
                concerned += 1;
            }
            return Ok(concerned);
        }
        let day = self.clock.day();
        let rules = self.stores.backups.rewrite(Schema::Rules, &|tx| {
            clear::erase_rules(tx, project)?;
            if finished.forgets_book {
                clear::delete_projects(tx, project, &day)?;
            }
            clear::upsert(tx, finished)
        })?;
        let episodes = self.stores.backups.rewrite(Schema::Episodes, &|tx| clear::erase_all_of(tx, project))?;
        for done in [rules, episodes] {
            concerned += done.rewritten + done.deleted;
        }
        // The remaining file is the only copy of other projects' data where their backups could not be rewritten. Best
        // effort: the disk may be full, and the clearing frees space on it.
        log_failure("back up after clearing", self.back_up(BackupReason::Clearing));
        Ok(concerned)
    }
}

/// Deletes the damaged files that were moved aside next to `file`, recognised by their names, and leftovers of an
/// interrupted restore; returns how many.
pub(super) fn remove_set_aside(file: &Path) -> Result<u32> {
    let mut removed = 0;
    for path in set_aside(file)? {
        std::fs::remove_file(&path).map_err(cannot_delete)?;
        removed += 1;
    }
    Ok(removed)
}

/// The damaged files that were moved aside next to `file`, and leftovers of an interrupted restore.
pub(super) fn set_aside(file: &Path) -> Result<Vec<PathBuf>> {
    let Some(data_dir) = file.parent() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(data_dir).map_err(cannot_delete)? {
        let path = entry.map_err(cannot_delete)?.path();
        let name = file_name(&path);
        if path.is_file() && [ASIDE, RESTORING].iter().any(|left| name.contains(left)) {
            found.push(path);
        }
    }
    Ok(found)
}

fn cannot_delete(error: std::io::Error) -> Error {
    Error::new(Code::WriteFailed, format!("a file cannot be deleted: {}", error.kind()))
        .caused_by(error)
        .while_doing("delete a file")
}

/// Deletes the recovery copies of a project's chapters, or of all projects. They are in their own folder in the data
/// folder and are deleted with a forgotten project.
fn remove_recovery_copies(data_dir: &Path, project_id: Option<&ProjectId>) -> Result<()> {
    let folder = data_dir.join(RECOVERY_COPIES);
    let folder = match project_id {
        None => folder,
        Some(id) => {
            let mut parts = Path::new(id.as_str()).components();
            // The project id is the name of the folder; an id with more path components is rejected.
            match (parts.next(), parts.next()) {
                (Some(Component::Normal(name)), None) => folder.join(name),
                _ => return Ok(()),
            }
        }
    };
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(cannot_delete(error)),
        _ => Ok(()),
    }
}

/// Topics that a clearing changes.
const TOPICS: [Topic; 7] =
    [Topic::Episodes, Topic::Rules, Topic::Traces, Topic::Journal, Topic::Answers, Topic::Knowledge, Topic::Working];

fn require(confirmed: bool) -> Result<()> {
    if confirmed {
        return Ok(());
    }
    Err(Error::new(Code::ClearConfirmRequired, "clearing needs confirmed: true"))
}
