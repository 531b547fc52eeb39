//! The act that a summary asks about in place of confirming, and the same verb in an answer.

use super::token::{Token, tokens};

/// Regular verbs by their stem, and by their stem before an e.
const VERBS: &[(&str, &str)] = &[
    ("actualiz", "actualic"),
    ("agreg", "agregu"),
    ("anul", "anul"),
    ("borr", "borr"),
    ("cambi", "cambi"),
    ("cancel", "cancel"),
    ("descart", "descart"),
    ("elimin", "elimin"),
    ("modific", "modifiqu"),
    ("quit", "quit"),
    ("reemplaz", "reemplac"),
    ("sac", "saqu"),
    ("vaci", "vaci"),
];

const ENGLISH: &[&str] =
    &["add", "cancel", "change", "clear", "delete", "empty", "remove", "replace", "swap", "update"];

/// Endings of an answer, and the form of confirming that is said in the same way.
const ENDINGS: &[(&str, &str)] = &[
    ("o", "confirmo"),
    ("amos", "confirmamos"),
    ("a", "confirma"),
    ("alo", "confirmalo"),
    ("ala", "confirmalo"),
    ("alos", "confirmalo"),
    ("alas", "confirmalo"),
    ("amelo", "confirmamelo"),
    ("amela", "confirmamelo"),
    ("ar", "confirmar"),
    ("arlo", "confirmarlo"),
    ("arla", "confirmarlo"),
    ("ado", "confirmado"),
];

/// Endings in e of an answer, and the form of confirming that is said in the same way.
const ENDINGS_IN_E: &[(&str, &str)] = &[
    ("e", "confirme"),
    ("en", "confirmen"),
    ("elo", "confirmelo"),
    ("ela", "confirmelo"),
    ("elos", "confirmelo"),
    ("elas", "confirmelo"),
    ("enlo", "confirmenlo"),
    ("enla", "confirmenlo"),
    ("emelo", "confirmemelo"),
    ("emela", "confirmemelo"),
    ("emos", "confirmemos"),
    ("emoslo", "confirmemoslo"),
];

/// Words before the verb of a question that say nothing about the verb.
const BEFORE: &[&str] = &[
    "entonces", "ok", "te", "le", "les", "lo", "la", "los", "las", "se", "queres", "quieres",
    "quiere", "quieren", "desea", "deseas", "que", "so", "then", "shall", "should", "do", "you",
    "want", "me", "to", "i", "we", "would", "like",
];

/// Words for all that was ordered, in a question or in an answer.
const WHOLE: &[&str] = &[
    "all",
    "carrito",
    "cart",
    "compra",
    "entrega",
    "envio",
    "everything",
    "items",
    "lot",
    "orden",
    "order",
    "pedido",
    "productos",
    "purchase",
    "todito",
    "todo",
    "todos",
];

/// A verb that was asked about.
#[derive(Debug)]
pub(super) struct AskedAct {
    verb: Verb,
    /// Whether the question is about all that was ordered.
    whole: bool,
}

#[derive(Clone, Copy, Debug)]
enum Verb {
    Spanish(&'static str, &'static str),
    English(&'static str),
}

impl Verb {
    /// Whether the verb without an object means the whole order.
    fn is_of_all(self) -> bool {
        matches!(self, Verb::Spanish("cancel" | "anul", _) | Verb::English("cancel"))
    }
}

impl AskedAct {
    /// The verb that a summary asks about, if it is the only one and not confirming.
    pub(super) fn new(shown: &str) -> Option<Self> {
        let tokens = tokens(shown);
        let mut found = None;
        for question in questions(&tokens) {
            let choice = question.iter().any(|token| {
                matches!(&*token.text, "o" | "or" | "u") || token.text.starts_with("confirm")
            });
            let verb = verb(question);
            if choice || verb.is_some() && found.is_some() {
                return None;
            }
            let whole = question.iter().any(|token| is_whole(&token.text))
                || verb.is_some_and(Verb::is_of_all) && question.len() <= 4;
            found = found.or(verb.map(|verb| AskedAct { verb, whole }));
        }
        found
    }

    /// The form of confirming that stands for a form of the verb. A cart stands for an order.
    pub(super) fn stands_for(&self, word: &str) -> Option<&'static str> {
        let form = |stem: &str, endings: &[(&str, &'static str)]| {
            let rest = word.strip_prefix(stem)?;
            endings.iter().find(|(ending, _)| *ending == rest).map(|(_, form)| *form)
        };
        match self.verb {
            _ if word == "carrito" => Some("pedido"),
            _ if word == "cart" => Some("order"),
            Verb::English(verb) => (word == verb).then_some("confirm"),
            Verb::Spanish(stem, before_e) => {
                form(stem, ENDINGS).or_else(|| form(before_e, ENDINGS_IN_E))
            }
        }
    }

    /// Whether the answer asks for no more than the act that was asked about: the same verb, of the
    /// whole order only if the question was, or words that only go ahead.
    pub(super) fn has_done(&self, said: &[Token], goes_ahead: bool) -> bool {
        let whole = said.iter().any(|token| is_whole(&token.text));
        match said.iter().any(|token| token.same_verb) {
            true => self.whole || !whole,
            false => goes_ahead && !whole,
        }
    }
}

fn is_whole(word: &str) -> bool {
    WHOLE.contains(&word)
}

/// The questions among the tokens.
fn questions(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.iter().enumerate().filter(|(_, token)| token.asked).map(|(end, _)| {
        let before = &tokens[..=end];
        let opened = before.iter().rposition(|token| token.before.asks);
        let start = opened.or_else(|| before.iter().rposition(|token| token.before.broken));
        &before[start.unwrap_or(0)..]
    })
}

/// The verb with which a question offers to do something.
fn verb(question: &[Token]) -> Option<Verb> {
    let at = question.iter().position(|token| !BEFORE.contains(&&*token.text))?;
    let word = question[at].text.as_str();
    let before = |words: &[&str]| {
        question[..at].iter().rev().take(2).any(|token| words.contains(&&*token.text))
    };
    let offered = |stem: &str, endings: [&str; 2]| {
        word.strip_prefix(stem).is_some_and(|rest| endings.contains(&rest))
    };
    let spanish = VERBS.iter().find(|(stem, before_e)| {
        offered(stem, ["o", "amos"]) || before(&["que"]) && offered(before_e, ["e", "emos"])
    });
    let english = ENGLISH.iter().find(|verb| **verb == word && before(&["i", "we", "me"]));
    spanish
        .map(|(stem, before_e)| Verb::Spanish(stem, before_e))
        .or_else(|| english.map(|verb| Verb::English(verb)))
}
