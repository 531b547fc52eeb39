//! Values on their way into and out of SQL, alike for both databases.

use domain::{
    ChannelId, ContactId, ConversationId, EventId, HandoffId, KeyId, NodeId, OrderId, OutboundId,
    Pii, SessionId, StepKey, TimerId, Timestamp, TurnId, WorkspaceId,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::{StoreError, StoreResult};

/// A parameter of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Uuid(Uuid),
    /// JSON, already written out by the caller, so that no thread of the database spends time on
    /// it.
    Json(String),
    /// A value that is no JSON, and why: a driver refuses its statement, since an empty column in its
    /// place would be lost data that nobody is told of.
    Unwritable(String),
}

macro_rules! params {
    ($($type:ty => |$value:ident| $param:expr;)*) => {$(
        impl From<$type> for Param {
            fn from($value: $type) -> Self {
                $param
            }
        }
    )*};
}

params! {
    i64 => |value| Self::Int(value);
    u32 => |value| Self::Int(value.into());
    i16 => |value| Self::Int(value.into());
    f64 => |value| Self::Real(value);
    &str => |value| Self::Text(value.to_owned());
    String => |value| Self::Text(value);
    &String => |value| Self::Text(value.clone());
    &Pii => |value| Self::Text(value.reveal().clone());
    &ChannelId => |value| Self::Text(value.0.clone());
    &StepKey => |value| Self::Text(value.0.clone());
    Timestamp => |value| Self::Int(value.millis());
    Uuid => |value| Self::Uuid(value);
    WorkspaceId => |value| Self::Uuid(value.0);
    ContactId => |value| Self::Uuid(value.0);
    ConversationId => |value| Self::Uuid(value.0);
    SessionId => |value| Self::Uuid(value.0);
    EventId => |value| Self::Uuid(value.0);
    TurnId => |value| Self::Uuid(value.0);
    OutboundId => |value| Self::Uuid(value.0);
    TimerId => |value| Self::Uuid(value.0);
    NodeId => |value| Self::Uuid(value.0);
    OrderId => |value| Self::Uuid(value.0);
    KeyId => |value| Self::Uuid(value.0);
    HandoffId => |value| Self::Uuid(value.0);
    Value => |value| Self::Json(value.to_string());
    &Value => |value| Self::Json(value.to_string());
}

impl<T: Into<Param>> From<Option<T>> for Param {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Param {
    /// A stored JSON document of any serialisable value.
    pub fn json(value: &impl serde::Serialize) -> Self {
        match serde_json::to_string(value) {
            Ok(text) => Self::Json(text),
            Err(error) => Self::Unwritable(error.to_string()),
        }
    }
}

/// A value of a row. JSON comes as text.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Uuid(Uuid),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub Vec<Cell>);

impl Row {
    fn wrong(&self, column: usize, wanted: &str) -> StoreError {
        let kind = match self.0.get(column) {
            None => "nothing",
            Some(Cell::Null) => "null",
            Some(Cell::Int(_)) => "a number",
            Some(Cell::Real(_)) => "a fraction",
            Some(Cell::Text(_)) => "text",
            Some(Cell::Uuid(_)) => "an id",
        };
        StoreError::Unusable(format!("stored row: column {column} holds {kind}, not {wanted}"))
    }

    pub fn is_null(&self, column: usize) -> bool {
        matches!(self.0.get(column), None | Some(Cell::Null))
    }

    pub fn int(&self, column: usize) -> StoreResult<i64> {
        match self.0.get(column) {
            Some(Cell::Int(value)) => Ok(*value),
            _ => Err(self.wrong(column, "a number")),
        }
    }

    pub fn count(&self, column: usize) -> StoreResult<u32> {
        u32::try_from(self.int(column)?).map_err(|_| self.wrong(column, "a count"))
    }

    pub fn uuid<T: From<Uuid>>(&self, column: usize) -> StoreResult<T> {
        match self.0.get(column) {
            Some(Cell::Uuid(value)) => Ok(T::from(*value)),
            _ => Err(self.wrong(column, "an id")),
        }
    }

    pub fn text(&self, column: usize) -> StoreResult<&str> {
        match self.0.get(column) {
            Some(Cell::Text(value)) => Ok(value),
            _ => Err(self.wrong(column, "text")),
        }
    }

    pub fn opt_text(&self, column: usize) -> StoreResult<Option<&str>> {
        if self.is_null(column) { Ok(None) } else { self.text(column).map(Some) }
    }

    pub fn pii(&self, column: usize) -> StoreResult<Pii> {
        self.text(column).map(Pii::from)
    }

    pub fn opt_pii(&self, column: usize) -> StoreResult<Option<Pii>> {
        Ok(self.opt_text(column)?.map(Pii::from))
    }

    pub fn time(&self, column: usize) -> StoreResult<Timestamp> {
        self.int(column).map(Timestamp::from_millis)
    }

    pub fn opt_time(&self, column: usize) -> StoreResult<Option<Timestamp>> {
        if self.is_null(column) { Ok(None) } else { self.time(column).map(Some) }
    }

    /// A word of a closed vocabulary.
    pub fn word<T>(&self, column: usize, parse: fn(&str) -> Option<T>) -> StoreResult<T> {
        parse(self.text(column)?).ok_or_else(|| self.wrong(column, "a known word"))
    }

    pub fn json<T: DeserializeOwned>(&self, column: usize) -> StoreResult<T> {
        match self.0.get(column) {
            Some(Cell::Text(text)) => serde_json::from_str(text).ok(),
            _ => None,
        }
        .ok_or_else(|| self.wrong(column, "the expected json"))
    }

    pub fn opt_json<T: DeserializeOwned>(&self, column: usize) -> StoreResult<Option<T>> {
        if self.is_null(column) { Ok(None) } else { self.json(column).map(Some) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_value_that_is_no_json_is_not_written_as_nothing() {
        let no_keys = BTreeMap::from([((1, 2), "x")]);
        assert!(matches!(Param::json(&no_keys), Param::Unwritable(_)));
        assert_eq!(Param::json(&["x"]), Param::Json("[\"x\"]".to_owned()));
    }
}
