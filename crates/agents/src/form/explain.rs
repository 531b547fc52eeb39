//! Explanations for the customer: why a value was refused, and what a field asks for.

use nlu::Invalid;
use pack::files::FieldKind;
use sentences::Explanations;

/// The mistake in a value and its remedy.
pub fn explain(invalid: &Invalid, own: &Explanations) -> String {
    let written = |character: &char| character.escape_debug().to_string();
    match invalid {
        Invalid::Empty => own.empty(),
        Invalid::TooLong => own.too_long(),
        Invalid::EmailWithoutAt => own.email_without_at(),
        Invalid::EmailWithSeveralAts => own.email_with_several_ats(),
        Invalid::EmailWithoutName => own.email_without_name(),
        Invalid::EmailWithoutDomain => own.email_without_domain(),
        Invalid::EmailDomainWithoutDot => own.email_domain_without_dot(),
        Invalid::EmailBadDomain => own.email_bad_domain(),
        Invalid::EmailMisplacedDot => own.email_misplaced_dot(),
        Invalid::EmailWithSpaces => own.email_with_spaces(),
        Invalid::EmailBadCharacter(character) => own.email_bad_character(&written(character)),
        Invalid::EmailTooLong => own.email_too_long(),
        Invalid::PhoneTooShort => own.phone_too_short(),
        Invalid::PhoneTooLong => own.phone_too_long(),
        Invalid::PhoneBadCharacter(character) => own.phone_bad_character(&written(character)),
        Invalid::UrlWithoutScheme => own.url_without_scheme(),
        Invalid::UrlBadDomain => own.url_bad_domain(),
        Invalid::UrlWithSpaces => own.url_with_spaces(),
        Invalid::NumberUnreadable => own.number_unreadable(),
        Invalid::DocumentBadCharacter(character) => own.document_bad_character(&written(character)),
        Invalid::DocumentWrongLength { least, most } if least == most => {
            own.document_digits(&least.to_string())
        }
        Invalid::DocumentWrongLength { least, most } => {
            own.document_digits_between(&least.to_string(), &most.to_string())
        }
        Invalid::DocumentBadPrefix => own.document_bad_prefix(),
        Invalid::DocumentBadCheckDigit => own.document_bad_check_digit(),
        Invalid::PatternMismatch => own.pattern_mismatch(),
    }
}

/// The demand of a kind of field, for a customer who gave nothing like it.
pub(crate) fn demand(kind: FieldKind, own: &Explanations) -> String {
    match kind {
        FieldKind::Text | FieldKind::Name => own.ask_words(),
        FieldKind::Email => own.ask_email(),
        FieldKind::Phone => own.ask_phone(),
        FieldKind::Url => own.ask_url(),
        FieldKind::City => own.ask_city(),
        FieldKind::Address => own.ask_address(),
        FieldKind::Document => own.ask_document(),
        FieldKind::Number => own.ask_number(),
    }
}

#[cfg(test)]
mod tests {
    use nlu::{Country, DocumentKind, FieldType, validate};

    use super::*;

    #[test]
    fn every_refusal_tells_the_customer_what_to_do_in_both_languages() {
        for (text, field, es, en) in [
            ("ana", FieldType::Email, "arroba (@)", "at sign (@)"),
            ("12", FieldType::Phone, "al menos 7 dígitos", "at least 7 digits"),
            ("miempresa.com", FieldType::Url, "http:// o https://", "http:// or https://"),
            ("mucho", FieldType::Number, "con cifras", "in digits"),
            ("12", FieldType::Document(DocumentKind::Dni), "entre 7 y 8", "7 to 8"),
            ("45a51234", FieldType::Phone, "«a»", "“a”"),
        ] {
            let invalid = validate(field, text, Country::AR).unwrap_err();
            let said = |locale| explain(&invalid, &Explanations::of(locale));
            let (spanish, english) = (said("es-AR"), said("en-US"));
            assert!(spanish.contains(es), "{spanish}");
            assert!(english.contains(en), "{english}");
        }
    }
}
