//! What a visitor is told when a message is not taken, in the language of the channel.

use crate::visits::Wait;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Spanish,
    English,
}

impl Language {
    /// Of a locale such as `es-CO`.
    pub(super) fn of(locale: &str) -> Self {
        if locale.starts_with("en") { Self::English } else { Self::Spanish }
    }

    pub(super) fn empty(self) -> String {
        match self {
            Self::Spanish => "El mensaje está vacío.",
            Self::English => "The message is empty.",
        }
        .to_owned()
    }

    pub(super) fn too_long(self, most: usize) -> String {
        match self {
            Self::Spanish => format!("El mensaje es muy largo: hasta {most} caracteres."),
            Self::English => format!("The message is too long: up to {most} characters."),
        }
    }

    pub(super) fn not_open(self) -> String {
        match self {
            Self::Spanish => "Este chat ya no está abierto: hay que recargar la página.",
            Self::English => "This chat is no longer open: please reload the page.",
        }
        .to_owned()
    }

    /// Advice to whoever has to wait; the message is kept where it was written.
    pub(super) fn wait(self, wait: Wait) -> String {
        match (self, wait) {
            (Self::Spanish, Wait::Messages(_)) => {
                "Llegaron muchos mensajes seguidos. El mensaje queda guardado y se envía solo en unos \
                 segundos."
            }
            (Self::Spanish, Wait::Beginnings(_)) => {
                "Hay mucha gente escribiendo en este momento. El mensaje queda guardado y se envía \
                 solo en cuanto haya lugar."
            }
            (Self::English, Wait::Messages(_)) => {
                "That was a lot of messages at once. Your message is kept and will be sent in a few \
                 seconds."
            }
            (Self::English, Wait::Beginnings(_)) => {
                "Many people are writing right now. Your message is kept and will be sent as soon as \
                 there is room."
            }
        }
        .to_owned()
    }

    pub(super) fn too_many_pages(self) -> String {
        match self {
            Self::Spanish => "Este chat está abierto en demasiadas ventanas a la vez.",
            Self::English => "This chat is open in too many windows at once.",
        }
        .to_owned()
    }
}
