//! Totals are exact whatever the prices, and what cannot be added is refused.

use domain::Stock;
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::json;

use crate::kit::{Shop, money, product, variant};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_total_is_the_sum_of_its_lines_to_the_last_decimal(
        lines in prop::collection::vec((0_i64..100_000_000_000, 0_u32..=4, 1_u32..=999), 1..12)
    ) {
        let mut shop = Shop::open();
        let mut total = Decimal::ZERO;
        for (number, (amount, scale, quantity)) in lines.iter().enumerate() {
            let price = Decimal::new(*amount, *scale);
            let sku = format!("p{number}");
            let variant = variant(&sku, "", money(&price.to_string(), "ARS"));
            shop.put(&product(&sku, &sku, "Varios", vec![variant]));
            shop.stock(&Stock { available: *quantity, ..Stock::none(&sku) });
            shop.done("add_to_cart", json!({ "sku": sku, "quantity": quantity }));
            total += price * Decimal::from(*quantity);
        }
        let wanted = total.normalize().to_string();
        prop_assert_eq!(&shop.done("get_cart", json!({}))["total"], &wanted);
        let order = shop.done("confirm_order", json!({ "total": wanted }));
        prop_assert_eq!(&order["total"], &wanted);
        prop_assert_eq!(shop.order(1).total, total);
    }
}

#[test]
fn a_total_too_large_to_write_is_refused() {
    let mut shop = Shop::open();
    let dear = variant("oro", "", money("79228162514264337593543950335", "ARS"));
    shop.put(&product("oro", "Oro", "Varios", vec![dear]));
    shop.stock(&Stock { available: 5, ..Stock::none("oro") });
    let refused = shop.refused("add_to_cart", json!({ "sku": "oro", "quantity": 2 }));
    assert_eq!(refused, "the amount is too large");
}
