//! The words of agreeing and of the phrases beside a yes, as data.

pub(super) mod aside;
mod beside_english;
mod beside_spanish;
mod classes;
pub(super) mod shown;
mod yes_english;
mod yes_spanish;

use super::state::Role;

/// Phrases of one role, in the notation of `pattern`.
pub(super) type Table = (Role, &'static [&'static str]);

/// Classes that phrases refer to; each refers only to those before it.
pub(super) const CLASSES: &[(&str, &str)] = classes::CLASSES;

pub(super) const TABLES: &[&[Table]] =
    &[yes_spanish::TABLES, yes_english::TABLES, beside_spanish::TABLES, beside_english::TABLES];

/// Verbs whose present, stressed on the last letter, tells of somebody else or of the past
/// ("confirmó", "confirmé").
pub(super) const PAST_IF_STRESSED: &[&str] = &[
    "acepte", "acepto", "autorice", "autorizo", "apruebo", "compre", "compro", "confirme",
    "confirmo", "cnfirmo", "cofirmo", "despache", "envie", "envio", "llevo", "mande", "mando",
    "ordeno", "procese", "tomo", "pague", "avance",
];

/// Words so long and so telling that a slip of the finger is forgiven.
pub(super) const FORGIVEN: &[&str] = &[
    "absolutely",
    "adelante",
    "bueniisimo",
    "buenisimo",
    "certainly",
    "confirmada",
    "confirmadisimo",
    "confirmado",
    "confirmalo",
    "confirmamos",
    "confirmelo",
    "confirmemos",
    "confirmame",
    "confirmed",
    "confirme",
    "confirmo",
    "correcto",
    "definitely",
    "espectacular",
    "excelente",
    "exactamente",
    "fantastico",
    "gracias",
    "muchas",
    "impecable",
    "obviamente",
    "perfecta",
    "perfecto",
    "perfect",
    "proceda",
    "procedan",
    "supuesto",
    "confirm",
    "acuerdo",
    "totalmente",
    "hagamosle",
    "muchisimas",
    "pedido",
    "everything",
    "correct",
];

/// Words that a slip must not turn into an agreeing one, because they say something else.
pub(super) const OTHERWISE: &[&str] = &[
    "confirmaba",
    "confirmara",
    "confirmare",
    "confirmaria",
    "confirmas",
    "confirmes",
    "confirms",
    "perdido",
    "perdida",
    "confiado",
    "confinado",
    "corrects",
    "correo",
    "corrector",
    "confirmara",
    "confirmaran",
    "confirmeme",
    "muchachas",
    "proceder",
    "procedo",
];

/// Words before which a k is an okay.
pub(super) const AFTER_K: &[&str] = &[
    "confirm",
    "confirmed",
    "cool",
    "do",
    "go",
    "good",
    "great",
    "lets",
    "perfect",
    "place",
    "please",
    "send",
    "sounds",
    "thanks",
    "thank",
    "ty",
    "yes",
];

/// Words that are a yes only as the whole message.
pub(super) const ALONE: &[&str] = &["re", "see", "y", "ya"];

/// Yeses that are nothing else, beside which there may be a whole clause.
pub(super) const PLAIN: &[&str] = &[
    "sip",
    "sisi",
    "sisas",
    "sep",
    "yes",
    "yep",
    "yeah",
    "yea",
    "yup",
    "yess",
    "oh",
    "afirmativo",
    "affirmative",
];

/// Yeses that people run together with the next word ("siconfirmo").
pub(super) const RUN_TOGETHER: (&[&str], &[&str]) = (
    &["si", "sisi", "ok", "dale", "listo", "yes", "claro", "perfecto", "bueno"],
    &[
        "claro",
        "confirm",
        "confirmado",
        "confirmo",
        "dale",
        "genial",
        "gracias",
        "listo",
        "obvio",
        "perfecto",
        "please",
        "porfa",
        "porfavor",
        "quesi",
        "senor",
        "senora",
        "thanks",
    ],
);

/// Yeses that are written several times in one word ("sisisi", "YESYESYES").
pub(super) const REPEATED: &[&str] = &["si", "yes", "ok", "dale", "ya", "yep"];
