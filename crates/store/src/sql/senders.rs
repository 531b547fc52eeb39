//! Senders: the conversation of each, found by either of their names or created.
//!
//! A sender has a name of their own on the channel and perhaps a number beside it, and a number may
//! change hands. A number identifies its sender only while its holder has no other name of their
//! own; otherwise the writer is somebody new, and the number passes to them, away from all that was
//! said before.

use std::collections::BTreeMap;

use domain::{Channel, ContactId, ConversationId, Identity, Pii, Timestamp};
use serde_json::json;

use super::ownership::LOCK_ANY;
use super::setup::audit;
use super::terms::{self, ContactTerms};
use super::{Param, Row, Sql, Statement, Tx};
use crate::{Arrival, Renamed, StoreResult, statement};

macro_rules! find {
    ($($rest:literal)*) => {
        concat!(
            "SELECT conversation_id, contact_id, beside, since FROM contact_identities \
             WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3",
            $($rest),*
        )
    };
}

const FIND: Sql = Sql::each(find!());

const LOCK: Sql = Sql { sqlite: find!(), postgres: find!(" FOR UPDATE"), each: false };

// Two nodes may meet a new sender at once; the second one gets the first one's conversation.
const ADD_IDENTITY: Sql = Sql::both(
    "INSERT INTO contact_identities \
            (workspace_id, channel_id, external_id, contact_id, conversation_id) \
     VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO UPDATE \
            SET external_id = excluded.external_id \
     RETURNING conversation_id",
);

// An unheld number is taken; of a held number the row is locked and returned.
const CLAIM: Sql = Sql::both(
    "INSERT INTO contact_identities \
            (workspace_id, channel_id, external_id, contact_id, conversation_id, beside, since) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO UPDATE \
            SET external_id = excluded.external_id \
     RETURNING conversation_id, contact_id, beside, since",
);

const PUT: Sql = Sql::both(
    "UPDATE contact_identities SET contact_id = ?4, conversation_id = ?5, beside = ?6, since = ?7 \
     WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3",
);

const PART: Sql = Sql::both(
    "UPDATE contact_identities SET beside = NULL, since = ?5 \
     WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3 AND beside = ?4",
);

const DROP: Sql = Sql::both(
    "DELETE FROM contact_identities \
     WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3 AND conversation_id = ?4",
);

const ADDRESS: Sql =
    Sql::both("UPDATE conversations SET address = ?3 WHERE workspace_id = ?1 AND id = ?2");

// The phone is replaced only if it is the number known before: a number that a person or an agent
// wrote down is theirs to change.
const PHONE: Sql = Sql::both(
    "UPDATE contacts SET phone = ?3 \
     WHERE workspace_id = ?1 AND id = ?2 AND (phone IS NULL OR phone = ?4)",
);

const ADD_CONTACT: Sql = Sql::both(
    "INSERT INTO contacts (workspace_id, id, name, phone, created_at, conversation_id, terms) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);

const ADD_CONVERSATION: Sql = Sql::both(
    "INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address, created_at, \
            active_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
);

const ADD_LANE: Sql =
    Sql::both("INSERT INTO lanes (workspace_id, conversation_id) VALUES (?1, ?2)");

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[FIND];

pub(super) const STATEMENTS: &[Sql] = &[
    FIND,
    LOCK,
    PUT,
    PART,
    DROP,
    ADDRESS,
    PHONE,
    ADD_IDENTITY,
    CLAIM,
    ADD_CONTACT,
    ADD_CONVERSATION,
    ADD_LANE,
];

/// A name of a sender that is on record.
struct KnownName {
    conversation: ConversationId,
    contact: ContactId,
    /// The name it belongs together with: the number's holder, or the holder's number.
    beside: Option<Pii>,
    /// When the message was written that last confirmed `beside`; a message written earlier proves
    /// nothing.
    since: Timestamp,
}

/// Somebody who writes, or is written to.
pub(super) struct Meeting<'m> {
    pub(super) channel: &'m Channel,
    pub(super) who: &'m Identity,
    /// The contact and the conversation they get if they are new.
    pub(super) contact: ContactId,
    pub(super) conversation: ConversationId,
    /// When the message was written.
    pub(super) at: Timestamp,
    pub(super) now: Timestamp,
}

impl<'m> Meeting<'m> {
    fn of(channel: &'m Channel, arrival: &'m Arrival, now: Timestamp) -> Self {
        let Arrival { item, contact, conversation, .. } = arrival;
        let at = item.sent_at.unwrap_or(now).min(now);
        Self { channel, who: &item.from, contact: *contact, conversation: *conversation, at, now }
    }

    fn names(&self) -> impl Iterator<Item = &'m Pii> {
        std::iter::once(&self.who.external_id).chain(&self.who.alias)
    }

    fn find(&self) -> Vec<Statement> {
        self.names().map(|name| find(FIND, self.channel, name)).collect()
    }
}

fn find(sql: Sql, channel: &Channel, name: &Pii) -> Statement {
    statement!(sql, channel.workspace, &channel.id, name)
}

pub(super) async fn conversations<'a, T: Tx>(
    tx: &mut T,
    channel: &'a Channel,
    arrivals: &'a [Arrival],
    now: Timestamp,
) -> StoreResult<BTreeMap<&'a str, ConversationId>> {
    let meetings = meetings(channel, arrivals, now);
    let find = meetings.iter().flat_map(Meeting::find).collect();
    let mut answers = tx.query_all(find).await?.into_iter();
    let mut known = BTreeMap::new();
    for meeting in meetings {
        let found: Vec<_> = answers.by_ref().take(meeting.names().count()).collect();
        let conversation = found_or_made(tx, &meeting, &found).await?;
        known.insert(meeting.who.external_id.reveal().as_str(), conversation);
    }
    Ok(known)
}

/// A meeting for each sender. Of several messages the newest with a number speaks for all. Senders
/// with a number come before those known by nothing else, and in the order they wrote.
fn meetings<'a>(channel: &'a Channel, arrivals: &'a [Arrival], now: Timestamp) -> Vec<Meeting<'a>> {
    let mut senders: BTreeMap<&str, Meeting<'a>> = BTreeMap::new();
    let weight = |meeting: &Meeting<'_>| (meeting.who.alias.is_some(), meeting.at);
    for arrival in arrivals {
        let meeting = Meeting::of(channel, arrival, now);
        let name = arrival.item.from.external_id.reveal().as_str();
        let older = senders.get(name).is_none_or(|known| weight(known) < weight(&meeting));
        if older {
            senders.insert(name, meeting);
        }
    }
    let mut meetings: Vec<_> = senders.into_values().collect();
    meetings.sort_by_key(|meeting| (meeting.who.alias.is_none(), meeting.at));
    meetings
}

/// The conversation with one customer, created if there is none.
pub(super) async fn conversation_with<T: Tx>(
    tx: &mut T,
    meeting: &Meeting<'_>,
) -> StoreResult<ConversationId> {
    let found = tx.query_all(meeting.find()).await?;
    found_or_made(tx, meeting, &found).await
}

/// The conversation found under the customer's names decides; their own name before the number.
async fn found_or_made<T: Tx>(
    tx: &mut T,
    meeting: &Meeting<'_>,
    found: &[Vec<Row>],
) -> StoreResult<ConversationId> {
    let named = |place: usize| found.get(place).and_then(|rows| rows.first()).map(known);
    let (own, number) = (named(0).transpose()?, named(1).transpose()?);
    match (own, &meeting.who.alias) {
        (Some(own), None) => Ok(own.conversation),
        (Some(own), Some(alias)) => {
            let is_theirs = own.beside.as_ref() == Some(alias)
                && number.is_some_and(|number| number.conversation == own.conversation);
            if !is_theirs
                && let Some(own) = lock(tx, meeting.channel, &meeting.who.external_id).await?
            {
                pair(tx, meeting, alias, own).await?;
            }
            Ok(own.conversation)
        }
        (None, Some(alias)) if number.is_some() => {
            let holder = lock(tx, meeting.channel, alias).await?;
            match holder.filter(|holder| holder.beside.is_none()) {
                Some(holder) => name(tx, meeting, alias, holder).await,
                None => add_sender(tx, meeting).await,
            }
        }
        (None, _) => add_sender(tx, meeting).await,
    }
}

async fn lock<T: Tx>(tx: &mut T, channel: &Channel, name: &Pii) -> StoreResult<Option<KnownName>> {
    tx.query(find(LOCK, channel, name)).await?.first().map(known).transpose()
}

fn known(row: &Row) -> StoreResult<KnownName> {
    Ok(KnownName {
        conversation: row.uuid(0)?,
        contact: row.uuid(1)?,
        beside: row.opt_pii(2)?,
        since: row.time(3)?,
    })
}

/// Gives a customer who was known by their number alone the name that is their own.
async fn name<T: Tx>(
    tx: &mut T,
    meeting: &Meeting<'_>,
    alias: &Pii,
    holder: KnownName,
) -> StoreResult<ConversationId> {
    let (contact, conversation) = (holder.contact, holder.conversation);
    let named = add_identity(tx, meeting, contact, conversation).await?;
    if named == conversation {
        pair(tx, meeting, alias, KnownName { beside: None, ..holder }).await?;
    }
    Ok(named)
}

async fn add_sender<T: Tx>(tx: &mut T, meeting: &Meeting<'_>) -> StoreResult<ConversationId> {
    let Meeting { channel, who, contact, conversation, now, .. } = *meeting;
    let workspace = channel.workspace;
    let found = add_identity(tx, meeting, contact, conversation).await?;
    if found != conversation {
        return Ok(found);
    }
    // The contact gets the phone once the number is known to be theirs.
    let phone = who.phone.as_ref().filter(|_| who.alias.is_none());
    let address = &who.external_id;
    let name = who.name.as_ref();
    let found_by = ContactTerms::of(name, phone, address);
    let text = found_by.text();
    tx.write(statement!(ADD_CONTACT, workspace, contact, name, phone, now, conversation, text));
    terms::add(tx, workspace, conversation, &found_by);
    tx.write(statement!(
        ADD_CONVERSATION,
        workspace,
        conversation,
        &channel.id,
        contact,
        address,
        now
    ));
    tx.write(statement!(ADD_LANE, workspace, conversation));
    if let Some(alias) = &who.alias {
        let since = Timestamp::from_millis(0);
        pair(tx, meeting, alias, KnownName { conversation, contact, beside: None, since }).await?;
    }
    Ok(conversation)
}

/// Adds the sender's own name and returns its conversation, which is another one if the name was
/// known already.
async fn add_identity<T: Tx>(
    tx: &mut T,
    Meeting { channel, who, .. }: &Meeting<'_>,
    contact: ContactId,
    conversation: ConversationId,
) -> StoreResult<ConversationId> {
    let (workspace, name) = (channel.workspace, &who.external_id);
    let add = statement!(ADD_IDENTITY, workspace, &channel.id, name, contact, conversation);
    tx.query(add).await?.first().map_or(Ok(conversation), |row| row.uuid(0))
}

/// Gives the number to the sender, whoever held it, and frees the number they had before. A message
/// written before the known pairing changes nothing, because late copies must not move a number
/// back.
async fn pair<T: Tx>(
    tx: &mut T,
    meeting: &Meeting<'_>,
    number: &Pii,
    own: KnownName,
) -> StoreResult<()> {
    let Meeting { channel, who, at, .. } = *meeting;
    if own.since > at {
        return Ok(());
    }
    let (workspace, id, name) = (channel.workspace, &channel.id, &who.external_id);
    let KnownName { conversation, contact, .. } = own;
    let claim = statement!(CLAIM, workspace, id, number, contact, conversation, name, at);
    let holder = tx.query(claim).await?.first().map(known).transpose()?;
    let other = holder.filter(|holder| holder.conversation != conversation);
    if other.as_ref().is_some_and(|holder| holder.since > at) {
        return Ok(());
    }
    lock_lanes(tx, meeting, [Some(conversation), other.as_ref().map(|other| other.conversation)]);
    if let Some(holder) = other {
        take_from(tx, meeting, number, &holder, conversation);
        terms::refresh(tx, workspace, holder.contact).await?;
    }
    tx.write(statement!(PUT, workspace, id, number, contact, conversation, name, at));
    tx.write(statement!(PUT, workspace, id, name, contact, conversation, number, at));
    let before = own.beside.filter(|before| before != number);
    if let Some(before) = &before {
        tx.write(statement!(DROP, workspace, id, before, conversation));
    }
    tx.write(statement!(ADDRESS, workspace, conversation, number));
    if let Some(phone) = &who.phone {
        tx.write(statement!(PHONE, workspace, contact, phone, before.as_ref()));
    }
    terms::refresh(tx, workspace, contact).await
}

/// Takes the number from its holder, who keeps everything else. Messages still queued for the
/// holder go to their own name, or nowhere if they have none.
fn take_from<T: Tx>(
    tx: &mut T,
    meeting: &Meeting<'_>,
    number: &Pii,
    holder: &KnownName,
    to: ConversationId,
) {
    let Meeting { channel, at, now, .. } = *meeting;
    let workspace = channel.workspace;
    if let Some(own) = &holder.beside {
        tx.write(statement!(PART, workspace, &channel.id, own, number, at));
    }
    let nowhere = Pii::from("");
    let address = holder.beside.as_ref().unwrap_or(&nowhere);
    tx.write(statement!(ADDRESS, workspace, holder.conversation, address));
    tx.write(statement!(PHONE, workspace, holder.contact, None::<&Pii>, number));
    let detail = json!({ "to": to });
    audit(tx, workspace, "engine", "number.lost", holder.conversation, detail, now);
}

/// Locks the lanes before their conversations, as every commit of a turn does, and in one order.
fn lock_lanes<T: Tx>(
    tx: &mut T,
    meeting: &Meeting<'_>,
    conversations: [Option<ConversationId>; 2],
) {
    let mut conversations: Vec<_> = conversations.into_iter().flatten().collect();
    conversations.sort_unstable();
    for conversation in conversations {
        tx.write(statement!(LOCK_ANY, meeting.channel.workspace, conversation));
    }
}

/// Gives a customer the names that they go by from now on. Returns false if nobody is known by the
/// old names, or somebody else is by the new ones. The old name of their own still leads to them,
/// for late copies; the old number is freed.
pub(super) async fn rename<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    Renamed { from, to, at }: &Renamed,
    now: Timestamp,
) -> StoreResult<bool> {
    tx.scope(channel.workspace);
    let at = (*at).min(now);
    let before = named_before(tx, channel, from).await?;
    let Some((known, own, number)) = before.filter(|(known, ..)| known.since <= at) else {
        return Ok(false);
    };
    let (workspace, id) = (channel.workspace, &channel.id);
    let KnownName { contact, conversation, since, .. } = known;
    let meeting = Meeting { channel, who: to, contact, conversation, at, now };
    if add_identity(tx, &meeting, contact, conversation).await? != conversation {
        return Ok(false);
    }
    lock_lanes(tx, &meeting, [Some(conversation), None]);
    if let Some(own) = own.filter(|own| *own != to.external_id) {
        tx.write(statement!(PUT, workspace, id, &own, contact, conversation, Param::Null, at));
    }
    if let Some(number) = number.as_ref().filter(|number| **number != to.external_id) {
        tx.write(statement!(DROP, workspace, id, number, conversation));
    }
    let phone = to.phone.as_ref().filter(|_| to.alias.is_none());
    tx.write(statement!(ADDRESS, workspace, conversation, &to.external_id));
    tx.write(statement!(PHONE, workspace, contact, phone, number.as_ref()));
    terms::refresh(tx, workspace, contact).await?;
    if let Some(alias) = &to.alias {
        pair(tx, &meeting, alias, KnownName { conversation, contact, beside: None, since }).await?;
    }
    audit(tx, workspace, "engine", "contact.renamed", conversation, json!({}), now);
    Ok(true)
}

/// Finds the customer who goes by one of these names, with the name that is their own and their
/// number.
async fn named_before<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    from: &Identity,
) -> StoreResult<Option<(KnownName, Option<Pii>, Option<Pii>)>> {
    let name = &from.external_id;
    if let Some(known) = lock(tx, channel, name).await? {
        let beside = known.beside.clone();
        let is_number = from.phone.as_ref() == Some(name);
        let name = Some(name.clone());
        let (own, number) = if is_number { (beside, name) } else { (name, beside) };
        return Ok(Some((known, own, number)));
    }
    let Some(alias) = &from.alias else { return Ok(None) };
    // A number whose holder has a name of their own is not this customer's.
    let holder = lock(tx, channel, alias).await?.filter(|holder| holder.beside.is_none());
    Ok(holder.map(|holder| (holder, None, Some(alias.clone()))))
}
