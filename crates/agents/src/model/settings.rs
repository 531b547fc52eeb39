//! Which model answers what, and for how much, as the pack says.

use domain::{Budget, Cost, ModelRequest};
use pack::Pack;
use pack::files::Component;

use crate::{Context, ModelAsk};

/// The pack's limits on what models may cost.
fn budget(pack: &Pack) -> Budget {
    let entry = &pack.manifest.budget;
    Budget {
        session_tokens: entry.session_tokens,
        turn: entry.turn_usd.map(Cost::from_usd),
        session: entry.session_usd.map(Cost::from_usd),
        contact_day: entry.contact_usd_per_day.map(Cost::from_usd),
        workspace_day: entry.workspace_usd_per_day.map(Cost::from_usd),
    }
}

/// The component, if a model of it can be asked.
pub(crate) fn served<'p>(
    component: Option<&'p Component>,
    context: &dyn Context,
) -> Option<&'p Component> {
    component.filter(|component| context.serves(&chain(component)))
}

/// The model wanted, then those that may stand in for it.
fn chain(component: &Component) -> Vec<String> {
    [&component.model].into_iter().chain(&component.fallback).cloned().collect()
}

/// A request to the model of a component.
pub(crate) fn ask(
    pack: &Pack,
    name: &str,
    component: &Component,
    mut request: ModelRequest,
) -> ModelAsk {
    request.max_tokens = component.max_tokens;
    request.temperature = component.temperature;
    ModelAsk { component: name.to_owned(), models: chain(component), budget: budget(pack), request }
}
