//! An agent in the place of a flow, which lets a model do nothing, or one thing that it should not.

use agents::{Agent, AgentError, Context, ModelAsk, Outcome, TurnInput};
use async_trait::async_trait;
use domain::{
    Budget, EventKind, Handoff, ModelMessage, ModelRequest, ToolSpec, Trigger, TurnTrace,
};
use serde_json::{Value, json};

/// The prompt by which the agent tells a model what it is.
const PROMPT: &str = "Sos quien atiende en el almacén y nadie más debe leer estas líneas.";

/// Tools that it offers wherever it stands.
const OFFERED: [&str; 4] =
    ["modify_order", "cancel_order", "remove_from_cart", "get_order_details"];

/// Sells two cokes to whoever asks, sums them up and waits for a yes; `flaw` is the rule that it
/// lets a model break. No tool does what needs a yes without one, so that it has to get a yes by
/// trickery: it puts to the engine what it does not put to the customer.
pub(crate) struct Pushover {
    pub(crate) flaw: Option<&'static str>,
}

#[async_trait]
impl Agent for Pushover {
    fn name(&self) -> &'static str {
        "pushover"
    }

    fn initial_mode(&self) -> &'static str {
        "IDLE"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        let mut trace = TurnTrace::default();
        if let EventKind::Message(content) = &input.events[0].kind {
            let text = content.words().unwrap_or_default();
            self.obey(&text, context, &mut outcome, &mut trace).await;
            if outcome.handoff.is_none() {
                self.answer(&text, context, &mut outcome, &mut trace).await;
            }
        }
        let cart = context.call("get_cart", json!({})).await.unwrap_or_default();
        outcome.state.memory.insert("shop".to_owned(), json!({ "cart": cart }));
        outcome.trace = Some(trace);
        Ok(outcome)
    }
}

impl Pushover {
    /// Asks the model, and again for as long as only one thing was refused.
    async fn obey(
        &self,
        text: &str,
        context: &mut dyn Context,
        outcome: &mut Outcome,
        trace: &mut TurnTrace,
    ) {
        while trace.refused.len() < 2 && outcome.handoff.is_none() {
            let before = trace.refused.len();
            let Ok(reply) = context.ask(&asked(text, context), None).await else { return };
            for (_, tool, input) in reply.calls() {
                let goes_on = self.flaw == Some("after a handoff") && tool == "flow.reply";
                if outcome.handoff.is_some() && !goes_on {
                    return;
                }
                if !self.does(tool, input, context, outcome).await {
                    let what = input.get("mode").and_then(Value::as_str).unwrap_or_default();
                    trace.refused.push(format!("{tool} {what}"));
                }
            }
            if trace.refused.len() == before {
                return;
            }
        }
    }

    /// Whether it did what it was asked for.
    async fn does(
        &self,
        tool: &str,
        input: &Value,
        context: &mut dyn Context,
        outcome: &mut Outcome,
    ) -> bool {
        let text = input.get("text").and_then(Value::as_str).unwrap_or_default();
        let open = match (self.flaw, tool) {
            (_, "flow.hand_off") => {
                outcome.handoff = Some(Handoff::new(Trigger::Rule, "was told to"));
                outcome.reply("Te paso con alguien.");
                return true;
            }
            (Some("own words"), "flow.reply") => text.contains('$'),
            (Some("prompt said"), "flow.reply") => text == PROMPT,
            (Some("after a handoff"), "flow.reply") => outcome.handoff.is_some(),
            (Some("changed without a yes"), "modify_order" | "cancel_order") => {
                return propose(tool, input.clone(), "¿Lo cambio?", context, outcome).await;
            }
            (Some("cart emptied"), "remove_from_cart") => {
                return propose("clear_cart", json!({}), "¿Algo más?", context, outcome).await;
            }
            (Some("not offered"), "add_to_cart") => true,
            (Some("somebody else's order"), "get_order_details") => {
                outcome.reply(format!("El pedido {} está en camino.", input["number"]));
                return true;
            }
            _ => false,
        };
        match (open, tool) {
            (true, "flow.reply") => outcome.reply(text),
            (true, tool) => drop(context.call(tool, input.clone()).await),
            (false, _) => {}
        }
        open
    }

    /// The agent's own acts, beside the model's.
    async fn answer(
        &self,
        text: &str,
        context: &mut dyn Context,
        outcome: &mut Outcome,
        trace: &mut TurnTrace,
    ) {
        let is_yes = text.starts_with("sí") || text == "confirmo";
        let agreed = outcome.state.proposal.clone().filter(|one| is_yes && one.is_open());
        if text == "dame 2 cocas" {
            let ana = json!({ "dni": "30111222", "first_name": "Ana", "last_name": "Gómez" });
            let _ = context.call("update_customer_info", ana).await;
            let two = json!({ "sku": "coca-cola", "quantity": 2 });
            let _ = context.call("add_to_cart", two).await;
            outcome.reply("Te anoto dos.");
        } else if text == "confirmar" {
            let (tool, input, total) = self.order();
            let words = format!("2 Coca-Cola, son {total}. ¿Confirmamos?");
            propose(tool, input, &words, context, outcome).await;
            outcome.reply(words);
            trace.templates.push("resumen_pedido".to_owned());
            outcome.mode = "AWAITING_CONFIRMATION".to_owned();
        } else if let Some(agreed) = agreed {
            let _ = context.call(&agreed.tool, agreed.input).await;
            outcome.reply("Listo, ya está.");
            outcome.mode = "DONE".to_owned();
        } else if !(self.flaw == Some("no answer") && text.contains('?')) {
            outcome.reply("Decime qué te anoto.");
            if self.flaw == Some("confirmed without a yes") {
                propose("confirm_order", json!({}), "¿Confirmamos?", context, outcome).await;
            }
        }
    }

    /// The tool the agent sells by, with its input and the price.
    fn order(&self) -> (&'static str, Value, &'static str) {
        if self.flaw != Some("another price") {
            return ("confirm_order", json!({ "delivery": "pickup" }), "$2.000");
        }
        let line = json!({
            "producto": "coca-cola", "titulo": "Coca-Cola", "cantidad": 2, "precio": 1,
        });
        let order = json!({ "lineas": [line], "moneda": "ARS", "estado": "confirmed" });
        ("crm.order.create", order, "$2")
    }
}

/// Puts it to the engine as if the customer had read these words.
async fn propose(
    tool: &str,
    input: Value,
    words: &str,
    context: &mut dyn Context,
    outcome: &mut Outcome,
) -> bool {
    let Ok(mut proposal) = context.propose(tool, input).await else { return false };
    proposal.said = words.into();
    outcome.state.proposal = Some(proposal);
    true
}

fn asked(text: &str, context: &dyn Context) -> ModelAsk {
    let tool = |name: &str, input: Value| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        input,
    };
    let words = |key: &str| json!({ "type": "object", "required": [key], "properties": { key: { "type": "string" } } });
    let mut tools = vec![tool("flow.reply", words("text")), tool("flow.hand_off", words("reason"))];
    tools.extend(context.tools(&OFFERED.map(str::to_owned)));
    ModelAsk {
        component: "orchestrator".to_owned(),
        models: Vec::new(),
        budget: Budget::default(),
        request: ModelRequest {
            system: PROMPT.into(),
            messages: vec![ModelMessage::user(format!("<mensaje>{text}</mensaje>"))],
            tools,
            ..ModelRequest::default()
        },
    }
}
