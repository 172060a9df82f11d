-- The citations before and after the writer kept an answer whose sentences had changed, as JSON: for undo.
ALTER TABLE answer_events ADD COLUMN citations TEXT;

-- The copy of the answer that all books may use.
ALTER TABLE answers ADD COLUMN promoted_to TEXT;
