//! Orders: made of the cart all at once, changed and cancelled by their own customer alone.

use domain::{OrderStatus, Reservation, Stock};
use serde_json::{Value, json};
use shop::SetOrderStatus;
use store::Records;

use crate::kit::{NOON, Shop, money, product, variant, wait};

fn add(sku: &str, quantity: u32) -> Value {
    json!({ "sku": sku, "quantity": quantity })
}

fn held(shop: &mut Shop, number: u32) -> Vec<(String, u32)> {
    let order = shop.order(number).id;
    let held = wait(shop.records.reservations(order)).unwrap();
    held.into_iter().map(|Reservation { sku, quantity }| (sku, quantity)).collect()
}

fn set(shop: &mut Shop, number: u32, status: OrderStatus) {
    shop.perform(&SetOrderStatus { number, status }).unwrap();
}

#[test]
fn an_order_is_made_of_the_cart_with_its_units_set_apart() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-500", 2));
    shop.done("add_to_cart", add("coca-1500", 3));
    shop.done("set_cart_notes", json!({ "notes": "sin hielo" }));
    let input = json!({ "delivery": "delivery", "shipping_address": " Corrientes 1234 " });
    let answer = shop.done("confirm_order", input);
    let order = shop.order(1);
    let expected = json!({
        "order": order.id, "number": 1, "code": "ORD-00001", "status": "confirmed",
        "processed": false,
        "lines": [
            { "sku": "coca-500", "title": "Coca-Cola 500 ml", "quantity": 2,
              "unit_price": "1250.5", "unit_price_text": "$1.250,50",
              "subtotal": "2501", "subtotal_text": "$2.501" },
            { "sku": "coca-1500", "title": "Coca-Cola 1,5 L", "quantity": 3,
              "unit_price": "2500", "unit_price_text": "$2.500",
              "subtotal": "7500", "subtotal_text": "$7.500" },
        ],
        "summary": "2x Coca-Cola 500 ml, 3x Coca-Cola 1,5 L",
        "total": "10001", "total_text": "$10.001", "currency": "ARS",
        "created_at": NOON.to_string(), "delivery": "delivery",
        "shipping_address": "Corrientes 1234", "notes": "sin hielo",
    });
    assert_eq!(answer, expected);
    assert_eq!(shop.done("get_order_details", json!({})), expected);
    assert_eq!(shop.done("get_order_details", json!({ "number": "ORD-00001" })), expected);
    assert_eq!(order.contact, shop.caller.contact);
    assert_eq!(order.conversation, shop.caller.conversation);
    assert_eq!(order.total, "10001".parse().unwrap());
    assert_eq!(held(&mut shop, 1), [("coca-1500".into(), 3), ("coca-500".into(), 2)]);
    assert_eq!((shop.level("coca-500"), shop.level("coca-1500")), ((8, 2, 0), (0, 3, 0)));
    let cart = shop.done("get_cart", json!({}));
    assert_eq!((&cart["empty"], &cart["notes"]), (&json!(true), &json!("")));
    assert_eq!(shop.buy(&[("coca-500", 1)]), 2, "numbers are counted up");
}

#[test]
fn an_order_needs_to_know_who_and_where() {
    let known = json!({ "dni": "30123456", "first_name": "Ana", "shipping_address": "Lavalle 1" });
    let without = |name: &str| {
        let mut data = known.clone();
        data.as_object_mut().unwrap().remove(name);
        data
    };
    for (data, input, expected) in [
        (json!({}), json!({}), Err("missing_details: dni, first_name")),
        (without("dni"), json!({}), Err("missing_details: dni")),
        (without("first_name"), json!({}), Err("missing_details: first_name")),
        (json!({ "dni": " ", "first_name": "Ana" }), json!({}), Err("missing_details: dni")),
        (
            without("shipping_address"),
            json!({ "delivery": "delivery" }),
            Err("missing_details: shipping_address"),
        ),
        (
            without("shipping_address"),
            json!({ "delivery": "delivery", "shipping_address": " " }),
            Err("missing_details: shipping_address"),
        ),
        (
            json!({}),
            json!({ "delivery": "delivery" }),
            Err("missing_details: dni, first_name, shipping_address"),
        ),
        (
            known.clone(),
            json!({ "contact": "otro" }),
            Err("the input does not fit: there is no `contact`"),
        ),
        (without("shipping_address"), json!({}), Ok(("pickup", None))),
        (without("shipping_address"), json!({ "delivery": "pickup" }), Ok(("pickup", None))),
        (known.clone(), json!({}), Ok(("pickup", None))),
        (
            known.clone(),
            json!({ "delivery": "pickup", "shipping_address": "Sucre 2" }),
            Ok(("pickup", None)),
        ),
        (known.clone(), json!({ "delivery": "delivery" }), Ok(("delivery", Some("Lavalle 1")))),
        (
            known.clone(),
            json!({ "shipping_address": "Sucre 2" }),
            Ok(("delivery", Some("Sucre 2"))),
        ),
    ] {
        let mut shop = Shop::open();
        let mut contact = wait(shop.records.contact(shop.caller.contact)).unwrap().unwrap();
        contact.data = data.as_object().unwrap().clone();
        shop.contact(&contact);
        shop.done("add_to_cart", add("coca-500", 1));
        match (shop.call("confirm_order", input.clone()), expected) {
            (Err(reason), Err(expected)) => assert_eq!(reason, expected),
            (Ok(order), Ok((delivery, address))) => {
                assert_eq!(order["delivery"], delivery, "{input}");
                assert_eq!(order.get("shipping_address").and_then(Value::as_str), address);
            }
            (came, expected) => panic!("{input}: {came:?}, not {expected:?}"),
        }
    }
}

#[test]
fn an_order_of_nothing_or_of_what_is_gone_is_refused() {
    let mut shop = Shop::open();
    assert_eq!(shop.refused("confirm_order", json!({})), "the cart is empty");
    shop.done("set_cart_notes", json!({ "notes": "hola" }));
    assert_eq!(shop.refused("confirm_order", json!({})), "the cart is empty");
    shop.done("add_to_cart", add("coca-500", 2));
    shop.done("add_to_cart", add("fanta-500", 2));
    shop.put(&product("fanta", "Fanta", "Gaseosas", vec![]));
    assert_eq!(
        shop.refused("confirm_order", json!({})),
        "`fanta-500` is not sold any more: take it out of the cart, and show it again"
    );
    // A customer who names the total saw the cart without it.
    assert_eq!(shop.done("confirm_order", json!({ "total": "2501" }))["total"], "2501");
}

#[test]
fn no_price_changes_between_the_summary_and_the_yes() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-500", 2));
    let seen = shop.done("get_cart", json!({}))["total"].clone();
    let dearer = variant("coca-500", "500 ml", money("1300", "ARS"));
    shop.put(&product("coca", "Coca-Cola", "Gaseosas", vec![dearer]));
    assert_eq!(
        shop.refused("confirm_order", json!({ "total": seen })),
        "price_changed: the cart comes to $2.600 now; show it to the customer again"
    );
    let seen = shop.done("get_cart", json!({}))["total"].clone();
    let order = shop.done("confirm_order", json!({ "total": seen }));
    assert_eq!(order["total"], "2600");
    assert_eq!(order["lines"][0]["unit_price"], "1300");
}

#[test]
fn two_customers_on_the_last_unit_are_served_once() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-1500", 2));
    shop.done("add_to_cart", add("coca-500", 1));
    shop.other_customer();
    shop.done("add_to_cart", add("coca-1500", 2));
    shop.done("confirm_order", json!({}));
    shop.first_customer();
    assert_eq!(shop.refused("confirm_order", json!({})), "there is only 1 of `coca-1500`");
    assert_eq!((shop.level("coca-1500"), shop.level("coca-500")), ((1, 2, 0), (10, 0, 0)));
    let cart = shop.done("get_cart", json!({}));
    assert_eq!(cart["short"][0]["available"], 1, "the cart is as it was");
    shop.done("update_cart_item", add("coca-1500", 1));
    assert_eq!(shop.done("confirm_order", json!({}))["code"], "ORD-00002");
    assert_eq!(shop.level("coca-1500"), (0, 3, 0));
}

#[test]
fn all_that_is_short_is_named_at_once() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", add("coca-1500", 3));
    shop.done("add_to_cart", add("coca-500", 5));
    shop.done("add_to_cart", add("fanta-500", 5));
    shop.stock(&Stock::none("coca-500"));
    shop.stock(&Stock { available: 2, ..Stock::none("coca-1500") });
    assert_eq!(
        shop.refused("confirm_order", json!({})),
        "there are only 2 of `coca-1500`; there are none of `coca-500` left"
    );
}

#[test]
fn a_cancelled_order_gives_its_units_back_once() {
    let mut shop = Shop::open();
    assert_eq!(shop.refused("cancel_order", json!({})), "the customer has no orders yet");
    shop.buy(&[("coca-500", 4)]);
    shop.buy(&[("coca-1500", 1)]);
    let answer = shop.done("cancel_order", json!({ "number": 1 }));
    assert_eq!((&answer["code"], &answer["status"]), (&json!("ORD-00001"), &json!("cancelled")));
    assert_eq!((shop.level("coca-500"), shop.level("coca-1500")), ((10, 0, 0), (2, 1, 0)));
    assert_eq!(held(&mut shop, 1), []);
    assert_eq!(
        shop.refused("cancel_order", json!({ "number": 1 })),
        "ORD-00001 was cancelled already"
    );
    assert_eq!(shop.done("cancel_order", json!({}))["code"], "ORD-00002", "the last one");
}

#[test]
fn nobody_touches_an_order_of_somebody_else() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 4)]);
    shop.other_customer();
    for (tool, input) in [
        ("cancel_order", json!({ "number": 1 })),
        ("get_order_details", json!({ "number": 1 })),
        ("modify_order", json!({ "number": 1, "lines": [add("coca-500", 1)] })),
    ] {
        assert_eq!(shop.refused(tool, input), "the customer has no order ORD-00001", "{tool}");
    }
    assert_eq!(shop.refused("get_order_details", json!({})), "the customer has no orders yet");
    assert_eq!(shop.refused("cancel_order", json!({})), "the customer has no orders yet");
    let history = shop.done("get_order_history", json!({}));
    assert_eq!(history, json!({ "orders": [] }));
    let wrong = shop.refused("get_order_details", json!({ "number": "el de ayer" }));
    assert!(wrong.ends_with("an order's number is written like 42 or ORD-00042"), "{wrong}");
}

#[test]
fn an_order_the_shop_works_on_is_a_persons_to_change() {
    use OrderStatus::{Cancelled, Completed, Delivered, Processing, Shipped};
    for status in [Processing, Shipped, Delivered, Completed] {
        let mut shop = Shop::open();
        shop.buy(&[("coca-500", 4)]);
        set(&mut shop, 1, status);
        let told = format!(
            "order_already_processed: ORD-00001 is {} and cannot be changed by the customer",
            status.as_str()
        );
        assert_eq!(shop.refused("cancel_order", json!({})), told);
        let lines = json!({ "lines": [add("coca-500", 1)] });
        assert_eq!(shop.refused("modify_order", lines), told);
        assert_eq!(shop.done("get_order_details", json!({}))["processed"], true);
    }
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 4)]);
    set(&mut shop, 1, Cancelled);
    let lines = json!({ "lines": [add("coca-500", 1)] });
    assert_eq!(shop.refused("modify_order", lines), "ORD-00001 was cancelled already");
}

#[test]
fn an_order_is_changed_with_its_units_and_its_total() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 4), ("coca-1500", 2)]);
    let before = shop.order(1);
    // A price that was promised stays; what is new costs what it costs today.
    let coca = vec![
        variant("coca-500", "500 ml", money("9999", "ARS")),
        variant("coca-1500", "1,5 L", money("2500", "ARS")),
    ];
    shop.put(&product("coca", "Coca-Cola", "Gaseosas", coca));
    shop.records.set_now(NOON.plus_ms(1000));
    let lines = [add("coca-500", 6), add("coca-1500", 0), add("fanta-500", 7)];
    let answer = shop.done("modify_order", json!({ "number": 1, "lines": lines }));
    assert_eq!(answer["summary"], "6x Coca-Cola 500 ml, 7x Fanta");
    assert_eq!((&answer["total"], &answer["total_text"]), (&json!("7503.7"), &json!("$7.503,70")));
    assert_eq!(held(&mut shop, 1), [("coca-500".into(), 6), ("fanta-500".into(), 7)]);
    assert_eq!(shop.level("coca-500"), (4, 6, 0));
    assert_eq!((shop.level("coca-1500"), shop.level("fanta-500")), ((3, 0, 0), (993, 7, 0)));
    let order = shop.order(1);
    assert_eq!((order.id, order.number, order.created_at), (before.id, 1, before.created_at));
    assert_eq!(order.updated_at, NOON.plus_ms(1000));
    let same = shop.done("modify_order", json!({ "lines": [add("coca-500", 6)] }));
    assert_eq!((&same["total"], &same["summary"]), (&answer["total"], &answer["summary"]));
}

#[test]
fn a_change_that_cannot_be_had_changes_nothing() {
    for (lines, told) in [
        (vec![add("coca-500", 11)], "there are only 10 of `coca-500`"),
        (vec![add("coca-500", 1), add("coca-1500", 4)], "there are only 3 of `coca-1500`"),
        (vec![add("pan", 1)], "there are none of `pan` left"),
        (vec![add("sidra", 1)], "`sidra` is not sold"),
        (vec![add("vino", 1)], "`vino` is sold in USD, not as ORD-00001 is"),
        (vec![add("fanta-500", 0)], "`fanta-500` is not in ORD-00001"),
        (vec![add("sidra", 0)], "`sidra` is not sold"),
        (vec![add("coca-500", 0)], "nothing of ORD-00001 would be left: cancel it instead"),
        (
            vec![add("coca-500", 1), add("coca-500", 2)],
            "a variant is named twice: say its quantity once",
        ),
        (vec![], "the input does not fit: `lines` must have 1 items or more"),
        (
            vec![add("coca-500", 1000)],
            "the input does not fit: `lines/0/quantity` must be at most 999",
        ),
    ] {
        let mut shop = Shop::open();
        shop.buy(&[("coca-500", 4)]);
        assert_eq!(shop.refused("modify_order", json!({ "lines": lines })), told);
        assert_eq!(shop.level("coca-500"), (6, 4, 0));
    }
}

#[test]
fn what_is_not_sold_any_more_can_only_become_less() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 4)]);
    shop.put(&product("coca", "Coca-Cola", "Gaseosas", vec![]));
    let more = json!({ "lines": [add("coca-500", 5)] });
    assert_eq!(shop.refused("modify_order", more), "`coca-500` is not sold");
    let less = shop.done("modify_order", json!({ "lines": [add("coca-500", 3)] }));
    assert_eq!(less["total"], "3751.5");
    assert_eq!(shop.level("coca-500"), (7, 3, 0));
}

#[test]
fn an_order_does_not_grow_past_50_lines() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 1)]);
    let mut lines = Vec::new();
    for number in 0..50 {
        let sku = format!("s{number}");
        shop.put(&product(&sku, &sku, "Varios", vec![variant(&sku, "", money("1", "ARS"))]));
        shop.stock(&Stock { available: 5, ..Stock::none(&sku) });
        lines.push(add(&sku, 1));
    }
    let told = "an order has at most 50 lines";
    assert_eq!(shop.refused("modify_order", json!({ "lines": lines.clone() })), told);
    lines.pop();
    assert_eq!(shop.done("modify_order", json!({ "lines": lines }))["total"], "1299.5");
}
