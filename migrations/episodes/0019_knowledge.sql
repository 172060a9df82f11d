-- Questions of the study of a book: the writer's own and those of the program.
CREATE TABLE questions (
    question_id   TEXT PRIMARY KEY,
    project_id    TEXT NOT NULL,
    question      TEXT NOT NULL,
    question_type TEXT NOT NULL,
    -- The kind of the gap that it is about; NULL: the writer asks it.
    gap           TEXT,
    -- 1..10; the writer's own come first.
    priority      INTEGER NOT NULL,
    -- BLAKE3 hash, in hexadecimal, of the distinct terms of the question and the entities it is about.
    signature     TEXT NOT NULL,
    -- `queued`, `answered`, `failed`, `dropped`.
    state         TEXT NOT NULL,
    -- The answer that was kept as a proposal.
    answer_id     TEXT,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX questions_of_project ON questions (project_id, state, priority);
CREATE INDEX questions_by_signature ON questions (project_id, signature);

-- What failed, so that it is not tried again and again.
CREATE TABLE failures (
    failure_id     TEXT PRIMARY KEY,
    project_id     TEXT NOT NULL,
    operation_type TEXT NOT NULL,
    operation      TEXT NOT NULL,
    -- By which an operation is known to have failed before.
    signature      TEXT NOT NULL,
    error          TEXT NOT NULL,
    -- A JSON object of texts.
    context        TEXT NOT NULL,
    failed_at      INTEGER NOT NULL,
    retry_count    INTEGER NOT NULL,
    -- `pending`, `retrying`, `recovered`, `failed`.
    status         TEXT NOT NULL,
    avoid_strategy TEXT,
    updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX failures_of_project ON failures (project_id, failed_at);
CREATE INDEX failures_by_signature ON failures (project_id, operation_type, signature);

-- How far the study of each book has come. Written before each action.
CREATE TABLE study (
    project_id TEXT PRIMARY KEY,
    -- As JSON.
    state      TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Facts that a study proposes, each with the sentence that says so. The writer's word on one moves it to `rules.db`.
CREATE TABLE proposed_facts (
    fact_id     TEXT PRIMARY KEY,
    project_id  TEXT NOT NULL,
    -- The learning record that it came with.
    answer_id   TEXT NOT NULL,
    entity_id   TEXT NOT NULL,
    attribute   TEXT NOT NULL,
    value       TEXT NOT NULL,
    certainty   TEXT NOT NULL,
    -- Ids of the entities that know it there: a JSON list.
    known_by    TEXT NOT NULL,
    chapter_id  TEXT NOT NULL,
    -- In the chapter's text, in UTF-16 code units, end exclusive.
    range_from  INTEGER NOT NULL,
    range_to    INTEGER NOT NULL,
    quote_hash  TEXT NOT NULL,
    quote       TEXT NOT NULL,
    status      TEXT NOT NULL,
    -- BLAKE3 hash, in hexadecimal, of entity, attribute and value: a refused one is not proposed again.
    signature   TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX proposed_facts_of_project ON proposed_facts (project_id, entity_id);
CREATE INDEX proposed_facts_of_record ON proposed_facts (answer_id);
