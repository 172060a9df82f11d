-- Index rows are owned by a kind and an id. Each kind has its own range of row numbers (range number << 48; episodes
-- and their summaries share range 0), its own letter before its terms, and its own statistics. A further kind needs no
-- change of the schema.

-- Number of texts of a kind in the word index, and of their terms: the average length that BM25 compares with; and how
-- many of the texts are written in Chinese characters and in Latin letters. Texts are indexed again after this
-- migration, which counts their scripts.
CREATE TABLE index_stats (
    project_id TEXT NOT NULL,
    owner_kind TEXT NOT NULL,
    documents  INTEGER NOT NULL,
    terms      INTEGER NOT NULL,
    han        INTEGER NOT NULL DEFAULT 0,
    latin      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, owner_kind)
) STRICT, WITHOUT ROWID;

INSERT INTO index_stats (project_id, owner_kind, documents, terms)
    SELECT project_id, 'episode', documents, terms FROM project_keys WHERE documents > 0
    UNION ALL
    SELECT project_id, 'summary', summaries, summary_terms FROM project_keys WHERE summaries > 0;

ALTER TABLE project_keys DROP COLUMN documents;
ALTER TABLE project_keys DROP COLUMN terms;
ALTER TABLE project_keys DROP COLUMN summaries;
ALTER TABLE project_keys DROP COLUMN summary_terms;
