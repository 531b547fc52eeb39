-- A session's choices and milestones by name: those without a column of their own.
ALTER TABLE session_state ADD COLUMN choices TEXT NOT NULL DEFAULT '{}';
ALTER TABLE session_state ADD COLUMN milestones TEXT NOT NULL DEFAULT '{}';
-- Choices were among the agent's notes before.
UPDATE session_state
    SET choices = json_extract(scratch, '$.choices'), scratch = json_remove(scratch, '$.choices')
    WHERE json_type(scratch, '$.choices') = 'object';
