//! Which of the engine's own sentences answers a visitor whose message is not taken.

use sentences::Sentences;

use crate::streams::NoPlace;
use crate::visits::Wait;

pub(super) fn too_long(own: &Sentences, most: usize) -> String {
    own.too_long(&most.to_string())
}

/// Advice to a visitor who has to wait; the page keeps the message where it was written.
pub(super) fn wait(own: &Sentences, wait: Wait) -> String {
    match wait {
        Wait::Messages(_) => own.many_messages(),
        Wait::Beginnings(_) => own.many_customers(),
        Wait::Reads(_) => own.many_reloads(),
    }
}

pub(super) fn no_place(own: &Sentences, why: NoPlace) -> String {
    match why {
        NoPlace::Windows => own.many_windows(),
        NoPlace::Others => own.many_chats(),
    }
}
