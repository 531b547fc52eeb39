-- The secret with which a workspace signs its web chats' visitors.
CREATE TABLE visitor_secrets (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id),
    secret text NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE visitor_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE visitor_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON visitor_secrets USING ((workspace_id = recado_workspace()) IS TRUE);
