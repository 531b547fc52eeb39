//! Chatter beside an order: destinations, purposes, complaints about the last order.

use super::amount;
use super::ask::Act;
use super::item;
use super::lexicon::{WordRole, role};
use super::parse::Reader;
use super::phrase::phrase;
use super::question;
use super::size;
use super::verbs::order_verb;
use crate::extract::tokens::{Class, Tokens};

/// Words for goods delivered and how they came.
const REPORTED: &[&str] = &[
    "cobraron", "cobraste", "estaba", "estaban", "faltaba", "faltaban", "faltaron", "llegaron",
    "mandaron", "mandaste", "rota", "rotas", "roto", "rotos", "trajeron", "trajiste", "vencida",
    "vencidas", "vencido", "vencidos", "vinieron",
];

/// The most tokens between `que` and the final number.
const MOST_SET: usize = 9;

/// Whether a sentence tells of goods that came or did not, and orders none.
pub(super) fn is_report(tokens: &Tokens<'_>, from: usize, to: usize) -> bool {
    let reported = |at: usize| REPORTED.contains(&tokens.text(at));
    let wanted = |at: usize| order_verb(tokens.text(at)).is_some() || question::starts(tokens, at);
    (from..to).any(reported) && !(from..to).any(|at| wanted(at) && !reported(at))
}

/// Whether a sentence makes an order depend on something, which is for a person to sort out: `si el
/// pan es de ayer no me lo mandes`.
pub(super) fn is_proviso(tokens: &Tokens<'_>, from: usize, to: usize) -> bool {
    let of = matches!(tokens.text(from + 1), "el" | "la" | "los" | "las");
    let refused = |at: usize| {
        tokens.text(at) == "no"
            && (at + 1..at + 4).any(|verb| order_verb(tokens.text(verb)).is_some())
    };
    tokens.text(from) == "si" && of && (from..to).any(refused)
}

/// Whether a sentence only supposes an order: `si te pido ahora`.
pub(super) fn is_supposed(tokens: &Tokens<'_>, from: usize) -> bool {
    let verb = from + 1 + usize::from(matches!(tokens.text(from + 1), "te" | "les" | "lo"));
    let ordered = matches!(tokens.text(verb), "pido" | "pedimos" | "encargo" | "compro" | "llevo");
    tokens.text(from) == "si" && ordered
}

/// Whether a sentence asks for goods that came to the shop, and tells of none: `¿te llegaron los
/// pepitos?`.
pub(super) fn is_arrival(tokens: &Tokens<'_>, from: usize) -> bool {
    let verb = (from..from + 3).find(|at| !matches!(tokens.text(*at), "les" | "te" | "ya"));
    verb.is_some_and(|verb| {
        let came = matches!(tokens.text(verb), "entraron" | "entro" | "llegaron" | "llego");
        verb > from && came
    })
}

/// Whether the word at an index is a verb of somebody's act: `nos comen`, `me equivoqué`, `ya
/// volvió`.
pub(super) fn is_deed(tokens: &Tokens<'_>, at: usize) -> bool {
    match tokens.before(at) {
        "te" => !item::is_tea(tokens, at - 1),
        before => matches!(before, "me" | "se" | "nos" | "les" | "le" | "ya"),
    }
}

impl Reader<'_> {
    /// The index after words beside the order that name no goods: a wish, a name, a sum, a place,
    /// things the customer sends.
    pub(super) fn beside(&mut self, at: usize, to: usize) -> Option<usize> {
        let tokens = self.tokens;
        let next = at + 1;
        let end = match tokens.text(at) {
            "feliz" | "felices" => self.before_number(next, to),
            // `te mando un audio`, `te dejo 2 envases`
            "te" | "les" if matches!(tokens.text(next), "dejo" | "envio" | "mando") => {
                let sent = amount::read(tokens, next + 1).map_or(next + 1, |sent| sent.end);
                let end = self.before_number(sent, to);
                // In `te mando a mi hijo a las 8` the hour is parsed with its words.
                (sent..end).find(|at| phrase(tokens, *at).is_some()).unwrap_or(end)
            }
            "dona" | "senor" | "senora" | "senorita" | "sr" | "sra" if self.is_name(next, to) => {
                next + 1
            }
            // Goods may be called so too: `don satur`.
            "don" if is_greeted(tokens, at) && self.is_name(next, to) => next + 1,
            // `en la heladera`
            "en" if is_place(tokens, next) => next + 2,
            _ => after_money(tokens, at)?,
        };
        self.heard.talk = true;
        Some(end.min(to))
    }

    fn is_name(&self, at: usize, to: usize) -> bool {
        let word = at < to && self.tokens.is(at, Class::Word);
        word && self.written(at, at + 1).starts_with(char::is_uppercase)
    }

    /// `que las quilmes sean 6` sets the number; any other words that begin so are beside the
    /// order.
    pub(super) fn that(&mut self, at: usize, to: usize) -> usize {
        let tokens = self.tokens;
        let article = matches!(tokens.text(at + 1), "el" | "la" | "los" | "las");
        // `que la coca sea zero` says no number.
        let should = |at: usize| {
            matches!(tokens.text(at), "sea" | "sean")
                && amount::read(tokens, at + 1).is_some_and(|count| !count.value.is_zero())
        };
        let mut named = (at + 2..to.min(at + MOST_SET)).take_while(|at| !self.ends_clause(*at));
        if !article || !named.any(should) {
            return self.clause_end(at, to);
        }
        self.act(Act::Set);
        self.fixed = true;
        at + 1
    }

    /// `mandame 2 cocas a San Martín 450`, `mandale a mi vieja 2 leches`: skips the destination,
    /// which is not part of the order.
    pub(super) fn destination(&self, at: usize, to: usize) -> usize {
        let end = self.before_number(at + 1, to);
        let digits = self.tokens.text(end).len();
        let next = end + 1;
        let counts = size::measured(self.tokens, end).is_some()
            || self.tokens.text(next) == "de"
            || digits < 3
                && self.tokens.is(next, Class::Word)
                && amount::read(self.tokens, next).is_none();
        let street = end > at + 1 && end < to && self.tokens.is(end, Class::Digits) && digits > 1;
        if street && !counts { next } else { end }
    }

    /// `para la beba`, `pal mate`: skips the purpose of the goods.
    pub(super) fn purpose(&self, at: usize, to: usize) -> usize {
        let whose = matches!(
            self.tokens.text(at + 1),
            "el" | "la" | "los" | "las" | "mi" | "mis" | "un" | "una"
        );
        let word = at + 1 + usize::from(whose);
        match whose || self.tokens.text(at) == "pal" {
            false => at + 1,
            true if self.heard.asks.len() > self.first => self.before_number(word + 1, to),
            true => word + 1,
        }
    }

    /// The index of the next number, or of the end of the clause.
    fn before_number(&self, from: usize, to: usize) -> usize {
        let ends = |at: &usize| self.ends_clause(*at) || amount::read(self.tokens, *at).is_some();
        (from..to).find(ends).unwrap_or(to.max(from))
    }

    /// `quiero hacer milanesas`: the verb makes something of the goods, unless it is the order
    /// itself.
    pub(super) fn makes_something(&self, at: usize) -> bool {
        let next = at + 1;
        let thing =
            next + usize::from(matches!(self.tokens.text(next), "un" | "una" | "el" | "la"));
        self.tokens.text(at) == "hacer"
            && self.tokens.is(thing, Class::Word)
            && role(self.tokens.text(thing)) != Some(WordRole::Filler)
            && amount::read(self.tokens, thing).is_none()
    }

    /// The index where words beside the order give way to more of it.
    pub(super) fn clause_end(&self, at: usize, to: usize) -> usize {
        (at + 1..to).find(|at| self.ends_clause(*at)).unwrap_or(to)
    }

    fn ends_clause(&self, at: usize) -> bool {
        let tokens = self.tokens;
        match tokens.text(at) {
            // `las 7 y media`
            "y" => at == 0 || amount::read(tokens, at - 1).is_none_or(|n| n.end <= at),
            "asi" => true,
            word => {
                tokens.is(at, Class::Symbol) && !is_mark(tokens, at) || order_verb(word).is_some()
            }
        }
    }
}

/// Whether somebody is greeted just before an index.
fn is_greeted(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(
        tokens.before(at),
        "buenas" | "buenos" | "che" | "dia" | "dias" | "gracias" | "hola" | "noches" | "tardes"
    )
}

/// Whether an article and a noun follow, which after `en` are a place and no size.
fn is_place(tokens: &Tokens<'_>, at: usize) -> bool {
    let noun = at + 1;
    matches!(tokens.text(at), "el" | "la" | "las" | "los" | "mi" | "tu")
        && tokens.is(noun, Class::Word)
        && role(tokens.text(noun)).is_none()
        && order_verb(tokens.text(noun)).is_none()
        && size::relative(tokens.text(noun)).is_none()
        && amount::read(tokens, noun).is_none()
}

/// The index after a sum of money: `500 pesos`, `20 mil pesos`. Money's worth of goods (`500 pesos
/// de`) is for a person to weigh.
fn after_money(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let amount::Amount { value, end, .. } = amount::read(tokens, at)?;
    let unit = end + usize::from(tokens.text(end) == "mil");
    let worth = tokens.text(unit + 1) == "de";
    // `2 mangos` are fruit.
    let fruit = tokens.text(unit).starts_with("mango") && unit == end && value < 50.into();
    (size::is_money(tokens.text(unit)) && !worth && !fruit).then_some(unit + 1)
}

/// Whether the words tell of a lack, which removes nothing: `me quedé sin yerba`.
pub(super) fn is_lack(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.before(at), "ando" | "estamos" | "estoy" | "quedamos" | "quede" | "quedo")
}

/// A mark within a number: `8.400`, `11:30`.
pub(super) fn is_mark(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.text(at), "." | "," | ":")
        && at > 0
        && tokens.is(at - 1, Class::Digits)
        && tokens.glued(at)
        && tokens.is(at + 1, Class::Digits)
        && tokens.glued(at + 1)
}
