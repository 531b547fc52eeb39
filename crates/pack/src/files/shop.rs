//! The `shop` of `flow.yaml`: what a flow sells from a catalogue, and how it speaks of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a flow sells from a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowShop {
    /// A CSV file of products; a shop that has none yet begins with them.
    #[serde(default)]
    pub catalogue: Option<String>,
    /// What prices are in, such as ARS.
    #[schemars(
        regex(pattern = r"^[A-Z]{3}$"),
        extend("patternErrorMessage" = "three capital letters, such as ARS")
    )]
    pub currency: String,
    /// The intents that the catalogue settles.
    pub intents: ShopIntents,
    /// Which template says what.
    pub messages: ShopMessages,
}

/// The intents that the catalogue settles.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShopIntents {
    /// A message asks for something to be put into the cart, taken out or changed.
    pub change: String,
    /// It asks about a product.
    pub ask: String,
    /// It says which of several products was meant.
    pub choose: String,
}

/// Which template says what.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShopMessages {
    /// What was put into the cart; {{ agregados }} lists it.
    pub added: String,
    /// What was taken out; {{ quitados }} lists it.
    pub removed: String,
    /// What there is now another number of; {{ cambiados }} lists it.
    pub changed: String,
    /// Asks which of several was meant; {{ producto }} is how the customer called it.
    pub options: String,
    /// There is no such product; {{ producto }} is how the customer called it.
    pub missing: String,
    /// There is not enough: {{ producto }}, {{ quedan }}, {{ alternativas }}.
    pub short: String,
    /// It is not in the cart: {{ producto }}.
    pub absent: String,
    /// Answers a question about products; {{ productos }} are they.
    pub product: String,
    /// Asks a customer who orders and names nothing what is wanted; without it `unclear` does.
    #[serde(default)]
    pub nothing: Option<String>,
}
