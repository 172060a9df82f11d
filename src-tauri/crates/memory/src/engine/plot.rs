//! The threads and the events of a book, as of a position.

use super::{Engine, cards::check_known};
use crate::{
    error::Result,
    model::{ChapterId, EventList, PlotQuery, ThreadList},
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
        let threads = threads(&canon, &facts, at.unwrap_or(last));
        Ok(ThreadList { threads, attributes: step_attributes(open.language) })
    }

    /// The events of a book as of a position. `order` are the chapters of the book.
    ///
    /// # Errors
    /// As [`Engine::threads`].
    pub fn events(&self, query: &PlotQuery, order: &[ChapterId]) -> Result<EventList> {
        check_known(query.at.as_ref(), order)?;
        let _open = self.visit(&query.project_id)?;
        let (canon, _) = self.canon(&query.project_id);
        let facts = FactsAt::new(&canon.facts, order, query.at.as_ref());
        Ok(EventList { events: events(&canon, &facts) })
    }
}
