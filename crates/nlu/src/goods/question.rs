//! Questions: the parts of a message that ask, with their ends and the goods they are about.

use super::amount;
use super::chatter;
use super::lexicon::{WordRole, is_topic, role};
use super::size::{self, Context};
use super::verbs::order_verb;
use crate::extract::tokens::{Class, Tokens};

const PHRASES: &[&str] = &[
    "a como",
    "a cuanto",
    "a que",
    "como hago",
    "como pago",
    "como puedo",
    "contame que",
    "de cuanto",
    "fijate si",
    "hasta que",
    "puedo pagar",
    "que horario",
    "que hora",
    "que precio",
    "que promo",
    "que promos",
    "se puede",
    "va a haber",
    "van a haber",
    "van a tener",
    "vas a tener",
];

/// Whether a question begins at an index.
pub(super) fn starts(tokens: &Tokens<'_>, at: usize) -> bool {
    // `así no se puede` asks nothing.
    if tokens.follow_any(at, PHRASES).is_some() && tokens.before(at) != "no" {
        return true;
    }
    match tokens.text(at) {
        // `qué yerbas tenés`
        "que" => (at + 1..at + 7)
            .take_while(|later| order_verb(tokens.text(*later)).is_none())
            .any(|later| is_asking(tokens.text(later))),
        "vendes" | "vende" => tokens.before(at) != "me",
        // `me lo pueden traer ahora`
        "lo" | "la" | "los" | "las" => {
            matches!(tokens.text(at + 1), "podes" | "podrian" | "podrias" | "puede" | "pueden")
                && order_verb(tokens.text(at + 2)).is_some()
        }
        // `pasame el total`
        word if order_verb(word).is_some() => tokens.follow(at + 1, "el total").is_some(),
        word => is_asking(word),
    }
}

fn is_asking(word: &str) -> bool {
    matches!(
        word,
        "abren"
            | "acepta"
            | "aceptan"
            | "atienden"
            | "cierran"
            | "cual"
            | "cuales"
            | "cuando"
            | "cuanta"
            | "cuantas"
            | "cuanto"
            | "cuantos"
            | "decime"
            | "decis"
            | "demora"
            | "demoran"
            | "donde"
            | "envian"
            | "habra"
            | "hacen"
            | "hay"
            | "horario"
            | "horarios"
            | "llegan"
            | "llegas"
            | "precio"
            | "precios"
            | "queda"
            | "quedan"
            | "quien"
            | "reparten"
            | "tarda"
            | "tardan"
            | "tendran"
            | "tendras"
            | "tendrias"
            | "tenes"
            | "tiene"
            | "tienen"
            | "trabajan"
            | "venden"
    )
}

/// The index where a question that begins at `at` gives way to an order, or `to`.
pub(super) fn end(tokens: &Tokens<'_>, at: usize, to: usize) -> usize {
    let turns = |index: &usize| {
        let led = matches!(tokens.before(*index), "," | "y" | "entonces" | "bueno" | "dale" | "me");
        led && order_verb(tokens.text(*index)).is_some()
    };
    (at + 1..to).find(turns).unwrap_or(to)
}

/// Whether the words ask about goods already known: `la de 2,25 es retornable?`
pub(super) fn tells(tokens: &Tokens<'_>, from: usize, to: usize) -> bool {
    let article = matches!(tokens.text(from), "el" | "la" | "las" | "los");
    article && (from + 1..to).any(|at| is_told_of(tokens, at))
}

/// The comma between an order and a question without a question word: `2 cocas, el pan es de hoy?`
pub(super) fn told_after(tokens: &Tokens<'_>, from: usize, to: usize) -> Option<usize> {
    let comma = |at: &usize| tokens.text(*at) == "," && !chatter::is_mark(tokens, *at);
    let comma = (from..to).rev().find(comma)?;
    let counted = (from..comma).any(|at| amount::read(tokens, at).is_some());
    let told_before = (from..comma).any(|at| is_told_of(tokens, at));
    (tells(tokens, comma + 1, to) && counted && !told_before).then_some(comma)
}

/// The tokens that name the goods a question is about.
pub(super) fn about(tokens: &Tokens<'_>, from: usize, to: usize) -> Option<(usize, usize)> {
    if (from..to).any(|at| is_topic(tokens.text(at))) {
        return None;
    }
    let mut named: Option<(usize, usize)> = None;
    let mut words = 0;
    let mut at = from;
    while at < to && !(named.is_some() && is_told_of(tokens, at)) {
        let context = if tokens.before(at) == "de" { Context::AfterOf } else { Context::Order };
        let end = match size::read(tokens, at, context) {
            Some((_, end)) => end.min(to),
            None if is_named(tokens, at) => {
                words += 1;
                at + 1
            }
            None => {
                at += 1;
                continue;
            }
        };
        named = Some((named.map_or(at, |(start, _)| start), end));
        at = end;
    }
    named.filter(|_| words > 0)
}

/// Whether a question about the goods named before begins here: `es retornable`, `sirve para
/// pizza`, `de cuánto es la botella`.
pub(super) fn is_told_of(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(
        tokens.text(at),
        "anda"
            | "andan"
            | "dura"
            | "duran"
            | "es"
            | "esta"
            | "estan"
            | "rinde"
            | "rinden"
            | "sirve"
            | "sirven"
            | "son"
            | "trae"
            | "traen"
            | "viene"
            | "vienen"
    ) || tokens.follow_any(at, &["a como", "a cuanto", "de cuanto"]).is_some()
}

fn is_named(tokens: &Tokens<'_>, at: usize) -> bool {
    let word = tokens.text(at);
    let price = matches!(
        word,
        "sale"
            | "salen"
            | "saldria"
            | "cuesta"
            | "cuestan"
            | "vale"
            | "valen"
            | "estan"
            | "estaba"
            | "salia"
            | "cobran"
            | "cobras"
            | "cobra"
            | "quedando"
            | "tener"
            | "venimos"
            | "vengo"
    );
    tokens.is(at, Class::Word)
        && !price
        && !matches!(word, "vendes" | "pasas")
        && !is_quality(tokens, at)
        && !chatter::is_deed(tokens, at)
        && !is_asking(word)
        && order_verb(word).is_none()
        && role(word).is_none_or(|role| role == WordRole::Talk)
}

/// Words that ask for a quality of goods and name none: `de qué gusto es`, `la más barata`, `hay
/// stock de`.
fn is_quality(tokens: &Tokens<'_>, at: usize) -> bool {
    let asked = matches!(tokens.before(at), "que" | "cual" | "cuantos" | "cuantas");
    match tokens.text(at) {
        "color" | "colores" | "gramos" | "gusto" | "gustos" | "litros" | "marca" | "marcas"
        | "medida" | "medidas" | "sabor" | "sabores" | "talle" | "talles" | "tamano"
        | "tamanos" => asked,
        "barata" | "baratas" | "barato" | "baratos" | "cara" | "caras" | "caro" | "caros" => true,
        "contame" | "menos" | "oferta" | "ofertas" | "saliendo" | "stock" | "viene" | "vienen" => {
            true
        }
        _ => false,
    }
}
