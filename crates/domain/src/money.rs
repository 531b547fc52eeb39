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
}
