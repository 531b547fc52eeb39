-- Proposals: the newest summary a session has shown and asked about, and how it stands.

ALTER TABLE session_state ADD COLUMN proposal jsonb;
