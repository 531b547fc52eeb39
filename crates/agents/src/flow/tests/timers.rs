//! When a flow's timers are armed, let be, and cancelled, and that a late one looks again.

use domain::{EventKind, OperatorEvent, Timer, TimerCondition, TimerId};

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
    let returned = EventKind::Operator(OperatorEvent::Returned {
        by: "ana".to_owned(),
        note: None,
        mode: None,
        message: None,
    });
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

/// A flow that has four hours, and a second timer in the same silence.
const FOUR_HOURS: (&str, &str, &str) = (
    "flow.yaml",
    "timers:\n",
    "escalation: { timeout: { enabled: true, after: 4h } }\n\ntimers:\n  - name: resumen.despues\n    \
     in: [resumen]\n    after: 30m\n    do: [{ say: recordar }]\n",
);

#[test]
fn a_flow_that_takes_too_long_is_given_to_a_person() {
    let agent = agent("", &[FOUR_HOURS]);
    let mut talk = Talk::begun(&agent);
    let hello = talk.say(&agent, "hola", &mut Stage::default());
    let armed: Vec<_> = hello.arm.iter().map(|arm| (arm.key.as_str(), arm.condition)).collect();
    assert_eq!(armed, [("timeout", TimerCondition::Always)]);
    assert_eq!(hello.arm[0].due_at, NOW.plus_ms(4 * 3_600_000));
    // The timer runs from the beginning, whatever is said since.
    talk.state.memory["talk"]["since"] = serde_json::json!(NOW.millis() - 1);
    let later = talk.say(&agent, "cuánto vale", &mut Stage::default());
    assert!(later.arm.is_empty());
    talk.state.memory["talk"]["since"] = serde_json::json!(NOW.millis() - 4 * 3_600_000);
    let late = talk.happens(&agent, due("timeout"), &mut Stage::default());
    assert!(late.handoff.is_some());
    assert_eq!(late.replies[0].priority, domain::Priority::Proactive);
    assert_eq!(late.cancel, ["timeout"]);
}

#[test]
fn a_flow_that_came_to_its_end_takes_no_longer() {
    let agent = agent("", &[FOUR_HOURS]);
    let mut talk = Talk::summed_up(&agent);
    let done = talk.say(&agent, "sí", &mut Stage::default());
    assert_eq!(talk.mode, "pedido");
    assert!(
        done.arm.is_empty() && done.cancel.contains(&"timeout".to_owned()),
        "{:?}",
        done.cancel
    );
}

#[test]
fn a_timer_that_fires_leaves_the_others_of_its_silence_running() {
    let agent = agent("", &[FOUR_HOURS]);
    let mut talk = Talk::summed_up(&agent);
    talk.state.memory["talk"]["since"] = serde_json::json!(NOW.millis() - 1);
    let fired = talk.happens(&agent, due(KEY), &mut Stage::default());
    assert!(fired.arm.is_empty(), "{:?}", fired.arm);
    assert!(!fired.cancel.contains(&"flow.resumen.despues".to_owned()));
}

#[test]
fn a_conversation_given_to_a_person_has_no_timers() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    let outcome = talk.say(&agent, "quiero hablar con una persona", &mut Stage::default());
    assert!(outcome.handoff.is_some() && outcome.arm.is_empty());
    assert_eq!(outcome.cancel, [KEY]);
}

#[test]
fn a_timer_whose_condition_no_longer_holds_does_nothing() {
    let condition =
        ("flow.yaml", "    after: 15m\n", "    after: 15m\n    when: '!resumen_vigente'\n");
    let agent = agent("", &[condition]);
    let mut talk = Talk::summed_up(&agent);
    let outcome = talk.happens(&agent, due(KEY), &mut Stage::default());
    assert!(outcome.replies.is_empty(), "{}", said(&outcome));
}

#[test]
fn a_silence_is_only_for_whoever_stays_silent() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    let asked = talk.say(&agent, "cuánto vale", &mut Stage::default());
    assert_eq!(asked.arm[0].condition, TimerCondition::Silence);
}

#[test]
fn a_timer_that_fired_runs_again_after_a_person_gave_the_conversation_back() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    talk.happens(&agent, due(KEY), &mut Stage::default());
    let returned = EventKind::Operator(OperatorEvent::Returned {
        by: "ana".to_owned(),
        note: None,
        mode: None,
        message: None,
    });
    let outcome = talk.happens(&agent, returned, &mut Stage::default());
    assert_eq!(outcome.arm.len(), 1);
}
