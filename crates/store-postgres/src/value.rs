//! Values on the wire: parameters into the type each place wants, rows into cells.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use bytes::BytesMut;
use serde_json::Value;
use store::sql::{Cell, Param, Row};
use store::{StoreError, StoreResult};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use crate::error::from_postgres;

/// A parameter as the driver sends it. It prints without its value, which the client library
/// would otherwise write to a debug log.
pub(crate) struct Bound(pub(crate) Param);

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("?")
    }
}

impl ToSql for Bound {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (&self.0, ty) {
            (Param::Null, _) => Ok(IsNull::Yes),
            (Param::Int(value), &Type::INT8) => value.to_sql(ty, out),
            (Param::Int(value), &Type::INT4) => i32::try_from(*value)?.to_sql(ty, out),
            (Param::Int(value), &Type::INT2) => i16::try_from(*value)?.to_sql(ty, out),
            (Param::Int(value), &Type::BOOL) => (*value != 0).to_sql(ty, out),
            (Param::Int(value), &Type::FLOAT8) => (*value as f64).to_sql(ty, out),
            (Param::Real(value), &Type::FLOAT8) => value.to_sql(ty, out),
            (Param::Text(value), &Type::TEXT | &Type::VARCHAR) => storable(value).to_sql(ty, out),
            (Param::Uuid(value), &Type::UUID) => value.to_sql(ty, out),
            (Param::Json(value), &Type::JSONB | &Type::JSON) => {
                storable_json(value).to_sql(ty, out)
            }
            (param, ty) => Err(format!("{} given where {ty} is wanted", kind(param)).into()),
        }
    }

    // Null fits everywhere and the rest is refused above, with a text that names both sides.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn kind(param: &Param) -> &'static str {
    match param {
        Param::Null => "null",
        Param::Int(_) => "a number",
        Param::Real(_) => "a fraction",
        Param::Text(_) => "text",
        Param::Uuid(_) => "an id",
        Param::Json(_) => "json",
    }
}

/// PostgreSQL cannot store U+0000. A customer can send it, and must not stop a turn with it.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn storable_json(value: &Value) -> Cow<'_, Value> {
    if holds_nul(value) { Cow::Owned(without_nul(value)) } else { Cow::Borrowed(value) }
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains('\0') || holds_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn without_nul(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(without_nul).collect()),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (storable(key).into_owned(), without_nul(value)))
            .collect(),
        other => other.clone(),
    }
}

/// The cells of a row but for the first `skipped`.
pub(crate) fn decode(row: &tokio_postgres::Row, skipped: usize) -> StoreResult<Row> {
    (skipped..row.len()).map(|column| cell(row, column)).collect::<StoreResult<_>>().map(Row)
}

/// Whose a row is, of an answer to many.
pub(crate) fn place(row: &tokio_postgres::Row) -> Option<usize> {
    row.try_get::<_, i64>(0).ok().and_then(|place| usize::try_from(place).ok())
}

fn cell(row: &tokio_postgres::Row, column: usize) -> StoreResult<Cell> {
    let ty = row.columns()[column].type_();
    let cell = match *ty {
        Type::INT8 => row.try_get::<_, Option<i64>>(column).map(|v| v.map(Cell::Int)),
        Type::INT4 => row.try_get::<_, Option<i32>>(column).map(|v| v.map(|v| Cell::Int(v.into()))),
        Type::INT2 => row.try_get::<_, Option<i16>>(column).map(|v| v.map(|v| Cell::Int(v.into()))),
        Type::BOOL => {
            row.try_get::<_, Option<bool>>(column).map(|v| v.map(|v| Cell::Int(v.into())))
        }
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column).map(|v| v.map(Cell::Real)),
        Type::TEXT | Type::VARCHAR => {
            row.try_get::<_, Option<String>>(column).map(|v| v.map(Cell::Text))
        }
        Type::UUID => row.try_get::<_, Option<Uuid>>(column).map(|v| v.map(Cell::Uuid)),
        Type::JSON | Type::JSONB => {
            row.try_get::<_, Option<Value>>(column).map(|v| v.map(Cell::Json))
        }
        // What a function without a result returns.
        Type::VOID => Ok(None),
        _ => {
            return Err(StoreError::Unusable(format!(
                "column {column} of an answer has the type {ty}, which the store does not read; \
                 the statement should cast it"
            )));
        }
    };
    cell.map(|cell| cell.unwrap_or(Cell::Null)).map_err(|error| from_postgres(&error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_nul_character_is_replaced_wherever_it_hides() {
        assert_eq!(storable("a\0b"), "a\u{fffd}b");
        assert_eq!(
            *storable_json(&json!({"k\0": ["x\0", {"y": "\0"}], "n": 1})),
            json!({"k\u{fffd}": ["x\u{fffd}", {"y": "\u{fffd}"}], "n": 1})
        );
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused_without_being_shown() {
        let bound = Bound(Param::Text("+34600".to_owned()));
        let error = bound.to_sql(&Type::INT8, &mut BytesMut::new()).err().unwrap();
        assert_eq!(error.to_string(), "text given where int8 is wanted");
        assert!(!format!("{bound:?}").contains("34600"));
    }
}
