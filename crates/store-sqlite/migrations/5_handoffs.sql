-- Handoffs: the conversations that wait for a person, with their status.

CREATE TABLE handoffs (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    session_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    trigger_type TEXT NOT NULL,
    trigger_reason TEXT NOT NULL,
    context TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'assigned', 'resolved')),
    -- The sentence for a customer who writes meanwhile, and when it was sent.
    attending TEXT,
    told_at INTEGER,
    assigned_to TEXT,
    assigned_at INTEGER,
    resolved_at INTEGER,
    resolution TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX handoffs_open ON handoffs (workspace_id, conversation_id)
    WHERE status <> 'resolved';
CREATE INDEX handoffs_status ON handoffs (workspace_id, status, id);

-- The operator who waits to take the conversation over, until a message on its way has arrived.
ALTER TABLE conversations ADD COLUMN taking_by TEXT;
ALTER TABLE conversations ADD COLUMN taking_at INTEGER;
