//! The terms that a customer agrees to: the goods of a call, their prices, and all else that must not
//! change.

use std::fmt::Write;

use async_trait::async_trait;
use domain::{Currency, Terms, TermsItem};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{DeedError, Records};

/// A call that a customer must have agreed to before it is made.
#[async_trait]
pub trait NeedsYes: Send + Sync {
    /// The terms that the call would come to now. None: as things stand, no yes is needed for it.
    async fn terms(&self, records: &mut dyn Records) -> Result<Option<Terms>, DeedError>;
}

/// A line of the terms that are agreed to.
pub struct TermsLine<'a> {
    pub code: &'a str,
    pub title: &'a str,
    pub quantity: u32,
    pub unit_price: Decimal,
}

/// The terms of an amount of goods; `about` is all else that must not change.
pub fn terms<'a>(
    lines: impl IntoIterator<Item = TermsLine<'a>>,
    total: Decimal,
    currency: Currency,
    about: &Value,
) -> Terms {
    let mut items = Vec::new();
    let mut priced = Vec::new();
    for TermsLine { code, title, quantity, unit_price } in lines {
        priced.push(json!([code, quantity, unit_price.normalize().to_string()]));
        items.push(TermsItem { code: code.to_owned(), title: title.to_owned(), quantity });
    }
    let total = total.normalize();
    let said = json!([priced, total.to_string(), currency, about]);
    Terms { items, total: Some(total), currency: Some(currency), digest: digest(&said) }
}

/// The digest of what a call comes to: equal values have equal ones.
pub fn digest(said: &Value) -> String {
    // Objects are written with their keys in order, so equal values have equal texts.
    let hash = Sha256::digest(said.to_string().as_bytes());
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
