-- The journal: an entry can be redacted, and the writer can keep none for a book.
CREATE TABLE erasures_with_journal (
    erasure_id    TEXT PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('episode', 'rule', 'names', 'journal')),
    -- The episode, the rule or the journal entry; for names, the book.
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

INSERT INTO erasures_with_journal SELECT * FROM erasures;
DROP TABLE erasures;
ALTER TABLE erasures_with_journal RENAME TO erasures;

CREATE INDEX erasures_to_finish ON erasures (requested_at) WHERE finished_at IS NULL;

-- 1: no journal is kept of the book; NULL: it is.
ALTER TABLE projects ADD COLUMN journal_off INTEGER;
