//! W4: a model that takes 300 ms, asked before each turn of the form in many conversations at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agents::{Agent, AgentError, Context, FormAgent, Outcome, TurnInput};
use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Value, json};
use tools::{CallError, Caller, OutsideTool, Registry, Spec};

use crate::form::{Around, Measured, NAME};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::process::peak_rss_mib;
use crate::rig::Rig;
use crate::script;
use crate::tally::Tally;

const CONVERSATIONS: u64 = 500;
const THINKS: Duration = Duration::from_millis(300);

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let each = plan.pick(20, 5);
    let database = plan.database(NAME).await?;
    let tally = Arc::new(Tally::of(CONVERSATIONS * each));
    let agent = Measured::new(AsksFirst { tally: Arc::clone(&tally) })?;
    let mut tools = Registry::builtin();
    tools.add_outside(Model::default())?;
    let rig = Rig::new(database.open().await?, Arc::new(agent), tools).await?;
    let messages = (0..each).flat_map(|n| {
        (0..CONVERSATIONS).map(move |place| (format!("w4-{place}"), script::line(place, n)))
    });
    rig.take_in(messages.collect()).await?;
    let running = rig.start();
    let counted = tally.finish(&rig.engine).await?;
    rig.stop(running).await;
    eprintln!("  W4: {:.0} messages/s", counted.rate());
    measures.add("w4.rate", counted.rate());
    measures.add("w4.p50", counted.gaps.p50());
    measures.add("w4.p99", counted.gaps.p99());
    measures.add("w4.rss", peak_rss_mib(std::process::id()));
    Ok(())
}

struct Model(Spec);

impl Default for Model {
    fn default() -> Self {
        Self(Spec::of::<BTreeMap<String, Value>>("modelo", "takes its time"))
    }
}

#[async_trait]
impl OutsideTool for Model {
    fn spec(&self) -> &Spec {
        &self.0
    }

    // As an answer of a model is: asking again costs, and does no harm.
    fn idempotent(&self) -> bool {
        true
    }

    async fn call(&self, _: &Caller, input: &Value, _key: &str) -> Result<Value, CallError> {
        tokio::time::sleep(THINKS).await;
        Ok(json!({ "texto": format!("Sobre «{}»: claro que sí.", input["texto"]) }))
    }
}

/// Waits for the model, then lets the form answer.
struct AsksFirst {
    tally: Arc<Tally>,
}

#[async_trait]
impl Around for AsksFirst {
    async fn turn(
        &self,
        form: &FormAgent,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.tally.turn(input.contact.id);
        let asked = json!({ "texto": input.events.len() });
        match context.call("modelo", asked).await {
            Ok(_) => form.turn(input, context).await,
            Err(error) => Err(AgentError { reason: error.to_string() }),
        }
    }
}
