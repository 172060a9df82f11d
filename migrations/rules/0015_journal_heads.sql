-- The end of each book's journal as it was last noted here, in the other file: a journal that is shorter than that has
-- lost entries, also where its whole file was replaced.
CREATE TABLE journal_heads (
    project_id  TEXT PRIMARY KEY,
    -- Number of entries.
    entries     INTEGER NOT NULL,
    -- The last of them, with its chain value.
    row         INTEGER NOT NULL,
    chain       BLOB NOT NULL,
    -- Number of entries that were found missing without a reason.
    missing     INTEGER NOT NULL,
    -- Number of entries that a backup in the place of the file did not have.
    left_behind INTEGER NOT NULL,
    -- The last time at which it did not.
    replaced_at INTEGER
) STRICT, WITHOUT ROWID;
