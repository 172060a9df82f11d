//! Books that are known, the program's settings, and working memory.

use std::sync::PoisonError;

use super::Engine;
use crate::{
    error::{Error, Result},
    model::{Changed, Language, Project, Settings, SettingsPatch, Topic, WorkingDraft, WorkingItem, WorkingList},
    storage::{projects, settings},
    validate,
    working::{self, tokens_of},
};

impl Engine {
    /// The book with this identity.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` when no such book was ever opened here.
    pub fn project(&self, project_id: &str) -> Result<Project> {
        validate::identity("projectId", project_id)?;
        let books = self.books.read().unwrap_or_else(PoisonError::into_inner);
        books.get(project_id).cloned().ok_or_else(|| Error::not_found("projectId", "project"))
    }

    /// All books, the one last opened first.
    #[must_use]
    pub fn projects(&self) -> Vec<Project> {
        let books = self.books.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Project> = books.values().cloned().collect();
        all.sort_by(|a, b| b.last_opened_at.cmp(&a.last_opened_at).then_with(|| a.project_id.cmp(&b.project_id)));
        all
    }

    /// Notes that a book was opened: its title, language and place as they now are. The book can be used from here on
    /// even if `rules.db` cannot take the note.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`.
    pub fn open_project(
        &self,
        project_id: &str,
        title: &str,
        language: Language,
        path: Option<String>,
    ) -> Result<Changed<Project>> {
        validate::identity("projectId", project_id)?;
        validate::line("title", title, 200)?;
        let now = self.clock.now();
        let known = self.project(project_id).ok();
        let project = Project {
            project_id: project_id.into(),
            title: title.into(),
            language,
            path,
            created_at: known.map_or(now, |book| book.created_at),
            last_opened_at: now,
        };
        self.books.write().unwrap_or_else(PoisonError::into_inner).insert(project.project_id.clone(), project.clone());
        // Kept for the next start. Where that fails, the book is found again by its folder.
        let _noted = self.rules.open().and_then(|db| db.write(|tx| projects::put(tx, &project)));
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
        let read = || settings::get(&*self.rules.open()?.reader()?);
        read().unwrap_or_default()
    }

    /// Changes some settings.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` for a book that is not known; those of the store.
    pub fn set_settings(&self, patch: SettingsPatch) -> Result<Changed<Settings>> {
        if let Some(id) = &patch.last_project_id {
            self.project(id)?;
        }
        let settings = self.rules.open()?.write(|tx| {
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
            settings::put(tx, &settings)?;
            Ok(settings)
        })?;
        Ok(Changed::new(settings, None, [Topic::Settings]))
    }

    /// Puts an item into working memory.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for an item larger than the whole budget.
    pub fn put_working(&self, draft: WorkingDraft) -> Result<Changed<WorkingItem>> {
        let project = self.project(&draft.project_id)?.project_id;
        validate::some_text("text", &draft.text, validate::TEXT)?;
        if let Some(importance) = draft.importance {
            validate::share("importance", importance)?;
        }
        if tokens_of(&draft.text) > working::BUDGET_TOKENS {
            return Err(Error::invalid("text", format!("longer than {} tokens", working::BUDGET_TOKENS)));
        }
        let now = self.clock.now();
        let item = self.working.put(draft, self.ids.next(now), now);
        Ok(Changed::new(item, Some(project), [Topic::Working]))
    }

    /// What is in working memory for a book.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn working(&self, project_id: &str) -> Result<WorkingList> {
        self.project(project_id)?;
        Ok(self.working.list(project_id, self.clock.now()))
    }

    /// Takes an item out of working memory.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, for an item of another book too: which items another book has is not said.
    pub fn remove_working(&self, project_id: &str, item_id: &str) -> Result<Changed<String>> {
        self.project(project_id)?;
        if !self.working.remove(project_id, item_id) {
            return Err(Error::not_found("itemId", "item"));
        }
        Ok(Changed::new(item_id.to_owned(), Some(project_id.into()), [Topic::Working]))
    }
}
