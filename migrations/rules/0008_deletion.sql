-- Deletion everywhere: the words of one deleted memory, or names taken off a map, are removed from all that holds them. A
-- row is the intent, written before anything is touched, and stays as a line of the audit log. It holds no words.

CREATE TABLE erasures (
    erasure_id    TEXT PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('episode', 'rule', 'names')),
    -- The episode or the rule; for names, the book.
    target_id     TEXT NOT NULL,
    -- NULL: a global rule. No reference, since the line outlives the book.
    project_id    TEXT,
    -- The generation that an episode was recorded of: its prompt holds the episode's context.
    generation_id TEXT,
    requested_by  TEXT NOT NULL,
    requested_at  INTEGER NOT NULL,
    -- How much, by kind: numbers alone.
    counts        TEXT NOT NULL,
    -- NULL: begun and not finished. It goes on when the memory is opened.
    finished_at   INTEGER
) STRICT;

CREATE INDEX erasures_to_finish ON erasures (requested_at) WHERE finished_at IS NULL;

-- BLAKE3 of the words of a rule whose words were erased, hexadecimal: the same words are still recognised.
ALTER TABLE tombstones ADD COLUMN words_hash TEXT;

-- 1: the book itself is forgotten too: title, folder, names.
ALTER TABLE clearings ADD COLUMN forgets INTEGER NOT NULL DEFAULT 0;
