//! The commands about facts: cards, what the writer says of an entity, and its history.

use palimpsest_memory::model::{
    CardQuery, ChapterId, CitationDraft, ConfirmFact, DeleteEntity, DeleteFact, EntityCard, EntityChange, FactChange,
    ProjectId, SaveEntity, SaveFact, SetFactKnown, StoryHistory, StoryHistoryQuery,
};

use crate::{
    Api, books,
    error::{ApiError, manuscript},
};

impl Api {
    pub(crate) fn entity_get(&self, query: CardQuery) -> Result<EntityCard, ApiError> {
        self.engine.entity_card(&query, &self.order_for(&query.project_id, query.at.as_ref())?)
    }

    pub(crate) fn entity_save(&self, args: SaveEntity) -> Result<EntityChange, ApiError> {
        let order = self.order_for(&args.project_id, args.at.as_ref())?;
        Ok(self.emit_changed(self.engine.save_entity(&args, &order)?))
    }

    pub(crate) fn entity_delete(&self, args: DeleteEntity) -> Result<EntityChange, ApiError> {
        Ok(self.emit_changed(self.engine.delete_entity(&args)?))
    }

    pub(crate) fn fact_save(&self, args: SaveFact) -> Result<FactChange, ApiError> {
        let order = self.order_for(&args.project_id, args.told_at.as_ref().or(args.at.as_ref()))?;
        let text = self.cited_text(&args.project_id, args.citation.as_ref())?;
        Ok(self.emit_changed(self.engine.save_fact(&args, &order, text.as_deref())?))
    }

    pub(crate) fn fact_confirm(&self, args: ConfirmFact) -> Result<FactChange, ApiError> {
        let order = self.order_for(&args.project_id, None)?;
        let text = self.cited_text(&args.project_id, args.citation.as_ref())?;
        Ok(self.emit_changed(self.engine.confirm_fact(&args, &order, text.as_deref())?))
    }

    pub(crate) fn fact_delete(&self, args: DeleteFact) -> Result<FactChange, ApiError> {
        Ok(self.emit_changed(self.engine.delete_fact(&args)?))
    }

    pub(crate) fn fact_known_by(&self, args: SetFactKnown) -> Result<FactChange, ApiError> {
        let order = self.order_for(&args.project_id, args.since.as_ref())?;
        Ok(self.emit_changed(self.engine.set_fact_known(&args, &order)?))
    }

    pub(crate) fn story_history(&self, query: StoryHistoryQuery) -> Result<StoryHistory, ApiError> {
        self.engine.story_history(&query)
    }

    /// The saved text of the chapter that a citation is of; `None` without a citation, and for a book in another
    /// editor, of which the memory has the passages.
    fn cited_text(&self, project_id: &ProjectId, citation: Option<&CitationDraft>) -> Result<Option<String>, ApiError> {
        let Some(citation) = citation else { return Ok(None) };
        if self.engine.known_project(project_id)?.path.is_none() {
            return Ok(None);
        }
        let open = self.book(project_id)?;
        let chapter_id: &ChapterId = &citation.chapter_id;
        let read = open.lock().read(&books::in_book(chapter_id)).map_err(manuscript)?;
        Ok(Some(read.text))
    }
}
