//! Phrases of politeness, condition and time, whose words mean something else elsewhere.

use super::amount;
use super::chatter;
use super::verbs::order_verb;
use crate::extract::number;
use crate::extract::tokens::Tokens;

/// Phrases that are skipped whole.
const PHRASES: &[&str] = &[
    "a ver",
    "al carrito",
    "al final",
    "asi que",
    "buen dia",
    "como andan",
    "como andas",
    "como esta",
    "como estan",
    "como estas",
    "como te va",
    "como va",
    "con el chico",
    "con el nene",
    "con el pibe",
    "cuando lleguen",
    "cuando llegues",
    "cuando puedan",
    "cuando puedas",
    "cuando vengan",
    "cuando vengas",
    "de una",
    "el carrito",
    "el pedido",
    "el vuelto",
    "en su lugar",
    "eso es todo",
    "eso seria todo",
    "esta bien",
    "gracias",
    "la lista del mes",
    "la orden",
    "lo de siempre",
    "lo mismo de siempre",
    "mercado pago",
    "mi pedido",
    "mil gracias",
    "muchas gracias",
    "nada mas",
    "no mas",
    "para pedir",
    "por ahora",
    "por favor",
    "por las dudas",
    "puede ser",
    "que andas",
    "que tal",
    "si hay",
    "si les queda",
    "si podes",
    "si puede ser",
    "si pueden",
    "si queda",
    "si quedan",
    "si te queda",
    "si te quedan",
    "si tenes",
    "si tienen",
    "te hago un pedido",
    "todo bien",
    "todo piola",
    "un abrazo",
    "un besito",
    "un beso",
    "un pedidito",
    "un pedido",
    "un saludo",
    "una consulta",
    "una pregunta",
];

/// The index after a phrase of politeness or condition, or after an hour or the note that change is
/// needed for.
pub(super) fn phrase(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let note = tokens.follow_any(at, &["el vuelto de", "vuelto de"]);
    let note = note.and_then(|sum| amount::read(tokens, sum)).map(|sum| sum.end);
    let said = note.or_else(|| duty(tokens, at)).or_else(|| tokens.follow_any(at, PHRASES));
    said.or_else(|| {
        let hour = tokens.follow_any(at, &["a las", "a la", "para las", "tipo"])?;
        number::small_whole(tokens, hour).map(|(_, end)| after_minutes(tokens, end))
    })
}

/// `tenés que` before a verb of an order is part of the order; `hay que pagar antes?` asks.
fn duty(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let end = tokens.follow_any(at, &["hay que", "tendrias que", "tenes que", "tienen que"])?;
    (tokens.text(end) == "ser" || order_verb(tokens.text(end)).is_some()).then_some(end)
}

/// The index after the minutes of an hour that ends at an index: `11.30`, `7 y media`.
fn after_minutes(tokens: &Tokens<'_>, at: usize) -> usize {
    let marked = chatter::is_mark(tokens, at);
    let half = tokens.follow_any(at, &["y media", "y cuarto"]);
    // `a las 8 y media docena de facturas`
    match half.filter(|end| tokens.text(*end) != "docena" && tokens.text(*end) != "de") {
        Some(end) => end,
        None if marked => at + 2,
        None => at,
    }
}

/// Whether the words ask how somebody is.
pub(super) fn is_greeting(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.text(at), "como" | "todo" | "que") && phrase(tokens, at).is_some()
}
