-- Models' answers and costs, orders, drafts, contacts' data, approved templates.

ALTER TABLE contacts ADD COLUMN data jsonb NOT NULL DEFAULT '{}';

-- `outside_window` marks a message held back because the customer last wrote too long ago: a person
-- must see it.
ALTER TABLE outbox ADD COLUMN approved jsonb;
ALTER TABLE outbox ADD COLUMN outside_window bigint NOT NULL DEFAULT 0;
DROP INDEX outbox_attention;
CREATE INDEX outbox_attention ON outbox (workspace_id, seq)
    WHERE (status IN ('ambiguous', 'failed') OR outside_window = 1);

ALTER TABLE agent_steps DROP CONSTRAINT agent_steps_kind_check;
ALTER TABLE agent_steps ADD CONSTRAINT agent_steps_kind_check
    CHECK (kind IN ('local', 'outside', 'model'));

-- The ledger: one row for each attempt at a model call. Costs are in billionths of a US dollar.
CREATE TABLE model_calls (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    at bigint NOT NULL,
    conversation_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    session_id uuid NOT NULL,
    turn_id uuid NOT NULL,
    step_key text NOT NULL,
    component text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    attempt bigint NOT NULL,
    outcome text NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    cost bigint NOT NULL,
    ms bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, turn_id, step_key, attempt)
);
CREATE INDEX model_calls_session ON model_calls (workspace_id, session_id);
CREATE INDEX model_calls_conversation ON model_calls (workspace_id, conversation_id, at);
-- The index holds every column that the sums of a day read.
CREATE INDEX model_calls_contact ON model_calls (workspace_id, contact_id, at, turn_id, cost);
CREATE INDEX model_calls_day ON model_calls (workspace_id, at, turn_id, cost);

CREATE TABLE orders (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    contact_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('pending_confirmation', 'confirmed', 'cancelled')),
    currency text NOT NULL,
    total numeric NOT NULL,
    lines jsonb NOT NULL,
    data jsonb NOT NULL DEFAULT '{}',
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, number)
);
CREATE INDEX orders_contact ON orders (workspace_id, contact_id, created_at);
CREATE INDEX orders_conversation ON orders (workspace_id, conversation_id, created_at, number);

-- Drafts: the text that a turn is about to send.
CREATE TABLE drafts (
    workspace_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    turn_id uuid NOT NULL,
    text text NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, conversation_id)
);

DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['model_calls', 'orders', 'drafts'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (workspace_id = recado_workspace())',
                       tenant_table);
    END LOOP;
END $$;
