-- Agents have versions that sessions hold on to, turns leave traces, sessions have scratch data.

ALTER TABLE agent_sessions ADD COLUMN agent_version text NOT NULL DEFAULT '';
ALTER TABLE session_state ADD COLUMN scratch jsonb NOT NULL DEFAULT '{}';
ALTER TABLE agent_turns ADD COLUMN trace jsonb;

-- The pack of each version of an agent: a JSON object, path to text.
CREATE TABLE pack_versions (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    name text NOT NULL,
    version text NOT NULL,
    source jsonb NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, name, version)
);
ALTER TABLE pack_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE pack_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pack_versions USING (workspace_id = recado_workspace());
