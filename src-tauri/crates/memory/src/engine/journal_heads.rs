//! The ends of the journals, noted in `rules.db`, so that a journal that has lost its last entries says so.
//!
//! They are noted when the memory is opened, when a journal is verified, and before and after a file is replaced by a
//! backup, which is the reason of a journal that is shorter from then on.

use super::Engine;
use crate::{
    error::{OrLog, Result},
    model::{JournalCheck, ProjectId, Time},
    storage::{journal, journal_heads},
};

impl Engine {
    /// Verifies the chain of a book's entries, and that none is missing at its end.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store.
    pub fn verify_journal(&self, project_id: &ProjectId) -> Result<JournalCheck> {
        // A book that is being cleared is refused at once; what replaces a file is waited for.
        drop(self.visit(project_id)?);
        let noted = {
            let _alone = self.upkeep.lock_files();
            let _open = self.visit(project_id)?;
            self.note_journal_head(project_id, None).or_log("note the end of a journal").flatten().unwrap_or_default()
        };
        let _open = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let check = journal::verify(&*reader.snapshot()?, project_id)?;
        let missing = check.missing.saturating_add(noted.missing);
        Ok(JournalCheck {
            missing,
            is_whole: check.is_whole && missing == 0,
            left_behind: noted.left_behind,
            replaced_at: noted.replaced_at,
            ..check
        })
    }

    /// Notes the ends of the journals of all books. `replaced_at` is the time at which the program replaced a file.
    /// Those that cannot be read are noted later.
    pub(super) fn note_journal_heads(&self, replaced_at: Option<Time>) {
        let books = || -> Result<Vec<ProjectId>> {
            let mut books = journal_heads::books_with_journal(&*self.stores.episodes.open()?.reader()?)?;
            let noted = journal_heads::noted(&*self.stores.rules.open()?.reader()?)?;
            books.extend(noted.into_keys());
            books.sort_unstable();
            books.dedup();
            Ok(books)
        };
        for project_id in books().or_log("look for journals").unwrap_or_default() {
            // A book that is being cleared has no journal any more.
            let Ok(_open) = self.visit(&project_id) else { continue };
            self.note_journal_head(&project_id, replaced_at).or_log("note the end of a journal");
        }
    }

    /// Notes the end of a book's journal, and returns the note; `None` for a book that never had an entry.
    fn note_journal_head(
        &self,
        project_id: &ProjectId,
        replaced_at: Option<Time>,
    ) -> Result<Option<journal_heads::NotedHead>> {
        let before = journal_heads::noted(&*self.stores.rules.open()?.reader()?)?.remove(project_id);
        let next = {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            let reader = reader.snapshot()?;
            let head = journal_heads::last(&reader, project_id)?;
            let before = before.unwrap_or_default();
            let is_continued = journal_heads::continues(&reader, project_id, &before.head)?;
            before.advance(head, is_continued, replaced_at)
        };
        if before.is_none() && next == journal_heads::NotedHead::default() {
            return Ok(None);
        }
        if before != Some(next) {
            let db = self.stores.rules.open()?;
            db.write("note the end of a journal", |tx| journal_heads::upsert_noted(tx, project_id, &next))?;
        }
        Ok(Some(next))
    }
}
