//! Explanations of what a field takes: why a value was refused, and what is asked for.

use crate::table::wordings;

wordings! {
    /// All explanations, as the customers of one pack read them.
    Explanations,
    /// The explanations that are given otherwise: by a locale than by its language, or by a pack.
    ReplacedExplanations,
    &[
        ("es", include_str!("../locales/explanations/es.yaml")),
        ("en", include_str!("../locales/explanations/en.yaml")),
    ];
    /// A value is empty.
    empty(), up to 300;
    /// A value has too many characters.
    too_long(), up to 300;
    /// An e-mail address has no at sign.
    email_without_at(), up to 300;
    /// An e-mail address has several at signs.
    email_with_several_ats(), up to 300;
    /// An e-mail address has nothing before its at sign.
    email_without_name(), up to 300;
    /// An e-mail address has nothing behind its at sign.
    email_without_domain(), up to 300;
    /// An e-mail address has no dot behind its at sign.
    email_domain_without_dot(), up to 300;
    /// An e-mail address has something impossible behind its at sign.
    email_bad_domain(), up to 300;
    /// An e-mail address has a dot too many.
    email_misplaced_dot(), up to 300;
    /// An e-mail address has spaces.
    email_with_spaces(), up to 300;
    /// An e-mail address has a character that none may have.
    email_bad_character(character), up to 300;
    /// An e-mail address has too many characters.
    email_too_long(), up to 300;
    /// A phone number has too few digits.
    phone_too_short(), up to 300;
    /// A phone number has too many digits.
    phone_too_long(), up to 300;
    /// A phone number has a character that none may have.
    phone_bad_character(character), up to 300;
    /// A web address does not say `https://`.
    url_without_scheme(), up to 300;
    /// A web address has no domain that could be one.
    url_bad_domain(), up to 300;
    /// A web address has spaces.
    url_with_spaces(), up to 300;
    /// A number cannot be read.
    number_unreadable(), up to 300;
    /// A number is smaller than its field takes.
    at_least(least), up to 300;
    /// A number is larger than its field takes.
    at_most(most), up to 300;
    /// A document's number has a character that none may have.
    document_bad_character(character), up to 300;
    /// A document's number has more or fewer digits than all of its kind.
    document_digits(digits), up to 300;
    /// A document's number has more or fewer digits than any of its kind.
    document_digits_between(least, most), up to 300;
    /// A CUIT or CUIL begins as none does.
    document_bad_prefix(), up to 300;
    /// The last digit of a document's number does not fit the others.
    document_bad_check_digit(), up to 300;
    /// A value does not have the form that its field asks for.
    pattern_mismatch(), up to 300;
    /// Asks for a text or a name.
    ask_words(), up to 300;
    /// Asks for an e-mail address.
    ask_email(), up to 300;
    /// Asks for a phone number.
    ask_phone(), up to 300;
    /// Asks for a web address.
    ask_url(), up to 300;
    /// Asks for one of the cities that are served.
    ask_city(), up to 300;
    /// Asks for a street address.
    ask_address(), up to 300;
    /// Asks for a document's number.
    ask_document(), up to 300;
    /// Asks for a number.
    ask_number(), up to 300;
}
