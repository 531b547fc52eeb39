-- Agents have versions that sessions hold on to, turns leave traces, sessions have scratch data.

ALTER TABLE agent_sessions ADD COLUMN agent_version TEXT NOT NULL DEFAULT '';
ALTER TABLE session_state ADD COLUMN scratch TEXT NOT NULL DEFAULT '{}';
ALTER TABLE agent_turns ADD COLUMN trace TEXT;

-- The pack of each version of an agent: a JSON object, path to text.
CREATE TABLE pack_versions (
    workspace_id BLOB NOT NULL REFERENCES workspaces (id),
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    source TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, name, version)
) STRICT;
