//! Hostile messages: a turn ends in a reply and keeps what it had, whatever is written.

use std::sync::LazyLock;

use domain::{EventKind, SessionState, Timer, TimerCondition, TimerId};
use proptest::prelude::*;
use serde_json::json;

use super::kit::{Alone, agent, agent_with, collected, message, turn};
use crate::{FormAgent, UNANSWERED};

static AGENT: LazyLock<FormAgent> = LazyLock::new(agent);

fn survives(text: &str, fields: usize) {
    let before = collected(fields);
    let state = SessionState { data: before.clone(), ..SessionState::default() };
    let outcome = turn(&AGENT, &state, message(text), &mut Alone::default());
    let names: Vec<_> = outcome.state.data.keys().collect();
    assert!(before.keys().all(|name| names.contains(&name)), "{text:?} lost a field");
    assert!(!outcome.replies.is_empty(), "{text:?} was not answered");
}

#[test]
fn odd_and_huge_messages_are_answered() {
    let huge = [
        "a".repeat(100_000),
        "no, es ".repeat(15_000),
        "mi correo es ".repeat(8_000),
        "1".repeat(100_000),
        "¿".repeat(50_000),
        "nombre: Ana, ".repeat(8_000),
    ];
    let odd = [
        "\u{202e}ana@sol.co\u{202c}",
        "\u{0}\u{1}\u{7}\u{1b}[31m",
        "*",
        "**",
        "* ",
        "no era sino ",
        "no es es ",
        "İİİİ ext 5 ǅ",
        "se llama ",
        "empresa",
        "mi empresa es",
        "ﬁ\u{301}\u{301}\u{301} soy ñ",
        "👨‍👩‍👧‍👦",
        "\r\n\r\n",
        "soy 𝕬𝖓𝖆",
        "+57(300)1234567 ext. İ",
    ];
    for text in odd.iter().copied().chain(huge.iter().map(String::as_str)) {
        for fields in [0, 3, 6] {
            survives(text, fields);
        }
    }
}

#[test]
fn a_form_that_has_nothing_to_say_asks_on_and_the_third_time_gives_it_to_a_person() {
    let agent = agent_with(|form| form.messages.already_complete = "nothing".to_owned());
    let data = collected(6);
    let mut state = SessionState { data, ..SessionState::default() };
    state.memory = json!({ "completed": true, "greeted": true }).as_object().unwrap().clone();
    for times in 1..=3 {
        let outcome = turn(&agent, &state, message("Sol SAS"), &mut Alone::default());
        let notes = outcome.trace.unwrap().notes;
        assert!(notes.iter().any(|note| note == UNANSWERED), "{notes:?}");
        assert!(!outcome.replies.is_empty());
        assert_eq!(outcome.handoff.is_some(), times == 3);
        state = outcome.state;
    }
}

#[test]
fn a_form_that_answers_begins_the_count_anew_and_meets_a_timer_with_silence() {
    let agent = agent_with(|form| form.messages.already_complete = "nothing".to_owned());
    let mut state = SessionState { data: collected(6), ..SessionState::default() };
    state.memory = json!({ "completed": true, "greeted": true }).as_object().unwrap().clone();
    for text in ["Sol SAS", "Sol SAS", "mi correo es ana@luna.co", "Sol SAS", "Sol SAS"] {
        let outcome = turn(&agent, &state, message(text), &mut Alone::default());
        assert!(outcome.handoff.is_none() && !outcome.replies.is_empty(), "{text}");
        state = outcome.state;
    }
    let mut stale = message("");
    let id = TimerId(uuid::Uuid::nil());
    let (key, condition) = ("de_otra_version".to_owned(), TimerCondition::Silence);
    let timer =
        Timer { id, key, armed_at: stale.at, due_at: stale.at, condition, payload: json!(null) };
    stale.kind = EventKind::Timer(Box::new(timer));
    let outcome = turn(&agent, &state, stale, &mut Alone::default());
    assert!(outcome.replies.is_empty() && outcome.handoff.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_message_breaks_a_turn(text in "\\PC{0,80}", fields in 0_usize..7) {
        survives(&text, fields);
    }

    #[test]
    fn no_mix_of_cues_and_values_breaks_a_turn(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "no", "es", "sino", "era", "mi correo", "empresa", "*", ",", "\n", "se llama", "ana@sol.co",
                "3001112233", "Sol", "perdón", "5 millones", "ñ", "İ", "no tengo", "https://", "¿", "soy",
            ]),
            0..12,
        ),
        fields in 0_usize..7,
    ) {
        survives(&parts.join(" "), fields);
    }
}
