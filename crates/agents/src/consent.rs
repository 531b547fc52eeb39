//! Whether a customer's messages are their yes to what was shown to them, and what is left of it.

use domain::{Consent, Content, Event, EventKind, Proposal, SessionState, Standing, TurnId};

/// The yes that the messages of a turn are, if they are one: every one of them is a text that came
/// after the summary was shown, in the same stretch of the bot's ownership, and together they agree
/// to it and say nothing else.
pub fn consent(
    state: &SessionState,
    events: &[Event],
    turn: TurnId,
    epoch: i64,
) -> Option<Consent> {
    let proposal = state.proposal.as_ref()?;
    let mut texts = Vec::new();
    for event in events {
        let EventKind::Message(Content::Text { text } | Content::Choice { text, .. }) = &event.kind
        else {
            return None;
        };
        if !proposal.awaits(turn, epoch, event.at) {
            return None;
        }
        texts.push(text.reveal().as_str());
    }
    let agrees = nlu::agrees(&texts.join("\n"), proposal.said.reveal());
    agrees.then_some(Consent { shown_in: proposal.turn, given_in: turn })
}

/// How the last summary stands after a turn, whatever its agent made of it: one that was fallen or
/// used stays so, and the yes by which something was done is used.
pub fn close_proposal(
    before: Option<&Proposal>,
    after: Option<&mut Proposal>,
    used: Option<Consent>,
) {
    let Some(after) = after else { return };
    if let Some(before) = before
        && before.turn == after.turn
        && !before.is_open()
    {
        after.standing = before.standing;
    }
    if let Some(consent) = used
        && consent.shown_in == after.turn
    {
        after.standing = Standing::Used(consent.given_in);
    }
}
