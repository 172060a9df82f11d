//! The threads and the events of a book, as of a position.

use std::cell::LazyCell;

use super::{Engine, cards::check_known};
use crate::{
    error::{OrLog, Result},
    model::{ChapterId, EntityId, EventList, PlotQuery, Position, Project, ThreadList},
    story::{FactsAt, events, step_attributes, threads},
};

impl Engine {
    /// The threads of a book as of a position. `order` are the chapters of the book.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, also for a position in no chapter of the book.
    pub fn threads(&self, query: &PlotQuery, order: &[ChapterId]) -> Result<ThreadList> {
        check_known(query.at.as_ref(), order)?;
        let open = self.visit(&query.project_id)?;
        let (canon, _) = self.canon(&query.project_id);
        let last = order.len().saturating_sub(1);
        let at = query.at.as_ref().and_then(|at| order.iter().position(|chapter_id| *chapter_id == at.chapter_id));
        let facts = FactsAt::new(&canon.facts, order, query.at.as_ref());
        let is_named = self.is_named_at(&open, query.at.as_ref(), order);
        let threads = threads(&canon, &facts, at.unwrap_or(last), &is_named);
        Ok(ThreadList { threads, attributes: step_attributes(open.language) })
    }

    /// The events of a book as of a position. `order` are the chapters of the book.
    ///
    /// # Errors
    /// As [`Engine::threads`].
    pub fn events(&self, query: &PlotQuery, order: &[ChapterId]) -> Result<EventList> {
        check_known(query.at.as_ref(), order)?;
        let open = self.visit(&query.project_id)?;
        let (canon, _) = self.canon(&query.project_id);
        let facts = FactsAt::new(&canon.facts, order, query.at.as_ref());
        let is_named = self.is_named_at(&open, query.at.as_ref(), order);
        Ok(EventList { events: events(&canon, &facts, &is_named) })
    }

    /// Whether the text of a book up to a position names an entity. Names are found when it is asked first; without the
    /// text none is named.
    fn is_named_at<'a>(
        &'a self,
        project: &'a Project,
        at: Option<&'a Position>,
        order: &'a [ChapterId],
    ) -> impl Fn(&EntityId) -> bool {
        let found = LazyCell::new(move || self.names_at(project, at, order).or_log("find names for the plot"));
        move |entity_id| found.as_ref().is_some_and(|found| found.find_entity(entity_id).is_some())
    }
}
