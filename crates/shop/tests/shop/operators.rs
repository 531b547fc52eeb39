//! The acts of operators: stock comes, goes and is counted; orders go on; money comes in.

use domain::OrderStatus;
use serde_json::json;
use shop::{CountStock, ReceiveStock, RecordPayment, SetOrderStatus, WriteOffStock};

use crate::kit::{NOON, Shop, money};

/// Units for sale, promised, and gone.
type Level = (u32, u32, u32);

fn receive(sku: &str, units: u32) -> ReceiveStock {
    ReceiveStock { sku: sku.to_owned(), units }
}

fn write_off(sku: &str, units: u32) -> WriteOffStock {
    WriteOffStock { sku: sku.to_owned(), units }
}

fn pay(number: u32, amount: &str, method: &str) -> RecordPayment {
    RecordPayment { number, amount: amount.parse().unwrap(), method: method.to_owned() }
}

#[test]
fn stock_comes_in_is_written_off_and_counted() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 4)]);
    let answer = shop.perform(&receive("coca-500", 5)).unwrap();
    let level = |available: u32| {
        json!({ "sku": "coca-500", "available": available, "reserved": 4, "sold": 0,
                "on_hand": available + 4 })
    };
    assert_eq!(answer, level(11));
    assert_eq!(shop.perform(&write_off("coca-500", 2)).unwrap(), level(9));
    let count = CountStock { sku: "coca-500".to_owned(), available: 0 };
    assert_eq!(shop.perform(&count).unwrap(), level(0));
    // A variant that is not sold now may still come in, if the shop ever had it.
    assert_eq!(shop.perform(&receive("tab-500", 1)).unwrap()["available"], 6);
}

#[test]
fn stock_that_makes_no_sense_is_refused() {
    let count = CountStock { sku: "sidra".to_owned(), available: 3 };
    let refused = |deed: &dyn store::Deed| {
        let mut shop = Shop::open();
        shop.buy(&[("coca-500", 4)]);
        shop.perform(deed).unwrap_err()
    };
    let unknown = "there is no `sidra` in the catalogue";
    assert_eq!(refused(&receive("sidra", 1)), unknown);
    assert_eq!(refused(&write_off("sidra", 1)), unknown);
    assert_eq!(refused(&count), unknown);
    assert_eq!(refused(&receive("coca-500", 0)), "say how many units: at least 1");
    assert_eq!(refused(&write_off("coca-500", 0)), "say how many units: at least 1");
    assert_eq!(refused(&receive("coca-500", u32::MAX)), "`coca-500` cannot have so many units");
    assert_eq!(
        refused(&write_off("coca-500", 7)),
        "only 6 of `coca-500` can be written off: 4 are promised to orders"
    );
}

#[test]
fn an_orders_units_go_with_it_or_come_back() {
    use OrderStatus::{Cancelled, Completed, Confirmed, Delivered, Processing, Shipped};
    // The way an order goes, and where its four units are after each step.
    let ways: [&[(OrderStatus, Level)]; 5] = [
        &[
            (Processing, (6, 4, 0)),
            (Shipped, (6, 4, 0)),
            (Delivered, (6, 0, 4)),
            (Completed, (6, 0, 4)),
        ],
        &[(Completed, (6, 0, 4))],
        &[(Delivered, (6, 0, 4))],
        &[(Cancelled, (10, 0, 0))],
        &[(Processing, (6, 4, 0)), (Cancelled, (10, 0, 0))],
    ];
    for way in ways {
        let mut shop = Shop::open();
        shop.buy(&[("coca-500", 4)]);
        for (status, level) in way {
            shop.records.set_now(NOON.plus_ms(5));
            let deed = SetOrderStatus { number: 1, status: *status };
            assert_eq!(shop.perform(&deed).unwrap()["status"], status.as_str());
            assert_eq!(shop.level("coca-500"), *level, "{way:?} {status:?}");
            assert_eq!(shop.order(1).updated_at, NOON.plus_ms(5));
        }
        let back = SetOrderStatus { number: 1, status: Confirmed };
        let stands = way.last().unwrap().0.as_str();
        let told = format!("ORD-00001 is {stands} and cannot become confirmed");
        assert_eq!(shop.perform(&back), Err(told));
    }
    let nobody = SetOrderStatus { number: 9, status: Cancelled };
    assert_eq!(Shop::open().perform(&nobody), Err("there is no order ORD-00009".to_owned()));
}

#[test]
fn a_payment_is_in_the_orders_currency_and_for_its_customer() {
    let mut shop = Shop::open();
    shop.buy(&[("vino", 1)]);
    let customer = shop.caller.contact;
    shop.other_customer();
    let answer = shop.perform(&pay(1, "12.50", " mercado_pago ")).unwrap();
    let [payment] = shop.records.payments() else { panic!() };
    assert_eq!((payment.contact, payment.amount), (customer, money("12.50", "USD")));
    assert_eq!((payment.order, payment.at), (shop.order(1).id, NOON));
    let expected = json!({ "payment": payment.id, "code": "ORD-00001", "method": "mercado_pago",
                           "amount": "12.5", "amount_text": "USD 12,50", "currency": "USD" });
    assert_eq!(answer, expected);
    for (deed, told) in [
        (pay(1, "0", "efectivo"), "a payment is above zero"),
        (pay(1, "-1", "efectivo"), "a payment is above zero"),
        (pay(1, "1", " "), "say how it was paid"),
        (pay(9, "1", "efectivo"), "there is no order ORD-00009"),
    ] {
        assert_eq!(shop.perform(&deed), Err(told.to_owned()));
    }
    shop.perform(&SetOrderStatus { number: 1, status: OrderStatus::Cancelled }).unwrap();
    let told = "ORD-00001 was cancelled: nothing is paid for it";
    assert_eq!(shop.perform(&pay(1, "1", "efectivo")), Err(told.to_owned()));
}
