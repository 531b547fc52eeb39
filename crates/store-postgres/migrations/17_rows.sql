-- A model's call is known by its turn, step and attempt. A session's calls are those of its
-- conversation since the session began. Each index less is a page less to write for every call.
ALTER TABLE model_calls DROP CONSTRAINT model_calls_pkey,
    DROP CONSTRAINT model_calls_turn_id_step_key_attempt_key,
    DROP COLUMN id,
    ADD PRIMARY KEY (turn_id, step_key, attempt);
DROP INDEX model_calls_session;
