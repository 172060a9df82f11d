-- episodes.db: the large one. What happened, its index of words, traces, and where generated passages stand.

CREATE TABLE episodes (
    -- Orders episodes as they were recorded; what indexes are caught up to.
    row              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT NOT NULL UNIQUE,
    project_id       TEXT NOT NULL,
    chapter_id       TEXT NOT NULL,
    version          INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    skill_used       TEXT NOT NULL,
    scene_type       TEXT,
    input_context    TEXT NOT NULL,
    candidates       TEXT NOT NULL,
    selected_index   INTEGER NOT NULL CHECK (selected_index >= -1),
    final_text       TEXT NOT NULL,
    explicit         TEXT,
    implicit         TEXT NOT NULL,
    implicit_weight  REAL NOT NULL,
    edit_distance    REAL CHECK (edit_distance BETWEEN 0 AND 1),
    importance       REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    recall_count     INTEGER NOT NULL DEFAULT 0,
    last_recalled_at INTEGER,
    user_confirmed   INTEGER NOT NULL DEFAULT 0,
    compressed       INTEGER NOT NULL DEFAULT 0,
    summary          TEXT,
    generation_id    TEXT
) STRICT;

CREATE INDEX episodes_by_time ON episodes (project_id, created_at);
CREATE INDEX episodes_by_scene ON episodes (project_id, scene_type, created_at);
CREATE INDEX episodes_by_generation ON episodes (generation_id) WHERE generation_id IS NOT NULL;

-- A small number for each book: it stands before every term in the index of words, so that one book's words can never
-- find another's, and rarity is counted within a book.
CREATE TABLE project_keys (
    project_key INTEGER PRIMARY KEY,
    project_id  TEXT NOT NULL UNIQUE
) STRICT;

-- Terms are cut in Rust (no tokenizer of SQLite's finds a two-character Chinese word) and come separated by spaces.
-- The ascii tokenizer takes every character outside ASCII as part of a term, and keeps letters and digits.
CREATE VIRTUAL TABLE words USING fts5 (terms, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE word_stats USING fts5vocab (words, 'row');

-- Which text a row of `words` stands for. Keyed so that other kinds of owners can move in.
CREATE TABLE word_rows (
    row        INTEGER PRIMARY KEY,
    owner_kind TEXT NOT NULL,
    owner_id   TEXT NOT NULL,
    part       INTEGER NOT NULL,
    model      TEXT NOT NULL,
    project_id TEXT NOT NULL,
    UNIQUE (owner_kind, owner_id, part, model)
) STRICT;

-- How far each background index has come.
CREATE TABLE watermarks (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE traces (
    generation_id TEXT PRIMARY KEY,
    project_id    TEXT NOT NULL,
    chapter_id    TEXT NOT NULL,
    skill         TEXT NOT NULL,
    scene_type    TEXT,
    created_at    INTEGER NOT NULL,
    provider      TEXT NOT NULL,
    seed          INTEGER NOT NULL,
    prompt_hash   TEXT NOT NULL,
    messages      TEXT NOT NULL,
    refs          TEXT NOT NULL,
    cut           TEXT NOT NULL,
    total_tokens  INTEGER NOT NULL,
    degraded      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX traces_by_project ON traces (project_id, created_at);

CREATE TABLE origins (
    project_id    TEXT NOT NULL,
    chapter_id    TEXT NOT NULL,
    ordinal       INTEGER NOT NULL,
    generation_id TEXT NOT NULL,
    range_from    INTEGER NOT NULL,
    range_to      INTEGER NOT NULL CHECK (range_to > range_from),
    quote_hash    TEXT NOT NULL,
    PRIMARY KEY (project_id, chapter_id, ordinal)
) STRICT, WITHOUT ROWID;
