//! Told changes: pairs of sentences of which a model said that the later one tells a change.

use palimpsest_continuity::is_same_value;

use crate::{
    engine::Engine,
    error::Result,
    model::{ChapterId, Citation, ContinuityIssue, EntityId, PairVerdict, Project},
};

/// One of the two places of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum ChangeSide {
    /// The earlier place in the book.
    Before,
    /// The later place.
    After,
}

impl Engine {
    /// The pairs of a book of which a model said that the later sentence tells a change.
    pub(in crate::engine) fn told_changes(&self, open: &Project, order: &[ChapterId]) -> Result<Vec<ContinuityIssue>> {
        let compared = self.comparisons(&open.project_id)?;
        let is_change = |issue: &&ContinuityIssue| {
            compared.get(&issue.issue_id).is_some_and(|comparison| comparison.verdict == PairVerdict::Change)
        };
        if !compared.values().any(|comparison| comparison.verdict == PairVerdict::Change) {
            return Ok(Vec::new());
        }
        let found = self.found_issues(open, order)?;
        Ok(found.pairs.iter().map(|pair| &pair.issue).filter(is_change).cloned().collect())
    }
}

/// Whether a value of an entity is that of one side of a change: the entity and the value are the same, and one of the
/// citations has words of the place.
pub(in crate::engine) fn is_side_of_change(
    (change, side): (&ContinuityIssue, ChangeSide),
    (entity_id, value): (&EntityId, &str),
    citations: &[Citation],
) -> bool {
    let (place, number) = match side {
        ChangeSide::Before => (&change.first, 0),
        ChangeSide::After => (&change.second, 1),
    };
    let has_words = |one: &Citation| {
        one.status.is_in_text() && one.chapter_id == place.chapter_id && one.from < place.to && place.from < one.to
    };
    change.entity_id.as_ref() == Some(entity_id)
        && change.values.get(number).is_some_and(|of_side| is_same_value(of_side, value))
        && citations.iter().any(has_words)
}
