-- The secret with which a workspace signs its web chats' visitors.
CREATE TABLE visitor_secrets (
    workspace_id BLOB PRIMARY KEY REFERENCES workspaces (id),
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
