//! Intake: what a channel has understood becomes durable, and only then is acknowledged.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::{
    ChannelId, ContactId, ConversationId, DeliveryReport, EventId, Identity, Inbound, SessionId,
    Timestamp,
};
use metrics::counter;
use serde_json::Value;
use store::fair::Pass;
use store::{Accepted, Arrival, Claim, Deleted, Renamed, StoreError, StoreResult, Unreadable};
use thiserror::Error;
use uuid::Uuid;

use crate::{Engine, Outlet};

/// So many messages of a delivery are stored at once.
const PIECE: usize = 32;
/// So many pieces of long deliveries are stored at once; workspaces take turns.
pub(crate) const PIECES: usize = 2;

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

/// What became of a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub new: usize,
    pub duplicates: usize,
    /// Of the new ones, those that are too old to be answered unseen.
    pub set_aside: usize,
    /// Arrivals that nobody said, and that are now on record.
    pub noted: usize,
    pub reports: usize,
}

impl Engine {
    /// Whether the last message could not be stored, and that was just now: the database may be read and
    /// yet not written, as on a full disk. After a while another one is worth trying.
    pub fn refuses_messages(&self) -> bool {
        let refused = self.refused_at.load(Ordering::Relaxed);
        refused != 0 && self.now().millis() - refused < REFUSING_MS
    }

    /// Returns only after everything given is durable.
    pub async fn take_in(
        self: &Arc<Self>,
        channel: &ChannelId,
        messages: Vec<Inbound>,
        reports: Vec<DeliveryReport>,
    ) -> Result<Taken, IntakeError> {
        let outlet =
            self.outlet(channel).ok_or_else(|| IntakeError::NoSuchChannel(channel.clone()))?;
        let mut taken = Taken::default();
        let (messages, notes): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|item| item.content.is_said());
        if !notes.is_empty() {
            self.note(outlet, notes, &mut taken).await?;
        }
        if !messages.is_empty() {
            let accepted = self.accept(outlet, messages).await;
            let is_away = matches!(accepted, Err(StoreError::Unavailable(_)));
            let refused = if is_away { self.now().millis() } else { 0 };
            self.refused_at.store(refused, Ordering::Relaxed);
            let accepted = accepted.map_err(IntakeError::NotNow)?;
            let duplicates = accepted.iter().filter(|one| one.duplicate).count();
            taken.duplicates += duplicates;
            taken.set_aside = accepted.iter().filter(|one| one.set_aside).count();
            taken.new = accepted.len() - duplicates;
            counter!("recado_inbox_too_old_total").increment(taken.set_aside as u64);
            counter!("recado_inbox_accepted_total").increment(taken.new as u64);
            counter!("recado_inbox_duplicates_total").increment(duplicates as u64);
        }
        taken.reports = self.report(outlet, reports).await.map_err(IntakeError::NotNow)?;
        counter!("recado_delivery_reports_total").increment(taken.reports as u64);
        Ok(taken)
    }

    /// Writes down what became of messages, many of them in pieces too; how many were known.
    async fn report(
        &self,
        outlet: &Outlet,
        mut reports: Vec<DeliveryReport>,
    ) -> StoreResult<usize> {
        let (workspace, is_long) = (outlet.channel.workspace, reports.len() > 1);
        let mut known = 0;
        while !reports.is_empty() {
            let rest = reports.split_off(reports.len().min(PIECE));
            let piece = std::mem::replace(&mut reports, rest);
            let _turn = self.turn_of_piece(outlet, is_long).await;
            known += self.store.report(workspace, piece, self.now()).await?;
        }
        Ok(known)
    }

    /// Stores arrivals, many of them in pieces: somebody else's message waits for a piece, and never for a
    /// whole delivery. Should a later piece fail, all is sent again, and the first are known by then.
    /// Messages get their ids with their piece and not before: of two copies of a delivery that come at
    /// once each may store some pieces, and the ids are in the order of the messages all the same.
    async fn accept(
        self: &Arc<Self>,
        outlet: &Outlet,
        mut messages: Vec<Inbound>,
    ) -> StoreResult<Vec<Accepted>> {
        let is_long = messages.len() > 1;
        let mut accepted = Vec::with_capacity(messages.len());
        while !messages.is_empty() {
            let rest = messages.split_off(messages.len().min(PIECE));
            let piece = std::mem::replace(&mut messages, rest);
            let _turn = self.turn_of_piece(outlet, is_long).await;
            let arrivals = piece.into_iter().map(|item| self.arrival(item)).collect();
            accepted.extend(self.accept_piece(outlet, arrivals).await?);
        }
        Ok(accepted)
    }

    /// A message or report that comes alone waits for nobody.
    async fn turn_of_piece(&self, outlet: &Outlet, is_long: bool) -> Option<Pass> {
        match is_long {
            true => Some(self.pieces.enter(Some(outlet.channel.workspace)).await),
            false => None,
        }
    }

    /// Stores arrivals in one commit and, if there is room, begins to work on their lanes with it. In a
    /// task of its own: whoever brought them may hang up meanwhile, and a lane that was taken for
    /// nobody would stand still until its lease ends.
    async fn accept_piece(
        self: &Arc<Self>,
        outlet: &Outlet,
        arrivals: Vec<Arrival>,
    ) -> StoreResult<Vec<Accepted>> {
        let (engine, channel) = (Arc::clone(self), outlet.channel.clone());
        let accepting = tokio::spawn(async move {
            let places = engine.places_beforehand(channel.workspace, arrivals.len());
            let now = engine.now();
            let claim = places.as_ref().map(|places| Claim {
                node: engine.node,
                until: now.plus_ms(engine.settings.lease_ms),
                max: places.len(),
            });
            let stored = engine.store.accept(&channel, arrivals, claim, now).await?;
            engine.work_lanes(stored.claimed.into_iter().zip(places.unwrap_or_default()));
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
    ) -> Result<(), IntakeError> {
        let now = self.now();
        let place = self.new_session(SessionId(self.ids.next()), outlet, now);
        let notes = notes.into_iter().map(|item| self.arrival(item)).collect();
        let noted = self.store.note(&outlet.channel, notes, place, now).await;
        let noted = noted.map_err(IntakeError::NotNow)?;
        let duplicates = noted.iter().filter(|one| one.duplicate).count();
        taken.noted = noted.len() - duplicates;
        taken.duplicates += duplicates;
        counter!("recado_inbox_noted_total").increment(taken.noted as u64);
        counter!("recado_inbox_duplicates_total").increment(duplicates as u64);
        Ok(())
    }

    /// Keeps items that could not be read where a person finds them.
    pub async fn keep_unreadable(
        &self,
        channel: &ChannelId,
        items: Vec<(Value, String)>,
    ) -> Result<(), IntakeError> {
        let outlet =
            self.outlet(channel).ok_or_else(|| IntakeError::NoSuchChannel(channel.clone()))?;
        counter!("recado_inbox_unreadable_total").increment(items.len() as u64);
        let unreadable = items
            .into_iter()
            .map(|(raw, reason)| Unreadable {
                external_id: format!("unreadable/{}", fingerprint(&raw)),
                event: EventId(self.ids.next()),
                raw,
                reason,
            })
            .collect();
        let kept = self.store.keep_unreadable(&outlet.channel, unreadable, self.now()).await;
        kept.map_err(IntakeError::NotNow)
    }

    /// Forgets messages that were deleted where they were written.
    pub async fn forget(
        &self,
        channel: &ChannelId,
        external_ids: Vec<String>,
    ) -> Result<(), IntakeError> {
        let outlet =
            self.outlet(channel).ok_or_else(|| IntakeError::NoSuchChannel(channel.clone()))?;
        counter!("recado_inbox_deleted_total").increment(external_ids.len() as u64);
        let deleted = |external_id| Deleted { external_id, event: EventId(self.ids.next()) };
        let deleted = external_ids.into_iter().map(deleted).collect();
        let forgotten = self.store.forget(&outlet.channel, deleted, self.now()).await;
        forgotten.map_err(IntakeError::NotNow)
    }

    /// A customer goes by other names from now on, by the provider's word; whether they were known.
    pub async fn renamed(
        &self,
        channel: &ChannelId,
        from: Identity,
        to: Identity,
        at: Timestamp,
    ) -> Result<bool, IntakeError> {
        let outlet =
            self.outlet(channel).ok_or_else(|| IntakeError::NoSuchChannel(channel.clone()))?;
        let renamed = Renamed { from, to, at };
        let known = self.store.rename(&outlet.channel, renamed, self.now()).await;
        known.map_err(IntakeError::NotNow)
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
