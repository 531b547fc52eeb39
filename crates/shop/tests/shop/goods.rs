//! The goods on sale, as customers look at them.

use serde_json::{Value, json};

use crate::kit::{Shop, money, product, variant};

fn skus(items: &Value) -> Vec<&str> {
    items.as_array().unwrap().iter().map(|item| item["sku"].as_str().unwrap()).collect()
}

#[test]
fn a_product_is_shown_with_its_active_variants_as_the_shop_orders_them() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-1500", 1)]);
    let expected = json!({
        "product": "coca", "name": "Coca-Cola", "category": "Gaseosas", "brand": null,
        "description": "",
        "variants": [
            { "sku": "coca-500", "product": "coca", "title": "Coca-Cola 500 ml",
              "label": "500 ml", "category": "Gaseosas", "brand": null, "price": "1250.5",
              "price_text": "$1.250,50", "currency": "ARS", "available": 10 },
            { "sku": "coca-1500", "product": "coca", "title": "Coca-Cola 1,5 L",
              "label": "1,5 L", "category": "Gaseosas", "brand": null, "price": "2500",
              "price_text": "$2.500", "currency": "ARS", "available": 2 },
        ],
    });
    assert_eq!(shop.done("get_product_details", json!({ "sku": "coca-500" })), expected);
    assert_eq!(shop.done("get_product_details", json!({ "product": "coca" })), expected);
}

#[test]
fn what_is_not_sold_is_not_shown() {
    let mut shop = Shop::open();
    let mut off = product("sidra", "Sidra", "Bebidas", vec![variant("s", "", money("1", "ARS"))]);
    off.active = false;
    shop.put(&off);
    for (input, told) in [
        (json!({ "sku": "tab-500" }), "`tab-500` is not sold: look with search_products"),
        (json!({ "product": "nada" }), "`nada` is not sold: look with search_products"),
        (json!({ "product": "sidra" }), "`sidra` is not sold: look with search_products"),
        (json!({}), "name either a `sku` or a `product`"),
        (json!({ "sku": "pan", "product": "pan" }), "name either a `sku` or a `product`"),
    ] {
        assert_eq!(shop.refused("get_product_details", input), told);
    }
}

#[test]
fn a_search_says_whether_it_is_clear_what_was_meant() {
    let mut shop = Shop::open();
    for (query, kind, found) in [
        ("fanta", "one", vec!["fanta-500"]),
        ("coca", "several", vec!["coca-1500", "coca-500"]),
        ("fernet", "nothing", vec![]),
    ] {
        let answer = shop.done("search_products", json!({ "query": query }));
        assert_eq!(answer["match"], kind, "{query}");
        let mut came = skus(&answer["items"]);
        came.sort_unstable();
        assert_eq!(came, found, "{query}");
        assert!(answer["alternatives"].is_array());
    }
    let answer = shop.done("search_products", json!({ "query": "coca", "limit": 1 }));
    assert_eq!(answer["items"].as_array().unwrap().len(), 1);
}

#[test]
fn categories_and_their_goods_are_listed_most_bought_first() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-1500", 2), ("fanta-500", 5)]);
    shop.buy(&[("coca-500", 9)]);
    shop.done("cancel_order", json!({}));
    let categories = json!({ "categories": [
        { "name": "Gaseosas", "products": 2 },
        { "name": "Importados", "products": 1 },
        { "name": "Panadería", "products": 1 },
    ] });
    assert_eq!(shop.done("get_categories", json!({})), categories);
    let catalog = shop.done("get_catalog", json!({ "category": "gaseosas" }));
    let [drinks] = catalog["categories"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!(skus(&drinks["items"]), ["fanta-500", "coca-1500", "coca-500"]);
    let accents = shop.done("get_catalog", json!({ "category": "PANADERIA", "limit": 5 }));
    assert_eq!(skus(&accents["categories"][0]["items"]), ["pan"]);
    let all = shop.done("get_catalog", json!({ "limit": 2 }));
    assert_eq!(skus(&all["categories"][0]["items"]), ["fanta-500", "coca-1500"]);
    assert_eq!(all["categories"].as_array().unwrap().len(), 3);
    assert_eq!(
        shop.refused("get_catalog", json!({ "category": "Vinos" })),
        "there is no category `Vinos`: there are Gaseosas, Importados, Panadería"
    );
}
