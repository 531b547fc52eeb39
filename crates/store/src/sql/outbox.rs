//! Sending: the intent under the fence, the owner's epoch, the window and the pace, then the
//! outcome.

use async_trait::async_trait;
use domain::{
    DeliveryStatus, OutboundId, PairPace, Pii, SERVICE_WINDOW_MS, Timestamp, WorkspaceId,
};

use super::lanes::lock_lane;
use super::load::{LOCK_LANE, go_on_or_give_up};
use super::status::becomes;
use super::{Driver, Look, Sql, SqlStore, Tx, live, work};
use crate::{
    Clearance, LaneWork, Lease, Outbox, Point, SendOutcome, SendRules, StoreError, StoreResult,
    TAKEOVER_WISH_MS, statement,
};

// A message may be sent if a person wrote it or the conversation's epoch is the message's. The
// epoch is compared at the moment of sending, so that a takeover since the message was written
// stops it.
macro_rules! may_speak {
    () => {
        "(author = 'operator' OR epoch = (SELECT c.epoch FROM conversations c \
             WHERE c.workspace_id = outbox.workspace_id AND c.id = outbox.conversation_id))"
    };
}

// Somebody waits to take the conversation over, and the wish has not lapsed.
macro_rules! is_being_taken {
    ($since:literal) => {
        concat!(
            "(author <> 'operator' AND EXISTS (SELECT 1 FROM conversations c \
             WHERE c.workspace_id = outbox.workspace_id AND c.id = outbox.conversation_id \
             AND outbox.seq > 0 AND c.taking_at > ",
            $since,
            "))"
        )
    };
}

// The 24-hour window is open, also compared at the moment of sending; a customer's message that
// still waits for its turn has opened it already. The condition on `outbox.seq` always holds: it
// keeps PostgreSQL from reading all conversations once instead of one by its key.
macro_rules! inside_window {
    () => {
        "(?4 = 0 OR EXISTS (SELECT 1 FROM conversations c \
             WHERE c.workspace_id = outbox.workspace_id AND c.id = outbox.conversation_id \
             AND outbox.seq > 0 AND c.last_customer_message_at > ?5 \
             AND c.last_customer_message_at > coalesce(c.window_closed_at, 0)) \
          OR EXISTS (SELECT 1 FROM webhook_inbox i JOIN conversations c \
             ON c.workspace_id = i.workspace_id AND c.id = i.conversation_id \
             WHERE i.workspace_id = outbox.workspace_id \
             AND i.conversation_id = outbox.conversation_id AND i.status = 'pending' \
             AND outbox.seq > 0 AND i.kind = 'message' AND i.received_at > ?5 \
             AND i.received_at > coalesce(c.window_closed_at, 0)))"
    };
}

// A message that is being sent keeps its rank, and with it its place in the index of waiting
// messages.
const INTEND: Sql = Sql::each(concat!(
    "UPDATE outbox SET status = 'sending', attempts = attempts + 1, updated_at = ?3, \
            tried_at = ?3, as_template = CASE WHEN ",
    inside_window!(),
    " THEN 0 ELSE 1 END \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued' AND ",
    may_speak!(),
    " AND NOT ",
    is_being_taken!("?6"),
    " AND (approved IS NOT NULL OR ",
    inside_window!(),
    ") RETURNING as_template",
));

// The address is compared, because a phone number may change hands while a message waits.
const SAME_ADDRESS: Sql =
    Sql::each("SELECT 1 FROM conversations WHERE workspace_id = ?1 AND id = ?2 AND address = ?3");

const WITHHOLD_NOWHERE: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(withheld),
    ", updated_at = ?3, \
            error = 'the number of this customer belongs to somebody else now' \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued'",
));

const RECENT: Sql = Sql::each(
    "SELECT tried_at FROM outbox WHERE workspace_id = ?1 AND conversation_id = ?2 \
            AND tried_at IS NOT NULL ORDER BY tried_at DESC LIMIT ?3",
);

const PUT_OFF: Sql = Sql::both(
    "UPDATE outbox SET next_attempt_at = ?3 \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued' RETURNING 1",
);

const HOLD_BACK: Sql = Sql::both(concat!(
    "UPDATE outbox SET updated_at = ?3, next_attempt_at = (SELECT c.taking_at + ?4 \
             FROM conversations c \
             WHERE c.workspace_id = outbox.workspace_id AND c.id = outbox.conversation_id) \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued' AND ",
    may_speak!(),
    " AND ",
    is_being_taken!("?5"),
    " RETURNING 1",
));

// Runs only for a message that `INTEND` refused while its author may speak: then the window was the
// reason.
const WITHHOLD_OUTSIDE: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(withheld),
    ", updated_at = ?3, outside_window = 1, \
            error = 'outside the 24 h window, and it has no approved template' \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued' AND ",
    may_speak!(),
    " RETURNING 1",
));

const WITHHOLD: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(withheld),
    ", updated_at = ?3, \
            error = 'a person took the conversation over' \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued'",
));

// An open intent belongs to an attempt with an unknown end, also when the holder itself lost only
// the answer to its commit.
const MARK_AMBIGUOUS: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(ambiguous),
    ", updated_at = ?3, \
            error = 'an attempt to send it was cut short' \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'sending'",
));

const RECORD_OUTCOME: Sql = Sql::each(
    "UPDATE outbox SET status = ?3, rank = ?4, error = ?5, updated_at = ?6, \
            provider_ref = coalesce(?7, provider_ref), tried_at = ?6 \
     WHERE workspace_id = ?1 AND id = ?2 AND rank < ?4 AND status NOT IN ('failed', 'withheld')",
);

// Puts a message back into the queue, past the rule that ranks only rise, because it certainly was
// not sent.
const REQUEUE: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(queued),
    ", error = ?3, next_attempt_at = ?4, \
            updated_at = ?5, tried_at = ?5, attempts = attempts - ?6 \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'sending'",
));

// The window counts as closed from the start of the attempt that found it closed: a customer's
// message since then has opened it again.
pub(super) const CLOSE_WINDOW: Sql = Sql::both(
    "UPDATE conversations SET window_closed_at = (SELECT o.tried_at FROM outbox o \
            WHERE o.workspace_id = ?1 AND o.id = ?3) \
     WHERE workspace_id = ?1 AND id = ?2",
);

const HAS_REACHED: Sql = Sql::each(
    "SELECT 1 FROM outbox WHERE workspace_id = ?1 AND id = ?2 \
            AND status IN ('sent', 'delivered', 'read') AND as_template = 0",
);

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[INTEND, SAME_ADDRESS, RECENT, RECORD_OUTCOME, HAS_REACHED];

pub(super) const STATEMENTS: &[Sql] = &[
    WITHHOLD_NOWHERE,
    PUT_OFF,
    HOLD_BACK,
    WITHHOLD_OUTSIDE,
    WITHHOLD,
    MARK_AMBIGUOUS,
    REQUEUE,
    CLOSE_WINDOW,
];

#[async_trait]
impl<D: Driver> Outbox for SqlStore<D> {
    async fn intend_send(
        &self,
        lease: Lease,
        outbound: OutboundId,
        to: &Pii,
        rules: SendRules,
        now: Timestamp,
    ) -> StoreResult<Clearance> {
        let to = to.clone();
        let _turn = self.turn_to_write(lease.workspace).await;
        self.driver
            .write(
                Point::OutboxIntend,
                work!(|tx, to| intend_send(tx, lease, outbound, &to, rules, now).await),
            )
            .await
            .inspect(|outcome| {
                if !matches!(outcome, Clearance::Go { .. }) {
                    self.driver.announce_live(lease.workspace);
                }
            })
    }

    async fn record_send(
        &self,
        lease: Lease,
        outcome: SendOutcome,
        now: Timestamp,
    ) -> StoreResult<Option<LaneWork>> {
        let _turn = self.turn_to_write(lease.workspace).await;
        self.driver
            .write(
                Point::OutboxRecord,
                work!(|tx, outcome| record_send(tx, lease, &outcome, now).await),
            )
            .await
            .inspect(|_| self.driver.announce_live(lease.workspace))
    }

    async fn have_reached(
        &self,
        workspace: WorkspaceId,
        messages: &[OutboundId],
    ) -> StoreResult<bool> {
        let messages = messages.to_vec();
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx, messages| {
                    tx.scope(workspace);
                    have_reached(tx, workspace, &messages).await
                }),
            )
            .await
    }
}

pub(super) async fn have_reached<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    messages: &[OutboundId],
) -> StoreResult<bool> {
    let ask = |id: &OutboundId| statement!(HAS_REACHED, workspace, *id);
    let answers = tx.query_all(messages.iter().map(ask).collect()).await?;
    Ok(!answers.is_empty() && answers.iter().all(|rows| !rows.is_empty()))
}

async fn intend_send<T: Tx>(
    tx: &mut T,
    lease: Lease,
    id: OutboundId,
    to: &Pii,
    rules: SendRules,
    now: Timestamp,
) -> StoreResult<Clearance> {
    lock_lane(tx, lease);
    let workspace = lease.workspace;
    let same_address = statement!(SAME_ADDRESS, workspace, lease.conversation, to);
    tx.guard(same_address, StoreError::VersionConflict);
    if to.reveal().is_empty() {
        mark_ambiguous(tx, lease, id, now);
        tx.write(statement!(WITHHOLD_NOWHERE, workspace, id, now));
        live::tell_delivery(tx, workspace, id, "withheld", now);
        return Ok(Clearance::Nowhere);
    }
    if let Some(until) = free_at(tx, lease, rules).await?.filter(|until| *until > now)
        && !tx.query(statement!(PUT_OFF, workspace, id, until)).await?.is_empty()
    {
        return Ok(Clearance::Wait { until });
    }
    let opened_after = now.plus_ms(-SERVICE_WINDOW_MS);
    let wished_after = now.plus_ms(-TAKEOVER_WISH_MS);
    let has_window = i64::from(rules.has_window);
    let intend = statement!(INTEND, workspace, id, now, has_window, opened_after, wished_after);
    if let Some(row) = tx.query(intend).await?.first() {
        return Ok(Clearance::Go { as_template: row.int(0)? == 1 });
    }
    mark_ambiguous(tx, lease, id, now);
    let hold = statement!(HOLD_BACK, workspace, id, now, TAKEOVER_WISH_MS, wished_after);
    if !tx.query(hold).await?.is_empty() {
        return Ok(Clearance::HeldBack);
    }
    if !tx.query(statement!(WITHHOLD_OUTSIDE, workspace, id, now)).await?.is_empty() {
        live::tell_delivery(tx, workspace, id, "withheld", now);
        return Ok(Clearance::OutsideWindow);
    }
    tx.write(statement!(WITHHOLD, workspace, id, now));
    live::tell_delivery(tx, workspace, id, "withheld", now);
    Ok(Clearance::Withheld)
}

fn mark_ambiguous<T: Tx>(tx: &mut T, lease: Lease, id: OutboundId, now: Timestamp) {
    tx.write(statement!(MARK_AMBIGUOUS, lease.workspace, id, now));
    live::tell_delivery(tx, lease.workspace, id, "ambiguous", now);
}

/// When the pace allows the next message, counting the attempts of all nodes.
async fn free_at<T: Tx>(
    tx: &mut T,
    lease: Lease,
    rules: SendRules,
) -> StoreResult<Option<Timestamp>> {
    let pair = match rules.pair {
        Some(pair) => paired(tx, lease, pair).await?,
        None => None,
    };
    Ok(pair.max(rules.not_before))
}

async fn paired<T: Tx>(tx: &mut T, lease: Lease, pace: PairPace) -> StoreResult<Option<Timestamp>> {
    let recent = statement!(RECENT, lease.workspace, lease.conversation, pace.looks_back());
    let rows = tx.query(recent).await?;
    let tried: Vec<_> = rows.iter().map(|row| row.time(0)).collect::<StoreResult<_>>()?;
    Ok(pace.free_at(&tried))
}

async fn record_send<T: Tx>(
    tx: &mut T,
    lease: Lease,
    outcome: &SendOutcome,
    now: Timestamp,
) -> StoreResult<Option<LaneWork>> {
    tx.scope(lease.workspace);
    let (workspace, id, error) = (lease.workspace, outcome.outbound, outcome.error.as_ref());
    let lock = statement!(LOCK_LANE, workspace, lease.conversation, lease.fence);
    let held = tx.query(lock).await?;
    if outcome.window_closed {
        tx.write(statement!(CLOSE_WINDOW, workspace, lease.conversation, id));
    }
    match outcome.status {
        DeliveryStatus::Queued => {
            let retry_at = outcome.retry_at.unwrap_or(now);
            let kept = i64::from(!outcome.counts);
            tx.write(statement!(REQUEUE, workspace, id, error, retry_at, now, kept));
        }
        status => {
            let provider_ref = outcome.provider_ref.as_ref();
            let (status, rank) = (status.as_str(), status.rank());
            tx.write(statement!(
                RECORD_OUTCOME,
                workspace,
                id,
                status,
                rank,
                error,
                now,
                provider_ref
            ));
        }
    }
    live::tell_delivery(tx, workspace, id, outcome.status.as_str(), now);
    if held.is_empty() { Ok(None) } else { go_on_or_give_up(tx, lease, now).await }
}
