//! The moves a model may make now, and the guard on each of them.

use domain::{ToolSpec, Trigger};
use nlu::Normalized;
use pack::files::FieldKind;
use serde_json::{Map, Value, json};

use super::act::{call, go, hand_off};
use super::collect::note_data;
use super::orchestrate::tool;
use super::own_words;
use super::say::{say, send_words, summarise};
use super::shop;
use super::state::FlowState;
use super::understand::asks;
use crate::form::heard::Heard;
use crate::form::names;
use crate::form::nodes::field_type;

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

/// What came of a move.
pub(super) enum Moved {
    /// With what a tool answered, if it was one.
    Done(Option<Value>),
    /// The tool said no, or did not work.
    Failed(String),
    /// The flow does not allow it.
    Refused(String),
}

/// The moves of this moment.
pub(super) fn offered(state: &FlowState<'_>) -> Vec<ToolSpec> {
    let spec = state.spec;
    let mode = spec.mode(&state.mode);
    let mut tools = Vec::new();
    let names = |key: &str, names: &[&str], description: &str| json!({ key: { "type": "string", "enum": names, "description": description } });
    let templates = templates(state);
    if !templates.is_empty() {
        let input = names("template", &templates, "la plantilla");
        tools.push(tool(SAY, "Envía una plantilla al cliente.", input, &["template"]));
    }
    let modes: Vec<&str> = mode.to.iter().map(|way| way.mode.as_str()).collect();
    if !modes.is_empty() {
        let input = names("mode", &modes, "el modo");
        tools.push(tool(GO, "Pasa la conversación a otro modo.", input, &["mode"]));
    }
    if !mode.own_words.is_empty() {
        let input = json!({ "text": { "type": "string" } });
        tools.push(tool(REPLY, &own_words::offer(mode), input, &["text"]));
    }
    let fields =
        spec.fields.fields.iter().map(|field| {
            (field.name.clone(), json!({ "type": "string", "description": field.label }))
        });
    let fields: Map<String, Value> = fields.collect();
    if !fields.is_empty() {
        let about = "Guarda datos tal como el cliente los escribió en este mensaje.";
        tools.push(tool(SAVE, about, Value::Object(fields), &[]));
    }
    let choices = spec.flow.choices.iter().filter(|choice| choice.asked_in.contains(&state.mode));
    let choices: Map<String, Value> = choices
        .map(|choice| {
            let options: Vec<_> = choice.options.iter().map(|one| one.value.as_str()).collect();
            (choice.name.clone(), json!({ "type": "string", "enum": options }))
        })
        .collect();
    if !choices.is_empty() {
        let about = "Anota lo que el cliente eligió en este mensaje.";
        tools.push(tool(CHOOSE, about, Value::Object(choices), &[]));
    }
    let input = json!({ "reason": { "type": "string" } });
    tools.push(tool(HAND_OFF, "Pasa la conversación a una persona.", input, &["reason"]));
    tools.extend(business(state));
    tools
}

/// The templates a model may send here; what sums an order up is the flow's alone.
fn templates<'a>(state: &FlowState<'a>) -> Vec<&'a str> {
    let spec = state.spec;
    let templates = spec.mode(&state.mode).templates.iter();
    let templates = templates.filter(|name| spec.summary(name).is_none());
    templates.map(String::as_str).collect()
}

/// The mode's tools, without what the engine fills in.
fn business(state: &FlowState<'_>) -> Vec<ToolSpec> {
    let names = &state.spec.mode(&state.mode).tools;
    let mut tools = state.context.tools(names);
    for tool in &mut tools {
        let Some(entry) = state.spec.tool(&tool.name) else { continue };
        tool.hide(|name| entry.bind.contains_key(name));
    }
    tools
}

/// Makes a move, if the flow allows it now.
pub(super) async fn make(
    state: &mut FlowState<'_>,
    heard: &Heard<'_>,
    name: &str,
    input: &Value,
) -> Moved {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (moved, what) = match name {
        SAY => (template(state, &text("template")).await, format!("say {}", text("template"))),
        GO => {
            let moved = match go(state, &text("mode")).await {
                Ok(()) => Moved::Done(None),
                Err(reason) => Moved::Refused(reason),
            };
            (moved, format!("go {}", text("mode")))
        }
        REPLY => (reply(state, &text("text")), "reply".to_owned()),
        SAVE => (save(state, heard, input), "save".to_owned()),
        CHOOSE => (choose(state, heard, input), "choose".to_owned()),
        HAND_OFF => {
            let reason: String = text("reason").chars().take(300).collect();
            hand_off(state, Trigger::Rule, &format!("model: {reason}"));
            (Moved::Done(None), String::new())
        }
        tool => (business_call(state, heard, tool, input).await, format!("call {tool}")),
    };
    // Words of a model's own are noted where they are refused.
    if let (Moved::Refused(_), false) = (&moved, name == REPLY) {
        state.notes.refused.push(what);
    }
    moved
}

async fn template(state: &mut FlowState<'_>, name: &str) -> Moved {
    if !templates(state).contains(&name) {
        return Moved::Refused(format!("the template `{name}` is not for {}", state.mode));
    }
    say(state, name).await;
    Moved::Done(None)
}

/// Says a model's own words, if they are acts of speech that the mode lists.
pub(super) fn reply(state: &mut FlowState<'_>, text: &str) -> Moved {
    let reason = if state.spec.mode(&state.mode).own_words.is_empty() {
        Some(format!("{} is answered by templates alone", state.mode))
    } else {
        own_words::allowed(state).refuses(text)
    };
    match reason {
        Some(reason) => {
            state.notes.refused.push("reply".to_owned());
            Moved::Refused(reason)
        }
        None => {
            send_words(state, text.trim().to_owned());
            Moved::Done(None)
        }
    }
}

/// Takes values the customer has just written, each validated; a model can add nothing to them.
fn save(state: &mut FlowState<'_>, heard: &Heard<'_>, input: &Value) -> Moved {
    let Some(input) = input.as_object() else { return Moved::Refused("no object".to_owned()) };
    let mut taken = Vec::new();
    for (name, value) in input {
        let Some(value) = value.as_str() else {
            return Moved::Refused(format!("`{name}` must be text"));
        };
        let fields = &state.spec.fields.fields;
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
        let country = state.spec.fields.country;
        if field.kind == FieldKind::Name && !is_name(value) {
            return Moved::Failed(format!("`{value}` is no name"));
        }
        match nlu::validate(field_type(field.kind, country), value, country) {
            Ok(valid) => taken.push((name.clone(), Value::String(valid.canonical))),
            Err(invalid) => return Moved::Failed(invalid.explain(state.spec.fields.language)),
        }
    }
    for (name, value) in taken {
        let before = state.data.insert(name.clone(), value.clone());
        if before.as_ref() != Some(&value) {
            state.summary_falls();
            state.collected.taken.push(name);
            note_data(state);
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

fn choose(state: &mut FlowState<'_>, heard: &Heard<'_>, input: &Value) -> Moved {
    let Some(input) = input.as_object() else { return Moved::Refused("no object".to_owned()) };
    if asks(heard) {
        return Moved::Refused("the customer is asking, not choosing".to_owned());
    }
    for (name, value) in input {
        let value = value.as_str().unwrap_or_default();
        let asked = state.spec.choice(name).is_some_and(|one| one.asked_in.contains(&state.mode));
        if !asked || state.spec.option(name, value).is_none() {
            return Moved::Refused(format!("`{value}` cannot be chosen as `{name}` now"));
        }
    }
    for (name, value) in input {
        let value = value.as_str().unwrap_or_default().to_owned();
        state.choose(name, &value);
    }
    Moved::Done(None)
}

async fn business_call(
    state: &mut FlowState<'_>,
    heard: &Heard<'_>,
    tool: &str,
    input: &Value,
) -> Moved {
    let spec = state.spec;
    let offered = spec.mode(&state.mode).tools.iter().any(|name| name == tool);
    if !offered {
        return Moved::Refused(format!("`{tool}` is not a move of {}", state.mode));
    }
    let Some(input) = input.as_object() else {
        return Moved::Refused("the input must be an object".to_owned());
    };
    let shown = business(state).into_iter().find(|one| one.name == tool);
    let hidden = |name: &&String| shown.as_ref().is_some_and(|tool| !tool.takes(name));
    if let Some(name) = input.keys().find(hidden) {
        return Moved::Refused(format!("`{name}` is not for a model to say"));
    }
    if SENDS.contains(&tool) {
        let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
        return match tool {
            "whatsapp.message.send" => reply(state, text("texto")),
            _ => template(state, text("plantilla")).await,
        };
    }
    let remarks = REMARKS.iter().filter(|(name, _)| *name == tool);
    let mut remarks = remarks.filter_map(|(_, key)| input.get(*key).and_then(Value::as_str));
    if let Some(remark) = remarks.find(|one| !one.trim().is_empty() && !was_written(heard, one)) {
        return Moved::Refused(format!("the customer did not write `{remark}`"));
    }
    if !spec.holds(spec.tool(tool).and_then(|entry| entry.when.as_ref()), &*state) {
        return Moved::Refused(format!("`{tool}` is not open now"));
    }
    // A cart that was summed up is not emptied piece by piece either.
    if state.memory.shop.cart.would_be_emptied(tool, input) && shop::ask_to_empty(state).await {
        return Moved::Done(None);
    }
    // A call that needs a yes not yet given is shown to the customer instead, and waits for theirs.
    if let Some(summary) = spec.summary_of(tool)
        && state.agreed_to() != Some(tool)
    {
        return match summarise(state, summary, input.clone()).await {
            Ok(()) => Moved::Done(None),
            Err(reason) => Moved::Failed(reason),
        };
    }
    match call(state, tool, input.clone()).await {
        Ok(answer) => {
            // What the model did to the cart is what the message asked for.
            if state.done.any() {
                state.asked.wishes.clear();
            }
            Moved::Done(Some(answer))
        }
        Err(reason) => Moved::Failed(reason),
    }
}
