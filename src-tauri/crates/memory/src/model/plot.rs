//! The threads and the events of a story, as of a position.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{EntityId, EntityKind, Fact, Position, ProjectId};

/// Asks for the threads or the events of a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlotQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The position up to which the book is known; by default its end. Nothing after it has an influence.
    #[specta(optional)]
    pub at: Option<Position>,
}

/// The threads of a book, as of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ThreadList {
    /// The open ones first, of them those that were not touched for the most chapters; then those that are left open;
    /// then those that are paid, in the order of the chapters that do.
    pub threads: Vec<StoryThread>,
    /// The attributes of the facts that are steps, in the language of the book.
    pub attributes: StepAttributes,
}

/// The attribute that a new fact of a thread has to have to be a step, by kind of step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StepAttributes {
    /// Of the place where the story opens it.
    pub planted: String,
    /// Of a place that reminds of it.
    pub touched: String,
    /// Of the place where the story answers it.
    pub paid: String,
    /// Of the decision that the story does not answer it.
    pub left_open: String,
}

/// A thread by the writer's word.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StoryThread {
    /// Id of an accepted entity of the kind `thread`.
    pub entity_id: EntityId,
    /// The name it is listed by.
    pub name: String,
    /// Version of the entity.
    pub version: u32,
    /// Whether the story has answered it up to the position.
    pub status: ThreadStatus,
    /// In the order of the book; those without a place first.
    pub steps: Vec<ThreadStep>,
    /// Number of chapters since its last step, up to the chapter of the position; `null` if no step has a place, and of
    /// a thread that is not open.
    pub untouched_for: Option<u32>,
}

impl fmt::Debug for StoryThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoryThread")
            .field("entity_id", &self.entity_id)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// Whether a thread is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ThreadStatus {
    /// Not yet.
    Open,
    /// The writer leaves it open on purpose.
    LeftOpen,
    /// The story answers it.
    Paid,
}

/// A place where a thread is told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ThreadStep {
    /// The kind, by the attribute of the fact.
    pub kind: StepKind,
    /// A fact of the thread, with its citations and knowers up to the position.
    pub fact: Fact,
    /// Whether it has citations, none of which holds. A stale step pays nothing.
    pub is_stale: bool,
    /// The position from which the reader knows it; `null`: from the beginning.
    pub position: Option<Position>,
}

/// The kind of a step of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum StepKind {
    /// The story opens it.
    Planted,
    /// The story reminds of it.
    Touched,
    /// The story answers it.
    Paid,
    /// The writer leaves it open on purpose: no place of the story.
    LeftOpen,
}

/// The events of a book, as of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EventList {
    /// As they happened: those with a year in the order of their dates, then the others in the order in which they are
    /// first told.
    pub events: Vec<StoryEvent>,
}

/// An entity of the kind `event`, or a fact with the time from which it holds.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StoryEvent {
    /// The event, or the entity that the fact is about.
    pub entity_id: EntityId,
    /// `event`, or that of the entity with the fact.
    pub kind: EntityKind,
    /// The name that it has as of the position.
    pub name: String,
    /// The fact with the time: of an event, the first one that has one.
    pub fact: Option<Fact>,
    /// Whether the fact has citations, none of which holds.
    pub is_stale: bool,
    /// Whether the time has a year by which it is ordered.
    pub is_dated: bool,
    /// The positions that tell of it, in the order of the book.
    pub positions: Vec<Position>,
}

impl fmt::Debug for StoryEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoryEvent")
            .field("entity_id", &self.entity_id)
            .field("is_dated", &self.is_dated)
            .finish_non_exhaustive()
    }
}
