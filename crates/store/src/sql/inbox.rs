//! Intake: each arrival once, its lane due, all of a delivery in one commit.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{
    Burst, Channel, ContactId, ConversationId, DeliveryReport, Identity, Timestamp, WorkspaceId,
};

use super::{Driver, Param, Sql, SqlStore, Tx, live, work};
use crate::{Accepted, Arrival, Inbox, Point, StoreResult, Unreadable, statement};

const FIND_IDENTITY: Sql = Sql::both(
    "SELECT conversation_id FROM contact_identities \
     WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3",
);

// Two nodes may meet a new sender at once; the second one gets the first one's conversation.
const ADD_IDENTITY: Sql = Sql::both(
    "INSERT INTO contact_identities \
            (workspace_id, channel_id, external_id, contact_id, conversation_id) \
     VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO UPDATE \
            SET external_id = excluded.external_id \
     RETURNING conversation_id",
);

const ADD_CONTACT: Sql = Sql::both(
    "INSERT INTO contacts (workspace_id, id, name, phone, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
);

const ADD_CONVERSATION: Sql = Sql::both(
    "INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address, created_at, \
            active_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
);

const ADD_LANE: Sql =
    Sql::both("INSERT INTO lanes (workspace_id, conversation_id) VALUES (?1, ?2)");

const ADD_ARRIVAL: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, 'message', 'pending', ?6, ?7, ?8) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING RETURNING 1",
);

const ADD_UNREADABLE: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, kind, status, payload, \
            reason, sent_at, received_at) \
     VALUES (?1, ?2, ?3, ?4, 'unreadable', 'quarantined', ?5, ?6, ?7, ?7) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING",
);

// A held lane keeps its lease's end; its holder finds the arrival before it gives the lane up.
const LANE_DUE_AT_ONCE: Sql = Sql::both(
    "UPDATE lanes SET events_due_at = ?3, \
            wake_at = CASE WHEN holder IS NOT NULL THEN wake_at \
                 WHEN wake_at IS NULL OR wake_at > ?3 THEN ?3 ELSE wake_at END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

// Quiet since the last message, but no later than the cap after the first. Waking too early is
// harmless: the lane is then found not ready and given up until it is.
const LANE_DUE_WHEN_QUIET: Sql = Sql::both(
    "UPDATE lanes SET burst_since = coalesce(burst_since, ?3), \
            events_due_at = CASE WHEN coalesce(burst_since, ?3) + ?5 < ?4 \
                 THEN coalesce(burst_since, ?3) + ?5 ELSE ?4 END, \
            wake_at = CASE WHEN holder IS NOT NULL THEN wake_at \
                 WHEN wake_at IS NULL OR wake_at > ?4 THEN ?4 ELSE wake_at END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

const REPORT: Sql = Sql::both(
    "UPDATE outbox SET status = ?3, rank = ?4, error = coalesce(?5, error), updated_at = ?6 \
     WHERE workspace_id = ?1 AND id = ?2 AND rank < ?4 AND status NOT IN ('failed', 'withheld')",
);

const KNOWN_OUTBOUND: Sql = Sql::both("SELECT 1 FROM outbox WHERE workspace_id = ?1 AND id = ?2");

const PRUNE: Sql = Sql::both(
    "DELETE FROM webhook_inbox WHERE workspace_id = ?1 AND status = 'done' AND received_at < ?2 \
     RETURNING 1",
);

#[async_trait]
impl<D: Driver> Inbox for SqlStore<D> {
    async fn accept(
        &self,
        channel: &Channel,
        arrivals: Vec<Arrival>,
        now: Timestamp,
    ) -> StoreResult<Vec<Accepted>> {
        let channel = channel.clone();
        let accepted = self
            .driver
            .write(
                Point::InboxAccept,
                work!(|tx, channel, arrivals| accept(tx, &channel, &arrivals, now).await),
            )
            .await?;
        if accepted.iter().any(|accepted| !accepted.duplicate) {
            self.driver.wake_lanes();
        }
        Ok(accepted)
    }

    async fn keep_unreadable(
        &self,
        channel: &Channel,
        items: Vec<Unreadable>,
        now: Timestamp,
    ) -> StoreResult<()> {
        let channel = channel.clone();
        self.driver
            .write(
                Point::InboxUnreadable,
                work!(|tx, channel, items| {
                    tx.scope(channel.workspace);
                    for item in items.iter() {
                        tx.write(statement!(
                            ADD_UNREADABLE,
                            channel.workspace,
                            item.event,
                            &channel.id,
                            &item.external_id,
                            &item.raw,
                            &item.reason,
                            now
                        ));
                    }
                    Ok(())
                }),
            )
            .await
    }

    async fn report(
        &self,
        workspace: WorkspaceId,
        reports: Vec<DeliveryReport>,
        now: Timestamp,
    ) -> StoreResult<usize> {
        self.driver
            .write(
                Point::InboxReport,
                work!(|tx, reports| report(tx, workspace, &reports, now).await),
            )
            .await
            .inspect(|_| self.driver.announce_live(workspace))
    }

    async fn prune(&self, workspace: WorkspaceId, before: Timestamp) -> StoreResult<u64> {
        self.driver
            .write(
                Point::InboxPrune,
                work!(|tx| {
                    tx.scope(workspace);
                    Ok(tx.query(statement!(PRUNE, workspace, before)).await?.len() as u64)
                }),
            )
            .await
    }
}

async fn accept<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    arrivals: &[Arrival],
    now: Timestamp,
) -> StoreResult<Vec<Accepted>> {
    tx.scope(channel.workspace);
    let conversations = conversations(tx, channel, arrivals, now).await?;
    let insert = |arrival: &Arrival| {
        let conversation = conversations[arrival.item.from.external_id.reveal().as_str()];
        let payload = Param::json(&arrival.item.content);
        let sent_at = arrival.item.sent_at.unwrap_or(now);
        statement!(
            ADD_ARRIVAL,
            channel.workspace,
            arrival.event,
            &channel.id,
            &arrival.item.external_id,
            conversation,
            payload,
            sent_at,
            now
        )
    };
    let answers = tx.query_all(arrivals.iter().map(insert).collect()).await?;
    let accepted: Vec<_> = arrivals
        .iter()
        .zip(answers)
        .map(|(arrival, rows)| Accepted {
            conversation: conversations[arrival.item.from.external_id.reveal().as_str()],
            duplicate: rows.is_empty(),
        })
        .collect();
    // In one order for every node, so that two deliveries never wait for each other.
    let mut fresh: Vec<_> =
        accepted.iter().filter(|one| !one.duplicate).map(|one| one.conversation).collect();
    fresh.sort_unstable();
    fresh.dedup();
    for conversation in fresh {
        make_due(tx, channel.workspace, conversation, channel.burst, now);
    }
    Ok(accepted)
}

pub(super) fn make_due<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    burst: Burst,
    now: Timestamp,
) {
    tx.write(if burst.quiet_ms == 0 {
        statement!(LANE_DUE_AT_ONCE, workspace, conversation, now)
    } else {
        let quiet_at = now.plus_ms(burst.quiet_ms.min(burst.cap_ms));
        statement!(LANE_DUE_WHEN_QUIET, workspace, conversation, now, quiet_at, burst.cap_ms)
    });
}

/// The conversation of each sender, made where there is none.
async fn conversations<'a, T: Tx>(
    tx: &mut T,
    channel: &Channel,
    arrivals: &'a [Arrival],
    now: Timestamp,
) -> StoreResult<BTreeMap<&'a str, ConversationId>> {
    let workspace = channel.workspace;
    let senders: BTreeMap<&str, &Arrival> = arrivals
        .iter()
        .map(|arrival| (arrival.item.from.external_id.reveal().as_str(), arrival))
        .collect();
    let find = |sender: &&str| statement!(FIND_IDENTITY, workspace, &channel.id, *sender);
    let answers = tx.query_all(senders.keys().map(find).collect()).await?;
    let mut known = BTreeMap::new();
    for ((sender, arrival), rows) in senders.into_iter().zip(answers) {
        let conversation = match rows.first() {
            Some(row) => row.uuid(0)?,
            None => {
                let ours = (arrival.contact, arrival.conversation);
                add_sender(tx, channel, &arrival.item.from, ours, now).await?
            }
        };
        known.insert(sender, conversation);
    }
    Ok(known)
}

/// The conversation with one customer, made under these ids if there is none.
pub(super) async fn conversation_with<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    who: &Identity,
    ours: (ContactId, ConversationId),
    now: Timestamp,
) -> StoreResult<ConversationId> {
    let find = statement!(FIND_IDENTITY, channel.workspace, &channel.id, &who.external_id);
    match tx.query(find).await?.first() {
        Some(row) => row.uuid(0),
        None => add_sender(tx, channel, who, ours, now).await,
    }
}

async fn add_sender<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    from: &Identity,
    (contact, ours): (ContactId, ConversationId),
    now: Timestamp,
) -> StoreResult<ConversationId> {
    let workspace = channel.workspace;
    let rows = tx
        .query(statement!(ADD_IDENTITY, workspace, &channel.id, &from.external_id, contact, ours))
        .await?;
    let conversation = rows.first().map_or(Ok(ours), |row| row.uuid(0))?;
    if conversation == ours {
        let (name, phone) = (from.name.as_ref(), from.phone.as_ref());
        tx.write(statement!(ADD_CONTACT, workspace, contact, name, phone, now));
        let address = &from.external_id;
        tx.write(statement!(ADD_CONVERSATION, workspace, ours, &channel.id, contact, address, now));
        tx.write(statement!(ADD_LANE, workspace, ours));
    }
    Ok(conversation)
}

async fn report<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    reports: &[DeliveryReport],
    now: Timestamp,
) -> StoreResult<usize> {
    tx.scope(workspace);
    for report in reports {
        let (status, rank) = (report.status.as_str(), report.status.rank());
        let error = report.error.as_ref();
        tx.write(statement!(REPORT, workspace, report.reference, status, rank, error, now));
        live::tell_delivery(tx, workspace, report.reference, status, now);
    }
    let known = |report: &DeliveryReport| statement!(KNOWN_OUTBOUND, workspace, report.reference);
    let answers = tx.query_all(reports.iter().map(known).collect()).await?;
    Ok(answers.iter().filter(|rows| !rows.is_empty()).count())
}
