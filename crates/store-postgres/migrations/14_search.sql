-- Searching contacts: the terms that each is found by, kept together so that they can be compared, and
-- each by itself in the order of an index. `terms` is null until they were made.
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

-- Who stands in a mode: changed when a session's mode does, and by nothing else.
CREATE INDEX agent_sessions_mode ON agent_sessions (workspace_id, current_mode, conversation_id)
    WHERE created_at >= 0;

-- Whom people answer, who are few among all: the bot's conversations are not in it.
CREATE INDEX conversations_human ON conversations (workspace_id, active_at, id)
    WHERE owner = 'human' AND active_at >= 0;
