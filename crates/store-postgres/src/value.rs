//! Values on the wire: parameters into the type each place wants, rows into cells.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use bytes::{BufMut, BytesMut};
use store::sql::{Cell, Param, Row};
use store::{StoreError, StoreResult};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};
use uuid::Uuid;

use crate::error::from_postgres;

/// A parameter as the driver sends it. `Debug` prints it without its value, because the client
/// library would otherwise write the value to a debug log.
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
            (Param::Unwritable(reason), _) => Err(reason.as_str().into()),
            (Param::Int(value), &Type::INT8) => value.to_sql(ty, out),
            (Param::Int(value), &Type::INT4) => i32::try_from(*value)?.to_sql(ty, out),
            (Param::Int(value), &Type::INT2) => i16::try_from(*value)?.to_sql(ty, out),
            (Param::Int(value), &Type::BOOL) => (*value != 0).to_sql(ty, out),
            (Param::Int(value), &Type::FLOAT8) => (*value as f64).to_sql(ty, out),
            (Param::Real(value), &Type::FLOAT8) => value.to_sql(ty, out),
            (Param::Text(value), &Type::TEXT | &Type::VARCHAR) => storable(value).to_sql(ty, out),
            (Param::Uuid(value), &Type::UUID) => value.to_sql(ty, out),
            (Param::Json(text), &Type::JSONB | &Type::JSON) => {
                if *ty == Type::JSONB {
                    out.put_u8(1);
                }
                out.put_slice(storable_json(text).as_bytes());
                Ok(IsNull::No)
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
        Param::Json(_) | Param::Unwritable(_) => "json",
    }
}

/// The text with U+0000 replaced, because PostgreSQL cannot store it. A customer can send it, and
/// must not stop a turn with it.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A JSON text with U+0000 replaced, which in JSON is only ever an escape. After an escaped
/// backslash, `u0000` is plain text.
fn storable_json(text: &str) -> Cow<'_, str> {
    const NUL: &str = "\\u0000";
    if !text.contains(NUL) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        safe.push_str(before);
        // An escape is a backslash and one character, or `u` and four digits.
        let (escape, after) = escape.split_at(if escape.starts_with(NUL) { NUL.len() } else { 2 });
        safe.push_str(if escape == NUL { "\\ufffd" } else { escape });
        rest = after;
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

/// The text of a JSON document, as the database sends it.
struct JsonText(String);

impl<'a> FromSql<'a> for JsonText {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let text = match (ty, raw) {
            // The first byte is the version of the format, of which there is one.
            (&Type::JSONB, [1, text @ ..]) => text,
            (&Type::JSONB, _) => return Err("an unknown version of jsonb".into()),
            (_, text) => text,
        };
        Ok(Self(std::str::from_utf8(text)?.to_owned()))
    }

    accepts!(JSON, JSONB);
}

/// The cells of a row but for the first `skipped`.
pub(crate) fn decode(row: &tokio_postgres::Row, skipped: usize) -> StoreResult<Row> {
    (skipped..row.len()).map(|column| cell(row, column)).collect::<StoreResult<_>>().map(Row)
}

/// The caller's place in a row of an answer to many.
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
            row.try_get::<_, Option<JsonText>>(column).map(|v| v.map(|v| Cell::Text(v.0)))
        }
        // VOID is the type of a function without a result.
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
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_nul_character_is_replaced_wherever_it_hides() {
        assert_eq!(storable("a\0b"), "a\u{fffd}b");
        let clean = |value: Value| -> Value {
            serde_json::from_str(&storable_json(&value.to_string())).unwrap()
        };
        assert_eq!(
            clean(json!({"k\0": ["x\0", {"y": "\0"}], "n": 1})),
            json!({"k\u{fffd}": ["x\u{fffd}", {"y": "\u{fffd}"}], "n": 1})
        );
        let written = [r"\u0000", r"\\u0000", "\\\0", "\0\\u0000", "ñ\0\"\\", "\u{1}\0"];
        for text in written {
            assert_eq!(clean(json!(text)), json!(text.replace('\0', "\u{fffd}")), "{text:?}");
        }
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused_without_being_shown() {
        let bound = Bound(Param::Text("+34600".to_owned()));
        let error = bound.to_sql(&Type::INT8, &mut BytesMut::new()).err().unwrap();
        assert_eq!(error.to_string(), "text given where int8 is wanted");
        assert!(!format!("{bound:?}").contains("34600"));
    }
}
