//! Intake: what a channel has understood becomes durable, and only then is acknowledged.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use channels::{BadItem, Echo, Parsed, Renaming};
use domain::{
    ChannelId, Clock, ContactId, ConversationId, DeliveryReport, EventId, IdSource, Inbound,
    SessionId, Timestamp,
};
use metrics::counter;
use serde::{Serialize, Serializer};
use serde_json::Value;
use store::{
    Accepted, Arrival, Claim, Conversations, Deleted, Echoed, Inbox, PhoneEcho, Renamed,
    StoreError, StoreResult, Unreadable, when_clear,
};
use thiserror::Error;
use uuid::Uuid;

use crate::pieces::{self, Pieces};
use crate::scheduler::Scheduler;
use crate::{Connected, Outlet};

/// For how long after a message that could not be stored the next is not asked for.
const REFUSING_MS: i64 = 10_000;

#[derive(Debug, Error)]
pub enum IntakeError {
    #[error("there is no channel `{0}`")]
    NoSuchChannel(ChannelId),
    /// Nothing was taken: the sender keeps it and sends it again.
    #[error("not now: {0}")]
    NotNow(StoreError),
}

/// The result of taking a delivery in, as its provider is told too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Taken {
    #[serde(rename = "accepted")]
    pub new: usize,
    pub duplicates: usize,
    /// Of the new ones, those that are too old to be answered unseen.
    pub set_aside: usize,
    /// Arrivals that nobody said, and that are now on record.
    pub noted: usize,
    pub reports: usize,
    /// Messages from the business's own phone.
    #[serde(serialize_with = "number_of")]
    pub echoes: Vec<Echoed>,
    pub deleted: usize,
    pub unreadable: usize,
    pub ignored: usize,
}

fn number_of<S: Serializer>(echoes: &[Echoed], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(echoes.len() as u64)
}

/// Takes in what channels have understood.
pub struct Intake {
    pub(crate) inbox: Arc<dyn Inbox + Send + Sync>,
    /// Where the words of people are kept who answer from the business's own phone.
    pub(crate) conversations: Arc<dyn Conversations + Send + Sync>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) connected: Arc<Connected>,
    /// Works the lanes of what is taken in, if there is room.
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) pieces: Pieces,
    /// When the last message could not be stored, in milliseconds; 0 if it could.
    pub(crate) refused_at: AtomicI64,
}

impl Intake {
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn outlet(&self, channel: &ChannelId) -> Result<&Outlet, IntakeError> {
        let unknown = || IntakeError::NoSuchChannel(channel.clone());
        self.connected.outlet(channel).ok_or_else(unknown)
    }

    /// Whether the last message could not be stored, and that was just now: the database may be read and
    /// yet not written, as on a full disk. After a while another one is worth trying.
    pub fn refuses_messages(&self) -> bool {
        let refused = self.refused_at.load(Ordering::Relaxed);
        refused != 0 && self.now().millis() - refused < REFUSING_MS
    }

    /// Returns only after all of the delivery is durable. Should a part fail, the provider sends all of it
    /// again, and what was stored before is known by then.
    pub async fn ingest(
        self: &Arc<Self>,
        channel: &ChannelId,
        delivery: impl Into<Parsed>,
    ) -> Result<Taken, IntakeError> {
        let outlet = self.outlet(channel)?;
        self.ingest_from(outlet, delivery.into()).await.map_err(IntakeError::NotNow)
    }

    async fn ingest_from(self: &Arc<Self>, outlet: &Outlet, parsed: Parsed) -> StoreResult<Taken> {
        let Parsed { messages, reports, echoes, renamed, deleted, bad, ignored } = parsed;
        let (unreadable, deletions) = (bad.len(), deleted.len());
        let mut taken = Taken { unreadable, deleted: deletions, ignored, ..Taken::default() };
        if !bad.is_empty() {
            self.keep_unreadable(outlet, bad).await?;
        }
        let (messages, notes): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|item| item.content.is_said());
        if !notes.is_empty() {
            self.note(outlet, notes, &mut taken).await?;
        }
        if !messages.is_empty() {
            self.take_messages(outlet, messages, &mut taken).await?;
        }
        taken.reports = self.report(outlet, reports).await?;
        counter!("recado_delivery_reports_total").increment(taken.reports as u64);
        // After the messages: the one that tells of a new name is still under the old name.
        for Renaming { from, to, at } in renamed {
            let now = self.now();
            let renamed = Renamed { from, to, at: at.unwrap_or(now) };
            self.inbox.rename(&outlet.channel, renamed, now).await?;
        }
        for echo in echoes {
            taken.echoes.push(self.hear_phone(outlet, echo).await?);
        }
        // After the messages: one may be deleted in the delivery that brings it.
        if !deleted.is_empty() {
            self.forget(outlet, deleted).await?;
        }
        Ok(taken)
    }

    async fn take_messages(
        self: &Arc<Self>,
        outlet: &Outlet,
        messages: Vec<Inbound>,
        taken: &mut Taken,
    ) -> StoreResult<()> {
        let accepted = self.accept(outlet, messages).await;
        let is_away = matches!(accepted, Err(StoreError::Unavailable(_)));
        let refused = if is_away { self.now().millis() } else { 0 };
        self.refused_at.store(refused, Ordering::Relaxed);
        let accepted = accepted?;
        let duplicates = accepted.iter().filter(|one| one.duplicate).count();
        taken.duplicates += duplicates;
        taken.set_aside = accepted.iter().filter(|one| one.set_aside).count();
        taken.new = accepted.len() - duplicates;
        counter!("recado_inbox_too_old_total").increment(taken.set_aside as u64);
        counter!("recado_inbox_accepted_total").increment(taken.new as u64);
        counter!("recado_inbox_duplicates_total").increment(duplicates as u64);
        Ok(())
    }

    /// Writes down what became of messages; how many were known.
    async fn report(&self, outlet: &Outlet, reports: Vec<DeliveryReport>) -> StoreResult<usize> {
        let (workspace, is_long) = (outlet.channel.workspace, reports.len() > 1);
        let mut known = 0;
        for piece in pieces::cut(reports, |report| report.error.as_ref().map_or(0, String::len)) {
            let _turn = self.pieces.turn(workspace, is_long).await;
            known += self.inbox.report(workspace, piece, self.now()).await?;
        }
        Ok(known)
    }

    /// Stores arrivals. Should a later piece fail, all is sent again, and the first are known by then.
    /// Messages get their ids with their piece and not before: of two copies of a delivery that come at
    /// once each may store some pieces, and the ids are in the order of the messages all the same.
    async fn accept(
        self: &Arc<Self>,
        outlet: &Outlet,
        messages: Vec<Inbound>,
    ) -> StoreResult<Vec<Accepted>> {
        let (workspace, is_long) = (outlet.channel.workspace, messages.len() > 1);
        let mut accepted = Vec::with_capacity(messages.len());
        for piece in pieces::cut(messages, |item| pieces::length(&item.content)) {
            let _turn = self.pieces.turn(workspace, is_long).await;
            let arrivals = piece.into_iter().map(|item| self.arrival(item)).collect();
            accepted.extend(self.accept_piece(outlet, arrivals).await?);
        }
        Ok(accepted)
    }

    /// Stores arrivals in one commit and, if there is room, begins to work on their lanes with it. In a
    /// task of its own: whoever brought them may hang up meanwhile, and a lane that was taken for
    /// nobody would stand still until its lease ends.
    async fn accept_piece(
        self: &Arc<Self>,
        outlet: &Outlet,
        arrivals: Vec<Arrival>,
    ) -> StoreResult<Vec<Accepted>> {
        let (intake, channel) = (Arc::clone(self), outlet.channel.clone());
        let accepting = tokio::spawn(async move {
            let (scheduler, now) = (&intake.scheduler, intake.now());
            let places = scheduler.places_beforehand(channel.workspace, arrivals.len());
            let claim = places.as_ref().map(|places| Claim {
                node: scheduler.leases.node,
                until: scheduler.leases.until(now),
                max: places.len(),
            });
            let stored = intake.inbox.accept(&channel, arrivals, claim, now).await?;
            scheduler.work_lanes(stored.claimed.into_iter().zip(places.unwrap_or_default()));
            Ok(stored.accepted)
        });
        let ended = |error| Err(StoreError::Unavailable(format!("intake ended: {error}")));
        accepting.await.unwrap_or_else(ended)
    }

    /// Puts on record what nobody said: it is no turn, and no agent hears of it.
    async fn note(
        &self,
        outlet: &Outlet,
        notes: Vec<Inbound>,
        taken: &mut Taken,
    ) -> StoreResult<()> {
        let (workspace, is_long) = (outlet.channel.workspace, notes.len() > 1);
        for piece in pieces::cut(notes, |item| pieces::length(&item.content)) {
            let _turn = self.pieces.turn(workspace, is_long).await;
            let now = self.now();
            let place = self.connected.new_session(SessionId(self.ids.next()), outlet, now);
            let notes = piece.into_iter().map(|item| self.arrival(item)).collect();
            let noted = self.inbox.note(&outlet.channel, notes, place, now).await?;
            let duplicates = noted.iter().filter(|one| one.duplicate).count();
            taken.noted += noted.len() - duplicates;
            taken.duplicates += duplicates;
            counter!("recado_inbox_noted_total").increment((noted.len() - duplicates) as u64);
            counter!("recado_inbox_duplicates_total").increment(duplicates as u64);
        }
        Ok(())
    }

    /// Keeps items that could not be read where a person finds them.
    async fn keep_unreadable(&self, outlet: &Outlet, items: Vec<BadItem>) -> StoreResult<()> {
        counter!("recado_inbox_unreadable_total").increment(items.len() as u64);
        let (workspace, is_long) = (outlet.channel.workspace, items.len() > 1);
        let unreadable = |BadItem { raw, reason }| Unreadable {
            external_id: format!("unreadable/{}", fingerprint(&raw)),
            event: EventId(self.ids.next()),
            raw,
            reason,
        };
        for piece in pieces::cut(items, |item| pieces::length(&item.raw)) {
            let _turn = self.pieces.turn(workspace, is_long).await;
            let unreadable = piece.into_iter().map(unreadable).collect();
            self.inbox.keep_unreadable(&outlet.channel, unreadable, self.now()).await?;
        }
        Ok(())
    }

    /// Notes a message that the business wrote from its own phone as a person's words. From then on
    /// the conversation is a person's, unless the message is old. Nothing is sent.
    async fn hear_phone(&self, outlet: &Outlet, echo: Echo) -> StoreResult<Echoed> {
        let session = self.connected.new_session(SessionId(self.ids.next()), outlet, self.now());
        let Echo { external_id, to, text, sent_at } = echo;
        let echo = PhoneEcho {
            external_id,
            to,
            text,
            sent_at: sent_at.unwrap_or_else(|| self.now()),
            event: EventId(self.ids.next()),
            contact: ContactId(self.ids.next()),
            conversation: ConversationId(self.ids.next()),
            session,
        };
        let echoed =
            when_clear(|| self.conversations.echo(&outlet.channel, echo.clone(), self.now()))
                .await?;
        counter!("recado_phone_echoes_total", "outcome" => echoed.as_str()).increment(1);
        Ok(echoed)
    }

    /// Forgets messages that were deleted where they were written.
    async fn forget(&self, outlet: &Outlet, external_ids: Vec<String>) -> StoreResult<()> {
        counter!("recado_inbox_deleted_total").increment(external_ids.len() as u64);
        let (workspace, is_long) = (outlet.channel.workspace, external_ids.len() > 1);
        let deleted = |external_id| Deleted { external_id, event: EventId(self.ids.next()) };
        for piece in pieces::cut(external_ids, String::len) {
            let _turn = self.pieces.turn(workspace, is_long).await;
            let deleted = piece.into_iter().map(deleted).collect();
            self.inbox.forget(&outlet.channel, deleted, self.now()).await?;
        }
        Ok(())
    }

    fn arrival(&self, item: Inbound) -> Arrival {
        Arrival {
            item,
            event: EventId(self.ids.next()),
            contact: ContactId(self.ids.next()),
            conversation: ConversationId(self.ids.next()),
        }
    }
}

/// The same for every copy of an item.
fn fingerprint(raw: &Value) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, raw.to_string().as_bytes())
}
