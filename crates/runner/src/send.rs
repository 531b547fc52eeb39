//! Sending the head of a conversation's outbox.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use channels::{ChannelTrouble, Outgoing, Receipt, SendError};
use domain::{Approved, Clock, DeliveryStatus, Outbound, Repeats, Timestamp};
use futures::FutureExt;
use metrics::counter;
use store::{
    Clearance, LaneWork, Lanes, Outbox, Outside, SendOutcome, SendRules, StoreResult, When,
    hit_outside,
};

use crate::alarm::Alarm;
use crate::leases::Leases;
use crate::pacer::Pacer;
use crate::{Connected, Outlet, Settings};

pub(crate) struct OutboxRunner {
    pub(crate) outbox: Arc<dyn Outbox + Send + Sync>,
    pub(crate) lanes: Arc<dyn Lanes + Send + Sync>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) alarm: Arc<Alarm>,
    pub(crate) leases: Arc<Leases>,
    pub(crate) connected: Arc<Connected>,
    pub(crate) pacer: Pacer,
    pub(crate) settings: Settings,
    /// Sends whose outcome is unknown, which a provider in trouble gives by the hundred: told to the
    /// log together.
    pub(crate) ambiguous: Repeats,
}

impl OutboxRunner {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) async fn send_next(
        &self,
        work: &LaneWork,
        outlet: &Outlet,
    ) -> StoreResult<Option<LaneWork>> {
        let lease = work.lease;
        let Some(outbound) = &work.outbound else {
            return self.lanes.release(lease, self.now()).await;
        };
        let Some(as_template) = self.may_leave(work, outlet, outbound).await? else {
            return self.lanes.release(lease, self.now()).await;
        };
        // A holder that was paused since the commit and has a successor must not send.
        self.leases.still_holds(lease).await?;
        let approved = outbound.approved.as_ref().filter(|_| as_template);
        let sent = self.send(work, outlet, outbound, approved).await;
        let outcome = self.outcome(outlet, outbound, sent);
        counter!("recado_sends_total", "outcome" => outcome.status.as_str()).increment(1);
        // The outcome is true whether or not the lane is still ours, so a database that is away is
        // waited for; once another has the lane the send is ambiguous, as it should be.
        let record = || self.outbox.record_send(lease, outcome.clone(), self.now());
        let next = self.leases.patiently(lease, record).await?;
        if let Some(retry_at) = outcome.retry_at {
            self.alarm.expect(retry_at);
        }
        Ok(next)
    }

    /// Asks the channel's pace, then the store; whether it goes as its template, or none if not now.
    async fn may_leave(
        &self,
        work: &LaneWork,
        outlet: &Outlet,
        outbound: &Outbound,
    ) -> StoreResult<Option<bool>> {
        let (lease, to) = (work.lease, &work.conversation.address);
        let (channel, pace) = (&outlet.channel, outlet.pace);
        let taken = self.pacer.take(&channel.id, pace.number, self.now());
        let rules = SendRules {
            has_window: channel.kind.has_window(),
            pair: pace.pair,
            not_before: taken.err(),
        };
        let outcome = self.outbox.intend_send(lease, outbound.id, to, rules, self.now()).await;
        if let Ok(Clearance::Go { as_template }) = outcome {
            return Ok(Some(as_template));
        }
        if taken.is_ok() {
            self.pacer.give_back(&channel.id, pace.number);
        }
        match outcome? {
            Clearance::Go { .. } | Clearance::HeldBack => {}
            Clearance::Nowhere => counter!("recado_messages_nowhere_total").increment(1),
            Clearance::Withheld => counter!("recado_messages_withheld_total").increment(1),
            Clearance::OutsideWindow => {
                counter!("recado_messages_outside_window_total").increment(1);
            }
            Clearance::Wait { until } => {
                counter!("recado_messages_paced_total").increment(1);
                self.alarm.expect(until);
            }
        }
        Ok(None)
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
        // A template has its own words, and nothing to pick.
        let options = if approved.is_some() { &[][..] } else { &outbound.options };
        let own = self.connected.sentences(&outlet.channel);
        let list_title = &own.list_title();
        let message = Outgoing { reference: outbound.id, to, text, approved, options, list_title };
        hit_outside(Outside::ChannelSend, When::Before);
        let sent = AssertUnwindSafe(sender.send(message)).catch_unwind().await;
        hit_outside(Outside::ChannelSend, When::After);
        sent.unwrap_or_else(|_| Err(SendError::Unknown { reason: "the channel panicked".into() }))
    }

    fn outcome(
        &self,
        outlet: &Outlet,
        outbound: &Outbound,
        sent: Result<Receipt, SendError>,
    ) -> SendOutcome {
        let end = |status| SendOutcome::new(outbound.id, status);
        let channel = &outlet.channel.id;
        match sent {
            Ok(Receipt { provider_ref }) => {
                self.pacer.went(channel);
                SendOutcome { provider_ref, ..end(DeliveryStatus::Sent) }
            }
            Err(SendError::Refused { reason }) => {
                SendOutcome { error: Some(reason), ..end(DeliveryStatus::Failed) }
            }
            Err(SendError::Unknown { reason }) => {
                if let Some(times) = self.ambiguous.count(self.now().millis()) {
                    tracing::warn!(
                        %channel, reason, times,
                        "nobody knows whether it was sent: `recado reconcile list` shows it until the \
                         provider says so or a person decides"
                    );
                }
                SendOutcome { error: Some(reason), ..end(DeliveryStatus::Ambiguous) }
            }
            Err(SendError::Retry { reason, after_ms }) => {
                self.again(outbound, reason, after_ms.unwrap_or(0), self.settings.send_attempts)
            }
            Err(SendError::TooSoon { reason, after_ms }) => {
                self.again(outbound, reason, after_ms, self.settings.paced_attempts)
            }
            Err(SendError::WindowClosed { reason }) => SendOutcome {
                window_closed: true,
                ..self.again(outbound, reason, 0, self.settings.send_attempts)
            },
            Err(SendError::ChannelWaits { reason, cause }) => {
                let until = self.pacer.wait(channel, cause, self.now());
                match cause {
                    ChannelTrouble::Account => tracing::error!(
                        %channel, reason,
                        "the channel's account is not accepted: nothing leaves until it is mended"
                    ),
                    ChannelTrouble::Pace => tracing::warn!(%channel, reason, "the channel waits"),
                }
                counter!("recado_channel_waits_total", "channel" => channel.0.clone()).increment(1);
                let (retry_at, error) = (Some(until), Some(reason));
                SendOutcome { retry_at, error, counts: false, ..end(DeliveryStatus::Queued) }
            }
        }
    }

    /// Another attempt after a growing pause, or the end if there were `most`.
    fn again(&self, outbound: &Outbound, reason: String, after_ms: i64, most: u32) -> SendOutcome {
        let attempts = outbound.attempts + 1;
        let end = |status| SendOutcome::new(outbound.id, status);
        if attempts >= most {
            return SendOutcome { error: Some(reason), ..end(DeliveryStatus::Failed) };
        }
        let wait = self.settings.send_backoff.delay_ms(attempts).max(after_ms);
        let retry_at = Some(self.now().plus_ms(wait));
        SendOutcome { retry_at, error: Some(reason), ..end(DeliveryStatus::Queued) }
    }
}
