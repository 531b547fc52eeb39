//! When a turn fails: another attempt later, and in the end a person who owns it.

use std::any::Any;

use domain::{Handoff, Priority, Role, SessionStatus, Trigger, TurnEntry};
use metrics::counter;
use store::{LaneWork, SessionWrite, StoreError, StoreResult};

use crate::turn::{Turn, TurnRunner};

pub(crate) enum Failure {
    /// The agent or a tool failed: an attempt is spent.
    Failed(String),
    /// The lane or the database went away: nothing is spent.
    Interrupted(StoreError),
}

impl Failure {
    pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Self {
        let text = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned());
        Self::Failed(format!("panicked: {}", text.unwrap_or_else(|| "without a word".to_owned())))
    }
}

impl TurnRunner {
    pub(crate) async fn count_failure(
        &self,
        turn: &Turn<'_>,
        reason: &str,
    ) -> StoreResult<Option<LaneWork>> {
        let lease = turn.work.lease;
        let attempt = turn.failed + 1;
        counter!("recado_turns_total", "outcome" => "failed").increment(1);
        tracing::warn!(conversation = %lease.conversation, attempt, reason, "turn failed");
        if attempt >= self.settings.turn_attempts {
            return self.set_aside(turn, reason).await;
        }
        let now = self.now();
        let retry_at = now.plus_ms(self.settings.turn_backoff.delay_ms(attempt));
        let next = self.store.fail(lease, reason, retry_at, now).await?;
        self.alarm.expect(retry_at);
        Ok(next)
    }

    /// Quarantines the turn's events; the customer gets one apology and a person.
    pub(crate) async fn set_aside(
        &self,
        turn: &Turn<'_>,
        reason: &str,
    ) -> StoreResult<Option<LaneWork>> {
        let lease = turn.work.lease;
        tracing::error!(conversation = %lease.conversation, reason, "events quarantined");
        counter!("recado_turns_total", "outcome" => "quarantined").increment(1);
        let mut commit = turn.commit(self.now());
        commit.set_aside = Some(reason.to_owned());
        let why = Handoff::new(Trigger::Failure, format!("failed too often: {reason}"));
        self.hand_off(&mut commit, why);
        commit.entries = turn.entries();
        let note = format!("quarantined: {reason}");
        commit.entries.push(TurnEntry::said(turn.open.turn, Role::System, note));
        // Once: an event put back by hand that fails again is the operator's to explain.
        if !turn.work.retried_by_hand {
            let own = self.connected.sentences(&turn.outlet.channel);
            self.tell(&mut commit, &own.apology(), Priority::Reply);
        }
        let status = SessionStatus::HandedOff;
        commit.session = Some(SessionWrite { status, ..self.session_write(turn) });
        self.store.commit(commit).await
    }
}
