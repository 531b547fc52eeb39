-- Channels: reply options, pace, media.

-- `tried_at` is when the last attempt began or ended, from which the pace towards a customer is
-- counted; `as_template` says whether that attempt was of the approved template.
ALTER TABLE outbox ADD COLUMN options TEXT;
ALTER TABLE outbox ADD COLUMN tried_at INTEGER;
ALTER TABLE outbox ADD COLUMN as_template INTEGER NOT NULL DEFAULT 0;
CREATE INDEX outbox_tried ON outbox (workspace_id, conversation_id, tried_at)
    WHERE tried_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS outbox_provider_ref ON outbox (workspace_id, provider_ref)
    WHERE provider_ref IS NOT NULL;

-- When the provider said that the window is closed, which counts more than our own reckoning; the
-- customer opens it again.
ALTER TABLE conversations ADD COLUMN window_closed_at INTEGER;

-- Files that customers sent: fetched once, kept by their hash, apart from any lane. `next_at` is when
-- the next attempt may begin and, while one is under way, when it counts as lost.
CREATE TABLE media (
    workspace_id BLOB NOT NULL,
    id BLOB NOT NULL,
    channel_id TEXT NOT NULL,
    conversation_id BLOB NOT NULL,
    source TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'fetched', 'failed', 'expired', 'deleted')),
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER,
    failed_at INTEGER,
    mime TEXT,
    sha256 TEXT,
    size INTEGER,
    error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX media_due ON media (workspace_id, channel_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX media_conversation ON media (workspace_id, conversation_id, id);
CREATE INDEX media_failures ON media (workspace_id, channel_id, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX media_kept ON media (workspace_id, sha256) WHERE sha256 IS NOT NULL;
