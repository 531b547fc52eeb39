//! Whether the last summary still waits for an answer when a turn ends.

use super::facts::plain;
use super::turn::Turn;

/// A yes is to what was asked last: a summary stays open while the last thing said is one of those
/// that leave its question open, and falls with anything else, since the yes may be to that.
pub(super) fn keep_open(turn: &mut Turn<'_>) {
    let Some(proposal) = turn.state.session.proposal.as_ref().filter(|proposal| proposal.is_open())
    else {
        return;
    };
    let ended = turn.plan.is_over();
    let asks = |last: &str| {
        let summaries = turn.spec.flow.summaries.iter();
        summaries.filter(|summary| summary.proposes == proposal.tool).any(|summary| {
            summary.template == last || summary.open_after.iter().any(|open| open == last)
        })
    };
    let open = match turn.plan.replies().next_back() {
        Some((_, [last])) => asks(plain(last)),
        Some(_) => false,
        None => true,
    };
    if ended || !open {
        turn.summary_falls();
    }
}
