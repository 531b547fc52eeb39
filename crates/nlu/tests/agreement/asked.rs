//! Answers where a summary asks for something else than to confirm.

use nlu::agrees;

const CANCEL: &str = "¿Cancelo tu pedido de 2 Coca-Cola, por $2.000? Decime que sí y lo cancelo.";
const EMPTY: &str = "¿Vacío el carrito? Tiene 2 Coca-Cola y 1 Pan lactal.";
const CHANGE: &str = "Tenés 2 Coca-Cola y querés 3. ¿Lo cambio?";
const ONE: &str = "¿Saco la leche?";
const ENGLISH: &str = "Your order is 2 Coca-Cola, $2,000. Shall I cancel it?";
const EITHER: &str = "2 Coca-Cola, $2.000. ¿Confirmás o lo cancelo?";
const CONFIRM: &str = "2 Coca-Cola, $2.000. ¿Confirmamos? ¿O querés cambiar algo?";

fn check(shown: &str, expected: bool, messages: &[&str]) {
    for message in messages {
        assert_eq!(agrees(message, shown), expected, "{message:?} to {shown:?}");
    }
}

#[test]
fn the_verb_that_was_asked_about_is_a_yes_in_every_agreeing_form() {
    check(
        CANCEL,
        true,
        &[
            "sí",
            "dale",
            "sí, cancelalo",
            "cancelalo",
            "sí, cancelá",
            "cancélelo por favor",
            "dale, cancelá el pedido",
            "sí, cancelen",
            "cancelado",
            "si cancelar",
            "sí, cancelo",
            "ok, cancélamelo",
            "sí, ahora sí",
            "ah sí, confirmo",
            "sí señora",
            "hágale, confirmo",
            "sí confirmo\nmuchas gracias",
            "sí, podés cancelarlo",
            "hacelo",
            "cancelalo todo",
        ][..],
    );
    check(EMPTY, true, &["dale, vacialo", "vacialo", "sí, vacíe el carrito", "sí, vaciá todo"][..]);
    check(CHANGE, true, &["sí cambialo", "cambialo", "dale, cámbielo", "sí, cambiala"][..]);
    check(ONE, true, &["sí, sacala", "sáquela", "sí, sacá", "dale, sacala por favor"][..]);
    check(ENGLISH, true, &["yes", "yes, cancel it", "cancel my order please", "go ahead"][..]);
}

#[test]
fn another_verb_than_the_one_asked_about_is_no_yes() {
    check(
        CANCEL,
        false,
        &[
            "no",
            "no lo canceles",
            "no, cancelalo no",
            "mandalo",
            "sí, mandalo",
            "dale, enviámelo",
            "confirmo el pedido",
            "sí, confirmo mi pedido",
            "quiero el pedido",
            "hacé el pedido",
            "cancelé",
            "canceló",
            "cancelalo mañana",
            "cancelá si no llega hoy",
            "¿cancelo?",
            "cancelás",
            "vacialo",
            "cambialo",
            "sí, cambialo",
            "cancelá una coca",
            "lo compro",
            "me lo llevo",
            "cancelaría",
            "cancelalo y mandame pan",
            "sí pero no lo canceles",
        ][..],
    );
    check(CHANGE, false, &["cancelalo", "cambialo por pan", "sí, cambialo mañana", "mandalo"][..]);
    check(ONE, false, &["sacá todo", "sí, sacá el pedido", "saqué la leche", "sacalo todo"][..]);
    check(ENGLISH, false, &["yes, send it", "place the order", "don't cancel it", "cancel?"][..]);
}

#[test]
fn where_a_summary_asks_to_confirm_no_other_verb_is_a_yes() {
    let others = ["dale, cancelalo", "sí, cancelá", "vacialo", "sí cambialo", "cancelado"];
    check(EITHER, false, &others);
    check(CONFIRM, false, &others);
    check(CONFIRM, true, &["sí, mandalo", "confirmo el pedido"]);
}
