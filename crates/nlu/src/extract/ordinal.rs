//! Places in a row: `tercero`, `21ro`, `tres mil millonésimo`, `el último`, `el siguiente`.

use rust_decimal::Decimal;

use super::candidate::{Candidate, rank};
use super::number::{self, joined};
use super::tokens::{Class, Tokens};
use super::trigger::Marks;
use super::value::{Ordinal, Value};

pub(super) fn find(tokens: &Tokens<'_>, found: &mut Vec<Candidate>) {
    let mut from = 0;
    while let Some(at) = tokens.seek(from, Marks::NUMBER | Marks::PLACE) {
        let read = read(tokens, at)
            .map(|(place, end)| (Ordinal::Place(place), end))
            .or_else(|| relative(tokens, at));
        from = match read {
            Some((ordinal, end)) => {
                found.push(Candidate::new(
                    tokens.span(at, end),
                    Value::Ordinal(ordinal),
                    rank::ORDINAL,
                ));
                end
            }
            // The walk goes on past the cardinal, so that a long one is not read again from each of
            // its words.
            None => number::cardinal(tokens, at).map_or(at + 1, |(_, end)| end),
        };
    }
}

/// Whether a word is an ordinal, a part of one or points along a row. Numbers have marks of their
/// own.
pub(super) fn can_begin(word: &str) -> bool {
    place(word).is_some() || scale_word(word).is_some() || word == "antes" || along(word).is_some()
}

/// The place said at an index, and the index after it.
pub(super) fn read(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, usize)> {
    if !tokens.is_marked(at, Marks::NUMBER | Marks::PLACE) {
        return None;
    }
    if tokens.is(at, Class::Digits) {
        return in_digits(tokens, at);
    }
    if let Some((value, end)) = scaled(tokens, at) {
        let (rest, end) = below_thousand(tokens, end).unwrap_or((0, end));
        return Some((value.checked_add(rest.into())?, end));
    }
    let (value, end) = below_thousand(tokens, at)?;
    // After a cardinal the same words are parts of a whole (`tres quintos`) or seconds.
    let parts = end == at + 1 && at > 0 && number::cardinal(tokens, at - 1).is_some();
    (!parts).then_some((value.into(), end))
}

fn in_digits(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, usize)> {
    if at > 0 && tokens.glued(at) {
        return None;
    }
    let dot = usize::from(tokens.text(at + 1) == "." && tokens.glued(at + 1));
    let mark = at + 1 + dot;
    let known = match tokens.text(mark) {
        "o" | "a" | "er" | "ro" | "ra" | "do" | "da" => true,
        "to" | "ta" | "mo" | "ma" | "vo" | "va" | "no" | "na" | "st" | "nd" | "rd" | "th" => {
            dot == 0
        }
        "°" => true,
        _ => false,
    };
    if !known || !tokens.glued(mark) {
        return None;
    }
    Some((tokens.text(at).parse().ok()?, mark + 1))
}

/// A cardinal that ends in `milésimo`, `millonésimo` or `billonésimo`, in one word or several.
fn scaled(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, usize)> {
    if let Some((value, end)) = scale_word(tokens.text(at)) {
        return Some((value, at + end));
    }
    let (value, end) = number::cardinal(tokens, at)?;
    let scale = big(tokens.text(end))?;
    // `cincuenta y dos milésimo` multiplies only the part of the number below the next higher
    // scale.
    let above =
        Decimal::from(if scale == 1_000 { 1_000_000 } else { scale.checked_mul(1_000_000)? });
    let low = value.checked_rem(above)?;
    let raised = low.checked_mul(scale.into())?;
    let part_of_a_whole = tokens.text(end).ends_with("as") || (value == Decimal::ONE);
    (!low.is_zero() && !part_of_a_whole).then_some((value - low + raised, end + 1))
}

fn scale_word(word: &str) -> Option<(Decimal, usize)> {
    if let Some(scale) = big(word) {
        return Some((scale.into(), 1));
    }
    let singular = word.strip_suffix(['o', 'a']).filter(|_| word.len() > 8)?;
    let (stem, scale) = singular
        .strip_suffix("billonesim")
        .map(|stem| (stem, 1_000_000_000_000_u64))
        .or_else(|| singular.strip_suffix("millonesim").map(|stem| (stem, 1_000_000)))
        .or_else(|| singular.strip_suffix("milesim").map(|stem| (stem, 1_000)))?;
    Decimal::from(joined(stem)?).checked_mul(Decimal::from(scale)).map(|value| (value, 1))
}

fn big(word: &str) -> Option<u64> {
    let stem = word.strip_suffix('s').unwrap_or(word).strip_suffix(['o', 'a'])?;
    Some(match stem {
        "milesim" => 1_000,
        "millonesim" => 1_000_000,
        "billonesim" => 1_000_000_000_000,
        _ => return None,
    })
}

/// Hundredths, tenths and units in falling order: `tricentésimo cuadragésimo séptimo`.
fn below_thousand(tokens: &Tokens<'_>, at: usize) -> Option<(u64, usize)> {
    let mut sum = 0;
    let mut room = 1_000;
    let mut next = at;
    while let Some(value) = place(tokens.text(next)) {
        let size = if value >= 100 {
            100
        } else if value >= 10 {
            10
        } else {
            1
        };
        let fits = size < room && (value < 10 || value % size == 0 || next == at);
        if !fits {
            break;
        }
        sum += value;
        room = if value % 10 == 0 { size } else { 1 };
        next += 1;
    }
    (next > at).then_some((sum, next))
}

fn place(word: &str) -> Option<u64> {
    let english = match word {
        "first" => 1,
        "third" => 3,
        "fourth" => 4,
        "fifth" => 5,
        "sixth" => 6,
        "seventh" => 7,
        "eighth" => 8,
        "ninth" => 9,
        "tenth" => 10,
        "eleventh" => 11,
        "twelfth" => 12,
        "twentieth" => 20,
        "primer" => 1,
        "tercer" => 3,
        _ => 0,
    };
    if english > 0 {
        return Some(english);
    }
    let stem = word.strip_suffix('s').unwrap_or(word).strip_suffix(['o', 'a'])?;
    if let Some(value) = stem_place(stem) {
        return Some(value);
    }
    let (tens, unit) = stem
        .strip_prefix("decimo")
        .map(|unit| (10, unit))
        .or_else(|| stem.strip_prefix("vigesimo").map(|unit| (20, unit)))?;
    let unit = stem_place(unit).or_else(|| (unit == "ctav").then_some(8))?;
    (unit < 10).then_some(tens + unit)
}

fn stem_place(stem: &str) -> Option<u64> {
    Some(match stem {
        "primer" => 1,
        "segund" => 2,
        "tercer" => 3,
        "cuart" => 4,
        "quint" => 5,
        "sext" => 6,
        "septim" | "setim" => 7,
        "octav" => 8,
        "noven" => 9,
        "decim" => 10,
        "undecim" => 11,
        "duodecim" => 12,
        "vigesim" => 20,
        "trigesim" => 30,
        "cuadragesim" => 40,
        "quincuagesim" => 50,
        "sexagesim" => 60,
        "septuagesim" => 70,
        "octogesim" => 80,
        "nonagesim" => 90,
        "centesim" => 100,
        "ducentesim" => 200,
        "tricentesim" => 300,
        "cuadringentesim" => 400,
        "quingentesim" => 500,
        "sexcentesim" => 600,
        "septingentesim" => 700,
        "octingentesim" => 800,
        "noningentesim" => 900,
        _ => return None,
    })
}

fn relative(tokens: &Tokens<'_>, at: usize) -> Option<(Ordinal, usize)> {
    if let Some(end) = tokens.follow_any(at, &["antes del ultimo", "antes de la ultima"]) {
        return Some((Ordinal::FromEnd(1), end));
    }
    along(tokens.text(at)).map(|ordinal| (ordinal, at + 1))
}

/// The place in a row that a word points at.
fn along(word: &str) -> Option<Ordinal> {
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "ultimo" | "ultima" | "last" => Ordinal::FromEnd(0),
        "penultimo" | "penultima" => Ordinal::FromEnd(1),
        "antepenultimo" | "antepenultima" => Ordinal::FromEnd(2),
        "siguiente" | "proximo" | "proxima" | "next" => Ordinal::FromCurrent(1),
        "anterior" | "anteriore" | "previo" | "previou" => Ordinal::FromCurrent(-1),
        _ => return None,
    })
}
