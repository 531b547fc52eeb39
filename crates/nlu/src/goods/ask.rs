//! What a message asks of a cart, as plain data.

use std::ops::Range;

use rust_decimal::Decimal;

use super::size::Size;

/// What is to be done with the goods named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Add,
    Remove,
    /// So many and no other number: `mejor que sean 4`.
    Set,
    /// Takes the place of [`Ask::instead_of`].
    Replace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Kilogram,
    Gram,
    Litre,
    Millilitre,
}

impl Unit {
    /// So much of it, as a size.
    pub fn size(self, value: Decimal) -> Option<Size> {
        match self {
            Self::Kilogram => thousand(value).map(Size::Grams),
            Self::Gram => whole(value).map(Size::Grams),
            Self::Litre => thousand(value).map(Size::Millilitres),
            Self::Millilitre => whole(value).map(Size::Millilitres),
        }
    }
}

/// How many, or how much of what is weighed or poured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    pub value: Decimal,
    /// None counts pieces.
    pub unit: Option<Unit>,
}

impl Quantity {
    pub fn pieces(value: impl Into<Decimal>) -> Self {
        Self { value: value.into(), unit: None }
    }
}

/// One thing that a message wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub act: Act,
    /// None where no number was said: `quiero coca`, `sacá las fantas`.
    pub quantity: Option<Quantity>,
    /// The goods as they were written, with their size; empty for what was last spoken of.
    pub what: String,
    /// The size among those words, or said of what was last spoken of: `3 de litro y medio`.
    pub size: Option<Size>,
    /// What a replacement takes the place of; empty for what was last spoken of.
    pub instead_of: Option<String>,
    /// A verb or a number asks for it. What is only named may be talk that sells nothing.
    pub sure: bool,
    /// It is a place of a list by itself, so that it is asked for even if nobody sells it.
    pub listed: bool,
    /// A number `de` something, which may leave out the noun of the ask before: `2 manaos de cola
    /// y otras 2 de naranja`.
    pub partitive: bool,
    /// Bytes of the message.
    pub span: Range<usize>,
}

impl Ask {
    /// What it asks for and how much of it, in words that are heard as the same.
    pub fn in_words(&self) -> String {
        let what = match self.size {
            // The number of a box is no word of the goods in it.
            Some(Size::Units(each)) => format!("cajas de {each} {}", self.what),
            _ => self.what.clone(),
        };
        let Some(Quantity { value, unit }) = self.quantity else { return what };
        let value = value.normalize();
        match unit {
            None => format!("{value} {what}"),
            Some(Unit::Kilogram) => format!("{value} kg de {what}"),
            Some(Unit::Gram) => format!("{value} g de {what}"),
            Some(Unit::Litre) => format!("{value} l de {what}"),
            Some(Unit::Millilitre) => format!("{value} ml de {what}"),
        }
    }
}

/// A part of a message that wants to know something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The goods it is about, as they were written; None where it is about none: `¿abren hoy?`.
    pub about: Option<String>,
    /// Bytes of the message.
    pub span: Range<usize>,
}

/// A message taken apart, each part in the order it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub asks: Vec<Ask>,
    pub questions: Vec<Question>,
    /// Some of it tells or says who writes, and is neither.
    pub talk: bool,
}

/// Thousandths as a whole number, if they are one.
pub(super) fn thousand(value: Decimal) -> Option<u32> {
    whole(value.checked_mul(Decimal::ONE_THOUSAND)?)
}

pub(super) fn whole(value: Decimal) -> Option<u32> {
    value.is_integer().then(|| u32::try_from(value).ok()).flatten().filter(|value| *value > 0)
}
