-- Upkeep: when each job last ran and how it ended, and what the writer deleted piece by piece, so that restoring an older
-- backup brings none of it back.

CREATE TABLE maintenance (
    job      TEXT PRIMARY KEY,
    begun_at INTEGER NOT NULL,
    done_at  INTEGER,
    failure  TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE deletions (
    kind       TEXT NOT NULL,
    id         TEXT NOT NULL,
    project_id TEXT,
    at         INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
