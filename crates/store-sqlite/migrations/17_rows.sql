-- Wide rows leave the tree of their key. A table WITHOUT ROWID keeps whole rows in the inner pages of
-- its tree: of rows with a trace, a question or a session's state few fit on a page, so that the tree
-- is deep, every insert in its middle divides pages, and a row of a thousand bytes has a page of its
-- own beside it. In a table with rowids new rows stand together at the end.
CREATE TABLE turns_by_rowid (
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
    trace TEXT,
    outbound_id BLOB,
    PRIMARY KEY (workspace_id, session_id, turn_number)
) STRICT;
INSERT INTO turns_by_rowid (workspace_id, session_id, turn_number, id, role, content,
        intent_detected, confidence, tools_called, tokens_used, created_at, trace, outbound_id)
    SELECT workspace_id, session_id, turn_number, id, role, content, intent_detected, confidence,
        tools_called, tokens_used, created_at, trace, outbound_id FROM agent_turns;
DROP TABLE agent_turns;
ALTER TABLE turns_by_rowid RENAME TO agent_turns;

CREATE TABLE steps_by_rowid (
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
) STRICT;
INSERT INTO steps_by_rowid (workspace_id, turn_id, step_key, conversation_id, tool, kind, input,
        status, output, created_at, settled_at)
    SELECT workspace_id, turn_id, step_key, conversation_id, tool, kind, input, status, output,
        created_at, settled_at FROM agent_steps;
DROP TABLE agent_steps;
ALTER TABLE steps_by_rowid RENAME TO agent_steps;
CREATE INDEX agent_steps_unknown ON agent_steps (workspace_id, created_at) WHERE status = 'unknown';

CREATE TABLE state_by_rowid (
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
    scratch TEXT NOT NULL DEFAULT '{}',
    proposal TEXT,
    choices TEXT NOT NULL DEFAULT '{}',
    milestones TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (workspace_id, session_id)
) STRICT;
INSERT INTO state_by_rowid (workspace_id, session_id, intents_vistos, templates_enviados,
        datos_capturados, pack_seleccionado, proactive_started_at, first_data_at, min_data_at,
        ofrecer_promos_at, updated_at, scratch, proposal, choices, milestones)
    SELECT workspace_id, session_id, intents_vistos, templates_enviados, datos_capturados,
        pack_seleccionado, proactive_started_at, first_data_at, min_data_at, ofrecer_promos_at,
        updated_at, scratch, proposal, choices, milestones FROM session_state;
DROP TABLE session_state;
ALTER TABLE state_by_rowid RENAME TO session_state;

-- A model's call is known by its turn, step and attempt. A session's calls are those of its
-- conversation since the session began.
CREATE TABLE calls_by_step (
    workspace_id BLOB NOT NULL,
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
    PRIMARY KEY (workspace_id, turn_id, step_key, attempt)
) STRICT;
INSERT INTO calls_by_step (workspace_id, at, conversation_id, contact_id, session_id, turn_id,
        step_key, component, provider, model, attempt, outcome, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, cost, ms)
    SELECT workspace_id, at, conversation_id, contact_id, session_id, turn_id, step_key, component,
        provider, model, attempt, outcome, input_tokens, output_tokens, cache_read_tokens,
        cache_write_tokens, cost, ms FROM model_calls ORDER BY rowid;
DROP TABLE model_calls;
ALTER TABLE calls_by_step RENAME TO model_calls;
CREATE INDEX model_calls_conversation ON model_calls (workspace_id, conversation_id, at);
-- The index holds every column that the sums of a day read.
CREATE INDEX model_calls_contact ON model_calls (workspace_id, contact_id, at, turn_id, cost);
CREATE INDEX model_calls_day ON model_calls (workspace_id, at, turn_id, cost);
