-- The citations before and after the writer kept an answer whose sentences had changed, as JSON: for undo.
ALTER TABLE answer_events ADD COLUMN citations TEXT;

-- The copy of the answer that all books may use.
ALTER TABLE answers ADD COLUMN promoted_to TEXT;
CREATE INDEX answers_promoted ON answers (project_id, promoted_to) WHERE promoted_to IS NOT NULL;

-- The chapters that were looked at for an answer that says that something is not in the book.
CREATE TABLE answer_basis (
    project_id   TEXT NOT NULL,
    answer_id    TEXT NOT NULL,
    chapter_id   TEXT NOT NULL,
    -- Of the text that was compared last; empty before the first comparison.
    content_hash TEXT NOT NULL,
    -- Hashes of the sentences near the question that are known, as JSON: they say nothing new.
    known        TEXT NOT NULL,
    -- The sentence that may say it, in UTF-16 code units; NULL if there is none.
    found_from   INTEGER,
    found_to     INTEGER,
    PRIMARY KEY (project_id, answer_id, chapter_id)
) STRICT, WITHOUT ROWID;

-- Answers that the writer put into a chapter.
CREATE TABLE answer_insertions (
    project_id TEXT NOT NULL,
    answer_id  TEXT NOT NULL,
    seen_at    INTEGER NOT NULL,
    -- `waiting` for a day, `counted`, `takenOut`.
    state      TEXT NOT NULL,
    PRIMARY KEY (project_id, answer_id)
) STRICT, WITHOUT ROWID;
