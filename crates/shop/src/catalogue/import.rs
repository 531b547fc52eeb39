//! Listed products written down. The same file twice changes nothing the second time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Money, Product, Stock, Variant};
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::{Listed, ListedVariant, Reading, read};
use crate::search::index_terms;

/// Writes a batch of products down: small enough that nobody waits long for it.
pub struct ImportProducts {
    pub products: Vec<Listed>,
    /// Variants of these products that are not listed are not sold any more.
    pub replace: bool,
    /// The stock of known variants becomes what is listed; that of new ones always does.
    pub set_stock: bool,
    /// Only says what would change.
    pub dry_run: bool,
}

impl ImportProducts {
    /// How many products a batch has.
    pub const BATCH: usize = 100;

    /// Reads a whole catalogue into batches that add to what there is. A catalogue with a mistake
    /// gives none, since a pack's catalogue is a file that somebody checked.
    pub fn batches(catalogue: &str) -> Result<Vec<Self>, String> {
        let Reading { products, errors } = read(catalogue.as_bytes());
        if let Some(error) = errors.first() {
            return Err(match errors.len() - 1 {
                0 => error.to_string(),
                more => format!("{error} (and {more} more)"),
            });
        }
        let batch = |products: &[Listed]| Self {
            products: products.to_vec(),
            replace: false,
            set_stock: false,
            dry_run: false,
        };
        Ok(products.chunks(Self::BATCH).map(batch).collect())
    }
}

/// The changes that a batch makes.
#[derive(Default)]
struct Changes {
    added: u32,
    changed: u32,
    same: u32,
    stock_set: u32,
}

#[async_trait]
impl Deed for ImportProducts {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let variants = self.products.iter().flat_map(|listed| &listed.variants);
        let stocked = variants.filter(|variant| variant.stock.is_some());
        let skus: Vec<_> = stocked.map(|variant| variant.sku.clone()).collect();
        let stock = records.stock(&skus).await?;
        let mut stock: BTreeMap<_, _> =
            stock.into_iter().map(|stock| (stock.sku.clone(), stock)).collect();
        let mut changes = Changes::default();
        for listed in &self.products {
            let known = records.product(&listed.product).await?;
            let product = self.product(listed, known.as_ref());
            match &known {
                None => changes.added += 1,
                Some(known) if *known == product => changes.same += 1,
                Some(_) => changes.changed += 1,
            }
            if !self.dry_run && known.as_ref() != Some(&product) {
                records.put_product(&product, &index_terms(&product)).await?;
            }
            for variant in &listed.variants {
                let Some(level) = stock.get_mut(&variant.sku) else { continue };
                if !self.counts(variant, known.as_ref(), level) {
                    continue;
                }
                changes.stock_set += 1;
                if !self.dry_run {
                    records.put_stock(level).await?;
                }
            }
        }
        let Changes { added, changed, same, stock_set } = changes;
        Ok(json!({ "added": added, "changed": changed, "same": same, "stock_set": stock_set }))
    }
}

impl ImportProducts {
    /// A product as it is to be: what is listed first, then what else is known of it.
    fn product(&self, listed: &Listed, known: Option<&Product>) -> Product {
        let known = known.map(|known| known.variants.as_slice()).unwrap_or_default();
        let mut variants: Vec<_> =
            listed.variants.iter().map(|variant| new_variant(variant, known)).collect();
        let listed_skus: BTreeSet<_> = listed.variants.iter().map(|variant| &variant.sku).collect();
        let others = known.iter().filter(|variant| !listed_skus.contains(&variant.sku));
        variants.extend(
            others.map(|variant| Variant {
                active: variant.active && !self.replace,
                ..variant.clone()
            }),
        );
        Product {
            id: listed.product.clone(),
            name: listed.name.clone(),
            category: listed.category.clone(),
            brand: listed.brand.clone(),
            description: listed.description.clone(),
            aliases: listed.aliases.clone(),
            active: variants.iter().any(|variant| variant.active),
            variants,
        }
    }

    /// Sets the level to what is listed, if that is meant; whether it changed.
    fn counts(&self, variant: &ListedVariant, known: Option<&Product>, level: &mut Stock) -> bool {
        let has = |known: &Product| known.variants.iter().any(|one| one.sku == variant.sku);
        let new = !known.is_some_and(has) && level.on_hand() == 0;
        match variant.stock {
            Some(units) if (new || self.set_stock) && level.available != units => {
                level.available = units;
                true
            }
            _ => false,
        }
    }
}

fn new_variant(listed: &ListedVariant, known: &[Variant]) -> Variant {
    let known = known.iter().find(|known| known.sku == listed.sku);
    let data = listed.data.clone().or_else(|| Some(known?.data.clone()));
    Variant {
        sku: listed.sku.clone(),
        label: listed.label.clone(),
        price: Money::new(listed.price, listed.currency),
        aliases: listed.aliases.clone(),
        active: listed.active,
        data: data.unwrap_or_default(),
    }
}

/// Takes off the shelf what a file does not list, some products at a time.
pub struct RetireProducts {
    /// The products that stay.
    pub listed: Arc<BTreeSet<String>>,
    pub after: Option<String>,
    pub limit: u32,
    /// Only says what would change.
    pub dry_run: bool,
}

#[async_trait]
impl Deed for RetireProducts {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let products = records.products(self.after.as_deref(), self.limit).await?;
        let last = products.last().map(|product| product.id.clone());
        let mut retired = 0;
        for mut product in products {
            let sold = product.active || product.variants.iter().any(|variant| variant.active);
            if self.listed.contains(&product.id) || !sold {
                continue;
            }
            product.active = false;
            product.variants.iter_mut().for_each(|variant| variant.active = false);
            retired += 1;
            if !self.dry_run {
                records.put_product(&product, &index_terms(&product)).await?;
            }
        }
        Ok(json!({ "retired": retired, "last": last }))
    }
}
