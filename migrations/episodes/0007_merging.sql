-- A text that is taken out of the index of words is only marked there. Left to itself FTS5 merges in the very write that
-- marks a tenth of a segment, and again in the next: deleting a thousand texts rewrote the index a hundred times over.
-- The background writes the index anew instead, once there is enough to leave out, or the writer has deleted something.
INSERT INTO words (words, rank) VALUES ('deletemerge', 0);
