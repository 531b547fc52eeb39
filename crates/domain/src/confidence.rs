//! A probability between 0 and 1; people see it in per cent.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

#[derive(Debug, Error, PartialEq)]
#[error("a confidence lies between 0 and 1, not {0}")]
pub struct OutOfRange(pub f64);

impl Confidence {
    pub const NONE: Self = Self(0.0);
    pub const CERTAIN: Self = Self(1.0);

    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Confidence {
    type Error = OutOfRange;

    fn try_from(value: f64) -> Result<Self, OutOfRange> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(OutOfRange(value)) }
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> Self {
        confidence.0
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} %", self.0 * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_from_zero_to_one_are_confidences() {
        for bad in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
            assert!(Confidence::try_from(bad).is_err(), "{bad}");
        }
        assert_eq!(Confidence::try_from(0.93).unwrap().to_string(), "93 %");
    }
}
