//! The expected result of a step beside the actual one.

use std::collections::{BTreeMap, BTreeSet};

use domain::{SessionState, SessionStatus};
use pack::files::Expected;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Happened;

/// The actual result of a step, in the words of an expectation.
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
    pub stamps: BTreeSet<String>,
    pub orders: Vec<String>,
    /// As `2 coca-cola-1500`.
    pub cart: Vec<String>,
    pub thread: Option<String>,
    pub trigger: Option<String>,
    /// The options that may be picked, by id.
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
            fields: last.state.data.clone().into_iter().collect(),
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
            stamps: last.state.milestones.keys().cloned().collect(),
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
    state.choices.iter().map(|(name, option)| (name.clone(), json!(option))).collect()
}

/// The cart that the session remembers.
fn cart(state: &SessionState) -> Vec<String> {
    let lines = state.memory.get("shop").and_then(|shop| shop.pointer("/cart/lines"));
    let lines = lines.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let line = |line: &Value| {
        let (quantity, sku) = (line["quantity"].as_u64()?, line["sku"].as_str()?);
        Some(format!("{quantity} {sku}"))
    };
    lines.iter().filter_map(line).collect()
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The key under `expect`.
    pub key: &'static str,
    pub expected: Value,
    pub actual: Value,
}

/// The expected and the actual value, both as data; nothing was expected where the first is `None`.
type Compared = (Option<Value>, Value);

fn whole<T: Serialize>(expected: &Option<T>, actual: &impl Serialize) -> Compared {
    (expected.as_ref().map(|expected| json!(expected)), json!(actual))
}

/// A part that has to be held, beside itself if it is and else beside all there is.
fn part<T: Serialize>(
    expected: &Option<T>,
    actual: &impl Serialize,
    held: impl Fn(&T) -> bool,
) -> Compared {
    match expected {
        Some(part) if held(part) => whole(expected, part),
        _ => whole(expected, actual),
    }
}

/// The names that something was expected of, and what stands under each.
fn named(expected: &Option<BTreeMap<String, Value>>, actual: &BTreeMap<String, Value>) -> Compared {
    let names = expected.iter().flat_map(BTreeMap::keys);
    let seen = names.map(|name| (name, actual.get(name).cloned().unwrap_or_default()));
    whole(expected, &seen.collect::<BTreeMap<_, _>>())
}

/// Every expectation that does not hold.
pub(crate) fn differences(expected: &Expected, actual: &Actual) -> Vec<Difference> {
    let reply = expected.reply.as_deref().map(str::trim);
    let says = |parts: &Vec<String>| parts.iter().all(|part| actual.reply.contains(part));
    let says_none = |parts: &Vec<String>| !parts.iter().any(|part| actual.reply.contains(part));
    let stamps: Option<BTreeSet<_>> = expected.stamps.as_ref().map(|names| names.iter().collect());
    let because = |reason: &String| actual.handoff.as_ref().is_some_and(|why| why.contains(reason));
    let compared = [
        ("reply", whole(&reply, &actual.reply.trim())),
        ("contains", part(&expected.contains, &actual.reply, says)),
        ("lacks", part(&expected.lacks, &actual.reply, says_none)),
        ("path", whole(&expected.path, &actual.path)),
        ("fields", named(&expected.fields, &actual.fields)),
        ("mode", whole(&expected.mode, &actual.mode)),
        ("tools", whole(&expected.tools, &actual.tools)),
        ("templates", whole(&expected.templates, &actual.templates)),
        ("intent", whole(&expected.intent, &actual.intent)),
        ("status", whole(&expected.status, &actual.status)),
        ("handoff", part(&expected.handoff, &actual.handoff, because)),
        ("band", whole(&expected.band, &actual.band)),
        ("tier", whole(&expected.tier, &actual.tier)),
        ("models", whole(&expected.models, &actual.models)),
        ("refused", whole(&expected.refused, &actual.refused)),
        ("choices", named(&expected.choices, &actual.choices)),
        ("stamps", whole(&stamps, &actual.stamps)),
        ("orders", whole(&expected.orders, &actual.orders)),
        ("cart", whole(&expected.cart, &actual.cart)),
        ("thread", whole(&expected.thread, &actual.thread)),
        ("trigger", whole(&expected.trigger, &actual.trigger)),
        ("options", whole(&expected.options, &actual.options)),
        // An error is never what was expected.
        ("error", (actual.error.as_ref().map(|_| Value::Null), json!(actual.error))),
    ];
    let differs = |(key, (expected, actual)): (&'static str, Compared)| {
        let expected = expected.filter(|expected| *expected != actual)?;
        Some(Difference { key, expected, actual })
    };
    compared.into_iter().filter_map(differs).collect()
}
