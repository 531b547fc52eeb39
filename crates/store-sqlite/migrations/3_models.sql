-- Models' answers and costs, orders, drafts, contacts' data, approved templates.

ALTER TABLE contacts ADD COLUMN data TEXT NOT NULL DEFAULT '{}';

-- `outside_window` marks a message held back because the customer last wrote too long ago: a person
-- must see it.
ALTER TABLE outbox ADD COLUMN approved TEXT;
ALTER TABLE outbox ADD COLUMN outside_window INTEGER NOT NULL DEFAULT 0;
DROP INDEX outbox_attention;
CREATE INDEX outbox_attention ON outbox (workspace_id, seq)
    WHERE (status IN ('ambiguous', 'failed') OR outside_window = 1);

-- The index holds the time of arrival, because the newest message of a conversation would otherwise
-- be looked for among all messages of its workspace.
DROP INDEX webhook_inbox_pending;
CREATE INDEX webhook_inbox_pending
    ON webhook_inbox (workspace_id, conversation_id, sent_at, id, kind, received_at)
    WHERE status = 'pending';

-- A check cannot be changed in place.
CREATE TABLE steps_with_models (
    workspace_id BLOB NOT NULL,
    turn_id BLOB NOT NULL,
    step_key TEXT NOT NULL,
    conversation_id BLOB NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('local', 'outside', 'model')),
    input TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('intended', 'done', 'failed', 'unknown')),
    output TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    PRIMARY KEY (workspace_id, turn_id, step_key)
) STRICT, WITHOUT ROWID;
INSERT INTO steps_with_models (workspace_id, turn_id, step_key, conversation_id, tool, kind, input,
        status, output, created_at, settled_at)
    SELECT workspace_id, turn_id, step_key, conversation_id, tool, kind, input, status, output,
        created_at, settled_at FROM agent_steps;
DROP TABLE agent_steps;
ALTER TABLE steps_with_models RENAME TO agent_steps;
CREATE INDEX agent_steps_unknown ON agent_steps (workspace_id, created_at) WHERE status = 'unknown';

-- The ledger: one row for each attempt at a model call. Costs are in billionths of a US dollar.
CREATE TABLE model_calls (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    at INTEGER NOT NULL,
    conversation_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    session_id BLOB NOT NULL,
    turn_id BLOB NOT NULL,
    step_key TEXT NOT NULL,
    component TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    ms INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, turn_id, step_key, attempt)
) STRICT;
CREATE INDEX model_calls_session ON model_calls (workspace_id, session_id);
CREATE INDEX model_calls_conversation ON model_calls (workspace_id, conversation_id, at);
-- The index holds every column that the sums of a day read.
CREATE INDEX model_calls_contact ON model_calls (workspace_id, contact_id, at, turn_id, cost);
CREATE INDEX model_calls_day ON model_calls (workspace_id, at, turn_id, cost);

-- Amounts are text, which stays exact.
CREATE TABLE orders (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    number INTEGER NOT NULL,
    contact_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending_confirmation', 'confirmed', 'cancelled')),
    currency TEXT NOT NULL,
    total TEXT NOT NULL,
    lines TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX orders_contact ON orders (workspace_id, contact_id, created_at);
CREATE INDEX orders_conversation ON orders (workspace_id, conversation_id, created_at, number);

-- Drafts: the text that a turn is about to send.
CREATE TABLE drafts (
    workspace_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    turn_id BLOB NOT NULL,
    text TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, conversation_id)
) STRICT, WITHOUT ROWID;
