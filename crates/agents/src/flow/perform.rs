//! `perform`: does outside what deciding waits for, and decides on with what came of it.

use super::plan::{Decided, Observed, Outside};
use super::turn::Turn;
use crate::Context;

/// Decides from the same beginning, each time with one more thing observed, until nothing is left to be
/// observed. `decide` must depend on the turn alone, so that it comes the same way each time.
pub(super) async fn perform<'a, T>(
    turn: &mut Turn<'a>,
    context: &mut dyn Context,
    decide: impl Fn(&mut Turn<'a>) -> Decided<T> + Send,
) -> T {
    let mut observed = Vec::new();
    loop {
        let mut next = turn.clone();
        next.observe(observed);
        let wanted = match decide(&mut next) {
            Ok(value) => {
                next.observe(Vec::new());
                *turn = next;
                return value;
            }
            Err(wanted) => *wanted,
        };
        observed = next.observed();
        observed.push(outside(wanted, &mut *context).await);
    }
}

async fn outside(wanted: Outside, context: &mut dyn Context) -> Observed {
    match wanted {
        Outside::Call { tool, input } => Observed::Called(context.call(&tool, input).await),
        Outside::Propose { tool, input } => {
            Observed::Proposed(context.propose(&tool, input).await.map(Box::new))
        }
        Outside::Ask(ask) => Observed::Answered(context.ask(&ask, None).await),
    }
}
