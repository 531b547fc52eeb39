//! The facts that conditions and texts may know: the engine's own, and nothing a model said.

use std::borrow::Cow;

use domain::{Money, Terms, money_text};
use jiff::tz::TimeZone;
use pack::Known;
use pack::facts::{self, Situation};
use serde_json::{Map, Value, json};

use super::shop::cart_fact;
use super::thread::{About, about};
use super::turn::Turn;
use crate::form::say::join;

/// Facts about the fields still needed, which may depend on all other facts.
const NEEDED: [&str; 2] = ["minimos", "faltan"];

/// The facts of conditions. Most conditions look at one or two, so a fact is made only when looked
/// at.
impl Known for Turn<'_> {
    fn fact(&self, name: &str) -> Option<Cow<'_, Value>> {
        BeforeData(self).find(name)
    }
}

/// All but what is still needed.
pub(super) struct BeforeData<'s, 'a>(pub(super) &'s Turn<'a>);

impl Known for BeforeData<'_, '_> {
    fn fact(&self, name: &str) -> Option<Cow<'_, Value>> {
        // A needed field may depend on a condition, which must not ask for the needed fields again.
        if NEEDED.contains(&name) { None } else { self.find(name) }
    }
}

impl<'s> BeforeData<'s, '_> {
    /// A name that the pack gives hides the engine's fact of the same name.
    fn find(&self, name: &str) -> Option<Cow<'s, Value>> {
        let turn = self.0;
        let spec = turn.spec;
        if spec.flow.saves().any(|saved| saved == name) {
            let saved = turn.state.memory.saved.get(name);
            return Some(saved.map_or_else(|| Cow::Owned(json!({})), Cow::Borrowed));
        }
        if spec.flow.choice(name).is_some() {
            let chosen = turn.choices().get(name).cloned().unwrap_or_default();
            return Some(Cow::Owned(chosen.into()));
        }
        let given = spec.flow.values.get(name).map(Cow::Borrowed);
        given
            .or_else(|| turn.given.moment.fact(name))
            .or_else(|| Some(Cow::Owned(facts::fact(name)?.of(turn))))
    }
}

/// The facts of a flow's turn.
impl Situation for Turn<'_> {
    fn mode(&self) -> &str {
        &Turn::mode(self).name
    }

    fn data(&self) -> Map<String, Value> {
        known(&self.state.session.data)
    }

    fn missing(&self) -> Vec<&str> {
        Turn::missing(self)
    }

    fn sent(&self) -> Vec<&str> {
        Turn::sent(self).map(|sent| plain(sent)).collect()
    }

    fn seen(&self) -> Vec<&str> {
        self.state.session.seen.iter().map(|seen| seen.intent.as_str()).collect()
    }

    fn intent(&self) -> &str {
        self.intent_name(self.reading.ranking.intent())
    }

    fn confidence(&self) -> f64 {
        self.reading.ranking.confidence()
    }

    fn accepts(&self) -> bool {
        self.reading.accepts
    }

    fn declines(&self) -> bool {
        self.reading.declines
    }

    fn summary_stands(&self) -> bool {
        self.summed_up()
    }

    fn agreed_to(&self) -> &str {
        Turn::agreed_to(self).unwrap_or_default()
    }

    fn proposal(&self) -> Value {
        proposed(self)
    }

    fn clock(&self) -> (i8, i8) {
        local(&self.spec.time_zone, self.given.now)
    }

    fn customer(&self) -> Value {
        customer(self, &self.state.session.data)
    }

    fn previous(&self) -> Value {
        previous(self)
    }

    fn chosen(&self) -> Value {
        chosen(self)
    }

    fn cart(&self) -> Value {
        cart_fact(self)
    }

    fn thread(&self) -> &str {
        about(self).map_or("", About::as_str)
    }

    fn errors(&self) -> u32 {
        self.state.memory.errors
    }

    fn business(&self, fact: &str) -> Value {
        self.given.moment.fact(fact).map(Cow::into_owned).unwrap_or_default()
    }
}

/// Values a template looks at, of all that texts may know: the facts, and each field by its own name.
pub(super) fn values(turn: &Turn<'_>, template: &str) -> Map<String, Value> {
    let told = |name: &str| Some((name.to_owned(), told(turn, name)?));
    turn.spec.pack().templates.uses(template).filter_map(told).collect()
}

fn told(turn: &Turn<'_>, name: &str) -> Option<Value> {
    Some(match name {
        "resumen" => summary(turn).into(),
        "faltantes" | "pendientes" => labels(turn, &turn.missing()).into(),
        "nombre_contacto" => turn.given.contact_name.map(pack::cited).into(),
        _ => match turn.state.session.data.get(name) {
            Some(value) => turn.spec.fields.told_value(name, value),
            None if name == "datos" => Value::Object(known(&told_data(turn))),
            None if name == "cliente" => customer(turn, &told_data(turn)),
            None => turn.fact(name)?.into_owned(),
        },
    })
}

/// All fields as texts are told them.
fn told_data(turn: &Turn<'_>) -> Map<String, Value> {
    let told =
        |(name, value): (&String, &Value)| (name.clone(), turn.spec.fields.told_value(name, value));
    turn.state.session.data.iter().map(told).collect()
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
fn proposed(turn: &Turn<'_>) -> Value {
    let Some(proposal) = &turn.state.session.proposal else {
        return json!({ "herramienta": "", "entrada": {}, "resumen": "", "total_texto": "" });
    };
    let Terms { items, total, currency, .. } = &proposal.terms;
    let items = items.iter().map(|item| format!("{} {}", item.quantity, item.title));
    let items = join(&items.collect::<Vec<_>>(), &turn.spec.fields.and);
    let total = total.zip(*currency).map(|(total, currency)| Money::new(total, currency));
    json!({
        "herramienta": proposal.tool,
        "entrada": proposal.input,
        "resumen": items,
        "total_texto": total.map(money_text).unwrap_or_default(),
    })
}

fn customer(turn: &Turn<'_>, data: &Map<String, Value>) -> Value {
    let own = data.get("nombre").and_then(Value::as_str);
    let name = own.map(str::to_owned).or_else(|| turn.given.contact_name.map(pack::cited));
    let name = name.unwrap_or_default();
    json!({ "nombre": name, "conocido": !name.is_empty() || turn.state.memory.previous.is_some() })
}

fn previous(turn: &Turn<'_>) -> Value {
    match &turn.state.memory.previous {
        Some(previous) => {
            json!({ "hubo": true, "modo": previous.mode, "resumen": previous.summary })
        }
        None => json!({ "hubo": false, "modo": "", "resumen": "" }),
    }
}

/// The chosen option of the first choice that was made, with its values.
fn chosen(turn: &Turn<'_>) -> Value {
    let option = turn.spec.flow.choices.iter().find_map(|choice| {
        let value = turn.choices().get(&choice.name)?;
        choice.option(value)
    });
    let Some(option) = option else { return json!({}) };
    let mut values = option.values.clone();
    values.insert("value".to_owned(), option.value.clone().into());
    values.insert("label".to_owned(), option.label.clone().into());
    Value::Object(values)
}

/// The fields that have a value, as a sentence lists them.
pub(super) fn summary(turn: &Turn<'_>) -> String {
    let spec = &turn.spec.fields;
    let shown = spec.fields.iter().filter_map(|field| {
        let value = turn.state.session.data.get(&field.name).filter(|value| !value.is_null())?;
        let value = spec.told_value(&field.name, value);
        Some(format!("{} ({})", field.label, spec.show(&value)))
    });
    join(&shown.collect::<Vec<_>>(), &spec.and)
}

/// Fields as a sentence lists them: «tu nombre y tu dirección».
fn labels(turn: &Turn<'_>, names: &[&str]) -> String {
    let fields = &turn.spec.fields.fields;
    let label = |name: &&str| fields.iter().find(|field| field.name == **name);
    let labels: Vec<String> =
        names.iter().filter_map(label).map(|field| field.label.clone()).collect();
    join(&labels, &turn.spec.fields.and)
}

/// The hour, from 0 to 23, and the day, from 1 (Monday) to 7, on the pack's clock.
fn local(zone: &TimeZone, at: domain::Timestamp) -> (i8, i8) {
    let at = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
    let local = at.to_zoned(zone.clone());
    (local.hour(), local.weekday().to_monday_one_offset())
}
