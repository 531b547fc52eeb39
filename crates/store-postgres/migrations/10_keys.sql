-- Keys of the message path lead with a unique column, and end with the tenant.
--
-- An index that leads with the tenant can be used for the tenant alone, and while a table is small
-- that looks as cheap to the planner as the whole key; the plan made then goes on reading all of a
-- tenant's rows when there are millions. An id is unique by itself; other keys have the tenant at
-- their end. Indexes that list a tenant's rows are partial, by a condition that no other statement
-- has. The policy that keeps tenants apart is written so that no index serves it, and is checked on
-- the rows that a key has found.

ALTER TABLE conversations DROP CONSTRAINT conversations_workspace_id_contact_id_fkey;

ALTER TABLE contacts DROP CONSTRAINT contacts_pkey, ADD PRIMARY KEY (id);
ALTER TABLE conversations DROP CONSTRAINT conversations_pkey, ADD PRIMARY KEY (id);
ALTER TABLE conversations ADD FOREIGN KEY (contact_id) REFERENCES contacts (id);
ALTER TABLE contact_identities DROP CONSTRAINT contact_identities_pkey,
    ADD PRIMARY KEY (external_id, channel_id, workspace_id);
ALTER TABLE lanes DROP CONSTRAINT lanes_pkey, ADD PRIMARY KEY (conversation_id);
ALTER TABLE webhook_inbox DROP CONSTRAINT webhook_inbox_pkey, ADD PRIMARY KEY (id),
    DROP CONSTRAINT webhook_inbox_workspace_id_channel_id_external_id_key,
    ADD UNIQUE (external_id, channel_id, workspace_id);
ALTER TABLE agent_sessions DROP CONSTRAINT agent_sessions_pkey, ADD PRIMARY KEY (id);
ALTER TABLE session_state DROP CONSTRAINT session_state_pkey, ADD PRIMARY KEY (session_id);
ALTER TABLE agent_turns DROP CONSTRAINT agent_turns_pkey, ADD PRIMARY KEY (session_id, turn_number);
ALTER TABLE agent_steps DROP CONSTRAINT agent_steps_pkey, ADD PRIMARY KEY (turn_id, step_key);
ALTER TABLE outbox DROP CONSTRAINT outbox_workspace_id_id_key, ADD UNIQUE (id);
ALTER TABLE timers DROP CONSTRAINT timers_pkey, ADD PRIMARY KEY (id);
ALTER TABLE drafts DROP CONSTRAINT drafts_pkey, ADD PRIMARY KEY (conversation_id, workspace_id);
ALTER TABLE carts DROP CONSTRAINT carts_pkey, ADD PRIMARY KEY (session_id, workspace_id);
ALTER TABLE handoffs DROP CONSTRAINT handoffs_pkey, ADD PRIMARY KEY (id);
ALTER TABLE model_calls DROP CONSTRAINT model_calls_pkey, ADD PRIMARY KEY (id),
    DROP CONSTRAINT model_calls_workspace_id_turn_id_step_key_attempt_key,
    ADD UNIQUE (turn_id, step_key, attempt);
ALTER TABLE media DROP CONSTRAINT media_pkey, ADD PRIMARY KEY (id);

DROP INDEX webhook_inbox_pending;
CREATE INDEX webhook_inbox_pending ON webhook_inbox (conversation_id, sent_at, id)
    WHERE status = 'pending';
DROP INDEX agent_sessions_open;
CREATE UNIQUE INDEX agent_sessions_open ON agent_sessions (conversation_id, agent_id)
    WHERE status <> 'closed';
DROP INDEX agent_sessions_conversation;
CREATE INDEX agent_sessions_conversation ON agent_sessions (conversation_id, created_at);
DROP INDEX outbox_waiting;
CREATE INDEX outbox_waiting ON outbox (conversation_id, priority, seq) WHERE rank <= 1;
DROP INDEX outbox_conversation;
CREATE INDEX outbox_conversation ON outbox (conversation_id, seq);
DROP INDEX outbox_tried;
CREATE INDEX outbox_tried ON outbox (conversation_id, tried_at) WHERE tried_at IS NOT NULL;
DROP INDEX outbox_provider_ref;
CREATE INDEX outbox_provider_ref ON outbox (provider_ref) WHERE provider_ref IS NOT NULL;
DROP INDEX timers_key;
CREATE UNIQUE INDEX timers_key ON timers (conversation_id, key) WHERE status = 'armed';
DROP INDEX timers_due;
CREATE INDEX timers_due ON timers (conversation_id, due_at) WHERE status = 'armed';
DROP INDEX timers_soonest;
CREATE INDEX timers_soonest ON timers (workspace_id, due_at, id)
    WHERE status = 'armed' AND armed_at >= 0;
DROP INDEX conversations_active;
CREATE INDEX conversations_active ON conversations (workspace_id, active_at, id)
    WHERE active_at >= 0;
DROP INDEX handoffs_open;
CREATE UNIQUE INDEX handoffs_open ON handoffs (conversation_id) WHERE status <> 'resolved';
DROP INDEX media_conversation;
CREATE INDEX media_conversation ON media (conversation_id, id);
DROP INDEX model_calls_session;
CREATE INDEX model_calls_session ON model_calls (session_id);
DROP INDEX model_calls_conversation;
CREATE INDEX model_calls_conversation ON model_calls (conversation_id, at);
DROP INDEX model_calls_contact;
CREATE INDEX model_calls_contact ON model_calls (contact_id, at, turn_id, cost);

-- Rows that every turn writes again find room on their own page.
ALTER TABLE session_state SET (fillfactor = 60);
ALTER TABLE agent_sessions SET (fillfactor = 70);

DO $$
DECLARE tenant_table text;
BEGIN
    FOR tenant_table IN
        SELECT c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
        WHERE p.polname = 'tenant' AND c.relname <> 'workspaces'
          AND c.relnamespace = (SELECT relnamespace FROM pg_class
                                WHERE oid = to_regclass('schema_migrations'))
    LOOP
        EXECUTE format('ALTER POLICY tenant ON %I '
                       'USING ((workspace_id = recado_workspace()) IS TRUE)', tenant_table);
    END LOOP;
END $$;
