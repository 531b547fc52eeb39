-- Operators: keys to the API, and the events it tells live.

-- A key is kept as the SHA-256 of its secret, in hexadecimal.
CREATE TABLE api_keys (
    workspace_id BLOB NOT NULL REFERENCES workspaces (id),
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    secret_sha256 TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
-- The name is the actor in the audit log, so no two keys in use share one.
CREATE UNIQUE INDEX api_keys_name ON api_keys (workspace_id, name) WHERE revoked_at IS NULL;

-- Live events for operators. A row of kind `pruned` stands for all rows before it, and keeps
-- numbers from being given twice.
CREATE TABLE live_events (
    seq INTEGER PRIMARY KEY,
    workspace_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    conversation_id BLOB,
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;
CREATE INDEX live_events_workspace ON live_events (workspace_id, seq);

-- When something last happened in a conversation: the order of the operators' list.
ALTER TABLE conversations ADD COLUMN active_at INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET active_at = coalesce(last_customer_message_at, created_at);
CREATE INDEX conversations_active ON conversations (workspace_id, active_at, id);

CREATE INDEX timers_soonest ON timers (workspace_id, due_at, id) WHERE status = 'armed';

-- The message that says a line of the transcript.
ALTER TABLE agent_turns ADD COLUMN outbound_id BLOB;
