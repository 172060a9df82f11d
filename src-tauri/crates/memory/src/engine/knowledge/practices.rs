//! The knowledge of all books: the writer's craft notes, and habits that several books share.

use crate::{
    engine::Engine,
    error::{Code, Error, OrLog, Result},
    model::{AddPractice, Changed, GlobalMemory, Practice, PracticeArguments, PracticeId, ProjectId, Time, Topic},
    storage::practices,
    validate,
};

/// Version of the shape of [`GlobalMemory`].
const VERSION: &str = "2.0.0";
/// Maximum number of notes.
const MAX_PRACTICES: usize = 1_000;
/// Maximum number of scenarios of a note.
const MAX_SCENARIOS: usize = 20;
/// Maximum number of books of a note.
const MAX_SOURCES: usize = 100;

impl Engine {
    /// The knowledge of all books. Where one of the two files cannot be read, its part is missing.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` where neither can be read.
    pub fn global_memory(&self) -> Result<GlobalMemory> {
        let notes = self.stores.ask_rules(practices::list).map(|(notes, _)| notes);
        let patterns = self.shared_patterns();
        if let (Err(_), Err(error)) = (&notes, &patterns) {
            return Err(Error::new(error.code, error.message.clone()));
        }
        let degraded = notes.is_err() || patterns.is_err();
        let notes = notes.or_log("list craft notes").unwrap_or_default();
        Ok(GlobalMemory {
            updated_at: notes.iter().map(|note| note.updated_at).max(),
            best_practices: notes,
            cross_project_patterns: patterns.or_log("count the habits of books").unwrap_or_default(),
            version: VERSION.into(),
            degraded,
        })
    }

    /// Adds a craft note, or changes one.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND`, also for a book that is not known; `MEMORY_STALE_VERSION`;
    /// `MEMORY_CAPACITY_EXCEEDED`; those of the store.
    pub fn add_practice(&self, args: &AddPractice) -> Result<Changed<Practice>> {
        let sources = self.check_practice(args)?;
        let now = self.clock.now();
        let new_id = PracticeId::from(self.ids.next(now));
        let practice = self.stores.rules.open()?.write("save a craft note", |tx| {
            let (practice_id, version, created_at) = match &args.practice_id {
                Some(practice_id) => {
                    let stored = stored_practice(tx, practice_id, args.version)?;
                    (stored.practice_id, stored.version.saturating_add(1), stored.created_at)
                }
                None if practices::list(tx)?.len() >= MAX_PRACTICES => {
                    return Err(Error::new(Code::CapacityExceeded, format!("there are {MAX_PRACTICES} notes")));
                }
                None => (new_id.clone(), 1, now),
            };
            let practice = changed_practice(args, (practice_id, version), sources.clone(), (created_at, now));
            practices::upsert(tx, &practice)?;
            Ok(practice)
        })?;
        Ok(Changed::new(practice, None, [Topic::Knowledge]))
    }

    /// Deletes a craft note; returns it as it was.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_STALE_VERSION`, those of the store.
    pub fn delete_practice(&self, args: &PracticeArguments) -> Result<Changed<Practice>> {
        let practice = self.stores.rules.open()?.write("delete a craft note", |tx| {
            let stored = stored_practice(tx, &args.practice_id, Some(args.version))?;
            practices::delete(tx, &args.practice_id)?;
            Ok(stored)
        })?;
        Ok(Changed::new(practice, None, [Topic::Knowledge]))
    }

    /// Refuses what cannot be a note; returns its books, each once.
    fn check_practice(&self, args: &AddPractice) -> Result<Vec<ProjectId>> {
        validate::line("title", &args.title, validate::PRACTICE_LINE_CHARS)?;
        super::check_words("title", &args.title, validate::PRACTICE_LINE_CHARS)?;
        if !args.description.trim().is_empty() {
            super::check_words("description", &args.description, validate::PRACTICE_CHARS)?;
        }
        if args.applicable_scenarios.len() > MAX_SCENARIOS {
            return Err(Error::invalid("applicableScenarios", format!("more than {MAX_SCENARIOS}")));
        }
        for scenario in &args.applicable_scenarios {
            validate::line("applicableScenarios", scenario, validate::PRACTICE_LINE_CHARS)?;
            super::check_words("applicableScenarios", scenario, validate::PRACTICE_LINE_CHARS)?;
        }
        if args.source_projects.len() > MAX_SOURCES {
            return Err(Error::invalid("sourceProjects", format!("more than {MAX_SOURCES}")));
        }
        let mut sources: Vec<ProjectId> = Vec::new();
        for project_id in &args.source_projects {
            // Refused while it is being cleared: the note would name it afterwards.
            self.project(project_id)?;
            if !sources.contains(project_id) {
                sources.push(project_id.clone());
            }
        }
        Ok(sources)
    }
}

/// A note in the version that the caller has seen.
fn stored_practice(db: &rusqlite::Connection, practice_id: &PracticeId, version: Option<u32>) -> Result<Practice> {
    validate::identity("practiceId", practice_id.as_str())?;
    let stored = practices::get(db, practice_id)?.ok_or_else(|| Error::not_found("practiceId", "note"))?;
    if version == Some(stored.version) { Ok(stored) } else { Err(Error::stale_version(stored.version)) }
}

fn changed_practice(
    args: &AddPractice,
    (practice_id, version): (PracticeId, u32),
    source_projects: Vec<ProjectId>,
    (created_at, updated_at): (Time, Time),
) -> Practice {
    Practice {
        practice_id,
        title: args.title.trim().to_owned(),
        description: args.description.trim().to_owned(),
        applicable_scenarios: args.applicable_scenarios.iter().map(|one| one.trim().to_owned()).collect(),
        source_projects,
        version,
        created_at,
        updated_at,
    }
}
