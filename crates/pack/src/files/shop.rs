//! The `shop` of `flow.yaml`: what a flow sells from a catalogue, and how it speaks of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The goods that a flow sells from a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowShop {
    /// A CSV file of products; a shop that has none yet begins with them.
    #[serde(default)]
    pub catalogue: Option<String>,
    /// The currency of the prices, such as ARS.
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
    /// The intent that asks about a product.
    pub ask: String,
    /// The intent that says which of several products was meant.
    pub choose: String,
}

/// Which template says what.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShopMessages {
    /// Says which goods were put into the cart; {{ agregados }} lists them.
    pub added: String,
    /// Says which goods were taken out; {{ quitados }} lists them.
    pub removed: String,
    /// Says which goods have another number now; {{ cambiados }} lists them.
    pub changed: String,
    /// Asks which of several was meant; {{ producto }} is how the customer called it.
    pub options: String,
    /// There is no such product; {{ producto }} is how the customer called it.
    pub missing: String,
    /// There is not enough: {{ producto }}, {{ quedan }}, {{ alternativas }}.
    pub short: String,
    /// Says that {{ producto }} is not in the cart.
    pub absent: String,
    /// Answers a question about products; {{ productos }} are they.
    pub product: String,
    /// Asks a customer who orders and names nothing what is wanted; without it `unclear` does.
    #[serde(default)]
    pub nothing: Option<String>,
}
