-- Identities: a number may change hands.

-- Names that belong together: a number's `beside` is its holder's own name, and that name's
-- `beside` is the number; `since` is when the message was written that last confirmed this.
ALTER TABLE contact_identities ADD COLUMN beside text;
ALTER TABLE contact_identities ADD COLUMN since bigint NOT NULL DEFAULT 0;
-- The owner is bound by row security like everyone, and migrates for all tenants.
ALTER TABLE contact_identities NO FORCE ROW LEVEL SECURITY;
UPDATE contact_identities SET beside =
        CASE WHEN contact_identities.external_id = pairs.one THEN pairs.other ELSE pairs.one END
    FROM (SELECT workspace_id, channel_id, conversation_id, min(external_id) AS one,
                 max(external_id) AS other
          FROM contact_identities GROUP BY workspace_id, channel_id, conversation_id
          HAVING count(*) > 1) AS pairs
    WHERE pairs.workspace_id = contact_identities.workspace_id
        AND pairs.channel_id = contact_identities.channel_id
        AND pairs.conversation_id = contact_identities.conversation_id;
ALTER TABLE contact_identities FORCE ROW LEVEL SECURITY;
