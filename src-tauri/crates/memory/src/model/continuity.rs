//! Continuity issues: two places of a book that do not agree, and the writer's verdicts on them.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ChapterId, EntityId, ProjectId, Time};

/// The kind of a disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ContinuityKind {
    /// A name differs by one letter or character from a frequent one, and is probably misspelt.
    NameDrift,
    /// Two people have one name.
    TwoForOne,
    /// An exclusive attribute of an entity has two values, by two facts of the writer or by a model.
    Attribute,
    /// Two ages of a character do not fit the years between them, with one year of tolerance.
    Age,
    /// A whole date has another weekday than the text says, or two dates do not fit the days between them.
    Date,
    /// A month does not lie in the season beside it.
    Season,
    /// Two weekdays do not fit the days between them. A wrong weekday of a date is `date`.
    Weekday,
    /// A character acts after the text or a fact of the writer says that it died.
    DeadActs,
    /// A character acts before the text introduces it, or two have to do with each other before they meet.
    BeforeIntroduced,
    /// A character knows or says something before the text or a fact of the writer says that it learns it.
    KnowsTooEarly,
    /// A character is in two places at one time.
    Where,
    /// A sentence breaks a rule of the world by the writer's word.
    WorldRule,
    /// A thread of the writer's is not touched for a quarter of the chapters, three at the least.
    OpenThread,
}

/// The method that found an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FoundBy {
    /// By arithmetic and by rules, from the text alone.
    Computed,
    /// By comparison with facts that the writer wrote or confirmed.
    Facts,
    /// A model compared two quotes.
    Model,
}

/// One of the two places of an issue.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ContinuityPlace {
    /// Id of the chapter.
    pub chapter_id: ChapterId,
    /// Start of the quote in the chapter's text, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
    /// The sentence of the place.
    pub quote: String,
    /// The words of the quote that differ from the other place, as a range in the quote, in UTF-16 code units; `null`
    /// where no words do.
    pub differs: Option<QuoteRange>,
}

impl fmt::Debug for ContinuityPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContinuityPlace").field("chapter_id", &self.chapter_id).finish_non_exhaustive()
    }
}

/// A range in a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct QuoteRange {
    /// Start, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
}

/// The verdict of a model on a pair of sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PairVerdict {
    /// Both cannot be right: an issue.
    Conflict,
    /// The later sentence tells a change.
    Change,
    /// Both may be right, or there was no readable reply.
    Unclear,
}

/// The writer's verdict on an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ContinuityVerdict {
    /// The book means both.
    Intended,
    /// A slip that the writer is going to correct.
    Mistake,
    /// The first place is right.
    First,
    /// The second place is right.
    Second,
}

/// Two places of a book that do not agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ContinuityIssue {
    /// 64 hexadecimal digits: the hash of the kind, the entity and the words of both places. Another wording of a place
    /// is another issue.
    pub issue_id: String,
    /// The kind of the disagreement.
    pub kind: ContinuityKind,
    /// The method that found it.
    pub found_by: FoundBy,
    /// The entity that it is about; `null` for one about the calendar alone.
    pub entity_id: Option<EntityId>,
    /// The name of the entity in the list of names.
    pub entity_name: Option<String>,
    /// The place that comes first in the book.
    pub first: ContinuityPlace,
    /// The other place.
    pub second: ContinuityPlace,
    /// The values that differ, such as `24` and `27`, in the order of the places; empty where there are none.
    pub values: Vec<String>,
    /// Why a model calls it a conflict, in a sentence of the model's; `null` for one that no model found, and where the
    /// model says nothing.
    pub why: Option<String>,
    /// The writer's verdict; `null` for an open issue.
    pub verdict: Option<ContinuityVerdict>,
    /// Time of the verdict.
    pub resolved_at: Option<Time>,
}

/// Number of pairs of sentences that code cannot compare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PairCounts {
    /// Those that no model has compared yet.
    pub waiting: u32,
    /// Those that are issues by the word of a model.
    pub conflicts: u32,
    /// Those that tell a change.
    pub changes: u32,
    /// Those of which both sentences may be right.
    pub unclear: u32,
}

/// The continuity issues of a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ContinuityList {
    /// The open ones first, in the order of the book; then the resolved ones, the last verdict first.
    pub issues: Vec<ContinuityIssue>,
    /// The pairs of sentences that a model compares.
    pub pairs: PairCounts,
    /// True if the tagger or one of the two files is missing, so that some may not have been found.
    pub is_incomplete: bool,
}

/// Resolves an issue, or opens it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveContinuity {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 64 hexadecimal digits.
    pub issue_id: String,
    /// `null`: the verdict is taken back.
    pub verdict: Option<ContinuityVerdict>,
}
