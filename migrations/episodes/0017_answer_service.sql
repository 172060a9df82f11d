-- Answers of a team's service among those that a run found: the service, and the words that the prompt has of them,
-- until the run has ended.
ALTER TABLE answer_matches ADD COLUMN service TEXT;
ALTER TABLE answer_matches ADD COLUMN question TEXT;
ALTER TABLE answer_matches ADD COLUMN answer TEXT;

-- What is still to be sent to a team's service. It has ids and numbers: the words of a candidate are read when it is
-- sent.
CREATE TABLE answer_outbox (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    -- The service whose ids it has.
    service    TEXT NOT NULL,
    -- `hits`, `validation`, `candidate`.
    kind       TEXT NOT NULL,
    -- JSON.
    payload    TEXT NOT NULL,
    tries      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- Not sent before.
    next_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX answer_outbox_of_project ON answer_outbox (project_id);
CREATE INDEX answer_outbox_due ON answer_outbox (service, next_at, seq);
CREATE INDEX answer_matches_with_words ON answer_matches (run_id) WHERE question IS NOT NULL;
