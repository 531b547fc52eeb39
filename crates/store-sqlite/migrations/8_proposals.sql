-- Proposals: the newest summary a session has shown and asked about, as JSON, and how it stands.

ALTER TABLE session_state ADD COLUMN proposal TEXT;
