-- What the writer said of the memories that went into a generation.

CREATE TABLE trace_feedback (
    generation_id TEXT NOT NULL,
    reference_id  TEXT NOT NULL,
    project_id    TEXT NOT NULL,
    -- Those of the generation: 'notHere' holds for this skill in this kind of scene.
    skill         TEXT NOT NULL,
    scene_type    TEXT,
    verdict       TEXT NOT NULL CHECK (verdict IN ('right', 'wrong', 'notHere')),
    note          TEXT,
    -- Unique among the verdicts on one memory: by it `rules.db` knows that it has counted a 'wrong'.
    at            INTEGER NOT NULL,
    -- The episode that was recorded of a 'wrong'.
    episode_id    TEXT,
    PRIMARY KEY (generation_id, reference_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trace_feedback_by_project ON trace_feedback (project_id, reference_id, at);

-- Recent drafts in numbers, without a word of them: what a new one is compared with. The last two hundred of a book.
CREATE TABLE drafts (
    row             INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id      TEXT NOT NULL,
    generation_id   TEXT NOT NULL,
    candidate       INTEGER NOT NULL,
    skill           TEXT NOT NULL,
    scene_type      TEXT,
    language        TEXT NOT NULL,
    feature_version INTEGER NOT NULL,
    features        BLOB NOT NULL,
    -- The references that were in its prompt, as JSON.
    refs            TEXT NOT NULL,
    UNIQUE (generation_id, candidate)
) STRICT;

CREATE INDEX drafts_by_place ON drafts (project_id, skill, scene_type);

-- How much each memory weighed in each draft; written once, when the generation has ended.
CREATE TABLE influences (
    generation_id TEXT NOT NULL,
    tier          TEXT NOT NULL,
    candidate     INTEGER NOT NULL,
    project_id    TEXT NOT NULL,
    measured_at   INTEGER NOT NULL,
    remainder     REAL NOT NULL,
    -- One a reference, in their order, as JSON.
    weights       TEXT NOT NULL,
    PRIMARY KEY (generation_id, tier, candidate)
) STRICT, WITHOUT ROWID;

CREATE INDEX influences_by_project ON influences (project_id);

-- BLAKE3 over prompt and references, as they were written. NULL: from before this was kept.
ALTER TABLE traces ADD COLUMN seal TEXT;
