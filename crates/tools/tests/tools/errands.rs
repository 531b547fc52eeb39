//! The tools of the shop by name, and which of them only read.

use tools::{Class, Registry, Tool};

#[test]
fn every_tool_of_the_shop_is_there_and_says_whether_it_acts() {
    let registry = Registry::builtin();
    let class = |name: &str| {
        let offered = registry.get(name).unwrap_or_else(|| panic!("there is no {name}"));
        assert!(!offered.spec().description.is_empty(), "{name}");
        offered.spec().class
    };
    for reads in [
        "get_customer_info",
        "get_customer_debt",
        "get_order_history",
        "search_products",
        "get_product_details",
        "get_categories",
        "get_cart",
        "get_order_details",
        "get_commerce_profile",
        "get_payment_methods",
        "get_catalog",
    ] {
        assert_eq!(class(reads), Class::Safe, "{reads}");
    }
    for acts in [
        "update_customer_info",
        "add_to_cart",
        "update_cart_item",
        "remove_from_cart",
        "clear_cart",
        "set_cart_notes",
        "confirm_order",
        "cancel_order",
        "modify_order",
        "repeat_last_order",
    ] {
        assert_eq!(class(acts), Class::Execute, "{acts}");
    }
    let handoff = registry.get("request_handoff").unwrap();
    assert!(matches!(handoff.tool, Tool::Reply(_)), "the agent's own act");
}
