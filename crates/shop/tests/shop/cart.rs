//! The cart: what goes into it, what it costs, and its fate while the shelf changes.

use domain::Stock;
use serde_json::{Value, json};

use crate::kit::{Shop, money, product, variant};

fn add(sku: &str, quantity: u32) -> Value {
    json!({ "sku": sku, "quantity": quantity })
}

/// Quantity and code of every line.
fn lines(cart: &Value) -> Vec<(u64, String)> {
    let line = |line: &Value| {
        (line["quantity"].as_u64().unwrap(), line["sku"].as_str().unwrap().to_owned())
    };
    cart["lines"].as_array().unwrap().iter().map(line).collect()
}

fn named(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["sku"].as_str().unwrap()).collect()
}

#[test]
fn a_cart_says_what_is_in_it_and_what_it_costs_to_the_cent() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-500", 2));
    shop.done("add_to_cart", add("fanta-500", 3));
    let cart = shop.done("add_to_cart", add("coca-500", 1));
    let expected = json!({
        "lines": [
            { "sku": "coca-500", "title": "Coca-Cola 500 ml", "quantity": 3,
              "unit_price": "1250.5", "unit_price_text": "$1.250,50",
              "subtotal": "3751.5", "subtotal_text": "$3.751,50" },
            { "sku": "fanta-500", "title": "Fanta", "quantity": 3,
              "unit_price": "0.1", "unit_price_text": "$0,10",
              "subtotal": "0.3", "subtotal_text": "$0,30" },
        ],
        "empty": false, "units": 6, "summary": "3x Coca-Cola 500 ml, 3x Fanta",
        "total": "3751.8", "total_text": "$3.751,80", "currency": "ARS", "notes": "",
        "dropped": [], "repriced": [], "short": [],
    });
    assert_eq!(cart, expected);
    assert_eq!(shop.done("get_cart", json!({})), expected);
}

#[test]
fn a_cart_is_the_sessions_own() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-500", 2));
    shop.other_customer();
    let cart = shop.done("get_cart", json!({}));
    assert_eq!((&cart["empty"], &cart["units"]), (&json!(true), &json!(0)));
    assert_eq!(cart.get("total"), None);
}

#[test]
fn what_cannot_be_had_does_not_go_into_a_cart() {
    for (before, tool, input, told) in [
        (0, "add_to_cart", add("coca-1500", 4), "there are only 3 of `coca-1500`"),
        (
            2,
            "add_to_cart",
            add("coca-1500", 2),
            "there are only 3 of `coca-1500`, and 2 in the cart already",
        ),
        (0, "add_to_cart", add("pan", 1), "there are none of `pan` left"),
        (0, "add_to_cart", add("tab-500", 1), "`tab-500` is not sold"),
        (0, "add_to_cart", add("sidra", 1), "`sidra` is not sold"),
        (1, "add_to_cart", add("vino", 1), "`vino` is sold in USD, not as the cart is"),
        (
            0,
            "add_to_cart",
            add("coca-1500", 0),
            "the input does not fit: `quantity` must be at least 1",
        ),
        (
            0,
            "add_to_cart",
            add("coca-1500", 1000),
            "the input does not fit: `quantity` must be at most 999",
        ),
        (
            0,
            "add_to_cart",
            json!({ "sku": "coca-1500", "quantity": 1, "price": 1 }),
            "the input does not fit: there is no `price`",
        ),
        (1, "update_cart_item", add("coca-1500", 4), "there are only 3 of `coca-1500`"),
        (0, "update_cart_item", add("coca-1500", 1), "`coca-1500` is not in the cart"),
        (0, "update_cart_item", add("coca-1500", 0), "`coca-1500` is not in the cart"),
        (0, "remove_from_cart", json!({ "sku": "coca-1500" }), "`coca-1500` is not in the cart"),
    ] {
        let mut shop = Shop::open();
        if before > 0 {
            shop.done("add_to_cart", add("coca-1500", before));
        }
        assert_eq!(shop.refused(tool, input), told);
    }
}

#[test]
fn one_unit_left_is_said_as_one() {
    let mut shop = Shop::open();
    shop.stock(&Stock { available: 1, ..Stock::none("pan") });
    assert_eq!(shop.refused("add_to_cart", add("pan", 2)), "there is only 1 of `pan`");
    shop.done("add_to_cart", add("pan", 1));
}

#[test]
fn a_line_has_at_most_999_units_and_a_cart_50_lines() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("fanta-500", 998));
    shop.done("add_to_cart", add("fanta-500", 1));
    let told = "at most 999 units of `fanta-500` can be ordered at once";
    assert_eq!(shop.refused("add_to_cart", add("fanta-500", 1)), told);
    for number in 1..50 {
        let sku = format!("s{number}");
        shop.put(&product(&sku, &sku, "Varios", vec![variant(&sku, "", money("1", "ARS"))]));
        shop.stock(&Stock { available: 5, ..Stock::none(&sku) });
        shop.done("add_to_cart", add(&sku, 1));
    }
    assert_eq!(shop.refused("add_to_cart", add("coca-500", 1)), "a cart has at most 50 lines");
    shop.done("add_to_cart", add("s7", 1));
}

#[test]
fn lines_are_changed_taken_out_and_cleared_and_notes_are_kept() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-500", 2));
    shop.done("add_to_cart", add("coca-1500", 1));
    let cart = shop.done("update_cart_item", add("coca-500", 10));
    assert_eq!(lines(&cart), [(10, "coca-500".into()), (1, "coca-1500".into())]);
    let cart = shop.done("update_cart_item", add("coca-500", 0));
    assert_eq!(lines(&cart), [(1, "coca-1500".into())]);
    let cart = shop.done("set_cart_notes", json!({ "notes": "  sin hielo " }));
    assert_eq!(cart["notes"], "sin hielo");
    let cart = shop.done("remove_from_cart", json!({ "sku": "coca-1500" }));
    assert_eq!((&cart["empty"], &cart["notes"]), (&json!(true), &json!("sin hielo")));
    let cart = shop.done("clear_cart", json!({}));
    assert_eq!((&cart["empty"], &cart["notes"]), (&json!(true), &json!("")));
    shop.done("add_to_cart", add("vino", 1));
}

#[test]
fn a_cart_is_held_against_the_shelf_whenever_it_is_looked_at() {
    let mut shop = Shop::open();
    for sku in ["coca-500", "coca-1500", "fanta-500"] {
        shop.done("add_to_cart", add(sku, 3));
    }
    assert_eq!(shop.done("get_cart", json!({}))["short"], json!([]), "all there are is enough");
    let dearer = variant("coca-500", "500 cc", money("1300", "ARS"));
    let short = variant("coca-1500", "1,5 L", money("2500", "ARS"));
    shop.put(&product("coca", "Coca-Cola", "Gaseosas", vec![dearer, short]));
    shop.stock(&Stock { available: 2, ..Stock::none("coca-1500") });
    let mut fanta =
        product("fanta", "Fanta", "G", vec![variant("fanta-500", "", money("9", "ARS"))]);
    fanta.active = false;
    shop.put(&fanta);
    let cart = shop.done("get_cart", json!({}));
    assert_eq!(lines(&cart), [(3, "coca-500".into()), (3, "coca-1500".into())]);
    assert_eq!(cart["total"], "11400");
    assert_eq!(cart["lines"][0]["title"], "Coca-Cola 500 cc");
    let gone = json!([{ "sku": "fanta-500", "title": "Fanta", "quantity": 3 }]);
    assert_eq!(cart["dropped"], gone);
    let repriced = json!([{ "sku": "coca-500", "title": "Coca-Cola 500 ml",
                            "was_text": "$1.250,50", "now_text": "$1.300" }]);
    assert_eq!(cart["repriced"], repriced);
    let few = json!([{ "sku": "coca-1500", "title": "Coca-Cola 1,5 L", "quantity": 3,
                       "available": 2 }]);
    assert_eq!(cart["short"], few);
    // The call that writes the cart tells of it for the last time.
    let cart = shop.done("remove_from_cart", json!({ "sku": "fanta-500" }));
    assert_eq!(named(&cart["dropped"]), ["fanta-500"]);
    let cart = shop.done("get_cart", json!({}));
    assert_eq!((&cart["dropped"], &cart["repriced"]), (&json!([]), &json!([])));
    assert_eq!(named(&cart["short"]), ["coca-1500"]);
}

#[test]
fn a_line_that_is_now_sold_in_another_currency_leaves_the_cart() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-500", 1));
    shop.done("add_to_cart", add("fanta-500", 1));
    let vid = variant("fanta-500", "", money("1", "USD"));
    shop.put(&product("fanta", "Fanta", "Gaseosas", vec![vid]));
    let cart = shop.done("get_cart", json!({}));
    assert_eq!((named(&cart["dropped"]), &cart["total"]), (vec!["fanta-500"], &json!("1250.5")));
}

#[test]
fn the_last_order_is_repeated_as_far_as_it_can_be_had() {
    let mut shop = Shop::open();
    assert_eq!(shop.refused("repeat_last_order", json!({})), "the customer has no order to repeat");
    shop.buy(&[("coca-500", 4), ("coca-1500", 2), ("fanta-500", 5)]);
    shop.buy(&[("vino", 1)]);
    shop.done("cancel_order", json!({}));
    // Of the first order: 6 of one are left, 1 of another, and the third is not sold.
    let mut fanta =
        product("fanta", "Fanta", "G", vec![variant("fanta-500", "", money("9", "ARS"))]);
    fanta.active = false;
    shop.put(&fanta);
    shop.done("add_to_cart", add("coca-500", 1));
    let cart = shop.done("repeat_last_order", json!({}));
    assert_eq!(lines(&cart), [(4, "coca-500".into()), (1, "coca-1500".into())]);
    assert_eq!(cart["repeated"], "ORD-00001");
    let missing = json!([
        { "sku": "coca-1500", "title": "Coca-Cola 1,5 L", "wanted": 2, "added": 1, "sold": true },
        { "sku": "fanta-500", "title": "Fanta", "wanted": 5, "added": 0, "sold": false },
    ]);
    assert_eq!(cart["missing"], missing);
    let again = shop.done("repeat_last_order", json!({}));
    assert_eq!(lines(&again), lines(&cart), "repeating twice does not double it");
    shop.other_customer();
    assert_eq!(shop.refused("repeat_last_order", json!({})), "the customer has no order to repeat");
}

#[test]
fn what_is_repeated_leaves_more_of_a_line_than_was_ordered_alone() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 2)]);
    shop.done("add_to_cart", add("coca-500", 5));
    let cart = shop.done("repeat_last_order", json!({}));
    assert_eq!(lines(&cart), [(5, "coca-500".into())]);
    assert_eq!(cart["missing"], json!([]));
}

#[test]
fn what_the_cart_holds_already_counts_as_repeated() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-1500", 3)]);
    shop.stock(&Stock { available: 2, reserved: 3, ..Stock::none("coca-1500") });
    shop.done("add_to_cart", add("coca-1500", 2));
    shop.stock(&Stock { available: 1, reserved: 3, ..Stock::none("coca-1500") });
    let cart = shop.done("repeat_last_order", json!({}));
    assert_eq!(lines(&cart), [(2, "coca-1500".into())]);
    assert_eq!(
        (&cart["missing"][0]["wanted"], &cart["missing"][0]["added"]),
        (&json!(3), &json!(2))
    );
}
