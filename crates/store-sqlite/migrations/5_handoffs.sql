-- Handoffs: who waits for a person, and how far that has come.

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
    -- What a customer who writes meanwhile is told, and when somebody told it.
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

-- Who waits to take the conversation over, until a message that is on its way has arrived.
ALTER TABLE conversations ADD COLUMN taking_by TEXT;
ALTER TABLE conversations ADD COLUMN taking_at INTEGER;
