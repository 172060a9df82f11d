//! The journal: entries that are due are written with the titles of their chapters before it is read.

use palimpsest_memory::{
    Engine,
    model::{
        Changed, ChapterId, ExportJournal, ExportedJournal, FoundEntries, ImportJournal, ImportedJournal, JournalCheck,
        JournalPage, JournalQuery, KeepJournal, KeptJournal, ProjectId, RecallJournal, RedactEntry, RedactedEntry,
        StoreEntry, StoredEntry,
    },
};

use crate::{
    Api,
    books::{OpenBooks, absolute, from_book},
    dto::ProjectArguments,
    error::{ApiError, OrLog},
    system::user_name,
};

/// Maximum number of steps in which entries are written before the journal is read; the rest is left to the background.
const MAX_STEPS: usize = 64;

impl Api {
    pub(crate) fn journal_list(&self, query: JournalQuery) -> Result<JournalPage, ApiError> {
        self.write_due_entries(&query.project_id);
        self.engine.list_entries(&query)
    }

    pub(crate) fn journal_recall(&self, query: RecallJournal) -> Result<FoundEntries, ApiError> {
        self.write_due_entries(&query.project_id);
        self.engine.recall_entries(&query)
    }

    pub(crate) fn journal_store(&self, args: StoreEntry) -> Result<StoredEntry, ApiError> {
        let stored = self.emit_changed(self.engine.store_entry(args)?);
        self.indexer.wake();
        Ok(stored)
    }

    pub(crate) fn journal_verify(&self, args: ProjectArguments) -> Result<JournalCheck, ApiError> {
        self.write_due_entries(&args.project_id);
        self.engine.verify_journal(&args.project_id)
    }

    pub(crate) fn journal_keep(&self, args: KeepJournal) -> Result<KeptJournal, ApiError> {
        // Those that are due were decided while it was kept.
        self.write_due_entries(&args.project_id);
        Ok(self.emit_changed(self.engine.keep_journal(&args)?))
    }

    pub(crate) fn journal_export(&self, args: ExportJournal) -> Result<ExportedJournal, ApiError> {
        let path = absolute(&args.path)?;
        self.write_due_entries(&args.project_id);
        self.engine.export_journal(&args, &path)
    }

    pub(crate) fn journal_import(&self, args: ImportJournal) -> Result<ImportedJournal, ApiError> {
        let path = absolute(&args.path)?;
        let imported = self.engine.import_journal(&args, &path)?;
        if args.dry_run {
            return Ok(imported.value);
        }
        let imported = self.emit_changed(imported);
        self.indexer.wake();
        Ok(imported)
    }

    pub(crate) fn journal_redact(&self, args: RedactEntry) -> Result<RedactedEntry, ApiError> {
        Ok(self.emit_changed(self.engine.redact_entry(&args, &user_name())?))
    }

    /// Writes the entries of a book that are due. What cannot be written stays due, and the journal is read as it is.
    pub(crate) fn write_due_entries(&self, project_id: &ProjectId) {
        for _ in 0..MAX_STEPS {
            let written = write_due_entries(&self.engine, Some(project_id), &self.books);
            let Some(Changed { change, .. }) = written.or_log("write journal entries").flatten() else { break };
            self.emit_change(&change);
        }
    }
}

/// Writes some entries that are due, of one book or of all, with the titles of the chapters of open books.
pub(crate) fn write_due_entries(
    engine: &Engine,
    project_id: Option<&ProjectId>,
    books: &OpenBooks,
) -> Result<Option<Changed<()>>, ApiError> {
    engine.write_due_entries(project_id, &|project_id, chapter_id| title_of(books, project_id, chapter_id))
}

/// The title of a chapter of an open book.
pub(crate) fn title_of(books: &OpenBooks, project_id: &ProjectId, chapter_id: &ChapterId) -> Option<String> {
    let open = books.lock().get(project_id).cloned()?;
    let book = open.lock();
    let chapter = book.chapters().iter().find(|chapter| from_book(&chapter.chapter_id) == *chapter_id);
    chapter.map(|chapter| chapter.title.clone())
}
