-- Searching contacts: the terms of each, together so that they can be compared, and singly in the
-- order of an index. `terms` is null until the terms were made.
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

-- The sessions by mode: an index that only a change of a session's mode writes.
CREATE INDEX agent_sessions_mode ON agent_sessions (workspace_id, current_mode, conversation_id)
    WHERE created_at >= 0;

-- The conversations that people answer, which are few: the bot's are not in the index.
CREATE INDEX conversations_human ON conversations (workspace_id, active_at, id)
    WHERE owner = 'human' AND active_at >= 0;
