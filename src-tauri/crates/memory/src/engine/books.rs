//! Books that are known, and the program's settings.

use std::collections::HashMap;

use super::{Engine, clear::closed, journal::MAX_FOUND as MAX_TOP_K, log_failure, stores::Stores};
use crate::{
    error::{Error, OrLog, Result},
    lock::RwLock,
    model::{Changed, Language, Project, ProjectId, Settings, SettingsPatch, Time, Topic},
    storage::{projects, settings},
    validate,
};

/// Maximum of the setting.
const MAX_COGNITION_ROUNDS: u32 = 3;

/// The known projects, so that a project can be written in while `rules.db` cannot be read.
#[derive(Default)]
pub(super) struct Books {
    known: RwLock<HashMap<ProjectId, Project>>,
}

impl Books {
    /// The record of a project, or that its record cannot be read now.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` when no such project was ever opened here.
    fn look_up(&self, stores: &Stores, project_id: &ProjectId) -> Result<KnownProject> {
        validate::identity("projectId", project_id.as_str())?;
        let known = || self.known.read().get(project_id).cloned();
        if let Some(project) = known() {
            return Ok(KnownProject::Recorded(project));
        }
        // The project may be in a file that could not be read until now.
        self.refresh(stores);
        match known() {
            Some(project) => Ok(KnownProject::Recorded(project)),
            // The list of projects cannot be read: the writer may still write in any project.
            None if stores.rules.open().is_err() => Ok(KnownProject::Unrecorded(project_id.clone())),
            None => Err(Error::not_found("projectId", "project")),
        }
    }

    /// Adds the projects of `rules.db`, or of its last good backup while the file cannot serve.
    pub(super) fn refresh(&self, stores: &Stores) {
        let read = || projects::list(&*stores.rules.open()?.reader()?);
        let found =
            read().or_log("read projects").or_else(|| stores.ask_rules_backup(projects::list).map(|(_, found)| found));
        let mut known = self.known.write();
        for project in found.into_iter().flatten() {
            known.entry(project.project_id.clone()).or_insert(project);
        }
    }

    /// All projects, the one last opened first.
    fn list(&self) -> Vec<Project> {
        let mut all: Vec<Project> = self.known.read().values().cloned().collect();
        all.sort_by(|a, b| b.last_opened_at.cmp(&a.last_opened_at).then_with(|| a.project_id.cmp(&b.project_id)));
        all
    }

    fn insert(&self, project: Project) {
        self.known.write().insert(project.project_id.clone(), project);
    }

    /// Removes a project, or all of them.
    fn remove(&self, project_id: Option<&ProjectId>) {
        let mut known = self.known.write();
        match project_id {
            Some(id) => drop(known.remove(id)),
            None => known.clear(),
        }
    }
}

impl Engine {
    /// The project with this id, while its memory can be read.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE` while its memory is being cleared.
    pub fn project(&self, project_id: &ProjectId) -> Result<Project> {
        let project = self.known_project(project_id)?;
        if self.upkeep.clearings.closes(project_id) { Err(closed()) } else { Ok(project) }
    }

    /// The project with this id, also while its memory is being cleared. One that cannot be looked up is assumed to be
    /// Chinese and has an empty title.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` when no such project was ever opened here.
    pub fn known_project(&self, project_id: &ProjectId) -> Result<Project> {
        Ok(match self.look_up_project(project_id)? {
            KnownProject::Recorded(project) => project,
            KnownProject::Unrecorded(project_id) => assumed(project_id),
        })
    }

    /// The record of a project, or that its record cannot be read now.
    pub(super) fn look_up_project(&self, project_id: &ProjectId) -> Result<KnownProject> {
        self.books.look_up(&self.stores, project_id)
    }

    /// Removes a project from the known ones, or all of them.
    pub(super) fn drop_projects(&self, project_id: Option<&ProjectId>) {
        self.books.remove(project_id);
        log_failure("read names", self.read_names());
        drop(self.usage());
    }

    /// All books, the one last opened first.
    #[must_use]
    pub fn projects(&self) -> Vec<Project> {
        self.books.list()
    }

    /// Records that a project was opened, with its current title, language and folder. The project can be used
    /// afterwards even if `rules.db` cannot store the record.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`.
    pub fn open_project(
        &self,
        project_id: &ProjectId,
        title: &str,
        language: Language,
        path: Option<String>,
    ) -> Result<Changed<Project>> {
        validate::identity("projectId", project_id.as_str())?;
        validate::title("title", title)?;
        let now = self.clock.now();
        let known = self.known_project(project_id).ok();
        let project = Project {
            project_id: project_id.clone(),
            title: title.into(),
            language,
            path,
            created_at: known.map_or(now, |book| book.created_at),
            last_opened_at: now,
        };
        self.books.insert(project.clone());
        // Stored for the next start. Where that fails, the project is found again by its folder.
        log_failure(
            "store project",
            self.stores.rules.open().and_then(|db| db.write("store a project", |tx| projects::upsert(tx, &project))),
        );
        Ok(Changed::new(project, None, [Topic::Projects]))
    }

    /// A new identity for a book.
    #[must_use]
    pub fn new_id(&self) -> String {
        self.ids.next(self.clock.now())
    }

    /// The settings; their defaults while they cannot be read.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let read = || settings::get(&*self.stores.rules.open()?.reader()?);
        read().or_log("read settings").unwrap_or_default()
    }

    /// Changes some settings.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for a number outside its range; `MEMORY_NOT_FOUND` for a book that is not known; those
    /// of the store.
    pub fn set_settings(&self, patch: SettingsPatch) -> Result<Changed<Settings>> {
        if let Some(id) = &patch.last_project_id {
            self.known_project(id)?;
        }
        for (field, value, max) in [
            ("journalTopK", patch.journal_top_k, MAX_TOP_K),
            ("journalCognitionRounds", patch.journal_cognition_rounds, MAX_COGNITION_ROUNDS),
        ] {
            value.map_or(Ok(()), |value| validate::within(field, value, 1, max))?;
        }
        let settings = self.stores.rules.open()?.write("change settings", |tx| {
            let mut settings = settings::get(tx)?;
            if let Some(language) = patch.interface_language {
                settings.interface_language = language;
            }
            if let Some(theme) = patch.theme {
                settings.theme = theme;
            }
            if let Some(id) = &patch.last_project_id {
                settings.last_project_id = Some(id.clone());
            }
            settings.journal_top_k = patch.journal_top_k.unwrap_or(settings.journal_top_k);
            settings.journal_cognition_rounds =
                patch.journal_cognition_rounds.unwrap_or(settings.journal_cognition_rounds);
            settings.readable_copies = patch.readable_copies.unwrap_or(settings.readable_copies);
            settings::upsert(tx, &settings)?;
            Ok(settings)
        })?;
        if patch.readable_copies == Some(false) {
            self.remove_copies(None)?;
        }
        Ok(Changed::new(settings, None, [Topic::Settings]))
    }
}

/// A project that may be worked in.
pub(super) enum KnownProject {
    /// Its record.
    Recorded(Project),
    /// The list of projects cannot be read.
    Unrecorded(ProjectId),
}

impl KnownProject {
    /// Id of the project.
    pub(super) fn project_id(&self) -> &ProjectId {
        match self {
            Self::Recorded(project) => &project.project_id,
            Self::Unrecorded(project_id) => project_id,
        }
    }
}

/// Placeholder for a project without a readable record.
fn assumed(project_id: ProjectId) -> Project {
    Project {
        project_id,
        title: String::new(),
        language: Language::Zh,
        path: None,
        created_at: Time::default(),
        last_opened_at: Time::default(),
    }
}
