//! Decides what the flow says: actions in order, each checked before it is decided on.

use domain::{Handoff, Trigger};
use pack::Known;
use pack::files::{HandoffTrigger, ShopAct};
use pack::program::{Action, Call, Inputs, ModeId, Step};
use serde_json::{Map, Value};

use super::plan::{Decided, Effect};
use super::say::{say, say_message, say_words};
use super::shop;
use super::turn::Turn;

/// Tools that forgive no failure of another when they work: whether what was found can be had is for
/// the next tool to say, and what is told of the business has nothing to do with the order.
const ASIDE: [&str; 3] = ["search_products", "get_commerce_profile", "get_payment_methods"];

/// A flow that sends itself in circles ends here.
const MOST_MOVES: usize = 8;

/// Takes steps until one ends the turn.
pub(super) fn run<'a>(turn: &mut Turn<'a>, steps: &'a [Step]) -> Decided<()> {
    for step in steps {
        if turn.plan.is_over() {
            break;
        }
        if step.when.holds(&*turn) && act(turn, step)? {
            continue;
        }
        run(turn, &step.otherwise)?;
    }
    Ok(())
}

/// Decides on an action; whether it could be done.
fn act<'a>(turn: &mut Turn<'a>, step: &'a Step) -> Decided<bool> {
    match &step.action {
        Action::Say(template) => return say(turn, template),
        Action::Go(mode) => {
            if let Err(reason) = go(turn, *mode)? {
                let name = &turn.spec.flow.mode(*mode).name;
                turn.notes.other.push(format!("go {name}: {reason}"));
                return Ok(false);
            }
        }
        Action::Call(call) => return call_by_rule(turn, call, &step.otherwise),
        Action::Shop(ShopAct::Change) => return shop::change(turn),
        Action::Shop(ShopAct::Answer) => return Ok(shop::answer(turn)),
        Action::Choose(choices) => choose(turn, choices),
        Action::Stamp(milestone) => turn.will(Effect::Note(milestone.clone())),
        Action::HandOff { trigger: kind, reason } => hand_off(turn, trigger(*kind), reason),
        Action::Close => turn.will(Effect::Close),
    }
    Ok(true)
}

/// Makes choices, or takes back those that come to an empty text.
fn choose(turn: &mut Turn<'_>, choices: &Inputs) {
    for (name, value) in choices {
        let choice = turn.spec.flow.choice(name);
        match value.value(&*turn) {
            Ok(Value::String(value)) if choice.is_some_and(|one| one.option(&value).is_some()) => {
                turn.choose(name, &value);
            }
            Ok(Value::String(value)) if value.is_empty() => {
                turn.will(Effect::Choose { choice: name.clone(), option: None });
                turn.summary_falls();
            }
            Ok(value) => turn.notes.other.push(format!("{name} cannot be {value}")),
            Err(error) => turn.notes.other.push(format!("{name}: {error}")),
        }
    }
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

/// Gives the conversation to a person, and says so unless something was already said of it.
pub(super) fn hand_off(turn: &mut Turn<'_>, trigger: Trigger, reason: &str) {
    if turn.plan.hands_off() {
        return;
    }
    let flow = &turn.spec.flow;
    let is_open = |turn: &Turn<'_>| turn.fact("abierto").as_deref() != Some(&Value::Bool(false));
    let template = match &flow.handoff.closed {
        Some(closed) if !is_open(turn) => closed,
        _ => &flow.messages.hand_off,
    };
    say_message(turn, template, Map::new());
    turn.will(Effect::HandOff(Handoff::new(trigger, reason)));
}

/// Goes to a mode that a model names.
pub(super) fn go_named(turn: &mut Turn<'_>, to: &str) -> Decided<Result<(), String>> {
    match turn.spec.flow.mode_named(to) {
        Some(to) => go(turn, to),
        None => Ok(Err(format!("there is no way from {} to {to}", turn.mode().name))),
    }
}

/// Goes to a mode if the way there is open; why not, if it is not.
fn go(turn: &mut Turn<'_>, to: ModeId) -> Decided<Result<(), String>> {
    let (from, mode) = (turn.mode(), turn.spec.flow.mode(to));
    let Some(way) = from.to.iter().find(|way| way.to == to) else {
        return Ok(Err(format!("there is no way from {} to {}", from.name, mode.name)));
    };
    if !way.when.holds(&*turn) {
        let because = way.because.as_deref().or(way.when.text()).unwrap_or_default();
        return Ok(Err(format!("{} is closed now: {because}", mode.name)));
    }
    if turn.plan.moves() >= MOST_MOVES {
        return Ok(Err("the flow goes in circles".to_owned()));
    }
    turn.will(Effect::Go(to));
    turn.state.memory.fired.clear();
    turn.state.memory.clarifying.clear();
    run(turn, &mode.enter)?;
    Ok(Ok(()))
}

fn call_by_rule(turn: &mut Turn<'_>, by_rule: &Call, otherwise: &[Step]) -> Decided<bool> {
    let Call { tool, with, save } = by_rule;
    let mut input = agreed_input(turn, tool);
    for (name, value) in with {
        match value.value(&*turn) {
            // A value that is not known is not given.
            Ok(Value::Null) => {}
            Ok(value) => {
                input.insert(name.clone(), value);
            }
            Err(error) => {
                turn.notes.other.push(format!("{tool}.{name}: {error}"));
            }
        }
    }
    let Err(reason) = call_and_keep(turn, tool, input, save.as_ref())? else { return Ok(true) };
    turn.notes.other.push(format!("{tool}: {reason}"));
    if !otherwise.is_empty() {
        return Ok(false);
    }
    say_message(turn, &turn.spec.flow.messages.failed, Map::new());
    let failed = format!("{tool} failed: {reason}");
    turn.will(Effect::HandOff(Handoff::new(Trigger::ConsecutiveErrors, failed)));
    Ok(true)
}

/// The input that the customer agreed to for this tool; nothing if they did not.
fn agreed_input(turn: &Turn<'_>, tool: &str) -> Map<String, Value> {
    match (turn.agreed_to(), &turn.state.session.proposal) {
        (Some(agreed), Some(proposal)) if agreed == tool => {
            proposal.input.as_object().cloned().unwrap_or_default()
        }
        _ => Map::new(),
    }
}

/// Calls a tool; its answer is kept under every name that the flow has for it.
pub(super) fn call(
    turn: &mut Turn<'_>,
    tool: &str,
    input: Map<String, Value>,
) -> Decided<Result<Value, String>> {
    call_and_keep(turn, tool, input, None)
}

/// Calls a tool, whoever asks: its condition is checked and what is bound is filled in here. A caller
/// with a name for the answer keeps it under that one alone.
fn call_and_keep(
    turn: &mut Turn<'_>,
    tool: &str,
    mut input: Map<String, Value>,
    save: Option<&String>,
) -> Decided<Result<Value, String>> {
    let spec = turn.spec;
    if let Some(entry) = spec.flow.tool(tool)
        && !entry.when.holds(&*turn)
    {
        let when = entry.when.text().unwrap_or_default();
        return Ok(Err(format!("not now: it needs {when}")));
    }
    if let Err(reason) = fill_in(turn, tool, &mut input) {
        return Ok(Err(reason));
    }
    match tool {
        "whatsapp.template.send" => {
            let template = input.get("plantilla").and_then(Value::as_str).unwrap_or_default();
            if spec.pack().templates.wordings(template) == 0 {
                return Ok(Err(format!("there is no template `{template}`")));
            }
            say(turn, template)?;
            Ok(Ok(serde_json::json!({ "sent": template })))
        }
        "whatsapp.message.send" => {
            let text = input.get("texto").and_then(Value::as_str).unwrap_or_default().trim();
            if text.is_empty() {
                return Ok(Err("`texto` is empty".to_owned()));
            }
            say_words(turn, text.to_owned());
            Ok(Ok(serde_json::json!({ "sent": true })))
        }
        "request_handoff" => {
            let text = |key: &str| input.get(key).and_then(Value::as_str);
            let trigger = text("trigger_type").and_then(Trigger::parse);
            let reason: String =
                text("reason").unwrap_or("asked for by a model").chars().take(300).collect();
            hand_off(turn, trigger.unwrap_or(Trigger::Rule), &reason);
            Ok(Ok(serde_json::json!({ "handed_off": true })))
        }
        _ => call_tool(turn, tool, input, save),
    }
}

/// Fills in what the engine binds of a tool's input.
pub(super) fn fill_in(
    turn: &Turn<'_>,
    tool: &str,
    input: &mut Map<String, Value>,
) -> Result<(), String> {
    let Some(entry) = turn.spec.flow.tool(tool) else { return Ok(()) };
    for (name, value) in &entry.bind {
        match value.value(turn)? {
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
fn call_tool(
    turn: &mut Turn<'_>,
    tool: &str,
    input: Map<String, Value>,
    save: Option<&String>,
) -> Decided<Result<Value, String>> {
    let answer = match turn.call(tool, Value::Object(input))? {
        Ok(answer) => answer,
        Err(error) => {
            turn.tool_failed();
            return Ok(Err(error.to_string()));
        }
    };
    if !ASIDE.contains(&tool) {
        turn.tool_worked();
    }
    if turn.agreed_to() == Some(tool) {
        turn.use_consent();
    }
    shop::note_tool(turn, tool, &answer);
    let names = turn.spec.flow.tool(tool).map_or(&[][..], |entry| &entry.saves);
    for name in save.map_or(names, std::slice::from_ref) {
        turn.state.memory.saved.insert(name.clone(), answer.clone());
    }
    if let Some(steps) = turn.mode().after.get(tool) {
        run(turn, steps)?;
    }
    Ok(Ok(answer))
}
