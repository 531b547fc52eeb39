//! The facts: all that conditions and texts may know of a turn, one row each.
//!
//! Checks, texts, the situations that conditions are tried in and the tables of docs/packs.md come from
//! these rows. A new fact is a row; only one of a new kind is more.

use serde_json::{Map, Value as Json, json};

use crate::check::{NOT_UNDERSTOOD, Scope, Uses};

/// The knowledge of a turn that facts are made of. Each part is asked for only when a fact is looked at,
/// since most conditions look at one or two.
pub trait Situation {
    fn mode(&self) -> &str;
    /// The fields with a value.
    fn data(&self) -> Map<String, Json>;
    /// The minimum fields without one.
    fn missing(&self) -> Vec<&str>;
    /// The templates sent in this session, the newest last.
    fn sent(&self) -> Vec<&str>;
    /// The intents seen in this session, the newest last.
    fn seen(&self) -> Vec<&str>;
    fn intent(&self) -> &str;
    fn confidence(&self) -> f64;
    fn accepts(&self) -> bool;
    fn declines(&self) -> bool;
    fn summary_stands(&self) -> bool;
    /// The tool that the customer agreed to in this message.
    fn agreed_to(&self) -> &str;
    fn proposal(&self) -> Json;
    /// The hour and the day of the week on the pack's clock.
    fn clock(&self) -> (i8, i8);
    fn customer(&self) -> Json;
    fn previous(&self) -> Json;
    fn chosen(&self) -> Json;
    fn cart(&self) -> Json;
    fn thread(&self) -> &str;
    fn errors(&self) -> u32;
    /// A fact of the business's profile at this moment.
    fn business(&self, fact: &str) -> Json;
}

/// Where a fact may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownTo {
    Conditions,
    Both,
    /// Only to texts, and only to those of certain messages.
    Texts,
}

/// A key of a group, and what it is.
pub(crate) type Key = (&'static str, &'static str);

/// The kinds of fact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Flag,
    /// A whole number between two, each of which is tried.
    Whole(i64, i64),
    /// A number; those near the ones a condition names are tried, and these.
    Number(&'static [f64]),
    /// A word of a short list.
    Word(&'static [&'static str]),
    Text,
    List,
    Mode,
    Intent,
    Intents,
    Templates,
    /// A tool that a summary proposes, or no text.
    Proposed,
    Data,
    Missing,
    Complete,
    /// The option that was chosen.
    Chosen,
    /// The profile of the business.
    Profile,
    /// Keys, and the situations to try.
    Group(&'static [Key], fn(&Scope<'_>, &Uses) -> Vec<Json>),
}

/// A fact.
pub struct Fact {
    pub name: &'static str,
    pub(crate) known_to: KnownTo,
    pub(crate) kind: Kind,
    pub(crate) meaning: &'static str,
    get: fn(&dyn Situation) -> Json,
}

impl Fact {
    /// The fact's value in this turn.
    pub fn of(&self, turn: &dyn Situation) -> Json {
        (self.get)(turn)
    }
}

const CART: &[Key] = &[
    ("vacio", "whether nothing is in it"),
    ("recien_cambio", "whether the last thing said is that it changed, and something is in it"),
    ("unidades", "how many things"),
    ("lineas", "its lines"),
    ("resumen", "the lines as a sentence lists them"),
    ("total", "what it comes to, a number"),
    ("total_texto", "the same as people write it"),
    ("notas", "the customer's remark"),
    (
        "sin_stock",
        "lines of which there is less than they ask for: `title`, `quantity`, `available`",
    ),
    ("eligiendo", "whether the customer has still to say which of several"),
];

const PROPOSAL: &[Key] = &[
    ("herramienta", "the tool"),
    ("entrada", "its input"),
    ("resumen", "the items"),
    ("total_texto", "what they come to"),
];

const CUSTOMER: &[Key] = &[
    ("nombre", "empty if it is not known"),
    ("conocido", "whether they were here before, or their name is known"),
];

const PREVIOUS: &[Key] =
    &[("hubo", "whether there was one"), ("modo", "its mode"), ("resumen", "what came of it")];

/// The threads that a message may belong to.
const THREADS: &[&str] = &["order", "info", "mixed", ""];

const fn row(
    name: &'static str,
    known_to: KnownTo,
    kind: Kind,
    meaning: &'static str,
    get: fn(&dyn Situation) -> Json,
) -> Fact {
    Fact { name, known_to, kind, meaning, get }
}

/// A value that certain messages bring, and no turn knows.
const fn brought(name: &'static str, kind: Kind, meaning: &'static str) -> Fact {
    row(name, KnownTo::Texts, kind, meaning, |_| Json::Null)
}

use Kind::{
    Chosen, Complete, Data, Flag, Group, Intent, Intents, List, Missing, Mode, Number, Profile,
    Proposed, Templates, Text, Whole, Word,
};
use KnownTo::{Both, Conditions};

/// Every fact, in the order in which docs/packs.md lists them.
#[rustfmt::skip]
pub static FACTS: &[Fact] = &[
    row("modo", Both, Mode, "where the flow stands", |turn| json!(turn.mode())),
    row("datos", Conditions, Data, "the fields collected: `datos.barrio` is the value, or null where it is not given", |turn| turn.data().into()),
    row("faltan", Conditions, Missing, "the minimum fields still missing", |turn| json!(turn.missing())),
    row("minimos", Conditions, Complete, "whether no minimum field is missing", |turn| json!(turn.missing().is_empty())),
    row("enviados", Conditions, Templates, "the templates sent in this session", |turn| json!(turn.sent())),
    row("vistos", Conditions, Intents, "the intents seen in this session", |turn| json!(turn.seen())),
    row("intencion", Conditions, Intent, "what the message means", |turn| json!(turn.intent())),
    row("confianza", Conditions, Number(&[0.0, 0.5, 1.0]), "how sure that is, from 0 to 1", |turn| json!(turn.confidence())),
    row("acepta", Conditions, Flag, "whether the customer plainly says yes", |turn| json!(turn.accepts())),
    row("rechaza", Conditions, Flag, "whether the customer plainly says no", |turn| json!(turn.declines())),
    row("resumen_vigente", Conditions, Flag, "whether a summary was sent, nothing has changed since, and it was asked about last", |turn| json!(turn.summary_stands())),
    row("acordado", Conditions, Proposed, "the tool the customer agrees to in this message, or `\"\"`", |turn| json!(turn.agreed_to())),
    row("propuesta", Both, Group(PROPOSAL, proposals), "the last summary", |turn| turn.proposal()),
    row("nuevo", Conditions, Flag, "whether nothing was understood yet in this session", |turn| json!(turn.seen().is_empty())),
    row("hora", Both, Whole(0, 23), "the hour on the pack's clock", |turn| json!(turn.clock().0)),
    row("dia", Conditions, Whole(1, 7), "the day on the pack's clock, 1 is Monday", |turn| json!(turn.clock().1)),
    row("cliente", Both, Group(CUSTOMER, customers), "the customer", |turn| turn.customer()),
    row("anterior", Conditions, Group(PREVIOUS, previous), "the last session", |turn| turn.previous()),
    row("elegido", Both, Chosen, "the option chosen, with its `value`, `label` and `values`; empty until then", |turn| turn.chosen()),
    row("carrito", Both, Group(CART, carts), "the cart", |turn| turn.cart()),
    row("hilo", Both, Word(THREADS), "what the message is about: `order`, `info`, `mixed` or `\"\"`", |turn| json!(turn.thread())),
    row("errores", Both, Number(&[0.0, 1.0, 2.0, 3.0]), "in how many messages in a row a tool has failed", |turn| json!(turn.errors())),
    row("abierto", Both, Flag, "whether the business is open now", |turn| turn.business("abierto")),
    row("horario", Both, Text, "its week", |turn| turn.business("horario")),
    row("horario_hoy", Both, Text, "its day", |turn| turn.business("horario_hoy")),
    row("abre", Both, Text, "when it opens next", |turn| turn.business("abre")),
    row("comercio", Both, Profile, "the whole profile of the business", |turn| turn.business("comercio")),
    brought("resumen", Text, "all that was collected, as a sentence lists it"),
    brought("pendientes", Text, "the fields that are missing, by their labels"),
    brought("faltantes", Text, "the same"),
    brought("nombre_contacto", Text, "the name the channel gives the customer"),
    brought("explicacion", Text, "why a value is not valid"),
    brought("anotado", Text, "what was noted besides"),
    brought("campo", Text, "the label of the field it is about"),
    brought("valor", Text, "its value"),
    brought("opciones", Text, "what may have been meant, a line each"),
    brought("texto", Text, "the gist of what was said before"),
    brought("agregados", Text, "what was put into the cart"),
    brought("quitados", Text, "what was taken out of it"),
    brought("cambiados", Text, "what of it was changed"),
    brought("producto", Text, "the product it is about"),
    brought("productos", List, "products that were found: `title`, `price_text`, `available`"),
    brought("quedan", Number(&[1.0]), "how many there are"),
    brought("alternativas", Text, "what there is instead"),
];

/// The engine's own fact of this name.
pub fn fact(name: &str) -> Option<&'static Fact> {
    FACTS.iter().find(|fact| fact.name == name)
}

/// Whether the engine uses a name for a fact, in conditions or in texts.
pub(crate) fn is_known(name: &str) -> bool {
    fact(name).is_some()
}

/// Whether a fact may have this key; a name that is no fact with keys of its own has any.
pub(crate) fn has_key(name: &str, key: &str) -> bool {
    match fact(name).map(|fact| fact.kind) {
        Some(Kind::Group(keys, _)) => key.is_empty() || keys.iter().any(|(known, _)| *known == key),
        _ => true,
    }
}

/// The names of the facts that conditions know.
pub fn in_conditions() -> impl Iterator<Item = &'static str> {
    FACTS.iter().filter(|fact| fact.known_to != KnownTo::Texts).map(|fact| fact.name)
}

/// The names of the facts that texts know.
pub(crate) fn in_texts<'a>() -> impl Iterator<Item = &'a str> {
    FACTS.iter().filter(|fact| fact.known_to != Conditions).map(|fact| fact.name)
}

impl Fact {
    /// Whether it may be more than the values that are tried.
    pub(crate) fn is_open(&self) -> bool {
        matches!(
            self.kind,
            Number(_) | Text | List | Data | Templates | Intents | Profile | Group(..)
        )
    }

    /// The values that conditions are tried with; none where it comes with others, such as the data.
    pub(crate) fn tried(&self, scope: &Scope<'_>, uses: &Uses, modes: &[&str]) -> Vec<Json> {
        match self.kind {
            Flag => vec![json!(true), json!(false)],
            Whole(least, most) => (least..=most).map(|number| json!(number)).collect(),
            Number(others) => uses.numbers(others),
            Word(words) => words.iter().map(|word| json!(word)).collect(),
            Text => vec![json!("x"), json!("")],
            Mode => modes.iter().map(|mode| json!(mode)).collect(),
            Intent => {
                let known = scope.intents.iter().flatten().copied();
                known.chain(["", NOT_UNDERSTOOD]).map(|intent| json!(intent)).collect()
            }
            Intents => uses.lists(scope.intents.as_deref().unwrap_or_default()),
            Templates => uses.lists(scope.templates.as_deref().unwrap_or_default()),
            Proposed => {
                scope.proposed.iter().copied().chain([""]).map(|tool| json!(tool)).collect()
            }
            Profile => vec![scope.commerce.clone().unwrap_or_default()],
            Group(_, situations) => situations(scope, uses),
            List | Data | Missing | Complete | Chosen => Vec::new(),
        }
    }

    /// A value that texts may be tried with.
    pub(crate) fn sample(&self, scope: &Scope<'_>) -> Json {
        match self.kind {
            Flag => json!(true),
            Whole(..) | Number(_) => json!(1),
            List => json!([{ "title": "x", "price_text": "x", "available": 1 }]),
            Profile => scope.commerce.clone().unwrap_or_default(),
            Chosen => scope.any_option(),
            Group(_, situations) => {
                situations(scope, &Uses::default()).into_iter().nth(1).unwrap_or_default()
            }
            _ => json!("1"),
        }
    }

    /// How the tables of docs/packs.md call its kind.
    fn kind_in_words(&self) -> &'static str {
        match self.kind {
            Flag | Complete => "yes or no",
            Whole(..) | Number(_) => "number",
            Word(_) | Text | Mode | Intent | Proposed => "text",
            List | Intents | Templates | Missing => "list",
            Data | Chosen | Profile | Group(..) => "group",
        }
    }

    fn row(&self) -> String {
        let mut meaning = self.meaning.to_owned();
        if let Group(keys, _) = self.kind {
            let keys: Vec<String> =
                keys.iter().map(|(key, meaning)| format!("`{key}`, {meaning}")).collect();
            meaning = format!("{meaning}: {}", keys.join("; "));
        }
        format!("| `{}` | {} | {meaning} |\n", self.name, self.kind_in_words())
    }
}

/// The tables of docs/packs.md: what conditions know, and what only texts do.
pub fn tables() -> [String; 2] {
    let table = |fits: &dyn Fn(&&Fact) -> bool| {
        let rows = FACTS.iter().filter(fits).map(Fact::row).collect::<String>();
        format!("| name | type | what it is |\n|---|---|---|\n{rows}")
    };
    [table(&|fact| fact.known_to != KnownTo::Texts), table(&|fact| fact.known_to == KnownTo::Texts)]
}

/// Carts with so many units in them.
fn carts(_: &Scope<'_>, _: &Uses) -> Vec<Json> {
    let cart = |units: u32| {
        let line = json!({ "sku": "x", "title": "x", "quantity": units });
        let lines = if units == 0 { json!([]) } else { json!([line]) };
        let short = json!([{ "title": "x", "quantity": 2, "available": 1 }]);
        json!({
            "vacio": units == 0, "recien_cambio": units == 10, "unidades": units, "lineas": lines,
            "resumen": "x", "total": f64::from(units), "total_texto": "x", "notas": "",
            "sin_stock": if units == 2 { short } else { json!([]) }, "eligiendo": units == 2,
        })
    };
    [0, 1, 2, 10].map(cart).to_vec()
}

/// Summaries that propose each tool there is one for, and none.
fn proposals(scope: &Scope<'_>, _: &Uses) -> Vec<Json> {
    let tools = scope.proposed.iter().copied().chain(["", "x"]);
    let proposal =
        |tool| json!({ "herramienta": tool, "entrada": {}, "resumen": "x", "total_texto": "x" });
    tools.map(proposal).collect()
}

/// Customers with the names that a condition looks for, and with others.
fn customers(_: &Scope<'_>, uses: &Uses) -> Vec<Json> {
    let names = uses.texts.iter().map(String::as_str).chain(["x", ""]);
    let known = |name| [true, false].map(|known| json!({ "nombre": name, "conocido": known }));
    names.flat_map(known).collect()
}

/// Sessions that ended in each mode, and none.
fn previous(scope: &Scope<'_>, _: &Uses) -> Vec<Json> {
    let none = json!({ "hubo": false, "modo": "", "resumen": "" });
    let modes = scope.modes.iter();
    let some = modes.map(|mode| json!({ "hubo": true, "modo": mode, "resumen": "x" }));
    some.chain([none]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_group_is_tried_with_has_the_keys_that_are_listed() {
        let scope = Scope::default();
        for fact in FACTS {
            let Group(keys, situations) = fact.kind else { continue };
            for situation in situations(&scope, &Uses::default()) {
                let mut has: Vec<&str> =
                    situation.as_object().unwrap().keys().map(String::as_str).collect();
                let mut listed: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
                has.sort_unstable();
                listed.sort_unstable();
                assert_eq!(has, listed, "{}", fact.name);
            }
        }
    }

    #[test]
    fn a_name_stands_for_one_fact() {
        for (at, fact) in FACTS.iter().enumerate() {
            assert!(FACTS[..at].iter().all(|other| other.name != fact.name), "{}", fact.name);
        }
    }
}
