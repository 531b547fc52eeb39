//! The catalogue as it stands, page by page.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{Product, Stock, Variant};
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::{Listed, ListedVariant};

/// Reads some products after one.
pub struct Page {
    pub after: Option<String>,
    pub limit: u32,
}

#[async_trait]
impl Deed for Page {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let products = records.products(self.after.as_deref(), self.limit).await?;
        let variants = products.iter().flat_map(|product| &product.variants);
        let skus: Vec<_> = variants.map(|variant| variant.sku.clone()).collect();
        let stock = records.stock(&skus).await?;
        let stock: BTreeMap<_, _> =
            stock.into_iter().map(|stock| (stock.sku.clone(), stock)).collect();
        let last = products.last().map(|product| &product.id);
        // A product without a variant is not sold, and no file could say it.
        let sold = products.iter().filter(|product| !product.variants.is_empty());
        let listed: Vec<_> = sold.map(|product| listed(product, &stock)).collect();
        Ok(json!({ "products": listed, "last": last }))
    }
}

/// The products of a page's answer, and the last one's id if there was any.
pub fn page(answer: Value) -> Result<(Vec<Listed>, Option<String>), serde_json::Error> {
    let Value::Object(mut answer) = answer else { return Ok((Vec::new(), None)) };
    let mut take = |name: &str| answer.remove(name).unwrap_or_default();
    Ok((serde_json::from_value(take("products"))?, serde_json::from_value(take("last"))?))
}

fn listed(product: &Product, stock: &BTreeMap<String, Stock>) -> Listed {
    let variant = |variant: &Variant| ListedVariant {
        sku: variant.sku.clone(),
        label: variant.label.clone(),
        price: variant.price.amount.normalize(),
        currency: variant.price.currency,
        stock: Some(stock.get(&variant.sku).map_or(0, |stock| stock.available)),
        aliases: variant.aliases.clone(),
        active: product.active && variant.active,
        data: (!variant.data.is_empty()).then(|| variant.data.clone()),
    };
    Listed {
        product: product.id.clone(),
        name: product.name.clone(),
        category: product.category.clone(),
        brand: product.brand.clone(),
        description: product.description.clone(),
        aliases: product.aliases.clone(),
        variants: product.variants.iter().map(variant).collect(),
    }
}
