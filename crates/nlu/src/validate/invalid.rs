//! The reasons for refusing a value: a stable code for machines, a sentence for the customer.

use std::fmt;

/// The languages in which the engine speaks to customers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Es,
    En,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    Empty,
    TooLong,
    EmailWithoutAt,
    EmailWithSeveralAts,
    EmailWithoutName,
    EmailWithoutDomain,
    EmailDomainWithoutDot,
    EmailBadDomain,
    EmailMisplacedDot,
    EmailWithSpaces,
    EmailBadCharacter(char),
    EmailTooLong,
    PhoneTooShort,
    PhoneTooLong,
    PhoneBadCharacter(char),
    UrlWithoutScheme,
    UrlBadDomain,
    UrlWithSpaces,
    NumberUnreadable,
    DocumentBadCharacter(char),
    DocumentWrongLength { least: u8, most: u8 },
    DocumentBadPrefix,
    DocumentBadCheckDigit,
    PatternMismatch,
}

impl Invalid {
    /// The code, which never changes, so that reports and packs may name it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::EmailWithoutAt => "email_without_at",
            Self::EmailWithSeveralAts => "email_with_several_ats",
            Self::EmailWithoutName => "email_without_name",
            Self::EmailWithoutDomain => "email_without_domain",
            Self::EmailDomainWithoutDot => "email_domain_without_dot",
            Self::EmailBadDomain => "email_bad_domain",
            Self::EmailMisplacedDot => "email_misplaced_dot",
            Self::EmailWithSpaces => "email_with_spaces",
            Self::EmailBadCharacter(_) => "email_bad_character",
            Self::EmailTooLong => "email_too_long",
            Self::PhoneTooShort => "phone_too_short",
            Self::PhoneTooLong => "phone_too_long",
            Self::PhoneBadCharacter(_) => "phone_bad_character",
            Self::UrlWithoutScheme => "url_without_scheme",
            Self::UrlBadDomain => "url_bad_domain",
            Self::UrlWithSpaces => "url_with_spaces",
            Self::NumberUnreadable => "number_unreadable",
            Self::DocumentBadCharacter(_) => "document_bad_character",
            Self::DocumentWrongLength { .. } => "document_wrong_length",
            Self::DocumentBadPrefix => "document_bad_prefix",
            Self::DocumentBadCheckDigit => "document_bad_check_digit",
            Self::PatternMismatch => "pattern_mismatch",
        }
    }

    /// The mistake and its remedy, in words that a customer understands.
    pub fn explain(&self, language: Language) -> String {
        match language {
            Language::Es => self.explain_es(),
            Language::En => self.explain_en(),
        }
    }

    fn explain_es(&self) -> String {
        let text = match self {
            Self::Empty => "Falta el dato: está vacío.",
            Self::TooLong => "Es demasiado largo; hace falta algo más corto.",
            Self::EmailWithoutAt => "Le falta la arroba (@), por ejemplo nombre@correo.com.",
            Self::EmailWithSeveralAts => "Tiene más de una arroba (@); un correo lleva una sola.",
            Self::EmailWithoutName => {
                "Falta lo que va antes de la arroba (@), por ejemplo nombre@correo.com."
            }
            Self::EmailWithoutDomain => {
                "Falta lo que va después de la arroba (@), por ejemplo nombre@correo.com."
            }
            Self::EmailDomainWithoutDot => {
                "Falta el final del correo, como .com: por ejemplo nombre@correo.com."
            }
            Self::EmailBadDomain => {
                "Lo que va después de la arroba (@) no parece correcto, por ejemplo nombre@correo.com."
            }
            Self::EmailMisplacedDot => "Hay un punto de más en el correo.",
            Self::EmailWithSpaces => "Un correo no lleva espacios; va todo junto.",
            Self::EmailBadCharacter(c) => {
                return format!("Un correo no puede llevar «{}».", c.escape_debug());
            }
            Self::EmailTooLong => "Ese correo es demasiado largo; puede haber un error.",
            Self::PhoneTooShort => "Un teléfono tiene al menos 7 dígitos.",
            Self::PhoneTooLong => "Un teléfono tiene como mucho 15 dígitos.",
            Self::PhoneBadCharacter(c) => {
                return format!(
                    "Un teléfono lleva solo números, espacios y los signos + - . ( ), y hay un «{}».",
                    c.escape_debug()
                );
            }
            Self::UrlWithoutScheme => {
                "La dirección web tiene que empezar con http:// o https://, por ejemplo https://miempresa.com."
            }
            Self::UrlBadDomain => {
                "Esa dirección web no está completa, por ejemplo https://miempresa.com."
            }
            Self::UrlWithSpaces => "Una dirección web no lleva espacios; va toda junta.",
            Self::NumberUnreadable => {
                "Eso no es un número; se escribe con cifras, por ejemplo 1500 o 1.500,50."
            }
            Self::DocumentBadCharacter(c) => {
                return format!(
                    "El documento lleva solo números, puntos y guiones, y hay un «{}».",
                    c.escape_debug()
                );
            }
            Self::DocumentWrongLength { least, most } if least == most => {
                return format!(
                    "Ese documento tiene {least} dígitos; puede faltar o sobrar alguno."
                );
            }
            Self::DocumentWrongLength { least, most } => {
                return format!(
                    "Ese documento tiene entre {least} y {most} dígitos; puede faltar o sobrar alguno."
                );
            }
            Self::DocumentBadPrefix => "Los dos primeros números no son de un CUIT ni de un CUIL.",
            Self::DocumentBadCheckDigit => {
                "El último número no coincide con los demás: puede haber un error al escribirlo."
            }
            Self::PatternMismatch => "No tiene la forma que se espera; puede haber un error.",
        };
        text.to_owned()
    }

    fn explain_en(&self) -> String {
        let text = match self {
            Self::Empty => "This is empty.",
            Self::TooLong => "This is too long. Please make it shorter.",
            Self::EmailWithoutAt => "The at sign (@) is missing, for example name@mail.com.",
            Self::EmailWithSeveralAts => {
                "There is more than one at sign (@); an e-mail has only one."
            }
            Self::EmailWithoutName => {
                "What goes before the at sign (@) is missing, for example name@mail.com."
            }
            Self::EmailWithoutDomain => {
                "What goes after the at sign (@) is missing, for example name@mail.com."
            }
            Self::EmailDomainWithoutDot => {
                "The ending is missing, such as .com: for example name@mail.com."
            }
            Self::EmailBadDomain => {
                "What goes after the at sign (@) does not look right, for example name@mail.com."
            }
            Self::EmailMisplacedDot => "There is a dot too many in the e-mail. Please check it.",
            Self::EmailWithSpaces => "An e-mail has no spaces. Please write it all together.",
            Self::EmailBadCharacter(c) => {
                return format!("An e-mail cannot contain “{}”.", c.escape_debug());
            }
            Self::EmailTooLong => "That e-mail is too long. Please check it.",
            Self::PhoneTooShort => "A phone number has at least 7 digits.",
            Self::PhoneTooLong => "A phone number has at most 15 digits.",
            Self::PhoneBadCharacter(c) => {
                return format!(
                    "A phone number has only digits, spaces and + - . ( ), and there is a “{}”.",
                    c.escape_debug()
                );
            }
            Self::UrlWithoutScheme => {
                "The web address must start with http:// or https://, for example https://mycompany.com."
            }
            Self::UrlBadDomain => {
                "That web address is not complete, for example https://mycompany.com."
            }
            Self::UrlWithSpaces => "A web address has no spaces. Please write it all together.",
            Self::NumberUnreadable => {
                "That is not a number. Write it in digits, for example 1500 or 1,500.50."
            }
            Self::DocumentBadCharacter(c) => {
                return format!(
                    "The document has only digits, dots and dashes, and there is a “{}”.",
                    c.escape_debug()
                );
            }
            Self::DocumentWrongLength { least, most } if least == most => {
                return format!("That document has {least} digits. Please check it.");
            }
            Self::DocumentWrongLength { least, most } => {
                return format!("That document has {least} to {most} digits. Please check it.");
            }
            Self::DocumentBadPrefix => "The first two digits are not those of a CUIT or a CUIL.",
            Self::DocumentBadCheckDigit => {
                "The last digit does not match the others: there may be a typo."
            }
            Self::PatternMismatch => "It does not have the expected form. Please check it.",
        };
        text.to_owned()
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::error::Error for Invalid {}
