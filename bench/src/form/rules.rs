//! The regular expressions that stand where the graph would ask a model, compiled once.

use regex::{Regex, RegexSet};

/// A field of the form: how to find it in a message, and what makes a value valid.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) question: &'static str,
    pub(super) expected: &'static str,
    /// Words by which a correction names it.
    pub(super) named: Regex,
    /// Its first group is the value.
    pub(super) value: Regex,
    pub(super) valid: Regex,
}

pub(super) struct Rules {
    pub(super) escalation: RegexSet,
    pub(super) correction: RegexSet,
    pub(super) off_topic: RegexSet,
    pub(super) fields: [Field; 6],
}

impl Rules {
    pub(super) fn new() -> Self {
        Self {
            escalation: set(&[
                r"(?i)\b(humano|persona real|asesor|agente|supervisor)\b",
                r"(?i)\b(queja|reclamo|denuncia|abogado)\b",
                r"(?i)(p[eé]simo|terrible|inaceptable|estafa)",
            ]),
            correction: set(&[
                r"(?i)^no,?\s+(mi|es|el|la)\b",
                r"(?i)\ben realidad\b",
                r"(?i)\b(d[eé]jame|quiero) corregir\b",
                r"(?i)\beso est[aá] mal\b",
            ]),
            off_topic: set(&[
                r"(?i)^\s*(hola|hey|buenas|buenos d[ií]as)\b[^@\d]*$",
                r"(?i)\b(clima|f[uú]tbol|chiste)\b",
                r"(?i)\btengo otra pregunta\b",
            ]),
            fields: [
                Field {
                    name: "nombre",
                    question: "¿Cómo te llamas?",
                    expected: "tu nombre, con letras",
                    named: regex(r"(?i)\bnombre\b"),
                    value: regex(r"(?i)(?:nombre es|me llamo|soy)\s+([\p{L} ]{2,60})"),
                    valid: regex(r"^[\p{L} ]{2,60}$"),
                },
                Field {
                    name: "email",
                    question: "¿Cuál es tu email?",
                    expected: "un email, como ana@ejemplo.com",
                    named: regex(r"(?i)\b(email|correo)\b"),
                    value: regex(r"([\w.+-]+@[\w-]+\.[\w.-]+)"),
                    valid: regex(r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$"),
                },
                Field {
                    name: "telefono",
                    question: "¿Y tu teléfono?",
                    expected: "al menos siete cifras",
                    named: regex(r"(?i)\b(tel[eé]fono|celular|n[uú]mero)\b"),
                    value: regex(r"(\+?\d[\d ()-]{6,20}\d)"),
                    valid: regex(r"^\+?(?:[ ()-]*\d){7,15}$"),
                },
                Field {
                    name: "web",
                    question: "¿Tienes página web?",
                    expected: "una dirección que empieza por https://",
                    named: regex(r"(?i)\b(web|p[aá]gina|sitio)\b"),
                    value: regex(r"(https?://[^\s]+)"),
                    valid: regex(r"^https?://[\w.-]+(/[^\s]*)?$"),
                },
                Field {
                    name: "cantidad",
                    question: "¿Cuántas personas son?",
                    expected: "un número",
                    named: regex(r"(?i)\b(cantidad|personas)\b"),
                    value: regex(r"\b(\d{1,6}(?:[.,]\d+)?)\b"),
                    valid: regex(r"^\d{1,6}([.,]\d+)?$"),
                },
                Field {
                    name: "ciudad",
                    question: "¿En qué ciudad estás?",
                    expected: "el nombre de una ciudad",
                    named: regex(r"(?i)\bciudad\b"),
                    value: regex(r"(?i)(?:vivo en|estoy en|soy de)\s+([\p{L} ]{2,40})"),
                    valid: regex(r"^[\p{L} ]{2,40}$"),
                },
            ],
        }
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

fn set(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).expect("patterns of ours")
}
