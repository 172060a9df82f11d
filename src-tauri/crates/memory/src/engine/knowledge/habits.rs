//! The habits of books, counted from their passages and kept until a book changes.

use std::sync::Arc;

use crate::{
    engine::Engine,
    error::Result,
    lock::Mutex,
    model::{Habit, HabitKind, Language, ProjectId, SharedPattern},
    storage::passages,
    story::{HabitChapter, habits},
};

/// Maximum number of books whose habits are kept.
const MAX_KEPT_BOOKS: usize = 32;
/// Minimum number of books with a pattern.
const MIN_BOOKS: usize = 2;

/// The habits of a few books.
#[derive(Default)]
pub(in crate::engine) struct KeptHabits(Mutex<Vec<BookHabits>>);

struct BookHabits {
    project_id: ProjectId,
    /// The numbers of changes of the book before they were counted.
    changes: (u64, u64),
    habits: Arc<Vec<Habit>>,
}

impl KeptHabits {
    fn current_habits(&self, project_id: &ProjectId, changes: (u64, u64)) -> Option<Arc<Vec<Habit>>> {
        let kept = self.0.lock();
        let found = kept.iter().find(|book| book.project_id == *project_id && book.changes == changes);
        found.map(|book| Arc::clone(&book.habits))
    }

    fn keep_habits(&self, book: BookHabits) {
        let mut kept = self.0.lock();
        kept.retain(|other| other.project_id != book.project_id);
        if kept.len() >= MAX_KEPT_BOOKS {
            kept.remove(0);
        }
        kept.push(book);
    }

    /// Forgets the habits of a book, or with `None` of all.
    pub(in crate::engine) fn forget_habits(&self, project_id: Option<&ProjectId>) {
        self.0.lock().retain(|book| project_id.is_some_and(|project_id| book.project_id != *project_id));
    }
}

impl Engine {
    /// The habits of a book, from its analyzed chapters.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub(super) fn habits_of(&self, project_id: &ProjectId, language: Language) -> Result<Arc<Vec<Habit>>> {
        // Counted first: a change while they are counted makes them invalid.
        let changes = self.story.change_counts(project_id);
        if let Some(habits) = self.story.habits.current_habits(project_id, changes) {
            return Ok(habits);
        }
        let order = self.analyzed_order(project_id)?;
        let mut texts = passages::texts_by_chapter(&*self.stores.episodes.open()?.reader()?, project_id)?;
        let chapters: Vec<HabitChapter> = order
            .into_iter()
            .filter_map(|chapter_id| Some(HabitChapter { text: texts.remove(&chapter_id)?, chapter_id }))
            .collect();
        let (canon, _) = self.canon(project_id);
        let names: Vec<&str> =
            canon.entities.iter().flat_map(|entity| entity.names.iter().map(|name| name.name.as_str())).collect();
        let found = Arc::new(habits(&chapters, &names, language));
        self.story.habits.keep_habits(BookHabits {
            project_id: project_id.clone(),
            changes,
            habits: Arc::clone(&found),
        });
        Ok(found)
    }

    /// The habits that several books share, those of the most books first.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub(super) fn shared_patterns(&self) -> Result<Vec<SharedPattern>> {
        let mut patterns: Vec<SharedPattern> = Vec::new();
        for project in self.projects() {
            // One that is being cleared has none.
            let Ok(_open) = self.visit(&project.project_id) else { continue };
            for Habit { kind, value, .. } in self.habits_of(&project.project_id, project.language)?.iter() {
                match patterns.iter_mut().find(|one| (one.pattern_name, &one.description) == (*kind, value)) {
                    Some(known) => known.example_projects.push(project.project_id.clone()),
                    None => patterns.push(new_pattern(*kind, value, &project.project_id)),
                }
            }
        }
        patterns.retain(|one| one.example_projects.len() >= MIN_BOOKS);
        for one in &mut patterns {
            one.occurrences = u32::try_from(one.example_projects.len()).unwrap_or(u32::MAX);
        }
        patterns.sort_by(|a, b| b.occurrences.cmp(&a.occurrences).then(a.pattern_name.cmp(&b.pattern_name)));
        Ok(patterns)
    }
}

fn new_pattern(kind: HabitKind, value: &str, project_id: &ProjectId) -> SharedPattern {
    SharedPattern {
        pattern_name: kind,
        description: value.to_owned(),
        occurrences: 0,
        example_projects: vec![project_id.clone()],
    }
}
