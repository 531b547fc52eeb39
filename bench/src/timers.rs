//! W3: many timers that fall due evenly, armed through turns of an agent and fired into them.
//!
//! To the agent each one is a customer's silence, which it answers with its reminder.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use anyhow::Result;
use async_trait::async_trait;
use domain::{ArmTimer, Clock, ContactId, EventKind, SystemClock, TimerCondition, Timestamp};
use serde_json::Value;
use tools::Registry;

use crate::measure::Measures;
use crate::node::{NOWHERE, Node};
use crate::plan::Plan;
use crate::process::peak_rss_mib;
use crate::rig::Rig;
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;
use crate::subject::{Around, Measured, Subject};
use crate::tally::Tally;

const CONVERSATIONS: u64 = 1000;
/// How much later than the last due time a timer may come before it is missed.
const PATIENCE_MS: i64 = 30_000;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let (timers, within_ms) = (plan.pick(100_000, 10_000), plan.pick(60_000, 10_000));
    let subject = plan.agent();
    let database = plan.database(subject.name()).await?;
    // A node fills a shop that is empty when it starts.
    drop(Node::start(&database, NOWHERE.into(), subject).await?);
    let around = Timers {
        subject,
        each: timers / CONVERSATIONS,
        // Room to arm them all before the first is due.
        begin: SystemClock::default().now().plus_ms(plan.pick(25_000, 6_000)),
        within_ms,
        tally: Tally::of(CONVERSATIONS),
        places: Mutex::default(),
        fired: Mutex::default(),
    };
    let agent = Arc::new(Measured { agent: subject.agent()?, around });
    let ours = &agent.around;
    let rig =
        Rig::new(database.open().await?, Arc::clone(&agent) as _, Registry::builtin()).await?;
    let messages =
        (0..CONVERSATIONS).map(|place| (format!("w3-{place}"), opening(subject).to_owned()));
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

/// The first message of a conversation, such that a silence after it brings a reminder.
fn opening(subject: Subject) -> &'static str {
    match subject {
        Subject::Registro => "mi correo es ana@sol.co",
        Subject::Almacen => "agregá una coca de litro y medio",
    }
}

/// The agent's own key of its reminder, if it has several timers and looks at their keys.
fn reminder(subject: Subject) -> Option<&'static str> {
    match subject {
        Subject::Registro => None,
        Subject::Almacen => Some("flow.carrito.olvidado"),
    }
}

/// Arms its share of the timers when written to, and notes when each one fires.
struct Timers {
    subject: Subject,
    each: u64,
    begin: Timestamp,
    within_ms: i64,
    tally: Tally,
    /// The number of each customer's conversation.
    places: Mutex<HashMap<ContactId, u64>>,
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

    fn place(&self, contact: ContactId) -> u64 {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let next = places.len() as u64;
        *places.entry(contact).or_insert(next)
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
        agent: &dyn Agent,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut arm = Vec::new();
        let mut input = input.clone();
        for event in &mut input.events {
            match &mut event.kind {
                EventKind::Message(_) => {
                    self.tally.turn(input.contact.id);
                    arm = self.arm(self.place(input.contact.id));
                }
                EventKind::Timer(timer) => {
                    let lag_ms = SystemClock::default().now().since_ms(timer.due_at);
                    let mut fired = self.fired();
                    *fired.seen.entry(timer.key.clone()).or_default() += 1;
                    fired.lags_ms.push(lag_ms as f64);
                    if let Some(key) = reminder(self.subject) {
                        key.clone_into(&mut timer.key);
                    }
                }
                EventKind::Operator(_) => {}
            }
        }
        let mut outcome = agent.turn(&input, context).await?;
        outcome.arm.extend(arm);
        Ok(outcome)
    }
}
