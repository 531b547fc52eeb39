-- Proposals: the newest summary a session has shown and asked about, with its standing.

ALTER TABLE session_state ADD COLUMN proposal jsonb;
