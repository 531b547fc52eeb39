//! The customer: what they say of themselves, what they owe, what they ordered.

use domain::{Contact, ContactId};
use serde_json::{Value, json};
use shop::RecordPayment;
use store::Records;
use uuid::Uuid;

use crate::kit::{NOON, Shop, wait};

/// A customer nobody knows anything of.
fn stranger() -> Shop {
    let mut shop = Shop::open();
    shop.caller.contact = ContactId(Uuid::from_u128(77));
    shop
}

#[test]
fn what_a_customer_says_is_known_and_what_is_left_out_stays() {
    let mut shop = stranger();
    let info = shop.done("get_customer_info", json!({}));
    assert_eq!(info["missing"], json!(["dni", "first_name"]));
    let input =
        json!({ "dni": " 30.123.456 ", "first_name": " Ana ", "phone": "+54 11 5555-1234" });
    shop.done("update_customer_info", input);
    let card = shop.done("update_customer_info", json!({ "last_name": "Gómez", "dni": null }));
    let mut expected = json!({
        "dni": "30123456", "first_name": "Ana", "last_name": "Gómez", "shipping_address": null,
        "name": "Ana Gómez", "phone": "+54 11 5555-1234", "missing": [],
    });
    assert_eq!(card, expected);
    expected["total_orders"] = json!(0);
    expected["accounts"] = json!([]);
    assert_eq!(shop.done("get_customer_info", json!({})), expected);
    let card = shop.done("update_customer_info", json!({ "shipping_address": "Lavalle 1" }));
    assert_eq!(
        (&card["shipping_address"], &card["name"]),
        (&json!("Lavalle 1"), &json!("Ana Gómez"))
    );
}

#[test]
fn what_else_is_known_of_a_contact_is_left_alone() {
    let mut shop = stranger();
    let data = json!({ "ciudad": "Rosario" }).as_object().unwrap().clone();
    let id = shop.caller.contact;
    shop.contact(&Contact { id, name: Some("ana 🌸".into()), phone: Some("1".into()), data });
    shop.done("update_customer_info", json!({ "dni": "7123456" }));
    let contact = wait(shop.records.contact(id)).unwrap().unwrap();
    assert_eq!(contact.data["ciudad"], "Rosario");
    assert_eq!(contact.name.unwrap().reveal(), "ana 🌸");
    assert_eq!(contact.phone.unwrap().reveal(), "1");
}

#[test]
fn what_is_no_datum_is_refused() {
    for (input, told) in [
        (json!({}), "nothing is said of the customer"),
        (json!({ "dni": "123456" }), "`dni` is not right: it has 7 or 8 digits"),
        (json!({ "dni": "301234567" }), "`dni` is not right: it has 7 or 8 digits"),
        (json!({ "dni": "no tengo" }), "`dni` is not right: it has 7 or 8 digits"),
        (json!({ "first_name": "  " }), "`first_name` is blank"),
        (json!({ "phone": "mañana" }), "the input does not fit: `phone` must match"),
        (json!({ "name": "Ana" }), "the input does not fit: there is no `name`"),
        (
            json!({ "contact": Uuid::nil(), "dni": "30123456" }),
            "the input does not fit: there is no `contact`",
        ),
    ] {
        let refused = stranger().refused("update_customer_info", input);
        assert!(refused.starts_with(told), "{refused}");
    }
}

#[test]
fn a_debt_is_what_was_bought_and_not_paid_in_each_currency() {
    let mut shop = Shop::open();
    let nothing = json!({ "owes": false, "debt_text": "", "accounts": [] });
    assert_eq!(shop.done("get_customer_debt", json!({})), nothing);
    shop.buy(&[("coca-500", 2)]);
    shop.buy(&[("vino", 1)]);
    shop.buy(&[("coca-1500", 1)]);
    shop.done("cancel_order", json!({}));
    let pay = |number, amount: &str| RecordPayment {
        number,
        amount: amount.parse().unwrap(),
        method: "efectivo".to_owned(),
    };
    shop.perform(&pay(1, "1000.50")).unwrap();
    let debt = shop.done("get_customer_debt", json!({}));
    let account = |currency: &str, texts: [&str; 6]| -> Value {
        let [spent, spent_text, paid, paid_text, debt, debt_text] = texts;
        json!({ "currency": currency, "orders": 1, "spent": spent, "spent_text": spent_text,
                "paid": paid, "paid_text": paid_text, "debt": debt, "debt_text": debt_text })
    };
    let expected = json!({
        "owes": true, "debt_text": "$1.500,50 + USD 20",
        "accounts": [
            account("ARS", ["2501", "$2.501", "1000.5", "$1.000,50", "1500.5", "$1.500,50"]),
            account("USD", ["20", "USD 20", "0", "USD 0", "20", "USD 20"]),
        ],
    });
    assert_eq!(debt, expected);
    let info = shop.done("get_customer_info", json!({}));
    assert_eq!((&info["total_orders"], &info["accounts"]), (&json!(2), &expected["accounts"]));
    shop.perform(&pay(1, "5000")).unwrap();
    shop.perform(&pay(2, "20")).unwrap();
    assert_eq!(shop.done("get_customer_debt", json!({}))["owes"], false);
    shop.other_customer();
    assert_eq!(shop.done("get_customer_debt", json!({})), nothing);
}

#[test]
fn orders_are_told_newest_first() {
    let mut shop = Shop::open();
    for hour in 0..7 {
        shop.records.set_now(NOON.plus_ms(hour * 3_600_000));
        shop.buy(&[("fanta-500", 1)]);
    }
    let codes = |history: Value| -> Vec<String> {
        let orders = history["orders"].as_array().unwrap();
        orders.iter().map(|order| order["code"].as_str().unwrap().to_owned()).collect()
    };
    let history = codes(shop.done("get_order_history", json!({})));
    assert_eq!(history, ["ORD-00007", "ORD-00006", "ORD-00005", "ORD-00004", "ORD-00003"]);
    let history = codes(shop.done("get_order_history", json!({ "limit": 2 })));
    assert_eq!(history, ["ORD-00007", "ORD-00006"]);
}
