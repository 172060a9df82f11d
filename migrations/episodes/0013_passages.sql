-- The passages of the manuscript: whole paragraphs of a chapter, the unit of search. Derived from the chapters, and made
-- again from them at any time. The rows of a chapter's unchanged passages stay, with their words and vectors.
CREATE TABLE passages (
    -- Never used twice: the indexes remember how far they have come.
    row          INTEGER PRIMARY KEY AUTOINCREMENT,
    passage_id   TEXT NOT NULL UNIQUE,
    project_id   TEXT NOT NULL,
    chapter_id   TEXT NOT NULL,
    -- Place in the chapter, from 0.
    ordinal      INTEGER NOT NULL,
    -- In the chapter's text, in UTF-16 code units, end exclusive.
    range_from   INTEGER NOT NULL,
    range_to     INTEGER NOT NULL,
    -- The first half of the BLAKE3 hash of the text.
    content_hash BLOB NOT NULL,
    text         TEXT NOT NULL
) STRICT;

CREATE INDEX passages_of_chapter ON passages (project_id, chapter_id, ordinal);

-- The chapters whose passages are stored, each with the hash of the file or text that they were made from. While the
-- passages of a chapter are replaced, its row is missing.
CREATE TABLE analyzed_chapters (
    project_id   TEXT NOT NULL,
    chapter_id   TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    -- The version of the rules that split chapters.
    version      INTEGER NOT NULL,
    PRIMARY KEY (project_id, chapter_id)
) STRICT, WITHOUT ROWID;
