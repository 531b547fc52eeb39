//! What conditions and texts may know: the engine's own facts, and nothing a model said.

use std::borrow::Cow;

use domain::{Money, Terms, money_text};
use jiff::tz::TimeZone;
use pack::Known;
use serde_json::{Map, Value, json};

use super::shop::cart_fact;
use super::state::FlowState;
use super::thread::{About, about};
use crate::form::say::join;

/// What is still needed, which may depend on all the rest.
const NEEDED: [&str; 2] = ["minimos", "faltan"];

/// What conditions are told. Most look at one or two things, and what nobody looks at is not made.
impl Known for FlowState<'_> {
    fn fact(&self, name: &str) -> Option<Cow<'_, Value>> {
        match name {
            "minimos" => Some(Cow::Owned(json!(self.missing().is_empty()))),
            "faltan" => Some(Cow::Owned(json!(self.missing()))),
            _ => BeforeData(self).find(name),
        }
    }
}

/// All but what is still needed.
pub(super) struct BeforeData<'s, 'a>(pub(super) &'s FlowState<'a>);

impl Known for BeforeData<'_, '_> {
    fn fact(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.find(name).filter(|_| !NEEDED.contains(&name))
    }
}

impl<'s> BeforeData<'s, '_> {
    /// What the pack names goes before what the engine does.
    fn find(&self, name: &str) -> Option<Cow<'s, Value>> {
        let state = self.0;
        let spec = state.spec;
        if spec.saves().any(|saved| saved == name) {
            let saved = state.memory.saved.get(name);
            return Some(saved.map_or_else(|| Cow::Owned(json!({})), Cow::Borrowed));
        }
        if spec.flow.choices.iter().any(|choice| choice.name == name) {
            let chosen = state.choices().get(name).cloned().unwrap_or_default();
            return Some(Cow::Owned(chosen.into()));
        }
        let given = spec.flow.values.get(name).or_else(|| state.moment.get(name));
        given.map(Cow::Borrowed).or_else(|| own(state, name).map(Cow::Owned))
    }
}

/// One of the engine's own facts.
fn own(state: &FlowState<'_>, name: &str) -> Option<Value> {
    Some(match name {
        "modo" => json!(state.mode),
        "datos" => Value::Object(known(&state.data)),
        "enviados" => {
            let sent = state.session.templates_enviados.iter().map(|sent| plain(sent));
            json!(sent.collect::<Vec<_>>())
        }
        "vistos" => {
            let seen = state.session.intents_vistos.iter().map(|seen| seen.intent.as_str());
            json!(seen.collect::<Vec<_>>())
        }
        "intencion" => json!(state.verdict.intent()),
        "confianza" => json!(state.verdict.confidence()),
        "acepta" => json!(state.accepts),
        "rechaza" => json!(state.declines),
        "resumen_vigente" => json!(state.summed_up()),
        "acordado" => json!(state.agreed_to().unwrap_or_default()),
        "propuesta" => proposed(state),
        "nuevo" => json!(state.session.intents_vistos.is_empty()),
        "hora" => json!(local(&state.spec.time_zone, state.now).0),
        "dia" => json!(local(&state.spec.time_zone, state.now).1),
        "cliente" => customer(state, &state.data),
        "anterior" => previous(state),
        "elegido" => chosen(state),
        "carrito" => cart_fact(state),
        "hilo" => json!(about(state).map_or("", About::as_str)),
        "errores" => json!(state.memory.errors),
        _ => return None,
    })
}

/// Values a template looks at, of all that texts may know: the facts, and each field by its own name.
pub(super) fn values(state: &FlowState<'_>, template: &str) -> Map<String, Value> {
    let told = |name: &str| Some((name.to_owned(), told(state, name)?));
    state.spec.pack().templates.uses(template).filter_map(told).collect()
}

fn told(state: &FlowState<'_>, name: &str) -> Option<Value> {
    Some(match name {
        "resumen" => summary(state).into(),
        "faltantes" | "pendientes" => labels(state, &state.missing()).into(),
        "nombre_contacto" => state.contact_name.map(pack::cited).into(),
        _ => match state.data.get(name) {
            Some(value) => state.spec.fields.told_value(name, value),
            None if name == "datos" => Value::Object(known(&told_data(state))),
            None if name == "cliente" => customer(state, &told_data(state)),
            None => state.fact(name)?.into_owned(),
        },
    })
}

/// All fields as texts are told them.
fn told_data(state: &FlowState<'_>) -> Map<String, Value> {
    let told = |(name, value): (&String, &Value)| {
        (name.clone(), state.spec.fields.told_value(name, value))
    };
    state.data.iter().map(told).collect()
}

/// A template that was sent in another form counts as sent.
pub(super) fn plain(sent: &str) -> &str {
    sent.split('#').next().unwrap_or(sent)
}

/// Fields with a value; one the customer goes without is none.
fn known(data: &Map<String, Value>) -> Map<String, Value> {
    let has = |(_, value): &(&String, &Value)| !value.is_null();
    data.iter().filter(has).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The last summary that was shown: which call it proposes, and what that comes to.
fn proposed(state: &FlowState<'_>) -> Value {
    let Some(proposal) = &state.session.proposal else {
        return json!({ "herramienta": "", "entrada": {}, "resumen": "", "total_texto": "" });
    };
    let Terms { items, total, currency, .. } = &proposal.terms;
    let items = items.iter().map(|item| format!("{} {}", item.quantity, item.title));
    let items = join(&items.collect::<Vec<_>>(), state.spec.fields.conjunction());
    let total = total.zip(*currency).map(|(total, currency)| Money::new(total, currency));
    json!({
        "herramienta": proposal.tool,
        "entrada": proposal.input,
        "resumen": items,
        "total_texto": total.map(money_text).unwrap_or_default(),
    })
}

fn customer(state: &FlowState<'_>, data: &Map<String, Value>) -> Value {
    let own = data.get("nombre").and_then(Value::as_str);
    let name = own.map(str::to_owned).or_else(|| state.contact_name.map(pack::cited));
    let name = name.unwrap_or_default();
    json!({ "nombre": name, "conocido": !name.is_empty() || state.memory.previous.is_some() })
}

fn previous(state: &FlowState<'_>) -> Value {
    match &state.memory.previous {
        Some(previous) => {
            json!({ "hubo": true, "modo": previous.mode, "resumen": previous.summary })
        }
        None => json!({ "hubo": false, "modo": "", "resumen": "" }),
    }
}

/// The chosen option of the first choice that was made, with its values.
fn chosen(state: &FlowState<'_>) -> Value {
    let option = state.spec.flow.choices.iter().find_map(|choice| {
        let value = state.choices().get(&choice.name)?;
        state.spec.option(&choice.name, value)
    });
    let Some(option) = option else { return json!({}) };
    let mut values = option.values.clone();
    values.insert("value".to_owned(), option.value.clone().into());
    values.insert("label".to_owned(), option.label.clone().into());
    Value::Object(values)
}

/// The fields that have a value, as a sentence lists them.
pub(super) fn summary(state: &FlowState<'_>) -> String {
    let spec = &state.spec.fields;
    let shown = spec.fields.iter().filter_map(|field| {
        let value = state.data.get(&field.name).filter(|value| !value.is_null())?;
        let value = spec.told_value(&field.name, value);
        Some(format!("{} ({})", field.label, spec.show(&value)))
    });
    join(&shown.collect::<Vec<_>>(), spec.conjunction())
}

/// Fields as a sentence lists them: «tu nombre y tu dirección».
fn labels(state: &FlowState<'_>, names: &[&str]) -> String {
    let fields = &state.spec.fields.fields;
    let label = |name: &&str| fields.iter().find(|field| field.name == **name);
    let labels: Vec<String> =
        names.iter().filter_map(label).map(|field| field.label.clone()).collect();
    join(&labels, state.spec.fields.conjunction())
}

/// The hour, from 0 to 23, and the day, from 1 (Monday) to 7, on the pack's clock.
fn local(zone: &TimeZone, at: domain::Timestamp) -> (i8, i8) {
    let at = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
    let local = at.to_zoned(zone.clone());
    (local.hour(), local.weekday().to_monday_one_offset())
}
