//! Parameters that models do not take: learnt from their refusals, and left out from then on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::{CallFailure, FailureKind};

/// The parameters that each model of a provider has refused; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Refusals(Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>);

/// The parameters that one model has refused so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refused(BTreeSet<String>);

impl Refused {
    /// Whether a parameter may be sent, for all that is known.
    pub(crate) fn takes(&self, parameter: &str) -> bool {
        !self.0.contains(parameter)
    }
}

impl Refusals {
    pub(crate) fn of(&self, model: &str) -> Refused {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Refused(known.get(model).cloned().unwrap_or_default())
    }

    /// Learns from a failed call. If the model refuses a parameter that was sent and that the
    /// request can do without, the failure says so: the same call, repeated, goes without it.
    pub(crate) fn learn(
        &self,
        model: &str,
        sent: &Value,
        can_do_without: &[&'static str],
        failure: CallFailure,
    ) -> CallFailure {
        if failure.kind != FailureKind::BadRequest {
            return failure;
        }
        let spared = |named: &String| spared(named, sent, can_do_without);
        let Some(parameter) = failure.refuses.iter().find_map(spared) else { return failure };
        tracing::warn!(model, parameter, "the model does not take a parameter; it is left out");
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(model.to_owned()).or_default().insert(parameter.to_owned());
        CallFailure { kind: FailureKind::UnsupportedParameter, refuses: Vec::new(), ..failure }
    }
}

/// The parameter of the request that a name in an error means: its own name (`temperature`), the
/// parameter it is part of (`output_config.format`), or a part of others (`tools.0.strict`).
fn spared(named: &str, sent: &Value, can_do_without: &[&'static str]) -> Option<&'static str> {
    let steps: Vec<&str> =
        named.split(['.', '[', ']']).filter(|step| !step.is_empty() && *step != "body").collect();
    let (first, last) = (steps.first()?, steps.last()?);
    let known = |name: &str| can_do_without.iter().copied().find(|known| *known == name);
    let whole = known(first).filter(|name| sent.get(name).is_some());
    let part = || known(last).filter(|name| steps.len() > 1 && has_within(sent, name));
    let found = whole.or_else(part)?;
    // `tool_choice` may be left out only if it has the default value.
    let choice = sent.get("tool_choice");
    let forces = choice.is_some_and(|choice| *choice != "auto" && choice["type"] != "auto");
    (found != "tool_choice" || !forces).then_some(found)
}

fn has_within(value: &Value, name: &str) -> bool {
    match value {
        Value::Object(fields) => {
            fields.iter().any(|(field, value)| field == name || has_within(value, name))
        }
        Value::Array(items) => items.iter().any(|item| has_within(item, name)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_refusal_is_learnt_for_its_model_if_the_request_can_do_without() {
        let sent = json!({
            "model": "m", "max_tokens": 5, "temperature": 0.2, "tool_choice": "auto",
            "output_config": {"format": {}}, "tools": [{"name": "t", "strict": true}],
        });
        let without = ["temperature", "output_config", "strict", "tool_choice", "stream_options"];
        for (named, learnt) in [
            (vec!["temperature"], Some("temperature")),
            (vec!["body.temperature"], Some("temperature")),
            (vec!["output_config.format.schema"], Some("output_config")),
            (vec!["tools.0.strict"], Some("strict")),
            (vec!["tools[0].function.strict"], Some("strict")),
            (vec!["nobody", "temperature"], Some("temperature")),
            (vec!["tool_choice"], Some("tool_choice")),
            (vec!["strict"], None),
            (vec!["max_tokens"], None),
            (vec!["model", "messages[0].role"], None),
            (vec!["stream_options"], None),
            (vec![], None),
        ] {
            let refusals = Refusals::default();
            let refuses = named.iter().map(|name| (*name).to_owned()).collect();
            let failure =
                CallFailure { refuses, ..CallFailure::new(FailureKind::BadRequest, "no") };
            let failure = refusals.learn("m", &sent, &without, failure);
            let kind = if learnt.is_some() {
                FailureKind::UnsupportedParameter
            } else {
                FailureKind::BadRequest
            };
            assert_eq!(failure.kind, kind, "{named:?}");
            for name in without {
                assert_eq!(refusals.of("m").takes(name), Some(name) != learnt, "{named:?} {name}");
                assert!(refusals.of("another").takes(name));
            }
        }
    }

    #[test]
    fn a_choice_that_forces_is_never_left_out_and_other_failures_teach_nothing() {
        let refused = |kind| CallFailure {
            refuses: vec!["tool_choice".to_owned()],
            ..CallFailure::new(kind, "no")
        };
        for (choice, kind) in [
            (json!("required"), FailureKind::BadRequest),
            (json!({"type": "any"}), FailureKind::BadRequest),
            (json!({"type": "none"}), FailureKind::BadRequest),
            (json!("auto"), FailureKind::Server),
        ] {
            let refusals = Refusals::default();
            let sent = json!({ "tool_choice": choice });
            assert_eq!(refusals.learn("m", &sent, &["tool_choice"], refused(kind)).kind, kind);
            assert!(refusals.of("m").takes("tool_choice"), "{choice}");
        }
    }
}
