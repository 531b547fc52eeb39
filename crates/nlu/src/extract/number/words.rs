//! Whole numbers as they are said: `tres millones cuatrocientos mil`, `2 mil 500`, `two hundred and five`.

use rust_decimal::Decimal;

use super::digits::literal;
use super::slang::is_currency;
use super::vocabulary::{hundreds, scale, small, tens};
use crate::extract::tokens::{Class, Tokens};

const MILLION: u64 = 1_000_000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) value: Decimal,
    pub(super) end: usize,
    /// The scale that a following `y medio` halves: a million in `tres millones y medio`.
    pub(super) last_scale: Decimal,
    /// Whether the number is in digits alone, without a word such as `mil`.
    pub(super) bare_digits: bool,
}

/// The longest number at an index: groups below a thousand, each with its scale, from big to small.
pub(super) fn whole(tokens: &Tokens<'_>, at: usize, decimal_comma: bool) -> Option<Whole> {
    let mut sum = Sum::default();
    let mut next = at;
    loop {
        let first = next == at;
        let Some(group) = group(tokens, next, decimal_comma, first) else {
            // A scale may stand alone (`mil`, `billon`); after a smaller scale it belongs to that
            // one (`mil millones`).
            match scale_at(tokens, next) {
                Some((scale, end)) if !is_short(tokens.text(next)) && sum.take(None, scale) => {
                    next = end;
                    continue;
                }
                _ => break,
            }
        };
        if !first && !sum.has_room_for(group.value) {
            break;
        }
        match scale_at(tokens, group.end) {
            Some((scale, end)) if sum.take(Some(group.value), scale) => next = end,
            _ => {
                if !first && group.digits && !sum.accepts_digits_after(group.value) {
                    break;
                }
                sum.close(group.value);
                next = group.end;
                break;
            }
        }
    }
    if next == at {
        return None;
    }
    let bare_digits = next == at + 1 && tokens.is(at, Class::Digits)
        || sum.scales == 0 && tokens.is(at, Class::Digits);
    Some(Whole { value: sum.total()?, end: next, last_scale: sum.last_scale(), bare_digits })
}

struct Group {
    value: Decimal,
    end: usize,
    digits: bool,
}

/// A part below a thousand in words, or any number in digits.
fn group(tokens: &Tokens<'_>, at: usize, decimal_comma: bool, first: bool) -> Option<Group> {
    if let Some(read) = literal(tokens, at, decimal_comma) {
        let small_enough = first || (read.value < Decimal::ONE_THOUSAND && read.value.scale() == 0);
        return small_enough.then_some(Group { value: read.value, end: read.end, digits: true });
    }
    let (value, end) = spelled(tokens, at)?;
    Some(Group { value: value.into(), end, digits: false })
}

/// A number below a thousand in words.
pub(super) fn spelled(tokens: &Tokens<'_>, at: usize) -> Option<(u64, usize)> {
    let word = tokens.text(at);
    if let Some(value) = hundreds(word) {
        let rest = below_hundred(tokens, at + 1).filter(|(rest, _)| *rest > 0);
        return Some(rest.map_or((value, at + 1), |(rest, end)| (value + rest, end)));
    }
    let (value, end) = below_hundred(tokens, at)?;
    if tokens.text(end) != "hundred" || value == 0 {
        return Some((value, end));
    }
    let and = end + 1 + usize::from(tokens.text(end + 1) == "and");
    let rest = below_hundred(tokens, and).filter(|(rest, _)| *rest > 0);
    Some(rest.map_or((value * 100, end + 1), |(rest, end)| (value * 100 + rest, end)))
}

fn below_hundred(tokens: &Tokens<'_>, at: usize) -> Option<(u64, usize)> {
    let word = tokens.text(at);
    let Some(ten) = tens(word) else {
        return small(word).map(|value| (value, at + 1));
    };
    let joint = match tokens.text(at + 1) {
        "y" => 1,
        "-" if tokens.glued(at + 1) && tokens.glued(at + 2) => 1,
        _ => 0,
    };
    let english = matches!(word, "twenty") || word.ends_with("ty");
    if joint == 0 && !english {
        return Some((ten, at + 1));
    }
    match small(tokens.text(at + 1 + joint)) {
        Some(unit @ 1..10) => Some((ten + unit, at + 2 + joint)),
        _ => Some((ten, at + 1)),
    }
}

pub(super) fn scale_at(tokens: &Tokens<'_>, at: usize) -> Option<(u64, usize)> {
    let word = tokens.text(at);
    if word == "m" {
        return (at > 0 && tokens.is(at - 1, Class::Digits) && !is_measure(tokens, at))
            .then_some((MILLION, at + 1));
    }
    scale(word).map(|value| (value, at + 1))
}

/// Whether the `m` at an index is a metre: `5 m de tela`, `2 m x 3 m`, `40 m2`.
fn is_measure(tokens: &Tokens<'_>, at: usize) -> bool {
    let next = tokens.text(at + 1);
    let of = next == "de" && !is_currency(tokens.text(at + 2));
    of || matches!(next, "x" | "por" | "cuadrados" | "cubicos" | "lineales")
        || tokens.is(at + 1, Class::Digits) && tokens.glued(at + 1)
}

/// Scales that count only after a number.
fn is_short(word: &str) -> bool {
    matches!(word, "k" | "m" | "mill")
}

/// A number as it is meant when said: `tres millones quinientos` is three and a half.
pub(super) fn spoken(tokens: &Tokens<'_>, at: usize, whole: Whole, decimal_comma: bool) -> Whole {
    let million = |at: &usize| matches!(tokens.before(*at), "millon" | "millones" | "mill");
    let thousands = (at + 1..whole.end)
        .rev()
        .find(million)
        .and_then(|at| spoken_thousands(tokens, at, decimal_comma))
        .filter(|(_, end)| *end == whole.end);
    match thousands {
        Some((more, _)) => {
            Whole { value: whole.value - more / Decimal::ONE_THOUSAND + more, ..whole }
        }
        None => whole,
    }
}

/// Round hundreds with nothing after them, which after millions mean thousands, and the index after
/// them.
pub(super) fn spoken_thousands(
    tokens: &Tokens<'_>,
    at: usize,
    decimal_comma: bool,
) -> Option<(Decimal, usize)> {
    let group = group(tokens, at, decimal_comma, false)?;
    let hundreds = group.value >= Decimal::ONE_HUNDRED
        && group.value < Decimal::ONE_THOUSAND
        && (group.value % Decimal::from(50)).is_zero();
    let alone = scale_at(tokens, group.end).is_none();
    (hundreds && alone).then(|| (group.value * Decimal::ONE_THOUSAND, group.end))
}

/// The sum so far: closed millions and billions, and an open part below a million.
#[derive(Default)]
struct Sum {
    closed: Decimal,
    open: Decimal,
    open_scale: u64,
    closed_scale: u64,
    scales: u32,
    ended: bool,
    overflowed: bool,
}

impl Sum {
    /// Adds a group with its scale; false if that scale cannot stand there.
    fn take(&mut self, group: Option<Decimal>, scale: u64) -> bool {
        if self.ended || (self.closed_scale != 0 && scale >= self.closed_scale) {
            return false;
        }
        if scale < MILLION {
            if self.open_scale != 0 {
                return false;
            }
            self.open_scale = scale;
            self.open = self.times(group.unwrap_or(Decimal::ONE), scale);
        } else {
            let group = match group {
                Some(group) => self.open + group,
                None if self.open.is_zero() => Decimal::ONE,
                None => self.open,
            };
            self.closed = self.closed.checked_add(self.times(group, scale)).unwrap_or_default();
            (self.open, self.open_scale, self.closed_scale) = (Decimal::ZERO, 0, scale);
        }
        self.scales += 1;
        true
    }

    /// Adds a last group without a scale.
    fn close(&mut self, group: Decimal) {
        self.open += group;
        self.ended = true;
    }

    fn has_room_for(&self, group: Decimal) -> bool {
        !self.ended && !group.is_zero() && group < Decimal::ONE_THOUSAND
    }

    /// Whether digits may follow: `2 mil 500` is a single number, while `2 mil 5` is more likely
    /// two.
    fn accepts_digits_after(&self, group: Decimal) -> bool {
        self.scales > 0 && group >= Decimal::ONE_HUNDRED
    }

    fn times(&mut self, value: Decimal, scale: u64) -> Decimal {
        value.checked_mul(scale.into()).unwrap_or_else(|| {
            self.overflowed = true;
            Decimal::ZERO
        })
    }

    fn total(&self) -> Option<Decimal> {
        if self.overflowed { None } else { self.closed.checked_add(self.open) }
    }

    fn last_scale(&self) -> Decimal {
        match (self.ended, self.open_scale, self.closed_scale) {
            (true, ..) | (false, 0, 0) => Decimal::ONE,
            (false, 0, closed) => closed.into(),
            (false, open, _) => open.into(),
        }
    }
}
