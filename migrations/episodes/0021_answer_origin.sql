-- The answers of an origin, such as learning records: they are counted and read by it.
CREATE INDEX answers_by_origin ON answers (project_id, origin, created_at);
