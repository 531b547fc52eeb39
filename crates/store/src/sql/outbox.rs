//! Sending: the intent under the fence and the owner's epoch, then the outcome.

use async_trait::async_trait;
use domain::{DeliveryStatus, OutboundId, Timestamp};

use super::lanes::lock_lane;
use super::load::{LOCK_LANE, go_on_or_give_up};
use super::{Driver, Sql, SqlStore, Tx, work};
use crate::{LaneWork, Lease, Outbox, Point, SendOutcome, Settlement, StoreResult, statement};

// The epoch is compared here, at the moment of sending: a takeover since the message was written
// stops it.
const INTEND: Sql = Sql::both(
    "UPDATE outbox SET status = 'sending', rank = 1, attempts = attempts + 1, updated_at = ?3 \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued' AND (author <> 'bot' OR epoch = \
            (SELECT c.epoch FROM conversations c WHERE c.workspace_id = outbox.workspace_id \
             AND c.id = outbox.conversation_id)) RETURNING 1",
);

const WITHHOLD: Sql = Sql::both(
    "UPDATE outbox SET status = 'withheld', rank = 7, updated_at = ?3, \
            error = 'a person took the conversation over' \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'queued'",
);

// An intent that is still open belongs to an attempt nobody knows the end of, even to the holder
// itself when only the answer to its commit was lost.
const DOUBT: Sql = Sql::both(
    "UPDATE outbox SET status = 'ambiguous', rank = 2, updated_at = ?3, \
            error = 'an attempt to send it was cut short' \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'sending'",
);

const SETTLE: Sql = Sql::both(
    "UPDATE outbox SET status = ?3, rank = ?4, error = ?5, updated_at = ?6, \
            provider_ref = coalesce(?7, provider_ref) \
     WHERE workspace_id = ?1 AND id = ?2 AND rank < ?4 AND status NOT IN ('failed', 'withheld')",
);

// Going back to the queue is no report: it is only for a send that certainly did not happen.
const REQUEUE: Sql = Sql::both(
    "UPDATE outbox SET status = 'queued', rank = 0, error = ?3, next_attempt_at = ?4, \
            updated_at = ?5 \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'sending'",
);

#[async_trait]
impl<D: Driver> Outbox for SqlStore<D> {
    async fn intend_send(
        &self,
        lease: Lease,
        outbound: OutboundId,
        now: Timestamp,
    ) -> StoreResult<SendOutcome> {
        self.driver
            .write(
                Point::OutboxIntend,
                work!(|tx| {
                    lock_lane(tx, lease);
                    let rows = tx.query(statement!(INTEND, lease.workspace, outbound, now)).await?;
                    if !rows.is_empty() {
                        return Ok(SendOutcome::Go);
                    }
                    tx.write(statement!(DOUBT, lease.workspace, outbound, now));
                    tx.write(statement!(WITHHOLD, lease.workspace, outbound, now));
                    Ok(SendOutcome::Withheld)
                }),
            )
            .await
    }

    async fn settle_send(
        &self,
        lease: Lease,
        settlement: Settlement,
        now: Timestamp,
    ) -> StoreResult<Option<LaneWork>> {
        self.driver
            .write(
                Point::OutboxSettle,
                work!(|tx, settlement| settle_send(tx, lease, &settlement, now).await),
            )
            .await
    }
}

async fn settle_send<T: Tx>(
    tx: &mut T,
    lease: Lease,
    settlement: &Settlement,
    now: Timestamp,
) -> StoreResult<Option<LaneWork>> {
    tx.scope(lease.workspace);
    let (workspace, id, error) = (lease.workspace, settlement.outbound, settlement.error.as_ref());
    let lock = statement!(LOCK_LANE, workspace, lease.conversation, lease.fence);
    let held = tx.query(lock).await?;
    match settlement.status {
        DeliveryStatus::Queued => {
            let retry_at = settlement.retry_at.unwrap_or(now);
            tx.write(statement!(REQUEUE, workspace, id, error, retry_at, now));
        }
        status => {
            let provider_ref = settlement.provider_ref.as_ref();
            let (status, rank) = (status.as_str(), status.rank());
            tx.write(statement!(SETTLE, workspace, id, status, rank, error, now, provider_ref));
        }
    }
    if held.is_empty() { Ok(None) } else { go_on_or_give_up(tx, lease, now).await }
}
