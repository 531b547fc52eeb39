-- Channels: reply options, pace, media.

-- `tried_at` is when the last attempt began or ended, from which the pace towards a customer is
-- counted; `as_template` says whether that attempt was of the approved template.
ALTER TABLE outbox ADD COLUMN options jsonb;
ALTER TABLE outbox ADD COLUMN tried_at bigint;
ALTER TABLE outbox ADD COLUMN as_template bigint NOT NULL DEFAULT 0;
CREATE INDEX outbox_tried ON outbox (workspace_id, conversation_id, tried_at)
    WHERE tried_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS outbox_provider_ref ON outbox (workspace_id, provider_ref)
    WHERE provider_ref IS NOT NULL;

-- When the provider said that the window is closed, which counts more than our own reckoning; the
-- customer opens it again.
ALTER TABLE conversations ADD COLUMN window_closed_at bigint;

-- Files that customers sent: fetched once, kept by their hash, apart from any lane. `next_at` is when
-- the next attempt may begin and, while one is under way, when it counts as lost.
CREATE TABLE media (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    channel_id text NOT NULL,
    conversation_id uuid NOT NULL,
    source jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'fetched', 'failed', 'expired', 'deleted')),
    attempts bigint NOT NULL DEFAULT 0,
    next_at bigint,
    failed_at bigint,
    mime text,
    sha256 text,
    size bigint,
    error text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX media_due ON media (workspace_id, channel_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX media_conversation ON media (workspace_id, conversation_id, id);
CREATE INDEX media_failures ON media (workspace_id, channel_id, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX media_kept ON media (workspace_id, sha256) WHERE sha256 IS NOT NULL;

ALTER TABLE media ENABLE ROW LEVEL SECURITY;
ALTER TABLE media FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON media USING (workspace_id = recado_workspace());
