//! Stored structs of the story: the states of entities and facts in `story_changes`.

use serde::{Deserialize, Serialize};

use super::InColumn;
use crate::model::{
    Certainty, ChapterId, Citation, CitationStatus, EntityId, EntityKind, EntityName, Fact, FactId, FactOrigin, Knower,
    Position, StoredEntity, Time, Visibility,
};

stored! {
    /// In [`EntityNameV1`], [`KnowerV1`] and [`FactV1`].
    PositionV1 of Position {
        chapter_id: ChapterId,
        offset: u32,
    }
}

stored! {
    /// In [`EntityV1`].
    EntityNameV1 of EntityName {
        name: String,
        since in Option<Position>,
    }
}

stored! {
    /// `before` and `after` of `story_changes` of the kind `entity`. The id of the book is in the row.
    EntityV1 of StoredEntity {
        entity_id: EntityId,
        kind in EntityKind,
        name: String,
        version: u32,
        names in Vec<EntityName>,
        visibility in Visibility,
        is_pinned: bool,
        created_at: Time,
        updated_at: Time,
    }
}

stored! {
    /// In [`FactV1`].
    KnowerV1 of Knower {
        entity_id: EntityId,
        since in Position,
    }
}

stored! {
    /// In [`FactV1`].
    CitationV1 of Citation {
        chapter_id: ChapterId,
        from: u32,
        to: u32,
        quote_hash: String,
        quote: String,
        status in CitationStatus,
    }
}

stored! {
    /// `before` and `after` of `story_changes` of the kind `fact`.
    FactV1 of Fact {
        fact_id: FactId,
        entity_id: EntityId,
        attribute: String,
        value: String,
        object_id: Option<EntityId>,
        certainty in Certainty,
        told_at in Option<Position>,
        valid_from: Option<String>,
        valid_until: Option<String>,
        superseded_by: Option<FactId>,
        known_by in Vec<Knower>,
        citations in Vec<Citation>,
        origin in FactOrigin,
        version: u32,
        created_at: Time,
        updated_at: Time,
    }
}
