//! The commands about the entities of a story: who and what the book names, where, and what the writer says of it.

use palimpsest_memory::model::{
    AcceptEntities, ChapterId, DismissEntity, EntityChange, EntityList, EntityQuery, MentionList, MentionQuery,
    MergeEntities, Presence, PresenceQuery, ProjectId, SplitEntity, Timeline, TimelineQuery, UndoEntityChange,
};

use crate::{Api, books, error::ApiError};

impl Api {
    pub(crate) fn entity_list(&self, query: EntityQuery) -> Result<EntityList, ApiError> {
        self.engine.entities(&query, &self.chapter_order(&query.project_id)?)
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
        Ok(self.emit_changed(self.engine.undo_entity_change(&args)?))
    }

    /// The chapters of a book in reading order: those of its folder now; of a book in another editor, in the order in
    /// which they were analyzed.
    fn chapter_order(&self, project_id: &ProjectId) -> Result<Vec<ChapterId>, ApiError> {
        if self.engine.known_project(project_id)?.path.is_none() {
            return self.engine.analyzed_order(project_id);
        }
        let open = self.book(project_id)?;
        let book = open.lock();
        Ok(book.chapters().iter().map(|chapter| books::from_book(&chapter.chapter_id)).collect())
    }
}
