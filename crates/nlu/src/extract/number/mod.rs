//! Numbers in digits or words with their tails: scales, dozens, halves, decimals, fractions.

mod digits;
mod slang;
mod vocabulary;
mod words;
mod written;

use rust_decimal::Decimal;

use self::vocabulary::{denominator, dozen};
use self::words::{Whole, spelled, spoken, whole};
use super::candidate::{Candidate, rank};
use super::tokens::{Class, Tokens};
use super::trigger::Marks;
use super::value::Value;

pub(super) use self::digits::literal;
pub(super) use self::slang::{Slang, factor, is_fruit, slang};
pub(super) use self::vocabulary::joined;
pub use self::written::{amount_in_words, place_in_words};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) value: Decimal,
    pub(crate) end: usize,
    /// Whether the number is only digits and their marks, so that a unit or a name may be glued to
    /// it.
    pub(super) bare_digits: bool,
}

/// Finds every number of a text.
pub(super) fn find(tokens: &Tokens<'_>, decimal_comma: bool, found: &mut Vec<Candidate>) {
    let mut from = 0;
    while let Some(at) = tokens.seek(from, Marks::NUMBER) {
        from = match standing(tokens, at, decimal_comma) {
            Some(number) => {
                let article = number.end == at + 1
                    && matches!(tokens.text(at), "un" | "una" | "uno" | "one" | "mitad");
                // `10 m` may be metres, and `3M` a company.
                let letter = tokens.before(number.end) == "m";
                let rank = if article || letter { rank::WEAK } else { rank::NUMBER };
                found.push(Candidate::new(
                    tokens.span(at, number.end),
                    Value::Number(number.value),
                    rank,
                ));
                number.end
            }
            // Digits glued to letters are a code, of which no part is a number.
            None => at + 1,
        };
    }
}

/// Whether a number with its sign can begin at an index, or an amount that `quantity` reads.
pub(super) fn can_begin(tokens: &Tokens<'_>, at: usize) -> bool {
    let word = tokens.text(at);
    match tokens.get(at).map(|token| token.class) {
        Some(Class::Digits) => true,
        Some(Class::Symbol) => matches!(word, "-" | "−") || sign_of_parts(word).is_some(),
        Some(Class::Word) => {
            vocabulary::is_numeral(word)
                || slang::is_slang(word)
                || matches!(word, "media" | "medio" | "half" | "mitad" | "menos" | "minus")
                || matches!(word, "cuarto" | "kilo" | "litro")
                || word == "a" && matches!(tokens.text(at + 1), "par" | "couple")
        }
        None => false,
    }
}

/// A number with its sign that stands by itself: no letters are glued to it.
fn standing(tokens: &Tokens<'_>, at: usize, decimal_comma: bool) -> Option<Number> {
    if let Some(number) = signed(tokens, at, decimal_comma) {
        return Some(number);
    }
    let number = slang(tokens, at, decimal_comma)
        .filter(|slang| slang.sure)
        .map(|slang| Number { value: slang.value, end: slang.end, bare_digits: false })
        .or_else(|| read(tokens, at, decimal_comma))?;
    (!is_part_of_a_code(tokens, at, number.end)).then_some(number)
}

fn is_part_of_a_code(tokens: &Tokens<'_>, at: usize, end: usize) -> bool {
    let digit_first = tokens.is(at, Class::Digits);
    let digit_last = end > 0 && tokens.is(end - 1, Class::Digits);
    let word_before = at > 0 && tokens.glued(at) && tokens.is(at - 1, Class::Word);
    let ordinal_mark = matches!(tokens.text(end), "º" | "ª" | "°");
    (digit_first && word_before)
        || (digit_last && tokens.glued(end) && (tokens.is(end, Class::Word) || ordinal_mark))
}

/// `-5`, `- 10 k` at the beginning, `menos cinco`.
fn signed(tokens: &Tokens<'_>, at: usize, decimal_comma: bool) -> Option<Number> {
    let minus = match tokens.text(at) {
        "-" | "−" => !tokens.glued(at) && (tokens.glued(at + 1) || at == 0),
        "menos" | "minus" => {
            at == 0
                || !tokens.is(at - 1, Class::Digits)
                    && read(tokens, at - 1, decimal_comma).is_none()
        }
        _ => false,
    };
    if !minus {
        return None;
    }
    let number = read(tokens, at + 1, decimal_comma)?;
    (!is_part_of_a_code(tokens, at + 1, number.end))
        .then_some(Number { value: -number.value, ..number })
}

/// The longest number at an index, without a sign.
pub(super) fn read(tokens: &Tokens<'_>, at: usize, decimal_comma: bool) -> Option<Number> {
    if !tokens.is_marked(at, Marks::NUMBER) {
        return None;
    }
    if let Some(number) = set_phrase(tokens, at) {
        return Some(number);
    }
    if let Some(number) = slashed(tokens, at).or_else(|| vulgar(tokens, at)) {
        return Some(number);
    }
    let whole = whole(tokens, at, decimal_comma)?;
    if let Some(number) = fraction(tokens, &whole) {
        return Some(number);
    }
    let whole = spoken(tokens, at, whole, decimal_comma);
    let whole = with_dozens(tokens, whole, decimal_comma);
    Some(with_tail(tokens, whole, decimal_comma))
}

/// Whether a word continues the number before it, without being a number itself.
pub(super) fn goes_on(tokens: &Tokens<'_>, at: usize) -> bool {
    let word = tokens.text(at);
    matches!(word, "y" | "and" | "con" | "coma" | "punto" | "point" | "sobre" | "over")
        || matches!(word, "par" | "couple" | "hundred")
        || denominator(word).is_some()
}

/// Numbers that are a phrase of their own.
fn set_phrase(tokens: &Tokens<'_>, at: usize) -> Option<Number> {
    let number = |value: Decimal, end| Some(Number { value, end, bare_digits: false });
    match tokens.text(at) {
        "un" | "a" if matches!(tokens.text(at + 1), "par" | "couple") => number(2.into(), at + 2),
        "media" | "medio" | "half" => {
            let article = usize::from(matches!(tokens.text(at + 1), "a" | "un"));
            let unit = tokens.text(at + 1 + article);
            if dozen(unit) {
                return number(6.into(), at + 2 + article);
            }
            let scale = vocabulary::scale(unit).filter(|scale| *scale > 1_000)?;
            number(Decimal::from(scale) / Decimal::TWO, at + 2 + article)
        }
        word if dozen(word) && word != "dz" => {
            let whole =
                Whole { value: 12.into(), end: at + 1, last_scale: 12.into(), bare_digits: false };
            Some(with_half(tokens, &whole).unwrap_or(Number {
                value: 12.into(),
                end: at + 1,
                bare_digits: false,
            }))
        }
        "mitad" => number(Decimal::new(5, 1), at + 1),
        _ => None,
    }
}

/// `3 docenas`, `dos mil y cuatro docenas`.
fn with_dozens(tokens: &Tokens<'_>, whole: Whole, decimal_comma: bool) -> Whole {
    if dozen(tokens.text(whole.end)) {
        let value = whole.value.checked_mul(12.into()).unwrap_or(whole.value);
        return Whole { value, end: whole.end + 1, last_scale: 12.into(), bare_digits: false };
    }
    if tokens.text(whole.end) == "y"
        && !whole.bare_digits
        && let Some(more) = words::whole(tokens, whole.end + 1, decimal_comma)
        && dozen(tokens.text(more.end))
        && let Some(value) =
            more.value.checked_mul(12.into()).and_then(|dozens| dozens.checked_add(whole.value))
    {
        return Whole { value, end: more.end + 1, ..whole };
    }
    whole
}

/// Reads the tail of a whole number: `y medio`, `con tres cuartos`, `coma cinco`, and a scale after
/// decimals.
fn with_tail(tokens: &Tokens<'_>, whole: Whole, decimal_comma: bool) -> Number {
    let plain = Number { value: whole.value, end: whole.end, bare_digits: whole.bare_digits };
    if let Some(half) = with_half(tokens, &whole) {
        return half;
    }
    if !whole.bare_digits && with_pico(tokens, whole.end) > whole.end {
        return Number { end: with_pico(tokens, whole.end), ..plain };
    }
    let mixed = || vulgar(tokens, whole.end).filter(|_| whole.value.scale() == 0);
    if let Some(part) = mixed() {
        return Number { value: whole.value + part.value, end: part.end, bare_digits: false };
    }
    if !matches!(tokens.text(whole.end), "con" | "coma" | "punto" | "point") {
        return plain;
    }
    with_decimals(tokens, &whole, decimal_comma).unwrap_or(plain)
}

fn with_half(tokens: &Tokens<'_>, whole: &Whole) -> Option<Number> {
    let and = tokens.text(whole.end);
    if !matches!(and, "y" | "and") {
        return None;
    }
    let article = usize::from(matches!(tokens.text(whole.end + 1), "un" | "a"));
    let part = match tokens.text(whole.end + 1 + article) {
        "medio" | "media" | "half" => Decimal::new(5, 1),
        "cuarto" | "quarter" => Decimal::new(25, 2),
        _ => return None,
    };
    let value = whole.value.checked_add(whole.last_scale * part)?;
    Some(Number { value, end: whole.end + 2 + article, bare_digits: false })
}

/// The index after `y pico`, which means a little more, or the same index.
fn with_pico(tokens: &Tokens<'_>, end: usize) -> usize {
    tokens.follow_any(end, &["y pico", "y piquito", "y algo"]).unwrap_or(end)
}

fn with_decimals(tokens: &Tokens<'_>, whole: &Whole, decimal_comma: bool) -> Option<Number> {
    let mut next = whole.end + 1;
    let mut zeros = 0;
    while matches!(tokens.text(next), "cero" | "zero") && zeros < 12 {
        zeros += 1;
        next += 1;
    }
    if zeros == 0 {
        let part = words::whole(tokens, next, decimal_comma)?;
        if let Some(part) = fraction(tokens, &part) {
            let value = whole.value.checked_add(part.value.checked_mul(whole.last_scale)?)?;
            return Some(Number { value, end: part.end, bare_digits: false });
        }
        if let Some(part) = with_half(tokens, &part) {
            return Some(Number { value: whole.value.checked_add(part.value)?, ..part });
        }
    }
    let (part, end) = match words::whole(tokens, next, decimal_comma) {
        Some(part) if part.value.scale() == 0 && whole.value.scale() == 0 => (part.value, part.end),
        None if zeros > 0 => (Decimal::ZERO, next),
        _ => return None,
    };
    let digits = u32::try_from(part.to_string().len()).ok()? + zeros;
    let decimals = Decimal::try_from_i128_with_scale(part.mantissa(), digits).ok()?;
    let value = whole.value.checked_add(decimals)?.normalize();
    let scaled = vocabulary::scale(tokens.text(end))
        .filter(|_| whole.last_scale == Decimal::ONE)
        .and_then(|scale| value.checked_mul(scale.into()));
    match scaled {
        Some(value) => Some(Number { value, end: end + 1, bare_digits: false }),
        None => Some(Number { value, end, bare_digits: false }),
    }
}

/// `dos tercios`, `ciento treinta quintos`, `uno sobre tres`.
fn fraction(tokens: &Tokens<'_>, whole: &Whole) -> Option<Number> {
    let parts = |by: Decimal, end| {
        let value = rounded(whole.value.checked_div(by)?);
        Some(Number { value, end, bare_digits: false })
    };
    if matches!(tokens.text(whole.end), "sobre" | "over") {
        let by = words::whole(tokens, whole.end + 1, true)?;
        return parts(by.value, by.end);
    }
    // `el 25 segundo` and the like are not fractions: digits take a denominator only with a slash.
    if whole.bare_digits {
        return None;
    }
    let by = denominator(tokens.text(whole.end))?;
    if by.only_one && whole.value != Decimal::ONE {
        return None;
    }
    parts(by.value.into(), whole.end + 1)
}

/// `3/4`, also as it comes from folding a fraction sign.
pub(crate) fn slashed(tokens: &Tokens<'_>, at: usize) -> Option<Number> {
    let slash = tokens.text(at + 1);
    let joined = tokens.glued(at + 1) && tokens.glued(at + 2);
    let fits = |at: usize| tokens.is(at, Class::Digits) && tokens.text(at).len() <= 9;
    if !matches!(slash, "/" | "⁄") || !joined || !fits(at) || !fits(at + 2) {
        return None;
    }
    let part: Decimal = tokens.text(at).parse().ok()?;
    let by: Decimal = tokens.text(at + 2).parse().ok()?;
    // Another slash makes it a date or a path.
    let more = matches!(tokens.text(at + 3), "/" | "." | "-") && tokens.glued(at + 3);
    let runs_on = at > 0 && tokens.glued(at) && matches!(tokens.before(at), "/" | "." | ",");
    // A fraction sign continues nothing before it, so its folded form may follow a comma: `pan,½
    // kilo`.
    if more || runs_on && slash == "/" {
        return None;
    }
    Some(Number { value: rounded(part.checked_div(by)?), end: at + 3, bare_digits: false })
}

/// `½` and its like, as one sign or taken apart by folding.
pub(crate) fn vulgar(tokens: &Tokens<'_>, at: usize) -> Option<Number> {
    if tokens.text(at + 1) == "⁄" {
        return slashed(tokens, at);
    }
    let (part, by) = sign_of_parts(tokens.text(at))?;
    Some(Number {
        value: rounded(Decimal::from(part) / Decimal::from(by)),
        end: at + 1,
        bare_digits: false,
    })
}

/// The numerator and denominator of a sign such as `½`.
fn sign_of_parts(sign: &str) -> Option<(u8, u8)> {
    Some(match sign {
        "½" => (1, 2),
        "⅓" => (1, 3),
        "⅔" => (2, 3),
        "¼" => (1, 4),
        "¾" => (3, 4),
        "⅕" => (1, 5),
        "⅙" => (1, 6),
        "⅛" => (1, 8),
        "⅜" => (3, 8),
        "⅝" => (5, 8),
        "⅞" => (7, 8),
        _ => return None,
    })
}

/// Rounds to fifteen significant digits, because further digits of a division are noise.
pub(super) fn rounded(value: Decimal) -> Decimal {
    value.round_sf(15).unwrap_or(value).normalize()
}

/// The number that the whole folded text is, with its sign.
pub(super) fn only(tokens: &Tokens<'_>, decimal_comma: bool) -> Option<Decimal> {
    let plus = usize::from(tokens.text(0) == "+" && tokens.glued(1));
    let number =
        signed(tokens, plus, decimal_comma).or_else(|| read(tokens, plus, decimal_comma))?;
    is_all(tokens, number.end).then_some(number.value)
}

/// Whether nothing but a full stop follows.
pub(super) fn is_all(tokens: &Tokens<'_>, end: usize) -> bool {
    end == tokens.len() || end + 1 == tokens.len() && tokens.text(end) == "."
}

/// A cardinal in words at an index, and the index after it.
pub(super) fn cardinal(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, usize)> {
    if !tokens.is(at, Class::Word) || !tokens.is_marked(at, Marks::NUMBER) {
        return None;
    }
    whole(tokens, at, true).map(|whole| (whole.value, whole.end))
}

/// The factor of a scale word at an index, and the index after it.
pub(super) fn scale_word(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, usize)> {
    words::scale_at(tokens, at).map(|(scale, end)| (scale.into(), end))
}

/// A small whole number in words or digits, as days and hours are said.
pub(crate) fn small_whole(tokens: &Tokens<'_>, at: usize) -> Option<(u32, usize)> {
    if !tokens.is_marked(at, Marks::NUMBER) {
        return None;
    }
    if tokens.is(at, Class::Digits) {
        return tokens.text(at).parse().ok().map(|value| (value, at + 1));
    }
    let (value, end) = spelled(tokens, at)?;
    Some((u32::try_from(value).ok()?, end))
}
