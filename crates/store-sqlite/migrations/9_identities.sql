-- Identities: a number may change hands.

-- Names that belong together: a number's `beside` is its holder's own name, and that name's
-- `beside` is the number; `since` is when the message was written that last confirmed this.
ALTER TABLE contact_identities ADD COLUMN beside TEXT;
ALTER TABLE contact_identities ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
UPDATE contact_identities SET beside =
        CASE WHEN contact_identities.external_id = pairs.one THEN pairs.other ELSE pairs.one END
    FROM (SELECT workspace_id, channel_id, conversation_id, min(external_id) AS one,
                 max(external_id) AS other
          FROM contact_identities GROUP BY workspace_id, channel_id, conversation_id
          HAVING count(*) > 1) AS pairs
    WHERE pairs.workspace_id = contact_identities.workspace_id
        AND pairs.channel_id = contact_identities.channel_id
        AND pairs.conversation_id = contact_identities.conversation_id;
