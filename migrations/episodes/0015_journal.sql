-- The journal: one entry for each thing that was done in a book. An entry is never changed and never forgotten by
-- itself; the writer can redact one, which empties it.
CREATE TABLE journal (
    -- Never used twice: the indexes remember how far they have come. The order of the chain.
    row          INTEGER PRIMARY KEY AUTOINCREMENT,
    entry_id     TEXT NOT NULL UNIQUE,
    project_id   TEXT NOT NULL,
    -- When it happened, which may be before the entry was written.
    at           INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    -- Id of the episode, answer or session that it is about.
    ref_id       TEXT,
    -- At most 1,200 characters; empty if the entry is redacted.
    content      TEXT NOT NULL,
    worded_by    TEXT NOT NULL,
    -- 16 random bytes; empty if the entry is redacted.
    salt         BLOB NOT NULL,
    -- BLAKE3 of salt and content. It stays when the entry is redacted: without the salt no words can be tried against it.
    content_hash BLOB NOT NULL,
    -- BLAKE3 of the chain value of the entry before it in the book, and of this entry's other columns by their hash.
    chain        BLOB NOT NULL
) STRICT;

CREATE INDEX journal_of_project ON journal (project_id, at, row);
-- The entries of a book in the order of the chain: each new one needs the last.
CREATE INDEX journal_in_chain ON journal (project_id, row);
CREATE INDEX journal_of_ref ON journal (ref_id) WHERE ref_id IS NOT NULL;

-- The only change of an entry is its redaction.
CREATE TRIGGER journal_is_immutable BEFORE UPDATE ON journal
WHEN NEW.content <> '' OR NEW.salt <> x''
    OR NEW.row IS NOT OLD.row OR NEW.entry_id IS NOT OLD.entry_id OR NEW.project_id IS NOT OLD.project_id
    OR NEW.at IS NOT OLD.at OR NEW.kind IS NOT OLD.kind OR NEW.ref_id IS NOT OLD.ref_id
    OR NEW.worded_by IS NOT OLD.worded_by OR NEW.content_hash IS NOT OLD.content_hash OR NEW.chain IS NOT OLD.chain
BEGIN
    SELECT RAISE(ABORT, 'a journal entry does not change');
END;

-- Events whose entry is still to be written: noted with the event itself, so that a crash loses none.
CREATE TABLE journal_due (
    -- Id of the episode or session.
    ref_id     TEXT NOT NULL,
    event      TEXT NOT NULL,
    project_id TEXT NOT NULL,
    since      INTEGER NOT NULL,
    PRIMARY KEY (ref_id, event)
) STRICT, WITHOUT ROWID;

CREATE INDEX journal_due_of_project ON journal_due (project_id);
