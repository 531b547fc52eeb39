//! Orders, filled-in forms and payments, as both WhatsApp channels write them.

use domain::{Answer, Basket, Content, PaymentNews, Picked};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::entries::entries;
use crate::fields::{self, Raw};

#[derive(Deserialize)]
struct Order<'a> {
    #[serde(borrow, alias = "catalogId")]
    catalog_id: Raw<'a>,
    #[serde(borrow, alias = "productItems")]
    product_items: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, alias = "productRetailerId")]
    product_retailer_id: Raw<'a>,
    #[serde(borrow)]
    quantity: Raw<'a>,
    #[serde(borrow, alias = "itemPrice")]
    item_price: Raw<'a>,
    #[serde(borrow)]
    currency: Raw<'a>,
}

/// The goods picked from a catalogue. An item without its goods or its number is no order.
pub(crate) fn basket(raw: Raw<'_>, name: &str) -> Result<Content, String> {
    let order: Order<'_> = fields::object(raw.ok_or_else(|| format!("{name} is missing"))?, name)?;
    let items: Vec<&RawValue> = match order.product_items {
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|_| "the order's items are not a list".to_owned())?,
        None => Vec::new(),
    };
    Ok(Content::Basket(Basket {
        catalog: fields::literal(order.catalog_id),
        items: items.into_iter().map(picked).collect::<Result<_, _>>()?,
        note: fields::string(order.text, "the order's text")?
            .filter(|note| !note.is_empty())
            .map(Into::into),
    }))
}

fn picked(raw: &RawValue) -> Result<Picked, String> {
    let item: Item<'_> = fields::object(raw, "an item of the order")?;
    let quantity = fields::literal(item.quantity).and_then(|quantity| quantity.parse().ok());
    Ok(Picked {
        sku: fields::id(item.product_retailer_id, "an item's product_retailer_id")?,
        quantity: quantity.ok_or("an item's quantity is not a whole number")?,
        price: fields::literal(item.item_price),
        currency: fields::literal(item.currency),
    })
}

/// The answers of a filled-in form, from a JSON object or a text that is one.
pub(crate) fn form(name: Option<String>, response: Raw<'_>) -> Content {
    let text = match response {
        Some(raw) if raw.get().starts_with('"') => {
            serde_json::from_str(raw.get()).unwrap_or_default()
        }
        Some(raw) => raw.get().to_owned(),
        None => String::new(),
    };
    let answer = |(field, value): (String, String)| Answer {
        field: if field.is_empty() { "response".to_owned() } else { field },
        value: value.into(),
    };
    Content::Form { name, answers: entries(&text).into_iter().map(answer).collect() }
}

#[derive(Deserialize)]
struct Payment<'a> {
    #[serde(borrow, alias = "referenceId")]
    reference_id: Raw<'a>,
    #[serde(borrow, alias = "paymentId")]
    payment_id: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow, alias = "totalAmount")]
    amount: Raw<'a>,
    #[serde(borrow)]
    currency: Raw<'a>,
    #[serde(borrow, alias = "transactionId")]
    transaction_id: Raw<'a>,
    #[serde(borrow)]
    transaction: Raw<'a>,
}

#[derive(Deserialize)]
struct Transaction<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
}

#[derive(Deserialize)]
struct Amount<'a> {
    #[serde(borrow)]
    value: Raw<'a>,
    #[serde(borrow)]
    offset: Raw<'a>,
}

/// The news of a payment; the status may stand beside it.
pub(crate) fn payment(
    raw: Raw<'_>,
    status: Option<String>,
    name: &str,
) -> Result<PaymentNews, String> {
    let payment: Payment<'_> =
        fields::object(raw.ok_or_else(|| format!("{name} is missing"))?, name)?;
    let transaction = payment.transaction.and_then(|raw| {
        let transaction: Transaction<'_> = fields::object(raw, "transaction").ok()?;
        fields::literal(transaction.id)
    });
    Ok(PaymentNews {
        reference: fields::literal(payment.reference_id),
        payment: fields::literal(payment.payment_id),
        transaction: fields::literal(payment.transaction_id).or(transaction),
        status: status.or_else(|| fields::literal(payment.status)),
        amount: amount(payment.amount),
        currency: fields::literal(payment.currency),
    })
}

/// A sum in parts of its currency's unit, of which `offset` make one: 12500 of 100 are 125.00.
fn amount(raw: Raw<'_>) -> Option<String> {
    let Ok(amount) = fields::object::<Amount<'_>>(raw?, "amount") else {
        return fields::literal(raw);
    };
    let value = fields::literal(amount.value)?;
    let offset: Option<u64> = fields::literal(amount.offset).and_then(|offset| offset.parse().ok());
    let places = offset.and_then(|offset| {
        let places = (0..=6).find(|places| 10_u64.pow(*places) == offset)?;
        usize::try_from(places).ok()
    });
    let parts: Option<u64> = value.parse().ok();
    Some(match (parts, offset, places) {
        (Some(parts), Some(offset), Some(places)) if places > 0 => {
            format!("{}.{:0places$}", parts / offset, parts % offset)
        }
        (_, Some(offset), None) => format!("{value} of {offset}"),
        _ => value,
    })
}
