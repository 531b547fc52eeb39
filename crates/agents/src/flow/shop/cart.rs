//! The cart as a flow knows it: what tools said of it last.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::flow::act::call;
use crate::flow::state::FlowState;
use crate::form::say::join;

/// The tools whose answer is the cart.
const CART_TOOLS: [&str; 7] = [
    "add_to_cart",
    "update_cart_item",
    "remove_from_cart",
    "clear_cart",
    "get_cart",
    "set_cart_notes",
    "repeat_last_order",
];

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::flow) struct CartView {
    pub(super) lines: Vec<Line>,
    total: String,
    total_text: String,
    notes: String,
    /// Lines of which there is less than they ask for.
    short: Vec<Short>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub(super) sku: String,
    pub(super) title: String,
    pub(super) product: String,
    pub(super) quantity: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Short {
    title: String,
    quantity: u32,
    available: u32,
}

impl CartView {
    pub(in crate::flow) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// «2 Coca-Cola 1,5 L y 1 Fanta Naranja 500 ml».
    pub(in crate::flow) fn summary(&self, and: &str) -> String {
        let lines = self.lines.iter().map(|line| format!("{} {}", line.quantity, line.title));
        join(&lines.collect::<Vec<_>>(), and)
    }

    /// Whether this call would take the last thing out of it.
    pub(in crate::flow) fn would_be_emptied(&self, tool: &str, input: &Map<String, Value>) -> bool {
        let takes_out = match tool {
            "remove_from_cart" => true,
            "update_cart_item" => input.get("quantity").and_then(Value::as_u64) == Some(0),
            _ => false,
        };
        takes_out && input.get("sku").and_then(Value::as_str).is_some_and(|sku| self.is_all(sku))
    }

    /// Whether there is nothing else in it.
    pub(super) fn is_all(&self, sku: &str) -> bool {
        matches!(self.lines.as_slice(), [only] if only.sku == sku)
    }

    pub(super) fn units_of(&self, sku: &str) -> u32 {
        self.lines.iter().find(|line| line.sku == sku).map_or(0, |line| line.quantity)
    }
}

/// What conditions and texts are told of it.
pub(in crate::flow) fn fact(state: &FlowState<'_>) -> Value {
    let shop = &state.memory.shop;
    let cart = &shop.cart;
    let total = cart.total.parse::<f64>().unwrap_or_default();
    let total_text = if cart.is_empty() { "$0" } else { &cart.total_text };
    json!({
        "vacio": cart.is_empty(),
        "unidades": cart.lines.iter().map(|line| line.quantity).sum::<u32>(),
        "lineas": cart.lines,
        "resumen": cart.summary(state.spec.fields.conjunction()),
        "total": total,
        "total_texto": total_text,
        // A remark is the customer's, or a model's in the customer's name, and never ours.
        "notas": pack::quoted(&cart.notes),
        "sin_stock": cart.short,
        "eligiendo": !shop.choosing.is_empty(),
    })
}

/// Notes what a tool did to the cart.
pub(in crate::flow) fn note(state: &mut FlowState<'_>, tool: &str, answer: &Value) {
    let before = state.memory.shop.cart.clone();
    if CART_TOOLS.contains(&tool) {
        let view = serde_json::from_value(answer.clone());
        state.memory.shop.cart = view.unwrap_or_default();
        note_lines(state, tool, &before);
    } else if tool == "confirm_order" {
        state.memory.shop.cart = CartView::default();
    }
    let changed = state.memory.shop.cart != before;
    // What was summed up is no longer what there is.
    if changed {
        state.summary_falls();
    }
    if tool == "clear_cart" || (changed && state.memory.shop.cart.is_empty()) {
        state.memory.shop.choosing.clear();
    }
}

/// Notes in words what became of each line, until it is told.
fn note_lines(state: &mut FlowState<'_>, tool: &str, before: &CartView) {
    if !["add_to_cart", "update_cart_item", "remove_from_cart"].contains(&tool) {
        return;
    }
    let now = &state.memory.shop.cart;
    for line in &now.lines {
        match before.units_of(&line.sku) {
            had if had == line.quantity => {}
            had if tool == "add_to_cart" => {
                state.done.added.push(format!(
                    "{} {}",
                    line.quantity.saturating_sub(had),
                    line.title
                ));
            }
            _ => state.done.changed.push(format!("{}: ahora {}", line.title, line.quantity)),
        }
    }
    for line in before.lines.iter().filter(|line| now.units_of(&line.sku) == 0) {
        state.done.removed.push(format!("{} {}", line.quantity, line.title));
    }
}

/// Looks at the cart again after a person had the conversation; one that no longer holds together
/// is emptied.
pub(in crate::flow) async fn revive(state: &mut FlowState<'_>) {
    if state.spec.flow.shop.is_none() || state.memory.shop.cart.is_empty() {
        return;
    }
    let Ok(cart) = call(state, "get_cart", Map::new()).await else { return };
    let unsound =
        |key: &str| cart.get(key).and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    if unsound("dropped") || unsound("short") {
        state.notes.other.push("the cart no longer holds together: emptied".to_owned());
        if let Err(reason) = call(state, "clear_cart", Map::new()).await {
            state.notes.other.push(format!("clear_cart: {reason}"));
        }
    }
}
