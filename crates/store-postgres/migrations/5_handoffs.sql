-- Handoffs: the conversations that wait for a person, with their status.

CREATE TABLE handoffs (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    session_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    trigger_type text NOT NULL,
    trigger_reason text NOT NULL,
    context jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'assigned', 'resolved')),
    -- The sentence for a customer who writes meanwhile, and when it was sent.
    attending text,
    told_at bigint,
    assigned_to text,
    assigned_at bigint,
    resolved_at bigint,
    resolution text,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX handoffs_open ON handoffs (workspace_id, conversation_id)
    WHERE status <> 'resolved';
CREATE INDEX handoffs_status ON handoffs (workspace_id, status, id);

-- The operator who waits to take the conversation over, until a message on its way has arrived.
ALTER TABLE conversations ADD COLUMN taking_by text;
ALTER TABLE conversations ADD COLUMN taking_at bigint;

ALTER TABLE handoffs ENABLE ROW LEVEL SECURITY;
ALTER TABLE handoffs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON handoffs USING (workspace_id = recado_workspace());
