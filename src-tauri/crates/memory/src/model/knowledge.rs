//! The knowledge of books: learning records, domains, habits, failures, and the notes for all books.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{
    Answer, AnswerDetails, AnswerId, ChapterId, CitationDraft, EntityId, EntityKind, FailureId, PracticeId, ProjectId,
    QuestionType, StudyState, Time,
};

/// Saves a learning record: an answer of origin `studied`.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveRecord {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 1..10,000 bytes, with a letter or a digit.
    pub question: String,
    /// One of a closed list.
    pub question_type: QuestionType,
    /// 1..100,000 bytes.
    pub answer: String,
    /// 0..1. A caller's number is stored and has no influence here; by default it is computed from verdicts.
    #[serde(default)]
    #[specta(optional)]
    pub confidence: Option<f64>,
    /// Sentences of the book that say so, at most 8. Each is looked up in the saved text.
    #[serde(default)]
    #[specta(optional)]
    pub citations: Vec<CitationDraft>,
    /// Exploration path, source files, related records, domain, tags, metadata.
    #[serde(default)]
    #[specta(optional)]
    pub details: AnswerDetails,
}

impl fmt::Debug for SaveRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveRecord").field("project_id", &self.project_id).finish_non_exhaustive()
    }
}

/// Searches learning records, by words and by meaning of question and answer.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchRecords {
    /// 1..10,000 bytes.
    pub query: String,
    /// UUID of the book. Required, unless `allProjects`.
    #[serde(default)]
    #[specta(optional)]
    pub project_id: Option<ProjectId>,
    /// True: records of all books, each with its book. Such a result is never part of a prompt.
    #[serde(default)]
    #[specta(optional)]
    pub all_projects: bool,
    /// Maximum number of records, 1..50; default 5.
    #[serde(default)]
    #[specta(optional)]
    pub top_k: Option<u32>,
}

impl fmt::Debug for SearchRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchRecords").field("project_id", &self.project_id).finish_non_exhaustive()
    }
}

/// A learning record that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundRecord {
    /// An answer of origin `studied`.
    pub record: Answer,
    /// Similarity, 0..1; best first.
    pub score: f64,
    /// Of the book that it is about; empty if that is not known.
    pub project_title: String,
}

/// The result of a search of learning records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundRecords {
    /// Best first.
    pub records: Vec<FoundRecord>,
    /// Whether a model ordered them; otherwise words and meaning did.
    pub is_reranked: bool,
}

/// Lists learning records, the newest first: of a domain, or the recent ones.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListRecords {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Only those of this domain.
    #[serde(default)]
    #[specta(optional)]
    pub domain: Option<String>,
    /// Only those with this standing.
    #[serde(default)]
    #[specta(optional)]
    pub standing: Option<RecordStanding>,
    /// Number of records to skip.
    #[serde(default)]
    #[specta(optional)]
    pub offset: u32,
    /// Maximum number, 1..200; default 10.
    #[serde(default)]
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// Whether the writer keeps a learning record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RecordStanding {
    /// The writer has not said yet. Its answer is in no writing prompt, only its quotes are.
    Proposed,
    /// The writer keeps it.
    Kept,
}

/// Learning records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecordList {
    /// The newest first.
    pub records: Vec<Answer>,
    /// Facts that they propose, in the same order.
    pub proposed_facts: Vec<ProposedFact>,
    /// Number of records that the filters leave, on all pages.
    pub total: u32,
    /// Number of those on which the writer has not said anything yet.
    pub proposed: u32,
}

/// A fact that a study proposes, with the sentence that says so.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProposedFact {
    /// UUID; that of the fact, once it is accepted.
    pub fact_id: String,
    /// The learning record that it came with.
    pub answer_id: AnswerId,
    /// The entity that it is about.
    pub entity_id: EntityId,
    /// As the story lists it; empty if the book does not name it any more.
    pub entity_name: String,
    /// The attribute, such as *age*.
    pub attribute: String,
    /// 1..500 characters.
    pub value: String,
    /// The sentence that says so.
    pub citation: super::Citation,
}

impl fmt::Debug for ProposedFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProposedFact").field("fact_id", &self.fact_id).finish_non_exhaustive()
    }
}

/// The writer's verdict on a learning record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RecordVerdict {
    /// Kept: no run changes it, and those of its facts whose sentences the text still has become the writer's.
    Keep,
    /// Refused: it is deleted for good, as by `answer:delete`, with its facts and the words of its question, in the
    /// backups too. The question is not asked again.
    Refuse,
}

/// Says whether a learning record is kept.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JudgeRecord {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the record.
    pub answer_id: AnswerId,
    /// The version that the caller has seen.
    pub version: u32,
    /// Keeping can be undone, refusing cannot.
    pub verdict: RecordVerdict,
    /// Its proposed facts that are kept in other words, or not at all; those that are not named are kept as they are.
    #[serde(default)]
    #[specta(optional)]
    pub facts: Vec<JudgedFact>,
}

/// The writer's word on a proposed fact of a record that is kept.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JudgedFact {
    /// The proposed fact.
    pub fact_id: String,
    /// The attribute in the writer's words; without it, that of the proposal.
    #[serde(default)]
    #[specta(optional)]
    pub attribute: Option<String>,
    /// The value in the writer's words, 1..500 characters; without it, that of the proposal.
    #[serde(default)]
    #[specta(optional)]
    pub value: Option<String>,
    /// Whether it does not become a fact, and is not proposed again.
    #[serde(default)]
    #[specta(optional)]
    pub is_left_out: bool,
}

impl fmt::Debug for JudgedFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgedFact").field("fact_id", &self.fact_id).finish_non_exhaustive()
    }
}

/// A learning record after a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JudgedRecord {
    /// The record as it is now; `null`: it is refused.
    pub record: Option<Answer>,
    /// Number of its facts that became the writer's.
    pub accepted_facts: u32,
    /// The change of the story that wrote them, for `story:undo`; `null`: none was written.
    pub change_id: Option<String>,
}

/// The knowledge of a book.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectMemory {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The folder of the book; `null` for a book in another editor.
    pub project_path: Option<String>,
    /// The writer's words about the book; empty: none.
    pub background: String,
    /// Its domains: the entities of the story, the most mentioned first.
    pub domain_knowledge: Vec<DomainSummary>,
    /// Ids of its learning records, the newest first.
    pub learning_record_ids: Vec<AnswerId>,
    /// Ids of its failures, the newest first.
    pub failure_record_ids: Vec<FailureId>,
    /// Properties that most of its chapters share, counted from the text.
    pub habits: Vec<Habit>,
    /// The progress of its study.
    pub evolution_status: StudyState,
    /// Version of its settings; 0: none are stored.
    pub version: u32,
    /// Time at which its settings were first stored.
    pub created_at: Option<Time>,
    /// Time of the last change of its settings.
    pub updated_at: Option<Time>,
    /// True: a file of the memory cannot be read, and its part is missing.
    pub degraded: bool,
}

/// A domain in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DomainSummary {
    /// The entity of the story that the domain is.
    pub entity_id: EntityId,
    /// The name, by which `knowledge:domain:get` finds it.
    pub domain: String,
    /// The kind of the entity.
    pub kind: EntityKind,
    /// Number of learning records about it.
    pub records: u32,
}

/// Changes the settings of the knowledge of a book.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateProjectMemory {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 0..2,000 characters that introduce the book: genre, period, setting, subject.
    pub background: String,
    /// The version that the change is based on; 0 for the first one.
    pub version: u32,
}

impl fmt::Debug for UpdateProjectMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateProjectMemory").field("project_id", &self.project_id).finish_non_exhaustive()
    }
}

/// Asks for a domain.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DomainQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// A name of the entity, or its id.
    pub domain: String,
}

/// A domain: an entity of the story with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Domain {
    /// The entity of the story that the domain is.
    pub entity_id: EntityId,
    /// Its name.
    pub domain: String,
    /// Its facts in one line, in the language of the book.
    pub summary: String,
    /// Its facts by attribute.
    pub key_concepts: Vec<Concept>,
    /// Chapters that mention it, those with the most mentions first, at most 20.
    pub key_files: Vec<ChapterId>,
    /// Learning records about it, the newest first.
    pub source_record_ids: Vec<AnswerId>,
}

/// A concept of a domain: a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Concept {
    /// The attribute.
    pub name: String,
    /// The value.
    pub description: String,
    /// The chapters that say so.
    pub related_files: Vec<ChapterId>,
}

/// The side of the writing that a habit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum HabitKind {
    /// The first sentence of a chapter: dialogue, a time, a name, or anything else.
    Opening,
    /// The last sentence of a chapter, by the same values.
    Ending,
    /// Who tells: the first or the third person.
    Narration,
    /// The length of a chapter, in steps.
    ChapterLength,
    /// The share of dialogue in a chapter, in steps.
    Dialogue,
}

/// A property that most chapters of a book share, counted from the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Habit {
    /// One of a closed list.
    pub kind: HabitKind,
    /// The value that most chapters share, such as `dialogue`, `third`, `2000-4000`.
    pub value: String,
    /// One sentence, in the language of the book.
    pub description: String,
    /// Number of chapters that do so, and of all that were counted.
    pub chapters: u32,
    /// Number of chapters that were counted.
    pub of: u32,
    /// Examples, at most 5.
    pub example_files: Vec<ChapterId>,
    /// The places where it is used, in the language of the book.
    pub usage_scenarios: Vec<String>,
}

/// The knowledge of all books.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct GlobalMemory {
    /// The writer's craft notes, the newest first.
    pub best_practices: Vec<Practice>,
    /// Habits that two or more books share.
    pub cross_project_patterns: Vec<SharedPattern>,
    /// Version of the shape: `2.0.0`.
    pub version: String,
    /// Time of the last change of a practice.
    pub updated_at: Option<Time>,
    /// True: a file of the memory cannot be read, and its part is missing.
    pub degraded: bool,
}

/// A craft note for all books.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Practice {
    /// UUID.
    pub practice_id: PracticeId,
    /// 1..200 characters.
    pub title: String,
    /// 0..4,000 characters.
    pub description: String,
    /// Where it applies.
    pub applicable_scenarios: Vec<String>,
    /// The books that it comes from.
    pub source_projects: Vec<ProjectId>,
    /// Grows with each change.
    pub version: u32,
    /// Time at which it was added.
    pub created_at: Time,
    /// Time of the last change.
    pub updated_at: Time,
}

impl fmt::Debug for Practice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Practice").field("practice_id", &self.practice_id).finish_non_exhaustive()
    }
}

/// Adds a craft note, or changes one.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddPractice {
    /// The note to change; without it, a new one is added.
    #[serde(default)]
    #[specta(optional)]
    pub practice_id: Option<PracticeId>,
    /// The version that a change is based on.
    #[serde(default)]
    #[specta(optional)]
    pub version: Option<u32>,
    /// 1..200 characters.
    pub title: String,
    /// 0..4,000 characters.
    #[serde(default)]
    #[specta(optional)]
    pub description: String,
    /// At most 20, each 1..200 characters.
    #[serde(default)]
    #[specta(optional)]
    pub applicable_scenarios: Vec<String>,
    /// Known books.
    #[serde(default)]
    #[specta(optional)]
    pub source_projects: Vec<ProjectId>,
}

impl fmt::Debug for AddPractice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddPractice").field("practice_id", &self.practice_id).finish_non_exhaustive()
    }
}

/// Deletes a craft note.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PracticeArguments {
    /// UUID of the note.
    pub practice_id: PracticeId,
    /// The version that the caller has seen.
    pub version: u32,
}

/// A habit that several books share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SharedPattern {
    /// The kind of the habit.
    pub pattern_name: HabitKind,
    /// Its value, as in [`Habit::value`].
    pub description: String,
    /// Number of books.
    pub occurrences: u32,
    /// These books.
    pub example_projects: Vec<ProjectId>,
}

/// Asks for what a request needs to know of a book.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoadKnowledge {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The request: 1..10,000 bytes.
    pub query: String,
    /// Maximum number of records, 1..50; default 5.
    #[serde(default)]
    #[specta(optional)]
    pub top_k: Option<u32>,
}

impl fmt::Debug for LoadKnowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadKnowledge").field("project_id", &self.project_id).finish_non_exhaustive()
    }
}

/// The knowledge that a request needs of a book.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LoadedKnowledge {
    /// The records that bear on it.
    pub learning_records: Vec<FoundRecord>,
    /// The writer's words about the book.
    pub background: String,
    /// The domains of the records and of the names in the request.
    pub domains: Vec<Domain>,
    /// All of it in a few paragraphs, in the language of the book: for a prompt, where it is data.
    pub context_summary: String,
    /// True: a file of the memory cannot be read, and its part is missing.
    pub degraded: bool,
}
