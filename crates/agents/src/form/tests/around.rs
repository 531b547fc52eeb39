//! All that a turn remembers, arms and says around the values it takes.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use domain::{
    Event, EventKind, OperatorEvent, Priority, SessionState, Timer, TimerCondition, TimerId,
};
use pack::Source;
use pack::files::{Form, SentimentLevel};
use serde_json::{Value, json};

use super::kit::{Alone, NOW, NoTicks, agent, agent_with, collected, message, path, said, turn};
use crate::{FormAgent, Outcome};

static AGENT: LazyLock<FormAgent> = LazyLock::new(agent);

fn given(fields: usize) -> SessionState {
    SessionState { data: collected(fields), ..SessionState::default() }
}

fn at(ms: i64) -> Alone {
    Alone { now: Some(NOW.plus_ms(ms)), ..Alone::default() }
}

/// The outcomes of lines said one after another.
fn talk(agent: &FormAgent, fields: usize, lines: &[&str]) -> Vec<Outcome> {
    let mut state = given(fields);
    let mut all = Vec::new();
    for line in lines {
        let outcome = turn(agent, &state, message(line), &mut Alone::default());
        state = outcome.state.clone();
        all.push(outcome);
    }
    all
}

fn last(agent: &FormAgent, fields: usize, lines: &[&str]) -> Outcome {
    talk(agent, fields, lines).pop().expect("something is said")
}

fn event(kind: EventKind) -> Event {
    let mut event = message("");
    event.kind = kind;
    event
}

fn returned() -> Event {
    event(EventKind::Operator(OperatorEvent::Returned {
        by: "eva".to_owned(),
        note: None,
        mode: None,
        message: None,
    }))
}

fn confirms() -> FormAgent {
    agent_with(|form| {
        form.confirm = Some(pack::files::Confirm {
            ask: "ya_registrado".to_owned(),
            unclear: "volver_al_tema".to_owned(),
            change: "que_corrijo".to_owned(),
        });
    })
}

#[test]
fn old_anger_does_not_count_once_a_person_gave_the_conversation_back() {
    let twice = agent_with(|form| form.escalation.sentiment.times = 2);
    let angry = "esto no sirve para nada, qué desastre";
    let handed = last(&twice, 1, &[angry, "quiero un asesor"]);
    assert!(handed.handoff.is_some());
    let back = turn(&twice, &handed.state, returned(), &mut Alone::default());
    let once = turn(&twice, &back.state, message(angry), &mut Alone::default());
    assert_eq!(once.handoff, None);
    let again = turn(&twice, &once.state, message(angry), &mut Alone::default());
    assert!(again.handoff.is_some_and(|why| why.reason.starts_with("sentiment: ")));
}

#[test]
fn who_swears_and_answers_goes_on() {
    let angry = "esto no sirve para nada, qué desastre";
    assert!(last(&AGENT, 1, &[angry]).handoff.is_some());
    let answers = last(&AGENT, 1, &[&format!("{angry}, mi correo es ana@sol.co")]);
    assert_eq!(answers.handoff, None);
    assert_eq!(answers.state.data["email"], "ana@sol.co");
}

#[test]
fn the_level_of_anger_is_the_packs() {
    let of = |level| agent_with(|form: &mut Form| form.escalation.sentiment.level = level);
    let sad = "qué lástima, todo muy feo";
    assert!(last(&of(SentimentLevel::Negative), 1, &[sad]).handoff.is_some());
    assert_eq!(last(&of(SentimentLevel::Frustrated), 1, &[sad]).handoff, None);
}

#[test]
fn an_offered_person_is_taken_only_by_the_next_words_and_only_by_a_plain_yes() {
    let offered = ["ana sol", "ana.sol.co", "anasol"];
    for (then, hands_over) in [
        (vec!["sí"], true),
        (vec!["no"], false),
        (vec!["ana@sol.co", "sí"], false),
        (vec!["hola", "sí"], false),
        (vec!["sí claro, pero primero te cuento que el correo lo maneja mi hermana"], false),
    ] {
        let lines: Vec<&str> = offered.iter().copied().chain(then.iter().copied()).collect();
        let outcome = last(&AGENT, 1, &lines);
        assert_eq!(outcome.handoff.is_some(), hands_over, "{then:?}");
    }
}

#[test]
fn a_complete_form_takes_no_time_and_its_return_is_no_writing_on() {
    let done = last(&AGENT, 5, &["5 millones"]);
    let day = 86_400_000;
    let later = turn(&AGENT, &done.state, message("gracias!"), &mut at(day));
    assert_eq!((later.handoff, later.mode.as_str()), (None, "completo"));
    let on = agent_with(|form| form.escalation.completion.enabled = true);
    let back = turn(&on, &done.state, returned(), &mut at(day));
    assert_eq!(back.handoff, None);
    let writes = turn(&on, &done.state, message("una cosa más"), &mut Alone::default());
    assert!(writes.handoff.is_some_and(|why| why.reason.starts_with("completion: ")));
    assert_eq!(writes.mode, "escalado", "a person has it, complete or not");
}

#[test]
fn a_form_that_ends_wants_its_timers_no_more() {
    for (fields, line) in [(5, "5 millones"), (1, "quiero un asesor")] {
        let outcome = last(&AGENT, fields, &[line]);
        assert_eq!(outcome.cancel, ["recordatorio", "timeout"], "{line}");
        assert!(outcome.arm.is_empty(), "{line}");
    }
    let goes_on = last(&AGENT, 1, &["ana@sol.co"]);
    assert!(goes_on.cancel.is_empty());
}

#[test]
fn only_a_nudge_waits_behind_replies() {
    let id = TimerId(uuid::Uuid::nil());
    let (key, condition) = ("recordatorio".to_owned(), TimerCondition::Silence);
    let timer = Timer { id, key, armed_at: NOW, due_at: NOW, condition, payload: Value::Null };
    for (event, expected) in [
        (event(EventKind::Timer(Box::new(timer))), Priority::Proactive),
        (returned(), Priority::Reply),
        (message("Ana"), Priority::Reply),
    ] {
        let outcome = turn(&AGENT, &given(1), event, &mut Alone::default());
        assert_eq!(outcome.replies[0].priority, expected);
    }
}

#[test]
fn a_session_remembers_its_first_datum_its_intents_and_what_it_sent() {
    let mut state = SessionState::default();
    for (ms, line, first) in
        [(0, "Hola", None), (5, "Ana Gómez", Some(5)), (9, "ana@sol.co", Some(5))]
    {
        state = turn(&AGENT, &state, message(line), &mut at(ms)).state;
        let noted = state.milestones.get(crate::FIRST_DATA).copied();
        assert_eq!(noted, first.map(|ms| NOW.plus_ms(ms)), "{line}");
    }
    let sent = ["bienvenida", "pedir_nombre", "mucho_gusto", "pedir_email", "pedir_telefono"];
    assert_eq!(state.sent, sent);
    let outcome = last(&AGENT, 1, &["gracias", "¿y eso cuánto cuesta?"]);
    let seen: Vec<_> =
        outcome.state.seen.iter().map(|one| (one.intent.as_str(), one.order)).collect();
    assert_eq!(seen, [("gracias", 1), ("precio", 2)]);
    assert_eq!(outcome.intent.as_ref().map(|(intent, _)| intent.as_str()), Some("precio"));
    assert_eq!(outcome.trace.unwrap().templates, ["responder_precio", "pedir_email"]);
}

#[test]
fn wordings_take_turns_each_template_by_its_own_count() {
    let lines = ["¿Cómo está el clima?"; 4];
    let first: Vec<String> = talk(&AGENT, 1, &lines)
        .iter()
        .map(|outcome| said(outcome).chars().take(14).collect())
        .collect();
    assert_eq!(first, ["Te leo, pero p", "Si te queda al", "Sigamos con tu", "Te leo, pero p"]);
}

#[test]
fn the_welcome_is_said_once_and_not_in_the_middle() {
    let welcome = "Soy el asistente de registro";
    for (fields, lines, greets) in [
        (0, vec!["Hola"], true),
        (0, vec!["Hola", "hola"], false),
        (0, vec!["¿Cómo está el clima?"], true),
        (1, vec!["hola"], false),
        (0, vec!["R2D2"], true),
        (0, vec!["Hola", "R2D2"], false),
    ] {
        let reply = said(&last(&AGENT, fields, &lines));
        assert_eq!(reply.contains(welcome), greets, "{lines:?}: {reply}");
        assert!(!reply.contains("primero terminemos"), "{lines:?}: {reply}");
    }
}

#[test]
fn replies_say_what_was_noted_and_why_not_and_ask_once() {
    for (fields, line, says, lacks) in [
        (
            0,
            "soy Ana Gómez y mi correo es ana@sol.co",
            "anoté tu nombre (Ana Gómez) y tu correo (ana@sol.co).",
            "Mucho gusto",
        ),
        (0, "Ana Gómez", "Mucho gusto, Ana Gómez.", "anoté"),
        (3, "hola", "¿Cómo se llama tu empresa?", "Necesito"),
        (4, "www.sol.co", "¿Quisiste decir https://www.sol.co?", "¿Cuál es el sitio web"),
        (3, "perdón, cambia mi teléfono a 123", "¿A qué número", "¿Cómo se llama tu empresa"),
    ] {
        let reply = said(&last(&AGENT, fields, &[line]));
        assert!(reply.contains(says) && !reply.contains(lacks), "{line}: {reply}");
    }
    let reply = said(&last(&AGENT, 0, &["Hola", "R2D2"]));
    assert!(reply.contains("Necesito tu nombre") && !reply.contains("pocas palabras"), "{reply}");
}

#[test]
fn a_summary_leaves_out_what_the_customer_goes_without() {
    let reply = said(&last(&AGENT, 4, &["no tengo", "5 millones"]));
    assert!(reply.contains("tu presupuesto (5.000.000)"), "{reply}");
    assert!(!reply.contains("sitio web"), "{reply}");
}

#[test]
fn attempts_count_anew_after_a_value_and_proposals_count_too() {
    let lines = ["ana sol", "ana.sol.co", "ana@sol.co", "mi correo quedó mal", "anasol"];
    let reply = said(&last(&AGENT, 1, &lines));
    assert!(!reply.contains("Prefieres"), "{reply}");
    let reply = said(&last(&AGENT, 4, &["www.sol.co"; 3]));
    assert!(reply.contains("Prefieres"), "{reply}");
}

#[test]
fn a_change_after_the_yes_wants_another_yes_and_only_a_yes_will_do() {
    let confirms = confirms();
    let unclear = last(&confirms, 5, &["5 millones", "tal vez mañana lo miro"]);
    assert_eq!(path(&unclear).last(), Some(&"prompt_next"));
    assert!(!said(&unclear).contains("Ya tengo todos"), "{}", said(&unclear));
    let lines = ["5 millones", "sí", "perdón, mi correo es otra@sol.co"];
    let changed = last(&confirms, 5, &lines);
    assert_eq!(changed.state.data["email"], "otra@sol.co");
    assert_eq!(path(&changed).last(), Some(&"prompt_next"));
    let yes = turn(&confirms, &changed.state, message("sí"), &mut Alone::default());
    assert_eq!(path(&yes).last(), Some(&"complete"));
}

#[test]
fn messages_that_came_together_stay_lines_and_no_more_is_read_than_fits() {
    let contact = domain::Contact {
        id: domain::ContactId(uuid::Uuid::nil()),
        name: None,
        phone: None,
        data: Default::default(),
    };
    let input = crate::TurnInput {
        events: vec![message("mi empresa es Sol SAS"), message("queda en Cali")],
        contact,
        mode: "recolectando".to_owned(),
        state: given(3),
        previous: None,
        consent: None,
    };
    let mut context = Alone::default();
    let agent: &FormAgent = &AGENT;
    let outcome =
        futures::executor::block_on(crate::Agent::turn(agent, &input, &mut context)).unwrap();
    assert_eq!(outcome.state.data["empresa"], "Sol SAS");
    // The cut falls between letters, wherever a byte would fall.
    for (length, taken) in [(2_000, Some(json!("ana@sol.co"))), (4_096, None)] {
        let long = format!("a{} ana@sol.co", "ñ".repeat(length));
        let outcome = last(&AGENT, 1, &[&long]);
        assert_eq!(outcome.state.data.get("email"), taken.as_ref(), "{length}");
    }
}

#[test]
fn a_message_gives_each_value_to_its_own_field() {
    let amount = json!(5_000_000);
    for (fields, line, expected) in [
        (1, "mi empresa es Sol SAS ana@sol.co", json!({ "empresa": "Sol SAS" })),
        (1, "mi presupuesto es 5 millones y 3001112233", json!({ "presupuesto": amount })),
        (1, "mi presupuesto es 5 millones y 3001112233", json!({ "telefono": "3001112233" })),
        (2, "el presupuesto es 5000000", json!({ "telefono": null, "presupuesto": amount })),
        (2, "llámame al 4445566 en la tarde", json!({ "telefono": "4445566" })),
        (2, "300 111 2233 ext 5", json!({ "telefono": "3001112233" })),
        (2, "mi cédula es 1020304050", json!({ "telefono": null })),
        (3, "Tienda 5 Mil", json!({ "empresa": "Tienda 5 Mil", "presupuesto": null })),
        (3, "se llama Luna Vargas", json!({ "empresa": "Luna Vargas", "nombre": "Ana Gómez" })),
        (3, "mi celular es 300 111 2233", json!({ "telefono": "3001112233" })),
    ] {
        let outcome = last(&AGENT, fields, &[line]);
        for (field, value) in expected.as_object().unwrap() {
            let found = outcome.state.data.get(field).unwrap_or(&Value::Null);
            assert_eq!(found, value, "{line}: {field}");
        }
    }
    // A field that is not there is not gone without.
    let outcome = last(&AGENT, 1, &["no tengo correo ahora, la página te la paso luego"]);
    assert!(!outcome.state.data.contains_key("sitio_web"));
}

/// The form of the pack that ships, with some of its text changed.
fn rewritten(changes: &[(&str, &str)]) -> FormAgent {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/registro");
    let shipped = Source::read(&folder).unwrap();
    let rewrite = |(path, text): (&str, &str)| {
        let text = changes.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
        (path.to_owned(), text)
    };
    let source = Source::new(shipped.behaviour().iter().map(rewrite));
    let pack = Arc::new(pack::read(&source).unwrap_or_else(|findings| panic!("{findings}")).pack);
    let pack::Agent::Form(form) = &pack.agents[0].agent else { panic!("the agent is a form") };
    FormAgent::new("registro", Arc::clone(&pack), form, &source, Arc::new(NoTicks)).unwrap()
}

#[test]
fn templates_know_the_contact_and_what_is_still_to_come() {
    let old = "¿Cuál es tu correo electrónico?";
    let agent = rewritten(&[(old, "Hola, {{ nombre_contacto }}, faltan {{ pendientes }}.")]);
    let id = domain::ContactId(uuid::Uuid::nil());
    let input = crate::TurnInput {
        events: vec![message("hola")],
        contact: domain::Contact {
            id,
            name: Some("Anita".to_owned().into()),
            phone: None,
            data: Default::default(),
        },
        mode: "recolectando".to_owned(),
        state: given(1),
        previous: None,
        consent: None,
    };
    let mut context = Alone::default();
    let outcome =
        futures::executor::block_on(crate::Agent::turn(&agent, &input, &mut context)).unwrap();
    let expected = "Hola, Anita, faltan tu correo, tu teléfono, el nombre de tu empresa, tu sitio web y \
                    tu presupuesto.";
    assert_eq!(said(&outcome), expected);
}

#[test]
fn a_pack_in_english_is_explained_in_english() {
    let agent =
        rewritten(&[("locale: es-CO", "locale: en-US"), ("currency: COP", "currency: USD")]);
    let reply = said(&last(&agent, 5, &["500"]));
    assert!(reply.contains("It must be at least 1,000."), "{reply}");
}

#[test]
fn a_field_is_known_by_its_own_name_where_the_pack_gives_no_other() {
    let bare = agent_with(|form| form.fields[3].aliases.clear());
    let outcome = last(&bare, 1, &["la empresa es Sol SAS"]);
    assert_eq!(outcome.state.data["empresa"], "Sol SAS");
}
