-- Whether a name that is an everyday word is hidden in lower case too: 'hidden', 'kept', or NULL while the writer has not
-- been asked.

ALTER TABLE names ADD COLUMN lower_case TEXT CHECK (lower_case IN ('hidden', 'kept'));
