//! Prices as people write them, `1.234,50` and `1234.50` alike, and never guessed at.

use rust_decimal::Decimal;

/// No currency has smaller parts.
const DECIMALS: u32 = 4;
/// More than anything costs, and little enough to be added up.
const MOST: i64 = 999_999_999_999;

/// Reads a price, or says what to write. `plain` ones have no separator but a decimal dot.
pub(super) fn read(text: &str, plain: bool) -> Result<Decimal, String> {
    let exact = if plain { Decimal::from_str_exact(text).ok() } else { None };
    let price = match exact {
        Some(price) => price,
        None => by_hand(text)?,
    };
    if price.is_sign_negative() && !price.is_zero() {
        return Err("a price cannot be below zero".to_owned());
    }
    if price > Decimal::from(MOST) {
        return Err("the price is too high: is a separator missing?".to_owned());
    }
    let price = price.normalize();
    match price.scale() <= DECIMALS {
        true => Ok(price),
        false => Err("a price has at most four decimals".to_owned()),
    }
}

/// Writes a price that is read back as the same one: `1.234` could be a thousand.
pub(super) fn write(price: Decimal) -> String {
    let price = price.normalize();
    match price.scale() {
        3 => format!("{price}0"),
        _ => price.to_string(),
    }
}

fn by_hand(text: &str) -> Result<Decimal, String> {
    let digits = text.strip_prefix('$').unwrap_or(text).trim_start();
    let (minus, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let (whole, decimals) = split(digits)?;
    let wrong = || "write a price like 1234.50 or 1.234,50".to_owned();
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(&whole) || !all_digits(decimals) {
        return Err(wrong());
    }
    Decimal::from_str_exact(&format!("{minus}{whole}.{decimals}0")).map_err(|_| wrong())
}

/// The digits before and after the decimal separator.
fn split(digits: &str) -> Result<(String, &str), String> {
    let separators: Vec<_> =
        digits.char_indices().filter(|(_, letter)| matches!(letter, '.' | ',')).collect();
    let Some((at, last)) = separators.last().copied() else {
        return Ok((digits.to_owned(), ""));
    };
    let (before, after) = (&digits[..at], &digits[at + 1..]);
    let others = separators.iter().filter(|(_, letter)| *letter != last).count();
    match (others, separators.len()) {
        (0, 1) => single(digits, before, after),
        (0, _) => Ok((ungrouped(digits, last)?, "")),
        // The last one is decimal, and the others group the thousands before it.
        (others, all) if others == all - 1 => {
            let group = if last == ',' { '.' } else { ',' };
            Ok((ungrouped(before, group)?, after))
        }
        _ => Err("its separators do not agree: write a price like 1234.50".to_owned()),
    }
}

/// A single separator: before three digits it may be either kind.
fn single<'a>(digits: &str, before: &str, after: &'a str) -> Result<(String, &'a str), String> {
    let thousands = after.len() == 3 && (1..=3).contains(&before.len()) && before != "0";
    if thousands {
        let (thousand, fraction) = (format!("{before}{after}"), format!("{before}.{after}0"));
        return Err(format!("`{digits}` may mean {thousand} or {fraction}: write one of these"));
    }
    Ok((before.to_owned(), after))
}

fn ungrouped(digits: &str, group: char) -> Result<String, String> {
    let mut groups = digits.split(group);
    let first = groups.next().unwrap_or_default();
    if (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3) {
        return Ok(digits.replace(group, ""));
    }
    Err("thousands are groups of three digits: write a price like 1.234.567,50".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_price_is_understood_however_it_is_written_or_refused_where_it_is_unclear() {
        for (text, expected) in [
            ("1250", Ok("1250")),
            ("0", Ok("0")),
            ("$ 1250", Ok("1250")),
            ("$1.234,50", Ok("1234.5")),
            ("1,234.50", Ok("1234.5")),
            ("1234.50", Ok("1234.5")),
            ("1234,50", Ok("1234.5")),
            ("1234,5", Ok("1234.5")),
            ("1234.500", Ok("1234.5")),
            ("1.234.567", Ok("1234567")),
            ("1,234,567", Ok("1234567")),
            ("1.234.567,89", Ok("1234567.89")),
            ("1,234,567.89", Ok("1234567.89")),
            ("0.125", Ok("0.125")),
            ("0,125", Ok("0.125")),
            ("12.3456", Ok("12.3456")),
            ("1.2340", Ok("1.234")),
            ("1.500.", Err("thousands are groups of three")),
            ("1.234", Err("`1.234` may mean 1234 or 1.2340: write one of these")),
            ("1,234", Err("`1,234` may mean 1234 or 1.2340: write one of these")),
            ("123.456", Err("`123.456` may mean 123456 or 123.4560: write one of these")),
            ("1.23.456", Err("thousands are groups of three")),
            ("1234.567,00", Err("thousands are groups of three")),
            ("1.234,567.89", Err("its separators do not agree")),
            ("1,234.567,89", Err("its separators do not agree")),
            ("12.34567", Err("a price has at most four decimals")),
            ("-5", Err("a price cannot be below zero")),
            ("$-5,00", Err("a price cannot be below zero")),
            ("mil", Err("write a price like")),
            ("", Err("write a price like")),
            ("$", Err("write a price like")),
            (".50", Err("write a price like")),
            ("1e5", Err("write a price like")),
            ("12 50", Err("write a price like")),
            ("1000000000000", Err("the price is too high")),
            ("99999999999999999999999999999999", Err("write a price like")),
        ] {
            match (read(text, false), expected) {
                (Ok(price), Ok(expected)) => assert_eq!(price.to_string(), expected, "{text}"),
                (Err(told), Err(expected)) => assert!(told.starts_with(expected), "{text}: {told}"),
                (came, expected) => panic!("{text}: {came:?}, not {expected:?}"),
            }
        }
        assert_eq!(read("1.234", true), Ok("1.234".parse().unwrap()));
        assert_eq!(read("1.234,50", true), Ok("1234.5".parse().unwrap()));
    }

    proptest! {
        #[test]
        fn a_price_that_is_written_reads_back_the_same(amount in 0_i64..1_000_000_000, scale in 0_u32..=4) {
            let price = Decimal::new(amount, scale).normalize();
            prop_assert_eq!(read(&write(price), false), Ok(price));
            prop_assert_eq!(read(&write(price), true), Ok(price));
        }

        #[test]
        fn no_text_makes_the_reader_fall(text in "[0-9.,$ -]{0,12}|\\PC{0,8}") {
            let _ = read(&text, false);
        }
    }
}
