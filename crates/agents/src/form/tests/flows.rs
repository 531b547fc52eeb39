//! Whole conversations: the paths of the specification, and what timers and people do to them.

use domain::{EventKind, OperatorEvent, SessionState, Timer, TimerCondition, TimerId, Timestamp};
use serde_json::{Value, json};

use super::kit::{Alone, NOW, agent, agent_with, collected, message, path, said, turn};
use crate::{FormAgent, Outcome};

/// Says one thing after another; the outcome of the last.
fn talk(agent: &FormAgent, lines: &[&str]) -> (SessionState, Outcome) {
    let mut state = SessionState::default();
    let mut last = None;
    for line in lines {
        let outcome = turn(agent, &state, message(line), &mut Alone::default());
        state = outcome.state.clone();
        last = Some(outcome);
    }
    (state, last.expect("something is said"))
}

const EXTRACTS: [&str; 5] =
    ["check_escalation", "check_correction", "check_off_topic", "extract_field", "validate"];

fn with(node: &'static str) -> Vec<&'static str> {
    EXTRACTS.into_iter().chain([node]).collect()
}

#[test]
fn the_happy_path_asks_field_after_field_and_completes_with_the_last() {
    let agent = agent();
    let lines = [
        "Mi nombre es Juan",
        "juan@ejemplo.com",
        "3001234567",
        "Ejemplo SAS",
        "https://ejemplo.com",
        "5000000",
    ];
    let mut state = SessionState::default();
    for (at, line) in lines.iter().enumerate() {
        let outcome = turn(&agent, &state, message(line), &mut Alone::default());
        let end = if at + 1 == lines.len() { "complete" } else { "prompt_next" };
        assert_eq!(path(&outcome), with(end), "{line}");
        state = outcome.state;
    }
    let expected = json!({
        "nombre": "Juan", "email": "juan@ejemplo.com", "telefono": "3001234567",
        "empresa": "Ejemplo SAS", "sitio_web": "https://ejemplo.com", "presupuesto": 5_000_000,
    });
    assert_eq!(Value::Object(state.data), expected);
}

#[test]
fn a_field_that_nothing_asks_for_is_taken_when_given_and_never_missed() {
    let agent = agent_with(|form| form.fields[4].ask = None);
    let lines = [
        "Mi nombre es Juan",
        "juan@ejemplo.com, mi sitio web es https://ejemplo.com",
        "3001234567",
        "Ejemplo SAS",
    ];
    let (state, outcome) = talk(&agent, &lines);
    assert_eq!(state.data["sitio_web"], "https://ejemplo.com");
    assert_eq!(path(&outcome), with("prompt_next"));
    let corrected =
        talk(&agent, &[&lines[..], &["No, mi sitio web es https://nuevo.com"]].concat());
    assert_eq!(corrected.0.data["sitio_web"], "https://nuevo.com");
    let whole = talk(&agent, &[&lines[..], &["5000000"]].concat()).1;
    assert_eq!(path(&whole), with("complete"));
    assert!(said(&whole).contains("https://ejemplo.com"), "{}", said(&whole));
    let without = [lines[0], "juan@ejemplo.com", lines[2], lines[3], "5000000"];
    let (state, outcome) = talk(&agent, &without);
    assert_eq!(path(&outcome), with("complete"));
    assert!(!state.data.contains_key("sitio_web"));
}

#[test]
fn a_correction_goes_straight_to_the_value() {
    let lines = ["Mi nombre es Juan", "juan@ejemplo.com", "No, mi email es juan.nuevo@ejemplo.com"];
    let (state, outcome) = talk(&agent(), &lines);
    let expected =
        ["check_escalation", "check_correction", "extract_field", "validate", "prompt_next"];
    assert_eq!(path(&outcome), expected);
    assert_eq!(state.data["email"], "juan.nuevo@ejemplo.com");
    assert!(said(&outcome).contains("¿A qué número"), "{}", said(&outcome));
}

#[test]
fn what_is_beside_the_point_is_redirected() {
    let (_, outcome) = talk(&agent(), &["Mi nombre es Juan", "¿Cómo está el clima?"]);
    let expected = ["check_escalation", "check_correction", "check_off_topic", "prompt_next"];
    assert_eq!(path(&outcome), expected);
    assert!(said(&outcome).contains("correo"));
}

#[test]
fn asking_for_a_person_hands_over() {
    let (_, outcome) = talk(&agent(), &["Necesito hablar con un humano"]);
    assert_eq!(path(&outcome), ["check_escalation", "escalate"]);
    assert!(outcome.handoff.as_ref().is_some_and(|why| why.reason.starts_with("keyword: ")));
    assert_eq!(outcome.mode, "escalado");
}

#[test]
fn two_fields_are_corrected_at_once() {
    let lines = [
        "Ana",
        "ana@sol.co",
        "3001112233",
        "me equivoqué: el correo es b@sol.co y el cel 3009998877",
    ];
    let (state, outcome) = talk(&agent(), &lines);
    assert_eq!(state.data["email"], "b@sol.co");
    assert_eq!(state.data["telefono"], "3009998877");
    assert!(said(&outcome).contains("empresa"), "{}", said(&outcome));
}

#[test]
fn a_correction_without_a_field_asks_which_and_then_for_the_value() {
    let (state, outcome) = talk(&agent(), &["Ana", "ana@sol.co", "eso está mal"]);
    assert!(said(&outcome).contains("¿Qué dato corrijo?"), "{}", said(&outcome));
    let next = turn(&agent(), &state, message("el correo"), &mut Alone::default());
    assert!(said(&next).contains("correo electrónico"), "{}", said(&next));
    let last = turn(&agent(), &next.state, message("otra@sol.co"), &mut Alone::default());
    assert_eq!(last.state.data["email"], "otra@sol.co");
    assert!(said(&last).contains("cambié tu correo a otra@sol.co"), "{}", said(&last));
}

#[test]
fn a_whole_form_in_one_message_is_complete() {
    let text = "Hola, soy Ana Gómez, mi correo es ana@sol.co, mi celular 3001112233, la empresa se \
                llama Sol SAS, la página es https://sol.co y el presupuesto es 5 millones";
    let (state, outcome) = talk(&agent(), &[text]);
    assert_eq!(Value::Object(state.data), Value::Object(collected(6)));
    assert_eq!(path(&outcome).last(), Some(&"complete"));
}

#[test]
fn three_failures_offer_a_person_and_a_yes_hands_over() {
    let lines = ["Ana", "ana sol", "ana.sol.co", "anasol"];
    let (state, outcome) = talk(&agent(), &lines);
    assert!(
        said(&outcome).contains("¿Prefieres que siga contigo una persona"),
        "{}",
        said(&outcome)
    );
    let next = turn(&agent(), &state, message("sí"), &mut Alone::default());
    assert!(next.handoff.is_some());
}

#[test]
fn an_address_without_a_scheme_is_taken_after_a_yes() {
    let state = SessionState { data: collected(4), ..SessionState::default() };
    let asked = turn(&agent(), &state, message("www.sol.co"), &mut Alone::default());
    assert!(said(&asked).contains("¿Quisiste decir https://www.sol.co?"), "{}", said(&asked));
    assert!(!asked.state.data.contains_key("sitio_web"));
    let taken = turn(&agent(), &asked.state, message("sí"), &mut Alone::default());
    assert_eq!(taken.state.data["sitio_web"], "https://www.sol.co");
}

#[test]
fn a_yes_takes_what_was_proposed_for_a_field_that_was_not_asked_for() {
    let lines = ["Ana", "mi página es www.sol.co", "sí"];
    let (state, outcome) = talk(&agent(), &lines);
    assert_eq!(state.data["sitio_web"], "https://www.sol.co");
    assert!(said(&outcome).contains("correo"), "{}", said(&outcome));
}

#[test]
fn the_answer_to_a_correction_may_correct_more() {
    let lines = [
        "Ana",
        "ana@sol.co",
        "3001112233",
        "el correo quedó mal",
        "b@sol.co, y el celular es 3009998877",
    ];
    let (state, _) = talk(&agent(), &lines);
    assert_eq!(state.data["email"], "b@sol.co");
    assert_eq!(state.data["telefono"], "3009998877");
}

#[test]
fn what_comes_before_the_first_question_is_no_failed_answer() {
    let (state, outcome) = talk(&agent(), &["bueenas parce como vamos"]);
    let words = said(&outcome);
    assert!(words.starts_with("¡Hola!") && words.ends_with("¿Cómo te llamas?"), "{words}");
    assert_eq!(state.memory.get("failed"), None);
}

#[test]
fn an_address_is_never_made_into_another_one() {
    for (said, kept) in [
        ("mi correo es Ana.Gomez@Sol.CO", Some("ana.gomez@sol.co")),
        ("ana arroba sol punto co", Some("ana@sol.co")),
        // Not silently another address.
        ("peña@sol.co", None),
    ] {
        let (state, _) = talk(&agent(), &["Ana", said]);
        let found = state.data.get("email").and_then(Value::as_str);
        assert_eq!(found, kept, "{said}");
    }
}

#[test]
fn a_city_is_taken_from_the_packs_list_and_no_other() {
    let mut pack = (*super::kit::registro()).clone();
    pack.manifest.cities = vec!["Bogotá".to_owned(), "Santa Marta".to_owned()];
    let mut form = super::kit::form();
    form.fields[3].kind = pack::files::FieldKind::City;
    let source = pack::Source::default();
    let ticks = std::sync::Arc::new(super::kit::NoTicks);
    let agent =
        FormAgent::new("registro", std::sync::Arc::new(pack), &form, &source, ticks).unwrap();
    for (text, city) in [
        ("en bogota", Some("Bogotá")),
        ("vivo en SANTA MARTA, Magdalena", Some("Santa Marta")),
        ("Cartagena", None),
    ] {
        let state = SessionState { data: collected(3), ..SessionState::default() };
        let outcome = turn(&agent, &state, message(text), &mut Alone::default());
        let found = outcome.state.data.get("empresa").and_then(Value::as_str);
        assert_eq!(found, city, "{text}: {}", said(&outcome));
    }
}

#[test]
fn a_name_is_taken_beside_what_else_came_with_it() {
    for text in ["Ana Gómez\nquiero registrarme", "Ana Gómez\nya te paso lo demás"] {
        let (state, _) = talk(&agent(), &[text]);
        assert_eq!(state.data["nombre"], "Ana Gómez", "{text}");
    }
}

#[test]
fn an_optional_field_is_passed_over_and_a_needed_one_is_not() {
    let state = SessionState { data: collected(4), ..SessionState::default() };
    let passed = turn(&agent(), &state, message("no tenemos"), &mut Alone::default());
    assert_eq!(passed.state.data["sitio_web"], Value::Null);
    let state = SessionState { data: collected(1), ..SessionState::default() };
    let kept = turn(&agent(), &state, message("no tengo"), &mut Alone::default());
    assert!(!kept.state.data.contains_key("email"));
}

#[test]
fn a_form_that_confirms_completes_with_a_yes_and_changes_after_a_no() {
    let confirms = agent_with(|form| {
        form.confirm = Some(pack::files::Confirm {
            ask: "anotado".to_owned(),
            unclear: "volver_al_tema".to_owned(),
            change: "que_corrijo".to_owned(),
        });
    });
    let state = SessionState { data: collected(5), ..SessionState::default() };
    let asked = turn(&confirms, &state, message("5 millones"), &mut Alone::default());
    assert_eq!(path(&asked).last(), Some(&"prompt_next"));
    let no = turn(&confirms, &asked.state, message("no"), &mut Alone::default());
    assert!(said(&no).contains("¿Qué dato corrijo?"), "{}", said(&no));
    let fixed =
        turn(&confirms, &no.state, message("el correo es otra@sol.co"), &mut Alone::default());
    assert_eq!(fixed.state.data["email"], "otra@sol.co");
    assert_eq!(path(&fixed).last(), Some(&"prompt_next"));
    let yes = turn(&confirms, &fixed.state, message("sí, todo bien"), &mut Alone::default());
    assert_eq!(path(&yes), with("complete"));
    assert_eq!(yes.mode, "completo");
}

#[test]
fn a_complete_form_can_still_be_corrected_and_stays_complete() {
    let mut done = SessionState { data: collected(5), ..SessionState::default() };
    done = turn(&agent(), &done, message("5 millones"), &mut Alone::default()).state;
    let thanks = turn(&agent(), &done, message("gracias!"), &mut Alone::default());
    assert_eq!(
        path(&thanks),
        ["check_escalation", "check_correction", "check_off_topic", "complete"]
    );
    let fixed =
        turn(&agent(), &done, message("perdón, mi correo es otra@sol.co"), &mut Alone::default());
    assert_eq!(fixed.state.data["email"], "otra@sol.co");
    assert_eq!(path(&fixed).last(), Some(&"complete"));
    assert!(said(&fixed).contains("otra@sol.co"), "{}", said(&fixed));
}

fn due(key: &str, condition: TimerCondition, at: Timestamp) -> domain::Event {
    let id = TimerId(uuid::Uuid::nil());
    let key = key.to_owned();
    let timer = Timer { id, key, armed_at: NOW, due_at: at, condition, payload: Value::Null };
    let mut event = message("");
    event.kind = EventKind::Timer(Box::new(timer));
    event
}

#[test]
fn silence_is_answered_with_a_nudge_and_the_question_and_too_long_with_a_person() {
    let (state, first) = talk(&agent(), &["Hola"]);
    let armed: Vec<_> = first.arm.iter().map(|timer| timer.key.as_str()).collect();
    assert_eq!(armed, ["recordatorio", "timeout"]);
    let later = NOW.plus_ms(30 * 60_000);
    let mut context = Alone { now: Some(later), ..Alone::default() };
    let nudge =
        turn(&agent(), &state, due("recordatorio", TimerCondition::Silence, later), &mut context);
    assert!(said(&nudge).starts_with("¿Seguimos?") && said(&nudge).ends_with("¿Cómo te llamas?"));
    assert!(nudge.arm.is_empty(), "one nudge is enough");
    let end = NOW.plus_ms(4 * 3_600_000);
    let mut context = Alone { now: Some(end), ..Alone::default() };
    let over = turn(&agent(), &state, due("timeout", TimerCondition::Always, end), &mut context);
    assert_eq!(path(&over), ["check_escalation", "escalate"]);
    assert!(over.handoff.is_some_and(|why| why.reason.starts_with("timeout: ")));
}

#[test]
fn a_conversation_given_back_goes_on_where_it_stood() {
    let (state, _) = talk(&agent(), &["Ana", "quiero un asesor"]);
    let mut event = message("");
    event.kind = EventKind::Operator(OperatorEvent::Returned {
        by: "eva".to_owned(),
        note: None,
        mode: None,
        message: None,
    });
    let end = NOW.plus_ms(10 * 3_600_000);
    let mut context = Alone { now: Some(end), ..Alone::default() };
    let back = turn(&agent(), &state, event, &mut context);
    assert!(back.handoff.is_none(), "{:?}", back.handoff);
    assert!(said(&back).contains("¿Cuál es tu correo"), "{}", said(&back));
    assert_eq!(back.mode, "recolectando");
}

#[test]
fn messages_that_came_together_are_answered_as_one_and_the_later_corrects_the_earlier() {
    for (lines, expected) in [
        (
            ["Hola", "soy Ana Gómez", "ana@sol.co"],
            json!({ "nombre": "Ana Gómez", "email": "ana@sol.co" }),
        ),
        (
            ["Hola, soy Ana Rojas", "no, mi nombre es Elsa Pardo", "elsa@sol.co"],
            json!({ "nombre": "Elsa Pardo", "email": "elsa@sol.co" }),
        ),
        (
            [
                "mi nombre es Dora Vélez, mi empresa es Taller Equis",
                "no, mi nombre es Elsa Pardo, mi página es https://x.com.co",
                "gracias",
            ],
            json!({
                "nombre": "Elsa Pardo", "empresa": "Taller Equis", "sitio_web": "https://x.com.co",
            }),
        ),
    ] {
        let id = domain::ContactId(uuid::Uuid::nil());
        let input = crate::TurnInput {
            events: lines.map(message).to_vec(),
            contact: domain::Contact { id, name: None, phone: None, data: Default::default() },
            mode: "recolectando".to_owned(),
            state: SessionState::default(),
            previous: None,
            consent: None,
        };
        let agent = agent();
        let mut context = Alone::default();
        let turn = crate::Agent::turn(&agent, &input, &mut context);
        let outcome = futures::executor::block_on(turn).unwrap();
        assert_eq!(outcome.replies.len(), 1);
        assert_eq!(Value::Object(outcome.state.data), expected, "{lines:?}");
    }
}

#[test]
fn a_message_without_words_is_answered_with_the_question() {
    let mut event = message("");
    event.kind = EventKind::Message(domain::Content::Other { kind: "audio".to_owned() });
    let outcome = turn(&agent(), &SessionState::default(), event, &mut Alone::default());
    assert!(
        said(&outcome).contains("solo puedo leer") && said(&outcome).contains("¿Cómo te llamas?")
    );
}
