-- The writer's verdicts on places of a book that do not agree. An issue with one of these signatures is not open.
CREATE TABLE continuity_resolutions (
    project_id  TEXT NOT NULL,
    -- BLAKE3 hash, in hexadecimal, of the kind, the entity and the words of both passages: another wording has none.
    signature   TEXT NOT NULL,
    kind        TEXT NOT NULL,
    -- `intended`, `mistake`, `first`, `second`.
    verdict     TEXT NOT NULL,
    resolved_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, signature)
) STRICT, WITHOUT ROWID;

-- The writer's settings of the knowledge of a book.
CREATE TABLE knowledge_settings (
    project_id  TEXT PRIMARY KEY,
    -- The writer's words about the book, for the prompts of questions and of the study; empty: none.
    background  TEXT NOT NULL,
    -- Whether the program studies the book by itself.
    is_study_on INTEGER NOT NULL,
    -- Whether a study takes more steps a question.
    is_deep     INTEGER NOT NULL,
    -- The host that the writer agreed to send the book's text to; NULL: no agreement. Another host needs another one.
    agreed_host TEXT,
    agreed_at   INTEGER,
    -- Grows with each change.
    version     INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The writer's craft notes for all books.
CREATE TABLE practices (
    practice_id     TEXT PRIMARY KEY,
    title           TEXT NOT NULL,
    description     TEXT NOT NULL,
    -- Where it applies: a JSON list of texts.
    scenarios       TEXT NOT NULL,
    -- Ids of the books that it comes from: a JSON list.
    source_projects TEXT NOT NULL,
    -- Grows with each change.
    version         INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
