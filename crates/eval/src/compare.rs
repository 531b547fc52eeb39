//! What must come of a step beside what came of it.

use std::collections::BTreeMap;

use domain::{SessionState, SessionStatus};
use pack::files::{Expected, Stamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::Happened;

/// What came of a step, in the words of an expectation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actual {
    pub reply: String,
    pub path: Vec<String>,
    pub fields: BTreeMap<String, Value>,
    pub mode: String,
    pub tools: Vec<String>,
    pub templates: Vec<String>,
    pub intent: Option<String>,
    pub status: String,
    pub handoff: Option<String>,
    pub error: Option<String>,
    pub band: Option<String>,
    pub tier: Option<String>,
    pub models: Vec<String>,
    pub refused: Vec<String>,
    /// Choices by name, of the session's state and of what else the agent remembers.
    pub choices: BTreeMap<String, Value>,
    pub stamps: Vec<Stamp>,
    pub orders: Vec<String>,
    /// As `2 coca-cola-1500`.
    pub cart: Vec<String>,
    pub thread: Option<String>,
    pub trigger: Option<String>,
    /// What may be picked, by id.
    pub options: Vec<String>,
}

impl Actual {
    /// A step may take several turns, as when two timers fall due; the last one shows where the
    /// conversation stands.
    pub fn of(happened: &[Happened], before: Option<&Self>, status: SessionStatus) -> Self {
        let replies: Vec<&str> =
            happened.iter().flat_map(|turn| &turn.replies).map(String::as_str).collect();
        let kept =
            Self { status: status.as_str().to_owned(), ..before.cloned().unwrap_or_default() };
        let reply = replies.join("\n\n");
        let Some(last) = happened.last() else {
            // Nothing was said or done; where it stands has not changed.
            return Self {
                reply,
                path: Vec::new(),
                tools: Vec::new(),
                templates: Vec::new(),
                intent: None,
                error: None,
                band: None,
                tier: None,
                models: Vec::new(),
                refused: Vec::new(),
                thread: None,
                options: Vec::new(),
                ..kept
            };
        };
        Self {
            reply,
            path: last.trace.path.iter().map(|step| step.node.clone()).collect(),
            fields: last.state.datos_capturados.clone().into_iter().collect(),
            mode: last.mode.clone(),
            tools: happened
                .iter()
                .flat_map(|turn| &turn.tools)
                .map(|tool| tool.name.clone())
                .collect(),
            templates: happened.iter().flat_map(|turn| turn.trace.templates.clone()).collect(),
            intent: last.trace.intents.first().map(|(name, _)| name.clone()),
            status: last.status.as_str().to_owned(),
            handoff: last.handoff.clone(),
            error: happened.iter().find_map(|turn| turn.error.clone()),
            band: last.trace.band.clone(),
            tier: last.trace.tier.and_then(|tier| word(&tier)),
            models: happened
                .iter()
                .flat_map(|turn| &turn.trace.asked)
                .map(|asked| asked.component.clone())
                .collect(),
            refused: happened.iter().flat_map(|turn| turn.trace.refused.clone()).collect(),
            choices: choices(&last.state),
            stamps: stamps(&last.state),
            orders: last.orders.clone(),
            cart: cart(&last.state),
            thread: last.trace.thread.clone(),
            trigger: last.trigger.map(|trigger| trigger.as_str().to_owned()),
            options: happened.iter().flat_map(|turn| turn.options.clone()).collect(),
        }
    }
}

/// The word that data says for it.
fn word<T: Serialize>(value: &T) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}

fn choices(state: &SessionState) -> BTreeMap<String, Value> {
    let other = state.scratch.get("choices").and_then(Value::as_object).cloned();
    let mut choices: BTreeMap<String, Value> = other.unwrap_or_default().into_iter().collect();
    let pack = state.pack_seleccionado.clone();
    choices.extend(pack.map(|pack| ("pack_seleccionado".to_owned(), json!(pack))));
    choices
}

/// What the session remembers of its cart.
fn cart(state: &SessionState) -> Vec<String> {
    let lines = state.scratch.get("shop").and_then(|shop| shop.pointer("/cart/lines"));
    let lines = lines.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let line = |line: &Value| {
        let (quantity, sku) = (line["quantity"].as_u64()?, line["sku"].as_str()?);
        Some(format!("{quantity} {sku}"))
    };
    lines.iter().filter_map(line).collect()
}

/// The times that are noted.
fn stamps(state: &SessionState) -> Vec<Stamp> {
    let stamps = [
        (state.proactive_started_at, Stamp::ProactiveStartedAt),
        (state.first_data_at, Stamp::FirstDataAt),
        (state.min_data_at, Stamp::MinDataAt),
        (state.ofrecer_promos_at, Stamp::OfrecerPromosAt),
    ];
    stamps.into_iter().filter(|(at, _)| at.is_some()).map(|(_, stamp)| stamp).collect()
}

/// One expectation that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The key under `expect`.
    pub key: &'static str,
    pub expected: Value,
    pub actual: Value,
}

/// Every expectation that does not hold.
pub(crate) fn differences(expected: &Expected, actual: &Actual) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut check = |key, expected: Value, actual: Value| {
        if expected != actual {
            found.push(Difference { key, expected, actual });
        }
    };
    if let Some(reply) = &expected.reply {
        check("reply", json!(reply.trim()), json!(actual.reply.trim()));
    }
    if let Some(parts) = &expected.contains {
        let held = parts.iter().all(|part| actual.reply.contains(part.as_str()));
        check("contains", json!(parts), if held { json!(parts) } else { json!(actual.reply) });
    }
    if let Some(parts) = &expected.lacks {
        let held = !parts.iter().any(|part| actual.reply.contains(part.as_str()));
        check("lacks", json!(parts), if held { json!(parts) } else { json!(actual.reply) });
    }
    if let Some(path) = &expected.path {
        check("path", json!(path), json!(actual.path));
    }
    if let Some(fields) = &expected.fields {
        let seen: BTreeMap<&String, Value> = fields
            .keys()
            .map(|name| (name, actual.fields.get(name).cloned().unwrap_or_default()))
            .collect();
        check("fields", json!(fields), json!(seen));
    }
    if let Some(mode) = &expected.mode {
        check("mode", json!(mode), json!(actual.mode));
    }
    if let Some(tools) = &expected.tools {
        check("tools", json!(tools), json!(actual.tools));
    }
    if let Some(templates) = &expected.templates {
        check("templates", json!(templates), json!(actual.templates));
    }
    if let Some(intent) = &expected.intent {
        check("intent", json!(intent), json!(actual.intent));
    }
    if let Some(status) = &expected.status {
        check("status", json!(status), json!(actual.status));
    }
    if let Some(reason) = &expected.handoff {
        let held = actual.handoff.as_ref().is_some_and(|actual| actual.contains(reason.as_str()));
        check("handoff", json!(reason), if held { json!(reason) } else { json!(actual.handoff) });
    }
    if let Some(band) = &expected.band {
        check("band", json!(band), json!(actual.band));
    }
    if let Some(tier) = &expected.tier {
        check("tier", json!(tier), json!(actual.tier));
    }
    if let Some(models) = &expected.models {
        check("models", json!(models), json!(actual.models));
    }
    if let Some(refused) = &expected.refused {
        check("refused", json!(refused), json!(actual.refused));
    }
    if let Some(choices) = &expected.choices {
        let seen: BTreeMap<&String, Value> = choices
            .keys()
            .map(|name| (name, actual.choices.get(name).cloned().unwrap_or_default()))
            .collect();
        check("choices", json!(choices), json!(seen));
    }
    if let Some(stamps) = &expected.stamps {
        check("stamps", json!(stamps), json!(actual.stamps));
    }
    if let Some(orders) = &expected.orders {
        check("orders", json!(orders), json!(actual.orders));
    }
    if let Some(cart) = &expected.cart {
        check("cart", json!(cart), json!(actual.cart));
    }
    if let Some(thread) = &expected.thread {
        check("thread", json!(thread), json!(actual.thread));
    }
    if let Some(trigger) = &expected.trigger {
        check("trigger", json!(trigger), json!(actual.trigger));
    }
    if let Some(options) = &expected.options {
        check("options", json!(options), json!(actual.options));
    }
    // An error is never what was expected.
    if let Some(error) = &actual.error {
        check("error", Value::Null, json!(error));
    }
    found
}
