//! Orders, stock, products and customers.

use domain::IdSource;
use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Shop, named, order, ours, stock_up};

crate::on_both_stores!(
    an_order_is_shown_and_goes_its_way,
    orders_are_filtered_and_paged,
    stock_is_listed_received_counted_and_written_off,
    products_are_listed_with_their_stock,
    a_customer_is_shown_with_account_and_orders,
);

async fn an_order_is_shown_and_goes_its_way(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = shop.hears("tienda-web", "ana", "hola").await;
    stock_up(&shop, ours(), "yerba-1").await;
    order(&shop, ours(), id, "yerba-1").await;
    let shown = shop.get("/orders/ORD-00001", &key).await.good();
    assert_eq!(shown, shop.get("/orders/1", &key).await.good());
    assert_eq!(shown["conversation"], id.to_string());
    let expected = json!({
        "id": "#3", "number": 1, "code": "ORD-00001", "contact": "#1", "conversation": "#2",
        "status": "confirmed",
        "lines": [{ "sku": "yerba-1", "title": "Yerba 1 kg", "quantity": 2,
                    "unit_price": "2500.5" }],
        "currency": "ARS", "total": "5001", "total_text": "$5.001",
        "data": { "notes": "timbre 2" },
        "created_at": "2026-05-28T20:26:40.000Z", "updated_at": "2026-05-28T20:26:40.000Z",
    });
    let ids = json!([shown["contact"], shown["conversation"], shown["id"], shown]);
    assert_eq!(named(&ids)[3], expected);

    shop.clock.advance_ms(1_000);
    let client = shop.ids.next();
    let ship = json!({ "status": "shipped", "client_id": client });
    for _ in 0..2 {
        let shipped = shop.post("/orders/1/status", &key, ship.clone()).await.good();
        assert_eq!(shipped["status"], "shipped");
        assert_eq!(shipped["updated_at"], "2026-05-28T20:26:41.000Z");
    }
    let back = shop.post("/orders/1/status", &key, json!({ "status": "confirmed" })).await;
    let refused = "ORD-00001 is shipped and cannot become confirmed";
    assert_eq!(back.problem(), (409, refused));
    let audit = shop.audit(ours()).await;
    assert_eq!(audit.last().unwrap(), "ana order.shipped");
    assert_eq!(audit.iter().filter(|act| act.contains("order.")).count(), 1, "{audit:?}");
}

async fn orders_are_filtered_and_paged(shop: Shop) {
    let key = shop.key("tienda", "mira", KeyRole::Operator).await;
    let ana = shop.hears("tienda-web", "ana", "hola").await;
    let beto = shop.hears("tienda-web", "beto", "hola").await;
    stock_up(&shop, ours(), "yerba-1").await;
    for id in [ana, beto, ana] {
        order(&shop, ours(), id, "yerba-1").await;
    }
    shop.post("/orders/2/status", &key, json!({ "status": "cancelled" })).await.good();
    let contact = shop.get("/orders/2", &key).await.good()["contact"].clone();
    let found = async |query: &str| {
        let page = shop.get(&format!("/orders?{query}"), &key).await.good();
        let numbers = page["items"].as_array().unwrap().iter().map(|one| one["number"].clone());
        (numbers.collect::<Vec<_>>(), page["next"].as_str().map(str::to_owned))
    };
    assert_eq!(found("").await, (vec![json!(3), json!(2), json!(1)], None));
    assert_eq!(found("status=cancelled").await.0, [2]);
    assert_eq!(found(&format!("conversation={ana}")).await.0, [3, 1]);
    assert_eq!(found(&format!("contact={}", contact.as_str().unwrap())).await.0, [2]);
    let (first, next) = found("limit=2").await;
    assert_eq!(first, [3, 2]);
    assert_eq!(found(&format!("limit=2&after={}", next.unwrap())).await, (vec![json!(1)], None));
}

async fn stock_is_listed_received_counted_and_written_off(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    for sku in ["yerba-1", "yerba-2", "zapallo"] {
        stock_up(&shop, ours(), sku).await;
    }
    let act =
        async |path: &str, body: Value| shop.post(&format!("/stock/{path}"), &key, body).await;
    let client = shop.ids.next();
    let units = json!({ "units": 3, "client_id": client });
    for _ in 0..2 {
        let received = act("yerba-1/receive", units.clone()).await.good();
        let expected = json!({ "sku": "yerba-1", "available": 8, "reserved": 0, "sold": 0,
                               "on_hand": 8 });
        assert_eq!(received, expected, "once, however often it is asked for");
    }
    // The same id for something else is something else.
    let off = act("yerba-1/write_off", json!({ "units": 1, "client_id": client })).await.good();
    assert_eq!(off["available"], 7);
    assert_eq!(act("yerba-2/count", json!({ "available": 1 })).await.good()["available"], 1);
    assert_eq!(act("yerba-1/write_off", json!({ "units": 99 })).await.problem().0, 409);
    assert_eq!(act("yerba-1/receive", json!({ "units": 0 })).await.problem().0, 409);
    assert_eq!(act("nada/receive", json!({ "units": 1 })).await.problem().0, 404);
    assert_eq!(act("yerba-1/receive", json!({ "units": -1 })).await.problem().0, 422);

    let found = async |query: &str| {
        let page = shop.get(&format!("/stock?{query}"), &key).await.good();
        let items = page["items"].as_array().unwrap().iter();
        let items = items.map(|one| (one["sku"].clone(), one["available"].clone()));
        (items.collect::<Vec<_>>(), page["next"].as_str().map(str::to_owned))
    };
    let all =
        [(json!("yerba-1"), json!(7)), (json!("yerba-2"), json!(1)), (json!("zapallo"), json!(5))];
    assert_eq!(found("").await, (all.to_vec(), None));
    assert_eq!(found("low_than=5").await.0, all[1..2]);
    assert_eq!(found("q=ZAPA").await.0, all[2..]);
    assert_eq!(found("q=yerba%201%20kg&low_than=7").await.0, all[1..]);
    let (first, next) = found("limit=2").await;
    assert_eq!(first, all[..2]);
    assert_eq!(found(&format!("limit=2&after={}", next.unwrap())).await, (all[2..].to_vec(), None));
    let audit = shop.audit(ours()).await;
    let acts: Vec<_> = audit.iter().filter(|act| act.starts_with("ana stock")).collect();
    assert_eq!(acts, ["ana stock.receive", "ana stock.write_off", "ana stock.count"]);
}

async fn products_are_listed_with_their_stock(shop: Shop) {
    let key = shop.key("tienda", "mira", KeyRole::Viewer).await;
    stock_up(&shop, ours(), "yerba-1").await;
    stock_up(&shop, ours(), "yerba-2").await;
    let page = shop.get("/products?limit=1", &key).await.good();
    let expected = json!([{
        "id": "p-yerba-1", "name": "Yerba", "category": "almacén", "brand": "Taragüí",
        "description": "", "aliases": [], "active": true,
        "variants": [{ "sku": "yerba-1", "label": "1 kg", "currency": "ARS", "price": "2500.5",
                       "price_text": "$2.500,50", "active": true, "available": 5 }],
    }]);
    assert_eq!(page["items"], expected);
    let next = page["next"].as_str().unwrap();
    let rest = shop.get(&format!("/products?after={next}"), &key).await.good();
    assert_eq!((&rest["items"][0]["id"], &rest["next"]), (&json!("p-yerba-2"), &Value::Null));
}

async fn a_customer_is_shown_with_account_and_orders(shop: Shop) {
    let key = shop.key("tienda", "mira", KeyRole::Viewer).await;
    let id = shop.hears("tienda-web", "ana", "hola").await;
    stock_up(&shop, ours(), "yerba-1").await;
    order(&shop, ours(), id, "yerba-1").await;
    let contact = shop.get("/orders/1", &key).await.good()["contact"].clone();
    let path = format!("/customers/{}", contact.as_str().unwrap());
    let mut shown = shop.get(&path, &key).await.good();
    let orders = shown["orders"].take();
    assert_eq!(orders, json!([shop.get("/orders/1", &key).await.good()]));
    let expected = json!({
        "id": contact, "name": "Cliente ana", "phone": "+57 300", "data": {}, "orders": null,
        "accounts": [{ "currency": "ARS", "orders": 1, "spent": "5001", "paid": "0",
                       "debt": "5001", "debt_text": "$5.001" }],
    });
    assert_eq!(shown, expected);
}
