//! The engine's own sentences: a checked file per locale, and the changes that a pack makes to them.

use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! sentences {
    ($($(#[doc = $doc:literal])+ $name:ident, up to $longest:literal, with $values:expr;)*) => {
        /// All sentences, as the customers of one pack read them.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Sentences {
            $($(#[doc = $doc])+ pub $name: String,)*
        }

        /// The sentences that are said otherwise: by a locale than by its language, or by a pack.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Replaced {
            $(
                $(#[doc = $doc])+
                #[schemars(length(min = 1, max = $longest))]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<String>,
            )*
        }

        /// Each sentence's name, the values that it must say, and the most characters it may have.
        const RULES: &[(&str, &[&str], usize)] = &[$((stringify!($name), $values, $longest),)*];

        impl Sentences {
            /// `None` if a sentence is missing.
            fn complete(all: Replaced) -> Option<Self> {
                Some(Self { $($name: all.$name?,)* })
            }

            #[must_use]
            pub fn with(mut self, replaced: &Replaced) -> Self {
                $(if let Some(text) = &replaced.$name {
                    self.$name.clone_from(text);
                })*
                self
            }
        }
    };
}

sentences! {
    /// Sent once, when a message could not be answered and a person takes over.
    apology, up to 1000, with &[];
    /// Opens the list of what the customer may pick.
    list_title, up to 20, with &[];
    /// Says that there is now another quantity of {title} in the cart.
    now_in_cart, up to 200, with &["title", "quantity"];
    /// The web chat refuses a message without words.
    empty, up to 300, with &[];
    /// The web chat refuses a message of more than {most} characters.
    too_long, up to 300, with &["most"];
    /// The web chat has forgotten its visitor.
    not_open, up to 300, with &[];
    /// A visitor of the web chat wrote too many messages; the page sends the last one again.
    many_messages, up to 300, with &[];
    /// Too many visitors begin a web chat; the page sends the message again.
    many_customers, up to 300, with &[];
    /// A visitor loaded the web chat too often.
    many_reloads, up to 300, with &[];
    /// A visitor has the web chat open in too many windows.
    many_windows, up to 300, with &[];
    /// Too many web chats are open at once; the page tries again.
    many_chats, up to 300, with &[];
}

/// The files, the languages before the countries that change something in them.
const FILES: [(&str, &str); 4] = [
    ("es", include_str!("../locales/es.yaml")),
    ("en", include_str!("../locales/en.yaml")),
    ("es-AR", include_str!("../locales/es-AR.yaml")),
    ("es-CO", include_str!("../locales/es-CO.yaml")),
];

/// The sentences of an agent that is code and names no locale.
static PLAIN: LazyLock<Arc<Sentences>> = LazyLock::new(|| Arc::new(Sentences::of("es")));

impl Sentences {
    /// The sentences of a locale such as `es-CO`; those of `es` for a language without a file.
    pub fn of(locale: &str) -> Self {
        let language = locale.split('-').next().unwrap_or_default();
        let all = file(language).or_else(|| file("es")).and_then(Self::complete);
        let all = all.expect("a test reads the files, which are part of the program");
        match file(locale) {
            Some(country) => all.with(&country),
            None => all,
        }
    }

    pub fn plain() -> &'static Arc<Self> {
        &PLAIN
    }
}

fn file(locale: &str) -> Option<Replaced> {
    let (_, text) = FILES.iter().find(|(name, _)| *name == locale)?;
    serde_saphyr::from_str(text).ok()
}

/// A sentence with its values said.
pub fn filled(sentence: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(sentence.len());
    for part in parts(sentence) {
        match part {
            Part::Words(words) => text.push_str(words),
            Part::Value(name) => {
                let value = values.iter().find(|(known, _)| *known == name);
                text.push_str(value.map_or("", |(_, value)| value));
            }
        }
    }
    text
}

/// Why a text cannot stand for the sentence of this name, if it cannot. A name that no sentence has
/// is left to the schema.
pub fn fault(name: &str, text: &str) -> Option<String> {
    let (_, values, _) = RULES.iter().find(|(known, _, _)| *known == name)?;
    let said: Vec<&str> = parts(text).filter_map(Part::value).collect();
    let missing = values.iter().find(|value| !said.contains(value));
    let unknown = said.iter().find(|value| !values.contains(value));
    match (missing, unknown) {
        (Some(value), _) => Some(format!("`{name}` must say `{{{value}}}`")),
        (None, Some(value)) => Some(format!("`{name}` knows no value `{{{value}}}`")),
        (None, None) => None,
    }
}

#[derive(Clone, Copy)]
enum Part<'t> {
    Words(&'t str),
    Value(&'t str),
}

impl<'t> Part<'t> {
    fn value(self) -> Option<&'t str> {
        match self {
            Self::Value(name) => Some(name),
            Self::Words(_) => None,
        }
    }
}

/// The words of a text and the values between them; a brace without its other stands for itself.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let open = rest.find('{').unwrap_or(rest.len());
        let (part, after) = match (open, rest[open..].find('}')) {
            (_, _) if rest.is_empty() => return None,
            (0, Some(close)) => (Part::Value(&rest[1..close]), &rest[close + 1..]),
            (0, None) => (Part::Words(rest), ""),
            (open, _) => (Part::Words(&rest[..open]), &rest[open..]),
        };
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_every_sentence_of_it_is_sound() {
        for (locale, text) in FILES {
            let read: Replaced = serde_saphyr::from_str(text).expect(locale);
            if !locale.contains('-') {
                assert!(Sentences::complete(read).is_some(), "{locale} lacks a sentence");
            }
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            for (name, said) in lines.map(|line| line.split_once(": ").expect(line)) {
                let said = said.trim_matches('"');
                assert_eq!(fault(name, said), None, "{locale}");
                let (_, _, longest) = RULES.iter().find(|rule| rule.0 == name).expect(name);
                assert!(said.chars().count() <= *longest, "{locale}: {name}");
            }
        }
    }

    #[test]
    fn a_country_speaks_its_language_with_its_own_words() {
        for (locale, not_open, list_title) in [
            ("es-AR", "Este chat ya no está abierto: recargá la página.", "Ver opciones"),
            ("es-CO", "Este chat ya no está abierto: recarga la página.", "Ver opciones"),
            ("es-MX", "Este chat ya no está abierto: hay que recargar la página.", "Ver opciones"),
            ("en-US", "This chat is no longer open: please reload the page.", "See options"),
            ("pt-BR", "Este chat ya no está abierto: hay que recargar la página.", "Ver opciones"),
        ] {
            let all = Sentences::of(locale);
            assert_eq!((all.not_open.as_str(), all.list_title.as_str()), (not_open, list_title));
        }
    }

    #[test]
    fn a_pack_says_some_sentences_in_its_own_way() {
        let own = Replaced { apology: Some("Uy.".to_owned()), ..Replaced::default() };
        let all = Sentences::of("es-CO").with(&own);
        assert_eq!(all.apology, "Uy.");
        assert_eq!(all.list_title, "Ver opciones");
    }

    #[test]
    fn values_are_said_and_no_value_is_read_for_another() {
        let values = [("title", "{quantity}"), ("quantity", "3")];
        assert_eq!(filled("{title}: ahora {quantity}", &values), "{quantity}: ahora 3");
        assert_eq!(filled("} { sin cerrar", &[]), "} { sin cerrar");
        assert_eq!(fault("too_long", "muy largo").as_deref(), Some("`too_long` must say `{most}`"));
        let unknown = fault("apology", "perdón, {nombre}");
        assert_eq!(unknown.as_deref(), Some("`apology` knows no value `{nombre}`"));
        assert_eq!(fault("nothing", "of ours"), None);
    }
}
