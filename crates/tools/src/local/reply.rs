//! `whatsapp.message.send` and `whatsapp.template.send`: what an agent may say, as tools that a
//! model can choose. They are the turn's own replies, so the outbox sends them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Spec;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by the agent; here it is the schema")]
struct Message {
    /// The text for the customer.
    #[schemars(length(min = 1, max = 4096))]
    texto: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by the agent; here it is the schema")]
struct Template {
    /// The name of a template of the pack.
    #[schemars(length(min = 1, max = 100))]
    plantilla: String,
    /// The values filled into it.
    valores: Option<BTreeMap<String, String>>,
}

pub(crate) fn message() -> Spec {
    Spec::of::<Message>("whatsapp.message.send", "Writes to the customer in your own words.")
}

pub(crate) fn template() -> Spec {
    Spec::of::<Template>("whatsapp.template.send", "Sends the customer a template of the pack.")
}
