//! Numbers written in digits: thousands and decimal marks of either custom, exponents, powers.

use rust_decimal::Decimal;

use crate::extract::tokens::{Class, Tokens};

/// The most groups of a number; a text with more is noise.
const MOST_GROUPS: usize = 8;
const MOST_DIGITS: usize = 26;

#[derive(Clone, Copy, Debug)]
pub(in crate::extract) struct Literal {
    pub(in crate::extract) value: Decimal,
    pub(in crate::extract) end: usize,
}

/// The longest number in digits at an index, without its sign.
pub(in crate::extract) fn literal(
    tokens: &Tokens<'_>,
    at: usize,
    decimal_comma: bool,
) -> Option<Literal> {
    if !tokens.is(at, Class::Digits) {
        return None;
    }
    let mut groups = [tokens.text(at); MOST_GROUPS];
    let mut marks = [""; MOST_GROUPS];
    let mut count = 1;
    let mut next = at + 1;
    while count < MOST_GROUPS
        && matches!(tokens.text(next), "." | "," | "'" | "’")
        && tokens.glued(next)
        && tokens.is(next + 1, Class::Digits)
        && tokens.glued(next + 1)
    {
        marks[count - 1] = tokens.text(next);
        groups[count] = tokens.text(next + 1);
        count += 1;
        next += 2;
    }
    if count == 1
        && let Some(spaced) = grouped_by_spaces(tokens, at)
    {
        return Some(spaced);
    }
    (0..count).rev().find_map(|marks_used| {
        let value = unify(&groups[..=marks_used], marks, decimal_comma)?;
        let read = Literal { value, end: at + 1 + 2 * marks_used };
        Some(exponent(tokens, read, decimal_comma))
    })
}

/// The groups, with the marks between them, as one number if they can be one.
fn unify(groups: &[&str], mut marks: [&str; MOST_GROUPS], decimal_comma: bool) -> Option<Decimal> {
    let marks = &mut marks[..groups.len() - 1];
    if groups.iter().map(|group| group.len()).sum::<usize>() > MOST_DIGITS {
        return None;
    }
    let decimal = |decimals| decimal(groups.iter().copied(), decimals);
    if marks.is_empty() {
        return decimal(0);
    }
    let thousands = |groups: &[&str]| {
        let (first, rest) = (groups[0], &groups[1..]);
        (1..=3).contains(&first.len()) && first != "0" && rest.iter().all(|group| group.len() == 3)
    };
    // Colombia and Mexico set millions apart with an apostrophe and thousands with a mark:
    // `4'500.000`.
    if marks.len() > 1 && is_apostrophe(marks[0]) && groups[2].len() == 3 {
        marks[0] = marks[1];
    }
    let (last_mark, before) = marks.split_last()?;
    let same = marks.iter().all(|mark| mark == last_mark);
    let groups_of_three = same && thousands(groups);
    let decimal_mark = if decimal_comma { "," } else { "." };
    if groups_of_three && (marks.len() > 1 || *last_mark != decimal_mark) {
        return decimal(0);
    }
    let (decimals, whole) = groups.split_last()?;
    if is_apostrophe(last_mark) {
        return None;
    }
    let plain = before.is_empty();
    let grouped = before.iter().all(|mark| mark != last_mark && *mark == before[0]);
    (plain || grouped && thousands(whole)).then(|| decimal(decimals.len())).flatten()
}

/// The number made of some groups of digits, with `decimals` of them after the point.
fn decimal<'g>(groups: impl Iterator<Item = &'g str>, decimals: usize) -> Option<Decimal> {
    let digits = groups.flat_map(str::bytes);
    let mantissa = digits.fold(0, |sum: i128, digit| 10 * sum + i128::from(digit - b'0'));
    Decimal::try_from_i128_with_scale(mantissa, u32::try_from(decimals).ok()?).ok()
}

fn is_apostrophe(mark: &str) -> bool {
    matches!(mark, "'" | "’")
}

/// `40 000`: up to three digits and then groups of exactly three, a blank apart.
fn grouped_by_spaces(tokens: &Tokens<'_>, at: usize) -> Option<Literal> {
    let first = tokens.text(at);
    if first.len() > 3 || first.starts_with('0') {
        return None;
    }
    let mut digits = first.len();
    let mut next = at + 1;
    // A no-break blank is up to three bytes long.
    while tokens.is(next, Class::Digits)
        && tokens.text(next).len() == 3
        && (1..=3).contains(&tokens.gap(next))
        && digits < MOST_DIGITS
    {
        digits += 3;
        next += 1;
    }
    let runs_on = tokens.is(next, Class::Digits)
        || (tokens.glued(next) && matches!(tokens.text(next), "." | "-" | "/" | ":"))
            && tokens.is(next + 1, Class::Digits)
            && tokens.glued(next + 1);
    if next == at + 1 || runs_on {
        return None;
    }
    Some(Literal { value: decimal((at..next).map(|at| tokens.text(at)), 0)?, end: next })
}

/// The number with its exponent or power, if one is glued to it: `1e10`, `-12e-1`, `1,1^+23`.
fn exponent(tokens: &Tokens<'_>, base: Literal, decimal_comma: bool) -> Literal {
    let mark = tokens.text(base.end);
    if !matches!(mark, "e" | "^") || !tokens.glued(base.end) {
        return base;
    }
    let signed = matches!(tokens.text(base.end + 1), "+" | "-") && tokens.glued(base.end + 1);
    let digits = base.end + 1 + usize::from(signed);
    let power = tokens.text(digits).parse::<u32>().ok().filter(|power| *power <= 60);
    let Some(power) = power.filter(|_| tokens.glued(digits)) else { return base };
    if mark == "e" && literal(tokens, digits, decimal_comma).is_none_or(|l| l.end != digits + 1) {
        return base;
    }
    let factor = if mark == "e" { Decimal::TEN } else { base.value };
    let raised = (0..power).try_fold(Decimal::ONE, |product, _| product.checked_mul(factor));
    let negative = tokens.text(base.end + 1) == "-";
    let value = raised.and_then(|raised| match (mark, negative) {
        ("e", true) => base.value.checked_div(raised),
        ("e", false) => base.value.checked_mul(raised),
        (_, true) => Decimal::ONE.checked_div(raised),
        (_, false) => Some(raised),
    });
    value.map_or(base, |value| Literal { value: super::rounded(value), end: digits + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_custom_of_marks_is_read() {
        for (text, comma, value) in [
            ("1.234,56", true, "1234.56"),
            ("1,234.56", true, "1234.56"),
            ("1.234", true, "1234"),
            ("1.234", false, "1.234"),
            ("1,234", false, "1234"),
            ("4,800", true, "4.800"),
            ("5.00", true, "5.00"),
            ("1'000", true, "1000"),
            ("1'000.000", true, "1000000"),
            ("4'500.000,50", true, "4500000.50"),
            ("1'234,567.89", false, "1234567.89"),
            ("12'000.000.000", true, "12000000000"),
            ("1'000,50", true, "1000.50"),
            ("40 000", true, "40000"),
            ("1 000 000 000 000 000 000 000 000 000", true, "1000000000000000000000000000"),
            ("1.234.567", true, "1234567"),
            ("1,234,567", true, "1234567"),
            ("0.123", true, "0.123"),
            ("192.168.1.2", true, "192168"),
            ("1e10", true, "10000000000"),
        ] {
            let read = literal(&Tokens::new(text), 0, comma).unwrap();
            assert_eq!(read.value, value.parse().unwrap(), "{text}");
        }
    }

    #[test]
    fn four_digits_after_a_blank_are_another_number() {
        assert_eq!(literal(&Tokens::new("423 0000"), 0, true).unwrap().end, 1);
        assert!(literal(&Tokens::new(&"1".repeat(100)), 0, true).is_none());
    }
}
