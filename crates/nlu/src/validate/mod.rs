//! Checks a field's value and gives its canonical form, or says in plain words why it is wrong.

mod document;
mod email;
mod invalid;
mod number;
mod pattern;
mod phone;
mod url;

pub use self::document::document_is_valid;
pub use self::invalid::Invalid;
pub use self::pattern::{Pattern, PatternError};

use crate::extract::{Country, DocumentKind};

/// The type of a form's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldType {
    Text,
    Email,
    Phone,
    Url,
    Number,
    Document(DocumentKind),
}

/// A valid value, in the form to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valid {
    pub canonical: String,
}

/// The most bytes of a field; more is a paste by mistake.
const LONGEST: usize = 10_000;

/// Checks a value as the customer gave it, as a whole: finding a value inside a text is extraction.
pub fn validate(field: FieldType, text: &str, country: Country) -> Result<Valid, Invalid> {
    if text.trim().is_empty() {
        return Err(Invalid::Empty);
    }
    if text.len() > LONGEST {
        return Err(Invalid::TooLong);
    }
    let canonical = match field {
        FieldType::Text => text.trim().to_owned(),
        FieldType::Email => email::canonical(text)?,
        FieldType::Phone => phone::canonical(text.trim(), country)?,
        FieldType::Url => url::canonical(text.trim())?,
        FieldType::Number => number::canonical(text, country)?,
        FieldType::Document(kind) => document::canonical(kind, text)?,
    };
    Ok(Valid { canonical })
}
