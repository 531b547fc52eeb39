//! Whether the last summary still waits for an answer when a turn ends.

use super::facts::plain;
use super::state::FlowState;

/// A yes is to what was asked last: a summary stays open while the last thing said is one of those
/// that leave its question open, and falls with anything else, since the yes may be to that.
pub(super) fn keep_open(state: &mut FlowState<'_>) {
    let Some(proposal) = state.session.proposal.as_ref().filter(|proposal| proposal.is_open())
    else {
        return;
    };
    let ended = state.handoff.is_some() || state.closes;
    let asks = |last: &str| {
        let summaries = state.spec.flow.summaries.iter();
        summaries.filter(|summary| summary.proposes == proposal.tool).any(|summary| {
            summary.template == last || summary.open_after.iter().any(|open| open == last)
        })
    };
    let open = match state.replies.last() {
        Some(last) => last.template.as_deref().is_some_and(|last| asks(plain(last))),
        None => true,
    };
    if ended || !open {
        state.summary_falls();
    }
}
