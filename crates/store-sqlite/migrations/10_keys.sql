-- Indexes that list a tenant's rows are partial, by a condition that no other statement has.
DROP INDEX timers_soonest;
CREATE INDEX timers_soonest ON timers (workspace_id, due_at, id)
    WHERE status = 'armed' AND armed_at >= 0;
DROP INDEX conversations_active;
CREATE INDEX conversations_active ON conversations (workspace_id, active_at, id)
    WHERE active_at >= 0;

-- A conversation belongs to one tenant: its own key is enough.
DROP INDEX timers_key;
CREATE UNIQUE INDEX timers_key ON timers (conversation_id, key) WHERE status = 'armed';
DROP INDEX handoffs_open;
CREATE UNIQUE INDEX handoffs_open ON handoffs (conversation_id) WHERE status <> 'resolved';
