-- What the analysis needs to find names, beside the passages. Derived, and made again from the chapters at any time.

-- The words of a passage of a Chinese book, as the bundled tagger cuts and marks them.
CREATE TABLE tagged_passages (
    -- The passage's own row.
    row        INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    -- Name and version of the tagger. The words of another one are replaced.
    tagger     TEXT NOT NULL,
    -- For each word: the bytes since the end of the word before it, its length in bytes, its kind.
    words      BLOB NOT NULL
) STRICT;

CREATE INDEX tagged_passages_of_project ON tagged_passages (project_id);

-- The order of the chapters when they were analyzed last. The order of a book in a folder is asked of its folder.
CREATE TABLE chapter_order (
    project_id TEXT NOT NULL,
    chapter_id TEXT NOT NULL,
    -- From 0.
    ordinal    INTEGER NOT NULL,
    PRIMARY KEY (project_id, chapter_id)
) STRICT, WITHOUT ROWID;
