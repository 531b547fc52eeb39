//! Identity and tax numbers: lengths, prefixes and check digits, by the rules of their issuers.

use super::Invalid;
use crate::extract::DocumentKind;

/// Prefixes of people, companies and foreign bodies.
const CUIT_PREFIXES: [&str; 12] =
    ["20", "23", "24", "25", "26", "27", "30", "33", "34", "50", "51", "55"];
const CUIT_WEIGHTS: [u32; 10] = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2];
/// The weights, from the digit next to the check digit leftwards.
const NIT_WEIGHTS: [u32; 15] = [3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71];

/// Whether a document without dots or dashes is right, with its check digit if it has one.
pub fn document_is_valid(kind: DocumentKind, digits: &str) -> bool {
    canonical(kind, digits).is_ok()
}

pub(super) fn canonical(kind: DocumentKind, text: &str) -> Result<String, Invalid> {
    let digits = digits_of(text)?;
    let (least, most) = match kind {
        DocumentKind::Cuit | DocumentKind::Cuil => (11, 11),
        DocumentKind::Dni => (7, 8),
        DocumentKind::Nit => (8, 16),
        DocumentKind::Cedula => (6, 10),
    };
    if !(usize::from(least)..=usize::from(most)).contains(&digits.len()) {
        return Err(Invalid::DocumentWrongLength { least, most });
    }
    match kind {
        DocumentKind::Cuit | DocumentKind::Cuil => {
            if !CUIT_PREFIXES.contains(&&digits[..2]) {
                return Err(Invalid::DocumentBadPrefix);
            }
            ends_with(&digits, cuit_check_digit)?;
        }
        DocumentKind::Nit => ends_with(&digits, nit_check_digit)?,
        DocumentKind::Dni | DocumentKind::Cedula => {}
    }
    Ok(digits)
}

/// Drops dots, commas, dashes and blanks; digits of other scripts and widths become ASCII digits.
fn digits_of(text: &str) -> Result<String, Invalid> {
    let mut digits = String::new();
    for c in text.trim().chars() {
        match c {
            '0'..='9' => digits.push(c),
            '０'..='９' => digits.extend(char::from_digit(u32::from(c) - u32::from('０'), 10)),
            '.' | ',' | '-' | '\u{2010}'..='\u{2015}' | '/' => {}
            c if c.is_whitespace() => {}
            c => return Err(Invalid::DocumentBadCharacter(c)),
        }
    }
    Ok(digits)
}

fn ends_with(digits: &str, check: fn(&[u32]) -> u32) -> Result<(), Invalid> {
    let values: Vec<u32> = digits.chars().filter_map(|c| c.to_digit(10)).collect();
    match values.split_last() {
        Some((last, rest)) if check(rest) == *last => Ok(()),
        _ => Err(Invalid::DocumentBadCheckDigit),
    }
}

fn cuit_check_digit(digits: &[u32]) -> u32 {
    let sum: u32 = digits.iter().zip(CUIT_WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    match 11 - sum % 11 {
        11 => 0,
        10 => 9,
        digit => digit,
    }
}

fn nit_check_digit(digits: &[u32]) -> u32 {
    let sum: u32 = digits.iter().rev().zip(NIT_WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    match sum % 11 {
        rest @ (0 | 1) => rest,
        rest => 11 - rest,
    }
}
