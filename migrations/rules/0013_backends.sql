-- Programs that answer questions: command-line assistants of this machine, which the writer has set up. They belong to
-- the installation, not to a book.

CREATE TABLE backends (
    backend_id TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- An absolute path, or a name that is looked up in PATH.
    program    TEXT NOT NULL,
    -- A JSON list; [] for all kinds but own.
    arguments  TEXT NOT NULL,
    -- NULL: the program's own choice.
    model      TEXT,
    -- Whether every run needs the fence of the system, or only those with something to hide.
    isolation  TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
