//! Goods picked from the channel's catalogue: wished for by their codes, so that nothing is guessed.

use super::Wish;
use super::look::look_by_sku;
use crate::Context;
use crate::flow::turn::Turn;

/// As many things as one message picks.
const MOST: usize = 50;

/// The wishes for the goods that were picked. Goods that the shop does not have under that very code
/// are not found, whatever else is called so; what the message says they cost is not asked.
pub(super) async fn wishes(turn: &mut Turn<'_>, context: &mut dyn Context) -> Vec<Wish> {
    let picked = &turn.given.picked;
    let mut wishes = Vec::new();
    for one in picked.iter().filter(|one| one.quantity > 0).take(MOST) {
        let found = look_by_sku(turn, context, &one.sku).await;
        let quantity = Some(one.quantity);
        wishes.push(Wish {
            quantity,
            called: one.sku.clone(),
            found,
            sure: true,
            ..Wish::default()
        });
    }
    wishes
}
