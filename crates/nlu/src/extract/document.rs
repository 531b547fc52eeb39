//! Identity and tax numbers: after the word that names them, or alone when their check digit holds.

use std::sync::LazyLock;

use regex::Regex;

use super::candidate::{Candidate, rank};
use super::country::Country;
use super::tokens::{Class, Tokens};
use super::value::{DocumentKind, Value};
use crate::validate::document_is_valid;

static CUIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:20|23|24|25|26|27|30|33|34)[- ]?[0-9]{8}[- ]?[0-9]\b")
        .expect("the pattern is constant")
});

static NIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b[0-9]{3}[. ]?[0-9]{3}[. ]?[0-9]{3} ?- ?[0-9]\b")
        .expect("the pattern is constant")
});

/// The least digits of a document.
pub(super) const LEAST_DIGITS: usize = 6;

pub(super) fn find(
    folded: &str,
    tokens: &Tokens<'_>,
    country: Country,
    found: &mut Vec<Candidate>,
) {
    let mut at = 0;
    while at < tokens.len() {
        let read = cue(tokens, at, country).and_then(|(kind, next)| {
            let (first, end, digits) = digits_after(tokens, next, kind)?;
            Some((kind, first, end, digits))
        });
        match read {
            Some((kind, first, end, digits)) => {
                let valid = document_is_valid(kind, &digits);
                let value = Value::Document { kind, digits, valid };
                found.push(Candidate::new(tokens.span(first, end), value, rank::DOCUMENT));
                at = end;
            }
            None => at += 1,
        }
    }
    without_cue(folded, country, found);
}

fn without_cue(folded: &str, country: Country, found: &mut Vec<Candidate>) {
    let (shape, kind) = match country.code() {
        "AR" => (&CUIT, DocumentKind::Cuit),
        "CO" => (&NIT, DocumentKind::Nit),
        _ => return,
    };
    for matched in shape.find_iter(folded) {
        let digits = only_digits(matched.as_str());
        let signed = folded[..matched.start()].ends_with(['+', '-', '.', '/', '$']);
        if !signed && document_is_valid(kind, &digits) {
            let value = Value::Document { kind, digits, valid: true };
            found.push(Candidate::new(matched.range(), value, rank::DOCUMENT));
        }
    }
}

fn cue(tokens: &Tokens<'_>, at: usize, country: Country) -> Option<(DocumentKind, usize)> {
    let colombian = country == Country::CO;
    let kind = match tokens.text(at) {
        "cuit" => DocumentKind::Cuit,
        "cuil" => DocumentKind::Cuil,
        "dni" => DocumentKind::Dni,
        "nit" => DocumentKind::Nit,
        "cedula" => DocumentKind::Cedula,
        "cc" if colombian => DocumentKind::Cedula,
        "c" if colombian && tokens.follow(at, "c . c").is_some() => {
            return Some((DocumentKind::Cedula, at + 3));
        }
        "documento" if colombian => DocumentKind::Cedula,
        "documento" => DocumentKind::Dni,
        _ => return None,
    };
    Some((kind, at + 1))
}

/// Skips `es`, `:`, `n°` and the like, then takes digits with dots, dashes and blanks between them.
fn digits_after(
    tokens: &Tokens<'_>,
    from: usize,
    kind: DocumentKind,
) -> Option<(usize, usize, String)> {
    let mut first = from;
    while first < from + 6 && !tokens.is(first, Class::Digits) {
        let filler = matches!(
            tokens.text(first),
            "es" | "de"
                | "ciudadania"
                | "identidad"
                | "nro"
                | "numero"
                | "num"
                | "n"
                | "no"
                | "o"
                | ":"
                | "."
                | "#"
                | "°"
                | "el"
                | "is"
                | "mi"
                | "/"
                | "-"
                | "="
        );
        if !filler {
            return None;
        }
        first += 1;
    }
    let most = match kind {
        DocumentKind::Cuit | DocumentKind::Cuil => 11,
        DocumentKind::Dni => 8,
        DocumentKind::Nit | DocumentKind::Cedula => 10,
    };
    let mut digits = String::new();
    let mut end = first;
    let mut next = first;
    while tokens.is(next, Class::Digits) && digits.len() + tokens.text(next).len() <= most {
        digits.push_str(tokens.text(next));
        end = next + 1;
        next = end;
        if matches!(tokens.text(next), "." | "-" | "," | " ") {
            next += 1;
        }
    }
    let runs_on =
        tokens.glued(end) && (tokens.is(end, Class::Digits) || tokens.is(end, Class::Word));
    (digits.len() >= LEAST_DIGITS && !runs_on).then_some((first, end, digits))
}

fn only_digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}
