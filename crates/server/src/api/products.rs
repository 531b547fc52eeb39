//! Products: the catalogue, page by page, with what there is of each variant.

use async_trait::async_trait;
use axum::Json;
use axum::extract::State;
use domain::{Product, Stock, Variant, money_text};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Deed, DeedError, Records};
use utoipa::{IntoParams, ToSchema};

use super::auth::Viewer;
use super::deeds;
use super::input::Params;
use super::page::{self, Page};
use super::problems::Refusals;
use crate::App;
use crate::problem::Problem;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Paging {
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page.
    after: Option<String>,
}

#[derive(Serialize, Deserialize, ToSchema)]
pub(super) struct ProductCard {
    id: String,
    name: String,
    category: String,
    brand: Option<String>,
    description: String,
    aliases: Vec<String>,
    active: bool,
    variants: Vec<VariantCard>,
}

#[derive(Serialize, Deserialize, ToSchema)]
pub(super) struct VariantCard {
    sku: String,
    label: String,
    currency: String,
    /// Exact.
    price: String,
    /// As people read it, such as `$2.500`.
    price_text: String,
    active: bool,
    /// For sale.
    available: u32,
}

#[utoipa::path(get, path = "/products", tag = "shop", operation_id = "list_products",
    security(("key" = ["viewer"])), params(Paging),
    responses((status = 200, body = Page<ProductCard>), Refusals))]
/// The catalogue, by product
pub(super) async fn list(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(paging): Params<Paging>,
) -> Result<Json<Page<ProductCard>>, Problem> {
    let limit = page::limit(paging.limit)?;
    let after = page::place(paging.after.as_deref())?;
    let found: Option<Vec<ProductCard>> =
        deeds::consult(&app, &caller, Catalogue { after, limit: limit + 1 }).await?;
    let products = found.unwrap_or_default();
    Ok(Json(Page::of(products, limit, |product| product.id.clone(), |product| product)))
}

/// Reads a page of the catalogue with its stock.
struct Catalogue {
    after: Option<String>,
    limit: u32,
}

#[async_trait]
impl Deed for Catalogue {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let products = records.products(self.after.as_deref(), self.limit).await?;
        let variants = products.iter().flat_map(|product| &product.variants);
        let skus: Vec<String> = variants.map(|variant| variant.sku.clone()).collect();
        let stock = records.stock(&skus).await?;
        let cards: Vec<_> = products.into_iter().map(|product| card(product, &stock)).collect();
        Ok(serde_json::to_value(cards).unwrap_or_default())
    }
}

fn card(product: Product, stock: &[Stock]) -> ProductCard {
    let available = |sku: &str| stock.iter().find(|one| one.sku == sku).map(|one| one.available);
    let variant = |variant: Variant| VariantCard {
        available: available(&variant.sku).unwrap_or_default(),
        sku: variant.sku,
        label: variant.label,
        currency: variant.price.currency.to_string(),
        price: variant.price.amount.normalize().to_string(),
        price_text: money_text(variant.price),
        active: variant.active,
    };
    ProductCard {
        id: product.id,
        name: product.name,
        category: product.category,
        brand: product.brand,
        description: product.description,
        aliases: product.aliases,
        active: product.active,
        variants: product.variants.into_iter().map(variant).collect(),
    }
}
