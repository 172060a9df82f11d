//! The commands about the entities of a story: who and what the book names, where, and what the writer says of it.

use palimpsest_memory::model::{
    AcceptEntities, ChapterId, DismissEntity, EntityChange, EntityList, EntityQuery, EventList, MentionList,
    MentionQuery, MergeEntities, PlotQuery, Position, Presence, PresenceQuery, ProjectId, SplitEntity, ThreadList,
    Timeline, TimelineQuery, UndoEntityChange,
};

use crate::{
    Api, books,
    error::{ApiError, OrLog},
};

impl Api {
    pub(crate) fn entity_list(&self, query: EntityQuery) -> Result<EntityList, ApiError> {
        self.engine.entities(&query, &self.order_for(&query.project_id, query.at.as_ref())?)
    }

    pub(crate) fn story_mentions(&self, query: MentionQuery) -> Result<MentionList, ApiError> {
        self.engine.mentions(&query, &self.chapter_order(&query.project_id)?)
    }

    pub(crate) fn story_at(&self, query: PresenceQuery) -> Result<Presence, ApiError> {
        self.engine.present_at(&query, &self.chapter_order(&query.project_id)?)
    }

    pub(crate) fn story_timeline(&self, query: TimelineQuery) -> Result<Timeline, ApiError> {
        self.engine.timeline(&query, &self.chapter_order(&query.project_id)?)
    }

    pub(crate) fn story_threads(&self, query: PlotQuery) -> Result<ThreadList, ApiError> {
        self.engine.threads(&query, &self.order_for(&query.project_id, query.at.as_ref())?)
    }

    pub(crate) fn story_events(&self, query: PlotQuery) -> Result<EventList, ApiError> {
        self.engine.events(&query, &self.order_for(&query.project_id, query.at.as_ref())?)
    }

    pub(crate) fn entity_accept(&self, args: AcceptEntities) -> Result<EntityChange, ApiError> {
        let order = self.chapter_order(&args.project_id)?;
        Ok(self.emit_changed(self.engine.accept_entities(&args, &order)?))
    }

    pub(crate) fn entity_dismiss(&self, args: DismissEntity) -> Result<EntityChange, ApiError> {
        let order = self.chapter_order(&args.project_id)?;
        Ok(self.emit_changed(self.engine.dismiss_entity(&args, &order)?))
    }

    pub(crate) fn entity_merge(&self, args: MergeEntities) -> Result<EntityChange, ApiError> {
        let order = self.chapter_order(&args.project_id)?;
        Ok(self.emit_changed(self.engine.merge_entities(&args, &order)?))
    }

    pub(crate) fn entity_split(&self, args: SplitEntity) -> Result<EntityChange, ApiError> {
        let order = self.chapter_order(&args.project_id)?;
        Ok(self.emit_changed(self.engine.split_entity(&args, &order)?))
    }

    pub(crate) fn story_undo(&self, args: UndoEntityChange) -> Result<EntityChange, ApiError> {
        let change = self.emit_changed(self.engine.undo_entity_change(&args)?);
        // The text may have changed since the restored facts cited it.
        if let Some(book) = self.books.lock().get(&args.project_id) {
            self.analyzer.submit(&args.project_id, book);
        }
        Ok(change)
    }

    /// The chapters of a book for the story as of a position. Without one the writer's word can be read although the
    /// order of the chapters cannot.
    pub(crate) fn order_for(&self, project_id: &ProjectId, at: Option<&Position>) -> Result<Vec<ChapterId>, ApiError> {
        self.engine.known_project(project_id)?;
        if at.is_some() { self.chapter_order(project_id) } else { Ok(self.known_order(project_id)) }
    }

    /// The chapters of a book in reading order; none if they cannot be read, so that a prompt is made without them.
    pub(crate) fn known_order(&self, project_id: &ProjectId) -> Vec<ChapterId> {
        self.chapter_order(project_id).or_log("read the order of the chapters").unwrap_or_default()
    }

    /// The chapters of a book in reading order: those of its folder now; of a book in another editor, in the order in
    /// which they were analyzed.
    pub(crate) fn chapter_order(&self, project_id: &ProjectId) -> Result<Vec<ChapterId>, ApiError> {
        if self.engine.known_project(project_id)?.path.is_none() {
            return self.engine.analyzed_order(project_id);
        }
        let open = self.book(project_id)?;
        let book = open.lock();
        Ok(book.chapters().iter().map(|chapter| books::from_book(&chapter.chapter_id)).collect())
    }
}
