-- Every episode that is indexed by itself is a segment of its own, and a search looks into each. In idle moments the
-- background index merges them; two of a size are enough for that (FTS5 waits for four).
INSERT INTO words (words, rank) VALUES ('usermerge', 2);
