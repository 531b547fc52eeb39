//! W1: turns a second through the form agent, each one durable commit.
//!
//! A turn is one commit of session, state, two audit rows with the path it took, outbox, timers and
//! lane, and the same transaction reads the lane's next work. Arrivals are in the inbox before the
//! clock starts.

use std::sync::Arc;

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use anyhow::{Result, ensure};
use async_trait::async_trait;
use domain::{Clock, EventKind, SessionState, SystemClock};
use tools::Registry;

use crate::measure::Measures;
use crate::plan::Plan;
use crate::process::rss_mib;
use crate::rig::Rig;
use crate::script;
use crate::spread::Spread;
use crate::subject::{Around, Measured, Subject};
use crate::tally::{Counted, Tally};

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let database = plan.database(Subject::Registro.name()).await?;
    for (name, conversations, each) in
        [("one", 1, plan.pick(2_000, 500)), ("64", 64, plan.pick(400, 50))]
    {
        let mut runs = Vec::new();
        for repeat in 0..plan.pick(3, 1) {
            let store = database.open().await?;
            let prefix = format!("w1-{name}-{repeat}");
            runs.push(once(store, &prefix, conversations, each).await?);
        }
        let rates: Vec<f64> = runs.iter().map(Counted::rate).collect();
        eprintln!("  W1 {name}: {rates:.0?} turns/s");
        let median = Spread::of(rates).p50();
        let run = runs.iter().find(|run| run.rate() == median).unwrap_or(&runs[0]);
        measures.add(format!("w1.{name}.rate"), median);
        measures.add(format!("w1.{name}.p50"), run.gaps.p50());
        measures.add(format!("w1.{name}.p99"), run.gaps.p99());
    }
    measures.add("w1.rss", rss_mib(std::process::id()));
    Ok(())
}

async fn once(
    store: Arc<dyn store::Store>,
    prefix: &str,
    conversations: u64,
    each: u64,
) -> Result<Counted> {
    let tally = Arc::new(Tally::of(conversations * each));
    let around = Forms { tally: Arc::clone(&tally) };
    let agent = Measured { agent: Subject::Registro.agent()?, around };
    let rig = Rig::new(store, Arc::new(agent), Registry::builtin()).await?;
    let mut messages = Vec::new();
    for n in 0..each {
        for conversation in 0..conversations {
            let text = script::line(conversation, n);
            messages.push((format!("{prefix}-{conversation}"), text));
        }
    }
    rig.take_in(messages).await?;
    let running = rig.start();
    let counted = tally.finish(&rig.engine).await?;
    // The form's own reminder may lie ahead, half an hour from now.
    let now = SystemClock::default().now();
    let due = rig.store.next_due().await?;
    ensure!(due.is_none_or(|due| due > now), "work was left");
    rig.stop(running).await;
    Ok(counted)
}

/// A series of forms, one after another, because nobody has a conversation of thousands of turns,
/// and its state would grow to a size that nobody stores.
struct Forms {
    tally: Arc<Tally>,
}

#[async_trait]
impl Around for Forms {
    async fn turn(
        &self,
        form: &dyn Agent,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.tally.turn(input.contact.id);
        let opens = input.events.iter().any(|event| match &event.kind {
            EventKind::Message(content) => {
                content.words().is_some_and(|words| script::opens(&words))
            }
            _ => false,
        });
        if !opens {
            return form.turn(input, context).await;
        }
        let (mode, state) = (form.initial_mode().to_owned(), SessionState::default());
        form.turn(&TurnInput { mode, state, ..input.clone() }, context).await
    }
}
