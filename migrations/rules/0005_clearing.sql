-- Clearing what is remembered of one book, or everything. A row is the intent, written before anything is deleted, and
-- becomes the line of the audit log when it is done: who, when, and how much.

CREATE TABLE clearings (
    clearing_id  TEXT PRIMARY KEY,
    -- NULL: everything. No reference, since the line outlives the book.
    project_id   TEXT,
    requested_by TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    -- How much, by kind: numbers alone.
    counts       TEXT NOT NULL,
    -- NULL: begun and not finished. It goes on when the memory is opened.
    finished_at  INTEGER
) STRICT;

CREATE INDEX clearings_to_finish ON clearings (requested_at) WHERE finished_at IS NULL;
