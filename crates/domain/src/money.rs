//! Amounts of money in exact decimals; adding two currencies is an error, never a guess.

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An ISO 4217 code, such as `COP`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    pub amount: Decimal,
    pub currency: Currency,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum MoneyError {
    #[error("`{0}` is not a currency code: three capital letters such as COP")]
    NotACurrency(String),
    #[error("{0} and {1} cannot be added: different currencies")]
    MixedCurrencies(Currency, Currency),
    #[error("the amount is too large")]
    Overflow,
}

impl Money {
    pub fn new(amount: Decimal, currency: Currency) -> Self {
        Self { amount, currency }
    }

    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        if self.currency != other.currency {
            return Err(MoneyError::MixedCurrencies(self.currency, other.currency));
        }
        let amount = self.amount.checked_add(other.amount).ok_or(MoneyError::Overflow)?;
        Ok(Self { amount, ..self })
    }

    pub fn times(self, quantity: u32) -> Result<Self, MoneyError> {
        let amount = self.amount.checked_mul(quantity.into()).ok_or(MoneyError::Overflow)?;
        Ok(Self { amount, ..self })
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.currency, self.amount)
    }
}

/// An amount as people in Argentina and Colombia read it, such as `$1.234,50`. No decimal is lost;
/// other currencies show their code, so that a dollar is never taken for a peso.
pub fn money_text(money: Money) -> String {
    let sign = match money.currency.to_string().as_str() {
        "ARS" | "COP" => "$".to_owned(),
        code => format!("{code} "),
    };
    let amount = money.amount.abs().normalize().to_string();
    let (whole, decimals) = amount.split_once('.').unwrap_or((&amount, ""));
    let decimals = match decimals {
        "" => String::new(),
        decimals => format!(",{decimals:0<2}"),
    };
    let minus = if money.amount < Decimal::ZERO { "-" } else { "" };
    format!("{minus}{sign}{}{decimals}", with_dots(whole))
}

/// A dot before every three digits from the right.
fn with_dots(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    text
}

impl FromStr for Currency {
    type Err = MoneyError;

    fn from_str(code: &str) -> Result<Self, MoneyError> {
        match <[u8; 3]>::try_from(code.as_bytes()) {
            Ok(letters) if letters.iter().all(u8::is_ascii_uppercase) => Ok(Self(letters)),
            _ => Err(MoneyError::NotACurrency(code.to_owned())),
        }
    }
}

impl TryFrom<String> for Currency {
    type Error = MoneyError;

    fn try_from(code: String) -> Result<Self, MoneyError> {
        code.parse()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.to_string()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|letter| write!(f, "{}", char::from(*letter)))
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cop(amount: &str) -> Money {
        Money::new(amount.parse().unwrap(), "COP".parse().unwrap())
    }

    #[test]
    fn tenths_add_up_exactly() {
        let total = (0..10).try_fold(cop("0"), |sum, _| sum.checked_add(cop("0.1"))).unwrap();
        assert_eq!(total.to_string(), "COP 1.0");
        assert_eq!(cop("77900").times(3).unwrap(), cop("233700"));
    }

    #[test]
    fn two_currencies_never_add() {
        let usd = Money::new(1.into(), "USD".parse().unwrap());
        assert!(matches!(cop("1").checked_add(usd), Err(MoneyError::MixedCurrencies(..))));
        assert!("pesos".parse::<Currency>().is_err());
    }

    #[test]
    fn an_amount_reads_as_people_write_it() {
        for (amount, code, text) in [
            ("0", "ARS", "$0"),
            ("0.00", "ARS", "$0"),
            ("7", "ARS", "$7"),
            ("999", "COP", "$999"),
            ("1000", "ARS", "$1.000"),
            ("2500.00", "ARS", "$2.500"),
            ("1234.5", "ARS", "$1.234,50"),
            ("1234.56", "ARS", "$1.234,56"),
            ("0.05", "ARS", "$0,05"),
            ("0.125", "ARS", "$0,125"),
            ("123456789", "COP", "$123.456.789"),
            ("-2500", "ARS", "-$2.500"),
            ("-0.5", "USD", "-USD 0,50"),
            ("1234.5", "USD", "USD 1.234,50"),
        ] {
            let money = Money::new(amount.parse().unwrap(), code.parse().unwrap());
            assert_eq!(money_text(money), text);
        }
    }
}
