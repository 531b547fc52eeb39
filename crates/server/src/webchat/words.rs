//! What a visitor is told when a message is not taken, in the language of the channel.

use crate::streams::NoPlace;
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
            (Self::Spanish, Wait::Reads(_)) => {
                "El chat se recargó demasiadas veces seguidas. Hay que esperar unos segundos."
            }
            (Self::English, Wait::Reads(_)) => {
                "The chat was reloaded too often. Please wait a few seconds."
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

    pub(super) fn no_place(self, why: NoPlace) -> String {
        match (self, why) {
            (Self::Spanish, NoPlace::Windows) => {
                "Este chat está abierto en demasiadas ventanas a la vez: hay que cerrar alguna."
            }
            (Self::English, NoPlace::Windows) => {
                "This chat is open in too many windows at once: please close one."
            }
            (Self::Spanish, NoPlace::Others) => {
                "Hay demasiados chats abiertos en este momento. Se vuelve a intentar en unos segundos."
            }
            (Self::English, NoPlace::Others) => {
                "Too many chats are open right now. It will be tried again in a few seconds."
            }
        }
        .to_owned()
    }
}
