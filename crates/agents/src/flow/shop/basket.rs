//! What was picked from the channel's catalogue: wished for by its code, so that nothing is guessed.

use super::Wish;
use super::look::look_by_sku;
use crate::flow::state::FlowState;

/// As many things as one message picks.
const MOST: usize = 50;

/// The wishes of what was picked. What the shop does not have under that very code is not found,
/// whatever else is called so; what the message says it costs is not asked.
pub(super) async fn wishes(state: &mut FlowState<'_>) -> Vec<Wish> {
    let picked = std::mem::take(&mut state.picked);
    let mut wishes = Vec::new();
    for one in picked.into_iter().filter(|one| one.quantity > 0).take(MOST) {
        let found = look_by_sku(state, &one.sku).await;
        let quantity = Some(one.quantity);
        wishes.push(Wish { quantity, called: one.sku, found, sure: true, ..Wish::default() });
    }
    wishes
}
