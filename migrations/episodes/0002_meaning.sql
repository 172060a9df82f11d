-- Meaning: vectors beside the index of words, and what an exact score of words needs.

-- The terms of a text in order, four bytes each: term frequencies and neighbours, without reading the text again.
ALTER TABLE word_rows ADD COLUMN terms BLOB NOT NULL DEFAULT x'';

-- How many texts a book has in the index, and how many terms: the average length that BM25 compares with.
ALTER TABLE project_keys ADD COLUMN documents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project_keys ADD COLUMN terms INTEGER NOT NULL DEFAULT 0;

-- The index is derived: it is made again, in the background, with the terms. It only finds; scores come from the terms
-- above, so it need not know where in a text a term stands.
DROP TABLE word_stats;
DROP TABLE words;
CREATE VIRTUAL TABLE words USING fts5 (terms, content='', contentless_delete=1, tokenize='ascii', detail='none');
CREATE VIRTUAL TABLE word_stats USING fts5vocab (words, 'row');
DELETE FROM word_rows;
DELETE FROM watermarks;

-- Everything that ranks an episode, so that ranking a hundred of them reads none of their texts.
CREATE INDEX episodes_to_rank ON episodes (
    project_id, row, scene_type, skill_used, created_at, importance, recall_count, last_recalled_at, user_confirmed
);

-- Clustered by book, so that a book's vectors are read in one sweep. `owner_row` is the episode's row.
CREATE TABLE vectors (
    project_id   TEXT NOT NULL,
    model        TEXT NOT NULL,
    owner_kind   TEXT NOT NULL,
    owner_id     TEXT NOT NULL,
    part         INTEGER NOT NULL,
    owner_row    INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    scale        REAL NOT NULL,
    bytes        BLOB NOT NULL,
    PRIMARY KEY (project_id, model, owner_kind, owner_id, part)
) STRICT, WITHOUT ROWID;
