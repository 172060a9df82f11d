-- The life of an episode: what is kept of one that was compressed, which is the least recently used, how many there are.

-- When only the summary was left: its last 365 days count from here.
ALTER TABLE episodes ADD COLUMN compressed_at INTEGER;
-- The first 200 characters of the draft that was judged, kept when the candidates are dropped. Those of the final text
-- stay in `final_text`.
ALTER TABLE episodes ADD COLUMN draft_excerpt TEXT;
-- Last in a prompt, or else when it happened.
ALTER TABLE episodes ADD COLUMN used_at INTEGER
    GENERATED ALWAYS AS (max(created_at, coalesce(last_recalled_at, created_at))) VIRTUAL;

-- Least recently used first, of those that may make room.
CREATE INDEX episodes_by_use ON episodes (
    project_id, compressed, user_confirmed, used_at, row, recall_count, importance
);
CREATE INDEX episodes_by_compression ON episodes (project_id, user_confirmed, compressed_at, row) WHERE compressed = 1;

-- Ranking has to know which ones are summaries. From now on `row` says when an episode was last given something to
-- index: a compressed one gets a new row, so that every index, however far it has come, comes to its summary.
DROP INDEX episodes_to_rank;
CREATE INDEX episodes_to_rank ON episodes (
    project_id, row, scene_type, skill_used, created_at, importance, recall_count, last_recalled_at, user_confirmed,
    compressed
);

-- Counted as they come and go: a write has to know how full a book is, and cannot count sixty thousand rows.
CREATE TABLE episode_counts (
    project_id TEXT PRIMARY KEY,
    active     INTEGER NOT NULL DEFAULT 0,
    compressed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

INSERT INTO episode_counts (project_id, active, compressed)
    SELECT project_id, sum(NOT compressed), sum(compressed) FROM episodes GROUP BY project_id;

CREATE TRIGGER episodes_counted_in AFTER INSERT ON episodes BEGIN
    INSERT INTO episode_counts (project_id, active, compressed) VALUES (new.project_id, NOT new.compressed, new.compressed)
        ON CONFLICT (project_id) DO UPDATE
        SET active = active + excluded.active, compressed = compressed + excluded.compressed;
END;
CREATE TRIGGER episodes_counted_out AFTER DELETE ON episodes BEGIN
    UPDATE episode_counts SET active = active - (NOT old.compressed), compressed = compressed - old.compressed
        WHERE project_id = old.project_id;
    DELETE FROM episode_counts WHERE project_id = old.project_id AND active = 0 AND compressed = 0;
END;
CREATE TRIGGER episodes_counted_over AFTER UPDATE OF compressed ON episodes WHEN old.compressed <> new.compressed BEGIN
    UPDATE episode_counts
        SET active = active + old.compressed - new.compressed, compressed = compressed + new.compressed - old.compressed
        WHERE project_id = new.project_id;
END;

-- The style of each text of an episode in numbers, measured when it was recorded: 32-bit floats, little-endian, in the
-- order of the features of `version`. They outlive the texts. `part` numbers candidates from 0.
CREATE TABLE episode_features (
    project_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('candidate', 'final', 'input')),
    part       INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    language   TEXT NOT NULL CHECK (language IN ('zh', 'en')),
    numbers    BLOB NOT NULL,
    PRIMARY KEY (project_id, episode_id, kind, part)
) STRICT, WITHOUT ROWID;

-- How often a skill was used in a kind of scene ('' where it is not known). Goes on counting when episodes go.
CREATE TABLE skill_uses (
    project_id TEXT NOT NULL,
    scene_type TEXT NOT NULL,
    skill      TEXT NOT NULL,
    uses       INTEGER NOT NULL,
    PRIMARY KEY (project_id, scene_type, skill)
) STRICT, WITHOUT ROWID;

INSERT INTO skill_uses (project_id, scene_type, skill, uses)
    SELECT project_id, coalesce(scene_type, ''), skill_used, count(*) FROM episodes GROUP BY 1, 2, 3;
