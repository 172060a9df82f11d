//! Entries of the journal worded by a model, where the writer has chosen one: several in one query, in the background.
//!
//! A decision waits for the model for a few minutes at most; where the model cannot be reached or its answer is not
//! believed, templates word the entries. No lock and no visit of a book is held while a model answers.

use palimpsest_text::excerpt;

use super::{Engine, journal::ChapterTitle};
use crate::{
    context::fenced,
    error::{Code, Details, Error, Result},
    lock, log_error,
    model::{Changed, JournalEvent, JournalKind, Language, ProjectId, Purpose, Reason, Time, Topic, WordedBy},
    ports::{GenerationRequest, Stop, StopReason, TextModel},
    semantic::by_model::{
        Unbelievable,
        summaries::{self, MAX_ENTRIES, NamesIn, ToSummarize},
    },
    storage::{
        episodes,
        journal::{self, DueEntry, NewEntry},
    },
};

/// Milliseconds after which an entry is worded although there are fewer than one query can have.
const GATHERED_MILLIS: i64 = 30_000;
/// Milliseconds after which an entry does not wait for the model any longer.
const MAX_WAIT_MILLIS: i64 = 5 * 60_000;
/// Maximum characters of a passage that a model is shown.
const MAX_SHOWN_CHARS: usize = 240;
/// Maximum tokens of an answer.
const MAX_ANSWER_TOKENS: u32 = 2_000;

/// Whether an entry waits for the model, where the writer has chosen one.
pub(super) fn awaits_model(due: &DueEntry, now: Time) -> bool {
    due.event == JournalEvent::Decided && now.millis() < due.since.millis().saturating_add(MAX_WAIT_MILLIS)
}

impl Engine {
    /// Whether the writer has chosen a model that words the journal.
    pub(super) fn has_journal_model(&self) -> bool {
        self.models().for_purpose(Purpose::Journal).provider_id.is_some()
    }

    /// The entries of one book for the next query to the model; `None` while they are few and recent.
    pub(super) fn entries_for_model(&self) -> Result<Option<(ProjectId, Vec<DueEntry>)>> {
        if !self.has_journal_model() {
            return Ok(None);
        }
        let now = self.clock.now();
        let mut due = journal::due(&*self.stores.episodes.open()?.reader()?, None)?;
        due.retain(|one| awaits_model(one, now));
        let Some(project_id) = due.first().map(|one| one.project_id.clone()) else { return Ok(None) };
        due.retain(|one| one.project_id == project_id);
        due.truncate(MAX_ENTRIES);
        let is_old = |one: &DueEntry| now.millis() >= one.since.millis().saturating_add(GATHERED_MILLIS);
        let is_ready = due.len() == MAX_ENTRIES || due.first().is_some_and(is_old);
        Ok(is_ready.then_some((project_id, due)))
    }

    /// Words the entries of the next query by a model, or by templates where that fails; `None` if there are none.
    ///
    /// # Errors
    /// Those of the store; what is not written stays due.
    pub fn summarize_entries(
        &self,
        model: &dyn TextModel,
        (title, names): (ChapterTitle<'_>, NamesIn<'_>),
        stop: &Stop,
    ) -> Result<Option<Changed<()>>> {
        let Some((project_id, due)) = self.entries_for_model()? else { return Ok(None) };
        let mut entries = Vec::new();
        {
            // A book that is being cleared has no entries to write.
            let Ok(open) = self.visit(&project_id) else { return Ok(None) };
            for one in due {
                entries.push((self.word_entry(&open, &one, title)?, one));
            }
        }
        let worded: Vec<&NewEntry> = entries.iter().filter_map(|(entry, _)| entry.as_ref()).collect();
        let summaries = match self.query_summaries(&project_id, &worded, (model, names), stop) {
            Ok(summaries) => summaries,
            Err(_) if stop.is_set() => return Ok(None),
            Err(error) => {
                log_error!(warn, &error, "journal entries are worded by templates");
                Vec::new()
            }
        };
        let mut summaries = summaries.into_iter();
        for (entry, _) in &mut entries {
            if let Some(entry) = entry
                && let Some(Some(summary)) = summaries.next()
            {
                entry.content = summary;
                entry.worded_by = WordedBy::Model;
            }
        }
        let Ok(_open) = self.visit(&project_id) else { return Ok(None) };
        self.append_due(&entries)?;
        Ok(Some(Changed::new((), Some(project_id), [Topic::Journal])))
    }

    /// The summaries of entries in a model's words, with the hidden names restored; `None` for one that is refused.
    fn query_summaries(
        &self,
        project_id: &ProjectId,
        entries: &[&NewEntry],
        (model, names): (&dyn TextModel, NamesIn<'_>),
        stop: &Stop,
    ) -> Result<Vec<Option<String>>> {
        let language = self.project(project_id)?.language;
        let mut texts = Vec::new();
        for entry in entries.iter().filter(|entry| entry.kind == JournalKind::Skill) {
            let id = entry.ref_id.as_deref().unwrap_or_default().into();
            let found = episodes::get(&*self.stores.episodes.open()?.reader()?, &id)?;
            texts.push(found.map(|(episode, _)| episode.final_text).unwrap_or_default());
        }
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        // Names on a project's list are sent to no model; where they cannot be read, nothing is sent.
        let all: Vec<&str> =
            texts.iter().map(String::as_str).chain(entries.iter().map(|entry| entry.content.as_str())).collect();
        let mask = self.mask_over(project_id, &all, &[])?;
        // Names are hidden before the text is cut, so that no half of a name is left.
        let shown = |text: &str, chars: usize| fenced(&excerpt(&mask.hide(text), chars));
        let asked: Vec<ToSummarize> = entries
            .iter()
            .zip(&texts)
            .map(|(entry, text)| ToSummarize {
                plain: shown(&entry.content, crate::validate::JOURNAL_CHARS),
                passage: shown(text, MAX_SHOWN_CHARS),
            })
            .collect();
        let (messages, schema) = (summaries::messages(language, &asked), summaries::answer_schema());
        let request = GenerationRequest {
            messages: &messages,
            seed: 1,
            max_tokens: MAX_ANSWER_TOKENS,
            temperature: 0.2,
            schema: Some(&schema),
            tools: &[],
            stop,
        };
        lock::assert_none_held("a model answers");
        let unavailable = |reason: Reason| {
            let details = Details { reason: Some(reason), ..Details::default() };
            Error::with_details(Code::ModelUnavailable, format!("the model cannot serve: {reason}"), details)
        };
        let completion = model.generate(&request, &mut |_| {}).map_err(Error::from)?;
        if completion.stop == StopReason::Cancelled {
            return Err(unavailable(Reason::Interrupted));
        }
        let refused = |fault: Unbelievable| tracing::warn!(fault = fault.name(), "summary of the model refused");
        let summaries = summaries::parse_summaries(language, &asked, &completion.text).map_err(|fault| {
            refused(fault);
            unavailable(Reason::Unbelievable)
        })?;
        let summaries = match language {
            Language::Zh => summaries::without_invented_names(summaries, &asked, names),
            Language::En => summaries,
        };
        let restored = summaries.into_iter().map(|summary| match summary {
            Ok(summary) => Some(mask.restore(&summary)),
            Err(fault) => {
                refused(fault);
                None
            }
        });
        // A hidden name can be longer than its alias.
        let fits = |summary: &String| summary.chars().count() <= crate::validate::JOURNAL_CHARS;
        Ok(restored.map(|summary| summary.filter(fits)).collect())
    }
}
