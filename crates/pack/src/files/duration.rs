//! Durations as packs write them: `90s`, `30m`, `4h`, `2d`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A year and more is a mistake.
const MAX_MS: i64 = 400 * 86_400_000;

/// A length of time, such as 90s, 30m, 4h or 2d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(i64);

impl Duration {
    pub const fn from_minutes(minutes: i64) -> Self {
        Self(minutes * 60_000)
    }

    pub const fn ms(self) -> i64 {
        self.0
    }
}

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("`{text}` is not a length of time; write 90s, 30m, 4h or 2d");
        let unit = text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(refused)?;
        let (amount, unit) = text.split_at(unit);
        let unit_ms = match unit.trim() {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(refused()),
        };
        if amount.is_empty() {
            return Err(refused());
        }
        let ms = amount.parse::<i64>().ok().and_then(|amount| amount.checked_mul(unit_ms));
        let too_long = || format!("`{text}` is too long; the longest is 400d");
        ms.filter(|ms| *ms <= MAX_MS).map(Self).ok_or_else(too_long)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)];
        match units.into_iter().find(|(_, ms)| self.0 >= *ms && self.0 % ms == 0) {
            Some((unit, ms)) => write!(f, "{}{unit}", self.0 / ms),
            None => write!(f, "{}ms", self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A length of time, such as 90s, 30m, 4h or 2d.",
            "format": "length-of-time",
            "pattern": "^[0-9]+ ?(ms|s|m|min|h|d)$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_unit_and_nothing_else() {
        for (text, ms) in [("90s", 90_000), ("6m", 360_000), ("2 h", 7_200_000), ("1d", 86_400_000)]
        {
            assert_eq!(text.parse::<Duration>().map(Duration::ms), Ok(ms), "{text}");
        }
        for bad in ["", "6", "m", "-3m", "6 años", "99999999999999d", "1.5h", "401d"] {
            assert!(bad.parse::<Duration>().is_err(), "{bad}");
        }
    }

    #[test]
    fn durations_are_written_in_their_largest_whole_unit() {
        for text in ["90s", "6m", "2h", "1d", "5ms"] {
            assert_eq!(text.parse::<Duration>().unwrap().to_string(), text);
        }
    }
}
