-- Names that stay at home: what stands for them in whatever is sent to a model. In the order the writer gave them.

CREATE TABLE names (
    project_id TEXT NOT NULL,
    ordinal    INTEGER NOT NULL,
    name       TEXT NOT NULL,
    alias      TEXT NOT NULL,
    PRIMARY KEY (project_id, ordinal)
) STRICT, WITHOUT ROWID;
