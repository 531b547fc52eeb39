//! Something to sell, and somebody who buys it.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{ConversationId, IdSource, Order, OrderLine, OrderStatus, Product, WorkspaceId};
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::Shop;

struct Shelve(Product);

#[async_trait]
impl Deed for Shelve {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        records.put_product(&self.0, &[]).await?;
        for variant in &self.0.variants {
            let sku = variant.sku.clone();
            let stock = records.stock(&[sku]).await?;
            for mut stock in stock {
                stock.available = 5;
                records.put_stock(&stock).await?;
            }
        }
        Ok(Value::Null)
    }
}

/// Puts a product with one variant of this sku on the shelf, five of it.
pub(crate) async fn stock_up(shop: &Shop, workspace: WorkspaceId, sku: &str) {
    let product = json!({
        "id": format!("p-{sku}"), "name": "Yerba", "category": "almacén", "brand": "Taragüí",
        "variants": [{ "sku": sku, "label": "1 kg",
                       "price": { "amount": "2500.50", "currency": "ARS" } }],
    });
    let deed = Arc::new(Shelve(serde_json::from_value(product).unwrap()));
    perform(shop, workspace, deed).await;
}

struct Buy(Order);

#[async_trait]
impl Deed for Buy {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let number = u32::try_from(records.take_number("order").await?).unwrap();
        records.put_order(&Order { number, ..self.0.clone() }).await?;
        Ok(json!(number))
    }
}

/// An order of two of this sku, confirmed; returns its number.
pub(crate) async fn order(
    shop: &Shop,
    workspace: WorkspaceId,
    conversation: ConversationId,
    sku: &str,
) -> u64 {
    let contact = shop.store.get(workspace, conversation).await.unwrap().contact.id;
    let order = Order {
        id: shop.ids.next().into(),
        number: 0,
        contact,
        conversation,
        status: OrderStatus::Confirmed,
        lines: vec![OrderLine {
            product: sku.to_owned(),
            title: "Yerba 1 kg".to_owned(),
            quantity: 2,
            unit_price: "2500.50".parse().unwrap(),
        }],
        currency: "ARS".parse().unwrap(),
        total: "5001.00".parse().unwrap(),
        data: json!({ "notes": "timbre 2" }).as_object().unwrap().clone(),
        created_at: shop.now(),
        updated_at: shop.now(),
    };
    perform(shop, workspace, Arc::new(Buy(order))).await.as_u64().unwrap()
}

async fn perform(shop: &Shop, workspace: WorkspaceId, deed: Arc<dyn Deed>) -> Value {
    let (store, id) = (&shop.store, shop.ids.next());
    store.perform(workspace, "prueba", "test", "goods", id, deed, shop.now()).await.unwrap()
}
