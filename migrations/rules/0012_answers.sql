-- An answer can be erased. The kinds are checked by the program: a further one needs no new table.
CREATE TABLE erasures_of_any_kind (
    erasure_id    TEXT PRIMARY KEY,
    kind          TEXT NOT NULL,
    -- The episode, the rule, the journal entry or the answer; for names, the book.
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

INSERT INTO erasures_of_any_kind SELECT * FROM erasures;
DROP TABLE erasures;
ALTER TABLE erasures_of_any_kind RENAME TO erasures;

CREATE INDEX erasures_to_finish ON erasures (requested_at) WHERE finished_at IS NULL;
