//! W3: many timers that fall due evenly, armed through turns and fired into them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use anyhow::Result;
use async_trait::async_trait;
use domain::{ArmTimer, Clock, EventKind, SystemClock, TimerCondition, Timestamp};
use serde_json::Value;
use tools::Registry;

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
    let store = plan.database("timers").await?;
    let agent = Arc::new(TimerAgent {
        each: timers / CONVERSATIONS,
        // Room to arm them all before the first is due.
        begin: SystemClock::default().now().plus_ms(plan.pick(25_000, 6_000)),
        within_ms,
        tally: Tally::of(CONVERSATIONS),
        fired: Mutex::default(),
    });
    let rig = Rig::new(store.open().await?, Arc::clone(&agent) as _, Registry::builtin()).await?;
    let messages = (0..CONVERSATIONS).map(|place| (format!("w3-{place}"), place.to_string()));
    rig.take_in(messages.collect()).await?;
    let running = rig.start();
    let armed = agent.tally.finish(&rig.engine).await?;
    let early_ms = agent.begin.since_ms(SystemClock::default().now());
    eprintln!("  W3: armed in {:.2} s, {early_ms} ms before the first is due", armed.seconds);
    agent.wait(timers, within_ms).await;
    rig.stop(running).await;

    let fired = std::mem::take(&mut *agent.fired());
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

/// Arms its share of the timers when written to, and notes when each one fires.
struct TimerAgent {
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

impl TimerAgent {
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
impl Agent for TimerAgent {
    fn name(&self) -> &str {
        "timers"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        _context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        for event in &input.events {
            match &event.kind {
                EventKind::Message(content) => {
                    self.tally.turn(input.contact.id);
                    let place = content.words().and_then(|text| text.parse().ok());
                    outcome.arm = self.arm(place.unwrap_or_default());
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
        Ok(outcome)
    }
}
