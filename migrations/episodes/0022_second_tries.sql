-- The first generation of a run whose unusable drafts were asked for once more: set in the trace of the second one.
ALTER TABLE traces ADD COLUMN first_try TEXT;
CREATE INDEX traces_of_second_tries ON traces (first_try) WHERE first_try IS NOT NULL;
