//! Every tool of the shop answers the same on a real store as on the records in memory.

use domain::{Contact, OrderStatus};
use serde_json::{Map, Value, json};
use shop::catalogue::{ImportProducts, read};
use shop::{RecordPayment, SetOrderStatus, SetProfile};
use store::{Deed, DeedError, MemoryRecords, Records};
use tools::Registry;

use crate::support::{Kind, Site};
use crate::till::{NOON, Till, deed};

crate::on_both_stores!(every_tool_answers_as_on_the_records_in_memory,);

const CATALOGUE: &str = "product,name,category,brand,sku,label,price,currency,stock,aliases\n\
    coca,Coca-Cola,Gaseosas,Coca-Cola,coca-500,500 ml,1250.50,ARS,10,coca|cola\n\
    coca,,,,coca-1500,\"1,5 L\",2500,ARS,3,\n\
    fanta,Fanta Naranja,Gaseosas,,fanta-500,,900,ARS,100,\n\
    pan,Pan,Panadería,,pan,,0.10,ARS,0,\n";

/// The requests of a customer, in order; refusals are among them.
fn script() -> Vec<(&'static str, Value)> {
    let add = |sku: &str, quantity: u32| json!({ "sku": sku, "quantity": quantity });
    vec![
        ("get_customer_info", json!({})),
        ("get_cart", json!({})),
        ("get_order_details", json!({})),
        ("repeat_last_order", json!({})),
        ("search_products", json!({ "query": "coca" })),
        ("search_products", json!({ "query": "fanta naranja" })),
        ("search_products", json!({ "query": "fernet" })),
        ("get_categories", json!({})),
        ("get_catalog", json!({})),
        ("get_catalog", json!({ "category": "panaderia" })),
        ("get_product_details", json!({ "sku": "coca-1500" })),
        ("get_product_details", json!({ "product": "nada" })),
        ("get_commerce_profile", json!({})),
        ("get_payment_methods", json!({})),
        ("add_to_cart", add("coca-1500", 4)),
        ("add_to_cart", add("coca-1500", 3)),
        ("add_to_cart", add("pan", 1)),
        ("add_to_cart", add("coca-500", 2)),
        ("update_cart_item", add("coca-1500", 2)),
        ("set_cart_notes", json!({ "notes": "sin hielo" })),
        ("get_cart", json!({})),
        ("confirm_order", json!({})),
        ("update_customer_info", json!({ "dni": "30.123.456", "first_name": "Ana" })),
        ("get_customer_info", json!({})),
        ("confirm_order", json!({ "total": "1" })),
        (
            "confirm_order",
            json!({ "total": "7501", "delivery": "delivery",
                                  "shipping_address": "Lavalle 1" }),
        ),
        ("get_cart", json!({})),
        ("get_order_details", json!({})),
        ("modify_order", json!({ "lines": [add("coca-500", 99)] })),
        (
            "modify_order",
            json!({ "lines": [add("coca-500", 9), add("fanta-500", 1),
                                           add("coca-1500", 0)] }),
        ),
        ("get_order_history", json!({})),
        ("get_customer_debt", json!({})),
        ("get_catalog", json!({ "category": "Gaseosas" })),
        ("repeat_last_order", json!({})),
        ("remove_from_cart", json!({ "sku": "fanta-500" })),
        ("clear_cart", json!({})),
        ("cancel_order", json!({ "number": "ORD-00001" })),
        ("cancel_order", json!({})),
        ("add_to_cart", add("fanta-500", 3)),
        ("confirm_order", json!({})),
        ("get_order_history", json!({ "limit": 1 })),
        ("get_customer_info", json!({})),
    ]
}

/// Ids are made of what asked for them, so they differ.
fn without_ids(mut answer: Value) -> Value {
    if let Some(object) = answer.as_object_mut() {
        object.remove("order");
        object.remove("payment");
        let orders = object.get_mut("orders").and_then(Value::as_array_mut);
        for order in orders.into_iter().flatten() {
            order.as_object_mut().expect("an order").remove("order");
        }
    }
    answer
}

async fn in_memory(records: &mut MemoryRecords, deed: &dyn Deed) -> Result<Value, String> {
    let before = records.clone();
    deed.run(records).await.map_err(|error| {
        *records = before;
        match error {
            DeedError::Refused(reason) => reason,
            DeedError::Store(error) => panic!("{error}"),
        }
    })
}

fn operators() -> Vec<Box<dyn Deed>> {
    let profile = json!({ "name": "Don Tito", "payment_methods": ["efectivo"] });
    let products = read(CATALOGUE.as_bytes()).products;
    vec![
        Box::new(SetProfile(profile)),
        Box::new(ImportProducts { products, replace: false, set_stock: false, dry_run: false }),
    ]
}

async fn every_tool_answers_as_on_the_records_in_memory(kind: Kind) {
    let site = Site::new(kind).await;
    let mut till = Till::of_a_customer(&site).await;
    let mut records = MemoryRecords::at(NOON);
    let (registry, caller) = (Registry::builtin(), till.caller);
    let known = till.call("get_customer_info", &json!({})).await.expect("a card");
    let text = |name: &str| known[name].as_str().map(Into::into);
    let data = Map::new();
    let contact = Contact { id: caller.contact, name: text("name"), phone: text("phone"), data };
    records.put_contact(&contact).await.expect("a contact");
    for (place, deed) in operators().into_iter().enumerate() {
        let expected = in_memory(&mut records, &*deed).await;
        assert_eq!(perform(&till, 1000 + place as u128, deed).await, expected);
    }
    for (tool, input) in script() {
        let (own, _) = deed(&registry, &caller, tool, &input);
        let expected = in_memory(&mut records, &*own).await.map(without_ids);
        let came = till.call(tool, &input).await.map(without_ids);
        assert_eq!(came, expected, "{tool} {input}");
    }
    let pay = || RecordPayment { number: 2, amount: "100.50".parse().unwrap(), method: "m".into() };
    let deliver = || SetOrderStatus { number: 2, status: OrderStatus::Delivered };
    for (place, (one, other)) in [
        (Box::new(pay()) as Box<dyn Deed>, Box::new(pay()) as Box<dyn Deed>),
        (Box::new(deliver()), Box::new(deliver())),
        (Box::new(deliver()), Box::new(deliver())),
    ]
    .into_iter()
    .enumerate()
    {
        let expected = in_memory(&mut records, &*one).await.map(without_ids);
        let came = perform(&till, 2000 + place as u128, other).await.map(without_ids);
        assert_eq!(came, expected);
    }
    let levels = till.store.stock_levels(caller.workspace, None, 100).await.expect("levels");
    let stocked = levels.into_iter().map(|level| level.stock).filter(|stock| stock.on_hand() > 0);
    let levels: Vec<_> = stocked.collect();
    let expected: Vec<_> = records.stock_levels().cloned().collect();
    assert_eq!(levels, expected);
    let debt = till.call("get_customer_debt", &json!({})).await;
    let (own, _) = deed(&registry, &caller, "get_customer_debt", &json!({}));
    assert_eq!(debt, in_memory(&mut records, &*own).await);
}

async fn perform(till: &Till, id: u128, deed: Box<dyn Deed>) -> Result<Value, String> {
    let id = uuid::Uuid::from_u128(id);
    let workspace = till.caller.workspace;
    let done = till.store.perform(workspace, "ana", "act", "it", id, deed.into(), NOON).await;
    done.map_err(|error| match error {
        DeedError::Refused(reason) => reason,
        DeedError::Store(error) => panic!("{error}"),
    })
}
