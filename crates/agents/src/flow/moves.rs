//! The moves a model may make now, and the guard on each of them.

use domain::{ToolSpec, Trigger};
use nlu::Normalized;
use pack::files::FieldKind;
use serde_json::{Map, Value, json};

use super::act::{call, go_named, hand_off};
use super::collect::note_data;
use super::orchestrate::tool;
use super::own_words;
use super::plan::{Decided, Effect};
use super::say::{say, say_words, summarise};
use super::shop;
use super::turn::Turn;
use super::understand::asks;
use crate::Context;
use crate::form::explain;
use crate::form::field_type;
use crate::form::heard::Heard;
use crate::form::names;

const SAY: &str = "flow.say";
const GO: &str = "flow.go";
const REPLY: &str = "flow.reply";
const SAVE: &str = "flow.save";
const CHOOSE: &str = "flow.choose";
const HAND_OFF: &str = "flow.hand_off";

/// Inputs of tools that are words of the customer's: a model passes them on and adds nothing.
const REMARKS: [(&str, &str); 1] = [("set_cart_notes", "notes")];

/// Tools by which the turn itself speaks.
const SENDS: [&str; 2] = ["whatsapp.message.send", "whatsapp.template.send"];

/// The outcome of a move.
pub(super) enum Moved {
    /// With what a tool answered, if it was one.
    Done(Option<Value>),
    /// The tool said no, or did not work.
    Failed(String),
    /// The flow does not allow it.
    Refused(String),
}

/// The moves of this moment.
pub(super) fn offered(turn: &Turn<'_>, context: &dyn Context) -> Vec<ToolSpec> {
    let spec = turn.spec;
    let frames = &spec.pack().frames;
    let mode = turn.mode();
    let mut tools = Vec::new();
    let names = |key: &str, names: &[&str], description: &str| json!({ key: { "type": "string", "enum": names, "description": description } });
    let templates = templates(turn);
    if !templates.is_empty() {
        let input = names("template", &templates, &frames.say_template());
        tools.push(tool(SAY, &frames.say(), input, &["template"]));
    }
    let modes: Vec<&str> = mode.to.iter().map(|way| spec.flow.mode(way.to).name.as_str()).collect();
    if !modes.is_empty() {
        let input = names("mode", &modes, &frames.go_mode());
        tools.push(tool(GO, &frames.go(), input, &["mode"]));
    }
    if !mode.own_words.is_empty() {
        let input = json!({ "text": { "type": "string" } });
        tools.push(tool(REPLY, &own_words::offer(frames, mode), input, &["text"]));
    }
    let fields =
        spec.fields.fields.iter().map(|field| {
            (field.name.clone(), json!({ "type": "string", "description": field.label }))
        });
    let fields: Map<String, Value> = fields.collect();
    if !fields.is_empty() {
        tools.push(tool(SAVE, &frames.save(), Value::Object(fields), &[]));
    }
    let choices =
        spec.flow.choices.iter().filter(|choice| choice.asked_in.contains(&turn.state.mode));
    let choices: Map<String, Value> = choices
        .map(|choice| {
            let options: Vec<_> = choice.options.iter().map(|one| one.value.as_str()).collect();
            (choice.name.clone(), json!({ "type": "string", "enum": options }))
        })
        .collect();
    if !choices.is_empty() {
        tools.push(tool(CHOOSE, &frames.choose(), Value::Object(choices), &[]));
    }
    let input = json!({ "reason": { "type": "string" } });
    tools.push(tool(HAND_OFF, &frames.hand_off(), input, &["reason"]));
    tools.extend(business(turn, context));
    tools
}

/// The templates a model may send here; what sums an order up is the flow's alone.
fn templates<'a>(turn: &Turn<'a>) -> Vec<&'a str> {
    let spec = turn.spec;
    let templates = turn.mode().templates.iter();
    let templates = templates.filter(|name| spec.summary(name).is_none());
    templates.map(String::as_str).collect()
}

/// The mode's tools, without what the engine fills in.
pub(super) fn business(turn: &Turn<'_>, context: &dyn Context) -> Vec<ToolSpec> {
    let names = &turn.mode().tools;
    let mut tools = context.tools(names);
    for tool in &mut tools {
        let Some(entry) = turn.spec.flow.tool(&tool.name) else { continue };
        tool.hide(|name| entry.bind.iter().any(|(bound, _)| bound == name));
    }
    tools
}

/// Makes a move, if the flow allows it now. `tools` are the mode's own.
pub(super) fn make(
    turn: &mut Turn<'_>,
    heard: &Heard<'_>,
    tools: &[ToolSpec],
    name: &str,
    input: &Value,
) -> Decided<Moved> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (moved, what) = match name {
        SAY => (template(turn, &text("template"))?, format!("say {}", text("template"))),
        GO => {
            let moved = match go_named(turn, &text("mode"))? {
                Ok(()) => Moved::Done(None),
                Err(reason) => Moved::Refused(reason),
            };
            (moved, format!("go {}", text("mode")))
        }
        REPLY => (reply(turn, &text("text")), "reply".to_owned()),
        SAVE => (save(turn, heard, input), "save".to_owned()),
        CHOOSE => (choose(turn, heard, input), "choose".to_owned()),
        HAND_OFF => {
            let reason: String = text("reason").chars().take(300).collect();
            hand_off(turn, Trigger::Rule, &format!("model: {reason}"));
            (Moved::Done(None), String::new())
        }
        tool => (business_call(turn, heard, tools, tool, input)?, format!("call {tool}")),
    };
    // Words of a model's own are noted where they are refused.
    if let (Moved::Refused(_), false) = (&moved, name == REPLY) {
        turn.notes.refused.push(what);
    }
    Ok(moved)
}

fn template(turn: &mut Turn<'_>, name: &str) -> Decided<Moved> {
    if !templates(turn).contains(&name) {
        let mode = &turn.mode().name;
        return Ok(Moved::Refused(format!("the template `{name}` is not for {mode}")));
    }
    say(turn, name)?;
    Ok(Moved::Done(None))
}

/// Says a model's own words, if they are acts of speech that the mode lists.
pub(super) fn reply(turn: &mut Turn<'_>, text: &str) -> Moved {
    let reason = if turn.mode().own_words.is_empty() {
        Some(format!("{} is answered by templates alone", turn.mode().name))
    } else {
        own_words::allowed(turn).refuses(text)
    };
    match reason {
        Some(reason) => {
            turn.notes.refused.push("reply".to_owned());
            Moved::Refused(reason)
        }
        None => {
            say_words(turn, text.trim().to_owned());
            Moved::Done(None)
        }
    }
}

/// Takes values the customer has just written, each validated; a model can add nothing to them.
fn save(turn: &mut Turn<'_>, heard: &Heard<'_>, input: &Value) -> Moved {
    let Some(input) = input.as_object() else { return Moved::Refused("no object".to_owned()) };
    let mut taken = Vec::new();
    for (name, value) in input {
        let Some(value) = value.as_str() else {
            return Moved::Refused(format!("`{name}` must be text"));
        };
        let fields = &turn.spec.fields.fields;
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            return Moved::Refused(format!("there is no field `{name}`"));
        };
        if !was_written(heard, value) {
            return Moved::Refused(format!("the customer did not write `{value}`"));
        }
        // A datum that asks would stand in a summary as a question, and take the yes for its own.
        if value.contains(['?', '¿']) {
            return Moved::Failed(format!("`{value}` is a question"));
        }
        let country = turn.spec.fields.country;
        if field.kind == FieldKind::Name && !is_name(value) {
            return Moved::Failed(format!("`{value}` is no name"));
        }
        match nlu::validate(field_type(field.kind, country), value, country) {
            Ok(valid) => taken.push((name.clone(), Value::String(valid.canonical))),
            Err(invalid) => {
                return Moved::Failed(explain(&invalid, &turn.spec.pack().explanations));
            }
        }
    }
    for (field, value) in taken {
        if turn.state.session.data.get(&field) != Some(&value) {
            turn.summary_falls();
            turn.reading.collected.taken.push(field.clone());
            turn.will(Effect::Save { field, value });
            note_data(turn);
        }
    }
    Moved::Done(None)
}

fn is_name(value: &str) -> bool {
    names::spelt(value).is_some() && !value.contains(|c: char| c.is_numeric())
}

/// Whether these words, or these digits, are in the customer's message.
fn was_written(heard: &Heard<'_>, value: &str) -> bool {
    let normal = Normalized::new(value);
    let (message, value) = (format!(" {} ", heard.text.plain()), normal.plain());
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let number = digits(value);
    let only_digits = number.len() >= 7 && value.chars().all(|c| !c.is_alphabetic());
    !value.is_empty()
        && (message.contains(&format!(" {value} "))
            || (only_digits && digits(heard.text.original()).contains(&number)))
}

fn choose(turn: &mut Turn<'_>, heard: &Heard<'_>, input: &Value) -> Moved {
    let Some(input) = input.as_object() else { return Moved::Refused("no object".to_owned()) };
    if asks(heard) {
        return Moved::Refused("the customer is asking, not choosing".to_owned());
    }
    for (name, value) in input {
        let value = value.as_str().unwrap_or_default();
        let asked =
            turn.spec.flow.choice(name).filter(|one| one.asked_in.contains(&turn.state.mode));
        if asked.is_none_or(|choice| choice.option(value).is_none()) {
            return Moved::Refused(format!("`{value}` cannot be chosen as `{name}` now"));
        }
    }
    for (name, value) in input {
        let value = value.as_str().unwrap_or_default().to_owned();
        turn.choose(name, &value);
    }
    Moved::Done(None)
}

/// A call of one of the mode's tools.
fn business_call(
    turn: &mut Turn<'_>,
    heard: &Heard<'_>,
    tools: &[ToolSpec],
    tool: &str,
    input: &Value,
) -> Decided<Moved> {
    let offered = turn.mode().tools.iter().any(|name| name == tool);
    if !offered {
        return Ok(Moved::Refused(format!("`{tool}` is not a move of {}", turn.mode().name)));
    }
    let Some(input) = input.as_object() else {
        return Ok(Moved::Refused("the input must be an object".to_owned()));
    };
    let shown = tools.iter().find(|one| one.name == tool);
    let hidden = |name: &&String| shown.is_some_and(|tool| !tool.takes(name));
    if let Some(name) = input.keys().find(hidden) {
        return Ok(Moved::Refused(format!("`{name}` is not for a model to say")));
    }
    if SENDS.contains(&tool) {
        let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
        return match tool {
            "whatsapp.message.send" => Ok(reply(turn, text("texto"))),
            _ => template(turn, text("plantilla")),
        };
    }
    let remarks = REMARKS.iter().filter(|(name, _)| *name == tool);
    let mut remarks = remarks.filter_map(|(_, key)| input.get(*key).and_then(Value::as_str));
    if let Some(remark) = remarks.find(|one| !one.trim().is_empty() && !was_written(heard, one)) {
        return Ok(Moved::Refused(format!("the customer did not write `{remark}`")));
    }
    if turn.spec.flow.tool(tool).is_some_and(|entry| !entry.when.holds(&*turn)) {
        return Ok(Moved::Refused(format!("`{tool}` is not open now")));
    }
    act(turn, tool, input)
}

/// Calls a tool that a model may call now, or shows the customer what it would come to.
fn act(turn: &mut Turn<'_>, tool: &str, input: &Map<String, Value>) -> Decided<Moved> {
    // A cart that was summed up is not emptied piece by piece either.
    if turn.state.memory.shop.cart.would_be_emptied(tool, input) && shop::ask_to_empty(turn)? {
        return Ok(Moved::Done(None));
    }
    // A call that needs a yes not yet given is shown to the customer instead, and waits for theirs.
    if let Some(summary) = turn.spec.summary_of(tool)
        && turn.agreed_to() != Some(tool)
    {
        return Ok(match summarise(turn, summary, input.clone())? {
            Ok(()) => Moved::Done(None),
            Err(reason) => Moved::Failed(reason),
        });
    }
    Ok(match call(turn, tool, input.clone())? {
        Ok(answer) => {
            // The model's changes of the cart stand for those that the message asked for.
            if turn.progress.done.any() {
                turn.reading.asked.wishes.clear();
            }
            Moved::Done(Some(answer))
        }
        Err(reason) => Moved::Failed(reason),
    })
}
