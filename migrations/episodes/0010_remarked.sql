-- When the writer last said something about an episode: a remark that is added to an old one is as new as any.
-- NULL: nothing was said.
ALTER TABLE episodes ADD COLUMN remarked_at INTEGER;
UPDATE episodes SET remarked_at = created_at WHERE explicit IS NOT NULL;
CREATE INDEX episodes_remarked ON episodes (project_id, remarked_at) WHERE remarked_at IS NOT NULL;
