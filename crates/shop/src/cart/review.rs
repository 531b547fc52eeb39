//! Holding a cart against the shelf: what is gone, what costs something else now, what is short.

use std::collections::BTreeMap;

use domain::{Cart, CartLine, Item, SessionId, money_text};
use serde_json::{Map, Value, json};
use store::{DeedError, Records, StoreResult};

use crate::view;

/// A cart as it is today, and what became of it since it was last written.
pub(crate) struct Reviewed {
    pub(crate) cart: Cart,
    /// The items that the lines are of.
    pub(crate) items: BTreeMap<String, Item>,
    /// Lines that are not in it any more.
    pub(crate) dropped: Vec<CartLine>,
    /// The prices of lines before.
    repriced: Vec<CartLine>,
}

impl Reviewed {
    pub(crate) async fn read(records: &mut dyn Records, session: SessionId) -> StoreResult<Self> {
        let cart = records.cart(session).await?;
        Self::of(records, cart).await
    }

    /// A line in another currency than the first is dropped too: the two cannot be added.
    async fn of(records: &mut dyn Records, cart: Cart) -> StoreResult<Self> {
        let skus: Vec<_> = cart.lines.iter().map(|line| line.sku.clone()).collect();
        let sold = records.items(&skus).await?;
        let items: BTreeMap<_, _> = sold.into_iter().map(|item| (item.sku.clone(), item)).collect();
        let Cart { lines, notes } = cart;
        let cart = Cart { lines: Vec::new(), notes };
        let mut reviewed = Self { cart, items, dropped: Vec::new(), repriced: Vec::new() };
        for line in lines {
            reviewed.take(line);
        }
        Ok(reviewed)
    }

    fn take(&mut self, line: CartLine) {
        let item = self.items.get(&line.sku).filter(|item| self.fits(item));
        let Some(item) = item else {
            return self.dropped.push(line);
        };
        let today = line_of(item, line.quantity);
        if today.unit_price != line.unit_price {
            self.repriced.push(line);
        }
        self.cart.lines.push(today);
    }

    /// Whether an item is sold in the cart's currency.
    pub(crate) fn fits(&self, item: &Item) -> bool {
        let first = self.cart.lines.first();
        first.is_none_or(|first| first.unit_price.currency == item.price.currency)
    }

    pub(crate) fn quantity(&self, sku: &str) -> u32 {
        self.cart.lines.iter().find(|line| line.sku == sku).map_or(0, |line| line.quantity)
    }

    /// Gives an item's line this quantity; a new line goes to the end.
    pub(crate) fn set(&mut self, item: Item, quantity: u32) {
        match self.cart.lines.iter_mut().find(|line| line.sku == item.sku) {
            Some(line) => line.quantity = quantity,
            None => self.cart.lines.push(line_of(&item, quantity)),
        }
        self.items.insert(item.sku.clone(), item);
    }

    /// Whether the line was there.
    pub(crate) fn remove(&mut self, sku: &str) -> bool {
        let before = self.cart.lines.len();
        self.cart.lines.retain(|line| line.sku != sku);
        self.cart.lines.len() < before
    }

    /// Writes the cart down and says what is in it.
    pub(crate) async fn put(
        &self,
        records: &mut dyn Records,
        session: SessionId,
    ) -> Result<Value, DeedError> {
        let view = self.view()?;
        records.put_cart(session, &self.cart).await?;
        Ok(view)
    }

    pub(crate) fn view(&self) -> Result<Value, DeedError> {
        let lines = &self.cart.lines;
        let shown = lines
            .iter()
            .map(|line| view::line(&line.sku, &title(line), line.quantity, line.unit_price));
        let mut view = Map::new();
        view.insert("lines".to_owned(), json!(shown.collect::<Result<Vec<_>, _>>()?));
        view.insert("empty".to_owned(), json!(lines.is_empty()));
        view.insert("units".to_owned(), json!(lines.iter().map(|line| line.quantity).sum::<u32>()));
        let titles: Vec<_> = lines.iter().map(|line| (line.quantity, title(line))).collect();
        let words = titles.iter().map(|(quantity, title)| (*quantity, title.as_str()));
        view.insert("summary".to_owned(), json!(view::summary(words)));
        if let Some(first) = lines.first() {
            let currency = first.unit_price.currency;
            let amounts = lines.iter().map(|line| (line.quantity, line.unit_price.amount));
            view::put_money(&mut view, "total", view::sum(currency, amounts)?);
            view.insert("currency".to_owned(), json!(currency));
        }
        view.insert("notes".to_owned(), json!(self.cart.notes));
        view.insert("dropped".to_owned(), json!(named(&self.dropped)));
        view.insert("repriced".to_owned(), json!(self.repriced()));
        view.insert("short".to_owned(), json!(self.short()));
        Ok(Value::Object(view))
    }

    fn repriced(&self) -> Vec<Value> {
        let was = |line: &CartLine| {
            let now = self.items.get(&line.sku).map(|item| money_text(item.price));
            json!({ "sku": line.sku, "title": title(line),
                    "was_text": money_text(line.unit_price), "now_text": now })
        };
        self.repriced.iter().map(was).collect()
    }

    fn short(&self) -> Vec<Value> {
        let available =
            |line: &CartLine| self.items.get(&line.sku).map_or(0, |item| item.available);
        let lines = self.cart.lines.iter().filter(|line| line.quantity > available(line));
        lines
            .map(|line| {
                json!({ "sku": line.sku, "title": title(line), "quantity": line.quantity,
                        "available": available(line) })
            })
            .collect()
    }
}

fn line_of(item: &Item, quantity: u32) -> CartLine {
    CartLine {
        sku: item.sku.clone(),
        name: item.name.clone(),
        label: item.label.clone(),
        quantity,
        unit_price: item.price,
    }
}

pub(crate) fn title(line: &CartLine) -> String {
    domain::title(&line.name, &line.label)
}

fn named(lines: &[CartLine]) -> Vec<Value> {
    let name = |line: &CartLine| json!({ "sku": line.sku, "title": title(line), "quantity": line.quantity });
    lines.iter().map(name).collect()
}

/// That there are fewer units than wanted, in words.
pub(crate) fn shortage(sku: &str, available: u32) -> String {
    match available {
        0 => format!("there are none of `{sku}` left"),
        1 => format!("there is only 1 of `{sku}`"),
        more => format!("there are only {more} of `{sku}`"),
    }
}
