//! Money, items and orders as tools tell them: amounts as text that needs no arithmetic.

use domain::{Currency, Item, Money, MoneyError, Order, OrderLine, money_text};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use store::DeedError;

use crate::number::order_code;

/// An amount as it is stored nowhere else: without the zeros that a database may have added.
pub(crate) fn amount(amount: Decimal) -> String {
    amount.normalize().to_string()
}

/// The field itself, its currency's own text beside it: `total`, `total_text`.
pub(crate) fn put_money(view: &mut Map<String, Value>, name: &str, money: Money) {
    view.insert(name.to_owned(), json!(amount(money.amount)));
    view.insert(format!("{name}_text"), json!(money_text(money)));
}

/// The sum of quantities at their prices, in one currency.
pub(crate) fn sum(
    currency: Currency,
    lines: impl IntoIterator<Item = (u32, Decimal)>,
) -> Result<Money, DeedError> {
    let add = |sum: Money, (quantity, price)| {
        sum.checked_add(Money::new(price, currency).times(quantity)?)
    };
    let total = lines.into_iter().try_fold(Money::new(Decimal::ZERO, currency), add);
    total.map_err(|error: MoneyError| DeedError::Refused(error.to_string()))
}

pub(crate) fn item(item: &Item) -> Value {
    let mut view = Map::new();
    view.insert("sku".to_owned(), json!(item.sku));
    view.insert("product".to_owned(), json!(item.product));
    view.insert("title".to_owned(), json!(item.title()));
    view.insert("label".to_owned(), json!(item.label));
    view.insert("category".to_owned(), json!(item.category));
    view.insert("brand".to_owned(), json!(item.brand));
    put_money(&mut view, "price", item.price);
    view.insert("currency".to_owned(), json!(item.price.currency));
    view.insert("available".to_owned(), json!(item.available));
    Value::Object(view)
}

pub(crate) fn items(all: &[Item]) -> Vec<Value> {
    all.iter().map(item).collect()
}

/// A line of a cart or an order.
pub(crate) fn line(
    sku: &str,
    title: &str,
    quantity: u32,
    price: Money,
) -> Result<Value, DeedError> {
    let mut view = Map::new();
    view.insert("sku".to_owned(), json!(sku));
    view.insert("title".to_owned(), json!(title));
    view.insert("quantity".to_owned(), json!(quantity));
    put_money(&mut view, "unit_price", price);
    put_money(&mut view, "subtotal", sum(price.currency, [(quantity, price.amount)])?);
    Ok(Value::Object(view))
}

/// Lines in a few words, such as `2x Coca-Cola 1,5 L, 1x Fanta`.
pub(crate) fn summary<'a>(lines: impl IntoIterator<Item = (u32, &'a str)>) -> String {
    let words = lines.into_iter().map(|(quantity, title)| format!("{quantity}x {title}"));
    words.collect::<Vec<_>>().join(", ")
}

pub(crate) fn order(order: &Order) -> Result<Value, DeedError> {
    let of = |one: &OrderLine| {
        line(&one.product, &one.title, one.quantity, Money::new(one.unit_price, order.currency))
    };
    let lines = order.lines.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let mut view = Map::new();
    view.insert("order".to_owned(), json!(order.id));
    view.insert("number".to_owned(), json!(order.number));
    view.insert("code".to_owned(), json!(order_code(order.number)));
    view.insert("status".to_owned(), json!(order.status));
    view.insert("processed".to_owned(), json!(order.status.is_processed()));
    view.insert("lines".to_owned(), json!(lines));
    let words = order.lines.iter().map(|one| (one.quantity, one.title.as_str()));
    view.insert("summary".to_owned(), json!(summary(words)));
    put_money(&mut view, "total", Money::new(order.total, order.currency));
    view.insert("currency".to_owned(), json!(order.currency));
    view.insert("created_at".to_owned(), json!(order.created_at.to_string()));
    for name in ["delivery", "shipping_address", "notes"] {
        if let Some(value) = order.data.get(name) {
            view.insert(name.to_owned(), value.clone());
        }
    }
    Ok(Value::Object(view))
}
