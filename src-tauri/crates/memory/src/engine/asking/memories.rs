//! The texts recalled for a need: passages of the book, kept answers, entries of the journal, and past decisions.

use std::collections::HashSet;

use super::{Inquiry, book::PASSAGES_PER_NEED, book::count_line, is_answer_known_at, service_answers::asked_answer};
use crate::{
    context::{AskedEntry, StepNote},
    engine::{
        Engine,
        answers::Wanted,
        knowledge::{ChooseRecords, ForegroundRequest},
    },
    episodic::recall::Summaries,
    error::{OrLog, Result},
    model::{
        Answer, AnswerId, AnswerStatus, ChapterId, EpisodeQuery, FoundRecord, Language, RecallGroup, RecallJournal,
        RecallPurpose, Staleness,
    },
};

/// Maximum number of answers of a search that are given to the model.
const ANSWERS_PER_NEED: usize = 4;
/// Minimum relevance of an answer that is given to the model, as for injection.
const MIN_ANSWER_SCORE: f64 = 0.50;
/// Maximum number of journal entries of a search. Of past decisions as many are searched.
const ENTRIES_PER_NEED: u32 = 4;
/// Maximum number of past decisions.
const EPISODES_PER_NEED: usize = 2;

/// A source that is searched for a need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedSource {
    /// Passages of the book.
    Book,
    /// Kept answers.
    Answers,
    /// Entries of the journal.
    Journal,
    /// Past decisions of the writer.
    Episodes,
}

impl NeedSource {
    /// All sources, in the order in which they are searched.
    pub const ALL: [Self; 4] = [Self::Book, Self::Answers, Self::Journal, Self::Episodes];
}

impl Engine {
    /// Searches one source for a need, and adds what it finds to the inquiry; returns the number of items.
    ///
    /// # Errors
    /// Those of the search: the run goes on without it.
    pub fn recall_for(&self, inquiry: &mut Inquiry, source: NeedSource, need: &str) -> Result<usize> {
        match source {
            NeedSource::Book => {
                inquiry.turn += 1;
                Ok(self.find_in_book(inquiry, need, PASSAGES_PER_NEED)?.len())
            }
            NeedSource::Answers => Ok(self.recall_answers(inquiry, need)?.len()),
            NeedSource::Journal => self.recall_journal(inquiry, need),
            NeedSource::Episodes => self.recall_decisions(inquiry, need),
        }
    }

    /// Loads the knowledge of the book for the question itself: its records, of which `choose` keeps the best of
    /// `limit`, with their domains, the background of the book, and the other answers that bear on the question.
    /// Returns the number of records and answers.
    ///
    /// # Errors
    /// Those of the search: the run goes on without it.
    pub fn load_for_inquiry(&self, inquiry: &mut Inquiry, limit: usize, choose: ChooseRecords<'_>) -> Result<usize> {
        let question = inquiry.question_about.clone();
        let loaded = self.load_foreground(&ForegroundRequest {
            project_id: &inquiry.project_id,
            query: &question,
            until: inquiry.at.as_ref().map(|at| (at, inquiry.order.as_slice())),
            limit,
            choose,
        })?;
        inquiry.domains = loaded.domains().map(str::to_owned).collect();
        inquiry.background = loaded.background;
        let mut found: HashSet<AnswerId> = HashSet::new();
        for FoundRecord { record, score, .. } in loaded.records {
            inquiry.add_found_answer(&record, score);
            found.insert(record.answer_id);
        }
        found.extend(self.recall_answers(inquiry, &question)?);
        Ok(found.len())
    }

    /// Adds a step with the number of items that were found for a need.
    pub fn note_need(&self, inquiry: &mut Inquiry, need: &str, found: usize) {
        let step = match inquiry.language {
            Language::Zh => format!("想知道：{need}"),
            Language::En => format!("wanted to know: {need}"),
        };
        let lines = match (found, inquiry.language) {
            (0, Language::Zh) => vec!["记下的东西里没有".to_owned()],
            (0, Language::En) => vec!["nothing of this is remembered".to_owned()],
            (found, language) => count_line(language, found),
        };
        inquiry.steps.push(StepNote { step, lines });
    }

    /// Adds the answers that bear on a query and may be shown as of the position.
    pub(super) fn recall_answers(&self, inquiry: &mut Inquiry, query: &str) -> Result<Vec<AnswerId>> {
        let _open = self.visit(&inquiry.project_id)?;
        let wanted = Wanted {
            project_id: &inquiry.project_id,
            query,
            limit: ANSWERS_PER_NEED,
            min_score: MIN_ANSWER_SCORE,
            kinds: &[],
            min_level: 0,
            with_blocked: false,
        };
        let (found, _) = self.find_answers(&wanted)?;
        let mut known = Vec::new();
        for one in found {
            let answer = one.stored.answer;
            let is_known = inquiry.at.as_ref().is_none_or(|at| is_answer_known_at(&answer, at, &inquiry.order));
            if answer.status == AnswerStatus::Blocked || answer.staleness != Staleness::Current || !is_known {
                continue;
            }
            inquiry.add_found_answer(&answer, one.relevance);
            known.push(answer.answer_id);
        }
        Ok(known)
    }

    /// Adds the entries of the journal that a query finds. As of a position, only those about earlier chapters: an
    /// entry may be about any text of its chapter.
    pub(super) fn recall_journal(&self, inquiry: &mut Inquiry, query: &str) -> Result<usize> {
        let search = RecallJournal {
            project_id: inquiry.project_id.clone(),
            query: palimpsest_text::excerpt(query, 1_000),
            top_k: Some(ENTRIES_PER_NEED * 2),
            kind: None,
        };
        let found = self.recall_entries(&search)?;
        let mut count = 0;
        for one in found.entries {
            let entry = &one.entry;
            let is_known = match (&inquiry.at, &entry.chapter_id) {
                (None, _) => true,
                (Some(_), Some(chapter)) => inquiry.is_earlier_chapter(chapter),
                (Some(_), None) => false,
            };
            if !is_known || count >= ENTRIES_PER_NEED as usize {
                continue;
            }
            count += 1;
            if inquiry.entries.iter().all(|known| known.id != entry.id.as_str()) {
                inquiry.entries.push(AskedEntry {
                    id: entry.id.to_string(),
                    day: entry.timestamp.day(),
                    content: entry.content.clone(),
                    score: one.score,
                    matched_by: one.matched_by,
                });
            }
        }
        Ok(count)
    }

    /// Adds past decisions of the writer that a query finds. As of a position, only those of earlier chapters.
    fn recall_decisions(&self, inquiry: &mut Inquiry, query: &str) -> Result<usize> {
        let _pass = self.retrieval.admit_recall()?;
        let search = EpisodeQuery {
            project_id: inquiry.project_id.clone(),
            query_text: Some(query.to_owned()),
            scene_type: None,
            skill_used: None,
            purpose: Some(RecallPurpose::Search),
            limit: Some(ENTRIES_PER_NEED),
            fields: None,
        };
        let found = self.recall_unguarded(&search, Summaries::LeftOut).or_log("recall decisions for a question");
        let mut count = 0;
        for one in found.map(|found| found.episodes).unwrap_or_default() {
            let is_known = inquiry.at.is_none() || inquiry.is_earlier_chapter(&one.episode.chapter_id);
            if !is_known || one.group != RecallGroup::Found || count >= EPISODES_PER_NEED {
                continue;
            }
            count += 1;
            if inquiry.recalled.iter().all(|known| known.episode.id != one.episode.id) {
                inquiry.recalled.push(one);
            }
        }
        Ok(count)
    }
}

impl Inquiry {
    /// Adds an answer that a search found, unless the question has it.
    fn add_found_answer(&mut self, answer: &Answer, score: f64) {
        if self.answers.iter().all(|known| known.id != answer.answer_id.as_str()) {
            self.answers.extend(asked_answer(self.language, answer, None, answer.validation_level == 0, Some(score)));
        }
    }

    /// Whether a chapter is before that of the position.
    fn is_earlier_chapter(&self, chapter_id: &ChapterId) -> bool {
        let number = |id: &ChapterId| self.order.iter().position(|chapter| chapter == id);
        let here = self.at.as_ref().and_then(|at| number(&at.chapter_id));
        number(chapter_id).zip(here).is_some_and(|(chapter, here)| chapter < here)
    }
}
