//! Slang for a thousand and a million: `5 lucas`, `2 palos y medio`, `medio palo`.

use rust_decimal::Decimal;

use super::words::{Whole, spoken_thousands};
use super::{read, with_half, with_pico};
use crate::extract::tokens::{Class, Tokens};
use crate::extract::trigger::Marks;

#[derive(Clone, Copy, Debug)]
pub(in crate::extract) struct Slang {
    pub(in crate::extract) value: Decimal,
    pub(in crate::extract) end: usize,
    /// Whether the word has no other meaning that is counted as often: `3 melones` may be fruit.
    pub(in crate::extract) sure: bool,
}

/// The whole amount in slang at an index.
pub(in crate::extract) fn slang(
    tokens: &Tokens<'_>,
    at: usize,
    decimal_comma: bool,
) -> Option<Slang> {
    if !tokens.is_marked(at, Marks::NUMBER) {
        return None;
    }
    let sure = |unit: usize| !is_fruit(tokens.text(unit));
    if matches!(tokens.text(at), "medio" | "media") {
        let factor = factor(tokens, at + 1).filter(|factor| *factor > Decimal::ONE)?;
        return Some(Slang { value: factor / Decimal::TWO, end: at + 2, sure: sure(at + 1) });
    }
    // `palo y medio` is one and a half.
    if let Some(one) = factor(tokens, at).filter(|factor| *factor > Decimal::ONE) {
        let whole = Whole { value: one, end: at + 1, last_scale: one, bare_digits: false };
        let half = with_half(tokens, &whole)?;
        return Some(Slang { value: half.value, end: half.end, sure: sure(at) });
    }
    let number = read(tokens, at, decimal_comma)?;
    let unit = number.end;
    let factor = factor(tokens, unit)?;
    let value = number.value.checked_mul(factor)?;
    let end = unit + 1;
    let slang = |value, end| Some(Slang { value, end, sure: sure(unit) });
    let whole = Whole { value, end, last_scale: factor, bare_digits: false };
    if let Some(half) = with_half(tokens, &whole).filter(|_| factor > Decimal::ONE) {
        return slang(half.value, half.end);
    }
    let million = factor == Decimal::from(1_000_000);
    match spoken_thousands(tokens, end, decimal_comma).filter(|_| million) {
        Some((more, end)) => slang(value.checked_add(more)?, end),
        None => slang(value, with_pico(tokens, end)),
    }
}

/// The factor of a slang word at an index, unless the word itself is counted: `palos de golf`.
pub(in crate::extract) fn factor(tokens: &Tokens<'_>, at: usize) -> Option<Decimal> {
    let word = tokens.text(at);
    let factor = worth(word)?;
    let next = at + 1;
    let counted = match tokens.text(next) {
        "de" => !is_currency(tokens.text(next + 1)),
        after => {
            is_fruit(word) && tokens.is(next, Class::Word) && !is_currency(after) && after != "y"
        }
    };
    (!counted).then(|| factor.into())
}

fn worth(word: &str) -> Option<u32> {
    Some(match word {
        "luca" | "lucas" => 1_000,
        "palo" | "palos" | "melon" | "melones" => 1_000_000,
        "mango" | "mangos" => 1,
        _ => return None,
    })
}

pub(super) fn is_slang(word: &str) -> bool {
    worth(word).is_some()
}

pub(in crate::extract) fn is_fruit(word: &str) -> bool {
    matches!(word, "melon" | "melones")
}

pub(super) fn is_currency(word: &str) -> bool {
    matches!(
        word,
        "peso"
            | "pesos"
            | "dolar"
            | "dolares"
            | "euro"
            | "euros"
            | "soles"
            | "cop"
            | "ars"
            | "mxn"
            | "usd"
            | "eur"
    )
}
