//! The lines the demo agent answers with: what a message wants, and what a line says.

/// The answer that a message must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// This line.
    Exactly(String),
    /// The next number of the queue.
    Turn,
    /// Word of a call to the outside, for this text.
    Notice(String),
    /// The promise of this reminder.
    Reminder(String),
    /// That it came and was not understood.
    Unread,
}

impl Wanted {
    /// As the demo agent understands the messages of this suite.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if text == "rompete" {
            None
        } else if text.contains("una persona") {
            Some(Self::Exactly("Te paso con una persona. Ya te atiende.".to_owned()))
        } else if text == "dame un turno" {
            Some(Self::Turn)
        } else if let Some(what) = text.strip_prefix("avisá ") {
            Some(Self::Notice(what.to_owned()))
        } else if let Some(what) = text.strip_prefix("recordame en 1 segundo ") {
            Some(Self::Reminder(what.to_owned()))
        } else {
            Some(Self::Exactly(format!("recibí «{text}»")))
        }
    }

    /// The reminder that comes later.
    pub(crate) fn reminder(&self) -> Option<String> {
        match self {
            Self::Reminder(what) => Some(format!("Te recuerdo: {what}")),
            _ => None,
        }
    }

    pub(crate) fn fits(&self, line: &str) -> bool {
        match self {
            Self::Exactly(text) => line == text,
            Self::Turn => turn(line).is_some(),
            Self::Notice(what) => line == notified(what) || line == NOT_KNOWN,
            Self::Unread => line.starts_with("Recibí algo que todavía no sé leer."),
            Self::Reminder(what) => line == format!("Dale, en 1 segundo te recuerdo: {what}"),
        }
    }
}

pub(crate) const NOT_KNOWN: &str = "No sé si el aviso llegó. Una persona lo va a revisar.";

pub(crate) fn notified(what: &str) -> String {
    format!("Listo, avisé: «{what}».")
}

/// The number of the queue a line gives.
pub(crate) fn turn(line: &str) -> Option<u64> {
    line.strip_prefix("Tu turno es el ")?.strip_suffix('.')?.parse().ok()
}

/// A line without its number, and the number: how manieth answer of the session it is.
pub(crate) fn numbered(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = line.split_once(". ")?;
    Some((number.parse().ok()?, rest))
}
