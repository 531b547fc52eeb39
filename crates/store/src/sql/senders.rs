//! Who writes: the conversation of each sender, found by either of its names or made.

use std::collections::BTreeMap;

use domain::{Channel, ContactId, ConversationId, Identity, Pii, Timestamp};

use super::{Row, Sql, Tx};
use crate::{Arrival, StoreResult, statement};

const FIND_IDENTITY: Sql = Sql::both(
    "SELECT conversation_id, contact_id FROM contact_identities \
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

// The same customer by another name. A name that already stands for somebody keeps doing so: two
// conversations that were held apart are not made one behind anybody's back.
const ADD_NAME: Sql = Sql::both(
    "INSERT INTO contact_identities \
            (workspace_id, channel_id, external_id, contact_id, conversation_id) \
     VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING",
);

pub(super) async fn conversations<'a, T: Tx>(
    tx: &mut T,
    channel: &Channel,
    arrivals: &'a [Arrival],
    now: Timestamp,
) -> StoreResult<BTreeMap<&'a str, ConversationId>> {
    // Of several messages of one sender, one that knows the other name speaks for all.
    let mut senders: BTreeMap<&str, &Arrival> = BTreeMap::new();
    for arrival in arrivals {
        let known = senders.entry(arrival.item.from.external_id.reveal()).or_insert(arrival);
        if known.item.from.alias.is_none() {
            *known = arrival;
        }
    }
    let find = |name: &Pii| statement!(FIND_IDENTITY, channel.workspace, &channel.id, name);
    let all = senders.values().flat_map(|arrival| names(&arrival.item.from));
    let mut answers = tx.query_all(all.map(find).collect()).await?.into_iter();
    let mut known = BTreeMap::new();
    for (sender, arrival) in senders {
        let from = &arrival.item.from;
        let found: Vec<_> = answers.by_ref().take(names(from).count()).collect();
        let ours = (arrival.contact, arrival.conversation);
        let conversation = found_or_made(tx, channel, from, &found, ours, now).await?;
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
    let find = |name: &Pii| statement!(FIND_IDENTITY, channel.workspace, &channel.id, name);
    let found = tx.query_all(names(who).map(find).collect()).await?;
    found_or_made(tx, channel, who, &found, ours, now).await
}

/// What was found under the customer's names decides; the first name before the second.
async fn found_or_made<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    who: &Identity,
    found: &[Vec<Row>],
    ours: (ContactId, ConversationId),
    now: Timestamp,
) -> StoreResult<ConversationId> {
    let Some(row) = found.iter().flatten().next() else {
        return add_sender(tx, channel, who, ours, now).await;
    };
    if found.iter().any(Vec::is_empty) {
        link(tx, channel, who, row)?;
    }
    row.uuid(0)
}

fn names(from: &Identity) -> impl Iterator<Item = &Pii> {
    std::iter::once(&from.external_id).chain(&from.alias)
}

/// Makes a customer who is known by one name known by both.
fn link<T: Tx>(tx: &mut T, channel: &Channel, from: &Identity, known: &Row) -> StoreResult<()> {
    let (conversation, contact): (ConversationId, ContactId) = (known.uuid(0)?, known.uuid(1)?);
    for name in names(from) {
        let workspace = channel.workspace;
        tx.write(statement!(ADD_NAME, workspace, &channel.id, name, contact, conversation));
    }
    Ok(())
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
        let address = from.address();
        tx.write(statement!(ADD_CONVERSATION, workspace, ours, &channel.id, contact, address, now));
        tx.write(statement!(ADD_LANE, workspace, ours));
        if let Some(alias) = &from.alias {
            tx.write(statement!(ADD_NAME, workspace, &channel.id, alias, contact, ours));
        }
    }
    Ok(conversation)
}
