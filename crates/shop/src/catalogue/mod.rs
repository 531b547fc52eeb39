//! The catalogue as a file that people edit: read with all its mistakes named, imported in batches,
//! exported so that it reads back equal.

mod assemble;
mod cells;
mod column;
mod export;
mod import;
mod price;
mod read_csv;
mod read_json;
mod write;

pub use export::{Page, page};
pub use import::{ImportProducts, RetireProducts};
pub use write::{write_csv, write_json};

use std::fmt;

use domain::Currency;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// A product as a file lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    pub product: String,
    pub name: String,
    pub category: String,
    pub brand: Option<String>,
    pub description: String,
    pub aliases: Vec<String>,
    pub variants: Vec<ListedVariant>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListedVariant {
    pub sku: String,
    pub label: String,
    pub price: Decimal,
    pub currency: Currency,
    /// Units for sale; none if the file does not say.
    pub stock: Option<u32>,
    pub aliases: Vec<String>,
    pub active: bool,
    /// Further data of the variant; none if the file cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
}

/// Where in a file something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    File,
    Line(u64),
    /// The product's place in the list, counted from 1, and its variant's; 0 is the product itself.
    Listed(u64, u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => write!(f, "the file"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Listed(product, 0) => write!(f, "product {product}"),
            Self::Listed(product, variant) => write!(f, "product {product}, variant {variant}"),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The mistake in a cell, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowError {
    pub place: Place,
    /// Empty if it is the whole row.
    pub column: String,
    pub value: String,
    pub problem: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if !self.column.is_empty() {
            write!(f, ", `{}`", self.column)?;
        }
        if !self.value.is_empty() {
            write!(f, " = {}", self.value)?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// A file as far as it could be read. Products that its errors touch are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    pub products: Vec<Listed>,
    /// In the order of the file.
    pub errors: Vec<RowError>,
}

/// Reads a file, JSON if it begins like that, else CSV.
pub fn read(bytes: &[u8]) -> Reading {
    let text = match cells::utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Reading { products: Vec::new(), errors: vec![error] },
    };
    let (rows, mut errors) = match text.trim_start().starts_with(['[', '{']) {
        true => read_json::rows(text),
        false => read_csv::rows(text),
    };
    let products = assemble::products(&rows, &mut errors);
    errors.sort_by_key(|error| error.place);
    Reading { products, errors }
}
