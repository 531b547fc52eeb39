-- The spine: tenants, lanes, sessions, journal, outbox, timers. Times are epoch milliseconds.

CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    created_at bigint NOT NULL
);

CREATE TABLE channels (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id text NOT NULL,
    kind text NOT NULL,
    agent_id text NOT NULL,
    max_messages bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE TABLE contacts (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    name text,
    phone text,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE TABLE conversations (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    channel_id text NOT NULL,
    contact_id uuid NOT NULL,
    address text NOT NULL,
    owner text NOT NULL DEFAULT 'bot' CHECK (owner IN ('bot', 'human')),
    epoch bigint NOT NULL DEFAULT 1,
    assignee text,
    last_customer_message_at bigint,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, channel_id) REFERENCES channels (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);

-- A contact's identity on a channel and the conversation held there: a single look-up at intake.
CREATE TABLE contact_identities (
    workspace_id uuid NOT NULL,
    channel_id text NOT NULL,
    external_id text NOT NULL,
    contact_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, channel_id, external_id)
);

-- `wake_at` is when the lane may next be claimed: when its work is due, or when its lease ends.
CREATE TABLE lanes (
    workspace_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    wake_at bigint,
    holder uuid,
    fence bigint NOT NULL DEFAULT 0,
    events_due_at bigint,
    burst_since bigint,
    not_before bigint,
    failed bigint NOT NULL DEFAULT 0,
    crashed bigint NOT NULL DEFAULT 0,
    last_error text,
    open_turn jsonb,
    PRIMARY KEY (workspace_id, conversation_id)
);
CREATE INDEX lanes_wake ON lanes (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE webhook_inbox (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    channel_id text NOT NULL,
    external_id text NOT NULL,
    conversation_id uuid,
    kind text NOT NULL CHECK (kind IN ('message', 'operator', 'unreadable')),
    status text NOT NULL CHECK (status IN ('pending', 'done', 'quarantined')),
    payload jsonb NOT NULL,
    reason text,
    quarantines bigint NOT NULL DEFAULT 0,
    open_turn jsonb,
    sent_at bigint NOT NULL,
    received_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, channel_id, external_id)
);
CREATE INDEX webhook_inbox_pending ON webhook_inbox (workspace_id, conversation_id, sent_at, id)
    WHERE status = 'pending';
CREATE INDEX webhook_inbox_quarantined ON webhook_inbox (workspace_id, id)
    WHERE status = 'quarantined';

CREATE TABLE agent_sessions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id text NOT NULL,
    conversation_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    version bigint NOT NULL DEFAULT 1,
    status text NOT NULL CHECK (status IN ('active', 'paused', 'closed', 'handed_off')),
    current_mode text NOT NULL DEFAULT 'conversacion',
    turn_count bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    last_activity_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX agent_sessions_open ON agent_sessions (workspace_id, conversation_id, agent_id)
    WHERE status <> 'closed';
CREATE INDEX agent_sessions_conversation ON agent_sessions (workspace_id, conversation_id, created_at);

CREATE TABLE session_state (
    workspace_id uuid NOT NULL,
    session_id uuid NOT NULL,
    intents_vistos jsonb NOT NULL,
    templates_enviados jsonb NOT NULL,
    datos_capturados jsonb NOT NULL,
    pack_seleccionado text,
    proactive_started_at bigint,
    first_data_at bigint,
    min_data_at bigint,
    ofrecer_promos_at bigint,
    updated_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
);

CREATE TABLE agent_turns (
    workspace_id uuid NOT NULL,
    session_id uuid NOT NULL,
    turn_number bigint NOT NULL,
    id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    content text NOT NULL,
    intent_detected text,
    confidence double precision,
    tools_called jsonb NOT NULL,
    tokens_used bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, session_id, turn_number)
);

CREATE TABLE agent_steps (
    workspace_id uuid NOT NULL,
    turn_id uuid NOT NULL,
    step_key text NOT NULL,
    conversation_id uuid NOT NULL,
    tool text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('local', 'outside')),
    input jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('intended', 'done', 'failed', 'unknown')),
    output jsonb NOT NULL,
    created_at bigint NOT NULL,
    settled_at bigint,
    PRIMARY KEY (workspace_id, turn_id, step_key)
);
CREATE INDEX agent_steps_unknown ON agent_steps (workspace_id, created_at) WHERE status = 'unknown';

CREATE TABLE outbox (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    author text NOT NULL CHECK (author IN ('bot', 'operator', 'engine')),
    priority bigint NOT NULL,
    epoch bigint NOT NULL,
    content text NOT NULL,
    status text NOT NULL,
    rank bigint NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    next_attempt_at bigint NOT NULL,
    provider_ref text,
    error text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (workspace_id, id)
);
CREATE INDEX outbox_waiting ON outbox (workspace_id, conversation_id, priority, seq)
    WHERE rank <= 1;
CREATE INDEX outbox_conversation ON outbox (workspace_id, conversation_id, seq);
CREATE INDEX outbox_attention ON outbox (workspace_id, seq) WHERE status IN ('ambiguous', 'failed');

CREATE TABLE timers (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    key text NOT NULL,
    condition text NOT NULL CHECK (condition IN ('always', 'silence')),
    payload jsonb NOT NULL,
    status text NOT NULL
        CHECK (status IN ('armed', 'fired', 'cancelled', 'skipped', 'quarantined')),
    reason text,
    quarantines bigint NOT NULL DEFAULT 0,
    open_turn jsonb,
    armed_at bigint NOT NULL,
    due_at bigint NOT NULL,
    settled_at bigint,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX timers_key ON timers (workspace_id, conversation_id, key)
    WHERE status = 'armed';
CREATE INDEX timers_due ON timers (workspace_id, conversation_id, due_at) WHERE status = 'armed';
CREATE INDEX timers_quarantined ON timers (workspace_id, id) WHERE status = 'quarantined';

CREATE TABLE counters (
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

CREATE TABLE audit_log (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail jsonb NOT NULL
);

-- Tenants are kept apart by the database itself. The setting is made per transaction; unset, it
-- matches nothing. FORCE binds the tables' owner too.
CREATE FUNCTION recado_workspace() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT nullif(current_setting('recado.workspace', true), '')::uuid $$;

ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspaces FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workspaces USING (id = recado_workspace());

DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY[
        'channels', 'contacts', 'conversations', 'contact_identities', 'lanes', 'webhook_inbox',
        'agent_sessions', 'session_state', 'agent_turns', 'agent_steps', 'outbox', 'timers',
        'counters', 'audit_log'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (workspace_id = recado_workspace())',
                       tenant_table);
    END LOOP;
END $$;

-- Due lanes are found across tenants, as no other rows are; a lane holds no customer data.
CREATE POLICY scheduler ON lanes USING (current_setting('recado.scheduler', true) = 'on');
