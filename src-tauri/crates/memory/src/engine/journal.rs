//! The journal: entries are stored, listed, searched, verified and redacted; entries that are due are worded and
//! written.
//!
//! A decision on a run of a skill notes its entry as due in its own transaction, and the entry is written soon after,
//! in the background or before the journal is next read. Invariant: writing the journal delays and fails nothing else,
//! and an entry that is due survives a crash.

use std::collections::{HashMap, HashSet};

use super::{Engine, retrieval::CountedTexts, summaries::awaits_model};
use crate::{
    context::instruction_in,
    error::{Code, Error, OrLog, Result},
    journal::{self as wording, Around},
    lock::Mutex,
    model::{
        Changed, ChapterId, Episode, Erasure, ErasureKind, FoundEntries, FoundEntry, JournalEntry, JournalEvent,
        JournalKind, JournalPage, JournalQuery, KeepJournal, KeptJournal, OwnerKind, Project, ProjectId, RecallGroup,
        RecallJournal, RedactEntry, RedactedEntry, StoreEntry, StoredEntry, Time, Topic, WordedBy,
    },
    storage::{
        Tx, deletions, episodes, erasures,
        journal::{self, DueEntry, NewEntry, Salt},
        projects, traces,
    },
    story::FormMatcher,
    validate,
};

/// Maximum number of listed entries, and the default.
const LISTED: (u32, u32) = (200, 50);
/// Maximum number of found entries.
pub(super) const MAX_FOUND: u32 = 50;
/// Maximum length of a search, in bytes.
const MAX_QUERY_BYTES: usize = validate::REMARK;
/// Maximum number of entries written in one step.
const MAX_PER_STEP: usize = 16;

/// The title of a chapter, where it is known.
pub type ChapterTitle<'a> = &'a dyn Fn(&ProjectId, &ChapterId) -> Option<String>;

/// The journal's state in memory.
#[derive(Default)]
pub(super) struct JournalState {
    /// The sessions that are open, by book: the id of each.
    sessions: Mutex<HashMap<ProjectId, String>>,
    /// The books of which no journal is kept, as last read.
    books_without: Mutex<HashSet<ProjectId>>,
}

impl JournalState {
    /// The id of a book's session; `new` begins one.
    fn id_or(&self, project_id: &ProjectId, new: impl FnOnce() -> String) -> String {
        self.sessions.lock().entry(project_id.clone()).or_insert_with(new).clone()
    }

    /// Ends the session of a book: its entry can be written.
    pub(super) fn end_journal_session(&self, project_id: &ProjectId) {
        self.sessions.lock().remove(project_id);
    }

    fn open_ids(&self) -> HashSet<String> {
        self.sessions.lock().values().cloned().collect()
    }

    fn is_kept(&self, project_id: &ProjectId) -> bool {
        !self.books_without.lock().contains(project_id)
    }
}

/// An entry in words, before it is written.
struct Worded {
    at: Time,
    kind: JournalKind,
    content: String,
}

impl Engine {
    /// Stores an entry that the caller has worded. When this returns, it is on disk.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`; those of the store.
    pub fn store_entry(&self, args: StoreEntry) -> Result<Changed<StoredEntry>> {
        validate::lines("content", &args.content, validate::JOURNAL_CHARS)?;
        args.ref_id.as_deref().map_or(Ok(()), |id| validate::identity("refId", id))?;
        let _open = self.visit(&args.project_id)?;
        if !self.journal.is_kept(&args.project_id) {
            return Err(Error::invalid("projectId", "no journal is kept of this book"));
        }
        let now = self.clock.now();
        let at = args.occurred_at.unwrap_or(now);
        if at > now {
            return Err(Error::invalid("occurredAt", "in the future"));
        }
        let new = NewEntry {
            id: self.ids.next(now).into(),
            project_id: args.project_id.clone(),
            at,
            kind: args.kind,
            ref_id: args.ref_id,
            content: args.content,
            worded_by: WordedBy::Client,
            salt: self.salt(now),
        };
        self.stores.episodes.open()?.write("store a journal entry", |tx| journal::append(tx, &new))?;
        Ok(Changed::new(StoredEntry { entry_id: new.id }, Some(args.project_id), [Topic::Journal]))
    }

    /// The entries of a book, latest first.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND`, also for a `before` that the book does not have; those of the
    /// store.
    pub fn list_entries(&self, query: &JournalQuery) -> Result<JournalPage> {
        let limit = query.limit.unwrap_or(LISTED.1);
        validate::within("limit", limit, 1, LISTED.0)?;
        let _open = self.visit(&query.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let place = |id| {
            let place = journal::place(&reader, &query.project_id, id)?;
            place.ok_or_else(|| Error::not_found("before", "entry"))
        };
        let before = query.before.as_ref().map(place).transpose()?;
        let mut entries = journal::latest(&reader, &query.project_id, query.kind, before, limit.saturating_add(1))?;
        let has_more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        let total = journal::count(&reader, &query.project_id, query.kind)?;
        Ok(JournalPage { entries, total, has_more, is_kept: self.journal.is_kept(&query.project_id) })
    }

    /// Sets whether a journal is kept of a book. Entries that are there stay.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store.
    pub fn keep_journal(&self, args: &KeepJournal) -> Result<Changed<KeptJournal>> {
        let _open = self.visit(&args.project_id)?;
        self.stores
            .rules
            .open()?
            .write("keep a journal", |tx| projects::set_journal(tx, &args.project_id, args.is_kept))?;
        if args.is_kept {
            self.journal.books_without.lock().remove(&args.project_id);
        } else {
            self.journal.books_without.lock().insert(args.project_id.clone());
            // The session that is open gets no entry.
            self.journal.end_journal_session(&args.project_id);
            let delete = |tx: &Tx<'_>| journal::delete_all_due(tx, &args.project_id);
            let deleted = self.stores.episodes.open().and_then(|db| db.write("stop a journal", delete));
            deleted.or_log("remove the notes of entries that are due");
        }
        Ok(Changed::new(KeptJournal { is_kept: args.is_kept }, Some(args.project_id.clone()), [Topic::Journal]))
    }

    /// Whether entries are written for a book.
    pub(super) fn is_journal_kept(&self, project_id: &ProjectId) -> bool {
        self.journal.is_kept(project_id)
    }

    /// Reads of which books no journal is kept: for the time when the store cannot be read.
    pub(super) fn cache_books_without_journal(&self) {
        let read = self.stores.ask_rules(projects::without_journal).or_log("read of which books a journal is kept");
        if let Some((without, _)) = read {
            *self.journal.books_without.lock() = without;
        }
    }

    /// The entries of a book that a search finds, best first. The journal failing is no reason to stop: the answer is
    /// then empty and says so.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_BACKPRESSURE`.
    pub fn recall_entries(&self, query: &RecallJournal) -> Result<FoundEntries> {
        validate::some_text("query", &query.query, MAX_QUERY_BYTES)?;
        let limit = query.top_k.unwrap_or_else(|| self.settings().journal_top_k);
        validate::within("topK", limit, 1, MAX_FOUND)?;
        let _open = self.visit(&query.project_id)?;
        let _pass = self.retrieval.admit_recall()?;
        Ok(match self.find_entries(query, limit as usize) {
            Ok((entries, are_vectors_awaited)) => {
                let degraded_reason = self.retrieval.imprecision(are_vectors_awaited);
                FoundEntries { entries, degraded: degraded_reason.is_some(), degraded_reason }
            }
            Err(error) => {
                let error = self.stores.episodes.examine(error);
                let degraded_reason = Some(format!("the journal is unavailable: {}", error.message));
                FoundEntries { entries: Vec::new(), degraded: true, degraded_reason }
            }
        })
    }

    fn find_entries(&self, query: &RecallJournal, limit: usize) -> Result<(Vec<FoundEntry>, bool)> {
        let search = (&query.project_id, query.query.as_str());
        // Of a kind that is rare the first ones may all be of another.
        let searched = if query.kind.is_some() { MAX_FOUND as usize } else { limit };
        let (ranked, are_vectors_awaited) = self.retrieval.find_texts(
            &self.stores,
            search,
            (OwnerKind::Journal, CountedTexts::All),
            (searched, &|_| true),
        )?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let mut found = Vec::new();
        for one in ranked.texts {
            // The nearest may have nothing to do with the query.
            if one.group != RecallGroup::Found && !one.is_related {
                continue;
            }
            let entry = journal::by_index_row(&reader, &query.project_id, one.row)?;
            let is_asked =
                |entry: &JournalEntry| !entry.is_redacted && query.kind.is_none_or(|kind| entry.kind == kind);
            if let Some(entry) = entry.filter(is_asked) {
                found.push(FoundEntry { entry, score: one.score, matched_by: one.matched_by });
            }
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.entry.timestamp.cmp(&a.entry.timestamp)));
        found.truncate(limit);
        Ok((found, are_vectors_awaited))
    }

    /// Empties an entry for good: its words are removed from the live files and from the backups, and no backup or
    /// imported file brings them back. `by` goes into the audit log.
    ///
    /// # Errors
    /// `MEMORY_CLEAR_CONFIRM_REQUIRED`; `MEMORY_NOT_FOUND`, also for an entry of another book; those of the stores:
    /// nothing has changed then. A failure after the intent was written is no error: `finished_at` is then missing, and
    /// the redaction continues in the background.
    pub fn redact_entry(&self, args: &RedactEntry, by: &str) -> Result<Changed<RedactedEntry>> {
        validate::identity("requestedBy", by)?;
        validate::identity("entryId", args.entry_id.as_str())?;
        if !args.confirmed {
            return Err(Error::new(Code::ClearConfirmRequired, "a redaction needs confirmed: true"));
        }
        let _alone = self.upkeep.lock_files();
        self.before_erasing()?;
        let _open = self.visit(&args.project_id)?;
        let find = || -> Result<JournalEntry> {
            let entry = journal::get(&*self.stores.episodes.open()?.reader()?, &args.entry_id)?;
            let entry = entry.filter(|entry| entry.project_id == args.project_id);
            entry.ok_or_else(|| Error::not_found("entryId", "entry"))
        };
        let entry = find()?;
        if entry.is_redacted {
            let finished_at = Some(self.clock.now());
            return Ok(Changed::new(RedactedEntry { entry, finished_at }, Some(args.project_id.clone()), []));
        }
        let erasure = self.asked(ErasureKind::Journal, args.entry_id.as_str(), Some(&args.project_id), by);
        self.stores.rules.open()?.write("begin a redaction", |tx| {
            erasures::upsert(tx, &erasure)?;
            let (id, at) = (args.entry_id.as_str(), erasure.requested_at);
            deletions::insert(tx, deletions::JOURNAL, id, Some(&args.project_id), at)
        })?;
        let Erasure { finished_at, .. } = self.after_erasure_intent(&erasure);
        let entry = find().unwrap_or(JournalEntry { content: String::new(), is_redacted: true, ..entry });
        let topics = [Topic::Journal, Topic::Backups];
        Ok(Changed::new(RedactedEntry { entry, finished_at }, Some(args.project_id.clone()), topics))
    }

    /// Notes the entry of a decision as due, and that of its session.
    pub(super) fn note_decided(&self, tx: &Tx<'_>, episode: &Episode, now: Time) -> Result<()> {
        let project_id = &episode.project_id;
        if !self.journal.is_kept(project_id) {
            return Ok(());
        }
        let session = self.journal.id_or(project_id, || self.ids.next(now));
        let due = |ref_id: String, event, since| DueEntry { ref_id, event, project_id: project_id.clone(), since };
        journal::insert_due(tx, &due(episode.id.to_string(), JournalEvent::Decided, now))?;
        // Not the time of the decision, which may be years ago: an editor can hand in what happened before.
        journal::insert_due(tx, &due(session, JournalEvent::Session, now))
    }

    /// Notes the entry of an undo as due.
    pub(super) fn note_undone(&self, tx: &Tx<'_>, episode: &Episode, now: Time) -> Result<()> {
        if !self.journal.is_kept(&episode.project_id) {
            return Ok(());
        }
        let (ref_id, project_id) = (episode.id.to_string(), episode.project_id.clone());
        journal::insert_due(tx, &DueEntry { ref_id, event: JournalEvent::Undone, project_id, since: now })
    }

    /// Number of entries that are still to be written; those of open sessions are not counted.
    pub(super) fn count_due_entries(&self) -> u32 {
        let count = || journal::count_due(&*self.stores.episodes.open()?.reader()?);
        count().or_log("count journal entries that are due").unwrap_or_default()
    }

    /// Whether an entry is due.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn is_entry_due(&self) -> Result<bool> {
        Ok(!self.due_entries(None)?.is_empty())
    }

    /// The events whose entries can be written now, of all books or of one.
    fn due_entries(&self, project_id: Option<&ProjectId>) -> Result<Vec<DueEntry>> {
        let mut due = journal::due(&*self.stores.episodes.open()?.reader()?, project_id)?;
        let open = self.journal.open_ids();
        let now = self.clock.now();
        due.retain(|one| one.event != JournalEvent::Session || !open.contains(&one.ref_id));
        if !due.is_empty() && self.has_journal_model() {
            due.retain(|one| !awaits_model(one, now));
        }
        Ok(due)
    }

    /// Writes some entries that are due, of all books or of one; `None` if there was none. Idempotent: an entry is
    /// written in the transaction that removes its note.
    ///
    /// # Errors
    /// Those of the store; what is not written stays due.
    pub fn write_due_entries(
        &self,
        project_id: Option<&ProjectId>,
        title: ChapterTitle<'_>,
    ) -> Result<Option<Changed<()>>> {
        let due = self.due_entries(project_id)?;
        if due.is_empty() {
            return Ok(None);
        }
        let mut worded = Vec::new();
        let mut visits = Vec::new();
        for one in due {
            // A book that is being cleared has no entries to write; one that is unknown here is skipped.
            let Ok(open) = self.visit(&one.project_id) else { continue };
            if worded.len() == MAX_PER_STEP {
                break;
            }
            worded.push((self.word_entry(&open, &one, title)?, one));
            visits.push(open);
        }
        if worded.is_empty() {
            return Ok(None);
        }
        self.append_due(&worded)?;
        let books: HashSet<&ProjectId> = worded.iter().map(|(_, due)| &due.project_id).collect();
        let only = if books.len() == 1 { books.into_iter().next().cloned() } else { None };
        Ok(Some(Changed::new((), only, [Topic::Journal])))
    }

    /// Writes entries in place of the notes that they are due.
    pub(super) fn append_due(&self, entries: &[(Option<NewEntry>, DueEntry)]) -> Result<()> {
        self.stores.episodes.open()?.write("write journal entries", |tx| {
            for (entry, due) in entries {
                // Deleted with its episode, or written meanwhile.
                if journal::delete_due(tx, due)?
                    && let Some(entry) = entry
                {
                    journal::append(tx, entry)?;
                }
            }
            Ok(())
        })
    }

    /// The entry that is due, worded by a template; `None` if there is nothing left that it could tell of.
    pub(super) fn word_entry(
        &self,
        project: &Project,
        due: &DueEntry,
        title: ChapterTitle<'_>,
    ) -> Result<Option<NewEntry>> {
        let worded = match due.event {
            JournalEvent::Session => self.session_entry(project, due, title)?,
            JournalEvent::Decided | JournalEvent::Undone => self.skill_entry(project, due, title)?,
        };
        let now = self.clock.now();
        Ok(worded.map(|Worded { at, kind, content }| NewEntry {
            id: self.ids.next(now).into(),
            project_id: due.project_id.clone(),
            at,
            kind,
            ref_id: Some(due.ref_id.clone()),
            content,
            worded_by: WordedBy::Template,
            salt: self.salt(now),
        }))
    }

    /// The entry of a decision or of an undo; `None` if the episode does not exist any more.
    fn skill_entry(&self, project: &Project, due: &DueEntry, title: ChapterTitle<'_>) -> Result<Option<Worded>> {
        let found = episodes::get(&*self.stores.episodes.open()?.reader()?, &due.ref_id.as_str().into())?;
        let Some((episode, _)) = found else { return Ok(None) };
        let chapter = title(&project.project_id, &episode.chapter_id);
        let names = if due.event == JournalEvent::Decided { self.names_in(&episode) } else { Vec::new() };
        let instruction = self.instruction_for(project, &episode);
        let around = Around { chapter: chapter.as_deref(), instruction: instruction.as_deref(), names: &names };
        let (at, content) = match due.event {
            JournalEvent::Undone => {
                let after = due.since.millis().saturating_sub(episode.created_at.millis());
                (due.since, wording::word_undo(project.language, &episode, after, around))
            }
            _ => (episode.created_at, wording::word_decision(project.language, &episode, around)),
        };
        Ok(Some(Worded { at, kind: JournalKind::Skill, content }))
    }

    /// The writer's instruction for the run of an episode, from its trace; `None` where there was none, its words were
    /// erased, or an alias stands in it: which name it replaced is not known any more.
    fn instruction_for(&self, project: &Project, episode: &Episode) -> Option<String> {
        let generation_id = episode.generation_id.as_ref()?;
        let read = || traces::get(&*self.stores.episodes.open()?.reader()?, generation_id);
        let trace = read().or_log("read a trace for the journal").flatten()?;
        let sent = trace.messages.last().and_then(|message| instruction_in(&message.content))?;
        let names = self.names_of(&project.project_id).or_log("read names for the journal")?;
        names.iter().all(|hidden| !sent.contains(&hidden.alias)).then(|| sent.to_owned())
    }

    /// The names of the writer's entities in the text of an episode, as the text has them.
    fn names_in(&self, episode: &Episode) -> Vec<String> {
        let (canon, _) = self.canon(&episode.project_id);
        let text = if episode.final_text.is_empty() { &episode.input_context } else { &episode.final_text };
        let mut names: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for found in FormMatcher::new(&canon.entities).forms_in_text(text) {
            if seen.insert(found.entity) {
                names.extend(canon.entities[found.entity].names.get(found.form).map(|name| name.name.clone()));
            }
        }
        names
    }

    /// The entry of a session that has ended; `None` if none of its decisions exist any more.
    fn session_entry(&self, project: &Project, due: &DueEntry, title: ChapterTitle<'_>) -> Result<Option<Worded>> {
        let decisions = {
            let db = self.stores.episodes.open()?;
            episodes::decisions_of_session(&*db.reader()?, &due.project_id, due.since)?
        };
        let Some(figures) = wording::SessionFigures::from_decisions(&decisions) else { return Ok(None) };
        let mut chapters: Vec<String> = Vec::new();
        for decision in &decisions {
            if let Some(name) = title(&project.project_id, &decision.chapter_id)
                && !chapters.contains(&name)
            {
                chapters.push(name);
            }
        }
        let content = wording::word_session(project.language, &figures, &chapters);
        Ok(Some(Worded { at: figures.ended_at, kind: JournalKind::Session, content }))
    }

    /// Random bytes, of two new ids.
    pub(super) fn salt(&self, now: Time) -> Salt {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.ids.next(now).as_bytes()).update(self.ids.next(now).as_bytes());
        let mut salt = Salt::default();
        salt.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        salt
    }
}
