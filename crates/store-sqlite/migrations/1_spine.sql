-- The spine: tenants, lanes, sessions, journal, outbox, timers. Times are epoch milliseconds.

CREATE TABLE workspaces (
    id BLOB PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channels (
    workspace_id BLOB NOT NULL REFERENCES workspaces (id),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    max_messages INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE contacts (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    name TEXT,
    phone TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    channel_id TEXT NOT NULL,
    contact_id BLOB NOT NULL,
    address TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT 'bot' CHECK (owner IN ('bot', 'human')),
    epoch INTEGER NOT NULL DEFAULT 1,
    assignee TEXT,
    last_customer_message_at INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, channel_id) REFERENCES channels (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- A contact's identity on a channel and the conversation held there: a single look-up at intake.
CREATE TABLE contact_identities (
    workspace_id BLOB NOT NULL,
    channel_id TEXT NOT NULL,
    external_id TEXT NOT NULL,
    contact_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    PRIMARY KEY (workspace_id, channel_id, external_id)
) STRICT, WITHOUT ROWID;

-- `wake_at` is when the lane may next be claimed: when its work is due, or when its lease ends.
CREATE TABLE lanes (
    workspace_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    wake_at INTEGER,
    holder BLOB,
    fence INTEGER NOT NULL DEFAULT 0,
    events_due_at INTEGER,
    burst_since INTEGER,
    not_before INTEGER,
    failed INTEGER NOT NULL DEFAULT 0,
    crashed INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    open_turn TEXT,
    PRIMARY KEY (workspace_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_wake ON lanes (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE webhook_inbox (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    channel_id TEXT NOT NULL,
    external_id TEXT NOT NULL,
    conversation_id BLOB,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'operator', 'unreadable')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'done', 'quarantined')),
    payload TEXT NOT NULL,
    reason TEXT,
    quarantines INTEGER NOT NULL DEFAULT 0,
    open_turn TEXT,
    sent_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, channel_id, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_inbox_pending ON webhook_inbox (workspace_id, conversation_id, sent_at, id)
    WHERE status = 'pending';
CREATE INDEX webhook_inbox_quarantined ON webhook_inbox (workspace_id, id)
    WHERE status = 'quarantined';

CREATE TABLE agent_sessions (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    agent_id TEXT NOT NULL,
    conversation_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'closed', 'handed_off')),
    current_mode TEXT NOT NULL DEFAULT 'conversacion',
    turn_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_activity_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX agent_sessions_open ON agent_sessions (workspace_id, conversation_id, agent_id)
    WHERE status <> 'closed';
CREATE INDEX agent_sessions_conversation ON agent_sessions (workspace_id, conversation_id, created_at);

CREATE TABLE session_state (
    workspace_id BLOB NOT NULL,
    session_id BLOB NOT NULL,
    intents_vistos TEXT NOT NULL,
    templates_enviados TEXT NOT NULL,
    datos_capturados TEXT NOT NULL,
    pack_seleccionado TEXT,
    proactive_started_at INTEGER,
    first_data_at INTEGER,
    min_data_at INTEGER,
    ofrecer_promos_at INTEGER,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_turns (
    workspace_id BLOB NOT NULL,
    session_id BLOB NOT NULL,
    turn_number INTEGER NOT NULL,
    id BLOB NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    content TEXT NOT NULL,
    intent_detected TEXT,
    confidence REAL,
    tools_called TEXT NOT NULL,
    tokens_used INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_id, turn_number)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_steps (
    workspace_id BLOB NOT NULL,
    turn_id BLOB NOT NULL,
    step_key TEXT NOT NULL,
    conversation_id BLOB NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('local', 'outside')),
    input TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('intended', 'done', 'failed', 'unknown')),
    output TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    PRIMARY KEY (workspace_id, turn_id, step_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_steps_unknown ON agent_steps (workspace_id, created_at) WHERE status = 'unknown';

CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    author TEXT NOT NULL CHECK (author IN ('bot', 'operator', 'engine')),
    priority INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    content TEXT NOT NULL,
    status TEXT NOT NULL,
    rank INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER NOT NULL,
    provider_ref TEXT,
    error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;
CREATE INDEX outbox_waiting ON outbox (workspace_id, conversation_id, priority, seq)
    WHERE rank <= 1;
CREATE INDEX outbox_conversation ON outbox (workspace_id, conversation_id, seq);
CREATE INDEX outbox_attention ON outbox (workspace_id, seq) WHERE status IN ('ambiguous', 'failed');

CREATE TABLE timers (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    key TEXT NOT NULL,
    condition TEXT NOT NULL CHECK (condition IN ('always', 'silence')),
    payload TEXT NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('armed', 'fired', 'cancelled', 'skipped', 'quarantined')),
    reason TEXT,
    quarantines INTEGER NOT NULL DEFAULT 0,
    open_turn TEXT,
    armed_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    settled_at INTEGER,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX timers_key ON timers (workspace_id, conversation_id, key)
    WHERE status = 'armed';
CREATE INDEX timers_due ON timers (workspace_id, conversation_id, due_at) WHERE status = 'armed';
CREATE INDEX timers_quarantined ON timers (workspace_id, id) WHERE status = 'quarantined';

CREATE TABLE counters (
    workspace_id BLOB NOT NULL,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id BLOB NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
