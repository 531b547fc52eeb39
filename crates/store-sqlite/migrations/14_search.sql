-- Searching contacts: the terms that each is found by, kept together so that they can be compared, and
-- each by itself in the order of an index. `terms` is null until they were made.
ALTER TABLE contacts ADD COLUMN conversation_id BLOB;
ALTER TABLE contacts ADD COLUMN terms TEXT;
UPDATE contacts SET conversation_id = c.id FROM conversations c
    WHERE c.workspace_id = contacts.workspace_id AND c.contact_id = contacts.id;
CREATE INDEX contacts_without_terms ON contacts (workspace_id, id)
    WHERE terms IS NULL AND conversation_id IS NOT NULL;

CREATE TABLE contact_terms (
    workspace_id BLOB NOT NULL,
    term TEXT NOT NULL,
    conversation_id BLOB NOT NULL,
    PRIMARY KEY (workspace_id, term, conversation_id)
) STRICT, WITHOUT ROWID;

-- Who stands in a mode: changed when a session's mode does, and by nothing else.
CREATE INDEX agent_sessions_mode ON agent_sessions (workspace_id, current_mode, conversation_id)
    WHERE created_at >= 0;

-- Whom people answer, who are few among all: the bot's conversations are not in it.
CREATE INDEX conversations_human ON conversations (workspace_id, active_at, id)
    WHERE owner = 'human' AND active_at >= 0;
