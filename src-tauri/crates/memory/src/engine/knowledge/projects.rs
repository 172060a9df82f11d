//! The knowledge of one book, and the writer's settings of it.

use crate::{
    engine::{Engine, study::idle_study},
    error::{Error, OrLog, Result},
    model::{Changed, ChapterId, DomainSummary, ProjectId, ProjectMemory, Topic, UpdateProjectMemory},
    storage::{
        answers, failures,
        knowledge_settings::{self, KnowledgeSettings},
    },
    validate,
};

/// Maximum number of domains of a book in a list.
const MAX_DOMAINS: usize = 200;
/// Maximum number of ids of records, and of failures.
const MAX_IDS: u32 = 10_000;

impl Engine {
    /// The knowledge of a book. `order` are its chapters. Where one of the two files cannot be read, its part is
    /// missing.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE` while it is being cleared, or where no file can be read.
    pub fn project_memory(&self, project_id: &ProjectId, order: &[ChapterId]) -> Result<ProjectMemory> {
        let open = self.visit(project_id)?;
        let settings = self.knowledge_settings(project_id);
        let records = || {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            let reader = reader.snapshot()?;
            let ids = answers::record_ids(&reader, project_id, MAX_IDS)?;
            Ok((ids, failures::ids(&reader, project_id, MAX_IDS)?, answers::count_by_domain(&reader, project_id)?))
        };
        let records: Result<_> = records();
        if let (Err(_), Err(error)) = (&settings, &records) {
            return Err(Error::new(error.code, error.message.clone()));
        }
        let degraded = settings.is_err() || records.is_err();
        let settings = settings.or_log("read the settings of the knowledge of a book").unwrap_or_default();
        let (learning_record_ids, failure_record_ids, by_domain) =
            records.or_log("list the records of a book").unwrap_or_default();
        let known = self.known_entities(project_id, order);
        let domain = |entity: &super::domains::KnownEntity| DomainSummary {
            entity_id: entity.entity_id.clone(),
            domain: entity.name.clone(),
            kind: entity.kind,
            records: entity.forms.iter().filter_map(|form| by_domain.get(&form.trim().to_ascii_lowercase())).sum(),
        };
        let habits = self.habits_of(project_id, open.language).or_log("count the habits of a book");
        let study = self.study_state(project_id).or_log("read the study of a book");
        let is_stored = settings.version > 0;
        Ok(ProjectMemory {
            project_id: project_id.clone(),
            project_path: open.path.clone(),
            background: settings.background.clone(),
            domain_knowledge: known.all.iter().take(MAX_DOMAINS).map(domain).collect(),
            learning_record_ids,
            failure_record_ids,
            habits: habits.map(|habits| habits.to_vec()).unwrap_or_default(),
            evolution_status: study.unwrap_or_else(|| idle_study(&settings)),
            version: settings.version,
            created_at: is_stored.then_some(settings.created_at),
            updated_at: is_stored.then_some(settings.updated_at),
            degraded: degraded || known.is_degraded,
        })
    }

    /// The settings of the knowledge of a book; those of the last good backup while `rules.db` cannot serve.
    ///
    /// # Errors
    /// Those of the store.
    pub(in crate::engine) fn knowledge_settings(&self, project_id: &ProjectId) -> Result<KnowledgeSettings> {
        Ok(self.stores.ask_rules(|db| knowledge_settings::get(db, project_id))?.0)
    }

    /// Changes the writer's words about a book.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_STALE_VERSION`, those of the store.
    pub fn update_project_memory(
        &self,
        args: &UpdateProjectMemory,
        order: &[ChapterId],
    ) -> Result<Changed<ProjectMemory>> {
        let background = args.background.trim();
        if !background.is_empty() {
            super::check_words("background", background, validate::BACKGROUND_CHARS)?;
        }
        {
            let _open = self.visit(&args.project_id)?;
            let now = self.clock.now();
            self.stores.rules.open()?.write("change the settings of the knowledge of a book", |tx| {
                let stored = knowledge_settings::get(tx, &args.project_id)?;
                if stored.version != args.version {
                    return Err(Error::stale_version(stored.version));
                }
                let created_at = if stored.version == 0 { now } else { stored.created_at };
                let changed = KnowledgeSettings {
                    background: background.to_owned(),
                    version: stored.version.saturating_add(1),
                    created_at,
                    updated_at: now,
                    ..stored
                };
                knowledge_settings::upsert(tx, &args.project_id, &changed)
            })?;
        }
        let memory = self.project_memory(&args.project_id, order)?;
        Ok(Changed::new(memory, Some(args.project_id.clone()), [Topic::Knowledge]))
    }
}
