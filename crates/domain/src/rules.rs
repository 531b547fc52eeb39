//! Rules of a conversation as pure functions, followed by the engine and by rehearsals alike.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    ArmTimer, Event, EventKind, Handoff, HandoffId, Owner, Role, SESSION_WINDOW_MS, Timer,
    TimerCondition, Timestamp,
};

/// The key of the engine's own timer for a handoff that nobody takes.
pub const UNATTENDED: &str = "handoff.unattended";

/// The payload of that timer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    pub handoff: HandoffId,
    pub text: String,
}

/// Whether a message goes on with the session, by the time of the customer's last one.
pub fn continues(wrote_at: Timestamp, before: Option<Timestamp>) -> bool {
    before.is_none_or(|before| wrote_at.since_ms(before) < SESSION_WINDOW_MS)
}

/// The reason why a due timer is dropped instead of fired. `began` is when the session under way
/// began: a session that was opened after the timer was armed is not the timer's own.
pub fn dropped(
    timer: &Timer,
    owner: Owner,
    began: Option<Timestamp>,
    customer_wrote_at: Option<Timestamp>,
) -> Option<&'static str> {
    if owner == Owner::Human {
        return Some("a person owns the conversation");
    }
    if began.is_none_or(|began| began > timer.armed_at) {
        return Some("its session has ended");
    }
    timer.stale(customer_wrote_at)
}

/// The timer that tells a customer, should nobody take the conversation in time.
pub fn unattended(handoff: &Handoff, id: HandoffId, now: Timestamp) -> Option<ArmTimer> {
    let unattended = handoff.unattended.as_ref()?;
    Some(ArmTimer {
        key: UNATTENDED.to_owned(),
        due_at: now.plus_ms(unattended.after_ms.max(0)),
        condition: TimerCondition::Always,
        payload: json!(Waiting { handoff: id, text: unattended.text.clone() }),
    })
}

/// The line of the transcript that an event leaves.
pub fn line(event: &Event) -> (Role, String) {
    match &event.kind {
        EventKind::Message(content) => (Role::User, content.in_words()),
        EventKind::Operator(act) => (Role::System, act.in_words()),
        EventKind::Timer(timer) => (Role::System, format!("timer: {}", timer.key)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use uuid::Uuid;

    use super::*;
    use crate::TimerId;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn a_session_ends_a_day_after_the_customers_last_message() {
        assert!(continues(at(5), None));
        assert!(continues(at(SESSION_WINDOW_MS - 1), Some(at(0))));
        assert!(!continues(at(SESSION_WINDOW_MS), Some(at(0))));
    }

    #[test]
    fn a_timer_fires_only_for_the_bot_in_its_session_and_while_its_condition_holds() {
        let timer = Timer {
            id: TimerId(Uuid::nil()),
            key: "aviso".to_owned(),
            armed_at: at(10),
            due_at: at(20),
            condition: TimerCondition::Silence,
            payload: Value::Null,
        };
        for (owner, began, wrote, reason) in [
            (Owner::Bot, Some(10), Some(10), None),
            (Owner::Bot, Some(5), None, None),
            (Owner::Human, Some(5), None, Some("a person owns the conversation")),
            (Owner::Bot, None, None, Some("its session has ended")),
            (Owner::Bot, Some(11), None, Some("its session has ended")),
            (Owner::Bot, Some(5), Some(11), Some("the customer wrote after it was armed")),
        ] {
            assert_eq!(dropped(&timer, owner, began.map(at), wrote.map(at)), reason);
        }
    }
}
