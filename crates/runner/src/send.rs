//! Sending the head of a conversation's outbox.

use std::panic::AssertUnwindSafe;

use channels::{Outgoing, Receipt, SendError};
use domain::{Approved, DeliveryStatus, Outbound};
use futures::FutureExt;
use metrics::counter;
use store::{
    LaneWork, Outside, SendOutcome, Settlement, StoreError, StoreResult, When, hit_outside,
};

use crate::{Engine, Outlet};

impl Engine {
    pub(crate) async fn send_next(
        &self,
        work: &LaneWork,
        outlet: &Outlet,
    ) -> StoreResult<Option<LaneWork>> {
        let lease = work.lease;
        let Some(outbound) = &work.outbound else {
            return self.store.release(lease, self.now()).await;
        };
        let has_window = outlet.channel.kind.has_window();
        let as_template =
            match self.store.intend_send(lease, outbound.id, has_window, self.now()).await? {
                SendOutcome::Go { as_template } => as_template,
                SendOutcome::Withheld => {
                    counter!("recado_messages_withheld_total").increment(1);
                    return self.store.release(lease, self.now()).await;
                }
                SendOutcome::HeldBack => return self.store.release(lease, self.now()).await,
                SendOutcome::OutsideWindow => {
                    counter!("recado_messages_outside_window_total").increment(1);
                    return self.store.release(lease, self.now()).await;
                }
            };
        // A holder that was paused since the commit must not send: its successor decides.
        if !self.held.stands(lease, self.now()) {
            return Err(StoreError::LaneLost);
        }
        let approved = outbound.approved.as_ref().filter(|_| as_template);
        let sent = self.send(work, outlet, outbound, approved).await;
        let settlement = self.settlement(outbound, sent);
        counter!("recado_sends_total", "outcome" => settlement.status.as_str()).increment(1);
        // What happened is true whether or not the lane is still ours, so a database that is away
        // is waited for; once the lease is over the send is ambiguous, as it should be.
        let settle = || self.store.settle_send(lease, settlement.clone(), self.now());
        let next = self.patiently(lease, settle).await?;
        if let Some(retry_at) = settlement.retry_at {
            self.expect_work(retry_at);
        }
        Ok(next)
    }

    async fn send(
        &self,
        work: &LaneWork,
        outlet: &Outlet,
        outbound: &Outbound,
        approved: Option<&Approved>,
    ) -> Result<Receipt, SendError> {
        let Some(sender) = &outlet.sender else {
            let reason = format!("channel `{}` has no way out", outlet.channel.id);
            return Err(SendError::Refused { reason });
        };
        let (to, text) = (&work.conversation.address, &outbound.text);
        let message = Outgoing { reference: outbound.id, to, text, approved };
        hit_outside(Outside::ChannelSend, When::Before);
        let sent = AssertUnwindSafe(sender.send(message)).catch_unwind().await;
        hit_outside(Outside::ChannelSend, When::After);
        sent.unwrap_or_else(|_| Err(SendError::Unknown { reason: "the channel panicked".into() }))
    }

    fn settlement(&self, outbound: &Outbound, sent: Result<Receipt, SendError>) -> Settlement {
        let mut settlement = Settlement {
            outbound: outbound.id,
            status: DeliveryStatus::Sent,
            retry_at: None,
            error: None,
            provider_ref: None,
        };
        match sent {
            Ok(receipt) => settlement.provider_ref = receipt.provider_ref,
            Err(SendError::Refused { reason }) => {
                settlement.status = DeliveryStatus::Failed;
                settlement.error = Some(reason);
            }
            Err(SendError::Unknown { reason }) => {
                settlement.status = DeliveryStatus::Ambiguous;
                settlement.error = Some(reason);
            }
            Err(SendError::Retry { reason, after_ms }) => {
                let attempts = outbound.attempts + 1;
                settlement.error = Some(reason);
                if attempts >= self.settings.send_attempts {
                    settlement.status = DeliveryStatus::Failed;
                } else {
                    let backoff = self.settings.send_backoff.delay_ms(attempts);
                    let wait = backoff.max(after_ms.unwrap_or(0));
                    settlement.status = DeliveryStatus::Queued;
                    settlement.retry_at = Some(self.now().plus_ms(wait));
                }
            }
        }
        settlement
    }
}
