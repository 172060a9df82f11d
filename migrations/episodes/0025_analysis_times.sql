-- Time of the analysis of a chapter, in milliseconds since 1970. NULL: by a version that did not store it.
ALTER TABLE analyzed_chapters ADD COLUMN analyzed_at INTEGER;
