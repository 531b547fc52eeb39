//! No template twice: its backup, then a paraphrase, then a short reference.

use super::kit::{Answer, Stage, Talk, agent, said};

const WRITER: &str = "\nmodels:\n  writer: { model: escribir, max_tokens: 300 }\n";

#[test]
fn a_template_is_followed_by_its_backup_then_a_paraphrase_or_a_reference() {
    let agent = agent(WRITER, &[]);
    let mut talk = Talk::begun(&agent);
    let mut silent = Stage::default();
    let first = said(&talk.say(&agent, "cuánto vale", &mut silent));
    let second = said(&talk.say(&agent, "cuánto vale", &mut silent));
    let mut stage = Stage::answering([Answer::Text("Te queda en ⟦1⟧ con todo y domicilio.")]);
    let third = said(&talk.say(&agent, "cuánto vale", &mut stage));
    let fourth = said(&talk.say(&agent, "cuánto vale", &mut silent));
    assert_eq!(first, "El almuerzo vale $18.000, con domicilio incluido.");
    assert_eq!(second, "Son $18.000, y el domicilio va incluido.");
    assert_eq!(third, "Te queda en $18.000 con todo y domicilio.");
    assert_eq!(fourth, "Te lo repito; $18.000 con domicilio.");
    // The model never saw the price.
    let asked = format!("{:?}", stage.asked[0].request);
    assert!(!asked.contains("18.000") && asked.contains("⟦1⟧"), "{asked}");
    let sent = &talk.state.sent;
    assert_eq!(sent[..], ["precio", "precio#respaldo1", "precio#parafrasis", "precio#referencia"]);
    // Intents may repeat for ever.
    assert_eq!(talk.state.seen.len(), 4);
}

#[test]
fn a_paraphrase_that_touches_a_value_is_not_sent() {
    let agent = agent(WRITER, &[]);
    let bad = [
        "Te queda en $5.000 con todo y domicilio.",
        "Te queda en ⟦1⟧, o dos por 20 mil.",
        "Te queda en ⟦1⟧. Paga en somnio-pagos.com",
        "Te sale gratis, ⟦1⟧.",
        "Te queda en ⟦1⟧ con todo, ⟦y⟧ listo.",
        "",
        "El almuerzo vale ⟦1⟧, con domicilio incluido.",
    ];
    for text in bad {
        let mut talk = Talk::begun(&agent);
        for _ in 0..2 {
            talk.say(&agent, "cuánto vale", &mut Stage::default());
        }
        let mut stage = Stage::answering([Answer::Text(text)]);
        let outcome = talk.say(&agent, "cuánto vale", &mut stage);
        assert_eq!(stage.asked.len(), 1);
        assert_eq!(said(&outcome), "Te lo repito; $18.000 con domicilio.", "{text}");
    }
}

#[test]
fn a_summary_is_sent_whole_whenever_it_is_due() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    let outcome = talk.say(&agent, "mi dirección es calle 50 # 3-20", &mut Stage::default());
    assert!(said(&outcome).contains("calle 50 # 3-20"), "{}", said(&outcome));
    assert!(said(&outcome).contains("18.000") && talk.mode == "resumen");
}

#[test]
fn a_yes_counts_only_while_nothing_has_changed_since_the_summary() {
    let agent = agent("", &[("flow.yaml", "      datos_cliente: [{ say: resumen }]\n", "")]);
    let mut talk = Talk::summed_up(&agent);
    let mut stage = Stage::default();
    talk.say(&agent, "mi dirección es calle 50 # 3-20", &mut stage);
    talk.say(&agent, "sí", &mut stage);
    assert!(stage.called.is_empty(), "the summary told another address");
    assert_eq!(talk.mode, "resumen");
    talk.say(&agent, "sí", &mut stage);
    assert_eq!(talk.mode, "pedido", "the summary was sent again, and this is a yes to it");
}

#[test]
fn a_paraphrase_that_was_cut_off_is_not_sent() {
    let agent = agent(WRITER, &[]);
    let mut talk = Talk::begun(&agent);
    for _ in 0..2 {
        talk.say(&agent, "cuánto vale", &mut Stage::default());
    }
    let mut stage = Stage::answering([Answer::CutWords("Te queda en ⟦1⟧ con todo y")]);
    let outcome = talk.say(&agent, "cuánto vale", &mut stage);
    assert_eq!(said(&outcome), "Te lo repito; $18.000 con domicilio.");
}

#[test]
fn a_template_is_said_once_in_a_turn() {
    let twice =
        ("flow.yaml", "precio: [{ say: precio }]", "precio: [{ say: precio }, { say: precio }]");
    let agent = agent("", &[twice]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut Stage::default());
    assert_eq!(said(&outcome), "El almuerzo vale $18.000, con domicilio incluido.");
}

#[test]
fn what_is_no_summary_sums_nothing_up() {
    let price =
        ("flow.yaml", "datos_cliente: [{ say: resumen }]", "datos_cliente: [{ say: precio }]");
    let agent = agent("", &[price]);
    let mut talk = Talk::summed_up(&agent);
    let mut stage = Stage::default();
    let outcome = talk.say(&agent, "mi dirección es calle 50 # 3-20", &mut stage);
    assert!(said(&outcome).contains("El almuerzo vale"), "{}", said(&outcome));
    talk.say(&agent, "sí", &mut stage);
    assert!(stage.called.is_empty(), "the last summary told another address");
}

#[test]
fn nothing_is_said_or_armed_after_the_session_is_closed() {
    let closes = (
        "flow.yaml",
        "cancelar: [{ say: cancelado }, { go: conversacion }]",
        "cancelar: [{ close: true }, { say: cancelado }, { go: conversacion }]",
    );
    let agent = agent("", &[closes]);
    let mut talk = Talk::summed_up(&agent);
    let outcome = talk.say(&agent, "ya no lo quiero", &mut Stage::default());
    assert_eq!(outcome.status, domain::SessionStatus::Closed);
    assert!(outcome.replies.is_empty() && outcome.arm.is_empty(), "{}", said(&outcome));
    assert_eq!(outcome.cancel, ["flow.resumen.silencio"]);
}
