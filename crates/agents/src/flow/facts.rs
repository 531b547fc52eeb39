//! What conditions and texts may know: the engine's own facts, and nothing a model said.

use jiff::tz::TimeZone;
use pack::Facts;
use serde_json::{Map, Value, json};

use super::shop::cart_fact;
use super::state::FlowState;
use super::thread::{About, about};
use crate::form::say::join;

/// What conditions are told.
pub(super) fn facts(state: &FlowState<'_>) -> Facts {
    let mut facts = before_data(state);
    let missing = state.missing();
    facts.insert("minimos".to_owned(), json!(missing.is_empty()));
    facts.insert("faltan".to_owned(), json!(missing));
    facts
}

/// All but what is still needed, which may depend on these.
pub(super) fn before_data(state: &FlowState<'_>) -> Facts {
    let spec = state.spec;
    let seen = state.session.intents_vistos.iter().map(|seen| seen.intent.as_str());
    let (hora, dia) = local(&spec.time_zone, state.now);
    let sent: Vec<&str> = state.session.templates_enviados.iter().map(|sent| plain(sent)).collect();
    let mut facts = Map::from_iter([
        ("modo".to_owned(), json!(state.mode)),
        ("datos".to_owned(), Value::Object(known(&state.data))),
        ("enviados".to_owned(), json!(sent)),
        ("vistos".to_owned(), json!(seen.collect::<Vec<_>>())),
        ("intencion".to_owned(), json!(state.verdict.intent())),
        ("confianza".to_owned(), json!(state.verdict.confidence())),
        ("acepta".to_owned(), json!(state.accepts)),
        ("rechaza".to_owned(), json!(state.declines)),
        ("resumen_vigente".to_owned(), json!(state.memory.summed_up)),
        ("nuevo".to_owned(), json!(state.session.intents_vistos.is_empty())),
        ("hora".to_owned(), json!(hora)),
        ("dia".to_owned(), json!(dia)),
        ("cliente".to_owned(), customer(state)),
        ("anterior".to_owned(), previous(state)),
        ("elegido".to_owned(), chosen(state)),
        ("carrito".to_owned(), cart_fact(state)),
        ("hilo".to_owned(), json!(about(state).map_or("", About::as_str))),
        ("errores".to_owned(), json!(state.memory.errors)),
    ]);
    facts.extend(state.moment.clone());
    for (name, value) in &spec.flow.values {
        facts.insert(name.clone(), value.clone());
    }
    for choice in &spec.flow.choices {
        let chosen = state.choices().get(&choice.name).cloned().unwrap_or_default();
        facts.insert(choice.name.clone(), chosen.into());
    }
    for name in spec.saves() {
        let saved = state.memory.saved.get(name).cloned().unwrap_or_else(|| json!({}));
        facts.insert(name.clone(), saved);
    }
    facts
}

/// What texts are told: the same, and each field by its own name.
pub(super) fn values(state: &FlowState<'_>) -> Map<String, Value> {
    let mut values = facts(state);
    values.extend(state.data.clone());
    values.insert("resumen".to_owned(), listed(state, |name| state.data.contains_key(name)).into());
    let missing = state.missing();
    values.insert("faltantes".to_owned(), labels(state, &missing).into());
    values.insert("pendientes".to_owned(), labels(state, &missing).into());
    values.insert("nombre_contacto".to_owned(), state.contact_name.into());
    values
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

fn customer(state: &FlowState<'_>) -> Value {
    let own = state.data.get("nombre").and_then(Value::as_str);
    let name = own.or(state.contact_name).unwrap_or_default();
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

fn listed(state: &FlowState<'_>, wanted: impl Fn(&str) -> bool) -> String {
    let fields = &state.spec.fields.fields;
    let shown = fields.iter().filter(|field| wanted(&field.name)).filter_map(|field| {
        let value = state.data.get(&field.name).filter(|value| !value.is_null())?;
        Some(format!("{} ({})", field.label, state.spec.fields.show(value)))
    });
    join(&shown.collect::<Vec<_>>(), state.spec.fields.conjunction())
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
