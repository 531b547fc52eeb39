//! W3: many timers that fall due evenly, armed through turns of the form and fired into them.
//!
//! To the form each one is a customer's silence, which it answers with its reminder.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agents::{Agent, AgentError, Context, FormAgent, Outcome, TurnInput};
use anyhow::Result;
use async_trait::async_trait;
use domain::{ArmTimer, Clock, EventKind, SystemClock, TimerCondition, Timestamp};
use serde_json::Value;
use tools::Registry;

use crate::form::{Around, Measured, NAME};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::process::peak_rss_mib;
use crate::rig::Rig;
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;
use crate::tally::Tally;

const CONVERSATIONS: u64 = 1000;
/// How much later than the last due time a timer may come before it is missed.
const PATIENCE_MS: i64 = 30_000;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let (timers, within_ms) = (plan.pick(100_000, 10_000), plan.pick(60_000, 10_000));
    let store = plan.database(NAME).await?;
    let agent = Arc::new(Measured::new(Timers {
        each: timers / CONVERSATIONS,
        // Room to arm them all before the first is due.
        begin: SystemClock::default().now().plus_ms(plan.pick(25_000, 6_000)),
        within_ms,
        tally: Tally::of(CONVERSATIONS),
        fired: Mutex::default(),
    })?);
    let ours = &agent.around;
    let rig = Rig::new(store.open().await?, Arc::clone(&agent) as _, Registry::builtin()).await?;
    let messages = (0..CONVERSATIONS).map(|place| (format!("w3-{place}"), text(place)));
    rig.take_in(messages.collect()).await?;
    let running = rig.start();
    let armed = ours.tally.finish(&rig.engine).await?;
    let early_ms = ours.begin.since_ms(SystemClock::default().now());
    eprintln!("  W3: armed in {:.2} s, {early_ms} ms before the first is due", armed.seconds);
    ours.wait(timers, within_ms).await;
    rig.stop(running).await;

    let fired = std::mem::take(&mut *ours.fired());
    let times: u64 = fired.seen.values().sum();
    let lag = Spread::of(fired.lags_ms);
    measures.add("w3.arming", timers as f64 / armed.seconds);
    measures.add("w3.lag_p50", lag.p50());
    measures.add("w3.lag_p99", lag.p99());
    measures.add("w3.missed", timers as f64 - fired.seen.len() as f64);
    measures.add("w3.doubled", times as f64 - fired.seen.len() as f64);
    measures.add("w3.rss", peak_rss_mib(std::process::id()));
    Ok(())
}

/// A first message that tells which conversation it begins.
fn text(place: u64) -> String {
    format!("mi correo es c{place}@sol.co")
}

fn place(text: &str) -> Option<u64> {
    text.strip_prefix("mi correo es c")?.split_once('@')?.0.parse().ok()
}

/// Arms its share of the timers when written to, and notes when each one fires.
struct Timers {
    each: u64,
    begin: Timestamp,
    within_ms: i64,
    tally: Tally,
    fired: Mutex<Fired>,
}

#[derive(Default)]
struct Fired {
    /// How often each timer was seen, by its key and the conversation's number.
    seen: HashMap<String, u64>,
    lags_ms: Vec<f64>,
}

impl Timers {
    fn fired(&self) -> std::sync::MutexGuard<'_, Fired> {
        self.fired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait(&self, timers: u64, within_ms: i64) {
        let clock = SystemClock::default();
        let end = self.begin.plus_ms(within_ms + PATIENCE_MS);
        let watch = Stopwatch::start();
        while (self.fired().seen.len() as u64) < timers && clock.now() < end {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        eprintln!("  W3: waited {:.1} s", watch.seconds());
        // A second copy would come at once, or when its lease is over.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }

    /// Timer `n` of conversation `place` is one of all, spread evenly.
    fn arm(&self, place: u64) -> Vec<ArmTimer> {
        let all = i64::try_from(self.each * CONVERSATIONS).unwrap_or(i64::MAX);
        let timer = |n: u64| {
            let number = i64::try_from(n * CONVERSATIONS + place).unwrap_or(i64::MAX);
            ArmTimer {
                key: format!("{place}/{n}"),
                due_at: self.begin.plus_ms(number * self.within_ms / all),
                condition: TimerCondition::Always,
                payload: Value::Null,
            }
        };
        (0..self.each).map(timer).collect()
    }
}

#[async_trait]
impl Around for Timers {
    async fn turn(
        &self,
        form: &FormAgent,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut arm = Vec::new();
        for event in &input.events {
            match &event.kind {
                EventKind::Message(content) => {
                    self.tally.turn(input.contact.id);
                    arm = content.words().and_then(place).map_or(arm, |place| self.arm(place));
                }
                EventKind::Timer(timer) => {
                    let lag_ms = SystemClock::default().now().since_ms(timer.due_at);
                    let mut fired = self.fired();
                    *fired.seen.entry(timer.key.clone()).or_default() += 1;
                    fired.lags_ms.push(lag_ms as f64);
                }
                EventKind::Operator(_) => {}
            }
        }
        let mut outcome = form.turn(input, context).await?;
        outcome.arm.extend(arm);
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_message_tells_its_conversation() {
        assert_eq!(place(&text(417)), Some(417));
    }
}
