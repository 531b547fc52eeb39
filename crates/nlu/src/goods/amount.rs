//! Numbers as they stand in orders: digits, words, halves, quarters, pairs and dozens.

use rust_decimal::Decimal;

use crate::extract::number;
use crate::extract::tokens::{Class, Tokens};

#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub(super) value: Decimal,
    pub(super) end: usize,
    /// Whether a decimal mark or a part after a whole was written: `2.25`, `dos y cuarto`.
    pub(super) decimal: bool,
    /// Whether the amount is a part of one: `medio`, `tres cuartos`, `1/2`.
    pub(super) fraction: bool,
    /// The value if its mark sets thousands apart: `1.500`.
    pub(super) thousands: Option<Decimal>,
}

impl Amount {
    fn whole(value: impl Into<Decimal>, end: usize) -> Self {
        Self { value: value.into(), end, decimal: false, fraction: false, thousands: None }
    }
}

/// The number at an index. Blanks never join digits: `3 500` are three of five hundred.
pub(super) fn read(tokens: &Tokens<'_>, at: usize) -> Option<Amount> {
    if let Some((value, end)) = part(tokens, at) {
        return Some(Amount { fraction: true, ..Amount::whole(value, end) });
    }
    let amount = if tokens.is(at, Class::Digits) {
        digits(tokens, at)?
    } else {
        let (value, end) = number::small_whole(tokens, at)?;
        Amount::whole(value, end)
    };
    let mixed = number::vulgar(tokens, amount.end).map(|part| (part.value, part.end));
    match and_a_part(tokens, amount.end).or(mixed) {
        Some((part, end)) if !amount.decimal => {
            let value = amount.value.checked_add(part)?;
            Some(Amount { value, end, decimal: true, ..amount })
        }
        _ => Some(amount),
    }
}

fn digits(tokens: &Tokens<'_>, at: usize) -> Option<Amount> {
    // A number with more digits counts no goods.
    let whole = tokens.text(at);
    if whole.len() > 6 {
        return None;
    }
    let marked = matches!(tokens.text(at + 1), "." | ",")
        && tokens.glued(at + 1)
        && tokens.is(at + 2, Class::Digits)
        && tokens.glued(at + 2)
        && tokens.text(at + 2).len() <= 3;
    if !marked {
        return Some(Amount::whole(whole.parse::<u32>().ok()?, at + 1));
    }
    let parts = tokens.text(at + 2);
    let value = Decimal::from_str_exact(&format!("{whole}.{parts}")).ok()?;
    let thousands = format!("{whole}{parts}").parse::<u32>().ok().filter(|_| parts.len() == 3);
    let thousands = thousands.map(Decimal::from);
    Some(Amount { decimal: true, thousands, ..Amount::whole(value, at + 3) })
}

/// A part of one, and the index after it.
fn part(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, usize)> {
    let article = usize::from(tokens.text(at) == "un" && tokens.text(at + 1) == "cuarto");
    match tokens.text(at + article) {
        "medio" | "media" => Some((Decimal::new(5, 1), at + 1)),
        "cuarto" | "cuartito" => Some((Decimal::new(25, 2), at + article + 1)),
        "tres" | "3" if tokens.text(at + 1) == "cuartos" => Some((Decimal::new(75, 2), at + 2)),
        _ => number::slashed(tokens, at)
            .or_else(|| number::vulgar(tokens, at))
            .filter(|part| part.value > Decimal::ZERO && part.value < Decimal::ONE)
            .map(|part| (part.value, part.end)),
    }
}

/// `y medio`, and the index after it.
pub(super) fn and_a_part(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, usize)> {
    let (value, end) = part(tokens, at + 1).filter(|_| tokens.text(at) == "y")?;
    // In `una coca y media docena` and `un litro y medio kilo` the half belongs to the next noun.
    let of_next = matches!(tokens.text(end), "docena" | "kilo" | "litro" | "kg" | "pollo");
    (!of_next).then_some((value, end))
}

/// Pairs and dozens, counted out: `un par`, `media docena`, `2 docenas`.
pub(super) fn dozens(tokens: &Tokens<'_>, at: usize) -> Option<Amount> {
    let pair = tokens.follow_any(at, &["un par", "par"]).filter(|end| tokens.text(*end) == "de");
    if let Some(end) = pair {
        return Some(Amount::whole(2, end));
    }
    let (count, end) = match read(tokens, at) {
        Some(amount) => (amount.value, amount.end),
        None => (Decimal::ONE, at),
    };
    if !matches!(tokens.text(end), "docena" | "docenas") {
        return None;
    }
    let (half, end) = match and_a_part(tokens, end + 1) {
        Some((part, end)) => (part, end),
        None => (Decimal::ZERO, end + 1),
    };
    let value = count.checked_add(half)?.checked_mul(12.into())?;
    Some(Amount::whole(value.normalize(), end))
}
