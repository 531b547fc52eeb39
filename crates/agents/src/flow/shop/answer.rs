//! `shop: answer`: says what there is to a question about a product.

use serde_json::{Map, Value, json};

use super::change::say_short;
use super::look::{Item, Verdict};
use crate::flow::say::say_message;
use crate::flow::state::FlowState;

/// As many products as one answer tells.
const TOLD: usize = 6;

/// Whether there was anything to say.
pub(in crate::flow) async fn answer(state: &mut FlowState<'_>) -> bool {
    let Some(shop) = &state.spec.flow.shop else { return false };
    let Some(wish) = state.asked.about.take() else {
        // «¿qué precio tiene?» of nothing that was named.
        state.unresolved = true;
        say_message(state, &state.spec.flow.messages.unclear, Map::new());
        return false;
    };
    state.memory.shop.just.shown = wish.found.items.iter().map(Item::goods).take(TOLD).collect();
    let items = &wish.found.items;
    if let (Verdict::One, [item]) = (wish.found.verdict, items.as_slice()) {
        state.memory.shop.speak_of(item.goods());
        if item.available == 0 {
            say_short(state, &item.title, 0, &wish.found.alternatives);
            return true;
        }
    }
    if items.is_empty() {
        let more = Map::from_iter([("producto".to_owned(), json!(wish.called))]);
        say_message(state, &shop.messages.missing, more);
        state.tool_failed();
        return false;
    }
    let products: Vec<Value> = items.iter().take(TOLD).map(|item| item.shown()).collect();
    let more = Map::from_iter([
        ("productos".to_owned(), json!(products)),
        ("producto".to_owned(), json!(wish.called)),
    ]);
    say_message(state, &shop.messages.product, more);
    true
}
