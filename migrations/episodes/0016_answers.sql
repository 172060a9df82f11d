-- Answers: a question with the answer that was kept, and how far it may be trusted.
CREATE TABLE answers (
    -- Never used twice: the indexes remember how far they have come. A change of the texts gives an answer a new row.
    row             INTEGER PRIMARY KEY AUTOINCREMENT,
    answer_id       TEXT NOT NULL UNIQUE,
    project_id      TEXT NOT NULL,
    -- Grows with each change by the writer.
    version         INTEGER NOT NULL,
    kind            TEXT NOT NULL,
    origin          TEXT NOT NULL,
    question        TEXT NOT NULL,
    -- First half of the BLAKE3 hash of the question's content words in order, with the project: equal for the same
    -- question in the same words.
    question_key    BLOB NOT NULL,
    answer          TEXT NOT NULL,
    language        TEXT NOT NULL,
    -- 0..1.
    confidence      REAL NOT NULL,
    -- What else is known of it, such as the exploration of a learning record, as JSON.
    details         TEXT NOT NULL,
    -- The standing: what the events of the answer come to.
    level           INTEGER NOT NULL,
    trust_milli     INTEGER NOT NULL,
    fails_half      INTEGER NOT NULL,
    passes          INTEGER NOT NULL,
    status          TEXT NOT NULL,
    blocked_by      TEXT,
    times_blocked   INTEGER NOT NULL,
    last_failed_at  INTEGER,
    user_confirmed  INTEGER NOT NULL,
    user_modified   INTEGER NOT NULL,
    is_challenged   INTEGER NOT NULL,
    -- Aged weights of its validations: of those that were right, and of all; the same of strong and medium ones.
    post_right      REAL NOT NULL,
    post_weight     REAL NOT NULL,
    firm_right      REAL NOT NULL,
    firm_weight     REAL NOT NULL,
    -- Number of its validations with a weight, and of those that passed.
    tries           INTEGER NOT NULL,
    passed          INTEGER NOT NULL,
    -- Whether the book still has the sentences that it rests on.
    staleness       TEXT NOT NULL,
    shown_count     INTEGER NOT NULL,
    used_count      INTEGER NOT NULL,
    -- The run that it is a candidate of.
    run_id          TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    -- When a validation last said that it is right, or the writer did.
    verified_at     INTEGER NOT NULL,
    last_shown_at   INTEGER
) STRICT;

CREATE INDEX answers_of_project ON answers (project_id, updated_at, row);
-- The numbers of each filter are counted without reading the texts.
CREATE INDEX answers_by_standing ON answers (project_id, status, staleness, user_confirmed, level, trust_milli);
CREATE INDEX answers_by_question ON answers (project_id, question_key);

-- The sentences of the book that answers rest on.
CREATE TABLE answer_citations (
    project_id TEXT NOT NULL,
    answer_id  TEXT NOT NULL,
    ordinal    INTEGER NOT NULL,
    chapter_id TEXT NOT NULL,
    -- In the chapter's text, in UTF-16 code units, end exclusive.
    range_from INTEGER NOT NULL,
    range_to   INTEGER NOT NULL,
    quote_hash TEXT NOT NULL,
    quote      TEXT NOT NULL,
    status     TEXT NOT NULL,
    PRIMARY KEY (project_id, answer_id, ordinal)
) STRICT, WITHOUT ROWID;

-- The events of answers, in order. The standing of an answer is the fold of those that were not undone.
CREATE TABLE answer_events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id   TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL,
    answer_id  TEXT NOT NULL,
    at         INTEGER NOT NULL,
    -- `hit`, `validated`, `edited`, `confirmed`, `blocked`, `unblocked`.
    kind       TEXT NOT NULL,
    -- Of a validation.
    result     TEXT,
    strength   TEXT,
    source     TEXT,
    run_id     TEXT,
    -- Whether a run was given the answer, and whether it used it.
    was_shown  INTEGER,
    was_used   INTEGER,
    -- Whether it moves trust and level; a validation may only be told.
    is_applied INTEGER NOT NULL,
    note       TEXT,
    -- Of an edit: the texts before and after as JSON.
    texts      TEXT,
    undone_at  INTEGER
) STRICT;

CREATE INDEX answer_events_of ON answer_events (project_id, answer_id, seq);
CREATE INDEX answer_events_of_run ON answer_events (run_id) WHERE run_id IS NOT NULL;

-- Runs: attempts to answer a question with the answers that were kept.
CREATE TABLE answer_runs (
    run_id       TEXT PRIMARY KEY,
    project_id   TEXT NOT NULL,
    -- The question; empty once the run has ended: what is kept of it is in its candidate.
    query        TEXT NOT NULL,
    kind         TEXT NOT NULL,
    -- `prepared`, `completed`, `expired`.
    state        TEXT NOT NULL,
    prepared_at  INTEGER NOT NULL,
    ended_at     INTEGER,
    -- BLAKE3 of the outcome: completing a run again with the same one has the same answer.
    outcome_hash BLOB,
    -- The answer to the command that completed it, without texts, as JSON.
    completed    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX answer_runs_of_project ON answer_runs (project_id, prepared_at);

-- What a run found, in numbers: enough to decide again with other settings.
CREATE TABLE answer_matches (
    project_id  TEXT NOT NULL,
    run_id      TEXT NOT NULL,
    ordinal     INTEGER NOT NULL,
    answer_id   TEXT NOT NULL,
    version     INTEGER NOT NULL,
    -- Its number in the prompt, from 1; NULL if it was left out.
    handle      INTEGER,
    relevance   REAL NOT NULL,
    same        REAL NOT NULL,
    level       INTEGER NOT NULL,
    trust_milli INTEGER NOT NULL,
    freshness   REAL NOT NULL,
    fails_half  INTEGER NOT NULL,
    shown_count INTEGER NOT NULL,
    used_count  INTEGER NOT NULL,
    status      TEXT NOT NULL,
    blocked_by  TEXT,
    times_blocked  INTEGER NOT NULL,
    last_failed_at INTEGER,
    user_confirmed INTEGER NOT NULL,
    staleness   TEXT NOT NULL,
    -- `injected`, `probation`, `leftOut`.
    decision    TEXT NOT NULL,
    why         TEXT,
    -- Whether the run used it; NULL until it has ended.
    was_used    INTEGER,
    PRIMARY KEY (run_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX answer_matches_of_project ON answer_matches (project_id);
