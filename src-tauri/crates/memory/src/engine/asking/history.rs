//! The questions that were asked about a book, from the entries of its journal.

use std::collections::HashSet;

use crate::{
    engine::Engine,
    error::Result,
    model::{AnswerRunState, EarlierQuestion, JournalEntry, JournalKind, Language, ProjectId, WordedBy},
    storage::{answer_runs, answers, journal},
    validate,
};

/// Maximum number of questions in a list, and the default.
const LISTED: (u32, u32) = (200, 50);
/// Number of entries that are read for each listed question: one question may have several.
const ENTRIES_PER_QUESTION: u32 = 4;

impl Engine {
    /// The questions of a book that its journal has, latest first, each once, and whether the journal is kept. Those of
    /// redacted entries are not among them.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`; those of the store.
    pub fn earlier_questions(
        &self,
        project_id: &ProjectId,
        limit: Option<u32>,
    ) -> Result<(Vec<EarlierQuestion>, bool)> {
        let limit = limit.unwrap_or(LISTED.1);
        validate::within("limit", limit, 1, LISTED.0)?;
        let _open = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let entries = journal::latest(
            &reader,
            project_id,
            Some(JournalKind::Ask),
            None,
            limit.saturating_mul(ENTRIES_PER_QUESTION),
        )?;
        let (mut questions, mut seen) = (Vec::new(), HashSet::new());
        for entry in entries {
            if questions.len() == limit as usize {
                break;
            }
            let Some(question) = question_of_entry(&entry) else { continue };
            let ref_id = entry.ref_id.as_deref().unwrap_or_default();
            let kept = answers::get(&reader, &ref_id.into())?;
            let run = if kept.is_none() { answer_runs::get(&reader, ref_id)? } else { None };
            let question = kept.map_or_else(|| question.to_owned(), |kept| joined_lines(&kept.answer.question));
            if seen.insert(question.clone()) {
                let is_interrupted = run.is_some_and(|run| run.state == AnswerRunState::Interrupted);
                questions.push(EarlierQuestion { question, asked_at: entry.timestamp, is_interrupted });
            }
        }
        Ok((questions, self.is_journal_kept(project_id)))
    }
}

fn joined_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words around the question at the beginning of an entry.
pub(super) fn around_question(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Zh => ("问“", "”。"),
        Language::En => ("Asked “", "”."),
    }
}

/// The words that follow the question in an entry, each by its beginning.
const OUTCOMES: [&str; 13] = [
    "用了 ",
    "没有问模型",
    "停掉了",
    "中断了",
    "书里没有写到",
    "答“",
    "没有答案",
    " Answered ",
    " No model was asked",
    " Stopped ",
    " Broken off ",
    " The book does not say",
    " No answer",
];

/// The question of an entry that the program worded; `None` for another or a redacted one.
fn question_of_entry(entry: &JournalEntry) -> Option<&str> {
    if entry.worded_by != WordedBy::Template {
        return None;
    }
    [Language::Zh, Language::En].into_iter().find_map(|language| {
        let (open, close) = around_question(language);
        let rest = entry.content.strip_prefix(open)?;
        // A quotation in the question may end like the question itself.
        let end = rest.match_indices(close).map(|(at, _)| at).find(|at| {
            let after = &rest[at + close.len()..];
            OUTCOMES.iter().any(|outcome| after.starts_with(outcome))
        })?;
        Some(&rest[..end]).filter(|question| !question.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(content: &str, worded_by: WordedBy) -> JournalEntry {
        JournalEntry {
            id: "e".into(),
            project_id: "p".into(),
            timestamp: crate::model::Time::from_millis(0),
            kind: JournalKind::Ask,
            content: content.to_owned(),
            ref_id: None,
            worded_by,
            is_redacted: content.is_empty(),
            chapter_id: None,
            generation_id: None,
            answer_id: None,
        }
    }

    #[test]
    fn the_question_of_an_entry_is_found_whatever_quotations_it_has() {
        let questions = ["Who?", "Who said “no”. Then what?", "谁说“不”。后来呢？", "a”. b", "他答“好”了吗", "”。"];
        for question in questions {
            for outcome in OUTCOMES {
                let language = if outcome.starts_with(' ') { Language::En } else { Language::Zh };
                let (open, close) = around_question(language);
                let content = format!("{open}{question}{close}{outcome}…");
                assert_eq!(question_of_entry(&entry(&content, WordedBy::Template)), Some(question), "{content}");
            }
        }
    }

    #[test]
    fn an_entry_that_is_redacted_or_that_a_client_worded_has_no_question() {
        assert_eq!(question_of_entry(&entry("", WordedBy::Template)), None);
        let content = "Asked “Who?”. No answer.";
        assert_eq!(question_of_entry(&entry(content, WordedBy::Template)), Some("Who?"));
        assert_eq!(question_of_entry(&entry(content, WordedBy::Client)), None);
        assert_eq!(question_of_entry(&entry("Written by hand.", WordedBy::Template)), None);
    }
}
