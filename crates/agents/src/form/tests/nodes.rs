//! Each node alone: what it is given, and what it leaves in the state.

use domain::Timestamp;
use pack::files::{Form, SentimentLevel, Then};
use serde_json::{Value, json};

use super::kit::{Alone, NOW, conversation, spec_with, with_state};
use crate::form::free_text::is_title;
use crate::form::memory::{Conversation, Correcting, Proposed};
use crate::form::nodes::{
    check_correction, check_escalation, check_off_topic, complete, escalate, extract_field,
    prompt_next, validate,
};
use crate::form::state::{Candidate, Extracted, GraphState, Opening};

fn unchanged(_: &mut Form) {}

fn at(ms: i64) -> Alone {
    Alone { now: Some(NOW.plus_ms(ms)), ..Alone::default() }
}

/// The policy that wants a person for this message, if one does.
fn policy(
    change: impl FnOnce(&mut Form),
    conversation: Conversation,
    text: &str,
    now: Timestamp,
) -> Option<String> {
    let spec = spec_with(change);
    let mut context = Alone { now: Some(now), ..Alone::default() };
    with_state(&spec, conversation, text, &mut context, async |state, context| {
        check_escalation(state, context).await;
        assert_eq!(state.should_escalate, state.escalation_reason.is_some());
        state.escalation_reason.clone().map(|reason| reason.policy)
    })
}

#[test]
fn check_escalation_tests_its_policies_in_their_order() {
    let hour = 3_600_000;
    let late = NOW.plus_ms(5 * hour);
    let asks = "necesito que me atienda una persona";
    let angry = "esto es una porquería, estoy harto!!!";
    for (text, now, expected) in [
        (asks, NOW, Some("keyword")),
        (asks, late, Some("keyword")),
        ("Ana Gómez", late, Some("timeout")),
        (angry, late, Some("timeout")),
        (angry, NOW, Some("sentiment")),
        ("Ana Gómez", NOW, None),
    ] {
        let found = policy(unchanged, conversation(0), text, now);
        assert_eq!(found.as_deref(), expected, "{text}");
    }
}

#[test]
fn check_escalation_leaves_out_the_policies_that_are_off() {
    let asks = "quiero hablar con un asesor";
    let no_keyword = |form: &mut Form| form.escalation.keyword.enabled = false;
    assert_eq!(policy(no_keyword, conversation(0), asks, NOW), None);
    let only_own = |form: &mut Form| {
        form.escalation.keyword.builtin = false;
        form.escalation.keyword.words = vec!["gerente".to_owned()];
    };
    assert_eq!(policy(only_own, conversation(0), asks, NOW), None);
    let manager = policy(only_own, conversation(0), "páseme con el gerente", NOW);
    assert_eq!(manager.as_deref(), Some("keyword"));
    let no_timeout = |form: &mut Form| form.escalation.timeout.enabled = false;
    assert_eq!(policy(no_timeout, conversation(0), "Ana", NOW.plus_ms(86_000_000)), None);
    let calm = |form: &mut Form| form.escalation.sentiment.enabled = false;
    assert_eq!(policy(calm, conversation(0), "estoy harto, qué porquería", NOW), None);
}

#[test]
fn check_escalation_counts_unhappy_messages_up_to_the_packs_number() {
    let twice = |form: &mut Form| {
        form.escalation.sentiment.times = 2;
        form.escalation.sentiment.level = SentimentLevel::Frustrated;
    };
    let angry = "esto no sirve para nada, qué desastre";
    assert_eq!(policy(twice, conversation(1), angry, NOW), None);
    let mut again = conversation(1);
    again.talk.unhappy = 1;
    assert_eq!(policy(twice, again, angry, NOW).as_deref(), Some("sentiment"));
}

#[test]
fn check_escalation_by_completion_wants_a_complete_form_that_is_written_to() {
    let on = |form: &mut Form| form.escalation.completion.enabled = true;
    let mut done = conversation(6);
    done.talk.completed = true;
    assert_eq!(policy(on, done.clone(), "una cosa más", NOW).as_deref(), Some("completion"));
    assert_eq!(policy(on, conversation(5), "una cosa más", NOW), None);
    assert_eq!(policy(unchanged, done, "una cosa más", NOW), None);
}

#[test]
fn check_escalation_takes_a_yes_to_an_offered_person() {
    let mut offered = conversation(1);
    offered.talk.offered_person = Some("email".to_owned());
    assert_eq!(
        policy(unchanged, offered.clone(), "sí, por favor", NOW).as_deref(),
        Some("keyword")
    );
    assert_eq!(policy(unchanged, offered, "no, gracias", NOW), None);
}

/// The names of the corrected fields, or none if it is no correction.
fn corrections(conversation: Conversation, text: &str) -> Option<Vec<String>> {
    let spec = spec_with(unchanged);
    with_state(&spec, conversation, text, &mut Alone::default(), async |state, context| {
        check_correction(state, context).await;
        let name = |field: &usize| state.spec.fields[*field].name.clone();
        state.is_correction.then(|| state.correction_fields.iter().map(name).collect())
    })
}

#[test]
fn check_correction_finds_the_field_named_or_not() {
    for (fields, text, expected) in [
        (2, "No, mi email es ana.gomez@sol.co", Some(vec!["email"])),
        (3, "no, es 3009998877", Some(vec!["telefono"])),
        (3, "en realidad mi correo es otra@sol.co", Some(vec!["email"])),
        (
            3,
            "perdón, el celular es 3009998877 y el correo otra@sol.co",
            Some(vec!["telefono", "email"]),
        ),
        (3, "me equivoqué con el correo", Some(vec!["email"])),
        (4, "no, es Luna SAS", Some(vec!["empresa"])),
        (2, "mi correo es nueva@sol.co", Some(vec!["email"])),
        (3, "eso está mal", Some(vec![])),
        (1, "mi correo es ana@sol.co", None),
        (0, "No, mi nombre es Ana", None),
        (5, "5000000", None),
        (2, "3001112233", None),
        (2, "¿cuánto cuesta?", None),
        (3, "mi celular es 300 111 2233", None),
        (6, "vale como 8 millones", None),
        (6, "perdón, son 800000", Some(vec!["presupuesto"])),
        (4, "me equivoqué, en realidad Luna SAS", Some(vec!["empresa"])),
    ] {
        let mut given = conversation(fields);
        given.talk.last_field = given.data.keys().next_back().cloned();
        given.talk.last_field = ["nombre", "email", "telefono", "empresa", "sitio_web"]
            .get(fields.wrapping_sub(1))
            .map(|name| (*name).to_owned());
        let found = corrections(given, text);
        let found =
            found.as_ref().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn check_correction_goes_on_with_the_correction_that_was_begun() {
    let mut which = conversation(3);
    which.talk.correcting = Some(Correcting::Unknown);
    assert_eq!(corrections(which, "el correo"), Some(vec!["email".to_owned()]));
    let mut email = conversation(3);
    email.talk.correcting = Some(Correcting::Field("email".to_owned()));
    assert_eq!(corrections(email.clone(), "otra@sol.co"), Some(vec!["email".to_owned()]));
    assert_eq!(corrections(email, "hola"), None);
    // A value that was refused is given all the same.
    let mut refused = conversation(1);
    refused.talk.failed.insert("email".to_owned(), 1);
    assert_eq!(corrections(refused, "no, mi correo es b@sol.co"), Some(vec!["email".to_owned()]));
}

fn off_topic(conversation: Conversation, text: &str) -> bool {
    let spec = spec_with(unchanged);
    with_state(&spec, conversation, text, &mut Alone::default(), async |state, context| {
        check_off_topic(state, context).await;
        state.is_off_topic
    })
}

#[test]
fn check_off_topic_tells_small_talk_and_questions_from_answers() {
    for (fields, text, expected) in [
        (0, "Hola", true),
        (0, "buenas tardes!!", true),
        (0, "hola, soy Ana Gómez", false),
        (1, "¿Cómo está el clima?", true),
        (1, "tengo otra pregunta", true),
        (1, "¿y eso cuánto cuesta?", true),
        (1, "ana@sol.co", false),
        (3, "Panadería La Espiga", false),
        (4, "no tengo", false),
        (5, "unos cinco millones", false),
        (1, "gracias", true),
        (0, "Juan", false),
    ] {
        assert_eq!(off_topic(conversation(fields), text), expected, "{text}");
    }
}

#[test]
fn check_off_topic_takes_a_yes_for_an_answer_when_one_was_asked_for() {
    let mut proposed = conversation(4);
    let value = "https://sol.co".to_owned();
    proposed.talk.proposed = Some(Proposed { field: "sitio_web".to_owned(), value });
    assert!(!off_topic(proposed, "sí"));
}

fn extracted(conversation: Conversation, text: &str) -> (Option<String>, Vec<(String, Candidate)>) {
    let spec = spec_with(unchanged);
    with_state(&spec, conversation, text, &mut Alone::default(), async |state, context| {
        check_correction(state, context).await;
        extract_field(state);
        let name = |field: usize| state.spec.fields[field].name.clone();
        let list = state.extracted.iter().map(|one| (name(one.field), one.value.clone()));
        (state.current_field.map(name), list.collect())
    })
}

#[test]
fn extract_field_takes_the_value_asked_for_and_every_other_one() {
    let text = |value: &str| Candidate::Text(value.to_owned());
    for (fields, said, current, expected) in [
        (0, "Mi nombre es Juan", "nombre", vec![("nombre", text("Juan"))]),
        (1, "te dejo ana@sol.co", "email", vec![("email", text("ana@sol.co"))]),
        (2, "300 111 2233", "telefono", vec![("telefono", text("300 111 2233"))]),
        (3, "se llama Panadería Sol", "empresa", vec![("empresa", text("Panadería Sol"))]),
        (4, "no tengo", "sitio_web", vec![("sitio_web", Candidate::Without)]),
        (5, "5000000", "presupuesto", vec![("presupuesto", text("5000000"))]),
        (
            0,
            "soy Ana Gómez y mi correo es ana@sol.co",
            "nombre",
            vec![("nombre", text("Ana Gómez")), ("email", text("ana@sol.co"))],
        ),
        (2, "No, mi email es otra@sol.co", "email", vec![("email", text("otra@sol.co"))]),
        (4, "me equivoqué, en realidad Luna SAS", "empresa", vec![("empresa", text("Luna SAS"))]),
    ] {
        let mut given = conversation(fields);
        given.talk.last_field = (fields == 4).then(|| "empresa".to_owned());
        let (field, found) = extracted(given, said);
        assert_eq!(field.as_deref(), Some(current), "{said}");
        let expected: Vec<_> =
            expected.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(found, expected, "{said}");
    }
}

#[test]
fn extract_field_takes_a_yes_for_the_field_that_was_proposed_and_no_other() {
    let value = "https://sol.co".to_owned();
    for (field, taken) in [("sitio_web", true), ("empresa", false)] {
        let mut proposed = conversation(4);
        proposed.talk.proposed = Some(Proposed { field: field.to_owned(), value: value.clone() });
        let (_, found) = extracted(proposed, "sí");
        let expected = ("sitio_web".to_owned(), Candidate::Text(value.clone()));
        assert_eq!(found.contains(&expected), taken, "{field}");
    }
}

#[test]
fn fields_are_named_once_where_they_stand_and_not_inside_a_value() {
    let spec = spec_with(unchanged);
    for (text, expected) in [
        ("mi nombre completo", vec![0]),
        ("la página web", vec![4]),
        ("el correo y el celular", vec![1, 2]),
        ("ventas@empresa.co", vec![]),
        ("https://web.co/correo", vec![]),
    ] {
        with_state(&spec, conversation(0), text, &mut Alone::default(), async |state, _| {
            let named = &state.heard().unwrap().named;
            let fields: Vec<usize> = named.iter().map(|named| named.field).collect();
            assert_eq!(fields, expected, "{text}");
        });
    }
}

#[test]
fn a_title_has_two_words_of_weight_and_none_of_them_small() {
    for (text, expected) in [
        ("El Precio Justo", true),
        ("Café de la Plaza", true),
        ("Tienda 5 Mil", true),
        ("Precio", false),
        ("Café bueno", false),
        ("de la Plaza Mayor", false),
        ("", false),
    ] {
        assert_eq!(is_title(text), expected, "{text}");
    }
}

/// The outcome of validating a value: what is stored, or what the reply opens with.
fn validated(
    change: impl FnOnce(&mut Form),
    fields: usize,
    value: &str,
) -> (bool, Option<Value>, Opening, u32) {
    let spec = spec_with(change);
    with_state(&spec, conversation(fields), value, &mut Alone::default(), async |state, _| {
        state.current_field = Some(fields);
        let value = Candidate::Text(value.to_owned());
        state.extracted.push(Extracted { field: fields, value });
        validate(state);
        let name = &state.spec.fields[fields].name;
        let failed = state.conversation.talk.failed.get(name).copied().unwrap_or_default();
        let stored = state.conversation.data.get(name).cloned();
        (state.is_valid, stored, state.opening.clone(), failed)
    })
}

#[test]
fn validate_takes_what_each_type_asks_for() {
    for (field, value, stored) in [
        (0, "Ana", json!("Ana")),
        (1, "ana@sol.co", json!("ana@sol.co")),
        (2, "300 111-2233", json!("3001112233")),
        (2, "+57 300 111 2233 ext. 5", json!("+573001112233")),
        (3, "Sol SAS", json!("Sol SAS")),
        (4, "https://sol.co", json!("https://sol.co")),
        (5, "2500000", json!(2_500_000)),
        (5, "1.500.000,50", json!(1_500_000.5)),
    ] {
        let (valid, found, opening, failed) = validated(unchanged, field, value);
        assert_eq!(
            (valid, found, opening, failed),
            (true, Some(stored), Opening::Nothing, 0),
            "{value}"
        );
    }
}

#[test]
fn validate_refuses_the_rest_counts_it_and_says_why() {
    for (field, value, why) in [
        (1, "ana.sol.co", "arroba"),
        (1, "ana@", "arroba"),
        (2, "12345", "7 dígitos"),
        (5, "bastante", "número"),
        (5, "0", "al menos 1"),
    ] {
        let (valid, stored, opening, failed) = validated(unchanged, field, value);
        assert!(!valid && stored.is_none() && failed == 1, "{value}");
        let Opening::Invalid(explanation) = opening else { panic!("{value}: {opening:?}") };
        assert!(explanation.contains(why), "{value}: {explanation}");
    }
}

#[test]
fn validate_refuses_a_text_that_is_too_long_to_be_a_name() {
    let long = "lorem ipsum ".repeat(30);
    let (valid, stored, opening, _) = validated(unchanged, 3, &long);
    assert!(!valid && stored.is_none());
    assert!(matches!(opening, Opening::Invalid(why) if why.contains("demasiado largo")));
}

#[test]
fn validate_takes_the_bounds_themselves_and_nothing_beyond() {
    let bounds = |form: &mut Form| {
        form.fields[5].min = Some(1000.0);
        form.fields[5].max = Some(2000.0);
    };
    for (value, taken) in
        [("999", false), ("1000", true), ("1500", true), ("2000", true), ("2001", false)]
    {
        assert_eq!(validated(bounds, 5, value).0, taken, "{value}");
    }
}

#[test]
fn validate_explains_the_first_value_it_refuses_though_it_takes_others() {
    let spec = spec_with(unchanged);
    let candidate = |field: usize, text: &str| {
        let value = Candidate::Text(text.to_owned());
        Extracted { field, value }
    };
    with_state(&spec, conversation(1), "", &mut Alone::default(), async |state, _| {
        state.current_field = Some(1);
        state.extracted = vec![candidate(1, "ana"), candidate(5, "0"), candidate(3, "Sol SAS")];
        validate(state);
        assert_eq!(state.taken, [3]);
        let Opening::Invalid(why) = &state.opening else { panic!("{:?}", state.opening) };
        assert!(why.contains("arroba"), "{why}");
    });
}

#[test]
fn validate_goes_on_with_a_correction_whose_value_it_refuses() {
    let spec = spec_with(unchanged);
    with_state(&spec, conversation(3), "", &mut Alone::default(), async |state, _| {
        (state.is_correction, state.correction_fields) = (true, vec![1]);
        state.current_field = Some(1);
        let value = Candidate::Text("ana".to_owned());
        state.extracted = vec![Extracted { field: 1, value }];
        validate(state);
        let expected = Some(Correcting::Field("email".to_owned()));
        assert_eq!(state.conversation.talk.correcting, expected);
        assert_eq!(state.conversation.data["email"], "ana@sol.co");
    });
}

#[test]
fn extract_field_hears_a_yes_a_no_or_neither_to_the_summary() {
    let spec = spec_with(|form| {
        form.confirm = Some(pack::files::Confirm {
            ask: "anotado".to_owned(),
            unclear: "volver_al_tema".to_owned(),
            change: "que_corrijo".to_owned(),
        });
    });
    for (text, confirmed, confirming, opening) in [
        ("sí", true, true, Opening::Nothing),
        ("no", false, false, Opening::Declined),
        ("mañana miramos", false, true, Opening::Unclear),
    ] {
        let mut asked = conversation(6);
        asked.talk.confirming = true;
        with_state(&spec, asked, text, &mut Alone::default(), async |state, _| {
            extract_field(state);
            let talk = &state.conversation.talk;
            assert_eq!((talk.confirmed, talk.confirming), (confirmed, confirming), "{text}");
            assert_eq!(state.opening, opening, "{text}");
        });
    }
}

#[test]
fn validate_asks_for_the_scheme_of_an_address_and_offers_one() {
    let (valid, stored, opening, _) = validated(unchanged, 4, "www.sol.co");
    assert!(!valid && stored.is_none());
    let Opening::Propose(explanation) = opening else { panic!("{opening:?}") };
    assert!(explanation.contains("https://"), "{explanation}");
}

#[test]
fn validate_applies_the_fields_own_pattern_to_the_whole_value() {
    let pattern = |form: &mut Form| form.fields[3].pattern = Some("[A-Z].* SAS".to_owned());
    assert!(validated(pattern, 3, "Sol SAS").0);
    assert!(!validated(pattern, 3, "Sol SAS de Cali").0);
}

/// The reply after a node.
fn reply(
    change: impl FnOnce(&mut Form),
    conversation: Conversation,
    context: &mut Alone,
    act: impl AsyncFnOnce(&mut GraphState<'_>, &mut Alone),
) -> String {
    let spec = spec_with(change);
    with_state(&spec, conversation, "hola", context, async |state, context| {
        act(state, context).await;
        state.response.join(" ")
    })
}

#[test]
fn prompt_next_redirects_explains_or_simply_asks() {
    for (opening, expected) in [
        (Opening::Nothing, "¿A qué número"),
        (Opening::Redirect(None), "primero terminemos tu registro. ¿A qué número"),
        (Opening::Redirect(Some("responder_horario".to_owned())), "8 a. m. a 6 p. m."),
        (Opening::Invalid("Faltan dígitos.".to_owned()), "Faltan dígitos. ¿A qué número"),
    ] {
        let said = reply(unchanged, conversation(2), &mut at(0), async |state, _| {
            state.opening = opening;
            prompt_next(state);
        });
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn prompt_next_greets_once() {
    let mut new = conversation(0);
    new.talk.greeted = false;
    let first = reply(unchanged, new, &mut at(0), async |state, _| prompt_next(state));
    assert!(first.starts_with("¡Hola!") && first.ends_with("¿Cómo te llamas?"), "{first}");
    let later = reply(unchanged, conversation(0), &mut at(0), async |state, _| prompt_next(state));
    assert_eq!(later, "¿Cómo te llamas?");
}

#[test]
fn prompt_next_gives_up_on_a_field_as_the_pack_says() {
    for (then, expected, escalates) in [
        (Then::Help, "te explico", false),
        (Then::OfferPerson, "una persona del equipo?", false),
        (Then::HandOff, "Te paso con una persona", true),
    ] {
        let mut stuck = conversation(1);
        stuck.talk.failed.insert("email".to_owned(), 3);
        let spec = spec_with(|form| form.attempts.then = then);
        with_state(&spec, stuck, "no sé", &mut Alone::default(), async |state, _| {
            state.opening = Opening::Invalid("Le falta la arroba.".to_owned());
            prompt_next(state);
            let said = state.response.join(" ");
            assert!(said.contains(expected), "{said}");
            assert_eq!(state.conversation.talk.escalated.is_some(), escalates);
        });
    }
}

#[test]
fn escalate_records_policy_and_reason_and_says_so() {
    let spec = spec_with(unchanged);
    let text = "quiero un humano";
    with_state(&spec, conversation(1), text, &mut Alone::default(), async |state, context| {
        check_escalation(state, context).await;
        escalate(state);
        let escalated = state.conversation.talk.escalated.clone().unwrap();
        assert_eq!(escalated.policy, "keyword");
        assert!(!escalated.reason.is_empty());
        assert!(state.response[0].contains("persona"));
    });
}

#[test]
fn complete_thanks_once_and_then_says_that_all_is_there() {
    let thanks = reply(unchanged, conversation(6), &mut at(0), async |state, context| {
        complete(state, context).await
    });
    assert!(thanks.contains("¡Gracias, Ana Gómez!") && thanks.contains("5.000.000"), "{thanks}");
    let mut done = conversation(6);
    done.talk.completed = true;
    let again =
        reply(unchanged, done, &mut at(0), async |state, context| complete(state, context).await);
    assert!(again.starts_with("Ya tengo todos tus datos"), "{again}");
}
