//! The messages of the customers of W2, and the marks in a reply that tell which messages it
//! answers.

mod form;
mod shop;

use crate::subject::Subject;

/// Messages of a conversation; the form is then one value short of complete.
pub(crate) const LINES: u32 = 5;

/// The number a customer writes from.
pub(crate) fn sender(round: u32, conversation: u32) -> String {
    format!("57{round}{conversation:07}")
}

/// Whose number it is, if the customer is of this round.
pub(crate) fn conversation(round: u32, sender: &str) -> Option<u32> {
    sender.strip_prefix(&format!("57{round}"))?.parse().ok()
}

/// Message `message` of a conversation.
pub(crate) fn text(subject: Subject, round: u32, conversation: u32, message: u32) -> String {
    match subject {
        Subject::Registro => form::text(round, conversation, message),
        Subject::Almacen => shop::text(conversation, message),
    }
}

/// The messages of a conversation that a reply answers.
pub(crate) fn answered(
    subject: Subject,
    round: u32,
    conversation: u32,
    reply: &str,
) -> impl Iterator<Item = u32> {
    (0..LINES).filter(move |message| match subject {
        Subject::Registro => reply.contains(&form::value(round, conversation, *message)),
        Subject::Almacen => shop::answers(conversation, *message, reply),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_tells_the_conversation_within_its_round() {
        assert_eq!(conversation(3, &sender(3, 417)), Some(417));
        assert_eq!(conversation(4, &sender(3, 417)), None);
    }

    /// The ways to cut five messages into turns, each a list of turns.
    pub(super) fn ways() -> impl Iterator<Item = Vec<Vec<u32>>> {
        (0_u32..1 << (LINES - 1)).map(|cuts| {
            let mut turns = vec![Vec::new()];
            for message in 0..LINES {
                turns.last_mut().expect("a turn").push(message);
                if message + 1 < LINES && (cuts >> message) & 1 == 1 {
                    turns.push(Vec::new());
                }
            }
            turns
        })
    }
}
