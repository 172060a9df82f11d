-- A measurement is sealed with the trace it belongs to: BLAKE3 over the trace's own seal and all that was measured.
-- NULL: from before this was kept.
ALTER TABLE influences ADD COLUMN seal TEXT;
-- How many regenerations it rests on; NULL where none was needed.
ALTER TABLE influences ADD COLUMN regenerations INTEGER;

-- How the last generations went with each rule, so that one that is ignored can be told from the rest.
CREATE TABLE followed (
    project_id TEXT NOT NULL,
    rule_id    TEXT NOT NULL,
    -- What the rule was about, as a feature and a direction: said anew, it is counted anew.
    matter     TEXT NOT NULL,
    -- A letter a generation, the latest last: y, p or n.
    recent     TEXT NOT NULL,
    PRIMARY KEY (project_id, rule_id)
) STRICT, WITHOUT ROWID;

-- The words of a draft as numbers, from which no text can be read; empty: from before this was kept.
ALTER TABLE drafts ADD COLUMN words BLOB NOT NULL DEFAULT x'';
