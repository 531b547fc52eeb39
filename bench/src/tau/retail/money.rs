//! Amounts: JSON numbers in the records, exact decimals while they are reckoned with.

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serializer, de};

pub(super) fn serialize<S: Serializer>(amount: &Decimal, to: S) -> Result<S::Ok, S::Error> {
    // Two decimals survive the way through a double and back.
    let number = amount.normalize().to_string().parse::<f64>();
    to.serialize_f64(number.map_err(serde::ser::Error::custom)?)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
    let number = f64::deserialize(from)?;
    number.to_string().parse().map_err(de::Error::custom)
}

/// The same for an amount that may be missing.
pub(super) mod optional {
    use super::*;

    #[expect(clippy::ref_option, reason = "serde passes a reference")]
    pub(in super::super) fn serialize<S: Serializer>(
        amount: &Option<Decimal>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match amount {
            Some(amount) => super::serialize(amount, to),
            None => to.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Decimal>, D::Error> {
        let number = Option::<f64>::deserialize(from)?;
        number.map(|number| number.to_string().parse().map_err(de::Error::custom)).transpose()
    }
}
