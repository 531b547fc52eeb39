//! The sentences that customers read and no pack wrote.

use std::sync::{Arc, LazyLock};

use crate::table::wordings;

wordings! {
    /// All sentences, as the customers of one pack read them.
    Sentences,
    /// The sentences that are said otherwise: by a locale than by its language, or by a pack.
    ReplacedSentences,
    &[
        ("es", include_str!("../locales/customers/es.yaml")),
        ("en", include_str!("../locales/customers/en.yaml")),
        ("es-AR", include_str!("../locales/customers/es-AR.yaml")),
        ("es-CO", include_str!("../locales/customers/es-CO.yaml")),
    ];
    /// Sent once, when a message could not be answered and a person takes over.
    apology(), up to 1000;
    /// Opens the list of what the customer may pick.
    list_title(), up to 20;
    /// Says that there is now another quantity of something in the cart.
    now_in_cart(title, quantity), up to 200;
    /// Joins the last two of several.
    and(), up to 10;
    /// Joins the last two of several, of which one is to be taken.
    or(), up to 10;
    /// The web chat refuses a message without words.
    empty(), up to 300;
    /// The web chat refuses a message of more characters than it takes.
    too_long(most), up to 300;
    /// The web chat has forgotten its visitor.
    not_open(), up to 300;
    /// A visitor of the web chat wrote too many messages; the page sends the last one again.
    many_messages(), up to 300;
    /// Too many visitors begin a web chat; the page sends the message again.
    many_customers(), up to 300;
    /// A visitor loaded the web chat too often.
    many_reloads(), up to 300;
    /// A visitor has the web chat open in too many windows.
    many_windows(), up to 300;
    /// Too many web chats are open at once; the page tries again.
    many_chats(), up to 300;
}

/// The sentences of an agent that is code and names no locale.
static PLAIN: LazyLock<Arc<Sentences>> = LazyLock::new(|| Arc::new(Sentences::of("es")));

impl Sentences {
    pub fn plain() -> &'static Arc<Self> {
        &PLAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let said = (all.not_open(), all.list_title());
            assert_eq!(said, (not_open.to_owned(), list_title.to_owned()));
        }
    }

    #[test]
    fn a_pack_says_some_sentences_in_its_own_way() {
        let own =
            ReplacedSentences { apology: Some("Uy.".to_owned()), ..ReplacedSentences::default() };
        let all = Sentences::of("es-CO").with(&own);
        assert_eq!(all.apology(), "Uy.");
        assert_eq!(all.list_title(), "Ver opciones");
    }
}
