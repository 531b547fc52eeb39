//! Tools that only look: users, orders, products and items.

use std::collections::BTreeMap;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::shop::{Product, Shop, User, shown};

#[derive(Deserialize, JsonSchema)]
pub(super) struct FindUserIdByEmail {
    email: String,
}

#[async_trait]
impl Deed for FindUserIdByEmail {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let users: Vec<User> = Shop(records).all("users").await?;
        let found = users.into_iter().find(|user| same(&user.email, &self.email));
        user_id(found)
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FindUserIdByNameZip {
    first_name: String,
    last_name: String,
    zip: String,
}

#[async_trait]
impl Deed for FindUserIdByNameZip {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let users: Vec<User> = Shop(records).all("users").await?;
        let found = users.into_iter().find(|user| {
            same(&user.name.first_name, &self.first_name)
                && same(&user.name.last_name, &self.last_name)
                && user.address.zip == self.zip
        });
        user_id(found)
    }
}

/// Whether two texts are the same but for capitals.
fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn user_id(found: Option<User>) -> Result<Value, DeedError> {
    match found {
        Some(user) => Ok(json!(user.user_id)),
        None => DeedError::refused("there is no such user"),
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetOrderDetails {
    /// With its `#`.
    order_id: String,
}

#[async_trait]
impl Deed for GetOrderDetails {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        shown(&Shop(records).order(&self.order_id).await?)
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetUserDetails {
    user_id: String,
}

#[async_trait]
impl Deed for GetUserDetails {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        shown(&Shop(records).user(&self.user_id).await?)
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetProductDetails {
    /// Of a product, not of an item.
    product_id: String,
}

#[async_trait]
impl Deed for GetProductDetails {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        shown(&Shop(records).product(&self.product_id).await?)
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetItemDetails {
    /// Of an item, not of a product.
    item_id: String,
}

#[async_trait]
impl Deed for GetItemDetails {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let products: Vec<Product> = Shop(records).all("products").await?;
        match products.iter().find_map(|product| product.variants.get(&self.item_id)) {
            Some(variant) => shown(variant),
            None => DeedError::refused(format!("there is no item {}", self.item_id)),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListAllProductTypes {}

#[async_trait]
impl Deed for ListAllProductTypes {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let products: Vec<Product> = Shop(records).all("products").await?;
        let ids: BTreeMap<_, _> =
            products.into_iter().map(|product| (product.name, product.product_id)).collect();
        // The benchmark answers with a text, spaced as its own tools space it.
        let pairs = ids.iter().map(|(name, id)| format!("{}: {}", json!(name), json!(id)));
        Ok(json!(format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))))
    }
}

/// Changes nothing: a person takes over outside the shop's records.
#[derive(Deserialize, JsonSchema)]
pub(super) struct TransferToHumanAgents {
    #[serde(rename = "summary")]
    _summary: String,
}

#[async_trait]
impl Deed for TransferToHumanAgents {
    async fn run(&self, _records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(json!("Transfer successful"))
    }
}
