//! Validation by use: answers that the writer puts into a chapter, takes out again, copies or asks for again.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use palimpsest_answers::{
    standing::StandingRules,
    use_signals::{
        AnswerWords, ChapterChange, Insertion, MAX_INSERTION_DELAY_MS, MAX_REASK_DELAY_MS, UseSignal, insertion,
    },
    validation::Source,
};
use palimpsest_text::questions::MatchKind;

use super::{
    found,
    search::Found,
    standing::{rejudge, wire_result, wire_strength},
};
use crate::{
    engine::{Engine, citations::SavedText},
    error::Result,
    lock::{Mutex, Rank},
    model::{
        Answer, AnswerArguments, AnswerChange, AnswerEventKind, AnswerId, AnswerOrigin, Changed, ChapterId, ProjectId,
        Time, Topic, ValidationResult, ValidationSource,
    },
    storage::{
        Tx,
        answer_events::{self, Event},
        answer_insertions::{self, InsertionState},
        answers::{self, StoredAnswer},
    },
};

/// Milliseconds within which an answer is counted as copied once.
const COPIED_ONCE_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// The texts of chapters as they were compared last, of books with answers of the last week.
pub(in crate::engine) struct SeenChapters {
    books: Mutex<HashMap<ProjectId, HashMap<ChapterId, SeenChapter>>>,
    /// Held while chapters are read and compared: an older text must not be compared after a newer one.
    turn: Mutex<()>,
}

impl Default for SeenChapters {
    fn default() -> Self {
        Self { books: Mutex::default(), turn: Mutex::new(Rank::Following, ()) }
    }
}

#[derive(Clone)]
struct SeenChapter {
    content_hash: String,
    /// Shared: a comparison copies the chapters that have not changed.
    text: Arc<str>,
}

impl SeenChapters {
    /// Waits until no other thread compares chapters.
    pub(in crate::engine) fn take_turn(&self) -> impl Sized {
        self.turn.lock()
    }

    /// Forgets the chapters of a book, or with `None` of all.
    pub(in crate::engine) fn forget_seen(&self, project_id: Option<&ProjectId>) {
        self.books.lock().retain(|book, _| project_id.is_some_and(|project_id| book != project_id));
    }
}

/// Whether an answer in its present words was put into the book and counted, and not taken out since.
///
/// # Errors
/// Those of the store.
pub(super) fn is_insertion_counted(tx: &Tx<'_>, stored: &StoredAnswer) -> Result<bool> {
    has_insertion(tx, stored, |event| event.undone_at.is_none())
}

/// Whether the last of the events by insertion since the last edit, of those that are `counted`, is a pass.
fn has_insertion(tx: &Tx<'_>, stored: &StoredAnswer, counted: impl Fn(&Event) -> bool) -> Result<bool> {
    let events = answer_events::list(tx, &stored.answer.project_id, &stored.answer.answer_id)?;
    let is_edit = |event: &Event| event.kind == AnswerEventKind::Edited && event.undone_at.is_none();
    let since_edit = events.iter().rev().take_while(|event| !is_edit(event));
    let mut insertions = since_edit.filter(|event| event.source == Some(ValidationSource::Inserted) && counted(event));
    Ok(insertions.next().is_some_and(|event| event.result == Some(ValidationResult::Pass)))
}

/// An answer that is looked for in the chapters of a book.
struct Sought {
    answer_id: AnswerId,
    text: String,
    words: AnswerWords,
    is_found: bool,
}

impl Sought {
    fn new(answer: Answer) -> Self {
        let words = AnswerWords::new(&answer.answer);
        Self { answer_id: answer.answer_id, text: answer.answer, words, is_found: false }
    }
}

/// Looks in one chapter for the answers that no other one had. The words of a whole book at once would take much
/// memory.
fn look_in(text: &str, sought: &mut [Sought]) {
    let chapter = ChapterChange::all_of(text);
    for one in sought.iter_mut().filter(|one| !one.is_found) {
        one.is_found = one.words.put_in(&chapter).is_some();
    }
}

impl Engine {
    /// Records that the writer copied an answer, once a day.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the store.
    pub fn copy_answer(&self, args: &AnswerArguments) -> Result<Changed<AnswerChange>> {
        let _open = self.visit(&args.project_id)?;
        let (now, rules) = (self.clock.now(), self.standing_rules());
        let write = |tx: &Tx<'_>| {
            let mut stored = found(tx, &args.project_id, &args.answer_id)?;
            let events = answer_events::list(tx, &stored.answer.project_id, &args.answer_id)?;
            let is_recent = |event: &Event| {
                event.source == Some(ValidationSource::Copied)
                    && event.undone_at.is_none()
                    && now.millis().saturating_sub(event.at.millis()) < COPIED_ONCE_MILLIS
            };
            if events.iter().any(is_recent) {
                return Ok((stored, None));
            }
            let event_id = self.add_signal((tx, rules), &mut stored, UseSignal::Copied, now)?;
            Ok((stored, Some(event_id)))
        };
        let (stored, event_id) = self.stores.episodes.open()?.write("record a copied answer", write)?;
        let change = AnswerChange { answer: self.shown(stored)?, event_id };
        Ok(Changed::new(change, Some(args.project_id.clone()), [Topic::Answers]))
    }

    /// Compares the chapters that have changed with the answers of the last week; returns whether any was put in, was
    /// still there a day later, or was taken out.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn follow_insertions(
        &self,
        project_id: &ProjectId,
        chapters: &[(ChapterId, String)],
        read: &mut impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> Result<bool> {
        let _turn = self.story.seen_chapters.take_turn();
        let db = self.stores.episodes.open()?;
        let now = self.clock.now();
        let since = Time::from_millis(now.millis().saturating_sub(MAX_INSERTION_DELAY_MS));
        let recent = answers::made_since(&*db.reader()?, project_id, since)?;
        let inserted = answer_insertions::list(&*db.reader()?, project_id)?;
        let watched = inserted.iter().filter(|(_, _, state)| *state != InsertionState::TakenOut);
        let mut watched: BTreeMap<AnswerId, (Time, InsertionState)> =
            watched.map(|(id, seen_at, state)| (id.clone(), (*seen_at, *state))).collect();
        if recent.is_empty() && watched.is_empty() {
            self.story.seen_chapters.forget_seen(Some(project_id));
            return Ok(false);
        }
        let known: BTreeSet<&AnswerId> = inserted.iter().map(|(id, _, _)| id).collect();
        let before = self.story.seen_chapters.books.lock().get(project_id).cloned().unwrap_or_default();
        let mut after: HashMap<ChapterId, SeenChapter> = HashMap::new();
        let mut is_complete = true;
        let mut put_in: Vec<AnswerId> = Vec::new();
        for (chapter_id, content_hash) in chapters {
            let seen = before.get(chapter_id);
            if let Some(same) = seen.filter(|seen| content_hash.is_empty() || seen.content_hash == *content_hash) {
                after.insert(chapter_id.clone(), same.clone());
                continue;
            }
            let Some(SavedText { text, content_hash }) = read(chapter_id) else {
                is_complete = false;
                continue;
            };
            if let Some(seen) = seen {
                let new = recent.iter().filter(|stored| !known.contains(&stored.answer.answer_id));
                let change = ChapterChange::new(&seen.text, &text);
                let is_put_in =
                    |stored: &&StoredAnswer| AnswerWords::new(&stored.answer.answer).put_in(&change).is_some();
                put_in.extend(new.filter(is_put_in).map(|stored| stored.answer.answer_id.clone()));
            }
            after.insert(chapter_id.clone(), SeenChapter { content_hash, text: text.into() });
        }
        watched.extend(put_in.iter().map(|id| (id.clone(), (now, InsertionState::Waiting))));
        let (mut has_changed, rules) = (false, self.standing_rules());
        // Chapters are searched outside of the transactions, so that no writer waits for it.
        let mut sought: Vec<Sought> = Vec::new();
        for answer_id in watched.keys() {
            sought.extend(answers::get(&*db.reader()?, answer_id)?.map(|stored| Sought::new(stored.answer)));
        }
        after.values().for_each(|seen| look_in(&seen.text, &mut sought));
        for one in sought {
            let answer_id = one.answer_id;
            let Some(&(seen_at, state)) = watched.get(&answer_id) else { continue };
            // It may be in a chapter that could not be read now.
            let is_there = !is_complete || one.is_found;
            has_changed |= db.write("follow an answer in a chapter", |tx| {
                let Some(mut stored) = answers::get(tx, &answer_id)? else { return Ok(false) };
                // A comparison at the same time may have decided it.
                let present = answer_insertions::list(tx, project_id)?.into_iter().find(|(id, _, _)| *id == answer_id);
                let present_state = present.map(|(_, _, present)| present);
                let is_edited = stored.answer.answer != one.text;
                if is_edited || present_state.is_some_and(|present| present != state) {
                    return Ok(false);
                }
                let answered_at = stored.answer.created_at.millis();
                let is_late = now.millis().saturating_sub(seen_at.millis()) > MAX_INSERTION_DELAY_MS;
                let (signal, next) = match (insertion(answered_at, seen_at.millis(), now.millis(), is_there), state) {
                    (Insertion::Counts, InsertionState::Waiting) => {
                        (Some(UseSignal::InChapter), InsertionState::Counted)
                    }
                    (Insertion::TakenOut, _) if !is_late => (Some(UseSignal::TakenOut), InsertionState::TakenOut),
                    (_, state) => (None, state),
                };
                // Without a change nothing is written, and the commit does not wait for the disk.
                if present_state != Some(next) {
                    answer_insertions::upsert(tx, project_id, (&answer_id, seen_at), next)?;
                }
                // The window counted it when it put the answer in: one use is one validation.
                let signal = match signal {
                    Some(UseSignal::InChapter) if has_insertion(tx, &stored, |_| true)? => None,
                    signal => signal,
                };
                let Some(signal) = signal else { return Ok(false) };
                self.add_signal((tx, rules), &mut stored, signal, now)?;
                Ok(true)
            })?;
        }
        self.story.seen_chapters.books.lock().insert(project_id.clone(), after);
        Ok(has_changed)
    }

    /// Records that a question was asked again soon after an answer to it was shown or made.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn note_reasked(
        &self,
        (tx, rules): (&Tx<'_>, StandingRules),
        matches: &[Found],
        now: Time,
    ) -> Result<()> {
        for one in matches.iter().filter(|one| one.question.kind != MatchKind::Related) {
            // The search read it before this transaction: it may have changed, or be gone.
            let Some(mut stored) = answers::get(tx, &one.stored.answer.answer_id)? else { continue };
            let answer = &stored.answer;
            let made = (answer.origin == AnswerOrigin::Asked).then_some(answer.created_at);
            let last = answer.last_shown_at.max(made);
            let is_soon = |last: Time| (1..=MAX_REASK_DELAY_MS).contains(&now.millis().saturating_sub(last.millis()));
            if last.is_some_and(is_soon) {
                self.add_signal((tx, rules), &mut stored, UseSignal::AskedAgain, now)?;
            }
        }
        Ok(())
    }

    /// Adds the validation of a signal to an answer, and writes the standing that follows; returns the id of the event.
    fn add_signal(
        &self,
        (tx, rules): (&Tx<'_>, StandingRules),
        stored: &mut StoredAnswer,
        signal: UseSignal,
        now: Time,
    ) -> Result<String> {
        let validation = signal.validation();
        let event = Event {
            result: Some(wire_result(validation.result)),
            strength: Some(wire_strength(validation.strength)),
            source: Some(match validation.source {
                Source::Inserted => ValidationSource::Inserted,
                Source::Copied => ValidationSource::Copied,
                Source::Cited => ValidationSource::Cited,
                Source::Reasked => ValidationSource::Reasked,
                Source::Run => ValidationSource::Run,
                Source::Writer => ValidationSource::Writer,
                Source::Remote => ValidationSource::Client,
            }),
            was_used: validation.used,
            is_applied: validation.applied,
            ..self.writers_event(stored, AnswerEventKind::Validated, now)
        };
        answer_events::insert(tx, &event)?;
        rejudge(tx, stored, rules)?;
        answers::update(tx, stored)?;
        Ok(event.event_id)
    }
}
