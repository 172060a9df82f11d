-- When the words of a prompt were erased at the writer's request; its messages and references then have no text. NULL: never.
ALTER TABLE traces ADD COLUMN blanked_at INTEGER;
