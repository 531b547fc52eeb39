//! `shop: answer`: says what there is to a question about a product.

use serde_json::{Map, Value, json};

use super::change::say_short;
use super::look::{Item, MatchKind};
use crate::flow::say::say_message;
use crate::flow::turn::Turn;

/// As many products as one answer tells.
const TOLD: usize = 6;

/// Whether there was anything to say.
pub(in crate::flow) fn answer(turn: &mut Turn<'_>) -> bool {
    let Some(shop) = &turn.spec.flow.shop else { return false };
    let Some(wish) = turn.reading.asked.about.take() else {
        // «¿qué precio tiene?» of nothing that was named.
        turn.progress.unresolved = true;
        say_message(turn, &turn.spec.flow.messages.unclear, Map::new());
        return false;
    };
    turn.state.memory.shop.just.shown =
        wish.found.items.iter().map(Item::goods).take(TOLD).collect();
    let items = &wish.found.items;
    if let (MatchKind::One, [item]) = (wish.found.kind, items.as_slice()) {
        turn.state.memory.shop.speak_of(item.goods());
        if item.available == 0 {
            say_short(turn, &item.title, 0, &wish.found.alternatives);
            return true;
        }
    }
    if wish.found.kind == MatchKind::Unknown {
        say_message(turn, &turn.spec.flow.messages.failed, Map::new());
        turn.tool_failed();
        return false;
    }
    if items.is_empty() {
        let more = Map::from_iter([("producto".to_owned(), json!(wish.called))]);
        say_message(turn, &shop.messages.missing, more);
        turn.tool_failed();
        return false;
    }
    let products: Vec<Value> = items.iter().take(TOLD).map(|item| item.shown()).collect();
    let more = Map::from_iter([
        ("productos".to_owned(), json!(products)),
        ("producto".to_owned(), json!(wish.called)),
    ]);
    say_message(turn, &shop.messages.product, more);
    true
}
