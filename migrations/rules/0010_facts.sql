-- When models may have an entity; NULL: as of the position at which the text tells of it.
ALTER TABLE entities ADD COLUMN visibility TEXT;
-- Whether it is in every prompt; NULL: it is not.
ALTER TABLE entities ADD COLUMN pinned INTEGER;

-- The facts of the story by the writer's word: an attribute of an entity, or its relation to another one.
CREATE TABLE facts (
    fact_id       TEXT PRIMARY KEY,
    project_id    TEXT NOT NULL,
    entity_id     TEXT NOT NULL,
    attribute     TEXT NOT NULL,
    value         TEXT NOT NULL,
    -- The entity that a relation leads to.
    object_id     TEXT,
    certainty     TEXT NOT NULL,
    -- The position from which the reader knows it. NULL: from the first of its citations on, or, without one, from the
    -- beginning.
    told_chapter  TEXT,
    told_offset   INTEGER,
    -- The time of the story in which it holds, in the writer's words.
    valid_from    TEXT,
    valid_until   TEXT,
    -- The later fact that replaces it.
    superseded_by TEXT,
    origin        TEXT NOT NULL,
    -- Grows with each change by the writer.
    version       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX facts_of_project ON facts (project_id, entity_id);

-- The characters that know a fact, each from a position on.
CREATE TABLE fact_knowers (
    project_id    TEXT NOT NULL,
    fact_id       TEXT NOT NULL,
    entity_id     TEXT NOT NULL,
    since_chapter TEXT NOT NULL,
    since_offset  INTEGER NOT NULL,
    PRIMARY KEY (project_id, fact_id, entity_id)
) STRICT, WITHOUT ROWID;

-- The sentences that say so.
CREATE TABLE fact_citations (
    project_id TEXT NOT NULL,
    fact_id    TEXT NOT NULL,
    ordinal    INTEGER NOT NULL,
    chapter_id TEXT NOT NULL,
    -- In the chapter's text, in UTF-16 code units, end exclusive.
    range_from INTEGER NOT NULL,
    range_to   INTEGER NOT NULL,
    quote_hash TEXT NOT NULL,
    quote      TEXT NOT NULL,
    status     TEXT NOT NULL,
    PRIMARY KEY (project_id, fact_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What each change of entities and facts replaced, for the history and for undo.
CREATE TABLE story_changes (
    project_id TEXT NOT NULL,
    change_id  TEXT NOT NULL,
    -- `entity`, `fact`, `dismissal`.
    kind       TEXT NOT NULL,
    -- Id of the entity or fact; of a dismissal, its two forms as JSON.
    id         TEXT NOT NULL,
    -- The place of the change among those of the book, from 1.
    number     INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- The state before and after as JSON; NULL where there was none.
    before     TEXT,
    after      TEXT,
    -- When the change was taken back.
    undone_at  INTEGER,
    PRIMARY KEY (project_id, change_id, kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX story_changes_of ON story_changes (project_id, number);
