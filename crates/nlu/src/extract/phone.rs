//! Telephone numbers in the ways people write them, checked against the numbering plan of the country.

use std::sync::LazyLock;

use regex::Regex;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumber, PhoneNumberFormat};

use super::candidate::{Candidate, rank};
use super::country::Country;
use super::tokens::Tokens;
use super::value::Value;
use crate::Normalized;

/// A telephone number as the customer wrote it, checked against the numbering plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone {
    pub written: String,
    /// The international form, such as `+5491144445555`, if the number can be parsed at all.
    pub e164: Option<String>,
    /// The country that the number belongs to.
    pub region: Option<String>,
    /// Whether the number is in a range that the plan assigns.
    pub valid: bool,
    /// Whether the length is right, even if the range is not assigned.
    pub possible: bool,
}

impl Phone {
    /// Reads a number for a country; a text that cannot be parsed is neither valid nor possible.
    pub fn read(written: &str, country: Country) -> Self {
        let number = PHONE_NUMBER_UTIL.parse(written, country.region()).ok();
        let region = number.as_ref().and_then(region_of);
        Self {
            written: written.to_owned(),
            e164: number.as_ref().map(|n| n.format_as(PhoneNumberFormat::E164).into_owned()),
            region,
            valid: number.as_ref().is_some_and(PhoneNumber::is_valid),
            possible: number.as_ref().is_some_and(|n| n.is_possible_with_reason().is_ok()),
        }
    }

    /// The international form if the number is valid or possible, otherwise the text as written.
    pub fn canonical(&self) -> &str {
        match &self.e164 {
            Some(e164) if self.valid || self.possible => e164,
            _ => &self.written,
        }
    }
}

fn region_of(number: &PhoneNumber) -> Option<String> {
    let region = PHONE_NUMBER_UTIL
        .get_region_for_number(number)
        .or_else(|| PHONE_NUMBER_UTIL.get_region_for_country_code(number.country_code))?;
    Some(region.as_region_str().as_str().to_owned())
}

static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"[(+]{0,2}[0-9]+(?:[ ./()-]{0,3}[0-9]+)*",
        r"(?:,? ?(?:extension|ext\.?|int\.?|interno|anexo|x) ?[0-9]{1,5})?"
    ))
    .expect("the pattern is constant")
});

/// Dates, amounts with thousands, decimals, social security numbers: digits that are no telephone.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}(?: [0-9]{1,2})?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?: [0-9]{1,2})?",
        r"|[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{1,3}\.[0-9]{4,}|[0-9]{1,3}(?:\.[0-9]{1,3}){3}",
        r"|[0-9]{2}-[0-9]{8}-[0-9])$"
    ))
    .expect("the pattern is constant")
});

static THOUSANDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[0-9]{1,3}(?:[. ][0-9]{3})+$").expect("the pattern is constant")
});

const CUES: [&str; 26] = [
    "tel",
    "telefono",
    "telefonos",
    "tfno",
    "cel",
    "celular",
    "movil",
    "whatsapp",
    "wsp",
    "wpp",
    "wa",
    "llamar",
    "llamame",
    "llamen",
    "llamenme",
    "contacto",
    "contactarme",
    "phone",
    "mobile",
    "call",
    "fono",
    "cellphone",
    "office",
    "landline",
    "number",
    "numero",
];

const OTHER_CUES: [&str; 30] = [
    "account",
    "card",
    "cuenta",
    "tarjeta",
    "cbu",
    "cvu",
    "dni",
    "cuit",
    "cuil",
    "nit",
    "cedula",
    "documento",
    "pedido",
    "orden",
    "order",
    "factura",
    "invoice",
    "codigo",
    "code",
    "ticket",
    "tracking",
    "guia",
    "express",
    "reserva",
    "ssn",
    "omb",
    "serie",
    "modelo",
    "referencia",
    "cliente",
];

/// The least digits of a telephone, whatever the words around them say.
pub(super) const LEAST_DIGITS: usize = 6;

/// How many words back a cue still applies to the number.
const CUE_REACH: usize = 6;

pub(super) fn find(
    text: &Normalized<'_>,
    tokens: &Tokens<'_>,
    country: Country,
    found: &mut Vec<Candidate>,
) {
    let folded = text.folded();
    for matched in SHAPE.find_iter(folded) {
        let extension = extension(matched.as_str());
        let Some((start, shape)) = balanced(matched.start(), matched.as_str()) else { continue };
        let digits = shape.bytes().filter(u8::is_ascii_digit).count();
        let end = start + shape.len();
        if !(LEAST_DIGITS..=20).contains(&digits) || !stands_alone(folded, start, shape, end) {
            continue;
        }
        let cue = cue(tokens, start);
        let international =
            shape.starts_with(['+', '(']) && shape.contains('+') || shape.starts_with("00");
        let extended = extension > 0;
        let most = if international || extended { 15 + 5 * usize::from(extended) } else { 13 };
        let least = if cue == Cue::Phone || international { LEAST_DIGITS } else { 7 };
        if !(least..=most).contains(&digits) || cue == Cue::Other || OTHER.is_match(shape) {
            continue;
        }
        let span = start..end;
        // The extension is part of the written text, but not of the number.
        let written = &text.original()[text.original_span(start..end - extension)];
        let phone = Phone::read(written, country);
        let rank = rank_of(&phone, shape, cue, international);
        found.push(Candidate::new(span, Value::Phone(phone), rank));
    }
}

fn rank_of(phone: &Phone, shape: &str, cue: Cue, international: bool) -> u8 {
    let plain = shape.bytes().all(|b| b.is_ascii_digit());
    let digits = shape.bytes().filter(u8::is_ascii_digit).count();
    let dashed = shape.contains(['-', '(']) && digits >= 8;
    // Digits grouped as telephones are, although the plan of this country knows no such number.
    let groups = shape.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    let grouped = phone.possible && digits >= 10 && (3..=5).contains(&groups.count());
    if cue == Cue::Phone {
        rank::CUED_PHONE
    } else if THOUSANDS.is_match(shape) || (plain && digits < 10) {
        rank::WEAK
    } else if international || phone.valid || dashed || grouped {
        rank::PHONE
    } else {
        rank::WEAK
    }
}

/// The bytes of the extension at the end of a shape: the only part with letters.
fn extension(shape: &str) -> usize {
    let letter = shape.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(shape.len());
    shape.len() - shape[..letter].trim_end_matches([' ', ',']).len()
}

/// Drops a parenthesis that nothing closes.
fn balanced(start: usize, shape: &str) -> Option<(usize, &str)> {
    let opened = shape.starts_with('(') && !shape.contains(')');
    let shape = if opened { &shape[1..] } else { shape };
    (!shape.is_empty()).then_some((start + usize::from(opened), shape))
}

/// Whether the characters beside the digits let them be a telephone number.
fn stands_alone(folded: &str, start: usize, shape: &str, end: usize) -> bool {
    let mut before = folded[..start].chars().rev();
    let (last, second) = (before.next(), before.next());
    let third = before.next();
    let plain = shape.bytes().all(|b| b.is_ascii_digit());
    let clean_before = match last {
        Some('-') => match second {
            Some(c) if c.is_ascii_digit() => false,
            Some(c) if c.is_alphabetic() => !plain && !third.is_some_and(|c| c.is_ascii_digit()),
            Some(' ') | None => !plain || !shape.contains('.'),
            Some(_) => true,
        },
        Some(c) => {
            !(c.is_alphanumeric()
                || matches!(c, '#' | '_' | '$' | '€' | '+' | '*' | '=' | '/' | ',' | '.' | '\''))
        }
        None => true,
    };
    let mut after = folded[end..].chars();
    let (next, beyond) = (after.next(), after.next());
    let clean_after = match next {
        Some(c) if c.is_alphanumeric() => false,
        Some('%' | '$' | '€' | '=' | '*' | '_' | '@') => false,
        Some(',' | ':' | '-' | '/') => !beyond.is_some_and(|c| c.is_ascii_digit()),
        _ => true,
    };
    clean_before && clean_after
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    Phone,
    Other,
    None,
}

/// The kind of number that the nearest telling word before the digits announces.
pub(super) fn cue(tokens: &Tokens<'_>, start: usize) -> Cue {
    let at = tokens.at_byte(start);
    for back in 1..=CUE_REACH {
        let Some(word) = at.checked_sub(back).map(|at| tokens.text(at)) else { break };
        // In `account number` the word before says whose number it is.
        if matches!(word, "number" | "numero") {
            let owner = at.checked_sub(back + 1).map_or("", |at| tokens.text(at));
            let of = tokens.text(at - back + 1) == "de"
                && OTHER_CUES.contains(&tokens.text(at - back + 2));
            if OTHER_CUES.contains(&owner) || of {
                return Cue::Other;
            }
        }
        if CUES.contains(&word) {
            return Cue::Phone;
        }
        if OTHER_CUES.contains(&word) {
            return Cue::Other;
        }
    }
    Cue::None
}
