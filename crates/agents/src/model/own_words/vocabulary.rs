//! The words that a pack gives: what it sells, the data it asks for, and its prompts, which are
//! nobody's to hear.

use std::collections::BTreeSet;

use super::pieces::words;

/// As many words in a row as show that a prompt is being read out.
const RUN: usize = 5;

/// How words begin that are never taken over from a catalogue or a customer: money, payment, access,
/// addresses, promises, health, consent, and what a model is.
#[rustfmt::skip]
const SENSITIVE: &[&str] = &[
    "pag", "pay", "paid", "cobr", "charg", "transf", "deposit", "cuenta", "account", "banc", "bank",
    "tarjet", "card", "clave", "pin", "codig", "code", "contrasen", "passw", "token", "alias", "cbu",
    "cvu", "nequi", "daviplata", "efecty", "paypal", "wallet", "billeter", "link", "enlace", "pagina",
    "page", "sitio", "site", "web", "www", "http", "url", "app", "instagram", "facebook", "telegram",
    "whatsapp", "google", "tiktok", "punto", "dot", "arroba", "barra", "slash", "arobase", "com",
    "gratis", "free", "grati", "regal", "gift", "descuent", "discount", "promo", "ofert", "offer", "rebaj",
    "cupon", "coupon", "bonif", "precio", "price", "cost", "barat", "cheap", "peso", "dolar", "dollar",
    "luca", "luka", "palo", "plata", "dinero", "money", "cash", "efectivo", "reembols", "refund",
    "devol", "garant", "guarant", "promet", "promis", "asegur", "cura", "cure", "sana", "heal",
    "medic", "remedi", "dosis", "dose", "doctor", "sintoma", "alerg", "embaraz", "pregnan",
    "confirm", "acept", "accept", "autoriz", "authori", "approv", "aprob", "firma", "sign", "yes",
    "envi", "ship", "deliver", "despach", "llega", "arriv", "manana", "tomorrow", "hoy", "today",
    "hora", "hour", "minut", "human", "person", "prompt", "instru", "sistema", "system", "regla",
    "rule", "modo", "mode", "herramient", "tool", "config", "urge", "ultim", "last", "now",
];

/// The words of a pack that the guard on a model's own words knows.
#[derive(Default)]
pub(crate) struct Vocabulary {
    pub(super) goods: BTreeSet<String>,
    pub(super) fields: BTreeSet<String>,
    prompts: BTreeSet<String>,
}

impl Vocabulary {
    pub(crate) fn new<'t>(
        goods: impl IntoIterator<Item = &'t str>,
        fields: impl IntoIterator<Item = &'t str>,
        prompts: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let fields = fields.into_iter().flat_map(words).filter(|word| word.len() > 2);
        let prompts = prompts.into_iter().flat_map(|text| runs(&words(text)).collect::<Vec<_>>());
        Self {
            goods: goods.into_iter().flat_map(names).collect(),
            fields: fields.collect(),
            prompts: prompts.collect(),
        }
    }

    /// Words of a prompt that a text reads out, if it does.
    pub(super) fn leaked(&self, text: &str) -> Option<String> {
        let words = words(text);
        runs(&words).find(|run| self.prompts.contains(run))
    }
}

fn runs(words: &[String]) -> impl Iterator<Item = String> {
    words.windows(RUN).map(|run| run.join(" "))
}

/// The words of a text that can name a thing and mean nothing else.
pub(super) fn names(text: &str) -> Vec<String> {
    let all = words(text).into_iter();
    all.filter(|word| {
        let letters = word.len() > 2 && word.chars().all(char::is_alphabetic);
        letters && !is_sensitive(word)
    })
    .collect()
}

pub(super) fn is_sensitive(word: &str) -> bool {
    SENSITIVE.iter().any(|start| word.starts_with(start))
}
