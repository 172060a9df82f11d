-- rules.db: the precious one. Books that are known, the rules and their history, and the settings.

CREATE TABLE projects (
    project_id     TEXT PRIMARY KEY,
    title          TEXT NOT NULL,
    language       TEXT NOT NULL CHECK (language IN ('zh', 'en')),
    path           TEXT,
    created_at     INTEGER NOT NULL,
    last_opened_at INTEGER NOT NULL
) STRICT;

CREATE TABLE rules (
    id               TEXT PRIMARY KEY,
    scope            TEXT NOT NULL CHECK (scope IN ('global', 'project')),
    project_id       TEXT REFERENCES projects (project_id),
    rule             TEXT NOT NULL,
    category         TEXT NOT NULL CHECK (category IN ('style', 'structure', 'character', 'pacing', 'vocabulary')),
    scene_type       TEXT,
    skill_used       TEXT,
    confidence       REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    confidence_low   REAL NOT NULL CHECK (confidence_low BETWEEN 0 AND 1),
    evidence_count   INTEGER NOT NULL DEFAULT 0,
    user_confirmed   INTEGER NOT NULL DEFAULT 0,
    user_modified    INTEGER NOT NULL DEFAULT 0,
    recently_updated INTEGER NOT NULL DEFAULT 0,
    pattern          TEXT,
    origin           TEXT NOT NULL CHECK (origin IN ('distilled', 'manual')),
    version          INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    CHECK ((scope = 'project') = (project_id IS NOT NULL))
) STRICT;

CREATE INDEX rules_by_project ON rules (project_id);

-- Every version of a rule, the last one of a deleted rule included. Keeps its own project, so that clearing a book
-- finds the history of rules that are gone.
CREATE TABLE rule_history (
    rule_id    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    project_id TEXT,
    change     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    rule       TEXT NOT NULL,
    snapshot   TEXT NOT NULL,
    PRIMARY KEY (rule_id, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX rule_history_by_project ON rule_history (project_id);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
