-- Operators: keys to the API, and the events it tells live.

-- A key is kept as the SHA-256 of its secret, in hexadecimal.
CREATE TABLE api_keys (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    secret_sha256 text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    PRIMARY KEY (workspace_id, id)
);
-- The name is the actor in the audit log, so no two keys in use share one.
CREATE UNIQUE INDEX api_keys_name ON api_keys (workspace_id, name) WHERE revoked_at IS NULL;

-- Live events for operators. Rows become visible when their transactions commit, in any order, so
-- readers go by transaction and read only events from before every transaction still under way. A
-- row of kind `pruned` stands for all rows before it.
CREATE TABLE live_events (
    workspace_id uuid NOT NULL,
    xid bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    seq bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    conversation_id uuid,
    subject text NOT NULL,
    at bigint NOT NULL,
    payload jsonb NOT NULL,
    PRIMARY KEY (workspace_id, xid, seq)
);

-- When something last happened in a conversation: the order of the operators' list.
ALTER TABLE conversations ADD COLUMN active_at bigint NOT NULL DEFAULT 0;
-- The owner is bound by row security like everyone, and migrates for all tenants.
ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY;
UPDATE conversations SET active_at = coalesce(last_customer_message_at, created_at);
ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
CREATE INDEX conversations_active ON conversations (workspace_id, active_at, id);

CREATE INDEX timers_soonest ON timers (workspace_id, due_at, id) WHERE status = 'armed';

-- The message that says a line of the transcript.
ALTER TABLE agent_turns ADD COLUMN outbound_id uuid;

DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['api_keys', 'live_events'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (workspace_id = recado_workspace())',
                       tenant_table);
    END LOOP;
END $$;
