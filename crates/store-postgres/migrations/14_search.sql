-- Searching contacts: the terms of each, together so that they can be compared, and singly in the
-- order of an index. `terms` is null until the terms were made.
ALTER TABLE contacts ADD COLUMN conversation_id uuid;
ALTER TABLE contacts ADD COLUMN terms text;
ALTER TABLE contacts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY;
UPDATE contacts SET conversation_id = c.id FROM conversations c
    WHERE c.workspace_id = contacts.workspace_id AND c.contact_id = contacts.id;
ALTER TABLE contacts FORCE ROW LEVEL SECURITY;
ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
CREATE INDEX contacts_without_terms ON contacts (workspace_id, id)
    WHERE terms IS NULL AND conversation_id IS NOT NULL;

CREATE TABLE contact_terms (
    workspace_id uuid NOT NULL,
    term text COLLATE "C" NOT NULL,
    conversation_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, term, conversation_id)
);
ALTER TABLE contact_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE contact_terms FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON contact_terms USING ((workspace_id = recado_workspace()) IS TRUE);

-- The sessions by mode: an index that only a change of a session's mode writes.
CREATE INDEX agent_sessions_mode ON agent_sessions (workspace_id, current_mode, conversation_id)
    WHERE created_at >= 0;

-- The conversations that people answer, which are few: the bot's are not in the index.
CREATE INDEX conversations_human ON conversations (workspace_id, active_at, id)
    WHERE owner = 'human' AND active_at >= 0;
