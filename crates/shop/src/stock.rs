//! The acts of operators on stock: units come in, are written off, are counted.

use async_trait::async_trait;
use domain::Stock;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

/// How many units of a variant there are; null of one that is not and was not sold.
pub struct StockOf {
    pub sku: String,
}

/// Units came in.
pub struct ReceiveStock {
    pub sku: String,
    pub units: u32,
}

/// Units for sale are broken, lost or miscounted.
pub struct WriteOffStock {
    pub sku: String,
    pub units: u32,
}

/// Somebody counted what is for sale; what is promised to orders lies apart.
pub struct CountStock {
    pub sku: String,
    pub available: u32,
}

#[async_trait]
impl Deed for StockOf {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(find(records, &self.sku).await?.map_or(Value::Null, |stock| view(&stock)))
    }
}

#[async_trait]
impl Deed for ReceiveStock {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut stock = known(records, &self.sku).await?;
        some(self.units)?;
        if !stock.receive(self.units) {
            return DeedError::refused(format!("`{}` cannot have so many units", self.sku));
        }
        put(records, stock).await
    }
}

#[async_trait]
impl Deed for WriteOffStock {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut stock = known(records, &self.sku).await?;
        some(self.units)?;
        if !stock.write_off(self.units) {
            let Stock { sku, available, reserved, .. } = stock;
            return DeedError::refused(format!(
                "only {available} of `{sku}` can be written off: {reserved} are promised to orders"
            ));
        }
        put(records, stock).await
    }
}

#[async_trait]
impl Deed for CountStock {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let stock = known(records, &self.sku).await?;
        put(records, Stock { available: self.available, ..stock }).await
    }
}

fn some(units: u32) -> Result<(), DeedError> {
    match units {
        0 => DeedError::refused("say how many units: at least 1"),
        _ => Ok(()),
    }
}

/// The stock of a variant that is sold, or was: a mistyped code makes no stock.
async fn find(records: &mut dyn Records, sku: &str) -> Result<Option<Stock>, DeedError> {
    let skus = [sku.to_owned()];
    let sold = !records.items(&skus).await?.is_empty();
    let stock = records.stock(&skus).await?.into_iter().next();
    Ok(stock.filter(|stock| sold || stock.on_hand() > 0))
}

async fn known(records: &mut dyn Records, sku: &str) -> Result<Stock, DeedError> {
    match find(records, sku).await? {
        Some(stock) => Ok(stock),
        None => DeedError::refused(format!("there is no `{sku}` in the catalogue")),
    }
}

async fn put(records: &mut dyn Records, stock: Stock) -> Result<Value, DeedError> {
    records.put_stock(&stock).await?;
    Ok(view(&stock))
}

fn view(stock: &Stock) -> Value {
    json!({
        "sku": stock.sku, "available": stock.available, "reserved": stock.reserved,
        "sold": stock.sold, "on_hand": stock.on_hand(),
    })
}
