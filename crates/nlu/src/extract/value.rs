//! The values that can be found in a message, each in the form that a tool or a form can use.

use std::ops::Range;

use rust_decimal::Decimal;

use super::dates::Moment;
use super::phone::Phone;

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Bytes of the original text, always at the edges of characters.
    pub span: Range<usize>,
    /// The text of the value, as written.
    pub text: String,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Email(String),
    Phone(Phone),
    /// The address as written; `https_url` completes one that lacks its scheme.
    Url(String),
    Number(Decimal),
    Ordinal(Ordinal),
    Percent(Decimal),
    Money {
        amount: Decimal,
        currency: Option<&'static str>,
    },
    /// A date, a time, a stretch of either or a length of time, with its possible readings.
    Moment(Moment),
    Name(String),
    Address(String),
    /// The canonical spelling of the list.
    City(String),
    Document {
        kind: DocumentKind,
        digits: String,
        valid: bool,
    },
    Quantity {
        amount: Decimal,
        unit: Option<&'static str>,
        of: String,
    },
    Boolean(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordinal {
    /// Counted from the first.
    Place(Decimal),
    /// Counted back from the last: zero is the last.
    FromEnd(u32),
    /// Counted from the current one: the next is one, the one before is minus one.
    FromCurrent(i32),
}

/// Identity and tax documents that are read and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// Argentine tax number, of people and companies.
    Cuit,
    /// The same number under the name that employees know.
    Cuil,
    /// Argentine identity document.
    Dni,
    /// Colombian tax number, with its check digit.
    Nit,
    /// Colombian identity card.
    Cedula,
}

impl DocumentKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuit => "cuit",
            Self::Cuil => "cuil",
            Self::Dni => "dni",
            Self::Nit => "nit",
            Self::Cedula => "cedula",
        }
    }
}

/// The kinds of value, to ask for some of them only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    Email,
    Phone,
    Url,
    Number,
    Ordinal,
    Percent,
    Money,
    Moment,
    Name,
    Address,
    City,
    Document,
    Quantity,
    Boolean,
}

impl ValueKind {
    pub const ALL: [Self; 14] = [
        Self::Email,
        Self::Phone,
        Self::Url,
        Self::Number,
        Self::Ordinal,
        Self::Percent,
        Self::Money,
        Self::Moment,
        Self::Name,
        Self::Address,
        Self::City,
        Self::Document,
        Self::Quantity,
        Self::Boolean,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Url => "url",
            Self::Number => "number",
            Self::Ordinal => "ordinal",
            Self::Percent => "percent",
            Self::Money => "money",
            Self::Moment => "moment",
            Self::Name => "name",
            Self::Address => "address",
            Self::City => "city",
            Self::Document => "document",
            Self::Quantity => "quantity",
            Self::Boolean => "boolean",
        }
    }

    /// The kind of a name such as `email`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Value {
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Email(_) => ValueKind::Email,
            Self::Phone(_) => ValueKind::Phone,
            Self::Url(_) => ValueKind::Url,
            Self::Number(_) => ValueKind::Number,
            Self::Ordinal(_) => ValueKind::Ordinal,
            Self::Percent(_) => ValueKind::Percent,
            Self::Money { .. } => ValueKind::Money,
            Self::Moment(_) => ValueKind::Moment,
            Self::Name(_) => ValueKind::Name,
            Self::Address(_) => ValueKind::Address,
            Self::City(_) => ValueKind::City,
            Self::Document { .. } => ValueKind::Document,
            Self::Quantity { .. } => ValueKind::Quantity,
            Self::Boolean(_) => ValueKind::Boolean,
        }
    }

    /// The value as one string, as a form would store it.
    pub fn canonical(&self) -> String {
        match self {
            Self::Email(text)
            | Self::Url(text)
            | Self::Name(text)
            | Self::Address(text)
            | Self::City(text) => text.clone(),
            Self::Phone(phone) => phone.canonical().to_owned(),
            Self::Number(value) | Self::Percent(value) => value.normalize().to_string(),
            Self::Ordinal(ordinal) => ordinal.canonical(),
            Self::Money { amount, .. } | Self::Quantity { amount, .. } => {
                amount.normalize().to_string()
            }
            Self::Moment(moment) => moment.canonical(),
            Self::Document { digits, .. } => digits.clone(),
            Self::Boolean(yes) => yes.to_string(),
        }
    }
}

impl Ordinal {
    fn canonical(self) -> String {
        match self {
            Self::Place(place) => place.normalize().to_string(),
            Self::FromEnd(0) => "end+0".to_owned(),
            Self::FromEnd(back) => format!("end-{back}"),
            Self::FromCurrent(offset) => format!("current{offset:+}"),
        }
    }
}
