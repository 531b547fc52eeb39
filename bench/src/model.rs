//! W4: a model that takes 300 ms, asked once for each message of the sales flow in many
//! conversations at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use anyhow::{Result, ensure};
use async_trait::async_trait;
use llm::{
    Limits, ModelSource, ModelVendor, Prices, Script, Scripted, ScriptedAnswer, ScriptedReply,
};
use pack::Source;
use serde_json::json;
use tools::Registry;

use crate::measure::Measures;
use crate::plan::Plan;
use crate::process::{count_peak_from_here, peak_rss_mib};
use crate::rig::{Lent, Rig};
use crate::subject::{Around, Measured, agent, shipped};
use crate::tally::Tally;

const NAME: &str = "somnio";
const CONVERSATIONS: u64 = 500;
const THINKS: Duration = Duration::from_millis(300);

/// The shipped limits hold one workspace to 16 calls at once and 600 a minute: here it has room
/// for every conversation, since what is measured is the engine.
const ROOM: Limits = Limits {
    attempts: 3,
    at_once: CONVERSATIONS as usize,
    per_minute: 1_000_000,
    backoff: domain::Backoff { base_ms: 500, max_ms: 4_000 },
    breaker_failures: 5,
    breaker_open_ms: 30_000,
};

/// The customers' questions, and the template a model answers each with. The pack's rules settle
/// each question, so that the one model call is the answer's; none is asked twice, which would ask
/// for other words.
const LINES: [(&str, &str); 10] = [
    ("hola buenas tardes", "saludo"),
    ("¿cuánto vale?", "precio"),
    ("¿cómo es el envío?", "envio"),
    ("¿cómo se paga?", "pago"),
    ("¿qué es Somnio?", "producto"),
    ("¿cómo se toma?", "uso"),
    ("¿tiene garantía?", "garantia"),
    ("¿es confiable?", "confianza"),
    ("¿dónde quedan?", "ubicacion"),
    ("¿con quién hablo?", "quien_eres"),
];

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let each = plan.pick(10, 5);
    let database = plan.database(NAME).await?;
    let tally = Arc::new(Tally::of(CONVERSATIONS * each));
    let around = Counting { tally: Arc::clone(&tally), asked: AtomicU64::new(0) };
    let agent = Arc::new(Measured { agent: roomy()?, around });
    let lent = Lent { sources: vec![model()], prices: Prices::built_in()?, limits: ROOM };
    let store = database.open().await?;
    let rig = Rig::lending(store, agent.clone(), Registry::builtin(), lent).await?;
    let messages = (0..each).flat_map(|n| {
        let (line, _) = LINES[(n % LINES.len() as u64) as usize];
        (0..CONVERSATIONS).map(move |place| (format!("w4-{place}"), line.to_owned()))
    });
    count_peak_from_here();
    rig.take_in(messages.collect()).await?;
    let running = rig.start();
    let counted = tally.finish(&rig.engine).await?;
    rig.stop(running).await;
    let asked = agent.around.asked.load(Ordering::Relaxed);
    ensure!(asked == counted.turns, "{asked} model calls in {} turns", counted.turns);
    eprintln!("  W4: {:.0} messages/s", counted.rate());
    measures.add("w4.rate", counted.rate());
    measures.add("w4.p50", counted.gaps.p50());
    measures.add("w4.p99", counted.gaps.p99());
    measures.add("w4.rss", peak_rss_mib(std::process::id()));
    Ok(())
}

/// The pack that ships, but for its budget: a conversation of the bench has more of a model than a
/// customer's.
fn roomy() -> Result<Arc<dyn Agent>> {
    let shipped = shipped(NAME)?;
    let files = shipped.iter().map(|(path, text)| {
        (path, text.replace("session_tokens: 50000,", "session_tokens: 5000000,"))
    });
    agent(NAME, Source::new(files))
}

/// Every model of the pack: it thinks for a while and sends the template that answers.
fn model() -> ModelSource {
    let answer = |(line, template): &(&str, &str)| {
        let say = ("flow.say".to_owned(), json!({ "template": template }));
        ScriptedAnswer {
            component: None,
            when: Some(format!("<mensaje>{line}</mensaje>")),
            times: None,
            reply: ScriptedReply::Calls(vec![say], None),
        }
    };
    let script = Script { answers: LINES.iter().map(answer).collect() };
    let provider = Arc::new(Scripted::new("lento", &script).with_delay(THINKS));
    ModelSource { provider, vendor: ModelVendor::Any, models: Vec::new() }
}

struct Counting {
    tally: Arc<Tally>,
    /// Answers that models gave.
    asked: AtomicU64,
}

#[async_trait]
impl Around for Counting {
    async fn turn(
        &self,
        agent: &dyn Agent,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.tally.turn(input.contact.id);
        let outcome = agent.turn(input, context).await?;
        let asked = outcome.trace.iter().flat_map(|trace| &trace.asked);
        let answered = asked.filter(|asked| asked.outcome == "answered").count() as u64;
        self.asked.fetch_add(answered, Ordering::Relaxed);
        Ok(outcome)
    }
}
