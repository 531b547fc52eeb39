//! The cart as a flow knows it: what tools said of it last.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::flow::act::call;
use crate::flow::facts::plain;
use crate::flow::plan::Decided;
use crate::flow::turn::Turn;
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

/// The cart as conditions and texts are told of it.
pub(in crate::flow) fn fact(turn: &Turn<'_>) -> Value {
    let shop = &turn.state.memory.shop;
    let cart = &shop.cart;
    let total = cart.total.parse::<f64>().unwrap_or_default();
    let total_text = if cart.is_empty() { "$0" } else { &cart.total_text };
    json!({
        "vacio": cart.is_empty(),
        "recien_cambio": !cart.is_empty() && told_of_a_change(turn),
        "unidades": cart.lines.iter().map(|line| line.quantity).sum::<u32>(),
        "lineas": cart.lines,
        "resumen": cart.summary(&turn.spec.fields.and),
        "total": total,
        "total_texto": total_text,
        // A remark is the customer's, or a model's in the customer's name, and never ours.
        "notas": pack::quoted(&cart.notes),
        "sin_stock": cart.short,
        "eligiendo": !shop.choosing.is_empty(),
    })
}

/// Whether the last thing that was said is that the cart changed.
fn told_of_a_change(turn: &Turn<'_>) -> bool {
    let Some(shop) = &turn.spec.flow.shop else { return false };
    let told = [&shop.messages.added, &shop.messages.removed, &shop.messages.changed];
    let last = turn.sent().last().map(|sent| plain(sent));
    last.is_some_and(|last| told.iter().any(|template| *template == last))
}

/// Notes what a tool did to the cart.
pub(in crate::flow) fn note(turn: &mut Turn<'_>, tool: &str, answer: &Value) {
    let before = turn.state.memory.shop.cart.clone();
    if CART_TOOLS.contains(&tool) {
        match read(answer) {
            Ok(view) => {
                turn.state.memory.shop.cart = view;
                note_lines(turn, tool, &before);
            }
            // The cart is not known any more: no summary of it may be agreed to.
            Err(error) => {
                turn.notes.other.push(format!("{tool}: its answer is no cart: {error}"));
                turn.tool_failed();
                turn.summary_falls();
            }
        }
    } else if tool == "confirm_order" {
        turn.state.memory.shop.cart = CartView::default();
    }
    let changed = turn.state.memory.shop.cart != before;
    // A summary told of another cart.
    if changed {
        turn.summary_falls();
    }
    if tool == "clear_cart" || (changed && turn.state.memory.shop.cart.is_empty()) {
        turn.state.memory.shop.choosing.clear();
    }
}

/// The cart that a tool answered with; an answer without lines is no cart, not even an empty one.
fn read(answer: &Value) -> Result<CartView, String> {
    if !answer.get("lines").is_some_and(Value::is_array) {
        return Err("it has no lines".to_owned());
    }
    serde_json::from_value(answer.clone()).map_err(|error| error.to_string())
}

/// Notes in words what became of each line, until it is told.
fn note_lines(turn: &mut Turn<'_>, tool: &str, before: &CartView) {
    if !["add_to_cart", "update_cart_item", "remove_from_cart"].contains(&tool) {
        return;
    }
    let now = &turn.state.memory.shop.cart;
    for line in &now.lines {
        match before.units_of(&line.sku) {
            had if had == line.quantity => {}
            had if tool == "add_to_cart" => {
                turn.progress.done.added.push(format!(
                    "{} {}",
                    line.quantity.saturating_sub(had),
                    line.title
                ));
            }
            _ => {
                let own = &turn.spec.pack().sentences;
                let now = own.now_in_cart(&line.title, &line.quantity.to_string());
                turn.progress.done.changed.push(now);
            }
        }
    }
    for line in before.lines.iter().filter(|line| now.units_of(&line.sku) == 0) {
        turn.progress.done.removed.push(format!("{} {}", line.quantity, line.title));
    }
}

/// Looks at the cart again after a person had the conversation; one that no longer holds together
/// is emptied.
pub(in crate::flow) fn revive(turn: &mut Turn<'_>) -> Decided<()> {
    if turn.spec.flow.shop.is_none() || turn.state.memory.shop.cart.is_empty() {
        return Ok(());
    }
    let Ok(cart) = call(turn, "get_cart", Map::new())? else { return Ok(()) };
    let unsound =
        |key: &str| cart.get(key).and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    if unsound("dropped") || unsound("short") {
        turn.notes.other.push("the cart no longer holds together: emptied".to_owned());
        if let Err(reason) = call(turn, "clear_cart", Map::new())? {
            turn.notes.other.push(format!("clear_cart: {reason}"));
        }
    }
    Ok(())
}
