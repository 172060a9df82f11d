-- The entities of the story by the writer's word: accepted characters, places, things and factions, and what the writer
-- said is none.
CREATE TABLE entities (
    -- That of the detected entity, or a UUID.
    entity_id  TEXT NOT NULL,
    project_id TEXT NOT NULL,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- Grows with each change.
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, entity_id)
) STRICT, WITHOUT ROWID;

-- The forms by which the text names an entity.
CREATE TABLE entity_names (
    project_id    TEXT NOT NULL,
    entity_id     TEXT NOT NULL,
    name          TEXT NOT NULL,
    -- The position from which the form is known to be one of the entity: a chapter, and an offset in UTF-16 code units.
    -- NULL: wherever it occurs.
    since_chapter TEXT,
    since_offset  INTEGER,
    PRIMARY KEY (project_id, entity_id, name)
) STRICT, WITHOUT ROWID;

-- Proposals that the writer refused: they are not made again.
CREATE TABLE dismissals (
    project_id   TEXT NOT NULL,
    -- `name`: the form names no entity. `merge`: the two forms are not one entity.
    kind         TEXT NOT NULL,
    name         TEXT NOT NULL,
    -- The second form of a merge, the greater of the two; else empty.
    other        TEXT NOT NULL,
    dismissed_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, kind, name, other)
) STRICT, WITHOUT ROWID;
