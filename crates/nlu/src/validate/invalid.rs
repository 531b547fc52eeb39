//! The reasons for refusing a value, each with a stable code.

use std::fmt;

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
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::error::Error for Invalid {}
