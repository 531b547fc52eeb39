//! Does what the flow says: actions in order, each checked before it is done.

use std::pin::Pin;

use domain::{Handoff, Timestamp, Trigger};
use pack::Known;
use pack::files::{Action, HandoffTrigger, ShopAct, Stamp};
use serde_json::{Map, Value};

use super::say::{say, say_message, send_words};
use super::shop;
use super::state::FlowState;
use crate::ToolError;

/// Tools that forgive no failure of another when they work: whether what was found can be had is for
/// the next tool to say, and what is told of the business has nothing to do with the order.
const ASIDE: [&str; 3] = ["search_products", "get_commerce_profile", "get_payment_methods"];

/// A flow that sends itself in circles ends here.
const MOST_MOVES: usize = 8;

type Boxed<'s, T> = Pin<Box<dyn Future<Output = T> + Send + 's>>;

/// Runs actions until one ends the turn.
pub(super) fn run<'s, 'a>(state: &'s mut FlowState<'a>, actions: &'a [Action]) -> Boxed<'s, ()>
where
    'a: 's,
{
    Box::pin(async move {
        for action in actions {
            if state.handoff.is_some() || state.closes {
                return;
            }
            if state.spec.holds(action.when.as_ref(), &*state) && act(state, action).await {
                continue;
            }
            run(state, &action.otherwise).await;
        }
    })
}

/// One action; whether it was done.
async fn act<'a>(state: &mut FlowState<'a>, action: &'a Action) -> bool {
    if let Some(template) = &action.say {
        return say(state, template).await;
    } else if let Some(mode) = &action.go {
        if let Err(reason) = go(state, mode).await {
            state.notes.other.push(format!("go {mode}: {reason}"));
            return false;
        }
    } else if let Some(tool) = &action.call {
        return call_by_rule(state, tool, action).await;
    } else if let Some(act) = action.shop {
        return match act {
            ShopAct::Change => shop::change(state).await,
            ShopAct::Answer => shop::answer(state).await,
        };
    } else if let Some(set) = &action.set {
        for (name, text) in set {
            match state.spec.value(text, &*state) {
                Ok(Value::String(value)) if state.spec.option(name, &value).is_some() => {
                    state.choose(name, &value);
                }
                Ok(Value::String(value)) if value.is_empty() => {
                    state.memory.choices.remove(name);
                    state.summary_falls();
                }
                Ok(value) => state.notes.other.push(format!("{name} cannot be {value}")),
                Err(error) => state.notes.other.push(format!("{name}: {error}")),
            }
        }
    } else if let Some(which) = action.stamp {
        stamp(state, which);
    } else if let Some(reason) = &action.hand_off {
        hand_off(state, action.trigger.map_or(Trigger::Rule, trigger), reason);
    } else if action.close == Some(true) {
        state.closes = true;
    }
    true
}

fn trigger(named: HandoffTrigger) -> Trigger {
    match named {
        HandoffTrigger::ConsecutiveErrors => Trigger::ConsecutiveErrors,
        HandoffTrigger::NegativeSentiment => Trigger::NegativeSentiment,
        HandoffTrigger::OrderAlreadyProcessed => Trigger::OrderAlreadyProcessed,
        HandoffTrigger::CustomerRequest => Trigger::CustomerRequest,
        HandoffTrigger::NotUnderstood => Trigger::NotUnderstood,
        HandoffTrigger::Rule => Trigger::Rule,
    }
}

/// Notes the time, once.
pub(super) fn stamp(state: &mut FlowState<'_>, which: Stamp) {
    let now: Timestamp = state.now;
    let place = match which {
        Stamp::ProactiveStartedAt => &mut state.session.proactive_started_at,
        Stamp::FirstDataAt => &mut state.session.first_data_at,
        Stamp::MinDataAt => &mut state.session.min_data_at,
        Stamp::OfrecerPromosAt => &mut state.session.ofrecer_promos_at,
    };
    place.get_or_insert(now);
}

/// Gives the conversation to a person, and says so unless something was already said of it.
pub(super) fn hand_off(state: &mut FlowState<'_>, trigger: Trigger, reason: &str) {
    if state.handoff.is_some() {
        return;
    }
    let flow = &state.spec.flow;
    let is_open =
        |state: &FlowState<'_>| state.fact("abierto").as_deref() != Some(&Value::Bool(false));
    let template = match &flow.handoff.closed {
        Some(closed) if !is_open(state) => closed,
        _ => &flow.messages.hand_off,
    };
    say_message(state, template, Map::new());
    state.handoff = Some(Handoff::new(trigger, reason));
}

/// Goes to a mode if the way there is open; why not, if it is not.
pub(super) async fn go<'a>(state: &mut FlowState<'a>, to: &str) -> Result<(), String> {
    let spec = state.spec;
    let way = spec.mode(&state.mode).to.iter().find(|way| way.mode == to);
    let Some(way) = way else {
        return Err(format!("there is no way from {} to {to}", state.mode));
    };
    if !spec.holds(way.when.as_ref(), &*state) {
        let because = way.because.clone().or_else(|| way.when.clone()).unwrap_or_default();
        return Err(format!("{to} is closed now: {because}"));
    }
    state.moves += 1;
    if state.moves > MOST_MOVES {
        return Err("the flow goes in circles".to_owned());
    }
    let mode = spec.mode(to);
    state.mode.clone_from(&mode.name);
    state.moved = true;
    state.memory.fired.clear();
    state.memory.clarifying.clear();
    run(state, &mode.enter).await;
    Ok(())
}

async fn call_by_rule<'a>(state: &mut FlowState<'a>, tool: &str, action: &'a Action) -> bool {
    let mut input = agreed_input(state, tool);
    for (name, text) in &action.with {
        match state.spec.value(text, &*state) {
            // What is not known is not given.
            Ok(Value::Null) => {}
            Ok(value) => {
                input.insert(name.clone(), value);
            }
            Err(error) => {
                state.notes.other.push(format!("{tool}.{name}: {error}"));
            }
        }
    }
    match call(state, tool, input).await {
        Ok(answer) => {
            if let Some(name) = &action.save {
                state.memory.saved.insert(name.clone(), answer);
            }
            true
        }
        Err(reason) => {
            state.notes.other.push(format!("{tool}: {reason}"));
            if action.otherwise.is_empty() {
                let template = state.spec.flow.messages.failed.clone();
                say_message(state, &template, Map::new());
                let failed = format!("{tool} failed: {reason}");
                state.handoff = Some(Handoff::new(Trigger::ConsecutiveErrors, failed));
                return true;
            }
            false
        }
    }
}

/// The input that the customer agreed to for this tool; nothing if they did not.
fn agreed_input(state: &FlowState<'_>, tool: &str) -> Map<String, Value> {
    match (state.agreed_to(), &state.session.proposal) {
        (Some(agreed), Some(proposal)) if agreed == tool => {
            proposal.input.as_object().cloned().unwrap_or_default()
        }
        _ => Map::new(),
    }
}

/// Calls a tool, whoever asks: its condition is checked and what is bound is filled in here.
pub(super) async fn call(
    state: &mut FlowState<'_>,
    tool: &str,
    mut input: Map<String, Value>,
) -> Result<Value, String> {
    let spec = state.spec;
    if let Some(entry) = spec.tool(tool)
        && !spec.holds(entry.when.as_ref(), &*state)
    {
        let when = entry.when.clone().unwrap_or_default();
        return Err(format!("not now: it needs {when}"));
    }
    fill_in(state, tool, &mut input)?;
    match tool {
        "whatsapp.template.send" => {
            let template = input.get("plantilla").and_then(Value::as_str).unwrap_or_default();
            if spec.pack().templates.wordings(template) == 0 {
                return Err(format!("there is no template `{template}`"));
            }
            say(state, template).await;
            Ok(serde_json::json!({ "sent": template }))
        }
        "whatsapp.message.send" => {
            let text = input.get("texto").and_then(Value::as_str).unwrap_or_default().trim();
            if text.is_empty() {
                return Err("`texto` is empty".to_owned());
            }
            let text = text.to_owned();
            send_words(state, text);
            Ok(serde_json::json!({ "sent": true }))
        }
        "request_handoff" => {
            let text = |key: &str| input.get(key).and_then(Value::as_str);
            let trigger = text("trigger_type").and_then(Trigger::parse);
            let reason: String =
                text("reason").unwrap_or("asked for by a model").chars().take(300).collect();
            hand_off(state, trigger.unwrap_or(Trigger::Rule), &reason);
            Ok(serde_json::json!({ "handed_off": true }))
        }
        _ => call_tool(state, tool, input).await,
    }
}

/// Fills in what the engine binds of a tool's input.
pub(super) fn fill_in(
    state: &FlowState<'_>,
    tool: &str,
    input: &mut Map<String, Value>,
) -> Result<(), String> {
    let Some(entry) = state.spec.tool(tool) else { return Ok(()) };
    for (name, text) in &entry.bind {
        match state.spec.value(text, state)? {
            Value::Null => {
                input.remove(name);
            }
            value => {
                input.insert(name.clone(), value);
            }
        }
    }
    Ok(())
}

/// Calls one of the business's tools, and does what the mode says for when it has worked.
async fn call_tool(
    state: &mut FlowState<'_>,
    tool: &str,
    input: Map<String, Value>,
) -> Result<Value, String> {
    let answer = match state.context.call(tool, Value::Object(input)).await {
        Ok(answer) => answer,
        Err(error) => {
            state.tool_failed();
            return Err(match error {
                ToolError::Refused(reason) => reason,
                other => other.to_string(),
            });
        }
    };
    if !ASIDE.contains(&tool) {
        state.tool_worked();
    }
    if state.agreed_to() == Some(tool) {
        state.use_consent();
    }
    shop::note_tool(state, tool, &answer);
    if let Some(name) = state.spec.saved_as(tool) {
        state.memory.saved.insert(name.clone(), answer.clone());
    }
    let mode = state.spec.mode(&state.mode);
    if let Some(actions) = mode.after.get(tool) {
        run(state, actions).await;
    }
    Ok(answer)
}
