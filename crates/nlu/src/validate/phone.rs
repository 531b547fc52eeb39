//! Telephone by the rule of the form: seven to fifteen digits and only the signs people put between them.

use super::Invalid;
use crate::extract::{Country, Phone};

pub(super) const LEAST_DIGITS: usize = 7;
pub(super) const MOST_DIGITS: usize = 15;

pub(super) fn canonical(text: &str, country: Country) -> Result<String, Invalid> {
    let number = without_extension(text);
    let legal = |(at, c): &(usize, char)| {
        c.is_ascii_digit()
            || matches!(c, ' ' | '-' | '.' | '(' | ')' | '\u{a0}')
            || (*c == '+' && number[..*at].chars().all(|before| before == '('))
    };
    if let Some((_, bad)) = number.char_indices().find(|c| !legal(c)) {
        return Err(Invalid::PhoneBadCharacter(bad));
    }
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    if digits < LEAST_DIGITS {
        return Err(Invalid::PhoneTooShort);
    }
    if digits > MOST_DIGITS {
        return Err(Invalid::PhoneTooLong);
    }
    let phone = Phone::read(number, country);
    Ok(match phone.e164 {
        Some(e164) if phone.valid || phone.possible => e164,
        _ => number.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect(),
    })
}

/// The number dialled first of `4555-1234 ext. 12` and its like.
fn without_extension(text: &str) -> &str {
    let small = text.to_ascii_lowercase();
    for mark in ["extension", "extensión", "ext.", "ext", "interno", "int.", "int", "anexo", "x"] {
        let Some(at) = small.find(mark) else { continue };
        let extension = text[at + mark.len()..].trim();
        let digits =
            (1..=6).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_digit());
        if digits {
            return text[..at].trim_end().trim_end_matches(',');
        }
    }
    text
}
