-- A session's choices and milestones by name: those without a column of their own.
ALTER TABLE session_state ADD COLUMN choices jsonb NOT NULL DEFAULT '{}';
ALTER TABLE session_state ADD COLUMN milestones jsonb NOT NULL DEFAULT '{}';
-- Choices were among the agent's notes before. The owner is bound by row security like everyone, and
-- migrates for all tenants.
ALTER TABLE session_state NO FORCE ROW LEVEL SECURITY;
UPDATE session_state SET choices = scratch -> 'choices', scratch = scratch - 'choices'
    WHERE jsonb_typeof(scratch -> 'choices') = 'object';
ALTER TABLE session_state FORCE ROW LEVEL SECURITY;
