-- What a model said of two sentences of a book that give an entity two values of one attribute.
CREATE TABLE compared_pairs (
    project_id  TEXT NOT NULL,
    -- That of the continuity issue which the pair is with the verdict `conflict`.
    signature   TEXT NOT NULL,
    -- `conflict`, `change`, `unclear`.
    verdict     TEXT NOT NULL,
    -- The model's sentence on why; empty: it wrote none.
    why         TEXT NOT NULL,
    -- The name of the model; empty: it gave no readable reply.
    model       TEXT NOT NULL,
    compared_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, signature)
) STRICT, WITHOUT ROWID;
