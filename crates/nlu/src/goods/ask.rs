//! The asks and questions of a message about a cart, as plain data.

use std::ops::Range;

use rust_decimal::Decimal;

use super::size::Size;

/// The change to the cart that an ask wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Add,
    Remove,
    /// Sets the quantity to this number: `mejor que sean 4`.
    Set,
    /// Puts the goods in the place of [`Ask::instead_of`].
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
    /// An amount of this unit, as a size.
    pub fn size(self, value: Decimal) -> Option<Size> {
        match self {
            Self::Kilogram => thousand(value).map(Size::Grams),
            Self::Gram => whole(value).map(Size::Grams),
            Self::Litre => thousand(value).map(Size::Millilitres),
            Self::Millilitre => whole(value).map(Size::Millilitres),
        }
    }
}

/// A number of pieces, or an amount of goods that are weighed or poured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    pub value: Decimal,
    /// `None` counts pieces.
    pub unit: Option<Unit>,
}

impl Quantity {
    pub fn pieces(value: impl Into<Decimal>) -> Self {
        Self { value: value.into(), unit: None }
    }
}

/// A change to the cart that a message asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub act: Act,
    /// `None` if no number was said: `quiero coca`, `sacá las fantas`.
    pub quantity: Option<Quantity>,
    /// The goods as they were written, with their size; empty for the goods last named.
    pub what: String,
    /// The size among those words, or a size for the goods last named: `3 de litro y medio`.
    pub size: Option<Size>,
    /// The goods to be replaced; empty for the goods last named.
    pub instead_of: Option<String>,
    /// Whether a verb or a number asks for the goods. Goods that are only named may be words about
    /// something else.
    pub sure: bool,
    /// Whether the goods are an entry of a list, so that they are asked for even if nobody sells
    /// them.
    pub listed: bool,
    /// Whether a number stands before `de`, so that the noun of the ask before may be left out: `2
    /// manaos de cola y otras 2 de naranja`.
    pub partitive: bool,
    /// Bytes of the message.
    pub span: Range<usize>,
}

impl Ask {
    /// The goods and their quantity, in words that parse to the same ask.
    pub fn in_words(&self) -> String {
        let what = match self.size {
            // The number in a box is not part of the goods' name.
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

/// A part of a message that asks something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The goods that the question is about, as they were written; `None` if it is about none:
    /// `¿abren hoy?`.
    pub about: Option<String>,
    /// Bytes of the message.
    pub span: Range<usize>,
}

/// A parsed message, its parts in the order they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub asks: Vec<Ask>,
    pub questions: Vec<Question>,
    /// Whether a part of the message is neither ask nor question, such as a report or the writer's
    /// name.
    pub talk: bool,
}

/// Thousandths as a whole number, if they are one.
pub(super) fn thousand(value: Decimal) -> Option<u32> {
    whole(value.checked_mul(Decimal::ONE_THOUSAND)?)
}

pub(super) fn whole(value: Decimal) -> Option<u32> {
    value.is_integer().then(|| u32::try_from(value).ok()).flatten().filter(|value| *value > 0)
}
