-- Episodes whose evidence has still to be written into rules.db: recorded, undone, or deleted by the writer since. A
-- queue and not a watermark, because an undo changes an episode that was seen long ago. Filled by the schema, in the
-- write itself; emptied by the indexer, which is idempotent. Eviction and compression leave evidence alone.

CREATE TABLE evidence_due (
    project_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    -- The writer deleted it: its evidence goes too.
    deleted    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, episode_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER episodes_to_learn_from AFTER INSERT ON episodes BEGIN
    INSERT INTO evidence_due (project_id, episode_id) VALUES (new.project_id, new.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER episodes_to_learn_anew AFTER UPDATE OF implicit ON episodes WHEN old.implicit <> new.implicit BEGIN
    INSERT INTO evidence_due (project_id, episode_id) VALUES (new.project_id, new.id) ON CONFLICT DO NOTHING;
END;

INSERT INTO evidence_due (project_id, episode_id) SELECT project_id, id FROM episodes;

-- The pause of learning during which it was recorded, by its beginning. Whether such an episode counts after all,
-- `rules.db` alone says.
ALTER TABLE episodes ADD COLUMN pause INTEGER;
