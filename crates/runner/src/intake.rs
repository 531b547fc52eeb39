//! Intake: what a channel has understood becomes durable, and only then is acknowledged.

use domain::{
    ChannelId, ContactId, ConversationId, DeliveryReport, EventId, Inbound, IdSource,
};
use metrics::counter;
use store::{Arrival, StoreError};
use thiserror::Error;

use crate::Engine;

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
    pub reports: usize,
}

impl Engine {
    /// Returns only after everything given is durable.
    pub async fn take_in(
        &self,
        channel: &ChannelId,
        messages: Vec<Inbound>,
        reports: Vec<DeliveryReport>,
    ) -> Result<Taken, IntakeError> {
        let outlet =
            self.outlet(channel).ok_or_else(|| IntakeError::NoSuchChannel(channel.clone()))?;
        let mut taken = Taken::default();
        if !messages.is_empty() {
            let arrivals = messages.into_iter().map(|item| self.arrival(item)).collect();
            let accepted = self.store.accept(&outlet.channel, arrivals, self.now()).await;
            let accepted = accepted.map_err(IntakeError::NotNow)?;
            taken.duplicates = accepted.iter().filter(|one| one.duplicate).count();
            taken.new = accepted.len() - taken.duplicates;
            counter!("recado_inbox_accepted_total").increment(taken.new as u64);
            counter!("recado_inbox_duplicates_total").increment(taken.duplicates as u64);
        }
        if !reports.is_empty() {
            let applied = self.store.report(outlet.channel.workspace, reports, self.now()).await;
            taken.reports = applied.map_err(IntakeError::NotNow)?;
            counter!("recado_delivery_reports_total").increment(taken.reports as u64);
        }
        Ok(taken)
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
