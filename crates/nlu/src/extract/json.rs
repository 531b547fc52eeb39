//! The JSON form of a found value: a flat object with its kind, its place and its value.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::dates::{At, Reading};
use super::value::{Found, Value};

impl Serialize for Found {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let kind = match &self.value {
            Value::Moment(moment) => moment.kind.name(),
            value => value.kind().name(),
        };
        map.serialize_entry("kind", kind)?;
        map.serialize_entry("text", &self.text)?;
        map.serialize_entry("start", &self.span.start)?;
        map.serialize_entry("end", &self.span.end)?;
        match &self.value {
            Value::Boolean(yes) => map.serialize_entry("value", yes)?,
            value => map.serialize_entry("value", &value.canonical())?,
        }
        match &self.value {
            Value::Phone(phone) => {
                map.serialize_entry("e164", &phone.e164)?;
                map.serialize_entry("region", &phone.region)?;
                map.serialize_entry("valid", &phone.valid)?;
                map.serialize_entry("possible", &phone.possible)?;
            }
            Value::Money { currency, .. } => map.serialize_entry("unit", currency)?,
            Value::Quantity { unit, of, .. } => {
                map.serialize_entry("unit", unit)?;
                map.serialize_entry("of", of)?;
            }
            Value::Document { kind, valid, .. } => {
                map.serialize_entry("document", kind.name())?;
                map.serialize_entry("valid", valid)?;
            }
            Value::Moment(moment) => {
                map.serialize_entry("timex", moment.readings.first().map_or("", |r| &r.timex))?;
                map.serialize_entry("values", &moment.readings)?;
            }
            _ => {}
        }
        map.end()
    }
}

impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("timex", &self.timex)?;
        map.serialize_entry("type", self.kind.name())?;
        if let Some(modifier) = self.modifier {
            map.serialize_entry("Mod", modifier)?;
        }
        match &self.at {
            At::Point(point) => map.serialize_entry("value", &point.to_string())?,
            At::Seconds(seconds) => {
                map.serialize_entry("value", &seconds.normalize().to_string())?
            }
            At::Between { start, end } => {
                if let Some(start) = start {
                    map.serialize_entry("start", &start.to_string())?;
                }
                if let Some(end) = end {
                    map.serialize_entry("end", &end.to_string())?;
                }
            }
            At::Unresolved => map.serialize_entry("value", "not resolved")?,
        }
        map.end()
    }
}
