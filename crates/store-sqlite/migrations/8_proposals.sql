-- Proposals: the newest summary a session has shown and asked about, with its standing, as JSON.

ALTER TABLE session_state ADD COLUMN proposal TEXT;
