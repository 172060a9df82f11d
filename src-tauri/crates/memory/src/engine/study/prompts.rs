//! The prompts of a study with the names of the book hidden, and the check of a summary.

use palimpsest_knowledge::{
    failures::FailureKind,
    gaps::Gap,
    prompts::{QuestionsData, SHOWN_QUESTIONS, questions_prompt},
    replies::{CheckedSummary, KnownEntity, StudiedPassage, check_summary},
};
use palimpsest_text::{Language, names::Mask};
use serde::{Deserialize, Serialize};

use super::{ChapterTitles, commit::MAX_CITATIONS, questions::text_language};
use crate::{
    engine::{Engine, Inquiry, NewInquiry},
    error::Result,
    model::{AnswerKind, ChapterId, CitationDraft, EntityId, FailureStatus, OperationType, ProjectId},
    ports::{Message, Role},
    storage::{failures, questions},
};

/// Number of gaps in a prompt for questions.
const GAPS_IN_PROMPT: usize = 8;

/// A prompt for questions, with the names of the book hidden.
#[derive(Debug)]
pub struct StudyGapsPrompt {
    /// The messages to send.
    pub messages: Vec<Message>,
    /// Restores the names.
    pub mask: Mask,
    pub(super) gaps: Vec<Gap>,
    pub(super) language: Language,
}

/// A checked summary in the form that is stored until it is committed.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StudySummary {
    pub(super) answer: String,
    pub(super) citations: Vec<StoredQuote>,
    pub(super) facts: Vec<SummaryFact>,
    /// The model that wrote it.
    pub(super) model: String,
    /// Statements and facts whose quotes were found.
    pub(super) found: usize,
    /// Statements and facts that were left out, as the book has no sentence for them.
    pub(super) dropped: usize,
    /// Quotes that are in another passage than the model said.
    pub(super) corrected: usize,
}

impl std::fmt::Debug for StudySummary {
    /// No text of the writer's in debug output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StudySummary").field("citations", &self.citations.len()).finish_non_exhaustive()
    }
}

/// A quote with its place in the book.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StoredQuote {
    chapter_id: String,
    from: u32,
    quote: String,
}

impl StoredQuote {
    pub(super) fn draft(&self) -> CitationDraft {
        CitationDraft {
            chapter_id: ChapterId::from(self.chapter_id.as_str()),
            from: self.from,
            quote: self.quote.clone(),
        }
    }
}

/// A fact with its quote.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SummaryFact {
    pub(super) entity_id: String,
    pub(super) attribute: String,
    pub(super) value: String,
    pub(super) certainty: String,
    pub(super) known_by: Vec<String>,
    pub(super) quote: StoredQuote,
}

impl Engine {
    /// The prompt for questions about the first gaps of a book; `None` if it has no open gap.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE`, also where the names to be hidden cannot be read: nothing may be
    /// sent then.
    pub fn study_gaps_prompt(
        &self,
        project_id: &ProjectId,
        (order, titles): (&[ChapterId], ChapterTitles<'_>),
        limit: usize,
    ) -> Result<Option<StudyGapsPrompt>> {
        let found = self.open_gaps(project_id, (order, titles))?;
        let gaps: Vec<Gap> = found.open.into_iter().take(GAPS_IN_PROMPT).collect();
        if gaps.is_empty() {
            return Ok(None);
        }
        let _open = self.visit(project_id)?;
        let shown = u32::try_from(SHOWN_QUESTIONS).unwrap_or(u32::MAX);
        let mut background = self.knowledge_settings(project_id)?.background;
        let (asked, failed) = {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            (
                questions::latest_questions(&reader, project_id, 2 * shown)?,
                failures::latest_failures(&reader, project_id, 2 * shown)?,
            )
        };
        let asked = asked.into_iter().map(|one| one.question.question).filter(|words| !words.is_empty());
        let mut asked: Vec<String> = asked.take(SHOWN_QUESTIONS).collect();
        let mut failed: Vec<(String, FailureKind)> = failed
            .into_iter()
            .filter(|failure| {
                failure.status != FailureStatus::Recovered && failure.operation_type != OperationType::StudyQuestion
            })
            .take(SHOWN_QUESTIONS)
            .filter_map(|failure| Some((failure.operation, FailureKind::from_name(&failure.error)?)))
            .collect();
        let mut lines: Vec<String> = gaps.iter().map(|gap| gap.question(found.language)).collect();
        let mut texts: Vec<&mut String> = vec![&mut background];
        texts.extend(asked.iter_mut().chain(&mut lines).chain(failed.iter_mut().map(|(words, _)| words)));
        let mask = {
            let texts: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
            self.mask_over(project_id, &texts, &[])?
        };
        if !mask.is_empty() {
            texts.into_iter().for_each(|text| *text = mask.hide(text));
        }
        let with_lines: Vec<(Gap, String)> = gaps.iter().cloned().zip(lines).collect();
        let data = QuestionsData { background: &background, gaps: &with_lines, asked: &asked, failed: &failed };
        let prompt = questions_prompt(&data, found.language, limit);
        let messages = vec![
            Message { role: Role::System, content: prompt.system },
            Message { role: Role::User, content: prompt.user },
        ];
        Ok(Some(StudyGapsPrompt { messages, mask, gaps, language: found.language }))
    }

    /// Begins to explore a question: an inquiry of which nothing is stored, with the passages that are nearest to it.
    ///
    /// # Errors
    /// Those of [`Engine::preview_inquiry`].
    pub fn study_inquiry(&self, project_id: &ProjectId, question: &str, order: &[ChapterId]) -> Result<Inquiry> {
        let new = NewInquiry {
            project_id: project_id.clone(),
            question: question.to_owned(),
            at: None,
            selection: None,
            kind: Some(AnswerKind::Canon),
            is_fresh: true,
            is_book_alone: true,
            is_service_asked: false,
        };
        Ok(self.preview_inquiry(new, order)?.inquiry)
    }

    /// Reads and checks the summary of a model, with names restored.
    ///
    /// # Errors
    /// Those of the stores; the inner error says why nothing of the reply may be kept.
    pub fn check_study_summary(
        &self,
        inquiry: &Inquiry,
        (reply, model): (&str, &str),
        order: &[ChapterId],
    ) -> Result<std::result::Result<StudySummary, FailureKind>> {
        let open = self.visit(inquiry.project_id())?;
        let marks = inquiry.passage_marks();
        let passages: Vec<StudiedPassage<'_>> = marks
            .iter()
            .filter_map(|mark| {
                let text = inquiry.passage_text(mark)?;
                Some(StudiedPassage { handle: mark, text, is_after_position: false })
            })
            .collect();
        let known = self.known_entities(inquiry.project_id(), order);
        let entities: Vec<KnownEntity<'_>> = known
            .all
            .iter()
            .map(|entity| KnownEntity { id: entity.entity_id.as_str(), names: &entity.forms })
            .collect();
        let checked = check_summary(reply, &passages, &entities, text_language(open.language));
        Ok(checked.map(|checked| {
            let name =
                |id: &str| known.with_id(&EntityId::from(id)).map(|entity| entity.name.clone()).unwrap_or_default();
            summary_of(inquiry, &checked, (model, text_language(open.language)), &name)
        }))
    }
}

fn summary_of(
    inquiry: &Inquiry,
    checked: &CheckedSummary,
    (model, language): (&str, Language),
    name: &dyn Fn(&str) -> String,
) -> StudySummary {
    let quote = |found: &palimpsest_knowledge::replies::FoundQuote| {
        let quoted = inquiry.quoted(&found.passage, found.range.clone())?;
        Some(StoredQuote { chapter_id: quoted.chapter_id.to_string(), from: quoted.from, quote: quoted.quote })
    };
    let mut summary = StudySummary {
        model: model.to_owned(),
        found: checked.statements.len() + checked.facts.len(),
        dropped: checked.dropped,
        corrected: checked.corrected,
        ..StudySummary::default()
    };
    let mut lines = Vec::new();
    for statement in &checked.statements {
        let Some(quote) = quote(&statement.quote) else { continue };
        if !summary.citations.contains(&quote) {
            // No line of an answer is without its quote.
            if summary.citations.len() >= MAX_CITATIONS {
                continue;
            }
            summary.citations.push(quote);
        }
        lines.push(statement.text.clone());
    }
    for fact in &checked.facts {
        let Some(quote) = quote(&fact.quote) else { continue };
        if checked.statements.is_empty() && summary.citations.len() < MAX_CITATIONS {
            let separator = if language == Language::Zh { "：" } else { ": " };
            lines.push(format!("{} {}{separator}{}", name(&fact.entity_id), fact.attribute, fact.value));
            summary.citations.push(quote.clone());
        }
        summary.facts.push(SummaryFact {
            entity_id: fact.entity_id.clone(),
            attribute: fact.attribute.clone(),
            value: fact.value.clone(),
            certainty: fact.certainty.clone(),
            known_by: fact.known_by.clone(),
            quote,
        });
    }
    summary.answer = lines.join("\n");
    summary
}
