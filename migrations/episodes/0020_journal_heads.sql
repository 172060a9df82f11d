-- The end of each book's journal: entries that are missing there break no chain.
CREATE TABLE journal_heads (
    project_id TEXT PRIMARY KEY,
    -- Number of entries that were written, redacted ones included.
    entries    INTEGER NOT NULL,
    -- The last of them, with its chain value.
    row        INTEGER NOT NULL,
    chain      BLOB NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO journal_heads (project_id, entries, row, chain)
SELECT j.project_id, counted.entries, j.row, j.chain
FROM (SELECT project_id, count(*) AS entries, max(row) AS last FROM journal GROUP BY project_id) AS counted
JOIN journal j ON j.row = counted.last;

CREATE TRIGGER journal_has_head AFTER INSERT ON journal
BEGIN
    INSERT INTO journal_heads (project_id, entries, row, chain) VALUES (NEW.project_id, 1, NEW.row, NEW.chain)
    ON CONFLICT (project_id) DO UPDATE SET entries = entries + 1, row = excluded.row, chain = excluded.chain;
END;
