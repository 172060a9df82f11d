-- Summaries are indexed apart from episodes that still have their texts: a full book has five times as many, and most
-- recalls need none of them. Vectors and rows of the index of words say by `owner_kind` which they belong to; terms of
-- summaries stand behind another letter.

-- How many summaries a book has in the index of words, and how many terms they have.
ALTER TABLE project_keys ADD COLUMN summaries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project_keys ADD COLUMN summary_terms INTEGER NOT NULL DEFAULT 0;

UPDATE vectors SET owner_kind = 'summary'
    WHERE owner_kind = 'episode' AND owner_id IN (SELECT id FROM episodes WHERE compressed = 1);

-- Their terms are cut again in the background, which goes back to the first of them and passes over what it knows.
DELETE FROM words WHERE rowid IN (SELECT row FROM episodes WHERE compressed = 1 INTERSECT SELECT row FROM word_rows);
DELETE FROM word_rows WHERE row IN (SELECT row FROM episodes WHERE compressed = 1);
UPDATE project_keys SET
    documents = (SELECT count(*) FROM word_rows w WHERE w.project_id = project_keys.project_id),
    terms = (SELECT coalesce(sum(length(w.terms) / 4), 0) FROM word_rows w WHERE w.project_id = project_keys.project_id);
UPDATE watermarks SET value = min(value, (SELECT min(row) - 1 FROM episodes WHERE compressed = 1))
    WHERE name = 'words-2' AND EXISTS (SELECT 1 FROM episodes WHERE compressed = 1);
