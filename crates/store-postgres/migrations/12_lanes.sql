-- 1 while a lane whose holders vanished is tried alone, 2 once a holder vanished during that trial,
-- else 0.
ALTER TABLE lanes ADD COLUMN on_trial bigint NOT NULL DEFAULT 0;

-- 1 if a due lane waits for room of its workspace, because there was none at its turn; such a lane
-- does not stand before the lanes of others.
ALTER TABLE lanes ADD COLUMN queued bigint NOT NULL DEFAULT 0;
DROP INDEX lanes_wake;
CREATE INDEX lanes_wake ON lanes (wake_at) WHERE wake_at IS NOT NULL AND queued = 0;
CREATE INDEX lanes_queued ON lanes (workspace_id, wake_at) WHERE queued = 1;
