-- Whether a lane whose holders vanished is tried alone: 1 while it is, 2 once a holder vanished then.
ALTER TABLE lanes ADD COLUMN on_trial INTEGER NOT NULL DEFAULT 0;

-- Whether a lane that is due waits for its own workspace's room (1), since there was none when it was
-- its turn; then it does not stand before the lanes of others.
ALTER TABLE lanes ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
DROP INDEX lanes_wake;
CREATE INDEX lanes_wake ON lanes (wake_at) WHERE wake_at IS NOT NULL AND queued = 0;
CREATE INDEX lanes_queued ON lanes (workspace_id, wake_at) WHERE queued = 1;
