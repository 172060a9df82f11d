-- Models: the providers the writer has set up, which model serves which purpose, and what they cost a day. Keys are not
-- here and never will be: they live in the system's keychain.

CREATE TABLE providers (
    provider_id TEXT PRIMARY KEY,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    base_url    TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A purpose without a row is served by what is built in.
CREATE TABLE purposes (
    purpose        TEXT PRIMARY KEY,
    provider_id    TEXT NOT NULL REFERENCES providers (provider_id) ON DELETE CASCADE,
    model          TEXT NOT NULL,
    context_tokens INTEGER
) STRICT, WITHOUT ROWID;

-- A day is one where the writer is: YYYY-MM-DD.
CREATE TABLE usage (
    day      TEXT PRIMARY KEY,
    requests INTEGER NOT NULL,
    tokens   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
