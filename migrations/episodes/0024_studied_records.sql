-- By what the writer's verdicts on learning records of studies are counted, for the confidence of the next ones. A row
-- outlives its refused record, and has none of its words.
CREATE TABLE studied_records (
    project_id     TEXT NOT NULL,
    answer_id      TEXT NOT NULL,
    question_type  TEXT NOT NULL,
    -- 1: two or more sentences support it.
    is_cited_twice INTEGER NOT NULL CHECK (is_cited_twice IN (0, 1)),
    -- The name of the model.
    model          TEXT NOT NULL,
    -- 1: the writer refused or deleted it.
    is_refused     INTEGER NOT NULL CHECK (is_refused IN (0, 1)),
    PRIMARY KEY (project_id, answer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX studied_records_by_kind ON studied_records (question_type, is_cited_twice, model);

INSERT INTO studied_records
SELECT a.project_id, a.answer_id, json_extract(a.details, '$.questionType'),
    (SELECT count(*) >= 2 FROM answer_citations c WHERE c.project_id = a.project_id AND c.answer_id = a.answer_id),
    json_extract(a.details, '$.metadata.model'), 0
FROM answers a
WHERE a.origin = 'studied' AND json_extract(a.details, '$.questionType') IS NOT NULL
    AND json_extract(a.details, '$.metadata.model') IS NOT NULL;
