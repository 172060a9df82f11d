-- Learning: what each episode says about style, the runs that make rules of it, and what the writer said to those.

-- How a rule stands: in force; asked about and not in force ('proposed'); waiting because its evidence turned
-- ('steppedBack'); or called wrong twice and waiting for the writer ('suspended').
ALTER TABLE rules ADD COLUMN standing TEXT NOT NULL DEFAULT 'active'
    CHECK (standing IN ('active', 'proposed', 'steppedBack', 'suspended'));
-- Since when it says what it says: evidence after this is looked at for drift.
ALTER TABLE rules ADD COLUMN learned_at INTEGER;
-- The writer confirmed it, and the evidence has turned: told, and nothing follows.
ALTER TABLE rules ADD COLUMN challenged INTEGER NOT NULL DEFAULT 0;
-- How often the writer said "wrong".
ALTER TABLE rules ADD COLUMN wrong_count INTEGER NOT NULL DEFAULT 0;
-- Who says what it is about: 'measured', 'lexicon', 'model' or 'writer'; the writer's word is not asked about again.
ALTER TABLE rules ADD COLUMN pattern_by TEXT CHECK (pattern_by IN ('measured', 'lexicon', 'model', 'writer'));

-- The run that made a version; NULL: the writer did.
ALTER TABLE rule_history ADD COLUMN run_id TEXT;
CREATE INDEX rule_history_by_run ON rule_history (run_id) WHERE run_id IS NOT NULL;

-- Which episodes speak for and against a rule, each with its own book: a global rule is supported by several. The latest
-- ones only; how many there are stands in the rule. A book's list is read in one stretch.
CREATE TABLE rule_support (
    project_id TEXT NOT NULL,
    rule_id    TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    agrees     INTEGER NOT NULL,
    PRIMARY KEY (project_id, rule_id, episode_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX rule_support_by_rule ON rule_support (rule_id, project_id);

-- In which books a run found a rule, and how sure it was there. Two or more make it global.
CREATE TABLE rule_books (
    rule_id        TEXT NOT NULL,
    project_id     TEXT NOT NULL,
    confidence     REAL NOT NULL,
    confidence_low REAL NOT NULL,
    evidence_count INTEGER NOT NULL,
    PRIMARY KEY (rule_id, project_id)
) STRICT, WITHOUT ROWID;

-- A rule that the writer made global stays so, whichever books support it.
CREATE INDEX rule_history_promoted ON rule_history (rule_id) WHERE change = 'promoted';

-- One row an episode; it outlives the episode's texts, and the episode itself where that was evicted. Numbers are 32-bit
-- floats, little-endian, in the order of the features of `feature_version`. Evidence is frozen: the spread that made
-- it comparable was that of earlier episodes.
CREATE TABLE evidence (
    project_id      TEXT NOT NULL,
    episode_id      TEXT NOT NULL,
    occurred_at     INTEGER NOT NULL,
    scene_type      TEXT,
    skill_used      TEXT NOT NULL,
    language        TEXT NOT NULL CHECK (language IN ('zh', 'en')),
    feature_version INTEGER NOT NULL,
    -- Features of each text: every candidate in turn, then the final text.
    texts           BLOB NOT NULL,
    candidates      INTEGER NOT NULL,
    selected_index  INTEGER NOT NULL,
    -- What taking one of several says: A, then Δz. NULL: nothing was chosen among several.
    choice          BLOB,
    -- What changing it, or writing one's own instead, says: the same.
    written         BLOB,
    written_kind    TEXT CHECK (written_kind IN ('edit', 'own')),
    undone          INTEGER NOT NULL DEFAULT 0,
    -- The pause during which it was recorded, by its beginning: such evidence never counts, unless the writer said on
    -- resuming that it shall. NULL: learning was not paused.
    pause           INTEGER,
    PRIMARY KEY (project_id, episode_id)
) STRICT;

CREATE INDEX evidence_by_time ON evidence (project_id, occurred_at, episode_id);

-- The running spread of a book's candidates, by language and version of the features: of each feature count, mean and
-- sum of squares, as 64-bit floats, little-endian.
CREATE TABLE spreads (
    project_id      TEXT NOT NULL,
    language        TEXT NOT NULL,
    feature_version INTEGER NOT NULL,
    state           BLOB NOT NULL,
    PRIMARY KEY (project_id, language, feature_version)
) STRICT, WITHOUT ROWID;

-- When learning was paused. The last one is open while it still is. `used`: what was recorded meanwhile counts after
-- all, as the writer said on resuming.
CREATE TABLE pauses (
    started_at INTEGER PRIMARY KEY,
    ended_at   INTEGER,
    used       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- How far what is made in the background has come. `evidence` marks this file: where `episodes.db` does not know the
-- mark, another file is in the place of one of them, and evidence is made of all episodes again.
CREATE TABLE watermarks (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    run_id     TEXT PRIMARY KEY,
    -- NULL: all books.
    project_id TEXT,
    cause      TEXT NOT NULL CHECK (cause IN ('episodes', 'idle', 'click', 'weekly', 'contradiction')),
    status     TEXT NOT NULL CHECK (status IN (
        'running', 'committed', 'nothing', 'waiting', 'failed', 'cancelled', 'undone', 'discarded'
    )),
    begun_at   INTEGER NOT NULL,
    ended_at   INTEGER,
    -- Rows of evidence it looked at.
    episodes   INTEGER NOT NULL DEFAULT 0,
    -- JSON: why nothing was learned; or the kind of failure, without any text.
    reason     TEXT
) STRICT;

CREATE INDEX runs_by_time ON runs (begun_at);

-- What a run changed, each line with its book, so that clearing a book finds it. `change` is JSON.
CREATE TABLE run_changes (
    run_id     TEXT NOT NULL,
    ordinal    INTEGER NOT NULL,
    project_id TEXT,
    change     TEXT NOT NULL,
    PRIMARY KEY (run_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_changes_by_project ON run_changes (project_id);

-- How much evidence of a book the last run had seen, and when that was.
CREATE TABLE learned (
    project_id TEXT PRIMARY KEY,
    run_id     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    episodes   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where evidence on a dimension begins anew, and why: the writer deleted the rule (it comes back as a question at most),
-- its run was undone (a question too, with all its evidence), or drift retired it. `words` are those of a rule without
-- a dimension, normalised.
CREATE TABLE tombstones (
    tombstone_id TEXT PRIMARY KEY,
    rule_id      TEXT NOT NULL,
    -- NULL: it was a global rule.
    project_id   TEXT,
    why          TEXT NOT NULL CHECK (why IN ('deleted', 'undone', 'drifted')),
    feature      TEXT,
    direction    INTEGER,
    scene_type   TEXT,
    skill_used   TEXT,
    words        TEXT NOT NULL,
    since        INTEGER NOT NULL,
    -- The run that set it ('drifted'); undone with it.
    run_id       TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstones_by_rule ON tombstones (rule_id);

-- Each time that the writer called a rule wrong.
CREATE TABLE verdicts (
    rule_id    TEXT NOT NULL,
    at         INTEGER NOT NULL,
    -- The book in which it was said.
    project_id TEXT NOT NULL,
    feature    TEXT NOT NULL,
    direction  INTEGER NOT NULL,
    scene_type TEXT,
    skill_used TEXT,
    PRIMARY KEY (rule_id, at)
) STRICT, WITHOUT ROWID;

-- Two rules that cannot both hold.
CREATE TABLE conflicts (
    conflict_id TEXT PRIMARY KEY,
    project_id  TEXT,
    first_rule  TEXT NOT NULL,
    second_rule TEXT NOT NULL,
    opened_at   INTEGER NOT NULL,
    closed_at   INTEGER,
    -- Which one the writer kept; NULL where it closed by itself.
    kept_rule   TEXT,
    UNIQUE (first_rule, second_rule)
) STRICT;
