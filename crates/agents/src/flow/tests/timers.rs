//! When a flow's timers are armed, let be, and cancelled, and that a late one looks again.

use domain::{EventKind, Statement, Timer, TimerCondition, TimerId};

use super::kit::{NOW, Stage, Talk, agent, said};

const KEY: &str = "flow.resumen.silencio";

fn due(key: &str) -> EventKind {
    EventKind::Timer(Box::new(Timer {
        id: TimerId(uuid::Uuid::nil()),
        key: key.to_owned(),
        armed_at: NOW,
        due_at: NOW,
        condition: TimerCondition::Silence,
        payload: serde_json::Value::Null,
    }))
}

#[test]
fn a_silence_is_counted_from_the_last_word_in_the_modes_of_its_timer() {
    let agent = agent("", &[]);
    let mut talk = Talk::begun(&agent);
    let hello = talk.say(&agent, "hola", &mut Stage::default());
    assert!(hello.arm.is_empty() && hello.cancel.is_empty());
    let mut talk = Talk::summed_up(&agent);
    let asked = talk.say(&agent, "cuánto vale", &mut Stage::default());
    let armed: Vec<_> = asked.arm.iter().map(|arm| (arm.key.as_str(), arm.due_at)).collect();
    assert_eq!(armed, [(KEY, NOW.plus_ms(15 * 60_000))]);
    let done = talk.say(&agent, "sí", &mut Stage::default());
    assert_eq!(done.cancel, [KEY]);
    assert!(done.arm.is_empty());
}

#[test]
fn a_timer_fires_once_for_a_silence_and_again_for_the_next() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    let fired = talk.happens(&agent, due(KEY), &mut Stage::default());
    assert!(said(&fired).contains("¿lo confirmo?"));
    assert_eq!(fired.replies[0].priority, domain::Priority::Proactive);
    assert!(fired.arm.is_empty(), "not again for the same silence");
    let spoke = talk.say(&agent, "cuánto vale", &mut Stage::default());
    assert_eq!(spoke.arm.len(), 1);
}

#[test]
fn a_timer_that_no_longer_applies_does_nothing() {
    let agent = agent("", &[]);
    let mut talk = Talk::begun(&agent);
    for key in [KEY, "flow.de_otra_version", "recordatorio"] {
        let outcome = talk.happens(&agent, due(key), &mut Stage::default());
        assert!(outcome.replies.is_empty() && outcome.handoff.is_none(), "{key}");
        assert_eq!(outcome.mode, "conversacion");
    }
}

#[test]
fn a_person_who_gives_the_conversation_back_begins_the_silence_anew() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    let returned = EventKind::Operator(Statement::Returned { by: "ana".to_owned(), note: None });
    let outcome = talk.happens(&agent, returned, &mut Stage::default());
    assert!(said(&outcome).contains("de vuelta"));
    assert_eq!(outcome.arm.len(), 1);
    assert_eq!(talk.mode, "resumen");
}

#[test]
fn a_tool_that_fails_gives_the_conversation_to_a_person_and_confirms_nothing() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    let broken = Some(crate::ToolError::Unknown("no answer".to_owned()));
    let mut stage = Stage { broken, ..Stage::default() };
    let outcome = talk.say(&agent, "sí", &mut stage);
    assert!(outcome.handoff.is_some());
    assert!(!said(&outcome).contains("en camino"), "{}", said(&outcome));
}
